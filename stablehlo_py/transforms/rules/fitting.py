"""Types of replacements: a value that is static where the result it replaces is dynamic, and the reverse."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import QuantizedType, TensorType, Type
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.transforms.rewriter import Rewriter


def fit_types(
    rewriter: Rewriter, op: Operation, values: Sequence[Value | None]
) -> Sequence[Value | None] | None:
    """Return values that can replace the results of an op for all of its users.

    A value of a more specific type is not converted if no user requires the result's type. Other values of
    compatible shapes are converted.

    Args:
        rewriter: The rewriter, whose insertion point is the op.
        op: The op.
        values: A value for each result; None for one without uses.

    Returns:
        The values; None if one does not fit.
    """
    if not can_fit(op, values):
        return None
    found: list[Value | None] = []
    for value, result in zip(values, op.results, strict=True):
        if value is None or value.type == result.type or _is_usable(op, value.type, result):
            found.append(value)
        else:
            found.append(rewriter.at(op).value("stablehlo.convert", [value], type=result.type))
    return found


def can_fit(op: Operation, values: Sequence[Value | None]) -> bool:
    """Test whether `fit_types` returns values that can replace the results of an op."""
    pairs = zip(values, op.results, strict=True)
    return all(
        value is None or value.type == result.type or _is_convertible(value.type, result.type)
        for value, result in pairs
    )


def _is_convertible(a: Type, b: Type) -> bool:
    """Test whether two types are tensors with compatible shapes."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType) or len(a.shape) != len(b.shape):
        return False
    if a.element_type != b.element_type or isinstance(a.element_type, QuantizedType):
        return False
    return all(None in (m, n) or m == n for m, n in zip(a.shape, b.shape, strict=True))


def _is_usable(op: Operation, type: Type, result: Value) -> bool:
    """Test whether a type is static, and all users of a result state only what its shape is compatible with.

    Ops of other dialects, such as `func.return`, terminators, calls and ops with regions state types exactly.
    """
    assert isinstance(type, TensorType) and isinstance(result.type, TensorType)
    if not type.is_static or result.type.encoding is not None:
        return False
    dialect = op.name.partition(".")[0]
    return all(
        user.name.partition(".")[0] == dialect
        and not user.regions
        and not has_trait(user.name, "terminator")
        and not ((definition := lookup(user.name)) is not None and definition.callee)
        for user in (use.op for use in result.uses)
    )
