"""`shlo opt`: passes, outputs, and what is refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stablehlo_py.cli.pass_trace import PassTrace

import stablehlo_py as shlo_py
from stablehlo_py.storage.files import OutputFiles
from stablehlo_py.transforms.pipeline import schedule

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """\
// Adds nothing.
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %y = stablehlo.add %x, %zero : tensor<2xi32>
  %square = stablehlo.multiply %y, %y : tensor<2xi32>  // kept
  return %square : tensor<2xi32>
}
"""
SMALL = """\
// Adds nothing.
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %square = stablehlo.multiply %x, %x : tensor<2xi32> // kept
  return %square : tensor<2xi32>
}
"""
BARE = SMALL.removeprefix("// Adds nothing.\n").replace(" // kept", "")
SIMPLIFY = "stablehlo-aggressive-simplification"
RANDOM = """\
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<10xf32> {
  %shape = stablehlo.constant dense<10> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}
"""


def test_what_no_pass_changes_stays(shlo: Shlo) -> None:
    done = shlo("opt", "-", "--pass", SIMPLIFY, stdin=PROGRAM)
    assert (done.returncode, done.stdout, done.stderr) == (0, BARE, "")
    assert shlo("opt", "-", "--pass", SIMPLIFY, "--keep-comments", stdin=PROGRAM).stdout == SMALL


def test_a_program_in_bytecode_has_no_words_of_its_author(shlo: Shlo, tmp_path: Path) -> None:
    file = tmp_path / "model.mlirbc"
    file.write_bytes(shlo_py.serialize(shlo_py.parse(PROGRAM), "bytecode"))
    done = shlo("opt", file, "-p", SIMPLIFY)
    assert (
        done.stdout
        == """module {
  func.func @main(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}
"""
    )


def test_output_in_place_and_diff(shlo: Shlo, tmp_path: Path) -> None:
    file, out = tmp_path / "model.mlir", tmp_path / "small.mlir"
    file.write_text(PROGRAM)
    done = shlo("opt", file, "--pipeline", f"builtin.module(func.func({SIMPLIFY}))", "-o", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert (file.read_text(), out.read_text()) == (PROGRAM, BARE)
    done = shlo("opt", file, "-p", SIMPLIFY, "--diff")
    assert done.returncode == 1
    assert "-  %zero = stablehlo.constant dense<0> : tensor<2xi32>\n" in done.stdout
    assert file.read_text() == PROGRAM
    assert shlo("opt", file, "-p", SIMPLIFY, "-i").returncode == 0
    assert file.read_text() == SMALL
    assert shlo("opt", file, "-p", SIMPLIFY, "--diff").returncode == 0


def test_several_modules_of_a_file(shlo: Shlo) -> None:
    done = shlo("opt", "-", "-p", SIMPLIFY, stdin=f"{PROGRAM}// -----\n{PROGRAM}")
    assert done.stdout == f"{BARE}\n// -----\n\n{BARE}"


def test_reports_on_standard_error(shlo: Shlo) -> None:
    done = shlo("opt", "-", "-p", SIMPLIFY, "-p", "cse", "--stats", "--print-after-each", stdin=PROGRAM)
    assert done.stdout == BARE
    assert f"// -----// After {SIMPLIFY} //----- //\n{BARE}" in done.stderr
    assert "6 -> 4 ops" in done.stderr
    assert "4 -> 4 ops" in done.stderr


def test_canonical_generic_and_exact(shlo: Shlo) -> None:
    canonical = shlo("opt", "-", "-p", SIMPLIFY, "--canonical", stdin=PROGRAM).stdout
    assert "%0 = stablehlo.multiply %arg0, %arg0 : tensor<2xi32>" in canonical
    generic = shlo("opt", "-", "-p", SIMPLIFY, "--generic", stdin=PROGRAM).stdout
    assert '"stablehlo.multiply"(%x, %x)' in generic
    floats = PROGRAM.replace("i32", "f32").replace("dense<0>", "dense<0.0>")
    assert "stablehlo.add" in shlo("opt", "-", "-p", SIMPLIFY, "--exact", stdin=floats).stdout
    assert "stablehlo.add" not in shlo("opt", "-", "-p", SIMPLIFY, stdin=floats).stdout


def test_a_refused_program_is_reported_with_its_position(shlo: Shlo) -> None:
    done = shlo("opt", "-", "-p", "stablehlo-legalize-deprecated-ops", stdin=RANDOM)
    assert (done.returncode, done.stdout) == (1, "")
    assert "3:8: error: failed to legalize operation 'stablehlo.rng'" in done.stderr
    allowed = "stablehlo-legalize-deprecated-ops=fail-on-unused=false"
    assert shlo("opt", "-", "-p", allowed, stdin=RANDOM).returncode == 0


def test_an_invalid_program_is_not_transformed(shlo: Shlo) -> None:
    for broken in (PROGRAM.replace("return %square", "return %x,"), PROGRAM.replace("%y, %y", "%y, %y, %y")):
        done = shlo("opt", "-", "-p", "cse", stdin=broken)
        assert (done.returncode, done.stdout) == (1, "")
        assert "error" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-"], "name a pass with --pass"),
        ([], "Missing argument 'PATHS...'"),
        (["-", "-p", "cce"], "unknown pass cce; did you mean cse?"),
        (["-", "-p", f"{SIMPLIFY}=limit=3"], "has no option limit"),
        (["-", "-p", f"{SIMPLIFY}=fold-op-element-limit=x"], "must be an integer, not 'x'"),
        (["-", "-p", "cse", "-i"], "--in-place cannot be used with standard input"),
        (["-", "-p", "cse", "-o", "x", "--diff"], "-o cannot be used with --in-place or --diff"),
    ],
)
def test_usage_errors(shlo: Shlo, arguments: list[str], message: str) -> None:
    done = shlo("opt", *arguments, stdin=PROGRAM)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_an_input_is_not_overwritten(shlo: Shlo, tmp_path: Path) -> None:
    file = tmp_path / "model.mlir"
    file.write_text(PROGRAM)
    done = shlo("opt", file, "-p", "cse", "-o", file)
    assert done.returncode == 2
    assert "would overwrite an input file" in done.stderr
    assert file.read_text() == PROGRAM


def test_upgrade_replaces_deprecated_ops_and_old_spellings(shlo: Shlo) -> None:
    old = """\
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.dot"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32> // product
  %1 = "stablehlo.reverse"(%0) {dimensions = dense<0> : tensor<1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
    assert (
        shlo("opt", "-", "--upgrade", "--keep-comments", stdin=old).stdout
        == """\
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : \
(tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32> // product
  %1 = stablehlo.reverse %0, dims = [0] : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
    )


COMMENTED = """\
// of the file
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> { // of the function
  // CHECK: stablehlo.tanh
  %0 = stablehlo.add %x, %x : tensor<2xi32> // of the line
  return %0 : tensor<2xi32>
}
// of the end
"""


def test_output_for_filecheck_has_no_comments(shlo: Shlo, tmp_path: Path) -> None:
    """CHECK lines that the output repeats match themselves, whatever the program is."""
    file, out = tmp_path / "a.mlir", tmp_path / "out.mlir"
    file.write_text(COMMENTED)
    kept = [line for line in COMMENTED.splitlines() if "//" not in line.lstrip()[:2]]
    bare = "".join(line.partition(" //")[0] + "\n" for line in kept)
    for options in ([], ["--generic"], ["--canonical"], ["--upgrade"], ["--locations"]):
        assert "//" not in shlo("opt", file, "-p", "cse", *options).stdout
    done = shlo("opt", file, "-p", "cse", "--print-after-each")
    assert done.stdout == bare
    assert "CHECK" not in done.stderr
    shlo("opt", file, "-p", "cse", "-o", out)
    assert out.read_text() == bare


def test_comments_are_kept_where_files_are_rewritten(shlo: Shlo, tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(COMMENTED)
    assert shlo("opt", file, "-p", "cse", "--keep-comments").stdout == COMMENTED
    assert not shlo("opt", file, "-p", "cse", "--diff").stdout
    for options in (["-p", "cse"], ["--upgrade"]):
        assert shlo("opt", file, *options, "-i").returncode == 0
        assert file.read_text() == COMMENTED


def test_comments_of_erased_ops_are_dropped(shlo: Shlo) -> None:
    program = PROGRAM.replace("  %y = ", "  // a sum\n  %y = ").replace(
        "%x, %zero : tensor<2xi32>", "%x, %zero : tensor<2xi32> // nothing"
    )
    done = shlo("opt", "-", "--pass", SIMPLIFY, "--keep-comments", stdin=program)
    assert done.stdout == SMALL.replace("  %square", "  // a sum\n  %square")


def test_a_folder_in_several_processes(shlo: Shlo, tmp_path: Path) -> None:
    """Exclusions as in other commands; results in the order of the files, whoever made them."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.mlir").write_text(PROGRAM.replace("@main", f"@{name}"))
    done = shlo("opt", tmp_path, "-p", SIMPLIFY, "-j", "2", "--exclude", "b.mlir", "--stats", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == BARE.replace("@main", "@a") + BARE.replace("@main", "@c")
    assert done.stderr.count("6 -> 4 ops") == 2
    (tmp_path / "b.mlir").write_text("func.func @b(")
    done = shlo("opt", tmp_path, "-p", SIMPLIFY, "-j", "2", "-i")
    assert done.returncode == 1
    assert "b.mlir:1:" in done.stderr
    assert (tmp_path / "c.mlir").read_text() == SMALL.replace("@main", "@c")
    assert (tmp_path / "b.mlir").read_text() == "func.func @b("
    done = shlo("opt", tmp_path / "b.mlir", tmp_path / "c.mlir", "-p", "cse", "-o", "x")
    assert done.returncode == 2
    assert "-o takes one file" in done.stderr


def test_list(shlo: Shlo) -> None:
    done = shlo("opt", "--list")
    assert done.returncode == 0
    assert "\n\ncse\n  Common subexpression elimination" in done.stdout
    assert "fold-op-element-limit=65536" in done.stdout


def test_a_bug_in_one_file_is_told_of_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from stablehlo_py.cli.main import run_command

    import stablehlo_py

    text = stablehlo_py.format

    def fail(module: stablehlo_py.Module, **options: Any) -> str:
        if "first" in module.source.name:
            raise KeyError("slot")
        return text(module, **options)

    for name in ("first.mlir", "second.mlir"):
        (tmp_path / name).write_text(PROGRAM)
    monkeypatch.setattr(stablehlo_py, "format", fail)
    monkeypatch.chdir(tmp_path)
    words = ["opt", "first.mlir", "second.mlir", "-p", SIMPLIFY, "--in-place", "--jobs", "1"]
    assert run_command(words) == 1
    assert "first.mlir:1:1: error: internal error: KeyError" in capsys.readouterr().err
    assert (tmp_path / "first.mlir").read_text() == PROGRAM
    assert "stablehlo.add" not in (tmp_path / "second.mlir").read_text()


def test_a_reproducer_has_the_program_before_the_pass_that_failed(tmp_path: Path) -> None:
    """Not what that pass has left of it."""
    module, file = shlo_py.parse(PROGRAM), tmp_path / "r.mlir"
    options = {
        "reproducer": file, "verify_each": False, "print_before": [], "print_after": [],
        "print_before_each": False, "print_after_each": False,
    }  # fmt: skip
    trace = PassTrace(module, [SIMPLIFY], options, str)
    trace.before_each(*schedule([SIMPLIFY]), module)
    module.functions["main"].erase()
    trace.write_reproducer(OutputFiles())
    assert "stablehlo.multiply" in file.read_text() and "verify_each: false" in file.read_text()


def test_a_reproducer_keeps_quotes_and_backslashes(shlo: Shlo, tmp_path: Path) -> None:
    """As a string of MLIR; the run of the reproducer fails as the first one did."""
    (tmp_path / "p.mlir").write_text(PROGRAM)
    step = 'stablehlo-refine-arguments{types=a"b\\c}'
    done = shlo("opt", "p.mlir", "--pass", step, "--reproducer", "r.mlir", cwd=tmp_path)
    assert done.returncode == 1
    assert 'error: a"b\\c is not a type' in done.stderr
    written = (tmp_path / "r.mlir").read_text()
    assert 'pipeline: "builtin.module(stablehlo-refine-arguments{types=a\\"b\\\\c})"' in written
    again = shlo("opt", "r.mlir", "--run-reproducer", cwd=tmp_path)
    assert again.returncode == 1
    assert 'error: a"b\\c is not a type' in again.stderr
