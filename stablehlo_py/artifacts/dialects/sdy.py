"""The Shardy dialect: meshes and shardings."""

from __future__ import annotations

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects.rows import Row, struct

_MESH = F.mesh_reference(F.ATTR, "sdy.mesh")

ATTRIBUTES: tuple[Row, ...] = (
    struct(0, "sdy.manual_axes"),
    struct(1, "sdy.mesh_axis"),
    struct(2, "sdy.mesh"),
    struct(3, "sdy.sub_axis_info"),
    struct(4, "sdy.axis_ref", sub_axis_info=F.OPTIONAL_ATTR),
    struct(5, "sdy.dimension_sharding", priority=F.OPTIONAL_NUMBER),
    struct(6, "sdy.sharding", without=("unreduced_axes", "reduction_op"), mesh_or_ref=_MESH),
    struct(7, "sdy.sharding_per_value"),
    struct(11, "sdy.axis_ref_list"),
    struct(12, "sdy.list_of_axis_ref_lists"),
    struct(13, "sdy.all_to_all_param"),
    struct(14, "sdy.all_to_all_param_list"),
    struct(15, "sdy.sharding", without=("reduction_op",), mesh_or_ref=_MESH),
    struct(16, "sdy.sharding_per_value"),
)
TYPES: tuple[Row, ...] = ()
