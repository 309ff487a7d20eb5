"""The call graph of a module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stablehlo_py.ir.attributes import ArrayAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait


@dataclass(frozen=True)
class CallGraph:
    """The call graph of a module.

    Attributes:
        calls: For each function, its callees, with the number of call sites.
    """

    calls: dict[str, dict[str, int]]

    def reachable(self, name: str, known: Set[str] = frozenset()) -> list[str]:
        """Return a function and its direct and indirect callees except those below `known`, in preorder."""
        found: dict[str, None] = {}
        waiting = [name]
        while waiting:
            function = waiting.pop()
            if function not in found and function not in known:
                found[function] = None
                waiting += reversed(self.calls.get(function, {}))
        return list(found)

    def callees_first(self) -> list[str]:
        """Return all functions in postorder: callees before callers, except in cycles."""
        found: dict[str, None] = {}
        entered: set[str] = set()
        waiting = list(self.calls)
        while waiting:
            function = waiting[-1]
            if function in entered:
                found[waiting.pop()] = None
                continue
            entered.add(function)
            waiting += [name for name in self.calls[function] if name in self.calls and name not in entered]
        return list(found)

    @cached_property
    def recursive(self) -> frozenset[str]:
        """The functions that call themselves, directly or indirectly.

        They are those in a cycle: in a strongly connected component of several, or with a call of itself.
        """
        callers: dict[str, list[str]] = {name: [] for name in self.calls}
        for caller, called in self.calls.items():
            for name in called.keys() & callers.keys():
                callers[name].append(caller)
        component: dict[str, str] = {}
        for first in reversed(self.callees_first()):  # Kosaraju's algorithm
            waiting = [first]
            while waiting:
                name = waiting.pop()
                if name not in component:
                    component[name] = first
                    waiting += callers[name]
        sizes = Counter(component.values())
        return frozenset(n for n, c in component.items() if sizes[c] > 1 or n in self.calls[n])

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return {"calls": self.calls, "recursive": sorted(self.recursive)}


def functions(module: Module) -> dict[str, Operation]:
    """Return all functions by name, including those of nested modules."""
    return {str(op.python_value("sym_name")): op for op in module.walk() if op.is_function}


def call_graph(module: Module) -> CallGraph:
    """Build the call graph of a module.

    Args:
        module: The module.

    Returns:
        Its call graph: calls by `call`, `composite`, and `called_computations` of a `custom_call`.
    """
    return CallGraph({name: dict(_called(op)) for name, op in functions(module).items()})


def _called(function: Operation) -> Counter[str]:
    found: Counter[str] = Counter()
    for op in function.walk():
        name = callee(op)
        if name is not None:
            found[name] += 1
        elif has_trait(op.name, "external_call"):
            found.update(_named(op))
    return found


def _named(op: Operation) -> list[str]:
    named = op.attribute("called_computations")
    items = named.value if isinstance(named, ArrayAttr) else ()
    return [item.root for item in items if isinstance(item, SymbolRefAttr)]
