"""Constant folding: evaluates single ops with the kernels of the NumPy engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.numpy.bind import bind
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.interpreter.keywords import Keywords
from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import QuantizedType, TensorType, Type
from stablehlo_py.kernels.registry import find_kernel
from stablehlo_py.opset.definition import lookup

_NOT_FOLDED = frozenset({"random", "reads_process_id", "communicates", "external_call"})


def folded(
    op: Operation, operands: Sequence[DenseElementsAttr], module: Module
) -> list[DenseElementsAttr] | None:
    """Evaluate an op on constants; splats are evaluated as one element, where it makes no difference.

    Args:
        op: The op, with static result types.
        operands: The elements of its operands.
        module: The module that contains it.

    Returns:
        The elements of its results; None if it cannot be evaluated, see `evaluate`.
    """
    definition = lookup(op.name)
    traits = definition.traits if definition is not None else frozenset()
    types = [result.type for result in op.results]
    if operands and all(each.is_splat for each in operands):
        if "moves_data" in traits and len(operands) == len(types) == 1:
            return [elements_of(operands[0].data[0], types[0])]
        if "elementwise" in traits:
            scalars = [each.data.reshape(()) for each in operands]
            found = evaluate(op, scalars, module)
            return (
                None
                if found is None
                else [elements_of(value, type) for value, type in zip(found, types, strict=True)]
            )
    found = evaluate(op, [each.value for each in operands], module)
    return None if found is None else [elements_of(a, type) for a, type in zip(found, types, strict=True)]


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


def elements_of(value: Any, type: Type) -> DenseElementsAttr:
    """Return elements as an attribute, a splat where all of them have the same bits.

    Args:
        value: A number, for a splat, or an array of the type's shape.
        type: A static tensor type. Elements of a quantized one are those of its storage.
    """
    assert isinstance(type, TensorType) and type.is_static
    if isinstance(type.element_type, QuantizedType):
        type = replace(type, element_type=type.element_type.storage_type)
    dtype = numpy_dtype(type.element_type)
    with np.errstate(all="ignore"):
        array = np.asarray(value).astype(dtype)
    data = np.ascontiguousarray(array).reshape(-1)
    if data.size > 1 and _is_splat(data):
        data = data[:1].copy()
    if type.size == 0:
        data = data[:0]
    if data is value or data.base is not None:
        data = data.copy()
    data.flags.writeable = False
    return DenseElementsAttr(type, data)


def _is_splat(data: np.ndarray[Any, Any]) -> bool:
    raw = data.view(np.uint8).reshape(data.size, -1)
    return bool((raw == raw[0]).all())
