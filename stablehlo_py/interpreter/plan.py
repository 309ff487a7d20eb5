"""Plans: a function as a flat list of steps over numbered slots, plain data that can be printed.

    module -> lower -> Plan -> passes -> Engine.prepare -> callable

A `Plan` is a function or a region. A `Step` is an op of it: its definition, the slots that it reads and
writes, the values of its attributes, and the plans of its regions, whose captured values are operands
behind the op's own. Neither holds code: an engine (see `stablehlo_py.engines.engine`) decides what each
step calls. Passes read and change plans; what an engine adds to a step goes into a subclass of `Step`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.opset.definition import OpDef

COPY = "copy"  # the name of a step that is no op and copies its operand


class Check(Protocol):
    """What a deferred check looks at when it runs."""

    def violations(self, values: Sequence[Any], /) -> list[Diagnostic]:
        """What is wrong with the values of the step's slots."""


@dataclass(frozen=True, slots=True)
class Alias:
    """The memory that an array may share, as alias analysis knows it.

    Attributes:
        inputs: the positions of the inputs (of a plan) or operands (of a step) that it may share it with.
        constant: it may be a constant's.
        repeats: several elements may be in one place, as after a broadcast.
    """

    inputs: frozenset[int] = frozenset()
    constant: bool = False
    repeats: bool = False


@dataclass(slots=True)
class Step:
    """One op, call, copy or deferred check: reads the slots `ins`, writes the slots `outs`.

    Attributes:
        name: the op's name, `call @f`, `check C1 of OP` or `check result of OP` for a
            deferred check, or `copy`.
        op: the op that errors name; None for a copy of an input.
        ins: the slots of the op's operands, then those that its bodies capture, body after body.
        outs: the slots of the op's results.
        definition: the op's definition; None where the step is none (a call, a check, a copy).
        keywords: values of attributes and types of results, by the definition's names.
        bodies: the plans of the op's regions, by the definition's names; a tuple where it is variadic.
        callee: the function that a call calls, by its name in `Plan.functions`.
        deferred: what a check evaluates: constraints or types, with actual shapes.
        returns_tuple: a call of it gives a tuple of the results, and not the only one.
        effect: it runs even if nothing uses its results, and in order.
        varying: in a plan on elements, an operand depends on the elements (see `Plan.on_elements`).
        elementwise: each element of a result depends on the same element of each operand alone.
        view: results may share memory with operands. `aliases` says so more precisely, for each result.
        overwritable: the positions in `ins` whose arrays the step can write its results into.
        overwrites: those that it does write into.
        owns: the positions in `ins` whose arrays must be the step's own, as those that a loop updates.
        frees: the slots whose arrays are dropped behind the step.
        members: the ops that run as this one step, where there are several.
        note: what a reader of the plan should know besides.
    """

    name: str
    op: Operation | None
    ins: tuple[int, ...]
    outs: tuple[int, ...] = ()
    definition: OpDef | None = None
    keywords: Mapping[str, Any] = field(default_factory=dict)
    bodies: Mapping[str, Plan[Any] | tuple[Plan[Any], ...]] = field(default_factory=dict)
    callee: str = ""
    deferred: Check | None = None
    returns_tuple: bool = False
    effect: bool = False
    varying: bool = False
    elementwise: bool = False
    view: bool = False
    aliases: tuple[Alias, ...] | None = None
    overwritable: tuple[int, ...] = ()
    overwrites: tuple[int, ...] = ()
    owns: frozenset[int] = frozenset()
    frees: tuple[int, ...] = ()
    members: tuple[Operation, ...] = ()
    note: str = ""

    @property
    def plans(self) -> list[Plan[Any]]:
        """The plans of the bodies, one after the other."""
        found = self.bodies.values()
        return [plan for body in found for plan in (body if isinstance(body, tuple) else (body,))]


S = TypeVar("S", bound=Step)


@dataclass(slots=True)
class Plan(Generic[S]):
    """A function's or region's steps, in an order in which each follows those that it uses.

    Attributes:
        name: `@f` for a function, `OP body` for a region.
        module: the module that it is from.
        functions: the plans of the module's functions, by the names that `Step.callee` and attributes have.
        arity: slots 0 to `arity - 1` are the inputs.
        captures: how many of the inputs, the last ones, are captured from outside of a region.
        types: the type of each slot.
        constants: the arrays of the slots that are filled at the start.
        steps: the steps.
        outputs: the slots that are returned.
        on_elements: it is a region that its op applies to elements, and may be called with whole arrays of
            them: each step then works on 0-dimensional tensors, or arrays that stand for many.
        iterates: it is the body of a loop, called once an iteration.
        writes: the inputs into whose memory it writes; the caller must give them away.
        aliases: the memory that each output may share; None until alias analysis has run.
    """

    name: str
    module: Module
    functions: Mapping[str, Plan[Any]]
    arity: int
    types: list[Type]
    constants: dict[int, Any]
    steps: list[S]
    outputs: tuple[int, ...]
    captures: int = 0
    on_elements: bool = False
    iterates: bool = False
    writes: frozenset[int] = frozenset()
    aliases: tuple[Alias, ...] | None = None

    @property
    def input_types(self) -> tuple[Type, ...]:
        """The types of the inputs, but for captured ones."""
        return tuple(self.types[: self.arity - self.captures])

    @property
    def output_types(self) -> tuple[Type, ...]:
        """The types of the outputs."""
        return tuple([self.types[slot] for slot in self.outputs])

    def __str__(self) -> str:
        return "\n".join(self._lines(""))

    def _lines(self, indent: str) -> Iterator[str]:
        inputs = ", ".join(f"%{i}: {self.types[i]}" for i in range(self.arity))
        yield f"{indent}plan {self.name}({inputs})"
        yield from [f"{indent}  %{slot} = constant : {self.types[slot]}" for slot in self._used_constants()]
        yield from [f"{indent}  {self._step_text(step)}" for step in self.steps]
        yield f"{indent}  return {_slots(self.outputs)}"
        for step in self.steps:
            for body in step.plans:
                yield from body._lines(f"{indent}  {step.name}: ")

    def _used_constants(self) -> list[int]:
        used = {slot for step in self.steps for slot in step.ins} | set(self.outputs)
        return sorted(used & self.constants.keys())

    def _step_text(self, step: Step) -> str:
        text = f"{_slots(step.outs)} = {step.name} {_slots(step.ins)}".strip()
        if step.outs:
            text += " : " + ", ".join(str(self.types[slot]) for slot in step.outs)
        if step.overwrites:
            text += " in place of " + _slots(tuple(step.ins[i] for i in step.overwrites))
        elif step.view:
            text += " view"
        if step.frees:
            text += " frees " + _slots(step.frees)
        return text + (f"  [{step.note}]" if step.note else "")


def _slots(slots: tuple[int, ...]) -> str:
    return ", ".join(f"%{slot}" for slot in slots)


def byte_size(type: Type) -> int | None:
    """The size of a tensor's elements in memory, None where it is not known or not a tensor."""
    from stablehlo_py.ir.element_types import numpy_dtype

    if not isinstance(type, TensorType) or type.size is None:
        return None
    return type.size * numpy_dtype(type.element_type).itemsize
