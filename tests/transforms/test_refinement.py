"""Shape refinement: types, shape computations, calls, and what makes it fail."""

from __future__ import annotations

import re

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.opset.calls import callee, is_call
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.transforms.refinement.arguments import function_to_refine
from stablehlo_py.transforms.refinement.assertions import formatted
from stablehlo_py.transforms.refinement.calls import context_of
from stablehlo_py.transforms.refinement.refined_types import Conflict, most_specific

EXPORTED = """
func.func public @main(%x: tensor<?x3xf32>) -> tensor<?xf32> {
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %b = stablehlo.convert %size : (tensor<i32>) -> tensor<i64>
  %r = call @inner(%b, %x) : (tensor<i64>, tensor<?x3xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @inner(%b: tensor<i64>, %x: tensor<?x3xf32>) -> tensor<?xf32> {
  %three = stablehlo.constant dense<3> : tensor<i64>
  %n = stablehlo.multiply %b, %three : tensor<i64>
  %shape = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %flat = stablehlo.dynamic_reshape %x, %shape : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  %i = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  %r = stablehlo.add %flat, %i : tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
REMOVE = "stablehlo-remove-dynamism=types=tensor<4x3xf32>"


def body(module: shlo.Module, name: str = "main") -> list[str]:
    """The lines of a function."""
    text = str(module)
    start = text.index(f"@{name}(%arg0: ")
    return [line.strip() for line in text[start : text.index("  }", start)].splitlines()]


def refined(text: str, **options: bool) -> shlo.Module:
    stated = " ".join(f"{name.replace('_', '-')}={value}" for name, value in options.items())
    return shlo.opt(shlo.parse(text), [f"stablehlo-refine-shapes{{{stated}}}"])


def errors(text: str, passes: str) -> list[tuple[int, str]]:
    with pytest.raises(shlo.TransformError) as raised:
        shlo.opt(shlo.parse(text), [passes])
    return [(d.line, d.message) for d in raised.value.diagnostics]


def test_a_dynamic_program_becomes_static() -> None:
    module = shlo.parse(EXPORTED)
    static = shlo.opt(module, [REMOVE])
    assert "?" not in str(static)
    assert body(static, "inner") == [
        "@inner(%arg0: tensor<4x3xf32>) -> tensor<12xf32> {",
        "%0 = stablehlo.reshape %arg0 : (tensor<4x3xf32>) -> tensor<12xf32>",
        "%1 = stablehlo.iota dim = 0 : tensor<12xf32>",
        "%2 = stablehlo.add %0, %1 : tensor<12xf32>",
        "return %2 : tensor<12xf32>",
    ]
    assert body(static)[1] == "%0 = call @inner(%arg0) : (tensor<4x3xf32>) -> tensor<12xf32>"
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert np.array_equal(shlo.run(static, [x])[0], shlo.run(module, [x])[0])


@pytest.mark.parametrize(
    ("a", "b", "together"),
    [
        ("tensor<?x3xf32>", "tensor<2x?xf32>", "tensor<2x3xf32>"),
        ("tensor<?xf32>", "tensor<*xf32>", "tensor<?xf32>"),
        (
            "!stablehlo.future<tensor<?xf32>, tensor<2xi32>>",
            "!stablehlo.future<tensor<3xf32>, tensor<?xi32>>",
            "!stablehlo.future<tensor<3xf32>, tensor<2xi32>>",
        ),
        ("!stablehlo.future<tensor<?xf32>>", "!stablehlo.future<tensor<3xf32>, tensor<2xi32>>", None),
        ("!stablehlo.future<tensor<?xf32>>", "tuple<tensor<?xf32>>", None),
        ("tensor<*xf32>", "tensor<2xf32>", "tensor<2xf32>"),
        ("tensor<*xf32>", "tensor<?xf32, #stablehlo.bounds<3>>", "tensor<?xf32, #stablehlo.bounds<3>>"),
        (
            "tensor<?x?xf32>",
            "tensor<?x2xf32, #stablehlo.bounds<5, ?>>",
            "tensor<?x2xf32, #stablehlo.bounds<5, ?>>",
        ),
        (
            "tensor<?xf32, #stablehlo.bounds<5>>",
            "tensor<?xf32, #stablehlo.bounds<4>>",
            "tensor<?xf32, #stablehlo.bounds<4>>",
        ),
        ("tensor<?xf32, #stablehlo.bounds<5>>", "tensor<3xf32>", "tensor<3xf32>"),
        (
            "tuple<tensor<?xf32>, tensor<i1>>",
            "tuple<tensor<2xf32>, tensor<i1>>",
            "tuple<tensor<2xf32>, tensor<i1>>",
        ),
        ("!stablehlo.token", "!stablehlo.token", "!stablehlo.token"),
        ("tensor<2xf32>", "tensor<3xf32>", None),
        ("tensor<?xf32>", "tensor<?x?xf32>", None),
        ("tensor<?xf32, #stablehlo.bounds<2>>", "tensor<3xf32>", None),
        ("tensor<f32>", "!stablehlo.token", None),
    ],
)
def test_what_two_types_say_together(a: str, b: str, together: str | None) -> None:
    if together is not None:
        assert most_specific(parse_type(a), parse_type(b)) is parse_type(together)
        return
    with pytest.raises(Conflict):
        most_specific(parse_type(a), parse_type(b))


def test_loops_conditionals_and_tuples() -> None:
    found = refined("""
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<?xf32> {
  %d = stablehlo.convert %x : (tensor<4xf32>) -> tensor<?xf32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %w:2 = stablehlo.while(%i = %n, %y = %d) : tensor<i32>, tensor<?xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %z = stablehlo.add %y, %y : tensor<?xf32>
      stablehlo.return %i, %z : tensor<i32>, tensor<?xf32>
    }
  %t = stablehlo.tuple %w#1, %n : tuple<tensor<?xf32>, tensor<i32>>
  %e = stablehlo.get_tuple_element %t[0] : (tuple<tensor<?xf32>, tensor<i32>>) -> tensor<?xf32>
  %r = "stablehlo.if"(%p) ({
    %a = stablehlo.negate %e : tensor<?xf32>
    stablehlo.return %a : tensor<?xf32>
  }, {
    stablehlo.return %e : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
""")
    assert "?" not in str(found)


def test_bounds_of_operands_are_those_of_results() -> None:
    """As upstream: a dimension has the smallest of the bounds."""
    found = refined("""
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x?xf32, #stablehlo.bounds<6, ?>> {
  %r = stablehlo.abs %x
    : (tensor<?x4xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x?xf32, #stablehlo.bounds<6, ?>>
  return %r : tensor<?x?xf32, #stablehlo.bounds<6, ?>>
}
""")
    assert body(found)[1] == "%0 = stablehlo.abs %arg0 : tensor<?x4xf32, #stablehlo.bounds<5, ?>>"


def test_contradictions_are_reported_at_the_op() -> None:
    (found,) = errors(
        """func.func @main(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %a = stablehlo.abs %x : (tensor<3xf32>) -> tensor<?xf32>
  %b = stablehlo.abs %y : (tensor<4xf32>) -> tensor<?xf32>
  %r = stablehlo.add %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}
""",
        "stablehlo-refine-shapes",
    )
    assert found[0] == 4
    assert "(C1)" in found[1]


TWICE = """
func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %a = stablehlo.convert %x : (tensor<2xf32>) -> tensor<?xf32>
  %b = stablehlo.convert %y : (tensor<3xf32>) -> tensor<?xf32>
  %c = call @f(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %d = call @f(%b) : (tensor<?xf32>) -> tensor<?xf32>
  %e = call @f(%c) : (tensor<?xf32>) -> tensor<?xf32>
  return %c, %d, %e : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = stablehlo.add %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


def test_calls_that_differ_get_a_function_each_or_are_an_error() -> None:
    found = errors(TWICE, "stablehlo-refine-shapes")
    assert found == [
        (10, "@f is refined for calls that differ"),
        (6, "incorrect operands for the refined @f"),
    ]
    separate = refined(TWICE, separate_calls=True)
    assert list(separate.functions) == ["main", "f", "f_1"]
    assert body(separate)[1:4] == [
        "%0 = stablehlo.convert %arg0 : tensor<2xf32>",
        "%1 = stablehlo.convert %arg1 : tensor<3xf32>",
        "%2 = call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>",
    ]
    assert body(separate)[5] == "%4 = call @f(%2) : (tensor<2xf32>) -> tensor<2xf32>"
    inputs = [np.float32([1, 2]), np.float32([1, 2, 3])]
    results = shlo.run(separate, inputs)
    assert [r.tolist() for r in results] == [[2, 4], [2, 4, 6], [4, 8]]


@pytest.mark.parametrize("order", ["2", "23", "223", "232", "233", "2332", "2323", "23423"])
@pytest.mark.parametrize("kind", ["call", "composite"])
def test_each_call_uses_the_function_of_its_types(kind: str, order: str) -> None:
    """Calls with equal types share one, wherever they are; a copy is private."""
    op = "call @f(%x_)" if kind == "call" else 'stablehlo.composite "a.b" %x_ {decomposition = @f}'
    lines = [
        f"%x{n} = stablehlo.convert %y{size} : (tensor<{size}xf32>) -> tensor<?xf32>\n"
        f"%r{n} = {op.replace('_', str(n), 1)} : (tensor<?xf32>) -> tensor<?xf32>\n"
        for n, size in enumerate(order)
    ]
    types = ", ".join(["tensor<?xf32>"] * len(order))
    returned = ", ".join(f"%r{n}" for n in range(len(order)))
    text = f"""func.func @main(%y2: tensor<2xf32>, %y3: tensor<3xf32>, %y4: tensor<4xf32>) -> ({types}) {{
{"".join(lines)}return {returned} : {types}
}}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %r = stablehlo.add %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}}
"""
    made = refined(text, separate_calls=True)  # which verifies
    kinds = list(dict.fromkeys(order))
    names = {size: f"f_{n}" if n else "f" for n, size in enumerate(kinds)}
    called = [str(callee(op)) for op in made.walk() if is_call(op)]
    assert called == [names[size] for size in order]
    assert sorted(made.functions) == sorted([*names.values(), "main"])
    private = {n for n, f in made.functions.items() if f.python_value("sym_visibility") == "private"}
    assert private == {*names.values()} - {"f"}


def test_calls_with_sizes_use_the_function_of_their_sizes() -> None:
    """The types of the other arguments are equal."""
    sizes = [2, 3, 2, 3, 4, 3]
    calls = "\n".join(
        f"%c{n} = stablehlo.constant dense<{size}> : tensor<i32>\n"
        f"%r{n} = call @f(%c{n}, %x) : (tensor<i32>, tensor<f32>) -> tensor<?xf32>"
        for n, size in enumerate(sizes)
    )
    types = ", ".join(["tensor<?xf32>"] * len(sizes))
    made = refined(
        f"""func.func @main(%x: tensor<f32>) -> ({types}) {{
{calls}
return {", ".join(f"%r{n}" for n in range(len(sizes)))} : {types}
}}
func.func private @f(%n: tensor<i32>, %x: tensor<f32>) -> tensor<?xf32> {{
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}}
""",
        separate_calls=True,
    )
    assert [found.tolist() for found in shlo.run(made, [np.float32(7)], engine="numpy")] == [
        [7.0] * size for size in sizes
    ]
    assert sorted(made.functions) == ["f", "f_1", "f_2", "main"]


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (
            "dense<[1, 1]> : tensor<2xi64>",
            "number of elements (2) must be equal to the number of results (1)",
        ),
        ("dense<1> : tensor<1x1xi64>", "must have rank = 1"),
        ("dense<1> : tensor<1xi32>", "must have i64 element type"),
        ("dense<-1> : tensor<1xi64>", "index #0 (-1) must be within bounds for the operands (from 0 to 2)"),
        (
            "dense<0> : tensor<1xi64>",
            "refinement #0 ([9]) must be compatible with result #0 (tensor<?x2xf32>)",
        ),
    ],
)
@pytest.mark.parametrize("passes", ["stablehlo-refine-shapes", "stablehlo-canonicalize-dynamism"])
def test_shape_operands_that_contradict_the_types(attribute: str, message: str, passes: str) -> None:
    ((line, found),) = errors(
        f"""func.func @main() -> tensor<?x2xf32> {{
  %a = stablehlo.constant dense<9> : tensor<1xi64>
  %r = stablehlo.custom_call @f(%a, %a) {{indices_of_shape_operands = {attribute}}}
    : (tensor<1xi64>, tensor<1xi64>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}}
""",
        passes,
    )
    assert line == 3
    assert message in found


def types_of(text: str, passes: str = "stablehlo-refine-shapes") -> dict[str, str]:
    """The types of the named results of a program after a pass."""
    module = shlo.opt(shlo.parse(text), [passes])
    return {str(v.name): str(v.type) for op in module.walk() for v in op.results if v.name is not None}


def test_constants_that_are_made_stand_in_front_of_the_others() -> None:
    """As in MLIR: constants are moved to the start when a function is first looked at, then what is made."""
    found = refined("""
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %d = stablehlo.negate %x : tensor<4xf32>
  %a = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4xf32>) -> tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  return %d, %a, %n, %b : tensor<4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
}
""")
    ops = found.functions["main"].blocks[0].ops
    assert [str(op.attribute("value")) for op in ops[:3]] == [f"dense<{n}> : tensor<i32>" for n in (4, 2, 1)]


def test_sizes_that_contradict_the_type_of_a_result() -> None:
    """They are known only after the addition: 1 + 3 and 1 + 4."""
    text = """func.func @main() -> tensor<?x3xi32> {
  %a = stablehlo.constant dense<1> : tensor<2xi64>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %s = stablehlo.add %a, %b : tensor<2xi64>
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x3xi32>
  return %r : tensor<?x3xi32>
}
"""
    assert types_of(text.replace("x3x", "x?x"))["r"] == "tensor<4x5xi32>"
    with pytest.raises(shlo.TransformError) as raised:
        shlo.opt(shlo.parse(text), ["stablehlo-refine-shapes"], verify_each=False)
    (found,) = raised.value.diagnostics
    assert found.line == 5
    assert found.message.startswith("stablehlo.dynamic_iota")


def test_values_of_other_dialects_keep_their_types() -> None:
    """An op of another dialect may state the types of its operands elsewhere."""
    found = types_of("""func.func @main(%x: tensor<4xf32>) -> (index, tensor<?xf32>) {
  %c = arith.constant 0 : index
  %a = stablehlo.abs %x : (tensor<4xf32>) -> tensor<?xf32>
  %b = stablehlo.sign %x : (tensor<4xf32>) -> tensor<?xf32>
  %d = tensor.dim %a, %c : tensor<?xf32>
  return %d, %b : index, tensor<?xf32>
}
""")
    assert (found["a"], found["b"]) == ("tensor<?xf32>", "tensor<4xf32>")


def test_functions_without_a_body_are_not_refined() -> None:
    found = refined("""
func.func private @f(tensor<?xf32>) -> tensor<?xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
  %a = stablehlo.abs %x : (tensor<4xf32>) -> tensor<?xf32>
  %b = stablehlo.convert %a : (tensor<?xf32>) -> tensor<?xf32>
  %r = call @f(%b) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
""")
    (call,) = [op for op in found.walk() if op.name == "func.call"]
    assert str(call.result.type) == "tensor<?xf32>"
    assert "private @f(tensor<?xf32>) -> tensor<?xf32>" in str(found)


def test_attributes_of_arguments_that_stand_for_sizes_are_dropped_with_them() -> None:
    """At the call, too."""
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %0 = call @f(%n, %x) {arg_attrs = [{a.size}, {a.data}]} : (tensor<i32>, tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    func.func private @f(%n: tensor<i32> {a.size}, %x: tensor<?xf32> {a.data}) -> tensor<?xf32> {
      %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0]
        : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    passes = ["stablehlo-refine-arguments{types={tensor<4xf32>}}", "stablehlo-refine-shapes"]
    module = shlo.opt(shlo.parse(text), passes)
    (call,) = [op for op in module.walk() if op.name == "func.call"]
    assert (
        str(call.attribute("arg_attrs")) == str(module.functions["f"].attribute("arg_attrs")) == "[{a.data}]"
    )
    assert shlo.verify(module) == []


def test_returned_casts_are_dropped_if_they_are_to_less_specific_types() -> None:
    types = ("tensor<?xf32>", "tensor<*xf32>", "tensor<?xi32>", "tensor<4xf32>")
    casts = "\n".join(
        f"%{n} = builtin.unrealized_conversion_cast %x : tensor<3xf32> to {type}"
        for n, type in enumerate(types)
    )
    found = refined(f"""func.func @main(%x: tensor<3xf32>) -> ({", ".join(types)}) {{
{casts}
return %0, %1, %2, %3 : {", ".join(types)}
}}
""")
    last = found.functions["main"].blocks[0].ops[-1]
    assert [str(value.type) for value in last.operands] == ["tensor<3xf32>"] * 2 + list(types[2:])


TWO_ROWS = "tensor<?x?xi1, #stablehlo.bounds<2, ?>>"  # at most
BOUNDED = "tensor<?x2xf32, #stablehlo.bounds<5, ?>>"
VECTOR = "tensor<?xf32, #stablehlo.bounds<5>>"
SLICE = (
    "stablehlo.real_dynamic_slice %x, {} "
    ": (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>"
)


@pytest.mark.parametrize(
    ("body", "result", "refined_type"),
    [
        # The elements have the same width, and all of them have the same place.
        ("stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<?xi32>", "tensor<?xi32>", "tensor<4xi32>"),
        (
            "stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<?x?xi16>",
            "tensor<?x?xi16>",
            "tensor<?x?xi16>",
        ),
        ("stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<*xi32>", "tensor<*xi32>", "tensor<*xi32>"),
        (
            "stablehlo.bitcast_convert %u : (tensor<*xf32>) -> tensor<?xi32>",
            "tensor<?xi32>",
            "tensor<?xi32>",
        ),
        # The size of a slice is (3 - 1) / 1, rounded up, and so on.
        (SLICE.format("%one, %three, %one"), "tensor<?xf32>", "tensor<2xf32>"),
        (SLICE.format("%zero, %three, %two"), "tensor<?xf32>", "tensor<2xf32>"),
        (SLICE.format("%i, %end, %one"), "tensor<?xf32>", "tensor<3xf32>"),  # from i to i + 3
        (SLICE.format("%i, %end, %two"), "tensor<?xf32>", "tensor<?xf32>"),
        (SLICE.format("%i, %three, %one"), "tensor<?xf32>", "tensor<?xf32>"),
        (SLICE.format("%i, %other, %one"), "tensor<?xf32>", "tensor<?xf32>"),
        (SLICE.format("%zero, %three, %i"), "tensor<?xf32>", "tensor<?xf32>"),
        (SLICE.format("%one, %one, %one"), "tensor<?xf32>", "tensor<0xf32>"),
        (SLICE.format("%three, %one, %one"), "tensor<?xf32>", "tensor<?xf32>"),
        (SLICE.format("%zero, %three, %zero"), "tensor<?xf32>", "tensor<?xf32>"),
        # The bounds are those of the operands, where these do not contradict each other.
        (
            f"stablehlo.compare LT, %b, %b : ({BOUNDED}, {BOUNDED}) -> tensor<?x?xi1>",
            "tensor<?x?xi1>",
            "tensor<?x2xi1, #stablehlo.bounds<5, ?>>",
        ),
        (f"stablehlo.abs %w : ({VECTOR}) -> tensor<?xf32>", "tensor<?xf32>", VECTOR),
        (
            f"stablehlo.add %b, %y : ({BOUNDED}, tensor<?x?xf32>) -> tensor<?x?xf32>",
            "tensor<?x?xf32>",
            BOUNDED,
        ),
        (
            f"stablehlo.select %d, %z, %z : ({TWO_ROWS}, tensor<3x?xf32>, tensor<3x?xf32>) "
            "-> tensor<?x?xf32>",
            "tensor<?x?xf32>",
            "tensor<3x?xf32>",
        ),
    ],
)
def test_what_is_known_of_results(body: str, result: str, refined_type: str) -> None:
    arguments = f"%x: tensor<4xf32>, %u: tensor<*xf32>, %i: tensor<1xi64>, %b: {BOUNDED}, "
    arguments += f"%y: tensor<?x?xf32>, %z: tensor<3x?xf32>, %d: {TWO_ROWS}, %w: {VECTOR}"
    text = f"""func.func @main({arguments}) -> {result} {{
  %zero = stablehlo.constant dense<0> : tensor<1xi64>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %end = stablehlo.add %i, %three : tensor<1xi64>
  %other = stablehlo.add %three, %three : tensor<1xi64>
  %r = {body}
  return %r : {result}
}}
"""
    assert types_of(text)["r"] == refined_type


def test_an_op_of_too_many_results_keeps_their_types() -> None:
    """The program is not valid."""
    found = types_of("""func.func @main(%x: tensor<4xf32>) {
  %a, %b = "stablehlo.abs"(%x) {m.n} : (tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  "stablehlo.custom_call"(%a, %b) {call_target_name = "f", has_side_effect = true}
    : (tensor<?xf32>, tensor<?xf32>) -> ()
  return
}
""")
    assert found == {"a": "tensor<?xf32>", "b": "tensor<?xf32>"}


@pytest.mark.parametrize(
    ("operands", "sizes"),
    [
        ("n x", [(0, 2)]),
        ("n n x", [(0, 2), (1, 2)]),
        ("t n x n", [(1, 2)]),
        ("t t n x", [(2, 2)]),
        ("n t n x", [(0, 2)]),  # tokens come first
        ("x n", []),
        ("v n x", []),  # a constant of one dimension is no size
        ("n v n", [(0, 2)]),
    ],
)
def test_the_sizes_of_a_call(operands: str, sizes: list[tuple[int, int]]) -> None:
    """Constants from the first argument on that is no token."""
    types = {"n": "tensor<i32>", "x": "tensor<?xf32>", "t": "!stablehlo.token", "v": "tensor<1xi32>"}
    kinds = operands.split()
    given = ", ".join(types[kind] for kind in kinds)
    module = shlo.parse(f"""func.func private @f({given})
    func.func @main(%x: tensor<?xf32>, %t: !stablehlo.token) {{
      %n = stablehlo.constant dense<2> : tensor<i32>
      %v = stablehlo.constant dense<2> : tensor<1xi32>
      func.call @f({", ".join(f"%{kind}" for kind in kinds)}) : ({given}) -> ()
      return
    }}""")
    (call,) = [op for op in module.walk() if op.name == "func.call"]
    context = context_of(call, None)
    assert list(context.sizes) == sizes
    rest = [kind for index, kind in enumerate(kinds) if (index, 2) not in sizes]
    assert [str(type) for type in context.types] == [types[kind] for kind in rest]


@pytest.mark.parametrize(
    ("operands", "mark", "sizes"),
    [
        ("x n", '"n"', [1]),
        ("x m", '"n"', []),
        ("m x", '"n"', []),
        ("n x", '"n"', [0]),
        ("x n", '""', []),
        ("x n", '"_platform_index"', []),
        ("x n", "1 : i64", []),
    ],
)
def test_an_argument_that_is_marked_as_a_size(operands: str, mark: str, sizes: list[int]) -> None:
    """The second one is, with the name of a symbol; %m is no constant."""
    types = {"x": "tensor<?xf32>"}
    first, second = [types.get(kind, "tensor<i32>") for kind in operands.split()]
    module = shlo.parse(f"""func.func private @f({first}, {second} {{jax.global_constant = {mark}}})
    func.func @main(%x: tensor<?xf32>, %m: tensor<i32>) {{
      %n = stablehlo.constant dense<2> : tensor<i32>
      func.call @f({", ".join(f"%{kind}" for kind in operands.split())}) : ({first}, {second}) -> ()
      return
    }}""")
    (call,) = [op for op in module.walk() if op.name == "func.call"]
    assert context_of(call, module.functions["f"].attribute("arg_attrs")).dropped == sizes


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("tensor<4xf32>", "number of refinements must match number of arguments 1 vs 2"),
        ("tensor<4x3>,tensor<i1>", "tensor<4x3> is not a type"),
        (
            "!stablehlo.token,tensor<i1>",
            "invalid refinement for argument 0, refinement must be a tensor in tensor<?x3xf32> -> "
            "!stablehlo.token",
        ),
        (
            "tensor<4x3xf64>,tensor<i1>",
            "invalid refinement for argument 0, refinement element types must match in tensor<?x3xf32> -> "
            "tensor<4x3xf64>",
        ),
        (
            "tensor<*xf32>,tensor<i1>",
            "invalid refinement for argument 0, refinement must be ranked in tensor<?x3xf32> -> "
            "tensor<*xf32>",
        ),
        (
            "tensor<3xf32>,tensor<i1>",
            "invalid refinement for argument 0, refinement rank must match operand rank in "
            "tensor<?x3xf32> -> tensor<3xf32>",
        ),
        (
            "tensor<4x?xf32>,tensor<i1>",
            "invalid refinement for argument 0, refinement dimension sizes must match for static "
            "dimensions in tensor<?x3xf32> -> tensor<4x?xf32>",
        ),
        (
            "tensor<4x3xf32>,tensor<i8>",
            "invalid refinement for argument 1, refinement element types must match in tensor<i1> -> "
            "tensor<i8>",
        ),
    ],
)
def test_types_that_arguments_cannot_have(types: str, message: str) -> None:
    text = "func.func @main(%x: tensor<?x3xf32>, %p: tensor<i1>) {\n  return\n}\n"
    ((_, found),) = errors(text, f"stablehlo-refine-arguments{{types={types}}}")
    assert found.removeprefix("func.func: ") == message


