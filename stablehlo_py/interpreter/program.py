"""Programs: a function compiled for running, and what it takes as inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.diagnostics import Diagnostic, RunError
from stablehlo_py.interpreter.function import CompiledFunction
from stablehlo_py.interpreter.inputs import convert_input
from stablehlo_py.interpreter.lower import Unit
from stablehlo_py.interpreter.plan import Plan
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.kernels.process import Grid, Process, entered


class Program:
    """A function that is ready to run, as often as wanted: `program(*inputs)` gives its results as a list.

    Results are fresh arrays (tuples for tuple types, None for tokens). Raises RunError.
    """

    def __init__(self, module: Module, name: str, function: CompiledFunction) -> None:
        self.module = module
        self.name = name
        self._function = function
        block = module.functions[name].regions[0].blocks[0]
        self._names = [_argument_name(argument.name, i) for i, argument in enumerate(block.arguments)]
        self._types = function.input_types

    @property
    def plan(self) -> Plan:
        """The steps, to be read: `print(program.plan)`."""
        assert self._function.plan is not None
        return self._function.plan

    def __call__(self, *inputs: Any) -> list[Any]:
        return self.call(inputs)

    def call(self, inputs: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """Runs with inputs in order, or by the names of the function's arguments."""
        arrays = [
            convert_input(value, type, f"input {i} (%{name})")
            for i, (value, type, name) in enumerate(
                zip(self._ordered(inputs), self._types, self._names, strict=True)
            )
        ]
        with np.errstate(all="ignore"), entered(Process(Grid(1, 1), (0, 0))):
            return [_result(value) for value in self._function(*arrays)]

    def _ordered(self, inputs: Sequence[Any] | Mapping[str, Any]) -> Sequence[Any]:
        """The inputs in the order of the arguments. Raises RunError for too few, too many or unknown ones."""
        if isinstance(inputs, Mapping):
            given = {key.lstrip("%"): value for key, value in inputs.items()}
            wrong = sorted(set(given) ^ set(self._names))
            if wrong:
                known = ", ".join(f"%{name}" for name in self._names) or "none"
                raise RunError(f"@{self.name} takes inputs named {known}; not as given: {', '.join(wrong)}")
            return [given[name] for name in self._names]
        if len(inputs) != len(self._types):
            raise RunError(f"@{self.name} takes {_count(len(self._types))}, {len(inputs)} given")
        return inputs


def _argument_name(name: str | None, index: int) -> str:
    return name or f"arg{index}"


def _count(number: int) -> str:
    return "1 input" if number == 1 else f"{number} inputs"


def _result(value: Any) -> Any:
    """What a caller gets: arrays also where the run made a NumPy scalar."""
    if isinstance(value, tuple):
        return tuple([_result(item) for item in value])
    return value if value is None else np.asarray(value)


def compile_program(module: Module, entry: str | None = None) -> Program:
    """Compiles a function: `entry`, or `main`, or the module's only function.

    Raises RunError if there is none, Unsupported if an op has no kernel.
    """
    name = _entry(module, entry)
    return Program(module, name, Unit(module).function(name, entry=True))


def _entry(module: Module, entry: str | None) -> str:
    functions = module.functions
    if entry is not None:
        entry = entry.removeprefix("@")
    elif "main" in functions:
        entry = "main"
    elif len(functions) == 1:
        entry = next(iter(functions))
    known = ", ".join(f"@{name}" for name in functions) or "none"
    if entry is None:
        raise RunError(f"there is no function @main, and several others: {known}; choose one as entry")
    if entry not in functions:
        raise RunError(f"there is no function @{entry}; the module has {known}")
    if not functions[entry].regions[0].blocks:
        raise _without_body(module, functions[entry], entry)
    return entry


def _without_body(module: Module, op: Operation, name: str) -> RunError:
    line, column = module.source.position(op.offset) if op.offset >= 0 else (0, 0)
    message = f"@{name} is declared without a body"
    return RunError(message, Diagnostic("error", "func", message, line, column))
