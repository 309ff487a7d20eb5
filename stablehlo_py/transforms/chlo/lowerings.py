"""The lowering of each op of CHLO, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import ComplexType
from stablehlo_py.transforms.chlo import (
    arcs,
    broadcasting,
    complex_arcs,
    elementary,
    error_functions,
    gamma,
    ragged_dots,
    scanning,
    sorting,
)
from stablehlo_py.transforms.chlo.expression import Expression
from stablehlo_py.transforms.rewriter import Rewriter

Lowering = Callable[[Rewriter, Operation], Sequence[Value] | None]

FORMULAS: dict[str, Callable[..., Expression]] = {
    "bessel_i1e": error_functions.bessel_i1e,
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
    "tan": elementary.tan,
    "zeta": gamma.zeta,
}
"""The ops that are a formula on values of one shape."""
_OF_REAL = (error_functions.bessel_i1e,)  # without a formula for complex numbers, which the op may have
ARCS: dict[str, tuple[Callable[[Expression], Expression], Callable[[Expression], Expression]]] = {
    "acos": (arcs.acos, complex_arcs.acos),
    "acosh": (arcs.acosh, complex_arcs.acosh),
    "asin": (arcs.asin, complex_arcs.asin),
    "asinh": (arcs.asinh, complex_arcs.asinh),
    "atan": (arcs.atan, complex_arcs.atan),
    "atanh": (arcs.atanh, complex_arcs.atanh),
    "conj": (elementary.conj, elementary.conj),
    "square": (elementary.square, elementary.square),
}
"""The ops with a formula for real and one for complex numbers, whose ops are ordered by use."""
OTHERS: dict[str, Lowering] = {
    "constant": broadcasting.constant,
    "constant_like": broadcasting.constant_like,
    "ragged_dot": ragged_dots.ragged_dot,
    "scan": scanning.scan,
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
    if short in ARCS:
        return _by_element(*ARCS[short])
    return OTHERS.get(short)


def _formula(function: Callable[..., Expression]) -> Lowering:
    """Return the lowering of an op whose operands a formula takes."""

    def lower(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
        found = [Expression(rewriter, value) for value in op.operands]
        if function in _OF_REAL and isinstance(found[0].element, ComplexType):
            return None
        return [function(*found).value]

    return lower


def _by_element(
    of_real: Callable[[Expression], Expression], of_complex: Callable[[Expression], Expression]
) -> Lowering:
    """Return the lowering of an op by two formulas, for real and for complex numbers."""

    def lower(rewriter: Rewriter, op: Operation) -> Sequence[Value]:
        x = Expression(rewriter, op.operands[0])
        values = [(of_complex if isinstance(x.element, ComplexType) else of_real)(x).value]
        rewriter.order_by_use(values)
        return values

    return lower
