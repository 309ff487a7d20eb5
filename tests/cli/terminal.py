"""Execution of the command with a pseudo-terminal as its streams, in this process or in one of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest
from stablehlo_py.cli import progress, watchdog
from stablehlo_py.cli.main import main

MAIN = "from stablehlo_py.cli.main import main; main()"
_LATE = 1e6  # seconds until progress appears: long after the command has ended
_HIDDEN = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")


class Shown(NamedTuple):
    """What a terminal got, and the exit status."""

    text: str
    status: int


def run_on_terminal(
    *arguments: object, columns: int = 80, env: Mapping[str, str] | None = None, delay: float = _LATE
) -> Shown:
    """Output and errors of a command whose output is a terminal, with \\r\\n as \\n.

    Progress appears after a delay, in seconds.
    """
    with ExitStack() as stack:
        theirs, content = stack.enter_context(_terminal(columns))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        streams = [
            stack.enter_context(os.fdopen(theirs, "w", encoding="utf-8", closefd=False)) for _ in range(3)
        ]
        patch.setattr(progress, "DELAY", delay)
        patch.setattr(watchdog, "_GRACE", _LATE)  # it would end this process
        patch.setattr(sys, "argv", ["shlo", *map(str, arguments)])
        patch.setattr(os, "environ", _environment(env))
        for name, stream in zip(("stdout", "stderr", "__stdout__"), streams, strict=True):
            patch.setattr(sys, name, stream)
        patch.setattr(sys, "stdin", stack.enter_context(Path(os.devnull).open()))
        status = _status()
    return Shown(_text(content), status)


def start_on_terminal(code: str, *arguments: object) -> Shown:
    """Output, errors and exit status of a program in a process of its own."""
    with _terminal(80) as (theirs, content):
        command = [sys.executable, "-Pc", code, *map(str, arguments)]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            env=_environment(None),
            timeout=300,
            check=False,
        )
    return Shown(_text(content), done.returncode)


@contextmanager
def _terminal(columns: int) -> Iterator[tuple[int, list[bytes]]]:
    """A terminal, and what has been written to it once it is closed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    content: list[bytes] = []
    reader = Thread(target=_read, args=(ours, content), daemon=True)
    reader.start()
    try:
        yield theirs, content
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)


def _read(terminal: int, content: list[bytes]) -> None:
    """Read until the other side is closed."""
    try:
        while chunk := os.read(terminal, 65536):
            content.append(chunk)
    except OSError:
        pass


def _environment(env: Mapping[str, str] | None) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
    return {**inherited, "TERM": "xterm-256color", **(env or {})}


def _status() -> int:
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _text(content: list[bytes]) -> str:
    return b"".join(content).decode().replace("\r\n", "\n")
