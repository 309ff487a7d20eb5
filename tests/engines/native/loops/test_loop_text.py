"""The text of loop IR: what is printed is read back as it was."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from test_loop_verifier import DIGITS, PIECES, PRODUCT, ROWS

from stablehlo_py.engines.native.loop_ir.expressions import apply, constant, load
from stablehlo_py.engines.native.loop_ir.index import Index, Number, Variable, of_atom, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Loop, Program, Store
from stablehlo_py.engines.native.loop_ir.text import expression_text, text_of
from stablehlo_py.ir.types import I1, ComplexType, FloatType, IntegerType
from tests.helpers.loop_parser import parse

FOLDS = """
input x: 4xf32
input p: 4xi1
output y: 4xf32
output z: i1
a = reduce(add, f32(0.0)) j in 0..4 { load x[j] }
b = fold(f32(0.0)) k in 0..4 { (b + (load x[k] * b)) }
c = fold(f32(0.0)) l in 0..4 { (load x[l] + c) }
d = fold(i1(true)) m in 0..4 { compare(d, load p[m], compare_type=UNSIGNED, comparison_direction=EQ) }
e, f = fold(f32(0.0), f32(1.0)) n in 0..4 { (e + load x[n]); (f * load x[n]) }
g = reduce(subtract, f32(0.0)) q in 0..4 { (a * load x[q]) }
store y[0] = (b + c)
store y[1] = e
store y[2] = f
store y[3] = g
store z[] = d
"""


@pytest.mark.parametrize("text", [ROWS, PRODUCT, PIECES, DIGITS, FOLDS])
def test_programs_are_printed_as_they_are_read(text: str) -> None:
    assert text_of(parse(text)) == text.strip()


def test_values_that_are_used_twice_have_a_name() -> None:
    program = parse("input x: 2xf32\noutput y: 2xf32\nparallel i in 0..2 { store y[i] = load x[i] }")
    x, y = program.buffers
    place = (of_variable(Variable("i", 2)),)
    element = load(x, place)
    square = apply("stablehlo.tanh", x.element, (apply("stablehlo.multiply", x.element, (element, element)),))
    sum_ = apply("stablehlo.add", x.element, (square, square))
    made = Program(program.buffers, (Loop(Variable("i", 2), (Store(y, place, sum_),), "parallel"),))
    assert text_of(made).endswith("""parallel i in 0..2 {
  let t1 = tanh((load x[i] * load x[i]))
  store y[i] = (t1 + t1)
}""")
    assert text_of(parse(text_of(made))) == text_of(made)


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (np.float32(-0.0), FloatType("f32"), "f32(-0.0)"),
        (np.float32(1e-45), FloatType("f32"), "f32(1.401298464324817e-45)"),
        (np.uint32(0x7FC00001).view(np.float32), FloatType("f32"), "f32(0x7FC00001)"),
        (np.float64(-np.inf), FloatType("f64"), "f64(-inf)"),
        (ml_dtypes.bfloat16(1.5), FloatType("bf16"), "bf16(1.5)"),
        (np.int8(-128), IntegerType(8), "i8(-128)"),
        (np.uint64(2**64 - 1), IntegerType(64, "u"), "ui64(18446744073709551615)"),
        (np.bool_(True), I1, "i1(true)"),
        (np.complex64(1 - 2j), ComplexType(FloatType("f32")), "complex<f32>(1.0, -2.0)"),
    ],
)
def test_numbers_keep_their_bits(value: object, type: FloatType, text: str) -> None:
    assert expression_text(constant(value, type)) == text
    program = parse(f"output y: {type}\nstore y[] = {text}")
    (store,) = program.body
    assert isinstance(store, Store) and store.value is constant(value, type)


@pytest.mark.parametrize(
    ("start", "stop", "values", "is_whole"),
    [(0, None, "0..12", True), (2, None, "2..12 of 12", False), (0, 7, "0..7 of 12", False)],
)
def test_the_values_of_a_loop(start: int, stop: int | None, values: str, is_whole: bool) -> None:
    program = parse("output y: 12xf32\nparallel i in 0..12 { store y[i] = f32(1.0) }")
    (loop,) = program.body
    assert isinstance(loop, Loop)
    ends = [None if each is None else Index((), each) for each in (start, stop)]
    part = Loop(loop.variable, loop.body, "parallel", ends[0] or loop.start, ends[1])
    assert part.is_whole == is_whole
    assert f"parallel i in {values} {{" in text_of(Program(program.buffers, (part,)))


def test_numbers_in_indices() -> None:
    program = parse("input n: i32\ninput x: 5xf32\noutput y: f32\nstore y[] = load x[clamp(load n[], 5)]")
    n, x, _ = program.buffers
    (store,) = program.body
    assert isinstance(store, Store) and store.value is load(x, (of_atom(Number(load(n, ()), 5)),))


def test_what_is_no_program() -> None:
    with pytest.raises(ValueError, match="expected '=', found"):
        parse("output y: 2xf32\nparallel i in 0..2 { store y[i] }")
