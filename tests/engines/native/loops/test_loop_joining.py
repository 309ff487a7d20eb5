"""Loop joining: loops over dimensions that are behind each other in memory are one; others stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import run_code

from stablehlo_py.engines.native.loop_ir.index import (
    Index,
    Quotient,
    Remainder,
    Variable,
    linear,
    of_atom,
    of_variable,
)
from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, walk
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.schedule.fuse import fuse
from stablehlo_py.engines.native.schedule.join import join
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse

HEAD = "input x: 6x5x4xf32\ninput b: 4xf32\noutput y: 6x5x4xf32\n"
NEST = """
parallel i in 0..6 {
  parallel j in 0..5 {
    parallel k in 0..4 {
      store y[i, j, k] = %s
    }
  }
}
"""
X = np.arange(120, dtype=np.float32).reshape(6, 5, 4)
B = np.float32([1, 2, 3, 4])


@pytest.mark.parametrize(
    ("value", "extents", "wanted"),
    [
        ("(load x[i, j, k] + f32(1.0))", [120], X + 1),
        ("(load x[i, j, k] + load b[k])", [30, 4], X + B),
        ("(load x[i, j, k] + load x[0, j, k])", [6, 20], X + X[:1]),
        ("load x[i, j, -k + 3]", [30, 4], X[:, :, ::-1]),
        ("load x[i, j, (2 * k) % 4]", [30, 4], X[:, :, [0, 2, 0, 2]]),
        ("convert(index(i))", [6, 20], np.broadcast_to(np.float32(range(6))[:, None, None], X.shape)),
        ("(load x[i, j, k] if j >= 2 else f32(0.0))", [6, 5, 4], np.where(np.arange(5)[:, None] >= 2, X, 0)),
    ],
)
def test_loops_are_joined_where_all_accesses_are(value: str, extents: list[int], wanted: np.ndarray) -> None:
    text = value.replace("convert(index(i))", "convert(index(i): f32)")
    program = parse(HEAD + NEST % text)
    after = join(program)
    assert [each.variable.extent for each in walk(after.body) if isinstance(each, Loop)] == extents
    assert not verify(program) and not verify(after)
    for run in (Interpreter().run, run_code):
        np.testing.assert_array_equal(run(after, [X, B])[0], wanted)


@pytest.mark.parametrize(
    ("rows", "extents", "taken"),
    [
        ("0..i + 1 of 4", [3, 5, 4], lambda i, j, k: k <= i),
        ("0..j of 4", [3, 5, 4], lambda i, j, k: k < j),
        ("j + 0..4", [3, 5, 4], lambda i, j, k: k >= j),
        ("0..3 of 4", [15, 4], lambda i, j, k: k < 3),
    ],
)
def test_loops_that_bound_another_are_not_joined(rows: str, extents: list[int], taken: Any) -> None:
    text = f"""
input x: 3x5x4xf32
output y: 3x5xf32
parallel i in 0..3 {{
  parallel j in 0..5 {{
    store y[i, j] = f32(0.0)
    for k in {rows} {{
      store y[i, j] = (load y[i, j] + load x[i, j, k])
    }}
  }}
}}
"""
    after = join(parse(text))
    assert [each.variable.extent for each in walk(after.body) if isinstance(each, Loop)] == extents
    wanted = np.where(np.fromfunction(taken, (3, 5, 4)), X[:3], 0).sum(2)
    for run in (Interpreter().run, run_code):
        np.testing.assert_array_equal(run(after, [X[:3]])[0], wanted)


@pytest.mark.parametrize(
    ("outer", "inner", "extents"),
    [
        ("for i in 0..6", "for k in 0..4", [24]),
        ("parallel i in 0..6", "parallel k in 0..4", [24]),
        ("for i in 0..6", "parallel k in 0..4", [6, 4]),  # the rows are in order
        ("parallel i in 0..6", "for k in 0..4", [6, 4]),
        ("for i in 0..6", "for k in 0..i + 1 of 4", [6, 4]),
        ("for i in 0..6", "for k in 1..4 of 4", [6, 4]),
        ("for i in 1..6 of 6", "for k in 0..4", [6, 4]),
    ],
)
def test_loops_of_one_kind_over_all_elements_are_joined(outer: str, inner: str, extents: list[int]) -> None:
    zeros = "parallel z in 0..6 { parallel w in 0..4 { store y[z, w] = f32(0.0) } }\n"
    outer = outer.replace("0..6", "0..3 of 6") if "i + 1" in inner else outer
    text = f"output y: 6x4xf32\n{zeros}{outer} {{ {inner} {{ store y[i, k] = f32(1.0) }} }}\n"
    program = parse(text)
    after = join(program)
    assert not verify(after)
    assert [each.variable.extent for each in walk(after.body) if isinstance(each, Loop)] == [24, *extents]
    (found,), (wanted,) = Interpreter().run(after, []), Interpreter().run(program, [])
    np.testing.assert_array_equal(found, wanted)


def test_the_dimensions_of_a_fold_are_joined() -> None:
    text = """
