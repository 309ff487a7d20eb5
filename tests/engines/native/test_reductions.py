"""Reductions of leading dimensions run along memory, with maps and other reductions of the same space."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.lower.records import is_lowered
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.passes.pipeline import rewritten
from tests.engines.native.loops.loop_regions import plan_of, region_of
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.native import compiled, dtype_of, tensor

SHAPES = {"images": ((3, 7, 5, 64), 3), "a matrix": ((40, 1300), 1), "two kept": ((50, 3, 33), 1)}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_reductions_with_maps(name: str, element: str) -> None:
    shape, lead = SHAPES[name]
    a, r = tensor(shape, element), tensor(shape[lead:], element)
    number = "0.0" if element == "f32" else "0"
    reduce = f"across dimensions = {list(range(lead))} : ({a}, tensor<{element}>) -> {r}"
    text = f"""
        func.func @main(%x: {a}, %y: {a}) -> ({r}, {r}, {r}, {a}, {r}) {{
          %zero = stablehlo.constant dense<{number}> : tensor<{element}>
          %0 = stablehlo.multiply %x, %y : {a}
          %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add {reduce}
          %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add {reduce}
          %3 = stablehlo.subtract %0, %x : {a}
          %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.maximum {reduce}
          %5 = stablehlo.broadcast_in_dim %1, dims = {list(range(lead, len(shape)))} : ({r}) -> {a}
          %6 = stablehlo.add %3, %5 : {a}
          %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.minimum {reduce}
          return %1, %2, %4, %6, %7 : {r}, {r}, {r}, {a}, {r}
        }}"""
    random = np.random.default_rng(5)
    dtype = dtype_of(element)
    x, y = (random.integers(-9, 10, shape).astype(dtype) for _ in range(2))
    axes = tuple(range(lead))
    last = x * y - x + x.sum(axes, dtype)
    expected = [x.sum(axes, dtype), (x * y).sum(axes, dtype), (x * y - x).max(axes, initial=0), last]
    expected.append(last.min(axes, initial=0))
    for have, want in zip(compiled(text)(x, y), expected, strict=True):
        np.testing.assert_array_equal(have, want)


OPERANDS = {  # of reductions: an expression of %x and %v, and the same by NumPy
    "as it is": ("%y = stablehlo.add %x, %x : AxA", lambda x, v: x + x),
    "transposed": (
        "%t = stablehlo.transpose %x, dims = [2, 1, 0] : (AxA) -> tensor<3x6x40xi32>\n"
        "%u = stablehlo.reshape %t : (tensor<3x6x40xi32>) -> AxA\n%y = stablehlo.add %x, %u : AxA",
        lambda x, v: x + x.transpose().reshape(x.shape),
    ),
    "broadcast": (
        "%b = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<6xi32>) -> AxA\n"
        "%y = stablehlo.multiply %x, %b : AxA",
        lambda x, v: x * v[None, :, None],
    ),
    "a slice": (
        "%s = stablehlo.slice %x [0:40, 1:5, 0:3] : (AxA) -> tensor<40x4x3xi32>\n"
        "%y = stablehlo.add %s, %s : tensor<40x4x3xi32>",
        lambda x, v: 2 * x[:, 1:5],
    ),
    "indices": (
        "%i = stablehlo.iota dim = 1 : AxA\n%y = stablehlo.multiply %x, %i : AxA",
        lambda x, v: x * np.arange(6)[None, :, None],
    ),
}


@pytest.mark.parametrize("name", OPERANDS)
@pytest.mark.parametrize("dimensions", [(0, 1, 2), (1, 2), (0, 2), (2,)], ids=str)
def test_several_dimensions_are_reduced_as_one_where_that_is_the_same(
    name: str, dimensions: tuple[int, ...]
) -> None:
    lines, numpy = OPERANDS[name]
    random = np.random.default_rng(7)
    x = random.integers(-99, 99, (40, 6, 3)).astype(np.int32)
    v = random.integers(-99, 99, 6).astype(np.int32)
    operand = numpy(x, v).astype(np.int32)
    expected = operand.sum(dimensions, np.int32)
    a, r = tensor(operand.shape, "i32"), tensor(expected.shape, "i32")
    text = f"""
        func.func @main(%x: tensor<40x6x3xi32>, %v: tensor<6xi32>) -> {r} {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          {lines.replace("AxA", "tensor<40x6x3xi32>")}
          %r = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = {list(dimensions)}
            : ({a}, tensor<i32>) -> {r}
          %n = stablehlo.negate %r : {r}
          return %n : {r}
        }}"""
    np.testing.assert_array_equal(compiled(text)(x, v)[0], -expected)


@pytest.mark.parametrize(
    ("shape", "dimensions"),
    [
        ((1, 6), (0, 1)),
        ((6, 1), (0, 1)),
        ((1, 1), (0, 1)),
        ((1, 6, 1), (0, 1)),
        ((1, 6), (0,)),
        ((3, 1), (1,)),
    ],
)
def test_dimensions_of_one_element_are_reduced(shape: tuple[int, ...], dimensions: tuple[int, ...]) -> None:
    x = np.arange(1, 1 + np.prod(shape), dtype=np.int32).reshape(shape)
    expected = x.sum(dimensions, np.int32)
    a, r = tensor(shape, "i32"), tensor(expected.shape, "i32")
    text = f"""func.func @main(%x: {a}) -> {r} {{
      %init = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = {list(dimensions)}
        : ({a}, tensor<i32>) -> {r}
      return %0 : {r}
    }}"""
    region = region_of(text)
    (found,) = Interpreter().run(lower(region).program, [x])
    np.testing.assert_array_equal(found, expected)


def test_sums_of_rows_of_few_elements_are_accurate() -> None:
    """All dimensions are one loop, whose elements are added up by several vectors."""
    x = np.random.default_rng(0).uniform(0, 1, (64, 64, 64, 3)).astype(np.float32)
    text = """
        func.func @main(%x: tensor<64x64x64x3xf32>) -> tensor<f32> {
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.multiply %x, %x : tensor<64x64x64x3xf32>
          %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3]
            : (tensor<64x64x64x3xf32>, tensor<f32>) -> tensor<f32>
          return %1 : tensor<f32>
        }"""
    (found,) = compiled(text)(x)
    np.testing.assert_allclose(found, (x.astype(np.float64) ** 2).sum(), rtol=2e-5)


def test_reductions_with_small_ones_between() -> None:
    """The second sum joins the first one's loop, before the minimum between; the third needs that minimum."""
    r, a = "tensor<96xi32>", "tensor<50x96xi32>"
    add = f"applies stablehlo.add across dimensions = [0] : ({a}, tensor<i32>) -> {r}"
    text = f"""
        func.func @main(%x: {a}, %y: {a}) -> ({r}, tensor<i32>, {r}, {r}) {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %0 = stablehlo.reduce(%x init: %zero) {add}
          %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.minimum across dimensions = [0]
            : ({r}, tensor<i32>) -> tensor<i32>
          %2 = stablehlo.multiply %x, %y : {a}
          %3 = stablehlo.reduce(%2 init: %zero) {add}
          %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> {a}
          %5 = stablehlo.maximum %2, %4 : {a}
          %6 = stablehlo.reduce(%5 init: %zero) {add}
          return %0, %1, %3, %6 : {r}, tensor<i32>, {r}, {r}
        }}"""
    random = np.random.default_rng(8)
    x, y = (random.integers(-9, 10, (50, 96)).astype(np.int32) for _ in range(2))
    least = min(0, x.sum(0).min())
    expected = x.sum(0), least, (x * y).sum(0), np.maximum(x * y, least).sum(0)
    for have, want in zip(compiled(text)(x, y), expected, strict=True):
        np.testing.assert_array_equal(have, want)


