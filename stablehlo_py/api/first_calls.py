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
from stablehlo_py.syntax.lalr.lexer import program_lexer
from stablehlo_py.syntax.lalr.parse_loop import driver
from stablehlo_py.syntax.lalr.tables import stored_tables

if stored_tables() is not None:  # computing them takes seconds, which only a program that parses pays
    program_lexer()
    driver()
    load_stored()
