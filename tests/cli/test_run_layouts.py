"""`shlo run` with raw buffers: bytes in and out, in any layout."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """func.func @main(%x: tensor<2x3xf32>, %y: tensor<2xi4>)
    -> (tensor<2x3xf32> {jax.result_info = "double"}, tensor<2xi4>) {
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  return %0, %y : tensor<2x3xf32>, tensor<2xi4>
}
"""
FIRST = "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  return %x : tensor<2x3xf32>\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two programs; the numbers 0 to 5 by rows, by columns, and padded; and two of i4."""
    (tmp_path / "two.mlir").write_text(PROGRAM)
    (tmp_path / "one.mlir").write_text(FIRST)
    np.array([0, 1, 2, 3, 4, 5], "<f4").tofile(tmp_path / "rows.bin")
    np.array([0, 3, 1, 4, 2, 5], "<f4").tofile(tmp_path / "columns.bin")
    np.array([0, 3, 9, 1, 4, 9, 2, 5, 9], "<f4").tofile(tmp_path / "padded.bin")
    (tmp_path / "y.bin").write_bytes(bytes([0x0F, 0x02]))
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        ["-a", "rows.bin", "-a", "y.bin"],
        ["-a", "y=y.bin", "-a", "rows.bin", "--layout", "x={1,0}"],
        ["-a", "columns.bin", "-a", "y.bin", "--layout", "{0,1}", "--layout", "y={0}"],
        ["-a", "x=columns.bin", "-a", "y.bin", "--layout", "arg0={0,1}"],
        ["-a", "padded.bin", "-a", "y.bin", "--layout", "x={0,1:pad(3,3)}"],
    ],
    ids=" ".join,
)
def test_inputs(shlo: Shlo, folder: Path, options: list[str]) -> None:
    done = shlo("run", "two.mlir", *options, "--format", "json", cwd=folder)
    assert done.stderr == ""
    first, second = json.loads(done.stdout)["results"]
    assert first["data"] == [[0, 2, 4], [6, 8, 10]]
    assert second["data"] == [-1, 2]


@pytest.mark.parametrize("layout", ["{0,1}", "out0={0,1}", "double={0,1}"])
def test_one_result_goes_to_a_file(shlo: Shlo, folder: Path, layout: str) -> None:
    text = FIRST.replace("-> tensor<2x3xf32>", '-> (tensor<2x3xf32> {jax.result_info = "double"})')
    options = ("-a", "rows.bin", "-o", "out.bin", "--output-layout", layout)
    done = shlo("run", "-", *options, stdin=text, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "out.bin").read_bytes() == (folder / "columns.bin").read_bytes()


@pytest.mark.parametrize("name", ["out0", "double"])
def test_several_results_go_to_a_folder(shlo: Shlo, folder: Path, name: str) -> None:
    options = ["-a", "rows.bin", "-a", "y.bin", "-o", "results", "--output-layout", f"{name}={{0,1}}"]
    assert shlo("run", "two.mlir", *options, cwd=folder).returncode == 0
    doubled = np.array([0, 6, 2, 8, 4, 10], "<f4").tobytes()
    assert (folder / "results" / "out0.bin").read_bytes() == doubled
    assert [byte & 15 for byte in (folder / "results" / "out1.bin").read_bytes()] == [15, 2]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (
            ["-a", "y.bin"],
            1,
            "input 0 (%x) from y.bin: expected 24 bytes for a buffer of f32[2,3]{1,0}, got 2",
        ),
        (
            ["-a", "padded.bin"],
            1,
            "input 0 (%x) from padded.bin: expected 24 bytes for a buffer of f32[2,3]{1,0}, got ",
        ),
        (["-a", "rows.bin", "--layout", "{0}"], 1, "layout {0} has 1 dimension, but the shape has 2"),
        (
            ["-a", "rows.bin", "--layout", "{0,2}"],
            2,
            "minor_to_major must be a permutation of 0 to 1",
        ),
        (["-a", "rows.bin", "--layout", "rows"], 2, "'rows' is not a layout: expected '{' at column 1"),
        (["-a", "rows.bin", "--layout", "z={0,1}"], 1, "--layout: no argument named z"),
        (
            ["--random", "1", "--layout", "{0,1}"],
            1,
            "--layout applies to .bin files, but no input is one",
        ),
        (
            ["-a", "rows.bin", "--layout", "{1,0}", "--layout", "{0,1}"],
            2,
            "only one layout can apply to all buffers",
        ),
        (["-a", "none.bin"], 2, "none.bin: No such file"),
        (["--random", "1", "--output-layout", "{0,1}"], 2, "requires --output with a .bin file or a folder"),
        (
            ["--random", "1", "-o", "x.npy", "--output-layout", "{0,1}"],
            2,
            "requires --output with a .bin file or",
        ),
        (
            ["--random", "1", "-o", "x.txt"],
            2,
            "expected a .npy, .npz, .safetensors or .bin file, or a folder",
        ),
        (
            ["--random", "1", "-o", "x.bin", "--output-layout", "out1={0}"],
            2,
            "no result named out1",
        ),
        (
            ["--random", "1", "-o", "x.bin", "--output-layout", "{0}"],
            2,
            "result 0: layout {0} has 1 dimension",
        ),
    ],
)
def test_what_does_not_fit(shlo: Shlo, folder: Path, options: list[str], status: int, message: str) -> None:
    done = shlo("run", "one.mlir", *options, cwd=folder)
    assert done.returncode == status
    assert message in done.stderr and "Traceback" not in done.stderr


def test_layouts_are_of_raw_buffers_only(shlo: Shlo, folder: Path) -> None:
    np.save(folder / "y.npy", np.array([1, 2], np.int8))
    options = ["-a", "rows.bin", "-a", "y.npy", "--layout", "y={0}"]
    done = shlo("run", "two.mlir", *options, cwd=folder)
    assert "--layout applies to .bin files, but input 1 (%y) is not one" in done.stderr


def test_sizes_that_are_not_known(shlo: Shlo, folder: Path) -> None:
    text = (folder / "one.mlir").read_text().replace("2x3", "?x3")
    done = shlo("run", "-", "-a", "rows.bin", stdin=text, cwd=folder)
    assert "the buffer size of tensor<?x3xf32> is unknown" in done.stderr


def test_several_results_need_a_folder(shlo: Shlo, folder: Path) -> None:
    done = shlo("run", "two.mlir", "--random", "1", "-o", "out.bin", cwd=folder)
    assert done.returncode == 2
    assert "cannot write 2 results to out.bin: use a folder" in done.stderr


@pytest.mark.parametrize("target", ["out.bin", "out.npz", "results"])
def test_a_program_that_does_not_run_writes_nothing(shlo: Shlo, folder: Path, target: str) -> None:
    done = shlo("run", "-", "-o", target, stdin="func.func @main() -> tensor<f32> {", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Usage" not in done.stderr and not (folder / target).exists()
