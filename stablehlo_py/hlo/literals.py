"""Literals: the values of constants, from and to HLO text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.hlo.lexer import Cursor
from stablehlo_py.ir.element_types import FloatFormat, value_range
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, Type
from stablehlo_py.layout.elements import XLA_TYPES, element_name
from stablehlo_py.layout.shape import Shape
from stablehlo_py.syntax.errors import SourceError

_MOST_ZEROS = 1 << 24  # elements that a text does not state
ELIDED = 10  # a literal of more elements is printed as {...}
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """The value of a constant.

    Attributes:
        shape: Its shape.
        array: The elements; None if the text has `{...}` for them, and for a tuple.
        parts: The elements of a tuple.
    """

    shape: Shape
    array: Array | None = None
    parts: tuple[Literal, ...] = ()

    @property
    def is_elided(self) -> bool:
        """Test whether the text has `{...}` instead of the elements."""
        return any(part.is_elided for part in self.parts) if self.shape.is_tuple else self.array is None


# -------------------------------------------------------------------------------------------- reading

_NUMBER = r"-?\d++(?:\.\d*+)?+(?:[eE][+\-]?\d++)?+"
_ROW = re.compile(
    rf"(?:{_NUMBER}[\s,]++)*+{_NUMBER}(?=[\s,]*+\}})", re.ASCII
)  # plain numbers up to the brace
_WORD = re.compile(r"[^\s,]++")


def read_literal(cursor: Cursor, shape: Shape) -> Literal:
    """Read a literal of a shape."""
    if shape.is_tuple:
        return _read_tuple(cursor, shape)
    if not shape.is_array:
        cursor.fail(f"no literal: there is none of shape {shape}")
    if None in shape.dimensions:
        cursor.fail(f"no literal: {shape} has an unbounded dimension")
    start, sizes = cursor.at, shape.sizes
    found = _scan(cursor, sizes)
    if found is None:
        return Literal(shape)
    try:
        array = _array(found, shape.element_type)
        if sizes and len(found) < shape.size:  # a number alone is the first element, and others are 0
            if shape.size > _MOST_ZEROS:
                raise SourceError(
                    start, f"one number is too few for {shape}, which has more than {_MOST_ZEROS} elements"
                )
            array = np.concatenate([array, np.zeros(shape.size - 1, array.dtype)])
        array = array.reshape(sizes)
    except MemoryError:
        raise SourceError(start, f"the literal of shape {shape} does not fit into memory") from None
    return Literal(shape, array)


def _read_tuple(cursor: Cursor, shape: Shape) -> Literal:
    parts = []
    cursor.expect("(", "'(' before the elements of a tuple")
    for number, inner in enumerate(shape.tuple_shapes):
        if number:
            cursor.expect(",")
        parts.append(read_literal(cursor, inner))
    cursor.expect(")", "')' after the elements of a tuple")
    return Literal(shape, parts=tuple(parts))


def _scan(cursor: Cursor, sizes: tuple[int, ...]) -> list[tuple[int, str]] | None:
    """Read the elements of an array as text with their offsets; None if they are elided."""
    rank, counts, found = len(sizes), [0] * len(sizes), list[tuple[int, str]]()
    if not rank or (0 not in sizes and not cursor.is_next("{")):
        return [_element(cursor)]
    depth = 0
    while True:
        if cursor.is_next("{"):
            if depth == rank:
                cursor.fail(f"an array with {rank} dimensions, and so no further '{{'")
            if depth:
                _count(cursor, counts, depth - 1, sizes)
            counts[depth] = 0
            depth += 1
            cursor.take("{")
        elif not depth:
            cursor.fail(f"'{{' before the elements of an array with {rank} dimensions")
        elif cursor.is_next("}"):
            depth -= 1
            if counts[depth] != sizes[depth]:
                cursor.fail(f"{sizes[depth]} elements in dimension {depth} instead of {counts[depth]}")
            cursor.take("}")
            if not depth:
                return found
        elif cursor.take("..."):
            if depth > 1:
                cursor.fail("'...' in the outer braces only")
            cursor.expect("}")
            return None
        elif not cursor.take(","):
            if depth < rank:
                cursor.fail(f"'{{': the elements of an array with {rank} dimensions have {rank} braces")
            row = _ROW.match(cursor.text, cursor.at)
            words = list(_WORD.finditer(row[0])) if row else []
            if row is None or counts[-1] + len(words) > sizes[-1]:
                _count(cursor, counts, rank - 1, sizes)
                found.append(_element(cursor))
                continue
            counts[-1] += len(words)
            found += [(row.start() + word.start(), word[0]) for word in words]
            cursor.skip(row.end())


def _count(cursor: Cursor, counts: list[int], dimension: int, sizes: tuple[int, ...]) -> None:
    counts[dimension] += 1
    if counts[dimension] > sizes[dimension]:
        cursor.fail(f"{sizes[dimension]} elements in dimension {dimension}, and no more")


_ELEMENTS = ("INTEGER", "DECIMAL", "NAN", "INFINITY")


def _element(cursor: Cursor) -> tuple[int, str]:
    start = cursor.at
    if cursor.take("("):
        real = _element(cursor)[1]
        cursor.expect(",", "',' between the parts of a complex number")
        imaginary = _element(cursor)[1]
        cursor.expect(")", "')' after a complex number")
        return start, f"{real},{imaginary}"
    for name in _ELEMENTS:
        if (text := cursor.match(name)) is not None:
            return start, text
    for word in ("true", "false"):
        if cursor.take_word(word):
            return start, word
    return cursor.fail("an element of a constant: a number, true or false")


def _array(found: list[tuple[int, str]], element: Type) -> Array:
    """Convert the texts of elements to an array."""
    row = XLA_TYPES[element]
    dtype = np.dtype(bool) if row.literal == "boolean" else Shape(element).dtype
    if row.literal == "complex":
        assert isinstance(element, ComplexType)
        return _complex(found, element, dtype)
    if row.literal == "float":
        assert row.format is not None
        return _floats(found, element_name(element), row.format, dtype)
    values = [_integer(offset, text, element) for offset, text in found]
    if row.literal == "boolean":
        return np.array([value != 0 for value in values], bool)
    low, high = value_range(element)
    for (offset, text), value in zip(found, values, strict=True):
        if not low <= value <= high:
            _out_of_range(offset, text, element_name(element), low, high)
    wide = np.uint64 if high > 1 << 63 else np.int64
    return np.array(values, wide).astype(dtype)


def _out_of_range(offset: int, text: str, name: str, low: Any, high: Any) -> None:
    raise SourceError(offset, f"{text} is out of the range of {name}, which is {low} to {high}")


def _integer(offset: int, text: str, element: Type) -> int:
    if text in ("true", "false"):
        return int(text == "true")
    value = int(text) if len(text) < 22 and text.lstrip("-").isdigit() else None
    if value is None or not -(1 << 63) <= value < 1 << 64:
        raise SourceError(offset, f"expected an integer of {element_name(element)}, found {text[:40]}")
    unsigned = isinstance(element, IntegerType) and element.width == 64 and element.signedness == "u"
    return value & ((1 << 64) - 1) if unsigned else value


def _floats(found: list[tuple[int, str]], name: str, format: FloatFormat, dtype: np.dtype[Any]) -> Array:
    """Convert to a float type by way of f64; what is finite must stay so."""
    values = np.array([_double(offset, text) for offset, text in found], np.float64)
    with np.errstate(all="ignore"):
        made: Array = values.astype(dtype)
        lost = np.isfinite(values) & ~np.isfinite(made.astype(np.float64))
    if lost.any():
        offset, text = found[int(lost.argmax())]
        _out_of_range(offset, text, name, format.smallest, format.largest)
    bits = made.view(f"u{dtype.itemsize}")
    for index in np.flatnonzero(np.isnan(values)).tolist():
        bits[index] = nan_bits(found[index][0], found[index][1], name, format)
    return made


def _double(offset: int, text: str) -> float:
    if text in ("true", "false"):
        return float(text == "true")
    if "nan" in text:
        return math.nan
    if "," in text:
        raise SourceError(offset, "expected a real number, found a complex one")
    if "inf" not in text and "." not in text and "e" not in text.lower():
        text = str(_integer(offset, text, _S64))  # the integer -0 is 0
    value = float(text)
    if math.isinf(value) and "inf" not in text:
        raise SourceError(offset, f"{text[:40]} is out of the range of f64")
    return value


_S64 = IntegerType(64)


def nan_bits(offset: int, text: str, name: str, format: FloatFormat) -> int:
    """Return the bits of a NaN: `nan`, `-nan` or `nan(0x1)`."""
    mantissa = format.significand - 1
    width = format.exponent + mantissa + format.signed
    sign = int(text[0] == "-") << (width - 1)
    payload = int(text[text.index("x") + 1 : -1], 16) if "(" in text else 0
    if format.nan == "exponent":
        most = (1 << mantissa) - 1
        if "(" in text and not 0 < payload <= most:
            raise SourceError(
                offset, f"the payload of {text} is out of the range of {name}: 0x1 to {most:#x}"
            )
        exponent = ((1 << format.exponent) - 1) << mantissa
        return sign | exponent | (payload or (1 << mantissa) >> 1)
    if "(" in text:
        raise SourceError(offset, f"a NaN of {name} has no payload; write {text.partition('(')[0]}")
    if format.nan == "none":
        return 1 << (width - 1)  # -0, as XLA converts
    return 1 << (width - 1) if format.nan == "negative zero" else sign | ((1 << (width - format.signed)) - 1)


def _complex(found: list[tuple[int, str]], element: ComplexType, dtype: np.dtype[Any]) -> Array:
    for offset, text in found:
        if "," not in text and text not in ("true", "false"):
            raise SourceError(offset, f"expected a pair such as (1, 2) of {element_name(element)}")
    pairs = [(offset, *text.partition(",")[::2]) for offset, text in found]
    real_type = element.element_type
    format = XLA_TYPES[real_type].format
    assert format is not None
    part = np.dtype(np.float32 if dtype == np.complex64 else np.float64)
    made = np.empty(len(pairs), dtype)
    name = element_name(element)
    made.real = _floats([(offset, real) for offset, real, _ in pairs], name, format, part)
    made.imag = _floats([(offset, imaginary or "0") for offset, _, imaginary in pairs], name, format, part)
    made.imag[np.isnan(made.real)] = np.nan
    return made


# -------------------------------------------------------------------------------------------- printing


def literal_text(literal: Literal, large: bool = False) -> str:
    """Return the text of a literal in one line.

    Args:
        literal: The literal.
        large: Whether literals of many elements are printed in full.
    """
    if literal.shape.is_tuple:
        if not large:
            return "{...}"
        return f"( {', '.join(literal_text(part, large) for part in literal.parts)} )"
    array = literal.array
    if array is None or (array.size > ELIDED and not large):
        return "{...}"
    texts = _texts(array, literal.shape.element_type)
    return "".join(_nested(array.shape, iter(texts), array.ndim, ()))


def _texts(array: Array, element: Type) -> list[str]:
    flat = array.reshape(-1)
    if isinstance(element, ComplexType):
        real, imaginary = _texts(flat.real, element.element_type), _texts(flat.imag, element.element_type)
        return [f"({a}, {b})" for a, b in zip(real, imaginary, strict=True)]
    if isinstance(element, FloatType):
        return [number_text(value, element) for value in flat]
    if flat.dtype == bool:
        words = ("0", "1") if array.ndim else ("false", "true")
        return [words[bool(value)] for value in flat]
    return [str(int(value)) for value in flat]


@cache
def _digits(element: FloatType) -> int:
    format = XLA_TYPES[element].format
    assert format is not None
    return math.ceil(1 + format.significand * math.log10(2))


def number_text(scalar: Any, element: FloatType) -> str:
    """Return XLA's text of a float, which reads back to it."""
    value = float(scalar)
    if math.isnan(value):
        return _nan_text(scalar, element)
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if element.name in ("f32", "f64"):
        short = f"{value:.6g}" if element.name == "f32" else f"{value:.15g}"
        if (np.float32(short) if element.name == "f32" else float(short)) == value:
            return short
    return f"{value:.{_digits(element)}g}"


def _nan_text(scalar: Any, element: FloatType) -> str:
    format = XLA_TYPES[element].format
    assert format is not None
    bits = int(np.asarray(scalar).view(f"u{np.asarray(scalar).itemsize}")[()])
    mantissa = format.significand - 1
    sign = "-" if format.signed and bits >> (format.exponent + mantissa) & 1 else ""
    payload = bits & ((1 << mantissa) - 1)
    if format.nan != "exponent" or payload == (1 << mantissa) >> 1:
        return f"{sign}nan"
    return f"{sign}nan({payload:#x})"


def _nested(sizes: tuple[int, ...], texts: Iterator[str], rank: int, index: tuple[int, ...]) -> Iterator[str]:
    """Yield the parts of the text of an array."""
    if not sizes:
        yield next(texts)
        return
    size, *inner = sizes
    blank = " " if rank > 1 and (inner or size > 1) else ""
    note = f" /*i{len(index) - 1}={index[-1]}*/" if rank > 3 and index and inner else ""
    yield f"{{{note}{blank if size or not note else ''}"
    for number in range(size):
        yield from _nested(tuple(inner), texts, rank, (*index, number))
        yield ", " if number < size - 1 else ""
    yield f"{blank}}}"
