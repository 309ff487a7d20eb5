"""A disk cache for tables that are slow to build; cache errors are ignored.

Entries are stored in `$SHLO_CACHE_DIR`, or else in `stablehlo_py` under `$XDG_CACHE_HOME` or `~/.cache`.
Setting `SHLO_CACHE_DIR` to the empty string disables the cache.

The cache is not trusted. An entry is read only if it is a regular file of bounded size that belongs to the
user and that nobody else can write, in a folder that belongs to the user and is not writable by everybody.
Its data is used only if the reader's check accepts it. Anything else is treated as absent.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import stat
import sys
from collections.abc import Callable, Iterable
from operator import attrgetter
from pathlib import Path
from typing import Any
from zlib import crc32

_SIZE = 4  # bytes of the checksum
_MAX_BYTES = 64 << 20  # of an entry


def load(name: str, key: str, is_valid: Callable[[Any], bool]) -> Any:
    """Load an entry.

    Args:
        name: The name of the entry.
        key: Any text that changes when the data must, such as the `stamp` of its sources.
        is_valid: Checks the structure of the data.

    Returns:
        The data stored under `name` with this key; None if there is none, or it cannot be used.
    """
    path = _path(name)
    if path is None:
        return None
    try:
        content = _read(path)
        body = memoryview(content)[_SIZE:]
        if content[:_SIZE] != _checksum(body):
            return None
        made_from, data = marshal.loads(body)
        return data if made_from == _full(key) and is_valid(data) else None
    except (OSError, EOFError, AttributeError, ValueError, TypeError, MemoryError):
        return None


def _read(path: Path) -> bytes:
    """Read a file; raise OSError if it is not a regular file, or others can write it or its folder."""
    folder = path.parent.stat()
    if sys.platform != "win32" and (folder.st_uid != os.geteuid() or folder.st_mode & stat.S_IWOTH):
        raise PermissionError(f"{path.parent} is not a folder of this user")
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    )
    with os.fdopen(os.open(path, flags), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MAX_BYTES or not _is_own(found):
            raise PermissionError(f"{path} is not an entry of this user")
        return file.read(_MAX_BYTES)


def _is_own(found: os.stat_result) -> bool:
    """Test whether a file belongs to this user, and nobody else can write it."""
    if sys.platform == "win32":
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def entry_name(prefix: str, key: str) -> str:
    """Name an entry by its key; entries with one name replace each other."""
    return f"{prefix}{crc32(key.encode()):08x}{len(key):x}"


def remove(name: str) -> None:
    """Remove an entry."""
    path = _path(name)
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink()


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
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(body) + body)
            Path(temporary).replace(path)
        except BaseException:  # a full disk, an interrupt
            Path(temporary).unlink()
            raise


def trim(prefix: str, most: int) -> None:
    """Remove the oldest entries whose names begin with `prefix`, if there are more than `most`.

    An eighth of them goes at once, so that most calls read names alone.
    """
    path = _path(prefix)
    if path is None:
        return
    with contextlib.suppress(OSError):
        with os.scandir(path.parent) as folder:
            entries = [entry for entry in folder if entry.name.startswith(prefix)]
        if len(entries) > most:
            entries.sort(key=lambda entry: entry.stat().st_mtime_ns)
            for entry in entries[: len(entries) - most + most // 8]:
                Path(entry).unlink()


def sources(*folders: Path) -> list[os.DirEntry[str]]:
    """Find the Python files and grammars in folders and below, in a fixed order."""
    found: list[os.DirEntry[str]] = []
    pending: list[Path | os.DirEntry[str]] = [*folders]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry)
                elif entry.name.endswith((".lark", ".py")):
                    found.append(entry)
    return sorted(found, key=attrgetter("path"))


def stamp(paths: Iterable[Path | os.DirEntry[str]]) -> str:
    """Make a key of files' names, sizes and modification times; raise OSError if one does not exist."""
    return " ".join([f"{p.name}:{s.st_size}:{s.st_mtime_ns}" for p in paths for s in [p.stat()]])


def _full(key: str) -> str:
    """Add the version of Python to a key."""
    return f"{sys.version} {key}"


def _checksum(body: bytes | memoryview) -> bytes:
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
