"""Matrix products in tiles: dot products and convolutions beside the NumPy engine, on integers.

Sums of small integers are exact in f32 in any order, and those of wide ones wrap, so results are equal bit
for bit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from tests.helpers.crossed import crossed

DTYPES = {
    name: np.dtype(name.replace("i", "int").replace("f", "float")) for name in ("f32", "f64", "i32", "i64")
}


def tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


def integers(seed: int, shape: Sequence[int], element: str) -> np.ndarray:
    random, dtype = np.random.default_rng(seed), DTYPES[element]
    if dtype.kind == "i":
        return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype)
    return random.integers(-8, 9, shape).astype(dtype)


def compiled_dot(
    a: str, b: str, r: str, dims: str = "contracting_dims = [1] x [0]", engine: str = "native"
) -> shlo.Program:
    """A program of one dot product, by the types of its operands and result."""
    text = f"""func.func @main(%a: {a}, %b: {b}) -> {r} {{
      %0 = stablehlo.dot_general %a, %b, {dims} : ({a}, {b}) -> {r}
      return %0 : {r}
    }}"""
    return shlo.compile(shlo.parse(text), engine=engine)


def assert_product(text: str, *inputs: np.ndarray) -> None:
    """The program is one region with a product in tiles, and gives what NumPy gives."""
    module = shlo.parse(text)
    assert not [d.message for d in shlo.verify(module) if d.severity == "error"]
    compiled = shlo.compile(module, engine="native")
    assert [step.name for step in compiled.plan.steps] == ["native"]
    plain = shlo.compile(module, engine="numpy")
    expected = plain(*inputs)
    for _ in range(2):  # the second run finds what the first has left
        for have, want in zip(compiled(*inputs), expected, strict=True):
            np.testing.assert_array_equal(have, want, strict=True)


# lhs, rhs, batching and contracted dimensions of both
DOTS = {
    "square": ((128, 128), (128, 128), ((), ()), ((1,), (0,))),
    "odd": ((61, 83), (83, 131), ((), ()), ((1,), (0,))),
    "few rows": ((20, 50), (50, 96), ((), ()), ((1,), (0,))),
    "few rows in a batch": ((3, 9, 40), (40, 3, 64), ((0,), (1,)), ((2,), (0,))),
    "few rows far apart": ((9, 20), (20, 1152), ((), ()), ((1,), (0,))),
    "many terms": ((9, 1000), (1000, 33), ((), ()), ((1,), (0,))),
    "left factor in place": ((30, 1000), (1000, 48), ((), ()), ((1,), (0,))),
    "left factor with rows of a page": ((30, 1024), (1024, 48), ((), ()), ((1,), (0,))),
    "many rows": ((777, 40), (40, 64), ((), ()), ((1,), (0,))),
    "transposed left": ((300, 70), (300, 48), ((), ()), ((0,), (0,))),
    "transposed right": ((70, 300), (48, 300), ((), ()), ((1,), (1,))),
    "two dimensions each": ((8, 9, 4, 70), (4, 70, 3, 64), ((), ()), ((2, 3), (0, 1))),
    "crossed": ((8, 9, 4, 70), (70, 4, 96), ((), ()), ((2, 3), (1, 0))),
    "few in a batch": ((3, 40, 50), (3, 50, 60), ((0,), (0,)), ((2,), (1,))),
    "many in a batch": ((20, 4, 33, 16), (20, 16, 4, 48), ((0, 1), (0, 2)), ((3,), (1,))),
    "short rows of the right": ((50, 64), (3, 50, 30, 3), ((), ()), ((0,), (1,))),
    "batch inside": ((33, 6, 64), (70, 6, 64), ((1,), (1,)), ((2,), (2,))),
    "small ones in a batch": ((900, 13, 14), (900, 14, 15), ((0,), (0,)), ((2,), (1,))),
    "outer product": ((70, 1), (1, 96), ((), ()), ((1,), (0,))),
    "three terms": ((3, 90), (70, 3), ((), ()), ((0,), (1,))),
    "few terms in a batch": ((50, 9, 2, 3), (2, 50, 11, 3), ((0,), (1,)), ((3, 2), (3, 0))),
}


# lhs, rhs, dimension numbers, permutation of the result, and whether the product makes it in that order
TRANSPOSED = {
    "swapped": ((96, 70), (70, 33), "contracting_dims = [1] x [0]", (1, 0), True),
    "gradient": ((70, 96), (70, 130), "contracting_dims = [0] x [0]", (1, 0), True),
    "few columns": ((4, 200), (200, 64), "contracting_dims = [1] x [0]", (1, 0), False),
    "heads": (
        (2, 6, 48, 33),
        (2, 40, 6, 33),
        "batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [3]",
        (0, 3, 1, 2),
        True,
    ),
    "a number": ((70000,), (70000,), "contracting_dims = [0] x [0]", (), False),
    "rows outside": ((5, 7, 30), (30, 3, 64), "contracting_dims = [2] x [0]", (2, 1, 0, 3), True),
    "batch inside": (
        (3, 40, 20),
        (3, 20, 64),
        "batching_dims = [0] x [0], contracting_dims = [2] x [1]",
        (1, 2, 0),
        False,
    ),
}


@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_results(name: str) -> None:
    lhs, rhs, dims, permutation, folds = TRANSPOSED[name]
    left, right = integers(1, lhs, "f32"), integers(2, rhs, "f32")
    made = dot_shape(lhs, rhs, dims)
    result = [made[d] for d in permutation]
    a, b, m, r = (tensor(shape, "f32") for shape in (lhs, rhs, made, result))
    text = f"""
        func.func @main(%a: {a}, %b: {b}) -> ({r}, {r}) {{
          %0 = stablehlo.negate %a : {a}
          %1 = stablehlo.dot_general %0, %b, {dims} : ({a}, {b}) -> {m}
          %2 = stablehlo.transpose %1, dims = {list(permutation)} : ({m}) -> {r}
          %3 = stablehlo.constant dense<3.0> : {r}
          %4 = stablehlo.add %2, %3 : {r}
          return %2, %4 : {r}, {r}
        }}"""
    assert_product(text, left, right)
    (step,) = shlo.compile(shlo.parse(text), engine="native").plan.steps
    assert ("transpose" in step.note) is not folds


def dot_shape(lhs: Sequence[int], rhs: Sequence[int], dims: str) -> list[int]:
    """The batch dimensions, rows and columns of a product, by the text of its dimension numbers."""
    numbers = [[int(n) for n in part.split(", ")] for part in re.findall(r"\[([^]]*)\]", dims)]
    batch = numbers[:2] if "batching" in dims else [[], []]
    free = [
        [n for d, n in enumerate(shape) if d not in (*batch[side], *numbers[side - 2])]
        for side, shape in enumerate((lhs, rhs))
    ]
    return [*(lhs[d] for d in batch[0]), *free[0], *free[1]]


@pytest.mark.parametrize(("name", "element"), crossed(DOTS, DTYPES))
def test_dots(name: str, element: str) -> None:
    lhs, rhs, batching, contracting = DOTS[name]
    free = [
        [n for d, n in enumerate(shape) if d not in (*batching[side], *contracting[side])]
        for side, shape in enumerate((lhs, rhs))
    ]
    result = [*(lhs[d] for d in batching[0]), *free[0], *free[1]]
    dims = f"contracting_dims = {list(contracting[0])} x {list(contracting[1])}"
    if batching[0]:
        dims = f"batching_dims = {list(batching[0])} x {list(batching[1])}, {dims}"
    a, b, r = (tensor(shape, element) for shape in (lhs, rhs, result))
    row = tensor(result[-1:], element)
    assert_product(
        f"""
        func.func @main(%a: {a}, %b: {b}, %row: {row}) -> ({r}, {r}) {{
          %0 = stablehlo.negate %a : {a}
          %1 = stablehlo.dot_general %0, %b, {dims} : ({a}, {b}) -> {r}
          %2 = stablehlo.broadcast_in_dim %row, dims = [{len(result) - 1}] : ({row}) -> {r}
          %3 = stablehlo.add %1, %2 : {r}
          %4 = stablehlo.abs %3 : {r}
          %5 = stablehlo.multiply %4, %1 : {r}
          return %4, %5 : {r}, {r}
        }}""",
        *(integers(k, shape, element) for k, shape in enumerate((lhs, rhs, result[-1:]))),
    )


# lhs, kernel, result, their dimensions, window
NHWC = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
SAME = "pad = [[1, 1], [1, 1]]"
CONVOLUTIONS = {
    "3x3": ((2, 14, 15, 32), (3, 3, 32, 64), (2, 14, 15, 64), NHWC, SAME),
    "stride": (
        (2, 14, 15, 32),
        (3, 3, 32, 48),
        (2, 7, 7, 48),
        NHWC,
        "stride = [2, 2], pad = [[0, 1], [0, 1]]",
    ),
    "1x1": ((2, 9, 9, 40), (1, 1, 40, 64), (2, 9, 9, 64), NHWC, ""),
    "few features": (
        (2, 20, 20, 3),
        (7, 7, 3, 32),
        (2, 10, 10, 32),
        NHWC,
        "stride = [2, 2], pad = [[3, 3], [2, 4]]",
    ),
    "one feature": ((4, 20, 20, 1), (5, 5, 1, 6), (4, 20, 20, 6), NHWC, "pad = [[2, 2], [2, 2]]"),
    "few features to few, reversed": (
        (4, 20, 20, 6),
        (5, 5, 6, 10),
        (4, 21, 8, 10),
        NHWC,
        "stride = [1, 2], pad = [[4, 1], [-1, 1]], reverse = [true, false]",
    ),
    "few features, dilated and cut": (
        (2, 20, 23, 3),
        (3, 3, 3, 24),
        (2, 16, 17, 24),
        NHWC,
        "pad = [[0, 0], [2, -4]], rhs_dilate = [2, 2]",
    ),
    "gradient of a kernel of few features": (
        (9, 14, 15, 3),
        (9, 14, 15, 6),
        (5, 4, 3, 6),
        "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
        "pad = [[2, 2], [1, 2]]",
    ),
    "gradient of a kernel at strides": (
        (9, 14, 15, 3),
        (9, 7, 8, 24),
        (3, 3, 3, 24),
        "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
        "pad = [[0, 1], [1, 1]], rhs_dilate = [2, 2]",
    ),
    "cut": ((2, 14, 15, 32), (3, 3, 32, 64), (2, 11, 12, 64), NHWC, "pad = [[-1, 0], [2, -3]]"),
    "reversed": (
        (2, 14, 15, 32),
        (3, 3, 64, 32),
        (2, 14, 15, 64),
        "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
        f"{SAME}, reverse = [true, true]",
    ),
    "dilated": (
        (1, 14, 15, 32),
        (3, 3, 32, 64),
        (1, 12, 9, 64),
        NHWC,
        "pad = [[1, 1], [0, 0]], rhs_dilate = [2, 3]",
    ),
    "gradient of a kernel": (
        (4, 14, 15, 16),
        (4, 14, 15, 64),
        (3, 3, 16, 64),
        "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
        SAME,
    ),
    "gradient of an image": (
        (2, 7, 8, 64),
        (3, 3, 32, 64),
        (2, 14, 15, 32),
        "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
        "pad = [[1, 2], [2, 0]], lhs_dilate = [2, 2], reverse = [true, true]",
    ),
    "zeros between": (
        (2, 7, 8, 64),
        (1, 1, 32, 64),
        (2, 14, 15, 32),
        "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
        "pad = [[0, 1], [0, 0]], lhs_dilate = [2, 2]",
    ),
    "dilated by three, at steps of two": (
        (2, 9, 9, 64),
        (4, 3, 64, 32),
        (2, 13, 11, 32),
        NHWC,
        "stride = [2, 2], pad = [[2, 2], [1, 0]], lhs_dilate = [3, 3], rhs_dilate = [1, 2]",
    ),
    "groups": ((2, 14, 15, 32), (3, 3, 16, 64), (2, 14, 15, 64), NHWC, SAME),
    "one dimension": (
        (2, 200, 32),
        (5, 32, 48),
        (2, 200, 48),
        "[b, 0, f]x[0, i, o]->[b, 0, f]",
        "pad = [[2, 2]]",
    ),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str) -> None:
    lhs, kernel, shape, numbers, window = CONVOLUTIONS[name]
    groups = 2 if name == "groups" else 1
    a, k, r = (tensor(sizes, "f32") for sizes in (lhs, kernel, shape))
    assert_product(
        f"""
        func.func @main(%a: {a}, %k: {k}) -> {r} {{
          %0 = stablehlo.abs %a : {a}
          %1 = stablehlo.convolution(%0, %k) dim_numbers = {numbers}, window = {{{window}}}
            {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({a}, {k}) -> {r}
          %2 = stablehlo.negate %1 : {r}
          return %2 : {r}
        }}""",
        integers(1, lhs, "f32"),
        integers(2, kernel, "f32"),
    )


# lhs, kernel, result, element, their dimensions, window
FEW_FEATURES = {
    "3x3": ((2, 14, 15, 32), (3, 3, 32, 3), (2, 14, 15, 3), "f32", NHWC, SAME),
    "one": ((2, 14, 17, 48), (3, 3, 48, 1), (2, 12, 15, 1), "f32", NHWC, ""),
    "one dimension": (
        (2, 300, 20),
        (5, 20, 7),
        (2, 300, 7),
        "f32",
        "[b, 0, f]x[0, i, o]->[b, 0, f]",
        "pad = [[2, 2]]",
    ),
    "three dimensions": (
        (1, 6, 7, 8, 16),
        (2, 3, 3, 16, 2),
        (1, 5, 7, 8, 2),
        "i64",
        "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
        "pad = [[0, 0], [1, 1], [1, 1]]",
    ),
    "strides, cut and dilated": (
        (2, 20, 23, 24),
        (3, 3, 24, 5),
        (2, 17, 9, 5),
        "i32",
        NHWC,
        "stride = [1, 2], pad = [[-1, 0], [1, -1]], rhs_dilate = [1, 3]",
    ),
    "gradient of an image": (
        (2, 9, 9, 16),
        (3, 3, 4, 16),
        (2, 18, 18, 4),
        "f64",
        "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
        "pad = [[1, 2], [2, 1]], lhs_dilate = [2, 2], reverse = [true, true]",
    ),
    "features first": (
        (2, 32, 14, 15),
        (3, 32, 3, 3),
        (2, 3, 14, 15),
        "f32",
        "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
        SAME,
    ),
}


@pytest.mark.parametrize("name", FEW_FEATURES)
def test_convolutions_to_few_features(name: str) -> None:
    lhs, kernel, shape, element, numbers, window = FEW_FEATURES[name]
    a, k, r = (tensor(sizes, element) for sizes in (lhs, kernel, shape))
    assert_product(
        f"""
        func.func @main(%a: {a}, %k: {k}) -> {r} {{
          %0 = stablehlo.convolution(%a, %k) dim_numbers = {numbers}, window = {{{window}}}
            {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({a}, {k}) -> {r}
          return %0 : {r}
        }}""",
        integers(1, lhs, element),
        integers(2, kernel, element),
    )


def test_what_follows_a_product_and_leaves_no_trace() -> None:
    """A map that only maps of the same product read is not stored."""
    module = shlo.parse("""
        func.func @main(%a: tensor<96x500xf32>, %b: tensor<500x80xf32>)
            -> (tensor<96x80xf32>, tensor<96x80xf32>) {
          %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
            : (tensor<96x500xf32>, tensor<500x80xf32>) -> tensor<96x80xf32>
          %1 = stablehlo.logistic %0 : tensor<96x80xf32>
          %2 = stablehlo.multiply %1, %0 : tensor<96x80xf32>
          %3 = stablehlo.add %1, %0 : tensor<96x80xf32>
          return %2, %3 : tensor<96x80xf32>, tensor<96x80xf32>
        }""")
    a, b = integers(1, (96, 500), "f32") / 64, integers(2, (500, 80), "f32") / 64
    product = a.astype(np.float64) @ b
    once = 1 / (1 + np.exp(-product))
    found = shlo.compile(module, engine="native")(a, b)
    for have, want in zip(found, (once * product, once + product), strict=True):
        np.testing.assert_allclose(have, want, rtol=2e-6, atol=1e-5)


@pytest.mark.parametrize(
    ("lhs", "rhs", "element", "name"),
    [
        ((64, 1), (1, 64), "f32", "native"),
        ((256, 256), (256, 256), "i32", "native"),
        ((256, 256), (256, 256), "f32", "stablehlo.dot_general"),
        ((4, 1024), (1024, 1024), "f32", "stablehlo.dot_general"),
        ((1024, 1024), (1024, 4), "f32", "stablehlo.dot_general"),
        ((1024, 1024), (1024, 33), "f32", "stablehlo.dot_general"),
        ((8, 8), (8, 8), "i32", "stablehlo.dot_general"),
    ],
)
def test_dots_alone(lhs: tuple[int, int], rhs: tuple[int, int], element: str, name: str) -> None:
    """A program of one product is native where BLAS does not take it."""
    program = compiled_dot(*[tensor(shape, element) for shape in (lhs, rhs, (lhs[0], rhs[1]))])
    assert [step.name for step in program.plan.steps] == [name]
    x, y = integers(1, lhs, element), integers(2, rhs, element)
    np.testing.assert_array_equal(program(x, y)[0], x @ y, strict=True)


def test_limits_count_dots_of_few_terms() -> None:
    """An iteration has six steps, two of them returns; @main and the region are two."""
    a, b, r = (tensor(shape, "f32") for shape in ((70, 3), (3, 70), (70, 70)))
    module = shlo.parse(f"""
        func.func @main(%a: {a}, %b: {b}, %x: {r}) -> {r} {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %ten = stablehlo.constant dense<10> : tensor<i32>
          %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, {r} cond {{
            %1 = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %1 : tensor<i1>
          }} do {{
            %1 = stablehlo.add %i, %one : tensor<i32>
            %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({a}, {b}) -> {r}
            %3 = stablehlo.add %2, %y : {r}
            stablehlo.return %1, %3 : tensor<i32>, {r}
          }}
          return %0#1 : {r}
        }}""")
    inputs = [integers(k, shape, "f32") for k, shape in enumerate(((70, 3), (3, 70), (70, 70)))]
    (found,) = shlo.compile(module, engine="native", max_steps=62)(*inputs)
    np.testing.assert_array_equal(found, inputs[2] + 10 * (inputs[0] @ inputs[1]), strict=True)
    with pytest.raises(shlo.RunError, match="more than 61 steps"):
        shlo.compile(module, engine="native", max_steps=61)(*inputs)


def squares(*sizes: int) -> shlo.Module:
    """A program of products of square matrices."""
    types = [tensor((size, size), "f32") for size in sizes]
    lines = [
        f"%{n} = stablehlo.dot_general %x{n}, %x{n}, contracting_dims = [1] x [0]"
        f" : ({type}, {type}) -> {type}"
        for n, type in enumerate(types)
    ]
    arguments = ", ".join(f"%x{n}: {type}" for n, type in enumerate(types))
    results, types_of_results = ", ".join(f"%{n}" for n in range(len(sizes))), ", ".join(types)
    body = "\n".join([*lines, f"return {results} : {types_of_results}"])
    return shlo.parse(f"func.func @main({arguments}) -> ({types_of_results}) {{ {body} }}")
