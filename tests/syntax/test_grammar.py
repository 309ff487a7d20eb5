"""The grammar: plain Lark parses every program with it, to the same trees as the package's parse loop."""

from __future__ import annotations

import csv
import re

import lark
import pytest
from conftest import ROOT

from stablehlo_py.analysis.language import grammar
from tests.helpers.lark_trees import compare, compare_files


@pytest.mark.slow
def test_grammar_is_whole() -> None:
    assert "%declare" not in grammar()
    plain = lark.Lark(grammar(), parser="lalr", start="program")
    assert all(terminal.pattern.to_regexp() for terminal in plain.terminals)
    tree = plain.parse(
        "func.func @main(%x: tensor<2x?xf32>) -> tensor<2x?xf32> { return %x : tensor<2x?xf32> }"
    )
    assert [t.type for t in tree.scan_values(lambda token: token == "2")] == ["DIMENSION_SIZE"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["testdata/constraints", "testdata/spec"])
def test_trees_are_those_of_lark(folder: str) -> None:
    paths = sorted((ROOT / folder).rglob("*.mlir"))
    assert compare_files(paths) >= len(paths) > 50


@pytest.mark.slow
def test_trees_of_models_are_those_of_lark() -> None:
    paths = sorted((ROOT / "testdata").glob("*.mlir"))
    assert compare_files(paths) == len(paths) > 1


# What is rare in programs: aliases, locations, resources, other dialects, comments inside lists.
RARE_PROGRAMS = [
    '#a = #foo.bar<[{x -> "y>"}], 1>\n!t = tensor<2x!foo.t<a<b>>>\n"x.y"() {a = #a, b = !t} : () -> !t',
    'func.func @f() { return loc(fused<"p">["a.py":1:2, callsite("f"("g") at unknown)]) } loc(#l)',
    'func.func @f() { return loc("a.py":1:2 to 3:4) }',
    '#l = loc("x")\n{-# dialect_resources: {builtin: {k: "0x08000000"}} #-}',
    'sdy.mesh @m = <[]>\nsdy.mesh @n = <[ // none\n ], device_ids=[0]>\nsdy.mesh @o = <["x"=2]>',
    '%0:2 = "x.y"(%1#0) [^a, ^b] <{a = 1}> ({ ^a(%2: i1 loc(unknown)): }, {}) : (i1) -> (i1, i1)',
]
RARE_ATTRIBUTES = [
    "a = array<i64: 1, -2>, b = array<i1: true>, c = array<f32>, d = [#c, [], {}]",
    "a = affine_map<(d0, d1) -> (d1)>, b = affine_set<(d0) : (d0 - 1 >= 0)>, c = unit",
    'a = distinct[0]<>, b = @f::@g, c = "s" : i32, d = vector<2xf32>, e = (i1) -> ()',
    "a = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, b = dense<> : tensor<0xi1>",
    "a = dense<[(1.0, -2.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>",
    'a = dense<["x", "y"]> : tensor<2x!foo.s>, b = dense_resource<k> : tensor<2xi1>',
    "a = sparse<[[0, 1]], [2]> : tensor<3x4xi32>, b = sparse<> : tensor<4xi32>",
    'a = #sdy.sharding<@m, [{"x":(1)2, ?}p1, {}], replicated={"y"}>, b = #sdy.x<1>',
    "tensor, loc = loc(unknown), dense = 1, array, token, x, index = index, f32 = f32",
    "a = !quant.uniform<u8<0:9>:f32:1, {1.0:2, 3.0}>, b = memref<2x?xf32, 1>",
    "a = tensor<2xf32, {a = [1, // one\n 2]}>, b = tensor<*xf32>, c = tuple<tuple<>>",
    'a = tensor // >\n< // 2x\n 2 // x\n x // "\n f32>, b = dense // <\n < // [\n 1> : tensor<2xi8>',
    "a = affine_map // <\n < // )\n (d0) // >\n -> (d0)>, b = affine_set // <\n <(d0) : (d0 // >\n >= 0)>",
    "a = vector // <\n < // >\n 2xf32>, b = strided // <\n < // ]\n [1]>, c = array // <\n < // >\n i1>",
    "a = distinct // [\n [ // ]\n 0 ] // <\n < // >\n 1>, b = #foo.bar<// b\n>, c = #foo.bar<http://x>",
]


@pytest.mark.parametrize("text", RARE_PROGRAMS)
def test_trees_of_rare_spellings_are_those_of_lark(text: str) -> None:
    assert compare(text)


@pytest.mark.parametrize("attributes", RARE_ATTRIBUTES)
def test_trees_of_rare_attributes_are_those_of_lark(attributes: str) -> None:
    assert compare(f"module attributes {{{attributes}}} {{}}")


# The names of the productions in the specification's EBNF, in its order.
PRODUCTIONS = """
Program Func FuncInputs FuncInput FuncOutputs FuncOutput FuncBody FuncId ValueId letter digit Type ValueType
NonValueType TensorType Shape DimensionSize QuantizedTensorType QuantizedTensorElementType
QuantizationStorageType QuantizationStorageMin QuantizationStorageMax QuantizationExpressedType
QuantizationDimension QuantizationParameters QuantizationParameter QuantizationScale QuantizationZeroPoint
TokenType TupleType TupleElementTypes TensorElementType BooleanType IntegerType SignedIntegerType
UnsignedIntegerType FloatType ComplexType ComplexElementType FunctionType InputTypes OutputTypes StringType Op
OpName OpMnemonic OpInputs OpInputValues OpInputValue OpInputFuncs OpInputAttrs OpOutputs OpOutput OpInputFunc
Unused OpInputAttr OpInputAttrName OpInputAttrValue OpSignature Constant BooleanConstant BooleanLiteral
IntegerConstant IntegerLiteral DecimalDigits HexadecimalDigits decimalDigit hexadecimalDigit FloatConstant
FloatLiteral SignPart IntegerPart FractionalPart ScientificPart ComplexConstant ComplexLiteral RealPart
ImaginaryPart TensorConstant TensorLiteral DenseLiteral DenseDimension DenseElements ElementLiteral
QuantizedTensorConstant QuantizedTensorLiteral StringConstant StringLiteral stringCharacter escapeSequence """


def test_table_of_productions_is_complete() -> None:
    with (ROOT / "grammar" / "productions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["production"] for row in rows] == PRODUCTIONS.split()
    defined = set(re.findall(r"^[?!]?(\w+)(?:\.1)?:", grammar(), re.MULTILINE))
    named = {name for row in rows for name in row["rules"].split()}
    assert named <= defined
    assert all(row["difference"] for row in rows if not row["rules"])


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def test_productions_keep_their_names_or_say_why() -> None:
    with (ROOT / "grammar" / "productions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    renamed = [r["production"] for r in rows if snake_case(r["production"]) not in r["rules"].lower().split()]
    unexplained = {r["production"] for r in rows if r["production"] in renamed and not r["difference"]}
    assert unexplained == set()
