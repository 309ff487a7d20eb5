"""`shlo precision`: find the ops that must stay wide where all others compute in a narrow type."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.compare import collected
from stablehlo_py.cli.engine_options import NUMPY_ENGINE
from stablehlo_py.cli.inputs import Given
from stablehlo_py.cli.reading import Reading, reading_options
from stablehlo_py.cli.run_options import TOLERANCE
from stablehlo_py.cli.tables import add_row, cut, print_table, table

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from stablehlo_py.mixed_precision.findings import Expense, MixedPrecision

_EXAMPLES = common.examples(
    (
        "Write the program in bf16 whose results are within 1 percent",
        "shlo precision model.mlir -a first.npz -a second.npz --rtol 1e-2 -o mixed.mlir",
    ),
    ("By name scope, such as layers", "shlo precision model.mlir -a inputs.npz --by scope"),
)
_LEAST = 40  # width of the place of an op


@click.command("precision", epilog=_EXAMPLES)
@click.argument("file", metavar="FILE")
@click.option(
    "-a",
    "--inputs",
    "specs",
    multiple=True,
    metavar="SET",
    help="A set of inputs: a .npz file, or the value of the only argument; repeat it for further sets, of "
    "which some validate the result.",
)
@click.option(
    "--random",
    "seeds",
    multiple=True,
    type=click.IntRange(0),
    is_flag=False,
    flag_value=0,
    metavar="[SEED]",
    help="A set of random inputs (default seed: 0); repeat it for further sets.",
)
@click.option(
    "--by-order", is_flag=True, help="Take the arrays of a .npz file in their order, as `shlo run`."
)
@common.ENTRY
@click.option("--type", default="bf16", metavar="TYPE", help="The narrow type (default: bf16).")
@click.option(
    "--rtol",
    type=TOLERANCE,
    default=1e-2,
    metavar="X",
    help="The tolerance of each result: the root mean square of its error, relative to that of the result "
    "(default: 1e-2).",
)
@click.option(
    "--by",
    type=click.Choice(["op", "scope"]),
    default="op",
    help="Whether single ops stay wide (default), or all ops of a name scope.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=500,
    metavar="N",
    help="Run at most N programs (default: 500); then the smallest set of ops so far is the result.",
)
@NUMPY_ENGINE
@common.output_file("Write the program to OUT.")
@reading_options
@common.FORMAT
def command(
    file: str,
    specs: tuple[str, ...],
    seeds: tuple[int, ...],
    by_order: bool,
    entry: str | None,
    type: str,
    rtol: float,
    by: Literal["op", "scope"],
    limit: int,
    engine: str,
    target: Path | None,
    reading: Reading,
    output: str,
) -> int:
    """Find a small set of ops that must stay wide where all others compute in a narrow type.

    The ops that contribute most to the error of the results (see `shlo run --shadow`) stay wide until it is
    within tolerance, then as many as possible are made narrow again. Arguments and results keep their types.
    Of several sets of inputs, every fourth, or the second of two or three, is held back to validate the
    program. Each step is printed to standard error.

    Exit status: 0 if the results are within tolerance on all sets, 1 if not or if FILE is invalid, 2 on a
    usage error.

    With --format json, print an object: ok, type, rtol, pass (the pass that makes the program), kept (objects
    with op, value, line, source, scope), scopes, candidates (the number of ops that could be narrow),
    narrow_error, errors and held_back (of each set), unchecked (results that are rounding errors alone),
    runs, exhausted, wide_cost and cost (flops, wide_flops, bytes), scaling, and program (the text).
    """
    given = [Given((spec,), None, by_order) for spec in specs] + [Given((), seed) for seed in seeds]
    if not given:
        raise click.UsageError("give at least one set of inputs, with --inputs or --random")
    outputs = OutputFiles([file, *[name for each in given for name in each.files]])
    outputs.check(target)
    if (module := reading.module(reading.text(file))) is None:
        return 1
    try:
        found = shlo.precision(
            module,
            [collected(module, entry, each) for each in given],
            entry,
            type=type,
            rtol=rtol,
            by=by,
            limit=limit,
            engine=engine,
            say=lambda text: common.echo(text, err=True),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if target is not None:
        with outputs.open(target) as stream:
            stream.write(sources.encode(found.program))
    if output == "json":
        common.print_json(found.to_dict())
    else:
        _print(found, target)
    return 0 if found.ok else 1


def _print(found: MixedPrecision, target: Path | None) -> None:
    ops = f"{len(found.kept):,} of {common.counted(found.candidates, 'op')}"
    common.echo(f"{ops} must stay wide for an error of at most {found.rtol:g}, the others are {found.type}")
    errors = f"error {max(found.errors):.3g}, with all of them narrow {found.narrow_error:.3g}"
    validated = f"; on held-back sets at most {max(found.held_back):.3g}" if found.held_back else ""
    common.echo(errors + (validated or "; no set of inputs is held back"))
    if found.kept:
        _print_ops(found)
    if found.unchecked:
        names = ", ".join(map(str, found.unchecked))
        common.echo(f"not checked, since they are rounding errors alone in the wide program: results {names}")
    if found.scaling is not None:
        common.echo(found.scaling.text(found.type))
    _print_costs(found.wide_cost, found.cost)
    if found.exhausted:
        common.echo(f"stopped after {common.counted(found.runs, 'program')}; more may be narrow (--limit)")
    common.echo(f"shlo opt -p '{found.passes}'")
    if target is not None:
        common.echo(str(target))


def _print_ops(found: MixedPrecision) -> None:
    from stablehlo_py.diagnostics.origin import file_and_line  # imports the IR

    printed = table(("op", "where"), ())
    for op in found.kept:
        parts = (f"line {op.line} {op.value}", file_and_line(op.source), op.scope)
        place = ", ".join(filter(None, parts))
        add_row(printed, op.op.removeprefix("stablehlo."), cut(place, max(_LEAST, common.width() - 30)))
    print_table(printed, max(common.width(), _LEAST + 30))


def _print_costs(wide: Expense, mixed: Expense) -> None:
    printed = table(("", "wide", "mixed"), ("wide", "mixed"))
    rows: dict[str, tuple[Any, Any]] = {
        "bytes": (wide.bytes, mixed.bytes),
        "FLOPs": (wide.flops, mixed.flops),
        "FLOPs in wide types": (wide.wide_flops, mixed.wide_flops),
    }
    for name, numbers in rows.items():
        add_row(printed, name, *[f"{number:,}" for number in numbers])
    print_table(printed)
