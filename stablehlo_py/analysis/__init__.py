"""Static analysis: operation counts, memory traffic, peak memory, call graph, statistics."""

from stablehlo_py.analysis.callgraph import CallGraph, call_graph
from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.analysis.module_statistics import Statistics, statistics
from stablehlo_py.analysis.report import Analysis, FunctionAnalysis, analyze
from stablehlo_py.analysis.trips import trip_count

__all__ = [
    "Analysis",
    "CallGraph",
    "Cost",
    "Costs",
    "FunctionAnalysis",
    "Statistics",
    "analyze",
    "call_graph",
    "statistics",
    "trip_count",
]
