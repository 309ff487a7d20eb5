"""Records results of XLA's CPU backend: of single ops for tests/kernels, and of programs for tests/engines.

    python tests/make_recorded_kernels.py

Needs the extra `oracle`. Draws the programs as `tests/oracle` does, with other seeds: of each op a few
element types, so that each type occurs with many ops. Runs on which ours differs are left out, and printed.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import draw_program
from stablehlo_py.opset.definition import OpDef
from tests.helpers.agreement import REJECTED, is_different, is_fatal, listed
from tests.helpers.drawing.draw import Case, draw_case, elements_of
from tests.helpers.recorded_runs import Run, is_near, write
from tests.helpers.xla_batch import Rejected, Xla
from tests.oracle.test_differential import COMPARED, function_of, moods_of, other_results
from tests.oracle.test_drawn_programs import function_of as function_of_program

TESTS = Path(__file__).parent
OPS = TESTS / "kernels" / "recorded_ops.zip"
PROGRAMS = TESTS / "engines" / "recorded_programs.zip"
SEED = 27
MOST_CASES = 6  # of an op
COUNT, STEPS = 16, 40  # programs of several ops, and their ops


def cases_of(definition: OpDef) -> Iterator[Case]:
    """Programs of one op: half of the element types at most, and one of another type of result."""
    rng = np.random.default_rng([SEED, crc32(definition.name.encode())])
    elements = [e for e in elements_of(definition) if not listed(REJECTED, definition.name, (str(e),))]
    chosen = [elements[i] for i in rng.permutation(len(elements))[:MOST_CASES]]
    for number, element in enumerate(chosen):
        mood = moods_of(definition, element)[number % 2]
        case = draw_case(rng, definition, element, None, mood, f"f{2 * number}")
        if case is None:
            continue
        yield case
        others = other_results(definition, element) if case.free else []
        if others:
            other = others[int(rng.integers(len(others)))]
            case = draw_case(rng, definition, element, other, mood, f"f{2 * number + 1}")
            if case is not None:
                yield case


def runs_of(definition: OpDef, xla: Xla) -> Iterator[Run]:
    drawn = [case for case in cases_of(definition) if not is_fatal(case.op, case.elements)]
    cases = [case for case in drawn if not is_different(case.op, case.elements)]
    results = xla.run(list(map(function_of, cases)))
    for case, theirs in zip(cases, results, strict=True):
        if not isinstance(theirs, Rejected):
            text = shlo.format(case.module)
            yield Run(case.op, case.elements, text, list(case.arguments), theirs)


def main() -> None:
    os.environ["PYTHONPATH"] = sys.path[0]  # of XLA's process
    xla = Xla()
    runs = [run for definition in COMPARED for run in runs_of(definition, xla)]
    kept = [run for run in runs if is_near(run)]
    print("apart:", *[f"{run.op} {run.elements}" for run in runs if run not in kept])
    write(OPS, kept)
    print(f"{len(kept)} of {len(runs)} programs of {len({run.op for run in kept})} ops")
    print(Counter(element for run in kept for element in run.elements))
    programs = [draw_program(np.random.default_rng([SEED, i]), f"program{i}", STEPS) for i in range(COUNT)]
    found = xla.run(list(map(function_of_program, programs)))
    made = [
        Run(program.name, (), shlo.format(program.module), list(program.arguments), theirs)
        for program, theirs in zip(programs, found, strict=True)
        if not isinstance(theirs, Rejected)
    ]
    write(PROGRAMS, made)
    xla.close()


if __name__ == "__main__":
    main()
