"""Division of programs with collectives of their own: groups along axes, and bodies with shardings."""

from __future__ import annotations

import re

import numpy as np
import pytest

import stablehlo_py as shlo

PROGRAM = """
sdy.mesh @mesh = <["x"=4, "y"=2], device_ids=[0, 2, 1, 3, 4, 5, 6, 7]>
func.func @main(%x: tensor<8x4xf32>) -> tensor<AxBxf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
      out_shardings=[<@mesh, [OUT]>] manual_axes={"x", "y"} (%part: tensor<2x2xf32>) {
    %1 = "stablehlo.all_reduce"(%part) <{
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [AXES]>, use_global_device_ids
    }> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : tensor<f32>
      %3 = sdy.sharding_constraint %2 <@mesh, []> : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    sdy.return %1 : tensor<2x2xf32>
  } : (tensor<8x4xf32>) -> tensor<AxBxf32>
  return %0 : tensor<AxBxf32>
}
"""
NUMBERS = np.arange(32, dtype=np.float32).reshape(8, 4)
ROWS, COLUMNS = NUMBERS.reshape(4, 2, 4), NUMBERS.reshape(8, 2, 2)  # shards along x and y
HALVES = NUMBERS.reshape(2, 2, 2, 4)  # the major part of x, the minor one, and rows of a shard


@pytest.mark.parametrize(
    ("axes", "out", "expected", "groups"),
    [
        (["x"], '{}, {"y"}', ROWS.sum(0), [[0, 1, 4, 6], [2, 3, 5, 7]]),
        (["y"], '{"x"}, {}', COLUMNS.sum(1), [[0, 2], [1, 3], [4, 5], [6, 7]]),
        (["x", "y"], "{}, {}", ROWS.sum(0).reshape(2, 2, 2).sum(1), [[0, 2, 1, 3, 4, 5, 6, 7]]),
        (
            ['x", sub_axis_info = (1)2>'],
            '{"x":(2)2}, {"y"}',
            HALVES.sum(0).reshape(4, 4),
            [[0, 4], [2, 5], [1, 6], [3, 7]],
        ),
    ],
    ids=["x", "y", "both", "a part of x"],
)
def test_groups_along_axes_become_lists(
    axes: list[str], out: str, expected: np.ndarray, groups: list[list[int]]
) -> None:
    named = [f'#stablehlo.axis_ref<name = "{axis}' + ("" if axis.endswith(">") else '">') for axis in axes]
    text = PROGRAM.replace("AXES", ", ".join(named)).replace("OUT", out)
    text = text.replace("AxB", "x".join(map(str, expected.shape)))
    program = shlo.compile(shlo.parse(text), partition=True)
    assert shlo.verify(program.divided) == []
    assert "mesh" not in shlo.format(program.divided)
    np.testing.assert_array_equal(program(NUMBERS)[0], expected)
    written = next(op for op in program.divided.walk() if op.name == "stablehlo.all_reduce")
    assert written.properties["replica_groups"].value.tolist() == groups


def test_collectives_have_channels_of_their_own() -> None:
    """Of type 1, between devices."""
    text = """
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                    %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
        -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
            tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }"""
    divided = shlo.compile(shlo.parse(text), partition=True).divided
    found = re.findall("channel_handle<.*?>", shlo.format(divided))
    assert found == [f"channel_handle<handle = {n}, type = 1>" for n in (1, 2)]
