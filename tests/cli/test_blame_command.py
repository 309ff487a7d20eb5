"""`shlo blame`: its report, its JSON, and its exit status."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from stablehlo_py.cli.main import run_command

import stablehlo_py as shlo

DUMPS = Path(__file__).parents[2] / "testdata" / "dumps" / "classify"
INPUTS = ("-a", str(DUMPS / "inputs.npz"))  # by the names in the metadata of parameters
FUSION = (
    "module_0000.jit_classify.0016.HLO_passes_after_layout_assignment.after_fusion.before_fusion-wrapper.txt"
)
RIGHT = "module_0000.jit_classify.0006.simplification.after_algsimp.before_simplify-sorts.txt"


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["blame", str(DUMPS), *INPUTS]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "module_0000.jit_classify: 5 dumps with different texts, 2 run"
    assert rows[1] == f"first wrong dump: {FUSION} (pass fusion of HLO_passes_after_layout_assignment)"
    assert rows[2] == f"last right one: {RIGHT}"
    assert rows[3].startswith("  result 0 (%multiply) : tensor<4x3xf32>: 12 of 12 elements out of tolerance")
    assert rows[4] == "first wrong instruction: stablehlo.subtract"
    assert rows[5].startswith(f"  {DUMPS / FUSION}:57:9: ROOT %divide.1 = f32[4]{{0}} subtract(")
    assert rows[6].startswith(f"  {RIGHT}:61: %divide = f32[4]{{0}} divide(")
    assert "  differs in op: from stablehlo.subtract to stablehlo.divide" in rows
    assert "  from classify.py:6:11, in classify (jit(classify)/div)" in rows
    assert "  +    57  ROOT %divide.1 = f32[4]{0} subtract(%broadcast.5, %reduce_sum.0)" in rows
    assert "  -    61  %divide = f32[4]{0} divide(%broadcast, %reduce_sum.7)" in rows
    assert rows[-1].endswith("as programs of their own: --reproducer FOLDER")


def test_reproducer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The wrong program subtracts and the right one divides, of the same inputs."""
    assert run_command(["blame", str(DUMPS), *INPUTS, "--reproducer", str(tmp_path / "r")]) == 1
    ends = (".mlir", ".hlo", ".npz")
    files = [tmp_path / "r" / f"{name}{end}" for name in ("wrong", "right") for end in ends]
    listed = ", ".join(map(str, files))
    assert capsys.readouterr().out.splitlines()[-1] == f"as programs of their own: {listed}"
    a, b = np.load(files[2]).values()
    np.testing.assert_array_equal([a, b], [*np.load(files[5]).values()])
    output = tmp_path / "out.npy"
    for file, opcode, expected in ((files[0], "subtract", a - b), (files[3], "divide", a / b)):
        assert f"stablehlo.{opcode} %" in file.read_text()
        assert f" {opcode}(" in file.with_suffix(".hlo").read_text()
        for program in (file, file.with_suffix(".hlo")):
            inputs = str(file.with_suffix(".npz"))
            assert run_command(["run", str(program), "-a", inputs, "-o", str(output)]) == 0
            np.testing.assert_array_equal(np.load(output), expected)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["blame", str(DUMPS), *INPUTS, "--bisect", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["module"], found["file"], found["before"]) == ("module_0000.jit_classify", FUSION, RIGHT)
    assert (found["pass_name"], found["pipeline"]) == ("fusion", "HLO_passes_after_layout_assignment")
    assert (found["dumps"], found["runs"], found["skipped"], found["notes"]) == (5, 3, {}, [])
    assert found["instruction"] == "ROOT %divide.1 = f32[4]{0} subtract(%broadcast.5, %reduce_sum.0)"
    assert (found["source"], found["reproducer"]) == ("classify.py:6:11", [])
    assert (found["first"]["line"], found["first"]["op"]) == (57, "stablehlo.subtract")
    assert found["origin"][0] == "from classify.py:6:11, in classify (jit(classify)/div)"
    assert ("-", 61) in [(each["sign"], each["line"]) for each in found["changes"]]
    assert len(found["results"]) == 1 and not found["results"][0]["ok"]


