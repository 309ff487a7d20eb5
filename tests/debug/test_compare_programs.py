"""Comparison of programs: differences, and equivalent spellings."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare_programs import ProgramDifference, compare_programs
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.ir.attributes import integer

PROGRAM = """\
module @net {
  func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %sum = stablehlo.add %x, %y : tensor<2xf32>
    %twice = stablehlo.add %sum, %sum : tensor<2xf32>
    %root = call @root(%twice) : (tensor<2xf32>) -> tensor<2xf32>
    return %root : tensor<2xf32>
  }
  func.func private @root(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.sqrt %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


def compare(second: str, first: str = PROGRAM) -> list[ProgramDifference]:
    return compare_programs(shlo.parse(first), shlo.parse(second))


@pytest.mark.parametrize(
    "old, new",
    [
        ("%sum", "%0"),
        ("// nothing", "// something"),
        (
            "stablehlo.sqrt %x :",
            "stablehlo.sqrt %x {result_accuracy = #stablehlo.result_accuracy<"
            "mode = #stablehlo.result_accuracy_mode<DEFAULT>>} :",
        ),
        ("return %0 : tensor<2xf32>", 'return %0 : tensor<2xf32> loc("here")'),
    ],
)
def test_what_makes_no_difference(old: str, new: str) -> None:
    assert compare(PROGRAM.replace(old, new)) == []


def test_generic_form_makes_no_difference() -> None:
    assert compare(shlo.format(shlo.parse(PROGRAM), generic=True)) == []


def test_another_op_in_the_same_place() -> None:
    (found,) = compare(PROGRAM.replace("stablehlo.sqrt", "stablehlo.cbrt"))
    assert found == ProgramDifference(
        "changed",
        "root",
        "%0 = stablehlo.sqrt %x : tensor<2xf32>",
        "%0 = stablehlo.cbrt %x : tensor<2xf32>",
        9,
        9,
        ("op: from stablehlo.sqrt to stablehlo.cbrt",),
    )


def test_an_op_removed_shows_where_its_value_was_used() -> None:
    second = PROGRAM.replace("    %twice = stablehlo.add %sum, %sum : tensor<2xf32>\n", "")
    removed, changed = compare(second.replace("@root(%twice)", "@root(%sum)"))
    assert (removed.kind, removed.line_before, removed.line_after) == ("removed", 4, 0)
    assert removed.before == "%twice = stablehlo.add %sum, %sum : tensor<2xf32>"
    assert (changed.kind, changed.line_before, changed.line_after) == ("changed", 5, 4)
    assert changed.details == ("operand 0: from %twice to %sum (a different value)",)


def test_equal_ops_that_move_together() -> None:
    """Each has its own counterpart, the first the first."""
    text = """func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
BODY  %t = stablehlo.add %a, %b : tensor<f32>
  %r = stablehlo.add %t, %e : tensor<f32>
  return %r : tensor<f32>
}"""
    pair = "".join(f"  %{name} = stablehlo.sine %x : tensor<f32>\n" for name in "ab")
    steps = (("c", "tanh", "y"), ("d", "cosine", "c"), ("e", "sqrt", "d"))
    others = "".join(f"  %{name} = stablehlo.{op} %{x} : tensor<f32>\n" for name, op, x in steps)
    found = compare(text.replace("BODY", others + pair), text.replace("BODY", pair + others))
    assert [(d.kind, d.line_before, d.line_after, d.details) for d in found] == [
        ("changed", 2, 5, ("moved from line 2 to line 5",)),
        ("changed", 3, 6, ("moved from line 3 to line 6",)),
    ]


def test_operands_that_change_places() -> None:
    (found,) = compare(PROGRAM.replace("add %x, %y", "add %y, %x"))
    assert found.details == (
        "operand 0: from %x to %y (a different value)",
        "operand 1: from %y to %x (a different value)",
    )


def test_functions_and_attributes() -> None:
    found = compare(
        PROGRAM.replace("@root", "@other").replace(
            "@net {", "@net attributes {mhlo.num_replicas = 2 : i32} {"
        )
    )
    assert [(d.kind, d.function) for d in found] == [("changed", "")]
    assert found[0].details == ("mhlo.num_replicas: from absent to 2 : i32",)


def test_types_are_told() -> None:
    (function, negate, end) = compare(
        "func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %0 = stablehlo.negate %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n",
        "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.negate %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
    )
    assert function.details == (
        "function_type: from (tensor<2xf32>) -> tensor<2xf32> to (tensor<3xf32>) -> tensor<3xf32>",
    )
    assert negate.details == (
        "type of operand 0: from tensor<2xf32> to tensor<3xf32>",
        "type of result 0: from tensor<2xf32> to tensor<3xf32>",
    )
    assert end.details == ("type of operand 0: from tensor<2xf32> to tensor<3xf32>",)


def test_regions_are_compared_with_what_they_capture() -> None:
    program = """\
func.func @f(%p: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %y : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
    assert compare(program, program) == []
    (found,) = compare(program.replace("return %y", "return %x"), program)
    assert (found.line_before, found.details) == (5, ("operand 0: from %y to %x (a different value)",))


def test_resources_are_compared_by_their_bytes() -> None:
    program = """\
func.func @f() {
  %0 = stablehlo.constant dense_resource<w> : tensor<2xi8>
  return
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x010000000102"
    }
  }
