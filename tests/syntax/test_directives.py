"""Directives of assembly formats: each has a rule, a reader and a writer, and is used by a definition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import cast

import pytest
from stablehlo_py.grammar import grammar_folder

import stablehlo_py as shlo
from stablehlo_py.opset.definition import OpDef, all_definitions, lookup
from stablehlo_py.syntax.forms.assembly_format import Element, directives_of, parse_form
from stablehlo_py.syntax.forms.directive import DirectiveDef, register
from stablehlo_py.syntax.forms.directives import DIRECTIVES
from stablehlo_py.syntax.forms.read import _reader
from stablehlo_py.syntax.lalr.full_grammar import _element
from stablehlo_py.syntax.write.fragments import join
from tests.helpers.each import for_each
from tests.opset.test_examples import ALONE, FUNCTIONS, OUTSIDE, program, types_of

RULE = re.compile(r"^[?!]*(\w+):", re.MULTILINE)


def used() -> Iterator[str]:
    """The names of the directives in all forms."""
    for definition in all_definitions():
        if definition.form is not None:
            yield from (directive.name for directive in directives_of(parse_form(definition.form)))


def test_registered_directives_are_those_that_forms_use() -> None:
    assert set(DIRECTIVES) == set(used())


def test_every_directive_has_a_rule_in_the_grammar() -> None:
    rules = {name for path in grammar_folder().glob("*.lark") for name in RULE.findall(path.read_text())}
    assert set(DIRECTIVES) <= rules


@pytest.mark.parametrize("definition", DIRECTIVES.values(), ids=DIRECTIVES)
def test_reader_and_writer_stand_in_one_module(definition: DirectiveDef) -> None:
    assert definition.read.__module__ == definition.write.__module__


def test_directives_of_types_are_shown_as_a_type() -> None:
    shown = {name for name, each in DIRECTIVES.items() if each.synopsis == "type"}
    same = {f"{prefix}same_operands_and_result_type" for prefix in ("", "variadic_")}
    assert shown == {*same, "complex_op_type", "select_op_type", "tuple_op_type"}


def test_a_directive_is_registered_once() -> None:
    with pytest.raises(ValueError, match="slice_ranges is registered twice"):
        register(DIRECTIVES["slice_ranges"])


def test_a_form_that_does_not_fit_is_printed_generically() -> None:
    """A constant whose type is not the result's, and a tuple type that is not that of the operands."""
    text = """func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.constant() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<1xi32>
  %1 = "stablehlo.tuple"(%a) : (tensor<f32>) -> tuple<tensor<i32>>
  return
}"""
    printed = shlo.format(shlo.parse(text))
    assert "stablehlo.constant() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<1xi32>" in printed
    assert '"stablehlo.tuple"(%arg0) : (tensor<f32>) -> tuple<tensor<i32>>' in printed


BRANCH = """func.func @f(%p: i1, %a: tensor<f32>) {
  "cf.cond_br"(%p, %a)[^bb1, ^bb2] SIZES : (i1, tensor<f32>) -> ()
^bb1(%b: tensor<f32>):
  return
^bb2:
  return
}"""
SIZES = "<{operandSegmentSizes = array<i32: LIST>}>"


@pytest.mark.parametrize(
    "sizes", ["", *(SIZES.replace("LIST", text) for text in ("1, 1", "2, 1, -1", "1, 1, 1", "1, 1, 0, 0"))]
)
def test_segments_that_do_not_fit_are_printed_generically(sizes: str) -> None:
    text = shlo.format(shlo.parse(BRANCH.replace("SIZES", sizes)))
    assert f'"cf.cond_br"(%arg0, %arg1)[^bb1, ^bb2] {sizes} :'.replace("  ", " ") in text


def test_segments_that_fit_are_printed_by_what_they_mean() -> None:
    text = shlo.format(shlo.parse(BRANCH.replace("SIZES", SIZES.replace("LIST", "1, 1, 0"))))
    assert "cf.cond_br %arg0, ^bb1(%arg1 : tensor<f32>), ^bb2\n" in text


@pytest.mark.parametrize("count", [0, 1, 3])
def test_another_number_of_regions_is_printed_generically(count: int) -> None:
    regions = ", ".join(["{\n    stablehlo.return %p : tensor<i1>\n  }"] * count)
    text = f"""func.func @f(%p: tensor<i1>) {{
  "stablehlo.while"(){f" ({regions})" if count else ""} : () -> ()
  return
}}"""
    assert '"stablehlo.while"()' in shlo.format(shlo.parse(text))


