"""`shlo inspect --memory`: the live memory of a program over time, as a picture or a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.sources import Text

from stablehlo_py.storage.files import OutputFiles, is_device

if TYPE_CHECKING:
    from stablehlo_py.analysis.memory import Timeline
    from stablehlo_py.analysis.report import Analysis


FORMATS = (".svg", ".html")


def check_target(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Check the suffix of the output."""
    if value is not None and Path(value).suffix.lower() not in FORMATS and not is_device(value):
        raise click.BadParameter(f"{value}: expected a file that ends in {' or '.join(FORMATS)}")
    return value


def write_memory(
    found: list[tuple[Text, Analysis]], dims: Mapping[str, int], target: str, outputs: OutputFiles
) -> None:
    """Draw the memory of the entry function of one program; raise UsageError for several or none."""
    from stablehlo_py.analysis.memory import Memory

    if len(found) != 1:
        raise click.UsageError(f"--memory draws one valid program, and there are {len(found)}")
    ((source, analysis),) = found
    if analysis.entry is None:
        raise click.UsageError("--memory draws one function: use --entry NAME")
    module, errors = common.specialized(source.parse(common.Allowed(True, True)), dims)
    assert module is not None and not errors  # it was analyzed
    memory = Memory(module).timeline(analysis.entry)
    common.write_report(_drawn(memory, analysis.entry, source.name, target), target, outputs)


def _drawn(memory: Timeline, entry: str, name: str, target: str) -> str:
    from stablehlo_py.reports.memory_html import memory_page, memory_plot
    from stablehlo_py.reports.plots.svg import svg_file

    is_svg = Path(target).suffix.lower() == ".svg"
    return svg_file(memory_plot(memory, entry)) if is_svg else memory_page(memory, entry, name)
