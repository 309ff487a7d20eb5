"""Lowering of a region: each step is a loop nest that stores its results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Expression,
    Space,
    constant,
    load,
    reference,
)
from stablehlo_py.engines.native.loop_ir.index import ZERO, Indices, Variable, of_variable
from stablehlo_py.engines.native.loop_ir.statements import (
    Let,
    Loop,
    LoopKind,
    Program,
    Statement,
    Store,
)
from stablehlo_py.engines.native.lower.control import called, is_called
from stablehlo_py.engines.native.lower.origins import Origin, Origins, made_by
from stablehlo_py.engines.native.lower.registry import emitter_of
from stablehlo_py.engines.native.lower.values import stored
from stablehlo_py.engines.native.region import Region
from stablehlo_py.interpreter.plan import Plan, Step, is_uniform
from stablehlo_py.ir.types import TensorType, Type


class Lowered(NamedTuple):
    """A region as loops.

    Attributes:
        program: The program, with the inputs and outputs of the region.
        slots: The plans and slots of its constants, in order.
        called: The steps that its calls from outside run, by number, with their plans.
        origins: The steps that compute its buffers and values, by name.
    """

    program: Program
    slots: tuple[tuple[Plan[Step], int], ...]
    called: tuple[tuple[Plan[Step], Step], ...]
    origins: Origins

    @property
    def constants(self) -> tuple[Any, ...]:
        """The arrays of its constants, in order."""
        return tuple([np.asarray(plan.constants[slot]) for plan, slot in self.slots])


def lower(region: Region, whole_windows: bool = False) -> Lowered:
    """Lower the steps of a region, all of which are supported.

    Args:
        region: The region.
        whole_windows: Whether a scatter drops a window that is partly out of bounds, as XLA does.
    """
    memory = Memory(whole_windows)
    plan, slots = region.plan, dict[int, Buffer]()
    slots.update((slot, memory.new(plan.types[slot], "input", f"x{slot}")) for slot in region.inputs)
    slots.update((slot, memory.new(plan.types[slot], "output", f"y{slot}")) for slot in region.outputs)
    body = Lowering(plan, slots, {}, memory).steps(region.steps)
    program = Program(tuple(memory.buffers), tuple(body))
    return Lowered(program, tuple(memory.constants), tuple(memory.called), memory.origins)


class Memory:
    """The buffers of a program, and the numbers of its loop variables."""

    def __init__(self, whole_windows: bool = False) -> None:
        self.whole_windows = whole_windows
        self.buffers: list[Buffer] = []
        self.constants: list[tuple[Plan[Step], int]] = []
        self.called: list[tuple[Plan[Step], Step]] = []
        self.origins: Origins = {}
        self._names: set[str] = set()
        self._others: dict[str, Iterator[str]] = {}  # the names to try next for a name
        self.variables = count()
        self.names = count()

    def new(self, type: Type, space: Space, name: str) -> Buffer:
        """Declare a buffer for a tensor; a suffix makes its name unique."""
        assert isinstance(type, TensorType)
        others = self._others.setdefault(name, _suffixed(name))
        unique = next(each for each in others if each not in self._names)
        self._names.add(unique)
        extents = tuple([size for size in type.shape if size is not None])
        made = Buffer(unique, stored(type.element_type), extents, space)
        self.buffers.append(made)
        return made

    def constant(self, plan: Plan[Step], slot: int) -> Buffer:
        """Declare a constant."""
        self.constants.append((plan, slot))
        return self.new(plan.types[slot], "constant", f"c{slot}")


def _suffixed(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{number}" for number in count(1))


class Lowering:
    """The slots of a plan, as expressions.

    Args:
        plan: The plan.
        buffers: The slots that are arrays, which are extended.
        values: The slots of rank 0 that are values.
        memory: The buffers of the program.
        is_body: Whether the plan is a body of control flow, whose steps may be called.
    """

    def __init__(
        self,
        plan: Plan[Step],
        buffers: dict[int, Buffer],
        values: Mapping[int, Expression],
        memory: Memory,
        is_body: bool = False,
    ) -> None:
        self.plan = plan
        self._is_body = is_body
        self.buffers = buffers
        self.values = dict(values)
        self.memory = memory

    def steps(self, steps: Sequence[Step]) -> list[Statement]:
        """The statements of some steps, in order."""
        body: list[Statement] = []
        for step in steps:
            for slot in step.outs:
                if slot not in self.buffers:
                    self.buffers[slot] = self.memory.new(self.plan.types[slot], "scratch", f"v{slot}")
            made = self._step(step)
            operands = [self.buffers[slot].name for slot in step.ins if slot in self.buffers]
            origin = Origin(self.plan, step, tuple(operands))
            for name in made_by(made):
                self.memory.origins.setdefault(name, origin)
            body += made
        return body

    def _step(self, step: Step) -> Sequence[Statement]:
        if self._is_body and is_called(self.plan, step):
            return called(self, step)
        emitter = emitter_of(step.name)
        assert emitter is not None
        if emitter.loops is not None:
            return emitter.loops(self, step)
        assert emitter.element is not None
        (slot,) = step.outs
        element, buffer = emitter.element, self.buffers[slot]
        return self.over(self.shape(slot), lambda *at: [Store(buffer, at, element(self, step, at))])

    def within(self, body: Plan[Step], inputs: Sequence[Buffer]) -> Lowering:
        """The slots of a region, whose inputs are buffers."""
        return Lowering(body, dict(enumerate(inputs)), {}, self.memory, is_body=True)

    def copy(self, slot: int, target: Buffer) -> list[Statement]:
        """Copy a slot to a buffer."""
        return self.over(target.shape, lambda *at: [Store(target, at, self.at(slot, at))])

    def shape(self, slot: int) -> tuple[int, ...]:
        """The shape of a slot."""
        return self.plan.shape_of(slot)

    def type(self, slot: int) -> Any:
        """The element type of a slot."""
        return stored(self.plan.tensor(slot).element_type)

    def scratch(self, extents: Sequence[int], element: Type, name: str) -> Buffer:
        """Memory of the call that a step has besides its results."""
        return self.memory.new(TensorType(tuple(extents), element), "scratch", name)

    def batched(
        self, extents: Sequence[int], body: Callable[[Indices], Sequence[Statement]]
    ) -> list[Statement]:
        """Return one nest that runs statements for each index of a batch, which may have a single index.

        The outermost loop is parallel, so that memory for each index is memory of an iteration.
        """
        rows = self.variables(extents)
        inner = tuple(body(tuple(map(of_variable, rows))))
        outer, *others = [row for row in rows if row.extent > 1] or self.variables([1])
        return [Loop(outer, tuple(self.nested(others, inner, "for")), "parallel")]

    def for_each(
        self, batch: Indices, extents: Sequence[int], element: Type, name: str
    ) -> tuple[Indices, Buffer]:
        """Memory for each index of a batch: the leading indices there, and the buffer."""
        outer = [index.bounds[1] + 1 for index in batch] or [1]
        return batch or (ZERO,), self.scratch([*outer, *extents], element, name)

    def over(
        self, extents: Sequence[int], body: Callable[..., Sequence[Statement]], kind: LoopKind = "parallel"
    ) -> list[Statement]:
        """Return loops over extents, the first one outermost, around the statements of a function."""
        variables = self.variables(extents)
        return self.nested(variables, body(*map(of_variable, variables)), kind)

    def let(self, body: list[Statement], value: Expression) -> Expression:
        """Append a definition of a value to statements, and return a reference to it."""
        name = f"w{next(self.memory.names)}"
        body.append(Let(name, value))
        return reference(name, value.type)

    def variables(self, extents: Sequence[int]) -> tuple[Variable, ...]:
        """New loop variables."""
        return tuple([Variable(f"i{next(self.memory.variables)}", extent) for extent in extents])

    def operands(self, step: Step, indices: Indices) -> list[Expression]:
        """The elements of the operands of an elementwise step; all elements share a scalar."""
        return [self.at(slot, indices if self.shape(slot) else ()) for slot in step.ins]

    def at(self, slot: int, indices: Indices) -> Expression:
        """The element of a slot at an index."""
        if slot in self.values:
            return self.values[slot]
        if slot not in self.buffers:
            array = np.asarray(self.plan.constants[slot])
            if is_uniform(array):
                return constant(array.reshape(-1)[0], self.type(slot))
            self.buffers[slot] = self.memory.constant(self.plan, slot)
        return load(self.buffers[slot], indices)

    def nested(
        self, variables: Sequence[Variable], body: Sequence[Statement], kind: LoopKind = "parallel"
    ) -> list[Statement]:
        """Return loops around statements, the first variable outermost, without loops of one iteration."""
        statements = tuple(body)
        for variable in reversed(variables):
            if variable.extent != 1:
                statements = (Loop(variable, statements, kind),)
        return list(statements)

    def inline(
        self, body: Plan[Step], values: Sequence[Expression], slots: Sequence[int] | None = None
    ) -> list[Expression]:
        """The outputs of a body on scalars, or other slots of it, from its inputs."""
        inner = Lowering(body, {}, dict(enumerate(values)), self.memory)
        for step in body.steps:
            emitter = emitter_of(step.name)
            assert emitter is not None and emitter.element is not None
            inner.values[step.outs[0]] = emitter.element(inner, step, ())
        return [inner.at(slot, ()) for slot in (body.outputs if slots is None else slots)]
