"""Since which version of StableHLO a program's ops, types and attributes can be stated.

The tables follow upstream's log of versions. What they do not list is as old as 0.9.0, the oldest version
that a portable artifact can be written for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseElementsAttr,
    DictAttr,
    IntegerAttr,
    StructAttr,
    TypeAttr,
)
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.element_types import ELEMENT_TYPES, OLDEST
from stablehlo_py.ir.types import (
    ComplexType,
    FloatType,
    FunctionType,
    FutureType,
    IntegerType,
    MemRefType,
    NoneType,
    QuantizedType,
    TensorType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from stablehlo_py.linter.version import MINIMUM, Version

PORTABLE = frozenset(("stablehlo", "func", "builtin"))  # dialects that a portable artifact is made of

OPS: Mapping[str, Version] = {
    "collective_broadcast": Version(0, 16),
    "composite": Version(0, 19),
    "tan": Version(1, 4),
    "async_start": Version(1, 15),
    "async_done": Version(1, 15),
    "collective_reduce": Version(1, 19),
}

PER_AXIS_QUANTIZATION = Version(0, 18)
NO_TYPE = Version(1, 6)
BUFFERS = Version(1, 13)
FUTURES = Version(1, 15)


@dataclass(frozen=True, slots=True)
class Feature:
    """A way to use an op that is younger than the op: what it is, since when, and whether an op uses it."""

    name: str
    since: Version
    uses: Callable[[Operation], bool]


def _has(*names: str) -> Callable[[Operation], bool]:
    """Whether an op has a property that says something: it is not empty, and not false."""
    return lambda op: any(_says_something(op.attribute(name)) for name in names)


def _says_something(value: Attribute | None) -> bool:
    if isinstance(value, BoolAttr | ArrayAttr):
        return bool(value.value)
    return value is not None and not (isinstance(value, DenseElementsAttr) and value.data.size == 0)


def _has_field(property: str, *fields: str) -> Callable[[Operation], bool]:
    def uses(op: Operation) -> bool:
        value = op.attribute(property)
        return isinstance(value, StructAttr) and any(value[field] for field in fields)

    return uses


def _is_variadic(op: Operation) -> bool:
    return len(op.operands) != 1


def _promotes(op: Operation) -> bool:
    """Whether a reduction's results are of other element types than its operands."""
    pairs = zip(op.operands, op.results, strict=False)
    return any(_element(operand.type) is not _element(result.type) for operand, result in pairs)


def _element(type: Type) -> Type | None:
    return type.element_type if isinstance(type, TensorType | UnrankedTensorType) else None


def _has_accuracy(op: Operation) -> bool:
    """Whether an op asks for an accuracy other than the default."""
    accuracy = op.attribute("result_accuracy")
    return isinstance(accuracy, StructAttr) and accuracy["mode"] != "DEFAULT"


_TYPED_FFI = 4  # API_VERSION_TYPED_FFI


def _is_typed_call(op: Operation) -> bool:
    version = op.attribute("api_version")
    is_typed = isinstance(version, IntegerAttr) and version.value == _TYPED_FFI
    return is_typed or isinstance(op.attribute("backend_config"), DictAttr)


def _has_mesh(op: Operation) -> bool:
    groups = op.attribute("replica_groups")
    return isinstance(groups, StructAttr)


def _takes_future(op: Operation) -> bool:
    return any(isinstance(operand.type, FutureType) for operand in op.operands)


_BATCHING_GATHER = Feature(
    "batching dimensions", Version(1, 1), _has_field("dimension_numbers", "operand_batching_dims")
)
_BATCHING_SCATTER = Feature(
    "batching dimensions", Version(1, 1), _has_field("scatter_dimension_numbers", "input_batching_dims")
)
_VARIADIC = Feature("several operands", Version(1, 5), _is_variadic)
_PROMOTION = Feature("results of another element type than the operands", Version(0, 17), _promotes)
_MESH = Feature("replica groups by the axes of a mesh", Version(1, 16), _has_mesh)
_PAIRS = Feature("source_target_pairs", Version(1, 12), _has("source_target_pairs"))


def _accuracy(minor: int) -> tuple[Feature, ...]:
    return (Feature("result_accuracy", Version(1, minor), _has_accuracy),)


