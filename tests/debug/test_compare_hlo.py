"""Comparison of modules of HLO: what is equal under other names, and each kind of change."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from stablehlo_py.debug.blame.dumps import dumps_in
from stablehlo_py.debug.blame.stats import pass_stats
from stablehlo_py.debug.compare_hlo import compare_hlo
from stablehlo_py.hlo.parser import parse_hlo

OTHER = "operand 0: from %exponential to %exponential (a different value)"
TEXT = """HloModule m

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b), metadata={op_name="sum"}
}

%largest (c: f32[], d: f32[]) -> f32[] {
  %c = f32[] parameter(0)
  %d = f32[] parameter(1)
  ROOT %maximum = f32[] maximum(%c, %d)
}

ENTRY %main (p: f32[4,8]) -> (f32[4], f32[8]) {
  %p = f32[4,8]{1,0} parameter(0)
  %zero = f32[] constant(0)
  %exponential = f32[4,8]{1,0} exponential(%p)
  %reduce = f32[4]{0} reduce(%exponential, %zero), dimensions={1}, to_apply=%sum
  %reduce.1 = f32[8]{0} reduce(%exponential, %zero), dimensions={0}, to_apply=%largest
  ROOT %tuple = (f32[4]{0}, f32[8]{0}) tuple(%reduce, %reduce.1)
}
"""


def differences(second: str, first: str = TEXT) -> list[tuple[str, str, int, int, tuple[str, ...]]]:
    found = compare_hlo(parse_hlo(first), parse_hlo(second))
    return [(d.kind, d.function, d.line_before, d.line_after, d.details) for d in found]


def changed(*edits: tuple[str, str]) -> str:
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def test_names_metadata_and_the_order_of_the_text_are_ignored() -> None:
    first, second = TEXT.index("%sum"), TEXT.index("%largest")
    entry = TEXT.index("ENTRY")
    exchanged = TEXT[:first] + TEXT[second:entry] + TEXT[first:second] + TEXT[entry:]
    renamed = (
        exchanged.replace("%sum", "%region_7").replace("%largest", "%region_3").replace("%reduce.1", "%r")
    )
    renamed = renamed.replace('op_name="sum"', 'op_name="other" source_line=3').replace("%exponential", "%e")
    assert differences(renamed) == []


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([("exponential(%p)", "tanh(%p)")], [
            ("removed", "main", 18, 0, ()), ("added", "main", 0, 18, ()),
            ("changed", "main", 19, 19, (OTHER,)), ("changed", "main", 20, 20, (OTHER,)),
        ]),
        ([("constant(0)", "constant(1)")], [("changed", "main", 17, 17, ("value: from 0 to 1",))]),
        ([("f32[4]{0} reduce", "f32[4]{0:T(2)} reduce"), ("(f32[4]{0}, f", "(f32[4]{0:T(2)}, f")], [
            ("changed", "main", 19, 19, ("shape: from f32[4]{0} to f32[4]{0:T(2)}",)),
            ("changed", "main", 21, 21,
             ("shape: from (f32[4]{0}, f32[8]{0}) to (f32[4]{0:T(2)}, f32[8]{0})",)),
        ]),
        ([("maximum(%c, %d)", "maximum(%d, %c)")], [
            ("changed", "largest", 12, 12, ("operand 0: from %c to %d", "operand 1: from %d to %c"))
        ]),
        ([("add(%a, %b)", "add(%a, %b), backend_config={\"x\":1}")], [
            ("changed", "sum", 6, 6, ('backend_config: from absent to {"x":1}',))
        ]),
        ([("reduce(%exponential, %zero), dimensions={0}, to_apply=%largest",
           "reduce(%exponential, %zero), dimensions={0}, to_apply=%sum")], [
            ("changed", "main", 20, 20, ("to_apply: from %largest to %sum",))
        ]),
    ],
)  # fmt: skip
def test_changes(
    edits: list[tuple[str, str]], expected: list[tuple[str, str, int, int, tuple[str, ...]]]
) -> None:
    found = differences(changed(*edits))
    assert [each for each in expected if each not in found] == []
    assert len(found) <= len(expected) + 1


def test_differences_have_the_order_of_the_computations_of_the_first_module() -> None:
    text = changed(("add(%a, %b)", "subtract(%a, %b)"), ("maximum(%c, %d)", "minimum(%c, %d)"))
    first, second, entry = (text.index(name) for name in ("%sum", "%largest", "ENTRY"))
    exchanged = text[:first] + text[second:entry] + text[first:second] + text[entry:]
    functions = [function for _, function, *_ in differences(exchanged)]
    assert [*dict.fromkeys(functions)] == ["sum", "largest"]
    assert [*dict.fromkeys(f for _, f, *_ in differences(TEXT, exchanged))] == ["largest", "sum"]


SLICES = """HloModule m

