"""Result types of ops, given the types and constant values of their operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import I64, TensorType, Type
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.transforms.pass_definition import failure
from stablehlo_py.transforms.refinement.refined_types import (
    Conflict,
    flattened,
    most_specific,
    unflattened,
)
from stablehlo_py.transforms.refinement.shape_values import integers, sizes_beside_start
from stablehlo_py.verifier.inference import infer_types
from stablehlo_py.verifier.inferred import Inference

SHAPE_OPERANDS = "indices_of_shape_operands"
WRAPPER = "stablehlo.shape_refinement_operand_wrapper"
DYNAMIC = -(2**63)  # how a constant states an unknown size

Known = dict[tuple[object, ...], Inference]
Types = Sequence["Type | None"]


def result_types(module: Module, op: Operation, known: Known) -> Types | None:
    """Return what is known about the types of an op's results.

    Args:
        module: The module.
        op: The op.
        known: Inferences of earlier ops, to which this one is added.

    Returns:
        The types, each None if unknown; None if all are unknown.

    Raises:
        TransformError: If shape operands of a custom call contradict its result types.
    """
    special = _SPECIAL.get(op.name)
    if special is not None:
        return special(module, op)
    if lookup(op.name) is None:
        return None
    inference = _inference(op, known)
    if len(inference.results) != len(op.results):
        return None
    found: list[Type | None] = []
    for inferred, result in zip(inference.results, op.results, strict=True):
        if inferred.type is None and inferred.shape is not None and isinstance(result.type, TensorType):
            found.append(TensorType(inferred.shape, result.type.element_type))
        else:
            found.append(_bounded(op, inferred.type))
    return found


def _inference(op: Operation, known: Known) -> Inference:
    """Infer the types of an op, once for ops that look the same."""
    if op.regions or has_trait(op.name, "shape_at_run"):
        return infer_types(op.name, op.operands, op.properties, op.regions)
    key = (op.name, tuple([value.type for value in op.operands]), tuple(op.properties.items()))
    if key not in known:
        known[key] = infer_types(op.name, op.operands, op.properties)
    return known[key]


def _bounded(op: Operation, type: Type | None) -> Type | None:
    """Add the bounds of the operands of an elementwise op, which have the shape of its result."""
    if not isinstance(type, TensorType) or type.is_static or not has_trait(op.name, "elementwise"):
        return type
    bounded: Type = type
    for value in op.operands:
        other = value.type
        if isinstance(other, TensorType) and other.encoding is not None and other.rank == type.rank:
            try:
                bounded = most_specific(bounded, other)
            except Conflict:
                return type
    return bounded


def _bitcast_convert(module: Module, op: Operation) -> Types | None:
    """Return the operand's shape, which fits if the widths are the same: otherwise the ranks differ (C1)."""
    operand, result = op.operands[0].type, op.result.type
    if not isinstance(operand, TensorType) or not isinstance(result, TensorType):
        return None
    return [TensorType(operand.shape, result.element_type)]


def _real_dynamic_slice(module: Module, op: Operation) -> Types | None:
    """Return the shape of a slice with constant bounds, or with constant sizes and strides of one."""
    operand, start, limit, stride = op.operands
    starts, limits, strides = integers(start), integers(limit), integers(stride)
    if strides is None or not isinstance(operand.type, TensorType):
        return None
    sizes: list[int] | None
    if starts is not None and limits is not None:
        sizes = [-((a - b) // n) for a, b, n in zip(starts, limits, strides, strict=True) if n > 0]
    else:
        sizes = sizes_beside_start(start, limit) if all(n == 1 for n in strides) else None
    if sizes is None or len(sizes) != operand.type.rank or any(size < 0 for size in sizes):
        return None
    return [TensorType(tuple(sizes), operand.type.element_type)]


def _custom_call(module: Module, op: Operation) -> Types | None:
    """Return the shapes in the shape operands of a custom call."""
    sizes = shape_operands(module, op)
    if sizes is None:
        return None
    old = flattened([result.type for result in op.results])
    found: list[Type] = []
    for type, shape in zip(old, sizes, strict=True):
        element = getattr(type, "element_type", None)
        found.append(TensorType(tuple(shape), element) if element is not None else type)
    return unflattened([result.type for result in op.results], iter(found))


def shape_operands(module: Module, op: Operation) -> list[list[int | None]] | None:
    """Return the shapes of the results of a custom call that its shape operands state.

    Args:
        module: The module.
        op: A custom call.

    Returns:
        A shape for each result, with tuples flattened; None without shape operands, or if one is no constant.

    Raises:
        TransformError: If they do not match the op's operands and result types.
    """
    indices = op.attribute(SHAPE_OPERANDS)
    if not isinstance(indices, DenseElementsAttr):
        return None
    types = flattened([result.type for result in op.results])
    positions = [int(i) for i in indices.value.reshape(-1)]
    expected = (
        (
            len(positions) == len(types),
            f"the number of elements ({len(positions)}) must be equal to the number of "
            f"results ({len(types)}), those of tuples included",
        ),
        (indices.type.rank == 1, "must have rank = 1"),
        (indices.type.element_type is I64, "must have i64 element type"),
    )
    for holds, message in expected:
        if not holds:
            raise failure(module, op, f"{SHAPE_OPERANDS}: {message}")
    shapes: list[list[int | None]] = []
    for number, (position, type) in enumerate(zip(positions, types, strict=True)):
        if not 0 <= position < len(op.operands):
            raise failure(
                module,
                op,
                f"{SHAPE_OPERANDS}: index #{number} ({position}) must be within bounds for the operands "
                f"(from 0 to {len(op.operands)})",
            )
        sizes = integers(op.operands[position])
        if sizes is None:
            return None
        shapes.append([None if size == DYNAMIC else size for size in sizes])
        _check_shape(module, op, number, shapes[-1], type)
    return shapes


def _check_shape(module: Module, op: Operation, number: int, shape: list[int | None], type: Type) -> None:
    """Check that a shape operand agrees with the type of its result."""
    element = getattr(type, "element_type", None)
    compatible = f"must be compatible with result #{number} ({type})"
    message = f"{SHAPE_OPERANDS}: refinement #{number} ({shape}) {compatible}"
    if element is None or any(size is not None and size < 0 for size in shape):
        raise failure(module, op, message)
    try:
        most_specific(type, TensorType(tuple(shape), element))
    except Conflict:
        raise failure(module, op, message) from None


_SPECIAL: dict[str, Callable[[Module, Operation], Types | None]] = {
    "stablehlo.bitcast_convert": _bitcast_convert,
    "stablehlo.real_dynamic_slice": _real_dynamic_slice,
    "stablehlo.custom_call": _custom_call,
}
