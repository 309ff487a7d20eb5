"""Matching of two programs: their functions, and the ops and values of matched functions."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace

from stablehlo_py.analysis.hashing import Hashes
from stablehlo_py.diagnostics.alignment import align
from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    DenseElementsAttr,
    DenseResourceAttr,
    DictAttr,
    SymbolRefAttr,
)
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, OpResult, Region, Value
from stablehlo_py.opset.calls import callee, symbol_references
from stablehlo_py.syntax.forms.write import stated_attributes

Pair = tuple[Operation | None, Operation | None]
Symbols = dict[str, Operation]
_Elements = DenseElementsAttr | DenseResourceAttr


class ProgramMatching:
    """The matching of two modules.

    Attributes:
        symbols: The ops of each module by symbol, or by position if they have none.
        names: The symbols of the second module, with the matched symbols of the first module.
        pairs: For the op of a matched symbol of the first module, the ops in it and their counterparts in
            order, None without a counterpart. Symbols with equal contents are left out.
        same: The values of the second module, with the matched values of the first module.
        moved: The ops of the second module whose counterparts are at other places.
    """

    def __init__(self, first: Module, second: Module) -> None:
        self.symbols = (_symbols(first), _symbols(second))
        self.names: dict[str, str] = {}
        self.pairs: dict[Operation, list[Pair]] = {}
        self.same: dict[Value, Value] = {}
        self.moved: set[Operation] = set()
        self._hashes = (Hashes(first), Hashes(second))
        self._structures = (Hashes(first, True).functions, Hashes(second, True).functions)
        self._taken: set[str] = set()  # matched symbols of the first module
        self._pending: deque[tuple[str, str]] = deque()
        self._numbers: dict[Hashable, int] = {}
        self._own: dict[Operation, int] = {}  # numbers of ops without their operands
        self._full: dict[Operation, int] = {}  # numbers of what ops compute
        self._values: dict[Value, int] = {}
        self._match_symbols()

    def is_same_attribute(self, a: Attribute | None, b: Attribute | None) -> bool:
        """Test whether attributes of the two modules are equal: constants by elements, symbols as matched."""
        if a is None or b is None:
            return a is b
        if isinstance(a, _Elements) and isinstance(b, _Elements):
            return self._hashes[0].text(a) == self._hashes[1].text(b)
        return self._in_first(0, a) == self._in_first(1, b)

    # ------------------------------------------------------------------------------- symbols

    def _match_symbols(self) -> None:
        left, right = self.symbols
        for name in left:
            if name in right and not (_is_private(left[name]) and _is_private(right[name])):
                self._match(name, name)
        self._match_equal(lambda side, name: self._hashes[side].functions.get(name))
        self._align_pending()
        self._match_equal(lambda side, name: self._structures[side].get(name))
        self._align_pending()
        self._match_equal(lambda side, name: name)
        self._align_pending()

    def _match_equal(self, key: Callable[[int, str], str | None]) -> None:
        """Match the remaining symbols with equal keys: by name first, then in order."""
        left, right = self.symbols
        found: dict[str | None, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for name in left:
            if name not in self._taken:
                found[key(0, name)][0].append(name)
        for name in right:
            if name not in self.names:
                found[key(1, name)][1].append(name)
        found.pop(None, None)
        for names, others in found.values():
            for name in set(names).intersection(others):
                self._match(name, name)
            left_names = [name for name in names if name not in self._taken]
            left_others = [other for other in others if other not in self.names]
            for name, other in zip(left_names, left_others, strict=False):
                self._match(name, other)

    def _match(self, name: str, other: str) -> None:
        """Match two symbols; their ops are aligned later, unless they are equal."""
        self.names[other] = name
        self._taken.add(name)
        digests = self._hashes[0].functions.get(name), self._hashes[1].functions.get(other)
        if digests[0] is None or digests[0] != digests[1] or _is_renamed(name, other, self.symbols[0]):
            self._pending.append((name, other))

    def _align_pending(self) -> None:
        """Align the ops of matched symbols, and of functions that matched ops call."""
        while self._pending:
            name, other = self._pending.popleft()
            a, b = self.symbols[0][name], self.symbols[1][other]
            self._number(0, a, 0)
            self._number(1, b, 0)
            pairs = self.pairs[a] = [*self._pair(a, b)]
            self._find_moved(pairs)
            for left, right in self.pairs[a]:
                if left is not None and right is not None:
                    self._match_callees(callee(left), callee(right))

    def _match_callees(self, name: str | None, other: str | None) -> None:
        left, right = self.symbols
        if name is None or other is None or name in self._taken or other in self.names:
            return
        if name in left and other in right and _is_private(left[name]) and _is_private(right[other]):
            self._match(name, other)

    def _in_first(self, side: int, attribute: Attribute) -> Attribute:
        """Return an attribute with the symbols of the first module; others stay, with a mark."""

        def renamed(name: str) -> str:
            if name not in self.symbols[side]:
                return name
            matched = name if side == 0 and name in self._taken else self.names.get(name) if side else None
            return matched or f"{self._structures[side].get(name, name)}!"

        return _with_symbols(attribute, renamed)

    # ------------------------------------------------------------------------------- ops

    def _number(self, side: int, op: Operation, depth: int) -> None:
        """Assign numbers to the values of an op and its nested ops; equal expressions get equal numbers."""
        for n, block in enumerate(op.blocks):
            for argument in block.arguments:
                self._values[argument] = self._id(("argument", depth, n, argument.index))
            for inner in block.ops:
                self._number(side, inner, depth + 1)
        own = self._own[op] = self._id(self._own_key(side, op))
        operands = tuple([self._values.get(value) for value in op.operands])
        inside = tuple([tuple([self._full[inner] for inner in block.ops]) for block in op.blocks])
        number = self._full[op] = self._id((own, operands, inside))
        for result in op.results:
            self._values[result] = self._id((number, result.index))

    def _id(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _own_key(self, side: int, op: Operation) -> Hashable:
        stated = stated_attributes(op)
        if any(True for _ in symbol_references(op)):
            stated = {name: self._in_first(side, value) for name, value in stated.items()}
        types = tuple([value.type for value in (*op.operands, *op.results)])
        return op.name, tuple(sorted(stated.items(), key=lambda item: item[0])), types

    def _pair(self, a: Operation, b: Operation) -> Iterator[Pair]:
        """Yield two matched ops, and the ops of their regions."""
        self.same.update(zip(b.results, a.results, strict=False))
        yield a, b
        for region_a, region_b in zip(a.regions, b.regions, strict=False):
            yield from self._regions(region_a, region_b)

    def _regions(self, a: Region, b: Region) -> Iterator[Pair]:
        for block_a, block_b in zip(a.blocks, b.blocks, strict=False):
            self.same.update(zip(block_b.arguments, block_a.arguments, strict=False))
            yield from self._blocks(block_a, block_b)

    def _blocks(self, a: Block, b: Block) -> Iterator[Pair]:
        """Align the ops of two blocks: by what they compute, then by attributes and types, then by name."""
        keys: tuple[Callable[[Operation], Hashable], ...] = (
            self._full.__getitem__,
            lambda op: (self._own[op], *[_origin(value) for value in op.operands]),
            lambda op: op.name,
        )
        for left, right in _aligned(a.ops, b.ops, keys):
            if left is None or right is None:
                yield left, right
            else:
                yield from self._pair(left, right)

    # ------------------------------------------------------------------------------- moved ops

    def _find_moved(self, pairs: list[Pair]) -> None:
        """Match ops without counterparts that have equal operands and regions, wherever they are."""
        removed: dict[Hashable, deque[int]] = defaultdict(deque)
        for index, (a, b) in enumerate(pairs):
            if a is not None and b is None:
                removed[self._place_free_key(a, a.operands)].append(index)
        gone: set[int] = set()
        for index, (a, b) in enumerate(pairs):
            if a is not None or b is None:
                continue
            found = removed.get(self._place_free_key(b, [self.same.get(value) for value in b.operands]))
            if not found:
                continue
            before = pairs[found[0]][0]
            assert before is not None
            self._same_inside(before, b)
            self.moved.add(b)
            pairs[found.popleft()] = (before, b)
            gone.add(index)
        pairs[:] = [pair for index, pair in enumerate(pairs) if index not in gone]

    def _place_free_key(self, op: Operation, operands: Sequence[Value | None]) -> Hashable:
        inside = tuple([tuple([self._full[inner] for inner in block.ops]) for block in op.blocks])
        return self._own[op], tuple(operands), inside

    def _same_inside(self, a: Operation, b: Operation) -> None:
        """Match the values of two ops that are equal."""
        for left, right in zip(a.walk(), b.walk(), strict=True):
            self.same.update(zip(right.results, left.results, strict=True))
            for block_a, block_b in zip(left.blocks, right.blocks, strict=True):
                self.same.update(zip(block_b.arguments, block_a.arguments, strict=True))


def _symbols(module: Module) -> Symbols:
    """Return the ops of a module by symbol, or by position if they have none."""
    return {str(op.python_value("sym_name") or f"#{index}"): op for index, op in enumerate(module.body.ops)}


def _is_private(op: Operation) -> bool:
    """Test whether an op is a function whose name no other program knows."""
    return op.is_function and op.python_value("sym_visibility") == "private" and bool(op.blocks)


def _is_renamed(name: str, other: str, left: Symbols) -> bool:
    """Test whether a function has another name that other programs know; both are private, or none is."""
    return name != other and not _is_private(left[name])


def _with_symbols(attribute: Attribute, renamed: Callable[[str], str]) -> Attribute:
    match attribute:
        case SymbolRefAttr(root):
            return replace(attribute, root=renamed(root))
        case ArrayAttr(items):
            return ArrayAttr(tuple([_with_symbols(item, renamed) for item in items]))
        case DictAttr(items):
            return DictAttr(tuple([(name, _with_symbols(value, renamed)) for name, value in items]))
    return attribute


def _origin(value: Value) -> object:
    """Return the index of a block argument, or the name of the defining op."""
    if isinstance(value, BlockArgument):
        return value.index
    return value.op.name if isinstance(value, OpResult) else None


def _aligned(
    a: Sequence[Operation], b: Sequence[Operation], keys: Sequence[Callable[[Operation], Hashable]]
) -> Iterator[Pair]:
    """Yield matched pairs of ops, and each unmatched op, in order; gaps are aligned by the next key."""
    key, *others = keys
    for is_same, i, j, k, m in align([key(op) for op in a], [key(op) for op in b]):
        before, after = a[i:j], b[k:m]
        if is_same or (not others and _stand_in(before, after)):
            yield from zip(before, after, strict=True)
        elif others:
            yield from _aligned(before, after, others)
        else:
            yield from ((op, None) for op in before)
            yield from ((None, op) for op in after)


def _stand_in(before: Sequence[Operation], after: Sequence[Operation]) -> bool:
    """Test whether two sequences of ops have the same result types, and are matched in order."""
    types = [[[result.type for result in op.results] for op in ops] for ops in (before, after)]
    return types[0] == types[1]
