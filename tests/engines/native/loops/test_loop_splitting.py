"""Index-set splitting: after the stage, inner loops of pads, concatenations and windows have no tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import check_text, run_code

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.schedule.split import split
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse
from tests.helpers.programs import program

PAD = program(
    "x: 20x30xf32",
    """
    %v = constant 5.0 -> f32
    %0 = pad %x, %v, low = [1, 2], high = [3, 1], interior = [0, 0] -> 24x33
    return %0""",
)
JOIN = program(
    "x: 7x30xf32, y: 7x9xf32",
    "%0 = concatenate %x, %y, %x, dim = 1 -> 7x69\n%1 = add %0, %0\nreturn %1",
)


def test_pads_are_copied_without_tests() -> None:
    x = np.random.default_rng(1).standard_normal((20, 30)).astype(np.float32)
    text = text_of(check_text(PAD, [x], [np.pad(x, ((1, 3), (2, 1)), constant_values=5)])["split"])
    assert " if " not in text and text.count("where") == 1  # a test for each row


def test_the_parts_of_a_concatenation_are_loops() -> None:
    rng = np.random.default_rng(2)
    x, y = (rng.standard_normal(shape).astype(np.float32) for shape in ((7, 30), (7, 9)))
    text = text_of(check_text(JOIN, [x, y], [2 * np.concatenate([x, y, x], 1)])["split"])
    assert " if " not in text and "where" not in text
    assert [line.split("0..")[1] for line in text.splitlines() if "0.." in line][1:] == [
        "30 {",
        "9 {",
        "30 {",
    ]


EDGES = """
input x: 12x40xf32
output y: 12x40xf32
parallel i in 0..12 {
  parallel j in 0..40 {
    store y[i, j] = (load x[i - 2, j] if %s else f32(9.0))
  }
}
"""


@pytest.mark.parametrize(
    ("condition", "rows"),
    [("i >= 2", range(2, 12)), ("i >= 2 and -i >= -7", range(2, 8)), ("i + j >= 41", None)],
)
def test_choices_that_do_not_depend_on_a_loop_are_in_front_of_it(condition: str, rows: range | None) -> None:
    text = EDGES % condition
    parsed = parse(text.replace("i - 2", "i") if rows is None else text)
    x = np.arange(480, dtype=np.float32).reshape(12, 40)
    assert not verify(parsed)
    wanted = np.full((12, 40), 9, np.float32)
    if rows is None:
        i, j = np.indices(x.shape)
        wanted[i + j >= 41] = x[i + j >= 41]
    else:
        wanted[rows] = x[rows.start - 2 : rows.stop - 2]
    after = split(parsed)
    assert not verify(after)
    np.testing.assert_array_equal(Interpreter().run(after, [x])[0], wanted)
    np.testing.assert_array_equal(run_code(after, [x])[0], wanted)
    assert ("where" in text_of(after)) == (rows is not None)


@pytest.mark.parametrize(
    ("condition", "rows", "columns", "stores"),
    [
        ("i >= 4 and j >= 3", slice(4, 12), slice(3, 40), 3),
        ("i >= 4 and j >= 3 and -j >= -30", slice(4, 12), slice(3, 31), 4),
        ("j >= 3 and i >= 4 and -i >= -9 and -j >= -30", slice(4, 10), slice(3, 31), 4),
        ("j >= 3 and -j >= -30", slice(0, 12), slice(3, 31), 3),
        ("i >= 4 and i >= 6 and j >= 3", slice(6, 12), slice(3, 40), 3),
    ],
)
def test_conditions_of_both_loops_are_each_in_front_of_one(
    condition: str, rows: slice, columns: slice, stores: int
) -> None:
    """A loop for each part of a row that is inside, and one for rows outside: no test is left in them."""
    program = parse((EDGES % condition).replace("i - 2", "i"))
    x = np.arange(480, dtype=np.float32).reshape(12, 40)
    wanted = np.full((12, 40), 9, np.float32)
    wanted[rows, columns] = x[rows, columns]
    after = split(program)
    assert not verify(after)
    np.testing.assert_array_equal(Interpreter().run(after, [x])[0], wanted)
    text = text_of(after)
    assert " if " not in text and text.count("store") == stores


def test_choices_are_decided_by_the_tests_around_them() -> None:
    """Where a row is not behind the first four, it is not behind the first eight."""
    rows = "(load x[i - 8, j] if i >= 8 else (f32(1.0) if i >= 4 else f32(2.0)))"
    parsed = parse(EDGES.replace("(load x[i - 2, j] if %s else f32(9.0))", rows))
    after = split(parsed)
    assert text_of(after).count("store") == 3
    x = np.arange(480, dtype=np.float32).reshape(12, 40)
    wanted = np.concatenate([np.full((4, 40), 2), np.full((4, 40), 1), x[:4]])
    for run in (Interpreter().run, run_code):
        np.testing.assert_array_equal(run(after, [x])[0], wanted)


def test_a_choice_by_one_of_two_conditions_that_do_not_both_hold() -> None:
    value = "((load x[i, j] if i >= 4 and -i >= -9 else f32(9.0)) + (load x[i, j] if i >= 4 else f32(1.0)))"
    parsed = parse(EDGES.replace("(load x[i - 2, j] if %s else f32(9.0))", value))
    after = split(parsed)
    assert not verify(after)
    x = np.arange(480, dtype=np.float32).reshape(12, 40)
    rows = np.arange(12)[:, None]
    wanted = np.where((rows >= 4) & (rows <= 9), x, 9) + np.where(rows >= 4, x, 1)
    np.testing.assert_array_equal(Interpreter().run(after, [x])[0], wanted)


def test_pieces_are_bounded() -> None:
    """Each of many choices would double or triple a nest."""
    terms = " + ".join([f"(load x[i, j - {k}] if j >= {k} else f32(0.0))" for k in range(1, 30)])
    total = terms.split(" + ")[0]
    for term in terms.split(" + ")[1:]:
        total = f"({total} + {term})"
    text = EDGES.replace("(load x[i - 2, j] if %s else f32(9.0))", total)
    parsed = parse(text)
    after = split(parsed)
    assert not verify(parsed) and not verify(after)
    assert text_of(after).count("store") <= 64
    x = np.ones((12, 40), np.float32)
    np.testing.assert_array_equal(Interpreter().run(after, [x])[0], Interpreter().run(parsed, [x])[0])


COMPUTED = """
input x: 12x40xf32
input k: 40xi32
output y: 12x40xf32
scratch a: 12xi32
parallel i in 0..12 {
  BEFORE
  for j in 0..40 {
    LET
    store y[i, j] = (load x[i, j] if within(NUMBER, 40) >= 5 else f32(9.0))
  }
}
"""


@pytest.mark.parametrize(
    ("before", "let", "number", "outside"),
    [
        ("store a[i] = load k[i]", "", "load a[i]", True),
        ("", "", "load k[j]", False),  # another element in each iteration
        ("", "let n = load k[j]", "n", False),  # a value of the loop
        ("", "store a[i] = load k[j]", "load a[i]", False),  # an element that the loop stores
    ],
)
def test_choices_by_computed_numbers_are_where_these_are_known(
    before: str, let: str, number: str, outside: bool
) -> None:
    text = COMPUTED.replace("BEFORE", before).replace("LET", let).replace("NUMBER", number)
    parsed = parse(text)
    assert not verify(parsed)
    x, k = np.arange(480, dtype=np.float32).reshape(12, 40), (7 * np.arange(40) % 11).astype(np.int32)
    place = k[:12, None] if outside else k[None]
    wanted = np.where(place >= 5, x, np.float32(9))
    after = split(parsed)
    assert not verify(after)
    np.testing.assert_array_equal(Interpreter().run(after, [x, k])[0], wanted)
    np.testing.assert_array_equal(run_code(after, [x, k])[0], wanted)
    assert ("where" in text_of(after)) == outside


TESTED = """
input k: 40xi32
output y: 12x40xf32
parallel i in 0..12 {
  parallel j in 0..40 {
    store y[i, j] = f32(0.0)
  }
}
for i in 0..12 {
  for j in 0..40 {
    if CONDITION {
      store y[i, j] = (load y[i, j] + f32(1.0))
    }
  }
}
"""


def least(value: str, bound: str) -> str:
    return f"compare({value}, {bound}, compare_type=SIGNED, comparison_direction=GE: i1)"


@pytest.mark.parametrize(
    ("condition", "wanted", "depths"),
    [
        (least("load k[i]", "i32(5)"), lambda i, j, k: k[i] >= 5, [1]),
        (least("load k[j]", "i32(5)"), lambda i, j, k: k[j] >= 5, [2]),
        (
            f"and({least('load k[j]', 'i32(5)')}, {least('load k[i]', 'i32(3)')})",
            lambda i, j, k: (k[j] >= 5) & (k[i] >= 3),
            [1, 3],
        ),
        # In front of all loops, in a nest of one iteration:
        (least("load k[7]", "i32(5)"), lambda i, j, k: (k[7] >= 5) | (i < 0), [1]),
        # What the first iteration stores makes it false:
        (least("f32(0.0)", "load y[i, 0]"), lambda i, j, k: j == 0, [2]),
    ],
)
def test_tests_are_in_front_of_loops_that_do_not_change_them(
    condition: str, wanted: Callable[..., np.ndarray], depths: list[int]
) -> None:
    parsed = parse(TESTED.replace("CONDITION", condition))
    assert not verify(parsed)
    k = (7 * np.arange(40) % 11).astype(np.int32)
    expected = wanted(*np.indices((12, 40)), k).astype(np.float32)
    after = split(parsed)
    assert not verify(after)
    for run in (Interpreter().run, run_code):
        np.testing.assert_array_equal(run(after, [k])[0], expected)
    lines = [line for line in text_of(after).splitlines() if line.lstrip().startswith("if ")]
    assert [(len(line) - len(line.lstrip())) // 2 for line in lines] == depths


def test_both_branches_of_a_test_are_run() -> None:
    text = TESTED.replace("CONDITION", least("load k[i]", "i32(5)"))
    other = "    } else {\n      store y[i, j] = (load y[i, j] + f32(2.0))\n    }\n  }\n}\n"
    parsed = parse(text[: text.rindex("    }\n  }\n}")] + other)
    after = split(parsed)
    assert not verify(parsed) and not verify(after)
    k = (7 * np.arange(40) % 11).astype(np.int32)
    wanted = np.broadcast_to(np.where(k[:12, None] >= 5, 1, 2), (12, 40))
    np.testing.assert_array_equal(Interpreter().run(after, [k])[0], wanted)


PIECES = """
input x: 12x40xf32
output y: 12x40xf32
output z: 12x40xf32
parallel i in 0..12 {
  parallel j in 0..40 { store y[i, j] = (load x[i, j] if PLACE >= 5 else f32(9.0)) }
  parallel j2 in 0..40 { store z[i, j2] = (load x[i, j2] if j2 >= 7 else f32(8.0)) }
}
"""


@pytest.mark.parametrize(
    ("place", "most", "left"),
    [
        ("j", 1, 2),
        ("j", 2, 1),  # two loops in place of the first one: one store more
        ("j", 3, 0),
        ("i", 0, 2),
        ("i", 1, 1),  # tested in front of the first loop, of which there are two then: one store more
        ("i", 2, 1),
        ("i", 3, 0),
    ],
)
def test_the_statements_of_a_nest_are_bounded(
    place: str, most: int, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "STATEMENTS", most)
    parsed = parse(PIECES.replace("PLACE", place))
    after = split(parsed)
    assert not verify(parsed) and not verify(after)
    x = np.arange(480, dtype=np.float32).reshape(12, 40)
    for found, wanted in zip(*(Interpreter().run(each, [x]) for each in (after, parsed)), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert text_of(after).count(" if ") == left
