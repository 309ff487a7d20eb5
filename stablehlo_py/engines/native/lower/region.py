"""Lowering of a region: each step is a loop nest that stores its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from stablehlo_py.engines.native.loop_ir.expressions import Buffer, Expression, Space, constant, load
from stablehlo_py.engines.native.loop_ir.index import Indices, Variable, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Loop, LoopKind, Program, Statement, Store
from stablehlo_py.engines.native.lower import (  # noqa: F401 (they register emitters)
    contraction,
    elementwise,
    gather_scatter,
    reduction,
    shape,
    window,
)
from stablehlo_py.engines.native.lower.records import Emitter, emitter_of
from stablehlo_py.engines.native.region import Region
from stablehlo_py.interpreter.plan import Plan, Step, is_uniform


def supports(plan: Plan[Step], step: Step) -> bool:
    """Test whether a step has an emitter for its operands and attributes."""
    emitter = emitter_of(step.name)
    return emitter is not None and (emitter.supports is None or emitter.supports(plan, step))


def lower(region: Region) -> Program:
    """Lower the steps of a region.

    Args:
        region: The region, whose steps are all supported.

    Returns:
        The program: its inputs and outputs are those of the region, its constants those that are no numbers.
    """
    return _RegionLowering(region).program()


class Lowering:
    """The slots of a plan, as expressions.

    Args:
        plan: The plan.
        buffers: The slots that are arrays.
        values: The slots of rank 0 that are values.
        names: The numbers of loop variables.
    """

    def __init__(
        self,
        plan: Plan[Step],
        buffers: Mapping[int, Buffer],
        values: Mapping[int, Expression],
        names: count[int],
    ) -> None:
        self.plan = plan
        self.buffers = buffers
        self.values = dict(values)
        self._names = names

    def shape(self, slot: int) -> tuple[int, ...]:
        """The shape of a slot."""
        return self.plan.shape_of(slot)

    def type(self, slot: int) -> Any:
        """The element type of a slot."""
        return self.plan.tensor(slot).element_type

    def variables(self, extents: Sequence[int]) -> tuple[Variable, ...]:
        """New loop variables."""
        return tuple([Variable(f"i{next(self._names)}", extent) for extent in extents])

    def at(self, slot: int, indices: Indices) -> Expression:
        """The element of a slot at an index."""
        if slot in self.values:
            return self.values[slot]
        if slot in self.buffers:
            return load(self.buffers[slot], indices)
        array = np.asarray(self.plan.constants[slot])
        return constant(array.reshape(-1)[0], self.type(slot))

    def nested(
        self, variables: Sequence[Variable], body: Sequence[Statement], kind: LoopKind = "parallel"
    ) -> list[Statement]:
        """Loops around statements, the first variable outermost; those of one iteration are left out."""
        statements = tuple(body)
        for variable in reversed(variables):
            if variable.extent != 1:
                statements = (Loop(variable, statements, kind),)
        return list(statements)

    def inline(self, body: Plan[Step], values: Sequence[Expression]) -> list[Expression]:
        """The outputs of a body on scalars, from its inputs."""
        inner = Lowering(body, {}, dict(enumerate(values)), self._names)
        for step in body.steps:
            emitter = emitter_of(step.name)
            assert emitter is not None and emitter.element is not None
            inner.values[step.outs[0]] = emitter.element(inner, step, ())
        return [inner.at(slot, ()) for slot in body.outputs]


class _RegionLowering:
    """Lowers one region."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.plan = region.plan
        self.buffers: dict[int, Buffer] = {}

    def program(self) -> Program:
        """Lower all steps."""
        region = self.region
        self._declare(region.inputs, "input", "x")
        read = dict.fromkeys(slot for step in region.steps for slot in step.ins)
        constants = self.plan.constants
        self._declare([s for s in read if s in constants and not is_uniform(constants[s])], "constant", "c")
        self._declare(region.outputs, "output", "y")
        self._declare([slot for step in region.steps for slot in step.outs], "scratch", "v")
        lowering = Lowering(self.plan, self.buffers, {}, count())
        body: list[Statement] = []
        for step in region.steps:
            emitter = emitter_of(step.name)
            assert emitter is not None
            body += _nest(lowering, step, emitter)
        return Program(tuple(self.buffers.values()), tuple(body))

    def _declare(self, slots: Sequence[int], space: Space, stem: str) -> None:
        for slot in slots:
            if slot not in self.buffers:
                type = self.plan.tensor(slot)
                name = f"{stem}{slot}"
                self.buffers[slot] = Buffer(name, type.element_type, self.plan.shape_of(slot), space)


def _nest(lowering: Lowering, step: Step, emitter: Emitter) -> Sequence[Statement]:
    """The statements of a step."""
    if emitter.loops is not None:
        return emitter.loops(lowering, step)
    assert emitter.element is not None
    (slot,) = step.outs
    variables = lowering.variables(lowering.shape(slot))
    indices = tuple(map(of_variable, variables))
    store = Store(lowering.buffers[slot], indices, emitter.element(lowering, step, indices))
    return lowering.nested(variables, [store])
