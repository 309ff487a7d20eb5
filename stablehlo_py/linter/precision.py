"""Family T: element types that are wider or narrower than the program needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from stablehlo_py.ir.attributes import DenseArrayAttr
from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, TensorType, Type
from stablehlo_py.linter.context import LintContext, in_all
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.opset.definition import has_trait, lookup


def element(type: Type) -> Type | None:
    """The element type of a tensor, its parts' where it is complex; None for anything else."""
    found = type.element_type if isinstance(type, TensorType) else None
    return found.element_type if isinstance(found, ComplexType) else found


def _is_wide_float(type: Type) -> bool:
    found = element(type)
    return isinstance(found, FloatType) and found.name == "f64"


def _is_wide_integer(type: Type) -> bool:
    found = element(type)
    return isinstance(found, IntegerType) and found.width == 64


def _interface(context: LintContext) -> list[Type]:
    """The types that callers see: arguments and results of the functions that are not private."""
    found: list[Type] = []
    for function in context.entries:
        block = function.regions[0].blocks[0]
        found += [argument.type for argument in block.arguments]
        last = function.regions[0].blocks[-1].terminator
        found += [value.type for value in last.operands] if last is not None else []
    return found


def _computing(context: LintContext, is_wide: Callable[[Type], bool]) -> Iterator[Operation]:
    """The ops that compute in a wide type."""
    for op in context.ops:
        definition = lookup(op.name)
        computes = definition is not None and definition.computes and "pure" in definition.traits
        if not computes or has_trait(op.name, "conversion"):
            continue
        if any(is_wide(result.type) for result in op.results):
            yield op


def _wide_floats(context: LintContext, settings: Settings) -> Iterator[Finding]:
    interface = _interface(context)
    if any(map(_is_wide_float, interface)) or not any(isinstance(element(t), FloatType) for t in interface):
        return
    found = list(_computing(context, _is_wide_float))
    if found:
        message = f"{found[0].name} computes in f64, in a program that takes and gives narrower floats"
        yield Finding(found[0], message + in_all(found))


def _wide_integers(context: LintContext, settings: Settings) -> Iterator[Finding]:
    if not any(map(_is_wide_integer, _interface(context))):
        found = list(_computing(context, _is_wide_integer))
        if found:
            message = (
                f"{found[0].name} computes in 64-bit integers, in a program that neither takes nor gives any"
            )
            yield Finding(found[0], message + in_all(found))


