"""Every function of the notation, compared with hand calculations or the specification."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluating import evaluate, sort_of

from stablehlo_py.ir.attributes import DenseElementsAttr, StructAttr, TypeAttr
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.types import (
    F32,
    F64,
    I1,
    I32,
    I64,
    TOKEN,
    ComplexType,
    FloatType,
    FunctionType,
    FutureType,
    IntegerType,
    MemRefType,
    OpaqueType,
    QuantizedType,
    TensorType,
    TupleType,
    UnrankedTensorType,
)
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.graph_functions import has_type
from stablehlo_py.notation.registry import FUNCTIONS
from stablehlo_py.notation.sorts import ARRAY, FUNCTION, INT, STR, VALUE, Sort, Undefined, list_of
from stablehlo_py.notation.terms import parse
from stablehlo_py.notation.values import nested_list

I8 = IntegerType(8)
UI8 = IntegerType(8, "u")
F16 = FloatType("f16")
PER_TENSOR = QuantizedType(I8, F32, (0.5,), (3,), -128, 127)
PER_AXIS = QuantizedType(I8, F32, (0.5, 0.25), (1, 2), -128, 127, 1)
UNSIGNED = QuantizedType(UI8, F32, (0.5,), (3,), 0, 255)
BOUND = StructAttr("stablehlo.bounds", (("bounds", (7,)),))
C64 = ComplexType(F32)
X = TensorType((2, 3, None), F32)


def array(rows: Any) -> DenseElementsAttr:
    data = np.array(rows, dtype=np.int64)
    return DenseElementsAttr(TensorType(data.shape, I64), data.reshape(-1))


NAMES: dict[str, Any] = {
    "x": X,
    "q": TensorType((4,), PER_TENSOR),
    "p": TensorType((4, 2), PER_AXIS),
    "c": TensorType((2,), C64),
    "b": TensorType((), I1),
    "u": TensorType((5,), UI8),
    "f16": F16,
    "bounded": TensorType(
        (2, None, None), F32, StructAttr("stablehlo.bounds", (("bounds", (None, 7, None)),))
    ),
    "t": TupleType((X, TOKEN)),
    "future": FutureType((X,)),
    "unranked": UnrankedTensorType(F32),
    "buffer": MemRefType((2, None), F32),
    "held": TensorType((None,), PER_TENSOR, BOUND),
    "u8": UNSIGNED,
    "ui8": QuantizedType(UI8, F32, (0.5,), (3,), 0, 255, has_unsigned_storage=True),
    "q16": QuantizedType(IntegerType(16), F32, (0.5,), (3,), -128, 127),
    "q64": QuantizedType(I8, F64, (0.5,), (3,), -128, 127),
    "pads": array([[1, 2], [3, 4]]),
    "triples": array([[1, 2, 0], [3, 4, 0]]),
    "line": array([5, 6, 6]),
    "splat": DenseElementsAttr(TensorType((1 << 25,), I64), np.array([7])),
    "xs": [3, 1, 2],
    "twice": [1, 1],
    "reals": [1.0, float("nan")],
}

TYPES = [
    ("type(x)", X),
    ("type(pads)", TensorType((2, 2), I64)),
    ("element_type(x)", F32),
    ("shape(x)", (2, 3, None)),
    ("shape(pads)", (2, 2)),
    ("shape([[1, 2, 3], [4, 5, 6]])", [2, 3]),
    ("rank(x)", 3),
    ("rank(pads)", 2),
    ("rank(unranked)", None),
    ("axes(x)", [0, 1, 2]),
    ("dim(x, 1)", 3),
    ("dim(x, -2)", 3),
    ("dim(x, -1)", None),
    ("dim(x, [0, 1])", [2, 3]),
    ("dims(x, [1, 0])", [3, 2]),
    ("dim(pads, 1)", 2),
    ("size(p)", 8),
    ("size(x)", None),
    ("size(t)", 2),
    ("size(pads)", 4),
    ("size(xs)", 3),
    ("size([])", 0),
    ("bounds(x)", [None, None, None]),
    ("bounds(bounded)", [None, 7, None]),
    ("is_static(x)", False),
    ("is_static(p)", True),
    ("is_boolean(b)", True),
    ("is_boolean(i1)", True),
    ("is_boolean(u)", False),
    ("is_integer(u)", True),
    ("is_integer(b)", False),
    ("is_signed_integer(i8)", True),
    ("is_signed_integer(u)", False),
    ("is_unsigned_integer(u)", True),
    ("is_unsigned_integer(b)", False),
    ("is_float(x)", True),
    ("is_float(c)", False),
    ("is_complex(c)", True),
    ("is_quantized(q)", True),
    ("is_quantized(x)", False),
    ("is_per_tensor_quantized(q)", True),
    ("is_per_tensor_quantized(p)", False),
    ("is_per_axis_quantized(p)", True),
    ("is_per_axis_quantized(x)", False),
    ("is_tensor(q)", True),
    ("is_tensor(token)", False),
    ("is_tensor(unranked)", True),
    ("is_tensor(buffer)", False),
    ("is_ranked(x)", True),
    ("is_ranked(unranked)", False),
    ("is_buffer(buffer)", True),
    ("shape(buffer)", (2, None)),
    ("element_type(buffer)", F32),
    ("is_token(token)", True),
    ("is_tuple(t)", True),
    ("is_future(future)", True),
    ("is_buffer(x)", False),
    ("num_bits(b)", 1),
    ("num_bits(c)", 64),
    ("num_bits(q)", 8),
    ("max_value(u)", 255),
    ("min_value(i8)", -128),
    ("max_value(f16)", 65504.0),
    ("min_value(f16)", -65504.0),
    ("complex_element_type(c)", F32),
    ("storage_type(q)", I8),
    ("storage_type(u8)", I8),
    ("storage_type(ui8)", UI8),
    ("expressed_type(q)", F32),
    ("storage_min(q)", -128),
    ("storage_max(q)", 127),
    ("quantization_dimension(p)", 1),
    ("scales(p)", (0.5, 0.25)),
    ("zero_points(q)", (3,)),
    ("baseline_type(x)", X),
    ("baseline_type(q)", TensorType((4,), QuantizedType(I8, F32, (1.0,), (0,), -128, 127))),
    ("baseline_type(held)", TensorType((None,), QuantizedType(I8, F32, (1.0,), (0,), -128, 127), BOUND)),
    ("baseline_element_type(p)", QuantizedType(I8, F32, (1.0, 1.0), (0, 0), -128, 127, 1)),
    ("tuple_element_types(t)", (X, TOKEN)),
    ("future_types(future)", (X,)),
    ("tensor(f32)", TensorType((), F32)),
    ("tensor([2, 3], i32)", TensorType((2, 3), I32)),
    ("complex(f32)", C64),
    ("tuple_type([x, token])", TupleType((X, TOKEN))),
    ("function_type([x, token], [x])", FunctionType((X, TOKEN), (X,))),
    ("vector([2, 3], f32)", OpaqueType("vector<2x3xf32>")),
    ("future_type([x])", FutureType((X,))),
    ("identical(x, x)", True),
    ("identical(x, q)", False),
    ("is_promotable(i8, i32)", True),
    ("is_promotable(i32, i8)", False),
    ("is_promotable(i32, f32)", False),
    ("is_promotable(i1, i1)", True),
    ("is_promotable(f16, f32)", True),
    ("is_promotable(c, complex(f64))", True),
    ("is_promotable(q, p)", True),
    ("is_promotable(q, f32)", False),
    ("is_promotable(q, q16)", True),
    ("is_promotable(q16, q)", False),
    ("is_promotable(q, q64)", False),  # it represents another type
    ("is_promotable(q64, q)", False),
]

LISTS = [
    ("xs + 1", [4, 2, 3]),
    ("xs - xs", [0, 0, 0]),
    ("xs * 2 % 4", [2, 2, 0]),
    ("-xs", [-3, -1, -2]),
    ("7 / 2 * 2", 7),
    ("floor(7 / 2)", 3),
    ("floor(-7 / 2)", -4),
    ("floor(1 / 2 + 3)", 3),
    ("ceil(-7 / 2)", -3),
    ("ceil(7, 2)", 4),
    ("ceil(1 / 2 + 3)", 4),
    ("ceil(xs / 2)", [2, 1, 1]),
    ("-7 % 4", 1),
    ("1.5 + 1", 2.5),
    ("max(xs, 2)", [3, 2, 2]),
    ("min(1, 2)", 1),
    ("range(3)", [0, 1, 2]),
    ("range(1, 3)", [1, 2]),
    ("is_empty(xs)", False),
    ("is_empty([])", True),
    ("is_unique(xs)", True),
    ("is_unique(twice)", False),
    ("is_unique(pads)", True),
    ("is_unique(line)", False),
    ("is_sorted(xs)", False),
    ("is_sorted(twice)", True),
    ("is_sorted([])", True),
    ("size(distinct(twice))", 1),
    ("distinct(xs) = xs", True),
    ("same(twice)", True),
    ("same(xs)", False),
    ("same([])", True),
    ("sorted(xs)", [1, 2, 3]),
    ("sum(xs)", 6),
    ("product(xs)", 6),
    ("product([])", 1),
    ("concatenate(xs, twice)", [3, 1, 2, 1, 1]),
    ("xs ++ [9]", [3, 1, 2, 9]),
    ("drop(xs, [0, -1])", [1]),
    ("drop(xs, 1)", [3, 2]),
    ("drop(xs, 3)", [3, 1, 2]),
    ("replace(xs, 1, 9)", [3, 9, 2]),
    ("replace(xs, [0, 2], [7, 8])", [7, 1, 8]),
    ("combine([1, 2], [8, 9], [0, 2])", [8, 1, 9, 2]),
    ("combine([], [8], [0])", [8]),
    ("flatten(pads)", [1, 2, 3, 4]),
    ("flatten(splat)", [7, 7]),
    ("values(line)", [5, 6, 6]),
    ("is_dense(pads)", True),
    ("pads[:, 1]", [2, 4]),
    ("pads[1]", [3, 4]),
    ("pads[1, 0]", 3),
    ("line[1:]", [6, 6]),
    ("xs[1:]", [1, 2]),
    ("xs[:-1]", [3, 1]),
    ("xs[-1]", 2),
    ("is_finite(reals)", [True, False]),
    ("is_negative(negative(reals))", [True, True]),
    ("is_negative(negative(0.0))", True),
    # (5 + 1 + 2 - 3) / 2 + 1; a dilated base of 4 + (4 - 1) elements and a dilated window of 1 + 2
    ("num_windows([5], [3], [2], [[1, 2]], [1], [1])", [3]),
    ("num_windows([4], [2], [1], [[0, 0]], [2], [2])", [5]),
    ("num_windows([0], [1], [1], [[0, 0]], [1], [1])", [0]),
    ("num_windows([2], [3], [1], [[0, 0]], [1], [1])", [0]),
    ("num_windows([0, 2], [0, 0], [1, 1], [[0, 0], [-1, -1]], [1, 1], [1, 1])", [0, 0]),
    ("num_windows([4], [0], [2], [[0, 0]], [1], [1])", [3]),
    ("num_windows([4, 4], [2, 2], [1, 1], pads, [1, 1], [1, 1])", [6, 10]),
    ('is_namespaced_op_name("a.b_c.d$")', True),
    ('is_namespaced_op_name("a")', False),
    ('is_namespaced_op_name("1.b")', False),
]


def named(formula: str) -> dict[str, Any]:
    """The names of `NAMES` that a formula uses, apart from those that are types of the notation."""
    words = set(re.findall(r"[a-z_0-9]+(?!\w|\()", formula)) - {"f16"}
    return {name: value for name, value in NAMES.items() if name in words}


@pytest.mark.parametrize(("formula", "expected"), [*TYPES, *LISTS], ids=lambda x: str(x)[:40])
def test_value(formula: str, expected: Any) -> None:
    found = evaluate(formula, **named(formula))
    if isinstance(expected, list | tuple):
        assert list(found) == list(expected)
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("formula", "sort"),
    [
        ("drop(xs, 0)", "List[Int]"),
        ("[f32] ++ [i8]", "List[Type]"),
        ("replace([[1], [2]], 0, [3])", "List[List[Int]]"),
        ("distinct([f32])", "List[Type]"),
        ("combine([], [1], [0])", "List[Int]"),
        ("[] ++ []", "List[Never]"),
        ("sum([1.5, 2])", "Float"),
    ],
)
def test_sorts_of_results(formula: str, sort: str) -> None:
    """Those of the elements that are given."""
    sorts = {name: sort_of(value) for name, value in named(formula).items()}
    assert str(Compiler(sorts).compile(parse(formula)).sort) == sort


@pytest.mark.parametrize(
    "formula",
    [
        "dim(x, 3)",
        "dim(pads, 2)",
        "xs[3]",
        "pads[2, 0]",
        "shape(token)",
        "element_type(t)",
        "storage_type(x)",
        "quantization_dimension(q)",
        "complex_element_type(x)",
        "tuple_element_types(x)",
        "future_types(x)",
        "num_bits(token)",
        "max_value(c)",
        "1 / 0",
        "1 % 0",
        "xs + twice",
        "values(pads)",
        "drop(xs, [3])",
        "replace(xs, 5, 1)",
        "combine([1], [2], [2])",
        "combine([1], [2, 3], [0, 0])",
        "num_windows([4, 4], [2, 2], [1, 1], triples, [1, 1], [1, 1])",
        "num_windows([4], [2], [1], line, [1], [1])",
        "shape([[1], [2, 3]])",
        "num_windows([5], [3], [0], [[0, 0]], [1], [1])",
        "num_windows([5, 5], [3], [1], [[0, 0]], [1], [1])",
    ],
)
def test_undefined(formula: str) -> None:
    with pytest.raises(Undefined):
        evaluate(formula, **named(formula))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("d + 1", None),
        ("[d, 2] + 1", [None, 3]),
        ("sum([d, 2])", None),
        ("sorted([d, 2])", None),
        ("replace(xs, d, 1)", None),
        ("replace(xs, 0, d)", [None, 1, 2]),
        ("num_windows([d, 5], [3, 3], [2, 2], [[0, 0], [1, 2]], [1, 1], [1, 1])", [None, 3]),
        ("xs[d]", None),
        ("pads[d, 0]", None),
        ("pads[0, d]", None),
        ("pads[d]", None),
        ("same([d])", None),
        ("same([d, d])", None),
        ("same([[d], [d]])", None),
        ("same([1, d, 2])", False),
        ("same([x, x])", None),
        ("is_unique([d, 2])", None),
        ("is_unique([d, 2, 2])", False),
        ("floor(d / 2)", None),
    ],
)
def test_unknown(formula: str, expected: Any) -> None:
    assert evaluate(formula, d=None, **named(formula)) == expected


# Bodies, symbols, constants, the grid -----------------------------------------------------------------


class Grid:
    """A module of 4 replicas and 2 partitions with a function @f."""

    num_replicas: int | None = 4
    num_partitions: int | None = 2

    def resolve(self, op: Operation, name: str) -> Operation | None:
        signature = FunctionType((TensorType((), F32),), (TensorType((), I1),))
        return (
            Operation("func.func", properties={"function_type": TypeAttr(signature)}) if name == "f" else None
        )


def contextual(formula: str, sort: Sort, value: Any, context: Grid | None = None) -> Any:
    """The value of a formula over one name, `x`, in a module."""
    env = Environment(Operation("test.op"), context or Grid(), {})
    env["x"] = value
    return Compiler({"x": sort}).compile(parse(formula)).run(env)


def body() -> Region:
    scalar = TensorType((), F32)
    block = Block([scalar, scalar])
    add = block.append(Operation("stablehlo.add", block.arguments, [scalar]))
    block.append(Operation("stablehlo.return", add.results))
    return Region([block])


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("input_types(x)", [TensorType((), F32)] * 2),
        ("output_types(x)", [TensorType((), F32)]),
        ("operations(x)", ["stablehlo.add", "stablehlo.return"]),
    ],
)
def test_bodies(formula: str, expected: Any) -> None:
    assert list(contextual(formula, FUNCTION, body())) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("has_type(x, [tensor(f32), tensor(f32)], [tensor(f32)])", True),
        ("has_type(x, [tensor(f32)], [tensor(f32)])", False),
        ("has_type(x, [tensor(f32), tensor(f32)], [tensor(f64)])", False),
    ],
)
def test_has_type(formula: str, expected: bool) -> None:
    assert contextual(formula, FUNCTION, body()) is expected


def test_types_of_functions_that_are_known_in_part() -> None:
    """What is wrong in one part is wrong, whatever the other one is."""
    scalar, wrong = TensorType((), F32), [TensorType((), I1)]
    for inputs, outputs, expected in (
        (None, wrong, False),
        (wrong, None, False),
        (None, [scalar], None),
        ([scalar, scalar], None, None),
        (None, None, None),
        ([scalar, scalar], [scalar], True),
    ):
        assert has_type(body(), inputs, outputs) is expected


def test_a_body_without_an_end_has_inputs_and_no_outputs() -> None:
    endless = Region([Block([TensorType((), F64)])])
    assert contextual("input_types(x) = [tensor(f64)]", FUNCTION, endless) is True
    with pytest.raises(Undefined):
        contextual("output_types(x)", FUNCTION, endless)


def test_symbols() -> None:
    assert contextual("is_defined_in_parent_scope(x)", STR, "f") is True
    assert contextual("is_defined_in_parent_scope(x)", STR, "g") is False
    assert contextual("input_types(x) = [tensor(f32)] and output_types(x) = [tensor(i1)]", STR, "f") is True
    with pytest.raises(Undefined):
        contextual("input_types(x)", STR, "g")


def test_constant_value() -> None:
    shape = array([2, 3])
    constant = Operation("stablehlo.constant", result_types=[shape.type], properties={"value": shape})
    assert contextual("constant_value(x) = [2, 3]", VALUE, constant.result) is True
    assert contextual("constant_value(x) = [2, 4]", VALUE, constant.result) is False
    assert contextual("constant_value(x) = [2, 4]", VALUE, Value(shape.type)) is None
    assert contextual("constant_value(x) = [2, 4, 5]", VALUE, Value(shape.type)) is False
    assert contextual("is_dense(constant_value(x))", VALUE, Value(shape.type)) is False
    assert contextual("0 <= constant_value(x)", VALUE, constant.result) is True


def constant(*elements: Any, dtype: Any, type: Any) -> Value:
    """The result of a constant op."""
    shaped = TensorType((len(elements),), type)
    value = DenseElementsAttr(shaped, np.array(elements, dtype))
    return Operation("stablehlo.constant", result_types=[shaped], properties={"value": value}).result


def test_constants_and_uses() -> None:
    zeros, minus = constant(0.0, -0.0, dtype=np.float32, type=F32), constant(-1, -1, dtype=np.int8, type=I8)
    ones, truth = constant(1, 1, dtype=np.int32, type=I32), constant(True, dtype=bool, type=I1)
    unsigned, mixed = constant(255, dtype=np.uint8, type=UI8), constant(1, 2, dtype=np.int32, type=I32)
    found = {
        name: [contextual(f"{name}(x)", VALUE, x) for x in (zeros, minus, ones, truth, unsigned, mixed)]
        for name in ("is_zero", "is_one", "is_all_ones", "is_constant", "is_splat")
    }
    assert found == {
        "is_zero": [True, False, False, False, False, False],
        "is_one": [False, False, True, True, False, False],
        "is_all_ones": [False, True, False, True, True, False],
        "is_constant": [True] * 6,
        "is_splat": [False, False, False, True, True, False],  # stored as one element
    }
    minus_one = constant(-1.0, dtype=np.float32, type=F32)
    assert contextual("is_all_ones(x)", VALUE, minus_one) is False  # of a number that is no integer
    argument = Value(TensorType((2,), I32))
    assert contextual("is_constant(x) or is_zero(x) or has_one_use(x)", VALUE, argument) is False
    Operation("test.op", [argument])
    assert contextual("has_one_use(x)", VALUE, argument) is True
    assert contextual("inverse_permutation(x) = [2, 0, 1]", list_of(INT), [1, 2, 0]) is True
    with pytest.raises(Undefined):
        contextual("inverse_permutation(x)", list_of(INT), [0, 0])


PAIRS = {  # the specification's examples, as flattened ids: replica * num_partitions + partition
    "cross_replica(x)": ([[0, 1], [2, 3]], [[0, 2], [1, 3], [4, 6], [5, 7]]),
    "cross_partition(x)": ([[0, 1]], [[0, 1], [2, 3], [4, 5], [6, 7]]),
    "cross_replica_and_partition(x)": ([[0, 1], [2, 3]], [[0, 2, 1, 3], [4, 6, 5, 7]]),
    "flattened_ids(x)": ([[0, 1, 2, 3], [4, 5, 6, 7]], [[0, 1, 2, 3], [4, 5, 6, 7]]),
}


@pytest.mark.parametrize("formula", PAIRS)
def test_process_groups(formula: str) -> None:
    groups, expected = PAIRS[formula]
    assert nested_list(contextual(formula, ARRAY, array(groups))) == expected


def test_process_groups_of_an_unknown_grid() -> None:
    grid = Grid()
    grid.num_partitions = None
    groups = array([[0, 1], [2, 3]])
    assert contextual("dim(cross_replica(x), 1)", ARRAY, groups, grid) == 2
    assert contextual("dim(cross_partition(x), 1)", ARRAY, groups, grid) == 2
    assert contextual("dim(cross_replica_and_partition(x), 1)", ARRAY, groups, grid) is None
    assert contextual("dim(flattened_ids(x), 1)", ARRAY, groups, grid) == 2
    assert contextual("dim(cross_replica_and_partition(x), 0)", ARRAY, groups, grid) == 2


def test_every_function_is_in_the_manual() -> None:
    manual = (Path(__file__).parents[2] / "docs" / "notation.md").read_text()
    operators = {"+", "-", "*", "/", "%", "negative"}
    missing = {name for name in FUNCTIONS if not re.search(rf"\b{re.escape(name)}\b", manual)}
    assert missing <= operators


def test_every_function_says_what_it_is_for() -> None:
    module = Module()  # makes sure that documentation survives `python -O`
    assert module.body is not None
    silent = {
        name
        for name, overloads in FUNCTIONS.items()
        if not any(overload.function.__doc__ for overload in overloads) and not name.startswith("is_")
    }
    assert not silent
