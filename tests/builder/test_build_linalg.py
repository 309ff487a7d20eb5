"""Linear algebra, batch normalization and random numbers."""

from __future__ import annotations

import numpy as np
import pytest
from building import Array, f32, result, results

from stablehlo_py.builder import BuildError, XlaBuilder

X = np.random.default_rng(0).standard_normal((4, 3, 5)).astype(f32)


@pytest.mark.parametrize("length", [16, 17])
def test_fft(length: int) -> None:
    """The lengths 16 and 17 give RFFT the same shape, and IRFFT different ones."""
    real = np.random.default_rng(1).standard_normal((2, length)).astype(f32)
    spectrum = np.fft.rfft(real).astype(np.complex64)
    b = XlaBuilder()
    x, s = b.Parameter(0, real), b.Parameter(1, spectrum)
    forward = b.Fft(s, "FFT", [spectrum.shape[1]])
    b.Tuple(
        b.Fft(x, "RFFT", [length]), b.Fft(s, "IRFFT", [length]), b.Fft(forward, "IFFT", [spectrum.shape[1]])
    )
    rfft, irfft, back = results(b, real, spectrum)
    assert rfft.shape == (2, 9) and irfft.shape == (2, length)
    np.testing.assert_allclose(rfft, spectrum, atol=1e-5)
    np.testing.assert_allclose(irfft, real, atol=1e-5)
    np.testing.assert_allclose(back, spectrum, atol=1e-5)


def test_fft_over_several_dimensions() -> None:
    b = XlaBuilder()
    b.Fft(b.Parameter(0, X), "RFFT", [3, 5])
    np.testing.assert_allclose(result(b, X), np.fft.rfft2(X), atol=1e-4)
    with pytest.raises(BuildError, match="fft_type"):
        b.Fft(X, "DFT", [5])
    with pytest.raises(BuildError, match="fft"):
        b.Fft(X, "FFT", [5])


def positive_definite() -> Array:
    m = np.array([[2, 0, 0], [1, 3, 0], [4, 5, 6]], f32)
    return m @ m.T


@pytest.mark.parametrize("lower", [True, False])
def test_cholesky(lower: bool) -> None:
    a = positive_definite()
    b = XlaBuilder()
    b.Cholesky(b.Parameter(0, a), lower)
    got = result(b, a)
    factor = np.tril(got) if lower else np.triu(got).T
    np.testing.assert_allclose(factor, [[2, 0, 0], [1, 3, 0], [4, 5, 6]], atol=1e-5)


