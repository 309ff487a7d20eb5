"""`shlo run --divide`: the devices of a mesh compute shards, in one process or on ranks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from stablehlo_py.cli import engine_options
from stablehlo_py.cli.inputs import Given
from stablehlo_py.cli.run_divided import target_of
from stablehlo_py.cli.run_results import results_json

import stablehlo_py as shlo

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PRODUCT = """func.func @main(
  %x: tensor<8x4xi32>, %w: tensor<4x6xi32>
) -> (tensor<8x6xi32> {jax.result_info = "y"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x4xi32>, tensor<4x6xi32>) -> tensor<8x6xi32>
  return %0 : tensor<8x6xi32>
}
"""
SHARDED = ("--mesh", "data=2,model=2", "--shard", "x=[{data},{model}]", "--shard", "w=[{model},{}]")
X, W = np.arange(32, dtype=np.int32).reshape(8, 4), np.arange(24, dtype=np.int32).reshape(4, 6)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "product.mlir").write_text(PRODUCT)
    np.savez(tmp_path / "inputs.npz", x=X, w=W)
    np.savez(tmp_path / "expected.npz", out0=X @ W)
    return tmp_path


def test_whole_arrays_in_one_process(shlo: Shlo, here: Path) -> None:
    command = ("run", "product.mlir", "-a", "inputs.npz", *SHARDED, "--divide", "--format", "json")
    done = shlo(*command, "--check-against", "expected.npz", cwd=here)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["results"]
    assert [each["data"] for each in found] == [(X @ W).tolist()]
    assert "slice" not in found[0]


def test_without_division_the_program_is_whole(shlo: Shlo, here: Path) -> None:
    done = shlo("run", "product.mlir", *SHARDED, "--explain", cwd=here)
    assert "tensor<8x6xi32>" in done.stdout and "all_gather" not in done.stdout


def test_the_plan_of_a_device(shlo: Shlo, here: Path) -> None:
    done = shlo("run", "product.mlir", *SHARDED, "--divide", "--explain", cwd=here)
    assert "all_gather" in done.stdout and "tensor<4x6xi32>" in done.stdout


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--divide",), 2, "--divide needs a program with a mesh"),
        ((*SHARDED, "--shard", "x=[{data},{data}]"), 1, "axis data is used twice"),
        ((*SHARDED, "--divide", "--partitions", "4"), 1, "not on --partitions"),
        ((*SHARDED, "--divide", "-a", "x@0,1=inputs.npz"), 1, "are whole arrays, not those of a process"),
    ],
)
def test_misuse(shlo: Shlo, here: Path, options: tuple[str, ...], status: int, message: str) -> None:
    done = shlo("run", "product.mlir", "-a", "inputs.npz", *options, cwd=here)
    assert (done.returncode, message in done.stderr) == (status, True), done.stderr


def test_two_meshes_are_not_divided(shlo: Shlo, here: Path) -> None:
    both = 'sdy.mesh @a = <["x"=2]>\nsdy.mesh @b = <["x"=4]>\n'
    (here / "product.mlir").write_text(both + PRODUCT)
    done = shlo("run", "product.mlir", "-a", "inputs.npz", "--divide", cwd=here)
    assert done.returncode == 1
    assert "product.mlir:2:1: error: sdy.mesh: a program is divided over one mesh" in done.stderr


def test_names_of_slices() -> None:
    module = shlo.opt(
        shlo.parse(PRODUCT), ["shard=mesh=data=2,model=2 values=x=[{data},{model}],w=[{model},{}]"]
    )
    program = shlo.compile(module, partition=True)
    found = program.call_grid([X, W])
    ((output, _),) = program.slices((0, 3), found[0, 3])
    assert str(output) == 'result 0[4:8,0:6] "y"'
    assert str(output.type) == "tensor<4x6xi32>"
    assert program.device_name((0, 3)) == "data1_model1"
    assert program.device_name((0, 1)) == "data0_model1"
    assert found[0, 2][0].tolist() == (X @ W)[4:8].tolist()
    assert program.gather(found)[0].tolist() == (X @ W).tolist()


def test_names_of_files() -> None:
    assert target_of(Path("a/out.npz"), "data0_model1") == Path("a/out.data0_model1.npz")
    assert target_of(Path("out.npz"), "") == Path("out.npz")


@pytest.mark.parametrize(("engine", "rank"), [(SimpleNamespace(rank=3), "3"), (SimpleNamespace(), "0")])
def test_the_rank_in_names_of_files(
    monkeypatch: pytest.MonkeyPatch, engine: SimpleNamespace, rank: str
) -> None:
    """Of each option that names files; of an engine without ranks it is 0."""
    monkeypatch.setattr(engine_options, "_engine", lambda name, settings: engine)
    seen: dict[str, Any] = {}
    run = engine_options.engine_options(lambda **given: seen.update(given) or 0)
    given = Given(("x=in{rank}.npy", "1.0"), None, True)
    files = {"infeed": (Path("i{rank}.npz"), Path("{rank}")), "outfeed": Path("o{rank}.npz"), "target": None}
    run(engine="any", file="p{rank}.mlir", given=given, **files, **dict.fromkeys(engine_options._SETTINGS))
    assert seen == {
        "engine": engine, "file": "p{rank}.mlir", "given": Given((f"x=in{rank}.npy", "1.0"), None, True),
        "infeed": (Path(f"i{rank}.npz"), Path(rank)), "outfeed": Path(f"o{rank}.npz"), "target": None,
    }  # fmt: skip
    run(engine="any", target=Path("to{rank}/{rank}.npz"), **dict.fromkeys(engine_options._SETTINGS))
    assert seen["target"] == Path(f"to{rank}/{rank}.npz")


def test_json_of_slices_and_of_processes() -> None:
    slice = SimpleNamespace(name="y", part="[0:1, :]", type_of=lambda value: "tensor<1x2xi32>")
    whole = SimpleNamespace(name="z", part="", type_of=lambda value: "tensor<i32>")
    results: Any = {(0, 1): [(slice, np.int32([[1, 2]])), (whole, np.int32(3))]}
    first = {"name": "y", "slice": "[0:1, :]", "type": "tensor<1x2xi32>", "data": [[1, 2]]}
    second = {"name": "z", "type": "tensor<i32>", "data": 3}
    assert results_json(results, is_labelled=False) == [first, second]
    both = [first | {"process": [0, 1]}, second | {"process": [0, 1]}]
    assert results_json(results, is_labelled=True) == both
