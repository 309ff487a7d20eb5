"""Division by XLA's annotations: the shard of each device, in all forms of `mhlo.sharding`."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.sharding.tiles import is_sharded

TYPE = "tensor<8x8xi32>"
NUMBERS = np.arange(64, dtype=np.int32).reshape(8, 8)
IOTA = np.arange(8)

# The text, and the device of each tile by the definition of XLA: numbers that are reshaped and transposed.
FORMS = [
    ("{devices=[8,1]<=[8]}", IOTA.reshape(8, 1)),
    ("{devices=[1,8]<=[8]}", IOTA.reshape(1, 8)),
    ("{devices=[2,4]<=[8]}", IOTA.reshape(2, 4)),
    ("{devices=[4,2]<=[8]}", IOTA.reshape(4, 2)),
    ("{devices=[4,2]<=[2,4]T(1,0)}", IOTA.reshape(2, 4).T),
    ("{devices=[2,4]<=[4,2]T(1,0)}", IOTA.reshape(4, 2).T),
    ("{devices=[8,1]<=[2,4]T(1,0)}", IOTA.reshape(2, 4).T.reshape(8, 1)),
    ("{devices=[1,8]<=[4,2]T(1,0)}", IOTA.reshape(4, 2).T.reshape(1, 8)),
    ("{devices=[2,4]<=[2,2,2]T(1,0,2)}", IOTA.reshape(2, 2, 2).transpose(1, 0, 2).reshape(2, 4)),
    ("{devices=[2,4]<=[2,2,2]T(2,1,0)}", IOTA.reshape(2, 2, 2).transpose(2, 1, 0).reshape(2, 4)),
    ("{devices=[4,2]<=[2,2,2]T(0,2,1)}", IOTA.reshape(2, 2, 2).transpose(0, 2, 1).reshape(4, 2)),
    ("{devices=[2,1,4]<=[8] last_tile_dim_replicate}", IOTA.reshape(2, 1, 4)),
    ("{devices=[1,4,2]<=[8] last_tile_dim_replicate}", IOTA.reshape(1, 4, 2)),
    ("{devices=[2,2,2]<=[8] last_tile_dim_replicate}", IOTA.reshape(2, 2, 2)),
    ("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", IOTA.reshape(2, 4).T.reshape(4, 1, 2)),
    ("{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}", IOTA.reshape(4, 2).T.reshape(1, 2, 4)),
    ("{devices=[2,2,2]<=[2,2,2]T(2,0,1) last_tile_dims={replicated}}",
     IOTA.reshape(2, 2, 2).transpose(2, 0, 1)),
    ("{devices=[2,1,2,2]<=[8] last_tile_dims={replicated, replicated}}", IOTA.reshape(2, 1, 2, 2)),
    ("{devices=[8,1]0,1,2,3,4,5,6,7}", IOTA.reshape(8, 1)),
    ("{devices=[2,4]0,2,4,6,1,3,5,7}", IOTA.reshape(4, 2).T),
    ("{devices=[8,1]7,6,5,4,3,2,1,0}", IOTA[::-1].reshape(8, 1)),
    ("{devices=[8,1]0,2,1,3,4,5,6,7}", np.array([[0], [2], [1], [3], [4], [5], [6], [7]])),
    ("{devices=[2,4]0,1,2,4,3,5,6,7}", np.array([[0, 1, 2, 4], [3, 5, 6, 7]])),
    ("{devices=[2,4]3,1,0,2,7,6,5,4}", np.array([[3, 1, 0, 2], [7, 6, 5, 4]])),
    ("{devices=[2,1,4]1,0,3,2,5,4,7,6 last_tile_dim_replicate}", np.array([[[1, 0, 3, 2]], [[5, 4, 7, 6]]])),
    ('{devices=[2,4]<=[8] metadata={op_name="jit(f)/add"}}', IOTA.reshape(2, 4)),
    ("{devices=[1,1,8]<=[8] last_tile_dim_replicate}", IOTA.reshape(1, 1, 8)),
    ("{replicated}", IOTA.reshape(1, 1, 8)),
    ('{replicated metadata={op_name="a"}}', IOTA.reshape(1, 1, 8)),
    ("{maximal device=3}", IOTA.reshape(1, 1, 8)),  # every device has a copy
]  # fmt: skip


def program(sharding: str, result: str = "{replicated}", body: str = "", type: str = TYPE) -> shlo.Module:
    body = body or f"%0 = stablehlo.add %a, %b : {type}"
    rows = "{devices=[8,1]<=[8]}" if "devices" not in sharding + result else "{replicated}"
    return shlo.parse(
        "module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {\n"
        f"func.func @main(%a: {type} {annotation(sharding)}, %b: {type} {annotation(rows)}) "
        f"-> ({type} {annotation(result)}) {{\n"
        f"  {body}\n  return %0 : {type}\n}}\n}}"
    )


def annotation(text: str) -> str:
    return '{mhlo.sharding = "' + text.replace('"', r"\22") + '"}'


def tile(devices: np.ndarray, device: int, numbers: np.ndarray = NUMBERS) -> np.ndarray:
    """The elements of the tile of a device: less than others, or none, at the end of a dimension."""
    at = np.argwhere(devices == device)[0]
    sizes = [ceil(size / count) for size, count in zip(numbers.shape, devices.shape[:2], strict=True)]
    rows, columns = [slice(k * size, (k + 1) * size) for k, size in zip(at[:2], sizes, strict=True)]
    return numbers[rows, columns]


@pytest.mark.parametrize(("sharding", "devices"), FORMS, ids=[text for text, _ in FORMS])
def test_each_device_has_its_tile(sharding: str, devices: np.ndarray) -> None:
    whole = shlo.compile(program(sharding), partition=True)
    np.testing.assert_array_equal(whole(NUMBERS, NUMBERS)[0], 2 * NUMBERS)
    assert shlo.verify(whole.divided) == []
    argument = whole.divided.functions["main"].regions[0].block.arguments[0]
    assert tuple(argument.type.shape) == tile(devices, 0).shape
    back = shlo.compile(program("{replicated}", sharding), partition=True)
    shards = back.call_grid([NUMBERS, np.zeros_like(NUMBERS)])
    for device in range(8):
        np.testing.assert_array_equal(shards[0, device][0], tile(devices, device))


@pytest.mark.parametrize(("sharding", "devices"), FORMS, ids=[text for text, _ in FORMS])
def test_arguments_and_results_that_do_not_divide_are_padded(sharding: str, devices: np.ndarray) -> None:
    numbers = NUMBERS[:5, :7]
    whole = shlo.compile(program(sharding, sharding, type="tensor<5x7xi32>"), partition=True)
    first, last = tile(devices, devices.flat[0], numbers).shape, [(0, each) for each in range(8)]
    assert whole.divided.functions["main"].regions[0].block.arguments[0].type.shape == first
    shards = whole.call_grid([numbers, numbers])
    assert [shards[place][0].shape for place in last] == [first] * 8
    for place in last:
        ((output, found),) = whole.slices(place, shards[place])
        np.testing.assert_array_equal(found, 2 * tile(devices, place[1], numbers))
        assert output.type.shape == found.shape
    np.testing.assert_array_equal(whole(numbers, numbers)[0], 2 * numbers)


ROW = "tensor<1x8xi32>"
MARK = 'stablehlo.custom_call @Sharding(%a) {{mhlo.sharding = "{}"}}'
BODIES = {
    "a constraint": (
        '%1 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,4]<=[4,2]T(1,0)}"} : '
        f"({TYPE}) -> {TYPE}\n  %0 = stablehlo.subtract %1, %b : {TYPE}"
    ),
    "an op": f'%0 = stablehlo.subtract %a, %b {{mhlo.sharding = "{{devices=[4,2]<=[8]}}"}} : {TYPE}',
    "one sharding of two results": (
        '%1:2 = "stablehlo.optimization_barrier"(%a, %b) {mhlo.sharding = "{devices=[4,2]<=[8]}"} : '
        f"({TYPE}, {TYPE}) -> ({TYPE}, {TYPE})\n  %0 = stablehlo.subtract %1#0, %1#1 : {TYPE}"
    ),
    "a tuple of shardings": (
        '%1:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64}> ({\n'
        "  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %r: tensor<i32>, %s: tensor<i32>):\n"
        "    %c = stablehlo.compare GT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %c : tensor<i1>\n"
        '  }) {mhlo.sharding = "{{devices=[8,1]<=[8]}, {replicated}}"} : '
        f"({TYPE}, {TYPE}) -> ({TYPE}, {TYPE})\n  %0 = stablehlo.add %1#0, %1#1 : {TYPE}"
    ),
    "shards between conversions": (
        f"%1 = {MARK.format('{devices=[8,1]<=[8]}')} : ({TYPE}) -> {TYPE}\n"
        f'  %2 = stablehlo.custom_call @SPMDFullToShardShape(%1) {{mhlo.sharding = "{{manual}}"}} : '
        f"({TYPE}) -> {ROW}\n"
        f'  %3 = stablehlo.multiply %2, %2 {{mhlo.sharding = "{{manual}}"}} : {ROW}\n'
        f"  %4 = {MARK.format('{manual}').replace('%a', '%3')} : ({ROW}) -> {ROW}\n"
        '  %0 = stablehlo.custom_call @SPMDShardToFullShape(%4) {mhlo.sharding = "{devices=[8,1]<=[8]}"} : '
        f"({ROW}) -> {TYPE}"
    ),
}  # fmt: skip


def test_unspecified_dimensions_are_propagated() -> None:
    """The mark states how rows are divided, and columns stay as they are."""
    at = "{devices=[2,4]<=[8]}"
    mark = (
        '%0 = stablehlo.custom_call @Sharding(%a) {{backend_config = "{}", '
        'mhlo.sharding = "{{devices=[2,1,4]<=[8] last_tile_dim_replicate}}"}} : '
        f"({TYPE}) -> {TYPE}"
    )
    open_one, closed = [
        shlo.format(shlo.opt(program(at, at, mark.format(text)), ["partition"]))
        for text in ("unspecified_dims=[1]", "unspecified_dims=[0]")
    ]
    assert "all_gather" not in open_one and "all_gather" in closed


def test_numbers_with_zeros_in_front() -> None:
    module = program("{devices=[000000000002,4]<=[00000000008]}")
    divided = shlo.compile(module, partition=True).divided
    assert divided.functions["main"].regions[0].block.arguments[0].type.shape == (4, 2)


@pytest.mark.parametrize("body", BODIES.values(), ids=list(BODIES))
@pytest.mark.parametrize("sharding", ["{devices=[2,4]<=[8]}", "{devices=[1,8]<=[4,2]T(1,0)}"])
def test_annotations_inside(sharding: str, body: str) -> None:
    module = program(sharding, body=body)
    inputs = [NUMBERS % 13, NUMBERS.T % 7]
    found = shlo.compile(module, partition=True)(*inputs)
    np.testing.assert_array_equal(found[0], shlo.run(module, inputs)[0])


@pytest.mark.parametrize(
    ("sharding", "message"),
    [
        ("{devices=[2,4]<=[8] shard_as 1}", "is not understood: the forms are"),
        ("{devices=[2,4]<=[8] shape_barrier}", "is not understood"),
        ("{unreduced}", "is not understood"),
        ("{devices=[2,4]<=[9]}", "is not understood"),
        ("{devices=[2,4]0,1,2,3,4,5,6,6}", "is not understood"),
        ("{devices=[2,4]<=[4,2]T(0,0)}", "is not understood"),
        ("{devices=[2,4]<=[1000000000,8]}", "is not understood"),
        ("{devices=[0,0]<=[0]}", "is not understood"),
        ("{devices=[2,4]<=[10000000000000000008]}", "is not understood"),
        (f"{{devices=[{','.join(['1'] * 65)}]<=[1]}}", "is not understood"),
        (f"{{devices=[1,1]<=[{','.join(['1'] * 65)}]}}", "is not understood"),
        ("devices=[2,4]<=[8]", "is not understood"),
        ("{devices=[8]<=[8]}", "is for rank 1, and the value has rank 2"),
        ("{devices=[2,2]<=[4]}", "has 4 devices, and the program has 8"),
        ("{{replicated}, {replicated}}", "has 2 shardings for 1 values"),
    ],
)
def test_annotations_that_are_refused(sharding: str, message: str) -> None:
    with pytest.raises(shlo.TransformError, match=message):
        shlo.compile(program(sharding), partition=True)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("{devices=[8,1]7,6,5,4,3,2,1,0}", "{devices=[8,1]<=[8]}", "an order that is no mesh's"),
        ("{devices=[8,1]1,0,3,2,5,4,7,6}", "{devices=[2,4]7,6,5,4,3,2,1,0}", "an order that is no mesh's"),
    ],
)
def test_annotations_that_have_no_mesh_in_common(first: str, second: str, message: str) -> None:
    with pytest.raises(shlo.TransformError, match=message):
        shlo.compile(program(first, second), partition=True)


def test_numbers_of_devices_that_have_no_mesh_in_common() -> None:
    """Six devices by 2 and 3 in one order, and by 3 and 2 in the other."""
    text = (
        'func.func @main(%a: tensor<6x6xi32> {mhlo.sharding = "{devices=[2,3]<=[6]}"}, '
        '%b: tensor<6x6xi32> {mhlo.sharding = "{devices=[3,2]<=[6]}"}) -> tensor<6x6xi32> {\n'
        "  return %a : tensor<6x6xi32>\n}"
    )
    with pytest.raises(shlo.TransformError, match="have no mesh in common"):
        shlo.compile(shlo.parse(text), partition=True)


def test_numbers_of_devices_that_differ_in_a_tuple() -> None:
    text = (
        "func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {\n"
        "  %0:2 = stablehlo.custom_call @f(%a) "
        '{mhlo.sharding = "{{devices=[2]<=[2]}, {devices=[4]<=[4]}}"} : '
        "(tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)\n  return %0#0 : tensor<4xi32>\n}"
    )
    with pytest.raises(shlo.TransformError, match="has 4 devices, and the program has 2"):
        shlo.compile(shlo.parse(text), partition=True)


def test_what_a_program_without_a_number_of_partitions_has() -> None:
    text = (
        'func.func @main(%a: tensor<4xi32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<4xi32> {\n'
        "  return %a : tensor<4xi32>\n}"
    )
    module = shlo.parse(text)
    assert is_sharded(module)
    assert not is_sharded(
        shlo.parse("func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> { return %a : tensor<4xi32> }")
    )
    made = shlo.opt(module, ["partition"])
    assert "mhlo.num_partitions = 2" in shlo.format(made)
    assert shlo.analyze_devices(module).to_dict()["mesh"] == {"axis_0": 2}
