"""Ops whose instructions are more than their row says: control flow, broadcasts, calls, several results."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.hlo.attribute_rows import attributes_from
from stablehlo_py.hlo.from_stablehlo.scope import Scope, Unwritable, captured, result_shape
from stablehlo_py.hlo.kinds import API_VERSIONS
from stablehlo_py.hlo.literals import Literal
from stablehlo_py.hlo.module import Instruction
from stablehlo_py.hlo.opcodes import opcodes
from stablehlo_py.ir.attributes import DenseElementsAttr, StringAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.layout.shape import Shape
from stablehlo_py.opset.attribute_conversion import python_value
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import Attr, lookup
from stablehlo_py.opset.op_inputs import stored_value

Form = Callable[[Scope, Operation], None]
_NOT_CONVERTED = ("infeed", "outfeed", "send", "recv", "dynamic-reshape")  # their operands or results differ


@cache
def opcode_of() -> dict[str, str]:
    """Return the opcode that is equal to an op, by the name of the op."""
    rows = {row.op: name for name, row in opcodes().items() if row.op and name not in _NOT_CONVERTED}
    return rows | {"func.call": "call", "stablehlo.call": "call"}


def inputs_of(op: Operation) -> dict[str, Any]:
    """Return the inputs of an op that are attributes, by name; None for those that it does not state."""
    definition = lookup(op.name)
    assert definition is not None
    attrs = [each for each in definition.inputs if isinstance(each, Attr)]
    return {attr.name: _plain(python_value(stored_value(op, attr))) for attr in attrs}


def _plain(value: Any) -> Any:
    return tuple(value.tolist()) if isinstance(value, np.ndarray) and value.ndim == 1 else value


def _attributes(opcode: str, op: Operation) -> dict[str, Any]:
    """Return the attributes of the instruction that an op becomes, without called computations."""
    shapes = [getattr(operand.type, "shape", ()) for operand in op.operands]
    inputs = inputs_of(op) | {"channel_handle": op.attribute("channel_handle")}
    return attributes_from(opcode, inputs, shapes)


def plain(scope: Scope, op: Operation) -> None:
    """Convert an op to the instruction of its row."""
    opcode = opcode_of().get(op.name)
    if opcode is None:
        raise Unwritable("HLO has no such op")
    operands = scope.operands(op)
    row = opcodes()[opcode]
    if row.operands is not None:
        operands = operands[: row.operands]
    attributes = _attributes(opcode, op)
    names = [name for name, each in row.attributes.items() if each.kind == "computation"]
    for name, region in zip(names, op.regions, strict=False):
        attributes[name] = scope.make_region(scope, region, None, None)
    scope.results(op, scope.emit(opcode, result_shape(op), operands, attributes))


def _constant(scope: Scope, op: Operation) -> None:
    value = op.attribute("value")
    shape = result_shape(op)
    if not isinstance(value, DenseElementsAttr):
        raise Unwritable("its elements are not in the file")
    array = value.value.astype(numpy_dtype(shape.element_type), copy=False).reshape(shape.sizes)
    scope.values[op.results[0]] = scope.emit("constant", shape, value=Literal(shape, array))


def _broadcast(scope: Scope, op: Operation) -> None:
    """Dimensions of size 1 are removed, and the others are put in increasing order."""
    (operand,) = scope.operands(op)
    target = result_shape(op)
    dimensions = list(inputs_of(op)["broadcast_dimensions"] or ())
    sizes = operand.shape.sizes
    kept = [n for n, to in enumerate(dimensions) if sizes[n] == target.sizes[to]]
    if len(kept) < len(dimensions):
        operand = scope.emit("reshape", _resized(operand.shape, [sizes[n] for n in kept]), [operand])
    places = [dimensions[n] for n in kept]
    order = sorted(range(len(places)), key=places.__getitem__)
    if order != list(range(len(places))):
        moved = _resized(operand.shape, [operand.shape.sizes[n] for n in order])
        operand = scope.emit("transpose", moved, [operand], {"dimensions": tuple(order)})
    attributes = {"dimensions": tuple(sorted(places))}
    scope.values[op.results[0]] = scope.emit("broadcast", target, [operand], attributes)


def _resized(shape: Shape, sizes: list[int]) -> Shape:
    return Shape(shape.element_type, tuple(sizes))


def _spread(scope: Scope, scalar: Instruction, shape: Shape) -> Instruction:
    """Broadcast a scalar to the sizes of a shape."""
    return scope.emit("broadcast", _resized(scalar.shape, list(shape.sizes)), [scalar], {"dimensions": ()})


def _elementwise(scope: Scope, op: Operation) -> None:
    """Operands that are scalars are broadcast."""
    shape = result_shape(op)
    parts = [
        each if each.shape.rank == shape.rank else _spread(scope, each, shape) for each in scope.operands(op)
    ]
    scope.values[op.results[0]] = scope.emit(opcode_of()[op.name], shape, parts)


def _real(scope: Scope, op: Operation) -> None:
    """The real part of a real number is the number."""
    (operand,) = scope.operands(op)
    opcode = opcode_of()[op.name] if operand.shape.element_type != result_shape(op).element_type else "copy"
    scope.results(op, scope.emit(opcode, result_shape(op), [operand]))


def _dot(scope: Scope, op: Operation) -> None:
    """The last dimension of the left side is contracted with the first one of the right side."""
    left, right = scope.operands(op)
    attributes = {"lhs_contracting_dims": (left.shape.rank - 1,), "rhs_contracting_dims": (0,)}
    scope.results(op, scope.emit("dot", result_shape(op), [left, right], attributes))


def _while(scope: Scope, op: Operation) -> None:
    """What the regions capture is carried unchanged."""
    outside = captured(*op.regions)
    start = scope.tuple([scope.value(value) for value in (*op.operands, *outside)])
    condition = scope.make_region(scope, op.regions[0], outside, None)
    body = scope.make_region(scope, op.regions[1], outside, outside)
    made = scope.emit("while", start.shape, [start], {"condition": condition, "body": body})
    scope.values.update(zip(op.results, scope.elements(made), strict=False))


def _conditional(scope: Scope, op: Operation) -> None:
    """Each branch takes the tuple of what it captures."""
    index = scope.value(op.operands[0])
    branches, operands = [], [index]
    for region in op.regions:
        values = captured(region)
        branches.append(scope.make_region(scope, region, values, ()))
        operands.append(scope.tuple([scope.value(value) for value in values]))
    attributes = {"branch_computations": tuple(branches)}
    if opcode_of().get(op.name) is None:  # `if`, of a predicate
        attributes = dict(zip(("true_computation", "false_computation"), branches, strict=True))  # type: ignore[arg-type]
    made = scope.emit("conditional", branches[0].root.shape, operands, attributes)
    scope.values.update(zip(op.results, scope.elements(made), strict=True))


def _call(scope: Scope, op: Operation) -> None:
    name = callee(op)
    assert name is not None  # the module is valid
    computation = scope.make_function(name)
    made = scope.emit("call", computation.root.shape, scope.operands(op), {"to_apply": computation})
    scope.results(op, made)


def _barrier(scope: Scope, op: Operation) -> None:
    whole = scope.tuple(scope.operands(op))
    made = scope.emit("opt-barrier", whole.shape, [whole])
    scope.values.update(zip(op.results, scope.elements(made), strict=True))


def _token(scope: Scope, op: Operation) -> None:
    scope.values[op.results[0]] = scope.emit("after-all", Shape.token(), scope.operands(op))


def _rng(scope: Scope, op: Operation) -> None:
    """The shape of random numbers is that of the result, and no operand."""
    low, high, _ = scope.operands(op)
    scope.results(op, scope.emit("rng", result_shape(op), [low, high], _attributes("rng", op)))


def _all_to_all(scope: Scope, op: Operation) -> None:
    """Parts are exchanged along one dimension; with another one for the results, it is moved."""
    inputs = inputs_of(op)
    if inputs["split_dimension"] != inputs["concat_dimension"]:
        raise Unwritable("split_dimension and concat_dimension must be equal")
    attributes = _attributes("all-to-all", op) | {"dimensions": (inputs["split_dimension"],)}
    scope.results(op, scope.emit("all-to-all", result_shape(op), scope.operands(op), attributes))


def _custom_call(scope: Scope, op: Operation) -> None:
    inputs, config = inputs_of(op), op.attribute("backend_config")
    called = [scope.make_function(name) for name in inputs["called_computations"] or ()]
    aliases = [
        (tuple(a["output_tuple_indices"]), a["operand_index"], tuple(a["operand_tuple_indices"]))
        for a in inputs["output_operand_aliases"] or ()
    ]
    attributes = {
        "custom_call_target": inputs["call_target_name"],
        "custom_call_has_side_effect": inputs["has_side_effect"] or None,
        "output_to_operand_aliasing": tuple(aliases) or None,
        "api_version": dict(enumerate(API_VERSIONS)).get(inputs["api_version"] or 1),
        "called_computations": tuple(called) or None,
        "backend_config": config.value if isinstance(config, StringAttr) else config and str(config),
    }
    scope.results(op, scope.emit("custom-call", result_shape(op), scope.operands(op), attributes))


def _tuple(scope: Scope, op: Operation) -> None:
    scope.values[op.results[0]] = scope.tuple(scope.operands(op))


def _removed(scope: Scope, op: Operation) -> None:
    raise Unwritable("it has no form in HLO: apply -p stablehlo-legalize-deprecated-ops first")


FORMS: dict[str, Form] = {
    "stablehlo.constant": _constant,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.select": _elementwise,
    "stablehlo.clamp": _elementwise,
    "stablehlo.real": _real,
    "stablehlo.dot": _dot,
    "stablehlo.while": _while,
    "stablehlo.case": _conditional,
    "stablehlo.if": _conditional,
    "func.call": _call,
    "stablehlo.composite": _call,
    "stablehlo.optimization_barrier": _barrier,
    "stablehlo.after_all": _token,
    "stablehlo.create_token": _token,
    "stablehlo.all_to_all": _all_to_all,
    "stablehlo.rng": _rng,
    "stablehlo.tuple": _tuple,
    "stablehlo.custom_call": _custom_call,
    "stablehlo.einsum": _removed,
    "stablehlo.broadcast": _removed,
    "stablehlo.torch_index_select": _removed,
    "stablehlo.unary_einsum": _removed,
    "stablehlo.cross-replica-sum": _removed,
}