@pytest.mark.parametrize(
    ("names", "refined_name"),
    [(["f"], "f"), (["f", "main"], "main"), (["main", "f"], "main"), (["f", "g"], "")],
)
def test_the_function_that_is_refined(names: list[str], refined_name: str) -> None:
    module = shlo.parse("".join(f"func.func @{name}() {{ return }}\n" for name in names))
    if refined_name:
        assert function_to_refine(module) is module.functions[refined_name]
        return
    with pytest.raises(shlo.TransformError, match="must have no more than one function or a `main` function"):
        function_to_refine(module)


def test_a_function_of_several_blocks_is_refused() -> None:
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  cf.br ^bb1(%x : tensor<?xf32>)
^bb1(%y: tensor<?xf32>):
  return %y : tensor<?xf32>
}
"""
    assert errors(text, "stablehlo-refine-shapes") == [(1, "func.func must have exactly one block")]


def test_an_assertion_that_does_not_hold_is_reported_instead_of_what_follows_from_it() -> None:
    text = """func.func @main(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3xf32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %p = stablehlo.compare EQ, %n, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%p, %n) {error_message = "{0} is not 4", has_side_effect = true}
    : (tensor<i1>, tensor<i32>) -> ()
  %a = stablehlo.abs %x : (tensor<3xf32>) -> tensor<?xf32>
  %b = stablehlo.abs %y : (tensor<4xf32>) -> tensor<?xf32>
  %r = stablehlo.add %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
    assert errors(text, "stablehlo-refine-shapes") == [(5, "3 is not 4")]
    ((line, message),) = errors(text.replace("dense<4>", "dense<3>"), "stablehlo-refine-shapes")
    assert line == 9
    assert "(C1)" in message


