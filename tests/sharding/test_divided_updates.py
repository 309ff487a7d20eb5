"""Updates of a part of a divided dimension: each device writes what is in its shard, and nothing is moved."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.transforms.passes.partition import partitioned
from tests.sharding.test_division import collectives, divided

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=4]>\n'


def update(size: int, width: int, start: str, at: str) -> shlo.Module:
    """A vector of a size that is divided inside of the program, with an update of a width."""
    one = f"tensor<{size}xi32>"
    constrain = f"<@mesh, [{at}]> : {one}"
    return shlo.parse(
        f"{MESH}func.func @main(%a: {one}, %u: tensor<{width}xi32>, %i: tensor<{start}>) -> {one} {{\n"
        f"  %0 = sdy.sharding_constraint %a {constrain}\n"
        f"  %1 = stablehlo.dynamic_update_slice %0, %u, %i : "
        f"({one}, tensor<{width}xi32>, tensor<{start}>) -> {one}\n"
        f"  %2 = sdy.sharding_constraint %1 {constrain}\n  return %2 : {one}\n}}"
    )


@pytest.mark.parametrize("size", [16, 11])
@pytest.mark.parametrize("width", [1, 3, 7])
@pytest.mark.parametrize(("start", "dtype"), [("i32", np.int32), ("ui32", np.uint32), ("i64", np.int64)])
def test_updates_at_every_place(size: int, width: int, start: str, dtype: type) -> None:
    program = shlo.compile(update(size, width, start, '{"y"}'), partition=True, engine="numpy")
    moved = [] if size == 16 else ["all_gather"]  # of a result that is whole
    assert collectives(program.divided) == moved
    given, new = np.arange(size, dtype=np.int32), 100 + np.arange(width, dtype=np.int32)
    ends = np.iinfo(dtype)
    for at in {*range(-2 if ends.min else 0, size + 2), ends.max - 40, ends.max, ends.min}:
        place = min(max(at, 0), size - width)
        expected = given.copy()
        expected[place : place + width] = new
        (found,) = program(given, new, np.array(at, dtype))
        np.testing.assert_array_equal(found, expected, err_msg=f"at {at}")


def test_two_divided_dimensions() -> None:
    arguments = (
        '%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %u: tensor<2x5xf32>, '
        "%i: tensor<i32>, %j: tensor<i32>"
    )
    body = (
        "  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : "
        "(tensor<8x16xf32>, tensor<2x5xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>\n"
        "  return %0 : tensor<8x16xf32>"
    )
    result = 'tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}'
    assert collectives(divided(body, arguments, f"({result})")) == []
    text = f"{MESH}func.func @main({arguments}) -> ({result}) {{\n{body}\n}}"
    program = shlo.compile(shlo.parse(text), partition=True, engine="numpy")
    a, u = np.zeros((8, 16), np.float32), np.ones((2, 5), np.float32)
    (found,) = program(a, u, np.int32(3), np.int32(6))
    a[3:5, 6:11] = 1
    np.testing.assert_array_equal(found, a)


def test_narrow_positions_do_not_divide() -> None:
    """The size of a dimension may not fit into them."""
    module, division = partitioned(update(16, 3, "i8", '{"y"}'))
    assert [op.name for op, _ in division.remarks] == ["stablehlo.dynamic_update_slice"]
    assert "all_gather" in collectives(module)


SORT = """  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.compare LT, %l, %r : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (TYPE) -> TYPE
  return %0 : TYPE"""


@pytest.mark.parametrize(
    ("shape", "at", "moved", "remarks"),
    [
        ("16", '{"y"}', ["all_gather"], ["stablehlo.sort"]),
        ("16x8", '{"y"}, {}', ["all_to_all", "all_to_all"], []),
        ("16x8", '{}, {"y"}', [], []),
    ],
)
def test_what_a_sort_needs_of_its_dimension(shape: str, at: str, moved: list, remarks: list) -> None:
    """It moves to another dimension; without one, each device sorts the whole, and a remark says so."""
    type, place = f"tensor<{shape}xi32>", f"{{sdy.sharding = #sdy.sharding<@mesh, [{at}]>}}"
    text = f"{MESH}func.func @main(%a: {type} {place}) -> ({type} {place}) {{\n{SORT}\n}}"
    module, division = partitioned(shlo.parse(text.replace("TYPE", type)))
    assert collectives(module) == moved
    assert [op.name for op, _ in division.remarks] == remarks


def test_a_value_is_gathered_once() -> None:
    argument = '%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}'
    both = "(tensor<8xi32>, tensor<8xi32>) -> tensor<16xi32>"
    body = (
        f"  %0 = stablehlo.custom_call @foo(%a, %a) : {both}\n  return %a, %0 : tensor<8xi32>, tensor<16xi32>"
    )
    assert collectives(divided(body, argument, "(tensor<8xi32>, tensor<16xi32>)")) == ["all_gather"]
