"""Loops, branches, calls, maps, custom calls and tuples."""

from __future__ import annotations

import numpy as np
import pytest
from building import Array, checked, f32, result, results, s32

import stablehlo_py as shlo
from stablehlo_py.builder import BuildError, XlaBuilder, XlaComputation, XlaOp


def scalar(name: str, *shapes: str) -> tuple[XlaBuilder, list[XlaOp]]:
    """A builder with parameters."""
    b = XlaBuilder(name)
    return b, [b.Parameter(i, shape) for i, shape in enumerate(shapes)]


def test_while_with_the_documents_loop() -> None:
    """For 1000 iterations, a constant vector is added to an accumulator."""
    state = "(s32[], f32[10])"
    condition, (t,) = scalar("condition", state)
    condition.Lt(condition.GetTupleElement(t, 0), 1000)
    body, (t,) = scalar("body", state)
    body.Tuple(t[0] + 1, t[1] + np.full(10, 0.5, f32))
    b = XlaBuilder("while")
    init = b.Tuple(b.ConstantLiteral(0), b.ConstantLiteral(np.zeros(10, f32)))
    b.While(condition.Build(), body.Build(), init)
    count, total = results(b)
    assert count == 1000
    np.testing.assert_array_equal(total, np.full(10, 500, f32))


def test_while_with_functions_and_loops_in_loops() -> None:
    b = XlaBuilder()
    n = b.Parameter(0, "s32[]")

    def row(i: XlaOp, total: XlaOp) -> tuple[XlaOp, XlaOp]:
        inner = b.While(lambda j, _: j < i, lambda j, t: (j + 1, t + j), (0, total))
        return i + 1, inner[1]

    b.While(lambda i, total: i < n, row, (0, 0))
    want = sum(j for i in range(5) for j in range(i))
    assert [int(r) for r in results(b, s32(5))] == [5, want]


def test_while_over_an_array() -> None:
    b = XlaBuilder()
    b.While(lambda x: x < 100.0, lambda x: x * 2.0, b.Parameter(0, "f32[]"))
    assert result(b, f32(3)) == 192


@pytest.mark.parametrize(
    ("condition", "body", "message"),
    [
        (lambda i: i + 1, lambda i: i + 1, r"while \(C1\)"),
        (lambda i: i < 1, lambda i: i < 1, r"while \(C2\)"),
        (lambda i: i < 1, lambda i: (i, i), r"while \(C2\)"),
        (lambda i: i < 1, lambda i, j: i, "does not accept the arguments"),
        (lambda i: i < 1, lambda i: None, "expected an XlaOp or a literal"),
    ],
)
def test_while_of_other_types(condition: object, body: object, message: str) -> None:
    with pytest.raises(BuildError, match=message):
        XlaBuilder().While(condition, body, 0)


@pytest.mark.parametrize("pred", [True, False])
def test_conditional_with_a_predicate(pred: bool) -> None:
    """Each computation has an operand of its own type."""
    ceil, (x,) = scalar("ceil", "f32[]")
    ceil.Ceil(x)
    b = XlaBuilder()
    p, x, y = b.Parameter(0, "pred[]"), b.Parameter(1, "f32[]"), b.Parameter(2, "s32[]")
    b.Tuple(
        b.Conditional(p, x, ceil.Build(), y, lambda i: b.ConvertElementType(i, "f32")),
        b.Conditional(
            pred=p,
            true_operand=x,
            true_computation="Neg",
            false_operand=(x, x),
            false_computation=lambda u, v: u * v,
        ),
    )
    got = [float(r) for r in results(b, np.bool_(pred), f32(1.5), s32(7))]
    assert got == ([2, -1.5] if pred else [7, 2.25])


@pytest.mark.parametrize(("index", "want"), [(0, 2), (1, -2), (2, 4), (-1, 4), (3, 4)])
def test_conditional_with_an_index_takes_the_last_branch_by_default(index: int, want: int) -> None:
    b = XlaBuilder()
    i, x = b.Parameter(0, "s32[]"), b.Parameter(1, "f32[]")
    b.Conditional(i, ["Abs", lambda x: -x, lambda x: x * x], [x, x, x])
    assert result(b, s32(index), f32(2)) == want


def test_conditional_of_tuples() -> None:
    b = XlaBuilder()
    p = b.Parameter(0, "pred[]")
    one, two = b.Conditional(p, (1, 2.0), lambda t: (t[1], t[0]), (), lambda t: (5.0, 6))
    b.Tuple(one, two)
    assert [float(r) for r in results(b, np.False_)] == [5, 6]


