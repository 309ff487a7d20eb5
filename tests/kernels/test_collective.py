"""Collectives: all kinds of process groups, and each op compared with hand calculations."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

PLACES = [(0, 0), (0, 1), (1, 0), (1, 1)]
SUM = """({
  ^bb0(%p: tensor<i64>, %q: tensor<i64>):
    %s = stablehlo.add %p, %q : tensor<i64>
    stablehlo.return %s : tensor<i64>
  })"""


def channel(number: int) -> str:
    return f"channel_handle = #stablehlo.channel_handle<handle = {number}, type = 1>"


def groups(rows: list[list[int]]) -> str:
    return f"replica_groups = dense<{rows or ''}> : tensor<{len(rows)}x{len(rows[0]) if rows else 0}xi64>"


def on_grid(
    op: str, attributes: str, type: str, result: str, values: list[Any], region: str = "", mesh: str = ""
) -> list[Any]:
    """Results of one op of the grid's four processes, in the order of PLACES."""
    text = f"""{mesh}
    func.func @main(%x: {type}) -> {result} {{
      %0 = "stablehlo.{op}"(%x) <{{{attributes}}}> {region} : ({type}) -> {result}
      return %0 : {result}
    }}"""
    program = shlo.compile(shlo.parse(text), replicas=2, partitions=2)
    found = program.call_grid({place: [value] for place, value in zip(PLACES, values, strict=True)})
    return [found[place][0].tolist() for place in PLACES]


NUMBERS = [1, 10, 100, 1000]
ROWS = [[1, 2], [10, 20], [100, 200], [1000, 2000]]
TWO = "tensor<2xi64>"


# Groups


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (groups([[0, 1]]), [101, 1010, 101, 1010]),
        (groups([[0], [1]]), [1, 10, 100, 1000]),
        (groups([]), [101, 1010, 101, 1010]),
        (f"{groups([[0, 1]])}, {channel(1)}", [1111] * 4),
        (f"{groups([[0], [1]])}, {channel(1)}", [11, 11, 1100, 1100]),
        (f"{groups([[0, 3], [1, 2]])}, {channel(1)}, use_global_device_ids", [1001, 110, 110, 1001]),
        (f"{groups([[0, 1, 2, 3]])}, {channel(1)}, use_global_device_ids", [1111] * 4),
    ],
    ids=["replicas", "alone", "all replicas", "both", "both alone", "flattened", "flattened all"],
)
def test_groups_of_ops_that_know_global_ids(attributes: str, expected: list[int]) -> None:
    assert on_grid("all_reduce", attributes, "tensor<i64>", "tensor<i64>", NUMBERS, SUM) == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (groups([[0, 1]]), [1, 10, 1, 10]),
        (groups([[1, 0]]), [100, 1000, 100, 1000]),
        (f"{groups([[0, 1]])}, {channel(1)}", [1, 1, 100, 100]),
        (f"{groups([[1, 0]])}, {channel(1)}", [10, 10, 1000, 1000]),
    ],
    ids=["replicas", "replicas, the other first", "partitions", "partitions, the other first"],
)
def test_groups_of_ops_along_one_axis(attributes: str, expected: list[int]) -> None:
    assert on_grid("collective_broadcast", attributes, "tensor<i64>", "tensor<i64>", NUMBERS) == expected


MESH = (
    '#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, '
    '#stablehlo.mesh_axis<name = "y", size = 2>]{ids}>'
)


@pytest.mark.parametrize(
    ("axes", "ids", "expected"),
    [
        (["x"], "", [101, 1010, 101, 1010]),
        (["y"], "", [11, 11, 1100, 1100]),
        (["x", "y"], "", [1111] * 4),
        (["x"], ", device_ids = dense<[0, 1, 3, 2]> : tensor<4xi64>", [1001, 110, 110, 1001]),
    ],
)
def test_groups_along_the_axes_of_a_mesh(axes: list[str], ids: str, expected: list[int]) -> None:
    named = ", ".join(f'#stablehlo.axis_ref<name = "{axis}">' for axis in axes)
    mesh = MESH.replace("{ids}", ids)
    attributes = (
        f"replica_groups = #stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [{named}]>, "
        f"{channel(1)}, use_global_device_ids"
    )
    assert on_grid("all_reduce", attributes, "tensor<i64>", "tensor<i64>", NUMBERS, SUM) == expected


