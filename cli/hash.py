"""`shlo hash`: canonical hashes of programs."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.file_options import FileOptions, file_options
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo

_EXAMPLES = common.examples(
    ("Hash a program", "shlo hash model.mlir"),
    ("Find exports of the same model with other weights", "shlo hash --structure exports/ | sort"),
    ("Check that a rewritten file is the same program", "shlo fmt model.mlir | shlo hash model.mlir -"),
)


@click.command("hash", epilog=_EXAMPLES)
@file_options
@click.option("--structure", is_flag=True, help="Leave out the values of constants.")
@common.VJP
@common.NEWER
@common.FORMAT
def command(
    paths: tuple[str, ...], files: FileOptions, structure: bool, vjp: int, allow_newer: bool, output: str
) -> int:
    """Hash programs: equal programs have equal hashes, whatever file they are in.

    A hash does not depend on the names of values, private functions and the module, on locations, comments,
    aliases, the order of functions, explicit defaults, and on whether the program is text or bytecode. It
    depends on all else: ops and their order, operands, attributes, types, the bits of constants, and the
    names of public functions. It is the SHA-256 of a text that the documentation defines.

    Prints a line for each module: the hash, two spaces and the file. Programs need not be valid.
    Exit status: 0 on success, 1 if a program cannot be parsed, 2 on a usage error.

    With --format json, print an object with modules, each with file, line and hash.
    """
    task = partial(_hashed, structure, vjp, common.Allowed(True, allow_newer))
    rows: list[dict[str, Any]] = []
    failed = False
    for result in files.each(task, files.expand(paths), common.lost):
        if isinstance(result, str):
            raise click.ClickException(result)
        for source, errors in result.errors:
            common.print_diagnostics(source, errors, err=True)
        failed |= bool(result.errors)
        rows += result.rows
        if output == "text":
            for row in result.rows:
                place = f":{row['line']}" if len(result.rows) + len(result.errors) > 1 else ""
                common.echo(f"{row['hash']}  {row['file']}{place}")
    if output == "json":
        common.print_json({"modules": rows})
    return 1 if failed else 0


class _Hashes(NamedTuple):
    """The hashes of the modules of a file, and the errors of those that cannot be parsed."""

    rows: list[dict[str, Any]]
    errors: list[tuple[Text, list[shlo.Diagnostic]]]


def _hashed(structure: bool, vjp: int, allowed: common.Allowed, file: str) -> _Hashes | str:
    """Hash the modules of a file; return the reason if it cannot be read."""
    found = _Hashes([], [])
    try:
        for source in sources.modules(common.read(file, vjp)):
            try:
                digest = shlo.hash(source.parse(allowed), structure=structure)
            except shlo.ParseError as error:
                found.errors.append((source, list(error.diagnostics)))
            else:
                found.rows.append({"file": source.name, "line": source.first_line, "hash": digest})
    except click.ClickException as error:
        return error.message
    return found
