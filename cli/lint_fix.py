"""`shlo lint --fix` and `--diff`: apply fixes, or show them as a diff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
from stablehlo_py.cli import common, rewriting, sources
from stablehlo_py.cli.file_options import FileOptions
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.linter.settings import Settings


class Fixed(NamedTuple):
    """The source text of a file, its fixed text, and the number of fixes of each rule."""

    source: Text
    text: str
    counts: Counter[str]


def apply_fixes(
    paths: Sequence[str], files: FileOptions, settings: Settings, is_quiet: bool, writes: bool
) -> int:
    """Write the fixed files, or print a diff; return 1 if a file differs and is not written."""
    found = files.expand(paths)
    if writes:
        rewriting.refuse(found, "--fix")
    counts: Counter[str] = Counter()
    changed = 0
    for file, fixed in zip(found, files.each(partial(_fix_file, settings), found, common.lost), strict=True):
        if isinstance(fixed, str):
            raise click.ClickException(fixed)
        if not fixed.counts:
            continue
        changed += 1
        counts += fixed.counts
        if writes:
            rewriting.replace(Path(file), fixed.text)
        else:
            rewriting.print_difference(fixed.source, fixed.text, "fixed")
    if not is_quiet:
        common.echo(_summary(counts, changed, writes), err=True)
    return 1 if changed and not writes else 0


def _fix_file(settings: Settings, file: str) -> Fixed | str:
    """Fix a file; return the reason if it cannot be processed."""
    try:
        return fix_text(common.read(file), settings)
    except click.ClickException as error:
        return error.message


def fix_text(source: Text, settings: Settings) -> Fixed:
    """Fix every valid module of a file; the text between modules is unchanged."""
    text, counts, at = source.text, Counter[str](), 0
    parts = []
    for module in sources.modules(source):
        start = text.index(module.text, at)
        fixed = _fix_module(module, settings)
        parts += [text[at:start], fixed.text]
        counts += fixed.counts
        at = start + len(module.text)
    return Fixed(source, "".join([*parts, text[at:]]), counts)


def _fix_module(module: Text, settings: Settings) -> Fixed:
    from stablehlo_py.linter.fixes import fix

    _, errors = common.find_errors(module, common.Allowed(True, settings.allow_newer))
    if errors:
        return Fixed(module, module.text, Counter())  # the report that follows has the errors
    try:
        done = fix(module.text, settings, module.name, allow_unregistered=True)
    except shlo.InternalError as error:
        raise click.ClickException(str(error)) from None
    return Fixed(module, done.text, Counter(done.counts))


def _summary(counts: Counter[str], files: int, written: bool) -> str:
    """`fixed 3 problems in 2 files: 2 dead-op, 1 duplicate-constant`."""
    if not counts:
        return "no fixes available"
    verb = "fixed" if written else "would fix"
    rules = ", ".join(f"{count:,} {name}" for name, count in counts.most_common())
    problems, places = common.counted(counts.total(), "problem"), common.counted(files, "file")
    return f"{verb} {problems} in {places}: {rules}"
