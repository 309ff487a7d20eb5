"""Text in the VHLO dialect; expected texts are those of upstream's printer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from make_recorded_artifacts import digest, programs

import stablehlo_py as shlo
from stablehlo_py.artifacts.vhlo.mixed import with_casts
from stablehlo_py.artifacts.vhlo.parse_text import parse_text
from stablehlo_py.ir.attributes import OpaqueAttr

ADD = (
    """func.func public @main(%a: tensor<2x?xf32>, %i: tensor<i1>) -> tensor<2x?xf32> {
  %0 = stablehlo.add %a, %a {d = {k = 1 : i8}, w = true, f = 1.5 : f32} : tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}""",
    """module {
  vhlo.func_v1 @main(%arg0: !vhlo.tensor_v1<2x?x!vhlo.f32_v1>, %arg1: !vhlo.tensor_v1<!vhlo.bool_v1>) -> \
(!vhlo.tensor_v1<2x?x!vhlo.f32_v1>) {
    %0 = "vhlo.add_v1"(%arg0, %arg0) {d = #vhlo.dict_v1<{#vhlo.string_v1<"k"> = #vhlo.integer_v1<1 : i8>}>, \
f = #vhlo.float_v1<1.500000e+00 : !vhlo.f32_v1>, w = #vhlo.bool_v1<true>} : \
(!vhlo.tensor_v1<2x?x!vhlo.f32_v1>, !vhlo.tensor_v1<2x?x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x?x!vhlo.f32_v1>
    "vhlo.return_v1"(%0) : (!vhlo.tensor_v1<2x?x!vhlo.f32_v1>) -> ()
  } {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, \
sym_visibility = #vhlo.string_v1<"public">}
}
""",
)
LINES = [
    (
        "%0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>",
        '%0 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<[1, 2]> : tensor<2xi64>>}> : () -> '
        "!vhlo.tensor_v1<2x!vhlo.i64_v1>",
    ),
    (
        "%0 = stablehlo.exponential %a : tensor<2xf32>",
        '%0 = "vhlo.exponential_v2"(%arg0) <{result_accuracy = #vhlo.result_accuracy_v1<atol = 0.000000e+00, '
        "rtol = 0.000000e+00, ulps = 0, mode = #vhlo<result_accuracy_mode_v1 DEFAULT>>}> : "
        "(!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x!vhlo.f32_v1>",
    ),
    (
        "%0 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
        '%0 = "vhlo.compare_v1"(%arg0, %arg0) <{compare_type = #vhlo<comparison_type_v1 FLOAT>, '
        "comparison_direction = #vhlo<comparison_direction_v1 LT>}> : (!vhlo.tensor_v1<2x!vhlo.f32_v1>, "
        "!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> !vhlo.tensor_v1<2x!vhlo.bool_v1>",
    ),
]


CONFIGS = [("", '#vhlo.string_v1<"">'), ("{api_version = 4 : i32}", "#vhlo.dict_v1<{}>")]


@pytest.mark.parametrize(("attributes", "config"), CONFIGS)
def test_a_call_without_a_configuration(attributes: str, config: str) -> None:
    """That of a typed call is a dictionary."""
    text = _text(f"func.func @main() {{\nstablehlo.custom_call @f() {attributes} : () -> ()\nreturn\n}}")
    assert f"backend_config = {config}, " in text


def _text(source: str, target: str | None = None) -> str:
    return shlo.serialize(shlo.parse(source), "vhlo", target).decode()


def test_function() -> None:
    source, expected = ADD
    assert _text(source) == expected


@pytest.mark.parametrize(("op", "expected"), LINES)
def test_op(op: str, expected: str) -> None:
    text = _text(f"func.func @main(%a: tensor<2xf32>) {{\n{op}\nreturn\n}}")
    assert text.splitlines()[2].strip() == expected


def test_older_form() -> None:
    source = "func.func @main(%a: tensor<2xf32>) {\n%0 = stablehlo.exponential %a : tensor<2xf32>\nreturn\n}"
    assert '"vhlo.exponential_v1"(%arg0) : (' in _text(source, "1.8.0")


def test_everything_that_does_not_fit_is_reported() -> None:
    source = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.tan %a : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.tan %0 : tensor<4xf32>
  %2 = chlo.sinh %1 : tensor<4xf32> -> tensor<4xf32>
  %3 = stablehlo.add %2, %2 {x.v = 3 : i128} : tensor<4xf32>
  return %2 : tensor<4xf32>
}"""
    with pytest.raises(shlo.SerializationError) as raised:
        shlo.serialize(shlo.parse(source), target="1.0.0", lower_chlo=False)
    found = [(d.line, d.message.partition(" of ")[0].split()[-1]) for d in raised.value.diagnostics]
    assert [line for line, _ in found] == [2, 3, 4, 5]
    assert found[-1] == (5, "x.v")


def test_reading() -> None:
    source, text = ADD
    assert shlo.format(shlo.parse(text)) == shlo.format(shlo.parse(source))


@pytest.mark.parametrize(("op", "expected"), LINES)
def test_reading_of_ops(op: str, expected: str) -> None:
    source = f"func.func @main(%a: tensor<2xf32>) {{\n{op}\nreturn\n}}"
    assert shlo.format(shlo.parse(_text(source))) == shlo.format(shlo.parse(source))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('%0 = "vhlo.nothing_v1"() : () -> !vhlo.token_v1', "no op vhlo.nothing_v1"),
        ('%0 = "vhlo.constant_v1"() : () -> !vhlo.token_v1', "no attribute value"),
        ('%0 = "vhlo.after_all_v1"() : () -> !vhlo.coin_v1', "unknown VHLO type coin_v1"),
        (
            '%0 = "vhlo.after_all_v1"() : () -> !vhlo.tensor_v1<2y!vhlo.f32_v1>',
            "expected an attribute or type",
        ),
        ('"vhlo.return_v1"() {a = #vhlo.integer_v1<x : i8>} : () -> ()', "expected"),
    ],
)
def test_wrong_text(line: str, message: str) -> None:
    text = f"module {{\nvhlo.func_v1 @main() -> () {{\n{line}\n}} {{}}\n}}"
    with pytest.raises(shlo.ParseError, match=message) as raised:
        shlo.parse(text)
    found = raised.value.diagnostics
    assert 3 in [d.line for d in found]
    assert {(d.severity, d.code) for d in found} == {("error", "parse")}


def test_some_fields_of_an_algorithm() -> None:
    algorithm = (
        "<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
        "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
        "allow_imprecise_accumulation = false>"
    )
    op = f"%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = {algorithm}"
    type = "tensor<2x2xf32>"
    text = _text(f"func.func @main(%a: {type}) {{\n{op} : ({type}, {type}) -> {type}\nreturn\n}}")
    some = text.replace(
        "lhs_precision_type = #vhlo.type_v1<!vhlo.tf31_v1>",
        "lhs_precision_type = #vhlo.type_v1<!vhlo.none_v1>",
    )
    assert some != text
    with pytest.raises(shlo.ParseError, match="expected a type for lhs_precision_type"):
        shlo.parse(some)


def test_value_of_another_enumeration() -> None:
    text = _text("func.func @main(%a: tensor<2xf32>) {\n%0 = stablehlo.sine %a : tensor<2xf32>\nreturn\n}")
    other = text.replace("#vhlo<result_accuracy_mode_v1 DEFAULT>", "#vhlo<comparison_type_v1 NOTYPE>")
    assert other != text
    with pytest.raises(shlo.ParseError, match=r"expected a reference to #stablehlo\.result_accuracy_mode"):
        shlo.parse(other)


def test_declaration() -> None:
    source = "func.func private @f(tensor<2xf32>) -> tensor<2xf32>\nfunc.func private @g() -> tensor<i1>"
    text = _text(source)
    assert 'sym_name = #vhlo.string_v1<"f">' in text
    assert "vhlo.func_v1 @g() -> (!vhlo.tensor_v1<!vhlo.bool_v1>)" in text
    assert shlo.format(shlo.parse(text)) == shlo.format(shlo.parse(source))


def test_locations() -> None:
    source = ADD[0].replace("tensor<2x?xf32>\n  return", 'tensor<2x?xf32> loc("x"("f.py":1:2))\n  return')
    module = shlo.parse(source, "a.mlir")
    text = shlo.serialize(module, "vhlo", locations=True).decode()
    assert 'loc("f.py":1:2)' in text
    assert shlo.serialize(shlo.parse(text)) == shlo.serialize(module)


def test_generic_form() -> None:
    text = shlo.serialize(shlo.parse(ADD[0]), "vhlo", generic=True).decode()
    assert '"vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[]>, function_type = #vhlo.type_v1<' in text
    assert shlo.format(shlo.parse(text)) == shlo.format(shlo.parse(ADD[0]))


def test_ops_of_unknown_dialects() -> None:
    text = ADD[1].replace('    "vhlo.return_v1"', '    "x.y"() : () -> ()\n    "vhlo.return_v1"')
    with pytest.raises(shlo.ParseError, match=r"unregistered operation 'x\.y'"):
        shlo.parse(text)
    assert '"x.y"()' in shlo.format(shlo.parse(text, allow_unregistered=True))


def test_nested_types_are_read_in_linear_time() -> None:
    type = "!vhlo.tensor_v1<" * 60 + "!vhlo.f32_v1" + ", 3>" * 60
    with pytest.raises(shlo.ParseError):
        shlo.parse(f'"vhlo.after_all_v1"() : () -> {type}')


def test_forms_of_all_ops() -> None:
    """Text of jaxlib's, of ops with and without what is optional; and it is read as the program."""
    texts = Path(__file__).with_name("forms.vhlo.mlir").read_text().split("// -----\n")
    sources, recorded = dict(programs()), json.loads(Path(__file__).with_name("recorded.json").read_text())
    assert len(texts) > 40
    for each in texts:
        name, _, expected = each.removeprefix("// ").partition("\n")
        if "private @callee(tensor<2xf32>)" in sources[name]:
            continue  # a declaration, of whose arguments upstream's text has no types
        assert _text(sources[name], "1.17.0") == expected, name
        assert digest(shlo.format(shlo.parse(expected))) == recorded[name]["1.17.0"][1], name


@pytest.mark.parametrize(
    "header",
    [
        "@main(",
        "@main() {",
        "@main() ->",
        "@main() -> (",
        "@main() -> ()",
        "@main() -> () x {",
        "main() -> () {",
    ],
)
def test_wrong_headers_of_functions(header: str) -> None:
    text = f'module {{\n  vhlo.func_v1 {header}\n    "vhlo.return_v1"() : () -> ()\n  }} {{}}\n}}\n'
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(text)
    assert all(d.severity == "error" and d.line >= 2 for d in raised.value.diagnostics)


RETURN = '"vhlo.return_v1"() : () -> ()'
MODERN = "module {{\n  func.func {name}() {{\n    return\n  }}\n}}\n"
BOTH = "arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>"
ATTRIBUTES, PRIVATE, PUBLIC = (
    f'{{{BOTH}, sym_visibility = #vhlo.string_v1<"{word}">}}' for word in ("", "private", "public")
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"vhlo.func_v1 @f() -> () {{ {RETURN} }} {ATTRIBUTES}", "@f"),
        (f"vhlo.func_v1 @f ( ) -> ( ) {{\n{RETURN}\n}}\n\n {ATTRIBUTES}", "@f"),
        (f'vhlo.func_v1 @"a }} b"() -> () {{ {RETURN} }} {ATTRIBUTES}', '@"a } b"'),
        (f"vhlo.func_v1 @f() -> () {{ // vhlo.func_v1 @g( }} {{\n {RETURN} }} {ATTRIBUTES}", "@f"),
        (f"vhlo.func_v1 @f() -> () {{ {RETURN} }} {PRIVATE}", "private @f"),
        (f"vhlo.func_v1 @f() -> () {{ {RETURN} }} {PUBLIC}", "public @f"),
    ],
)
def test_headers_of_functions(text: str, name: str) -> None:
    """Brackets in strings and comments do not count; attributes follow the body."""
    assert shlo.format(shlo.parse(f"module {{\n{text}\n}}\n")) == MODERN.format(name=name)


