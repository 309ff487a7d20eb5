"""Comments and blanks between any two tokens, in types, attributes and locations as well."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo
from stablehlo_py.syntax.lalr.comments import blank_comments

# Words that MLIR does not divide, and the x between dimension sizes.
TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|%\w+(?:#\d+)?|[#!@^][\w$.]+|->|::|[<>=]=|-?\d+\.\d*(?:e-?\d+)?|-?\d+(?=x)|'
    r"(?<=[\d?*])x(?=[\d?*a-z!\[])|-?0x[0-9A-F]+\b|-?\d+|[A-Za-z_][\w$.]*|\S"
)
# Text between brackets, and what comes before the tokens where nothing may stand.
ATTRIBUTES = [
    "a = array<i64: 1, -2>, b = array<i1: true>, c = array<f32>, d = [1, [], {}]",
    "a = affine_map<(d0, d1)[s0] -> (d0 - 1, d1 * 2 + s0)>, b = affine_set<(d0) : (d0 - 1 >= 0)>",
    'a = distinct[0]<1>, b = @f::@g, c = "s // no" : i32, d = vector<2x[4]xf32>, e = (i1) -> ()',
    "a = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, b = dense<> : tensor<0xi1>, c = dense<1> : memref<2xi8>",
    "a = dense<[(1.0, -2.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>, b = tensor<*xf32>, c = 1 : i8",
    'a = dense<["x", "// y"]> : tensor<2x!foo.s>, b = dense_resource<k> : tensor<2xi1>',
    "a = sparse<[[0, 1]], [2]> : tensor<3x4xi32>, b = strided<[1, ?], offset: 3>",
    "a = !quant.uniform<u8<0:9>:f32:1, {1.0:2, 3.0}>, b = memref<2x?xf32, 1>, c = complex<f32>",
    "a = !quant.uniform<i8:f32:{0:1, 1:2}, {{1.0:2}, {2.0}}>, b = tuple<i1, tuple<>>",
    "a = !stablehlo.future<tensor<2xf32>>, b = !stablehlo.token",
    "a = tensor<2x?xf32, #stablehlo.bounds<?, 4>>, b = #stablehlo.channel_handle<handle = 1, type = 2>",
    "a = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, b = #stablehlo<precision HIGH>",
    "a = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>",
    'a = #sdy.sharding<@m, [{"x":(1)2, ?}p1, {}], replicated={"y"}>, b = #sdy.mesh<["x"=2]>',
    'a = loc(fused<"p">["a.py":1:2, callsite("f"("g") at unknown)]), b = loc("a.py":1:2 to 3:4)',
]


def spaced(text: str, between: str) -> str:
    """The text with something between any two tokens, numbered."""
    tokens = TOKEN.findall(text)
    before = ["#", *tokens]
    glued = [token == "<" and prior[0] in "#!" for prior, token in zip(before, tokens, strict=False)]
    gaps = ["" if glue else between.format(number) for number, glue in enumerate(glued)]
    gaps[0] = ""
    return "".join(gap + token for gap, token in zip(gaps, tokens, strict=True))


def program(attributes: str) -> str:
    return f'"x.y"() {{{attributes}}} : () -> ()\n'


@pytest.mark.parametrize("attributes", ATTRIBUTES)
def test_blanks_and_comments_inside_brackets_mean_nothing(attributes: str) -> None:
    plain = shlo.format(shlo.parse(program(attributes), allow_unregistered=True))
    for between in (" ", "\n", "\t\r\n ", ' // {} > ) ] " \n', "//{}\n"):
        text = spaced(program(attributes), between)
        module = shlo.parse(text, allow_unregistered=True)
        assert shlo.format(module) == plain
        assert len(module.comments) == text.count("//") - attributes.count("//")
        assert all(text[at : at + len(comment)] == comment for at, comment in module.comments)


@pytest.mark.parametrize("attributes", ATTRIBUTES)
def test_comments_inside_brackets_are_printed(attributes: str) -> None:
    module = shlo.parse(spaced(program(attributes), " // {}\n"), allow_unregistered=True)
    text = shlo.format(module, canonical=False)
    again = shlo.parse(text, allow_unregistered=True)
    assert [comment for _, comment in again.comments] == [comment for _, comment in module.comments]
    assert shlo.format(again, canonical=False) == text


def test_comments_of_signatures_and_aliases_are_printed() -> None:
    text = """\
!t = tensor<2x // in an alias
  f32>
