"""`shlo run`: sources of inputs, and outputs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

SUBTRACT = """func.func @main(
    %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = "diff"}) {
  %0 = stablehlo.subtract %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
X, Y = np.array([5, 7], np.float32), np.array([1, 2], np.float32)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """x - y, with x.npy, y.npy, and both in npz files by three kinds of names."""
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", Y)
    np.savez(tmp_path / "named.npz", y=Y, x=X)
    np.savez(tmp_path / "numbered.npz", in1=Y, in0=X, out0=X)
    np.savez(tmp_path / "others.npz", left=X, right=Y)
    np.savez(tmp_path / "other.npz", left=X)
    np.savez(tmp_path / "recorded.npz", p1=X, p2=Y, out0=X)
    np.savez(tmp_path / "backwards.npz", **{"layer.1": Y, "layer.0": X})
    np.savez(tmp_path / "gap.npz", p0=X, p2=Y)
    np.savez(tmp_path / "two_prefixes.npz", p0=X, q1=Y)
    np.savez(tmp_path / "late.npz", p2=X, p3=Y)
    np.savez(tmp_path / "twice.npz", p0=X, p00=Y)
    np.savez(tmp_path / "outputs.npz", out0=X, out1=Y)
    np.savez(tmp_path / "unnamed.npz", Y)
    np.savez(tmp_path / "some.npz", x=X, ty=Y)
    np.savez(tmp_path / "more.npz", in0=X, in1=Y, in2=Y)
    path = tmp_path / "subtract.mlir"
    path.write_text(SUBTRACT)
    return path


@pytest.mark.parametrize(
    "inputs",
    [
        ["x.npy", "y.npy"],
        ["y=y.npy", "x=x.npy"],
        ["y=y.npy", "x.npy"],
        ["named.npz"],
        ["numbered.npz"],
        ["recorded.npz"],
        ["backwards.npz"],
        ["outputs.npz"],
        ["x.npy", "unnamed.npz"],
        ["dense<[5.0, 7.0]> : tensor<2xf32>", "y.npy"],
        ["y=dense<[1.0, 2.0]> : tensor<2xf32>", "x.npy"],
    ],
    ids=" ".join,
)
def test_inputs(shlo: Shlo, program: Path, inputs: list[str]) -> None:
    options = [part for value in inputs for part in ("--input", value)]
    done = shlo("run", program, *options, "--format", "json", cwd=program.parent)
    assert done.stderr == ""
    (result,) = json.loads(done.stdout)["results"]
    assert result == {"name": "diff", "type": "tensor<2xf32>", "data": [4.0, 5.0]}


@pytest.mark.parametrize("command", ["run", "compare", "extract", "reduce", "report", "precision"])
def test_arrays_of_other_names_are_taken_in_order_on_request(shlo: Shlo, program: Path, command: str) -> None:
    """x - y is [4, 5] in the order of the file; every command that takes inputs has the option."""
    rest = {
        "compare": [program],
        "extract": ["--op", "%0", "-o", "part.mlir"],
        "reduce": ["--check", "grep -q subtract {}"],
        "report": ["-o", "report.html", "--check-against", "expected.npy"],
    }.get(command, [])
    np.save(program.parent / "expected.npy", np.float32([4, 5]))
    given = [command, program, *rest, "-a", "others.npz"]
    refused = shlo(*given, cwd=program.parent)
    assert refused.returncode == 1
    if command != "report":  # whose page has it
        assert "others.npz: no array is named after an argument" in refused.stderr
    done = shlo(*given, "--by-order", cwd=program.parent)
    assert (done.returncode, "error: " in done.stderr) == (0, False)


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ("others.npz", ["--by-order"]),
        ("wide.npz", ["--cast"]),
        ("one.npz", ["--random", "0"]),
        ("wide_one.npz", ["--random", "0", "--cast", "--by-order"]),
    ],
)
def test_options_of_inputs_are_those_of_each_set(
    shlo: Shlo, program: Path, given: str, options: list[str]
) -> None:
    np.savez(program.parent / "wide.npz", x=X.astype("f8"), y=Y.astype("f8"))
    np.savez(program.parent / "one.npz", x=X)
    np.savez(program.parent / "wide_one.npz", left=X.astype("f8"))
    command = ["run", program, "--ranges", "--inputs", "named.npz", "--inputs", given, "--format", "json"]
    assert shlo(*command, cwd=program.parent).returncode == 1
    done = shlo(*command, *options, cwd=program.parent)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["values"][0]["value"], found["values"][0]["max"]) == ("%x", 7.0)
    assert found["sets"] == 2 + ("--random" in options)


def test_arrays_in_order_replace_names(shlo: Shlo, program: Path) -> None:
    """The file has y first: y - x is [-4, -5]."""
    done = shlo("run", program, "-a", "named.npz", "--by-order", "--print", "summary", cwd=program.parent)
    assert done.stdout.splitlines()[1].split()[4:] == ["-5", "-4.5", "-4", "0"]