ARGUMENTS = "%a: tensor<4xf32>, %i: i32, %f: f32, %n: index, %p: i1, %s: tensor<f32>"
FOR = "({{\n^b(%k: {}, %x: {}):\n  scf.yield %f : f32\n}}) : ({}, {}, index, f32) -> {}"
SLICE = (
    "<{{start_indices = array<i64: 0>, limit_indices = array<i64: {}>, strides = array<i64: {}>}}> : "
    "(tensor<4xf32>) -> tensor<4xf32>"
)
DOT = (
    "<{{dot_dimension_numbers = #stablehlo.dot<{0}_batching_dimensions = [0], "
    "{0}_contracting_dimensions = [0]>}}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>"
)
PRECISION = "<{{exponent_bits = {} : i32, mantissa_bits = {} : i32}}> : (tensor<4xf32>) -> tensor<4xf32>"
# Ops in generic form, each with the start of its pretty form; None if that cannot say it.
SAID = [
    ('"stablehlo.reduce_precision"(%a) ' + PRECISION.format(0, 0), "format = e0m0 : "),
    ('"stablehlo.reduce_precision"(%a) ' + PRECISION.format(-1, 2), None),
    ('"stablehlo.reduce_precision"(%a) ' + PRECISION.format(2, -1), None),
    ('"arith.cmpi"(%i, %i) <{predicate = 9 : i64}> : (i32, i32) -> i1', "arith.cmpi uge, "),
    ('"arith.cmpi"(%i, %i) <{predicate = 10 : i64}> : (i32, i32) -> i1', None),
    ('"arith.cmpi"(%i, %i) <{predicate = -1 : i64}> : (i32, i32) -> i1', None),
    ('"arith.cmpf"(%f, %f) <{predicate = 15 : i64}> : (f32, f32) -> i1', "arith.cmpf true, "),
    ('"arith.cmpf"(%f, %f) <{predicate = 16 : i64}> : (f32, f32) -> i1', None),
    ('"arith.truncf"(%f) <{roundingmode = 4 : i32}> : (f32) -> bf16', "to_nearest_away : f32 to bf16"),
    ('"arith.truncf"(%f) <{roundingmode = 5 : i32}> : (f32) -> bf16', None),
    ('"arith.truncf"(%f) <{roundingmode = -1 : i32}> : (f32) -> bf16', None),
    ('"check.expect_eq_const"(%a) <{value = dense<1> : tensor<4xi32>}> : (tensor<4xf32>) -> ()', None),
    ('"shape.const_shape"() <{shape = dense<1> : tensor<2xindex>}> : () -> tensor<2xindex>', " [1, 1] : "),
    ('"shape.const_shape"() <{shape = dense<1> : tensor<1x1xindex>}> : () -> tensor<1x1xindex>', None),
    ('"stablehlo.slice"(%a) ' + SLICE.format(4, 1), " [0:4] : "),
    ('"stablehlo.slice"(%a) ' + SLICE.format(4, 0), " [0:4:0] : "),
    ('"stablehlo.slice"(%a) ' + SLICE.format(4, -1), " [0:4:-1] : "),
    ('"stablehlo.slice"(%a) ' + SLICE.format("4, 4", 1), None),
    (
        '"stablehlo.dot_general"(%a, %a) ' + DOT.format("lhs"),
        "batching_dims = [0] x [], contracting_dims = [0] x []",
    ),
    (
        '"stablehlo.dot_general"(%a, %a) ' + DOT.format("rhs"),
        "batching_dims = [] x [0], contracting_dims = [] x [0]",
    ),
    ('"scf.for"(%n, %n, %n, %f) ' + FOR.format("index", "f32", "index", "index", "f32"), "scf.for %"),
    ('"scf.for"(%n, %n, %n, %f) ' + FOR.format("index", "i32", "index", "index", "f32"), None),
    ('"scf.for"(%n, %n, %n, %f) ' + FOR.format("i32", "f32", "index", "index", "f32"), None),
    ('"scf.for"(%n, %n, %n, %f) ' + FOR.format("index", "f32", "index", "index", "i32"), None),
    ('"scf.for"(%n, %i, %n, %f) ' + FOR.format("index", "f32", "index", "i32", "f32"), None),
    ('"scf.if"(%p) ({\n}, {\n  scf.yield\n}) : (i1) -> ()', None),
    ('"scf.if"(%p) ({\n  scf.yield\n}, {\n}) : (i1) -> ()', "scf.if %"),
    (
        '"scf.while"(%f) ({\n^b(%x: i32):\n  scf.condition(%p) %f : f32\n}, {\n'
        "^b(%x: f32):\n  scf.yield %x : f32\n}) : (f32) -> f32",
        None,
    ),
    (
        '"stablehlo.reduce"(%a) <{dimensions = array<i64: 0>}> ({\n^b(%x: tensor<f32>):\n'
        "  stablehlo.return %x : tensor<f32>\n}) : (tensor<4xf32>) -> tensor<f32>",
        None,
    ),
    ('"stablehlo.reduce"() <{dimensions = array<i64: 0>}> ({\n  stablehlo.return\n}) : () -> ()', None),
    ('"stablehlo.while"() ({\n  stablehlo.return\n}, {\n}) : () -> ()', None),
]


