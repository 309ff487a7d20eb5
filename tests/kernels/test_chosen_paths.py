"""Paths that kernels take by size, element type or form: results by hand, or by NumPy on wider types."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lifted import ADD, ADD_LIFTED, Lifted, type_of

import stablehlo_py as shlo
from stablehlo_py.ir.types import F32, I32, FloatType, TensorType
from stablehlo_py.kernels import (
    argmax,
    chlo,
    convolution,
    dot,
    linalg,
    reduction,
    shape,
    slabs,
    window,
)
from stablehlo_py.kernels import sort as sorting
from stablehlo_py.kernels.gather_scatter import gather, scatter
from stablehlo_py.kernels.numeric import matrix_product
from stablehlo_py.kernels.numeric.ufuncs import MAXIMUM

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Floating-point warnings off, as in a run."""
    with np.errstate(all="ignore"):
        yield


# Where large operands are cut: the dimension of each operand and that of the result


def zeros(*shape: int, dtype: Any = np.float32) -> Array:
    return np.zeros(shape, dtype)


def cut_of_dot(lhs: Array, rhs: Array, batches: Any, contracted: Any, dtype: Any) -> Any:
    found = dot._slabs(
        lhs,
        rhs,
        lhs_batching_dimensions=batches[0],
        rhs_batching_dimensions=batches[1],
        lhs_contracting_dimensions=contracted[0],
        rhs_contracting_dimensions=contracted[1],
        result=type_of(np.zeros(1, dtype)),
    )
    return found and (found.operands, found.result)


@pytest.mark.parametrize(
    ("lhs", "rhs", "batches", "contracted", "dtype", "expected"),
    [
        ((8, 9), (9, 7), ((), ()), ((1,), (0,)), np.float32, None),  # as BLAS takes it
        ((8, 9), (9, 7), ((), ()), ((1,), (0,)), np.int32, ((0, None), 0)),
        ((8, 9), (9, 70), ((), ()), ((1,), (0,)), np.int32, ((None, 1), 1)),
        ((9, 2), (70, 9), ((), ()), ((0,), (1,)), np.int32, ((None, 0), 1)),
        ((3, 5, 8, 9), (3, 9, 7), ((0,), (0,)), ((3,), (1,)), np.float32, ((0, 0), 0)),
        ((5, 3, 9), (9, 7, 3), ((1,), (2,)), ((2,), (0,)), np.int32, ((1, 2), 0)),
        ((1, 8, 9), (1, 9, 7), ((0,), (0,)), ((2,), (1,)), np.int32, ((1, None), 1)),
        ((1, 8, 9), (1, 9, 70), ((0,), (0,)), ((2,), (1,)), np.int32, ((None, 2), 2)),
        ((1, 1, 9), (1, 9, 1), ((0,), (0,)), ((2,), (1,)), np.int32, None),
        ((4, 6, 9), (9, 7), ((), ()), ((2,), (0,)), np.float32, ((0, None), 0)),
    ],
)
def test_cuts_of_products(
    lhs: Any, rhs: Any, batches: Any, contracted: Any, dtype: Any, expected: Any
) -> None:
    arrays = zeros(*lhs, dtype=dtype), zeros(*rhs, dtype=dtype)
    assert cut_of_dot(*arrays, batches, contracted, dtype) == expected


