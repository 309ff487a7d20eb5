"""Loop fusion: what is computed by loops of its own, and which of these share their outermost loops.

A value is stored ("materialized") where it leaves the region, is the result of a reduction, or costs more to
compute again for each user than to keep; everything else is an expression inside a loop body. Loops over the
same rows become one nest, so that a softmax or a layer norm takes a row at a time, in cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.dots import dot_indices
from stablehlo_py.engines.native.index_space import Index, Variable
from stablehlo_py.engines.native.joins import pieces
from stablehlo_py.engines.native.loops import PROBE, arrange, loop_indices
from stablehlo_py.engines.native.lower.contraction import DOT, ORDERED_DOT, contracted_extents
from stablehlo_py.engines.native.lower.reduction import REDUCE
from stablehlo_py.engines.native.lower.sort import TOP_K
from stablehlo_py.engines.native.lower.window import REDUCE_WINDOW
from stablehlo_py.engines.native.parts import PARTS
from stablehlo_py.engines.native.products.contractions import Contraction, contraction_of
from stablehlo_py.engines.native.products.pairs import PAIR_CONVOLUTION, PAIR_DOT
from stablehlo_py.engines.native.scope import Access, Scope
from stablehlo_py.engines.native.windows import window_indices
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass

OWN_ROWS = (DOT, ORDERED_DOT, PAIR_DOT, PAIR_CONVOLUTION, REDUCE_WINDOW)  # written by emitters of their own
_OWN_LOOPS = {DOT: 2, REDUCE_WINDOW: 1}  # how many of the loops over rows these write
_NO_ORDER = (-1,)  # of these: their loops are no dimensions of one operand
_LEAST_ALONG = 16  # elements that a reduction of leading dimensions keeps
_MOST_ITEMS = 32  # of a nest: LLVM compares all accesses of a loop with each other

Accesses = Callable[["Item"], list[Access]]


@dataclass(eq=False)
class Item:
    """What is computed and stored by loops of its own: the result of one step.

    Attributes:
        step: the step.
        slots: the slots that are stored.
        rows: the extents of the loops outside: those of a map, or the kept dimensions of a reduction.
        columns: the extents of the reduced dimensions, in order; none for a map.
        order: for a reduction, the operand's dimensions in the order of the loops, rows first.
        product: the matrix product that it is, if it is computed in blocks.
        lead: for a reduction of the leading dimensions only, their number; its loops run along memory.
        joins: whether it reads joined arrays, for which its loops are cut.
    """

    step: Step
    slots: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    product: Contraction | None = None
    lead: int = 0
    joins: bool = False

    @property
    def space(self) -> tuple[int, ...]:
        """The extents of all its loops, in the order of the operand's dimensions."""
        extents = dict(zip(self.order, (*self.rows, *self.columns), strict=True)) if self.lead else {}
        return tuple([extents[d] for d in range(len(extents))]) if self.lead else self.rows

    @property
    def trailing(self) -> int:
        """How many of the kept dimensions of a reduction are behind all reduced ones."""
        rank, reduced = len(self.order), set(self.order[len(self.rows) :])
        count = 0
        while count < len(self.rows) and rank - 1 - count not in reduced:
            count += 1
        return count

    @property
    def reduces(self) -> bool:
        """Test whether it has columns: a reduction or a product."""
        return self.product is None and self.step.name in (REDUCE, *OWN_ROWS)

    @property
    def alone(self) -> bool:
        """Test whether its loops are shared with no other item: it is written in parts."""
        return self.product is None and self.step.name in PARTS and not self.joins


@dataclass(eq=False)
class Nest:
    """Items that share their outermost loops.

    `outer` is how many of the dimensions of its rows are shared; all of them for maps that share one body.
    `unstored` are slots whose elements are used where they are computed only. With a `lead`, items are maps
    over one index space and reductions of its leading dimensions, in one loop body.
    """

    items: list[Item]
    shape: tuple[int, ...]
    outer: int
    unstored: set[int] = field(default_factory=set)
    lead: int = 0

    @property
    def is_flat(self) -> bool:
        """Test whether it consists of maps over one index space, in one loop body."""
        return self.outer == len(self.shape) and not any(
            item.reduces or item.alone or item.product is not None for item in self.items
        )

    @property
    def joins(self) -> bool:
        """Test whether its loops are cut for joined arrays."""
        return any(item.joins for item in self.items)

    @property
    def alone(self) -> bool:
        """Test whether it is one item that is written in parts."""
        return self.items[0].alone

    @property
    def product(self) -> Contraction | None:
        """The matrix product that it begins with, behind which are maps of its result."""
        return self.items[0].product

    @property
    def slots(self) -> set[int]:
        """All slots that are stored."""
        return {slot for item in self.items for slot in item.slots}


