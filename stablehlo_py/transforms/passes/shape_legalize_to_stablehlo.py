"""The pass `shape-legalize-to-stablehlo`: the dialects `shape`, `tensor` and `arith` in terms of StableHLO.

Indices become i32 in tensors, with casts between both that `reconcile-unrealized-casts` removes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr, IntegerAttr
from stablehlo_py.ir.core import Module, Operation, OpResult, Value
from stablehlo_py.ir.types import I32, INDEX, IntegerType, TensorType, Type
from stablehlo_py.transforms.pass_definition import Options, Pass, failure
from stablehlo_py.transforms.rewriter import Rewriter

_CAST = "builtin.unrealized_conversion_cast"
_SCALAR, _ONE = TensorType((), I32), TensorType((1,), I32)
Convert = Callable[[Rewriter, Operation], "Sequence[Value] | None"]


def _run(module: Module, options: Options) -> None:
    rewriter = Rewriter(module)
    for op in [op for function in module.functions.values() for op in function.walk()]:
        if not _is_illegal(op):
            continue
        convert = _CONVERSIONS.get(op.name)
        values = convert(rewriter.at(op), op) if convert is not None else None
        if values is None or any(v.type is not r.type for v, r in zip(values, op.results, strict=True)):
            raise failure(module, op, f"failed to legalize {op.name}")
        rewriter.replace(op, values, merge=False)
    rewriter.flush()


def _is_illegal(op: Operation) -> bool:
    """Test whether an op is to be converted."""
    dialect = op.name.partition(".")[0]
    if op.name == "tensor.cast":
        return False
    return (
        dialect in ("shape", "tensor")
        or op.name in ("arith.index_cast", "arith.muli")
        or (dialect == "stablehlo" and any(_is_index(value.type) for value in op.operands))
    )


def _is_index(type: Type) -> bool:
    """Test whether a type is `index` or a tensor of it."""
    return type is INDEX or (isinstance(type, TensorType) and type.element_type is INDEX)


def _is_i32(type: Type) -> bool:
    return isinstance(type, TensorType) and type.element_type is I32


def _cast(rewriter: Rewriter, value: Value, type: Type) -> Value:
    return value if value.type is type else rewriter.value(_CAST, [value], type=type)


def _to_i32(rewriter: Rewriter, value: Value) -> Value | None:
    """Cast indices to a tensor of i32; return None for a value of another type."""
    type = value.type
    if type is INDEX:
        return _cast(rewriter, value, _SCALAR)
    if not isinstance(type, TensorType) or not type.is_static or not (_is_index(type) or _is_i32(type)):
        return None
    return _cast(rewriter, value, TensorType(type.shape, I32))


def _to_index(rewriter: Rewriter, value: Value) -> Value:
    """Cast a tensor of i32 to an index or a tensor of them."""
    type = value.type
    assert isinstance(type, TensorType)
    return _cast(rewriter, value, TensorType(type.shape, INDEX) if type.rank else INDEX)


def _constant_index(value: Value) -> int | None:
    """Return the value of a constant index; None for another value."""
    if not isinstance(value, OpResult) or value.op.name != "arith.constant" or value.type is not INDEX:
        return None
    found = value.op.attribute("value")
    return found.value if isinstance(found, IntegerAttr) else None


def _constant(rewriter: Rewriter, value: object, type: TensorType) -> Value:
    """Create a constant of i32, whose values wrap around."""
    return rewriter.constant(np.asarray(value, np.int64).astype(np.int32), type)


def _element(rewriter: Rewriter, tensor: Value, position: Sequence[int]) -> Value:
    """Create the slice of one element, as a scalar."""
    bounds = {
        "start_indices": list(position),
        "limit_indices": [i + 1 for i in position],
        "strides": [1] * len(position),
    }
    one = rewriter.create("stablehlo.slice", [tensor], bounds).result
    return rewriter.value("stablehlo.reshape", [one], type=_SCALAR)


def _joined(rewriter: Rewriter, sizes: Sequence[Value]) -> Value:
    """Concatenate tensors of one dimension."""
    return rewriter.value("stablehlo.concatenate", sizes, dimension=0)


def _num_elements(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Multiply the sizes."""
    shape = _to_i32(rewriter, op.operands[0])
    if shape is None or not isinstance(shape.type, TensorType):
        return None
    product = _constant(rewriter, 1, _SCALAR)
    for i in range(shape.type.size or 0):
        product = rewriter.value("stablehlo.multiply", [product, _element(rewriter, shape, [i])])
    return [_to_index(rewriter, product)]


