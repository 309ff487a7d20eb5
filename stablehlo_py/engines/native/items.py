"""Materialization: which values of a block are stored rather than computed where they are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import prod

from stablehlo_py.engines.native.fusion import OWN_ROWS, Item, make_item
from stablehlo_py.engines.native.joins import JOINS, is_joined
from stablehlo_py.engines.native.lower.contraction import CONVOLUTION, SHORT_DOT
from stablehlo_py.engines.native.lower.linalg import SOLVERS
from stablehlo_py.engines.native.lower.reduction import REDUCE
from stablehlo_py.engines.native.lower.sort import ROW_SORT, TOP_K
from stablehlo_py.engines.native.lower.window import SCAN
from stablehlo_py.engines.native.parts import PARTS
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.opset.definition import has_trait

STORED = frozenset({REDUCE, *OWN_ROWS, *PARTS})  # loops of their own
_WHOLE = frozenset(
    {*OWN_ROWS, *SOLVERS, CONVOLUTION, ROW_SORT, SCAN, SHORT_DOT, TOP_K}
)  # operands are read from memory
EXPENSIVE = 10  # in operations: a value that costs more is stored rather than computed for each user
_MOST_PIECES = 32  # of an expression's loops
_GATHER, _CONCATENATE, _BROADCAST = (
    f"stablehlo.{name}" for name in ("gather", "concatenate", "broadcast_in_dim")
)
_MOVING = (_GATHER, "stablehlo.dynamic_slice")  # read at computed indices
_DEEPEST = 50  # steps in one expression: emitters call each other, and Python's stack is limited
_REPEATED = 8  # an expensive element that a broadcast repeats this often is stored
_TRANSCENDENTAL = 15  # operations
_COSTS = {
    **dict.fromkeys(("divide", "remainder", "rsqrt", "short_dot", "sqrt"), 4),
    **dict.fromkeys(("broadcast_in_dim", "reshape", "transpose", "slice", "reverse", "convert"), 0),
}


def choose_items(plan: Plan[Step], steps: Sequence[Step], outputs: Sequence[int]) -> list[Item]:
    """The values that are stored, in order: `outputs`, reductions, and what is expensive to compute again."""
    users: dict[int, list[Step]] = {}
    for step in steps:
        for slot in dict.fromkeys(step.ins):
            users.setdefault(slot, []).append(step)
    costs = _costs(steps)
    stored = {*outputs, *_too_deep(plan, steps, outputs), *_too_many_pieces(plan, steps)}
    home: dict[int, int | None] = {}  # the one stored slot whose loop body computes a slot, if there is one
    mapped: set[int] = set()  # slots that only loops of maps compute, which can be cut into pieces
    vectors: set[int] = set()  # slots that are index vectors of single elements, or components of these
    for step in reversed(steps):
        joins = is_joined(plan, step)
        for slot in step.outs:
            readers = users.get(slot, ())
            own = step.name in STORED and not joins
            maps = all(_maps(user, slot, mapped, plan) for user in readers)
            if own or slot in stored or (joins and not maps):
                stored.add(slot)
                home[slot] = slot
                if not own:
                    mapped.add(slot)
                continue
            if maps:
                mapped.add(slot)
            if readers and all(_reads_vectors(user, slot, vectors, plan) for user in readers):
                vectors.add(slot)
            homes = {_home_of(user, slot, home, vectors, plan) for user in readers}
            home[slot] = homes.pop() if len(homes) == 1 else None
            repeated = any(_repeats(user, slot, plan) for user in readers)
            repeatedly = any(user.name in _WHOLE for user in readers)
            if repeatedly or (costs[slot] >= EXPENSIVE and (home[slot] is None or repeated)):
                stored.add(slot)
                home[slot] = slot
    items: list[Item] = []
    joined: set[int] = set()  # slots whose expressions read joined arrays
    for step in steps:
        joins = is_joined(plan, step)
        own = step.name in STORED and not joins
        reads = not own and (joins or not joined.isdisjoint(step.ins))
        if stored.isdisjoint(step.outs):
            joined.update(step.outs if reads else ())
        else:
            items.append(replace(make_item(step, plan), joins=reads))
    return items


def _maps(user: Step, slot: int, mapped: Set[int], plan: Plan[Step]) -> bool:
    """Test whether a user reads a slot in loops of maps, at affine indices."""
    moves = user.name in _MOVING and not _takes_indices(user, slot)
    if moves or (user.name in STORED and not is_joined(plan, user)):
        return False
    if user.name == "stablehlo.reshape" and _extents(plan, user.ins[0]) != _extents(plan, user.outs[0]):
        return False
    return user.outs[0] in mapped


def _takes_indices(user: Step, slot: int) -> bool:
    """Test whether a user is a gather of single elements, and a slot is its index vectors only."""
    is_single = user.name == _GATHER and prod(user.keywords["slice_sizes"]) == 1
    return is_single and slot == user.ins[1] != user.ins[0]


def _extents(plan: Plan[Step], slot: int) -> list[int]:
    """The extents of a slot that has more than one index along them."""
    return [size for size in plan.shape_of(slot) if size != 1]


def _too_many_pieces(plan: Plan[Step], steps: Sequence[Step]) -> set[int]:
    """The slots at which expressions of joined arrays are cut, so that none has too many pieces."""
    counts: dict[int, int] = {}
    found: set[int] = set()
    for step in steps:
        read = [counts.get(slot, 1) for slot in step.ins]
        if step.name == "stablehlo.pad":
            padding = zip(step.keywords["edge_padding_low"], step.keywords["edge_padding_high"], strict=True)
            count = prod([1 + (low > 0) + (high > 0) for low, high in padding]) + read[0] - 1
        elif step.name == "stablehlo.concatenate":
            count = sum(read)
        else:
            count = 1 + sum(read) - len(read)
        if count > _MOST_PIECES:
            found.update(step.outs)
            count = 1
        counts.update(dict.fromkeys(step.outs, count))
    return found


def _too_deep(plan: Plan[Step], steps: Sequence[Step], outputs: Sequence[int]) -> set[int]:
    """The slots at which chains of expressions are cut, so that none is deeper than `_DEEPEST`."""
    depths: dict[int, int] = {}
    found: set[int] = set()
    ends = set(outputs)
    for step in steps:
        depth = 1 + max([depths.get(slot, 0) for slot in step.ins], default=0)
        if depth >= _DEEPEST:
            found.update(step.outs)
        own = step.name in STORED and not is_joined(plan, step)
        if depth >= _DEEPEST or own or not ends.isdisjoint(step.outs):
            depth = 0  # an expression ends at what is stored
        depths.update(dict.fromkeys(step.outs, depth))
    return found


def _reads_vectors(user: Step, slot: int, vectors: Set[int], plan: Plan[Step]) -> bool:
    """Test whether a user takes index vectors from a slot, or makes some that have its elements."""
    if user.name == _CONCATENATE:
        return user.outs[0] in vectors and plan.shape_of(slot)[user.keywords["dimension"]] == 1
    if user.name == _BROADCAST:
        dims = list(user.keywords["broadcast_dimensions"])
        same = dims == sorted(dims) and _extents(plan, slot) == _extents(plan, user.outs[0])
        return user.outs[0] in vectors and same
    return _takes_indices(user, slot)


def _home_of(
    user: Step, slot: int, home: Mapping[int, int | None], vectors: Set[int], plan: Plan[Step]
) -> int | None:
    """Where a user of a slot is computed, if it reads the slot at its own index only."""
    if user.name in STORED and not is_joined(plan, user):
        return -user.outs[0] - 1  # at the index of its operand
    same = user.elementwise and plan.shape_of(slot) == plan.shape_of(user.outs[0])
    return home[user.outs[0]] if same or _reads_vectors(user, slot, vectors, plan) else None


def _repeats(user: Step, slot: int, plan: Plan[Step]) -> bool:
    if user.name != _BROADCAST:
        return False
    return prod(plan.shape_of(user.outs[0])) >= _REPEATED * max(1, prod(plan.shape_of(slot)))


def _costs(steps: Sequence[Step]) -> dict[int, int]:
    """About how many operations one element of each slot takes, computed from what is in memory."""
    costs: dict[int, int] = {}
    for step in steps:
        otherwise = _TRANSCENDENTAL if has_trait(step.name, "transcendental") else 1
        own = _COSTS.get(step.name.partition(".")[2], otherwise)
        read = [costs.get(slot, 1) for slot in step.ins]
        total = own + (max(read) if step.name in JOINS else sum(read))
        is_loaded = step.name in STORED and step.name not in JOINS
        costs.update(dict.fromkeys(step.outs, 1 if is_loaded else min(total, 1000)))
    return costs
