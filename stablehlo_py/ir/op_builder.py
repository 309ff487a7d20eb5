"""Creation of operations at an insertion point."""

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
    """Creates operations in sequence, at the end of a block or before an operation.

    Example:
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
        """Return a builder that inserts before `op`; raise ValueError if `op` is not in a block."""
        if op.parent is None:
            raise ValueError(f"{op.name} is not in a block")
        return OpBuilder(op.parent, op.parent.ops.index(op))

    def insert(self, op: Operation) -> Operation:
        """Insert an operation at the insertion point, and move the insertion point after it."""
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
        """Create an operation at the insertion point.

        Args:
            name: The full name of the op, such as `stablehlo.add`.
            operands: The operands.
            result_types: The types of the results.
            properties: The inherent attributes.
            regions: The regions.
            attributes: The discardable attributes.
            location: The location.

        Returns:
            The operation.
        """
        made = Operation(
            name, operands, result_types, properties, attributes, regions=regions, location=location
        )
        return self.insert(made)

    def constant(self, value: Any, type: Type) -> Value:
        """Create a `stablehlo.constant` at the insertion point.

        Args:
            value: A number, for a splat, or an array of the type's shape.
            type: A static tensor type.

        Returns:
            The result of the constant.

        Raises:
            TypeError: If `type` is not a static tensor type.
            ValueError: If the array has another shape.
        """
        if not isinstance(type, TensorType) or not type.is_static:
            raise TypeError(f"a constant requires a static tensor type, not {type}")
        array = np.asarray(value).astype(numpy_dtype(type.element_type))
        if array.ndim and array.shape != type.shape:
            raise ValueError(f"an array of shape {array.shape} does not match the type {type}")
        data = array.reshape(-1)
        data.flags.writeable = False
        op = self.create("stablehlo.constant", (), [type], {"value": DenseElementsAttr(type, data)})
        return op.result


def add_function(
    module: Module, name: str, inputs: Sequence[Type], results: Sequence[Type], visibility: str = "public"
) -> Block:
    """Add a `func.func` to a module.

    Args:
        module: The module.
        name: The symbol name of the function.
        inputs: The types of the inputs.
        results: The types of the results.
        visibility: `public` or `private`.

    Returns:
        The entry block, whose arguments are the inputs. It must be terminated by a `func.return`.
    """
    body = Block(inputs)
    module.body.append(function_op(name, body, results, visibility))
    return body


def function_op(name: str, body: Block, results: Sequence[Type], visibility: str = "public") -> Operation:
    """Create a `func.func` with a block as its body, whose arguments are the inputs.

    Args:
        name: The symbol name of the function.
        body: The entry block.
        results: The types of the results.
        visibility: `public` or `private`.

    Returns:
        The operation.
    """
    inputs = tuple([argument.type for argument in body.arguments])
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "function_type": TypeAttr(FunctionType(inputs, tuple(results))),
        "sym_visibility": StringAttr(visibility),
    }
    return Operation(FUNCTION, properties=properties, regions=[Region([body])])


def return_values(body: Block, values: Sequence[Value]) -> Operation:
    """Append the `func.return` of values to the body of a function, and return it."""
    return body.append(Operation("func.return", values))
