"""What the passes over plans make of a program: the steps and the types of their results, by hand.

What a small program computes stays the same, by the interpreter of loops.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.passes.pipeline import rewritten
from stablehlo_py.engines.native.region import make_region
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.kernels.registry import find_kernel
from tests.engines.native.loops.loop_regions import plan_of
from tests.helpers.convolutions import convolution
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.native import counted
from tests.helpers.products import dot
from tests.helpers.programs import program


def steps_of(plan: Plan[Step]) -> str:
    """The names of steps, with the types of their results."""
    found = []
    for step in [each for each in plan.steps if each.outs]:
        types = " ".join(
            str(plan.types[slot]).removeprefix("tensor<").removesuffix(">") for slot in step.outs
        )
        found.append(f"{step.name.removeprefix('stablehlo.')} {types}")
    return ", ".join(found)


def product_of(terms: int, *elements: str) -> str:
    return dot(f"2x{terms} {terms}x3 ma,an").text(*elements)


def products(name: str, *wide: str) -> str:
    """The steps of `product_of` in another type: conversions of both operands, the product, and back."""
    return f"convert 2x8x{name}, convert 8x3x{name}, dot_general 2x3x{name}" + "".join(
        f", convert 2x3x{each}" for each in wide
    )


LAYER = "x: 64x32xf32, y: 32x128xf32"
CHANGED = "%y = stablehlo.add %x, %w : tensor<3xf32>"
CARRIED = {
    "x": ("tensor<3xf32>", "%a", "%y"),
    "w": ("tensor<3xf32>", "%b", "%w"),
    "v": ("tensor<2xf32>", "%c", "%v"),
}
LOOP = f"""
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) -> (tensor<3xf32>, tensor<2xf32>) {{
  {counted("5", CARRIED, CHANGED)}
  return %r#1, %r#3 : tensor<3xf32>, tensor<2xf32>
}}"""
BROADCAST = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<{0}xf32>) -> tensor<2x3xf32> {{
  %s = chlo.broadcast_add %x, %y : (tensor<2x3xf32>, tensor<{0}xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}}"""
