"""Fuzzing of engines: drawn programs run on two of them; differences are grouped by op and cause."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from stablehlo_py.debug.generate.programs import Program, Request, generate
from stablehlo_py.ir.core import OpResult
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType

Array = np.ndarray[Any, np.dtype[Any]]
ENDED = "the process ended"
LONGEST = 120  # seconds that an engine may take for a program
DIFFERS = "results differ"
_DETAILS = re.compile(r"\d+|[<(\[].*?[>)\]]")  # numbers, types and lists in messages


@dataclass
class Group:
    """Programs that go wrong in the same way.

    Attributes:
        op: The op of the first result that differs, or that the error names; "" if unknown.
        cause: What goes wrong, with the engine.
        count: The number of programs.
        first: The number of the first program.
        example: What goes wrong there.
    """

    op: str
    cause: str
    count: int
    first: int
    example: str


@dataclass
class Report:
    """The state of fuzzing, from which it can be resumed.

    Attributes:
        engines: The names of the engines.
        seed: The seed of the programs.
        programs: The number of programs so far.
        results: The number of results that were compared.
        groups: What went wrong.
    """

    engines: tuple[str, str]
    seed: int
    request: Request
    programs: int = 0
    results: int = 0
    groups: list[Group] = field(default_factory=list)

    def add(self, op: str, cause: str, example: str) -> Group:
        """Count a program that goes wrong; return its group."""
        for group in self.groups:
            if (group.op, group.cause) == (op, cause):
                group.count += 1
                return group
        self.groups.append(Group(op, cause, 1, self.programs, example))
        return self.groups[-1]

    def to_json(self) -> dict[str, Any]:
        """Convert the report to its JSON form."""
        only = None if self.request.only is None else sorted(self.request.only)
        request = {"ops": self.request.ops, "only": only, "depth": self.request.depth}
        groups = [asdict(group) for group in sorted(self.groups, key=lambda group: -group.count)]
        return {
            "engines": list(self.engines),
            "seed": self.seed,
            "request": request,
            "programs": self.programs,
            "results": self.results,
            "groups": groups,
        }

    @staticmethod
    def from_json(data: dict[str, Any]) -> Report:
        """Return the report of its JSON form."""
        only = data["request"]["only"]
        request = Request(
            data["request"]["ops"], None if only is None else frozenset(only), data["request"]["depth"]
        )
        groups = [Group(**group) for group in data["groups"]]
        return Report(
            tuple(data["engines"]), data["seed"], request, data["programs"], data["results"], groups
        )


class Worker:
    """A process that runs programs on an engine; a new one is started if it ends.

    Args:
        engine: The name of the engine.
        report: The report, which states what is drawn.
        folder: A folder for results.
    """

    def __init__(self, engine: str, report: Report, folder: Path) -> None:
        self._file = folder / f"{engine}.npz"
        only = ",".join(sorted(report.request.only or ()))
        numbers = (report.seed, report.request.ops, report.request.depth)
        module = "stablehlo_py.debug.generate.worker"
        self._command = [sys.executable, "-m", module, engine, str(folder), *map(str, numbers), only]
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def ask(self, number: int) -> None:
        """Let the engine run a program."""
        if self._process is None:
            pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
            self._process = subprocess.Popen(
                self._command, stdin=pipe, stdout=pipe, stderr=nothing, text=True
            )
        assert self._process.stdin is not None
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()

    def answer(self, drawn: Program) -> list[Array] | str:
        """Return the results of the program, or its error."""
        assert self._process is not None and self._process.stdout is not None
        stopped = threading.Event()
        alarm = threading.Timer(LONGEST, self._stop, (stopped,))
        alarm.start()
        line = self._process.stdout.readline()
        alarm.cancel()
        if not line:
            self._process.communicate()
            code, self._process = self._process.returncode, None
            if stopped.is_set():
                return f"no result after {LONGEST} seconds"
            return f"{ENDED} with status {code}"
        error = str(json.loads(line))
        return error or self._results(drawn)

    def _stop(self, stopped: threading.Event) -> None:
        stopped.set()
        if self._process is not None:
            self._process.kill()

    def _results(self, drawn: Program) -> list[Array]:
        types = [type for type in drawn.results if isinstance(type, TensorType)]
        with np.load(self._file) as raw:
            return [
                np.frombuffer(raw[f"arr_{i}"].tobytes(), numpy_dtype(type.element_type)).reshape(type.shape)
                for i, type in enumerate(types)
            ]


def fuzz(report: Report, count: int, folder: Path) -> Iterator[Group | None]:
    """Run programs on both engines, and yield for each the group in which it goes wrong, or None.

    Args:
        report: The report, which is continued.
        count: The number of programs.
        folder: A folder for results and examples.
    """
    first, second = report.engines
    with Worker(first, report, folder) as left, Worker(second, report, folder) as right:
        for _ in range(count):
            drawn = generate(report.seed, report.programs, report.request)
            for worker in (left, right):
                worker.ask(report.programs)
            answers = [worker.answer(drawn) for worker in (left, right)]
            yield _judged(report, drawn, answers)
            report.programs += 1


def _judged(report: Report, drawn: Program, answers: Sequence[list[Array] | str]) -> Group | None:
    errors = [
        (engine, answer)
        for engine, answer in zip(report.engines, answers, strict=True)
        if isinstance(answer, str)
    ]
    if errors:
        engine, error = errors[0]
        line = error.splitlines()[0]
        named = re.search(r"\b(?:stablehlo|chlo)\.\w+", line)
        return report.add(
            named[0] if named else "", f"{engine}: {_DETAILS.sub('', line)[:120]}", error[:2000]
        )
    ours, theirs = answers
    report.results += len(ours)
    for at, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        wrong = _differing(np.asarray(a), np.asarray(b))
        if wrong is not None:
            op = _op_of(drawn, at)
            pair = f"{np.asarray(a)[wrong]} and {np.asarray(b)[wrong]}"
            found = f"result {at}, element {list(wrong)}: {pair}"
            return report.add(op, _cause(drawn, at), found)
    return None


def _cause(drawn: Program, at: int) -> str:
    type = drawn.results[at]
    return f"{DIFFERS} of {type.element_type}" if isinstance(type, TensorType) else DIFFERS


def _op_of(drawn: Program, at: int) -> str:
    """Return the name of the op that computes a result."""
    end = drawn.module.functions[drawn.name].regions[0].block.terminator
    assert end is not None
    value = end.operands[at]
    return value.op.name if isinstance(value, OpResult) else ""


def _differing(a: Array, b: Array) -> tuple[int, ...] | None:
    """Return the index of the first element that differs; NaN equals NaN, and zeros of either sign are equal.

    The programs are drawn so that results are exact, in any order of sums.
    """
    with np.errstate(all="ignore"):
        same = (a == b) | ((a != a) & (b != b))
    if np.all(same):
        return None
    return tuple(np.argwhere(~same)[0].tolist())
