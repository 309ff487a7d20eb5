"""Updates in place: what a program reads of an array is what was there before the update.

The expected values are those of the same steps in Python, on copies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from tests.helpers.native import compiled, counted

N = 100
TABLE, ROWS, CELL, FLAG = f"tensor<{N}xi32>", "tensor<50xi32>", "tensor<i32>", "tensor<i1>"


def read(name: str, table: str, at: str) -> str:
    """Read an element."""
    return f"""
      %{name}r = stablehlo.dynamic_slice {table}, {at}, sizes = [1] : ({TABLE}, {CELL}) -> tensor<1xi32>
      %{name} = stablehlo.reshape %{name}r : (tensor<1xi32>) -> {CELL}"""


def write(name: str, table: str, value: str, at: str) -> str:
    """Write an element."""
    return f"""
      %{name}w = stablehlo.reshape {value} : ({CELL}) -> tensor<1xi32>
      %{name} = stablehlo.dynamic_update_slice {table}, %{name}w, {at}
        : ({TABLE}, tensor<1xi32>, {CELL}) -> {TABLE}"""


def scatter(name: str, table: str, value: str, at: str) -> str:
    """Add to an element."""
    return f"""
      %{name}i = stablehlo.reshape {at} : ({CELL}) -> tensor<1xi32>
      %{name} = "stablehlo.scatter"({table}, %{name}i, {value}) <{{
          scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}}> ({{
        ^bb0(%l: {CELL}, %r: {CELL}):
          %sum = stablehlo.add %l, %r : {CELL}
          stablehlo.return %sum : {CELL}
      }}) : ({TABLE}, tensor<1xi32>, {CELL}) -> {TABLE}"""


def add(name: str, a: str, b: str, type: str = CELL) -> str:
    return f"\n      %{name} = stablehlo.add {a}, {b} : {type}"


def window(name: str, table: str, at: str) -> str:
    """Read half of a table."""
    return f"""
      %{name} = stablehlo.dynamic_slice {table}, {at}, sizes = [50] : ({TABLE}, {CELL}) -> {ROWS}"""


def write_window(name: str, table: str, value: str, at: str) -> str:
    return f"""
      %{name} = stablehlo.dynamic_update_slice {table}, {value}, {at}
        : ({TABLE}, {ROWS}, {CELL}) -> {TABLE}"""


def choose(name: str, first: str, second: str, types: str) -> str:
    """A branch for even and one for odd iterations; each text ends with a `return`."""
    return f"""
      %{name}k = stablehlo.remainder %i, %two : {CELL}
      %{name} = "stablehlo.case"(%{name}k) ({{{first}
      }}, {{{second}
      }}) : ({CELL}) -> {types}"""


def give(*names: str) -> str:
    return f"\n      stablehlo.return {', '.join(names)} : {', '.join([TABLE] * len(names))}"


def put(table: Any, at: int, value: Any) -> Any:
    found = table.copy()
    size = np.size(value)
    at = min(max(at, 0), N - size)
    found[at : at + size] = value
    return found


def inner(body: str, result: str) -> str:
    """A loop of three iterations, whose table is that of the one around it."""
    loop = counted("3", {"x": (TABLE, "%t", result)}, body, "in")
    for name in ("zero", "one", "count", "on", "next", "i "):
        loop = loop.replace(f"%{name}", f"%{'j ' if name == 'i ' else name + 'j'}")
    return loop.replace("%i,", "%j,")


SUMS = read("a", "%x", "%j") + read("b", "%x", "%next") + add("c", "%a", "%b") + write("x1", "%x", "%c", "%j")


def _inner(i: int, t: Any, u: Any) -> Any:
    for j in range(3):
        t = put(t, j, t[j] + t[j + 1])
    return t, u


def _two_updates(i: int, t: Any, u: Any) -> Any:
    first = put(t, i, t[i + 1])
    return put(first, i + 1, t[i]), u


# What the body does with the tables %t and %u in iteration %i, what it returns, and the same in Python
BODIES: dict[str, tuple[str, tuple[str, str], Callable[[int, Any, Any], Any]]] = {
    "an element before": (
        read("a", "%t", "%i") + add("b", "%a", "%two") + write("new", "%t", "%b", "%next"),
        ("%new", "%u"),
        lambda i, t, u: (put(t, i + 1, t[i] + 2), u),
    ),
    "the element itself": (
        read("a", "%t", "%i") + add("b", "%a", "%a") + write("new", "%t", "%b", "%i"),
        ("%new", "%u"),
        lambda i, t, u: (put(t, i, 2 * t[i]), u),
    ),
    "read behind the update": (
        scatter("new", "%t", "%two", "%i") + read("a", "%t", "%i") + write("other", "%u", "%a", "%i"),
        ("%new", "%other"),
        lambda i, t, u: (put(t, i, t[i] + 2), put(u, i, t[i])),
    ),
    "old and new": (
        write("new", "%t", "%i", "%next") + add("sum", "%t", "%new", TABLE),
        ("%new", "%sum"),
        lambda i, t, u: (put(t, i + 1, i), t + put(t, i + 1, i)),
    ),
    "overlapping windows": (
        window("a", "%t", "%i") + write_window("new", "%t", "%a", "%next"),
        ("%new", "%u"),
        lambda i, t, u: (put(t, i + 1, t[i : i + 50]), u),
    ),
    "overlapping windows, reversed": (
        window("a", "%t", "%i")
        + f"\n      %b = stablehlo.reverse %a, dims = [0] : {ROWS}"
        + write_window("new", "%t", "%b", "%i"),
        ("%new", "%u"),
        lambda i, t, u: (put(t, i, t[i : i + 50][::-1]), u),
    ),
    "an update of its own element": (
        read("a", "%t", "%next") + scatter("new", "%t", "%a", "%i") + scatter("more", "%new", "%a", "%i"),
        ("%more", "%u"),
        lambda i, t, u: (put(t, i, t[i] + 2 * t[i + 1]), u),
    ),
    "exchanged elements": (
        read("a", "%t", "%i")
        + read("b", "%t", "%next")
        + write("first", "%t", "%b", "%i")
        + write("new", "%first", "%a", "%next"),
        ("%new", "%u"),
        _two_updates,
    ),
    "returned twice": (
        read("a", "%u", "%i") + write("new", "%t", "%a", "%next"),
        ("%new", "%new"),
        lambda i, t, u: (put(t, i + 1, u[i]), put(t, i + 1, u[i])),
    ),
    "exchanged tables": (
        read("a", "%t", "%i") + write("new", "%u", "%a", "%next"),
        ("%new", "%t"),
        lambda i, t, u: (put(u, i + 1, t[i]), t),
    ),
    "the one before": (
        write("new", "%t", "%i", "%next"),
        ("%new", "%t"),
        lambda i, t, u: (put(t, i + 1, i), t),
    ),
    "each from the other": (
        read("a", "%t", "%i")
        + read("b", "%u", "%next")
        + write("new", "%t", "%b", "%next")
        + write("other", "%u", "%a", "%i"),
        ("%new", "%other"),
        lambda i, t, u: (put(t, i + 1, u[i + 1]), put(u, i, t[i])),
    ),
    "a branch for each": (
        choose(
            "new",
            read("a", "%t", "%i") + write("x", "%t", "%a", "%next") + give("%x"),
            scatter("y", "%t", "%two", "%i") + give("%y"),
            TABLE,
        ),
        ("%new", "%u"),
        lambda i, t, u: (put(t, i, t[i] + 2) if i % 2 else put(t, i + 1, t[i]), u),
    ),
    "a branch that returns it": (
        choose("new", write("x", "%t", "%two", "%i") + give("%x"), give("%t"), TABLE),
        ("%new", "%u"),
        lambda i, t, u: (t if i % 2 else put(t, i, 2), u),
    ),
    "a branch of something else": (
        choose("new", write("x", "%t", "%two", "%i") + give("%x"), give("%u"), TABLE),
        ("%new", "%u"),
        lambda i, t, u: (u if i % 2 else put(t, i, 2), u),
    ),
    "branches and a reader": (
        choose("new", write("x", "%t", "%two", "%i") + give("%x"), give("%t"), TABLE)
        + add("sum", "%t", "%u", TABLE),
        ("%new", "%sum"),
        lambda i, t, u: (t if i % 2 else put(t, i, 2), t + u),
    ),
    "an inner loop": (
        inner(SUMS, "%x1"),
        ("%in#1", "%u"),
        _inner,
    ),
    "an inner loop, and the old value": (
        inner(SUMS, "%x1"),
        ("%in#1", "%t"),
        lambda i, t, u: (_inner(i, t, u)[0], t),
    ),
    "an inner loop that makes it anew": (
        inner("\n        %x1 = stablehlo.add %x, %u : " + TABLE, "%x1"),
        ("%in#1", "%u"),
        lambda i, t, u: (t + 3 * u, u),
    ),
}


def program(body: str, returned: tuple[str, str], initial: str) -> str:
    carried = {"t": (TABLE, initial, returned[0]), "u": (TABLE, "%u0", returned[1])}
    return f"""
    func.func @main(%n: {CELL}, %t0: {TABLE}, %u0: {TABLE}) -> ({TABLE}, {TABLE}, {TABLE}) {{
      %two = stablehlo.constant dense<2> : {CELL}
      %doubled = stablehlo.add %t0, %t0 : {TABLE}
      {counted("%n", carried, body)}
      %after = stablehlo.subtract %r#1, {initial} : {TABLE}
      return %r#1, %r#2, %after : {TABLE}, {TABLE}, {TABLE}
    }}"""


@pytest.mark.parametrize("initial", ["%t0", "%doubled"], ids=["an argument", "a value used behind"])
@pytest.mark.parametrize("name", BODIES)
def test_values(name: str, initial: str) -> None:
    body, returned, step = BODIES[name]
    native = compiled(program(body, returned, initial), None)
    names = [step.name for step in native.plan.steps]
    assert [each for each in names if each != "copy"] == ["native"]  # a result that is an argument is a copy
    given = [np.random.default_rng(k).integers(-9, 10, N, np.int32) for k in range(2)]
    kept = [array.copy() for array in given]
    for trips in (0, 1, 2, 7):
        first = t = given[0] * (2 if initial == "%doubled" else 1)
        u = given[1]
        for i in range(trips):
            t, u = step(i, t, u)
        for have, want in zip(native(np.int32(trips), *given), (t, u, t - first), strict=True):
            np.testing.assert_array_equal(have, want)
    for array, before in zip(given, kept, strict=True):
        np.testing.assert_array_equal(array, before)


def test_an_update_in_place_runs_once() -> None:
    """Sines of large numbers are computed by code that is only called where the faster one fails."""
    body = """%s = stablehlo.sine %x : tensor<100xf32>
        %u = "stablehlo.scatter"(%t, %at, %s) <{scatter_dimension_numbers = #stablehlo.scatter<
            inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %sum = stablehlo.add %a, %b : tensor<f32>
            stablehlo.return %sum : tensor<f32>
        }) : (tensor<100xf32>, tensor<100x1xi32>, tensor<100xf32>) -> tensor<100xf32>"""
    text = f"""
    func.func @main(%x: tensor<100xf32>, %t0: tensor<100xf32>, %at: tensor<100x1xi32>) -> tensor<100xf32> {{
      {counted("3", {"t": ("tensor<100xf32>", "%t0", "%u")}, body)}
      return %r#1 : tensor<100xf32>
    }}"""
    x = np.linspace(1e6, 2e6, 100, dtype=np.float32)
    at = np.arange(100, dtype=np.int32)[:, None]
    (found,) = compiled(text)(x, np.zeros(100, np.float32), at)
    np.testing.assert_allclose(found, 3 * np.sin(x.astype(np.float64)), rtol=1e-5, atol=1e-6)
