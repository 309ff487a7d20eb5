"""How long each op takes, and how well it uses the machine."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.diagnostics.origin import python_line
from stablehlo_py.interpreter.observer import Moment, Observer
from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.definition import has_trait


@dataclass(slots=True)
class ProfileRow:
    """An op, or several that run as one, over all its calls.

    `seconds` are its own, without the ops in its regions and in the functions that it calls; a few
    microseconds for watching each of these are in it. `flops` and `bytes` are those of the analysis; an op
    that only gives a view of its operand moves no bytes.
    """

    name: str
    value: str
    line: int
    origin: str
    calls: int = 0
    seconds: float = 0.0
    flops: int = 0
    bytes: int = 0

    @property
    def gflops(self) -> float:
        """Billions of operations a second, transcendental functions counted as one each."""
        return self.flops / self.seconds / 1e9 if self.seconds else 0.0

    @property
    def gbytes(self) -> float:
        """Billions of bytes a second, read and written."""
        return self.bytes / self.seconds / 1e9 if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "gflops_per_second": self.gflops, "gbytes_per_second": self.gbytes}


@dataclass(slots=True)
class _Entry:
    """What is known of an op: `row` without numbers, one call's `cost`, and the time of all calls."""

    row: ProfileRow
    cost: Cost
    kind: str
    calls: int = 0
    seconds: float = 0.0

    def add_to(self, row: ProfileRow) -> ProfileRow:
        row.calls += self.calls
        row.seconds += self.seconds
        row.flops += self.calls * (self.cost.flops + self.cost.transcendentals)
        row.bytes += self.calls * self.cost.bytes
        return row


class _Thread(threading.local):
    """The ops that run on a thread, the outermost first: when each began, and how long ops within it took."""

    def __init__(self) -> None:
        self.frames: list[list[float]] = []


class Profile(Observer):
    """Measures ops as they run without an observer: chains of elementwise ops as one.

    Several runs add up. `events`: also keeps the time of every call, for `chrome_trace`.
    """

    every_op = False

    def __init__(self, events: bool = False) -> None:
        self._entries: dict[tuple[int, str], _Entry] = {}
        self._costs: dict[int, Costs] = {}
        self._thread = _Thread()
        self._events: list[tuple[_Entry, Moment, float, float]] | None = [] if events else None
        self.runs = 0

    def start(self) -> None:
        self._thread.frames.clear()
        self.runs += 1

    def before(self, moment: Moment, operands: tuple[Any, ...]) -> None:
        self._thread.frames.append([perf_counter(), 0.0])

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        end = perf_counter()
        frames = self._thread.frames
        begin, inner = frames.pop()
        took = end - begin
        key = id(moment.op), moment.name
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = self._entry(moment, operands, results)
        entry.calls += 1
        entry.seconds += took - inner
        if self._events is not None:
            self._events.append((entry, moment, begin, took))
        if frames:
            frames[-1][1] += perf_counter() - begin

    def rows(self) -> list[ProfileRow]:
        """Every op that ran, the slowest first."""
        found = [entry.add_to(replace(entry.row)) for entry in self._entries.values()]
        return sorted(found, key=lambda row: -row.seconds)

    def kinds(self) -> list[ProfileRow]:
        """The same, summed up by kinds of ops."""
        found: dict[str, ProfileRow] = {}
        for entry in self._entries.values():
            entry.add_to(found.setdefault(entry.kind, ProfileRow(entry.kind, "", 0, "")))
        return sorted(found.values(), key=lambda row: -row.seconds)

    def chrome_trace(self) -> dict[str, Any]:
        """The calls in the format of Chrome's tracing tools (chrome://tracing, Perfetto)."""
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
        """One call's operations, and the bytes that go in and out of it."""
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
