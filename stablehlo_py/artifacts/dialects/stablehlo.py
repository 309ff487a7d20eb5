"""The StableHLO, CHLO and MHLO dialects: structures, enumerations and types."""

from __future__ import annotations

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects.rows import Row, constant, enum, row, struct
from stablehlo_py.ir.attributes import ArrayAttr
from stablehlo_py.ir.types import TOKEN, FutureType, OpaqueType

_MAYBE_ATTR = F.optional(F.ATTR, F.BOOL)
_AXES = F.wrapped(F.ATTRS, ArrayAttr, lambda axes: axes.value)
_MESH = F.mesh_reference(F.ATTR, "stablehlo.mesh")

ATTRIBUTES: tuple[Row, ...] = (
    struct(1, "stablehlo.channel_handle"),
    enum(2, "stablehlo.comparison_direction"),
    enum(3, "stablehlo.comparison_type"),
    struct(4, "stablehlo.conv"),
    struct(5, "stablehlo.dot"),
    enum(6, "stablehlo.fft_type"),
    struct(7, "stablehlo.gather", older=("operand_batching_dims", "start_indices_batching_dims")),
    enum(8, "stablehlo.precision"),
    enum(9, "stablehlo.rng_algorithm"),
    enum(10, "stablehlo.rng_distribution", first=1),
    struct(11, "stablehlo.scatter", older=("input_batching_dims", "scatter_indices_batching_dims")),
    enum(12, "stablehlo.transpose"),
    struct(13, "stablehlo.bounds"),
    struct(14, "stablehlo.output_operand_alias"),
    struct(15, "stablehlo.dot_algorithm"),
    enum(16, "stablehlo.result_accuracy_mode"),
    struct(17, "stablehlo.result_accuracy"),
    struct(18, "stablehlo.replica_group_mesh_axes", mesh=_MESH, axes=_AXES),
    struct(19, "stablehlo.sub_axis_info"),
    struct(20, "stablehlo.axis_ref", sub_axis_info=_MAYBE_ATTR),
    struct(21, "stablehlo.mesh_axis"),
    struct(
        22,
        "stablehlo.mesh",
        axes=F.wrapped(F.ATTR, lambda axes: getattr(axes, "value", axes), ArrayAttr),
        device_ids=_MAYBE_ATTR,
    ),
)
TYPES: tuple[Row, ...] = (constant(0, TOKEN), row(1, FutureType, types=F.TYPES))

CHLO_ATTRIBUTES: tuple[Row, ...] = (
    enum(0, "chlo.comparison_direction"),
    enum(1, "chlo.comparison_type"),
)
MHLO_TYPES: tuple[Row, ...] = (constant(0, OpaqueType("!mhlo.token")),)
