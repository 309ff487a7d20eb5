"""Deferred checks: constraints on dynamic dimensions, evaluated with actual shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.verifier import deferred
from stablehlo_py.verifier.deferred import deferred_checks

ADD = """func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
TO_STATIC = """func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
DOT = """func.func @main(%a: tensor<2x?xf32>, %b: tensor<?x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<2x?xf32>, tensor<?x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
"""
BROADCAST = """func.func @main(%a: tensor<?x1xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1]
    : (tensor<?x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""
RESHAPE = """func.func @main(%a: tensor<?xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""
LOOP = """func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<?xf32>
  cond {
    %1 = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.subtract %i, %one : tensor<i32>
    %2 = stablehlo.add %x, %b : tensor<?xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<?xf32>
  }
  return %0#1 : tensor<?xf32>
}
"""


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def sizes(*values: int, of: type = np.int32) -> np.ndarray:
    return np.array(values, of)


@pytest.mark.parametrize(
    ("text", "good", "bad", "code"),
    [
        (ADD, [ones(3), ones(3)], [ones(3), ones(1)], "add.C1"),  # NumPy would broadcast
        (TO_STATIC, [ones(4), ones(4)], [ones(3), ones(3)], "add.C1"),
        (DOT, [ones(2, 3), ones(3, 5)], [ones(2, 3), ones(4, 5)], "dot_general.C10"),
        (
            BROADCAST,
            [ones(3, 1), sizes(3, 2)],
            [ones(3, 1), sizes(4, 2)],
            "dynamic_broadcast_in_dim.U2",
        ),
        (
            RESHAPE,
            [ones(6), sizes(2, 3, of=np.int64)],
            [ones(6), sizes(2, 4, of=np.int64)],
            "dynamic_reshape.U2",
        ),
        (LOOP, [ones(2), ones(2), np.int32(2)], [ones(2), ones(1), np.int32(2)], "add.C1"),
    ],
)
def test_a_rule_that_holds_and_one_that_does_not(
    text: str, good: list[np.ndarray], bad: list[np.ndarray], code: str
) -> None:
    module = shlo.parse(text, "model.mlir")
    assert shlo.verify(module) == []
    program = shlo.compile(module)
    program(*good)
    with pytest.raises(shlo.RunError, match=r"^model\.mlir:\d+:\d+: error: stablehlo\.") as caught:
        program(*bad)
    assert caught.value.diagnostic is not None
    assert caught.value.diagnostic.code == code
    program(*good)


def test_the_error_has_the_values() -> None:
    with pytest.raises(shlo.RunError) as caught:
        shlo.run(shlo.parse(DOT), [ones(2, 3), ones(4, 5)])
    assert "dim(lhs, [1]) is [3]      %a : tensor<2x3xf32>" in str(caught.value)
    assert "dim(rhs, [0]) is [4]      %b : tensor<4x5xf32>" in str(caught.value)


def named(module: Module, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == name)


def test_only_what_is_open_is_checked() -> None:
    module = shlo.parse(DOT)
    checks = deferred_checks(module, named(module, "stablehlo.dot_general"))
    assert checks is not None and checks.labels == {"C10"}


def test_static_programs_have_no_checks() -> None:
    module = shlo.parse(DOT.replace("?", "3"))
    assert deferred_checks(module, named(module, "stablehlo.dot_general")) is None
    assert "check" not in str(shlo.compile(module).plan)
    assert deferred_checks(module, Operation("unknown.op")) is None


def test_a_rule_that_a_dynamic_type_decides_needs_no_check() -> None:
    text = """func.func @main(%a: tensor<?xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}
"""
    module = shlo.parse(text)
    assert deferred_checks(module, named(module, "stablehlo.get_dimension_size")) is None


@pytest.mark.parametrize(
    ("value", "shows"),
    [
        (np.array([3, 4]), True),
        (np.array(3), True),
        (np.array([[1, 2], [3, 4]], np.int8), True),
        (np.arange(64), True),
        (np.arange(65), False),
        (np.ones((1, 1, 2), np.int64), False),
        (np.array([True, False]), False),
        (np.float32([1, 2]), False),
        ((np.array([3]),), False),
    ],
)
def test_operands_whose_values_constraints_read(value: Any, shows: bool) -> None:
    """Short lists and tables of integers, such as shapes, starts and groups; of others, the shape alone."""
    assert deferred._is_list_of_sizes(value) is shows
    shape = getattr(value, "shape", None)
    assert deferred._appearance(value) == ((shape, value.tobytes()) if shows else shape)


def test_a_rule_whose_formula_has_no_value_is_open() -> None:
    """Of a dimension that is not there: C9 asks for the sizes of batches, C12 for those of the result."""
    text = """func.func @main(%a: tensor<?xf32>, %b: tensor<?x?xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [3] x [0], contracting_dims = [0] x [1]
    : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
    module = shlo.parse(text)
    checks = deferred_checks(module, named(module, "stablehlo.dot_general"))
    assert checks is not None and checks.labels >= {"C9", "C12"}