def make_item(step: Step, plan: Plan[Step]) -> Item:
    """The item of a step: the loops of a reduction, or of a map for everything else."""
    largest = step.ins if step.name == TOP_K else step.outs  # generators have a state besides
    shape = max([plan.shape_of(slot) for slot in largest], key=prod)
    product = contraction_of(plan, step)
    if product is not None:
        return Item(step, step.outs, shape, product=product)
    if step.name == DOT:
        return Item(step, step.outs, shape, contracted_extents(plan, step), _NO_ORDER)
    if step.name == REDUCE_WINDOW:
        return Item(step, step.outs, shape, step.keywords["window_dimensions"], _NO_ORDER)
    if step.name != REDUCE:
        return Item(step, step.outs, shape)
    operand = plan.shape_of(step.ins[0])
    reduced = sorted(step.keywords["dimensions"])
    kept = [d for d in range(len(operand)) if d not in reduced]
    rows, columns = tuple([operand[d] for d in kept]), tuple([operand[d] for d in reduced])
    lead = len(reduced) if reduced == list(range(len(reduced))) else 0
    wide = all(_is_wide(plan, slot) for slot in step.outs)
    is_along = wide and prod(rows) >= _LEAST_ALONG and prod(columns) > 1
    return Item(step, step.outs, rows, columns, (*kept, *reduced), lead=lead if is_along else 0)


def _is_wide(plan: Plan[Step], slot: int) -> bool:
    element = element_of(plan.types[slot])
    return element is not None and element.is_wide


def fuse(items: Sequence[Item], accesses: Accesses) -> list[Nest]:
    """Puts items into nests, in order.

    `accesses(item)` gives the loads that an item makes at `probes(item)`.
    """
    nests: list[Nest] = []
    for item in items:
        if nests and (_join(nests[-1], item, accesses) or _join_before(nests, item, accesses)):
            continue
        place = _place(nests, item, accesses)
        if not (0 < place < len(nests) and _join(nests[place - 1], item, accesses)):
            nests.insert(place, _nest_of(item))
    return nests


def probes(item: Item) -> tuple[Index, ...]:
    """The indices of an item's loops, for an analysis."""
    return loop_indices((*item.rows, *item.columns), PROBE)


def _nest_of(item: Item) -> Nest:
    if item.lead:
        return Nest([item], item.space, 0, lead=item.lead)
    own = 0 if item.product is not None else _OWN_LOOPS.get(item.step.name, 0)
    return Nest([item], item.rows, max(0, len(item.rows) - own))


def _place(nests: Sequence[Nest], item: Item, accesses: Accesses) -> int:
    """Where a new nest belongs: before matrix products that it does not need, so that maps can join them."""
    place = len(nests)
    if item.alone or item.product is not None:
        return place
    read = {access.slot for access in accesses(item)}
    while place and nests[place - 1].product is not None and not read & nests[place - 1].slots:
        place -= 1
    return place


def _join_before(nests: Sequence[Nest], item: Item, accesses: Accesses) -> bool:
    """Adds an item to the last nest along memory that it fits, unless it needs one behind that."""
    space = item.space
    fitting = [nest for nest in nests if nest.shape == space and _is_along(nest, item)]
    if not fitting or item.alone:
        return False
    read = {access.slot for access in accesses(item)}
    for nest in reversed(nests):
        if nest in fitting and _join(nest, item, accesses):
            return True
        if not read.isdisjoint(nest.slots):
            return False
    return False


def _join(nest: Nest, item: Item, accesses: Accesses) -> bool:
    """Adds an item to a nest where its loops fit and it reads the nest's values in its own row only."""
    if len(nest.items) >= _MOST_ITEMS:
        return False
    if _is_along(nest, item):
        return _join_along(nest, item, accesses)
    outer = _shared_loops(nest, item)
    if outer is None:
        return False
    variables = probes(item)
    for access in accesses(item):
        if access.slot in nest.slots and tuple(access.indices[:outer]) != tuple(variables[:outer]):
            return False
    nest.outer = outer
    nest.shape = nest.shape[:outer] if outer < len(nest.shape) else nest.shape
    nest.items.append(item)
    return True


