"""HLO at its borders: places of errors, values that are not printed, numbers of operands, brackets."""

from __future__ import annotations

import numpy as np
import pytest
from test_hlo_convert import run  # beside this file
from test_hlo_malformed import ENTRY, OTHERS

import stablehlo_py as shlo
from stablehlo_py.hlo.kinds import Window
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.hlo.rules.windows import windowed
from stablehlo_py.hlo.shapes import leaf_count, part_of
from stablehlo_py.layout.text import parse_shape

MARKED = [  # instructions with a mark where they are wrong
    "f32[4] add(~f)",
    "f32[4] negate(~)",
    "~broadcast(f), dimensions={0}",
    "f32[4,2] broadcast(f)~",
    "f32[4] dynamic-slice(~), dynamic_slice_sizes={}",
    "f32[4] reduce(~f, f, f), dimensions={0}, to_apply=add",
    "f32[4] conditional(~), branch_computations={one}",
    "f32[4] conditional(~f), branch_computations={one}",
    "f32[4] conditional(~t), branch_computations={one}",
    "f32[4] conditional(i, f)~",
    "f32[4] conditional(~i, f), branch_computations={one, one}",
    "f32[4] conditional(~i, f, f, f), branch_computations={one, one}",
    "f32[] async-start(~f), calls=one",
    "f32[] async-done(~f)",
    "f32[] async-update(~f)",
    'f32[4] custom-call(f), custom_call_target="a", operand_layout_constraints={}~',
    'f32[4] custom-call(f), custom_call_target="a", operand_layout_constraints={f32[5]{0}}~',
    "f32[4] get-tuple-element(tuple(f, f))~, index=2",
    "f32[4] recv(~k), channel_id=1",
    "() recv(~k), channel_id=1",
    "~recv(k), channel_id=1",
    "f32[4] reverse(f)~",
    "f32[4] reverse(f), ~colour={0}",
    "f32[4] reverse(f), dimensions={0}, ~dimensions={0}",
    "f32[4] reverse(~g), dimensions={0}",
    "f32[4] reverse(~f32[5] f), dimensions={0}",
    "f32[4] reverse(~%t#2), dimensions={0}",
    "f32[4] reverse(f), dimensions={0}, control-predecessors={~g}",
    "f32[4] map(f), to_apply=~other",
    "f32[4] parameter(~-1)",
    "f32[4] parameter(~2)",
    "f32[4] ~nothing(f)",
    "~constant(1)",
    "~f33[4] negate(f)",
    "~F32[4] negate(f)",
    "~nothing[4](f)",
    "f32[4,~x] negate(f)",
    "s8[] constant(~300)",
    "f64[] constant(~1e999)",
    "f32[2,2] constant({{1, 2}, {3, 4, ~5}})",
    "f32[4] get-tuple-element-start(~f), index=0",
]


@pytest.mark.parametrize("marked", MARKED)
def test_places_of_errors(marked: str) -> None:
    before = f"HloModule m\n{OTHERS}{ENTRY}  ROOT r = "
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(f"{before}{marked.replace('~', '')}\n}}\n")
    found = caught.value.diagnostics[0]
    lines = before.split("\n")
    is_next = marked.endswith("~")  # the place of what follows: the brace on the next line
    expected = (len(lines) + 1, 1) if is_next else (len(lines), len(lines[-1]) + marked.index("~") + 1)
    assert (found.line, found.column) == expected, found.message


WINDOWS = {  # as they are written, and as they are printed: without what is so by default
    "size=1 stride=1 pad=0_0 lhs_dilate=1 rhs_dilate=1 rhs_reversal=0": "size=1",
    "size=1 stride=2 pad=0_3 lhs_dilate=1 rhs_dilate=1 rhs_reversal=0": "size=1 stride=2 pad=0_3",
    "size=1 lhs_dilate=3 rhs_dilate=2 rhs_reversal=1": "size=1 lhs_dilate=3 rhs_dilate=2 rhs_reversal=1",
}


@pytest.mark.parametrize("window", WINDOWS)
def test_fields_of_windows_that_are_not_printed(window: str) -> None:
    instruction = f"f32[4] reduce-window(f, f), window={{{window}}}, to_apply=add"
    text = f"HloModule m\n{OTHERS}{ENTRY}  ROOT r = {instruction}\n}}\n"
    assert f"window={{{WINDOWS[window]}}}" in parse_hlo(text).to_string()


