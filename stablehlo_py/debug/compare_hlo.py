"""Structural comparison of two modules of HLO, independent of names, metadata and the order of the text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Literal

import numpy as np

from stablehlo_py.debug.compare_programs import ProgramDifference
from stablehlo_py.diagnostics.alignment import align
from stablehlo_py.hlo.kinds import PARSED, kind_of
from stablehlo_py.hlo.literals import Array, literal_text
from stablehlo_py.hlo.literals import Literal as Constant
from stablehlo_py.hlo.module import Computation, HloModule, Instruction
from stablehlo_py.hlo.shapes import text_of

_LONGEST = 60  # characters of an attribute in a message
_NOT_COMPARED = ("metadata", "origin", "statistics", "control-predecessors")
_SUFFIX = re.compile(r"(?:\.(?:\d+|clone|remat\d*))+$")

Place = tuple[Computation, Instruction]


def compare_hlo(first: HloModule, second: HloModule) -> list[ProgramDifference]:
    """Compare two modules.

    Computations are matched by their contents, by the instructions that call them, and by their names without
    numbers. Instructions are matched by their expressions, then by opcode, shape, attributes and metadata. An
    instruction whose counterpart is in another computation, such as a fusion, has moved.

    Args:
        first: A module.
        second: Another module, such as the first one after a pass.

    Returns:
        The differences, computation by computation; [] if the modules are equal. `function` is the name of
        the computation in the first module, or in the second module if it is new.
    """
    return _HloComparison(first, second).run()


def line_of(instruction: Instruction) -> str:
    """Return an instruction as text, without metadata."""
    operands = ", ".join(f"%{operand.name}" for operand in instruction.operands)
    stated = [f"{name}={text}" for name, text in attribute_texts(instruction).items()]
    inner = _value_text(instruction.value) if instruction.value is not None else operands
    shape = text_of(instruction.shape)
    return f"%{instruction.name} = {', '.join([f'{shape} {instruction.opcode}({inner})', *stated])}"


def attribute_texts(instruction: Instruction) -> dict[str, str]:
    """Return the attributes of an instruction that are compared, as text; computations by name."""
    found = {}
    for name, attribute in instruction.row.accepted.items():
        value = instruction.attributes.get(name)
        if value is None or name in _NOT_COMPARED:
            continue
        if attribute.kind == "computation":
            found[name] = f"%{value.name}"
        elif attribute.kind == "computations":
            found[name] = f"{{{', '.join(f'%{each.name}' for each in value)}}}"
        elif attribute.kind not in PARSED:
            kind = kind_of(attribute.kind)
            if value != kind.omitted:
                found[name] = kind.write(value)
    return found


def _value_text(value: object) -> str:
    return literal_text(value) if isinstance(value, Constant) else str(value)


def _contents(value: object) -> Hashable:
    """Return the elements of a constant, or the number of a parameter."""
    if not isinstance(value, Constant):
        return str(value)
    return tuple(map(_contents, value.parts)) if value.array is None else value.array.tobytes()


class _HloComparison:
    """The state of one comparison."""

    def __init__(self, first: HloModule, second: HloModule) -> None:
        self.modules = first, second
        self.numbers: dict[Hashable, int] = {}  # of what instructions and computations compute
        self.of: dict[int, int] = {}  # the number of an instruction or computation, by its id
        self.own: dict[int, Hashable] = {}  # the key of an instruction without its operands
        self.same: dict[int, Instruction] = {}  # instructions of the second module to those of the first
        self.matched: dict[int, Computation] = {}  # computations of the first module to those of the second
        self.taken: set[int] = set()
        self.rest: tuple[list[Place], list[Place]] = [], []  # instructions without a counterpart
        self.found: list[ProgramDifference] = []

    def run(self) -> list[ProgramDifference]:
        """Compare the modules."""
        for module in self.modules:
            for computation in module.post_order():
                self._number(computation)
        first, second = self.modules
        self._match_rest(lambda each: self.of[id(each)])
        self._match(first.entry, second.entry)
        self._match_rest(lambda each: _SUFFIX.sub("", each.name))
        for computation in first.computations:
            other = self.matched.get(id(computation))
            self._compare(computation, other)
        for other in second.computations:
            if id(other) not in self.taken:
                self._leftover([], [(other, each) for each in other.instructions])
        self._moved()
        order = {each.name: n for n, each in enumerate([*second.computations, *first.computations])}
        return sorted(self.found, key=lambda each: order[each.function])

    # ------------------------------------------------------------------------------- numbers

    def _number(self, computation: Computation) -> None:
        """Number what each instruction of a computation computes, and the computation itself."""
        for instruction in computation.post_order():
            own = self._own_key(instruction)
            key = own, tuple([self.of[id(operand)] for operand in instruction.operands])
            self.own[id(instruction)] = own
            self.of[id(instruction)] = self.numbers.setdefault(key, len(self.numbers))
        contents = Counter(self.of[id(each)] for each in computation.instructions)
        whole = "computation", self.of[id(computation.root)], frozenset(contents.items())
        self.of[id(computation)] = self.numbers.setdefault(whole, len(self.numbers))

    def _own_key(self, instruction: Instruction) -> Hashable:
        texts = attribute_texts(instruction)
        called = [(name, self.of.get(id(each))) for name, each in instruction.called]
        for name, _ in called:
            texts.pop(name, None)
        value = _contents(instruction.value)
        stated = tuple(sorted(texts.items()))
        return instruction.opcode, text_of(instruction.shape), stated, tuple(called), value

    # ------------------------------------------------------------------------------- computations

    def _match(self, first: Computation, second: Computation) -> None:
        """Match two computations, and the computations that their matched instructions call."""
        pending = [(first, second)]
        while pending:
            a, b = pending.pop()
            if id(a) in self.matched or id(b) in self.taken:
                continue
            self.matched[id(a)] = b
            self.taken.add(id(b))
            for x, y in self._pairs(a, b):
                self.same[id(y)] = x
                pending += [(p, q) for (_, p), (_, q) in zip(x.called, y.called, strict=False)]

    def _match_rest(self, key: Callable[[Computation], Hashable]) -> None:
        """Match computations that are left by a key, in order."""
        groups: dict[Hashable, list[Computation]] = defaultdict(list)
        for other in self.modules[1].computations:
            if id(other) not in self.taken:
                groups[key(other)].append(other)
        for computation in self.modules[0].computations:
            if id(computation) not in self.matched and (left := groups.get(key(computation))):
                self._match(computation, left.pop(0))

    # ------------------------------------------------------------------------------- instructions

    def _pairs(self, a: Computation, b: Computation) -> Iterator[tuple[Instruction, Instruction]]:
        """Yield matched instructions: by expression, by name, by opcode and attributes, by metadata."""
        left, right = list(a.instructions), list(b.instructions)
        keys: list[Callable[[Instruction], Hashable]] = [
            lambda each: (each.name, self.of[id(each)]),
            lambda each: self.of[id(each)],
            lambda each: (each.name, self.own[id(each)]),
            lambda each: (each.name, each.opcode),
            lambda each: self.own[id(each)],
            lambda each: (each.opcode, each.metadata.get("op_name"), each.metadata.get("source_line")),
        ]
        for key in keys:
            groups: dict[Hashable, list[Instruction]] = defaultdict(list)
            for instruction in reversed(right):
                groups[key(instruction)].append(instruction)
            missed, used = [], set[int]()
            for instruction in left:
                if found := groups.get(key(instruction)):
                    used.add(id(found[-1]))
                    yield instruction, found.pop()
                else:
                    missed.append(instruction)
            left, right = missed, [each for each in right if id(each) not in used]
        for run in align([each.opcode for each in left], [each.opcode for each in right]):
            if run.is_equal:
                others = right[run.other_start : run.other_end]
                yield from zip(left[run.start : run.end], others, strict=True)

    def _compare(self, computation: Computation, other: Computation | None) -> None:
        if other is None:
            self._leftover([(computation, each) for each in computation.instructions], [])
            return
        pairs = {id(self.same[id(y)]): y for y in other.instructions if id(y) in self.same}
        for instruction in computation.instructions:
            counterpart = pairs.get(id(instruction))
            if counterpart is None:
                self._leftover([(computation, instruction)], [])
                continue
            details = self._details(instruction, counterpart)
            if instruction is computation.root and self.of[id(other.root)] != self.of[id(counterpart)]:
                details = *details, f"root: from %{instruction.name} to %{other.root.name}"
            if details:
                self._add("changed", computation, instruction, counterpart, details)
        self._leftover([], [(computation, each) for each in other.instructions if id(each) not in self.same])

    def _details(self, a: Instruction, b: Instruction) -> tuple[str, ...]:
        if self.of[id(a)] == self.of[id(b)]:
            return ()
        found = list(_attribute_changes(a, b))
        for (name, callee), (_, other) in zip(a.called, b.called, strict=False):
            if self.matched.get(id(callee)) is not other and self.of[id(callee)] != self.of[id(other)]:
                found.append(f"{name}: from %{callee.name} to %{other.name}")
        if len(a.operands) != len(b.operands):
            found.append(f"operands: from {len(a.operands)} to {len(b.operands)}")
            return tuple(found)
        for index, (x, y) in enumerate(zip(a.operands, b.operands, strict=True)):
            if self.same.get(id(y)) is not x and self.of[id(x)] != self.of[id(y)]:
                note = " (a different value)" if x.name == y.name else ""
                found.append(f"operand {index}: from %{x.name} to %{y.name}{note}")
        return tuple(found)

    def _leftover(self, before: Sequence[Place], after: Sequence[Place]) -> None:
        self.rest[0].extend(before)
        self.rest[1].extend(after)

    def _moved(self) -> None:
        """Match what is left over across computations; report it as moved, removed or added."""
        removed, added = self.rest
        groups: dict[Hashable, list[Place]] = defaultdict(list)
        for place in reversed(added):
            groups[self.own[id(place[1])]].append(place)
        used = set[int]()
        for computation, instruction in removed:
            found = groups.get(self.own[id(instruction)]) if instruction.opcode != "parameter" else None
            if not found:
                self._add("removed", computation, instruction, None)
                continue
            target, counterpart = found.pop()
            used.add(id(counterpart))
            details = (f"moved to computation {target.name}",)
            self._add("changed", computation, instruction, counterpart, details)
        for computation, instruction in added:
            if id(instruction) not in used:
                self._add("added", computation, None, instruction)

    def _add(
        self,
        kind: Literal["removed", "added", "changed"],
        computation: Computation,
        before: Instruction | None,
        after: Instruction | None,
        details: tuple[str, ...] = (),
    ) -> None:
        first, second = self.modules
        self.found.append(
            ProgramDifference(
                kind,
                computation.name,
                line_of(before) if before is not None else "",
                line_of(after) if after is not None else "",
                first.position(before)[0] if before is not None else 0,
                second.position(after)[0] if after is not None else 0,
                details,
            )
        )


def _attribute_changes(a: Instruction, b: Instruction) -> Iterator[str]:
    """Describe the differences of two instructions of one opcode."""
    if a.shape != b.shape:
        yield f"shape: from {text_of(a.shape)} to {text_of(b.shape)}"
    left, right = attribute_texts(a), attribute_texts(b)
    callees = {name for each in (a, b) for name, _ in each.called}
    for name in sorted({*left, *right} - callees):
        if left.get(name) != right.get(name):
            yield f"{name}: from {_short(left.get(name))} to {_short(right.get(name))}"
    if a.value is not None and b.value is not None:
        yield from _value_changes("value", a.value, b.value)


def _value_changes(name: str, a: Constant | int, b: Constant | int) -> Iterator[str]:
    """Describe the differences of the values of two constants, or of the numbers of two parameters."""
    left, right = _value_text(a), _value_text(b)
    if left != right:
        yield f"{name}: from {_short(left)} to {_short(right)}"
        return
    if not isinstance(a, Constant) or not isinstance(b, Constant):
        return
    for index, (x, y) in enumerate(zip(a.parts, b.parts, strict=False)):
        yield from _value_changes(f"{name} {index}", x, y)
    if a.array is not None and b.array is not None and a.array.shape == b.array.shape:
        yield from _element_changes(name, a, b, a.array, b.array)


def _element_changes(name: str, a: Constant, b: Constant, mine: Array, theirs: Array) -> Iterator[str]:
    """Describe the elements in which two constants differ that are printed without them."""
    if mine.dtype != theirs.dtype or mine.tobytes() == theirs.tobytes():
        return
    rows = [np.frombuffer(array.tobytes(), np.uint8).reshape(array.size, -1) for array in (mine, theirs)]
    wrong = np.flatnonzero((rows[0] != rows[1]).any(axis=1))
    place = np.unravel_index(wrong[0], mine.shape)
    texts = [literal_text(Constant(each.shape, array[place])) for each, array in ((a, mine), (b, theirs))]
    at = ", ".join(map(str, place))
    yield f"{name}: {len(wrong)} of {mine.size} elements, the first at [{at}]: from {texts[0]} to {texts[1]}"


def _short(text: str | None) -> str:
    if text is None:
        return "absent"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
