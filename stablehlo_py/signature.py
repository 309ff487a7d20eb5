"""What a function takes and gives, with the names that its author and JAX gave them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stablehlo_py.diagnostics import RunError
from stablehlo_py.ir.attributes import ArrayAttr, DictAttr, StringAttr, TypeAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.locations import NameLoc
from stablehlo_py.ir.types import FunctionType, TensorType, Type


@dataclass(frozen=True, slots=True)
class Argument:
    """An input: its position, its name in the text, every name it answers to, and its type."""

    index: int
    name: str
    names: frozenset[str]
    type: Type

    def __str__(self) -> str:
        return f"argument {self.index} (%{self.name})"


@dataclass(frozen=True, slots=True)
class Output:
    """A result: its position, the name that JAX recorded ("" if none), and its type."""

    index: int
    name: str
    type: Type

    def __str__(self) -> str:
        return f'result {self.index} "{self.name}"' if self.name else f"result {self.index}"

    def type_of(self, value: Any) -> Type:
        """The type of a value of this result: with its sizes where the program leaves them open."""
        if isinstance(self.type, TensorType) and not self.type.is_static:
            return TensorType(np.shape(value), self.type.element_type)
        return self.type


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's name, inputs and results."""

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Output, ...]


def signature(module: Module, entry: str | None = None) -> Signature:
    """The signature of a function: `entry`, or `main`, or the module's only function.

    Raises RunError if there is no such function, or it has no body.
    """
    function = entry_function(module, entry)
    type = function.attribute("function_type")
    results = (
        type.value.results if isinstance(type, TypeAttr) and isinstance(type.value, FunctionType) else ()
    )
    attributes = function.attribute("res_attrs")
    entries = attributes.value if isinstance(attributes, ArrayAttr) else ()
    names = [_result_name(entry) for entry in entries] or [""] * len(results)
    return Signature(
        str(function.plain("sym_name")),
        tuple(_argument(value) for value in function.regions[0].blocks[0].arguments),
        tuple(Output(i, name, t) for i, (name, t) in enumerate(zip(names, results, strict=True))),
    )


def entry_function(module: Module, entry: str | None = None) -> Operation:
    """The function to run: `entry`, or `main`, or the module's only function. Raises RunError."""
    functions = {name: op for name, op in module.functions.items() if op.regions and op.regions[0].blocks}
    if not functions:
        raise RunError("the module has no function with a body")
    name = entry or ("main" if "main" in functions else next(iter(functions)))
    if entry is None and name != "main" and len(functions) > 1:
        raise RunError(f"the module has no @main; choose one of {_listed(functions)}")
    if name not in functions:
        raise RunError(f"the module has no function @{name}; it has {_listed(functions)}")
    return functions[name]


def _function_type(function: Operation) -> FunctionType:
    type = function.attribute("function_type")
    if isinstance(type, TypeAttr) and isinstance(type.value, FunctionType):
        return type.value
    raise RunError(f"@{function.plain('sym_name')} has no function type")


def _listed(functions: dict[str, Operation]) -> str:
    return ", ".join(f"@{name}" for name in functions)


def _argument(value: BlockArgument) -> Argument:
    name = value.name or f"arg{value.index}"
    location = value.location
    recorded = {location.name} if isinstance(location, NameLoc) else set()
    names = frozenset({name, f"arg{value.index}", f"in{value.index}", *recorded})
    return Argument(value.index, name, names, value.type)


def _result_name(entry: object) -> str:
    info = entry.get("jax.result_info") if isinstance(entry, DictAttr) else None
    return info.value if isinstance(info, StringAttr) else ""
