"""HLO text to data; and errors, with their positions."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.literals import Literal
from stablehlo_py.hlo.parser import parse_hlo

SOURCE = """HloModule jit_f, is_scheduled=true

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %sum = f32[] add(%x, %y)
}

ENTRY %main (a: f32[2,3]) -> f32[2] {
  %a = f32[2,3]{1,0:T(8,128)S(1)} parameter(0)
  %zero = f32[] constant(0)
  ROOT %r = f32[2]{0} reduce(%a, %zero), dimensions={1}, to_apply=%add, metadata={op_name="sum" source_line=7}
}
"""


def test_data() -> None:
    module = parse_hlo(SOURCE)
    assert [computation.name for computation in module.computations] == ["add", "main"]
    assert (module.name, module.entry.name, module.is_scheduled) == ("jit_f", "main", True)
    a, zero, root = module.entry.instructions
    assert root is module.entry.root and root.operands == (a, zero)
    assert (root.opcode, root.attributes["dimensions"]) == ("reduce", (1,))
    assert root.attributes["to_apply"] is module.computations[0]
    assert root.metadata == {"op_name": "sum", "source_line": 7}
    assert module.position(root) == (12, 9)
    assert (a.shape.layout.tiles, a.shape.layout.memory_space, a.value) == (((8, 128),), 1, 0)
    assert not isinstance(zero.value, int) and zero.value is not None
    assert np.array_equal(zero.value.array, np.float32(0))


def test_elided_constants_are_read() -> None:
    module = parse_hlo("HloModule m\nENTRY e {\n  ROOT c = f32[20] constant({...})\n}\n")
    literal = module.entry.root.value
    assert literal is not None and not isinstance(literal, int) and literal.is_elided


def test_shapes_are_inferred_where_they_are_omitted() -> None:
    text = """ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[3,4] parameter(1)
  d = dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = compare(d, d), direction=LT
  t = tuple(d, c)
  ROOT g = get-tuple-element(t), index=1
}
"""
    module = parse_hlo(text)
    assert [str(i.shape) for i in module.entry.instructions[2:]] == [
        "f32[2,4]{1,0}", "pred[2,4]{1,0}", "(f32[2,4]{1,0}, pred[2,4]{1,0})", "pred[2,4]{1,0}",
    ]  # fmt: skip


def test_all_errors_of_a_file() -> None:
    text = SOURCE.replace("add(%x, %y)", "ad(%x, %y)").replace("dimensions={1}", "dimension={1}")
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(text, "dump.txt")
    found = [(d.line, d.column, d.message, *d.notes[:1]) for d in caught.value.diagnostics]
    assert found == [
        (6, 21, "unknown opcode ad", "did you mean add?"),
        (12, 42, "reduce has no attribute dimension", "did you mean dimensions?"),
    ]
    assert str(caught.value).startswith("dump.txt:6:21: error: unknown opcode ad")


@pytest.mark.parametrize("operands", ["a, , b", ",a,b", "a,b,", "a, f32[2], b"])
def test_operands_without_a_name_are_skipped(operands: str) -> None:
    """As by XLA's parser."""
    body = f"a = f32[2] parameter(0)\n b = f32[2] parameter(1)\n r = add({operands})"
    text = f"HloModule m\nENTRY e {{\n {body}\n}}\n"
    assert [each.name for each in parse_hlo(text).entry.root.operands] == ["a", "b"]


BODY = "HloModule m\nENTRY e {{\n  p = f32[2,3] parameter(0)\n  {}\n}}\n"


