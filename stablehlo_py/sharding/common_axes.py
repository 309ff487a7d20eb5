"""The axes of each factor along which an op is computed, where its operands and results differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from stablehlo_py.sharding.axes import (
    Axes,
    Axis,
    Sizes,
    appended,
    is_prefix,
    is_strict_prefix,
    prefix_without_any,
    total_size,
)
from stablehlo_py.sharding.projection import Projection
from stablehlo_py.sharding.rules import Rule

_PRECEDENCE = {"pass_through": 3, "reduction": 2, "permutation": 1, "need_replication": 0}


def common_axes(projection: Projection, rule: Rule, tensor_sizes: Sequence[int], sizes: Sizes) -> list[Axes]:
    """Return the axes of each factor that an op is best computed along.

    Args:
        projection: The shardings of the op's tensors by factor.
        rule: Its rule.
        tensor_sizes: The numbers of elements of its tensors.
        sizes: The sizes of the mesh's axes.
    """
    found = _compatible(projection, rule)
    if found is not None:
        return found
    several = [index for index, tensor in enumerate(rule.tensors) if tensor]
    splits = any(len(dim) > 1 for tensor in rule.tensors for dim in tensor)
    if len(several) == 2 and not rule.of_kind("need_replication") and not splits:
        return _of_unary(projection, rule, several, tensor_sizes, sizes)
    found = _heuristic(projection, rule, tensor_sizes, sizes)
    _distribute_replicated(found, rule, sizes)
    return found


def _compatible(projection: Projection, rule: Rule) -> list[Axes] | None:
    """Return the axes of each factor, if all tensors have the same and no two factors overlap."""
    found: list[Axes] = []
    seen: list[Axis] = []
    for factor, kind in enumerate(rule.kinds):
        given = {t.factors[factor].axes for t in projection.tensors if factor in t.factors}
        if len(given) > 1:
            return None
        axes = next(iter(given), ())
        if kind == "need_replication" and axes:
            return None
        if any(axis.overlaps(other) for axis in axes for other in seen):
            return None
        found.append(axes)
        seen += axes
    return found


def _of_unary(
    projection: Projection, rule: Rule, several: Sequence[int], tensor_sizes: Sequence[int], sizes: Sizes
) -> list[Axes]:
    """Return the axes of the one of two tensors that is better left as it is."""

    def preference(index: int) -> tuple[bool, int, int]:
        tensor = projection.tensors[index]
        moves = any(f.axes and rule.kinds[n] == "permutation" for n, f in tensor.factors.items())
        return (not moves, tensor_sizes[index], tensor.num_shards(sizes))

    first, second = several
    if preference(first) < preference(second):
        first, second = second, first
    found: list[Axes] = [()] * len(rule.sizes)
    for factor, sharding in projection.tensors[first].factors.items():
        found[factor] = sharding.axes
    used = [axis for axes in found for axis in axes]
    for factor, sharding in projection.tensors[second].factors.items():
        if factor not in projection.tensors[first].factors:
            found[factor] = without_overlap(sharding.axes, used)
    return found


def without_overlap(axes: Axes, others: Sequence[Axis]) -> Axes:
    """Return axes up to the first that overlaps others."""
    for index, axis in enumerate(axes):
        prefix = prefix_without_any(axis, others)
        if prefix != axis:
            return (*axes[:index], prefix) if prefix is not None else axes[:index]
    return axes


@dataclass(slots=True)
class _Candidate:
    """Axes that a tensor divides a factor along; the best is that of the largest tensors."""

    factor: int
    axes: Axes
    precedence: int
    shards: int
    size: int = 0  # of all tensors that are divided so

    @property
    def rank(self) -> tuple[int, int, int, int, int, list[tuple[str, int, float]]]:
        axes = [(axis.name, axis.pre_size, axis.end) for axis in self.axes]
        return (self.size, self.precedence, self.shards, self.factor, len(axes), axes)


@dataclass(slots=True)
class _Search:
    found: list[Axes]
    candidates: list[_Candidate]
    waits_for: dict[int, set[int]] = field(
        default_factory=dict
    )  # factors before it that are not divided fully


def _heuristic(projection: Projection, rule: Rule, tensor_sizes: Sequence[int], sizes: Sizes) -> list[Axes]:
    """Choose the best candidate, drop what it excludes, and so on."""
    search = _Search([()] * len(rule.sizes), _candidates(projection, rule, tensor_sizes, sizes))
    for tensor in rule.tensors:
        for dim in tensor:
            for before, factor in pairwise(dim):
                search.waits_for.setdefault(factor, set()).add(before)
    while search.candidates:
        valid = [each for each in search.candidates if not search.waits_for.get(each.factor)]
        if not valid:
            break
        best = max(valid, key=lambda each: each.rank)
        search.found[best.factor] = best.axes
        if total_size(best.axes, sizes) == rule.sizes[best.factor]:
            for waiting in search.waits_for.values():
                waiting.discard(best.factor)
        search.candidates = [each for each in search.candidates if _is_left(each, best, search.found, sizes)]
    return search.found


def _candidates(
    projection: Projection, rule: Rule, tensor_sizes: Sequence[int], sizes: Sizes
) -> list[_Candidate]:
    found: dict[tuple[int, Axes], _Candidate] = {}
    for tensor in projection.tensors:
        for factor, sharding in tensor.factors.items():
            for count in range(1, len(sharding.axes) + 1):
                axes = sharding.axes[:count]
                precedence = _PRECEDENCE[rule.kinds[factor]]
                found[factor, axes] = _Candidate(factor, axes, precedence, total_size(axes, sizes))
    for candidate in found.values():
        for tensor, size in zip(projection.tensors, tensor_sizes, strict=True):
            here = tensor.factors.get(candidate.factor)
            if here is not None and is_prefix(candidate.axes, here.axes):
                candidate.size += size
    return list(found.values())


def _is_left(candidate: _Candidate, best: _Candidate, found: list[Axes], sizes: Sizes) -> bool:
    """Update a candidate after a choice; return whether it still adds axes to its factor."""
    if candidate.factor == best.factor:
        if not is_strict_prefix(best.axes, candidate.axes):
            return False
        candidate.shards = total_size(candidate.axes, sizes) // total_size(best.axes, sizes)
        return True
    axes = without_overlap(candidate.axes, best.axes)
    prefix: Axes = ()
    if axes != candidate.axes:
        candidate.axes = axes
        prefix = found[candidate.factor]
        if axes == prefix:
            return False
    candidate.shards = total_size(candidate.axes, sizes) // total_size(prefix, sizes)
    return True


def _distribute_replicated(found: list[Axes], rule: Rule, sizes: Sizes) -> None:
    """Move the axes of factors that all devices need to batching factors with room for them."""
    for factor in rule.of_kind("need_replication"):
        axes, found[factor] = list(found[factor]), ()
        if rule.is_in_all_tensors(factor):
            for batch in rule.batching:
                shards = total_size(found[batch], sizes)
                room, left = divmod(rule.sizes[batch], shards)
                if not rule.sizes[batch] or left:
                    continue
                while axes and room % axes[0].size(sizes) == 0:
                    room //= axes[0].size(sizes)
                    found[batch] = appended(found[batch], axes.pop(0), sizes)
