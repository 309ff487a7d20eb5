"""Ops in a region on elements, evaluated once on whole arrays by engine numpy: results and refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest

import stablehlo_py as shlo

T = "tensor<f32>"
SELF = f"""func.func private @f(%a: {T}) -> {T} {{
  %0 = func.call @f(%a) : ({T}) -> {T}
  return %0 : {T}
}}
"""
CALLED = f"""func.func private @f(%a: {T}) -> {T} {{
  %0 = stablehlo.add %a, %a : {T}
  return %0 : {T}
}}
"""
GROUPS = "<{replica_groups = dense<0> : tensor<1x1xi64>}>"
SUM = f"""({{
    ^bb0(%p: {T}, %q: {T}):
      %s = stablehlo.add %p, %q : {T}
      stablehlo.return %s : {T}
    }})"""


BRANCHES = f"""%c = stablehlo.constant dense<1.5> : {T}
    %p = stablehlo.compare GT, %a, %c : ({T}, {T}) -> tensor<i1>
    %b = "stablehlo.if"(%p) ({{
      %t = stablehlo.reshape %a : ({T}) -> {T}
      stablehlo.return %t : {T}
    }}, {{
      %t = stablehlo.negate %a : {T}
      %u = stablehlo.reshape %t : ({T}) -> {T}
      stablehlo.return %u : {T}
    }}) : (tensor<i1>) -> {T}"""


def mapped(body: str, functions: str = "") -> shlo.Module:
    """A map over three elements; `body` computes %b from %a."""
    return shlo.parse(f"""{functions}func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
  %r = "stablehlo.map"(%x) <{{dimensions = array<i64: 0>}}> ({{
  ^bb0(%a: {T}):
    {body}
    stablehlo.return %b : {T}
  }}) : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}}""")


@pytest.mark.parametrize(
    ("body", "functions", "expected"),
    [
        # What moves the one element of a scalar leaves it as it is.
        (f"%b = stablehlo.reshape %a : ({T}) -> {T}", "", [1, 2, 3]),
        (f"%b = stablehlo.transpose %a, dims = [] : ({T}) -> {T}", "", [1, 2, 3]),
        (f"%b = stablehlo.broadcast_in_dim %a, dims = [] : ({T}) -> {T}", "", [1, 2, 3]),
        (f"%b = stablehlo.reverse %a, dims = [] : {T}", "", [1, 2, 3]),
        (f"%b = stablehlo.optimization_barrier %a : {T}", "", [1, 2, 3]),
        (f"%b = func.call @f(%a) : ({T}) -> {T}", CALLED, [2, 4, 6]),
        (BRANCHES, "", [-1, 2, 3]),
        (
            f"%c = stablehlo.constant dense<2.0> : {T}\n    %b = stablehlo.subtract %c, %a : {T}",
            "",
            [1, 0, -1],
        ),
    ],
)
def test_results(body: str, functions: str, expected: list[float]) -> None:
    (found,) = shlo.compile(mapped(body, functions), engine="numpy")(np.float32([1, 2, 3]))
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("body", "functions", "message"),
    [
        (f"%b = func.call @f(%a) : ({T}) -> {T}", SELF, "recursive call of @f in a region on elements"),
        (
            f"%t = stablehlo.reshape %a : ({T}) -> tensor<1xf32>\n"
            f"    %b = stablehlo.reshape %t : (tensor<1xf32>) -> {T}",
            "",
            "stablehlo.reshape: not supported in a region on elements",
        ),
        (
            f'%b = "stablehlo.pad"(%a, %a) <{{edge_padding_low = array<i64>, edge_padding_high = array<i64>, '
            f"interior_padding = array<i64>}}> : ({T}, {T}) -> {T}",
            "",
            "stablehlo.pad: not supported in a region on elements",
        ),
        (
            f'%b = "stablehlo.all_reduce"(%a) {GROUPS} {SUM} : ({T}) -> {T}',
            "",
            "stablehlo.all_reduce: not supported in a region on elements",
        ),
        (
            f"%b = stablehlo.custom_call @nope(%a) : ({T}) -> {T}",
            "",
            "no implementation registered for custom_call target @nope",
        ),
    ],
)
def test_what_is_refused(body: str, functions: str, message: str) -> None:
    """The error has the line of the op in the region, or of the call."""
    with pytest.raises(shlo.Unsupported, match=rf":\d+:\d+: .*{re.escape(message)}"):
        shlo.compile(mapped(body, functions), engine="numpy")(np.float32([1, 2, 3]))
