"""Who called: the operation's name, and the line of the caller's program."""

from __future__ import annotations

import sys
from itertools import islice
from types import CodeType, FrameType
from typing import NamedTuple

from stablehlo_py.ir.locations import FileLoc

_PACKAGE = __name__.rpartition(".")[0]


class CallSite(NamedTuple):
    """The operation that was called, such as `Add`, and where."""

    operation: str
    location: FileLoc


def call_site() -> CallSite:
    """The call by which the builder's package was entered last."""
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
    """The column, from 1, of the expression that a frame is at."""
    code: CodeType = frame.f_code
    positions = next(islice(code.co_positions(), frame.f_lasti // 2, None), None)
    return 1 + (positions[2] or 0) if positions else 1