func.func @f(%x: tensor< // rows
  2 // of floats
  xf32>) -> !t {
  return %x : tensor<2xf32 // in an op
  >
}
"""
    module = shlo.parse(text)
    assert (
        shlo.format(module, canonical=False)
        == """\
// in an alias
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  // rows
  // of floats
  return %x : tensor<2xf32> // in an op
}
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        '"http://x" : i1',
        "#foo.bar<http://x>",
        "#foo.bar<a // b\n>",
        "#foo.bar<() -> i1 // b\n>",
        '!foo.bar<[">"], // b\n c>',
        '!foo<bar<"//">>',
        '{-# dialect_resources: {builtin: {k: "0x08000000"}} // c\n #-}',
    ],
)
def test_strings_resources_and_unknown_dialects_keep_their_text(text: str) -> None:
    assert blank_comments(text) == (text, [])
    after = f"{text} // >"
    assert blank_comments(after) == (f"{text}     ", [(len(text) + 1, "// >")])


def test_heads_of_unknown_dialects_in_comments_and_strings_open_nothing() -> None:
    text = '// #foo.bar<\n"#foo.bar<" // a\n #stablehlo.dot<// b\n> #sdy.mesh<// c\n> #foo.bar<// d\n> // e\n'
    assert [comment for _, comment in blank_comments(text)[1]] == [
        "// #foo.bar<",
        "// a",
        "// b",
        "// c",
        "// e",
    ]
    unclosed = "#foo.bar<( // a\n> // b"
    assert [comment for _, comment in blank_comments(unclosed)[1]] == ["// a", "// b"]


def test_a_comment_before_a_label_and_at_an_implied_terminator() -> None:
    text = """\
func.func @f(%w: !shape.witness) {
  shape.assuming %w {
    // nothing
  }
  "other.br"()[^bb1] : () -> () // of the branch
// before the label
^bb1:
  return
}
"""
    inside = text.replace("() -> () // of the branch\n//", "( // of the branch\n //").replace(
        "label\n", "label\n) -> ()\n"
    )
    for written in (text, inside):
        assert shlo.format(shlo.parse(written, allow_unregistered=True), canonical=False) == text


# Regions without an op that has a text, on both sides of those that have one.
EMPTY_REGIONS = [
    """\
func.func @f(%c: i1) {
  scf.if %c { // with
    // one
  } else {
    // two
    "a.b"() : () -> ()
    // three
  }
  return
}
""",
    """\
func.func @f(%c: i1) {
  scf.if %c {
    "a.b"() : () -> ()
    // one
  } else { // with
    // two
  } // behind
  // after
  return
}
""",
    """\
func.func @f(%c: i1) {
  scf.if %c {
  } else { // with
    // two
  }
  return
}
""",
    """\
"x.y"() <{a = 1 : i32}> ({
  // one
}, {
}, {
  // three
}) : () -> ()
// after
""",
    """\
module {
  // one
}
// two
""",
    """\
func.func @f(%n: index) {
  scf.for %i = %n to %n step %n {
    // one
  }
  // two
  return
}
""",
]


@pytest.mark.parametrize("text", EMPTY_REGIONS, ids=range(len(EMPTY_REGIONS)))
def test_comments_stay_in_their_region(text: str) -> None:
    module = shlo.parse(text, allow_unregistered=True)
    assert shlo.format(module, canonical=False) == text


RAW = """\
func.func @main(%x: tensor<1x4x4x2xf32>, %k: tensor<1x1x2x2xf32>) -> tensor<1x4x4x2xf32> {{
  %0 = "stablehlo.convolution"(%x, %k) {{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw
    input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2],
    kernel_input_feature_dimension = {}, kernel_output_feature_dimension = 3,
    kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3,
    output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64}}
    : (tensor<1x4x4x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x4x4x2xf32>
  return %0 : tensor<1x4x4x2xf32>
}}
"""


@pytest.mark.parametrize(("dimension", "is_pretty"), [(2, True), (4, False), (3, False)])
@pytest.mark.parametrize("canonical", [True, False])
def test_raw_dimension_numbers_of_an_invalid_convolution(
    dimension: int, is_pretty: bool, canonical: bool
) -> None:
    module = shlo.parse(RAW.format(dimension))
    text = shlo.format(module, canonical=canonical)
    assert ("dim_numbers = [b, 0, 1, f]" in text) == is_pretty
    assert shlo.format(shlo.parse(text), generic=True) == shlo.format(module, generic=True)
