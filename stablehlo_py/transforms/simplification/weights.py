"""Constant weights of products: what multiplies a product's result or its other operand becomes part of them.

A product is `convolution`, `dot_general` or `dot`. A factor is an array of the rank of what it multiplies, of
size 1 along dimensions where it does not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import environment
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.match import definition_of
from stablehlo_py.transforms.simplification.repeated import Array, repeat

ADD, SUBTRACT, MULTIPLY, DIVIDE = [f"stablehlo.{name}" for name in ("add", "subtract", "multiply", "divide")]
CONVOLUTION, _DOT_GENERAL, _DOT = [f"stablehlo.{name}" for name in ("convolution", "dot_general", "dot")]
_UFUNCS: dict[str, np.ufunc] = {ADD: np.add, SUBTRACT: np.subtract, MULTIPLY: np.multiply, DIVIDE: np.divide}
Axes = Sequence[int | None]
Weights = tuple[int, Array]  # and their position among the operands of a product


def combined(name: str, a: Array, b: Array, type: TensorType) -> Array | None:
    """Compute an op on constants in f64 and round it; None if a number is not finite or the result larger."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    if np.prod(shape) > max(a.size, b.size):
        return None
    with np.errstate(all="ignore"):
        return rounded(_UFUNCS[name](a.astype(np.float64), b.astype(np.float64)), type)


def rounded(array: Array, type: TensorType) -> Array | None:
    """Round numbers to the elements of a type; None if one is not finite."""
    with np.errstate(all="ignore"):
        made = array.astype(numpy_dtype(type.element_type))
    return made if np.isfinite(made).all() else None


def element_of(value: Value) -> Type | None:
    """Return the element type of a tensor; None for another value."""
    return value.type.element_type if isinstance(value.type, TensorType) else None


def is_padded(op: Operation) -> bool:
    """Test whether a product adds zeros to its operand: by padding, or by dilation of the operand."""
    if op.name != CONVOLUTION:
        return False
    names = environment(op, definition_of(op.name))
    return bool(np.any(names["padding"])) or any(each != 1 for each in names["lhs_dilation"])


def scaled_by_result(rewriter: Rewriter, op: Operation, name: str, factor: Array) -> Value | None:
    """Multiply the constant weights of a product by a factor of its result, or divide them.

    Args:
        rewriter: The rewriter.
        op: The product.
        name: The op that the factor is the second operand of.
        factor: The factor, with the rank of the result.

    Returns:
        The product with the new weights; None if its weights are no constant, or have no dimension for one
        along which the factor changes.
    """
    for index, weights in _weights(op):
        turned = _turned(factor, _result_axes(op, index))
        made = None if turned is None else combined(name, weights, turned, _type(op.operands[index]))
        if made is not None:
            return with_weights(rewriter, op, (index, made))
    return None


def scaled_by_operand(op: Operation, scaled: Value, name: str, factor: Array) -> Weights | None:
    """Multiply the constant weights of a product by a factor of its other operand, or divide them.

    Args:
        op: The product.
        scaled: The other operand.
        name: The op that the factor is the second operand of.
        factor: The factor, with the rank of the operand.

    Returns:
        The weights, and their position; None if weights are no constant, or have no dimension for one along
        which the factor changes.
    """
    for index, weights in _weights(op):
        turned = None if op.operands[1 - index] is not scaled else _of_weights(op, index, factor)
        made = None if turned is None else combined(name, weights, turned, _type(op.operands[index]))
        if made is not None:
            return index, made
    return None


def with_weights(
    rewriter: Rewriter, op: Operation, weights: Weights, others: dict[Value, Value] | None = None
) -> Value:
    """Create a product with other weights, and with other operands in place of some."""
    index, array = weights
    old = op.operands[index]
    return rewriter.clone(op, {old: rewriter.constant(array, old.type), **(others or {})}).result


def without_term(
    rewriter: Rewriter, op: Operation, shifted: Value, operand: Value, name: str, term: Array
) -> Value | None:
    """Add the product of a term of an operand and the constant weights to the product without the term.

    Args:
        rewriter: The rewriter.
        op: The product.
        shifted: Its operand.
        operand: What the operand is without the term.
        name: The op that the term is the second operand of, `add` or `subtract`.
        term: The term, with the rank of the operand.

    Returns:
        The sum; None if it is not one number for each feature of the result.
    """
    type = _type(op.result)
    for index, weights in _weights(op):
        turned = None if op.operands[1 - index] is not shifted else _of_weights(op, index, term)
        if turned is None:
            continue
        axes = _result_axes(op, index)
        kept = [axis for axis in axes if axis is not None]
        summed = tuple([axis for axis, result in enumerate(axes) if result is None])
        with np.errstate(all="ignore"):
            total = (weights.astype(np.float64) * turned.astype(np.float64)).sum(axis=summed)
        shape = [1] * type.rank
        for axis, size in zip(kept, total.shape, strict=True):
            shape[axis] = size
        made = rounded(total.transpose(np.argsort(kept)).reshape(shape), type)
        if made is not None:
            product = rewriter.clone(op, {shifted: operand}).result
            return rewriter.value(name, [product, repeat(rewriter, made, type)])
    return None


