"""Costs of programs with open sizes, as polynomials of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import product

from stablehlo_py.analysis.polynomial import Point, Polynomial, fitted
from stablehlo_py.analysis.report import Analysis, analyze
from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.refinement.arguments import function_to_refine
from stablehlo_py.transforms.specialization import open_sizes, specialized

_MOST_SIZES = 4
_MOST_OPS = 2000  # of a program that is specialized for about ten sizes
_STEPS = tuple([2**power for power in range(9)])  # constraints may allow multiples alone
_FAR = (4095, 13)  # steps: where other terms of a maximum prevail, and what a bound on sizes may still allow
_QUANTITIES = (
    *("parameter_bytes", "result_bytes", "peak_bytes"),
    *("flops", "transcendentals", "bytes_read", "bytes_written"),
)


def analyze_sizes(module: Module, entry: str | None) -> Analysis:
    """Return the analysis of a module, with the costs of its entry as polynomials of open sizes."""
    analysis = analyze(module, entry)
    costs = _symbolic_costs(module, analysis.entry)
    if costs:
        assert analysis.entry is not None
        function = analysis.functions[analysis.entry]
        analysis.functions[analysis.entry] = replace(function, symbolic=costs)
    return analysis


def _symbolic_costs(module: Module, entry: str | None) -> Mapping[str, Polynomial | None]:
    """Return what a call of a program costs for sizes that it leaves open.

    The program is specialized for a few sizes; their costs determine the polynomials, and the costs for much
    larger sizes confirm them. Sizes are multiples of the least power of two that the program allows.

    Args:
        module: A valid module.
        entry: The name of the entry function; None if it is not known.

    Returns:
        The polynomials by quantity, None for a quantity that has none; {} if the program leaves no size open,
        or does not allow to choose them one by one.
    """
    names = _names(module, entry)
    costs = cache(lambda sizes: _costs(module, dict(zip(names, sizes, strict=True))))
    for step, far in product(_STEPS, _FAR) if names else ():
        with suppress(TransformError, ValueError):  # the sizes violate constraints
            found = fitted(names, costs, 4 * step, step, far)
            return dict(zip(_QUANTITIES, found, strict=True))
    return {}


def _names(module: Module, entry: str | None) -> list[str]:
    """Return the open sizes; [] if there are too many of them, or the entry is not the function with them."""
    try:
        is_main = function_to_refine(module).python_value("sym_name") == entry
        names = open_sizes(module) if is_main else []
    except TransformError:
        return []
    is_small = len(names) <= _MOST_SIZES and sum(1 for _ in module.walk()) <= _MOST_OPS
    return names if is_small else []


def _costs(module: Module, sizes: Mapping[str, int]) -> Point:
    analysis = analyze(specialized(module, sizes))
    assert analysis.entry is not None
    quantities = analysis.functions[analysis.entry].to_dict()
    return tuple([quantities[name] for name in _QUANTITIES])
