"""Control flow, tokens and calls out of the program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stablehlo_py.diagnostics import RunError, Unsupported
from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.registry import Array, Function, find_kernel, kernel

Values = tuple[Any, ...]
CustomCall = Callable[[Values, dict[str, Any], tuple[Type, ...]], Values]

custom_calls: dict[str, CustomCall] = {}


def custom_call_target(*names: str) -> Callable[[CustomCall], CustomCall]:
    """Registers what `custom_call` does for targets: a function of inputs, attributes and result types."""

    def register(function: CustomCall) -> CustomCall:
        custom_calls.update(dict.fromkeys(names, function))
        return function

    return register


# Control flow


@kernel("stablehlo.while")
def while_(operand: Values, *, cond: Function, body: Function) -> Values:
    while cond(*operand)[0]:
        operand = body(*operand)
    return operand


@kernel("stablehlo.if", view=True)
def if_(pred: Array, *, true_branch: Function, false_branch: Function) -> Values:
    return true_branch() if pred else false_branch()


@kernel("stablehlo.case", view=True)
def case(index: Array, *, branches: tuple[Function, ...]) -> Values:
    chosen = int(index)
    return branches[chosen if 0 <= chosen < len(branches) else -1]()


def lifted_while(operand: Values, *, cond: Function, body: Function) -> Values:
    """Runs the loop for all elements at once, until none goes on; those that are done keep their values."""
    going = np.asarray(cond(*operand)[0])
    while going.any():
        operand = tuple([np.where(going, new, old) for new, old in zip(body(*operand), operand, strict=True)])
        going = going & cond(*operand)[0]
    return operand


def lifted_if(pred: Array, *, true_branch: Function, false_branch: Function) -> Values:
    """Runs both branches and takes each element from its own."""
    return tuple([np.where(pred, a, b) for a, b in zip(true_branch(), false_branch(), strict=True)])


def lifted_case(index: Array, *, branches: tuple[Function, ...]) -> Values:
    """Runs every branch and takes each element from its own."""
    last = len(branches) - 1
    chosen = np.where((index < 0) | (index > last), last, index)
    found = branches[last]()
    for number, branch in enumerate(branches[:-1]):
        found = tuple([np.where(chosen == number, a, b) for a, b in zip(branch(), found, strict=True)])
    return found


LIFTED: dict[str, Callable[..., Values]] = {
    "stablehlo.while": lifted_while,
    "stablehlo.if": lifted_if,
    "stablehlo.case": lifted_case,
}


# Tokens: they order what happens, which the interpreter does in the order of the text


@kernel("stablehlo.after_all")
def after_all(inputs: Values) -> None:
    return None


@kernel("stablehlo.create_token")
def create_token() -> None:
    return None


# Calls out of the program


@kernel("stablehlo.custom_call", view=True)
def custom_call(
    inputs: Values, *, call_target_name: str, attributes: dict[str, Any], results: tuple[Type, ...]
) -> Values:
    find_kernel("check.expect_eq")  # the checks are targets as well
    target = custom_calls.get(call_target_name)
    if target is None:
        raise Unsupported(f"custom call @{call_target_name} is not known to the interpreter")
    return target(inputs, attributes, results)


@custom_call_target("shape_assertion")
def shape_assertion(inputs: Values, attributes: dict[str, Any], results: tuple[Type, ...]) -> Values:
    """Fails unless the first input holds; the message refers to the others as `{0}`, `{1}`, ..."""
    holds, *values = inputs
    if not holds:
        raise RunError(
            fill_placeholders(str(attributes.get("error_message", "shape assertion failed")), values)
        )
    return ()


def fill_placeholders(message: str, values: Sequence[Array]) -> str:
    """The message with `{0}`, `{1}`, ... replaced by values; a placeholder beyond them stays."""

    def value(match: re.Match[str]) -> str:
        index = int(match[1])
        return str(values[index]) if index < len(values) else match[0]

    return re.sub(r"\{(\d+)\}", value, message)


@custom_call_target("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement")
def sharding(inputs: Values, attributes: dict[str, Any], results: tuple[Type, ...]) -> Values:
    """Marks how a value is spread over devices: on one device, the value itself."""
    return inputs
