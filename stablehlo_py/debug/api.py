"""The public functions of this folder, which import what they need on their first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.core import Module

if TYPE_CHECKING:
    from stablehlo_py.debug.compare.findings import Comparison
    from stablehlo_py.debug.compare_arrays import Tolerance
    from stablehlo_py.engines.engine import Engine


def compare(
    module: Module,
    other: Module | None = None,
    inputs: Sequence[Any] | Mapping[str, Any] = (),
    entry: str | None = None,
    *,
    engine: str | Engine | None = None,
    against: str | PathLike[str] | None = None,
    tolerance: Tolerance | None = None,
    top: int = 5,
    until: str | None = None,
    seed: int = 0,
) -> Comparison:
    """Find the first op that computes something else in another run.

    The program is run in step with the other run; each op gets the operands of the other run, so that an op
    is reported for its own error, not for the errors of its operands. Exactly one of `other`, `engine` and
    `against` is given.

    Args:
        module: A valid program.
        other: Another valid program, whose ops are matched by structure, names and locations.
        inputs: The inputs of both runs, in order, or by argument name.
        entry: The name of the function, as for `compile`.
        engine: The engine of the other run, which is compared with the NumPy engine.
        against: Files with the intermediates of another backend (see `shlo compare --help`).
        tolerance: The tolerance of each value. By default that of `shlo run --check-against`.
        top: The number of other ops to report, the largest errors first.
        until: The last op to compare: the name of a result, such as `%3`, or a line number.
        seed: The seed of `rng` ops.

    Returns:
        The comparison: `ok`, the `first` op whose error is not explained by its operands, and `others`.

    Raises:
        RunError: If the inputs do not match, or the program fails.
        ValueError: If there is no such engine or op, or not exactly one run to compare with.

    Example:
        found = shlo.compare(module, optimized, inputs)
        if not found.ok:
            print(found.first.line, found.first.op, found.first.details)
    """
    from stablehlo_py.debug.compare.driver import Comparer
    from stablehlo_py.debug.selection import named_by

    if sum(each is not None for each in (other, engine, against)) != 1:
        raise ValueError("give one of other, engine and against")
    last = named_by(module, until) if until is not None else lambda op: False
    comparer = Comparer(module, inputs, entry, tolerance=tolerance, top=top, until=last, seed=seed)
    if other is not None:
        return comparer.with_program(other)
    return comparer.with_engines(engine) if engine is not None else comparer.with_files(Path(str(against)))
