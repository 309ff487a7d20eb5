"""Traits, costs, versions and names of ops, in tables that were read against the documents of the dialects.

Ops of StableHLO are named without their dialect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from stablehlo_py.opset.definition import OpDef, all_definitions

# The ops that have a trait; of `pure`, those that do not: they have effects, may fail, or run others' bodies.
TRAITS = {
    "accumulation": "reduce reduce_window",
    "associative": "and maximum minimum or xor",
    "branches": "case if scf.if",
    "broadcast": "broadcast_in_dim",
    "choice": "select",
    "communicates": (
        "all_gather all_reduce all_to_all collective_broadcast collective_permute collective_reduce "
        "cross-replica-sum recv reduce_scatter send"
    ),
    "commutative": "add and maximum minimum multiply or xor",
    "comparison": "compare",
    "composite": "composite",
    "constant": "arith.constant chlo.constant constant sdy.constant",
    "conversion": "convert",
    "elementwise": (
        "abs add and atan2 cbrt ceil chlo._asin_acos_kernel chlo.acos chlo.acosh chlo.asin chlo.asinh "
        "chlo.atan chlo.atanh chlo.bessel_i1e chlo.conj chlo.cosh chlo.digamma chlo.erf chlo.erf_inv "
        "chlo.erfc chlo.is_inf chlo.is_neg_inf chlo.is_pos_inf chlo.lgamma chlo.mulhi chlo.next_after "
        "chlo.polygamma chlo.sinh chlo.square chlo.tan chlo.zeta clamp compare complex convert cosine "
        "count_leading_zeros divide exponential exponential_minus_one floor imag is_finite log "
        "log_plus_one logistic maximum minimum multiply negate not or popcnt power real reduce_precision "
        "remainder round_nearest_afz round_nearest_even rsqrt select shift_left shift_right_arithmetic "
        "shift_right_logical sign sine sqrt subtract tan tanh uniform_dequantize uniform_quantize xor"
    ),
    "exact": (
        "abs all_to_all ceil clamp collective_broadcast collective_permute compare concatenate "
        "dynamic_pad dynamic_update_slice floor is_finite maximum minimum negate pad round_nearest_afz "
        "round_nearest_even select set_dimension_size sign sort torch_index_select"
    ),
    "expressed": (
        "batch_norm_grad batch_norm_inference batch_norm_training cholesky convolution dot dot_general "
        "dynamic_conv dynamic_iota iota triangular_solve"
    ),
    "external_call": "custom_call",
    "func_default": "func.func",
    "host": (
        "check.expect_almost_eq check.expect_almost_eq_const check.expect_close check.expect_eq "
        "check.expect_eq_const check.expect_serialized_eq interpreter.print interpreter.probe "
        "interpreter.run_parallel"
    ),
    "identity": (
        "optimization_barrier sdy.all_gather sdy.all_reduce sdy.all_slice sdy.all_to_all "
        "sdy.collective_permute sdy.data_flow_edge sdy.func_data_flow_edge sdy.propagation_barrier "
        "sdy.reduce_scatter sdy.replicated_to_unreduced sdy.reshard sdy.sharded_to_unreduced "
        "sdy.sharding_constraint sdy.sharding_group"
    ),
    "inline_body": "sdy.named_computation",
    "isolated": (
        "async_start builtin.module chlo.scan func.func sdy.manual_computation sdy.named_computation"
    ),
    "late_location": "reduce",
    "logical": "and compare not or select",
    "mesh": "sdy.mesh",
    "moves_data": (
        "all_gather broadcast broadcast_in_dim dynamic_broadcast_in_dim dynamic_gather dynamic_reshape "
        "dynamic_slice gather optimization_barrier real_dynamic_slice reshape reverse slice transpose"
    ),
    "no_terminator": "builtin.module",
    "probe": "interpreter.probe",
    "random": "rng",
    "reads_process_id": "partition_id replica_id",
    "received": "async_done bitcast_convert composite func.call infeed recv",
    "recursive_effects": (
        "case chlo.scan composite func.call if map reduce reduce_window scatter scf.for scf.if scf.while "
        "sdy.manual_computation sdy.named_computation select_and_scatter shape.assuming sort while"
    ),
    "runs_bodies": (
        "async_start case chlo.scan if scf.for scf.if scf.while sdy.manual_computation "
        "sdy.named_computation shape.assuming while"
    ),
    "shape_at_run": (
        "all_gather all_to_all chlo.broadcast_add chlo.broadcast_and chlo.broadcast_atan2 "
        "chlo.broadcast_compare chlo.broadcast_complex chlo.broadcast_divide chlo.broadcast_maximum "
        "chlo.broadcast_minimum chlo.broadcast_multiply chlo.broadcast_next_after chlo.broadcast_or "
        "chlo.broadcast_polygamma chlo.broadcast_power chlo.broadcast_remainder chlo.broadcast_select "
        "chlo.broadcast_shift_left chlo.broadcast_shift_right_arithmetic "
        "chlo.broadcast_shift_right_logical chlo.broadcast_subtract chlo.broadcast_xor "
        "chlo.broadcast_zeta dynamic_broadcast_in_dim dynamic_conv dynamic_gather dynamic_iota "
        "dynamic_pad dynamic_reshape einsum fft infeed interpreter.run_parallel real_dynamic_slice recv "
        "reduce_scatter torch_index_select unary_einsum"
    ),
    "sharded_body": "sdy.manual_computation",
    "single_op_body": "async_start",
    "symbol": "builtin.module func.func sdy.mesh",
    "symbol_table": "builtin.module",
    "terminator": (
        "cf.br cf.cond_br cf.switch func.return return scf.condition scf.yield sdy.return "
        "shape.assuming_yield"
    ),
    "transcendental": (
        "atan2 cbrt chlo._asin_acos_kernel chlo.acos chlo.acosh chlo.asin chlo.asinh chlo.atan chlo.atanh "
        "chlo.bessel_i1e chlo.broadcast_atan2 chlo.broadcast_polygamma chlo.broadcast_power "
        "chlo.broadcast_zeta chlo.cosh chlo.digamma chlo.erf chlo.erf_inv chlo.erfc chlo.lgamma "
        "chlo.polygamma chlo.sinh chlo.tan chlo.zeta cosine exponential exponential_minus_one log "
        "log_plus_one logistic power rsqrt sine sqrt tan tanh"
    ),
    "unordered": "scatter select_and_scatter",
    "view": ("broadcast broadcast_in_dim dynamic_slice imag real reverse slice transpose"),
}
NOT_PURE = (
    "all_gather all_reduce all_to_all async_done async_start builtin.module case cf.assert "
    "check.expect_almost_eq check.expect_almost_eq_const check.expect_close check.expect_eq "
    "check.expect_eq_const check.expect_serialized_eq chlo.scan collective_broadcast "
    "collective_permute collective_reduce composite custom_call func.call func.call_indirect "
    "func.func if infeed interpreter.print interpreter.probe interpreter.run_parallel map outfeed "
    "recv reduce reduce_scatter reduce_window rng scatter scf.for scf.if scf.while sdy.all_gather "
    "sdy.all_reduce sdy.all_slice sdy.all_to_all sdy.collective_permute sdy.data_flow_edge "
    "sdy.func_data_flow_edge sdy.manual_computation sdy.mesh sdy.named_computation sdy.reduce_scatter "
    "sdy.replicated_to_unreduced sdy.sharded_to_unreduced sdy.sharding_constraint sdy.sharding_group "
    "select_and_scatter send shape.assuming shape.cstr_broadcastable sort while"
)

# What the sign of a result follows from, where something is known of it.
SIGNS = {
    "absolute": "abs chlo.square",
    "sum": "add",
    "operand": "atan2 cbrt reduce_precision tanh",
    "non_negative_operand": "ceil exponential_minus_one log_plus_one sqrt",
    "clamp": "clamp",
    "conversion": "convert",
    "non_negative": "count_leading_zeros get_dimension_size iota popcnt",
    "quotient": "divide",
    "positive": "exponential logistic rsqrt",
    "non_negative_part": "collective_permute floor",
    "maximum": "maximum",
    "every_operand": "concatenate dynamic_update_slice minimum pad",
    "product": "multiply",
    "nonzero_part": "negate",
    "power": "power",
    "select": "select",
    "constant": "chlo.constant constant",
    "reduction": "reduce",
}
# The names that printers give to results; of the others, numbers.
NAMES = {
    "f": "func.constant",
    "c": "constant",
    "cst": "arith.constant",
    "cast": "memref.cast tensor.cast",
    "dim": "tensor.dim",
    "from_elements": "tensor.from_elements",
    "extracted": "tensor.extract",
}
# Infix operators of Python.
OPERATORS = {
    "+": "add",
    "/": "divide",
    "*": "multiply",
    "%": "remainder",
    "-": "subtract",
}
# The versions that introduced ops after 0.9.0.
SINCE = {
    "1.4.0": "tan",
    "0.19.0": "composite",
    "0.16.0": "collective_broadcast",
    "1.19.0": "collective_reduce",
    "1.15.0": "async_done async_start",
}
# What stands for deprecated ops.
DEPRECATED = {
    "stablehlo.broadcast_in_dim": "broadcast",
    "stablehlo.dot_general": "dot einsum",
    "stablehlo.einsum": "unary_einsum",
    "the ops of the computation, applied to whole tensors": "map",
    "stablehlo.gather": "torch_index_select",
    "stablehlo.after_all without inputs": "create_token",
    "stablehlo.all_reduce": "cross-replica-sum",
}
# The only ops that may hold others.
PARENTS = {
    ("scf.while",): "scf.condition",
    ("scf.execute_region", "scf.for", "scf.if", "scf.index_switch", "scf.while"): "scf.yield",
}
# Work, operations for each unit of it, traffic, messages; of most ops, `("", 1, "all", "")`.
COSTS = {
    ("", 1, "none", ""): (
        "after_all async_done builtin.unrealized_conversion_cast cf.br cf.cond_br cf.switch chlo.constant "
        "composite constant create_token func.call func.call_indirect get_dimension_size "
        "get_tuple_element optimization_barrier partition_id replica_id reshape scf.condition scf.yield "
        "sdy.constant sdy.data_flow_edge sdy.func_data_flow_edge sdy.propagation_barrier "
        "sdy.sharding_constraint sdy.sharding_group tuple"
    ),
    ("", 1, "slice", ""): "dynamic_gather dynamic_slice gather real_dynamic_slice slice",
    ("", 1, "update", ""): "dynamic_update_slice",
    ("contraction", 1, "all", ""): "dot_general",
    ("matrix_product", 1, "all", ""): "dot",
    ("einsum", 1, "all", ""): "einsum unary_einsum",
    ("convolution", 1, "all", ""): "convolution dynamic_conv",
    ("reduction", 1, "all", ""): "reduce",
    ("map", 1, "all", ""): "map",
    ("normalization", 12, "all", ""): "batch_norm_grad",
    ("normalization", 4, "all", ""): "batch_norm_inference",
    ("normalization", 8, "all", ""): "batch_norm_training",
    ("window_reduction", 1, "all", ""): "reduce_window",
    ("select_and_scatter", 1, "all", ""): "select_and_scatter",
    ("scatter", 1, "scatter", ""): "scatter",
    ("sort", 1, "all", ""): "chlo.top_k sort",
    ("cholesky", 1, "all", ""): "cholesky",
    ("triangular_solve", 1, "all", ""): "triangular_solve",
    ("fft", 1, "all", ""): "fft",
    ("random", 1, "all", ""): "rng rng_bit_generator",
    ("", 1, "all", "gather"): "all_gather",
    ("combination", 1, "all", "reduce"): "all_reduce cross-replica-sum",
    ("", 1, "all", "exchange"): "all_to_all",
    ("", 1, "all", "from_one"): "collective_broadcast",
    ("", 1, "all", "pairs"): "collective_permute",
    ("combination", 1, "all", "to_one"): "collective_reduce",
    ("combination", 1, "all", "scattered_reduction"): "reduce_scatter",
    ("elementwise", 1, "all", ""): (
        "chlo.broadcast_add chlo.broadcast_and chlo.broadcast_atan2 chlo.broadcast_compare "
        "chlo.broadcast_complex chlo.broadcast_divide chlo.broadcast_maximum chlo.broadcast_minimum "
        "chlo.broadcast_multiply chlo.broadcast_next_after chlo.broadcast_or chlo.broadcast_polygamma "
        "chlo.broadcast_power chlo.broadcast_remainder chlo.broadcast_select chlo.broadcast_shift_left "
        "chlo.broadcast_shift_right_arithmetic chlo.broadcast_shift_right_logical chlo.broadcast_subtract "
        "chlo.broadcast_xor chlo.broadcast_zeta"
    ),
    ("ragged_contraction", 1, "all", ""): "chlo.ragged_dot",
}


def named(words: str) -> set[str]:
    """The full names of ops."""
    return {word if "." in word else f"stablehlo.{word}" for word in words.split()}


def by(value: Callable[[OpDef], Any]) -> dict[Any, set[str]]:
    """The names of ops by a value."""
    found = defaultdict(set)
    for definition in all_definitions():
        found[value(definition)].add(definition.name)
    return found


@pytest.mark.parametrize("trait", TRAITS)
def test_traits(trait: str) -> None:
    found = {each.name for each in all_definitions() if trait in each.traits}
    assert found == named(TRAITS[trait])


def test_all_traits() -> None:
    assert {trait for each in all_definitions() for trait in each.traits} == {*TRAITS, "pure"}
    assert {each.name for each in all_definitions() if "pure" not in each.traits} == named(NOT_PURE)


TABLES: list[tuple[dict[Any, str], Callable[[OpDef], Any], Any]] = [
    (SIGNS, lambda d: d.sign, ""),
    (NAMES, lambda d: d.result_name, ""),
    (OPERATORS, lambda d: d.operator, ""),
    (SINCE, lambda d: d.since, "0.9.0"),
    (DEPRECATED, lambda d: d.deprecated, ""),
    (PARENTS, lambda d: d.parents, ()),
    (COSTS, lambda d: (d.cost.work, d.cost.flops, d.cost.traffic, d.cost.messages), ("", 1, "all", "")),
]


@pytest.mark.parametrize(
    ("table", "value", "other"),
    TABLES,
    ids=["signs", "names", "operators", "since", "deprecated", "parents", "costs"],
)
def test_rows(table: dict[Any, str], value: Callable[[OpDef], Any], other: Any) -> None:
    found = by(value)
    del found[other]
    assert found == {key: named(words) for key, words in table.items()}


def test_ops_that_pass_shardings_on_before_others_do() -> None:
    """In Shardy's propagation by priority, what moves data without computing goes first."""
    early = "dynamic_slice dynamic_update_slice reshape sdy.data_flow_edge sdy.func_data_flow_edge transpose"
    assert {d.name for d in all_definitions() if d.sharding and d.sharding.early} == named(early)
