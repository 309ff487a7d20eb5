"""Kernels of the CHLO dialect: special functions, broadcasting ops, top_k, scan and ragged_dot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.types import Type
from stablehlo_py.kernels import elementwise as elementwise_kernels
from stablehlo_py.kernels.elementwise import ArrayFunction, Row
from stablehlo_py.kernels.numeric import complex_functions as c
from stablehlo_py.kernels.numeric import gamma, special
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import Array, DType, Function, Ints, elementwise, kernel
from stablehlo_py.kernels.shape import constant, element_dtype, static_shape
from stablehlo_py.kernels.slabs import SLAB, Cut, outer_dimension, row_slabs

_FEW = 4  # rows of at least this many times k elements are not sorted as a whole
_GROUPS = 8  # for each of the k first elements

# Elementwise ops


def sinh(x: Array) -> Array:
    """Return the hyperbolic sine: a difference of exponentials halved before they overflow, accurate near 0.

    The shift by log(1/2) is rounded, which costs up to |x| ULPs, the same as XLA's.
    """
    half = np.log(x.dtype.type(0.5))
    near = np.expm1(x)
    small = (near + near / (near + x.dtype.type(1))) * x.dtype.type(0.5)
    result: Array = np.where(np.abs(x) < 1, small, np.exp(x + half) - np.exp(half - x))
    return result


def cosh(x: Array) -> Array:
    """Return the hyperbolic cosine: a sum of exponentials halved before they overflow, rounded as `sinh`."""
    half = np.log(x.dtype.type(0.5))
    result: Array = np.exp(x + half) + np.exp(half - x)
    return result


@c.in_complex128
def asin_acos_kernel(z: Array) -> Array:
    """Return the `w` with `asin(z) = atan2(z.real, w.real) + i * sign(z.imag) * w.imag` (W. Kahan)."""
    real = (np.sqrt(1 - z) * np.sqrt(1 + z)).real
    return n.make_complex(real, np.abs(np.arcsin(z).imag))


def mulhi(lhs: Array, rhs: Array) -> Array:
    """Return the upper half of the bits of each product."""
    width = 8 * lhs.dtype.itemsize
    if width < 64:
        wider = np.dtype(f"{lhs.dtype.kind}{2 * lhs.dtype.itemsize}")
        result: Array = (lhs.astype(wider) * rhs.astype(wider) >> wider.type(width)).astype(lhs.dtype)
        return result
    high = _mulhi_unsigned(lhs.view(np.uint64), rhs.view(np.uint64)).view(lhs.dtype)
    if lhs.dtype.kind == "u":
        return high
    zero = lhs.dtype.type(0)
    return high - np.where(lhs < 0, rhs, zero) - np.where(rhs < 0, lhs, zero)


def _mulhi_unsigned(a: Array, b: Array) -> Array:
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a1, a0, b1, b0 = a >> half, a & mask, b >> half, b & mask
    middle = a1 * b0 + (a0 * b0 >> half)
    carry = (middle & mask) + a0 * b1
    result: Array = a1 * b1 + (middle >> half) + (carry >> half)
    return result


def mulhi_narrow(width: int) -> ArrayFunction:
    """Return mulhi for i2 and i4, computed in 8 bits."""
    return lambda x, y: (x.astype(np.int16) * y.astype(np.int16) >> np.int16(width)).astype(x.dtype)


def next_after(x: Array, y: Array) -> Array:
    """Return the float next to `x` in the direction of `y`, by a step of the bit pattern.

    For formats without a NumPy `nextafter`.
    """
    pattern = x.view(n.unsigned(x.dtype))
    top = pattern.dtype.type(1 << n.bits(x.dtype) - 1)
    a, b = x.astype(np.float32), y.astype(np.float32)
    away = (a > 0) == (b > a)
    step = pattern.dtype.type(1)
    moved = np.where(away, pattern + step, pattern - step)
    smallest = np.where(b > 0, step, top | step)
    moved = np.where(a == 0, smallest, moved)
    moved = np.where(a == b, y.view(pattern.dtype), moved)
    nan = np.isnan(a) | np.isnan(b)
    found = moved.astype(pattern.dtype).view(x.dtype)
    return np.where(nan, (a + b).astype(x.dtype), found)


UNARY = {
    "_asin_acos_kernel": Row(complex=asin_acos_kernel),
    "acos": Row(np.arccos, complex=c.in_complex128(np.arccos)),
    "acosh": Row(np.arccosh, complex=c.in_complex128(np.arccosh)),
    "asin": Row(np.arcsin, complex=c.in_complex128(np.arcsin)),
    "asinh": Row(np.arcsinh, complex=c.in_complex128(np.arcsinh)),
    "atan": Row(np.arctan, complex=c.in_complex128(np.arctan)),
    "atanh": Row(np.arctanh, complex=c.in_complex128(np.arctanh)),
    "bessel_i1e": Row(special.bessel_i1e),
    "conj": Row(np.positive, complex=np.conjugate),
    "cosh": Row(cosh, complex=c.in_complex128(np.cosh)),
    "digamma": Row(gamma.digamma),
    "erf": Row(special.erf),
    "erf_inv": Row(special.erf_inv),
    "erfc": Row(special.erfc),
    "is_inf": Row(np.isinf),
    "is_neg_inf": Row(lambda x: x == -np.inf),
    "is_pos_inf": Row(lambda x: x == np.inf),
    "lgamma": Row(gamma.lgamma),
    "sinh": Row(sinh, complex=c.in_complex128(np.sinh)),
    "square": Row(np.square, np.square, complex=c.square),
    "tan": Row(np.tan, complex=c.in_complex128(np.tan)),
}

for _name, _row in UNARY.items():
    elementwise(f"chlo.{_name}")(partial(lambda row, operand: elementwise_kernels.choose(row, operand), _row))


@elementwise("chlo.next_after")
def next_after_stage(x: DType, y: DType) -> ArrayFunction:
    """Next representable value (chlo.next_after)."""
    return np.nextafter if x in (n.F32, n.F64) else next_after


@elementwise("chlo.mulhi")
def mulhi_stage(lhs: DType, rhs: DType) -> ArrayFunction:
    """Upper half of integer products (chlo.mulhi)."""
    return mulhi if n.wide(lhs) == lhs else n.narrowed(mulhi_narrow(n.bits(lhs)), lhs)


@elementwise("chlo.zeta")
def zeta_stage(x: DType, q: DType) -> ArrayFunction:
    """Hurwitz zeta function (chlo.zeta)."""
    return n.narrowed(gamma.zeta, x)


@elementwise("chlo.polygamma")
def polygamma_stage(n_: DType, x: DType) -> ArrayFunction:
    """Polygamma function (chlo.polygamma)."""
    return n.narrowed(gamma.polygamma, x)


# Broadcasting ops


def broadcast_operands(lhs: Array, rhs: Array, dimensions: Ints | None) -> tuple[Array, Array]:
    """Reshape the operand of lower rank to the rank of the other, for NumPy broadcasting.

    Args:
        lhs: An array.
        rhs: An array.
        dimensions: The dimensions of the higher-rank operand that those of the lower-rank one map to; None
            maps them to the trailing ones.

    Returns:
        Both operands, of equal rank.
    """
    if dimensions is None or lhs.ndim == rhs.ndim:
        require_broadcastable(lhs, rhs)
        return lhs, rhs
    small, rank = min(lhs, rhs, key=np.ndim), max(lhs.ndim, rhs.ndim)
    shape = [1] * rank
    for dimension, size in zip(dimensions, small.shape, strict=True):
        shape[dimension] = size
    spread = small.reshape(shape)
    require_broadcastable(spread, rhs if small is lhs else lhs)
    return (spread, rhs) if small is lhs else (lhs, spread)


def require_broadcastable(*operands: Array) -> None:
    """Raise RunError if the sizes of a dimension differ and none of them is 1."""
    shapes = [np.shape(operand) for operand in operands]
    for sizes in zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1):
        if len({*sizes} - {1}) > 1:
            listed = " and ".join(str(list(shape)) for shape in shapes)
            raise RunError(
                f"shapes {listed} cannot be broadcast together: the sizes of a dimension must be equal or 1"
            )


def _broadcasting(stage: Callable[..., ArrayFunction]) -> Callable[..., Array]:
    def call(lhs: Array, rhs: Array, *, broadcast_dimensions: Ints | None) -> Array:
        function = stage(lhs.dtype, rhs.dtype)
        return function(*broadcast_operands(lhs, rhs, broadcast_dimensions))

    return call


for _name, _row in elementwise_kernels.BINARY.items():
    kernel(f"chlo.broadcast_{_name}")(_broadcasting(elementwise_kernels.binary_stage(_name, _row)))
for _name, _stage in {
    "next_after": next_after_stage,
    "polygamma": polygamma_stage,
    "zeta": zeta_stage,
}.items():
    kernel(f"chlo.broadcast_{_name}")(_broadcasting(_stage))


@kernel("chlo.broadcast_compare")
def broadcast_compare(
    lhs: Array,
    rhs: Array,
    *,
    broadcast_dimensions: Ints | None,
    comparison_direction: str,
    compare_type: str | None,
) -> Array:
    """Comparison with broadcasting (chlo.broadcast_compare)."""
    function = elementwise_kernels.compare(
        lhs.dtype, rhs.dtype, comparison_direction=comparison_direction, compare_type=compare_type
    )
    return np.asarray(function(*broadcast_operands(lhs, rhs, broadcast_dimensions)))


@kernel("chlo.broadcast_select")
def broadcast_select(pred: Array, on_true: Array, on_false: Array) -> Array:
    """Selection with broadcasting (chlo.broadcast_select)."""
    require_broadcastable(pred, on_true, on_false)
    return np.where(pred, on_true, on_false)


# Other ops

kernel("chlo.constant", view=True)(constant)


@kernel("chlo.constant_like")
def constant_like(operand: Array, *, value: Any, result: Any) -> Array:
    """Constant of the operand's shape (chlo.constant_like)."""
    return np.full(operand.shape, getattr(value, "value", value), element_dtype(result))


