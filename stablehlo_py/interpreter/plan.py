"""Plans: functions as flat lists of steps over numbered slots; plain data that can be printed.

    module -> lower -> Plan -> passes -> Engine.prepare -> callable

A `Plan` is a function or a region. A `Step` is an op: its definition, the slots that it reads and writes, its
attribute values, and the plans of its regions, whose captured values are operands after those of the op.
Neither holds code: an engine (see `stablehlo_py.engines.engine`) decides what each step calls. Passes read
and transform plans; an engine extends `Step` by a subclass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.opset.definition import OpDef

COPY = "copy"  # the name of a step that copies its operand


class Check(Protocol):
    """The values that a deferred check reads when it runs."""

    def violations(self, values: Sequence[Any], /) -> list[Diagnostic]:
        """Return the errors in the values of the step's slots."""


@dataclass(frozen=True, slots=True)
class Alias:
    """The memory that an array may share.

    Attributes:
        inputs: The positions of the inputs (of a plan) or operands (of a step) that it may share memory with.
        constant: Whether it may share memory with a constant.
        repeats: Whether several elements may have one address, as after a broadcast.
    """

    inputs: frozenset[int] = frozenset()
    constant: bool = False
    repeats: bool = False


@dataclass(slots=True)
class Step:
    """An op, call, copy or deferred check, which reads the slots `ins` and writes the slots `outs`.

    Attributes:
        name: The op's name, `call @f`, `check C1 of OP` for a deferred check, or `copy`.
        op: The op that errors refer to; None for a copy of an input.
        ins: The slots of the op's operands, then those that its bodies capture, body after body.
        outs: The slots of the op's results.
        definition: The op's definition; None for a call, check or copy.
        keywords: Attribute values and result types, by the names in the definition.
        bodies: The plans of the op's regions, by the names in the definition; tuples of them where variadic.
        callee: The function that a call calls, by its name in `Plan.functions`.
        deferred: The constraints that a check evaluates with actual shapes.
        returns_tuple: Whether a call returns a tuple of the results, instead of the only result.
        effect: Whether it has side effects, so that it runs in order even if its results are unused.
        varying: In a plan on elements, whether an operand depends on the elements (see `Plan.on_elements`).
        elementwise: Whether each element of a result depends only on the same element of each operand.
        view: Whether results may share memory with operands; `aliases` is more precise, for each result.
        overwritable: The positions in `ins` of the arrays that the step can write its results into.
        overwrites: The positions in `ins` of the arrays that it does write into.
        owns: The positions in `ins` of arrays that the step must own, such as those that a loop updates.
        frees: The slots whose arrays are released after the step.
        members: The ops that are fused into this step, if there are several.
        note: A remark for readers of the printed plan.
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
        """The plans of the bodies, in order."""
        found = self.bodies.values()
        return [plan for body in found for plan in (body if isinstance(body, tuple) else (body,))]


S = TypeVar("S", bound=Step)


@dataclass(slots=True)
class Plan(Generic[S]):
    """The steps of a function or region, in topological order.

    Attributes:
        name: `@f` for a function, `OP body` for a region.
        module: The module that contains it.
        functions: The plans of the module's functions, by the names in `Step.callee` and attributes.
        arity: The number of inputs, which are slots 0 to `arity - 1`.
        captures: The number of inputs, the last ones, that a region captures.
        types: The type of each slot.
        constants: The arrays of the slots that hold constants.
        steps: The steps.
        outputs: The slots that are returned.
        on_elements: Whether it is a region that its op applies to elements, which may be called with whole
            arrays of them: each step then works on 0-dimensional tensors, or arrays of many of them.
        iterates: Whether it is the body of a loop, called once an iteration.
        writes: The inputs that it overwrites; the caller must give up their memory.
        aliases: The memory that each output may share; None before alias analysis.
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
        """The types of the inputs, without captured ones."""
        return tuple(self.types[: self.arity - self.captures])

    @property
    def output_types(self) -> tuple[Type, ...]:
        """The types of the outputs."""
        return tuple([self.types[slot] for slot in self.outputs])

    def tensor(self, slot: int) -> TensorType:
        """The type of a slot that holds a tensor."""
        type = self.types[slot]
        assert isinstance(type, TensorType)
        return type

    def shape_of(self, slot: int) -> tuple[int, ...]:
        """The shape of a slot that holds a tensor of static shape."""
        shape = [size for size in self.tensor(slot).shape if size is not None]
        assert len(shape) == self.tensor(slot).rank
        return tuple(shape)

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
    """Return the size of a tensor's elements in bytes, None where it is unknown and for other types."""
    from stablehlo_py.ir.element_types import numpy_dtype

    if not isinstance(type, TensorType) or type.size is None:
        return None
    try:
        return type.size * numpy_dtype(type.element_type).itemsize
    except TypeError:  # no array holds such elements
        return None


def is_uniform(constant: Any) -> bool:
    """Test whether all elements of a constant are the same, so that it needs no memory."""
    array = np.asarray(constant)
    if array.size == 0:
        return False
    return array.size == 1 or all(stride == 0 for stride in array.strides)
