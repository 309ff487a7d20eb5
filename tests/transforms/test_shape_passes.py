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
    return f"""func.func @main(%x: tensor<i1>) {{
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