@pytest.mark.parametrize(
    ("axes", "expected"),
    [(["one"], [1, 10, 100, 1000]), (["all"], [1111] * 4), (["one", "all"], [1111] * 4)],
)
def test_an_axis_of_one_device(axes: list[str], expected: list[int]) -> None:
    one, whole = [
        f'#stablehlo.mesh_axis<name = "{n}", size = {size}>' for n, size in (("one", 1), ("all", 4))
    ]
    named = ", ".join(f'#stablehlo.axis_ref<name = "{axis}">' for axis in axes)
    mesh = f"#stablehlo.mesh<axes = [{one}, {whole}]>"
    attributes = (
        f"replica_groups = #stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [{named}]>, "
        f"{channel(1)}, use_global_device_ids"
    )
    assert on_grid("all_reduce", attributes, "tensor<i64>", "tensor<i64>", NUMBERS, SUM) == expected


@pytest.mark.parametrize(
    ("axes", "expected"),  # the values of the members of each process's group, in order
    [
        (["x", "y"], [[1, 10, 100, 1000]] * 4),
        (["y", "x"], [[1, 100, 10, 1000]] * 4),
        (["z"], [[1], [10], [100], [1000]]),
        (["z", "x"], [[1, 100], [10, 1000], [1, 100], [10, 1000]]),
        (["y", "z"], [[1, 10], [1, 10], [100, 1000], [100, 1000]]),
    ],
)
def test_the_order_of_groups_along_axes(axes: list[str], expected: list[list[int]]) -> None:
    """The axes in the order of the groups, the last one fastest; one of size 1 adds nobody."""
    sizes = {"x": 2, "y": 2, "z": 1}
    known = ", ".join(f'#stablehlo.mesh_axis<name = "{name}", size = {n}>' for name, n in sizes.items())
    named = ", ".join(f'#stablehlo.axis_ref<name = "{axis}">' for axis in axes)
    attributes = (
        f"all_gather_dim = 0 : i64, {channel(1)}, use_global_device_ids, replica_groups = "
        f"#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [{known}]>, axes = [{named}]>"
    )
    values = [np.array([number]) for number in NUMBERS]
    result = f"tensor<{len(expected[0])}xi64>"
    assert on_grid("all_gather", attributes, "tensor<1xi64>", result, values) == expected


def test_parts_of_an_axis_of_a_mesh() -> None:
    """An axis of 4 as 2 by 2: along the first part, ids 0 and 2 meet; along the second, 0 and 1."""
    one = '#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>]>'
    for part, expected in (("(1)2", [101, 1010, 101, 1010]), ("(2)2", [11, 11, 1100, 1100])):
        attributes = (
            f"replica_groups = #stablehlo.replica_group_mesh_axes<mesh = {one}, "
            f'axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = {part}>]>, '
            f"{channel(1)}, use_global_device_ids"
        )
        assert on_grid("all_reduce", attributes, "tensor<i64>", "tensor<i64>", NUMBERS, SUM) == expected


def test_a_mesh_that_is_not_stated() -> None:
    attributes = (
        "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, "
        'axes = [#stablehlo.axis_ref<name = "x">]>'
    )
    with pytest.raises(shlo.Unsupported, match="axes and sizes of the mesh are unknown"):
        on_grid(
            "all_reduce", attributes, "tensor<i64>", "tensor<i64>", NUMBERS, SUM, "func.func private @mesh()"
        )


def test_a_group_that_is_not_in_the_grid() -> None:
    with pytest.raises(shlo.RunError, match="does not fit the grid of 2 replicas by 2"):
        on_grid("all_reduce", groups([[0, 1, 2]]), "tensor<i64>", "tensor<i64>", NUMBERS, SUM)


def test_a_process_in_no_group() -> None:
    with pytest.raises(shlo.RunError, match=r"process \(1, 0\) is not in any replica group"):
        on_grid("all_reduce", groups([[0]]), "tensor<i64>", "tensor<i64>", NUMBERS, SUM)


# Each op, between the replicas of a partition


def test_all_gather() -> None:
    found = on_grid("all_gather", f"all_gather_dim = 0 : i64, {groups([[1, 0]])}", TWO, "tensor<4xi64>", ROWS)
    assert found == [[100, 200, 1, 2], [1000, 2000, 10, 20]] * 2


