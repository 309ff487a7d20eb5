"""The text of types, attributes and modules, written by the printer that `syntax` installs.

`ir` holds data and knows no spelling, so that imports go one way: `syntax` depends on `ir`. Importing any
module of the package imports `syntax`, which installs the printer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_printers: list[Callable[[Any], str]] = []


def install_printer(printer: Callable[[Any], str]) -> None:
    """Makes `printer` what `str` of a type, an attribute or a module calls.

    Args:
        printer: Takes a `Type`, an `Attribute` or a `Module`, and returns its text.
    """
    _printers[:] = [printer]


def text_of(node: object) -> str:
    """The text of a type, an attribute or a module, as the C++ printer spells it."""
    (printer,) = _printers
    return printer(node)
