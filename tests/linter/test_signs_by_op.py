"""Sign analysis where types, regions, calls and depth decide."""

from __future__ import annotations

import pytest
from test_signs import ABS, MINUS, ONE, TYPE, ZERO, constant, sign_of

import stablehlo_py as shlo
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.signs import Sign, Signs, source

UNKNOWN, NON_NEGATIVE, NONZERO, POSITIVE = Sign.UNKNOWN, Sign.NON_NEGATIVE, Sign.NONZERO, Sign.POSITIVE
PREDICATE = "tensor<4xi1>"


def signs_of(body: str, arguments: str = f"%x: {TYPE}", more: str = "") -> dict[str, Sign]:
    """The sign of each result in @main, by name."""
    module = shlo.parse(f"func.func @main({arguments}) {{\n{body}\nreturn\n}}\n{more}")
    signs = Signs(LintContext(module))
    ops = module.functions["main"].regions[0].block.ops
    return {str(result): signs.of(result) for op in ops for result in op.results}


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        ("f32", "-0.0", NON_NEGATIVE),
        ("f32", "0x7FC00000", NONZERO),  # NaN is not zero
        ("bf16", "-1.0", NONZERO),
        ("bf16", "[1.0, 0.0, 1.0, 1.0]", NON_NEGATIVE),
        ("f8E4M3FN", "1.0", POSITIVE),
        ("i8", "-1", NONZERO),
        ("i4", "[0, 1, -1, 2]", UNKNOWN),
        ("ui8", "0", NON_NEGATIVE),
        ("i1", "true", POSITIVE),
        ("i1", "false", NON_NEGATIVE),
        ("complex<f32>", "(1.0, 1.0)", UNKNOWN),
    ],
)
def test_constants_of_types(type: str, value: str, expected: Sign) -> None:
    assert signs_of(f"%c = stablehlo.constant dense<{value}> : tensor<4x{type}>") == {"%c": expected}


@pytest.mark.parametrize(
    ("op", "lhs", "rhs", "expected"),
    [
        ("divide", 1, 2, NON_NEGATIVE),  # 1 / 2 = 0
        ("divide", -1, 2, UNKNOWN),
        ("divide", 1, -2, UNKNOWN),
        ("multiply", 2, 3, POSITIVE),
        ("add", 0, 1, POSITIVE),
        ("maximum", -1, 1, POSITIVE),
        ("minimum", -1, 1, NONZERO),
    ],
)
def test_integers(op: str, lhs: int, rhs: int, expected: Sign) -> None:
    kind = "tensor<4xi32>"
    values = f"%a = stablehlo.constant dense<{lhs}> : {kind}\n%b = stablehlo.constant dense<{rhs}> : {kind}\n"
    assert signs_of(f"{values}%r = stablehlo.{op} %a, %b : {kind}")["%r"] == expected


@pytest.mark.parametrize("op", ["not %x", "and %x, %x", "xor %x, %x"])
@pytest.mark.parametrize(
    ("type", "expected"), [("ui4", NON_NEGATIVE), ("i1", NON_NEGATIVE), ("i2", UNKNOWN), ("i32", UNKNOWN)]
)
def test_unsigned_results_are_not_negative(op: str, type: str, expected: Sign) -> None:
    kind = f"tensor<4x{type}>"
    assert signs_of(f"%r = stablehlo.{op} : {kind}", f"%x: {kind}")["%r"] & NON_NEGATIVE == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("f32", "f64", POSITIVE),
        ("f32", "i32", NON_NEGATIVE),
        ("f32", "ui8", NON_NEGATIVE),
        ("i32", "f32", POSITIVE),
        ("i32", "i8", POSITIVE),
    ],
)
def test_conversions_of_ones(before: str, after: str, expected: Sign) -> None:
    value = "1.0" if before == "f32" else "1"
    body = (
        f"%c = stablehlo.constant dense<{value}> : tensor<4x{before}>\n"
        f"%r = stablehlo.convert %c : (tensor<4x{before}>) -> tensor<4x{after}>"
    )
    assert signs_of(body)["%r"] == expected


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        ("%x", "2.0", NON_NEGATIVE),
        ("%x", "[2.0, 0.0, -2.0, 4.0]", NON_NEGATIVE),
        ("%x", "[2.0, 2.0, 3.0, 2.0]", UNKNOWN),
        ("%x", "2.5", UNKNOWN),
        ("%x", "1.0", UNKNOWN),
        ("%one", "3.0", POSITIVE),
        ("%minus", "3.0", NONZERO),
        ("%minus", "2.0", POSITIVE),
    ],
)
def test_powers(base: str, exponent: str, expected: Sign) -> None:
    made = ONE + MINUS + constant("%e", exponent)
    assert sign_of(f"{made}%r = stablehlo.power {base}, %e : {TYPE}") == expected


