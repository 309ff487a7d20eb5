"""Family T: element types that are wider or narrower than necessary."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from stablehlo_py.ir.attributes import DenseArrayAttr
from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.element_types import FLOATS, bit_width
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, TensorType, Type
from stablehlo_py.linter.context import LintContext, in_all
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.opset.definition import has_trait, lookup


def element(type: Type) -> Type | None:
    """Return the element type of a tensor, or its component type if complex; None for other types."""
    found = type.element_type if isinstance(type, TensorType) else None
    return found.element_type if isinstance(found, ComplexType) else found


def _is_wide_float(type: Type) -> bool:
    found = element(type)
    return isinstance(found, FloatType) and found.name == "f64"


def _is_wide_integer(type: Type) -> bool:
    found = element(type)
    return isinstance(found, IntegerType) and found.width == 64


def _interface(context: LintContext) -> list[Type]:
    """Return the types of the arguments and results of visible functions."""
    found: list[Type] = []
    for function in context.entries:
        block = function.entry_block
        found += [argument.type for argument in block.arguments]
        last = function.regions[0].blocks[-1].terminator
        found += [value.type for value in last.operands] if last is not None else []
    return found


def _computing(context: LintContext, is_wide: Callable[[Type], bool]) -> Iterator[Operation]:
    """Yield the ops that compute in a wide type."""
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
        message = f"{found[0].name} computes in f64, but all arguments and results are narrower floats"
        yield Finding(found[0], message + in_all(found))


def _wide_integers(context: LintContext, settings: Settings) -> Iterator[Finding]:
    if not any(map(_is_wide_integer, _interface(context))):
        found = list(_computing(context, _is_wide_integer))
        if found:
            message = f"{found[0].name} computes in 64-bit integers, but no argument or result is one"
            yield Finding(found[0], message + in_all(found))


def _lossy_converts(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for op in context.having("conversion"):
        inner = _convert_before(op.operands[0])
        if inner is None:
            continue
        chain = [element(inner.operands[0].type), element(inner.results[0].type), element(op.results[0].type)]
        if _loses(*chain):
            first, middle, last = chain
            path = f"is converted from {first} through {middle} to {last}"
            error = f": introduced error up to {_rounding(middle)}" if isinstance(middle, FloatType) else ""
            message = f"{op.results[0]} {path}, with the precision of {middle}{error}"
            yield Finding(
                op,
                message,
                ("use stablehlo.reduce_precision if the rounding is intended",) * _is_float(first),
            )


def _convert_before(value: Value) -> Operation | None:
    """Return the convert that defines a value, looking through data movement."""
    while isinstance(value, OpResult):
        if has_trait(value.op.name, "conversion"):
            return value.op
        if not has_trait(value.op.name, "moves_data") or not value.op.operands:
            return None
        value = value.op.operands[0]
    return None


def _loses(first: Type | None, middle: Type | None, last: Type | None) -> bool:
    """Test whether the middle type is less precise than both others, which are of the same kind."""
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
        adding = [inner for inner in op.entry_block.ops if _operator(inner) in ("+", "*")]
        narrow = next((t for t in map(_narrow_result, adding) if t is not None), None)
        count = _reduced_elements(op)
        if narrow is not None and (count is None or count >= settings.min_reduction_elements):
            size = "an unknown number of" if count is None else count
            kind = "adds" if _operator(adding[0]) == "+" else "multiplies"
            found = f"{op.name} {kind} {size} elements in {narrow}"
            yield Finding(op, found if count is None else f"{found}: {_accumulated(count, narrow, kind)}")


def _rounding(type: FloatType) -> str:
    """Return the largest error that a rounding introduces, relative to the result (see `ShadowRow`)."""
    bits = FLOATS[type.name].significand
    return f"2^-{bits} = {2.0**-bits:.2g}"


def _accumulated(count: int, type: FloatType, kind: str) -> str:
    """Return the largest error that a sum or product introduces, whose partial results are rounded."""
    bits = FLOATS[type.name].significand
    bound = f"{count - 1} * 2^-{bits} = {(count - 1) * 2.0**-bits:.2g}"
    of = "the sum of the magnitudes" if kind == "adds" else "the result"
    return f"introduced error up to {bound} of {of}"


def _operator(op: Operation) -> str:
    definition = lookup(op.name)
    return definition.operator if definition is not None else ""


def _narrow_result(op: Operation) -> FloatType | None:
    found = element(op.results[0].type) if op.results else None
    return found if isinstance(found, FloatType) and bit_width(found) <= 16 else None


def _reduced_elements(op: Operation) -> int | None:
    """Return the number of elements that are reduced to each result, or None if unknown."""
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
        summary="f64 computation in a program with narrower floats at its interface",
        why="f64 is much slower than f32 on most accelerators, and unsupported on some. If no argument or "
        "result is f64, it usually originates from a Python scalar or a constant.",
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
        summary="64-bit integer computation in a program without 64-bit integers at its interface",
        why="Accelerators emulate 64-bit integers. Off by default: many exporters use i64 indices "
        "throughout, and compilers narrow them where possible.",
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
        summary="Conversion to a narrower type and back",
        why="The result has the width of the wide type, but the precision of the narrow one. Compilers may "
        "remove the pair of conversions, and with it the rounding. `shlo run --shadow f64` measures the "
        "error that it introduces, and its contribution to the results.",
        remedy="Remove both conversions, or make the rounding explicit: stablehlo.reduce_precision is "
        "never removed.",
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
        summary="Sum or product of many elements in bf16, f16 or narrower",
        why="With a significand of 8 bits a running sum of ones stops at 256: each further term is rounded "
        "away. The error depends on the order, which the specification leaves undefined. Minima and maxima "
        "are exact and not reported, nor are dot_general and convolution, which hardware accumulates in f32. "
        "`shlo run --shadow f64` measures the error that it introduces, and its contribution to the results.",
        remedy="Convert to f32 before the reduction, and back after it, as `shlo opt -p 'narrow=type=bf16 "
        "keep=accumulations'` makes it of a program in f32. Reductions of fewer elements than "
        "min-reduction-elements are ignored.",
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
