"""A worker of `shlo fuzz`: draws programs by number and runs them on an engine, in a process of its own.

    python -m stablehlo_py.debug.generate.worker ENGINE FOLDER SEED OPS DEPTH [ONLY]

For each number on standard input it writes the results to FOLDER/ENGINE.npz, and a line of JSON to standard
output: the error of the program, or "". An engine that ends the process ends only this one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.engines.program import compile_program


def run(engine: str, seed: int, number: int, request: Request, target: Path) -> str:
    """Run a program and save its results; return its error."""
    drawn = generate(seed, number, request)
    try:
        results = compile_program(drawn.module, "main", engine=engine)(*drawn.arguments)
    except StablehloError as error:
        return str(error) or type(error).__name__
    raw = [np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8) for value in results]
    np.savez(target, *raw)
    return ""


def main(engine: str, folder: str, seed: str, ops: str, depth: str, only: str = "") -> None:
    """Serve the numbers on standard input."""
    request = Request(int(ops), frozenset(only.split(",")) if only else None, int(depth))
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        answer = run(engine, int(seed), int(line), request, Path(folder) / f"{engine}.npz")
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
