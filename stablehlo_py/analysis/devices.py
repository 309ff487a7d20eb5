"""What each device of a mesh holds, computes, sends and receives in a divided program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from stablehlo_py.analysis.communication import Communication, communications, executions
from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.analysis.memory import Memory
from stablehlo_py.analysis.sizes import byte_size
from stablehlo_py.diagnostics.origin import scope_name
from stablehlo_py.ir.core import Module, Operation, OpResult, Value
from stablehlo_py.ir.signature import Output, signature
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.sharding.axes import axes_text, total_size
from stablehlo_py.sharding.division.devices import Devices, Layout, devices_of
from stablehlo_py.sharding.division.divide import Division
from stablehlo_py.sharding.uneven import Uneven

MOST_SLICED = 64  # devices whose slices are listed one by one
Bandwidth = Mapping[str, float]  # of each axis, in bytes a second


@dataclass(frozen=True, slots=True)
class Held:
    """A value, and the part of it that a device holds.

    Attributes:
        kind: "argument", "result", or "peak": live at the peak of a device's memory.
        name: Its name in the text.
        type: Its type before the division; None if it exists after it alone.
        local: The type of a shard.
        layout: The axes that divide each dimension.
        copies: The number of devices that hold the same shard; 0 if unknown.
        line: The line of its definition, or 0.
    """

    kind: str
    name: str
    type: Type | None
    local: Type
    layout: Layout
    copies: int
    line: int

    @property
    def size(self) -> int:
        """The bytes that a device holds."""
        return byte_size(self.local)

    @property
    def sharding(self) -> str:
        """The axes that divide each dimension, as in `[{data}, {model:(1)2}, {}]`."""
        return f"[{', '.join(f'{{{axes_text(axes)}}}' for axes in self.layout)}]"

    @property
    def replicated(self) -> int:
        """The bytes that a device holds beyond an even share."""
        return self.size - self.size // max(self.copies, 1)

    def slices(self, devices: Devices) -> list[list[tuple[int, int]]]:
        """Return start and end of what each device holds, in each dimension, by the id of the device."""
        assert isinstance(self.type, TensorType)
        shape = [size or 0 for size in self.type.shape]
        places = [devices.place(shape, self.layout, device) for device in range(devices.count)]
        return [[(part.start, part.stop) for part in place] for place in places]


@dataclass(frozen=True, slots=True)
class Collective:
    """A collective of a divided program.

    Attributes:
        communication: What devices exchange.
        line: The line of the op that it is for.
        scope: The name scope of that op.
        flops: The FLOPs of a device for the ops of that line; 0 if it is unknown.
        seconds: The time of all executions by the bandwidths of the axes; None if one of them is unknown.
    """

    communication: Communication
    line: int
    scope: str
    flops: int
    seconds: float | None

    @property
    def name(self) -> str:
        """The name of the op."""
        return self.communication.op.name.partition(".")[2]

    @property
    def sent(self) -> int:
        """The most bytes that a device sends, in all executions."""
        return int(self.communication.sent.max(initial=0)) * self.communication.times

    @property
    def received(self) -> int:
        """The most bytes that a device receives, in all executions."""
        return int(self.communication.received.max(initial=0)) * self.communication.times

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        found = self.communication
        return {
            "op": self.name,
            "line": self.line,
            "scope": self.scope,
            "times": found.times,
            "axes": list(found.axes),
            "pairs" if found.is_directed else "groups": found.groups,
            "sent": self.sent,
            "received": self.received,
            "flops": self.flops,
            "seconds": self.seconds,
        }


@dataclass(slots=True)
class Total:
    """The sums of collectives: their number, bytes that a device sends and receives at most, and time."""

    count: int = 0
    sent: int = 0
    received: int = 0
    seconds: float | None = 0.0

    def add(self, each: Collective) -> None:
        """Add a collective."""
        self.count += each.communication.times
        self.sent += each.sent
        self.received += each.received
        known = self.seconds is not None and each.seconds is not None
        self.seconds = self.seconds + each.seconds if known else None  # type: ignore[operator]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return {"count": self.count, "sent": self.sent, "received": self.received, "seconds": self.seconds}


@dataclass(frozen=True)
class DeviceAnalysis:
    """What a device of a mesh holds, computes, sends and receives.

    Attributes:
        devices: The devices of the mesh.
        entry: The name of the entry function.
        values: The arguments, the results, and what else is live at the peak, the largest first.
        peak_bytes: The peak of live memory of a device.
        whole_peak_bytes: That of the program on one device.
        cost: The cost of a call on one device of the mesh.
        whole_cost: That of the program on one device.
        collectives: The collectives, in the order of the text.
        uneven: The dimensions that shardings do not divide evenly.
        undivided: The ops that every device computes as a whole: line, name and reason.
        module: The program of one device.
    """

    devices: Devices
    entry: str
    values: tuple[Held, ...]
    peak_bytes: int
    whole_peak_bytes: int
    cost: Cost
    whole_cost: Cost
    collectives: tuple[Collective, ...]
    uneven: tuple[Uneven, ...]
    undivided: tuple[tuple[int, str, str], ...]
    module: Module = field(repr=False)

    def of_kind(self, kind: str) -> list[Held]:
        """Return the values of a kind."""
        return [held for held in self.values if held.kind == kind]

    def bytes_of(self, kind: str) -> int:
        """Return the bytes of the values of a kind that a device holds."""
        return sum(held.size for held in self.of_kind(kind))

    @property
    def replicated_bytes(self) -> int:
        """The bytes of arguments that a device holds beyond an even share of each."""
        return sum(held.replicated for held in self.of_kind("argument"))

    @cached_property
    def total(self) -> Total:
        """The sum of all collectives."""
        return next(iter(self._totals(lambda each: "").values()), Total())

    def by_op(self) -> dict[str, Total]:
        """Return the sums of collectives by name."""
        return self._totals(lambda each: each.name)

    def by_axis(self) -> dict[str, Total]:
        """Return the sums of collectives by the axes of the mesh along which they communicate."""
        return self._totals(lambda each: ", ".join(each.communication.axes))

    def by_scope(self) -> dict[str, Total]:
        """Return the sums of collectives by name scope."""
        return self._totals(lambda each: each.scope)

    def sent_by_line(self) -> dict[int, float]:
        """Return the bytes that a device sends for the op of each line."""
        sent: dict[int, float] = {}
        for each in self.collectives:
            sent[each.line] = sent.get(each.line, 0) + each.sent
        return sent

    def _totals(self, key: Any) -> dict[str, Total]:
        found: dict[str, Total] = {}
        for each in self.collectives:
            found.setdefault(key(each), Total()).add(each)
        return dict(sorted(found.items(), key=lambda item: -item[1].received))

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, for JSON."""
        parts = {"by_op": self.by_op(), "by_axis": self.by_axis(), "by_scope": self.by_scope()}
        return {
            "mesh": dict(self.devices.sizes),
            "devices": self.devices.count,
            "entry": self.entry,
            "argument_bytes": self.bytes_of("argument"),
            "result_bytes": self.bytes_of("result"),
            "peak_bytes": self.peak_bytes,
            "whole_peak_bytes": self.whole_peak_bytes,
            "replicated_bytes": self.replicated_bytes,
            **self.cost.to_dict(),
            "whole_flops": self.whole_cost.flops,
            "values": [self._value(held) for held in self.values],
            "collectives": [each.to_dict() for each in self.collectives],
            "communication": self.total.to_dict(),
            **{name: {key: t.to_dict() for key, t in totals.items()} for name, totals in parts.items()},
            "uneven": [
                {"value": u.what, "dimension": u.dimension, "size": u.size, "shards": u.shards}
                | {"padding": u.padding}
                for u in self.uneven
            ],
            "undivided": [{"line": line, "op": op, "why": why} for line, op, why in self.undivided],
        }

    def _value(self, held: Held) -> dict[str, Any]:
        shown = held.type is not None and self.devices.count <= MOST_SLICED and any(held.layout)
        return {
            "kind": held.kind,
            "name": held.name,
            "line": held.line,
            "type": None if held.type is None else str(held.type),
            "local_type": str(held.local),
            "bytes": held.size,
            "copies": held.copies or None,
            "replicated_bytes": held.replicated,
            "sharding": held.sharding if held.copies else None,
            "slices": held.slices(self.devices) if shown else None,
        }


