"""Ops that only a host can execute, such as checks: they move to a function that runs after the device."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.engines.pjrt.symbols import symbol_names
from stablehlo_py.interpreter.errors import located
from stablehlo_py.ir.attributes import TypeAttr
from stablehlo_py.ir.cloning import ValueMap, clone_op
from stablehlo_py.ir.core import Block, Module, Operation, OpResult, Value, erase_all
from stablehlo_py.ir.op_builder import function_op
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.signature import function_type
from stablehlo_py.ir.types import FunctionType
from stablehlo_py.kernels.targets.registry import registered
from stablehlo_py.opset.definition import has_trait


@dataclass(frozen=True, slots=True)
class HostPart:
    """The part of a function that the host executes.

    Attributes:
        module: A module whose only function takes the results of the device and returns those of the
            program.
        name: The name of that function.
    """

    module: Module
    name: str


def is_host_op(op: Operation) -> bool:
    """Return True if only a host can execute an op."""
    if has_trait(op.name, "external_call"):
        target = registered(str(op.python_value("call_target_name")))
        return target is not None and target.on_host
    return has_trait(op.name, "host")


def split_host_ops(module: Module, function: Operation) -> HostPart | None:
    """Move the host ops of a function to a function of their own; None if there are none.

    The device returns the values that it has computed of the program's results and of their operands.

    Args:
        module: The module, which is modified.
        function: The function.

    Raises:
        Unsupported: A host op is in a region or in another function, or the device needs its result.
    """
    block = function.entry_block
    found = [op for op in block.ops if is_host_op(op)]
    inner = next((op for op in module.walk() if is_host_op(op) and op not in found), None)
    if inner is not None:
        message = "engine pjrt executes this op only in the entry function, outside of regions"
        raise located(Unsupported(message), module, inner)
    if not found:
        return None
    end = block.terminator
    assert end is not None
    for op in found:
        _bypass(op, end, module)
    made = {result for op in found for result in op.results}
    used = [*end.operands, *(value for op in found for value in op.operands if not _is_constant(value))]
    values = [value for value in dict.fromkeys(used) if value not in made]
    host = Module(source=module.source)
    host.body.append(_host_function(function, end, found, values))
    _return_instead(function, end, values)
    erase_all(found)
    return HostPart(host, str(function.python_value("sym_name")))


def _bypass(op: Operation, end: Operation, module: Module) -> None:
    """Let the device use the operand of a probe; raise Unsupported if it needs another result."""
    if has_trait(op.name, "probe"):
        op.result.replace_all_uses(op.operands[0])
    needs = [use.op for result in op.results for use in result.uses if use.op is not end]
    if any(not is_host_op(need) for need in needs) or any(symbol_names(op)):
        message = "engine pjrt cannot execute this op; select the function to run as entry"
        raise located(Unsupported(message), module, op)


def _is_constant(value: Value) -> bool:
    return isinstance(value, OpResult) and has_trait(value.op.name, "constant")


def _host_function(
    function: Operation, end: Operation, ops: Sequence[Operation], values: Sequence[Value]
) -> Operation:
    """Return a function of the device's results that executes host ops and returns the program's results."""
    body = Block([value.type for value in values])
    copies: ValueMap = dict(zip(values, body.arguments, strict=True))
    for op in ops:
        for value in op.operands:
            if isinstance(value, OpResult) and value not in copies:
                body.append(clone_op(value.op, copies))
        body.append(clone_op(op, copies))
    body.append(clone_op(end, copies))
    return function_op(str(function.python_value("sym_name")), body, [value.type for value in end.operands])


def _return_instead(function: Operation, end: Operation, values: Sequence[Value]) -> None:
    """Make a function return other values."""
    type = function_type(function)
    assert type is not None
    end.use_operands(values)
    results = tuple([value.type for value in values])
    function.properties["function_type"] = TypeAttr(FunctionType(type.inputs, results))
    function.properties.pop("res_attrs", None)
