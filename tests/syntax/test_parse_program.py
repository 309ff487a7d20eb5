"""Programs: functions, blocks, names of values, aliases, locations, resources, comments."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir import attributes as A
from stablehlo_py.ir import types as T
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc, FileLoc, FusedLoc, Location, NameLoc

F32 = T.TensorType((), T.F32)


def ops(module: Module, function: str = "f") -> list[Operation]:
    return module.functions[function].regions[0].blocks[0].ops


def test_module_with_name_and_attributes() -> None:
    module = shlo.parse('module @"m n" attributes {a.b = 1 : i32} {\n}')
    assert module.op.properties == {"sym_name": A.StringAttr("m n")}
    assert module.op.attributes == {"a.b": A.IntegerAttr(1, T.I32)}
    assert module.functions == {}


def test_functions_without_a_module() -> None:
    module = shlo.parse("func.func private @g(tensor<f32>) -> tensor<f32>\nfunc.func @f() { return }")
    assert module.op.name == "builtin.module"
    assert list(module.functions) == ["g", "f"]
    assert module.functions["g"].regions[0].blocks == []
    assert [op.name for op in ops(module)] == ["func.return"]


def test_signature_of_a_function() -> None:
    module = shlo.parse(
        'func.func public @f(%a: tensor<f32> {x.y = 1 : i32}, %b: i1 loc("b")) '
        '-> (tensor<f32> {jax.result_info = "r"}, i1) attributes {no_inline, other} {\n'
        "  return %a, %b : tensor<f32>, i1\n}"
    )
    function = module.functions["f"]
    assert function.properties == {
        "sym_name": A.StringAttr("f"),
        "sym_visibility": A.StringAttr("public"),
        "function_type": A.TypeAttr(T.FunctionType((F32, T.I1), (F32, T.I1))),
        "arg_attrs": A.ArrayAttr((A.DictAttr((("x.y", A.IntegerAttr(1, T.I32)),)), A.DictAttr(()))),
        "res_attrs": A.ArrayAttr((A.DictAttr((("jax.result_info", A.StringAttr("r")),)), A.DictAttr(()))),
        "no_inline": A.UnitAttr(),
    }
    assert function.attributes == {"other": A.UnitAttr()}
    a, b = function.regions[0].block.arguments
    assert (a.name, a.type, a.location) == ("a", F32, None)
    assert (b.name, b.type, b.location) == ("b", T.I1, NameLoc("b"))
    assert [use.op.name for use in b.uses] == ["func.return"]


def test_generic_form() -> None:
    module = shlo.parse(
        '%0:2 = "a.b"() <{p = 1 : i64}> ({\n  "a.c"() : () -> ()\n}, {\n}) {q = 2 : i64} : () -> (i1, i32)\n'
        '"a.d"(%0#1, %0) : (i32, i1) -> ()',
        allow_unregistered=True,
    )
    first, second = module.body.ops
    assert first.properties == {"p": A.IntegerAttr(1, T.I64)}
    assert first.attributes == {"q": A.IntegerAttr(2, T.I64)}
    assert [len(region.blocks) for region in first.regions] == [1, 0]
    assert first.regions[0].block.ops[0].name == "a.c"
    assert [result.type for result in first.results] == [T.I1, T.I32]
    assert second.operands == (first.results[1], first.results[0])


def test_attributes_of_a_definition_become_properties() -> None:
    module = shlo.parse(
        '%0 = "stablehlo.iota"() {iota_dimension = 0 : i64, mhlo.x = 1} : () -> tensor<4xi32>'
    )
    (op,) = module.body.ops
    assert op.properties == {"iota_dimension": A.IntegerAttr(0, T.I64)}
    assert op.attributes == {"mhlo.x": A.IntegerAttr(1, T.I64)}


def test_lists_of_earlier_releases_become_arrays() -> None:
    module = shlo.parse(
        "func.func @f(%a: tensor<2x3xf32>) {\n"
        '  %0 = "stablehlo.transpose"(%a) {permutation = dense<[1, 0]> : tensor<2xi64>} '
        ": (tensor<2x3xf32>) -> tensor<3x2xf32>\n  return\n}"
    )
    assert ops(module)[0].properties == {"permutation": A.DenseArrayAttr(T.I64, (1, 0))}


def test_blocks_and_uses_before_definitions() -> None:
    module = shlo.parse(
        '"a.b"() ({\n'
        '  "a.jump"(%late)[^end, ^middle] : (i32) -> ()\n'
        "^middle:\n"
        '  %late = "a.make"() : () -> i32\n'
        '  "a.jump"()[^end] : () -> ()\n'
        "^end(%x: i32, %y: i1):\n"
        '  "a.stop"(%x) : (i32) -> ()\n'
        "}) : () -> ()",
        allow_unregistered=True,
    )
    entry, middle, end = module.body.ops[0].regions[0].blocks
    assert (entry.label, middle.label, end.label) == (None, "middle", "end")
    assert entry.ops[0].successors == (end, middle)
    assert entry.ops[0].operands == (middle.ops[0].result,)
    assert [use.op for use in middle.ops[0].result.uses] == [entry.ops[0]]
    assert [argument.name for argument in end.arguments] == ["x", "y"]


def test_names_are_free_again_after_their_region() -> None:
    region = '({\n  %x = "a.make"() : () -> i32\n})'
    shlo.parse(f'"a.b"() {region} : () -> ()\n"a.b"() {region} : () -> ()', allow_unregistered=True)


def test_names_of_results() -> None:
    module = shlo.parse('%a, %b:2, %7 = "a.b"() : () -> (i1, i1, i1, i1)', allow_unregistered=True)
    assert [result.name for result in module.body.ops[0].results] == ["a", "b", "b#1", "7"]


def test_positions_of_an_operation() -> None:
    text = 'func.func @f(%a: tensor<f32>) {\n  %0 = stablehlo.add %a, %a : tensor<f32> loc("x")\n  return\n}'
    op = ops(shlo.parse(text))[0]
    assert text[op.offset : op.end] == 'stablehlo.add %a, %a : tensor<f32> loc("x")'


def test_aliases_stand_for_what_they_name_wherever_they_are_defined() -> None:
    module = shlo.parse(
        "!t = tensor<2x!e>\n"
        "func.func @f(%a: !t) attributes {x = #n, y = [#n, #stablehlo<precision HIGH>]} {\n"
        "  return loc(#l)\n}\n"
        '#n = 3 : i32\n!e = f32\n#l = loc("here"(#k))\n#k = loc("file":1:2)'
    )
    function = module.functions["f"]
    assert function.regions[0].block.arguments[0].type is T.TensorType((2,), T.F32)
    assert function.attributes["x"] == A.IntegerAttr(3, T.I32)
    assert ops(module)[0].location == NameLoc("here", FileLoc("file", 1, 2))


def test_a_text_with_an_alias_means_in_each_program_what_the_alias_names_there() -> None:
    numbers = "#stablehlo.dot<lhs_contracting_dimensions = #d, rhs_contracting_dimensions = []>"
    for dims, element in (((0,), T.F32), ((1, 2), T.I32)):
        text = f"#d = {list(dims)}\n!t = {element}\nmodule attributes {{a = {numbers}, b = tuple<!t>}} {{}}"
        found = shlo.parse(text).op.attributes
        assert isinstance(found["a"], A.StructAttr)
        assert dict(found["a"].fields)["lhs_contracting_dimensions"] == dims
        assert found["b"] == A.TypeAttr(T.TupleType((element,)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unknown", UNKNOWN),
        ('"a.py":3:4', FileLoc("a.py", 3, 4)),
        ('"a.py":3:4 to 5:6', FileLoc("a.py", 3, 4, 5, 6)),
        ('"a.py":3:4 to :8', FileLoc("a.py", 3, 4, 3, 8)),
        ('"name"', NameLoc("name")),
        ('"name"("a.py":1:2)', NameLoc("name", FileLoc("a.py", 1, 2))),
        ('callsite("a" at "b")', CallSiteLoc(NameLoc("a"), NameLoc("b"))),
        ('fused["a", "b"]', FusedLoc((NameLoc("a"), NameLoc("b")))),
        ('fused<"why">["a"]', FusedLoc((NameLoc("a"),), A.StringAttr("why"))),
        ('"has ) and \\22 inside"', NameLoc('has ) and " inside')),
    ],
)
def test_location(text: str, expected: Location) -> None:
    module = shlo.parse(f"func.func @f() {{\n  return loc({text})\n}} loc({text})")
    assert ops(module)[0].location == expected
    assert module.functions["f"].location == expected


def test_resources() -> None:
    section = (
        '{-#\n  dialect_resources: {\n    builtin: {\n      k: "0x040000000102FF",\n'
        '      "k 2": "0x08000000"\n    }\n  },\n'
        "  external_resources: {\n    x: {\n      y: true\n    }\n  }\n#-}"
    )
    module = shlo.parse(f"func.func @f() {{ return }}\n\n{section}")
    assert module.resources == {"k": b"\x01\x02\xff", "k 2": b""}
    assert module.resource_text == section


def test_comments_are_kept_apart() -> None:
    text = '// first\nfunc.func @f() { // "second\n  return\n}'
    module = shlo.parse(text)
    assert module.comments == [(0, "// first"), (text.index('// "'), '// "second')]


def test_ops_of_functions_without_their_dialect() -> None:
    module = shlo.parse(
        "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}"
    )
    call, end = ops(module)
    assert (call.name, end.name) == ("func.call", "func.return")
    assert call.properties == {"callee": A.SymbolRefAttr("f")}


def test_keywords_are_names_elsewhere() -> None:
    names = "dims = 1, cond, f32 = true, loc, stablehlo.add = 2"
    module = shlo.parse(f"func.func @f() attributes {{{names}}} {{ return }}")
    assert list(module.functions["f"].attributes) == ["dims", "cond", "f32", "loc", "stablehlo.add"]


ALIASED = [
    # an alias, its two definitions, and lines that use it once more in a text around it
    ("!t", "f32", "i32", '%0 = "x.y"() : () -> tensor<2x!t>\n"x.z"(%0) : (tensor<2x!t>) -> ()'),
    ("!t", "tensor<2xf32>", "i1", '%0 = "x.y"() : () -> !t\n%1 = "x.y"() : () -> tuple<!t, tuple<!t>>'),
    ("#a", "1 : i64", "2 : i64", '"x.y"() {a = #a, b = [#a], c = {d = #a}} : () -> ()'),
    (
        "#a",
        '"m"',
        '"n"',
        '%0 = "x.y"() {a = #a} : () -> tensor<2xf32, #a>\n"x.z"(%0) : (tensor<2xf32, #a>) -> ()',
    ),
    ("#a", 'loc("m")', 'loc("n")', '%0 = "x.y"() : () -> tensor<2xf32, {b = loc(#a)}>'),
]


@pytest.mark.parametrize(("name", "first", "second", "lines"), ALIASED)
def test_what_an_alias_is_depends_on_the_program_alone(
    name: str, first: str, second: str, lines: str
) -> None:
    """Other programs have the same texts, in which the alias is something else."""
    for definition in (first, second, first):
        aliased = shlo.parse(f"{name} = {definition}\n{lines}\n", allow_unregistered=True)
        inner = lines.replace(f"loc({name})", name).replace(name, definition)
        plain = shlo.parse(f"{inner}\n", allow_unregistered=True)
        assert shlo.format(aliased) == shlo.format(plain)
