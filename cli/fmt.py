"""`shlo fmt`: print programs as the C++ printer does."""

from __future__ import annotations

from pathlib import Path

import click
from stablehlo_py.cli import common

import stablehlo_py as shlo


@click.command("fmt")
@common.FILES
@click.option("--generic", is_flag=True, help='Print every op in its generic form, "dialect.op"(...).')
@click.option(
    "--canonical/--keep-names",
    default=True,
    help="The C++ printer's text (the default), or the author's value names and comments.",
)
@click.option("--check", is_flag=True, help="Print the files that would change; the exit status tells.")
@click.option("--diff", is_flag=True, help="Print what would change.")
@click.option("-i", "--in-place", is_flag=True, help="Write the files instead of printing them.")
@common.FORMAT
def command(
    files: tuple[str, ...],
    generic: bool,
    canonical: bool,
    check: bool,
    diff: bool,
    in_place: bool,
    output: str,
) -> int:
    """Print programs as the C++ printer does, byte for byte.

    With --format json, prints an object for each FILE: file, valid, changed, diagnostics, and text where it
    is neither checked, compared nor written.
    """
    if in_place and "-" in files:
        raise click.UsageError("standard input cannot be written in place")
    status = 0
    for source in common.read_all(files):
        formatted, diagnostics = _formatted(source, generic, canonical)
        changed = formatted is not None and formatted != source.text
        if formatted is None or (changed and (check or diff)):
            status = 1
        if changed and in_place and formatted is not None:
            Path(source.name).write_bytes(common.encode(formatted))
        if output == "json":
            _print_json(source, formatted, diagnostics, changed, show=not (check or diff or in_place))
            continue
        common.print_diagnostics(source, diagnostics, err=True)
        if formatted is None:
            continue
        if diff:
            common.write(_difference(source, formatted))
        if check and changed:
            click.echo(source.name)
        if not (check or diff or in_place):
            common.write(formatted)
    return status


def _formatted(
    source: common.Text, generic: bool, canonical: bool
) -> tuple[str | None, list[shlo.Diagnostic]]:
    """The text as it should be, None if it cannot be read; and what is wrong with it."""
    try:
        module = shlo.parse(source.text, source.name, allow_unregistered=True)
    except shlo.ParseError as error:
        return None, error.diagnostics
    return shlo.format(module, generic=generic, canonical=canonical), []


def _print_json(
    source: common.Text,
    formatted: str | None,
    diagnostics: list[shlo.Diagnostic],
    changed: bool,
    show: bool,
) -> None:
    data = {"file": source.name, "valid": formatted is not None, "changed": changed}
    found = {"diagnostics": list(map(common.diagnostic_json, diagnostics))}
    common.print_json({**data, **found, **({"text": formatted} if show else {})})


def _difference(source: common.Text, formatted: str) -> str:
    """A unified diff from the text as it is."""
    from difflib import unified_diff

    before, after = source.text.splitlines(keepends=True), formatted.splitlines(keepends=True)
    return "".join(
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
        for row in unified_diff(before, after, source.name, f"{source.name} (formatted)")
    )
