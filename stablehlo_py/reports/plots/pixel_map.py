"""Small maps of the errors of arrays: an image of one pixel a cell, in a few hundred bytes."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence

from stablehlo_py.reports.html import text

_LEVELS = 15  # of errors; 0 is no error, and the one above is of what is not finite
_HEAT, _LOST = (44, 111, 194), (180, 35, 24)
_LONG, _SHORT = 48, 8  # pixels of the page


def pixel_map(cells: Sequence[Sequence[float | None]], about: str) -> str:
    """Return an image of the errors of an array, darker the larger they are, on a logarithmic scale.

    Args:
        cells: The error of each cell, row by row; None where elements are finite on one side only.
        about: What the image shows.
    """
    errors = [error for row in cells for error in row if error]
    low, high = min(errors, default=1.0), max(errors, default=1.0)
    content = base64.b64encode(_png([[_level(error, low, high) for error in row] for row in cells])).decode()
    scale = _LONG / max(len(cells), len(cells[0]))
    across, down = (max(_SHORT, round(scale * count)) for count in (len(cells[0]), len(cells)))
    return (
        f'<img src="data:image/png;base64,{content}" width="{across}" height="{down}" alt="{text(about)}" '
        f'title="{text(about)}" style="image-rendering: pixelated">'
    )


def _level(error: float | None, low: float, high: float) -> int:
    if error is None:
        return _LEVELS + 1
    if not error:
        return 0
    span = math.log(high) - math.log(low)
    share = (math.log(error) - math.log(low)) / span if span else 1.0
    return 1 + round(share * (_LEVELS - 1))


def _png(levels: Sequence[Sequence[int]]) -> bytes:
    """Return a PNG file of levels: a colour of the palette each, more opaque the higher the level."""
    palette = bytes([*(0, 0, 0), *_HEAT * _LEVELS, *_LOST])
    opacity = bytes([0, *(round(255 * (0.15 + 0.85 * n / _LEVELS)) for n in range(1, _LEVELS + 1)), 255])
    rows = b"".join(b"\0" + bytes(row) for row in levels)  # each row without a filter
    head = struct.pack(">IIBBBBB", len(levels[0]), len(levels), 8, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", palette), (b"tRNS", opacity), (b"IDAT", zlib.compress(rows, 9)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in (*parts, (b"IEND", b"")))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
