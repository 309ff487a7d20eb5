# ruff: noqa: E501  (programs have long lines)
"""The NumPy engine: folding, fusion, inlining and in-place execution, without effect on results."""

from __future__ import annotations

from typing import Any

import numpy as np

import stablehlo_py as shlo


def program(text: str) -> Any:
    return shlo.compile(shlo.parse(text), engine="numpy")


def steps(text: str) -> list[str]:
    return [step.name for step in program(text).plan.steps]


def test_constants_are_folded_and_dead_steps_dropped() -> None:
    text = """func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
      %0 = stablehlo.constant dense<2> : tensor<i32>
      %1 = stablehlo.add %0, %0 : tensor<i32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %3 = stablehlo.negate %x : tensor<3xi32>
      %4 = stablehlo.add %x, %2 : tensor<3xi32>
      return %4 : tensor<3xi32>
    }"""
    assert steps(text) == ["stablehlo.add"]
    assert program(text)([1, 2, 3])[0].tolist() == [5, 6, 7]


def test_constants_of_a_type_that_is_no_tensor() -> None:
    text = """func.func @main() -> tensor<2xindex> {
      %0 = shape.const_shape [8, 8] : !shape.shape
      %1 = shape.const_shape [2, 0] : tensor<2xindex>
      return %1 : tensor<2xindex>
    }"""
    assert program(text)()[0].tolist() == [2, 0]


def test_reductions_of_large_views_are_not_folded() -> None:
    text = """func.func @main() -> tensor<f32> {
      %0 = stablehlo.iota dim = 0 : tensor<1000000x1000000xf32>
      %1 = stablehlo.constant dense<0.0> : tensor<f32>
      %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0, 1] : (tensor<1000000x1000000xf32>, tensor<f32>) -> tensor<f32>
      return %2 : tensor<f32>
    }"""
    assert steps(text) == ["stablehlo.reduce"]


def test_small_functions_are_inlined() -> None:
    text = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %0 = call @twice(%x) : (tensor<i32>) -> tensor<i32>
      %1 = call @twice(%0) : (tensor<i32>) -> tensor<i32>
      return %1 : tensor<i32>
    }
    func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
      %0 = stablehlo.add %x, %x : tensor<i32>
      return %0 : tensor<i32>
    }"""
    assert steps(text) == ["stablehlo.add", "stablehlo.add"]
    assert program(text)(3)[0] == 12


def test_a_function_that_calls_itself() -> None:
    text = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %done = stablehlo.compare EQ, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %0 = "stablehlo.if"(%done) ({
        stablehlo.return %one : tensor<i32>
      }, {
        %less = stablehlo.subtract %n, %one : tensor<i32>
        %rest = func.call @main(%less) : (tensor<i32>) -> tensor<i32>
        %product = stablehlo.multiply %n, %rest : tensor<i32>
        stablehlo.return %product : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      return %0 : tensor<i32>
    }"""
    assert program(text)(10)[0] == 3628800


CHAIN = """func.func @main(%x: tensor<{shape}xf32>, %b: tensor<{row}xf32>) -> (tensor<{shape}xf32>, tensor<{shape}xi1>) {{
  %c = stablehlo.constant dense<0.5> : tensor<f32>
  %half = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<{shape}xf32>
  %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<{row}xf32>) -> tensor<{shape}xf32>
  %0 = stablehlo.multiply %x, %half : tensor<{shape}xf32>
  %1 = stablehlo.add %0, %bias : tensor<{shape}xf32>
  %2 = stablehlo.compare GT, %1, %x : (tensor<{shape}xf32>, tensor<{shape}xf32>) -> tensor<{shape}xi1>
  %3 = stablehlo.select %2, %1, %x : tensor<{shape}xi1>, tensor<{shape}xf32>
  %4 = stablehlo.exponential %3 : tensor<{shape}xf32>
  %5 = stablehlo.add %4, %1 : tensor<{shape}xf32>
  return %5, %2 : tensor<{shape}xf32>, tensor<{shape}xi1>
}}"""


