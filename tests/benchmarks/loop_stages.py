"""What machine code by way of loop IR takes, beside that of the native engine as it is.

    python tests/benchmarks/loop_stages.py [SUBSTRING] [--dump STAGE] [--seconds S] [--folder FOLDER]

Runs the programs of `loop_programs/` on one thread, the two codes in turn. Prints the median times of a call
in microseconds and their ratio; the bytes of LLVM IR, and the seconds that it takes to write and to compile.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.native import jit, regions
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.module import plan_source
from stablehlo_py.engines.native.partition import Partition
from stablehlo_py.engines.native.passes import pipeline
from stablehlo_py.engines.native.region import Region
from stablehlo_py.engines.native.schedule.pipeline import scheduled
from stablehlo_py.engines.program import constant_folder
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.element_types import numpy_dtype

PASSES = pipeline._PASSES
NOT_LOWERED = ("order_products", "name_short_dots")
PROGRAMS = Path(__file__).parent / "loop_programs"


def elapsed(function: Callable[[], Any]) -> float:
    """The time of the processor, in which other processes have no part."""
    start = time.process_time()
    function()
    return time.process_time() - start


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


def plan_of(module: Module) -> Plan[Step]:
    return pipeline.rewritten(ModuleLowering(module, constant_folder(Options()))["main"])


def dump(plan: Plan[Step], stage: str) -> None:
    """Print the regions of a plan after a stage, or their LLVM IR."""
    for part in Partition(1).parts(plan) if stage != "llvm" else ():
        if isinstance(part, Region):
            program = lower(part).program
            print(text_of({"lower": program, **dict(scheduled(program))}[stage]))
        else:
            print(f"not in a region: {part.name}")
    if stage == "llvm":
        print(plan_source(plan, 1).text)


def source(plan: Plan[Step]) -> tuple[int, float, float]:
    """The bytes of the LLVM IR of a plan, and the seconds of writing and of compiling it."""
    begin = time.perf_counter()
    found = plan_source(plan, 1)
    own = time.perf_counter() - begin
    for text, compiled in ((found.text, jit.object_code), (found.cold, jit.translated)):
        if text:
            compiled(text)
    return len(found.text) + len(found.cold), own, time.perf_counter() - begin - own


def use(flag: str) -> None:
    """Take the way by loop IR, or the other one; loops have no form of the ops that some passes make."""
    os.environ["SHLO_LOOP_IR"] = flag
    pipeline._PASSES = tuple([each for each in PASSES if flag == "0" or each.name not in NOT_LOWERED])


def compare(path: Path, seconds: float, stage: str | None) -> None:
    module = shlo.parse(path.read_text(), name=str(path))
    plan = plan_of(module)
    rng = np.random.default_rng(1)
    inputs = [
        (0.1 * rng.standard_normal(plan.shape_of(s))).astype(numpy_dtype(plan.tensor(s).element_type))
        for s in range(plan.arity)
    ]
    calls, results, sources = [], [], []
    for flag in ("0", "1"):
        use(flag)
        plan = plan_of(module)
        program = shlo.compile(module, engine="native")
        calls.append(lambda program=program: program(*inputs))
        results.append(calls[-1]())
        sources.append(source(plan))
    if stage:
        dump(plan, stage)
    for wanted, found in zip(*results, strict=True):
        if not np.allclose(found, wanted, rtol=1e-3, atol=1e-3):
            print(f"{path.stem}: the results differ by {np.abs(found - wanted).max()}")
    before, after = in_turn(calls, seconds)
    sizes = " ".join([f"{size:8d}" for size, _, _ in sources])
    costs = " ".join([f"{own:5.2f}+{llvm:.2f}" for _, own, llvm in sources])
    print(f"{path.stem:24s} {before:10.0f} {after:10.0f} {after / before:7.2f}   {sizes} {costs}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("substring", nargs="?", default="")
    options.add_argument("--dump", help="print the program after a stage, or `llvm`")
    options.add_argument("--seconds", type=float, default=1.0, help="for each program")
    options.add_argument("--folder", type=Path, default=PROGRAMS)
    given = options.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    regions.LEAST_STEPS = 1  # programs of one op are regions too
    print("program                      old us     new us   ratio     old IR   new IR  seconds")
    for path in sorted(given.folder.glob("*.mlir")):
        if given.substring in path.stem:
            compare(path, given.seconds, given.dump)


if __name__ == "__main__":
    main()