PARTS = {  # of an instruction, and what is printed of them: lists without elements are not
    "called_computations={}": "",
    "statistics={}": "",
    "frontend_attributes={}": "",
    "output_to_operand_aliasing={}": "",
    "sharding={devices=[2]<=[2], last_tile_dim_replicate}": (
        "sharding={devices=[2]<=[2] last_tile_dim_replicate}"
    ),
    "statistics={visualizing_index=1,a=2.5}": "statistics={visualizing_index=1,a=2.5}",
}


@pytest.mark.parametrize("part", PARTS)
def test_parts_that_are_not_printed(part: str) -> None:
    call = 'f32[4] custom-call(f), custom_call_target="t"'
    printed = parse_hlo(f"HloModule m\n{OTHERS}{ENTRY}  ROOT r = {call}, {part}\n}}\n").to_string()
    line = next(line for line in printed.splitlines() if "custom-call(" in line)
    assert line.partition('custom_call_target="t"')[2].removeprefix(", ") == PARTS[part]
    assert parse_hlo(printed).to_string() == printed


CONVOLUTION = "f32[1,4,1] convolution(m, w), window={size=1}, dim_labels=b0f_0io->b0f"
STATED = {  # attributes of an instruction, and what is printed of them
    f"{CONVOLUTION}, feature_group_count=1, batch_group_count=1": "",
    f"{CONVOLUTION}, operand_precision={{default,default}}": "",
    f"{CONVOLUTION}, operand_precision={{default,highest}}": "operand_precision={default,highest}",
    f"{CONVOLUTION}, operand_precision={{high,default}}": "operand_precision={high,default}",
    "f32[4] dot(f, s), lhs_contracting_dims={}, rhs_contracting_dims={}, algorithm=unset": "",
    "f32[4] slice(f), slice={[0:4:1]}": "slice={[0:4]}",
    "f32[2] slice(f), slice={[0:4:2]}": "slice={[0:4:2]}",
    "f32[1,2,1] slice(m), slice={[0:1], [0:4:2], [0:1]}": "slice={[0:1:1], [0:4:2], [0:1:1]}",
    "f32[5] pad(f, s), padding=0_1": "padding=0_1",
    "f32[5] pad(f, s), padding=0_1_0": "padding=0_1",
    "f32[7] pad(f, s), padding=0_0_1": "padding=0_0_1",
    "f32[2,7,1] pad(m, s), padding=1_0x0_0_1x0_0": "padding=1_0_0x0_0_1x0_0_0",
}


@pytest.mark.parametrize("instruction", STATED)
def test_what_is_printed_of_attributes(instruction: str) -> None:
    """Without numbers and words that are so by default; those of a dimension alone are stated for all."""
    start = f"{ENTRY}  s = f32[] constant(0)\n  ROOT r = "
    printed = parse_hlo(f"HloModule m\n{OTHERS}{start}{instruction}\n}}\n").to_string()
    line = [line for line in printed.splitlines() if " ROOT " in line][-1]
    assert line.endswith(STATED[instruction])
    for name in ("feature_group_count", "batch_group_count", "operand_precision", "algorithm"):
        assert (f"{name}=" in line) == (f"{name}=" in STATED[instruction])
    assert parse_hlo(printed).to_string() == printed


@pytest.mark.parametrize(
    "number", [-(1 << 63) - 1, -(1 << 63), (1 << 63) - 1, (1 << 64) - 1, 1 << 64, 10**30]
)
def test_integers_have_64_bits(number: int) -> None:
    """With a sign or without."""
    reduce = f"f32[4] all-reduce(f), channel_id={number}, to_apply=add"
    text = f"HloModule m\n{OTHERS}{ENTRY}  ROOT r = {reduce}\n}}\n"
    if -(1 << 63) <= number < 1 << 64:
        assert parse_hlo(text).entry.root.attributes["channel_id"] == number
        return
    with pytest.raises(shlo.ParseError, match="expected an integer of at most 64 bits"):
        parse_hlo(text)


@pytest.mark.parametrize(
    ("number", "is_in_range"),
    [((1 << 31) - 1, True), (1 << 31, False), (-(1 << 31), True), (-(1 << 31) - 1, False)],
)
def test_lines_have_32_bits(number: int, is_in_range: bool) -> None:
    text = f"HloModule m\n{OTHERS}{ENTRY}  ROOT r = f32[4] negate(f), metadata={{source_line={number}}}\n}}\n"
    if is_in_range:
        assert parse_hlo(text).entry.root.metadata == {"source_line": number}
        return
    with pytest.raises(shlo.ParseError, match="expected an integer of 32 bits"):
        parse_hlo(text)


