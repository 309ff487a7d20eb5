"""Any arguments of an operation either build it or raise BuildError."""

from __future__ import annotations

import inspect
import random
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py import builder
from stablehlo_py.builder import BuildError, XlaBuilder, XlaOp

OPERATIONS = [name for name in builder.__all__ if hasattr(XlaBuilder, name)]
SHAPES = ("f32[2,3]", "f32[]", "s32[]", "pred[]", "f32[3]", "s32[2]", "token[]", "(f32[2,3], f32[])")


def first(*operands: XlaOp) -> XlaOp:
    return operands[0] if operands else builder.XlaOp  # type: ignore[return-value]


def arguments(b: XlaBuilder, name: str, draw: random.Random) -> list[Any]:
    """As many arguments as the operation may have, of any kind."""
    ops = [b.Parameter(number, shape) for number, shape in enumerate(SHAPES)]
    lists = [[0], [1], [0, 1], [2, 3], [-1], [1.5], ["a"], [[0, 1]], [(0, 1)], (1, 2), (), [ops[0]], ops[:2]]
    numbers = [3, 0, 1, -1, 1.5, True, None, 10**30, 1j, float("nan"), np.int64(2), np.ones(3, np.float32)]
    others = [
        "f32",
        "f32[2,3]",
        "Add",
        "abc",
        "SAME",
        {},
        {"a": 1},
        object(),
        np.array(["a"]),
        first,
        lambda x: x,
    ]
    pool = [*ops, *ops, *lists, *numbers, *others]
    parameters = list(inspect.signature(getattr(XlaBuilder, name)).parameters.values())[1:]
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    least = sum(p.default is p.empty for p in places)
    is_open = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return [draw.choice(pool) for _ in range(draw.randint(least, 5 if is_open else len(places)))]


@pytest.mark.parametrize("name", OPERATIONS)
def test_any_arguments(name: str) -> None:
    draw = random.Random(name)
    for _ in range(25):
        b = XlaBuilder()
        given = arguments(b, name, draw)
        try:
            getattr(b, name)(*given)
            module = b.build()
        except BuildError as error:
            assert str(error)
        else:
            assert shlo.verify(module) == [], given


@pytest.mark.parametrize(
    ("number", "is_integer"),
    [
        (2**63 - 1, True),
        (2**63, False),
        (-(2**63), True),
        (-(2**63) - 1, False),
        (np.uint64(2**63), False),
        (np.int8(-1), True),
        (True, False),
        (np.True_, False),
        (1.0, False),
        ("1", False),
    ],
)
def test_integers_have_64_bits(number: Any, is_integer: bool) -> None:
    b = XlaBuilder()
    if is_integer:
        b.Recv("f32[]", number)
        b.AllReduce(b.Parameter(0, "f32[]"), "Add", [[0]], channel_id=number)
        return
    with pytest.raises(BuildError) as caught:
        b.Recv("f32[]", number)
    assert str(caught.value) == f"Recv: the channel must be an integer, not {number!r}"
    with pytest.raises(BuildError) as caught:
        b.Reshape(b.Parameter(0, "f32[3]"), [3, number])
    assert str(caught.value) == f"Reshape: new_sizes must be a list of integers, not {[3, number]!r}"
