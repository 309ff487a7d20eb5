"""The public functions of this folder, which import what they need on their first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.core import Module

if TYPE_CHECKING:
    from stablehlo_py.rounding.rows import Shadow


def shadow(
    module: Module,
    inputs: Sequence[Any] | Mapping[str, Any] = (),
    entry: str | None = None,
    *,
    wide: str = "f64",
    seed: int = 0,
) -> Shadow:
    """Find where a program loses precision: run each op in a wider type beside it.

    Every op on floats is computed as the program says, in the wide type from the operands that the wide
    program has, and in the wide type from those of the program. Comparisons, sorts and loops follow the
    program.

    Args:
        module: A valid program.
        inputs: The inputs, as for `run`.
        entry: The name of the function, as for `compile`.
        wide: The wide type, "f64" or "f32"; or "random" for several runs whose ops round up or down at
            random: the errors are then standard deviations, which give the `digits` of each row.
        seed: The seed of `rng` ops.

    Returns:
        A row for each op with the errors of its worst execution, those that contribute most to the error of
        the results first; `errors` of the results, and their parts by name scope.

    Raises:
        RunError: If the inputs do not match, or the program fails.
        ValueError: For another `wide`.

    Example:
        found = shlo.shadow(module, inputs)
        for row in found.rows[:3]:
            print(row.line, row.op, row.introduced, row.contribution)
    """
    from stablehlo_py.engines.program import compile_program
    from stablehlo_py.rounding.engine import ShadowEngine

    engine = ShadowEngine(wide)
    compile_program(module, entry, engine=engine).call(inputs, seed=seed)
    return engine.shadow