def test_reductions_on_several_threads() -> None:
    shape = (300, 40, 64)
    text = """
        func.func @main(%x: tensor<300x40x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.abs %x : tensor<300x40x64xf32>
          %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
            : (tensor<300x40x64xf32>, tensor<f32>) -> tensor<64xf32>
          %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1]
            : (tensor<300x40x64xf32>, tensor<f32>) -> tensor<64xf32>
          return %1, %2 : tensor<64xf32>, tensor<64xf32>
        }"""
    x = np.random.default_rng(6).integers(-9, 10, shape).astype(np.float32)
    for have, want in zip(compiled(text)(x), (x, abs(x)), strict=True):
        np.testing.assert_array_equal(have, want.sum((0, 1)))


def test_reductions_of_arrays_of_unknown_size() -> None:
    text = """
        func.func @main(%x: tensor<?xf32>) -> (tensor<f32>, tensor<?xf32>) {
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.multiply %x, %x : tensor<?xf32>
          %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]
            : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
          %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = []
            : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
          return %1, %2 : tensor<f32>, tensor<?xf32>
        }"""
    x = np.full(1 << 18, 2, np.float32)
    total, squares = compiled(text, None)(x)
    assert total == 4 * x.size
    np.testing.assert_array_equal(squares, 2 * x)


