"""Directives of the dialects `cf` and `scf`: the cases of a switch, loops and branches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DenseElementsAttr, OpaqueAttr, UnitAttr
from stablehlo_py.ir.core import Block, Operation, OpResult, Region, Value
from stablehlo_py.ir.types import I1, I32, INDEX, IntegerType, OpaqueType, Type
from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.forms.directive import DirectiveDef, register
from stablehlo_py.syntax.forms.elements import read_attributes, read_signature, tokens_of
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.literals import MINUS_ZERO, integer_value
from stablehlo_py.syntax.read.operation_state import Argument, OperationState
from stablehlo_py.syntax.read.types import results_of, type_of, types_of

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer


# `[default: ^bb1, 42: ^bb2(%a : f32)]`; case values are a vector, which the IR keeps as text.

_TRUTH = {"false": 0, "true": 1}
_NUMBER = re.compile(r"-?\d+|false|true")
_READ_AS = IntegerType(64, "s")  # case values, before they wrap around at the flag's width


def _read_switch_cases(
    context: ReadContext,
    child: Any,
    state: OperationState,
    default: str,
    default_operands: str,
    cases: str,
    case_operands: str,
    values: str,
    segments: str,
) -> None:
    _, first, operands, *rest = child
    for token in tokens_of(operands and operands[1]):
        if "#" in context.text(token):  # those of other cases may have one
            context.report(context.error(token, "result number not allowed in argument list"))
    state.successors = [first, *rest[1::3]]
    groups = [_block_operands(context, node) for node in (operands, *rest[2::3])]
    state.groups[default_operands], state.types[default_operands] = groups[0]
    state.groups[case_operands] = [token for tokens, _ in groups[1:] for token in tokens]
    state.types[case_operands] = [type for _, types in groups[1:] for type in types]
    state.properties[segments] = DenseArrayAttr(I32, tuple([len(tokens) for tokens, _ in groups[1:]]))
    if rest:
        (flag,) = (
            types[0] for name, types in state.types.items() if name not in (default_operands, case_operands)
        )
        state.properties[values] = _vector(context, rest[::3], flag)


def _block_operands(context: ReadContext, node: Node | None) -> tuple[list[int], list[Type]]:
    return ([], []) if node is None else (tokens_of(node[1]), types_of(context, node[2]))


def _vector(context: ReadContext, values: Sequence[Any], element: Type) -> OpaqueAttr:
    """Return `dense<[42, 43]> : vector<2xi32>`, as MLIR prints it."""
    numbers = [_case_value(context, value, element) for value in values]
    words = [str(number) if element is not I1 else str(bool(number)).lower() for number in numbers]
    text = words[0] if len(set(words)) == 1 else f"[{', '.join(words)}]"
    return OpaqueAttr(f"dense<{text}>", OpaqueType(f"vector<{len(words)}x{element}>"))


def _case_value(context: ReadContext, value: Any, flag: Type) -> int:
    """Return the value of a case; as in MLIR, it wraps around at the flag's width, and `true` is -1."""
    if not isinstance(value, int):
        number = -1 if value[0] == "true" else 0
    else:
        text, offset = context.text(value), context.start(value)
        is_zero = MINUS_ZERO.fullmatch(text)  # no integer of other attributes
        number = 0 if is_zero else integer_value(context.parser_state, offset, text, _READ_AS)
    if not isinstance(flag, IntegerType):
        return number
    number %= 1 << flag.width
    return number - (1 << flag.width) if flag.signedness != "u" and number >> (flag.width - 1) else number


def _write_switch_cases(
    p: Printer,
    op: Operation,
    default: Sequence[Block],
    default_operands: Sequence[Value],
    cases: Sequence[Block],
    case_operands: Sequence[Value],
    values: Attribute | None,
    segments: DenseArrayAttr,
) -> None:
    p.write("[")
    p.new_line()
    p.write(f"  default: {p.label(default[0])}")
    _write_block_operands(p, default_operands)
    at = 0
    for block, value, size in zip(cases, _numbers(op, values), segments.value, strict=True):
        p.write(",")
        p.new_line()
        p.write(f"  {value}: {p.label(block)}")
        _write_block_operands(p, case_operands[at : at + size])
        at += size
    if cases:
        p.new_line()
    p.write("]")


