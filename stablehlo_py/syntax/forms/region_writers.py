"""Writers of the directives for ops with regions, which lay out the whole op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stablehlo_py.ir.attributes import ArrayAttr, DenseArrayAttr, DictAttr, IntegerAttr, StringAttr, TypeAttr
from stablehlo_py.ir.core import Operation, Region, Value
from stablehlo_py.ir.types import FunctionType, TensorType, Type
from stablehlo_py.syntax.forms.assembly_format import COMMUTATIVE
from stablehlo_py.syntax.forms.writers import Custom
from stablehlo_py.syntax.write.attributes import keyword, symbol
from stablehlo_py.syntax.write.types import dims_text

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer


def _has_one_list_of_types(op: Operation) -> bool:
    """Whether results and both regions' arguments have the operands' types, as a while shows them."""
    types = [value.type for value in op.operands]
    lists: list[Sequence[Value]] = [op.results]
    lists += [region.blocks[0].arguments for region in op.regions if region.blocks]
    return len(lists) == 3 and all([value.type for value in values] == types for values in lists)


def _while(p: Printer, op: Operation, operands: Sequence[Value], *bodies: Sequence[Region]) -> None:
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


def _reduce(
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
        _reducer(p, body)


def _reducer(p: Printer, body: Region) -> None:
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


def _is_reducer_well_made(op: Operation) -> bool:
    """Whether a reduce can be written: pairs of operands, and a block with pairs of arguments."""
    blocks = op.regions[0].blocks
    return len(op.operands) % 2 == 0 and len(blocks) == 1 and len(blocks[0].arguments) == len(op.operands)


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
    if inner.name not in COMMUTATIVE or len(inner.results) != 1 or element_type is None:
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


def _scan(
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


def _module(
    p: Printer, op: Operation, name: StringAttr | None, visibility: StringAttr | None, body: Sequence[Region]
) -> None:
    if visibility is not None:
        p.write(f" {visibility.value}")
    if name is not None:
        p.write(f" {symbol(name.value)}")
    p.attr_dict(op, {"sym_name", "sym_visibility"}, is_keyword=True)
    p.write(" ")
    p.region(body[0])


_FUNCTION_PARTS = frozenset({"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"})


def _function(
    p: Printer,
    op: Operation,
    name: StringAttr,
    type: TypeAttr,
    visibility: StringAttr | None,
    arg_attrs: ArrayAttr | None,
    res_attrs: ArrayAttr | None,
    body: Sequence[Region],
) -> None:
    p.write(f" {visibility.value} {symbol(name.value)}" if visibility else f" {symbol(name.value)}")
    signature = type.value
    assert isinstance(signature, FunctionType)
    has_body = bool(body) and bool(body[0].blocks)
    p.write("(")
    _function_inputs(p, signature, body[0] if has_body else None, _dictionaries(arg_attrs, signature.inputs))
    p.write(")")
    _function_outputs(p, signature.results, _dictionaries(res_attrs, signature.results))
    p.attr_dict(op, _FUNCTION_PARTS, is_keyword=True)
    if has_body:
        p.write(" ")
        p.region(body[0])


def _dictionaries(attrs: ArrayAttr | None, types: Sequence[Type]) -> Sequence[DictAttr]:
    """One dictionary for each of the types."""
    found = [item for item in attrs.value if isinstance(item, DictAttr)] if attrs else []
    return found if len(found) == len(types) else [DictAttr(())] * len(types)


def _function_inputs(
    p: Printer, signature: FunctionType, body: Region | None, dictionaries: Sequence[DictAttr]
) -> None:
    for index, (type, dictionary) in enumerate(zip(signature.inputs, dictionaries, strict=True)):
        if index:
            p.write(", ")
        if body is not None:
            p.argument(body.blocks[0].arguments[index], dictionary)
        else:
            p.type(type)
            p.dictionary(dictionary.items)


def _function_outputs(p: Printer, types: Sequence[Type], dictionaries: Sequence[DictAttr]) -> None:
    if not types:
        return
    bare = len(types) == 1 and not dictionaries[0].items and not isinstance(types[0], FunctionType)
    p.write(" -> " if bare else " -> (")
    for index, (type, dictionary) in enumerate(zip(types, dictionaries, strict=True)):
        if index:
            p.write(", ")
        p.type(type)
        p.dictionary(dictionary.items)
    if not bare:
        p.write(")")


def _is_function_well_made(op: Operation) -> bool:
    """Whether a function's signature can be written: its type is one, and the body's arguments match it."""
    type = op.attribute("function_type")
    if not isinstance(type, TypeAttr) or not isinstance(type.value, FunctionType):
        return False
    blocks = op.regions[0].blocks if op.regions else ()
    return not blocks or tuple(argument.type for argument in blocks[0].arguments) == type.value.inputs


WITH_REGIONS: dict[str, Custom] = {
    "while": Custom(_while, own_spacing=True, fits=_has_one_list_of_types),
    "reduce": Custom(_reduce, own_spacing=True, fits=_is_reducer_well_made),
    "scan": Custom(_scan, own_spacing=True),
    "module": Custom(_module, own_spacing=True),
    "function": Custom(_function, own_spacing=True, fits=_is_function_well_made),
}
