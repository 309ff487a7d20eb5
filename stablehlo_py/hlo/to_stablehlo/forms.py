"""Opcodes that are no single op of the same operands and results."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from stablehlo_py.hlo.literals import Literal
from stablehlo_py.hlo.module import Instruction
from stablehlo_py.hlo.to_stablehlo.custom_calls import composite, custom_call, smallest
from stablehlo_py.hlo.to_stablehlo.expansions import (
    as_type,
    random_state,
    reshaped,
    scaled_dot,
    scan,
    stochastic_convert,
    tensor,
)
from stablehlo_py.hlo.to_stablehlo.scope import Scope, Unconvertible, inputs_of, literal_value, opaque, plain
from stablehlo_py.hlo.to_stablehlo.values import Tree, leaves, tree_of, types_of
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.element_types import ELEMENT_TYPES
from stablehlo_py.ir.types import TOKEN, ComplexType, IntegerType, TensorType, Type

Form = Callable[[Scope, Instruction], Tree]


def _first(scope: Scope, instruction: Instruction) -> Tree:
    return scope.tree(instruction.operands[0])


def _element(number: int) -> Form:
    def form(scope: Scope, instruction: Instruction) -> Tree:
        tree = scope.tree(instruction.operand)
        return tree[number] if isinstance(tree, tuple) else tree

    return form


def _tuple(scope: Scope, instruction: Instruction) -> Tree:
    return tuple([scope.tree(operand) for operand in instruction.operands])


def _get_tuple_element(scope: Scope, instruction: Instruction) -> Tree:
    tree = scope.tree(instruction.operand)
    assert isinstance(tree, tuple)
    index: int = instruction.attributes["index"]
    return tree[index]


def _constant(scope: Scope, instruction: Instruction) -> Tree:
    assert isinstance(instruction.value, Literal)
    return literal_value(scope, instruction.value)


def _inlined(scope: Scope, instruction: Instruction) -> Tree:
    computation = instruction.attributes["calls"]
    return scope.inline(computation, [scope.tree(operand) for operand in instruction.operands])


def _async_start(scope: Scope, instruction: Instruction) -> Tree:
    arguments = tuple([scope.tree(operand) for operand in instruction.operands])
    return arguments, scope.inline(instruction.attributes["calls"], arguments)


def _call(scope: Scope, instruction: Instruction) -> Tree:
    if instruction.attributes.get("is_composite"):
        return composite(scope, instruction)
    inputs = {"callee": scope.function(instruction.attributes["to_apply"])}
    return scope.made(instruction, "func.call", scope.operands(instruction), inputs)


def _after_all(scope: Scope, instruction: Instruction) -> Tree:
    """Join tokens; other operands, which only order, have no effect."""
    return plain(scope, instruction, [each for each in scope.operands(instruction) if each.type is TOKEN])


def _while(scope: Scope, instruction: Instruction) -> Tree:
    regions = [scope.region(instruction.attributes[name]) for name in ("condition", "body")]
    return scope.made(instruction, instruction.row.op, scope.operands(instruction), regions=regions)


def _conditional(scope: Scope, instruction: Instruction) -> Tree:
    index, *operands = instruction.operands
    branches = zip(instruction.called, operands, strict=True)
    regions = [scope.region(computation, [scope.tree(operand)]) for (_, computation), operand in branches]
    name = "stablehlo.if" if "true_computation" in instruction.attributes else instruction.row.op
    return scope.made(instruction, name, [scope.value(index)], regions=regions)


def _select(scope: Scope, instruction: Instruction) -> Tree:
    """Select an array, or each element of a tuple."""
    predicate, *values = [scope.tree(operand) for operand in instruction.operands]
    pairs = zip(*map(leaves, values), strict=True)
    made = [scope.one(instruction.row.op, [*leaves(predicate), *pair], pair[0].type) for pair in pairs]
    return tree_of(instruction.shape, iter(made))


# ------------------------------------------------------------------------------- shapes and layouts


def _bitcast(scope: Scope, instruction: Instruction) -> Tree:
    """Read the elements in the order of one layout as those of another: transpose, reshape, transpose."""
    operand = instruction.operand
    value, before, after = scope.value(operand), operand.shape, instruction.shape
    if before == after:
        return value
    order, back = before.layout.major_to_minor, after.layout.major_to_minor
    value = _transposed(scope, value, order)
    sizes = tuple([after.dimensions[n] for n in back])
    if before.element_type is not after.element_type:
        value = _reinterpreted(scope, value, after.element_type)
    value = reshaped(scope, value, sizes)
    return _transposed(scope, value, [back.index(n) for n in range(len(back))])


def _transposed(scope: Scope, value: Value, order: Sequence[int]) -> Value:
    if list(order) == list(range(len(order))):
        return value
    type = tensor(value)
    made = TensorType(tuple([type.shape[n] for n in order]), type.element_type)
    return scope.one("stablehlo.transpose", [value], made, {"permutation": list(order)})


def _reinterpreted(scope: Scope, value: Value, element: Type) -> Value:
    """Read the bits of elements as those of another type."""
    type = tensor(value)
    before, after = ELEMENT_TYPES[type.element_type].width, ELEMENT_TYPES[element].width
    sizes = list(type.shape)
    if before > after:
        sizes.append(before // after)
    elif before < after:
        count = after // before
        total = math.prod(size or 0 for size in sizes)
        value = reshaped(scope, value, (total // count, count))
        sizes = [total // count]
    return scope.one("stablehlo.bitcast_convert", [value], TensorType(tuple(sizes), element))


def _broadcast(scope: Scope, instruction: Instruction) -> Tree:
    if any(instruction.shape.dynamic):
        return opaque(scope, instruction)
    return plain(scope, instruction)


def _complex_part(scope: Scope, instruction: Instruction) -> Tree:
    """Take the real or imaginary part, which of real numbers are these, or zeros."""
    operand = scope.value(instruction.operand)
    if isinstance(tensor(operand).element_type, ComplexType):
        return plain(scope, instruction)
    return operand if instruction.opcode == "real" else scope.constant(0, operand.type)


def _dynamic_reshape(scope: Scope, instruction: Instruction) -> Tree:
    operand, *sizes = [scope.value(each) for each in instruction.operands]
    if len(sizes) != instruction.shape.rank:
        raise Unconvertible(f"{instruction.shape.rank} sizes are needed, got {len(sizes)}")
    if not sizes:
        return reshaped(scope, operand, ())
    parts = [reshaped(scope, size, (1,)) for size in sizes]
    element = tensor(parts[0]).element_type
    sizes_type = TensorType((len(parts),), element)
    together = scope.one("stablehlo.concatenate", parts, sizes_type, {"dimension": 0})
    return scope.one(instruction.row.op, [operand, together], instruction.shape.to_type())


def _indexed(scope: Scope, instruction: Instruction) -> Tree:
    """Convert a dynamic slice or its update, whose indices may be one vector in old texts."""
    values = [scope.value(operand) for operand in instruction.operands]
    arrays = 1 if instruction.opcode == "dynamic-slice" else 2
    indices = values[arrays:]
    if len(indices) == 1 and tensor(indices[0]).shape:
        (vector,) = indices
        type = tensor(vector)
        indices = []
        for number in range(type.shape[0] or 0):
            inputs = {"start_indices": [number], "limit_indices": [number + 1], "strides": [1]}
            part = scope.one("stablehlo.slice", [vector], TensorType((1,), type.element_type), inputs)
            indices.append(reshaped(scope, part, ()))
    return plain(scope, instruction, [*values[:arrays], *indices])


# ------------------------------------------------------------------------------- numbers


def _mulhi(scope: Scope, instruction: Instruction) -> Tree:
    """Take the high half of products, from products of twice the width, or of halves for 64 bits."""
    left, right = [scope.value(operand) for operand in instruction.operands]
    type = tensor(left)
    if not isinstance(type.element_type, IntegerType):
        raise Unconvertible(f"the operands must be integers, got {type}")
    width = type.element_type.width
    if width == 64:
        return scope.one("chlo.mulhi", [left, right], type)
    wide = TensorType(type.shape, IntegerType(2 * width, type.element_type.signedness))
    both = [as_type(scope, value, wide.element_type) for value in (left, right)]
    product = scope.one("stablehlo.multiply", both, wide)
    high = scope.one("stablehlo.shift_right_logical", [product, scope.constant(width, wide)], wide)
    return as_type(scope, high, type.element_type)


def _topk(scope: Scope, instruction: Instruction) -> Tree:
    is_descending = instruction.attributes.get("largest", True)
    return plain(scope, instruction) if is_descending else smallest(scope, instruction)


def _rng(scope: Scope, instruction: Instruction) -> Tree:
    bounds = [scope.value(operand) for operand in instruction.operands]
    if None in instruction.shape.dimensions:
        raise Unconvertible(f"the result {instruction.shape} has an unbounded dimension")
    sizes = instruction.shape.sizes
    shape = scope.constant(list(sizes), TensorType((len(sizes),), IntegerType(64)))
    return plain(scope, instruction, [*bounds, shape])


def _product(scope: Scope, instruction: Instruction) -> Tree:
    """Convert a product or convolution, whose operands may have different types."""
    operands = [scope.value(operand) for operand in instruction.operands]
    if tensor(operands[0]).element_type is not tensor(operands[1]).element_type:
        element = instruction.shape.element_type
        operands[:2] = [as_type(scope, operand, element) for operand in operands[:2]]
    return plain(scope, instruction, operands)


# ------------------------------------------------------------------------------- collectives


def _all_to_all(scope: Scope, instruction: Instruction) -> Tree:
    """Exchange parts; the form without dimensions has an operand and a result for each process."""
    groups = instruction.attributes["replica_groups"].groups
    operands = [scope.value(operand) for operand in instruction.operands]
    inputs = inputs_of(instruction)
    if "dimensions" in instruction.attributes:
        number, *others = instruction.attributes["dimensions"] or (0, 0)
        if others or len(operands) != 1:
            raise Unconvertible("the form with dimensions= takes one dimension and one operand")
        count = len(groups[0]) if groups else len(operands)
        inputs |= {"split_dimension": number, "concat_dimension": number, "split_count": count}
        return scope.one(instruction.row.op, operands, instruction.shape.to_type(), inputs)
    count, type = len(operands), tensor(operands[0])
    rows = [reshaped(scope, operand, (1, *type.shape)) for operand in operands]
    all_type = TensorType((count, *type.shape), type.element_type)
    together = scope.one("stablehlo.concatenate", rows, all_type, {"dimension": 0}) if count > 1 else rows[0]
    inputs |= {"split_dimension": 0, "concat_dimension": 0, "split_count": count}
    exchanged = scope.one(instruction.row.op, [together], all_type, inputs)
    parts = []
    for number in range(count):
        starts = [number, *[0] * len(type.shape)]
        limits = [number + 1, *type.shape]
        cut = {"start_indices": starts, "limit_indices": limits, "strides": [1] * len(limits)}
        row = scope.one("stablehlo.slice", [exchanged], TensorType((1, *type.shape), type.element_type), cut)
        parts.append(reshaped(scope, row, type.shape))
    return tuple(parts) if instruction.shape.is_tuple else parts[0]


def _collective_permute(scope: Scope, instruction: Instruction) -> Tree:
    """Permute each of several operands; a form that updates slices in place has no op."""
    if instruction.attributes.get("slice_sizes"):
        return opaque(scope, instruction)
    inputs = inputs_of(instruction)
    operands = [scope.value(operand) for operand in instruction.operands]
    made = [scope.one(instruction.row.op, [each], each.type, inputs) for each in operands]
    return tuple(made) if instruction.shape.is_tuple else made[0]


def _context(scope: Scope) -> Value:
    return scope.constant(0, TensorType((), IntegerType(32, "u")))


def _transfer(instruction: Instruction, host: int) -> dict[str, object]:
    """Return the inputs of a transfer: `host` is the type of its channel to or from the host."""
    is_host = instruction.attributes.get("is_host_transfer", False)
    channel = {"handle": instruction.attributes.get("channel_id", 0), "type": host if is_host else 1}
    return {"channel_handle": channel, "is_host_transfer": is_host}


def _send(scope: Scope, instruction: Instruction) -> Tree:
    data, token = [scope.tree(operand) for operand in instruction.operands]
    operands = [*leaves(data), *leaves(token)]
    sent = scope.one(instruction.row.op, operands, TOKEN, _transfer(instruction, 2))
    return data, _context(scope), sent


def _recv(scope: Scope, instruction: Instruction) -> Tree:
    received = instruction.shape.tuple_shapes[0]
    operands = [scope.value(instruction.operand)]
    types = [*types_of(received), TOKEN]
    results = scope.create(instruction.row.op, operands, types, _transfer(instruction, 3))
    return tree_of(received, iter(results[:-1])), _context(scope), results[-1]


def _recv_done(scope: Scope, instruction: Instruction) -> Tree:
    tree = scope.tree(instruction.operand)
    if not isinstance(tree, tuple) or len(tree) != 3:
        raise Unconvertible("the operand must be the result of a recv")
    return tree[0], tree[2]


def _started(opcode: str, has_operands: bool) -> Form:
    """Return the form of a start that is not in a computation of its own: the op itself, in place."""

    def form(scope: Scope, instruction: Instruction) -> Tree:
        operands = tuple([scope.tree(operand) for operand in instruction.operands])
        result = instruction.shape
        if has_operands:
            if not result.is_tuple or len(result.tuple_shapes) < 2:
                raise Unconvertible(f"the result must be a tuple of operands and results, got {result}")
            result = result.tuple_shapes[1]
        whole = Instruction(
            instruction.name,
            opcode,
            result,
            instruction.operands,
            instruction.attributes,
            offset=instruction.offset,
        )
        found = FORMS.get(opcode, plain)(scope, whole)
        if not has_operands:
            return found
        return (operands[0] if len(operands) == 1 else operands), found

    return form


FORMS: dict[str, Form] = {
    "add-dependency": _first,
    "all-gather-start": _started("all-gather", has_operands=True),
    "all-gather-done": _element(1),
    "all-reduce-start": _started("all-reduce", has_operands=False),
    "all-reduce-done": _first,
    "after-all": _after_all,
    "all-to-all": _all_to_all,
    "async-start": _async_start,
    "async-update": _first,
    "async-done": _element(1),
    "bitcast": _bitcast,
    "broadcast": _broadcast,
    "call": _call,
    "collective-permute": _collective_permute,
    "collective-permute-start": _started("collective-permute", has_operands=True),
    "collective-permute-done": _element(1),
    "conditional": _conditional,
    "constant": _constant,
    "convolution": _product,
    "copy": _first,
    "copy-start": lambda scope, i: (scope.tree(i.operand), scope.tree(i.operand)),
    "copy-done": _element(0),
    "custom-call": custom_call,
    "domain": _first,
    "dot": _product,
    "dynamic-reshape": _dynamic_reshape,
    "dynamic-slice": _indexed,
    "dynamic-update-slice": _indexed,
    "fusion": _inlined,
    "get-tuple-element": _get_tuple_element,
    "imag": _complex_part,
    "mulhi": _mulhi,
    "real": _complex_part,
    "recv": _recv,
    "recv-done": _recv_done,
    "rng": _rng,
    "rng-get-and-update-state": random_state,
    "scaled-dot": scaled_dot,
    "scan": scan,
    "select": _select,
    "send": _send,
    "send-done": _element(2),
    "stochastic-convert": stochastic_convert,
    "topk": _topk,
    "tuple": _tuple,
    "while": _while,
}
