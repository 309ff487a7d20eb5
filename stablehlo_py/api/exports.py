"""The public names of the package, which `__init__` imports on first use."""

from __future__ import annotations

from stablehlo_py.api import (
    analyze,
    compile,
    format,
    hash,
    infer,
    lint,
    load,
    load_hlo,
    opt,
    parse,
    run,
    serialize,
    verify,
)
from stablehlo_py.api.building import build
from stablehlo_py.api.devices import analyze_devices
from stablehlo_py.api.reporting import report
from stablehlo_py.api.views import graph
from stablehlo_py.debug.api import blame, compare, extract, fuzz, ranges, reduce
from stablehlo_py.diagnostics.diagnostic import (
    Diagnostic,
    InternalError,
    ParseError,
    RunError,
    SerializationError,
    StablehloError,
    TransformError,
    Unsupported,
)
from stablehlo_py.interpreter.observer import Moment, Observer
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.kernels.targets.registry import custom_call
from stablehlo_py.mixed_precision.api import precision
from stablehlo_py.rounding.api import shadow
from stablehlo_py.transforms.api import specialize
from stablehlo_py.verifier.inferred import Inference, InferredType

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
    "SerializationError",
    "StablehloError",
    "TransformError",
    "Unsupported",
    "Value",
    "analyze",
    "analyze_devices",
    "blame",
    "build",
    "compare",
    "compile",
    "custom_call",
    "extract",
    "format",
    "fuzz",
    "graph",
    "hash",
    "infer",
    "lint",
    "load",
    "load_hlo",
    "opt",
    "parse",
    "precision",
    "ranges",
    "reduce",
    "report",
    "run",
    "serialize",
    "shadow",
    "specialize",
    "verify",
]