def chain(x: Any, b: Any) -> tuple[Any, Any]:
    y = x * np.float32(0.5) + b
    return np.exp(np.where(y > x, y, x)) + y, y > x


def test_chains_give_the_same() -> None:
    """Sizes around blocks and threads; contiguous inputs and views; several outputs."""
    random = np.random.default_rng(1)
    for rows, row in ((1, 1 << 14), (7, 5003), (1300, 301), (3, 70001)):
        text = CHAIN.format(shape=f"{rows}x{row}", row=row)
        assert steps(text).count("chain") == 1
        run = program(text)
        b = random.normal(size=row).astype(np.float32)
        for x in (random.normal(size=(rows, row)), random.normal(size=(row, rows)).T):
            given = x.astype(np.float32, order="K")
            kept = given.copy()
            for found, expected in zip(run(given, b), chain(given, b), strict=True):
                np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(given, kept)


SOFTMAX = """func.func @main(%x: tensor<{shape}xf32>) -> (tensor<{shape}xf32>, tensor<{lead}xf32>) {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [{last}] : (tensor<{shape}xf32>, tensor<f32>) -> tensor<{lead}xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [{dims}] : (tensor<{lead}xf32>) -> tensor<{lead}x1xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [{dims}, {last}] : (tensor<{lead}x1xf32>) -> tensor<{shape}xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<{shape}xf32>
  %4 = stablehlo.exponential %3 : tensor<{shape}xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [{last}] : (tensor<{shape}xf32>, tensor<f32>) -> tensor<{lead}xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [{dims}] : (tensor<{lead}xf32>) -> tensor<{shape}xf32>
  %7 = stablehlo.divide %4, %6 : tensor<{shape}xf32>
  %8 = stablehlo.log %5 : tensor<{lead}xf32>
  %9 = stablehlo.add %8, %0 : tensor<{lead}xf32>
  return %7, %9 : tensor<{shape}xf32>, tensor<{lead}xf32>
}}"""


def test_rows_are_reduced_within_a_chain() -> None:
    """Rows of different lengths, more of them than are in a block, and results that hold one element for each."""
    random = np.random.default_rng(3)
    for shape in ((1300, 300), (5, 6000), (2, 70, 333), (20000, 3), (300, 300)):
        lead, dims = "x".join(map(str, shape[:-1])), ", ".join(map(str, range(len(shape) - 1)))
        text = SOFTMAX.format(shape="x".join(map(str, shape)), lead=lead, dims=dims, last=len(shape) - 1)
        assert steps(text) == ["chain"]
        x = random.normal(size=shape).astype(np.float32)
        exact = np.exp(x.astype(np.float64))
        sums = exact.sum(-1, keepdims=True)
        found, logarithms = program(text)(x)
        np.testing.assert_allclose(found, exact / sums, rtol=2e-5)
        np.testing.assert_allclose(logarithms, np.log(sums[..., 0]), rtol=1e-5, atol=1e-6)


def test_what_is_spread_along_rows_and_columns_of_a_chain() -> None:
    """One vector for the rows and for the columns of a square; a reduction's result spread the other way."""
    text = """func.func @main(%x: tensor<200x200xf32>, %v: tensor<200xf32>) -> tensor<200x200xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %rows = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<200xf32>) -> tensor<200x200xf32>
      %columns = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<200xf32>) -> tensor<200x200xf32>
      %0 = stablehlo.add %x, %rows : tensor<200x200xf32>
      %1 = stablehlo.multiply %0, %columns : tensor<200x200xf32>
      %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<200x200xf32>, tensor<f32>) -> tensor<200xf32>
      %other = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<200xf32>) -> tensor<200x200xf32>
      %3 = stablehlo.subtract %1, %other : tensor<200x200xf32>
      %4 = stablehlo.add %rows, %columns : tensor<200x200xf32>
      %5 = stablehlo.multiply %3, %4 : tensor<200x200xf32>
      return %5 : tensor<200x200xf32>
    }"""
    random = np.random.default_rng(4)
    x, v = random.normal(size=(200, 200)).astype(np.float32), random.normal(size=200).astype(np.float32)
    y = (x + v[:, None]) * v
    expected = (y - np.maximum(y.max(1), 0)) * (v[:, None] + v)
    np.testing.assert_array_equal(program(text)(x, v)[0], expected)