@pytest.mark.parametrize("words", ["}", "{", "})", "({", "// }", "-> (", r"a \\22}\\22 b"])
def test_brackets_in_strings(words: str) -> None:
    """Of an argument, of a function and in its body, before another function."""
    text = f"""module {{
  func.func @main(%arg0: tensor<f32> {{x.a = "{words}"}}) -> tensor<f32> attributes {{x.b = "{words}"}} {{
    %0 = stablehlo.abs %arg0 {{x.c = "{words}"}} : tensor<f32>
    return %0 : tensor<f32>
  }}
  func.func @other() {{
    return
  }}
}}
"""
    module = shlo.parse(text)
    for generic in (True, False):
        read = shlo.parse(shlo.serialize(module, "vhlo", generic=generic))
        assert shlo.format(read) == shlo.format(module)


def test_passes_with_ops_of_other_dialects() -> None:
    """Casts between both kinds of types go with the conversion, and are removed by the one back."""
    text = """module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.abs %arg0 : tensor<2xf32>
    %1 = chlo.square %0 : tensor<2xf32> -> tensor<2xf32>
    %2 = stablehlo.negate %1 : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
"""
    mixed = shlo.opt(shlo.parse(text), "stablehlo-legalize-to-vhlo=allow-other-dialects", verify_each=False)
    assert "vhlo.abs_v1" in [op.name for op in mixed.walk()]
    casts = [op for op in mixed.walk() if op.name == "builtin.unrealized_conversion_cast"]
    assert [str(op.result.type) for op in casts] == ["tensor<2xf32>", "!vhlo.tensor_v1<2x!vhlo.f32_v1>"]
    back = shlo.opt(mixed, "vhlo-legalize-to-stablehlo", verify_each=False)
    assert shlo.format(back) == text


