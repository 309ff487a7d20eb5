"""Programs on special values: signed zeros, denormals, NaN of both signs, infinities, ends of the range.

Every op that computes with floats is in them: elementwise ops by their definitions, the others by `REGIONS`.
An op is applied to all pairs (and triples) of the values, complex numbers to those of both parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import ComplexType, FloatType, TensorType, Type
from stablehlo_py.kernels.numeric.numerics import bits, dtype_kind, has_nan_payloads
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.verifier.inference import infer_types

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Case:
    """One op on arrays of special values, as a function of its own.

    Attributes:
        op: The op's name, with its dialect.
        element: The element type of its operands.
        variant: What else distinguishes the case, such as the direction of a comparison.
        line: The op's text, with operands %0, %1, ...
        inputs: The types of the operands.
        results: The types of the results.
        arguments: The operands.
    """

    op: str
    element: str
    variant: str
    line: str
    inputs: tuple[str, ...]
    results: tuple[str, ...]
    arguments: tuple[Array, ...]

    def described(self, number: int, kind: str, place: int, count: int, ours: Array, theirs: Array) -> str:
        """A line on one of the places where results differ."""
        given = (
            [str(x[place]) for x in self.arguments]
            if {x.shape for x in self.arguments} == {ours.shape}
            else []
        )
        return (
            f"{self.op} {self.element} {self.variant} #{number}: {kind} in {count} places, at {place} "
            f"of ({', '.join(given)}): {ours.reshape(-1)[place]} and {theirs.reshape(-1)[place]}"
        )

    def function(self, name: str) -> str:
        """The text of a private function of a name."""
        arguments = ", ".join(f"%{i}: {type}" for i, type in enumerate(self.inputs))
        values = ", ".join(f"%r#{i}" for i in range(len(self.results)))
        return (
            f"func.func private @{name}({arguments}) -> ({', '.join(self.results)}) {{\n"
            f"%r:{len(self.results)} = {self.line}\n"
            f'"func.return"({values}) : ({", ".join(self.results)}) -> ()\n}}'
        )


# Values


@cache
def special_values(dtype: np.dtype[Any]) -> Array:
    """Zeros, denormals, ends of the range, infinities and NaN of both signs, and ordinary numbers."""
    info: Any = ml_dtypes.finfo(dtype)
    if dtype.name == "float8_e8m0fnu":  # it has neither zeros nor negative numbers
        return np.array([0.5, 1, 2, np.nan, float(info.smallest_normal), float(info.max)]).astype(dtype)
    tiny, largest = info.smallest_normal, info.max
    sizes = np.array([0, info.smallest_subnormal, tiny, 0.5, 1, 2.5, largest, np.inf], np.longdouble)
    with np.errstate(all="ignore"):
        signed = np.concatenate([sizes, -sizes]).astype(dtype)
    return np.concatenate([signed, _nans(dtype)])


def _nans(dtype: np.dtype[Any]) -> Array:
    """The NaN of both signs, and with a payload, where there are such."""
    if not has_nan_payloads(dtype):
        return np.array([np.nan]).astype(dtype)
    word = np.dtype(f"u{dtype.itemsize}")
    nan = int(np.array(np.inf, dtype).view(word)) | 1 << int(ml_dtypes.finfo(dtype).nmant) - 1
    last = 1 if int(ml_dtypes.finfo(dtype).nmant) > 1 else 0
    sign = 1 << bits(dtype) - 1
    return np.array([nan, nan | last, nan | sign, nan | sign | last], word).view(dtype)


@cache
def few_values(dtype: np.dtype[Any]) -> Array:
    """Fewer of them, for triples and for pairs of complex numbers."""
    with np.errstate(all="ignore"):
        return np.array(
            [0.0, -0.0, 1, -2, float(ml_dtypes.finfo(dtype).max), np.inf, -np.inf, np.nan]
        ).astype(dtype)


def grid(element: Type, operands: int) -> tuple[Array, ...]:
    """Every combination of special values, as an array for each operand."""
    if isinstance(element, ComplexType):
        part = numpy_dtype(element.element_type)
        values = _numbers((special_values if operands == 1 else few_values)(part), numpy_dtype(element))
    else:
        values = (special_values if operands < 3 else few_values)(numpy_dtype(element))
    at = np.indices([len(values)] * operands).reshape(operands, -1)
    return tuple(values[i] for i in at)


def _numbers(parts: Array, dtype: np.dtype[Any]) -> Array:
    """The complex numbers with all pairs of parts."""
    z = np.empty((len(parts), len(parts)), dtype)
    z.real, z.imag = parts[:, None], parts
    return z.reshape(-1)


# Elementwise ops, from their definitions

FLOATS = tuple(map(FloatType, (
    "f64", "f32", "f16", "bf16", "f8E5M2", "f8E4M3FN", "f8E3M4", "f8E4M3", "f8E4M3B11FNUZ", "f8E4M3FNUZ",
    "f8E5M2FNUZ", "f8E8M0FNU", "f6E3M2FN", "f6E2M3FN", "f4E2M1FN",
)))  # fmt: skip
ELEMENTS: tuple[Type, ...] = (*FLOATS, *[ComplexType(FloatType(part)) for part in ("f32", "f64")])
DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")
TARGETS = ("f64", "f32", "f16", "bf16", "f8E5M2", "f8E4M3FN", "f4E2M1FN", "i32", "ui8", "i1", "complex<f32>")


def _comparisons(element: Type) -> Iterator[tuple[str, str, str | None]]:
    directions = DIRECTIONS[:2] if isinstance(element, ComplexType) else DIRECTIONS
    for type in ("FLOAT",) if isinstance(element, ComplexType) else ("FLOAT", "TOTALORDER"):
        for direction in directions:
            text = (
                f"<{{comparison_direction = #stablehlo<comparison_direction {direction}>, "
                f"compare_type = #stablehlo<comparison_type {type}>}}>"
            )
            yield f"{type} {direction}", text, None


def _conversions(element: Type) -> Iterator[tuple[str, str, str | None]]:
    for target in TARGETS:
        yield f"to {target}", "", target


def _precisions(element: Type) -> Iterator[tuple[str, str, str | None]]:
    for exponent, mantissa in ((5, 10), (8, 7), (4, 3), (5, 0), (11, 52)):
        text = f"<{{exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32}}>"
        yield f"e{exponent}m{mantissa}", text, None


# What an op is applied with besides its operands: a label, its properties, the element type of its result.
VARIANTS = {
    "stablehlo.compare": _comparisons,
    "stablehlo.convert": _conversions,
    "stablehlo.reduce_precision": _precisions,
}


def elementwise(definition: OpDef, element: Type) -> Iterator[Case]:
    """The cases of an elementwise op on an element type; none where it is not defined."""
    count = len(definition.operands)
    given = grid(element, count)
    tensor = TensorType(given[0].shape, element)
    types = [tensor if each.type.contains(tensor) else None for each in definition.operands]
    if None in types:
        if definition.name != "stablehlo.select":
            return
        arguments = (*grid(element, 2),)
        tensor = TensorType(arguments[0].shape, element)
        given = (np.arange(len(arguments[0])) % 3 == 0, *arguments)
        types = [TensorType(tensor.shape, parse_type("i1")), tensor, tensor]
    for variant, properties, target in VARIANTS.get(definition.name, lambda _: [("", "", None)])(element):
        found = infer_types(definition.name, [t for t in types if t]).results if not properties else ()
        result = target or _result_element(definition, found, element)
        inputs = tuple(map(str, types))
        results = (f"tensor<{len(given[0])}x{result}>",)
        operands = ", ".join(f"%{i}" for i in range(count))
        line = f'"{definition.name}"({operands}) {properties} : ({", ".join(inputs)}) -> {results[0]}'
        yield Case(definition.name, str(element), variant, line, inputs, results, given)


def _result_element(definition: OpDef, found: Sequence[Any], element: Type) -> Type | str:
    if definition.name == "stablehlo.compare":
        return "i1"
    if found and isinstance(found[0].type, TensorType):
        return found[0].type.element_type
    return (found and found[0].element_type) or element


# Programs of many cases, and how results differ


def program(cases: Sequence[Case]) -> tuple[str, list[Array], list[tuple[Case, int]]]:
    """A module that calls all cases; its arguments, and the case and number of each result."""
    functions, lines, values, types, owners = [], [], [], [], []
    inputs: list[str] = []
    for number, case in enumerate(cases):
        first = len(inputs)
        inputs += case.inputs
        functions.append(case.function(f"f{number}"))
        given = ", ".join(f"%{first + i}" for i in range(len(case.inputs)))
        signature = f"({', '.join(case.inputs)}) -> ({', '.join(case.results)})"
        lines.append(
            f'%r{number}:{len(case.results)} = "func.call"({given}) {{callee = @f{number}}} : {signature}'
        )
        values += [f"%r{number}#{i}" for i in range(len(case.results))]
        types += case.results
        owners += [(case, i) for i in range(len(case.results))]
    signed = ", ".join(f"%{i}: {type}" for i, type in enumerate(inputs))
    main = f"func.func @main({signed}) -> ({', '.join(types)}) {{"
    last = f'"func.return"({", ".join(values)}) : ({", ".join(types)}) -> ()\n}}'
    text = "\n".join(["module {", *functions, main, *lines, last, "}"])
    return text, [array for case in cases for array in case.arguments], owners


def parts_of(array: Array) -> list[Array]:
    return [array.real, array.imag] if array.dtype.kind == "c" else [array]


def differences(ours: Array, theirs: Array) -> dict[str, Array]:
    """Where two arrays of floats differ in more than rounding: the places by the kind of difference."""
    found: dict[str, Array] = {}
    for mine, other in zip(parts_of(ours), parts_of(theirs), strict=True):
        if mine.dtype.kind in "biu" or mine.dtype.name.startswith(("int", "uint")):
            kinds = {"value": mine != other}
        else:
            with np.errstate(all="ignore"):
                a, b = mine.astype(np.float64), other.astype(np.float64)
                opposite = np.sign(a) * np.sign(b) < 0
            number = ~np.isnan(a) & ~np.isnan(b)
            zero = (a == 0) & (b == 0)
            kinds = {
                "NaN": np.isnan(a) != np.isnan(b),
                "infinity": number & (a != b) & (np.isinf(a) | np.isinf(b)),
                "sign of zero": zero & (np.signbit(a) != np.signbit(b)),
                "sign": number & opposite,
            }
        for kind, where in kinds.items():
            found[kind] = found.get(kind, np.False_) | where
    return {kind: np.flatnonzero(where) for kind, where in found.items() if where.any()}


def different_bits(ours: Array, theirs: Array, of_nan: bool) -> Array:
    """The places where bits differ; those of NaN count where an op moves them, in narrow types its sign."""
    apart = np.zeros(ours.shape, np.bool_)
    for mine, other in zip(parts_of(ours), parts_of(theirs), strict=True):
        word = np.dtype(f"u{mine.dtype.itemsize}")
        apart |= np.ascontiguousarray(mine).view(word) != np.ascontiguousarray(other).view(word)
        if dtype_kind(mine.dtype) == "f" and not (of_nan and mine.dtype.itemsize >= 4):
            with np.errstate(all="ignore"):
                a, b = mine.astype(np.float64), other.astype(np.float64)
            apart &= ~(np.isnan(a) & np.isnan(b)) | (of_nan & (np.signbit(a) != np.signbit(b)))
    return np.flatnonzero(apart)


def takes_floats(definition: OpDef) -> bool:
    """Whether an op of StableHLO or CHLO has an operand that may be a tensor of floats."""
    shapes = [(2,) * rank for rank in range(4)]
    of_ours = definition.name.startswith(("stablehlo.", "chlo."))
    return of_ours and any(
        operand.type.contains(TensorType(shape, element))
        for operand in definition.operands
        for shape in shapes
        for element in (FloatType("f32"), ComplexType(FloatType("f32")))
    )


UNDEFINED = ("chlo._asin_acos_kernel", "stablehlo.uniform_quantize")
NOT_OF_COMPLEX = ("stablehlo.remainder", "chlo.bessel_i1e")  # no engine has them


def is_elementwise(definition: OpDef) -> bool:
    """Whether an op is in the table by its definition."""
    return (
        "elementwise" in definition.traits and definition.name not in UNDEFINED and takes_floats(definition)
    )


def cases_of_elementwise(definition: OpDef, element: Type | None = None) -> Iterator[Case]:
    """The cases of an elementwise op on one element type, or on all; none of another op."""
    if not is_elementwise(definition):
        return
    for each in ELEMENTS if element is None else (element,):
        if definition.name not in NOT_OF_COMPLEX or not isinstance(each, ComplexType):
            yield from elementwise(definition, each)
