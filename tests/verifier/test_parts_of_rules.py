"""Parts of constraints, and sizes at their borders: programs of one op, with the constraint they violate."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pytest

import stablehlo_py as shlo
from tests.helpers.each import check_each


def errors(types: str, op: str) -> list[str]:
    """The codes of the errors of an op whose operands `%0`, `%1`, ... have some types."""
    arguments = ", ".join(f"%{at}: {type}" for at, type in enumerate(types.split("; ") if types else ()))
    module = shlo.parse(f"func.func @main({arguments}) {{\n  {op}\n  return\n}}")
    return sorted({each.code for each in shlo.verify(module) if each.severity == "error"})


def tensor(sizes: str, element: str = "f32") -> str:
    """A type: a size such as `?3` is dynamic, with a bound."""
    dims = sizes.split("x")
    if "?" not in sizes:
        return f"tensor<{sizes}x{element}>"
    bounds = ", ".join(dim[1:] if dim[1:] else "?" for dim in (dim if "?" in dim else "?" for dim in dims))
    stated = f", #stablehlo.bounds<{bounds}>" if bounds.strip("?, ") else ""
    return f"tensor<{'x'.join('?' if '?' in dim else dim for dim in dims)}x{element}{stated}>"


ELEMENTS: Mapping[str, tuple[str, str]] = {
    "abs": ("f32", "f32"),
    "real": ("complex<f32>", "f32"),
    "imag": ("complex<f32>", "f32"),
    "is_finite": ("f32", "i1"),
    "complex": ("f32", "complex<f32>"),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_no_size_exceeds_a_bound_of_the_other_side(name: str) -> None:
    before, after = ELEMENTS[name]
    count = 2 if name == "complex" else 1
    for operand, result, fits in (
        *(("3", "?2", False), ("3", "?3", True), ("3", "?4", True)),
        *(("?2", "3", False), ("?3", "3", True), ("?4", "3", True)),
    ):
        taken = tensor(operand, before)
        types = ", ".join([taken] * count)
        op = f'%r = "stablehlo.{name}"(%0{", %1" * (count - 1)}) : ({types}) -> {tensor(result, after)}'
        found = errors("; ".join([taken] * count), op)
        assert found == ([] if fits else [f"{name}.U1"]), (operand, result)


ACCURATE = "cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh"


@pytest.mark.parametrize("name", ACCURATE.split())
def test_no_tolerance_is_negative(name: str) -> None:
    for given, fits in (
        *(("atol = 0.5", True), ("rtol = 0.5", True), ("ulps = 1", True)),
        *(("atol = -0.5", False), ("rtol = -0.5", False), ("ulps = -1", False)),
    ):
        mode = "mode = #stablehlo.result_accuracy_mode<TOLERANCE>"
        accuracy = f"{{result_accuracy = #stablehlo.result_accuracy<{given}, {mode}>}}"
        op = f'%r = "stablehlo.{name}"(%0) <{accuracy}> : (tensor<2xf32>) -> tensor<2xf32>'
        assert errors("tensor<2xf32>", op) == ([] if fits else [f"{name}.U1"]), given


PAD = "stablehlo.pad %0, %1, low = [{}], high = [{}], interior = [{}]"
TURNED = "stablehlo.transpose %0, dims = [1, 0]"
JOINED = "stablehlo.concatenate %0, %1, dim = {}"
SLICE = "stablehlo.slice %0 [0:{}]"
SIZED = "stablehlo.set_dimension_size %0, %1, dim = {}"
BITS = "stablehlo.bitcast_convert %0"
SUM = "stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [{}]"
CONVOLUTION = (
    "stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} "
    "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
)
FFT = "stablehlo.fft %0, type = {}, length = [{}]"
GATHER = (
    '"stablehlo.all_gather"(%0) '
    "<{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>"
)
# The op, the sizes of operands and result (with the element type where it is not f32), and the violated rule.
ROWS = [
    (TURNED, "3x5", "?5x?3", ""),
    (TURNED, "3x5", "?4x?3", "U1"),
    (TURNED, "3x5", "?5x?2", "U1"),
    (TURNED, "?3x?5", "5x3", ""),
    (TURNED, "?2x?5", "5x3", "U1"),
    (TURNED, "?3x?4", "5x3", "U1"),
    (PAD.format(-2, -1, 0), "?3; ", "?", ""),
    (PAD.format(-2, -2, 0), "?3; ", "?", "U2"),
    (PAD.format(1, 2, 1), "?3; ", "8", ""),
    (PAD.format(1, 2, 1), "?3; ", "9", "U3"),
    (PAD.format(1, 2, 1), "3; ", "?8", ""),
    (PAD.format(1, 2, 1), "3; ", "?7", "U4"),
    (JOINED.format(0), "?2; ?3", "5", ""),
    (JOINED.format(0), "?2; ?3", "6", "U2"),
    (JOINED.format(1), "3x2; ?3x2", "?x4", ""),
    (JOINED.format(1), "3x2; ?2x2", "?x4", "U3"),
    (JOINED.format(1), "?2x2; 3x2", "?x4", "U3"),
    (JOINED.format(1), "3x2; 3x2", "?3x4", ""),
    (JOINED.format(1), "3x2; 3x2", "?2x4", "U4"),
    (JOINED.format(1), "?3x2; ?3x2", "3x4", ""),
    (JOINED.format(1), "?3x2; ?2x2", "3x4", "U4"),
    (SLICE.format(4), "?4", "4", ""),
    (SLICE.format(5), "?4", "5", "U2"),
    (SIZED.format(0), "4; :i32", "4", ""),
    (SIZED.format(0), "4; :i32", "5", "U4"),
    (SIZED.format(0), "?4; :i32", "4", ""),
    (SIZED.format(0), "?4; :i32", "5", "U5"),
    (SIZED.format(1), "4; :i32", "4", "U1"),
    (BITS, "3", "3:i32", ""),
    (BITS, "3", "4:i32", "C1"),
    (BITS, "3x4:i8", "3", ""),
    (BITS, "3x2:i8", "3", "C1"),
    (BITS, "3x4:i8", "4", "C1"),
    (BITS, "3x4:i8", "3x4", "C1"),
    (BITS, "3", "3x4:i8", ""),
    (BITS, "3", "3x2:i8", "C1"),
    (BITS, "3", "4x4:i8", "C1"),
    (FFT.format("FFT", 4), "4:complex<f32>", "4:complex<f32>", ""),
    (FFT.format("FFT", 4), "4:complex<f32>", "5:complex<f32>", "C5"),
    (FFT.format("FFT", 4), "4:complex<f32>", "4:complex<f64>", "C2"),
    (FFT.format("RFFT", 4), "2x4", "2x3:complex<f32>", ""),
    (FFT.format("RFFT", 5), "5", "3:complex<f32>", ""),
    (FFT.format("RFFT", 4), "2x4", "2x4:complex<f32>", "C5"),
    (FFT.format("RFFT", 4), "2x4", "3x3:complex<f32>", "C5"),
    (FFT.format("RFFT", 4), "5", "3:complex<f32>", "C4"),
    (FFT.format("RFFT", 4), "4", "3:complex<f64>", "C2"),
    (FFT.format("IRFFT", 4), "3:complex<f32>", "4", ""),
    (FFT.format("IRFFT", 5), "3:complex<f32>", "5", ""),
    (FFT.format("IRFFT", 4), "3:complex<f32>", "5", "C4"),
    (FFT.format("IRFFT", 4), "4:complex<f32>", "4", "C5"),
    (FFT.format("IRFFT", 4), "3:complex<f64>", "4", "C2"),
    (GATHER, "2x3", "4x3", ""),
    (GATHER, "2x3", "4x4", "C6"),
    (GATHER, "2x3", "5x3", "C6"),
    (GATHER, "2x3", "4x3:i32", "C6"),
    (SUM.format(1), "?3x5; ", "3", ""),
    (SUM.format(1), "?3x5; ", "4", "U3"),
    (SUM.format(0), "3x?5; ", "5", ""),
    (SUM.format(0), "3x?5; ", "6", "U3"),
    (SUM.format(0), "3x5; ", "?5", ""),
    (SUM.format(0), "3x5; ", "?4", "U3"),
    (CONVOLUTION, "2x3x5; 4x3x2", "2x4x4", ""),
    (CONVOLUTION, "2x3x5; 4x3x2", "3x4x4", "C25"),
    (CONVOLUTION, "2x3x5; 4x3x2", "2x3x4", "C25"),
    (CONVOLUTION, "2x3x5; 4x3x2", "2x4x5", "C25"),
]


def stated(sizes: str) -> str:
    """The type of a row; "" is a scalar."""
    shape, _, element = sizes.partition(":")
    return tensor(shape, element or "f32") if shape else f"tensor<{element or 'f32'}>"


def name_of(op: str) -> str:
    return re.split(r'[ ("]', op.lstrip('"'))[0].removeprefix("stablehlo.")


def check(op: str, operands: str, result: str, label: str) -> None:
    types = [stated(each) for each in operands.split("; ")]
    found = errors("; ".join(types), f"%r = {op} : ({', '.join(types)}) -> {stated(result)}")
    name = name_of(op)
    assert found == ([f"{name}.{label}"] if label else [])


@pytest.mark.parametrize("state", ["2xui32", "1x2xui64", "2x1xui64", "ui64"])
def test_a_state_of_random_bits_is_a_list_of_64_bits(state: str) -> None:
    module = shlo.parse(f"""func.func @main() -> tensor<2xi8> {{
      %s = stablehlo.constant dense<1> : tensor<{state}>
      %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY
        : (tensor<{state}>) -> (tensor<{state}>, tensor<2xi8>)
      return %1 : tensor<2xi8>
    }}""")
    with pytest.raises(shlo.RunError, match=r"\(R1\)"):
        shlo.run(module, engine="numpy")


NAMES = "transpose pad concatenate slice set_dimension_size bitcast_convert reduce convolution fft all_gather"


@pytest.mark.parametrize("name", NAMES.split())
def test_sizes_at_the_border(name: str) -> None:
    check_each(check, [row for row in ROWS if name_of(row[0]) == name])


SHAPED = {
    "dynamic_iota": ("dynamic_iota %s, dim = 0 : (tensor<2xi64>)", "R1"),
    "dynamic_reshape": ("dynamic_reshape %e, %s : (tensor<0xf32>, tensor<2xi64>)", "R1"),
    "dynamic_broadcast_in_dim": (
        "dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<1xf32>, tensor<2xi64>)",
        "R1",
    ),
    "rng": (
        "rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>)",
        "R2",
    ),
}


@pytest.mark.parametrize("name", SHAPED)
def test_a_size_of_a_run_is_0_or_more(name: str) -> None:
    op, label = SHAPED[name]
    program = shlo.compile(
        f"""func.func @main(%s: tensor<2xi64>) -> tensor<?x?xf32> {{
      %a = stablehlo.constant dense<0.0> : tensor<f32>
      %b = stablehlo.constant dense<1.0> : tensor<f32>
      %e = stablehlo.constant dense<> : tensor<0xf32>
      %x = stablehlo.constant dense<1.0> : tensor<1xf32>
      %0 = stablehlo.{op} -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }}""",
        engine="numpy",
    )
    assert program(np.array([0, 3], np.int64))[0].shape == (0, 3)
    with pytest.raises(shlo.RunError, match=rf"\({label}\)"):
        program(np.array([-1, 0], np.int64))
