"""ragged_dot: dot products where one dimension of lhs is cut into groups."""

from __future__ import annotations

from string import ascii_letters

import numpy as np

from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import Array, Ints, kernel
from stablehlo_py.kernels.shape import element_dtype


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
    """Each group of lhs with its own slice of rhs; with all of rhs where rhs has no dimension of groups.

    Where the ragged dimension is contracted, the groups become the first dimension of the result;
    otherwise they are disjoint parts of it, and what belongs to no group is zero.
    """
    (ragged,) = lhs_ragged_dimensions
    dtype = element_dtype(result)
    left, right = lhs.astype(n.wide(dtype)), rhs.astype(n.wide(dtype))
    batching = tuple(zip(lhs_batching_dimensions, rhs_batching_dimensions, strict=True))
    contracting = tuple(zip(lhs_contracting_dimensions, rhs_contracting_dimensions, strict=True))
    formula = _formula(lhs.ndim, rhs.ndim, batching, contracting, rhs_group_dimensions)
    products = []
    for group, members in enumerate(_members(lhs.shape, group_sizes, ragged, lhs_batching_dimensions)):
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
    """The product of one group in einsum's notation, for rhs without its dimension of groups."""
    left = list(ascii_letters[:lhs_rank])
    right = list(ascii_letters[lhs_rank : lhs_rank + rhs_rank])
    for a, b in (*batching, *contracting):
        right[b] = left[a]
    shared = {left[a] for a, _ in (*batching, *contracting)}
    right = [letter for axis, letter in enumerate(right) if axis not in grouping]
    free = [letter for letter in (*left, *right) if letter not in shared]
    return f"{''.join(left)},{''.join(right)}->{''.join([left[a] for a, _ in batching] + free)}"


def _members(shape: Ints, group_sizes: Array, ragged: int, batching: Ints) -> list[Array]:
    """For each group, where the elements of lhs belong to it, as an array that broadcasts to lhs.

    Sizes of rank 1 hold for all of lhs; the leading dimensions of others are those of lhs in front of the
    ragged one that are batched, or, where it is none of the batched ones, come before it.
    """
    ends = np.cumsum(group_sizes.astype(np.int64), axis=-1)
    starts = ends - group_sizes
    position = np.arange(shape[ragged])
    outer = _outer_dimensions(group_sizes.ndim - 1, ragged, batching, len(shape))
    found = []
    for group in range(group_sizes.shape[-1]):
        inside = (position >= starts[..., group, None]) & (position < ends[..., group, None])
        sizes = [1] * len(shape)
        for axis, size in zip((*outer, ragged), inside.shape, strict=True):
            sizes[axis] = size
        order = np.argsort((*outer, ragged))
        found.append(inside.transpose(order).reshape(sizes))
    return found


def _outer_dimensions(count: int, ragged: int, batching: Ints, rank: int) -> Ints:
    """The dimensions of lhs that group sizes of a higher rank have in front."""
    candidates = [d for d in batching if d != ragged]
    candidates += [d for d in range(rank) if d not in batching and d != ragged]
    return tuple(candidates[:count])
