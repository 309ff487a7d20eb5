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
    *(
        (
            f"%0 = stablehlo.reduce_precision %a, format = ¦{format} : T",
            f"expected exponent mantissa in format e#m#, saw {format}",
        )
        for format in ("e2147483648m1", "e1m2147483648", "e1", "e1m")
    ),
    ("CONV {¦bogus = [1]} END", "Unexpected keyword bogus"),
    ("CONV {pad = ¦[1]} END", "expected pairs such as [[0, 1], [2, 3]]"),
    ("CONV {pad = [¦[1]]} END", "Expected array with 2 elements, got 1 elements instead"),
    ("%0 = stablehlo.tuple %a, %i : ¦T", "expected tuple type"),
    ("%0 = tensor.extract %a¦[1] : T", "expected indices such as [%0, %1]"),
    ("%0 = tensor.from_elements %c : ¦i32", "expected a tensor type, found 'i32'"),
    (
        "%0 = tensor.from_elements %c : ¦tensor<0xi32>",
        "expected 0 elements for 'tensor<0xi32>', found 1",
    ),
    ("CONV {pad = [[1, 1]], ¦pad = [[1, 1]]} END", "Unexpected keyword pad"),
    (
        "%0 = stablehlo.abs %a {x = distinct[0]<1>, y = ¦distinct[0]<2>} : T",
        "distinct[0] is already defined as 1 : i64",
    ),
    (
        "%0 = stablehlo.abs %a {x = distinct[0]<>, y = ¦distinct[0]<1>} : T",
        "distinct[0] is already defined as unit",
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
    ("CONV {stride = [¦[1]]} END", "expected a list of integers such as [1, 2]"),
    ("CONV {stride = [1], ¦stride = [2]} END", "Unexpected keyword stride"),
    ("CONV {reverse = [¦[1]]} END", "expected a list of integers such as [1, 2]"),
    ("%0 = stablehlo.abs %a {x = ¦[1, ?]} : T", "an unknown size cannot be an attribute"),
    ("%0 = stablehlo.abs %a {x = (1.0, 0.0) : ¦f32} : T", "expected a complex type, found f32"),
    (
        "%0 = stablehlo.abs %a {x = sparse<¦-0, [1]> : tensor<2xi32>} : T",
        "integer constant out of range for type",
    ),
    ("%0 = stablehlo.abs %a {x = dense<¦[1]> : tensor<1x!u.s>} : T", "expected string token, got 1"),
    (
        '%0 = stablehlo.abs %a {x = dense<["a"]> ¦: tensor<2x!u.s>} : T',
        "inferred shape of elements literal ([1]) does not match type ([2])",
    ),
    (
        '%0 = stablehlo.abs %a {x = dense<[["a"], ["b"]]> ¦: tensor<2x!u.s>} : T',
        "inferred shape of elements literal ([2, 1]) does not match type ([2])",
    ),
    ("%0 = stablehlo.abs %a {x = dense<¦-0> : !u.s} : T", "integer constant out of range for type"),
    ("%0 = stablehlo.abs %a {x = dense<1> : ¦i32} : T", "elements literal must be a shaped type"),
    (
        "%0 = stablehlo.abs %a {x = ¦dense<1> : tensor<?xi32>} : T",
        "elements literal type must have static shape",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<1> : ¦tensor<1xtuple<>>} : T",
        "invalid tensor element type: 'tuple<>'",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<¦true> : tensor<2xf32>} : T",
        "expected i1 type for 'true' or 'false' values",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<[1.0, ¦true]> : tensor<2xf32>} : T",
        "expected i1 type for 'true' or 'false' values",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<[1, ¦true]> : tensor<2xi32>} : T",
        "expected i1 type for 'true' or 'false' values",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<[1, ¦1.5]> : tensor<2xi32>} : T",
        "expected integer elements, but parsed floating-point",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<[1, ¦300]> : tensor<2xi8>} : T",
        "integer constant out of range for type",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<[1 2]> ¦: tensor<2xi8>} : T",
        "inferred shape of elements literal ([1]) does not match type ([2])",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<¦(1, 2)> : tensor<2xi8>} : T",
        "expected element literal of primitive type, found '('",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<¦[1, 2]> : tensor<2xcomplex<f32>>} : T",
        "parsed 1 elements, but type ('complex<f32>') expected 2 elements",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<> ¦: tensor<2xi8>} : T",
        "parsed zero elements, but type (tensor<2xi8>) expected at least 1",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<[1, 2]> ¦: tensor<3xi8>} : T",
        "inferred shape of elements literal ([2]) does not match type ([3])",
    ),
    (
        '%0 = stablehlo.abs %a {x = dense<"0x0102"> ¦: tensor<3xi8>} : T',
        "elements hex data size is invalid for provided type: 'tensor<3xi8>'",
    ),
    (
        '%0 = stablehlo.abs %a {x = dense<"0x012"> ¦: tensor<3xi8>} : T',
        "elements hex data size is invalid for provided type: 'tensor<3xi8>'",
    ),
    (
        "%0 = stablehlo.abs %a {x = dense<¦0x1FF> : tensor<3xf8E5M2>} : T",
        "hexadecimal float constant out of range for type",
    ),
    (
        "%0 = stablehlo.abs %a {x = ¦0x1FFFFFFFF : f32} : T",
        "hexadecimal float constant out of range for type",
    ),
    (
        "%0 = stablehlo.abs %a {x = ¦-1 : ui8} : T",
        "expected unsigned integer elements, but parsed negative value",
    ),
    ("%0 = stablehlo.abs %a {x = ¦256 : ui8} : T", "integer constant out of range for type"),
    ("%0 = stablehlo.abs %a {x = ¦-129 : i8} : T", "integer constant out of range for type"),
    ("%0 = stablehlo.abs %a {x = ¦256 : i8} : T", "integer constant out of range for type"),
    ("%0 = stablehlo.abs %a {x = ¦128 : si8} : T", "integer constant out of range for type"),
    ("%0 = stablehlo.abs %a {x = ¦99999999999999999999 : i64} : T", "integer constant out of range for type"),
    ("%0 = stablehlo.abs %a {x = ¦1.5 : i32} : T", "floating point value not valid for specified type"),
    (
        "%0 = stablehlo.abs %a {x = ¦array<f32: a>} : T",
        "expected element literal of primitive type, found 'a'",
    ),
    (
        "%0 = stablehlo.abs %a {x = ¦array<ui8: 1>} : T",
        "expected integer or float type of i1, i8, i16, i32, i64, f32, f64",
    ),
    (
        "%0 = stablehlo.abs %a {x = ¦array<i32: >} : T",
        "expected array<type: value, ...>, or array<type> without values",
    ),
    ('%0 = stablehlo.abs %a : T loc("f":¦4294967296:1)', "expected integer line number in FileLineColLoc"),
    (
        '%0 = stablehlo.abs %a : T loc("f":1:2 to 3:¦4294967296)',
        "expected integer line number in FileLineColLoc",
    ),
    ("%0 = stablehlo.abs %a {x = ¦#stablehlo.bogus<a = 1>} : T", "unknown attribute #stablehlo.bogus<...>"),
    (
        '%0 = stablehlo.abs %a {x = #stablehlo.channel_handle<handle = ¦"a", type = 1>} : T',
        "expected a 64-bit integer",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.channel_handle<handle = 1, ¦typo = 1>} : T",
        "expected one of: `handle`, `type`",
    ),
    ("%0 = stablehlo.abs %a {x = #stablehlo.channel_handle<¦handle = 1>} : T", "missing field `type`"),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.channel_handle<handle = 1, ¦handle = 1>} : T",
        "duplicated `handle` entry",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.channel_handle<[¦b, f]x[i, o]->[b, f]>} : T",
        "expected the fields of #stablehlo.channel_handle",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.channel_handle<?, ¦1>} : T",
        "expected the fields of #stablehlo.channel_handle",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.conv<[b, ¦b]x[i, o]->[b, f]>} : T",
        "Duplicate entries for dimension b",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.conv<[b, ¦q]x[i, o]->[b, f]>} : T",
        "Unexpected dimension q, expecting b, f",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.conv<[¦b, 1, f]x[i, o]->[b, f]>} : T",
        "Expected dimensions 0 not specified",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.conv<[b, 0, ¦0, f]x[i, o]->[b, f]>} : T",
        "Duplicate entries for spatial dimension 0",
    ),
    ("%0 = stablehlo.abs %a {x = #stablehlo.result_accuracy<atol = ¦a>} : T", "unexpected 'a'"),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 1, "
        "mode = ¦#stablehlo<precision HIGH>>} : T",
        "expected one of DEFAULT, HIGHEST, TOLERANCE, found #stablehlo<precision HIGH>",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.result_accuracy<mode = ¦1>} : T",
        "expected one of DEFAULT, HIGHEST, TOLERANCE, found 1 : i64",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.dot<lhs_contracting_dimensions = ¦1>} : T",
        "expected a list of integers such as [0, 1]",
    ),
    (
        "%0 = stablehlo.abs %a {x = #stablehlo.dot<lhs_contracting_dimensions = ¦[?]>} : T",
        "expected integers, found ?",
    ),
    ("%0 = stablehlo.abs %a {x = #stablehlo.dot_algorithm<lhs_precision_type = ¦1>} : T", "expected a type"),
    ("%0 = stablehlo.abs %a {x = #stablehlo<¦bogus A>} : T", "unknown attribute #stablehlo.bogus"),
    ("%0 = stablehlo.abs %a {x = #stablehlo<¦bogus<a = 1>>} : T", "unknown attribute #stablehlo.bogus<...>"),
    ("%0 = stablehlo.abs %a {x = #stablehlo.bounds<¦1.5>} : T", "unexpected '1.5'"),
    ("%0 = stablehlo.abs %a {x = [1, 2¦} : T", "expected ',' or ']', found '}'"),
    ('%0 = stablehlo.abs %a {x = ¦"a} : T', "the string is not closed"),
    ('%0 = stablehlo.abs %a {x = ¦"a\\qb"} : T', "unknown escape \\q in string literal"),
    ("%0 = stablehlo.abs %a {x = {y = 1, ¦y = 2}} : T", "duplicate key 'y' in dictionary attribute"),
    ("%0 = stablehlo.abs %a {x = 1, ¦x = 2} : T", "duplicate key 'x' in dictionary attribute"),
    (
        "%0 = stablehlo.abs %a : tensor<2x3x!quant.uniform<i8:f32, ¦0x3F>>",
        "expected a decimal number, found '0x3F'",
    ),
    (
        "%0 = stablehlo.abs %a : tensor<2x3x!quant.uniform<i8:f32, 1.0:¦1.5>>",
        "expected an integer, found '1.5'",
    ),
    (
        "%0 = stablehlo.abs %a : tensor<2x3x!quant.uniform<i8<¦a:1>:f32, 1.0>>",
        "expected an integer, found 'a'",
    ),
    (
        "%0 = stablehlo.reduce(%a init: %i), (%a init: %i) across dimensions = [0] : (T, tensor<i32>) -> T "
        "reducer(¦%x: T) { LEFT }",
        "expected a pair such as (%a: tensor<f32>, %b: tensor<f32>)",
    ),
    (
        "%0 = stablehlo.reduce(%a init: %i) applies ¦stablehlo.bogus across dimensions = [0] "
        ": (T, tensor<i32>) -> T",
        "expected the inner-op to be a commutative binary-op with one result, such as stablehlo.add",
    ),
    ('"test.op"() ({ ^bb0(¦T): LEFT }) : () -> ()', "expected a name such as %arg0 before the type"),
    ('"test.op"() ({ ^bb0(%x: T): LEFT ¦^bb0: LEFT }) : () -> ()', "redefinition of block '^bb0'"),
    ('"test.op"() ({ ^bb0(%x: ¦bogus): LEFT }) : () -> ()', "unknown type 'bogus'"),
    ("%0 = stablehlo.custom_call ¦bogus(%a) : (T) -> T", "expected a symbol such as @main, found 'bogus'"),
    (
        "%0 = stablehlo.dynamic_slice %a, %i ¦sizes = [1] : (T, tensor<i32>) -> T",
        "expected ',', found 'sizes'",
    ),
    ("%0 = stablehlo.get_tuple_element %a[¦a] : (T) -> T", "expected '?' or ']' or an integer, found 'a'"),
    ("%0 = stablehlo.optimization_barrier(¦%a) : T", "expected ')', found '%a'"),
    (
        "%0:2 = chlo.scan(%a) inits (%i) dimension=0 { LEFT } : ¦(T, tensor<i32>) -> ()",
        "not enough result types to cover the required carries",
    ),
    (
        "cf.switch %c : i32, [ default: ^bb1, ¦a: ^bb1 ]",
        "expected 'false' or 'true' or an integer, found 'a'",
    ),
    ("cf.switch %c : i32, [ ¦1: ^bb1 ]", "expected 'default', found '1'"),
    ("cf.switch %c : i32, [ default: ¦^bb1(%a#0 : T) ]", "reference to an undefined block ^bb1"),
    (
        "¦cf.br ^bb1(%a : T, T)",
        "custom op 'cf.br' number of operands and types do not match: got 1 operands and 2 types",
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


def test_each_argument_of_a_block_without_a_name() -> None:
    text = '"test.op"() ({\n^bb0(f32, %a: i32, i1):\n  "test.end"() : () -> ()\n}) : () -> ()'
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(text, allow_unregistered=True)
    message = "expected a name such as %arg0 before the type"
    found = [(each.line, each.column, each.message) for each in raised.value.diagnostics]
    assert found == [(2, 6, message), (2, 20, message)]