def _write_block_operands(p: Printer, values: Sequence[Value]) -> None:
    if values:
        p.write("(")
        p.operands(values)
        p.write(" : ")
        p.types([value.type for value in values])
        p.write(")")


def _numbers(op: Operation, values: Attribute | None) -> list[int]:
    """Return the values of cases, without a sign, as MLIR prints them."""
    flag = op.operands[0].type
    if not isinstance(flag, IntegerType):
        return []
    if isinstance(values, DenseElementsAttr):
        found = [int(number) for number in values.value.ravel()]
    else:
        text = values.text if isinstance(values, OpaqueAttr) else ""
        found = [_TRUTH[word] if word in _TRUTH else int(word) for word in _NUMBER.findall(text)]
    if len(found) == 1:
        found *= len(op.successors) - 1
    return [number % (1 << flag.width) for number in found]


def _is_readable(op: Operation, *parts: Any) -> bool:
    """Return True if each case has a number that is read back, and the default no result number."""
    _, default_operands, *_, values, segments = parts
    count = len(op.successors) - 1
    if not isinstance(segments, DenseArrayAttr) or len(segments.value) != count:
        return False
    numbers = _numbers(op, values)
    if len(numbers) != count or any(number >> (_READ_AS.width - 1) for number in numbers):
        return False
    return not any(isinstance(value, OpResult) and _has_number(value) for value in default_operands)


def _has_number(value: OpResult) -> bool:
    """Return True if a value may be printed as `%0#1`: results of its op share a name."""
    definition, count = lookup(value.op.name), len(value.op.results)
    has_names = definition is not None and definition.loop is None and len(definition.outputs) == count
    return count > 1 and (not has_names or any("#" in (result.name or "") for result in value.op.results))


register(DirectiveDef("switch_cases", _read_switch_cases, _write_switch_cases, fits=_is_readable))


# `scf.for`: `%i = %lower to %upper step %step iter_args(%x = %a) -> (f32) : i32 {...}`.


def _read_counted_loop(
    context: ReadContext,
    child: Any,
    state: OperationState,
    lower: str,
    upper: str,
    step: str,
    inits: str,
    unsigned: str,
    body: str,
) -> None:
    _, is_unsigned, index, *bounds, carried, results, count, region, attributes = child
    if is_unsigned is not None:
        state.properties[unsigned] = UnitAttr()
    type = INDEX if count is None else type_of(context, count)
    types = [] if results is None else results_of(context, results)
    arguments, state.groups[inits] = _assigned(context, child, carried, types)
    for name, token in zip((lower, upper, step), bounds, strict=True):
        state.groups[name], state.types[name] = [token], [type]
    state.types[inits] = state.result_types = types
    state.regions[body] = [(region, [Argument(index, type), *arguments])]
    read_attributes(context, attributes, state)


def _assigned(
    context: ReadContext, child: Any, node: Node | None, types: Sequence[Type]
) -> tuple[list[Argument], list[int]]:
    """Return the arguments of `(%x = %a, %y = %b)`, and the tokens of their values."""
    pairs: list[Any] = tokens_of(node)
    if len(pairs) != len(types):
        raise context.error(
            child, f"expected as many types as values: got {len(pairs)} values and {len(types)} types"
        )
    arguments = [Argument(token, type) for (_, token, _), type in zip(pairs, types, strict=True)]
    return arguments, [value for _, _, value in pairs]


def _write_counted_loop(
    p: Printer,
    op: Operation,
    lower: Sequence[Value],
    upper: Sequence[Value],
    step: Sequence[Value],
    inits: Sequence[Value],
    unsigned: UnitAttr | None,
    bodies: Sequence[Region],
) -> None:
    index, *carried = bodies[0].blocks[0].arguments
    start, end, by = (p.name(values[0]) for values in (lower, upper, step))
    p.write(" unsigned" if unsigned is not None else "")
    p.write(f" {p.name(index)} = {start} to {end} step {by}")
    if inits:
        p.write(" iter_args")
        _write_assigned(p, carried, inits)
        p.write(" -> (")
        p.types([value.type for value in inits])
        p.write(")")
    p.write(" ")
    if index.type is not INDEX:
        p.write(" : ")
        p.type(index.type)
        p.write(" ")
    p.region(bodies[0], bare_terminator=bool(inits))
    p.attr_dict(op, {"unsignedCmp"})


