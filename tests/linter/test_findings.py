"""Boundary cases of the rules on types, constants, numerics and portability."""

from __future__ import annotations

from itertools import pairwise

import pytest

import stablehlo_py as shlo


def found(rule: str, text: str, **settings: object) -> list[str]:
    options = {name.replace("_", "-"): value for name, value in settings.items()}
    module = shlo.parse(text, allow_unregistered=True)
    return [d.message for d in shlo.lint(module, select=[rule], settings=options)]


def unary(op: str, before: str, after: str) -> str:
    return f"func.func @main(%x: {before}) -> {after} {{\n{op}\nreturn %r : {after}\n}}"


def convert(*types: str) -> str:
    names = ["%x", *(f"%{n}" for n in range(len(types) - 2)), "%r"]
    lines = [
        f"{names[n + 1]} = stablehlo.convert {names[n]} : (tensor<4x{a}>) -> tensor<4x{b}>"
        for n, (a, b) in enumerate(pairwise(types))
    ]
    return unary("\n".join(lines), f"tensor<4x{types[0]}>", f"tensor<4x{types[-1]}>")


@pytest.mark.parametrize(
    ("types", "count"),
    [
        (("f32", "bf16", "f32"), 1),
        (("f64", "f32", "f64"), 1),
        (("i64", "i32", "i64"), 1),
        (("f64", "bf16", "f32"), 1),
        (("f32", "f64", "f32"), 0),
        (("f32", "bf16", "f16"), 0),
        (("f32", "i32", "f32"), 0),
        (("i32", "f32", "i32"), 0),
        (("i1", "i32", "i1"), 0),
        (("bf16", "f32", "bf16"), 0),
        (("f32", "bf16"), 0),
    ],
)
def test_lossy_converts(types: tuple[str, ...], count: int) -> None:
    assert len(found("lossy-convert", convert(*types))) == count


REDUCE = """func.func @main(%x: tensor<{size}x{type}>, %z: tensor<{type}>) -> tensor<{type}> {{
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.{op} across dimensions = [0]
    : (tensor<{size}x{type}>, tensor<{type}>) -> tensor<{type}>
  return %r : tensor<{type}>
}}"""


@pytest.mark.parametrize(
    ("size", "type", "op", "count"),
    [
        (64, "bf16", "add", 1),
        (64, "f16", "multiply", 1),
        ("?", "bf16", "add", 1),
        (63, "bf16", "add", 0),
        (1024, "bf16", "maximum", 0),
        (1024, "f32", "add", 0),
        (1024, "i8", "add", 0),
    ],
)
def test_narrow_reductions(size: object, type: str, op: str, count: int) -> None:
    assert len(found("narrow-reduction", REDUCE.format(size=size, type=type, op=op))) == count


def test_the_least_elements_of_a_narrow_reduction() -> None:
    text = REDUCE.format(size=8, type="bf16", op="add")
    assert found("narrow-reduction", text, min_reduction_elements=8)
    assert not found("narrow-reduction", text, min_reduction_elements=9)


WIDE = """%0 = stablehlo.convert %x : (tensor<4x{narrow}>) -> tensor<4x{wide}>
%1 = stablehlo.add %0, %0 : tensor<4x{wide}>
%2 = stablehlo.add %1, %1 : tensor<4x{wide}>
%r = stablehlo.convert %2 : (tensor<4x{wide}>) -> tensor<4x{result}>"""


@pytest.mark.parametrize(
    ("rule", "narrow", "wide", "result", "count"),
    [
        ("wide-float", "f32", "f64", "f32", 1),
        ("wide-float", "f32", "f64", "f64", 0),
        ("wide-float", "f64", "f64", "f32", 0),
        ("wide-float", "i32", "f64", "i32", 0),
        ("wide-float", "bf16", "f32", "bf16", 0),
        ("wide-integer", "i32", "i64", "i32", 1),
        ("wide-integer", "i32", "i64", "i64", 0),
    ],
)
def test_wide_types(rule: str, narrow: str, wide: str, result: str, count: int) -> None:
    text = unary(
        WIDE.format(narrow=narrow, wide=wide, result=result), f"tensor<4x{narrow}>", f"tensor<4x{result}>"
    )
    messages = found(rule, text)
    assert len(messages) == count
    assert all("(2 in total)" in message for message in messages)


def test_a_splat_is_no_large_constant() -> None:
    text = "%r = stablehlo.constant dense<{}> : tensor<4xf32>\nreturn %r : tensor<4xf32>"
    large = "func.func @main() -> tensor<4xf32> {{\n" + text + "\n}}"
    assert found("large-constant", large.format("[1.0, 2.0, 3.0, 4.0]"), max_constant_bytes=15)
    assert not found("large-constant", large.format("[1.0, 2.0, 3.0, 4.0]"), max_constant_bytes=16)
    assert not found("large-constant", large.format("1.0"), max_constant_bytes=15)


