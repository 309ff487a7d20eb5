"""`shlo opt`: transform programs with passes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from stablehlo_py.cli import common, rewriting, sources
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.storage.files import STDIN, OutputFiles, OverwriteError
from stablehlo_py.transforms import registry
from stablehlo_py.transforms.pass_definition import Option, Pass, Pipeline
from stablehlo_py.transforms.pass_manager import PassRun, run_passes
from stablehlo_py.transforms.pipeline import schedule

_EXAMPLES = common.examples(
    ("Inline, simplify and share common subexpressions", "shlo opt model.mlir --pass inline --pass cse"),
    (
        "A pass with an option, written to a file",
        "shlo opt model.mlir --pass stablehlo-aggressive-folder=fold-op-element-limit=100 -o small.mlir",
    ),
    ("Show what a pass changes", "shlo opt model.mlir --pass canonicalize --diff"),
    ("The static program for a batch of 4", "shlo opt model.jax_export --dim b=4"),
    ("List the passes and their options", "shlo opt --list"),
)
_UPGRADE = "stablehlo-legalize-deprecated-ops{fail-on-unused=false}"
_DIVIDER = "// -----// After {} //----- //"


@click.command("opt", epilog=_EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "-p",
    "--pass",
    "passes",
    multiple=True,
    metavar="NAME[=OPTIONS]",
    help="Run a pass; repeat it for several, which run in order. OPTIONS are OPTION=VALUE, separated by "
    "blanks.",
)
@click.option(
    "--pipeline", metavar="TEXT", help="Run a pipeline, as builtin.module(func.func(cse),symbol-dce)."
)
@click.option("-o", "--output", "target", metavar="OUT", help="The file to write (default: stdout).")
@click.option("-i", "--in-place", is_flag=True, help="Rewrite files in place.")
@click.option("--diff", is_flag=True, help="Print a diff, and exit with status 1 if a file would change.")
@click.option("--canonical", is_flag=True, help="Print exactly what the C++ printer prints.")
@click.option("--generic", is_flag=True, help="Print every op in its generic form.")
@click.option("--locations", is_flag=True, help="Print locations.")
@click.option("--print-after-each", is_flag=True, help="Print the program after each pass on standard error.")
@click.option(
    "--verify-each/--no-verify-each", default=True, help="Verify the program after each pass (default)."
)
@click.option("--stats", is_flag=True, help="Print the time and the ops of each pass on standard error.")
@click.option("--exact", is_flag=True, help="Leave out rules that are not exact for floating-point numbers.")
@click.option(
    "--upgrade", is_flag=True, help="First replace deprecated ops; old spellings are printed as today's."
)
@click.option("--list", "lists", is_flag=True, help="List the passes and their options, and exit.")
@common.DIMS
@common.UNREGISTERED
def command(
    files: tuple[str, ...], passes: tuple[str, ...], pipeline: str | None, lists: bool, **options: Any
) -> int:
    """Transform programs with passes.

    FILE is text, MLIR bytecode, a portable artifact or a jax.export container, as its content says, or - for
    standard input. Passes have the names and options of upstream's stablehlo-opt. Names, comments and
    locations of what no pass changes stay, but with --canonical.

    Exit status: 0 on success, 1 if a program is at fault or, with --diff, would change, 2 on a usage error.
    """
    if lists:
        common.echo("\n\n".join(_listed()))
        return 0
    if not files:
        raise click.UsageError("Missing argument 'FILE'.")
    wanted = [*([_UPGRADE] if options["upgrade"] else []), *passes, *([pipeline] if pipeline else [])]
    if not wanted and not options["dims"]:
        raise click.UsageError("name a pass with --pass or --pipeline, or use --upgrade or --dim; see --list")
    _check_passes(wanted)
    _check_targets(files, options)
    failed = [_transform(file, wanted, options) for file in files]
    return 1 if any(failed) else 0


def _check_passes(wanted: Sequence[str]) -> None:
    try:
        schedule(wanted)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _check_targets(files: Sequence[str], options: dict[str, Any]) -> None:
    """Refuse outputs that contradict each other, or that cannot be written."""
    target, in_place = options["target"], options["in_place"]
    if target is not None and (in_place or options["diff"]):
        raise click.UsageError("-o cannot be used with --in-place or --diff")
    if target is not None and len(files) > 1:
        raise click.UsageError("-o takes one file; use --in-place for several")
    if in_place:
        rewriting.refuse(list(files), "--in-place")
    try:
        OutputFiles(files).check(target if target != STDIN else None)
    except OverwriteError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from None


def _transform(file: str, wanted: Sequence[str], options: dict[str, Any]) -> bool:
    """Transform the modules of a file and write them; return whether it failed, or would change."""
    source = common.read(file)
    texts: list[str] = []
    for part in sources.modules(source):
        text = _transformed(part, wanted, options)
        if text is None:
            return True
        texts.append(text)
    text = rewriting.joined(texts)
    if options["diff"]:
        rewriting.print_difference(source, text, "transformed")
        return text != source.text
    if options["in_place"]:
        rewriting.replace(Path(file), text)
    elif options["target"] in (None, STDIN):
        common.write(text)
    else:
        with OutputFiles([file]).open(options["target"]) as stream:
            stream.write(sources.encode(text))
    return False


def _transformed(source: Text, wanted: Sequence[str], options: dict[str, Any]) -> str | None:
    """Return the text of a module after passes; report why it cannot be transformed and return None."""
    try:
        module = source.parse(options["allow_unregistered"])
        errors = [d for d in shlo.verify(module) if d.severity == "error"]
        if errors:
            common.print_diagnostics(source, errors, err=True)
            return None
        specialized, errors = common.specialized(module, options["dims"])
        if specialized is None:
            common.print_diagnostics(source, errors, err=True)
            return None
        runs: list[PassRun] = []

        def after_each(run: PassRun, current: shlo.Module) -> None:
            runs.append(run)
            if options["print_after_each"]:
                common.echo(_DIVIDER.format(run.scheduled), err=True)
                common.echo(_printed(current, source, options), err=True)

        changed = run_passes(
            specialized,
            wanted,
            verify_each=options["verify_each"],
            exact=options["exact"],
            after_each=after_each,
        )
    except (shlo.ParseError, shlo.TransformError) as error:
        common.print_diagnostics(source, error.diagnostics, err=True)
        return None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if options["stats"]:
        common.echo("\n".join(_statistics(source.name, runs)), err=True)
    return _printed(changed, source, options)


def _printed(module: shlo.Module, source: Text, options: dict[str, Any]) -> str:
    is_canonical = options["canonical"] or source.is_binary  # a binary file has no words of its author
    locations = options["locations"] or None
    return shlo.format(module, generic=options["generic"], canonical=is_canonical, locations=locations)


def _statistics(name: str, runs: Sequence[PassRun]) -> Iterator[str]:
    yield f"{name}:"
    width = max((len(str(run.scheduled)) for run in runs), default=0)
    for run in runs:
        ops = f"{run.ops_before} -> {run.ops_after} ops"
        yield f"  {run.scheduled!s:<{width}}  {run.seconds * 1000:8.1f} ms  {ops}"


def _listed() -> Iterator[str]:
    """Describe each pass and pipeline with its options."""
    paint = common.paint(sys.stdout)
    for definition in registry.all_passes():
        kind = "pipeline: " if isinstance(definition, Pipeline) else ""
        lines = [paint(definition.name, bold=True), f"  {kind}{definition.summary}"]
        lines += [f"  {option.name}={_default(option)}  {option.summary}" for option in definition.options]
        if isinstance(definition, Pass) and definition.rules:
            inexact = sum(bool(rule.inexact) for rule in definition.rules)
            lines.append(f"  {len(definition.rules)} rules, {inexact} of which --exact leaves out")
        yield "\n".join(lines)


def _default(option: Option) -> str:
    value = option.default
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)
