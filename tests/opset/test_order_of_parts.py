"""The order of inputs and outputs, and of what else an index or a position in a text stands for."""

from __future__ import annotations

import pytest

from stablehlo_py.ir.attributes import StringAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.definition import Attr, lookup
from stablehlo_py.opset.op_inputs import stored_value
from stablehlo_py.opset.ops.arith import FLOAT_PREDICATES, PREDICATES

# The inputs and outputs of ops in the order of the specification, which numbers them; first, the ops.
ROWS = [
    (
        (
            "add and atan2 complex divide maximum minimum multiply or power remainder shift_left "
            "shift_right_arithmetic shift_right_logical subtract xor"
        ),
        "lhs rhs",
        "result",
    ),
    ("clamp", "min operand max", "result"),
    ("compare", "lhs rhs comparison_direction compare_type", "result"),
    ("reduce_precision", "operand exponent_bits mantissa_bits", "output"),
    ("select", "pred on_true on_false", "result"),
    ("broadcast_in_dim", "operand broadcast_dimensions", "result"),
    ("transpose", "operand permutation", "result"),
    ("reverse", "operand dimensions", "result"),
    ("slice", "operand start_indices limit_indices strides", "result"),
    (
        "pad dynamic_pad",
        "operand padding_value edge_padding_low edge_padding_high interior_padding",
        "result",
    ),
    ("concatenate", "inputs dimension", "result"),
    ("dynamic_slice", "operand start_indices slice_sizes", "result"),
    ("dynamic_update_slice", "operand update start_indices", "result"),
    ("get_dimension_size", "operand dimension", "result"),
    ("get_tuple_element", "operand index", "result"),
    (
        "dot_general",
        (
            "lhs rhs lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions "
            "rhs_contracting_dimensions precision_config lhs_precision_type rhs_precision_type "
            "accumulation_type lhs_component_count rhs_component_count num_primitive_operations "
            "allow_imprecise_accumulation"
        ),
        "result",
    ),
    (
        "convolution",
        (
            "lhs rhs window_strides padding lhs_dilation rhs_dilation window_reversal "
            "input_batch_dimension input_feature_dimension input_spatial_dimensions "
            "kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions "
            "output_batch_dimension output_feature_dimension output_spatial_dimensions "
            "feature_group_count batch_group_count precision_config"
        ),
        "result",
    ),
    ("reduce", "inputs init_values dimensions body", "results"),
    ("map", "inputs dimensions computation", "result"),
    (
        "batch_norm_grad",
        "operand scale mean variance grad_output epsilon feature_index",
        "grad_operand grad_scale grad_offset",
    ),
    ("batch_norm_inference", "operand scale offset mean variance epsilon feature_index", "result"),
    ("batch_norm_training", "operand scale offset epsilon feature_index", "output batch_mean batch_var"),
    (
        "reduce_window",
        ("inputs init_values window_dimensions window_strides base_dilations window_dilations padding body"),
        "results",
    ),
    (
        "select_and_scatter",
        "operand source init_value window_dimensions window_strides padding select scatter",
        "result",
    ),
    (
        "gather",
        (
            "operand start_indices offset_dims collapsed_slice_dims operand_batching_dims "
            "start_indices_batching_dims start_index_map index_vector_dim slice_sizes "
            "indices_are_sorted"
        ),
        "result",
    ),
    (
        "scatter",
        (
            "inputs scatter_indices updates update_window_dims inserted_window_dims "
            "input_batching_dims scatter_indices_batching_dims scatter_dims_to_operand_dims "
            "index_vector_dim indices_are_sorted unique_indices update_computation"
        ),
        "results",
    ),
    ("sort", "inputs dimension is_stable comparator", "results"),
    ("cholesky", "a lower", "result"),
    ("triangular_solve", "a b left_side lower unit_diagonal transpose_a", "result"),
    ("fft", "operand fft_type fft_length", "result"),
    ("rng", "a b shape rng_distribution", "result"),
    ("rng_bit_generator", "rng_algorithm initial_state", "output_state output"),
    ("while", "operand cond body", "results"),
    ("if", "pred true_branch false_branch", "results"),
    ("case", "index branches", "results"),
    ("outfeed", "inputs token outfeed_config", "result"),
    ("send", "inputs token channel_id channel_type is_host_transfer source_target_pairs", "result"),
    ("recv", "token channel_id channel_type is_host_transfer source_target_pairs", "results"),
    ("all_gather", "operands all_gather_dim replica_groups channel_id use_global_device_ids", "results"),
    ("all_reduce", "operands replica_groups channel_id use_global_device_ids computation", "results"),
    (
        "all_to_all",
        "operands split_dimension concat_dimension split_count replica_groups channel_id",
        "results",
    ),
    ("collective_broadcast", "operands replica_groups channel_id has_dynamic_root", "results"),
    ("collective_permute", "operand source_target_pairs channel_id", "result"),
    (
        "reduce_scatter",
        "operand scatter_dimension replica_groups channel_id use_global_device_ids computation",
        "result",
    ),
    ("async_start", "operands body", "result"),
    (
        "dynamic_broadcast_in_dim",
        (
            "operand output_dimensions broadcast_dimensions known_expanding_dimensions "
            "known_nonexpanding_dimensions"
        ),
        "result",
    ),
    ("dynamic_reshape", "operand output_shape", "result"),
    ("dynamic_iota", "output_shape iota_dimension", "result"),
    (
        "dynamic_conv",
        (
            "lhs rhs padding window_strides lhs_dilation rhs_dilation window_reversal "
            "input_batch_dimension input_feature_dimension input_spatial_dimensions "
            "kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions "
            "output_batch_dimension output_feature_dimension output_spatial_dimensions "
            "feature_group_count batch_group_count precision_config"
        ),
        "result",
    ),
]
# The enumerators of MLIR, by the integers that stand for them.
INTEGERS = "eq ne slt sle sgt sge ult ule ugt uge"
FLOATS = "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true"


@pytest.mark.parametrize(("ops", "inputs", "outputs"), ROWS)
def test_order(ops: str, inputs: str, outputs: str) -> None:
    for op in ops.split():
        definition = lookup(f"stablehlo.{op}")
        assert definition is not None
        assert [part.name for part in definition.inputs] == inputs.split()
        assert [part.name for part in definition.outputs] == outputs.split()


def test_predicates() -> None:
    assert (" ".join(PREDICATES), " ".join(FLOAT_PREDICATES)) == (INTEGERS, FLOATS)


def test_a_field_of_what_is_no_structure() -> None:
    attr = Attr("handle", "i64", at="channel_handle.handle")
    assert stored_value(Operation("test.op", properties={"channel_handle": StringAttr("1")}), attr) is None
