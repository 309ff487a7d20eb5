"""Literals: numbers of a type, and the contents of `dense<...>` as NumPy arrays (specification: Constants).

A long list of numbers or a hexadecimal string is converted to an array without creating Python objects.
"""

from __future__ import annotations

import math
import re
from binascii import a2b_hex
from typing import Any

import numpy as np

from stablehlo_py.ir import types as T
from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr, DenseResourceAttr, OpaqueAttr
from stablehlo_py.ir.element_types import ELEMENT_TYPES, bit_width, numpy_dtype, value_range
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.read.context import ParserState, ReadContext
from stablehlo_py.syntax.read.literal_shapes import list_shape

Array = np.ndarray[Any, np.dtype[Any]]

MINUS_ZERO = re.compile(r"(?<![\w.+-])-(?:0x)?0+(?![\w.])")  # which MLIR rejects as an integer
_INTEGER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)", re.ASCII)
_FLOAT = re.compile(r"-?\d+\.\d*(?:[eE][-+]?\d+)?", re.ASCII)
_POINTLESS = re.compile(r"(?:\+|(-))?(\d+)((?:[eE][-+]?\d+)?)", re.ASCII)
_PLUS = re.compile(r"\+\d", re.ASCII)
_HEX_OPENING = re.compile(r'\s*"0x')
_QUOTE = re.compile(r'\s*"')
_CHUNK = 1 << 20  # hexadecimal digits
_HEX_STRING = re.compile(r'\s*"0x([0-9a-fA-F]*)"\s*')
_ITEM = re.compile(r"[^\s\[\](),]+")
_PAIR = re.compile(r"\([^(),\[\]]+,[^(),\[\]]+\)")
_GROUP = re.compile(r"\([^()]*\)")
_GAP = r"[\s\[(]*+"
_END = r"[\s\])]*+"
_SHORT_INTEGER = r"(?:-(?!0))?+\d{1,18}+"
_DECIMAL = r"-?\d++\.\d*+(?:[eE][-+]?\d++)?+"
_FAST_INTEGERS = re.compile(rf"{_GAP}{_SHORT_INTEGER}{_END}(?:,{_GAP}{_SHORT_INTEGER}{_END})*+", re.ASCII)
_FAST_FLOATS = re.compile(rf"{_GAP}{_DECIMAL}{_END}(?:,{_GAP}{_DECIMAL}{_END})*+", re.ASCII)
_HEX_BITS = 4  # of a hexadecimal digit
_MISSING_ELEMENT = re.compile(r"(?:,\s*|\[\s*(?=,))([\],])")
_BRACKETS = str.maketrans("", "", "[]() \t\r\n")


def _unsigned(state: ParserState, offset: int, text: str) -> str:
    """Return a number without its plus sign, which upstream's parser rejects."""
    if not _PLUS.match(text):
        return text
    state.misspelled(offset, text, text[1:])
    return text[1:]


def _with_point(state: ParserState, offset: int, text: str) -> str:
    """Return a decimal float with a point and without a plus sign, as upstream's parser requires."""
    match = _POINTLESS.fullmatch(text)
    if match is None:
        return _unsigned(state, offset, text)
    plain = f"{match[1] or ''}{match[2]}.0{match[3]}"
    state.misspelled(offset, text, plain)
    return plain


def integer_value(state: ParserState, offset: int, text: str, type: Type) -> int:
    """Return the value of an integer literal.

    Args:
        state: Records a spelling that upstream rejects.
        offset: The offset of the literal.
        text: The literal.
        type: An integer type, or `index`.

    Raises:
        SourceError: The text is not an integer, or out of range for the type, as -0 is in MLIR.
    """
    text = _unsigned(state, offset, text)
    if not _INTEGER.fullmatch(text):
        message = (
            "expected integer elements, but parsed floating-point"
            if _FLOAT.fullmatch(text)
            else _no_number(text)
        )
        raise SourceError(offset, message)
    width, signedness = (type.width, type.signedness) if isinstance(type, T.IntegerType) else (64, "")
    if text[0] == "-" and signedness == "u":
        raise SourceError(offset, "expected unsigned integer elements, but parsed negative value")
    digits = text.lstrip("-0x") or "0"
    if len(digits) > width:
        raise SourceError(offset, "integer constant out of range for type")
    value = int(text, 16) if "x" in text else int(text)
    low, high = -(1 << (width - 1)), (1 << width) - 1
    if signedness == "s":
        high = (1 << (width - 1)) - 1
    if not low <= value <= high or (value == 0 and text[0] == "-"):
        raise SourceError(offset, "integer constant out of range for type")
    if width == 1:
        return value & 1
    return value - (1 << width) if signedness == "" and value >> (width - 1) > 0 else value


