"""What the direct path, without loop IR, has code for."""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.convolutions import is_native_convolution
from stablehlo_py.engines.native.elementwise import MAP, is_supported
from stablehlo_py.engines.native.emitters import EXPRESSIONS
from stablehlo_py.engines.native.lower.contraction import (
    CONVOLUTION,
    DOT,
    ORDERED_DOT,
    SHORT_DOT,
    contracted_extents,
)
from stablehlo_py.engines.native.lower.linalg import SOLVERS, is_native_solver
from stablehlo_py.engines.native.lower.random_bits import RNG_BIT_GENERATOR, is_native_generator
from stablehlo_py.engines.native.lower.records import has_native_arrays, is_native_array
from stablehlo_py.engines.native.lower.reduction import REDUCE
from stablehlo_py.engines.native.lower.sort import ROW_SORT, TOP_K, is_native_top_k
from stablehlo_py.engines.native.lower.window import REDUCE_WINDOW, SCAN, is_native_scan
from stablehlo_py.engines.native.parts import PARTS
from stablehlo_py.engines.native.products.contractions import LEAST_IN_BATCH, LEAST_PRODUCTS, contraction_of
from stablehlo_py.engines.native.products.pairs import PAIR_CONVOLUTION, PAIR_DOT
from stablehlo_py.engines.native.region import CONTROL
from stablehlo_py.engines.native.scatters import is_native_scatter
from stablehlo_py.engines.native.sorts import is_native_sort
from stablehlo_py.engines.native.windows import is_native_selection, is_native_window_reduction
from stablehlo_py.interpreter.plan import Plan, Step

SMALL_DOT = 1 << 20  # multiplications: larger products go to BLAS
LARGE_PRODUCT = 1 << 30  # multiplications, some 10 ms: a loop of larger products can be ended between them
LARGE_SORT = 1 << 19  # elements: larger ones take longer than loops may between two polls


def is_native(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step can be part of a region."""
    if step.effect or step.deferred is not None or step.callee or not has_native_arrays(plan, step):
        return False
    if step.name in CONTROL:
        bodies = [
            is_native(body, inner) and not _is_large(body, inner)
            for body in step.plans
            for inner in body.steps
        ]
        return all(bodies) and all(map(_is_native_interface, step.plans))
    if contraction_of(plan, step) is not None:
        return True
    if step.name == DOT:
        return is_small_dot(plan, step)
    if step.name in _CONDITIONS:
        return _CONDITIONS[step.name](plan, step) and all(map(_is_native_body, step.plans))
    return step.name in PARTS or _has_expression(plan, step)


_ALONE = (CONVOLUTION, ORDERED_DOT, PAIR_DOT, PAIR_CONVOLUTION, RNG_BIT_GENERATOR, SHORT_DOT, TOP_K)


def pays_alone(plan: Plan[Step], step: Step) -> bool:
    """Test whether a region pays that has nothing but a step."""
    own = step.name in (*_ALONE, *CONTROL) or step.definition is None
    dot = step.name == DOT and _products(plan, step) >= LEAST_PRODUCTS and not _is_for_blas(plan, step)
    return own or dot


def _is_for_blas(plan: Plan[Step], step: Step) -> bool:
    """Test whether BLAS takes the operands of a product as they are: matrices or vectors of floats."""
    element = element_of(plan.types[step.outs[0]])
    ranks = [len(plan.shape_of(slot)) for slot in step.ins]
    is_batch = bool(step.keywords["lhs_batching_dimensions"])
    return element is not None and element.is_float and max(ranks) <= 2 and not is_batch


def _is_large(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step takes too long for loops, which are to be ended between steps."""
    if step.name == ROW_SORT:
        return prod(plan.shape_of(step.ins[0])) > LARGE_SORT
    product = contraction_of(plan, step)
    return product is not None and product.products > LARGE_PRODUCT


def _has_expression(plan: Plan[Step], step: Step) -> bool:
    has_bodies = all(map(_is_native_body, step.plans))
    return step.name in EXPRESSIONS and is_supported(plan, step) and has_bodies


def _is_native_interface(plan: Plan[Step]) -> bool:
    return all(is_native_array(plan, slot) for slot in (*range(plan.arity), *plan.outputs))


def _is_native_reduction(plan: Plan[Step], step: Step) -> bool:
    """Test whether a reduction computes in its operands' types, by a body of scalar expressions."""
    (body,) = step.plans
    count = len(step.outs)
    inputs = [plan.tensor(slot).element_type for slot in step.ins[:count]]
    inits = [plan.tensor(slot).element_type for slot in step.ins[count : 2 * count]]
    results = [plan.tensor(slot).element_type for slot in step.outs]
    inside = [body.tensor(slot).element_type for slot in body.outputs]
    same = inputs == inits == results == inside
    return same and _captures_scalars(plan, step, 2 * count) and _is_native_body(body)


def _is_native_map(plan: Plan[Step], step: Step) -> bool:
    return step.op is not None and _captures_scalars(plan, step, len(step.op.operands))


def _captures_scalars(plan: Plan[Step], step: Step, count: int) -> bool:
    """Test whether what a body reads from outside, behind so many operands, are scalars."""
    return all(plan.shape_of(slot) == () for slot in step.ins[count:])


def _is_native_body(body: Plan[Step]) -> bool:
    """Whether a function on elements is made of expressions."""
    return all(has_native_arrays(body, inner) and _has_expression(body, inner) for inner in body.steps)


_CONDITIONS = {  # what must hold of a step, besides that functions on elements are made of expressions
    CONVOLUTION: is_native_convolution,
    MAP: _is_native_map,
    REDUCE: _is_native_reduction,
    REDUCE_WINDOW: is_native_window_reduction,
    RNG_BIT_GENERATOR: is_native_generator,
    ROW_SORT: is_native_sort,
    SCAN: is_native_scan,
    TOP_K: is_native_top_k,
    **dict.fromkeys(SOLVERS, is_native_solver),
    "stablehlo.scatter": is_native_scatter,
    "stablehlo.select_and_scatter": is_native_selection,
}


def is_small_dot(plan: Plan[Step], step: Step) -> bool:
    """Test whether a product, or each of a batch, takes less than a call of BLAS would cost besides."""
    types = [plan.tensor(slot) for slot in (*step.ins, *step.outs)]
    element = element_of(types[0])
    if element is None or len({type.element_type for type in types}) != 1:
        return False
    if element.compute == "i1" or not element.is_wide:
        return False
    dimensions: tuple[int, ...] = step.keywords["lhs_batching_dimensions"]
    batch = [plan.shape_of(step.ins[0])[d] for d in dimensions]
    return _products(plan, step) <= max(SMALL_DOT, LEAST_IN_BATCH * prod(batch))


def _products(plan: Plan[Step], step: Step) -> int:
    """The number of multiplications of a dot."""
    return prod(plan.shape_of(step.outs[0])) * prod(contracted_extents(plan, step))