COMBINERS = {  # bodies of reductions, and the same of an axis by NumPy
    "a sum": ("%r = stablehlo.add %b, %a : E", np.add.reduce),
    "a difference of a negated element": (
        "%n = stablehlo.negate %b : E\n%r = stablehlo.subtract %a, %n : E", np.add.reduce
    ),
    "the total twice, in a sum": (  # a + (b + ab) = (1 + a) (1 + b) - 1
        "%m = stablehlo.multiply %a, %b : E\n%s = stablehlo.add %b, %m : E\n%r = stablehlo.add %a, %s : E",
        lambda x, axis: np.multiply.reduce(x + 1, axis) - 1,
    ),
    "a product": ("%r = stablehlo.multiply %b, %a : E", np.multiply.reduce),
}  # fmt: skip


@pytest.mark.parametrize("name", COMBINERS)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_bodies_of_reductions(element: str, axis: int, name: str) -> None:
    body, wanted = COMBINERS[name]
    x = np.random.default_rng(4).choice([-2, 0, 1, -3, 1, 1], (22, 20)).astype(dtype_of(element))
    a, e, result = tensor(x.shape, element), f"tensor<{element}>", wanted(x, axis)
    start = int("product" in name)
    text = f"""
        func.func @main(%x: {a}) -> {tensor(result.shape, element)} {{
          %i = stablehlo.constant dense<{start if element == "i32" else float(start)}> : {e}
          %0 = stablehlo.abs %x : {a}
          %1 = stablehlo.minimum %0, %x : {a}
          %y = "stablehlo.reduce"(%1, %i) ({{
            ^bb0(%a: {e}, %b: {e}):
              {body.replace(": E", f": {e}")}
              stablehlo.return %r : {e}
          }}) {{dimensions = array<i64: {axis}>}} : ({a}, {e}) -> {tensor(result.shape, element)}
          return %y : {tensor(result.shape, element)}
        }}"""
    np.testing.assert_array_equal(compiled(text)(x)[0], result)