def _lossy_converts(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for op in context.having("conversion"):
        inner = _convert_before(op.operands[0])
        if inner is None:
            continue
        chain = [element(inner.operands[0].type), element(inner.results[0].type), element(op.results[0].type)]
        if _loses(*chain):
            first, middle, last = chain
            path = f"goes from {first} through {middle} to {last}"
            message = f"{op.results[0]} {path}, and keeps what {middle} holds"
            yield Finding(
                op,
                message,
                ("use stablehlo.reduce_precision where the rounding is meant",) * _is_float(first),
            )


def _convert_before(value: Value) -> Operation | None:
    """The convert that a value comes from, before it was moved."""
    while isinstance(value, OpResult):
        if has_trait(value.op.name, "conversion"):
            return value.op
        if not has_trait(value.op.name, "moves_data") or not value.op.operands:
            return None
        value = value.op.operands[0]
    return None


def _loses(first: Type | None, middle: Type | None, last: Type | None) -> bool:
    """Whether the middle type holds less than both ends, which are of one kind."""
    if not all(map(_is_float, (first, middle, last))) and not all(map(_is_integer, (first, middle, last))):
        return False
    assert first is not None
    assert middle is not None
    assert last is not None
    return bit_width(middle) < min(bit_width(first), bit_width(last))


def _is_float(type: Type | None) -> bool:
    return isinstance(type, FloatType)


def _is_integer(type: Type | None) -> bool:
    return isinstance(type, IntegerType) and type.width > 1


def _narrow_reductions(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for op in context.having("accumulation"):
        if not op.regions or not op.regions[0].blocks:
            continue
        adding = [inner for inner in op.regions[0].blocks[0].ops if _operator(inner) in ("+", "*")]
        narrow = next((t for t in map(_narrow_result, adding) if t is not None), None)
        count = _reduced_elements(op)
        if narrow is not None and (count is None or count >= settings.min_reduction_elements):
            size = "an unknown number of" if count is None else count
            kind = "adds" if _operator(adding[0]) == "+" else "multiplies"
            yield Finding(op, f"{op.name} {kind} {size} elements in {narrow}")


def _operator(op: Operation) -> str:
    definition = lookup(op.name)
    return definition.operator if definition is not None else ""


def _narrow_result(op: Operation) -> FloatType | None:
    found = element(op.results[0].type) if op.results else None
    return found if isinstance(found, FloatType) and bit_width(found) <= 16 else None


def _reduced_elements(op: Operation) -> int | None:
    """How many elements go into each of the results; None where that is not known."""
    shape = op.operands[0].type.shape if op.operands and isinstance(op.operands[0].type, TensorType) else ()
    window = op.attribute("window_dimensions")
    if isinstance(window, DenseArrayAttr):
        return math.prod(map(int, window.value))
    reduced = op.attribute("dimensions")
    if not isinstance(reduced, DenseArrayAttr):
        return None
    sizes = [shape[axis] if 0 <= axis < len(shape) else None for axis in reduced.value]
    known = [size for size in sizes if size is not None]
    return math.prod(known) if len(known) == len(sizes) else None


RULES = (
    Rule(
        code="T101",
        name="wide-float",
        summary="f64 compute in a program of narrower floats",
        why="f64 runs at a fraction of the speed of f32 on most accelerators, and not at all on some. Where "
        "nothing that goes in or comes out is f64, a Python scalar or a stray constant usually brought it "
        "in.",
        remedy="Convert to f32 before computing; in JAX, look for jax_enable_x64 and for float64 NumPy "
        "constants.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = stablehlo.tanh %0 : tensor<4xf64>
  %2 = stablehlo.convert %1 : (tensor<4xf64>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        check=_wide_floats,
    ),
    Rule(
        code="T102",
        name="wide-integer",
        summary="64-bit integer compute in a program without 64-bit integers at its interface",
        why="Accelerators emulate 64-bit integers. Off by default: many exporters index with i64 "
        "throughout, and compilers narrow it where they can.",
        remedy="Compute indices in i32.",
        bad="""func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.convert %x : (tensor<4xi32>) -> tensor<4xi64>
  %1 = stablehlo.add %0, %0 : tensor<4xi64>
  %2 = stablehlo.convert %1 : (tensor<4xi64>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}""",
        good="""func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.add %x, %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}""",
        check=_wide_integers,
        default=False,
    ),
    Rule(
        code="T103",
        name="lossy-convert",
        summary="A conversion to a narrower type and back",
        why="The result has the width of the wide type and the contents of the narrow one. Compilers may "
        "also fold the pair away, so that the rounding is there or not, as they please.",
        remedy="Drop both conversions, or say that the rounding is meant: stablehlo.reduce_precision is "
        "never folded away.",
        bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = stablehlo.convert %0 : (tensor<4xbf16>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}""",
        good="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce_precision %x, format = e8m7 : tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
        check=_lossy_converts,
    ),
    Rule(
        code="T104",
        name="narrow-reduction",
        summary="A sum or product of many elements in bf16, f16 or narrower",
        why="With 8 bits of mantissa a running sum of ones stops at 256: each further term is rounded away. "
        "How much is lost depends on the order, which the specification leaves open. Extrema are exact, and "
        "not meant; neither are dot_general and convolution, which hardware accumulates in f32.",
        remedy="Convert to f32 before the reduction, and back after it. Reductions of fewer elements than "
        "min-reduction-elements are left alone.",
        bad="""func.func @main(%x: tensor<1024xbf16>, %zero: tensor<bf16>) -> tensor<bf16> {
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<1024xbf16>, tensor<bf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}""",
        good="""func.func @main(%x: tensor<1024xbf16>, %zero: tensor<f32>) -> tensor<bf16> {
  %0 = stablehlo.convert %x : (tensor<1024xbf16>) -> tensor<1024xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.convert %1 : (tensor<f32>) -> tensor<bf16>
  return %2 : tensor<bf16>
}""",
        check=_narrow_reductions,
        options=("min-reduction-elements",),
    ),
)
