"""The public functions of this folder, which import what they need on their first call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from stablehlo_py.ir.core import Module

if TYPE_CHECKING:
    from stablehlo_py.mixed_precision.findings import MixedPrecision


def precision(
    module: Module,
    sets: Sequence[Any],
    entry: str | None = None,
    *,
    type: str = "bf16",
    rtol: float = 1e-2,
    by: Literal["op", "scope"] = "op",
    limit: int = 500,
    engine: str = "numpy",
    seed: int = 0,
    say: Callable[[str], None] = lambda text: None,
) -> MixedPrecision:
    """Find a small set of ops that must stay wide, so that all others can compute in a narrow type.

    The ops that contribute most to the error of the results, as `shadow` predicts it, stay wide until it is
    within tolerance; then those are dropped of which the error stays within it. Of several sets of inputs,
    every fourth, or the second of two or three, is held back to validate the result; the search then stays
    within 0.8 of the tolerance on the others. A held-back set on which the result fails is used from there
    on; for the last one, the others have to hold a smaller tolerance, if that makes a difference and its
    error is at most ten times the tolerance: a larger one is that of elements that go another way.

    Args:
        module: A valid program.
        sets: The sets of inputs, each as for `run`.
        entry: The name of the function, as for `compile`.
        type: The narrow type.
        rtol: The tolerance: of the root mean square of a result's error, relative to that of the result.
        by: Whether single ops stay wide, or all ops of a name scope.
        limit: The largest number of programs to run: at least the narrow and the wide one.
        engine: The engine of the runs.
        seed: The seed of `rng` ops.
        say: Called with each step, in words.

    Returns:
        The program, the ops that stay wide, the errors on all sets, and what a run takes.

    Raises:
        RunError: If the inputs do not match, or the program fails.
        ValueError: For an unknown type, or without inputs.

    Example:
        found = shlo.precision(module, [first, second], rtol=1e-2)
        print(found.passes, found.held_back)
    """
    from stablehlo_py.interpreter.entry import entries
    from stablehlo_py.mixed_precision.tuner import Tuner
    from stablehlo_py.transforms.narrowing import narrow_type

    if not sets:
        raise ValueError("sets is empty; it has the inputs of at least one run")
    ((where, name),) = entries(module, entry)[:1]
    tuner = Tuner(where, name, narrow_type(type), rtol, by == "scope", limit, engine, seed, say)
    return tuner.run(sets)
