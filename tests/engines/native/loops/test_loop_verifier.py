"""The verifier of loop IR: valid programs, and faults that each change of one brings."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, Program, While
from stablehlo_py.engines.native.loop_ir.verify import unproved, verify
from stablehlo_py.ir.element_types import numpy_dtype
from tests.helpers.loop_interpreter import Interpreter, LoopError
from tests.helpers.loop_parser import parse

ROWS = """
input x: 8x16xf32
output y: 8x16xf32
frame e: 16xf32
parallel i in 0..8 {
  m = reduce(maximum, f32(-inf)) j in 0..16 { load x[i, j] }
  parallel k in 0..16 {
    store e[k] = exponential((load x[i, k] - m))
  }
  s = reduce(add, f32(0.0)) l in 0..16 { load e[l] }
  parallel n in 0..16 {
    store y[i, n] = (load e[n] / s)
  }
}
"""
PRODUCT = """
input a: 24x40xf32
input b: 40x32xf32
output c: 24x32xf32
frame panel: 40x16xf32
frame acc: 8x16xf32
parallel j in 0..2 {
  for k in 0..40 {
    vectorized v in 0..16 {
      store panel[k, v] = load b[k, 16 * j + v]
    }
  }
  for i in 0..3 {
    unrolled r in 0..8 {
      vectorized w in 0..16 {
        store acc[r, w] = f32(0.0)
      }
    }
    for l in 0..40 {
      unrolled r in 0..8 {
        vectorized w in 0..16 {
          store acc[r, w] = native.multiply_add(load a[8 * i + r, l], load panel[l, w], load acc[r, w])
        }
      }
    }
    unrolled r in 0..8 {
      vectorized w in 0..16 {
        store c[8 * i + r, 16 * j + w] = load acc[r, w]
      }
    }
  }
}
"""
PIECES = """
input x: 3xi32
input z: 2xi32
output y: 10xi32
parallel i in 0..3 {
  store y[i] = load x[i]
}
parallel i in 0..2 {
  store y[i + 3] = load z[i]
}
parallel i in 0..5 {
  store y[-i + 9] = i32(0)
}
"""
DIGITS = """
input x: 12xi8
output y: 2x3x2xi8
parallel i in 0..12 {
  store y[(i) / 6, ((i) % 6) / 2, ((i) % 6) % 2] = load x[i]
}
"""
TILES = """
input x: 6x8xf32
output y: 6x8xf32
frame t: 2x4xf32
parallel a in 0..3 {
  for b in 0..2 {
    unrolled r in 0..2 {
      vectorized v in 0..4 {
        store t[r, v] = load x[2 * a + r, 4 * b + v]
      }
    }
    parallel r in 0..2 {
      parallel v in 0..4 {
        store y[2 * a + r, 4 * b + v] = load t[r, -v + 3]
      }
    }
  }
}
"""
EDGES = """
input x: 6x8xf32
output y: 9x8xf32
scratch t: 6x8xf32
parallel i in 0..6 {
  parallel j in 0..8 {
    store t[i, j] = (load x[i - 2, j - 1] if i >= 2 and j >= 1 else f32(0.0))
  }
}
parallel i in 0..9 {
  parallel j in 0..8 {
    where i >= 3 {
      store y[i, j] = load t[i - 3, j]
    } else {
      store y[i, j] = load t[2 * i + 1, (j) / 2]
    }
  }
}
"""
BETWEEN = """
input x: 12xf32
input z: 4x5xf32
output y: 8x8xf32
output w: 20xf32
parallel i in 0..8 {
  parallel j in 0..8 {
    store y[i, j] = (load x[i + j - 2] if i + j >= 2 and -i - j >= -13 else load x[(2 * i + j) / 2])
  }
}
parallel i in 0..20 {
  where (i) / 5 >= 1 and -i >= -16 {
    store w[i] = load z[(i) / 5 - 1, (i) % 5]
  } else {
    store w[i] = (load z[2, (-2 * i + 38) / 8] if 3 * i >= 40 else f32(0.0))
  }
}
"""
CARRIED = """
input x: 7xf32
output y: 7xf32
output z: 7xf32
scratch t: 3x2xf32
scratch u: 6xf32
parallel i in 0..6 {
  store u[i] = load x[i]
}
store y[0] = load x[6]
for i in 0..6 {
  store y[i + 1] = load x[i]
}
parallel i in 0..7 {
  store z[i] = load y[-i + 6]
  store z[i] = (load z[i] + load y[i])
}
parallel i in 0..3 {
  parallel j in 0..2 {
    store t[i, j] = load x[2 * i + j]
  }
  store u[i] = (load t[i, 0] + load u[i + 3])
}
"""
OVERLAPS = """
input x: 4x6xf32
output y: 4x4xf32
scratch t: 4x6xf32
parallel i in 0..2 { parallel j in 0..6 { store t[i, j] = load x[i, j] } }
parallel i in 0..2 { parallel j in 0..4 { store t[i + 2, j] = load x[i, j] } }
parallel i in 0..4 { parallel j in 0..4 { store y[i, j] = load t[i, j] } }
"""
LOOPED = """
input k: 3xi32
output y: 4xf32
scratch n: i32
scratch m: 3xi32
parallel i in 0..3 {
  store m[i] = load k[i]
}
store n[] = i32(0)
parallel i in 0..4 {
  store y[i] = f32(0.0)
}
while {
} compare(load n[], i32(3), compare_type=SIGNED, comparison_direction=LT: i1) {
  store y[clamp(load m[2], 4)] = f32(1.0)
  store n[] = i32(3)
}
"""


@pytest.mark.parametrize(
    "text", [ROWS, PRODUCT, PIECES, DIGITS, TILES, EDGES, BETWEEN, CARRIED, OVERLAPS, LOOPED]
)
def test_valid_programs(text: str) -> None:
    assert not verify(parse(text))


CHANGES = [  # program, text, what is there instead, and what the verifier says
    (ROWS, "store e[k] =", "store e[0] =", "iterations of k may write one element of frame e"),
    (ROWS, "load e[l]", "load e[l + 1]", "index l + 1, 1 to 16, is out of bounds in dimension 0 of frame e"),
    (ROWS, "store y[i, n]", "store y[0, n]", "iterations of i may write one element of output y"),
    (ROWS, "store y[i, n]", "store x[i, n]", "is written"),
    (ROWS, "load x[i, k]", "load y[i, k]", "may read an element that was not written"),
    (ROWS, "frame e: 16xf32", "frame e: 16xf64", "a value of type f32 is stored to frame e: 16xf64"),
    (PRODUCT, "store acc[r, w] = native", "store acc[r, 0] = native", "of w may write one element"),
    (PRODUCT, "unrolled r in 0..8 {\n      vectorized w in 0..16 {\n        store acc",
     "unrolled r in 0..7 {\n      vectorized w in 0..16 {\n        store acc",
     "load acc[r, w] may read an element that was not written"),
    (PRODUCT, "load panel[l, w]", "load panel[l, w + 1]", "out of bounds in dimension 1 of frame panel"),
    (PRODUCT, "for i in 0..3", "for i in 0..2", "an element of output c: 24x32xf32 is never written"),
    (PRODUCT, "for k in 0..40", "for k in 0..39", "load panel[l, w] may read an element that was not"),
    (LOOPED, "store n[] = i32(0)", "store m[0] = i32(0)", "load n[] may read an element that was"),
    (LOOPED, "parallel i in 0..3", "parallel i in 0..2", "load m[2] may read an element that was"),
    (LOOPED, "load m[2]", "load m[3]", "out of bounds in dimension 0 of scratch m"),
    (LOOPED, "load m[2]", "load m[i]", "i is the variable of no loop here"),
    (CARRIED, "load u[i + 3]", "load u[i + 2]", "load u[i + 2] may read what another iteration writes"),
    (CARRIED, "load u[i + 3]", "load u[-i + 2]", "load u[-i + 2] may read what another iteration writes"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new", "message"), CHANGES)
def test_faults(text: str, old: str, new: str, message: str) -> None:
    assert text.count(old) == 1
    changed = text.replace(old, new)
    found = verify(parse(changed))
    assert any(message in str(each) for each in found) and not any(each.unknown for each in found), found


UNSEEN = "is the variable of no loop here", "may read what another iteration writes"  # by the interpreter


def changed(text: str) -> Iterator[str]:
    """Programs with one change: of a number, a variable, or the kind of a loop; or without a store."""
    start = re.search(r"(?:^(?:input|output|frame|scratch) .*\n)+", text, re.MULTILINE).end()  # type: ignore[union-attr]
    head, body = text[:start], text[start:]
    for found in re.finditer(r"(?<!\w)(?<!\d\.)\d+(?!\.)(?!\w)", body):
        for number in (int(found[0]) - 1, int(found[0]) + 1):
            yield f"{head}{body[: found.start()]}{number}{body[found.end() :]}"
    for found in re.finditer(r"\b\w\b(?! in)", body):
        before = re.findall(r"(\w+) in 0", body[: found.start()])
        for other in {*before} - {found[0]} if found[0] in before else ():
            yield f"{head}{body[: found.start()]}{other}{body[found.end() :]}"
    for found in re.finditer(r"\bfor\b", body):
        yield f"{head}{body[: found.start()]}parallel{body[found.end() :]}"
    for found in re.finditer(r"store [^}\n]*", body):
        yield f"{head}{body[: found.start()]}{body[found.end() :]}"


def outcomes(text: str) -> Iterator[tuple[str, bool, bool]]:
    """Changed programs, whether the verifier finds a fault, and whether the interpreter meets one."""
    for each in changed(text):
        program = parse(each)
        found = verify(program)
        if any(says in str(finding) for says in UNSEEN for finding in found):
            continue
        given = [np.ones(each.shape, numpy_dtype(each.element)) for each in program.in_space("input")]
        try:
            Interpreter().run(program, given)
        except LoopError:
            yield each, bool(found), True
        else:
            yield each, bool(found), False


UNDECIDED = "(i) / 6 >= 1", "z[(i) / 4 - 1"  # the bounds of a quotient say nothing of another one


@pytest.mark.parametrize("text", [ROWS, PIECES, DIGITS, TILES, EDGES, BETWEEN, CARRIED, OVERLAPS])
def test_faults_are_those_that_happen(text: str) -> None:
    """The verifier finds a fault in a changed program if and only if the interpreter meets one."""
    found = list(outcomes(text))
    wrong = [each for each, is_found, happens in found if is_found != happens]
    assert [each for each in wrong if not any(part in each for part in UNDECIDED)] == []
    assert any(happens for _, _, happens in found)


def test_a_place_from_data_is_unknown_where_a_buffer_is_written_in_part() -> None:
    text = """
