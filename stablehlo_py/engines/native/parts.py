"""Values that are written in parts: concatenated and padded arrays, and arrays of which a part is updated."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from stablehlo_py.engines.native.cholesky import cholesky
from stablehlo_py.engines.native.convolutions import convolution
from stablehlo_py.engines.native.depthwise import depthwise, depthwise_extent, is_depthwise
from stablehlo_py.engines.native.few_features import FewFeaturesEmitter, has_few_features
from stablehlo_py.engines.native.fourier import transform, transform_extent
from stablehlo_py.engines.native.index_space import Indices
from stablehlo_py.engines.native.loops import Range, nested
from stablehlo_py.engines.native.lower.contraction import CONVOLUTION
from stablehlo_py.engines.native.lower.fft import LINES
from stablehlo_py.engines.native.lower.linalg import CHOLESKY, LU, POTRF, SOLVE
from stablehlo_py.engines.native.lower.random_bits import RNG_BIT_GENERATOR
from stablehlo_py.engines.native.lower.sort import ROW_SORT, TOP_K
from stablehlo_py.engines.native.lower.window import SCAN
from stablehlo_py.engines.native.random_bits import generate, generator_extent
from stablehlo_py.engines.native.row_convolutions import convolve_rows, is_in_rows, rows_extent
from stablehlo_py.engines.native.scans import scan, scan_extent
from stablehlo_py.engines.native.scatters import scatter, scatter_extent, scatter_pieces
from stablehlo_py.engines.native.scope import Scope, clamped_start
from stablehlo_py.engines.native.solvers import factorize, solve, solver_extent
from stablehlo_py.engines.native.sorts import sort, sort_extent
from stablehlo_py.engines.native.top_k import top_k, top_k_extent
from stablehlo_py.engines.native.windows import select_and_scatter, source_extent
from stablehlo_py.interpreter.plan import Plan, Step

_ANY = 1 << 62


def _dynamic_update_slice(scope: Scope, step: Step, part: Range) -> None:
    """Writes a part of an array, which is copied first unless it is the operand itself."""
    (slot,) = step.outs
    operand, update, *starts = step.ins
    target = scope.buffers[slot]
    shape, sizes = scope.shape(slot), scope.shape(update)
    in_place = operand in scope.buffers and scope.buffers[operand].name == target.name
    if not in_place:
        nested(scope, shape, lambda indices: scope.store(target, indices, scope.at(operand, indices)))
    spans = zip(starts, shape, sizes, strict=True)
    first = [clamped_start(scope, start, size - part) for start, size, part in spans]

    def body(indices: Indices) -> None:
        at = tuple([a + i for a, i in zip(first, indices, strict=True)])
        scope.store(target, at, scope.at(update, indices))

    nested(scope, sizes, body)


def _concatenate(scope: Scope, step: Step, part: Range) -> None:
    (slot,) = step.outs
    target, dimension = scope.buffers[slot], step.keywords["dimension"]
    offset = 0
    for operand in step.ins:
        shape = scope.shape(operand)

        def body(indices: Indices, operand: int = operand, offset: int = offset) -> None:
            at = tuple([i + offset if d == dimension else i for d, i in enumerate(indices)])
            scope.store(target, at, scope.at(operand, indices))

        nested(scope, shape, body)
        offset += shape[dimension]


def _pad(scope: Scope, step: Step, part: Range) -> None:
    """Fills the array with the padding value, then writes the operand's elements that are inside."""
    (slot,) = step.outs
    operand, value = step.ins
    target, shape = scope.buffers[slot], scope.shape(slot)
    low, interior = step.keywords["edge_padding_low"], step.keywords["interior_padding"]
    nested(scope, shape, lambda indices: scope.store(target, indices, scope.at(value, ())))
    first, kept = [], []
    for size, start, between, limit in zip(scope.shape(operand), low, interior, shape, strict=True):
        stride = between + 1
        begin = -(start // stride) if start < 0 else 0
        end = min(size, (limit - 1 - start) // stride + 1)
        first.append(begin)
        kept.append(max(0, end - begin))

    def body(indices: Indices) -> None:
        source = tuple([i + begin for i, begin in zip(indices, first, strict=True)])
        at = [i * (between + 1) + start for i, between, start in zip(source, interior, low, strict=True)]
        scope.store(target, tuple(at), scope.at(operand, source))

    nested(scope, kept, body)


def _any_number(plan: Plan[Step], step: Step) -> int:
    return _ANY


def _convolution(scope: Scope, step: Step, part: Range) -> None:
    plan = scope.plan
    if is_in_rows(plan, step):
        convolve_rows(scope, step, part)
    elif has_few_features(plan, step):
        FewFeaturesEmitter(scope, step).emit(part)
    elif is_depthwise(plan, step):
        depthwise(scope, step, part)
    else:
        convolution(scope, step, part)


def _convolution_extent(plan: Plan[Step], step: Step) -> int:
    if is_in_rows(plan, step):
        return rows_extent(plan, step)
    along_features = is_depthwise(plan, step) or has_few_features(plan, step)
    return depthwise_extent(plan, step) if along_features else 1


def _one(plan: Plan[Step], step: Step) -> int:
    return 1


class Part(NamedTuple):
    """How a value is written in parts.

    Attributes:
        emit: Writes a range of parts.
        extent: The number of parts, which threads may write at the same time.
        pieces: The most ranges of parts that cost no more than one of all.
        work: About how many operations an element of the result takes.
        at_once: How many of them an iteration of the innermost loops does.
    """

    emit: Callable[[Scope, Step, Range], None]
    extent: Callable[[Plan[Step], Step], int] = _one
    pieces: Callable[[Plan[Step], Step], int] = _any_number
    work: int = 1
    at_once: int = 1


PARTS = {
    CONVOLUTION: Part(_convolution, _convolution_extent),
    CHOLESKY: Part(cholesky, solver_extent),
    POTRF: Part(cholesky, solver_extent),
    LU: Part(factorize, solver_extent),
    SOLVE: Part(solve, solver_extent),
    "stablehlo.concatenate": Part(_concatenate),
    "stablehlo.dynamic_update_slice": Part(_dynamic_update_slice),
    "stablehlo.pad": Part(_pad),
    LINES: Part(transform, transform_extent, work=8, at_once=256),
    ROW_SORT: Part(sort, sort_extent, work=16),
    RNG_BIT_GENERATOR: Part(generate, generator_extent),
    SCAN: Part(scan, scan_extent),
    TOP_K: Part(top_k, top_k_extent),
    "stablehlo.scatter": Part(scatter, scatter_extent, scatter_pieces),
    "stablehlo.select_and_scatter": Part(select_and_scatter, source_extent),
}
