"""References to symbols in the attributes of ops."""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, StructAttr, SymbolRefAttr
from stablehlo_py.ir.core import Operation


def symbol_names(op: Operation) -> Iterator[str]:
    """Yield the names of the symbols to which an op refers."""
    for value in (*op.properties.values(), *op.attributes.values()):
        yield from _symbols(value)


def _symbols(value: object) -> Iterator[str]:
    """Yield the names of symbols in an attribute."""
    match value:
        case SymbolRefAttr(root):
            yield root
        case ArrayAttr(items):
            for item in items:
                yield from _symbols(item)
        case DictAttr(pairs) | StructAttr(_, pairs):
            for _, item in pairs:
                yield from _symbols(item)
        case tuple():
            for item in value:
                yield from _symbols(item)


def renamed(value: Attribute, old: str, new: str) -> Attribute:
    """Return an attribute with the references to a symbol renamed."""
    match value:
        case SymbolRefAttr(root) if root == old:
            return SymbolRefAttr(new, value.nested)
        case ArrayAttr(items):
            return ArrayAttr(tuple([renamed(item, old, new) for item in items]))
    return value
