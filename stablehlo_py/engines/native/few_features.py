"""Convolutions to few features: a position of the result is a few sums over taps and features of the image.

The lanes of a vector are neighbouring features of the image. The sums of several positions are in registers
at a time, so that each vector of the kernel is used for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from stablehlo_py.engines.native.arithmetic.elements import element_of_all
from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.depthwise import DepthwiseEmitter
from stablehlo_py.engines.native.index_space import ZERO, Index, Indices, linear, row_major
from stablehlo_py.engines.native.loops import Range, nested
from stablehlo_py.engines.native.products.tiles import TYPES, Kind
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step, is_uniform

_LEAST_PRODUCTS = 1 << 16  # multiplications: smaller ones are shorter loops
_MOST_FEATURES = 7  # of the result
_MOST_BYTES = 1 << 16  # of the kernel
_LEAST_LANES, _VECTOR = 4, 64  # bytes of the longest vector
_SUMS, _MOST_POSITIONS = 24, 8  # that are in registers


def has_few_features(plan: Plan[Step], step: Step) -> bool:
    """Test whether a convolution makes few features of many, both last in memory."""
    element = element_of_all(plan.types[slot] for slot in (*step.ins, *step.outs))
    if element is None or not element.storage == element.compute in TYPES:
        return False
    (image, kernel), result = map(plan.shape_of, step.ins), plan.shape_of(step.outs[0])
    keywords, last = step.keywords, len(result) - 1
    if any(slot in plan.constants and is_uniform(plan.constants[slot]) for slot in step.ins):
        return False
    features_last = keywords["input_feature_dimension"] == keywords["output_feature_dimension"] == last
    groups = keywords["feature_group_count"], keywords["batch_group_count"]
    if last < 2 or not features_last or groups != (1, 1):
        return False
    if not 1 <= result[last] <= _MOST_FEATURES or prod(kernel) * element.size > _MOST_BYTES:
        return False
    large = prod(kernel) * prod(result[:-1]) >= _LEAST_PRODUCTS
    return large and _lanes(image[last], element.size) >= _LEAST_LANES


def _lanes(features: int, size: int) -> int:
    """The most lanes, a power of two, of vectors that features consist of."""
    return min(features & -features, _VECTOR // size)


class FewFeaturesEmitter(DepthwiseEmitter):
    """Writes the loops of a convolution to few features."""

    def __init__(self, scope: Scope, step: Step) -> None:
        super().__init__(scope, step)
        self.depth = scope.shape(self.image)[-1]
        self.kind = Kind(self.element.compute, _lanes(self.depth, self.element.size))
        self.count = min(_MOST_POSITIONS, _SUMS // self.features)

    def emit(self, part: Range) -> None:
        """Write rows of positions, after packing the kernel: its features of the image become the last."""
        extents = (*self.taps, self.features, self.depth)
        self.weights = self.b.alloca(self.kind.type, prod(extents))

        def pack(at: Indices) -> None:
            place = linear(at, row_major(extents)).emit(self.b)
            self.b.store(self.scope.at(self.kernel, self._weight(at)), self.weights, place)

        nested(self.scope, extents, pack)
        super().emit(part)

    def _weight(self, at: Indices) -> Indices:
        """The indices in the kernel for those of a tap, a feature of the result and one of the image."""
        *taps, output, feature = at
        found = [ZERO] * len(self.shape)
        spatial = self.step.keywords["kernel_spatial_dimensions"]
        for d, place in zip(spatial, self._places_in_kernel(taps), strict=True):
            found[d] = place
        found[self.step.keywords["kernel_output_feature_dimension"]] = output
        found[self.step.keywords["kernel_input_feature_dimension"]] = feature
        return tuple(found)

    def _row_of_positions(self, outer: Indices) -> None:
        whole, rest = divmod(self.shape[-2], self.count)
        if whole:
            nested(self.scope, (whole,), lambda n: self._positions(outer, n[0] * self.count, self.count))
        if rest:
            self._positions(outer, Index((), whole * self.count), rest)

    def _positions(self, outer: Indices, first: Index, count: int) -> None:
        """Write the features of some neighbouring positions."""
        b, kind, zero = self.b, self.kind, self.b.constant(0, "i64")
        places = [(*outer, first + k) for k in range(count)]
        sums = [[b.alloca(kind.vector) for _ in range(self.features)] for _ in places]
        for register in [register for row in sums for register in row]:
            b.store(b.value("zeroinitializer", kind.vector), register, zero)
        nested(self.scope, self.taps, lambda taps: self._tap(places, taps, sums))
        for place, row in zip(places, sums, strict=True):
            for feature, register in enumerate(row):
                total = kind.total(b, b.load(kind.vector, register, zero))
                self.scope.store(self.scope.buffers[self.slot], (*place, Index((), feature)), total)

    def _tap(self, places: Sequence[Indices], taps: Indices, sums: Sequence[Sequence[Value]]) -> None:
        """Add the products of a tap to the sums of positions."""
        b, kind, zero = self.b, self.kind, self.b.constant(0, "i64")
        sources = [self._source_of(place, taps) for place in places]
        first = linear((*taps, ZERO, ZERO), row_major((*self.taps, self.features, self.depth)))

        def add(number: Indices) -> None:
            feature = number[0] * kind.lanes
            factors = [kind.load(b, source, feature.emit(b)) for source in sources]
            for output in range(self.features):
                at = first + feature + output * self.depth
                weights = kind.load(b, self.weights, at.emit(b))
                for x, row in zip(factors, sums, strict=True):
                    before = b.load(kind.vector, row[output], zero)
                    b.store(kind.add_product(b, x, weights, before), row[output], zero)

        nested(self.scope, (self.depth // kind.lanes,), add)

    def _source_of(self, place: Indices, taps: Indices) -> Value:
        """The address of the features of the image that a tap reads for a position."""
        keywords = self.step.keywords
        spatial = zip([place[d] for d in keywords["output_spatial_dimensions"]], taps, strict=True)
        reads = [self._reads(d, at, tap) for d, (at, tap) in enumerate(spatial)]
        return self._source(reads, place[keywords["output_batch_dimension"]])
