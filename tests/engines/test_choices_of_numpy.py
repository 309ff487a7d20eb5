# ruff: noqa: E501  (programs have long lines)
"""What the NumPy engine chooses: ufuncs of bodies, chains and their order, blocks, and errors of steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.numpy import chain, fusion
from stablehlo_py.engines.numpy.function import CompiledFunction
from stablehlo_py.engines.numpy.guards import DEEPEST, DepthGuard
from stablehlo_py.kernels.numeric.ufuncs import is_ufunc
from stablehlo_py.kernels.targets import registry


def program(text: str) -> Any:
    return shlo.compile(shlo.parse(text), engine="numpy")


def body_of(type: str, ops: str, result: str, operand: str = "") -> CompiledFunction:
    """The compiled body of a reduction, of elements %a and %b."""
    text = f"""func.func @main(%x: tensor<4x{type}>, %i: tensor<{type}>) -> tensor<{type}> {{
      %0 = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<4x{type}>, tensor<{type}>) -> tensor<{type}>
      reducer(%a: tensor<{type}>, %b: tensor<{type}>) {{
        {ops}
        stablehlo.return {result} : tensor<{type}>
      }}
      return %0 : tensor<{type}>
    }}"""
    return function_in(program(text).plan.steps[0].call)


def function_in(call: Any) -> CompiledFunction:
    """The compiled function that is bound to a call of a kernel."""
    if isinstance(call, CompiledFunction):
        return call
    if isinstance(call, partial):
        parts = [*call.args, *call.keywords.values(), call.func]
        return next(function_in(part) for part in parts if isinstance(part, partial | CompiledFunction))
    raise AssertionError(call)


@pytest.mark.parametrize(
    ("op", "type", "is_symmetric"),
    [
        ("add", "f32", True),
        ("add", "i32", True),
        ("multiply", "i32", True),
        ("multiply", "f32", True),
        ("multiply", "complex<f32>", True),
        ("maximum", "i32", True),
        ("minimum", "i32", True),
        ("maximum", "f32", True),
        ("minimum", "f32", True),
        ("and", "i1", True),
        ("or", "i1", True),
        ("subtract", "f32", False),
        ("divide", "f32", False),
    ],
)
def test_a_body_of_one_operation_is_a_ufunc(op: str, type: str, is_symmetric: bool) -> None:
    """In the order of its arguments, or in any if the operation is commutative."""
    line = f"%c = stablehlo.{op} %a, %b : tensor<{type}>"
    forward, backward = (body_of(type, each, "%c").ufunc for each in (line, line.replace("%a, %b", "%b, %a")))
    assert is_ufunc(forward)
    assert backward is (forward if is_symmetric else None)


@pytest.mark.parametrize(
    ("ops", "result"),
    [
        ("%c = stablehlo.add %a, %a : tensor<f32>", "%c"),
        ("%c = stablehlo.negate %a : tensor<f32>", "%c"),
        ("", "%a"),
        ("%d = stablehlo.add %a, %b : tensor<f32>\n%c = stablehlo.abs %d : tensor<f32>", "%c"),
        ("%d = stablehlo.constant dense<1.0> : tensor<f32>\n%c = stablehlo.add %a, %d : tensor<f32>", "%c"),
    ],
)
def test_other_bodies_are_no_ufunc(ops: str, result: str) -> None:
    assert body_of("f32", ops, result).ufunc is None


@pytest.mark.parametrize(
    ("ops", "result", "compares"),
    [
        ("%c = stablehlo.and %a, %b : tensor<i1>", "%c", True),
        ("%d = stablehlo.not %a : tensor<i1>\n%c = stablehlo.or %d, %b : tensor<i1>", "%c", True),
        (
            "%d = stablehlo.constant dense<true> : tensor<i1>\n%c = stablehlo.or %a, %d : tensor<i1>",
            "%c",
            False,
        ),
        ("%c = stablehlo.multiply %a, %b : tensor<i1>", "%c", False),
    ],
)
def test_bodies_that_only_compare(ops: str, result: str, compares: bool) -> None:
    assert body_of("i1", ops, result).compares is compares


# Chains: what is joined, in which order steps run, and what later steps see

LARGE = "tensor<128x256xf32>"
X = np.arange(128 * 256, dtype=np.float32).reshape(128, 256) % 251 - 125
Y = X[::-1] + 1
TURNED = "tensor<256x128xf32>"
CHAINS: dict[str, tuple[str, Callable[[Any, Any], Any], list[str]]] = {
    "two that an op joins": (
        "%0 = stablehlo.negate %x : T\n%1 = stablehlo.abs %y : T\n%2 = stablehlo.add %0, %1 : T",
        lambda x, y: -x + np.abs(y),
        ["chain"],
    ),
    "two that an op joins, and one that waits for the second": (
        "%0 = stablehlo.negate %x : T\n%1 = stablehlo.abs %y : T\n%t = stablehlo.reverse %1, dims = [0] : T\n"
        "%3 = stablehlo.add %0, %1 : T\n%2 = stablehlo.subtract %3, %t : T",
        lambda x, y: -x + np.abs(y) - np.abs(y)[::-1],
        ["chain", "stablehlo.reverse", "stablehlo.subtract"],
    ),
    "two that an op joins, and one that waits for the first": (
        "%0 = stablehlo.negate %x : T\n%1 = stablehlo.abs %y : T\n%t = stablehlo.reverse %0, dims = [0] : T\n"
        "%3 = stablehlo.add %0, %1 : T\n%2 = stablehlo.subtract %3, %t : T",
        lambda x, y: -x + np.abs(y) + x[::-1],
        ["chain", "stablehlo.reverse", "stablehlo.subtract"],
    ),
    "the second needs the first through another step": (
        "%0 = stablehlo.negate %x : T\n%t = stablehlo.reverse %0, dims = [1] : T\n%1 = stablehlo.abs %t : T\n"
        "%2 = stablehlo.add %0, %1 : T",
        lambda x, y: np.abs(x[:, ::-1]) - x,
        ["stablehlo.negate", "stablehlo.reverse", "chain"],
    ),
    "a value that a check alone uses": (
        "%2 = stablehlo.negate %x : T\n%0 = stablehlo.add %2, %x : T\n%1 = stablehlo.abs %0 : T\n"
        "%z = stablehlo.constant dense<0.0> : T\ncheck.expect_eq %1, %z : T",
        lambda x, y: -x,
        ["chain", "check.expect_eq"],
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains(name: str) -> None:
    ops, expected, steps = CHAINS[name]
    text = f"func.func @main(%x: T, %y: T) -> T {{\n{ops}\nreturn %2 : T\n}}".replace("T", LARGE)
    run = program(text)
    kept = X.copy(), Y.copy()
    assert np.array_equal(run(X, Y)[0], expected(X, Y))
    assert np.array_equal(X, kept[0]) and np.array_equal(Y, kept[1])
    assert [step.name for step in run.plan.steps] == steps


STEPS = 24


def drawn(rng: np.random.Generator, arrays: list[Any]) -> tuple[str, list[Any]]:
    """The ops of a program on arrays of 3 by 4 and 4 by 3, and its results by NumPy.

    Some ops are no members of chains (a transpose, a reversal), and some are on rows.
    """
    shapes, lines, values = ((3, 4), (4, 3)), [], [*arrays]
    for number in range(len(arrays), STEPS):
        a = int(rng.integers(max(0, number - 8), number))
        b = int(rng.choice([k for k, x in enumerate(values) if x.shape == values[a].shape]))
        shape = shapes.index(values[a].shape)
        name, other = "AB"[shape], "BA"[shape]
        ops = [
            (f"stablehlo.add %{a}, %{b} : {name}", values[a] + values[b]),
            (f"stablehlo.subtract %{a}, %{b} : {name}", values[a] - values[b]),
            (f"stablehlo.negate %{a} : {name}", -values[a]),
            (f"stablehlo.reverse %{a}, dims = [1] : {name}", values[a][:, ::-1]),
            (f"stablehlo.transpose %{a}, dims = [1, 0] : ({name}) -> {other}", values[a].T),
            (
                f"stablehlo.broadcast_in_dim %s{number}, dims = [0] : (R{name}) -> {name}",
                np.broadcast_to(values[a].sum(1)[:, None], values[a].shape),
            ),
        ]
        op, value = ops[int(rng.choice(len(ops), p=[0.35, 0.15, 0.1, 0.15, 0.15, 0.1]))]
        if "%s" in op:
            row = f"(%{a} init: %z) applies stablehlo.add across dimensions = [1] : ({name}, Z) -> R{name}"
            lines.append(f"%s{number} = stablehlo.reduce{row}")
        lines.append(f"%{number} = {op}")
        values.append(value)
    return "\n".join(lines), values


@pytest.mark.parametrize("seed", range(60))
def test_drawn_programs_of_chains(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains that depend on each other in any way, of arrays that are as long as need be."""
    monkeypatch.setattr(fusion, "SMALLEST", 4)
    rng = np.random.default_rng(seed)
    arrays = [rng.integers(-9, 9, shape).astype(np.int32) for shape in ((3, 4), (4, 3), (3, 4))]
    ops, values = drawn(rng, arrays)
    results = [k for k in range(3, STEPS) if not re.search(rf"%{k}\b(?! =)", ops)]
    types = ["AB"[values[k].shape == (4, 3)] for k in results]
    text = (
        f"func.func @main(%0: A, %1: B, %2: A) -> ({', '.join(types)}) {{\n"
        f"%z = stablehlo.constant dense<0> : Z\n{ops}\n"
        f"return {', '.join(f'%{k}' for k in results)} : {', '.join(types)}\n}}"
    )
    for name, type in (("RA", "3x"), ("RB", "4x"), ("A", "3x4x"), ("B", "4x3x"), ("Z", "")):
        text = re.sub(rf"\b{name}\b", f"tensor<{type}i32>", text)
    for found, k in zip(program(text)(*arrays), results, strict=True):
        np.testing.assert_array_equal(found, values[k])


