"""Baselines, suppression comments, severities that fail, the cache of results, and --watch."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import monotonic

import click
import pytest
from stablehlo_py.cli import watch
from stablehlo_py.cli.result_cache import _is_result, _packed, _unpacked
from stablehlo_py.cli.results import FileResult, ModuleResult

from stablehlo_py.diagnostics.diagnostic import Diagnostic, Frame

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

DEAD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = stablehlo.exponential %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
"""
INVALID = """func.func @main(%x: tensor<4xf32>) {
  "stablehlo.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.mlir").write_text(DEAD)
    return tmp_path


def test_known_findings_are_not_reported(shlo: Shlo, folder: Path) -> None:
    done = shlo("lint", ".", "--baseline", "known.json", "--write-baseline", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "wrote 1 diagnostic to known.json\n")
    done = shlo("lint", ".", "--baseline", "known.json", cwd=folder)
    assert done.returncode == 0
    assert done.stderr.endswith("1 known diagnostic not shown\n")
    moved = "// a line above\n" + DEAD.replace(
        "  return", "  %new = stablehlo.tanh %x : tensor<4xf32>\n  return"
    )
    (folder / "a.mlir").write_text(moved)
    done = shlo("lint", "--format", "json", ".", "--baseline", "known.json", cwd=folder)
    assert done.returncode == 1
    assert [d["line"] for d in json.loads(done.stdout)["diagnostics"]] == [4]


def test_a_second_finding_with_the_same_message_is_new(shlo: Shlo, folder: Path) -> None:
    shlo("lint", ".", "--baseline", "known.json", "--write-baseline", cwd=folder)
    (folder / "a.mlir").write_text(f"{DEAD}// -----\n{DEAD}")
    assert shlo("lint", ".", "--baseline", "known.json", cwd=folder).returncode == 1


def test_findings_that_are_gone_are_counted(shlo: Shlo, folder: Path) -> None:
    (folder / "b.mlir").write_text(f"{DEAD}// -----\n{DEAD}")  # twice, in a file that is not checked below
    shlo("lint", ".", "--baseline", "known.json", "--write-baseline", cwd=folder)
    (folder / "a.mlir").write_text(DEAD.replace("  %unused = stablehlo.exponential %x : tensor<4xf32>\n", ""))
    done = shlo("lint", "a.mlir", "--baseline", "known.json", cwd=folder)
    assert done.stderr == "1 of the baseline no longer occur; update it with --write-baseline\n"
    shlo("lint", "a.mlir", "--baseline", "known.json", "--write-baseline", cwd=folder)
    assert list(json.loads((folder / "known.json").read_text())["lint"]) == ["b.mlir"]
    (folder / "b.mlir").unlink()
    shlo("lint", "a.mlir", "--baseline", "known.json", "--write-baseline", cwd=folder)
    assert json.loads((folder / "known.json").read_text())["lint"] == {}


def test_one_file_serves_both_commands_and_is_configured(shlo: Shlo, folder: Path) -> None:
    (folder / "bad.mlir").write_text(INVALID)
    text = '[tool.shlo.verify]\nbaseline = "known.json"\n[tool.shlo.lint]\nbaseline = "known.json"\n'
    (folder / "pyproject.toml").write_text(text)
    sub = folder / "sub"
    sub.mkdir()
    for command in ("verify", "lint"):
        assert shlo(command, "--write-baseline", "..", cwd=sub).returncode == 0
    for command in ("verify", "lint"):
        assert shlo(command, ".", cwd=folder).returncode == 0
    assert set(json.loads((folder / "known.json").read_text())) == {"version", "verify", "lint"}


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"version": 2}', '{"version": 1, "lint": {"a": [{"code": 1}]}}']
)
def test_what_is_not_a_baseline(shlo: Shlo, folder: Path, text: str) -> None:
    (folder / "known.json").write_text(text)
    done = shlo("lint", ".", "--baseline", "known.json", cwd=folder)
    assert done.returncode == 2
    assert "known.json: not a baseline" in done.stderr


def test_a_baseline_must_exist(shlo: Shlo, folder: Path) -> None:
    done = shlo("lint", ".", "--baseline", "known.json", cwd=folder)
    assert done.returncode == 2
    assert "create it with --write-baseline" in done.stderr
    assert shlo("lint", ".", "--write-baseline", cwd=folder).returncode == 2


CONTINUED = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = stablehlo.exponential %x : tensor<4xf32>  // the exponential
  %two = stablehlo.tanh %x : tensor<4xf32>  // shlo: ignore[chlo-op]
  %three = "stablehlo.constant"() <{value = dense<[1.0,
    2.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
  return %x : tensor<4xf32>
}
"""