@pytest.mark.parametrize("entry", ["first", "second", "third"])
@pytest.mark.parametrize("stated", [False, True])
def test_the_entry_is_the_last_computation_unless_one_is_stated(entry: str, stated: bool) -> None:
    texts = [
        f"{'ENTRY ' * (stated and name == entry)}{name} {{\n  ROOT a = f32[] constant(1)\n}}\n"
        for name in ("first", "second", "third")
    ]
    assert parse_hlo("HloModule m\n" + "".join(texts)).entry.name == (entry if stated else "third")


def test_of_equal_frontend_attributes_the_first_one_is_taken() -> None:
    attributes = 'frontend_attributes={b="1",a="2",b="3"}'
    text = f"HloModule m\n{OTHERS}{ENTRY}  ROOT r = f32[4] negate(f), {attributes}\n}}\n"
    assert 'frontend_attributes={a="2",b="1"}' in parse_hlo(text).to_string()


def test_scans_of_several_inputs_and_carries() -> None:
    three = "  x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  c = s32[] parameter(2)\n"
    sums = "b {\n" + three + "  p = s32[] multiply(x, y)\n  n = s32[] add(p, c)\n"
    two_inputs = sums + "  ROOT t = (s32[], s32[]) tuple(n, n)\n}\n"
    x, y, c = np.int32([1, 2, 3]), np.int32([4, 5, 6]), np.int32(100)
    entry = "  x = s32[3] parameter(0)\n  y = s32[{}] parameter(1)\n  c = s32[] parameter(2)\n  ROOT r = "
    scan = "(s32[3], s32[]) scan(x, y, c), dimensions={0}, num_carries=1, to_apply=b"
    outputs, last = run(entry.format(3) + scan, x, y, c, before=two_inputs)
    assert (outputs.tolist(), int(last)) == ([104, 114, 132], 132)
    outputs, last = run(
        entry.format(3) + scan.replace("to_", "is_reverse=true, to_"), x, y, c, before=two_inputs
    )
    assert (outputs.tolist(), int(last)) == ([132, 128, 118], 132)
    two_carries = sums + "  m = s32[] subtract(x, c)\n  ROOT t = (s32[], s32[], s32[]) tuple(m, n, x)\n}\n"
    scan = "(s32[3], s32[], s32[]) scan(x, y, c), dimensions={0}, num_carries=2, to_apply=b"
    outputs, first, second = run(entry.format("") + scan, x, np.int32(2), c, before=two_carries)
    # x - c of each step; x * y + c, where c is the x before: 1*2+100, 2*102+1, 3*205+2
    assert (outputs.tolist(), int(first), int(second)) == ([-99, 1, 1], 617, 3)


NESTED = {  # what has brackets, many times side by side: the depth is that of one
    "shapes of tuples": "(f32[], (f32[{n}], f32[])) parameter({n})",
    "shapes of buffers": 'b(f32[{n}]) custom-call(), custom_call_target="a"',
    "instructions in operands": "f32[] negate(f32[] add(f32[] constant({n}), f32[] constant(1)))",
    "computations in braces": "f32[] map(z), to_apply={{ x = f32[] parameter(0) }}",
    "literals": "(f32[], (f32[])) constant(({n}, (1)))",
    "lists of lists": "f32[] collective-permute(z), source_target_pairs={{{{{n},1}}}}",
    "shardings": "f32[] negate(z), sharding={{maximal device={n}}}",
}


@pytest.mark.parametrize("name", NESTED)
def test_brackets_side_by_side(name: str) -> None:
    lines = [f"  v{n} = {NESTED[name].format(n=n)}\n" for n in range(130)]
    text = f"HloModule m\nENTRY e {{\n  z = f32[] constant(0)\n{''.join(lines)}}}\n"
    assert {f"v{n}" for n in range(130)} <= {each.name for each in parse_hlo(text).entry.instructions}


def test_the_order_of_control_predecessors() -> None:
    """XLA prints what is executed before an instruction in front of it."""
    text = "  a = f32[] parameter(0)\n  p = f32[] negate(a)\n  c = f32[] abs(a), control-predecessors={p}\n"
    text += "  d = f32[] sine(a), control-predecessors={c}\n  ROOT r = (f32[], f32[], f32[]) tuple(d, c, p)\n"
    printed = parse_hlo(f"HloModule m\nENTRY e {{\n{text}}}\n").to_string("short_parsable")
    names = [line.partition(" = ")[0].split()[-1] for line in printed.splitlines() if " = " in line]
    assert names == ["a", "p", "c", "d", "r"]


