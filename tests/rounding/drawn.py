"""Drawn straight-line programs, and what running each op alone in f64 brings."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

import stablehlo_py as shlo

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
SIZE = 4096
_UNARY = ("exponential", "tanh", "sine", "logistic", "log_plus_one", "sqrt", "negate")
_BINARY = ("add", "subtract", "multiply", "divide")
_BEFORE = {"sqrt": "abs", "log_plus_one": "abs", "exponential": "tanh"}  # keeps operands in a range


def draw(rng: np.random.Generator, type: str, steps: int = 10) -> str:
    """Return a program of about so many elementwise ops, which returns the value of the last."""
    vector = f"tensor<{SIZE}x{type}>"
    lines: list[str] = []
    values = ["%0", "%1"]

    def made(name: str, *operands: str) -> str:
        lines.append(f"%{len(lines) + 2} = stablehlo.{name} {', '.join(operands)} : {vector}")
        return f"%{len(lines) + 1}"

    for _ in range(steps):
        name = str(rng.choice([*_UNARY, *_BINARY, *_BINARY]))
        x, y = [values[-1] if rng.random() < 0.5 else str(rng.choice(values)) for _ in range(2)]
        if name in _BEFORE:
            x = made(_BEFORE[name], x)
        if name == "divide":
            y = made("logistic", y)
        values.append(made(name, x, y) if name in _BINARY else made(name, x))
    body = "\n  ".join([*lines, f"return {values[-1]} : {vector}"])
    return f"func.func @main(%0: {vector}, %1: {vector}) -> {vector} {{\n  {body}\n}}"


def inputs(rng: np.random.Generator, type: str) -> list[Any]:
    return [rng.normal(1.0, 0.7, SIZE).astype(DTYPES[type]) for _ in range(2)]


class Values(shlo.Observer):
    """Keeps the results of all ops, or replaces them."""

    def __init__(self, replace: Any = None) -> None:
        self.found: dict[str, Any] = {}
        self._replace = replace

    def after(self, moment: Any, operands: Any, results: Any) -> tuple[Any, ...] | None:
        name = str(moment.op.results[0])
        self.found[name] = np.asarray(results[0], np.float64)
        return None if self._replace is None else (self._replace(name, self.found[name]),)


def gains(text: str, type: str, given: list[Any]) -> dict[str, float]:
    """Return how much of the error of the result goes away if an op alone makes none, by value.

    The program runs in f64, where each op adds the rounding error that it makes in the program itself.
    """
    narrow, wide = Values(), shlo.parse(text.replace(f"x{type}>", "xf64>"))
    arrays = [x.astype(np.float64) for x in given]
    shlo.run(shlo.parse(text), given, engine="numpy", observer=narrow)
    (exact,) = shlo.run(wide, arrays, engine="numpy")
    made: dict[str, Any] = {}

    def as_in_the_program(name: str, array: Any) -> Any:
        made[name] = narrow.found[name] - array
        return narrow.found[name]

    shlo.run(wide, arrays, engine="numpy", observer=Values(as_in_the_program))

    def error(alone: str) -> float:
        rounded = Values(lambda name, array: array if name == alone else array + made[name])
        (result,) = shlo.run(wide, arrays, engine="numpy", observer=rounded)
        return math.sqrt(np.mean((result - exact) ** 2) / np.mean(exact**2))

    whole = error("")
    return {name: (whole - error(name)) / whole if whole else 0.0 for name in made}
