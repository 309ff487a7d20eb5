"""Recognition of HLO text."""

from __future__ import annotations

import re

_BLANKS = r"(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/)*+"
_COMPUTATION = r"(?!(?:builtin\.)?module\b)%?[A-Za-z_][\w.\-]*+\s*+\{\s"  # `module {` is MLIR
_START = re.compile(rf"{_BLANKS}(?:(?:HloModule|ENTRY)\s|{_COMPUTATION})")


def is_hlo(text: str) -> bool:
    """Test whether a text is HLO: a module, or computations alone."""
    return _START.match(text) is not None