SAME = "%a = chlo.broadcast_add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"
FIRST = convolution("1x24x5x5 24x24x3x3 bf01 oi01 bf01 p=1")
AFTER_EACH_OTHER = f"""
func.func @main(%a: tensor<1x24x5x5xf32>, %k: tensor<24x24x3x3xf32>) -> tensor<1x24x5x5xf32> {{
  %0 = {FIRST.op(["f32"] * 3)}
  %1 = {FIRST.op(["f32"] * 3, "%0")}
  return %1 : tensor<1x24x5x5xf32>
}}"""
SPREAD = f"""
func.func @main(%a: tensor<2x8x9x9xf32>, %c: tensor<24x3xf32>) -> tensor<2x24x9x9xf32> {{
  %k = KERNEL
  %0 = {convolution("2x8x9x9 24x8x3x3 bf01 oi01 bf01 p=1").op(["f32"] * 3)}
  return %0 : tensor<2x24x9x9xf32>
}}"""
ROWS = {
    # products of narrow elements: sums are exact in f32 up to 24 bits, in f64 up to 53
    "f16": (product_of(8, "f16"), products("f32", "f16")),
    "f16 to f32": (product_of(8, "f16", "f16", "f32"), products("f32")),
    "f16 to f64": (product_of(8, "f16", "f16", "f64"), products("f64")),
    "f32": (product_of(8, "f32"), "dot_general 2x3xf32"),
    "i8 to i32": (product_of(8, "i8", "i8", "i32"), products("f32", "i32")),
    "i8": (product_of(8, "i8"), products("f32", "i32", "i8")),
    "i32": (product_of(8, "i32"), "dot_general 2x3xi32"),
    "i64": (product_of(8, "i64"), "dot_general 2x3xi64"),
    "i16 to i64": (product_of(8, "i16", "i16", "i64"), products("f64", "i64")),
    "i16 to i32": (product_of(8, "i16", "i16", "i32"), products("i32")),
    "complex": (product_of(8, "complex<f32>"), "dot_general 2x3xcomplex<f32>"),
    "i32 to i64": (product_of(8, "i32", "i32", "i64"), products("i64")),
    "i8, as many as fit": (
        product_of(1024, "i8", "i8", "i32"),
        products("f32", "i32").replace("8x", "1024x"),
    ),
    "i8, one more": (product_of(1025, "i8", "i8", "i32"), products("i32").replace("8x", "1025x")),
    "ui8, as many as fit": (
        product_of(258, "ui8", "ui8", "i32"),
        products("f32", "i32").replace("8x", "258x"),
    ),
    "ui8, one more": (product_of(259, "ui8", "ui8", "i32"), products("i32").replace("8x", "259x")),
    # transposes of products
    "transposed": (
        program(LAYER, "%d = dot %x, %y, ma,an\n%t = transpose %d, [1, 0]\nreturn %t"),
        "dot_general 128x64xf32",
    ),
    "transposed, read twice": (
        program(LAYER, "%d = dot %x, %y, ma,an\n%t = transpose %d, [1, 0]\nreturn %t, %d"),
        "dot_general 64x128xf32, transpose 128x64xf32",
    ),
    "transposed, small": (
        program("x: 4x8xf32, y: 8x2xf32", "%d = dot %x, %y, ma,an\n%t = transpose %d, [1, 0]\nreturn %t"),
        "dot_general 4x2xf32, transpose 2x4xf32",
    ),
    # sums of everything: rows, then their sums
    "sum": (
        program("x: 131072xf32", "%s = reduce %x, add, [0]\nreturn %s"),
        "reshape 16x8192xf32, reduce 16xf32, reduce f32",
    ),
    "sum of an odd number": (program("x: 131073xf32", "%s = reduce %x, add, [0]\nreturn %s"), "reduce f32"),
    "sum of few": (program("x: 131056xf32", "%s = reduce %x, add, [0]\nreturn %s"), "reduce f32"),
    "sum of rows": (
        program("x: 4x4x8192xf32", "%s = reduce %x, add, [0, 1, 2]\nreturn %s"),
        "reduce 4x4xf32, reduce f32",
    ),
    "sum of few rows": (program("x: 8x16384xf32", "%s = reduce %x, add, [0, 1]\nreturn %s"), "reduce f32"),
    "sum of short rows": (program("x: 1024x128xf32", "%s = reduce %x, add, [0, 1]\nreturn %s"), "reduce f32"),
    "sums of columns": (program("x: 512x512xf32", "%s = reduce %x, add, [0]\nreturn %s"), "reduce 512xf32"),
    # convolutions with features in front
    "features last": (
        convolution("2x9x9x8 3x3x8x24 b01f 01io b01f p=1").text("f32"),
        "convolution 2x9x9x24xf32",
    ),
    "features first": (
        convolution("2x8x9x9 24x8x3x3 bf01 oi01 bf01 p=1").text("f32"),
        "transpose 2x9x9x8xf32, transpose 8x3x3x24xf32, convolution 2x9x9x24xf32, transpose 2x24x9x9xf32",
    ),
    "features first, between others": (
        convolution("2x8x9x9 24x8x3x3 bf01 oi01 bf01 p=1").text("f32", before="negate", after="abs"),
        "negate 2x8x9x9xf32, transpose 2x9x9x8xf32, transpose 8x3x3x24xf32, convolution 2x9x9x24xf32, "
        "transpose 2x24x9x9xf32, abs 2x24x9x9xf32",
    ),
    "features of the kernel first": (
        convolution("2x9x9x8 24x8x3x3 b01f oi01 b01f p=1").text("f32"),
        "convolution 2x9x9x24xf32",
    ),
    "features of the image first": (
        convolution("2x8x9x9 3x3x8x24 bf01 01io b01f p=1").text("f32"),
        "transpose 2x9x9x8xf32, convolution 2x9x9x24xf32",
    ),
    "features of the result first": (
        convolution("2x9x9x8 3x3x8x24 b01f 01io bf01 p=1").text("f32"),
        "convolution 2x9x9x24xf32, transpose 2x24x9x9xf32",
    ),
    "features between positions": (
        convolution("9x2x9x8 3x3x8x24 0b1f 01io 0f1b p=1").text("f32"),
        "convolution 2x9x9x24xf32, transpose 9x24x9x2xf32",
    ),
    "one kernel twice": (  # what is between both has features last
        AFTER_EACH_OTHER,
        "transpose 1x5x5x24xf32, transpose 24x3x3x24xf32, convolution 1x5x5x24xf32, "
        "convolution 1x5x5x24xf32, transpose 1x24x5x5xf32",
    ),
    "kernel of one number": (
        SPREAD.replace("KERNEL", "stablehlo.constant dense<2.0> : tensor<24x8x3x3xf32>"),
        "transpose 2x9x9x8xf32, convolution 2x9x9x24xf32, transpose 2x24x9x9xf32",
    ),
    "kernel that is broadcast": (
        SPREAD.replace(
            "KERNEL",
            "stablehlo.broadcast_in_dim %c, dims = [0, 2] : (tensor<24x3xf32>) -> tensor<24x8x3x3xf32>",
        ),
        "transpose 2x9x9x8xf32, broadcast_in_dim 8x3x3x24xf32, convolution 2x9x9x24xf32, "
        "transpose 2x24x9x9xf32",
    ),
    "few features": (
        convolution("2x8x9x9 23x8x3x3 bf01 oi01 bf01 p=1").text("f32"),
        "convolution 2x23x9x9xf32",
    ),
    "groups": (
        convolution("2x8x9x9 24x4x3x3 bf01 oi01 bf01 p=1 g=2").text("f32"),
        "convolution 2x24x9x9xf32",
    ),
    "f16 image": (
        convolution("2x9x9x8 3x3x8x24 b01f 01io b01f p=1").text("f16"),
        "convert 2x9x9x8xf32, convert 3x3x8x24xf32, convolution 2x9x9x24xf32, convert 2x9x9x24xf16",
    ),
    # terms are all elements of the kernel for one feature of the result
    "i8 image, 1024 for each": (
        convolution("1x1x1x1024 1x1x1024x2 b01f 01io b01f").text("i8", "i8", "i32"),
        "convert 1x1x1x1024xf32, convert 1x1x1024x2xf32, convolution 1x1x1x2xf32, convert 1x1x1x2xi32",
    ),
    "i8 image, 1025 for each": (
        convolution("1x1x1x1025 1x1x1025x2 b01f 01io b01f").text("i8", "i8", "i32"),
        "convert 1x1x1x1025xi32, convert 1x1x1025x2xi32, convolution 1x1x1x2xi32",
    ),
    # a loop carries what its body changes
    "loop": (LOOP, "while i32 3xf32"),
    # operands that are broadcast already
    "broadcast": (BROADCAST.format("3"), "broadcast_in_dim 2x3xf32, add 2x3xf32"),
    "not to be broadcast": (  # an error when it runs
        BROADCAST.format("2").replace("%s = chlo.broadcast_add %x", f"{SAME}\n  %s = chlo.broadcast_add %a"),
        "add 2x3xf32, chlo.broadcast_add 2x3xf32",
    ),
    "not broadcast": (BROADCAST.format("2x3"), "add 2x3xf32"),
}


