"""Specialization: symbols, their expressions, constraints, and calls of one function with several sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.transforms.symbolic_sizes import evaluate_size, symbolic_shapes


@pytest.mark.parametrize(
    ("size", "value"),
    [
        ("b", 5),
        ("2*b + 1", 11),
        ("-1*c + b^2 - 3", 15),
        ("floordiv(b + c, 3)", 4),
        ("mod(-1*b, 3)", 1),
        ("max(b, 2*(c - b))*2", 10),
        ("min(b, floordiv(c, 2))", 3),
        ("12", 12),
        ("d", None),
        ("2*d + b", None),
    ],
)
def test_sizes(size: str, value: int | None) -> None:
    """In the notation of JAX: floordiv and mod round down."""
    assert evaluate_size(size, {"b": 5, "c": 7}) == value


@pytest.mark.parametrize(
    "size", ["b +", "(b", "b^999", "floordiv(b, 0)", "b b", "max(b)", "2 $ 3", "(" * 5000]
)
def test_malformed_sizes_are_an_error(size: str) -> None:
    with pytest.raises(ValueError, match="cannot be computed"):
        evaluate_size(size, {"b": 5})


@pytest.fixture
def exported(testdata: Path) -> shlo.Module:
    """`softmax(x @ w)` of (b, c) and (c, 3), where `b >= 2` and `mod(c, 4) == 0`."""
    return shlo.load(testdata / "symbolic.jax_export")


def test_symbols_of_a_container_and_of_its_text(exported: shlo.Module) -> None:
    text = shlo.parse(shlo.format(exported))
    for module in (exported, text):
        assert symbolic_shapes(module, module.functions["main"]) == {0: ("b", "c"), 1: ("c", "3")}
        static = shlo.specialize(module, {"b": 2, "c": 4})
        assert "?" not in str(static)
        assert "shape_assertion" not in str(static)
        assert list(static.functions) == ["main", "_wrapped_jax_export_main"]
        x, w = np.ones((2, 4), np.float32), np.arange(12, dtype=np.float32).reshape(4, 3) / 8
        assert np.array_equal(shlo.run(static, [x, w])[0], shlo.run(module, [x, w])[0])


def test_sizes_of_arguments_beside_added_and_dropped_ones() -> None:
    """A program for several platforms takes an index first; one argument that it does not use is gone."""
    module = shlo.parse("func.func @main(%platform: tensor<i32>, %x: tensor<?x3xf32>) { return }")
    for size in ("b", "2*b + 1", "max(b, floordiv(mod(c, 5), 2))"):
        module.container = {"in_avals": ["float32[4]", f"float32[{size},3]"], "module_kept_var_idx": [1]}
        assert symbolic_shapes(module, module.functions["main"]) == {1: (size, "3")}


def test_dimensions_that_are_left_out_stay_dynamic(exported: shlo.Module) -> None:
    partial = shlo.specialize(exported, {"arg0.0": 3})
    main = partial.functions["main"].regions[0].blocks[0]
    assert [str(argument.type) for argument in main.arguments] == ["tensor<3x?xf32>", "tensor<?x3xf32>"]
    assert "shape_assertion" in str(partial)
    x, w = np.ones((3, 8), np.float32), np.ones((8, 3), np.float32)
    assert np.allclose(shlo.run(partial, [x, w])[0], 1 / 3)
    with pytest.raises(shlo.RunError, match=r"constraint 4\*floordiv\(c, 4\) == c"):
        shlo.run(partial, [x[:, :7], w[:7]])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"b": 1, "c": 4}, "symbolic shape constraint b >= 2. Expected 'b - 2' to be greater or equal to 0"),
        ({"b": 2, "c": 6}, "symbolic shape constraint mod(c, 4) == 0"),
    ],
)
def test_the_messages_of_constraints(exported: shlo.Module, sizes: dict[str, int], message: str) -> None:
    with pytest.raises(shlo.TransformError) as raised:
        shlo.specialize(exported, sizes)
    assert any(message in d.message and d.line for d in raised.value.diagnostics)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"d": 1}, "the program has no dimension d; its dimensions are b, c"),
        ({"arg1.1": 4}, "dimension 1 of input 1 (%arg1) (3) cannot have size 3 and 4"),
        ({"c": 4, "arg0.1": 8}, "dimension 1 of input 0 (%arg0) (c) cannot have size 4 and 8"),
        ({"b": -1}, "dimension b must be at least 0, not -1"),
    ],
)
def test_sizes_that_no_argument_can_have(exported: shlo.Module, sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError) as raised:
        shlo.specialize(exported, sizes)
    assert str(raised.value) == message


BOUNDED = """func.func @main(%x: tensor<?x?xf32, #stablehlo.bounds<4, 5>>)
    -> tensor<?x?xf32, #stablehlo.bounds<4, 5>> {
  %0 = stablehlo.abs %x : tensor<?x?xf32, #stablehlo.bounds<4, 5>>
  return %0 : tensor<?x?xf32, #stablehlo.bounds<4, 5>>
}
"""


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({"x.0": 4, "x.1": 0}, "tensor<4x0xf32>"),
        ({"x.0": 3}, "tensor<3x?xf32, #stablehlo.bounds<?, 5>>"),
        ({"x.1": 5}, "tensor<?x5xf32, #stablehlo.bounds<4, ?>>"),
        ({}, "tensor<?x?xf32, #stablehlo.bounds<4, 5>>"),
        ({"x.0": 3, "x.1": 5}, "tensor<3x5xf32>"),
    ],
)
def test_bounds_of_the_dimensions_that_are_left_out(sizes: dict[str, int], expected: str) -> None:
    made = shlo.specialize(shlo.parse(BOUNDED), sizes)
    assert shlo.verify(made) == []
    main = made.functions["main"].entry_block
    assert [str(op.result.type) for op in main.ops[:-1]] == [str(main.arguments[0].type)] == [expected]


@pytest.mark.parametrize("sizes", [{"x.0": 5}, {"x.0": 5, "x.1": 5}])
def test_no_size_is_above_its_bound(sizes: dict[str, int]) -> None:
    with pytest.raises(ValueError) as raised:
        shlo.specialize(shlo.parse(BOUNDED), sizes)
    assert str(raised.value) == "dimension 0 of input 0 (%x) cannot have size 5: its bound is 4"


MARKED = """
func.func public @main(%i: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %a = call @f(%i, %n, %x) : (tensor<i32>, tensor<i32>, tensor<?xf32>) -> tensor<?xf32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %m = stablehlo.multiply %n, %two : tensor<i32>
  %b = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = call @f(%i, %m, %b) : (tensor<i32>, tensor<i32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @f(%i: tensor<i32>, %n: tensor<i32> {jax.global_constant = "n"}, %x: tensor<?xf32>)
    -> tensor<?xf32> {
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %iota = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %r = stablehlo.composite "test.add" %iota, %x {decomposition = @add}
    : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = stablehlo.add %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


def test_marked_sizes_composites_and_calls_that_differ() -> None:
    """Sizes come after an argument that is no constant, as the platform of `jax.export` is."""
    module = shlo.parse(MARKED)
    static = shlo.specialize(module, {"x.0": 3})
    assert "?" not in str(static)
    assert sorted(static.functions) == ["add", "add_1", "f", "f_1", "main"]
    inputs = [0, np.float32([1, 2, 3])]
    (found,) = shlo.run(static, inputs)
    assert found.tolist() == [1, 4, 7, 4, 7, 10]  # i + twice (i + x)
    assert np.array_equal(found, shlo.run(module, inputs)[0])


def test_arguments_that_are_no_tensors_stay() -> None:
    text = """func.func @main(%t: !stablehlo.token, %x: tensor<?xf32>) -> (!stablehlo.token, tensor<?xf32>) {
  %y = stablehlo.abs %x : tensor<?xf32>
  return %t, %y : !stablehlo.token, tensor<?xf32>
}
"""
    made = shlo.specialize(shlo.parse(text), {"x.0": 3})
    types = [str(argument.type) for argument in made.functions["main"].blocks[0].arguments]
    assert types == ["!stablehlo.token", "tensor<3xf32>"]


ASSERTION = (
    "func.func @main(%i: tensor<i1>, %x: tensor<?x3xf32>) {{\n  stablehlo.custom_call @shape_assertion(%i) "
    '{{error_message = "Input shapes do not match the polymorphic shapes specifications: '
    'args[0].shape = {}. Obtained"}} : (tensor<i1>) -> ()\n  return\n}}\n'
)


@pytest.mark.parametrize(("b", "expected"), [(5, "tensor<0x3xf32>"), (7, "tensor<2x3xf32>"), (4, None)])
def test_a_size_that_symbols_give_is_not_negative(b: int, expected: str | None) -> None:
    module = shlo.parse(ASSERTION.format("(b - 5, 3)"))
    if expected is not None:
        argument = shlo.specialize(module, {"b": b}).functions["main"].entry_block.arguments[1]
        assert str(argument.type) == expected
        return
    with pytest.raises(ValueError) as raised:
        shlo.specialize(module, {"b": b})
    assert str(raised.value) == "dimension 0 of input 1 (%x) (b - 5) cannot have size -1"


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        ("(b, 3)", {1: ("b", "3")}),
        ("(max(b, floordiv(c, 2)), 3)", {1: ("max(b, floordiv(c, 2))", "3")}),
        ("(2*max(floordiv(c, 2), min(b, 1)) + 3, 3)", {1: ("2*max(floordiv(c, 2), min(b, 1)) + 3", "3")}),
        ("(max(b, 3, 3)", {}),
        ("(b, max(c, 3))", {}),  # of a size that is known
        ("(b, 4)", {}),
        ("(b,)", {}),
        ("(b, 3, c)", {}),
    ],
)
def test_symbols_of_assertions_that_do_not_fit_the_argument(shape: str, found: dict[int, object]) -> None:
    module = shlo.parse(ASSERTION.format(shape))
    assert symbolic_shapes(module, module.functions["main"]) == found


@pytest.mark.parametrize(
    ("size", "value"),
    [("-b^2 + 30", 5), ("-b*c", -35), ("2*-b", -10), ("(-b)^2", 25), ("b - -c", 12), ("-(b + c)", -12)],
)
def test_signs_of_sizes(size: str, value: int) -> None:
    """A power is before a sign, as in Python."""
    assert evaluate_size(size, {"b": 5, "c": 7}) == value


def test_arguments_before_those_of_a_container_are_not_counted() -> None:
    """Such as the index of the platform, which the container's list of arguments does not have."""
    module = shlo.parse(
        "func.func @main(%p: tensor<i32>, %x: tensor<?xf32>, %y: tensor<?x3xf32>) {\n  return\n}"
    )
    module.container = {
        "in_avals": ["float32[b]", "float32[7]", "float32[c,3]"],
        "module_kept_var_idx": [0, 2],
    }
    assert symbolic_shapes(module, module.functions["main"]) == {1: ("b",), 2: ("c", "3")}


@pytest.mark.parametrize(
    ("sizes", "is_checked"), [({"x.0": 4}, False), ({"y.0": 4}, False), ({"x.0": 4, "y.0": 4}, True)]
)
def test_assertions_are_checked_once_all_sizes_are_given(sizes: dict[str, int], is_checked: bool) -> None:
    """Before that, they may depend on a size that is not known, and stay in the program."""
    module = shlo.parse("""func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<2xf32>) {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %2 = stablehlo.compare EQ, %0, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%2) {has_side_effect = true, error_message = "differ"}
    : (tensor<i1>) -> ()
  return
}""")
    made = shlo.specialize(module, sizes)
    assert ("shape_assertion" in str(made)) is not is_checked
