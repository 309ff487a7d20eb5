"""Control flow and tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stablehlo_py.kernels.registry import Array, Function, kernel

Values = tuple[Any, ...]
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
