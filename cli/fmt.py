"""`shlo fmt`: format programs, in the author's words or in the C++ printer's."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
from stablehlo_py.cli import common, rewriting, sources, workers
from stablehlo_py.cli.batch import bug
from stablehlo_py.cli.progress import Progress
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.transforms import tidy as transform

_OPTION = "--in-place"
_EXAMPLES = common.examples(
    ("Print a program, tidied", "shlo fmt model.mlir"),
    ("The files that would change; status 1 if any do", "shlo fmt --check exports/"),
    ("Rewrite them", "shlo fmt -i 'exports/**/*.mlir'"),
    ("As the C++ printer writes it", "shlo fmt --canonical model.mlir"),
    ("For reading", "shlo fmt --elide-constants 16 --names-from-locations --strip-locations model.mlir"),
)


class Style(NamedTuple):
    """How programs are to be written."""

    canonical: bool
    generic: bool
    elide_constants: int | None
    strip_locations: bool
    names_from_locations: bool


@dataclass(slots=True)
class Formatted:
    """A file's text as it is and as it should be: None if a module cannot be read, as `diagnostics` tell."""

    source: Text
    text: str | None
    diagnostics: list[shlo.Diagnostic]

    @property
    def changed(self) -> bool:
        return self.text is not None and not self.source.is_binary and self.text != self.source.text


@click.command("fmt", epilog=_EXAMPLES)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@click.option("--canonical", is_flag=True, help="Write what the C++ printer writes, byte for byte.")
@click.option("--generic", is_flag=True, help='Write every op in its generic form, "dialect.op"(...).')
@click.option(
    "--elide-constants",
    type=click.IntRange(min=0),
    metavar="N",
    help="Write dense_resource<__elided__> for constants of more than N elements: to read, not to run.",
)
@click.option("--strip-locations", is_flag=True, help="Leave out the locations.")
@click.option(
    "--names-from-locations",
    is_flag=True,
    help="Name values by their locations, such as %dot_general for jit(f)/dense/dot_general.",
)
@click.option("--check", is_flag=True, help="Print the files that would change; the exit status tells.")
@click.option("--diff", is_flag=True, help="Print what would change; the exit status tells.")
@click.option("-i", _OPTION, is_flag=True, help="Write the files instead of printing them.")
@common.FORMAT
def command(
    paths: tuple[str, ...], check: bool, diff: bool, in_place: bool, output: str, **style: object
) -> int:
    """Format programs: today's spelling of every op, one op a line, two spaces for each level.

    The author's names, comments, locations and single blank lines stay, unless --canonical asks for what the
    C++ printer writes. PATHS are files, folders, patterns, or - for standard input; in a file, lines // -----
    are between modules. A program that cannot be read is left as it is.

    With --format json, prints an object for each file: file, valid, changed, diagnostics, and text where it
    is neither checked, compared nor written.
    """
    files = sources.expand(paths)
    if in_place:
        rewriting.refuse(files, _OPTION)
    task = partial(format_file, Style(**style), in_place)  # type: ignore[arg-type]
    is_printed = not (check or diff or in_place)
    changed = unread = 0
    work = closing(workers.each(task, files, workers.default_jobs(files), lost))
    with Progress("shlo fmt", len(files)) as progress, work as results:
        for result in results:
            changed += result.changed
            unread += result.text is None
            progress.advance()
            with progress.aside():
                _show(result, output, check, diff, is_printed)
    if not is_printed and output == "text":
        click.echo(_summary(len(files), changed, unread, in_place), err=True)
    return 1 if unread or (changed and (check or diff) and not in_place) else 0


def format_file(style: Style, in_place: bool, file: str) -> Formatted:
    """A file's text as it should be, written to the file if `in_place`."""
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
    """The result of a file of which nothing is known."""
    return Formatted(Text(file, ""), None, [shlo.Diagnostic("error", "file", why, 0, 0)])


def _format(source: Text, style: Style) -> str:
    """A module's text as it should be. Raises ParseError if it cannot be read, or would not mean the same."""
    if not source.is_binary and not source.text.strip():
        return ""
    module = source.parse(allow_unregistered=True)
    if style.names_from_locations:
        transform.name_from_locations(module)
    if style.strip_locations:
        transform.strip_locations(module)
    if style.elide_constants is not None:
        transform.elide_constants(module, style.elide_constants)
    is_canonical = style.canonical or source.is_binary  # a binary file has no words of its author
    text = shlo.format(module, generic=style.generic, canonical=is_canonical)
    if text != source.text:
        _compare(shlo.format(module), text, source)
    return text


def _compare(meant: str, written: str, source: Text) -> None:
    """Raises ParseError if what is written is not what is meant: a broken program may have no form."""
    if _read_back(written) == meant:
        return
    message = "formatted, this program would not be the same: `shlo verify` tells what is wrong with it"
    raise shlo.ParseError(source.name, [shlo.Diagnostic("error", "fmt", message, source.first_line, 1)])


def _read_back(written: str) -> str | None:
    """The canonical form of a text, None if it is no program."""
    try:
        return shlo.format(shlo.parse(written, allow_unregistered=True))
    except shlo.ParseError:
        return None


# What is printed --------------------------------------------------------------------------------------


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
        click.echo(result.source.name)


def _print_json(result: Formatted, is_printed: bool) -> None:
    data = {"file": result.source.name, "valid": result.text is not None, "changed": result.changed}
    found = {"diagnostics": list(map(common.diagnostic_json, result.diagnostics))}
    common.print_json({**data, **found, **({"text": result.text} if is_printed else {})})


def _summary(files: int, changed: int, unread: int, in_place: bool) -> str:
    """`2 files changed, 11 as they should be, 1 with errors`."""
    kept = files - changed - unread
    what = "changed" if in_place else "would change"
    parts = [f"{common.counted(changed, 'file')} {what}"] if changed else []
    parts += [f"{common.counted(kept, 'file')} as {'it' if kept == 1 else 'they'} should be"] if kept else []
    parts += [f"{common.counted(unread, 'file')} with errors"] if unread else []
    return ", ".join(parts)
