"""Shape refinement: types, shape computations, calls, and what makes it fail."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.syntax.parser import parse_type
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
        ("tensor<*xf32>", "tensor<2xf32>", "tensor<2xf32>"),
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
