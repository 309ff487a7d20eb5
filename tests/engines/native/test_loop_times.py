"""Times of loop nests in profiles: ops, lines, bytes, and what threads do meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.debug.machine import Limits
from stablehlo_py.debug.observers import LoopRow, Profile
from stablehlo_py.engines.native import loop_times
from stablehlo_py.engines.native.region import Region
from stablehlo_py.engines.native.runtime import BUSY, PASSED, WAITED
from tests.conftest import Shlo
from tests.engines.native.loops.loop_regions import region_of
from tests.engines.native.test_called_steps import ONE_BRANCH

SOFTMAX = """func.func @main(%x: tensor<64x128xf32>, %n: tensor<i32>)
    -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]
    : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %d = stablehlo.subtract %x, %b : tensor<64x128xf32>
  %c = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = stablehlo.while(%i = %n, %z = %d) : tensor<i32>, tensor<64x128xf32>
    cond {
      %more = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %q = stablehlo.sine %z : tensor<64x128xf32>
      stablehlo.return %next, %q : tensor<i32>, tensor<64x128xf32>
    }
  return %d, %w#1 : tensor<64x128xf32>, tensor<64x128xf32>
}"""
ARRAY = 64 * 128 * 4  # bytes


def profiled(runs: int) -> list[LoopRow]:
    profile = Profile()
    program = shlo.compile(shlo.parse(SOFTMAX), engine="native", observer=profile)
    x = np.random.default_rng(0).standard_normal((64, 128)).astype(np.float32)
    for _ in range(runs):
        found, _ = program(x, np.int32(0))
        np.testing.assert_array_equal(found, x - x.max(1, keepdims=True))
    return profile.loops()


def test_loops_have_ops_lines_and_bytes() -> None:
    rows = {row.name: row for row in profiled(3)}
    row = rows["reduce broadcast_in_dim subtract"]
    assert row.lines == (4, 6, 7)
    assert row.calls == 3
    assert row.bytes == 3 * 2 * ARRAY  # x is read, the difference is written
    assert rows["while"].lines == (10,)
    assert all(row.calls == 3 for row in rows.values())


def test_each_loop_takes_time_of_a_thread() -> None:
    for row in profiled(2):
        assert row.busy > 0
        assert row.seconds > 0
        assert row.waiting >= 0


def test_the_first_run_after_another_is_counted_once() -> None:
    assert {row.calls for row in profiled(1)} == {1}


def test_the_share_of_the_peak_is_the_larger_one() -> None:
    row = LoopRow("add", (1,), 1, 2.0, 2.0, 0.0, flops=10, bytes=80)
    assert row.of_numpy(Limits(flops=50.0, bytes=100.0)) == 0.4
    assert row.of_numpy(Limits(flops=6.25, bytes=100.0)) == 0.8


def test_the_command(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "softmax.mlir"
    path.write_text(SOFTMAX)
    options = ("--random", "0", "--profile", "--engine")
    said = shlo("run", path, *options, "native").stdout
    assert "by loop of native code (this machine: " in said
    assert "wait ms" in said and "% of NumPy" in said
    found = json.loads(shlo("run", path, *options, "native", "--format", "json").stdout)["profile"]
    assert {"reduce broadcast_in_dim subtract", "while"} <= {row["name"] for row in found["loops"]}
    assert found["machine"].keys() == {"flops", "bytes"}
    assert (
        "loops" not in json.loads(shlo("run", path, *options, "numpy", "--format", "json").stdout)["profile"]
    )


def test_ops_of_the_only_branch_of_a_case_have_rows() -> None:
    """No control flow is left: the ops of the branch are those of the loops."""
    profile = Profile()
    program = shlo.compile(shlo.parse(ONE_BRANCH), engine="native", observer=profile)
    program(np.int32(0), np.eye(4))
    rows = {row.name: row.lines for row in profile.loops()}
    assert rows["transpose add"] == (3, 4)
    assert rows["custom_call"] == (5,)


def test_times_and_bytes_of_a_nest(monkeypatch: pytest.MonkeyPatch) -> None:
    nests = [loop_times._Nest((), 10), loop_times._Nest((), 20)]
    monkeypatch.setattr(loop_times, "_nests", lambda region, whole_windows: iter(nests))
    times = np.zeros((2, 3), np.int64)
    times[:, BUSY], times[:, WAITED], times[:, PASSED] = (1e9, 2e9), (3e9, 4e9), (5e9, 6e9)
    region = cast("Region", SimpleNamespace(plan=SimpleNamespace(module=None)))
    first, second = loop_times.loop_times(region, False, times, 7)
    assert (first.seconds, first.busy, first.waiting, first.bytes, first.calls) == (5, 1, 3, 70, 7)
    assert (second.seconds, second.busy, second.waiting, second.bytes, second.calls) == (6, 2, 4, 140, 7)


SORTED = """func.func @main(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %r = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) : (tensor<64x16xf32>) -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}"""
UPDATED = """func.func @main(%x: tensor<8xf32>, %i: tensor<5x1xi16>, %u: tensor<5xf32>) -> tensor<8xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<8xf32>, tensor<5x1xi16>, tensor<5xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (SORTED, [64 * 16 * (4 + 4)]),  # words of rows, and places, stay in the caches
        (UPDATED, [8 * (4 + 4), 8 * (4 + 4) + 5 * (2 + 4)]),  # a copy, whose elements are read and written
    ],
)
def test_bytes_of_arrays_that_are_accessed(text: str, wanted: list[int]) -> None:
    assert [nest.bytes for nest in loop_times._nests(region_of(text), False)] == wanted
