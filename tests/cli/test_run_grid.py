"""`shlo run` on a process grid, with feeds, seeds and limits."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

GATHER = """module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<2xi32>, %y: tensor<i32>) -> tensor<4xi32> {
    %0 = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %1 = stablehlo.multiply %x, %0 : tensor<2xi32>
    %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi32>) -> tensor<4xi32>
    return %2 : tensor<4xi32>
  }
}
"""
FEEDS = """func.func @main() -> tensor<2xi32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %1:2 = "stablehlo.infeed"(%0#1) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %2 = "stablehlo.outfeed"(%0#0, %1#0, %1#1)
    : (tensor<2xi32>, tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %3 = stablehlo.add %0#0, %1#0 : tensor<2xi32>
  return %3 : tensor<2xi32>
}
"""
RANDOM = """func.func @main() -> tensor<4xf64> {
  %a = stablehlo.constant dense<0.0> : tensor<f64>
  %b = stablehlo.constant dense<1.0> : tensor<f64>
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM
    : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
"""
FOREVER = """func.func @main(%x: tensor<i1>) -> tensor<i1> {
  %0 = stablehlo.while(%i = %x) : tensor<i1>
   cond {
    stablehlo.return %i : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i1>
  }
  return %0 : tensor<i1>
}
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name, text in {"gather": GATHER, "feeds": FEEDS, "random": RANDOM, "forever": FOREVER}.items():
        (tmp_path / f"{name}.mlir").write_text(text)
    np.save(tmp_path / "a.npy", np.int32([1, 2]))
    np.savez(tmp_path / "b.npz", np.int32([10, 20]))
    return tmp_path


def test_inputs_of_each_process(shlo: Shlo, here: Path) -> None:
    inputs = ["-a", "x@0,0=a.npy", "-a", "@1,0=b.npz", "-a", "y=3"]
    done = shlo("run", "gather.mlir", *inputs, "-o", "out.npz", "--print", "full", cwd=here)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        line
        for place in ("process (0, 0)", "process (1, 0)")
        for line in (place, "result 0: tensor<4xi32>", "  [ 3,  6, 30, 60]")
    ]
    with np.load(here / "out.npz") as out:
        assert {name: out[name].tolist() for name in out} == {
            "out0_0_0": [3, 6, 30, 60],
            "out0_1_0": [3, 6, 30, 60],
        }


def test_inputs_of_all_processes_come_before_those_of_one(shlo: Shlo, here: Path) -> None:
    inputs = ["-a", "@0,0=3", "-a", "@1,0=4", "-a", "a.npy"]
    done = shlo("run", "gather.mlir", *inputs, "--format", "json", cwd=here)
    assert [each["data"] for each in json.loads(done.stdout)["results"]] == [[3, 6, 4, 8]] * 2


def test_the_grid_of_the_command_line(shlo: Shlo, here: Path) -> None:
    inputs = ["-a", "x=a.npy", "-a", "y@0,0=1", "-a", "y@1,0=2", "-a", "y@0,1=3", "-a", "y@1,1=4"]
    done = shlo("run", "gather.mlir", *inputs, "--partitions", 2, "--format", "json", cwd=here)
    results = json.loads(done.stdout)["results"]
    assert [(r["process"], r["data"]) for r in results] == [
        ([0, 0], [1, 2, 2, 4]),
        ([0, 1], [3, 6, 4, 8]),
        ([1, 0], [1, 2, 2, 4]),
        ([1, 1], [3, 6, 4, 8]),
    ]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (["x@2,0=a.npy"], "process (2, 0) is not in the grid; the last process is (1, 0)"),
        (["x@0,0=a.npy", "y=3"], "missing: %x: tensor<2xi32>"),
    ],
)
def test_inputs_that_do_not_fit_the_grid(shlo: Shlo, here: Path, inputs: list[str], message: str) -> None:
    done = shlo("run", "gather.mlir", *[part for i in inputs for part in ("-a", i)], cwd=here)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr


def test_feeds(shlo: Shlo, here: Path) -> None:
    feeds = ["--infeed", "a.npy", "--infeed", "b.npz", "--outfeed", "out.npz"]
    done = shlo("run", "feeds.mlir", *feeds, "--format", "json", cwd=here)
    assert json.loads(done.stdout)["results"][0]["data"] == [11, 22]
    with np.load(here / "out.npz") as out:
        assert {name: out[name].tolist() for name in out} == {"out0_0": [1, 2], "out0_1": [10, 20]}
    (here / "two.mlir").write_text(FEEDS + FEEDS.replace("@main", "@other"))
    shlo("run", "two.mlir", *feeds, "--entry", "main", "--entry", "other", cwd=here)
    with np.load(here / "out.npz") as out:
        assert [out[f"out{i}_0"].tolist() for i in range(2)] == [[1, 2], [1, 2]]
    done = shlo("run", "feeds.mlir", "--infeed", "a.npy", cwd=here)
    assert done.returncode == 1
    assert "feeds.mlir:4:" in done.stderr and "the infeed is exhausted" in done.stderr


def test_the_seed_of_rng(shlo: Shlo, here: Path) -> None:
    none, zero, one = (
        shlo("run", "random.mlir", *options, cwd=here).stdout
        for options in ([], ["--seed", 0], ["--seed", 1])
    )
    assert none == zero != one


@pytest.mark.parametrize(
    ("limit", "message"),
    [(["--max-steps", 1000], "more than 1000 steps"), (["--timeout", 0.2], "more than 0.2 seconds")],
)
def test_limits(shlo: Shlo, here: Path, limit: list[object], message: str) -> None:
    done = shlo("run", "forever.mlir", "-a", "true", *limit, cwd=here)
    assert done.returncode == 1
    assert message in done.stderr
    assert shlo("run", "forever.mlir", "-a", "false", limit[0], 600, cwd=here).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--timeout", "nan"], "'nan' is not a number of seconds"),
        (["--random", "-1"], "No such option '-1'"),  # the seed may be left out
        (["--seed", "-1"], "-1 is not in the range"),
    ],
)
def test_options_that_are_no_numbers_of_their_kind(
    shlo: Shlo, here: Path, arguments: list[str], message: str
) -> None:
    (here / "random.mlir").write_text(RANDOM)
    found = shlo("run", "random.mlir", *arguments, cwd=here)
    assert found.returncode == 2
    assert message in found.stderr


@pytest.mark.parametrize(
    ("type", "message"),
    [
        ("tensor<i66>", "element type i66 cannot be run"),
        (f"tensor<{'1x' * 65}f32>", "has rank 65; the highest supported rank is 64"),
        ("tensor<100000000x100000000xf32>", "more than there is memory"),
    ],
)
def test_random_values_of_a_type_that_has_none(shlo: Shlo, here: Path, type: str, message: str) -> None:
    (here / "given.mlir").write_text(f"func.func @main(%a: {type}) -> {type} {{\n  return %a : {type}\n}}")
    found = shlo("run", "given.mlir", "--random", "0", cwd=here)
    assert found.returncode == 1
    assert message in found.stderr
