"""Dimensions that do not divide: the last shards are padded, and padding is masked where it would count."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.sharding.axes import Axis
from stablehlo_py.sharding.division.resharding import steps
from tests.sharding.test_division import DEVICES, collectives

X, Y = Axis("x"), Axis("y")
DRAWN = {"f32": np.float32, "i32": np.int32, "i1": np.bool_}


def check(body: str, arguments: list[tuple[str, str]], result: str, expected: list[str]) -> shlo.Module:
    """Compare with the whole program, on numbers that are exact, and compare the collectives.

    Arguments and results are whole, since JAX and Shardy divide them evenly, and are divided inside.
    """
    heads = ", ".join([f"%{name}0: tensor<{type}>" for name, (type, _) in zip("ab", arguments, strict=False)])
    constrain = "%{0} = sdy.sharding_constraint %{0}0 <@mesh, {2}> : tensor<{1}>\n  "
    divided = [constrain.format(name, *each) for name, each in zip("ab", arguments, strict=False)]
    out, at = result.split(" ", 1)
    module = shlo.parse(
        f'sdy.mesh @mesh = <["x"=2, "y"=4]>\nfunc.func @main({heads}) -> tensor<{out}> {{\n  '
        f"{''.join(divided)}{body}\n  %r = sdy.sharding_constraint %0 <@mesh, {at}> : tensor<{out}>\n"
        f"  return %r : tensor<{out}>\n}}"
    )
    draw = np.random.default_rng(3)
    types = [value.type for value in module.functions["main"].regions[0].block.arguments]
    inputs = [draw.integers(-5, 6, type.shape).astype(DRAWN[str(type.element_type)]) for type in types]
    program = shlo.compile(module, partition=True, engine="numpy")
    assert not shlo.verify(program.divided)
    (found,), (wanted,) = program(*inputs), shlo.run(module, inputs, engine="numpy")
    np.testing.assert_array_equal(found, wanted)
    assert collectives(program.divided) == [*expected, *["all_gather"] * at.count('{"')]
    return program.divided


def test_shards_are_rounded_up() -> None:
    at = '[{"y"}, {"x"}]'
    divided = check("%0 = stablehlo.negate %a : tensor<11x5xi32>", [("11x5xi32", at)], f"11x5xi32 {at}", [])
    assert "stablehlo.negate" in shlo.format(divided)
    assert ": tensor<3x3xi32>" in shlo.format(divided).partition("stablehlo.negate")[2].partition("\n")[0]


GATHER, REDUCE, PERMUTE = "all_gather", "all_reduce", "collective_permute"
WHOLE, ROWS, COLUMNS = "[{}, {}]", '[{"y"}, {}]', '[{}, {"y"}]'
BODY = (
    "({{\n  ^bb0(%l: tensor<i32>, %r: tensor<i32>):\n    %s = stablehlo.{0} %l, %r : {1}\n"
    "    stablehlo.return %s : tensor<{2}>\n  }})"
)
ADD = BODY.format("add", "tensor<i32>", "i32")
LESS = BODY.format("compare LT,", "(tensor<i32>, tensor<i32>) -> tensor<i1>", "i1")
DOT = (
    "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
    "(tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>"
)
REDUCTION = (
    "%z = stablehlo.constant dense<{1}> : tensor<{3}>\n  %0 = stablehlo.reduce(%a init: %z) applies "
    "stablehlo.{0} across dimensions = [0] : (tensor<{2}x{3}>, tensor<{3}>) -> tensor<{3}>"
)
IOTA = (  # bf16 rounds what is above 256
    "%i = stablehlo.iota dim = 0 : tensor<1031xbf16>\n  %c = stablehlo.convert %i : "
    "(tensor<1031xbf16>) -> tensor<1031xf32>\n  %0 = stablehlo.add %a, %c : tensor<1031xf32>"
)
ARGMAX = """%i = stablehlo.iota dim = 0 : tensor<{0}x5xi32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %m, %0 = stablehlo.reduce(%a init: %least), (%i init: %zero) across dimensions = [0]
    : (tensor<{0}x5xi32>, tensor<{0}x5xi32>, tensor<i32>, tensor<i32>) -> (tensor<5xi32>, tensor<5xi32>)
    reducer(%l: tensor<i32>, %r: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {{
      %more = stablehlo.compare GT, %l, %r : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %same = stablehlo.compare EQ, %l, %r : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %same, %first : tensor<i1>
      %left = stablehlo.or %more, %tie : tensor<i1>
      %value = stablehlo.select %more, %l, %r : tensor<i1>, tensor<i32>
      %place = stablehlo.select %left, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<i32>, tensor<i32>
    }}"""
CONVOLUTION = (
    "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
    "window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
    "(tensor<3x15x5xf32>, tensor<3x5x7xf32>) -> tensor<3x15x7xf32>"
)
LOOKUP = (
    '%0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
    "slice_sizes = array<i64: 1, 2>}> : (tensor<9x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>"
)
WINDOWS = (
    '%z = stablehlo.constant dense<0> : tensor<i32>\n  %0 = "stablehlo.reduce_window"(%a, %z) '
    "<{window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> "
    f"{ADD} : (tensor<15xi32>, tensor<i32>) -> tensor<15xi32>"
)
PAD = (
    "%n = stablehlo.constant dense<7> : tensor<i32>\n  %0 = stablehlo.pad %a, %n, low = [1], high = [1], "
    "interior = [0] : (tensor<13xi32>, tensor<i32>) -> tensor<15xi32>"
)
NEGATIVE = "%0 = stablehlo.negate %a : tensor<{}xi32>"
CASES = {
    "rows and columns of a product": (
        DOT, [("5x7xf32", ROWS), ("7x3xf32", '[{}, {"x"}]')], '5x3xf32 [{"y"}, {"x"}]', []
    ),
    "contracted": (DOT, [("5x7xf32", COLUMNS), ("7x3xf32", ROWS)], f"5x3xf32 {WHOLE}", [REDUCE]),
    "scattered": (DOT, [("5x7xf32", COLUMNS), ("7x3xf32", ROWS)], f"5x3xf32 {ROWS}", ["reduce_scatter"]),
    "sum": (
        REDUCTION.replace("-> tensor<{3}>", "-> tensor<3x{3}>").format("add", 0, "11x3", "i32"),
        [("11x3xi32", '[{"y"}, {"x"}]')], '3xi32 [{"x"}]', [REDUCE],
    ),
    "product": (REDUCTION.format("multiply", 1, 5, "i32"), [("5xi32", '[{"y"}]')], "i32 []", [REDUCE]),
    "a body that returns its argument": (
        '%z = stablehlo.constant dense<0> : tensor<i32>\n  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = '
        f"array<i64: 0>}}> {ADD.replace('return %s', 'return %r')} : "
        "(tensor<7xi32>, tensor<i32>) -> tensor<i32>",
        [("7xi32", '[{"y"}]')], "i32 []", [GATHER],
    ),
    "maximum": (REDUCTION.format("maximum", -9, 7, "i32"), [("7xi32", '[{"y"}]')], "i32 []", [REDUCE]),
    "all": (REDUCTION.format("and", "true", 7, "i1"), [("7xi1", '[{"y"}]')], "i1 []", [REDUCE]),
    "numbers of elements": (IOTA, [("1031xf32", '[{"y"}]')], '1031xf32 [{"y"}]', []),
    "place of the maximum": (
        ARGMAX.format(7), [("7x5xi32", '[{"y"}, {"x"}]')], '5xi32 [{"x"}]', [GATHER, GATHER],
    ),
    "transpose": (
        "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<11x3xi32>) -> tensor<3x11xi32>",
        [("11x3xi32", '[{"y"}, {"x"}]')], '3x11xi32 [{"x"}, {"y"}]', [],
    ),
    "sort of rows": (
        f'%0 = "stablehlo.sort"(%a) <{{dimension = 1 : i64}}> {LESS} : (tensor<7x5xi32>) -> tensor<7x5xi32>',
        [("7x5xi32", ROWS)], f"7x5xi32 {ROWS}", [],
    ),
    "all but the first": (
        "%0 = stablehlo.slice %a [1:11] : (tensor<11xi32>) -> tensor<10xi32>",
        [("11xi32", '[{"y"}]')], '10xi32 [{"y"}]', [PERMUTE],
    ),
    "pad": (PAD, [("13xi32", '[{"y"}]')], '15xi32 [{"y"}]', [PERMUTE]),
    "windows": (WINDOWS, [("15xi32", '[{"y"}]')], '15xi32 [{"y"}]', [PERMUTE, PERMUTE]),
    "convolution": (
        CONVOLUTION, [("3x15x5xf32", '[{"x"}, {"y"}, {}]'), ("3x5x7xf32", "[{}, {}, {}]")],
        '3x15x7xf32 [{"x"}, {"y"}, {}]', [PERMUTE, PERMUTE],
    ),
    "features of a convolution": (
        CONVOLUTION.replace("7xf32", "1xf32"),
        [("3x15x5xf32", '[{}, {}, {"y"}]'), ("3x5x1xf32", '[{}, {"y"}, {}]')],
        "3x15x1xf32 [{}, {}, {}]", [REDUCE],
    ),
    "rows of a table": (LOOKUP, [("9x2xf32", ROWS), ("3x1xi32", WHOLE)], f"3x2xf32 {WHOLE}", [REDUCE]),
    "moved to another dimension": (
        NEGATIVE.format("11x7"), [("11x7xi32", ROWS)], f"11x7xi32 {COLUMNS}", ["all_to_all"]
    ),
    "divided further": (NEGATIVE.format(9), [("9xi32", '[{"x"}]')], '9xi32 [{"x", "y"}]', [GATHER]),
    "divided further, evenly": (NEGATIVE.format(15), [("15xi32", '[{"x"}]')], '15xi32 [{"x", "y"}]', []),
    "smaller than its axes": (NEGATIVE.format(3), [("3xi32", '[{"x", "y"}]')], '3xi32 [{"x", "y"}]', []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_results_and_collectives(case: tuple) -> None:
    check(*case)


def test_shards_whose_ends_are_elsewhere_are_gathered() -> None:
    x, both = ((X,),), ((X, Y),)
    assert [step.kind for step in steps(x, both, (16,), DEVICES.sizes)] == ["slice"]
    assert [step.kind for step in steps(x, both, (10,), DEVICES.sizes)] == ["gather", "slice"]
    assert [step.kind for step in steps(both, x, (10,), DEVICES.sizes)] == ["gather", "slice"]
    assert [step.kind for step in steps(both, ((),), (10,), DEVICES.sizes)] == ["gather"]
    moved = steps(((X,), ()), ((), (X,)), (5, 7), DEVICES.sizes)
    assert [step.kind for step in moved] == ["exchange"]
