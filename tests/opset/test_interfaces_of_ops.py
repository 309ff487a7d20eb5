"""What ops take and give: what may be absent, what stands for it, how many values and blocks there are.

Ops of StableHLO are named without their dialect. The rows of StableHLO and CHLO were compared with
their definitions upstream, the phrases with the specification.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from stablehlo_py.opset.definition import Attr, Body, OpDef, all_definitions, lookup
from stablehlo_py.opset.search import belongs_here

# Inputs that may be absent without a value that stands for them.
ABSENT = {
    "sym_visibility": "builtin.module func.func",
    "arg_attrs": "func.call func.call_indirect func.func",
    "res_attrs": "func.call func.call_indirect func.func",
    "no_inline": "func.call func.func",
    "sym_name": "builtin.module",
    "lhs_precision_type": "dot_general",
    "rhs_precision_type": "dot_general",
    "accumulation_type": "dot_general",
    "lhs_component_count": "dot_general",
    "rhs_component_count": "dot_general",
    "num_primitive_operations": "dot_general",
    "allow_imprecise_accumulation": "dot_general",
    "backend_config": "custom_call",
    "operand_layouts": "custom_call",
    "result_layouts": "custom_call",
    "result_tilings": "custom_call",
    "composite_attributes": "composite",
    "layout": "infeed",
    "source_target_pairs": "recv send",
    "compare_type": "chlo.broadcast_compare",
    "scan_dim_size": "chlo.scan",
    "is_associative": "chlo.scan",
    "precision_config": "chlo.ragged_dot",
    "overflowFlags": "arith.addi arith.muli arith.shli arith.subi arith.trunci",
    "isExact": "arith.divsi arith.divui arith.shrsi arith.shrui",
    "fastmath": (
        "arith.addf arith.cmpf arith.convertf arith.divf arith.extf arith.flush_denormals "
        "arith.maximumf arith.maxnumf arith.minimumf arith.minnumf arith.mulf arith.negf arith.remf "
        "arith.subf arith.truncf"
    ),
    "roundingmode": "arith.addf arith.convertf arith.divf arith.mulf arith.subf arith.truncf",
    "nonNeg": "arith.extui arith.index_castui arith.uitofp",
    "branch_weights": "cf.cond_br",
    "case_values": "cf.switch",
    "unsignedCmp": "scf.for",
    "error": "shape.broadcast",
    "infeed": "interpreter.run_parallel",
    "in_shardings": "sdy.named_computation",
    "out_shardings": "sdy.named_computation",
    "sharding": "sdy.data_flow_edge",
}
INEXACT = "cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh"
# The values of absent inputs.
DEFAULTS = {
    ("atol", "0.0"): INEXACT,
    ("rtol", "0.0"): INEXACT,
    ("ulps", "0"): INEXACT,
    ("mode", "DEFAULT"): INEXACT,
    ("compare_type", "NOTYPE"): "compare",
    ("precision_config", "[DEFAULT, DEFAULT]"): "convolution dot dot_general dynamic_conv",
    ("window_strides", "[1 for d in axes(lhs)[2:]]"): "convolution dynamic_conv",
    ("padding", "[[0, 0] for d in axes(lhs)[2:]]"): "convolution",
    ("lhs_dilation", "[1 for d in axes(lhs)[2:]]"): "convolution dynamic_conv",
    ("rhs_dilation", "[1 for d in axes(lhs)[2:]]"): "convolution dynamic_conv",
    ("window_reversal", "[false for d in axes(lhs)[2:]]"): "convolution dynamic_conv",
    ("window_strides", "[1 for d in axes(inputs[0])]"): "reduce_window",
    ("base_dilations", "[1 for d in axes(inputs[0])]"): "reduce_window",
    ("window_dilations", "[1 for d in axes(inputs[0])]"): "reduce_window",
    ("padding", "[[0, 0] for d in axes(inputs[0])]"): "reduce_window",
    ("window_dimensions", "[]"): "select_and_scatter",
    ("window_strides", "[1 for d in axes(operand)]"): "select_and_scatter",
    ("padding", "[[0, 0] for d in axes(operand)]"): "select_and_scatter",
    ("indices_are_sorted", "false"): "dynamic_gather gather scatter",
    ("unique_indices", "false"): "scatter",
    ("dimension", "-1"): "sort",
    ("is_stable", "false"): "sort",
    ("lower", "false"): "cholesky",
    ("has_side_effect", "false"): "custom_call",
    ("api_version", "API_VERSION_ORIGINAL"): "custom_call",
    ("called_computations", "[]"): "custom_call",
    ("output_operand_aliases", "[]"): "custom_call",
    ("version", "0"): "composite",
    ("infeed_config", '""'): "infeed",
    ("outfeed_config", '""'): "outfeed",
    ("is_host_transfer", "false"): "recv send",
    ("channel_id", "0"): (
        "all_gather all_reduce all_to_all collective_broadcast collective_permute collective_reduce "
        "reduce_scatter"
    ),
    ("use_global_device_ids", "false"): "all_gather all_reduce collective_reduce reduce_scatter",
    ("has_dynamic_root", "false"): "collective_broadcast collective_reduce",
    ("known_expanding_dimensions", "[]"): "dynamic_broadcast_in_dim",
    ("known_nonexpanding_dimensions", "[]"): "dynamic_broadcast_in_dim",
    (
        "broadcast_dimensions",
        "range(max(rank(lhs), rank(rhs)) - min(rank(lhs), rank(rhs)), max(rank(lhs), rank(rhs)))",
    ): (
        "chlo.broadcast_add chlo.broadcast_and chlo.broadcast_atan2 chlo.broadcast_compare "
        "chlo.broadcast_complex chlo.broadcast_divide chlo.broadcast_maximum chlo.broadcast_minimum "
        "chlo.broadcast_multiply chlo.broadcast_next_after chlo.broadcast_or chlo.broadcast_polygamma "
        "chlo.broadcast_power chlo.broadcast_remainder chlo.broadcast_shift_left "
        "chlo.broadcast_shift_right_arithmetic chlo.broadcast_shift_right_logical "
        "chlo.broadcast_subtract chlo.broadcast_xor chlo.broadcast_zeta"
    ),
    ("is_stable", "true"): "chlo.top_k",
    ("is_reverse", "false"): "chlo.scan",
    ("tolerance", "0.0001"): "check.expect_almost_eq check.expect_almost_eq_const",
    ("max_ulp_difference", "3"): "check.expect_close",
    ("min_ulp_difference", "0"): "check.expect_close",
    ("iter", "0"): "check.expect_serialized_eq",
    ("reduction_op", "sum"): "sdy.all_reduce sdy.reduce_scatter",
}
# Lists that stand for the default if they are empty.
EMPTY = {
    "window_strides": "convolution dynamic_conv reduce_window select_and_scatter",
    "padding": "convolution reduce_window select_and_scatter",
    "lhs_dilation": "convolution dynamic_conv",
    "rhs_dilation": "convolution dynamic_conv",
    "window_reversal": "convolution dynamic_conv",
    "base_dilations": "reduce_window",
    "window_dilations": "reduce_window",
}
# Defaults that are printed where the text states them.
PRINTED = {
    "compare_type": "compare",
    "known_expanding_dimensions": "dynamic_broadcast_in_dim",
    "known_nonexpanding_dimensions": "dynamic_broadcast_in_dim",
}
# Defaults that become properties where the text does not state them.
STORED = {"infeed_config": "infeed", "outfeed_config": "outfeed"}
# Inputs and results of any number.
VARIADIC = {
    "operands": (
        "all_gather all_reduce all_to_all async_start collective_broadcast collective_reduce func.call "
        "func.return sdy.named_computation shape.assuming_yield"
    ),
    "results": (
        "all_gather all_reduce all_to_all case collective_broadcast collective_reduce composite "
        "custom_call func.call func.call_indirect if infeed interpreter.run_parallel recv reduce "
        "reduce_window return scatter scf.for scf.if scf.while scf.yield sdy.manual_computation "
        "sdy.named_computation sdy.return shape.assuming sort while"
    ),
    "callee_operands": "func.call_indirect",
    "inputs": (
        "after_all builtin.unrealized_conversion_cast chlo.scan composite concatenate custom_call "
        "interpreter.run_parallel map outfeed reduce reduce_window scatter send sort"
    ),
    "outputs": "builtin.unrealized_conversion_cast chlo.scan",
    "start_indices": "dynamic_slice dynamic_update_slice",
    "val": "tuple",
    "init_values": "reduce reduce_window",
    "updates": "scatter",
    "operand": "optimization_barrier while",
    "result": "optimization_barrier",
    "inits": "chlo.scan scf.while",
    "carries": "chlo.scan",
    "destOperands": "cf.br",
    "trueDestOperands": "cf.cond_br",
    "falseDestOperands": "cf.cond_br",
    "defaultOperands": "cf.switch",
    "caseOperands": "cf.switch",
    "initArgs": "scf.for",
    "args": "scf.condition",
    "elements": "tensor.from_elements",
    "indices": "tensor.extract",
    "shapes": "shape.broadcast shape.cstr_broadcastable",
    "tensors": "sdy.manual_computation",
}
# Of loops: the body, the condition, the dimension to iterate over, the names of arguments.
LOOPS = {
    ("body", "cond", "", ("iterArg",)): "while",
    ("body", "", "dimension", ("input", "carry")): "chlo.scan",
}
# The attribute with the called function.
CALLEES = {"callee": "func.call", "decomposition": "composite"}
# Blocks that terminators go to: the operands, whether there are several, the sizes of their groups.
SUCCESSORS = {
    ("dest", "destOperands", False, ""): "cf.br",
    ("trueDest", "trueDestOperands", False, ""): "cf.cond_br",
    ("falseDest", "falseDestOperands", False, ""): "cf.cond_br",
    ("defaultDestination", "defaultOperands", False, ""): "cf.switch",
    ("caseDestinations", "caseOperands", True, "case_operand_segments"): "cf.switch",
}
# Regions that differ from one block with any terminator: what ends them, if the text omits it; the
# only op that may end them; what else is allowed.
BODIES = {
    ("body", "", "", "absent"): "func.func",
    ("branches", "", "", "several"): "case",
    ("composite_regions", "", "", "several"): "composite",
    ("region", "scf.yield", "", ""): "scf.for",
    ("thenRegion", "scf.yield", "", ""): "scf.if",
    ("elseRegion", "scf.yield", "", "empty"): "scf.if",
    ("before", "", "scf.condition", ""): "scf.while",
    ("after", "", "scf.yield", ""): "scf.while",
    ("doRegion", "shape.assuming_yield", "", ""): "shape.assuming",
    ("body", "sdy.return", "", ""): "sdy.manual_computation sdy.named_computation",
}
# What the specification says of constants and values, where these are its words.
PHRASES = {
    "tensor of signed integer, floating-point or complex type or per-tensor quantized tensor": (
        "abs.operand sign.operand sign.result"
    ),
    "tensor of signed integer or floating-point type or per-tensor quantized tensor": ("abs.result"),
    "tensor or quantized tensor": (
        "add.lhs add.result add.rhs bitcast_convert.operand bitcast_convert.result "
        "broadcast_in_dim.operand convolution.result convolution.rhs dot_general.result dot_general.rhs "
        "dynamic_broadcast_in_dim.operand dynamic_broadcast_in_dim.result dynamic_conv.result "
        "dynamic_conv.rhs dynamic_reshape.operand dynamic_reshape.result get_dimension_size.operand "
        "reshape.operand transpose.operand transpose.result"
    ),
    "tensor of boolean or integer type": (
        "and.lhs and.result and.rhs not.operand not.result xor.lhs xor.result xor.rhs"
    ),
    "tensor of floating-point or complex type or per-tensor quantized tensor": (
        "atan2.lhs atan2.result atan2.rhs cbrt.operand cbrt.result cholesky.a cholesky.result "
        "cosine.operand cosine.result exponential.operand exponential.result "
        "exponential_minus_one.operand exponential_minus_one.result log.operand log.result "
        "log_plus_one.operand log_plus_one.result logistic.operand logistic.result rsqrt.operand "
        "rsqrt.result sine.operand sine.result sqrt.operand sqrt.result tan.operand tan.result "
        "tanh.operand tanh.result"
    ),
    "tensor of floating-point type or per-tensor quantized tensor": (
        "batch_norm_grad.grad_operand batch_norm_grad.grad_output batch_norm_grad.operand "
        "batch_norm_inference.operand batch_norm_inference.result batch_norm_training.operand "
        "batch_norm_training.output ceil.operand ceil.result floor.operand floor.result is_finite.x "
        "reduce_precision.operand reduce_precision.output round_nearest_afz.operand "
        "round_nearest_afz.result round_nearest_even.operand round_nearest_even.result"
    ),
    "tensor or per-tensor quantized tensor": (
        "clamp.max clamp.min clamp.operand clamp.result collective_permute.operand "
        "collective_permute.result compare.lhs compare.rhs concatenate.result convolution.lhs "
        "dot_general.lhs dynamic_conv.lhs dynamic_gather.operand dynamic_gather.result "
        "dynamic_pad.operand dynamic_pad.result dynamic_slice.operand dynamic_slice.result "
        "dynamic_update_slice.operand dynamic_update_slice.result dynamic_update_slice.update "
        "gather.operand gather.result map.result maximum.lhs maximum.result maximum.rhs minimum.lhs "
        "minimum.result minimum.rhs multiply.lhs multiply.result multiply.rhs pad.operand pad.result "
        "reduce_scatter.operand reduce_scatter.result reverse.operand reverse.result select.on_false "
        "select.on_true select.result select_and_scatter.operand select_and_scatter.result "
        "select_and_scatter.source slice.operand slice.result"
    ),
    "enum of `EQ`, `NE`, `GE`, `GT`, `LE`, and `LT`": ("compare.comparison_direction"),
    "enum of `FLOAT`, `TOTALORDER`, `SIGNED`, and `UNSIGNED`": ("compare.compare_type"),
    "tensor of boolean type": ("compare.result is_finite.y"),
    "tensor of complex type": ("complex.result"),
    "tensor": ("convert.operand convert.result"),
    "tensor of integer type": (
        "count_leading_zeros.operand count_leading_zeros.result dynamic_gather.start_indices "
        "gather.start_indices popcnt.operand popcnt.result shift_left.lhs shift_left.result "
        "shift_left.rhs shift_right_arithmetic.lhs shift_right_arithmetic.result "
        "shift_right_arithmetic.rhs shift_right_logical.lhs shift_right_logical.result "
        "shift_right_logical.rhs"
    ),
    "tensor of integer, floating-point or complex type or per-tensor quantized tensor": (
        "divide.lhs divide.result divide.rhs negate.operand negate.result power.lhs power.result "
        "power.rhs remainder.lhs remainder.result remainder.rhs subtract.lhs subtract.result "
        "subtract.rhs"
    ),
    "tensor of floating-point or complex type": ("fft.operand fft.result imag.operand real.operand"),
    "tensor of floating-point type": ("imag.result real.result uniform_dequantize.result"),
    "constant of type `si32`": (
        "composite.version custom_call.api_version dot_general.lhs_component_count "
        "dot_general.num_primitive_operations dot_general.rhs_component_count get_tuple_element.index "
        "reduce_precision.exponent_bits reduce_precision.mantissa_bits"
    ),
    "constant": ("constant.value"),
    "`si64`": ("dynamic_iota.iota_dimension iota.iota_dimension"),
    "1-dimensional tensor constant of type `si64`": (
        "broadcast_in_dim.broadcast_dimensions convolution.input_spatial_dimensions "
        "convolution.kernel_spatial_dimensions convolution.lhs_dilation "
        "convolution.output_spatial_dimensions convolution.rhs_dilation convolution.window_strides "
        "dot_general.lhs_batching_dimensions dot_general.lhs_contracting_dimensions "
        "dot_general.rhs_batching_dimensions dot_general.rhs_contracting_dimensions "
        "dynamic_conv.input_spatial_dimensions dynamic_conv.kernel_spatial_dimensions "
        "dynamic_conv.lhs_dilation dynamic_conv.output_spatial_dimensions dynamic_conv.rhs_dilation "
        "dynamic_conv.window_strides dynamic_gather.collapsed_slice_dims dynamic_gather.offset_dims "
        "dynamic_gather.start_index_map dynamic_slice.slice_sizes fft.fft_length "
        "gather.collapsed_slice_dims gather.offset_dims gather.operand_batching_dims gather.slice_sizes "
        "gather.start_index_map gather.start_indices_batching_dims map.dimensions pad.edge_padding_high "
        "pad.edge_padding_low pad.interior_padding reduce.dimensions reduce_window.base_dilations "
        "reduce_window.window_dilations reduce_window.window_dimensions reduce_window.window_strides "
        "reverse.dimensions scatter.input_batching_dims scatter.inserted_window_dims "
        "scatter.scatter_dims_to_operand_dims scatter.scatter_indices_batching_dims "
        "scatter.update_window_dims select_and_scatter.window_dimensions "
        "select_and_scatter.window_strides slice.limit_indices slice.start_indices slice.strides "
        "transpose.permutation"
    ),
    "constant of type `si64`": (
        "all_gather.all_gather_dim all_gather.channel_id all_reduce.channel_id all_to_all.channel_id "
        "all_to_all.concat_dimension all_to_all.split_count all_to_all.split_dimension "
        "batch_norm_grad.feature_index batch_norm_inference.feature_index "
        "batch_norm_training.feature_index collective_broadcast.channel_id "
        "collective_permute.channel_id collective_reduce.channel_id concatenate.dimension "
        "convolution.batch_group_count convolution.feature_group_count "
        "convolution.input_batch_dimension convolution.input_feature_dimension "
        "convolution.kernel_input_feature_dimension convolution.kernel_output_feature_dimension "
        "convolution.output_batch_dimension convolution.output_feature_dimension "
        "dynamic_conv.batch_group_count dynamic_conv.feature_group_count "
        "dynamic_conv.input_batch_dimension dynamic_conv.input_feature_dimension "
        "dynamic_conv.kernel_input_feature_dimension dynamic_conv.kernel_output_feature_dimension "
        "dynamic_conv.output_batch_dimension dynamic_conv.output_feature_dimension "
        "dynamic_gather.index_vector_dim gather.index_vector_dim get_dimension_size.dimension "
        "recv.channel_id reduce_scatter.channel_id reduce_scatter.scatter_dimension "
        "scatter.index_vector_dim send.channel_id sort.dimension"
    ),
    "tuple": ("get_tuple_element.operand tuple.result"),
    "variadic number of enums of `DEFAULT`, `HIGH`, and `HIGHEST`": (
        "convolution.precision_config dot_general.precision_config dynamic_conv.precision_config"
    ),
    "FloatType or TensorFloat32": (
        "dot_general.accumulation_type dot_general.lhs_precision_type dot_general.rhs_precision_type"
    ),
    "constant of type `bool`": ("dot_general.allow_imprecise_accumulation"),
    "2-dimensional tensor constant of type `si64`": (
        "collective_permute.source_target_pairs convolution.padding recv.source_target_pairs "
        "reduce_window.padding select_and_scatter.padding send.source_target_pairs"
    ),
    "1-dimensional tensor constant of type `i1`": (
        "convolution.window_reversal dynamic_conv.window_reversal"
    ),
    "constant of type `f32`": (
        "batch_norm_grad.epsilon batch_norm_inference.epsilon batch_norm_training.epsilon"
    ),
    "constant of type `i1`": (
        "all_gather.use_global_device_ids all_reduce.use_global_device_ids cholesky.lower "
        "collective_broadcast.has_dynamic_root collective_reduce.has_dynamic_root "
        "custom_call.has_side_effect dynamic_gather.indices_are_sorted gather.indices_are_sorted "
        "recv.is_host_transfer reduce_scatter.use_global_device_ids scatter.indices_are_sorted "
        "scatter.unique_indices send.is_host_transfer sort.is_stable triangular_solve.left_side "
        "triangular_solve.lower triangular_solve.unit_diagonal"
    ),
    "1-dimensional tensor of integer type": ("dynamic_gather.slice_sizes"),
    "enum of `NO_TRANSPOSE`, `TRANSPOSE`, and `ADJOINT`": ("triangular_solve.transpose_a"),
    "enum of `FFT`, `IFFT`, `RFFT`, and `IRFFT`": ("fft.fft_type"),
    "0-dimensional tensor of integer, boolean or floating-point type": ("rng.a rng.b"),
    "enum of `UNIFORM` and `NORMAL`": ("rng.rng_distribution"),
    "tensor of integer, boolean or floating-point type": ("rng.result"),
    "enum of `DEFAULT`, `THREE_FRY`, and `PHILOX`": ("rng_bit_generator.rng_algorithm"),
    "constant of type `string`": (
        "composite.decomposition composite.name custom_call.call_target_name infeed.infeed_config "
        "outfeed.outfeed_config"
    ),
    "constant of type `string` or attribute dictionary": ("custom_call.backend_config"),
    "variadic number of constants of type `string`": ("custom_call.called_computations"),
    "specify the aliasing parts in the outputs and operands": ("custom_call.output_operand_aliases"),
    "attribute dictionary": ("composite.composite_attributes"),
    "enum of `DEVICE_TO_DEVICE` and `DEVICE_TO_HOST`": ("recv.channel_type send.channel_type"),
    "2-dimensional tensor constant of type `si64` or `ReplicaGroupMeshAxes`": (
        "all_gather.replica_groups all_to_all.replica_groups reduce_scatter.replica_groups"
    ),
    "quantized tensor": ("uniform_dequantize.operand uniform_quantize.result"),
    "1-dimensional constant tensor of integer type": (
        "dynamic_broadcast_in_dim.broadcast_dimensions "
        "dynamic_broadcast_in_dim.known_expanding_dimensions "
        "dynamic_broadcast_in_dim.known_nonexpanding_dimensions"
    ),
}


def by(values: Callable[[OpDef], Iterable[Any]]) -> dict[Any, set[str]]:
    """The ops by the values that they have."""
    found = defaultdict(set)
    for definition in all_definitions():
        for value in values(definition):
            found[value].add(definition.name.removeprefix("stablehlo."))
    return found


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (ABSENT, lambda d: [a.name for a in d.attrs if a.optional and a.default is None]),
        (DEFAULTS, lambda d: [(a.name, a.default) for a in d.attrs if a.optional and a.default is not None]),
        (EMPTY, lambda d: [a.name for a in d.attrs if a.empty_is_absent]),
        (PRINTED, lambda d: [a.name for a in d.attrs if a.prints_default]),
        (STORED, lambda d: [a.name for a in d.attrs if a.stores_default]),
        (VARIADIC, lambda d: [part.name for part in (*d.operands, *d.outputs) if part.variadic]),
        (
            LOOPS,
            lambda d: [(d.loop.body, d.loop.condition, d.loop.dimension, d.loop.arguments)] if d.loop else [],
        ),
        (CALLEES, lambda d: [d.callee] if d.callee else []),
        (BODIES, lambda d: [row for body in d.bodies if any((row := row_of(body))[1:])]),
        (SUCCESSORS, lambda d: [(s.name, s.operands, s.variadic, s.segments) for s in d.successors]),
    ],
    ids=[
        "absent",
        "defaults",
        "empty",
        "printed",
        "stored",
        "variadic",
        "loops",
        "callees",
        "bodies",
        "successors",
    ],
)
def test_rows(table: dict[Any, str], values: Callable[[OpDef], Iterable[Any]]) -> None:
    assert by(values) == {key: set(words.split()) for key, words in table.items()}


def row_of(body: Body) -> tuple[str, str, str, str]:
    other = {"several": body.variadic, "absent": body.optional, "empty": body.may_be_empty}
    return (
        body.name,
        body.terminator,
        body.ends_with,
        " ".join(name for name, holds in other.items() if holds),
    )


def test_no_default_without_absence() -> None:
    assert not [a for d in all_definitions() for a in d.attrs if a.default is not None and not a.optional]


@pytest.mark.parametrize("phrase", PHRASES)
def test_phrases(phrase: str) -> None:
    for place in PHRASES[phrase].split():
        op, _, name = place.partition(".")
        definition = lookup(f"stablehlo.{op}")
        assert definition is not None
        (part,) = [part for part in (*definition.inputs, *definition.outputs) if part.name == name]
        assert not isinstance(part, Body)
        words = part.type if isinstance(part, Attr) else part.type.phrase
        assert words.replace("\n", " ").replace(", or ", " or ") == phrase, place


def test_dialects_that_are_complete() -> None:
    """An op of these that has no definition is an error; of other dialects, it may exist."""
    complete = {d.name.partition(".")[0] for d in all_definitions() if belongs_here(d.name)}
    assert complete == {"builtin", "chlo", "func", "stablehlo"}
