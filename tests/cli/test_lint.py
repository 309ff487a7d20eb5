"""`shlo lint`: findings, settings, fixes and versions."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

DEAD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = stablehlo.exponential %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
"""
CLEAN = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
"""
YOUNG = """func.func @main(%x: tensor<2xf8E4M3>) -> tensor<2xf32> {
  %0 = stablehlo.convert %x : (tensor<2xf8E4M3>) -> tensor<2xf32>
  %1 = stablehlo.tan %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
INVALID = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = stablehlo.exponential %x : tensor<4xf32>
  %0 = "stablehlo.reshape"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return %x : tensor<4xf32>
}
"""


ELIDED = """func.func @main(%x: tensor<4xf32>) -> tensor<9xf32> {
  %unused = stablehlo.exponential %x : tensor<4xf32>
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<9xf32>
  return %0 : tensor<9xf32>
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "dead.mlir"
    path.write_text(DEAD)
    return path


def test_a_finding_with_its_line_and_rule(shlo: Shlo, file: Path) -> None:
    done = shlo("lint", file.name, cwd=file.parent)
    assert done.returncode == 1
    assert done.stdout.startswith("dead.mlir:2:13: warning: %unused of stablehlo.exponential is unused")
    assert "[dead-op]" in done.stdout
    assert "1 warning in 1 file" in done.stdout


def test_nothing_to_find(shlo: Shlo) -> None:
    done = shlo("lint", "-", stdin=CLEAN)
    assert done.returncode == 0
    assert done.stdout.startswith("no errors in 1 file")


def test_constants_that_were_left_out_are_one_finding_among_others(shlo: Shlo) -> None:
    done = shlo("lint", "--format", "json", "-", stdin=ELIDED)
    found = json.loads(done.stdout)["diagnostics"]
    assert [(d["line"], d["severity"], d["code"]) for d in found] == [
        (2, "warning", "lint.dead-op"),
        (3, "error", "lint.elided-constant"),
    ]
    assert (
        json.loads(shlo("lint", "--min-version", "--format", "json", "-", stdin=ELIDED).stdout)["needs"] == []
    )


@pytest.mark.parametrize(("fail_on", "status"), [("error", 0), ("warning", 1), ("note", 1)])
def test_the_severity_that_fails(shlo: Shlo, fail_on: str, status: int) -> None:
    assert shlo("lint", "--fail-on", fail_on, "-", stdin=DEAD).returncode == status


def test_notes_do_not_fail_unless_that_is_asked_for(shlo: Shlo) -> None:
    text = CLEAN.replace("f32>\n}", "f32>  // shlo: ignore[dead-op]\n}")
    done = shlo("lint", "-", stdin=text)
    assert "note: unused suppression of dead-op" in done.stdout
    assert done.returncode == 0
    for fail_on, status in (("error", 0), ("warning", 0), ("note", 1)):
        assert shlo("lint", "--fail-on", fail_on, "-", stdin=text).returncode == status


def test_a_program_that_is_not_valid_has_its_errors_only(shlo: Shlo) -> None:
    done = shlo("lint", "--fail-on", "error", "-", stdin=INVALID)
    assert done.returncode == 1
    assert "reshape" in done.stdout
    assert "dead-op" not in done.stdout


def test_json(shlo: Shlo, file: Path) -> None:
    data = json.loads(shlo("lint", "--format", "json", file).stdout)
    (found,) = data["diagnostics"]
    assert (found["code"], found["severity"], found["line"]) == ("lint.dead-op", "warning", 2)
    assert "[" not in found["message"]


def test_sarif_carries_the_rule(shlo: Shlo, file: Path) -> None:
    (run,) = json.loads(shlo("lint", "--format", "sarif", file).stdout)["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["id"] == "lint.dead-op"
    assert rule["help"]["markdown"].startswith("## dead-op (D101)")
    assert rule["defaultConfiguration"]["level"] == "warning"
    assert run["results"][0]["ruleId"] == "lint.dead-op"


def test_github(shlo: Shlo, file: Path) -> None:
    done = shlo("lint", "--format", "github", file.name, cwd=file.parent)
    assert done.stdout.startswith("::warning file=dead.mlir,line=2,col=13,")
    assert "title=lint.dead-op" in done.stdout


def test_findings_that_are_alike_are_grouped(shlo: Shlo, tmp_path: Path) -> None:
    """Nine dead ops of two names, on lines 2 to 10: three of the seven exponentials, and both sines."""
    names = ["exponential"] * 3 + ["sine"] + ["exponential"] * 3 + ["sine"] + ["exponential"]
    dead = [f"  %{i} = stablehlo.{name} %x : tensor<4xf32>" for i, name in enumerate(names)]
    (tmp_path / "a.mlir").write_text(CLEAN.replace("{\n", "{\n" + "\n".join(dead) + "\n"))
    done = shlo("lint", "a.mlir", cwd=tmp_path)
    heads = [line.split(":")[1] for line in done.stdout.splitlines() if line.startswith("a.mlir:")]
    assert heads == ["2", "3", "4", "5", "9"]
    assert "4 more like it, on lines 6-8 and 10; --all shows each" in " ".join(done.stdout.split())
    assert "9 warnings in 1 file" in done.stdout and done.returncode == 1
    each = shlo("lint", "--all", "a.mlir", cwd=tmp_path)
    assert each.stdout.count("a.mlir:") == 9 and "more like it" not in each.stdout
    (found,) = map(json.loads, shlo("lint", "--format", "json", "a.mlir", cwd=tmp_path).stdout.splitlines())
    assert len(found["diagnostics"]) == 9


def test_no_rule_is_left(shlo: Shlo, file: Path) -> None:
    for options in (["--ignore", "all"], ["--select", "dead-op", "--ignore", "D"]):
        done = shlo("lint", *options, file)
        assert done.returncode == 2 and "no rule is left to apply" in done.stderr
    (file.parent / "s.toml").write_text("[tool.shlo.lint]\nignore = ['all']\n")
    assert shlo("lint", "--config", file.parent / "s.toml", file).returncode == 2


def test_statistics(shlo: Shlo) -> None:
    done = shlo("lint", "--statistics", "--select", "default,missing-location", "-", stdin=DEAD)
    assert done.stderr.split() == ["1", "dead-op", "1", "missing-location"]


def test_several_modules_and_processes(shlo: Shlo, file: Path) -> None:
    other = file.with_name("two.mlir")
    other.write_text(f"{CLEAN}\n// -----\n\n{DEAD}")
    done = shlo("lint", "-j", 2, file.parent)
    assert "two.mlir:8:13: warning" in done.stdout
    assert "2 warnings in 2 files" in done.stdout


# Settings


def test_select_and_ignore(shlo: Shlo) -> None:
    assert shlo("lint", "--ignore", "D", "-", stdin=DEAD).returncode == 0
    assert shlo("lint", "--select", "N,P", "-", stdin=DEAD).stdout.count("dead-op") == 0
    assert "dead-op" in shlo("lint", "--select", "dead-op", "--select", "N", "-", stdin=DEAD).stdout


def test_the_file_of_settings(shlo: Shlo, file: Path) -> None:
    settings = file.with_name("pyproject.toml")
    settings.write_text("[tool.shlo.lint]\nignore = ['dead-op']\n")
    assert shlo("lint", file, cwd=file.parent).returncode == 0
    assert shlo("lint", "--ignore", "N", file, cwd=file.parent).returncode == 0  # besides those of the file
    inner = file.parent / "inner"
    inner.mkdir()
    assert shlo("lint", file, cwd=inner).returncode == 0
    other = file.with_name("other.toml")
    other.write_text("[tool.shlo.lint.severity]\ndead-op = 'error'\n")
    done = shlo("lint", "--config", other, file, cwd=file.parent)
    assert "error: %unused" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--select", "ded-op"], "unknown lint rule 'ded-op'; did you mean dead-op?"),
        (["--ignore", "Q"], "unknown lint rule 'Q'"),
        (["--target", "1.7"], "invalid version '1.7'"),
        (["--explain", "ded-op"], "did you mean dead-op?"),
        (["--fix", "--diff"], "cannot be used together"),
        (["--fix"], "cannot be used with standard input"),
        (["--min-version", "--format", "sarif"], "--min-version supports only --format text and json"),
        (["--config", "missing.toml"], "missing.toml"),
    ],
)
def test_wrong_options(shlo: Shlo, options: list[str], message: str) -> None:
    done = shlo("lint", *options, "-", stdin=DEAD)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_wrong_settings(shlo: Shlo, file: Path) -> None:
    settings = file.with_name("pyproject.toml")
    settings.write_text("[tool.shlo.lint]\nselct = ['D']\n")
    done = shlo("lint", file, cwd=file.parent)
    assert done.returncode == 2
    assert f"{settings}: [tool.shlo.lint]: unknown setting selct; did you mean select?" in done.stderr


