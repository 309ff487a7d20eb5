"""Sorts of rows, and the largest elements of rows (`kernels/sort.py`, `kernels/chlo.py`).

A row of words is sorted. The lower half of a word is the place of an element, the upper half has 32 bits of
its key. Short rows are sorted by rank, long rows by digits (radix sort). Without keys, places are merged by
the comparator (merge sort). All methods are stable, and take a bounded time whatever the comparator returns.
Each pass reads one of two arrays of words and writes the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Expression,
    choose,
    load,
    position,
    reference,
)
from stablehlo_py.engines.native.loop_ir.index import (
    Index,
    Indices,
    Number,
    Variable,
    divide,
    of_atom,
    of_variable,
)
from stablehlo_py.engines.native.loop_ir.statements import Fold, If, Statement, Store
from stablehlo_py.engines.native.lower.records import always, by_loops, is_scalar
from stablehlo_py.engines.native.lower.sort_keys import Key, sort_keys
from stablehlo_py.engines.native.lower.values import (
    I64,
    add,
    compare,
    convert,
    number,
    op,
    ordered,
    select,
    shifted,
    word,
)
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import I1

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

SORT, TOP_K = "stablehlo.sort", "chlo.top_k"
MOST_ELEMENTS = 1 << 22  # of all rows
MOST_MERGED = 1 << 14  # of these, where the comparator has no keys; NumPy may find that it has
MOST = 128  # of a row: an element that is kept is compared with all others
_LIMB = 32
_DIGIT, _WIDE_DIGIT = 8, 11  # bits of a digit: of a wide one where a row has more elements than it has values
_PLACE = (1 << 32) - 1  # the lower half of a word
_WORD = word(64)


def _is_sortable(plan: Plan[Step], step: Step) -> bool:
    """Test whether a sort is not too large, and its comparator made of expressions."""
    (body,) = step.plans
    captured = step.ins[len(step.ins) - body.captures :] if body.captures else ()
    if not is_scalar(body) or any(plan.shape_of(slot) for slot in captured):
        return False
    return prod(plan.shape_of(step.ins[0])) <= (MOST_ELEMENTS if sort_keys(body) else MOST_MERGED)


@by_loops(SORT, supports=_is_sortable, pays=always)
def _sort(lowering: Lowering, step: Step) -> Sequence[Statement]:
    shape = lowering.shape(step.ins[0])
    axis = step.keywords["dimension"] % len(shape)
    rest = (*shape[:axis], *shape[axis + 1 :])
    return lowering.batched(rest, lambda row: _RowSort(lowering, step, axis, row).statements())


class _RowSort:
    """The sort of a row."""

    def __init__(self, lowering: Lowering, step: Step, axis: int, row: Indices) -> None:
        self.lowering, self.step, self.axis, self.row = lowering, step, axis, row
        (self.body,) = step.plans
        self.size: int = lowering.shape(step.ins[0])[axis]
        self.own, self.words = lowering.for_each(row, (2, self.size), _WORD, f"words{step.outs[0]}")
        self.parity = 0  # which of the two arrays is the row

    def statements(self) -> list[Statement]:
        lowering = self.lowering
        (each,) = lowering.variables([self.size])
        i = of_variable(each)
        start = convert(position(i), _WORD)
        first = [Store(self.words, self._at(half, i), start) for half in range(2)]
        found = lowering.nested([each], first)
        limbs = self._limbs()
        for turn, (key, shift, width) in enumerate(limbs):
            found += self._filled(key, shift)
            few = self.size <= cost.COUNTED
            found += self._by_ranks(is_first=not turn) if few else self._by_digits(width)
        if not limbs:
            found += self._merged()
        (each,) = lowering.variables([self.size])
        place = self._place(load(self.words, self._at(self.parity, of_variable(each))))
        moved = [
            Store(lowering.buffers[slot], self._in_row(of_variable(each)), self._element(k, place))
            for k, slot in enumerate(self.step.outs)
        ]
        return [*found, *lowering.nested([each], moved)]

    def _at(self, half: Index | int, i: Index) -> Indices:
        return (*self.own, half if isinstance(half, Index) else Index((), half), i)

    def _in_row(self, place: Index) -> Indices:
        return (*self.row[: self.axis], place, *self.row[self.axis :])

    def _element(self, k: int, place: Index) -> Expression:
        return self.lowering.at(self.step.ins[k], self._in_row(place))

    def _place(self, bits: Expression) -> Index:
        return self._inside(op("and", bits, number(_PLACE, _WORD)), self.size)

    def _inside(self, value: Expression, extent: int) -> Index:
        return of_atom(Number(value, extent, clamps=False))

    def _arguments(self, lhs: Index, rhs: Index) -> list[Expression]:
        """The arguments of the comparator, for the elements at two places."""
        count = len(self.step.ins) - self.body.captures
        pairs = [self._element(k, place) for k in range(count) for place in (lhs, rhs)]
        return [*pairs, *(self.lowering.at(slot, ()) for slot in self.step.ins[count:])]

    # By keys

    def _limbs(self) -> list[tuple[Key, int, int]]:
        """Up to 32 bits of a key, their lowest bit and their number; the least significant limbs first."""
        found = []
        for key in reversed(sort_keys(self.body)):
            (value,) = self.lowering.inline(self.body, self._arguments(Index(), Index()), [key.slot])
            width = bit_width(ordered(value).type)
            found += [(key, shift, min(width, _LIMB)) for shift in range(0, width, _LIMB)]
        return found

    def _filled(self, key: Key, shift: int) -> list[Statement]:
        """Put bits of the key of an element above its place."""
        (each,) = self.lowering.variables([self.size])
        at = self._at(self.parity, of_variable(each))
        low = op("and", load(self.words, at), number(_PLACE, _WORD))
        place = self._inside(low, self.size)
        (value,) = self.lowering.inline(self.body, self._arguments(place, place), [key.slot])
        bits = ordered(value, key.total)
        bits = op("not", bits) if key.descending else bits
        limb = op("and", convert(shifted(bits, -shift), _WORD), number(_PLACE, _WORD))
        return self.lowering.nested([each], [Store(self.words, at, op("or", shifted(limb, _LIMB), low))])

    def _by_ranks(self, is_first: bool) -> list[Statement]:
        """Move each word to its rank, the number of smaller words; equal limbs stay in order.

        In the first pass, words are in the order of their places, so that whole words can be compared.
        """
        each, other = self.lowering.variables([self.size, self.size])
        words = [load(self.words, self._at(self.parity, of_variable(v))) for v in (each, other)]
        own, against = words if is_first else map(self._ordered, words, (each, other))
        rank = reference(f"rank{self.step.outs[0]}", I64)
        less = convert(compare(against, "LT", own), I64)
        count = Fold((rank.name,), (number(0, I64),), (other,), (add(rank, less),))
        self.parity = 1 - self.parity
        store = Store(self.words, self._at(self.parity, self._inside(rank, self.size)), words[0])
        return self.lowering.nested([each], [count, store], "for")

    def _ordered(self, word: Expression, at: Variable) -> Expression:
        """A word with the number of its place now, instead of its place at first."""
        limb = op("and", word, number(_PLACE << _LIMB, _WORD))
        return op("or", limb, convert(position(of_variable(at)), _WORD))

    def _by_digits(self, width: int) -> list[Statement]:
        """Sort by the digits of keys, the least significant first."""
        lowering, size = self.lowering, self.size
        bits = _WIDE_DIGIT if size > 1 << _WIDE_DIGIT else _DIGIT
        passes, radix = -(-width // bits), 1 << bits
        digit, each, moved = lowering.variables([passes, size, size])
        source, target = [divide(of_variable(digit) + self.parity + k, 2)[1] for k in range(2)]
        _, counts = lowering.for_each(self.row, (radix,), I64, f"counts{self.step.outs[0]}")

        def count_at(i: Index) -> Indices:
            by = convert(position(of_variable(digit) * bits + _LIMB), _WORD)
            found = op("shift_right_logical", load(self.words, self._at(source, i)), by)
            return (*self.own, self._inside(op("and", found, number(radix - 1, _WORD)), radix))

        clear = lowering.over([radix], lambda k: [Store(counts, (*self.own, k), number(0, I64))])
        at = count_at(of_variable(each))
        count = Store(counts, at, add(load(counts, at), number(1, I64)))
        counted = lowering.nested([each], [count], "for")
        copy = lowering.over(
            [size], lambda i: [Store(self.words, self._at(target, i), load(self.words, self._at(source, i)))]
        )
        same = compare(load(counts, count_at(Index())), "EQ", number(size, I64))
        i, move = of_variable(moved), list[Statement]()
        at = count_at(i)
        place = lowering.let(move, load(counts, at))
        move.append(Store(counts, at, add(place, number(1, I64))))
        value = load(self.words, self._at(source, i))
        move.append(Store(self.words, self._at(target, self._inside(place, size)), value))
        apart = [*self._starts(counts, radix), *lowering.nested([moved], move, "for")]
        self.parity = (self.parity + passes) % 2
        body = [*clear, *counted, If(same, tuple(copy), tuple(apart))]
        return lowering.nested([digit], body, "for")

    def _starts(self, counts: Buffer, radix: int) -> list[Statement]:
        """Replace counts by the sums of those before."""
        _, total = self.lowering.for_each(self.row, (), I64, f"total{self.step.outs[0]}")
        (k,) = self.lowering.variables([radix])
        at = (*self.own, of_variable(k))
        body: list[Statement] = []
        before = self.lowering.let(body, load(total, self.own))
        body.append(Store(total, self.own, add(before, load(counts, at))))
        body.append(Store(counts, at, before))
        return [Store(total, self.own, number(0, I64)), *self.lowering.nested([k], body, "for")]

    # By the comparator

    def _merged(self) -> list[Statement]:
        """Merge sorted runs of places element by element; the length of runs doubles in each pass.

        Elements of the left run precede elements of the right run that the comparator does not order.
        """
        lowering, levels = self.lowering, (self.size - 1).bit_length()
        if not levels:
            return []
        level, each = lowering.variables([levels, self.size])
        source, target = [divide(of_variable(level) + k, 2)[1] for k in range(2)]
        (_, left), (_, right) = [
            lowering.for_each(self.row, (), I64, f"{side}{self.step.outs[0]}") for side in ("left", "right")
        ]
        body: list[Statement] = []
        k, shift = [convert(position(of_variable(v)), I64) for v in (each, level)]
        width = lowering.let(body, op("shift_left", number(1, I64), shift))
        past = op("negate", add(width, width))  # the bits of an index that number runs
        start = lowering.let(body, op("and", k, past))
        size = number(self.size, I64)
        middle = lowering.let(body, op("minimum", add(start, width), size))
        end = lowering.let(body, op("minimum", add(middle, width), size))
        begins = compare(k, "EQ", start)
        i = lowering.let(body, select(begins, start, load(left, self.own)))
        j = lowering.let(body, select(begins, middle, load(right, self.own)))
        x, y = [
            lowering.let(body, load(self.words, self._at(source, self._last(place, stop))))
            for place, stop in ((i, middle), (j, end))
        ]
        (is_before,) = lowering.inline(self.body, self._arguments(self._place(y), self._place(x)))
        behind = op("and", compare(j, "LT", end), is_before)
        takes_right = lowering.let(body, op("or", compare(i, "GE", middle), behind))
        body.append(Store(self.words, self._at(target, of_variable(each)), select(takes_right, y, x)))
        taken = convert(takes_right, I64)
        body.append(Store(right, self.own, add(j, taken)))
        body.append(Store(left, self.own, op("subtract", add(i, number(1, I64)), taken)))
        self.parity = levels % 2
        first = [Store(side, self.own, number(0, I64)) for side in (left, right)]
        return [*first, *lowering.nested([level], lowering.nested([each], body, "for"), "for")]

    def _last(self, place: Expression, stop: Expression) -> Index:
        """A place, or the last one of its run."""
        return self._inside(op("minimum", place, op("subtract", stop, number(1, I64))), self.size)


# The largest elements

_Ranked = tuple[Expression, Expression]  # a key and a place


def is_native_top_k(plan: Plan[Step], step: Step) -> bool:
    """Test whether few elements are kept, which have an order."""
    element = element_of(plan.types[step.ins[0]])
    return element is not None and element.kind != "complex" and step.keywords["k"] <= MOST


@by_loops(TOP_K, supports=is_native_top_k, pays=always)
def _top_k(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Keep keys and places of the largest elements so far, in order.

    A group of elements is skipped unless its largest element is above the least element kept.
    """
    shape = lowering.shape(step.ins[0])
    return lowering.batched(shape[:-1], lambda row: _Selection(lowering, step, row).statements())