@pytest.mark.parametrize("command", ["run {}", "diff {} {}"])
def test_a_file_of_comments_is_no_success(shlo: Shlo, tmp_path: Path, command: str) -> None:
    (tmp_path / "c.mlir").write_text("// nothing\n// -----\n// at all\n")
    done = shlo(*command.format("c.mlir", "c.mlir").split(), cwd=tmp_path)
    assert done.returncode != 0 and "c.mlir: only comments" in done.stderr


def test_a_plan_has_no_results(shlo: Shlo, program: Path) -> None:
    for option in (["-o", "out.npz"], ["--check-against", "outputs.npz"]):
        done = shlo("run", program, "--explain", *option, cwd=program.parent)
        assert done.returncode == 2 and "--explain does not run the program" in done.stderr


def test_default_output(shlo: Shlo, program: Path) -> None:
    done = shlo("run", program, "--input", program.parent / "named.npz")
    assert done.stdout == 'result 0 "diff": tensor<2xf32>\n  [4., 5.]\n'
    assert done.returncode == 0


def test_output_styles(shlo: Shlo, program: Path) -> None:
    named = program.parent / "named.npz"
    dense = shlo("run", program, "--input", named, "--print", "dense").stdout
    assert dense == "dense<[4.000000e+00, 5.000000e+00]> : tensor<2xf32>\n"
    summary = shlo("run", program, "--input", named, "--print", "summary").stdout.splitlines()
    assert summary[0].split() == ["result", "type", "min", "mean", "max", "not", "finite"]
    assert summary[1].split() == ["result", "0", '"diff"', "tensor<2xf32>", "4", "4.5", "5", "0"]


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ([], ["%x: tensor<2xf32>", "%y: tensor<2xf32>"]),
        (["x.npy"], ["%y: tensor<2xf32>"]),
        (["x.npy", "y.npy", "x.npy"], ["2 inputs", "3"]),
        (["z=x.npy", "y.npy"], ["z", "x, y"]),
        (["x.npy", "dense<1.0> : tensor<3xf32>"], ["input 1 (%y)", "3", "tensor<2xf32>"]),
        (["x.npy", "dense<1> : tensor<2xi32>"], ["input 1 (%y)", "int32", "tensor<2xf32>"]),
        (["some.npz"], ["some.npz", "no argument named ty", "x, y"]),
        (["more.npz"], ["more.npz", "no argument named in2", "x, y"]),
        (["others.npz"], ["others.npz", "expected x, y, found left, right", "--by-order"]),
        (["gap.npz"], ["expected x, y, found p0, p2", "--by-order"]),
        (["two_prefixes.npz"], ["expected x, y, found p0, q1", "--by-order"]),
        (["late.npz"], ["expected x, y, found p2, p3", "--by-order"]),
        (["twice.npz"], ["expected x, y, found p0, p00", "--by-order"]),
        (["other.npz"], ["expected x, y, found left", "--by-order"]),
        (["other.npz", "y.npy"], ["expected x, y, found left", "--by-order"]),
        (["left=x.npy"], ["no argument named left", "x, y"]),
        (["x.npy", "3"], ["input 1 (%y)", "scalar", "tensor<2xf32>"]),
    ],
    ids=lambda value: " ".join(value) or "none",
)
def test_inputs_that_do_not_fit(shlo: Shlo, program: Path, inputs: list[str], words: list[str]) -> None:
    options = [part for value in inputs for part in ("--input", value)]
    done = shlo("run", program, *options, cwd=program.parent)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize(
    "value", ["nothing.npy", "no number", "x=nothing.npz", "dense<[1, 2> : tensor<2xf32>"]
)
def test_values_that_cannot_be_read(shlo: Shlo, program: Path, value: str) -> None:
    done = shlo("run", program, "--input", value, cwd=program.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert value.removeprefix("x=") in done.stderr


def test_a_file_that_is_not_an_array(shlo: Shlo, program: Path) -> None:
    (program.parent / "text.npy").write_text("hello")
    done = shlo("run", program, "--input", "text.npy", cwd=program.parent)
    assert done.returncode == 2
    assert "text.npy" in done.stderr and "Traceback" not in done.stderr


def test_a_file_of_python_objects(shlo: Shlo, program: Path) -> None:
    np.savez(program.parent / "objects.npz", x=np.array([{}], object))
    done = shlo("run", program, "--input", "objects.npz", cwd=program.parent)
    assert (done.returncode, done.stderr) == (
        2,
        "Error: objects.npz: files that hold Python objects are not supported\n",
    )


def test_the_entry_that_was_meant(shlo: Shlo, program: Path) -> None:
    done = shlo("run", program, "--entry", "mian")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no function @mian; did you mean @main?" in done.stderr


def test_random_inputs_are_the_same_for_a_seed(shlo: Shlo, program: Path) -> None:
    first, again, other = (shlo("run", program, "--random", seed).stdout for seed in (1, 1, 2))
    assert first == again != other
    assert shlo("run", program, "--random").stdout == shlo("run", program, "--random", 0).stdout != first


def test_scalars(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "scalars.mlir"
    path.write_text(
        "func.func @main(%a: tensor<f32>, %b: tensor<i1>, %c: tensor<ui8>) "
        "-> (tensor<f32>, tensor<i1>, tensor<ui8>) {\n"
        "  return %a, %b, %c : tensor<f32>, tensor<i1>, tensor<ui8>\n}\n"
    )
    done = shlo("run", path, "-a", "3.5", "-a", "true", "-a", "c=200", "--format", "json")
    assert [result["data"] for result in json.loads(done.stdout)["results"]] == [3.5, True, 200]
    done = shlo("run", path, "-a", "3.5", "-a", "true", "-a", "256")
    assert done.returncode == 1
    assert "input 2 (%c)" in done.stderr


@pytest.mark.parametrize(
    ("element", "dtype"),
    [
        ("bf16", ml_dtypes.bfloat16),
        ("f8E4M3FN", ml_dtypes.float8_e4m3fn),
        ("f8E5M2", ml_dtypes.float8_e5m2),
        ("f4E2M1FN", ml_dtypes.float4_e2m1fn),
        ("i4", ml_dtypes.int4),
        ("ui2", ml_dtypes.uint2),
        ("i1", np.bool_),
        ("f16", np.float16),
        ("complex<f64>", np.complex128),
        ("ui64", np.uint64),
    ],
)
def test_a_round_trip_through_npz_loses_nothing(
    shlo: Shlo, tmp_path: Path, element: str, dtype: type
) -> None:
    type = f"tensor<2x3x{element}>"
    path = tmp_path / "identity.mlir"
    path.write_text(f"func.func @main(%x: {type}) -> {type} {{\n  return %x : {type}\n}}\n")
    value = np.arange(6).reshape(2, 3).astype(dtype)
    raw = (
        value if value.dtype.kind in "biuc" or value.dtype == np.float16 else value.view(f"V{value.itemsize}")
    )
    np.save(tmp_path / "x.npy", raw)
    done = shlo("run", path, "--input", tmp_path / "x.npy", "--output", tmp_path / "once.npz")
    assert (done.returncode, done.stderr) == (0, "")
    with np.load(tmp_path / "once.npz") as once:
        np.savez(tmp_path / "in.npz", in0=once["out0"])
    done = shlo("run", path, "--input", tmp_path / "in.npz", "--output", tmp_path / "twice.npy")
    assert done.returncode == 0
    assert np.load(tmp_path / "twice.npy").view(value.dtype).tobytes() == value.tobytes()


def test_several_results_do_not_fit_in_one_npy(shlo: Shlo, testdata: Path, tmp_path: Path) -> None:
    done = shlo("run", testdata / "mlp.mlir", "--random", 0, "--output", tmp_path / "out.npy")
    assert done.returncode == 2
    assert "2" in done.stderr


def test_explain_prints_the_plan(shlo: Shlo, program: Path) -> None:
    done = shlo("run", program, "--explain")
    assert done.returncode == 0
    assert "subtract" in done.stdout and "tensor<2xf32>" in done.stdout


def test_an_engine_by_name(shlo: Shlo, program: Path) -> None:
    done = shlo("run", program, "--input", program.parent / "named.npz", "--engine", "numpy")
    assert done.stdout == 'result 0 "diff": tensor<2xf32>\n  [4., 5.]\n'
    done = shlo("run", program, "--input", program.parent / "named.npz", "--engine", "fast")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown engine fast; the engines are auto, numpy" in " ".join(done.stderr.split())


def test_entry(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "two.mlir"
    path.write_text(SUBTRACT + SUBTRACT.replace("@main", "@other").replace("subtract", "add"))
    done = shlo("run", path, "--entry", "other", "--random", 0, "--format", "json")
    assert json.loads(done.stdout)["entry"] == "other"
    done = shlo("run", path, "--entry", "third", "--random", 0)
    assert done.returncode == 1
    assert "@main, @other" in done.stderr


def test_a_program_that_is_wrong_does_not_run(shlo: Shlo, testdata: Path) -> None:
    done = shlo("run", testdata / "mismatch.mlir", "--random", 0)
    assert (done.returncode, done.stdout) == (1, "")
    assert "mismatch.mlir:2:8: error: stablehlo.dot_general" in done.stderr


def test_a_failing_check_has_its_place(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "check.mlir"
    path.write_text(
        "func.func @main() {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n"
        "  check.expect_eq_const %0, dense<2> : tensor<i32>\n  return\n}\n"
    )
    done = shlo("run", path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{path}:3:3: error: check.expect_eq_const")


def test_the_classifier(shlo: Shlo, testdata: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    inputs = ["--input", testdata / "image.npy", "--input", testdata / "weights.npz"]
    assert shlo("run", testdata / "mlp.mlir", *inputs, "--output", out).returncode == 0
    with np.load(out) as found, np.load(testdata / "mlp_expected.npz") as expected:
        np.testing.assert_array_equal(found["out0"], expected["out0"])
        np.testing.assert_allclose(found["out1"], expected["out1"], rtol=1e-5, atol=1e-6)
