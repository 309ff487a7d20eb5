"""Widening: the same program with its floating-point types replaced by a wider one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr, StructAttr, TypeAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.element_types import FLOATS, numpy_dtype
from stablehlo_py.ir.types import FloatType, FunctionType, TensorType, TupleType, Type


class Widening:
    """The replacement of floating-point types by a wider one.

    Args:
        wide: The name of the wide type, such as `f64`.
    """

    def __init__(self, wide: str) -> None:
        self.wide = FloatType(wide)
        self.dtype = numpy_dtype(self.wide)

    def is_narrow(self, type: Type) -> bool:
        """Test whether a type, or the elements of a tensor type, are floats that are replaced."""
        element = type.element_type if isinstance(type, TensorType) else type
        if not isinstance(element, FloatType):
            return False
        return FLOATS[element.name].significand < FLOATS[self.wide.name].significand

    def type(self, type: Type) -> Type:
        """Return the wide form of a type."""
        match type:
            case TensorType(shape=shape, encoding=encoding) if self.is_narrow(type):
                return TensorType(shape, self.wide, encoding)
            case TupleType(types):
                return TupleType(tuple(map(self.type, types)))
            case FunctionType(inputs, results):
                return FunctionType(tuple(map(self.type, inputs)), tuple(map(self.type, results)))
        return type

    def module(self, module: Module) -> tuple[Module, dict[Operation, Operation]]:
        """Return the wide form of a module, and the op of the module for each op of it.

        It is for calls of its ops: constants are widened in regions on elements only, where they are numbers.
        """
        wide = module.clone()
        originals = dict(zip(wide.walk(), module.walk(), strict=True))
        for op in wide.walk():
            for value in (*op.results, *(argument for block in op.blocks for argument in block.arguments)):
                value.type = self.type(value.type)
            op.properties = self._attributes(op.properties)
            op.attributes = self._attributes(op.attributes)
        return wide, originals

    def _attributes(self, attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
        """Return the wide form of attributes, without algorithms of narrow products."""
        return {name: self._attribute(a) for name, a in attributes.items() if not _states_types(a)}

    def _attribute(self, attribute: Attribute) -> Attribute:
        match attribute:
            case TypeAttr(type):
                return TypeAttr(self.type(type))
            case DenseElementsAttr(type=type, data=data) if self.is_narrow(type) and type.rank == 0:
                wide = self.type(type)
                assert isinstance(wide, TensorType)
                data = np.asarray(data, self.dtype)
                data.flags.writeable = False
                return DenseElementsAttr(wide, data)
        return attribute


def _states_types(attribute: Attribute) -> bool:
    return isinstance(attribute, StructAttr) and any(isinstance(value, Type) for _, value in attribute.fields)
