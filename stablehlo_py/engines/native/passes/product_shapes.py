"""Shapes of products and convolutions, by which layouts are chosen: which of them pay in which order."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from stablehlo_py.engines.native.arithmetic.elements import element_of_all
from stablehlo_py.engines.native.lower.contraction import CONVOLUTION, DOT, ORDERED_DOT, contracted_extents
from stablehlo_py.interpreter.plan import Plan, Step, is_uniform

Keywords = Mapping[str, Any]
TYPES = ("float", "double", "i32", "i64")  # of elements of products that are computed in tiles

# Products of matrices
_LEAST_PRODUCTS = 1 << 16  # multiplications
_LEAST_IN_BATCH = 1 << 15  # the same for each product of a batch
_LEAST = 8  # rows or terms
_LEAST_COLUMNS = 16  # of the innermost dimension
_WASTE = 1.5  # computed columns for each one that there is
_WIDTH = 32  # about the columns of a tile
_FEW_COLUMNS = 4  # of a convolution: fewer are computed in rows,
_SEVERAL_COLUMNS = 8  # and also up to here, where images have long runs of features
_SHORT = 16  # elements of a run of features

# Convolutions of each feature, of few features, and in rows
_MOST_TAPS = 64  # of a kernel
_LEAST_FEATURES = 8  # fewer are computed in rows
_MOST_DEPTHWISE = 1 << 13  # features
_MOST_PRODUCTS = 256  # of an element of the result, for groups of several features
_VECTOR = 64  # bytes of a vector of features
_FEW_FEATURES = 7  # of the result
_MOST_BYTES = 1 << 16  # of the kernel
_LEAST_LANES = 4
_MOST_FEATURES = 16  # of the result, in a group: products of matrices of more have enough columns
_LEAST_IN_ROWS = 1 << 14  # multiplications
_LEAST_ROW = 4  # elements of a vector
_MOST_STRIDE = 4  # along a row
_MOST_PADDED = 4  # elements of the padded image for each one of image and result


def is_in_blocks(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step is a product of matrices whose columns are last, and large enough for tiles."""
    if step.name not in (DOT, ORDERED_DOT, CONVOLUTION):
        return False
    element = element_of_all(plan.types[slot] for slot in (*step.ins, *step.outs))
    if element is None or not element.storage == element.compute in TYPES:
        return False
    return _is_large_convolution(plan, step) if step.name == CONVOLUTION else _is_large_dot(plan, step)


def _is_large_dot(plan: Plan[Step], step: Step) -> bool:
    keywords = step.keywords
    lhs, rhs = (plan.shape_of(slot) for slot in step.ins)
    result, terms = plan.shape_of(step.outs[0]), prod(contracted_extents(plan, step))
    batching, contracting = keywords["rhs_batching_dimensions"], keywords["rhs_contracting_dimensions"]
    columns = [d for d in range(len(rhs)) if d not in (*batching, *contracting)]
    order = keywords.get("permutation") or tuple(range(len(result)))
    if keywords.get("accumulation_type") is not None or not columns or order[-1] != len(order) - 1:
        return False
    run = rhs[columns[-1]]
    if len(columns) > 1 and run < _LEAST_COLUMNS and columns[-2] + 1 == columns[-1]:
        run *= rhs[columns[-2]] if order[-2] == len(order) - 2 else 1
    batch = prod([rhs[d] for d in batching])
    rows = prod(lhs) // max(1, batch * terms)
    products = prod(result) * terms
    return products >= _LEAST_IN_BATCH * batch and _pays(products, rows, terms, run)


def _pays(products: int, rows: int, terms: int, run: int) -> bool:
    wasted = -(-run // _WIDTH) * _WIDTH > _WASTE * run and run > _LEAST_COLUMNS
    large = products >= _LEAST_PRODUCTS and min(rows, terms) >= _LEAST
    return large and run >= _LEAST_COLUMNS and not wasted


def _is_large_convolution(plan: Plan[Step], step: Step) -> bool:
    keywords, (image, kernel) = step.keywords, map(plan.shape_of, step.ins)
    result, last = plan.shape_of(step.outs[0]), len(image) - 1
    inner = keywords["input_batch_dimension"], keywords["input_feature_dimension"]
    if keywords["output_feature_dimension"] != last or last not in inner or not prod(kernel):
        return False
    groups = max(keywords["batch_group_count"], keywords["feature_group_count"])
    run, terms = result[last] // groups, prod(kernel) // kernel[keywords["kernel_output_feature_dimension"]]
    rows, products = prod(result[:-1]), prod(result) * terms // prod(keywords["lhs_dilation"])
    if groups == 1 and run < _LEAST_COLUMNS:
        few = run < (_FEW_COLUMNS if image[-1] < _SHORT else _SEVERAL_COLUMNS)
        return products >= _LEAST_PRODUCTS and rows >= _LEAST and not few
    return _pays(products, rows, terms, run)


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
        or not _LEAST_FEATURES <= max(image[last], result[last]) <= _MOST_DEPTHWISE
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
    if not 1 <= result[last] <= _FEW_FEATURES or prod(kernel) * element.size > _MOST_BYTES:
        return False
    large = prod(kernel) * prod(result[:-1]) >= _LEAST_PRODUCTS
    return large and _lanes(image[last], element.size) >= _LEAST_LANES


def _lanes(features: int, size: int) -> int:
    """The most lanes, a power of two, of vectors that features consist of."""
    return min(features & -features, _VECTOR // size)


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
        long = self.row >= _LEAST_ROW and self.stride <= _MOST_STRIDE and self.products >= _LEAST_IN_ROWS
        outer = prod(self.image) // prod([self.image[d] for d in self.keywords["input_spatial_dimensions"]])
        most = _MOST_PADDED * (prod(self.image) + prod(self.result))
        return few and long and prod(self.padded) * outer <= most
