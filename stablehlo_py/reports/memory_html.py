"""Live memory over time as a plot, as HTML and as a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stablehlo_py.analysis.memory import Timeline
from stablehlo_py.diagnostics.units import byte_text
from stablehlo_py.reports.html import Cell, facts, table, text
from stablehlo_py.reports.page import page
from stablehlo_py.reports.plots.svg import figure
from stablehlo_py.reports.plots.timeline import timeline

_LIVE = 25  # values that are listed


def memory_plot(memory: Timeline, function: str) -> str:
    """Return the plot of a function's memory, as SVG."""
    return timeline([step.size for step in memory.steps], f"Live memory of @{function} over time")


def memory_html(memory: Timeline, function: str) -> str:
    """Render the memory of a function: the plot, and the values that are live at the peak.

    Args:
        memory: The live memory over time.
        function: The name of the function.
    """
    peak = memory.peak
    if peak is None:
        return ""
    where = f" at line {peak.line}" if peak.line else ""
    caption = (
        f"Bytes that are live at each op of a call of @{function}. The peak is {byte_text(peak.size)}{where} "
        f"({peak.op.name}). Loop bodies and branches are drawn once."
    )
    rows = [
        (
            Cell(str(each.value), html=f"<code>{text(each.value)}</code>"),
            Cell("", html=f"<code>{text(each.value.type)}</code>"),
            Cell(str(each.line) if each.line else "argument", each.line),
            Cell(byte_text(each.size), each.size),
            Cell(f"{100 * each.size / max(peak.size, 1):.1f} %", each.size),
        )
        for each in memory.live[:_LIVE]
    ]
    rest = len(memory.live) - len(rows)
    more = f'<p class="faint">{rest:,} smaller values</p>' if rest > 0 else ""
    heads = ("value", "type", "defined at line", "bytes", "of the peak")
    listed = table(heads, rows, caption="Values that are live at the peak", sortable=len(rows) > 1)
    return (
        figure(memory_plot(memory, function), caption)
        + f'<h3>Live at the peak</h3><div class="scroll">{listed}</div>{more}'
    )


def schedule_html(found: Mapping[str, Any]) -> str:
    """Render the memory of a scheduled module of HLO: the plot, and the buffers that are live at the peak.

    Args:
        found: The plain data of its memory.
    """
    peak = byte_text(found["peak_bytes"])
    caption = (
        f"Bytes that are live at each instruction of the schedule. The peak is {peak} at line "
        f"{found['peak_line']} (%{found['peak_instruction']}). Loop bodies and branches are drawn once."
    )
    known = [(name, found[f"{name}_bytes"]) for name in ("parameter", "result", "constant", "assigned")]
    sizes = [
        ("peak", peak),
        *(
            (f"{name}s" * (name != "assigned") or "assigned by XLA", byte_text(size))
            for name, size in known
            if size is not None
        ),
    ]
    rows = [
        (
            Cell("", html=f"<code>{text('%' + each['instruction'])}</code>"),
            Cell("", html=f"<code>{text(each['shape'])}</code>"),
            each["kind"],
            Cell(str(each["line"]), each["line"]),
            each["source"] or each["op_name"],
            Cell(byte_text(each["bytes"]), each["bytes"]),
            Cell(f"{100 * each['bytes'] / max(found['peak_bytes'], 1):.1f} %", each["bytes"]),
        )
        for each in found["live"][:_LIVE]
    ]
    heads = ("buffer", "shape", "kind", "line", "source", "bytes", "of the peak")
    listed = table(heads, rows, caption="Buffers that are live at the peak", sortable=len(rows) > 1)
    plot = timeline(found["steps"], "Live memory over the schedule", "instructions, in order")
    return f'{facts(sizes)}{figure(plot, caption)}<h3>Live at the peak</h3><div class="scroll">{listed}</div>'


def memory_page(memory: Timeline, function: str, name: str) -> str:
    """Return the page of a function's memory; `name` is that of its program."""
    return page(f"Memory of @{function}", name, memory_html(memory, function))
