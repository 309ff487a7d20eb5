"""Structural comparison of two programs, independent of value names and locations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from stablehlo_py.debug.program_matching import Pair, ProgramMatching
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.opset.constants import elements_name
from stablehlo_py.syntax.forms.write import stated_attributes
from stablehlo_py.syntax.printer import OpTexts

_LONGEST = 60  # maximum characters of an attribute in a message
_OWN_NAMES = {"sym_name"}  # functions are matched first


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

    Functions are matched by name if they are public, otherwise by their contents, by the calls of them, by
    their structure, and at last by name; the ops of a function in order. Names of values and private
    functions, locations, comments and explicit default attributes are ignored. An op that is at another place
    of its function, with the same operands, has moved.

    Args:
        first: A module.
        second: Another module.

    Returns:
        The differences, in the order of the first module; [] if the programs are equal. `function` is the
        name in the first module where the function is in both.
    """
    return _ProgramComparison(first, second).run()


class _ProgramComparison:
    def __init__(self, first: Module, second: Module) -> None:
        self._modules = (first, second)
        self._texts = (OpTexts(first), OpTexts(second))
        self._matching = ProgramMatching(first, second)
        self._found: list[ProgramDifference] = []
        self._function = ""

    def run(self) -> list[ProgramDifference]:
        first, second = self._modules
        matching = self._matching
        if details := self._details(first.op, second.op):
            self._changed(first.op, second.op, details)
        left, right = matching.symbols
        matched = {name: other for other, name in matching.names.items()}
        for name, op in left.items():
            self._function = name
            if name not in matched:
                self._removed(op)
            elif op in matching.pairs:
                self._compare(matching.pairs[op])
        for name, op in right.items():
            self._function = name
            if name not in matching.names:
                self._added(op)
        return self._found

    def _compare(self, pairs: Sequence[Pair]) -> None:
        """Report the differences of matched ops, and ops without a counterpart."""
        for a, b in pairs:
            if a is None:
                assert b is not None
                self._added(b)
            elif b is None:
                self._removed(a)
            elif details := self._details(a, b):
                self._changed(a, b, details)

    def _details(self, a: Operation, b: Operation) -> tuple[str, ...]:
        """Describe how two matched ops differ."""
        found = [f"op: from {a.name} to {b.name}"] if a.name != b.name else []
        if b in self._matching.moved and elements_name(b) is None:  # the place of a constant is no matter
            found.append(f"moved from line {self._line(0, a)} to line {self._line(1, b)}")
        if a.parent_op is self._modules[0].op and (_is_public(a) or _is_public(b)):
            names = [op.python_value("sym_name") for op in (a, b)]
            found += [f"name: from @{names[0]} to @{names[1]}"] if names[0] != names[1] else []
        return (*found, *self._operands(a, b), *_types(a, b), *self._attributes(a, b), *_shapes(a, b))

    def _operands(self, a: Operation, b: Operation) -> Iterator[str]:
        if len(a.operands) != len(b.operands):
            yield f"operands: from {len(a.operands)} to {len(b.operands)}"
            return
        for index, (value_a, value_b) in enumerate(zip(a.operands, b.operands, strict=True)):
            if self._matching.same.get(value_b) is not value_a:
                names = [
                    texts.name(value) for texts, value in zip(self._texts, (value_a, value_b), strict=True)
                ]
                yield f"operand {index}: from {names[0]} to {names[1]} (a different value)"

    def _attributes(self, a: Operation, b: Operation) -> Iterator[str]:
        left, right = stated_attributes(a), stated_attributes(b)
        for name in sorted({*left, *right} - _OWN_NAMES):
            values = left.get(name), right.get(name)
            if not self._matching.is_same_attribute(*values):
                yield f"{name}: from {_shown(values[0])} to {_shown(values[1])}"

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


def _is_public(op: Operation) -> bool:
    """Test whether an op is a function that other programs know by its name."""
    return op.is_function and (op.python_value("sym_visibility") != "private" or not op.blocks)


def attribute_changes(a: Operation, b: Operation, key: Callable[[Attribute | None], object]) -> Iterator[str]:
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
