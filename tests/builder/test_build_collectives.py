"""Collective operations; each test runs its program on as many processes as it has replicas."""

from __future__ import annotations

import numpy as np
import pytest
from building import checked, f32, on_grid, result, s32

import stablehlo_py as shlo
from stablehlo_py.builder import BuildError, XlaBuilder

FIRST, SECOND = np.array([1, 2.5], f32), np.array([3, 5.25], f32)
FOUR = [np.array([10 * r + c for c in (1, 2)], s32) for r in range(4)]


def test_all_gather() -> None:
    b = XlaBuilder()
    b.AllGather(b.Parameter(0, "f32[2]"), 0, 2)
    assert [x.tolist() for x in on_grid(b, 2, FIRST, SECOND)] == [[1, 2.5, 3, 5.25]] * 2


def test_all_gather_in_the_order_of_the_groups() -> None:
    b = XlaBuilder()
    b.AllGather(b.Parameter(0, "s32[2]"), 0, 2, [[2, 0], [1, 3]])
    even, odd = [21, 22, 1, 2], [11, 12, 31, 32]
    assert [x.tolist() for x in on_grid(b, 4, *FOUR)] == [even, odd, even, odd]


def test_all_reduce() -> None:
    b = XlaBuilder()
    b.AllReduce(b.Parameter(0, "f32[2]"), b.Add)
    assert [x.tolist() for x in on_grid(b, 2, FIRST, SECOND)] == [[4, 7.75]] * 2


def test_all_reduce_in_groups() -> None:
    """The documents' groups: replicas 0 and 2, and 1 and 3."""
    b = XlaBuilder()
    b.AllReduce(b.Parameter(0, "s32[2]"), "Max", [[0, 2], [1, 3]])
    assert [x.tolist() for x in on_grid(b, 4, *FOUR)] == [[21, 22], [31, 32]] * 2


def test_all_reduce_of_a_tuple_gives_one() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "s32[2]")
    sums = b.AllReduce((x, x * 2), "Add", channel_id=1)
    assert "channel_handle<handle = 1" in shlo.format(checked(b))
    assert sums.is_tuple and len(sums) == 2
    b.Add(*sums)
    assert [x.tolist() for x in on_grid(b, 2, *FOUR[:2])] == [[36, 42]] * 2


def test_cross_replica_sum() -> None:
    """000 has 5.1 where the other documents have 5.25."""
    b = XlaBuilder()
    b.CrossReplicaSum(b.Parameter(0, "f32[2]"))
    assert [x.tolist() for x in on_grid(b, 2, FIRST, SECOND)] == [[4, 7.75]] * 2


def test_cross_replica_sum_by_the_number_of_each_replicas_group() -> None:
    """003's example: the groups of {0, 1, 2, 3, 0, 1, 2, 3} are {0, 4}, {1, 5}, {2, 6} and {3, 7}."""
    b = XlaBuilder()
    b.CrossReplicaSum(b.Parameter(0, "s32[]"), [0, 1, 2, 3, 0, 1, 2, 3])
    found = on_grid(b, 8, *(np.array(10**r, s32) for r in range(8)))
    assert [int(x) for x in found] == [10001, 100010, 1000100, 10001000] * 2
    with pytest.raises(BuildError, match="have different sizes"):
        b.CrossReplicaSum(1, [0, 1, 2, 0])


def test_reduce_scatter() -> None:
    b = XlaBuilder()
    b.ReduceScatter(b.Parameter(0, "f32[2]"), b.Add, 0, 2)
    assert [x.tolist() for x in on_grid(b, 2, np.array([1, 2.25], f32), SECOND)] == [[4], [7.5]]


def test_reduce_scatter_of_unknown_sizes() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[?,4]")
    assert b.ReduceScatter(x, b.Add, 1, 2).shape == (None, 2)
    assert b.ReduceScatter(x, b.Add, 0, 2).shape == (None, 4)


def test_reduce_scatter_in_groups_and_of_tuples() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "s32[2]")
    first, second = b.ReduceScatter((x, -x), "Add", 0, 2, [[2, 0], [1, 3]])
    b.ConcatInDim([first, second], 0)
    found = [x.tolist() for x in on_grid(b, 4, *FOUR)]
    assert found == [[24, -24], [42, -42], [22, -22], [44, -44]]


