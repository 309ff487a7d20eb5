"""Malformed text is an error where it is, for each part of a program that can be malformed."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

TYPE = "tensor<2x3xf32>"
SHORT = {
    "LEFT": "stablehlo.return %p : tensor<i1>",
    "CONV": "%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[i, o]->[b, f], window =",
    "END": "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (T, T) -> T",
}
# A line, with a mark (¦) where its error is, and the message.
MALFORMED = [
    (
        "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], precision = ¦[1] : (T, T) -> T",
        "expected precisions such as [DEFAULT, HIGHEST]",
    ),
    ("%0 = stablehlo.constant ¦[1]", "unexpected '[1]'"),
    ("CONV {¦bogus = [1]} END", "Unexpected keyword bogus"),
    ("CONV {pad = ¦[1]} END", "expected pairs such as [[0, 1], [2, 3]]"),
    ("CONV {pad = [¦[1]]} END", "Expected array with 2 elements, got 1 elements instead"),
    ("%0 = stablehlo.tuple %a, %i : ¦T", "expected tuple type"),
    ("%0 = tensor.extract %a¦[1] : T", "expected indices such as [%0, %1]"),
    ("%0 = tensor.from_elements %c : ¦i32", "expected a tensor type, found 'i32'"),
    (
        "%0 = stablehlo.abs %a {x = distinct[0]<1>, y = ¦distinct[0]<2>} : T",
        "distinct[0] is already defined as 1 : i64",
    ),
    (
        "%0 = stablehlo.abs %a {x = ¦array<1, 2>} : T",
        "expected array<type: value, ...>, or array<type> without values",
    ),
    (
        "%0 = stablehlo.abs %a {x = ¦array<i7: 1>} : T",
        "expected integer or float type of i1, i8, i16, i32, i64, f32, f64",
    ),
    ("%0 = stablehlo.abs %a {x = ¦array<i1: 2>} : T", "expected true or false, found '2'"),
    ("%0 = stablehlo.abs %a {x = ¦1 : T} : T", "integer literal not valid for specified type"),
    ("%0 = stablehlo.abs %a {x = ¦#stablehlo.bogus<1>} : T", "unknown attribute #stablehlo.bogus<...>"),
    ("%0 = stablehlo.abs %a {x = ¦#stablehlo.bogus} : T", "unknown attribute #stablehlo.bogus<...>"),
    ("%0 = stablehlo.abs %a {x = #stablehlo.channel_handle¦} : T", "expected '<', found '}'"),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo<precision ¦BOGUS>} : T",
        "expected one of DEFAULT, HIGH, HIGHEST, found BOGUS",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.bounds<¦a>} : T",
        "expected the fields of #stablehlo.bounds",
    ),
    (
        "%0 = stablehlo.abs %a {x = sparse<[[0]], [¦-0]> : tensor<2xi32>} : T",
        "integer constant out of range for type",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<¦[1, [2]]> : tensor<2xi32>} : T",
        "tensor literal is invalid; ranks are not consistent between elements",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<¦-0> : tensor<2xi32>} : T",
        "integer constant out of range for type",
    ),
    ("%0 = stablehlo.abs %a {x = dense<¦[1, 2> : tensor<2xi32>} : T", "unbalanced brackets in list"),
    ("%0 = stablehlo.abs %a : T loc(¦#nowhere)", "operation location alias was never defined: #nowhere"),
    ('%0 = stablehlo.abs %a : T loc("f":¦x:3)', "expected an integer, found 'x'"),
    (
        "%0 = stablehlo.abs %a : tensor<2x3x!quant.uniform<i8:f32:{0:2, 1:1}, {{¦1.0, 2.0}, {1.0}}>>",
        "expected lists of scales of equal length",
    ),
    ("%0 = stablehlo.abs %a : ¦!stablehlo.future<>", "expected the types of a future"),
    (
        "func.func @g(¦tensor<f32>) { return }",
        "expected a name such as %arg0 for each argument of the function",
    ),
    ("func.func ¦@g() {}", "expected non-empty function body"),
    ("func.func @g(%x: T, ¦%x: T) { return }", "redefinition of SSA value '%x'"),
    (
        "%0 = stablehlo.transpose %a, dims = [¦a] : (T) -> T",
        "expected '?' or ']' or an integer, found 'a'",
    ),
    (
        "%0 = stablehlo.compare ¦BOGUS, %a, %a : (T, T) -> tensor<2x3xi1>",
        "expected one of EQ, NE, GE, GT, LE, LT, found BOGUS",
    ),
    (
        "%0 = stablehlo.reduce_precision %a, format = ¦e5x3 : T",
        "expected exponent mantissa in format e#m#, saw e5x3",
    ),
    (
        "%0 = stablehlo.fft %a, type = ¦BOGUS, length = [3] : (T) -> T",
        "expected one of FFT, IFFT, RFFT, IRFFT, found BOGUS",
    ),
    (
        "%0:2 = stablehlo.while(¦%x = %a, %y = %i) : T cond { LEFT } do { LEFT }",
        "custom op 'stablehlo.while' number of operands and types do not match: got 2 operands and 1 types",
    ),
]


def body(line: str) -> str:
    for short, long in SHORT.items():
        line = line.replace(short, long)
    arguments = f"%a: {TYPE}, %i: tensor<i32>, %p: tensor<i1>, %c: i32"
    line = line.replace("(T", f"({TYPE}").replace(" T", f" {TYPE}").replace("¦T", f"¦{TYPE}")
    return f"func.func @f({arguments}) {{\n  {line}\n  return\n}}"


@pytest.mark.parametrize(("line", "message"), MALFORMED)
def test_where_the_error_is(line: str, message: str) -> None:
    marked = body(line)
    column = marked.splitlines()[1].index("¦") + 1
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(marked.replace("¦", ""), allow_unregistered=True)
    found = caught.value.diagnostics[0]
    assert (found.message, found.line, found.column) == (message, 2, column)
