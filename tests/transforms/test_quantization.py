"""Lowering of quantized programs: what is computed before and after is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

MATH = "stablehlo-legalize-quant-to-math"
Q = "!quant.uniform<i8:f32, 5.000000e-01:3>"
WIDE = "!quant.uniform<i8:f32, 2.500000e-01:-7>"
SUM = "!quant.uniform<i32:f32, 2.500000e-01:5>"
AXIS = "!quant.uniform<i8:f32:1, {5.000000e-01:1,2.500000e-01:-2}>"


def unary(body: str, before: str, after: str) -> str:
    head = f"func.func @main(%x: tensor<{before}>) -> tensor<{after}>"
    return f"{head} {{\n%r = {body}\nreturn %r : tensor<{after}>\n}}"


def binary(op: str, lhs: str, rhs: str, result: str, rest: str = "") -> str:
    types = f"(tensor<{lhs}>, tensor<{rhs}>) -> tensor<{result}>"
    return (
        f"func.func @main(%x: tensor<{lhs}>, %y: tensor<{rhs}>) -> tensor<{result}> {{\n"
        f"%r = stablehlo.{op} %x, %y{rest} : {types}\nreturn %r : tensor<{result}>\n}}"
    )


CONVOLUTION = (
    "func.func @main(%x: tensor<1x5x5x2x{q}>, %y: tensor<3x3x2x2x!quant.uniform<i8:f32, 5.000000e-01>>)"
    " -> tensor<1x5x5x2x{r}> {{\n"
    "%r = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],"
    " window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} :"
    " (tensor<1x5x5x2x{q}>, tensor<3x3x2x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<1x5x5x2x{r}>\n"
    "return %r : tensor<1x5x5x2x{r}>\n}}"
)
PROGRAMS = {
    "quantize": unary(
        f"stablehlo.uniform_quantize %x : (tensor<3x2xf32>) -> tensor<3x2x{Q}>", "3x2xf32", f"3x2x{Q}"
    ),
    "quantize per axis": unary(
        f"stablehlo.uniform_quantize %x : (tensor<3x2xf32>) -> tensor<3x2x{AXIS}>", "3x2xf32", f"3x2x{AXIS}"
    ),
    "dequantize": unary(
        f"stablehlo.uniform_dequantize %x : (tensor<3x2x{AXIS}>) -> tensor<3x2xf32>", f"3x2x{AXIS}", "3x2xf32"
    ),
    "requantize": unary(
        f"stablehlo.uniform_quantize %x : (tensor<3x2x{Q}>) -> tensor<3x2x{WIDE}>", f"3x2x{Q}", f"3x2x{WIDE}"
    ),
    "requantize to scales of columns": unary(
        f"stablehlo.uniform_quantize %x : (tensor<3x2x{Q}>) -> tensor<3x2x{AXIS}>", f"3x2x{Q}", f"3x2x{AXIS}"
    ),
    "requantize from scales of columns": unary(
        f"stablehlo.uniform_quantize %x : (tensor<3x2x{AXIS}>) -> tensor<3x2x{Q}>", f"3x2x{AXIS}", f"3x2x{Q}"
    ),
    "add": binary("add", f"3x2x{Q}", f"3x2x{Q}", f"3x2x{Q}"),
    "multiply": binary("multiply", f"3x2x{Q}", f"3x2x{WIDE}", f"3x2x{Q}"),
    "dot": binary("dot", f"3x4x{Q}", f"4x2x{WIDE}", f"3x2x{SUM}"),
    "dot_general": binary(
        "dot_general", f"2x3x4x{Q}", f"2x4x2x{WIDE}", f"2x3x2x{WIDE}",
        ", batching_dims = [0] x [0], contracting_dims = [2] x [1]",
    ),
    "dot_general, batches in another order": binary(
        "dot_general", f"2x5x3x4x{Q}", f"6x3x4x2x{WIDE}", f"3x2x5x6x{WIDE}",
        ", batching_dims = [2, 0] x [1, 3], contracting_dims = [3] x [2]",
    ),
    "dot_general, batches of equal sizes in another order": binary(
        "dot_general", f"2x2x3x{Q}", f"2x3x2x{WIDE}", f"2x2x{WIDE}",
        ", batching_dims = [1, 0] x [0, 2], contracting_dims = [2] x [1]",
    ),
    "hybrid, with a zero point of the second column": binary(
        "dot", "3x4xf32", "4x2x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01:-2}>", "3x2xf32"
    ),
    "hybrid": binary("dot", "3x4xf32", f"4x2x{AXIS}", "3x2xf32"),
    "convolution": CONVOLUTION.format(q=Q, r=SUM),
    "convolution with other padding on each side": CONVOLUTION.format(q=Q, r=SUM)
    .replace("pad = [[1, 1], [1, 1]]", "pad = [[1, 2], [0, 4]]")
    .replace(f"1x5x5x2x{SUM}", f"1x6x7x2x{SUM}"),
}  # fmt: skip


def draw(type: Any, rng: np.random.Generator) -> Any:
    element = str(type.element_type)
    if element == "f32":
        return rng.normal(0, 3, type.shape).astype(np.float32)
    return rng.integers(-12, 12, type.shape).astype(np.int8)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("passes", [[MATH], ["stablehlo-legalize-quantized-op-to-qdq", MATH]])
def test_results_stay(name: str, passes: list[str]) -> None:
    """Storage elements differ by one at most: scales are merged, and rounded once in f32."""
    before = shlo.parse(PROGRAMS[name])
    after = shlo.opt(before, passes)
    assert "quant.uniform" not in shlo.format(after)
    rng = np.random.default_rng(7)
    inputs = [draw(v.type, rng) for v in before.functions["main"].regions[0].block.arguments]
    (expected,), (found,) = shlo.run(before, inputs), shlo.run(after, inputs)
    if found.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    else:
        assert np.abs(found.astype(int) - np.asarray(expected).astype(int)).max() <= 1


def test_dequantize_of_hand_calculation() -> None:
    """(value - zero_point) * scale, per slice of dimension 1."""
    after = shlo.opt(shlo.parse(PROGRAMS["dequantize"]), [MATH])
    (found,) = shlo.run(after, [np.array([[1, 2], [3, -2], [-9, 0]], np.int8)])
    np.testing.assert_array_equal(found, np.float32([[0, 1], [1, 0], [-5, 0.5]]))


def test_what_cannot_be_lowered_is_an_error() -> None:
    text = f'"stablehlo.is_finite"(%x) : (tensor<3x{Q}>) -> tensor<3xi1>'
    with pytest.raises(shlo.TransformError, match="is_finite") as caught:
        shlo.opt(shlo.parse(unary(text, f"3x{Q}", "3xi1")), [MATH])
    assert [d.line for d in caught.value.diagnostics] == [2]


@pytest.mark.parametrize("type", [f"tuple<tensor<3x{Q}>>", f"tuple<tensor<i1>, tuple<tensor<3x{Q}>>>"])
def test_quantized_elements_of_tuples_cannot_be_lowered(type: str) -> None:
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %r = stablehlo.optimization_barrier %x : {type}
      return %r : {type}
    }}"""
    with pytest.raises(shlo.TransformError, match="optimization_barrier"):
        shlo.opt(shlo.parse(text), [MATH])


