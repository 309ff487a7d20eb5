"""Statistics of a module: counts of ops, types and constants."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from stablehlo_py.analysis.inputs import attribute
from stablehlo_py.analysis.sizes import byte_size
from stablehlo_py.ir.attributes import bounds
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.types import MemRefType, TensorType, TupleType, Type, UnrankedTensorType
from stablehlo_py.opset.definition import has_trait, lookup


@dataclass(frozen=True)
class Statistics:
    """Statistics of a module.

    Attributes:
        functions: The number of functions.
        ops: The number of ops by name, without functions and terminators.
        element_types: The number of values by element type.
        constants: The number of constants.
        constant_bytes: The bytes of the constants' types.
        resource_bytes: The bytes of the file's resources.
        dynamic_dimensions: The number of dynamic dimensions in the types of values.
        bounded_dimensions: The number of those that have a bound.
        custom_calls: The number of custom calls by target.
        composites: The number of composites by name.
        unknown_ops: The number of ops without a definition, by name.
    """

    functions: int
    ops: dict[str, int]
    element_types: dict[str, int]
    constants: int
    constant_bytes: int
    resource_bytes: int
    dynamic_dimensions: int
    bounded_dimensions: int
    custom_calls: dict[str, int]
    composites: dict[str, int]
    unknown_ops: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return asdict(self)


def statistics(module: Module) -> Statistics:
    """Compute the statistics of a module."""
    everything = list(module.walk())
    ops = [op for op in everything if not _is_frame(op)]
    constants = [op for op in ops if has_trait(op.name, "constant")]
    tensors = [t for op in everything for value in _values(op) for t in _tensors(value.type)]
    return Statistics(
        functions=sum(op.is_function for op in everything),
        ops=_counted(op.name for op in ops),
        element_types=_counted(str(t.element_type) for t in tensors),
        constants=len(constants),
        constant_bytes=sum(byte_size(result.type) for op in constants for result in op.results),
        resource_bytes=sum(map(len, module.resources.values())),
        dynamic_dimensions=sum(t.shape.count(None) for t in tensors if not isinstance(t, UnrankedTensorType)),
        bounded_dimensions=sum(map(_bounded, tensors)),
        custom_calls=_counted(
            str(attribute(op, "call_target_name")) for op in ops if has_trait(op.name, "external_call")
        ),
        composites=_counted(str(attribute(op, "name")) for op in ops if has_trait(op.name, "composite")),
        unknown_ops=_counted(op.name for op in ops if lookup(op.name) is None),
    )


def _counted(names: Any) -> dict[str, int]:
    """Count names, the most frequent first."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _is_frame(op: Operation) -> bool:
    """Test whether an op is a module, a function or a terminator, which are not counted."""
    return op.is_module or op.is_function or has_trait(op.name, "terminator")


def _values(op: Operation) -> list[Value]:
    """Return the values that an op defines: its results and the block arguments of its regions."""
    return [*op.results, *(argument for block in op.blocks for argument in block.arguments)]


def _tensors(type: Type) -> list[Any]:
    if isinstance(type, TupleType):
        return [found for each in type.types for found in _tensors(each)]
    return [type] if isinstance(type, TensorType | MemRefType | UnrankedTensorType) else []


def _bounded(type: Any) -> int:
    if isinstance(type, UnrankedTensorType):
        return 0
    return sum(bound is not None for bound in bounds(type))
