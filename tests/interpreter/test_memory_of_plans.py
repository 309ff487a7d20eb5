"""Whose memory an array may share, and what a step may write into, on plans of a few steps."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import stablehlo_py as shlo
from stablehlo_py.interpreter.passes.alias_analysis import AliasAnalysis, output_aliases
from stablehlo_py.interpreter.passes.buffer_reuse import BufferReuse, copy_shared_outputs
from stablehlo_py.interpreter.passes.common_subexpressions import share_common_subexpressions
from stablehlo_py.interpreter.passes.liveness import drop_dead_arrays
from stablehlo_py.interpreter.plan import Alias, Plan, Step, byte_size
from stablehlo_py.ir.types import Type
from stablehlo_py.syntax.parser import parse_type

LARGE, LARGER, OPEN = (parse_type(f"tensor<{size}xf32>") for size in ("65536", "131072", "?"))
MODULE = shlo.parse("func.func @main() {\n  return\n}")
FRESH = Alias()


def step(text: str) -> Step:
    """A step of a text: `2 = f 0 1`; `view` shares memory with its operands."""
    outs, _, rest = text.partition(" = ")
    name, *ins = rest.split()
    made = Step(name, None, tuple(map(int, ins)), tuple(map(int, outs.split())))
    made.view = name == "view"
    return made


def plan(
    arity: int, steps: Sequence[Step], outputs: tuple[int, ...], constants: Sequence[int] = (), slots: int = 8
) -> Plan[Step]:
    types: list[Type] = [LARGE] * slots
    return Plan("@main", MODULE, {}, arity, types, dict.fromkeys(constants), list(steps), outputs)


# The memory of results

A = frozenset[int]


@pytest.mark.parametrize(
    ("steps", "types", "expected"),
    [
        (["2 = f 0 1"], {}, FRESH),
        (["2 = view 0"], {}, Alias(A({0}))),
        (["2 = view 0 1"], {}, Alias(A({0, 1}))),
        (["2 = view 0"], {2: LARGER}, Alias(A({0}), repeats=True)),
        (["2 = view 0"], {0: LARGER}, Alias(A({0}))),
        (["2 = view 0"], {0: OPEN}, Alias(A({0}), repeats=True)),
        (["2 = view 0"], {2: OPEN}, Alias(A({0}), repeats=True)),
        (["2 = view"], {}, Alias(repeats=True)),
        (["3 = view 0", "2 = view 3"], {3: LARGER, 2: LARGER}, Alias(A({0}), repeats=True)),
        (["3 = view 0", "2 = f 3"], {3: LARGER, 2: LARGER}, FRESH),
        (["2 = view 4"], {}, Alias(constant=True, repeats=True)),
        (["2 = f 4"], {}, FRESH),
    ],
)
def test_memory_of_a_view(steps: list[str], types: dict[int, Type], expected: Alias) -> None:
    """Of its operands; elements repeat in one that may be larger, and in one of nothing or of a constant."""
    made = plan(2, [step(each) for each in steps], (2,), constants=[4])
    for slot, type in types.items():
        made.types[slot] = type
    assert output_aliases(made) == (expected,)


@pytest.mark.parametrize(
    ("steps", "alias", "expected"),
    [
        (["2 = f 0 1"], FRESH, FRESH),
        (["2 = f 0 1"], Alias(A({1})), Alias(A({1}))),
        (["2 = f 0 1"], Alias(constant=True), Alias(constant=True)),
        (["2 = f 0 1"], Alias(A({0}), repeats=True), Alias(A({0}), repeats=True)),
        (["3 = view 0", "2 = f 1 3"], Alias(A({1})), Alias(A({0}), repeats=True)),
        (["3 = view 0", "2 = f 1 3"], Alias(A({0})), Alias(A({1}))),
        (["2 = f 0 4"], Alias(A({1})), Alias(constant=True, repeats=True)),
    ],
)
def test_memory_of_a_result_that_states_it(steps: list[str], alias: Alias, expected: Alias) -> None:
    made = plan(2, [step(each) for each in steps], (2,), constants=[4])
    made.types[3] = LARGER
    made.steps[-1].aliases = (alias,)
    assert output_aliases(made) == (expected,)


def test_each_result_of_a_step_has_memory_of_its_own() -> None:
    made = plan(2, [step("2 3 = f 0 1")], (2, 3))
    made.steps[0].aliases = (Alias(A({1})), FRESH)
    assert output_aliases(made) == (Alias(A({1})), FRESH)
    analysis = AliasAnalysis(made)
    assert (analysis.roots[2], analysis.roots[3]) == ({1, 2}, {3})


@pytest.mark.parametrize(
    ("steps", "outputs", "copied"),
    [
        (["2 = f 0"], (2,), []),
        (["2 = f 0"], (0,), [0]),
        (["2 = f 0"], (2, 2), [1]),
        (["2 = f 0", "3 = view 2"], (2, 3), [1]),
        (["2 = f 0", "3 = view 2"], (3,), []),
        (["2 = f 0", "3 = f 2"], (2, 3), []),
        (["2 = view 0"], (2,), [0]),
        (["2 = f 0"], (4, 2), [0]),
        (["2 = f 0", "5 = view 2"], (5,), [0]),  # with repeated elements
    ],
)
def test_outputs_that_are_copied(steps: list[str], outputs: tuple[int, ...], copied: list[int]) -> None:
    """Those of inputs, of constants, of an earlier output, and those that repeat elements."""
    made = plan(2, [step(each) for each in steps], outputs, constants=[4])
    made.types[5] = LARGER
    copy_shared_outputs(made, lambda copy: copy)
    added = made.steps[len(steps) :]
    assert [s.ins for s in added] == [(outputs[i],) for i in copied]
    expected = list(outputs)
    for i, each in zip(copied, added, strict=True):
        (expected[i],) = each.outs
    assert made.outputs == tuple(expected)


def test_what_is_no_array_is_not_copied() -> None:
    made = plan(1, [], (0, 0))
    made.types[0] = parse_type("!stablehlo.token")
    copy_shared_outputs(made, lambda copy: copy)
    assert (made.outputs, made.steps) == ((0, 0), [])


# What is written into


@pytest.mark.parametrize(
    ("steps", "given", "overwrites", "writes"),
    [
        (["2 = f 0", "3 = g 2"], [], (0,), []),
        (["2 = f 0", "3 = g 0"], [], (), []),  # an input of the caller's
        (["2 = f 1", "3 = g 0"], [0], (0,), [0]),
        (["2 = f 1", "3 = g 0"], [1], (), []),
        (["2 = f 0", "3 = g 4"], [], (), []),  # a constant
        (["2 = f 0", "5 = f 0", "3 = g 2 5"], [], (0,), []),
        (["2 = f 0", "3 = g 0 2"], [], (1,), []),
        (["2 = f 0", "3 = g 2 2"], [], (), []),  # read at another element
        (["2 = f 0", "5 = view 2", "3 = g 5 2"], [], (), []),
        (["2 = f 0", "5 = view 2", "3 = g 5"], [], (0,), []),
        (["2 = f 0", "6 = view 2", "3 = g 6"], [], (), []),  # elements of one address
        (["6 = f 0", "3 = g 6"], [], (), []),  # of another size
        (["6 = f 0", "2 = f 0", "3 = g 6 2"], [], (1,), []),
        (["2 = f 0", "5 = view 2", "3 = g 5", "7 = h 3 2"], [], (), []),
        (["5 = view 0", "2 = f 1", "3 = g 5"], [0], (0,), [0]),
    ],
)
def test_what_a_step_overwrites(
    steps: list[str], given: list[int], overwrites: tuple[int, ...], writes: list[int]
) -> None:
    """An operand of the result's type that nobody reads any more, and that the plan has made or is given."""
    last = step(steps[-1]).outs
    made = plan(2, [step(each) for each in steps], (*last, 1), constants=[4])
    made.types[6] = LARGER
    reuse = BufferReuse(made, lambda s: range(len(s.ins)) if s.name == "g" else (), lambda copy: copy)
    found = reuse.run(frozenset(given))
    (writer,) = [s for s in made.steps if s.name == "g"]
    assert (writer.overwrites, found) == (overwrites, set(writes))


