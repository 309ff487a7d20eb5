"""The base of all operations: conversion of operands, and creation and verification of ops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.literals import Array, literal_array
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import element_type, shape_text
from stablehlo_py.diagnostics.diagnostic import InternalError
from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, OpResult, Region, Value
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.opset.attribute_conversion import read_only
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.opset.op_inputs import make_properties
from stablehlo_py.opset.type_rules import type_violations
from stablehlo_py.verifier.constraints import ConstraintChecker, rules_of
from stablehlo_py.verifier.inference import infer_types
from stablehlo_py.verifier.inferred import InferredType

if TYPE_CHECKING:
    from stablehlo_py.builder.xla_builder import XlaBuilder


class BuilderBase:
    """Creates ops in the innermost block of `_blocks`.

    The first block is the computation's own; while a Python function is traced, its body's block is the last.
    """

    def __init__(self, name: str = "main") -> None:
        self.name = name
        self._blocks = [Block()]
        self._last: XlaOp | None = None
        self._checker = ConstraintChecker(Module())
        self._sound: set[Type] = set()
        self._known: dict[object, tuple[InferredType, ...]] = {}

    # Operands

    def _operand(self, given: Operand | Sequence[Any], like: Type | None = None) -> XlaOp:
        """Convert an operand to an XlaOp: a number or array becomes a constant, a list a tuple.

        `like` is the element type of numbers. Raise BuildError for an op of another builder or of a finished
        body.
        """
        if isinstance(given, list | tuple):
            return self._tuple([self._operand(part) for part in given])
        if not isinstance(given, XlaOp):
            array = literal_array(given, like)
            return self._constant(array, TensorType(array.shape, element_type(array.dtype)))
        if cast(BuilderBase, given.builder) is not self:
            raise BuildError(f"{call_site().operation}: {given!r} belongs to another builder")
        if any(_block_of(value) not in self._blocks for value in given.values):
            raise BuildError(
                f"{call_site().operation}: {given!r} belongs to another body, or to a finished one"
            )
        return given

    def _operands(self, *given: Operand) -> list[XlaOp]:
        """Convert operands to arrays of one element type; numbers take that of the first other operand."""
        typed = (x for x in given if isinstance(x, XlaOp | np.ndarray | np.generic))
        first = next(typed, None)
        if first is None:
            like = None
        elif isinstance(first, XlaOp):
            like = first.element_type
        else:
            like = element_type(first.dtype)
        arrays = [literal_array(x, like) if isinstance(x, list | tuple) else x for x in given]
        return [self._operand(x, like) for x in arrays]

    def _listed(self, given: Operand | Sequence[Operand]) -> list[XlaOp]:
        """Return one or more operands as a list."""
        return [self._operand(x) for x in listed(given)]

    def _arrays(self, given: Operand | Sequence[Operand]) -> list[XlaOp]:
        """Return one or more arrays as a list; raise BuildError if it is empty or contains other values."""
        arrays = self._listed(given)
        if not arrays or not all(isinstance(array.type, TensorType) for array in arrays):
            raise BuildError(f"{call_site().operation}: expected arrays, got {texts(arrays)}")
        return arrays

    def _constant(self, array: Array, type: TensorType) -> XlaOp:
        data = DenseElementsAttr(type, read_only(np.array(array).reshape(-1)))
        return self._one("constant", (), {"value": data}, types=[type])

    def _tuple(self, elements: Iterable[XlaOp]) -> XlaOp:
        return self._wrapped(list(elements))

    def _wrapped(self, content: Value | Sequence[XlaOp]) -> XlaOp:
        self._last = XlaOp(cast("XlaBuilder", self), content)
        return self._last

    def _pack(self, type: Type, values: Sequence[Value]) -> XlaOp:
        """Group the values of arrays to an XlaOp of a type."""
        rest = iter(values)

        def packed(type: Type) -> XlaOp:
            if isinstance(type, TupleType):
                return self._wrapped([packed(part) for part in type.types])
            return self._wrapped(next(rest))

        return packed(type)

    def _collated(self, values: Sequence[Value]) -> XlaOp:
        """Group values as the document's `Collate` does: one array, or a tuple of several."""
        ops = [self._wrapped(value) for value in values]
        return ops[0] if len(ops) == 1 else self._tuple(ops)

    # Ops

    def _one(
        self,
        name: str,
        operands: Sequence[XlaOp | Value],
        attributes: Mapping[str, Any] | None = None,
        regions: Sequence[Region] = (),
        **known: Any,
    ) -> XlaOp:
        """Create an op with one result; see `_emit`."""
        (value,) = self._emit(name, operands, attributes, regions, **known)
        return self._wrapped(value)

    def _emit(
        self,
        name: str,
        operands: Sequence[XlaOp | Value],
        attributes: Mapping[str, Any] | None = None,
        regions: Sequence[Region] = (),
        types: Sequence[Type] | None = None,
        shape: Sequence[int | None] | None = None,
        element_type: Type | None = None,
    ) -> list[OpResult]:
        """Create an op, infer its result types and verify it.

        `attributes` are Python values by the definition's names. `types` are the result types where the
        definition does not determine them; `shape` and `element_type` where it does not determine just those.

        Raise BuildError, with diagnostics, if a constraint is violated.
        """
        called = call_site()
        full_name = name if "." in name else f"stablehlo.{name}"
        values = [x.value if isinstance(x, XlaOp) else x for x in operands]
        definition = lookup(full_name)
        if definition is None:
            raise InternalError(f"unknown op {full_name}")
        try:
            properties = make_properties(definition, attributes or {})
        except ValueError as error:
            raise BuildError(f"{called.operation}: {error}") from None
        if types is None:
            inferred = self._inferred(called.operation, definition, values, properties, regions)
            types = [_whole(result, shape, element_type) for result in inferred]
        for violation in (v for type in types for v in self._violations(type)):
            raise BuildError(f"{called.operation}{texts(values)}: {violation}")
        op = Operation(full_name, values, types, properties, regions=regions, location=called.location)
        self._blocks[-1].append(op)
        found = self._checker.check(op)
        if found:
            op.erase()
            raise BuildError(f"{called.operation}{texts(values)}", found)
        return list(op.results)

    def _violations(self, type: Type) -> list[str]:
        """Return the violated constraints of a type, cached."""
        if type not in self._sound:
            violations = [violation.about(type) for violation in type_violations(type)]
            if violations:
                return violations
            self._sound.add(type)
        return []

    def _inferred(
        self,
        operation: str,
        definition: OpDef,
        operands: Sequence[Value],
        properties: Mapping[str, Attribute],
        regions: Sequence[Region],
    ) -> tuple[InferredType, ...]:
        """Infer result types, cached by the definition and the types of its inputs."""
        key = (definition, *[value.type for value in operands], *properties.items())
        is_general = not regions and not rules_of(definition).contextual
        if is_general and key in self._known:
            return self._known[key]
        inference = infer_types(definition.name, operands, properties, regions)
        if inference.diagnostics:
            raise BuildError(f"{operation}{texts(operands)}", inference.diagnostics)
        if is_general:
            self._known[key] = inference.results
        return inference.results


def listed(given: Any) -> list[Any]:
    """Return a list or tuple as a list, and any other value as a list with one element."""
    if isinstance(given, XlaOp) and given.is_tuple:
        return list(given.elements)
    return list(given) if isinstance(given, list | tuple) else [given]


def texts(operands: Sequence[XlaOp | Value]) -> str:
    """Format the shapes of operands, in parentheses."""
    return f"({', '.join(shape_text(operand.type) for operand in operands)})"


def scalar_types(operands: Sequence[XlaOp]) -> list[TensorType]:
    """Return the scalar types of arrays, which are the parameter types of a computation on elements."""
    return [TensorType((), operand.element_type) for operand in operands]


def _block_of(value: Value) -> Block | None:
    return value.op.parent if isinstance(value, OpResult) else cast(BlockArgument, value).block


def _whole(found: InferredType, shape: Sequence[int | None] | None, element: Type | None) -> Type:
    """Return a result type, with the given parts where inference does not determine it."""
    if found.type is not None:
        return found.type
    sizes = found.shape if found.shape is not None else shape
    of = found.element_type if found.element_type is not None else element
    if sizes is None or of is None:
        raise InternalError(f"cannot infer the type {found}")
    return TensorType(tuple(sizes), of)
