"""How far shardings propagate at each priority, and which edge an operand is a source of."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.core import Operation, Use
from stablehlo_py.sharding import propagation
from stablehlo_py.sharding.data_flow import edge_of, edge_of_use
from stablehlo_py.sharding.factor_propagation import BACKWARD, BOTH, FORWARD, NONE
from stablehlo_py.sharding.op_rules import rule_of

OPS = """func.func @main(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %s: tensor<4xf32>) -> tensor<4x8xf32> {
  %neg = stablehlo.negate %a : tensor<4x6xf32>
  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %d = stablehlo.dot_general %neg, %t, contracting_dims = [1] x [1]
      : (tensor<4x6xf32>, tensor<8x6xf32>) -> tensor<4x8xf32>
  %e = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %x = stablehlo.exponential %s : tensor<4xf32>
  %r = stablehlo.add %d, %e : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}"""


@pytest.mark.parametrize(
    ("value", "kind", "directions"),
    [  # at priorities 0 to 4: elementwise ops of one use, of several, along pass-through factors, along any
        ("%neg", "pass_through", [BOTH, BOTH, BOTH, BOTH, BOTH]),
        ("%x", "pass_through", [NONE, BOTH, BOTH, BOTH, BOTH]),  # its operand has two uses
        ("%d", "pass_through", [NONE, NONE, BOTH, BOTH, BOTH]),
        ("%d", "reduction", [NONE, NONE, NONE, BOTH, BOTH]),
        ("%e", "pass_through", [NONE, NONE, BACKWARD, BACKWARD, BOTH]),
    ],
)
def test_directions(value: str, kind: str, directions: list[int]) -> None:
    (op,) = [op for op in shlo.parse(OPS).walk() if op.results and str(op.results[0]) == value]
    rule = rule_of(op)
    assert rule is not None
    factor = rule.kinds.index(kind)
    found = [propagation._direction(op, rule, factor, priority) for priority in range(5)]
    assert found == directions
    assert NONE != FORWARD != BACKWARD


FLOW = """func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<4xf32> cond {
    %c = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %y : tensor<i32>, tensor<4xf32>
  }
  %e = sdy.data_flow_edge %w#1 : tensor<4xf32>
  %f = "stablehlo.case"(%n) ({
    stablehlo.return %e : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  %g = sdy.data_flow_edge %f : tensor<4xf32>
  return %e, %g : tensor<4xf32>, tensor<4xf32>
}"""


def test_edges_of_sources_and_targets() -> None:
    ops = list(shlo.parse(FLOW).walk())

    def named(name: str) -> list[Operation]:
        return [op for op in ops if op.name == name]

    (loop,), (branches,) = named("stablehlo.while"), named("stablehlo.case")
    of_loop, of_branches = named("sdy.data_flow_edge")
    _, of_body, first, second = named("stablehlo.return")
    assert edge_of(loop.results[1]) is of_loop and edge_of(loop.results[0]) is None
    assert edge_of(loop.regions[1].block.arguments[1]) is of_loop
    assert edge_of(branches.results[0]) is of_branches and edge_of(of_loop.results[0]) is None
    assert edge_of_use(Use(loop, 1)) is edge_of_use(Use(of_body, 1)) is of_loop
    assert edge_of_use(Use(loop, 0)) is edge_of_use(Use(of_body, 0)) is None
    assert edge_of_use(Use(first, 0)) is edge_of_use(Use(second, 0)) is of_branches
    assert edge_of_use(Use(ops[-1], 0)) is None
