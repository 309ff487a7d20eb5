# ruff: noqa: E501  (programs have long lines)
"""Binding of steps to kernels: how operands are grouped, functions with captured values, and limits of fusion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.numpy import folding, fusion
from stablehlo_py.engines.numpy.bind import _grouped, _KernelCall, operand_groups
from stablehlo_py.engines.numpy.function import Closure, CompiledFunction
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.kernels.registry import Kernel
from stablehlo_py.opset.classes import TENSOR
from stablehlo_py.opset.definition import OpDef, Operand
from stablehlo_py.syntax.parser import parse_type

F32 = parse_type("tensor<f32>")


def operands(text: str) -> tuple[Operand, ...]:
    """Those of names; a star for any number, a question mark for at most one."""
    return tuple(
        Operand(each.strip("*?"), TENSOR, each.endswith("*"), each.endswith("?")) for each in text.split()
    )


@pytest.mark.parametrize(
    ("defined", "given", "expected"),
    [
        ("a b", 2, (None, None)),
        ("a*", 1, (1,)),
        ("a*", 3, (3,)),
        ("a*", 0, (0,)),
        ("a b*", 3, (None, 2)),
        ("a* b c*", 5, (2, None, 2)),
        ("a* b*", 2, (1, 1)),
        ("a b?", 1, (None, -1)),
        ("a b?", 2, (None, None)),
        ("a? b", 1, (-1, None)),
        ("a b? c?", 2, (None, None, -1)),
    ],
)
def test_operands_by_part(defined: str, given: int, expected: tuple[int | None, ...]) -> None:
    """None for a single one, the number of several, and -1 for one that may be absent and is."""
    op = Operation("x.y", [Value(F32) for _ in range(given)])
    assert operand_groups(op, OpDef("x.y", operands(defined))) == expected


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ((None, None), [1, 2]),
        ((2,), [(1, 2)]),
        ((0, None), [(), 1]),
        ((None, -1, 2), [1, None, (2, 3)]),
        ((-1, None), [None, 1]),
        ((2, None, 1), [(1, 2), 3, (4,)]),
    ],
)
def test_arguments_of_kernels(groups: tuple[int | None, ...], expected: list[Any]) -> None:
    count = sum(1 if g is None else max(g, 0) for g in groups)
    assert _grouped(lambda *arguments: list(arguments), groups, *range(1, count + 1)) == expected


def kernel(a: Any, b: Any, c: Any, *, d: int = 0) -> Any:
    return a


@pytest.mark.parametrize(
    ("groups", "positions"),
    [
        ((None, None, None), [(0,), (1,), (2,)]),
        ((None, 3, 2), [(0,), (1, 2, 3), (4, 5)]),
        ((2, None, 2), [(0, 1), (2,), (3, 4)]),
        ((0, -1, None), [(), (), (0,)]),
    ],
)
def test_positions_of_operands(groups: tuple[int | None, ...], positions: list[tuple[int, ...]]) -> None:
    call = _KernelCall(Kernel("x.y", kernel), 3, groups, {}, {}, ())
    assert [call.positions(name) for name in "abc"] == positions
    with pytest.raises(TypeError, match=r"^x\.y has no operand d$"):
        call.positions("d")


# Functions

BODY = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  %0 = stablehlo.subtract %x, %y : tensor<4xf32>
  %1 = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1 : tensor<4xf32>, tensor<4xi1>
}"""
X, Y = np.float32([1, 2, 3, 4]), np.float32([4, 3, 2, 1])


def compiled(text: str) -> CompiledFunction:
    function = CompiledFunction()
    function.finish(shlo.compile(shlo.parse(text), engine="numpy").plan)
    return function


def test_a_function_removes_the_arguments_that_it_consumes() -> None:
    """As often as it is called: what it returns is that of a call."""
    function = compiled(BODY)
    for _ in range(2):
        given = [X, Y]
        found = function.consume(given)
        assert given == []
        assert [each.tolist() for each in found] == [[-3, -1, 1, 3], [True, True, False, False]]
        assert [each.tolist() for each in function(X, Y)] == [each.tolist() for each in found]


