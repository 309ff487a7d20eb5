"""What shardings may not ask for: groups that cannot be, computations without inputs, uneven dimensions."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.core import Value
from stablehlo_py.sharding.annotations import (
    argument_shardings,
    set_entry,
    sharding_of,
    with_free_axes,
    without_manual_axes,
)
from stablehlo_py.sharding.shardings import from_attribute, to_attribute
from stablehlo_py.sharding.uneven import uneven
from stablehlo_py.syntax.parser import parse_attribute

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=4]>\n'


@pytest.mark.parametrize(
    ("body", "passes", "line", "message"),
    [
        ("func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) {\n"
         "  sdy.sharding_group %x group_id=3 : tensor<4xf32>\n"
         "  sdy.sharding_group %y group_id=3 : tensor<8xf32>\n  return\n}\n", "sdy-sharding-group-import", 4,
         "values of sharding group 3 have different shapes"),
        ("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
         "  sdy.sharding_group %x group_id=3 : tensor<4xf32>\n"
         '  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] '
         'out_shardings=[<@mesh, [{"x"}]>]\n'
         '    manual_axes={"x"} (%a: tensor<2xf32>) {\n    sdy.sharding_group %a group_id=3 : tensor<2xf32>\n'
         "    sdy.return %a : tensor<2xf32>\n  } : (tensor<4xf32>) -> tensor<4xf32>\n"
         "  return %0 : tensor<4xf32>\n}\n",
         "sdy-sharding-group-import", 6,
         "values of sharding group 3 are inside and outside of a manual computation"),
        ("func.func @main() {\n  sdy.manual_computation() in_shardings=[] out_shardings=[] "
         'manual_axes={"x"} () {\n'
         "    %c = stablehlo.constant dense<1> : tensor<i32>\n    sdy.return\n  } : () -> ()\n  return\n}\n",
         "sdy-manual-axes-cleanup", 3, "a computation along manual axes needs inputs or outputs"),
    ],
)  # fmt: skip
def test_errors(body: str, passes: str, line: int, message: str) -> None:
    with pytest.raises(shlo.TransformError, match=message) as caught:
        shlo.opt(shlo.parse(MESH + body), passes)
    assert caught.value.diagnostics[0].line == line


UNEVEN = """func.func private @f(
  %a: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}
) -> tensor<7x4xf32> {
  return %a : tensor<7x4xf32>
}
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
    %y: tensor<?x3xf32>) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x", "y"}]>]>}
    : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
