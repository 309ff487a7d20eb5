"""Rows of a shadow run, beside the same measures of three observed runs: of the program, of the wide program,
and of the wide program whose ops have the operands of the program."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.rounding import products, steps
from stablehlo_py.rounding.rows import Shadow, ShadowRow
from tests.rounding.drawn import Values

# In blocks or not; with elements that overflow (6e4 doubled), are flushed to zero (1e-5 squared), and stay.
BODY = """(%x: tensor<{n}x3xf16>, %y: tensor<3x{n}xf16>) -> (tensor<{n}x{n}xf16>, tensor<3xf16>) {{
  %sum = stablehlo.add %x, %x : tensor<{n}x3xf16>
  %square = stablehlo.multiply %x, %x : tensor<{n}x3xf16>
  %turned = stablehlo.transpose %y, dims = [1, 0] : (tensor<3x{n}xf16>) -> tensor<{n}x3xf16>
  %third = stablehlo.constant dense<0.3330078125> : tensor<{n}x3xf16>
  %part = stablehlo.multiply %turned, %third : tensor<{n}x3xf16>
  %less = stablehlo.subtract %part, %square : tensor<{n}x3xf16>
  %exp = stablehlo.exponential %part : tensor<{n}x3xf16>
  %zero = stablehlo.constant dense<0.0> : tensor<f16>
  %total = stablehlo.reduce(%less init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{n}x3xf16>, tensor<f16>) -> tensor<3xf16>
  %most = stablehlo.reduce(%exp init: %zero) applies stablehlo.maximum across dimensions = [0]
      : (tensor<{n}x3xf16>, tensor<f16>) -> tensor<3xf16>
  %both = stablehlo.multiply %total, %most : tensor<3xf16>
  %back = stablehlo.reshape %turned : (tensor<{n}x3xf16>) -> tensor<{n}x3xf16>
  %product = stablehlo.dot_general %exp, %part, contracting_dims = [1] x [1]
      : (tensor<{n}x3xf16>, tensor<{n}x3xf16>) -> tensor<{n}x{n}xf16>
  {more}
  return %product, %both : tensor<{n}x{n}xf16>, tensor<3xf16>
}}"""
SUMS = {"%sum": ("%x", "%x"), "%less": ("%part", "%square")}  # with their terms
ROUNDED = ["%sum", "%square", "%part", "%less", "%exp", "%total", "%most", "%both", "%product"]


def observed(text: str, inputs: list[Any], replaced: dict[str, Any] | None = None) -> dict[str, Any]:
    """The results of all ops; given others, each op has those in place of the results before it."""
    found = Values(None if replaced is None else lambda name, array: replaced[name])
    shlo.run(shlo.parse(text), inputs, engine="numpy", observer=found)
    return found.found


def norm(array: Any) -> float:
    return math.sqrt(np.mean(np.square(array)))


def text(n: int, long: bool) -> str:
    more = "\n  ".join(
        f"%n{i} = stablehlo.negate %{f'n{i - 1}' if i else 'most'} : tensor<3xf16>" for i in range(33)
    )
    return f"func.func @main{BODY.format(n=n, more=more if long else '')}"


def inputs(n: int) -> list[Any]:
    rng = np.random.default_rng(n)
    return [rng.uniform(0.5, 2, shape).astype(np.float16) for shape in ((n, 3), (3, n))]


def measured(program: str, given: list[Any], wide: str = "f64") -> tuple[Shadow, dict[str, ShadowRow]]:
    found = shlo.shadow(shlo.parse(program), given, wide=wide)
    return found, {row.value: row for row in found.rows}


@pytest.mark.parametrize("n", [4, 120, 3000])  # 3000 rows of three are more than a block; no product of them
@pytest.mark.parametrize("is_long", [False, True])
def test_measures_are_those_of_observed_runs(n: int, is_long: bool) -> None:
    program, given = text(n, is_long), inputs(n)
    if n > 1000:
        lines = [line for line in program.splitlines() if "%product" not in line and f"{n}x{n}" not in line]
        head = "func.func @main(%x: tensor<3000x3xf16>, %y: tensor<3x3000xf16>) -> tensor<3xf16> {"
        program = "\n".join([head, *lines[:-1], "  return %both : tensor<3xf16>", "}"])
    wide = program.replace("f16", "f64")
    exact = [x.astype(np.float64) for x in given]
    y1, y = observed(program, given), observed(wide, exact)
    f = observed(wide, exact, y1)
    found, rows = measured(program, given)
    expected = [name for name in ROUNDED if f"{name} =" in program]
    assert {row.value for row in found.rows} >= set(expected)
    y1 |= {"%x": exact[0], "%y": exact[1]}
    y |= {"%x": exact[0], "%y": exact[1]}
    for name in expected:
        row, whole = rows[name], norm(y[name])
        assert row.executions == 1
        assert row.error == pytest.approx(norm(y1[name] - y[name]) / whole, rel=1e-6), name
        assert row.introduced == pytest.approx(norm(y1[name] - f[name]) / whole, rel=1e-6), name
        assert row.carried == pytest.approx(norm(f[name] - y[name]) / whole, rel=1e-6, abs=1e-15), name
        largest = np.max(np.abs(y1[name] - y[name])[y[name] != 0] / np.abs(y[name][y[name] != 0]))
        assert row.largest == pytest.approx(largest, rel=1e-6), name
        assert (row.overflow, row.underflow, row.flushed) == (0, 0, 0)
    for name, terms in SUMS.items():
        bits = max(0.0, math.log2(max(norm(y[term]) for term in terms) / norm(y[name])))
        assert rows[name].cancelled == pytest.approx(bits, rel=1e-6)
        carried = max(norm(y1[term] - y[term]) / norm(y[term]) for term in terms)
        expected_gain = rows[name].carried / carried if carried else 0.0
        assert rows[name].amplification == pytest.approx(expected_gain, rel=1e-6)
    last = "%both" if n > 1000 else "%product"
    assert found.errors[0] == pytest.approx(norm(y1[last] - y[last]) / norm(y[last]), rel=1e-6)


@pytest.mark.parametrize("n", [4, 3000])
@pytest.mark.parametrize("wide", ["f64", "f32"])
def test_elements_out_of_range(n: int, wide: str) -> None:
    """Of the doubled ones two overflow; of the squares two vanish and three more are subnormal."""
    program = (
        f"func.func @main(%x: tensor<{n}x3xf16>) -> (tensor<{n}x3xf16>, tensor<{n}x3xf16>) {{\n"
        f"  %sum = stablehlo.add %x, %x : tensor<{n}x3xf16>\n"
        f"  %square = stablehlo.multiply %x, %x : tensor<{n}x3xf16>\n"
        f"  return %sum, %square : tensor<{n}x3xf16>, tensor<{n}x3xf16>\n}}"
    )
    x = np.ones((n, 3), np.float16)
    x[0], x[1], x[n - 1] = (6e4, -6e4, 0.0), (1e-5, 1e-4, 1e-3), (2e-3, 5e-3, 3e4)
    _, rows = measured(program, [x], wide)
    row = rows["%sum"]
    assert (row.overflow, row.underflow, row.flushed) == (2, 1, 0)  # 2e-5 is subnormal, and is held
    assert (row.error, row.introduced, row.carried, row.largest) == (math.inf, math.inf, 0.0, math.inf)
    row = rows["%square"]  # 1e-10 and 1e-8 vanish; 1e-6, 4e-6 and 2.5e-5 are subnormal
    assert (row.overflow, row.underflow, row.flushed) == (3, 5, 2)


def test_an_element_that_is_infinite_in_the_program_is_carried_on() -> None:
    """Twice 6e4 is no number of f16; what follows has the error, and makes none."""
    program = (
        "func.func @main(%x: tensor<2xf16>) -> tensor<2xf16> {\n"
        "  %0 = stablehlo.add %x, %x : tensor<2xf16>\n  %1 = stablehlo.add %0, %x : tensor<2xf16>\n"
        "  return %1 : tensor<2xf16>\n}"
    )
    _, rows = measured(program, [np.array([6e4, 1], np.float16)])
    assert [rows["%0"].overflow, rows["%1"].overflow] == [1, 0]
    assert (rows["%1"].introduced, rows["%1"].carried, rows["%1"].error) == (0.0, math.inf, math.inf)


@pytest.mark.parametrize("few", [0, 32])
def test_a_value_that_overflows_altogether_contributes_to_what_follows(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The square of 300 is no number of f16, its reciprocal 0 in place of 1/90000: no digit is right."""
    monkeypatch.setattr(steps, "FEW", few)
    program = (
        "func.func @main(%x: tensor<4xf16>, %one: tensor<4xf16>) -> tensor<4xf16> {\n"
        "  %0 = stablehlo.multiply %x, %x : tensor<4xf16>\n"
        "  %1 = stablehlo.divide %one, %0 : tensor<4xf16>\n"
        "  %2 = stablehlo.add %1, %one : tensor<4xf16>\n  return RESULT : tensor<4xf16>\n}"
    )
    given = [np.full(4, 300, np.float16), np.ones(4, np.float16)]
    found, rows = measured(program.replace("RESULT", "%1"), given)
    assert found.errors == [pytest.approx(1)]
    assert [rows[name].contribution for name in ("%0", "%1")] == pytest.approx([1, 0], abs=1e-6)
    found, rows = measured(program.replace("RESULT", "%2"), given)  # 1.0000111 is 1 in either case
    lost = 1 / 90001
    assert found.errors == [pytest.approx(lost)]
    assert [rows[name].contribution for name in ("%0", "%1", "%2")] == pytest.approx([lost, 0, 0], rel=1e-4)


