"""Report formats: text, JSON and GitHub annotations; GitLab, SARIF and JUnit have modules of their own.

A report receives the result of each file, in order, and then the totals.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TextIO

from stablehlo_py.cli import common
from stablehlo_py.cli.discovery import working_folder
from stablehlo_py.cli.results import FileResult, Totals

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.diagnostics.render import diagnostic_text, line_ranges, underlined

if TYPE_CHECKING:
    from stablehlo_py.reports.rules import Rule

_ALIKE = 3  # diagnostics of a kind that text shows of many
_VALUE = re.compile(r"%[\w.$#-]+")
FORMATS = ("text", "json", "github", "gitlab", "sarif", "junit")


class Tool(NamedTuple):
    """The command that reports.

    Attributes:
        name: The name of the command.
        describe: Returns the rule of a diagnostic code.
        more: Returns a hint on where to read about a code, or "".
        groups: Whether text reports show a few of many diagnostics that are alike, and the lines of the rest.
        tag: Returns what text reports append to the message of a code, such as ` [dead-op]`.
    """

    name: str
    describe: Callable[[str], Rule]
    more: Callable[[str], str] = lambda code: ""
    tag: Callable[[str], str] = lambda code: ""
    groups: bool = False


class Report(Protocol):
    """A report under construction."""

    def add(self, result: FileResult) -> None:
        """Report the result of one file."""

    def close(self, totals: Totals) -> None:
        """Finish the report."""


def make_report(format: str, tool: Tool, stream: TextIO, limit: int | None = None) -> Report:
    """Make a report.

    Args:
        format: One of FORMATS.
        tool: The command that reports.
        stream: Where to write the report.
        limit: The maximum number of errors to print (text and github formats), or None.

    Returns:
        The report.
    """
    match format:
        case "json":
            return JsonReport(stream)
        case "github":
            return GithubReport(stream, limit)
        case "gitlab":
            from stablehlo_py.cli.reports_gitlab import GitlabReport

            return GitlabReport(stream, tool)
        case "sarif":
            from stablehlo_py.cli.reports_sarif import SarifReport

            return SarifReport(stream, tool)
        case "junit":
            from stablehlo_py.cli.reports_junit import JunitReport

            return JunitReport(stream, tool)
    return TextReport(stream, tool, limit)


class _Limit:
    """Limits the number of printed errors, and counts those suppressed."""

    def __init__(self, limit: int | None) -> None:
        self.left = limit
        self.hidden = 0

    def allows(self, diagnostic: Diagnostic) -> bool:
        is_error = diagnostic.severity == "error"
        if self.left == 0:
            self.hidden += is_error
            return False
        if self.left is not None:
            self.left -= is_error
        return True

    def note(self) -> str:
        return f"{common.counted(self.hidden, 'more error')} not shown" if self.hidden else ""


class TextReport:
    """Text: each diagnostic with its source line underlined, and a summary."""

    def __init__(self, stream: TextIO, tool: Tool, limit: int | None) -> None:
        self.stream, self.tool, self.limit = stream, tool, _Limit(limit)
        self.width, self.paint = common.width(stream), common.paint(stream)
        self.more = ""

    def add(self, result: FileResult) -> None:
        """Report the result of one file."""
        found = grouped(result.diagnostics) if self.tool.groups else result.diagnostics
        for diagnostic in filter(self.limit.allows, found):
            self.more = self.more or self.tool.more(diagnostic.code)
            line = result.lines.get(diagnostic.line, "")
            tagged = replace(diagnostic, message=diagnostic.message + self.tool.tag(diagnostic.code))
            self.print(diagnostic_text(result.file, tagged, line, self.width, self.paint))

    def close(self, totals: Totals) -> None:
        """Finish the report."""
        hint = f"; {self.more}" if self.more and self.stream.isatty() else ""
        for line in filter(None, (self.limit.note(), summary(totals) + hint)):
            self.print(line)

    def print(self, text: str) -> None:
        """Print a line of the report."""
        common.echo(text, self.stream)


def grouped(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield diagnostics, but of many that are alike only the first ones; the last of these lists the others.

    Diagnostics are alike if they have the same code, severity and message, apart from the names of values.
    """
    found = list(diagnostics)
    groups: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for each in found:
        groups.setdefault(_kind(each), []).append(each)
    last = {id(group[_ALIKE - 1]): group for group in groups.values() if len(group) > _ALIKE + 1}
    hidden = {id(each) for group in last.values() for each in group[_ALIKE:]}
    for each in found:
        if id(each) in last:
            rest = last[id(each)][_ALIKE:]
            lines = line_ranges(other.line for other in rest)
            note = f"{len(rest):,} more like it, on {lines}; --all shows each"
            yield replace(each, notes=(*each.notes, note))
        elif id(each) not in hidden:
            yield each


