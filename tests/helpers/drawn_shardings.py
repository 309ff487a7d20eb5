"""Texts of programs with drawn shardings."""

from __future__ import annotations

import stablehlo_py as shlo
from stablehlo_py.debug.generate.shardings import Drawing


def draw_shardings(text: str, kind: str, seed: int) -> str:
    """Return the text of a program with drawn shardings."""
    module = shlo.parse(text)
    Drawing(module, kind, seed).run()
    return shlo.format(module)
