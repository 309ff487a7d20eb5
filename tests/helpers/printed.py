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
from jaxlib.mlir.dialects import stablehlo
context = mlir.make_ir_context()
stablehlo.deserialize_portable_artifact(context, bytes.fromhex("ARTIFACT"))
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
# An artifact with a quantized type makes C++ load that dialect, which a text does not.
_QUANTIZED = "func.func @f(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) { return }"


def cpp_texts(programs: list[str]) -> list[list[str] | None]:
    """What C++ makes of each program, in a process of its own; None if it is not valid."""
    lines = "".join(json.dumps(text) + "\n" for text in programs)
    artifact = shlo.serialize(shlo.parse(_QUANTIZED), "portable").hex()
    command = [sys.executable, "-c", _CHILD.replace("ARTIFACT", artifact)]
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