def test_all_to_all() -> None:
    """The documents' example: f32[4,16] in four blocks along dimension 1 becomes f32[16,4]."""
    inputs = [np.arange(64, dtype=f32).reshape(4, 16) + 100 * r for r in range(4)]
    b = XlaBuilder("alltoall")
    b.AllToAll(b.Parameter(0, "f32[4,16]", "x"), split_dimension=1, concat_dimension=0, split_count=4)
    for replica, found in enumerate(on_grid(b, 4, *inputs)):
        assert found.shape == (16, 4)
        expected = np.concatenate([x[:, 4 * replica : 4 * replica + 4] for x in inputs])
        np.testing.assert_array_equal(found, expected)


def test_all_to_all_in_the_order_of_the_groups() -> None:
    """The documents' groups, {1, 2, 3} and {4, 5, 0}: the second one is joined in the order 4, 5, 0."""
    b = XlaBuilder()
    b.AllToAll(b.Parameter(0, "s32[3]"), 0, 0, 3, [[1, 2, 3], [4, 5, 0]])
    inputs = [np.array([10 * r, 10 * r + 1, 10 * r + 2], s32) for r in range(6)]
    found = [x.tolist() for x in on_grid(b, 6, *inputs)]
    assert found[1] == [10, 20, 30] and found[3] == [12, 22, 32]
    assert found[4] == [40, 50, 0] and found[5] == [41, 51, 1] and found[0] == [42, 52, 2]


def test_collective_permute_gives_zeros_where_nothing_arrives() -> None:
    b = XlaBuilder()
    b.CollectivePermute(b.Parameter(0, "s32[2]"), [(0, 1), (1, 3), (3, 0)])
    assert [x.tolist() for x in on_grid(b, 4, *FOUR)] == [[31, 32], [1, 2], [0, 0], [11, 12]]


def test_replica_id() -> None:
    b = XlaBuilder()
    b.ReplicaId()
    found = on_grid(b, 3)
    assert [int(x) for x in found] == [0, 1, 2] and found[0].dtype == np.uint32


def test_one_replica_is_a_group() -> None:
    b = XlaBuilder()
    b.AllReduce(b.Parameter(0, "f32[2]"), "Add")
    assert result(b, FIRST).tolist() == [1, 2.5]


def test_operations_that_do_not_fit() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[3]")
    with pytest.raises(BuildError, match="do not have size 2"):
        b.AllGather(x, 0, 2, [[0, 1, 2]])
    with pytest.raises(BuildError, match=r"dimension 0 of f32\[3\] is not divisible into 2 blocks"):
        b.ReduceScatter(x, "Add", 0, 2)
    with pytest.raises(BuildError, match="ReduceScatter: dimension 1"):
        b.ReduceScatter(x, "Add", 1, 2)
    with pytest.raises(BuildError, match="AllToAll"):
        b.AllToAll(x, 0, 0, 2)
    with pytest.raises(BuildError, match="CollectivePermute"):
        b.CollectivePermute(x, [(0, 1), (2, 1)])
    with pytest.raises(BuildError, match="the tuple is empty"):
        b.AllReduce((), "Add")
    with pytest.raises(BuildError, match="AllGather"):
        b.AllGather(x, 1, 2)


def test_replicas_that_wait_for_ever_are_an_error() -> None:
    """The documents' warning: one replica that takes part more often than another waits for ever."""
    b = XlaBuilder()
    b.Conditional(b.ReplicaId() == 0, 1.0, lambda x: b.AllReduce(x, "Add"), 2.0, lambda x: x)
    program = shlo.compile(b.build(), replicas=2)
    with pytest.raises(shlo.RunError):
        program.call_grid()


def test_groups_of_different_sizes() -> None:
    b = XlaBuilder()
    b.AllReduce(b.Parameter(0, "s32[2]"), "Add", [[1, 2], [0]], channel_id=7)
    text = shlo.format(checked(b))
    assert "dense<[[1, 2], [0, -1]]>" in text
    assert "#stablehlo.channel_handle<handle = 7, type = 1>" in text  # from device to device
    b = XlaBuilder()
    b.AllReduce(b.Parameter(0, "s32[2]"), "Add", [[1, 2], [0]])
    assert [x.tolist() for x in on_grid(b, 3, *FOUR[:3])] == [[1, 2], [32, 34], [32, 34]]


def test_cross_replica_sum_by_any_numbers_of_groups() -> None:
    b = XlaBuilder()
    b.CrossReplicaSum(b.Parameter(0, "s32[2]"), [9, 5, 9, 5])
    assert [x.tolist() for x in on_grid(b, 4, *FOUR)] == [[22, 24], [42, 44]] * 2
