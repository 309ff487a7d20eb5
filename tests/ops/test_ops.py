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
from stablehlo_py.ops.functions import _compiled, _with_common_type, names_of
from stablehlo_py.syntax.parser import parse_type

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


def test_a_violation_with_stated_types_is_an_error_of_the_constraint() -> None:
    """The message has the op, the constraint and its values; a remark of the specification alone is none."""
    with pytest.raises(ops.OpError) as caught:
        ops.transpose(X, permutation=[1, 0], result_types="tensor<2x3xi64>")
    assert [d.code for d in caught.value.diagnostics] == ["transpose.C3"]
    assert str(caught.value).startswith("stablehlo.transpose: ") and isinstance(caught.value, ValueError)
    assert "(C3): shape(result) = dim(operand, permutation...)" in str(caught.value)
    assert "[Diagnostic" not in str(caught.value)
    with pytest.raises(ops.OpError, match=r"^stablehlo\.reshape: ") as caught:
        ops.reshape(X, result_types="tensor<5xi64>")
    assert [d.code for d in caught.value.diagnostics] == ["reshape.C2"]
    assert ops.transpose(X, permutation=[1, 0], result_types="tensor<3x2xi64>").shape == (3, 2)


def test_numbers_take_the_types_of_arrays() -> None:
    half = np.array([1, 2], ml_dtypes.bfloat16)
    found = ops.multiply(half, half)
    assert found.dtype == ml_dtypes.bfloat16 and found.tolist() == [1, 4]
    assert ops.add(np.float32(1.5), 2).dtype == np.float32


def greater(a: Any, b: Any) -> Any:
    return ops.compare(a, b, comparison_direction="GT")


CORNER = i64([0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0])
TEN, ELEVEN = np.int64(10), np.int64(11)
BRANCHES = [lambda: (TEN, X), lambda: (ELEVEN, X)]


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        # Groups of operands: several, one as a list, one as it is; indices as numbers.
        (lambda: ops.concatenate([X, X], dimension=1), [[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]),
        (lambda: ops.concatenate(X, dimension=1), X.tolist()),
        (lambda: ops.concatenate((X,), dimension=0), X.tolist()),
        (lambda: ops.dynamic_slice(CORNER, [-1, 3], slice_sizes=[2, 2]), [[1, 1], [1, 1]]),
        (lambda: ops.dynamic_slice(CORNER[0], 1, slice_sizes=[2]), [0, 1]),
        (
            lambda: ops.dynamic_update_slice(i64([1, 2, 3], [4, 5, 6]), i64([7]), [1, 0]),
            [[1, 2, 3], [7, 5, 6]],
        ),
        # One result is an array, of ops that may have several it is in a tuple.
        (lambda: ops.sort([X], dimension=1, comparator=greater)[0], [[3, 2, 1], [6, 5, 4]]),
        (lambda: len(ops.sort([X, X], dimension=1, comparator=lambda a, b, c, d: greater(a, b))), 2),
        # Branches in their order; an index that is none takes the last.
        (lambda: [int(ops.case(np.int32(i), branches=BRANCHES)[0]) for i in (-1, 0, 1, 2)], [11, 10, 11, 11]),
        (lambda: ops.case(np.int32(0), branches=BRANCHES[:1])[1], X.tolist()),
    ],
)
def test_groups_of_operands_results_and_regions(compute: Any, expected: Any) -> None:
    found = compute()
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == expected


def test_regions_take_constants_and_nest() -> None:
    def body(a: Any, b: Any) -> Any:
        return ops.if_(
            ops.compare(a, b, comparison_direction="LT"), true_branch=lambda: b, false_branch=lambda: a
        )[0]

    (largest,) = ops.reduce([X], [np.int64(-9)], dimensions=[0, 1], body=body)
    assert largest == 6
    shifted = ops.map([X], dimensions=[0, 1], computation=lambda a: ops.add(a, 10))
    assert np.array_equal(shifted, X + 10)


