"""Systems of equations of the native engine: solutions solve, factors multiply to the matrix."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.passes.pipeline import rewritten
from stablehlo_py.kernels.targets import registry
from tests.engines.native.loops.loop_regions import plan_of
from tests.helpers.native import check_loops, compiled, counted, tensor

RNG = np.random.default_rng(6)
DTYPES = {"f32": np.float32, "f64": np.float64}
FLAGS = list(product((True, False), (True, False), (True, False), ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")))


def run(text: str, *inputs: Any) -> list[Any]:
    """The results of the native engine; loops of small systems are verified and interpreted."""
    if sum(map(np.size, inputs)) <= 100:
        check_loops(text, *inputs)
    return list(compiled(text)(*inputs))


@pytest.mark.parametrize("case", list(enumerate(FLAGS)), ids=str)
def test_triangular_systems(case: Any) -> None:
    number, (left, lower, unit, transpose) = case
    size, others = [1, 3, 6, 9][number % 4], [5, 1, 2][number % 3]
    batch = [(), (3,), (2, 2)][number // 2 % 3]
    type = ["f32", "f64"][number % 2]
    shape = (*batch, size, others) if left else (*batch, others, size)
    square, values = tensor((*batch, size, size), type), tensor(shape, type)
    text = f"""func.func @main(%a: {square}, %b: {values}) -> ({values}, {values}) {{
      %0 = stablehlo.negate %b : {values}
      %1 = "stablehlo.triangular_solve"(%a, %0) <{{left_side = {str(left).lower()},
          lower = {str(lower).lower()}, unit_diagonal = {str(unit).lower()},
          transpose_a = #stablehlo<transpose {transpose}>}}>
        : ({square}, {values}) -> {values}
      %2 = stablehlo.add %1, %b : {values}
      return %1, %2 : {values}, {values}
    }}"""
    a = (RNG.standard_normal((*batch, size, size)) + 4 * np.eye(size)).astype(DTYPES[type])
    b = RNG.standard_normal(shape).astype(DTYPES[type])
    found, behind = run(text, a, b)
    triangle = (np.tril if lower else np.triu)(a.astype(np.float64))
    if unit:
        triangle = triangle - triangle * np.eye(size) + np.eye(size)
    if transpose != "NO_TRANSPOSE":
        triangle = np.swapaxes(triangle, -1, -2)
    product = triangle @ found if left else found @ triangle
    precision = 1e-4 if type == "f32" else 1e-12
    np.testing.assert_allclose(product, -b.astype(np.float64), atol=precision * np.abs(found).max() * 10)
    assert np.array_equal(behind, found + b)


CALL = """func.func @main(%a: {a}) -> ({a}, {pivots}, {info}) {{
  %0:3 = stablehlo.custom_call @lapack_{letter}getrf_ffi(%a) {{mhlo.backend_config = {{}}}}
    : ({a}) -> ({a}, {pivots}, {info})
  return %0#0, %0#1, %0#2 : {a}, {pivots}, {info}
}}"""


def factorization(shape: tuple[int, ...], type: str) -> str:
    pivots, info = (*shape[:-2], min(shape[-2:])), shape[:-2]
    types = {"a": tensor(shape, type), "pivots": tensor(pivots, "i32"), "info": tensor(info, "i32")}
    return CALL.format(letter="s" if type == "f32" else "d", **types)


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 5), (3, 7, 4), (2, 4, 7), (40, 40)])
@pytest.mark.parametrize("type", DTYPES)
def test_factorizations(shape: tuple[int, ...], type: str) -> None:
    a = RNG.standard_normal(shape).astype(DTYPES[type])
    lu, pivots, info = run(factorization(shape, type), a)
    assert not info.any()
    m, k = shape[-2], min(shape[-2:])
    for index in np.ndindex(shape[:-2]):
        lower = np.tril(lu[index][:, :k].astype(np.float64), -1) + np.eye(m, k)
        rows = a[index].astype(np.float64)
        for i, pivot in enumerate(pivots[index]):
            rows[[i, pivot - 1]] = rows[[pivot - 1, i]]
        assert np.abs(np.tril(lower, -1)).max(initial=0) <= 1
        np.testing.assert_allclose(
            lower @ np.triu(lu[index][:k]), rows, atol=1e-4 if type == "f32" else 1e-12
        )


def test_a_singular_matrix_has_the_place_of_its_zero_pivot() -> None:
    a = np.array([[1, 2, 3], [2, 4, 6], [1, 1, 1]], np.float32)
    _, _, info = run(factorization((3, 3), "f32"), a)
    assert info == 3
    for shape in ((4, 4), (5, 3), (2, 3, 5)):  # no pivot in the second column
        a = RNG.standard_normal(shape).astype(np.float32)
        a[..., 1] = 0
        check_loops(factorization(shape, "f32"), a)


def test_a_routine_that_is_replaced_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "lapack_sgetrf_ffi"
    assert registry.registered(name)
    monkeypatch.setattr(registry, "_targets", dict(registry._targets))
    shlo.custom_call(name)(lambda a: (a + 1, np.ones(2, np.int32), np.int32(7)))
    lu, _, info = compiled(factorization((2, 2), "f32"), None)(np.eye(2, dtype=np.float32))
    assert info == 7 and np.array_equal(lu, np.eye(2) + 1)


def test_a_loop_of_systems_is_one_region() -> None:
    t = "tensor<2x2xf64>"
    config = "mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}"
    step = f"%y = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %x) {{{config}}} : ({t}, {t}) -> {t}"
    text = f"""func.func @main(%a: {t}, %b: {t}, %n: tensor<i32>) -> {t} {{
      {counted("%n", {"x": (t, "%b", "%y")}, step)}
      return %r#1 : {t}
    }}"""
    a, b = np.array([[2.0, 9.0], [1.0, 4.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])
    (found,) = run(text, a, b, np.int32(3))
    np.testing.assert_allclose(np.linalg.matrix_power(np.tril(a), 3) @ found, b, atol=1e-12)


ROUTINES = {  # their attributes, with the letter of a triangle in place of LETTER, and of a side of SIDE
    "potrf_ffi(%a)": ("uplo = LETTER : ui8", "(A) -> (A, tensor<i32>)"),
    "trsm_ffi(%a, %a)": (
        "diag = UNIT : ui8, side = SIDE : ui8, trans_x = TURN : ui8, uplo = LETTER : ui8", "(A, A) -> A"
    ),
}  # fmt: skip


def routine(name: str, letters: dict[str, str], more: str = "") -> str:
    """A program that calls a routine."""
    config, types = ROUTINES[name]
    for each, letter in letters.items():
        config = config.replace(each, str(ord(letter)))
    return f"""func.func @main(%a: A) -> A {{
      %0:{1 + types.count("i32")} = stablehlo.custom_call @lapack_s{name}
        {{mhlo.backend_config = {{{config}}}{more}}} : {types}
      return %0#0 : A
    }}""".replace("A", "tensor<2x2xf32>")


@pytest.mark.parametrize("letters", ["LLNN", "URUT", "LRNC", "ULUN"])
@pytest.mark.parametrize("name", ROUTINES)
def test_letters_of_lapack_are_large_or_small(name: str, letters: str) -> None:
    named = dict(zip(["LETTER", "SIDE", "UNIT", "TURN"], letters, strict=True))
    small = {each: letter.lower() for each, letter in named.items()}
    found = [rewritten(plan_of(shlo.parse(routine(name, each)))).steps for each in (named, small)]
    (large,), (other,) = found
    assert large.name != "stablehlo.custom_call"
    assert (large.name, large.keywords) == (other.name, other.keywords)


@pytest.mark.parametrize("name", ROUTINES)
def test_an_attribute_that_a_routine_does_not_have_is_an_error(name: str) -> None:
    text = routine(
        name, dict.fromkeys(["LETTER", "SIDE"], "L") | {"UNIT": "N", "TURN": "N"}, ", other = 1 : i32"
    )
    with pytest.raises(shlo.Unsupported, match="is called with attribute other, which it does not have"):
        shlo.compile(shlo.parse(text), engine="native")


def definite(shape: tuple[int, ...], type: str) -> np.ndarray:
    a = RNG.standard_normal(shape)
    return (a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1])).astype(DTYPES[type])


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 6, 6), (40, 40)])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("type", DTYPES)
def test_cholesky_factors(shape: tuple[int, ...], lower: bool, type: str) -> None:
    t = tensor(shape, type)
    text = f"""func.func @main(%a: {t}) -> ({t}, {t}) {{
      %0 = stablehlo.cholesky %a, lower = {str(lower).lower()} : {t}
      %1 = stablehlo.negate %0 : {t}
      %2 = stablehlo.negate %1 : {t}
      return %0, %2 : {t}, {t}
    }}"""
    a = definite(shape, type)
    triangle = np.tril if lower else np.triu
    found, behind = run(text, triangle(a) + 7 * (1 - triangle(np.ones(shape[-2:], a.dtype))))
    factor = found if lower else np.swapaxes(found, -1, -2)
    assert np.array_equal(found, triangle(found)) and np.array_equal(found, behind)
    precision = 1e-5 if type == "f32" else 1e-14
    np.testing.assert_allclose(factor @ np.swapaxes(factor, -1, -2), a, rtol=precision, atol=precision * 100)


def test_a_matrix_that_is_not_positive_definite_has_no_factor() -> None:
    t = "tensor<3x3xf64>"
    text = f"""func.func @main(%a: {t}) -> {t} {{
      %0 = stablehlo.cholesky %a, lower = true : {t}
      %1 = stablehlo.negate %0 : {t}
      %2 = stablehlo.negate %1 : {t}
      return %2 : {t}
    }}"""
    (found,) = run(text, np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, 1]]))
    assert np.isnan(found).tolist() == np.tril(np.ones((3, 3), bool)).tolist()
    assert not np.triu(found, 1).any()


@pytest.mark.parametrize("uplo", "LU")
def test_lapacks_cholesky_keeps_the_other_triangle(uplo: str) -> None:
    t = "tensor<2x4x4xf32>"
    text = f"""func.func @main(%a: {t}) -> ({t}, tensor<2xi32>) {{
      %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a)
        {{mhlo.backend_config = {{uplo = {ord(uplo)} : ui8}}}} : ({t}) -> ({t}, tensor<2xi32>)
      return %0#0, %0#1 : {t}, tensor<2xi32>
    }}"""
    a = definite((2, 4, 4), "f32")
    a[1, 2, 2] = -1
    found, info = run(text, a)
    triangle, other = (np.tril, np.triu) if uplo == "L" else (np.triu, np.tril)
    factor = triangle(found[0]) if uplo == "L" else triangle(found[0]).T
    np.testing.assert_allclose(factor @ factor.T, a[0], rtol=1e-5)
    offset = 1 if uplo == "L" else -1
    assert np.array_equal(other(found[0], offset), other(a[0], offset))
    assert info.tolist() == [0, 3]
