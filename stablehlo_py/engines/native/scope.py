"""Scopes: the values of slots at an index, emitted where they are used.

A slot is an array in memory, a value that the surrounding code has, or an expression: the op that makes it,
which is evaluated at the index that its user asks for. So a chain of elementwise ops, broadcasts, slices and
transposes becomes one loop body (producer fusion); a value that is used twice at one index is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from stablehlo_py.engines.native.arithmetic.elements import Element, element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Number, Value
from stablehlo_py.engines.native.index_space import ZERO, Index, Indices, computed, linear
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass

_Key = tuple[int, Indices]
Expression = Callable[["Scope", Step, Indices], Value]
_OFFSET = -1  # in place of a slot, for values that are offsets
_NUMBERS: dict[str, Callable[[Any], Number]] = {  # of an array's element, by the kind of elements
    "floating": float,
    "integer": int,
    "boolean": bool,
    "complex": complex,
}


@dataclass(frozen=True, slots=True)
class Buffer:
    """Elements in memory.

    Attributes:
        name: the name of the pointer to them, in every function.
        element: what they are.
        strides: how many elements apart neighbours along each dimension are.
        is_row: it is in the frame of the function that computes it, a row at a time.
    """

    name: str
    element: Element
    strides: tuple[int, ...]
    is_row: bool = False

    def pointer(self, b: Builder) -> Value:
        """The pointer to the first element, in a function."""
        return b.value(self.name, "ptr")


@dataclass(frozen=True, slots=True)
class Access:
    """A load of a buffer: which slot, and the indices in it."""

    slot: int
    indices: Indices


@dataclass
class Scope:
    """The slots of one plan while code is emitted.

    Attributes:
        plan: the plan.
        b: the function being written.
        expressions: the emitter of each op.
        producers: for each slot, the step that makes it.
        buffers: the slots that are in memory.
        values: the slots of rank 0 that are values.
        accesses: loads made so far, if they are recorded.
        cuts: indices of joined arrays and the boundaries of operands, if they are recorded.
        whole_windows: whether a window of a scatter that is partly outside is skipped as a whole.
    """

    plan: Plan[Step]
    b: Builder
    expressions: Mapping[str, Expression]
    producers: Mapping[int, Step]
    buffers: Mapping[int, Buffer] = field(default_factory=dict)
    values: dict[int, Value] = field(default_factory=dict)
    accesses: list[Access] | None = None
    cuts: list[tuple[Index, int]] | None = None
    whole_windows: bool = False
    _memo: dict[_Key, Value] = field(default_factory=dict)
    _entered: list[list[tuple[_Key, Value | None]]] = field(default_factory=lambda: [[]])

    def in_function(self, b: Builder) -> Scope:
        """The same slots in another function, where none has been computed."""
        return Scope(
            self.plan, b, self.expressions, self.producers, self.buffers, whole_windows=self.whole_windows
        )

    def shape(self, slot: int) -> tuple[int, ...]:
        """The shape of a slot."""
        return self.plan.shape_of(slot)

    def element(self, slot: int) -> Element:
        """The element type of a slot."""
        element = element_of(self.plan.types[slot])
        assert element is not None
        return element

    def enter(self) -> None:
        """Begins a block that does not dominate what follows it: the body of a loop."""
        self._entered.append([])

    def leave(self) -> None:
        """Ends the block that `enter` began."""
        for key, before in reversed(self._entered.pop()):
            if before is None:
                self._memo.pop(key, None)
            else:
                self._memo[key] = before

    def _keep(self, key: _Key, value: Value, before: Value | None) -> Value:
        """Make a value known up to the end of the block, where the one before is known again."""
        self._entered[-1].append((key, before))
        self._memo[key] = value
        return value

    def at(self, slot: int, indices: Indices) -> Value:
        """The element of a slot at an index, computed or loaded."""
        if slot in self.values:
            return self.values[slot]
        key = (slot, indices)
        return self._memo.get(key) or self._keep(key, self._evaluate(slot, indices), None)

    def remember(self, slot: int, indices: Indices, value: Value) -> None:
        """Makes a value known that is computed at an index and may not be in memory yet."""
        key = (slot, indices)
        self._keep(key, value, self._memo.get(key))

    def bounds(self, index: Index) -> tuple[int, int]:
        """The bounds of an index, on which the code depends, so that its loops stay as they are."""
        if self.cuts is not None:
            self.b.do(f"use {index.emit(self.b)}")
        return index.bounds

    def cut(self, index: Index, boundary: int) -> None:
        """Record that elements from a boundary on are those of another operand."""
        if self.cuts is not None:
            self.cuts.append((index, boundary))

    def _evaluate(self, slot: int, indices: Indices) -> Value:
        if slot in self.buffers:
            return self.load(slot, indices)
        if slot in self.plan.constants:
            return self._constant(slot)
        step = self.producers[slot]
        return self.expressions[step.name](self, step, indices)

    def load(self, slot: int, indices: Indices) -> Value:
        """The element of a slot that is in memory."""
        buffer = self.buffers[slot]
        if self.accesses is not None:
            self.accesses.append(Access(slot, indices))
            return self.b.unknown(buffer.element.compute)
        return buffer.element.load(self.b, buffer.pointer(self.b), self._offset(indices, buffer))

    def _offset(self, indices: Indices, buffer: Buffer) -> Value:
        """The offset of an element, computed once for all buffers where it is the same."""
        offset = linear(indices, buffer.strides)
        if not offset.terms:
            return offset.emit(self.b)
        key = (_OFFSET, (offset,))
        return self._memo.get(key) or self._keep(key, offset.emit(self.b), None)

    def _constant(self, slot: int) -> Value:
        """The one element of a constant whose elements are all the same."""
        value = np.asarray(self.plan.constants[slot])
        element = self.element(slot)
        first: Any = value.reshape(-1)[0]
        return self.b.constant(_NUMBERS[element.kind](first), element.compute)

    def store(self, buffer: Buffer, indices: Indices, value: Value) -> None:
        """Stores the element of a buffer at an index."""
        buffer.element.store(self.b, value, buffer.pointer(self.b), self._offset(indices, buffer))

    def inline(self, plan: Plan[Step], values: list[Value]) -> list[Value]:
        """The outputs of a plan on 0-dimensional tensors, from its inputs."""
        producers = {slot: step for step in plan.steps for slot in step.outs}
        inner = Scope(plan, self.b, self.expressions, producers, values=dict(enumerate(values)))
        return [inner.at(slot, ()) for slot in plan.outputs]


def clamped_start(scope: Scope, slot: int, last: int, at: Indices = ()) -> Index:
    """The index that an element of a slot is, brought into `0 .. last`."""
    if last == 0:
        return ZERO
    start = scope.at(slot, at)
    signed = scope.element(slot).signed
    wide = start.convert("sext" if signed else "zext", "i64")
    if signed:
        wide = (wide < 0).select(0, wide)
    return computed(wide.compare("ugt", last).select(last, wide), last + 1)