def float_value(state: ParserState, offset: int, text: str, type: Type | None) -> tuple[float, int | None]:
    """Return the value of a floating-point literal, rounded to a type.

    Args:
        state: Records a spelling that upstream rejects.
        offset: The offset of the literal.
        text: A decimal literal, or a bit pattern in hexadecimal.
        type: The floating-point type; None for f64.

    Returns:
        The value, and the bit pattern of a NaN.

    Raises:
        SourceError: The text is not such a literal, or out of range for the type.
    """
    text = _with_point(state, offset, text)
    row = None if type is None else ELEMENT_TYPES[type]
    dtype = numpy_dtype(row.type) if row is not None and row.numpy else np.dtype(np.float64)
    if _FLOAT.fullmatch(text):
        with np.errstate(all="ignore"):
            return float(np.float64(text).astype(dtype)), None
    if not _INTEGER.fullmatch(text):
        raise SourceError(offset, _no_number(text))
    width = 64 if row is None else row.width
    bits = int(text, 16)
    if text[0] == "-" or bits >> width:
        raise SourceError(offset, "hexadecimal float constant out of range for type")
    digits = -(-width // _HEX_BITS)
    if len(text) - len("0x") < digits:
        state.short_float(offset, text, digits)
    value = float(np.array(bits, f"u{dtype.itemsize}").view(dtype))
    return value, bits if math.isnan(value) else None


def _no_number(text: str) -> str:
    return f"expected element literal of primitive type, found '{text[:40]}'"


def dense_elements(context: ReadContext, token: int, type: Type, type_offset: int) -> Attribute:
    """Read a TENSOR_LITERAL such as `dense<[1, 2]>`.

    Args:
        context: The tokens being read.
        token: The literal's token.
        type: The constant's type.
        type_offset: The offset of the type.

    Raises:
        SourceError: The literal is malformed, or does not fit the type.
    """
    text = context.tokens.texts[token]
    kind = text[: text.index("<")]
    if kind == "dense_resource":
        return DenseResourceAttr(text[len(kind) + 1 : -1].strip().strip('"'), type)
    if kind == "sparse" or not isinstance(type, TensorType):
        minus_zero = MINUS_ZERO.search(text)
        if minus_zero:
            place = context.start(token) + minus_zero.start()
            raise SourceError(place, "integer constant out of range for type")
        return _uninterpreted(text, type, type_offset)
    if not type.is_static:
        raise context.error(token, "elements literal type must have static shape")
    start = len(kind) + 1
    raw = _hexadecimal(text, start)
    if raw is None and _QUOTE.match(text, start):
        return OpaqueAttr(text, type)
    body = text[start:-1] if raw is None else ""
    offset = context.start(token) + start
    data = DenseLiteral(context.parser_state, body, offset, context.tokens.start(token + 1), type).data(raw)
    data.flags.writeable = False
    return DenseElementsAttr(type, data)


def _uninterpreted(text: str, type: Type, offset: int) -> Attribute:
    if not isinstance(type, TensorType | T.MemRefType | T.OpaqueType):
        raise SourceError(offset, "elements literal must be a shaped type")
    return OpaqueAttr(text, type)


def _hexadecimal(text: str, start: int) -> bytearray | None:
    """Return the bytes of the string of hexadecimal digits in a literal; none for an odd number of them.

    Long literals are not copied as a whole.
    """
    end = len(text) - 1
    opening, last = _HEX_OPENING.match(text, start), text.rfind('"', start)
    if opening is None or last < opening.end() or text[last + 1 : end].strip():
        return None
    first = opening.end()
    raw = bytearray((last - first) // 2)
    try:
        for at in range(first, last, _CHUNK):
            part = a2b_hex(text[at : min(at + _CHUNK, last)])
            raw[(at - first) // 2 : (at - first) // 2 + len(part)] = part
    except ValueError:
        return bytearray() if _HEX_STRING.fullmatch(text, start, end) else None
    return raw


class DenseLiteral:
    """The body of `dense<...>`.

    Args:
        state: Records spellings that upstream rejects.
        body: The text between the angle brackets.
        offset: The offset of the body.
        end: The offset after the literal.
        type: The constant's type.
    """

    def __init__(self, state: ParserState, body: str, offset: int, end: int, type: TensorType) -> None:
        self.state = state
        self.body = body
        self.offset = offset
        self.end = end
        self.type = type
        element = type.element_type
        self.element = element.storage_type if isinstance(element, T.QuantizedType) else element
        self.is_complex = isinstance(self.element, T.ComplexType)
        try:
            self.dtype = numpy_dtype(self.element)
        except TypeError as error:
            raise SourceError(end, f"a constant cannot have elements of type {element}") from error

    def data(self, raw: bytearray | None) -> Array:
        """Return the elements in row-major order, or one element for a splat.

        Args:
            raw: The bytes of the elements, if the body is a string of hexadecimal digits.

        Raises:
            SourceError: The literal is malformed, or does not fit the type.
        """
        count = math.prod(int(size) for size in self.type.shape if size is not None)
        if raw is not None:
            return self._from_bytes(raw, count)
        if not self.body.strip():
            if count:
                raise SourceError(
                    self.end, f"parsed zero elements, but type ({self.type}) expected at least 1"
                )
            return np.empty(0, self.dtype)
        shape = self._shape()
        if shape is not None and shape != self.type.shape:
            message = f"inferred shape of elements literal ({list(shape)}) does not match type"
            raise SourceError(self.end, f"{message} ({list(self.type.shape)})")
        return detect_splat(self._numbers())

    def _shape(self) -> tuple[int, ...] | None:
        """Return the shape of the list; None for a single element."""
        if "[" in self.body:
            missing = _MISSING_ELEMENT.search(self.body)
            if missing:
                is_trailing = missing[1] == "]" and missing[0].lstrip().startswith(",")
                message = (
                    "trailing comma in a list of elements; remove it"
                    if is_trailing
                    else f"expected an element, found '{missing[1]}'"
                )
                raise SourceError(self.offset + missing.start(1), message)
            return list_shape(self.body, self.offset)
        if "]" in self.body or "," in _GROUP.sub("", self.body) or not _ITEM.search(self.body):
            raise SourceError(self.offset, "unbalanced brackets in list")
        return None

    def _from_bytes(self, raw: bytearray, count: int) -> Array:
        width = self.dtype.itemsize
        as_bytes = np.frombuffer(raw, np.uint8)
        if (
            self.element is T.I1 and 1 < len(raw) == (count + 7) // 8 < count
        ):  # packed bits, written by earlier releases
            return detect_splat(np.unpackbits(as_bytes, bitorder="little", count=count).view(np.bool_))
        if len(raw) not in (width, width * count):
            raise SourceError(self.end, f"elements hex data size is invalid for provided type: '{self.type}'")
        if self.element is T.I1:
            return detect_splat(as_bytes != 0)
        if width == 1:
            return detect_splat((as_bytes & ((1 << bit_width(self.element)) - 1)).view(self.dtype))
        return detect_splat(np.frombuffer(raw, self.dtype.newbyteorder("<")).astype(self.dtype, copy=False))

    def _numbers(self) -> Array:
        """Return the numbers of a list or scalar, in order."""
        if not self.is_complex and "(" in self.body:
            raise SourceError(self.offset + self.body.index("("), _no_number("("))
        if isinstance(self.element, T.IntegerType | T.IndexType):
            return self._integers()
        if not self.is_complex:
            return self._floats(self.element, self.dtype)
        if _PAIR.sub("", self.body).strip(" \t\r\n[],"):
            raise SourceError(
                self.offset, f"parsed 1 elements, but type ('{self.element}') expected 2 elements"
            )
        part: Any = self.element.element_type
        return self._floats(part, numpy_dtype(part)).view(self.dtype)

    def _integers(self) -> Array:
        if self.element is not T.I1 and _FAST_INTEGERS.fullmatch(self.body):
            wide = np.fromstring(self.body.translate(_BRACKETS), np.int64, sep=",")
            low, high = value_range(self.element)
            if low <= wide.min() and wide.max() <= high:
                return wide.astype(self.dtype)
        values = [self._integer(match) for match in self._items()]
        wider = np.uint64 if self.dtype == np.uint64 else np.int64
        return np.array(values, wider).astype(self.dtype)

    def _items(self) -> list[re.Match[str]]:
        """Return the numbers and words between the brackets and commas."""
        items = list(_ITEM.finditer(self.body))
        if items and len(items) != self.body.count(",") + 1:
            raise SourceError(self.offset, "expected ',' between the elements of a list")
        return items

    def _integer(self, match: re.Match[str]) -> int:
        if match[0] in ("true", "false"):
            if self.element is not T.I1:
                raise SourceError(
                    self.offset + match.start(), "expected i1 type for 'true' or 'false' values"
                )
            return int(match[0] == "true")
        return integer_value(self.state, self.offset + match.start(), match[0], self.element)

    def _floats(self, element: Type, dtype: np.dtype[Any]) -> Array:
        with np.errstate(all="ignore"):
            if _FAST_FLOATS.fullmatch(self.body):
                return np.fromstring(self.body.translate(_BRACKETS), np.float64, sep=",").astype(dtype)
            values = [self._float(match, element) for match in self._items()]
            data = np.array([value for value, _ in values], np.float64).astype(dtype)
        for index, (_, bits) in enumerate(values):
            if bits is not None:
                data.view(f"u{dtype.itemsize}")[index] = bits
        return data

    def _float(self, match: re.Match[str], element: Type) -> tuple[float, int | None]:
        if match[0] in ("true", "false"):
            raise SourceError(self.offset + match.start(), "expected i1 type for 'true' or 'false' values")
        return float_value(self.state, self.offset + match.start(), match[0], element)


def detect_splat(data: Array) -> Array:
    """Return one element if all are equal bit for bit, as MLIR stores a splat; else the data."""
    if data.size < 2 or data[:1].tobytes() != data[-1:].tobytes():
        return data
    raw = data.view(np.dtype((np.void, data.itemsize)))
    return data[:1].copy() if data.tobytes() == data[:1].tobytes() * data.size and len(raw) else data
