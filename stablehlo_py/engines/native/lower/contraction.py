"""Contractions: a matrix product or convolution is a sum of products for each element of its result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import Expression, choose, reference
from stablehlo_py.engines.native.loop_ir.index import ZERO, Index, Indices, Variable, divide, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Fold, Statement, Store
from stablehlo_py.engines.native.lower.records import always, by_loops
from stablehlo_py.engines.native.lower.values import add, convert, multiply, number, place_inside, sum_type
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

CONVOLUTION = "stablehlo.convolution"
DOT = "stablehlo.dot_general"
ORDERED_DOT = "native.dot"  # a dot and a transposition of its result by the keyword `permutation`


def contracted_extents(plan: Plan[Step], step: Step) -> tuple[int, ...]:
    """The extents of the dimensions that a dot adds up over."""
    shape = plan.shape_of(step.ins[0])
    return tuple([shape[d] for d in step.keywords["lhs_contracting_dimensions"]])


def has_numbers(plan: Plan[Step], step: Step) -> bool:
    """Test whether all element types are floats, complex numbers, or integers wider than a boolean."""
    types = [plan.tensor(slot).element_type for slot in (*step.ins, *step.outs)]
    wide = all(isinstance(type, FloatType | IntegerType | ComplexType) for type in types)
    return wide and IntegerType(1) not in types


def _is_short(plan: Plan[Step], step: Step) -> bool:
    """Test whether a dot has few terms and many results, so that its results are computed at their uses."""
    terms = prod(contracted_extents(plan, step))
    return 1 <= terms <= cost.FEW_TERMS and prod(plan.shape_of(step.outs[0])) >= cost.SHORT_DOT


def _pays(plan: Plan[Step], step: Step) -> bool:
    """Test whether a dot takes longer than a call, and BLAS does not take its operands as they are."""
    if _is_short(plan, step):
        return True
    if prod(plan.shape_of(step.outs[0])) * prod(contracted_extents(plan, step)) < cost.ALONE:
        return False
    are_matrices = max([len(plan.shape_of(slot)) for slot in step.ins]) <= 2
    is_float = isinstance(plan.tensor(step.outs[0]).element_type, FloatType)
    return not (is_float and are_matrices and not step.keywords["lhs_batching_dimensions"])


def sums_of_products(
    lowering: Lowering,
    step: Step,
    rows: Sequence[Variable],
    at: Indices,
    terms: Sequence[Variable],
    factors: tuple[Expression, Expression],
) -> list[Statement]:
    """Loops that add up products.

    Args:
        lowering: The slots.
        step: The step, whose result is stored.
        rows: The loops over elements of the result.
        at: The indices of an element.
        terms: The loops over its terms.
        factors: The two factors of a term.
    """
    (slot,) = step.outs
    type = lowering.type(slot)
    wide, name = sum_type(type), f"r{slot}"
    total = reference(name, wide)
    x, y = (convert(factor, wide) for factor in factors)
    fold = Fold((name,), (number(0, wide),), tuple(terms), (add(total, multiply(x, y)),))
    store = Store(lowering.buffers[slot], at, convert(total, type))
    return lowering.nested(rows, [fold, store])


@by_loops(DOT, supports=has_numbers, pays=_pays)
@by_loops(ORDERED_DOT, supports=has_numbers, pays=always)
def _dot_general(lowering: Lowering, step: Step) -> Sequence[Statement]:
    rows = lowering.variables(lowering.shape(step.outs[0]))
    extents = contracted_extents(lowering.plan, step)
    at = tuple(map(of_variable, rows))
    place = list(at)  # the indices before the result is transposed
    for index, d in zip(at, step.keywords.get("permutation", range(len(at))), strict=True):
        place[d] = index
    if _is_short(lowering.plan, step):
        value = _short_sum(lowering, step, place, extents)
        return lowering.nested(rows, [Store(lowering.buffers[step.outs[0]], at, value)])
    terms = lowering.variables(extents)
    factors = _factors(lowering, step, place, tuple(map(of_variable, terms)))
    return sums_of_products(lowering, step, rows, at, terms, factors)


def _short_sum(lowering: Lowering, step: Step, rows: Sequence[Index], extents: Sequence[int]) -> Expression:
    """A sum of a few products."""
    wide = sum_type(lowering.type(step.outs[0]))
    products = [
        multiply(*[convert(factor, wide) for factor in _factors(lowering, step, rows, terms)])
        for terms in product(*[[Index((), k) for k in range(n)] for n in extents])
    ]
    return convert(reduce(add, products), lowering.type(step.outs[0]))


def _factors(
    lowering: Lowering, step: Step, rows: Sequence[Index], terms: Sequence[Index]
) -> tuple[Expression, Expression]:
    """The factors of the product that goes to an element of the result."""
    keywords = step.keywords
    free = iter(rows[len(keywords["lhs_batching_dimensions"]) :])
    factors = []
    for side, operand in zip(("lhs", "rhs"), step.ins, strict=True):
        bound = {
            **dict(zip(keywords[f"{side}_batching_dimensions"], rows, strict=False)),
            **dict(zip(keywords[f"{side}_contracting_dimensions"], terms, strict=True)),
        }
        at = [bound[d] if d in bound else next(free) for d in range(len(lowering.shape(operand)))]
        factors.append(lowering.at(operand, tuple(at)))
    return factors[0], factors[1]


@by_loops(CONVOLUTION, supports=has_numbers, pays=always)
def _convolution(lowering: Lowering, step: Step) -> Sequence[Statement]:
    keywords, (lhs, rhs), (slot,) = step.keywords, step.ins, step.outs
    shape, kernel = lowering.shape(slot), lowering.shape(rhs)
    rows = lowering.variables(shape)
    taps = lowering.variables([kernel[d] for d in keywords["kernel_spatial_dimensions"]])
    (depth,) = lowering.variables([kernel[keywords["kernel_input_feature_dimension"]]])
    at = tuple(map(of_variable, rows))
    feature = at[keywords["output_feature_dimension"]]
    places = [at[d] for d in keywords["output_spatial_dimensions"]]
    inside, where = _window(lowering, step, places, taps)
    image = [ZERO] * len(shape)
    image[keywords["input_batch_dimension"]] = _image(lowering, step, at, feature)
    image[keywords["input_feature_dimension"]] = _channel(lowering, step, feature, of_variable(depth))
    for d, index in zip(keywords["input_spatial_dimensions"], where, strict=True):
        image[d] = index
    weight = [ZERO] * len(kernel)
    weight[keywords["kernel_input_feature_dimension"]] = of_variable(depth)
    weight[keywords["kernel_output_feature_dimension"]] = feature
    turned = zip(keywords["kernel_spatial_dimensions"], taps, keywords["window_reversal"], strict=True)
    for d, tap, reverse in turned:
        index = of_variable(tap)
        weight[d] = index * -1 + (tap.extent - 1) if reverse else index
    x = _padded(lowering.at(lhs, tuple(image)), inside)
    factors = x, lowering.at(rhs, tuple(weight))
    return sums_of_products(lowering, step, rows, at, (*taps, depth), factors)


def _padded(element: Expression, inside: tuple[tuple[Index, int], ...]) -> Expression:
    """An element of the image, or zero outside of it, in the type of sums where the element's has no zero."""
    zero = number(0, element.type)
    if zero.value != 0:
        element = convert(element, sum_type(element.type))
        zero = number(0, element.type)
    return choose(inside, element, zero)


