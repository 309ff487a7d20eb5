"""The builder of LLVM IR: instructions and constants as LLVM's language reference writes them, and counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, literal
from stablehlo_py.engines.native.llvm.vectors import load_strided
from stablehlo_py.ir.types import FloatType, TensorType

OPERATORS: list[tuple[Callable[[Any], Any], str, str]] = [  # of %x, for floats, and for integers
    (lambda x: x + 3, "fadd float %x, {3}", "add i32 %x, 3"),
    (lambda x: 3 + x, "fadd float {3}, %x", "add i32 3, %x"),
    (lambda x: x - 3, "fsub float %x, {3}", "sub i32 %x, 3"),
    (lambda x: 3 - x, "fsub float {3}, %x", "sub i32 3, %x"),
    (lambda x: x * 3, "fmul float %x, {3}", "mul i32 %x, 3"),
    (lambda x: 3 * x, "fmul float {3}, %x", "mul i32 3, %x"),
    (lambda x: x / 3, "fdiv float %x, {3}", "sdiv i32 %x, 3"),
    (lambda x: 3 / x, "fdiv float {3}, %x", "sdiv i32 3, %x"),
    (lambda x: -x, "fneg float %x", "sub i32 0, %x"),
    (lambda x: x < 3, "fcmp olt float %x, {3}", "icmp slt i32 %x, 3"),
    (lambda x: x <= 3, "fcmp ole float %x, {3}", "icmp sle i32 %x, 3"),
    (lambda x: x > 3, "fcmp ogt float %x, {3}", "icmp sgt i32 %x, 3"),
    (lambda x: x >= 3, "fcmp oge float %x, {3}", "icmp sge i32 %x, 3"),
    (lambda x: x.equals(3), "fcmp oeq float %x, {3}", "icmp eq i32 %x, 3"),
    (lambda x: x.add_in_any_order(x), "fadd reassoc contract float %x, %x", "add i32 %x, %x"),
    (lambda x: x & 3, "", "and i32 %x, 3"),
    (lambda x: x | 3, "", "or i32 %x, 3"),
    (lambda x: x ^ 3, "", "xor i32 %x, 3"),
    (lambda x: x << 3, "", "shl i32 %x, 3"),
    (lambda x: x >> 3, "", "ashr i32 %x, 3"),
    (lambda x: x.logical_shift_right(3), "", "lshr i32 %x, 3"),
    (lambda x: x.is_nan(), "fcmp uno float %x, %x", ""),
    (lambda x: x.bitcast("i32") if x.is_float else x.bitcast("float"), "bitcast float %x to i32",
     "bitcast i32 %x to float"),
    (lambda x: x.convert("fpext", "double"), "fpext float %x to double", ""),
    (lambda x: x.call("fma", x, 3), "call float @llvm.fma.f32(float %x, float %x, float {3})", ""),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(OPERATORS)))
def test_operators(number: int) -> None:
    apply, of_float, of_integer = OPERATORS[number]
    three = "0x4008000000000000"  # 1.5 * 2**1
    for type, wanted in (("float", of_float.replace("{3}", three)), ("i32", of_integer)):
        b = Builder({})
        if wanted:
            found = apply(b.value("%x", type))
            assert b.lines == [f"  {found.text} = {wanted}"]


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (1.5, "double", "0x3FF8000000000000"),
        (-0.0, "float", "0x8000000000000000"),
        (0.1, "float", "0x3FB99999A0000000"),  # rounded to 24 bits
        (0.1, "double", "0x3FB999999999999A"),
        (1.0, "half", "0xH3C00"),
        (True, "i1", "true"),
        (0, "i1", "false"),
        (-7, "i64", "-7"),
        (2, "<4 x i32>", "splat (i32 2)"),
        (1, "<2 x double>", "splat (double 0x3FF0000000000000)"),
    ],
)
def test_constants(value: Any, type: str, text: str) -> None:
    assert literal(value, type) == text


def test_vectors_have_operators_of_their_elements() -> None:
    b = Builder({})
    x = b.value("%x", "<8 x float>")
    assert (x < 1.0).type == "<8 x i1>"
    x.call("sqrt")
    assert [line.split(" = ")[1] for line in b.lines] == [
        "fcmp olt <8 x float> %x, splat (float 0x3FF0000000000000)",
        "call <8 x float> @llvm.sqrt.v8f32(<8 x float> %x)",
    ]
    assert b.declarations == {"@llvm.sqrt.v8f32": "declare <8 x float> @llvm.sqrt.v8f32(<8 x float>)"}


def test_what_changes_nothing_is_no_instruction() -> None:
    b = Builder({})
    x = b.value("%x", "float")
    assert x.bitcast("float") is x and x.convert("fpext", "float") is x
    assert not b.lines and b.instructions == 0


@pytest.mark.parametrize(
    ("start", "stop", "trips", "times"), [(0, 10, 1, 10), (3, 10, 1, 7), (2, None, 5, 5)]
)
def test_instructions_of_loops_count_for_each_iteration(
    start: int, stop: int | None, trips: int, times: int
) -> None:
    b = Builder({})
    last = b.value("%n", "i64") if stop is None else b.constant(stop, "i64")
    with b.loop(b.constant(start, "i64"), last, trips=trips) as place:
        for _ in range(4):
            place + 1
    assert b.instructions == 1 + times * (len(b.lines) - 1)  # the label behind it is in none
    b.library("cbrt", b.value("%x", "double"))
    assert b.instructions == 2 + times * (len(b.lines) - 2) + 4096


def test_loops_that_test_at_the_end_run_once_at_least() -> None:
    """A loop without iterations, or that something else ends, tests in front of its body."""
    heads = []
    for start, stop, unless in ((0, 4, False), (4, 4, False), (0, 4, True)):
        b = Builder({})
        bounds = [b.constant(each, "i64") for each in (start, stop)]
        with b.loop(*bounds, interleave=True, unless=b.value("%s", "ptr") if unless else None):
            pass
        text = "\n".join(b.lines)
        heads.append("head" in text)
        assert text.count("!llvm.loop !0") == 1 and ("load volatile i64, ptr %s" in text) == unless
    assert heads == [False, True, True]


def test_assumptions_are_made_where_their_failure_is_recorded() -> None:
    b = Builder({})
    holds = b.value("%h", "i1")
    assert not b.assume(holds) and not b.lines and not b.assumed
    b.broken = b.alloca("i8")
    assert b.assume(holds) and b.assumed
    texts = [line.partition(" = ")[2] or line.strip() for line in b.lines]
    assert texts[0] == "xor i1 %h, true" and texts[1].startswith("zext i1")
    assert any(each.startswith("or i8") for each in texts) and texts[-1].startswith("store i8")


def test_parts_of_complex_numbers_are_neighbours() -> None:
    b = Builder({})
    p, i = b.value("%p", "ptr"), b.value("%i", "i64")
    z = b.load("{ double, double }", p, i)
    b.store(z, p, i)
    kinds = [(line.partition(" = ")[2] or line.strip()).split()[0] for line in b.lines]
    at = "mul add getelementptr"
    assert " ".join(kinds) == f"{at} load {at} load {at} store {at} store"
    assert [line.rpartition(" ")[2] for line in b.lines if " = add " in line] == ["0", "1", "0", "1"]
    b.lines.clear()
    z.compare("oeq", z)
    z.compare("une", z)
    kinds = [line.partition(" = ")[2].split()[0] for line in b.lines]
    assert " ".join(kinds) == "fcmp fcmp and fcmp fcmp or"


def loaded(b: Builder) -> tuple[list[int], int]:
    """The numbers of the elements in the vector that is made last, and the last one that is read."""
    starts: dict[str, int] = {"%i": 0}
    places: dict[str, str] = {}
    vectors: dict[str, list[int]] = {}
    last = 0
    for line in b.lines:
        name, _, text = line.strip().partition(" = ")
        if text.startswith("add i64"):
            starts[name] = int(text.rpartition(" ")[2])  # all are behind %i
        elif text.startswith("getelementptr"):
            places[name] = text.rpartition(" ")[2]
        elif text.startswith("load"):
            start, count = starts[places[text.split()[5].rstrip(",")]], int(text.split()[1].lstrip("<"))
            vectors[name] = [*range(start, start + count)]
            last = max(last, start + count - 1)
        else:
            first, second = re.findall(r"%v\d+", text)
            both = vectors[first] + vectors[second]
            vectors[name] = [both[int(lane)] for lane in re.findall(r"i32 (\d+)", text)]
    return vectors[name], last


@pytest.mark.parametrize("count", [2, 4, 8, 16])
@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_loads_with_a_stride_read_nothing_behind_the_last_element(count: int, step: int) -> None:
    b = Builder({})
    element = element_of(TensorType((), FloatType("f32")))
    assert element is not None
    load_strided(b, element, count, b.value("%p", "ptr"), b.value("%i", "i64"), step)
    lanes, last = loaded(b)
    assert lanes == [lane * step for lane in range(count)]
    assert last == (count - 1) * step
