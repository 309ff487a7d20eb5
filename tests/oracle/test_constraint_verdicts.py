"""The C++ verifier rejects programs that violate one constraint each, unless it is a warning."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence

import pytest
from conftest import ROOT

pytest.importorskip("jaxlib")

# Reads programs, one JSON string a line; answers each with the message of its error, "" if it is valid.
CHILD = """
import json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
context = mlir.make_ir_context()
for line in sys.stdin:
    message = ""
    with context:
        try:
            ir.Module.parse(json.loads(line))
        except Exception as error:
            message = str(error)
    print(json.dumps(message), flush=True)
"""


def verdict(message: str) -> str:
    """The verdict behind a message; "" where jaxlib does not have a dialect that the program uses."""
    if "unregistered" in message:
        return ""
    return "rejected" if message else "accepted"


def verdicts(programs: Sequence[str]) -> list[str]:
    """The C++ verifier's verdict on each program: "accepted" or "rejected"; "" if it has none."""
    lines = "".join(json.dumps(program) + "\n" for program in programs)
    command = [sys.executable, "-c", CHILD]
    child = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300, check=True)
    return [verdict(json.loads(line)) for line in child.stdout.splitlines()]


def programs() -> Iterator[tuple[str, str, str]]:
    """The name, our verdict and the text of each program."""
    for path in sorted((ROOT / "testdata" / "constraints").glob("*.mlir")):
        for text in path.read_text().split("// -----\n"):
            header = re.match(r"\s*// (valid|breaks|warns|rejects|stops)(?:: ([\w.]+))?", text)
            assert header, path
            name = f"{path.stem}-{header[2] or 'valid'}" + "-spec" * (header[1] == "warns")
            yield name, "rejected" if header[1] in ("breaks", "rejects") else "accepted", text


def test_verdicts() -> None:
    table = csv.DictReader((ROOT / "tests" / "differences.csv").read_text().splitlines())
    known = {(row["program"], row["ours"], row["upstream"]) for row in table if row["where"] == "constraints"}
    crashing = {name for name, _, upstream in known if upstream == "crashed"}
    given = [program for program in programs() if program[0] not in crashing]
    theirs = verdicts([text for _, _, text in given])
    found = {(name, ours, upstream) for (name, ours, _), upstream in zip(given, theirs, strict=True)}
    differing = {row for row in found if row[2] not in ("", row[1])}
    assert differing == {row for row in known if row[0] not in crashing}
