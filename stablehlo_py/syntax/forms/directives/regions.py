"""Directives for ops with regions, which lay out the whole op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.attributes import DenseArrayAttr, IntegerAttr
from stablehlo_py.ir.core import Operation, Region, Value
from stablehlo_py.ir.types import I32, I64, TensorType
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.syntax.forms.directive import DirectiveDef, register
from stablehlo_py.syntax.forms.elements import read_attributes, read_signature, tokens_of
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.attributes import dims_of
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import Argument, OperationState
from stablehlo_py.syntax.read.types import results_of, type_of, types_of
from stablehlo_py.syntax.write.attributes import keyword
from stablehlo_py.syntax.write.types import dims_text

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer


# `(%a = %x) : type cond {...} do {...}`: both regions have the arguments.


def _read_while(
    context: ReadContext, child: Any, state: OperationState, operand: str, cond: str, body: str
) -> None:
    *inputs, types, attributes, cond_node, body_node = child[1:]
    pairs = [pair for pair in inputs if pair is not None]
    found = [] if types is None else types_of(context, types)
    if len(found) != len(pairs):
        raise context.error(
            child,
            "custom op 'stablehlo.while' number of operands and types do not match: "
            f"got {len(pairs)} operands and {len(found)} types",
        )
    state.groups[operand] = [value for _, _, value in pairs]
    state.operand_types = state.result_types = found
    read_attributes(context, attributes, state)
    entry = [Argument(token, type) for (_, token, _), type in zip(pairs, found, strict=True)]
    state.regions = {cond: [(cond_node, entry)], body: [(body_node, entry)]}


def _write_while(p: Printer, op: Operation, operands: Sequence[Value], *bodies: Sequence[Region]) -> None:
    cond, body = (region for regions in bodies for region in regions)
    arguments = body.blocks[0].arguments if body.blocks else ()
    pairs = zip(arguments, operands, strict=False)
    p.write(f"({', '.join([f'{p.name(argument)} = {p.name(value)}' for argument, value in pairs])})")
    if operands:
        p.write(" : ")
        p.types([value.type for value in operands])
    p.attr_dict(op, frozenset(), is_keyword=True)
    p.new_line()
    p.write("cond ")
    p.region(cond)
    p.write(" do ")
    p.region(body)


def _has_one_list_of_types(op: Operation, operands: Sequence[Value], *bodies: Sequence[Region]) -> bool:
    """Return True if results and both regions' arguments have the operands' types."""
    types = [value.type for value in operands]
    lists: list[Sequence[Value]] = [op.results]
    lists += [region.blocks[0].arguments for region in op.regions if region.blocks]
    return len(lists) == 3 and all([value.type for value in values] == types for values in lists)


register(DirectiveDef("while", _read_while, _write_while, fits=_has_one_list_of_types, own_spacing=True))


# `(%x init: %y) applies op across dimensions = [0] : type`, or `... reducer(%a: t, %b: t) {...}`.


def _read_reduce(
    context: ReadContext,
    child: Any,
    state: OperationState,
    inputs: str,
    init_values: str,
    dimensions: str,
    body: str,
) -> None:
    kind, pairs, *rest = child
    state.groups[inputs] = [value for _, value, _ in pairs[1:]]
    state.groups[init_values] = [value for _, _, value in pairs[1:]]
    if kind == "reduce":
        state.inner, *rest = rest
    dims, attributes, signature, *reducer = rest
    state.properties[dimensions] = DenseArrayAttr(I64, dims_of(context, dims))
    read_attributes(context, attributes, state)
    read_signature(context, signature, state)
    if kind == "reduce_with_reducer":
        state.regions[body] = [(reducer[1], _reducer_arguments(context, reducer[0]))]


def _reducer_arguments(context: ReadContext, node: Node) -> list[Argument]:
    """The arguments of `reducer(%a: t, %x: t) (%b: t, %y: t)`: elements first, then accumulators."""
    pairs = []
    for inputs in node[1:]:
        pairs.append(_arguments(context, inputs, "a pair such as (%a: tensor<f32>, %b: tensor<f32>)", 2))
    return [pair[0] for pair in pairs] + [pair[1] for pair in pairs]


def _arguments(context: ReadContext, node: Node, expected: str, count: int | None = None) -> list[Argument]:
    """The arguments of `(%a: t, %x: t)`, each with a name, `count` of them where that is given."""
    entries = [entry for entry in node[1:] if entry is not None]
    if count not in (None, len(entries)) or any(entry[0] != "func_input" for entry in entries):
        raise context.error(node, f"expected {expected}")
    return [Argument(token, type_of(context, t), location) for _, token, t, _, location in entries]


def _write_reduce(
    p: Printer,
    op: Operation,
    inputs: Sequence[Value],
    init_values: Sequence[Value],
    dimensions: DenseArrayAttr,
    bodies: Sequence[Region],
) -> None:
    pairs = zip(inputs, init_values, strict=True)
    p.write(", ".join([f"({p.name(value)} init: {p.name(init)})" for value, init in pairs]))
    (body,) = bodies
    inner = _compact_reducer(op, body)
    if inner is not None:
        p.write(f" applies {keyword(inner.name)}")
    p.write(f" across dimensions = {dims_text(dimensions.value)}")
    p.attr_dict(op, {"dimensions"})
    p.write(" : ")
    p.signature(op)
    if inner is None:
        _write_reducer(p, body)


def _write_reducer(p: Printer, body: Region) -> None:
    arguments = body.blocks[0].arguments
    half = len(arguments) // 2
    p.new_line()
    p.write(" reducer")
    for value, accumulator in zip(arguments[:half], arguments[half:], strict=True):
        p.write("(")
        p.argument(value)
        p.write(", ")
        p.argument(accumulator)
        p.write(") ")
    p.write(" ")
    p.region(body)


def _compact_reducer(op: Operation, body: Region) -> Operation | None:
    """The one op of a reduction's body if it can be written `applies stablehlo.add`, else None.

    The op is commutative, has the body's two arguments as its operands, one type throughout, made of the
    first input's element type, and gives what the body returns.
    """
    block = body.blocks[0]
    if len(block.ops) != 2 or not op.operands:
        return None
    inner, end = block.ops
    element_type = getattr(op.operands[0].type, "element_type", None)
    if not has_trait(inner.name, "commutative") or len(inner.results) != 1 or element_type is None:
        return None
    expected = TensorType((), element_type)
    values = (*inner.operands, *inner.results)
    fits = (
        len(values) == 3
        and all(value.type is expected for value in values)
        and inner.operands == block.arguments
        and end.name.endswith(".return")
        and end.operands == tuple(inner.results)
    )
    return inner if fits else None


def _has_pairs(op: Operation, *values: Any) -> bool:
    """Return True if a reduction has pairs of operands, and a block with as many arguments."""
    count, blocks = len(op.operands), op.regions[0].blocks
    return count > 0 and count % 2 == 0 and len(blocks) == 1 and len(blocks[0].arguments) == count


register(DirectiveDef("reduce", _read_reduce, _write_reduce, fits=_has_pairs, own_spacing=True))


# `(%inputs) inits (%inits) dimension=0 {...} : signature`.


def _read_scan(
    context: ReadContext,
    child: Any,
    state: OperationState,
    inputs: str,
    inits: str,
    dimension: str,
    body: str,
) -> None:
    _, values, initial, axis, attributes, region, signature = child
    state.groups[inputs], state.groups[inits] = tokens_of(values), tokens_of(initial)
    read_attributes(context, attributes, state)
    read_signature(context, signature, state)
    results, carried = len(state.result_types), len(state.groups[inits])
    if results < carried:
        raise context.error(signature, "not enough result types to cover the required carries")
    state.properties[dimension] = IntegerAttr(context.integer(axis), I64)
    state.properties["resultSegmentSizes"] = DenseArrayAttr(I32, (results - carried, carried))
    state.regions[body] = [(region, None)]


def _write_scan(
    p: Printer,
    op: Operation,
    inputs: Sequence[Value],
    inits: Sequence[Value],
    dimension: IntegerAttr,
    bodies: Sequence[Region],
) -> None:
    p.write("(")
    p.operands(inputs)
    p.write(") inits (")
    p.operands(inits)
    p.write(f") dimension={dimension.value} ")
    p.attr_dict(op, {"dimension", "operandSegmentSizes", "resultSegmentSizes"}, is_keyword=True)
    p.write(" ")
    p.region(bodies[0], entry_arguments=True)
    p.write(" : ")
    p.signature(op)


register(DirectiveDef("scan", _read_scan, _write_scan, own_spacing=True))


# `shape.assuming %witness -> (types) {...}`.


def _read_assuming(context: ReadContext, child: Any, state: OperationState, witness: str, body: str) -> None:
    _, value, results, region, attributes = child
    (operand,) = state.definition.operands
    assert operand.type.only is not None
    state.groups[witness] = [value]
    state.operand_types = [operand.type.only]
    state.result_types = [] if results is None else results_of(context, results)
    state.regions[body] = [(region, [])]
    read_attributes(context, attributes, state)


def _write_assuming(p: Printer, op: Operation, witness: Sequence[Value], bodies: Sequence[Region]) -> None:
    p.write(" ")
    p.operands(witness)
    if op.results:
        p.write(" -> (")
        p.types([result.type for result in op.results])
        p.write(")")
    p.write(" ")
    p.region(bodies[0], bare_terminator=bool(op.results))
    p.attr_dict(op, frozenset())


def _has_block(op: Operation, *values: Any) -> bool:
    return len(op.regions) == 1 and len(op.regions[0].blocks) == 1


register(DirectiveDef("assuming", _read_assuming, _write_assuming, fits=_has_block, own_spacing=True))


# `sdy`: `(%a: type) {...}`.


def _read_sharded_body(context: ReadContext, child: Any, state: OperationState, body: str) -> None:
    _, inputs, region = child
    arguments = _arguments(context, inputs, "arguments such as (%a: tensor<f32>)")
    state.regions[body] = [(region, arguments)]


def _write_sharded_body(p: Printer, op: Operation, bodies: Sequence[Region]) -> None:
    p.write("(")
    for index, argument in enumerate(bodies[0].blocks[0].arguments):
        p.write(", " if index else "")
        p.argument(argument)
    p.write(") ")
    p.region(bodies[0])


register(DirectiveDef("sharded_body", _read_sharded_body, _write_sharded_body, fits=_has_block))
