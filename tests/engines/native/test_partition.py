"""Which steps are regions: each condition alone, without compiling anything."""

from __future__ import annotations

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.lower.records import MOST_BYTES, is_lowered, is_native_type
from stablehlo_py.engines.native.lower.sort import MOST_ELEMENTS, MOST_MERGED
from stablehlo_py.engines.native.lower.window import _scan_of
from stablehlo_py.engines.native.partition import LARGE, MANY, Partition
from stablehlo_py.engines.native.region import Region
from stablehlo_py.ir.types import F32, IntegerType, TensorType, TokenType, Type
from tests.engines.native.loops.loop_regions import plan_of

CALL = "stablehlo.custom_call @unknown(%c) {{has_side_effect = true}} : ({0}) -> ()"
BOTH = "%a = stablehlo.{0} %x, %y : {1}\n"
THREE = BOTH.format("add", "{0}") + "%b = stablehlo.multiply %a, %y : {0}\n%c = stablehlo.negate %b : {0}"
TWO = BOTH.format("add", "{0}") + "%c = stablehlo.multiply %a, %y : {0}"
LESS = "%c = stablehlo.compare LT, %x, %y : ({0}, {0}) -> tensor<{1}xi1>"
CONVERT = "%c = stablehlo.convert %x : ({0}) -> tensor<{1}xi32>"
OTHER = "%k = stablehlo.custom_call @unknown(%x) : ({0}) -> {0}\n"
ROWS = [  # elements and their type, steps, those of the result, and its type
    (8, "f32", THREE, ["region"]),
    (8, "f32", TWO, ["stablehlo.add", "stablehlo.multiply"]),
    (LARGE // 4, "f32", TWO, ["region"]),  # the sum is not stored
    (LARGE // 4 - 1, "f32", TWO, ["stablehlo.add", "stablehlo.multiply"]),
    (MANY, "f32", "%c = stablehlo.add %x, %y : {0}", ["stablehlo.add"]),  # a ufunc
    (MANY, "bf16", "%c = stablehlo.add %x, %y : {0}", ["region"]),
    (MANY - 1, "bf16", "%c = stablehlo.add %x, %y : {0}", ["stablehlo.add"]),
    (MANY, "complex<f32>", "%c = stablehlo.multiply %x, %y : {0}", ["region"]),
    (MANY, "f32", "%c = chlo.erf %x : {0} -> {0}", ["region"]),
    (MANY - 1, "f32", "%c = chlo.erf %x : {0} -> {0}", ["chlo.erf"]),
    (MANY, "f32", CONVERT, ["region"]),  # saturates
    (MANY, "i64", CONVERT, ["stablehlo.convert"]),
    (MANY, "f32", LESS, ["stablehlo.compare"]),
    (8, "f32", THREE + "\n" + CALL, ["region", "stablehlo.custom_call"]),
    (8, "f32", CALL.replace("%c", "%x") + "\n" + THREE, ["region", "stablehlo.custom_call"]),
    (
        8,
        "f32",
        OTHER + THREE.replace("%a, %y", "%a, %k"),
        ["stablehlo.add", "stablehlo.custom_call", "stablehlo.multiply", "stablehlo.negate"],
    ),
    (  # large arrays, of which the steps read none that they write
        LARGE // 4,
        "f32",
        BOTH.format("add", "{0}") + CALL.replace("%c", "%a") + "\n%c = stablehlo.multiply %x, %y : {0}",
        ["stablehlo.add", "stablehlo.multiply", "stablehlo.custom_call"],
    ),
    *[
        (8, "f32", THREE.replace("%a, %y", f"%a, {name}").replace("%b =", before + "\n%b ="), ["region"])
        for before, name in (
            (
                "%e = stablehlo.slice %x [2:2] : ({0}) -> tensor<0xf32>\n"
                "%j = stablehlo.concatenate %e, %y, dim = 0 : (tensor<0xf32>, {0}) -> {0}",
                "%j",
            ),
            (
                "%e = stablehlo.slice %x [2:2] : ({0}) -> tensor<0xf32>\n"
                "%o = stablehlo.slice %x [1:2] : ({0}) -> tensor<1xf32>\n"
                "%z = stablehlo.reshape %o : (tensor<1xf32>) -> tensor<f32>\n"
                "%j = stablehlo.pad %e, %z, low = [3], high = [5], interior = [0] : "
                "(tensor<0xf32>, tensor<f32>) -> {0}",
                "%j",
            ),
        )
    ],
]


@pytest.mark.parametrize(("count", "element", "steps", "wanted"), ROWS)
def test_parts(count: int, element: str, steps: str, wanted: list[str]) -> None:
    type = f"tensor<{count}x{element}>"
    result = {"LT": f"tensor<{count}xi1>", "nvert": f"tensor<{count}xi32>"}
    other = next((found for word, found in result.items() if word in steps), type)
    body = steps.format(type, count)
    text = f"func.func @main(%x: {type}, %y: {type}) -> {other} {{\n{body}\nreturn %c : {other}\n}}"
    module = shlo.parse(text)
    assert not [each.message for each in shlo.verify(module) if each.severity == "error"]
    parts = Partition(3).parts(plan_of(module))
    assert ["region" if isinstance(each, Region) else each.name for each in parts] == wanted


def test_parts_of_a_function_without_inputs() -> None:
    """What no loops compute runs first, though its slot is the first one."""
    steps = THREE.format("tensor<8xf32>").replace("%x", "%k").replace("%y", "%k")
    text = f"""func.func @main() -> tensor<8xf32> {{
      %k = stablehlo.custom_call @unknown() : () -> tensor<8xf32>
      {steps}
      return %c : tensor<8xf32>
    }}"""
    parts = Partition(3).parts(plan_of(shlo.parse(text)))
    assert [each.steps[0].name if isinstance(each, Region) else each.name for each in parts] == [
        "stablehlo.custom_call",
        "stablehlo.add",
    ]


def test_inputs_and_outputs_of_a_region() -> None:
    """Constants are no inputs; outputs are what is read outside of the region, or returned."""
    text = """func.func @main(%x: tensor<2xf32>, %u: tensor<2xf32>, %y: tensor<2xf32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
      %k = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %0 = stablehlo.add %y, %k : tensor<2xf32>
      %1 = stablehlo.multiply %0, %x : tensor<2xf32>
      %2 = stablehlo.negate %1 : tensor<2xf32>
      %3 = stablehlo.abs %2 : tensor<2xf32>
      %4 = stablehlo.custom_call @unknown(%1) : (tensor<2xf32>) -> tensor<2xf32>
      return %0, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    }"""
    plan = plan_of(shlo.parse(text))
    region, _ = Partition(3).parts(plan)
    assert isinstance(region, Region)
    first, second, _, last = [step.outs[0] for step in region.steps]
    assert region.inputs == (2, 0)
    assert region.outputs == (first, second, last)


BYTES = IntegerType(8)


@pytest.mark.parametrize(
    ("type", "native"),
    [
        (TensorType((MOST_BYTES,), BYTES), True),
        (TensorType((MOST_BYTES + 1,), BYTES), False),
        (TensorType((2, MOST_BYTES // 4), F32), False),
        (TensorType((2, MOST_BYTES // 8), F32), True),
        (TensorType((), F32), True),
        (TensorType((4, 0), F32), False),
        (TensorType((None,), F32), False),
        (TokenType(), False),
    ],
)
def test_types_with_a_native_form(type: Type, native: bool) -> None:
    assert is_native_type(type) == native


LESS_OR_MORE = """func.func @main(%x: tensor<{0}xi32>) -> tensor<{0}xi32> {{
  %0 = "stablehlo.sort"(%x) ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %l = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    {1}
    stablehlo.return %p : tensor<i1>
  }}) {{dimension = 1 : i64}} : (tensor<{0}xi32>) -> tensor<{0}xi32>
  return %0 : tensor<{0}xi32>
}}"""
MERGED = "%n = stablehlo.not %l : tensor<i1>\n%p = stablehlo.not %n : tensor<i1>"


@pytest.mark.parametrize(("most", "comparator"), [(MOST_ELEMENTS, "keys"), (MOST_MERGED, "merged")])
@pytest.mark.parametrize(("rows", "more"), [(1, 0), (1, 1), (2, 0), (2, 1), (64, 0), (64, 1)])
def test_sorts_of_so_many_elements_have_loops(most: int, comparator: str, rows: int, more: int) -> None:
    """The limit is one of all rows."""
    text = LESS_OR_MORE.format(f"{rows}x{most // rows + more}", MERGED)
    if comparator == "keys":
        text = text.replace(MERGED, "").replace("%l", "%p")
    plan = plan_of(shlo.parse(text))
    assert [is_lowered(plan, step) for step in plan.steps] == [not more]


WINDOW = """
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 1, 5>,
    padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}"""
PADDING = "window_dimensions = array<i64: 1, 5>,\n    padding = dense<[[0, 0], [4, 0]]>"
PADDED = "window_dimensions = array<i64: {}>,\n    padding = dense<{}>"


@pytest.mark.parametrize(
    ("old", "new", "scan"),
    [
        ("", "", (1, False)),
        ("[4, 0]", "[0, 4]", (1, True)),
        (PADDING, PADDED.format("1, 6", "[[0, 0], [5, 0]]"), (1, False)),
        (PADDING, PADDED.format("1, 4", "[[0, 0], [3, 0]]"), None),  # of fewer than all before
        (PADDING, PADDED.format("3, 1", "[[2, 0], [0, 0]]"), (0, False)),
        (PADDING, PADDED.format("3, 5", "[[2, 0], [4, 0]]"), None),
        ("[4, 0]", "[2, 2]", None),
        (">}> ({", ">, base_dilations = array<i64: 1, 1>}> ({", (1, False)),
        ("f32", "bf16", None),  # sums are rounded once
        ("f32", "i32", (1, False)),
        ("dense<0.0>", "dense<1.0>", None),
        ("stablehlo.add", "stablehlo.subtract", None),
        ("%a, %b :", "%a, %a :", None),
        ("return %c", "return %a", None),
        ("stablehlo.add", "stablehlo.multiply", None),
        ("stablehlo.add", "stablehlo.maximum", None),
    ],
)
def test_reductions_of_windows_that_are_scans(old: str, new: str, scan: tuple[int, bool] | None) -> None:
    text = WINDOW.replace(old, new) if old else WINDOW
    if "i32" in text:
        text = text.replace("dense<0.0>", "dense<0>")
    assert old in WINDOW
    module = shlo.parse(text)
    assert not [each.message for each in shlo.verify(module) if each.severity == "error"]
    plan = plan_of(module)
    assert _scan_of(plan, plan.steps[-1]) == scan


NEUTRAL = [  # op, type, its neutral element, and another one
    ("add", "f32", "0.0", "1.0"),
    ("add", "complex<f32>", "(0.0, 0.0)", "(0.0, 1.0)"),
    ("or", "i8", "0", "1"),
    ("multiply", "f32", "1.0", "0.0"),
    ("multiply", "complex<f32>", "", "(1.0, 0.0)"),  # times an infinity, NaN
    ("maximum", "f32", "0xFF800000", "0x7F800000"),
    ("minimum", "f32", "0x7F800000", "0xFF800000"),
    ("maximum", "i8", "-128", "127"),
    ("minimum", "i8", "127", "-128"),
    ("maximum", "ui8", "0", "255"),
    ("maximum", "i1", "", "false"),
    ("and", "i8", "", "-1"),
]


@pytest.mark.parametrize(("op", "element", "neutral", "other"), NEUTRAL)
def test_initial_values_of_scans(op: str, element: str, neutral: str, other: str) -> None:
    for init in filter(None, (neutral, other)):
        text = WINDOW.replace("f32", element).replace("dense<0.0>", f"dense<{init}>")
        plan = plan_of(shlo.parse(text.replace("stablehlo.add", f"stablehlo.{op}")))
        assert (_scan_of(plan, plan.steps[-1]) is not None) == (init == neutral), init
