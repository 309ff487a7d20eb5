"""The quant dialect: quantized element types."""

from __future__ import annotations

from typing import Any

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects.rows import Row, row
from stablehlo_py.ir.types import IntegerType, QuantizedType, Type

_SIGNED = 1


def _quantized(flags: int, storage: Type, scale: Any = None, zero_point: Any = None, **fields: Any) -> Type:
    """Return a quantized type; the signedness of its storage is a flag, not part of the storage type."""
    if isinstance(storage, IntegerType):
        storage = IntegerType(storage.width, "" if flags & _SIGNED else "u")
    scales = fields.pop("scales", (scale,))
    zero_points = fields.pop("zero_points", (zero_point,))
    return QuantizedType(storage, scales=scales, zero_points=zero_points, **fields)


def _fields(type: QuantizedType) -> dict[str, Any]:
    storage = type.storage_type
    unsigned = isinstance(storage, IntegerType) and storage.signedness == "u"
    return {
        "flags": 0 if unsigned else _SIGNED,
        "storage": IntegerType(storage.width) if isinstance(storage, IntegerType) else storage,
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


ATTRIBUTES: tuple[Row, ...] = ()
TYPES: tuple[Row, ...] = (per_tensor(4), per_axis(5))
