"""Comparison of programs and of modules of HLO: each kind of difference, told as a whole."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare_hlo import compare_hlo, line_of
from stablehlo_py.debug.compare_programs import compare_programs
from stablehlo_py.hlo.parser import parse_hlo

# Programs -----------------------------------------------------------------------------------------------


def program(*lines: str, also: str = "") -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) {{\n{body}  return\n}}\n{also}"


def branches(count: int) -> list[str]:
    body = '({ "test.end"() : () -> () })'
    return [
        f'"test.op"() {", ".join([body] * count)} : () -> ()'.replace("}) , (", "}, ").replace("}), (", "}, ")
    ]


def region(*types: str) -> str:
    arguments = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types))
    return f'"test.op"() ({{\n  ^bb0({arguments}):\n    "test.end"() : () -> ()\n  }}) : () -> ()'


def call(operands: str, results: int = 1, mark: str = "") -> str:
    types = ", ".join(["tensor<2xf32>"] * len(operands.split(", ")))
    given = f" {{mark = {mark}}}" if mark else ""
    made = ", ".join(["tensor<2xf32>"] * results)
    return f'%r:{results} = "test.op"({operands}){given} : ({types}) -> ({made})'


F, CUT = "func.func private @f() {\n  return\n}\n", "a" * 58


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([call("%x")], [call("%x, %y")], [("changed", "main", 2, 2, ("operands: from 1 to 2",))]),
        ([call("%x")], [call("%y")],
         [("changed", "main", 2, 2, ("operand 0: from %x to %y (a different value)",))]),
        ([call("%x", 1)], [call("%x", 2)], [("changed", "main", 2, 2, ("results: from 1 to 2",))]),
        (branches(1), branches(2), [("changed", "main", 2, 2, ("regions: from 1 to 2",))]),
        ([region("i1", "f32")], [region("i1", "f64")],
         [("changed", "main", 2, 2, ("arguments of region 0: from (i1, f32) to (i1, f64)",))]),
        ([region("i1")], [region()],
         [("changed", "main", 2, 2, ("arguments of region 0: from (i1) to ()",))]),
        # Texts of attributes are cut after 60 characters: 58 between quotation marks are not.
        ([call("%x", mark=f'"{CUT}"')], [call("%x")],
         [("changed", "main", 2, 2, (f'mark: from "{CUT}" to absent',))]),
        ([call("%x", mark=f'"{CUT}b"')], [call("%x", mark="1 : i8")],
         [("changed", "main", 2, 2, (f'mark: from "{CUT}b... to 1 : i8',))]),
    ],
)  # fmt: skip
def test_changes_of_an_op(first: list[str], second: list[str], expected: list[object]) -> None:
    modules = [shlo.parse(program(*lines), allow_unregistered=True) for lines in (first, second)]
    found = compare_programs(*modules)
    assert [(d.kind, d.function, d.line_before, d.line_after, d.details) for d in found] == expected
    back = compare_programs(*modules[::-1])
    assert [(d.line_before, d.line_after, d.before, d.after) for d in back] == [
        (d.line_after, d.line_before, d.after, d.before) for d in found
    ]
    assert compare_programs(modules[0], modules[0].clone()) == []


SEVERAL = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  cf.br ^bb1
^bb1:
  return
}
"""


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (program(also=F), program(),
         [("removed", "f", "func.func private @f() {", "", 4, 0, ())]),
        (program(), program(also=F),
         [("added", "f", "", "func.func private @f() {", 0, 4, ())]),
        (program(), SEVERAL,
         [("changed", "main", "", "", 1, 1, ("blocks of region 0: from 1 to 2",)),
          ("changed", "main", "", "", 2, 2, ("op: from func.return to cf.br",))]),
        # The place of a constant makes no difference, nor the order of functions.
        (program("%c = stablehlo.constant dense<1> : tensor<i8>", call("%x")),
         program(call("%x"), "%c = stablehlo.constant dense<1> : tensor<i8>"), []),
        (program(also=F + F.replace("@f", "@g").replace("  return", "  cf.br ^a\n^a:\n  return")),
         program(also=F.replace("@f", "@g").replace("  return", "  cf.br ^a\n^a:\n  return") + F), []),
        # A symbol in an attribute, by its function; another name of the module.
        (program(call("%x", mark="{a = [@f, @h]}"), also=F),
         program(call("%x", mark="{a = [@k, @h]}"), also=F.replace("@f", "@k")), []),
        (program(call("%x", mark="{a = [@f, @h]}"), also=F),
         program(call("%x", mark="{a = [@f, @i]}"), also=F),
         [("changed", "main", "", "", 2, 2, ("mark: from {a = [@f, @h]} to {a = [@f, @i]}",))]),
    ],
)  # fmt: skip
def test_changes_of_functions(first: str, second: str, expected: list[tuple[object, ...]]) -> None:
    found = compare_programs(*[shlo.parse(text, allow_unregistered=True) for text in (first, second)])
    rows = [(d.kind, d.function, d.before, d.after, d.line_before, d.line_after, d.details) for d in found]
    for row, wanted in zip(rows, expected, strict=True):
        assert row == (*wanted[:2], wanted[2] or row[2], wanted[3] or row[3], *wanted[4:])
        assert (wanted[0] == "added") is (row[2] == "") and (wanted[0] == "removed") is (row[3] == "")


