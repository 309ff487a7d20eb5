"""The reduction: bisects a program to a window of ops, then simplifies what is left until nothing helps."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stablehlo_py.debug.reduce.candidate import MAIN, Candidate
from stablehlo_py.debug.reduce.checks import Check
from stablehlo_py.debug.reduce.descent import Descent
from stablehlo_py.debug.reduce.edits import (
    Edit,
    dropped_ops,
    fewer_results,
    replaced_by_constants,
    replaced_by_values,
    simpler_attributes,
    simpler_constants,
    single_results,
    smaller_dimensions,
    unwrapped,
    without_dead_ops,
)
from stablehlo_py.debug.subprograms import inlined
from stablehlo_py.diagnostics.diagnostic import InternalError, StablehloError
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.storage.files import small_text
from stablehlo_py.verifier.verifier import verify_module

_FEW = 8  # ops, from which a program is bisected first
_PHASES = (
    single_results,
    unwrapped,
    dropped_ops,
    fewer_results,
    replaced_by_values,
    without_dead_ops,
    replaced_by_constants,
    smaller_dimensions,
    simpler_attributes,
    simpler_constants,
)


class NotInteresting(StablehloError):
    """The program does not pass the check to begin with."""


@dataclass
class Reduction:
    """The result of a reduction.

    Attributes:
        candidate: The smallest program that was found, with its inputs.
        steps: What was done, in words.
        tests: The number of programs that were checked.
        before: The number of ops of the program at the beginning.
    """

    candidate: Candidate
    steps: list[str]
    tests: int
    before: int


class Journal:
    """The verdicts of checks, in a file, so that a repeated reduction does not run them again.

    Args:
        path: The file, or None to keep them in memory only.
        check: The name of the check.
    """

    def __init__(self, path: Path | None, check: str) -> None:
        self._path = path
        self._check = check
        self._verdicts: dict[str, bool] = {}
        if path is not None and path.exists():
            for line in small_text(path, "replace").splitlines():
                row = _row(line)
                if row is not None and row[0] == check:
                    self._verdicts[row[1]] = row[2]

    def find(self, key: str) -> bool | None:
        """Return the verdict about a candidate, if it is known."""
        return self._verdicts.get(key)

    def add(self, key: str, verdict: bool) -> None:
        """Add a verdict."""
        self._verdicts[key] = verdict
        if self._path is not None:
            with self._path.open("a") as stream:
                stream.write(json.dumps([self._check, key, verdict]) + "\n")


def _row(line: str) -> tuple[str, str, bool] | None:
    """Return the verdict in a line of a journal; None for a line that is cut off."""
    try:
        check, key, verdict = json.loads(line)
    except ValueError:
        return None
    return str(check), str(key), bool(verdict)


class Reducer:
    """Reduces programs.

    Args:
        check: The check.
        jobs: The number of candidates that are checked at the same time.
        journal: The file of verdicts, or None.
        say: Called with each step.
        keep: Called with each smaller program.
        finite: Whether inputs hold no NaN, and no infinity of a sign, unless inputs of the program do.
            Otherwise, the NaN or infinity under investigation may become an input.
    """

    def __init__(
        self,
        check: Check,
        jobs: int = 1,
        journal: Path | None = None,
        say: Callable[[str], None] = lambda text: None,
        keep: Callable[[Candidate], None] = lambda candidate: None,
        finite: bool = True,
    ) -> None:
        self._check = check
        self._descent = Descent(self._holds, self._accept, jobs)
        self._journal = Journal(journal, check.name)
        self._say = say
        self._keep = keep
        self._must_be_valid = True
        self._finite = finite
        self._given: frozenset[str] = (
            frozenset()
        )  # kinds of elements of the program's inputs that are not finite
        self._refused = 0  # candidates with inputs of other kinds
        self._tests = 0
        self._steps: list[str] = []

    def run(self, start: Candidate) -> Reduction:
        """Reduce a program.

        Args:
            start: The program with its inputs.

        Raises:
            NotInteresting: The check does not hold for it.
        """
        self._must_be_valid = _is_valid(start)
        self._given = start.non_finite
        self._tests, self._steps, self._refused = 0, [], 0
        if not self._test(start):
            raise NotInteresting(f"the program is not interesting to begin with: {self._check.name}")
        self._say(f"{start.size:,} ops: interesting")
        best = self._from_suspect(start)  # a single op needs no inlining, whose check runs the whole program
        best = self._inlined(best)
        best = self._window(best) if len(best.ops) > _FEW else best
        changed = True
        while changed:
            size = best
            for phase in _PHASES:
                best = self._descent.repeat(best, phase)
            changed = best is not size
        if not best.size and start.size:
            self._say("no op is left: the check does not depend on what the program computes")
        if self._refused:
            self._say(f"{counted(self._refused, 'program')} left out, whose inputs would not be finite")
        return Reduction(best.parsed(), self._steps, self._tests, start.size)

    # Phases

    def _inlined(self, best: Candidate) -> Candidate:
        return self._descent.first([Edit("inline all calls", lambda: _with_calls_inlined(best))]) or best

    def _from_suspect(self, best: Candidate) -> Candidate:
        """Start with the op that the check suspects."""
        found = self._check.suspect(best)
        if found is None:
            return best
        return self._descent.first([Edit(f"keep {found.ops[-1].name} only", lambda: found)]) or best

    def _window(self, best: Candidate) -> Candidate:
        """Keep a short interesting prefix of the ops, found by bisection, then a short suffix of it."""
        ops = best.ops
        low, high = 0, len(ops)  # ops[:low] is not interesting, ops[:high] is
        found = best
        while high - low > 1:
            middle = (low + high) // 2
            tried = self._descent.first([_prefix(best, middle)])
            low, high, found = (low, middle, tried) if tried is not None else (middle, high, found)
        count = 1
        while count < len(found.ops):
            tried = self._descent.first([_suffix(found, count)])
            if tried is not None:
                return tried
            count *= 2
        return found

    # Candidates

    def _accept(self, edit: Edit, candidate: Candidate) -> None:
        step = f"{candidate.size:,} ops: {edit.what}"
        self._steps.append(step)
        self._say(step)
        self._keep(candidate)

    def _holds(self, candidate: Candidate | None) -> bool:
        if candidate is None or (self._must_be_valid and not _is_valid(candidate)):
            return False
        if self._finite and not candidate.non_finite <= self._given:
            self._refused += 1
            return False
        return self._test(candidate)

    def _test(self, candidate: Candidate) -> bool:
        known = self._journal.find(candidate.key)
        if known is None:
            self._tests += 1
            known = self._check(candidate)
            self._journal.add(candidate.key, known)
        return known


def _is_valid(candidate: Candidate) -> bool:
    """Test whether a program is valid. What the verifier cannot even look at is not."""
    try:
        return not any(each.severity == "error" for each in verify_module(candidate.module))
    except InternalError:
        return False


def _with_calls_inlined(candidate: Candidate) -> Candidate | None:
    module = inlined(candidate.module, MAIN)
    made = Candidate(module, candidate.inputs)
    found = made.keeping(made.ops, made.results)
    return found if len(candidate.module.functions) > 1 else None


def _prefix(candidate: Candidate, count: int) -> Edit:
    return Edit(f"keep the first {count:,} ops", lambda: candidate.keeping(candidate.ops[:count]))


def _suffix(candidate: Candidate, count: int) -> Edit:
    what = "the last op" if count == 1 else f"the last {count:,} ops"
    return Edit(f"keep {what}", lambda: candidate.keeping(candidate.ops[-count:]))
