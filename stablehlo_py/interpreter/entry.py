"""Entry points: the functions of a module that are run."""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.diagnostics.diagnostic import Diagnostic, RunError
from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import function_type

MAIN = "main"  # the default entry point
Entry = tuple[Module, str]  # the module that contains a function, and the function's name


def entries(module: Module, name: str | None = None) -> list[Entry]:
    """Return the functions to run, in order.

    These are the function of a given name; else `main`, or the module's only function; else all functions if
    they are self-checking, that is, have no inputs and no results. A module that only contains modules runs
    those of each, in order.

    Args:
        module: The module.
        name: The name of a function, with or without "@".

    Raises:
        RunError: There is no such function; the message lists those there are.
    """
    if name is not None:
        return [_named(module, name.removeprefix("@"))]
    functions = module.functions
    inner = list(_inner_modules(module))
    if not functions and inner:
        found = [entry for each in inner for entry in entries(each)]
        if len(inner) == 1 or not any(_takes_inputs(*entry) for entry in found):
            return found
    if MAIN in functions:
        return [_named(module, MAIN)]
    if len(functions) == 1:
        return [_named(module, next(iter(functions)))]
    if functions and all(map(_checks_itself, functions.values())):
        return [_named(module, each) for each in functions]
    if functions or inner:
        raise RunError(f"there is no function @main; the module has {_listed(module)}; select one as entry")
    raise RunError("there is no function @main: the module has no functions")


def _named(module: Module, name: str) -> Entry:
    functions = module.functions
    if name not in functions:
        inner = [each for each in _inner_modules(module) if name in each.functions]
        if not inner:
            close = did_you_mean(f"@{name}", _names(module))
            raise RunError(f"there is no function @{name}{close or f'; the module has {_listed(module)}'}")
        return _named(inner[0], name)
    if not functions[name].regions[0].blocks:
        raise _without_body(module, functions[name], name)
    return module, name


def _inner_modules(module: Module) -> Iterator[Module]:
    """Yield the nested modules, as modules of their own that share text and resources."""
    for op in module.body.ops:
        if op.is_module:
            inner = Module(op, module.source)
            inner.resources = module.resources
            yield inner


def _checks_itself(function: Operation) -> bool:
    type = function_type(function)
    return type is not None and not type.inputs and not type.results and bool(function.regions[0].blocks)


def _takes_inputs(module: Module, name: str) -> bool:
    return bool(module.functions[name].entry_block.arguments)


def _listed(module: Module) -> str:
    return ", ".join(_names(module)) or "none"


def _names(module: Module) -> list[str]:
    """Return the names of the functions of a module and its nested modules."""
    names = [*module.functions, *(name for inner in _inner_modules(module) for name in inner.functions)]
    return [f"@{name}" for name in names]


def _without_body(module: Module, op: Operation, name: str) -> RunError:
    line, column = module.position(op)
    message = f"@{name} is declared without a body"
    return RunError(message, Diagnostic("error", "func", message, line, column))
