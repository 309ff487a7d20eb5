"""Shrinking of dimensions: a smaller size replaces a size in types, attributes, constants and inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DenseArrayAttr, DenseElementsAttr, TypeAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import FunctionType, TensorType, TupleType, Type


def shrunk(
    module: Module, inputs: Sequence[Any], size: int, smaller: int
) -> tuple[Module, tuple[Any, ...]] | None:
    """Replace a size by a smaller one, wherever it occurs; the result may be invalid.

    Args:
        module: The program, which is not changed.
        inputs: Its inputs.
        size: The size, above 1.
        smaller: The size that replaces it.

    Returns:
        The program and its inputs.
    """
    made = module.clone()
    shrink = _Shrink(size, smaller)
    for op in made.walk():
        shrink.op(op)
    return made, tuple([shrink.array(value) for value in inputs])


class _Shrink:
    def __init__(self, size: int, smaller: int) -> None:
        self._size = size
        self._smaller = smaller

    def op(self, op: Operation) -> None:
        """Change an op in place."""
        for value in (*op.results, *(a for block in op.blocks for a in block.arguments)):
            value.type = self.type(value.type)
        for attributes in (op.properties, op.attributes):
            for name, attribute in attributes.items():
                attributes[name] = self.attribute(attribute)

    def type(self, type: Type) -> Type:
        match type:
            case TensorType():
                return replace(type, shape=tuple([self.number(size) for size in type.shape]))
            case TupleType():
                return TupleType(tuple([self.type(each) for each in type.types]))
            case FunctionType(inputs, results):
                return FunctionType(tuple(map(self.type, inputs)), tuple(map(self.type, results)))
        return type

    def number(self, value: Any) -> Any:
        return self._smaller if value == self._size else value

    def attribute(self, attribute: Attribute) -> Attribute:
        match attribute:
            case TypeAttr(value):
                return TypeAttr(self.type(value))
            case ArrayAttr(items):
                return ArrayAttr(tuple(map(self.attribute, items)))
            case DenseArrayAttr(element_type, values):
                return DenseArrayAttr(element_type, tuple(map(self.number, values)))
            case DenseElementsAttr(type, data):
                return self._elements(type, data, attribute.is_splat)
        return attribute

    def _elements(self, type: Any, data: Any, is_splat: bool) -> DenseElementsAttr:
        made = self.type(type)
        if made == type or is_splat:
            return DenseElementsAttr(made, data)  # type: ignore[arg-type]
        kept = np.ascontiguousarray(self.array(data.reshape(type.shape))).reshape(-1)
        kept.flags.writeable = False
        return DenseElementsAttr(made, kept)  # type: ignore[arg-type]

    def array(self, value: Any) -> Any:
        """Return the first elements of an array along dimensions of the size."""
        if isinstance(value, tuple):
            return tuple(map(self.array, value))
        if not hasattr(value, "shape"):
            return value
        return np.asarray(value)[tuple([slice(self.number(size)) for size in value.shape])]
