"""Sign analysis, op by op."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.signs import Sign, Signs

TYPE = "tensor<4xf32>"


def sign_of(body: str, arguments: str = f"%x: {TYPE}, %y: {TYPE}", more: str = "") -> Sign:
    """What is known of %r, the value that the function's return takes."""
    text = f"func.func @main({arguments}) -> {TYPE} {{\n{body}\nreturn %r : {TYPE}\n}}\n{more}"
    module = shlo.parse(text)
    returned = module.functions["main"].regions[0].block.ops[-1].operands[0]
    return Signs(LintContext(module)).of(returned)


def constant(name: str, value: str) -> str:
    return f"{name} = stablehlo.constant dense<{value}> : {TYPE}\n"


ZERO, ONE, MINUS = constant("%zero", "0.0"), constant("%one", "1.0"), constant("%minus", "-1.0")
ABS = f"%a = stablehlo.abs %x : {TYPE}\n"


def compare(direction: str) -> str:
    signature = f"({TYPE}, {TYPE}) -> tensor<4xi1>"
    return f"%p = stablehlo.compare {direction}, %x, %zero : {signature}\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (constant("%r", "[1.0, 2.0, 3.0, 4.0]"), Sign.POSITIVE),
        (constant("%r", "[1.0, 0.0, 3.0, 4.0]"), Sign.NON_NEGATIVE),
        (constant("%r", "[1.0, -2.0, 3.0, 4.0]"), Sign.NONZERO),
        (constant("%r", "[1.0, -2.0, 0.0, 4.0]"), Sign.UNKNOWN),
        (f"%r = stablehlo.tanh %x : {TYPE}", Sign.UNKNOWN),
        (f"%r = stablehlo.exponential %x : {TYPE}", Sign.POSITIVE),
        (f"%r = stablehlo.logistic %x : {TYPE}", Sign.POSITIVE),
        (f"%r = stablehlo.abs %x : {TYPE}", Sign.NON_NEGATIVE),
        (MINUS + f"%r = stablehlo.abs %minus : {TYPE}", Sign.POSITIVE),
        (ONE + f"%r = stablehlo.negate %one : {TYPE}", Sign.NONZERO),
        (ABS + ONE + f"%r = stablehlo.add %a, %one : {TYPE}", Sign.POSITIVE),
        (ABS + f"%r = stablehlo.add %a, %a : {TYPE}", Sign.NON_NEGATIVE),
        (ONE + f"%r = stablehlo.add %x, %one : {TYPE}", Sign.UNKNOWN),
        (MINUS + ONE + f"%r = stablehlo.add %minus, %one : {TYPE}", Sign.UNKNOWN),
        (ABS + ONE + f"%r = stablehlo.subtract %a, %one : {TYPE}", Sign.UNKNOWN),
        (f"%r = stablehlo.multiply %x, %x : {TYPE}", Sign.NON_NEGATIVE),
        (f"%r = stablehlo.multiply %x, %y : {TYPE}", Sign.UNKNOWN),
        (MINUS + ONE + f"%r = stablehlo.multiply %minus, %one : {TYPE}", Sign.NONZERO),
        (MINUS + f"%r = stablehlo.multiply %minus, %minus : {TYPE}", Sign.POSITIVE),
        (ABS + ONE + f"%r = stablehlo.divide %a, %one : {TYPE}", Sign.NON_NEGATIVE),
        (ONE + f"%r = stablehlo.divide %one, %x : {TYPE}", Sign.NONZERO),
        (ONE + f"%r = stablehlo.maximum %x, %one : {TYPE}", Sign.POSITIVE),
        (ZERO + f"%r = stablehlo.maximum %x, %zero : {TYPE}", Sign.NON_NEGATIVE),
        (ONE + f"%r = stablehlo.minimum %x, %one : {TYPE}", Sign.UNKNOWN),
        (ABS + ONE + f"%r = stablehlo.minimum %a, %one : {TYPE}", Sign.NON_NEGATIVE),
        (ONE + f"%r = stablehlo.clamp %one, %x, %y : {TYPE}", Sign.POSITIVE),
        (ONE + f"%r = stablehlo.sqrt %one : {TYPE}", Sign.POSITIVE),
        (f"%r = stablehlo.sqrt %x : {TYPE}", Sign.UNKNOWN),
        (constant("%two", "2.0") + f"%r = stablehlo.power %x, %two : {TYPE}", Sign.NON_NEGATIVE),
        (constant("%two", "3.0") + f"%r = stablehlo.power %x, %two : {TYPE}", Sign.UNKNOWN),
        (f"%r = chlo.square %x : {TYPE} -> {TYPE}", Sign.NON_NEGATIVE),
        (ONE + f"%r = stablehlo.reverse %one, dims = [0] : {TYPE}", Sign.POSITIVE),
    ],
)
def test_sign(body: str, expected: Sign) -> None:
    assert sign_of(body) == expected


