"""The pass `strip-debuginfo`: locations are removed."""

from __future__ import annotations

from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.tidy import strip_locations


def _run(module: Module, options: Options) -> None:
    strip_locations(module)


PASS = Pass("strip-debuginfo", "Removes the locations of all ops and arguments.", _run)
