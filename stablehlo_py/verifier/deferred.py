"""Deferred checks: constraints on unknown dimensions, evaluated at run time with actual shapes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.notation.scope import NO_VALUE, environment
from stablehlo_py.opset.attribute_conversion import read_only
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.verifier.constraints import ConstraintChecker, rules_of

_NAME = re.compile(r"\w+")
_MOST = 64  # elements of an operand that formulas may ask for: sizes, positions


class Deferred:
    """The constraints of an op that its types leave undecided.

    Attributes:
        op: The op.
        labels: The labels of the constraints.
    """

    def __init__(self, module: Module, op: Operation, labels: frozenset[str]) -> None:
        self.op = op
        self.labels = labels
        self._checker = ConstraintChecker(module, at_run=True)
        self._found: dict[object, list[Diagnostic]] = {}

    def violations(self, operands: Sequence[Any]) -> list[Diagnostic]:
        """Check the operands of one execution of the op.

        Executions with operands of equal shapes, and equal sizes as values, are checked once.

        Args:
            operands: NumPy arrays, or the values of other types.

        Returns:
            The violations.
        """
        key = tuple([_appearance(value) for value in operands])
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._violations(operands)
        return found

    def _violations(self, operands: Sequence[Any]) -> list[Diagnostic]:
        from stablehlo_py.verifier.inference import infer_types  # slow to import, for dynamic shapes only

        op = self.op
        definition = lookup(op.name)
        assert definition is not None
        known = [_actual(given, value) for given, value in zip(op.operands, operands, strict=True)]
        inferred = infer_types(op.name, known, op.properties, op.regions)
        failed = self._mine(inferred.diagnostics)
        if failed:
            return failed
        shapes = [result.shape for result in inferred.results]
        types = [result.type for result in op.results]
        if len(shapes) == len(types):
            types = [_refined(type, shape) for type, shape in zip(types, shapes, strict=True)]
        twin = Operation(op.name, (), types, op.properties, op.attributes, offset=op.offset, end=op.end)
        twin.operands, twin.regions, twin.parent = tuple(known), op.regions, op.parent
        return self._mine(self._checker.check_constraints(twin, definition))

    def _mine(self, found: Sequence[Diagnostic]) -> list[Diagnostic]:
        """Select the errors about the undecided constraints, at the op's position."""
        line, column = self._checker.module.position(self.op)
        errors = [d for d in found if d.severity == "error" and d.code.rpartition(".")[2] in self.labels]
        return [replace(error, line=line, column=column) for error in errors]


def deferred_checks(module: Module, op: Operation) -> Deferred | None:
    """Return the run-time checks of an op, or None if its types decide all constraints."""
    definition = lookup(op.name)
    if definition is None:
        return None
    labels = _undecided(ConstraintChecker(module), op, definition)
    return Deferred(module, op, labels) if labels else None


def _undecided(checker: ConstraintChecker, op: Operation, definition: OpDef) -> frozenset[str]:
    """Return the labels of the constraints whose verdict is unknown, or depends on values of operands."""
    env = environment(op, definition, checker.context)
    by_values = _by_values(definition)
    is_open = any(
        isinstance(v.type, TensorType) and None in v.type.shape for v in (*op.operands, *op.results)
    )
    labels = set()
    for constraint, run in rules_of(definition).constraints:
        is_for_run = is_open or constraint.verdict == "run" or constraint.label in by_values
        if constraint.verdict == "spec-only" or not is_for_run:
            continue
        try:
            if constraint.label in by_values or not run(env):
                labels.add(constraint.label)
        except NO_VALUE:
            labels.add(constraint.label)
    return frozenset(labels)


@cache
def _by_values(definition: OpDef) -> frozenset[str]:
    """Return the labels of the constraints that read the elements of operands.

    Those of upstream are about constants. At run time, the shape of the result says the same.
    """
    readers = {"constant_value"}
    for name, formula in definition.where:
        if readers.intersection(_NAME.findall(formula)):
            readers.add(name)
    rules = [rule for rule in definition.constraints if rule.verdict != "upstream"]
    return frozenset([rule.label for rule in rules if readers.intersection(_NAME.findall(rule.formula))])


def _appearance(value: Any) -> object:
    """Return what constraints depend on in an operand: its shape, and the values of a short integer list."""
    shape = getattr(value, "shape", None)
    return (shape, value.tobytes()) if _is_list_of_sizes(value) else shape


def _is_list_of_sizes(value: Any) -> bool:
    return (
        isinstance(value, np.ndarray) and _is_integer(value.dtype) and value.ndim <= 2 and value.size <= _MOST
    )


def _is_integer(dtype: np.dtype[Any]) -> bool:
    row = element_type_of(dtype)
    return row is not None and row.literal == "integer"


def _actual(given: Value, value: Any) -> Value:
    """Return an operand with the shape of its value; a short list of sizes becomes a constant."""
    type = given.type
    if not isinstance(type, TensorType) or not isinstance(value, np.ndarray):
        return given
    type = TensorType(value.shape, type.element_type, type.encoding)
    if _is_list_of_sizes(value):
        data = DenseElementsAttr(type, read_only(value.copy()))
        constant = Operation("stablehlo.constant", (), [type], {"value": data})
        constant.result.name = given.name
        return constant.result
    return Value(type, given.name)


def _refined(declared: Type, shape: Sequence[int | None] | None) -> Type:
    """Return the declared type of a result, with unknown sizes replaced by inferred ones."""
    if not isinstance(declared, TensorType) or shape is None or len(shape) != len(declared.shape):
        return declared
    sizes = tuple([s if d is None else d for d, s in zip(declared.shape, shape, strict=True)])
    return TensorType(sizes, declared.element_type, declared.encoding)
