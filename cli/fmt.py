"""`shlo fmt`: format programs, keeping the author's names or as the C++ printer prints them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import click
from stablehlo_py.cli import common, rewriting, sources
from stablehlo_py.cli.batch import bug
from stablehlo_py.cli.file_options import FileOptions, file_options
from stablehlo_py.cli.progress import Progress
from stablehlo_py.cli.reports import FORMATS, Tool, make_report
from stablehlo_py.cli.results import FileResult, ModuleResult, Totals
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.ir.records import dataclass
from stablehlo_py.reports.rules import Rule

if TYPE_CHECKING:
    from stablehlo_py.linter.config import FmtOptions


_OPTION = "--in-place"
_TOOL = Tool("fmt", lambda code: Rule(code, "Formatting", "Run `shlo fmt -i` to format the file."))
_EXAMPLES = common.examples(
    ("Print a formatted program", "shlo fmt model.mlir"),
    (
        "List files that would be reformatted; exit with status 1 if there are any",
        "shlo fmt --check exports/",
    ),
    ("Annotate a pull request in a GitHub workflow", "shlo fmt --check --format github exports/"),
    ("Format files in place", "shlo fmt -i 'exports/**/*.mlir'"),
    ("Print as the C++ printer does", "shlo fmt --canonical model.mlir"),
    (
        "Shorten a program for reading",
        "shlo fmt --elide-constants 16 --names-from-locations --strip-locations model.mlir",
    ),
)


class Style(NamedTuple):
    """Formatting options."""

    canonical: bool
    generic: bool
    elide_constants: int | None
    strip_locations: bool
    names_from_locations: bool
    allow_newer: bool = False


@dataclass(slots=True)
class Formatted:
    """The result of formatting a file.

    Attributes:
        source: The text before formatting.
        text: The formatted text; None if a module cannot be parsed.
        diagnostics: Why a module cannot be parsed.
    """

    source: Text
    text: str | None
    diagnostics: list[shlo.Diagnostic]

    @property
    def changed(self) -> bool:
        """Test whether formatting changes the text."""
        return self.text is not None and not self.source.is_binary and self.text != self.source.text


@click.command("fmt", epilog=_EXAMPLES)
@file_options
@click.option("--canonical", is_flag=True, help="Print exactly what the C++ printer prints.")
@click.option("--generic", is_flag=True, help='Print every op in generic form, "dialect.op"(...).')
@click.option(
    "--elide-constants",
    type=click.IntRange(min=0),
    metavar="N",
    help="Replace constants of more than N elements by dense_resource<__elided__>; the output cannot be run.",
)
@click.option("--strip-locations", is_flag=True, help="Remove locations.")
@click.option(
    "--names-from-locations",
    is_flag=True,
    help="Name values after their locations, such as %dot_general for jit(f)/dense/dot_general.",
)
@common.NEWER
@click.option(
    "--check", is_flag=True, help="List files that would change, and exit with status 1 if any would."
)
@click.option("--diff", is_flag=True, help="Print a diff, and exit with status 1 if any file would change.")
@click.option("-i", _OPTION, is_flag=True, help="Rewrite files in place.")
@click.option(
    "--format",
    "output",
    type=click.Choice(FORMATS),
    default="text",
    help="Output format (default: text). Formats for reports imply --check unless -i is given.",
)
def command(
    paths: tuple[str, ...],
    files: FileOptions,
    check: bool,
    diff: bool,
    in_place: bool,
    output: str,
    **given: object,
) -> int:
    """Format programs: current assembly format, one op per line, two-space indentation.

    Keeps value names, comments, locations and single blank lines, except with --canonical, which prints
    exactly what the C++ printer prints. PATHS are files, folders, patterns, or - for standard input; a line
    // ----- separates the modules of a file. Files with syntax errors are left unchanged. Settings are read
    from [tool.shlo] and [tool.shlo.fmt] in the nearest pyproject.toml.

    Exit status: 0 on success, 1 if a file has errors or, with --check or --diff, would change, 2 on a usage
    error.

    With --format json, print an object per file: file, valid, changed, diagnostics, and text unless --check,
    --diff or --in-place is given. The formats github, gitlab, sarif and junit are those of `shlo verify`,
    with a warning at the first line that would change.
    """
    found = files.expand(paths)
    if in_place:
        rewriting.refuse(found, _OPTION)
    style = _style(files.project.fmt, Style(**given))  # type: ignore[arg-type]
    task = partial(format_file, style, in_place)
    if output not in ("text", "json"):
        return _report(files.each(task, found, lost), output, in_place)
    is_printed = not (check or diff or in_place)
    changed = unread = 0
    with Progress("shlo fmt", len(found)) as progress, closing(files.each(task, found, lost)) as results:
        for result in results:
            changed += result.changed
            unread += result.text is None
            progress.advance()
            with progress.aside():
                _show(result, output, check, diff, is_printed)
    if not is_printed and output == "text":
        common.echo(_summary(len(found), changed, unread, in_place), err=True)
    return 1 if unread or (changed and (check or diff) and not in_place) else 0


def _style(configured: FmtOptions, given: Style) -> Style:
    """Combine the options of the project and the command line."""
    canonical, generic = configured.canonical or given.canonical, configured.generic or given.generic
    return given._replace(canonical=canonical, generic=generic)


def format_file(style: Style, in_place: bool, file: str) -> Formatted:
    """Format a file, and write the result back if `in_place`."""
    try:
        source = sources.read(file)
    except (OSError, sources.Unreadable) as error:
        return lost(file, (error.strerror if isinstance(error, OSError) else None) or str(error))
    texts, diagnostics = [], []
    for module in sources.modules(source):
        try:
            texts.append(_format(module, style))
        except shlo.ParseError as error:
            diagnostics += error.diagnostics
        except Exception as error:
            diagnostics.append(shlo.Diagnostic("error", "internal", bug(error), module.first_line, 1))
    if diagnostics:
        return Formatted(source, None, diagnostics)
    result = Formatted(source, rewriting.joined(texts), [])
    if in_place and result.changed:
        rewriting.replace(Path(file), result.text or "")
    return result


def lost(file: str, why: str) -> Formatted:
    """Return the result of a file that could not be processed."""
    return Formatted(Text(file, ""), None, [shlo.Diagnostic("error", "file", why, 0, 0)])


def _format(source: Text, style: Style) -> str:
    """Format a module; raise ParseError if it cannot be parsed, or meaning or comments would be lost."""
    from stablehlo_py.transforms import tidy as transform

    if not source.is_binary and (not source.text or source.text.isspace()):
        return ""
    module = source.parse(common.Allowed(True, style.allow_newer))
    if style.names_from_locations:
        transform.name_from_locations(module)
    if style.strip_locations:
        transform.strip_locations(module)
    if style.elide_constants is not None:
        transform.elide_constants(module, style.elide_constants)
    is_canonical = style.canonical or source.is_binary  # a binary file has no words of its author
    text = shlo.format(module, generic=style.generic, canonical=is_canonical)
    if text != source.text:
        again = _read_back(text)
        if again is None or shlo.format(again) != shlo.format(module):
            raise _refusal(source, source.first_line, 1, _OTHER_MEANING)
        if not is_canonical:
            _compare_comments(module, again, source)
    return text


_OTHER_MEANING = (
    "formatting would change the meaning of this invalid program; run `shlo verify` for its errors"
)


def _refusal(source: Text, line: int, column: int, message: str) -> shlo.ParseError:
    return shlo.ParseError(source.name, [shlo.Diagnostic("error", "fmt", message, line, column)])


def _compare_comments(module: shlo.Module, again: shlo.Module, source: Text) -> None:
    """Raise ParseError if a comment of the program is not in its formatted text."""
    left = Counter(comment.rstrip() for _, comment in again.comments)
    for offset, comment in sorted(module.comments):
        left[comment.rstrip()] -= 1
        if left[comment.rstrip()] < 0:
            words = f"formatting would lose this comment; move it to a line of its own: {comment.rstrip()}"
            raise _refusal(source, *module.source.position(offset), words)


def _read_back(written: str) -> shlo.Module | None:
    """Return the module of a text, or None if it does not parse."""
    try:
        return shlo.parse(written, allow_unregistered=True, allow_newer=True)
    except shlo.ParseError:
        return None


# Output -----------------------------------------------------------------------------------------------


def _show(result: Formatted, output: str, check: bool, diff: bool, is_printed: bool) -> None:
    if output == "json":
        _print_json(result, is_printed)
        return
    common.print_diagnostics(result.source, result.diagnostics, err=True)
    if result.text is None:
        return
    if is_printed:
        common.write(result.text)
    if diff:
        rewriting.print_difference(result.source, result.text, "formatted")
    elif check and result.changed:
        common.echo(result.source.name)


def _report(results: Iterable[Formatted], format: str, in_place: bool) -> int:
    """Print a report with a warning for every file that would change."""
    started = perf_counter()
    report, totals = make_report(format, _TOOL, sys.stdout), Totals()
    for result in results:
        found = result.diagnostics
        if result.changed and not in_place:
            found = [_would_change(result)]
        lines = result.source.text.split("\n") if found else []
        shown = {d.line: lines[d.line - 1].rstrip("\r") for d in found if 0 < d.line <= len(lines)}
        file = FileResult(result.source.name, [ModuleResult(diagnostics=found)], shown)
        totals.add(file)
        report.add(file)
    totals.seconds = perf_counter() - started
    report.close(totals)
    return 1 if totals.fails("warning") else 0


def _would_change(result: Formatted) -> shlo.Diagnostic:
    """Describe the first difference between a file and its formatted text."""
    before, after = result.source.text.split("\n"), (result.text or "").split("\n")
    pairs = enumerate(zip(before, after, strict=False), 1)
    line = next((number for number, (old, new) in pairs if old != new), min(len(before), len(after)))
    message = "file would be reformatted; run `shlo fmt -i`"
    return shlo.Diagnostic("warning", "fmt", message, line, 1, end_column=len(before[line - 1]) + 1)


def _print_json(result: Formatted, is_printed: bool) -> None:
    data = {"file": result.source.name, "valid": result.text is not None, "changed": result.changed}
    found = {"diagnostics": common.diagnostics_json(result.source, result.diagnostics)}
    common.print_json({**data, **found, **({"text": result.text} if is_printed else {})})


def _summary(files: int, changed: int, unread: int, in_place: bool) -> str:
    """`2 files reformatted, 11 files already formatted, 1 file with errors`."""
    kept = files - changed - unread
    what = "reformatted" if in_place else "would be reformatted"
    parts = [f"{common.counted(changed, 'file')} {what}"] if changed else []
    parts += [f"{common.counted(kept, 'file')} already formatted"] if kept else []
    parts += [f"{common.counted(unread, 'file')} with errors"] if unread else []
    return ", ".join(parts)