def test_the_arguments_of_regions() -> None:
    """The types that the specification gives them, where operands have two types."""
    f, i = np.float32([3, 1]), np.int32([5, 7])
    seen: dict[str, str] = {}

    def noted(name: str, results: int = 1) -> Any:
        def body(*values: Any) -> Any:
            seen[name] = " ".join(str(value.type)[len("tensor<") : -1] for value in values)
            return values[:results]

        return body

    def less(*values: Any) -> Any:
        noted("sort")(*values)
        return ops.compare(values[0], values[1], comparison_direction="LT")

    found = ops.reduce([f, i], [np.float32(0), np.int32(0)], dimensions=[0], body=noted("reduce", 2))
    assert [part.dtype for part in found] == [np.float32, np.int32]
    ops.sort([f, i], dimension=0, is_stable=True, comparator=less)
    ops.map([f, i], dimensions=[0], computation=noted("map"))
    ops.while_([f, i], cond=lambda a, b: np.array(False), body=noted("while", 2))
    window = {"window_dimensions": [2], "body": noted("reduce_window", 2)}
    ops.reduce_window([f, i], [np.float32(0), np.int32(0)], **window)
    ops.select_and_scatter(
        i,
        i[:1],
        np.int32(0),
        window_dimensions=[2],
        select=lambda a, b: ops.compare(a, b, comparison_direction="GE"),
        scatter=noted("select_and_scatter"),
    )
    assert seen == {
        "reduce": "f32 i32 f32 i32",
        "sort": "f32 f32 i32 i32",
        "map": "f32 i32",
        "while": "2xf32 2xi32",
        "reduce_window": "f32 i32 f32 i32",
        "select_and_scatter": "i32 i32",
    }


ZERO = np.int64(0)
NO_TYPE = "state the types as result_types$"


@pytest.mark.parametrize(
    ("compute", "words"),
    [
        (
            lambda: ops.reduce([X, X], [ZERO], dimensions=[0], body=lambda *a: a[:2]),
            r"\(C3\): .*\n +size\(inputs\) is 2\n +size\(init_values\) is 1\n",
        ),
        (
            lambda: ops.reduce([X], [ZERO, ZERO], dimensions=[0], body=lambda *a: a[:1]),
            r"\(C3\): .*\n +size\(inputs\) is 1\n +size\(init_values\) is 2\n",
        ),
        (lambda: ops.iota(iota_dimension=0), f"^stablehlo.iota: output : unknown .*{NO_TYPE}"),
        (
            lambda: ops.dynamic_iota(np.array([2]), iota_dimension=0),
            rf"^stablehlo.dynamic_iota: result : shape \[\?\] .*{NO_TYPE}",
        ),
        (lambda: ops.reshape(X), f"^stablehlo.reshape: result : element type i64 .*{NO_TYPE}"),
    ],
)
def test_arguments_that_do_not_determine_an_op(compute: Any, words: str) -> None:
    with pytest.raises(ops.OpError, match=words):
        compute()


PAIR = ["tensor<2x3xi64>", "tensor<2x3xi64>"]


@pytest.mark.parametrize(
    ("compute", "shape"),
    [
        (lambda: ops.iota(iota_dimension=0, result_types="tensor<4xi8>"), (4,)),
        (lambda: ops.iota(iota_dimension=0, result_types=["tensor<4xi8>"]), (4,)),
        (lambda: ops.iota(iota_dimension=0, result_types=parse_type("tensor<4xi8>")), (4,)),
        (lambda: ops.sort([X, X], comparator=less, result_types=PAIR)[1], (2, 3)),
        (lambda: ops.dot(X, X[0]), (2,)),
    ],
)
def test_types_that_are_stated(compute: Any, shape: tuple[int, ...]) -> None:
    """As a text, a type, or a list; the element type that an op leaves open is that of the first operand."""
    assert compute().shape == shape


def test_an_op_may_have_no_results() -> None:
    """Types that are stated as none are stated: what is missing is the target."""
    with pytest.raises(shlo.RunError, match="no implementation registered for custom_call target @nowhere"):
        ops.custom_call(X, call_target_name="nowhere", result_types=())


def test_a_number_in_a_region_has_the_type_of_the_first_argument() -> None:
    """Results may be in a list."""
    operands, starts = [np.float32([3, 1]), np.int32([5, 7])], [np.float32(0), np.int32(0)]
    found = ops.reduce(operands, starts, dimensions=[0], body=lambda a, i, b, j: [1.5, j])
    assert [part.dtype for part in found] == [np.float32, np.int32] and float(found[0]) == 1.5


def less(a: Any, b: Any, *others: Any) -> Any:
    return ops.compare(a, b, comparison_direction="LT")


def test_after_a_region_that_fails_ops_compute() -> None:
    """Also after one within another; each number in a region is of the type of its arguments."""

    def failing(a: Any) -> Any:
        raise KeyError("mine")

    def around(a: Any, b: Any) -> Any:
        with pytest.raises(KeyError, match="mine"):
            ops.map([a], dimensions=[], computation=failing)
        return ops.add(ops.multiply(a, 2), b)

    (found,) = ops.reduce([np.float32([1, 2, 3])], [np.float32(0)], dimensions=[0], body=around)
    assert found.dtype == np.float32 and isinstance(found, np.ndarray)
    with pytest.raises(KeyError, match="mine"):
        ops.map([X], dimensions=[0, 1], computation=failing)
    assert ops.add(X, X).tolist() == [[2, 4, 6], [8, 10, 12]]