def _shape_of(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Concatenate the sizes of a tensor."""
    (arg,) = op.operands
    if not isinstance(arg.type, TensorType):
        return None
    if not arg.type.rank:
        return [_to_index(rewriter, _constant(rewriter, [], TensorType((0,), I32)))]
    sizes: list[Value] = []
    for axis in range(arg.type.rank):
        size = rewriter.value("stablehlo.get_dimension_size", [arg], dimension=axis)
        sizes.append(rewriter.value("stablehlo.reshape", [size], type=_ONE))
    return [_to_index(rewriter, _joined(rewriter, sizes))]


def _const_shape(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Create a constant."""
    shape, type = op.attribute("shape"), op.result.type
    if not isinstance(shape, DenseElementsAttr) or not isinstance(type, TensorType):
        return None
    made = _constant(rewriter, shape.value, TensorType(shape.type.shape, I32))
    return [_to_index(rewriter, made)]


def _index_cast(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Cast between indices and integers, by way of a tensor of i32."""
    (value,), type = op.operands, op.result.type
    if value.type is INDEX:
        number = _to_i32(rewriter, value)
        assert number is not None
        if type is not I32:
            number = rewriter.value("stablehlo.convert", [number], type=TensorType((), type))
        return [_cast(rewriter, number, type)]
    if isinstance(value.type, IntegerType) and _is_index(type):
        return [_cast(rewriter, _cast(rewriter, value, TensorType((), value.type)), type)]
    converted = _to_i32(rewriter, value)
    if converted is None or not (_is_index(type) or _is_i32(type)):
        return None
    return [_to_index(rewriter, converted) if _is_index(type) else converted]


def _multiply(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Multiply indices."""
    operands: list[Value] = []
    for value in op.operands:
        number = _constant_index(value)
        made = _to_i32(rewriter, value) if number is None else _constant(rewriter, number, _SCALAR)
        if made is None:
            return None
        operands.append(made)
    return [_to_index(rewriter, rewriter.value("stablehlo.multiply", operands))]


def _broadcast(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Compute the larger of both sizes, where the shorter shape is padded with ones."""
    if len(op.operands) != 2:
        return None
    shapes = [_to_i32(rewriter, value) for value in op.operands]
    known = [shape for shape in shapes if shape is not None and isinstance(shape.type, TensorType)]
    if len(known) != 2:
        return None
    sizes = [shape.type.size or 0 for shape in known if isinstance(shape.type, TensorType)]
    for i, shape in enumerate(known):
        missing = max(sizes) - sizes[i]
        if missing:
            known[i] = _joined(rewriter, [_constant(rewriter, 1, TensorType((missing,), I32)), shape])
    return [_to_index(rewriter, rewriter.value("stablehlo.maximum", known))]


def _dim(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Return the size of a dimension with a constant index."""
    source, index = op.operands
    axis = _constant_index(index)
    if axis is None or not isinstance(source.type, TensorType) or not 0 <= axis < source.type.rank:
        return None
    return [_to_index(rewriter, rewriter.value("stablehlo.get_dimension_size", [source], dimension=axis))]


def _extract(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Return an element at constant indices."""
    tensor, *indices = op.operands
    position = [_constant_index(index) for index in indices]
    if not isinstance(tensor.type, TensorType):
        return None
    inside = zip(position, tensor.type.shape, strict=True)
    known = [i for i, size in inside if i is not None and size is not None and 0 <= i < size]
    numbers = _to_i32(rewriter, tensor)
    if len(known) < len(position) or numbers is None:
        return None
    found = _element(rewriter, numbers, known)
    return [_to_index(rewriter, found) if op.result.type is INDEX else _cast(rewriter, found, op.result.type)]


def _from_elements(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Concatenate indices."""
    type = op.result.type
    if not isinstance(type, TensorType):
        return None
    if not type.rank:
        return [_cast(rewriter, op.operands[0], type)]
    if type.rank != 1 or not _is_index(type):
        return None
    elements: list[Value] = []
    for value in op.operands:
        number = _constant_index(value)
        if number is not None:
            elements.append(_constant(rewriter, number, _ONE))
            continue
        converted = _to_i32(rewriter, value)
        assert converted is not None
        elements.append(rewriter.value("stablehlo.reshape", [converted], type=_ONE))
    return [_to_index(rewriter, _joined(rewriter, elements))]


def _cast_operands(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Cast operands that are indices."""
    operands: list[Value] = []
    for value in op.operands:
        converted = _to_i32(rewriter, value) if _is_index(value.type) else value
        if converted is None:
            return None
        operands.append(converted)
    types = [result.type for result in op.results]
    return rewriter.create(op.name, operands, op.properties, types, attributes=op.attributes).results


_CONVERSIONS: dict[str, Convert] = {
    "shape.num_elements": _num_elements,
    "shape.shape_of": _shape_of,
    "shape.const_shape": _const_shape,
    "shape.broadcast": _broadcast,
    "arith.index_cast": _index_cast,
    "arith.muli": _multiply,
    "tensor.dim": _dim,
    "tensor.extract": _extract,
    "tensor.from_elements": _from_elements,
    "stablehlo.dynamic_broadcast_in_dim": _cast_operands,
    "stablehlo.dynamic_reshape": _cast_operands,
}

PASS = Pass(
    "shape-legalize-to-stablehlo",
    "Replaces ops of the `shape`, `tensor` and `arith` dialects that compute shapes by StableHLO ops.",
    _run,
    description="""\
Indices become i32 in tensors, with `builtin.unrealized_conversion_cast` in between; an index of 2^31 or more
wraps around. `reconcile-unrealized-casts` removes the casts that undo each other.""",
)
