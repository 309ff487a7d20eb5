"""`shlo.precision`: a small set of ops that must stay wide."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import FloatType
from stablehlo_py.mixed_precision.tuner import Tuner, Uses
from stablehlo_py.transforms.narrowing import Narrowing

VARIANCE = """
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc("norm/mean/sum")
  %mean = stablehlo.divide %sum, %four : tensor<f32> loc("norm/mean/div")
  %mean2 = stablehlo.multiply %mean, %mean : tensor<f32> loc("norm/square/mul")
  %squares = stablehlo.multiply %x, %x : tensor<4xf32> loc("norm/squares/mul")
  %sum2 = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc("norm/squares/sum")
  %second = stablehlo.divide %sum2, %four : tensor<f32> loc("norm/squares/div")
  %variance = stablehlo.subtract %second, %mean2 : tensor<f32> loc("norm/variance/sub")
  %scaled = stablehlo.multiply %variance, %four : tensor<f32> loc("norm/scaled/mul")
  return %scaled : tensor<f32>
}
"""
X = np.array([9, 10, 11, 13], np.float32)  # numbers of bf16, as 43 and 10.75 are; 115.5625 and 117.75 are not


def test_the_ops_that_cancel_stay_wide() -> None:
    found = shlo.precision(shlo.parse(VARIANCE), [[X]], rtol=0.01)
    assert found.ok
    assert {op.value for op in found.kept} == {"%mean2", "%sum2", "%second", "%variance"}
    assert found.candidates == 8
    assert found.errors == [0.0]
    assert found.narrow_error == pytest.approx((2.5 - 2.1875) / 2.1875)  # in bf16 118 - 115.5 = 2.5
    assert found.wide_cost.wide_flops == found.wide_cost.flops == 15  # 3 + 1 + 1 + 4 + 3 + 1 + 1 + 1
    (result,) = shlo.run(found.module, [X])
    assert result == 8.75


def test_the_pass_makes_the_program() -> None:
    module = shlo.parse(VARIANCE)
    found = shlo.precision(module, [[X]])
    assert shlo.format(shlo.opt(module, [found.passes]), canonical=False) == found.program


def test_whole_scopes_stay_wide() -> None:
    module = shlo.parse(VARIANCE)
    found = shlo.precision(module, [[X]], by="scope")
    assert found.ok
    assert set(found.scopes) == {"norm/square", "norm/squares", "norm/variance"}
    assert {op.value for op in found.kept} == {"%mean2", "%squares", "%sum2", "%second", "%variance"}
    assert shlo.format(shlo.opt(module, [found.passes]), canonical=False) == found.program


def test_a_tolerance_that_bf16_holds_needs_no_wide_op() -> None:
    found = shlo.precision(shlo.parse(VARIANCE), [[X]], rtol=0.2)
    assert (found.kept, found.runs, found.ok) == ([], 1, True)
    assert found.passes == "narrow=type=bf16 keep=signature"


def test_a_held_back_set_validates_and_is_used_if_it_fails() -> None:
    """For equal elements, the variance is exact in bf16; the other set needs wide ops."""
    easy, hard = np.full(4, 2.0, np.float32), X
    steps: list[str] = []
    found = shlo.precision(shlo.parse(VARIANCE), [[easy], [hard]], rtol=0.01, say=steps.append)
    assert found.ok
    assert any("held-back set, which is used" in step for step in steps)
    assert (len(found.errors), found.held_back) == (2, [])
    found = shlo.precision(shlo.parse(VARIANCE), [[hard], [easy]], rtol=0.01)
    assert (len(found.errors), found.held_back) == (1, [0.0])


def test_the_last_held_back_set_stays_held_back_where_a_smaller_tolerance_on_the_others_helps() -> None:
    """1001 is rounded to 1000 and 257 to 256, of which the tolerance lies between the errors."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.add %x, %one : tensor<f32>
      return %0 : tensor<f32>
    }"""
    sets = [[np.float32(1000)], [np.float32(256)]]
    found = shlo.precision(shlo.parse(text), sets, rtol=0.002)
    assert (len(found.kept), found.errors, found.held_back, found.ok) == (1, [0.0], [0.0], True)
    found = shlo.precision(shlo.parse(text), sets, rtol=0.004)
    assert (found.kept, found.held_back) == ([], [pytest.approx(1 / 257)])


@pytest.mark.parametrize(("sets", "held_back"), [(1, 0), (2, 1), (3, 1), (4, 1), (7, 1), (8, 2)])
def test_how_many_sets_are_held_back(sets: int, held_back: int) -> None:
    """One of two or three, and then one of four."""
    found = shlo.precision(shlo.parse(VARIANCE), [[np.full(4, 2.0, np.float32)]] * sets, rtol=0.5)
    assert (len(found.errors), len(found.held_back)) == (sets - held_back, held_back)


SUM = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.add %x, %one : tensor<f32>
  return %0 : tensor<f32>
}"""


