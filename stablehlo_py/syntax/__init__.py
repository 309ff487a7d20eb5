"""Parser and printer: lexer, LALR tables, assembly formats, readers and writers."""

from __future__ import annotations

from typing import Any


def printed_text(node: Any) -> str:
    """Return the text of a type, an attribute or a module; imports the printers at first use."""
    from stablehlo_py.ir.core import Module

    if isinstance(node, Module):
        from stablehlo_py.syntax.printer import format_module

        return format_module(node)
    from stablehlo_py.syntax.write.fragments import join

    return join(node)