@pytest.mark.parametrize(
    ("instruction", "column", "message"),
    [
        ("q = f32[2,3] negate(o)", 23, "instruction o is not defined before its use"),
        ("q = f32[2,3] add(p)", 20, "add takes 2 operands, got 1"),
        ("p = f32[2,3] negate(p)", 3, "instruction p is defined twice"),
        ("q = f32[2] parameter(2)", None, "has 2 parameters, and none with number 1"),
        ("q = f32[2] parameter(0)", 24, "parameter number 0 is used twice"),
        ("q = f32[3] constant({1, 2, 3, 4})", 33, "expected 3 elements in dimension 0, and no more"),
        ("q = f16[] constant(65520)", 22, "65520 is out of the range of f16"),
        ("q = s32[] constant(1.5)", 22, "expected an integer of s32, found 1.5"),
        ("q = u4[] constant(-1)", 21, "-1 is out of the range of u4, which is 0 to 15"),
        ("q = bf16[1] constant({nan(0x3ff)})", 25, "the payload of nan(0x3ff) is out of the range of bf16"),
        ("q = gf32[2,3] negate(p)", 7, "unknown element type gf32"),
        ("q = f32[2,3]{1,0,2} negate(p)", 15, "layout {1,0,2} has 3 dimensions, but the shape has 2"),
        ("q = f32[3,2] transpose(p), sharding={replicated}", 28, "transpose needs the attribute dimensions"),
        ("q = f32[2,3] negate(p), dimensions={0}", 27, "negate has no attribute dimensions"),
        ("q = f32[2,3] negate(f32[3,3] p)", 23, "operand p is stated with shape f32[3,3], and has f32[2,3]"),
        ("u32 = f32[2,3] negate(p)", 3, "expected a name that is no keyword or type"),
        ("q = f32[2,3] negate(p), sharding={devices=2,2}", 45, "expected '['"),
        ('q = f32[2,3] negate(p), metadata={op_name="x}', 45, "expected the closing quote"),
        ("q = f32[1,3] slice(p), slice={[1], [0:3]}", 35, "expected ':' and the limit"),
        ("q = pred[2,3] compare(p, p), direction=SIDEWAYS", 42, "expected a direction of a comparison"),
        ("7q = f32[2,3] negate(p)", 3, "expected the name of an instruction"),
        ("q = f32[2,3] negate(p), to_apply=e", 27, "negate has no attribute to_apply"),
        ("q = ((f32[2,3]), f32[2,3], u32[]) negate-start(p, p)", 50, "negate takes 1 operands, got 2"),
        *[
            (
                f"q = f32[4,3] all-gather(p), dimensions={{0}}, replica_groups=[{rows},2]<=[4]",
                62,
                f"an array of {2 * rows} processes instead of 4",
            )
            for rows in (1, 4)
        ],
    ],
)
def test_errors(instruction: str, column: int | None, message: str) -> None:
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(BODY.format(instruction))
    first = caught.value.diagnostics[0]
    assert message in first.message
    assert (first.line, first.column) == ((4, column) if column else (2, 7))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("HloModule m\n", 2, "expected a computation, found the end of the text"),
        ("HloModule m, colour=3\n", 1, "unknown attribute colour of a module"),
        ("HloModule m, is_scheduled=maybe\n", 1, "expected true or false"),
        ("HloModule m\ne {\n  ROOT a = f32[] constant(1)\n  ROOT b = f32[] constant(1)\n}\n", 4, "one ROOT"),
        (
            "HloModule m\nENTRY e () -> s32[] {\n  ROOT a = f32[] constant(1)\n}\n",
            2,
            "states the result s32[]",
        ),
        (
            "HloModule m\nENTRY e {\n  a = f32[] constant(1)\n}\nENTRY f {\n  a = f32[] constant(1)\n}\n",
            5,
            "ENTRY",
        ),
        (
            "HloModule m\ne {\n  a = f32[] constant(1)\n}\ne {\n  a = f32[] constant(1)\n}\n",
            5,
            "is defined twice",
        ),
        ("HloModule m\nENTRY e {\n  a = f32[] constant(1)\n  /* no end\n}\n", 4, "found '/'"),
        (
            "HloModule m, input_output_alias={ {3}: (0, {}) }\nENTRY e {\n  a = f32[] parameter(0)\n}",
            4,
            "element (3,)",
        ),
        ("# RUN\nHloModule m\n", 1, "found '#'"),
        (
            "HloModule m, input_output_alias={ {}: (3, {}) }\nENTRY e {\n  ROOT a = f32[] parameter(0)\n}",
            4,
            "input_output_alias names parameter 3 of 1",
        ),
        (
            "HloModule m, buffer_donor={ (1, {}) }\nENTRY e {\n  ROOT a = f32[] parameter(0)\n}",
            4,
            "buffer_donor names parameter 1 of 1",
        ),
        (
            "HloModule m, buffer_donor={ (0, {2}) }\nENTRY e {\n  ROOT a = f32[] parameter(0)\n}",
            4,
            "buffer_donor names element (2,) of parameter 0, which is f32[]",
        ),
        (
            "HloModule m, entry_computation_layout={(f32[], f32[])->f32[]}\nENTRY e {\n"
            "  ROOT a = f32[] parameter(0)\n}",
            4,
            "entry_computation_layout has 2 parameters, and e has 1",
        ),
    ],
)
def test_errors_of_modules(text: str, line: int, message: str) -> None:
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(text)
    assert caught.value.diagnostics[0].line == line
    assert message in caught.value.diagnostics[0].message


def test_elements_of_tuples_as_operands() -> None:
    text = """ENTRY e {
  p = (f32[2], (s32[], f32[3])) parameter(0)
  ROOT r = f32[3] negate(f32[3] %p#1#1)
}
"""
    module = parse_hlo(text)
    assert [i.opcode for i in module.entry.instructions] == [
        "parameter", "get-tuple-element", "get-tuple-element", "negate",
    ]  # fmt: skip
    assert module.verify() == []
    with pytest.raises(shlo.ParseError, match=r"there is no element 2 in \(s32\[\], f32\[3\]\)"):
        parse_hlo(text.replace("#1#1", "#1#2"))


def test_frames_without_what_they_refer_to_are_dropped() -> None:
    tables = """
FileNames
1 "a.py"
FunctionNames
1 "main"
FileLocations
1 {file_name_id=7 function_name_id=1 line=1 end_line=1 column=2 end_column=3}
StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=9 parent_frame_id=1}
"""
    entry = '\nENTRY e {{\n  ROOT a = f32[] parameter(0), metadata={{op_name="x" stack_frame_id={}}}\n}}\n'
    for number in (1, 2, 3):
        printed = parse_hlo(f"HloModule m\n{tables}{entry.format(number)}").to_string()
        assert 'metadata={op_name="x"}' in printed and "FileNames" not in printed


