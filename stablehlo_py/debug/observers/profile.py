"""Profile: the time, operations per second and bytes per second of each op."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.debug.machine import Limits
from stablehlo_py.diagnostics.origin import python_line
from stablehlo_py.interpreter.observer import LoopTime, Moment, Observer, TimedCode
from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.definition import has_trait

_SPANS = 20_000  # executions of a run


@dataclass(slots=True)
class ProfileRow:
    """The profile of an op, or of a fused chain of ops, over all executions.

    Attributes:
        name: The name of the op or chain.
        value: The name of its first result.
        line: Its line in the program.
        origin: Its Python source position, or "".
        calls: The number of executions.
        seconds: The total time without nested ops and callees, but including a few microseconds of
            overhead for observing each of them.
        flops: The total number of operations, from the cost analysis.
        bytes: The total number of bytes read and written, from the cost analysis; 0 for a view.
        first: The time in the first run.
        warm: The median of the times in later runs; the time in the first if it is the only one.
    """

    name: str
    value: str
    line: int
    origin: str
    calls: int = 0
    seconds: float = 0.0
    flops: int = 0
    bytes: int = 0
    first: float = 0.0
    warm: float = 0.0

    @property
    def gflops(self) -> float:
        """Billions of operations per second, where a transcendental function is one operation."""
        return self.flops / self.seconds / 1e9 if self.seconds else 0.0

    @property
    def gbytes(self) -> float:
        """Billions of bytes read and written per second."""
        return self.bytes / self.seconds / 1e9 if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return {**asdict(self), "gflops_per_second": self.gflops, "gbytes_per_second": self.gbytes}


@dataclass(slots=True)
class LoopRow:
    """The profile of a loop nest of native code, over all calls.

    Attributes:
        name: The names of the ops that it computes.
        lines: Their lines in the program.
        calls: The number of calls.
        seconds: The total time from its begin to its end.
        busy: The time of all threads that compute it.
        waiting: The time of threads that wait until it ends.
        flops: The total number of operations, from the cost analysis.
        bytes: The total number of bytes of the arrays that it reads and writes.
    """

    name: str
    lines: tuple[int, ...]
    calls: int
    seconds: float
    busy: float
    waiting: float
    flops: int
    bytes: int

    @property
    def gflops(self) -> float:
        """Billions of operations per second."""
        return self.flops / self.seconds / 1e9 if self.seconds else 0.0

    @property
    def gbytes(self) -> float:
        """Billions of bytes read and written per second."""
        return self.bytes / self.seconds / 1e9 if self.seconds else 0.0

    def of_numpy(self, limits: Limits) -> float:
        """Its speed beside NumPy's in a product or in a copy, whichever is larger: above 1 in the caches."""
        return max(self.gflops * 1e9 / limits.flops, self.gbytes * 1e9 / limits.bytes)

    def to_dict(self, limits: Limits) -> dict[str, Any]:
        """Convert to plain data."""
        rates = {"gflops_per_second": self.gflops, "gbytes_per_second": self.gbytes}
        return {**asdict(self), **rates, "of_numpy": self.of_numpy(limits)}


@dataclass(slots=True)
class _Entry:
    """The profile of an op: `row` without numbers, the `cost` of one execution, and the time in each run."""

    row: ProfileRow
    cost: Cost
    kind: str
    calls: int = 0
    times: list[float] = field(default_factory=list)

    def add(self, run: int, seconds: float) -> None:
        """Add an execution in a run, whose index is given."""
        self.calls += 1
        self.times += [0.0] * (run + 1 - len(self.times))
        self.times[run] += seconds


def _total(row: ProfileRow, entries: Sequence[_Entry], runs: int) -> ProfileRow:
    """Return a row with the numbers of its entries."""
    times = [0.0] * max(runs, 1)
    for entry in entries:
        for run, seconds in enumerate(entry.times):
            times[run] += seconds
    return replace(
        row,
        calls=sum(entry.calls for entry in entries),
        seconds=sum(times),
        flops=sum(entry.calls * (entry.cost.flops + entry.cost.transcendentals) for entry in entries),
        bytes=sum(entry.calls * entry.cost.bytes for entry in entries),
        first=times[0],
        warm=median(times[1:] or times),
    )


class _Thread(threading.local):
    """The stack of ops that a thread executes: the start of each, and the time of its nested ops."""

    def __init__(self) -> None:
        self.frames: list[list[float]] = []


