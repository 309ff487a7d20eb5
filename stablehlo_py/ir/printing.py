"""The text of types, attributes, ops and modules, and their HTML, from printers that other packages install.

`ir` does not depend on `syntax`, so the printer is injected, and so is that of HTML. The package installs
both before any of its modules is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Shown:
    """An object that interactive sessions show as its text, and notebooks as HTML."""

    __slots__ = ()

    def __repr__(self) -> str:
        return text_of(self)

    def _repr_html_(self) -> str:
        return html_of(self)


_printers: list[Callable[[Any], str]] = []
_html_printers: list[Callable[[Any], str]] = []


def install_printer(printer: Callable[[Any], str]) -> None:
    """Set the printer that `str` of a type, an attribute, an operation or a module calls.

    Args:
        printer: Takes a `Type`, `Attribute`, `Operation` or `Module`, and returns its text.
    """
    _printers[:] = [printer]


def install_html(printer: Callable[[Any], str]) -> None:
    """Set the function that the `_repr_html_` of objects of this package calls.

    Args:
        printer: Takes a module, an operation, a program, a diagnostic, an analysis, a comparison, a graph or
            a report, and returns its HTML.
    """
    _html_printers[:] = [printer]


def html_of(node: object) -> str:
    """Render an object of this package as HTML, for notebooks."""
    (printer,) = _html_printers
    return printer(node)


def text_of(node: object) -> str:
    """Print a type, an attribute, an operation or a module in the syntax of the C++ printer."""
    (printer,) = _printers
    return printer(node)
