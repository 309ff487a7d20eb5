"""The search for the first dump whose results differ, and for the first wrong instruction in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.debug.blame.changes import Changes, changes
from stablehlo_py.debug.blame.dumps import Dump, distinct, dumps_in
from stablehlo_py.debug.blame.reproducer import Reproducer, reproducer
from stablehlo_py.debug.blame.trial import Each, Trial, TrialProgram, load_dump
from stablehlo_py.debug.compare.driver import REFERENCE, Comparer
from stablehlo_py.debug.compare.errors import ValueDifference
from stablehlo_py.debug.compare.findings import Comparison, OpDifference
from stablehlo_py.debug.compare.precision import float_types
from stablehlo_py.debug.selection import SelectionError
from stablehlo_py.diagnostics.diagnostic import ParseError, RunError, StablehloError
from stablehlo_py.diagnostics.origin import origin, python_line
from stablehlo_py.engines.engine import Engine
from stablehlo_py.engines.program import compile_program
from stablehlo_py.hlo.texts import without_metadata
from stablehlo_py.interpreter.entry import entries
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import signature
from stablehlo_py.ir.types import TensorType

_LARGE = 16_000_000  # characters of texts from which they are bisected
Bind = Callable[[Module], Sequence[Any]]
Inputs = Sequence[Any] | Mapping[str, Any]


@dataclass(slots=True)
class Blame:
    """The pass that broke a result.

    Attributes:
        module: The name of the module in the names of its dumps.
        file: The name of the first dump whose results differ; None if no results differ.
        pass_name: The pass that wrote it; "" for the first dump of a pipeline and for the last dump.
        pipeline: The pipeline of the pass.
        before: The name of the last right dump before it, or of the program.
        results: The results that differ.
        comparison: The comparison of the wrong dump, as the first program, with the right one.
        instruction: The text of the first wrong instruction; "" if it is not known.
        source: Its source line, such as `model.py:12:5`, or of its first user with a location; or "".
        origin: The source line, with the name scope and the callers.
        reproducer: The instruction and its counterpart as separate programs, with their inputs.
        changes: The text changes of the pass near the instruction, if both programs are HLO.
        backend: The backend's results that differ although no dump is wrong: the fault is in code generation.
        dumps: The number of dumps with different texts.
        runs: The number of dumps that were run.
        skipped: Why dumps cannot be run, by name.
        notes: Remarks on what was compared.
    """

    module: str
    file: str | None = None
    pass_name: str = ""
    pipeline: str = ""
    before: str = ""
    results: list[ValueDifference] = field(default_factory=list)
    comparison: Comparison | None = None
    instruction: str = ""
    source: str = ""
    origin: tuple[str, ...] = ()
    reproducer: Reproducer | None = None
    changes: Changes = field(default_factory=lambda: Changes([], 0))
    backend: list[ValueDifference] = field(default_factory=list)
    dumps: int = 0
    runs: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def first(self) -> OpDifference | None:
        """The first wrong instruction, if one is known."""
        first = None if self.comparison is None else self.comparison.first
        return None if first is None or first.ok else first

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        names = (
            "module", "file", "pass_name", "pipeline", "before", "instruction", "source", "dumps", "runs",
            "skipped", "notes",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | {
            "results": [value.to_dict() for value in self.results],
            "backend": [value.to_dict() for value in self.backend],
            "first": None if self.first is None else self.first.to_dict(),
            "origin": list(self.origin),
            "changes": [{"sign": sign, "line": line, "text": text} for sign, line, text in self.changes.rows],
            "other_changes": self.changes.others,
        }


class _Judged(NamedTuple):
    """A dump that was run, and its results that differ."""

    dump: Dump
    results: list[ValueDifference]


class Search:
    """Searches the dumps of a folder.

    Args:
        folder: The folder.
        bind: Returns the inputs for a program, in order; raises RunError if they do not match.
        program: The StableHLO program; without one, the first dump is right.
        module: A part of the name of the module; by default the largest one that takes the inputs.
        engine: The engine that runs the dumps.
        tolerance: The tolerance relative to the largest magnitude of a result.
        every: Whether all dumps are run, in order; by default if their texts are small.
        seed: The seed of `rng`.
        against: The backend's own results, which are compared if no dump is wrong.
        each: Runs the dumps at some paths in order, such as by several processes; `map` by default.

    Attributes:
        found: What is known so far.

    Raises:
        RunError: If no module takes the inputs.
    """

    def __init__(
        self,
        folder: Path,
        bind: Bind,
        program: Module | None = None,
        *,
        module: str | None = None,
        engine: str | Engine = REFERENCE,
        tolerance: float | None = None,
        every: bool | None = None,
        seed: int = 0,
        against: Sequence[Any] | None = None,
        each: Each = map,
    ) -> None:
        self._seed, self._against, self._each = seed, against, each
        self._inputs, dumps = _chosen(dumps_in(folder, module), bind, program)
        self._dumps, size = distinct(dumps)
        self._every = size < _LARGE if every is None else every
        self._right = (
            TrialProgram(Path(program.source.name), program)
            if program is not None
            else load_dump(self._dumps.pop(0).path)
        )
        before = self._right.path.name if program is None else program.source.name
        self.found = Blame(dumps[0].module, before=before, dumps=len(self._dumps) + (program is None))
        self._trial = Trial(self._right, self._inputs, engine, tolerance, seed)

    def run(self) -> Blame:
        """Run dumps until the first wrong one is known."""
        found = self.found
        wrong = self._first() if self._every else self._bisected()
        if wrong is None:
            if not self._every:
                found.notes.append("only the last dump was run: passes before it may be wrong and mended")
            if self._against is not None:
                found.backend = self._trial.judge.differences(self._right.module, self._against)
            return found
        dump, found.results = wrong
        found.file, found.pass_name, found.pipeline = dump.path.name, dump.pass_name, dump.pipeline
        self._explain(load_dump(dump.path))
        return found

    def _first(self) -> _Judged | None:
        """Run all dumps in order, up to the first wrong one."""
        right = None
        for judged in self._judged(self._dumps):
            if judged is not None and judged.results:
                self._set_right(right)
                return judged
            right = judged or right
        return None

    def _set_right(self, judged: _Judged | None) -> None:
        """Set the last right program, unless it is the first one."""
        if judged is not None:
            self._right = load_dump(judged.dump.path)
            self.found.before = judged.dump.path.name

    def _bisected(self) -> _Judged | None:
        """Find a wrong dump that follows a right dump by bisection; None if the last dump is right."""
        rest = [*self._dumps]
        right: _Judged | None = None
        wrong: _Judged | None = None
        at = -1
        while rest:
            (judged,) = self._judged([rest.pop(at)])
            if judged is not None and judged.results:
                wrong, rest = judged, rest if at < 0 else rest[:at]
            elif judged is not None and wrong is None:
                return None
            elif judged is not None:
                right, rest = judged, rest[at:]
            at = len(rest) // 2 if wrong is not None else -1
        self._set_right(right)
        return wrong

    def _judged(self, dumps: Sequence[Dump]) -> Iterator[_Judged | None]:
        """Run dumps in order; yield None for a dump that cannot be run."""
        outcomes = self._each(self._trial, [str(dump.path) for dump in dumps])
        for dump, outcome in zip(dumps, outcomes, strict=False):
            if outcome.error:
                self.found.skipped[dump.path.name] = outcome.error
                yield None
            else:
                self.found.runs += 1
                yield _Judged(dump, outcome.results)

    def _explain(self, wrong: TrialProgram) -> None:
        """Find the first wrong instruction, and what the pass changed near it."""
        found = self.found
        comparer = Comparer(wrong.module, self._inputs, seed=self._seed)
        try:
            for has_own_types in self._readings(wrong.module):
                found.comparison = comparison = comparer.with_program(
                    self._right.module, has_own_types=has_own_types
                )
                if found.first is not None:
                    break
        except StablehloError as error:
            found.notes.append(f"the dumps cannot be run in step: {error}")
            return
        lines, others = comparison.unmatched_lines, comparison.other_unmatched_lines
        if found.first is not None:
            lines, others = [found.first.line], [found.first.other_line]
            found.instruction = without_metadata(found.first.text)
            self._reproduce(wrong, found.first)
            if comparer.first_event is not None:
                op = comparer.first_event.op
                found.source, found.origin = _origin(op)
                sources = [getattr(operand, "op", None) for operand in op.operands]
                lines += [wrong.module.line(each) for each in sources if each is not None]
        if wrong.hlo is not None and self._right.hlo is not None:
            found.changes = changes(self._right.hlo, wrong.hlo, lines, others)

    def _readings(self, wrong: Module) -> tuple[bool, bool]:
        """Return whether float types are part of what ops compute, the likelier answer first.

        A pass that changes the precision of ops removes a type; one that rounds a value may add one.
        """
        before, after = [set(float_types(each.op)) for each in (self._right.module, wrong)]
        is_added = before < after
        return is_added, not is_added

    def _reproduce(self, wrong: TrialProgram, first: OpDifference) -> None:
        try:
            self.found.reproducer = reproducer(wrong.module, self._right.module, first, self._inputs)
        except (SelectionError, StablehloError) as error:
            self.found.notes.append(f"the instruction cannot be a program of its own: {error}")


def search(folder: Path, inputs: Inputs, program: Module | None, module: str | None, **options: Any) -> Blame:
    """Search a folder for the pass that broke a result; see `stablehlo_py.blame`."""
    return Search(
        folder, lambda each: compile_program(each).ordered(inputs), program, module=module, **options
    ).run()


def _chosen(
    candidates: Sequence[Sequence[Dump]], bind: Bind, program: Module | None
) -> tuple[Sequence[Any], Sequence[Dump]]:
    """Return the inputs, and the dumps of the first module that takes them."""
    errors: list[StablehloError] = []
    for dumps in candidates:
        try:
            first = load_dump(dumps[0].path).module
            inputs = bind(program or first)
            _check(inputs, first)
        except (RunError, ParseError) as error:
            errors.append(error)
        else:
            return inputs, dumps
    raise errors[0]


def _check(inputs: Sequence[Any], module: Module) -> None:
    """Raise RunError if the main function of a module does not take inputs of these shapes."""
    ((where, name),) = entries(module)[:1]
    arguments = signature(where.functions[name]).inputs
    shapes = [argument.type.shape for argument in arguments if isinstance(argument.type, TensorType)]
    if [np.shape(each) for each in inputs] != shapes:
        raise RunError(f"{module.source.name} takes {', '.join(str(each.type) for each in arguments)}")


def _origin(op: Operation) -> tuple[str, tuple[str, ...]]:
    """Return the source line of an op, alone and with its callers; of its first user, for a constant."""
    pending, seen = [op], {op}
    for current in pending:
        if place := origin(current.location):
            return python_line(current), tuple(place)
        users = [use.op for result in current.results for use in result.uses]
        pending += [user for user in dict.fromkeys(users) if user not in seen]
        seen.update(users)
    return "", ()
