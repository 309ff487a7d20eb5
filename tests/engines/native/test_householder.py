"""QR factorizations of the native engine: vectors and factors are those of LAPACK, products those of Q."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.registry import find_engine
from tests.helpers.native import compiled, counted, tensor

TYPES = {"f32": ("s", np.float32, 3e-5), "f64": ("d", np.float64, 1e-12)}
NATIVE = find_engine("native", verify_loops=True)


def program(shape: tuple[int, ...], columns: int, type: str, config: str) -> shlo.Program:
    """Factors of a matrix, and the product of Q and another one, in a loop of as many iterations as %n."""
    *batch, m, n = shape
    letter, *_ = TYPES[type]
    a, t, c = (tensor((*batch, *rest), type) for rest in ((m, n), (min(m, n),), (m, columns)))
    body = f"""%f:2 = stablehlo.custom_call @lapack_{letter}geqrf_ffi(%a) {{mhlo.backend_config = {{}}}}
          : ({a}) -> ({a}, {t})
        %y = stablehlo.custom_call @lapack_{letter}ormqr_ffi(%f#0, %f#1, %x)
          {{mhlo.backend_config = {{{config}}}}} : ({a}, {t}, {c}) -> {c}"""
    carried = {"p": (a, "%a", "%f#0"), "q": (t, "%t", "%f#1"), "x": (c, "%c", "%y")}
    return compiled(
        f"""func.func @main(%n: tensor<i32>, %a: {a}, %t: {t}, %c: {c}) -> ({a}, {t}, {c}) {{
      {counted("%n", carried, body)}
      return %r#1, %r#2, %r#3 : {a}, {t}, {c}
    }}""",
        engine=NATIVE,
    )


def calls_of(compiled: shlo.Program) -> list[str]:
    """The calls of steps without loops."""
    return re.findall(r"call \d+ .*", compiled.explain("name"))


def orthogonal(packed: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Q, the product of reflections I - t v v^T whose vectors are below the diagonal."""
    m = len(packed)
    q = np.eye(m)
    for k, factor in enumerate(factors):
        v = np.concatenate([np.zeros(k), [1.0], packed[k + 1 :, k]])
        q = q @ (np.eye(m) - factor * np.outer(v, v))
    return q


def check(shape: tuple[int, ...], type: str, transpose: bool, a: np.ndarray) -> None:
    _, dtype, precision = TYPES[type]
    *batch, m, n = shape
    made = program(shape, 3, type, f"left = true, transpose = {str(transpose).lower()}")
    assert not calls_of(made)
    c = np.random.default_rng(1).standard_normal((*batch, m, 3)).astype(dtype)
    t = np.zeros((*batch, min(m, n)), dtype)
    packed, factors, found = made(np.int32(2), a.astype(dtype), t, c)
    for at in np.ndindex(*batch):
        wanted, scales = np.linalg.qr(a[at].astype(dtype), mode="raw")
        size = np.abs(a[at]).max()
        np.testing.assert_allclose(packed[at], wanted.T, rtol=precision, atol=precision * size)
        np.testing.assert_allclose(factors[at], scales, atol=precision)
        q = orthogonal(packed[at].astype(np.float64), factors[at].astype(np.float64))
        q = q.T if transpose else q
        np.testing.assert_allclose(found[at], q @ (q @ c[at]), atol=10 * precision)


@pytest.mark.parametrize("transpose", [True, False])
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (3, 5), (2, 4, 4), (2, 3, 6, 2), (53, 3)])
def test_factors_and_products(shape: tuple[int, ...], type: str, transpose: bool) -> None:
    check(shape, type, transpose, np.random.default_rng(0).standard_normal(shape))


@pytest.mark.parametrize("scale", [1e30, 1e-30])
def test_squares_of_elements_neither_overflow_nor_vanish(scale: float) -> None:
    check((6, 3), "f32", True, np.random.default_rng(2).standard_normal((6, 3)) * scale)


def test_a_column_that_is_zero_below_the_diagonal_is_not_reflected() -> None:
    a = np.array([[2.0, 1.0, 3.0], [0.0, 0.0, 4.0], [0.0, 0.0, 5.0]])
    check((3, 3), "f64", False, a)
    _, factors, _ = program((3, 3), 3, "f64", "left = true, transpose = false")(
        np.int32(1), a, np.zeros(3), np.eye(3)
    )
    assert factors.tolist() == [0.0, 0.0, 0.0]


def test_a_product_from_the_right_is_a_call() -> None:
    made = program((3, 3), 3, "f64", "left = false, transpose = true")
    assert len(calls_of(made)) == 1
    a, c = (np.random.default_rng(k).standard_normal((3, 3)) for k in range(2))
    packed, factors, found = made(np.int32(1), a, np.zeros(3), c)
    np.testing.assert_allclose(found, c @ orthogonal(packed, factors).T, atol=1e-12)


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (4, 4), (2, 6, 2), (2, 2, 3, 3)])
@pytest.mark.parametrize("reflections", [0, 1])
def test_the_orthogonal_matrix(shape: tuple[int, ...], type: str, reflections: int) -> None:
    letter, dtype, precision = TYPES[type]
    *batch, _, n = shape
    count = n - reflections
    a, t = tensor(shape, type), tensor((*batch, count), type)
    text = f"""
    func.func @main(%a: {a}, %t: {t}) -> {a} {{
      %q = stablehlo.custom_call @lapack_{letter}orgqr_ffi(%a, %t) : ({a}, {t}) -> {a}
      %r = stablehlo.add %q, %q : {a}
      %s = stablehlo.negate %r : {a}
      return %s : {a}
    }}"""
    draw = np.random.default_rng(3).standard_normal
    packed, factors = draw(shape).astype(dtype), draw((*batch, count)).astype(dtype)
    (found,) = compiled(text, ["native"] if count else None, engine=NATIVE)(packed, factors)
    for at in np.ndindex(*batch):
        q = orthogonal(packed[at].astype(np.float64), factors[at].astype(np.float64))
        wanted = -2 * q[:, :n]
        np.testing.assert_allclose(found[at], wanted, atol=10 * precision * max(1, np.abs(wanted).max()))


@pytest.mark.parametrize(("zero", "diagonal"), [(0.0, -5), (-0.0, 5)])
def test_the_diagonal_of_r_has_the_other_sign_of_a_zero(zero: float, diagonal: float) -> None:
    """As LAPACK's `SIGN` takes it, and so jaxlib."""
    a = np.array([[zero, 1.0], [3.0, 2.0], [4.0, 5.0]])
    check((3, 2), "f64", True, a)
    packed, factors, _ = program((3, 2), 3, "f64", "left = true, transpose = false")(
        np.int32(1), a, np.zeros(2), np.zeros((3, 3))
    )
    np.testing.assert_allclose((packed[0, 0], factors[0]), (diagonal, 1), rtol=1e-12)
