"""`shlo inspect` on scheduled HLO: the peak of live memory over the schedule, and what holds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stablehlo_py.cli import common
from stablehlo_py.cli.inspect_report import SHOWN, heading, row
from stablehlo_py.cli.sources import STDIN, Text

from stablehlo_py.diagnostics.units import byte_text


def schedule_of(source: Text) -> dict[str, Any] | None:
    """Return the memory of a scheduled module of HLO; None for other programs."""
    from stablehlo_py.hlo.memory import schedule_dict

    if not source.is_hlo:
        return None
    return schedule_dict(source.hlo(), Path(source.name) if source.name != STDIN else None)


def schedule_by_line(source: Text) -> dict[str, Any]:
    """Return the live memory and the fusions of a module of HLO by line, as `graph` takes them."""
    from stablehlo_py.hlo.lines import fusion_scopes, live_by_line

    if not source.is_hlo:
        return {}
    module = source.hlo()
    return {"live": live_by_line(module), "scopes": fusion_scopes(module)}


def print_schedule(found: dict[str, Any], everything: bool) -> None:
    """Print the memory of a schedule.

    Args:
        found: What `schedule_of` returns.
        everything: Whether all buffers are listed.
    """
    heading("schedule")
    at = f"line {found['peak_line']}, %{found['peak_instruction']}"
    row("peak memory", f"{byte_text(found['peak_bytes'])} at {at}")
    for kind in ("parameter", "result", "constant"):
        row(f"{kind}s", byte_text(found[f"{kind}_bytes"]))
    if found["assigned_bytes"] is not None:
        row("assigned", f"{byte_text(found['assigned_bytes'])} by XLA")
    live = found["live"] if everything else found["live"][:SHOWN]
    for number, buffer in enumerate(live):
        index = "".join(f"{{{n}}}" for n in buffer["index"])
        what = f"%{buffer['instruction']}{index} {buffer['shape']} ({buffer['kind']})"
        source = ", ".join(part for part in (buffer["source"], buffer["op_name"]) if part)
        row("" if number else "live then", f"{byte_text(buffer['bytes'])} {what}, line {buffer['line']}")
        if source:
            row("", f"  from {source}")
    if hidden := found["live"][len(live) :]:
        rest = byte_text(sum(buffer["bytes"] for buffer in hidden))
        row("", f"{rest} in {common.counted(len(hidden), 'more buffer')}; --all lists them")
