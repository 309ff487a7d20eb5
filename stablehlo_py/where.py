"""Where ops come from, and what they are called: for reports to people."""

from __future__ import annotations

from stablehlo_py.ir.core import BlockArgument, Operation, OpResult, Value
from stablehlo_py.ir.locations import CallSiteLoc, FusedLoc, Location, NameLoc
from stablehlo_py.origin import frames


def scope_name(location: Location | None) -> str:
    """The name that a location gives, such as `jit(f)/layer_0/dot_general`; "" if it gives none."""
    match location:
        case NameLoc(name=name):
            return name
        case CallSiteLoc(callee=callee):
            return scope_name(callee)
        case FusedLoc(locations=parts):
            return next(filter(None, map(scope_name, parts)), "")
    return ""


def python_line(op: Operation) -> str:
    """`train.py:40:7`, the innermost place that made an op; "" if its location names none."""
    frame = next(frames(op.location), None)
    return f"{frame.file}:{frame.line}:{frame.column}" if frame else ""


def value_name(value: Value) -> str:
    """A value as the text names it: `%3`, `%3#1` for one of several results, `%arg0`.

    Without a name, an argument is called by its position, and a result by its op.
    """
    if isinstance(value, OpResult):
        name = value.op.name.rpartition(".")[2] if value.name is None else value.name
        several = len(value.op.results) > 1 and "#" not in name
        return f"%{name}#{value.index}" if several else f"%{name}"
    if value.name is None and isinstance(value, BlockArgument):
        return f"%arg{value.index}"
    return f"%{value.name}"


def function_name(op: Operation) -> str:
    """The name of the function that an op is in, "" outside of one."""
    found: Operation | None = op
    while found is not None and found.name != "func.func":
        found = found.parent_op
    return str(found.plain("sym_name")) if found is not None else ""
