"""The pass `canonicalize`: dead code elimination, and rules that every program profits from."""

from __future__ import annotations

from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.pass_definition import Options, Pass


def _run(module: Module, options: Options) -> None:
    apply_rules(module, module.op, (), options)


PASS = Pass(
    "canonicalize",
    "Erases ops without side effects whose results are unused, and merges equal constants.",
    _run,
)