# Modules of HLO -----------------------------------------------------------------------------------------

HLO = """HloModule m

%half (h: f32[4]) -> f32[4] {
  %h = f32[4]{0} parameter(0)
  ROOT %tanh = f32[4]{0} tanh(%h)
}

%other (o: f32[4]) -> f32[4] {
  %o = f32[4]{0} parameter(0)
  ROOT %negate = f32[4]{0} negate(%o)
}

ENTRY %main (p: f32[4], i: s32[]) -> f32[8] {
  %p = f32[4]{0} parameter(0)
  %i = s32[] parameter(1)
  %chosen = f32[4]{0} conditional(%i, %p, %p), branch_computations={%half, %other}
  %c = f32[4]{0} constant({1, 2, 3, 4}), metadata={op_name="c"}
  %sum = f32[4]{0} add(%chosen, %c)
  ROOT %both = f32[8]{0} concatenate(%sum, %chosen), dimensions={0}
}
"""


def test_lines_of_instructions() -> None:
    module = parse_hlo(HLO)
    assert [line_of(each) for each in module.entry.instructions] == [
        "%p = f32[4]{0} parameter(0)",
        "%i = s32[] parameter(1)",
        "%chosen = f32[4]{0} conditional(%i, %p, %p), branch_computations={%half, %other}",
        "%c = f32[4]{0} constant({1, 2, 3, 4})",
        "%sum = f32[4]{0} add(%chosen, %c)",
        "%both = f32[8]{0} concatenate(%sum, %chosen), dimensions={0}",
    ]


@pytest.mark.parametrize(("gone", "line"), [("twin", 18), ("sum", 19)])
def test_which_of_two_equal_instructions_is_gone(gone: str, line: int) -> None:
    """The one whose name is: the other one takes its place."""
    add = "  %NAME = f32[4]{0} add(%chosen, %c)\n"
    both = HLO.replace(add.replace("NAME", "sum"), add.replace("NAME", "twin") + add.replace("NAME", "sum"))
    both = both.replace("(%sum, %chosen)", "(%sum, %twin)")
    left = {"twin": "sum", "sum": "twin"}[gone]
    one = both.replace(add.replace("NAME", gone), "").replace("(%sum, %twin)", f"(%{left}, %{left})")
    found = compare_hlo(parse_hlo(both), parse_hlo(one))
    assert [(d.kind, d.function, d.line_before) for d in found] == [("removed", "main", line)]
    found = compare_hlo(parse_hlo(one), parse_hlo(both))
    assert [(d.kind, d.function, d.line_after) for d in found] == [("added", "main", line)]


