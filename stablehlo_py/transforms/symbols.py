"""Symbols: references to them, and erasure of private ones that nothing refers to."""

from __future__ import annotations

from collections.abc import Collection

from stablehlo_py.ir.core import Module, Operation, erase_all
from stablehlo_py.opset.calls import symbol_references
from stablehlo_py.opset.definition import has_trait


def erase_unused_symbols(module: Module, only: Collection[str] | None = None) -> bool:
    """Erase private symbols of a module that nothing refers to, but for other such symbols.

    Args:
        module: The module, which is changed.
        only: The symbols that may be erased; all by default.

    Returns:
        Whether there were any.
    """
    symbols = {
        str(op.python_value("sym_name")): op
        for op in module.body.ops
        if (op.is_function or has_trait(op.name, "symbol"))
    }
    private = {name for name, op in symbols.items() if op.python_value("sym_visibility") == "private"}
    candidates = private if only is None else private & set(only)
    inside = {name: _references(op) for name, op in symbols.items()}
    pending = list(symbol_references(module.op))
    pending += [name for name in symbols if name not in candidates]
    others = set(module.body.ops).difference(symbols.values())
    pending += [r for op in others for r in _references(op)]
    reached: set[str] = set()
    while pending:
        name = pending.pop()
        if name in symbols and name not in reached:
            reached.add(name)
            pending += inside[name]
    gone = [op for name, op in symbols.items() if name not in reached]
    erase_all(gone)
    return bool(gone)


def _references(op: Operation) -> set[str]:
    return {name for inner in op.walk() for name in symbol_references(inner)}
