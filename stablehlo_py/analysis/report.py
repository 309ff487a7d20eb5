"""Everything that is to be said about a module, function by function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stablehlo_py.analysis.callgraph import CallGraph, call_graph, functions
from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.analysis.memory import Memory
from stablehlo_py.analysis.module_statistics import Statistics, statistics
from stablehlo_py.analysis.sizes import byte_size
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import Signature, function_type, signature


@dataclass(frozen=True)
class FunctionAnalysis:
    """A function: what it takes and gives, and what one call of it costs, calls followed.

    `ops` are those of its text, regions included. `signature` is None for a declaration.
    """

    name: str
    line: int
    private: bool
    signature: Signature | None
    ops: int
    parameter_bytes: int
    result_bytes: int
    peak_bytes: int
    cost: Cost

    def to_dict(self) -> dict[str, Any]:
        inputs = self.signature.inputs if self.signature else ()
        outputs = self.signature.outputs if self.signature else ()
        return {
            "name": self.name,
            "line": self.line,
            "private": self.private,
            "inputs": [{"name": each.name, "type": str(each.type)} for each in inputs],
            "results": [{"name": each.name, "type": str(each.type)} for each in outputs],
            "ops": self.ops,
            "parameter_bytes": self.parameter_bytes,
            "result_bytes": self.result_bytes,
            "peak_bytes": self.peak_bytes,
            **self.cost.to_dict(),
        }


@dataclass(frozen=True)
class Analysis:
    """A module: its functions in order, its calls and statistics.

    `entry` names the function that runs (None if that is not clear), `notes` say what is only estimated.
    `container` is what a binary file says of itself.
    """

    name: str
    entry: str | None
    functions: dict[str, FunctionAnalysis]
    calls: CallGraph
    statistics: Statistics
    notes: tuple[Diagnostic, ...]
    container: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "file": self.name,
            **({"container": dict(self.container)} if self.container else {}),
            "entry": self.entry,
            "functions": [function.to_dict() for function in self.functions.values()],
            "calls": self.calls.calls,
            "recursive": sorted(self.calls.recursive),
            "statistics": self.statistics.to_dict(),
            "notes": [{"line": n.line, "column": n.column, "message": n.message} for n in self.notes],
        }


def analyze(module: Module, entry: str | None = None) -> Analysis:
    """What a module costs and holds. `entry` is `main`, or the only function, by default.

    Raises ValueError if there is no such function.
    """
    found = functions(module)
    costs, memory = Costs(module), Memory(module)
    calls = call_graph(module)
    for name in calls.callees_first():  # so that a long chain of calls is no deep recursion
        costs.function(name)
        memory.peak(name)
    parts = {name: _function(module, name, op, costs, memory) for name, op in found.items()}
    return Analysis(
        module.name,
        _entry(found, entry),
        parts,
        calls,
        statistics(module),
        tuple(costs.notes),
        module.container,
    )


def _entry(found: dict[str, Operation], name: str | None) -> str | None:
    if name is None:
        return "main" if "main" in found else next(iter(found)) if len(found) == 1 else None
    name = name.removeprefix("@")
    if name not in found:
        known = ", ".join(f"@{each}" for each in found) or "none"
        raise ValueError(f"there is no function @{name}; the module has {known}")
    return name


def _function(module: Module, name: str, op: Operation, costs: Costs, memory: Memory) -> FunctionAnalysis:
    type = function_type(op)
    blocks = [block for region in op.regions for block in region.blocks]
    return FunctionAnalysis(
        name=name,
        line=module.line(op),
        private=op.python_value("sym_visibility") == "private",
        signature=signature(op) if blocks else None,
        ops=sum(1 for _ in op.walk()) - 1,
        parameter_bytes=sum(map(byte_size, type.inputs)) if type else 0,
        result_bytes=sum(map(byte_size, type.results)) if type else 0,
        peak_bytes=memory.peak(name),
        cost=costs.function(name),
    )
