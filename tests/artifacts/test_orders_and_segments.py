"""Orders of uses and sizes of segments, by the definition of the format."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.bytecode.emitter import Emitter
from stablehlo_py.artifacts.bytecode.properties import _sparse_array
from stablehlo_py.artifacts.bytecode.use_orders import (
    StoredOrder,
    UseOrders,
    _write_order,
    apply_orders,
    read_orders,
)
from stablehlo_py.artifacts.bytecode.writer import _write_sparse
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.ir.core import Module, Value


def v(*values: int) -> bytes:
    """Varints of one byte."""
    return bytes([value << 1 | 1 for value in values])


# All numbers, behind twice their count; where most are 0, the others with their indices in the lowest bits,
# behind twice their count and one, and the number of these bits.
SEGMENTS = [
    ([], v(1)),
    ([0], v(1)),
    ([0, 0], v(1)),
    ([5], v(2, 5)),
    ([1, 2], v(4, 1, 2)),
    ([1, 0], v(3, 0, 1)),
    ([0, 5], v(3, 1, 5 << 1 | 1)),
    ([0, 0, 0, 7], v(3, 2, 7 << 2 | 3)),
    ([0, 3, 0, 7], v(5, 2, 3 << 2 | 1, 7 << 2 | 3)),
    ([1, 0, 2], v(6, 1, 0, 2)),
    ([0, 0, 0, 0, 1], v(3, 3, 1 << 3 | 4)),
]


@pytest.mark.parametrize(("sizes", "data"), SEGMENTS)
def test_sizes_of_segments(sizes: list[int], data: bytes) -> None:
    made = Emitter()
    _write_sparse(sizes, made)
    assert bytes(made.data) == data
    cursor = Cursor(data)
    assert _sparse_array(cursor, len(sizes)) == sizes and cursor.is_done


@pytest.mark.parametrize(
    ("data", "at", "message"),
    [
        (v(6, 1, 1, 1), 0, "expected at most 2 numbers, found 3"),
        (v(7), 0, "expected at most 2 numbers, found 3"),
        (v(3, 9, 1), 0, "expected indices of at most 8 bits, found 9"),
        (v(3, 2, 1 << 2 | 2), 0, "expected an index below 2, found 2"),
        (v(3), 1, "expected a variable-length integer, found the end of the data"),
    ],
)
def test_wrong_sizes(data: bytes, at: int, message: str) -> None:
    with pytest.raises(Fault) as raised:
        _sparse_array(Cursor(data), 2)
    assert (raised.value.offset, raised.value.message) == (at, message)


def test_indices_of_the_most_bits() -> None:
    made = Emitter()
    for number in (3, 8, 7 << 8 | 1):  # one number, indices of 8 bits, 7 at index 1
        made.varint(number)
    assert _sparse_array(Cursor(bytes(made.data)), 2) == [0, 7]


def test_fewer_sizes_than_segments() -> None:
    assert _sparse_array(Cursor(v(2, 7)), 3) == [7, 0, 0]


# The order of uses


@pytest.mark.parametrize(
    ("order", "data"),
    [
        ([1, 0], v(4, 1, 0)),
        ([1, 2, 0], v(6, 1, 2, 0)),
        ([1, 0, 2, 3], v(8, 1, 0, 2, 3)),
        ([1, 0, 2, 3, 4], v(10, 1, 0, 2, 3, 4)),
        ([0, 2, 1, 3, 4, 5], v(9, 2, 1, 1, 2)),  # 2 of 6 are moved: pairs of a place and an index
        ([0, 1, 2, 5, 4, 3, 6, 7], v(9, 5, 3, 3, 5)),
        ([2, 1, 0, 3, 5, 4], v(12, 2, 1, 0, 3, 5, 4)),
    ],
)
def test_orders_are_written(order: list[int], data: bytes) -> None:
    made = Emitter()
    _write_order(order, made)
    assert bytes(made.data) == data


def used(count: int) -> tuple[Module, Value]:
    """A module and a value with a number of uses."""
    ops = "".join(f"  %{n} = stablehlo.abs %x : tensor<f32>\n" for n in range(count))
    module = shlo.parse(f"func.func @main(%x: tensor<f32>) {{\n{ops}  return\n}}")
    return module, module.functions["main"].regions[0].block.arguments[0]


@pytest.mark.parametrize(
    ("numbers", "is_pairs", "uses"),
    [
        ([0, 1, 2, 3], False, [0, 1, 2, 3]),  # the last use is the first in memory
        ([3, 2, 1, 0], False, [3, 2, 1, 0]),
        ([1, 0, 2, 3], False, [0, 1, 3, 2]),
        ([1, 0, 0, 1], True, [0, 1, 3, 2]),
        ([2, 0, 3, 1], False, [1, 3, 0, 2]),
        ([2, 1, 1, 2], True, [0, 2, 1, 3]),
        ([0, 0, 1, 2], False, [0, 1, 2, 3]),  # no permutation
        ([0, 1, 2], False, [0, 1, 2, 3]),
        ([0, 1, 2, 3, 4], False, [0, 1, 2, 3]),
        ([0, 1], True, [0, 1, 2, 3]),
    ],
)
def test_orders_are_applied(numbers: list[int], is_pairs: bool, uses: list[int]) -> None:
    module, value = used(4)
    ops = [use.op for use in value.uses]
    apply_orders([StoredOrder(value, numbers, is_pairs)], module.op)
    assert [ops.index(use.op) for use in value.uses] == uses


@pytest.mark.parametrize("order", [[0, 2, 3, 1, 4, 5, 6, 7], [3, 0, 2, 1, 4, 5, 6, 7], [3, 2, 4, 1, 0, 5]])
def test_orders_are_read_as_they_were_written(order: list[int]) -> None:
    """The last use of the program is at place `order[0]` in memory; the last use in memory comes first."""
    module, value = used(len(order))
    ops = [use.op for use in value.uses]
    made = Emitter()
    _write_order(order, made)
    apply_orders(read_orders(Cursor(bytes(made.data)), [value]), module.op)
    memory = sorted(range(len(order)), key=order.__getitem__)
    assert [len(order) - 1 - ops.index(use.op) for use in value.uses] == memory[::-1]


def test_orders_are_read() -> None:
    """Of one value without its number; numbers beyond the values are left out; the last order counts."""
    _, value = used(2)
    assert read_orders(Cursor(v(4, 1, 0)), [value]) == [(value, [1, 0], False)]
    assert read_orders(Cursor(v(5, 1, 0)), [value]) == [(value, [1, 0], True)]
    _, other = used(2)
    cursor = Cursor(v(2, 1, 4, 1, 0, 2, 5, 0, 1, 7))
    assert read_orders(cursor, [value, other]) == [(other, [1, 0], False)]
    assert cursor.varint() == 7
    module, value = used(2)
    ops = [use.op for use in value.uses]
    apply_orders([StoredOrder(value, [1, 0], False), StoredOrder(value, [0, 1], False)], module.op)
    assert [use.op for use in value.uses] == ops


def test_orders_of_operations_of_an_older_version() -> None:
    """New operations use new results first; the uses by kept ones are then moved there, each to the front."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.exponential %x : tensor<f32>
  %1 = stablehlo.abs %0 : tensor<f32>
  %2 = stablehlo.exponential %0 : tensor<f32>
  %3 = stablehlo.abs %0 : tensor<f32>
  %4 = stablehlo.exponential %0 : tensor<f32>
  %5 = stablehlo.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}"""
    module = shlo.parse(text)
    ops = [*module.walk()][2:]
    downgraded = {op for op in ops if op.name == "stablehlo.exponential"}
    orders = UseOrders(module, "parsed", downgraded)
    # The last first, those of %0 are return, %4, %3, %2 and %1. In memory: %1, %3, return, and %4, %2.
    made = Emitter()
    assert orders.write(ops[0].results, made)
    assert bytes(made.data) == v(10, 2, 3, 1, 4, 0)
    # Those of the argument are both of %5, and %0. In memory, %0 is the first.
    made = Emitter()
    argument = module.functions["main"].regions[0].block.arguments
    assert orders.write(argument, made)
    assert bytes(made.data) == v(6, 1, 2, 0)
