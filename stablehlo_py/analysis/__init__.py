"""Static analysis: operation counts, memory traffic, peak memory, call graph, statistics."""
