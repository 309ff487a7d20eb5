"""A worker of `shlo fuzz`, a process that runs programs on an engine.

    python -m stablehlo_py.debug.fuzz.worker ENGINE

Requests come on standard input: the text of a program, and its inputs. Answers go to standard output:
the text of an error, or "", and the results of `@main`. A crash of the engine ends only the worker.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.engines.messages import read_message, write_message
from stablehlo_py.engines.program import compile_program
from stablehlo_py.syntax.parser import parse_module


def run(engine: str, text: str, inputs: list[Any]) -> tuple[str, list[Any]]:
    """Run a program; return its error, or "", and its results."""
    try:
        return "", list(compile_program(parse_module(text, "program"), "main", engine=engine)(*inputs))
    except StablehloError as error:
        return str(error) or type(error).__name__, []


def main(engine: str) -> None:
    """Serve requests until standard input ends."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what an engine prints is no answer
        while True:
            try:
                text, inputs = read_message(sys.stdin.buffer)
            except EOFError:
                return
            write_message(answers, *run(engine, text, inputs))


if __name__ == "__main__":
    main(*sys.argv[1:])
