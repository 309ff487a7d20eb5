"""Fourier transforms of the native engine beside the NumPy engine and the sums of the definition."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from tests.helpers.agreement import distance
from tests.helpers.native import check_loops, compiled, counted, dtype_of, tensor

SHAPES = [  # of the array, real for RFFT and IRFFT, and how many of its dimensions are transformed
    ((8,), 1), ((3, 16), 1), ((5, 6), 1), ((1,), 1), ((7,), 1), ((2, 1024), 1), ((16, 32), 2),
    ((2, 12, 20), 2), ((2, 3, 4, 5), 3), ((2, 30), 1), ((2,), 1), ((32, 10), 1), ((2, 4096), 1),
]  # fmt: skip
ULPS = 3  # of the largest result: each engine has an error of about one


def program(kind: str, shape: tuple[int, ...], count: int, part: str) -> tuple[str, np.ndarray]:
    """A transform between ops that negate, and its input."""
    half = (*shape[:-1], shape[-1] // 2 + 1)
    before, after = {"RFFT": (shape, half), "IRFFT": (half, shape)}.get(kind, (shape, shape))
    pair = f"complex<{part}>"
    elements = {"RFFT": (part, pair), "IRFFT": (pair, part)}.get(kind, (pair, pair))
    x, y = (tensor(sizes, element) for sizes, element in zip((before, after), elements, strict=True))
    lengths = ", ".join(map(str, shape[len(shape) - count :]))
    text = f"""func.func @main(%x: {x}) -> {y} {{
      %0 = stablehlo.negate %x : {x}
      %1 = stablehlo.fft %0, type = {kind}, length = [{lengths}] : ({x}) -> {y}
      %2 = stablehlo.negate %1 : {y}
      return %2 : {y}
    }}"""
    rng = np.random.default_rng(6)
    numbers = rng.normal(size=before) + (0 if kind == "RFFT" else 1j * rng.normal(size=before))
    return text, numbers.astype(dtype_of(elements[0]))


@pytest.mark.parametrize("number", range(8))
def test_transforms(number: int) -> None:
    """Each kind of each shape, of one type: of the other one in the next shape."""
    kind = ["FFT", "IFFT", "RFFT", "IRFFT"][number % 4]
    for place, (shape, count) in enumerate(SHAPES):
        if (place + number // 4) % 2:
            continue
        part = ["f32", "f64"][(place // 2 + number) % 2]
        text, x = program(kind, shape, count, part)
        module = shlo.parse(text)
        native = shlo.compile(module, engine="native")
        names = [step.name for step in native.plan.steps]
        assert "native" in names and "stablehlo.fft" not in names
        (found,), (expected,) = native(x), shlo.run(module, [x], engine="numpy")
        assert distance(found, expected, float(np.abs(expected).max())) <= ULPS, (shape, count)
        if np.prod(shape) <= 60 and (part == "f32") == (kind in ("FFT", "IRFFT")):
            check_loops(text, x)


def test_a_length_with_a_large_prime_is_of_numpy() -> None:
    text, x = program("FFT", (3, 22), 1, "f32")
    native = shlo.compile(shlo.parse(text), engine="native")
    assert "stablehlo.fft" in [step.name for step in native.plan.steps]
    assert np.allclose(native(x)[0], np.fft.fft(x), atol=1e-5)


@pytest.mark.parametrize("length", [9, 40, 105, 1024])
def test_a_transform_is_the_sum_of_its_definition(length: int) -> None:
    text, x = program("FFT", (length,), 1, "f32")
    (found,) = shlo.run(shlo.parse(text), [x], engine="native")
    k = np.arange(length)
    roots = np.exp(-2j * np.pi * (np.outer(k, k) % length) / length)
    expected = roots @ x.astype(np.complex128)
    assert np.abs(found - expected).max() <= 2e-6 * np.abs(expected).max()


@pytest.mark.parametrize("length", [3, 4, 5])
def test_real_transforms_of_short_lines(length: int) -> None:
    """There and back: the half that is left out is that of the conjugates."""
    text, x = program("RFFT", (2, length), 1, "f64")
    back, y = program("IRFFT", (2, length), 1, "f64")
    k = np.arange(length)
    roots = np.exp(-2j * np.pi * np.outer(k, k) / length)
    np.testing.assert_allclose(compiled(text)(x)[0], (x @ roots)[:, : length // 2 + 1], atol=1e-13)
    mirrored = [y[:, min(j, length - j)].conj() if 2 * j > length else y[:, j] for j in range(length)]
    mirrored[0] = mirrored[0].real
    if length % 2 == 0:
        mirrored[length // 2] = mirrored[length // 2].real
    expected = (np.stack(mirrored, 1) @ roots.conj()).real / length
    np.testing.assert_allclose(compiled(back)(y)[0], expected, atol=1e-13)


@pytest.mark.parametrize("length", [2, 6, 16])
def test_an_inverse_to_real_numbers_ignores_imaginary_parts_of_real_sums(length: int) -> None:
    text, x = program("IRFFT", (2, length), 1, "f64")
    native = compiled(text)
    (expected,) = native(x)
    x.imag[:, [0, length // 2]] = np.nan
    np.testing.assert_array_equal(native(x)[0], expected)


def test_real_sums_of_infinite_numbers_are_infinite() -> None:
    text, x = program("RFFT", (8,), 1, "f32")
    x[2] = np.inf
    (found,) = shlo.run(shlo.parse(text), [x], engine="native")
    np.testing.assert_array_equal(found[[0, 4]].real, np.inf)
    np.testing.assert_array_equal(found[[0, 4]].imag, 0)


@pytest.mark.parametrize("shape", [(16,), (6, 8)], ids=str)
def test_a_transform_in_a_loop(shape: tuple[int, ...]) -> None:
    """Four transforms and a division by the size each time: the array itself, divided by the size twice."""
    z = tensor(shape, "complex<f64>")
    size = int(np.prod(shape))
    body = f"""%2 = stablehlo.fft %a, type = FFT, length = {list(shape)} : ({z}) -> {z}
          %3 = stablehlo.divide %2, %n : {z}"""
    text = f"""func.func @main(%x: {z}) -> {z} {{
      %n = stablehlo.constant dense<({size}.0, 0.0)> : {z}
      {counted("4", {"a": (z, "%x", "%3")}, body)}
      return %r#1 : {z}
    }}"""
    rng = np.random.default_rng(7)
    x = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    np.testing.assert_allclose(compiled(text, max_steps=40)(x)[0] * size**2, x, rtol=0, atol=1e-13)
