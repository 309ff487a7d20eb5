"""Elementwise ops on edge cases of every element type, against XLA's CPU backend."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo

pytest.importorskip("jaxlib")
pytest.importorskip("jax")

from tests.helpers.xla import run_xla

Array = np.ndarray[Any, np.dtype[Any]]

INTEGERS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
FLOATS = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
BITWISE = ["and", "or", "xor", "add", "subtract", "multiply", "maximum", "minimum", "divide", "remainder"]
SHIFTS = ["shift_left", "shift_right_arithmetic", "shift_right_logical"]
EDGES = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    1.0,
    -1.0,
    3.25,
    1e-3,
    100.0,
    -700.0,
    65504.0,
    np.inf,
    -np.inf,
    np.nan,
]
EXACT = [
    "abs",
    "ceil",
    "floor",
    "negate",
    "round_nearest_afz",
    "round_nearest_even",
    "sign",
    "sqrt",
    "is_finite",
]
CLOSE = [
    "cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt",
    "sine", "tan", "tanh",
]  # fmt: skip
BINARY_FLOATS = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "remainder", "power", "atan2"]


def integers(name: str) -> Array:
    """Edge cases of an integer type."""
    dtype = np.dtype(name.replace("ui", "uint") if name[0] == "u" else name.replace("i", "int"))
    info = np.iinfo(dtype)
    return np.array(
        [0, 1, 2, 3, 7, 8, 31, 64, 100, info.max, info.max - 1, info.min, info.min // 2 + 5], dtype
    )


def pairs(values: Array) -> tuple[Array, Array]:
    """Every value with every other."""
    left, right = np.meshgrid(values, values, indexing="ij")
    return left.reshape(-1).copy(), right.reshape(-1).copy()


def module(ops: list[str], kind: str, size: int, operands: int) -> str:
    """A program that applies each op to the same operands."""
    names = [f"%arg{i}" for i in range(operands)]
    source = f"tensor<{size}x{kind}>"
    types = [f"tensor<{size}xi1>" if op == "is_finite" else source for op in ops]
    lines = [f"func.func @main({', '.join(f'{n}: {source}' for n in names)}) -> ({', '.join(types)}) {{"]
    for index, (op, result) in enumerate(zip(ops, types, strict=True)):
        signature = f"({', '.join([source] * operands)}) -> {result}"
        lines.append(f'  %{index} = "stablehlo.{op}"({", ".join(names)}) : {signature}')
    lines.append(f"  return {', '.join(f'%{i}' for i in range(len(ops)))} : {', '.join(types)}\n}}")
    return "\n".join(lines)


def compare(ops: list[str], kind: str, *inputs: Array, ulps: float = 0) -> None:
    """Runs the ops here and on XLA."""
    text = module(ops, kind, len(inputs[0]), len(inputs))
    ours = shlo.run(shlo.parse(text), inputs)
    for op, mine, theirs in zip(ops, ours, run_xla(text, *inputs), strict=True):
        a, b = mine.astype(np.float64), theirs.astype(np.float64)
        if ulps == 0:
            np.testing.assert_array_equal(a, b, err_msg=f"{op} {kind}")
            np.testing.assert_array_equal(
                np.signbit(a)[a == 0], np.signbit(b)[a == 0], err_msg=f"{op} {kind}"
            )
        else:
            unit = float(ml_dtypes.finfo(mine.dtype).eps)
            np.testing.assert_allclose(a, b, rtol=ulps * unit, atol=1e-300, err_msg=f"{op} {kind}")


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers(kind: str) -> None:
    compare([*BITWISE, *SHIFTS], kind, *pairs(integers(kind)))
    compare(["not", "popcnt", "count_leading_zeros", "negate"], kind, integers(kind))
    if kind[0] == "i":
        compare(["abs", "sign"], kind, integers(kind))


@pytest.mark.parametrize("kind", FLOATS)
def test_floats_that_are_exact(kind: str) -> None:
    compare(EXACT, kind, np.array(EDGES).astype(FLOATS[kind]))


@pytest.mark.parametrize("kind", FLOATS)
def test_floats_that_are_close(kind: str) -> None:
    compare(CLOSE, kind, np.array(EDGES).astype(FLOATS[kind]), ulps=4)


@pytest.mark.parametrize("kind", FLOATS)
def test_pairs_of_floats(kind: str) -> None:
    values = np.array(EDGES).astype(FLOATS[kind])
    compare(BINARY_FLOATS, kind, *pairs(values), ulps=4)


@pytest.mark.parametrize("source", [*INTEGERS, *FLOATS, "f8E4M3FN", "f8E5M2", "i1"])
def test_convert(source: str) -> None:
    targets = [*INTEGERS, *FLOATS, "f8E4M3FN", "f8E5M2", "i1"]
    narrow = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "i1": np.bool_, **FLOATS}
    with np.errstate(all="ignore"):
        floats = np.array([*EDGES, 300.7, -3e9, 1e20]).astype(narrow.get(source, np.float32))
    values = integers(source) if source in INTEGERS else floats
    size = len(values)
    types = [f"tensor<{size}x{t}>" for t in targets]
    lines = [f"func.func @main(%a: tensor<{size}x{source}>) -> ({', '.join(types)}) {{"]
    lines += [f"%{i} = stablehlo.convert %a : (tensor<{size}x{source}>) -> {t}" for i, t in enumerate(types)]
    lines.append(f"return {', '.join(f'%{i}' for i in range(len(types)))} : {', '.join(types)}\n}}")
    text = "\n".join(lines)
    for target, mine, theirs in zip(
        targets, shlo.run(shlo.parse(text), [values]), run_xla(text, values), strict=True
    ):
        np.testing.assert_array_equal(
            mine.astype(np.float64), theirs.astype(np.float64), err_msg=f"to {target}"
        )