@pytest.mark.parametrize(
    ("sets", "held_back"), [(2, [1]), (3, [1]), (4, [3]), (5, [3]), (7, [3]), (8, [3, 7])]
)
def test_which_sets_are_held_back(sets: int, held_back: list[int]) -> None:
    """2^n + 1 is rounded to 2^n, with another error for each set."""
    errors = [1 / (2.0 ** (8 + index) + 1) for index in range(sets)]
    given = [[np.float32(2 ** (8 + index))] for index in range(sets)]
    found = shlo.precision(shlo.parse(SUM), given, rtol=0.5)
    assert found.held_back == pytest.approx([errors[index] for index in held_back])
    assert found.errors == pytest.approx([errors[index] for index in range(sets) if index not in held_back])


def test_of_two_held_back_sets_one_that_fails_is_used() -> None:
    """257 is rounded to 256 on the fourth of eight sets: no smaller tolerance on the others is tried."""
    sets = [[np.float32(256 if index == 3 else 1000)] for index in range(8)]
    steps: list[str] = []
    found = shlo.precision(shlo.parse(SUM), sets, rtol=0.002, say=steps.append)
    assert (len(found.errors), len(found.held_back), found.ok) == (7, 1, True)
    assert any("which is used from here on" in step for step in steps)
    assert not any("last held-back set" in step for step in steps)


def test_errors_have_the_order_of_the_sets() -> None:
    """The last set fails, and is tried first from then on; 256 + 1 stays wide, and the other sum narrow."""
    text = """func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.add %x, %one : tensor<f32>
      %1 = stablehlo.add %y, %one : tensor<f32>
      return %0, %1 : tensor<f32>, tensor<f32>
    }"""
    sets = [[np.float32(x), np.float32(y)] for x, y in ((1024, 1024), (1, 1), (256, 2048))]
    found = shlo.precision(shlo.parse(text), sets, rtol=0.002)
    assert [op.value for op in found.kept] == ["%0"]
    assert (found.errors, found.held_back) == ([pytest.approx(1 / 1025), pytest.approx(1 / 2049)], [0.0])


def test_the_number_of_kept_units_doubles() -> None:
    """Also where the first set has no error: contributions are those on the set that fails."""
    for sets in ([[X]], [[np.full(4, 2.0, np.float32)], [np.full(4, 2.0, np.float32)], [X]]):
        said: list[str] = []
        shlo.precision(shlo.parse(VARIANCE), sets, rtol=0.01, say=said.append)
        assert [text.partition(":")[0] for text in said[1:4]] == [
            "1 unit wide",
            "2 units wide",
            "4 units wide",
        ]
        assert said[3] == "4 units wide: error 0"


def test_random_numbers_are_those_of_the_seed() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %a = stablehlo.constant dense<0.0> : tensor<f32>
      %b = stablehlo.constant dense<1.0> : tensor<f32>
      %s = stablehlo.constant dense<4> : tensor<1xi64>
      %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM
        : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
      %0 = stablehlo.add %x, %r : tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    module = shlo.parse(text)
    errors = [shlo.precision(module, [[X]], rtol=0.5, seed=seed).narrow_error for seed in (5, 5, 6)]
    assert errors[0] == errors[1] != errors[2]


def test_a_narrow_program_that_fails_is_out_of_tolerance() -> None:
    """257 is no number of bf16, whether it is added or converted, so that the assertion does not hold."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.add %x, %one : tensor<f32>
      %wide = stablehlo.convert %0 : (tensor<f32>) -> tensor<f64>
      %expected = stablehlo.constant dense<257.0> : tensor<f64>
      check.expect_eq %wide, %expected : tensor<f64>
      return %0 : tensor<f32>
    }"""
    found = shlo.precision(shlo.parse(text), [[np.float32(256)]], rtol=0.5)
    assert (found.narrow_error, found.errors) == (np.inf, [0.0])
    assert {op.value for op in found.kept} == {"%0", "%wide"}


