"""The options of `shlo run` that look into a run: times, profile, trace, probes, checks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click


class Watching(NamedTuple):
    """What is to be found out about a run besides its results."""

    time: bool = False
    repeat: int | None = None
    profile: bool = False
    profile_output: Path | None = None
    trace: bool = False
    probe: tuple[str, ...] = ()
    probe_dir: Path | None = None
    nan_check: bool = False
    check_against: Path | None = None
    rtol: float | None = None
    atol: float | None = None
    ulp: int | None = None

    @property
    def times(self) -> bool:
        """Whether times are printed."""
        return self.time or (self.repeat is not None and not self.profiles)

    @property
    def profiles(self) -> bool:
        """Whether the time of each op is measured."""
        return self.profile or self.profile_output is not None

    @property
    def reports(self) -> bool:
        """Whether something is printed in the place of results."""
        return self.times or self.profile or self.trace or self.check_against is not None

    def check(self) -> None:
        """Raises click's error for options that do not go together."""
        tolerances = (self.rtol, self.atol, self.ulp)
        if self.check_against is None and any(each is not None for each in tolerances):
            raise click.UsageError("--rtol, --atol and --ulp are for --check-against")
        if self.probe and self.probe_dir is None:
            raise click.UsageError("--probe needs --probe-dir DIR, the folder for the files")
        if self.repeat and (self.trace or self.nan_check or self.probe_dir):
            raise click.UsageError(
                "--repeat is for --time and --profile, not for --trace, --probe or --nan-check"
            )


_TOLERANCE = click.FloatRange(0)
_OPTIONS = [
    click.option(
        "--time", is_flag=True, help="Print how long parsing, verifying, compiling and running take."
    ),
    click.option(
        "--repeat",
        type=click.IntRange(1),
        metavar="N",
        help="Run N more times, and print the shortest and the median time.",
    ),
    click.option(
        "--profile", is_flag=True, help="Print a table of ops: time, calls, operations and bytes a second."
    ),
    click.option(
        "--profile-output",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write every call's time to FILE, as trace events for chrome://tracing or Perfetto.",
    ),
    click.option(
        "--trace",
        is_flag=True,
        help="Print a line for each result of each op that runs: its range, its NaNs.",
    ),
    click.option(
        "--probe",
        multiple=True,
        metavar="PATTERN",
        help="Keep values whose name (%3), op (dot_general), location or Python line (model.py:12) matches; "
        "* and ? stand for any characters.",
    ),
    click.option(
        "--probe-dir",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="The folder for probed values, a .npz file each, with an array for each iteration; "
        "interpreter.probe ops write there as well.",
    ),
    click.option(
        "--nan-check",
        is_flag=True,
        help="Stop at the first op that makes a NaN from other numbers, or an infinity from finite ones.",
    ),
    click.option(
        "--check-against",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="FILE",
        help="Compare the results with those in a .npz file (out0, out1, ..., or the results' names, or in "
        "order) or a .npy file; the exit status is 1 if they are out of tolerance.",
    ),
    click.option(
        "--rtol",
        type=_TOLERANCE,
        metavar="X",
        help="How far results may be from what is expected, relative to it: 1e-5 by default, 4 units in the "
        "last place for types narrower than f32, 0 for integers.",
    ),
    click.option(
        "--atol",
        type=_TOLERANCE,
        metavar="X",
        help="The same, absolute: by default a tenth of that, of the largest element expected.",
    ),
    click.option(
        "--ulp", type=click.IntRange(0), metavar="N", help="The same, in units in the last place of the type."
    ),
]


def check_engine(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """The name of an engine. Raises click's error if there is none of that name, or it is not installed."""
    from stablehlo_py.engines.registry import find_engine  # imports what runs programs

    try:
        find_engine(name)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return name


def watching_options(command: Callable[..., int]) -> Callable[..., int]:
    """Adds the options; the command gets them as `watching`."""

    @wraps(command)
    def with_options(**given: Any) -> int:
        watching = Watching(**{name: given.pop(name) for name in Watching._fields})
        watching.check()
        return command(watching=watching, **given)

    decorated: Callable[..., int] = with_options
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
