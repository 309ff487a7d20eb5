"""Programs on the native engine beside the NumPy engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

import stablehlo_py as shlo
from stablehlo_py.engines.native.machine import host
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.syntax.parser import parse_type
from tests.helpers.agreement import distance

Array = np.ndarray[Any, Any]


def tensor(shape: Sequence[int], element: str) -> str:
    """The type of an array."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def dtype_of(element: str) -> np.dtype[Any]:
    """NumPy's type of an element type such as `ui8`."""
    return np.dtype(numpy_dtype(parse_type(element)))


def numbers(seed: int, shape: Sequence[int], element: str) -> Array:
    """All integers of a type, or floats whose sums of products are exact in any order."""
    random, dtype = np.random.default_rng(seed), dtype_of(element)
    try:
        limits = ml_dtypes.iinfo(dtype)
    except ValueError:
        return random.integers(-8, 9, shape).astype(dtype)
    wide = np.int8 if limits.bits < 8 and limits.min else np.uint8 if limits.bits < 8 else dtype
    return random.integers(limits.min, limits.max, shape, wide, endpoint=True).astype(dtype)


def compiled(
    text: str | shlo.Module, steps: Sequence[str] | None = ("native",), **options: Any
) -> shlo.Program:
    """A program on the native engine: one region, unless its steps are given, or None for any.

    A text has to be valid; a module need not. Programs with f16 stay on NumPy on processors that convert it
    by functions, which no process has.
    """
    module = shlo.parse(text) if isinstance(text, str) else text
    converts = not host().is_x86 or "+f16c" in host().features.split(",")
    if not converts and re.search(r"[x<]f16>", shlo.format(module)):
        steps = None
    if isinstance(text, str):
        assert not [each.message for each in shlo.verify(module) if each.severity == "error"]
    program = shlo.compile(module, **{"engine": "native", **options})
    assert steps is None or [step.name for step in program.plan.steps] == list(steps)
    return program


def assert_same(
    text: str | shlo.Module,
    *inputs: Any,
    ulps: float = 0.5,
    steps: Sequence[str] = ("native",),
    **options: Any,
) -> list[Any]:
    """Run a program on both engines, natively as one region unless its steps are given.

    Args:
        text: The program.
        inputs: Its arguments.
        ulps: How far results of floats may be apart; half a unit is the sign of a zero.
        steps: The steps of the native program.
        options: Those of `shlo.compile`.

    Returns:
        The results of the native engine.
    """
    program = compiled(text, steps, **options)
    wanted = shlo.compile(text, **{**options, "engine": "numpy"})(*inputs)
    for _ in range(2):  # the second run finds what the first has left
        found = program(*inputs)
        for number, (have, want) in enumerate(zip(found, wanted, strict=True)):
            assert distance(have, want) <= ulps, (number, have, want)
    return list(found)


def check_loops(text: str, *inputs: Any) -> None:
    """Verify and interpret the loops of a small program after each stage, beside the NumPy engine."""
    from tests.engines.native.loops.loop_regions import check_module

    assert check_module(shlo.parse(text), "main", inputs, compiled=False) > 0


def counted(count: str, carried: dict[str, tuple[str, str, str]], body: str, result: str = "r") -> str:
    """A loop of an i32 `%i` from 0, with `%zero` and `%one` in front of it and `%next` in its body.

    Args:
        count: The value that `%i` is below, with its `%`, or a number.
        carried: For each carried value, its type, the value at first and the next one.
        body: The steps of the body.
        result: The name of the results, of which the first is `%i`.
    """
    names = ", ".join(f"%{name} = {first}" for name, (_, first, _) in carried.items())
    types = ", ".join(["tensor<i32>", *(type for type, _, _ in carried.values())])
    nexts = ", ".join(["%next", *(after for _, _, after in carried.values())])
    limit = count if count.startswith("%") else "%count"
    given = "" if count.startswith("%") else f"%count = stablehlo.constant dense<{count}> : tensor<i32>"
    return f"""
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      {given}
      %{result}:{len(carried) + 1} = stablehlo.while(%i = %zero, {names}) : {types}
      cond {{
        %on = stablehlo.compare LT, %i, {limit} : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %on : tensor<i1>
      }} do {{
        %next = stablehlo.add %i, %one : tensor<i32>
        {body}
        stablehlo.return {nexts} : {types}
      }}"""