@pytest.mark.parametrize("more", [False, True])
def test_the_most_arrays_of_a_tuple(more: bool) -> None:
    """65536, in tuples of tuples."""
    lines = [f"  t{n + 1} = tuple(t{n}, t{n})\n" for n in range(15)]
    last = f"  ROOT r = tuple(t15, t15{', f' * more})\n"
    text = f"HloModule m\n{OTHERS}{ENTRY}  t0 = tuple(f)\n{''.join(lines)}{last}}}\n"
    if not more:
        assert parse_hlo(text).entry.root.shape.is_tuple
        return
    with pytest.raises(shlo.ParseError, match="the tuple has more than 65536 arrays"):
        parse_hlo(text)


def test_parts_of_tuples() -> None:
    shape = parse_shape("(f32[2], (s32[], ()), token[])")
    assert [leaf_count(each) for each in (shape, *shape.tuple_shapes, parse_shape("((), ())"))] == [
        4,
        1,
        2,
        1,
        2,
    ]
    found = {index: part_of(shape, index) for index in ((), (0,), (1, 0), (1, 1), (2,))}
    assert [str(each) for each in found.values()] == [
        *(str(shape), "f32[2]{0}", "s32[]", "()", "token[]"),
    ]
    for index in ((3,), (-1,), (0, 0), (1, 2), (1, -1), (1, 0, 0), (1, 1, 0)):
        assert part_of(shape, index) is None, index


