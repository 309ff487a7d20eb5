"""The Lark grammars: the specification's EBNF, section by section, and MLIR's surroundings."""

from __future__ import annotations

from pathlib import Path


def grammar_folder() -> Path:
    """Return the directory of the grammar files."""
    return Path(__file__).parent