def test_conditional_of_other_types() -> None:
    b = XlaBuilder()
    p, i = b.Parameter(0, "pred[]"), b.Parameter(1, "s32[]")
    for bad, message in [
        (lambda: b.Conditional(p, 1, "Neg", 1.0, "Neg"), r"if \(C2\)"),
        (lambda: b.Conditional(i, ["Neg"], []), "one operand for each"),
        (lambda: b.Conditional(p, 1, "Neg"), "Conditional"),
        (lambda: b.Conditional(b.Parameter(2, "f32[]"), ["Neg"], [1]), r"case \(I1\)"),
        (lambda: b.Conditional(np.zeros(2, bool), 1, "Neg", 1, "Neg"), r"if \(I1\)"),
    ]:
        with pytest.raises(BuildError, match=message):
            bad()


def double() -> XlaComputation:
    b, (x,) = scalar("double", "f32[]")
    b.Add(x, x)
    return b.Build()


def test_call_is_a_function_of_the_program() -> None:
    twice = double()
    quadruple, (x,) = scalar("double", "f32[]")
    quadruple.Call(twice, quadruple.Call(twice, x))
    b, (x,) = scalar("main", "f32[]")
    b.Tuple(b.Call(twice, x), b.Call(quadruple.Build(), [x]), b.Call(lambda p, q: (q, p), x, 1))
    module = checked(b)
    assert list(module.functions) == ["main", "double", "double_0", "function"]
    assert [float(r) for r in shlo.run(module, [f32(3)])] == [6, 12, 1, 3]


def test_call_without_arguments() -> None:
    seven = XlaBuilder("seven")
    seven.ConstantLiteral(7)
    b = XlaBuilder()
    b.Call(seven.Build())
    assert result(b) == 7


def test_call_from_a_body_that_is_used_elsewhere() -> None:
    adder, (x, y) = scalar("adder", "f32[]", "f32[]")
    adder.Add(adder.Call(double(), x), y)
    b, (x,) = scalar("main", "f32[3]")
    doubled = b.Map(x, lambda e: b.Call(double(), e))
    b.While(lambda t: t < 100.0, lambda t: b.Call(adder.Build(), t, 1.0), doubled[0])
    assert result(b, np.array([5, 0, 0], f32)) == (((10 * 2 + 1) * 2 + 1) * 2 + 1) * 2 + 1


def test_calls_of_functions_of_one_name() -> None:
    """A computation that is inlined calls its `double` in the bodies of a loop; the program has another."""
    tripling, (x,) = scalar("double", "f32[]")
    tripling.Mul(x, 3.0)
    inner, (x,) = scalar("inner", "f32[]")
    triple = tripling.Build()
    inner.While(lambda t: inner.Call(triple, t) < 100.0, lambda t: inner.Call(triple, t), x)
    b, (x,) = scalar("main", "f32[4]")
    b.Tuple(b.Call(double(), x[0]), b.Map(x, inner.Build()))
    first, second = results(b, np.array([1, 2, 34, 50], f32))
    assert first == 2
    assert second.tolist() == [81, 54, 34, 50]  # times three, while three times as much is below 100


@pytest.mark.parametrize("name", ["main", "double"])
def test_names_of_called_functions(name: str) -> None:
    called, (x,) = scalar(name, "f32[]")
    called.Add(x, x)
    b, (x,) = scalar("main", "f32[]")
    b.Call(called.Build(), b.Call(lambda t: t + 1.0, b.Call(double(), x)))
    module = checked(b)
    double_or_main = {"main": "main_0", "double": "double_0"}[name]
    assert sorted(module.functions) == sorted(["main", "double", "function", double_or_main])
    assert result(b, f32(3)) == 14


def test_call_of_what_does_not_match() -> None:
    b, (x,) = scalar("main", "s32[]")
    for arguments in ((x,), (), (1.0, 2.0)):
        with pytest.raises(BuildError, match="Call: the arguments"):
            b.Call(double(), *arguments)


def test_map() -> None:
    b = XlaBuilder()
    x, y = b.Parameter(0, "f32[2,2]"), b.Parameter(1, "f32[2,2]")
    b.Tuple(
        b.Map([x, y], lambda p, q: p * q + 1.0, [0, 1]),
        b.Map([x], "Neg"),
        b.Map([x, y], lambda p, q, r: p + q * r, [b.ConstantLiteral(10.0)]),
        b.Map([x], lambda p, r: p + r, dimensions=[0, 1], static_operands=[b.ConstantLiteral(5.0)]),
    )
    p, q = np.array([[1, 2], [3, 4]], f32), np.array([[5, 6], [7, 8]], f32)
    for got, want in zip(results(b, p, q), (p * q + 1, -p, p + q * 10, p + 5), strict=True):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(BuildError, match=r"map \(C3\)"):
        b.Map([x], "Neg", [1, 0])