def test_ops_between_dequantize_and_quantize_become_quantized() -> None:
    text = f"""func.func @main(%x: tensor<2x{Q}>, %y: tensor<2x{Q}>) -> tensor<2x{Q}> {{
      %a = stablehlo.uniform_dequantize %x : (tensor<2x{Q}>) -> tensor<2xf32>
      %b = stablehlo.uniform_dequantize %y : (tensor<2x{Q}>) -> tensor<2xf32>
      %c = stablehlo.multiply %a, %b : tensor<2xf32>
      %d = stablehlo.uniform_quantize %c : (tensor<2xf32>) -> tensor<2x{Q}>
      return %d : tensor<2x{Q}>
    }}"""
    found = shlo.opt(shlo.parse(text), ["stablehlo-legalize-qdq-to-quantized-op"])
    ops = found.functions["main"].regions[0].block.ops
    assert [op.name for op in ops] == ["stablehlo.multiply", "func.return"]


def test_an_op_with_a_region_stays() -> None:
    """Its region computes on numbers, not on quantized ones."""
    text = f"""func.func @main(%x: tensor<2x{Q}>, %y: tensor<{Q}>) -> tensor<{Q}> {{
      %a = stablehlo.uniform_dequantize %x : (tensor<2x{Q}>) -> tensor<2xf32>
      %b = stablehlo.uniform_dequantize %y : (tensor<{Q}>) -> tensor<f32>
      %c = stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [0]
        : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      %d = stablehlo.uniform_quantize %c : (tensor<f32>) -> tensor<{Q}>
      return %d : tensor<{Q}>
    }}"""
    module = shlo.parse(text)
    assert shlo.format(shlo.opt(module, ["stablehlo-legalize-qdq-to-quantized-op"])) == shlo.format(module)


