"""Messages of malformed instructions in HLO, whole: what is wrong, what was expected."""

from __future__ import annotations

import pytest
from test_hlo_malformed import message  # beside this file

MESSAGES = {
    "token[] constant(1)": ("expected no literal: there is none of shape token[], found '1'"),
    "f32[2] constant(1, 2)": ("expected ')' after a constant, found ','"),
    "f32[2,2] constant({1, 2})": (
        "expected '{': the elements of an array with 2 dimensions have 2 braces, found '1'"
    ),
    "f32[2] constant({{1, 2}})": ("expected an array with 1 dimensions, and so no further '{', found '{'"),
    "f32[2,2] constant({{1, 2, 3}, {4, 5}})": ("expected 2 elements in dimension 1, and no more, found '3'"),
    "f32[2,2] constant({{1, 2}})": ("expected 2 elements in dimension 0 instead of 1, found '}'"),
    "f32[2,2] constant({{...}, {1, 2}})": ("expected '...' in the outer braces only, found '}'"),
    "f32[] constant((1, 2))": ("expected a real number, found a complex one"),
    "f64[] constant(1e999)": ("1e999 is out of the range of f64"),
    "c64[] constant(1)": ("expected a pair such as (1, 2) of c64"),
    "f32[] constant(nan(0x0))": ("the payload of nan(0x0) is out of the range of f32: 0x1 to 0x7fffff"),
    "f8e4m3fn[] constant(nan(0x1))": ("a NaN of f8e4m3fn has no payload; write nan"),
    "f32[100000000,1000] constant(1)": (
        "one number is too few for f32[100000000,1000]{1,0}, which has more than 16777216 elements"
    ),
    "(f32[], s32[]) constant(1, 2)": ("expected '(' before the elements of a tuple, found '1'"),
    "(f32[], s32[]) constant((1 2))": ("expected ',', found '2'"),
    "s8[] constant(300)": ("300 is out of the range of s8, which is -128 to 127"),
    "u8[] constant(-1)": ("-1 is out of the range of u8, which is 0 to 255"),
    "f32[4] conditional(f)": ("the first operand must be a scalar, got f32[4]"),
    "f32[4] conditional(f, f, f), branch_computations={add, add}": (
        "the first operand must be a scalar, got f32[4]"
    ),
    "f32[4] conditional(i, f), branch_computations={one, one}": ("2 branches need as many operands, got 1"),
    "f32[4] conditional(i, f), true_computation=one": ("conditional has no attribute true_computation"),
    "f32[] async-start(f), calls=one": ("the result must be ((operands), results, state...), got f32[]"),
    "f32[] async-done(f)": ("async-done takes the result of async-start or async-update"),
    'f32[4] custom-call(f), custom_call_target="a", operand_layout_constraints={}': (
        "1 operands need as many layout constraints, got 0"
    ),
    'f32[4] custom-call(f), custom_call_target="a", operand_layout_constraints={f32[5]{0}}': (
        "the layout constraint f32[5]{0} of operand 0 does not fit its shape f32[4]{0}"
    ),
    "f32[4] reduce-window(f, i), window={size=2 size=3}, to_apply=add": ("expected size= once, found 'size'"),
    "f32[4] reduce-window(f, i), window={size=2 pad=1}, to_apply=add": (
        "expected the padding of each dimension, such as 0_0 or 1_1x0_2, found '1'"
    ),
    "f32[4] reduce-window(f, i), window={size=2x2 pad=1_1}, to_apply=add": (
        "expected 2 numbers in pad= as in size= instead of 1, found '1_1'"
    ),
    "f32[4] add(f, f), sharding={devices=[2]0,1,2}": ("expected 2 devices instead of 3, found '['"),
    "f32[4] add(f, f), sharding={devices=[2]<=[3]}": ("expected 2 devices instead of 3, found '['"),
    "f32[4] add(f, f), sharding={devices=[2]<=[2,1]T(0,0)}": (
        "expected positive sizes, and a permutation of the dimensions, found '['"
    ),
    "f32[4] add(f, f), sharding={maximal}": ("expected device= of a maximal sharding, found '}'"),
    "f32[4] add(f, f), sharding={colour}": ("expected a field of a sharding, found 'colour'"),
    'f32[4] add(f, f), metadata={op_name="a" op_name="b"}': ("expected op_name= once, found 'op_name'"),
    'f32[4] add(f, f), metadata={op_name="\\q"}': ("expected an escape of C instead of \\q, found '\"'"),
}


@pytest.mark.parametrize("instruction", MESSAGES)
def test_messages(instruction: str) -> None:
    assert message(instruction) == MESSAGES[instruction]