@pytest.fixture
def my_func() -> None:
    @shlo.custom_call("builder_test_myfunc")
    def run(x: Array, y: Array) -> Array:
        z = np.zeros((3, 3), f32)
        z[0, 0] = x[1] + y[1, 0]
        return z

    @shlo.custom_call("builder_test_pair")
    def pair(x: Array) -> tuple[Array, Array]:
        return x + 1, np.array(x.sum(), f32)


@pytest.mark.parametrize("has_side_effect", [False, True])
def test_side_effects_of_custom_calls(has_side_effect: bool) -> None:
    b = XlaBuilder()
    b.CustomCall("target", [b.Parameter(0, "f32[2]")], "f32[2]", has_side_effect=has_side_effect)
    assert ("has_side_effect" in str(b.Build().to_module())) == has_side_effect


@pytest.mark.usefixtures("my_func")
def test_custom_call() -> None:
    """z[0][0] = x[1] + y[1][0] = 2 + 40."""
    x, y = np.array([1, 2], f32), np.array([[10, 20, 30], [40, 50, 60]], f32)
    b = XlaBuilder()
    a, c = b.Parameter(0, x), b.Parameter(1, y)
    more, total = b.CustomCall("builder_test_pair", [a], "(f32[2], f32[])")
    b.Tuple(b.CustomCall("builder_test_myfunc", [a, c], "f32[3,3]"), more, total)
    z, more_, total_ = results(b, x, y)
    assert z[0, 0] == 42 and more_.tolist() == [2, 3] and total_ == 3


def test_layouts_of_custom_calls() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2,3]")
    b.Tuple(
        b.CustomCall("plain", [x], "f32[2,3]{1,0}"),
        b.CustomCall("result", [x, 1], "(f32[2,3]{0,1}, token[])"),
        b.CustomCall("operand", [x], "f32[2]", operand_shapes=["f32[2,3]{0,1}"]),
    )
    text = shlo.format(checked(b), generic=True)
    layouts = [
        line.partition("operand_layouts")[2].partition("}>")[0]
        for line in text.splitlines()
        if "custom_call" in line
    ]
    ordered = "dense<[1, 0]> : tensor<2xindex>", "dense<[0, 1]> : tensor<2xindex>"
    none = "dense<> : tensor<0xindex>"
    assert layouts == [
        "",
        f" = [{ordered[0]}, {none}], result_layouts = [{ordered[1]}, {none}]",
        f" = [{ordered[1]}], result_layouts = [dense<0> : tensor<1xindex>]",
    ]


def test_tuples() -> None:
    b = XlaBuilder()
    v, s = b.Parameter(0, "f32[10]"), b.ConstantLiteral(5)
    t = b.Tuple(v, s)
    assert (len(t), str(t.type), repr(t)) == (
        2,
        "tuple<tensor<10xf32>, tensor<i32>>",
        "<XlaOp (f32[10], s32[])>",
    )
    assert b.GetTupleElement(t, 1) is s and t[0] is v and list(t) == [v, s]
    assert t[np.int64(1)] is s
    for index in (2, -1, np.int64(2), 0.5, True):
        with pytest.raises(BuildError, match="GetTupleElement"):
            b.GetTupleElement(t, index)
    with pytest.raises(BuildError, match="expected a tuple"):
        b.GetTupleElement(v, 0)
    b.GetTupleElement(t, 1)
    assert result(b, np.zeros(10, f32)) == 5


def test_optimization_barrier() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2]")
    barrier = b.OptimizationBarrier((x, 1))
    b.Tuple(barrier[0] + 1.0, barrier[1], b.OptimizationBarrier(x))
    assert [r.tolist() for r in results(b, np.array([1, 2], f32))] == [[2, 3], 1, [1, 2]]


def test_a_map_captures_no_values() -> None:
    """What is the same at each index is given as a static operand."""
    b = XlaBuilder()
    x, y = b.Parameter(0, "f32[2]"), b.Parameter(1, "f32[]")
    with pytest.raises(BuildError):
        b.Map(x, lambda element: element + y)
