"""`compare` of a program with its form in a narrower type: six kinds of faults, each named; none without."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo

BF16 = ml_dtypes.bfloat16

# The softmax of a layer norm, whose numbers are near 30, as those of logits are.
WIDE = (
    """func.func @main(%x: MAT, %g: VEC) -> MAT {
  %zero = stablehlo.constant dense<0.0> : NUM
  %low = stablehlo.constant dense<0xFF800000> : NUM
  %mask = stablehlo.constant dense<-3.40282347E+38> : NUM
  %eps = stablehlo.constant dense<1.0e-4> : VEC
  %n = stablehlo.constant dense<128.0> : VEC
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (MAT, NUM) -> VEC
  %mean = stablehlo.divide %sum, %n : VEC
  %mb = stablehlo.broadcast_in_dim %mean, dims = [0] : (VEC) -> MAT
  %c = stablehlo.subtract %x, %mb : MAT
  %sq = stablehlo.multiply %c, %c : MAT
  %var = stablehlo.reduce(%sq init: %zero) applies stablehlo.add across dimensions = [1] : (MAT, NUM) -> VEC
  %safe = stablehlo.add %var, %eps : VEC
  %r = stablehlo.rsqrt %safe : VEC
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (VEC) -> MAT
  %norm = stablehlo.multiply %c, %rb : MAT
  %gb = stablehlo.broadcast_in_dim %g, dims = [1] : (VEC) -> MAT
  %y = stablehlo.multiply %norm, %gb : MAT
  %floor = stablehlo.broadcast_in_dim %mask, dims = [] : (NUM) -> MAT
  %z = stablehlo.maximum %y, %floor : MAT
  %m = stablehlo.reduce(%z init: %low) applies stablehlo.maximum across dimensions = [1] : (MAT, NUM) -> VEC
  %max = stablehlo.broadcast_in_dim %m, dims = [0] : (VEC) -> MAT
  %s = stablehlo.subtract %z, %max : MAT
  %e = stablehlo.exponential %s : MAT
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (MAT, NUM) -> VEC
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (VEC) -> MAT
  %p = stablehlo.divide %e, %tb : MAT
  return %p : MAT
}
""".replace("MAT", "tensor<128x128xf32>")
    .replace("VEC", "tensor<128xf32>")
    .replace("NUM", "tensor<f32>")
)
LINES = {line.partition(" = ")[0].strip(): n for n, line in enumerate(WIDE.splitlines(), 1)}


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [
        rng.normal(0.0, 1.0, (128, 128)).astype(np.float32),
        rng.uniform(25.0, 35.0, 128).astype(np.float32),
    ]


def twin(type: str, keep: str = "") -> str:
    made = shlo.opt(shlo.parse(WIDE), [f"narrow=type={type} {keep}"])
    return shlo.format(made, canonical=False)


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def sequential(type: str) -> str:
    """The sum of 128 columns, each addition rounded."""
    column, vector = f"tensor<128x1x{type}>", f"tensor<128x{type}>"
    lines = []
    for i in range(128):
        lines += [
            f"%s{i} = stablehlo.slice %sq [0:128, {i}:{i + 1}] : (tensor<128x128x{type}>) -> {column}",
            f"%v{i} = stablehlo.reshape %s{i} : ({column}) -> {vector}",
        ]
        lines += [f"%a{i} = stablehlo.add %{'a' if i > 1 else 'v'}{i - 1}, %v{i} : {vector}"] if i else []
    return "\n  ".join(lines)


@pytest.mark.parametrize("type", ["bf16", "f16", "f8E5M2"])
@pytest.mark.parametrize("keep", ["", "keep=signature", "keep=accumulations", "keep=%var,%safe,%r"])
def test_a_twin_without_a_fault_differs_by_rounding_alone(type: str, keep: str) -> None:
    for one, other in ((WIDE, twin(type, keep)), (twin(type, keep), WIDE)):
        found = shlo.compare(shlo.parse(one), shlo.parse(other), inputs())
        assert found.ok, found.first
        assert not found.other_unmatched_lines
        assert any("float types" in note for note in found.notes)


SCATTER = """func.func @main(%x: tensor<64xf32>, %i: tensor<64x1xi32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %y = "stablehlo.scatter"(%zero, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<2xf32>, tensor<64x1xi32>, tensor<64xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
"""


def test_a_sum_that_cancels_is_explained_by_the_rounding_of_its_terms() -> None:
    """Terms of 1 with a sum of 0.01 are rounded to bf16 one by one: the sum has no digit, and no fault."""
    half = np.random.default_rng(1).normal(size=32).astype(np.float32)
    x = np.concatenate([half, half * np.float32(-1.01)])
    index = (np.arange(64, dtype=np.int32) % 2).reshape(64, 1)
    module = shlo.parse(SCATTER)
    narrow = shlo.parse(shlo.format(shlo.opt(module, ["narrow=type=bf16"]), canonical=False))
    found = shlo.compare(module, narrow, [x, index])
    assert found.ok, found.first
    (exact,), (result,) = shlo.run(module, [x, index]), shlo.run(narrow, [x.astype(BF16), index])
    assert (np.abs(result.astype(np.float32) - exact) > 0.1 * np.abs(exact)).any()


def faults(type: str) -> dict[str, tuple[str, set[str]]]:
    """Each fault: the program with it, and the values of which one is named."""
    text = twin(type)
    square = f"tensor<128x128x{type}>"
    line = next(line for line in text.splitlines() if "%var = stablehlo.reduce" in line)
    element = np.zeros((128, 128))
    element[3, 7] = 1.0
    one = f"%one = stablehlo.constant dense<{element.tolist()}> : {square}"
    return {
        "maximum": (replaced(text, "exponential %s :", "exponential %z :"), {"%s", "%e"}),
        "accumulation": (
            replaced(text, line, f"  {sequential(type)}").replace("add %var,", "add %a127,"),
            {"%var", "%safe"},
        ),
        "factor": (
            replaced(
                replaced(text, "%r = stablehlo.rsqrt", "%r0 = stablehlo.rsqrt"),
                "  %rb =",
                f"  %k = stablehlo.constant dense<1.02> : tensor<128x{type}>\n"
                f"  %r = stablehlo.multiply %r0, %k : tensor<128x{type}>\n  %rb =",
            ),
            {"%r", "%rb", "%norm"},
        ),
        "axis": (replaced(text, "%mean, dims = [0]", "%mean, dims = [1]"), {"%mb"}),
        "element": (
            replaced(
                text,
                "  %sq = stablehlo.multiply %c, %c",
                f"  {one}\n  %d = stablehlo.add %c, %one : {square}\n  %sq = stablehlo.multiply %d, %d",
            ),
            {"%c", "%sq"},
        ),
    }


@pytest.mark.parametrize("type", ["bf16", "f16"])
@pytest.mark.parametrize("fault", ["maximum", "accumulation", "factor", "axis", "element"])
def test_a_fault_is_named(type: str, fault: str) -> None:
    text, values = faults(type)[fault]
    found = shlo.compare(shlo.parse(WIDE), shlo.parse(text), inputs())
    assert not found.ok
    assert found.first is not None
    assert found.first.line in {LINES[value] for value in values}, found.first


def test_an_epsilon_below_the_type_is_named() -> None:
    """1e-9 is zero in f16, where the smallest number is 6e-8."""
    wide = replaced(WIDE, "1.0e-4", "1.0e-9")
    narrow = shlo.opt(shlo.parse(wide), ["narrow=type=f16"])
    found = shlo.compare(shlo.parse(wide), shlo.parse(shlo.format(narrow, canonical=False)), inputs())
    assert not found.ok
    assert found.first is not None
    assert found.first.line == LINES["%eps"]


ZERO = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
  %large = stablehlo.constant dense<{large}> : tensor<4xf32>
  %a = stablehlo.add %x, %large : tensor<4xf32>
  %b = stablehlo.subtract %a, %large : tensor<4xf32>
  %zero = stablehlo.subtract %b, %x : tensor<4xf32>
  %y = stablehlo.multiply %x, %large : tensor<4xf32>
  return %zero, %y : tensor<4xf32>, tensor<4xf32>
}}
"""


def test_a_floor_is_a_share_of_the_largest_result() -> None:
    """17.0 + 0.1 - 17.0 - 0.1 is a rounding error, of 1e-6; the other result is 1.7."""
    from stablehlo_py.debug.compare_arrays import Tolerance, compare_arrays, error_floor

    module, x = shlo.parse(ZERO.format(large="17.0")), np.full(4, 0.1, np.float32)
    results = shlo.run(module, [x])
    zero = np.zeros(4, np.float32)
    assert 1e-8 < np.abs(results[0]).max() < 2e-6
    assert not compare_arrays(results[0], zero, Tolerance(rtol=1e-5, atol=1e-8)).ok
    floor = error_floor([*results, np.array([1000])], 1e-5)
    assert floor == pytest.approx(1.7e-5, rel=1e-3)
    assert compare_arrays(results[0], zero, Tolerance(rtol=1e-5, atol=1e-8, floor=floor)).ok
    assert not compare_arrays(
        results[0] + np.float32(2e-5), zero, Tolerance(rtol=1e-5, atol=1e-8, floor=floor)
    ).ok
    assert not compare_arrays(np.array([1]), np.array([0]), Tolerance(floor=2.0)).ok


def test_the_results_of_programs_may_differ_by_a_floor() -> None:
    first = shlo.parse(ZERO.format(large="17.0"))
    second = shlo.parse("""func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %large = stablehlo.constant dense<17.0> : tensor<4xf32>
      %zero = stablehlo.subtract %x, %x : tensor<4xf32>
      %y = stablehlo.multiply %x, %large : tensor<4xf32>
      return %zero, %y : tensor<4xf32>, tensor<4xf32>
    }""")
    x = np.full(4, 0.1, np.float32)
    assert not shlo.compare(first, second, [x]).ok
    assert shlo.compare(first, second, [x], floor=1e-5).ok
    assert not shlo.compare(first, second, [x], floor=1e-8).ok