input n: i32
output y: 3xf32
scratch t: 3xf32
parallel i in 0..2 {
  store t[i] = f32(1.0)
}
parallel i in 0..3 {
  store y[i] = load t[clamp(load n[], 3)]
}
"""
    (found,) = verify(parse(text))
    assert found.unknown and "may read an element that was not written" in str(found)
    assert not verify(parse(text.replace("0..2", "0..3")))


@pytest.mark.parametrize(("first", "second"), [("i + 5", "j"), ("i", "j + 5")])
def test_a_gap_between_what_two_loops_write(first: str, second: str) -> None:
    text = f"""
output y: 8xf32
scratch t: 8xf32
for i in 0..3 {{
  store t[{first}] = f32(1.0)
}}
for j in 0..3 {{
  store t[{second}] = f32(2.0)
}}
parallel k in 0..8 {{
  store y[k] = load t[k]
}}
"""
    (found,) = verify(parse(text))
    assert "load t[k] may read an element that was not written" in str(found)
    assert not verify(parse(text.replace("+ 5", "+ 3").replace("8", "6")))


def test_what_one_branch_writes_is_not_written_behind_both() -> None:
    text = """
input p: i1
output y: f32
scratch t: f32
if load p[] {
  store t[] = f32(1.0)
} else {
  store t[] = f32(2.0)
}
store y[] = load t[]
"""
    assert not verify(parse(text))
    (found,) = verify(parse(text.replace("store t[] = f32(2.0)", "store y[] = f32(2.0)")))
    assert "load t[] may read an element that was not written" in str(found)


def test_a_name_has_a_value_before_it_is_used() -> None:
    program = parse(ROWS)
    (rows,) = program.body
    assert isinstance(rows, Loop)
    changed = rows.with_body(
        [each for each in rows.body if not (isinstance(each, Fold) and "s" in each.names)]
    )
    (found,) = verify(Program(program.buffers, (changed,)))
    assert "s is no value of type f32 here" in str(found)


REPEATED = """
input x: 4xf32
output y: 4xf32
scratch n: i64
scratch a: 4xf32
scratch b: 4xf32
scratch c: 4xf32
while {
  let more = compare(load n[], i64(3), compare_type=SIGNED, comparison_direction=LT: i1)
} more {
  store n[] = (load n[] + i64(1))
  for i in 0..4 { store b[i] = (load a[i] + load x[i]) }
  for i in 0..4 { store c[i] = load b[-i + 3] }
  for i in 0..4 { store y[i] = (load c[i] + load y[i]) }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("", "", "any"),
        ("load b[-i + 3]", "load b[i + 1]", "abny"),  # out of bounds
        ("load b[-i + 3]", "load b[i - 1]", "abny"),
        ("load y[i]", "load x[i]", "an"),
        ("for i in 0..4 { store b[i]", "for i in 0..3 { store b[i]", "abny"),
    ],
)
def test_buffers_of_which_an_iteration_reads_what_it_has_not_written(old: str, new: str, names: str) -> None:
    (loop,) = parse(REPEATED.replace(old, new)).body
    assert isinstance(loop, While)
    assert sorted(buffer.name for buffer in unproved(loop)) == sorted(names)


