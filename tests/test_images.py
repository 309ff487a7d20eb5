"""Pictures of the README show what the tool prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
ROW = re.compile(r'<text[^>]* y="([\d.]+)"[^>]*>(.*?)</text>')


def rows(picture: Path) -> list[str]:
    """The rows of a recorded terminal, without digits, which differ between versions of NumPy."""
    found: dict[float, str] = {}
    for y, text in ROW.findall(picture.read_text(encoding="utf-8")):
        found[float(y)] = found.get(float(y), "") + re.sub(r"\d+", "0", text)
    return [found[y] for y in sorted(found)]


@pytest.mark.slow
def test_pictures_are_current(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(DOCS / "images.py"), str(tmp_path)], check=True, timeout=300)
    made = sorted(tmp_path.iterdir())
    assert [each.name for each in made] == ["compare.svg", "verify.svg"]
    for each in made:
        assert rows(each) == rows(DOCS / "images" / each.name)
