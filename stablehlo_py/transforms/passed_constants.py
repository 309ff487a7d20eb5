"""Constants and calls: functions whose arguments can change, and constants that calls pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from stablehlo_py.analysis.callgraph import call_graph
from stablehlo_py.ir.attributes import ArrayAttr, DictAttr
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import BlockArgument, Module, Operation, Use, Value, erase_all
from stablehlo_py.opset.calls import callee, symbol_references
from stablehlo_py.transforms.refinement.arguments import results_of, set_function_type

CALL = "func.call"


def movable_functions(module: Module, entry: Operation) -> list[Operation]:
    """Return the functions whose arguments may change, callees first; the last one is the entry.

    They are the entry, and the private functions that only calls in such functions refer to.
    """
    graph, functions = call_graph(module), module.functions
    main = str(entry.python_value("sym_name"))
    fixed = set(graph.recursive)
    for op in module.walk():
        if op.name != CALL:
            fixed.update(symbol_references(op))
    found = {
        name
        for name in graph.reachable(main)
        if name in functions
        and name not in fixed
        and len(functions[name].blocks) == 1
        and functions[name].python_value("sym_visibility") == "private"
    } | {main}
    pending = [name for name in graph.calls if name not in found]
    while pending:  # a caller that keeps its arguments keeps those of its callees
        gone = [name for name in graph.calls[pending.pop()] if name in found and name != main]
        found.difference_update(gone)
        pending += gone
    return [functions[name] for name in graph.callees_first() if name in found]


def drop_arguments(function: Operation, indices: Collection[int]) -> list[int]:
    """Remove arguments that are not used; return the old indices of the others."""
    block = function.entry_block
    left = [n for n in range(len(block.arguments)) if n not in indices]
    _keep_attributes(function, left)
    block.arguments = tuple([block.arguments[n] for n in left])
    for n, argument in enumerate(block.arguments):
        argument.index = n
    set_function_type(function, results_of(function))
    return left


def _keep_attributes(op: Operation, indices: Sequence[int]) -> None:
    """Keep the attributes that a function or a call states for some of its arguments."""
    found = op.attribute("arg_attrs")
    if isinstance(found, ArrayAttr):
        kept = [found.value[n] for n in indices if n < len(found.value)]
        op.properties["arg_attrs"] = ArrayAttr(tuple(kept))


def pass_more(call: Operation, values: Sequence[Value]) -> None:
    """Pass more arguments in a call, behind the others and without attributes."""
    found = call.attribute("arg_attrs")
    if isinstance(found, ArrayAttr):
        call.properties["arg_attrs"] = ArrayAttr((*found.value, *[DictAttr(())] * len(values)))
    call.use_operands([*call.operands, *values])


def sink_constants(module: Module, entry: Operation, constants: Sequence[Operation]) -> None:
    """Move constants of the entry into the only function that uses them, if calls pass them there.

    Args:
        module: The module, which is changed.
        entry: The entry.
        constants: Constants of its block.
    """
    functions = movable_functions(module, entry)
    calls: dict[str, list[Operation]] = defaultdict(list)
    for function in functions:
        for op in function.walk():
            if op.name == CALL:
                calls[str(callee(op))].append(op)
    origins = _origins(functions, calls, constants)
    taking = {str(f.python_value("sym_name")): f.entry_block.arguments for f in functions[:-1]}

    def is_passed(use: Use, constant: Operation) -> bool:
        arguments = taking.get(str(callee(use.op))) if use.op.name == CALL else None
        return arguments is not None and origins.get(arguments[use.position]) is constant

    owners: dict[Operation, list[Value]] = {constant: [] for constant in constants}
    for value, constant in origins.items():
        if not (value.uses and all(is_passed(use, constant) for use in value.uses)):
            owners[constant].append(value)
    sunk = {c for c, values in owners.items() if len(values) == 1 and values[0] is not c.result}
    for constant in constants:
        if constant in sunk:
            (value,) = owners[constant]
            _put(constant, value)
    for function in functions[:-1]:
        arguments = function.entry_block.arguments
        gone = {a.index for a in arguments if a in origins and origins[a] in sunk}
        if gone:
            for call in calls[str(function.python_value("sym_name"))]:
                kept = [n for n in range(len(call.operands)) if n not in gone]
                _keep_attributes(call, kept)
                call.use_operands([call.operands[n] for n in kept])
            drop_arguments(function, gone)
    erase_all(list(sunk))


def _origins(
    functions: Sequence[Operation], calls: dict[str, list[Operation]], constants: Sequence[Operation]
) -> dict[Value, Operation]:
    """Map values to constants: results of constants, and arguments that always get the same constant."""
    found: dict[Value, Operation] = {constant.result: constant for constant in constants}
    for function in reversed(functions[:-1]):
        here = calls[str(function.python_value("sym_name"))]
        for argument in function.entry_block.arguments:
            passed = {found.get(call.operands[argument.index]) for call in here}
            constant = passed.pop() if len(passed) == 1 else None
            if constant is not None:
                found[argument] = constant
    return found


def _put(constant: Operation, argument: Value) -> None:
    """Put a copy of a constant into a function, in place of an argument."""
    made = clone_op(constant)
    assert isinstance(argument, BlockArgument)
    argument.block.insert(0, made)
    argument.replace_all_uses(made.result)  # calls that pass it on lose the operand
