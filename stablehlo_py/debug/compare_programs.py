"""What differs between two programs, whatever their values are called and wherever they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DenseResourceAttr
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, OpResult, Region, Value
from stablehlo_py.opset.definition import Attr, lookup
from stablehlo_py.syntax.forms.write import is_default, is_default_struct
from stablehlo_py.syntax.printer import OpTexts
from stablehlo_py.syntax.write.attributes import stripped_text

_LONGEST = 60  # characters of an attribute that are shown
_OWN_NAMES = {"sym_name"}  # what a function is called decides which functions are compared


@dataclass(frozen=True, slots=True)
class ProgramDifference:
    """One place where two programs differ.

    `kind` is "removed" (an op of the first program only), "added" (of the second only) or "changed". `before`
    and `after` are the ops' first lines ("" where there is none), on `line_before` and `line_after` (0 where
    there is none). `details` say of a changed op what changed. `function` is where it is, "" for the module.
    """

    kind: Literal["removed", "added", "changed"]
    function: str
    before: str = ""
    after: str = ""
    line_before: int = 0
    line_after: int = 0
    details: tuple[str, ...] = ()


def compare_programs(first: Module, second: Module) -> list[ProgramDifference]:
    """How two modules differ, in the order of the first; [] if they are the same program.

    Functions are compared by name, and the ops of a function in order. The names of values, locations,
    comments and the spelling of attributes (defaults written out or not) make no difference.
    """
    return _ProgramComparison(first, second).run()


class _ProgramComparison:
    def __init__(self, first: Module, second: Module) -> None:
        self._modules = (first, second)
        self._texts = (OpTexts(first), OpTexts(second))
        self._same: dict[Value, Value] = {}  # values of the first module by those that they stand for
        self._keys: dict[object, int] = {}  # a number for each kind of op, which is quicker to compare
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
        """Two ops that stand for each other: what is different, and what is inside them."""
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
        """Aligns the ops of two blocks: by all that they are, then within what is left by their names."""
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
        names = [f"{a.name}, then {b.name}"] if a.name != b.name else []
        return (*names, *self._operands(a, b), *_types(a, b), *self._attributes(a, b), *_shapes(a, b))

    def _operands(self, a: Operation, b: Operation) -> Iterator[str]:
        if len(a.operands) != len(b.operands):
            yield f"{len(a.operands)} operands, then {len(b.operands)}"
            return
        for index, (value_a, value_b) in enumerate(zip(a.operands, b.operands, strict=True)):
            if self._same.get(value_b) is not value_a:
                names = [
                    texts.name(value) for texts, value in zip(self._texts, (value_a, value_b), strict=True)
                ]
                yield f"operand {index}: {names[0]}, then {names[1]}, which is another value"

    def _attributes(self, a: Operation, b: Operation) -> Iterator[str]:
        left, right = _stated(a), _stated(b)
        for name in sorted({*left, *right} - _OWN_NAMES):
            values = left.get(name), right.get(name)
            if values[0] != values[1] or not self._same_bytes(*values):
                yield f"{name}: {_shown(values[0])}, then {_shown(values[1])}"

    def _same_bytes(self, a: Attribute | None, b: Attribute | None) -> bool:
        """Whether two references to resources of one name mean the same bytes."""
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
    """The ops of a module by their symbol, or by their place where they have none."""
    return {str(op.python_value("sym_name") or f"#{index}"): op for index, op in enumerate(module.body.ops)}


def _key(op: Operation) -> object:
    """What an op is, apart from the values that it uses, of which only the kind counts."""
    stated = tuple(sorted(_stated(op).items()))
    types = tuple([value.type for value in (*op.operands, *op.results)])
    return op.name, stated, types, tuple([_origin(value) for value in op.operands])


def _origin(value: Value) -> object:
    """What kind of thing a value comes from."""
    if isinstance(value, BlockArgument):
        return value.index
    return value.op.name if isinstance(value, OpResult) else None


def _stated(op: Operation) -> dict[str, Attribute]:
    """The attributes of an op without those that have their default."""
    stated, definition = op.properties | op.attributes, lookup(op.name)
    if definition is None:
        return stated
    plain = {a.property for a in definition.attrs if not a.field and _is_default(a, stated.get(a.property))}
    plain |= {name for name, value in stated.items() if is_default_struct(definition, value)}
    return {name: value for name, value in stated.items() if name not in plain}


def _is_default(attr: Attr, value: Attribute | None) -> bool:
    """Whether leaving an attribute out says the same, also where the printer would not."""
    if isinstance(value, ArrayAttr):
        items = [stripped_text(item) for item in value.value]
        return attr.default == f"[{', '.join(items)}]"
    return is_default(attr, value)


def _types(a: Operation, b: Operation) -> Iterator[str]:
    for what, left, right in (("operand", a.operands, b.operands), ("result", a.results, b.results)):
        before, after = ([value.type for value in values] for values in (left, right))
        if what == "result" and len(before) != len(after):
            yield f"{len(before)} results, then {len(after)}"
        for index, (x, y) in enumerate(zip(before, after, strict=False)):
            if x != y:
                yield f"type of {what} {index}: {x}, then {y}"


def _shapes(a: Operation, b: Operation) -> Iterator[str]:
    """Differences in the number of regions, blocks and arguments."""
    if len(a.regions) != len(b.regions):
        yield f"{len(a.regions)} regions, then {len(b.regions)}"
    for index, (x, y) in enumerate(zip(a.regions, b.regions, strict=False)):
        if len(x.blocks) != len(y.blocks):
            yield f"region {index}: {len(x.blocks)} blocks, then {len(y.blocks)}"
        for p, q in zip(x.blocks, y.blocks, strict=False):
            types = [[argument.type for argument in block.arguments] for block in (p, q)]
            if types[0] != types[1] and not a.is_function:  # a function's type says the same
                yield f"region {index}: arguments {_listed(types[0])}, then {_listed(types[1])}"


def _listed(types: Sequence[object]) -> str:
    return f"({', '.join(map(str, types))})"


def _shown(value: Attribute | None) -> str:
    if value is None:
        return "absent"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


Pair = tuple[Operation | None, Operation | None]


def _aligned(
    a: Sequence[Operation], b: Sequence[Operation], keys_a: Sequence[object], keys_b: Sequence[object]
) -> Iterator[Pair]:
    """Pairs of ops that stand for each other, and each op that stands alone, in order."""
    for is_same, i, j, k, m in _runs(keys_a, keys_b):
        if is_same:
            yield from zip(a[i:j], b[k:m], strict=True)
            continue
        names = [[op.name for op in ops] for ops in (a[i:j], b[k:m])]
        for is_near, p, q, r, s in _runs(*names):
            before, after = a[i + p : i + q], b[k + r : k + s]
            if is_near or _stand_in(before, after):
                yield from zip(before, after, strict=True)
            else:
                yield from ((op, None) for op in before)
                yield from ((None, op) for op in after)


def _stand_in(before: Sequence[Operation], after: Sequence[Operation]) -> bool:
    """Whether ops give the same types, one by one: other ops in the same places."""
    types = [[[result.type for result in op.results] for op in ops] for ops in (before, after)]
    return types[0] == types[1]


def _runs(a: Sequence[object], b: Sequence[object]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Runs of items that are the same, and what is between them, as slices of both."""
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        yield tag == "equal", i, j, k, m
