"""Structural comparison of two programs, independent of value names and locations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from stablehlo_py.diagnostics.alignment import align
from stablehlo_py.ir.attributes import Attribute, DenseResourceAttr
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, OpResult, Region, Value
from stablehlo_py.syntax.forms.write import stated_attributes
from stablehlo_py.syntax.printer import OpTexts

_LONGEST = 60  # maximum characters of an attribute in a message
_OWN_NAMES = {"sym_name"}  # functions are matched by name


@dataclass(frozen=True, slots=True)
class ProgramDifference:
    """A difference between two programs.

    Attributes:
        kind: "removed" (the op is only in the first program), "added" (only in the second) or "changed".
        function: The enclosing function, or "" for the module.
        before: The first line of the op in the first program, or "".
        after: The first line of the op in the second program, or "".
        line_before: Its line in the first program, or 0.
        line_after: Its line in the second program, or 0.
        details: What changed.
    """

    kind: Literal["removed", "added", "changed"]
    function: str
    before: str = ""
    after: str = ""
    line_before: int = 0
    line_after: int = 0
    details: tuple[str, ...] = ()


def compare_programs(first: Module, second: Module) -> list[ProgramDifference]:
    """Compare two modules.

    Functions are matched by name, and the ops of a function in order. Value names, locations, comments and
    explicit default attributes are ignored.

    Args:
        first: A module.
        second: Another module.

    Returns:
        The differences, in the order of the first module; [] if the programs are equal.
    """
    return _ProgramComparison(first, second).run()


class _ProgramComparison:
    def __init__(self, first: Module, second: Module) -> None:
        self._modules = (first, second)
        self._texts = (OpTexts(first), OpTexts(second))
        self._same: dict[Value, Value] = {}  # values of the second module to those of the first
        self._keys: dict[object, int] = {}  # numbers for the keys of ops, which are faster to compare
        self._found: list[ProgramDifference] = []
        self._function = ""

    def run(self) -> list[ProgramDifference]:
        first, second = self._modules
        if details := self._details(first.op, second.op):
            self._changed(first.op, second.op, details)
        left, right = _symbols(first), _symbols(second)
        for name, op in left.items():
            self._function = name
            if name in right:
                self._pair(op, right[name])
            else:
                self._removed(op)
        for name, op in right.items():
            self._function = name
            if name not in left:
                self._added(op)
        return self._found

    def _pair(self, a: Operation, b: Operation) -> None:
        """Compare two matched ops and their regions."""
        self._same.update(zip(b.results, a.results, strict=False))
        if details := self._details(a, b):
            self._changed(a, b, details)
        for region_a, region_b in zip(a.regions, b.regions, strict=False):
            self._regions(region_a, region_b)

    def _regions(self, a: Region, b: Region) -> None:
        for block_a, block_b in zip(a.blocks, b.blocks, strict=False):
            self._same.update(zip(block_b.arguments, block_a.arguments, strict=False))
            self._blocks(block_a, block_b)

    def _blocks(self, a: Block, b: Block) -> None:
        """Align the ops of two blocks: first by their full keys, then the remaining ones by name."""
        keys = [[self._keys.setdefault(_key(op), len(self._keys)) for op in block.ops] for block in (a, b)]
        for pair in _aligned(a.ops, b.ops, *keys):
            match pair:
                case (None, Operation() as op):
                    self._added(op)
                case (Operation() as op, None):
                    self._removed(op)
                case (Operation() as left, Operation() as right):
                    self._pair(left, right)

    def _details(self, a: Operation, b: Operation) -> tuple[str, ...]:
        names = [f"op: from {a.name} to {b.name}"] if a.name != b.name else []
        return (*names, *self._operands(a, b), *_types(a, b), *self._attributes(a, b), *_shapes(a, b))

    def _operands(self, a: Operation, b: Operation) -> Iterator[str]:
        if len(a.operands) != len(b.operands):
            yield f"operands: from {len(a.operands)} to {len(b.operands)}"
            return
        for index, (value_a, value_b) in enumerate(zip(a.operands, b.operands, strict=True)):
            if self._same.get(value_b) is not value_a:
                names = [
                    texts.name(value) for texts, value in zip(self._texts, (value_a, value_b), strict=True)
                ]
                yield f"operand {index}: from {names[0]} to {names[1]} (a different value)"

    def _attributes(self, a: Operation, b: Operation) -> Iterator[str]:
        left, right = stated_attributes(a), stated_attributes(b)
        for name in sorted({*left, *right} - _OWN_NAMES):
            values = left.get(name), right.get(name)
            if values[0] != values[1] or not self._same_bytes(*values):
                yield f"{name}: from {_shown(values[0])} to {_shown(values[1])}"

    def _same_bytes(self, a: Attribute | None, b: Attribute | None) -> bool:
        """Test whether two resource references of the same name have the same bytes."""
        if not isinstance(a, DenseResourceAttr) or not isinstance(b, DenseResourceAttr):
            return True
        first, second = self._modules
        return first.resources.get(a.key) == second.resources.get(b.key)

    def _removed(self, op: Operation) -> None:
        text, line = self._texts[0].first_line(op), self._line(0, op)
        self._found.append(ProgramDifference("removed", self._function, before=text, line_before=line))

    def _added(self, op: Operation) -> None:
        text, line = self._texts[1].first_line(op), self._line(1, op)
        self._found.append(ProgramDifference("added", self._function, after=text, line_after=line))

    def _changed(self, a: Operation, b: Operation, details: tuple[str, ...]) -> None:
        before, after = self._texts[0].first_line(a), self._texts[1].first_line(b)
        lines = self._line(0, a), self._line(1, b)
        self._found.append(ProgramDifference("changed", self._function, before, after, *lines, details))

    def _line(self, side: int, op: Operation) -> int:
        return self._modules[side].line(op)


def _symbols(module: Module) -> dict[str, Operation]:
    """Return the ops of a module by symbol, or by position if they have none."""
    return {str(op.python_value("sym_name") or f"#{index}"): op for index, op in enumerate(module.body.ops)}


def _key(op: Operation) -> object:
    """Return the key of an op: name, attributes, types, and the origins of its operands."""
    stated = tuple(sorted(stated_attributes(op).items()))
    types = tuple([value.type for value in (*op.operands, *op.results)])
    return op.name, stated, types, tuple([_origin(value) for value in op.operands])


def _origin(value: Value) -> object:
    """Return the index of a block argument, or the name of the defining op."""
    if isinstance(value, BlockArgument):
        return value.index
    return value.op.name if isinstance(value, OpResult) else None


def attribute_changes(
    a: Operation, b: Operation, key: Callable[[Attribute | None], object] = lambda value: value
) -> Iterator[str]:
    """Describe the attributes in which two ops differ, apart from defaults and the names of symbols.

    Args:
        a: An op.
        b: The other op.
        key: Returns what is compared of an attribute.
    """
    left, right = stated_attributes(a), stated_attributes(b)
    for name in sorted({*left, *right} - _OWN_NAMES):
        if key(left.get(name)) != key(right.get(name)):
            yield f"{name}: from {_shown(left.get(name))} to {_shown(right.get(name))}"


def _types(a: Operation, b: Operation) -> Iterator[str]:
    for what, left, right in (("operand", a.operands, b.operands), ("result", a.results, b.results)):
        before, after = ([value.type for value in values] for values in (left, right))
        if what == "result" and len(before) != len(after):
            yield f"results: from {len(before)} to {len(after)}"
        for index, (x, y) in enumerate(zip(before, after, strict=False)):
            if x != y:
                yield f"type of {what} {index}: from {x} to {y}"


def _shapes(a: Operation, b: Operation) -> Iterator[str]:
    """Compare the numbers of regions, blocks and arguments."""
    if len(a.regions) != len(b.regions):
        yield f"regions: from {len(a.regions)} to {len(b.regions)}"
    for index, (x, y) in enumerate(zip(a.regions, b.regions, strict=False)):
        if len(x.blocks) != len(y.blocks):
            yield f"blocks of region {index}: from {len(x.blocks)} to {len(y.blocks)}"
        for p, q in zip(x.blocks, y.blocks, strict=False):
            types = [[argument.type for argument in block.arguments] for block in (p, q)]
            if types[0] != types[1] and not a.is_function:  # a function's type says the same
                yield f"arguments of region {index}: from {_listed(types[0])} to {_listed(types[1])}"


def _listed(types: Sequence[object]) -> str:
    return f"({', '.join(map(str, types))})"


def _shown(value: Attribute | None) -> str:
    if value is None:
        return "absent"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


Pair = tuple[Operation | None, Operation | None]


def _aligned(
    a: Sequence[Operation], b: Sequence[Operation], keys_a: Sequence[int], keys_b: Sequence[int]
) -> Iterator[Pair]:
    """Yield matched pairs of ops, and each unmatched op, in order."""
    for is_same, i, j, k, m in align(keys_a, keys_b):
        if is_same:
            yield from zip(a[i:j], b[k:m], strict=True)
            continue
        names = [[op.name for op in ops] for ops in (a[i:j], b[k:m])]
        for is_near, p, q, r, s in align(*names):
            before, after = a[i + p : i + q], b[k + r : k + s]
            if is_near or _stand_in(before, after):
                yield from zip(before, after, strict=True)
            else:
                yield from ((op, None) for op in before)
                yield from ((None, op) for op in after)


def _stand_in(before: Sequence[Operation], after: Sequence[Operation]) -> bool:
    """Test whether two runs of ops have the same result types, so that they are matched one to one."""
    types = [[[result.type for result in op.results] for op in ops] for ops in (before, after)]
    return types[0] == types[1]
