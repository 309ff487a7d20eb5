"""Values that loops carry, and those that they carry unchanged: results by hand calculation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from tests.helpers.native import compiled, counted

ARRAY, EMPTY, NUMBER = "tensor<200xi32>", "tensor<0x3xf32>", "tensor<i32>"
ADD = f"%s = stablehlo.add %a, %b : {ARRAY}"
TWICE = f"%w = stablehlo.add %y, %y : {ARRAY}"
REVERSED = f"%s = stablehlo.reverse %a, dims = [0] : {ARRAY} %t = stablehlo.subtract %b, %s : {ARRAY}"
INNER = f"""%in:3 = stablehlo.while(%j = %zero, %c = %a, %d = %b) : {NUMBER}, {ARRAY}, {ARRAY}
  cond {{
    %more = stablehlo.compare LT, %j, %n : ({NUMBER}, {NUMBER}) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  }} do {{
    %j1 = stablehlo.add %j, %one : {NUMBER}
    %c1 = stablehlo.add %c, %d : {ARRAY}
    stablehlo.return %j1, %c1, %d : {NUMBER}, {ARRAY}, {ARRAY}
  }}
  %s = stablehlo.add %in#1, %in#2 : {ARRAY}"""
TYPES = {"e": EMPTY, "m": NUMBER}
E0 = np.empty((0, 3), np.float32)
Values = Callable[[int, Any, Any], list[Any]]


def fibonacci(n: int, x: Any, y: Any) -> list[Any]:
    a, b, c = x, y, x
    for _ in range(n):
        a, b, c = a + b, a, b
    return [a, b, c]


def turned(n: int, x: Any, y: Any) -> list[Any]:
    a, b, c = x, y, x
    for _ in range(n):
        a, b, c = a[::-1], b - a[::-1], a
    return [a, b, c]


# Carried values, `name = first -> next`; the body; and the results for n, x and y
PROGRAMS: dict[str, tuple[str, str, Values]] = {
    "read in the body": ("a = x -> s, b = y -> b", ADD, lambda n, x, y: [x + n * y, y]),
    "in front of what changes": ("b = y -> b, a = x -> s", ADD, lambda n, x, y: [y, x + n * y]),
    "not read": ("u = x -> u, a = x -> s, b = y -> b", ADD, lambda n, x, y: [x, x + n * y, y]),
    "empty": ("a = x -> s, e = e0 -> e, b = y -> b", ADD, lambda n, x, y: [x + n * y, E0, y]),
    "read in the condition": ("a = x -> s, m = n -> m, b = y -> b", ADD, lambda n, x, y: [x + n * y, n, y]),
    "beside captures": (
        "a = x -> s, b = x -> b",
        f"%s0 = stablehlo.add %a, %b : {ARRAY} %s = stablehlo.add %s0, %w : {ARRAY}",
        lambda n, x, y: [x + n * (x + 2 * y), x],
    ),
    "the first value of what changes": (
        "a = x -> s, b = x -> b, c = x -> a",
        ADD,
        lambda n, x, y: [x + n * x, x, x + max(0, n - 1) * x],
    ),
    "in a loop in a loop": ("a = x -> s, b = y -> b", INNER, lambda n, x, y: [x + n * (n + 1) * y, y]),
    "returned for another": ("a = x -> b, b = y -> b", "", lambda n, x, y: [y if n else x, y]),
    "exchanged": ("a = x -> b, b = y -> a", "", lambda n, x, y: [y, x] if n % 2 else [x, y]),
    "rotated": ("a = x -> s, b = y -> a, c = x -> b", ADD, fibonacci),
    "one for two": (
        "a = x -> s, b = y -> s, c = y -> c",
        f"%s = stablehlo.add %a, %c : {ARRAY}",
        lambda n, x, y: [x + n * y, x + n * y if n else y, y],
    ),
    "reversed": ("a = x -> s, b = y -> t, c = x -> a", REVERSED, turned),
}


@pytest.mark.parametrize("size", [5, 200])  # in registers, and in memory
@pytest.mark.parametrize("name", PROGRAMS)
def test_results(name: str, size: int) -> None:
    values, body, expected = PROGRAMS[name]
    carried = {}
    for each in values.split(", "):
        value, first, after = each.replace(" = ", " ").replace(" -> ", " ").split()
        carried[value] = (TYPES.get(value, ARRAY), f"%{first}", f"%{after}")
    loop = counted("%m" if "m" in carried else "%n", carried, body)
    types = ", ".join(type for type, _, _ in carried.values())
    results = ", ".join(f"%r#{k + 1}" for k in range(len(carried)))
    text = f"""func.func @main(%n: {NUMBER}, %x: {ARRAY}, %y: {ARRAY}, %e0: {EMPTY}) -> ({types}) {{
      {TWICE} {loop}
      return {results} : {types}
    }}""".replace("200x", f"{size}x")
    program = compiled(text, steps=None)
    assert {step.name for step in program.plan.steps} <= {"native", "copy"}
    x, y = (np.random.default_rng(k).integers(-9, 10, size, np.int32) for k in range(2))
    for n in (0, 1, 2, 4):
        given = [np.int32(n), x.copy(), y.copy(), E0.copy()]
        found = program(*given)
        for result, wanted in zip(found, expected(n, x, y), strict=True):
            assert result.shape == np.shape(wanted) and np.array_equal(result, wanted)
            others = [*given, *(each for each in found if each is not result)]
            assert not any(np.shares_memory(result, each) for each in others)
