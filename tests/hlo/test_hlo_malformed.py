"""Malformed HLO: each text is an error that says what is wrong, whatever it nests or leaves out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.opcodes import Opcode, opcodes
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.hlo.rules.common import RULES

OTHERS = """add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
one {
  a = f32[] parameter(0)
  ROOT t = (f32[]) tuple(a)
}
"""
ENTRY = """ENTRY e {
  f = f32[4] parameter(0)
  n = s32[4] parameter(1)
  t = (f32[4], f32[4]) parameter(2)
  k = token[] parameter(3)
  i = s32[] parameter(4)
  m = f32[1,4,1] parameter(5)
  w = f32[1,1,1] parameter(6)
  q = f32[3] parameter(7)
"""


TEXTS = re.split(
    r"^=== (\S+) ([\d,]+)\n", Path(__file__).with_name("refused_texts.txt").read_text(), flags=re.M
)
REFUSED = list(zip(TEXTS[1::3], TEXTS[2::3], TEXTS[3::3], strict=True))


@pytest.mark.parametrize(("name", "lines", "text"), REFUSED, ids=[name for name, *_ in REFUSED])
def test_errors_are_on_the_lines_that_xla_names(name: str, lines: str, text: str) -> None:
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(text)
    assert str(caught.value.diagnostics[0].line) in lines.split(",")


def message(instruction: str) -> str:
    """The error of a module with an instruction."""
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(f"HloModule m\n{OTHERS}{ENTRY}  ROOT r = {instruction}\n}}\n")
    return caught.value.diagnostics[0].message


SAMPLES = {  # of the values of required attributes, by kind
    "computation": "add", "axis": "{0}", "pairs": "{{0,1}}", "distribution": "rng_uniform", "int": "1",
}  # fmt: skip


def test_every_rule_of_a_row_is_defined() -> None:
    assert {row.result for row in opcodes().values()} - {""} == set(RULES)


VARIADIC = [row for row in opcodes().values() if row.least and row.operands is None]


@pytest.mark.parametrize("row", [r for r in VARIADIC if r.name != "conditional"], ids=lambda row: row.name)
def test_too_few_operands(row: Opcode) -> None:
    given = "".join(f", {name}={SAMPLES.get(row.attributes[name].kind, '{}')}" for name in row.required)
    operands = ", ".join(["f"] * (row.least - 1))
    found = message(f"f32[4] {row.name}({operands}){given}")
    assert found.partition(" takes ")[2].startswith(("at least", "inputs and as many")), found


@pytest.mark.parametrize("operand", ["t", "k"])
@pytest.mark.parametrize(
    "instruction",
    ["f32[4] negate({})", "f32[4] real({})", "f32[4] bitcast({})", "f32[4] bitcast-convert({})",
     "f32[4] reverse({}), dimensions={{}}", "f32[4] reshape({})", "f32[4] add({}, {})", "f32[4] cholesky({})",
     "s32[4] stochastic-convert({}, {})", "f32[4] all-to-all({})", "f32[4] mulhi({}, {})"],
)  # fmt: skip
def test_operands_that_are_no_arrays(instruction: str, operand: str) -> None:
    count = instruction.count("{}")
    assert "must be an array" in message(instruction.format(*[operand] * count))


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("c64[3] fft(f), fft_type=RFFT, fft_length={}", "fft_length= must have 1 to 1 numbers"),
        ("c64[3] fft(n), fft_type=RFFT, fft_length={4}", "must be of f32 or f64, got s32[4]"),
        ("f32[4] fft(f), fft_type=FFT, fft_length={4}", "must be of complex numbers, got f32[4]"),
        ("f32[1,4,1] convolution(m, w), window={size=1}, dim_labels=b0f_0io->b0f, batch_group_count=0",
         "must be positive"),
        ("(f32[3], s32[3]) topk(f), k=-3", "negative size -3"),
        ("f32[4] conditional(i), branch_computations={}", "a branch is needed"),
        ("f32[] ragged-dot(f, f, n), lhs_contracting_dims={9}", "9 is out of range for f32[4]"),
        ("(f32[4]) scan(f), dimensions={0}, num_carries=-1, to_apply=one", "num_carries=-1 does not fit"),
        ("(f32[4]) scan(f), dimensions={0}, num_carries=99999999999, to_apply=one", "99999999999 does"),
        ("u64[99999999999] rng-get-and-update-state(), delta=1", "the result is u64[2]"),
        ("f32[4] mulhi(f, f)", "must be integers"),
        ("f32[4] dynamic-reshape(f)", "1 sizes are needed, got 0"),
        ("f32[4] all-to-all(f), dimensions={0,1}", "takes one dimension and one operand"),
        ("f32[4] collective-permute(f), source_target_pairs={{0},{1,2,3}}", "expected pairs"),
        ("(f32[4], f32[4]) bitcast-convert(f)", "the result must be an array"),
        ("async-start(f), calls=one", "expected the shape of the result before async-start"),
    ],
)  # fmt: skip
def test_attributes_that_fit_nothing(instruction: str, expected: str) -> None:
    assert expected in message(instruction)


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        (f"f32[4] slice(f), slice={{[0:{'9' * 30}]}}", "an integer of at most 64 bits"),
        (f"f32[4] pad(f, f), padding={'9' * 5000}_0", "an integer of at most 64 bits"),
        (f"f32[4] reduce-window(f, f), window={{size=2x{'9' * 5000}}}, to_apply=add", "at most 64 bits"),
        ("f32[9223372036854775808] negate(f)", "expected a number below 2^63"),
        ("f32[9223372036854775807] constant(1)", "one number is too few for f32[9223372036854775807]"),
        ("f32[4] all-reduce(f), replica_groups=mesh['a'=65536,'b'=65536] {'a'}, to_apply=add",
         "at most 2^24 devices"),
        ("f32[4] all-reduce(f), replica_groups=mesh['a'=2,'b'=2] {'a','a'}, to_apply=add",
         "each axis of the mesh once"),
    ],
)  # fmt: skip
def test_numbers_that_are_too_large(instruction: str, expected: str) -> None:
    assert expected in message(instruction)


@pytest.mark.parametrize("opening", ["(", "b("])
def test_shapes_in_shapes_have_an_end(opening: str) -> None:
    assert "at most 100 nested brackets" in message(f"{opening * 5000}f32[]{')' * 5000} constant(1)")


def test_tuples_of_equal_tuples_have_an_end() -> None:
    doubled = "\n".join(f"  t{n + 1} = tuple(t{n}, t{n})" for n in range(60))
    assert "the tuple has more than 65536 arrays" in message(
        f"f32[4] negate(f)\n  t0 = tuple(f, f)\n{doubled}"
    )


def test_a_name_may_end_in_any_number() -> None:
    long = "x." + "9" * 5000
    module = parse_hlo(f"HloModule m\nENTRY e {{\n {long} = f32[] parameter(0)\n}}\n")
    assert module.entry.root.name == long


def test_unbounded_dimensions_stay_so() -> None:
    head = "HloModule m\nENTRY e {\n p = f32[?,4,1] parameter(0)\n z = f32[] constant(0)\n"
    for instruction in (
        "f32[?,6,1] pad(p, z), padding=0_0x1_1x0_0",
        "f32[?,4,1] concatenate(p, p), dimensions={0}",
        "f32[?,2,1] convolution(p, k), window={size=3}, dim_labels=b0f_0io->b0f",
    ):
        text = f"{head} k = f32[3,1,1] parameter(1)\n ROOT r = {instruction}\n}}\n"
        assert parse_hlo(text).verify() == [], instruction


@pytest.mark.parametrize("index", [2, 99, -1])
def test_elements_that_a_tuple_has_not(index: int) -> None:
    """XLA's parser looks for the operand of a tuple that is made, and believes the shape of another one."""
    text = (
        "HloModule m\nENTRY e {{\n  p = (f32[1], f32[2]) parameter(0)\n  f = f32[1] parameter(1)\n"
        "  t = (f32[1], f32[1]) tuple(f, f)\n  ROOT r = f32[1] get-tuple-element({}), index={}\n}}\n"
    )
    with pytest.raises(shlo.ParseError, match=rf"6:\d+: error: there is no element {index} in \(f32\[1\]"):
        parse_hlo(text.format("t", index))
    assert parse_hlo(text.format("p", index)).verify()
    assert not parse_hlo(text.format("t", 1)).verify()


FRAMES = """FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=2 end_line=3 column=4 end_column=5}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("FunctionNames", "", "9:1: error: expected the table FunctionNames"),
        (
            "StackFrames\n1 {file_location_id=1 parent_frame_id=1}",
            "",
            "14:1: error: expected the table StackFrames",
        ),
        (" line=2", " line=2 line=3", "10:45: error: expected line= once"),
        ("line=2", "line=2147483648", "an integer of 32 bits, found '2147483648'"),
    ],
)
def test_tables_of_stack_frames_are_complete(old: str, new: str, expected: str) -> None:
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(f"HloModule m\n\n{FRAMES.replace(old, new, 1)}\n{OTHERS}{ENTRY}}}\n")
    assert expected in str(caught.value)


@pytest.mark.parametrize("field", ["source_line", "source_end_line", "source_column", "stack_frame_id"])
def test_numbers_of_metadata_have_32_bits(field: str) -> None:
    text = "HloModule m\nENTRY e {{\n  ROOT c = f32[] constant(1), metadata={{{}={}}}\n}}\n"
    assert parse_hlo(text.format(field, 2**31 - 1)).entry.root.metadata == {field: 2**31 - 1}
    with pytest.raises(shlo.ParseError, match="expected an integer of 32 bits"):
        parse_hlo(text.format(field, 2**31))


@pytest.mark.parametrize("comment", ["// a\0b\n", "/* a\0b */\n"])
def test_a_zero_byte_in_a_comment(comment: str) -> None:
    """XLA's lexer stops there."""
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(f"HloModule m\nENTRY e {{\n  {comment}  ROOT x = f32[] parameter(0)\n}}\n")
    assert caught.value.diagnostics[0].line == 3


BROKEN = """a {
  x = f32[] parameter(0)
  ROOT y = f32[] nothing(x)
}
b (z: f32[]) -> f32[] {
  z = f32[2] parameter(0)
  ROOT w = f32[] call(), to_apply=a
}
ENTRY c {
  p = f32[] parameter(0)
  ROOT q = f32[] call(p), to_apply=b
}"""


@pytest.mark.parametrize("parameter", ["", "  z = f32[2] parameter(0)\n"])
def test_a_computation_that_calls_a_broken_one_is_no_error(parameter: str) -> None:
    """Also where its root, or all of it, cannot be read."""
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(BROKEN.replace("  z = f32[2] parameter(0)\n", parameter))
    assert [(each.line, each.message) for each in caught.value.diagnostics] == [(3, "unknown opcode nothing")]


@pytest.mark.parametrize("pairs", ["{{0,1,2}}", "{{0}}", "{{0,1},{}}", "{{0,1},{1}}"])
def test_pairs_of_another_length(pairs: str) -> None:
    line = f"  ROOT r = f32[4] collective-permute(p), source_target_pairs={pairs}"
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(f"HloModule m\nENTRY e {{\n  p = f32[4] parameter(0)\n{line}\n}}\n")
    (found,) = caught.value.diagnostics
    assert found.message == "expected pairs, as in {{0,1},{1,0}}"
    assert (found.line, found.column) == (4, line.index("{{") + 1)
