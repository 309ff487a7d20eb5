"""The minimum version of StableHLO that supports a program's ops, types and attributes.

The tables follow upstream's version log. Unlisted features exist since 0.9.0, the oldest version of portable
artifacts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stablehlo_py.ir.attributes import (
    StructAttr,
    TypeAttr,
)
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.element_types import ELEMENT_TYPES, OLDEST
from stablehlo_py.ir.types import (
    ComplexType,
    FloatType,
    FunctionType,
    FutureType,
    IntegerType,
    MemRefType,
    NoneType,
    QuantizedType,
    TensorType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from stablehlo_py.ir.version import MINIMUM, Version, version_of
from stablehlo_py.notation.scope import holds
from stablehlo_py.opset.definition import lookup

PORTABLE = frozenset(("stablehlo", "func", "builtin"))  # the dialects of portable artifacts

PER_AXIS_QUANTIZATION = Version(0, 18)
NO_TYPE = Version(1, 6)
BUFFERS = Version(1, 13)
FUTURES = Version(1, 15)


@dataclass(frozen=True, slots=True)
class Need:
    """A use of a feature that requires a minimum version."""

    version: Version
    what: str
    place: Operation | BlockArgument

    def line(self, module: Module) -> int:
        """Return the line of the use in the text; 0 in a module without source text."""
        return module.line(self.place)


def minimum_version(module: Module) -> Version:
    """Return the oldest version that supports a program, at least 0.9.0."""
    return max((need.version for need in needs(module.walk())), default=MINIMUM)


def needs(ops: Iterable[Operation]) -> Iterator[Need]:
    """Yield the uses of features newer than 0.9.0, in the order of the text."""
    by_type: dict[Type, list[tuple[Version, str]]] = {}
    for op in ops:
        for version, what in _of_op(op):
            yield Need(version, what, op)
        for type, place in _types(op):
            if type not in by_type:
                by_type[type] = list(dict.fromkeys(_of_type(type)))
            for version, what in by_type[type]:
                yield Need(version, what, place)


def _of_op(op: Operation) -> Iterator[tuple[Version, str]]:
    """Yield the version of an op, and those of its revisions that the op uses."""
    definition = lookup(op.name)
    dialect, _, name = op.name.partition(".")
    if definition is None or dialect != "stablehlo" or not definition.since:
        return
    since = version_of(definition.since)
    if since > MINIMUM:
        yield since, name
    for revision in definition.revisions:
        if revision.uses and holds(op, definition, revision.uses):
            yield version_of(revision.since), f"{name} with {revision.what}"


def _types(op: Operation) -> Iterator[tuple[Type, Operation | BlockArgument]]:
    for result in op.results:
        yield result.type, op
    for block in op.blocks:
        yield from [(argument.type, argument) for argument in block.arguments]
    for attribute in op.properties.values():
        if isinstance(attribute, TypeAttr) and not op.blocks:
            yield attribute.value, op
        if isinstance(attribute, StructAttr):
            yield from [(value, op) for _, value in attribute.fields if isinstance(value, Type)]


def _of_type(type: Type) -> Iterator[tuple[Version, str]]:
    """Yield the types newer than 0.9.0 in a type, each with its version."""
    pending = [type]
    while pending:
        match pending.pop():
            case TensorType(element_type=element) | UnrankedTensorType(element) | ComplexType(element):
                pending.append(element)
            case FunctionType(inputs, results):
                pending += (*inputs, *results)
            case TupleType(types):
                pending += types
            case FutureType(types):
                pending += types
                yield FUTURES, "future"
            case MemRefType(element_type=element):
                pending.append(element)
                yield BUFFERS, "memref"
            case QuantizedType(storage_type=storage, expressed_type=expressed, dimension=dimension):
                pending += (storage, expressed)
                if dimension is not None:
                    yield PER_AXIS_QUANTIZATION, "per-axis quantized types"
            case IntegerType() | FloatType() as element if element in ELEMENT_TYPES:
                row = ELEMENT_TYPES[element]
                if row.since != OLDEST:
                    yield version_of(row.since), row.name
            case NoneType():
                yield NO_TYPE, "none"
