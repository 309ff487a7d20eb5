"""Each condition of rules of types, constants and portability: what it decides, and its neighbour."""

from __future__ import annotations

import pytest
from test_finding_borders import SCATTER, function, lint

import stablehlo_py as shlo
from stablehlo_py.linter.portability import STABLE_TARGETS

F = (
    "func.func private @f(%x: tensor<4x{0}>) -> tensor<4x{0}> {{\n"
    "%r = {1} : {2}\nreturn %r : tensor<4x{0}>\n}}"
)


def computing(type: str, arguments: str, result: str, op: str = "stablehlo.tanh %x", kind: str = "") -> str:
    """A program with this interface, and a private function that computes in a type."""
    main = f"func.func @main(%a: {arguments}, %b: {result}) -> {result} {{\nreturn %b : {result}\n}}\n"
    if arguments != result:  # the result is of a type that no argument has
        main = (
            f"func.func @main(%a: {arguments}) -> {result} {{\n"
            f"%b = stablehlo.convert %a : ({arguments}) -> {result}\nreturn %b : {result}\n}}\n"
        )
    return main + F.format(type, op, kind or f"tensor<4x{type}>")


WIDE = "stablehlo.tanh computes in f64, but all arguments and results are narrower floats"


@pytest.mark.parametrize(
    ("arguments", "result", "is_found"),
    [
        ("tensor<f32>", "tensor<f32>", True),
        ("tensor<bf16>", "tensor<i64>", True),
        ("tensor<i32>", "tensor<f16>", True),
        ("tensor<i32>", "tensor<i64>", False),  # no floats
        ("tensor<f64>", "tensor<f32>", False),
        ("tensor<f32>", "tensor<f64>", False),
        ("tensor<complex<f64>>", "tensor<complex<f64>>", False),
        ("tensor<complex<f32>>", "tensor<complex<f32>>", True),
    ],
)
def test_the_interface_of_a_program_with_f64(arguments: str, result: str, is_found: bool) -> None:
    assert lint("wide-float", computing("f64", arguments, result)) == [WIDE] * is_found


@pytest.mark.parametrize(
    ("arguments", "result", "is_found"),
    [
        ("tensor<f32>", "tensor<f32>", True),
        ("tensor<i32>", "tensor<i1>", True),
        ("tensor<i64>", "tensor<i32>", False),
        ("tensor<i32>", "tensor<i64>", False),
        ("tensor<ui64>", "tensor<ui64>", False),
    ],
)
def test_the_interface_of_a_program_with_i64(arguments: str, result: str, is_found: bool) -> None:
    text = computing("i64", arguments, result, "stablehlo.negate %x")
    message = "stablehlo.negate computes in 64-bit integers, but no argument or result is one"
    assert lint("wide-integer", text) == [message] * is_found


@pytest.mark.parametrize(
    ("op", "kind"),
    [
        ("stablehlo.convert %x", "(tensor<4xf64>) -> tensor<4xf64>"),
        ("stablehlo.reverse %x, dims = [0]", ""),
        ("stablehlo.constant dense<1.0>", ""),
        ("stablehlo.custom_call @f(%x)", "(tensor<4xf64>) -> tensor<4xf64>"),
    ],
)
def test_conversions_and_moves_do_not_compute(op: str, kind: str) -> None:
    assert lint("wide-float", computing("f64", "tensor<f32>", "tensor<f32>", op, kind)) == []


def test_of_several_wide_ops_the_first_is_reported() -> None:
    text = computing("f64", "tensor<f32>", "tensor<f32>")
    sine = "%q = stablehlo.sine %x : tensor<4xf64>\n%r = stablehlo.tanh %q"
    message = WIDE.replace("tanh", "sine") + " (2 in total)"
    assert lint("wide-float", text.replace("%r = stablehlo.tanh %x", sine)) == [message]


