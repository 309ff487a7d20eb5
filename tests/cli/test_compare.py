"""`shlo compare`: its report, its JSON, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from stablehlo_py.cli import compare
from stablehlo_py.cli.main import run_command

TEXT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = stablehlo.rsqrt %0 : tensor<4xf32> loc("norm/rsqrt"("model.py":31:5))
  %2 = stablehlo.sine %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "a.mlir", tmp_path / "b.mlir"]
    paths[0].write_text(TEXT)
    paths[1].write_text(TEXT.replace("rsqrt %0", "sqrt %0"))
    return [str(path) for path in paths]


def test_report(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compare", *files, "--input", "dense<0.0> : tensor<4xf32>"]) == 0
    capsys.readouterr()  # rsqrt(1) = sqrt(1)
    assert run_command(["compare", *files, "--random", "0"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "first wrong op: stablehlo.rsqrt"
    assert lines[1].startswith(f"  {files[0]}:3:8: %1 = stablehlo.rsqrt %0 : tensor<4xf32>")
    assert lines[2].startswith(f"  {files[1]}:3: %1 = stablehlo.sqrt %0 : tensor<4xf32>")
    assert "  from model.py:31:5 (norm/rsqrt)" in lines
    assert "  operand %0 : tensor<4xf32>: equal" in lines
    assert lines[-2:] == ["2 op executions compared", "the rest of both programs is equal"]


def test_a_failure_is_no_equality(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The second program fails after its last op, and at once."""
    Path(files[1]).write_text(
        TEXT.replace("  return", "  check.expect_eq_const %2, dense<9.0> : tensor<4xf32>\n  return")
    )
    assert run_command(["compare", *files, "--random", "0"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "b.mlir failed: " in lines[0]
    assert lines[1] == "no difference before the failure: 3 op executions compared"
    Path(files[1]).write_text(
        TEXT.replace("  %0", "  check.expect_eq_const %x, dense<9.0> : tensor<4xf32>\n  %0", 1)
    )
    assert run_command(["compare", *files, "--random", "0"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == ["nothing was compared"]


def test_what_was_not_compared_is_said(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The sine on line 4 of the first program is a cosine of a difference on lines 5 and 6 of the second."""
    Path(files[1]).write_text(
        TEXT.replace(
            "  %2 = stablehlo.sine %1",
            "  %h = stablehlo.constant dense<1.57079637> : tensor<4xf32>\n"
            "  %m = stablehlo.subtract %1, %h : tensor<4xf32>\n  %2 = stablehlo.cosine %m",
        )
    )
    assert run_command(["compare", *files, "--random", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "no difference found: 2 op executions compared, 1 without a counterpart",
        f"  without a counterpart: line 4 of {files[0]}; lines 5-6 of {files[1]}",
        "1 result of the program within tolerance",
    ]


def test_json(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compare", *files, "--random", "0", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["first"]["line"], found["others"]) == (False, 3, [])
    assert found["first"]["details"] == ["op: from stablehlo.rsqrt to stablehlo.sqrt"]
    (result,) = found["first"]["results"]
    assert result["error"]["wrong"] == 4 and len(result["worst"]) == 4


def test_usage(files: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_command(["compare", files[0]]) == 2
    assert run_command(["compare", *files, "--engine", "numpy"]) == 2
    assert run_command(["compare", files[0], "--engine", "numpy", "--random", "0"]) == 2
    assert run_command(["compare", *files, "--random", "0", "--until", "%nine"]) == 2
    assert run_command(["compare", *files]) == 1  # no inputs
    assert run_command(["compare", files[0], "--against", str(tmp_path), "--random", "0"]) == 1
    assert "has no array that is named after a value" in capsys.readouterr().err
    Path(files[1]).write_text("func.func @main(")
    assert run_command(["compare", *files, "--random", "0"]) == 1
    assert "b.mlir:1:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--engine", "one"], "one"),
        (["--engine", "one", "--engine", "two"], "two"),
        (["--against", "{}"], "{}"),
        (["{}"], "{}"),
    ],
)
def test_the_name_of_the_other_run(
    files: list[str], monkeypatch: pytest.MonkeyPatch, options: list[str], name: str
) -> None:
    names: list[tuple[str, str]] = []
    monkeypatch.setattr("stablehlo_py.cli.engine_options._engine", lambda name, settings: None)
    monkeypatch.setattr(compare, "_compared", lambda *_: SimpleNamespace(ok=True))
    monkeypatch.setattr(compare, "print_comparison", lambda found, shown, paint: names.append(shown))
    given = [option.format(files[1]) for option in options]
    assert run_command(["compare", files[0], *given, "--random", "0"]) == 0
    assert names == [(files[0], name.format(files[1]))]