@pytest.mark.parametrize("few", [0, 32])
def test_an_error_of_zeros_contributes_to_what_follows(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """256 + 1 is 256 in bf16; less 257 it is -1 in place of 0, and 1 less that is 2 in place of 1."""
    monkeypatch.setattr(steps, "FEW", few)
    program = (
        "func.func @main(%a: tensor<4xbf16>, %one: tensor<4xbf16>) -> tensor<4xbf16> {\n"
        "  %0 = stablehlo.add %a, %one : tensor<4xbf16>\n"
        "  %1 = stablehlo.subtract %0, %a : tensor<4xbf16>\n"
        "  %2 = stablehlo.subtract %1, %one : tensor<4xbf16>\n"
        "  %3 = stablehlo.subtract %one, %2 : tensor<4xbf16>\n  return %3 : tensor<4xbf16>\n}"
    )
    found, rows = measured(program, [np.full(4, x, ml_dtypes.bfloat16) for x in (256, 1)])
    assert rows["%2"].error == math.inf
    assert found.errors == [pytest.approx(1)]
    assert [rows[f"%{i}"].contribution for i in range(4)] == pytest.approx([1, 0, 0, 0], abs=1e-6)


ROOT = math.sqrt(1 + 0.25)


@pytest.mark.parametrize("n", [4, 10_000])  # in blocks or not
@pytest.mark.parametrize(("ops", "expected"), [(3, (0, -0.5)), (32, (0, -0.5)), (33, (ROOT - 0.5, ROOT - 1))])
def test_signs_of_errors(n: int, ops: int, expected: tuple[float, float]) -> None:
    """In bf16 256 + 1 is 256, and with 1.5 more 258 in place of 258.5: 1 less, and 0.5 more.

    In a program of more than 32 ops, errors have no signs.
    """
    more = "".join(f"  %m{i} = stablehlo.negate %c : tensor<{n}xbf16>\n" for i in range(ops - 3))
    program = (
        f"func.func @main(%a: tensor<{n}xbf16>, %b: tensor<bf16>, %c: tensor<{n}xbf16>)\n"
        f"    -> tensor<{n}xbf16> {{\n"
        f"  %w = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<bf16>) -> tensor<{n}xbf16>\n"
        f"  %0 = stablehlo.add %w, %a : tensor<{n}xbf16>\n"
        f"  %1 = stablehlo.add %0, %c : tensor<{n}xbf16>\n{more}  return %1 : tensor<{n}xbf16>\n}}"
    )
    dtype = ml_dtypes.bfloat16
    found, rows = measured(program, [np.full(n, 1, dtype), dtype(256), np.full(n, 1.5, dtype)])
    assert found.errors == [pytest.approx(0.5 / 258.5)]
    found_here = [rows[name].contribution * 258.5 for name in ("%0", "%1")]
    assert found_here == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_shares_of_parts_that_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four elements of 257 are 1 less in bf16, two of 514 are 2 less: 4 and 8 of the squares of errors."""
    monkeypatch.setattr(steps, "FEW", 0)
    program = """func.func @main(
    %a: tensor<4xbf16>, %b: tensor<4xbf16>, %c: tensor<2xbf16>, %d: tensor<2xbf16>) -> tensor<6xbf16> {
  %0 = stablehlo.add %a, %b : tensor<4xbf16>
  %1 = stablehlo.add %c, %d : tensor<2xbf16>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<4xbf16>, tensor<2xbf16>) -> tensor<6xbf16>
  return %2 : tensor<6xbf16>
}"""
    given = [np.full(n, x, ml_dtypes.bfloat16) for n, x in ((4, 256), (4, 1), (2, 512), (2, 2))]
    found, rows = measured(program, given)
    norm = math.sqrt(4 * 257**2 + 2 * 514**2)
    assert found.errors == [pytest.approx(math.sqrt(12) / norm)]
    expected = [(math.sqrt(12) - math.sqrt(left)) / norm for left in (8, 4)]
    assert [rows[name].contribution for name in ("%0", "%1")] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("few", [0, 32])
def test_each_result_of_a_sort_has_the_error_of_its_operand(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys and payload are both 1 less in bf16."""
    monkeypatch.setattr(steps, "FEW", few)
    program = """func.func @main(
    %x: tensor<2xbf16>, %y: tensor<2xbf16>, %one: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = stablehlo.add %x, %one : tensor<2xbf16>
  %1 = stablehlo.add %y, %one : tensor<2xbf16>
  %2:2 = "stablehlo.sort"(%0, %1) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>, %c: tensor<bf16>, %d: tensor<bf16>):
    %lt = stablehlo.compare LT, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) {is_stable = true} : (tensor<2xbf16>, tensor<2xbf16>) -> (tensor<2xbf16>, tensor<2xbf16>)
  return %2#RESULT : tensor<2xbf16>
}"""
    given = [np.array(x, ml_dtypes.bfloat16) for x in ([512, 256], [256, 1024], [1, 1])]
    for result, norm in (("0", math.hypot(513, 257)), ("1", math.hypot(257, 1025))):
        found, rows = measured(program.replace("RESULT", result), given)
        error = math.sqrt(2) / norm
        assert found.errors == [pytest.approx(error)]
        parts = [rows[name].contribution for name in ("%0", "%1")]
        assert parts == pytest.approx([0, error] if result == "1" else [error, 0], rel=1e-5)