def test_cuts_of_other_ops() -> None:
    places = {"input_batch_dimension": 3, "output_batch_dimension": 1}
    image, kernel = zeros(2, 5, 5, 4), zeros(3, 3, 2, 2)
    found = convolution._slabs(image, kernel, batch_group_count=1, **places)
    assert found is not None and (found.operands, found.result) == ((3, None), 1)
    assert convolution._slabs(image, kernel, batch_group_count=2, **places) is None
    assert convolution._slabs(zeros(2, 5, 5, 1), kernel, batch_group_count=1, **places) is None
    batch = linalg._slabs(zeros(4, 5, 3, 3), zeros(4, 5, 3, 2))
    assert batch is not None and (batch.operands, batch.result) == ((0, 0), 0)
    assert linalg._slabs(zeros(30, 30)) is None
    rows = chlo._slabs_of_rows(zeros(4, 5, 30))
    assert rows is not None and (rows.operands, rows.result) == ((0,), 0)
    assert chlo._slabs_of_rows(zeros(30)) is None
    elements = reduction._slabs_of_map((zeros(1, 4, 5), zeros(1, 4, 5)))
    assert elements is not None and (elements.operands, elements.result) == ((1,), 1)
    assert reduction._slabs_of_map((zeros(),)) is None
    windows = {
        "window_dimensions": (1, 2, 1),
        "window_strides": (1, 2, 1),
        "padding": np.zeros((3, 2), np.int64),
    }
    cut = window._slabs_of_scatter(zeros(4, 6, 8), zeros(4, 3, 8), zeros(), **windows)
    assert cut is not None and (cut.operands, cut.result) == ((0, 0, None), 0)
    windows["window_dimensions"] = (4, 6, 8)
    assert window._slabs_of_scatter(zeros(4, 6, 8), zeros(1, 1, 1), zeros(), **windows) is None