# Fixes


def test_the_difference_of_a_fix(shlo: Shlo, file: Path) -> None:
    done = shlo("lint", "--diff", file)
    assert done.returncode == 1
    assert "-  %unused = stablehlo.exponential" in done.stdout
    assert done.stderr == "would fix 1 problem in 1 file: 1 dead-op\n"
    assert file.read_text() == DEAD


def test_a_fix(shlo: Shlo, file: Path) -> None:
    done = shlo("lint", "--fix", file)
    assert done.returncode == 0
    assert done.stderr == "fixed 1 problem in 1 file: 1 dead-op\n"
    assert done.stdout.startswith("no errors in 1 file")
    assert file.read_text().split() == CLEAN.split()
    assert shlo("lint", "--diff", file).stderr == "no fixes available\n"


def test_a_fix_of_one_module_leaves_the_others(shlo: Shlo, file: Path) -> None:
    file.write_text(f"// one\n{INVALID}\n// -----\n{DEAD}// -----\n  {CLEAN}")
    shlo("lint", "--fix", file)
    text = file.read_text()
    assert text.startswith(f"// one\n{INVALID}\n// -----\n")
    assert text.endswith(f"// -----\n  {CLEAN}")
    assert text.count("%unused") == 1


def test_a_fix_of_modules_with_the_same_text(shlo: Shlo, file: Path) -> None:
    file.write_text("// -----\n".join([DEAD, CLEAN, DEAD, DEAD, CLEAN]))
    done = shlo("lint", "--fix", file)
    assert done.stderr == "fixed 3 problems in 1 file: 3 dead-op\n"
    assert [each.split() for each in file.read_text().split("// -----\n")] == [CLEAN.split()] * 5