class _Selection:
    """The selection of a row."""

    def __init__(self, lowering: Lowering, step: Step, row: Indices) -> None:
        self.lowering, self.step, self.row = lowering, step, row
        self.size: int = lowering.shape(step.ins[0])[-1]
        self.kept: int = step.keywords["k"]
        self.type = ordered(self._element(Index())).type
        slot = step.outs[0]
        self.own, self.keys = lowering.for_each(row, (self.kept,), self.type, f"keys{slot}")
        _, self.places = lowering.for_each(row, (self.kept,), I64, f"places{slot}")

    def statements(self) -> list[Statement]:
        lowering, group = self.lowering, max(cost.BESIDE, 4 * self.kept)
        nothing = (number(0, self.type), number(self.size, I64))
        found = lowering.over([self.kept], lambda j: self._put(j, nothing))
        if self.size >= group:
            number_of_group, inside = lowering.variables([self.size // group, group])
            first = of_variable(number_of_group) * group
            largest = reference(f"largest{self.step.outs[0]}", self.type)
            key = ordered(self._element(first + of_variable(inside)))
            combined = op("maximum", largest, key)
            fold = Fold((largest.name,), (number(0, self.type),), (inside,), (combined,))
            begin = convert(position(first), I64)
            scan = If(
                self._beats((largest, begin), self._ranked(self.kept - 1)), tuple(self._scan(first, group))
            )
            found += lowering.nested([number_of_group], [fold, scan], "for")
        rest = self.size % group
        found += self._scan(Index((), self.size - rest), rest) if rest else []
        (each,) = lowering.variables([self.kept])
        place = load(self.places, (*self.own, of_variable(each)))
        value = self._element(of_atom(Number(place, self.size, clamps=False)))
        target = (*self.row, of_variable(each))
        values, indices = [lowering.buffers[slot] for slot in self.step.outs]
        stores = [Store(values, target, value), Store(indices, target, convert(place, indices.element))]
        return [*found, *lowering.nested([each], stores)]

    def _element(self, place: Index) -> Expression:
        return self.lowering.at(self.step.ins[0], (*self.row, place))

    def _ranked(self, j: Index | int) -> _Ranked:
        at = (*self.own, j if isinstance(j, Index) else Index((), j))
        return load(self.keys, at), load(self.places, at)

    def _put(self, j: Index, ranked: _Ranked) -> list[Statement]:
        at = (*self.own, j)
        return [Store(each, at, value) for each, value in zip((self.keys, self.places), ranked, strict=True)]

    def _beats(self, one: _Ranked, other: _Ranked) -> Expression:
        """Whether an element is in front of another one: it is larger, or equal and before it."""
        is_first = op("and", compare(one[0], "EQ", other[0]), compare(one[1], "LT", other[1]))
        return op("or", compare(one[0], "GT", other[0]), is_first)

    def _scan(self, first: Index, count: int) -> list[Statement]:
        """Keep the elements above the least one kept, the last first: of ascending ones, few are kept."""
        (each,) = self.lowering.variables([count])
        place = first + (of_variable(each) * -1 + (count - 1))
        body: list[Statement] = []
        key = self.lowering.let(body, ordered(self._element(place)))
        new = (key, convert(position(place), I64))
        keep = If(self._beats(new, self._ranked(self.kept - 1)), tuple(self._keep(new)))
        return self.lowering.nested([each], [*body, keep], "for")

    def _keep(self, new: _Ranked) -> list[Statement]:
        """Insert an element, and move the smaller elements by one place."""
        (each,) = self.lowering.variables([self.kept])
        j = of_variable(each) * -1 + (self.kept - 1)
        body: list[Statement] = []
        has_moved = choose(((j, 1),), self._beats(new, self._ranked(j - 1)), number(False, I1))
        stays = self.lowering.let(body, op("not", self._beats(new, self._ranked(j))))
        moves = self.lowering.let(body, has_moved)
        before = [choose(((j, 1),), value, old) for value, old in zip(self._ranked(j - 1), new, strict=True)]
        chosen = [
            self.lowering.let(body, select(stays, old, select(moves, moved, own)))
            for old, moved, own in zip(self._ranked(j), before, new, strict=True)
        ]
        body += self._put(j, (chosen[0], chosen[1]))
        return self.lowering.nested([each], body, "for")
