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
from stablehlo_py.ir.bit_patterns import pattern_of, value_of
from stablehlo_py.ir.element_types import ELEMENT_TYPES, bit_width, numpy_dtype, storage_dtype, value_range
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.lalr.lexer import LongConstant
from stablehlo_py.syntax.read.context import ParserState, ReadContext
from stablehlo_py.syntax.read.literal_shapes import list_shape
from stablehlo_py.syntax.read.strings import unescaped
from stablehlo_py.syntax.read.vectors import shaped
from stablehlo_py.syntax.write.attributes import dense_body, list_text, quoted

Array = np.ndarray[Any, np.dtype[Any]]

MINUS_ZERO = re.compile(r"(?<![\w.+-])-(?:0x)?0+(?![\w.])")  # which MLIR rejects as an integer
_INTEGER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)", re.ASCII)
_FLOAT = re.compile(r"-?\d+\.\d*(?:[eE][-+]?\d+)?", re.ASCII)
_POINTLESS = re.compile(r"(?:\+|(-))?(\d+)((?:[eE][-+]?\d+)?)", re.ASCII)
_PLUS = re.compile(r"\+\d", re.ASCII)
_HEX_OPENING = re.compile(r'\s*"0x')
_QUOTE = re.compile(r'\s*"')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NO_STRING = re.compile(r"[^0\s\[\],]+")
_SPARSE = re.compile(r"\s*(\[.*\]|-?\w+)\s*,\s*([^\s].*?)\s*", re.DOTALL)
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
_INTEGERS = (T.IntegerType, T.IndexType)  # a union would be made anew each time
_NUMBERS = (*_INTEGERS, T.FloatType, T.ComplexType, T.QuantizedType)
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
    if type is T.I1:
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
    wide = type if isinstance(type, T.FloatType) and not ELEMENT_TYPES[type].numpy else None
    dtype = np.dtype(np.float64) if row is None or wide is not None else numpy_dtype(row.type)
    if _FLOAT.fullmatch(text):
        with np.errstate(all="ignore"):
            value = float(np.float64(text).astype(dtype))
        return (value, None) if wide is None else value_of(pattern_of(value, wide), wide)
    if not _INTEGER.fullmatch(text):
        raise SourceError(offset, _no_number(text))
    width = 64 if row is None else row.width
    bits = int(text, 16)
    if text[0] == "-" or bits >> width:
        raise SourceError(offset, "hexadecimal float constant out of range for type")
    digits = -(-width // _HEX_BITS)
    if len(text) - len("0x") < digits:
        state.short_float(offset, text, digits)
    if wide is not None:
        return value_of(bits, wide)
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
    start = text.index("<") + 1
    kind = text[: start - 1].rstrip()
    if kind == "dense_resource":
        return DenseResourceAttr(text[start:-1].strip().strip('"'), type)
    tensor = shaped(type)
    if isinstance(text, LongConstant) and (tensor is None or not _is_number(tensor.element_type)):
        text = text.whole()
    if tensor is None:
        return _uninterpreted(context, token, f"{kind}<{text[start:]}", type, type_offset)
    if not tensor.is_static:
        raise context.error(token, "elements literal type must have static shape")
    offset, end = context.start(token) + start, context.tokens.start(token + 1)
    if kind == "sparse":
        return OpaqueAttr(_sparse(context.parser_state, text[start:-1], offset, end, tensor), type)
    if not _is_number(tensor.element_type):
        return OpaqueAttr(f"dense<{string_elements(text[start:-1], offset, end, tensor)}>", type)
    if isinstance(text, LongConstant):
        raw = _hexadecimal(text.text, text.start + start, text.stop)
        text = text if raw is not None else text.whole()
    else:
        raw = _hexadecimal(text, start, len(text))
    if raw is None and _QUOTE.match(text, start):
        return OpaqueAttr(f"dense<{text[start:]}", type)
    body = text[start:-1] if raw is None else ""
    data = DenseLiteral(context.parser_state, body, offset, end, tensor).data(raw)
    data.flags.writeable = False
    attribute = DenseElementsAttr(tensor, data)
    return attribute if tensor is type else OpaqueAttr(f"dense<{dense_body(attribute)}>", type)


def _is_number(element: Type) -> bool:
    return isinstance(element, _NUMBERS)


def _sparse(state: ParserState, body: str, offset: int, end: int, type: TensorType) -> str:
    """Return a sparse constant as C++ prints it; raise SourceError for an invalid one."""
    match = _SPARSE.fullmatch(body)
    if match is None:
        minus_zero = MINUS_ZERO.search(body)
        if minus_zero:
            raise SourceError(offset + minus_zero.start(), "integer constant out of range for type")
        return f"sparse<{body}>"
    count = list_shape(match[1], offset)[0] if match[1].startswith("[") else 1
    parts = []
    types = TensorType((count, type.rank), T.I64), TensorType((count,), type.element_type)
    for group, part in enumerate(types, 1):
        literal = DenseLiteral(state, match[group], offset + match.start(group), end, part)
        parts.append(dense_body(DenseElementsAttr(part, literal.data(None))))
    return f"sparse<{', '.join(parts)}>"


def string_elements(body: str, offset: int, end: int, type: TensorType) -> str:
    """Return the elements of a constant of strings as C++ prints them.

    Args:
        body: The text between the angle brackets.
        offset: The offset of the body.
        end: The offset after the literal.
        type: The constant's type.

    Raises:
        SourceError: There is something other than strings, or not as many as the type has elements.
    """
    items = [quoted(unescaped(match[1:-1], offset)) for match in _STRING.findall(body)]
    outline = _STRING.sub("0", body)
    other = _NO_STRING.search(outline)
    if other:
        raise SourceError(offset, f"expected string token, got {other[0]}")
    shape = list_shape(outline, offset) if "[" in outline else None
    if shape not in (None, type.shape) or (shape is None and len(items) != 1 and type.size):
        message = f"inferred shape of elements literal ({list(shape or ())}) does not match type"
        raise SourceError(end, f"{message} ({list(type.shape)})")
    return items[0] if len(set(items)) == 1 else list_text(items, type.shape)


def _uninterpreted(context: ReadContext, token: int, text: str, type: Type, offset: int) -> Attribute:
    if not isinstance(type, T.OpaqueType):
        raise SourceError(offset, "elements literal must be a shaped type")
    minus_zero = MINUS_ZERO.search(text)
    if minus_zero:
        place = context.start(token) + minus_zero.start()
        raise SourceError(place, "integer constant out of range for type")
    return OpaqueAttr(text, type)


def _hexadecimal(text: str, start: int, stop: int) -> bytearray | None:
    """Return the bytes of the string of hexadecimal digits in a literal; none for an odd number of them.

    Long literals are not copied as a whole.
    """
    end = stop - 1
    opening, last = _HEX_OPENING.match(text, start), text.rfind('"', start, stop)
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
            self.dtype = storage_dtype(self.element)
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
            return detect_splat(np.not_equal(as_bytes, 0, out=as_bytes.view(np.bool_)))
        if width == 1:
            mask = (1 << bit_width(self.element)) - 1
            return detect_splat(np.bitwise_and(as_bytes, mask, out=as_bytes).view(self.dtype))
        return detect_splat(np.frombuffer(raw, self.dtype.newbyteorder("<")).astype(self.dtype, copy=False))

    def _numbers(self) -> Array:
        """Return the numbers of a list or scalar, in order."""
        if not self.is_complex and "(" in self.body:
            raise SourceError(self.offset + self.body.index("("), _no_number("("))
        is_stored = self.dtype.type is np.void
        if not self.is_complex:
            if is_stored:
                return self._stored(self.element)
            if isinstance(self.element, _INTEGERS):
                return self._integers()
            return self._floats(self.element, self.dtype)
        if _PAIR.sub("", self.body).strip(" \t\r\n[],"):
            raise SourceError(
                self.offset, f"parsed 1 elements, but type ('{self.element}') expected 2 elements"
            )
        part: Any = self.element.element_type
        if is_stored:
            return self._stored(part)
        return self._floats(part, numpy_dtype(part)).view(self.dtype)

    def _integers(self) -> Array:
        if self.element is not T.I1 and _FAST_INTEGERS.fullmatch(self.body):
            wide = np.fromstring(self.body.translate(_BRACKETS), np.int64, sep=",")
            low, high = value_range(self.element)
            if low <= wide.min() and wide.max() <= high:
                return wide.astype(self.dtype)
        values = [self._integer(match, self.element) for match in self._items()]
        wider = np.uint64 if self.dtype == np.uint64 else np.int64
        return np.array(values, wider).astype(self.dtype)

    def _stored(self, part: Type) -> Array:
        """Return numbers of a type that NumPy does not have, as raw bytes."""
        size = -(-bit_width(part) // 8)
        found = [self._pattern(match, part).to_bytes(size, "little") for match in self._items()]
        return np.frombuffer(b"".join(found), self.dtype)

    def _pattern(self, match: re.Match[str], part: Type) -> int:
        """Return the bit pattern of a number."""
        if not isinstance(part, T.FloatType):
            return self._integer(match, part) % (1 << bit_width(part))
        value, bits = self._float(match, part)
        if bits is not None:
            return bits
        if not ELEMENT_TYPES[part].numpy:
            return pattern_of(value, part)
        data = np.array(value, np.float64).astype(numpy_dtype(part))
        return int(data.view(f"u{data.itemsize}"))

    def _items(self) -> list[re.Match[str]]:
        """Return the numbers and words between the brackets and commas."""
        items = list(_ITEM.finditer(self.body))
        if items and len(items) != self.body.count(",") + 1:
            raise SourceError(self.offset, "expected ',' between the elements of a list")
        return items

    def _integer(self, match: re.Match[str], element: Type) -> int:
        if match[0] in ("true", "false"):
            if not isinstance(element, T.IntegerType) or element.width > 1:
                raise SourceError(
                    self.offset + match.start(), "expected i1 type for 'true' or 'false' values"
                )
            return (-1 if element.signedness == "s" else 1) if match[0] == "true" else 0
        return integer_value(self.state, self.offset + match.start(), match[0], element)

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
    first = data[:1].tobytes()
    if data.size < 2 or first != data[-1:].tobytes():
        return data
    step = max(_CHUNK // data.itemsize, 1)
    expected = first * min(step, data.size)
    for at in range(0, data.size, step):
        piece = data[at : at + step].tobytes()
        if piece != expected[: len(piece)]:
            return data
    return data[:1].copy()
