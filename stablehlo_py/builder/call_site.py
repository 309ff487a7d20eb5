"""The call site of a builder operation: its name, and the line of the caller's program."""

from __future__ import annotations

import sys
from itertools import islice
from types import CodeType, FrameType
from typing import NamedTuple

from stablehlo_py.ir.locations import FileLoc

_PACKAGE = __name__.rpartition(".")[0]


class CallSite(NamedTuple):
    """A call of an operation, such as `Add`, and its source location."""

    operation: str
    location: FileLoc


def call_site() -> CallSite:
    """Return the innermost call into the builder's package."""
    frame: FrameType | None = sys._getframe(1)
    operation = ""
    while frame is not None and _is_ours(frame):
        name = frame.f_code.co_name
        operation = name if name[0].isupper() or not operation else operation
        frame = frame.f_back
    if frame is None:
        return CallSite(operation, FileLoc("<unknown>", 0, 0))
    return CallSite(operation, FileLoc(frame.f_code.co_filename, frame.f_lineno, _column(frame)))


def _is_ours(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__", "")
    return bool(module == _PACKAGE or module.startswith(f"{_PACKAGE}."))


def _column(frame: FrameType) -> int:
    """Return the column, from 1, of a frame's current expression."""
    code: CodeType = frame.f_code
    positions = next(islice(code.co_positions(), frame.f_lasti // 2, None), None)
    return 1 + (positions[2] or 0) if positions else 1
