"""The VHLO dialect: versioned encodings of StableHLO's attributes and types, for portable artifacts.

Values are those of the StableHLO and builtin dialects; only the encoding is versioned. A row's `mnemonic` is
the spelling in text, `since` the version that introduced it.
"""

from __future__ import annotations

from typing import Any

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects import quant
from stablehlo_py.artifacts.dialects.blobs import TENSOR
from stablehlo_py.artifacts.dialects.builtin import float_row, integer_row
from stablehlo_py.artifacts.dialects.rows import Row, constant, enum, row, struct
from stablehlo_py.ir import attributes as A
from stablehlo_py.ir import types as T
from stablehlo_py.ir.element_types import ELEMENT_TYPES


def _mesh(mesh: Any) -> Any:
    """Return a mesh, or the symbol of a string."""
    return A.SymbolRefAttr(mesh.value) if isinstance(mesh, A.StringAttr) else mesh


def _mesh_field(mesh: Any) -> Any:
    return A.StringAttr(mesh.root) if isinstance(mesh, A.SymbolRefAttr) else mesh


_MESH = F.mesh_reference(F.wrapped(F.ATTR, _mesh, _mesh_field), "stablehlo.mesh")
_AXES = F.wrapped(F.ATTR, lambda axes: getattr(axes, "value", axes), A.ArrayAttr)

ATTRIBUTES: tuple[Row, ...] = (
    row(1, A.ArrayAttr, value=F.ATTRS, mnemonic="array_v1", text="[{value:a*}]"),
    row(2, A.BoolAttr, value=F.FLAG, mnemonic="bool_v1"),
    enum(3, "stablehlo.comparison_direction", mnemonic="comparison_direction_v1"),
    enum(4, "stablehlo.comparison_type", mnemonic="comparison_type_v1"),
    enum(5, "stablehlo.custom_call_api_version", mnemonic="api_version_v1"),
    row(6, A.DictAttr, items=F.ITEMS, mnemonic="dict_v1", text="{{items:p*}}"),
    enum(7, "stablehlo.fft_type", mnemonic="fft_type_v1"),
    float_row(8, mnemonic="float_v1"),
    integer_row(9, mnemonic="integer_v1"),
    struct(
        10,
        "stablehlo.output_operand_alias",
        mnemonic="output_operand_alias_v1",
        text="outputTupleIndices = [{output_tuple_indices:i*}], operandIndex = {operand_index:i}, "
        "operandTupleIndices = [{operand_tuple_indices:i*}]",
    ),
    enum(11, "stablehlo.precision", mnemonic="precision_v1"),
    enum(12, "stablehlo.rng_algorithm", mnemonic="rng_algorithm_v1"),
    enum(13, "stablehlo.rng_distribution", first=1, mnemonic="rng_distribution_v1"),
    row(14, A.StringAttr, value=F.STRING, fits=lambda a: a.type is None, mnemonic="string_v1"),
    row(15, A.DenseElementsAttr, type=F.TYPE, data=TENSOR, mnemonic="tensor_v1"),
    enum(16, "stablehlo.transpose", mnemonic="transpose_v1"),
    row(17, A.TypeAttr, value=F.TYPE, mnemonic="type_v1", text="{value:t}"),
    struct(18, "stablehlo.bounds", mnemonic="type_extensions_v1", text="bounds = [{bounds:i*}]"),
    enum(19, "stablehlo.result_accuracy_mode", mnemonic="result_accuracy_mode_v1", since="1.9.0"),
    struct(
        20,
        "stablehlo.result_accuracy",
        mnemonic="result_accuracy_v1",
        text="atol = {atol:d}, rtol = {rtol:d}, ulps = {ulps:i}, mode = {mode:a}",
        since="1.9.0",
    ),
    struct(
        21,
        "stablehlo.sub_axis_info",
        mnemonic="sub_axis_info_v1",
        text="pre_size = {pre_size:i}, size = {size:i}",
        since="1.16.0",
    ),
    struct(
        22,
        "stablehlo.axis_ref",
        name=F.NAME,
        sub_axis_info=F.optional(F.ATTR, F.FLAG),
        mnemonic="axis_ref_v1",
        text="name = {name:a}{sub_axis_info:a?, sub_axis_info = }",
        since="1.16.0",
    ),
    struct(
        23,
        "stablehlo.replica_group_mesh_axes",
        mesh=_MESH,
        mnemonic="replica_group_mesh_axes_v1",
        text="mesh = {mesh:a}, axes = {axes:a}",
        since="1.16.0",
    ),
    struct(
        24,
        "stablehlo.mesh_axis",
        name=F.NAME,
        mnemonic="mesh_axis_v1",
        text="name = {name:a}, size = {size:i}",
        since="1.16.0",
    ),
    struct(
        25,
        "stablehlo.mesh",
        axes=_AXES,
        device_ids=F.OPTIONAL_ATTR,
        mnemonic="mesh_v1",
        text="axes = {axes:a}{device_ids:a?, device_ids = }",
        since="1.16.0",
    ),
)

