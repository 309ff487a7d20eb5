"""What machine code by way of loop IR takes, beside that of the native engine as it is.

    python tests/benchmarks/loop_stages.py [SUBSTRING] [--dump STAGE] [--seconds S]

Runs the programs of `loop_programs/`, whole regions on one thread, the two codes in turn. Prints the median
times in microseconds and their ratio; the bytes of LLVM IR, and the seconds of lowering, the stages and LLVM.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "engines" / "native" / "loops"))
from loop_regions import largest_region, plan_of

import stablehlo_py as shlo
from stablehlo_py.engines.native import jit
from stablehlo_py.engines.native.llvm.module import MAIN, module_text
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.module import plan_source
from stablehlo_py.engines.native.passes.pipeline import rewritten
from stablehlo_py.engines.native.region import Region
from stablehlo_py.engines.native.schedule.pipeline import scheduled
from stablehlo_py.ir.element_types import numpy_dtype

PROGRAMS = Path(__file__).parent / "loop_programs"


def elapsed(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def in_turn(functions: list[Callable[[], Any]], seconds: float) -> list[float]:
    """The median time of each function, in microseconds."""
    for function in functions:
        function()
    found: list[list[float]] = [[] for _ in functions]
    start = time.perf_counter()
    while time.perf_counter() - start < seconds or len(found[0]) < 5:
        for function, times in zip(functions, found, strict=True):
            times.append(elapsed(function))
    return [median(times) * 1e6 for times in found]


def stages(region: Region) -> tuple[list[tuple[str, Program]], tuple[Any, ...]]:
    """The region after each stage, and its constants."""
    lowered = lower(region)
    return [("lower", lowered.program), *scheduled(lowered.program)], lowered.constants


def runnable(
    program: Program, inputs: list[Any], text: str
) -> tuple[Callable[[], Any], list[Any], dict[str, Any]]:
    """The machine code of a program on some arrays, its outputs, and what it takes to make."""
    begin = time.perf_counter()
    library = jit.link([jit.object_code(text)])
    cost = time.perf_counter() - begin
    given, memory = iter(inputs), []
    for buffer in program.buffers:
        if buffer.space in ("input", "constant"):
            memory.append((buffer, np.ascontiguousarray(next(given), numpy_dtype(buffer.element))))
        elif buffer.space != "frame":
            memory.append((buffer, np.zeros(buffer.shape, numpy_dtype(buffer.element))))
    addresses = np.array([array.ctypes.data for _, array in memory], np.int64)
    code = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.address(MAIN))
    place = addresses.ctypes.data
    outputs = [array for buffer, array in memory if buffer.space == "output"]
    keep = {"memory": memory, "addresses": addresses, "library": library, "seconds": cost}
    return (lambda: code(place)), outputs, keep


def compare(path: Path, seconds: float, dump: str | None) -> None:
    module = shlo.parse(path.read_text(), name=str(path))
    plan = plan_of(module)
    region = largest_region(plan)
    if region is None or len(region.steps) != len(plan.steps):
        missing = {step.name for step in plan.steps} - {step.name for step in region.steps if region}
        print(f"{path.stem:24s} not all steps are lowered: {sorted(missing)}")
        return
    rng = np.random.default_rng(1)
    inputs = [
        (0.1 * rng.standard_normal(plan.shape_of(s))).astype(numpy_dtype(plan.tensor(s).element_type))
        for s in range(plan.arity)
    ]
    begin = time.perf_counter()
    made, constants = stages(region)
    program = made[-1][1]
    text = module_text(program)
    own = time.perf_counter() - begin
    if dump:
        print(text if dump == "llvm" else text_of(dict(made)[dump]))
    arrays = [*(inputs[slot] for slot in region.inputs), *constants]
    new, outputs, cost = runnable(program, arrays, text)
    begin = time.perf_counter()
    source = plan_source(rewritten(plan_of(module)), 1)
    old_own = time.perf_counter() - begin
    old_llvm = elapsed(lambda: (jit.object_code(source.text), jit.translated(source.cold)))
    call = shlo.compile(module, engine="native")
    old = lambda: call(*inputs)  # noqa: E731
    wanted = dict(zip(plan.outputs, old(), strict=True))
    new()
    for slot, found in zip(region.outputs, outputs, strict=True):
        if not np.allclose(found, wanted[slot], rtol=1e-3, atol=1e-3):
            print(f"{path.stem}: the results differ by {np.abs(found - wanted[slot]).max()}")
    before, after = in_turn([old, new], seconds)
    sizes = f"{len(source.text) + len(source.cold):8d} {len(text):8d}"
    times = f"{old_own:6.2f}+{old_llvm:5.2f} {own:6.2f}+{cost['seconds']:5.2f}"
    print(f"{path.stem:24s} {before:10.0f} {after:10.0f} {after / before:7.2f}   {sizes} {times}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("substring", nargs="?", default="")
    options.add_argument("--dump", help="print the program after a stage, or `llvm`")
    options.add_argument("--seconds", type=float, default=1.0, help="for each program")
    options.add_argument("--folder", type=Path, default=PROGRAMS)
    given = options.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print("program                      old us     new us   ratio     old IR   new IR  seconds")
    for path in sorted(given.folder.glob("*.mlir")):
        if given.substring in path.stem:
            compare(path, given.seconds, given.dump)


if __name__ == "__main__":
    main()
