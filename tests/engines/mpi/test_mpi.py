"""The MPI engine on real ranks: results, deadlocks, failures."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mpi4py", reason="needs the extra mpi")
BESIDE = str(Path(sys.executable).parent)
MPIEXEC = shutil.which("mpiexec", path=os.pathsep.join([BESIDE, os.environ.get("PATH", "")])) or ""
pytestmark = pytest.mark.skipif(not MPIEXEC, reason="needs an MPI: pip install mpich")
HERE = Path(__file__).parent
SUM = """({
    ^bb0(%p: tensor<2xf32>, %q: tensor<2xf32>):
      %s = stablehlo.add %p, %q : tensor<2xf32>
      stablehlo.return %s : tensor<2xf32>
    })""".replace("2xf32", "f32")


def on_ranks(count: int, *command: str, folder: Path = HERE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [MPIEXEC, "-n", str(count), sys.executable, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_collectives_of_four_ranks() -> None:
    done = on_ranks(4, str(HERE / "on_ranks.py"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_outcomes_do_not_depend_on_the_times_of_messages() -> None:
    done = on_ranks(4, str(HERE / "delayed_ranks.py"), "40")
    assert done.returncode == 0, done.stdout + done.stderr


def run(tmp_path: Path, count: int, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "program.mlir").write_text(text)
    command = ("-m", "stablehlo_py", "run", "program.mlir", "--engine", "mpi", *options)
    return on_ranks(count, *command, folder=tmp_path)


def test_files_of_each_rank(tmp_path: Path) -> None:
    text = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = "stablehlo.all_reduce"(%x) {SUM} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}
        : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }}"""
    for rank in range(2):
        np.save(tmp_path / f"x@{rank}.npy", np.array([1, 10**rank], np.float32))
    done = run(tmp_path, 2, text, "--replicas", "2", "-a", "x@{rank}.npy", "-o", "out{rank}.npy")
    assert done.returncode == 0, done.stderr
    assert [np.load(tmp_path / f"out{rank}.npy").tolist() for rank in range(2)] == [[2, 11]] * 2


DEADLOCK = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %id = stablehlo.replica_id : tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %first = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %0 = "stablehlo.if"(%first) ({{
    %1 = "stablehlo.all_reduce"(%x) {SUM} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}
      : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }}, {{
    stablehlo.return %x : tensor<2xf32>
  }}) : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}}"""


def test_a_deadlock_states_who_waits_for_whom(tmp_path: Path) -> None:
    done = run(tmp_path, 2, DEADLOCK, "--replicas", "2", "--random", "0")
    assert done.returncode == 1
    assert done.stderr.count("deadlock: every process waits for another") == 1
    assert done.stderr.count("process (0, 0): waiting for process (1, 0)") == 1
    assert done.stderr.count("process (1, 0) has finished") == 1


def test_a_failing_rank_ends_all_with_its_error(tmp_path: Path) -> None:
    check = "    check.expect_eq_const %x, dense<9.0> : tensor<2xf32>\n"
    failing = DEADLOCK.replace("    stablehlo.return %x", f"{check}    stablehlo.return %x")
    done = run(tmp_path, 2, failing, "--replicas", "2", "--random", "0")
    assert done.returncode == 1
    assert "program.mlir:12:5" in done.stderr or "elements are not equal" in done.stderr
    assert done.stderr.count("another process failed: process (1, 0)") == 1


def test_a_rank_that_does_not_begin_ends_the_others(tmp_path: Path) -> None:
    np.save(tmp_path / "x0.npy", np.ones(2, np.float32))
    done = run(tmp_path, 2, DEADLOCK, "--replicas", "2", "-a", "x{rank}.npy")
    assert done.returncode != 0
    assert "x1.npy" in done.stderr and "another process failed" in done.stderr


def test_a_killed_rank_ends_the_others(tmp_path: Path) -> None:
    code = (
        "import os, sys, numpy, stablehlo_py as shlo\n"
        "program = shlo.compile(shlo.parse(sys.argv[1]), engine='mpi', replicas=2)\n"
        "if program.local_process_ids() == [(1, 0)]: os.kill(os.getpid(), 9)\n"
        "program(numpy.ones(2, numpy.float32))"
    )
    done = on_ranks(2, "-c", code, DEADLOCK, folder=tmp_path)
    assert done.returncode != 0


def test_a_grid_of_another_size_is_an_error(tmp_path: Path) -> None:
    done = run(tmp_path, 2, DEADLOCK, "--replicas", "3", "--random", "0")
    assert done.returncode == 1 and "needs 3 ranks, there are 2" in done.stderr


CALLBACK = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  stablehlo.custom_call @xla_ffi_python_cpu_callback() {has_side_effect = true} : () -> ()
  return %x : tensor<2xf32>
}"""


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("func.func @main( {", (), "error"),
        (DEADLOCK, ("--replicas", "four"), "not a valid integer"),
        (DEADLOCK, ("--replicas", "3"), "needs 3 ranks, there are 4"),
        (DEADLOCK, ("--replicas", "4", "-a", "none.npy"), "none.npy"),
        (CALLBACK, ("--replicas", "4", "--random", "0"), "skipped a host callback"),
    ],
)
def test_what_all_ranks_say_is_printed_once(
    tmp_path: Path, text: str, options: tuple[str, ...], message: str
) -> None:
    done = run(tmp_path, 4, text, *options)
    assert done.stderr.count(message) == 1, done.stderr


