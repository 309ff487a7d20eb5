"""Costs of ops and functions, compared with hand calculations."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.analysis.trips import trip_count

REGION = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.OP %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  })"""


CONV = (
    '"stablehlo.convolution"(%x, %k) {window_strides = array<i64: 1>, '
    "padding = dense<PADDING> : tensor<1x2xi64>"
    ", dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,"
    "feature_group_count = 1 : i64, batch_group_count = 1 : i64} : "
)


def cost(op: str, arguments: str, result: str) -> Cost:
    module = shlo.parse(f"func.func @main({arguments}) -> {result} {{\n %r = {op}\n return %r : {result} }}")
    return Costs(module).function("main")


@pytest.mark.parametrize(
    ("op", "arguments", "result", "expected"),
    [
        # 6 elements of 4 bytes, of 2, and of 8
        ("stablehlo.add %x, %x : tensor<6xf32>", "%x: tensor<6xf32>", "tensor<6xf32>", Cost(6, 0, 48, 24)),
        ("stablehlo.tanh %x : tensor<6xbf16>", "%x: tensor<6xbf16>", "tensor<6xbf16>", Cost(0, 6, 12, 12)),
        ("chlo.erf %x : tensor<4xf64> -> tensor<4xf64>", "%x: tensor<4xf64>", "tensor<4xf64>",
         Cost(0, 4, 32, 32)),
        (
            "stablehlo.compare LT, %x, %x : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi1>",
            "%x: tensor<6xi8>",
            "tensor<6xi1>",
            Cost(6, 0, 12, 6),
        ),
        # batch 5, M 2, K 3, N 4
        (
            "stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
            "(tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>",
            "%x: tensor<5x2x3xf32>, %y: tensor<5x3x4xf32>",
            "tensor<5x2x4xf32>",
            Cost(2 * 5 * 2 * 3 * 4, 0, 4 * (30 + 60), 4 * 40),
        ),
        (
            'stablehlo.einsum %x, %y, config = "ab,bc->ac" : '
            "(tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
            "%x: tensor<2x3xf32>, %y: tensor<3x4xf32>",
            "tensor<2x4xf32>",
            Cost(2 * 2 * 3 * 4, 0, 4 * 18, 4 * 8),
        ),
        (
            'stablehlo.einsum %x, %y, config = "...a,ab->...b" : '
            "(tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>",
            "%x: tensor<5x2x3xf32>, %y: tensor<3x4xf32>",
            "tensor<5x2x4xf32>",
            Cost(2 * 5 * 2 * 3 * 4, 0, 4 * 42, 4 * 40),
        ),
        # a malformed configuration, which is an error when the program runs
        (
            'stablehlo.unary_einsum %x, config = "ab-!c<a>" : (tensor<2x3xf32>) -> tensor<2xf32>',
            "%x: tensor<2x3xf32>",
            "tensor<2xf32>",
            Cost(0, 0, 24, 8),
        ),
        # no padding: 3 places of the kernel at each of 4 results
        (
            CONV.replace('PADDING', '0') + "(tensor<1x6x2xf32>, tensor<3x2x5xf32>) -> tensor<1x4x5xf32>",
            "%x: tensor<1x6x2xf32>, %k: tensor<3x2x5xf32>",
            "tensor<1x4x5xf32>",
            Cost(2 * 3 * 4 * 2 * 5, 0, 4 * (12 + 30), 4 * 20),
        ),
        # padding of 1 at either end: the outer results miss a place each
        (
            CONV.replace('PADDING', '1') + "(tensor<1x6x1xf32>, tensor<3x1x1xf32>) -> tensor<1x6x1xf32>",
            "%x: tensor<1x6x1xf32>, %k: tensor<3x1x1xf32>",
            "tensor<1x6x1xf32>",
            Cost(2 * (3 * 6 - 2), 0, 4 * 9, 4 * 6),
        ),
        # as many places as there are, however large: the outer results miss one each
        (
            CONV.replace('PADDING', '1')
            + "(tensor<1x60000000000x1xf32>, tensor<3x1x1xf32>) -> tensor<1x60000000000x1xf32>",
            "%x: tensor<1x60000000000x1xf32>, %k: tensor<3x1x1xf32>",
            "tensor<1x60000000000x1xf32>",
            Cost(2 * (3 * 60000000000 - 2), 0, 4 * 60000000003, 4 * 60000000000),
        ),
        # without a rank, sizes are not known
        (
            'stablehlo.unary_einsum %x, config = "a->a" : (tensor<*xf32>) -> tensor<2xf32>',
            "%x: tensor<*xf32>",
            "tensor<2xf32>",
            Cost(0, 0, 0, 8),
        ),
        (
            '"stablehlo.reduce"(%x, %c) ' + REGION.replace("OP", "add") + " {dimensions = array<i64: 1>} : "
            "(tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>",
            "%x: tensor<2x5xf32>, %c: tensor<f32>",
            "tensor<2xf32>",
            Cost(2 * 4, 0, 4 * 11, 4 * 2),
        ),
        (
            '"stablehlo.reduce_window"(%x, %c) ' + REGION.replace("OP", "maximum")
            + " {window_dimensions = array<i64: 2, 2>} : (tensor<3x3xf32>, tensor<f32>) -> tensor<2x2xf32>",
            "%x: tensor<3x3xf32>, %c: tensor<f32>",
            "tensor<2x2xf32>",
            Cost(4 * 3, 0, 4 * 10, 4 * 4),
        ),
        (
            "stablehlo.slice %x [0:2] : (tensor<100xf32>) -> tensor<2xf32>",
            "%x: tensor<100xf32>",
            "tensor<2xf32>",
            Cost(0, 0, 8, 8),
        ),
        (
            "stablehlo.dynamic_update_slice %x, %y, %i : "
            "(tensor<100xf32>, tensor<2xf32>, tensor<i32>) -> tensor<100xf32>",
            "%x: tensor<100xf32>, %y: tensor<2xf32>, %i: tensor<i32>",
            "tensor<100xf32>",
            Cost(0, 0, 12, 8),
        ),
        (
            "stablehlo.reshape %x : (tensor<6xf32>) -> tensor<2x3xf32>",
            "%x: tensor<6xf32>",
            "tensor<2x3xf32>",
            Cost(),
        ),
        # 8 * (log2 8) * 8 elements of 8 bytes
        (
            "stablehlo.fft %x, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>",
            "%x: tensor<8xcomplex<f32>>",
            "tensor<8xcomplex<f32>>",
            Cost(8 * 3 * 8, 0, 64, 64),
        ),
    ],
    ids=lambda value: value.split()[0].strip('"') if isinstance(value, str) else "",
)  # fmt: skip
def test_ops(op: str, arguments: str, result: str, expected: Cost) -> None:
    assert cost(op, arguments, result) == expected


