"""The lowering of each op of CHLO, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.transforms.chlo import arcs, broadcasting, elementary, error_functions, gamma, sorting
from stablehlo_py.transforms.chlo.expression import Expression
from stablehlo_py.transforms.rewriter import Rewriter

Lowering = Callable[[Rewriter, Operation], Sequence[Value] | None]

FORMULAS: dict[str, Callable[..., Expression | None]] = {
    "acos": arcs.of_real(arcs.acos),
    "acosh": arcs.of_real(arcs.acosh),
    "asin": arcs.of_real(arcs.asin),
    "asinh": arcs.of_real(arcs.asinh),
    "atan": arcs.of_real(arcs.atan),
    "atanh": arcs.of_real(arcs.atanh),
    "bessel_i1e": error_functions.bessel_i1e,
    "conj": elementary.conj,
    "cosh": elementary.cosh,
    "digamma": gamma.digamma,
    "erf": error_functions.erf,
    "erf_inv": error_functions.erf_inv,
    "erfc": error_functions.erfc,
    "is_inf": elementary.is_inf,
    "is_neg_inf": elementary.is_neg_inf,
    "is_pos_inf": elementary.is_pos_inf,
    "lgamma": gamma.lgamma,
    "mulhi": elementary.mulhi,
    "next_after": elementary.next_after,
    "polygamma": gamma.polygamma,
    "sinh": elementary.sinh,
    "square": elementary.square,
    "tan": elementary.tan,
    "zeta": gamma.zeta,
}
"""The ops that are a formula on values of one shape."""
OTHERS: dict[str, Lowering] = {
    "constant": broadcasting.constant,
    "constant_like": broadcasting.constant_like,
    "top_k": sorting.top_k,
}


def find_lowering(name: str) -> Lowering | None:
    """Return the lowering of an op of CHLO, None if there is none.

    Args:
        name: The full name.
    """
    short = name.removeprefix("chlo.")
    if short.startswith("broadcast_"):
        return broadcasting.broadcast_op
    if short in FORMULAS:
        return _formula(FORMULAS[short])
    return OTHERS.get(short)


def _formula(function: Callable[..., Expression | None]) -> Lowering:
    """Return the lowering of an op whose operands a formula takes."""

    def lower(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
        found = function(*(Expression(rewriter, value) for value in op.operands))
        return None if found is None else [found.value]

    return lower