def test_a_chain_names_its_ops() -> None:
    run = program(
        "func.func @main(%x: T) -> T {\n%0 = stablehlo.negate %x : T\n%1 = stablehlo.abs %0 : T\n"
        "return %1 : T\n}".replace("T", LARGE)
    )
    assert [step.note for step in run.plan.steps] == ["negate, abs"]


def test_constants_that_divide_by_zero_are_folded() -> None:
    """As when they run: IEEE results without a warning, which would be an error here."""
    run = program("""func.func @main() -> tensor<2xf32> {
      %0 = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf32>
      %1 = stablehlo.constant dense<0.0> : tensor<2xf32>
      %2 = stablehlo.divide %0, %1 : tensor<2xf32>
      return %2 : tensor<2xf32>
    }""")
    assert "stablehlo.divide" not in [step.name for step in run.plan.steps]
    assert run()[0].tolist() == [np.inf, -np.inf]


def test_a_check_of_a_chain_fails_where_it_does_not_hold() -> None:
    text = """func.func @main(%x: T) {
      %0 = stablehlo.add %x, %x : T
      %1 = stablehlo.abs %0 : T
      %z = stablehlo.constant dense<0.0> : T
      check.expect_eq %1, %z : T
      return
    }""".replace("T", LARGE)
    program(text)(np.zeros_like(X))
    with pytest.raises(shlo.RunError, match="expect_eq"):
        program(text)(X)


