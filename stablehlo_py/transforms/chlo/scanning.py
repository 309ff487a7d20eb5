"""Lowering of `chlo.scan`: a loop that slices the inputs and writes the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stablehlo_py.ir.attributes import BoolAttr
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.types import I32, IntegerType, TensorType
from stablehlo_py.opset.definition import lookup
from stablehlo_py.opset.op_inputs import groups
from stablehlo_py.transforms.chlo.sizes import (
    SCALAR,
    broadcast,
    constant_row,
    dynamic_slice,
    joined,
    row,
    size_of,
    tensor,
)
from stablehlo_py.transforms.rewriter import Rewriter

_TEST = TensorType((), IntegerType(1))


def scan(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Loop over the scanned dimension: the values of the loop are the position, the carries and the outputs.

    Returns:
        The outputs and the last carries; None if the number of steps, or the size of an output, is not known.
    """
    return _Scan(rewriter, op).lowered()


class _Scan:
    """A scan that is lowered."""

    def __init__(self, rewriter: Rewriter, op: Operation) -> None:
        definition = lookup(op.name)
        assert definition is not None
        self.rewriter, self.op = rewriter, op
        self.inputs, self.inits = groups(op, "operand", op.operands, definition.operands)
        self.outputs = op.results[: len(op.results) - len(self.inits)]
        dimension = op.python_value("dimension")
        assert isinstance(dimension, int)
        self.axis = dimension

    def lowered(self) -> Sequence[Value] | None:
        """Create the loop; see `scan`."""
        rewriter = self.rewriter
        size = None if self.inputs else tensor(self.outputs[0]).shape[self.axis]
        if not self.inputs and (size is None or not all(tensor(v).is_static for v in self.outputs)):
            return None
        if self.inputs:
            count = size_of(rewriter, self.inputs[0], self.axis)
        else:
            short = rewriter.constant(size, TensorType((), I32))
            count = rewriter.value("stablehlo.convert", [short], type=SCALAR)
        first = [rewriter.constant(0, SCALAR), *self.inits]
        first += [self._empty(index, tensor(output)) for index, output in enumerate(self.outputs)]
        types = [value.type for value in first]
        test, body = Block(types), Block(types)
        loop = rewriter.create("stablehlo.while", first, {}, types, [Region([test]), Region([body])])
        rewriter.at_end(test)
        compared = [test.arguments[0], count]
        goes_on = rewriter.value("stablehlo.compare", compared, comparison_direction="LT", type=_TEST)
        rewriter.create("stablehlo.return", [goes_on], types=[])
        rewriter.at_end(body)
        self._step(body, count)
        rewriter.at(self.op)
        carried = 1 + len(self.inits)
        return [*loop.results[carried:], *loop.results[1:carried]]

    def _empty(self, index: int, type: TensorType) -> Value:
        """Return zeros for an output, of the shape of an input if it is dynamic."""
        zero = self.rewriter.constant(0, TensorType((), type.element_type))
        like = self.inputs[index if index < len(self.inputs) else 0] if self.inputs else zero
        return broadcast(self.rewriter, zero, like, type, ())

    def _step(self, body: Block, count: Value) -> None:
        """Create the body of the loop: the body of the scan on slices, and writes of its results."""
        rewriter = self.rewriter
        index, *rest = body.arguments
        carries, outputs = rest[: len(self.inits)], rest[len(self.inits) :]
        position: Value = index
        if self.op.attribute("is_reverse") == BoolAttr(True):
            last = self._binary("subtract", count, rewriter.constant(1, SCALAR))
            position = self._binary("subtract", last, index)
        slices = [self._slice(value, position) for value in self.inputs]
        scanned = self.op.regions[0].block
        values: dict[Value, Value] = dict(zip(scanned.arguments, [*slices, *carries], strict=True))
        *inner, terminator = scanned.ops
        for op in inner:
            rewriter.clone(op, values)
        found = [values.get(value, value) for value in terminator.operands]
        written = [
            self._write(output, value, position) for output, value in zip(outputs, found, strict=False)
        ]
        following = self._binary("add", index, rewriter.constant(1, SCALAR))
        rewriter.create("stablehlo.return", [following, *found[len(outputs) :], *written], types=[])

    def _binary(self, name: str, a: Value, b: Value) -> Value:
        return self.rewriter.value(f"stablehlo.{name}", [a, b])

    def _slice(self, value: Value, position: Value) -> Value:
        """Return the slice of an input at a position, without the scanned dimension."""
        rewriter, type = self.rewriter, tensor(value)
        shape = type.shape[: self.axis], type.shape[self.axis + 1 :]
        one = replace(type, shape=(*shape[0], 1, *shape[1]))
        starts = [rewriter.constant(0, SCALAR)] * type.rank
        starts[self.axis] = position
        element = TensorType((*shape[0], *shape[1]), type.element_type)
        if type.is_static:
            sliced = rewriter.value(
                "stablehlo.dynamic_slice", [value, *starts], slice_sizes=list(one.shape), type=one
            )
            return rewriter.value("stablehlo.reshape", [sliced], type=element)
        start = joined(rewriter, [row(rewriter, each) for each in starts])
        sizes = [row(rewriter, self._limit(value, axis, position)) for axis in range(type.rank)]
        strides = constant_row(rewriter, [1] * type.rank)
        sliced = dynamic_slice(rewriter, value, start, joined(rewriter, sizes), strides, one)
        return self._reshaped(sliced, sizes[: self.axis] + sizes[self.axis + 1 :], element)

    def _limit(self, value: Value, axis: int, position: Value) -> Value:
        """Return the end of a slice in a dimension, as a scalar."""
        if axis == self.axis:
            return self._binary("add", position, self.rewriter.constant(1, SCALAR))
        size = tensor(value).shape[axis]
        return size_of(self.rewriter, value, axis) if size is None else self.rewriter.constant(size, SCALAR)

    def _reshaped(self, value: Value, sizes: Sequence[Value], type: TensorType) -> Value:
        """Reshape a value to a static type, or to sizes."""
        if type.is_static:
            return self.rewriter.value("stablehlo.reshape", [value], type=type)
        operands = [value, joined(self.rewriter, sizes)]
        return self.rewriter.value("stablehlo.dynamic_reshape", operands, type=type)

    def _write(self, output: Value, element: Value, position: Value) -> Value:
        """Return an output with an element at a position."""
        rewriter, type = self.rewriter, tensor(output)
        wide = TensorType((*type.shape[: self.axis], 1, *type.shape[self.axis + 1 :]), type.element_type)
        sizes: list[Value] = []
        if not wide.is_static:
            sizes = [row(rewriter, size_of(rewriter, element, axis)) for axis in range(type.rank - 1)]
            sizes.insert(self.axis, constant_row(rewriter, [1]))
        update = self._reshaped(element, sizes, wide)
        starts = [rewriter.constant(0, SCALAR)] * type.rank
        starts[self.axis] = position
        return rewriter.value("stablehlo.dynamic_update_slice", [output, update, *starts], type=type)
