"""Stages on calls: functions become named computations for propagation, and functions again after."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.attributes import Attribute, StringAttr, SymbolRefAttr, TypeAttr
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Module, Operation, Region, Value
from stablehlo_py.ir.origins import derive
from stablehlo_py.ir.types import FunctionType
from stablehlo_py.opset.calls import symbol_references
from stablehlo_py.sharding.annotations import (
    FunctionResult,
    argument_shardings,
    result_shardings,
    set_result_sharding,
    set_sharding,
    sharding_of,
    value_shardings,
)
from stablehlo_py.sharding.data_flow import EDGE, flow_of
from stablehlo_py.sharding.edits import Edits, redirect
from stablehlo_py.sharding.mesh import Meshes
from stablehlo_py.sharding.propagation import main_function
from stablehlo_py.sharding.shardings import (
    SHARDING,
    Sharding,
    from_per_value,
    per_value,
    rank_of,
    replicated,
    to_attribute,
)
from stablehlo_py.sharding.stages.edges import add_edges, edge_shardings
from stablehlo_py.sharding.stages.symbols import (
    CALL,
    ORIGINAL_NAME,
    SymbolTable,
    calls_in,
    functions_by_calls,
    original_name,
    postorder,
    set_callee,
)

BODY, RESHARD = "sdy.named_computation", "sdy.reshard"
_FUNCTION, _RETURN, _BODY_RETURN = "func.func", "func.return", "sdy.return"
_THREAD = "execution_thread"


def _completed(
    found: Sequence[Sharding | None], values: Sequence[object], meshes: Meshes
) -> list[Sharding] | None:
    """Return shardings of all values, open where there is none; None if no value has one."""
    given = [each for each in found if each is not None]
    mesh = next((each.mesh for each in given if not meshes.find(each.mesh).is_single_device), None)
    if mesh is None:
        return None
    pairs = zip(found, values, strict=True)
    return [s if s is not None else replicated(rank_of(type), mesh) for s, type in pairs]  # type: ignore[arg-type]


def _function_type(function: Operation) -> FunctionType:
    type = function.properties["function_type"]
    assert isinstance(type, TypeAttr) and isinstance(type.value, FunctionType)
    return type.value


def _arguments(function: Operation, meshes: Meshes) -> list[Sharding] | None:
    return _completed(argument_shardings(function), _function_type(function).inputs, meshes)


def _results(function: Operation, meshes: Meshes) -> list[Sharding] | None:
    return _completed(result_shardings(function), _function_type(function).results, meshes)


def propagate_from_functions_to_calls(module: Module) -> None:
    """Give calls without shardings those of the results of their callees."""
    table, meshes = SymbolTable(module), Meshes(module)
    for call in calls_in(module.op):
        found = _results(table.callee(call), meshes) if SHARDING not in call.attributes else None
        if found is not None:
            call.attributes[SHARDING] = per_value(found)


def flatten_call_graph(module: Module) -> None:
    """Copy functions that are called more than once, so that each call has a function of its own."""
    table = SymbolTable(module)
    called: set[str] = set()
    for function in functions_by_calls(module):
        for call in calls_in(function):
            target = table.callee(call)
            name = str(target.python_value("sym_name"))
            if name in called:
                set_callee(call, table.clone(target))
            called.add(name)


def import_calls(module: Module) -> None:
    """Replace each call by a named computation with the body of the function; calls of declarations stay.

    A function that other ops refer to, such as composites, stays as well.
    """
    table, meshes = SymbolTable(module), Meshes(module)
    needed = {name for op in module.walk() if op.name != CALL for name in symbol_references(op)}
    moved: dict[str, Region] = {}
    for function in functions_by_calls(module):
        for call in calls_in(function):
            name = str(table.callee(call).python_value("sym_name"))
            if name in moved or table.callee(call).regions[0].blocks:
                _import_call(call, table, meshes, moved, is_needed=name in needed)
    for name in moved:
        table.erase(name)
    add_edges([op for op in module.walk() if flow_of(op) == "body"])


def _import_call(
    call: Operation, table: SymbolTable, meshes: Meshes, moved: dict[str, Region], is_needed: bool
) -> None:
    function = table.callee(call)
    name = str(function.python_value("sym_name"))
    properties: dict[str, Attribute] = {"name": StringAttr(original_name(function))}
    arguments = _arguments(function, meshes)
    if arguments is not None:
        properties["in_shardings"] = per_value(arguments)
    if SHARDING in call.attributes:
        properties["out_shardings"] = call.attributes[SHARDING]
    attributes = {key: value for key, value in call.attributes.items() if key != SHARDING}
    if _THREAD in function.attributes:
        attributes[_THREAD] = function.attributes[_THREAD]
    if name in moved:
        holder = moved[name].parent
        assert holder is not None
        region = clone_op(holder).regions[0]
    elif is_needed:
        region = clone_op(function).regions[0]
        region.block.ops[-1].name = _BODY_RETURN
    else:
        region = moved[name] = function.regions[0]
        function.regions = (Region(),)
        region.block.ops[-1].name = _BODY_RETURN
    types = [result.type for result in call.results]
    made = Operation(BODY, call.operands, types, properties, attributes, [region])
    _replace(call, made)


def _replace(op: Operation, made: Operation) -> None:
    """Put an op in the place of another."""
    assert op.parent is not None
    block = op.parent
    derive(made, op)
    for old, new in zip(op.results, made.results, strict=True):
        new.name = old.name
        redirect(old, new)
    op.use_operands(())
    block.ops[block.ops.index(op)] = made
    made.parent, op.parent = block, None


def export_named_computations(module: Module) -> None:
    """Replace each named computation by a call of a new function with its body."""
    table, edits = SymbolTable(module), Edits()
    results: list[Value] = []
    for op in [op for op in postorder(module.op) if flow_of(op) == "body"]:
        shardings = []
        for values, name in ((op.regions[0].block.arguments, "in_shardings"), (op.results, "out_shardings")):
            found = edge_shardings(values)
            if found:
                op.properties[name] = per_value(found)
            shardings.append(op.properties.get(name))
        name = _export_function(op, shardings[0], table, edits)
        attributes = {key: value for key, value in op.attributes.items() if key != _THREAD}
        if shardings[1] is not None:
            attributes[SHARDING] = shardings[1]
        types = [result.type for result in op.results]
        call = Operation(CALL, op.operands, types, {"callee": SymbolRefAttr(name)}, attributes)
        _replace(op, call)
        results += call.results
    _remove_edges(results, edits)
    edits.apply()


def _export_function(op: Operation, shardings: Attribute | None, table: SymbolTable, edits: Edits) -> str:
    region = op.regions[0]
    region.block.ops[-1].name = _RETURN
    type = FunctionType(
        tuple([argument.type for argument in region.block.arguments]),
        tuple([result.type for result in op.results]),
    )
    name = op.properties["name"]
    function = Operation(
        _FUNCTION,
        properties={
            "sym_name": name,
            "function_type": TypeAttr(type),
            "sym_visibility": StringAttr("private"),
        },
        attributes={ORIGINAL_NAME: name},
        regions=[region],
    )
    derive(function, op)
    op.regions = ()
    if _THREAD in op.attributes:
        function.attributes[_THREAD] = op.attributes[_THREAD]
    made = table.insert(function)
    _remove_edges(region.block.arguments, edits)
    for argument, sharding in zip(
        region.block.arguments,
        from_per_value(shardings) if shardings is not None else (),  # type: ignore[arg-type]
        strict=False,
    ):
        set_sharding(argument, sharding)
    return made


def _remove_edges(values: Sequence[Value], edits: Edits) -> None:
    for value in values:
        edge = next(iter(value.uses)).op if value.uses else None
        if edge is not None and edge.name == EDGE:
            redirect(edge.result, value, [edge])
            edits.remove(edge)


def propagate_to_function_results(module: Module) -> None:
    """Give the results of functions but the main one the shardings of what they return."""
    main = main_function(module)
    for function in module.functions.values():
        last = function.entry_block.terminator if function.regions[0].blocks else None
        if function is main or last is None:
            continue
        for index, value in enumerate(last.operands):
            set_result_sharding(FunctionResult(function, index), sharding_of(value))


def unflatten_call_graph(module: Module) -> None:
    """Let calls of copies of a function with the same shardings call one of them."""
    table, meshes = SymbolTable(module), Meshes(module)
    first: dict[object, Operation] = {}
    for call in calls_in(module.op):
        function = table.callee(call)
        arguments, results = _arguments(function, meshes), _results(function, meshes)
        key = (
            original_name(function),
            tuple(arguments) if arguments is not None else None,
            tuple(results) if results is not None else None,
        )
        set_callee(call, str(first.setdefault(key, function).python_value("sym_name")))
    for function in module.functions.values():
        function.attributes.pop(ORIGINAL_NAME, None)


def insert_call_reshards(module: Module) -> None:
    """Give calls the shardings of the results of their callees, and reshard where they differ."""
    table, meshes, edits = SymbolTable(module), Meshes(module), Edits()
    for call in calls_in(module.op):
        found = _results(table.callee(call), meshes)
        stated = value_shardings(call)
        if found is None:
            if not stated:
                continue
            found = [replicated(len(each.dims), each.mesh, is_closed=True) for each in stated]
        for index, (sharding, result) in enumerate(zip(found, call.results, strict=True)):
            wanted = stated[index] if stated else None
            if not sharding.is_like(wanted):
                _reshard(
                    result, wanted or replicated(len(sharding.dims), sharding.mesh, is_closed=True), edits
                )
        call.attributes[SHARDING] = per_value(found)
    edits.apply()


def _reshard(value: Value, sharding: Sharding, edits: Edits) -> None:
    op = Operation(RESHARD, (), [value.type], {"sharding": to_attribute(sharding)})
    redirect(value, op.result)
    op.use_operands([value])
    edits.insert_after_value(value, op, first=True)


def pre_order_functions(module: Module) -> None:
    """Order functions so that each is before those it calls."""
    functions = functions_by_calls(module)[::-1]
    moved = set(functions)
    module.body.ops = [*[op for op in module.body.ops if op not in moved], *functions]
