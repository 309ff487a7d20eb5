"""The grammar: plain Lark parses every program with it, to the same trees as the package's parse loop."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path
from typing import Any

import lark
import pytest

import stablehlo_py as shlo
from stablehlo_py.analysis.language import grammar
from stablehlo_py.syntax.lalr.comments import blank_comments
from stablehlo_py.syntax.lalr.lexer import Tokens, inner_lexer, program_lexer
from stablehlo_py.syntax.lalr.parse_loop import REPEATED, driver, moved
from stablehlo_py.syntax.lalr.tables import STARTS, load_tables

ROOT = Path(__file__).parent.parent.parent
SHARED = ROOT.parent.parent / "shared"
SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)
# The rule that the text of a composite is parsed by.
INSIDE = {"TYPE": "type", "FUNCTION_TYPE": "type", "ATTRIBUTE": "attribute", "LOCATION": "location"}


@cache
def plain_parser() -> lark.Lark:
    """Lark with its own lexer and parser."""
    return lark.Lark(
        grammar(), parser="lalr", start=list(STARTS), maybe_placeholders=True, propagate_positions=True
    )


def extent(tree: Any) -> tuple[int, int]:
    """Where a tree or a token of Lark starts and ends."""
    place = tree if isinstance(tree, lark.Token) else tree.meta
    return place.start_pos, place.end_pos


def assert_same(node: Any, tree: Any, tokens: Tokens) -> None:
    """Our tree and Lark's: the same rules and children, and every token of ours where Lark's tree has it."""
    if not isinstance(node, tuple):
        assert_same_leaf(node, tree, tokens)
        return
    if node[0] == REPEATED:
        _, _, distance, first = node
        node = moved(first, distance)
    name, *children = node
    if name == "op":
        del children[-1]  # the index of the next token
    assert isinstance(tree, lark.Tree)
    assert (name, len(children)) == (tree.data, len(tree.children))
    for child, other in zip(children, tree.children, strict=True):
        assert_same(child, other, tokens)


def assert_same_leaf(token: int | None, tree: Any, tokens: Tokens) -> None:
    """A token of ours is Lark's; a composite spans what Lark's tree spans, and has the same inside."""
    if token is None or tree is None:
        assert token is tree
        return
    assert extent(tree) == (tokens.start(token), tokens.end(token))
    names = {number: name for name, number in load_tables().terminals.items()}
    start = INSIDE.get(names[tokens.kinds[token]])
    if start is None or isinstance(tree, lark.Token) or tree.data == "inputs_and_outputs":
        return
    inner = inner_lexer().tokens(tokens.texts[token], tokens.start(token))
    if len(inner.kinds) > 2:  # more than the composite itself and the end
        assert_same(driver().parse(inner, start), tree, inner)


def compare(text: str) -> bool:
    """Compares the trees of a program; False if the program is not one, for us and for Lark."""
    tokens = program_lexer().tokens(blank_comments(text)[0])
    parsed = driver().parse_program(tokens)
    if parsed.unexpected:
        return False
    try:
        tree = plain_parser().parse(text, start="program")
    except lark.exceptions.LarkError:
        with pytest.raises(shlo.ParseError):  # the inside of a composite, which is parsed when it is read
            shlo.parse(text, allow_unregistered=True)
        return False
    assert_same(parsed.tree, tree, tokens)
    return True


def compare_files(paths: list[Path]) -> int:
    """Compares the trees of all programs of files; gives the number of programs that parse."""
    return sum(compare(text) for path in paths for text in SPLIT.split(path.read_text(encoding="utf-8")))


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


def test_trees_of_models_are_those_of_lark() -> None:
    paths = sorted((ROOT / "testdata").glob("*.mlir"))
    assert compare_files(paths) == len(paths) > 1


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the sample of upstream's programs is not at hand")
def test_trees_of_upstream_programs_are_those_of_lark() -> None:
    paths = sorted([*(SHARED / "conformance").rglob("*.mlir"), *(SHARED / "programs").glob("*.mlir")])
    assert compare_files(paths) > 1500


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
