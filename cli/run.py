"""`shlo run`: run a program on NumPy arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
from stablehlo_py.cli import common
from stablehlo_py.cli.inputs import collect

import stablehlo_py as shlo
from stablehlo_py.arrays import save_arrays
from stablehlo_py.render import array_summary, array_text, json_data, literal_text
from stablehlo_py.signature import Output
from stablehlo_py.signature import signature as signature_of

Result = tuple[Output, Any]
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
    "in order), a number, or a literal such as 'dense<1> : tensor<2xi32>'.",
)
@click.option("--random", "seed", type=int, metavar="SEED", help="Random values for arguments without one.")
@click.option(
    "-o", "--output", "target", type=Path, help="Write the results to a .npz file, or one to a .npy file."
)
@click.option("--entry", metavar="NAME", help="The function to run: @main, or the only one, by default.")
@click.option("--explain", is_flag=True, help="Print the plan instead of running it.")
@click.option(
    "--print",
    "style",
    type=click.Choice(["excerpt", "full", "summary", "dense"]),
    default="excerpt",
    help="How to print results: shortened, all elements, least/mean/largest, or as an MLIR literal.",
)
@common.FORMAT
def command(
    file: str,
    inputs: tuple[str, ...],
    seed: int | None,
    target: Path | None,
    entry: str | None,
    explain: bool,
    style: str,
    output: str,
) -> int:
    """Run a function of a program and print its results.

    With --format json, prints an object: file, entry, and results, each with name, type and data; a complex
    number is [real, imaginary], and what is not finite is a string.
    """
    if target is not None and target.suffix not in (".npy", ".npz"):
        raise click.UsageError(f"{target}: results are written to .npy and .npz files")
    source = common.read(file)
    module, diagnostics = common.diagnose(source, allow_unregistered=False)
    common.print_diagnostics(source, diagnostics, err=True)
    if module is None or any(map(common.is_error, diagnostics)):
        return 1
    try:
        program = shlo.compile(module, entry)
        if explain:
            click.echo(str(program.plan))
            return 0
        signature = signature_of(module.functions[program.name])
        values = program.call(collect(inputs, signature.inputs, seed))
    except shlo.RunError as error:
        return _report(source, error)
    results = list(zip(signature.outputs, values, strict=True))
    if target is not None:
        _save(target, results)
    if output == "json":
        common.print_json({"file": source.name, "entry": signature.name, "results": _json(results)})
    elif target is None or style != "excerpt":
        _print(results, style)
    return 0


def _report(source: common.Text, error: shlo.RunError) -> int:
    if error.diagnostic is not None:
        common.print_diagnostics(source, [error.diagnostic], err=True)
    else:
        click.echo(f"{source.name}: error: {error}", err=True)
    return 1


def _save(target: Path, results: list[Result]) -> None:
    """Writes the results that are arrays; a token is not one."""
    arrays = [value for _, value in results if isinstance(value, np.ndarray)]
    try:
        save_arrays(target, arrays)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _print(results: list[Result], style: str) -> None:
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


def _json(results: list[Result]) -> list[dict[str, Any]]:
    return [
        {"name": output.name, "type": str(output.type_of(value)), "data": json_data(value)}
        for output, value in results
    ]
