"""Memory: the arrays of a region, and the module that its functions are written to."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from stablehlo_py.engines.native.elements import Element, element_of
from stablehlo_py.engines.native.index_space import row_major
from stablehlo_py.engines.native.llvm_ir import Builder
from stablehlo_py.engines.native.scope import Buffer
from stablehlo_py.interpreter.plan import Plan, Step

_ALIGNMENT = 64


@dataclass
class ModuleWriter:
    """What the functions of one module share.

    Attributes:
        declarations: what is declared or defined beside functions, by name.
        functions: the lines of the functions.
        constants: the arrays whose addresses follow the outputs' among the arguments.
        scratch: bytes of scratch memory.
        work: about how many element operations are shared out among threads.
    """

    declarations: dict[str, str] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    scratch: int = 0
    work: int = 0
    _memories: int = 0
    _names: int = 0

    def memory(self) -> str:
        """The name that a piece of memory has in every function."""
        self._memories += 1
        return f"%m{self._memories}"

    def name(self, stem: str) -> str:
        """The name of a new function."""
        self._names += 1
        return f"@{stem}{self._names}"


class Memory:
    """The arrays that `main` knows the addresses of.

    Args:
        writer: the module.
        b: the body of `main`.

    Attributes:
        addresses: the instructions that find the addresses, at the entry of `main`.
    """

    def __init__(self, writer: ModuleWriter, b: Builder) -> None:
        self.writer = writer
        self.b = b
        self.addresses: list[str] = []
        self._arguments = 0

    def argument(self, plan: Plan[Step], slot: int) -> Buffer:
        """The array of a slot whose address is the next argument."""
        name = self.writer.memory()
        self.addresses += [
            f"  {name}a = getelementptr ptr, ptr %args, i64 {self._arguments}",
            f"  {name} = load ptr, ptr {name}a",
        ]
        self._arguments += 1
        return self.buffer(name, plan, slot)

    def constant(self, plan: Plan[Step], slot: int) -> Buffer:
        """The array of a constant, behind all inputs and outputs."""
        self.writer.constants.append(np.ascontiguousarray(plan.constants[slot]))
        return self.argument(plan, slot)

    def temporary(self, plan: Plan[Step], slot: int, shared: bool = False) -> Buffer:
        """Memory for a slot: what threads share is in the scratch area, a scalar otherwise in registers."""
        element, size = element_at(plan, slot), prod(plan.shape_of(slot))
        name = self.writer.memory()
        if size == 1 and not shared:
            self.b.allocas.append(f"  {name} = alloca {element.storage}, align 8")
        else:
            self.addresses.append(f"  {name} = getelementptr i8, ptr %scratch, i64 {self.writer.scratch}")
            self.writer.scratch += -(-size * element.size // _ALIGNMENT) * _ALIGNMENT
        return self.buffer(name, plan, slot)

    def row(self, plan: Plan[Step], slot: int, outer: int) -> Buffer:
        """The memory of one row, in the frame of the function whose loop goes over the rows."""
        return self.buffer(self.writer.memory(), plan, slot, outer)

    def buffer(self, name: str, plan: Plan[Step], slot: int, outer: int = 0) -> Buffer:
        """A dense array by the name of its address; its first `outer` dimensions are not in memory."""
        strides = row_major(plan.shape_of(slot))
        pointer = self.b.value(name, "ptr")
        return Buffer(pointer, element_at(plan, slot), (0,) * outer + strides[outer:], outer > 0)


def element_at(plan: Plan[Step], slot: int) -> Element:
    """The element of a slot that has a native form."""
    element = element_of(plan.types[slot])
    assert element is not None
    return element
