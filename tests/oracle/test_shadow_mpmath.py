"""The measures of shadow runs agree with mpmath to three digits, on drawn straight-line programs."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.rounding.rows import ShadowRow

mp = pytest.importorskip("mpmath")
mp.mp.prec = 300

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
UNARY = {
    "exponential": mp.exp,
    "tanh": mp.tanh,
    "sine": mp.sin,
    "logistic": lambda x: 1 / (1 + mp.exp(-x)),
    "log_plus_one": lambda x: mp.log(1 + x),
    "sqrt": mp.sqrt,
    "abs": abs,
    "negate": lambda x: -x,
}
BINARY = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "maximum": max,
}
SIZE = 6
POSITIVE = {"sqrt", "log_plus_one"}  # their operands are absolute values
Rng = np.random.Generator


def draw(rng: Rng, type: str) -> tuple[str, list[tuple[str, tuple[int, ...]]]]:
    """Return a program that returns the values of all its ops, and these as (op, operands)."""
    vector = f"tensor<{SIZE}x{type}>"
    ops: list[tuple[str, tuple[int, ...]]] = []
    texts = []
    for _ in range(10):
        at = lambda: int(rng.integers(0, len(ops) + 2))  # noqa: E731 (an argument or an earlier value)
        name = str(rng.choice([*UNARY, *BINARY, *BINARY]))
        if name in POSITIVE:
            texts.append(f"%{len(ops) + 2} = stablehlo.abs %{(x := at())} : {vector}")
            ops.append(("abs", (x,)))
        operands = (len(ops) + 1,) if name in POSITIVE else tuple([at() for _ in range(1 + (name in BINARY))])
        listed = ", ".join(f"%{x}" for x in operands)
        texts.append(f"%{len(ops) + 2} = stablehlo.{name} {listed} : {vector}")
        ops.append((name, operands))
    last = len(ops) + 1
    texts += [
        f"%zero = stablehlo.constant dense<0.0> : tensor<{type}>",
        f"%{last + 1} = stablehlo.reduce(%{last} init: %zero) applies stablehlo.add across "
        f"dimensions = [0] : ({vector}, tensor<{type}>) -> tensor<{type}>",
        f"%{last + 2} = stablehlo.dot_general %{last}, %{last - 1}, contracting_dims = [0] x [0] : "
        f"({vector}, {vector}) -> tensor<{type}>",
    ]
    ops += [("sum", (last,)), ("dot", (last, last - 1))]
    values = ", ".join(f"%{i + 2}" for i in range(len(ops)))
    types = ", ".join([vector] * (len(ops) - 2) + [f"tensor<{type}>"] * 2)
    body = "\n".join(texts)
    return (
        f"func.func @main(%0: {vector}, %1: {vector}) -> ({types}) {{\n{body}\nreturn {values} : {types}\n}}",
        ops,
    )


def apply(name: str, operands: list[list[Any]]) -> tuple[list[Any], list[list[Any]]]:
    """Return an op's result, and its terms if it is a sum."""
    if name == "sum":
        return [sum(operands[0])], [[x] for x in operands[0]]
    if name == "dot":
        products = [x * y for x, y in zip(*operands, strict=True)]
        return [sum(products)], [[x] for x in products]
    function = UNARY.get(name) or BINARY[name]
    found = [function(*row) for row in zip(*operands, strict=True)]
    return found, operands if name in ("add", "subtract") else []


def norm(values: list[Any]) -> Any:
    return mp.sqrt(sum(x * x for x in values) / len(values))


def apart(a: list[Any], b: list[Any]) -> Any:
    return norm([x - y for x, y in zip(a, b, strict=True)])


def exact(array: Any) -> list[Any]:
    return [mp.mpf(float(x)) for x in np.reshape(array, -1)]


def expected(ops: list[Any], inputs: list[Any], narrow: list[Any]) -> list[dict[str, float]]:
    """Return the measures of each op by their definitions, given its results in the narrow type."""
    wide, mine = [exact(x) for x in inputs], [exact(x) for x in [*inputs, *narrow]]
    errors = [mp.mpf(0)] * len(inputs)
    found = []
    for index, (name, operands) in enumerate(ops, len(inputs)):
        y, terms = apply(name, [wide[i] for i in operands])
        f, _ = apply(name, [mine[i] for i in operands])
        size, largest = norm(y), max(errors[i] for i in operands)
        carried = apart(f, y) / size
        rows = [norm(term) for term in terms]
        found.append(
            {
                "error": apart(mine[index], y) / size,
                "introduced": apart(mine[index], f) / size,
                "carried": carried,
                "amplification": carried / largest if largest else 0,
                "cancelled": max(mp.mpf(0), mp.log(max(rows) / size, 2)) if rows else 0,
                "largest": max(abs((a - b) / b) for a, b in zip(mine[index], y, strict=True)),
            }
        )
        wide.append(y)
        errors.append(found[-1]["error"])
    return [{key: float(value) for key, value in each.items()} for each in found]


def agree(measured: float, wanted: float) -> bool:
    """Test for three digits; what is below the rounding of f64 in the shadow itself is zero."""
    return math.isclose(measured, wanted, rel_tol=5e-4, abs_tol=1e-12)


@pytest.mark.parametrize("type", DTYPES)
@pytest.mark.parametrize("seed", range(20))
def test_measures_agree_with_mpmath(type: str, seed: int) -> None:
    compared = 0
    rng = np.random.default_rng([seed, len(type), 7])
    for _ in range(5):
        text, ops = draw(rng, type)
        inputs = [rng.uniform(0.5, 2.0, SIZE).astype(DTYPES[type]) for _ in range(2)]
        module = shlo.parse(text)
        narrow = shlo.run(module, inputs, engine="numpy")
        shadow = shlo.shadow(module, inputs)
        rows = {row.value: row for row in shadow.rows}
        try:
            wanted = expected(ops, inputs, narrow)
        except (ZeroDivisionError, OverflowError):  # a value that cancels to zero, or overflows
            continue
        if not all(np.isfinite(each.astype(np.float64)).all() for each in narrow):
            continue
        for index, each in enumerate(wanted, 2):
            row: ShadowRow = rows[f"%{index}"]
            wrong = {k: (getattr(row, k), v) for k, v in each.items() if not agree(getattr(row, k), v)}
            assert not wrong, (row.op, text)
            compared += 1
    assert compared
