"""Matching of the ops of two programs: by structure, names, locations, and position."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import zip_longest

from stablehlo_py.debug.compare.arguments import Arguments, counterparts
from stablehlo_py.debug.compare.precision import Precision
from stablehlo_py.debug.subprograms import is_deterministic
from stablehlo_py.diagnostics.alignment import align, reordered
from stablehlo_py.ir.core import Block, Operation, OpResult, Region, Value
from stablehlo_py.ir.locations import UNKNOWN
from stablehlo_py.ir.signature import signature
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.syntax.forms.write import stated_attributes

_SIMILAR = 0.9  # the share of equal ops from which two blocks are matched in order


class Matching:
    """Pairs of ops of two programs that compute the same.

    Args:
        first: The function of the first program.
        second: The function of the second program.
        arguments: The arguments of both, by default with the names that the functions state.
        has_own_types: Whether float types are part of what ops compute, rather than the precision of a twin.

    Attributes:
        ops: The op of the second program for an op of the first one.
        exact: The ops of the first program whose counterpart is equal, on equal operands.
        precision: What the float types of both programs have in common.
        arguments: The number of the argument of the first program for each one of the second one; None if one
            has no counterpart.
    """

    def __init__(
        self,
        first: Operation,
        second: Operation,
        arguments: tuple[Arguments, Arguments] | None = None,
        has_own_types: bool = False,
    ) -> None:
        self.precision = Precision() if has_own_types else Precision(first, second)
        self.ops: dict[Operation, Operation] = {}
        self.exact: set[Operation] = set()
        self._taken: set[Operation] = set()
        self._values: dict[Value, Value] = {}  # of the first program to those of the second
        self._matched: dict[Value, Value] = {}  # and back, to the first of several
        self._equal: dict[Value, list[Value]] = {}  # values of the second program, for each of several
        self._copies: dict[Value, Iterator[Value]] = {}  # copies that may not be matched yet
        mine, theirs = arguments or (signature(first).inputs, signature(second).inputs)
        self.arguments = counterparts(mine, theirs, self.precision.type)
        for a, b in zip(first.blocks, second.blocks, strict=True):
            if self.arguments is not None:
                self._match([a.arguments[i] for i in self.arguments], b.arguments)
            self._blocks(a, b)

    def last_open(self, block: Block) -> Operation | None:
        """Return the last op of a block of the first program that may differ from its counterpart."""
        last = block.terminator
        other = self.ops.get(last) if last is not None else None
        if last is not None and (other is None or not self._same_values(last, other)):
            return last
        return next((op for op in reversed(block.ops) if self._is_open(op)), None)

    def _is_open(self, op: Operation) -> bool:
        other = self.ops.get(op)
        if has_trait(op.name, "terminator"):
            return False
        if other is None or not has_trait(op.name, "runs_bodies"):
            return op not in self.exact and bool(op.operands)
        if not self.passes_same_values(op):
            return True
        nested = [each for block in op.blocks for each in block.ops]
        return any(map(self._is_open, nested)) or not self.has_same_order(op)

    def passes_same_values(self, op: Operation) -> bool:
        """Test whether the operands of control flow, and what its regions return, are matched values."""
        other = self.ops[op]
        pairs = [(op, other)]
        for a, b in self._block_pairs(op, other):
            if a.terminator is not None and b.terminator is not None:
                pairs.append((a.terminator, b.terminator))
        return all(self._same_values(x, y) for x, y in pairs)

    def has_same_order(self, op: Operation) -> bool:
        """Test whether an op has the regions of its counterpart, each at the place of its own."""
        regions = list(self.ops[op].regions)
        return len(op.regions) == len(regions) and self._in_their_order(op, self.ops[op]) == regions

    def is_permuted(self, op: Operation) -> bool:
        """Test whether an op has the operands of its counterpart in another order."""
        other = self.ops[op]
        mine, theirs = [self.value(x) for x in op.operands], [self._first(y) for y in other.operands]
        return mine != theirs and None not in mine and Counter(mine) == Counter(theirs)

    def _same_values(self, op: Operation, other: Operation) -> bool:
        pairs = zip(op.operands, other.operands, strict=False)
        return len(op.operands) == len(other.operands) and all(self.same(x, y) for x, y in pairs)

    def unmatched(self, function: Operation) -> Iterator[Operation]:
        """Yield the ops of the second program that have operands, and are not a counterpart of any op."""
        taken = set(self.ops.values())
        pending = [function]
        while pending:
            for block in pending.pop().blocks:
                found = [op for op in self._ops(block) if op.operands and op.results]
                yield from (op for op in found if op not in taken)
                pending += [op for op in found if has_trait(op.name, "runs_bodies")]

    def value(self, value: Value) -> Value | None:
        """Return the value of the second program for a value of the first one."""
        found = self._values.get(self.precision.root(value))
        return None if found is None else self._first(found)

    def _first(self, value: Value) -> Value:
        """Return the first value of the second program that is equal to one of its values."""
        root = self.precision.root(value)
        return self._equal.get(root, (root,))[0]

    def same(self, value: Value, other: Value) -> bool:
        """Test whether a value of the second program is the counterpart of a value of the first program."""
        return self.value(value) is self._first(other)

    def _ops(self, block: Block) -> list[Operation]:
        return [op for op in block.ops if not self.precision.skips(op)]

    def _types(self, values: Sequence[Value]) -> list[Hashable]:
        return [self.precision.type(value.type) for value in values]

    def _regions(self, first: Operation, second: Operation) -> None:
        for block_a, block_b in self._block_pairs(first, second):
            self._arguments(block_a, block_b)
            self._blocks(block_a, block_b)

    def _block_pairs(self, first: Operation, second: Operation) -> Iterator[tuple[Block, Block]]:
        for a, b in zip(first.regions, self._in_their_order(first, second), strict=False):
            yield from zip(a.blocks, b.blocks, strict=False)

    def _in_their_order(self, first: Operation, second: Operation) -> list[Region]:
        """Return the regions of an op in the order of their counterparts, which branches may change."""
        found = list(second.regions)
        if not has_trait(first.name, "branches") or len(first.regions) != len(found):
            return found
        keys, others = [[self._contents(region) for region in op.regions] for op in (first, second)]
        return [found[place] for place in reordered(keys, others)]

    def _contents(self, region: Region) -> tuple[Hashable, ...]:
        """Return the ops of a region, without the values that they take."""
        return tuple([self._key(op, ()) for block in region.blocks for op in self._ops(block) if op.results])

    def _arguments(self, a: Block, b: Block) -> None:
        """Match arguments: by position if their types are the same, otherwise by name and type."""
        if self._types(a.arguments) == self._types(b.arguments):
            self._match(a.arguments, b.arguments)
            return
        named = {(y.name, self.precision.type(y.type)): y for y in b.arguments}
        for x in a.arguments:
            if (found := named.get((x.name, self.precision.type(x.type)))) is not None:
                self._match([x], [found])

    def _blocks(self, a: Block, b: Block) -> None:
        left, right = self._ops(a), self._ops(b)
        self._equal_values(right)
        if self._is_similar(left, right):
            self._in_order(left, right)
        self._by_structure(a, b)
        if a.terminator is not None and b.terminator is not None:
            self.ops[a.terminator] = b.terminator
        for op in left:
            other = self.ops.get(op)
            if other is None:
                continue
            if self._is_exact(op, other):
                self.exact.add(op)
            if has_trait(op.name, "runs_bodies") and len(op.regions) == len(other.regions):
                self._regions(op, other)
                if not self.passes_same_values(op):  # its arguments differ: every op in it has to run
                    self.exact.difference_update(op.walk())

    def _equal_values(self, ops: Sequence[Operation]) -> None:
        """Note which values of the second program are equal, such as copies of a constant."""
        found: dict[Hashable, Operation] = {}
        for op in ops:
            if not is_deterministic(op):
                continue
            types = tuple([value.type for value in (*op.operands, *op.results)])
            first = found.setdefault((types, self._key(op, list(map(self._first, op.operands)))), op)
            if first is not op and (not op.regions or self._same_regions(op, first, self._first)):
                for value, other in zip(first.results, op.results, strict=True):
                    self._equal[other] = self._equal.setdefault(value, [value])
                    self._equal[value].append(other)

    def _is_copied(self, value: Value) -> bool:
        return value in self._equal and self._equal[value][0] is value

    def _copy(self, op: Operation) -> Operation:
        """Return an op with equal results that is no counterpart yet; the op itself if there is none."""
        first = self._first(op.results[0])
        rest = self._copies.setdefault(first, iter(self._equal.get(first, ())))
        return next((x.op for x in rest if isinstance(x, OpResult) and x.op not in self._taken), op)

    def _pair(self, op: Operation, other: Operation) -> bool:
        """Match two ops, unless their results have other types; return whether they are matched."""
        if self._types(op.results) != self._types(other.results) or op in self.ops:
            return False
        self.ops[op] = other
        self._taken.add(other)
        self._match(op.results, other.results)
        return True

    def _match(self, values: Sequence[Value], others: Sequence[Value]) -> None:
        for x, y in zip(values, others, strict=True):
            self._values[x] = y
            self._matched.setdefault(self._first(y), x)

    def _is_exact(self, op: Operation, other: Operation) -> bool:
        if self.precision.differs or op.name != other.name or len(op.operands) != len(other.operands):
            return False
        operands = zip(op.operands, other.operands, strict=True)
        if not all(self.same(x, y) for x, y in operands):
            return False
        if not is_deterministic(op) or stated_attributes(op) != stated_attributes(other):
            return False
        return not op.regions or self._same_regions(op, other, self.value)

    def _same_regions(self, op: Operation, other: Operation, value: Callable[[Value], Value | None]) -> bool:
        """Test whether the regions that two ops apply to elements are equal.

        Args:
            op: The op.
            other: An op of the second program.
            value: Returns the value of the second program for a value that a region of `op` captures.
        """
        if has_trait(op.name, "runs_bodies"):
            return False
        local: dict[Value, Value] = {}
        pairs = list(zip_longest(op.walk(), other.walk()))[1:]
        blocks = zip_longest(op.blocks, other.blocks)
        for a, b in blocks:
            if a is None or b is None or len(a.arguments) != len(b.arguments):
                return False
            local.update(zip(a.arguments, b.arguments, strict=True))
        for x, y in pairs:
            if x is None or y is None or x.name != y.name or x.regions or y.regions:
                return False
            if stated_attributes(x) != stated_attributes(y) or not _same_types(x, y):
                return False
            inner = set(local.values())
            operands = [local.get(v) or value(v) for v in x.operands]
            if operands != [w if w in inner else self._first(w) for w in y.operands]:
                return False
            local.update(zip(x.results, y.results, strict=True))
        return True

    # Programs of different structure

    def _by_structure(self, a: Block, b: Block) -> None:
        """Match equal ops on matched operands, in any order; then by name, location, results and position."""

        def permuted_key(op: Operation) -> Hashable:
            """Return the key of an op without regard to the order of its operands."""
            operands = self._representatives(op) if op.parent is a else self._numbers(op)
            return self._key(op, sorted(operands, key=id)) if len(operands) > 1 else None

        self._by_value_numbers(a, b)
        for key in (permuted_key, self._name_key, self._location_key):
            if self._by_keys(a, b, key):
                self._by_value_numbers(a, b)
        if self._from_results(a, b):
            self._by_value_numbers(a, b)
        left, right = self._rest(a, b)
        self._in_order([op for op in left if op.operands], [op for op in right if op.operands])
        self._operands(a)

    def _operands(self, a: Block) -> None:
        """Match what is left where matched ops use it, such as a constant with another value.

        Several ops of `a` may have one counterpart, as copies in fusions have.
        """
        for op in reversed(self._ops(a)):
            other = self.ops.get(op)
            if other is None or op.name != other.name or len(op.operands) != len(other.operands):
                continue
            known = {self.value(x) for x in op.operands}
            for x, y in zip(op.operands, other.operands, strict=True):
                source, target = self._producer(x), self._producer(y)
                if source is None or target is None or source.name != target.name:
                    continue
                if self.value(x) is not None or self._first(y) in known:
                    continue
                if self._is_free(y, other) or any(map(self.same, source.operands, target.operands)):
                    self._pair(source, target)

    def _is_free(self, value: Value, user: Operation) -> bool:
        """Test whether an operand in the second program has no counterpart, or only in copies of its user."""
        taker = self._matched.get(self._first(value))
        return taker is None or any(self.ops.get(each) is user for each in self.precision.users(taker))

    def _in_order(self, left: Sequence[Operation], right: Sequence[Operation]) -> None:
        places, other_places = [{op: at for at, op in enumerate(ops)} for ops in (left, right)]
        for op, other in self._aligned(left, right):
            is_equal = bool(op.operands) or self._key(op, ()) == self._key(other, ())
            is_equal = is_equal or _uses(op, places) == _uses(other, other_places)  # a constant's other value
            if is_equal and self._operands_agree(op, other):
                self._pair(op, other)

    def _rest(self, a: Block, b: Block) -> tuple[list[Operation], list[Operation]]:
        """Return the ops that are not matched."""
        left = [op for op in self._ops(a) if op not in self.ops and op.results]
        return left, [op for op in self._ops(b) if op not in self._taken and op.results]

    def _by_value_numbers(self, a: Block, b: Block) -> None:
        """Match ops that are equal by value numbering; several ops of `a` may have one counterpart."""
        found: dict[Hashable, Operation] = {}
        for op in self._ops(b):
            found.setdefault(self._key(op, self._numbers(op)), op)
        for op in self._ops(a):
            other = found.get(self._key(op, self._representatives(op)))
            if other is not None and op not in self.ops:
                other = self._copy(other)
                if self._pair(op, other):
                    self._register(other, found)

    def _numbers(self, op: Operation) -> list[Value]:
        """Map the operands of an op of the second program to values of the first program, if known."""
        return [self._matched.get(value, value) for value in map(self._first, op.operands)]

    def _representatives(self, op: Operation) -> list[Value]:
        """Return the values of the first program by which the counterparts of an op's operands are known."""
        roots = [self.precision.root(value) for value in op.operands]
        return [self._matched.get(self.value(value) or value, value) for value in roots]

    def _key(self, op: Operation, operands: Sequence[Hashable]) -> Hashable:
        """Return the key of an op in value numbering. The bodies of control flow are matched later."""
        if has_trait(op.name, "random") or not op.results:
            return op
        stated = sorted(stated_attributes(op).items())
        attributes = tuple([(name, self.precision.attribute(value)) for name, value in stated])
        bodies = () if has_trait(op.name, "runs_bodies") else self._names(op)
        return op.name, attributes, tuple(self._types(op.results)), tuple(operands), bodies

    def _names(self, op: Operation) -> tuple[str, ...]:
        return tuple([each.name for each in op.walk() if not self.precision.skips(each)])

    def _register(self, other: Operation, found: dict[Hashable, Operation]) -> None:
        """Enter the users of newly matched values under their keys, transitively as they become known."""
        copies = [each for y in other.results for each in (self._equal[y] if self._is_copied(y) else (y,))]
        for user in dict.fromkeys(user for y in copies for user in self.precision.users(y)):
            if user.parent is other.parent:
                found.setdefault(self._key(user, self._numbers(user)), user)

    def _by_keys(self, a: Block, b: Block, key: Callable[[Operation], Hashable]) -> bool:
        """Match ops with the same key that is not None, where there are as many in both blocks."""
        groups: dict[Hashable, tuple[list[Operation], list[Operation]]] = defaultdict(lambda: ([], []))
        for side, ops in enumerate(self._rest(a, b)):
            for op in ops:
                if (found := key(op)) is not None:
                    groups[found][side].append(op)
        pairs = [(x, y) for x, y in groups.values() if len(x) == len(y)]
        each_pair = ((op, other) for x, y in pairs for op, other in zip(x, y, strict=True))
        return sum(self._is_used_alike(*two) and self._pair(*two) for two in each_pair) > 0

    def _from_results(self, a: Block, b: Block) -> bool:
        """Match backwards from the returned values: the same op with the same types, then its operands."""
        if a.terminator is None or b.terminator is None:
            return False
        pending = [(a.terminator, b.terminator)]
        before = len(self.ops)
        while pending:
            op, other = pending.pop()
            if len(op.operands) != len(other.operands):
                continue
            for x, y in zip(op.operands, other.operands, strict=True):
                source, target = self._producer(x), self._producer(y)
                if source is None or target is None or source.name != target.name or target in self._taken:
                    continue
                if self._pair(source, target) and not has_trait(source.name, "commutative"):
                    pending.append((source, target))
        return len(self.ops) > before

    def _operands_agree(self, op: Operation, other: Operation) -> bool:
        """Test whether two ops differ in at most one respect: their name, or one operand."""
        if len(op.operands) != len(other.operands):
            return False
        wrong = sum(not self.same(x, y) for x, y in zip(op.operands, other.operands, strict=True))
        return wrong + (op.name != other.name) <= 1 and self._is_used_alike(op, other)

    def _is_used_alike(self, op: Operation, other: Operation) -> bool:
        """Test whether ops have an operand in common, or are operands of the same kinds of ops."""
        known = {self.value(x) for x in op.operands}
        if not op.operands or any(self._first(y) in known for y in other.operands):
            return True
        mine, theirs = [[u.name for v in x.results for u in self.precision.users(v)] for x in (op, other)]
        return Counter(mine) == Counter(theirs)

    def _producer(self, value: Value) -> Operation | None:
        return getattr(self.precision.root(value), "op", None)

    def _name_key(self, op: Operation) -> Hashable:
        """Return the name of a result that is not a number, with its op and types."""
        name = op.results[0].name
        plain = name is None or name.partition("#")[0].isdigit()
        return None if plain else (name, *self._signature(op))

    def _location_key(self, op: Operation) -> Hashable:
        if op.location is None or op.location == UNKNOWN:
            return None
        return op.location, *self._signature(op)

    def _signature(self, op: Operation) -> tuple[Hashable, ...]:
        return op.name, *self._types(op.results)

    def _is_similar(self, a: Sequence[Operation], b: Sequence[Operation]) -> bool:
        """Test whether two blocks have the same number of ops, most of them equal in order."""
        if len(a) != len(b):
            return False
        same = sum(self._signature(x) == self._signature(y) for x, y in zip(a, b, strict=True))
        return same >= _SIMILAR * len(a) or same >= len(a) - 1

    def _aligned(
        self, a: Sequence[Operation], b: Sequence[Operation]
    ) -> Iterator[tuple[Operation, Operation]]:
        """Yield pairs of ops in order: ops of equal names and types, and equally long runs between them."""
        if len(a) == len(b):
            yield from zip(a, b, strict=True)
            return
        left, right = [[self._signature(op) for op in ops] for ops in (a, b)]
        for _, i, j, k, m in align(left, right):
            if j - i == m - k:
                yield from zip(a[i:j], b[k:m], strict=True)


def _uses(op: Operation, places: dict[Operation, int]) -> list[str]:
    """Return where the results of an op are used, also through ops such as broadcasts: op, place, operand."""
    found, pending = [], [op]
    while pending:
        for use in [use for value in pending.pop().results for use in value.uses]:
            found.append(f"{use.op.name} {places.get(use.op)} {use.position}")
            pending += [use.op] if len(use.op.operands) == 1 else []
    return sorted(found)


def _same_types(op: Operation, other: Operation) -> bool:
    return [result.type for result in op.results] == [result.type for result in other.results]