def test_a_held_back_set_whose_signs_change_is_used() -> None:
    """257 - 256 is 0 in bf16, of which the sign is 0; no tolerance of the other set, 4 - 1, sees it."""
    text = """func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.add %x, %one : tensor<f32>
      %1 = stablehlo.subtract %0, %y : tensor<f32>
      %2 = stablehlo.sign %1 : tensor<f32>
      return %2 : tensor<f32>
    }"""
    sets = [[np.float32(3), np.float32(1)], [np.float32(256), np.float32(256)]]
    steps: list[str] = []
    found = shlo.precision(shlo.parse(text), sets, say=steps.append)
    assert [op.value for op in found.kept] == ["%0", "%1"]
    assert (found.errors, found.held_back) == ([0.0, 0.0], [])
    assert not any("last held-back set" in step for step in steps)


@pytest.mark.parametrize(
    ("middle", "reached"),
    [
        (
            "%b = func.call @relu(%a) : (tensor<2xf32>) -> tensor<2xf32>",
            {"stablehlo.maximum", "stablehlo.multiply"},
        ),
        ("%b = stablehlo.abs %a : tensor<2xf32>", {"stablehlo.abs", "stablehlo.multiply"}),
        ("%b = stablehlo.tanh %a : tensor<2xf32>", {"stablehlo.tanh"}),
        (
            "%t = stablehlo.constant dense<true> : tensor<i1>\n"
            '%b = "stablehlo.if"(%t) ({ stablehlo.return %a : tensor<2xf32> }, '
            "{ stablehlo.return %x : tensor<2xf32> }) : (tensor<i1>) -> tensor<2xf32>",
            {"stablehlo.multiply"},
        ),
        (  # of a function, the second argument; of a branch, the second value
            "%b = func.call @second(%x, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
            {"stablehlo.maximum", "stablehlo.multiply"},
        ),
        (
            "%t = stablehlo.constant dense<true> : tensor<i1>\n"
            '%i:2 = "stablehlo.if"(%t) ({ stablehlo.return %x, %a : tensor<2xf32>, tensor<2xf32> }, '
            "{ stablehlo.return %x, %x : tensor<2xf32>, tensor<2xf32> }) "
            ": (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>)\n"
            "%h = stablehlo.tanh %i#0 : tensor<2xf32>\n%b = stablehlo.abs %i#1 : tensor<2xf32>",
            {"stablehlo.abs", "stablehlo.multiply"},
        ),
    ],
)
def test_what_computes_with_a_converted_value(middle: str, reached: set[str]) -> None:
    """A rounding is passed on through calls, branches and ops that round nothing."""
    module = shlo.parse(f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %a = stablehlo.sine %x : tensor<2xf32>
      {middle}
      %c = stablehlo.multiply %b, %b : tensor<2xf32>
      return %c : tensor<2xf32>
    }}
    func.func private @relu(%v: tensor<2xf32>) -> tensor<2xf32> {{
      %m = stablehlo.maximum %v, %v : tensor<2xf32>
      return %m : tensor<2xf32>
    }}
    func.func private @second(%u: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<2xf32> {{
      %n = stablehlo.tanh %u : tensor<2xf32>
      %m = stablehlo.maximum %v, %v : tensor<2xf32>
      return %m : tensor<2xf32>
    }}""")
    Narrowing(module, FloatType("bf16"), lambda op: op.name == "stablehlo.sine", signature=True).run()
    (sine,) = [op for op in module.walk() if op.name == "stablehlo.sine"]
    (convert,) = [use.op for use in sine.results[0].uses]
    found = {op.name for op in Uses(module).computing(convert)}
    assert convert.name == "stablehlo.convert" and list(Uses(module).computing(sine)) == [sine]
    assert found & {"stablehlo.abs", "stablehlo.maximum", "stablehlo.multiply", "stablehlo.tanh"} == reached


def test_no_more_programs_are_run_than_the_limit_allows() -> None:
    """The wide program, with which the search ends if it has found no other one, is one of them."""
    runs = [shlo.precision(shlo.parse(VARIANCE), [[X]], limit=limit).runs for limit in (2, 3, 5, 7)]
    assert all(found <= limit for found, limit in zip(runs, (2, 3, 5, 7), strict=True))


@pytest.mark.parametrize(("rtol", "exhausted"), [(1e9, False), (1e-9, True)])
def test_a_limit_that_the_narrow_program_needs_ends_no_search(rtol: float, exhausted: bool) -> None:
    found = shlo.precision(shlo.parse(VARIANCE), [[X]], rtol=rtol, limit=2)
    assert (found.exhausted, found.runs) == (exhausted, 1 + exhausted)


def test_the_limit_leaves_a_program_within_tolerance() -> None:
    found = shlo.precision(shlo.parse(VARIANCE), [[X]], rtol=0.01, limit=2)
    assert found.exhausted
    assert found.ok
    assert len(found.kept) == 8


def test_small_constants_and_large_numbers_are_found() -> None:
    """1e-9 is zero in f16, and so the quotient of a zero is a NaN."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %eps = stablehlo.constant dense<1.0e-9> : tensor<2xf32>
      %t = stablehlo.tanh %x : tensor<2xf32>
      %s = stablehlo.add %t, %eps : tensor<2xf32>
      %r = stablehlo.rsqrt %s : tensor<2xf32>
      %e = stablehlo.multiply %r, %x : tensor<2xf32>
      return %e : tensor<2xf32>
    }"""
    found = shlo.precision(shlo.parse(text), [[np.array([0.0, 0.25], np.float32)]], type="f16", rtol=1e-2)
    assert math.isinf(found.narrow_error)
    assert {op.value for op in found.kept} == {"%s", "%r"}
    assert found.ok


def test_a_result_of_rounding_errors_alone_is_not_checked() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %large = stablehlo.constant dense<1.0e4> : tensor<2xf32>
      %a = stablehlo.add %x, %large : tensor<2xf32>
      %b = stablehlo.subtract %a, %large : tensor<2xf32>
      %zero = stablehlo.subtract %b, %x : tensor<2xf32>
      %t = stablehlo.tanh %x : tensor<2xf32>
      return %zero, %t : tensor<2xf32>, tensor<2xf32>
    }"""
    found = shlo.precision(shlo.parse(text), [[np.array([5.1, 7.3], np.float32)]])
    assert found.unchecked == [0]
    assert found.kept == []


