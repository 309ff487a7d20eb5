"""Whether iterations of a parallel loop have different indices: each rule alone, beside all iterations."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.loop_ir.index import Index, Indices, Quotient, Remainder, Variable
from stablehlo_py.engines.native.loop_ir.iterations import Iterations
from stablehlo_py.engines.native.loop_ir.statements import Loop, loads_of, stores_of, walk
from tests.helpers.loop_parser import parse

TEXT = """
input n: 8xi32
input x: 99x99xf32
output y: 99x99xf32
scratch m: 8xi32
parallel f in 0..5 {{
  store m[f] = load n[f]
  parallel i in 0..4 {{
    for j in 0..3 {{
      for k in 0..2 {{
        s = reduce(add, f32(0.0)) r in 0..3 {{ load x[r, 0] }}
        let w = load n[f]
        store y[{first}] = (s + load x[{second}])
        {more}
      }}
    }}
  }}
}}
"""


def access(first: str, second: str, more: str = "") -> tuple[Loop, Indices, Indices]:
    """The loop over `i`, and two indices of two dimensions in it."""
    (nest,) = parse(TEXT.format(first=first, second=second, more=more)).body
    (loop,) = [each for each in walk([nest]) if isinstance(each, Loop) and each.variable.name == "i"]
    (store,) = [each for each in stores_of(loop) if each.buffer.name == "y"]
    _, load = [each for each in loads_of(loop) if each.buffer.name == "x"]
    return loop, store.indices, load.indices


def value(index: Index, places: Mapping[str, int]) -> int:
    total = index.constant
    for atom, factor in index.terms:
        match atom:
            case Variable(name):
                total += factor * places[name]
            case Quotient(inner, by):
                total += factor * (value(inner, places) // by)
            case Remainder(inner, by):
                total += factor * (value(inner, places) % by)
    return total


def are_apart(first: Indices, second: Indices) -> bool:
    """By all pairs of iterations, with all values of the loops inside."""
    extents = {"j": 3, "k": 2, "r": 3}
    for f in range(5):
        places = [
            {"f": f, "i": i, **dict(zip(extents, inner, strict=True))}
            for i in range(4)
            for inner in product(*map(range, extents.values()))
        ]
        own, others = ({(p["i"], *(value(x, p) for x in each)) for p in places} for each in (first, second))
        if any(a[1:] == b[1:] and a[0] != b[0] for a in own for b in others):
            return False
    return True


ROWS = [  # two indices
    ("i", "i"),
    ("i", "i + 1"),
    ("-i + 3", "-i + 3"),
    ("i", "-i + 3"),
    ("i", "j"),
    ("f", "f"),
    # what the loops inside do is less than a step
    ("3 * i + j", "3 * i + j"),
    ("2 * i + j", "2 * i + j"),
    ("3 * i + j", "3 * i"),
    ("3 * i", "3 * i + j"),
    ("2 * i", "2 * i + j"),
    ("2 * i + j", "2 * i"),
    ("4 * i + j", "4 * i + k + 1"),
    ("4 * i + j + 1", "4 * i"),
    ("4 * i + j + 2", "4 * i"),
    ("4 * i", "4 * i + j + 1"),
    ("4 * i", "4 * i + j + 2"),
    ("3 * i + f", "3 * i + f"),
    ("9 * i + f", "9 * i + 4"),
    ("4 * i + f", "4 * i"),
    ("4 * i", "4 * i + f"),
    ("3 * i - j + 2", "3 * i - j + 2"),
    ("2 * i - j + 2", "2 * i - j + 2"),
    # one is behind all places of the other
    ("i", "i + 4"),
    ("i", "i + 3"),
    ("i + 4", "i"),
    ("i + 3", "i"),
    ("2 * i + j + 9", "2 * i"),
    ("2 * i + j + 6", "2 * i"),
    ("2 * i", "2 * i + j + 7"),
    ("2 * i", "2 * i + j + 6"),
    ("j + 3 * f", "j + 3 * f + 3"),
    ("j + 3 * f", "j + 3 * f + 2"),
    ("i", "2 * i + 4"),
    ("i", "2 * i + 3"),
    ("2 * i + 4", "i"),
    ("2 * i + 3", "i"),
    # they are between the places of a grid
    ("i + 4 * j", "i + 4 * j"),
    ("i + 3 * j", "i + 3 * j"),
    ("i + 4 * j", "i + 4 * j + 4"),
    ("i + 4 * j", "i + 4 * j + 1"),
    ("i + 4 * j", "i + 8 * k"),
    ("i + 4 * j", "i + 6 * k"),
    ("i + 4 * j + f", "i + 4 * j + f"),
    ("i + 4 * j + f", "i + 4 * j"),
    ("4 * j", "4 * j"),
    # quotients and remainders
    ("(i) / 2, (i) % 2", "(i) / 2, (i) % 2"),
    ("(i) % 2, (i) / 2", "(i) % 2, (i) / 2"),
    ("(i) / 3, (i) % 3", "(i) / 3, (i) % 3"),
    ("(i) / 2, (i) % 2", "(i) / 2, (i + 1) % 2"),
    ("(i) / 2", "(i) / 2"),
    ("(2 * i) / 2 + 3 * j", "i + 3 * j"),
    ("4 * i + (f) / 2", "4 * i + (f) / 2"),
    ("i + (f) % 2", "i + (f) % 2"),
    ("i + (j) / 2", "i + (j) / 2"),
    ("2 * i + (j) / 2", "2 * i + (j) / 2"),
    # of two dimensions, one is enough
    ("0, i", "0, i"),
    ("j, 3 * i + j", "j, 3 * i + j"),
    ("i, j", "i, k"),
    ("j, 2 * i + j", "j, 2 * i + j"),
]
# Apart, which no rule sees: digits in another order, and what two dimensions together tell
UNSEEN = {
    ("(i) % 2, (i) / 2", "(i) % 2, (i) / 2"),
    ("(i) / 3, (i) % 3", "(i) / 3, (i) % 3"),
    ("j, 2 * i + j", "j, 2 * i + j"),
}


@pytest.mark.parametrize(("first", "second"), ROWS)
def test_indices_of_iterations(first: str, second: str) -> None:
    texts = [each if "," in each else f"{each}, 0" for each in (first, second)]
    loop, *indices = access(*texts)
    expected = are_apart(*indices) and (first, second) not in UNSEEN
    assert Iterations(loop).tell_apart(*indices) == expected


@pytest.mark.parametrize(
    ("index", "more", "is_fixed"),
    [
        ("within(load n[f], 5)", "", True),
        ("within(load n[i], 5)", "", False),
        ("within(load n[j], 5)", "", False),
        ("within(load n[r], 5)", "", False),
        ("within(load m[f], 5)", "", True),
        ("within(load m[f], 5)", "store m[f] = i32(0)", False),
        ("within((load n[f] + load n[0]), 5)", "", True),
        ("within((load n[f] + load n[i]), 5)", "", False),
        ("within(w, 5)", "", False),
        ("within(index(f), 5)", "", True),
        ("within(index(f + i), 5)", "", False),
        ("(f) / 2", "", True),
        ("(f + j) / 2", "", False),
        ("(f) % 3", "", True),
        ("(f + j) % 3", "", False),
    ],
)
def test_computed_numbers_that_are_the_same_in_all_iterations(index: str, more: str, is_fixed: bool) -> None:
    loop, *indices = access(f"i + {index}, 0", f"i + {index}, 0", more)
    assert Iterations(loop).tell_apart(*indices) == is_fixed