FEATURES: Mapping[str, tuple[Feature, ...]] = {
    **dict.fromkeys(
        (
            *("cbrt", "cosine", "exponential_minus_one", "log", "log_plus_one", "logistic"),
            *("rsqrt", "sine", "sqrt", "tan", "tanh"),
        ),
        _accuracy(10),
    ),
    "exponential": _accuracy(9),
    "gather": (_BATCHING_GATHER,),
    "dynamic_gather": (_BATCHING_GATHER,),
    "scatter": (_BATCHING_SCATTER, _PROMOTION),
    "reduce": (_PROMOTION,),
    "reduce_window": (_PROMOTION,),
    "select_and_scatter": (_PROMOTION,),
    "reduce_scatter": (_PROMOTION, _MESH),
    "all_reduce": (_PROMOTION, _VARIADIC, _MESH),
    "all_gather": (_VARIADIC, _MESH),
    "all_to_all": (_VARIADIC, _MESH),
    "collective_broadcast": (
        _MESH,
        Feature("several operands", Version(1, 20), _is_variadic),
        Feature("has_dynamic_root", Version(1, 20), _has("has_dynamic_root")),
    ),
    "collective_reduce": (_MESH,),
    "dot_general": (Feature("algorithm", Version(1, 6), _has("algorithm")),),
    "custom_call": (
        Feature("a typed call or a backend_config dictionary", Version(1, 3), _is_typed_call),
        Feature("an operand of type future", Version(1, 17), _takes_future),
        Feature("result_tilings", Version(1, 18), _has("result_tilings")),
    ),
    "send": (_PAIRS,),
    "recv": (_PAIRS,),
}


@dataclass(frozen=True, slots=True)
class Need:
    """Something in a program that older versions cannot state."""

    version: Version
    what: str
    place: Operation | BlockArgument

    def line(self, module: Module) -> int:
        """The line of the text where it is; 0 in a module that was built."""
        return module.line(self.place)


def minimum_version(module: Module) -> Version:
    """The oldest version that the program can be written for: 0.9.0, unless something in it is younger."""
    return max((need.version for need in needs(module.walk())), default=MINIMUM)


def needs(ops: Iterable[Operation]) -> Iterator[Need]:
    """What in a program is younger than 0.9.0, in the order of the text."""
    by_type: dict[Type, list[tuple[Version, str]]] = {}
    for op in ops:
        for version, what in _of_op(op):
            yield Need(version, what, op)
        for type, place in _types(op):
            if type not in by_type:
                by_type[type] = list(dict.fromkeys(_of_type(type)))
            for version, what in by_type[type]:
                yield Need(version, what, place)


def _of_op(op: Operation) -> Iterator[tuple[Version, str]]:
    dialect, _, name = op.name.partition(".")
    if dialect != "stablehlo":
        return
    if name in OPS:
        yield OPS[name], name
    for feature in FEATURES.get(name, ()):
        if feature.uses(op):
            yield feature.since, f"{name} with {feature.name}"


def _types(op: Operation) -> Iterator[tuple[Type, Operation | BlockArgument]]:
    for result in op.results:
        yield result.type, op
    for block in op.blocks:
        yield from [(argument.type, argument) for argument in block.arguments]
    for attribute in op.properties.values():
        if isinstance(attribute, TypeAttr) and not op.regions[:1]:
            yield attribute.value, op
        if isinstance(attribute, StructAttr):
            yield from [(value, op) for _, value in attribute.fields if isinstance(value, Type)]


def _of_type(type: Type) -> Iterator[tuple[Version, str]]:
    """The young types in a type, each with the version it came with."""
    pending = [type]
    while pending:
        match pending.pop():
            case TensorType(element_type=element) | UnrankedTensorType(element) | ComplexType(element):
                pending.append(element)
            case FunctionType(inputs, results):
                pending += (*inputs, *results)
            case TupleType(types):
                pending += types
            case FutureType(types):
                pending += types
                yield FUTURES, "future"
            case MemRefType(element_type=element):
                pending.append(element)
                yield BUFFERS, "memref"
            case QuantizedType(storage_type=storage, expressed_type=expressed, dimension=dimension):
                pending += (storage, expressed)
                if dimension is not None:
                    yield PER_AXIS_QUANTIZATION, "per-axis quantized types"
            case IntegerType() | FloatType() as element if element in ELEMENT_TYPES:
                row = ELEMENT_TYPES[element]
                if row.since > OLDEST:
                    yield Version(*row.since), row.name
            case NoneType():
                yield NO_TYPE, "none"