def test_empty_lists_of_a_window_are_their_defaults() -> None:
    op = """stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {stride = [], pad = [], lhs_dilate = [], rhs_dilate = [], reverse = []}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x6x2xf32>, tensor<3x2x5xf32>) -> tensor<1x4x5xf32>"""
    found = cost(op, "%x: tensor<1x6x2xf32>, %k: tensor<3x2x5xf32>", "tensor<1x4x5xf32>")
    assert found.flops == 2 * 3 * 4 * 2 * 5


LOOP = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %start = stablehlo.constant dense<START> : tensor<i32>
  %bound = stablehlo.constant dense<BOUND> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %a = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %p = stablehlo.compare DIRECTION, %i, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %step = stablehlo.constant dense<STEP> : tensor<i32>
    %next = stablehlo.add %i, %step : tensor<i32>
    %b = func.call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""


def loop(start: int, direction: str, bound: int, step: int) -> shlo.Module:
    text = LOOP.replace("START", str(start)).replace("BOUND", str(bound)).replace("STEP", str(step))
    return shlo.parse(text.replace("DIRECTION", direction))


def trips(module: shlo.Module) -> int | None:
    return trip_count(next(op for op in module.walk() if op.name == "stablehlo.while"))


@pytest.mark.parametrize(
    ("start", "direction", "bound", "step"),
    [
        (0, "LT", 10, 1),
        (0, "LT", 10, 3),
        (1, "LE", 10, 3),
        (9, "GT", 0, -2),
        (9, "GE", 1, -2),
        (0, "NE", 12, 4),
        (5, "LT", 5, 1),
        (7, "LT", 5, 1),
        (6, "LE", 5, 1),
        (0, "GT", 5, 1),
    ],
)
def test_trips_are_those_of_the_run(start: int, direction: str, bound: int, step: int) -> None:
    holds = {"LT": int.__lt__, "LE": int.__le__, "GT": int.__gt__, "GE": int.__ge__, "NE": int.__ne__}[
        direction
    ]
    count, i = 0, start
    while holds(i, bound):
        i += step
        count += 1
    assert trips(loop(start, direction, bound, step)) == count


@pytest.mark.parametrize(
    ("start", "direction", "bound", "step"),
    [(0, "LT", 10, -1), (0, "NE", 10, 3), (0, "LT", 10, 0), (0, "EQ", 0, 1)],
)
def test_trips_that_are_not_known(start: int, direction: str, bound: int, step: int) -> None:
    assert trips(loop(start, direction, bound, step)) is None


def test_a_bound_that_the_loop_carries_unchanged() -> None:
    text = """func.func @main() -> tensor<i32> {
      %start = stablehlo.constant dense<0> : tensor<i32>
      %bound = stablehlo.constant dense<7> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0:2 = stablehlo.while(%n = %bound, %i = %start) : tensor<i32>, tensor<i32>
      cond {
        %p = stablehlo.compare GT, %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %next = stablehlo.add %one, %i : tensor<i32>
        stablehlo.return %n, %next : tensor<i32>, tensor<i32>
      }
      return %0#1 : tensor<i32>
    }"""
    assert trips(shlo.parse(text)) == 7


