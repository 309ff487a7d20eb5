"""Rules of control flow, reductions, windows, gather, scatter, sort, collectives and CHLO: each case is a
valid program, changed by hand so that the rules with the given labels, and no others, say no."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

ADD = """({ ^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %s = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %s : tensor<f32> })"""
LESS = """({ ^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %s = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %s : tensor<i1> })"""
GIVE = "({ stablehlo.return %a : tensor<2xf32> })"

REDUCE = (
    '"stablehlo.reduce"(%a, %f) <{dimensions = array<i64: 0>}> '
    + ADD
    + " : (tensor<2xf32>, tensor<f32>) -> tensor<f32>"
)
WINDOW = (
    '"stablehlo.reduce_window"(%m, %f) <{window_dimensions = array<i64: 2, 1>, '
    "window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, "
    "window_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> "
    + ADD
    + " : (tensor<3x4xf32>, tensor<f32>) -> tensor<2x4xf32>"
)
SELECT_AND_SCATTER = (
    '"stablehlo.select_and_scatter"(%m, %src, %f) <{window_dimensions = array<i64: 3, 1>, '
    "window_strides = array<i64: 2, 1>, padding = dense<0> : tensor<2x2xi64>}> "
    + LESS[:-1].rstrip()
    + ", "
    + ADD[1:]
    + " : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<f32>) -> tensor<3x4xf32>"
)
GATHER = (
    '"stablehlo.gather"(%m, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
    "slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<5x1xi64>) -> tensor<5x4xf32>"
)
SCATTER = (
    '"stablehlo.scatter"(%m, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<'
    "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1>}> "
    + ADD
    + " : (tensor<3x4xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<3x4xf32>"
)
SORT = '"stablehlo.sort"(%a) <{dimension = 0 : i64}> ' + LESS + " : (tensor<2xf32>) -> tensor<2xf32>"
WHILE = """"stablehlo.while"(%f) ({
^bb0(%x: tensor<f32>): stablehlo.return %p : tensor<i1>
}, {
^bb0(%x: tensor<f32>): stablehlo.return %x : tensor<f32>
}) : (tensor<f32>) -> tensor<f32>"""
IF = f'"stablehlo.if"(%p) ({GIVE[1:-1]}, {GIVE[1:-1]}) : (tensor<i1>) -> tensor<2xf32>'
CASE = f'"stablehlo.case"(%n) ({GIVE[1:-1]}) : (tensor<i32>) -> tensor<2xf32>'
COMPOSITE = '"stablehlo.composite"(%f) <{name = "my.op", decomposition = @g}> : (tensor<f32>) -> tensor<f32>'
BATCH_NORM = (
    '"stablehlo.batch_norm_inference"(%m, %v, %v, %v, %v) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> '
    ": (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x4xf32>"
)
ALL_GATHER = (
    '"stablehlo.all_gather"(%m) <{all_gather_dim = 1 : i64, '
    "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x8xf32>"
)
ALL_TO_ALL = (
    '"stablehlo.all_to_all"(%m) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, '
    "split_count = 2 : i64, "
    "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<6x2xf32>"
)
ALL_REDUCE = (
    '"stablehlo.all_reduce"(%m) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> '
    + ADD
    + " : (tensor<3x4xf32>) -> tensor<3x4xf32>"
)
PERMUTE = (
    '"stablehlo.collective_permute"(%m) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> '
    ": (tensor<3x4xf32>) -> tensor<3x4xf32>"
)
TOP_K = "chlo.top_k(%m, k = 2) : tensor<3x4xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)"
BROADCAST_ADD = "chlo.broadcast_add %v, %m : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>"
SEND = (
    '"stablehlo.send"(%m, %t) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 2>, '
    "is_host_transfer = true}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token"
)

VALID = [
    REDUCE,
    WINDOW,
    SELECT_AND_SCATTER,
    GATHER,
    SCATTER,
    SORT,
    WHILE,
    IF,
    CASE,
    COMPOSITE,
    BATCH_NORM,
    ALL_GATHER,
    ALL_TO_ALL,
    ALL_REDUCE,
    PERMUTE,
    TOP_K,
    BROADCAST_ADD,
    SEND,
]

BROKEN = [
    (REDUCE, "i64: 0", "i64: 1", "reduce.C4"),
    (REDUCE, "-> tensor<f32>", "-> tensor<1xf32>", "reduce.C7"),
    (REDUCE, "-> tensor<f32>", "-> tensor<f64>", "reduce.C8"),
    (WINDOW, "window_strides = array<i64: 1, 1>", "window_strides = array<i64: 1, 0>", "reduce_window.C7"),
    (WINDOW, "tensor<2x4xf32>", "tensor<3x4xf32>", "reduce_window.C15"),
    (WINDOW, "dense<0> : tensor<2x2xi64>", "dense<0> : tensor<2x3xi64>", "reduce_window.C12"),
    (SELECT_AND_SCATTER, "-> tensor<3x4xf32>", "-> tensor<3x5xf32>", "select_and_scatter.C11"),
    (SELECT_AND_SCATTER, "-> tensor<3x4xf32>", "-> tensor<3x4xf64>", "select_and_scatter.C12"),
    (GATHER, "start_index_map = [0]", "start_index_map = [2]", "gather.C19"),
    (GATHER, "start_index_map = [0]", "start_index_map = [0, 1]", "gather.C3"),
    (GATHER, "array<i64: 1, 4>", "array<i64: 1, 3>", "gather.C22"),
    (GATHER, "-> tensor<5x4xf32>", "-> tensor<5x4xi32>", "gather.C23"),
    (SCATTER, "scatter_dims_to_operand_dims = [0]", "scatter_dims_to_operand_dims = [3]", "scatter.C21"),
    (SCATTER, "-> tensor<3x4xf32>", "-> tensor<3x5xf32>", "scatter.C24"),
    (SORT, "dimension = 0", "dimension = 1", "sort.C4"),
    (WHILE, "-> tensor<f32>", "-> tensor<1xf32>", "while.C3"),
    (WHILE, "return %p : tensor<i1>", "return %x : tensor<f32>", "while.C1"),
    (IF, "-> tensor<2xf32>", "-> tensor<3xf32>", "if.C3"),
    (CASE, "-> tensor<2xf32>", "-> tensor<2xi32>", "case.C4"),
    (COMPOSITE, "my.op", "my_op", "composite.C1"),
    (COMPOSITE, "-> tensor<f32>", "-> tensor<f64>", "composite.C4"),
    (BATCH_NORM, "feature_index = 1", "feature_index = 2", "batch_norm_inference.C1"),
    (BATCH_NORM, "-> tensor<3x4xf32>", "-> tensor<4x3xf32>", "batch_norm_inference.C7"),
    (ALL_GATHER, "[[0, 1]]", "[[1, 1]]", "all_gather.C2"),
    (ALL_GATHER, "[[0, 1]]", "[[0, 2]]", "all_gather.C4"),
    (ALL_GATHER, "tensor<3x8xf32>", "tensor<3x9xf32>", "all_gather.C6"),
    (ALL_TO_ALL, "split_count = 2", "split_count = 3", "all_to_all.C2 all_to_all.C8 all_to_all.C9"),
    (ALL_TO_ALL, "tensor<6x2xf32>", "tensor<6x4xf32>", "all_to_all.C9"),
    (ALL_REDUCE, "-> tensor<3x4xf32>", "-> tensor<4x3xf32>", "all_reduce.C6"),
    (PERMUTE, "[[0, 1], [1, 2]]", "[[0, 1], [0, 2]]", "collective_permute.C2"),
    (PERMUTE, "[[0, 1], [1, 2]]", "[[0, 1], [1, 1]]", "collective_permute.C3"),
    (PERMUTE, "-> tensor<3x4xf32>", "-> tensor<3x4xi32>", "collective_permute.C5"),
    (TOP_K, "k = 2", "k = 5", "chlo.top_k.U2 chlo.top_k.U3"),
    (TOP_K, "tensor<3x2xi32>", "tensor<3x2xi64>", "chlo.top_k.U5"),
    (BROADCAST_ADD, "-> tensor<3x4xf32>", "-> tensor<4x4xf32>", "chlo.broadcast_add.U2"),
    (SEND, "type = 2", "type = 1", "send.C5"),
]

SPEC_ONLY = [
    (REDUCE.replace("%f)", "%d)").replace("tensor<f32>) -> ", "tensor<f64>) -> "), "reduce.C2"),
    (ALL_GATHER.replace("tensor<3x8xf32>", "tensor<3x12xf32>"), "all_gather.C6"),
]


def program(op: str) -> str:
    """A function around an op that uses some of its inputs."""
    return f"""
