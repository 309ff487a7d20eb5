"""Entries that a wheel has: which are used, and which are not."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from stablehlo_py.storage import packaged


def test_an_entry_states_the_digest_of_its_sources(tmp_path: Path) -> None:
    """Each source counts with its name, its length and its bytes, in their order."""
    first, second, entry = tmp_path / "a.py", tmp_path / "b.py", tmp_path / "entry"
    first.write_bytes(b"xy")
    second.write_bytes(b"\xff")
    packaged.store(entry, [first, second], {"é": [1, 2]})
    digest = hashlib.sha256(b"a.py 2\nxyb.py 1\n\xff").hexdigest()
    assert entry.read_bytes() == f'{{"sources":"{digest}","data":{{"\\u00e9":[1,2]}}}}\n'.encode()
    assert packaged.load(entry, sorted(os.scandir(tmp_path), key=lambda each: each.name)[:2]) == {"é": [1, 2]}
    assert packaged.load(entry, [second, first]) is None
    assert packaged.load(entry, [first]) is None


def test_an_entry_that_is_no_table(tmp_path: Path) -> None:
    source, entry = tmp_path / "source", tmp_path / "entry"
    source.write_text("text")
    assert packaged.load(entry, [source]) is None
    packaged.store(entry, [source], [1, 2])
    assert packaged.load(entry, [source]) == [1, 2]
    digest = json.loads(entry.read_text())["sources"]
    for content in (
        *("{", "[1]", "{}", "3", "[" * 10**5, '{"sources": "", "data": 1}', '{"data": 1}'),
        f'{{"sources": "{digest}"}}',
    ):
        entry.write_text(content)
        assert packaged.load(entry, [source]) is None, content[:80]
    entry.write_bytes(b"\xff")
    assert packaged.load(entry, [source]) is None
    packaged.store(entry, [source], [1, 2])
    source.write_text("other")
    assert packaged.load(entry, [source]) is None
    source.unlink()
    assert packaged.load(entry, [source]) is None
