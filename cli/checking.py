"""`shlo run --check-against`: compare results with the expected arrays in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.inputs import in_order, unclear_order
from stablehlo_py.cli.run_options import Watching
from stablehlo_py.cli.run_results import Result, Results

from stablehlo_py.ir.trees import listed

if TYPE_CHECKING:
    from stablehlo_py.debug.compare_arrays import ArrayComparison


Checked = tuple[str, "ArrayComparison"]  # the name of a result, and its comparison
_INPUT = re.compile(r"in\d+")
_BAR = 40  # cells


def check_results(results: Results, watching: Watching, by_order: bool) -> list[Checked]:
    """Compare the results of every process.

    Args:
        results: The results.
        watching: The file of expected arrays, and tolerances.
        by_order: Whether the arrays of the file are taken in their order, whatever their names.

    Raises:
        ClickException: The file cannot be read, does not have the expected arrays, or there are no results.
    """
    from stablehlo_py.debug.compare_arrays import Tolerance, compare_arrays, error_floor

    assert watching.check_against is not None
    size = sum(value.nbytes for values in results.values() for _, value in values if value is not None)
    expected = load_expected(watching.check_against, 2 * size)
    own = [value for values in results.values() for _, value in values]
    floor = error_floor(own, watching.floor) if watching.floor else 0.0
    tolerance = Tolerance(watching.rtol, watching.atol, watching.ulp, floor)
    found = []
    for place, values in results.items():
        arrays = [(output, value) for output, value in values if value is not None]
        suffix = f"_{place[0]}_{place[1]}" if len(results) > 1 else ""
        wanted = _wanted(arrays, expected, suffix, watching, by_order)
        for (output, value), array in zip(arrays, wanted, strict=True):
            name = f"process {place}, {output}" if suffix else str(output)
            found.append((name, compare_arrays(value, array, tolerance)))
    return found


def load_expected(path: Path, limit: int | None = None) -> Mapping[str, Any]:
    """Load the results in a file by name, without the inputs in it; raise ClickException."""
    from stablehlo_py.interpreter.array_files import load_arrays

    try:
        found = load_arrays(path, limit, _INPUT.fullmatch)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise click.ClickException(f"{path}: {why}") from None
    return found if isinstance(found, dict) else {"out0": found}


def _wanted(
    arrays: list[Result], expected: Mapping[str, Any], suffix: str, watching: Watching, by_order: bool
) -> list[Any]:
    """Match expected arrays to results: by out0, out1, ..., by the results' names, or in order."""
    file = watching.check_against
    if not arrays:
        raise click.ClickException(f"{file}: the program has no results to compare")
    names = [f"out{output.index}{suffix}" for output, _ in arrays]
    own = [output.name for output, _ in arrays]
    after = f"out{max([output.index for output, _ in arrays], default=-1) + 1}{suffix}"
    for keys in (names, own):
        if all(key in expected for key in keys) and after not in expected:
            return [expected[key] for key in keys]
    rest = [key for key in expected if not _INPUT.fullmatch(key)]
    if len(rest) != len(arrays) or any(name in expected for name in names):
        count = common.counted(len(arrays), "array")
        raise click.ClickException(f"{file}: expected {count} ({listed(names)}), found {listed(expected)}")
    order = in_order(rest, by_order)
    if order is None:
        raise click.ClickException(unclear_order(f"{file}", rest, "a result", names))
    return [expected[key] for key in order]


def print_checks(checks: list[Checked], watching: Watching) -> None:
    """Print the failed comparisons, worst first, and a summary; with --verbose, every one in detail."""
    wrong = sorted([check for check in checks if not check[1].ok], key=_badness, reverse=True)
    if watching.verbose:
        lines = [line for name, found in checks for line in _details(name, found)]
    else:
        lines = [f"{name}: {_verdict(found)}{_worst(found)}" for name, found in wrong]
    total = common.counted(len(checks), "result")
    what = f"{len(wrong)} of {total} out of tolerance" if wrong else f"{total} within tolerance"
    common.say("\n".join([*lines, f"{what} of {watching.check_against}"]))


def _badness(check: Checked) -> tuple[bool, float, float]:
    """Rank a comparison: arrays that cannot be compared, then by the largest error."""
    _, found = check
    lost = (found.histogram or {}).get("not finite", 0)
    return bool(found.problem), float("inf") if lost else found.max_rel, found.max_abs


def _worst(found: ArrayComparison) -> str:
    if found.problem:
        return ""
    return (
        f"; max error {found.max_abs:.3g} absolute, {found.max_rel:.3g} relative; "
        f"at {list(found.index)}: expected {found.expected}, got {found.actual}"
    )


def _details(name: str, found: ArrayComparison) -> Iterator[str]:
    yield f"{name}: {_verdict(found)}"
    if found.problem or not found.size:
        return
    yield f"  max error: {found.max_abs:.3g} absolute, {found.max_rel:.3g} relative, {found.max_ulp} ULP"
    if found.max_abs or not found.ok:
        yield f"  worst at {list(found.index)}: expected {found.expected}, got {found.actual}"
        yield from _histogram(found)


def _verdict(found: ArrayComparison) -> str:
    if found.problem:
        return found.problem
    if found.ok:
        return f"ok, {common.counted(found.size, 'element')}"
    return f"{found.wrong} of {common.counted(found.size, 'element')} out of tolerance"


def _histogram(found: ArrayComparison) -> Iterator[str]:
    """Yield the lines of the histogram of errors in units in the last place."""
    rows = found.histogram or {}
    widest, most = max(map(len, rows)), max(rows.values())
    yield "  error in ULP, number of elements:"
    for label, count in rows.items():
        if count:
            bar = "#" * max(1, round(_BAR * count / most))
            yield f"  {label:>{max(widest, 6)}} {count:>10}  {bar}"


def checks_json(checks: list[Checked]) -> list[dict[str, Any]]:
    """Convert comparisons to their JSON form."""
    return [{"name": name, **found.to_dict()} for name, found in checks]
