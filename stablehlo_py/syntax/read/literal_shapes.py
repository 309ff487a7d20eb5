"""The shape of a nested list literal, computed from its brackets and commas."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from stablehlo_py.syntax.errors import SourceError

_PAIR = re.compile(r"\([^()]*\)")
_FLAT = re.compile(r"\s*\[[\s\S]*\]\s*")
_STRUCTURE = re.compile(r"[^\[\],]+")
_INCONSISTENT = "tensor literal is invalid; ranks are not consistent between elements"

Marks = np.ndarray[Any, np.dtype[Any]]


def list_shape(body: str, offset: int) -> tuple[int, ...]:
    """Return the shape of a nested list such as `[[1, 2], [3, 4]]`.

    Args:
        body: The list; `(re, im)` counts as one element.
        offset: The offset of the list.

    Raises:
        SourceError: The brackets are unbalanced, or lists of one level differ in length.
    """
    flat = _PAIR.sub("0", body)
    if flat.count("[") == 1 and flat.count("]") == 1 and _FLAT.fullmatch(flat):  # as most lists are
        return (flat.count(",") + 1 if _items(flat) else 0,)
    marks = np.frombuffer(_STRUCTURE.sub("", flat).encode("ascii"), np.uint8)
    is_open, is_close = marks == ord("["), marks == ord("]")
    depth = np.cumsum(is_open.astype(np.int32) - is_close)
    if not marks.size or depth[-1] != 0 or (depth[:-1] <= 0).any() or not flat.strip().startswith("["):
        raise SourceError(offset, "unbalanced brackets in list")
    rank = int(depth.max())
    if rank > 256:
        raise SourceError(offset, "lists are nested deeper than 256")
    is_comma = marks == ord(",")
    is_empty = not _items(flat)
    return tuple(
        _size(is_open, is_close, is_comma, depth, level, rank, is_empty, offset)
        for level in range(1, rank + 1)
    )


def _items(flat: str) -> bool:
    return bool(flat.translate(str.maketrans("", "", "[], \t\r\n")))


def _size(
    is_open: Marks,
    is_close: Marks,
    is_comma: Marks,
    depth: Marks,
    level: int,
    rank: int,
    is_empty: bool,
    offset: int,
) -> int:
    """Return the common length of all lists of a level."""
    closes = np.flatnonzero(is_close & (depth == level - 1))
    commas = np.flatnonzero(is_comma & (depth == level))
    counts = np.diff(np.searchsorted(commas, closes), prepend=0)
    if (counts != counts[0]).any():
        raise SourceError(offset, _INCONSISTENT)
    size = int(counts[0]) + 1
    if level == rank:
        return 0 if is_empty else size
    inner = int((is_open & (depth == level + 1)).sum())
    if inner != size * len(closes):
        raise SourceError(offset, _INCONSISTENT)
    return size