input x: 6x5x4xf32
output y: 6xf32
parallel i in 0..6 {
  r = reduce(add, f32(0.0)) j in 0..5, k in 0..4 { load x[i, j, k] }
  store y[i] = r
}
"""
    after = join(parse(text))
    (fold,) = [each for each in walk(after.body) if isinstance(each, Fold)]
    assert [variable.extent for variable in fold.loops] == [20]
    assert not verify(after)
    np.testing.assert_array_equal(Interpreter().run(after, [X])[0], X.sum((1, 2)))
    np.testing.assert_array_equal(run_code(after, [X])[0], X.sum((1, 2)))


def test_loops_around_one_element_are_joined() -> None:
    text = """
input x: 6x5x4xf32
output y: 6xf32
parallel i in 0..6 {
  store y[i] = f32(0.0)
  for j in 0..5 {
    for k in 0..4 {
      store y[i] = (load y[i] + load x[i, j, k])
    }
  }
}
"""
    after = join(parse(text))
    assert [each.variable.extent for each in walk(after.body) if isinstance(each, Loop)] == [6, 20]
    np.testing.assert_array_equal(Interpreter().run(after, [X])[0], X.sum((1, 2)))


def test_an_iteration_that_has_a_frame_stays_one() -> None:
    text = """
input x: 6x4xf32
output y: 6x4xf32
frame t: 1xf32
parallel i in 0..6 {
  parallel k in 0..4 {
    store y[i, k] = load x[i, k]
  }
}
parallel i in 0..6 {
  for k in 0..4 {
    store t[0] = load x[i, k]
  }
}
"""
    after = join(parse(text))
    assert [each.variable.extent for each in walk(after.body) if isinstance(each, Loop)] == [24, 6, 4]


def test_offsets_put_quotients_and_remainders_together() -> None:
    i = Variable("i", 120)
    rest = of_atom(Remainder(of_variable(i), 20))
    digits = of_atom(Quotient(of_variable(i), 20)), of_atom(Quotient(rest, 4)), of_atom(Remainder(rest, 4))
    assert linear(digits, (6, 5, 4)) == of_variable(i)
    moved = digits[0], digits[1], digits[2] + 1
    assert linear(moved, (6, 5, 5)) != of_variable(i) and linear(moved, (6, 5, 4)) == Index(((i, 1),), 1)


@pytest.mark.parametrize(
    ("rows", "columns", "nests"),
    [(8, 12, 2), (8, 64, 1), (5, 12, 1), (400, 12, 1)],  # long rows, few elements, more than a cache holds
)
def test_nests_over_short_rows_are_loops_of_their_own(rows: int, columns: int, nests: int) -> None:
    nest = "parallel {0} in 0..{2} {{ parallel {1} in 0..{3} {{ store {4}[{0}, {1}] = {5} }} }}\n"
    buffers = "".join(f"{each}: {rows}x{columns}xf32\n" for each in ("input x", "output y", "output z"))
    first = nest.format("i", "j", rows, columns, "y", "exponential(load x[i, j])")
    second = nest.format("k", "l", rows, columns, "z", "(load y[k, l] + load x[k, l])")
    after = fuse(parse(buffers + first + second))
    assert len(after.body) == nests
    assert not verify(after)
    x = np.linspace(-1, 1, rows * columns, dtype=np.float32).reshape(rows, columns)
    found = Interpreter().run(after, [x])
    np.testing.assert_allclose(found[1], np.exp(x) + x, rtol=1e-6)


@pytest.mark.parametrize("first", ["k + 0..6", "k + 1..6", "0..k + 1 of 6"])
def test_nests_over_a_part_of_the_rows_stay_apart(first: str) -> None:
    """A row of the second loop is stored in each iteration, one of the first in some."""
    text = f"""
input x: 4x6xf32
output y: 6xf32
output z: 6xf32
parallel a in 0..6 {{
  store y[a] = f32(0.0)
}}
for k in 0..4 {{
  parallel i in {first} {{
    store y[i] = (load y[i] + load x[k, i])
  }}
  parallel j in 0..6 {{
    store z[j] = load y[j]
  }}
}}
"""
    program = parse(text)
    after = fuse(program)
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    start = {"k + 0..6": lambda k, i: i >= k, "k + 1..6": lambda k, i: i > k}
    taken = np.fromfunction(start.get(first, lambda k, i: i <= k), (4, 6))
    for run in (Interpreter().run, run_code):
        for found in run(after, [x]):
            np.testing.assert_array_equal(found, np.where(taken, x, 0).sum(0))