def test_an_exponent_may_be_broadcast_but_not_computed() -> None:
    two = "%e = stablehlo.constant dense<2.0> : tensor<f32>\n"
    wide = f"stablehlo.broadcast_in_dim %e, dims = [] : (tensor<f32>) -> {TYPE}\n"
    found = signs_of(
        f"{two}%w = {wide}%a = stablehlo.power %x, %w : {TYPE}\n"
        f"%s = stablehlo.negate %w : {TYPE}\n%b = stablehlo.power %x, %s : {TYPE}\n"
        f"%c = stablehlo.power %x, %x : {TYPE}"
    )
    assert (found["%a"], found["%b"], found["%c"]) == (NON_NEGATIVE, UNKNOWN, UNKNOWN)


# What is known of %x where it is selected, by the direction of its comparison with zero.
WHERE_TRUE = {"NE": NONZERO, "LT": NONZERO, "GT": POSITIVE, "GE": NON_NEGATIVE, "EQ": UNKNOWN, "LE": UNKNOWN}
WHERE_FALSE = {"EQ": NONZERO, "GE": NONZERO, "LE": POSITIVE, "LT": NON_NEGATIVE, "NE": UNKNOWN, "GT": UNKNOWN}


def selects(direction: str, compared: str, branches: str, zero: str = "0.0") -> Sign:
    body = (
        f"{constant('%zero', zero)}{ONE}%p = stablehlo.compare {direction}, {compared} "
        f": ({TYPE}, {TYPE}) -> {PREDICATE}\n"
        f"%r = stablehlo.select %p, {branches} : {PREDICATE}, {TYPE}"
    )
    return sign_of(body)


@pytest.mark.parametrize("direction", WHERE_TRUE)
def test_selects_by_every_direction(direction: str) -> None:
    assert selects(direction, "%x, %zero", "%x, %one") == WHERE_TRUE[direction]
    assert selects(direction, "%x, %zero", "%one, %x") == WHERE_FALSE[direction]
    assert selects(direction, "%x, %zero", "%y, %one") == UNKNOWN
    assert selects(direction, "%x, %zero", "%one, %zero") == NON_NEGATIVE
    assert selects(direction, "%zero, %x", "%x, %one") == UNKNOWN
    assert selects(direction, "%x, %y", "%x, %one") == UNKNOWN
    assert selects(direction, "%x, %zero", "%x, %one", zero="[0.0, 0.0, 0.0, 1.0]") == UNKNOWN


def test_a_select_without_a_comparison() -> None:
    select = f"%r = stablehlo.select %p, %one, %a : {PREDICATE}, {TYPE}"
    assert sign_of(ONE + ABS + select, f"%x: {TYPE}, %p: {PREDICATE}") == NON_NEGATIVE
    negated = f"%n = stablehlo.compare GT, %x, %zero : ({TYPE}, {TYPE}) -> {PREDICATE}\n"
    negated += (
        f"%p = stablehlo.not %n : {PREDICATE}\n%r = stablehlo.select %p, %x, %one : {PREDICATE}, {TYPE}"
    )
    assert sign_of(ZERO + ONE + negated) == UNKNOWN


def test_a_comparison_of_one_element_that_is_broadcast() -> None:
    one = "tensor<f32>"
    body = f"""%zero = stablehlo.constant dense<0.0> : {one}
%z = stablehlo.broadcast_in_dim %zero, dims = [] : ({one}) -> {TYPE}
%q = stablehlo.compare GT, %x, %z : ({TYPE}, {TYPE}) -> {PREDICATE}
%p = stablehlo.reshape %q : ({PREDICATE}) -> {PREDICATE}
%r = stablehlo.select %p, %x, %o : {PREDICATE}, {TYPE}"""
    assert sign_of(constant("%o", "2.0") + body) == POSITIVE


