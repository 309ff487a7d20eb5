"""`shlo run` of programs that are divided over the devices of their mesh."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click
from stablehlo_py.cli.inputs import Given, ProcessId
from stablehlo_py.cli.run_results import Results
from stablehlo_py.cli.sharding_options import Sharding, sharding_options

import stablehlo_py as shlo


class Dividing(NamedTuple):
    """How a program is divided.

    Attributes:
        sharding: The mesh and shardings that it gets.
        wanted: Whether it is divided; None if it is where several processes of the system run it.
        gathers: Whether the first process assembles the results.
    """

    sharding: Sharding = Sharding()
    wanted: bool | None = None
    gathers: bool = False

    def applies(self, module: shlo.Module, engine: Any) -> bool:
        """Test whether a program is divided.

        Raises:
            UsageError: If it is to be, and has no mesh.
        """
        from stablehlo_py.sharding.tiles import is_sharded

        wanted = getattr(engine, "spans_processes", False) if self.wanted is None else self.wanted
        if self.wanted and not is_sharded(module):
            raise click.UsageError("--divide needs a program with a mesh; --mesh and --shard give it one")
        return wanted and is_sharded(module)


def dividing_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add --mesh, --shard, --divide and --gather to a command, passed to it together as `dividing`."""

    @sharding_options
    @click.option(
        "--divide/--no-divide",
        "wanted",
        default=None,
        help="Divide a program with shardings: each device of its mesh computes shards. By default with the "
        "engines that run it in several processes.",
    )
    @click.option(
        "--gather",
        "gathers",
        is_flag=True,
        help="Assemble the results of a divided program on rank 0, as --check-against does. Without it each "
        "rank has its slices, and OUT.npz is OUT.data0_model1.npz for the device at that place in the mesh.",
    )
    @wraps(command)
    def with_dividing(sharding: Sharding, wanted: bool | None, gathers: bool, **given: Any) -> int:
        return command(dividing=Dividing(sharding, wanted, gathers), **given)

    return with_dividing


def inner(program: Any) -> Any:
    """Return what runs: of a divided program, that of one device."""
    return getattr(program, "program", program)


def is_divided(program: Any) -> bool:
    """Test whether a program is divided."""
    return inner(program) is not program


def check(given: Given) -> None:
    """Raise RunError for inputs that a divided program does not take."""
    if given.has_places:
        raise shlo.RunError("the inputs of a divided program are whole arrays, not those of a process")


def mapping(program: Any) -> AbstractContextManager[None]:
    """Return a context in which large files of inputs are mapped, of which each device takes a slice."""
    from stablehlo_py.interpreter.array_files import mapped_files

    return mapped_files() if is_divided(program) else nullcontext()


def results_of(program: Any, found: Mapping[ProcessId, list[Any]], gathers: bool) -> Results:
    """Return the results of a divided program: whole if all devices or rank 0 are here, else slices."""
    if not gathers and len(found) < len(inner(program).process_ids()):
        return {place: program.slices(place, values) for place, values in found.items()}
    whole = program.gather(found)
    return {} if whole is None else {(0, 0): list(zip(program.signature.outputs, whole, strict=True))}


def target_of(target: Path, device: str) -> Path:
    """Return the file of a device: `out.data0_model1.npz` for `out.npz`."""
    return target.with_name(f"{target.stem}.{device}{target.suffix}") if device else target