class Profile(Observer):
    """Measures the time of ops. Fused chains of elementwise ops are measured as one. Runs are accumulated.

    Args:
        events: Also record the time of every execution, for `chrome_trace`.
        spans: Also record the first executions of the last run, for `spans`.

    Attributes:
        runs: The number of runs.
    """

    every_op = False

    def __init__(self, events: bool = False, spans: bool = False) -> None:
        self._entries: dict[tuple[int, str], _Entry] = {}
        self._costs: dict[int, Costs] = {}
        self._thread = _Thread()
        self._code: list[TimedCode] = []
        self._events: list[tuple[_Entry, Moment, float, float]] | None = [] if events else None
        self._spans: list[tuple[_Entry, float, float]] | None = [] if spans else None
        self.runs = 0

    def start(self) -> None:
        """Count a run."""
        self._thread.frames.clear()
        if self._spans is not None:
            self._spans.clear()
        self.runs += 1

    def before(self, moment: Moment, operands: tuple[Any, ...]) -> None:
        """Record the start of an op."""
        self._thread.frames.append([perf_counter(), 0.0])

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        """Record the end of an op."""
        end = perf_counter()
        frames = self._thread.frames
        begin, inner = frames.pop()
        took = end - begin
        key = id(moment.op), moment.name
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = self._entry(moment, operands, results)
        entry.add(max(self.runs - 1, 0), took - inner)
        if self._spans is not None and not inner and len(self._spans) < _SPANS:
            self._spans.append((entry, begin, took))
        if self._events is not None:
            self._events.append((entry, moment, begin, took))
        if frames:
            frames[-1][1] += perf_counter() - begin

    def rows(self) -> list[ProfileRow]:
        """Return the profile of each op, the slowest first."""
        found = [_total(entry.row, [entry], self.runs) for entry in self._entries.values()]
        return sorted(found, key=lambda row: -row.seconds)

    def kinds(self) -> list[ProfileRow]:
        """Return the profile by op name, the slowest first."""
        found: dict[str, list[_Entry]] = {}
        for entry in self._entries.values():
            found.setdefault(entry.kind, []).append(entry)
        rows = [_total(ProfileRow(kind, "", 0, ""), entries, self.runs) for kind, entries in found.items()]
        return sorted(rows, key=lambda row: -row.seconds)

    def spans(self) -> list[tuple[str, ProfileRow, float, float]]:
        """Return executions of the last run: the op name, the op, and its start and time in seconds.

        Ops around others are left out; of very many executions, the first are there.
        """
        if not self._spans:
            return []
        first = min([begin for _, begin, _ in self._spans])
        return [(entry.kind, entry.row, begin - first, took) for entry, begin, took in self._spans]

    def compiled(self, code: TimedCode) -> None:
        """Measure the loop nests of compiled code."""
        code.time_loops()
        self._code.append(code)

    def loops(self) -> list[LoopRow]:
        """Return the profile of each loop nest of native code, the slowest first."""
        found = [self._loop(time) for code in self._code for time in code.loop_times()]
        return sorted(found, key=lambda row: -row.seconds)

    def _loop(self, time: LoopTime) -> LoopRow:
        costs = self._costs.setdefault(id(time.module), Costs(time.module))
        cost = sum(map(costs.op, time.ops), Cost())
        names = " ".join(dict.fromkeys(map(_short, time.ops))) or "copy"
        lines = tuple(dict.fromkeys(map(time.module.line, time.ops)))
        flops = (cost.flops + cost.transcendentals) * time.calls
        return LoopRow(names, lines, time.calls, time.seconds, time.busy, time.waiting, flops, time.bytes)

    def chrome_trace(self) -> dict[str, Any]:
        """Return the executions in the trace event format of chrome://tracing and Perfetto."""
        events = sorted(self._events or (), key=lambda event: event[2])
        first = events[0][2] if events else 0.0
        return {"displayTimeUnit": "ms", "traceEvents": [_event(*event, first) for event in events]}

    def _entry(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> _Entry:
        op = moment.op
        short = [_short(each) for each in moment.ops]
        several = len(short) > 1
        row = ProfileRow(
            name=" ".join(short) if several else _short_name(moment),
            value=", ".join(map(str, op.results[:1])),
            line=moment.module.line(op),
            origin=python_line(op),
        )
        return _Entry(
            row, self._cost(moment, operands, results), "elementwise chain" if several else row.name
        )

    def _cost(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> Cost:
        """Return the cost of one execution."""
        costs = self._costs.setdefault(id(moment.module), Costs(moment.module))
        found = sum(map(costs.own, moment.ops), Cost())
        if moment.name == moment.op.name:
            still = has_trait(moment.name, "view") and _is_view(operands, results)
            return Cost(found.flops, found.transcendentals) if still else found
        if moment.name == "chain":  # it reads its inputs and writes its outputs once
            return Cost(found.flops, found.transcendentals, _nbytes(operands), _nbytes(results))
        return Cost(0, 0, _nbytes(operands), _nbytes(results)) if moment.name == "copy" else Cost()


def _short(op: Operation) -> str:
    return op.name.removeprefix("stablehlo.")


def _short_name(moment: Moment) -> str:
    return moment.name.removeprefix("stablehlo.")


def _is_view(operands: tuple[Any, ...], results: tuple[Any, ...]) -> bool:
    return any(
        isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.may_share_memory(a, b)
        for a in operands[:1]
        for b in results
    )


def _nbytes(values: tuple[Any, ...]) -> int:
    return sum(value.nbytes for value in values if isinstance(value, np.ndarray | np.generic))


def _event(entry: _Entry, moment: Moment, begin: float, took: float, first: float) -> dict[str, Any]:
    row = entry.row
    about = {
        "value": row.value,
        "line": row.line,
        "origin": row.origin,
        "iterations": list(moment.iterations),
    }
    return {
        "name": row.name,
        "cat": entry.kind,
        "ph": "X",
        "ts": (begin - first) * 1e6,
        "dur": took * 1e6,
        "pid": moment.process[0],
        "tid": moment.process[1],
        "args": about | {"flops": entry.cost.flops, "bytes": entry.cost.bytes},
    }
