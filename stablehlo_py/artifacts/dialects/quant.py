"""The quant dialect: quantized element types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects.rows import Fields, NoEncoding, Row, row
from stablehlo_py.artifacts.dialects.spelled import spelled
from stablehlo_py.artifacts.dialects.texts import type_of
from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr
from stablehlo_py.ir.element_types import numpy_dtype, value_range
from stablehlo_py.ir.types import IntegerType, OpaqueType, QuantizedType, TensorType, Type
from stablehlo_py.syntax.write.floats import scale_text
from stablehlo_py.syntax.write.types import storage_text

_SIGNED = 1
_MOST_BLOCKS = 1 << 16  # of a quantized type, which may come from a splat


def _signed(flags: int, storage: Type) -> Type:
    if isinstance(storage, IntegerType) and storage.signedness != "s":
        return IntegerType(storage.width, "" if flags & _SIGNED else "u")
    return storage


def _quantized(flags: int, storage: Type, scale: Any = None, zero_point: Any = None, **fields: Any) -> Type:
    """Return a quantized type; its storage type is signless with a flag, or has a sign by itself."""
    scales = fields.pop("scales", (scale,))
    zero_points = fields.pop("zero_points", (zero_point,))
    made = _signed(flags, storage)
    return QuantizedType(
        made, scales=scales, zero_points=zero_points, has_unsigned_storage=_is_unsigned(storage), **fields
    )


def _is_unsigned(type: Type) -> bool:
    return isinstance(type, IntegerType) and type.signedness == "u"


def _storage_fields(storage: Type, has_sign: bool) -> dict[str, Any]:
    signless = IntegerType(storage.width) if isinstance(storage, IntegerType) else storage
    flags = 0 if _is_unsigned(storage) else _SIGNED
    stays = has_sign or (isinstance(storage, IntegerType) and storage.signedness == "s")
    return {"flags": flags, "storage": storage if stays else signless}


def _fields(type: QuantizedType) -> dict[str, Any]:
    return {
        **_storage_fields(type.storage_type, type.has_unsigned_storage),
        "scale": type.scales[0],
        "zero_point": type.zero_points[0],
        **{name: getattr(type, name) for name in QuantizedType.__dataclass_fields__},
    }


def per_tensor(code: int, **options: Any) -> Row:
    """Return the row of types with one scale and zero point."""
    return row(
        code,
        QuantizedType,
        flags=F.VARINT,
        storage=F.TYPE,
        expressed_type=F.TYPE,
        scale=F.DOUBLE,
        zero_point=F.SIGNED,
        storage_min=F.SIGNED,
        storage_max=F.SIGNED,
        make=_quantized,
        split=_fields,
        fits=lambda type: type.dimension is None and type.block_sizes is None,
        **options,
    )


def per_axis(code: int, **options: Any) -> Row:
    """Return the row of types with a scale and a zero point for each slice of a dimension."""
    return row(
        code,
        QuantizedType,
        flags=F.VARINT,
        storage=F.TYPE,
        expressed_type=F.TYPE,
        dimension=F.VARINT,
        storage_min=F.SIGNED,
        storage_max=F.SIGNED,
        scales=F.listed(F.DOUBLE),
        zero_points=F.DIMS,
        make=_quantized,
        split=_fields,
        fits=lambda type: type.dimension is not None,
        **options,
    )


def _blocks(
    dims: tuple[int, ...], sizes: tuple[int, ...], scales: Any, zero_points: Any, **fields: Any
) -> Type:
    """Return a type with a scale and a zero point for each block of the dimensions."""
    if len(dims) != len(sizes):
        raise ValueError(f"{len(dims)} quantized dimensions with {len(sizes)} block sizes")
    numbers = _numbers(zero_points)
    if isinstance(fields["storage"], IntegerType) and not fields["flags"] & _SIGNED:
        numbers = [number % (1 << fields["storage"].width) for number in numbers]
    return _quantized(
        scales=tuple(_numbers(scales)),
        zero_points=tuple(numbers),
        block_sizes=tuple(zip(dims, sizes, strict=True)),
        scales_shape=scales.type.shape,
        **fields,
    )


def _numbers(attribute: Attribute) -> list[Any]:
    if not isinstance(attribute, DenseElementsAttr) or (attribute.type.size or 0) > _MOST_BLOCKS:
        raise ValueError(f"expected a constant of at most {_MOST_BLOCKS} scales or zero points")
    found: list[Any] = attribute.value.ravel().tolist()
    return found


def _block_fields(type: QuantizedType) -> dict[str, Any]:
    shape, found = type.scales_shape or (), _fields(type)
    dims, sizes = zip(*type.block_sizes, strict=True) if type.block_sizes else ((), ())
    return found | {
        "dims": dims,
        "sizes": sizes,
        "scales": _constant(type, type.scales, TensorType(shape, type.expressed_type)),
        "zero_points": _constant(type, type.zero_points, TensorType(shape, found["storage"])),
    }


def _constant(owner: QuantizedType, numbers: Sequence[float], type: TensorType) -> DenseElementsAttr:
    try:
        data = np.array(numbers).astype(numpy_dtype(type.element_type))
    except TypeError:  # such as of i5, which has no constants here
        raise NoEncoding(f"{owner} has no binary form: constants cannot be of {type.element_type}") from None
    data.flags.writeable = False
    return DenseElementsAttr(type, data)


# Types without scales, which the IR keeps as text -----------------------------------------------------


def _any(
    flags: int, storage: Type, storage_min: int, storage_max: int, expressed: Type | None = None
) -> OpaqueType:
    text = storage_text(_signed(flags, storage), _is_unsigned(storage), storage_min, storage_max)
    return OpaqueType(f"!quant.any<{text}{'' if expressed is None else f':{expressed}'}>")


def _any_fields(match: re.Match[str], _: Any) -> Mapping[str, Any]:
    storage, least, most, expressed = match.groups()
    type = IntegerType(int(storage.lstrip("ui")), "u") if storage[0] == "u" else type_of(storage)
    bounds = value_range(type) if least is None else (int(least), int(most))
    found = dict(zip(("storage_min", "storage_max"), map(int, bounds), strict=True))
    rest = {"expressed": type_of(expressed)} if expressed else {}
    return {**_storage_fields(type, storage.startswith("ui")), **found, **rest}


def _calibrated(expressed: Type, least: float, most: float) -> OpaqueType:
    return OpaqueType(f"!quant.calibrated<{expressed}<{scale_text(least)}:{scale_text(most)}>>")


def _calibrated_fields(match: re.Match[str], _: Any) -> Mapping[str, Any]:
    return {"expressed": type_of(match[1]), "least": float(match[2]), "most": float(match[3])}


_STORAGE = r"(ui?\d+|\w+)(?:<\s*(-?\d+)\s*:\s*(-?\d+)\s*>)?"
_BOUNDS: Fields = {"storage_min": F.SIGNED, "storage_max": F.SIGNED}
_ANY: Fields = {"flags": F.VARINT, "storage": F.TYPE}

ATTRIBUTES: tuple[Row, ...] = ()
TYPES: tuple[Row, ...] = (
    spelled(1, OpaqueType, rf"!quant\.any<\s*{_STORAGE}()?\s*>", {**_ANY, **_BOUNDS}, _any, _any_fields),
    spelled(
        2,
        OpaqueType,
        rf"!quant\.any<\s*{_STORAGE}\s*:\s*(\w+)\s*>",
        {**_ANY, "expressed": F.TYPE, **_BOUNDS},
        _any,
        _any_fields,
    ),
    spelled(
        3,
        OpaqueType,
        r"!quant\.calibrated<\s*(\w+)\s*<\s*([^:<>]+)\s*:\s*([^:<>]+)\s*>\s*>",
        {"expressed": F.TYPE, "least": F.DOUBLE, "most": F.DOUBLE},
        _calibrated,
        _calibrated_fields,
    ),
    per_tensor(4),
    per_axis(5),
    row(
        6,
        QuantizedType,
        flags=F.VARINT,
        storage=F.TYPE,
        expressed_type=F.TYPE,
        **_BOUNDS,
        dims=F.DIMS,
        sizes=F.DIMS,
        scales=F.ATTR,
        zero_points=F.ATTR,
        make=_blocks,
        split=_block_fields,
        fits=lambda type: type.block_sizes is not None,
    ),
)
