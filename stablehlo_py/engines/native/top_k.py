"""The largest elements of rows, in order, with their places (`chlo.top_k`, `kernels/chlo.py`)."""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.arithmetic.elements import Element, element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import WIDTHS, Builder, Value
from stablehlo_py.engines.native.emitters import total_order
from stablehlo_py.engines.native.index_space import Indices, computed
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step

TOP_K = "chlo.top_k"
MOST = 64  # elements: for more, the kernel sorts a part of the row


def is_native_top_k(plan: Plan[Step], step: Step) -> bool:
    """Test whether few elements are selected, of numbers that are kept in memory as they are computed."""
    element = element_of(plan.types[step.ins[0]])
    return (
        element is not None
        and element.kind in ("floating", "integer")
        and element.storage == element.compute
        and step.keywords["k"] <= MOST
    )


def top_k_extent(plan: Plan[Step], step: Step) -> int:
    """The number of parts: the rows."""
    return prod(plan.shape_of(step.ins[0])[:-1])


def top_k(scope: Scope, step: Step, part: Range) -> None:
    """Write the largest elements of a range of rows."""
    batch = scope.shape(step.ins[0])[:-1]
    with scope.b.loop(part.start, part.stop) as row:
        scope.enter()
        _row(scope, step, unravel(computed(row, prod(batch)), batch, scope.b))
        scope.leave()


def _row(scope: Scope, step: Step, row: Indices) -> None:
    """Rank the elements of a row one by one: most are smaller than the last of those found so far."""
    b, (operand,), (values, places) = scope.b, step.ins, step.outs
    size, count = scope.shape(operand)[-1], step.keywords["k"]
    element = scope.element(operand)
    type = f"i{WIDTHS[element.compute]}"
    keys, found = b.alloca(type, count), b.alloca("i64", count)
    end = b.constant(count - 1, "i64")
    b.store(b.constant(0, type), keys, end)

    def rank(index: Indices) -> None:
        number, value = index[0].emit(b), scope.at(operand, (*row, *index))
        key = total_order(value) if element.is_float else value
        more = number < count
        larger = b.load(type, keys, end).compare(_predicate(element), key)
        then, after = b.fresh("rank"), b.fresh("ranked")
        b.do(f"br i1 {(more | larger).text}, label %{then}, label %{after}")
        b.enter(then)
        at = _shift(b, keys, found, key, more.select(number, end), _predicate(element))
        b.store(key, keys, at)
        b.store(number, found, at)
        b.start_block(after)

    def write(index: Indices) -> None:
        place = b.load("i64", found, index[0].emit(b))
        value = scope.at(operand, (*row, computed(place, size)))
        scope.store(scope.buffers[values], (*row, *index), value)
        scope.store(scope.buffers[places], (*row, *index), place.convert("trunc", "i32"))

    nested(scope, (size,), rank)
    nested(scope, (count,), write)


def _predicate(element: Element) -> str:
    """How keys compare where the first one is smaller."""
    return "slt" if element.is_float or element.signed else "ult"


def _shift(b: Builder, keys: Value, found: Value, key: Value, end: Value, predicate: str) -> Value:
    """Move the elements that are smaller than a key, but for the one at `end`, and return its place."""
    zero, place = b.constant(0, "i64"), b.alloca("i64")
    head, look, move, done = (b.fresh(name) for name in ("head", "look", "move", "done"))
    b.store(end, place, zero)
    b.start_block(head)
    at = b.load("i64", place, zero)
    b.do(f"br i1 {(at > 0).text}, label %{look}, label %{done}")
    b.enter(look)
    other = b.load(key.type, keys, at - 1)
    b.do(f"br i1 {other.compare(predicate, key).text}, label %{move}, label %{done}")
    b.enter(move)
    b.store(other, keys, at)
    b.store(b.load("i64", found, at - 1), found, at)
    b.store(at - 1, place, zero)
    b.do(f"br label %{head}")
    b.enter(done)
    return b.load("i64", place, zero)
