"""Emitters: for each op, its element at an index.

Elementwise ops are in `elementwise.py`. A data-movement op is a function of the index (`kernels/shape.py`).
"""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value, complex_of
from stablehlo_py.engines.native.dots import short_dot
from stablehlo_py.engines.native.elementwise import ELEMENTWISE
from stablehlo_py.engines.native.index_space import ZERO, Index, Indices, reshape
from stablehlo_py.engines.native.joins import JOINS
from stablehlo_py.engines.native.lower.contraction import SHORT_DOT
from stablehlo_py.engines.native.products.pairs import PAIRS
from stablehlo_py.engines.native.quantized import QUANTIZATION
from stablehlo_py.engines.native.scope import Expression, Scope, clamped_start
from stablehlo_py.interpreter.plan import Step


def _broadcast_in_dim(scope: Scope, step: Step, indices: Indices) -> Value:
    (operand,) = step.ins
    shape = scope.shape(operand)
    dims = step.keywords["broadcast_dimensions"]
    return scope.at(
        operand, tuple([ZERO if n == 1 else indices[d] for n, d in zip(shape, dims, strict=True)])
    )


def _reshape(scope: Scope, step: Step, indices: Indices) -> Value:
    (operand,) = step.ins
    return scope.at(operand, reshape(indices, scope.shape(step.outs[0]), scope.shape(operand), scope.b))


def _transpose(scope: Scope, step: Step, indices: Indices) -> Value:
    permutation = step.keywords["permutation"]
    source: list[Index] = [ZERO] * len(indices)
    for index, dimension in zip(indices, permutation, strict=True):
        source[dimension] = index
    return scope.at(step.ins[0], tuple(source))


def _slice(scope: Scope, step: Step, indices: Indices) -> Value:
    starts, strides = step.keywords["start_indices"], step.keywords["strides"]
    moved = [i * stride + start for i, start, stride in zip(indices, starts, strides, strict=True)]
    return scope.at(step.ins[0], tuple(moved))


def _reverse(scope: Scope, step: Step, indices: Indices) -> Value:
    dims, shape = step.keywords["dimensions"], scope.shape(step.ins[0])
    turned = [n - 1 - i if d in dims else i for d, (i, n) in enumerate(zip(indices, shape, strict=True))]
    return scope.at(step.ins[0], tuple(turned))


def _dynamic_slice(scope: Scope, step: Step, indices: Indices) -> Value:
    operand, *starts = step.ins
    moved = []
    for d, (slot, index, size) in enumerate(zip(starts, indices, scope.shape(step.outs[0]), strict=True)):
        moved.append(clamped_start(scope, slot, scope.shape(operand)[d] - size) + index)
    return scope.at(operand, tuple(moved))


_SINGLE = 1 << 7  # instructions of vectors that take as long as loading an element by itself


def _gather(scope: Scope, step: Step, indices: Indices) -> Value:
    """An element of the slice that its index vector chooses (`kernels/gather_scatter.py`)."""
    operand, starts = step.ins
    keywords, shape = step.keywords, scope.shape(operand)
    vector_dim, sizes = keywords["index_vector_dim"], keywords["slice_sizes"]
    offset_dims = keywords["offset_dims"]
    batch = tuple([index for d, index in enumerate(indices) if d not in offset_dims])
    found: list[Index] = [ZERO] * len(shape)
    for component, d in enumerate(keywords["start_index_map"]):
        vector = (*batch[:vector_dim], Index((), component), *batch[vector_dim:])
        at = vector if vector_dim < len(scope.shape(starts)) else batch
        found[d] = clamped_start(scope, starts, shape[d] - sizes[d], at)
    batching = keywords["operand_batching_dims"]
    for d, axis in zip(batching, keywords["start_indices_batching_dims"], strict=True):
        found[d] = batch[axis - (axis > vector_dim)]
    kept = [d for d in range(len(shape)) if d not in (*keywords["collapsed_slice_dims"], *batching)]
    for d, dimension in zip(kept, offset_dims, strict=True):
        found[d] = found[d] + indices[dimension]
    if prod(sizes) == 1:
        scope.b.count(_SINGLE)
    return scope.at(operand, tuple(found))


def _iota(scope: Scope, step: Step, indices: Indices) -> Value:
    dimension: int = step.keywords["iota_dimension"]
    index = indices[dimension].emit(scope.b)
    element = scope.element(step.outs[0])
    part = element.part
    if not part.is_float:
        return index.convert("trunc", part.compute)
    number = part.rounded(index.convert("sitofp", part.compute))
    return complex_of(number, number.like(0.0)) if element.kind == "complex" else number


EXPRESSIONS: dict[str, Expression] = {
    **ELEMENTWISE,
    "stablehlo.broadcast_in_dim": _broadcast_in_dim,
    "stablehlo.reshape": _reshape,
    "stablehlo.transpose": _transpose,
    "stablehlo.slice": _slice,
    "stablehlo.reverse": _reverse,
    "stablehlo.dynamic_slice": _dynamic_slice,
    "stablehlo.gather": _gather,
    "stablehlo.iota": _iota,
    SHORT_DOT: short_dot,
    **JOINS,
    **PAIRS,
    **QUANTIZATION,
}