def test_comments_that_suppress_every_finding(shlo: Shlo, folder: Path) -> None:
    (folder / "b.mlir").write_text(CONTINUED)
    done = shlo("lint", "--add-ignores", ".", cwd=folder)
    assert done.stderr.startswith("suppressed 4 diagnostics in 2 files")
    lines = (folder / "b.mlir").read_text().split("\n")
    assert lines[1:4] == [
        "  // shlo: ignore[dead-op]",
        "  %unused = stablehlo.exponential %x : tensor<4xf32>  // the exponential",
        "  %two = stablehlo.tanh %x : tensor<4xf32>  // shlo: ignore[chlo-op, dead-op]",
    ]
    assert lines[4] == "  // shlo: ignore[dead-op]"
    assert "exponential %x : tensor<4xf32>  // shlo: ignore[dead-op]\n" in (folder / "a.mlir").read_text()
    assert shlo("lint", ".", cwd=folder).returncode == 0


def test_findings_about_suppressions_are_not_suppressed(shlo: Shlo, folder: Path) -> None:
    text = DEAD.replace("  return %x : tensor<4xf32>", "  return %x : tensor<4xf32>  // shlo: ignore[ded-op]")
    (folder / "a.mlir").write_text(text)
    done = shlo("lint", "--add-ignores", "a.mlir", cwd=folder)
    assert done.stderr.startswith("suppressed 1 diagnostic in 1 file")
    assert "unknown-suppression" not in (folder / "a.mlir").read_text()
    assert "[unknown-suppression]" in shlo("lint", "a.mlir", cwd=folder).stdout


@pytest.mark.parametrize(
    ("command", "text", "severity"), [("verify", INVALID, "error"), ("lint", DEAD, "warning")]
)
def test_the_severity_that_fails_is_configured(
    shlo: Shlo, tmp_path: Path, command: str, text: str, severity: str
) -> None:
    (tmp_path / "a.mlir").write_text(text)
    for fail_on, least in (("error", {"error"}), ("warning", {"error", "warning"})):
        (tmp_path / "pyproject.toml").write_text(f'[tool.shlo]\nfail-on = "{fail_on}"\n')
        assert shlo(command, ".", cwd=tmp_path).returncode == int(severity in least)
    (tmp_path / "pyproject.toml").write_text(f'[tool.shlo.{command}]\nfail-on = "note"\n')
    assert shlo(command, ".", cwd=tmp_path).returncode == 1


