"""Rules of numerics, types, constants and portability: what each says, and where it begins to apply."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.linter import fixes
from stablehlo_py.linter.catalogue import RULES
from stablehlo_py.linter.settings import Settings

T = "tensor<4xf32>"


def lint(rule: str, text: str, **settings: object) -> list[str]:
    """The message of each finding, and its notes."""
    options = {name.replace("_", "-"): value for name, value in settings.items()}
    module = shlo.parse(text, allow_unregistered=True)
    return ["\n".join([d.message, *d.notes]) for d in shlo.lint(module, select=[rule], settings=options)]


def function(body: str, arguments: str = f"%x: {T}, %y: {T}", result: str = T) -> str:
    return f"func.func @main({arguments}) -> {result} {{\n{body}\nreturn %r : {result}\n}}"


def address(attribute: str, name: str = "backend_config") -> str:
    attribute = f"{name} = {attribute}" + (
        ", api_version = 4 : i32" if attribute[0] == "{" and name == "backend_config" else ""
    )
    return function(f"%r = stablehlo.custom_call @f(%x) {{{attribute}}} : ({T}) -> {T}")


FIRST, LAST = 0x5500_0000_0000, 0x7FFF_FFFF_FFFF  # addresses of user space


@pytest.mark.parametrize(
    ("attribute", "found"),
    [
        (f"{{a = {FIRST} : i64}}", "0x550000000000"),
        (f"{{a = {FIRST - 1} : i64}}", ""),
        (f"{{a = {LAST} : i64}}", "0x7fffffffffff"),
        (f"{{a = {LAST + 1} : i64}}", ""),
        (f'{{a = 1 : i64, b = ["text", {LAST} : i64]}}', "0x7fffffffffff"),
        ('{a = {b = "0x7f0000000000"}}', "0x7f0000000000"),
        ('"0x550000000000"', "0x550000000000"),
        ('"0X5500000000AB"', "0X5500000000AB"),
        ('"0x0000550000000000"', "0x0000550000000000"),
        ('"0x00000550000000000"', ""),  # five zeros are no such number
        ('"0x7e0000000000"', "0x7e0000000000"),
        ('"0x560000000000"', "0x560000000000"),
        ('"0x570000000000"', ""),
        ('"0x54ffffffffff"', ""),
        ('"93458488360960"', "93458488360960"),
        ('"93458488360959"', ""),
        ('"140737488355327"', "140737488355327"),
        ('"140737488355328"', ""),
        ('"093458488360960"', "093458488360960"),
        ('"00000000012345"', ""),
        ('"1, 93458488360959, 93458488360960"', "93458488360960"),
        (r'"\01\00\00\00\00\00\00\00\00\00\00\00\00\55\00\00"', "0x550000000000"),
        (r'"\00\00\00\00\00\55\00"', ""),  # seven bytes
        (r'"\00\FF\FF\FF\FF\FF\54\00\00"', ""),  # a number is eight bytes, from a multiple of eight
    ],
)
def test_addresses(attribute: str, found: str) -> None:
    message = f"the backend_config of custom_call @f contains a probable memory address, {found}"
    assert lint("pointer-in-backend-config", address(attribute)) == [message] * bool(found)


def test_the_attribute_of_an_address_is_named() -> None:
    assert lint("pointer-in-backend-config", address(f"{{a = {FIRST} : i64}}", "mhlo.backend_config")) == [
        "the mhlo.backend_config of custom_call @f contains a probable memory address, 0x550000000000"
    ]


D, BOUNDED, HALF = (
    "tensor<?xf32>",
    "tensor<?xf32, #stablehlo.bounds<8>>",
    "tensor<?x?xf32, #stablehlo.bounds<8, ?>>",
)
IOTA = f"%r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> {D}"
CALLED = f"\nfunc.func private @f(%a: {D}) -> {D} {{\n return %a : {D}\n}}\n"
CALLED_STATIC = f"\nfunc.func private @f(%s: tensor<1xi32>) -> {D} {{\n{IOTA}\nreturn %r : {D}\n}}\n"


@pytest.mark.parametrize(
    ("text", "dynamic", "unbounded"),
    [
        (function(IOTA, "%s: tensor<1xi32>", D), ["%r : " + D], ["%r : " + D]),
        (function(f"{IOTA.replace('%r', '%0')}\n%r = stablehlo.tanh %0 : {D}", "%s: tensor<1xi32>", D),)
        + (["%0 : " + D],) * 2,
        (function(f"%r = func.call @f(%x) : ({D}) -> {D}", f"%x: {D}", D) + CALLED,) + (["%x : " + D],) * 2,
        (function("%r = func.call @f(%s) : (tensor<1xi32>) -> " + D, "%s: tensor<1xi32>", D) + CALLED_STATIC,)
        + (["%r : " + D],) * 2,  # in @f, not of the call
        (function(f"%r = stablehlo.tanh %x : {BOUNDED}", f"%x: {BOUNDED}", BOUNDED), ["%x : " + BOUNDED], []),
        (function(f"%r = stablehlo.tanh %x : {HALF}", f"%x: {HALF}", HALF),) + (["%x : " + HALF],) * 2,
        (function(f"%r = stablehlo.tanh %x : {T}"), [], []),
    ],
)
def test_where_dynamic_dimensions_come_from(text: str, dynamic: list[str], unbounded: list[str]) -> None:
    assert lint("dynamic-dimension", text) == [f"{each} has a dynamic dimension" for each in dynamic]
    assert lint("unbounded-dimension", text) == [f"{each} has an unbounded dimension" for each in unbounded]


SCATTER = """func.func @main(%x: tensor<4xf32>, %i: tensor<1xi64>, %u: tensor<f32>) -> tensor<4xf32> {{
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>{more}}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    {body}
  }}) : (tensor<4xf32>, tensor<1xi64>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}"""
SUM = "%s = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>"
ORDER = "the order of floating-point updates to the same element is undefined, and affects rounding"


@pytest.mark.parametrize(
    ("body", "more", "is_found"),
    [
        (SUM, "", True),
        (SUM, ", unique_indices = false", True),
        (SUM, ", unique_indices = true", False),
        ("stablehlo.return %b : tensor<f32>", "", True),
        ("stablehlo.return %b : tensor<f32>", ", unique_indices = true", False),
        ("%s = stablehlo.minimum %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>", "", False),
    ],
)
def test_scatters(body: str, more: str, is_found: bool) -> None:
    assert lint("nondeterministic-op", SCATTER.format(body=body, more=more)) == [ORDER] * is_found


@pytest.mark.parametrize(
    ("returned", "is_found"), [("%s, %t", False), ("%s, %d", True), ("%c, %t", True), ("%c, %d", True)]
)
def test_scatters_of_two_operands(returned: str, is_found: bool) -> None:
    """It is enough that one of the results is an update: the last one, whichever that is."""
    pair = "tensor<i32>, tensor<i32>"
    text = f"""func.func @main(%x: tensor<4xi32>, %i: tensor<1xi64>, %u: tensor<i32>) -> tensor<4xi32> {{
  %0:2 = "stablehlo.scatter"(%x, %x, %i, %u, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}}> ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %s = stablehlo.add %a, %c : tensor<i32>
    %t = stablehlo.maximum %b, %d : tensor<i32>
    stablehlo.return {returned} : {pair}
  }}) : (tensor<4xi32>, tensor<4xi32>, tensor<1xi64>, {pair}) -> (tensor<4xi32>, tensor<4xi32>)
  return %0#0 : tensor<4xi32>
}}"""
    assert lint("nondeterministic-op", text) == [ORDER] * is_found


@pytest.mark.parametrize(("op", "is_found"), [("add", True), ("maximum", False)])
def test_scatters_of_selected_elements(op: str, is_found: bool) -> None:
    """What matters is how elements are added up, not how one is selected."""
    text = f"""func.func @main(%x: tensor<4xf32>, %u: tensor<2xf32>, %z: tensor<f32>) -> tensor<4xf32> {{
  %0 = "stablehlo.select_and_scatter"(%x, %u, %z) <{{
    window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.{op} %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}"""
    assert lint("nondeterministic-op", text) == [ORDER] * is_found


@pytest.mark.parametrize("algorithm", ["DEFAULT", "THREE_FRY", "PHILOX"])
def test_algorithms_of_random_numbers(algorithm: str) -> None:
    body = (
        f"%o, %r = stablehlo.rng_bit_generator %s, algorithm = {algorithm} : "
        "(tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)"
    )
    text = function(body, "%s: tensor<2xui64>", "tensor<4xui32>")
    expected = ["the algorithm DEFAULT is implementation-defined"] * (algorithm == "DEFAULT")
    assert lint("nondeterministic-op", text) == expected


TWO = f"%c = stablehlo.constant dense<2.0> : {T}\n"
ABS = f"%c = stablehlo.abs %y : {T}\n"


@pytest.mark.parametrize(
    ("rule", "body", "expected"),
    [
        ("unguarded-division", f"%r = stablehlo.divide %x, %y : {T}", ["the divisor %y may be zero"]),
        ("unguarded-division", f"%r = stablehlo.remainder %x, %y : {T}", ["the divisor %y may be zero"]),
        ("unguarded-division", f"{TWO}%r = stablehlo.remainder %x, %c : {T}", []),
        ("unguarded-division", f"{TWO}%r = stablehlo.divide %c, %x : {T}", ["the divisor %x may be zero"]),
        ("unguarded-division", f"%r = stablehlo.multiply %x, %y : {T}", []),
        ("unguarded-log", f"{ABS}%r = stablehlo.log %c : {T}", ["the operand %c of log may be zero"]),
        ("unguarded-log", f"{TWO}%r = stablehlo.log %c : {T}", []),
        ("unguarded-log", f"%r = stablehlo.rsqrt %x : {T}", []),
        (
            "unguarded-rsqrt",
            f"%r = stablehlo.rsqrt %x : {T}",
            ["the operand %x of rsqrt may be zero or negative"],
        ),
        ("unguarded-rsqrt", f"{TWO}%r = stablehlo.rsqrt %c : {T}", []),
    ],
)
def test_divisors_and_logarithms(rule: str, body: str, expected: list[str]) -> None:
    assert lint(rule, function(body)) == expected


def converted(first: str, between: str, middle: str, last: str) -> str:
    body = (
        f"%0 = stablehlo.convert %x : (tensor<2x3x{first}>) -> tensor<2x3x{middle}>\n"
        f"{between}%r = stablehlo.convert %1 : (tensor<3x2x{middle}>) -> tensor<3x2x{last}>"
    )
    return function(body, f"%x: tensor<2x3x{first}>", f"tensor<3x2x{last}>")


MOVED = "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3x{0}>) -> tensor<3x2x{0}>\n"
COMPUTED = "%2 = stablehlo.negate %0 : tensor<2x3x{0}>\n" + MOVED.replace("%0", "%2")
USE = "use stablehlo.reduce_precision if the rounding is intended"


@pytest.mark.parametrize(
    ("first", "between", "middle", "last", "expected"),
    [
        (
            "f32",
            MOVED,
            "f16",
            "f64",
            "%r is converted from f32 through f16 to f64, with the precision of f16: "
            f"introduced error up to 2^-11 = 0.00049\n{USE}",
        ),
        (
            "i32",
            MOVED,
            "i8",
            "i16",
            "%r is converted from i32 through i8 to i16, with the precision of i8",
        ),
        ("f32", COMPUTED, "f16", "f64", ""),
        ("f32", MOVED, "f32", "f64", ""),
        ("f64", MOVED, "f32", "bf16", ""),
        ("i32", MOVED, "i2", "i2", ""),
    ],
)
def test_conversions_that_lose(first: str, between: str, middle: str, last: str, expected: str) -> None:
    text = converted(first, between.replace("{0}", middle), middle, last)
    assert lint("lossy-convert", text) == [expected] * bool(expected)


WINDOW = """%r = "stablehlo.reduce_window"(%x, %z) <{{window_dimensions = array<i64: {window}>}}> ({{
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.{op} %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }}) : (tensor<16x16xbf16>, tensor<bf16>) -> {result}"""
REDUCE = (
    "%r = stablehlo.reduce(%x init: %z) applies stablehlo.{op} across dimensions = [{dimensions}] "
    ": ({type}, tensor<bf16>) -> {result}"
)


@pytest.mark.parametrize(
    ("body", "type", "result", "expected"),
    [
        (
            WINDOW.format(window="8, 8", op="add", result="tensor<9x9xbf16>"),
            "tensor<16x16xbf16>",
            "tensor<9x9xbf16>",
            # 63 / 256
            "stablehlo.reduce_window adds 64 elements in bf16: introduced error up to 63 * 2^-8 = 0.25 "
            "of the sum of the magnitudes",
        ),
        (
            WINDOW.format(window="7, 9", op="add", result="tensor<10x8xbf16>"),
            "tensor<16x16xbf16>",
            "tensor<10x8xbf16>",
            "",
        ),
        (
            REDUCE.format(
                op="multiply", dimensions="0, 2", type="tensor<8x3x16xbf16>", result="tensor<3xbf16>"
            ),
            "tensor<8x3x16xbf16>",
            "tensor<3xbf16>",
            # 127 / 256
            "stablehlo.reduce multiplies 128 elements in bf16: introduced error up to 127 * 2^-8 = 0.5 "
            "of the result",
        ),
        (
            REDUCE.format(op="add", dimensions="1", type="tensor<99x2xbf16>", result="tensor<99xbf16>"),
            "tensor<99x2xbf16>",
            "tensor<99xbf16>",
            "",
        ),
        (
            REDUCE.format(op="add", dimensions="0, 1", type="tensor<?x2xbf16>", result="tensor<bf16>"),
            "tensor<?x2xbf16>",
            "tensor<bf16>",
            "stablehlo.reduce adds an unknown number of elements in bf16",
        ),
    ],
)
def test_sums_in_narrow_types(body: str, type: str, result: str, expected: str) -> None:
    text = function(body, f"%x: {type}, %z: tensor<bf16>", result)
    assert lint("narrow-reduction", text) == [expected] * bool(expected)


def wide(op: str, type: str, narrow: str = "f32", name: str = "private") -> str:
    """A program in a narrow type, and a function that computes in another one."""
    kind = f"tensor<4x{narrow}>"
    return (
        function(f"%r = stablehlo.tanh %x : {kind}", f"%x: {kind}", kind)
        + f"\nfunc.func {name} @f(%x: tensor<4x{type}>) -> tensor<4x{type}> {{\n"
        f"%r = stablehlo.{op} : tensor<4x{type}>\nreturn %r : tensor<4x{type}>\n}}"
    )


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        (
            "wide-float",
            wide("tanh %x", "f64"),
            "stablehlo.tanh computes in f64, but all arguments and results are narrower floats",
        ),
        ("wide-float", wide("tanh %x", "f64", name="public"), ""),
        (
            "wide-float",
            wide("tanh %x", "complex<f64>"),
            "stablehlo.tanh computes in f64, but all arguments and results are narrower floats",
        ),
        ("wide-float", wide("constant dense<1.0>", "f64"), ""),
        (
            "wide-integer",
            wide("negate %x", "i64"),
            "stablehlo.negate computes in 64-bit integers, but no argument or result is one",
        ),
        (
            "wide-integer",
            wide("add %x, %x", "ui64"),
            "stablehlo.add computes in 64-bit integers, but no argument or result is one",
        ),
        ("wide-integer", wide("negate %x", "i32"), ""),
        ("wide-integer", wide("negate %x", "i64", name="public"), ""),
    ],
)
def test_wide_types(rule: str, text: str, expected: str) -> None:
    assert lint(rule, text) == [expected] * bool(expected)


def test_results_of_a_function_of_several_blocks_are_those_of_the_last() -> None:
    wide = "tensor<4xf64>"
    text = f"""func.func @main(%x: {T}) -> {wide} {{
  %0 = stablehlo.convert %x : ({T}) -> {wide}
  %1 = stablehlo.tanh %0 : {wide}
  cf.br ^bb1(%x : {T})
^bb1(%y: {T}):
  return %1 : {wide}
}}"""
    assert lint("wide-float", text) == []
    narrow = text.replace(f"-> {wide} {{", f"-> {T} {{").replace(f"return %1 : {wide}", f"return %y : {T}")
    assert len(lint("wide-float", narrow)) == 1


def test_a_fixed_program_that_is_invalid_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    text = function(f"%d = stablehlo.tanh %x : {T}\n%r = stablehlo.negate %x : {T}")
    settings = Settings.of({"select": ["dead-op"]})
    assert "tanh" not in fixes.fix(text, settings).text
    broken = text.replace(f"stablehlo.negate %x : {T}", f'"stablehlo.not"(%x) : ({T}) -> {T}')
    monkeypatch.setattr(fixes, "format_module", lambda module, canonical: broken)
    with pytest.raises(
        shlo.InternalError, match=r"p: the fixed program is invalid: 3:6: error: stablehlo\.not \(I1\)"
    ):
        fixes.fix(text, settings, "p")


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ("stablehlo.tanh %x", "stablehlo.tanh %x", 1),
        ("stablehlo.tanh %x {a = 1, b = 2}", "stablehlo.tanh %x {b = 2, a = 1}", 1),
        ("stablehlo.tanh %x {a = 1}", "stablehlo.tanh %x {a = 2}", 0),
        ("stablehlo.tanh %x", "stablehlo.tanh %y", 0),
        ("stablehlo.add %x, %y", "stablehlo.add %y, %x", 0),
        ("stablehlo.tanh %x", "stablehlo.sine %x", 0),
        ("stablehlo.optimization_barrier %x", "stablehlo.optimization_barrier %x", 0),
    ],
)
def test_duplicates(first: str, second: str, count: int) -> None:
    text = function(f"%a = {first} : {T}\n%b = {second} : {T}\n%r = stablehlo.subtract %a, %b : {T}")
    assert lint("duplicate-expression", text) == ["%b duplicates %a of line 2"] * count


def test_ops_of_other_result_types_and_with_regions_are_no_duplicates() -> None:
    body = (
        "%a = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>\n"
        "%b = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>\n"
        "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    )
    reduce = (
        "= stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] "
        ": (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
    )
    text = function(f"{body}%c {reduce}%d {reduce}%r = stablehlo.tanh %x : {T}")
    assert lint("duplicate-expression", text) == []


def test_duplicates_of_duplicates() -> None:
    """Each counts as the first of its kind, also where more of the kind follow."""
    body = (
        "%a = stablehlo.tanh %x : {0}\n%b = stablehlo.tanh %x : {0}\n%c = stablehlo.sine %b : {0}\n"
        "%d = stablehlo.tanh %x : {0}\n%r = stablehlo.sine %d : {0}"
    )
    assert lint("duplicate-expression", function(body.format(T))) == [
        "%b duplicates %a of line 2",
        "%d duplicates %a of line 2",
        "%r duplicates %c of line 4",
    ]


@pytest.mark.parametrize(
    ("type", "value", "may_be_zero"),
    [
        ("f64", "1.0e-60", False),  # zero in f32
        ("bf16", "1.0e-30", False),
        ("bf16", "0.0", True),
        ("f8E4M3FN", "0.015625", False),
        ("i64", "4294967296", False),
        ("ui8", "255", False),
        ("i4", "-1", False),
        ("i4", "0", True),
    ],
)
def test_constant_divisors(type: str, value: str, may_be_zero: bool) -> None:
    kind = f"tensor<4x{type}>"
    body = f"%c = stablehlo.constant dense<{value}> : {kind}\n%r = stablehlo.divide %x, %c : {kind}"
    expected = ["the divisor %c may be zero"] * may_be_zero
    assert lint("unguarded-division", function(body, f"%x: {kind}", kind)) == expected


def test_the_settings_of_rules() -> None:
    """Those that change what a rule finds."""
    assert {rule.name: {*rule.options} for rule in RULES if rule.options} == {
        "large-constant": {"max-constant-bytes"},
        "duplicate-constant": {"min-duplicate-bytes"},
        "replicated-argument": {"max-replicated-bytes"},
        "custom-call-target": {"allowed-custom-calls", "allowed-dialects"},
        "foreign-dialect": {"allowed-dialects"},
        "narrow-reduction": {"min-reduction-elements"},
        "newer-than-target": {"target"},
    }