def analyze_division(
    whole: Module,
    divided: Module,
    division: Division,
    entry: str,
    uneven: Iterable[Uneven],
    bandwidth: Bandwidth | None,
) -> DeviceAnalysis:
    """Analyze a divided program.

    Args:
        whole: The program before the division.
        divided: The program of one device.
        division: How it is divided.
        entry: The name of the entry function.
        uneven: The dimensions that shardings do not divide evenly.
        bandwidth: The bandwidth of each axis of the mesh, in bytes a second.
    """
    devices = devices_of(division.mesh)
    costs, memory = Costs(divided), Memory(divided)
    timeline = memory.timeline(entry)
    values = [*_signature(whole, divided, division, entry, devices)]
    known = {id(value) for value in divided.functions[entry].regions[0].block.arguments}
    for live in timeline.live:
        if id(live.value) not in known and live.size:
            values.append(_live(live.value, live.line, division, devices))
    return DeviceAnalysis(
        devices,
        entry,
        tuple(values),
        memory.peak(entry),
        Memory(whole).peak(entry),
        costs.function(entry),
        Costs(whole).function(entry),
        tuple(_collectives(divided, division, entry, costs, bandwidth or {})),
        tuple(uneven),
        tuple([(whole.line(op), op.name, why) for op, why in division.remarks]),
        divided,
    )


