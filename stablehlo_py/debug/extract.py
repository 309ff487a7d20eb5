"""Extraction of a part of a program, as a program of its own with its captured inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stablehlo_py.debug.compare.stepwise import Stepwise
from stablehlo_py.debug.selection import SelectionError, at_line, from_location, named_by
from stablehlo_py.debug.subprograms import Subprogram, subprogram
from stablehlo_py.engines.program import compile_program
from stablehlo_py.interpreter.entry import entries
from stablehlo_py.ir.captures import captures
from stablehlo_py.ir.core import Block, Module, Operation, OpResult, Value
from stablehlo_py.ir.signature import signature
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.syntax.printer import format_module

Inputs = Sequence[Any] | Mapping[str, Any]
Test = Callable[[Operation], bool]


@dataclass(frozen=True, slots=True)
class Extract:
    """A part of a program.

    Attributes:
        module: The program, whose function `main` returns the results of the part.
        inputs: The captured inputs, by the names of the arguments; None if no inputs were given.
        lines: The lines of its ops in the original program.
        notes: Remarks on omitted ops.
    """

    module: Module
    inputs: dict[str, Any] | None
    lines: tuple[int, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a program: ops of one block, in order, and the values that are returned.

    Attributes:
        ops: The ops.
        results: The values to return.
        first: The values that are inputs in any case.
        notes: Remarks on omitted ops.
    """

    ops: tuple[Operation, ...]
    results: tuple[Value, ...]
    first: tuple[Value, ...] = ()
    notes: tuple[str, ...] = ()


# Selection ---------------------------------------------------------------------------------------------


def selected(module: Module, test: Test) -> Part:
    """Return the ops of a block for which a test holds, with the ops that connect them.

    Args:
        module: The program.
        test: The test. Of nested ops, the outermost is taken; of several blocks, the first.

    Raises:
        SelectionError: There is no such op, or it cannot be a separate program.
    """
    found = [op for op in _outermost(module.op, test) if not has_trait(op.name, "terminator")]
    if not found:
        raise SelectionError("there is no such op in a function")
    block = found[0].parent
    chosen = {op for op in found if op.parent is block}
    left = len(found) - len(chosen)
    notes = (f"left out {left} more ops in other functions or regions",) if left else ()
    return _part(_connected(block, chosen), notes)


def _outermost(op: Operation, test: Test) -> list[Operation]:
    """Return the ops for which a test holds, without ops nested in them."""
    found = []
    for inner in [inner for block in op.blocks for inner in block.ops]:
        found += [inner] if not inner.is_function and test(inner) else _outermost(inner, test)
    return found


def _connected(block: Block | None, chosen: set[Operation]) -> list[Operation]:
    """Return ops, and the ops on def-use paths between two of them, in order."""
    assert block is not None
    after = _reachable(block.ops, chosen)
    before = _needed(block.ops, chosen)
    return [op for op in block.ops if op in chosen or (op in after and op in before)]


def _reachable(ops: Sequence[Operation], start: set[Operation]) -> set[Operation]:
    """Return the ops that depend on some ops, directly or indirectly."""
    values = {result for op in start for result in op.results}
    found = set()
    for op in ops:
        if op not in start and not values.isdisjoint([*op.operands, *captures([op])]):
            found.add(op)
            values.update(op.results)
    return found


def _needed(ops: Sequence[Operation], start: set[Operation]) -> set[Operation]:
    """Return the ops that some ops depend on."""
    values = set(captures(list(start)))
    found = set()
    for op in reversed(ops):
        if op not in start and not values.isdisjoint(op.results):
            found.add(op)
            values.update(captures([op]))
    return found


def _part(ops: Sequence[Operation], notes: tuple[str, ...]) -> Part:
    """Return ops as a part, whose results are the values used elsewhere or unused."""
    inside = {each for op in ops for each in op.walk()}
    results = [
        result
        for op in ops
        for result in op.results
        if not result.uses or any(use.op not in inside for use in result.uses)
    ]
    if not results:
        raise SelectionError("the selected ops have no results")
    return Part(tuple(ops), tuple(results), notes=notes)


def function_part(module: Module, name: str) -> Part:
    """Return the body of a function.

    Raises:
        SelectionError: There is no such function.
    """
    function = module.functions.get(name.removeprefix("@"))
    if function is None or not function.regions[0].blocks:
        known = ", ".join(f"@{each}" for each in module.functions)
        raise SelectionError(f"there is no function @{name.removeprefix('@')} with a body; there are {known}")
    return _body(function.entry_block)


def _body(block: Block) -> Part:
    last = block.terminator
    results = last.operands if last is not None and has_trait(last.name, "terminator") else ()
    ops = [op for op in block.ops if not has_trait(op.name, "terminator")]
    return Part(tuple(ops), results, block.arguments)


def between(module: Module, start: str, end: str) -> Part:
    """Return the ops on the paths from one value to another.

    Raises:
        SelectionError: There are no such values, or no path between them.
    """
    a, b = find_value(module, start), find_value(module, end)
    block = b.op.parent if isinstance(b, OpResult) else None
    if block is None:
        raise SelectionError(f"{b} is an argument: no op computes it")
    after = {op for op in block.ops if a in op.operands or a in captures([op])}
    after |= _reachable(block.ops, after)
    before = {b.op} | _needed(block.ops, {b.op}) if isinstance(b, OpResult) else set()
    ops = [op for op in block.ops if op in after and op in before]
    if not ops:
        raise SelectionError(f"{b} does not depend on {a} within one block")
    return Part(tuple(ops), (b,), (a,))