@pytest.mark.parametrize("broken", [3, 5])
def test_frames_whose_callers_do_not_end_are_dropped(broken: int) -> None:
    """XLA prints the same: frames 3 and 4 call each other, and the caller of 5 is missing."""
    frames = (
        "\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=1 parent_frame_id=2}\n"
    )
    first = "1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=2}\n"
    text = f"""HloModule m

FileNames
1 "a.py"
2 "b.py"

FunctionNames
1 "f"
2 "g"

FileLocations
{first}2 {{file_name_id=2 function_name_id=2 line=5 end_line=5 column=1 end_column=2}}
{frames}3 {{file_location_id=2 parent_frame_id=5}}
4 {{file_location_id=2 parent_frame_id=4}}
5 {{file_location_id=2 parent_frame_id=10}}

ENTRY e {{
  p = f32[] parameter(0), metadata={{op_name="p" stack_frame_id=2}}
  ROOT n = f32[] negate(p), metadata={{op_name="n" stack_frame_id={broken}}}
}}
"""
    printed = parse_hlo(text).to_string()
    tables = f'\nFileNames\n1 "a.py"\n\nFunctionNames\n1 "f"\n\nFileLocations\n{first}{frames}\n'
    assert tables in printed and printed.count("file_location_id") == 2
    assert 'metadata={op_name="p" stack_frame_id=2}' in printed and 'metadata={op_name="n"}' in printed


def test_errors_of_one_cause_are_reported_once() -> None:
    text = SOURCE.replace("constant(0)", "constant(many)")
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(text)
    assert [(d.line, d.column) for d in caught.value.diagnostics] == [(11, 26)]


@pytest.mark.parametrize(
    "instruction",
    [
        "negate(" * 5000 + "f32[] constant(1)" + ")" * 5000,
        "f32[] call(), to_apply={ a = " * 5000 + "f32[] constant(1)" + " }" * 5000,
        "f32[] call(), to_apply={ a = f32[] wrong(1)\n b = " * 5000 + "f32[] constant(1)" + " }" * 5000,
    ],
    ids=["operands", "computations", "computations with errors"],
)
def test_deep_nesting_of_instructions_is_an_error(instruction: str) -> None:
    with pytest.raises(shlo.ParseError, match=r"at most 100 nested brackets|unknown opcode wrong"):
        parse_hlo(f"HloModule m\nENTRY e {{\n  q = {instruction}\n}}\n")


def test_deep_nesting_is_an_error() -> None:
    shape = "(" * 5000 + "f32[]" + ")" * 5000
    with pytest.raises(shlo.ParseError, match="at most 100 nested brackets"):
        parse_hlo(f"HloModule m\nENTRY e {{\n  p = {shape} parameter(0)\n}}\n")


def test_a_nan_of_a_type_without_a_significand() -> None:
    """f8e8m0fnu has exponents alone; NaN is 0xFF."""
    module = parse_hlo("HloModule m\n\nENTRY %e {\n  ROOT %c = f8e8m0fnu[2]{0} constant({nan, 2})\n}\n")
    value = module.entry.root.value
    assert isinstance(value, Literal) and value.array is not None
    assert value.array.view("u1").tolist() == [0xFF, 128]
    assert "constant({nan, 2})" in module.to_string()


def test_equal_short_constants() -> None:
    """Those of one shape and text are read once, but for tuples, whose text ends behind the first bracket."""
    text = """HloModule m

ENTRY e {
  a = s32[] constant(1)
  b = s32[] constant(1)
  c = s16[] constant(1)
  d = (s32[], s32[]) constant((1, 2))
  e = (s32[], s32[]) constant((1, 2))
  f = (s32[], s32[]) constant((1, 3))
  g = s32[2] constant({1, 2})
  h = s32[2] constant({1, 2})
  ROOT r = (s32[], s32[], s16[], (s32[], s32[]), (s32[], s32[]), (s32[], s32[]), s32[2], s32[2])
    tuple(a, b, c, d, e, f, g, h)
}
"""
    found = [each.tolist() for each in shlo.run(shlo.parse(text))]
    assert found == [1, 1, 1, 1, 2, 1, 2, 1, 3, [1, 2], [1, 2]]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"\n\t\r\a\b\f\v", "\n\t\r\a\b\f\v"),
        (r"\\\'\"\?", "\\'\"?"),
        (r"\7\101\0018", "\aA\0018"),
        (r"\x41\X42", "AB"),
        (r"\u0041\u00e9\U0001F600", "A\xe9\U0001f600"),
        (r"\303\251", "\xe9"),
    ],
)
def test_escapes_of_strings(written: str, text: str) -> None:
    module = parse_hlo(f"""HloModule m

ENTRY e {{
  ROOT a = f32[] parameter(0), metadata={{op_name="{written}"}}
}}
""")
    assert module.computations[0].instructions[0].metadata == {"op_name": text}