@pytest.mark.parametrize("name", ROWS)
def test_steps(name: str) -> None:
    text, wanted = ROWS[name]
    module = shlo.parse(text)
    assert not [each.message for each in shlo.verify(module) if each.severity == "error"]
    plan = rewritten(plan_of(module))
    assert steps_of(plan) == wanted
    for step in plan.steps:
        kernel = find_kernel(step.name)
        assert kernel is None or step.elementwise == kernel.elementwise


def check_values(module: shlo.Module, plan: Plan[Step]) -> None:
    """The loops of a rewritten plan compute what the NumPy engine computes of the program: small integers."""
    rng = np.random.default_rng(5)
    types = [plan.tensor(slot) for slot in range(plan.arity)]
    given = [rng.integers(-4, 5, type.shape).astype(numpy_dtype(type.element_type)) for type in types]
    region = make_region(plan, [step for step in plan.steps if step.outs])  # others check types
    lowered = lower(region)
    found = Interpreter().run(lowered.program, [*(given[slot] for slot in region.inputs), *lowered.constants])
    made = dict(zip(region.outputs, found, strict=True)) | dict(enumerate(given))
    for slot, expected in zip(plan.outputs, shlo.run(module, given, engine="numpy"), strict=True):
        np.testing.assert_array_equal(made[slot], expected)


def test_a_product_that_makes_a_transpose_stands_for_both_ops() -> None:
    plan = rewritten(plan_of(shlo.parse(ROWS["transposed"][0])))
    (step,) = [each for each in plan.steps if each.name == "stablehlo.dot_general"]
    assert [op.name for op in step.members] == ["stablehlo.dot_general", "stablehlo.transpose"]


LARGE = ("sum", "many", "more", "to be")  # and what is an error


@pytest.mark.parametrize("name", [name for name in ROWS if not any(word in name for word in LARGE)])
def test_values(name: str) -> None:
    module = shlo.parse(ROWS[name][0])
    check_values(module, rewritten(plan_of(module)))


