"""Answers of a process of jaxlib's to texts, one JSON line each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any


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
