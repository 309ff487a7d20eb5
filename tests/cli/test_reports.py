"""Text, JSON, SARIF and JUnit reports: each has the findings and conforms to its format."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from programs import BAD, BROKEN, GOOD, SPLIT
from stablehlo_py.cli import reports_junit, reports_sarif
from stablehlo_py.cli.reports import FORMATS, Tool, grouped, make_report, summary, workspace_path
from stablehlo_py.cli.results import FileResult, ModuleResult, Totals

from stablehlo_py import Diagnostic
from stablehlo_py.diagnostics.diagnostic import Frame
from stablehlo_py.reports.rules import Rule, describe

Shlo = Callable[..., Any]
SCHEMA = Path(__file__).parent / "sarif" / "sarif-2.1.0-rtm.5.json"
LINE = "%0 = abs %arg0"


def tell(code: str) -> Rule:
    return Rule(code, f"{code} in short", f"{code} at length")


def report(format: str, *results: FileResult, limit: int | None = None) -> str:
    """What a report of some results is."""
    stream, totals = io.StringIO(), Totals(seconds=0.25)
    made = make_report(format, Tool("verify", tell), stream, limit)
    for result in results:
        made.add(result)
        totals.add(result)
    made.close(totals)
    return stream.getvalue()


def result(*diagnostics: Diagnostic, file: str = "a.mlir") -> FileResult:
    return FileResult(file, [ModuleResult(1, list(diagnostics), 2, 1200, 0.5)], {3: LINE})


ERROR = Diagnostic("error", "abs.C1", "x = y", 3, 6, ("x is 1", "y is 2"), origin=(Frame("m.py", 7, 9, "f"),))
WARNING = Diagnostic("warning", "w", "odd", 3, 1)
NOTE = Diagnostic("note", "n", "by the way", 0, 0)


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_to_report(format: str) -> None:
    text = report(format)
    assert text == "" if format == "json" else text


@pytest.mark.parametrize("format", FORMATS)
def test_a_report_is_whole_lines(format: str) -> None:
    text = report(format, result(ERROR, WARNING))
    assert text.endswith("\n") and not text.endswith("\n\n")


# Text


def test_text() -> None:
    assert report("text", result(ERROR, WARNING), result(file="b.mlir")) == (
        "a.mlir:3:6: error: x = y\n"
        "  %0 = abs %arg0\n"
        "       ^~~\n"
        "  x is 1\n"
        "  y is 2\n"
        "a.mlir:3:1: warning: odd\n"
        "  %0 = abs %arg0\n"
        "  ^~\n"
        "1 error and 1 warning in 2 files (4 functions, 2,400 ops, 0.25 s)\n"
    )


@pytest.mark.parametrize(("limit", "shown"), [(0, 0), (1, 1), (2, 2), (None, 3)])
@pytest.mark.parametrize("format", ["text", "github"])
def test_no_more_errors_than_asked_for(format: str, limit: int | None, shown: int) -> None:
    text = report(format, result(ERROR, ERROR, WARNING), result(ERROR), limit=limit)
    assert len(re.findall(r"error: x = y|::error", text)) == shown
    hidden = 3 - shown
    assert ("not shown" in text) == bool(hidden)
    if hidden:
        assert f"{hidden} more error{'s' * (hidden > 1)} not shown\n3 errors and 1 warning in " in text


@pytest.mark.parametrize("format", ["text", "github"])
def test_warnings_do_not_count_as_errors(format: str) -> None:
    text = report(format, result(WARNING, ERROR, WARNING, ERROR), limit=1)
    assert len(re.findall(r"error: x = y|::error", text)) == 1
    assert "1 more error not shown\n" in text
    assert "not shown" not in report(format, result(WARNING, WARNING, ERROR), limit=1)


@pytest.mark.parametrize(("count", "shown"), [(1, 1), (3, 3), (4, 4), (5, 3), (20, 3)])
def test_findings_are_hidden_from_two_on(count: int, shown: int) -> None:
    """A line that says that one is hidden takes as much room as this one."""
    findings = [replace(WARNING, line=line) for line in range(1, count + 1)]
    found = list(grouped(findings))
    assert [each.line for each in found] == list(range(1, shown + 1))
    note = f"{count - shown} more like it, on lines {shown + 1}-{count}; --all shows each"
    assert found[-1].notes == (WARNING.notes if shown == count else (*WARNING.notes, note))


def test_summary() -> None:
    assert summary(Totals(1, 1, 1, 1)) == "no errors in 1 file (1 function, 1 op, 0.00 s)"
    assert (
        summary(Totals(2, 30, 30, 12345, 0, 2, 61.7))
        == "2 warnings in 2 files (30 modules, 30 functions, 12,345 ops, 1 min 2 s)"
    )


# JSON


def test_json() -> None:
    first, second = map(json.loads, report("json", result(ERROR, WARNING), result(file="b")).splitlines())
    assert {k: v for k, v in first.items() if k != "diagnostics"} == {
        "file": "a.mlir",
        "valid": False,
        "errors": 1,
        "warnings": 1,
        "modules": 1,
        "functions": 2,
        "ops": 1200,
        "seconds": 0.5,
    }
    assert first["diagnostics"][0] == {
        "severity": "error",
        "code": "abs.C1",
        "message": "x = y",
        "line": 3,
        "column": 6,
        "end_column": 9,
        "notes": ["x is 1", "y is 2"],
        "origin": [{"file": "m.py", "line": 7, "column": 9, "function": "f"}],
    }
    assert second["valid"] and second["diagnostics"] == []


# GitHub


def test_github() -> None:
    assert report("github", result(ERROR, WARNING, NOTE)).splitlines() == [
        "::error file=a.mlir,line=3,col=6,endColumn=9,title=abs.C1::x = y%0Ax is 1%0Ay is 2",
        "::warning file=a.mlir,line=3,col=1,endColumn=3,title=w::odd",
        "::notice file=a.mlir,title=n::by the way",
        "1 error and 1 warning in 1 file (2 functions, 1,200 ops, 0.25 s)",
    ]


def test_github_escapes() -> None:
    odd = Diagnostic("error", "a:b,c%", "100% of\r\nit: a, b", 3, 1)
    (line, _) = report("github", result(odd, file="a,b:c.mlir")).splitlines()
    assert line == (
        "::error file=a%2Cb%3Ac.mlir,line=3,col=1,endColumn=3,title=a%3Ab%2Cc%25::100%25 of%0D%0Ait: a, b"
    )


def test_github_names_files_from_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "file=sub/a.mlir," in report("github", result(ERROR, file=str(tmp_path / "sub/a.mlir")))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "sub"))
    assert "file=a.mlir," in report("github", result(ERROR, file=str(tmp_path / "sub/a.mlir")))


# SARIF


def sarif(text: str) -> dict[str, Any]:
    """The one run of a log, which must be valid."""
    jsonschema = pytest.importorskip("jsonschema")
    log = json.loads(text)
    checker = jsonschema.Draft4Validator.FORMAT_CHECKER
    jsonschema.Draft4Validator(json.loads(SCHEMA.read_text()), format_checker=checker).validate(log)
    (run,) = log["runs"]
    found: dict[str, Any] = run
    return found


def test_the_schema_refuses_what_is_wrong() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    with pytest.raises(jsonschema.ValidationError):
        sarif('{"version": "2.1.0", "runs": [{"tool": {}}]}')


def test_sarif() -> None:
    run = sarif(report("sarif", result(ERROR, WARNING, ERROR, NOTE), result(file="b.mlir")))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["abs.C1", "w", "n"]
    assert rules[0]["shortDescription"]["text"] == "abs.C1 in short"
    assert rules[0]["help"]["text"] == "abs.C1 at length"
    assert [found["ruleIndex"] for found in run["results"]] == [0, 1, 0, 2]
    assert [found["level"] for found in run["results"]] == ["error", "warning", "error", "note"]
    first, *_, last = run["results"]
    assert first["message"]["text"] == "x = y\nx is 1\ny is 2"
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a.mlir", "uriBaseId": "%SRCROOT%", "index": 0},
        "region": {"startLine": 3, "startColumn": 6, "endColumn": 9},
    }
    (related,) = first["relatedLocations"]
    assert related["message"]["text"] == "m.py:7:9, in f"
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "m.py"
    assert related["physicalLocation"]["region"] == {"startLine": 7, "startColumn": 9}
    assert "region" not in last["locations"][0]["physicalLocation"]
    assert [artifact["location"]["uri"] for artifact in run["artifacts"]] == ["a.mlir", "b.mlir"]


def test_a_frame_without_a_line_has_no_region_in_sarif() -> None:
    """Lines of SARIF are counted from 1."""
    origin = (Frame("m.py", 0, 0, ""), Frame("n.py", 2, 0, ""))
    run = sarif(report("sarif", result(replace(ERROR, origin=origin))))
    first, second = (each["physicalLocation"] for each in run["results"][0]["relatedLocations"])
    assert "region" not in first and second["region"] == {"startLine": 2, "startColumn": 1}


def test_sarif_locations_are_uris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    files = ["sub/a b.mlir", str(tmp_path / "here" / "c.mlir"), "../d.mlir", "<stdin>"]
    run = sarif(report("sarif", *(result(file=file) for file in files)))
    locations = [artifact["location"] for artifact in run["artifacts"]]
    assert [location["uri"] for location in locations] == [
        "sub/a%20b.mlir",
        "c.mlir",
        f"{tmp_path.as_uri()}/d.mlir",
        "%3Cstdin%3E",
    ]
    assert [location.get("uriBaseId") for location in locations] == ["%SRCROOT%", "%SRCROOT%", None, None]
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{(tmp_path / 'here').as_uri()}/"


# JUnit


def test_junit() -> None:
    split = FileResult("s.mlir", [ModuleResult(1, seconds=0.5), ModuleResult(7, [ERROR, WARNING])])
    unread = FileResult("u.mlir", [ModuleResult(1, [Diagnostic("error", "file", "not there", 0, 0)])])
    (suite,) = ElementTree.fromstring(report("junit", split, unread, result()))
    assert suite.attrib == {
        "name": "shlo verify",
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "time": "0.250",
    }
    assert [case.get("name") for case in suite] == ["s.mlir:1", "s.mlir:7", "u.mlir", "a.mlir"]
    good, bad, broken, _ = suite
    assert not list(good) and good.get("time") == "0.500"
    failure, output = bad
    assert (failure.tag, failure.get("type"), failure.get("message")) == ("failure", "abs.C1", "x = y")
    assert "x is 1" in (failure.text or "") and "odd" not in (failure.text or "")
    assert output.tag == "system-out" and "warning: odd" in (output.text or "")
    assert [(child.tag, child.get("message")) for child in broken] == [("error", "not there")]


def test_junit_holds_no_character_that_xml_refuses() -> None:
    odd = Diagnostic("error", "c", "a\x00b\x1b[31m \udcff <&>\"' \uffff", 3, 1)
    (suite,) = ElementTree.fromstring(report("junit", result(odd, file="\x01.mlir")))
    assert suite[0][0].get("message") == "a\ufffdb\ufffd[31m ? <&>\"' \ufffd"


# The command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "good.mlir").write_text(GOOD)
    (tmp_path / "split.mlir").write_text(GOOD + SPLIT + BAD)
    (tmp_path / "broken.mlir").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_sarif_of_the_command(shlo: Shlo, folder: Path) -> None:
    done = shlo("verify", "--format", "sarif", ".")
    run = sarif(done.stdout)
    assert done.returncode == 1
    help = {rule["id"]: rule["help"]["text"] for rule in run["tool"]["driver"]["rules"]}
    assert "shape(result) = shape(operand)" in help["abs.C1"] and "parse" in help
    lines = {
        (found["ruleId"], found["locations"][0]["physicalLocation"]["region"]["startLine"])
        for found in run["results"]
    }
    assert lines == {("parse", 3), ("abs.C1", 10)}


@pytest.mark.parametrize("quiet", [False, True])
def test_a_report_in_a_file(shlo: Shlo, folder: Path, quiet: bool) -> None:
    done = shlo("verify", "--format", "junit", "-o", "report.xml", *["-q"] * quiet, ".")
    assert done.returncode == 1
    assert ("2 errors in 3 files (4 modules, " in done.stdout) == (not quiet)
    assert len(ElementTree.parse(folder / "report.xml").getroot()[0]) == 4


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_names_and_texts_in_any_encoding(shlo: Shlo, tmp_path: Path, format: str, encoding: str) -> None:
    """Names and programs hold what is not ASCII, and what is not even text."""
    if sys.platform == "darwin":
        pytest.skip("file names are Unicode there")
    attributes = '"stablehlo.abs"(%arg0) {m = "?", n = "\N{DEGREE SIGN}"}'
    odd = BAD.replace('"stablehlo.abs"(%arg0)', attributes).encode().replace(b"?", b"\xff")
    for name in ("\N{DEGREE SIGN} x.mlir".encode(), b"\xff.mlir"):
        (tmp_path / os.fsdecode(name)).write_bytes(odd)
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = shlo("verify", "--format", format, ".", cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    if format == "sarif":
        uris = [artifact["location"]["uri"] for artifact in sarif(done.stdout)["artifacts"]]
        assert sorted(uris) == ["%C2%B0%20x.mlir", "%FF.mlir"]
    if format == "junit":
        names = [case.get("name") for case in ElementTree.fromstring(done.stdout)[0]]
        assert sorted(map(str, names)) == ["?.mlir", "\N{DEGREE SIGN} x.mlir"]


def test_a_report_in_a_file_that_cannot_be(shlo: Shlo, folder: Path) -> None:
    for target in ("none/report.json", "good.mlir"):
        done = shlo("verify", "-o", target, "good.mlir", "split.mlir")
        assert (done.returncode, done.stdout) == (2, "")
        assert target in done.stderr
    assert (folder / "good.mlir").read_text() == GOOD


@pytest.mark.parametrize(
    "code", ["parse", "ssa", "file", "internal", "symbol", "dot_general.C12", "abs.I1", "x.y"]
)
def test_every_code_is_described(code: str) -> None:
    rule = describe(code)
    assert rule.code == code and rule.summary and rule.help


def test_a_warning_is_described_as_one() -> None:
    assert describe("all_gather.C3").severity == "warning"
    assert describe("dot_general.C12").severity == "error"
    assert describe("dot_general.C12").uri.endswith("#dot_general")


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ({"files": 1, "modules": 1}, "no errors in 1 file (0 functions, 0 ops, 0.00 s)"),
        ({"files": 2, "modules": 3}, "no errors in 2 files (3 modules, 0 functions, 0 ops, 0.00 s)"),
        (
            {
                "files": 3,
                "modules": 3,
                "errors": 2,
                "warnings": 1,
                "functions": 5,
                "ops": 1200,
                "seconds": 0.125,
            },
            "2 errors and 1 warning in 3 files (5 functions, 1,200 ops, 0.12 s)",
        ),
        (
            {"files": 1, "modules": 1, "warnings": 2, "functions": 1, "ops": 1, "seconds": 59.99},
            "2 warnings in 1 file (1 function, 1 op, 59.99 s)",
        ),
        ({"files": 1, "modules": 1, "seconds": 60}, "no errors in 1 file (0 functions, 0 ops, 1 min 0 s)"),
        ({"files": 1, "modules": 1, "seconds": 119.6}, "no errors in 1 file (0 functions, 0 ops, 2 min 0 s)"),
        ({"files": 1, "modules": 1, "seconds": 3725}, "no errors in 1 file (0 functions, 0 ops, 62 min 5 s)"),
    ],
)
def test_the_last_line(totals: dict[str, Any], expected: str) -> None:
    assert summary(replace(Totals(), **totals)) == expected


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "b/c.mlir"),
        ({"GITHUB_WORKSPACE": "."}, "a/b/c.mlir"),
        ({"CI_PROJECT_DIR": "."}, "a/b/c.mlir"),
        ({"GITHUB_WORKSPACE": "a", "CI_PROJECT_DIR": "."}, "b/c.mlir"),
        ({"GITHUB_WORKSPACE": "other"}, "b/c.mlir"),  # as it is given
    ],
)
def test_paths_in_a_workspace(
    variables: dict[str, str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a")
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, folder in variables.items():
        monkeypatch.setenv(name, str(tmp_path / folder))
    assert workspace_path("b/c.mlir") == expected


@pytest.mark.parametrize(
    ("line", "column", "region"),
    [
        (0, 0, None),
        (7, 0, {"startLine": 7, "startColumn": 1}),
        (7, 3, {"startLine": 7, "startColumn": 3}),
    ],
)
def test_places_of_sarif_begin_at_one(line: int, column: int, region: dict[str, int] | None) -> None:
    """A line or column of 0 is one that is not known."""
    found = reports_sarif._related(Frame("m.py", line, column, "f"))
    assert found["physicalLocation"].get("region") == region


def test_junit_has_warnings_and_notes_as_output() -> None:
    diagnostics = [
        Diagnostic(severity, "R1", f"this is {severity}", 1, 1) for severity in ("note", "warning")
    ]
    result = FileResult("a.mlir", [ModuleResult(diagnostics=diagnostics)], {1: "x"})
    stream = io.StringIO()
    report = reports_junit.JunitReport(stream, SimpleNamespace(name="lint"))  # type: ignore[arg-type]
    report.add(result)
    report.close(Totals())
    (case,) = ElementTree.fromstring(stream.getvalue().partition("?>\n")[2]).iter("testcase")
    assert case.find("failure") is None and case.find("error") is None
    output = case.findtext("system-out") or ""
    assert "note: this is note" in output and "warning: this is warning" in output


@pytest.mark.parametrize("codes", [["file", "R1"], ["R1", "file"]])
def test_junit_tells_a_broken_file_by_its_first_error(codes: list[str]) -> None:
    diagnostics = [Diagnostic("error", code, "no", 1, 1) for code in codes]
    case = reports_junit._case(FileResult("a.mlir", []), ModuleResult(diagnostics=diagnostics), several=False)
    assert (case.find("error") is not None) is (codes[0] == "file")
    assert (case.find("failure") is not None) is (codes[0] != "file")
