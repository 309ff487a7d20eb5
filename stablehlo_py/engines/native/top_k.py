"""The largest elements of rows, in order, with their places (`chlo.top_k`, `kernels/chlo.py`).

Elements are compared by integers in their total order. The largest of a group of elements is found first, by
vectors; only if it is above the least that is kept, the elements of the group are looked at one by one. One
that is kept is inserted by vectors too, so that the time is bounded by that for ascending elements.
"""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.arithmetic.llvm_ir import WIDTHS, Value
from stablehlo_py.engines.native.index_space import Indices, computed
from stablehlo_py.engines.native.loops import Range, nested, unravel
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.engines.native.sort_keys import ordered_bits
from stablehlo_py.interpreter.plan import Plan, Step

_GROUP = 64  # elements, at least; four times as many as are kept, so that most of ascending ones are not
_KEY = 32  # bits, at least
_PLACE = (1 << 32) - 1


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


class _Selection:
    """Writes the selection of rows: a word of each element that is kept is in the frame, the largest first.

    The upper half of a word is the key of an element, the lower half the complement of its place: of equal
    elements, the first is larger.
    """

    def __init__(self, scope: Scope, step: Step) -> None:
        self.scope, self.step, self.b = scope, step, scope.b
        self.size: int = scope.shape(step.ins[0])[-1]
        self.kept: int = step.keywords["k"]
        self.group = max(_GROUP, 4 * self.kept)
        self.element = scope.element(step.ins[0])
        self.half = max(_KEY, WIDTHS[self.element.compute])
        self.key, self.word = f"i{self.half}", f"i{2 * self.half}"
        self.words = self.b.alloca(self.word, self.kept)
        self.largest, self.above = self.b.alloca(self.key), self.b.alloca(self.word)

    def emit(self, row: Indices) -> None:
        """Scan a row, and write what is kept of it."""
        self._row = row
        groups, b = self.size // self.group, self.b
        with b.loop(self._constant(0), self._constant(self.kept)) as place:
            b.store(b.constant(0, self.word), self.words, place)
        with b.loop(self._constant(0), self._constant(groups)) as group:
            self._group(group * self.group)
        self._scan(self._constant(groups * self.group), self._constant(self.size))
        nested(self.scope, (self.kept,), self._store)

    def _constant(self, number: int) -> Value:
        return self.b.constant(number, "i64")

    def _key_at(self, place: Value) -> Value:
        x = self.scope.at(self.step.ins[0], (*self._row, computed(place, self.size)))
        return ordered_bits(x, self.element).convert("zext", self.key)

    def _word(self, key: Value, place: Value) -> Value:
        low = (place ^ _PLACE).convert("zext", self.word)
        return (key.convert("zext", self.word) << self.half) | low

    def _is_kept(self, word: Value) -> Value:
        least = self.b.load(self.word, self.words, self._constant(self.kept - 1))
        return word.compare("ugt", least)

    def _group(self, start: Value) -> None:
        """Scan a group if its largest element, were it the first one, is to be kept."""
        b, zero = self.b, self._constant(0)
        b.store(b.constant(0, self.key), self.largest, zero)
        with b.loop(start, start + self.group) as place:
            self.scope.enter()
            b.store(
                self._key_at(place).call("umax", b.load(self.key, self.largest, zero)), self.largest, zero
            )
            self.scope.leave()
        scan, after = b.fresh("scan"), b.fresh("scanned")
        found = self._is_kept(self._word(b.load(self.key, self.largest, zero), start))
        b.do(f"br i1 {found.text}, label %{scan}, label %{after}")
        b.enter(scan)
        self._scan(start, start + self.group)
        b.start_block(after)

    def _scan(self, start: Value, stop: Value) -> None:
        """Keep the elements above the least one kept, the last first: of ascending ones, few are kept."""
        b = self.b
        with b.loop(start, stop) as k:
            self.scope.enter()
            place = start + stop - 1 - k
            word = self._word(self._key_at(place), place)
            keep, after = b.fresh("keep"), b.fresh("kept")
            b.do(f"br i1 {self._is_kept(word).text}, label %{keep}, label %{after}")
            b.enter(keep)
            self._keep(word)
            b.start_block(after)
            self.scope.leave()

    def _keep(self, word: Value) -> None:
        """Insert a word, without branches: each place takes what is there, the word, or what is above it."""
        b, zero = self.b, self._constant(0)
        b.store(b.constant(-1, self.word), self.above, zero)
        with b.loop(zero, self._constant(self.kept)) as place:
            old, above = b.load(self.word, self.words, place), b.load(self.word, self.above, zero)
            b.store(old, self.above, zero)
            b.store(old.call("umax", word).call("umin", above), self.words, place)

    def _store(self, at: Indices) -> None:
        """Store an element that is kept, and its index."""
        scope, (values, indices) = self.scope, self.step.outs
        word = self.b.load(self.word, self.words, at[0].emit(self.b))
        place = (word.convert("trunc", "i64") & _PLACE) ^ _PLACE
        value = scope.at(self.step.ins[0], (*self._row, computed(place, self.size)))
        scope.store(scope.buffers[values], (*self._row, *at), value)
        scope.store(scope.buffers[indices], (*self._row, *at), place.convert("trunc", "i32"))
