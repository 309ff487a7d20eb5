"""Constant folding: evaluates single ops with the kernels of the NumPy engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.numpy.bind import bind
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.interpreter.keywords import Keywords
from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.kernels.registry import find_kernel
from stablehlo_py.opset.definition import lookup

_NOT_FOLDED = frozenset({"random", "reads_place", "communicates", "external_call"})


def evaluate(op: Operation, operands: Sequence[Any], module: Module) -> list[np.ndarray[Any, Any]] | None:
    """Evaluate an op.

    Args:
        op: The op, with static result types.
        operands: Its operands as arrays.
        module: The module that contains it.

    Returns:
        Its results as arrays; None if it has no kernel, has regions, is not determined by its operands, or
        an error occurs, which a run of the program reports.
    """
    definition = lookup(op.name)
    if definition is None or op.regions or find_kernel(op.name) is None or definition.traits & _NOT_FOLDED:
        return None
    step = Step(op.name, op, tuple(range(len(operands))), definition=definition)
    step.keywords = Keywords(op, definition, module)
    step.returns_tuple = len(definition.outputs) != 1 or definition.outputs[0].variadic
    try:
        bound = bind(step, module, Preparation(module, {}, Options()))
        with np.errstate(all="ignore"):
            found = bound.call(*operands)
    except Exception:
        return None
    results = found if bound.returns_tuple else (found,)
    return [np.asarray(result) for result in results]
