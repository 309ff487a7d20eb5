"""Conversions to shards after passes that put ops between them and the op that states the sharding."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.numpy.shardings import operand_shardings

PROGRAM = """module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"}
      : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}
      : (tensor<4xf32>) -> tensor<2xf32>
    %2 = stablehlo.add %1, %1 : tensor<2xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<2xf32>) -> tensor<2xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2]<=[2]}"}
      : (tensor<2xf32>) -> tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}"""
PROBES = "interpreter-instrument-with-probe"
COMPOSITES = "stablehlo-wrap-in-composite=op-names=stablehlo.custom_call"


@pytest.mark.parametrize(
    "passes",
    [[], [PROBES], [COMPOSITES], [COMPOSITES, PROBES], [COMPOSITES, "stablehlo-legalize-composite-to-call"]],
)
def test_each_process_doubles_its_half(passes: list[str]) -> None:
    module = shlo.opt(shlo.parse(PROGRAM), passes)
    (found,) = shlo.run(module, [np.array([1, 2, 3, 4], np.float32)], engine="numpy")
    assert found.tolist() == [2, 4, 6, 8]


T = "tensor<4xf32>"
STATED = f"""%p = stablehlo.custom_call @Sharding(%x) {{mhlo.sharding = "{{replicated}}"}} : ({T}) -> {T}
    %q = stablehlo.custom_call @Sharding(%x) {{mhlo.sharding = "{{maximal device=1}}"}} : ({T}) -> {T}"""
USE = f"stablehlo.custom_call @Use(%a, %b, %x) : ({T}, {T}, {T}) -> ()"
BOTH = ("{replicated}", "{maximal device=1}")
TAKING = f"func.func private @g(%a: {T}, %b: {T}, %x: {T}) {{ {USE}\n return }}"
CALL = f"func.call @g(%p, %q, %x) : ({T}, {T}, {T}) -> ()"
OTHER = f"func.call @g(%p, %p, %x) : ({T}, {T}, {T}) -> ()"


@pytest.mark.parametrize(
    ("body", "function", "expected"),
    [
        (f"{STATED}\n{USE.replace('%a', '%p').replace('%b', '%q')}", "", (*BOTH, None)),
        (
            f"%a, %b = func.call @g(%x) : ({T}) -> ({T}, {T})\n{USE}",
            f"func.func private @g(%x: {T}) -> ({T}, {T}) {{ {STATED}\n return %p, %q : {T}, {T} }}",
            (*BOTH, None),
        ),
        (
            f"%a, %b = func.call @g(%x) : ({T}) -> ({T}, {T})\n{USE}",
            f"func.func private @g(%x: {T}) -> ({T}, {T}) {{ {STATED}\n return %q, %x : {T}, {T} }}",
            (BOTH[1], None, None),
        ),
        (f"{STATED}\n{CALL}", TAKING, (*BOTH, None)),
        (f"{STATED}\n{CALL}\n{OTHER}", TAKING, (None, None, None)),  # of several calls, none decides
        (f"{STATED}\n{OTHER}\n{CALL}", TAKING, (None, None, None)),
        ("", TAKING, (None, None, None)),
    ],
)
def test_shardings_through_calls(body: str, function: str, expected: tuple[str | None, ...]) -> None:
    module = shlo.parse(f"func.func @main(%x: {T}) {{ {body}\n return }}\n{function}")
    (use,) = [op for op in module.walk() if op.python_value("call_target_name") == "Use"]
    assert operand_shardings(use) == expected