@pytest.mark.parametrize(
    ("sizes", "other", "message"),
    [
        ("2", "tensor<?xf32>", None),
        ("0", "tensor<?xf32>", None),
        (str(-(2**63)), "tensor<?xf32>", None),  # an unknown size
        ("-1", "tensor<?xf32>", "refinement #0 ([-1]) must be compatible with result #0 (tensor<?xf32>)"),
        ("2", "!stablehlo.token", "refinement #1 ([2]) must be compatible with result #1 (!stablehlo.token)"),
    ],
)
def test_shapes_that_no_result_has(sizes: str, other: str, message: str | None) -> None:
    text = f"""func.func @main() {{
  %a = stablehlo.constant dense<{sizes}> : tensor<1xi64>
  %r, %s = "stablehlo.custom_call"(%a) {{
    call_target_name = "f", indices_of_shape_operands = dense<0> : tensor<2xi64>
  }} : (tensor<1xi64>) -> (tensor<?xf32>, {other})
  "stablehlo.custom_call"(%r, %s) {{call_target_name = "g", has_side_effect = true}}
    : (tensor<?xf32>, {other}) -> ()
  return
}}
"""
    if message is None:
        found = types_of(text)
        assert found["r"] == found["s"] == f"tensor<{'?' if sizes.startswith('-') else sizes}xf32>"
        return
    ((line, found),) = errors(text, "stablehlo-refine-shapes")
    assert (line, found) == (3, f"stablehlo.custom_call: indices_of_shape_operands: {message}")


