"""Scatters along divided dimensions: of elements, and of updates that devices combine."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from tests.sharding.test_division import argument, collectives

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=4]>'
NUMBERS = "update_window_dims = [{}], inserted_window_dims = [{}], scatter_dims_to_operand_dims = [{}]"


def program(
    table: tuple[str, str],
    indices: tuple[str, str],
    updates: tuple[str, str],
    dims: tuple[str, str, str, int],
    body: str = "%s = stablehlo.add %p, %q : tensor<i32>",
) -> shlo.Module:
    """A scatter of tensors with shardings; `dims` are those of windows, inserted ones, and indexed ones."""
    types = [f"tensor<{type}>" for type, _ in (table, indices, updates)]
    arguments = [
        argument(n, t, s[1]) for n, t, s in zip("aiu", types, (table, indices, updates), strict=True)
    ]
    result = argument("r", types[0], table[1]).removeprefix("%r: ")
    numbers = NUMBERS.format(*dims[:3])
    return shlo.parse(
        f"{MESH}\nfunc.func @main({', '.join(arguments)}) -> ({result}) {{\n"
        f'  %0 = "stablehlo.scatter"(%a, %i, %u) <{{indices_are_sorted = false, unique_indices = false, '
        f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}, index_vector_dim = {dims[3]}>}}> ({{\n"
        f"  ^bb0(%p: tensor<i32>, %q: tensor<i32>):\n    {body}\n    stablehlo.return %s : tensor<i32>\n"
        f"  }}) : ({', '.join(types)}) -> {types[0]}\n  return %0 : {types[0]}\n}}"
    )


def check(module: shlo.Module, bounds: tuple[int, ...], dimension: int, expected: list[str]) -> None:
    """Compare with the undivided program, for indices in bounds and out of them, and count collectives."""
    divided = shlo.compile(module, partition=True, engine="numpy")
    assert shlo.verify(divided.divided) == []
    assert collectives(divided.divided) == expected
    table, indices, updates = [value.type.shape for value in divided.signature.inputs]
    draw = np.random.default_rng(9)
    for _ in range(4):
        columns = [draw.integers(-2, bound + 2, indices[1 - dimension]) for bound in bounds]
        at = np.stack(columns, dimension).astype(np.int32)
        values = [draw.integers(1, 9, shape).astype(np.int32) for shape in (table, updates)]
        (found,) = divided(values[0], at, values[1])
        np.testing.assert_array_equal(found, shlo.run(module, [values[0], at, values[1]], engine="numpy")[0])


LAST = "%s = stablehlo.multiply %q, %q : tensor<i32>"


@pytest.mark.parametrize("body", [None, LAST])  # devices need not combine anything
@pytest.mark.parametrize("rows", [16, 10])
def test_rows_of_a_divided_dimension_are_updated_where_they_are(rows: int, body: str | None) -> None:
    table = (f"{rows}x3xi32", '[{"x"}, {}]')
    whole = ("5x1xi32", "[{}, {}]"), ("5x3xi32", "[{}, {}]")
    dims = ("1", "0", "0", 1)
    module = program(table, *whole, dims) if body is None else program(table, *whole, dims, body)
    check(module, (rows,), 1, [])


@pytest.mark.parametrize("rows", [16, 10])
def test_windows_of_rows_are_written_where_they_are(rows: int) -> None:
    """A window of three rows is on one or two devices, or out of bounds in part."""
    table = (f"{rows}x3xi32", '[{"x"}, {}]')
    module = program(table, ("5x1xi32", "[{}, {}]"), ("5x3x3xi32", "[{}, {}, {}]"), ("1, 2", "", "0", 1))
    check(module, (rows,), 1, [])


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
@pytest.mark.parametrize("rows", [16, 10])
def test_windows_far_behind_a_divided_dimension(rows: int, kind: type) -> None:
    """Places do not wrap around to the shards."""
    name = f"ui{np.iinfo(kind).bits}"
    last = int(np.iinfo(kind).max)
    table = (f"{rows}x3xi32", '[{"x"}, {}]')
    module = program(table, (f"5x1x{name}", "[{}, {}]"), ("5x3x3xi32", "[{}, {}, {}]"), ("1, 2", "", "0", 1))
    divided = shlo.compile(module, partition=True, engine="numpy")
    values = np.arange(rows * 3, dtype=np.int32).reshape(rows, 3), np.full((5, 3, 3), 100, np.int32)
    for places in ([last, last - 1, last - 2, last - rows // 2, 1], [0, rows - 3, rows - 1, rows, last]):
        expected = values[0].copy()
        for row in [place + k for place in places for k in range(3) if place + k < rows]:
            expected[row] += 100
        (found,) = divided(values[0], np.array(places, kind)[:, None], values[1])
        np.testing.assert_array_equal(found, expected)


def test_a_window_of_a_whole_dimension_with_an_index_is_not_divided() -> None:
    table = ("8x3xi32", '[{"y"}, {}]')
    module = program(table, ("5x1xi32", "[{}, {}]"), ("5x8x3xi32", "[{}, {}, {}]"), ("1, 2", "", "0", 1))
    check(module, (8,), 1, ["all_gather"])


def test_two_divided_dimensions_in_another_order() -> None:
    module = program(
        ("8x3x8xi32", '[{"x"}, {}, {"y"}]'),
        ("2x6xi32", "[{}, {}]"),
        ("6x3xi32", "[{}, {}]"),
        ("1", "0, 2", "2, 0", 0),
    )
    check(module, (8, 8), 0, [])


@pytest.mark.parametrize(
    "body",
    [
        "%s = stablehlo.add %p, %q : tensor<i32>",
        "%s = stablehlo.maximum %p, %q : tensor<i32>",
        "%s = stablehlo.multiply %q, %p : tensor<i32>",
    ],
)
def test_updates_of_several_devices_are_combined(body: str) -> None:
    """Of a small table; the elements of the table itself count once."""
    module = program(
        ("4xi32", "[{}]"), ("64x1xi32", '[{"y"}, {}]'), ("64xi32", '[{"y"}]'), ("", "0", "0", 1), body
    )
    check(module, (4,), 1, ["all_reduce"])


def test_what_cannot_be_combined_is_gathered() -> None:
    module = program(
        ("4xi32", "[{}]"), ("64x1xi32", '[{"y"}, {}]'), ("64xi32", '[{"y"}]'), ("", "0", "0", 1), LAST
    )
    check(module, (4,), 1, ["all_gather", "all_gather"])


@pytest.mark.parametrize("size", [16, 11])
@pytest.mark.parametrize(("start", "dtype"), [("i32", np.int32), ("ui32", np.uint32), ("i64", np.int64)])
def test_a_slice_at_a_dynamic_place_is_summed_up(size: int, start: str, dtype: type) -> None:
    text = (
        f"{MESH}\nfunc.func @main(%a: tensor<{size}xi32>, %i: tensor<{start}>) -> tensor<3xi32> {{\n"
        f'  %0 = sdy.sharding_constraint %a <@mesh, [{{"y"}}]> : tensor<{size}xi32>\n'
        f"  %1 = stablehlo.dynamic_slice %0, %i, sizes = [3] : "
        f"(tensor<{size}xi32>, tensor<{start}>) -> tensor<3xi32>\n  return %1 : tensor<3xi32>\n}}"
    )
    program = shlo.compile(shlo.parse(text), partition=True, engine="numpy")
    assert collectives(program.divided) == ["all_reduce"]
    values, ends = np.arange(1, size + 1, dtype=np.int32), np.iinfo(dtype)
    for at in {*range(-2 if ends.min else 0, size + 2), ends.max, ends.min}:
        place = min(max(at, 0), size - 3)
        found = program(values, np.array(at, dtype))[0]
        np.testing.assert_array_equal(found, values[place : place + 3], err_msg=f"at {at}")