def test_a_closure_is_a_function_of_what_is_not_captured() -> None:
    function = compiled(BODY)
    function.input_types = function.input_types[:1]
    closure = Closure(function, (Y,))
    assert [each.tolist() for each in closure(X)] == [[-3, -1, 1, 3], [True, True, False, False]]
    assert list(map(str, closure.input_types)) == ["tensor<4xf32>"]
    assert list(map(str, closure.output_types)) == ["tensor<4xf32>", "tensor<4xi1>"]
    assert (closure.ufunc, closure.compares) == (None, False)


# Fusion: the sizes from which it is worth it

CHAIN = """func.func @main(%x: tensor<{shape}xf32>, %s: tensor<f32>, %o: tensor<1x{row}xf32>) -> tensor<{shape}xf32> {{
  %1 = stablehlo.negate %x : tensor<{shape}xf32>
  %2 = stablehlo.abs %1 : tensor<{shape}xf32>
  return %2 : tensor<{shape}xf32>
}}"""
REDUCTION = """func.func @main(%x: tensor<{shape}xf32>, %s: tensor<f32>, %o: tensor<1x{row}xf32>) -> tensor<{rows}xf32> {{
  %1 = stablehlo.negate %x : tensor<{shape}xf32>
  %2 = stablehlo.reduce(%1 init: %s) applies stablehlo.maximum across dimensions = [1] : (tensor<{shape}xf32>, tensor<f32>) -> tensor<{rows}xf32>
  return %2 : tensor<{rows}xf32>
}}"""
THIN = REDUCTION.replace(
    "%1 = stablehlo.negate %x :", "%0 = stablehlo.broadcast_in_dim %o, dims = [0, 1] : (tensor<1x{row}xf32>) -> tensor<{shape}xf32>\n  %1 = stablehlo.negate %0 :"
)  # fmt: skip
BROADCAST = REDUCTION.replace(
    "%1 = stablehlo.negate %x : tensor<{shape}xf32>", "%1 = stablehlo.broadcast_in_dim %o, dims = [0, 1] : (tensor<1x{row}xf32>) -> tensor<{shape}xf32>"
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "rows", "row", "is_fused"),
    [
        (CHAIN, 64, 256, True),
        (CHAIN, 64, 255, False),
        (REDUCTION, 64, 256, True),
        (REDUCTION, 64, 255, False),
        (REDUCTION, 1 << 14, 1, False),
        (REDUCTION, 1 << 13, 2, True),
        (THIN, 64, 256, False),
        (BROADCAST, 64, 256, False),
    ],
)
def test_arrays_that_are_worth_a_chain(text: str, rows: int, row: int, is_fused: bool) -> None:
    """Of at least 2**14 elements; a reduction of rows of several elements, which are not all the same."""
    assert fusion.SMALLEST == 1 << 14
    run = shlo.compile(shlo.parse(text.format(shape=f"{rows}x{row}", rows=rows, row=row)), engine="numpy")
    assert ([step.name for step in run.plan.steps] == ["chain"]) is is_fused
    x = (np.arange(rows * row) * 7 % 23 - 11).reshape(rows, row).astype(np.float32)
    (found,) = run(x, np.float32(-99), x[:1])
    given = np.broadcast_to(x[:1], x.shape) if text in (THIN, BROADCAST) else x
    given = given if text == BROADCAST else -given
    assert np.array_equal(found, np.abs(x) if text == CHAIN else given.max(1))


LONGEST = """func.func @main(%v: tensor<{row}xf32>, %s: tensor<f32>) -> tensor<1x{row}xf32> {{
  %0 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<{row}xf32>) -> tensor<1x{row}xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<1x{row}xf32>
  %2 = stablehlo.add %0, %1 : tensor<1x{row}xf32>
  %3 = stablehlo.negate %2 : tensor<1x{row}xf32>
  return %3 : tensor<1x{row}xf32>
}}"""


@pytest.mark.parametrize(("row", "read"), [(fusion.LONGEST, {0, 1}), (fusion.LONGEST + 1, {1})])
def test_rows_that_are_too_long_are_read_as_arrays(row: int, read: set[int]) -> None:
    """A chain reads what is before a broadcast where rows are blocks; a scalar always."""
    run = shlo.compile(shlo.parse(LONGEST.format(row=row)), engine="numpy")
    chain = run.plan.steps[-1]
    assert chain.name == "chain" and {slot for slot in chain.ins if slot < 2} == read
    v = np.arange(row, dtype=np.float32)
    assert np.array_equal(run(v, np.float32(2))[0], -(v + 2)[None])