def _is_along(nest: Nest, item: Item) -> bool:
    return nest.lead > 0 or (item.lead > 0 and nest.is_flat)


def _join_along(nest: Nest, item: Item, accesses: Accesses) -> bool:
    """Adds a map or a reduction of leading dimensions where it reads the nest's values in its own place."""
    lead = nest.lead or item.lead
    if item.alone or item.product is not None or (item.reduces and item.lead != lead):
        return False
    if item.joins or nest.joins or item.space != nest.shape:
        return False
    variables = probes(item)
    place = arrange(variables, item.order) if item.reduces else variables
    sums = {slot for each in nest.items if each.reduces for slot in each.slots}
    for access in accesses(item):
        if access.slot in sums or (access.slot in nest.slots and access.indices != place):
            return False
    nest.lead, nest.outer = lead, 0
    nest.items.append(item)
    return True


def _shared_loops(nest: Nest, item: Item) -> int | None:
    """How many loops a nest and an item have in common; None where that is not worth one nest."""
    if item.alone or item.product is not None or nest.alone:
        return None
    if item.joins or nest.joins:
        both = nest.is_flat and not item.reduces and item.step.name not in OWN_ROWS
        return nest.outer if both and item.rows == nest.shape else None
    if nest.product is not None:
        fits = item.rows == nest.shape and not item.reduces and not nest.product.merged
        return nest.outer if fits else None
    if item.step.name in OWN_ROWS or nest.items[0].step.name in OWN_ROWS:
        return None
    if nest.is_flat and not item.reduces:
        return nest.outer if item.rows == nest.shape else None
    in_order = item.order == tuple(range(len(item.order)))
    if nest.is_flat:
        rows = len(item.rows)
        return rows if in_order and rows > 0 and nest.shape == (*item.rows, *item.columns) else None
    if item.reduces and not (in_order and len(item.rows) == nest.outer):
        return None
    fits = item.rows[: nest.outer] == nest.shape[: nest.outer] and nest.outer > 0
    return nest.outer if fits else None


class Record(NamedTuple):
    """What items do at the indices of their loops.

    Attributes:
        accesses: the loads.
        used: the loops whose index is used as a number.
        pieces: the first indices of the pieces into which each loop is cut.
    """

    accesses: list[Access]
    used: set[int]
    pieces: list[list[int]]


def record(scope: Scope, items: Sequence[Item], extents: Sequence[int], lead: int = 0) -> Record:
    """Record what items do at the indices of their loops.

    With a `lead`, the extents are those of an operand, of which reductions combine the leading dimensions.
    """
    indices = loop_indices(extents, PROBE)
    builder = Builder({})
    builder.broken = builder.value("%broken", "ptr")
    probe = scope.in_function(builder)
    probe.accesses, probe.cuts = [], []
    turned = (*indices[lead:], *indices[:lead])  # rows first
    for value in [
        value for item in items for value in _evaluated(probe, item, turned if item.reduces else indices)
    ]:
        builder.do(f"use {value}")  # an index may be an element as it is
    names = set("\n".join(builder.lines).replace(",", " ").replace(")", " ").split())
    variables = [Variable(f"{PROBE}{d}", extent) for d, extent in enumerate(extents)]
    used = {d for d in range(len(indices)) if f"{PROBE}{d}" in names}
    return Record(probe.accesses, used, pieces(probe.cuts, variables))


def _evaluated(probe: Scope, item: Item, indices: tuple[Index, ...]) -> list[Value]:
    """What an item loads or computes at the indices of its loops."""
    step, rows = item.step, len(item.rows)
    if item.alone or item.product is not None:
        return []
    if step.name == DOT:
        left, right = dot_indices(probe, step, indices[:rows], indices[rows:])
        return [probe.at(step.ins[0], left), probe.at(step.ins[1], right)]
    if step.name == REDUCE_WINDOW:
        at = window_indices(probe, step, indices[:rows], indices[rows:])
        return [probe.at(step.ins[0], at), probe.at(step.ins[1], ())]
    if item.reduces:
        at, count = arrange(indices, item.order), len(item.slots)
        return [probe.at(slot, at if k < count else ()) for k, slot in enumerate(step.ins)]
    value = probe.expressions[step.name](probe, step, indices)
    probe.remember(item.slots[0], indices, value)
    return [value]
