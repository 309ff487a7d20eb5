"""Explanations: the loops of a region after each stage, as text, and what the verifier finds in them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from stablehlo_py.diagnostics.diagnostic import InternalError
from stablehlo_py.engines.engine import Semantics
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.lower.origins import notes
from stablehlo_py.engines.native.lower.region import Lowered, lower
from stablehlo_py.engines.native.region import Region
from stablehlo_py.engines.native.schedule.pipeline import STAGES, scheduled

LOWER = "lower"


def stage_names() -> tuple[str, ...]:
    """The names of the stages: lowering, and the stages of the schedule."""
    return (LOWER, *(stage.name for stage in STAGES))


def loops_of(plan: str, region: Region, wanted: Collection[str], semantics: Semantics) -> Iterator[str]:
    """Print the loops of a region after some stages.

    Args:
        plan: The name of the region's plan.
        region: The region.
        wanted: The names of the stages.
        semantics: Which results to return where the specification and XLA differ.

    Yields:
        A text for each stage; comments name the ops that loops compute.
    """
    lowered = lower(region, semantics == "xla")
    outputs, inputs = (", ".join([f"%{slot}" for slot in slots]) for slots in (region.outputs, region.inputs))
    step = f"{outputs} = native {inputs}".rstrip()
    before = None
    for name, program in stages_of(lowered):
        if name in wanted:
            head = f"// {plan}: {step}, after {name}"
            text = text_of(program, notes(program, lowered.origins))
            yield f"{head}: no change" if program == before else f"{head}\n{text}"
        before = program


def stages_of(lowered: Lowered) -> Iterator[tuple[str, Program]]:
    """The loops of a region after each stage, with the name of the stage."""
    yield LOWER, lowered.program
    yield from scheduled(lowered.program)


def verify_stages(region: Region, semantics: Semantics) -> None:
    """Verify the loops of a region after each stage.

    Args:
        region: The region.
        semantics: Which results to return where the specification and XLA differ.

    Raises:
        InternalError: A stage has made wrong loops; the message has the error, the loops and their ops.
    """
    lowered = lower(region, semantics == "xla")
    for name, program in stages_of(lowered):
        wrong = next((finding for finding in verify(program) if not finding.unknown), None)
        if wrong is not None:
            loops = Program((), wrong.nest or program.body)
            text = text_of(loops, notes(program, lowered.origins))
            where = f"{region.plan.module.name}: loops are wrong after stage {name}"
            raise InternalError(f"{where}: {wrong}\nThe loops:\n{text}")