# Versions and rules


def test_the_oldest_version(shlo: Shlo, file: Path) -> None:
    file.write_text(YOUNG)
    done = shlo("lint", "--min-version", file.name, cwd=file.parent)
    assert done.stdout.splitlines() == [
        "dead.mlir: 1.7.0",
        "  line 1: f8E4M3 requires 1.7.0",
        "  line 3: tan requires 1.4.0",
    ]
    data = json.loads(shlo("lint", "--min-version", "--format", "json", file).stdout)
    assert data["min_version"] == "1.7.0"
    assert data["needs"][0] == {"version": "1.7.0", "what": "f8E4M3", "lines": [1]}


def test_the_oldest_version_of_no_program(shlo: Shlo) -> None:
    wrong = "func.func @main( {\n"
    done = shlo("lint", "--min-version", "-", stdin=f"{wrong}// -----\n{CLEAN}// -----\n{wrong}")
    assert (done.returncode, done.stdout) == (1, "")
    last = CLEAN.count("\n") + 4
    assert [line for line in (1, last, last + 1) if f":{line}:" in done.stderr] == [1, last]


def test_a_target(shlo: Shlo) -> None:
    done = shlo("lint", "--target", "1.6.0", "-", stdin=YOUNG)
    assert "error: f8E4M3 requires version 1.7.0, but the target is 1.6.0 [newer-than-target]" in done.stdout
    assert "tan needs" not in done.stdout
    assert shlo("lint", "--target", "WEEK_12", "-", stdin=YOUNG).returncode == 0


def test_explain(shlo: Shlo) -> None:
    listing = shlo("lint", "--explain").stdout
    assert "D101 *+ dead-op" in listing
    page = shlo("lint", "--explain", "D101").stdout
    assert page.startswith("## dead-op (D101)")
    assert page == shlo("lint", "--explain", "dead-op").stdout
