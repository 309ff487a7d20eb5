"""Sign analysis against values: the sign of a result for each sign of the operands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
import pytest
from test_signs import TYPE, constant, sign_of

from stablehlo_py.linter.signs import Sign

VALUES = {
    Sign.POSITIVE: (0.25, 1.0, 3.0, 4.0),
    Sign.NON_NEGATIVE: (0.0, 0.25, 1.0, 4.0),
    Sign.NONZERO: (-4.0, -0.25, 0.25, 4.0),
    Sign.UNKNOWN: (-4.0, -0.25, 0.0, 3.0),
}
# Ops of which the analysis knows all that holds.
EXACT: dict[str, tuple[int, Callable[..., float]]] = {
    "add": (2, np.add),
    "subtract": (2, np.subtract),
    "multiply": (2, np.multiply),
    "maximum": (2, np.maximum),
    "minimum": (2, np.minimum),
    "divide": (2, np.divide),
    "abs": (1, np.abs),
    "negate": (1, np.negative),
    "exponential": (1, np.exp),
    "cbrt": (1, np.cbrt),
    "floor": (1, np.floor),
    "logistic": (1, lambda x: 1 / (1 + np.exp(-x))),
}
# Ops of which it knows a part.
PARTLY: dict[str, tuple[int, Callable[..., float]]] = {
    "power": (2, np.power),
    "exponential_minus_one": (1, np.expm1),
    "log_plus_one": (1, np.log1p),
    "sqrt": (1, np.sqrt),
    "rsqrt": (1, lambda x: 1 / np.sqrt(x)),
    "tanh": (1, np.tanh),
    "sine": (1, np.sin),
    "sign": (1, np.sign),
    "ceil": (1, np.ceil),
    "log": (1, np.log),
    "round_nearest_even": (1, np.round),
    "remainder": (2, np.fmod),
    "atan2": (2, np.arctan2),
    "clamp": (3, lambda low, x, high: min(max(x, low), high) if low <= high else np.nan),
}


def known(values: Iterable[float]) -> Sign:
    """What holds for values; none is known of NaN."""
    found = [value for value in values if not np.isnan(value)]
    nonzero = Sign.NONZERO if all(value != 0 for value in found) else Sign.UNKNOWN
    return nonzero | (Sign.NON_NEGATIVE if all(value >= 0 for value in found) else Sign.UNKNOWN)


@pytest.mark.parametrize("op", [*EXACT, *PARTLY])
def test_signs_of_operands(op: str) -> None:
    count, function = (EXACT | PARTLY)[op]
    operands = [f"%v{index}" for index in range(count)]
    for kinds in product(VALUES, repeat=count):
        made = [constant(name, str([*VALUES[kind]])) for name, kind in zip(operands, kinds, strict=True)]
        found = sign_of(f"{''.join(made)}%r = stablehlo.{op} {', '.join(operands)} : {TYPE}\n")
        with np.errstate(all="ignore"):
            holds = known([float(function(*each)) for each in product(*[VALUES[kind] for kind in kinds])])
        assert found & holds == found, kinds
        assert op in PARTLY or found == holds, kinds


@pytest.mark.parametrize(
    ("between", "kept"),
    [
        ("i32", {Sign.POSITIVE: Sign.NON_NEGATIVE, Sign.NONZERO: Sign.UNKNOWN}),
        ("f64", {}),
    ],
)
@pytest.mark.parametrize("kind", VALUES)
def test_conversion_and_back(between: str, kept: dict[Sign, Sign], kind: Sign) -> None:
    """0.25 is 0 as an integer."""
    other = TYPE.replace("f32", between)
    body = f"{constant('%v', str([*VALUES[kind]]))}%i = stablehlo.convert %v : ({TYPE}) -> {other}\n"
    assert sign_of(f"{body}%r = stablehlo.convert %i : ({other}) -> {TYPE}\n") == kept.get(kind, kind)
