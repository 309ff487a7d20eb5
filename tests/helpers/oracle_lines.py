"""Answers of a process of jaxlib's to texts, one JSON line each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import stablehlo_py as shlo

_CONTEXT = """
import json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
context = mlir.make_ir_context()
stablehlo.deserialize_portable_artifact(context, bytes.fromhex("ARTIFACT"))
"""
_QUANTIZED = "func.func @f(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) { return }"


def mlir_context() -> str:
    """Return lines of a child process that make an MLIR context of all dialects, named `context`.

    An artifact with a quantized type makes C++ load that dialect, which a text does not.
    """
    return _CONTEXT.replace("ARTIFACT", shlo.serialize(shlo.parse(_QUANTIZED), "portable").hex())


def answers(child: str, texts: Sequence[str]) -> list[Any]:
    """Return what a child process says of each text; None where this ends the process.

    Args:
        child: A program in Python that reads lines of JSON and prints one for each.
        texts: The texts.
    """
    found: list[Any] = []
    while len(found) < len(texts):
        lines = "".join(json.dumps(text) + "\n" for text in texts[len(found) :])
        command = [sys.executable, "-c", child]
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
        found += [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode:
            found.append(None)
    return found[: len(texts)]
