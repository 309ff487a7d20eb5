"""Result types are checked at run time for ops whose shapes no constraint determines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.interpreter.deferred import ResultTypes, _type_of
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.syntax.parser import parse_type


def op(text: str, operands: str, results: str) -> str:
    types = operands.split(", ")
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip("abcd", types, strict=False))
    return f"""func.func @main({arguments}) -> {results} {{
  %r = {text} : ({operands}) -> {results}
  return %r : {results}
}}"""


I1 = "tensor<1xi64>"
OPEN = [
    (
        op(
            '"stablehlo.einsum"(%a, %b) {einsum_config = "ab,bc->ac"}',
            "tensor<1x2xf32>, tensor<2x1xf32>",
            "tensor<3xf32>",
        ),
        [np.ones((1, 2), np.float32), np.ones((2, 1), np.float32)],
        "tensor<1x1xf32>, and its type is tensor<3xf32>",
    ),
    (
        op('"stablehlo.unary_einsum"(%a) {einsum_config = "ab->a"}', "tensor<3x2xf32>", "tensor<2xf32>"),
        [np.ones((3, 2), np.float32)],
        "tensor<3xf32>, and its type is tensor<2xf32>",
    ),
    (
        op('"stablehlo.dynamic_iota"(%a) {iota_dimension = 0 : i64}', I1, "tensor<4xi32>"),
        [np.array([7])],
        "tensor<7xi32>, and its type is tensor<4xi32>",
    ),
    (
        op(
            '"stablehlo.dynamic_pad"(%a, %p, %b, %b, %c)',
            "tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>",
            "tensor<4xf32>",
        ).replace(
            "%a: tensor<2xf32>, %b: tensor<f32>, %c: tensor<1xi64>, %d: tensor<1xi64>",
            "%a: tensor<2xf32>, %p: tensor<f32>, %b: tensor<1xi64>, %c: tensor<1xi64>",
        ),
        [np.ones(2, np.float32), np.float32(0), np.array([2]), np.array([0])],
        "stablehlo.dynamic_pad (C4): shape(result) = shape(operand) + low",
    ),
    (
        op(
            '"stablehlo.real_dynamic_slice"(%a, %b, %c, %d)',
            f"tensor<5xf32>, {I1}, {I1}, {I1}",
            "tensor<4xf32>",
        ),
        [np.ones(5, np.float32), np.array([0]), np.array([3]), np.array([1])],
        "tensor<3xf32>, and its type is tensor<4xf32>",
    ),
    (
        op(
            '"stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 0>}',
            f"tensor<1xf32>, {I1}",
            "tensor<4xf32>",
        ),
        [np.ones(1, np.float32), np.array([3])],
        "tensor<3xf32>, and its type is tensor<4xf32>",
    ),
    (
        op('"stablehlo.dynamic_reshape"(%a, %b)', "tensor<6xf32>, tensor<2xi64>", "tensor<2x3xf32>"),
        [np.ones(6, np.float32), np.array([3, 2])],
        "tensor<3x2xf32>, and its type is tensor<2x3xf32>",
    ),
    (
        op(
            '"stablehlo.torch_index_select"(%a, %b) {dim = 0 : i64, batch_dims = 0 : i64}',
            "tensor<5x2xf32>, tensor<3xi32>",
            "tensor<3x4xf32>",
        ),
        [np.ones((5, 2), np.float32), np.zeros(3, np.int32)],
        "tensor<3x2xf32>, and its type is tensor<3x4xf32>",
    ),
    (
        op("stablehlo.optimization_barrier %a", "tensor<?xf32>", "tensor<4xf32>")
        .replace(
            "(tensor<?xf32>) -> tensor<4xf32>\n",
            'tensor<?xf32>\n  %s = "stablehlo.optimization_barrier"(%r) : (tensor<?xf32>) -> tensor<4xf32>\n',
        )
        .replace("return %r", "return %s"),
        [np.ones(3, np.float32)],
        "tensor<3xf32>, and its type is tensor<4xf32>",
    ),
    # Without elements, a result is known before the run, but not that it is right.
    (
        op('"stablehlo.dynamic_reshape"(%a, %b)', f"tensor<?xf32>, {I1}", "tensor<0xf32>"),
        [np.ones(3, np.float32), np.array([0])],
        "stablehlo.dynamic_reshape (U2): size(operand) = product(values(constant_value(output_shape)))",
    ),
    (
        op('"stablehlo.reverse"(%a) {dimensions = array<i64: 0>}', "tensor<?xf32>", "tensor<0xf32>"),
        [np.ones(3, np.float32)],
        "stablehlo.reverse (C1): type(operand) = type(result)",
    ),
]


@pytest.mark.parametrize(("text", "inputs", "message"), OPEN)
def test_a_result_of_another_shape_is_an_error_at_the_op(text: str, inputs: list[Any], message: str) -> None:
    module = shlo.parse(text)
    with pytest.raises(shlo.RunError) as caught:
        shlo.run(module, inputs)
    assert message in str(caught.value)
    assert caught.value.diagnostic is not None and caught.value.diagnostic.line > 1


def test_a_constant_shape_is_compared_as_well() -> None:
    """Constant folding leaves to the run what has another shape."""
    text = """func.func @main() -> tensor<4xf32> {
      %x = stablehlo.constant dense<1.0> : tensor<6xf32>
      %0 = "stablehlo.einsum"(%x, %x) {einsum_config = "a,a->"}
        : (tensor<6xf32>, tensor<6xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    with pytest.raises(shlo.RunError, match=r"tensor<f32>, and its type is tensor<4xf32>"):
        shlo.run(shlo.parse(text))


def test_branches_give_what_the_result_states() -> None:
    text = """func.func @main(%p: tensor<i1>, %x: tensor<?xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.if"(%p) ({
        stablehlo.return %x : tensor<?xf32>
      }, {
        stablehlo.return %x : tensor<?xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    module = shlo.parse(text)
    assert shlo.run(module, [True, np.ones(4, np.float32)])[0].shape == (4,)
    with pytest.raises(shlo.RunError, match="tensor<3xf32>, and its type is tensor<4xf32>"):
        shlo.run(module, [True, np.ones(3, np.float32)])


def test_collectives_whose_result_depends_on_the_grid() -> None:
    """Four processes make four rows out of one; the type says two."""
    text = """func.func @main(%x: tensor<1x2xf32>) -> tensor<2x2xf32> {
      %0 = "stablehlo.all_gather"(%x) {
        all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}
        : (tensor<1x2xf32>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    }"""
    module = shlo.parse(text)
    given = [np.ones((1, 2), np.float32)]
    assert shlo.run(module, given, replicas=2)[0].shape == (2, 2)
    with pytest.raises(shlo.RunError, match="tensor<4x2xf32>, and its type is tensor<2x2xf32>"):
        shlo.run(module, given, replicas=4)


def test_a_proved_program_has_no_checks() -> None:
    text = """func.func @main(%x: tensor<4x4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0]
        : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [0]
        : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    }"""
    module = shlo.parse(text)
    plan = ModuleLowering(module, lambda step, operands, functions: None)["main"]
    assert not [step.name for step in plan.steps if step.name.startswith("check")]


def test_the_type_of_a_tuple_with_a_token() -> None:
    """A token is no array; its type is the stated one."""
    stated = parse_type("tuple<tensor<2xf32>, !stablehlo.token>")
    found = _type_of((np.zeros(3, np.float32), None), stated)
    assert str(found) == "tuple<tensor<3xf32>, !stablehlo.token>"


F32, F64 = np.zeros(3, np.float32), np.zeros(3, np.float64)


@pytest.mark.parametrize(
    ("type", "value", "found"),
    [
        ("tensor<3xf32>", F32, None),
        ("tensor<?xf32>", F32, None),
        ("tensor<3xf32>", F64, "tensor<3xf64>"),
        ("tensor<?xf32>", F64, "tensor<3xf64>"),
        ("tensor<4xf32>", F32, "tensor<3xf32>"),
        ("tensor<?xf32, #stablehlo.bounds<3>>", F32, None),
        ("tensor<?xf32, #stablehlo.bounds<2>>", F32, "tensor<3xf32>"),
        ("tuple<tensor<3xf32>, tensor<3xf64>>", (F32, F64), None),
        ("tuple<tensor<3xf32>, tensor<3xf64>>", (F32, F32), "tuple<tensor<3xf32>, tensor<3xf32>>"),
        ("!stablehlo.token", None, None),
    ],
)
def test_values_are_compared_with_the_types_of_results(type: str, value: Any, found: str | None) -> None:
    module = shlo.parse(f"""func.func @main() -> {type} {{
  %r = "stablehlo.custom_call"() {{call_target_name = "f", has_side_effect = true}} : () -> {type}
  return %r : {type}
}}""")
    op, _ = module.functions["main"].entry_block.ops
    messages = [each.message for each in ResultTypes(module, op).violations([value])]
    wanted = f"stablehlo.custom_call: result #0 is {found}, and its type is {type}"
    assert messages == ([] if found is None else [wanted])