def test_places_of_casts() -> None:
    """Of a value of VHLO, a cast is where the value is; of another one, where it is first used."""
    module = shlo.parse("""func.func @main(%x: tensor<2xf32>) {
      %0 = stablehlo.abs %x : tensor<2xf32>
      %1 = chlo.square %0 : tensor<2xf32> -> tensor<2xf32>
      %2 = chlo.square %0 : tensor<2xf32> -> tensor<2xf32>
      %3 = stablehlo.negate %1 : tensor<2xf32>
      %4 = stablehlo.add %1, %x : tensor<2xf32>
      return
    }""")
    made, casts = with_casts(module)
    assert [(made.position(op)[0], to_vhlo) for op, to_vhlo in casts.items()] == [(2, False), (5, True)]
    assert [[use.op.name for use in op.result.uses] for op in casts] == [
        ["chlo.square"] * 2,
        ["stablehlo.negate", "stablehlo.add"],
    ]


REFUSALS = (
    (
        "#vhlo.string_v1<3 : i8>",
        "expected the value of string_v1, found 3 : i8",
    ),
    ("#vhlo<comparison_type_v1 X>", "unknown value X of comparison_type_v1"),
)


@pytest.mark.parametrize(
    ("value", "message"),
    [*REFUSALS, (None, "vhlo.exponential_v2 has no attribute result_accuracy, and is not valid without it")],
)
def test_a_wrong_attribute_of_an_operation(value: str | None, message: str) -> None:
    there = shlo.opt(
        shlo.parse(
            "func.func @main(%a: tensor<2xf32>) {\n  %0 = stablehlo.exponential %a : tensor<2xf32>\nreturn\n}"
        ),
        "stablehlo-legalize-to-vhlo",
    )
    (op,) = [op for op in there.walk() if op.name == "vhlo.exponential_v2"]
    del op.attributes["result_accuracy"]
    if value is not None:
        op.attributes["result_accuracy"] = OpaqueAttr(value)
    with pytest.raises(shlo.TransformError) as raised:
        shlo.opt(there, "vhlo-legalize-to-stablehlo", verify_each=False)
    (found,) = raised.value.diagnostics
    assert (found.line, found.column, found.message) == (2, 8, message)


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ('"x.y"() {a = @main} : () -> ()', "x.y refers to symbols, which VHLO does not have"),
        (
            '"x.y"() ({\n  stablehlo.create_token : !stablehlo.token\n  "x.z"() : () -> ()\n}) : () -> ()',
            "x.y has a region with ops of StableHLO, whose types would not be those of its definition",
        ),
        ('"x.y"() ({\n  "x.z"() : () -> ()\n}) : () -> ()', ""),
    ],
)
def test_ops_of_other_dialects_that_cannot_stay(op: str, message: str) -> None:
    module = shlo.parse(f"func.func @main() {{\n{op}\n  return\n}}", allow_unregistered=True)
    passes = "stablehlo-legalize-to-vhlo=allow-other-dialects"
    if not message:
        assert [op.name for op in shlo.opt(module, passes, verify_each=False).walk()][2:4] == ["x.y", "x.z"]
        return
    with pytest.raises(shlo.TransformError) as raised:
        shlo.opt(module, passes, verify_each=False)
    assert [(d.line, d.message) for d in raised.value.diagnostics] == [(2, message)]


