"""Opcodes that become several ops: scans, scaled products, stochastic conversions, random states."""

from __future__ import annotations

import numpy as np

from stablehlo_py.hlo.module import Instruction
from stablehlo_py.hlo.to_stablehlo.scope import Scope, Unconvertible, inputs_of
from stablehlo_py.hlo.to_stablehlo.values import Tree, leaves, types_of
from stablehlo_py.ir.core import Block, Region, Value
from stablehlo_py.ir.element_types import ELEMENT_TYPES, numpy_dtype
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.ir.types import F32, F64, I32, IntegerType, TensorType, Type

_INITIAL_STATE = 0x7012395  # of XLA on CPUs


def tensor(value: Value) -> TensorType:
    """Return the type of an array."""
    if not isinstance(value.type, TensorType):
        raise Unconvertible(f"an operand must be an array, got {value.type}")
    return value.type


def reshaped(scope: Scope, value: Value, sizes: tuple[int | None, ...]) -> Value:
    """Reshape an array, unless it has the sizes."""
    type = tensor(value)
    if sizes == type.shape:
        return value
    return scope.one("stablehlo.reshape", [value], TensorType(sizes, type.element_type))


def as_type(scope: Scope, value: Value, element: Type) -> Value:
    """Convert the elements of an array, unless they are of the type."""
    type = tensor(value)
    if type.element_type is element:
        return value
    return scope.one("stablehlo.convert", [value], TensorType(type.shape, element))


def random_state(scope: Scope, instruction: Instruction) -> Tree:
    """Return the state of a fresh process: each instruction has a state of its own."""
    type = instruction.shape.to_type()
    assert isinstance(type, TensorType)
    words = np.zeros(instruction.shape.sizes, numpy_dtype(type.element_type))
    words.reshape(-1)[:1] = _INITIAL_STATE
    return scope.constant(words, type)


# ------------------------------------------------------------------------------- scans


def scan(scope: Scope, instruction: Instruction) -> Tree:
    """Loop over a dimension: a step takes parts of inputs and carries, and gives those of outputs."""
    attributes = instruction.attributes
    computation, count = attributes["to_apply"], attributes["num_carries"]
    values = [scope.value(operand) for operand in instruction.operands]
    inputs, carries = values[: len(values) - count], values[len(values) - count :]
    (number,) = attributes["dimensions"]
    size = tensor(inputs[0]).shape[number] if inputs else 0
    types = types_of(instruction.shape)
    counter = TensorType((), I32)
    outputs = [scope.constant(0, type) for type in types[: len(types) - count]]
    state = [scope.constant(0, counter), *outputs, *carries]
    state_types = [counter, *types]

    condition = Block(state_types)
    builder = OpBuilder(condition)
    last = builder.constant(size, counter)
    less = scope.at(builder).one(
        "stablehlo.compare",
        [condition.arguments[0], last],
        TensorType((), IntegerType(1)),
        {"comparison_direction": "LT"},
    )
    builder.create("stablehlo.return", [less])

    body = Block(state_types)
    inner = scope.at(OpBuilder(body))
    step, *rest = body.arguments
    at: Value = step
    if attributes.get("is_reverse"):
        at = inner.one("stablehlo.subtract", [inner.constant((size or 0) - 1, counter), step], counter)
    old, held = rest[: len(outputs)], rest[len(outputs) :]
    parts = [_part(inner, value, at, number) for value in inputs]
    made = leaves(inner.inline(computation, [*parts, *held]))
    new = [_stored(inner, a, b, at, number) for a, b in zip(old, made[: len(outputs)], strict=True)]
    following = inner.one("stablehlo.add", [step, inner.constant(1, counter)], counter)
    inner.builder.create("stablehlo.return", [following, *new, *made[len(outputs) :]])

    results = scope.create(
        "stablehlo.while", state, state_types, regions=[Region([condition]), Region([body])]
    )
    return tuple(results[1:]) if instruction.shape.is_tuple else results[1]