def _slabs_of_rows(operand: Array) -> Cut | None:
    axis = outer_dimension(operand, range(operand.ndim - 1))
    return None if axis is None else Cut((axis,), axis)


@kernel("chlo.top_k", slabs=_slabs_of_rows)
def top_k(operand: Array, *, k: int) -> tuple[Array, Array]:
    """The k largest elements of the last dimension, and their indices (chlo.top_k)."""
    return first_in_order(operand, k, largest=True)


def first_in_order(operand: Array, k: int, largest: bool) -> tuple[Array, Array]:
    """Return the `k` largest or smallest elements of the last dimension, in order, and their indices.

    Args:
        operand: Array of shape (..., n).
        k: The number of elements; all n if there are fewer.
        largest: True for the largest elements in descending order, False for the smallest in ascending order.

    Returns:
        Two arrays of shape (..., k): the elements, and their indices as int32.
    """
    if operand.ndim == 1 and operand.nbytes > SLAB and k * _FEW < SLAB // operand.itemsize:
        parts = list(row_slabs(len(operand), operand.itemsize))
        firsts = [first_in_order(operand[part], k, largest) for part in parts]
        places = np.concatenate([x + part.start for (_, x), part in zip(firsts, parts, strict=True)])
        found, order = first_in_order(np.concatenate([x for x, _ in firsts]), k, largest)
        return found, places[order].astype(np.int32)
    if n.dtype_kind(operand.dtype) == "f" and n.has_nan_payloads(operand.dtype):
        values = operand if operand.dtype.char in "efd" else n.total_order(operand)
    else:
        values = operand.astype(n.wide(operand.dtype), copy=False)
    if 0 < k < values.shape[-1] // _FEW:
        order = _first_few(values, k, largest)
    else:
        order = np.argsort(_order_key(values, largest), axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(operand, order, axis=-1), order.astype(np.int32)


def _order_key(values: Array, largest: bool) -> Array:
    """Return integers that ascend in the order of the values."""
    key = n.total_order(values) if values.dtype.kind == "f" else values
    return np.invert(key) if largest else key


def _first_few(values: Array, k: int, largest: bool) -> Array:
    """Return the indices of the `k` first values of each row, in order.

    Each row is cut into groups. At least `k` values are as good as the k-th of the groups' best: only values
    that are as good as this one are sorted.
    """
    rows = values.reshape(-1, values.shape[-1])
    size = rows.shape[1]
    groups = min(_GROUPS * k, size // 2)
    length = size // groups
    grouped = groups * length
    fold, better = (np.maximum, np.greater_equal) if largest else (np.minimum, np.less_equal)
    best = fold.reduce(rows[:, :grouped].reshape(len(rows), length, groups), axis=1)
    if values.dtype.kind == "f" and (np.isnan(best).any() or np.isnan(rows[:, grouped:]).any()):
        return _first_few(n.total_order(values), k, largest)
    last = groups - k if largest else k - 1
    limit = np.partition(best, last, axis=-1)[:, last : last + 1]
    row, place = np.divmod(np.flatnonzero(better(rows, limit)), size)
    order = np.lexsort((_order_key(rows[row, place], largest), row))
    first = np.searchsorted(row, np.arange(len(rows)))
    found: Array = place[order[first[:, None] + np.arange(k)]]
    return found.reshape(*values.shape[:-1], k)


@kernel("chlo.scan")
def scan(
    inputs: tuple[Array, ...],
    inits: tuple[Array, ...],
    *,
    dimension: int,
    scan_dim_size: int | None,
    is_reverse: bool,
    body: Function,
    outputs: tuple[Any, ...],
) -> tuple[Array, ...]:
    """Scan along a dimension with carried values (chlo.scan)."""
    count = inputs[0].shape[dimension] if inputs else int(scan_dim_size or 0)
    slices = [np.moveaxis(x, dimension, 0) for x in inputs]
    carries = inits
    made: list[tuple[Array, ...]] = []
    for index in reversed(range(count)) if is_reverse else range(count):
        found = body(*[x[index] for x in slices], *carries)
        made.append(found[: len(outputs)])
        carries = found[len(outputs) :]
    if is_reverse:
        made.reverse()
    stacked = [np.stack(column, axis=dimension) for column in zip(*made, strict=True)]
    return (*(stacked or _empty_outputs(outputs)), *map(np.array, carries))


def _empty_outputs(outputs: tuple[Any, ...]) -> list[Array]:
    """Return the outputs of a scan without steps."""
    return [np.empty(static_shape(type), element_dtype(type)) for type in outputs]


# Ragged dot products: a dimension of lhs is partitioned into groups


@kernel("chlo.ragged_dot")
def ragged_dot(
    lhs: Array,
    rhs: Array,
    group_sizes: Array,
    *,
    lhs_batching_dimensions: Ints,
    rhs_batching_dimensions: Ints,
    lhs_contracting_dimensions: Ints,
    rhs_contracting_dimensions: Ints,
    lhs_ragged_dimensions: Ints,
    rhs_group_dimensions: Ints,
    result: Type,
) -> Array:
    """Multiply each group of lhs by its own slice of rhs (chlo.ragged_dot).

    If rhs has no group dimension, every group is multiplied by all of rhs. If the ragged dimension is
    contracted, the groups become the first dimension of the result; otherwise they are disjoint parts of it,
    and elements of no group are zero.
    """
    (ragged,) = lhs_ragged_dimensions
    dtype = element_dtype(result)
    left, right = lhs.astype(n.wide(dtype)), rhs.astype(n.wide(dtype))
    batching = tuple(zip(lhs_batching_dimensions, rhs_batching_dimensions, strict=True))
    contracting = tuple(zip(lhs_contracting_dimensions, rhs_contracting_dimensions, strict=True))
    formula = _formula(lhs.ndim, rhs.ndim, batching, contracting, rhs_group_dimensions)
    outer = _outer_dimensions(ragged, lhs_batching_dimensions, lhs_contracting_dimensions)
    products = []
    for group, members in enumerate(_members(lhs.shape, group_sizes, ragged, outer)):
        mine = np.take(right, group, rhs_group_dimensions[0]) if rhs_group_dimensions else right
        products.append(np.einsum(formula, np.where(members, left, left.dtype.type(0)), mine, optimize=True))
    together = np.stack(products) if ragged in lhs_contracting_dimensions else np.sum(products, axis=0)
    return np.asarray(together).astype(dtype)


def _formula(
    lhs_rank: int,
    rhs_rank: int,
    batching: tuple[Ints, ...],
    contracting: tuple[Ints, ...],
    grouping: Ints,
) -> str:
    """Return the einsum notation of one group's product, for rhs without its group dimension."""
    from string import ascii_letters  # slow to import

    left = list(ascii_letters[:lhs_rank])
    right = list(ascii_letters[lhs_rank : lhs_rank + rhs_rank])
    for a, b in (*batching, *contracting):
        right[b] = left[a]
    shared = {left[a] for a, _ in (*batching, *contracting)}
    right = [letter for axis, letter in enumerate(right) if axis not in grouping]
    free = [letter for letter in (*left, *right) if letter not in shared]
    return f"{''.join(left)},{''.join(right)}->{''.join([left[a] for a, _ in batching] + free)}"


def _members(shape: Ints, group_sizes: Array, ragged: int, outer: Ints) -> list[Array]:
    """Return a mask for each group: True where elements of lhs belong to it, broadcastable to lhs.

    Group sizes of rank 1 apply to all of lhs. The leading dimensions of higher-rank sizes are the outer ones.
    """
    ends = np.cumsum(group_sizes.astype(np.int64), axis=-1)
    starts = ends - group_sizes
    position = np.arange(shape[ragged])
    axes = (*outer[: group_sizes.ndim - 1], ragged)
    found = []
    for group in range(group_sizes.shape[-1]):
        inside = (position >= starts[..., group, None]) & (position < ends[..., group, None])
        sizes = [1] * len(shape)
        for axis, size in zip(axes, inside.shape, strict=True):
            sizes[axis] = size
        found.append(inside.transpose(np.argsort(axes)).reshape(sizes))
    return found


def _outer_dimensions(ragged: int, batching: Ints, contracting: Ints) -> Ints:
    """Return the dimensions of lhs that may have group sizes of their own, as many as these have.

    They are the batching dimensions, then the contracting ones or the others, whichever the ragged one is of.
    """
    if ragged in contracting:
        return (*batching, *contracting)
    return (*batching, *[d for d in range(ragged) if d not in batching and d not in contracting])