"""


def test_uneven_dimensions() -> None:
    found = uneven(shlo.parse(MESH + UNEVEN))
    assert [(each.what, each.dimension, each.size, each.shards, each.padding) for each in found] == [
        ("%a", 0, 7, 4, 1),
        ("result 0 of @main", 1, 6, 4, 2),
        ("%0", 1, 6, 8, 2),
    ]
    assert str(found[1]) == (
        "dimension 1 of result 0 of @main has size 6, which the 4 devices along y do not divide"
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"), [('"x"=2, ', "", ["result 0 of @main"]), ("@mesh = ", "@other = ", [])]
)
def test_shardings_over_unknown_meshes_and_axes_are_left_out(old: str, new: str, expected: list[str]) -> None:
    assert [each.what for each in uneven(shlo.parse(MESH.replace(old, new) + UNEVEN))] == expected


# Manual computations


def test_axes_of_manual_computations() -> None:
    """In the order of the mesh, and tensors are replicated along those that do not divide them."""
    given = ['<@mesh, [{"y"}]>', '<@mesh, [{"y"}], replicated={"x"}>']
    text = f"""{MESH}func.func @main(%a: tensor<8xf32>) {{
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={{}} () {{
    %c = stablehlo.constant dense<1> : tensor<i32>
    sdy.return
  }} : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={{"y", "x"}} () {{
    sdy.return
  }} : () -> ()
  %0 = sdy.manual_computation(%a) in_shardings=[{given[0]}] out_shardings=[{given[0]}] \
manual_axes={{"y", "x"}} (%b: tensor<2xf32>) {{
    sdy.return %b : tensor<2xf32>
  }} : (tensor<8xf32>) -> tensor<8xf32>
  return
}}"""
    found = shlo.format(shlo.opt(shlo.parse(text), "sdy-manual-axes-cleanup"))
    lines = [line for line in found.splitlines() if "manual_axes" in line]
    assert [line.partition(" manual_axes=")[2].partition(" (")[0] for line in lines] == [
        "{}",
        '{"y", "x"}',  # nothing says which mesh it is
        '{"x", "y"}',
    ]
    assert f"in_shardings=[{given[1]}] out_shardings=[{given[1]}]" in lines[2]


# Constants


def test_constants_of_a_branch_are_split() -> None:
    """A constant that two ops of a branch use is copied; a branch is not split by itself."""
    text = """func.func @main(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<1.0> : tensor<2xf32>
    %0 = stablehlo.add %x, %c : tensor<2xf32>
    %1 = stablehlo.multiply %0, %c : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}"""
    found = shlo.opt(shlo.parse(text), "sdy-constant-or-scalar-splitter")
    users = [len(op.results[0].uses) for op in found.walk() if op.name == "sdy.constant"]
    assert users == [1, 1]


def test_equal_constants_and_broadcasts_are_merged() -> None:
    """Equal ones with the same sharding and of one region, as Shardy's document of the pass says."""
    sharding = 'sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>'
    spread = "dims = [] : (tensor<f32>) -> tensor<4xf32>"
    text = f"""{MESH}func.func @main(%p: tensor<i1>) -> tensor<4xf32> {{
  %a = stablehlo.constant dense<1.0> : tensor<4xf32>
  %b = stablehlo.constant dense<1.0> : tensor<4xf32>
  %c = stablehlo.constant {{{sharding}}} dense<1.0> : tensor<4xf32>
  %s = stablehlo.constant dense<1.0> : tensor<f32>
  %d = stablehlo.broadcast_in_dim %s, {spread}
  %e = stablehlo.broadcast_in_dim %s, {spread}
  %f = stablehlo.broadcast_in_dim %s, dims = [] {{{sharding}}} : (tensor<f32>) -> tensor<4xf32>
  %g = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
  %h = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
  %r = "stablehlo.if"(%p) ({{
    %k = stablehlo.constant dense<1.0> : tensor<4xf32>
    stablehlo.return %k : tensor<4xf32>
  }}, {{
    stablehlo.return %b : tensor<4xf32>
  }}) : (tensor<i1>) -> tensor<4xf32>
  %t = stablehlo.custom_call @f(%a, %b, %c, %d, %e, %f, %g, %h, %r) : ({", ".join(["tensor<4xf32>"] * 9)})
    -> tensor<4xf32>
  return %t : tensor<4xf32>
}}"""
    found = shlo.opt(shlo.parse(text), "sdy-constant-or-scalar-merger")
    (call,) = [op for op in found.walk() if op.name == "stablehlo.custom_call"]
    kinds = list(dict.fromkeys(call.operands))
    assert [kinds.index(value) for value in call.operands] == [0, 0, 1, 2, 2, 3, 4, 5, 6]
    names = [op.name.removeprefix("stablehlo.") for op in found.walk()]
    assert (names.count("constant"), names.count("broadcast_in_dim")) == (4, 4)


def test_broadcasts_of_a_scalar_to_other_types_are_not_merged() -> None:
    text = """func.func @main(%s: tensor<f32>) -> (tensor<4xf32>, tensor<5xf32>) {
  %a = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<5xf32>
  return %a, %b : tensor<4xf32>, tensor<5xf32>
}"""
    found = shlo.opt(shlo.parse(text), "sdy-constant-or-scalar-merger")
    assert shlo.format(found) == shlo.format(shlo.parse(text)) and shlo.verify(found) == []


# Reshards, and shardings of arguments


@pytest.mark.parametrize("options", ["", "{enable-full-version=true}"])
def test_an_op_without_results_has_no_reduction(options: str) -> None:
    """The call adds up its operand along x by itself: `i` is a factor of a reduction."""
    text = f"""{MESH}func.func @main(%x: tensor<4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}) {{
  stablehlo.custom_call @f(%x) {{has_side_effect = true,
    sdy.sharding_rule = #sdy.op_sharding_rule<([i])->() {{i=4}} reduction={{i}}>}} : (tensor<4xf32>) -> ()
  return
}}"""
    found = shlo.opt(shlo.parse(text), "sdy-insert-explicit-reshards" + options)
    assert [op.name for op in found.functions["main"].blocks[0].ops] == [
        "stablehlo.custom_call",
        "func.return",
    ]


