"""Depthwise convolutions: each feature is a group of its own, and all are computed at once, along memory.

A position of the result is the sum of a few rows of features, each multiplied by a row of the kernel. Where
a group has a few features, or a feature makes several, it is the same in vectors: elements of a row of the
image are spread over the features of the result that their group makes. The gradient of the kernel, whose
groups are of the batch, adds up products of rows of features in two steps, so that rounding errors stay
small. Rows outside of the image are read from a row of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod

import numpy as np

from stablehlo_py.engines.native.arithmetic.elements import element_of_all
from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.index_space import (
    ZERO,
    Index,
    Indices,
    Variable,
    computed,
    linear,
    of_variable,
)
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.products.tiles import Kind
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step, is_uniform

_MOST_TAPS = 64  # of a kernel, whose sum is written without a loop
_LEAST_FEATURES = 8  # fewer are computed in rows (`row_convolutions.py`)
_MOST_FEATURES = 1 << 13
_MOST_PRODUCTS = 256  # of an element of the result, for groups of several features
_VECTOR = 64  # bytes of a vector of features of groups
_SEVERAL = 4  # rows that are added to a sum between a load and a store


def is_depthwise(plan: Plan[Step], step: Step) -> bool:
    """Test whether a convolution is depthwise or of small groups, or a gradient, with features last."""
    element = element_of_all(plan.types[slot] for slot in (*step.ins, *step.outs))
    spread = [slot for slot in step.ins if slot in plan.constants and is_uniform(plan.constants[slot])]
    if element is None or not (element.is_float and element.is_wide) or spread:
        return False
    (image, kernel), result = map(plan.shape_of, step.ins), plan.shape_of(step.outs[0])
    keywords, last = step.keywords, len(result) - 1
    features_last = (
        keywords["kernel_output_feature_dimension"] == keywords["output_feature_dimension"] == last
    )
    if (
        last < 2
        or not features_last
        or not _LEAST_FEATURES <= max(image[last], result[last]) <= _MOST_FEATURES
    ):
        return False
    groups = keywords["feature_group_count"], keywords["batch_group_count"]
    if keywords["input_feature_dimension"] != last:
        of_each = keywords["input_batch_dimension"] == last and image[last] == result[last]
        return of_each and groups == (1, result[last])
    taps = prod([kernel[d] for d in keywords["kernel_spatial_dimensions"]])
    if groups[1] != 1 or groups[0] == 1 or taps > _MOST_TAPS:
        return False
    depth, outputs, lanes = image[last] // groups[0], result[last] // groups[0], _VECTOR // element.size
    in_vectors = result[last] % lanes == 0 and lanes % outputs == 0 and taps * depth <= _MOST_PRODUCTS
    return result[last] > 1 and (depth == outputs == 1 or in_vectors)


def depthwise_extent(plan: Plan[Step], step: Step) -> int:
    """The number of parts that can be computed at the same time: rows, or positions of a gradient."""
    shape = plan.shape_of(step.outs[0])
    return prod(shape[: -1 if _is_gradient(step) else -2])


def depthwise(scope: Scope, step: Step, part: Range) -> None:
    """Write a range of the rows or positions of a depthwise convolution."""
    emitter = _Gradient(scope, step) if _is_gradient(step) else DepthwiseEmitter(scope, step)
    emitter.emit(part)


def _is_gradient(step: Step) -> bool:
    return bool(step.keywords["batch_group_count"] > 1)


class DepthwiseEmitter:
    """Writes the loops of a depthwise convolution."""

    def __init__(self, scope: Scope, step: Step) -> None:
        self.scope = scope
        self.b = scope.b
        self.step = step
        self.image, self.kernel, self.slot = *step.ins, *step.outs
        self.shape = scope.shape(self.slot)
        self.features = self.shape[-1]
        self.element = scope.element(self.slot)
        self.lows = np.asarray(step.keywords["padding"]).reshape(-1, 2)[:, 0].tolist()
        self.taps = [scope.shape(self.kernel)[d] for d in step.keywords["kernel_spatial_dimensions"]]
        self.groups: int = max(step.keywords["feature_group_count"], step.keywords["batch_group_count"])

    def emit(self, part: Range) -> None:
        """Write rows of positions."""
        self.zeros = self._row()
        outer, extent = self.shape[:-2], prod(self.shape[:-2])
        with self.b.loop(part.start, part.stop) as row:
            self.scope.enter()
            index = unravel(of_variable(Variable(row.text, extent)), outer, self.b)
            self._row_of_positions(index)
            self.scope.leave()

    def _row_of_positions(self, outer: Indices) -> None:
        nested(self.scope, self.shape[-2:-1], lambda x: self._position((*outer, *x)))

    def _row(self) -> Value:
        """Memory for a row of features of the image, which are zero."""
        row = self.b.alloca(self.element.compute, self.scope.shape(self.image)[-1])
        self._clear(row)
        return row

    def _clear(self, row: Value) -> None:
        zero, features = self.b.constant(0, self.element.compute), self.scope.shape(self.image)[-1]
        nested(self.scope, (features,), lambda c: self.b.store(zero, row, c[0].emit(self.b)))

    def _over_features(self, body: Callable[[Index], None]) -> None:
        nested(self.scope, (self.features,), lambda c: body(c[0]))

    def _position(self, at: Indices) -> None:
        """Write the features of a position."""
        keywords = self.step.keywords
        places = [at[d] for d in keywords["output_spatial_dimensions"]]
        read = [
            [self._reads(d, place, Index((), tap)) for tap in range(count)]
            for d, (place, count) in enumerate(zip(places, self.taps, strict=True))
        ]
        rows = []
        for taps in product(*map(range, self.taps)):
            source = self._source(
                [read[d][tap] for d, tap in enumerate(taps)], at[keywords["output_batch_dimension"]]
            )
            rows.append((source, self._kernel_at([Index((), tap) for tap in taps])))
        if self.features != self.groups or self.scope.shape(self.image)[-1] != self.groups:
            self._in_vectors(at, rows)
            return

        def body(c: Index) -> None:
            total: Value | None = None
            for source, weights in rows:
                x = self.b.load(self.element.compute, source, c.emit(self.b))
                w = self.scope.load(self.kernel, (*weights, c))
                total = x * w if total is None else x.call("fma", w, total)
            assert total is not None
            self.scope.store(self.scope.buffers[self.slot], (*at, c), total)

        self._over_features(body)

    def _in_vectors(self, at: Indices, rows: Sequence[tuple[Value, Indices]]) -> None:
        """Write the features of a position, those of each vector from the features of their groups."""
        b, kind = self.b, Kind(self.element.compute, _VECTOR // self.element.size)
        depth, outputs = self.scope.shape(self.image)[-1] // self.groups, self.features // self.groups
        span = kind.lanes // outputs * depth
        weights, target = self.scope.buffers[self.kernel], self.scope.buffers[self.slot]
        feature = self.step.keywords["kernel_input_feature_dimension"]

        def body(number: Indices) -> None:
            (n,) = number
            total = b.value("zeroinitializer", kind.vector)
            for source, place in rows:
                start = b.address(kind.type, source, (n * span).emit(b))
                read = b.emit(
                    f"<{span} x {kind.type}>", f"load <{span} x {kind.type}>, {start}, align {kind.size}"
                )
                for i in range(depth):
                    lanes = ", ".join([f"i32 {lane // outputs * depth + i}" for lane in range(kind.lanes)])
                    mask = f"<{kind.lanes} x i32> <{lanes}>"
                    x = b.emit(kind.vector, f"shufflevector {read}, {read.type} poison, {mask}")
                    row = (*place[:feature], place[feature] + i, *place[feature + 1 :], n * kind.lanes)
                    w = kind.load(b, weights.pointer(b), linear(row, weights.strides).emit(b))
                    total = kind.add_product(b, x, w, total)
            kind.store(b, total, target.pointer(b), linear((*at, n * kind.lanes), target.strides).emit(b))

        nested(self.scope, (self.features // kind.lanes,), body)

    def _kernel_at(self, taps: Sequence[Index]) -> Indices:
        """The indices of a row of the kernel, without that of the feature."""
        keywords = self.step.keywords
        found = [ZERO] * (len(self.shape) - 1)
        for d, place in zip(keywords["kernel_spatial_dimensions"], self._places_in_kernel(taps), strict=True):
            found[d] = place
        return tuple(found)

    def _places_in_kernel(self, taps: Sequence[Index]) -> list[Index]:
        turned = zip(taps, self.taps, self.step.keywords["window_reversal"], strict=True)
        return [size - 1 - tap if reverse else tap for tap, size, reverse in turned]

    def _reads(self, d: int, place: Index, tap: Index) -> tuple[Index, Value | None]:
        """The index in a spatial dimension of the image that a tap reads, and whether there is an element."""
        keywords, b = self.step.keywords, self.b
        base, size = keywords["lhs_dilation"][d], self._image_size(d)
        index = place * keywords["window_strides"][d] + tap * keywords["rhs_dilation"][d] + -self.lows[d]
        low, high = index.bounds
        if base == 1:
            inside = low >= 0 and high < size
            return index, None if inside else index.emit(b).compare("ult", size)
        value, by = index.emit(b), b.constant(base, "i64")
        valid = value.compare("ult", (size - 1) * base + 1) & b.emit(
            "i64", f"urem {value}, {by.text}"
        ).equals(0)
        return computed(b.emit("i64", f"udiv {value}, {by.text}"), size), valid

    def _image_size(self, d: int) -> int:
        place: int = self.step.keywords["input_spatial_dimensions"][d]
        return self.scope.shape(self.image)[place]

    def _source(self, reads: Sequence[tuple[Index, Value | None]], one: Index) -> Value:
        """The address of a row of the image, or of zeros where it is outside; `one`: which image."""
        keywords, b = self.step.keywords, self.b
        outer = "feature" if _is_gradient(self.step) else "batch"
        at = [ZERO] * len(self.shape)
        at[keywords[f"input_{outer}_dimension"]] = one
        valid: Value | None = None
        for d, (index, inside) in zip(keywords["input_spatial_dimensions"], reads, strict=True):
            at[d] = index
            if inside is not None:
                valid = inside if valid is None else valid & inside
        buffer = self.scope.buffers[self.image]
        offset = linear(tuple(at), buffer.strides).emit(b)
        source = b.address(self.element.compute, buffer.pointer(b), offset)
        return source if valid is None else valid.select(source, self.zeros)


class _Gradient(DepthwiseEmitter):
    """Writes the loops of the gradient of a kernel: the kernel's place has the gradients of images."""

    def emit(self, part: Range) -> None:
        """Write positions."""
        self.zeros, self.partial = self._row(), self._row()
        outer = self.shape[:-1]
        with self.b.loop(part.start, part.stop) as number:
            self.scope.enter()
            at = unravel(of_variable(Variable(number.text, prod(outer))), outer, self.b)
            self._position(at)
            self.scope.leave()

    def _position(self, at: Indices) -> None:
        target, zero = self.scope.buffers[self.slot], self.b.constant(0, self.element.compute)
        self._over_features(lambda c: self.scope.store(target, (*at, c), zero))
        images = self.scope.shape(self.kernel)[self.step.keywords["kernel_input_feature_dimension"]]
        nested(self.scope, (images, *self.taps[:-1]), lambda outer: self._add_row(at, outer))

    def _add_row(self, at: Indices, outer: Indices) -> None:
        """Add the products of the taps that differ in the last dimension only."""
        target, b = self.scope.buffers[self.slot], self.b
        self._clear(self.partial)
        count = self.taps[-1]
        whole = count // _SEVERAL
        nested(
            self.scope,
            (whole,),
            lambda n: self._add_taps(at, outer, [n[0] * _SEVERAL + k for k in range(_SEVERAL)]),
        )
        if count % _SEVERAL:
            self._add_taps(at, outer, [Index((), k) for k in range(whole * _SEVERAL, count)])

        def add(c: Index) -> None:
            total = self.scope.load(self.slot, (*at, c)) + b.load(
                self.element.compute, self.partial, c.emit(b)
            )
            self.scope.store(target, (*at, c), total)

        self._over_features(add)

    def _add_taps(self, at: Indices, outer: Indices, lasts: Sequence[Index]) -> None:
        keywords, b = self.step.keywords, self.b
        places = [at[d] for d in keywords["output_spatial_dimensions"]]
        rows = []
        for last in lasts:
            taps = [*outer[1:], last]
            reads = [
                self._reads(d, place, tap) for d, (place, tap) in enumerate(zip(places, taps, strict=True))
            ]
            weights = list(self._kernel_at(taps))
            weights[keywords["kernel_input_feature_dimension"]] = outer[0]
            rows.append((self._source(reads, outer[0]), tuple(weights)))

        def body(c: Index) -> None:
            place = c.emit(b)
            total = b.load(self.element.compute, self.partial, place)
            for source, weights in rows:
                x = b.load(self.element.compute, source, place)
                total = x.call("fma", self.scope.load(self.kernel, (*weights, c)), total)
            b.store(total, self.partial, place)

        self._over_features(body)
