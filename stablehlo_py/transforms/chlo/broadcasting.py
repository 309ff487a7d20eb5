"""The broadcasting ops of CHLO: operands are broadcast as in NumPy, then the op itself is applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, EnumAttr
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.types import IndexType, OpaqueType, TensorType, Type
from stablehlo_py.transforms.rewriter import Rewriter

_PREFIX = "chlo.broadcast_"
_OF_CHLO = frozenset(["next_after", "polygamma", "zeta"])  # whose broadcast form becomes an op of CHLO
_WITNESS = OpaqueType("!shape.witness")


def broadcast_op(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Lower a broadcasting op with any number of operands.

    Static operands become `broadcast_in_dim`s, where they are not of the result's shape. Dynamic ones are
    broadcast to a shape that is computed inside of `shape.assuming`.

    Args:
        rewriter: The rewriter.
        op: The op; the operands are aligned at their last dimensions.

    Returns:
        The result; None where `broadcast_dimensions` align them otherwise, or a type has no rank.
    """
    types = [value.type for value in (*op.operands, op.result)]
    shapes = [type.shape for type in types if isinstance(type, TensorType)]
    if len(shapes) < len(types) or not _is_aligned_at_the_end(op, shapes):
        return None
    is_scalar_select = op.name == f"{_PREFIX}select" and not shapes[0]
    if all(None not in shape for shape in shapes):
        operands = [_static(rewriter, value, shapes[-1]) for value in op.operands[is_scalar_select:]]
        return [_apply(rewriter, op, [*op.operands[:is_scalar_select], *operands])]
    return [_assuming(rewriter, op, shapes[-1], is_scalar_select)]


def _is_aligned_at_the_end(op: Operation, shapes: Sequence[Any]) -> bool:
    """Test whether `broadcast_dimensions`, if there are any, are those of NumPy's rule."""
    dimensions = op.attribute("broadcast_dimensions")
    if not isinstance(dimensions, DenseArrayAttr):
        return True
    low, high = sorted(map(len, shapes[:2]))
    return list(dimensions.value) == list(range(high - low, high))


def _static(rewriter: Rewriter, value: Value, shape: Sequence[int | None]) -> Value:
    """Broadcast a static value to a static shape."""
    type = value.type
    assert isinstance(type, TensorType)
    if type.shape == shape:
        return value
    dimensions = list(range(len(shape) - len(type.shape), len(shape)))
    wide = replace(type, shape=tuple(shape))
    return rewriter.value("stablehlo.broadcast_in_dim", [value], type=wide, broadcast_dimensions=dimensions)


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


def shape_of(rewriter: Rewriter, value: Value) -> Value:
    """Return the sizes of a ranked value."""
    rank = len(value.type.shape)
    return rewriter.value("shape.shape_of", [value], type=TensorType((rank,), IndexType()))


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
    inputs = {key: _attribute(value) for key, value in op.properties.items() if key != "broadcast_dimensions"}
    made = Operation(
        f"{dialect}.{name}", operands, [op.result.type], inputs, dict(op.attributes), location=None
    )
    return rewriter.insert(made).result


def _attribute(value: Attribute) -> Attribute:
    """Return an enumerator of CHLO as that of StableHLO."""
    if isinstance(value, EnumAttr) and value.name.startswith("chlo."):
        return replace(value, name=value.name.replace("chlo.", "stablehlo.", 1))
    return value


def constant(rewriter: Rewriter, op: Operation) -> Sequence[Value]:
    """Lower `chlo.constant`."""
    value = op.properties["value"]
    return [rewriter.constant(value, op.result.type)]


def constant_like(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Lower `chlo.constant_like`: a constant, or a scalar that is broadcast to the operand's shape."""
    value = op.properties["value"]
    return [splat(rewriter, op.operands[0], value, op.result.type)]


def splat(rewriter: Rewriter, like: Value, number: Any, type: Type) -> Value:
    """Return a value all of whose elements are one number.

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
    sizes = shape_of(rewriter, like)
    return rewriter.value(
        "stablehlo.dynamic_broadcast_in_dim", [scalar, sizes], type=type, broadcast_dimensions=[]
    )
