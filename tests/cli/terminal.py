"""Execution of the command in a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from typing import NamedTuple

MAIN = "from stablehlo_py.cli.main import main; main()"
# The clock of progress is set: it appears long after the command has ended, or at once.
LATE = f"from stablehlo_py.cli import progress; progress.DELAY = 1e6; {MAIN}"
# The bar's modules are imported first: on a fast machine the work is done before.
SOON = f"import rich.progress; from stablehlo_py.cli import progress; progress.DELAY = 0.0; {MAIN}"


class Shown(NamedTuple):
    """What a terminal got, and the exit status."""

    text: str
    status: int


def run_on_terminal(
    *arguments: object, columns: int = 80, code: str = LATE, env: Mapping[str, str] | None = None
) -> Shown:
    """Output and errors of a command whose output is a terminal, with \\r\\n as \\n."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    hidden = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    inherited = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [sys.executable, "-Pc", code, *map(str, arguments)]
    environment = {**inherited, "TERM": "xterm-256color", **(env or {})}
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        content = b""
        while chunk := _read(ours):
            content += chunk
        os.close(ours)
        status = process.wait(timeout=300)
    return Shown(content.decode().replace("\r\n", "\n"), status)


def _read(terminal: int) -> bytes:
    """What comes next; nothing once the other side is closed."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