RESOURCE = """func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-# dialect_resources: {builtin: {blob: "0x040000000000803F00000040"}} #-}"""


def test_resources() -> None:
    assert not found("elided-constant", RESOURCE)
    assert found("large-constant", RESOURCE, max_constant_bytes=4)
    assert not found("large-constant", RESOURCE, max_constant_bytes=64)
    (message,) = found("elided-constant", RESOURCE.split("{-#")[0])
    assert "is not in the file" in message


def repeated(*ops: str) -> str:
    body = "\n".join(ops)
    return f"func.func @main(%x: tensor<f32>) -> tensor<f32> {{\n{body}\nreturn %x : tensor<f32>\n}}"


def test_repeated_expressions_are_seen_through_each_other() -> None:
    text = repeated(
        "%a = stablehlo.tanh %x : tensor<f32>",
        "%b = stablehlo.tanh %x : tensor<f32>",
        "%c = stablehlo.sine %a : tensor<f32>",
        "%d = stablehlo.sine %b : tensor<f32>",
        "%e = stablehlo.compare LT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>",
        "%f = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>",
    )
    assert found("duplicate-expression", text) == ["%b duplicates %a of line 2", "%d duplicates %c of line 4"]


@pytest.mark.parametrize("name", ["my.data", "value"])
def test_elided_data_in_any_attribute(name: str) -> None:
    op = f"%r = stablehlo.tanh %x {{{name} = dense_resource<gone> : tensor<2xf32>}} : tensor<2xf32>"
    text = unary(op, "tensor<2xf32>", "tensor<2xf32>")
    assert found("elided-constant", text) == ["the data of dense_resource<gone> is not in the file"]


def test_zeros_of_either_sign_are_different_constants() -> None:
    constant = "stablehlo.constant dense<{}> : tensor<f32>"
    text = repeated("%a = " + constant.format("0.0"), "%b = " + constant.format("-0.0"))
    assert not found("duplicate-constant", text, min_duplicate_bytes=0)
    text = repeated("%a = " + constant.format("0.0"), "%b = " + constant.format("0.0"))
    assert found("duplicate-constant", text, min_duplicate_bytes=0)


def test_barriers_are_not_merged() -> None:
    op = "stablehlo.optimization_barrier %x : tensor<f32>"
    assert not found("duplicate-expression", repeated(f"%a = {op}", f"%b = {op}"))


CALL = '%r = stablehlo.custom_call @"{}"(%x){} : (tensor<4xf32>) -> tensor<4xf32>'


def call(target: str, attributes: str = "") -> str:
    return unary(CALL.format(target, f" {{{attributes}}}" if attributes else ""), *["tensor<4xf32>"] * 2)


@pytest.mark.parametrize(
    ("target", "count"),
    [("Sharding", 0), ("lapack_sgetrf_ffi", 0), ("check.expect_close", 0), ("mine.norm", 1), ("sharding", 1)],
)
def test_custom_calls(target: str, count: int) -> None:
    assert len(found("custom-call-target", call(target))) == count
    assert not found("custom-call-target", call(target), allowed_custom_calls=["mine.*", "sharding"])


@pytest.mark.parametrize(
    "target",
    [
        "SPMDFullToShardShape",
        "SPMDShardToFullShape",
        "annotate_device_placement",
        "LayoutConstraint",
        "xla.sdy.FuncResultSharding",
        "Eigh",
        "Qr",
        "ProductOfElementaryHouseholderReflectors",
        "LuDecomposition",
        "ApproxTopK",
        "AllocateBuffer",
        "stablehlo.dynamic_reduce_window",
        "shape_assertion",
        "tf.call_tf_function",
        "tpu_custom_call",
        "mosaic_gpu_v2",
        "cusolver_getrf_ffi",
        "cublas_getrf_batched_ffi",
        "cusparse_gtsv2_ffi",
        "cu_threefry2x32_ffi",
        "hipsolver_getrf_ffi",
        "hip_threefry2x32_ffi",
        "cu_lu_pivots_to_permutation",
    ],
)
def test_targets_that_jax_keeps(target: str) -> None:
    """Each as JAX emits it."""
    assert not found("custom-call-target", call(target))


