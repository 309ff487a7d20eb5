"""Repeated constants: constants, iotas and broadcasts of them, as arrays of size 1 where elements repeat."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.notation.scope import environment
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.transforms.folding import evaluate
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.match import definition_of

BROADCAST, IOTA, RESHAPE = "stablehlo.broadcast_in_dim", "stablehlo.iota", "stablehlo.reshape"
Array = np.ndarray[Any, Any]


def repeated(rewriter: Rewriter, value: Value, iotas: int = 0) -> Array | None:
    """Return the elements of a constant, or of a broadcast of one.

    Args:
        rewriter: The rewriter.
        value: The value.
        iotas: The most elements of an iota that counts as a constant, reshaped or not.

    Returns:
        An array of the rank of the value, which has size 1 along dimensions where all elements are equal by
        construction; None for another value.
    """
    type = value.type
    if not isinstance(type, TensorType) or not type.is_static:
        return None
    broadcast = _defined_by(value, BROADCAST)
    if broadcast is None:
        return _elements(rewriter, value, iotas)
    array = _elements(rewriter, broadcast.operands[0], iotas)
    if array is None:
        return None
    axes = environment(broadcast, definition_of(BROADCAST))["broadcast_dimensions"]
    shape = [1] * type.rank
    for axis, size in zip(axes, array.shape, strict=True):
        shape[axis] = size
    return array.transpose(np.argsort(axes)).reshape(shape)


def _elements(rewriter: Rewriter, value: Value, iotas: int) -> Array | None:
    """The elements of a constant, or of an iota in one dimension and its reshapes."""
    type = value.type
    if not isinstance(type, TensorType) or not type.is_static:
        return None
    constant = constant_attribute(value)
    if constant is not None:
        return constant.data.reshape((1,) * type.rank) if constant.is_splat else constant.value
    if (type.size or 0) > iotas:
        return None
    reshape = _defined_by(value, RESHAPE)
    iota = _defined_by(reshape.operands[0] if reshape is not None else value, IOTA)
    found = None if iota is None else evaluate(iota, (), rewriter.module)
    return None if found is None else found[0].reshape(type.shape)


def _defined_by(value: Value, name: str) -> Operation | None:
    """The op that defines a value, if it has a name."""
    return value.op if isinstance(value, OpResult) and value.op.name == name else None


def repeat(rewriter: Rewriter, array: Array, type: TensorType) -> Value:
    """Create a constant of an array, and a broadcast of it where its size is 1 and the size of a type is not.

    Args:
        rewriter: The rewriter.
        array: An array of the rank of the type, which broadcasts to its shape.
        type: A static type.
    """
    axes = [axis for axis, size in enumerate(array.shape) if size != 1]
    if array.size == 1 or array.shape == type.shape:
        return rewriter.constant(array.reshape(-1)[0] if array.size == 1 else array, type)
    given = TensorType(tuple([array.shape[axis] for axis in axes]), type.element_type)
    constant = rewriter.constant(array.reshape(given.shape), given)
    return rewriter.value(BROADCAST, [constant], broadcast_dimensions=axes, type=type)
