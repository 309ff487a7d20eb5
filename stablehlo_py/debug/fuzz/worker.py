"""A worker of `shlo fuzz`: runs programs on an engine, in a process of its own.

    python -m stablehlo_py.debug.fuzz.worker ENGINE

Requests come on standard input, pickled: the text of a program and its inputs. Answers go to standard output:
the results of `@main`, or the text of an error. An engine that ends the process ends only this one.
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import Any

from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.engines.program import compile_program
from stablehlo_py.syntax.parser import parse_module


def run(engine: str, text: str, inputs: list[Any]) -> list[Any] | str:
    """Run a program; return its results, or its error."""
    try:
        return compile_program(parse_module(text, "program"), "main", engine=engine)(*inputs)
    except StablehloError as error:
        return str(error) or type(error).__name__


def main(engine: str) -> None:
    """Serve requests until standard input ends."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what an engine prints is no answer
        while True:
            try:
                text, inputs = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            pickle.dump(run(engine, text, inputs), answers)
            answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