DISTANCES = """func.func @main(%a: tensor<{a}xf32>, %b: tensor<{b}xf32>) -> tensor<{lead}xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %a, dims = [{dims_a}] : (tensor<{a}xf32>) -> tensor<{shape}xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [{dims_b}] : (tensor<{b}xf32>) -> tensor<{shape}xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<{shape}xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<{shape}xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [{last}] : (tensor<{shape}xf32>, tensor<f32>) -> tensor<{lead}xf32>
  return %4 : tensor<{lead}xf32>
}}"""


def test_broadcasts_of_broadcasts_in_a_chain() -> None:
    """A vector along one dimension of a square, which is repeated along each dimension of a cube."""
    v, x = np.arange(32, dtype=np.float32), np.arange(32.0**3, dtype=np.float32).reshape(32, 32, 32)
    cube, square = "tensor<32x32x32xf32>", "tensor<32x32xf32>"
    for first in (0, 1):
        for dims in ((0, 1), (0, 2), (1, 2)):
            text = f"""func.func @main(%x: {cube}, %v: tensor<32xf32>) -> {cube} {{
              %0 = stablehlo.broadcast_in_dim %v, dims = [{first}] : (tensor<32xf32>) -> {square}
              %1 = stablehlo.broadcast_in_dim %0, dims = [{dims[0]}, {dims[1]}] : ({square}) -> {cube}
              %2 = stablehlo.add %x, %1 : {cube}
              %3 = stablehlo.multiply %2, %1 : {cube}
              return %3 : {cube}
            }}"""
            along = v.reshape([32 if d == dims[first] else 1 for d in range(3)])
            np.testing.assert_array_equal(program(text)(x, v)[0], (x + along) * along)


def test_broadcasts_of_numbers_to_numbers() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<f32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<f32>
      %2 = stablehlo.add %1, %0 : tensor<f32>
      return %2 : tensor<f32>
    }"""
    assert program(text)(3.0)[0] == 6


def test_chains_of_several_element_types() -> None:
    """Results of another type are not written to the memory of what they are computed from."""
    type, test, complex = "tensor<40000xf64>", "tensor<40000xi1>", "tensor<40000xcomplex<f64>>"
    text = f"""func.func @main(%x: {type}, %y: {type}) -> ({type}, {test}, {type}) {{
      %0 = stablehlo.multiply %x, %x : {type}
      %1 = stablehlo.subtract %y, %x : {type}
      %2 = stablehlo.compare LT, %0, %y : ({type}, {type}) -> {test}
      %3 = stablehlo.compare GE, %1, %x : ({type}, {type}) -> {test}
      %4 = stablehlo.xor %2, %3 : {test}
      %5 = stablehlo.not %4 : {test}
      %6 = stablehlo.and %5, %2 : {test}
      %7 = stablehlo.select %6, %x, %y : {test}, {type}
      %8 = stablehlo.complex %x, %y : {complex}
      %9 = stablehlo.negate %8 : {complex}
      %10 = stablehlo.abs %9 : ({complex}) -> {type}
      %11 = stablehlo.multiply %10, %10 : {type}
      return %7, %6, %11 : {type}, {test}, {type}
    }}"""
    x, y = np.random.default_rng(5).integers(-9, 9, (2, 40000)).astype(np.float64)
    chosen = ~((x * x < y) ^ (y - x >= x)) & (x * x < y)
    found, tests, sizes = program(text)(x, y)
    np.testing.assert_array_equal(tests, chosen)
    np.testing.assert_array_equal(found, np.where(chosen, x, y))
    np.testing.assert_allclose(sizes, x * x + y * y, rtol=1e-15)


def test_rows_of_arrays_that_are_not_contiguous_are_reduced_within_a_chain() -> None:
    random = np.random.default_rng(2)
    for shape in ((7, 601, 33), (2, 9001, 8), (3, 5, 900, 11)):  # blocks of uneven sizes, of either axis
        last, words = len(shape) - 1, [str(size) for size in shape]
        dims_a, dims_b = [0, *range(2, last + 1)], [*range(1, last + 1)]
        names = {"shape": "x".join(words), "lead": "x".join(words[:-1]), "last": last}
        for name, dims in (("a", dims_a), ("b", dims_b)):
            names |= {name: "x".join(words[d] for d in dims), f"dims_{name}": ", ".join(map(str, dims))}
        a = random.integers(-9, 9, [shape[d] for d in dims_a]).astype(np.float32)
        b = random.integers(-9, 9, [shape[d] for d in dims_b]).astype(np.float32)
        (found,) = program(DISTANCES.format(**names))(a, b)
        assert np.array_equal(found, ((a[:, None] - b) ** 2).sum(-1))


def test_equal_steps_are_computed_once() -> None:
    text = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
      %0 = stablehlo.add %x, %y : tensor<4xf32>
      %1 = stablehlo.add %x, %y : tensor<4xf32>
      %2 = stablehlo.compare LT, %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
    }"""
    assert steps(text).count("stablehlo.add") == 1
    first, second, less = program(text)([1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 1.0])
    np.testing.assert_array_equal(first, [2, 3, 4, 5])
    first[:] = 0
    np.testing.assert_array_equal(second, [2, 3, 4, 5])
    assert not less.any()


