"""Conversions to shards after passes that put ops between them and the op that states the sharding."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo

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
