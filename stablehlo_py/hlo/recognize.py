"""Recognition of HLO text."""

from __future__ import annotations

import re

_BLANKS = r"(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/)*+"
_START = re.compile(rf"{_BLANKS}(?:HloModule|ENTRY)\s")


def is_hlo(text: str) -> bool:
    """Test whether a text is HLO: a module, or a computation that is its entry.

    Args:
        text: The text. Computations without a module or entry are not recognized.
    """
    return _START.match(text) is not None