@pytest.mark.parametrize(
    ("first", "middle", "last", "is_found"),
    [
        ("f32", "bf16", "f32", True),
        ("f32", "bf16", "f16", False),  # as wide as the last
        ("bf16", "f16", "f32", False),  # as wide as the first
        ("bf16", "f8E4M3FN", "f32", True),
        ("f32", "i8", "f32", False),
        ("i32", "bf16", "i32", False),
        ("f32", "bf16", "i32", False),
        ("i32", "i8", "i32", True),
        ("i32", "ui16", "i64", True),
        ("i32", "i1", "i32", False),  # whether it is zero
        ("f16", "f32", "f16", False),
    ],
)
def test_conversions_there_and_back(first: str, middle: str, last: str, is_found: bool) -> None:
    body = (
        f"%0 = stablehlo.convert %x : (tensor<4x{first}>) -> tensor<4x{middle}>\n"
        f"%r = stablehlo.convert %0 : (tensor<4x{middle}>) -> tensor<4x{last}>"
    )
    found = lint("lossy-convert", function(body, f"%x: tensor<4x{first}>", f"tensor<4x{last}>"))
    assert len(found) == is_found
    assert all(("reduce_precision" in each) == (first[0] != "i") for each in found)


@pytest.mark.parametrize(
    ("op", "type", "limit", "expected"),
    [
        ("add", "bf16", 64, "adds 64 elements in bf16: introduced error up to 63 * 2^-8 = 0.25"),
        ("add", "bf16", 65, ""),
        ("add", "f16", 64, "adds 64 elements in f16: introduced error up to 63 * 2^-11 = 0.031"),
        ("multiply", "f16", 1, "multiplies 64 elements in f16: introduced error up to 63 * 2^-11 = 0.031"),
        ("add", "f8E5M2", 64, "adds 64 elements in f8E5M2: introduced error up to 63 * 2^-3 = 7.9"),
        ("add", "complex<f32>", 1, ""),
        ("add", "f32", 1, ""),
        ("add", "i8", 1, ""),
        ("maximum", "bf16", 1, ""),
    ],
)
def test_reductions_in_types(op: str, type: str, limit: int, expected: str) -> None:
    body = (
        f"%r = stablehlo.reduce(%x init: %z) applies stablehlo.{op} across dimensions = [0] "
        f": (tensor<64x{type}>, tensor<{type}>) -> tensor<{type}>"
    )
    text = function(body, f"%x: tensor<64x{type}>, %z: tensor<{type}>", f"tensor<{type}>")
    found = lint("narrow-reduction", text, min_reduction_elements=limit)
    of = "the sum of the magnitudes" if op == "add" else "the result"
    assert found == [f"stablehlo.reduce {expected} of {of}"] * bool(expected)


@pytest.mark.parametrize(
    ("type", "body", "is_found"),
    [
        ("f32", "%s = stablehlo.add %a, %b : tensor<f32>", True),
        ("i32", "%s = stablehlo.add %a, %b : tensor<i32>", False),
        ("f32", "%s = stablehlo.subtract %a, %b : tensor<f32>", True),
        ("i32", "%s = stablehlo.subtract %a, %b : tensor<i32>", False),
        ("complex<f32>", "%s = stablehlo.multiply %a, %b : tensor<complex<f32>>", True),
        ("f32", "%s = stablehlo.maximum %a, %b : tensor<f32>", False),
        (
            "f32",
            "%t = stablehlo.maximum %a, %b : tensor<f32>\n%s = stablehlo.add %t, %t : tensor<f32>",
            True,
        ),
    ],
)
def test_the_order_of_updates(type: str, body: str, is_found: bool) -> None:
    whole = f"{body}\nstablehlo.return %s : tensor<{type}>"
    text = SCATTER.format(body=whole, more="").replace("xf32", f"x{type}").replace("%b: tensor<f32>", "%b: T")
    for name in ("%u: tensor<f32>", "%a: tensor<f32>"):
        text = text.replace(name, f"{name[:2]}: T")
    text = text.replace("tensor<1xi64>, tensor<f32>)", "tensor<1xi64>, T)").replace(
        "T", f"tensor<{type}>", -1
    )
    assert len(lint("nondeterministic-op", text)) == is_found


