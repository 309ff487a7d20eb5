"""Windows: which elements of a dimension each element of an op's result is computed from, and each shard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import QuantizedType, TensorType
from stablehlo_py.opset.definition import lookup
from stablehlo_py.sharding.division.devices import shard_size
from stablehlo_py.sharding.division.emitter import dims, matrix
from stablehlo_py.sharding.rules import Rule
from stablehlo_py.sharding.values import inputs_of, shape_of


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


class Halo(NamedTuple):
    """What a device needs of a divided dimension to compute its shard of the result.

    Attributes:
        shard: The size of a shard of the operand.
        starts: Where what each shard of the result needs starts, which may be outside of the operand.
        width: How many elements a device needs.
        left: The elements in front of its shard that devices need from others, at most.
        right: Those behind it.
        low: The padding in front of what a device needs.
        high: The padding behind.
        size: The size of the whole dimension of the operand.
        used: The number of devices with windows; the shards of the last ones may be padding alone.
        reaches_out: Whether windows reach out of the operand.
        is_whole: Whether devices need so much that they gather the dimension.
    """

    shard: int
    starts: tuple[int, ...]
    width: int
    left: int
    right: int
    low: int
    high: int
    size: int
    used: int
    reaches_out: bool
    is_whole: bool


def halo_of(window: Window, shards: int) -> Halo | None:
    """Return what devices need for windows; None if those of devices differ by parts of an element."""
    size, shard, count = window.source_size, *[shard_size(n, shards) for n in window[2:4]]
    step, uneven = divmod(count * window.stride, window.base)
    first = -(window.low // window.base)
    low = window.low + first * window.base
    reach = (count - 1) * window.stride + window.extent  # with the padding between elements
    width = (reach - 1 - low) // window.base + 1
    if uneven or not shard or not count or width < 1:
        return None
    starts = tuple([first + step * k for k in range(shards)])
    used = shard_size(window.target_size, count)
    last = ((window.target_size - 1) * window.stride + window.extent - 1 - window.low) // window.base
    needed = [(max(start, 0), min(start + width, last + 1, size)) for start in starts[:used]]
    left = max([shard * k - start for k, (start, end) in enumerate(needed) if start < end], default=0)
    right = max([end - shard * (k + 1) for k, (start, end) in enumerate(needed) if start < end], default=0)
    left, right = max(left, 0), max(right, 0)
    hops = -(-left // shard) - (-right // shard)
    is_whole = shards > 1 and (left + right > size - shard or hops > max(2, shards - 2))
    if is_whole:
        left, right = shard * (shards - 1), 0
    high = reach - low - (width - 1) * window.base - 1
    reaches_out = starts[0] < 0 or last >= size
    return Halo(shard, starts, width, left, right, low, high, size, used, reaches_out, is_whole)


def windows_of(op: Operation) -> list[Window]:
    """Return the windows of the dimensions of an op's first operand; empty for an op without windows."""
    kind = _kind(op)
    type = op.operands[0].type if kind is not None else None
    if kind is None or not isinstance(type, TensorType) or isinstance(type.element_type, QuantizedType):
        return []
    source, target = shape_of(op.operands[0]), shape_of(op.results[0])
    return [
        Window(dim, other, source[dim], target[other], *numbers)
        for dim, other, *numbers in kind.rows(inputs_of(op), op)
    ]


def windowed(op: Operation, rule: Rule) -> dict[int, Window]:
    """Return the windows of an op, by the factors of its rule that divide operand and result."""
    found: dict[int, Window] = {}
    for window in windows_of(op):
        result = rule.results[0][window.target]
        common = [factor for factor in rule.operands[0][window.source] if factor in result]
        if common:
            found[common[0]] = window
    return found


def mirrored(op: Operation, rule: Rule) -> list[int]:
    """Return the factors of dimensions whose order an op reverses: devices exchange their shards."""
    return rule.of_kind("permutation") if _given(op.name) == {"dimensions"} else []


def moved_operands(op: Operation) -> list[tuple[int, int | None]]:
    """Return the operands with windows, each with the operand that is their padding, or None for zeros."""
    kind = _kind(op)
    if kind is None:
        return [(0, None)]
    count = len(op.operands) // 2 if kind.is_variadic else 1
    return [(index, index + count if kind.is_padded else None) for index in range(count)]


def local_windows(op: Operation, halos: Mapping[int, Halo]) -> dict[str, Attribute]:
    """Return the properties of an op on shards that depend on what devices need, by number of the window."""
    kind = _kind(op)
    assert kind is not None
    return kind.local(inputs_of(op), halos)


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
    kernel = [shape_of(op.operands[1])[dim] for dim in inputs["kernel_spatial_dimensions"]]
    names = ("padding", "window_strides", "rhs_dilation", "lhs_dilation")
    dims = [inputs[f"{name}_spatial_dimensions"] for name in ("input", "output")]
    rows = zip(*dims, kernel, *[inputs[name] for name in names], strict=True)
    for dim, other, size, padding, stride, dilation, base in rows:
        yield dim, other, int(padding[0]), stride, (size - 1) * dilation + 1, base


def _local_arrays(
    inputs: Mapping[str, Any], halos: Mapping[int, Halo], **fields: str
) -> dict[str, Attribute]:
    """Return arrays of numbers with those of halos: `start_indices="starts"`."""
    found: dict[str, Attribute] = {}
    for name, field in fields.items():
        numbers = [getattr(halos[n], field) if n in halos else x for n, x in enumerate(inputs[name])]
        found[name] = dims(numbers)
    return found


def _local_slice(inputs: Mapping[str, Any], halos: Mapping[int, Halo]) -> dict[str, Attribute]:
    return _local_arrays(inputs, halos, start_indices="low", limit_indices="width")


def _local_pad(inputs: Mapping[str, Any], halos: Mapping[int, Halo]) -> dict[str, Attribute]:
    return _local_arrays(inputs, halos, edge_padding_low="low", edge_padding_high="high")


def _local_padding(inputs: Mapping[str, Any], halos: Mapping[int, Halo]) -> dict[str, Attribute]:
    rows = [(halos[n].low, halos[n].high) if n in halos else row for n, row in enumerate(inputs["padding"])]
    return {"padding": matrix(np.array(rows, np.int64))}


class _Kind(NamedTuple):
    """Ops with windows.

    Attributes:
        inputs: The inputs by which they are recognized.
        rows: Yields the dimensions and numbers of each window.
        local: Returns what differs on shards.
        is_padded: Whether operands state the padding.
        is_variadic: Whether there are several operands with windows.
    """

    inputs: tuple[str, ...]
    rows: Callable[[Mapping[str, Any], Operation], Rows]
    local: Callable[[Mapping[str, Any], Mapping[int, Halo]], dict[str, Attribute]]
    is_padded: bool = False
    is_variadic: bool = False


_KINDS = (
    _Kind(("start_indices", "limit_indices", "strides"), _slice, _local_slice),
    _Kind(("edge_padding_low", "interior_padding"), _pad, _local_pad, is_padded=True),
    _Kind(("window_dilations", "base_dilations"), _reduction, _local_padding, True, True),
    _Kind(("lhs_dilation", "input_spatial_dimensions"), _convolution, _local_padding),
)


@cache
def _given(name: str) -> frozenset[str]:
    """Return the names of the constant inputs of an op."""
    definition = lookup(name)
    return frozenset([attr.name for attr in definition.attrs]) if definition is not None else frozenset()


def _kind(op: Operation) -> _Kind | None:
    return next((kind for kind in _KINDS if _given(op.name).issuperset(kind.inputs)), None)
