"""Reductions, products, sorting."""

from __future__ import annotations

import numpy as np
import pytest
from building import checked, f32, result, results, s32

import stablehlo_py as shlo
from stablehlo_py.builder import BuildError, DotDimensionNumbers, XlaBuilder, XlaOp

A = np.broadcast_to(np.array([[1, 2, 3], [4, 5, 6]], f32), (4, 2, 3))


@pytest.mark.parametrize(
    ("dimensions", "want"),
    [
        ([0], [[4, 8, 12], [16, 20, 24]]),
        ([2], [[6, 15]] * 4),
        ([0, 1], [20, 28, 36]),
        ([1, 0], [20, 28, 36]),
        ([0, 1, 2], 84),
        (None, 84),
        ([], A.tolist()),
    ],
)
def test_reduce(dimensions: list[int] | None, want: object) -> None:
    b = XlaBuilder()
    b.Reduce(b.Parameter(0, "f32[4,2,3]"), 0.0, "Add", dimensions)
    assert result(b, A).tolist() == want


def test_reduce_of_several_arrays_gives_the_maximum_and_its_index() -> None:
    def largest(most: XlaOp, index: XlaOp, value: XlaOp, at: XlaOp) -> tuple[XlaOp, XlaOp]:
        b, is_more = most.builder, value >= most
        return b.Select(is_more, value, most), b.Select(is_more, at, index)

    b = XlaBuilder()
    b.Reduce([b.Parameter(0, "f32[5]"), b.Iota("s32", 5)], [-np.inf, 0], largest, [0])
    assert [float(r) for r in results(b, np.array([1, 7, 3, 7, 2], f32))] == [7, 3]


def test_reduce_errors_are_those_of_the_definition() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2,3]")
    for bad, message in [
        (lambda: b.Reduce(x, 0.0, "Add", [2]), r"reduce \(C4\)"),
        (lambda: b.Reduce(x, 0.0, "Add", [0, 0]), r"reduce \(C5\)"),
        (lambda: b.Reduce([x, x], [0.0], lambda a, c: a + c, [0]), "Reduce"),
        (lambda: b.Reduce(x, 0.0, "Lt", [0]), "reduce"),
        (lambda: b.Reduce(x, np.zeros(2, f32), "Add", [0]), "reduce"),
    ]:
        with pytest.raises(BuildError, match=message):
            bad()


def test_dot() -> None:
    v, m = np.array([1, 2, 3], f32), np.array([[1, 2, 3], [4, 5, 6]], f32)
    b = XlaBuilder()
    x, y = b.Parameter(0, v), b.Parameter(1, m)
    b.Tuple(b.Dot(x, x), b.Dot(y, x), b.Dot(y, b.Transpose(y, [1, 0])), y @ x)
    vv, mv, mm, operator = results(b, v, m)
    assert (vv, mv.tolist(), mm.tolist(), operator.tolist()) == (14, [14, 32], [[14, 32], [32, 77]], [14, 32])
    with pytest.raises(BuildError, match="DotGeneral accepts any rank"):
        b.Dot(np.ones((2, 2, 2), f32), x)
    with pytest.raises(BuildError, match=r"dot_general \(C10\)"):
        b.Dot(x, y)


def test_dot_general_contracts_and_batches() -> None:
    b = XlaBuilder()
    lhs, rhs = np.array([[1, 2, 3], [4, 5, 6]], f32), np.array([[1, 1, 1], [2, 2, 2]], f32)
    stack, eyes = np.arange(1, 9, dtype=f32).reshape(2, 2, 2), np.array([np.eye(2)] * 2, f32)
    b.Tuple(
        b.DotGeneral(lhs, rhs, DotDimensionNumbers([1], [1])),
        b.DotGeneral(stack, eyes, DotDimensionNumbers([2], [1], [0], [0])),
        b.DotGeneral(lhs, rhs, {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [1]}),
    )
    contracted, batched, named = results(b)
    assert contracted.tolist() == named.tolist() == [[6, 12], [15, 30]]
    np.testing.assert_array_equal(batched, stack)