ROWS = """func.func @main(%x: tensor<64x512xf32>, %v: tensor<{kept}xf32>) -> tensor<64x512xf32> {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.reshape %0 : (tensor<64xf32>) -> tensor<64x1xf32>
  %2 = stablehlo.broadcast_in_dim {source}, dims = [{dims}] : (tensor<{of}>) -> tensor<64x1xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<64x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x512xf32>
  %5 = stablehlo.multiply %x, %4 : tensor<64x512xf32>
  return %5 : tensor<64x512xf32>
}}"""


@pytest.mark.parametrize(
    ("kept", "source", "dims", "of", "value"),
    [
        ("64", "%v", "0", "64xf32", lambda v: v[:, None]),
        ("64x1", "%v", "0, 1", "64x1xf32", lambda v: v),
        ("1", "%v", "1", "1xf32", lambda v: v[:, None]),
        ("1x1", "%v", "0, 1", "1x1xf32", lambda v: v),
        ("1", "%two", "", "f32", lambda v: np.full((1, 1), 2, np.float32)),
    ],
)
def test_what_is_spread_over_rows_of_one_element(
    kept: str, source: str, dims: str, of: str, value: Any
) -> None:
    v = (np.arange(64, dtype=np.float32) * 3 % 17)[: 64 if kept.startswith("64") else 1]
    given = v.reshape([int(size) for size in kept.split("x")])
    x = (np.arange(64 * 512) * 7 % 513).reshape(64, 512).astype(np.float32)
    found = program(ROWS.format(kept=kept, source=source, dims=dims, of=of))(x, given)[0]
    assert np.array_equal(found, x * (x.max(1, keepdims=True) - value(given)))


