"""The pass `stablehlo-convert-to-signless`: signed and unsigned integers become signless ones."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DenseElementsAttr, TypeAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation, OpResult
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import (
    FunctionType,
    FutureType,
    IntegerType,
    MemRefType,
    OpaqueType,
    TensorType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from stablehlo_py.opset.definition import lookup
from stablehlo_py.transforms.pass_definition import Options, Pass, diagnostic

_NO_FORM = "failed to convert operation '{}': its results are unsigned by definition"


def _run(module: Module, options: Options) -> None:
    refused = [diagnostic(module, op, _NO_FORM.format(op.name)) for op in module.walk() if not _has_form(op)]
    if refused:
        raise TransformError(module.name, refused)
    for op in module.walk():
        for result in op.results:
            _retype(result)
        for block in op.blocks:
            for argument in block.arguments:
                _retype(argument)
        op.properties = {name: _attribute(value) for name, value in op.properties.items()}


def _has_form(op: Operation) -> bool:
    """Test whether the definition of an op with one kind of results allows their signless types."""
    definition = lookup(op.name)
    if definition is None or len(definition.outputs) != 1:
        return True
    (output,) = definition.outputs
    types = [result.type for result in op.results if signless(result.type) is not result.type]
    return all(output.type.contains(signless(type)) for type in types)


def _retype(value: OpResult | BlockArgument) -> None:
    value.type = signless(value.type)


def _attribute(attribute: Attribute) -> Attribute:
    """Return a type, or elements, with signless types."""
    match attribute:
        case TypeAttr(type):
            return TypeAttr(signless(type))
        case DenseElementsAttr(type, data) if signless(type) is not type:
            made = signless(type)
            assert isinstance(made, TensorType)
            return DenseElementsAttr(made, data.view(numpy_dtype(made.element_type)))
        case ArrayAttr(items):
            return ArrayAttr(tuple(map(_attribute, items)))
        case _:
            return attribute


@cache
def signless(type: Type) -> Type:
    """Return a type with signless integers in place of signed and unsigned ones."""
    match type:
        case IntegerType(width, signedness) if signedness:
            return IntegerType(width)
        case TensorType(element_type=IntegerType()) | MemRefType(element_type=IntegerType()):
            return replace(type, element_type=signless(type.element_type))
        case OpaqueType(text) if text.startswith("memref<*x"):  # an unranked buffer
            return OpaqueType(re.sub(r"(?<=\*x)[us](?=i\d+[,>])", "", text))
        case UnrankedTensorType(IntegerType() as element):
            return UnrankedTensorType(signless(element))
        case FunctionType(inputs, results):
            return FunctionType(tuple(map(signless, inputs)), tuple(map(signless, results)))
        case TupleType(types):
            return TupleType(tuple(map(signless, types)))
        case FutureType(types):
            return FutureType(tuple(map(signless, types)))
        case _:
            return type


PASS = Pass(
    "stablehlo-convert-to-signless",
    "Makes signed and unsigned integers signless; the bits stay.",
    _run,
    description="Ops whose results depend on the sign, such as divisions and comparisons, then compute on "
    "signed integers: this is for programs that other passes lower further.",
)
