"""Shadow runs: measures of hand-calculated programs, control flow, and what has no shadow."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.rounding import random_rounding
from stablehlo_py.rounding.random_rounding import round_at_random
from stablehlo_py.rounding.rows import Shadow, ShadowRow

BF16 = ml_dtypes.bfloat16


def shadow(body: str, *inputs: Any, wide: str = "f64") -> Shadow:
    return shlo.shadow(shlo.parse(f"func.func @main{body}"), inputs, wide=wide)


def row_of(found: Shadow, value: str) -> ShadowRow:
    (row,) = [row for row in found.rows if row.value == value]
    return row


@pytest.mark.parametrize("wide", ["f64", "f32"])
def test_an_addition_introduces_its_rounding(wide: str) -> None:
    found = shadow(
        "(%a: tensor<bf16>, %b: tensor<bf16>) -> tensor<bf16> {\n"
        "  %0 = stablehlo.add %a, %b : tensor<bf16>\n  return %0 : tensor<bf16>\n}",
        BF16(256),
        BF16(1),
        wide=wide,
    )
    (row,) = found.rows
    assert float(found.results[0]) == 256.0
    assert (row.op, row.line, row.type, row.executions) == ("stablehlo.add", 2, "bf16", 1)
    for measured in (row.error, row.introduced, row.largest, row.contribution, found.errors[0]):
        assert measured == pytest.approx(1 / 257)
    assert row.ulp == pytest.approx(128 / 257)  # the unit of 1 is 2 to the power of -7
    assert (row.carried, row.amplification, row.cancelled) == (0.0, 0.0, 0.0)


CANCELLING = """(%a: tensor<f16>, %b: tensor<f16>) -> tensor<f16> {
  %0 = stablehlo.add %a, %b : tensor<f16>
  %1 = stablehlo.subtract %0, %a : tensor<f16>
  return %1 : tensor<f16>
}"""


def test_a_difference_amplifies_the_errors_of_its_operands() -> None:
    found = shadow(CANCELLING, np.float16(2048), np.float16(1))  # 2049 rounds to 2048
    add, subtract = row_of(found, "%0"), row_of(found, "%1")
    assert (add.error, subtract.error) == (pytest.approx(1 / 2049), 1.0)
    assert (subtract.introduced, subtract.carried) == (0.0, 1.0)
    assert subtract.amplification == pytest.approx(2049)
    assert subtract.cancelled == pytest.approx(math.log2(2049))
    assert (add.contribution, subtract.contribution) == (pytest.approx(1), 0.0)
    assert found.rows[0] is add


def test_cancelled_bits_of_sums_and_products() -> None:
    found = shadow(
        "(%a: tensor<3xbf16>, %b: tensor<3xbf16>, %c: tensor<2xbf16>) "
        "-> (tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>) {\n"
        "  %z = stablehlo.constant dense<0.0> : tensor<bf16>\n"
        "  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : "
        "(tensor<3xbf16>, tensor<bf16>) -> tensor<bf16>\n"
        "  %1 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : "
        "(tensor<3xbf16>, tensor<3xbf16>) -> tensor<bf16>\n"
        "  %i = stablehlo.constant dense<127.0> : tensor<bf16>\n"
        "  %2 = stablehlo.reduce(%c init: %i) applies stablehlo.add across dimensions = [0] : "
        "(tensor<2xbf16>, tensor<bf16>) -> tensor<bf16>\n"
        "  %3 = stablehlo.dot %a, %b : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<bf16>\n"
        "  return %0, %1, %2, %3 : tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>\n}",
        np.array([96, 1, -96], BF16),
        np.array([2, 4, 2], BF16),
        np.array([-120, 1], BF16),
    )
    assert row_of(found, "%0").cancelled == pytest.approx(math.log2(96))
    assert row_of(found, "%1").cancelled == pytest.approx(math.log2(192 / 4))
    assert row_of(found, "%2").cancelled == pytest.approx(math.log2(127 / 8))  # the initial value is a term
    assert [float(result) for result in found.results] == [1, 4, 8, 4]


@pytest.mark.parametrize("masked", ["%m", "%n"])
def test_infinite_terms_cancel_no_bits(masked: str) -> None:
    """A mask hides a number by an infinite term, given as it is or computed; the others add up."""
    found = shadow(
        "(%a: tensor<4xbf16>, %m: tensor<4xbf16>) -> tensor<4xbf16> {\n"
        "  %n = stablehlo.add %m, %m : tensor<4xbf16>\n"
        f"  %0 = stablehlo.add %a, {masked} : tensor<4xbf16>\n  return %0 : tensor<4xbf16>\n}}",
        np.array([3, 4, 5, -1], BF16),
        np.array([0, 0, -math.inf, 0], BF16) if masked == "%m" else np.array([1, 2, -math.inf, 0], BF16),
    )
    row = row_of(found, "%0")
    whole = [3, 4, -1] if masked == "%m" else [5, 8, -1]
    terms = math.hypot(3, 4, 5, -1)  # more than the terms of the mask
    bits = max(0.0, math.log2(terms / math.hypot(*whole)))
    assert (row.error, row.cancelled) == (0.0, pytest.approx(bits, abs=1e-9))


def test_norms_are_root_mean_squares() -> None:
    found = shadow(
        "(%a: tensor<2xbf16>, %b: tensor<2xbf16>) -> tensor<2xbf16> {\n"
        "  %0 = stablehlo.add %a, %b : tensor<2xbf16>\n  return %0 : tensor<2xbf16>\n}",
        np.array([256, 512], BF16),
        np.array([1, 2], BF16),
    )
    assert found.rows[0].error == pytest.approx(math.hypot(1, 2) / math.hypot(257, 514))
    assert found.rows[0].largest == pytest.approx(1 / 257)


@pytest.mark.parametrize(
    ("op", "a", "b", "overflow", "underflow", "flushed"),
    [
        ("add", 6e4, 6e4, 1, 0, 0),
        ("multiply", 1e-4, 1e-4, 0, 1, 1),
        ("multiply", 1e-3, 1e-3, 0, 1, 0),
        ("multiply", 0.0, 1e-3, 0, 0, 0),
        ("add", math.inf, 1.0, 0, 0, 0),
    ],
)
def test_numbers_out_of_range(
    op: str, a: float, b: float, overflow: int, underflow: int, flushed: int
) -> None:
    found = shadow(CANCELLING.replace("add", op), np.float16(a), np.float16(b))
    row = row_of(found, "%0")
    assert (row.overflow, row.underflow, row.flushed) == (overflow, underflow, flushed)
    assert (row.error == math.inf) == bool(overflow)


@pytest.mark.parametrize(("wide", "error"), [("f64", 2.0**-30), ("f32", 0.0)])
def test_errors_are_those_beside_the_wide_type(wide: str, error: float) -> None:
    """1 + 2^-30 is a number of f64 alone."""
    found = shadow(
        "(%a: tensor<bf16>, %b: tensor<bf16>) -> tensor<bf16> {\n"
        "  %0 = stablehlo.add %a, %b : tensor<bf16>\n  return %0 : tensor<bf16>\n}",
        BF16(1),
        BF16(2.0**-30),
        wide=wide,
    )
    assert found.errors == [pytest.approx(error)] and found.wide == wide


def test_the_operand_with_the_largest_error_is_amplified() -> None:
    """2049 rounds to 2048; of 3, the exact operand, less that, the error is a 2046th."""
    found = shadow(
        "(%a: tensor<f16>, %b: tensor<f16>, %c: tensor<f16>) -> tensor<f16> {\n"
        "  %0 = stablehlo.add %a, %b : tensor<f16>\n"
        "  %1 = stablehlo.subtract %c, %0 : tensor<f16>\n  return %1 : tensor<f16>\n}",
        np.float16(2048),
        np.float16(1),
        np.float16(3),
    )
    assert row_of(found, "%1").carried == pytest.approx(1 / 2046)
    assert row_of(found, "%1").amplification == pytest.approx(2049 / 2046)


def test_discrete_results_of_all_iterations_count() -> None:
    """2048 + 1 rounds to 2048, which is not above it, three times."""
    found = shadow(
        "(%a: tensor<f16>, %b: tensor<f16>) -> tensor<i1> {\n"
        "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %three = stablehlo.constant dense<3> : tensor<i32>\n"
        "  %no = stablehlo.constant dense<false> : tensor<i1>\n"
        "  %0:2 = stablehlo.while(%i = %zero, %p = %no) : tensor<i32>, tensor<i1>\n  cond {\n"
        "    %q = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %q : tensor<i1>\n  } do {\n"
        "    %s = stablehlo.add %a, %b : tensor<f16>\n"
        "    %g = stablehlo.compare GT, %s, %a : (tensor<f16>, tensor<f16>) -> tensor<i1>\n"
        "    %j = stablehlo.add %i, %one : tensor<i32>\n"
        "    stablehlo.return %j, %g : tensor<i32>, tensor<i1>\n  }\n"
        "  return %0#1 : tensor<i1>\n}",
        np.float16(2048),
        np.float16(1),
    )
    assert [(row.value, row.diverged) for row in found.diverged] == [("%g", 3)]


def test_discrete_results_follow_the_program() -> None:
    found = shadow(
        "(%a: tensor<f16>, %b: tensor<f16>) -> (tensor<i1>, tensor<f16>) {\n"
        "  %0 = stablehlo.add %a, %b : tensor<f16>\n"
        "  %1 = stablehlo.compare GT, %0, %a : (tensor<f16>, tensor<f16>) -> tensor<i1>\n"
        '  %2 = "stablehlo.if"(%1) ({\n    stablehlo.return %0 : tensor<f16>\n  }, {\n'
        "    stablehlo.return %b : tensor<f16>\n  }) : (tensor<i1>) -> tensor<f16>\n"
        "  return %1, %2 : tensor<i1>, tensor<f16>\n}",
        np.float16(2048),
        np.float16(1),
    )
    assert [bool(found.results[0]), float(found.results[1])] == [False, 1.0]
    assert [(row.line, row.diverged) for row in found.diverged] == [(3, 1)]
    assert found.errors == [None, 0.0]


LOOP = """(%x: tensor<bf16>, %n: tensor<i32>) -> tensor<bf16> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %j = stablehlo.constant dense<1> : tensor<i32>
  %one = stablehlo.constant dense<1.0> : tensor<bf16>
  %r:2 = stablehlo.while(%k = %i, %y = %x) : tensor<i32>, tensor<bf16> cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %z = func.call @f(%y, %one) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
    %l = stablehlo.add %k, %j : tensor<i32>
    stablehlo.return %l, %z : tensor<i32>, tensor<bf16>
  }
  return %r#1 : tensor<bf16>
}
func.func private @f(%a: tensor<bf16>, %b: tensor<bf16>) -> tensor<bf16> {
  %s = stablehlo.add %a, %b : tensor<bf16>
  return %s : tensor<bf16>
}"""


def test_loops_fold_by_op_with_the_iteration_of_the_worst() -> None:
    found = shadow(LOOP, BF16(254), np.int32(4))  # 255, 256, and 256 again: 257 is a tie
    (row,) = found.rows
    assert (row.executions, row.iterations, row.error) == (4, (3,), pytest.approx(2 / 258))
    assert row.contribution == pytest.approx(2 / 258)  # both roundings are down


def test_iterations_of_loops_one_after_the_other_and_inside_each_other() -> None:
    """255, 256 and 257, which is rounded to 256, in the third iteration; then five of 256 with 1 each."""
    body = LOOP.partition("func.func private")[0]
    start, end = body.index("  %r:2"), body.index("  return %r")
    second = body[start:end].replace("%r:2", "%s:2").replace("%y = %x", "%y = %r#1")
    found = shadow(
        body[:end] + second + body[end:].replace("%r#1", "%s#1") + LOOP[len(body) :], BF16(254), np.int32(3)
    )
    (row,) = found.rows
    assert (row.executions, row.iterations, row.error) == (6, (2,), pytest.approx(4 / 260))
    inner = body[start:end].replace("%r:2", "%q:2").replace("%y = %x", "%w = %v").replace("%y", "%w")
    inner = inner.replace("%k", "%m").replace("%l", "%o").replace("%z", "%p").replace("%c ", "%e ")
    inner = inner.replace("return %c", "return %e")
    outer = (
        body[start:end]
        .replace("%y", "%v")
        .replace(
            "    %z = func.call @f(%v, %one) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>\n",
            inner + "    %z = stablehlo.reshape %q#1 : (tensor<bf16>) -> tensor<bf16>\n",
        )
    )
    found = shadow(body[:start] + outer + body[end:] + LOOP[len(body) :], BF16(250), np.int32(3))
    (row,) = [row for row in found.rows if row.op == "stablehlo.add"]
    assert (row.executions, row.iterations, row.error) == (9, (2, 2), pytest.approx(3 / 259))


def test_maps_are_of_the_execution_with_the_largest_error() -> None:
    from stablehlo_py.engines.program import compile_program
    from stablehlo_py.rounding.engine import ShadowEngine

    engine = ShadowEngine("f64", lambda own, wide: (float(own), float(wide)))
    program = compile_program(shlo.parse(f"func.func @main{LOOP}"), None, engine=engine)
    program.call([BF16(254), np.int32(4)])
    (row,) = engine.shadow.rows
    assert (row.map, row.executions) == ((256.0, 258.0), 4)
    program.call([BF16(254), np.int32(3)])  # which says nothing of the run before
    (row,) = engine.shadow.rows
    assert (row.map, row.executions) == ((256.0, 257.0), 3)


def test_moved_data_keeps_its_error() -> None:
    found = shadow(
        "(%a: tensor<2xbf16>, %b: tensor<2xbf16>) -> tensor<1x3xbf16> {\n"
        "  %0 = stablehlo.add %a, %b : tensor<2xbf16>\n"
        "  %1 = stablehlo.slice %0 [0:1] : (tensor<2xbf16>) -> tensor<1xbf16>\n"
        "  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xbf16>) -> tensor<1x3xbf16>\n"
        "  return %2 : tensor<1x3xbf16>\n}",
        np.array([256, 512], BF16),
        np.array([1, 4], BF16),
    )
    assert [row.value for row in found.rows] == ["%0"]
    assert found.errors == [pytest.approx(1 / 257)]
    assert found.rows[0].contribution == pytest.approx(1 / 257)


def test_a_line_says_what_has_no_shadow() -> None:
    found = shadow(
        "(%a: tensor<f32>, %d: tensor<f64>) -> (tensor<f32>, tensor<f64>) {\n"
        "  %0 = stablehlo.complex %a, %a : tensor<complex<f32>>\n"
        "  %1 = stablehlo.real %0 : (tensor<complex<f32>>) -> tensor<f32>\n"
        "  %2 = stablehlo.add %d, %d : tensor<f64>\n"
        "  %3 = stablehlo.real %0 : (tensor<complex<f32>>) -> tensor<f32>\n"
        "  %4 = stablehlo.compare EQ, %0, %0 : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<i1>\n"
        "  %5 = stablehlo.not %4 : tensor<i1>\n"
        "  return %1, %2 : tensor<f32>, tensor<f64>\n}",
        np.float32(1),
        1.0,
    )
    assert found.note == (
        "not shadowed: complex or quantized numbers: stablehlo.complex, stablehlo.real (2), "
        "stablehlo.compare; "
        "no type wider than f64: stablehlo.add"
    )
    assert found.rows == []


def test_values_that_are_no_tensors() -> None:
    """A tuple passes errors on, and is not listed; an op with effects is."""
    found = shadow(
        "(%a: tensor<f16>, %b: tensor<f16>) -> tensor<f16> {\n"
        "  %0 = stablehlo.add %a, %b : tensor<f16>\n"
        "  %1 = stablehlo.tuple %0, %a : tuple<tensor<f16>, tensor<f16>>\n"
        "  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<f16>, tensor<f16>>) -> tensor<f16>\n"
        "  %3 = stablehlo.create_token : !stablehlo.token\n"
        '  %4 = "stablehlo.outfeed"(%2, %3) : (tensor<f16>, !stablehlo.token) -> !stablehlo.token\n'
        "  %5 = stablehlo.negate %2 : tensor<f16>\n"
        "  return %5 : tensor<f16>\n}",
        np.float16(2048),
        np.float16(1),
    )
    assert float(found.results[0]) == -2048
    assert found.note == "not shadowed: effects: stablehlo.outfeed"
    assert [(row.value, row.error) for row in found.rows] == [
        (name, pytest.approx(1 / 2049)) for name in ("%0", "%5")
    ]


def test_a_program_without_results_has_rows() -> None:
    found = shadow(
        "(%a: tensor<f16>) {\n  %0 = stablehlo.add %a, %a : tensor<f16>\n"
        "  %1 = stablehlo.multiply %0, %0 : tensor<f16>\n  return\n}",
        np.float16(300),
    )
    assert [(row.value, row.overflow, row.contribution) for row in found.rows] == [
        ("%1", 1, 0.0),
        ("%0", 0, 0.0),
    ]
    assert found.errors == []


def test_an_input_that_is_returned_is_exact() -> None:
    found = shadow(
        "(%a: tensor<f16>) -> (tensor<f16>, tensor<f16>) {\n  return %a, %a : tensor<f16>, tensor<f16>\n}",
        np.float16(3),
    )
    assert ([float(x) for x in found.results], found.errors, found.rows) == ([3, 3], [0, 0], [])


def test_scopes_join_the_parts_of_their_ops() -> None:
    text = CANCELLING.replace("subtract %0, %a : tensor<f16>", 'multiply %0, %b : tensor<f16> loc("f/g/mul")')
    text = text.replace("add %a, %b : tensor<f16>", 'add %a, %b : tensor<f16> loc("f/g/add")')
    found = shadow(text, np.float16(2048), np.float16(1 + 2**-10))
    assert all(row.contribution for row in found.rows)
    assert found.scopes() == [("f/g", pytest.approx(found.errors[0]))]


def test_results_are_those_of_the_program_and_another_type_is_refused() -> None:
    with pytest.raises(ValueError, match="one of: f64, f32, random"):
        shadow(CANCELLING, np.float16(1), np.float16(1), wide="f16")
    found = shadow(LOOP, BF16(254), np.int32(0))
    assert (found.rows, found.errors, float(found.results[0])) == ([], [0.0], 254.0)


def test_long_operands_are_measured_as_short_ones_are() -> None:
    """Long elementwise ops run in blocks: one element has the error, another is out of range."""
    body = (
        "(%a: tensor<40000xf16>, %s: tensor<f16>) -> tensor<40000xf16> {\n"
        "  %0 = stablehlo.add %a, %a : tensor<40000xf16>\n"
        "  %1 = stablehlo.clamp %s, %0, %s : (tensor<f16>, tensor<40000xf16>, tensor<f16>) "
        "-> tensor<40000xf16>\n"
        "  %2 = stablehlo.multiply %0, %0 : tensor<40000xf16>\n"
        "  return %2 : tensor<40000xf16>\n}"
    )
    values = np.ones(40000, np.float16)
    values[20000], values[39999] = 1 + 2**-10, 150.0
    found = shadow(body, values, np.float16(1))
    row = row_of(found, "%2")  # 4 (1 + 2**-9 + 2**-20) in f16 has no last term
    assert row.overflow == 1
    assert (row.error, found.errors[0]) == (math.inf, math.inf)
    values[39999] = 1.0
    row = row_of(shadow(body, values, np.float16(1)), "%2")
    introduced = 4 * 2**-20 / math.sqrt((39999 * 16 + (4 * (1 + 2**-10) ** 2) ** 2) / 1)
    assert row.introduced == pytest.approx(introduced, rel=1e-6)
    assert row.largest == pytest.approx(2**-20 / (1 + 2**-10) ** 2)


def test_random_rounding_gives_significant_digits() -> None:
    found = shadow(CANCELLING, np.float16(2048), np.float16(1.5), wide="random")
    add, subtract = row_of(found, "%0"), row_of(found, "%1")
    assert float(found.results[0]) == 2.0
    assert 3.0 < add.digits < 11 * math.log10(2) + 1e-9  # 2048 and 2050
    assert subtract.digits < 0.6  # 0 and 2
    exact = shadow(CANCELLING, np.float16(2), np.float16(1), wide="random")
    assert [row.error for row in exact.rows] == [0.0, 0.0]
    assert row_of(exact, "%0").digits == pytest.approx(11 * math.log10(2))


def test_discrete_results_that_some_runs_with_random_rounding_have_otherwise() -> None:
    """2049.5 is 2050 in f16, and 2048 in a quarter of the runs: in one or more of eight for 90 % of all."""
    found = shadow(
        "(%a: tensor<64xf16>, %b: tensor<64xf16>, %c: tensor<64xf16>) -> tensor<64xi1> {\n"
        "  %0 = stablehlo.add %a, %b : tensor<64xf16>\n"
        "  %1 = stablehlo.compare GT, %0, %c : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xi1>\n"
        "  return %1 : tensor<64xi1>\n}",
        *(np.full(64, x, np.float16) for x in (2048, 1.5, 2048)),
        wide="random",
    )
    assert np.all(found.results[0])
    assert 45 < row_of(found, "%1").diverged < 64


def test_random_rounding_of_moved_data_in_a_program_of_many_ops() -> None:
    """A sum that is rounded once, then moved: in 40 ops, of which none makes another error."""
    pair = (
        "%b{n} = stablehlo.reshape %{x} : (tensor<4xbf16>) -> tensor<2x2xbf16>\n"
        "%c{n} = stablehlo.reshape %b{n} : (tensor<2x2xbf16>) -> tensor<4xbf16>\n"
    )
    moved = "".join(pair.format(n=n, x=f"c{n - 1}" if n else "a") for n in range(20))
    text = f"""func.func @main(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {{
%a = stablehlo.add %x, %y : tensor<4xbf16>
{moved}return %c19 : tensor<4xbf16>
}}"""
    given = [np.full(4, 256, ml_dtypes.bfloat16), np.full(4, 1, ml_dtypes.bfloat16)]
    found = shlo.shadow(shlo.parse(text), given, wide="random")
    (row,) = found.rows
    assert row.op == "stablehlo.add"
    assert found.errors == [row.error]
    assert 0.5 < row.error * 257 < 2  # 256 or 258


def test_eight_runs_with_random_rounding_follow_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: list[tuple[int, ...]] = []

    def rounded(values: Any, *rest: Any) -> Any:
        shapes.append(values.shape)
        return round_at_random(values, *rest)

    monkeypatch.setattr(random_rounding, "round_at_random", rounded)
    found = shadow(LOOP, BF16(254), np.int32(4), wide="random")
    assert shapes == [(8,)] * 4
    (row,) = found.rows
    assert (row.executions, float(found.results[0])) == (4, 256.0)
    assert 0 < row.error < 4 / 256


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        (257.0, 256.0, 258.0),
        (-257.0, -258.0, -256.0),
        (1e-40, 2.0**-133, 2.0**-132),  # the least subnormal number of bf16, and twice as much
        (2.0**-127 + 2.0**-134, 2.0**-127, 2.0**-127 + 2.0**-133),
    ],
)
def test_rounding_at_random_is_unbiased(value: float, least: float, most: float) -> None:
    found = round_at_random(np.full(4000, value), "bf16", np.random.default_rng(0))
    assert set(found) == {least, most}
    assert found.mean() == pytest.approx(value, rel=2e-2 if abs(value) < 1 else 1e-3)


def test_rounding_at_random_keeps_signs_and_what_is_not_finite() -> None:
    """No number of f16 is 1e6 or 7e4; 3 is one."""
    values = np.array([np.inf, -np.inf, np.nan, 1e6, -7e4, 3.0, 0.0, -0.0])
    with np.errstate(all="raise"):
        found = round_at_random(values, "f16", np.random.default_rng(0))
    assert str(found.tolist()) == "[inf, -inf, nan, inf, -inf, 3.0, 0.0, -0.0]"


@pytest.mark.parametrize("rows", [[0], [0, 1], [0, 0], [1, 0, 1], [5], [0, 1, 2]])
def test_an_array_whose_rows_are_replaced(rows: list[int]) -> None:
    """Row k of a long array becomes 256 + 1 + k, where 257 is rounded to 256; rows replace earlier ones."""
    lines = []
    for k, row in enumerate(rows):
        lines += [
            f"  %i{k} = stablehlo.constant dense<{row}> : tensor<i32>",
            f"  %k{k} = stablehlo.constant dense<{k + 1}.0> : tensor<1x4000xbf16>",
            f"  %s{k} = stablehlo.add %x, %k{k} : tensor<1x4000xbf16>",
            f"  %y{k + 1} = stablehlo.dynamic_update_slice %y{k}, %s{k}, %i{k}, %z : (tensor<3x4000xbf16>, "
            "tensor<1x4000xbf16>, tensor<i32>, tensor<i32>) -> tensor<3x4000xbf16>",
        ]
    body = "\n".join(lines)
    found = shadow(
        "(%x: tensor<1x4000xbf16>, %y0: tensor<3x4000xbf16>) -> tensor<3x4000xbf16> {\n"
        f"  %z = stablehlo.constant dense<0> : tensor<i32>\n{body}\n"
        f"  return %y{len(rows)} : tensor<3x4000xbf16>\n}}",
        np.full((1, 4000), 256, BF16),
        np.full((3, 4000), 8, BF16),
    )
    wide, own = [8.0] * 3, [8.0] * 3
    for k, row in enumerate(rows):
        wide[min(row, 2)], own[min(row, 2)] = 257.0 + k, (256.0, 258.0, 260.0)[k]
    assert np.asarray(found.results[0][:, 0], float).tolist() == own
    error = math.dist(own, wide) / math.hypot(*wide)
    assert found.errors == [pytest.approx(error, rel=1e-12)]
    assert {row.op for row in found.rows} == {"stablehlo.add"}


def test_why_an_op_has_no_shadow() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<2xcomplex<f32>>) {
      %a = stablehlo.constant dense<0.0> : tensor<f32>
      %b = stablehlo.constant dense<1.0> : tensor<f32>
      %s = stablehlo.constant dense<2> : tensor<1xi64>
      %r = "stablehlo.rng"(%a, %b, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}>
        : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
      %y = stablehlo.add %x, %r : tensor<2xf32>
      %i = stablehlo.bitcast_convert %y : (tensor<2xf32>) -> tensor<2xi32>
      %j = stablehlo.add %i, %i : tensor<2xi32>
      %c = stablehlo.complex %x, %y : tensor<2xcomplex<f32>>
      return %y, %j, %c : tensor<2xf32>, tensor<2xi32>, tensor<2xcomplex<f32>>
    }"""
    found = shlo.shadow(shlo.parse(text), [np.float32([1, 2])])
    assert found.unshadowed == {
        ("bits or random numbers", "stablehlo.rng"): 1,
        ("bits or random numbers", "stablehlo.bitcast_convert"): 1,
        ("complex or quantized numbers", "stablehlo.complex"): 1,
    }
    assert [row.op for row in found.rows] == ["stablehlo.add"]


@pytest.mark.parametrize("count", ["mhlo.num_partitions", "mhlo.num_replicas"])
def test_a_program_for_several_processes_has_no_shadow_run(count: str) -> None:
    main = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    with pytest.raises(shlo.Unsupported, match="a shadow run is of one process; the program is for a grid"):
        shlo.shadow(shlo.parse(f"module attributes {{{count} = 2 : i32}} {{ {main} }}"), [np.float32(1)])
    one = shlo.parse(f"module attributes {{{count} = 1 : i32}} {{ {main} }}")
    assert shlo.shadow(one, [np.float32(1)]).errors == [0.0]


@pytest.mark.parametrize(("second", "diverged"), [(3.0, 2), (3.001953125, 0)])
def test_integers_that_a_sort_moves_elsewhere(second: float, diverged: int) -> None:
    """Keys that rounding makes equal keep their order; in f64, the second one is smaller."""
    found = shadow(
        """(%x: tensor<2xf16>, %n: tensor<2xi32>) -> tensor<2xi32> {
          %c = stablehlo.constant dense<3.332520e-01> : tensor<f16>
          %t = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f16>) -> tensor<2xf16>
          %y = stablehlo.multiply %x, %t : tensor<2xf16>
          %0:2 = "stablehlo.sort"(%y, %n) <{dimension = 0 : i64, is_stable = true}> ({
          ^bb0(%a: tensor<f16>, %b: tensor<f16>, %i: tensor<i32>, %j: tensor<i32>):
            %p = stablehlo.compare LT, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
            stablehlo.return %p : tensor<i1>
          }) : (tensor<2xf16>, tensor<2xi32>) -> (tensor<2xf16>, tensor<2xi32>)
          return %0#1 : tensor<2xi32>
        }""",
        np.float16([3.001953125, second]),
        np.int32([10, 20]),
    )
    assert [list(each) for each in found.results] == [[10, 20]]
    assert sum(row.diverged for row in found.rows if row.op == "stablehlo.sort") == diverged


def test_a_call_that_takes_no_wide_numbers_runs_as_it_is() -> None:
    """LAPACK's Cholesky factor in f32 has no kernel for f64; the root of 9 is 3, and 3 + 1/3 has an error."""
    found = shadow(
        """(%x: tensor<1x1xf32>, %y: tensor<1x1xf32>) -> tensor<1x1xf32> {
          %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}}
            : (tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<i32>)
          %1 = stablehlo.divide %y, %0#0 : tensor<1x1xf32>
          return %1 : tensor<1x1xf32>
        }""",
        np.float32([[9]]),
        np.float32([[1]]),
    )
    assert found.note == "not shadowed: effects: stablehlo.custom_call"
    assert [row.op for row in found.rows] == ["stablehlo.divide"]
    third = float(np.float32(1) / np.float32(3))
    assert found.errors == [pytest.approx(abs(third * 3 - 1), rel=1e-9)]


def test_integers_have_no_rounding() -> None:
    found = shadow(
        """(%s: tensor<2xui64>) -> tensor<2xui64> {
          %o, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX
            : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
          %1 = stablehlo.add %r, %o : tensor<2xui64>
          return %1 : tensor<2xui64>
        }""",
        np.uint64([1, 2]),
    )
    assert (found.note, found.rows, found.errors) == ("", [], [None])
