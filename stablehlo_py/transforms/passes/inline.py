"""The pass `inline`: calls are replaced by the bodies of their callees."""

from __future__ import annotations

from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Block, Module, Operation, Value
from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.symbols import erase_unused_symbols

_CALL = "func.call"


def _run(module: Module, options: Options) -> None:
    functions = module.functions
    for name in _callees_first(functions):
        _inline_calls(functions[name], functions)
    called = {str(callee(op)) for op in module.walk() if op.name == _CALL}
    erase_unused_symbols(module, only={name for name in functions if name not in called})


def _callees_first(functions: dict[str, Operation]) -> list[str]:
    """Return the names of functions, each after those that it calls, but for recursion."""
    calls = {
        name: [str(callee(op)) for op in function.walk() if op.name == _CALL]
        for name, function in functions.items()
    }
    done: dict[str, None] = {}
    entered: set[str] = set()
    stack = [(name, False) for name in reversed(functions)]
    while stack:
        name, is_left = stack.pop()
        if is_left:
            done[name] = None
        elif name not in entered:
            entered.add(name)
            stack.append((name, True))
            stack += [(other, False) for other in reversed(calls[name]) if other in functions]
    return list(done)


def _inline_calls(function: Operation, functions: dict[str, Operation]) -> None:
    """Replace the calls in a function; those of recursive functions stay."""
    blocks: dict[Block, dict[Operation, Operation]] = {}
    for op in function.walk():
        target = functions.get(str(callee(op))) if op.name == _CALL else None
        if target is not None and op.parent is not None and _can_be_inlined(op, target, functions):
            blocks.setdefault(op.parent, {})[op] = target
    for block, calls in blocks.items():
        found: list[Operation] = []
        for op in block.ops:
            target = calls.get(op)
            found += [op] if target is None else _body(op, target)
        for op in found:
            op.parent = block
        block.ops = found


def _can_be_inlined(call: Operation, target: Operation, functions: dict[str, Operation]) -> bool:
    """Test whether a callee has a single block, and calls neither itself nor a function that calls it."""
    if call.attribute("no_inline") is not None or len(target.regions[0].blocks) != 1:
        return False
    return str(target.python_value("sym_name")) not in _reachable(target, functions)


def _reachable(function: Operation, functions: dict[str, Operation]) -> set[str]:
    """Return the names of the functions that a function calls, directly or indirectly."""
    found: set[str] = set()
    pending = [function]
    while pending:
        for op in pending.pop().walk():
            name = callee(op)
            if name is not None and name not in found:
                found.add(name)
                pending += [functions[name]] if name in functions else []
    return found


def _body(call: Operation, target: Operation) -> list[Operation]:
    """Return copies of the ops of a callee, whose results replace those of a call."""
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
