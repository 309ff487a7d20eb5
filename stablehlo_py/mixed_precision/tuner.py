"""The search for ops that must stay wide: a set grown by contributions, shrunk by delta debugging."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.debug.reduce.descent import Descent, Edit
from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.diagnostics.origin import python_line, scope_name
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.engines.program import Program, compile_program
from stablehlo_py.ir.core import Module, Operation, Use, Value
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.ir.types import FloatType
from stablehlo_py.mixed_precision.findings import KeptOp, MixedPrecision, expense, scaling
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.rounding.engine import ShadowEngine
from stablehlo_py.rounding.measures import difference, relative, rms
from stablehlo_py.rounding.rows import Shadow
from stablehlo_py.rounding.shadowed import LIMIT
from stablehlo_py.transforms.narrowing import Narrowing, is_exact

Units = frozenset[int]
Inputs = Any  # of one run: a sequence, or a mapping by argument name
_MARGIN = 0.8  # of the tolerance, within which the search stays if there are sets to validate the result
_EXCESS = 10.0  # times the tolerance: errors that a smaller tolerance on other sets does not avoid
_PARTS = 32  # of a set of units, the smallest that are dropped: a set of a thousand takes no thousand runs
_FEW = 6  # kept units, of which two are tried to be replaced by one of as many others


class _Narrowed(NamedTuple):
    """A narrowed program, the positions that its ops have in the wide one, and those of the candidates."""

    module: Module
    positions: dict[Operation, int]
    candidates: list[int]


@dataclass(eq=False)
class Tuner:
    """Searches for the ops that must stay wide.

    Attributes:
        module: A valid program.
        entry: The name of its function.
        type: The narrow type.
        rtol: The tolerance of the results.
        by_scope: Whether ops of a name scope stay wide together.
        limit: The largest number of programs to run: at least the narrow and the wide one.
        engine: The engine of the runs.
        seed: The seed of `rng`.
        say: Called with each step.
    """

    module: Module
    entry: str
    type: FloatType
    rtol: float
    by_scope: bool
    limit: int
    engine: str
    seed: int
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        self._ops = list(self.module.walk())
        found = self._narrowed(Units()).candidates
        names = [_scope(self._ops[i]) if self.by_scope else i for i in found]
        groups: dict[Any, list[int]] = {}
        for name, i in zip(names, found, strict=True):
            groups.setdefault(name, []).append(i)
        self._names = list(groups) if self.by_scope else []
        self._units = list(groups.values())
        self._scores = [0.0] * len(self._units)
        self._known: dict[tuple[Units, int], float] = {}
        self._programs: dict[Units, Program] = {}  # the last one
        self._descent = Descent(self._holds, self._accept, jobs=1)
        self._all = Units(range(len(self._units)))
        self._run: set[Units] = set()  # programs, by the units that are wide
        self._is_exhausted = False
        self._goal = self.rtol
        self._unchecked: list[int] = []

    def run(self, sets: Sequence[Inputs]) -> MixedPrecision:
        """Search on some sets of inputs; others validate the result, and are used where it fails."""
        wide = compile_program(self.module, self.entry, engine=self.engine)
        self._expected = [(inputs, self._results(wide, inputs)) for inputs in sets]
        rest = [1] if 2 <= len(sets) <= 3 else list(range(3, len(sets), 4))
        self._sets = [index for index in range(len(sets)) if index not in rest]
        self._unchecked = self._rounding_errors_alone(sets[0])
        narrow_error = max(self._error(Units(), index) for index in self._sets)
        self.say(f"all of {counted(len(self._units), 'unit')} narrow: error {narrow_error:.3g}")
        if rest:
            self._goal *= _MARGIN
        kept = self._search(Units())
        while wrong := [index for index in rest if self._error(kept, index) > self.rtol]:
            kept = self._corrected(kept, wrong[0], rest)
        return self._found(kept, narrow_error, rest)

    # The search

    def _corrected(self, kept: Units, wrong: int, rest: list[int]) -> Units:
        """Return a set of units for a held-back set of inputs on which the error is out of tolerance.

        The last one stays held back: the others have to hold a smaller tolerance, if that makes a difference
        and the error is not that of elements that go another way.
        """
        error = self._error(kept, wrong)
        if len(rest) == 1 and error <= _EXCESS * self.rtol:
            self._goal *= _MARGIN * self.rtol / error
            self.say(f"out of tolerance on the last held-back set: {self._goal:.3g} on the others")
            if (found := self._search(kept)) != kept:
                return found
        self.say("out of tolerance on a held-back set, which is used from here on")
        self._sets.append(wrong)
        rest.remove(wrong)
        return self._search(kept)

    def _search(self, kept: Units) -> Units:
        """Return a small set of units, from one that may be too small."""
        before = self._grown(kept)
        kept = self._shrunk(before)
        while len(before) - len(kept) > len(before) // _PARTS:
            kept, before = self._shrunk(kept), kept
        return self._descent.repeat(kept, self._exchanged) if 1 < len(kept) <= _FEW else kept

    def _grown(self, kept: Units) -> Units:
        """Add the units that contribute most to the error, until it is within tolerance."""
        while not self._holds(kept):
            left = [unit for unit in range(len(self._units)) if unit not in kept]
            if not left or self._is_spent():
                return self._all
            self._scores = self._contributions(kept)
            best = sorted(left, key=lambda unit: -self._scores[unit])
            kept |= set(best[: max(1, len(kept))])
            self.say(f"{counted(len(kept), 'unit')} wide: error {self._largest(kept):.3g}")
        return kept

    def _shrunk(self, kept: Units) -> Units:
        """Drop runs of units, the longest and those that contribute least first; of many, no short ones."""
        shortest = len(kept) // _PARTS
        lengths = [1 << i for i in reversed(range((len(kept) // 2).bit_length())) if 1 << i >= shortest]
        for length in lengths or [1]:
            ordered = sorted(kept, key=lambda unit: self._scores[unit])
            for start in range(0, len(ordered), length):
                run = ordered[start : start + length]
                if not self._is_spent() and self._holds(kept.difference(run)):
                    kept = kept.difference(run)
                    self.say(f"{counted(len(kept), 'unit')} wide after {counted(len(self._run), 'run')}")
        return kept

    def _exchanged(self, kept: Units) -> Iterator[Edit[Units]]:
        """Replace two units by another one."""
        others = [unit for unit in range(len(self._units)) if unit not in kept]
        for pair in combinations(sorted(kept, key=lambda unit: self._scores[unit]), 2):
            for unit in sorted(others, key=lambda unit: -self._scores[unit])[:_FEW]:
                yield Edit("one unit in place of two", partial((kept - {*pair}).union, [unit]))

    def _accept(self, edit: Edit[Units], kept: Units) -> None:
        self.say(f"{counted(len(kept), 'unit')} wide: {edit.what}")

    def _holds(self, kept: Units | None) -> bool:
        """Test whether the error is within tolerance; False beyond the limit."""
        assert kept is not None
        is_known = all((kept, index) in self._known for index in self._sets)
        if not is_known and self._is_spent():
            return False
        for index in self._sets:
            if self._error(kept, index) > self._goal:
                self._sets.remove(index)
                self._sets.insert(0, index)  # what has failed is likely to fail again
                return False
        return True

    def _largest(self, kept: Units) -> float:
        return max(self._error(kept, index) for index in self._sets)

    # Runs

    def _is_spent(self) -> bool:
        """Test for the limit, which ends the search; a run is kept for the program that is all wide."""
        self._is_exhausted = len(self._run | {self._all}) >= self.limit
        return self._is_exhausted

    def _positions(self, kept: Units) -> list[int]:
        return [position for unit in kept for position in self._units[unit]]

    def _narrowed(self, kept: Units, constants: bool = True) -> _Narrowed:
        """Return the program in which some units are wide; constants are rounded in it, or at run time."""
        made = self.module.clone()
        ops = list(made.walk())
        wide = {ops[position] for position in self._positions(kept)}
        narrowing = Narrowing(made, self.type, wide.__contains__, signature=True, constants=constants)
        narrowing.run()
        positions = {op: position for position, op in enumerate(ops)}
        return _Narrowed(made, positions, sorted(positions[op] for op in narrowing.candidates))

    def _results(self, program: Program, inputs: Inputs) -> list[Any]:
        return program.call(inputs, seed=self.seed)

    def _error(self, kept: Units, index: int) -> float:
        """Return the error of the program in which some units are wide, on a set of inputs."""
        if (kept, index) not in self._known:
            if kept not in self._programs:
                made = self._narrowed(kept).module
                self._programs = {kept: compile_program(made, self.entry, engine=self.engine)}
                self._run.add(kept)
            self._known[kept, index] = self._measured(self._programs[kept], *self._expected[index])
        return self._known[kept, index]

    def _measured(self, program: Program, inputs: Inputs, expected: list[Any]) -> float:
        try:
            found = self._results(program, inputs)
        except StablehloError:  # such as an assertion
            return math.inf
        pairs = enumerate(zip(found, expected, strict=True))
        return max([_error(a, b) for i, (a, b) in pairs if i not in self._unchecked], default=0.0)

    def _rounding_errors_alone(self, inputs: Inputs) -> list[int]:
        """Return the indices of results without a right digit in the wide program."""
        errors = self._shadow(self.module, inputs).errors
        return [i for i, error in enumerate(errors) if error is not None and error > self.rtol]

    def _shadow(self, module: Module, inputs: Inputs) -> Shadow:
        engine = ShadowEngine("f64", weight=self._weight)
        compile_program(module, self.entry, engine=engine).call(inputs, seed=self.seed)
        return engine.shadow

    def _weight(self, index: int, error: float) -> float:
        """Return the weight of the contributions to a result: results out of tolerance count the same."""
        is_wrong = index not in self._unchecked and error > self._goal
        return 1.0 / min(error, LIMIT) if is_wrong else 0.0

    def _contributions(self, kept: Units) -> list[float]:
        """Return what each unit contributes to the error of the program in which some units are wide.

        It is that on the set of inputs that has failed last; all contribute the same if the program fails.
        """
        made, positions, _ = self._narrowed(kept, constants=False)
        unit_of = {position: unit for unit, group in enumerate(self._units) for position in group}
        uses, found = Uses(made), [0.0] * len(self._units)
        try:
            rows = self._shadow(made, self._expected[self._sets[0]][0]).rows
        except StablehloError:  # such as an assertion
            return found
        for row in rows:
            units = {unit_of.get(positions.get(op, -1), -1) for op in uses.computing(row.operation)}
            for unit in units - {-1}:
                found[unit] += row.contribution
        return found

    # The report

    def _found(self, kept: Units, narrow_error: float, rest: list[int]) -> MixedPrecision:
        positions = sorted(self._positions(kept))
        made = self._narrowed(kept).module
        return MixedPrecision(
            made,
            self.type.name,
            self.rtol,
            [self._kept_op(self._ops[position]) for position in positions],
            [self._names[unit] for unit in sorted(kept)] if self._names else [],
            sum(map(len, self._units)),
            narrow_error,
            [self._error(kept, index) for index in sorted(self._sets)],
            [self._error(kept, index) for index in rest],
            self._unchecked,
            len(self._run),
            self._is_exhausted,
            expense(self.module, self.entry, self.type),
            expense(made, self.entry, self.type),
            scaling(self._expected[0][1], self.type),
        )

    def _kept_op(self, op: Operation) -> KeptOp:
        value = str(op.results[0]) if op.results else ""
        return KeptOp(op.name, value, self.module.line(op), python_line(op), scope_name(op.location))


def _scope(op: Operation) -> str:
    return scope_name(op.location).rpartition("/")[0]


class Uses:
    """What computes with a value, also where it is passed on without rounding.

    Args:
        module: The module.
    """

    def __init__(self, module: Module) -> None:
        self._functions = module.functions
        self._calls: dict[str, list[Operation]] = {}
        for op in module.walk():
            self._calls.setdefault(callee(op) or "", []).append(op)

    def computing(self, op: Operation) -> Iterator[Operation]:
        """Yield an op or, for a conversion, the ops that compute with what it converts."""
        yield op
        pending: list[Value] = list(op.results) if has_trait(op.name, "conversion") else []
        seen: set[Value] = set(pending)
        while pending:
            for use in pending.pop().uses:
                yield use.op
                after = [value for value in self._passed_on(use) if value not in seen]
                seen.update(after)
                pending += after

    def _passed_on(self, use: Use) -> Sequence[Value]:
        """Return the values that a use makes of a value without rounding it."""
        op, position = use
        called = self._functions.get(callee(op) or "")
        if called is not None:
            return called.entry_block.arguments[position : position + 1]
        if not has_trait(op.name, "terminator"):
            return op.results if is_exact(op) or has_trait(op.name, "conversion") else ()
        owner = op.parent_op
        calls = self._calls.get(str(owner.python_value("sym_name")), []) if owner is not None else []
        ends = [owner] if owner is not None and not owner.python_value("sym_name") else calls
        return [value for each in ends for value in each.results[position : position + 1]]


def _error(found: Any, expected: Any) -> float:
    """Return the error of a result; infinite if other elements are finite."""
    found, expected = np.asarray(found), np.asarray(expected)
    row = element_type_of(expected.dtype)
    if row is None or row.literal != "float":
        return float(np.mean(found != expected)) if expected.size else 0.0
    a, b = found.astype(np.float64), expected.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if not np.isfinite(a[~same]).all() or not np.isfinite(b[~same]).all():
        return math.inf
    finite = np.isfinite(b)
    return relative(difference(a[finite], b[finite]), rms(b[finite]))
