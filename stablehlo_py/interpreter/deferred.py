"""Deferred constraint checks: steps that check dynamic dimensions at run time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.interpreter.inputs import has_shape
from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.element_types import element_type_of, numpy_dtype
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.opset.traits import Trait

# Ops whose results no rule about their types decides: values do, the process grid, or another process.
_UNPROVED: frozenset[Trait] = frozenset({"shape_at_run", "communicates"})


def deferred_step(module: Module, op: Operation, definition: OpDef, ins: tuple[int, ...]) -> Step | None:
    """Return the step that checks an op's constraints with actual shapes; None if its types decide them.

    Args:
        module: The module.
        op: The op.
        definition: Its definition.
        ins: The slots of the op's operands.
    """
    is_open = any(_is_dynamic(v.type) for v in (*op.operands, *op.results))
    if not is_open and not definition.is_checked_at_run:
        return None
    from stablehlo_py.verifier.deferred import deferred_checks  # unused by static programs

    checks = deferred_checks(module, op)
    if checks is None:
        return None
    name = f"check {', '.join(sorted(checks.labels))} of {op.name}"
    return Step(name, op, ins, deferred=checks, returns_tuple=True, effect=True)


class ResultTypes:
    """The values of an op's results, compared with its types."""

    def __init__(self, module: Module, op: Operation) -> None:
        self._types = [result.type for result in op.results]
        self._place = module.position(op)
        self._name = op.name

    def violations(self, results: Sequence[Any]) -> list[Diagnostic]:
        """An error for each result that is not of its type."""
        found = enumerate(zip(results, self._types, strict=True))
        return [self._mismatch(i, value, type) for i, (value, type) in found if not fits(value, type)]

    def _mismatch(self, index: int, value: Any, type: Type) -> Diagnostic:
        message = f"{self._name}: result #{index} is {_type_of(value, type)}, and its type is {type}"
        return Diagnostic("error", self._name.partition(".")[2], message, *self._place)


def _type_of(value: Any, stated: Type) -> Type:
    """The type that a value has; of elements of the same storage, the stated one."""
    if isinstance(stated, TupleType):
        return TupleType(tuple(map(_type_of, value, stated.types)))
    if not isinstance(stated, TensorType):
        return stated
    row = element_type_of(value.dtype)
    same = row is None or value.dtype == numpy_dtype(stated.element_type)
    return TensorType(value.shape, stated.element_type if same or row is None else row.type)


def result_step(module: Module, op: Operation, definition: OpDef, outs: tuple[int, ...]) -> Step | None:
    """The step behind an op that compares its results with their types; None if the verifier has proved them.

    An elementwise op's results have the shape of its operands, which deferred constraints compare.
    """
    traits = definition.traits
    is_open = bool(traits & _UNPROVED) or ("elementwise" not in traits and any(map(_is_dynamic, _types(op))))
    if not is_open or not any(isinstance(result.type, TensorType) for result in op.results):
        return None
    check = ResultTypes(module, op)
    return Step(f"check result of {op.name}", op, outs, deferred=check, returns_tuple=True, effect=True)


def _types(op: Operation) -> Iterator[Type]:
    """The types of operands, results and the values that regions return."""
    yield from [value.type for value in (*op.operands, *op.results)]
    for block in [block for region in op.regions for block in region.blocks if block.ops]:
        yield from [value.type for value in block.ops[-1].operands]


def _is_dynamic(type: Type) -> bool:
    return isinstance(type, TensorType) and None in type.shape


def fits(value: Any, type: Type) -> bool:
    """Test whether a value is of a type: its shape, and its elements where they are stored as themselves."""
    if isinstance(type, TupleType):
        return all(map(fits, value, type.types))
    if not isinstance(type, TensorType):
        return True
    return has_shape(type, value.shape) and value.dtype == numpy_dtype(type.element_type)