@pytest.mark.parametrize(
    "op",
    [
        "func.call @f(%a)",
        'stablehlo.composite "a.b" %a {decomposition = @f}',
        "stablehlo.custom_call @log(%a) {has_side_effect = true}",
        "stablehlo.real %a",
    ],
)
def test_calls_effects_and_ops_without_a_quantized_form_stay(op: str) -> None:
    """A callee has the types that it states, and what happens once happens once."""
    text = f"""func.func @main(%x: tensor<2x2x{Q}>) -> tensor<2x2x{Q}> {{
      %a = stablehlo.uniform_dequantize %x : (tensor<2x2x{Q}>) -> tensor<2x2xf32>
      %b = {op} : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %c = stablehlo.uniform_quantize %b : (tensor<2x2xf32>) -> tensor<2x2x{Q}>
      return %c : tensor<2x2x{Q}>
    }}
    func.func private @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {{
      return %x : tensor<2x2xf32>
    }}"""
    module = shlo.parse(text)
    assert shlo.format(shlo.opt(module, ["stablehlo-legalize-qdq-to-quantized-op"])) == shlo.format(module)


def test_a_quantized_constant_stays() -> None:
    """Only ops on dequantized operands become quantized ones; a constant has none."""
    text = f"""func.func @main() -> tensor<2x{Q}> {{
      %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %q = stablehlo.uniform_quantize %c : (tensor<2xf32>) -> tensor<2x{Q}>
      return %q : tensor<2x{Q}>
    }}"""
    module = shlo.parse(text)
    assert shlo.format(shlo.opt(module, ["stablehlo-legalize-qdq-to-quantized-op"])) == shlo.format(module)