def test_ops_of_unknown_dialects_keep_their_types() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
  %r = "other.op"(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
    module = shlo.parse(text, allow_unregistered=True)
    assert shlo.format(shlo.opt(module, ["stablehlo-refine-shapes"])) == shlo.format(module)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{0:x} {0:X} {0:x-}", "0xffffffffffffffff 0xFFFFFFFFFFFFFFFF ffffffffffffffff"),
        ("{1:x} {1:X} {1:x-} {1:x8}", "0xab 0xAB ab 0x000000ab"),
        ("{2:n} {2:d} {2}", "1,234,567 1234567 1234567"),
        ("{{0} {1}", "{0} 171"),
        ("{1,5}|{1,-5}|{1,=5}|{1,+5}|{1,*-5}", "  171|171  | 171 |  171|171**"),
    ],
)
def test_values_in_messages_of_assertions(text: str, expected: str) -> None:
    """In the notation of LLVM: negative numbers are those of 64 bits, and on the right by default."""
    assert formatted(text, [-1, 171, 1234567]) == expected


@pytest.mark.parametrize("count", [1, 2])
def test_the_regions_of_a_loop_have_the_types_of_its_values(count: int) -> None:
    """Also of one that carries a single value."""
    types = ", ".join(["tensor<?xf32>"] * count)
    text = f"""func.func @main(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<?xf32> {{
  %y = stablehlo.abs %x : (tensor<2xf32>) -> tensor<?xf32>
  %w:{count} = stablehlo.while({", ".join(["%i = %y", "%j = %y"][:count])}) : {types}
  cond {{
    stablehlo.return %p : tensor<i1>
  }} do {{
    %n = stablehlo.negate %i : tensor<?xf32>
    stablehlo.return {", ".join(["%n"] * count)} : {types}
  }}
  return %w#0 : tensor<?xf32>
}}"""
    module = refined(text)
    (loop,) = [op for op in module.walk() if op.name == "stablehlo.while"]
    inside = [argument for block in loop.blocks for argument in block.arguments]
    (negate,) = [op for op in loop.walk() if op.name == "stablehlo.negate"]
    found = {str(value.type) for value in (*inside, *loop.results, negate.result)}
    assert found == {"tensor<2xf32>"}