def test_groups_across_replicas_and_partitions_go_by_partition_first() -> None:
    """As the specification's cross_replica_and_partition: for each partition, all replicas of the group."""
    attributes = f"all_gather_dim = 0 : i64, {groups([[0, 1]])}, {channel(1)}"
    found = on_grid("all_gather", attributes, "tensor<1xi64>", "tensor<4xi64>", [[x] for x in NUMBERS])
    assert found == [[1, 100, 10, 1000]] * 4
    attributes = f"all_gather_dim = 0 : i64, {groups([[1, 0]])}, {channel(1)}"
    found = on_grid("all_gather", attributes, "tensor<1xi64>", "tensor<4xi64>", [[x] for x in NUMBERS])
    assert found == [[100, 1, 1000, 10]] * 4


def test_all_to_all() -> None:
    attributes = "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64"
    found = on_grid("all_to_all", f"{attributes}, {groups([[0, 1]])}", TWO, TWO, ROWS)
    assert found == [[1, 100], [10, 1000], [2, 200], [20, 2000]]


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("all_to_all", "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64"),
        ("all_gather", "all_gather_dim = 0 : i64"),
        ("collective_broadcast", ""),
    ],
)
def test_groups_of_one_process(op: str, attributes: str) -> None:
    joined = ", ".join(filter(None, [attributes, groups([[0], [1]])]))
    assert on_grid(op, joined, TWO, TWO, ROWS) == ROWS


def test_all_to_all_without_operands() -> None:
    attributes = "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64"
    op = f'"stablehlo.all_to_all"() <{{{attributes}, {groups([[0, 1]])}}}> : () -> ()'
    program = shlo.compile(shlo.parse(f"func.func @main() {{ {op} return }}"), replicas=2)
    assert program.call_grid({(0, 0): [], (1, 0): []}) == {(0, 0): [], (1, 0): []}


