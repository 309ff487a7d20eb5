"""Records values of special functions by mpmath, in `tests/kernels/recorded_functions.json`.

    python tests/make_recorded_functions.py

Needs the extra `oracle`. A row is a function, an element type, and lists of its arguments and of its values,
each the number of the type that is nearest to the exact value. Arguments are drawn in the pieces that a
function is computed in, and next to their borders.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

FILE = Path(__file__).parent / "kernels" / "recorded_functions.json"
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(27)
mpmath.mp.dps = 80


def drawn(count: int, *pieces: tuple[float, float]) -> Array:
    """So many numbers of each piece, and those next to its ends."""
    ends = np.unique([end for piece in pieces for end in piece])
    near = [ends, np.nextafter(ends, np.inf), np.nextafter(ends, -np.inf), 0.99 * ends, 1.01 * ends]
    return np.concatenate([*near, *(RNG.uniform(low, high, count) for low, high in pieces)])


def zeta(x: Any, q: Any) -> Any:
    """The Hurwitz zeta function, also of negative offsets."""
    skipped = max(0, int(mpmath.ceil(-q)))
    return mpmath.zeta(x, q + skipped) + mpmath.fsum((q + k) ** -x for k in range(skipped))


SMALL = 2.0 ** -np.arange(1.0, 53, 3)
ORDERS = [1.0, 2, 3, 5, 12]
EXPONENTS = [1.0625, 1.5, 2, 3, 7, 20, 45]
OFFSETS = np.concatenate([np.exp(RNG.uniform(-3, 4, 5)), [1.0, -0.25, -3.75, -5.5]])
FUNCTIONS: dict[str, tuple[Callable[..., Any], list[Array]]] = {
    "bessel_i1e": (
        lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)),
        [np.append(drawn(12, (0.1, 3), (3, 8), (8, 20), (20, 700)), [-1.5, -30])],
    ),
    "digamma": (
        mpmath.digamma,
        [drawn(10, (0.01, 1), (1.01, 2), (2.01, 8), (8, 16), (16, 19), (-9.3, -0.1))],
    ),
    "erf": (mpmath.erf, [np.concatenate([drawn(12, (0.01, 1), (1, 6), (-3, -0.1)), SMALL])]),
    "erfc": (mpmath.erfc, [drawn(12, (-5, -1), (-1, 1), (1, 8), (8, 26))]),
    "erf_inv": (mpmath.erfinv, [np.concatenate([RNG.uniform(-1, 1, 30), SMALL, 1 - SMALL, 2 * SMALL - 1])]),
    "lgamma": (
        lambda x: mpmath.log(abs(mpmath.gamma(x))),
        [drawn(10, (0.01, 0.5), (0.5, 1.5), (1.5, 3), (3, 8), (8, 12), (12, 160), (-9.3, -0.1))],
    ),
    "polygamma": (
        lambda n, x: mpmath.psi(int(n), x),
        [np.repeat(ORDERS, len(OFFSETS)), np.tile(OFFSETS, len(ORDERS))],
    ),
    "zeta": (zeta, [np.repeat(EXPONENTS, 6), np.tile(OFFSETS[:6], len(EXPONENTS))]),
}
INTEGERS = [np.repeat([2.0, 3, 4, 5], 3), np.tile(OFFSETS[6:], 4)]  # exponents of negative offsets


def row(name: str, dtype: Any, arguments: list[Array]) -> list[Any]:
    function = FUNCTIONS[name][0]
    rounded = np.stack([x.astype(dtype) for x in arguments])
    kept = [column for column in rounded.T.tolist() if name != "erf_inv" or 0 < abs(column[0]) < 1]
    values = [_nearest(function(*map(mpmath.mpf, column)), dtype) for column in kept]
    pairs = [(column, value) for column, value in zip(kept, values, strict=True) if np.isfinite(value)]
    return [name, np.dtype(dtype).name, [column for column, _ in pairs], [value for _, value in pairs]]


def _nearest(exact: Any, dtype: Any) -> float:
    """The nearest number of a type: by way of the nearest f64, which no case here has as a tie of f32."""
    return float(np.array(float(exact)).astype(dtype))


def main() -> None:
    given = [(name, arguments) for name, (_, arguments) in FUNCTIONS.items()] + [("zeta", INTEGERS)]
    rows = [row(name, dtype, arguments) for name, arguments in given for dtype in (np.float64, np.float32)]
    FILE.write_text("[\n" + ",\n".join(json.dumps(each) for each in rows) + "\n]\n")


if __name__ == "__main__":
    main()
