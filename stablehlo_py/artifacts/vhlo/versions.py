"""The minimum version of StableHLO that supports a program's ops, types and attributes.

The versions are those of the op definitions and of the rows of the VHLO dialect, by which portable artifacts
are written. Unlisted features exist since 0.9.0, the oldest version of portable artifacts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from stablehlo_py.artifacts.dialects.registry import VHLO, Encoding, NoEncoding
from stablehlo_py.ir import attributes as A
from stablehlo_py.ir import types as T
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.version import MINIMUM, Version, version_of
from stablehlo_py.notation.scope import holds
from stablehlo_py.opset.definition import OpDef, lookup

PORTABLE = frozenset(("stablehlo", "func", "builtin"))  # the dialects of portable artifacts
Found = Mapping[str, Version]  # features newer than 0.9.0, with the versions that introduced them


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
    by_value: dict[Any, tuple[Found, Found]] = {}
    for op in ops:
        definition = lookup(op.name)
        dialect = op.name.partition(".")[0]
        if definition is None or not definition.since or dialect not in PORTABLE or op.is_module:
            continue
        for version, what in _of_op(op, definition):
            yield Need(version, what, op)
        for value, place, with_attributes in _values(op, definition):
            if value not in by_value:
                by_value[value] = _of_value(value)
            types, attributes = by_value[value]
            for what, version in types.items():
                yield Need(version, what, place)
            if with_attributes:
                for what, version in attributes.items():
                    yield Need(version, what, place)


def _of_op(op: Operation, definition: OpDef) -> Iterator[tuple[Version, str]]:
    """Yield the version of an op, and those of its revisions that the op uses."""
    name = op.name.partition(".")[2]
    since = version_of(definition.since)
    if since > MINIMUM:
        yield since, name
    for revision in definition.revisions:
        if revision.uses and holds(op, definition, revision.uses):
            yield version_of(revision.since), f"{name} with {revision.what}"


def _values(op: Operation, definition: OpDef) -> Iterator[tuple[Any, Operation | BlockArgument, bool]]:
    """Yield the types and attributes of an op, their places, and whether attributes in them are features.

    Those of properties that revisions state are not: they have defaults, which older forms leave out.
    """
    for result in op.results:
        yield result.type, op, True
    for block in op.blocks:
        yield from [(argument.type, argument, True) for argument in block.arguments]
    for name, value in op.properties.items():
        if name != "function_type" or not op.blocks:
            yield value, op, not definition.revisions
    yield from [(value, op, True) for value in op.attributes.values()]


def _of_value(value: Any) -> tuple[Found, Found]:
    """Return the features among the types in a type or attribute, and those among the attributes in it."""
    types: dict[str, Version] = {}
    attributes: dict[str, Version] = {}
    pending = [value]
    while pending:
        part = pending.pop()
        is_type = isinstance(part, T.Type)
        since, what = _introduced(part) if is_type else _of_attribute(part)
        if since > MINIMUM:
            (types if is_type else attributes)[what] = since
        pending += reversed(_parts(part))
    return types, attributes


@cache
def _introduced(value: Any) -> tuple[Version, str]:
    """Return the version of a type or enumeration in VHLO, and what to call it."""
    try:
        row = Encoding.of(VHLO, value, isinstance(value, T.Type)).row
    except NoEncoding:
        return MINIMUM, ""
    assert row is not None
    return version_of(row.since), row.what or str(row.key)


def _of_attribute(attribute: Any) -> tuple[Version, str]:
    return _introduced(attribute) if isinstance(attribute, A.StructAttr | A.EnumAttr) else (MINIMUM, "")


def _parts(value: Any) -> list[Any]:
    """Return the types and attributes directly in a type or attribute."""
    match value:
        case T.TensorType(element_type=element) | T.MemRefType(element_type=element):
            return [element]
        case T.UnrankedTensorType(element) | T.ComplexType(element):
            return [element]
        case T.FunctionType(inputs, results):
            return [*inputs, *results]
        case T.TupleType(types) | T.FutureType(types):
            return [*types]
        case T.QuantizedType(storage_type=storage, expressed_type=expressed):
            return [storage, expressed]
        case A.ArrayAttr(items):
            return [*items]
        case A.DictAttr(items):
            return [item for _, item in items]
        case A.StructAttr(fields=fields):
            return [value for _, value in fields if isinstance(value, T.Type | A.Attribute)]
        case A.TypeAttr(type) | A.FloatAttr(type=type) | A.IntegerAttr(type=type):
            return [type]
        case A.DenseElementsAttr(type=type):
            return [type]
    return []
