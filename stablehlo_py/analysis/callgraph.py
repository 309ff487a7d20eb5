"""Who calls whom."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from stablehlo_py.ir.attributes import ArrayAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait


@dataclass(frozen=True)
class CallGraph:
    """For each function, the functions that it calls, and at how many places."""

    calls: dict[str, dict[str, int]]

    def reachable(self, name: str) -> list[str]:
        """A function and all that it calls, directly or through others, in the order of their calls."""
        found: dict[str, None] = {}
        waiting = [name]
        while waiting:
            function = waiting.pop()
            if function not in found:
                found[function] = None
                waiting += reversed(self.calls.get(function, {}))
        return list(found)

    def callees_first(self) -> list[str]:
        """All functions, each behind those that it calls, as far as they do not call each other."""
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

    @property
    def recursive(self) -> frozenset[str]:
        """The functions that call themselves, directly or through others."""
        return frozenset(
            name
            for name, called in self.calls.items()
            if any(name in self.reachable(other) for other in called)
        )

    def to_dict(self) -> dict[str, Any]:
        return {"calls": self.calls, "recursive": sorted(self.recursive)}


def functions(module: Module) -> dict[str, Operation]:
    """Every function by name, those of modules within the module included."""
    return {str(op.python_value("sym_name")): op for op in module.walk() if op.is_function}


def call_graph(module: Module) -> CallGraph:
    """The calls of a module's functions: by `call`, by `composite`, and by name in a `custom_call`."""
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