def test_a_bound_before_the_variable_that_another_loop_carries_unchanged() -> None:
    text = LOOP.replace("START", "0").replace("BOUND", "10").replace("STEP", "3")
    text = text.replace("DIRECTION, %i, %bound", "GT, %bound, %i")
    assert trips(shlo.parse(text)) == 4
    around = """  %first:2 = stablehlo.while(%n = %bound, %j = %start) : tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %j, %n : tensor<i32>
    stablehlo.return %n, %next : tensor<i32>, tensor<i32>
  }
"""
    text = text.replace("  %0:2", around + "  %0:2").replace("GT, %bound, %i", "GT, %first#0, %i")
    module = shlo.parse(text)
    assert [trip_count(op) for op in module.walk() if op.name == "stablehlo.while"] == [1, 4]
    other = shlo.parse(text.replace("GT, %first#0", "GT, %first#1"))
    assert [trip_count(op) for op in other.walk() if op.name == "stablehlo.while"] == [1, None]
    assert {trip_count(op) for op in module.walk() if op.name != "stablehlo.while"} == {None}


def test_a_call_of_an_undefined_function() -> None:
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    text += "  %0 = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}"
    costs = Costs(shlo.parse(text))
    assert costs.function("main") == Cost()
    assert [note.message for note in costs.notes] == ["undefined function @f"]


def test_loops_are_multiplied_and_calls_followed() -> None:
    costs = Costs(loop(0, "LT", 10, 1))
    # a condition: 1 op, reads two i32, writes an i1; a body: 1 and 2 ops on i32 and on two f32
    condition, body = Cost(1, 0, 8, 1), Cost(1, 0, 8, 4) + Cost(2, 0, 16, 8)
    assert costs.function("main") == condition * 11 + body * 10
    assert costs.function("twice") == Cost(2, 0, 16, 8)
    assert costs.notes == []


def test_unknown_trips_count_once_and_it_is_said() -> None:
    costs = Costs(loop(0, "LT", 10, -1))
    assert costs.function("main").flops == 1 + 3
    (note,) = costs.notes
    assert note.line == 4 and "trip count" in note.message


def test_of_branches_the_dearest_counts() -> None:
    text = """func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = stablehlo.tanh %x : tensor<4xf32>
        stablehlo.return %1 : tensor<4xf32>
      }, {
        %1 = stablehlo.add %x, %x : tensor<4xf32>
        stablehlo.return %1 : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    assert Costs(shlo.parse(text)).function("main") == Cost(4, 4, 32, 16)


def test_recursion_counts_once_and_it_is_said() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.negate %x : tensor<f32>
      %1 = func.call @main(%0) : (tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    }"""
    costs = Costs(shlo.parse(text))
    assert costs.function("main").flops == 1
    assert [note.line for note in costs.notes] == [3]


def test_custom_calls_and_dynamic_dimensions_are_noted() -> None:
    text = """#b = #stablehlo.bounds<5>
    func.func @main(%x: tensor<?xf32, #b>) -> tensor<?xf32, #b> {
      %0 = stablehlo.negate %x : tensor<?xf32, #b>
      %1 = stablehlo.custom_call @what(%0) : (tensor<?xf32, #b>) -> tensor<f32>
      return %0 : tensor<?xf32, #b>
    }"""
    costs = Costs(shlo.parse(text))
    assert costs.function("main").flops == 5
    assert [(note.line, "dynamic" in note.message) for note in costs.notes] == [(3, True), (4, False)]
    assert "@what" in costs.notes[1].message


def test_a_scan_without_inputs_counts_its_outputs() -> None:
    module = shlo.parse("""func.func @main(%x: tensor<3xf32>) {
      %0:2 = "chlo.scan"(%x) <{dimension = 0 : i64, scan_dim_size = 4 : i64,
          operandSegmentSizes = array<i32: 0, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%b: tensor<3xf32>):
        %1 = stablehlo.add %b, %b : tensor<3xf32>
        stablehlo.return %b, %1 : tensor<3xf32>, tensor<3xf32>
      }) : (tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
      return
    }""")
    assert shlo.analyze(module).functions["main"].cost.flops == 12


def test_a_scan_of_unknown_length_counts_once() -> None:
    module = shlo.parse("""func.func @main(%xs: tensor<*xf32>, %x: tensor<3xf32>) {
      %0:2 = chlo.scan(%xs) inits (%x) dimension=0 {
      ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
        %s = stablehlo.add %a, %b : tensor<3xf32>
        stablehlo.return %s, %s : tensor<3xf32>, tensor<3xf32>
      } : (tensor<*xf32>, tensor<3xf32>) -> (tensor<*xf32>, tensor<3xf32>)
      return
    }""")
    assert shlo.analyze(module).functions["main"].cost.flops == 3