CONSTANT = "ENTRY e {\n  ROOT f = f32[] constant(1)"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            f"HloModule m, is_scheduled=true, is_scheduled=true\n{CONSTANT}\n}}\n",
            (1, 33),
            "attribute is_scheduled is stated twice",
        ),
        (
            f"HloModule m\n{CONSTANT}, sharding={{devices=[2,4096,4096]<=[33554432]}}\n}}\n",
            (3, 64),
            "expected at most 2^24 devices, found '['",
        ),
    ],
)
def test_errors_with_their_places(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(shlo.ParseError) as caught:
        parse_hlo(text)
    found = caught.value.diagnostics[0]
    assert (found.line, found.column, found.message) == (*place, message)


def test_branches_of_other_results() -> None:
    """The first branch is the one that the others are compared with."""
    other = "other {\n  a = f32[4] parameter(0)\n  ROOT r = s32[4] convert(a)\n}\n"
    same = "same {\n  a = f32[4] parameter(0)\n  ROOT r = f32[4] negate(a)\n}\n"
    for branches, pair in (("same, same, other", "same and other"), ("other, same, other", "other and same")):
        entry = f"  ROOT r = f32[4] conditional(i, f, f, f), branch_computations={{{branches}}}\n}}\n"
        module = parse_hlo(f"HloModule m\n{OTHERS}{other}{same}{ENTRY}{entry}")
        (found,) = module.verify()
        assert f"branches {pair} must have equal results" in found.message


@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_the_argument_of_each_branch_is_checked(wrong: int) -> None:
    same = "same {\n  a = f32[4] parameter(0)\n  ROOT r = f32[4] negate(a)\n}\n"
    given = ", ".join(["f"] * wrong + ["n"] + ["f"] * (2 - wrong))
    entry = f"  ROOT r = f32[4] conditional(i, {given}), branch_computations={{same, same, same}}\n}}\n"
    (found,) = parse_hlo(f"HloModule m\n{OTHERS}{same}{ENTRY}{entry}").verify()
    assert found.message == "conditional: parameter 0 of same has shape f32[4], and the argument s32[4]"


def test_aliases_of_custom_calls() -> None:
    """Those of values of the same type, by the number of the result; others have no form."""
    call = (
        '(f32[4], (s32[4], f32[4])) custom-call(f, t), custom_call_target="c", output_to_operand_aliasing={'
    )
    aliases = "{0}: (0, {}), {1,0}: (0, {}), {1,1}: (1, {1}), {1}: (0, {}), {0}: (1, {2})}"
    module = shlo.parse(f"HloModule m\n{OTHERS}{ENTRY}  ROOT r = {call}{aliases}\n}}\n")
    (op,) = [op for op in module.walk() if op.name == "stablehlo.custom_call"]
    fields = [dict(each.fields) for each in op.properties["output_operand_aliases"].value]
    found = [(f["output_tuple_indices"], f["operand_index"], f["operand_tuple_indices"]) for f in fields]
    assert found == [((0,), 0, ()), ((2,), 2, ())]


NANS = {  # the bits by the formats of the types, and of -0 where a type has no NaN, as XLA converts
    "f64": {"nan": 0x7FF8 << 48, "-nan": 0xFFF8 << 48, "nan(0x5)": 0x7FF0000000000005},
    "f32": {"nan": 0x7FC00000, "-nan": 0xFFC00000, "nan(0x1)": 0x7F800001, "-nan(0x7fffff)": 0xFFFFFFFF},
    "f16": {"nan": 0x7E00, "-nan": 0xFE00, "nan(0x3ff)": 0x7FFF},
    "bf16": {"nan": 0x7FC0, "-nan": 0xFFC0, "-nan(0x1)": 0xFF81},
    "f8e5m2": {"nan": 0x7E, "-nan": 0xFE, "nan(0x1)": 0x7D},
    "f8e4m3": {"nan": 0x7C, "-nan": 0xFC},
    "f8e3m4": {"nan": 0x78, "-nan": 0xF8},
    "f8e4m3fn": {"nan": 0x7F, "-nan": 0xFF},
    "f8e4m3fnuz": {"nan": 0x80, "-nan": 0x80},
    "f8e5m2fnuz": {"nan": 0x80},
    "f8e4m3b11fnuz": {"nan": 0x80},
    "f8e8m0fnu": {"nan": 0xFF},
    "f4e2m1fn": {"nan": 0x8},
    "f6e2m3fn": {"nan": 0x20},
}


@pytest.mark.parametrize("type", NANS)
def test_bits_of_numbers_that_are_none(type: str) -> None:
    for text, bits in NANS[type].items():
        module = parse_hlo(f"HloModule m\nENTRY e {{\n  ROOT c = {type}[] constant({text})\n}}\n")
        array = module.entry.root.value.array
        found = int(array.view(f"u{array.itemsize}").reshape(-1)[0])
        assert found == bits, (text, hex(found))


@pytest.mark.parametrize("type", ["f32", "bf16"])
def test_words_and_integers_as_numbers(type: str) -> None:
    """The integer -0 is 0, and -0.0 is not."""
    text = f"HloModule m\nENTRY e {{\n  ROOT c = {type}[6] constant({{true, false, -0, -0.0, -inf, 3}})\n}}\n"
    array = np.asarray(parse_hlo(text).entry.root.value.array, np.float64)
    assert array.tolist() == [1, 0, 0, 0, -np.inf, 3]
    assert np.signbit(array).tolist() == [False, False, False, True, True, False]


METADATA = (
    'op_type="add" op_name="jit(f)/add" source_file="a \\"b\\".py" source_line=3 source_end_line=4 '
    "source_column=5 source_end_column=6 profile_type={1} "
    'deduplicated_name="d" scheduling_name="s" preserve_layout=true '
    "size_of_generated_code_in_bytes=8 size_of_memory_working_set_in_bytes=9"
)


def test_every_field_of_metadata_is_printed_as_it_is_read() -> None:
    text = f"HloModule m\n{OTHERS}{ENTRY}  ROOT r = f32[4] negate(f), metadata={{{METADATA}}}\n}}\n"
    printed = parse_hlo(text).to_string()
    assert f"metadata={{{METADATA}}}" in printed
    plain = parse_hlo(text.replace("preserve_layout=true", "preserve_layout=false")).to_string()
    assert "preserve_layout" not in plain


@pytest.mark.parametrize(
    ("size", "window", "places"),
    [
        (0, Window((0,)), 0),
        (0, Window((1,)), 0),
        (0, Window((2,), pad=((1, 2),)), 2),
        (3, Window((3,)), 1),
        (3, Window((4,)), 0),
        (3, Window((2,), stride=(2,), pad=((0, 1),)), 2),
        (3, Window((2,), lhs_dilate=(2,), rhs_dilate=(3,)), 2),
        (3, Window((1,), pad=((-2, -2),)), 0),
        (None, Window((1,)), None),
    ],
)
def test_places_of_a_window(size: int | None, window: Window, places: int | None) -> None:
    """There are none in a dimension without elements, whatever the size of the window, as in XLA."""
    assert windowed(size, window, 0) == places
