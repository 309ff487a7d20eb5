"""Messages of malformed instructions in HLO, whole: what is wrong, what was expected."""

from __future__ import annotations

import pytest
from test_hlo_malformed import message  # beside this file

MESSAGES = {
    "f32[0,2] constant(1)": ("expected '{' before the elements of an array with 2 dimensions, found '1'"),
    "(f32[4], s32[]) scan(f, i), dimensions={1}, num_carries=1, to_apply=add": (
        "dimension 1 is out of range for operand f of f32[4]"
    ),
    "(f32[4], s32[]) scan(f, i), dimensions={-1}, num_carries=1, to_apply=add": (
        "dimension -1 is out of range for operand f of f32[4]"
    ),
    "f32[4] concatenate(), dimensions={0}": ("concatenate: takes at least 1 operand, got 0"),
    "f32[4] all-to-all(), dimensions={0}": ("all-to-all: takes at least 1 operand, got 0"),
    "f32[4] rng(i), distribution=rng_uniform": ("rng: takes at least 2 operands, got 1"),
    "f32[4] all-gather(f), dimensions={-1}, replica_groups={}": (
        "all-gather: all_gather_dim must be a 64-bit integer of at least 0, not -1"
    ),
    "foo-bar[4] negate(f)": ("expected a shape, such as f32[2,3] or a tuple of shapes, found 'foo-bar'"),
    "foo-bar(f)": ("unknown opcode foo-bar"),
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
    "((f32[4])) async-start(f), calls=one": (
        "the result must be ((operands), results, state...), got ((f32[4]))"
    ),
    "(f32[4], f32[4]) async-start(f), calls=one": (
        "the result must be ((operands), results, state...), got (f32[4], f32[4])"
    ),
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
    "f32[?] constant(1)": ("expected no literal: f32[?]{0} has an unbounded dimension, found '1'"),
    "f32[4] constant(foo)": ("expected an element of a constant: a number, true or false, found 'foo'"),
    "s32[] constant(1.5)": ("expected an integer of s32, found 1.5"),
    "s64[] constant(99999999999999999999)": ("expected an integer of s64, found 99999999999999999999"),
    "f32[4] reduce-window(f, i), window={size=2 stride=x}, to_apply=add": (
        "expected an integer, or some such as 2x3, found 'x'"
    ),
    "f32[4] exponential(f), result_accuracy={tolerance={atol=x}}": ("expected a number, found 'x'"),
    "f32[4] exponential(f), result_accuracy={mode=low}": (
        "expected default or highest (default, highest), found 'low'"
    ),
    "f32[4] add(f, f), sharding={devices=[2,2]<=[4]T(1)}": (
        "expected positive sizes, and a permutation of the dimensions, found '['"
    ),
    "f32[4] add(f, f), sharding={devices=[2,2]<=[2,2]}": (
        "expected T(...): the order of the dimensions, found '}'"
    ),
    "f32[4] add(f, f), sharding={mesh['x'=0], [{}]}": (
        "expected positive sizes of axes with different names, found 'mesh'"
    ),
    "f32[4] add(f, f), sharding={mesh['x'=2,'x'=2], [{}]}": (
        "expected positive sizes of axes with different names, found 'mesh'"
    ),
    "f32[4] add(f, f), sharding={mesh['x'=2], [{'y'}]}": (
        "expected an axis of mesh['x'=2] instead of 'y', found 'mesh'"
    ),
    "f32[4] add(f, f), sharding={mesh['x'=2], [{'x'}], replicated={'x'}}": (
        "expected each axis of the mesh once, found 'mesh'"
    ),
    "f32[4] add(f, f), sharding={mesh['x'=2], [{?, 'x'}]}": ("expected '}' after '?', found '''"),
    "f32[4] add(f, f), sharding={mesh['x'=2] [{'x'}] replicated={}}": (
        "expected ',' before a field of a sharding, found 'replicated'"
    ),
    "f32[4] add(f, f), sharding={mesh['x'=2], [{'x'}], colour={}}": (
        "expected a field of a sharding (replicated, unreduced, manual, metadata), found 'colour'"
    ),
    "f32[4] add(f, f), sharding={maximal_mesh[device=3]}": ("expected device_id=, found 'device'"),
    "f32[4] add(f, f), sharding={devices=[4]<=[4] replicated}": (
        "expected either devices= or replicated, found 'replicated'"
    ),
    "f32[4] add(f, f), sharding={shard_as 3}": (
        "expected a sharding: devices=, replicated, maximal, manual, unknown, unreduced, found '}'"
    ),
    "f32[4] add(f, f), sharding={{replicated} {replicated}}": (
        "expected ',' or '}' after the sharding of an element, found '{'"
    ),
    "f32[4] add(f, f), sharding={devices=[4,4096,4096]<=[67108864]}": (
        "expected at most 2^24 devices, found '['"
    ),
    "f32[4] add(f, f), origin={[other]}": ("expected synthetic_call, found 'other'"),
    "f32[4] add(f, f), statistics={index=1}": ("expected visualizing_index=, found 'index'"),
    "f32[4] add(f, f), statistics={visualizing_index=1,a=b}": ("expected a number, found 'b'"),
    'f32[4] add(f, f), metadata={op_name="\\U00110000"}': (
        "expected an escape of C instead of \\U00110000, found '\"'"
    ),
    'f32[4] add(f, f), metadata={op_name="\\x100"}': (
        "expected an escape of C instead of \\x100, found '\"'"
    ),
    'f32[4] add(f, f), backend_config={"a": {': ("expected a dictionary with balanced braces, found '{'"),
    "f32[4] add(f, f), frontend_attributes={a}": ("expected a name followed by '=', found 'a'"),
    'f32[4] domain(f), domain={kind="other", entry={replicated}, exit={replicated}}': (
        'expected the kind "sharding", found \'"\''
    ),
    "f32[4] domain(f), domain={entry={replicated}, exit={replicated}}": (
        "expected kind= of the domain, found 'entry'"
    ),
    "f32[4] all-reduce(f), replica_groups=[2,3]<=[4], to_apply=add": (
        "expected an array of 6 processes instead of 4, found '['"
    ),
    "f32[4] all-reduce(f), replica_groups=mesh['a'=2] {'b'}, to_apply=add": (
        "expected an axis of the mesh (a) instead of b, found 'mesh'"
    ),
    "f32[4] dot(f, f), lhs_contracting_dims={0}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f33": (
        "expected an algorithm such as dot_bf16_bf16_f32, found 'dot_bf16_bf16_f33'"
    ),
    'f32[4] add(f, f), metadata={op_name="a" size=3}': ("expected a field of metadata, found 'size'"),
    "add(f": ("expected ',' or ')' after an operand, found '}'"),
    "f32[4] add(f, f) f32": ("expected the name of an instruction, which is no keyword or type, found 'f32'"),
    "f32[4] iota(), iota_dimension=0, iota_dimension=0": ("attribute iota_dimension is stated twice"),
    'f32[4] custom-call(f), custom_call_target="a': ("expected the closing quote, found '\"'"),
    "f32[4] convolution(m, w), window={size=1}, dim_labels=b0f_0io->bf0f": (
        "the labels bf0f in b0f_0io->bf0f must be those of 0bf, each once"
    ),
    "f32[4] convolution(m, w), window={size=1}, dim_labels=b0f_0ii->b0f": (
        "the labels 0ii in b0f_0ii->b0f must be those of 0io, each once"
    ),
    "f32[4] select(n, f, f)": ("select: operand 0 must be of pred, got s32[4]"),
    "f32[4] select(q, f, f)": ("select: operand 0 must be of pred, got f32[3]"),
    "f32[4] select(t, t, f)": ("select: operand 0 must be of pred, got (f32[4], f32[4])"),
    "f32[4] compare(f, n), direction=LT": (
        "compare: operands 0 and 1 must have equal shapes, got f32[4] and s32[4]"
    ),
    "f32[4] compare(f, f), direction=XX": (
        "expected a direction of a comparison (EQ, NE, GE, GT, LE, LT), found 'XX'"
    ),
    "f32[4] bitcast-convert(m)": ("bitcast-convert: the result is f32[1,4,1], and the text states f32[4]"),
    "f64[4] bitcast-convert(f)": ("bitcast-convert: the last dimension of f32[4] must have size 2"),
    "f32[4] clamp(n, f, f)": ("clamp: operand 0 must be a scalar or of shape f32[4], got s32[4]"),
    "f32[4] clamp(q, f, f)": ("clamp: operand 0 must be a scalar or of shape f32[4], got f32[3]"),
    "f32[4] map(f, f), dimensions={0}, to_apply=one": ("map: the result is (), and the text states f32[4]"),
    "f32[4] while(f), condition=add, body=add": ("while: computation add takes 2 arguments, got 1"),
    "f32[4] get-tuple-element(f), index=0": ("get-tuple-element: there is no element 0 in f32[4]"),
    "f32[5] reshape(f)": ("reshape: f32[4] has 4 elements, and f32[5] has 5"),
    "f32[4] transpose(f), dimensions={1}": (
        "transpose: dimensions=[1] is no permutation of the dimensions of f32[4]"
    ),
    "f32[4,2] broadcast(f), dimensions={1}": (
        "broadcast: dimension 0 of f32[4] has size 4, and dimension 1 of f32[4,2] has 2"
    ),
    "f32[2] slice(f), slice={[0:9]}": ("slice: [0:9:1] is no slice of dimension 0 of f32[4]"),
    "f32[2] slice(f), slice={[0:2],[0:1]}": ("slice: slice= must have 1 dimensions for f32[4], got 2"),
    "f32[8] concatenate(f, m), dimensions={0}": (
        "concatenate: operands must agree but in dimension 0, got f32[4] and f32[1,4,1]"
    ),
    "f32[9] concatenate(f, f), dimensions={3}": ("concatenate: dimension 3 is out of range for f32[4]"),
    "f32[2] reduce-window(f, i), window={size=2}, to_apply=add": (
        "reduce-window: the result is f32[3], and the text states f32[2]"
    ),
    "f32[5] dynamic-slice(f, i), dynamic_slice_sizes={5}": (
        "dynamic-slice: dynamic_slice_sizes=[5] does not fit f32[4]"
    ),
    "f32[4] tuple(f)": ("tuple: the result is (f32[4]), and the text states f32[4]"),
    "s32[4] add(f, f)": ("add: the result is f32[4], and the text states s32[4]"),
    "f32[4] add(f, n)": ("add: operands 0 and 1 must have equal shapes, got f32[4] and s32[4]"),
    "f32[4] add(f, q)": ("add: operands 0 and 1 must have equal shapes, got f32[4] and f32[3]"),
    "f32[4] complex(f, f)": ("complex: the result is c64[4], and the text states f32[4]"),
    "f32[4] real(n)": ("real: the result is s32[4], and the text states f32[4]"),
    "f32[4] convert(t)": ("convert: operand 0 must be an array, got (f32[4], f32[4])"),
    "f32[4] iota(), iota_dimension=1": ("iota: iota_dimension 1 is out of range for f32[4]"),
    "f32[] iota(), iota_dimension=0": ("iota: iota_dimension 0 is out of range for f32[]"),
    "f32[4] all-gather(f), dimensions={0}, replica_groups={{0,1}}": (
        "all-gather: the result is f32[8], and the text states f32[4]"
    ),
    "f32[4] reduce-scatter(f), dimensions={0}, replica_groups={{0,1}}, to_apply=add": (
        "reduce-scatter: the result is f32[2], and the text states f32[4]"
    ),
}


@pytest.mark.parametrize("instruction", MESSAGES)
def test_messages(instruction: str) -> None:
    assert message(instruction) == MESSAGES[instruction]