@pytest.mark.parametrize(
    ("captured", "native"),
    [
        ("%r = stablehlo.maximum %p, %s : tensor<f32>", True),
        (
            """
      %t = stablehlo.slice %w [2:3] : (tensor<4xf32>) -> tensor<1xf32>
      %v = stablehlo.reshape %t : (tensor<1xf32>) -> tensor<f32>
      %r = stablehlo.maximum %p, %v : tensor<f32>""",
            False,
        ),
    ],
    ids=["a number", "an array"],
)
@pytest.mark.parametrize("op", ["reduce", "map"])
def test_functions_that_capture(op: str, captured: str, native: bool) -> None:
    """Functions of elements have loops if what they read from outside are numbers."""
    x, w = "tensor<3x5xf32>", "tensor<4xf32>"
    first = {
        "reduce": "%p = stablehlo.add %a, %b : tensor<f32>",
        "map": "%p = stablehlo.negate %a : tensor<f32>",
    }
    inner = f"{first[op]}\n{captured}\nstablehlo.return %r : tensor<f32>"
    call = {
        "reduce": f"""%0 = "stablehlo.reduce"(%x, %s) ({{
            ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            {inner}
          }}) {{dimensions = array<i64: 1>}} : ({x}, tensor<f32>) -> tensor<3xf32>""",
        "map": f"""%0 = "stablehlo.map"(%x) ({{
            ^bb0(%a: tensor<f32>):
            {inner}
          }}) {{dimensions = array<i64: 0, 1>}} : ({x}) -> {x}""",
    }
    result = {"reduce": "tensor<3xf32>", "map": x}[op]
    text = f"""func.func @main(%x: {x}, %w: {w}, %s: tensor<f32>) -> {result} {{
      {call[op]}
      return %0 : {result}
    }}"""
    (step,) = plan_of(shlo.parse(text)).steps
    assert is_lowered(plan_of(shlo.parse(text)), step) is native
    numbers = np.arange(15, dtype=np.float32).reshape(3, 5)
    given = [numbers, np.array([9, 9, -4, 9], np.float32), np.float32(-4)]
    (found,) = shlo.run(shlo.parse(text), given, engine="native")
    wanted = -4 + numbers.sum(1) if op == "reduce" else np.maximum(-numbers, -4)
    np.testing.assert_array_equal(found, wanted)


MANY = 1 << 17
WHOLE = """func.func @main(%x: {0}) -> tensor<{1}> {{
  %i = stablehlo.constant dense<{2}> : tensor<{1}>
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.{3} across dimensions = {4}
    : ({0}, tensor<{1}>) -> tensor<{1}>
  return %0 : tensor<{1}>
}}"""


@pytest.mark.parametrize(
    ("shape", "element", "op", "init", "rows"),
    [
        ((MANY,), "f32", "add", "0.0", (16,)),
        ((MANY - 16,), "f32", "add", "0.0", None),  # too few
        ((MANY + 16,), "f32", "add", "0.0", (16,)),
        ((MANY + 8,), "f32", "add", "0.0", None),  # rows would differ
        ((16, MANY // 16), "i32", "add", "0", (16,)),
        ((15, MANY), "f32", "add", "0.0", None),
        ((4, 4, MANY // 16), "f64", "add", "0.0", (4, 4)),
        ((4, 16, MANY // 64), "f32", "add", "0.0", (4, 16)),
        ((64, 16, MANY // 64), "f32", "add", "0.0", (64,)),
        ((512, 256), "f32", "add", "0.0", (512,)),
        ((1024, 255), "f32", "add", "0.0", None),  # of short rows
        ((MANY,), "bf16", "add", "0.0", None),  # rounded once
        ((MANY,), "f32", "add", "1.0", None),  # which would be added for each row
        ((MANY,), "i32", "multiply", "3", None),
        ((MANY,), "f32", "maximum", "0xFF800000", (16,)),
        ((MANY,), "f32", "maximum", "0.0", None),
        ((MANY,), "i32", "or", "0", (16,)),
    ],
)
def test_rows_of_reductions_to_one_element(
    shape: tuple[int, ...], element: str, op: str, init: str, rows: tuple[int, ...] | None
) -> None:
    text = WHOLE.format(tensor(shape, element), element, init, op, list(range(len(shape))))
    plan = rewritten(plan_of(shlo.parse(text)))
    made = [plan.shape_of(step.outs[0]) for step in plan.steps if step.name == "stablehlo.reduce"]
    assert made == ([()] if rows is None else [rows, ()])


@pytest.mark.parametrize(("op", "start"), [("add", 5), ("multiply", 3), ("maximum", 7)])
def test_the_initial_value_counts_once(op: str, start: int) -> None:
    x = np.ones((16, MANY // 16), np.int32)
    text = WHOLE.format(tensor(x.shape, "i32"), "i32", start, op, [0, 1])
    (found,) = shlo.run(shlo.parse(text), [x], engine="native")
    assert found == {"add": 5 + MANY, "multiply": 3, "maximum": 7}[op]
