"""Parameters, constants, operands, bodies, errors and source locations of the builder."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from building import f32, results

import stablehlo_py as shlo
from stablehlo_py import builder as xla
from stablehlo_py.builder import BuildError, XlaBuilder, XlaComputation, XlaOp
from stablehlo_py.builder import call_site as call_sites
from stablehlo_py.builder.base import _whole
from stablehlo_py.builder.call_site import CallSite, call_site
from stablehlo_py.builder.computation_builder import _takes
from stablehlo_py.builder.rows import _description
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.diagnostics.diagnostic import InternalError
from stablehlo_py.ir.locations import FileLoc
from stablehlo_py.ir.types import F32, NoneType, TensorType
from stablehlo_py.layout import Shape
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.verifier.inferred import InferredType


@pytest.mark.parametrize(
    "shape",
    [
        "f32[2,3]",
        "f32[2,3]{0,1}",
        ("f32", (2, 3)),
        (np.float32, [2, 3]),
        np.zeros((2, 3), f32),
        Shape.parse("f32[2,3]"),
        parse_type("tensor<2x3xf32>"),
    ],
)
def test_shapes_are_given_in_many_ways(shape: object) -> None:
    assert XlaBuilder().Parameter(0, shape).type is parse_type("tensor<2x3xf32>")


def test_parameters_are_arguments_in_the_order_of_their_numbers() -> None:
    b = XlaBuilder()
    y = b.Parameter(1, "f32[]", "y")
    x = b.Parameter(0, "f32[]", "x")
    b.Sub(x, y)
    assert results(b, f32(5), f32(3)) == [2]
    with pytest.raises(BuildError, match="parameter 1 is already declared"):
        b.Parameter(1, "f32[]")


def test_a_missing_parameter_is_an_error_of_build() -> None:
    b = XlaBuilder()
    b.Parameter(1, "f32[]")
    with pytest.raises(BuildError, match="does not declare parameter 0"):
        b.Build()


def test_a_tuple_parameter_is_one_argument_and_a_tuple_result_several() -> None:
    b = XlaBuilder()
    pair = b.Parameter(0, "(f32[2], s32[])", "pair")
    array, number = pair
    b.Tuple(number + 1, array * 2.0)
    number, array = results(b, (np.array([1, 2], f32), np.int32(4)))
    assert number == 5
    np.testing.assert_array_equal(array, [2, 4])


def test_constants_are_numpy_arrays_or_numbers() -> None:
    b = XlaBuilder()
    ops = [b.ConstantLiteral(x) for x in (np.arange(3, dtype=np.int8), [1.5, 2.5], True, 7, 1j)]
    assert [str(op.type) for op in ops] == [
        "tensor<3xi8>",
        "tensor<2xf32>",
        "tensor<i1>",
        "tensor<i32>",
        "tensor<complex<f32>>",
    ]
    filled = b.ConstantLiteral(2, "bf16[2]")
    assert [float(x) for x in results(b)[0]] == [2, 2] and filled.shape == (2,)


@pytest.mark.parametrize(
    ("number", "shape"), [(1.5, "s32[2]"), (300, "u8[2]"), (1j, "f32[2]"), ("a", "f32[]")]
)
def test_numbers_that_the_other_operand_does_not_hold_are_errors(number: object, shape: str) -> None:
    b = XlaBuilder()
    x = b.Parameter(0, shape)
    with pytest.raises(BuildError, match="Add"):
        b.Add(x, number)


@pytest.mark.parametrize(
    ("lhs", "rhs", "shape"),
    [
        (np.int8(1), 2, "s8[]"),
        (2, np.int8(1), "s8[]"),
        (2, np.array([1], np.uint8), "u8[1]"),
        ([1, 2], np.float64(3), "f64[2]"),
        (2.5, 2.0, "f32[]"),
        (1, 2, "s32[]"),
    ],
)
def test_numbers_have_the_type_of_the_other_operand(lhs: object, rhs: object, shape: str) -> None:
    assert shape_text(XlaBuilder().Add(lhs, rhs).type) == shape


def test_operators_build_operations() -> None:
    b = XlaBuilder()
    x, y = b.Parameter(0, "s32[]"), b.Parameter(1, "s32[]")
    p = x < y
    ops = [x + y, x - y, x * y, x / y, x % y, x**2, -x, abs(-x), x & y, x | y, x ^ y, ~x, x << 1, x >> 1]
    ops += [10 - x, p, x == y, x != y, x <= y, x > y, x >= y, p & ~p]
    b.Tuple(ops)
    want = [10, 4, 21, 2, 1, 49, -7, 7, 3, 7, 4, -8, 14, 3, 3, 0, 0, 1, 0, 1, 1, 0]
    assert [int(r) for r in results(b, np.int32(7), np.int32(3))] == want


def test_unsigned_integers_are_shifted_right_with_zeros() -> None:
    b = XlaBuilder()
    b.Tuple(b.Parameter(0, "u8[]") >> 1, b.Parameter(1, "s8[]") >> 1)
    assert [int(r) for r in results(b, np.uint8(0x80), np.int8(-128))] == [0x40, -64]


@pytest.mark.parametrize(
    "index",
    [
        0,
        (slice(None), -1),
        (..., slice(0, 4, 2)),
        (slice(None, None, -1), 1),
        (1, slice(3, 0, -2)),
        (slice(2, 2),),
        (1, 2),
        (..., 1, 2),
        (1, ..., 2),
        (-3, -4, ...),
        (slice(-2, None), slice(None, None, -2)),
        (slice(5, None), ...),
        np.int64(1),
        (slice(np.int8(1), None), np.uint8(3)),
        ...,
    ],
)
def test_indices_are_those_of_numpy(index: object) -> None:
    b = XlaBuilder()
    array = np.arange(12, dtype=f32).reshape(3, 4)
    b.Parameter(0, "f32[3,4]")[index]
    np.testing.assert_array_equal(results(b, array)[0], array[index])


def test_an_op_as_an_index_is_dynamic() -> None:
    b = XlaBuilder()
    x, i = b.Parameter(0, "f32[3,4]"), b.Parameter(1, "s32[]")
    x[1:, i]
    array = np.arange(12, dtype=f32).reshape(3, 4)
    np.testing.assert_array_equal(results(b, array, np.int32(2))[0], array[1:, 2])


def test_what_is_no_index_is_an_error() -> None:
    x = XlaBuilder().Parameter(0, "f32[3]")
    for index in (3, -4, "a", (0, 0), (0, ..., 0), (..., ...), None, True, 1.0):
        with pytest.raises(BuildError):
            x[index]


def test_a_scalar_has_no_length() -> None:
    b = XlaBuilder()
    with pytest.raises(BuildError, match=r"^f32\[\] has no length$"):
        len(b.Parameter(0, "f32[]"))
    assert len(b.Tuple()) == 0


def test_an_op_has_no_truth() -> None:
    x = XlaBuilder().Parameter(0, "f32[]")
    with pytest.raises(BuildError, match="Conditional"):
        bool(x > 0)


def test_an_op_is_no_numpy_array() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2]")
    for bad in (lambda: np.asarray(x), lambda: np.asarray([x, x]), lambda: b.Add(x, [x, x])):
        with pytest.raises(BuildError, match="cannot convert to a NumPy array"):
            bad()
    assert results(b, np.array([1, 2], f32))[0].tolist() == [1, 2]
    assert (np.ones(2, f32) + x).builder is b


def test_an_error_says_what_was_called_and_which_rule_is_broken() -> None:
    b = XlaBuilder()
    x, y = b.Parameter(0, "f32[2]"), b.Parameter(1, "s32[2]")
    with pytest.raises(BuildError) as error:
        b.Add(x, y)
    assert str(error.value).startswith("Add(f32[2], s32[2])\nstablehlo.add (C1)")
    assert [d.code for d in error.value.diagnostics] == ["add.C1"]


def test_a_call_that_fails_leaves_no_op() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2]")
    with pytest.raises(BuildError):
        b.Reduce(x, 0.0, "add", [3])
    b.Neg(x)
    assert "reduce" not in str(b.build())


def test_ops_of_other_builders_are_errors() -> None:
    x, y = XlaBuilder().Parameter(0, "f32[]"), XlaBuilder().Parameter(0, "f32[]")
    with pytest.raises(BuildError, match="another builder"):
        x + y


def test_ops_of_a_body_do_not_outlive_it() -> None:
    b = XlaBuilder()
    leaked: list[XlaOp] = []
    b.While(lambda i: i < 3, lambda i: leaked.append(i) or i + 1, 0)
    with pytest.raises(BuildError, match="finished"):
        b.Neg(leaked[0])


def test_a_computation_is_a_builders_a_function_or_a_name() -> None:
    for make in (adder, lambda: lambda x, y: x + y, lambda: "add", lambda: "Add"):
        b = XlaBuilder()
        b.Reduce(b.Parameter(0, "f32[4]"), 0.0, make(), [0])
        assert results(b, np.array([1, 2, 3, 4], f32)) == [10]


@pytest.mark.parametrize("name", ["LogicalAnd", "logicalAnd"])
def test_a_computation_is_a_name_of_several_words(name: str) -> None:
    b = XlaBuilder()
    b.Reduce(b.Parameter(0, "pred[2,2]"), True, name, [1])
    assert results(b, np.array([[True, True], [True, False]]))[0].tolist() == [True, False]


def adder() -> XlaComputation:
    b = XlaBuilder("add")
    b.Add(b.Parameter(0, "f32[]", "x"), b.Parameter(1, "f32[]", "y"))
    return b.Build()


def test_a_computation_must_fit() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "s32[4]")
    with pytest.raises(BuildError, match=r"Reduce: the arguments \(s32\[\], s32\[\]\)"):
        b.Reduce(x, 0, adder(), [0])
    with pytest.raises(BuildError, match="unknown operation nothing"):
        b.Reduce(x, 0, "nothing", [0])
    with pytest.raises(BuildError, match="expected an XlaComputation"):
        b.Reduce(x, 0, 3, [0])


@pytest.mark.parametrize(
    ("function", "counts"),
    [(lambda p: p, {1}), (lambda p, q=0: p, {1, 2}), (lambda *p: p, {0, 1, 2, 3}),
     (min, {0, 1, 2, 3})],  # which has no signature
)  # fmt: skip
def test_how_many_parameters_a_function_takes(function: Callable[..., object], counts: set[int]) -> None:
    assert {count for count in range(4) if _takes(function, count)} == counts


@pytest.mark.parametrize(
    ("literal", "shape", "message"),
    [
        (np.complex64([1j]), "f32[1]", "cannot convert complex64 to f32[]"),
        (np.array([None]), "s32[1]", "cannot convert object to s32[]"),
        (1j, "f32[]", "1j is not a f32[]"),
        (1.5, "s32[]", "1.5 is not a s32[]"),
        (300, "u8[]", "300 is not a u8[]"),
        ([1, 300], "u8[2]", "[1, 300] is not a u8[]"),
        ([-1, 0], "u8[2]", "[-1, 0] is not a u8[]"),
        (np.zeros(2), "f32[3]", "shape [2] does not match f32[3]"),
        ([7.0], "f32[3]", "shape [1] does not match f32[3]"),
        ([7.0], "f32[]", "shape [1] does not match f32[]"),
    ],
)
def test_literals_that_have_another_type(literal: object, shape: str, message: str) -> None:
    with pytest.raises(BuildError) as caught:
        XlaBuilder().ConstantLiteral(literal, shape)
    assert str(caught.value) == f"ConstantLiteral: {message}"


def test_only_loops_and_branches_use_values_around_them() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[]")
    with pytest.raises(BuildError, match="enclosing program"):
        b.Reduce(np.ones(3, f32), 0.0, lambda p, q: p + q * x, [0])
    b.While(lambda t: t < x, lambda t: t + x, 0.0)
    assert results(b, f32(2)) == [2]


def test_bodies_in_bodies_have_values_of_their_own() -> None:
    """The loop in the computation of `Map` uses its own arguments, and those of the computation."""
    b = XlaBuilder()
    x = b.Parameter(0, "f32[3]")

    def doubled(e: XlaOp) -> XlaOp:
        return b.While(lambda t: t < 10.0, lambda t: b.Select(e > 0.0, t + e, t * 2.0), e + 1.0)

    b.Map(x, doubled)
    np.testing.assert_array_equal(results(b, np.array([4, 0, 20], f32))[0], np.array([13, 16, 21], f32))


def test_a_location_is_the_callers_line() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[]")
    line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
    y = xla.Neg(x)
    (op, _) = b.build().functions["main"].regions[0].block.ops
    assert y.shape == () and isinstance(op.location, FileLoc)
    place = (Path(op.location.file).name, op.location.line, op.location.column)
    assert place == ("test_build_core.py", line, 9)  # of the call, from 1


def test_a_parameter_has_a_name_and_a_location() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[3,2]", "weights")
    (argument,) = b.build().functions["main"].regions[0].block.arguments
    assert argument.name == "weights" and isinstance(argument.location, FileLoc)
    assert len(x) == 3


def test_functions_are_the_methods() -> None:
    b = XlaBuilder()
    x = xla.Parameter(b, 0, "f32[2]")
    xla.Reduce(xla.Add(x, 1.0), 0.0, xla.Add, [0])
    assert results(b, np.array([1, 2], f32)) == [5]
    assert xla.Add.__doc__ == XlaBuilder.Add.__doc__
    with pytest.raises(BuildError, match="pass the builder as first argument"):
        xla.Add(1, 2)


def test_the_program_has_the_builders_name_and_inputs_have_the_parameters() -> None:
    b = XlaBuilder("axpy")
    b.Parameter(1, "f32[2]", "y") + b.Parameter(0, "f32[2]", "x") * 2.0
    module = b.build()
    assert str(module).startswith("module @axpy {")
    (found,) = shlo.run(module, {"x": np.array([1, 2], f32), "y": np.array([3, 4], f32)})
    assert found.tolist() == [5, 8]


def test_what_is_added_later_is_not_part_of_a_computation() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[]")
    b.Neg(x)
    first = b.Build()
    b.Exp(x)
    assert shlo.run(first.to_module(), [f32(1)]) == [-1]
    assert str(first) == "main (f32[]) -> f32[]"


def test_operators_keep_the_order_of_their_operands() -> None:
    b = XlaBuilder()
    x, y = b.Parameter(0, "s32[]"), b.Parameter(1, "s32[]")
    made = [
        x + y,
        x - y,
        x * y,
        x / y,
        x % y,
        x**y,
        x & y,
        x | y,
        x ^ y,
        x << y,
        x >> y,
        x < y,
        x == y,
        x >= y,
    ]
    reflected = [3 + x, 3 - x, 3 * x, 3 & x, 3 | x, 3 ^ x, 3 / x, 3 % x]
    for op in made:
        assert list(op.values[0].op.operands) == [*x.values, *y.values]  # type: ignore[attr-defined]
    for op in reflected:
        assert op.values[0].op.operands[1] is x.values[0]  # type: ignore[attr-defined]


def test_defaults_are_those_of_the_specification() -> None:
    """What is not given is not written: no side effect, the first convention of calls, the name main."""
    b = XlaBuilder()
    b.CustomCall("target", [b.Parameter(0, "f32[2]")], "f32[2]")
    assert (b.name, b.Build().name) == ("main", "main")
    assert "stablehlo.custom_call @target(%arg0) : (tensor<2xf32>) -> tensor<2xf32>" in str(b.build())


def test_a_computation_is_not_finished_inside_of_a_body() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[]")

    def body(y: XlaOp) -> XlaOp:
        with pytest.raises(BuildError, match="the body of another operation is unfinished"):
            b.Build()
        return b.Neg(y)

    b.Map([b.Broadcast(x, [2])], body, [0])
    assert results(b, f32(2))[0].tolist() == [-2, -2]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda b, x: b.ConstantLiteral(1.0, "token[]"),
            "ConstantLiteral: a literal cannot have the shape token[]",
        ),
        (
            lambda b, x: b.ConstantLiteral(1.0, "f32[<=3]"),
            "ConstantLiteral: a literal cannot have the shape f32[<=3]",
        ),
        (
            lambda b, x: b.CollectivePermute(x, [[1, 2, 3]]),
            "CollectivePermute: source_target_pairs must be a list of pairs, not [[1, 2, 3]]",
        ),
        (lambda b, x: b.Parameter(-1, "f32[]"), "Parameter: parameter_number must not be negative, not -1"),
        (lambda b, x: b.Parameter(0, "f32[]"), "Parameter: parameter 0 is already declared"),
        (lambda b, x: b.Add(x, [[1], [1, 2]]), "Add: [[1], [1, 2]] is not an array: "),
        (lambda b, x: b.Collapse(x, [0, 1]), "f32[<=2,3] has a dynamic dimension"),
        (lambda b, x: x[0:1], "dimension 0 of f32[<=2,3] is dynamic"),
    ],
)
def test_what_cannot_be_built(build: Callable[[XlaBuilder, XlaOp], object], message: str) -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[<=2,3]")
    with pytest.raises(BuildError) as raised:
        build(b, x)
    assert str(raised.value)[: len(message)] == message


def test_a_computation_without_operations() -> None:
    with pytest.raises(BuildError, match=r"^Build: f has no operations$"):
        XlaBuilder("f").Build()


def test_what_changes_nothing() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2,3]")
    assert +x is x
    assert b.Collapse(x, []) is x


def test_functions_find_the_builder_in_lists_or_are_given_it() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2,3]")
    for operands in ([1.0, x], (np.ones(3, f32), (x, x))):
        assert len(xla.Tuple(operands)) == 2
    assert xla.ConcatInDim([1.0 * x, x], 0).shape == xla.ConcatInDim((x, x), dimension=0).shape == (4, 3)
    assert xla.Iota(b, "f32", 3).shape == (3,)


def test_complex_numbers_are_compared_as_floats() -> None:
    """As the specification requires of compare_type."""
    b = XlaBuilder()
    x = b.Parameter(0, "c64[2]")
    b.Ne(x, x)
    assert "compare NE, %arg0, %arg0, FLOAT :" in str(b.build())


def test_errors_of_the_package() -> None:
    b = XlaBuilder()
    with pytest.raises(InternalError, match=r"unknown op stablehlo\.nothing"):
        b._emit("nothing", [])
    with pytest.raises(InternalError, match="unknown op nothing"):
        _description("nothing")
    assert _whole(InferredType("r", shape=(2,)), None, F32) == TensorType((2,), F32)
    for shape, element in (((2,), None), (None, F32)):
        with pytest.raises(InternalError, match="cannot infer the type"):
            _whole(InferredType("r"), shape, element)


def test_a_call_from_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_sites, "_is_ours", lambda frame: True)
    found = call_site()
    assert isinstance(found, CallSite) and found.location == FileLoc("<unknown>", 0, 0)


def test_shapes_that_xla_does_not_have() -> None:
    assert shape_text(NoneType()) == "none"
    assert shape_text(TensorType((2, 3), F32)) == "f32[2,3]"


def test_what_is_refused_is_not_in_the_program() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2,3]")
    for build in (
        lambda: b.Rev(x, [0, 0]),
        lambda: b.Transpose(x, [0, 0]),
        lambda: b.Concatenate([x, x], 2),
        lambda: b.AllReduce(x, "Add", [[0, 0]]),
        lambda: b.ReducePrecision(x, 4, 0),
        lambda: b.Slice(x, [1, 0], [0, 3]),
        lambda: b.Iota("f32[2]", 5),
        lambda: b.BroadcastInDim(x, [2, 4], [0, 1]),
        lambda: b.Reshape(x, [7]),
    ):
        with pytest.raises(BuildError):
            build()
    b.Neg(x)
    names = [op.name for op in b.build().functions["main"].walk()]
    assert names == ["func.func", "stablehlo.negate", "func.return"]
