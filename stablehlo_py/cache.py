"""A cache on disk for tables that are slow to make: best effort, and never a reason to fail.

Entries live in `$SHLO_CACHE_DIR`, or else `stablehlo_py` in `$XDG_CACHE_HOME` or `~/.cache`. Setting
`SHLO_CACHE_DIR` to the empty string turns the cache off.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import sys
import tempfile
from pathlib import Path
from typing import Any


def load(name: str, key: str) -> Any:
    """The data stored under `name` with this `key`; None if there is none or it cannot be read.

    `key` is any text that changes when the data must: a hash of what it was made from.
    """
    path = _path(name)
    if path is None:
        return None
    try:
        content = path.read_bytes()
        digest, body = content[:32], content[32:]
        return marshal.loads(body) if digest == _digest(key, body) else None
    except (OSError, EOFError, ValueError, TypeError):
        return None


def store(name: str, key: str, data: Any) -> None:
    """Stores plain data (numbers, strings, bytes, tuples, lists, dicts), atomically; nothing if it cannot."""
    path = _path(name)
    if path is None:
        return
    body = marshal.dumps(data)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=name)
        with os.fdopen(handle, "wb") as file:
            file.write(_digest(key, body) + body)
        Path(temporary).replace(path)


def _digest(key: str, body: bytes) -> bytes:
    """Ties an entry to its key and to this Python, and tells a damaged one."""
    return hashlib.sha256(key.encode() + sys.version.encode() + body).digest()


def _path(name: str) -> Path | None:
    chosen = os.environ.get("SHLO_CACHE_DIR")
    if chosen is not None:
        return Path(chosen) / name if chosen else None
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "stablehlo_py" / name
    except RuntimeError:  # there is no home directory
        return None
