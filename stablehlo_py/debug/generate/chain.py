"""Random chains of elementwise ops, from their definitions, with exact results."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from stablehlo_py.ir.attributes import Attribute, EnumAttr
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.ir.types import (
    F32,
    F64,
    I1,
    I32,
    ComplexType,
    FloatType,
    IntegerType,
    QuantizedType,
    TensorType,
    Type,
)
from stablehlo_py.opset.definition import OpDef, all_definitions
from stablehlo_py.verifier.inference import infer_types

LARGEST = 64.0  # of floats: sums of two are exact in bf16, and a rounded product is clamped
INTEGERS: tuple[Type, ...] = tuple(
    [IntegerType(bits, sign) for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
FLOATS: tuple[Type, ...] = (FloatType("bf16"), FloatType("f16"), F32, F64)
EXACT_ON_FLOATS = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs", "add", "ceil", "clamp", "compare", "convert", "floor", "is_finite", "maximum", "minimum",
        "multiply", "negate", "round_nearest_afz", "round_nearest_even", "select", "sign", "subtract",
    )
)  # fmt: skip
EXACT_ON_COMPLEX = frozenset(
    f"stablehlo.{name}" for name in ("add", "compare", "convert", "multiply", "negate", "select", "subtract")
)
GROWING = frozenset({"stablehlo.add", "stablehlo.subtract", "stablehlo.multiply"})
DIVIDING = frozenset({"stablehlo.divide", "stablehlo.remainder"})
INEXACT = frozenset({"stablehlo.power"})  # XLA reads six bits of an exponent
_EXACT: dict[type[Type], frozenset[str]] = {FloatType: EXACT_ON_FLOATS, ComplexType: EXACT_ON_COMPLEX}
_EXACT_OF: dict[type[Type], frozenset[str]] = {**_EXACT, QuantizedType: EXACT_ON_FLOATS - {"stablehlo.clamp"}}
QUANTIZE, DEQUANTIZE = "stablehlo.uniform_quantize", "stablehlo.uniform_dequantize"
Shape = tuple[int, ...]
DEFINITIONS = tuple(
    d
    for d in all_definitions()
    if d.name.startswith("stablehlo.") and "elementwise" in d.traits and d.name not in INEXACT
    if d.name in EXACT_ON_FLOATS or d.operands[-1].type.contains(TensorType((2,), I32))
)


def element_of(value: Value) -> Type:
    """Return the element type of a value."""
    assert isinstance(value.type, TensorType)
    return value.type.element_type


def bounds(element: Type) -> tuple[float, float]:
    """Return the range of a type of real numbers, or the part of it in which results are exact."""
    if isinstance(element, IntegerType):
        low = 0 if element.signedness == "u" else -(1 << element.width - 1)
        return max(low, -LARGEST), min(low + (1 << element.width) - 1, LARGEST)
    info: Any = ml_dtypes.finfo(numpy_dtype(element))  # type: ignore[no-untyped-call,unused-ignore]
    most = min(float(info.max), LARGEST)
    return -most, most


class Chain:
    """Puts ops at the end of a block.

    `known` are the values at hand, to which results are added; `elements` the element types of results;
    `only` the names of the ops that may be used, besides constants, or None for all; `sizes` the shapes that
    values of dynamic shape have when the program runs.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        builder: OpBuilder,
        known: Sequence[Value],
        elements: Sequence[Type],
        only: Collection[str] | None = None,
        sizes: dict[Value, Shape] | None = None,
    ) -> None:
        self.rng, self.builder, self.known, self.elements = rng, builder, list(known), elements
        self.only = only
        self.sizes = {} if sizes is None else sizes

    def shape_of(self, value: Value) -> Shape:
        """Return the shape that a value has when the program runs."""
        assert isinstance(value.type, TensorType)
        return self.sizes.get(value, value.type.shape)  # type: ignore[arg-type]

    def sized(self, value: Value, shape: Shape) -> Value:
        """Return a value, of which the shape is known if its type does not state it."""
        assert isinstance(value.type, TensorType)
        if not value.type.is_static:
            self.sizes[value] = shape
        return value

    def allows(self, *names: str) -> bool:
        """Return whether ops of these names may be used."""
        return self.only is None or all(name in self.only for name in names)

    def grow(self, count: int) -> None:
        """Append a number of steps."""
        for _ in range(count):
            self.step()

    def step(self) -> None:
        """Append an op on known values."""
        base = self.chosen(self.known)
        fitting = [d for d in DEFINITIONS if self.fits(d, base)]
        if not fitting:
            return
        definition = fitting[int(self.rng.integers(0, len(fitting)))]
        self.known.append(self.apply(definition, base))

    def chosen(self, values: Sequence[Value]) -> Value:
        """Draw one of some values."""
        return values[int(self.rng.integers(0, len(values)))]

    def fits(self, definition: OpDef, base: Value) -> bool:
        """Return whether an op of a definition takes a value."""
        if not self.allows(definition.name):
            return False
        if definition.name in DIVIDING and not self.allows("stablehlo.and", "stablehlo.or"):
            return False
        if definition.name in (QUANTIZE, DEQUANTIZE):
            return False  # as conversions
        exact = definition.name in _EXACT_OF.get(type(element_of(base)), (definition.name,))
        of = definition.operands[-1 if definition.name == "stablehlo.select" else 0].type
        unordered = element_of(base) == I1 and definition.name == "stablehlo.clamp"  # XLA: unimplemented
        return exact and not unordered and of.contains(base.type)

    def apply(self, definition: OpDef, base: Value) -> Value:
        """Append an op of a definition to a value, and return its result."""
        assert isinstance(base.type, TensorType)
        kind = base.type
        flags = TensorType(kind.shape, I1)
        operands = [
            self.fetch(
                kind if operand.type.contains(kind) and operand.name != "pred" else flags, self.shape_of(base)
            )
            for operand in definition.operands
        ]
        operands[-1] = base
        if definition.name in DIVIDING:
            operands[-1] = self.divisor(base)
        properties: dict[str, Attribute] = {}
        if definition.name == "stablehlo.compare":
            unordered = isinstance(kind.element_type, ComplexType)
            direction = str(self.rng.choice(["EQ", "NE", *([] if unordered else ["GE", "GT", "LE", "LT"])]))
            properties["comparison_direction"] = EnumAttr("stablehlo.comparison_direction", direction)
        if definition.name == "stablehlo.convert":
            return self.converted(base, self.elements[int(self.rng.integers(0, len(self.elements)))])
        (inferred,) = infer_types(definition.name, operands, properties).results
        result = TensorType(kind.shape, inferred.element_type or kind.element_type)
        made = self.builder.create(definition.name, operands, [result], properties).result
        self.sized(made, self.shape_of(base))
        growing = type(kind.element_type) in _EXACT and definition.name in GROWING
        return self.clamped(made) if growing else made

    def divisor(self, value: Value) -> Value:
        """An integer's low bits, never 0 or -1: XLA's process ends when it folds a division by these."""
        shape = self.shape_of(value)
        for name, bits in (("and", 6), ("or", 1)):
            operands = [value, self.builder.constant(bits, TensorType(shape, element_of(value)))]
            made = self.builder.create(f"stablehlo.{name}", operands, [value.type]).result
            value = self.sized(made, shape)
        return value

    def converted(self, value: Value, element: Type) -> Value:
        """Convert a value to another element type; it is clamped for floats, for an exact conversion."""
        source = element_of(value)
        if isinstance(source, QuantizedType):
            return self.converted(self.clamped(self._as(DEQUANTIZE, value, source.expressed_type)), element)
        if isinstance(element, QuantizedType):
            return self._as(QUANTIZE, self.converted(value, element.expressed_type), element)
        if type(element) in _EXACT and source != I1:
            value = self.clamped(value)
        return self._as("stablehlo.convert", value, element)

    def _as(self, name: str, value: Value, element: Type) -> Value:
        """Append an op that converts elements."""
        assert isinstance(value.type, TensorType)
        made = self.builder.create(name, [value], [TensorType(value.type.shape, element)]).result
        return self.sized(made, self.shape_of(value))

    def clamped(self, value: Value) -> Value:
        """Return a number, clamped to the range in which results are exact; a complex one by its parts."""
        assert isinstance(value.type, TensorType)
        element = element_of(value)
        if isinstance(element, ComplexType):
            return self._clamped_parts(value, element)
        if not self.allows("stablehlo.clamp"):
            return value
        scalar, (least, most) = TensorType((), element), bounds(element)
        low, high = self.builder.constant(least, scalar), self.builder.constant(most, scalar)
        made = self.builder.create("stablehlo.clamp", [low, value, high], [value.type]).result
        return self.sized(made, self.shape_of(value))

    def _clamped_parts(self, value: Value, element: ComplexType) -> Value:
        if not self.allows("stablehlo.clamp", "stablehlo.complex", "stablehlo.real", "stablehlo.imag"):
            return value
        shape = self.shape_of(value)
        parts = []
        for name in ("real", "imag"):
            kind = TensorType(shape, element.element_type)
            part = self.builder.create(f"stablehlo.{name}", [value], [kind]).result
            parts.append(self.clamped(self.sized(part, shape)))
        made = self.builder.create("stablehlo.complex", parts, [value.type]).result
        return self.sized(made, shape)

    def fetch(self, wanted: Type, shape: Shape | None = None) -> Value:
        """A value of a type: a known one, or a constant where there is none, and sometimes where there is.

        `shape` is the one at run time; a constant states it, where the type does not.
        """
        assert isinstance(wanted, TensorType)
        fitting = [value for value in self.known if shape is None or self.shape_of(value) == shape]
        found = [value for value in fitting if value.type == wanted]
        if found and self.rng.random() < 0.9:
            return found[int(self.rng.integers(0, len(found)))]
        like = [value for value in fitting if getattr(value.type, "shape", None) == wanted.shape]
        if like and self.allows("stablehlo.convert") and self.rng.random() < 0.7:
            return self.converted(like[int(self.rng.integers(0, len(like)))], wanted.element_type)
        return self.constant(TensorType(wanted.shape if shape is None else shape, wanted.element_type))

    def constant(self, type: TensorType) -> Value:
        """A constant of a type, a small number."""
        number, element = int(self.rng.integers(0, 5)), type.element_type
        if isinstance(element, QuantizedType):
            stated = TensorType(type.shape, element.expressed_type)
            return self.converted(self.builder.constant(number, stated), element)
        return self.builder.constant(number, type)