@pytest.mark.parametrize(
    ("op", "attributes", "result", "expected"),
    [
        ("all_gather", "all_gather_dim = 1 : i64", "2x10", lambda x, k: np.concatenate(x, 1)),
        ("all_gather", "all_gather_dim = 0 : i64", "4x5", lambda x, k: np.concatenate(x, 0)),
        ("reduce_scatter", "scatter_dimension = 0 : i64", "1x5", lambda x, k: (x[0] + x[1])[k : k + 1]),
        (
            "all_to_all",
            "split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64",
            "1x10",
            lambda x, k: np.concatenate([each[k : k + 1] for each in x], 1),
        ),
    ],
)
def test_large_operands_are_sent_piece_by_piece(
    op: str, attributes: str, result: str, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces of two columns of five: the last one is smaller."""
    monkeypatch.setattr("stablehlo_py.kernels.collective.PIECE", 4)
    values = [np.arange(10).reshape(2, 5) * 10**k for k in range(4)]
    region = SUM if op == "reduce_scatter" else ""
    types = ("tensor<2x5xi64>", f"tensor<{result}xi64>")
    found = on_grid(op, f"{attributes}, {groups([[0, 1]])}", *types, values, region)
    for number, ((replica, partition), each) in enumerate(zip(PLACES, found, strict=True)):
        assert each == expected(values[partition::2], replica).tolist(), number


def test_reduce_scatter() -> None:
    attributes = f"scatter_dimension = 0 : i64, {groups([[0, 1]])}"
    found = on_grid("reduce_scatter", attributes, TWO, "tensor<1xi64>", ROWS, SUM)
    assert found == [[101], [1010], [202], [2020]]


@pytest.mark.parametrize(
    ("op", "attributes", "count", "copies"),
    [
        ("all_reduce", groups([[0, 1]]), 2, 1),
        ("all_reduce", groups([[0, 1]]), 2, 9000),  # large: combined in parts
        ("all_reduce", groups([[0], [1]]), 2, 1),  # each process alone
        ("reduce_scatter", f"{groups([[0, 1]])}, scatter_dimension = 0 : i64", 1, 1),
        ("collective_reduce", groups([[0, 1]]), 2, 1),
    ],
)
def test_a_computation_on_a_wider_type(op: str, attributes: str, count: int, copies: int) -> None:
    """Operands are promoted to the type of the computation: 60,000 twice is beyond f16, not beyond f32."""
    region = SUM.replace("i64", "f32")
    types = [f"tensor<{n * copies}x{type}>" for n, type in ((2, "f16"), (count, "f32"))]
    given = [np.repeat(np.float16([60000, number]), copies) for number in (1, 2, 3, 4)]
    results = on_grid(op, attributes, *types, given, region)
    sums = [[120000, 4], [120000, 6]] * 2  # of replicas 0 and 1, for each partition
    if "[0], [1]" in attributes:
        sums = [[60000, number] for number in (1, 2, 3, 4)]
    if op == "reduce_scatter":
        sums = [[120000], [120000], [4], [6]]
    if op == "collective_reduce":
        sums = [*sums[:2], [0, 0], [0, 0]]
    assert results == [np.repeat(each, copies).tolist() for each in sums]


def test_collective_permute() -> None:
    """Who nobody sends to gets zeros."""
    pairs = "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>"
    assert on_grid("collective_permute", pairs, TWO, TWO, ROWS) == [[0, 0], [0, 0], [1, 2], [10, 20]]
    across = f"{pairs}, {channel(1)}"
    assert on_grid("collective_permute", across, TWO, TWO, ROWS) == [[0, 0], [1, 2], [0, 0], [100, 200]]


def test_collective_broadcast_to_a_process_in_no_group() -> None:
    assert on_grid("collective_broadcast", groups([[1]]), TWO, TWO, ROWS) == [[0, 0], [0, 0], *ROWS[2:]]


def test_cross_replica_sum() -> None:
    found = on_grid("cross-replica-sum", groups([[0, 1]]), TWO, TWO, ROWS)
    assert found == [[101, 202], [1010, 2020]] * 2


# collective_reduce


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (groups([[0, 1]]), [101, 1010, 0, 0]),
        (groups([[1, 0]]), [0, 0, 101, 1010]),
        (groups([[1]]), [0, 0, 100, 1000]),
        (f"{groups([[0, 1]])}, {channel(1)}", [1111, 0, 0, 0]),
        (f"{groups([[3, 1], [0, 2]])}, {channel(1)}, use_global_device_ids", [101, 0, 0, 1010]),
    ],
    ids=["the first", "the other first", "in no group", "both axes", "flattened"],
)
def test_the_sum_goes_to_the_first_of_each_group(attributes: str, expected: list[int]) -> None:
    assert on_grid("collective_reduce", attributes, "tensor<i64>", "tensor<i64>", NUMBERS, SUM) == expected


def to_roots(op: str, roots: list[int], region: str) -> list[Any]:
    """Results of an op with two operands and a root for each, in one group of four processes."""
    text = f"""func.func @main(%x: {TWO}, %y: tensor<i64>) -> ({TWO}, tensor<i64>) {{
      %root = stablehlo.constant dense<{roots}> : tensor<2xi32>
      %0:2 = "stablehlo.{op}"(%x, %y, %root) <{{{groups([[0, 1, 2, 3]])}, has_dynamic_root}}> {region}
        : ({TWO}, tensor<i64>, tensor<2xi32>) -> ({TWO}, tensor<i64>)
      return %0#0, %0#1 : {TWO}, tensor<i64>
    }}"""
    program = shlo.compile(shlo.parse(text), replicas=4)
    found = program.call_grid({(r, 0): [np.array(ROWS[r]), np.array(NUMBERS[r])] for r in range(4)})
    return [[value.tolist() for value in found[r, 0]] for r in range(4)]


def test_each_sum_goes_to_a_root_that_an_operand_states() -> None:
    found = to_roots("collective_reduce", [2, 0], SUM)
    assert found == [[[0, 0], 1111], [[0, 0], 0], [[1111, 2222], 0], [[0, 0], 0]]


def test_each_value_comes_from_a_root_that_an_operand_states() -> None:
    assert to_roots("collective_broadcast", [2, 0], "") == [[[100, 200], 1]] * 4


@pytest.mark.parametrize(("op", "region"), [("collective_reduce", SUM), ("collective_broadcast", "")])
@pytest.mark.parametrize("root", [4, -1])
def test_a_root_that_is_not_in_the_group(root: int, op: str, region: str) -> None:
    with pytest.raises(shlo.RunError, match=f"root {root} is out of range for a group of 4"):
        to_roots(op, [0, root], region)


OUTSIDE = [
    ("all_reduce", f"{groups([[0, 1], [2, 3]])}", "does not fit the grid"),
    ("collective_broadcast", f"{groups([[0], [5]])}", "does not fit the grid"),
    ("collective_permute", "source_target_pairs = dense<[[0, 7]]> : tensor<1x2xi64>", "has [0, 7]"),
    ("collective_permute", "source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>", "has [0, 2]"),
    ("collective_permute", "source_target_pairs = dense<[[2, 1]]> : tensor<1x2xi64>", "has [2, 1]"),
    ("collective_permute", "source_target_pairs = dense<[[-1, 0]]> : tensor<1x2xi64>", "has [-1, 0]"),
]


@pytest.mark.parametrize(("op", "attributes", "message"), OUTSIDE)
def test_processes_outside_of_the_grid(op: str, attributes: str, message: str) -> None:
    region = SUM if op == "all_reduce" else ""
    value: Any = 1
    type = "tensor<i64>"
    with pytest.raises(shlo.RunError, match=re.escape(message)):
        on_grid(op, attributes, type, type, [value] * 4, region)


def test_large_sums_are_in_the_order_of_the_group() -> None:
    """Each process combines a part of them."""
    type = "tensor<3x11003xf32>"
    generator = np.random.default_rng(0)
    values = [generator.standard_normal((3, 11003)).astype(np.float32) for _ in PLACES]
    attributes = f"{groups([[2, 0, 3, 1]])}, {channel(1)}, use_global_device_ids"
    found = on_grid("all_reduce", attributes, type, type, values, SUM.replace("i64", "f32"))
    expected = ((values[2] + values[0]) + values[3]) + values[1]
    assert all(np.array_equal(np.array(each, np.float32), expected) for each in found)


@pytest.mark.parametrize(
    ("op", "attributes", "received"),
    [
        ("collective_permute", "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>", [30, 10]),
        ("collective_broadcast", groups([[0, 1]]), [10, 10]),
    ],
)
def test_what_is_received_is_an_array_of_the_receiver(op: str, attributes: str, received: list[int]) -> None:
    """Each overwrites a part of it, and meets the others before it reads that again."""
    text = f"""func.func @main(%x: tensor<9xi64>) -> (tensor<9xi64>, tensor<9xi64>) {{
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %mine = stablehlo.add %x, %x : tensor<9xi64>
      %given = "stablehlo.{op}"(%mine) <{{{attributes}}}> : (tensor<9xi64>) -> tensor<9xi64>
      %new = stablehlo.slice %x [0:1] : (tensor<9xi64>) -> tensor<1xi64>
      %other = stablehlo.dynamic_update_slice %given, %new, %zero
        : (tensor<9xi64>, tensor<1xi64>, tensor<i64>) -> tensor<9xi64>
      %sum = "stablehlo.all_reduce"(%other) <{{{groups([[0, 1]])}}}> {SUM} : (tensor<9xi64>) -> tensor<9xi64>
      %end = stablehlo.subtract %sum, %sum : tensor<9xi64>
      %sent = stablehlo.add %mine, %end : tensor<9xi64>
      %seen = stablehlo.add %other, %end : tensor<9xi64>
      return %sent, %seen : tensor<9xi64>, tensor<9xi64>
    }}"""
    program = shlo.compile(shlo.parse(text), engine="numpy", replicas=2)
    found = program.call_grid({(0, 0): [np.full(9, 5)], (1, 0): [np.full(9, 15)]})
    for replica, value in enumerate((5, 15)):
        sent, seen = found[replica, 0]
        assert sent.tolist() == [2 * value] * 9
        assert seen.tolist() == [value] + [received[replica]] * 8


def test_large_sums_of_arrays_that_cannot_be_written() -> None:
    """An annotation returns its input, which custom calls must not change."""
    type = "tensor<20000xi64>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = stablehlo.negate %x : {type}
      %1 = stablehlo.custom_call @Sharding(%0) : ({type}) -> {type}
      %2 = "stablehlo.all_reduce"(%1) <{{{groups([[0, 1]])}}}> {SUM} : ({type}) -> {type}
      return %2 : {type}
    }}"""
    program = shlo.compile(shlo.parse(text), engine="numpy", replicas=2)
    found = program.call_grid({(replica, 0): [np.arange(20000) * 10**replica] for replica in range(2)})
    assert all(np.array_equal(each, np.arange(20000) * -11) for (each,) in found.values())
