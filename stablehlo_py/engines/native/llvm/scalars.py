"""Scalar ops as LLVM values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from stablehlo_py.engines.native.arithmetic.elements import Element, element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.elementwise import ELEMENTWISE
from stablehlo_py.engines.native.loop_ir.expressions import INDEX, MULTIPLY_ADD, Apply
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.types import IntegerType, TensorType, Type

_SIGNED = IntegerType(64)


def element_type(type: Type) -> Element:
    """How elements of a type are stored and computed; an index is an integer."""
    found = element_of(TensorType((), _SIGNED if type == INDEX else type))
    assert found is not None
    return found


def apply_op(b: Builder, expression: Apply, operands: Sequence[Value]) -> Value:
    """Write an op."""
    if expression.op == MULTIPLY_ADD:
        return (
            operands[0].call("fma", *operands[1:])
            if operands[0].is_float
            else operands[0] * operands[1] + operands[2]
        )
    count = len(operands)
    types = [*(each.type for each in expression.arguments), expression.type]
    step = Step(expression.op, None, tuple(range(count)), (count,), keywords=dict(expression.attributes))
    scope = cast(Scope, _Operands(b, operands, types))
    return ELEMENTWISE[expression.op](scope, step, ())


class _Operands:
    """The operands of one op, as the slots of a plan."""

    def __init__(self, b: Builder, values: Sequence[Value], types: Sequence[Type]) -> None:
        self.b = b
        self.plan = self
        self._values, self._types = values, types

    def at(self, slot: int, indices: Any) -> Value:
        return self._values[slot]

    def shape(self, slot: int) -> tuple[int, ...]:
        return ()

    def tensor(self, slot: int) -> TensorType:
        return TensorType((), self._types[slot])

    def element(self, slot: int) -> Element:
        return element_type(self._types[slot])