@pytest.mark.parametrize("op", ["add", "multiply"])
def test_what_overflows_has_the_whole_error(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice 6e4 is infinite in f16, and the square of 1e-4 is 0: no number either, in the program alone."""
    monkeypatch.setattr(steps, "FEW", 0)
    program = f"""func.func @main(%x: tensor<2xf16>, %y: tensor<2xf16>) -> tensor<2xf16> {{
  %0 = stablehlo.add %x, %x : tensor<2xf16>
  %1 = stablehlo.multiply %y, %y : tensor<2xf16>
  %2 = stablehlo.{op} {"%0, %1" if op == "add" else "%1, %0"} : tensor<2xf16>
  return %2 : tensor<2xf16>
}}"""
    given = [np.full(2, x, np.float16) for x in (6e4, 1e-4)]
    found, rows = measured(program, given)
    assert found.errors == [math.inf]
    assert [rows[name].contribution for name in ("%0", "%1", "%2")] == pytest.approx([1e15, 0, 0], rel=1e-4)


def test_errors_of_three_operands_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that no element reaches carry nothing; 513, 1025 and 2049 are each 1 less in bf16."""
    monkeypatch.setattr(steps, "FEW", 0)
    program = """func.func @main(
    %l: tensor<2xbf16>, %x: tensor<2xbf16>, %h: tensor<2xbf16>, %one: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = stablehlo.add %l, %one : tensor<2xbf16>
  %1 = stablehlo.add %x, %one : tensor<2xbf16>
  %2 = stablehlo.add %h, %one : tensor<2xbf16>
  %3 = stablehlo.clamp %0, %1, %2 : tensor<2xbf16>
  return %3 : tensor<2xbf16>
}"""
    found, rows = measured(program, [np.full(2, x, ml_dtypes.bfloat16) for x in (512, 1024, 2048, 1)])
    assert found.errors == [pytest.approx(1 / 1025)]
    assert [rows[f"%{i}"].contribution for i in range(3)] == pytest.approx([0, 1 / 1025, 0], rel=1e-5)


CHAIN = 34  # ops: more than those whose values have signed parts


def chains(count: int) -> str:
    """Two inputs, each multiplied so often by a constant, and their sum or product."""
    lines = [
        f"%{side}{i + 1} = stablehlo.multiply %{side}{i}, %k : tensor<64xbf16>"
        for side in "ab"
        for i in range(count)
    ]
    body = "\n  ".join(lines)
    return f"""func.func @main(%a0: tensor<64xbf16>, %b0: tensor<64xbf16>) -> tensor<64xbf16> {{
  %k = stablehlo.constant dense<1.0546875> : tensor<64xbf16>
  {body}
  %r = stablehlo.OP %a{count}, %b{count} : tensor<64xbf16>
  return %r : tensor<64xbf16>
}}"""


@pytest.mark.parametrize("op", ["add", "multiply"])
def test_contributions_of_many_ops_add_up_as_independent_errors(op: str) -> None:
    """A share is the square of what an op introduces, times that of its operand's gain in the last op."""
    program = chains(CHAIN // 2).replace("OP", op)
    rng = np.random.default_rng(1)
    given = [
        rng.uniform(1, 2, 64).astype(ml_dtypes.bfloat16),
        rng.uniform(4, 8, 64).astype(ml_dtypes.bfloat16),
    ]
    found, rows = measured(program, given)
    wide, exact = program.replace("bf16", "f64"), [x.astype(np.float64) for x in given]
    y1, y = observed(program, given), observed(wide, exact)
    a, b = f"%a{CHAIN // 2}", f"%b{CHAIN // 2}"
    apply = np.add if op == "add" else np.multiply
    first = apply(y1[a], y[b])
    alone = [norm(first - y["%r"]) / norm(y["%r"]), norm(apply(y1[a], y1[b]) - first) / norm(y["%r"])]
    gains = [
        part / (norm(y1[name] - y[name]) / norm(y[name])) for part, name in zip(alone, (a, b), strict=True)
    ]
    shares = {}
    for side, gain in zip("ab", gains, strict=True):
        before: dict[str, float] = {}
        for i in range(1, CHAIN // 2 + 1):
            row = rows[f"%{side}{i}"]
            whole = sum(before.values())
            before = {k: s * row.carried**2 / whole for k, s in before.items()} if whole else {}
            before[row.value] = row.introduced**2
        shares |= {name: share * gain**2 for name, share in before.items()}
    scale = rows["%r"].carried ** 2 / sum(shares.values())
    shares = {name: share * scale for name, share in shares.items()} | {"%r": rows["%r"].introduced ** 2}
    whole = sum(shares.values())
    for name, share in shares.items():
        lost = math.sqrt(whole) - math.sqrt(whole - share)
        assert rows[name].contribution == pytest.approx(lost, rel=1e-3), name
    assert found.predicted == pytest.approx(math.sqrt(whole), rel=1e-3)


# Products of 2 by 3 by 7 numbers and weights of 23 rows, or of 23 rows for each of two batches.
FORMS = {
    "bmk,nk->bmn": ("contracting_dims = [2] x [1]", "2x3x7", "23x7", "2x3x23"),
    "nk,bmk->nbm": ("contracting_dims = [1] x [2]", "23x7", "2x3x7", "23x2x3"),
    "bmk,bnk->bmn": ("batching_dims = [0] x [0], contracting_dims = [2] x [2]", "2x3x7", "2x23x7", "2x3x23"),
    "bnk,bmk->bnm": ("batching_dims = [0] x [0], contracting_dims = [2] x [2]", "2x23x7", "2x3x7", "2x23x3"),
}


@pytest.mark.parametrize("few", [0, 2])  # of two ops
@pytest.mark.parametrize("wide", ["f64", "f32"])
@pytest.mark.parametrize("form", FORMS)
def test_a_product_with_long_weights_is_measured_block_by_block(
    form: str, wide: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Definitions on whole arrays, for weights on either side, of which 5 rows are widened at once."""
    monkeypatch.setattr(steps, "FEW", few)
    monkeypatch.setattr(products, "LONG", 1)
    monkeypatch.setattr(products, "_BLOCK", 5 * 7)
    dimensions, lhs, rhs, result = FORMS[form]
    swapped = "m" not in form.partition(",")[0]
    shape, weights = (lhs, rhs)[:: -1 if swapped else 1]
    rng = np.random.default_rng(8)
    x, b, w = (
        rng.normal(size=[*map(int, each.split("x"))]).astype(ml_dtypes.bfloat16)
        for each in (shape, shape, weights)
    )
    left, right = ("%w", "%0") if swapped else ("%0", "%w")
    vector, made = f"tensor<{shape}xbf16>", f"tensor<{result}xbf16>"
    text = f"""func.func @main(%x: {vector}, %b: {vector}, %w: tensor<{weights}xbf16>) -> {made} {{
  %0 = stablehlo.add %x, %b : {vector}
  %1 = stablehlo.dot_general {left}, {right}, {dimensions}
    : (tensor<{lhs}xbf16>, tensor<{rhs}xbf16>) -> {made}
  return %1 : {made}
}}"""
    blocks: list[slice] = []

    def noted(*given: Any) -> Any:
        for at, *rest in products.products(*given):
            blocks.append(at[-1])
            yield (at, *rest)

    monkeypatch.setattr(steps, "products", noted)
    found = shlo.shadow(shlo.parse(text), [x, b, w], wide=wide)
    rows = 2 if weights.startswith("2x") else 5  # of both batches at once
    assert blocks == [slice(at, at + rows) for at in range(0, 23, rows)]
    narrow = np.asarray(found.results[0], np.float64)
    x64, b64, w64 = (each.astype(np.float64) for each in (x, b, w))
    added = (x + b).astype(np.float64)  # rounded once, to bf16

    def product(left: Any) -> Any:
        return np.einsum(form, w64, left) if swapped else np.einsum(form, left, w64)

    def rms(array: Any) -> float:
        return float(np.sqrt(np.mean(array**2)))

    def of_terms(array: Any) -> Any:
        return np.sqrt(np.mean(array.reshape(-1, 7) ** 2, axis=0))

    exact, rounded = product(x64 + b64), product(added)
    (row,) = [row for row in found.rows if row.value == "%1"]
    assert row.error == pytest.approx(rms(narrow - exact) / rms(exact), rel=1e-3)
    assert row.introduced == pytest.approx(rms(narrow - rounded) / rms(exact), rel=1e-3)
    assert row.carried == pytest.approx(rms(rounded - exact) / rms(exact), rel=1e-3)
    terms = of_terms(x64 + b64) * of_terms(w64)
    assert row.cancelled == pytest.approx(max(0.0, float(np.log2(terms.max() / rms(exact)))), abs=1e-3)
    assert found.errors[0] == pytest.approx(row.error, rel=1e-3)


@pytest.mark.parametrize("few", [0, 1])
def test_a_product_of_exact_operands_with_long_weights(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """2049 and 4100 are 2048 and 4100 in f16."""
    monkeypatch.setattr(steps, "FEW", few)
    monkeypatch.setattr(products, "LONG", 1)
    monkeypatch.setattr(products, "_BLOCK", 2)
    text = """func.func @main(%x: tensor<1x2xf16>, %w: tensor<2x2xf16>) -> tensor<1x2xf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<1x2xf16>, tensor<2x2xf16>) -> tensor<1x2xf16>
  return %0 : tensor<1x2xf16>
}"""
    found, rows = measured(text, [np.float16([[2048, 4]]), np.float16([[1, 2], [0.25, 1]])])
    error = 1 / math.hypot(2049, 4100)
    assert found.errors == [pytest.approx(error)]
    row = rows["%0"]
    assert (row.introduced, row.carried, row.contribution) == pytest.approx((error, 0, error), rel=1e-6)
