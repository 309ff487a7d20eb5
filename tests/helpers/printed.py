"""The two texts of a program, pretty and generic: ours, and those of the C++ parser, verifier and printer."""

from __future__ import annotations

import json
import subprocess
import sys

import stablehlo_py as shlo

# Reads programs, one JSON string a line; answers each with its two texts, or null if it is not valid.
_CHILD = """
import json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
context = mlir.make_ir_context()
for line in sys.stdin:
    answer = None
    with context:
        try:
            module = ir.Module.parse(json.loads(line))
            answer = [str(module), module.operation.get_asm(print_generic_op_form=True)]
        except Exception:
            pass
    print(json.dumps(answer), flush=True)
"""


def cpp_texts(programs: list[str]) -> list[list[str] | None]:
    """What C++ makes of each program, in a process of its own; None if it is not valid."""
    lines = "".join(json.dumps(text) + "\n" for text in programs)
    command = [sys.executable, "-c", _CHILD]
    child = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300, check=True)
    return [json.loads(line) for line in child.stdout.splitlines()]


def texts(program: str) -> list[str] | None:
    """Our two texts of a program, None if it is not valid."""
    try:
        module = shlo.parse(program)
    except shlo.ParseError:
        return None
    if any(diagnostic.severity == "error" for diagnostic in shlo.verify(module)):
        return None
    return [shlo.format(module), shlo.format(module, generic=True)]
