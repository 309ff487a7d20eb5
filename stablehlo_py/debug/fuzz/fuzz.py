"""Fuzzing: programs are drawn and run on two engines; each that goes wrong is reduced and put in a group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from stablehlo_py.debug.fuzz.engines import Engines
from stablehlo_py.debug.fuzz.report import Group, Report
from stablehlo_py.debug.fuzz.verdict import Verdict
from stablehlo_py.debug.generate.programs import Program, generate
from stablehlo_py.debug.reduce.candidate import Candidate, candidate_of
from stablehlo_py.debug.reduce.reducer import NotInteresting, Reducer
from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.ir.core import Module, OpResult, Region, Value
from stablehlo_py.opset.definition import has_trait

LONGEST_REDUCTION = 180.0  # seconds


class Find(NamedTuple):
    """A program that goes wrong.

    Attributes:
        group: Its group.
        drawn: The program as it was drawn.
        reduced: The program after reduction; None if it was only counted.
        is_new: Whether it is the first of the group.
    """

    group: Group
    drawn: Program
    reduced: Candidate | None
    is_new: bool


def fuzz(report: Report, count: int, journal: Path | None = None) -> Iterator[Find | None]:
    """Run programs on both engines, and yield the verdict on each, None if it is right.

    Args:
        report: The report, which is continued.
        count: The number of programs.
        journal: A file with the verdicts of reductions, from which an interrupted reduction resumes.
    """
    with Engines(report.engines) as engines:
        before = report.results
        for _ in range(count):
            start = monotonic()
            drawn = generate(report.seed, report.programs, report.request)
            found = engines.judge(drawn.module, drawn.arguments)
            report.results = before + engines.results
            find = None if found is None else _find(report, engines, drawn, found, journal)
            report.seconds += monotonic() - start
            report.programs += 1
            yield find


def _find(report: Report, engines: Engines, drawn: Program, found: Verdict, journal: Path | None) -> Find:
    """Put a program that goes wrong in its group, after reducing it where its like are few."""
    known = report.known(found)
    if known is not None:
        return Find(known, drawn, None, is_new=False)
    start = candidate_of(drawn.module, drawn.arguments, drawn.name)
    check = StillWrong(engines, found, start.module)
    compared = engines.results
    try:
        reduced = Reducer(check, journal=journal).run(start).candidate
        last = engines.judge(reduced.module, reduced.inputs)
    except NotInteresting:
        reduced, last = start, None
    engines.results = compared
    left = last or found._replace(cause=f"{found.cause}, not in every run")
    group = report.add(found, left, _op_names(reduced), reduced.text)
    return Find(group, drawn, reduced, is_new=group.count == 1)


def _op_names(candidate: Candidate) -> tuple[str, ...]:
    """Return the names of the ops of a program, without what every program has."""
    ops = [op for op in candidate.module.walk() if not op.is_module and not op.is_function]
    names = {op.name for op in ops}
    return tuple(
        sorted([n for n in names if not has_trait(n, "terminator") and not has_trait(n, "constant")])
    )


class StillWrong:
    """The check of reductions: a program fails on the engines in the same way as the drawn program.

    Functions that combine or compare elements are not edited: the results of an edited function may depend
    on the order in which it is applied.

    Args:
        engines: The engines.
        verdict: The failure of the drawn program.
        module: The drawn program.

    Attributes:
        name: A description of the check.
        last: The failure of the last interesting program.
    """

    def __init__(self, engines: Engines, verdict: Verdict, module: Module) -> None:
        self.name = f"{' '.join(engines.names)}: {verdict.op} {verdict.cause}"
        self.last = verdict
        self._engines = engines
        self._bodies = set(_bodies(module))
        self._end = monotonic() + LONGEST_REDUCTION

    def __call__(self, candidate: Candidate) -> bool:
        """Run a program on both engines."""
        if monotonic() > self._end or not self._bodies.issuperset(_bodies(candidate.module)):
            return False
        found = self._engines.judge(candidate.module, candidate.inputs)
        if found is None or not found.is_like(self.last):
            return False
        self.last = found
        return True

    def suspect(self, candidate: Candidate) -> Candidate | None:
        """Return the op of the first result that differs, with its operands."""
        if self.last.at < 0:
            return None
        value = candidate.results[self.last.at]
        try:
            return candidate.keeping([value.op], value.op.results) if isinstance(value, OpResult) else None
        except StablehloError:
            return None


def _bodies(module: Module) -> Iterator[Any]:
    """Yield the structure of each region, except regions of control flow."""
    for op in module.walk():
        if op.regions and not (op.is_module or op.is_function or has_trait(op.name, "runs_bodies")):
            yield (op.name, *map(_structure, op.regions))


def _structure(region: Region) -> str:
    """Return what equal regions have in common: ops, types, attributes, and the numbers of values."""
    numbers: dict[Value, int] = {}
    for block in region.blocks:
        for value in (*block.arguments, *(result for op in block.ops for result in op.results)):
            numbers[value] = len(numbers)
    ops = [op for block in region.blocks for op in block.ops]
    operands = [[numbers.get(value) for value in op.operands] for op in ops]
    types = [[value.type for value in op.results] for op in ops]
    return repr([(op.name, op.properties, *each) for op, *each in zip(ops, operands, types, strict=True)])
