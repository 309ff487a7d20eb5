"""Tables in the package: a wheel has those that are slow to build, made from the sources that it installs.

An entry is JSON, and states the digest of its sources. It is used only if the sources still have this digest:
in a source tree, or where a source was edited, the tables come from the disk cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Sources = Iterable[Path | os.DirEntry[str]]


def load(entry: Path, sources: Sources) -> Any:
    """Load an entry.

    Args:
        entry: The file.
        sources: The files that it was made from, in a fixed order.

    Returns:
        The data; None if there is no such file, it is not JSON, or the sources have changed.
    """
    try:
        content = entry.read_bytes()
    except OSError:
        return None
    import json  # only a wheel has entries

    try:
        found = json.loads(content)
        return found["data"] if found["sources"] == _digest(sources) else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def store(entry: Path, sources: Sources, data: Any) -> None:
    """Write an entry.

    Args:
        entry: The file.
        sources: The files that it is made from, in the order that `load` is given.
        data: JSON data.
    """
    import json

    text = json.dumps({"sources": _digest(sources), "data": data}, separators=(",", ":"))
    entry.write_text(text + "\n", encoding="utf-8")


def _digest(sources: Sources) -> str:
    from hashlib import sha256  # slow to import, and only a wheel has entries

    found = sha256()
    for source in sources:
        content = Path(source).read_bytes()
        found.update(f"{source.name} {len(content)}\n".encode() + content)
    return found.hexdigest()
