"""The pass `inline`: calls are replaced by the bodies of their callees."""

from __future__ import annotations

from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Module, Operation, Value, erase_all
from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc
from stablehlo_py.opset.calls import callee, symbol_references
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.symbols import erase_unused_symbols

_CALL = "func.call"


def _run(module: Module, options: Options) -> None:
    functions = module.functions
    recursive = _recursive(functions)
    targets = {n: f for n, f in functions.items() if n not in recursive and len(f.blocks) == 1}
    needed = {name for op in module.walk() if not _target(op, targets) for name in symbol_references(op)}
    gone = {
        f for n, f in targets.items() if n not in needed and f.python_value("sym_visibility") == "private"
    }
    for function in functions.values():
        if function not in gone:
            _expand(function, targets)
    erase_all(list(gone))
    called = {str(callee(op)) for op in module.walk() if op.name == _CALL}
    erase_unused_symbols(module, only={name for name in functions if name not in called})


def _target(op: Operation, targets: dict[str, Operation]) -> Operation | None:
    """Return the callee of an op, if the op is a call that can be inlined."""
    if op.name != _CALL or op.attribute("no_inline") is not None:
        return None
    return targets.get(str(callee(op)))


def _recursive(functions: dict[str, Operation]) -> set[str]:
    """Return the names of the functions that call themselves, directly or indirectly (Tarjan's algorithm)."""
    calls = {n: {str(c) for op in f.walk() if (c := callee(op)) is not None} for n, f in functions.items()}
    found = {name for name, called in calls.items() if name in called}
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: dict[str, None] = {}  # of functions whose component is not complete
    for start in functions:
        stack = [(start, iter(calls[start]))] if start not in order else []
        while stack:
            name, left = stack[-1]
            if name not in order:
                order[name] = lowest[name] = len(order)
                path[name] = None
            for other in left:
                if other in functions and other not in order:
                    stack.append((other, iter(calls[other])))
                    break
                if other in path:
                    lowest[name] = min(lowest[name], order[other])
            else:
                stack.pop()
                if stack:
                    lowest[stack[-1][0]] = min(lowest[stack[-1][0]], lowest[name])
                found |= _component(name, path) if lowest[name] == order[name] else set()
    return found


def _component(name: str, path: dict[str, None]) -> set[str]:
    """Take the functions after one off the path, with itself; return them if there are several."""
    members: set[str] = set()
    while name not in members:
        members.add(path.popitem()[0])
    return members if len(members) > 1 else set()


def _expand(function: Operation, targets: dict[str, Operation]) -> None:
    """Inline the calls in a function, and the calls in inlined bodies; each call copies an op once."""
    pending = function.blocks
    while pending:
        block = pending.pop()
        found: list[Operation] = []
        left = block.ops[::-1]
        while left:
            op = left.pop()
            target = _target(op, targets)
            if target is not None:
                left += reversed(_body(op, target))
                continue
            op.parent = block
            found.append(op)
            pending += op.blocks
        block.ops = found


def _body(call: Operation, target: Operation) -> list[Operation]:
    """Return copies of the ops of a callee, and the values that replace the results of the call."""
    block = target.regions[0].block
    values: dict[Value, Value] = dict(zip(block.arguments, call.operands, strict=True))
    made: list[Operation] = []
    for op in block.ops:
        if has_trait(op.name, "terminator"):
            for result, value in zip(call.results, op.operands, strict=True):
                result.replace_all_uses(values.get(value, value))
            break
        made.append(clone_op(op, values))
    for op in made:
        for inner in op.walk():
            if inner.location is not None or call.location is not None:
                inner.location = CallSiteLoc(inner.location or UNKNOWN, call.location or UNKNOWN)
    call.use_operands(())
    call.parent = None
    return made


PASS = Pass(
    "inline",
    "Replaces calls by the bodies of the functions they call, and erases functions that are called no more.",
    _run,
)
