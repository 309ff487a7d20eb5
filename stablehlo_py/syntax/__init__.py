"""Parser and printer: lexer, LALR tables, assembly formats, readers and writers."""

from __future__ import annotations

from typing import Any


def printed_text(node: Any) -> str:
    """Return the text of a type, an attribute, an op or a module; imports the printers at first use."""
    from stablehlo_py.ir.core import Module, Operation

    if isinstance(node, Module):
        from stablehlo_py.syntax.printer import format_module

        return format_module(node)
    if isinstance(node, Operation):
        from stablehlo_py.syntax.op_text import op_text

        return op_text(node)
    from stablehlo_py.syntax.write.fragments import join

    return join(node)