_SPELLED = {T.I1: "bool_v1", T.FloatType("tf32"): "tf31_v1"}  # others by the name of the type


def _has_no_encoding(type: T.TensorType) -> bool:
    return type.encoding is None


TYPES: tuple[Row, ...] = (
    *(
        constant(code, type, _SPELLED.get(type, f"{each.name}_v1"), each.since)
        for type, each in ELEMENT_TYPES.items()
        if (code := each.codes.vhlo) is not None
    ),
    constant(22, T.TOKEN, "token_v1"),
    constant(26, T.OpaqueType("!shape.witness"), "witness_v1"),
    constant(33, T.NoneType(), "none_v1", "1.6.0"),
    row(1, T.ComplexType, element_type=F.TYPE, mnemonic="complex_v1", text="{element_type:t}"),
    row(
        8,
        T.FunctionType,
        inputs=F.TYPES,
        results=F.TYPES,
        mnemonic="func_v1",
        text="({inputs:r*}) -> {results:r*}",
    ),
    row(
        20,
        T.TensorType,
        shape=F.SIZES,
        element_type=F.TYPE,
        fits=_has_no_encoding,
        mnemonic="tensor_v1",
        text="{shape:x}{element_type:t}",
    ),
    row(
        21,
        T.TensorType,
        encoding=F.ATTR,
        shape=F.SIZES,
        element_type=F.TYPE,
        mnemonic="tensor_v1",
        text="{shape:x}{element_type:t}, {encoding:a}",
    ),
    row(23, T.TupleType, types=F.TYPES, mnemonic="tuple_v1", text="{types:t*}"),
    quant.per_tensor(
        24,
        mnemonic="quant_v1",
        text="{storage:t}:{expressed_type:t}, {scale:d}:{zero_point:i}, "
        "{storage_min:i}:{storage_max:i}, {flags:i}",
    ),
    row(
        25, T.UnrankedTensorType, element_type=F.TYPE, mnemonic="unranked_tensor_v1", text="{element_type:t}"
    ),
    quant.per_axis(
        30,
        mnemonic="quant_per_axis_v1",
        text="{storage:t}:{expressed_type:t}, {dimension:i}, [{scales:d*}], [{zero_points:i*}], "
        "{storage_min:i}:{storage_max:i}, {flags:i}",
        since="0.18.0",
        what="per-axis quantized types",
    ),
    row(
        41,
        T.MemRefType,
        shape=F.SIZES,
        element_type=F.TYPE,
        split=lambda type: {"shape": type.shape, "element_type": type.element_type},
        mnemonic="buffer_v1",
        text="{shape:x}{element_type:t}",
        since="1.13.0",
        what="memref",
    ),
    row(
        42,
        T.FutureType,
        types=F.TYPES,
        mnemonic="future_v1",
        text="{types:t*}",
        since="1.15.0",
        what="future",
    ),
)
