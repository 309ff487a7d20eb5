"""Symbol references: of calls to functions, and of all attributes."""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, StringAttr, StructAttr, SymbolRefAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.definition import lookup


def is_call(op: Operation) -> bool:
    """Test whether an op calls a function of the module by symbol, such as a call or composite."""
    definition = lookup(op.name)
    return definition is not None and bool(definition.callee)


def callee(op: Operation) -> str | None:
    """Return the name of the callee of a call or composite; None for other ops."""
    definition = lookup(op.name)
    match op.attribute(definition.callee) if definition is not None and definition.callee else None:
        case SymbolRefAttr(root):
            return root
        case StringAttr(name):
            return name
    return None


def symbol_references(op: Operation) -> Iterator[str]:
    """Yield the symbols that an op's attributes refer to."""
    pending: list[Attribute] = [*op.properties.values(), *op.attributes.values()]
    while pending:
        match pending.pop():
            case SymbolRefAttr(root, nested):
                yield from (root, *nested)
            case ArrayAttr(items):
                pending += items
            case DictAttr(entries):
                pending += [value for _, value in entries]
            case StructAttr(fields=entries):
                pending += [value for _, value in entries if isinstance(value, Attribute)]