EFFECTS = """func.func @main(%x: T, %y: T) -> T {
  %0 = stablehlo.negate %x : T
  %1 = stablehlo.abs %0 : T
  check.expect_eq %1, %x : T
  check.expect_eq %y, %x : T
  %2 = stablehlo.negate %y : T
  %3 = stablehlo.add %2, %1 : T
  return %3 : T
}""".replace("T", "tensor<64x256xf32>")


@pytest.mark.parametrize(("x", "y", "line"), [(-1, -1, 4), (1, 2, 5), (-1, 1, 4), (1, 1, 0)])
def test_checks_fail_in_their_order(x: int, y: int, line: int) -> None:
    """One that waits for a chain stands before one that waits for nothing."""
    run = shlo.compile(shlo.parse(EFFECTS), engine="numpy")
    given = [np.full((64, 256), each, np.float32) for each in (x, y)]
    if not line:
        assert (run(*given)[0] == 0).all()
        return
    with pytest.raises(shlo.RunError) as caught:
        run(*given)
    assert caught.value.diagnostic is not None and caught.value.diagnostic.line == line


OUTSIDE = """module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: T, %y: T) -> T {
    %0 = stablehlo.negate %x : T
    %1 = "stablehlo.collective_permute"(%y) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (T) -> T
    %2 = stablehlo.add %0, %1 : T
    return %2 : T
  }
}""".replace("T", "tensor<64x256xf32>")


def test_an_effect_that_waits_for_nothing_keeps_no_chain_apart() -> None:
    run = shlo.compile(shlo.parse(OUTSIDE), engine="numpy")
    permute = "stablehlo.collective_permute"
    assert [step.name for step in run.plan.steps] == [permute, f"check result of {permute}", "chain"]


HUGE = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<4503599627370496xf32>
  %1 = stablehlo.negate %0 : tensor<4503599627370496xf32>
  %2 = stablehlo.abs %1 : tensor<4503599627370496xf32>
  %3 = stablehlo.slice %2 [0:1] : (tensor<4503599627370496xf32>) -> tensor<1xf32>
  %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}"""


def test_what_does_not_fit_into_memory_is_no_chain() -> None:
    """The first op whose result does not is the one that fails; a broadcast takes no memory."""
    run = shlo.compile(shlo.parse(HUGE), engine="numpy")
    assert [step.name.partition(".")[2] for step in run.plan.steps[:3]] == [
        "broadcast_in_dim",
        "negate",
        "abs",
    ]
    with pytest.raises(shlo.RunError) as caught:
        run(np.float32(1))
    assert "takes 16,777,216.0 GiB, more than the available memory" in str(caught.value)
    assert caught.value.diagnostic is not None and caught.value.diagnostic.line == 3


FOLDED = """func.func @main() -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %3 = stablehlo.add %1, %2 : tensor<64xf32>
  %4 = stablehlo.negate %3 : tensor<64xf32>
  return %3, %4 : tensor<64xf32>, tensor<64xf32>
}"""


@pytest.mark.parametrize(
    ("limit", "left"), [(512, []), (511, ["negate"]), (256, ["negate"]), (255, ["add", "negate"])]
)
def test_what_is_folded_is_of_so_many_bytes(
    limit: int, left: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all results, of 256 bytes each; views of constants take none."""
    monkeypatch.setattr(folding, "FOLDED_BYTES", limit)
    run = shlo.compile(shlo.parse(FOLDED), engine="numpy")
    names = [step.name.partition(".")[2] for step in run.plan.steps]
    assert [name for name in names if name] == left
    assert [each.tolist() for each in run()] == [[2] * 64, [-2] * 64]


def test_what_no_kernel_computes_is_refused_before_the_run() -> None:
    text = """func.func @main(%x: tuple<tensor<f32>>) -> tuple<tensor<f32>> {
      %0 = "stablehlo.abs"(%x) : (tuple<tensor<f32>>) -> tuple<tensor<f32>>
      return %0 : tuple<tensor<f32>>
    }"""
    with pytest.raises(
        shlo.Unsupported, match=r":2:\d+: stablehlo\.abs: expected a tensor operand, got tuple"
    ):
        shlo.compile(shlo.parse(text), engine="numpy")
