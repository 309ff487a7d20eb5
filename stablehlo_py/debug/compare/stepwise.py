"""Intermediates of an engine without observers: parts of the program that return all their values.

A function is cut into parts of a few ops. The engine runs each part as a program on the results of earlier
parts. Loops and branches are executed here, so that their values are known by iteration. On a grid, each
part runs on all processes, which must take the same loops and branches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.debug.compare.sources import Emit, Event
from stablehlo_py.debug.subprograms import Subprogram, is_constant, subprogram
from stablehlo_py.diagnostics.diagnostic import RunError, StablehloError
from stablehlo_py.engines.engine import Engine
from stablehlo_py.engines.program import Program, compile_program
from stablehlo_py.interpreter.grid import stated_processes
from stablehlo_py.ir.captures import captures
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.kernels.grid.process import ProcessId
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait, lookup

PART = 100  # ops, at most, that an engine runs as one program

Values = tuple[Any, ...]
Each = tuple[Any, ...]  # a value on each process
Environment = dict[Value, Each]


class Stepwise:
    """A function of a module, run in parts.

    Args:
        module: The module.
        entry: The name of the function.
        engine: The engine, or its name.
        seed: The seed of `rng`, which draws anew in each part.
    """

    def __init__(self, module: Module, entry: str, engine: str | Engine, seed: int = 0) -> None:
        self._module = module
        self._functions = module.functions
        self._body = self._functions[entry].entry_block
        self._engine, self._seed = engine, seed
        self._places = stated_processes(module)
        self._parts: dict[Block, list[Operation | _Part]] = {}
        self._emit: Emit | None = None
        self._stop: _Stop | None = None

    def run(self, inputs: Mapping[ProcessId, Sequence[Any]], emit: Emit) -> dict[ProcessId, Values]:
        """Run the function.

        Args:
            inputs: Its inputs on each process.
            emit: Called with each execution of an op and its results.

        Returns:
            Its results on each process.
        """
        self._emit = emit
        given = list(zip(*[inputs[place] for place in self._places], strict=True))
        results = self._block(self._body, given, {}, ())
        return {place: tuple([each[i] for each in results]) for i, place in enumerate(self._places)}

    def values_before(
        self,
        op: Operation,
        values: Sequence[Value],
        inputs: Sequence[Any],
        iterations: tuple[int, ...] | None,
    ) -> Values:
        """Return the arrays of values as they are before an op is executed, on the first process.

        Args:
            op: The op, which is no constant.
            values: The values.
            inputs: The inputs of the function, on all processes.
            iterations: The iteration of each loop around the op; by default, the first time.

        Raises:
            RunError: The run does not get there.
        """
        self._stop, self._emit = _Stop(op, tuple(values), iterations), None
        self._parts.clear()
        try:
            self._block(self._body, [(value,) * len(self._places) for value in inputs], {}, ())
        except _Reached as reached:
            return reached.values
        at = f" in iteration {', '.join(map(str, iterations))}" if iterations else ""
        raise RunError(f"the run does not execute {op.name} of line {self._module.line(op)}{at}")

    def _block(
        self,
        block: Block,
        arguments: Sequence[Each],
        outer: Mapping[Value, Each],
        iterations: tuple[int, ...],
    ) -> tuple[Each, ...]:
        """Run a block and return the values of its terminator."""
        if block not in self._parts:
            self._parts[block] = self._cut(block)
        values: Environment = {**outer, **dict(zip(block.arguments, arguments, strict=True))}
        for part in self._parts[block]:
            first = part.ops[0] if isinstance(part, _Part) else part
            if self._stop is not None and self._stop.is_at(first, iterations):
                raise _Reached(tuple([self._value(value, values)[0] for value in self._stop.values]))
            if isinstance(part, _Part):
                self._run_part(part, values, iterations)
                continue
            found = self._control_flow(part, values, iterations)
            values.update(zip(part.results, found, strict=True))
            self._tell(part, iterations, found)
        last = block.terminator
        return tuple([self._value(value, values) for value in last.operands]) if last is not None else ()

    def _run_part(self, part: _Part, values: Environment, iterations: tuple[int, ...]) -> None:
        results = part.run([self._value(value, values) for value in part.captured])
        values.update(zip(part.results, results, strict=True))
        for op in part.ops if self._emit is not None else ():
            self._tell(op, iterations, [values[result] for result in op.results])
        kept = self._stop.values if self._stop is not None else ()
        for value in part.dead:
            if value not in kept:
                values.pop(value, None)

    def _tell(self, op: Operation, iterations: tuple[int, ...], results: Sequence[Each]) -> None:
        """Emit the results of an execution on each process."""
        if self._emit is None:
            return
        for i, place in enumerate(self._places):
            self._emit(Event(op, iterations, place), tuple([each[i] for each in results]))

    def _value(self, value: Value, values: Environment) -> Each:
        """Return the arrays of a value; the array of a constant is computed on first use."""
        if value not in values:
            assert is_constant(value)
            part = subprogram(self._module, [value.op], [value])  # type: ignore[attr-defined]
            (array,) = compile_program(part.module, "main", engine="numpy")()
            values[value] = (array,) * len(self._places)
        return values[value]

    def _control_flow(
        self, op: Operation, values: Environment, iterations: tuple[int, ...]
    ) -> tuple[Each, ...]:
        operands = [self._value(value, values) for value in op.operands]
        if (name := callee(op)) is not None:
            return self._block(self._functions[name].entry_block, operands, {}, iterations)
        definition = lookup(op.name)
        assert definition is not None
        if definition.loop is None:
            return self._block(_branch(op, self._agreed(op, operands[0])).blocks[0], (), values, iterations)
        names = [body.name for body in definition.bodies]
        condition = op.regions[names.index(definition.loop.condition)].blocks[0]
        body = op.regions[names.index(definition.loop.body)].blocks[0]
        state, count = tuple(operands), 0
        while self._agreed(op, self._block(condition, state, values, (*iterations, count))[0]):
            state = self._block(body, state, values, (*iterations, count))
            count += 1
        return state

    def _agreed(self, op: Operation, each: Each) -> Any:
        """Return the value on all processes, which decides where a loop or a branch goes."""
        first, *others = each
        if any(not np.array_equal(value, first) for value in others):
            raise RunError(
                f"the processes take different branches at {op.name} of line {self._module.line(op)}; "
                "engines are compared where all processes take the same"
            )
        return first

    def _cut(self, block: Block) -> list[Operation | _Part]:
        """Cut a block into parts, and the loops and branches between them."""
        groups: list[list[Operation] | Operation] = []
        for op in block.ops:
            if has_trait(op.name, "terminator") or (op.results and is_constant(op.results[0])):
                continue
            if is_taken_here(op) or callee(op) in self._functions:
                groups.append(op)
                continue
            is_stop = self._stop is not None and self._stop.op is op
            if not groups or not isinstance(groups[-1], list) or len(groups[-1]) >= PART or is_stop:
                groups.append([])
            group = groups[-1]
            assert isinstance(group, list)
            group.append(op)
        return [self._part(group) if isinstance(group, list) else group for group in groups]

    def _part(self, ops: list[Operation]) -> _Part:
        results = [result for op in ops for result in op.results]
        if self._emit is None:
            kept = self._stop.values if self._stop is not None else ()
            inside = {each for op in ops for each in op.walk()}
            results = [
                each for each in results if each in kept or any(use.op not in inside for use in each.uses)
            ]
        part = subprogram(self._module, ops, results)
        program = compile_program(part.module, "main", engine=self._engine)
        if program.local_process_ids() != self._places:
            raise RunError(
                "engines are compared where one process of the system runs the whole grid; this engine "
                f"runs {len(program.local_process_ids())} of {len(self._places)} processes here"
            )
        return _Part(ops, part, program, self._seed)


class _Stop(NamedTuple):
    """Where a run ends, and the values to return."""

    op: Operation
    values: Values
    iterations: tuple[int, ...] | None

    def is_at(self, op: Operation, iterations: tuple[int, ...]) -> bool:
        """Test whether a run is there."""
        return op is self.op and self.iterations in (None, iterations)


class _Reached(StablehloError):
    """Ends a run with the values before an op."""

    def __init__(self, values: Values) -> None:
        super().__init__("reached")
        self.values = values


def is_taken_here(op: Operation) -> bool:
    """Test whether an op is a loop or a branch, which is taken between parts."""
    definition = lookup(op.name)
    if definition is None or "runs_bodies" not in definition.traits:
        return False
    return "branches" in definition.traits or (
        definition.loop is not None and bool(definition.loop.condition)
    )


def _branch(op: Operation, selector: Any) -> Region:
    """Return the region that a branching op takes: the first region for true, or the region at an index."""
    chosen = int(selector)
    if np.asarray(selector).dtype == np.bool_:
        return op.regions[1 - chosen]
    return op.regions[chosen if 0 <= chosen < len(op.regions) else -1]


class _Part:
    """Ops that run together as a program.

    Attributes:
        ops: The ops.
        captured: The values that they take.
        results: Their results.
        dead: The values without a use after the part.
    """

    def __init__(self, ops: list[Operation], part: Subprogram, program: Program, seed: int) -> None:
        self.ops = ops
        self.captured = part.captured
        self.results = part.results
        self.dead = _last_used(ops)
        self._program, self._seed = program, seed

    def run(self, inputs: Sequence[Each]) -> list[Each]:
        """Run the program on each process."""
        places = self._program.process_ids()
        given = {place: [each[i] for each in inputs] for i, place in enumerate(places)}
        found = self._program.call_grid(given, seed=self._seed)
        return list(zip(*[found[place] for place in places], strict=True))


def _last_used(ops: Sequence[Operation]) -> list[Value]:
    """Return the values of the block of some ops that no later op uses."""
    block = ops[-1].parent
    assert block is not None  # the ops are in a function
    place = {op: index for index, op in enumerate(block.ops)}
    end = place[ops[-1]]
    found = [*captures(ops), *(result for op in ops for result in op.results)]
    return [
        value
        for value in found
        if getattr(getattr(value, "op", None), "parent", getattr(value, "block", None)) is block
        and all(_place_in(block, use.op, place) <= end for use in value.uses)
    ]


def _place_in(block: Block | None, op: Operation, place: Mapping[Operation, int]) -> int:
    """Return the index of the op of a block that is or contains another op."""
    around: Operation | None = op
    while around is not None and around.parent is not block:
        around = around.parent_op
    return place[around] if around is not None else len(place)
