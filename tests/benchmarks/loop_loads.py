"""The loads of loops that the verifier leaves to the interpreter, since their indices are computed from data.

    python tests/benchmarks/loop_loads.py PROGRAM...

Each region of each program is lowered, and verified after every stage. A row has the number of loads after
the last stage, the largest number of unknown ones after a stage, and the number of errors. The exit status is
1 if there are errors, or if more than 5 % of all loads are unknown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import stablehlo_py as shlo
from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.native.explain import stages_of
from stablehlo_py.engines.native.loop_ir.statements import loads_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.partition import Partition
from stablehlo_py.engines.native.passes.pipeline import rewritten
from stablehlo_py.engines.native.region import Region
from stablehlo_py.engines.native.regions import LEAST_STEPS
from stablehlo_py.engines.program import constant_folder
from stablehlo_py.interpreter.lower import ModuleLowering

MOST = 0.05  # the share of loads that may be unknown


def counts(region: Region) -> tuple[int, int, int]:
    """The loads of a region after the last stage, the most that are unknown after a stage, and errors."""
    loads = unknown = errors = 0
    for _, program in stages_of(lower(region)):
        loads = sum(len(loads_of(statement)) for statement in program.body)
        found = verify(program)
        unknown = max(unknown, len({str(each) for each in found if each.unknown}))
        errors += sum(not each.unknown for each in found)
    return loads, unknown, errors


def row(path: Path) -> tuple[int, int, int]:
    """The same of all regions of a program."""
    module = shlo.load(str(path))
    lowering = ModuleLowering(module, constant_folder(Options()))
    plans = [rewritten(lowering[name]) for name in module.functions]
    regions = [
        part for plan in plans for part in Partition(LEAST_STEPS).parts(plan) if isinstance(part, Region)
    ]
    rows = [counts(region) for region in regions]
    return sum(r[0] for r in rows), sum(r[1] for r in rows), sum(r[2] for r in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", nargs="+", type=Path)
    total = [0, 0, 0]
    for path in parser.parse_args().programs:
        found = row(path)
        total = [a + b for a, b in zip(total, found, strict=True)]
        print(
            f"{path.parent.name}/{path.name}: {found[0]} loads, {found[1]} unknown, {found[2]} errors",
            flush=True,
        )
    share = total[1] / max(1, total[0])
    print(f"all: {total[0]} loads, {total[1]} unknown ({share:.1%}), {total[2]} errors")
    return int(total[2] > 0 or share > MOST)


if __name__ == "__main__":
    sys.exit(main())