@pytest.mark.parametrize(("word", "op"), [("", "sdy.all_reduce"), ("max", "sdy.all_reduce max")])
def test_operands_are_reduced_where_users_do_not_take_terms(word: str, op: str) -> None:
    text = f"""{MESH}func.func @main(
    %a: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}], unreduced={word}{{"x"}}>}}) {{
  %0 = stablehlo.negate %a {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}]>]>}} : tensor<8xf32>
  return
}}"""
    found = shlo.opt(shlo.parse(text), "sdy-insert-explicit-reshards")
    assert shlo.verify(found) == []
    assert f'{op} {{"x"}} %arg0 out_sharding=<@mesh, [{{}}]> : tensor<8xf32>' in shlo.format(found)


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ('[{"x"}, {}]', '[{"x"}, {?}], replicated={"y"}', True),
        ('[{"x"}, {}]', "[{}, {}]", False),
        ('[{"x"}, {}]', '[{}, {"x"}]', False),
        ('[{"x"}, {}]', '[{"x"}, {}], unreduced={"y"}', False),
        ('[{"x"}, {}], unreduced={"y"}', '[{"x"}, {}], unreduced={"y"}', True),
        ('[{}, {}], replicated={"x"}', "[{?}, {}]", True),
        ("[{}, {}]", '[{}, {}], unreduced={"y"}', False),
        ("[{}, {}]", None, True),
        ('[{"x"}, {}]', None, False),
        ('[{}, {}], unreduced={"y"}', None, False),
    ],
)
def test_shardings_that_divide_in_the_same_way(first: str, second: str | None, alike: bool) -> None:
    texts = [f"{{sdy.sharding = #sdy.sharding<@mesh, {each}>}}" if each else "" for each in (first, second)]
    arguments = ", ".join(f"%{name}: tensor<8x8xf32> {text}" for name, text in zip("ab", texts, strict=True))
    a, b = argument_shardings(shlo.parse(f"{MESH}func.func @f({arguments}) {{ return }}").functions["f"])
    assert a is not None and a.is_like(b) is alike
    assert b is None or b.is_like(a) is alike


def test_a_function_without_shardings_has_no_attributes_of_arguments() -> None:
    given = (
        '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}',
        '{sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}',
    )
    text = f"{MESH}func.func @f(%a: tensor<4xf32> {given[0]}, %b: tensor<4xf32> {given[1]}) {{ return }}"
    function = shlo.parse(text).functions["f"]
    for index, left in enumerate((1, 0)):
        set_entry(function, "arg_attrs", index, None)
        assert len([each for each in argument_shardings(function) if each is not None]) == left
        assert ("arg_attrs" in function.properties) is (left > 0)


# Constraints of what a loop carries: expected are the texts of Shardy in jaxlib


@pytest.mark.parametrize(
    ("op", "used", "edge"),
    [
        (
            'sdy.sharding_constraint %i <@mesh, [{"x"}], unreduced={"y"}> : tensor<8xf32>',
            'sdy.sharding_constraint %iterArg <@mesh, [{"x"}], unreduced={"y"}> : tensor<8xf32>',
            'sdy.data_flow_edge %0 sharding=<@mesh, [{?}], unreduced={"y"}> : tensor<8xf32>',
        ),
        (
            'sdy.sharding_constraint %i <@mesh, [{"x"}]> : tensor<8xf32>',
            'sdy.sharding_constraint %iterArg <@mesh, [{"x"}]> : tensor<8xf32>',
            "sdy.data_flow_edge %0 : tensor<8xf32>",
        ),
        (
            'sdy.manual_computation(%i) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] '
            'manual_axes={"x"} (%b: tensor<4xf32>) {\n    sdy.return %b : tensor<4xf32>\n'
            "  } : (tensor<8xf32>) -> tensor<8xf32>",
            'sdy.sharding_constraint %iterArg <@mesh, [{"x"}]> : tensor<8xf32>',
            "sdy.data_flow_edge %0 : tensor<8xf32>",
        ),
    ],
)
def test_constraints_of_what_a_loop_carries(op: str, used: str, edge: str) -> None:
    """A constraint is behind the argument, for all its users; terms of a sum are those of the edge, too."""
    text = f"""{MESH}func.func @main(%a: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {{
  %r = stablehlo.while(%i = %a) : tensor<8xf32> cond {{
    stablehlo.return %p : tensor<i1>
  }} do {{
    %c = {op}
    stablehlo.return %i : tensor<8xf32>
  }}
  return %r : tensor<8xf32>
}}"""
    passes = ["sdy-add-data-flow-edges", "sdy-apply-sharding-constraints"]
    lines = [line.strip() for line in shlo.format(shlo.opt(shlo.parse(text), passes)).splitlines()]
    assert f"%2 = {used}" in lines
    assert "stablehlo.return %2 : tensor<8xf32>" in lines
    assert f"%1 = {edge}" in lines