@pytest.mark.parametrize("rows", [1, 3])
def test_limits_are_looked_at_in_each_block(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(chain, "check_limits", lambda: looks.append(1))
    monkeypatch.setattr(chain, "BLOCK", 1 << 14)
    text = """func.func @main(%x: T) -> T {
      %0 = stablehlo.negate %x : T
      %1 = stablehlo.exponential %0 : T
      return %1 : T
    }""".replace("T", f"tensor<{rows << 14}xf32>")
    assert (program(text)(np.zeros(rows << 14, np.float32))[0] == 1).all()
    assert len(looks) == rows


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("writeable", [True, False])
def test_a_chain_writes_into_an_array_that_it_may_change(order: Any, writeable: bool) -> None:
    """Where blocks are rows, the array has to be contiguous as well."""
    text = """func.func @main(%x: T, %v: tensor<256xf32>) -> T {
      %0 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<256xf32>) -> T
      %1 = stablehlo.add %x, %0 : T
      %2 = stablehlo.negate %1 : T
      return %2 : T
    }""".replace("T", LARGE)
    (step,) = program(text).plan.steps
    run = step.call
    assert isinstance(run, chain.Chain) and run.replaceable == (step.ins.index(0),)
    v = np.arange(256, dtype=np.float32)
    given = np.array(X, order=order)
    expected = -(given + v)
    given.flags.writeable = writeable
    arrays = [given if slot == 0 else v for slot in step.ins]
    found = run(*arrays, into=given)
    assert np.array_equal(found, expected)
    assert (found is given) == (writeable and order == "C")


@pytest.mark.parametrize("dimensions", [(0,), (1,), (0, 1), (1, 0), ()], ids=str)
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_chains_with_reductions(dimensions: tuple[int, ...], element: str) -> None:
    """Rows are reduced block by block, and sums that are wider than their terms are exact."""
    x = X if element == "f32" else X / 3
    expected = (2 - x).astype(element.replace("f", "float")).sum(dimensions) * 2
    result = f"tensor<{'x'.join([*map(str, expected.shape), element])}>"
    text = f"""func.func @main(%x: T) -> {result} {{
      %two = stablehlo.constant dense<2.0> : T
      %0 = stablehlo.subtract %two, %x : T
      %i = stablehlo.constant dense<0.0> : tensor<{element}>
      %1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add across dimensions = {list(dimensions)}
        : (T, tensor<{element}>) -> {result}
      %2 = stablehlo.add %1, %1 : {result}
      return %2 : {result}
    }}""".replace("T", LARGE)
    np.testing.assert_allclose(program(text)(x)[0], expected, rtol=1e-13, atol=1e-9)


@pytest.mark.parametrize("shape", [(1, 1, 70000), (2, 3, 1), (2, 1, 1), (2, 3, 70000), (70000,)], ids=str)
def test_chains_of_arrays_of_three_dimensions_with_gaps_in_memory(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(3)
    x, v = (random.integers(-9, 9, (*s[:-1], 2 * s[-1])).astype(np.float32) for s in ((2, 3, 70000), shape))
    x, v = x[..., ::2], v[..., ::2]
    small, dims = f"tensor<{'x'.join(map(str, shape))}xf32>", list(range(3 - len(shape), 3))
    text = f"""func.func @main(%x: T, %v: {small}) -> T {{
      %0 = stablehlo.broadcast_in_dim %v, dims = {dims} : ({small}) -> T
      %1 = stablehlo.add %x, %0 : T
      %2 = stablehlo.negate %1 : T
      return %2 : T
    }}""".replace(" T", " tensor<2x3x70000xf32>")
    assert np.array_equal(program(text)(x, v)[0], -(x + v))


def test_a_loop_does_not_overwrite_what_its_body_captures() -> None:
    """An array that nobody else needs, which each iteration reads."""
    text = """func.func @main(%x: T, %y: T) -> T {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.add %y, %y : T
      %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, T
      cond {
        %m = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %m : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i32>
        %s = stablehlo.negate %c : T
        %z = stablehlo.add %a, %s : T
        stablehlo.return %next, %z : tensor<i32>, T
      }
      return %0#1 : T
    }""".replace(" T", f" {LARGE}")
    (found,) = program(text)(X, Y)
    assert np.array_equal(found, X - 6 * Y)


@pytest.mark.parametrize(
    "ops", ["%2 = stablehlo.negate %1 : T", "%3 = stablehlo.abs %1 : T\n%2 = stablehlo.negate %3 : T"]
)
def test_a_copy_of_an_array_that_is_read_only_is_not_overwritten(ops: str) -> None:
    """What states a sharding returns its operand, which it may not change."""
    text = f"""func.func @main(%x: T) -> T {{
      %0 = stablehlo.abs %x : T
      %1 = stablehlo.custom_call @Sharding(%0) {{mhlo.sharding = "{{replicated}}"}} : (T) -> T
      {ops}
      return %2 : T
    }}""".replace(" T", f" {LARGE}").replace("(T", f"({LARGE}")
    assert np.array_equal(program(text)(X)[0], -np.abs(X))


KEPT = np.arange(128 * 256, dtype=np.float32).reshape(128, 256)


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (lambda x: KEPT, KEPT),
        (lambda x: np.broadcast_to(KEPT[0], x.shape), np.broadcast_to(KEPT[0], KEPT.shape)),
        (lambda x: x, 2 * X),
    ],
    ids=["a kept array", "a kept row", "the operand"],
)
@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        ("", lambda x: x),
        ("%2 = stablehlo.negate %1 : T", np.negative),
        ("%3 = stablehlo.negate %1 : T\n%2 = stablehlo.add %3, %3 : T", lambda x: -2 * x),
        (
            "%2 = stablehlo.dynamic_update_slice %1, %c, %i, %i"
            " : (T, tensor<128x256xf32>, tensor<i32>, tensor<i32>) -> T",
            np.zeros_like,
        ),
    ],
    ids=["alone", "an op", "a chain", "an update"],
)
def test_arrays_that_a_users_function_keeps_are_not_overwritten(
    ops: str, expected: Any, function: Any, kept: np.ndarray
) -> None:
    shlo.custom_call("keeps_what_it_returns")(function)
    text = f"""func.func @main(%x: T) -> T {{
      %c = stablehlo.constant dense<0.0> : T
      %i = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.add %x, %x : T
      %1 = stablehlo.custom_call @keeps_what_it_returns(%0) : (T) -> T
      {ops}
      return {"%2" if ops else "%1"} : T
    }}""".replace("T", LARGE)
    before, run = KEPT.copy(), program(text)
    for _ in range(2):
        (found,) = run(X)
        assert np.array_equal(found, expected(kept))
        assert not np.shares_memory(found, KEPT)
        assert np.array_equal(KEPT, before)


