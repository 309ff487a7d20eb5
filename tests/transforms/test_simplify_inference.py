"""The pass `simplify-inference`: factors and terms of products, and masks and windows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import stablehlo_py as shlo

RNG = np.random.default_rng(0)


def constant(name: str, shape: tuple[int, ...], low: float = -1.0, element: str = "f32") -> str:
    """A constant of numbers between `low` and 2."""
    values = np.array2string(
        RNG.uniform(low, 2.0, shape), separator=", ", threshold=10**6, floatmode="fixed", precision=6
    )
    return f"%{name} = stablehlo.constant dense<{values}> : tensor<{'x'.join(map(str, shape))}x{element}>"


def convolution(
    layout: str,
    operands: str,
    result: str,
    groups: str = "batch 1 feature 1",
    window: str = "stride = [1, 1]",
) -> str:
    _, batch, _, feature = groups.split()
    return f"""%y = stablehlo.convolution(%x, %w) dim_numbers = {layout}, window = {{{window}}}
        {{batch_group_count = {batch} : i64, feature_group_count = {feature} : i64}}
        : ({operands}) -> {result}"""


def features(name: str, type: str, axis: int, size: int, low: float = -1.0) -> str:
    """A broadcast constant with a number for each feature."""
    return f"""{constant(f"{name}s", (size,), low)}
      %{name} = stablehlo.broadcast_in_dim %{name}s, dims = [{axis}] : (tensor<{size}xf32>) -> {type}"""


def main(argument: str, result: str, *lines: str) -> shlo.Module:
    body = "\n      ".join(lines)
    return shlo.parse(f"func.func @main(%x: {argument}) -> {result} {{\n{body}\nreturn %r : {result}\n}}")


def ops(module: shlo.Module) -> dict[str, int]:
    """How many ops of each name compute."""
    left = ("func.func", "builtin.module", "func.return", "stablehlo.constant", "stablehlo.broadcast_in_dim")
    return dict(Counter(op.name.partition(".")[2] for op in module.walk() if op.name not in left))


NHWC, NHWC_RESULT = "tensor<2x6x5x4xf32>", "tensor<2x6x5x8xf32>"
NCHW, NCHW_RESULT = "tensor<4x4x6x5xf32>", "tensor<4x8x6x5xf32>"
LAYOUT, LAYOUT_NCHW = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"


def statistics(axis: int, result: str) -> list[str]:
    """The normalization of %y as frameworks decompose it: %s, without offset."""
    return [
        features("m", result, axis, 8),
        f"%d = stablehlo.subtract %y, %m : {result}",
        constant("v", (8,), 0.1),
        constant("g", (8,)),
        """%eps = stablehlo.constant dense<1.0e-5> : tensor<8xf32>
        %ve = stablehlo.add %v, %eps : tensor<8xf32>
        %rs = stablehlo.rsqrt %ve : tensor<8xf32>
        %k = stablehlo.multiply %rs, %g : tensor<8xf32>""",
        f"%kb = stablehlo.broadcast_in_dim %k, dims = [{axis}] : (tensor<8xf32>) -> {result}",
        f"%s = stablehlo.multiply %d, %kb : {result}",
        features("o", result, axis, 8),
    ]


def batch_norm(result: str) -> list[str]:
    vectors = ", ".join(["tensor<8xf32>"] * 4)
    return [
        *[constant(name, (8,), 0.1) for name in ("g", "o", "m", "v")],
        f"""%r = "stablehlo.batch_norm_inference"(%y, %g, %o, %m, %v)
        <{{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}}> : ({result}, {vectors}) -> {result}""",
    ]


FOLDED = {
    "decomposed": main(
        NHWC,
        NHWC_RESULT,
        constant("w", (1, 1, 4, 8)),
        convolution(LAYOUT, f"{NHWC}, tensor<1x1x4x8xf32>", NHWC_RESULT),
        *statistics(3, NHWC_RESULT),
        f"%r = stablehlo.add %s, %o : {NHWC_RESULT}",
    ),
    "grouped, the op, with a bias": main(
        NCHW,
        NCHW_RESULT,
        constant("w", (8, 2, 1, 1)),
        convolution(LAYOUT_NCHW, f"{NCHW}, tensor<8x2x1x1xf32>", NCHW_RESULT, "batch 1 feature 2").replace(
            "%y =", "%c ="
        ),
        features("b", NCHW_RESULT, 1, 8),
        f"%y = stablehlo.add %b, %c : {NCHW_RESULT}",
        *batch_norm(NCHW_RESULT),
    ),
    "batch groups": main(
        "tensor<4x4x6x5xf32>",
        "tensor<2x8x6x5xf32>",
        constant("w", (8, 4, 1, 1)),
        convolution(
            LAYOUT_NCHW,
            "tensor<4x4x6x5xf32>, tensor<8x4x1x1xf32>",
            "tensor<2x8x6x5xf32>",
            "batch 2 feature 1",
        ),
        *statistics(1, "tensor<2x8x6x5xf32>"),
        "%r = stablehlo.subtract %s, %o : tensor<2x8x6x5xf32>",
    ),
    "divided by the deviation": main(
        "tensor<3x4xf32>",
        "tensor<3x8xf32>",
        constant("w", (4, 8)),
        "%y = stablehlo.dot %x, %w : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>",
        features("m", "tensor<3x8xf32>", 1, 8),
        "%d = stablehlo.subtract %y, %m : tensor<3x8xf32>",
        features("v", "tensor<3x8xf32>", 1, 8, 0.5),
        "%q = stablehlo.sqrt %v : tensor<3x8xf32>",
        "%s = stablehlo.divide %d, %q : tensor<3x8xf32>",
        features("o", "tensor<3x8xf32>", 1, 8),
        "%r = stablehlo.add %o, %s : tensor<3x8xf32>",
    ),
    "batches of products, weights on the left": main(
        "tensor<2x5x4xf32>",
        "tensor<2x8x3x5xf32>",
        constant("w", (8, 4, 2, 3)),
        """%y = stablehlo.dot_general %w, %x, batching_dims = [2] x [0], contracting_dims = [1] x [2]
          : (tensor<8x4x2x3xf32>, tensor<2x5x4xf32>) -> tensor<2x8x3x5xf32>""",
        constant("k", (3, 8, 2)),
        "%f = stablehlo.broadcast_in_dim %k, dims = [2, 1, 0] : (tensor<3x8x2xf32>) -> tensor<2x8x3x5xf32>",
        features("b", "tensor<2x8x3x5xf32>", 1, 8),
        "%s = stablehlo.multiply %f, %y : tensor<2x8x3x5xf32>",
        "%r = stablehlo.add %s, %b : tensor<2x8x3x5xf32>",
    ),
    "weights on the right": main(
        "tensor<2x5x4xf32>",
        "tensor<2x5x3x8xf32>",
        constant("w", (3, 4, 2, 8)),
        """%y = stablehlo.dot_general %x, %w, batching_dims = [0] x [2], contracting_dims = [2] x [1]
          : (tensor<2x5x4xf32>, tensor<3x4x2x8xf32>) -> tensor<2x5x3x8xf32>""",
        constant("k", (2, 3)),
        "%f = stablehlo.broadcast_in_dim %k, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x5x3x8xf32>",
        features("b", "tensor<2x5x3x8xf32>", 3, 8),
        "%s = stablehlo.multiply %y, %f : tensor<2x5x3x8xf32>",
        "%r = stablehlo.add %s, %b : tensor<2x5x3x8xf32>",
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_a_product_takes_in_its_normalization(name: str) -> None:
    module = FOLDED[name]
    made = shlo.opt(module, "simplify-inference")
    found = ops(made)
    assert sorted(found.values()) == [1, 1], found
    assert {"convolution", "dot", "dot_general"} & set(found)
    (argument,) = shlo.compile(module).signature.inputs
    for _ in range(3):
        x = RNG.uniform(-2.0, 2.0, argument.type.shape).astype(np.float32)  # type: ignore[union-attr]
        (before,), (after,) = shlo.run(module, [x]), shlo.run(made, [x])
        # A dozen roundings of terms whose sum, and whose factors, are below 100.
        np.testing.assert_allclose(after, before, rtol=1e-5, atol=2e-5)


def before(layout: str, *lines: str, groups: int = 1, window: str = "stride = [1, 1]") -> shlo.Module:
    """A convolution of %s, which lines compute from %x; its weights are of two taps along one dimension."""
    type = "tensor<2x6x5x4xf32>" if layout == LAYOUT else "tensor<2x4x6x5xf32>"
    result = convolved(layout, window)
    inputs = 4 // groups
    shape = (2, 1, inputs, 8) if layout == LAYOUT else (8, inputs, 2, 1)
    weights = f"tensor<{'x'.join(map(str, shape))}xf32>"
    product = convolution(layout, f"{type}, {weights}", result, f"batch 1 feature {groups}", window)
    bias = features("bias", result, 3 if layout == LAYOUT else 1, 8)
    total = f"%r = stablehlo.add %y, %bias : {result}"
    return main(
        type, result, constant("w", shape), *lines, product.replace("(%x, %w)", "(%s, %w)"), bias, total
    )


def convolved(layout: str, window: str) -> str:
    height = 6 if "pad" in window else 10 if "lhs_dilate" in window else 5
    return f"tensor<2x{height}x5x8xf32>" if layout == LAYOUT else f"tensor<2x8x{height}x5xf32>"


def normalized(axis: int) -> list[str]:
    """The operand of a convolution, normalized: %s."""
    type = "tensor<2x6x5x4xf32>" if axis == 3 else "tensor<2x4x6x5xf32>"
    return [
        features("m", type, axis, 4),
        f"%d = stablehlo.subtract %x, %m : {type}",
        features("v", type, axis, 4, 0.5),
        f"%q = stablehlo.divide %d, %v : {type}",
        features("g", type, axis, 4, 0.5),
        f"%k = stablehlo.multiply %q, %g : {type}",
        features("o", type, axis, 4),
        f"%s = stablehlo.add %o, %k : {type}",
    ]


VECTORS_OF_FOUR = ", ".join(["tensor<4xf32>"] * 4)
PADDED = "stride = [1, 1], pad = [[1, 0], [0, 0]]"
BEFORE = {  # a program, its product, and the number of sums that are left
    "decomposed": (before(LAYOUT, *normalized(3)), ("convolution", 1)),
    "grouped": (before(LAYOUT_NCHW, *normalized(1), groups=2), ("convolution", 1)),
    "grouped, features last": (before(LAYOUT, *normalized(3), groups=2), ("convolution", 1)),
    "the op, padded": (
        before(
            LAYOUT_NCHW,
            *[constant(f"{name}4", (4,), 0.1) for name in ("g", "o", "m", "v")],
            f"""%s = "stablehlo.batch_norm_inference"(%x, %g4, %o4, %m4, %v4)
            <{{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}}>
            : (tensor<2x4x6x5xf32>, {VECTORS_OF_FOUR}) -> tensor<2x4x6x5xf32>""",
            window=PADDED,
        ),
        ("convolution", 2),
    ),
    "a factor alone, padded": (
        before(
            LAYOUT,
            features("f", NHWC, 3, 4, 0.5),
            f"%s = stablehlo.divide %x, %f : {NHWC}",
            window=PADDED,
        ),
        ("convolution", 1),
    ),
    "pixels": (
        before(
            LAYOUT,
            f"%scale = stablehlo.constant dense<0.25> : {NHWC}",
            f"%u = stablehlo.multiply %scale, %x : {NHWC}",
            f"%half = stablehlo.constant dense<0.5> : {NHWC}",
            f"%s = stablehlo.subtract %u, %half : {NHWC}",
        ),
        ("convolution", 1),
    ),
    "a product with weights on the right": (
        main(
            "tensor<2x5x4xf32>",
            "tensor<2x5x3x8xf32>",
            constant("w", (3, 4, 2, 8)),
            constant("k", (2, 4)),
            "%f = stablehlo.broadcast_in_dim %k, dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x5x4xf32>",
            "%p = stablehlo.multiply %x, %f : tensor<2x5x4xf32>",
            constant("b", (4, 2)),
            "%t = stablehlo.broadcast_in_dim %b, dims = [2, 0] : (tensor<4x2xf32>) -> tensor<2x5x4xf32>",
            "%s = stablehlo.subtract %p, %t : tensor<2x5x4xf32>",
            """%r = stablehlo.dot_general %s, %w, batching_dims = [0] x [2], contracting_dims = [2] x [1]
              : (tensor<2x5x4xf32>, tensor<3x4x2x8xf32>) -> tensor<2x5x3x8xf32>""",
        ),
        ("dot_general", 1),
    ),
    "a product with weights on the left": (
        main(
            "tensor<4x3xf32>",
            "tensor<8x3xf32>",
            constant("w", (8, 4)),
            features("f", "tensor<4x3xf32>", 0, 4, 0.5),
            "%p = stablehlo.divide %x, %f : tensor<4x3xf32>",
            features("b", "tensor<4x3xf32>", 0, 4),
            "%s = stablehlo.add %p, %b : tensor<4x3xf32>",
            "%r = stablehlo.dot %w, %s : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>",
        ),
        ("dot", 1),
    ),
}


@pytest.mark.parametrize("name", BEFORE)
def test_a_product_takes_in_the_normalization_of_its_operand(name: str) -> None:
    module, (product, terms) = BEFORE[name]
    made = shlo.opt(module, "simplify-inference")
    found = ops(made)
    assert found.pop("add", 0) + found.pop("subtract", 0) == terms and found == {product: 1}
    (argument,) = shlo.compile(module).signature.inputs
    x = RNG.uniform(-2.0, 2.0, argument.type.shape).astype(np.float32)  # type: ignore[union-attr]
    (left,), (right,) = shlo.run(module, [x]), shlo.run(made, [x])
    np.testing.assert_allclose(right, left, rtol=1e-5, atol=5e-5)  # of sums of terms below 100


KEPT_BEFORE = {
    "zeros are added to what is padded": before(
        LAYOUT, features("b", NHWC, 3, 4), f"%s = stablehlo.add %x, %b : {NHWC}", window=PADDED
    ),
    "zeros are put between elements": before(
        LAYOUT,
        features("b", NHWC, 3, 4),
        f"%s = stablehlo.add %x, %b : {NHWC}",
        window="stride = [1, 1], lhs_dilate = [2, 1]",
    ),
    "the factor changes along an image": before(
        LAYOUT, features("f", NHWC, 1, 6), f"%s = stablehlo.multiply %x, %f : {NHWC}"
    ),
    "the factor is zero": before(
        LAYOUT,
        f"%f = stablehlo.constant dense<0.0> : {NHWC}",
        f"%p = stablehlo.divide %x, %f : {NHWC}",
        features("b", NHWC, 3, 4),
        f"%s = stablehlo.add %p, %b : {NHWC}",
        window=PADDED,
    ),
    "the operand has other users": before(
        LAYOUT,
        features("f", NHWC, 3, 4),
        f"%s = stablehlo.multiply %x, %f : {NHWC}",
        f"stablehlo.custom_call @show(%s) {{has_side_effect = true}} : ({NHWC}) -> ()",
    ),
}


@pytest.mark.parametrize("name", KEPT_BEFORE)
def test_what_stays_before_a_product(name: str) -> None:
    assert ops(shlo.opt(KEPT_BEFORE[name], "simplify-inference")) == ops(KEPT_BEFORE[name])


def test_exact_leaves_products_alone() -> None:
    module = FOLDED["decomposed"]
    made = shlo.opt(module, "simplify-inference", exact=True)
    assert ops(made) == {"convolution": 1, "subtract": 1, "multiply": 1, "add": 1}


DOT = "%y = stablehlo.dot %x, %w : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>"
TIMES = "%r = stablehlo.multiply %y, %f : tensor<3x8xf32>"
MATRIX = ("tensor<3x4xf32>", "tensor<3x8xf32>")
SMALL = ("tensor<3x4xf16>", "tensor<3x8xf16>")
VECTORS = ", ".join(["tensor<8xf32>"] * 4)
REFUSED = {
    "the factor changes along rows": main(
        *MATRIX, constant("w", (4, 8)), DOT, features("f", MATRIX[1], 0, 3), TIMES
    ),
    "the factor changes along both": main(*MATRIX, constant("w", (4, 8)), DOT, constant("f", (3, 8)), TIMES),
    "the factor is no constant": main(
        *MATRIX, constant("w", (4, 8)), DOT, "%f = stablehlo.sine %y : tensor<3x8xf32>", TIMES
    ),
    "weights are no constant": main(
        "tensor<3x3xf32>",
        "tensor<3x3xf32>",
        "%y = stablehlo.dot %x, %x : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>",
        features("f", "tensor<3x3xf32>", 1, 3),
        "%r = stablehlo.multiply %y, %f : tensor<3x3xf32>",
    ),
    "weights are one number": main(
        *MATRIX,
        "%w = stablehlo.constant dense<2.0> : tensor<4x8xf32>",
        DOT,
        features("f", MATRIX[1], 1, 8),
        TIMES,
    ),
    "weights would be infinite": main(
        *SMALL,
        constant("w", (4, 8), 1.0, "f16"),
        "%y = stablehlo.dot %x, %w : (tensor<3x4xf16>, tensor<4x8xf16>) -> tensor<3x8xf16>",
        "%f = stablehlo.constant dense<65504.0> : tensor<3x8xf16>",
        "%r = stablehlo.multiply %y, %f : tensor<3x8xf16>",
    ),
    "weights of another type than the result": main(
        "tensor<3x4xf32>",
        "tensor<3x8xf32>",
        constant("w", (4, 8), 1.0, "bf16"),
        """%y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
          : (tensor<3x4xf32>, tensor<4x8xbf16>) -> tensor<3x8xf32>""",
        features("f", MATRIX[1], 1, 8),
        TIMES,
    ),
    "terms that are larger together": main(
        *MATRIX,
        constant("w", (4, 8)),
        DOT,
        features("b", MATRIX[1], 0, 3),
        "%z = stablehlo.add %y, %b : tensor<3x8xf32>",
        features("f", MATRIX[1], 1, 8),
        "%r = stablehlo.add %z, %f : tensor<3x8xf32>",
    ),
    "a negative variance": main(
        "tensor<3x8xf32>",
        "tensor<3x8xf32>",
        *[constant(name, (8,)) for name in ("g", "o", "m")],
        "%v = stablehlo.constant dense<-1.0> : tensor<8xf32>",
        f"""%r = "stablehlo.batch_norm_inference"(%x, %g, %o, %m, %v)
        <{{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}}>
        : (tensor<3x8xf32>, {VECTORS}) -> tensor<3x8xf32>""",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_product_does_not_take_in(name: str) -> None:
    assert ops(shlo.opt(REFUSED[name], "simplify-inference")) == ops(REFUSED[name])


MASK = """
func.func @main(%x: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %one = stablehlo.constant dense<1> : tensor<4x4xi32>
  %ahead = stablehlo.add %i, %one : tensor<4x4xi32>
  %j = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %p = stablehlo.compare GT, %ahead, %j : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<4x4xf32>
  %none = stablehlo.constant dense<-1.0e9> : tensor<4x4xf32>
  %m = stablehlo.select %p, %zero, %none : tensor<4x4xi1>, tensor<4x4xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<2x4x4xf32>
  %r = stablehlo.add %x, %b : tensor<2x4x4xf32>
  return %r : tensor<2x4x4xf32>
}
"""
WINDOW = """
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<8xf32>
  %step = stablehlo.constant dense<0.7853981633974483> : tensor<8xf32>
  %angle = stablehlo.multiply %i, %step : tensor<8xf32>
  %c = stablehlo.cosine %angle : tensor<8xf32>
  %half = stablehlo.constant dense<0.5> : tensor<8xf32>
  %h = stablehlo.multiply %c, %half : tensor<8xf32>
  %w = stablehlo.subtract %half, %h : tensor<8xf32>
  %b = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<3x8xf32>
  %r = stablehlo.multiply %x, %b : tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}