def test_ops_without_a_definition_are_not_merged() -> None:
    text = """func.func @main() {
  %0 = "x.y"() : () -> tensor<4xf32>
  %1 = "x.y"() : () -> tensor<4xf32>
  return
}"""
    found = shlo.opt(shlo.parse(text, allow_unregistered=True), "sdy-constant-or-scalar-merger")
    assert [op.name for op in found.walk()].count("x.y") == 2


def test_a_sharding_without_manual_axes() -> None:
    """They go from all of its parts."""
    text = '#sdy.sharding<@mesh, [{"x", "y"}, {"z"}], replicated={"x", "v"}, unreduced={"u", "w"}>'
    found = without_manual_axes(from_attribute(parse_attribute(text)), ["x", "z", "w"])
    expected = '#sdy.sharding<@mesh, [{"y"}, {}], replicated={"v"}, unreduced={"u"}>'
    assert found == from_attribute(parse_attribute(expected))


def test_free_axes_behind_manual_ones_leave_the_rest() -> None:
    """What the tensor is unreduced and replicated along, and by which op."""
    of = [
        '#sdy.sharding<@mesh, [{"x"}, {?}], replicated={"v"}, unreduced=max{"y"}>',
        '#sdy.sharding<@mesh, [{}, {"z", ?}p1]>',
        '#sdy.sharding<@mesh, [{"x"}, {"z", ?}p1], replicated={"v"}, unreduced=max{"y"}>',
    ]
    outer, inner, expected = [from_attribute(parse_attribute(text)) for text in of]
    assert with_free_axes(outer, inner, ["x", "y", "v"]) == expected


CALLS = """func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) CALL : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>) -> (tensor<8xf32> RESULT) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def calls(call: str, result: str) -> shlo.Module:
    """Two calls of a function, of which the first one may have a sharding, and the result of the function."""
    call = call and f"{{sdy.sharding = #sdy.sharding_per_value<[{call}]>}}"
    result = result and f"{{sdy.sharding = #sdy.sharding{result}}}"
    meshes = MESH + "sdy.mesh @one = <[], device_ids=[3]>\n"
    return shlo.parse(meshes + CALLS.replace("CALL", call).replace("RESULT", result))


def names(module: shlo.Module) -> list[str]:
    return [op.name.partition(".")[2] for op in module.functions["main"].blocks[0].ops]


def sharding_text(value: Value) -> str:
    found = sharding_of(value)
    return str(to_attribute(found)).removeprefix("#sdy.sharding") if found is not None else ""


@pytest.mark.parametrize(
    ("call", "result", "expected"),
    [
        ("", '<@mesh, [{"x"}]>', ['<@mesh, [{"x"}]>', '<@mesh, [{"x"}]>']),
        ('<@mesh, [{"y"}]>', '<@mesh, [{"x"}]>', ['<@mesh, [{"y"}]>', '<@mesh, [{"x"}]>']),
        ('<@mesh, [{"y"}]>', "", ['<@mesh, [{"y"}]>', ""]),
        ("", "<@one, []>", ["", ""]),  # a device is no mesh to divide along
    ],
)
def test_calls_take_the_shardings_of_results(call: str, result: str, expected: list[str]) -> None:
    made = shlo.opt(calls(call, result), "sdy-propagate-sharding-from-func-to-call")
    found = [op.results[0] for op in made.functions["main"].blocks[0].ops[:2]]
    assert [sharding_text(value) for value in found] == expected


@pytest.mark.parametrize(
    ("call", "result", "resharded"),
    [
        ('<@mesh, [{"x"}]>', '<@mesh, [{"x"}]>', ["call", "call", "reshard", "return"]),
        ('<@mesh, [{"y"}]>', '<@mesh, [{"x"}]>', ["call", "reshard", "call", "reshard", "return"]),
        ('<@mesh, [{"y"}]>', "", ["call", "reshard", "call", "return"]),  # the callee returns the whole
        ("<@mesh, [{}]>", "", ["call", "call", "return"]),
        ("", '<@mesh, [{"x"}]>', ["call", "reshard", "call", "reshard", "return"]),
        ("", "", ["call", "call", "return"]),
    ],
)
def test_results_of_calls_that_differ_from_those_of_the_callee(
    call: str, result: str, resharded: list[str]
) -> None:
    made = shlo.opt(calls(call, result), "sdy-insert-func-call-reshards")
    assert names(made) == resharded
    found = sharding_text(made.functions["main"].blocks[0].ops[0].results[0])
    assert found == (result or (call and "<@mesh, [{}]>"))


@pytest.mark.parametrize(
    ("type", "edges"), [("tensor<4xf32>", 1), ("tensor<?xf32>", 0), ("tensor<*xf32>", 0)]
)
def test_what_has_no_sizes_has_no_edge(type: str, edges: int) -> None:
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = stablehlo.optimization_barrier %x : {type}
      return %0 : {type}
    }}"""
    made = shlo.opt(shlo.parse(text), "sdy-add-data-flow-edges")
    assert names(made) == ["optimization_barrier", *["data_flow_edge"] * edges, "return"]


