"""StableHLO in Python: parse, verify, format and run programs.

Typical use::

    import stablehlo_py as shlo

    module = shlo.load("model.mlir")
    for diagnostic in shlo.verify(module):
        print(diagnostic)
    results = shlo.run(module, [x, weights])
"""

from __future__ import annotations

from pathlib import Path as _Path
from typing import Any as _Any

# In a checkout, cli/ and grammar/ stand beside this package; a wheel has them inside it.
if not (_Path(__file__).parent / "cli").is_dir():
    __path__.append(str(_Path(__file__).parent.parent))

import stablehlo_py.reports  # noqa: F401, installs the HTML of notebooks
from stablehlo_py.api import (
    analyze,
    compile,
    format,
    infer,
    lint,
    load,
    opt,
    parse,
    run,
    serialize,
    verify,
)
from stablehlo_py.debug.api import compare
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
from stablehlo_py.verifier.inferred import Inference, InferredType

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
    "SerializationError",
    "StablehloError",
    "TransformError",
    "Unsupported",
    "Value",
    "analyze",
    "compare",
    "compile",
    "custom_call",
    "format",
    "infer",
    "lint",
    "load",
    "opt",
    "parse",
    "run",
    "serialize",
    "verify",
]


def load_ipython_extension(shell: _Any) -> None:
    """Register the cell magic `%%stablehlo`: the hook that `%load_ext stablehlo_py` calls.

    Args:
        shell: The shell of IPython.
    """
    from stablehlo_py.reports.ipython import CellMagic

    CellMagic(parse, verify, run).register(shell)


def __dir__() -> list[str]:
    """The public names, without the modules that importing them binds."""
    return [*__all__, "__version__"]
