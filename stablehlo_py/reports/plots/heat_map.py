"""Heat maps of the errors of an array."""

from __future__ import annotations

import math
from collections.abc import Sequence

from stablehlo_py.reports.plots.svg import box, frame, label

_LEFT, _TOP = 64, 24
_ROOM = 560  # the width of the cells
_CELLS = (4, 26)  # the least and greatest width of a cell


def heat_map(cells: Sequence[Sequence[float | None]], shape: tuple[int, int], about: str) -> str:
    """Draw the errors of an array, which are darker the larger they are, on a logarithmic scale.

    Args:
        cells: The error of each cell, row by row; None where elements are finite on one side only.
        shape: The number of rows and columns of the array, of which a cell may cover several.
        about: What the plot shows, for screen readers.
    """
    rows, columns = len(cells), max(map(len, cells), default=0)
    size = max(_CELLS[0], min(_CELLS[1], _ROOM // max(rows, columns, 1)))
    errors = [error for row in cells for error in row if error]
    low, high = min(errors, default=0.0), max(errors, default=0.0)
    parts = [label("0", _LEFT, _TOP - 8)]
    if columns > 1:
        parts.append(label(f"{shape[1] - 1:,}", _LEFT + columns * size, _TOP - 8, "end"))
    parts += [label("0", _LEFT - 8, _TOP + 12, "end")]
    if rows > 1:
        parts.append(label(f"{shape[0] - 1:,}", _LEFT - 8, _TOP + rows * size - 2, "end"))
    for i, row in enumerate(cells):
        for j, error in enumerate(row):
            where = f"rows {_covered(i, rows, shape[0])}, columns {_covered(j, columns, shape[1])}"
            place = (_LEFT + j * size, _TOP + i * size, size - 1, size - 1)
            if error is None:
                parts.append(box("lost", place, f"{where}: not finite"))
            elif error:
                shade = f"{_shade(error, low, high):.2f}"
                parts.append(box("heat", place, f"{where}: {error:.3g}", fill_opacity=shade))
            else:
                parts.append(box("empty", place))
    return frame(_LEFT + max(columns * size, 120) + 8, _TOP + rows * size + 8, about, parts)


def _shade(error: float, low: float, high: float) -> float:
    """Return the opacity of an error, from 0.15 to 1."""
    return 0.15 + 0.85 * (math.log(error / low) / math.log(high / low) if high > low else 1.0)


def _covered(index: int, cells: int, size: int) -> str:
    """Return the indices that a cell covers."""
    first, last = index * size // cells, (index + 1) * size // cells - 1
    return str(first) if last <= first else f"{first}-{last}"