OPERANDS = {"%x": "", "%a": ABS, "%e": f"%e = stablehlo.exponential %x : {TYPE}\n", "%minus": MINUS}


@pytest.mark.parametrize(
    ("op", "operand", "initial", "expected"),
    [
        ("add", "%e", "0.0", POSITIVE),
        ("add", "%a", "0.0", NON_NEGATIVE),
        ("add", "%a", "1.0", POSITIVE),
        ("add", "%x", "1.0", UNKNOWN),
        ("add", "%minus", "1.0", UNKNOWN),
        ("maximum", "%x", "1.0", POSITIVE),
        ("maximum", "%x", "0.0", NON_NEGATIVE),
        ("maximum", "%x", "-1.0", UNKNOWN),
        ("maximum", "%a", "-1.0", NON_NEGATIVE),
        ("maximum", "%minus", "-1.0", UNKNOWN),
        ("minimum", "%e", "0.0", NON_NEGATIVE),
        ("minimum", "%a", "1.0", NON_NEGATIVE),
        ("minimum", "%x", "1.0", UNKNOWN),
        ("minimum", "%minus", "1.0", NONZERO),
        ("multiply", "%minus", "1.0", NONZERO),
        ("multiply", "%a", "1.0", NON_NEGATIVE),
        ("multiply", "%e", "-1.0", NONZERO),
    ],
)
def test_reductions(op: str, operand: str, initial: str, expected: Sign) -> None:
    body = f"""{OPERANDS[operand]}%init = stablehlo.constant dense<{initial}> : tensor<f32>
%s = stablehlo.reduce({operand} init: %init) applies stablehlo.{op} across dimensions = [0]
  : ({TYPE}, tensor<f32>) -> tensor<f32>"""
    assert signs_of(body)["%s"] == expected


def test_reductions_of_several_values_or_ops_are_unknown() -> None:
    several = f"""%zero = stablehlo.constant dense<0.0> : tensor<f32>
%e = stablehlo.exponential %x : {TYPE}
%s:2 = stablehlo.reduce(%e init: %zero), (%e init: %zero) across dimensions = [0]
  : ({TYPE}, {TYPE}, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {{
    stablehlo.return %a, %c : tensor<f32>, tensor<f32>
  }}
%t = stablehlo.reduce(%e init: %zero) across dimensions = [0] : ({TYPE}, tensor<f32>) -> tensor<f32>
  reducer(%a: tensor<f32>, %b: tensor<f32>) {{
    %sum = stablehlo.add %a, %b : tensor<f32>
    %neg = stablehlo.negate %sum : tensor<f32>
    stablehlo.return %neg : tensor<f32>
  }}
%u = stablehlo.reduce(%e init: %zero) across dimensions = [0] : ({TYPE}, tensor<f32>) -> tensor<f32>
  reducer(%a: tensor<f32>, %b: tensor<f32>) {{
    %difference = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %difference : tensor<f32>
  }}"""
    found = signs_of(several)
    assert found.pop("%e") == POSITIVE and found.pop("%zero") == NON_NEGATIVE
    assert len(found) == 4 and {*found.values()} == {UNKNOWN}


def test_each_result_of_a_barrier_and_of_a_call() -> None:
    body = f"""%a = stablehlo.abs %x : {TYPE}
%e = stablehlo.exponential %x : {TYPE}
%b:3 = stablehlo.optimization_barrier %a, %x, %e : {TYPE}, {TYPE}, {TYPE}
%c:2 = call @f(%x, %e) : ({TYPE}, {TYPE}) -> ({TYPE}, {TYPE})
%d = call @outside(%e) : ({TYPE}) -> {TYPE}"""
    more = f"""func.func private @f(%first: {TYPE}, %second: {TYPE}) -> ({TYPE}, {TYPE}) {{
  return %second, %first : {TYPE}, {TYPE}
}}
func.func private @outside({TYPE}) -> {TYPE}"""
    assert [*signs_of(body, more=more).values()] == [
        *(NON_NEGATIVE, POSITIVE),
        *(NON_NEGATIVE, UNKNOWN, POSITIVE),
        *(POSITIVE, UNKNOWN),
        UNKNOWN,
    ]