@pytest.mark.parametrize(
    ("condition", "place", "size"),
    [
        ("2 * i >= 3", "-i + 7", 6),  # i is 2 .. 7
        ("2 * i >= 4", "-i + 7", 6),
        ("3 * i - 1 >= 6", "-i + 7", 5),
        ("-2 * i >= -5", "i", 3),  # i is 0 .. 2
        ("-2 * i >= -4", "i", 3),
        ("-3 * i + 1 >= -6", "i", 3),
    ],
)
def test_a_condition_limits_a_variable_to_whole_numbers(condition: str, place: str, size: int) -> None:
    text = f"""
input x: {size}xf32
output y: 8xf32
parallel i in 0..8 {{
  where {condition} {{ store y[i] = load x[{place}] }} else {{ store y[i] = f32(0.0) }}
}}
"""
    assert not verify(parse(text))
    (found,) = verify(parse(text.replace(f"x: {size}x", f"x: {size - 1}x")))
    assert f"0 to {size - 1}, is out of bounds in dimension 0 of input x" in str(found)


@pytest.mark.parametrize(("range", "is_whole"), [("0..8", True), ("1..8 of 8", False), ("0..7 of 8", False)])
@pytest.mark.parametrize("kind", ["for", "parallel"])
def test_a_loop_of_a_part_of_its_range_does_not_write_all(kind: str, range: str, is_whole: bool) -> None:
    text = f"output y: 8xf32\n{kind} i in {range} {{\n  store y[i] = f32(1.0)\n}}"
    found = list(map(str, verify(parse(text))))
    assert found == ([] if is_whole else ["an element of output y: 8xf32 is never written"])