def _kind(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return diagnostic.code, diagnostic.severity, _VALUE.sub("%", diagnostic.message)


class JsonReport:
    """JSON lines: an object per file."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def add(self, result: FileResult) -> None:
        """Report the result of one file."""
        errors, warnings = result.count("error"), result.count("warning")
        data: dict[str, Any] = {
            "file": result.file,
            "valid": not errors,
            "errors": errors,
            "warnings": warnings,
            "modules": len(result.modules),
            "functions": sum(module.functions for module in result.modules),
            "ops": sum(module.ops for module in result.modules),
            "seconds": round(sum(module.seconds for module in result.modules), 6),
            "diagnostics": [
                common.diagnostic_json(diagnostic, result.lines.get(diagnostic.line, ""))
                for diagnostic in result.diagnostics
            ],
        }
        common.print_json(data, self.stream)

    def close(self, totals: Totals) -> None:
        """Do nothing: there is no summary object."""


class GithubReport:
    """GitHub workflow commands that annotate lines, and a summary."""

    _COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}

    def __init__(self, stream: TextIO, limit: int | None) -> None:
        self.stream, self.limit = stream, _Limit(limit)

    def add(self, result: FileResult) -> None:
        """Report the result of one file."""
        for diagnostic in filter(self.limit.allows, result.diagnostics):
            common.echo(self.annotation(result, diagnostic), file=self.stream)

    def annotation(self, result: FileResult, diagnostic: Diagnostic) -> str:
        """Format a diagnostic as a workflow command."""
        places: dict[str, object] = {"file": workspace_path(result.file)}
        if diagnostic.line:
            end = underlined(result.lines.get(diagnostic.line, ""), diagnostic)
            places |= {"line": diagnostic.line, "col": diagnostic.column, "endColumn": end}
        places["title"] = diagnostic.code
        where = ",".join(f"{key}={_property(str(value))}" for key, value in places.items())
        message = "\n".join([diagnostic.message, *diagnostic.notes])
        return f"::{self._COMMANDS[diagnostic.severity]} {where}::{_data(message)}"

    def close(self, totals: Totals) -> None:
        """Finish the report."""
        for line in filter(None, (self.limit.note(), summary(totals))):
            common.echo(line, file=self.stream)


def _data(text: str) -> str:
    """Escape the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a workflow command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def workspace_path(file: str) -> str:
    """Return a path relative to the workspace of a CI job, or to the working directory."""
    workspace = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    root = Path(workspace or working_folder()).resolve()
    path = Path(file).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else file


def summary(totals: Totals) -> str:
    """`2 errors and 1 warning in 3 files (5 functions, 1,200 ops, 0.12 s)`."""
    found = [(totals.errors, "error"), (totals.warnings, "warning")]
    parts = [common.counted(n, noun) for n, noun in found if n]
    sizes = [common.counted(totals.modules, "module")] if totals.modules != totals.files else []
    sizes += [common.counted(totals.functions, "function"), common.counted(totals.ops, "op")]
    files = common.counted(totals.files, "file")
    return (
        f"{' and '.join(parts) or 'no errors'} in {files} ({', '.join(sizes)}, {_duration(totals.seconds)})"
    )


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