def _window(
    lowering: Lowering, step: Step, places: Sequence[Index], taps: Sequence[Variable]
) -> tuple[tuple[tuple[Index, int], ...], list[Index]]:
    """Where the taps of a window are in the image: the conditions to be inside, and the indices there."""
    keywords, image = step.keywords, lowering.shape(step.ins[0])
    lows = np.asarray(keywords["padding"]).reshape(-1, 2)[:, 0].tolist()
    inside: list[tuple[Index, int]] = []
    found: list[Index] = []
    for n, (place, tap, low) in enumerate(zip(places, taps, lows, strict=True)):
        size = image[keywords["input_spatial_dimensions"][n]]
        stride, dilation = keywords["window_strides"][n], keywords["lhs_dilation"][n]
        index = place * stride + of_variable(tap) * keywords["rhs_dilation"][n] + -low
        index, conditions = place_inside(index, size, dilation)
        inside += conditions
        found.append(index)
    return tuple(inside), found


def _image(lowering: Lowering, step: Step, at: Indices, feature: Index) -> Index:
    """The image of a batch that an element of the result is computed from."""
    keywords = step.keywords
    image: Index = at[keywords["output_batch_dimension"]]
    groups: int = keywords["batch_group_count"]
    if groups == 1:
        return image
    shape = lowering.shape(step.outs[0])
    group, _ = divide(feature, shape[keywords["output_feature_dimension"]] // groups)
    images: int = shape[keywords["output_batch_dimension"]]
    return group * images + image


def _channel(lowering: Lowering, step: Step, feature: Index, depth: Index) -> Index:
    """The feature of an image that a term is computed from."""
    keywords, groups = step.keywords, step.keywords["feature_group_count"]
    if groups == 1:
        return depth
    features = lowering.shape(step.outs[0])[keywords["output_feature_dimension"]]
    group, _ = divide(feature, features // groups)
    channels: int = lowering.shape(step.ins[1])[keywords["kernel_input_feature_dimension"]]
    return group * channels + depth
