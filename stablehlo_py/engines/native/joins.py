"""Joined arrays: concatenations and pads as expressions, whose operand depends on the index.

A loop that runs over several operands is cut at their boundaries (`cuts`), so that in each piece of it the
bounds of an index tell the operand. Where they do not, the operand is chosen at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.index_space import Index, Indices, Variable
from stablehlo_py.engines.native.scope import Expression, Scope
from stablehlo_py.interpreter.plan import Plan, Step

_MOST_OPERANDS = 16  # of a concatenation: those of more are written one by one
_MOST_PIECES = 64  # of the loops of one nest


def is_joined(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step is a concatenation or pad that is computed where it is used."""
    if step.name == "stablehlo.pad":
        return not any(step.keywords["interior_padding"])
    return step.name == "stablehlo.concatenate" and len(step.ins) <= _MOST_OPERANDS


def concatenate(scope: Scope, step: Step, indices: Indices) -> Value:
    """The element of the operand that the index is in."""
    d, shape = step.keywords["dimension"], scope.shape(step.outs[0])
    for operand in step.ins:
        if scope.shape(operand) == shape:  # the others are empty
            return scope.at(operand, indices)
    low, high = scope.bounds(indices[d])
    found: list[tuple[int, int, int]] = []  # operand, its first and last index
    offset = 0
    for operand in step.ins:
        size = scope.shape(operand)[d]
        if size and offset <= high and low < offset + size:
            found.append((operand, offset, offset + size - 1))
        offset += size

    def element(operand: int, first: int) -> Value:
        return scope.at(operand, (*indices[:d], indices[d] + -first, *indices[d + 1 :]))

    if not found:  # in a branch that is never taken
        return scope.b.constant(0, scope.element(step.outs[0]).compute)
    if len(found) == 1:
        return element(*found[0][:2])
    for _, first, _ in found[1:]:
        scope.cut(indices[d], first)
    index = indices[d].emit(scope.b)
    choices = [
        (index.compare("sle", last), lambda operand=operand, first=first: element(operand, first))
        for operand, first, last in found
    ]
    return _choose(scope, scope.element(step.outs[0]).compute, choices)


def pad(scope: Scope, step: Step, indices: Indices) -> Value:
    """The element of the operand, or the padding value outside of it."""
    operand, value = step.ins
    inside: list[Value] = []
    at: list[Index] = []
    columns = indices, step.keywords["edge_padding_low"], scope.shape(operand), scope.shape(step.outs[0])
    for index, first, size, extent in zip(*columns, strict=True):
        if not first and size == extent:
            at.append(index)
            continue
        low, high = scope.bounds(index)
        if high < first or low >= first + size:
            return scope.at(value, ())
        if low < first:
            scope.cut(index, first)
            inside.append(index.emit(scope.b).compare("sge", first))
        if high >= first + size:
            scope.cut(index, first + size)
            inside.append(index.emit(scope.b).compare("slt", first + size))
        at.append(index + -first)
    if not inside:
        return scope.at(operand, tuple(at))
    condition = inside[0]
    for other in inside[1:]:
        condition = condition & other
    otherwise = scope.b.constant(True, "i1")
    choices = [(condition, lambda: scope.at(operand, tuple(at))), (otherwise, lambda: scope.at(value, ()))]
    return _choose(scope, scope.element(step.outs[0]).compute, choices)


def _choose(scope: Scope, kind: str, choices: Sequence[tuple[Value, Callable[[], Value]]]) -> Value:
    """The value of the first choice whose condition holds; the last one needs none."""
    b = scope.b
    result, zero, done = b.alloca(kind), b.constant(0, "i64"), b.fresh("joined")
    for condition, value in choices[:-1]:
        mine, other = b.fresh("operand"), b.fresh("other")
        b.do(f"br i1 {condition.text}, label %{mine}, label %{other}")
        b.enter(mine)
        _store(scope, value, result)
        b.do(f"br label %{done}")
        b.enter(other)
    _store(scope, choices[-1][1], result)
    b.start_block(done)
    return b.load(kind, result, zero)


def _store(scope: Scope, value: Callable[[], Value], place: Value) -> None:
    scope.enter()
    scope.b.store(value(), place, scope.b.constant(0, "i64"))
    scope.leave()


def pieces(cuts: Sequence[tuple[Index, int]], variables: Sequence[Variable]) -> list[list[int]]:
    """Where the loops of some variables are cut, so that each index is on one side of its boundary.

    Returns:
        For each variable the first indices of its pieces, which begin with 0. There are not too many, so
        some boundaries may be left in a piece.
    """
    found = [{0} for _ in variables]
    for index, boundary in cuts:
        place = _place(index, boundary)
        if place is not None and place[0] in variables:
            found[variables.index(place[0])].add(place[1])
    total, starts = 1, []
    for each in found:
        chosen = each if total * len(each) <= _MOST_PIECES else {0}
        total *= len(chosen)
        starts.append(sorted(chosen))
    return starts


def _place(index: Index, boundary: int) -> tuple[Variable, int] | None:
    """The variable, and its least value from which an index is beyond a boundary, or on its other side.

    None where the other variables of the index decide as well.
    """
    if not index.terms:
        return None
    variable, factor = max(index.terms, key=lambda term: abs(term[1]))
    low, high = (index + Index(((variable, -factor),))).bounds
    if factor > 0:  # at `place` all are beyond, before it none is
        place = -((low - boundary) // factor)
        exact = factor * (place - 1) + high < boundary
    else:  # at `place` none is beyond, before it all are
        place = (high - boundary) // -factor + 1
        exact = factor * (place - 1) + low >= boundary
    return (variable, place) if exact and 0 < place < variable.extent else None


JOINS: dict[str, Expression] = {"stablehlo.concatenate": concatenate, "stablehlo.pad": pad}