@pytest.mark.parametrize(
    ("op", "given", "result", "expected"),
    [
        (  # the operand is the smaller one
            "stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>",
            '[{"x"}]',
            "[{}, {}]",
            ["reshard", "broadcast_in_dim", "return"],
        ),
        (
            "stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>",
            "[{}]",
            '[{"x"}, {}]',
            ["reshard", "broadcast_in_dim", "return"],
        ),
        (  # the result is
            "stablehlo.slice %x [0:8, 0:1] : (tensor<8x4xf32>) -> tensor<8x1xf32>",
            "[{}, {}]",
            '[{"x"}, {}]',
            ["slice", "reshard", "return"],
        ),
        (  # of equal ones, the one that is divided more
            "stablehlo.negate %x : tensor<8xf32>",
            '[{"x"}]',
            '[{"y"}]',
            ["reshard", "negate", "return"],
        ),
        ("stablehlo.negate %x : tensor<8xf32>", '[{"y"}]', '[{"x"}]', ["negate", "reshard", "return"]),
    ],
)
def test_the_one_of_two_tensors_that_is_resharded(
    op: str, given: str, result: str, expected: list[str]
) -> None:
    """The smaller one, or the one with fewer shards; others are computed as the larger one is divided."""
    *_, types = op.rpartition(" : ")
    before, _, after = types.partition(" -> ") if "->" in types else (types, "", types)
    attributes = f"{{sdy.sharding = #sdy.sharding_per_value<[<@mesh, {result}>]>}}"
    body = op.replace(" : ", f" {attributes} : ")
    before = before.strip("()")
    text = f"""{MESH}func.func @main(%x: {before} {{sdy.sharding = #sdy.sharding<@mesh, {given}>}})
        -> ({after} {{sdy.sharding = #sdy.sharding<@mesh, {result}>}}) {{
      %0 = {body}
      return %0 : {after}
    }}"""
    made = shlo.opt(shlo.parse(text), "sdy-insert-explicit-reshards{enable-full-version}")
    assert names(made) == expected


def test_a_named_computation_becomes_a_function_of_its_thread() -> None:
    """The function has the attribute of the thread, the call all others."""
    text = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = sdy.named_computation<"f">(%x) (%a: tensor<8xf32>) {
        %1 = stablehlo.negate %a : tensor<8xf32>
        sdy.return %1 : tensor<8xf32>
      } {a.b, execution_thread = "other"} : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }"""
    made = shlo.opt(shlo.parse(text), "sdy-export-named-computations")
    call = made.functions["main"].blocks[0].ops[0]
    assert [*call.attributes] == ["a.b"]
    assert str(made.functions["f"].attributes["execution_thread"]) == '"other"'
    back = shlo.opt(made, "sdy-import-func-calls").functions["main"].blocks[0].ops[0]
    assert sorted(back.attributes) == ["a.b", "execution_thread"]


@pytest.mark.parametrize("other", ["f", "g"])
@pytest.mark.parametrize(
    "name", ["sdy-flatten-call-graph", "sdy-import-func-calls", "sdy-pre-order-funcs", "partition"]
)
def test_functions_that_call_themselves(other: str, name: str) -> None:
    text = f"""sdy.mesh @m = <["x"=2]>