@pytest.mark.parametrize("separate", ["true", "false"])
def test_a_function_that_calls_itself_with_another_size(separate: str) -> None:
    """It would need a copy for each size, without end."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<?xf32> {
  %y = stablehlo.abs %x : (tensor<2xf32>) -> tensor<?xf32>
  %r = call @f(%y) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = call @f(%y) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}"""
    assert errors(text, f"stablehlo-refine-shapes{{separate-calls={separate}}}") == [
        (6, "@f is refined for calls that differ"),
        (8, "incorrect operands for the refined @f"),
    ]


@pytest.mark.parametrize("given", ["2", "?"])
def test_pending_results_and_bodies_of_asynchronous_ops(given: str) -> None:
    text = f"""func.func @main(%x: tensor<2xf32>) -> tensor<?xf32> {{
  %y = stablehlo.abs %x : (tensor<2xf32>) -> tensor<{given}xf32>
  %f = "stablehlo.async_start"(%y) ({{
  ^bb0(%a: tensor<{given}xf32>):
    %g = "stablehlo.all_gather"(%a)
      <{{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}}>
      : (tensor<{given}xf32>) -> tensor<?xf32>
    stablehlo.return %g : tensor<?xf32>
  }}) : (tensor<{given}xf32>) -> !stablehlo.future<tensor<?xf32>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<?xf32>>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}}"""
    found = refined(text)  # which verifies
    assert shlo.format(found) == shlo.format(shlo.parse(re.sub(r"<\?xf32>", "<2xf32>", text)))
