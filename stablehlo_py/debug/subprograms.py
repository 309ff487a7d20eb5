"""Subprograms: calls inlined into a function, and ops as a program of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, SymbolRefAttr
from stablehlo_py.ir.captures import captures
from stablehlo_py.ir.cloning import ValueMap, clone_op
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, OpResult, Region, Value
from stablehlo_py.ir.op_builder import function_op, return_values
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait

MOST_OPS = 200_000  # of a function after inlining
_DEEPEST = 100  # chain of calls that is inlined


# Inlining ----------------------------------------------------------------------------------------------


def inlined(module: Module, entry: str) -> Module:
    """Return a copy of a module with the calls of a function inlined, transitively.

    Recursive calls, and calls that would make the function larger than `MOST_OPS`, stay.

    Args:
        module: The module.
        entry: The name of the function.

    Returns:
        The copy, whose ops have the positions of the original ones.
    """
    assert module.source is not None  # printing a binary module assigns the positions that a copy keeps
    made = module.clone()
    _Inliner(made).expand(entry, 0)
    return made


class _Inliner:
    """Inlining into the functions of a module, callees first."""

    def __init__(self, module: Module) -> None:
        self._functions = module.functions
        self._sizes: dict[str, int] = {}  # of expanded functions
        self._active: set[str] = set()

    def expand(self, name: str, depth: int) -> None:
        """Inline the calls of a function, once."""
        self._active.add(name)
        function = self._functions[name]
        size = sum(1 for _ in function.walk())
        for op in [op for op in function.walk() if callee(op) is not None]:
            called = str(callee(op))
            if called in self._active or called not in self._functions or depth > _DEEPEST:
                continue
            if called not in self._sizes:
                self.expand(called, depth + 1)
            if size + self._sizes[called] <= MOST_OPS and inline_call(op, self._functions[called]):
                size += self._sizes[called]
        self._active.remove(name)
        self._sizes[name] = size


def inline_call(call: Operation, function: Operation) -> bool:
    """Replace a call by a copy of the body of its callee.

    Args:
        call: The call, which is erased.
        function: The callee.

    Returns:
        False if the callee has no body of a single block, or other types; nothing changes then.
    """
    region = function.regions[0]
    if len(region.blocks) != 1 or call.parent is None:
        return False
    if [a.type for a in region.block.arguments] != [v.type for v in call.operands]:
        return False
    return inline_block(call, clone_op(function).regions[0].block, call.operands)


def inline_block(op: Operation, body: Block, operands: Sequence[Value]) -> bool:
    """Replace an op by the ops of a block, which is consumed.

    Args:
        op: The op, which is erased.
        body: A block whose terminator returns the results of the op.
        operands: The values of the block's arguments.

    Returns:
        False if the types do not match; nothing changes then.
    """
    last, block = body.terminator, op.parent
    if last is None or block is None or [v.type for v in last.operands] != [r.type for r in op.results]:
        return False
    for argument, value in zip(body.arguments, operands, strict=True):
        argument.replace_all_uses(value)
    results = last.operands
    for old, new in zip(op.results, results, strict=True):
        old.replace_all_uses(new)
    last.use_operands(())
    op.use_operands(())
    at = block.ops.index(op)
    for each in body.ops[:-1]:
        each.parent = block
    block.ops[at : at + 1] = body.ops[:-1]
    op.parent = None
    return True


# Ops as programs ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subprogram:
    """Ops of a program as a program of their own.

    Attributes:
        module: The program, whose function `main` returns the results.
        captured: The values of the original program that are its inputs, in order.
        results: The values of the original program that it returns, in order.
    """

    module: Module
    captured: tuple[Value, ...]
    results: tuple[Value, ...]


def subprogram(
    module: Module,
    ops: Sequence[Operation],
    results: Sequence[Value],
    first: Sequence[Value] = (),
    constants: bool = True,
) -> Subprogram:
    """Copy ops into a separate program, with the functions and other symbols that they refer to.

    Args:
        module: The program that contains the ops.
        ops: Ops of one block, in order.
        results: The values to return: results of the ops, or values that they capture.
        first: Values that are the first inputs in any case.
        constants: Copy the constants that the ops capture, instead of making them inputs.

    Returns:
        The program.
    """
    if constants:
        ops = [*dict.fromkeys(_constants(ops, first)), *ops]
    inputs = list(dict.fromkeys([*first, *captures(ops)]))
    known = {result for op in ops for result in op.results} | set(inputs)
    inputs += [value for value in dict.fromkeys(results) if value not in known]
    body = Block([value.type for value in inputs])
    values: ValueMap = {}
    for value, argument in zip(inputs, body.arguments, strict=True):
        argument.name = argument_name(value)
        values[value] = argument
    for op in ops:
        body.append(clone_op(op, values))
    return_values(body, [values[value] for value in results])
    main = function_op("main", body, [value.type for value in results])
    return Subprogram(_module_like(module, main), tuple(inputs), tuple(results))


def argument_name(value: Value) -> str | None:
    """Return the name of an input for a value: `%w#1` becomes `%w_1`; the second argument, `%arg1`."""
    if value.name is not None:
        return value.name.replace("#", "_")
    return f"arg{value.index}" if isinstance(value, BlockArgument) else None


def is_constant(value: Value) -> bool:
    """Test whether a value is the result of an op without operands and side effects."""
    if not isinstance(value, OpResult) or value.op.operands or value.op.regions:
        return False
    return has_trait(value.op.name, "pure") and not has_trait(value.op.name, "reads_process_id")


def _constants(ops: Sequence[Operation], first: Iterable[Value]) -> Iterator[Operation]:
    excluded = set(first)
    for value in captures(ops):
        if isinstance(value, OpResult) and is_constant(value) and value not in excluded:
            yield value.op


def _module_like(module: Module, main: Operation) -> Module:
    """Return a module with the attributes and resources of another, a function, and the symbols it needs."""
    functions = module.functions
    needed = _references(main, functions) - {"main"}
    kept = [op for op in module.body.ops if not op.is_function or op.python_value("sym_name") in needed]
    old = module.op
    op = Operation(
        old.name,
        properties=old.properties,
        attributes=old.attributes,
        regions=[Region([Block()])],
        location=old.location,
        offset=old.offset,
        end=old.end,
    )
    made = copy(module)
    made.op = op
    made.comments, made.unused_aliases = [], []
    made.container, made.weights, made.convention = {}, {}, None
    for each in [*map(clone_op, kept), main]:
        made.body.append(each)
    return made


def _references(main: Operation, symbols: dict[str, Operation]) -> set[str]:
    """Return the symbols that an op refers to, also through functions."""
    found: set[str] = set()
    pending = [main]
    while pending:
        for op in pending.pop().walk():
            for name in symbols_of(op):
                if name in symbols and name not in found:
                    found.add(name)
                    pending.append(symbols[name])
    return found


def symbols_of(op: Operation) -> Iterator[str]:
    """Yield the names of the symbols that an op refers to."""
    name = callee(op)
    if name is not None:
        yield name
    pending: list[Attribute] = [*op.properties.values(), *op.attributes.values()]
    while pending:
        match pending.pop():
            case SymbolRefAttr(root):
                yield root
            case ArrayAttr(items):
                pending += items
            case DictAttr() as entries:
                pending += [value for _, value in entries.items]


def is_deterministic(op: Operation) -> bool:
    """Test whether an op has equal results for equal operands: it has no effects, nor do its regions."""
    return all(
        (has_trait(each.name, "pure") or has_trait(each.name, "recursive_effects"))
        and not has_trait(each.name, "random")
        for each in op.walk()
        if not has_trait(each.name, "terminator")
    )