@pytest.mark.parametrize("left_side", [True, False])
@pytest.mark.parametrize("transpose_a", ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
@pytest.mark.parametrize("unit_diagonal", [True, False])
def test_triangular_solve(left_side: bool, transpose_a: str, unit_diagonal: bool) -> None:
    a = np.array([[2, 9], [1, 4]], np.complex64) + np.array([[0, 0], [1j, 0]], np.complex64)
    rhs = np.array([[1, 2], [3, 4]], np.complex64)
    b = XlaBuilder()
    b.TriangularSolve(b.Parameter(0, a), b.Parameter(1, rhs), left_side, True, unit_diagonal, transpose_a)
    lower = np.tril(a, -1) + (np.eye(2) if unit_diagonal else np.diag(np.diag(a)))
    op = {"NO_TRANSPOSE": lower, "TRANSPOSE": lower.T, "ADJOINT": lower.conj().T}[transpose_a]
    x = result(b, a, rhs)
    np.testing.assert_allclose(op @ x if left_side else x @ op, rhs, atol=1e-5)


def test_batch_norm_training_and_inference() -> None:
    scale, offset = np.array([1, 2, 3], f32), np.array([0.5, 0, -1], f32)
    b = XlaBuilder()
    x, s, o = b.Parameter(0, X), b.Parameter(1, scale), b.Parameter(2, offset)
    y, mean, variance = b.BatchNormTraining(x, s, o, 0.01, 1)
    b.Tuple(y, mean, variance, b.BatchNormInference(x, s, o, mean, variance, 0.01, 1))
    output, batch_mean, batch_var, inferred = results(b, X, scale, offset)
    want_mean, want_var = X.mean((0, 2)), X.var((0, 2))
    want = scale[:, None] * (X - want_mean[:, None]) / np.sqrt(want_var[:, None] + 0.01) + offset[:, None]
    np.testing.assert_allclose(batch_mean, want_mean, atol=1e-5)
    np.testing.assert_allclose(batch_var, want_var, atol=1e-5)
    np.testing.assert_allclose(output, want, atol=1e-4)
    np.testing.assert_allclose(inferred, want, atol=1e-4)


def test_batch_norm_grad() -> None:
    """The document's formulas, in double precision."""
    scale, epsilon = np.array([1, 2, 3], f32), 0.01
    dy = np.random.default_rng(2).standard_normal(X.shape).astype(f32)
    mean, variance = X.mean((0, 2)), X.var((0, 2))
    b = XlaBuilder()
    inputs = (X, scale, mean, variance, dy)
    operands = [b.Parameter(i, x) for i, x in enumerate(inputs)]
    b.BatchNormGrad(*operands, epsilon=epsilon, feature_index=1)
    grad_operand, grad_scale, grad_offset = results(b, *inputs)
    m, v, g, d = (a.astype(np.float64)[..., None] if a.ndim == 1 else a for a in (mean, variance, scale, dy))
    centred = X - m
    c = (d * centred / (v + epsilon)).mean((0, 2), keepdims=True)
    d_mean = d.mean((0, 2), keepdims=True)
    np.testing.assert_allclose(grad_operand, g / np.sqrt(v + epsilon) * (d - d_mean - c * centred), atol=1e-4)
    np.testing.assert_allclose(grad_scale, (d * centred / np.sqrt(v + epsilon)).sum((0, 2)), atol=1e-4)
    np.testing.assert_allclose(grad_offset, d.sum((0, 2)), atol=1e-4)


def test_batch_norm_of_what_does_not_fit() -> None:
    with pytest.raises(BuildError, match="batch_norm_training"):
        XlaBuilder().BatchNormTraining(X, np.ones(4, f32), np.ones(3, f32), 0.1, 1)


def test_random_numbers_are_in_their_ranges() -> None:
    b = XlaBuilder()
    b.Tuple(
        b.RngUniform(2.0, 3.0, "f32[1000]"),
        b.RngUniform(-2, 3, "s32[1000]"),
        b.RngNormal(10.0, 0.5, "f64[1000]"),
        b.RngBernoulli(0.25, "u32[1000]"),
    )
    uniform, integers, normal, bernoulli = results(b)
    assert uniform.min() >= 2 and uniform.max() < 3 and uniform.std() > 0.2
    assert set(integers.tolist()) == {-2, -1, 0, 1, 2}
    assert abs(normal.mean() - 10) < 0.1 and abs(normal.std() - 0.5) < 0.1 and normal.dtype == np.float64
    assert set(bernoulli.tolist()) == {0, 1} and 150 < bernoulli.sum() < 350 and bernoulli.dtype == np.uint32


def test_random_numbers_of_what_does_not_fit() -> None:
    b = XlaBuilder()
    with pytest.raises(BuildError, match="must be u32"):
        b.RngBernoulli(0.5, "f32[3]")
    with pytest.raises(BuildError, match="rng"):
        b.RngNormal(np.float64(0), 1.0, "f32[3]")
    with pytest.raises(BuildError, match="not a static array shape"):
        b.RngUniform(0.0, 1.0, "(f32[3], f32[3])")


@pytest.mark.parametrize("algorithm", ["RNG_THREE_FRY", "three_fry"])
def test_rng_bit_generator_is_reproducible(algorithm: str) -> None:
    """The specification's worked example of ThreeFry."""
    b = XlaBuilder()
    b.RngBitGenerator(algorithm, b.Parameter(0, "u64[2]"), "u64[2,2]")
    state, bits = results(b, np.array([1, 2], np.uint64))
    assert state.tolist() == [1, 6]
    assert bits.tolist() == [
        [9236835810183407956, 16087790271692313299],
        [18212823393184779219, 2658481902456610144],
    ]
    with pytest.raises(BuildError, match="rng_algorithm"):
        b.RngBitGenerator("MERSENNE", np.zeros(2, np.uint64), "u64[2]")


def test_a_draw_below_the_probability_is_a_one() -> None:
    """Draws may be 0, which is no one at the probability 0."""
    b = XlaBuilder()
    b.RngBernoulli(0.0, "u32[3]")
    (compare,) = [op for op in b.build().walk() if op.name == "stablehlo.compare"]
    assert getattr(compare.attribute("comparison_direction"), "value", None) == "LT"
    assert compare.operands[1].op.name == "stablehlo.broadcast_in_dim"  # type: ignore[attr-defined]
