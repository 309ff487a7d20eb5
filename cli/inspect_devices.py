"""`shlo inspect --devices`: what each device of a mesh holds, computes, sends and receives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.inspect_report import SHOWN, heading, row
from stablehlo_py.cli.sharding_options import Sharding, sharding_options
from stablehlo_py.cli.tables import add_row, print_table, table

import stablehlo_py as shlo
from stablehlo_py.diagnostics.units import byte_text, duration, number

if TYPE_CHECKING:
    from stablehlo_py.analysis.devices import Collective, DeviceAnalysis, Held, Total

_DEVICES_SHOWN = 4  # slices, groups and pairs in a line, without --all
_WIDE = 1000  # width of tables that are never truncated, in cells


class Devices(NamedTuple):
    """Whether devices are shown, on which mesh, and the bandwidth of its axes in bytes a second."""

    wanted: bool
    sharding: Sharding
    bandwidth: dict[str, float]

    def analyze(self, module: shlo.Module, entry: str | None) -> DeviceAnalysis:
        """Analyze a program; raise TransformError if it cannot be divided, ValueError without a mesh."""
        found = self.sharding.apply(module)
        try:
            return shlo.analyze_devices(found, entry, bandwidth=self.bandwidth)
        except shlo.RunError as error:
            raise ValueError(str(error)) from None


def _bandwidth(context: click.Context, parameter: click.Parameter, text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        axis, _, amount = part.partition("=")
        try:
            found[axis.strip()] = float(amount) * 1e9
        except ValueError:
            raise click.BadParameter(f"{part}: expected AXIS=GB/S, such as x=100") from None
        if not 0 < found[axis.strip()] < float("inf"):
            raise click.BadParameter(f"{part}: a bandwidth is a positive number")
    return found


def devices_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add --devices, --mesh, --shard and --bandwidth to a command, passed to it together as `devices`."""

    @click.option(
        "--devices",
        "wanted",
        is_flag=True,
        help="Show what each device of the program's mesh holds, sends and receives, instead.",
    )
    @sharding_options
    @click.option(
        "--bandwidth",
        metavar="AXIS=GB/S,...",
        default="",
        callback=_bandwidth,
        help="The bandwidth of axes of the mesh in GB/s, for the times of collectives.",
    )
    @wraps(command)
    def with_devices(wanted: bool, sharding: Sharding, bandwidth: dict[str, float], **given: Any) -> int:
        used = [name for name, value in zip(("mesh", "shard"), sharding, strict=True) if value]
        used += ["bandwidth"] if bandwidth else []
        if used and not wanted:
            raise click.UsageError(f"--{used[0]} requires --devices")
        return command(devices=Devices(wanted, sharding, bandwidth), **given)

    return with_devices


def print_devices(name: str, found: DeviceAnalysis, everything: bool) -> None:
    """Print the analysis of a program, with complete lists if `everything`."""
    axes = ", ".join(f"{axis}={size}" for axis, size in found.devices.sizes.items())
    limit = None if everything else SHOWN
    common.echo(f"{name}: @{found.entry} on {common.counted(found.devices.count, 'device')} ({axes})")
    heading("each device")
    for kind in ("argument", "result"):
        whole = sum(_whole_size(held) for held in found.of_kind(kind))
        of = f" of {byte_text(whole)}" if whole else ""
        row(f"{kind}s", byte_text(found.bytes_of(kind)) + of)
    row("replicated", f"{byte_text(found.replicated_bytes)} of arguments beyond an even share")
    row("peak memory", f"{byte_text(found.peak_bytes)}, {byte_text(found.whole_peak_bytes)} on one device")
    row("operations", f"{number(found.cost.flops)}, {number(found.whole_cost.flops)} on one device")
    total = found.total
    time = f", {duration(total.seconds)}" if total.seconds else ""
    sums = f"{byte_text(total.sent)} sent, {byte_text(total.received)} received in "
    row("messages", f"{sums}{common.counted(total.count, 'collective')}{time}" if total.count else "none")
    for kind, title in (("argument", "arguments"), ("result", "results"), ("peak", "live at the peak")):
        _print_values(title, found.of_kind(kind), found, limit)
    _print_collectives(found, limit)
    if found.uneven:
        heading("uneven")
        _print_lines([f"{each}: {each.padding} more would" for each in found.uneven], limit)
    if found.undivided:
        heading("on every device as a whole")
        _print_lines([f"line {line}: {op} {why}" for line, op, why in found.undivided], limit)


