"""The builtin dialect: common attributes, locations and types."""

from __future__ import annotations

from typing import Any

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects import spelled
from stablehlo_py.artifacts.dialects.blobs import ARRAY, DENSE
from stablehlo_py.artifacts.dialects.rows import Row, constant, row
from stablehlo_py.ir import attributes as A
from stablehlo_py.ir import locations as L
from stablehlo_py.ir import types as T
from stablehlo_py.ir.element_types import ELEMENT_TYPES


def _number(type: T.Type, value: int) -> A.Attribute:
    return A.BoolAttr(bool(value)) if type is T.I1 else A.IntegerAttr(value, type)


def _number_fields(attribute: Any) -> dict[str, Any]:
    if isinstance(attribute, A.BoolAttr):
        return {"type": T.I1, "value": int(attribute.value)}
    return {"type": attribute.type, "value": attribute.value}


def _range(file: str, numbers: tuple[int, ...]) -> L.FileLoc:
    """Return a range of lines and columns; the count of numbers determines which are omitted."""
    start_line, start_column, *end = (*numbers, 0, 0)[: max(2, len(numbers))]
    match end:
        case []:
            return L.FileLoc(file, start_line, start_column)
        case [column]:
            return L.FileLoc(file, start_line, start_column, start_line, column)
        case [line, column]:
            return L.FileLoc(file, start_line, start_column, line, column)
    raise ValueError(f"expected at most {MAX_NUMBERS} numbers for a range of a file, found {len(numbers)}")


def _range_fields(location: L.FileLoc) -> dict[str, Any]:
    end_line = location.end_line or location.line
    start, column = (location.line, location.column), location.end_column or location.column
    numbers = (*start, column) if end_line == location.line else (*start, end_line, column)
    return {"file": location.file, "numbers": numbers}


def _has_range(location: L.FileLoc) -> bool:
    end = (location.end_line or location.line, location.end_column or location.column)
    return end != (location.line, location.column)


def integer_row(code: int, **options: Any) -> Row:
    """Return the row of integers, and of booleans (type i1)."""
    return row(
        code, A.IntegerAttr, type=F.TYPE, value=F.INTEGER, make=_number, split=_number_fields, **options
    )


def float_row(code: int, **options: Any) -> Row:
    """Return the row of floating-point numbers, as bit patterns."""
    return row(code, A.FloatAttr, type=F.TYPE, bits=F.FLOAT_BITS, make=_float, split=_float_fields, **options)


def _float(type: T.Type, bits: int) -> A.FloatAttr:
    assert isinstance(type, T.FloatType)
    value, pattern = F.float_of_bits(bits, type)
    return A.FloatAttr(value, type, pattern)


def _float_fields(attribute: A.FloatAttr) -> dict[str, Any]:
    assert isinstance(attribute.type, T.FloatType)
    bits = attribute.bits if attribute.bits is not None else F.bits_of_float(attribute.value, attribute.type)
    return {"type": attribute.type, "bits": bits}


MAX_NUMBERS = 4  # of a range in a file
NUMBERS = F.listed(F.VARINT)