ENTRY %main (p: f32[8]) -> (f32[2], f32[2]) {
  %p = f32[8]{0} parameter(0)
  %slice.1 = f32[2]{0} slice(%p), slice={[0:2]}, metadata={op_name="first" source_line=1}
  %slice.2 = f32[2]{0} slice(%p), slice={[4:6]}, metadata={op_name="second" source_line=1}
  ROOT %tuple = (f32[2]{0}, f32[2]{0}) tuple(%slice.1, %slice.2)
}
"""


@pytest.mark.parametrize("lines", ["op_name", "source_line"])
def test_instructions_are_matched_by_what_they_are_for(lines: str) -> None:
    """Names, attributes and the order are others; the name scopes, or the source lines, are not."""
    first = SLICES
    if lines == "source_line":
        first = first.replace('"second" source_line=1', '"first" source_line=2')
    one, other = first.split("\n")[4:6]
    second = first.replace(one, "").replace(other, f"{other}\n{one}")
    second = second.replace("%slice.2", "%b").replace("%slice.1", "%a")
    second = second.replace("[4:6]", "[5:7]").replace("[0:2]", "[1:3]")
    found = [details for *_, details in differences(second, first)]
    assert ("slice: from {[0:2]} to {[1:3]}",) in found and ("slice: from {[4:6]} to {[5:7]}",) in found


def test_instructions_of_a_fusion_have_moved() -> None:
    fused = changed(("%largest (", "%fused (q: f32[4,8]) -> f32[4,8] {\n"
        "  %q = f32[4,8]{1,0} parameter(0)\n  ROOT %exponential.2 = f32[4,8]{1,0} exponential(%q)\n}\n\n"
        "%largest ("), ("%exponential = f32[4,8]{1,0} exponential(%p)",
        "%exponential = f32[4,8]{1,0} fusion(%p), kind=kLoop, calls=%fused"))  # fmt: skip
    found = differences(fused)
    assert ("changed", "main", 18, 11, ("moved to computation fused",)) in found
    assert [(kind, line) for kind, _, _, line, _ in found if kind == "added"] == [
        ("added", 10),
        ("added", 23),
    ]
    assert not [each for each in found if each[0] == "removed"]


# Exact differences: what is matched with what -----------------------------------------------------------


def program(body: str, computations: str = "", root: str = "r") -> str:
    """A module of arrays of four elements, whose lines are written `name = opcode(operands), attributes`."""

    def lines(text: str, last: str) -> str:
        each = [line.strip().partition(" = ") for line in text.strip().split(";")]
        return "".join(
            f"  {'ROOT ' if name.startswith(last) else ''}%{name} = f32[4] {rest}\n" for name, _, rest in each
        )

    parts = [part.strip().partition(":") for part in computations.split("|") if part]
    others = [f"%{name} (x: f32[4]) -> f32[4] {{\n{lines(text, 'r')}}}\n\n" for name, _, text in parts]
    return f"HloModule m\n\n{''.join(others)}ENTRY %main (p: f32[4]) -> f32[4] {{\n{lines(body, root)}}}\n"


X = "x = parameter(0)"
P = "p = parameter(0)"
MAP = "dimensions={}, to_apply="
CUSTOM = 'custom_call_target="t", backend_config={"n":'
CASES: dict[str, tuple[str, str, list[tuple[str, str, str, tuple[str, ...]]]]] = {
    # Two programs; of each difference the computation, both instructions, and the details.
    "another root": (
        program(f"{P}; a = abs(p); r = negate(p)"),
        program(f"{P}; a = abs(p); r = negate(p)", root="a"),
        [("main", "r", "r", ("root: from %r to %a",))],
    ),
    "a root behind the old one": (
        program(f"{P}; r = negate(p)"),
        program(f"{P}; r = negate(p); b = abs(r)", root="b"),
        [("main", "r", "r", ("root: from %r to %b",)), ("main", "", "b", ())],
    ),
    "a root that computes the same": (
        program(f"{P}; a = abs(p); r = abs(p)"),
        program(f"{P}; a = abs(p); r = abs(p)", root="a"),
        [],
    ),
    "computations of the same instructions in the order of the text": (
        # Other roots, and another number of equal instructions.
        program(f"{P}; a = call(p), to_apply=%f; b = call(a), to_apply=%g; r = call(b), to_apply=%h",
                f"f: {X}; a = abs(x); r = negate(x)|g: {X}; r = abs(x); a = negate(x)|"
                f"h: {X}; a = abs(x); b = abs(x); r = negate(x)"),
        program(f"{P}; a = call(p), to_apply=%f; b = call(a), to_apply=%g; r = call(b), to_apply=%h",
                f"h: {X}; a = abs(x); b = abs(x); r = negate(x)|g: {X}; r = abs(x); a = negate(x)|"
                f"f: {X}; a = abs(x); r = negate(x)"),
        [],
    ),
    "instructions of one name": (
        program(f"{P}; a = reverse(p), dimensions={{}}; b = negate(p); r = add(a, b)"),
        program(f"{P}; b = negate(p); a = reverse(p), dimensions={{0}}; r = add(a, b)"),
        [("main", "a", "a", ("dimensions: from {} to {0}",))],
    ),
    "names before the order": (
        program(f"{P}; a = custom-call(p), {CUSTOM}1}}; b = custom-call(p), {CUSTOM}2}}; r = add(a, b)"),
        program(f"{P}; b = custom-call(p), {CUSTOM}3}}; a = custom-call(p), {CUSTOM}4}}; r = add(a, b)"),
        [("main", "a", "a", ('backend_config: from {"n":1} to {"n":4}',)),
         ("main", "b", "b", ('backend_config: from {"n":2} to {"n":3}',))],
    ),
    "the order, of equal instructions with other operands": (
        program(f"{P}; q = abs(p); s = sine(p); x = add(p, q); y = add(q, s); r = multiply(x, y)"),
        program(f"{P}; q = abs(p); s = sine(p); u = add(p, s); v = add(q, p); r = multiply(u, v)"),
        [("main", "x", "u", ("operand 1: from %q to %s",)),
         ("main", "y", "v", ("operand 1: from %s to %p",))],
    ),
    "an operand of which there are two": (
        program(f"{P}; d = abs(p); e = abs(p); r = reverse(d), dimensions={{}}"),
        program(f"{P}; d = abs(p); e = abs(p); r = reverse(e), dimensions={{0}}"),
        [("main", "r", "r", ("dimensions: from {} to {0}",))],
    ),
    "computations of which the callers are others": (
        # By their names without numbers, in order; a parameter does not move.
        program(f"{P}; a = call(p), to_apply=%f.1; r = call(a), to_apply=%f.2",
                "f.1: x = parameter(0); r1 = abs(x)|f.2: y = parameter(0); r2 = negate(y)"),
        program(f"{P}; a = map(p), {MAP}%f.3; r = map(a), {MAP}%f.4",
                "f.3: x = parameter(0); b = abs(x); r3 = sine(b)|"
                "f.4: y = parameter(0); c = negate(y); r4 = cosine(c)"),
        [("f.1", "r1", "b", ("root: from %r1 to %r3",)), ("f.1", "", "r3", ()),
         ("f.2", "r2", "c", ("root: from %r2 to %r4",)), ("f.2", "", "r4", ()),
         ("main", "a", "", ()), ("main", "r", "", ()), ("main", "", "a", ()), ("main", "", "r", ())],
    ),
    "instructions that moved, in order, and parameters that did not": (
        program(f"{P}; a = abs(p); b = abs(a); r = call(b), to_apply=%old",
                "old: x = parameter(0); r1 = sine(x)"),
        program(f"{P}; r = map(p), {MAP}%new",
                "new: x = parameter(0); c = abs(x); d = abs(c); r1 = cosine(d)"),
        [("new", "", "x", ()), ("new", "", "r1", ()), ("old", "x", "", ()), ("old", "r1", "", ()),
         ("main", "a", "c", ("moved to computation new",)), ("main", "b", "d", ("moved to computation new",)),
         ("main", "r", "", ()), ("main", "", "r", ())],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_exact_differences(name: str) -> None:
    first, second, expected = CASES[name]

    def own(text: str) -> str:
        return text.partition(" = ")[0].removeprefix("%")

    found = compare_hlo(parse_hlo(first), parse_hlo(second))
    assert [(d.function, own(d.before), own(d.after), d.details) for d in found] == expected


@pytest.mark.parametrize(
    ("first", "second", "details"),
    [
        (list(range(10)), [*range(9), 10], ["value: from {0, 1, 2, 3, 4, 5, 6, 7, 8, 9} to "
                                            "{0, 1, 2, 3, 4, 5, 6, 7, 8, 10}"]),
        # The text of more elements is left out.
        ([0] * 12, [0] * 10 + [5, 7], ["value: 2 of 12 elements, the first at [10]: from 0 to 5"]),
        ([0] * 2001, [0] * 1000 + [1] + [0] * 1000,
         ["value: 1 of 2001 elements, the first at [1000]: from 0 to 1"]),
        (["0.0"] * 12, ["0.0"] * 11 + ["-0.0"], ["value: 1 of 12 elements, the first at [11]: from 0 to -0"]),
        (["nan"] * 12, ["nan"] * 12, []),
    ],
)  # fmt: skip
def test_elements_of_constants(first: list[object], second: list[object], details: list[str]) -> None:
    type = "f32" if isinstance(first[0], str) else "s32"
    texts = [
        f"HloModule m\n\nENTRY %main () -> {type}[{len(each)}] {{\n"
        f"  ROOT %r = {type}[{len(each)}] constant({{{', '.join(map(str, each))}}})\n}}\n"
        for each in (first, second)
    ]
    found = compare_hlo(*map(parse_hlo, texts))
    assert [each for difference in found for each in difference.details] == details


def test_elements_of_a_constant_of_two_dimensions_and_of_a_tuple() -> None:
    rows = ["{0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0}", "{0, 0, 0, 0, 0, 0, 0}, {0, 0, 9, 0, 0, 0, 0}"]
    text = """HloModule m

