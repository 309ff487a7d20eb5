"""Family N: nondeterministic results, infinities and NaNs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stablehlo_py.ir.attributes import BoolAttr, EnumAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import ComplexType, FloatType, TensorType
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.linter.signs import Sign, Signs
from stablehlo_py.opset.definition import has_trait, lookup


def _nondeterministic(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for op in context.having("random"):
        yield Finding(op, f"{op.name} is nondeterministic and implementation-defined")
    for op in context.ops:
        algorithm = op.attribute("rng_algorithm")
        if isinstance(algorithm, EnumAttr) and algorithm.value == "DEFAULT":
            yield Finding(op, "the algorithm DEFAULT is implementation-defined")
    for op in context.having("unordered"):
        unique = op.attribute("unique_indices")
        if not (isinstance(unique, BoolAttr) and unique.value) and _depends_on_order(op):
            yield Finding(
                op,
                "the order of floating-point updates to the same element is undefined, and affects rounding",
            )


def _depends_on_order(op: Operation) -> bool:
    """Test whether the last region of an op rounds, or ignores one of its arguments."""
    blocks = op.regions[-1].blocks if op.regions else []
    block = blocks[0] if blocks else None
    last = block.terminator if block is not None else None
    if block is None or last is None:
        return False
    if any(value in block.arguments for value in last.operands):
        return True
    return any(
        not has_trait(inner.name, "associative") and any(map(_is_float, inner.results))
        for inner in block.ops[:-1]
    )


def _is_float(value: object) -> bool:
    type = getattr(value, "type", None)
    return isinstance(type, TensorType) and isinstance(type.element_type, FloatType | ComplexType)


def _divisions(context: LintContext, settings: Settings) -> Iterator[Finding]:
    signs = Signs(context)
    for op in context.ops:
        definition = lookup(op.name)
        if definition is None or definition.operator not in ("/", "%"):
            continue
        rhs = op.operands[1]
        if not signs.of(rhs) & Sign.NONZERO:
            yield Finding(op, f"the divisor {rhs} may be zero")


def _positive_operands(context: LintContext, settings: Settings, name: str) -> Iterator[Finding]:
    """Find ops whose operands should be positive, but may not be."""
    signs = Signs(context)
    for op in context.named(f"stablehlo.{name}"):
        found = signs.of(op.operands[0])
        if found is not Sign.POSITIVE:
            sign = "zero" if found & Sign.NON_NEGATIVE else "zero or negative"
            yield Finding(op, f"the operand {op.operands[0]} of {name} may be {sign}")


_LIMITS = (
    "Off by default: it relies on a simple sign analysis, which covers constants, abs, exponential, squares, "
    "sums with a positive term, maximum and clamp with positive bounds, and select on a comparison with "
    "zero, also through data movement and calls of private functions. It does not cover arguments of public "
    "functions, loop-carried values, or sums of weights that are nonzero by construction; exponential and "
    "products of positive values count as positive, though they may underflow."
)

RULES = (
    Rule(
        code="N101",
        name="nondeterministic-op",
        summary="Op whose result may differ between runs or implementations",
        why="The random numbers of stablehlo.rng and of the algorithm DEFAULT are implementation-defined. "
        "In a scatter of floats without unique_indices, the order of updates to the same element is "
        "undefined, and varies on parallel hardware. Off by default: gradients of lookups and of pooling "
        "contain many of these.",
        remedy="Use rng_bit_generator with THREE_FRY or PHILOX; set unique_indices = true where it holds; "
        "or sort the indices and reduce segments.",
        bad="""func.func @main(%a: tensor<f32>, %b: tensor<f32>, %shape: tensor<1xi64>) -> tensor<4xf32> {
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        good="""func.func @main(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>) {
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return %next, %bits : tensor<2xui64>, tensor<4xui32>
}""",
        check=_nondeterministic,
        default=False,
    ),
    Rule(
        code="N102",
        name="unguarded-division",
        summary="Division by a value that may be zero",
        why="For floats the result is infinite or NaN, which propagates; for integers it is "
        "implementation-defined. " + _LIMITS,
        remedy="Add a small positive number to a non-negative divisor, take its maximum with one, "
        "or select another divisor where it is zero.",
        bad="""func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.divide %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %epsilon = stablehlo.constant dense<1.0e-6> : tensor<4xf32>
  %0 = stablehlo.abs %y : tensor<4xf32>
  %1 = stablehlo.add %0, %epsilon : tensor<4xf32>
  %2 = stablehlo.divide %x, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}""",
        check=_divisions,
        default=False,
    ),
    Rule(
        code="N103",
        name="unguarded-log",
        summary="Logarithm of a value that may be zero or negative",
        why="The logarithm of zero is -inf, that of a negative number NaN, and both propagate. " + _LIMITS,
        remedy="Take the maximum with a small positive number first, use log_plus_one, or log_softmax "
        "instead of the logarithm of a softmax.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.log %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %least = stablehlo.constant dense<1.0e-30> : tensor<4xf32>
  %0 = stablehlo.maximum %x, %least : tensor<4xf32>
  %1 = stablehlo.log %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}""",
        check=partial(_positive_operands, name="log"),
        default=False,
    ),
    Rule(
        code="N104",
        name="unguarded-rsqrt",
        summary="Reciprocal square root of a value that may be zero or negative",
        why="The reciprocal square root of zero is infinite, that of a negative number NaN; normalization "
        "of a constant input has a variance of zero. " + _LIMITS,
        remedy="Add a small positive number to the operand, as layer normalization does to the variance.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  %1 = stablehlo.rsqrt %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %epsilon = stablehlo.constant dense<1.0e-6> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  %1 = stablehlo.add %0, %epsilon : tensor<4xf32>
  %2 = stablehlo.rsqrt %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}""",
        check=partial(_positive_operands, name="rsqrt"),
        default=False,
    ),
)
