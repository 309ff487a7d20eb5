"""Times every op on a million elements: how many times as long as copying them.

usage: python tests/benchmarks/kernels.py [SUBSTRING]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import F32, I1, I32, ComplexType, TensorType, Type
from stablehlo_py.opset.definition import OpDef, all_definitions

N = 1 << 20
ELEMENTS: tuple[Type, ...] = (F32, I32, I1, ComplexType(F32))
ADD = """{
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
}"""
COMPARE = """{
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
}"""

# What is not elementwise: the op's attributes and regions, and its types; a million elements go in or out.
PROGRAMS: dict[str, tuple[str, str]] = {
    "stablehlo.iota": ("<{iota_dimension = 0 : i64}>", "() -> tensor<1024x1024xf32>"),
    "stablehlo.broadcast_in_dim": (
        "<{broadcast_dimensions = array<i64: 1>}>",
        "(tensor<1024xf32>) -> tensor<1024x1024xf32>",
    ),
    "stablehlo.reshape": ("", "(tensor<1024x1024xf32>) -> tensor<1048576xf32>"),
    "stablehlo.transpose": (
        "<{permutation = array<i64: 1, 0>}>",
        "(tensor<1024x1024xf32>) -> tensor<1024x1024xf32>",
    ),
    "stablehlo.reverse": (
        "<{dimensions = array<i64: 0, 1>}>",
        "(tensor<1024x1024xf32>) -> tensor<1024x1024xf32>",
    ),
    "stablehlo.slice": (
        "<{start_indices = array<i64: 0>, limit_indices = array<i64: 2097152>, strides = array<i64: 2>}>",
        "(tensor<2097152xf32>) -> tensor<1048576xf32>",
    ),
    "stablehlo.pad": (
        "<{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>, "
        "interior_padding = array<i64: 1>}>",
        "(tensor<524288xf32>, tensor<f32>) -> tensor<1048576xf32>",
    ),
    "stablehlo.concatenate": (
        "<{dimension = 0 : i64}>",
        "(tensor<524288xf32>, tensor<524288xf32>) -> tensor<1048576xf32>",
    ),
    "stablehlo.dynamic_slice": (
        "<{slice_sizes = array<i64: 1048576>}>",
        "(tensor<2097152xf32>, tensor<i32>) -> tensor<1048576xf32>",
    ),
    "stablehlo.dynamic_update_slice": (
        "",
        "(tensor<1048576xf32>, tensor<524288xf32>, tensor<i32>) -> tensor<1048576xf32>",
    ),
    "stablehlo.gather": (
        "<{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], "
        "index_vector_dim = 1>, slice_sizes = array<i64: 1>}>",
        "(tensor<1048576xf32>, tensor<1048576xi32>) -> tensor<1048576xf32>",
    ),
    "stablehlo.scatter": (
        f"({ADD}) <{{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}>",
        "(tensor<1048576xf32>, tensor<1048576xi32>, tensor<1048576xf32>) -> tensor<1048576xf32>",
    ),
    "stablehlo.reduce": (
        f"({ADD}) <{{dimensions = array<i64: 0, 1>}}>",
        "(tensor<1024x1024xf32>, tensor<f32>) -> tensor<f32>",
    ),
    "stablehlo.reduce_window": (
        f"({ADD}) <{{window_dimensions = array<i64: 3, 3>}}>",
        "(tensor<1024x1024xf32>, tensor<f32>) -> tensor<1022x1022xf32>",
    ),
    "stablehlo.select_and_scatter": (
        f"({COMPARE}, {ADD}) <{{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}}>",
        "(tensor<1024x1024xf32>, tensor<512x512xf32>, tensor<f32>) -> tensor<1024x1024xf32>",
    ),
    "stablehlo.map": (
        f"({ADD}) <{{dimensions = array<i64: 0>}}>",
        "(tensor<1048576xf32>, tensor<1048576xf32>) -> tensor<1048576xf32>",
    ),
    "stablehlo.sort": (
        f"({COMPARE}) <{{dimension = 0 : i64}}>",
        "(tensor<1048576xf32>) -> tensor<1048576xf32>",
    ),
    "chlo.top_k": ("<{k = 8 : i64}>", "(tensor<1048576xf32>) -> (tensor<8xf32>, tensor<8xi32>)"),
    "stablehlo.dot_general": (
        "<{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
        "rhs_contracting_dimensions = [0]>}>",
        "(tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>",
    ),
    "stablehlo.convolution": (
        "<{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
        "feature_group_count = 1 : i64, batch_group_count = 1 : i64}>",
        "(tensor<1x512x512x4xf32>, tensor<3x3x4x4xf32>) -> tensor<1x510x510x4xf32>",
    ),
    "stablehlo.batch_norm_inference": (
        "<{epsilon = 0.001 : f32, feature_index = 1 : i64}>",
        "(tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>)"
        " -> tensor<1024x1024xf32>",
    ),
    "stablehlo.batch_norm_training": (
        "<{epsilon = 0.001 : f32, feature_index = 1 : i64}>",
        "(tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>)"
        " -> (tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>)",
    ),
    "stablehlo.batch_norm_grad": (
        "<{epsilon = 0.001 : f32, feature_index = 1 : i64}>",
        "(tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, "
        "tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>)",
    ),
    "stablehlo.cholesky": ("<{lower = true}>", "(tensor<16384x8x8xf32>) -> tensor<16384x8x8xf32>"),
    "stablehlo.triangular_solve": (
        "<{left_side = true, lower = true, unit_diagonal = true, "
        "transpose_a = #stablehlo<transpose NO_TRANSPOSE>}>",
        "(tensor<16384x8x8xf32>, tensor<16384x8x8xf32>) -> tensor<16384x8x8xf32>",
    ),
    "stablehlo.fft": (
        "<{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 1024>}>",
        "(tensor<1024x1024xcomplex<f32>>) -> tensor<1024x1024xcomplex<f32>>",
    ),
    "stablehlo.rng_bit_generator": (
        "<{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}>",
        "(tensor<2xui64>) -> (tensor<2xui64>, tensor<1048576xui32>)",
    ),
    "stablehlo.bitcast_convert": ("", "(tensor<1048576xf32>) -> tensor<1048576xi32>"),
    "stablehlo.uniform_quantize": (
        "",
        "(tensor<1048576xf32>) -> tensor<1048576x!quant.uniform<i8:f32, 0.1:3>>",
    ),
    "stablehlo.uniform_dequantize": (
        "",
        "(tensor<1048576x!quant.uniform<i8:f32, 0.1:3>>) -> tensor<1048576xf32>",
    ),
}
ATTRIBUTES = {
    "stablehlo.compare": "<{comparison_direction = #stablehlo<comparison_direction LT>}>",
    "stablehlo.reduce_precision": "<{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}>",
}


def programs() -> Iterator[tuple[str, str]]:
    """The name and the text of a program for each op."""
    for definition in all_definitions():
        if definition.name in PROGRAMS:
            yield definition.name, program(definition.name, *PROGRAMS[definition.name])
        elif "elementwise" in definition.traits and definition.name.startswith(("stablehlo.", "chlo.")):
            yield definition.name, elementwise(definition)


def elementwise(definition: OpDef) -> str:
    """A program on vectors of the first element type that each operand takes, and that fits the others."""
    for element in ELEMENTS:
        operands = [operand.type.contains(TensorType((N,), element)) for operand in definition.operands]
        inputs = [element if fits else I1 for fits in operands]
        for result in (element, I1, F32, ComplexType(F32)):
            types = ", ".join(str(TensorType((N,), e)) for e in inputs)
            text = program(
                definition.name,
                ATTRIBUTES.get(definition.name, ""),
                f"({types}) -> {TensorType((N,), result)}",
            )
            if not any(finding.severity == "error" for finding in shlo.verify(shlo.parse(text))):
                return text
    raise ValueError(f"{definition.name} takes none of the element types that are tried")


def program(name: str, rest: str, signature: str) -> str:
    """A function around one op in generic form; `rest` is its regions and attributes."""
    inputs, _, results = signature.partition(" -> ")
    regions, found, attributes = rest.partition(" <{")
    if rest.startswith("<{"):
        regions, attributes = "", rest
    elif found:
        attributes = f"<{{{attributes}"
    types = [t for t in inputs[1:-1].replace(", tensor", "; tensor").split("; ") if t]
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    operands = ", ".join(f"%a{i}" for i in range(len(types)))
    count = results.count("tensor<")
    returned = ", ".join(f"%r#{i}" for i in range(count))
    return (
        f"func.func @main({arguments}) -> {results} {{\n"
        f'  %r:{count} = "{name}"({operands}) {attributes} {regions} : {signature}\n'
        f"  return {returned} : {results.strip('()') if count > 1 else results}\n}}"
    )


def seconds(call: Callable[[], Any]) -> float:
    """The shortest of several runs."""
    call()
    best, spent = float("inf"), 0.0
    while spent < 0.3:
        start = time.perf_counter()
        call()
        taken = time.perf_counter() - start
        best, spent = min(best, taken), spent + taken
    return best


def arguments(name: str, module: shlo.Module) -> list[Any]:
    """Positive numbers around 1, positions in range, symmetric positive definite matrices; and, of functions
    that are not defined for every number, the first argument where they are."""
    rng = np.random.default_rng(0)
    found = []
    for value in module.body.ops[0].regions[0].blocks[0].arguments:
        assert isinstance(value.type, TensorType)
        shape: Any = value.type.shape
        dtype = numpy_dtype(value.type.element_type)
        array = rng.integers(0, 1000, shape) if dtype.kind in "iu" else 0.5 + rng.random(shape)
        if shape[-2:] == (8, 8):
            array = array + np.swapaxes(array, -1, -2) + 16 * np.eye(8)
        found.append(array.astype(dtype))
    if name == "chlo.polygamma":
        found[0] = np.rint(found[0])
    if name == "chlo.zeta":
        found[0] += 1
    return found


def main(substring: str) -> None:
    """Prints a row for each op, the slowest last."""
    source = np.ones(N, np.float32)
    target = np.empty_like(source)
    copying = seconds(lambda: np.copyto(target, source))
    print(f"copying {N} f32 takes {copying * 1e3:.3f} ms")
    rows = []
    for name, text in programs():
        if substring in name:
            module = shlo.parse(text)
            run, given = shlo.compile(module), arguments(name, module)
            taken = seconds(lambda run=run, given=given: run(*given))  # type: ignore[misc]
            rows.append((taken / copying, taken, name))
    for multiple, taken, name in sorted(rows):
        print(f"{name:36} {taken * 1e3:9.2f} ms {multiple:8.1f}x")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
