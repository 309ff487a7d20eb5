"""Programs of `shlo generate` are valid for the C++ verifier, which runs in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import Request, generate
from tests.helpers.soak import DRAWS

pytest.importorskip("jax")

COUNT = 100 * DRAWS
VERIFY = """
import json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
wrong = []
for text in json.load(sys.stdin):
    with mlir.make_ir_context():
        try:
            ir.Module.parse(text)
        except Exception as error:
            wrong.append(str(error)[:300])
print(json.dumps(wrong))
"""


@pytest.mark.parametrize("dynamic", [False, True])
def test_the_verifier_accepts_them(dynamic: bool) -> None:
    request = Request(dynamic=dynamic)
    texts = [shlo.format(generate(11, number, request).module) for number in range(COUNT)]
    done = subprocess.run(
        [sys.executable, "-c", VERIFY],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert json.loads(done.stdout) == []
