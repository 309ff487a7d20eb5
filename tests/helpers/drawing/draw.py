"""Random programs of one op, from its definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.debug.generate.elements import ELEMENTS, Array, Mood, draw_values
from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
    UnitAttr,
)
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.op_builder import OpBuilder, add_function
from stablehlo_py.ir.types import (
    F32,
    F64,
    I1,
    I32,
    I64,
    ComplexType,
    FloatType,
    IntegerType,
    TensorType,
    Type,
)
from stablehlo_py.opset.classes import TypeClass
from stablehlo_py.opset.definition import Attr, OpDef, Operand
from stablehlo_py.opset.structures import ENUMS
from stablehlo_py.verifier.inference import infer_types
from stablehlo_py.verifier.inferred import InferredType
from tests.helpers.drawing.bodies import MAKERS, Maker, identities
from tests.helpers.drawing.shapes import hints
from tests.helpers.drawing.sizes import Hints, Rng, draw_shape
from tests.helpers.drawing.values import PREPARED

TRIES = 40
INDICES = (
    "start_indices",
    "scatter_indices",
    "index",
)  # XLA takes integers, and ends its process on two bits
INDEX_TYPES = (I32, I64, IntegerType(8), IntegerType(32, "u"))
WHOLE_TYPES = {"i64": I64, "i32": I32}
_fitting: dict[tuple[str, int], Maker] = {}  # which kind of region an op takes, once a draw was valid


@dataclass
class Case:
    """A module whose only function does one op, and the function's arguments."""

    op: str
    elements: tuple[str, ...]  # of the first operand, and of the result where that is free
    name: str
    free: bool  # whether the constraints leave the result's element type open
    module: Module
    arguments: tuple[Array, ...]


