"""Shadow runs: their time and memory beside runs of the NumPy engine without fusion.

usage: shadow.py PROGRAM... [--type bf16] [--wide f64] [--repeat 3]

PROGRAM is NAME.mlir with NAME.npz (in0, in1, ...). --type narrows the floats of the programs first. Both runs
take turns, on one thread (OPENBLAS_NUM_THREADS=1). Times are the least of some runs, in seconds of the
processor; memory is the peak of what a run allocates. Exit status 0 if the ratios are within the limits.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.engines.program import compile_program
from stablehlo_py.interpreter.observer import Observer

TIME, MEMORY, NARROW_MEMORY = 8.0, 4.0, 7.0
Call = Callable[[], Any]


def calls(path: Path, type: str | None, wide: str) -> tuple[Call, Call]:
    """Return the run of the NumPy engine, op by op, and the shadow run."""
    from stablehlo_py.rounding.engine import ShadowEngine

    with np.load(path.with_suffix(".npz")) as arrays:
        inputs = [arrays[f"in{i}"] for i in range(sum(name.startswith("in") for name in arrays))]
    module = shlo.load(path)
    if type is not None:
        module = shlo.opt(module, f"narrow=type={type} keep=signature")
    plain = compile_program(module, engine="numpy", observer=Observer())
    shadow = compile_program(module, engine=ShadowEngine(wide))
    return lambda: plain.call(inputs), lambda: shadow.call(inputs)


def seconds(call: Call) -> float:
    """Measure the processor's time of a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def peak(call: Call) -> int:
    """Measure the most bytes that a call has allocated at a time."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def main() -> int:
    """Print a row for each program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--type")
    parser.add_argument("--wide", default="f64")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    most = MEMORY if options.type is None else NARROW_MEMORY
    ok = True
    names = ("plain s", "shadow s", "ratio", "plain MB", "shadow MB", "ratio")
    print(f"{'program':24}", *[f"{name:>9}" for name in names])
    for path in options.programs:
        both = calls(path, options.type, options.wide)
        for call in both:
            call()
        a, b = (
            min(each) for each in zip(*[[*map(seconds, both)] for _ in range(options.repeat)], strict=True)
        )
        m, n = (peak(call) / 1e6 for call in both)
        ok &= b <= TIME * a and n <= most * m
        print(f"{path.stem:24} {a:9.4f} {b:9.4f} {b / a:9.2f} {m:9.2f} {n:9.2f} {n / m:9.2f}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