@pytest.mark.parametrize(
    ("value", "type", "size"),
    [
        ("[1.0, 2.0, 3.0, 4.0]", "4xf32", 16),
        ("[1.0, 2.0, 3.0, 4.0]", "4xf64", 32),
        ("[(1.0, 2.0), (3.0, 4.0)]", "2xcomplex<f32>", 16),
        ("[1, 2, 3]", "3xi16", 6),
        ("1.0", "4096xf32", 4),  # a splat
    ],
)
def test_sizes_of_constants(value: str, type: str, size: int) -> None:
    text = function(f"%r = stablehlo.constant dense<{value}> : tensor<{type}>", "", f"tensor<{type}>")
    assert lint("large-constant", text, max_constant_bytes=size) == []
    message = f"constant of {size} bytes exceeds the limit of {size - 1}\ntensor<{type}>"
    assert lint("large-constant", text, max_constant_bytes=size - 1) == [message]


def test_constants_in_resources() -> None:
    """The blob has four bytes of alignment, then eight of data."""
    text = function("%r = stablehlo.constant dense_resource<KEY> : tensor<2xf32>", "", "tensor<2xf32>")
    blob = '\n{-# dialect_resources: { builtin: { w: "0x040000000000803F00000040" } } #-}\n'
    kept = text.replace("KEY", "w") + blob
    assert lint("elided-constant", kept) == []
    assert len(lint("large-constant", kept, max_constant_bytes=7)) == 1
    assert lint("large-constant", kept, max_constant_bytes=8) == []
    for key, why in (("v", "is not in the file"), ("__elided__", "was elided when the program was printed")):
        message = f"the data of dense_resource<{key}> {why}\ntensor<2xf32>"
        assert lint("elided-constant", text.replace("KEY", key) + blob) == [message]
        assert lint("large-constant", text.replace("KEY", key) + blob, max_constant_bytes=0) == []


def calls(target: str, **settings: object) -> list[str]:
    body = f'%r = stablehlo.custom_call @"{target}"(%x) : (tensor<4xf32>) -> tensor<4xf32>'
    return lint("custom-call-target", function(body), **settings)


# Those that JAX keeps stable, and annotations of compilers, with what is near to them.
STABLE = {
    "Sharding": "Shardings",
    "SPMDFullToShardShape": "SPMDFullToShard",
    "SPMDShardToFullShape": "SPMDShardToFull",
    "annotate_device_placement": "annotate_device",
    "LayoutConstraint": "layoutconstraint",
    "xla.sdy.GlobalToLocalShape": "xla.GlobalToLocalShape",
    "Eigh": "Eig",
    "Qr": "QR",
    "ProductOfElementaryHouseholderReflectors": "HouseholderReflectors",
    "LuDecomposition": "Lu",
    "ApproxTopK": "TopK",
    "AllocateBuffer": "Allocate",
    "stablehlo.dynamic_top_k": "stablehlo.top_k",
    "shape_assertion": "assertion",
    "tf.call_tf_function": "tf.call",
    "tpu_custom_call": "my_tpu_custom_call",
    "mosaic_gpu_v2": "mosaic_gpu",
    "lapack_sgeqrf_ffi": "lapack_sgeqrf",
    "cusolver_geqrf_ffi": "cusolver_geqrf",
    "cublas_getrf_batched_ffi": "cublas_getrf",
    "cusparse_gtsv2_ffi": "cusparse_gtsv2",
    "cu_lu_ffi": "cu_lu",
    "hipsolver_geqrf_ffi": "hip",
    "cu_lu_pivots_to_permutation": "lu_pivots_to_permutation",
}