func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %r = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %r = func.call @{other}(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}}
func.func @main(%x: tensor<2xf32> {{sdy.sharding = #sdy.sharding<@m, [{{"x"}}]>}}) -> tensor<2xf32> {{
  %y = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}}"""
    with pytest.raises(shlo.TransformError, match="functions that call themselves") as raised:
        shlo.opt(shlo.parse(text), name)
    assert [d.line for d in raised.value.diagnostics] == [2 if other == "g" else 6]


def test_a_function_that_is_also_a_decomposition_stays() -> None:
    """What the calls compute gets shardings; the decomposition has the types that the composite states."""
    text = """sdy.mesh @m = <["x"=2]>
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = stablehlo.add %x, %x : tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<2xf32> {
  %y = stablehlo.composite "a.b" %x {decomposition = @f} : (tensor<2xf32>) -> tensor<2xf32>
  %z = func.call @f(%y) : (tensor<2xf32>) -> tensor<2xf32>
  %w = func.call @f(%z) : (tensor<2xf32>) -> tensor<2xf32>
  return %w : tensor<2xf32>
}"""
    made = shlo.opt(shlo.parse(text), "sdy-import-func-calls")  # which verifies
    assert [op.name for op in made.walk()].count("sdy.named_computation") == 2
    assert [op.name for op in made.functions["f"].blocks[0].ops] == ["stablehlo.add", "func.return"]
    back = shlo.opt(made, "sdy-export-named-computations")
    assert sorted(back.functions) == ["f", "f_0", "f_1", "main"]
    calls = [str(op.attribute("callee")) for op in back.walk() if op.name == "func.call"]
    assert sorted(calls) == ["@f_0", "@f_1"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('[{"x", "y":(1)2}, {}]', '[{"x", "y":(1)2}, {}]'),
        ('[{"x", "y":(1)2, ?}, {?}]', '[{"x", ?}, {?}]'),
        ('[{"y":(1)2, "x", ?}, {}]', "[{?}, {}]"),
        ('[{"y":(1)2, ?}, {"y":(2)2}]', '[{?}, {"y":(2)2}]'),
    ],
)
def test_parts_of_axes_at_the_boundary(given: str, expected: str) -> None:
    """Open dimensions are cut off before the first one; closed ones are what the program asks for."""
    attribute = f"{{sdy.sharding = #sdy.sharding<@mesh, {given}>}}"
    text = f"""{MESH}func.func @main(%x: tensor<8x8xf32> {attribute}) -> (tensor<8x8xf32> {attribute}) {{
      return %x : tensor<8x8xf32>
    }}"""
    made = shlo.opt(shlo.parse(text), "sdy-remove-sub-axes-in-input-output-shardings")
    assert shlo.format(made).count(f"#sdy.sharding<@mesh, {expected}>") == 2


def test_copies_of_a_function_call_copies() -> None:
    """So that each function is called once."""
    negate = "func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n"
    through = negate.replace("@g", "@f").replace(
        "return %x", "%0 = call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>\n  return %0"
    )
    main = CALLS.partition("func.func private")[0].replace("CALL", "")
    made = shlo.opt(shlo.parse(main + through + negate), "sdy-flatten-call-graph")
    called = [op.properties["callee"].root for op in made.walk() if op.name == "func.call"]
    assert len(called) == len({*called}) == 4
    assert sorted([*called, "main"]) == sorted(made.functions)


@pytest.mark.parametrize(
    ("passes", "given", "expected"),
    [
        ("sdy-remove-size-one-axes", '{"z"}p1', "{}"),  # a closed dimension without axes has no priority
        ("sdy-remove-size-one-axes", '{"z", ?}p1', "{?}p1"),
        ("sdy-remove-size-one-axes", '{"x", "z"}p1', '{"x"}p1'),
        ("sdy-update-non-divisible-input-output-shardings", '{"y"}p1', '{"y":(1)2}'),
        ("sdy-update-non-divisible-input-output-shardings", '{"y", ?}p1', '{"y":(1)2, ?}'),
        ("sdy-update-non-divisible-input-output-shardings", '{"x"}p1', '{"x"}p1'),
    ],
)
def test_priorities_of_dimensions_that_change(passes: str, given: str, expected: str) -> None:
    mesh = 'sdy.mesh @mesh = <["x"=2, "y"=4, "z"=1]>'
    attribute = f"{{sdy.sharding = #sdy.sharding<@mesh, [{given}]>}}"
    text = f"""{mesh}
    func.func @main(%x: tensor<6xf32> {attribute}) -> (tensor<6xf32> {attribute}) {{
      return %x : tensor<6xf32>
    }}"""
    assert shlo.format(shlo.opt(shlo.parse(text), passes)).count(f"<@mesh, [{expected}]>") == 2