def test_results_that_are_not_checked_rank_no_ops() -> None:
    """In f32 the second result, 1e8 + x - 1e8, has no right digit; the first one needs two wide ops."""
    module = shlo.parse("""func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %k = stablehlo.constant dense<100.0> : tensor<8xf32>
      %a = stablehlo.add %x, %k : tensor<8xf32>
      %b = stablehlo.subtract %a, %k : tensor<8xf32>
      %n = stablehlo.constant dense<1.0e8> : tensor<8xf32>
      %c = stablehlo.add %x, %n : tensor<8xf32>
      %d = stablehlo.subtract %c, %n : tensor<8xf32>
      return %b, %d : tensor<8xf32>, tensor<8xf32>
    }""")
    said: list[str] = []
    found = shlo.precision(module, [[np.linspace(0.1, 0.8, 8, dtype=np.float32)]], say=said.append)
    assert found.ok and found.unchecked == [1]
    assert [op.value for op in found.kept] == ["%a", "%b"]
    assert [text.partition(" wide: error")[0] for text in said[1:3]] == ["1 unit", "2 units"]
    assert not any(text.startswith("4 units") for text in said)


@pytest.mark.slow
def test_few_runs_find_one_op_of_many() -> None:
    """257 - 256 is 0 in bf16: the sum must stay wide, and 30 ops before it may be narrow."""
    lines = [f"%v{i + 1} = stablehlo.tanh %v{i} : tensor<2xf32>" for i in range(30)]
    text = """func.func @main(%v0: tensor<2xf32>, %y: tensor<2xf32>, %z: tensor<2xf32>) -> tensor<2xf32> {{
      {}
      %s = stablehlo.add %y, %v30 : tensor<2xf32>
      %d = stablehlo.subtract %s, %z : tensor<2xf32>
      return %d : tensor<2xf32>
    }}""".format("\n".join(lines))
    x, large = np.full(2, 0.25, np.float32), np.full(2, 256, np.float32)
    found = shlo.precision(shlo.parse(text), [[x, large, large]], rtol=0.05)
    assert [op.value for op in found.kept] == ["%s", "%d"]
    assert found.runs <= 12


