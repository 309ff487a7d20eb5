"""Ops of the arith dialect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.kernels import arith

I8 = np.int8


def run(op: str, types: str, *values: Any) -> list[Any]:
    """Runs one op in generic form: its name and attributes, the types of operands and result, operands."""
    inputs, _, outputs = types.partition(" -> ")
    name, _, attributes = op.partition(" ")
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(inputs.split(", ")))
    given = ", ".join(f"%a{i}" for i in range(len(values)))
    text = f"""func.func @main({arguments}) -> {outputs} {{
      %0 = "{name}"({given}) {attributes} : ({inputs}) -> {outputs}
      return %0 : {outputs}
    }}"""
    return shlo.run(shlo.parse(text), values)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("addi", [126, 1]), ("subi", [-128, -13]), ("muli", [-127, -42]), ("divsi", [-127, 0]),
        ("divui", [0, 35]), ("ceildivsi", [-127, 0]), ("floordivsi", [-127, -1]), ("remsi", [0, -6]),
        ("remui", [127, 5]), ("maxsi", [127, 7]), ("maxui", [-1, -6]), ("minsi", [-1, -6]),
        ("minui", [127, 7]), ("andi", [127, 2]), ("ori", [-1, -1]), ("xori", [-128, -3]),
    ],
)  # fmt: skip
def test_arithmetic(name: str, expected: list[int]) -> None:
    """Of 127 and -1 (255 unsigned), and of -6 (250 unsigned) and 7."""
    lhs, rhs = np.array([127, -6], I8), np.array([-1, 7], I8)
    two = "tensor<2xi8>"
    assert run(f"arith.{name}", f"{two}, {two} -> {two}", lhs, rhs)[0].tolist() == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("addi", [0, 1, 1, 0]), ("subi", [0, 1, 1, 0]), ("muli", [1, 0, 0, 0]), ("maxsi", [1, 0, 0, 0]),
        ("maxui", [1, 1, 1, 0]), ("minsi", [1, 1, 1, 0]), ("minui", [1, 0, 0, 0]), ("xori", [0, 1, 1, 0]),
        ("cmpi <{predicate = 2 : i64}>", [0, 1, 0, 0]), ("cmpi <{predicate = 6 : i64}>", [0, 0, 1, 0]),
    ],
)  # fmt: skip
def test_one_bit(name: str, expected: list[int]) -> None:
    """Results wrap; signed values are 0 and -1, unsigned ones 0 and 1. The predicates are slt and ult."""
    four = "tensor<4xi1>"
    lhs, rhs = np.array([1, 1, 0, 0], bool), np.array([1, 0, 1, 0], bool)
    assert run(f"arith.{name}", f"{four}, {four} -> {four}", lhs, rhs)[0].tolist() == expected


@pytest.mark.parametrize("condition", [True, False])
def test_selection(condition: bool) -> None:
    found = arith.select(np.array(condition), np.array([1, 2], I8), np.array([3, 4], I8))
    assert found.tolist() == ([1, 2] if condition else [3, 4])


def test_division_of_one_bit() -> None:
    two, ones = "tensor<2xi1>", np.array([True, True])
    for name in ("divsi", "divui", "ceildivsi", "floordivsi"):
        assert run(f"arith.{name}", f"{two}, {two} -> {two}", ones, ones)[0].tolist() == [True, True]
        assert run(f"arith.{name}", f"{two}, {two} -> {two}", ~ones, ones)[0].tolist() == [False, False]


LARGE, MOST, LEAST = 2**62 + 1, 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    ("name", "expected"),  # by Python's integers, which round quotients down
    [
        ("divsi", lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)),
        ("remsi", lambda x, y: abs(x) % abs(y) * (-1 if x < 0 else 1)),
        ("floordivsi", lambda x, y: x // y),
        ("ceildivsi", lambda x, y: -(-x // y)),
        ("divui", lambda x, y: (x % 2**64) // (y % 2**64)),
        ("remui", lambda x, y: (x % 2**64) % (y % 2**64)),
    ],
)
def test_division_of_extreme_numbers(name: str, expected: Any) -> None:
    """Quotients that f64 does not hold, and the least number, whose negative is itself."""
    numbers = (1, 2, 3, -2, -7, LARGE, -LARGE, MOST, -MOST, LEAST)
    pairs = [(x, y) for x in (0, *numbers) for y in numbers]
    lhs, rhs = np.array(pairs, np.int64).T.copy()
    many = f"tensor<{len(pairs)}xi64>"
    (found,) = run(f"arith.{name}", f"{many}, {many} -> {many}", lhs, rhs)
    assert [int(q) % 2**64 for q in found] == [expected(x, y) % 2**64 for x, y in pairs]


def test_division_by_zero_is_an_error() -> None:
    two = "tensor<2xi8>"
    with pytest.raises(shlo.RunError, match="division by zero"):
        run("arith.remsi", f"{two}, {two} -> {two}", np.array([1, 2], I8), np.array([1, 0], I8))


@pytest.mark.parametrize(
    ("predicate", "expected"), [(0, False), (1, True), (2, True), (4, False), (6, False), (8, True)]
)
def test_comparison(predicate: int, expected: bool) -> None:
    """-1 and 1: less as signed numbers, greater as unsigned ones."""
    types = "tensor<i8>, tensor<i8> -> tensor<i1>"
    found = run(f"arith.cmpi <{{predicate = {predicate} : i64}}>", types, I8(-1), I8(1))
    assert bool(found[0]) is expected


@pytest.mark.parametrize(
    ("name", "types", "value", "expected"),
    [
        ("extsi", "tensor<i8> -> tensor<i32>", I8(-1), -1),
        ("extui", "tensor<i8> -> tensor<i32>", I8(-1), 255),
        ("extsi", "tensor<i1> -> tensor<i32>", np.True_, -1),
        ("extui", "tensor<i1> -> tensor<i32>", np.True_, 1),
        ("trunci", "tensor<i32> -> tensor<i8>", np.int32(0x1FF), -1),
        ("trunci", "tensor<i32> -> tensor<i1>", np.int32(2), False),
        ("index_cast", "tensor<i32> -> tensor<index>", np.int32(-5), -5),
        ("index_castui", "tensor<i32> -> tensor<index>", np.int32(-1), 2**32 - 1),
    ],
)
def test_casts(name: str, types: str, value: Any, expected: int) -> None:
    assert run(f"arith.{name}", types, value) == [expected]
