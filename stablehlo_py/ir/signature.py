"""Function signatures: inputs and results, with their names in the text and in JAX."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import ArrayAttr, DictAttr, StringAttr, TypeAttr
from stablehlo_py.ir.core import BlockArgument, Operation
from stablehlo_py.ir.locations import NameLoc
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import FunctionType, TensorType, Type


@dataclass(frozen=True, slots=True)
class Argument:
    """An input: its index, its name in the text, all names by which it can be passed, and its type."""

    index: int
    name: str
    names: frozenset[str]
    type: Type

    def __str__(self) -> str:
        return f"input {self.index} (%{self.name})"


@dataclass(frozen=True, slots=True)
class Output:
    """A result: its index, the name that JAX recorded, its type, and which slice of it is meant, or ""."""

    index: int
    name: str
    type: Type
    part: str = ""

    def __str__(self) -> str:
        number = f"result {self.index}{self.part}"
        return f'{number} "{self.name}"' if self.name else number

    def type_of(self, value: Any) -> Type:
        """Return the type of a value of this result, with its actual sizes in place of dynamic dimensions."""
        if isinstance(self.type, TensorType) and not self.type.is_static:
            return TensorType(np.shape(value), self.type.element_type)
        return self.type


@dataclass(frozen=True, slots=True)
class Signature:
    """The name, inputs and results of a function."""

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Output, ...]


def signature(function: Operation) -> Signature:
    """Return the signature of a `func.func` with a body."""
    type = function_type(function)
    results = type.results if type else ()
    attributes = function.attribute("res_attrs")
    entries = attributes.value if isinstance(attributes, ArrayAttr) else ()
    names = [_result_name(entry) for entry in entries] or [""] * len(results)
    return Signature(
        str(function.python_value("sym_name")),
        tuple(_argument(value) for value in function.regions[0].blocks[0].arguments),
        tuple(Output(i, name, t) for i, (name, t) in enumerate(zip(names, results, strict=True))),
    )


def function_type(op: Operation) -> FunctionType | None:
    """Return the type of a function; None if the op has none."""
    type = op.attribute("function_type")
    return type.value if isinstance(type, TypeAttr) and isinstance(type.value, FunctionType) else None


def _argument(value: BlockArgument) -> Argument:
    name = value.name or f"arg{value.index}"
    location = value.location
    recorded = {location.name} if isinstance(location, NameLoc) else set()
    names = frozenset({name, f"arg{value.index}", f"in{value.index}", *recorded})
    return Argument(value.index, name, names, value.type)


def _result_name(entry: object) -> str:
    info = entry.get("jax.result_info") if isinstance(entry, DictAttr) else None
    return info.value if isinstance(info, StringAttr) else ""
