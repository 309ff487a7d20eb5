"""`shlo lint --add-ignores`: add suppression comments to programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
from stablehlo_py.cli import common, rewriting, sources
from stablehlo_py.cli.file_options import FileOptions
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.linter.options import PREFIX
from stablehlo_py.linter.settings import Settings


class Suppressed(NamedTuple):
    """The text of a file with suppression comments, and the number of diagnostics that they suppress."""

    text: str
    suppressed: int


def suppress(paths: Sequence[str], files: FileOptions, settings: Settings, is_quiet: bool) -> int:
    """Add a suppression comment for every diagnostic of a rule, and write the files."""
    found = files.expand(paths)
    rewriting.refuse(found, "--add-ignores")
    total = changed = 0
    for file, done in zip(
        found, files.each(partial(_suppress_in, settings), found, common.lost), strict=True
    ):
        if isinstance(done, str):
            raise click.ClickException(done)
        if done.suppressed:
            rewriting.replace(Path(file), done.text)
            total, changed = total + done.suppressed, changed + 1
    if not is_quiet:
        places = common.counted(changed, "file")
        common.echo(f"suppressed {common.counted(total, 'diagnostic')} in {places}", err=True)
    return 0


def _suppress_in(settings: Settings, file: str) -> Suppressed | str:
    from stablehlo_py.linter.suppressions import with_ignores

    try:
        source = common.read(file)
    except click.ClickException as error:
        return error.message
    lines: dict[int, set[str]] = {}
    count = 0
    for module in sources.modules(source):
        for line, rule in _findings(module, settings):
            lines.setdefault(line, set()).add(rule)
            count += 1
    return Suppressed(with_ignores(source.text, lines), count)


def _findings(module: Text, settings: Settings) -> Iterable[tuple[int, str]]:
    """Yield line and rule of the diagnostics in a valid module."""
    from stablehlo_py.linter.suppressions import CANNOT_SUPPRESS

    parsed, errors = common.find_errors(module, common.Allowed(True, settings.allow_newer), settings.strict)
    if errors or parsed is None:
        return
    for diagnostic in shlo.lint(parsed, settings=settings):
        rule = diagnostic.code.removeprefix(PREFIX)
        if rule not in CANNOT_SUPPRESS:
            yield diagnostic.line, rule