def draw_case(
    rng: Rng, definition: OpDef, element: Type, result: Type | None, mood: Mood, name: str
) -> Case | None:
    """A valid program, or None if none of many draws is valid.

    `result` is the element type of results whose element type the constraints leave open.
    """
    for _ in range(TRIES if result is None else TRIES // 4):
        drawing = _Drawing(rng, definition, element, result, mood, name)
        made = drawing.case()
        if made is not None and shlo.verify(made.module) == []:
            if element is not I1:  # of booleans, a fold is a comparator too
                _fitting.update({(definition.name, i): maker for i, maker in enumerate(drawing.makers)})
            return made
    return None


@cache
def elements_of(definition: OpDef) -> tuple[Type, ...]:
    """The element types that the first operand may have, or the result of an op without operands."""
    first = (*definition.operands, *definition.outputs)[0]
    return tuple(e for e in ELEMENTS if rank_of(first.type, e) is not None)


@cache
def rank_of(of: TypeClass, element: Type) -> int | None:
    """The rank that a class of types fixes, -1 where it fixes none; None if the element type is not in it."""
    fits = [n for n in (0, 1, 2, 3) if of.contains(TensorType((2,) * n, element))]
    return None if not fits else fits[0] if len(fits) == 1 else -1


class _Drawing:
    """One draw. `common` is the shape of every operand that nothing else is said of."""

    def __init__(
        self, rng: Rng, definition: OpDef, element: Type, result: Type | None, mood: Mood, name: str
    ) -> None:
        self.rng, self.definition, self.mood, self.name = rng, definition, mood, name
        self.element, self.result = element, result
        self.hints: Hints = hints(rng, definition)
        common = self.hints.get("")
        self.common: tuple[int, ...] = draw_shape(rng) if common is None else common
        self.makers: list[Maker] = []
        self.free = False

    def case(self) -> Case | None:
        groups = [list(self.types(operand)) for operand in self.definition.operands]
        types = [type for group in groups for type, _ in group]
        count = len(groups[0]) if groups and self.definition.operands[0].variadic else 1
        regions = [self.region(count, i) for i in range(len(self.definition.bodies))]
        properties = self.properties()
        values = [Value(type) for type in types]
        inference = infer_types(self.definition.name, values, properties, regions)
        if inference.diagnostics:
            return None
        results = self.results(inference.results, types)
        if any(r is None for r in results):
            return None
        given = [one for group in groups for one in group]
        of = [operand for operand, group in zip(self.definition.operands, groups, strict=True) for _ in group]
        arrays = [self.values(operand, type) for operand, (type, _) in zip(of, given, strict=True)]
        initial = [i for i, operand in enumerate(of) if operand.name in ("init_value", "init_values")]
        unchanged = identities(regions[-1], [arrays[i] for i in initial]) if initial else []
        if unchanged is None:
            return None
        for i, value in zip(initial, unchanged, strict=True):
            arrays[i] = value
        prepare = PREPARED.get(self.definition.name)
        if prepare:
            made = prepare(self.rng, self.hints, arrays)
            arrays = [new.astype(old.dtype) for old, new in zip(arrays, made, strict=True)]
        return self.build(given, arrays, [r for r in results if r], properties, regions)

    def types(self, operand: Operand) -> Iterator[tuple[TensorType, Array | None]]:
        """The types of an operand's values, each with the array of one that is to be a constant."""
        element = INDEX_TYPES[int(self.rng.integers(0, 4))] if operand.name in INDICES else self.element
        rank = rank_of(operand.type, element)
        if rank is None:
            others = [e for e in (I64, I32, I1, F32) if rank_of(operand.type, e) is not None]
            element = others[0] if others[0] == I1 else others[int(self.rng.integers(0, len(others)))]
            rank = rank_of(operand.type, element)
        plain = () if rank == 0 else self.common[:1] or (2,) if rank == 1 else self.common
        said = self.hints.get(operand.name, plain)
        if operand.optional and self.rng.random() < 0.5:
            return
        shapes = (
            said
            if isinstance(said, list)
            else [said] * (int(self.rng.integers(1, 3)) if operand.variadic else 1)
        )
        for shape in shapes:
            if isinstance(shape, np.ndarray):
                yield TensorType(shape.shape, I64), shape
            else:
                yield TensorType(tuple(shape), element), None

    def values(self, operand: Operand, type: TensorType) -> Array:
        shape: Any = type.shape
        first = self.definition.operands[0]
        if (
            operand is not first
            and rank_of(operand.type, F32) is None
            and rank_of(first.type, F32) is not None
        ):
            mood: Mood = "any" if type.element_type == I1 else "whole"  # positions and counts
            return draw_values(self.rng, type.element_type, shape, mood)
        return draw_values(self.rng, type.element_type, shape, self.mood)

    def region(self, count: int, position: int) -> Region:
        make = _fitting.get((self.definition.name, position), MAKERS[int(self.rng.integers(0, len(MAKERS)))])
        self.makers.append(make)
        return make(self.rng, [self.element] * count)

    def results(self, inferred: Sequence[InferredType], types: Sequence[TensorType]) -> list[Type | None]:
        """The results' types: inferred, with what is left open from the hints and from `self.result`."""
        if not inferred and self.definition.outputs:
            inferred = [InferredType(output.name) for output in self.definition.outputs]
        outputs = self.definition.outputs
        classes = [output.type for output in outputs] + [outputs[-1].type] * (len(inferred) - len(outputs))
        return [self.completed(*one, types) for one in zip(inferred, classes, strict=True)]

    def completed(self, inferred: InferredType, of: TypeClass, types: Sequence[TensorType]) -> Type | None:
        if isinstance(inferred.type, TensorType) and inferred.type.is_static:
            return inferred.type
        shape = self.hints.get("result", inferred.shape)
        if shape is None and types:
            shape = () if rank_of(of, I32) == 0 else types[0].shape
        if shape is None or None in shape:
            return None
        self.free |= inferred.element_type is None and bool(types)
        element = inferred.element_type or self.result or self.element
        if rank_of(of, element) is None:
            allowed = [e for e in ELEMENTS if rank_of(of, e) is not None]
            element = allowed[int(self.rng.integers(0, len(allowed)))]
        return TensorType(tuple(shape), element)

    def properties(self) -> dict[str, Attribute]:
        found: dict[str, Attribute] = {}
        fields: dict[str, dict[str, Any]] = {}
        for attr in self.definition.attrs:
            value = self.plain(attr)
            if value is None:
                continue
            if attr.field:
                fields.setdefault(attr.property, {})[attr.field] = value
            else:
                found[attr.property] = self.attribute(attr.kind_name, value)
        kinds = self.definition.property_kinds
        for name, values in fields.items():
            struct = kinds[name].struct
            assert struct is not None
            found[name] = StructAttr(
                struct.name, tuple((f.name, values.get(f.name, f.default)) for f in struct.fields)
            )
        return found

    def plain(self, attr: Attr) -> Any:
        """An attribute's value as plain Python, None to leave it out."""
        if attr.name in self.hints:
            return self.hints[attr.name]
        if attr.optional and (attr.field or self.rng.random() < 0.5):
            return None
        rank = len(self.common)
        match attr.kind_name.split():
            case ["bool" | "unit"]:
                return bool(self.rng.integers(0, 2))
            case ["i32" | "i64", *bound]:
                return int(self.rng.integers(1 if ">" in bound else 0, max(rank, 2) + 1))
            case ["f32" | "f64"]:
                return 0.125
            case ["enum", "stablehlo.comparison_type" | "chlo.comparison_type"]:
                return self.comparison_type()
            case ["enum", name]:
                return str(self.rng.choice(ENUMS[name].values))
            case ["array<i64>"]:
                return tuple(self.rng.integers(0, 3, rank).tolist())
            case ["array<bool>"]:
                return tuple(self.rng.integers(0, 2, rank).astype(bool).tolist())
            case ["array", "of", *rest] if rest[0] == "enum":
                return (str(self.rng.choice(ENUMS[rest[1]].values)),) * 2
            case ["typed"]:
                return draw_values(self.rng, self.element, (), self.mood)
            case ["elements"]:
                return draw_values(self.rng, self.element, self.common, self.mood)
        return None

    def comparison_type(self) -> str:
        if isinstance(self.element, FloatType):
            return str(self.rng.choice(["FLOAT", "TOTALORDER"]))
        if isinstance(self.element, ComplexType):
            return "FLOAT"
        signed = isinstance(self.element, IntegerType) and self.element.signedness == ""
        return "SIGNED" if signed and self.element is not I1 else "UNSIGNED"

    def attribute(self, kind: str, value: Any) -> Attribute:
        """The attribute of a kind that holds a plain value."""
        word, _, rest = kind.partition(" ")
        match word:
            case "bool":
                return BoolAttr(value)
            case "unit":
                return UnitAttr()
            case "i32" | "i64":
                return IntegerAttr(value, WHOLE_TYPES[word])
            case "f32" | "f64":
                return FloatAttr(value, F32 if word == "f32" else F64)
            case "typed" if isinstance(self.element, FloatType):
                return FloatAttr(float(value), self.element)
            case "typed" if isinstance(self.element, IntegerType):
                return IntegerAttr(int(value), self.element)
            case "string":
                return StringAttr(value)
            case "enum":
                return EnumAttr(rest, value)
            case "array<i64>" | "array<bool>":
                return DenseArrayAttr(I64 if word == "array<i64>" else I1, value)
            case "array":
                return ArrayAttr(tuple(self.attribute(rest.removeprefix("of "), one) for one in value))
        element = I64 if rest == "i64" else self.element
        return DenseElementsAttr(TensorType(value.shape, element), value.reshape(-1))

    def build(
        self,
        given: list[tuple[TensorType, Array | None]],
        arrays: list[Array],
        results: list[Type],
        properties: dict[str, Attribute],
        regions: list[Region],
    ) -> Case:
        module = Module()
        inputs = [type for type, constant in given if constant is None]
        block: Block = add_function(module, self.name, inputs, results, "private")
        builder, arguments = OpBuilder(block), iter(block.arguments)
        operands = [
            next(arguments) if constant is None else builder.constant(constant, type)
            for type, constant in given
        ]
        op: Operation = builder.create(self.definition.name, operands, results, properties, regions)
        builder.create("func.return", op.results)
        kept = [array for array, (_, constant) in zip(arrays, given, strict=True) if constant is None]
        first = (*given, (results[0], None))[0][0]
        elements = [str(t.element_type) for t in (first, results[0]) if isinstance(t, TensorType)]
        return Case(self.definition.name, tuple(elements), self.name, self.free, module, tuple(kept))
