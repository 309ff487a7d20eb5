"""The stages, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

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


STAGES = (
    Stage("inline", inline),
    Stage("coalesce", coalesce),
    Stage("fuse", fuse),
    Stage("place", place),
    Stage("tile", tile),
    Stage("columns", columns),
    Stage("split", split),
    Stage("join", join),
    Stage("name", name_variables),
)


def scheduled(program: Program) -> Iterator[tuple[str, Program]]:
    """Yield a program after each stage, with the name of the stage."""
    for stage in STAGES:
        program = stage.run(program)
        yield stage.name, program
