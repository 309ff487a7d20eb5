"""StableHLO in Python: parse, verify, format and run programs.

Typical use::

    import stablehlo_py as shlo

    module = shlo.load("model.mlir")
    for diagnostic in shlo.verify(module):
        print(diagnostic)
    results = shlo.run(module, [x, weights])
"""

from __future__ import annotations

import stablehlo_py.lint
import stablehlo_py.verify  # noqa: F401  (first, so that the function, not the folder, keeps this name)
from stablehlo_py.api import analyze, compile, custom_call, format, infer, lint, load, parse, run, verify
from stablehlo_py.diagnostics import (
    Diagnostic,
    InternalError,
    ParseError,
    RunError,
    StablehloError,
    Unsupported,
)
from stablehlo_py.inferred import Inference, InferredType
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.observer import Moment, Observer

__version__ = "0.1.0"

__all__ = [
    "Block",
    "Diagnostic",
    "Inference",
    "InferredType",
    "InternalError",
    "Module",
    "Moment",
    "Observer",
    "Operation",
    "ParseError",
    "Region",
    "RunError",
    "StablehloError",
    "Unsupported",
    "Value",
    "analyze",
    "compile",
    "custom_call",
    "format",
    "infer",
    "lint",
    "load",
    "parse",
    "run",
    "verify",
]