def test_slabs_of_operands_of_all_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a variadic operand all arrays are cut; what has no dimension is taken whole; limits are checked."""
    monkeypatch.setattr(slabs, "SLAB", 8)
    seen: list[Any] = []
    checks: list[int] = []

    def call(pair: Any, whole: Any, absent: Any) -> Any:
        seen.append((len(pair[0]), whole.tolist(), absent))
        return pair[0] + whole, pair[1][:, None] * [[1, 10]]

    def cut_of(pair: Any, whole: Any, absent: Any) -> Any:
        return slabs.Cut((0, None, 0), 0, 8)

    pair = (np.arange(5, dtype=np.int64), np.arange(5, dtype=np.int64) + 5)
    with slabs.limited(lambda: checks.append(1)):
        first, second = slabs.in_slabs(call, cut_of, pair, np.array(1), None)
        with slabs.limited(lambda: checks.append(2)):
            slabs.check_limits()
        slabs.check_limits()
    slabs.check_limits()
    assert first.tolist() == [1, 2, 3, 4, 5]
    assert second.tolist() == [[5, 50], [6, 60], [7, 70], [8, 80], [9, 90]]
    assert seen == [(1, 1, None)] * 5
    assert checks[:5] == [1] * 5 and checks[-2:] == [2, 1]


# Forms for known types


@pytest.mark.parametrize(
    ("lhs", "rhs", "element", "contracted", "is_product"),
    [
        ((4, 5), (5, 6), F32, ((1,), (0,)), True),
        ((4, 5), (6, 5), F32, ((1,), (1,)), False),
        ((5, 4), (5, 6), F32, ((0,), (0,)), False),
        ((4, 5), (5,), F32, ((1,), (0,)), False),
        ((2, 4, 5), (5, 6), F32, ((2,), (0,)), False),
        ((4, 5), (5, 6), I32, ((1,), (0,)), False),
        ((4, 5), (5, 6), FloatType("bf16"), ((1,), (0,)), False),
        ((1 << 11, 1 << 11), (1 << 11, 1 << 10), F32, ((1,), (0,)), False),  # 2^32 multiplications
        ((1 << 11, 1 << 10), (1 << 10, 1 << 10), F32, ((1,), (0,)), True),
    ],
)
def test_products_that_numpy_computes(
    lhs: Any, rhs: Any, element: Any, contracted: Any, is_product: bool
) -> None:
    free = tuple(n for d, n in enumerate(lhs) if d not in contracted[0])
    free += tuple(n for d, n in enumerate(rhs) if d not in contracted[1])
    keywords = {"lhs_batching_dimensions": (), "rhs_batching_dimensions": ()}
    keywords |= {"lhs_contracting_dimensions": contracted[0], "rhs_contracting_dimensions": contracted[1]}
    types = [TensorType(lhs, element), TensorType(rhs, element)]
    found = dot.specialized_dot_general(types, result=TensorType(free, element), **keywords)
    assert found is (np.dot if is_product else None)
    other = TensorType(free, FloatType("f64"))
    assert dot.specialized_dot_general(types, result=other, **keywords) is None
    keywords["accumulation_type"] = F32
    assert dot.specialized_dot_general(types, result=TensorType(free, element), **keywords) is None


def test_a_layout_of_a_product() -> None:
    keywords = {"lhs_batching_dimensions": (2,), "rhs_batching_dimensions": (0,)}
    keywords |= {"lhs_contracting_dimensions": (0,), "rhs_contracting_dimensions": (2,)}
    found = dot.layout_of((5, 3, 2), (2, 7, 5), keywords)
    assert (found.lhs_axes, found.rhs_axes, found.shape) == ((2, 1, 0), (0, 2, 1), (2, 3, 7))


def test_reshapes_of_known_shapes() -> None:
    x = np.arange(6)
    made = shape.specialized_reshape([type_of(x)], result=TensorType((2, 3), I32))
    assert made is not None and made(x).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert shape.specialized_reshape([type_of(x)], result=TensorType((None, 3), I32)) is None
    with pytest.raises(shlo.RunError, match=r"a result of type tensor<\?x3xi32> are unknown"):
        shape.reshape(x, result=TensorType((None, 3), I32))


def test_tuples() -> None:
    pair = (np.array(1), np.array(2))
    assert shape.tuple_(pair) is pair
    assert [int(shape.get_tuple_element(pair, index=i)) for i in (0, 1)] == [1, 2]


# Products, reductions and windows


@pytest.mark.parametrize("terms", [5, 64, 65])
def test_limbs_of_long_products(terms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_product, "_MOST_TERMS", 16)
    draw = np.random.default_rng(0)
    lhs = draw.integers(-(1 << 62), 1 << 62, (3, terms))
    rhs = draw.integers(-(1 << 62), 1 << 62, (terms, 2))
    exact = lhs.astype(object) @ rhs.astype(object)
    found = matrix_product._limb_product(lhs, rhs, 64)
    assert found.tolist() == [[int(n) % (1 << 64) for n in row] for row in exact]


@pytest.mark.parametrize("features", [1, 3, 16, 20])
def test_groups_of_one_input_feature(features: int) -> None:
    """Few features and many: output feature g * m + i is input feature g times its kernel i."""
    groups, taps = 2, 2
    image = np.arange(2 * 5 * groups, dtype=np.float64).reshape(2, 5, groups)
    kernel = np.arange(taps * groups * features, dtype=np.float64).reshape(taps, 1, groups * features)
    padding = np.zeros((1, 2), np.int64)
    found = convolution.convolution(
        image,
        kernel,
        window_strides=(1,),
        padding=padding,
        lhs_dilation=(1,),
        rhs_dilation=(1,),
        window_reversal=(False,),
        input_batch_dimension=0,
        input_feature_dimension=2,
        input_spatial_dimensions=(1,),
        kernel_input_feature_dimension=1,
        kernel_output_feature_dimension=2,
        kernel_spatial_dimensions=(0,),
        output_batch_dimension=0,
        output_feature_dimension=2,
        output_spatial_dimensions=(1,),
        feature_group_count=groups,
        batch_group_count=1,
        result=type_of(np.zeros((2, 4, groups * features))),
    )
    group = np.arange(groups * features) // features
    expected = sum(image[:, tap : tap + 4][..., group] * kernel[tap, 0] for tap in range(taps))
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 33])
def test_totals_of_slabs_are_in_order(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The body is associative and not commutative: products of matrices of 2 x 2 triangles."""
    monkeypatch.setattr(reduction, "SLAB", 32)
    draw = np.random.default_rng(2)
    a, b = draw.integers(-2, 3, count), draw.integers(-2, 3, count)
    body = Lifted(lambda a, b, c, d: (a * c, a * d + b))
    first, second = reduction._tree_of_slabs((a, b), body)
    x, y = 1, 0
    for p, q in zip(a.tolist(), b.tolist(), strict=True):
        x, y = x * p, x * q + y
    assert (int(first), int(second)) == (x, y)
    ordered = reduction._in_order((np.array(1), np.array(0)), (a, b), body)
    assert [int(each) for each in ordered] == [x, y]


