"""A program of the ops that a third of the programs have which frameworks export."""

from __future__ import annotations

from pathlib import Path


def typical_program() -> str:
    """Return the text of the program."""
    return Path(__file__).with_suffix(".mlir").read_text(encoding="utf-8")