def test_a_loop_that_may_have_no_iteration_writes_nothing() -> None:
    """What the head of a `while` writes is written behind the loop, and what its body writes is not."""
    text = """
input p: i1
output y: 4xf32
output z: 4xf32
while {
  for i in 0..4 { store y[i] = f32(1.0) }
} load p[] {
  for i in 0..4 { store z[i] = f32(1.0) }
}
"""
    assert list(map(str, verify(parse(text)))) == ["an element of output z: 4xf32 is never written"]


RACE = """
input x: 4x8xf32
output y: 4x8xf32
scratch t: 4x8xf32
parallel i in 0..4 {
  parallel j in 0..8 { store t[i, j] = load x[i, j] }
  parallel k in 0..8 {
    store t[i, k] = f32(0.0)
    store y[i, k] = load t[i, k]
  }
}
"""


def test_an_inner_loop_overwrites_what_its_other_iterations_read() -> None:
    """The outer iteration has written all elements before: the race is in the inner loop."""
    assert not verify(parse(RACE))
    (found,) = verify(parse(RACE.replace("load t[i, k]", "load t[i, -k + 7]")))
    assert "load t[i, -k + 7] may read what another iteration writes" in str(found)


@pytest.mark.parametrize(
    ("call", "messages"),
    [
        ("call 0 (x, x) to (t, y)", []),
        ("call 0 (x) to (y, y)", ["output y: 3xf32 is written by a function from outside"] * 2),
        ("call 0 (x) to (x, y)", ["input x: 3xf32 is written by a function from outside"]),
        ("call 0 (x) to (f, y)", ["frame f: 3xf32 is written by a function from outside"]),
        ("call 0 (t) to (y)", ["a function reads elements of scratch t: 3xf32 that were not written"]),
        ("for i in 0..3 { call 0 (x) to (y) }", ["a function from outside is called in a loop"]),
    ],
)
def test_calls_of_functions_from_outside(call: str, messages: list[str]) -> None:
    buffers = "input x: 3xf32\noutput y: 3xf32\nscratch t: 3xf32\nframe f: 3xf32"
    found = verify(parse(f"{buffers}\n{call}"))
    assert [str(each).partition(" in\n")[0] for each in found] == messages
