"""Conversion of StableHLO to HLO: `from_stablehlo(module)` gives a module that XLA parses and runs."""

from stablehlo_py.hlo.from_stablehlo.converter import from_stablehlo

__all__ = ["from_stablehlo"]
