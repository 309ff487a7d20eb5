"""Pretty forms: the readers of directives."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir import attributes as A
from stablehlo_py.ir import types as T
from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.definition import all_definitions
from stablehlo_py.syntax.lalr.full_grammar import grammar_text
from stablehlo_py.syntax.lalr.lexer import program_lexer

F32 = T.TensorType((), T.F32)
VALUES = {
    "%a": "tensor<4xf32>",
    "%b": "tensor<4xf32>",
    "%s": "tensor<f32>",
    "%p": "tensor<i1>",
    "%m": "tensor<4x8xf32>",
    "%n": "tensor<8x4xf32>",
    "%i": "tensor<i64>",
    "%x": "tensor<1x5x5x2xf32>",
    "%k": "tensor<3x3x2x4xf32>",
    "%t": "!stablehlo.token",
}


def parse(line: str) -> Operation:
    """The operation of a line that uses the values above."""
    arguments = ", ".join(f"{name}: {type}" for name, type in VALUES.items())
    module = shlo.parse(f"func.func @f({arguments}) {{\n  {line}\n  return\n}}")
    return module.functions["f"].regions[0].block.ops[0]


def dims(*values: int) -> A.DenseArrayAttr:
    return A.DenseArrayAttr(T.I64, values)


def test_same_operands_and_result_type() -> None:
    short = parse("%0 = stablehlo.add %a, %b : tensor<4xf32>")
    long = parse("%0 = stablehlo.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>")
    assert short.result.type is T.TensorType((4,), T.F32)
    assert long.result.type is T.TensorType((None,), T.F32)


def test_select_and_complex_types() -> None:
    assert parse("%0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<4xf32>").result.type is T.TensorType(
        (4,), T.F32
    )
    made = parse("%0 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>")
    assert [o.type for o in made.operands] == [T.TensorType((4,), T.F32)] * 2


def test_constant() -> None:
    op = parse("%0 = stablehlo.constant {x} dense<[1, 2]> : tensor<2xi64>")
    assert op.attributes == {"x": A.UnitAttr()}
    assert op.result.type is T.TensorType((2,), T.I64)
    generic = parse("%0 = stablehlo.constant() <{value = dense<1> : tensor<2xi64>}> : () -> tensor<?xi64>")
    assert generic.result.type is T.TensorType((None,), T.I64)


def test_keyed_attributes() -> None:
    assert parse("%0 = stablehlo.iota dim = 1 : tensor<4x5xi32>").properties == {
        "iota_dimension": A.IntegerAttr(1, T.I64)
    }
    moved = parse("%0 = stablehlo.transpose %m, dims = [1, 0] {y = 1} : (tensor<4x8xf32>) -> tensor<8x4xf32>")
    assert moved.properties == {"permutation": dims(1, 0)}
    assert moved.attributes == {"y": A.IntegerAttr(1, T.I64)}
    joined = parse(
        "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>"
    )
    assert len(joined.operands) == 2
    compared = parse(
        "%0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"
    )
    assert compared.properties == {
        "comparison_direction": A.EnumAttr("stablehlo.comparison_direction", "LT"),
        "compare_type": A.EnumAttr("stablehlo.comparison_type", "FLOAT"),
    }
    rounded = parse("%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>")
    assert rounded.properties == {
        "exponent_bits": A.IntegerAttr(5, T.I32),
        "mantissa_bits": A.IntegerAttr(10, T.I32),
    }


def test_slice_ranges() -> None:
    op = parse("%0 = stablehlo.slice %m [1:3, 0:8:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>")
    assert op.properties == {"start_indices": dims(1, 0), "limit_indices": dims(3, 8), "strides": dims(1, 2)}
    scalar = parse("%0 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>")
    assert scalar.properties["strides"] == dims()


def test_dot_general() -> None:
    types = "(tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>"
    algorithm = (
        "algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
        "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
        "allow_imprecise_accumulation = false>"
    )
    plain = parse(f"%0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0] : {types}")
    numbers = plain.properties["dot_dimension_numbers"]
    assert isinstance(numbers, A.StructAttr)
    assert (numbers["lhs_contracting_dimensions"], numbers["rhs_contracting_dimensions"]) == ((1,), (0,))
    full = parse(
        "%0 = stablehlo.dot_general %m, %n, batching_dims = [] x [], contracting_dims = [1] x [0], "
        f"precision = [DEFAULT, HIGH], {algorithm} : {types}"
    )
    assert full.properties["precision_config"] == A.ArrayAttr(
        (A.EnumAttr("stablehlo.precision", "DEFAULT"), A.EnumAttr("stablehlo.precision", "HIGH"))
    )
    assert isinstance(full.properties["algorithm"], A.StructAttr)


def test_convolution() -> None:
    op = parse(
        "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        "window = {stride = [2, 1], pad = [[0, 1], [2, 2]], reverse = [false, true]} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} "
        ": (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x2x7x4xf32>"
    )
    assert op.properties["window_strides"] == dims(2, 1)
    assert op.properties["window_reversal"] == A.DenseArrayAttr(T.I1, (False, True))
    padding = op.properties["padding"]
    assert isinstance(padding, A.DenseElementsAttr)
    assert padding.value.tolist() == [[0, 1], [2, 2]]
    assert "lhs_dilation" not in op.properties
    assert op.properties["batch_group_count"] == A.IntegerAttr(1, T.I64)


def test_while_gives_its_regions_their_arguments() -> None:
    op = parse(
        "%0 = stablehlo.while(%c = %s) : tensor<f32> attributes {x = 1}\n"
        "  cond {\n    stablehlo.return %p : tensor<i1>\n  } do {\n    stablehlo.return %c : tensor<f32>\n  }"
    )
    cond, body = (region.block for region in op.regions)
    assert [a.name for a in cond.arguments] == [a.name for a in body.arguments] == ["c"]
    assert body.ops[0].operands == body.arguments
    assert op.attributes == {"x": A.IntegerAttr(1, T.I64)}


def test_reduce_that_applies_an_op() -> None:
    op = parse(
        "%0 = stablehlo.reduce(%m init: %s) applies stablehlo.maximum across dimensions = [1] "
        ": (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>"
    )
    inner, end = op.regions[0].block.ops
    assert (inner.name, end.name) == ("stablehlo.maximum", "stablehlo.return")
    assert inner.operands == op.regions[0].block.arguments
    assert inner.result.type is F32
    assert op.properties == {"dimensions": dims(1)}


def test_reduce_with_a_reducer() -> None:
    op = parse(
        "%0:2 = stablehlo.reduce(%m init: %s), (%m init: %s) across dimensions = [0] "
        ": (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)\n"
        '  reducer(%e: tensor<f32>, %u: tensor<f32>) (%g: tensor<f32>, %v: tensor<f32> loc("v")) {\n'
        "    stablehlo.return %e, %v : tensor<f32>, tensor<f32>\n  }"
    )
    assert [a.name for a in op.regions[0].block.arguments] == ["e", "g", "u", "v"]
    assert [o.name for o in op.operands] == ["m", "m", "s", "s"]


def test_custom_call_and_barrier() -> None:
    op = parse(
        '%0 = stablehlo.custom_call @"a b"(%a, %s) {x = 1} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>'
    )
    assert op.properties == {"call_target_name": A.StringAttr("a b")}
    assert (
        parse("%0:2 = stablehlo.optimization_barrier %a, %s : tensor<4xf32>, tensor<f32>").results[1].type
        is F32
    )
    assert parse("stablehlo.optimization_barrier ()").results == ()


def test_two_types_without_a_result() -> None:
    op = parse("check.expect_eq %a, %s : (tensor<4xf32>, tensor<f32>) -> ()")
    assert [str(value.type) for value in op.operands] == ["tensor<4xf32>", "tensor<f32>"]
    assert op.results == ()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("%0 = stablehlo.add %a : tensor<4xf32>", "expected ',', found ':'"),
        (
            "%0 = stablehlo.add %a, %b : (tensor<4xf32>) -> tensor<4xf32>",
            "2 operands present, but expected 1",
        ),
        ("%0 = stablehlo.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> ()", "expected single output"),
        ("check.expect_eq %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>", "expected no output"),
        ("%0 = stablehlo.select %p, %a, %b : tensor<i1>", "expected functional type or list of two types"),
        ("%0 = stablehlo.complex %a, %b : tensor<4xf32>", "expected tensor with complex element type"),
        (
            "%0 = stablehlo.compare LESS, %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
            "expected one of EQ",
        ),
        ("%0 = stablehlo.reduce_precision %a, format = m10e5 : tensor<4xf32>", "expected exponent mantissa"),
        ("%0 = stablehlo.slice %m [1, 2] : (tensor<4x8xf32>) -> tensor<2x4xf32>", "expected ranges"),
        ("%0 = stablehlo.transpose %m, dims = [?, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>", "found ?"),
        ("%0 = stablehlo.iota dim = 99999999999999999999 : tensor<4xi32>", "out of range for type"),
        ("check.expect_close %a, %b, max_ulp_difference = -3 : tensor<4xf32>, tensor<4xf32>", "unsigned"),
        ('check.expect_serialized_eq %a, probe_id = "p", iter = -2147483649 : tensor<4xf32>', "out of range"),
        (
            "%0 = stablehlo.reduce(%m init: %s) applies stablehlo.abs across dimensions = [1] "
            ": (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>",
            "commutative binary-op",
        ),
        ("%0 = stablehlo.tuple %a, %b : tuple<tensor<4xf32>>", "got 2 operands and 1 types"),
    ],
)
def test_form_that_is_wrong(line: str, words: str) -> None:
    with pytest.raises(shlo.ParseError) as caught:
        parse(line)
    assert words in caught.value.diagnostics[0].message
    assert caught.value.diagnostics[0].line == 2


def test_index_in_brackets() -> None:
    line = "%0 = stablehlo.get_tuple_element %u[{}] : (tuple<i1, i1>) -> i1"
    text = "func.func @f(%u: tuple<i1, i1>) {{\n  " + line.replace("{}", "{index}") + "\n  return\n}}"
    for index in ("1", "0x1", " 1 "):
        op = shlo.parse(text.format(index=index)).functions["f"].regions[0].block.ops[0]
        assert op.python_value("index") == 1
    for several in ("1, 0", ""):
        with pytest.raises(shlo.ParseError, match="expected one integer"):
            shlo.parse(text.format(index=several))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_last_results_of_a_scan_are_what_it_carries(count: int) -> None:
    element, outputs = "tensor<f32>", ", ".join(["tensor<3xf32>"] * count + ["tensor<f32>"])
    returned = f"{', '.join(['%x'] * count + ['%y'])} : {', '.join([element] * (count + 1))}"
    text = f"""func.func @f(%a: tensor<3xf32>, %b: {element}) {{
  {f"%r:{count + 1}" if count else "%r"} = chlo.scan(%a) inits (%b) dimension=0 {{
  ^bb0(%x: {element}, %y: {element}):
    stablehlo.return {returned}
  }} : (tensor<3xf32>, {element}) -> ({outputs})
  return
}}"""
    module = shlo.parse(text)
    assert shlo.verify(module) == []
    op = module.functions["f"].entry_block.ops[0]
    assert str(op.properties["resultSegmentSizes"]) == f"array<i32: {count}, 1>"


def test_every_form_is_in_the_grammar() -> None:
    _, terminals = grammar_text(all_definitions())
    known = program_lexer().known
    assert {d.name for d in all_definitions() if d.form} == set(terminals)
    assert all(name in known for name in terminals)


def test_ops_with_the_same_syntax_share_a_rule() -> None:
    _, terminals = grammar_text(all_definitions())
    assert terminals["stablehlo.add"] == terminals["stablehlo.multiply"] != terminals["stablehlo.abs"]


def test_attributes_are_checked_where_they_are_written() -> None:
    with pytest.raises(shlo.ParseError) as caught:
        parse(
            "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],\n"
            "  window = {stride = [1, 1]}\n"
            "  {batch_group_count = 1 : i32, feature_group_count = 1 : i64}\n"
            "  : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>"
        )
    assert caught.value.diagnostics[0].line == 4
    assert "'batch_group_count' must be a 64-bit integer" in caught.value.diagnostics[0].message


def test_slice_of_a_scalar_as_the_cpp_printer_writes_it() -> None:
    text = (
        "module {\n  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {\n"
        "    %0 = stablehlo.dynamic_slice %arg0, , sizes = [] : (tensor<f32>) -> tensor<f32>\n"
        "    return %0 : tensor<f32>\n  }\n}\n"
    )
    assert shlo.format(shlo.parse(text)) == text