@pytest.mark.parametrize("columns", [3, 100, 3000])
@pytest.mark.parametrize(
    ("ufunc", "init"), [(np.add, 0.0), (np.add, -0.0), (np.multiply, 1.0), (MAXIMUM, -9.0), (np.minimum, 9.0)]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16])
def test_reductions_of_rows(
    columns: int, ufunc: Any, init: float, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduction, "_ONE_THREAD", 2000)
    values = np.random.default_rng(1).choice([-1, 1], (5, columns)).astype(dtype)
    made = reduction.reduction_of_rows(ufunc, np.dtype(dtype))
    if made is None:
        assert ufunc is not np.add
        return
    found = made(values, np.array(init, dtype))
    name = "maximum" if ufunc is MAXIMUM else ufunc.__name__
    expected = getattr(np, name).reduce(values.astype(np.float64), axis=1)
    assert found.shape == (5, 1) and found[:, 0].astype(float).tolist() == expected.tolist()


def test_reductions_of_no_kind() -> None:
    assert reduction.reduction_of_rows(None, np.dtype(np.float32)) is None
    assert reduction.reduction_of_rows(np.subtract, np.dtype(np.float32)) is None


@pytest.mark.parametrize("init", [-0.0, 0.0])
def test_sums_of_negative_zeros(init: float) -> None:
    """Only -0 and -0 are -0: in a long array and in rows."""
    for size in (3, 5000):
        rows = np.full((2, size), -0.0, np.float32)
        made = reduction.reduction_of_rows(np.add, np.dtype(np.float32))
        assert made is not None
        for found in (
            made(rows, np.float32(init)),
            reduction._reduce_with(np.add, rows, np.float32(init), (1,)),
        ):
            assert np.signbit(found).all() == np.signbit(init) and not found.any()


@pytest.mark.parametrize("shape_of", [(40, 300), (300, 40), (7, 2000), (3, 5, 700)])
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_axes_of_reductions(shape_of: tuple[int, ...], dtype: Any) -> None:
    values = np.random.default_rng(3).integers(-9, 9, shape_of)
    for axis in range(len(shape_of)):
        for ufunc in (np.add, np.maximum):
            found = reduction._reduce_axes(ufunc, values.astype(dtype), (axis,))
            assert found.tolist() == ufunc.reduce(values, axis=axis).tolist()
        assert reduction.add_reduce(values.astype(float), (axis,)).tolist() == values.sum(axis).tolist()


COUNTING = Lifted(lambda a, i, b, j: (np.where(take(a, i, b, j), a, b), np.where(take(a, i, b, j), i, j)))


def take(a: Array, i: Array, b: Array, j: Array) -> Array:
    """Whether the left pair is chosen: the larger value, the first of equal ones."""
    return (a > b) | ((a == b) & (i < j)) | np.isnan(a)


