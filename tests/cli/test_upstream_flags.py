"""Flags of stablehlo-opt as options of `shlo opt`."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from stablehlo_py.cli.main import run_command
from stablehlo_py.cli.opt import command
from stablehlo_py.cli.upstream_flags import OPT_FLAGS, translated

PAGE = Path(__file__).parents[2] / "docs" / "from-stablehlo-opt.md"
PROGRAM = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %a : tensor<2xf32> loc("m.py":3:1)
  %1 = stablehlo.abs %a : tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
"""
TWO = f"{PROGRAM}// -----\n{PROGRAM}"
OWN = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}


def outputs(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> tuple[int, str, str]:
    status = run_command(["opt", *arguments])
    found = capsys.readouterr()
    return status, found.out, re.sub(r"[\d.]+ ms", "ms", found.err)


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (["--cse"], ["-p", "cse"]),
        (["-cse", "--canonicalize"], ["-p", "cse", "-p", "canonicalize"]),
        (
            ["--stablehlo-aggressive-folder=fold-op-element-limit=9 optimize-float=0"],
            ["-p", "stablehlo-aggressive-folder=fold-op-element-limit=9 optimize-float=0"],
        ),
        (
            ["--pass-pipeline=builtin.module(func.func(cse))"],
            ["--pipeline", "builtin.module(func.func(cse))"],
        ),
        (["--pass-pipeline", "builtin.module(cse)", "-split-input-file"], ["-p", "cse"]),
        (
            ["--cse", "-mlir-print-op-generic", "--verify-each=false"],
            ["-p", "cse", "--generic", "--no-verify-each"],
        ),
        (["--cse", "--mlir-print-debuginfo", "--mlir-disable-threading"], ["-p", "cse", "--locations"]),
        (["--cse", "--mlir-print-debuginfo=false", "--verify-each=1"], ["-p", "cse"]),
        (
            ["--cse", "--mlir-print-ir-after-all", "--mlir-timing"],
            ["-p", "cse", "--print-after-each", "--stats"],
        ),
        (["--cse", "--mlir-print-ir-before-all"], ["-p", "cse", "--print-before-each"]),
        (
            ["--cse", "--inline", "--mlir-print-ir-before=inline", "-mlir-print-ir-after=cse"],
            ["-p", "cse", "-p", "inline", "--print-before", "inline", "--print-after", "cse"],
        ),
    ],
)
def test_flags(
    flags: list[str], options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mlir"
    file.write_text(TWO)
    found = outputs(capsys, [str(file), *flags])
    assert found == outputs(capsys, [str(file), *options])
    assert found[0] == 0 and found[1].count("abs") == (4 if "folder" in flags[0] else 2)


def test_programs_between_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.mlir"
    file.write_text(PROGRAM)
    arguments = ["--cse", "--inline", "--print-before", "cse", "--print-after", "inline"]
    heads = re.split(r"// -----// (.*) //----- //", outputs(capsys, [str(file), *arguments])[2])
    assert heads[1::2] == ["Before cse", "After inline"]
    assert [text.count("abs") for text in heads[2::2]] == [2, 1]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ["--verify-diagnostics"],
            "--verify-diagnostics: instead, run shlo verify --verify-diagnostics FILE",
        ),
        (["-emit-bytecode"], "-emit-bytecode: instead, run shlo convert --to bytecode FILE"),
        (["--pass-pipeline"], "--pass-pipeline needs a value"),
        (["--verify-each=perhaps"], "--verify-each is true or false, not 'perhaps'"),
        (["--cse=no=1"], "pass cse has no option no; it has no options"),
        (["--csee"], "No such option '--csee'"),
        (["--cse", "--mlir-print-ir-after=csee"], "unknown pass csee; did you mean cse?"),
    ],
)
def test_flags_that_are_refused(
    flags: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mlir"
    file.write_text(PROGRAM)
    status, _, err = outputs(capsys, [str(file), *flags])
    assert status == 2 and message in err


# Each flag that is taken: the options where it is on, and where it is off.
TAKEN = {
    "allow-unregistered-dialect": (["--allow-unregistered"], []),
    "split-input-file": ([], []),
    "verify-each": (["--verify-each"], ["--no-verify-each"]),
    "mlir-print-op-generic": (["--generic"], []),
    "mlir-print-debuginfo": (["--locations"], []),
    "mlir-print-ir-before-all": (["--print-before-each"], []),
    "mlir-print-ir-after-all": (["--print-after-each"], []),
    "mlir-timing": (["--stats"], []),
    "mlir-pass-statistics": (["--stats"], []),
    "mlir-disable-threading": (["--jobs", "1"], []),
}
VALUED = {
    "pass-pipeline": "--pipeline",
    "mlir-print-ir-before": "--print-before",
    "mlir-print-ir-after": "--print-after",
    "mlir-pass-pipeline-crash-reproducer": "--reproducer",
}


def test_each_flag() -> None:
    """With one hyphen or two, each spelling of true and false, and a value behind `=` or a blank."""
    assert {name for name, flag in OPT_FLAGS.items() if not flag.instead} == {*TAKEN, *VALUED}
    for name, (on, off) in TAKEN.items():
        for value, expected in (("", on), ("=true", on), ("=1", on), ("=False", off), ("=0", off)):
            given = f"--{name}" if f"--{name}" not in OWN or value else f"-{name}"
            assert list(translated([given + value, "x"], OPT_FLAGS, OWN)) == [*expected, "x"]
            assert list(translated([f"-{name}{value}"], OPT_FLAGS, OWN)) == expected
    for name, option in VALUED.items():
        for given in ([f"--{name}=a=b"], [f"-{name}", "a=b"], [f"--{name}", "a=b"]):
            assert list(translated([*given, "x"], OPT_FLAGS, OWN)) == [option, "a=b", "x"]


def test_what_is_no_flag_stays() -> None:
    rest = ["-p", "cse", "--dim", "b=4", "-", "-o", "x", "--", "--cse"]
    assert list(translated(rest, OPT_FLAGS, OWN)) == rest


def test_the_page_has_each_flag() -> None:
    """A flag that is taken is `the same` there, and one of another command is not."""
    rows = [line.split(" | ") for line in PAGE.read_text().split("## stablehlo-translate")[0].splitlines()]
    taken = {
        name: row[1].startswith("the same")
        for row in rows
        if len(row) == 2
        for name in re.findall(r"`--?([\w-]+)", row[0])
    }
    assert {name: not flag.instead for name, flag in OPT_FLAGS.items()}.items() <= taken.items()


def test_the_session_of_the_page(tmp_path: Path) -> None:
    """What `$ shlo ...` prints there, of the file that `$ cat` shows."""
    (session,) = re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL)
    steps = [step.partition("\n") for step in session.split("$ ")[1:]]
    ours = [(line, text) for line, _, text in steps if line.startswith("shlo ")]
    for line, _, text in steps:
        if line.startswith("cat "):
            (tmp_path / line.removeprefix("cat ")).write_text(text)
    for line, text in ours:
        command = f"{sys.executable} -m stablehlo_py {line.removeprefix('shlo ')}"
        done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout == text
    assert len(ours) == 1


