"""A disk cache for tables that are slow to build; cache errors are ignored.

Entries are stored in `$SHLO_CACHE_DIR`, or else in `stablehlo_py` under `$XDG_CACHE_HOME` or `~/.cache`.
Setting `SHLO_CACHE_DIR` to the empty string disables the cache.
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
    """Load an entry.

    Args:
        name: The name of the entry.
        key: Any text that changes when the data must, such as the `stamp` of its sources.

    Returns:
        The data stored under `name` with this key; None if there is none, or it cannot be read.
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
    """Store an entry atomically; do nothing if it cannot be written.

    Args:
        name: The name of the entry.
        key: The key that `load` must be given.
        data: Numbers, strings, bytes, tuples, lists and dicts.
    """
    path = _path(name)
    if path is None:
        return
    import tempfile  # slow to import, and needed on the first run only

    body = marshal.dumps((_full(key), data))
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=name)
        with os.fdopen(handle, "wb") as file:
            file.write(_checksum(body) + body)
        Path(temporary).replace(path)


def stamp(paths: Iterable[Path]) -> str:
    """Make a key of files' names, sizes and modification times; raise OSError if one does not exist."""
    return " ".join([f"{p.name}:{s.st_size}:{s.st_mtime_ns}" for p in paths for s in [p.stat()]])


def _full(key: str) -> str:
    """Add the version of Python to a key."""
    return f"{sys.version} {key}"


def _checksum(body: bytes) -> bytes:
    """Compute the checksum that detects damaged entries."""
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
