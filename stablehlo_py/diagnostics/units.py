"""Counts, bytes and times as text with units."""

from __future__ import annotations

from collections.abc import Sequence

_METRIC = ("", "k", "M", "G", "T", "P")
_BYTES = ("B", "KiB", "MiB", "GiB", "TiB")


def number(count: float) -> str:
    """Format a count with a metric prefix: `1.99 M`."""
    return _scaled(count, 1000, _METRIC)


def byte_text(count: float) -> str:
    """Format a number of bytes: `117.9 KiB`."""
    return _scaled(count, 1024, _BYTES)


def duration(seconds: float) -> str:
    """Format a time in seconds: `12.3 ms`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds / 1e-6:.1f} us"


def _scaled(count: float, base: int, units: Sequence[str]) -> str:
    size, unit = float(count), ""
    for index, unit in enumerate(units):  # noqa: B007
        if size < base or index == len(units) - 1:
            break
        size /= base
    digits = 0 if size == int(size) or size >= 100 else 1 if size >= 10 else 2
    return f"{size:.{digits}f} {unit}".rstrip()
