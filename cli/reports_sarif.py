"""SARIF 2.1.0 reports, for code scanning: one run, whose rules include their help."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

from stablehlo_py.cli import common
from stablehlo_py.cli.discovery import working_folder
from stablehlo_py.cli.reports import Tool
from stablehlo_py.cli.results import FileResult, Totals

from stablehlo_py import __version__
from stablehlo_py.diagnostics.diagnostic import Diagnostic, Frame
from stablehlo_py.diagnostics.render import underlined
from stablehlo_py.reports.rules import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_HOME = "https://pypi.org/project/stablehlo-py/"

Data = dict[str, Any]


class SarifReport:
    """A SARIF log, written when the report is closed."""

    def __init__(self, stream: TextIO, tool: Tool) -> None:
        self.stream, self.tool = stream, tool
        self.rules: dict[str, int] = {}
        self.results: list[Data] = []
        self.artifacts: list[Data] = []

    def add(self, result: FileResult) -> None:
        """Report the result of one file."""
        location = {**artifact_location(result.file), "index": len(self.artifacts)}
        self.artifacts.append({"location": location, "roles": ["analysisTarget"]})
        for diagnostic in result.diagnostics:
            self.results.append(self.result(location, result, diagnostic))

    def result(self, location: Data, result: FileResult, diagnostic: Diagnostic) -> Data:
        """Convert a diagnostic to a SARIF result."""
        place: Data = {"artifactLocation": location}
        if diagnostic.line:
            place["region"] = _region(diagnostic, result.lines.get(diagnostic.line, ""))
        data: Data = {
            "ruleId": diagnostic.code,
            "ruleIndex": self.rules.setdefault(diagnostic.code, len(self.rules)),
            "level": diagnostic.severity,
            "message": {"text": common.speakable("\n".join([diagnostic.message, *diagnostic.notes]))},
            "locations": [{"physicalLocation": place}],
        }
        related = [_related(frame) for frame in diagnostic.origin]
        return {**data, "relatedLocations": related} if related else data

    def close(self, totals: Totals) -> None:
        """Finish the report."""
        driver = {
            "name": "shlo",
            "fullName": f"shlo {self.tool.name}",
            "semanticVersion": __version__,
            "informationUri": _HOME,
            "rules": [_rule(self.tool.describe(code)) for code in self.rules],
        }
        run = {
            "tool": {"driver": driver},
            "invocations": [{"executionSuccessful": True}],
            "originalUriBaseIds": {_ROOT: {"uri": f"{working_folder().as_uri()}/"}},
            "columnKind": "unicodeCodePoints",
            "artifacts": self.artifacts,
            "results": self.results,
        }
        json.dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, self.stream, indent=2)
        self.stream.write("\n")


def _rule(rule: Rule) -> Data:
    """Convert a rule to a SARIF reportingDescriptor."""
    data: Data = {
        "id": rule.code,
        "shortDescription": {"text": rule.summary},
        "help": {"text": rule.help, "markdown": rule.help if rule.is_markdown else f"```\n{rule.help}\n```"},
        "defaultConfiguration": {"level": rule.severity},
    }
    return {**data, "helpUri": rule.uri} if rule.uri else data


def _related(frame: Frame) -> Data:
    """Convert the Python source position of an op; line or column 0 means unknown."""
    place: Data = {"artifactLocation": artifact_location(frame.file)}
    if frame.line > 0:
        place["region"] = {"startLine": frame.line, "startColumn": max(frame.column, 1)}
    return {"physicalLocation": place, "message": {"text": common.speakable(str(frame))}}


def _region(diagnostic: Diagnostic, line: str) -> Data:
    return {
        "startLine": diagnostic.line,
        "startColumn": diagnostic.column,
        "endColumn": underlined(line, diagnostic),
    }


def artifact_location(file: str) -> Data:
    """Convert a path to a SARIF artifactLocation, relative to the working directory if below it."""
    path, root = Path(file).resolve(), working_folder().resolve()
    if file.startswith("<"):
        return {"uri": quote(file)}
    if path.is_relative_to(root):
        return {"uri": quote(os.fsencode(path.relative_to(root).as_posix())), "uriBaseId": _ROOT}
    return {"uri": path.as_uri()}