def test_chains_on_both_sides_of_a_step_are_not_joined() -> None:
    """A step outside that lies between two chains keeps them apart."""
    text = """func.func @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
      %0 = stablehlo.negate %x : tensor<256x256xf32>
      %1 = stablehlo.abs %0 : tensor<256x256xf32>
      %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
      %3 = stablehlo.add %1, %2 : tensor<256x256xf32>
      %4 = stablehlo.subtract %3, %0 : tensor<256x256xf32>
      return %4 : tensor<256x256xf32>
    }"""
    x = np.random.default_rng(2).normal(size=(256, 256)).astype(np.float32)
    np.testing.assert_array_equal(program(text)(x)[0], np.abs(x) + np.abs(x).T + x)
    assert steps(text) == ["chain", "stablehlo.transpose", "chain"]


LOOP = """func.func @main(%x: tensor<64x512xf32>, %n: tensor<i32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %row = stablehlo.constant dense<7.0> : tensor<1x512xf32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<64x512xf32>
  cond {
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %z = stablehlo.dynamic_update_slice %y, %row, %i, %zero : (tensor<64x512xf32>, tensor<1x512xf32>, tensor<i32>, tensor<i32>) -> tensor<64x512xf32>
    stablehlo.return %next, %z : tensor<i32>, tensor<64x512xf32>
  }
  return %0#1, %x : tensor<64x512xf32>, tensor<64x512xf32>
}"""


def test_a_loop_updates_rows_in_place() -> None:
    run = program(LOOP)
    assert "in place of" in str(run.plan)
    assert [s.name for s in run.plan.steps].count("copy") == 2  # the loop's own array, and the result %x
    x = np.ones((64, 512), np.float32)
    for n in (3, 0):
        found, same = run(x, n)
        assert found[:, 0].tolist() == [7] * n + [1] * (64 - n)
        assert (same == 1).all() and (x == 1).all()