@pytest.mark.parametrize("between", ["bf01", "fb01", "b01f", "0b1f", "f01b"])
@pytest.mark.parametrize("first", ["bf01", "fb01", "b01f"])
def test_values_of_convolutions_after_each_other(first: str, between: str) -> None:
    """The first result, of as many images as features, is the second image in whatever order."""
    size = dict(zip("bf01", (24, 24, 3, 3), strict=True))
    shapes = ["x".join(str(size[letter]) for letter in order) for order in (first, between)]
    one = convolution(f"{shapes[0]} 24x24x2x2 {first} oi01 {between} p=1 s=2")
    assert one.result == tuple([{"0": 2, "1": 2}.get(letter, 24) for letter in between])
    given = "x".join(map(str, one.result))
    two = convolution(f"{given} 24x24x2x2 {between} oi01 {first} p=1")
    made = "x".join(map(str, two.result))
    module = shlo.parse(
        f"func.func @main(%a: tensor<{shapes[0]}xf32>, %k: tensor<24x24x2x2xf32>) -> tensor<{made}xf32> {{\n"
        f"  %0 = {one.op(['f32'] * 3)}\n  %1 = {two.op(['f32'] * 3, '%0')}\n"
        f"  return %1 : tensor<{made}xf32>\n}}"
    )
    check_values(module, rewritten(plan_of(module)))


@pytest.mark.parametrize(
    ("row", "last"),  # the dimension that is the last one if a product makes the transposed result
    [
        ("3x4 4x5 ma,an", {0, 1}),
        ("4x3 5x4 am,na", {0, 1}),
        ("3x4 4 ma,a", {0}),
        ("2x3x4 2x4x5 Xma,Xan", {1, 2}),
        ("3x2x4 5x4x2 mXa,naX", {1, 2}),
        ("2x3x4 4x5 mna,ao", {1, 2}),
        ("3x4 4x5x2 ma,ano", {0, 2}),
        ("2x3x4x2 2x4x5 mnab,bao", {1, 2}),
    ],
)
def test_products_make_transposed_results(row: str, last: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "ALONE", 1)
    found = dot(row)
    sizes = ["x".join(map(str, shape)) for shape in found[:2]]
    for order in permutations(range(len(found.result))):
        body = f"%d = dot %x, %y, {','.join(found.names)}\n%t = transpose %d, {list(order)}\nreturn %t"
        module = shlo.parse(program(f"x: {sizes[0]}xf32, y: {sizes[1]}xf32", body))
        plan = rewritten(plan_of(module))
        assert (len(plan.steps) == 1) == (order[-1] in last), order
        check_values(module, plan)


NARROW = f"""{{
    %d = {dot("2x8 8x3 ma,an").op("f16")}
    stablehlo.return %d : tensor<2x3xf16>
  }}"""
BRANCHES = """
func.func @main(%p: tensor<TYPE>, %a: tensor<2x8xf16>, %b: tensor<8x3xf16>) -> tensor<2x3xf16> {
  %r = "stablehlo.NAME"(%p) (BODIES) : (tensor<TYPE>) -> tensor<2x3xf16>
  return %r : tensor<2x3xf16>
}"""


@pytest.mark.parametrize(("name", "type", "count"), [("if", "i1", 2), ("case", "i32", 3)])
def test_branches_are_rewritten(name: str, type: str, count: int) -> None:
    text = BRANCHES.replace("TYPE", type).replace("NAME", name).replace("BODIES", ", ".join([NARROW] * count))
    (step,) = rewritten(plan_of(shlo.parse(text))).steps
    assert [steps_of(body) for body in step.plans] == [products("f32", "f16")] * count


def test_branches_in_a_branch_are_rewritten() -> None:
    inner = BRANCHES.replace("BODIES", f"{NARROW}, {NARROW}").replace("TYPE", "i1").replace("NAME", "if")
    inner = inner.partition("{\n")[2].rpartition("return")[0].replace("%r", "%q")
    body = f"{{ {inner} stablehlo.return %q : tensor<2x3xf16> }}"
    text = BRANCHES.replace("BODIES", f"{body}, {body}").replace("TYPE", "i1").replace("NAME", "if")
    (step,) = rewritten(plan_of(shlo.parse(text))).steps
    within = [each for branch in step.plans for each in branch.steps]
    assert [steps_of(plan) for each in within for plan in each.plans] == [products("f32", "f16")] * 4