def test_arguments_of_regions_and_of_functions_that_are_not_called_are_unknown() -> None:
    module = shlo.parse(
        f"""func.func private @f(%x: {TYPE}) -> {TYPE} {{
  %e = stablehlo.exponential %x : {TYPE}
  %w = stablehlo.while(%i = %e) : {TYPE}
  cond {{
    %true = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %true : tensor<i1>
  }} do {{
    stablehlo.return %i : {TYPE}
  }}
  return %w : {TYPE}
}}"""
    )
    signs, (exponential, loop, _) = Signs(LintContext(module)), module.functions["f"].regions[0].block.ops
    assert signs.of(exponential.operands[0]) == UNKNOWN
    assert signs.of(loop.regions[1].block.arguments[0]) == UNKNOWN
    assert signs.of(loop.results[0]) == UNKNOWN


@pytest.mark.parametrize(("moves", "expected"), [(99, POSITIVE), (100, UNKNOWN)])
def test_a_hundred_definitions_are_looked_at(moves: int, expected: Sign) -> None:
    """The moves and the constant."""
    last = "%c"
    lines = [constant(last, "2.0")]
    for number in range(moves):
        lines.append(f"%m{number} = stablehlo.reverse {last}, dims = [0] : {TYPE}\n")
        last = f"%m{number}"
    module = shlo.parse(f"func.func @main() -> {TYPE} {{\n{''.join(lines)}return {last} : {TYPE}\n}}")
    value = module.functions["main"].regions[0].block.ops[-1].operands[0]
    assert Signs(LintContext(module)).of(value) == expected
    assert (source(value) is not None) == (expected == POSITIVE)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "%r = stablehlo.concatenate %e, %o, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>",
            POSITIVE,
        ),
        (
            "%r = stablehlo.concatenate %e, %x, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>",
            UNKNOWN,
        ),
        (
            "%r = stablehlo.pad %e, %z, low = [1], high = [1], interior = [0] "
            ": (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>",
            NON_NEGATIVE,
        ),
        ("%r = stablehlo.iota dim = 0 : tensor<4xf32>", NON_NEGATIVE),
        ("%r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2xf32>) -> tensor<i32>", NON_NEGATIVE),
        ("%r = stablehlo.popcnt %i : tensor<2xi32>", NON_NEGATIVE),
        ("%r = stablehlo.count_leading_zeros %i : tensor<2xi32>", NON_NEGATIVE),
        (
            '%r = "stablehlo.collective_permute"(%e) '
            "<{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>",
            NON_NEGATIVE,
        ),  # the first device gets zeros
        ("%r = stablehlo.slice %e [0:1] : (tensor<2xf32>) -> tensor<1xf32>", POSITIVE),
        ('%r = "other.op"(%e) : (tensor<2xf32>) -> tensor<2xf32>', UNKNOWN),
    ],
)
def test_ops_that_make_and_move_values(body: str, expected: Sign) -> None:
    text = f"""func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) {{
  %e = stablehlo.exponential %x : tensor<2xf32>
  %o = stablehlo.constant dense<1.0> : tensor<2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  {body}
  return
}}"""
    module = shlo.parse(text, allow_unregistered=True)
    op = module.functions["main"].regions[0].block.ops[3]
    assert Signs(LintContext(module)).of(op.results[0]) == expected


def test_arguments_that_a_call_does_not_give_are_unknown() -> None:
    """Of a program that is not valid, as an editor has it: one of two calls gives the second argument."""
    body = f"%e = stablehlo.exponential %x : {TYPE}\n%c = call @f(%e, %e) : ({TYPE}, {TYPE}) -> {TYPE}\n"
    more = f"func.func private @f(%a: {TYPE}, %b: {TYPE}) -> {TYPE} {{\n  return %b : {TYPE}\n}}"
    assert signs_of(body, more=more)["%c"] == POSITIVE
    body += f"%d = call @f(%e) : ({TYPE}) -> {TYPE}\n"
    assert signs_of(body, more=more)["%c"] == UNKNOWN