#-}
"""
    assert compare(program, program) == []
    (found,) = compare(program.replace("0102", "0103"), program)
    assert found.details == (
        "value: from dense_resource<w> : tensor<2xi8> to dense_resource<w> : tensor<2xi8>",
    )


LAYERS = """\
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @f_0(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @f_1(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @f_2(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func private @f_0(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sqrt %x : tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @f_1(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<2xf32>
  %0 = stablehlo.add %x, %c : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f_2(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.cosine %x : tensor<2xf32>
  %1 = stablehlo.sine %0 : tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
"""


def renamed(text: str, *names: str) -> str:
    """Number the functions in another way."""
    for number, name in enumerate(names):
        text = text.replace(f"@f_{number}(", f"@new_{name}(")
    return text.replace("@new_", "@")


@pytest.mark.parametrize("names", [("f_1", "f_2", "f_0"), ("f_2", "f_1", "f_9"), ("a", "f_0", "f_1")])
def test_renamed_private_functions_make_no_difference(names: tuple[str, ...]) -> None:
    assert compare(renamed(LAYERS, *names), LAYERS) == []


@pytest.mark.parametrize(
    "old, new, function, detail",
    [
        ("dense<2.0>", "dense<3.0>", "f_1", "value: from dense<2.000000e+00>"),  # the structure is equal
        ("stablehlo.sqrt", "stablehlo.cbrt", "f_0", "op: from stablehlo.sqrt to"),  # the call is at its place
        ("add %0, %1", "add %1, %0", "f_2", "operand 0: from %0 to %1"),
    ],
)
def test_a_change_in_a_renamed_function(old: str, new: str, function: str, detail: str) -> None:
    (found,) = compare(renamed(LAYERS.replace(old, new), "f_1", "f_2", "f_0"), LAYERS)
    assert (found.kind, found.function) == ("changed", function)
    assert found.details[0].startswith(detail)


CALLER = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @walk(%x) {called_computations = [ORDER]} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f_0(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }
func.func private @f_1(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def test_a_custom_call_names_the_functions_that_it_calls() -> None:
    first = CALLER.replace("ORDER", "@f_0, @f_1")
    swapped = renamed(first, "f_1", "f_0").replace("[@f_0, @f_1]", "[@f_1, @f_0]")
    assert compare(swapped, first) == []
    (found,) = compare(CALLER.replace("ORDER", "@f_1, @f_0"), first)
    assert (found.kind, found.function) == ("changed", "main")


def test_a_renamed_function_between_new_ones() -> None:
    """Another function has the name of one that was renamed."""
    call = "  %n = call @new_f_1(%2) : (tensor<2xf32>) -> tensor<2xf32>\n  return %n"
    extra = (
        "func.func private @new_f_1(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.tanh %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
    )
    second = renamed(LAYERS.replace("  return %2", call, 1) + extra, "f_0", "f_3", "f_2")
    found = compare(second, LAYERS)
    assert [(d.kind, d.function) for d in found] == [("added", "main"), ("changed", "main"), ("added", "f_1")]
    assert found[1].details == ("operand 0: from %2 to %n (a different value)",)


def test_functions_of_one_structure_are_matched_by_their_contents() -> None:
    body = "(%x: tensor<f32>) -> tensor<f32> {{\n  %c = stablehlo.constant dense<{}> : tensor<f32>\n"
    one, two = (body.format(f"{n}.0") + "  return %c : tensor<f32>\n}\n" for n in (1, 2))
    first = f"func.func private @f_1{one}func.func private @f_2{two}"
    assert compare(f"func.func private @f_1{two}func.func private @f_2{one}", first) == []


def test_equal_functions_with_another_name_each() -> None:
    """One of them keeps its name, so that the one before it has become the one behind it."""
    private = (
        "func.func private @{} (%x: tensor<2xf32>) -> tensor<2xf32> {{\n  return %x : tensor<2xf32>\n}}\n"
    )
    assert compare(*["".join(map(private.format, names)) for names in ("bc", "ab")]) == []


def test_a_renamed_public_function_is_a_change() -> None:
    (found,) = compare(LAYERS.replace("@main", "@entry"), LAYERS)
    assert (found.function, found.details) == ("main", ("name: from @main to @entry",))


@pytest.mark.parametrize(
    ("first", "second", "changes"),
    [
        ("private @f_1", "private @other", []),  # no other program knows the name
        (
            "private @f_1",
            "@other",
            ["callee: from @f_1 to @other"],
        ),  # another function, as others can call it
        ("@f_1", "private @other", ["callee: from @f_1 to @other"]),
        ("@f_1", "@other", ["name: from @f_1 to @other"]),
        ("private @f_1", "@f_1", ['sym_visibility: from "private" to absent']),
    ],
)
def test_names_that_other_programs_know(first: str, second: str, changes: list[str]) -> None:
    def program(head: str) -> str:
        name = head.rpartition("@")[2]
        return LAYERS.replace("private @f_1", head).replace("@f_1", f"@{name}")

    assert [change for each in compare(program(second), program(first)) for change in each.details] == changes


def test_calls_of_functions_that_are_no_more_the_same() -> None:
    found = compare(LAYERS.replace("call @f_1(%0)", "call @f_2(%0)"), LAYERS)
    assert [d.details for d in found] == [("callee: from @f_1 to @f_2",)]


def test_an_op_at_another_place_has_moved() -> None:
    first = """\
func.func @f(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %a = stablehlo.sine %x : tensor<f32>
  %b = stablehlo.cosine %a : tensor<f32>
  %0 = "stablehlo.if"(%p) ({
    %c = stablehlo.tanh %x : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }, {
    stablehlo.return %b : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
    tanh = "%c = stablehlo.tanh %x : tensor<f32>\n"
    (hoisted,) = compare(first.replace(f"    {tanh}", "").replace("  %a", f"  {tanh}  %a", 1), first)
    assert (hoisted.kind, hoisted.line_before, hoisted.line_after) == ("changed", 5, 2)
    assert hoisted.details == ("moved from line 5 to line 2",)
    ops = "  %a = stablehlo.sine %x : tensor<f32>\n  %b = stablehlo.cosine %a : tensor<f32>\n"
    sunk = compare(first.replace(ops, "").replace("  }, {\n", "  }, {\n" + ops), first)
    assert [d.details for d in sunk] == [("moved from line 2 to line 6",), ("moved from line 3 to line 7",)]


def test_twins_of_drawn_programs_are_equal() -> None:
    """Names of functions and their order make no difference; a change of an op is the only difference."""
    for number in range(6):
        module = generate(11, number, Request(ops=30)).module
        other = module.clone()
        other.body.ops.reverse()
        assert compare_programs(module, other) == []
        changed = next(op for op in other.walk() if op.results and op.regions == ())
        changed.attributes["test.mark"] = integer(1)
        (found,) = compare_programs(module, other)
        assert found.details == ("test.mark: from absent to 1 : i64",)


def test_the_place_of_a_constant_makes_no_difference() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {{
{}  %r = stablehlo.add %s, %c : tensor<f32>
  return %r : tensor<f32>
}}"""
    lines = [
        "  %c = stablehlo.constant dense<1.0> : tensor<f32>\n",
        "  %s = stablehlo.sine %x : tensor<f32>\n",
        "  %t = stablehlo.cosine %s : tensor<f32>\n",
    ]
    first, second = ("".join(each) for each in (lines, lines[1:] + lines[:1]))
    assert compare(text.format(second), text.format(first)) == []
    assert compare(text.format(first), text.format(second)) == []
    found = compare(text.format(second).replace("add %s", "subtract %s"), text.format(first))
    assert [each.kind for each in found] == ["removed", "added", "changed"]
    assert not any("constant" in each.before or "moved" in str(each.details) for each in found)


def test_a_function_of_another_program_by_another_name() -> None:
    """A private function without a body is defined elsewhere by its name."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = call @elsewhere(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func private @elsewhere(%x: tensor<f32>) -> tensor<f32>"""
    assert compare(text, text) == []
    (found,) = compare(text.replace("elsewhere", "there"), text)
    assert (found.kind, found.line_before, found.line_after) == ("changed", 5, 5)
    assert found.details == ("name: from @elsewhere to @there",)


@pytest.mark.parametrize("value", ["@root", "[@root]", "{a = @root}", "[{a = [@root]}]"])
def test_names_of_private_functions_in_attributes(value: str) -> None:
    first = PROGRAM.replace("add %sum, %sum :", f"add %sum, %sum {{x.a = {value}}} :")
    second = first.replace("@root", "@other")
    assert compare(second, first) == []
    (other,) = compare(second.replace("add %x, %y", "subtract %x, %y"), first)
    assert other.details == ("op: from stablehlo.add to stablehlo.subtract",)
    (found,) = compare(first.replace(value, value.replace("@root", "@main"), 1), first)
    assert found.details == (f"x.a: from {value} to {value.replace('root', 'main')}",)


@pytest.mark.parametrize(
    ("op", "kinds"), [("add", ["changed"]), ("maximum", ["changed", "removed", "added"])]
)
def test_a_moved_op_has_the_same_regions(op: str, kinds: list[str]) -> None:
    reduced = """  %r = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0]
    : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
"""
    rest = "  %s = stablehlo.sine %i : tensor<f32>\n  %t = stablehlo.cosine %s : tensor<f32>\n"
    text = """func.func @main(%x: tensor<2xf32>, %i: tensor<f32>) -> tensor<f32> {{
{}  %u = stablehlo.add %t, %r : tensor<f32>
  return %u : tensor<f32>
}}"""
    found = compare(
        text.format(rest + reduced.replace("stablehlo.add", f"stablehlo.{op}")), text.format(reduced + rest)
    )
    assert sorted(each.kind for each in found) == sorted(kinds)
    assert [each.details for each in found if "moved" in str(each.details)] == (
        [("moved from line 2 to line 4",)] if op == "add" else []
    )
