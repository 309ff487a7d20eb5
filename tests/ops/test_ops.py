"""Ops as functions: values from the specification's examples, and what a call refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from make_stubs import FOLDER, STUBS, module_text

import stablehlo_py as shlo
from stablehlo_py import ops
from stablehlo_py.ops.functions import names_of

PAGE = (Path(__file__).parents[2] / "docs" / "ops.md").read_text()


def i64(*values: Any) -> Any:
    return np.array(values, np.int64)


X = np.array([[1, 2, 3], [4, 5, 6]], np.int64)

EXAMPLES: dict[str, tuple[Any, Any]] = {
    "add": (lambda: ops.add(i64([1, 2], [3, 4]), i64([5, 6], [7, 8])), [[6, 8], [10, 12]]),
    "and_": (lambda: ops.and_(i64([1, 2], [3, 4]), i64([5, 6], [7, 8])), [[1, 2], [3, 0]]),
    "clamp": (lambda: ops.clamp(i64(5, 10, 15), i64(3, 13, 23), i64(10, 15, 20)), [5, 13, 20]),
    "concatenate": (
        lambda: ops.concatenate([i64([1, 2], [3, 4], [5, 6]), i64([7, 8])], dimension=0),
        [[1, 2], [3, 4], [5, 6], [7, 8]],
    ),
    "dot_general": (
        lambda: ops.dot_general(
            i64([[1, 2], [3, 4]], [[5, 6], [7, 8]]),
            i64([[1, 0], [0, 1]], [[1, 0], [0, 1]]),
            lhs_batching_dimensions=[0],
            rhs_batching_dimensions=[0],
            lhs_contracting_dimensions=[2],
            rhs_contracting_dimensions=[1],
        ),
        [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
    ),
    "pad": (
        lambda: ops.pad(
            X, np.int64(0), edge_padding_low=[0, 1], edge_padding_high=[2, 1], interior_padding=[1, 2]
        ),
        [[0, 1, 0, 0, 2, 0, 0, 3, 0], [0] * 9, [0, 4, 0, 0, 5, 0, 0, 6, 0], [0] * 9, [0] * 9],
    ),
    "popcnt": (lambda: ops.popcnt(i64(0, 1, 2, 127)), [0, 1, 1, 7]),
    "remainder": (lambda: ops.remainder(i64(17, -17, 17, -17), i64(3, 3, -3, -3)), [2, -2, 2, -2]),
    "reshape": (lambda: ops.reshape(X, result_types="tensor<3x2xi64>"), [[1, 2], [3, 4], [5, 6]]),
    "reverse": (lambda: ops.reverse(i64([1, 2], [3, 4], [5, 6]), dimensions=[1]), [[2, 1], [4, 3], [6, 5]]),
    "select": (
        lambda: ops.select(
            np.array([[False, True], [True, False]]), i64([1, 2], [3, 4]), i64([5, 6], [7, 8])
        ),
        [[5, 2], [3, 8]],
    ),
    "slice": (
        lambda: ops.slice(
            i64([0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]),
            start_indices=[1, 2],
            limit_indices=[3, 4],
            strides=[1, 1],
        ),
        [[1, 1], [1, 1]],
    ),
    "transpose": (
        lambda: ops.transpose(
            i64([[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]), permutation=[2, 1, 0]
        ),
        [[[1, 7], [3, 9], [5, 11]], [[2, 8], [4, 10], [6, 12]]],
    ),
    "reduce": (
        lambda: ops.reduce([i64([0, 1, 2, 3, 4, 5])], [np.int64(0)], dimensions=[1], body=ops.add)[0],
        [15],
    ),
    "sort": (
        lambda: ops.sort(
            [i64([1, 2, 3], [3, 2, 1]), i64([3, 2, 1], [1, 2, 3])],
            dimension=0,
            is_stable=True,
            comparator=lambda a, b, c, d: ops.compare(a, b, comparison_direction="GT"),
        )[1],
        [[1, 2, 1], [3, 2, 3]],
    ),
    "while_": (
        lambda: ops.while_(
            [np.int64(0), np.int64(0)],
            cond=lambda i, total: ops.compare(i, 10, comparison_direction="LT"),
            body=lambda i, total: (ops.add(i, 1), ops.add(total, 1)),
        )[1],
        10,
    ),
    "if_": (
        lambda: ops.if_(np.array(True), true_branch=lambda: np.int64(10), false_branch=lambda: np.int64(11))[
            0
        ],
        10,
    ),
    "map": (
        lambda: ops.map(
            [i64([0, 1], [2, 3]), i64([4, 5], [6, 7])], dimensions=[0, 1], computation=ops.multiply
        ),
        [[0, 5], [12, 21]],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_specification(name: str) -> None:
    compute, expected = EXAMPLES[name]
    assert np.array_equal(compute(), expected)


def test_a_violated_constraint_is_an_error_that_quotes_it() -> None:
    with pytest.raises(ops.OpError, match=re.escape("sorted(permutation) = range(rank(operand))")) as caught:
        ops.transpose(X, permutation=[1, 1])
    assert [d.code for d in caught.value.diagnostics] == ["transpose.C2"]
    with pytest.raises(ops.OpError, match="C10"):
        ops.dot_general(X, X, lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0])
    with pytest.raises(ops.OpError, match="result_types"):
        ops.iota(iota_dimension=0)
    with pytest.raises(TypeError, match="permutation"):
        ops.transpose(X)
    with pytest.raises(AttributeError, match="no op frobnicate"):
        _ = ops.frobnicate  # type: ignore[attr-defined]


def test_numbers_take_the_types_of_arrays() -> None:
    half = np.array([1, 2], ml_dtypes.bfloat16)
    found = ops.multiply(half, half)
    assert found.dtype == ml_dtypes.bfloat16 and found.tolist() == [1, 4]
    assert ops.add(np.float32(1.5), 2).dtype == np.float32


def test_regions_take_constants_and_nest() -> None:
    def body(a: Any, b: Any) -> Any:
        return ops.if_(
            ops.compare(a, b, comparison_direction="LT"), true_branch=lambda: b, false_branch=lambda: a
        )[0]

    (largest,) = ops.reduce([X], [np.int64(-9)], dimensions=[0, 1], body=body)
    assert largest == 6
    shifted = ops.map([X], dimensions=[0, 1], computation=lambda a: ops.add(a, 10))
    assert np.array_equal(shifted, X + 10)


def test_every_op_has_a_function_with_a_docstring() -> None:
    for dialect, module in (("stablehlo", ops), ("chlo", ops.chlo)):
        for name, definition in names_of(dialect).items():
            function = getattr(module, name)
            assert definition.doc in function.__doc__
            assert name in dir(module)


@pytest.mark.parametrize("file", STUBS)
def test_the_types_for_checkers_are_those_of_the_definitions(file: str) -> None:
    assert (FOLDER / file).read_text() == module_text(STUBS[file])


def test_the_page_runs() -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    names: dict[str, Any] = {"np": np, "shlo": shlo}
    exec(compile(code, "ops.md", "exec"), names)
    assert names["total"].tolist() == [5, 7, 9]