def _whole_size(held: Held) -> int:
    from stablehlo_py.analysis.sizes import byte_size

    return byte_size(held.type) if held.type is not None else 0


def _print_values(title: str, values: Sequence[Held], found: DeviceAnalysis, limit: int | None) -> None:
    if not values:
        return
    heading(title)
    rows = table(
        ("  name", "type", "on a device", "bytes", "copies", "sharding", "devices"), ("bytes", "copies")
    )
    largest = sorted(values, key=lambda held: -held.size)
    for held in values if limit is None or len(values) <= limit else largest[:limit]:
        cells = (
            f"  {held.name}",
            "" if held.type is None else str(held.type),
            str(held.local),
            byte_text(held.size),
            str(held.copies or ""),
            held.sharding if held.copies else "",
            _slices(held, found, limit),
        )
        add_row(rows, *cells)
    print_table(rows, _WIDE)
    _rest(len(values), limit)


def _slices(held: Held, found: DeviceAnalysis, limit: int | None) -> str:
    """Return which part of a value devices hold, as `0 [0:4, :], 1 [4:8, :]`."""
    if held.type is None or not any(held.layout):
        return ""
    shown = found.devices.count if limit is None else _DEVICES_SHOWN
    parts = []
    for device, dims in enumerate(held.slices(found.devices)[:shown]):
        ranges = [f"{a}:{b}" if axes else ":" for (a, b), axes in zip(dims, held.layout, strict=True)]
        parts.append(f"{device} [{', '.join(ranges)}]")
    return "; ".join([*parts, *(["..."] if found.devices.count > shown else [])])


def _print_collectives(found: DeviceAnalysis, limit: int | None) -> None:
    if not found.collectives:
        return
    heading("collectives")
    timed = any(each.seconds is not None for each in found.collectives)
    numbers = ("line", "times", "sent", "received", "FLOP", *(["time"] if timed else []))
    rows = table(("  op", *numbers, "along", "between", "scope"), numbers)
    largest = sorted(found.collectives, key=lambda each: -each.received)
    for each in found.collectives if limit is None or len(largest) <= limit else largest[:limit]:
        times = [_time(each.seconds)] if timed else []
        made = each.communication
        cells = (str(each.line or ""), str(made.times), byte_text(each.sent), byte_text(each.received))
        axes = ", ".join(made.axes)
        add_row(
            rows, f"  {each.name}", *cells, number(each.flops), *times, axes, _groups(each, limit), each.scope
        )
    print_table(rows, _WIDE)
    _rest(len(found.collectives), limit)
    for title, totals in (("op", found.by_op()), ("axis", found.by_axis()), ("scope", found.by_scope())):
        if len(totals) > 1 or title == "axis":
            _print_totals(title, totals, timed, limit)


def _groups(each: Collective, limit: int | None) -> str:
    """Return who talks to whom, as `0-1, 2-3` or `0>1, 1>0`."""
    made = each.communication
    mark = ">" if made.is_directed else "-"
    shown = len(made.groups) if limit is None else _DEVICES_SHOWN
    parts = []
    for group in made.groups[:shown]:
        most = len(group) if limit is None else 2 * _DEVICES_SHOWN
        parts.append(mark.join([*map(str, group[:most]), *(["..."] if len(group) > most else [])]))
    return ", ".join([*parts, *(["..."] if len(made.groups) > shown else [])])


def _print_totals(title: str, totals: dict[str, Total], timed: bool, limit: int | None) -> None:
    heading(f"collectives by {title}")
    numbers = ("times", "sent", "received", *(["time"] if timed else []))
    rows = table((f"  {title}", *numbers), numbers)
    for name, total in list(totals.items())[:limit]:
        times = [_time(total.seconds)] if timed else []
        cells = (str(total.count), byte_text(total.sent), byte_text(total.received))
        add_row(rows, f"  {name or '-'}", *cells, *times)
    print_table(rows, _WIDE)
    _rest(len(totals), limit)


def _time(seconds: float | None) -> str:
    return "" if seconds is None else duration(seconds)


def _print_lines(lines: Sequence[str], limit: int | None) -> None:
    for line in lines[:limit]:
        common.echo(f"  {line}")
    _rest(len(lines), limit)


def _rest(count: int, limit: int | None) -> None:
    if limit is not None and count > limit:
        common.echo(f"  and {count - limit} more (--all)")