def test_results_are_cached_by_content_and_options(
    shlo: Shlo, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    env = {"SHLO_CACHE_DIR": str(cache)}
    shlo("lint", "a.mlir", cwd=folder, env=env)
    (entry,) = cache.glob("result-*")
    from stablehlo_py.cli import batch

    def fail(*_: object) -> None:
        raise AssertionError("the result is not cached")

    monkeypatch.setattr(batch, "_check_modules", fail)
    done = shlo("lint", "a.mlir", cwd=folder, env=env)
    assert done.returncode == 1
    assert "[dead-op]" in done.stdout
    monkeypatch.undo()
    assert shlo("lint", "--select", "N", "a.mlir", cwd=folder, env=env).returncode == 0
    (folder / "a.mlir").write_text(DEAD.replace("%unused", "%idle"))
    assert "%idle" in shlo("lint", "a.mlir", cwd=folder, env=env).stdout
    assert len(list(cache.glob("result-*"))) == 3
    entry.unlink()
    shlo("lint", "--no-cache", "a.mlir", cwd=folder, env=env)
    assert len(list(cache.glob("result-*"))) == 2


def test_what_tells_results_apart() -> None:
    """The content, the name, what a folder says of a program, the check, and its arguments."""
    from stablehlo_py.cli.result_cache import _key
    from stablehlo_py.cli.sources import Text

    from stablehlo_py.artifacts.containers.torch_xla import TorchFunction

    texts = [Text("a", "x"), Text("a", "y"), Text("b", "x"), Text("a", "x", function=TorchFunction({}, {}))]
    texts.append(Text("a", "x", function=TorchFunction({0: Path("w")}, {})))
    checks = [len, sorted, partial(sorted, 1), partial(sorted, 2)]
    keys = [_key(check, text) for check in checks for text in texts]
    assert len(set(keys)) == len(keys)
    assert keys == [_key(check, text) for check in checks for text in texts]


def test_a_cached_result_has_all_that_was_found() -> None:
    origin = (Frame("model.py", 3, 5, "f"), Frame("train.py", 7, 0))
    found = [
        Diagnostic("error", "abs.C1", "wrong", 2, 3, ("a", "b"), 9, origin, True),
        Diagnostic("note", "lint.x", "see", 4, 1),
    ]
    result = FileResult("a", [ModuleResult(1, found, 2, 5), ModuleResult(7)], {2: "  two", 4: "four"})
    data = _packed(result)
    assert _is_result(data) and _unpacked("a", data) == result


def test_results_are_kept_for_one_state_of_the_package() -> None:
    from stablehlo_py.cli.result_cache import _version

    from stablehlo_py import cli, grammar, verifier

    key = _version()
    folders = [Path(str(module.__file__)).parent for module in (cli, grammar, verifier)]
    files = [path for folder in folders for path in folder.iterdir() if path.suffix in (".py", ".lark")]
    assert len(files) > 80
    for path in files:
        found = path.stat()
        assert f"{path.name}:{found.st_size}:{found.st_mtime_ns}" in key


def test_a_damaged_or_foreign_cache_is_not_used(shlo: Shlo, folder: Path, tmp_path: Path) -> None:
    from stablehlo_py.cli.result_cache import _is_result

    from stablehlo_py.storage.cache import load, store

    with pytest.MonkeyPatch.context() as patch:
        cache = tmp_path / "cache"
        patch.setenv("SHLO_CACHE_DIR", str(cache))
        bad = [
            ([(1, 2, 3, [("fatal", "c", "m", (), (1, 1, 0), (), False)])], {}),
            ([(1, 2)], {}),
            ([(1, 2, 3, ())], {}),
            ([(1, 2, "3", [])], {}),
            ([(1, 2, 3, [("error", "c", "m", (), (1, 1, 0), (("f.py", 1, 2),), False)])], {}),
            ([(1, 2, 3, [("error", "c", "m", (), (1, 1, 0), ((1, 1, 2, "g"),), False)])], {}),
            ([(1, 2, 3, [("error", "c", "m", (1,), (1, 1, 0), (), False)])], {}),
            ([(1, 2, 3, [("error", "c", "m", [], (1, 1, 0), (), False)])], {}),
            ([(1, 2, 3, [("error", "c", "m", (), (1, 1), (), False)])], {}),
            ([(1, 2, 3, [("error", "c", "m", (), (1, 1, 0), (), 0)])], {}),
            ([(1, 2, 3, [("error", "c", 7, (), (1, 1, 0), (), False)])], {}),
            ([(1, 2, 3, ["error"])], {}),
            ((), {}),
            ([], {1: 2}),
            "x",
            ([], {"a": "b"}),
        ]
        for data in bad:
            store("result-x", "key", data)
            assert load("result-x", "key", _is_result) is None
        good = (
            [(1, 2, 3, [("error", "c", "m", ("n",), (1, 1, 0), (("f.py", 1, 2, "g"),), False)])],
            {1: "line"},
        )
        store("result-x", "key", good)
        assert load("result-x", "key", _is_result) == good
        cache.chmod(0o777)
        assert load("result-x", "key", _is_result) is None


def test_watch_runs_again_after_a_change(folder: Path) -> None:
    file = folder / "a.mlir"
    command = [sys.executable, "-c", "from stablehlo_py.cli.main import main; main()", "lint", "--watch", "."]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ}
    ) as process:
        assert process.stdout is not None
        until(process, "waiting for changes")
        (folder / ".new").write_text(DEAD.replace("%unused", "%idle"))
        (folder / ".new").replace(file)  # at once: an empty file is a change as well
        assert any("%idle of stablehlo.exponential is unused" in line for line in until(process, "waiting"))
        process.send_signal(signal.SIGINT)
        assert process.wait(300) == 1


