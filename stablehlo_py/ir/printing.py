"""The text of types, attributes and modules, and their HTML, from printers that other packages install.

`ir` does not depend on `syntax`, so the printer is injected, and so is that of HTML. The modules of the
public names install them, and are imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_printers: list[Callable[[Any], str]] = []
_html_printers: list[Callable[[Any], str]] = []


def install_printer(printer: Callable[[Any], str]) -> None:
    """Set the printer that `str` of a type, an attribute or a module calls.

    Args:
        printer: Takes a `Type`, `Attribute` or `Module`, and returns its text.
    """
    _printers[:] = [printer]


def install_html(printer: Callable[[Any], str]) -> None:
    """Set the function that the `_repr_html_` of objects of this package calls.

    Args:
        printer: Takes a module, a program, a diagnostic, an analysis or a graph, and returns its HTML.
    """
    _html_printers[:] = [printer]


def html_of(node: object) -> str:
    """Render an object of this package as HTML, for notebooks."""
    return _installed(_html_printers)(node)


def text_of(node: object) -> str:
    """Print a type, an attribute or a module in the syntax of the C++ printer."""
    return _installed(_printers)(node)


def _installed(printers: list[Callable[[Any], str]]) -> Callable[[Any], str]:
    """Return the printer, which the public names of the package install."""
    if not printers:
        import_module("stablehlo_py.api.exports")
    return printers[0]
