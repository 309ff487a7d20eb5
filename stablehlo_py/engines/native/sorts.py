"""Sorts of rows: by keys where the comparator has them, otherwise by merging (`kernels/sort.py`).

A row of words is sorted: the lower half of a word is the place of an element, the upper half 32 bits of a
key. Few words are sorted by counting those that are less than each, many by their digits (a radix sort).
Places of elements without keys, and of a few with longer ones, are merged by the comparator. All of these are
stable, and take a bounded time whatever the comparator returns. The elements are moved once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

from stablehlo_py.engines.native.arithmetic.llvm_ir import WIDTHS, Value
from stablehlo_py.engines.native.index_space import Indices, computed
from stablehlo_py.engines.native.loops import Range, unravel
from stablehlo_py.engines.native.lower.sort import MOST_ELEMENTS, MOST_MERGED
from stablehlo_py.engines.native.lower.sort_keys import Key, sort_keys
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.engines.native.sort_keys import ordered_bits
from stablehlo_py.interpreter.plan import Plan, Step

MOST_IN_FRAME = 1 << 13  # elements of a row: the words of longer ones are in memory that the step has besides
_FEW = 64  # elements of a row
_COUNTED = 32  # words that vectors compare with another one
_LONG = 1 << 11  # elements: digits of more have 11 bits
_LIMB = 32
_PLACE = (1 << 32) - 1  # the lower half of a word


def is_native_sort(plan: Plan[Step], step: Step) -> bool:
    """Test whether a sort is not too large, and what its comparator captures are numbers."""
    (body,) = step.plans
    captured = step.ins[len(step.ins) - body.captures :]
    most = MOST_ELEMENTS if sort_keys(body) else MOST_MERGED
    return prod(plan.shape_of(step.ins[0])) <= most and all(plan.shape_of(slot) == () for slot in captured)


def sort_extent(plan: Plan[Step], step: Step) -> int:
    """The number of parts: the rows."""
    shape, axis = plan.shape_of(step.ins[0]), step.keywords["axis"]
    return prod([*shape[:axis], *shape[axis + 1 :]])


def sort(scope: Scope, step: Step, part: Range) -> None:
    """Write a range of sorted rows."""
    emitter = _RowSort(scope, step)
    with scope.b.loop(part.start, part.stop) as number:
        scope.enter()
        emitter.emit(number)
        scope.leave()


class _RowSort:
    """Writes the sort of a row."""

    def __init__(self, scope: Scope, step: Step) -> None:
        self.scope, self.step, self.b = scope, step, scope.b
        (self.body,) = step.plans
        self.axis: int = step.keywords["axis"]
        self.shape = scope.shape(step.ins[0])
        self.size: int = self.shape[self.axis]
        self.limbs = list(self._limbs())
        self.words, self.others = self.b.alloca("ptr"), self.b.alloca("ptr")
        self._zero, self._stop = self.b.constant(0, "i64"), self.b.constant(self.size, "i64")
        if self.size <= MOST_IN_FRAME:
            self._rows = [self.b.alloca("i64", self.size + _COUNTED) for _ in range(2)]

    def emit(self, number: Value) -> None:
        """Sort a row by its number."""
        b, scope, axis = self.b, self.scope, self.axis
        rest = (*self.shape[:axis], *self.shape[axis + 1 :])
        self._row = unravel(computed(number, prod(rest)), rest, b)
        rows = self._rows if self.size <= MOST_IN_FRAME else self._memory(number)
        for row, place in zip(rows, (self.words, self.others), strict=True):
            b.store(row, place, self._zero)
        if len(self.limbs) == 1 or (self.limbs and (self.size > _FEW or self._has_unordered())):
            self._sort_by_keys()
        else:
            self._merge_all()
        words = self._load(self.words)
        with self._each() as i:
            place = self._place(words, i)
            for slot, k in zip(self.step.outs, self.step.keywords["results"], strict=False):
                value = scope.at(self.step.ins[k], self._at(place))
                scope.store(scope.buffers[slot], self._at(i), value)

    def _has_unordered(self) -> bool:
        """Test whether a key may be NaN that the comparator orders nowhere; by its bits it is the largest."""
        keys, inner = sort_keys(self.body), self._inner({})
        return any(not key.total and inner.element(key.slot).is_float for key in keys)

    def _memory(self, number: Value) -> list[Value]:
        """The two arrays of words of a row, in the memory that the step has besides its results."""
        pointers = [self.scope.buffers[slot].pointer(self.b) for slot in self.step.outs[-2:]]
        return [self.b.address("i64", pointer, number * self.size) for pointer in pointers]

    @contextmanager
    def _each(self) -> Iterator[Value]:
        """A loop over the elements of the row."""
        with self.b.loop(self._zero, self._stop) as i:
            self.scope.enter()
            yield i
            self.scope.leave()

    def _at(self, place: Value) -> Indices:
        return (*self._row[: self.axis], computed(place, self.size), *self._row[self.axis :])

    def _load(self, pointer: Value) -> Value:
        return self.b.load("ptr", pointer, self._zero)

    def _place(self, words: Value, i: Value) -> Value:
        return self.b.load("i64", words, i) & _PLACE

    def _swap(self) -> None:
        words, others = self._load(self.words), self._load(self.others)
        self.b.store(others, self.words, self._zero)
        self.b.store(words, self.others, self._zero)

    # By keys

    def _sort_by_keys(self) -> None:
        """Sort by one limb after the other, the least significant first."""
        for number, (key, shift, width) in enumerate(self.limbs):
            self._fill(key, shift, is_first=number == 0)
            if self.size <= _FEW and len(self.limbs) == 1:
                self._sort_by_ranks()
            else:
                self._sort_by_digits(width)

    def _inner(self, values: dict[int, Value]) -> Scope:
        producers = {slot: step for step in self.body.steps for slot in step.outs}
        return Scope(self.body, self.b, self.scope.expressions, producers, values=values)

    def _limbs(self) -> Iterator[tuple[Key, int, int]]:
        """Up to 32 bits of a key, their lowest bit and their number; the least significant limbs first."""
        for key in reversed(sort_keys(self.body)):
            width = WIDTHS[self._inner({}).element(key.slot).compute]
            for shift in range(0, width, _LIMB):
                yield key, shift, min(width, _LIMB)

    def _fill(self, key: Key, shift: int, is_first: bool) -> None:
        """Put bits of the key of an element above its place, which is in the words unless it is the first."""
        b, words = self.b, self._load(self.words)
        with self._each() as i:
            place = i if is_first else self._place(words, i)
            inner = self._inner(self._arguments(place, place))
            bits = ordered_bits(inner.at(key.slot, ()), inner.element(key.slot), key.total)
            if key.descending:
                bits = bits ^ -1
            if shift:
                bits = bits.logical_shift_right(shift)
            b.store((bits.convert("zext", "i64") << _LIMB) | place, words, i)

    def _arguments(self, lhs: Value, rhs: Value) -> dict[int, Value]:
        """The arguments of the comparator, for the elements at two places."""
        scope, ins, captures = self.scope, self.step.ins, self.body.captures
        pairs = ins[: len(ins) - captures]
        found = [scope.at(slot, self._at(place)) for slot in pairs for place in (lhs, rhs)]
        found += [scope.at(slot, ()) for slot in ins[len(pairs) :]]
        return dict(enumerate(found))

    def _sort_by_ranks(self) -> None:
        """Put each word behind those that are less, which are counted among a few at a time, in registers."""
        b, words, others = self.b, self._load(self.words), self._load(self.others)
        ranks, rank = b.alloca("i64", self.size), b.alloca("i64")
        end = -(-self.size // _COUNTED) * _COUNTED
        with b.loop(self._stop, b.constant(end, "i64")) as i:
            b.store(b.constant(-1, "i64"), words, i)
        for first in range(0, end, _COUNTED):
            with self._each() as i:
                word = b.load("i64", words, i)
                b.store(b.load("i64", ranks, i) if first else self._zero, rank, self._zero)
                start, stop = b.constant(first, "i64"), b.constant(first + _COUNTED, "i64")
                with b.loop(start, stop, interleave=True) as j:
                    is_less = b.load("i64", words, j).compare("ult", word)
                    total = b.load("i64", rank, self._zero) + is_less.convert("zext", "i64")
                    b.store(total, rank, self._zero)
                b.store(b.load("i64", rank, self._zero), ranks, i)
        with self._each() as i:
            b.store(b.load("i64", words, i), others, b.load("i64", ranks, i))
        self._swap()

    def _sort_by_digits(self, width: int) -> None:
        """Sort by the digits of keys, the least significant first."""
        b = self.b
        bits = 11 if self.size > _LONG else 8
        radix = b.constant(1 << bits, "i64")
        counts, total = b.alloca("i32", 1 << bits), b.alloca("i32")
        with b.loop(self._zero, b.constant(-(-width // bits), "i64")) as number:
            words, others = self._load(self.words), self._load(self.others)
            shift = number * bits + _LIMB

            def digit(word: Value) -> Value:
                return word.logical_shift_right(shift) & ((1 << bits) - 1)

            with b.loop(self._zero, radix) as k:
                b.store(b.constant(0, "i32"), counts, k)
            with b.loop(self._zero, self._stop) as i:
                at = digit(b.load("i64", words, i))
                b.store(b.load("i32", counts, at) + 1, counts, at)
            first = b.load("i32", counts, digit(b.load("i64", words, self._zero)))
            move, after = b.fresh("move"), b.fresh("sorted")
            b.do(f"br i1 {first.equals(self.size).text}, label %{after}, label %{move}")
            b.enter(move)
            b.store(b.constant(0, "i32"), total, self._zero)
            with b.loop(self._zero, radix) as k:
                count, before = b.load("i32", counts, k), b.load("i32", total, self._zero)
                b.store(before, counts, k)
                b.store(before + count, total, self._zero)
            with b.loop(self._zero, self._stop) as i:
                word = b.load("i64", words, i)
                at = digit(word)
                target = b.load("i32", counts, at)
                b.store(target + 1, counts, at)
                b.store(word, others, target.convert("zext", "i64"))
            self._swap()
            b.start_block(after)

    # By the comparator

    def _merge_all(self) -> None:
        """Merge sorted runs of places, which are twice as long each time."""
        b, words = self.b, self._load(self.words)
        with self._each() as i:
            b.store(i, words, i)
        with b.loop(self._zero, b.constant((self.size - 1).bit_length(), "i64")) as level:
            words, others = self._load(self.words), self._load(self.others)
            width = b.constant(1, "i64") << level
            runs = (width * 2 + (self.size - 1)).logical_shift_right(level + 1)
            with b.loop(self._zero, runs) as run:
                start = run << (level + 1)
                self._merge(words, others, start, self._below(start + width), self._below(start + width * 2))
            self._swap()

    def _below(self, place: Value) -> Value:
        return (place < self.size).select(place, self._stop)

    def _merge(self, words: Value, others: Value, start: Value, middle: Value, end: Value) -> None:
        """Merge two runs; of elements that are not ordered, those of the left one are first."""
        b, zero = self.b, self._zero
        left, right = b.alloca("i64"), b.alloca("i64")
        b.store(start, left, zero)
        b.store(middle, right, zero)
        with b.loop(start, end) as k:
            self.scope.enter()
            i, j = b.load("i64", left, zero), b.load("i64", right, zero)
            x = b.load("i64", words, (i < middle).select(i, middle - 1))
            y = b.load("i64", words, (j < end).select(j, end - 1))
            (is_before,) = self.scope.inline(self.body, list(self._arguments(y, x).values()))
            takes_right = (i >= middle) | ((j < end) & is_before)
            b.store(takes_right.select(y, x), others, k)
            step = takes_right.convert("zext", "i64")
            b.store(j + step, right, zero)
            b.store(i + 1 - step, left, zero)
            self.scope.leave()