def test_jobs_do_not_change_what_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the wrong dump, a dump before it cannot be run, and a dump after it is not reached."""
    folder, program = shutil.copytree(DUMPS, tmp_path / "dumps"), tmp_path / "program.mlir"
    program.write_text(shlo.format(shlo.load(DUMPS / "module_0000.jit_classify.before_optimizations.txt")))
    (folder / RIGHT.replace("0006", "0011")).write_text("HloModule broken\n\nENTRY main {\n")
    found = []
    for jobs in ("1", "2"):
        for option in ((), ("--by-order", "--program", str(program))):
            arguments = ["blame", str(folder), *INPUTS, *option, "--every", "-j", jobs, "--format", "json"]
            assert run_command(arguments) == 1
            found.append(json.loads(capsys.readouterr().out))
    assert found[:2] == found[2:]
    assert (found[0]["file"], found[0]["before"], found[0]["runs"]) == (FUSION, RIGHT, 2)
    assert [*found[0]["skipped"]] == [RIGHT.replace("0006", "0011")]


@pytest.mark.parametrize("option", ["--rtol", "--tolerance"])
def test_a_tolerance_that_allows_the_fault(option: str) -> None:
    assert run_command(["blame", str(DUMPS), *INPUTS, option, "1e6"]) == 0


def test_dumps_without_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in DUMPS.iterdir():
        if path.name != FUSION and "0017" not in path.name and "cpu_after_optimizations.txt" not in path.name:
            shutil.copy(path, tmp_path)
    assert run_command(["blame", str(tmp_path), *INPUTS]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["no result differs"]
    assert run_command(["blame", str(tmp_path), *INPUTS, "--bisect"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("only the last dump was run")


def test_a_program_as_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "model.mlir"
    program.write_text(
        """func.func @main(%x: tensor<4x5xf32>, %w: tensor<5x3xf32>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
"""
    )
    assert run_command(["blame", str(DUMPS), "--program", str(program), "--random", "0"]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert rows[1] == "first wrong dump: module_0000.jit_classify.before_optimizations.txt"
    assert rows[2] == f"last right one: {program}"
    program.write_text("func.func @main( {")
    assert run_command(["blame", str(DUMPS), "--program", str(program), "--random", "0"]) == 1
    assert "error" in capsys.readouterr().err


def test_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["blame", str(tmp_path), "--random", "0"]) == 1
    assert "has no file such as module_0000.NAME.before_optimizations.txt" in capsys.readouterr().err
    assert run_command(["blame", str(tmp_path / "none"), "--random", "0"]) == 2
    assert run_command(["blame", str(DUMPS)]) == 1
    assert "missing: x: tensor<4x5xf32>, weights: tensor<5x3xf32>" in capsys.readouterr().err
    assert run_command(["blame", str(DUMPS), "--random", "0", "--module", "other"]) == 1
    assert "there are module_0000.jit_classify" in capsys.readouterr().err
    assert run_command(["blame", str(DUMPS), "--random", "0", "--engine", "none"]) == 2


def test_results_of_the_backend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no dump is wrong and the backend's results are, the fault is behind the passes."""
    folder = tmp_path / "dumps"
    folder.mkdir()
    for path in DUMPS.iterdir():
        if path.name != FUSION and "0017" not in path.name and "cpu_after_optimizations.txt" not in path.name:
            shutil.copy(path, folder)
    right, wrong = tmp_path / "right.npz", tmp_path / "wrong.npz"
    assert run_command(["run", str(folder / RIGHT), *INPUTS, "-o", str(right), "--engine", "numpy"]) == 0
    (result,) = np.load(right).values()
    np.savez(wrong, result * np.array([1, 1, 1.01], np.float32))
    capsys.readouterr()
    assert run_command(["blame", str(folder), *INPUTS, "--against", str(right)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "no result differs"
    assert run_command(["blame", str(folder), *INPUTS, "--against", str(wrong)]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert rows[-3] == "no dump is wrong, and the results of the backend are:"
    assert "4 of 12 elements out of tolerance" in rows[-2]
    assert rows[-1] == "what comes after the passes is at fault: code generation, or a library"
    np.savez(wrong, a=result, b=result)
    assert run_command(["blame", str(folder), *INPUTS, "--against", str(wrong)]) == 2
    assert "use --by-order" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ([], []),
        (["--cast"], ["--cast"]),
        (["--by-order", "--random", "3", "--cast"], ["--random", "3", "--by-order", "--cast"]),
    ],
)
def test_the_compiler_gets_the_options_of_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], passed: list[str]
) -> None:
    """The run that dumps takes the inputs as the search does, so that both have the same values."""
    asked: list[list[str]] = []

    def make_dumps(program: Path, folder: Path, inputs: list[str]) -> Path:
        asked.append(inputs)
        shutil.copy(DUMPS / RIGHT, folder)
        return folder / "results.npz"

    monkeypatch.setattr("stablehlo_py.debug.blame.make_dumps.make_dumps", make_dumps)
    monkeypatch.setattr("stablehlo_py.cli.engine_options._engine", lambda name, settings: None)  # without JAX
    program = tmp_path / "model.mlir"
    program.write_text(str(shlo.load(DUMPS / RIGHT)))
    run_command(["blame", str(program), "--engine", "pjrt", *INPUTS, *given])
    assert asked == [[*INPUTS, *passed]]


@pytest.mark.parametrize(("own", "given", "status"), [(1, None, 0), (2, None, 1), (2, 1, 0), (1, 2, 1)])
def test_results_of_the_run_that_dumps_are_those_of_the_backend_unless_others_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: int, given: int | None, status: int
) -> None:
    """Twice the right results are wrong ones."""
    program, other = tmp_path / "model.mlir", tmp_path / "other.npz"
    program.write_text(str(shlo.load(DUMPS / RIGHT)))
    generator = np.random.default_rng(0)
    inputs = [generator.random(shape, np.float32) for shape in ((4, 5), (5, 3), (3,))]
    np.savez(tmp_path / "inputs.npz", **{f"in{at}": array for at, array in enumerate(inputs)})
    (right,) = shlo.run(shlo.load(program), inputs)

    def make_dumps(program: Path, folder: Path, inputs: list[str]) -> Path:
        shutil.copy(DUMPS / RIGHT, folder / "module_0000.jit_classify.before_optimizations.txt")
        np.savez(folder / "results.npz", right * own)
        return folder / "results.npz"

    monkeypatch.setattr("stablehlo_py.debug.blame.make_dumps.make_dumps", make_dumps)
    options = []
    if given is not None:
        np.savez(other, right * given)
        options = ["--against", str(other)]
    assert run_command(["blame", str(program), "-a", str(tmp_path / "inputs.npz"), *options]) == status