def nested(depth: int) -> str:
    return "!vhlo.tuple_v1<" * depth + "!vhlo.f32_v1" + ">" * depth


MODE = "#vhlo<result_accuracy_mode_v1 DEFAULT>"
ACCURACY = f"#vhlo.result_accuracy_v1<atol = 0.0, rtol = 0.0, ulps = {{}}, mode = {MODE}>"
AXIS = '#vhlo.axis_ref_v1<name = #vhlo.string_v1<"x">{}>'


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (nested(63), "tuple<" * 63 + "f32" + ">" * 63),
        (AXIS.format(""), '#stablehlo.axis_ref<name = "x">'),
        (
            AXIS.format(", sub_axis_info = #vhlo.sub_axis_info_v1<pre_size = 1, size = 2>"),
            '#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>',
        ),
        ('#vhlo.string_v1<"a<">', '"a<"'),
        (
            "!vhlo.quant_v1<!vhlo.i8_v1:!vhlo.f32_v1, 0.5:0, -128:127, 1>",
            "!quant.uniform<i8:f32, 5.000000e-01>",
        ),
    ],
)
def test_attributes_and_types(text: str, printed: str) -> None:
    assert str(parse_text(text)) == printed


@pytest.mark.parametrize("number", [(1 << 63) - 1, -1 << 63])
def test_the_largest_integers(number: int) -> None:
    assert dict(parse_text(ACCURACY.format(number)).fields)["ulps"] == number
    further = number + (1 if number > 0 else -1)
    with pytest.raises(ValueError, match=f"^expected an integer of 64 bits, found {further}$"):
        parse_text(ACCURACY.format(further))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *REFUSALS,
        ("!vhlo.f32_v1 x", "unexpected text after !vhlo.f32_v1"),
        (nested(64), "more than 64 attributes or types within one another"),
        ("#vhlo.comparison_type_v1<FLOAT>", "expected #vhlo<comparison_type_v1 ...>"),
        ("#vhlo<integer_v1 X>", "unknown value X of integer_v1"),
        ("#vhlo<nothing X>", "unknown VHLO attribute nothing"),
        ('#vhlo.string_v1<"a"', "expected >"),
        ("#vhlo.tensor_v1<dense<1> : tensor<i8>", "expected >"),
        (ACCURACY.format("1.5"), "expected an integer of 64 bits, found 1.5"),
        (
            "!vhlo.quant_v1<!vhlo.i8_v1:!vhlo.f32_v1, 0.5:0, -128:128, 1>",
            "!quant.uniform<i8<-128:128>:f32, 5.000000e-01> (C3): -128 <= storage_min < storage_max <= 127, "
            "but storage_min is -128 and storage_max 128",
        ),
    ],
)
def test_wrong_attributes_and_types(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_text(text)
