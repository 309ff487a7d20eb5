"""A cache on disk for tables that are slow to make: best effort, and never a reason to fail.

Entries live in `$SHLO_CACHE_DIR`, or else `stablehlo_py` in `$XDG_CACHE_HOME` or `~/.cache`. Setting
`SHLO_CACHE_DIR` to the empty string turns the cache off.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

_SIZE = 4  # bytes of the checksum


def load(name: str, key: str) -> Any:
    """The data stored under `name` with this `key`; None if there is none or it cannot be read.

    `key` is any text that changes when the data must, such as the `stamp` of what it was made from.
    """
    path = _path(name)
    if path is None:
        return None
    try:
        content = path.read_bytes()
        checksum, body = content[:_SIZE], content[_SIZE:]
        if checksum != _checksum(body):
            return None
        made_from, data = marshal.loads(body)
        return data if made_from == _full(key) else None
    except (OSError, EOFError, ValueError, TypeError):
        return None


def store(name: str, key: str, data: Any) -> None:
    """Stores plain data (numbers, strings, bytes, tuples, lists, dicts), atomically; nothing if it cannot."""
    path = _path(name)
    if path is None:
        return
    import tempfile  # which takes a while, and is for the first run only

    body = marshal.dumps((_full(key), data))
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=name)
        with os.fdopen(handle, "wb") as file:
            file.write(_checksum(body) + body)
        Path(temporary).replace(path)


def stamp(paths: Iterable[Path]) -> str:
    """A key that changes when a file does: names, sizes and times. Raises OSError if a file is not there."""
    return " ".join([f"{p.name}:{s.st_size}:{s.st_mtime_ns}" for p in paths for s in [p.stat()]])


def _full(key: str) -> str:
    """An entry is tied to this Python as well."""
    return f"{sys.version} {key}"


def _checksum(body: bytes) -> bytes:
    """What tells a damaged entry."""
    return crc32(body).to_bytes(_SIZE, "big")


def _path(name: str) -> Path | None:
    chosen = os.environ.get("SHLO_CACHE_DIR")
    if chosen is not None:
        return Path(chosen) / name if chosen else None
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "stablehlo_py" / name
    except RuntimeError:  # there is no home directory
        return None
