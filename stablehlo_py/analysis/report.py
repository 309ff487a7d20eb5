"""The complete analysis of a module, function by function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stablehlo_py.analysis.callgraph import CallGraph, call_graph, functions
from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.analysis.memory import Memory
from stablehlo_py.analysis.module_statistics import Statistics, statistics
from stablehlo_py.analysis.polynomial import Polynomial
from stablehlo_py.analysis.sizes import byte_size
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.printing import html_of
from stablehlo_py.ir.signature import MAIN, Signature, function_type, signature


@dataclass(frozen=True)
class FunctionAnalysis:
    """The analysis of a function.

    Attributes:
        name: Its name.
        line: Its line in the text, or 0.
        private: Whether it is private.
        signature: Its inputs and outputs; None for a declaration.
        ops: The number of its ops, including nested ones.
        parameter_bytes: The bytes of its arguments.
        result_bytes: The bytes of its results.
        peak_bytes: The peak of live memory, in bytes.
        cost: The cost of one call, including callees.
        symbolic: The bytes and the costs of one call as polynomials of sizes that the program leaves open, by
            name; None for what is none. In `cost`, each of these sizes counts as its bound, or as 1.
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
    symbolic: Mapping[str, Polynomial | None] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, for JSON."""
        inputs = self.signature.inputs if self.signature else ()
        outputs = self.signature.outputs if self.signature else ()
        dropped = (self.signature.dropped if self.signature else None) or {}
        return {
            "name": self.name,
            "line": self.line,
            "private": self.private,
            "inputs": [{"path": each.path, "name": each.name, "type": str(each.type)} for each in inputs],
            "dropped": [each._asdict() for each in dropped.values()],
            "results": [{"name": each.name, "type": str(each.type)} for each in outputs],
            "ops": self.ops,
            "parameter_bytes": self.parameter_bytes,
            "result_bytes": self.result_bytes,
            "peak_bytes": self.peak_bytes,
            **self.cost.to_dict(),
            **(
                {"symbolic": {name: each and str(each) for name, each in self.symbolic.items()}}
                if self.symbolic
                else {}
            ),
        }


@dataclass(frozen=True, repr=False)
class Analysis:
    """The analysis of a module.

    Attributes:
        name: The name of its text.
        entry: The entry function, or None if it is ambiguous.
        functions: The analyses of its functions, in order.
        calls: Its call graph.
        statistics: Its statistics.
        notes: Notes on estimates.
        container: The metadata of a binary file.
    """

    name: str
    entry: str | None
    functions: dict[str, FunctionAnalysis]
    calls: CallGraph
    statistics: Statistics
    notes: tuple[Diagnostic, ...]
    container: Mapping[str, Any]

    def __repr__(self) -> str:
        entry = self.functions.get(self.entry or "")
        flops = f", {entry.cost.flops:,} FLOPs" if entry is not None else ""
        return f"<Analysis of {self.name!r}: {len(self.functions)} functions, entry {self.entry}{flops}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, for JSON."""
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
    """Analyze the cost and memory of a module.

    Args:
        module: A valid module.
        entry: The name of the entry function. By default `main`, or the only function.

    Returns:
        The analysis.

    Raises:
        ValueError: If there is no such function.
    """
    found = functions(module)
    costs, memory = Costs(module), Memory(module)
    calls = call_graph(module)
    for name in calls.callees_first():  # avoids deep recursion on long call chains
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


def entry_of(module: Module, name: str | None = None) -> str:
    """Return the name of the entry function; raise ValueError if there is no such function, or none."""
    found = functions(module)
    entry = _entry(found, name)
    if entry is None:
        raise ValueError(f"no function is the entry; name one of {', '.join(f'@{each}' for each in found)}")
    return entry


def _entry(found: dict[str, Operation], name: str | None) -> str | None:
    if name is None:
        return "main" if "main" in found else next(iter(found)) if len(found) == 1 else None
    name = name.removeprefix("@")
    if name not in found:
        known = ", ".join(f"@{each}" for each in found) or "none"
        raise ValueError(f"no function named @{name}; known functions: {known}")
    return name


def _function(module: Module, name: str, op: Operation, costs: Costs, memory: Memory) -> FunctionAnalysis:
    type = function_type(op)
    blocks = [block for region in op.regions for block in region.blocks]
    return FunctionAnalysis(
        name=name,
        line=module.line(op),
        private=op.python_value("sym_visibility") == "private",
        signature=signature(op, module if name == MAIN else None) if blocks else None,
        ops=sum(1 for _ in op.walk()) - 1,
        parameter_bytes=sum(map(byte_size, type.inputs)) if type else 0,
        result_bytes=sum(map(byte_size, type.results)) if type else 0,
        peak_bytes=memory.peak(name),
        cost=costs.function(name),
    )