ENTRY %main () -> (s32[2,7], (s32[2], f32[])) {
  ROOT %r = (s32[2,7], (s32[2], f32[])) constant(({ VALUES }, ({1, 2}, 3)))
}
"""
    first, second, third = (
        text.replace("VALUES", values).replace("{1, 2}", pair)
        for values, pair in ((rows[0], "{1, 2}"), (rows[1], "{1, 2}"), (rows[0], "{1, 4}"))
    )
    for other, details in (
        (second, ("value 0: 1 of 14 elements, the first at [1, 2]: from 0 to 9",)),
        (third, ("value 1 0: from {1, 2} to {1, 4}",)),
        (first, None),
    ):
        assert [each[4] for each in differences(other, first)] == ([] if details is None else [details])


def test_attributes_are_compared_by_their_values() -> None:
    """A stated default is the same as none; texts of more than sixty characters are cut."""
    text = program(f'{P}; r = custom-call(p), custom_call_target="t", custom_call_has_side_effect=true')
    false, absent = text.replace("=true", "=false"), text.replace(", custom_call_has_side_effect=true", "")
    assert differences(false, absent) == []
    assert [each[4] for each in differences(text, false)] == [
        ("custom_call_has_side_effect: from absent to true",)
    ]
    for length, shown in ((60, "a" * 58), (61, "a" * 59)):
        long = text.replace('"t"', f'"{"a" * (length - 2)}"')
        ((*_, (detail,)),) = differences(long, text)
        end = f'"{shown}"' if length == 60 else f'"{shown}...'
        assert detail == f'custom_call_target: from "t" to {end}'


def test_computations_that_an_instruction_chooses_from_are_named() -> None:
    choice = "conditional(i, p, z), branch_computations={%f, %g}"
    text = program(
        f"{P}; z = iota(), iota_dimension=0; i = constant(0); r = {choice}",
        "f: x = parameter(0); r1 = abs(x)|g: y = parameter(0); r2 = negate(y)",
    ).replace("%i = f32[4]", "%i = s32[]")
    (found,) = compare_hlo(parse_hlo(text), parse_hlo(text.replace("%g}", '%g}, backend_config={"n":1}')))
    assert found.before == f"%r = f32[4]{{0}} {choice.replace('i, p, z', '%i, %p, %z')}"
    assert found.after == f'{found.before}, backend_config={{"n":1}}'


def test_statistics_of_passes() -> None:
    """The dumps have a subtraction in the place of a division from the fusion pass on."""
    folder = Path(__file__).parents[2] / "testdata" / "dumps" / "classify"
    rows = pass_stats(dumps_in(folder)[0])
    texts = [parse_hlo((folder / row.file).read_text()) for row in rows]
    assert [row.instructions for row in rows] == [sum(1 for _ in each.instructions()) for each in texts]
    for before, row in pairwise(rows):
        assert row.instructions == before.instructions + row.added - row.removed
    assert (rows[0].added, rows[0].removed, rows[0].seconds) == (0, 0, 0.0)
    assert any(row.moved for row in rows if row.pass_name == "fusion")
