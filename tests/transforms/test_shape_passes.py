"""The passes that check shape assertions and convert dialects of shapes."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.transforms.refinement.assertions import formatted

CHECK = "stablehlo-check-shape-assertions"


def assertion(operands: str, message: str = 'error_message = "{0} is not {1}"') -> str:
    names = ", ".join(part.split(":")[0] for part in operands.split(", "))
    types = ", ".join(part.split(": ")[1] for part in operands.split(", "))
    return f"""func.func @main(%x: tensor<i1>, %i: tensor<i32>) {{
  %no = stablehlo.constant dense<false> : tensor<i1>
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %a = stablehlo.constant dense<7> : tensor<i64>
  %b = stablehlo.constant dense<-1> : tensor<i32>
  stablehlo.custom_call @shape_assertion({names}) {{{message}, has_side_effect = true}}
    : ({types}) -> ()
  return
}}
"""


def problem(text: str) -> str:
    with pytest.raises(shlo.TransformError) as raised:
        shlo.opt(shlo.parse(text), [CHECK])
    (found,) = raised.value.diagnostics
    assert found.line == 6
    return found.message


BOTH = "%a: tensor<i64>, %b: tensor<i32>"


def test_assertions_that_hold_are_erased() -> None:
    held = assertion(f"%yes: tensor<i1>, {BOTH}")
    assert "custom_call" not in str(shlo.opt(shlo.parse(held), [CHECK]))
    ignored = [f"{CHECK}=enable-shape-assertions=false"]
    for text in (assertion(f"%no: tensor<i1>, {BOTH}"), assertion("%b: tensor<i32>")):
        assert "custom_call" not in str(shlo.opt(shlo.parse(text), ignored))


@pytest.mark.parametrize(
    ("operands", "attribute", "message"),
    [
        (f"%no: tensor<i1>, {BOTH}", "", "7 is not -1"),
        (f"%x: tensor<i1>, {BOTH}", "", "expects static assert_what (operand #0)"),
        ("%a: tensor<i64>", "", "assert_what (operand #0) to be a constant of type tensor<i1>"),
        (
            "%no: tensor<i1>, %yes: tensor<i1>",
            "",
            "error_message_input (operand #1) to be a constant of type",
        ),
        ("%no: tensor<i1>, %a: tensor<i64>", "", "index less than 1. Found specifier {1}"),
        (
            "%no: tensor<i1>, %a: tensor<i64>, %i: tensor<i32>",
            "",
            "expects static error_message_input (operand #2)",
        ),
        (f"%yes: tensor<i1>, {BOTH}", 'note = "n"', "expects an error_message attribute"),
        (
            f"%yes: tensor<i1>, {BOTH}",
            'error_message = "", other = 1 : i64',
            "other is not a supported attribute",
        ),
        (f"%yes: tensor<i1>, {BOTH}", 'error_message = "", backend_config = "x"', "an empty backend_config"),
    ],
)
def test_assertions_that_fail_or_are_malformed(operands: str, attribute: str, message: str) -> None:
    attribute = attribute.replace('note = "n"', "api_version = 2 : i32")
    assert message in problem(assertion(operands, *([attribute] if attribute else [])))


def test_format_specifiers() -> None:
    """As documented in LLVM's Programmer's Manual for `formatv`."""
    assert formatted("{0} {1,4}|{0,-4}|{0,*=5}|{0,+3}", [7, -1]) == "7   -1|7   |**7**|  7"
    assert (
        formatted("{0:x} {0:X-} {0:x4} {1:n} {0:D4} {{x}", [255, 123456]) == "0xff FF 0x00ff 123,456 0255 {x}"
    )
    assert formatted("{0}", []) == "{0}"
    assert formatted("{0:q} {0:xx} {1:n2}", [7, -1]) == "7 7 -1"  # styles that integers do not have


SHAPES = """
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %a = shape.shape_of %x : tensor<?x3xf32> -> tensor<2xindex>
  %b = shape.shape_of %y : tensor<?xf32> -> tensor<1xindex>
  %s = shape.broadcast %a, %b : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
  %z = stablehlo.dynamic_broadcast_in_dim %y, %s, dims = [1]
    : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x3xf32>
  %d = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.extract %s[%c0] : tensor<2xindex>
  %n = arith.muli %e, %c3 : index
  %m = shape.num_elements %s : tensor<2xindex> -> index
  %o = arith.muli %n, %c3 : index
  %k = tensor.from_elements %m : tensor<1xindex>
  %r = stablehlo.dynamic_reshape %x, %k : (tensor<?x3xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %z, %r : tensor<?x3xf32>, tensor<?xf32>
}
"""


def test_shape_dialects_become_stablehlo_with_the_same_results() -> None:
    module = shlo.parse(SHAPES)
    passes = ["shape-legalize-to-stablehlo", "reconcile-unrealized-casts", "canonicalize"]
    lowered = shlo.opt(module, passes)
    dialects = {op.name.partition(".")[0] for op in lowered.walk()}
    assert dialects == {"builtin", "func", "stablehlo"}
    inputs = [np.arange(6, dtype=np.float32).reshape(2, 3), np.float32([7, 8, 9])]
    for a, b in zip(shlo.run(module, inputs), shlo.run(lowered, inputs), strict=True):
        assert np.array_equal(a, b)


def test_what_has_no_form_in_stablehlo_is_an_error() -> None:
    text = """func.func @main(%i: index, %x: tensor<?xf32>) -> index {
  %d = tensor.dim %x, %i : tensor<?xf32>
  return %d : index
}
"""
    with pytest.raises(shlo.TransformError, match=r"2:\d+: error: failed to legalize tensor.dim"):
        shlo.opt(shlo.parse(text), ["shape-legalize-to-stablehlo"])


def of_one_op(op: str, arguments: str, result: str) -> str:
    return f"""func.func @main({arguments}) -> {result} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = {op}
  return %r : {result}
}}
"""


CAST = "builtin.unrealized_conversion_cast"


@pytest.mark.parametrize(
    ("op", "arguments", "result", "lines"),
    [
        (
            "shape.const_shape [2, 4294967299] : tensor<2xindex>",  # 2^32 + 3
            "",
            "tensor<2xindex>",
            [
                "%c = stablehlo.constant dense<[2, 3]> : tensor<2xi32>",
                f"%0 = {CAST} %c : tensor<2xi32> to tensor<2xindex>",
            ],
        ),
        (
            "arith.index_cast %i : index to i64",
            "%i: index",
            "i64",
            [
                f"%0 = {CAST} %arg0 : index to tensor<i32>",
                "%1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>",
                f"%2 = {CAST} %1 : tensor<i64> to i64",
            ],
        ),
        (
            "arith.index_cast %i : index to i32",
            "%i: index",
            "i32",
            [f"%0 = {CAST} %arg0 : index to tensor<i32>", f"%1 = {CAST} %0 : tensor<i32> to i32"],
        ),
        (
            "arith.index_cast %i : i64 to index",
            "%i: i64",
            "index",
            [f"%0 = {CAST} %arg0 : i64 to tensor<i64>", f"%1 = {CAST} %0 : tensor<i64> to index"],
        ),
        (
            "arith.index_cast %i : tensor<2xi32> to tensor<2xindex>",
            "%i: tensor<2xi32>",
            "tensor<2xindex>",
            [f"%0 = {CAST} %arg0 : tensor<2xi32> to tensor<2xindex>"],
        ),
        (
            "arith.index_cast %i : tensor<2xindex> to tensor<2xi32>",
            "%i: tensor<2xindex>",
            "tensor<2xi32>",
            [f"%0 = {CAST} %arg0 : tensor<2xindex> to tensor<2xi32>"],
        ),
        (
            "tensor.extract %x[%c1, %c0] : tensor<2x3xi32>",
            "%x: tensor<2x3xi32>",
            "i32",
            [
                "%0 = stablehlo.slice %arg0 [1:2, 0:1] : (tensor<2x3xi32>) -> tensor<1x1xi32>",
                "%1 = stablehlo.reshape %0 : (tensor<1x1xi32>) -> tensor<i32>",
                f"%2 = {CAST} %1 : tensor<i32> to i32",
            ],
        ),
        (
            "tensor.from_elements %c2, %i : tensor<2xindex>",
            "%i: index",
            "tensor<2xindex>",
            [
                "%c = stablehlo.constant dense<2> : tensor<1xi32>",
                f"%0 = {CAST} %arg0 : index to tensor<i32>",
                "%1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>",
                "%2 = stablehlo.concatenate %c, %1, dim = 0 : "
                "(tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>",
                f"%3 = {CAST} %2 : tensor<2xi32> to tensor<2xindex>",
            ],
        ),
        (
            "tensor.from_elements %x : tensor<f32>",
            "%x: f32",
            "tensor<f32>",
            [f"%0 = {CAST} %arg0 : f32 to tensor<f32>"],
        ),
        (
            "tensor.cast %x : tensor<2xf32> to tensor<?xf32>",
            "%x: tensor<2xf32>",
            "tensor<?xf32>",
            ["%cast = tensor.cast %arg0 : tensor<2xf32> to tensor<?xf32>"],
        ),
    ],
)
def test_forms_in_stablehlo(op: str, arguments: str, result: str, lines: list[str]) -> None:
    module = shlo.opt(shlo.parse(of_one_op(op, arguments, result)), ["shape-legalize-to-stablehlo"])
    found = [line.strip() for line in str(module).splitlines()[5:-3]]
    assert found == lines


@pytest.mark.parametrize(
    ("op", "arguments", "result"),
    [
        ("shape.const_shape [2] : !shape.shape", "", "!shape.shape"),
        ("shape.num_elements %x : tensor<?xindex> -> index", "%x: tensor<?xindex>", "index"),
        ("shape.shape_of %x : tensor<*xf32> -> tensor<?xindex>", "%x: tensor<*xf32>", "tensor<?xindex>"),
        (
            "arith.index_cast %x : tensor<2xi64> to tensor<2xindex>",
            "%x: tensor<2xi64>",
            "tensor<2xindex>",
        ),
        (
            "arith.index_cast %x : tensor<2xindex> to tensor<2xi64>",
            "%x: tensor<2xindex>",
            "tensor<2xi64>",
        ),
        ("arith.muli %i, %i : i32", "%i: i32", "i32"),
        ("arith.muli %x, %x : tensor<?xindex>", "%x: tensor<?xindex>", "tensor<?xindex>"),
        ("shape.broadcast %x : tensor<2xindex> -> tensor<2xindex>", "%x: tensor<2xindex>", "tensor<2xindex>"),
        (
            "shape.broadcast %x, %x, %x : tensor<2xindex>, tensor<2xindex>, tensor<2xindex> "
            "-> tensor<2xindex>",
            "%x: tensor<2xindex>",
            "tensor<2xindex>",
        ),
        (
            "shape.broadcast %x, %y : tensor<2xindex>, tensor<?xindex> -> tensor<2xindex>",
            "%x: tensor<2xindex>, %y: tensor<?xindex>",
            "tensor<2xindex>",
        ),
        (
            "shape.broadcast %x, %x, %y : tensor<2xindex>, tensor<2xindex>, tensor<?xindex> "
            "-> tensor<2xindex>",
            "%x: tensor<2xindex>, %y: tensor<?xindex>",
            "tensor<2xindex>",
        ),
        ("tensor.dim %x, %c2 : tensor<2x?xf32>", "%x: tensor<2x?xf32>", "index"),
        ("tensor.dim %x, %c1 : tensor<*xf32>", "%x: tensor<*xf32>", "index"),
        ("tensor.extract %x[%c2] : tensor<2xi32>", "%x: tensor<2xi32>", "i32"),
        ("tensor.extract %x[%i] : tensor<2xi32>", "%x: tensor<2xi32>, %i: index", "i32"),
        ("tensor.extract %x[%c1] : tensor<?xi32>", "%x: tensor<?xi32>", "i32"),
        ("tensor.extract %x[%c1] : tensor<2xf32>", "%x: tensor<2xf32>", "f32"),
        ("tensor.extract %x[%c1] : tensor<*xi32>", "%x: tensor<*xi32>", "i32"),
        ("tensor.from_elements %x, %x : tensor<1x2xindex>", "%x: index", "tensor<1x2xindex>"),
        ("tensor.from_elements %x : tensor<1xi32>", "%x: i32", "tensor<1xi32>"),
        ('"tensor.from_elements"(%x) : (index) -> tensor<*xindex>', "%x: index", "tensor<*xindex>"),
        (
            "stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<?xindex>) -> tensor<?xf32>",
            "%x: tensor<4xf32>, %s: tensor<?xindex>",
            "tensor<?xf32>",
        ),
        ("stablehlo.abs %x : tensor<2xindex>", "%x: tensor<2xindex>", "tensor<2xindex>"),
    ],
)
def test_ops_without_a_form_in_stablehlo(op: str, arguments: str, result: str) -> None:
    name = op.partition(" ")[0].partition("(")[0].strip('"')
    with pytest.raises(shlo.TransformError, match=f":5:8: error: failed to legalize {name}$"):
        shlo.opt(shlo.parse(of_one_op(op, arguments, result)), ["shape-legalize-to-stablehlo"])
