"""Live memory over time as a plot, as HTML and as a page."""

from __future__ import annotations

from stablehlo_py.analysis.memory import Timeline
from stablehlo_py.diagnostics.units import byte_text
from stablehlo_py.reports.html import Cell, table, text
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


def memory_page(memory: Timeline, function: str, name: str) -> str:
    """Return the page of a function's memory; `name` is that of its program."""
    return page(f"Memory of @{function}", name, memory_html(memory, function))
