"""Convolutions of few features in vectors along the last spatial dimension.

Where a group has few output features, a product of matrices would have few columns. So a row of the result is
computed in vectors along memory: a block of vectors for each of a few features is kept in registers while
taps and input features are added up, each a run of a row of the image times one element of the kernel. The
gradient of a kernel, whose windows are as large as images, is the same with rows of the kernel in place of
those of the result: products of two runs are added up in vectors for a few neighbouring places. The image is
padded before (`passes/padding.py`), so that windows are inside of it. The last vector of a row ends where the
row ends, and overlaps the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from math import prod
from typing import Any

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
from stablehlo_py.engines.native.products.tiles import TYPES, Kind, kind_of, registers, splat
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step, is_uniform

_MOST_FEATURES = 16  # of the result, in a group: products of matrices of more have enough columns
_MOST_TERMS = 512  # that are added up one by one, if these are not those of one input feature
_LEAST_PRODUCTS = 1 << 14  # fewer multiplications are loops
_LEAST_ROW = 4  # elements of a vector
_MOST_STRIDE = 4  # along a row, which is read as a whole
_MOST_PADDED = 4  # elements of the padded image for each one of image and result
_MOST_VECTORS = 4  # of a row, in registers at the same time
_MOST_AT_ONCE = 4  # features, the same
_MOST_UNROLLED = 16  # taps of a row

Keywords = Mapping[str, Any]
_Registers = Sequence[Sequence[Value]]  # of vectors, for each feature


def arranged(keywords: Keywords, side: str, one: Index, feature: Index, spatial: Iterable[Index]) -> Indices:
    """Put indices in the order of an array's dimensions.

    Args:
        keywords: The attributes of the convolution.
        side: Which array: `input`, `kernel` or `output`.
        one: The index of an image; in the kernel that of an input feature.
        feature: The index of a feature; in the kernel that of an output feature.
        spatial: The indices in spatial dimensions.
    """
    dimensions = keywords[f"{side}_spatial_dimensions"]
    first, second = ("input_feature", "output_feature") if side == "kernel" else ("batch", "feature")
    found: list[Index] = [ZERO] * (2 + len(dimensions))
    found[keywords[f"{side}_{first}_dimension"]] = one
    found[keywords[f"{side}_{second}_dimension"]] = feature
    for d, index in zip(dimensions, spatial, strict=True):
        found[d] = index
    return tuple(found)


def is_in_rows(plan: Plan[Step], step: Step) -> bool:
    """Test whether a convolution has few output features in a group, and rows along memory."""
    element = element_of_all(plan.types[slot] for slot in (*step.ins, *step.outs))
    if element is None or not element.storage == element.compute in TYPES:
        return False
    shape = Shape(plan, step)
    return shape.has_rows and shape.pays


class Shape:
    """The shape of a convolution, and the spatial dimension along which it is computed.

    Attributes:
        groups: the number of groups, of features or of images.
        images: images of the result.
        depth: input features of a group.
        features: output features of a group.
        sizes: spatial extents of the result.
        taps: spatial extents of the kernel.
        axis: the number of the spatial dimension that is the image's last one; -1 if that is another one.
    """

    def __init__(self, plan: Plan[Step], step: Step) -> None:
        self.plan = plan
        self.step = step
        self.keywords: Keywords = step.keywords
        keywords = self.keywords
        self.image, self.kernel, self.result = map(plan.shape_of, (*step.ins, *step.outs))
        self.groups: int = max(keywords["feature_group_count"], keywords["batch_group_count"])
        self.images: int = self.result[keywords["output_batch_dimension"]]
        self.depth: int = self.kernel[keywords["kernel_input_feature_dimension"]]
        self.features: int = self.result[keywords["output_feature_dimension"]] // self.groups
        self.sizes: list[int] = [self.result[d] for d in keywords["output_spatial_dimensions"]]
        self.taps: list[int] = [self.kernel[d] for d in keywords["kernel_spatial_dimensions"]]
        dimensions: tuple[int, ...] = keywords["input_spatial_dimensions"]
        self.axis = dimensions.index(len(self.image) - 1) if len(self.image) - 1 in dimensions else -1

    @property
    def is_gradient(self) -> bool:
        """Test whether rows are those of the kernel: there are more taps along them than places."""
        return self.taps[self.axis] > self.sizes[self.axis]

    @property
    def row(self) -> int:
        """The elements of a row."""
        return max(self.taps[self.axis], self.sizes[self.axis])

    @property
    def stride(self) -> int:
        """How far apart elements of an image are that neighbours of a row are multiplied by."""
        name = "rhs_dilation" if self.is_gradient else "window_strides"
        found: int = self.keywords[name][self.axis]
        return found

    @property
    def products(self) -> int:
        """The number of multiplications."""
        return prod(self.result) * self.depth * prod(self.taps)

    @property
    def padded(self) -> list[int]:
        """The spatial extents of the padded image."""
        keywords = self.keywords
        sizes = [self.image[d] for d in keywords["input_spatial_dimensions"]]
        padding = np.asarray(keywords["padding"]).reshape(-1, 2).sum(axis=1).tolist()
        spans = zip(sizes, keywords["lhs_dilation"], padding, strict=True)
        return [(size - 1) * dilation + 1 + added for size, dilation, added in spans]

    @property
    def has_rows(self) -> bool:
        """Test whether all that is read and written in vectors is in memory, along rows."""
        if self.axis < 0 or not prod(self.result) * prod(self.kernel) * prod(self.image):
            return False
        keywords, last, vectors = self.keywords, len(self.image) - 1, list(self.step.ins)
        if self.is_gradient:
            along = keywords["kernel_spatial_dimensions"][self.axis] == last
            along = along and not keywords["window_reversal"][self.axis]
        else:
            along = keywords["output_spatial_dimensions"][self.axis] == last
            vectors = vectors[:1]
        constants = [self.plan.constants[slot] for slot in vectors if slot in self.plan.constants]
        return along and not any(map(is_uniform, constants))

    @property
    def pays(self) -> bool:
        """Test whether there are few features, long rows, and no more padding than what is computed."""
        few = self.features <= _MOST_FEATURES
        long = self.row >= _LEAST_ROW and self.stride <= _MOST_STRIDE and self.products >= _LEAST_PRODUCTS
        outer = prod(self.image) // prod([self.image[d] for d in self.keywords["input_spatial_dimensions"]])
        most = _MOST_PADDED * (prod(self.image) + prod(self.result))
        return few and long and prod(self.padded) * outer <= most


def rows_extent(plan: Plan[Step], step: Step) -> int:
    """The number of rows that can be computed at the same time."""
    return prod(_outer(Shape(plan, step)))


def _outer(shape: Shape) -> tuple[int, ...]:
    """The extents of the loops over rows: images, groups, and spatial dimensions but the one of the rows."""
    return (shape.images, shape.groups, *_without(shape.sizes, shape.axis))


def _blocks(count: int, most: int) -> tuple[int, int]:
    """Cut a row into blocks of equal size, of no more than `most`: their size and number."""
    blocks = -(-count // most)
    return -(-count // blocks), blocks


def _without(values: Sequence[int], place: int) -> list[int]:
    return [*values[:place], *values[place + 1 :]]


def convolve_rows(scope: Scope, step: Step, part: Range) -> None:
    """Write a range of the rows of a convolution of few features."""
    emitter = _Gradient(scope, step) if Shape(scope.plan, step).is_gradient else _Rows(scope, step)
    emitter.emit(part)


class _Rows:
    """Writes the loops of a convolution, whose image is padded."""

    def __init__(self, scope: Scope, step: Step) -> None:
        from stablehlo_py.engines.native.jit import host_features

        self.scope, self.b, self.step = scope, scope.b, step
        self.image, self.kernel, self.slot = *step.ins, *step.outs
        self.shape = Shape(scope.plan, step)
        machine = registers(host_features())
        type = scope.element(self.slot).compute
        lanes = min(kind_of(machine, type).lanes, 1 << (self.shape.row.bit_length() - 1))
        self.kind = Kind(type, lanes)
        self.features, self.feature_blocks = _blocks(self.shape.features, _MOST_AT_ONCE)
        most = min(_MOST_VECTORS, machine.number // 2 // self.features)
        self.vectors, self.blocks = _blocks(self._places, most)

    @property
    def _places(self) -> int:
        """How many vectors there are in a row."""
        return -(-self.shape.row // self.kind.lanes)

    def emit(self, part: Range) -> None:
        """Write rows."""
        extents = _outer(self.shape)
        with self.b.loop(part.start, part.stop) as row:
            self.scope.enter()
            index = of_variable(Variable(row.text, prod(extents)))
            image, group, *outer = unravel(index, extents, self.b)
            block = partial(self._block, image, group, outer)
            nested(self.scope, (self.feature_blocks, self.blocks), block)
            self.scope.leave()

    def _starts(self, first: Index, count: int, distance: int, last: int) -> list[Index]:
        """Where `count` vectors or features begin: at a distance, none of them behind the last place."""
        found = []
        for start in [(first + k) * distance for k in range(count)]:
            if start.bounds[1] > last:
                value = start.emit(self.b)
                start = computed(value.compare("ugt", last).select(last, value), last + 1)
            found.append(start)
        return found

    def _features(self, group: Index, block: Index) -> list[Index]:
        """The output features of a block; the last ones may be those of the block before."""
        count, all = self.features, self.shape.features
        (first,) = self._starts(block, 1, count, all - count)
        return [group * all + first + k for k in range(count)]

    def _block(self, image: Index, group: Index, outer: Sequence[Index], block: Indices) -> None:
        """Write a few vectors of a row, for a few features."""
        lanes, features = self.kind.lanes, self._features(group, block[0])
        starts = self._starts(block[1] * self.vectors, self.vectors, lanes, self.shape.row - lanes)
        sums = self._sums()

        def add(depth: Index, taps: Sequence[Index]) -> None:
            weights = [
                splat(self.b, self.kind, self.scope.at(self.kernel, self._kernel_at(depth, f, taps)))
                for f in features
            ]
            for v, start in enumerate(starts):
                x = self._read(self._image_at(image, group, depth, self._inserted(outer, start), taps))
                for weight, row in zip(weights, sums, strict=True):
                    self._add_product(x, weight, row[v])

        self._over_terms(sums, add)
        for feature, row in zip(features, sums, strict=True):
            for start, total in zip(starts, row, strict=True):
                at = arranged(self.shape.keywords, "output", image, feature, self._inserted(outer, start))
                self._store(at, self._loaded(total))

    def _store(self, at: Indices, value: Value) -> None:
        """Store an element or a vector of the result."""
        target = self.scope.buffers[self.slot]
        offset = linear(at, target.strides).emit(self.b)
        self.kind.store(self.b, value, target.pointer(self.b), offset)

    def _inserted(self, outer: Sequence[Index], along: Index) -> list[Index]:
        """The indices of all spatial dimensions, by that along the row and the others."""
        return [*outer[: self.shape.axis], along, *outer[self.shape.axis :]]

    def _over_terms(self, sums: _Registers, add: Callable[[Index, Sequence[Index]], None]) -> None:
        """Loops over input features and taps; many are added up in two steps, so that errors stay small."""
        depth, most = self.shape.depth, max(1, _MOST_TERMS // prod(self.shape.taps))
        size = max([n for n in range(1, min(depth, most) + 1) if depth % n == 0])
        if size == depth:
            self._clear(sums)
            self._over_taps(ZERO, depth, add)
            return
        totals = self._sums()
        self._clear(totals)

        def add_part(number: Indices) -> None:
            self._clear(sums)
            self._over_taps(number[0] * size, size, add)
            self._add_up(totals, sums)

        nested(self.scope, (depth // size,), add_part)
        for total, register in zip(chain(*totals), chain(*sums), strict=True):
            self._set(register, self._loaded(total))

    def _over_taps(self, first: Index, depth: int, add: Callable[[Index, Sequence[Index]], None]) -> None:
        """Loops over some input features and all taps; few along the row are written one by one."""
        shape, axis = self.shape, self.shape.axis
        few = range(shape.taps[axis]) if shape.taps[axis] <= _MOST_UNROLLED else None

        def body(at: Indices) -> None:
            feature, *rest = at
            if few is None:
                *rest, last = rest
            for tap in [last] if few is None else [Index((), n) for n in few]:
                add(first + feature, self._inserted(rest, tap))

        nested(
            self.scope,
            (depth, *_without(shape.taps, axis), *([shape.taps[axis]] if few is None else [])),
            body,
        )

    def _sums(self) -> _Registers:
        """A register for each vector of a block, for each feature."""
        return [[self.b.alloca(self.kind.vector) for _ in range(self.vectors)] for _ in range(self.features)]

    def _clear(self, sums: _Registers) -> None:
        for register in [register for row in sums for register in row]:
            self._set(register, self.b.value("zeroinitializer", self.kind.vector))

    def _add_up(self, totals: _Registers, sums: _Registers) -> None:
        for total, register in zip(chain(*totals), chain(*sums), strict=True):
            self._set(total, self.kind.add(self.b, self._loaded(total), self._loaded(register)))

    def _set(self, register: Value, value: Value) -> None:
        self.b.store(value, register, self.b.constant(0, "i64"))

    def _loaded(self, register: Value) -> Value:
        return self.b.load(self.kind.vector, register, self.b.constant(0, "i64"))

    def _add_product(self, x: Value, y: Value, register: Value) -> None:
        self._set(register, self.kind.add_product(self.b, x, y, self._loaded(register)))

    def _image_at(
        self, image: Index, group: Index, depth: Index, places: Sequence[Index], taps: Sequence[Index]
    ) -> Indices:
        """The indices of an element of the image that a tap reads at a place."""
        keywords, shape = self.shape.keywords, self.shape
        steps = zip(places, taps, keywords["window_strides"], keywords["rhs_dilation"], strict=True)
        positions = [place * stride + tap * dilation for place, tap, stride, dilation in steps]
        if keywords["batch_group_count"] > 1:
            return arranged(keywords, "input", group * shape.images + image, depth, positions)
        return arranged(keywords, "input", image, group * shape.depth + depth, positions)

    def _kernel_at(self, depth: Index, feature: Index, taps: Sequence[Index]) -> Indices:
        keywords, turned = self.shape.keywords, self.shape.keywords["window_reversal"]
        turns = zip(taps, self.shape.taps, turned, strict=True)
        places = [size - 1 - tap if reverse else tap for tap, size, reverse in turns]
        return arranged(keywords, "kernel", depth, feature, places)

    def _read(self, at: Indices) -> Value:
        """A vector of elements of an image, at the stride of the row."""
        b, kind, stride = self.b, self.kind, self.shape.stride
        buffer = self.scope.buffers[self.image]
        offset = linear(at, buffer.strides).emit(b)
        if stride == 1:
            return kind.load(b, buffer.pointer(b), offset)
        span = Kind(kind.type, (kind.lanes - 1) * stride + 1)
        read = span.load(b, buffer.pointer(b), offset)
        lanes = ", ".join([f"i32 {lane * stride}" for lane in range(kind.lanes)])
        mask = f"<{kind.lanes} x i32> <{lanes}>"
        return b.emit(kind.vector, f"shufflevector {read}, {read.type} poison, {mask}")


class _Gradient(_Rows):
    """Writes the loops of the gradient of a kernel: the kernel's place has the gradients of images."""

    @property
    def _places(self) -> int:
        return self.shape.sizes[self.shape.axis]

    def _block(self, image: Index, group: Index, outer: Sequence[Index], block: Indices) -> None:
        """Write a few neighbouring elements, for a few features."""
        shape, b = self.shape, self.b
        features = self._features(group, block[0])
        starts = self._starts(block[1] * self.vectors, self.vectors, 1, self._places - 1)
        totals, sums = self._sums(), self._sums()
        self._clear(totals)

        def add(depth: Index, rest: Sequence[Index], first: Index, left_out: int = 0) -> None:
            taps = self._inserted(rest, first)
            factors = [self._factor(self._kernel_at(depth, f, taps), left_out) for f in features]
            for v, start in enumerate(starts):
                x = self._read(self._image_at(image, group, depth, self._inserted(outer, start), taps))
                x = self._behind(x, left_out)
                for factor, row in zip(factors, sums, strict=True):
                    self._add_product(x, factor, row[v])

        def add_row(at: Indices) -> None:
            depth, *rest = at
            self._clear(sums)
            whole, tail = divmod(shape.row, self.kind.lanes)
            nested(self.scope, (whole,), lambda n: add(depth, rest, n[0] * self.kind.lanes))
            if tail:
                add(depth, rest, Index((), shape.row - self.kind.lanes), self.kind.lanes - tail)
            self._add_up(totals, sums)

        nested(self.scope, (shape.depth, *_without(shape.taps, shape.axis)), add_row)
        for feature, row in zip(features, totals, strict=True):
            for start, total in zip(starts, row, strict=True):
                at = arranged(shape.keywords, "output", image, feature, self._inserted(outer, start))
                self._store(at, self.kind.total(b, self._loaded(total)))

    def _factor(self, at: Indices, left_out: int) -> Value:
        """A vector of the kernel, without its first elements."""
        buffer, b, kind = self.scope.buffers[self.kernel], self.b, self.kind
        found = kind.load(b, buffer.pointer(b), linear(at, buffer.strides).emit(b))
        return self._behind(found, left_out)

    def _behind(self, vector: Value, left_out: int) -> Value:
        """A vector whose first elements are zero, since their products have been added up before."""
        if not left_out:
            return vector
        lanes = ", ".join([f"i1 {lane >= left_out}".lower() for lane in range(self.kind.lanes)])
        mask = f"<{self.kind.lanes} x i1> <{lanes}>"
        return self.b.emit(self.kind.vector, f"select {mask}, {vector}, {self.kind.vector} zeroinitializer")
