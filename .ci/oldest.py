"""Prints the lower bounds of pyproject.toml as constraints of pip: each `NAME>=VERSION` as `NAME==VERSION`.

oldest.py EXTRA...
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]


def bounds(extras: list[str]) -> list[str]:
    rows = [
        *PROJECT["dependencies"],
        *(row for name in extras for row in PROJECT["optional-dependencies"][name]),
    ]
    return [f"{found[1]}=={found[2]}" for row in rows if (found := re.fullmatch(r"([\w-]+)>=([\d.]+)", row))]


if __name__ == "__main__":
    print(*bounds(sys.argv[1:]), sep="\n")