def test_a_loop_in_a_region_carries_a_token() -> None:
    """Which is no tensor: it has no element type that arguments could have."""

    def body(a: Any) -> Any:
        _, total = ops.while_(
            [ops.after_all([]), a],
            cond=lambda token, x: ops.compare(x, 9, comparison_direction="LT"),
            body=lambda token, x: (token, ops.add(x, 4)),
        )
        return total

    assert ops.map([X], dimensions=[0, 1], computation=body).tolist() == [[9, 10, 11], [12, 9, 10]]


def test_programs_are_kept_by_types_and_attributes() -> None:
    """Those of ops with regions are not: a region is equal to itself alone."""
    _compiled.cache_clear()
    for x in (X, X + 1, X.astype(np.int32)):
        for permutation in ([0, 1], [1, 0]):
            assert np.array_equal(ops.transpose(x, permutation=permutation), x.transpose(permutation))
    assert _compiled.cache_info()[:2] == (2, 4)
    ops.map([X], dimensions=[0, 1], computation=lambda a: a)
    assert _compiled.cache_info().currsize == 4


def test_help() -> None:
    assert repr(ops.transpose) == "<function stablehlo.transpose(operand, *, permutation, result_types=None)>"
    assert repr(ops.chlo.top_k) == "<function chlo.top_k(operand, *, k, is_stable=None, result_types=None)>"
    assert (ops.transpose.__doc__ or "").splitlines()[:9] == [
        "Permutes the dimensions of a tensor.",
        "",
        "Args:",
        "    operand: tensor or quantized tensor",
        "    permutation: 1-dimensional tensor constant of type `si64`",
        "    result_types: The types of the results, where the op does not determine them.",
        "",
        "Constraints:",
        "    C1: if is_per_axis_quantized(operand) then element_type(result) = element_type(operand) and "
        "scales(result) = scales(operand) and zero_points(result) = zero_points(operand) else "
        "identical(element_type(result), element_type(operand))",
    ]
    lines = (ops.reduce.__doc__ or "").splitlines()
    assert "    inputs: variadic number of tensor or per-tensor quantized tensor" in lines
    assert "    body: function" in lines
    keywords = (
        "window_dimensions, window_strides=None, base_dilations=None, window_dilations=None, padding=None"
    )
    assert (
        str(ops.reduce_window.__signature__)
        == f"(inputs, init_values, *, {keywords}, body, result_types=None)"
    )
    assert {"return_", "return"}.isdisjoint(dir(ops)) and {"OpError", "chlo", "while_", "if_"} <= set(
        dir(ops)
    )


@pytest.mark.parametrize(
    ("number", "dtypes", "expected"),
    [
        (2, ["f4"], "f4"),
        (2, ["i1", "f4"], "i1"),
        (2.5, ["i1", "f4"], "f4"),
        (True, ["?", "f4"], "?"),
        (1j, ["f4", "c8"], "c8"),
        (2.5, ["i4"], None),  # no array can hold it
    ],
)
def test_types_of_numbers(number: complex, dtypes: list[str], expected: str | None) -> None:
    *_, found = _with_common_type([*(np.zeros(1, dtype) for dtype in dtypes), number])
    assert (found if expected is None else found.dtype) == (
        number if expected is None else np.dtype(expected)
    )


def test_what_is_no_tensor() -> None:
    with pytest.raises(ops.OpError, match="arrays of <U1 are not tensors of StableHLO"):
        ops.abs(np.array(["a"]))
    with pytest.raises(ops.OpError, match=r"^stablehlo\.transpose: .*permutation"):
        ops.transpose(X, permutation="x")
    with pytest.raises(
        TypeError, match=r"^transpose\(operand, \*, permutation, result_types=None\): missing"
    ):
        ops.transpose(X)
    with pytest.raises(AttributeError, match=r"^chlo has no op add$"):
        _ = ops.chlo.add


def test_every_op_has_a_function_with_a_docstring() -> None:
    for dialect, module in (("stablehlo", ops), ("chlo", ops.chlo)):
        for name, definition in names_of(dialect).items():
            function = getattr(module, name)
            assert definition.doc in function.__doc__
            assert name in dir(module)
            for (
                rule
            ) in definition.constraints:  # demands of upstream or the specification alone are no errors
                stated = f"\n    {rule.label}: {rule.formula}\n" in function.__doc__ + "\n"
                assert stated is (rule.verdict == "error")


@pytest.mark.parametrize("file", STUBS)
def test_the_types_for_checkers_are_those_of_the_definitions(file: str) -> None:
    assert (FOLDER / file).read_text() == module_text(STUBS[file])


def test_the_page_runs() -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    names: dict[str, Any] = {"np": np, "shlo": shlo}
    exec(compile(code, "ops.md", "exec"), names)
    assert names["total"].tolist() == [5, 7, 9]
