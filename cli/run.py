"""`shlo run`: run a program on NumPy arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
from stablehlo_py.cli import common
from stablehlo_py.cli.inputs import Place, by_place, feeds
from stablehlo_py.cli.layouts import Layouts, check_target, is_raw_target, layout_options, save_buffers

import stablehlo_py as shlo
from stablehlo_py.arrays import save_arrays
from stablehlo_py.render import array_summary, array_text, json_data, literal_text
from stablehlo_py.signature import Output

Result = tuple[Output, Any]
Results = dict[Place, list[Result]]  # by process
_UNFOLDED = 1000  # cells: a table's rows stay lines, whatever the terminal


@click.command("run")
@click.argument("file", metavar="FILE")
@click.option(
    "-a",
    "--input",
    "inputs",
    multiple=True,
    metavar="VALUE",
    help="An argument's value, in order or as NAME=VALUE: a .npy file, a .npz file (by its arrays' names, or "
    "in order), a .bin file of raw little-endian elements (see --layout), a number, or a literal such as "
    "'dense<1> : tensor<2xi32>'. NAME@R,P=VALUE is for the process of replica R and partition P only.",
)
@click.option("--random", "fill", type=int, metavar="SEED", help="Random values for arguments without one.")
@click.option(
    "-o",
    "--output",
    "target",
    type=Path,
    help="Write the results to a .npz file, one to a .npy or .bin file, or each to a .bin file in a folder.",
)
@layout_options
@click.option("--entry", metavar="NAME", help="The function to run: @main, or the only one, by default.")
@click.option("--explain", is_flag=True, help="Print the plan instead of running it.")
@click.option(
    "--print",
    "style",
    type=click.Choice(["excerpt", "full", "summary", "dense"]),
    default="excerpt",
    help="How to print results: shortened, all elements, least/mean/largest, or as an MLIR literal.",
)
@click.option("--max-steps", type=click.IntRange(0), metavar="N", help="End a run of more than N steps.")
@click.option("--timeout", type=click.FloatRange(0), metavar="SECONDS", help="End a run that takes longer.")
@click.option("--seed", type=int, default=0, metavar="SEED", help="The seed of the op rng, 0 by default.")
@click.option(
    "--infeed",
    type=Path,
    multiple=True,
    metavar="FILE",
    help="What the next infeed op takes: a .npy file, or the arrays of a .npz file in order.",
)
@click.option(
    "--outfeed", type=Path, metavar="FILE", help="A .npz file for what outfeed ops give: out0_0, out0_1, ..."
)
@click.option("--replicas", type=click.IntRange(1), metavar="N", help="Replicas of the process grid.")
@click.option("--partitions", type=click.IntRange(1), metavar="N", help="Partitions of the process grid.")
@common.FORMAT
def command(
    file: str,
    inputs: tuple[str, ...],
    fill: int | None,
    target: Path | None,
    layouts: Layouts,
    output_layouts: Layouts,
    entry: str | None,
    explain: bool,
    style: str,
    max_steps: int | None,
    timeout: float | None,
    seed: int,
    infeed: tuple[Path, ...],
    outfeed: Path | None,
    replicas: int | None,
    partitions: int | None,
    output: str,
) -> int:
    """Run a function of a program and print its results.

    With --format json, prints an object: file, entry, and results, each with name, type and data; a complex
    number is [real, imaginary], and what is not finite is a string. On a grid of several processes, results
    are printed for each, and each has a process, [replica, partition].
    """
    check_target(target, output_layouts)
    if outfeed is not None and outfeed.suffix != ".npz":
        raise click.UsageError(f"{outfeed}: what goes out is written to a .npz file")
    source = common.read(file)
    module, diagnostics = common.diagnose(source, allow_unregistered=False)
    common.print_diagnostics(source, diagnostics, err=True)
    if module is None or any(map(common.is_error, diagnostics)):
        return 1
    outgoing: list[tuple[Any, ...]] = []
    try:
        program = shlo.compile(
            module, entry, max_steps=max_steps, timeout=timeout, replicas=replicas, partitions=partitions
        )
        if explain:
            click.echo(str(program.plan))
            return 0
        given = by_place(inputs, program.signature.inputs, fill, _places(program), layouts)
        found = _run(program, given, infeed=feeds(infeed), outfeed=outgoing, seed=seed)
    except shlo.RunError as error:
        return _report(source, error)
    outputs = program.signature.outputs
    results = {place: list(zip(outputs, values, strict=True)) for place, values in found.items()}
    if target is not None:
        _save(target, results, output_layouts)
    if outfeed is not None:
        named = {f"out{i}_{j}": x for i, values in enumerate(outgoing) for j, x in enumerate(values)}
        save_arrays(outfeed, named)
    if output == "json":
        common.print_json({"file": source.name, "entry": program.name, "results": _json(results)})
    elif target is None or style != "excerpt":
        _print(results, style)
    return 0


def _places(program: Any) -> list[Place]:
    return [(r, p) for r in range(program.replicas) for p in range(program.partitions)]


def _run(program: Any, given: dict[Place, list[Any]], **io: Any) -> dict[Place, list[Any]]:
    """The results of every process."""
    if len(given) == 1:
        return {place: program.call(inputs, **io) for place, inputs in given.items()}
    found: dict[Place, list[Any]] = program.call_grid(given, **io)
    return found


def _report(source: common.Text, error: shlo.RunError) -> int:
    if error.diagnostic is not None:
        common.print_diagnostics(source, [error.diagnostic], err=True)
    else:
        click.echo(f"{source.name}: error: {error}", err=True)
    return 1


def _save(target: Path, results: Results, layouts: Layouts) -> None:
    """Writes the results that are arrays; a token is not one. On a grid, their names have the process."""
    saved = [
        (f"out{output.index}" + (f"_{place[0]}_{place[1]}" if len(results) > 1 else ""), output, value)
        for place, values in results.items()
        for output, value in values
        if isinstance(value, np.ndarray)
    ]
    try:
        if is_raw_target(target):
            save_buffers(target, saved, layouts)
        else:
            save_arrays(target, {name: value for name, _, value in saved})
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _print(results: Results, style: str) -> None:
    for place, values in results.items():
        if len(results) > 1:
            click.echo(f"process ({place[0]}, {place[1]})")
        _print_one(values, style)


def _print_one(results: list[Result], style: str) -> None:
    if style == "summary":
        _print_summary(results)
        return
    for output, value in results:
        type = output.type_of(value)
        if style == "dense":
            click.echo(literal_text(value, type))
            continue
        click.echo(f"{output}: {type}")
        if value is not None:
            click.echo(array_text(value, full=style == "full"))


def _print_summary(results: list[Result]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("result", "type", "min", "mean", "max", "not finite", box=None, pad_edge=False)
    for column in table.columns[2:]:
        column.justify = "right"
    for output, value in results:
        numbers = array_summary(value) if isinstance(value, np.ndarray | np.generic) else {}
        cells = (_short(numbers.get(key)) for key in ("min", "mean", "max", "nonfinite"))
        table.add_row(str(output), str(output.type_of(value)), *cells)
    Console(width=_UNFOLDED, markup=False).print(table)


def _short(number: float | int | None) -> str:
    return "" if number is None else f"{number:.6g}" if isinstance(number, float) else str(number)


def _json(results: Results) -> list[dict[str, Any]]:
    return [
        {
            "name": output.name,
            "type": str(output.type_of(value)),
            "data": json_data(value),
            **({"process": list(place)} if len(results) > 1 else {}),
        }
        for place, values in results.items()
        for output, value in values
    ]
