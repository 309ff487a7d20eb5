"""Dot products of all shapes and element types beside the NumPy engine.

Sums of small integers of f32 are exact in any order, and sums of integers wrap, so results are equal bit for
bit.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from tests.helpers.crossed import crossed
from tests.helpers.native import assert_same, compiled, counted, dtype_of, numbers, tensor
from tests.helpers.products import Dot, dot

DOTS = {  # as `tests/helpers/products.py` reads them
    "square": "128x128 128x128 ma,an",
    "odd": "61x83 83x131 ma,an",
    "few rows": "20x50 50x96 ma,an",
    "few rows in a batch": "3x9x40 40x3x64 Xma,aXn",
    "few rows far apart": "9x20 20x1152 ma,an",
    "many terms": "9x1000 1000x33 ma,an",
    "left factor in place": "30x1000 1000x48 ma,an",
    "left factor with rows of a page": "30x1024 1024x48 ma,an",
    "many rows": "777x40 40x64 ma,an",
    "transposed left": "300x70 300x48 am,an",
    "transposed right": "70x300 48x300 ma,na",
    "two dimensions each": "8x9x4x70 4x70x3x64 mnab,abop",
    "crossed": "8x9x4x70 70x4x96 mnab,bao",
    "few in a batch": "3x40x50 3x50x60 Xma,Xan",
    "many in a batch": "20x4x33x16 20x16x4x48 XYma,XaYn",
    "short rows of the right": "50x64 3x50x30x3 am,naop",
    "batch inside": "33x6x64 70x6x64 mXa,nXa",
    "small ones in a batch": "900x13x14 900x14x15 Xma,Xan",
    "outer product": "70x1 1x96 ma,an",
    "three terms": "3x90 70x3 am,na",
    "few terms in a batch": "50x9x2x3 2x50x11x3 Xmba,bXna",
}
TRANSPOSED = {  # a permutation of the result, and whether the product makes it in that order
    "swapped": ("96x70 70x33 ma,an", (1, 0), True),
    "gradient": ("70x96 70x130 am,an", (1, 0), True),
    "few columns": ("4x200 200x64 ma,an", (1, 0), False),
    "heads": ("2x6x48x33 2x40x6x33 XYma,XnYa", (0, 3, 1, 2), True),
    "a batch inside rows": ("3x5x30x20 3x20x5x64 XYma,XaYn", (1, 2, 0, 3), True),
    "a number": ("70000 70000 a,a", (), False),
    "rows outside": ("5x7x30 30x3x64 mna,aop", (2, 1, 0, 3), True),
    "batch inside": ("3x40x20 3x20x64 Xma,Xan", (1, 2, 0), False),
}
ALONE = {  # the element type, and the step: a program of one product is native where BLAS does not take it
    "64x1 1x64 ma,an": ("f32", "native"),
    "256x256 256x256 ma,an": ("i32", "native"),
    "256x256 256x256  ma,an": ("f32", "stablehlo.dot_general"),
    "4x1024 1024x1024 ma,an": ("f32", "stablehlo.dot_general"),
    "1024x1024 1024x4 ma,an": ("f32", "stablehlo.dot_general"),
    "1024x1024 1024x33 ma,an": ("f32", "stablehlo.dot_general"),
    "8x8 8x8 ma,an": ("i32", "stablehlo.dot_general"),
}
MIXED = [  # of lhs, rhs and the result
    each.split()
    for each in (
        "f16 f16 f16", "bf16 bf16 bf16", "bf16 bf16 f32", "f16 bf16 f32", "f32 f32 f64", "f64 f64 f32",
        "i8 i8 i32", "i8 i8 i8", "ui8 i8 i32", "ui8 ui8 ui32", "i16 i16 i32", "i16 ui16 ui8", "ui32 i8 ui32",
        "i32 i16 i64", "i64 i8 i16", "ui16 i8 i64",
    )
]  # fmt: skip


def inputs(found: Dot, *elements: str) -> list[np.ndarray]:
    return [numbers(k, shape, e) for k, (shape, e) in enumerate(zip(found[:2], elements, strict=True))]


@pytest.mark.parametrize(("name", "element"), crossed(DOTS, ["f32", "f64", "i32", "i64"]))
def test_between_maps(name: str, element: str) -> None:
    found = dot(DOTS[name])
    a, b, r, row = (tensor(s, element) for s in (found.left, found.right, found.result, found.result[-1:]))
    text = f"""
        func.func @main(%x: {a}, %b: {b}, %row: {row}) -> ({r}, {r}) {{
          %a = stablehlo.negate %x : {a}
          %1 = {found.op(element)}
          %2 = stablehlo.broadcast_in_dim %row, dims = [{len(found.result) - 1}] : ({row}) -> {r}
          %3 = stablehlo.add %1, %2 : {r}
          %4 = stablehlo.abs %3 : {r}
          %5 = stablehlo.multiply %4, %1 : {r}
          return %4, %5 : {r}, {r}
        }}"""
    assert_same(text, *inputs(found, element, element), numbers(2, found.result[-1:], element))


@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_results(name: str) -> None:
    row, permutation, folds = TRANSPOSED[name]
    found = dot(row)
    made, result = found.result, [found.result[d] for d in permutation]
    a, b, m, r = (tensor(shape, "f32") for shape in (found.left, found.right, made, result))
    text = f"""
        func.func @main(%x: {a}, %b: {b}) -> ({r}, {r}) {{
          %a = stablehlo.negate %x : {a}
          %1 = {found.op("f32")}
          %2 = stablehlo.transpose %1, dims = {list(permutation)} : ({m}) -> {r}
          %3 = stablehlo.constant dense<3.0> : {r}
          %4 = stablehlo.add %2, %3 : {r}
          return %2, %4 : {r}, {r}
        }}"""
    assert_same(text, *inputs(found, "f32", "f32"))
    (step,) = compiled(text).plan.steps
    assert ("transpose" in step.note) is not folds


@pytest.mark.parametrize("row", ALONE)
def test_alone(row: str) -> None:
    found, (element, step) = dot(row), ALONE[row]
    x, y = inputs(found, element, element)
    program = compiled(found.text(element), steps=[step])
    np.testing.assert_array_equal(program(x, y)[0], x @ y, strict=True)


@pytest.mark.parametrize(("elements", "row"), crossed(MIXED, ["70x130 130x48", "33x1500 1500x64", "3x5 5x2"]))
def test_mixed_elements(elements: list[str], row: str) -> None:
    """Sums are exact, and rounded or wrapped once."""
    found, (first, second, _) = dot(f"{row} ma,an"), elements
    a, b, r = (tensor(s, e) for s, e in zip((*found[:2], found.result), elements, strict=True))
    text = f"""
        func.func @main(%x: {a}, %b: {b}) -> ({r}, {r}) {{
          %a = stablehlo.{"not" if first.startswith("ui") else "abs"} %x : {a}
          %1 = {found.op(*elements)}
          %2 = stablehlo.add %1, %1 : {r}
          return %1, %2 : {r}, {r}
        }}"""
    assert_same(text, *inputs(found, first, second))


# Sums of i32, which wrap; products of 16 bits are added up in pairs


@pytest.mark.parametrize("engine", ["native", "numpy"])
@pytest.mark.parametrize("terms", [64, 129, 1001])
@pytest.mark.parametrize(
    ("element", "x", "other", "y"),
    [
        ("i8", -128, "i8", -128),
        ("i8", -128, "i8", 127),
        ("ui8", 255, "i8", -128),
        ("ui8", 255, "ui8", 255),
        ("i16", -(1 << 15), "i16", -(1 << 15)),  # the sum of two products is 2**31
        ("i16", -(1 << 15), "i8", 127),
        ("i4", -8, "i4", -8),
    ],
)
def test_extreme_products_wrap(element: str, x: int, other: str, y: int, terms: int, engine: str) -> None:
    program = shlo.compile(dot(f"40x{terms} {terms}x96 ma,an").text(element, other, "i32"), engine=engine)
    left, right = np.full((40, terms), x, dtype_of(element)), np.full((terms, 96), y, dtype_of(other))
    wrapped = (x * y * terms + (1 << 31)) % (1 << 32) - (1 << 31)
    np.testing.assert_array_equal(program(left, right)[0], np.full((40, 96), wrapped))


@pytest.mark.parametrize(
    "row",
    [
        "70x77 77x48 ma,an",
        "77x70 77x48 am,an",
        "70x76 48x76 ma,na",
        "30x7x20 20x7x48 mab,ban",
        "5x40x33 5x33x64 Xma,Xan",
    ],
)
def test_pairs_of_terms_are_along_any_dimension(row: str) -> None:
    x, y = inputs(dot(row), "i8", "i8")
    expected = np.einsum(dot(row).equation, x.astype(object), y.astype(object)).astype(np.int32)
    found = compiled(dot(row).text("i8", "i8", "i32"))(x, y)[0]
    np.testing.assert_array_equal(found, expected, strict=True)


def test_a_product_of_narrow_floats_in_a_loop() -> None:
    square, found = tensor((8, 8), "bf16"), dot("8x8 8x8 ma,an")
    loop = counted("10", {"a": (square, "%x", "%p")}, f"%p = {found.op('bf16')}")
    text = f"func.func @main(%x: {square}, %b: {square}) -> {square} {{{loop} return %r#1 : {square} }}"
    given = numbers(1, (8, 8), "bf16"), np.roll(np.eye(8), 1, 0).astype(ml_dtypes.bfloat16)
    assert_same(text, *given)  # products with it are exact
    # conversions are no steps: an iteration has five, as with f32; @main and the region are two
    compiled(text, max_steps=52)(*given)


def test_limits_count_dots_of_few_terms() -> None:
    """An iteration has six steps, two of them returns; @main and the region are two."""
    found, shapes = dot("70x3 3x70 ma,an"), ((70, 3), (3, 70), (70, 70))
    a, b, r = (tensor(shape, "f32") for shape in shapes)
    body = f"%p = {found.op('f32')} %q = stablehlo.add %p, %y : {r}"
    loop = counted("10", {"y": (r, "%x", "%q")}, body)
    text = f"func.func @main(%a: {a}, %b: {b}, %x: {r}) -> {r} {{{loop} return %r#1 : {r} }}"
    given = [numbers(k, shape, "f32") for k, shape in enumerate(shapes)]
    expected = given[2] + 10 * (given[0] @ given[1])
    np.testing.assert_array_equal(compiled(text, max_steps=62)(*given)[0], expected, strict=True)
    with pytest.raises(shlo.RunError, match="more than 61 steps"):
        compiled(text, max_steps=61)(*given)


def test_what_follows_a_product_and_leaves_no_trace() -> None:
    """A map that only maps of the same product read is not stored."""
    found = dot("96x500 500x80 ma,an")
    r = "tensor<96x80xf32>"
    text = f"""
        func.func @main(%a: tensor<96x500xf32>, %b: tensor<500x80xf32>) -> ({r}, {r}) {{
          %0 = {found.op("f32")}
          %1 = stablehlo.logistic %0 : {r}
          %2 = stablehlo.multiply %1, %0 : {r}
          %3 = stablehlo.add %1, %0 : {r}
          return %2, %3 : {r}, {r}
        }}"""
    a, b = (each / 64 for each in inputs(found, "f32", "f32"))
    product = a.astype(np.float64) @ b
    once = 1 / (1 + np.exp(-product))
    for have, want in zip(compiled(text)(a, b), (once * product, once + product), strict=True):
        np.testing.assert_allclose(have, want, rtol=2e-6, atol=1e-5)
