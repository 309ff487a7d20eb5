"""The broadcasting ops of CHLO: operands are broadcast as in NumPy, then the op itself is applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, EnumAttr
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.types import IndexType, OpaqueType, TensorType, Type
from stablehlo_py.transforms.chlo.bounded_shapes import (
    common_sizes,
    expanded,
    is_static_or_bounded,
    sizes_of,
)
from stablehlo_py.transforms.chlo.sizes import dynamic_broadcast, shape_of
from stablehlo_py.transforms.pass_definition import failure
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.verifier.constraints import ConstraintChecker

_PREFIX = "chlo.broadcast_"
_OF_CHLO = frozenset(["next_after", "polygamma", "zeta"])  # whose broadcast form becomes an op of CHLO
_WITNESS = OpaqueType("!shape.witness")


def broadcast_op(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Lower a broadcasting op with any number of operands.

    Static and bounded operands are broadcast by `broadcast_in_dim`, unless they have the result's shape.
    Dynamic operands are broadcast to a shape that is computed inside of `shape.assuming`.

    Args:
        rewriter: The rewriter.
        op: The op; the operands are aligned at their last dimensions.

    Returns:
        The result; None if `broadcast_dimensions` align the operands otherwise, a type has no rank, or a
        bounded dimension is paired with a static dimension.

    Raises:
        TransformError: If the elementwise op does not accept the types of its broadcasting form.
    """
    types = [value.type for value in (*op.operands, op.result)]
    ranked = [type for type in types if isinstance(type, TensorType)]
    if len(ranked) < len(types) or not _is_aligned_at_the_end(op, [type.shape for type in ranked]):
        return None
    is_scalar_select = op.name == f"{_PREFIX}select" and not ranked[0].shape
    if not all(map(is_static_or_bounded, ranked)):
        return [_assuming(rewriter, op, ranked[-1].shape, is_scalar_select)]
    wide = op.operands[is_scalar_select:]
    sizes = common_sizes(wide)
    if sizes is None:
        return None
    operands = [expanded(rewriter, value, sizes) for value in wide]
    return [_apply(rewriter, op, [*op.operands[:is_scalar_select], *operands])]


def _is_aligned_at_the_end(op: Operation, shapes: Sequence[Any]) -> bool:
    """Test whether `broadcast_dimensions`, if there are any, follow NumPy's rule."""
    dimensions = op.attribute("broadcast_dimensions")
    if not isinstance(dimensions, DenseArrayAttr):
        return True
    low, high = sorted(map(len, shapes[:2]))
    return list(dimensions.value) == list(range(high - low, high))


def _assuming(rewriter: Rewriter, op: Operation, shape: Sequence[int | None], keeps_first: bool) -> Value:
    """Broadcast dynamic operands where their shapes fit together."""
    sizes = [shape_of(rewriter, value) for value in op.operands]
    witness = rewriter.create("shape.cstr_broadcastable", sizes, types=[_WITNESS]).result
    body = Block()
    assuming = rewriter.create("shape.assuming", [witness], types=[op.result.type], regions=[Region([body])])
    rewriter.at_end(body)
    extents = TensorType((len(shape),), IndexType())
    wide = rewriter.value("shape.broadcast", sizes, type=extents)
    operands = [
        value if keeps_first and not index else _dynamic(rewriter, value, wide, shape)
        for index, value in enumerate(op.operands)
    ]
    rewriter.create("shape.assuming_yield", [_apply(rewriter, op, operands)], types=[])
    rewriter.at(op)
    return assuming.result


def _dynamic(rewriter: Rewriter, value: Value, sizes: Value, shape: Sequence[int | None]) -> Value:
    assert isinstance(value.type, TensorType)
    dimensions = list(range(len(shape) - len(value.type.shape), len(shape)))
    return rewriter.value(
        "stablehlo.dynamic_broadcast_in_dim",
        [value, sizes],
        type=replace(value.type, shape=tuple(shape)),
        broadcast_dimensions=dimensions,
    )


def _apply(rewriter: Rewriter, op: Operation, operands: Sequence[Value]) -> Value:
    """Create the op itself on operands of one shape."""
    name = op.name.removeprefix(_PREFIX)
    dialect = "chlo" if name in _OF_CHLO else "stablehlo"
    inputs = {
        key: stablehlo_attribute(value)
        for key, value in op.properties.items()
        if key != "broadcast_dimensions"
    }
    made = rewriter.insert(
        Operation(f"{dialect}.{name}", operands, [op.result.type], inputs, dict(op.attributes))
    )
    wrong = [d for d in ConstraintChecker(rewriter.module).check(made) if d.severity == "error"]
    if wrong:
        raise failure(rewriter.module, op, not_legalized(op), f"it would become {wrong[0].message}")
    return made.result


def not_legalized(op: Operation) -> str:
    """Return upstream's message about an op that has no lowering."""
    return f"failed to legalize operation '{op.name}' that was explicitly marked illegal"


def stablehlo_attribute(value: Attribute) -> Attribute:
    """Return the enumerator of StableHLO for an enumerator of CHLO."""
    assert isinstance(value, EnumAttr)
    return replace(value, name=value.name.replace("chlo.", "stablehlo.", 1))


def constant(rewriter: Rewriter, op: Operation) -> Sequence[Value]:
    """Lower `chlo.constant`."""
    value = op.properties["value"]
    return [rewriter.constant(value, op.result.type)]


def constant_like(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Lower `chlo.constant_like`: a constant, or a scalar that is broadcast to the operand's shape."""
    value = op.properties["value"]
    return [splat(rewriter, op.operands[0], value, op.result.type)]


def splat(rewriter: Rewriter, like: Value, number: Any, type: Type) -> Value:
    """Return a value whose elements are all equal to a number.

    Args:
        rewriter: The rewriter.
        like: A value of the shape.
        number: The number, or an attribute with a `value`.
        type: The type of the result.
    """
    assert isinstance(type, TensorType)
    number = getattr(number, "value", number)
    if type.is_static:
        return rewriter.constant(number, type)
    scalar = rewriter.constant(number, TensorType((), type.element_type))
    if is_static_or_bounded(type):
        return expanded(rewriter, scalar, sizes_of(like))
    return dynamic_broadcast(rewriter, scalar, like, type, ())