def test_exchanged_names_are_no_difference() -> None:
    """Those of two computations, and those of the instructions that call them."""
    text = """HloModule m

%one (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b)
}

%two (c: f32[], d: f32[]) -> f32[] {
  %c = f32[] parameter(0)
  %d = f32[] parameter(1)
  ROOT %maximum = f32[] maximum(%c, %d)
}

ENTRY %main (p: f32[4]) -> (f32[], f32[]) {
  %p = f32[4]{0} parameter(0)
  %zero = f32[] constant(0)
  %first = f32[] reduce(%p, %zero), dimensions={0}, to_apply=%one
  %second = f32[] reduce(%p, %zero), dimensions={0}, to_apply=%two
  ROOT %tuple = (f32[], f32[]) tuple(%first, %second)
}
"""
    names = {"one": "two", "two": "one", "first": "second", "second": "first"}
    other = re.sub(r"%(\w+)", lambda match: f"%{names.get(match[1], match[1])}", text)
    assert other != text and compare_hlo(parse_hlo(text), parse_hlo(other)) == []
    swapped = text.replace("tuple(%first, %second)", "tuple(%second, %first)")
    (found,) = compare_hlo(parse_hlo(text), parse_hlo(swapped))
    assert found.details == ("operand 0: from %first to %second", "operand 1: from %second to %first")


LONG = "x" * 58


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], []),
        ([("(%sum, %chosen)", "(%sum, %chosen, %p)"), ("f32[8]", "f32[12]")],
         [("changed", "main", 19, 19, ("shape: from f32[8]{0} to f32[12]{0}", "operands: from 2 to 3"))]),
        ([("{%half, %other}", "{%half, %half}")],
         [("changed", "main", 16, 16, ("branch_computations: from %other to %half",))]),
        ([("{%half, %other}", "{%other, %half}")],
         [("changed", "main", 16, 16,
           ("branch_computations: from %half to %other", "branch_computations: from %other to %half"))]),
        ([("add(%chosen, %c)", "add(%c, %chosen)")],
         [("changed", "main", 18, 18, ("operand 0: from %chosen to %c", "operand 1: from %c to %chosen"))]),
        ([("constant({1, 2, 3, 4})", "constant({1, 2, 3, 5})")],
         [("changed", "main", 17, 17, ("value: from {1, 2, 3, 4} to {1, 2, 3, 5}",))]),
        # What is left in order, of the same opcode.
        ([("%sum = f32[4]{0} add(%chosen, %c)", "%total = f32[4]{0} add(%c, %c)"), ("(%sum, ", "(%total, ")],
         [("changed", "main", 18, 18, ("operand 0: from %chosen to %c",))]),
        # Texts are cut after 60 characters: 58 between quotation marks are not.
        ([("add(%chosen, %c)", f'add(%chosen, %c), backend_config="{LONG}"')],
         [("changed", "main", 18, 18, (f'backend_config: from absent to "{LONG}"',))]),
        ([("add(%chosen, %c)", f'add(%chosen, %c), backend_config="{LONG}x"')],
         [("changed", "main", 18, 18, (f'backend_config: from absent to "{LONG}x...',))]),
    ],
)  # fmt: skip
def test_changes_of_instructions(edits: list[tuple[str, str]], expected: list[object]) -> None:
    text = HLO
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    found = compare_hlo(parse_hlo(HLO), parse_hlo(text))
    assert [(d.kind, d.function, d.line_before, d.line_after, d.details) for d in found] == expected


def test_computations_that_only_one_module_has() -> None:
    third = """%third (t: f32[4]) -> f32[4] {
  %t = f32[4]{0} parameter(0)
  ROOT %sine = f32[4]{0} sine(%t)
}

"""
    more = HLO.replace("ENTRY", f"{third}ENTRY").replace("{%half, %other}", "{%half, %other, %third}")
    more = more.replace("(%i, %p, %p)", "(%i, %p, %p, %p)")
    added = compare_hlo(parse_hlo(HLO), parse_hlo(more))
    removed = compare_hlo(parse_hlo(more), parse_hlo(HLO))
    rows = [("third", 14, "%t = f32[4]{0} parameter(0)"), ("third", 15, "%sine = f32[4]{0} sine(%t)")]
    assert [(d.function, d.line_after, d.after) for d in added if d.kind == "added"] == rows
    assert [(d.function, d.line_before, d.before) for d in removed if d.kind == "removed"] == rows
    for found, numbers in ((added, "3 to 4"), (removed, "4 to 3")):
        (changed,) = [d for d in found if d.kind == "changed"]
        assert changed.function == "main" and changed.details == (f"operands: from {numbers}",)
        assert len(found) == 3
