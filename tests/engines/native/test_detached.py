"""The path by way of loop IR stands alone: it imports nothing of the one that writes LLVM IR directly."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

NATIVE = "stablehlo_py.engines.native"
FOLDER = Path(__file__).parents[3] / NATIVE.replace(".", "/")
DIRECT = [
    "aliasing",
    "blocks",
    "cholesky",
    "convolutions",
    "depthwise",
    "dots",
    "elementwise",
    "emitters",
    "few_features",
    "fourier",
    "fusion",
    "index_space",
    "items",
    "joins",
    "kinds",
    "loops",
    "memory",
    "merging",
    "nest_functions",
    "nests",
    "parts",
    "products",
    "quantized",
    "random_bits",
    "row_convolutions",
    "scans",
    "scatters",
    "scope",
    "solvers",
    "sort_keys",
    "sorts",
    "tiers",
    "tiling",
    "top_k",
    "windows",
]


def imported(path: Path) -> Iterator[str]:
    """The modules that a module imports, by their full names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("room", ["arithmetic", "loop_ir", "lower", "schedule", "llvm"])
def test_loops_import_nothing_of_the_direct_path(room: str) -> None:
    direct = {f"{NATIVE}.{name}" for name in DIRECT}
    assert all((FOLDER / name).exists() or (FOLDER / f"{name}.py").exists() for name in DIRECT)
    found = {
        (path.name, module)
        for path in (FOLDER / room).glob("*.py")
        for module in imported(path)
        if any(module == name or module.startswith(f"{name}.") for name in direct)
    }
    assert not found