@pytest.mark.parametrize(
    ("direction", "branches", "expected"),
    [
        ("EQ", "%one, %x", Sign.NONZERO),
        ("NE", "%x, %one", Sign.NONZERO),
        ("GT", "%x, %one", Sign.POSITIVE),
        ("LE", "%one, %x", Sign.POSITIVE),
        ("GE", "%x, %one", Sign.NON_NEGATIVE),
        ("EQ", "%x, %one", Sign.UNKNOWN),
        ("GT", "%y, %one", Sign.UNKNOWN),
    ],
)
def test_a_select_on_a_comparison_with_zero(direction: str, branches: str, expected: Sign) -> None:
    select = f"%r = stablehlo.select %p, {branches} : tensor<4xi1>, {TYPE}"
    assert sign_of(ZERO + ONE + compare(direction) + select) == expected


SUM = """%e = stablehlo.exponential %x : tensor<4xf32>
%init = stablehlo.constant dense<{initial}> : tensor<f32>
%s = stablehlo.reduce(%e init: %init) applies stablehlo.{op} across dimensions = [0]
  : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
%r = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>"""


@pytest.mark.parametrize(
    ("op", "initial", "expected"),
    [
        ("add", "0.0", Sign.POSITIVE),
        ("add", "-1.0", Sign.UNKNOWN),
        ("maximum", "0xFF800000", Sign.POSITIVE),
        ("minimum", "0x7F800000", Sign.POSITIVE),
        ("multiply", "1.0", Sign.POSITIVE),
    ],
)
def test_a_reduction_of_positive_values(op: str, initial: str, expected: Sign) -> None:
    assert sign_of(SUM.format(op=op, initial=initial)) == expected


FUNCTION = f"""func.func {{visibility}} @shift(%v: {TYPE}) -> {TYPE} {{{{
  %c = stablehlo.constant dense<1.0> : {TYPE}
  %s = stablehlo.add %v, %c : {TYPE}
  return %s : {TYPE}
}}}}"""


@pytest.mark.parametrize(("visibility", "expected"), [("private", Sign.POSITIVE), ("public", Sign.UNKNOWN)])
def test_calls(visibility: str, expected: Sign) -> None:
    body = ABS + f"%r = call @shift(%a) : ({TYPE}) -> {TYPE}"
    assert sign_of(body, more=FUNCTION.format(visibility=visibility)) == expected


def test_an_argument_is_what_every_call_gives() -> None:
    body = ABS + f"%q = call @shift(%x) : ({TYPE}) -> {TYPE}\n%r = call @shift(%a) : ({TYPE}) -> {TYPE}"
    assert sign_of(body, more=FUNCTION.format(visibility="private")) == Sign.UNKNOWN


def test_a_function_that_calls_itself_ends() -> None:
    more = f"""func.func private @f(%v: {TYPE}) -> {TYPE} {{
  %s = call @f(%v) : ({TYPE}) -> {TYPE}
  return %s : {TYPE}
}}"""
    assert sign_of(f"%r = call @f(%x) : ({TYPE}) -> {TYPE}", more=more) == Sign.UNKNOWN


def test_results_that_a_function_does_not_return() -> None:
    """Of a program that is not valid, as an editor has it."""
    more = "func.func private @f() {\n  return\n}"
    assert sign_of(f"%r = call @f() : () -> {TYPE}", more=more) == Sign.UNKNOWN


def test_a_long_chain_ends() -> None:
    lines = [f"%v{n + 1} = stablehlo.abs %v{n} : {TYPE}" for n in range(5000)]
    body = f"%v0 = stablehlo.exponential %x : {TYPE}\n" + "\n".join(lines)
    assert sign_of(f"{body}\n%r = stablehlo.abs %v5000 : {TYPE}") & Sign.NON_NEGATIVE


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("tensor<4xui8>", Sign.NON_NEGATIVE),
        ("tensor<4xi1>", Sign.NON_NEGATIVE),
        ("tensor<4xi8>", Sign.UNKNOWN),
    ],
)
def test_conversions(source: str, expected: Sign) -> None:
    body = f"%r = stablehlo.convert %x : ({source}) -> {TYPE}"
    assert sign_of(body, arguments=f"%x: {source}") == expected


def test_values_that_were_asked_for_before_do_not_count_as_depth() -> None:
    module = shlo.parse(
        f"func.func @main(%x: {TYPE}) -> {TYPE} {{\n"
        + "".join(f"%{i} = stablehlo.abs %x : {TYPE}\n" for i in range(120))
        + f"return %x : {TYPE}\n}}"
    )
    signs = Signs(LintContext(module))
    ops = module.functions["main"].regions[0].block.ops[:-1]
    assert [signs.of(op.results[0]) for op in ops] == [Sign.NON_NEGATIVE] * 120
