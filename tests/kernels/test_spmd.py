"""Conversion to shards and back: the shard of each process, by the text of the sharding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

FULL, SHARD = "tensor<4x4xi64>", "tensor<{}xi64>"


def shards(sharding: str, shape: str, partitions: int = 4) -> list[Any]:
    """What each partition has of the numbers 0 to 15 in rows of four."""
    text = f"""func.func @main(%x: {FULL}) -> {SHARD.format(shape)} {{
      %0 = stablehlo.custom_call @Sharding(%x) {{mhlo.sharding = "{sharding}"}} : ({FULL}) -> {FULL}
      %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {{mhlo.sharding = "{{manual}}"}}
        : ({FULL}) -> {SHARD.format(shape)}
      return %1 : {SHARD.format(shape)}
    }}"""
    program = shlo.compile(shlo.parse(text), partitions=partitions)
    found = program.call_grid([np.arange(16).reshape(4, 4)])
    return [found[0, p][0].tolist() for p in range(partitions)]


ROWS = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]
CORNERS = [[[0, 1], [4, 5]], [[2, 3], [6, 7]], [[8, 9], [12, 13]], [[10, 11], [14, 15]]]
LEFT, RIGHT = [[row[:2] for row in ROWS], [row[2:] for row in ROWS]]


@pytest.mark.parametrize(
    ("sharding", "shape", "expected"),
    [
        ("{devices=[4,1]<=[4]}", "1x4", [[row] for row in ROWS]),
        ("{devices=[4,1]3,2,0,1}", "1x4", [[ROWS[2]], [ROWS[3]], [ROWS[1]], [ROWS[0]]]),
        ("{devices=[2,2]<=[4]}", "2x2", CORNERS),
        ("{devices=[2,2]<=[2,2]T(1,0)}", "2x2", [CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]]),
        ("{devices=[1,2,2]<=[4] last_tile_dim_replicate}", "4x2", [LEFT, LEFT, RIGHT, RIGHT]),
        ("{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}", "4x2", [LEFT, RIGHT, LEFT, RIGHT]),
        ("{replicated}", "4x4", [ROWS] * 4),
        ("{manual}", "4x4", [ROWS] * 4),
    ],
)
def test_each_process_gets_its_shard(sharding: str, shape: str, expected: list[Any]) -> None:
    assert shards(sharding, shape) == expected


@pytest.mark.parametrize(
    ("sharding", "shape", "partitions", "message"),
    [
        ("{devices=[4,1]<=[4]}", "1x4", 2, "has 4 devices, but the grid has 2 partitions"),
        ("{devices=[3,1]<=[3]}", "1x4", 3, r"shape \[4, 4\] does not divide into \[3, 1\] equal tiles"),
        ("{devices=[4]<=[4]}", "1x4", 4, "is not a sharding of an array of rank 2"),
        ("{devices=[2,2]0,1,2,2}", "2x2", 4, "is not a sharding of an array of rank 2"),
        ("{maximal device=0}", "4x4", 4, "is unknown: it is {maximal device=0}"),
    ],
)
def test_shardings_that_do_not_fit(sharding: str, shape: str, partitions: int, message: str) -> None:
    with pytest.raises(shlo.Unsupported, match=message):
        shards(sharding, shape, partitions)


def test_a_sharding_that_is_not_stated() -> None:
    text = """func.func @main(%x: tensor<4xi64>) -> tensor<2xi64> {
      %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<4xi64>) -> tensor<2xi64>
      return %0 : tensor<2xi64>
    }"""
    with pytest.raises(shlo.Unsupported, match=r"a @Sharding call with mhlo\.sharding would state it"):
        shlo.run(shlo.parse(text), [np.arange(4)])


def test_sums_of_shards_are_put_together() -> None:
    """As JAX's shard_map exports it: rows are spread over the first axis of 2 by 2 devices, columns over the
    second; the sums of rows are added up along the second axis."""
    text = """module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
      func.func @main(%x: tensor<4x4xi64>) -> tensor<4xi64> {
        %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2,2]<=[4]}"}
          : (tensor<4x4xi64>) -> tensor<4x4xi64>
        %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}
          : (tensor<4x4xi64>) -> tensor<2x2xi64>
        %zero = stablehlo.constant dense<0> : tensor<i64>
        %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<2x2xi64>, tensor<i64>) -> tensor<2xi64>
        %3 = "stablehlo.all_reduce"(%2) <{
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
          ^bb0(%a: tensor<i64>, %b: tensor<i64>):
            %s = stablehlo.add %a, %b : tensor<i64>
            stablehlo.return %s : tensor<i64>
        }) : (tensor<2xi64>) -> tensor<2xi64>
        %4 = stablehlo.custom_call @Sharding(%3) {mhlo.sharding = "{manual}"}
          : (tensor<2xi64>) -> tensor<2xi64>
        %5 = stablehlo.custom_call @SPMDShardToFullShape(%4)
          {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dim_replicate}"} : (tensor<2xi64>) -> tensor<4xi64>
        return %5 : tensor<4xi64>
      }
    }"""
    found = shlo.compile(shlo.parse(text)).call_grid([np.array(ROWS)])
    assert [values[0].tolist() for values in found.values()] == [[6, 22, 38, 54]] * 4


def test_the_shard_of_a_replicated_array_is_the_array() -> None:
    text = """module attributes {mhlo.num_partitions = 2 : i32} {
      func.func @main(%x: tensor<3xi64>) -> tensor<3xi64> {
        %0 = stablehlo.custom_call @SPMDShardToFullShape(%x) {mhlo.sharding = "{replicated}"}
          : (tensor<3xi64>) -> tensor<3xi64>
        return %0 : tensor<3xi64>
      }
    }"""
    found = shlo.compile(shlo.parse(text)).call_grid([np.array([4, 5, 6])])
    assert [values[0].tolist() for values in found.values()] == [[4, 5, 6]] * 2
