"""Each kind of step, alone: the op that it appends is valid, and computes what NumPy does."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import chain, combinations, permutations, product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.generate import indexing, shapes, sums, views
from stablehlo_py.debug.generate.elements import draw_values
from stablehlo_py.debug.generate.programs import generate
from stablehlo_py.debug.generate.writer import Request, Writer
from stablehlo_py.ir.attributes import BoolAttr, TypeAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.ir.op_builder import OpBuilder, add_function
from stablehlo_py.ir.types import I1, FunctionType, TensorType, Type
from stablehlo_py.syntax.parser import parse_type

Array = Any
Candidates = dict[Hashable, Array]
ANY = Request()
X = np.arange(2, 26, dtype=np.int32).reshape(2, 3, 4)
M = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
SQUARE = np.array([[1, 2], [0, 3]], np.float32)


def appended(
    append: Callable[[Writer], None], arrays: Sequence[Array], seed: int, request: Request = ANY
) -> list[Array]:
    """The values that a step makes known, of a program of arrays alone."""
    rows = [element_type_of(np.asarray(array).dtype) for array in arrays]
    types = [TensorType(np.shape(x), row.type) for x, row in zip(arrays, rows, strict=True) if row]
    module = Module()
    block = add_function(module, "main", types, ())
    elements: list[Type] = [I1, *dict.fromkeys(type.element_type for type in types)]
    writer = Writer(np.random.default_rng(seed), OpBuilder(block), block.arguments, elements, module, request)
    append(writer)
    made = [value for value in writer.known if value not in block.arguments]
    OpBuilder(block).create("func.return", made)
    results = tuple([value.type for value in made])
    module.body.ops[0].properties["function_type"] = TypeAttr(FunctionType(tuple(types), results))
    assert shlo.verify(module) == []
    found = shlo.run(module, arrays)
    for value, array in zip(made, found, strict=True):
        assert np.shape(array) == writer.shape_of(value)
    return found


def subsets(rank: int, least: int = 1) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(rank), n) for n in range(least, rank + 1)))


def cuts(x: Array, axis: int) -> Candidates:
    """All slices of a dimension that have elements, by their bounds; of equal ones, the shortest bounds."""
    places = range(x.shape[axis])
    return {
        (axis, a, b, s): x[(slice(None),) * axis + (slice(a, b + 1, s),)]
        for a, b, s in product(places, places, (1, 2))
        if a <= b
    }


def totals(x: Array) -> Candidates:
    """Sums, and largest and smallest elements beside 0."""
    kinds = {"add": np.sum, "maximum": np.max, "minimum": np.min}
    return {
        (name, axes): kind(x, axis=axes, initial=0)
        for name, kind in kinds.items()
        for axes in subsets(x.ndim)
    }


def padded(x: Array, axis: int, low: int, high: int, inner: int) -> Array:
    """An array with its first element as padding, along a dimension."""
    spaced = np.full([*x.shape[:axis], x.shape[axis] * (1 + inner) - inner, *x.shape[axis + 1 :]], 7, x.dtype)
    spaced[(slice(None),) * axis + (slice(None, None, 1 + inner),)] = x
    wide = np.pad(spaced, [(2, 2) if d == axis else (0, 0) for d in range(x.ndim)], constant_values=7)
    return wide[(slice(None),) * axis + (slice(2 - low, wide.shape[axis] - 2 + high),)]


@pytest.mark.parametrize(
    ("append", "arrays", "expected", "seeds"),
    [
        (shapes.transpose, [X], {order: X.transpose(order) for order in permutations(range(3))}, 40),
        (shapes.reverse, [X], {0: X[:, :, ::-1]}, 2),
        (views.reverse_some, [X], {axes: np.flip(X, axes) for axes in subsets(3, 0)}, 80),
        (views.cut, [X[0, 0]], cuts(X[0, 0], 0), 120),
        (views.running_total, [X], {axis: np.cumsum(X, axis) for axis in range(3)}, 20),
        (views.total, [X], totals(X), 70),
        (views.total, [M], totals(M), 60),
        (views.costly, [X[0]], {0: X[0] ** 3}, 2),
        (views.costly, [M],
         {name: np.round(3 * function(np.abs(M).astype(np.float64))) for name, function in (
             ("tanh", np.tanh), ("sine", np.sin), ("cosine", np.cos), ("cbrt", np.cbrt), ("sqrt", np.sqrt),
             ("log_plus_one", np.log1p), ("logistic", lambda x: 1 / (1 + np.exp(-x))))}, 60),
        (views.product, [SQUARE, 2 * SQUARE],
         {(i, j): i * j * SQUARE @ SQUARE for i, j in ((1, 1), (1, 2), (2, 2))}, 30),
        (views.join, [X], {(axis, n): np.concatenate([X] * n, axis) for axis in range(3) for n in (1, 2, 3)},
         60),
        (shapes.concatenate, [X[0]],
         {(axis, n): np.concatenate([X[0]] * n, axis) for axis in range(2) for n in (1, 2, 3)}, 60),
        (views.pad_one, [X[0, 0], np.int32(7)],
         {(low, high, inner): padded(X[0, 0], 0, low, high, inner)
          for low in range(-1, 3) for high in range(-1, 3) for inner in (0, 1)}, 150),
        (shapes.iota, [X[0]],
         {0: np.arange(3)[:, None] + np.zeros((3, 4), int), 1: np.arange(4)[None] + np.zeros((3, 4), int)},
         20),
        (indexing.rotate, [X[0, 0]], {n: np.roll(X[0, 0], n) for n in range(4)}, 60),
    ],
)  # fmt: skip
def test_a_step(
    append: Callable[[Writer], None], arrays: list[Array], expected: Candidates, seeds: int
) -> None:
    """Results are among the candidates, but for constants that were drawn; all, or most of many, are seen."""
    seen: set[bytes] = set()
    wanted = set(map(_key, expected.values()))
    others = 0
    for seed in range(seeds):
        made = appended(append, arrays, seed)
        if made:
            seen.add(_key(made[-1]))
            others += _key(made[-1]) not in wanted
    assert len(seen & wanted) >= (0.8 if len(wanted) > 12 else 1) * len(wanted)
    draws = {indexing.rotate: 0.4, shapes.concatenate: 0.2, views.pad_one: 0.2}  # with other values
    assert others <= draws.get(append, 0) * seeds


def _key(value: Array) -> bytes:
    array = np.asarray(value)
    return repr(array.shape).encode() + (array.astype(np.float64) + 0.0).tobytes()


def test_shapes_of_as_many_elements() -> None:
    """Drawn, or those of known values; and dimensions that are joined, in order."""
    known = np.zeros((6, 2, 2), np.int32)
    found = {appended(views.regroup, [X, known], seed, Request(views=True))[0].shape for seed in range(80)}
    assert {(2, 3, 4), (6, 2, 2), (24,), (6, 4), (2, 12)} <= found
    assert {int(np.prod(shape)) for shape in found} == {24} and max(map(len, found)) <= 4
    drawn = [shape for seed in range(40) for shape in views.draw_shapes(np.random.default_rng(seed))]
    assert {len(shape) for shape in drawn} == {0, 1, 2, 3, 4}
    assert all(np.prod(shape) in {*views._SIZES, 1, 2048} for shape in drawn)
    assert views.draw_shapes(_Low()) == [(), (32, 64), (64, 32), (2048,)]  # type: ignore[arg-type]


class _Low:
    """A generator whose numbers are as low as may be."""

    def random(self) -> float:
        return 0.0


def test_broadcasts_to_known_shapes() -> None:
    """Along dimensions in any order, where a known shape fits, and else with one dimension more."""
    x, wide = np.array([1, 2], np.int32), np.zeros((2, 3, 2), np.int32)
    seen = set()
    for seed in range(60):
        (made,) = appended(lambda writer: views.spread(writer), [wide[:, 0, 0] + x, wide], seed)
        if made.shape == (2, 3, 2):
            seen.add((made[0, 0, 0], made[0, 0, 1], made[1, 0, 0]))
        else:
            assert made.shape[-1:] == (2,) or made.shape[1:] == (2, 3, 2)
    assert {(1, 2, 1), (1, 1, 2)} <= seen  # along the last dimension, and along the first


def test_views_there_and_back() -> None:
    """Without other ops, the larger or smaller of a value and of itself is the value."""
    only = frozenset(
        f"stablehlo.{name}" for name in ("reshape", "transpose", "reverse", "maximum", "minimum")
    )
    same = 0
    for seed in range(14):
        made = appended(views.there_and_back, [X], seed, Request(views=True, only=only))
        assert made[-1].shape == X.shape
        same += np.array_equal(made[-1], X)
    assert same >= 9


def test_lookups_take_elements_within_bounds() -> None:
    """Indices outside are clamped, so that each element of a result is one of the table."""
    for seed in range(20):
        made = appended(indexing.look_up, [X[0]], seed)
        if made:
            assert set(made[-1].ravel()) <= set(X[0].ravel()) and len(made[-1]) in (2, 3, 4, 8)
            assert made[-1].ndim in (1, 2)


def test_scatters_combine() -> None:
    """Of values above 1, sums and maxima are not smaller, and minima are not larger, than the table was."""
    kinds = set()
    for seed in range(30):
        made = appended(indexing.combine, [X[0]], seed)
        for result in made[-1:]:
            kinds.add((result.shape == X[0].shape, bool((result >= X[0].min()).all())))
    assert (True, True) in kinds and any(not is_same for is_same, _ in kinds)


def test_parts_of_complex_numbers() -> None:
    """(x + ix) and (x + ix): twice x, nothing, and twice the square as the imaginary part of the product."""
    x = np.array([3.0, 1.5], np.float32)
    found = [appended(sums.complex_numbers, [x], seed)[-1].tolist() for seed in range(60)]
    for expected in (x + x, x - x, 2 * x * x):
        assert expected.tolist() in found
    assert appended(sums.complex_numbers, [X], 0) == []


@pytest.mark.parametrize(
    ("append", "arrays"),
    [
        (sums.dot_general, [X]),
        (sums.convolution, [X]),
        (sums.select_and_scatter, [X]),
        (sums.reduce_precision, [M]),
        (sums.rng_bit_generator, [X]),
        (sums.optimization_barrier, [X, M]),
        (shapes.pad, [X]),
        (shapes.slice, [X]),
        (shapes.broadcast, [X]),
        (shapes.reshape, [X]),
        (shapes.dynamic_slice, [X]),
        (shapes.dynamic_update_slice, [X]),
        (shapes.gather, [X]),
        *[(append, [X]) for append, _ in shapes.DYNAMIC],
        *[(append, [X, M]) for append, _ in indexing.INDEXING],
    ],
)
@pytest.mark.parametrize("dynamic", [False, True])
def test_steps_are_valid_and_of_the_stated_shape(
    append: Callable[[Writer], None], arrays: list[Array], dynamic: bool
) -> None:
    made = [appended(append, arrays, seed, Request(dynamic=dynamic)) for seed in range(5)]
    assert sum(map(bool, made)) >= 2


def test_a_product_of_one_contracted_dimension() -> None:
    """Of a vector and a column of constants, a multiple of its sum; of the batched ones, as many rows."""
    v = np.array([1, 2, 4], np.int32)
    found = {tuple(appended(sums.dot_general, [v], seed)[-1].tolist()) for seed in range(40)}
    assert {len(each) for each in found} == {1, 2, 3}
    assert {each[0] % 7 for each in found} == {0} and {0, 7, 14} <= {each[0] for each in found}


def test_values_of_quantized_and_complex_types_are_finite_or_whole() -> None:
    rng = np.random.default_rng(0)
    quantized = parse_type("!quant.uniform<i8:f32, 0.5>")
    stored = draw_values(rng, quantized, (200,), "any")
    assert stored.dtype == np.int8 and stored.min() < -100 and stored.max() > 100
    z = draw_values(rng, parse_type("complex<f32>"), (200,), "any")
    assert np.isfinite(z).all() and (z.real < 0).any() and (z.imag > 0).any() and np.abs(z).max() < 10
    few = draw_values(rng, parse_type("bf16"), (5, 5), "few")
    assert few.dtype == ml_dtypes.bfloat16 and np.count_nonzero(few) <= 4 and few.any()


def test_no_step_claims_what_its_indices_are_not() -> None:
    """Drawn indices are neither sorted nor unique; a sort is stable, so that it has one result."""
    claims: dict[str, set[tuple[str, bool]]] = {}
    for seed in range(24):
        drawn = generate(8, seed, Request(ops=40, sharded=seed % 2 == 1, dynamic=seed % 4 == 0))
        for op in drawn.module.walk():
            flags = [(name, each.value) for name, each in op.properties.items() if isinstance(each, BoolAttr)]
            claims.setdefault(op.name, set()).update(flags)
    unsorted = {("indices_are_sorted", False)}
    assert {name.removeprefix("stablehlo."): found for name, found in claims.items() if found} == {
        "gather": unsorted, "dynamic_gather": unsorted, "scatter": unsorted | {("unique_indices", False)},
        "sort": {("is_stable", True)},
    }  # fmt: skip
