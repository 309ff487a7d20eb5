"""`--watch`: repeat a command whenever one of its files changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click
from stablehlo_py.cli import common

_PERIOD = 0.3  # seconds between looks
_CLEAR = "\x1b[2J\x1b[H"
_Stamp = tuple[int, int]


def repeat(run: Callable[[], int], find: Callable[[], Sequence[str]]) -> int:
    """Run a command, and again whenever a file changes, appears or disappears, until interrupted.

    Args:
        run: The command.
        find: Finds its files.

    Returns:
        The exit status of the last run.
    """
    status = 0
    try:
        while True:
            before = _stamps(find)
            if common.moves_cursor(sys.stdout):
                sys.stdout.write(_CLEAR)
            status = run()
            common.echo(f"[{time.strftime('%H:%M:%S')}] waiting for changes; press Ctrl-C to stop", err=True)
            sys.stdout.flush()
            while _stamps(find) == before:
                time.sleep(_PERIOD)
    except KeyboardInterrupt:
        return status


def _stamps(find: Callable[[], Sequence[str]]) -> dict[str, _Stamp]:
    """Return size and modification time of every file; {} while there is none."""
    try:
        return {file: stamp for file in find() if (stamp := _stamp(file)) is not None}
    except click.ClickException:
        return {}


def _stamp(file: str) -> _Stamp | None:
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