def test_swapped_carries_stay_apart() -> None:
    text = """func.func @main(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<3> : tensor<i32>
      %row = stablehlo.constant dense<7.0> : tensor<1x512xf32>
      %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %x) : tensor<i32>, tensor<64x512xf32>, tensor<64x512xf32>
      cond {
        %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i32>
        %z = stablehlo.dynamic_update_slice %a, %row, %i, %zero : (tensor<64x512xf32>, tensor<1x512xf32>, tensor<i32>, tensor<i32>) -> tensor<64x512xf32>
        stablehlo.return %next, %b, %z : tensor<i32>, tensor<64x512xf32>, tensor<64x512xf32>
      }
      return %0#1, %0#2 : tensor<64x512xf32>, tensor<64x512xf32>
    }"""
    a, b = program(text)(np.zeros((64, 512), np.float32))
    assert np.flatnonzero(a[:, 0]).tolist() == [1]  # rows 0 and 2 went to one array, row 1 to the other
    assert np.flatnonzero(b[:, 0]).tolist() == [0, 2]


def test_values_that_a_loop_passes_round() -> None:
    """The first result may be any of the operands; the last two are read after the result is changed."""
    names, types = ("a", "b", "c", "d", "e"), ", ".join(["tensor<9xi64>"] * 5)
    start = [f"%{name}0 = stablehlo.add %x, %k{k} : tensor<9xi64>" for k, name in enumerate(names)]
    numbers = [f"%k{k} = stablehlo.constant dense<{k}> : tensor<9xi64>" for k in range(5)]
    carried = ", ".join([f"%{name} = %{name}0" for name in names])
    turned = ", ".join([f"%{name}" for name in (*names[1:], names[0])])
    for turns in range(6):
        text = f"""func.func @main(%x: tensor<9xi64>) -> (tensor<9xi64>, tensor<9xi64>, tensor<9xi64>) {{
          {" ".join([line + chr(10) for line in (*numbers, *start)])}
          %zero = stablehlo.constant dense<0> : tensor<i64>
          %one = stablehlo.constant dense<1> : tensor<i64>
          %last = stablehlo.constant dense<{turns}> : tensor<i64>
          %new = stablehlo.constant dense<-1> : tensor<1xi64>
          %r:6 = stablehlo.while(%i = %zero, {carried}) : tensor<i64>, {types}
            cond {{
              %p = stablehlo.compare LT, %i, %last : (tensor<i64>, tensor<i64>) -> tensor<i1>
              stablehlo.return %p : tensor<i1>
            }} do {{
              %n = stablehlo.add %i, %one : tensor<i64>
              stablehlo.return %n, {turned} : tensor<i64>, {types}
            }}
          %changed = stablehlo.dynamic_update_slice %r#1, %new, %zero
            : (tensor<9xi64>, tensor<1xi64>, tensor<i64>) -> tensor<9xi64>
          return %changed, %d0, %e0 : tensor<9xi64>, tensor<9xi64>, tensor<9xi64>
        }}"""
        changed, *others = program(text)(np.zeros(9, np.int64))
        assert changed.tolist() == [-1] + [turns % 5] * 8
        assert [each.tolist() for each in others] == [[3] * 9, [4] * 9], turns


