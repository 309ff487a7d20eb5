"""The text of types, attributes and modules, from a printer that `syntax` installs.

`ir` does not depend on `syntax`, so the printer is injected. Importing any module of the package imports
`syntax`, which installs the printer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_printers: list[Callable[[Any], str]] = []


def install_printer(printer: Callable[[Any], str]) -> None:
    """Set the printer that `str` of a type, an attribute or a module calls.

    Args:
        printer: Takes a `Type`, `Attribute` or `Module`, and returns its text.
    """
    _printers[:] = [printer]


def text_of(node: object) -> str:
    """Print a type, an attribute or a module in the syntax of the C++ printer."""
    (printer,) = _printers
    return printer(node)
