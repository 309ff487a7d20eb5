"""Programs that show the language: verdict and both texts are those of the C++ verifier and printer."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import stablehlo_py as shlo

pytest.importorskip("jaxlib")

FOLDER = Path(__file__).parent / "language"

# Reads programs, one JSON string a line; answers each with its two texts, or null if it is not valid.
CHILD = """
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


@cache
def programs() -> dict[str, str]:
    """The programs by name: the files of the folder, cut at `// -----`."""
    return {
        f"{path.stem}-{number}": text
        for path in sorted(FOLDER.glob("*.mlir"))
        for number, text in enumerate(path.read_text().split("// -----\n"))
    }


@cache
def answers() -> dict[str, list[str] | None]:
    """What C++ makes of each program."""
    lines = "".join(json.dumps(text) + "\n" for text in programs().values())
    command = [sys.executable, "-c", CHILD]
    child = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=120, check=True)
    return dict(zip(programs(), map(json.loads, child.stdout.splitlines()), strict=True))


def texts(program: str) -> list[str] | None:
    """Our two texts of a program, None if it is not valid."""
    try:
        module = shlo.parse(program)
    except shlo.ParseError:
        return None
    if any(diagnostic.severity == "error" for diagnostic in shlo.verify(module)):
        return None
    return [shlo.format(module), shlo.format(module, generic=True)]


@pytest.mark.parametrize("name", programs())
def test_program(name: str) -> None:
    found, theirs = texts(programs()[name]), answers()[name]
    assert (found is None) == (theirs is None)
    if found is not None and theirs is not None:
        assert [text.rstrip() for text in found] == [text.rstrip() for text in theirs]
        assert all(again is not None and again[0] == found[0] for again in map(texts, found))
