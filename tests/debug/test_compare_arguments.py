"""Arguments of two programs: by their names, or by their types where a program has no names."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.arguments import counterparts
from stablehlo_py.ir.signature import Argument, signature

X, Y, Z = "tensor<2xf32>", "tensor<3xf32>", "tensor<2xi32>"
CASES: dict[str, tuple[str, str, list[int] | None]] = {  # the arguments of both programs, and the indices
    "the same types, other names": (f"%a: {X}, %b: {X}", f"%b: {X}, %a: {X}", [0, 1]),
    "names": (f"%w: {X}, %x: {X}, %y: {X}", f"%y: {X}, %x: {X}", [2, 1]),
    "a name with another type": (f"%w: {X}, %x: {X}", f"%w: {Y}", None),
    "an unknown name of a type that one has": (f"%w: {Y}, %x: {X}", f"%z: {X}", [1]),
    "numbers that are kept": (f"%arg0: {X}, %arg1: {X}, %arg2: {X}", f"%arg0: {X}, %arg2: {X}", [0, 2]),
    "numbers from 0 on": (f"%arg0: {X}, %arg1: {Y}, %arg2: {Y}", f"%arg0: {Y}, %arg1: {Y}", [1, 2]),
    "numbers of one type": (f"%arg0: {X}, %arg1: {X}", f"%arg0: {X}", [0]),
    "types in another order": (f"%arg0: {X}, %arg1: {Y}, %arg2: {Z}", f"%arg0: {Y}, %arg1: {X}", None),
    "types of which one is twice": (f"%a: {X}, %b: {Y}, %c: {X}", f"%arg0: {X}, %arg1: {Y}", [0, 1]),
    "types of which one is first or last": (f"%a: {X}, %b: {Y}, %c: {X}", f"%arg0: {X}", None),
    "types behind others": (f"%a: {X}, %b: {Y}, %c: {X}", f"%arg0: {Y}, %arg1: {X}", [1, 2]),
    "two types that one has in several ways": (
        f"%a: {X}, %b: {Y}, %c: {X}, %d: {Y}",
        f"%arg0: {X}, %arg1: {Y}",
        None,
    ),
    "a name, and a number that is kept": (
        f"%a: {X}, %arg1: {X}, %w: {Z}, %b: {X}",
        f"%w: {Z}, %arg1: {X}",
        [2, 1],
    ),
    "more arguments": (f"%a: {X}", f"%a: {X}, %b: {X}", None),
    "none": (f"%a: {X}", "", []),
    "a name that is recorded twice": (
        f'%arg0: {X} {{jax.arg_info = "w"}}, %arg1: {X} {{jax.arg_info = "w"}}',
        f'%arg0: {X} {{jax.arg_info = "w"}}',
        None,
    ),
    "recorded names": (
        f'%arg0: {X} {{jax.arg_info = "w"}}, %arg1: {X} {{jax.arg_info = "x"}}',
        f'%arg0: {X} {{jax.arg_info = "x"}}',
        [1],
    ),
}


def inputs(arguments: str) -> tuple[Argument, ...]:
    return signature(shlo.parse(f"func.func @main({arguments}) {{ return }}").functions["main"]).inputs


@pytest.mark.parametrize("name", CASES)
def test_counterparts(name: str) -> None:
    mine, theirs, expected = CASES[name]
    assert counterparts(inputs(mine), inputs(theirs), str) == expected


PROGRAM = f"""
func.func @main(%arg0: {Y}, %arg1: {X}, %arg2: {X}) -> {X} {{
  %0 = stablehlo.subtract %arg1, %arg2 : {X}
  return %0 : {X}
}}"""
BOUND = PROGRAM.replace(f"%arg0: {Y}, ", "").replace("arg1", "arg0").replace("arg2", "arg1")


def test_a_program_with_fewer_arguments() -> None:
    given = [np.ones(3, np.float32), np.array([1, 2], np.float32), np.array([5, 7], np.float32)]
    assert shlo.compare(shlo.parse(PROGRAM), shlo.parse(BOUND), given).ok
    wrong = shlo.parse(BOUND.replace("subtract", "add"))
    assert not shlo.compare(shlo.parse(PROGRAM), wrong, given).ok


def test_arguments_without_a_counterpart() -> None:
    text = f"func.func @main(%x: {Z}) -> {Z} {{ return %x : {Z} }}"
    with pytest.raises(shlo.RunError) as error:
        shlo.compare(
            shlo.parse(PROGRAM), shlo.parse(text), [np.ones(3, np.float32), *[np.ones(2, np.float32)] * 2]
        )
    assert str(error.value) == (
        "the arguments of the second program match those of the first one neither by name nor by type; "
        f"the first program takes %arg0: {Y}, %arg1: {X}, %arg2: {X}; the second one takes %x: {Z}"
    )
