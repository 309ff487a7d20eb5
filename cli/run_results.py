"""The results of `shlo run`: printing, JSON, and files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.inputs import ProcessId
from stablehlo_py.cli.layouts import Layouts, is_raw_target, save_buffers
from stablehlo_py.cli.tables import add_row, print_table, table

from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from stablehlo_py.ir.signature import Output


Result = tuple["Output", Any]
Results = dict[ProcessId, list[Result]]  # by process
_UNFOLDED = 1000  # width of tables that are never truncated, in cells


def save(target: Path, runs: list[tuple[str, Results]], layouts: Layouts, outputs: OutputFiles) -> None:
    """Write the results that are arrays to files.

    On a grid, the names of arrays end in the process; with several runs, they begin with the run's name.
    """
    import numpy as np

    from stablehlo_py.interpreter.arrays import save_arrays

    saved = [
        (
            prefix
            + f"out{output.index}{output.part}"
            + (f"_{place[0]}_{place[1]}" if len(results) > 1 else ""),
            output,
            value,
        )
        for prefix, results in runs
        for place, values in results.items()
        for output, value in values
        if isinstance(value, np.ndarray)
    ]
    try:
        if is_raw_target(target):
            save_buffers(target, saved, layouts, outputs)
        else:
            save_arrays(target, {name: value for name, _, value in saved}, outputs)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def print_results(results: Results, style: str, is_labelled: bool) -> None:
    """Print the results of every process, with its id if asked for."""
    for place, values in results.items():
        if is_labelled:
            common.echo(f"process ({place[0]}, {place[1]})")
        _print_one(values, style)


def _print_one(results: list[Result], style: str) -> None:
    if style == "summary":
        _print_summary(results)
        return
    from stablehlo_py.diagnostics.arrays import array_text, literal_text

    for output, value in results:
        type = output.type_of(value)
        if style == "dense":
            common.echo(literal_text(value, type))
            continue
        elements = "" if value is None else f"\n{array_text(value, full=style == 'full')}"
        common.echo(f"{output}: {type}{elements}")  # at once: several ranks may print


def _print_summary(results: list[Result]) -> None:
    import numpy as np

    from stablehlo_py.diagnostics.arrays import array_summary

    numbers_of = ("min", "mean", "max", "not finite")
    rows = table(("result", "type", *numbers_of), numbers_of)
    for output, value in results:
        numbers = array_summary(value) if isinstance(value, np.ndarray | np.generic) else {}
        cells = (short(numbers.get(key)) for key in ("min", "mean", "max", "nonfinite"))
        add_row(rows, str(output), str(output.type_of(value)), *cells)
    print_table(rows, _UNFOLDED)


def short(number: float | int | None) -> str:
    """Format a number for a table."""
    return "" if number is None else f"{number:.6g}" if isinstance(number, float) else str(number)


def results_json(results: Results, is_labelled: bool) -> list[dict[str, Any]]:
    """Convert results to their JSON form."""
    from stablehlo_py.diagnostics.arrays import json_data

    return [
        {
            "name": output.name,
            **({"slice": output.part} if output.part else {}),
            "type": str(output.type_of(value)),
            "data": json_data(value),
            **({"process": list(place)} if is_labelled else {}),
        }
        for place, values in results.items()
        for output, value in values
    ]
