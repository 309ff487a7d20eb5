"""Tables without borders, with bold headings where colours are enabled."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from stablehlo_py.cli import common

from stablehlo_py.diagnostics.render import escaped

if TYPE_CHECKING:
    from rich.table import Table


def table(headers: Sequence[str], numbers: Collection[str]) -> Table:
    """Make an empty table; the columns in `numbers` are right-aligned."""
    from rich.table import Table  # few commands print tables

    made = Table(box=None, pad_edge=False, header_style="bold" if common.is_coloured(sys.stdout) else "")
    for header in headers:
        made.add_column(header, justify="right" if header in numbers else "left", no_wrap=True)
    return made


def add_row(made: Table, *cells: str) -> None:
    """Add a row to a table."""
    made.add_row(*map(escaped, cells))


def cut(text: str, width: int) -> str:
    """Return a text of at most a width, which ends in an ellipsis if it is longer."""
    return text if len(text) <= width else text[: max(width - 3, 0)] + "..."


def print_table(made: Table, width: int | None = None) -> None:
    """Print a table, by default as wide as a line; longer cells end in an ellipsis."""
    from rich.console import Console

    Console(width=width or common.width(), markup=False, highlight=False).print(made)