def _write_assigned(p: Printer, arguments: Sequence[Value], values: Sequence[Value]) -> None:
    pairs = zip(arguments, values, strict=True)
    p.write(f"({', '.join([f'{p.name(argument)} = {p.name(value)}' for argument, value in pairs])})")


def _counts(
    op: Operation, lower: Sequence[Value], upper: Sequence[Value], step: Sequence[Value], *parts: Any
) -> bool:
    """Return True if a loop has one type of indices, and arguments of the types of its operands."""
    types = [value.type for value in (*lower, *upper, *step)]
    carried = [value.type for value in op.operands[3:]]
    blocks = op.regions[0].blocks
    return (
        len(set(types)) == 1
        and len(blocks) == 1
        and [argument.type for argument in blocks[0].arguments] == [types[0], *carried]
        and [result.type for result in op.results] == carried
    )


register(
    DirectiveDef("counted_loop", _read_counted_loop, _write_counted_loop, fits=_counts, own_spacing=True)
)


# `scf.if`: `%condition -> (f32) {...} else {...}`.


def _read_conditional(
    context: ReadContext, child: Any, state: OperationState, condition: str, then: str, otherwise: str
) -> None:
    _, value, results, *regions, attributes = child
    state.groups[condition], state.types[condition] = [value], [I1]
    state.result_types = [] if results is None else results_of(context, results)
    for name, region in zip((then, otherwise), regions, strict=True):
        state.regions[name] = [(region, [])]
    read_attributes(context, attributes, state)


def _write_conditional(
    p: Printer,
    op: Operation,
    condition: Sequence[Value],
    then: Sequence[Region],
    otherwise: Sequence[Region],
) -> None:
    p.operands(condition)
    if op.results:
        p.write(" -> (")
        p.types([result.type for result in op.results])
        p.write(")")
    p.write(" ")
    p.region(then[0], bare_terminator=bool(op.results))
    if otherwise[0].blocks:
        p.write(" else ")
        p.region(otherwise[0], bare_terminator=bool(op.results))
    p.attr_dict(op, frozenset())


def _has_blocks(op: Operation, *parts: Any) -> bool:
    return [len(region.blocks) for region in op.regions] in ([1, 0], [1, 1])


register(DirectiveDef("conditional", _read_conditional, _write_conditional, fits=_has_blocks))


# `scf.while`: `(%x = %a) : (f32) -> f32 {...} do {...}`.


def _read_conditional_loop(
    context: ReadContext, child: Any, state: OperationState, inits: str, before: str, after: str
) -> None:
    _, assigned, signature, first, second, attributes = child
    read_signature(context, signature, state)
    arguments, state.groups[inits] = _assigned(context, child, assigned, state.operand_types)
    state.regions[before], state.regions[after] = [(first, arguments)], [(second, [])]
    read_attributes(context, attributes, state)


def _write_conditional_loop(
    p: Printer, op: Operation, inits: Sequence[Value], before: Sequence[Region], after: Sequence[Region]
) -> None:
    if inits:
        p.write(" ")
        _write_assigned(p, before[0].blocks[0].arguments, inits)
    p.write(" : ")
    p.signature(op)
    p.write(" ")
    p.region(before[0])
    p.write(" do ")
    p.region(after[0], entry_arguments=True)
    p.attr_dict(op, frozenset(), is_keyword=True)


def _takes_operands(op: Operation, inits: Sequence[Value], *parts: Any) -> bool:
    """Return True if each region is one block, the first with arguments of the operands' types."""
    types = [value.type for value in inits]
    if [len(region.blocks) for region in op.regions] != [1, 1]:
        return False
    return [argument.type for argument in op.entry_block.arguments] == types


register(
    DirectiveDef(
        "conditional_loop",
        _read_conditional_loop,
        _write_conditional_loop,
        fits=_takes_operands,
        own_spacing=True,
    )
)