def test_dot_general_of_different_element_types() -> None:
    with pytest.raises(BuildError, match=r"dot_general \(C13\)"):
        XlaBuilder().DotGeneral(np.ones((2, 2), f32), np.ones((2, 2), s32), DotDimensionNumbers([1], [0]))


def test_sort_of_one_array() -> None:
    x = np.array([[3, 1, 2], [0, 9, 8]], s32)
    b = XlaBuilder()
    op = b.Parameter(0, x)
    b.Tuple(
        b.Sort(op),
        b.Sort(op, 0),
        b.Sort(operand=op, dimension=1),
        b.Sort([op], "Gt"),
        b.Sort([op], lambda p, q: p > q, dimension=0, is_stable=True),
    )
    last, first, named, down, down_first = results(b, x)
    np.testing.assert_array_equal(last, np.sort(x, 1))
    np.testing.assert_array_equal(first, np.sort(x, 0))
    np.testing.assert_array_equal(named, np.sort(x, 1))
    np.testing.assert_array_equal(down, -np.sort(-x, 1))
    np.testing.assert_array_equal(down_first, -np.sort(-x, 0))


def test_sort_of_keys_and_values_and_of_three_operands() -> None:
    keys, values, more = np.array([3, 1], s32), np.array([42, 50], s32), np.array([-3.0, 1.1], f32)
    b = XlaBuilder()
    k, v, m = (b.Parameter(i, x) for i, x in enumerate((keys, values, more)))
    b.Tuple(b.Sort(k, v), b.Sort(keys=k, values=v, dimension=0), b.Sort([k, v, m], lambda p, q, *_: p < q))
    got = [r.tolist() for r in results(b, keys, values, more)]
    assert got == [[1, 3], [50, 42], [1, 3], [50, 42], [1, 3], [50, 42], [f32(1.1), -3.0]]


def test_sort_of_what_does_not_fit() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[3]")
    for bad in (
        lambda: b.Sort(),
        lambda: b.Sort(x, 1),
        lambda: b.Sort([x, np.ones(2, f32)], "Lt"),
        lambda: b.Sort([x], "Add"),
        lambda: b.Sort(x, 0, 1),
    ):
        with pytest.raises(BuildError, match="Sort"):
            bad()


def test_top_k() -> None:
    x = np.array([[0.1, 0.3, 0.1], [0.7, 0.2, -0.1]], f32)
    b = XlaBuilder()
    op = b.Parameter(0, x)
    b.Tuple(b.TopK(op, 1, "Gt"), b.TopK(op, k=2, comparator=lambda p, q: p < q))
    values, indices, low, at = results(b, x)
    assert (values.tolist(), indices.tolist()) == ([[f32(0.3)], [f32(0.7)]], [[1], [0]])
    assert indices.dtype == s32
    np.testing.assert_array_equal(low, np.array([[0.1, 0.1], [-0.1, 0.2]], f32))
    assert at.tolist() == [[0, 2], [2, 1]]
    with pytest.raises(BuildError, match="fewer than 4 elements"):
        b.TopK(op, 4)


def test_topk_keeps_the_order_of_equal_elements() -> None:
    b = XlaBuilder()
    b.TopK(b.Parameter(0, "f32[5]"), 3)
    assert "is_stable = true" in shlo.format(checked(b), generic=True)


def test_sort_along_a_dimension_counted_from_the_last() -> None:
    for dimension, expected in ((-1, [[1, 3], [0, 2]]), (-2, [[2, 0], [3, 1]]), (0, [[2, 0], [3, 1]])):
        b = XlaBuilder()
        b.Sort(b.Parameter(0, "s32[2,2]"), dimension)
        assert result(b, np.array([[3, 1], [2, 0]], np.int32)).tolist() == expected


def test_padding_by_name_counts_what_is_between_elements() -> None:
    """1 . 2 . 3 in windows of three, three apart: with padding at the high end there are two of them."""
    b = XlaBuilder()
    b.ReduceWindow(b.Parameter(0, "f32[3]"), 0.0, "Add", [3], [3], "SAME", [2])
    assert result(b, np.array([1, 2, 3], np.float32)).tolist() == [3, 3]