@pytest.mark.parametrize(
    ("dims", "image", "kernel", "result", "stays"),
    [
        ("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "1x3x3x2", "2x2x2x1", "1x2x2x1", True),
        ("[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "1x2x3x3", "1x2x2x2", "1x1x2x2", True),
        ("[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]", "1x3x3x2x2", "2x2x1x2x1", "1x2x2x2x1", True),
        ("[b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1]", "1x2x3x3", "2x2x2x1", "1x1x2x2", False),
        ("[b, 0, 1, f]x[1, 0, i, o]->[b, 0, 1, f]", "1x3x3x2", "2x2x2x1", "1x2x2x1", False),
    ],
)
def test_convolutions_of_usual_layouts_are_on_integers(
    dims: str, image: str, kernel: str, result: str, stays: bool
) -> None:
    """NHWC with HWIO, also in three dimensions, and NCHW with OIHW; others on dequantized numbers."""
    x, k = f"tensor<{image}x!quant.uniform<i8:f32, 1.0>>", f"tensor<{kernel}x!quant.uniform<i8:f32, 1.0>>"
    r = f"tensor<{result}x!quant.uniform<i32:f32, 1.0>>"
    text = f"""func.func @main(%a: {x}, %b: {k}) -> {r} {{
      %0 = stablehlo.convolution(%a, %b) dim_numbers = {dims}, window = {{}}
        {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {k}) -> {r}
      return %0 : {r}
    }}"""
    found = shlo.format(shlo.opt(shlo.parse(text), ["stablehlo-legalize-quant-to-math"]))
    assert "quant" not in found
    (line,) = [line for line in found.splitlines() if "stablehlo.convolution" in line]
    element = "i8" if stays else "f32"
    assert f"(tensor<{image}x{element}>, tensor<{kernel}x{element}>)" in line


@pytest.mark.parametrize(
    ("axis", "scales", "results", "stays"),
    [
        (3, "{1.0, 2.0}", "{2.0, 4.0}", True),
        (3, "{1.0, 2.0}", "{2.0, 4.003}", True),  # by 0.00075
        (3, "{1.0, 2.0}", "{2.0, 4.005}", False),  # by 0.00125
        (3, "{1.0:1, 2.0}", "{2.0, 4.0}", False),  # with a zero point
        (3, "{1.0, 2.0}", "{2.0, 4.0:1}", False),
        (2, "{1.0, 2.0}", "{2.0, 4.0}", False),  # of the inputs, which is not valid
    ],
)
def test_convolutions_with_scales_of_features_are_on_integers_if_these_are_proportional(
    axis: int, scales: str, results: str, stays: bool
) -> None:
    x = "tensor<1x3x3x2x!quant.uniform<i8:f32, 1.0>>"
    k = f"tensor<2x2x2x2x!quant.uniform<i8:f32:{axis}, {scales}>>"
    r = f"tensor<1x2x2x2x!quant.uniform<i32:f32:3, {results}>>"
    text = f"""func.func @main(%a: {x}, %b: {k}) -> {r} {{
      %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{}}
        {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {k}) -> {r}
      return %0 : {r}
    }}"""
    assert elements_of_operands(text, "stablehlo.convolution") == (["i8", "i8"] if stays else ["f32", "f32"])


def elements_of_operands(text: str, name: str) -> list[str]:
    """The element types of the operands of the only op of a kind, after the pass."""
    made = shlo.opt(shlo.parse(text), [MATH])
    (op,) = [op for op in made.walk() if op.name == name]
    return [str(value.type.element_type) for value in op.operands]


ROWS = "!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>"
COLUMNS = "!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>"
ZERO = "!quant.uniform<i8:f32, 5.000000e-01>"


@pytest.mark.parametrize(
    ("op", "lhs", "rhs", "result", "made", "element"),
    [
        ("dot", Q, ZERO, Q, "stablehlo.dot_general", "i8"),
        ("dot", Q, COLUMNS, COLUMNS, "stablehlo.dot_general", "i8"),
        ("dot", Q, COLUMNS, Q, "stablehlo.dot", "f32"),  # one of them has a scale for each column
        ("dot", ROWS, ZERO, Q, "stablehlo.dot", "f32"),
        ("dot", Q, ZERO, "f32", "stablehlo.dot", "f32"),
        ("add", Q, Q, Q, "chlo.broadcast_add", "i32"),
        ("add", Q, "f32", Q, "stablehlo.add", "f32"),
        ("add", "f32", Q, Q, "stablehlo.add", "f32"),
        ("add", Q, Q, "f32", "stablehlo.add", "f32"),
        ("add", COLUMNS, COLUMNS, COLUMNS, "stablehlo.add", "f32"),
        ("add", COLUMNS.replace("i8", "i32"), Q, Q, "stablehlo.add", "f32"),
    ],
)
def test_sums_and_products_on_integers_or_floats(
    op: str, lhs: str, rhs: str, result: str, made: str, element: str
) -> None:
    """Also of programs that are not valid, which passes do not refuse."""
    text = binary(op, f"2x2x{lhs}", f"2x2x{rhs}", f"2x2x{result}")
    assert elements_of_operands(text, made) == [element, element]


@pytest.mark.parametrize("op", ["maximum", "minimum"])
@pytest.mark.parametrize(
    ("lhs", "rhs", "result", "element"),
    [
        (Q, Q, Q, "i8"),
        (Q, WIDE, Q, "f32"),
        (Q, Q, WIDE, "f32"),
        (Q, ZERO, Q, "f32"),
        (COLUMNS, COLUMNS, COLUMNS, "f32"),
        (COLUMNS, Q, Q, "f32"),
        (Q, Q, "f32", "f32"),
    ],
)
def test_stored_numbers_are_compared_if_their_scale_is_the_same(
    op: str, lhs: str, rhs: str, result: str, element: str
) -> None:
    """And the same for all of them, which is not so of columns."""
    text = binary(op, f"2x2x{lhs}", f"2x2x{rhs}", f"2x2x{result}")
    assert elements_of_operands(text, f"stablehlo.{op}") == [element, element]


@pytest.mark.parametrize(
    ("points", "expected"), [(("", ""), [[11, 22], [33, 44]]), ((":3", ":-2"), [[8, 24], [30, 46]])]
)
def test_sums_of_columns_that_are_stored_in_32_bits(
    points: tuple[str, str], expected: list[list[int]]
) -> None:
    """The sum of the stored numbers, less the zero point."""
    type = f"2x2x!quant.uniform<i32:f32:1, {{0.5{points[0]}, 0.25{points[1]}}}>"
    after = shlo.opt(shlo.parse(binary("add", type, type, type)), [MATH])
    names = [op.name for op in after.functions["main"].blocks[0].ops]
    assert ("chlo.broadcast_subtract" in names) is (points != ("", ""))
    inputs = [np.int32([[1, 2], [3, 4]]), np.int32([[10, 20], [30, 40]])]
    assert shlo.run(after, inputs)[0].tolist() == expected


BLOCKS = "!quant.uniform<i8:f32:{0:1, 1:2}, {{2.0:3}, {4.0:-1}}>"


@pytest.mark.parametrize(
    ("op", "before", "after", "message"),
    [
        (
            "quantize",
            "bf16",
            "!quant.uniform<i8:bf16, 0.5>",
            "stablehlo.uniform_quantize: Unsupported input element type.",
        ),
        (
            "quantize",
            ROWS,
            COLUMNS,
            "stablehlo.uniform_quantize: Cannot requantize while changing quantization_axis",
        ),
        (
            "dequantize",
            BLOCKS,
            "f32",
            "failed to legalize operation 'stablehlo.uniform_dequantize' that was explicitly marked illegal",
        ),
    ],
)
def test_conversions_that_cannot_be_lowered(op: str, before: str, after: str, message: str) -> None:
    body = f"stablehlo.uniform_{op} %x : (tensor<2x2x{before}>) -> tensor<2x2x{after}>"
    with pytest.raises(shlo.TransformError) as caught:
        shlo.opt(shlo.parse(unary(body, f"2x2x{before}", f"2x2x{after}")), [MATH])
    (found,) = caught.value.diagnostics
    assert (found.line, found.message) == (2, message)


def test_products_with_scales_of_columns() -> None:
    """Stored numbers of the result are sums of (a - 3) * 0.5 * b: the scales of a column cancel out."""
    lhs = "2x2x!quant.uniform<i8:f32, 5.000000e-01:3>"
    after = shlo.opt(shlo.parse(binary("dot", lhs, f"2x2x{COLUMNS}", f"2x2x{COLUMNS}")), [MATH])
    inputs = [np.int8([[5, 1], [3, 9]]), np.int8([[4, -8], [10, 6]])]
    (found,) = shlo.run(after, inputs)
    # Rows of (a - 3) * 0.5 are [1, -1] and [0, 3].
    assert found.tolist() == [[4 - 10, -8 - 6], [30, 18]]


@pytest.mark.parametrize(("op", "before", "after"), [("quantize", "f32", AXIS), ("dequantize", AXIS, "f32")])
def test_slices_of_unknown_number(op: str, before: str, after: str) -> None:
    """Each step has the type of the program, of which the number of scales says more.

    By hand: (4 - 1) * 0.5, (3 + 2) * 0.25, (-4 - 1) * 0.5, (2 + 2) * 0.25.
    """
    argument, result = (f"tensor<?x?x{element}>" for element in (before, after))
    text = f"func.func @main(%x: {argument}) -> {result} {{\n"
    text += f"%r = stablehlo.uniform_{op} %x : ({argument}) -> {result}\nreturn %r : {result}\n}}"
    module = shlo.opt(text, [MATH])
    steps = [each for each in module.walk() if each.name.startswith("chlo.broadcast_")]
    assert [str(step.result.type)[:11] for step in steps] == ["tensor<?x?x"] * 2
    stored = np.array([[4, 3], [-4, 2]], np.int8)
    expressed = np.array([[1.5, 1.25], [-2.5, 1.0]], np.float32)
    given, expected = (expressed, stored) if op == "quantize" else (stored, expressed)
    (found,) = shlo.run(module, [given])
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["add", "atan2", "divide", "maximum", "power", "remainder", "subtract"])
def test_ops_that_compute_on_dequantized_operands(name: str) -> None:
    """The new op has the attributes of the old one."""
    q = "tensor<2x!quant.uniform<i8:f32, 0.5>>"
    text = f"""func.func @main(%x: {q}, %y: {q}) -> {q} {{
  %0 = stablehlo.{name} %x, %y {{x.a = 1 : i32}} : {q}
  return %0 : {q}
}}"""
    made = shlo.opt(shlo.parse(text), ["stablehlo-legalize-quantized-op-to-qdq"])
    ops = made.functions["main"].blocks[0].ops
    assert [op.name.partition(".")[2] for op in ops] == [
        "uniform_dequantize", "uniform_dequantize", name, "uniform_quantize", "return",
    ]  # fmt: skip
    assert {key: str(value) for key, value in ops[2].attributes.items()} == {"x.a": "1 : i32"}


@pytest.mark.parametrize("storage", ["i4", "i8", "i16", "u16"])
def test_other_scales_of_narrow_storage_are_clamped(storage: str) -> None:
    given, made = (
        f"tensor<2x!quant.uniform<{storage}:f32, 1.0>>",
        f"tensor<2x!quant.uniform<{storage}:f32, 0.25>>",
    )
    text = f"""func.func @main(%x: {given}) -> {made} {{
  %0 = stablehlo.uniform_quantize %x : ({given}) -> {made}
  return %0 : {made}
}}"""
    lowered = shlo.opt(shlo.parse(text), [MATH])
    assert "stablehlo.clamp" in [op.name for op in lowered.walk()]
