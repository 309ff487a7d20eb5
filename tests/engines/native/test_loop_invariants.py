"""What loops carry unchanged: values by hand calculation, and loops that are native without it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo

ARRAY, EMPTY, NUMBER = "tensor<5xi32>", "tensor<0x3xf32>", "tensor<i32>"


def loop(carried: dict[str, tuple[str, str, str]], body: str, before: str = "", limit: str = "%n") -> str:
    """A function whose loop carries values: their types, first values and following ones by name."""
    names = ", ".join(f"%{name} = {first}" for name, (_, first, _) in carried.items())
    types = ", ".join(type for type, _, _ in carried.values())
    following = ", ".join(last for _, _, last in carried.values())
    results = ", ".join(f"%r#{k + 1}" for k in range(len(carried)))
    return f"""
    func.func @main(%n: {NUMBER}, %x: {ARRAY}, %y: {ARRAY}, %e0: {EMPTY}) -> ({types}) {{
      %zero = stablehlo.constant dense<0> : {NUMBER}
      %one = stablehlo.constant dense<1> : {NUMBER}
      {before}
      %r:{len(carried) + 1} = stablehlo.while(%i = %zero, {names}) : {NUMBER}, {types}
      cond {{
        %go = stablehlo.compare LT, %i, {limit} : ({NUMBER}, {NUMBER}) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      }} do {{
        %next = stablehlo.add %i, %one : {NUMBER}
        {body}
        stablehlo.return %next, {following} : {NUMBER}, {types}
      }}
      return {results} : {types}
    }}"""


ADD = f"%s = stablehlo.add %a, %b : {ARRAY}"
CHANGES, STAYS = (ARRAY, "%x", "%s"), (ARRAY, "%y", "%b")
TWICE = f"%d = stablehlo.add %y, %y : {ARRAY}"
INNER = f"""
        %in:3 = stablehlo.while(%j = %zero, %c = %a, %d = %b) : {NUMBER}, {ARRAY}, {ARRAY}
        cond {{
          %on = stablehlo.compare LT, %j, %n : ({NUMBER}, {NUMBER}) -> tensor<i1>
          stablehlo.return %on : tensor<i1>
        }} do {{
          %j1 = stablehlo.add %j, %one : {NUMBER}
          %c1 = stablehlo.add %c, %d : {ARRAY}
          stablehlo.return %j1, %c1, %d : {NUMBER}, {ARRAY}, {ARRAY}
        }}
        %s = stablehlo.add %in#1, %in#2 : {ARRAY}"""

# by name: the program, and its results for n, x and y; the empty array is itself
PROGRAMS = {
    "read in the body": (loop({"a": CHANGES, "b": STAYS}, ADD), lambda n, x, y: [x + n * y, y]),
    "in front of what changes": (
        loop({"b": STAYS, "a": CHANGES}, ADD),
        lambda n, x, y: [y, x + n * y],
    ),
    "not read": (
        loop({"u": (ARRAY, "%x", "%u"), "a": CHANGES, "b": STAYS}, ADD),
        lambda n, x, y: [x, x + n * y, y],
    ),
    "empty": (
        loop({"a": CHANGES, "e": (EMPTY, "%e0", "%e"), "b": STAYS}, ADD),
        lambda n, x, y: [x + n * y, np.empty((0, 3), np.float32), y],
    ),
    "read in the condition": (
        loop({"a": CHANGES, "m": (NUMBER, "%n", "%m"), "b": STAYS}, ADD, limit="%m"),
        lambda n, x, y: [x + n * y, n, y],
    ),
    "beside captures": (
        loop({"a": CHANGES, "b": (ARRAY, "%x", "%b")}, f"%s0 = stablehlo.add %a, %b : {ARRAY}\n"
             f"%s = stablehlo.add %s0, %d : {ARRAY}", TWICE),
        lambda n, x, y: [x + n * (x + 2 * y), x],
    ),
    "the first value of what changes": (
        loop({"a": CHANGES, "b": (ARRAY, "%x", "%b"), "c": (ARRAY, "%x", "%a")}, ADD),
        lambda n, x, y: [x + n * x, x, x + max(0, n - 1) * x],
    ),
    "in a loop in a loop": (
        loop({"a": CHANGES, "b": STAYS}, INNER),
        lambda n, x, y: [x + n * (n + 1) * y, y],
    ),
}  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results(name: str, n: int) -> None:
    text, expected = PROGRAMS[name]
    program = shlo.compile(shlo.parse(text), engine="native")
    assert "stablehlo.while" not in [step.name for step in program.plan.steps]
    x, y = np.arange(5, dtype=np.int32), np.array([3, -1, 4, 1, -5], np.int32)
    given = [np.int32(n), x.copy(), y.copy(), np.empty((0, 3), np.float32)]
    found = program(*given)
    for result, wanted in zip(found, expected(n, x, y), strict=True):
        assert result.shape == np.shape(wanted) and np.array_equal(result, wanted)
        assert not any(
            np.shares_memory(result, each) for each in (*given, *(r for r in found if r is not result))
        )


def test_what_is_exchanged_is_carried() -> None:
    """Each of two values is the other one in the next iteration: neither stays as it is."""
    swapped = {"a": (ARRAY, "%x", "%b"), "b": (ARRAY, "%y", "%a")}
    program = shlo.compile(shlo.parse(loop(swapped, "")), engine="native")
    x, y = np.arange(5, dtype=np.int32), np.arange(5, 10, dtype=np.int32)
    for n, wanted in ((0, (x, y)), (1, (y, x)), (2, (x, y))):
        found = program(np.int32(n), x, y, np.empty((0, 3), np.float32))
        assert [each.tolist() for each in found] == [each.tolist() for each in wanted]
