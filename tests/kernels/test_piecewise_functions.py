"""Special functions at the borders of the pieces that they are computed in, and next to them, as in SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import stablehlo_py as shlo

# Borders are multiples of 1/16: these, and the numbers next to them.
EXACT = np.arange(-640, 641) / 16
NEAR = np.concatenate(
    [EXACT, np.nextafter(EXACT, np.inf), np.nextafter(EXACT, -np.inf), 2.0 ** np.arange(-60, 60)]
)
POSITIVE, UNIT = NEAR[NEAR > 1e-300], NEAR[np.abs(NEAR) <= 1]
FUNCTIONS: dict[str, tuple[Callable[..., Any], np.ndarray]] = {
    "acos": (np.arccos, UNIT),
    "acosh": (np.arccosh, NEAR[NEAR >= 1]),
    "asin": (np.arcsin, UNIT),
    "asinh": (np.arcsinh, NEAR),
    "atan": (np.arctan, NEAR),
    "atanh": (np.arctanh, UNIT[np.abs(UNIT) < 1]),
    "bessel_i1e": (special.i1e, NEAR),
    "cosh": (np.cosh, NEAR[np.abs(NEAR) < 700]),
    "digamma": (special.digamma, POSITIVE),
    "erf": (special.erf, NEAR),
    "erf_inv": (special.erfinv, UNIT[np.abs(UNIT) < 1]),
    "erfc": (special.erfc, NEAR[NEAR < 26]),
    "lgamma": (special.gammaln, POSITIVE),
    "sinh": (np.sinh, NEAR[np.abs(NEAR) < 700]),
    "tan": (np.tan, NEAR),
}


@pytest.mark.parametrize("op", FUNCTIONS)
def test_values(op: str) -> None:
    function, x = FUNCTIONS[op]
    type = f"tensor<{x.size}xf64>"
    body = f"%r = chlo.{op} %x : {type} -> {type}\nreturn %r : {type}"
    (found,) = shlo.run(f"func.func @main(%x: {type}) -> {type} {{\n{body}\n}}", [x], engine="numpy")
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found, function(x), rtol=2e-13, atol=1e-15)