func.func private @g(tensor<f32>) -> tensor<f32>
func.func @main(%a: tensor<2xf32>, %f: tensor<f32>, %d: tensor<f64>, %m: tensor<3x4xf32>, %v: tensor<4xf32>,
                %src: tensor<1x4xf32>, %i: tensor<5x1xi64>, %u: tensor<5x4xf32>, %p: tensor<i1>,
                %n: tensor<i32>, %t: !stablehlo.token) {{
  %r{":2" if op.startswith("chlo.top_k") else ""} = {op}
  return
}}
"""


def said(op: str) -> list[tuple[str, str]]:
    return [(d.severity, d.code) for d in shlo.verify(shlo.parse(program(op)))]


@pytest.mark.parametrize("op", VALID, ids=lambda op: op.split("(")[0].split(" ")[0].strip('"'))
def test_valid(op: str) -> None:
    assert said(op) == []


@pytest.mark.parametrize(("op", "old", "new", "code"), BROKEN, ids=[f"{b[3]}-{b[2]}" for b in BROKEN])
def test_these_rules_say_no(op: str, old: str, new: str, code: str) -> None:
    assert old in op
    assert {c for severity, c in said(op.replace(old, new)) if severity == "error"} == set(code.split())


@pytest.mark.parametrize(("op", "code"), SPEC_ONLY, ids=[code for _, code in SPEC_ONLY])
def test_only_the_specification_says_no(op: str, code: str) -> None:
    assert said(op) == [("warning", code)]
