# ruff: noqa: E501  (programs have long lines)
"""The sharding rules of ops, which follow from their definitions; the expected ones are Shardy's."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import DenseArrayAttr, OpaqueAttr
from stablehlo_py.ir.types import I64, TOKEN
from stablehlo_py.notation.scope import scope_of
from stablehlo_py.notation.terms import parse
from stablehlo_py.opset.definition import all_definitions
from stablehlo_py.sharding.custom_calls import custom_call_rule
from stablehlo_py.sharding.factor_rules import ALGORITHMS
from stablehlo_py.sharding.op_rules import derived_rule, elementwise_rule, is_elementwise
from stablehlo_py.sharding.rules import parse_rule
from stablehlo_py.sharding.values import inputs_of

FIRST = "{\n^bb0(%p0: tensor<f32>, %q0: tensor<f32>):\nstablehlo.return %p0 : tensor<f32>\n}"
GREATER = FIRST.replace(
    "stablehlo.return %p0 : tensor<f32>",
    "%t0 = stablehlo.compare GE, %p0, %q0 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "stablehlo.return %t0 : tensor<i1>",
)
GROUPS = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
CASES = [
    (
        "%r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
        "(tensor<4x8x16xf32>, tensor<4x16x32xf32>) -> tensor<4x8x32xf32>",
        "([i, j, l], [i, l, k])->([i, j, k]) {i=4, j=8, k=32, l=16} reduction={l}",
    ),
    (
        "%r = stablehlo.select %a, %b, %c : (tensor<i1>, tensor<4x2xf32>, tensor<4x2xf32>) -> "
        "tensor<4x2xf32>",
        "([], [i, j], [i, j])->([i, j]) {i=4, j=2}",
    ),
    (  # 2 groups of 2 elements of the batch, each with 2 of the 4 features of the result
        "%r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} "
        "{batch_group_count = 2 : i64, feature_group_count = 1 : i64} : "
        "(tensor<4x1x3xf32>, tensor<1x3x4xf32>) -> tensor<2x1x4xf32>",
        "([ij, m, k], [n, k, il])->([j, o, il]) {i=2, j=2, k=3, l=2, m=1, n=1, o=1} reduction={k}",
    ),
    (
        "%r = stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<2x16xf32>",
        "([ij, k])->([i, jk]) {i=2, j=4, k=4}",
    ),
    (
        "%r = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<2x1x3xf32>",
        "([ik])->([i, j, k]) {i=2, j=1, k=3}",
    ),
    # 3 and 2 have nothing in common. The rest of 6 makes up for that on the right, a factor 2 of 8 on the left,
    # so that the last 2 of 6 and the last dimension are the same as the rest of 8.
    (
        "%r = stablehlo.reshape %a : (tensor<3x8xf32>) -> tensor<2x6x2xf32>",
        "([i, lmn])->([j, km, n]) {i=3, j=2, k=3, l=2, m=2, n=2}",
    ),
    (
        "%r = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>",
        "([i, k])->([j, k]) {i=1, j=3, k=4}",
    ),
    (
        "%r = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<3x1x4xf32>",
        "([j, k])->([i, j, k]) {i=3, j=1, k=4}",
    ),
    (
        "%r = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>",
        "([j, i])->([i, j]) {i=4, j=3}",
    ),
    (
        "%r = stablehlo.slice %a [0:4, 1:3] : (tensor<4x6xf32>) -> tensor<4x2xf32>",
        "([i, j])->([i, j]) {i=4, j=6} permutation={j}",
    ),
    (
        "%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<6x6xf32>",
        "([i, j], [i, j])->([i, j]) {i=6, j=6} need_replication={i}",
    ),
    (
        "%r = stablehlo.dynamic_slice %a, %b, %c, sizes = [4, 2] : "
        "(tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>",
        "([i, j], [], [])->([i, j]) {i=4, j=6} need_replication={j} blocked_propagation={j}",
    ),
    (
        "%r = stablehlo.dynamic_update_slice %a, %b, %c, %d : "
        "(tensor<4x6xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>",
        "([i, j], [i, k], [], [])->([i, j]) {i=4, j=6, k=2} need_replication={k}",
    ),
    (
        "%r = stablehlo.fft %a, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> "
        "tensor<4x8xcomplex<f32>>",
        "([i, j])->([i, j]) {i=4, j=8} need_replication={j}",
    ),
    (
        "%r = stablehlo.cholesky %a : tensor<2x3x3xf32>",
        "([i, j, k])->([i, j, k]) {i=2, j=3, k=3} need_replication={j, k}",
    ),
    (
        "%r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>",
        "([i, j, k], [m, k, l])->([i, j, l]) {i=2, j=6, k=4, l=6, m=1} reduction={k} permutation={j}",
    ),
    (
        '%r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
        "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
        "slice_sizes = array<i64: 1, 8>}> : (tensor<16x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>",
        "([k, j], [i, l])->([i, j]) {i=4, j=8, k=16, l=1} reduction={k} need_replication={l}",
    ),
    *[
        (
            f'%r = "stablehlo.triangular_solve"(%a, %b) <{{left_side = {left}, lower = true, '
            f"transpose_a = #stablehlo<transpose {transpose}>, unit_diagonal = false}}> : "
            f"(tensor<2x{n}x{n}xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>",
            f"{dims} {{i=2, j=3, k=5, l={n}}} need_replication={{j, k, l}}",
        )
        for left, transpose, n, dims in (
            ("true", "NO_TRANSPOSE", 3, "([i, j, l], [i, j, k])->([i, l, k])"),
            ("true", "TRANSPOSE", 3, "([i, l, j], [i, j, k])->([i, l, k])"),
            ("false", "NO_TRANSPOSE", 5, "([i, l, k], [i, j, k])->([i, j, l])"),
            ("false", "ADJOINT", 5, "([i, k, l], [i, j, k])->([i, j, l])"),
        )
    ],
    (
        "%r = stablehlo.pad %a, %b, low = [1, 0], high = [0, 0], interior = [0, 0] : "
        "(tensor<4x6xf32>, tensor<f32>) -> tensor<5x6xf32>",
        "([i, j], [])->([i, j]) {i=4, j=6} permutation={i}",
    ),
    (
        "%r = stablehlo.reverse %a, dims = [1] : tensor<4x6xf32>",
        "([i, j])->([i, j]) {i=4, j=6} permutation={j}",
    ),
    (
        "%r = stablehlo.bitcast_convert %a : (tensor<4x2xf32>) -> tensor<4x2x4xi8>",
        "([i, j])->([i, j, k]) {i=4, j=2, k=4} need_replication={k}",
    ),
    (
        "%r = stablehlo.bitcast_convert %a : (tensor<4x2x4xi8>) -> tensor<4x2xf32>",
        "([i, j, k])->([i, j]) {i=4, j=2, k=4} need_replication={k}",
    ),
    (
        "%r = stablehlo.bitcast_convert %a : (tensor<4x2xf32>) -> tensor<4x2xi32>",
        "([i, j])->([i, j]) {i=4, j=2}",
    ),
    (
        "%r = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>",
        "([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}",
    ),
    (
        "%r = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>",
        "([i, j], [j])->([i]) {i=4, j=8} reduction={j}",
    ),
    (
        "%r = stablehlo.dot %a, %b : (tensor<8xf32>, tensor<8x6xf32>) -> tensor<6xf32>",
        "([j], [j, i])->([i]) {i=6, j=8} reduction={j}",
    ),
    (
        '%r = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 '
        ": i64}> : (tensor<4x8x6xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> "
        "tensor<4x8x6xf32>",
        "([i, j, k], [j], [j], [j], [j])->([i, j, k]) {i=4, j=8, k=6}",
    ),
    (
        "%r = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : "
        "(tensor<4x8x6xf32>, tensor<f32>) -> tensor<4x6xf32>",
        "([i, j, k], [])->([i, k]) {i=4, j=8, k=6} reduction={j}",
    ),
    *[
        (
            f'%r = "stablehlo.reduce_window"(%a, %b) <{{window_dimensions = array<i64: {window}>}}> ({FIRST}) : '
            f"(tensor<4x6xf32>, tensor<f32>) -> tensor<{shape}xf32>",
            f"([i, j], [])->([i, j]) {{{rule}",
        )
        for window, shape, rule in (
            ("1, 1", "4x6", "i=4, j=6}"),
            ("1, 2", "4x5", "i=4, j=5} permutation={j}"),
            ("2, 1", "3x6", "i=3, j=6} permutation={i}"),
            ("2, 2", "3x5", "i=3, j=5} permutation={i, j}"),
        )
    ],
    (
        '%r = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 1, 2>, '
        f"window_strides = array<i64: 1, 2>}}> ({GREATER}, {FIRST}) : "
        "(tensor<4x6xf32>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x6xf32>",
        "([i, k], [i, j], [])->([i, k]) {i=4, j=3, k=6} need_replication={j} permutation={k}",
    ),
    (
        f'%r = "stablehlo.sort"(%a) <{{dimension = 1 : i64}}> ({GREATER}) : (tensor<4x6xf32>) -> tensor<4x6xf32>',
        "([i, j])->([i, j]) {i=4, j=6} need_replication={j}",
    ),
    (
        "%r:2 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> "
        "(tensor<2xui64>, tensor<4x6xui32>)",
        "([i])->([i], [j, k]) {i=2, j=4, k=6} need_replication={i} blocked_propagation={i}",
    ),
    (
        f'%r = "stablehlo.all_gather"(%a) <{{all_gather_dim = 1 : i64, {GROUPS}}}> : (tensor<4x6xf32>) -> '
        "tensor<4x12xf32>",
        "([i, j])->([i, k]) {i=4, j=6, k=12} need_replication={j, k}",
    ),
    (
        f'%r = "stablehlo.reduce_scatter"(%a) <{{scatter_dimension = 1 : i64, {GROUPS}}}> ({FIRST}) : '
        "(tensor<4x6xf32>) -> tensor<4x3xf32>",
        "([i, j])->([i, k]) {i=4, j=6, k=3} need_replication={j, k}",
    ),
    (
        '%r = "stablehlo.all_to_all"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 '
        f": i64, {GROUPS}}}> : (tensor<4x6xf32>) -> tensor<8x3xf32>",
        "([k, i])->([l, j]) {i=6, j=3, k=4, l=8} need_replication={i, j, k, l}",
    ),
    *[
        (
            f'%r = "stablehlo.{op}"(%a) <{{{pairs}}}> {body}: (tensor<4x6xf32>) -> tensor<4x6xf32>',
            "([i, j])->([i, j]) {i=4, j=6}",
        )
        for op, pairs, body in (
            ("all_reduce", GROUPS, f"({FIRST}) "),
            ("collective_broadcast", GROUPS, ""),
            ("collective_permute", GROUPS.replace("replica_groups", "source_target_pairs"), ""),
            ("cross-replica-sum", GROUPS, ""),
        )
    ],
    (
        "%r = stablehlo.custom_call @mhlo.topk(%a) : (tensor<4x8xf32>) -> tensor<4x2xf32>",
        "([i, j])->([i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}",
    ),
    *[
        (
            f"%r:2 = stablehlo.custom_call @{target}(%a, %b, %c, %d) : (tensor<4x8xf32>, tensor<4x8xi32>, "
            "tensor<f32>, tensor<i32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)",
            "([i, j], [i, j], [], [])->([i, k], [i, k]) {i=4, j=8, k=2} need_replication={k} "
            "blocked_propagation={k}",
        )
        for target in ("ApproxTopK", "PartialReduce")
    ],
    (  # vectors, of which there is one for each value
        "%r:2 = stablehlo.custom_call @Eigh(%a) : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)",
        "([i, j, k])->([i, j, k], [i, k]) {i=2, j=4, k=4}",
    ),
    *[
        (
            f"%r:2 = stablehlo.custom_call @{target}(%a) "
            ": (tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>)",
            "([i, j, k])->([i, j, k], [i, l]) {i=2, j=5, k=3, l=3} need_replication={j, k, l}",
        )
        for target in ("Qr", "QrDecompositionBlock")
    ],
    (
        "%r = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %b) "
        ": (tensor<2x5x3xf32>, tensor<2x4xf32>) -> tensor<2x5x3xf32>",
        "([i, j, k], [i, l])->([i, j, k]) {i=2, j=5, k=3, l=4} need_replication={j, k, l}",
    ),
]


def op_of(text: str) -> shlo.Operation:
    """The op of a text, whose operands are arguments of a function."""
    names = re.findall(r"%(\w)\b", text.partition(" = ")[2])  # those in regions have two letters
    types = text.rpartition(" : ")[2].partition(" -> ")[0].strip("()")
    found = re.findall(r"tensor<[^<>]*(?:<[^<>]*>)?>", types)
    found = found if len(found) == len(names) else found * len(names)
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip(names, found, strict=True))
    return (
        shlo.parse(f"func.func @f({arguments}) {{\n{text}\nreturn\n}}").functions["f"].regions[0].block.ops[0]
    )


@pytest.mark.parametrize(
    ("text", "expected"), CASES, ids=lambda text: text.split(" ")[2] if "%" in text else ""
)
def test_rules(text: str, expected: str) -> None:
    rule = derived_rule(op_of(text))
    assert rule is not None
    assert rule.to_attribute().text == f"#sdy.op_sharding_rule<{expected}>"


@pytest.mark.parametrize(
    ("operands", "kind"),
    [
        ("%a, %a", "need_replication"),
        ("%c, %d", "permutation"),  # a rotation
        ("%a, %c", "permutation"),
        ("%c, %a, %d", "permutation"),
        ("%b, %c", "need_replication"),  # of another tensor
    ],
)
def test_concatenations_of_a_tensor_and_its_slices(operands: str, kind: str) -> None:
    count = operands.count("%")
    text = f"""func.func @f(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>) {{
      %c = stablehlo.slice %a [1:5:1, 0:2] : (tensor<4x2xf32>) -> tensor<4x2xf32>
      %d = stablehlo.slice %a [0:4:1, 0:2] : (tensor<4x2xf32>) -> tensor<4x2xf32>
      %r = stablehlo.concatenate {operands}, dim = 0
        : ({", ".join(["tensor<4x2xf32>"] * count)}) -> tensor<{4 * count}x2xf32>
      return
    }}"""
    (op,) = [op for op in shlo.parse(text).walk() if op.name == "stablehlo.concatenate"]
    rule = derived_rule(op)
    assert rule is not None
    assert rule.kinds == (kind, "pass_through")


@pytest.mark.parametrize(
    ("body", "element", "kind"),
    [
        ("add %x, %y", "f32", "reduction"),
        ("add %y, %x", "f32", "reduction"),
        ("maximum %x, %y", "i32", "reduction"),
        ("and %x, %y", "i1", "reduction"),
        ("and %x, %y", "i32", "need_replication"),
        ("or %x, %y", "i1", "reduction"),
        ("subtract %x, %y", "f32", "need_replication"),
        ("add %x, %x", "f32", "need_replication"),
    ],
)
def test_scatters_along_their_updates(body: str, element: str, kind: str) -> None:
    """Parts can be combined if the body is one op that takes both values in any order."""
    types = f"tensor<4x2x{element}>, tensor<3x1xi32>, tensor<3x2x{element}>"
    text = f"""func.func @f(%a: tensor<4x2x{element}>, %i: tensor<3x1xi32>, %u: tensor<3x2x{element}>) {{
      %r = "stablehlo.scatter"(%a, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
        index_vector_dim = 1>}}> ({{
      ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):
        %s = stablehlo.{body} : tensor<{element}>
        stablehlo.return %s : tensor<{element}>
      }}) : ({types}) -> tensor<4x2x{element}>
      return
    }}"""
    (op,) = [op for op in shlo.parse(text).walk() if op.name == "stablehlo.scatter"]
    rule = derived_rule(op)
    assert rule is not None
    (factor,) = rule.operands[2][0]
    assert rule.operands[1][0] == (factor,)
    assert rule.kinds[factor] == kind


def test_a_custom_call_without_a_rule() -> None:
    assert (
        derived_rule(op_of("%r = stablehlo.custom_call @foo(%a) : (tensor<4xf32>) -> tensor<4xf32>")) is None
    )


def test_custom_calls_by_element_whose_result_is_no_tensor() -> None:
    """The rule has a factor for each dimension of the result."""
    call = "stablehlo.custom_call @Cholesky(%a) : (tensor<4x2xf32>) -> {}"
    rule = custom_call_rule(op_of("%r = " + call.format("tensor<4x2xf32>")))
    assert rule is not None
    assert rule.to_attribute().text == "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=2}>"
    assert custom_call_rule(op_of("%r = " + call.format("tuple<tensor<4x2xf32>>"))) is None
    text = f"func.func @main(%a: tensor<4x2xf32>) {{\n{call.format('()')}\nreturn\n}}"
    (op,) = [op for op in shlo.parse(text).walk() if op.name == "stablehlo.custom_call"]
    assert custom_call_rule(op) is None


def test_a_rule_of_an_invalid_op() -> None:
    """There is none without the dimension that a dimension of the operand has in the result."""
    op = op_of("%r = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>")
    assert derived_rule(op) is not None
    op.properties["permutation"] = DenseArrayAttr(I64, (1, 5))
    assert derived_rule(op) is None
    text = '"stablehlo.abs"(%a) : (tensor<3x4xf32>) -> {}'
    op = op_of(f"%r = {text.format('tensor<3x4xf32>')}")
    assert derived_rule(op) is not None
    op.results[0].type = TOKEN
    assert derived_rule(op) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%r = chlo.tan %a : tensor<4x2xf32> -> tensor<4x2xf32>", "([i, j])->([i, j]) {i=4, j=2}"),
        (
            "%r = chlo.next_after %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>",
            "([i], [i])->([i]) {i=4}",
        ),
        ("%r = chlo.broadcast_add %a, %b : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>", None),
        ("%r = chlo.tan %a : tensor<?x2xf32> -> tensor<?x2xf32>", None),
        ("%r = stablehlo.reverse %a, dims = [1] : tensor<4x6xf32>", None),
    ],
)
def test_elementwise_ops_of_one_shape(text: str, expected: str | None) -> None:
    rule = elementwise_rule(op_of(text))
    assert (rule and rule.to_attribute().text) == (expected and f"#sdy.op_sharding_rule<{expected}>")


def test_ops_without_a_definition() -> None:
    (op,) = [
        op for op in shlo.parse('"x.y"() : () -> ()', allow_unregistered=True).walk() if op.name == "x.y"
    ]
    assert not is_elementwise(op)
    assert inputs_of(op) == {}
    assert elementwise_rule(op) is None


def test_rules_are_read() -> None:
    sizes = ", ".join(f"{letter}=1" for letter in "klmnopqrstuvwxyz")
    text = (
        f"#sdy.op_sharding_rule<([ij, z_1])->([i, j]) {{i=2, j=4, {sizes}, z_1=3}} "
        "need_replication={j} blocked_propagation={i}, custom>"
    )
    rule = parse_rule(OpaqueAttr(text))
    assert rule is not None and rule.is_custom
    assert rule.operands == (((0, 1), (18,)),)
    assert rule.sizes[:2] == (2, 4) and rule.sizes[18] == 3
    assert rule.kinds[1] == "need_replication" and rule.blocked == {0}
    assert rule.to_attribute().text == text


def test_every_stated_rule_is_well_formed() -> None:
    for definition in all_definitions():
        stated = definition.sharding
        if stated is None:
            continue
        assert not stated.algorithm or stated.algorithm in ALGORITHMS
        names = {*[p.name for p in definition.operands], *[p.name for p in definition.outputs], "*"}
        for row in stated.factors:
            assert {name for name, _ in row.dims} <= names, definition.name
            for formula in row.formulas():
                scope_of(definition).compiler().compile(parse(formula))