"""


@pytest.mark.parametrize(("text", "left"), [(MASK, "add"), (WINDOW, "multiply")], ids=["mask", "window"])
def test_masks_and_windows_become_constants(text: str, left: str) -> None:
    module = shlo.parse(text)
    made = shlo.opt(module, "simplify-inference", exact=True)
    assert ops(made) == {left: 1}
    (argument,) = shlo.compile(module).signature.inputs
    x = RNG.uniform(-2.0, 2.0, argument.type.shape).astype(np.float32)  # type: ignore[union-attr]
    (before,) = shlo.run(module, [x], engine="numpy")
    (after,) = shlo.run(made, [x], engine="numpy")
    assert before.tobytes() == after.tobytes()


def test_the_constants_are_those_of_the_formulas() -> None:
    """A mask of what lies ahead, and a Hann window, by hand."""
    (mask,) = shlo.run(shlo.opt(shlo.parse(MASK), "simplify-inference"), [np.zeros((2, 4, 4), np.float32)])
    assert mask[1].tolist() == np.where(np.tri(4, dtype=bool), 0.0, -1e9).tolist()
    (window,) = shlo.run(shlo.opt(shlo.parse(WINDOW), "simplify-inference"), [np.ones((3, 8), np.float32)])
    np.testing.assert_allclose(window[2], np.hanning(9)[:8], atol=1e-6)


def test_limits_and_floats() -> None:
    limited = ops(shlo.opt(shlo.parse(MASK), "simplify-inference=fold-op-element-limit=15"))
    assert limited["compare"] == limited["select"] == 1
    kept = ops(shlo.opt(shlo.parse(WINDOW), "simplify-inference=optimize-float=false"))
    assert kept["cosine"] == kept["subtract"] == 1


@pytest.mark.parametrize(
    ("element", "folds"), [("f64", True), ("f32", True), ("bf16", True), ("f16", True), ("f8E5M2", False)]
)
def test_numbers_with_enough_digits_to_be_rounded_once_more(element: str, folds: bool) -> None:
    module = main(
        f"tensor<3x4x{element}>",
        f"tensor<3x8x{element}>",
        constant("w", (4, 8), element=element),
        f"""%y = stablehlo.dot %x, %w
          : (tensor<3x4x{element}>, tensor<4x8x{element}>) -> tensor<3x8x{element}>""",
        f"%f = stablehlo.constant dense<0.5> : tensor<3x8x{element}>",
        f"%r = stablehlo.multiply %y, %f : tensor<3x8x{element}>",
    )
    assert ops(shlo.opt(module, "simplify-inference")) == {"dot": 1} | ({} if folds else {"multiply": 1})


def test_an_op_on_two_constants_that_is_not_evaluated_stays() -> None:
    module = main(
        "tensor<3x8xf32>",
        "tensor<3x8xf32>",
        features("a", "tensor<3x8xf32>", 1, 8),
        features("b", "tensor<3x8xf32>", 0, 3),
        "%r = stablehlo.add %a, %b : tensor<3x8xf32>",
    )
    made = shlo.opt(module, "simplify-inference=fold-op-element-limit=0")
    assert shlo.format(made) == shlo.format(module)
    assert ops(shlo.opt(module, "simplify-inference")) == {}
