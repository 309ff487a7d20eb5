"""Windows along divided dimensions: each device gets what its windows reach from its neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.sharding.division.windows import Window, halo_of
from tests.sharding.test_division import argument, collectives

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=4]>'
BODY = "({{\n  ^bb0(%l: tensor<f32>, %r: tensor<f32>):\n    %s = stablehlo.{} %l, %r : tensor<f32>\n"
BODY += "    stablehlo.return %s : tensor<f32>\n  }})"


def program(op: str, sharding: str, shape: str, result: str, others: str = "") -> shlo.Module:
    head = argument("a", f"tensor<{shape}xf32>", sharding) + others
    out = argument("r", f"tensor<{result}xf32>", sharding).removeprefix("%r: ")
    types = f"-> tensor<{result}xf32>"
    return shlo.parse(
        f"{MESH}\nfunc.func @main({head}, %z: tensor<f32>) -> ({out}) {{\n  %0 = {op} {types}\n"
        f"  return %0 : tensor<{result}xf32>\n}}"
    )


def check(module: shlo.Module, expected: list[str]) -> None:
    """Compare with the undivided program, on numbers that are exact, and compare the collectives."""
    draw = np.random.default_rng(1)
    types = [a.type for a in module.functions["main"].regions[0].block.arguments]
    inputs = [draw.integers(-8, 9, t.shape).astype(np.float32) for t in types]
    divided = shlo.compile(module, partition=True)
    np.testing.assert_array_equal(divided(*inputs)[0], shlo.run(module, inputs)[0])
    assert shlo.verify(divided.divided) == []
    assert collectives(divided.divided) == expected


PERMUTE, GATHER = "collective_permute", "all_gather"


@pytest.mark.parametrize(
    ("start", "limit", "stride", "size", "expected"),
    [
        (0, 16, 1, 16, []),
        (0, 16, 2, 8, []),  # each second element of its own shard
        (1, 16, 2, 8, []),
        (1, 13, 1, 12, [PERMUTE]),  # shards of 4 become shards of 3, which start 1 to 4 elements later
        (4, 16, 1, 12, [PERMUTE]),
        (0, 12, 1, 12, [PERMUTE]),
        (0, 4, 1, 4, [PERMUTE] * 3),  # all of it is on one device, which sends an element to each other one
    ],
)
def test_slices(start: int, limit: int, stride: int, size: int, expected: list[str]) -> None:
    op = f"stablehlo.slice %a [{start}:{limit}:{stride}, 0:2] : (tensor<16x2xf32>)"
    check(program(op, '[{"y"}, {}]', "16x2", f"{size}x2"), expected)


@pytest.mark.parametrize(
    ("low", "high", "interior", "size", "expected"),
    [
        (1, -1, 0, 8, [PERMUTE]),
        (-1, 1, 0, 8, [PERMUTE]),
        (-3, 3, 0, 8, [PERMUTE, PERMUTE]),  # from the next device, and from the one behind it
        (0, 1, 1, 16, []),  # an element and the padding behind it
        (1, 0, 1, 16, []),
        (3, -3, 0, 8, [PERMUTE, PERMUTE]),  # from the device before, and from the one in front of it
        (2, 2, 0, 12, [PERMUTE, PERMUTE]),  # from both sides
    ],
)
def test_pads(low: int, high: int, interior: int, size: int, expected: list[str]) -> None:
    op = (
        f"stablehlo.pad %a, %z, low = [{low}, 0], high = [{high}, 1], interior = [{interior}, 0] : "
        "(tensor<8x2xf32>, tensor<f32>)"
    )
    check(program(op, '[{"y"}, {}]', "8x2", f"{size}x3"), expected)


@pytest.mark.parametrize("combination", ["add", "maximum"])
@pytest.mark.parametrize(
    ("numbers", "padding", "size", "expected"),
    [
        ((3, 1, 1, 1), (1, 1), 16, [PERMUTE, PERMUTE]),
        ((2, 2, 1, 1), (0, 0), 8, []),  # windows within shards
        ((4, 2, 1, 1), (1, 1), 8, [PERMUTE, PERMUTE]),
        ((3, 1, 2, 1), (2, 2), 16, [PERMUTE, PERMUTE]),  # dilated
        ((3, 1, 1, 2), (1, 2), 32, [PERMUTE]),
        ((7, 1, 1, 1), (6, 0), 16, [PERMUTE, PERMUTE]),  # a part of a shard behind a whole one
        ((7, 1, 1, 1), (0, 6), 16, [PERMUTE, PERMUTE]),
        ((16, 1, 1, 1), (15, 0), 16, [GATHER]),  # a sum of all before
    ],
)
def test_windows(
    combination: str, numbers: tuple[int, ...], padding: tuple[int, int], size: int, expected: list[str]
) -> None:
    names = ("window_dimensions", "window_strides", "window_dilations", "base_dilations")
    arrays = ", ".join(
        f"{name} = array<i64: 1, {number}>" for name, number in zip(names, numbers, strict=True)
    )
    op = (
        f'"stablehlo.reduce_window"(%a, %z) <{{{arrays}, padding = dense<[[0, 0], {[*padding]}]> : '
        f"tensor<2x2xi64>}}> {BODY.format(combination)} : (tensor<2x16xf32>, tensor<f32>)"
    )
    check(program(op, '[{}, {"y"}]', "2x16", f"2x{size}"), expected)


def test_a_sum_of_all_before_along_two_axes() -> None:
    """Halves are gathered along one axis, so that a device needs the other half alone, from one neighbour."""
    op = (
        '"stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 16>, '
        f"padding = dense<[[15, 0]]> : tensor<1x2xi64>}}> {BODY.format('add')} : "
        "(tensor<16xf32>, tensor<f32>)"
    )
    check(program(op, '[{"x", "y"}]', "16", "16"), [GATHER, PERMUTE])


@pytest.mark.parametrize(
    ("window", "kernel", "shape", "result", "expected"),
    [
        ("pad = [[1, 1], [1, 1]]", "3x3", "8x8", "8x8", [PERMUTE] * 4),
        ("stride = [2, 2], pad = [[0, 1], [0, 1]]", "3x3", "8x8", "4x4", [PERMUTE] * 2),
        ("stride = [4, 2]", "4x2", "16x8", "4x4", []),
        ("pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2]", "3x3", "8x8", "16x16", [PERMUTE] * 2),
        ("pad = [[2, 2], [0, 0]], rhs_dilate = [2, 1]", "3x1", "8x8", "8x8", [PERMUTE] * 2),
        ("pad = [[1, 1], [1, 1]], reverse = [true, false]", "3x3", "8x8", "8x8", [PERMUTE] * 4),
    ],
)
def test_convolutions(window: str, kernel: str, shape: str, result: str, expected: list[str]) -> None:
    op = (
        "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        f"window = {{{window}}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : "
        f"(tensor<2x{shape}x2xf32>, tensor<{kernel}x2x3xf32>)"
    )
    module = program(
        op, '[{}, {"y"}, {"x"}, {}]', f"2x{shape}x2", f"2x{result}x3", f", %k: tensor<{kernel}x2x3xf32>"
    )
    check(module, expected)


@pytest.mark.parametrize(
    ("dims", "sharding", "expected"),
    [
        ("0", '[{"y"}, {}]', [PERMUTE]),
        ("1", '[{"y"}, {}]', []),
        ("0, 1", '[{"y"}, {"x"}]', [PERMUTE, PERMUTE]),
        ("0", '[{"x", "y"}, {}]', [PERMUTE]),
    ],
)
def test_reverses(dims: str, sharding: str, expected: list[str]) -> None:
    op = f'"stablehlo.reverse"(%a) <{{dimensions = array<i64: {dims}>}}> : (tensor<16x4xf32>)'
    module = program(op, sharding, "16x4", "16x4")
    check(module, expected)


def test_what_a_device_needs() -> None:
    """Windows of 3 at each element, with padding of 1: one element of each neighbour."""
    found = halo_of(Window(0, 0, 16, 16, 1, 1, 3), 4)
    assert found is not None
    assert (found.shard, found.starts, found.width) == (4, (-1, 3, 7, 11), 6)
    assert (found.left, found.right, found.low, found.high) == (1, 1, 0, 0)


def test_what_devices_need_of_dimensions_that_do_not_divide() -> None:
    """Pairs of 15 elements at shards of 4, of which the last device has 3: its last window reaches out."""
    found = halo_of(Window(0, 0, 15, 15, 0, 1, 2), 4)
    assert found is not None
    assert (found.shard, found.starts, found.width, found.used) == (4, (0, 4, 8, 12), 5, 4)
    assert (found.left, found.right, found.reaches_out) == (0, 1, True)
    few = halo_of(Window(0, 0, 9, 9, 0, 1, 1), 8)  # shards of 2, so that five devices have all
    assert few is not None and (few.shard, few.used, few.right, few.reaches_out) == (2, 5, 0, False)


def test_windows_that_cannot_be_divided() -> None:
    assert halo_of(Window(0, 0, 4, 12, 0, 1, 1, 2), 4) is None  # shards start on and between elements


def test_drawn_windows() -> None:
    """Windows of all sizes, strides, dilations and paddings, over 2 to 8 devices."""
    draw, divided = np.random.default_rng(7), 0
    for _ in range(60):
        size, window, stride = draw.integers(2, 5) * 4, draw.integers(1, 6), draw.integers(1, 4)
        dilation, base = draw.integers(1, 3), draw.integers(1, 3)
        low, high = draw.integers(0, 4), draw.integers(0, 4)
        reach = (window - 1) * dilation + 1
        count = ((size - 1) * base + 1 + low + high - reach) // stride + 1
        if (size - 1) * base + 1 + low + high < reach:
            continue
        names = ("window_dimensions", "window_strides", "window_dilations", "base_dilations")
        arrays = ", ".join(
            f"{name} = array<i64: {number}>"
            for name, number in zip(names, (window, stride, dilation, base), strict=True)
        )
        op = (
            f'"stablehlo.reduce_window"(%a, %z) <{{{arrays}, padding = dense<[[{low}, {high}]]> : '
            f"tensor<1x2xi64>}}> {BODY.format('maximum')} : (tensor<{size}xf32>, tensor<f32>)"
        )
        module = program(op, draw.choice(['[{"x"}]', '[{"y"}]']), str(size), str(count))
        given = [draw.integers(-9, 9, size).astype(np.float32), np.float32(-4)]
        made = shlo.compile(module, partition=True)
        np.testing.assert_array_equal(made(*given)[0], shlo.run(module, given)[0])
        divided += PERMUTE in collectives(made.divided)
    assert divided > 8


@pytest.mark.parametrize("size", [16, 15, 13, 9])
@pytest.mark.parametrize(("combination", "start"), [("add", "0.0"), ("maximum", "0.0"), ("maximum", "-9.0")])
def test_windows_do_not_see_what_fills_the_last_shards(combination: str, start: str, size: int) -> None:
    """Of dimensions that do not divide: what is computed there is not the padding of the windows."""
    type = f"tensor<{size}xf32>"
    module = shlo.parse(
        f"{MESH}\nfunc.func @main(%a: {type}) -> {type} {{\n"
        f"  %z = stablehlo.constant dense<{start}> : tensor<f32>\n"
        f"  %c = stablehlo.constant dense<7.0> : {type}\n"
        f'  %0 = sdy.sharding_constraint %a <@mesh, [{{"y"}}]> : {type}\n'
        f"  %1 = stablehlo.add %0, %c : {type}\n"
        f'  %2 = "stablehlo.reduce_window"(%1, %z) <{{window_dimensions = array<i64: 4>, '
        f"padding = dense<[[1, 2]]> : tensor<1x2xi64>}}> {BODY.format(combination)} "
        f": ({type}, tensor<f32>) -> {type}\n  return %2 : {type}\n}}"
    )
    values = np.random.default_rng(size).integers(-20, 20, size).astype(np.float32)
    divided = shlo.compile(module, partition=True, engine="numpy")
    assert PERMUTE in collectives(divided.divided)
    padded = np.concatenate([[float(start)], values + 7, [float(start)] * 2])
    reduce = np.sum if combination == "add" else np.max
    expected = [
        max(reduce(padded[k : k + 4]), float(start))
        if combination == "maximum"
        else reduce(padded[k : k + 4])
        for k in range(size)
    ]
    np.testing.assert_array_equal(divided(values)[0], np.array(expected, np.float32))