@pytest.mark.parametrize(
    ("attributes", "count"),
    [
        ('backend_config = "94203498230512"', 1),
        ('backend_config = "callback 0x7f3a10c0de40"', 1),
        (r'backend_config = "\10\27\00\10\A4\7F\00\00"', 1),
        ("backend_config = {address = 139635248000512 : i64}, api_version = 4 : i32", 1),
        ("mhlo.backend_config = {index = [139635248000512 : ui64]}", 1),
        ('backend_config = ""', 0),
        ('backend_config = "1234567890"', 0),
        ('backend_config = "20241231235959"', 0),
        ('backend_config = "sha256:0x7f3a10c0de40aabbccdd"', 0),
        (r'backend_config = "\01\00\00\00\02\00\00\00"', 0),
        ("backend_config = {index = 7 : i64}, api_version = 4 : i32", 0),
    ],
)
def test_addresses(attributes: str, count: int) -> None:
    assert len(found("pointer-in-backend-config", call("f", attributes))) == count


def test_dialects() -> None:
    text = unary('%r = "sdy.constraint"(%x) : (tensor<f32>) -> tensor<f32>', "tensor<f32>", "tensor<f32>")
    assert not found("foreign-dialect", text)
    assert found("foreign-dialect", text, allowed_dialects=[])


SCATTER = """func.func @main(%x: tensor<4x{type}>, %i: tensor<1xi64>, %u: tensor<{type}>)
    -> tensor<4x{type}> {{
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>{more}}}> ({{
  ^bb0(%a: tensor<{type}>, %b: tensor<{type}>):
    {body}
  }}) : (tensor<4x{type}>, tensor<1xi64>, tensor<{type}>) -> tensor<4x{type}>
  return %0 : tensor<4x{type}>
}}"""
SET = "stablehlo.return %b : tensor<{}>"


def combine(op: str, type: str) -> str:
    return f"%s = stablehlo.{op} %a, %b : tensor<{type}>\nstablehlo.return %s : tensor<{type}>"


@pytest.mark.parametrize(
    ("type", "body", "more", "count"),
    [
        ("f32", combine("add", "f32"), "", 1),
        ("f32", combine("add", "f32"), ", unique_indices = true", 0),
        ("f32", combine("maximum", "f32"), "", 0),
        ("i32", combine("add", "i32"), "", 0),
        ("i32", SET.format("i32"), "", 1),
    ],
)
def test_scatters(type: str, body: str, more: str, count: int) -> None:
    text = SCATTER.format(type=type, body=body, more=more)
    assert len(found("nondeterministic-op", text)) == count


def test_dynamism_is_reported_where_it_comes_from() -> None:
    type, bounded = "tensor<?xf32>", "tensor<?xf32, #stablehlo.bounds<8>>"
    text = unary(f"%r = stablehlo.tanh %x : {type}", type, type)
    assert found("dynamic-dimension", text) == [f"%x : {type} has a dynamic dimension"]
    assert found("unbounded-dimension", text)
    text = unary(f"%r = stablehlo.tanh %x : {bounded}", bounded, bounded)
    assert found("dynamic-dimension", text)
    assert not found("unbounded-dimension", text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"stablehlo.reverse"(%x) <{dimensions = dense<0> : tensor<1xi64>}>', "dimensions = dense"),
        ('"stablehlo.reverse"(%x) {dimensions = array<i64: 0>}', "dimensions in {...}"),
    ],
)
def test_old_spellings(text: str, words: str) -> None:
    op = f"%r = {text} : (tensor<4xf32>) -> tensor<4xf32>"
    (message,) = found("old-spelling", unary(op, "tensor<4xf32>", "tensor<4xf32>"))
    assert words in message


@pytest.mark.parametrize(("reverse", "count"), [("[0, 1]", 1), ("[false, true]", 0)])
def test_old_spelling_of_a_window(reverse: str, count: int) -> None:
    image, kernel, result = "tensor<1x4x4x1xf32>", "tensor<3x3x1x1xf32>", "tensor<1x2x2x1xf32>"
    text = f"""func.func @main(%x: {image}, %k: {kernel}) -> {result} {{
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {{reverse = {reverse}}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
    : ({image}, {kernel}) -> {result}
  return %0 : {result}
}}"""
    assert len(found("old-spelling", text)) == count


def test_an_old_spelling_of_bounds() -> None:
    text = "func.func @main(%x: tensor<?xf32, #stablehlo.type_extensions<bounds = [8]>>) { return }"
    assert len(found("old-spelling", text)) == 1
    assert found("old-spelling", f"// {text}\n") == []
    assert len(found("old-spelling", f"// {text}\n{text}")) == 1


def test_a_target() -> None:
    text = unary("%r = stablehlo.tan %x : tensor<f8E4M3>", "tensor<f8E4M3>", "tensor<f8E4M3>")
    assert found("newer-than-target", text, target="1.7.0") == []
    assert found("newer-than-target", text, target="1.6.9") == [
        "f8E4M3 requires version 1.7.0, but the target is 1.6.9 (2 in total)"
    ]
    assert len(found("newer-than-target", text, target="MINIMUM")) == 2
    assert found("newer-than-target", text) == []