def _signature(
    whole: Module, divided: Module, division: Division, entry: str, devices: Devices
) -> Iterator[Held]:
    stated, local = signature(whole.functions[entry]), signature(divided.functions[entry])
    if entry not in division.signatures:  # the program is written for each device
        yield from (Held("argument", f"%{a.name}", None, a.type, (), 0, 0) for a in local.inputs)
        yield from (Held("result", _result_name(r), None, r.type, (), 0, 0) for r in local.outputs)
        return
    arguments, results = division.signatures[entry]
    for each, part, layout in zip(stated.inputs, local.inputs, arguments, strict=True):
        name = f"%{each.name}"
        yield Held("argument", name, each.type, part.type, layout, _copies(layout, devices), 0)
    for result, made, layout in zip(stated.outputs, local.outputs, results, strict=True):
        yield Held(
            "result", _result_name(result), result.type, made.type, layout, _copies(layout, devices), 0
        )


def _result_name(result: Output) -> str:
    return result.name or f"result {result.index}"


def _live(value: Value, line: int, division: Division, devices: Devices) -> Held:
    name = str(value) if value.name is not None or not isinstance(value, OpResult) else value.op.name
    placed = division.placed.get(value)
    if placed is None or not isinstance(value.type, TensorType):
        return Held("peak", name, None, value.type, (), 0, line)
    type = TensorType(placed.shape, value.type.element_type)
    return Held("peak", name, type, value.type, placed.layout, _copies(placed.layout, devices), line)


def _copies(layout: Layout, devices: Devices) -> int:
    return devices.count // prod([total_size(axes, devices.sizes) for axes in layout])


def _collectives(
    module: Module, division: Division, entry: str, costs: Costs, bandwidth: Bandwidth
) -> Iterator[Collective]:
    devices = devices_of(division.mesh)
    replicas = 1 if division.signatures else devices.sizes["replica"]
    found = communications(module, entry, devices, replicas)
    flops: Counter[int] = Counter()
    communicating = {each.op for each in found}
    for op, _ in executions(module, entry):
        if op not in communicating and not has_trait(op.name, "runs_bodies"):
            flops[module.line(op)] += costs.own(op).flops
    for each in found:
        line = module.line(each.op)
        count = flops[line] * each.times if line else 0
        yield Collective(each, line, _scope(each.op), count, _seconds(each, bandwidth))


def _scope(op: Operation) -> str:
    return scope_name(op.location).rpartition("/")[0]


def _seconds(each: Communication, bandwidth: Bandwidth) -> float | None:
    """Return the time of all executions, by the slowest of the axes."""
    if not all(axis in bandwidth for axis in each.axes):
        return None
    most = max(int(each.sent.max(initial=0)), int(each.received.max(initial=0)))
    return most * each.times / min([bandwidth[axis] for axis in each.axes]) if each.axes else 0.0
