"""The options that choose an engine, and say how it runs: platform, and processes that run together."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from click.core import ParameterSource
from stablehlo_py.cli import common
from stablehlo_py.cli.inputs import Given

RANK = "{rank}"
_FILES = ("given", "infeed", "outfeed", "target")
_SETTINGS = ("platform", "coordinator", "processes", "process", "verify_loops")


def _share_messages(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """Let an engine of several ranks print messages, before other options are checked."""
    is_default = context.get_parameter_source(parameter.name or "") is ParameterSource.DEFAULT
    common.say_by(None if is_default else getattr(_engine(name, {}), "say", None))
    return name


_OPTIONS = [
    click.option(
        "--engine",
        metavar="NAME",
        default="auto",
        is_eager=True,
        callback=_share_messages,
        help="What runs the program: numpy, native, pjrt (XLA), mpi (started by mpiexec), or auto for "
        "the fastest of the first two that is installed, the default.",
    ),
    click.option(
        "--platform", metavar="NAME", help="The platform of engine pjrt: cpu, gpu or tpu (default: JAX's)."
    ),
    click.option(
        "--coordinator",
        metavar="HOST:PORT",
        help="Run in several processes with engine pjrt, each started with this address of process 0; auto "
        "for what the environment states.",
    ),
    click.option("--processes", type=click.IntRange(1), metavar="N", help="The number of these processes."),
    click.option(
        "--process", type=click.IntRange(0), metavar="I", help="The number of this process, from 0."
    ),
    click.option(
        "--verify-loops",
        is_flag=True,
        default=None,
        help="Verify the loops that engine native compiles, after each stage.",
    ),
]


def engine_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options to a command, passed to it as `engine`, an engine.

    In the names of its files, `{rank}` is replaced by the number of this process.
    """

    @wraps(command)
    def with_engine(engine: str, **given: Any) -> int:
        found = _engine(engine, {name: given.pop(name) for name in _SETTINGS})
        rank = str(getattr(found, "rank", 0))
        given |= {name: _with_rank(given[name], rank) for name in _FILES if name in given}
        return command(engine=found, **given)

    decorated: Callable[..., int] = with_engine
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def check_engine(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """The name of an engine. Raises click's error if there is none of that name, or it is not installed."""
    _engine(name, {})
    return name


def check_engines(
    context: click.Context, parameter: click.Parameter, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Check the names of engines."""
    return tuple([check_engine(context, parameter, name) for name in names])


NUMPY_ENGINE = click.option(
    "--engine", default="numpy", metavar="NAME", callback=check_engine, help="The engine (default: numpy)."
)


def _engine(name: str, settings: dict[str, Any]) -> Any:
    """Return an engine; raise click's errors for one that there is not, or wrong settings."""
    from stablehlo_py.engines.registry import find_engine  # imports what runs programs

    given = {setting: value for setting, value in settings.items() if value is not None}
    _check_cluster(given)
    try:
        return find_engine(name, **given)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--engine'") from None


def _check_cluster(given: dict[str, Any]) -> None:
    counted = {"processes", "process"} & set(given)
    if counted and "coordinator" not in given:
        raise click.UsageError(f"--{min(counted)} requires --coordinator")
    if "coordinator" in given and given["coordinator"] != "auto" and len(counted) < 2:
        raise click.UsageError("--coordinator requires --processes and --process")
    if len(counted) == 2 and given["process"] >= given["processes"]:
        raise click.UsageError(f"--process is a number from 0 to {given['processes'] - 1}")


def _with_rank(files: Any, rank: str) -> Any:
    """Replace `{rank}` in the name of a file, or of several."""
    if files is None:
        return None
    if isinstance(files, Given):
        return files._replace(specs=_with_rank(files.specs, rank))
    if isinstance(files, tuple):
        return tuple([_with_rank(each, rank) for each in files])
    return type(files)(str(files).replace(RANK, rank))
