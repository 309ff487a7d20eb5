"""The largest elements of rows, in order, with their places (`chlo.top_k`, `kernels/chlo.py`).

Elements are compared by integers in their total order. The largest of a group of elements is found first, by
vectors; only if it is above the least that is kept, the elements of the group are looked at one by one.
"""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.arithmetic.elements import Element, element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import WIDTHS, Value
from stablehlo_py.engines.native.emitters import total_order
from stablehlo_py.engines.native.index_space import Indices, computed
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step

TOP_K = "chlo.top_k"
MOST = 64  # of a row: an element that is kept moves those below it
_GROUP = 64  # elements, at least; four times as many as are kept, so that most of ascending ones are not
_KEY = 32  # bits, at least


def is_native_top_k(plan: Plan[Step], step: Step) -> bool:
    """Test whether few elements are kept, which have an order."""
    element = element_of(plan.types[step.ins[0]])
    return element is not None and element.kind != "complex" and step.keywords["k"] <= MOST


def top_k_extent(plan: Plan[Step], step: Step) -> int:
    """The number of parts: the rows."""
    return prod(plan.shape_of(step.ins[0])[:-1])


def top_k(scope: Scope, step: Step, part: Range) -> None:
    """Write the largest elements of a range of rows, and their indices."""
    rows, selection = scope.shape(step.ins[0])[:-1], _Selection(scope, step)
    with scope.b.loop(part.start, part.stop) as number:
        scope.enter()
        selection.emit(unravel(computed(number, prod(rows)), rows, scope.b))
        scope.leave()


def _key(x: Value, element: Element) -> Value:
    """A signed integer in the order of elements."""
    if element.is_float:
        return total_order(x)
    width = WIDTHS[x.type]
    if element.signed or width < _KEY:
        return x.convert("sext" if element.signed else "zext", f"i{max(width, _KEY)}")
    return x ^ -(1 << width - 1)


class _Selection:
    """Writes the selection of rows: keys and indices of the elements that are kept are in the frame."""

    def __init__(self, scope: Scope, step: Step) -> None:
        self.scope, self.step, self.b = scope, step, scope.b
        self.size: int = scope.shape(step.ins[0])[-1]
        self.kept: int = step.keywords["k"]
        self.group = max(_GROUP, 4 * self.kept)
        self.element = scope.element(step.ins[0])
        self.type = f"i{max(_KEY, WIDTHS[self.element.compute])}"
        self.keys, self.places = self.b.alloca(self.type, self.kept), self.b.alloca("i64", self.kept)
        self.hole, self.largest = self.b.alloca("i64"), self.b.alloca(self.type)

    def emit(self, row: Indices) -> None:
        """Scan a row, and write what is kept of it."""
        self._row = row
        kept, groups = self.kept, (self.size - self.kept) // self.group
        with self.b.loop(self._constant(0), self._constant(kept)) as place:
            self.scope.enter()
            self._keep(self._at(place), place, place)
            self.scope.leave()
        with self.b.loop(self._constant(0), self._constant(groups)) as group:
            self._group(group * self.group + kept)
        self._scan(self._constant(kept + groups * self.group), self._constant(self.size))
        nested(self.scope, (kept,), self._store)

    def _constant(self, number: int) -> Value:
        return self.b.constant(number, "i64")

    def _at(self, place: Value) -> Value:
        return _key(self.scope.at(self.step.ins[0], (*self._row, computed(place, self.size))), self.element)

    def _least(self) -> Value:
        return self.b.load(self.type, self.keys, self._constant(self.kept - 1))

    def _group(self, start: Value) -> None:
        """Scan a group if its largest element is to be kept."""
        b, zero = self.b, self._constant(0)
        b.store(b.constant(-(1 << WIDTHS[self.type] - 1), self.type), self.largest, zero)
        with b.loop(start, start + self.group) as place:
            self.scope.enter()
            b.store(self._at(place).call("smax", b.load(self.type, self.largest, zero)), self.largest, zero)
            self.scope.leave()
        scan, after = b.fresh("scan"), b.fresh("scanned")
        found = b.load(self.type, self.largest, zero) > self._least()
        b.do(f"br i1 {found.text}, label %{scan}, label %{after}")
        b.enter(scan)
        self._scan(start, start + self.group)
        b.start_block(after)

    def _scan(self, start: Value, stop: Value) -> None:
        """Keep the elements above the least one kept, the last first, so that few of ascending ones move."""
        b, last = self.b, self._constant(self.kept - 1)
        with b.loop(start, stop) as k:
            self.scope.enter()
            place = start + stop - 1 - k
            key = self._at(place)
            keep, after = b.fresh("keep"), b.fresh("kept")
            b.do(f"br i1 {self._is_above(key, place, last).text}, label %{keep}, label %{after}")
            b.enter(keep)
            self._keep(key, place, last)
            b.start_block(after)
            self.scope.leave()

    def _is_above(self, key: Value, place: Value, other: Value) -> Value:
        """Test whether an element is before one that is kept; of equal ones the first is."""
        b = self.b
        least = b.load(self.type, self.keys, other)
        return (key > least) | (key.equals(least) & (place < b.load("i64", self.places, other)))

    def _keep(self, key: Value, place: Value, last: Value) -> None:
        """Insert an element among those kept, of which the one at `last` is dropped, or not there yet."""
        b, zero = self.b, self._constant(0)
        test, move, done = b.fresh("test"), b.fresh("move"), b.fresh("found")
        b.store(last, self.hole, zero)
        b.start_block(test)
        hole = b.load("i64", self.hole, zero)
        above = (hole > 0).select(hole - 1, 0)
        moves = (hole > 0) & self._is_above(key, place, above)
        b.do(f"br i1 {moves.text}, label %{move}, label %{done}")
        b.enter(move)
        for array, type in ((self.keys, self.type), (self.places, "i64")):
            b.store(b.load(type, array, above), array, hole)
        b.store(above, self.hole, zero)
        b.do(f"br label %{test}")
        b.enter(done)
        b.store(key, self.keys, hole)
        b.store(place, self.places, hole)

    def _store(self, at: Indices) -> None:
        """Store an element that is kept, and its index; nothing where nobody reads them."""
        scope, (values, indices) = self.scope, self.step.outs
        place = self.b.load("i64", self.places, at[0].emit(self.b))
        if not scope.buffers[values].is_row:
            index = computed(place, self.size)
            value = scope.at(self.step.ins[0], (*self._row, index))
            scope.store(scope.buffers[values], (*self._row, *at), value)
        if not scope.buffers[indices].is_row:
            scope.store(scope.buffers[indices], (*self._row, *at), place.convert("trunc", "i32"))
