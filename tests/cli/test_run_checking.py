"""`shlo run`: comparison with expected results, several modules and entries, compressed programs."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

TWO = """func.func @main(%x: tensor<4xf32>)
    -> (tensor<4xf32> {jax.result_info = "twice"}, tensor<4xf32> {jax.result_info = "minus"}) {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = stablehlo.negate %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""
X = np.float32([1, 2, 3, 4])


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.mlir"
    path.write_text(TWO)
    np.save(tmp_path / "x.npy", X)
    return path


def check(shlo: Shlo, path: Path, *options: object, **expected: object) -> subprocess.CompletedProcess[str]:
    file = path.parent / "expected.npz"
    np.savez(file, **expected)  # type: ignore[arg-type]
    return shlo("run", path, "-a", path.parent / "x.npy", "--check-against", file, *options)


@pytest.mark.parametrize(
    "names", [("out0", "out1"), ("twice", "minus"), ("arr_0", "arr_1")], ids=["numbers", "results", "order"]
)
def test_within_tolerance(shlo: Shlo, two: Path, names: tuple[str, str]) -> None:
    done = check(shlo, two, **{names[0]: 2 * X, names[1]: -X, "in0": X})
    assert done.returncode == 0
    (summary,) = done.stdout.splitlines()
    assert summary.startswith("2 results within tolerance of ")
    verbose = check(shlo, two, "--verbose", **{names[0]: 2 * X, names[1]: -X, "in0": X}).stdout.splitlines()
    assert verbose[0] == 'result 0 "twice": ok, 4 elements' and verbose[-1] == summary


def test_recorded_results_of_other_names(shlo: Shlo, two: Path) -> None:
    done = check(shlo, two, left=2 * X, right=-X, in0=X)
    assert done.returncode == 2
    assert "no array is named after a result; expected out0, out1, found left, right" in done.stderr
    assert check(shlo, two, "--by-order", left=2 * X, right=-X, in0=X).returncode == 0
    assert check(shlo, two, "--by-order", left=-X, right=2 * X, in0=X).returncode == 1


def test_a_program_without_results_is_not_within_tolerance(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "none.mlir"
    path.write_text("func.func @main(%x: tensor<4xf32>) {\n  return\n}\n")
    np.save(tmp_path / "x.npy", X)
    done = check(shlo, path, in0=X)
    assert done.returncode == 2 and "the program has no results to compare" in done.stderr


def test_out_of_tolerance(shlo: Shlo, two: Path) -> None:
    wanted = 2 * X
    wanted[2] = 6 + 2**-10
    done = check(shlo, two, out0=wanted, out1=-X)
    assert done.returncode == 1
    failure, summary = done.stdout.splitlines()
    assert failure == (
        'result 0 "twice": 1 of 4 elements out of tolerance; max error 0.000977 absolute, 0.000163 relative; '
        "at [2]: expected 6.0009766, got 6.0"
    )
    assert summary.startswith("1 of 2 results out of tolerance of ")
    done = check(shlo, two, "--verbose", out0=wanted, out1=-X)
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0] == 'result 0 "twice": 1 of 4 elements out of tolerance'
    assert "max error: 0.000977 absolute, 0.000163 relative, 2048 ULP" in lines
    assert "worst at [2]: expected 6.0009766, got 6.0" in lines
    assert any(line.startswith("0 ") and line.split()[1] == "3" for line in lines)
    assert any(line.startswith("1025-2048") and line.split()[1] == "1" for line in lines)
    assert lines[-1].startswith("1 of 2 results out of tolerance")


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 1),
        (["--rtol", "1e-3"], 0),
        (["--atol", "0.001"], 0),
        (["--atol", "0.0001"], 1),
        (["--ulp", "2048"], 0),
        (["--ulp", "2047"], 1),
        (["--ulp", "2047", "--rtol", "1e-3"], 0),
    ],
)
def test_tolerances(shlo: Shlo, two: Path, options: list[str], status: int) -> None:
    wanted = 2 * X
    wanted[2] = 6 + 2**-10
    assert check(shlo, two, *options, out0=wanted, out1=-X).returncode == status


@pytest.mark.parametrize("option", ["--rtol", "--atol"])
def test_nan_is_no_tolerance(shlo: Shlo, two: Path, option: str) -> None:
    done = check(shlo, two, option, "nan", out0=2 * X, out1=-X)
    assert done.returncode == 2 and f"Invalid value for '{option}': 'nan' is not a number" in done.stderr


def test_a_recorded_result_that_the_program_lacks(shlo: Shlo, two: Path) -> None:
    done = check(shlo, two, out0=2 * X, out1=-X, out2=X)
    assert done.returncode == 2 and "expected 2 arrays (out0, out1), found out0, out1, out2" in done.stderr


def test_a_device_is_no_file_of_results(shlo: Shlo, two: Path) -> None:
    done = shlo("run", two, "-a", two.parent / "x.npy", "--check-against", "/dev/null")
    assert done.returncode == 2 and done.stderr == "Error: /dev/null: not a regular file\n"


def test_failures_are_printed_worst_first(shlo: Shlo, two: Path) -> None:
    lines = check(shlo, two, out0=2 * X + 1, out1=-X + 2).stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ['result 1 "minus"', 'result 0 "twice"']
    lines = check(shlo, two, out0=X[:2], out1=-X + 2).stdout.splitlines()
    assert lines[0] == 'result 0 "twice": expected shape [2], got [4]'


