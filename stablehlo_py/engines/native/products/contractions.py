"""Contractions: dot products and convolutions as products of matrices, by their dimensions.

Each dimension of the operands is one of the batch, of the rows or the columns of the result, or of the terms
that are added up. A convolution is a product whose left factor is made of windows (implicit im2col).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import gcd, prod

import numpy as np

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.index_space import ZERO, Index, Indices
from stablehlo_py.engines.native.lower.contraction import CONVOLUTION, DOT, ORDERED_DOT
from stablehlo_py.engines.native.products.pairs import PAIR_CONVOLUTION, PAIR_DOT, SUM, TERM, multiplies_pairs
from stablehlo_py.engines.native.products.tiles import TYPES
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.convolution import Phase, dimension_of

LEAST_PRODUCTS = 1 << 16  # fewer multiplications are loops
LEAST_IN_BATCH = 1 << 15  # the same for each product of a batch
_LEAST = 8  # rows or terms
_LEAST_COLUMNS = 16  # of the innermost dimension
_WASTE = 1.5  # computed columns for each one that there is
_WIDTH = 32  # about the columns of a tile
_FEW_COLUMNS = 4  # of a convolution: fewer are left to NumPy,
_SEVERAL_COLUMNS = 8  # and also up to here, where it copies long runs of features
_SHORT = 16  # elements of a run of features
_MOST_DIMENSIONS = 7  # of a convolution: five of positions, as a place has lanes for (`descriptors.py`)


@dataclass(frozen=True)
class Contraction(ABC):
    """A product of matrices.

    Attributes:
        step: the op.
        batch: the extents of batch dimensions.
        rows: the extents of the dimensions that only the left factor and the result have.
        columns: the extents of those that only the right factor and the result have.
        terms: the extents of those that are added up over.
        rows_inner: whether the left factor's last dimension is the last one of the rows; else of the terms.
        parts: the products that it consists of, each of which makes some of the result; none if it is one.
        merged: whether the last dimension of the columns runs on over the one before it.
    """

    step: Step
    batch: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    terms: tuple[int, ...]
    rows_inner: bool
    parts: tuple[Contraction, ...] = ()
    merged: bool = False

    @property
    def products(self) -> int:
        """The number of multiplications."""
        if self.parts:
            return sum([part.products for part in self.parts])
        return prod((*self.batch, *self.rows, *self.columns, *self.terms))

    @abstractmethod
    def lhs(self, batch: Indices, rows: Indices, terms: Indices) -> Indices:
        """The indices of an element of the left factor."""

    @abstractmethod
    def rhs(self, batch: Indices, terms: Indices, columns: Indices) -> Indices:
        """The indices of an element of the right factor."""

    @abstractmethod
    def result(self, batch: Indices, rows: Indices, columns: Indices) -> Indices:
        """The indices of an element of the result."""

    def checks(self, rows: Indices, terms: Indices) -> list[tuple[Index, int]]:
        """Positions that must be at least 0 and below an extent, else an element of the left factor is 0."""
        return []


def contraction_of(plan: Plan[Step], step: Step) -> Contraction | None:
    """Return a step as a product of matrices, if it is one that pays to be computed in blocks."""
    if step.name not in _FORMS:
        return None
    if step.name in (PAIR_DOT, PAIR_CONVOLUTION):
        return _FORMS[step.name](plan, step)
    if not has_pairs(plan, step) and not _has_one_wide_number(plan, step):
        return None
    found = _FORMS[step.name](plan, step)
    return found if found is not None and _pays(found) else None


def has_pairs(plan: Plan[Step], step: Step) -> bool:
    """Test whether the terms of a product are multiplied in pairs: those of i16, with sums of i32."""
    types = [plan.types[slot] for slot in (*step.ins, *step.outs)]
    if [type.element_type for type in types if isinstance(type, TensorType)] != [TERM, TERM, SUM]:
        return False
    if step.keywords.get("feature_group_count", 1) > 1:  # terms of a pair are of one group
        depth = plan.shape_of(step.ins[1])[step.keywords["kernel_input_feature_dimension"]]
        return depth % 2 == 0 and multiplies_pairs()
    return multiplies_pairs()


def _has_one_wide_number(plan: Plan[Step], step: Step) -> bool:
    elements = {element_of(plan.types[slot]) for slot in (*step.ins, *step.outs)}
    element = elements.pop()
    return not elements and element is not None and element.storage == element.compute in TYPES


def _pays(found: Contraction) -> bool:
    if not found.columns or not found.terms:
        return False
    run = found.columns[-1]
    if isinstance(found, _Convolution) and not found.batch and run < _LEAST_COLUMNS:
        few = run < (_FEW_COLUMNS if found.image[-1] < _SHORT else _SEVERAL_COLUMNS)
        return found.products >= LEAST_PRODUCTS and prod(found.rows) >= _LEAST and not few
    if isinstance(found, _Dot) and found.products < LEAST_IN_BATCH * prod(found.batch):
        return False
    wasted = -(-run // _WIDTH) * _WIDTH > _WASTE * run and run > _LEAST_COLUMNS
    return (
        found.products >= LEAST_PRODUCTS
        and min(prod(found.rows), prod(found.terms)) >= _LEAST
        and run >= _LEAST_COLUMNS
        and not wasted
    )


# Dot products


@dataclass(frozen=True)
class _Dot(Contraction):
    """A dot product.

    Attributes:
        sides: batching, free and contracted dimensions of both operands.
        order: the dimensions of the result, as numbers of batch dimensions, rows and columns.
    """

    sides: tuple[tuple[tuple[int, ...], ...], ...] = ()
    order: tuple[int, ...] = ()

    def lhs(self, batch: Indices, rows: Indices, terms: Indices) -> Indices:
        return _placed(self.sides[0], (batch, rows, terms))

    def rhs(self, batch: Indices, terms: Indices, columns: Indices) -> Indices:
        return _placed(self.sides[1], (batch, columns, terms))

    def result(self, batch: Indices, rows: Indices, columns: Indices) -> Indices:
        indices = (*batch, *rows, *columns)
        return tuple([indices[d] for d in self.order])


def _placed(dimensions: Sequence[Sequence[int]], indices: Sequence[Indices]) -> Indices:
    """Put indices to the dimensions of an array."""
    found: list[Index] = [ZERO] * sum(map(len, dimensions))
    for places, group in zip(dimensions, indices, strict=True):
        for place, index in zip(places, group, strict=True):
            found[place] = index
    return tuple(found)


def _dot(plan: Plan[Step], step: Step) -> _Dot | None:
    keywords = step.keywords
    if keywords.get("accumulation_type") is not None:
        return None
    lhs, rhs = (plan.shape_of(slot) for slot in step.ins)
    batching = keywords["lhs_batching_dimensions"], keywords["rhs_batching_dimensions"]
    pairs = sorted(
        zip(keywords["lhs_contracting_dimensions"], keywords["rhs_contracting_dimensions"], strict=True)
    )
    left, right = tuple([pair[0] for pair in pairs]), tuple([pair[1] for pair in pairs])
    rows = tuple([d for d in range(len(lhs)) if d not in (*batching[0], *left)])
    columns = tuple([d for d in range(len(rhs)) if d not in (*batching[1], *right)])
    order = keywords.get("permutation") or tuple(range(len(plan.shape_of(step.outs[0]))))
    if columns and order[-1] != len(order) - 1:
        return None
    extents = [rhs[d] for d in columns]
    merged = len(columns) > 1 and extents[-1] < _LEAST_COLUMNS
    merged = merged and columns[-2] + 1 == columns[-1] and order[-2] == len(order) - 2
    if merged:  # neighbours follow each other in the right factor and in the result
        extents[-2:] = [1, extents[-2] * extents[-1]]
    return _Dot(
        step,
        tuple([lhs[d] for d in batching[0]]),
        tuple([lhs[d] for d in rows]),
        tuple(extents),
        tuple([lhs[d] for d in left]),
        bool(rows) and rows[-1] == len(lhs) - 1,
        merged=merged,
        sides=((batching[0], rows, left), (batching[1], columns, right)),
        order=order,
    )


# Convolutions


@dataclass(frozen=True)
class _Convolution(Contraction):
    """Rows are images and positions, terms are features and taps, in the order that lhs has in memory.

    Attributes:
        image: the shape of lhs.
        group: how many images and input features a group has, 0 of those that groups have in common.
        taps: the sizes of the kernel.
        window: for each spatial dimension, which positions of the result there are, and what they read.
        row_places: for each dimension of the rows, that of lhs.
        term_places: for each dimension of the terms, that of lhs.
    """

    image: tuple[int, ...] = ()
    group: tuple[int, int] = (0, 0)
    taps: tuple[int, ...] = ()
    window: tuple[Phase, ...] = ()
    row_places: tuple[int, ...] = ()
    term_places: tuple[int, ...] = ()

    def _split(self, places: Sequence[int], indices: Indices, first: int) -> tuple[Index, list[Index]]:
        """The index of the dimension `first` of lhs, and those of spatial dimensions."""
        at = dict(zip(places, indices, strict=True))
        return at[first], [at[d] for d in self.step.keywords["input_spatial_dimensions"]]

    def _positions(self, rows: Indices, terms: Indices) -> list[Index]:
        """The indices in lhs of what a tap of a window reads."""
        keywords = self.step.keywords
        _, places = self._split(self.row_places, rows, keywords["input_batch_dimension"])
        _, taps = self._split(self.term_places, terms, keywords["input_feature_dimension"])
        steps = zip(places, taps, self.window, strict=True)
        return [place * phase.stride + tap * phase.dilation + phase.start for place, tap, phase in steps]

    def lhs(self, batch: Indices, rows: Indices, terms: Indices) -> Indices:
        keywords = self.step.keywords
        found: list[Index] = [ZERO] * len(self.image)
        one, _ = self._split(self.row_places, rows, keywords["input_batch_dimension"])
        feature, _ = self._split(self.term_places, terms, keywords["input_feature_dimension"])
        images, features = self.group
        found[keywords["input_batch_dimension"]] = self._of_group(batch, images) + one
        found[keywords["input_feature_dimension"]] = self._of_group(batch, features) + feature
        positions = self._positions(rows, terms)
        for d, index in zip(keywords["input_spatial_dimensions"], positions, strict=True):
            found[d] = index
        return tuple(found)

    def _of_group(self, batch: Indices, size: int) -> Index:
        """The first of `size` images or features of a group."""
        return batch[0] * size if batch else ZERO

    def checks(self, rows: Indices, terms: Indices) -> list[tuple[Index, int]]:
        found = []
        dimensions = self.step.keywords["input_spatial_dimensions"]
        for d, index in zip(dimensions, self._positions(rows, terms), strict=True):
            low, high = index.bounds
            if low < 0 or high >= self.image[d]:
                found.append((index, self.image[d]))
        return found

    def rhs(self, batch: Indices, terms: Indices, columns: Indices) -> Indices:
        keywords = self.step.keywords
        feature, taps = self._split(self.term_places, terms, keywords["input_feature_dimension"])
        chosen = [
            tap * phase.taps.step + phase.taps.start for tap, phase in zip(taps, self.window, strict=True)
        ]
        turned = zip(chosen, self.taps, keywords["window_reversal"], strict=True)
        places = [size - 1 - tap if reverse else tap for tap, size, reverse in turned]
        found: list[Index] = [ZERO] * len(self.image)
        found[keywords["kernel_input_feature_dimension"]] = feature
        found[keywords["kernel_output_feature_dimension"]] = (
            self._of_group(batch, self.columns[-1]) + columns[-1]
        )
        for d, index in zip(keywords["kernel_spatial_dimensions"], places, strict=True):
            found[d] = index
        return tuple(found)

    def result(self, batch: Indices, rows: Indices, columns: Indices) -> Indices:
        keywords = self.step.keywords
        one, places = self._split(self.row_places, rows, keywords["input_batch_dimension"])
        found: list[Index] = [ZERO] * len(self.image)
        found[keywords["output_batch_dimension"]] = one
        found[keywords["output_feature_dimension"]] = self._of_group(batch, self.columns[-1]) + columns[-1]
        spatial = zip(keywords["output_spatial_dimensions"], places, self.window, strict=True)
        for d, index, phase in spatial:
            found[d] = index * phase.outputs.step + phase.outputs.start
        return tuple(found)


def _convolution(plan: Plan[Step], step: Step) -> _Convolution | None:
    keywords, image = step.keywords, plan.shape_of(step.ins[0])
    last = len(image) - 1
    one, feature = keywords["input_batch_dimension"], keywords["input_feature_dimension"]
    if (
        keywords["output_feature_dimension"] != last
        or last not in (one, feature)
        or len(image) > _MOST_DIMENSIONS
    ):
        return None
    windows = list(product(*[_phases(*numbers) for numbers in _spatial(plan, step)]))
    parts = [_part(plan, step, window) for window in windows]
    return parts[0] if len(parts) == 1 else replace(_part(plan, step, _whole(plan, step)), parts=tuple(parts))


def _spatial(plan: Plan[Step], step: Step) -> list[tuple[int, ...]]:
    """For each spatial dimension, its size, that of the kernel, and how windows move."""
    keywords, (image, kernel) = step.keywords, map(plan.shape_of, step.ins)
    padding = np.asarray(keywords["padding"]).reshape(-1, 2).tolist()
    columns = (
        [image[d] for d in keywords["input_spatial_dimensions"]],
        [kernel[d] for d in keywords["kernel_spatial_dimensions"]],
        keywords["window_strides"],
        [low for low, _ in padding],
        [high for _, high in padding],
        keywords["lhs_dilation"],
        keywords["rhs_dilation"],
    )
    return list(zip(*columns, strict=True))


def _phases(*numbers: int) -> list[Phase]:
    """The phases of a dimension, and those of its outputs that read no element."""
    stride, base = numbers[2], numbers[5]
    found = dimension_of(*numbers)
    period = base // gcd(base, stride)
    known = {phase.outputs.start for phase in found.phases}
    empty = [
        Phase(outputs, slice(0, 0, 1), 0, 1, 1, len(range(found.size)[outputs]), 0)
        for outputs in [slice(first, found.size, period) for first in range(min(period, found.size))]
        if outputs.start not in known
    ]
    return [*found.phases, *empty]


def _whole(plan: Plan[Step], step: Step) -> tuple[Phase, ...]:
    """All outputs and taps, without what they read."""
    sizes = [plan.shape_of(step.outs[0])[d] for d in step.keywords["output_spatial_dimensions"]]
    taps = [numbers[1] for numbers in _spatial(plan, step)]
    return tuple(
        [
            Phase(slice(0, size, 1), slice(0, count, 1), 0, 1, 1, size, count)
            for size, count in zip(sizes, taps, strict=True)
        ]
    )


def _part(plan: Plan[Step], step: Step, window: tuple[Phase, ...]) -> _Convolution:
    """The product that makes the outputs of a phase."""
    keywords, (image, kernel) = step.keywords, map(plan.shape_of, step.ins)
    batches, features = keywords["batch_group_count"], keywords["feature_group_count"]
    groups, last = max(batches, features), len(image) - 1
    one, feature = keywords["input_batch_dimension"], keywords["input_feature_dimension"]
    spatial = keywords["input_spatial_dimensions"]
    images, depth = image[one] // batches, image[feature] // features
    rows = {one: images, **{d: phase.output_count for d, phase in zip(spatial, window, strict=True)}}
    terms = {feature: depth, **{d: phase.width for d, phase in zip(spatial, window, strict=True)}}
    _merge_last(plan, step, window, rows if last == one else terms)
    row_places, term_places = tuple(sorted(rows)), tuple(sorted(terms))
    return _Convolution(
        step,
        (groups,) if groups > 1 else (),
        tuple([rows[d] for d in row_places]),
        (plan.shape_of(step.outs[0])[last] // groups,),
        tuple([terms[d] for d in term_places]),
        last == one,
        (),
        False,
        image,
        (images if batches > 1 else 0, depth if features > 1 else 0),
        tuple([kernel[d] for d in keywords["kernel_spatial_dimensions"]]),
        window,
        row_places,
        term_places,
    )


def _merge_last(plan: Plan[Step], step: Step, window: tuple[Phase, ...], extents: dict[int, int]) -> None:
    """Make one dimension of the last two of an image, if few features are in the last and all is inside.

    `extents` are those of the dimensions in rows or terms: neighbouring windows or taps follow each other in
    all arrays, so that an index of the last dimension may go on beyond its extent.
    """
    keywords, image = step.keywords, plan.shape_of(step.ins[0])
    last = len(image) - 1
    if last - 1 not in keywords["input_spatial_dimensions"] or extents[last] >= _SHORT:
        return
    d = keywords["input_spatial_dimensions"].index(last - 1)
    phase, groups = window[d], keywords["feature_group_count"] * keywords["batch_group_count"]
    end = phase.start + (phase.output_count - 1) * phase.stride + (phase.width - 1) * phase.dilation
    inside = phase.start >= 0 and end < image[last - 1] and groups == 1
    if keywords["input_feature_dimension"] == last:
        follows = phase.dilation == phase.taps.step == 1 and not keywords["window_reversal"][d]
        follows = follows and phase.taps.start == 0
        places = keywords["kernel_spatial_dimensions"][d], keywords["kernel_input_feature_dimension"]
    else:
        follows = phase.stride == phase.outputs.step == 1 and phase.outputs.start == 0
        places = keywords["output_spatial_dimensions"][d], keywords["output_batch_dimension"]
    if inside and follows and places[0] + 1 == places[1]:
        extents[last] *= extents[last - 1]
        extents[last - 1] = 1


_FORMS: Mapping[str, Callable[[Plan[Step], Step], Contraction | None]] = {
    **dict.fromkeys((DOT, ORDERED_DOT, PAIR_DOT), _dot),
    **dict.fromkeys((CONVOLUTION, PAIR_CONVOLUTION), _convolution),
}
