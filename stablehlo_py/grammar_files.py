"""Where the Lark files are."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def grammar_folder() -> Path:
    """The folder of the grammar: in the installed package, or beside it in the source tree."""
    installed = _HERE / "grammar"
    return installed if installed.is_dir() else _HERE.parent / "grammar"