def _weights(op: Operation) -> Iterator[Weights]:
    """The operands of a product that are constants of its element type and not one number, with positions."""
    for index in (1,) if op.name == CONVOLUTION else (1, 0):
        constant = constant_attribute(op.operands[index])
        is_alike = {element_of(each) for each in op.operands} == {element_of(op.result)}
        if constant is not None and constant.data.size == constant.type.size and is_alike:
            yield index, constant.value


def _type(value: Value) -> TensorType:
    assert isinstance(value.type, TensorType)
    return value.type


def _turned(factor: Array, axes: Axes) -> Array | None:
    """Turn the dimensions of a factor that are in `axes` to the places that they have there.

    Returns:
        An array of the rank of `axes`; None if the factor changes along another dimension.
    """
    kept = [axis for axis in axes if axis is not None]
    others = [axis for axis in range(factor.ndim) if axis not in kept]
    if any(factor.shape[axis] != 1 for axis in others):
        return None
    shape = [1 if axis is None else factor.shape[axis] for axis in axes]
    return factor.transpose([*others, *kept]).reshape(shape)


def _of_weights(op: Operation, index: int, factor: Array) -> Array | None:
    """A factor of the other operand as one of the weights; None if it changes along what weights have not."""
    names = environment(op, definition_of(op.name))
    turned = _turned(factor, _shared_axes(op, index, names))
    groups = names["feature_group_count"] if op.name == CONVOLUTION else 1
    if groups == 1 or turned is None or turned.size == 1:
        return turned
    axis, features = names["kernel_input_feature_dimension"], names["kernel_output_feature_dimension"]
    count = _type(op.operands[index]).shape[features]
    assert count is not None
    each = turned.reshape(groups, -1).repeat(count // groups, axis=0)  # output features by input features
    shape = [1] * turned.ndim
    shape[features], shape[axis] = each.shape
    return (each if features < axis else each.T).reshape(shape)


def _shared_axes(op: Operation, index: int, names: Environment) -> Axes:
    """The dimension of the other operand for each dimension of the weights; None where it has none."""
    axes: list[int | None] = [None] * _type(op.operands[index]).rank
    if op.name == CONVOLUTION:
        axes[names["kernel_input_feature_dimension"]] = names["input_feature_dimension"]
        return axes
    for both in (_batching(op, names), _contracting(op, names)):
        for mine, other in zip(both[index], both[1 - index], strict=True):
            axes[mine] = other
    return axes


def _batching(op: Operation, names: Environment) -> Sequence[Sequence[int]]:
    """The batching dimensions of both operands of a product of matrices."""
    if op.name == _DOT:
        return ((), ())
    return [names[f"{side}_batching_dimensions"] for side in ("lhs", "rhs")]


def _contracting(op: Operation, names: Environment) -> Sequence[Sequence[int]]:
    """The contracting dimensions of both operands of a product of matrices."""
    if op.name == _DOT:
        return ((_type(op.operands[0]).rank - 1,), (0,))
    return [names[f"{side}_contracting_dimensions"] for side in ("lhs", "rhs")]


def _result_axes(op: Operation, index: int) -> Axes:
    """The dimension of a product's result for each dimension of an operand; None for those summed over."""
    names = environment(op, definition_of(op.name))
    ranks = [_type(each).rank for each in op.operands]
    axes: list[int | None] = [None] * ranks[index]
    if op.name == CONVOLUTION:
        axes[names["kernel_output_feature_dimension"]] = names["output_feature_dimension"]
        return axes
    batch, summed = _batching(op, names), _contracting(op, names)
    first = len(batch[0]) if index == 0 else ranks[0] - len(summed[0])
    free = [axis for axis in range(ranks[index]) if axis not in (*batch[index], *summed[index])]
    for result, axis in [*enumerate(batch[index]), *enumerate(free, first)]:
        axes[axis] = result
    return axes