@pytest.mark.parametrize("target", STABLE)
def test_targets_of_custom_calls(target: str) -> None:
    near = STABLE[target]
    assert calls(target) == []
    assert calls(near) == [f"custom_call target @{near} is not portable"]
    assert (
        calls(near, allowed_custom_calls=[near]) == calls(near, allowed_custom_calls=["x", f"{near}*"]) == []
    )


def test_every_pattern_of_targets_is_tested() -> None:
    assert len(STABLE) == len(STABLE_TARGETS)


DIALECTS = ("check", "interpreter", "sdy", "arith", "cf", "math", "ml_program", "shape", "tensor")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects_that_are_allowed(dialect: str) -> None:
    """By default, for the targets of custom calls and for ops; settings replace them."""
    assert calls(f"{dialect}.f") == []
    assert len(calls(f"{dialect}.f", allowed_dialects=["x"])) == 1
    if dialect not in ("check", "interpreter", "sdy"):  # whose ops are known
        text = function(f'%r = "{dialect}.f"(%x) : (tensor<4xf32>) -> tensor<4xf32>')
        assert lint("foreign-dialect", text) == []
        message = f"{dialect}.f is an op of dialect {dialect}"
        assert lint("foreign-dialect", text, allowed_dialects=["x"]) == [message]


def test_other_dialects() -> None:
    assert calls("x.f") == ["custom_call target @x.f is not portable"]
    assert calls("arith") == []
    own = function(
        "%q = chlo.square %x : tensor<4xf32> -> tensor<4xf32>\n%r = stablehlo.tanh %q : tensor<4xf32>"
    )
    assert lint("foreign-dialect", own, allowed_dialects=[]) == []


@pytest.mark.parametrize(
    ("target", "count"), [("1.4.0", 0), ("1.3.0", 1), ("1.3.9", 1), ("1.4.1", 0), ("0.9.0", 1)]
)
def test_the_target(target: str, count: int) -> None:
    """tan is an op since 1.4."""
    body = "%q = stablehlo.tan %x : tensor<4xf32>\n%r = stablehlo.tan %q : tensor<4xf32>"
    found = lint("newer-than-target", function(body), target=target)
    message = f"tan requires version 1.4.0, but the target is {target} (2 in total)"
    assert found == [message] * count


def test_without_a_target_nothing_is_too_new() -> None:
    assert lint("newer-than-target", function("%r = stablehlo.tan %x : tensor<4xf32>")) == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", "3 of 3 ops have no location"),
        (' loc("m.py":1:1)', "", "2 of 3 ops have no location"),
        (" loc(unknown)", ' loc("m.py":1:1)', "2 of 3 ops have no location"),
    ],
)
def test_ops_without_a_location(first: str, second: str, expected: str) -> None:
    text = function(
        f"%q = stablehlo.tanh %x : tensor<4xf32>{first}\n%r = stablehlo.tanh %q : tensor<4xf32>{second}"
    )
    assert lint("missing-location", text) == [expected]
    (found,) = shlo.lint(shlo.parse(text), select=["missing-location"])
    assert found.line == (3 if "m.py" in first else 2)


def test_old_bounds_are_reported_outside_of_comments() -> None:
    old = "tensor<?xf32, #stablehlo.type_extensions<bounds = [8]>>"
    text = f"// %y: {old}\nfunc.func @main(%x: {old}) -> {old} {{  // {old}\n"
    text += f"  // {old}\n  return %x : {old}\n}}\n"
    found = shlo.lint(shlo.parse(text), select=["old-spelling"])
    assert [each.line for each in found] == [2, 2, 4]
    assert [each.column - 1 for each in found] == [
        text.splitlines()[1].index("#"),
        text.splitlines()[1].index("#", 60),
        text.splitlines()[3].index("#"),
    ]
    message = "#stablehlo.type_extensions<bounds = ...> is now spelled #stablehlo.bounds<...>"
    assert {each.message for each in found} == {message}