@pytest.mark.parametrize("rtol", ["1e-5", "1e-4", "1e-3", "1e-2"])
def test_a_larger_tolerance_accepts_more(shlo: Shlo, two: Path, rtol: str) -> None:
    wanted = 2 * X * np.float32(1 + 1e-6)
    wanted[0] = 2.000025  # more than 1e-5 of itself: a tenth of 1e-5 of the largest, 8, is added
    assert check(shlo, two, "--atol", "0", out0=wanted, out1=-X).returncode == 1
    assert check(shlo, two, out0=wanted, out1=-X).returncode == 0
    assert check(shlo, two, "--rtol", rtol, out0=wanted, out1=-X).returncode == 0


def test_as_json(shlo: Shlo, two: Path) -> None:
    done = check(shlo, two, "--format", "json", out0=2 * X + 1, out1=-X)
    first, second = json.loads(done.stdout)["check"]
    assert done.returncode == 1
    assert (first["ok"], first["wrong"], first["max_abs"], first["index"]) == (False, 4, 1.0, [0])
    assert second["ok"] and second["histogram"] == {"0": 4}


def test_shapes_and_missing_results(shlo: Shlo, two: Path) -> None:
    done = check(shlo, two, out0=X[:2], out1=-X)
    assert done.returncode == 1 and "expected shape [2], got [4]" in done.stdout
    missing = check(shlo, two, out0=X)
    assert missing.returncode == 2 and "out0, out1" in missing.stderr


MODULES = """// two modules
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// nothing more
"""
INPUT = ("-a", "dense<[-1.0, 2.0]> : tensor<2xf32>")


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    path = tmp_path / "modules.mlir"
    path.write_text(MODULES)
    return path


def test_one_of_several_modules(shlo: Shlo, modules: Path) -> None:
    done = shlo("run", modules, *INPUT, "--module", "1")
    assert done.stdout == "result 0: tensor<2xf32>\n  [-2.,  4.]\n"


def test_an_error_of_the_second_module_has_the_end_of_its_word(shlo: Shlo) -> None:
    wrong = MODULES.split("// -----")[0].replace(
        "stablehlo.add %x, %x : tensor<2xf32>", '"stablehlo.abs"(%x) : (tensor<2xf32>) -> tensor<3xf32>'
    )
    done = shlo("run", "-", "--random", "--format", "json", stdin=f"\n\n// -----\n{wrong}")
    found = json.loads(done.stdout)["diagnostics"][0]
    assert (found["line"], found["column"], found["end_column"]) == (6, 8, 8 + len('"stablehlo.abs"'))


def test_several_entries(shlo: Shlo, modules: Path, tmp_path: Path) -> None:
    options = ("--module", "2", "--entry", "g", "--entry", "f")
    modules.write_text(MODULES.rpartition("// -----")[0])  # the second is the last one
    done = shlo("run", modules, *INPUT, *options)
    assert done.stdout.splitlines() == [
        "module 2, @g", "result 0: tensor<2xf32>", "  [1., 2.]",
        "module 2, @f", "result 0: tensor<2xf32>", "  [ 1., -2.]",
    ]  # fmt: skip
    shlo("run", modules, *INPUT, *options, "-o", tmp_path / "all.npz")
    with np.load(tmp_path / "all.npz") as arrays:
        assert {name: arrays[name].tolist() for name in arrays} == {"2_g_out0": [1, 2], "2_f_out0": [1, -2]}


def test_all_modules_run_even_if_one_cannot(shlo: Shlo, modules: Path) -> None:
    done = shlo("run", modules, *INPUT, "--format", "json")
    first, second = json.loads(done.stdout)["runs"]
    assert done.returncode == 1
    assert (first["module"], first["entry"], first["results"][0]["data"]) == (1, "main", [-2.0, 4.0])
    assert second["module"] == 2 and "there is no function @main" in second["diagnostics"][0]["message"]


def test_results_of_the_modules_that_run_are_saved(shlo: Shlo, modules: Path, tmp_path: Path) -> None:
    done = shlo("run", modules, *INPUT, "-o", tmp_path / "all.npz")
    assert done.returncode == 1 and "there is no function @main" in done.stderr
    with np.load(tmp_path / "all.npz") as arrays:
        assert {name: arrays[name].tolist() for name in arrays} == {"1_main_out0": [-2, 4]}


def test_lines_are_those_of_the_file(shlo: Shlo, modules: Path) -> None:
    modules.write_text(
        MODULES.replace("stablehlo.abs %x : tensor<2xf32>", "stablehlo.abs %x : tensor<3xf32>")
    )
    done = shlo("run", modules, *INPUT)
    assert done.returncode == 1
    assert f"{modules}:14:" in done.stderr and "[-2.,  4.]" in done.stdout


def test_packed_programs(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "packed.mlir.gz"
    path.write_bytes(gzip.compress(TWO.encode()))
    done = shlo("run", path, "--random", "0", "--print", "summary")
    assert done.returncode == 0 and '"twice"' in done.stdout


def test_a_floor_of_the_largest_result(shlo: Shlo, two: Path) -> None:
    """The largest result is 8: an error of 0.004 is within 1e-3 of it, 0.01 is not."""
    near = {"out0": 2 * X, "out1": -X + np.float32(0.004)}
    assert check(shlo, two, **near).returncode == 1
    assert check(shlo, two, "--floor", "1e-3", **near).returncode == 0
    assert check(shlo, two, "--floor", "1e-3", out0=2 * X, out1=-X + np.float32(0.01)).returncode == 1
    done = shlo("run", two, "-a", two.parent / "x.npy", "--floor", "1e-3")
    assert (done.returncode, "--floor require --check-against" in done.stderr) == (2, True)
