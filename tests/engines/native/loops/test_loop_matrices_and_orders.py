"""Linear systems, Fourier transforms, sorts and selections as loops, through all stages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import check_module

import stablehlo_py as shlo
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.syntax.parser import parse_type

RNG = np.random.default_rng(17)


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def check(body: str, arrays: list[Any], inputs: list[str], outputs: list[str], compiled: bool = True) -> None:
    """Run a function of some operations, `%0` to `%9`, whose results are those of `%r`."""
    arguments = ", ".join(f"%{k}: {type}" for k, type in enumerate(inputs))
    results = ", ".join(f"%r#{k}" if len(outputs) > 1 else "%r" for k in range(len(outputs)))
    types = ", ".join(outputs)
    text = f"func.func @main({arguments}) -> ({types}) {{\n{body}\n  return {results} : {types}\n}}"
    assert check_module(shlo.parse(text), "main", arrays, compiled) > 0


def positive(shape: tuple[int, ...], dtype: str) -> Any:
    """Matrices that are symmetric and positive definite."""
    x = RNG.standard_normal(shape)
    return (x @ np.swapaxes(x, -1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


@pytest.mark.parametrize("lower", ["true", "false"])
@pytest.mark.parametrize("shape", [(1, 1), (2, 3, 4, 4)])
def test_cholesky(shape: tuple[int, ...], lower: str) -> None:
    x, type = positive(shape, "f4"), tensor(shape, "f32")
    x[..., -1, -1] *= np.where(np.arange(x[..., 0, 0].size).reshape(shape[:-2]) == 1, -1, 1)
    check(f"  %r = stablehlo.cholesky %0, lower = {lower} : {type}", [x], [type], [type])


def test_names_of_inner_blocks_are_others() -> None:
    """Loops are split where the triangle begins: what is computed from a stored value has names in both."""
    x, type = positive((2, 6, 6), "f4"), tensor((2, 6, 6), "f32")
    body = f"""  %a = stablehlo.cholesky %0, lower = true : {type}
  %r = stablehlo.negate %a : {type}"""
    check(body, [x], [type], [type])


@pytest.mark.parametrize("transpose", ["NO_TRANSPOSE", "TRANSPOSE"])
@pytest.mark.parametrize("lower", ["true", "false"])
@pytest.mark.parametrize(("left", "shape"), [("true", (2, 5, 3)), ("false", (3, 5))])
def test_triangular_systems(left: str, shape: tuple[int, ...], lower: str, transpose: str) -> None:
    a = positive((*shape[:-2], 5, 5), "f8")
    b = RNG.standard_normal(shape)
    types = [tensor(a.shape, "f64"), tensor(shape, "f64")]
    unit = "true" if lower == "false" else "false"
    check(
        f"""  %r = "stablehlo.triangular_solve"(%0, %1) {{left_side = {left}, lower = {lower},
    unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {transpose}>}}
    : ({types[0]}, {types[1]}) -> {types[1]}""",
        [a / 10, b],
        types,
        types[1:],
    )


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 3, 5)])
def test_lu_factorizations_swap_rows(shape: tuple[int, ...]) -> None:
    x = RNG.standard_normal(shape).astype(np.float32)
    x[..., 1] = 0  # no pivot in the second column
    types = [tensor(shape, "f32"), tensor((*shape[:-2], min(shape[-2:])), "i32"), tensor(shape[:-2], "i32")]
    check(
        f"  %r:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%0) {{mhlo.backend_config = {{}}, "
        f"api_version = 4 : i32}} : ({types[0]}) -> ({', '.join(types)})",
        [x],
        types[:1],
        types,
    )


@pytest.mark.parametrize("uplo", [ord("L"), ord("U")])
@pytest.mark.parametrize("sign", [1, -1])
def test_factors_of_lapack(uplo: int, sign: int) -> None:
    x, types = positive((2, 4, 4), "f8"), [tensor((2, 4, 4), "f64"), tensor((2,), "i32")]
    x[1, 2, 2] *= sign
    check(
        f"""  %r:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%0) {{
    mhlo.backend_config = {{uplo = {uplo} : ui8}}, api_version = 4 : i32}}
    : ({types[0]}) -> ({", ".join(types)})""",
        [x],
        types[:1],
        types,
    )


LENGTHS = [((), (1,)), ((2, 3), (8,)), ((3,), (9,)), ((4,), (30,)), ((2,), (3, 4, 5))]


@pytest.mark.parametrize(("batch", "lengths"), LENGTHS)
@pytest.mark.parametrize("kind", ["FFT", "IFFT", "RFFT", "IRFFT"])
def test_fourier_transforms(kind: str, batch: tuple[int, ...], lengths: tuple[int, ...]) -> None:
    whole, half = (*batch, *lengths), (*batch, *lengths[:-1], lengths[-1] // 2 + 1)
    ends = {
        "FFT": ((whole, "complex<f32>"), (whole, "complex<f32>")),
        "IFFT": ((whole, "complex<f64>"), (whole, "complex<f64>")),
        "RFFT": ((whole, "f64"), (half, "complex<f64>")),
        "IRFFT": ((half, "complex<f32>"), (whole, "f32")),
    }
    (shape, element), result = ends[kind]
    x = RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)
    dtype = {"complex<f32>": "c8", "complex<f64>": "c16", "f64": "f8"}[element]
    x = (x if dtype[0] == "c" else x.real).astype(dtype)
    types, named = [tensor(shape, element), tensor(*result)], ", ".join(map(str, lengths))
    check(
        f"  %r = stablehlo.fft %0, type = {kind}, length = [{named}] : ({types[0]}) -> {types[1]}",
        [x],
        types[:1],
        types[1:],
        compiled=len(lengths) > 1 or lengths[0] == 30,
    )


COMPARATORS = {
    "LT": "%c = stablehlo.compare LT, %a, %b : ({T}, {T}) -> tensor<i1>",
    "total": "%c = stablehlo.compare GT, %a, %b, TOTALORDER : ({T}, {T}) -> tensor<i1>",
    "lexicographic": """%l = stablehlo.compare GT, %a, %b : ({T}, {T}) -> tensor<i1>
      %e = stablehlo.compare EQ, %a, %b : ({T}, {T}) -> tensor<i1>
      %k = stablehlo.compare LT, %p, %q : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c = stablehlo.select %e, %k, %l : tensor<i1>, tensor<i1>""",
    "none": """%x = stablehlo.multiply %a, %b : {T}
      %l = stablehlo.compare LT, %a, %b : ({T}, {T}) -> tensor<i1>
      %m = stablehlo.compare NE, %x, %x : ({T}, {T}) -> tensor<i1>
      %c = stablehlo.xor %l, %m : tensor<i1>""",
}


@pytest.mark.parametrize(
    ("comparator", "shape", "dimension"),
    [
        ("LT", (1,), 0),
        ("LT", (3, 7), 0),  # by ranks
        pytest.param("total", (70,), 0, marks=pytest.mark.slow),  # by digits
        ("lexicographic", (2, 3, 4), 1),  # by ranks of several limbs
        ("none", (3, 7), 1),  # by merging
    ],
)
def test_sorts(shape: tuple[int, ...], dimension: int, comparator: str) -> None:
    """It is stable."""
    element = "i32" if comparator == "lexicographic" else "f32"
    x = RNG.integers(-4, 5, shape).astype(element[0] + "4")
    if comparator in ("LT", "total"):
        x[x == -4], x[x == 4] = np.nan, -0.0
    y = RNG.integers(-2, 2, shape) << 40
    types, one = [tensor(shape, element), tensor(shape, "i64")], f"tensor<{element}>"
    named = ", ".join(types)
    check(
        f"""  %r:2 = "stablehlo.sort"(%0, %1) ({{
    ^bb0(%a: {one}, %b: {one}, %p: tensor<i64>, %q: tensor<i64>):
      {COMPARATORS[comparator].replace("{T}", one)}
      stablehlo.return %c : tensor<i1>
  }}) {{dimension = {dimension} : i64, is_stable = true}} : ({named}) -> ({named})""",
        [x, y],
        types,
        types,
        compiled=len(shape) < 3,
    )


@pytest.mark.parametrize("element", ["bf16", "i64"])
@pytest.mark.parametrize(("shape", "k"), [((5,), 5), ((2, 70), 2), ((130,), 1)])
def test_largest_elements(shape: tuple[int, ...], k: int, element: str) -> None:
    dtype = numpy_dtype(parse_type(element))
    x = RNG.integers(0, 99, shape).astype(dtype)
    kept = (*shape[:-1], k)
    types = [tensor(shape, element), tensor(kept, element), tensor(kept, "i32")]
    body = f"  %r:2 = chlo.top_k(%0, k = {k}) : {types[0]} -> ({types[1]}, {types[2]})"
    check(body, [x], types[:1], types[1:], compiled=k < 3)