def test_a_comparison_is_printed_once_and_each_difference(tmp_path: Path) -> None:
    np.savez(tmp_path / "expected.npz", out0=np.ones(2, np.float32))
    for rank in range(4):
        np.save(tmp_path / f"x{rank}.npy", np.array([1, max(rank, 1)], np.float32))
    options = (
        "--replicas",
        "4",
        "-a",
        "x{rank}.npy",
        "--check-against",
        "expected.npz",
        "--print",
        "summary",
    )
    done = run(tmp_path, 4, CALLBACK, *options)
    assert done.returncode == 1
    assert done.stdout.count("1 result within tolerance") == 1  # of ranks 0 and 1
    assert done.stdout.count("1 of 1 result out of tolerance") == 2
    assert "got 2.0" in done.stdout and "got 3.0" in done.stdout


PRODUCT = """func.func @main(%x: tensor<8x4xi32>, %w: tensor<4x6xi32>) -> tensor<8x6xi32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x4xi32>, tensor<4x6xi32>) -> tensor<8x6xi32>
  return %0 : tensor<8x6xi32>
}"""
SHARDED = ("--mesh", "data=2,model=2", "--shard", "x=[{data},{model}]", "--shard", "w=[{model},{}]")


def divided(tmp_path: Path, count: int, *options: str) -> subprocess.CompletedProcess[str]:
    x, w = np.arange(32, dtype=np.int32).reshape(8, 4), np.arange(24, dtype=np.int32).reshape(4, 6)
    np.savez(tmp_path / "inputs.npz", x=x, w=w)
    np.save(tmp_path / "expected.npy", x @ w)
    return run(tmp_path, count, PRODUCT, *SHARDED, *options)


def test_ranks_write_their_slices(tmp_path: Path) -> None:
    done = divided(tmp_path, 4, "-a", "inputs.npz", "-o", "out.npz")
    assert done.returncode == 0, done.stderr
    expected = np.load(tmp_path / "expected.npy")
    for data in range(2):
        for model in range(2):
            arrays = np.load(tmp_path / f"out.data{data}_model{model}.npz")
            rows = slice(4 * data, 4 * data + 4)
            assert list(arrays) == [f"out0[{rows.start}:{rows.stop},0:6]"]
            assert arrays[arrays.files[0]].tolist() == expected[rows].tolist()
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize("options", [("--gather",), ("--check-against", "expected.npy")])
def test_rank_0_gathers_slices(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = divided(tmp_path, 4, "-a", "inputs.npz", "-o", "out.npy", *options)
    assert done.returncode == 0, done.stderr
    assert sorted(tmp_path.glob("out*")) == [tmp_path / "out.npy"]
    assert np.load(tmp_path / "out.npy").tolist() == np.load(tmp_path / "expected.npy").tolist()


@pytest.mark.parametrize(
    ("count", "options", "message"),
    [
        (2, ("-a", "inputs.npz"), "needs 4 ranks, there are 2"),
        (4, ("-a", "none.npz"), "none.npz"),
        (4, ("-a", "inputs.npz", "--shard", "x=[{data},{data}]"), "axis data is used twice"),
    ],
)
def test_divided_programs_that_do_not_run(
    tmp_path: Path, count: int, options: tuple[str, ...], message: str
) -> None:
    done = divided(tmp_path, count, *options, "-o", "out.npz")
    assert done.returncode != 0
    assert done.stderr.count(message) == 1, done.stderr
    assert not list(tmp_path.glob("out*"))