def test_gradients_below_the_type_need_a_scaled_loss() -> None:
    """The gradient of 2^-30 * sum(tanh(x)^2) by x: of numbers around 2^-30, which are zero in f16."""
    text = """func.func @main(%x: tensor<64xf32>, %k: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
      %one = stablehlo.constant dense<1.0> : tensor<64xf32>
      %t = stablehlo.tanh %x : tensor<64xf32>
      %seed = stablehlo.multiply %k, %t : tensor<64xf32>
      %square = stablehlo.multiply %t, %t : tensor<64xf32>
      %slope = stablehlo.subtract %one, %square : tensor<64xf32>
      %gradient = stablehlo.multiply %seed, %slope : tensor<64xf32>
      return %t, %gradient : tensor<64xf32>, tensor<64xf32>
    }"""
    x = np.random.default_rng(0).normal(size=64).astype(np.float32)
    module, scale = shlo.parse(text), np.full(64, 2.0**-30, np.float32)
    found = shlo.precision(module, [[x, scale]], type="f16")
    assert math.isclose(found.narrow_error, 1.0)
    assert found.scaling is not None
    assert (found.scaling.results, found.scaling.lost) == ((1,), 64)
    assert math.log2(found.scaling.factor).is_integer()
    scaled = shlo.precision(module, [[x, scale * np.float32(found.scaling.factor)]], type="f16")
    assert (scaled.kept, scaled.scaling) == ([], None)
    assert scaled.narrow_error < 2.0**-9
    assert shlo.precision(module, [[x, scale]], type="bf16").scaling is None


@pytest.mark.parametrize(
    ("sets", "options", "message"),
    [([], {}, "sets is empty"), ([[X]], {"type": "i8"}, "type is 'i8'; it is one of: .*bf16")],
)
def test_wrong_calls(sets: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        shlo.precision(shlo.parse(VARIANCE), sets, **options)


def test_a_narrow_program_has_nothing_to_narrow() -> None:
    text = VARIANCE.replace("f32", "bf16")
    found = shlo.precision(shlo.parse(text), [[X.astype(ml_dtypes.bfloat16)]])
    assert (found.candidates, found.kept, found.narrow_error) == (0, [], 0.0)


def test_two_kept_units_are_exchanged_for_the_best_of_others() -> None:
    """Pairs of those that contribute least come first, and of the others at most six, the best first."""
    lines = "".join(f"  %v{i + 1} = stablehlo.tanh %v{i} : tensor<2xf32>\n" for i in range(11))
    module = shlo.parse(
        f"func.func @main(%v0: tensor<2xf32>) -> tensor<2xf32> {{\n{lines}  return %v11 : tensor<2xf32>\n}}"
    )
    options: dict[str, Any] = {"by_scope": False, "limit": 9, "engine": "numpy", "seed": 0, "say": print}
    tuner = Tuner(module, "main", FloatType("bf16"), 0.1, **options)
    tuner._scores = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0, 3.0, 2.0]
    found = [edit.make() for edit in tuner._exchanged(frozenset({8, 9, 10}))]
    assert found == [frozenset({kept, unit}) for kept in (9, 10, 8) for unit in (7, 6, 5, 4, 3, 2)]


def test_the_value_of_an_op_of_several_results_is_the_first() -> None:
    text = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %k:2 = "stablehlo.sort"(%x, %y) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
        %l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %l : tensor<i1>
      }) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
      return %k#1 : tensor<2xf32>
    }"""
    module = shlo.parse(text)
    (sort,) = [op for op in module.walk() if op.name == "stablehlo.sort"]
    options: dict[str, Any] = {"by_scope": False, "limit": 9, "engine": "numpy", "seed": 0, "say": print}
    found = Tuner(module, "main", FloatType("bf16"), 0.1, **options)._kept_op(sort)
    assert (found.op, found.value, found.line, found.scope) == ("stablehlo.sort", "%k", 2, "")