def test_reproducer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has the program after the passes that succeeded, and the others."""
    file, made = tmp_path / "m.mlir", tmp_path / "crash.mlir"
    file.write_text(PROGRAM)
    failing = "stablehlo-refine-arguments{types=tensor<3xf32>}"
    flag = f"--mlir-pass-pipeline-crash-reproducer={made}"
    status, _, err = outputs(capsys, [str(file), "--cse", "-p", failing, "--inline", flag])
    assert status == 1
    text = made.read_text()
    assert text.count('"stablehlo.abs"') == 1
    assert f'pipeline: "builtin.module({failing},inline)",' in text and "verify_each: true" in text
    again = outputs(capsys, [str(made), "--run-reproducer"])
    assert (
        again[0] == 1 and again[2].splitlines()[0].split(": ", 1)[1] == err.splitlines()[0].split(": ", 1)[1]
    )


def test_a_reproducer_of_mlir_opt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.mlir"
    resources = """{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(cse))",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
"""
    file.write_text(PROGRAM + resources)
    status, out, _ = outputs(capsys, [str(file), "--run-reproducer"])
    assert status == 0 and out.count("abs") == 1 and "mlir_reproducer" not in out
    file.write_text(PROGRAM)
    status, _, err = outputs(capsys, [str(file), "--run-reproducer"])
    assert status == 2 and "is no reproducer" in err
