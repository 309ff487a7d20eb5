"""Commands that clients start: run a function on random inputs, explain a rule."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from stablehlo_py.analysis.op_reference import excerpt, explain, select
from stablehlo_py.linter.catalogue import explanation, is_rule, named
from stablehlo_py.linter.options import PREFIX
from stablehlo_py.lsp.document import Document

_SECONDS = 60
_WIDTH = 100  # of explanations


def run(document: Document, function: str) -> str:
    """Run a function of a document on random inputs in a process of its own, and return what it prints."""
    command = [sys.executable, "-m", "stablehlo_py", "run", "-", "--entry", function, "--random", "0"]
    try:
        done = subprocess.run(command, input=document.text.encode(), capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return f"@{function} did not finish within {_SECONDS} seconds"
    return (done.stdout + done.stderr).decode("utf-8", "replace").strip()


def explain_code(code: Any) -> str:
    """Return the documentation of a diagnostic's code: a lint rule, or a constraint of an op."""
    text = str(code)
    if text.startswith(PREFIX) and is_rule(text.removeprefix(PREFIX)):
        return explanation(named(text)[0])
    op, _, label = text.rpartition(".")
    data = explain(op)
    rows = select(data, label) if data is not None else []
    return excerpt(data, rows, _WIDTH) if data is not None and rows else f"there is no description of {text}"
