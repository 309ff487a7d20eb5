"""Dumps of a program, made by XLA in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from stablehlo_py.diagnostics.diagnostic import RunError

FLAGS = "--xla_dump_hlo_pass_re=.* --xla_dump_large_constants=true"
_NAME = "results.npz"  # what the run writes
_SHOWN = 3  # lines of what a failed run prints


def make_dumps(program: Path, folder: Path, inputs: Sequence[str], limit: float | None = None) -> Path:
    """Run a program on the engine pjrt, and let XLA dump the module after each pass.

    The compiler runs in a separate process. Dumps written before a failure are kept.

    Args:
        program: The file of the program.
        folder: Where the dumps go.
        inputs: The options of `shlo run` that give the inputs.
        limit: The time limit in seconds; None for none.

    Returns:
        The file of the results. It is missing if the run failed after dumps were written.

    Raises:
        RunError: If nothing was dumped, with the end of what the process printed.
    """
    results = folder / _NAME
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_dump_to={folder} {FLAGS}".strip()
    command = [sys.executable, "-m", "stablehlo_py", "run", str(program), "--engine", "pjrt", *inputs]
    try:
        done = subprocess.run(
            [*command, "-o", str(results)],
            env=os.environ | {"XLA_FLAGS": flags, "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunError(f"XLA has not ended in {limit} s") from None
    if not any(folder.glob("*.before_optimizations.txt")):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-_SHOWN:]
        raise RunError(f"XLA wrote no dumps (exit status {done.returncode}): {' / '.join(said)}")
    return results
