"""The passes that MLIR has as well, compared with jaxlib's: no more ops are left, and programs stay valid."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import stablehlo_py as shlo

pytest.importorskip("jaxlib")

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = [ROOT / "testdata" / "mlp.mlir", *sorted((ROOT / "testdata" / "programs").glob("*.mlir"))]
PIPELINES = ("symbol-dce", "cse", "canonicalize", "inline,canonicalize,cse")

# Reads [text, pipeline] pairs and prints the transformed text. A process of its own, as it may abort.
TRANSFORM = """
import json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.passmanager import PassManager
context = mlir.make_ir_context()
for line in sys.stdin:
    text, pipeline = json.loads(line)
    with context:
        try:
            module = ir.Module.parse(text)
            PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
            print(json.dumps(str(module)), flush=True)
        except ir.MLIRError as error:
            print("null", flush=True)
"""


def test_no_more_ops_are_left_than_mlir_leaves() -> None:
    texts = [path.read_text() for path in PROGRAMS]
    jobs = [(text, pipeline) for text in texts for pipeline in PIPELINES]
    done = subprocess.run(
        [sys.executable, "-c", TRANSFORM],
        input="\n".join(map(json.dumps, jobs)),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    compared = 0
    for (text, pipeline), answer in zip(jobs, map(json.loads, done.stdout.splitlines()), strict=True):
        if answer is None:
            continue
        theirs = counts(shlo.parse(answer))
        ours = counts(shlo.opt(shlo.parse(text), pipeline))
        assert not ours - theirs, (pipeline, ours - theirs)
        compared += 1
    assert compared > len(jobs) / 2


def counts(module: shlo.Module) -> Counter[str]:
    """How many ops of each name a module has."""
    return Counter(op.name for op in module.walk())