@pytest.mark.parametrize("first", [0, 1])
def test_positions_of_extremes(first: int) -> None:
    """Positions that count from 0 are found by argmax; others are left to the body."""
    COUNTING.compares = True
    values = np.random.default_rng(0).integers(-50, 50, (2, 4096)).astype(np.float32)
    positions = np.broadcast_to(np.arange(first, 4096 + first, dtype=np.int32), values.shape)
    found = argmax.select_along((values, positions), (1,), COUNTING)
    assert (found is None) == (first == 1)
    if found is not None:
        assert found[0].tolist() == values.max(1).tolist()
        assert found[1].tolist() == values.argmax(1).tolist()
    turned = np.stack([positions[0], positions[1, ::-1]])  # those of the first row count, of the second not
    assert argmax.select_along((values, turned), (1,), COUNTING) is None
    assert argmax.select_along((values, positions), (0, 1), COUNTING) is None
    for arrays in ((values,), (values, positions, positions)):
        assert argmax.select_along(arrays, (1,), COUNTING) is None
    assert argmax.select_along((values[:1], positions[:1, :4095]), (1,), COUNTING) is None or first == 0
    assert argmax._finder(COUNTING, np.dtype(np.bool_), np.dtype(np.int32)) is None
    assert argmax._finder(COUNTING, np.dtype(np.float32), np.dtype(np.float32)) is None
    assert argmax._finder(Lifted(lambda a, i, b, j: (a, i)), np.dtype(np.int8), np.dtype(np.int32)) is None


def test_positions_that_are_others_in_some_rows() -> None:
    """Numbers that count in the first row alone are left to the body."""
    COUNTING.compares = True
    values = np.random.default_rng(0).integers(-50, 50, (3, 4096)).astype(np.float32)
    counted = np.tile(np.arange(4096, dtype=np.int32), (3, 1))
    turned = counted.copy()
    turned[1] = turned[1, ::-1]
    assert argmax.select_along((values, turned), (1,), COUNTING) is None
    assert argmax.select_along((values.T, turned.T), (0,), COUNTING) is None
    results = reduction.reduce(
        (values, turned),
        (np.float32(-99), np.int32(9999)),
        dimensions=(1,),
        body=COUNTING,
        results=(type_of(values), type_of(turned)),
    )
    first = [
        min((-value, place) for value, place in zip(*rows, strict=True))
        for rows in zip(values.tolist(), turned.tolist(), strict=True)
    ]
    assert [each.tolist() for each in results] == [[-value for value, _ in first], [at for _, at in first]]


def orders(*columns: Array) -> Array:
    """Which number of each pair of a row is greater, as a text."""
    signs = [np.sign(x.astype(int) - y.astype(int)).astype(str) for x, y in combinations(columns, 2)]
    return np.array([" ".join(row) for row in zip(*signs, strict=True)])


def floats(a: Array, i: Array, b: Array, j: Array) -> Array:
    return np.array([f"{x!r} {y!r}" for x, y in zip(a.tolist(), b.tolist(), strict=True)])


def selecting(is_max: bool, key: Any, fault: str) -> Lifted:
    """A body that selects the extreme value, but the other pair where the key of both is this one."""

    def body(a: Array, i: Array, b: Array, j: Array) -> tuple[Array, Array]:
        left = np.isnan(a) | ((a > b if is_max else a < b) & ~np.isnan(b)) | ((a == b) & (i < j))
        left ^= key(a, i, b, j) == fault
        return np.where(left, a, b), np.where(left, i, j)

    return Lifted(body)


INTEGERS = np.array([(a, i, b, j) for a, b, i, j in product(range(7), repeat=4) if i < j])
SPECIAL = [-np.inf, -3.0, -1.0, -0.0, 0.0, 1.0, 3.0, np.inf, np.nan]


@pytest.mark.parametrize("is_max", [True, False])
@pytest.mark.parametrize(
    ("dtype", "key", "keys"),
    [
        (np.int32, orders, sorted(set(orders(*INTEGERS.T)))),
        (np.float32, floats, [f"{a!r} {b!r}" for a, b in product(SPECIAL, repeat=2)]),
    ],
)
def test_bodies_that_almost_select_the_extreme(is_max: bool, dtype: Any, key: Any, keys: list[str]) -> None:
    """A body that differs in one order of its four inputs, or on two special floats, is another one."""
    types = np.dtype(dtype), np.dtype(np.int32)
    assert argmax._finder(selecting(is_max, key, ""), *types) is (np.argmax if is_max else np.argmin)
    assert [one for one in keys if argmax._finder(selecting(is_max, key, one), *types)] == []


