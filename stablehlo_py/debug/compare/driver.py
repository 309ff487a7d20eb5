"""The comparison of two runs: of two programs, on two engines, or with files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from stablehlo_py.debug.compare.arguments import Arguments, mismatch
from stablehlo_py.debug.compare.conditioning import Conditioning
from stablehlo_py.debug.compare.errors import ValueDifference, value_error
from stablehlo_py.debug.compare.findings import Comparison
from stablehlo_py.debug.compare.matching import Matching
from stablehlo_py.debug.compare.precision import Precision, alike, as_type, epsilon, narrower
from stablehlo_py.debug.compare.run import Accumulated, Counterparts, InStep, Settings, with_operands
from stablehlo_py.debug.compare.sources import (
    ByProcess,
    Emit,
    Emitter,
    Event,
    Lockstep,
    Source,
    Stopped,
)
from stablehlo_py.debug.compare.stepwise import Stepwise
from stablehlo_py.debug.compare.stored import stored
from stablehlo_py.debug.compare_arrays import ArrayComparison, Tolerance, error_floor
from stablehlo_py.debug.compare_programs import attribute_changes
from stablehlo_py.debug.subprograms import inlined, is_constant
from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.diagnostics.render import line_ranges
from stablehlo_py.engines.engine import Engine
from stablehlo_py.engines.program import Program, compile_program
from stablehlo_py.engines.registry import find_engine
from stablehlo_py.interpreter.entry import entries
from stablehlo_py.interpreter.grid import inputs_by_process
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.ir.signature import Argument, entry_signature
from stablehlo_py.kernels.grid.process import ProcessId
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.syntax.forms.write import stated_attributes

Inputs = Sequence[Any] | Mapping[str, Any]
_MIXED = (
    "the programs use different float types: inputs are cast to the narrower one, each op has its tolerance, "
    "and what the errors of all ops add up to in the results is not judged"
)
_LISTED = 8  # lines in a description
REFERENCE = "numpy"  # the engine that tells an op's own error


class Comparer:
    """Compares runs of a function.

    Args:
        module: The program.
        inputs: The inputs, by position or by name; the same for all processes of a grid, or by process.
        entry: The name of the function; see `shlo.compile` for the default.
        tolerance: The tolerance of each value.
        floor: The share of the largest result that is a small error of any value.
        top: The number of other ops to report.
        until: Tests whether an op is the last one to be compared.
        seed: The seed of `rng`.
    """

    def __init__(
        self,
        module: Module,
        inputs: Inputs | Mapping[ProcessId, Inputs] = (),
        entry: str | None = None,
        *,
        tolerance: Tolerance | None = None,
        floor: float = 0.0,
        top: int = 5,
        until: Callable[[Operation], bool] = lambda op: False,
        seed: int = 0,
    ) -> None:
        ((self._module, self._entry),) = entries(module, entry)[:1]
        self.first_event: Event | None = None  # the execution of the first op
        self.inlined: Module | None = None  # the program that it is in
        self._inputs = inputs
        self._settings = Settings(tolerance or Tolerance(), until, top)
        self._seed = seed
        if floor:
            own = self._results(self._module, self._entry, self._ordered(), REFERENCE)
            least = error_floor([x for results in own.values() for x in results], floor)
            within = replace(self._settings.tolerance, floor=least)
            self._settings = self._settings._replace(tolerance=within)

    def with_program(self, other: Module, has_own_types: bool = False) -> Comparison:
        """Compare with a run of another program on the same inputs.

        Args:
            other: The other program.
            has_own_types: Whether float types that only one program has are differences, rather than the
                precision of the same model.
        """
        ((module, entry),) = entries(other, None if self._entry not in other.functions else self._entry)[:1]
        emitter = Emitter()
        with gc_paused():  # copies of both programs are made, and nothing is garbage
            mine, theirs = inlined(self._module, self._entry), inlined(module, entry)
            signatures = entry_signature(self._module, self._entry), entry_signature(module, entry)
            arguments = signatures[0].inputs, signatures[1].inputs
            functions = mine.functions[self._entry], theirs.functions[entry]
            matching = Matching(*functions, arguments, has_own_types)
            inputs = self._inputs_of(arguments, matching)
            program = compile_program(theirs, entry, engine=REFERENCE, observer=emitter)

        def execute(emit: Emit) -> ByProcess:
            emitter.emit = emit
            return _tuples(program.call_grid(inputs, seed=self._seed))

        last = matching.last_open(mine.functions[self._entry].entry_block)
        details = partial(changes, matching=matching, module=mine, other_module=theirs)
        precision = matching.precision
        counterparts = Counterparts(theirs, matching.ops, details, matching.exact, last, precision)
        comparison, instep = self._run(mine, counterparts, self._lockstep(mine, counterparts, execute))
        if comparison.first is None:
            comparison.changes = [
                f"line {mine.line(op)}: {change}"
                for op in matching.ops
                for change in text_changes(op, matching)
            ]
        lost = {theirs.line(op) for op in matching.unmatched(theirs.functions[entry])}
        comparison.other_unmatched_lines = sorted(lost)
        if precision.differs:
            comparison.notes.append(_MIXED)
        results = partial(self._results, module, entry, inputs, REFERENCE)
        differs = len(_returned(mine, self._entry)) != len(_returned(theirs, entry))
        return self._completed(comparison, instep, mine, results, in_parts=differs)

    def with_engine(self, engine: str | Engine) -> Comparison:
        """Compare with a run on another engine."""
        mine = inlined(self._module, self._entry)
        stepwise = Stepwise(mine, self._entry, engine, self._seed)
        inputs = self._ordered()

        def execute(emit: Emit) -> ByProcess:
            return stepwise.run(inputs, emit)

        ops = {op: op for op in mine.walk() if op.results}
        counterparts = Counterparts(mine, ops, _none)
        comparison, instep = self._run(mine, counterparts, self._lockstep(mine, counterparts, execute))
        results = partial(self._results, self._module, self._entry, inputs, engine)
        found = self._completed(comparison, instep, mine, results, in_parts=True)
        if not all(value.ok for value in found.results):
            found.notes.append(
                "parts of the program agree: the difference is in what the engine makes of the whole"
            )
        return found

    def with_engines(self, first: str | Engine, second: str | Engine = REFERENCE) -> Comparison:
        """Compare runs on two engines, of which at least one is not the NumPy engine."""
        engines = [each for each in (first, second) if find_engine(each).name != REFERENCE]
        if not engines:
            raise ValueError(f"both engines are {REFERENCE}")
        found = self.with_engine(engines[-1])
        if len(engines) > 1:
            other = self.with_engine(engines[0])
            names = [find_engine(each).name for each in reversed(engines)]
            found.notes.append(
                f"each engine was compared with {REFERENCE}; {names[1]} is "
                + ("within tolerance" if other.ok else "out of tolerance too: compare it alone")
            )
        return found

    def with_files(self, path: Path) -> Comparison:
        """Compare with arrays in files; see `stored` for their names."""
        module = self._module.clone()
        source = stored(path, module, module.functions[self._entry])
        comparison, instep = self._run(module, Counterparts(None, source.ops, _none), source)
        comparison.unmatched_lines = []  # of the ops without an array, as most may be
        if source.unknown:
            names = ", ".join(source.unknown[:_LISTED]) + (", ..." if len(source.unknown) > _LISTED else "")
            comparison.notes.append(f"arrays in {path} that are not named after a value: {names}")
        return self._accumulate(comparison, instep, module)

    def _run(self, mine: Module, counterparts: Counterparts, source: Source) -> tuple[Comparison, InStep]:
        """Run the program in step with another run."""
        explains = Conditioning(mine).explains
        instep = InStep(mine, counterparts, source, self._settings._replace(explained=explains))
        instep.constants()
        program = compile_program(mine, self._entry, engine=REFERENCE, observer=instep)
        source.start()
        try:
            results = self._call(program)
            theirs = source.finished() if results is not None else None
            if results is not None and theirs is not None:
                instep.returned(mine.functions[self._entry], results, theirs)
        finally:
            source.close()
        return instep.finish(), instep

    def _lockstep(
        self, mine: Module, counterparts: Counterparts, execute: Callable[[Emit], ByProcess]
    ) -> Lockstep:
        """Return a run of the other program that keeps the results of matched ops."""
        function = mine.functions[self._entry]
        pairs = counterparts.ops.items()
        wanted = [b for a, b in pairs if a.function is function and not any(map(is_constant, a.results))]
        return Lockstep(execute, Counter(wanted))

    def _execute(self, module: Module, observer: InStep | Accumulated) -> None:
        self._call(compile_program(module, self._entry, engine=REFERENCE, observer=observer))

    def _call(self, program: Program) -> ByProcess | None:
        """Run a program on the inputs; return its results, or None if its observer ends the run."""
        try:
            return _tuples(program.call_grid(self._inputs, seed=self._seed))
        except Stopped:
            return None

    def _completed(
        self,
        found: Comparison,
        instep: InStep,
        mine: Module,
        others: Callable[[], ByProcess],
        in_parts: bool,
    ) -> Comparison:
        """Add the errors of the operands, and of the results where no op is wrong.

        Args:
            found: The comparison.
            instep: The run that it is of.
            mine: The program that was run.
            others: Runs the other program, or engine, as a whole.
            in_parts: Whether the results may differ although all ops agree: the other run was in parts, or
                returns another number of values.
        """
        is_partial = in_parts or found.unmatched > 0 or not found.ops
        is_small = found.first.ok if found.first is not None else is_partial
        is_small &= not instep.differs_in_precision or is_partial
        if found.error is None and is_small:
            own, theirs = self._results(self._module, self._entry, self._ordered(), REFERENCE), others()
            for place, results in own.items():
                at = f"@{place[0]},{place[1]}" if len(own) > 1 else ""
                errors = self._result_errors(results, theirs[place])
                found.results += [replace(error, name=f"{error.name}{at}") for error in errors]
        return self._accumulate(found, instep, mine)

    def _result_errors(self, mine: Sequence[Any], theirs: Sequence[Any]) -> Iterator[ValueDifference]:
        """Yield the errors of the results of a process; a result that only one run has is wrong."""
        outputs = _returned(self._module, self._entry)
        for value, a, b in zip(outputs, mine, theirs, strict=False):
            rounding, tolerance = narrower(a, b), self._settings.tolerance
            tolerance = tolerance if rounding is None else tolerance.rounded(epsilon(rounding))
            yield value_error(value, *alike(a, b), tolerance)
        for number in range(min(len(mine), len(theirs)), max(len(mine), len(theirs))):
            who = "first" if number < len(mine) else "second"
            problem = f"only the {who} program has a result {number}"
            type = str(outputs[number].type) if number < len(mine) else ""
            yield ValueDifference(f"result {number}", type, ArrayComparison(False, problem=problem))

    def _accumulate(self, found: Comparison, instep: InStep, mine: Module) -> Comparison:
        """Add the errors of the operands of the first op: in a run of the program without substitution."""
        if found.first is None or instep.first_event is None:
            return found
        self.first_event, self.inlined = instep.first_event, mine
        tolerance = self._settings.tolerance
        if not instep.had_differences:
            equal = [value_error(value, array, array, tolerance) for _, value, array in instep.operands]
            found.first = with_operands(found.first, equal)
            return found
        copy = mine.clone()
        ops = dict(zip(mine.walk(), copy.walk(), strict=True))
        event = instep.first_event._replace(op=ops[instep.first_event.op])
        accumulated = Accumulated(event, instep.operands, tolerance)
        if instep.operands:
            self._execute(copy, accumulated)
        found.first = with_operands(found.first, accumulated.found)
        return found

    def _results(
        self, module: Module, entry: str, inputs: Mapping[ProcessId, Inputs], engine: str | Engine
    ) -> ByProcess:
        return _tuples(compile_program(module, entry, engine=engine).call_grid(inputs, seed=self._seed))

    def _ordered(self) -> dict[ProcessId, Sequence[Any]]:
        """Return the inputs of each process, in order."""
        program = compile_program(self._module, self._entry, engine=REFERENCE)
        places = program.process_ids()
        given = inputs_by_process(self._inputs, places, places)
        return {place: program.ordered(given[place]) for place in places}

    def _inputs_of(
        self, arguments: tuple[Arguments, Arguments], matching: Matching
    ) -> dict[ProcessId, Sequence[Any]]:
        """Return the inputs of the other program.

        Inputs of other float types are rounded, for both programs.
        """
        mine, theirs = arguments
        if matching.arguments is None:
            raise RunError(mismatch(mine, theirs))
        inputs = self._ordered()
        given: dict[ProcessId, Sequence[Any]] = {
            place: [values[i] for i in matching.arguments] for place, values in inputs.items()
        }
        if not matching.precision.differs:
            return given
        rounded = _typed(given, theirs)
        if len(theirs) == len(mine):
            self._inputs = _typed(rounded, mine)
        return rounded


def _returned(module: Module, entry: str) -> Sequence[Value]:
    """Return the values that a function returns."""
    last = module.functions[entry].entry_block.terminator
    return () if last is None else last.operands


def _tuples(results: Mapping[ProcessId, Sequence[Any]]) -> ByProcess:
    return {place: tuple(values) for place, values in results.items()}


def _typed(
    inputs: Mapping[ProcessId, Sequence[Any]], arguments: Sequence[Argument]
) -> dict[ProcessId, Sequence[Any]]:
    """Return the inputs of each process, floats in the types of arguments."""
    types = [argument.type for argument in arguments]
    return {place: list(map(as_type, values, types)) for place, values in inputs.items()}


def _none(op: Operation) -> Iterator[str]:
    yield from ()


def changes(op: Operation, matching: Matching, module: Module, other_module: Module) -> Iterator[str]:
    """Describe how an op and its counterpart differ, and which ops without a counterpart are between them.

    Args:
        op: The op, which is matched.
        matching: The matched ops.
        module: The program of the op.
        other_module: The program of its counterpart.
    """
    yield from text_changes(op, matching)
    other = matching.ops[op]
    for index, (x, y) in enumerate(zip(op.operands, other.operands, strict=False)):
        if matching.value(x) is None:
            lines = _unmatched_lines(x, matching.ops.keys(), module)
            others = _unmatched_lines(y, set(matching.ops.values()), other_module)
            yield (
                f"operand {index}: {x} and {y} come from ops without a counterpart: "
                f"{lines} here, {others} there"
            )


def text_changes(op: Operation, matching: Matching) -> Iterator[str]:
    """Describe how an op and its counterpart differ in text."""
    other = matching.ops[op]
    if op.name != other.name:
        yield f"op: from {op.name} to {other.name}"
    if len(op.operands) != len(other.operands):
        yield f"operands: from {len(op.operands)} to {len(other.operands)}"
    is_permuted = matching.is_permuted(op)
    if is_permuted:
        yield f"the order of operands: from {_names(op.operands)} to {_names(other.operands)}"
    for index, (x, y) in enumerate(zip(op.operands, other.operands, strict=False)):
        if not is_permuted and matching.value(x) is not None and not matching.same(x, y):
            yield f"operand {index}: from {x} to {y} (a different value)"
    if len(op.regions) == len(other.regions) and not matching.has_same_order(op):
        yield "the order of branches"
    key = matching.precision.attribute
    yield from attribute_changes(op, other, key)
    yield from _region_changes(op, other, matching.precision)


def _region_changes(op: Operation, other: Operation, precision: Precision) -> Iterator[str]:
    """Describe the differences between the ops in the regions of two ops."""
    ops = [_nested(each, precision) for each in (op, other)]
    keys = [[_key(each, precision) for each in side] for side in ops]
    if keys[0] != keys[1] and Counter(keys[0]) == Counter(keys[1]):
        yield "region: the same ops in another order, or on other operands"
    left, right = [
        [each for each, number in zip(side, _numbered(own), strict=True) if number not in {*_numbered(rest)}]
        for side, own, rest in zip(ops, keys, keys[::-1], strict=True)
    ]
    for a, b in zip_longest(left, right):
        if a is None or b is None or a.name != b.name:
            yield f"region: from {a.name if a else 'nothing'} to {b.name if b else 'nothing'}"
        else:
            yield from (f"region: {a.name}: {each}" for each in attribute_changes(a, b, precision.attribute))


def _key(op: Operation, precision: Precision) -> Hashable:
    stated = sorted(stated_attributes(op).items())
    return op.name, *[(name, precision.attribute(value)) for name, value in stated]


def _numbered(keys: Sequence[Hashable]) -> Iterator[tuple[Hashable, int]]:
    """Yield keys with the number of their occurrence."""
    seen = Counter[Hashable]()
    for key in keys:
        yield key, seen[key]
        seen[key] += 1


def _names(values: Sequence[Value]) -> str:
    return ", ".join(map(str, values))


def _unmatched_lines(value: Value, matched: Collection[Operation], module: Module) -> str:
    """List the lines of the ops without a counterpart that a value is computed by, up to a few."""
    found: dict[Operation, None] = {}
    pending = [value]
    while pending and len(found) < _LISTED:
        producer = getattr(pending.pop(), "op", None)
        if isinstance(producer, Operation) and producer not in matched and producer not in found:
            found[producer] = None
            pending += producer.operands
    return line_ranges(module.line(op) for op in found) if found else "none"


def _nested(op: Operation, precision: Precision) -> list[Operation]:
    """Return the ops in the regions of an op that are part of it, not matched on their own."""
    if has_trait(op.name, "runs_bodies"):
        return []
    return [each for each in op.walk() if each is not op and not precision.skips(each)]