def dependencies(module: Module, name: str, entry: str) -> Part:
    """Return everything in a block that a value depends on.

    Args:
        module: The program.
        name: The name of a value, or the number of a result of the entry function.
        entry: The name of the entry function.

    Raises:
        SelectionError: There is no such value.
    """
    body = module.functions[entry].entry_block
    outputs = body.terminator.operands if body.terminator is not None else ()
    if name.isdigit() and int(name) < len(outputs):
        value = outputs[int(name)]
    else:
        value = find_value(module, name)
    if not isinstance(value, OpResult):
        return Part((), (value,))
    needed = {value.op} | _needed(_block_of(value).ops, {value.op})
    return Part(tuple([op for op in _block_of(value).ops if op in needed]), (value,))


def _block_of(value: OpResult) -> Block:
    assert value.op.parent is not None
    return value.op.parent


def find_value(module: Module, name: str) -> Value:
    """Return the value of a name; the first one where regions and functions use a name again.

    Raises:
        SelectionError: There is no such value.
    """
    wanted = f"%{name.removeprefix('%')}"
    for op in module.walk():
        arguments = [argument for block in op.blocks for argument in block.arguments]
        for value in (*op.results, *arguments):
            if str(value) == wanted:
                return value
    raise SelectionError(f"there is no value {wanted}")


def iteration_part(part: Part) -> Part:
    """Return the body of a loop that is the only op of a part, with its carried values as inputs.

    Raises:
        SelectionError: The part is not a loop.
    """
    definition = lookup(part.ops[0].name) if len(part.ops) == 1 else None
    if definition is None or definition.loop is None:
        raise SelectionError("an iteration of what is not in a loop; select a loop, or an op in a loop")
    names = [body.name for body in definition.bodies]
    return _body(part.ops[0].regions[names.index(definition.loop.body)].blocks[0])


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be extracted; see `shlo.extract`. Exactly one is given."""

    op: str | None = None
    line: int | None = None
    location: str | None = None
    function: str | None = None
    between: tuple[str, str] | None = None
    depends_on: str | None = None

    def part(self, module: Module, entry: str | None, iteration: tuple[int, ...] | None) -> Part:
        """Return the part, or the body of its loop if an iteration of that is asked for.

        Raises:
            SelectionError: There is no such part, or not exactly one is given.
        """
        given = [self.op, self.line, self.location, self.function, self.between, self.depends_on]
        if sum(each is not None for each in given) != 1:
            raise SelectionError("give one of op, line, location, function, between and depends-on")
        part = self._part(module, entry)
        is_loop = iteration is not None and len(part.ops) == 1 and bool(part.ops[0].regions)
        return iteration_part(part) if is_loop else part

    def _part(self, module: Module, entry: str | None) -> Part:
        if self.between is not None:
            return between(module, *self.between)
        if self.function is not None:
            return function_part(module, self.function)
        if self.depends_on is not None:
            ((where, name),) = entries(module, entry)[:1]
            return dependencies(where, self.depends_on, name)
        if self.location is not None:
            return selected(module, from_location(module, self.location))
        if self.op is not None:
            return selected(module, named_by(module, f"%{self.op.removeprefix('%')}"))
        test = at_line(module, self.line or 0)
        if test is None:
            raise SelectionError(f"no op starts at line {self.line}")
        return selected(module, test)


# Extraction --------------------------------------------------------------------------------------------


def extract_part(
    module: Module,
    part: Part,
    inputs: Inputs | None,
    entry: str | None,
    iteration: tuple[int, ...] | None,
) -> Extract:
    """Make a program of a part, and capture its inputs in a run of the whole program.

    Args:
        module: The program.
        part: The part.
        inputs: The inputs of the program; None to capture nothing.
        entry: The name of the entry function.
        iteration: The iteration of each loop around the part; the first time by default.

    Raises:
        RunError: The run fails, or does not get to the part.
        SelectionError: The part is in a region that its op applies to elements.
    """
    made = subprogram(module, part.ops, part.results, part.first)
    text = format_module(made.module, canonical=False)
    extracted = parse_module(text, f"part of {module.name}", allow_unregistered=True, allow_newer=True)
    captured = None
    if inputs is not None:
        values = _captured(module, part, made, inputs, entry, iteration)
        names = [argument.name for argument in signature(extracted.functions["main"]).inputs]
        captured = dict(zip(names, values, strict=True))
    lines = tuple(dict.fromkeys(module.line(op) for op in part.ops))
    return Extract(extracted, captured, lines, part.notes)


def _captured(
    module: Module,
    part: Part,
    made: Subprogram,
    inputs: Inputs,
    entry: str | None,
    iteration: tuple[int, ...] | None,
) -> list[Any]:
    """Return the values that a part captures, as they are before its first op."""
    ((where, name),) = entries(module, entry)[:1]
    ordered = compile_program(where, name, engine="numpy").ordered(inputs)
    if not made.captured:
        return []
    computed = [op for op in part.ops if op.operands or not has_trait(op.name, "pure")]
    if not computed:  # inputs that are returned
        arguments = where.functions[name].entry_block.arguments
        known: dict[Value, Any] = dict(zip(arguments, ordered, strict=True))
        return [known[value] for value in made.captured]
    return list(Stepwise(where, name, "numpy").values_before(computed[-1], made.captured, ordered, iteration))
