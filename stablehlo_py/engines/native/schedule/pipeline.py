"""The stages in order: of the whole program, then of each kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from stablehlo_py.engines.native.loop_ir.sharing import SharedProgram
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.schedule.coalesce import coalesce
from stablehlo_py.engines.native.schedule.columns import columns
from stablehlo_py.engines.native.schedule.fuse import fuse
from stablehlo_py.engines.native.schedule.inline import inline
from stablehlo_py.engines.native.schedule.join import join
from stablehlo_py.engines.native.schedule.names import name_variables
from stablehlo_py.engines.native.schedule.place import place
from stablehlo_py.engines.native.schedule.split import split
from stablehlo_py.engines.native.schedule.tile import tile


class Stage(NamedTuple):
    """A function from programs to programs, by its name."""

    name: str
    run: Callable[[Program], Program]


WHOLE = (
    Stage("inline", inline),
    Stage("coalesce", coalesce),
    Stage("fuse", fuse),
    Stage("place", place),
)
OF_NESTS = (
    Stage("tile", tile),
    Stage("columns", columns),
    Stage("split", split),
    Stage("join", join),
    Stage("name", name_variables),
)
STAGES = (*WHOLE, *OF_NESTS)


def schedule(program: Program) -> SharedProgram:
    """Run all stages."""
    for stage in WHOLE:
        program = stage.run(program)
    shared = SharedProgram(program)
    for stage in OF_NESTS:
        shared.run(stage.run)
    return shared


def scheduled(program: Program) -> Iterator[tuple[str, Program]]:
    """Yield a program after each stage, with the name of the stage."""
    for stage in WHOLE:
        program = stage.run(program)
        yield stage.name, program
    shared = SharedProgram(program)
    for stage in OF_NESTS:
        shared.run(stage.run)
        yield stage.name, shared.program
