"""Projection of an op's shardings to the factors of its rule, and back."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.sharding.axes import Axes, Axis, Sizes, appended, is_strict_prefix, total_size
from stablehlo_py.sharding.rules import Mapping, Rule
from stablehlo_py.sharding.shardings import DimSharding, Sharding


class FactorSharding:
    """How a factor of a tensor is divided.

    Attributes:
        axes: The axes that divide the factor.
        overflow: Axes behind those that divide neither this factor nor a later one of the dimension evenly.
        is_closed: Whether no axes may be added.
        is_minor_most: Whether the factor is the last of its dimension; only such a one may need padding.
    """

    __slots__ = ("axes", "is_closed", "is_minor_most", "overflow")

    def __init__(self, axes: Axes, overflow: Axes, is_closed: bool, is_minor_most: bool) -> None:
        self.axes, self.overflow = axes, overflow
        self.is_closed, self.is_minor_most = is_closed, is_minor_most


class TensorFactors:
    """How the factors of a tensor are divided.

    Attributes:
        factors: The sharding of each factor of the tensor.
        replicated: The axes along which the tensor stays replicated.
        unreduced: The axes along which it is a term of a reduction.
        reduction: The kind of the reduction.
    """

    __slots__ = ("factors", "reduction", "replicated", "unreduced")

    def __init__(self, replicated: Axes = (), unreduced: Axes = (), reduction: str = "sum") -> None:
        self.factors: dict[int, FactorSharding] = {}
        self.replicated, self.unreduced, self.reduction = replicated, unreduced, reduction

    def expand(self, factor: int, axes: Axes) -> bool:
        """Divide a factor along more axes; return whether there were any."""
        found = self.factors.get(factor)
        if found is None or not is_strict_prefix(found.axes, axes):
            return False
        found.axes = axes
        return True

    def update(self, factor: int, axes: Axes) -> bool:
        """Divide a factor along other axes, without overflow; return whether that changed anything."""
        found = self.factors.get(factor)
        if found is None or (found.axes == axes and not found.overflow):
            return False
        found.axes, found.overflow = axes, ()
        return True

    def num_shards(self, sizes: Sizes) -> int:
        """Return the number of shards of the tensor."""
        return prod([total_size((*each.axes, *each.overflow), sizes) for each in self.factors.values()])

    def sharding(self, mapping: Mapping, rule: Rule, mesh: Attribute, sizes: Sizes) -> Sharding:
        """Return the sharding of the tensor.

        Args:
            mapping: The factors of its dimensions.
            rule: The rule.
            mesh: The mesh of the sharding.
            sizes: The sizes of the mesh's axes.
        """
        dims = tuple([self._dim(factors, rule, sizes) for factors in mapping])
        return Sharding(mesh, dims, self.replicated, self.unreduced, self.reduction)

    def _dim(self, factors: Sequence[int], rule: Rule, sizes: Sizes) -> DimSharding:
        axes: Axes = ()
        is_closed = False
        for factor in factors:
            found = self.factors[factor]
            is_closed |= found.is_closed
            for part in (found.axes, found.overflow):
                if part:  # parts of an axis may meet at the boundary of factors
                    axes = (*appended(axes, part[0], sizes), *part[1:])
            if found.overflow or total_size(found.axes, sizes) < rule.sizes[factor]:
                break  # dividing a later factor would take a strided view
        return DimSharding(axes, is_closed)


class Projection:
    """The shardings of the tensors of an op, by factor: of the operands, then of the results."""

    def __init__(self, tensors: list[TensorFactors], num_operands: int) -> None:
        self.tensors = tensors
        self.num_operands = num_operands

    @property
    def operands(self) -> list[TensorFactors]:
        """Those of the operands."""
        return self.tensors[: self.num_operands]

    @property
    def results(self) -> list[TensorFactors]:
        """Those of the results."""
        return self.tensors[self.num_operands :]


def project(
    operands: Sequence[Sharding | None],
    results: Sequence[Sharding | None],
    rule: Rule,
    sizes: Sizes,
    closed_if_missing: bool = False,
) -> Projection:
    """Project the shardings of an op's operands and results to the factors of its rule."""
    tensors = [
        _project(mapping, sharding, rule, sizes, closed_if_missing)
        for mapping, sharding in zip(rule.tensors, (*operands, *results), strict=True)
    ]
    return Projection(tensors, len(operands))


def _project(
    mapping: Mapping, sharding: Sharding | None, rule: Rule, sizes: Sizes, closed_if_missing: bool
) -> TensorFactors:
    if sharding is None:
        found = TensorFactors()
        dims: Sequence[DimSharding] = [DimSharding((), closed_if_missing)] * len(mapping)
    else:
        found = TensorFactors(sharding.replicated, sharding.unreduced, sharding.reduction)
        dims = sharding.dims
    for factors, dim in zip(mapping, dims, strict=True):
        if len(factors) == 1:
            found.factors[factors[0]] = FactorSharding(dim.axes, (), dim.is_closed, True)
        else:
            _distribute(found.factors, factors, dim, rule, sizes)
    return found


def _distribute(
    found: dict[int, FactorSharding], factors: Sequence[int], dim: DimSharding, rule: Rule, sizes: Sizes
) -> None:
    """Divide the factors of a dimension along its axes, major to minor, which may split an axis."""
    left = list(dim.axes)
    for factor in factors:
        here = found[factor] = FactorSharding((), (), dim.is_closed, factor == factors[-1])
        if here.is_minor_most:
            for axis in left:
                here.axes = appended(here.axes, axis, sizes)
            return
        size = rule.sizes[factor]
        while left:
            axis = left[0]
            count = axis.size(sizes)
            common = gcd(size, count)
            if common == 1 and count != 1:
                break
            if count > common:
                here.axes += (Axis(axis.name, axis.pre_size, common),)
                left[0] = Axis(axis.name, axis.pre_size * common, count // common)
            else:
                here.axes += (left.pop(0),)
            size //= common
        if size > 1 and left:
            for axis in left:
                here.overflow = appended(here.overflow, axis, sizes)
            for later in factors[factors.index(factor) + 1 :]:
                found[later] = FactorSharding((), (), True, later == factors[-1])
            return