def test_regions_see_outer_values() -> None:
    text = """func.func @main(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
      %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<f32>):
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %p = stablehlo.compare GT, %a, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %r = "stablehlo.if"(%p) ({
          %t = stablehlo.multiply %a, %s : tensor<f32>
          stablehlo.return %t : tensor<f32>
        }, {
          stablehlo.return %s : tensor<f32>
        }) : (tensor<i1>) -> tensor<f32>
        stablehlo.return %r : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    assert program(text)([1, -1, 2, 0], 10)[0].tolist() == [10, 10, 20, 10]


def test_a_plan_can_be_read() -> None:
    text = str(program(LOOP).plan)
    assert text.startswith("plan @main(%0: tensor<64x512xf32>, %1: tensor<i32>)")
    assert "stablehlo.while" in text and "return" in text


def test_large_numbers_in_order_are_written_to_in_a_copy() -> None:
    text = """func.func @main(%i: tensor<i32>) -> (tensor<600x600xf32>, tensor<360000xf32>) {
      %0 = stablehlo.iota dim = 1 : tensor<600x600xf32>
      %1 = stablehlo.constant dense<-7.0> : tensor<1x1xf32>
      %2 = stablehlo.dynamic_update_slice %0, %1, %i, %i
        : (tensor<600x600xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<600x600xf32>
      %3 = stablehlo.reshape %0 : (tensor<600x600xf32>) -> tensor<360000xf32>
      return %2, %3 : tensor<600x600xf32>, tensor<360000xf32>
    }"""
    updated, plain = program(text)(5)
    rows = np.tile(np.arange(600), (600, 1))
    assert np.array_equal(plain, rows.reshape(-1))
    rows[5, 5] = -7
    assert np.array_equal(updated, rows)


def test_one_step_of_several_passes_runs_block_by_block() -> None:
    text = """func.func @main(%x: tensor<200000xf32>) -> tensor<200000xf32> {
      %0 = stablehlo.round_nearest_afz %x : tensor<200000xf32>
      return %0 : tensor<200000xf32>
    }"""
    run = program(text)
    assert [step.name for step in run.plan.steps] == ["chain"]
    halves = np.arange(-100000, 100000, dtype=np.float32) + np.float32(0.5)
    assert np.array_equal(run(halves)[0], np.where(halves > 0, halves + 0.5, halves - 0.5))


def test_what_reads_its_place_is_not_folded() -> None:
    """Each process of a grid takes its own branch, though all operands are constants; equal reads are one."""
    text = """func.func @main() -> (tensor<ui32>, tensor<ui32>) {
      %true = stablehlo.constant dense<true> : tensor<i1>
      %0 = "stablehlo.if"(%true) ({
        %id = stablehlo.replica_id : tensor<ui32>
        stablehlo.return %id : tensor<ui32>
      }, {
        %id = stablehlo.partition_id : tensor<ui32>
        stablehlo.return %id : tensor<ui32>
      }) : (tensor<i1>) -> tensor<ui32>
      %1 = stablehlo.replica_id : tensor<ui32>
      %2 = stablehlo.replica_id : tensor<ui32>
      %3 = stablehlo.add %1, %2 : tensor<ui32>
      return %0, %3 : tensor<ui32>, tensor<ui32>
    }"""
    module = shlo.parse(text)
    found = shlo.compile(module, replicas=2).call_grid({(0, 0): [], (1, 0): []})
    assert [[int(x) for x in found[place]] for place in ((0, 0), (1, 0))] == [[0, 0], [1, 2]]
    assert steps(text) == ["stablehlo.if", "stablehlo.replica_id", "stablehlo.add"]


def test_chains_do_not_break_the_order_of_effects() -> None:
    """The last sum is of the first chain's shape, but needs what the second collective gives."""
    text = """module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
      func.func @main(%x: tensor<128x256xf32>, %y: tensor<128x256xf32>)
          -> (tensor<128x256xf32>, tensor<128x256xf32>) {
        %0 = stablehlo.negate %x : tensor<128x256xf32>
        %1 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> :
          tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}>
          : (tensor<128x256xf32>) -> tensor<128x256xf32>
        %2 = "stablehlo.collective_permute"(%y) <{source_target_pairs = dense<[[0, 1], [1, 0]]> :
          tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}>
          : (tensor<128x256xf32>) -> tensor<128x256xf32>
        %3 = stablehlo.add %0, %2 : tensor<128x256xf32>
        return %1, %3 : tensor<128x256xf32>, tensor<128x256xf32>
      }
    }"""
    x, y = [[np.full((128, 256), place + many, np.float32) for place in (0, 1)] for many in (10, 20)]
    program = shlo.compile(text, engine="numpy")
    found = program.call_grid({(0, place): [x[place], y[place]] for place in (0, 1)})
    for place in (0, 1):
        moved, added = found[0, place]
        np.testing.assert_array_equal(moved, -x[1 - place])
        np.testing.assert_array_equal(added, y[1 - place] - x[place])
