"""What almost every program needs, imported with the package so that the first calls are fast."""

from __future__ import annotations

import stablehlo_py.engines.auto
import stablehlo_py.engines.native.fingerprint
import stablehlo_py.engines.program
import stablehlo_py.kernels.dot
import stablehlo_py.kernels.elementwise
import stablehlo_py.kernels.reduction
import stablehlo_py.kernels.shape
import stablehlo_py.verifier.deferred  # noqa: F401
from stablehlo_py.notation.terms import load_stored
from stablehlo_py.opset.typical import typical_program
from stablehlo_py.syntax.lalr.tables import stored_tables
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.verifier.verifier import verify_module

# Computing the tables takes seconds, which only a program that parses pays. Where they are stored, a program
# is verified that has the ops of most programs: forms and rules are compiled when they are first used.
if stored_tables() is not None and load_stored():
    verify_module(parse_module(typical_program()))