@for_each(SAID)
def test_what_the_pretty_form_of_an_op_says(op: str, pretty: str | None) -> None:
    results = "" if op.endswith("-> ()") else "%r = "
    module = shlo.parse(f"func.func @f({ARGUMENTS}) {{\n{results}{op}\nreturn\n}}")
    text = shlo.format(module)
    line = text.splitlines()[2]
    assert (f"{op.partition('(')[0]}(" in line) == (pretty is None)
    assert (pretty or "") in line
    assert shlo.format(shlo.parse(text), generic=True) == shlo.format(module, generic=True)


@for_each(
    [
        (["%r = stablehlo.add %x, %y : tensor<f32>"], "%r", True),
        (["%r = stablehlo.add %y, %x : tensor<f32>"], "%r", False),
        (["%r = stablehlo.add %x, %x : tensor<f32>"], "%r", False),
        (["%r = stablehlo.add %x, %s : tensor<f32>"], "%r", False),
        (["%r = stablehlo.subtract %x, %y : tensor<f32>"], "%r", False),
        (["%r = stablehlo.add %x, %y : tensor<f32>"], "%x", False),
        (["%q = stablehlo.add %x, %y : tensor<f32>", "%r = stablehlo.add %x, %y : tensor<f32>"], "%r", False),
        ([], "%x", False),
    ]
)
def test_reductions_that_apply_an_op(lines: list[str], result: str, is_applied: bool) -> None:
    body = "\n".join([*lines, f"stablehlo.return {result} : tensor<f32>"])
    module = shlo.parse(
        f"func.func @f({ARGUMENTS}) {{\n"
        '%0 = "stablehlo.reduce"(%a, %s) <{dimensions = array<i64: 0>}> ({\n'
        f"^b(%x: tensor<f32>, %y: tensor<f32>):\n{body}\n}}) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
        "return\n}"
    )
    text = shlo.format(module)
    assert ("applies stablehlo.add across" in text) == is_applied
    assert ("reducer(" in text) != is_applied
    assert shlo.format(shlo.parse(text), generic=True) == shlo.format(module, generic=True)


BARE = ("stablehlo.constant", "sdy.constant")  # names without quotes in generic form


@for_each([d for d in ALONE if d.form and d.name not in OUTSIDE and (d.required_properties or d.bodies)])
def test_ops_that_lack_a_part_are_printed_as_what_they_are(definition: OpDef) -> None:
    text = FUNCTIONS + program(definition, types_of(definition))

    def check(change: Callable[[shlo.Operation], None], is_generic: bool) -> None:
        module = shlo.parse(text)
        change(next(op for op in module.walk() if op.name == definition.name))
        printed = shlo.format(module)
        assert not is_generic or f'"{definition.name}"(' in printed
        assert shlo.format(shlo.parse(printed), generic=True) == shlo.format(module, generic=True)

    for name in definition.required_properties:
        check(lambda op, name=name: op.properties.pop(name), definition.name not in BARE)  # type: ignore[misc]
    if any(not (body.optional or body.variadic) for body in definition.bodies):
        check(without_the_last_region, True)
        check(without_blocks, False)


def without_the_last_region(op: shlo.Operation) -> None:
    op.regions = op.regions[:-1]


def without_blocks(op: shlo.Operation) -> None:
    for region in op.regions[-1:]:
        region.blocks.clear()


def test_elements_of_forms_that_are_none() -> None:
    """Each function has a case for every element that a form may have there."""
    definition = lookup("stablehlo.abs")
    assert definition is not None
    none = cast(Element, 3)
    with pytest.raises(TypeError, match="3"):
        _reader(none, definition)
    with pytest.raises(TypeError, match="3"):
        _element(none, definition)
    with pytest.raises(TypeError, match="has no spelling"):
        join([cast("str", 3)])


def test_a_constant_is_not_written_without_its_type() -> None:
    with pytest.raises(
        shlo.ParseError, match="expected a constant with a type, such as dense<0> : tensor<i32>"
    ):
        shlo.parse("%0 = arith.constant #x<y>")