@pytest.mark.parametrize(
    ("steps", "overwritable", "expected"),
    [
        (["2 = f 0", "3 = f 0", "5 = g 2 3"], (0,), (0,)),
        (["2 = f 0", "3 = f 0", "5 = g 2 3"], (0, 1), (0, 1)),
        (["2 = f 0", "3 = f 0", "5 = g 2 0"], (0, 1), ()),
        (["2 = f 0", "3 = f 0", "5 = g 0 3"], (0,), ()),
    ],
)
def test_a_step_overwrites_all_that_it_can_or_nothing(
    steps: list[str], overwritable: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    made = plan(1, [step(each) for each in steps], (5,))
    made.steps[-1].overwritable = overwritable
    BufferReuse(made, lambda s: (1,) if s.name == "g" else (), lambda copy: copy).run(frozenset())
    assert made.steps[-1].overwrites == expected


@pytest.mark.parametrize(
    ("steps", "outputs", "given", "owned"),
    [
        ([], (0, 1), [0, 1], [0, 1]),
        ([], (1, 0), [0, 1], [0, 1]),
        ([], (1, 0), [0], []),  # what comes out in its place is not given up
        ([], (0, 0), [0, 1], []),
        ([], (4, 1), [0, 1], [1]),
        (["6 = f 0", "2 = view 6"], (2, 1), [0, 1], [1]),  # elements of one address
        (["2 = f 0"], (2, 1), [0, 1], [0, 1]),
        (["2 = f 0", "3 = view 2"], (2, 3), [0, 1], []),
    ],
)
def test_inputs_that_a_loop_can_own(
    steps: list[str], outputs: tuple[int, ...], given: list[int], owned: list[int]
) -> None:
    """Those in whose place an array comes out that is not shared."""
    made = plan(2, [step(each) for each in steps], outputs, constants=[4])
    made.types[6] = parse_type("tensor<1xf32>")
    reuse = BufferReuse(made, lambda s: (), lambda copy: copy)
    assert reuse._exclusive(frozenset(given)) == set(owned)


def test_a_loop_gets_copies_of_what_others_read() -> None:
    """Right before it, of the operands that it owns and has not for itself, at their places."""
    loop = step("6 = loop 0 2 3 5")
    loop.owns = frozenset({0, 1, 2})
    made = plan(1, [step("2 = f 0"), step("3 = f 0"), step("5 = f 0"), loop, step("7 = g 6 3")], (7,))
    BufferReuse(made, lambda s: (), lambda copy: copy).run(frozenset())
    assert [s.name for s in made.steps] == ["f", "f", "f", "copy", "copy", "loop", "g"]
    copies = {s.ins[0]: s.outs[0] for s in made.steps if s.name == "copy"}
    assert loop.ins == (copies[0], 2, copies[3], 5)
    assert [made.types[slot] for slot in copies.values()] == [LARGE, LARGE]


def test_a_copy_has_the_place_of_the_step_that_needs_it() -> None:
    """Of the last step for an output; of none where there is no step."""
    (op,) = MODULE.functions["main"].regions[0].blocks[0].ops
    empty, some = plan(1, [], (0,)), plan(1, [step("2 = f 0")], (0,))
    some.steps[0].op = op
    for made, expected in ((empty, None), (some, op)):
        copy_shared_outputs(made, lambda copy: copy)
        assert made.steps[-1].name == "copy" and made.steps[-1].op is expected


# What is dropped, and what is computed once


def test_where_arrays_are_dropped() -> None:
    """Behind the last use, also of results that nobody uses; not outputs and constants."""
    steps = [step("2 = f 0 4"), step("3 5 = g 2 1"), step("6 = h 3 4")]
    made = plan(2, steps, (6, 1), constants=[4])
    drop_dead_arrays(made)
    assert [set(s.frees) for s in made.steps] == [{0}, {5, 2}, {3}]


EQUAL = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (T) {{
  %0 = {}
  %1 = {}
  return %0, %1 : T
}}"""


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ("stablehlo.add %x, %y : tensor<4xf32>", "stablehlo.add %x, %y : tensor<4xf32>", 1),
        ("stablehlo.add %x, %y : tensor<4xf32>", "stablehlo.add %y, %x : tensor<4xf32>", 2),
        ("stablehlo.add %x, %y : tensor<4xf32>", "stablehlo.subtract %x, %y : tensor<4xf32>", 2),
        (
            "stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>",
            "stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>",
            2,
        ),
        (
            "stablehlo.reverse %x, dims = [0] : tensor<4xf32>",
            "stablehlo.reverse %x, dims = [] : tensor<4xf32>",
            2,
        ),
        (
            "stablehlo.reverse %x, dims = [0] : tensor<4xf32>",
            "stablehlo.reverse %x, dims = [0] {note} : tensor<4xf32>",
            1,
        ),
    ],
)
def test_steps_that_are_the_same(first: str, second: str, count: int) -> None:
    """Of one op, with the same operands, attributes of its definition, and types."""
    types = ", ".join(each.split(" ")[-1] for each in (first, second))
    program = shlo.compile(shlo.parse(EQUAL.format(first, second).replace("T", types)), engine="numpy")
    assert len([s for s in program.plan.steps if s.op is not None and s.name != "copy"]) == count


def test_steps_without_ops_and_with_effects_stay() -> None:
    made = plan(1, [step("2 = f 0"), step("3 = f 0")], (2, 3))
    share_common_subexpressions(made)
    assert (len(made.steps), made.outputs) == (2, (2, 3))


@pytest.mark.parametrize(
    ("type", "size"),
    [
        ("tensor<3x5xf32>", 60),
        ("tensor<f64>", 8),
        ("tensor<7xi1>", 7),
        ("tensor<2xcomplex<f64>>", 32),
        ("tensor<?xf32>", None),
        ("tensor<2xf80>", None),
        ("!stablehlo.token", None),
    ],
)
def test_sizes_of_types(type: str, size: int | None) -> None:
    assert byte_size(parse_type(type)) == size


def test_the_text_of_a_plan_with_views() -> None:
    """The types of the slots that are named; constants that no step uses are left out."""
    made = plan(1, [step("3 = view 1"), step("4 5 = f 3 0")], (4, 6), constants=[1, 2, 6])
    made.types[:7] = [parse_type(f"tensor<{size}xi8>") for size in range(7)]
    made.steps[1].overwrites, made.steps[1].frees, made.steps[1].note = (0,), (3, 0), "why"
    assert str(made).splitlines() == [
        "plan @main(%0: tensor<0xi8>)",
        "  %1 = constant : tensor<1xi8>",
        "  %6 = constant : tensor<6xi8>",
        "  %3 = view %1 : tensor<3xi8> view",
        "  %4, %5 = f %3, %0 : tensor<4xi8>, tensor<5xi8> in place of %3 frees %3, %0  [why]",
        "  return %4, %6",
    ]
