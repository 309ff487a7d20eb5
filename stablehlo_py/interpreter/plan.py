"""Plans: a function as a flat list of steps over numbered slots, plain data that can be printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import TensorType, Type


@dataclass(slots=True)
class Step:
    """One kernel call: `call(*values of ins)` gives the value of the one slot in `outs`, or a tuple.

    `frees` are the slots that die here. `elementwise`: `call` depends on each element by itself.
    `rows`: the same as `call` on a matrix, giving a column, where it reduces an array's last dimension.
    `view`: results may share memory with operands. `flows` says so more precisely, for calls of
    functions: for each output, the positions in `ins` it may share with. `overwritable` are the
    positions in `ins` whose arrays `in_place` may write into, and `overwrites` those it does write
    into. `effect`: runs even if nothing uses its results, in order. `members` are the ops of a chain.
    """

    name: str
    call: Callable[..., Any]
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    op: Operation
    elementwise: bool = False
    rows: Callable[..., Any] | None = None
    view: bool = False
    effect: bool = False
    packed: bool = False  # the call gives a tuple
    overwritable: tuple[int, ...] = ()
    in_place: Callable[..., Any] | None = None
    overwrites: tuple[int, ...] = ()
    flows: tuple[Flow, ...] | None = None
    owns: OwningLoop | None = None
    frees: tuple[int, ...] = ()
    note: str = ""
    members: tuple[Operation, ...] = ()


@dataclass(frozen=True, slots=True)
class Flow:
    """Where a function's output may come from: `inputs` are positions; `constant` or `spread` memory
    may not be written into (`spread`: several elements in one place)."""

    inputs: frozenset[int] = frozenset()
    constant: bool = False
    spread: bool = False


@dataclass(frozen=True, slots=True)
class OwningLoop:
    """A loop that writes into values it carries: `inputs` are their positions, to be given to it to
    own, or copied first."""

    inputs: frozenset[int]


@dataclass(slots=True)
class Plan:
    """A function's steps. Slots 0 to `arity - 1` are its inputs, and `constants` are filled at the start."""

    name: str
    arity: int
    types: list[Type]
    constants: dict[int, Any]
    steps: list[Step]
    outputs: tuple[int, ...]
    bodies: list[tuple[str, Plan]] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(self._lines(""))

    def _lines(self, indent: str) -> list[str]:
        inputs = ", ".join(f"%{i}: {self.types[i]}" for i in range(self.arity))
        lines = [f"{indent}plan {self.name}({inputs})"]
        lines += [f"{indent}  %{slot} = constant : {self.types[slot]}" for slot in self._used_constants()]
        lines += [f"{indent}  {self._step_text(step)}" for step in self.steps]
        lines += [f"{indent}  return {_slots(self.outputs)}"]
        for name, body in self.bodies:
            lines += body._lines(f"{indent}  {name}: ")
        return lines

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