def _indices(scope: Scope, rank: int, at: Value, number: int) -> list[Value]:
    zero = scope.constant(0, TensorType((), I32))
    return [at if n == number else zero for n in range(rank)]


def _part(scope: Scope, value: Value, at: Value, number: int) -> Value:
    """Take a part of an array along a dimension, without the dimension."""
    type = tensor(value)
    sizes = tuple([1 if n == number else size for n, size in enumerate(type.shape)])
    indices = _indices(scope, len(sizes), at, number)
    cut = scope.one(
        "stablehlo.dynamic_slice",
        [value, *indices],
        TensorType(sizes, type.element_type),
        {"slice_sizes": sizes},
    )
    return reshaped(scope, cut, sizes[:number] + sizes[number + 1 :])


def _stored(scope: Scope, value: Value, part: Value, at: Value, number: int) -> Value:
    """Replace a part of an array along a dimension."""
    type = tensor(value)
    sizes = tuple([1 if n == number else size for n, size in enumerate(type.shape)])
    indices = _indices(scope, len(sizes), at, number)
    return scope.one("stablehlo.dynamic_update_slice", [value, reshaped(scope, part, sizes), *indices], type)


# ------------------------------------------------------------------------------- numbers


def scaled_dot(scope: Scope, instruction: Instruction) -> Tree:
    """Multiply operands by their scales, each of which is for a block of elements, and then both, in f32."""
    left, right, left_scale, right_scale = [scope.value(operand) for operand in instruction.operands]
    both = [_scaled(scope, value, scale) for value, scale in ((left, left_scale), (right, right_scale))]
    product = TensorType(instruction.shape.dimensions, F32)
    found = scope.one("stablehlo.dot_general", both, product, inputs_of(instruction))
    return as_type(scope, found, instruction.shape.element_type)


def _scaled(scope: Scope, value: Value, scale: Value) -> Value:
    value, scale = as_type(scope, value, F32), as_type(scope, scale, F32)
    sizes, counts = tensor(value).shape, tensor(scale).shape
    blocks, numbers = list[int | None](), list[int]()
    for size, count in zip(sizes, counts, strict=False):
        numbers.append(len(blocks))
        blocks += [count, (size or 0) // (count or 1)]
    blocked = TensorType(tuple(blocks), F32) if counts else TensorType(sizes, F32)
    inputs = {"broadcast_dimensions": numbers}
    spread = scope.one("stablehlo.broadcast_in_dim", [scale], blocked, inputs)
    return scope.one("stablehlo.multiply", [value, reshaped(scope, spread, sizes)], tensor(value))


def stochastic_convert(scope: Scope, instruction: Instruction) -> Tree:
    """Round magnitudes up where the fraction, as an integer of the random number's width, exceeds it."""
    value, random = [scope.value(operand) for operand in instruction.operands]
    width = ELEMENT_TYPES[tensor(random).element_type].width
    value = as_type(scope, value, F64 if width == 64 else F32)
    type = tensor(value)
    magnitude = scope.one("stablehlo.abs", [value], type)
    whole = scope.one("stablehlo.floor", [magnitude], type)
    fraction = scope.one("stablehlo.subtract", [magnitude, whole], type)
    scaled = scope.one("stablehlo.multiply", [fraction, scope.constant(2.0**width, type)], type)
    limit = as_type(scope, scaled, tensor(random).element_type)
    less = TensorType(type.shape, IntegerType(1))
    is_up = scope.one("stablehlo.compare", [random, limit], less, {"comparison_direction": "LT"})
    rounded = scope.one("stablehlo.add", [whole, as_type(scope, is_up, type.element_type)], type)
    signed = scope.one("stablehlo.multiply", [scope.one("stablehlo.sign", [value], type), rounded], type)
    return as_type(scope, signed, instruction.shape.element_type)
