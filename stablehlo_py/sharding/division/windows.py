"""Windows: which elements of a dimension each element of an op's result is computed from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.notation.scope import attribute_value
from stablehlo_py.opset.definition import lookup


class Window(NamedTuple):
    """The windows of a dimension: element `i` of the result is computed from those that window `i` reaches.

    Attributes:
        source: The dimension of the operand.
        target: The dimension of the result.
        source_size: The size of the operand's dimension.
        target_size: The size of the result's dimension.
        low: The elements in front of the operand; if negative, those that are cut off.
        stride: The distance of two windows.
        extent: The elements that a window reaches over.
        base: The distance of two elements of the operand, between which there is padding.
    """

    source: int
    target: int
    source_size: int
    target_size: int
    low: int
    stride: int = 1
    extent: int = 1
    base: int = 1

    @property
    def is_pointwise(self) -> bool:
        """Test whether each element of the result is computed from the element at its place."""
        return self.source_size == self.target_size and self[4:] == (0, 1, 1, 1)


def windows_of(op: Operation) -> list[Window]:
    """Return the windows of the dimensions of an op's first operand; empty for an op without windows."""
    definition = lookup(op.name)
    if definition is None:
        return []
    given = {attr.name for attr in definition.attrs}
    found = next((rows for names, rows in _ROWS if given.issuperset(names)), None)
    if found is None:
        return []
    inputs = {attr.name: attribute_value(op, definition, attr) for attr in definition.attrs}
    source, target = _shape(op.operands[0]), _shape(op.results[0])
    return [
        Window(dim, other, source[dim], target[other], *numbers) for dim, other, *numbers in found(inputs, op)
    ]


Rows = Iterator[tuple[int, ...]]


def _slice(inputs: Mapping[str, Any], op: Operation) -> Rows:
    for dim, (start, stride) in enumerate(zip(inputs["start_indices"], inputs["strides"], strict=True)):
        yield dim, dim, -start, stride


def _pad(inputs: Mapping[str, Any], op: Operation) -> Rows:
    names = ("edge_padding_low", "interior_padding")
    for dim, (low, interior) in enumerate(zip(*[inputs[name] for name in names], strict=True)):
        yield dim, dim, low, 1, 1, interior + 1


def _reduction(inputs: Mapping[str, Any], op: Operation) -> Rows:
    names = ("padding", "window_strides", "window_dimensions", "window_dilations", "base_dilations")
    rows = zip(*[inputs[name] for name in names], strict=True)
    for dim, (padding, stride, size, dilation, base) in enumerate(rows):
        yield dim, dim, int(padding[0]), stride, (size - 1) * dilation + 1, base


def _convolution(inputs: Mapping[str, Any], op: Operation) -> Rows:
    kernel = [_shape(op.operands[1])[dim] for dim in inputs["kernel_spatial_dimensions"]]
    names = ("padding", "window_strides", "rhs_dilation", "lhs_dilation")
    dims = [inputs[f"{name}_spatial_dimensions"] for name in ("input", "output")]
    rows = zip(*dims, kernel, *[inputs[name] for name in names], strict=True)
    for dim, other, size, padding, stride, dilation, base in rows:
        yield dim, other, int(padding[0]), stride, (size - 1) * dilation + 1, base


_ROWS = (
    (("start_indices", "limit_indices", "strides"), _slice),
    (("edge_padding_low", "interior_padding"), _pad),
    (("window_dilations", "base_dilations"), _reduction),
    (("lhs_dilation", "input_spatial_dimensions"), _convolution),
)


def _shape(value: Value) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return tuple([size or 0 for size in value.type.shape])