@pytest.mark.parametrize(
    ("low", "high", "base", "expected"),
    [
        (0, 0, 1, [1, 2, 3]),
        (1, 2, 1, [9, 1, 2, 3, 9, 9]),
        (1, 0, 2, [9, 1, 9, 2, 9, 3]),
        (-1, 1, 2, [9, 2, 9, 3, 9]),
        (-2, -2, 2, [2]),
        (-2, -1, 1, []),
        (-3, -3, 1, []),
        (-5, 6, 1, [9, 9, 9, 9]),
        (5, -6, 1, [9, 9]),
    ],
)
def test_padding_of_windows(low: int, high: int, base: int, expected: list[int]) -> None:
    """Negative padding takes elements away, also those of the padding on the other side."""
    axis = window._Axis(number=0, size=1, stride=1, base=base, dilation=1, low=low, high=high)
    assert window._pad(np.array([1, 2, 3]), np.array(9), axis).tolist() == expected


def test_elements_that_no_word_holds() -> None:
    target = np.zeros(3, np.complex128)
    window._replace(target, np.array([1j, 2, 3 + 1j]), np.array([True, False, True]))
    assert target.tolist() == [1j, 0, 3 + 1j]


# Gathers, scatters and sorts


def test_a_gather_of_a_scalar() -> None:
    found = gather(
        np.array(7),
        np.zeros((3, 0), np.int64),
        offset_dims=(),
        collapsed_slice_dims=(),
        operand_batching_dims=(),
        start_indices_batching_dims=(),
        start_index_map=(),
        index_vector_dim=1,
        slice_sizes=(),
    )
    assert found.tolist() == [7, 7, 7]


@pytest.mark.parametrize("body", [ADD, ADD_LIFTED])
def test_windows_partly_out_of_bounds(body: Lifted) -> None:
    """XLA skips the window at 3 as a whole, the specification its last element."""
    keywords: dict[str, Any] = {
        "update_window_dims": (1,),
        "inserted_window_dims": (),
        "input_batching_dims": (),
        "scatter_indices_batching_dims": (),
        "scatter_dims_to_operand_dims": (0,),
        "index_vector_dim": 1,
        "unique_indices": False,
        "update_computation": body,
    }
    x, indices = np.zeros(4), np.array([[0], [3], [1]])
    updates = np.array([[1.0, 2], [10, 20], [100, 200]])
    for semantics, expected in (("xla", [1, 102, 200, 0]), ("specification", [1, 102, 200, 10])):
        (found,) = scatter((x,), indices, (updates,), results=(type_of(x),), semantics=semantics, **keywords)
        assert found.tolist() == expected


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.int32])
def test_long_rows_are_sorted_limb_by_limb(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "_LONGEST", 8)
    monkeypatch.setattr(slabs, "SLAB", 64)
    draw = np.random.default_rng(5)
    keys = (draw.integers(-3, 3, 60) * (1 << 33 if dtype is np.int64 else 3)).astype(dtype)
    places = np.arange(60, dtype=np.int32)
    text = """func.func @main(%a: tensor<60xT>, %b: tensor<60xi32>) -> (tensor<60xT>, tensor<60xi32>) {
      %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<T>, %y: tensor<T>, %i: tensor<i32>, %j: tensor<i32>):
        %c = stablehlo.compare GT, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }) : (tensor<60xT>, tensor<60xi32>) -> (tensor<60xT>, tensor<60xi32>)
      return %0#0, %0#1 : tensor<60xT>, tensor<60xi32>
    }"""
    name = {np.int64: "i64", np.float64: "f64", np.int32: "i32"}[dtype]
    found, order = shlo.run(
        shlo.parse(text.replace("xT>", f"x{name}>").replace("<T>", f"<{name}>")), [keys, places]
    )
    expected = sorted(range(60), key=lambda i: (-keys[i], i))
    assert order.tolist() == expected
    assert found.tolist() == keys[expected].tolist()
