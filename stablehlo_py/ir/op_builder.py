"""Building and rewriting programs: operations are created at a place in a block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr, StringAttr, TypeAttr
from stablehlo_py.ir.core import FUNCTION, Block, Module, Operation, Region, Value
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.locations import Location
from stablehlo_py.ir.types import FunctionType, TensorType, Type


class OpBuilder:
    """Creates operations one after the other, at the end of a block or before an operation.

    builder = OpBuilder.before(op)
    two = builder.constant(2.0, op.result.type)
    product = builder.create("stablehlo.multiply", [op.operands[0], two], [op.result.type])
    op.result.replace_all_uses(product.result)
    op.erase()
    """

    def __init__(self, block: Block, index: int | None = None) -> None:
        self.block = block
        self.index = len(block.ops) if index is None else index

    @staticmethod
    def before(op: Operation) -> OpBuilder:
        """A builder that puts operations before `op`. Raises ValueError for an op outside of a block."""
        if op.parent is None:
            raise ValueError(f"{op.name} is in no block")
        return OpBuilder(op.parent, op.parent.ops.index(op))

    def insert(self, op: Operation) -> Operation:
        """Puts an operation at the builder's place, and moves the place behind it."""
        self.block.insert(self.index, op)
        self.index += 1
        return op

    def create(
        self,
        name: str,
        operands: Sequence[Value] = (),
        result_types: Sequence[Type] = (),
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        attributes: Mapping[str, Attribute] | None = None,
        location: Location | None = None,
    ) -> Operation:
        """Creates an operation at the builder's place."""
        made = Operation(
            name, operands, result_types, properties, attributes, regions=regions, location=location
        )
        return self.insert(made)

    def constant(self, value: Any, type: Type) -> Value:
        """A `stablehlo.constant`: `value` is a number (a splat) or an array of the type's shape.

        Raises TypeError if `type` is not a tensor type of known shape, ValueError for another shape.
        """
        if not isinstance(type, TensorType) or not type.is_static:
            raise TypeError(f"a constant needs a tensor type whose dimensions are known, not {type}")
        array = np.asarray(value).astype(numpy_dtype(type.element_type))
        if array.ndim and array.shape != type.shape:
            raise ValueError(f"an array of shape {array.shape} is no constant of type {type}")
        data = array.reshape(-1)
        data.flags.writeable = False
        op = self.create("stablehlo.constant", (), [type], {"value": DenseElementsAttr(type, data)})
        return op.result


def add_function(
    module: Module, name: str, inputs: Sequence[Type], results: Sequence[Type], visibility: str = "public"
) -> Block:
    """Adds a `func.func` to a module and gives its empty entry block, whose arguments are its inputs.

    The block is to end in a `func.return`.
    """
    body = Block(inputs)
    module.body.append(function_op(name, body, results, visibility))
    return body


def function_op(name: str, body: Block, results: Sequence[Type], visibility: str = "public") -> Operation:
    """A `func.func` whose body is a block: its inputs are the block's arguments, its outputs of `results`."""
    inputs = tuple([argument.type for argument in body.arguments])
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "function_type": TypeAttr(FunctionType(inputs, tuple(results))),
        "sym_visibility": StringAttr(visibility),
    }
    return Operation(FUNCTION, properties=properties, regions=[Region([body])])