ATTRIBUTES: tuple[Row, ...] = (
    row(0, A.ArrayAttr, value=F.ATTRS),
    row(1, A.DictAttr, items=F.ITEMS),
    row(2, A.StringAttr, value=F.STRING, fits=lambda a: a.type is None),
    row(3, A.StringAttr, value=F.STRING, type=F.TYPE),
    row(4, A.SymbolRefAttr, root=F.NAME, fits=lambda a: not a.nested),
    row(5, A.SymbolRefAttr, root=F.NAME, nested=F.listed(F.SYMBOL)),
    row(6, A.TypeAttr, value=F.TYPE),
    row(7, A.UnitAttr),
    integer_row(8),
    float_row(9),
    row(10, L.CallSiteLoc, callee=F.LOCATION, caller=F.LOCATION),
    row(11, L.FileLoc, file=F.NAME, line=F.VARINT, column=F.VARINT, fits=lambda loc: not _has_range(loc)),
    row(12, L.FusedLoc, locations=F.listed(F.LOCATION), fits=lambda loc: loc.metadata is None),
    row(13, L.FusedLoc, locations=F.listed(F.LOCATION), metadata=F.ATTR),
    row(14, L.NameLoc, name=F.NAME, child=F.LOCATION),
    row(15, L.UnknownLoc),
    row(16, A.DenseResourceAttr, type=F.TYPE, key=F.RESOURCE),
    row(17, A.DenseArrayAttr, element_type=F.TYPE, value=ARRAY),
    *spelled.ATTRIBUTES,
    row(18, A.DenseElementsAttr, type=F.TYPE, data=DENSE, make=spelled.dense),
    row(22, L.FileLoc, file=F.NAME, numbers=NUMBERS, make=_range, split=_range_fields),
)

MAX_WIDTH = (1 << 24) - 1
_SIGNS = ("", "s", "u")


def _integer_type(value: int) -> T.IntegerType:
    width, sign = value >> 2, value & 3
    if not 0 < width <= MAX_WIDTH or sign >= len(_SIGNS):
        raise ValueError(f"an integer type of {width} bits, with signedness {sign}")
    return T.IntegerType(width, _SIGNS[sign])


def _integer_fields(type: T.IntegerType) -> dict[str, Any]:
    return {"value": type.width << 2 | _SIGNS.index(type.signedness)}


def _identity(rank: int) -> A.OpaqueAttr:
    """Return the default layout of a buffer."""
    names = ", ".join([f"d{n}" for n in range(rank)])
    return A.OpaqueAttr(f"affine_map<({names}) -> ({names})>")


def _buffer(shape: T.Shape, element_type: T.Type, layout: Any, space: Any = None) -> T.MemRefType:
    rest = [] if layout == _identity(len(shape)) else [layout]
    return T.MemRefType(shape, element_type, (*rest, *([] if space is None else [space])))


def _buffer_fields(type: T.MemRefType) -> dict[str, Any]:
    layouts = [a for a in type.rest if isinstance(a, A.OpaqueAttr) and a.text.startswith(_LAYOUTS)]
    spaces = [a for a in type.rest if a not in layouts][:1]
    layout = layouts[0] if layouts else _identity(len(type.shape))
    found = {"shape": type.shape, "element_type": type.element_type, "layout": layout}
    return found | dict(zip(("space",), spaces, strict=False))


_LAYOUTS = ("affine_map<", "strided<")


TYPES: tuple[Row, ...] = (
    row(0, T.IntegerType, value=F.VARINT, make=_integer_type, split=_integer_fields),
    constant(1, T.INDEX),
    row(2, T.FunctionType, inputs=F.TYPES, results=F.TYPES),
    *(
        constant(code, type)
        for type, each in ELEMENT_TYPES.items()
        if (code := each.codes.builtin) is not None
    ),
    row(9, T.ComplexType, element_type=F.TYPE),
    row(
        10,
        T.MemRefType,
        shape=F.SIZES,
        element_type=F.TYPE,
        layout=F.ATTR,
        make=_buffer,
        split=_buffer_fields,
        fits=lambda type: "space" not in _buffer_fields(type),
    ),
    row(
        11,
        T.MemRefType,
        space=F.ATTR,
        shape=F.SIZES,
        element_type=F.TYPE,
        layout=F.ATTR,
        make=_buffer,
        split=_buffer_fields,
    ),
    constant(12, T.NoneType()),
    row(13, T.TensorType, shape=F.SIZES, element_type=F.TYPE, fits=lambda type: type.encoding is None),
    row(14, T.TensorType, encoding=F.ATTR, shape=F.SIZES, element_type=F.TYPE),
    row(15, T.TupleType, types=F.TYPES),
    row(18, T.UnrankedTensorType, element_type=F.TYPE),
    *spelled.TYPES,
)