CHOSEN = """func.func @main(%p: tensor<i1>, %x: T) -> T {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : T
  }, {
    %n = stablehlo.negate %x : T
    stablehlo.return %n : T
  }) : (tensor<i1>) -> T
  %1 = stablehlo.dynamic_update_slice %0, %c, %i, %i : (T, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> T
  return %1 : T
}""".replace("(%p: tensor<i1>,", "(%p: tensor<i1>, %c: tensor<1x1xf32>, %i: tensor<i32>,")


@pytest.mark.parametrize("choice", [True, False])
def test_what_may_be_an_input_is_not_overwritten(choice: bool) -> None:
    """A result of a choice that is an input, or an array of its own."""
    x = X.copy()
    found = program(CHOSEN.replace("T", LARGE))(choice, [[9.0]], 3, x)[0]
    assert np.array_equal(x, X)
    expected = X.copy() if choice else -X
    expected[3, 3] = 9
    assert np.array_equal(found, expected)


# Errors


def failing(error: Exception) -> CompiledFunction:
    """A function whose only step fails."""
    (step,) = (
        plan := program(
            "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.sqrt %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}"
        ).plan
    ).steps

    def fail(*arrays: Any) -> Any:
        raise error

    step.call = fail
    function = CompiledFunction()
    function.finish(plan)
    return function


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RecursionError("maximum"), "calls are nested too deeply"),
        (MemoryError(), "not enough memory for the result"),
        (OverflowError("int"), "not enough memory for the result"),
        (ValueError("Maximum allowed dimension exceeded"), "not enough memory for the result"),
        (ValueError("array is too big; x"), "not enough memory for the result"),
        (ValueError("iterator is too large"), "not enough memory for the result"),
        (RuntimeError("Unable to allocate 3 GiB"), "not enough memory for the result"),
        (
            ValueError("other"),
            "not defined for operands of types tensor<2xf32> with these attributes and values",
        ),
        (shlo.RunError("own"), "own"),
    ],
)
def test_errors_of_a_step(error: Exception, message: str) -> None:
    with pytest.raises(shlo.RunError) as caught:
        failing(error)(np.ones(2, np.float32))
    assert message in str(caught.value) and ":2:" in str(caught.value)


