"""Conversion of HLO to StableHLO.

An opcode whose row states an op becomes this op; `attributes` says what its attributes become. Opcodes that
have no equal op, or other operands or results, have a function in `forms`. Tuples vanish: a value of a tuple
is a tuple of values (`values`). Fusions and asynchronous computations are converted in their places.
"""

from __future__ import annotations

from stablehlo_py.hlo.to_stablehlo.converter import to_stablehlo

__all__ = ["to_stablehlo"]