def until(process: subprocess.Popen[str], text: str) -> list[str]:
    """The lines of output up to one with a text."""
    lines = []
    end = monotonic() + 300
    assert process.stdout is not None
    while monotonic() < end:
        line = process.stdout.readline()
        lines.append(line)
        if text in line:
            return lines
    raise AssertionError(lines)


def test_what_is_a_change(folder: Path) -> None:
    """Another size, or another time with the same size; the name of a file, and whether it is there."""
    file, other = folder / "a.mlir", folder / "b.mlir"
    seen = [watch._stamps(lambda: [str(file)])]
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))
    seen.append(watch._stamps(lambda: [str(file)]))
    time_before = file.stat().st_mtime_ns
    file.write_text(DEAD + "\n")
    os.utime(file, ns=(0, time_before))
    seen += [watch._stamps(lambda: [str(file)]), watch._stamps(lambda: [str(file), str(other)])]
    assert seen[2] == seen[3]
    file.rename(other)
    seen[3:] = [watch._stamps(lambda: [str(other)]), watch._stamps(lambda: [str(file)])]
    assert seen[4] == {} and all(a != b for a, b in pairwise(seen))

    def nothing() -> list[str]:
        raise click.ClickException("no such file")

    assert watch._stamps(nothing) == {}


def test_watch_needs_files(shlo: Shlo) -> None:
    assert shlo("lint", "--watch", "-", stdin=DEAD).returncode == 2


@pytest.mark.parametrize("format", ["github", "gitlab", "sarif", "junit"])
def test_fmt_reports_files_that_would_change(shlo: Shlo, folder: Path, format: str) -> None:
    (folder / "b.mlir").write_text(DEAD.replace("  %unused", "      %unused"))
    done = shlo("fmt", "--format", format, ".", cwd=folder)
    assert done.returncode == 1
    assert "b.mlir" in done.stdout
    match format:
        case "github":
            (row, _) = done.stdout.splitlines()
            assert row.startswith("::warning file=b.mlir,line=2,col=1,")
            assert "reformatted" in row
        case "gitlab":
            (issue,) = json.loads(done.stdout)
            assert issue["location"] == {"path": "b.mlir", "lines": {"begin": 2}}
        case "sarif":
            (result,) = json.loads(done.stdout)["runs"][0]["results"]
            assert result["ruleId"] == "fmt"
    assert shlo("fmt", "--format", format, "a.mlir", cwd=folder).returncode == 0


def test_a_file_that_cannot_be_read_has_a_line_for_gitlab(shlo: Shlo, folder: Path) -> None:
    """GitLab refuses a report with a line 0."""
    (folder / "c.mlir").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    issues = json.loads(shlo("lint", "--format", "gitlab", "c.mlir", cwd=folder).stdout)
    assert [issue["location"] for issue in issues] == [{"path": "c.mlir", "lines": {"begin": 1}}]


def test_gitlab_fingerprints_do_not_depend_on_lines(shlo: Shlo, folder: Path) -> None:
    def fingerprints() -> list[str]:
        return [
            issue["fingerprint"]
            for issue in json.loads(shlo("lint", "--format", "gitlab", ".", cwd=folder).stdout)
        ]

    before = fingerprints()
    (folder / "a.mlir").write_text("\n\n" + DEAD)
    assert fingerprints() == before != []


TORCH_MLIR = """module attributes {torch.debug_module_name = "Linear"} {
  func.func @main(%arg0: tensor<?x4xf32>) -> tensor<?x3xf32> {
    %c0 = arith.constant 0 : index
    %0 = stablehlo.constant dense<1.0> : tensor<3xf32>
    %1 = stablehlo.constant dense<2.0> : tensor<4x3xf32>
    %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0]
      : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    %dim = tensor.dim %arg0, %c0 : tensor<?x4xf32>
    %3 = arith.index_cast %dim : index to i64
    %c3 = arith.constant 3 : i64
    %from_elements = tensor.from_elements %3, %c3 : tensor<2xi64>
    %4 = stablehlo.dynamic_broadcast_in_dim %0, %from_elements, dims = [1]
      : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
    %5 = chlo.broadcast_add %2, %4 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    return %5 : tensor<?x3xf32>
  }
}
"""


def test_what_torch_mlir_writes_has_no_findings(shlo: Shlo) -> None:
    done = shlo("lint", "-", "--fail-on", "note", stdin=TORCH_MLIR)
    assert done.returncode == 0, done.stdout
