"""The rows of all dialects, by dialect and code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from stablehlo_py.artifacts.dialects import builtin, quant, sdy, stablehlo, vhlo
from stablehlo_py.artifacts.dialects.fields import Sink
from stablehlo_py.artifacts.dialects.rows import NoEncoding as NoEncoding
from stablehlo_py.artifacts.dialects.rows import Row
from stablehlo_py.ir.attributes import BoolAttr, EnumAttr, IntegerAttr, OpaqueAttr, StructAttr
from stablehlo_py.ir.types import FutureType, OpaqueType, QuantizedType, TokenType, Type
from stablehlo_py.opset.type_rules import type_violations

VHLO = "vhlo"


def _by_code(rows: Iterable[Row]) -> Mapping[int, Row]:
    """Return the rows that read, by code: the last of each, as others only write."""
    return {row.code: row for row in rows}


_ATTRIBUTES: Mapping[str, tuple[Row, ...]] = {
    "builtin": builtin.ATTRIBUTES,
    "stablehlo": stablehlo.ATTRIBUTES,
    "chlo": stablehlo.CHLO_ATTRIBUTES,
    "sdy": sdy.ATTRIBUTES,
    "vhlo": vhlo.ATTRIBUTES,
}
_TYPES: Mapping[str, tuple[Row, ...]] = {
    "builtin": builtin.TYPES,
    "stablehlo": stablehlo.TYPES,
    "mhlo": stablehlo.MHLO_TYPES,
    "quant": quant.TYPES,
    "vhlo": vhlo.TYPES,
}
ATTRIBUTES = {dialect: _by_code(rows) for dialect, rows in _ATTRIBUTES.items()}
TYPES = {dialect: _by_code(rows) for dialect, rows in _TYPES.items()}


class Encoding(NamedTuple):
    """The encoding of a value: by a row of its dialect, or as assembly text if `row` is None."""

    dialect: str
    row: Row | None

    @staticmethod
    def of(dialects: str, value: Any, is_type: bool) -> Encoding:
        """Return the encoding of a value.

        Args:
            dialects: The dialects to encode in, "vhlo" or "" for the value's own.
            value: An attribute, location or type.
            is_type: Whether the value is a type.

        Raises:
            NoEncoding: VHLO has no encoding of the value.
        """
        if dialects == VHLO:
            return Encoding(VHLO, _row_of(VHLO, value, is_type))
        dialect = _dialect_of(value)
        try:
            return Encoding(dialect, _row_of(dialect, value, is_type))
        except NoEncoding:
            return Encoding(dialect, None)

    @staticmethod
    def exists(dialects: str, value: Any) -> bool:
        """Return True if there is an encoding of an attribute."""
        try:
            Encoding.of(dialects, value, is_type=False)
        except NoEncoding:
            return False
        return True

    def write(self, value: Any, sink: Sink) -> bool:
        """Write a value; return True if it is encoded by a row."""
        if self.row is None:
            sink.raw(str(value).encode("utf-8", "surrogateescape") + b"\0")
            return False
        given = self.row.split(value)
        sink.varint(self.row.code)
        for name, kind in self.row.fields.items():
            kind.write(sink, given[name], given)
        return True


def refusal(type: Type) -> str:
    """Return why the C++ parser rejects a type; "" if it does not."""
    faults = [fault for fault in type_violations(type) if not (fault.lenient or fault.spec_only)]
    return faults[0].about(type) if faults else ""


def _dialect_of(value: Any) -> str:
    """Return the dialect of an attribute or type."""
    match value:
        case StructAttr(name) | EnumAttr(name):
            return name.partition(".")[0]
        case QuantizedType():
            return "quant"
        case TokenType() | FutureType():
            return "stablehlo"
        case OpaqueAttr(text) | OpaqueType(text) if text[:1] in ("#", "!"):
            return _DIALECT.match(text, 1)[0]  # type: ignore[index]
    return "builtin"


_DIALECT = re.compile(r"[A-Za-z_]\w*")


def _row_of(dialect: str, value: Any, is_type: bool) -> Row:
    """Return the first row of a dialect that can encode a value; raise NoEncoding if there is none."""
    key: Any = type(value)
    if isinstance(value, StructAttr | EnumAttr):
        key = value.name
    elif isinstance(value, BoolAttr) and dialect == "builtin":
        key = IntegerAttr
    rows = _by_key(dialect, is_type)
    for row in (*rows.get(value, ()), *rows.get(key, ())) if is_type else rows.get(key, ()):
        if row.fits(value):
            return row
    raise NoEncoding(f"{value} has no form in VHLO, the dialect of portable artifacts")


@cache
def _by_key(dialect: str, is_type: bool) -> Mapping[Any, tuple[Row, ...]]:
    found: dict[Any, tuple[Row, ...]] = {}
    for row in (_TYPES if is_type else _ATTRIBUTES).get(dialect, ()):
        found[row.key] = (*found.get(row.key, ()), row)
    return found
