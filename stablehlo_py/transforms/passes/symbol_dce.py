"""The pass `symbol-dce`: dead code elimination of functions and other symbols."""

from __future__ import annotations

from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.symbols import erase_unused_symbols


def _run(module: Module, options: Options) -> None:
    erase_unused_symbols(module)


PASS = Pass("symbol-dce", "Erases private functions and other symbols that nothing refers to.", _run)