def test_an_error_of_this_package_stays_as_it_is() -> None:
    error = shlo.InternalError("mine")
    with pytest.raises(shlo.InternalError) as caught:
        failing(error)(np.ones(2, np.float32))
    assert caught.value is error


def test_operands_that_are_no_arrays_are_not_named() -> None:
    with pytest.raises(shlo.RunError, match="not defined for these operands with"):
        failing(ValueError("other"))((np.ones(2, np.float32),))


def test_the_deepest_calls() -> None:
    def down(n: int) -> int:
        return 1 if n == 1 else guarded(n - 1)

    guarded = DepthGuard(down)
    for _ in range(2):  # what one run leaves does not count for the next
        assert guarded(DEEPEST) == 1
        with pytest.raises(shlo.RunError, match=f"calls are nested more than {DEEPEST} deep"):
            guarded(DEEPEST + 1)


def test_calls_side_by_side_do_not_end_the_calls_around_them() -> None:
    def down(n: int) -> int:
        return 1 if n == 1 else beside(1) * guarded(n - 1)

    guarded, beside = DepthGuard(down), DepthGuard(lambda n: n)
    assert guarded(DEEPEST - 1) == 1
    with pytest.raises(shlo.RunError, match=f"calls are nested more than {DEEPEST} deep"):
        guarded(DEEPEST + 1)


def test_calls_that_do_not_fit_their_target_are_refused_before_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry._read_built_in()
    text = """func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {surprise = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    }"""
    with pytest.raises(shlo.Unsupported, match="@lapack_spotrf_ffi is called with"):
        program(text)
