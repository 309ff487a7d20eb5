"""The options of `shlo run` that observe a run: times, profile, trace, probes, checks."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from stablehlo_py.cli import common

from stablehlo_py.storage.files import is_device

if TYPE_CHECKING:
    from stablehlo_py.debug.compare_arrays import Tolerance


class Number(click.FloatRange):
    """A number of something, which `nan` is not."""

    what = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; a usage error for what is none."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a {self.what}", param, ctx)
        return number


class Seconds(Number):
    """A number of seconds."""

    name = "seconds"
    what = "number of seconds"


class Watching(NamedTuple):
    """The options that observe a run."""

    time: bool = False
    repeat: int | None = None
    most_seconds: float = math.inf  # after which no run is repeated
    profile: bool = False
    spans: bool = False  # also when ops ran, as for a page
    profile_output: Path | None = None
    trace: bool = False
    probe: tuple[str, ...] = ()
    probe_dir: Path | None = None
    nan_check: bool = False
    shadow: str | None = None
    html: Path | None = None
    ranges: bool = False
    sets: tuple[str, ...] = ()
    check_against: Path | None = None
    rtol: float | None = None
    atol: float | None = None
    ulp: int | None = None
    floor: float | None = None
    verbose: bool = False

    @property
    def times(self) -> bool:
        """Test whether times are printed."""
        return self.time or (self.repeat is not None and not self.profiles)

    @property
    def profiles(self) -> bool:
        """Test whether the time of each op is measured."""
        return self.profile or self.profile_output is not None

    @property
    def records_events(self) -> bool:
        """Test whether the time of each execution is recorded."""
        return self.profile_output is not None and not self.draws_profile

    @property
    def draws_profile(self) -> bool:
        """Test whether the profile is written as a page."""
        return self.profile_output is not None and self.profile_output.suffix.lower() in (".html", ".htm")

    @property
    def reports(self) -> bool:
        """Test whether a report is printed instead of results."""
        return self.times or self.profile or self.trace or self.check_against is not None or bool(self.shadow)

    def check_outputs(self, explain: bool, target: Path | None, outfeed: Path | None) -> None:
        """Raise UsageError for outputs of unknown formats, and for those of --explain, which runs nothing."""
        if outfeed is not None and outfeed.suffix not in (".npz", ".safetensors") and not is_device(outfeed):
            raise click.UsageError(f"--outfeed {outfeed}: expected a .npz or .safetensors file")
        if explain and (target is not None or self.check_against is not None):
            raise click.UsageError("--explain does not run the program: without --output and --check-against")
        if self.profile_output is not None:
            common.format_of(str(self.profile_output), common.PAGE_OR_JSON, "json")
        if self.html is not None:
            common.format_of(str(self.html), common.PAGE, "html")

    def engine(self, given: Any) -> Any:
        """Return the engine of the run; raise UsageError for one that does not observe all values."""
        observer = "--shadow" if self.shadow is not None else "--ranges" if self.ranges else None
        if observer is not None and given.name not in ("auto", "numpy"):
            raise click.UsageError(f"{observer} runs on engine numpy, not {given.name}")
        if self.shadow is None:
            return given
        from stablehlo_py.debug.error_map import error_map
        from stablehlo_py.rounding.engine import ShadowEngine  # imports what runs programs

        return ShadowEngine(self.shadow, error_map if self.html is not None else None)

    def check(self) -> None:
        """Raise UsageError for options that cannot be combined."""
        tolerances = (self.rtol, self.atol, self.ulp, self.floor)
        if self.check_against is None and any(each is not None for each in tolerances):
            raise click.UsageError("--rtol, --atol, --ulp and --floor require --check-against")
        if self.probe and self.probe_dir is None:
            raise click.UsageError("--probe requires --probe-dir")
        if self.html is not None and self.shadow is None:
            raise click.UsageError("--html requires --shadow")
        if self.sets and not self.ranges:
            raise click.UsageError("--inputs requires --ranges")
        observes = self.trace or self.nan_check or self.probe_dir or self.profiles
        if self.shadow and observes:
            raise click.UsageError(
                "--shadow cannot be used with --trace, --probe-dir, --nan-check or --profile"
            )
        if self.repeat and (self.trace or self.nan_check or self.probe_dir):
            raise click.UsageError("--repeat cannot be used with --trace, --probe-dir or --nan-check")


TOLERANCE = Number(0)
"""A tolerance."""
FLOOR = click.option(
    "--floor",
    type=TOLERANCE,
    metavar="X",
    help="Also allow errors of X times the largest magnitude of all results, as those of gradients that are "
    "zero but for rounding.",
)


class Tolerances(NamedTuple):
    """The options of what is equal; see `compare_arrays.Tolerance` for their defaults."""

    rtol: float | None = None
    atol: float | None = None
    ulp: int | None = None

    def tolerance(self) -> Tolerance:
        """Return the tolerance of a comparison."""
        from stablehlo_py.debug.compare_arrays import Tolerance  # imports NumPy

        return Tolerance(*self)


def _tolerances(of: str = "", *synonyms: str) -> list[Callable[..., Any]]:
    """Return `--rtol`, `--atol` and `--ulp`.

    Args:
        of: The option that they are about, after "of"; "" for the whole command.
        synonyms: Other names of `--rtol`.
    """
    about = f" of {of}" if of else ""
    return [
        click.option(
            "--rtol",
            *synonyms,
            "rtol",
            type=TOLERANCE,
            metavar="X",
            help=f"Relative tolerance{about}: atol + rtol * |expected|, as in NumPy's allclose "
            "(default: 1e-5; 4 ULP for types narrower than f32; 0 for integers).",
        ),
        click.option(
            "--atol",
            type=TOLERANCE,
            metavar="X",
            help=f"Absolute tolerance{about} (default: a tenth of --rtol times the largest expected "
            "magnitude, at least 1e-8; 0 for integers).",
        ),
        click.option(
            "--ulp",
            type=click.IntRange(0),
            metavar="N",
            help=f"Tolerance{about} in units in the last place (ULP).",
        ),
    ]


def tolerance_options(of: str, *synonyms: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds `--rtol`, `--atol` and `--ulp`, passed to a command as `within`.

    Args:
        of: The option that they are about; "" for the whole command.
        synonyms: Other names of `--rtol`.
    """

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def with_tolerances(**given: Any) -> int:
            within = Tolerances(**{name: given.pop(name) for name in Tolerances._fields})
            return command(within=within, **given)

        decorated: Callable[..., int] = with_tolerances
        for option in reversed(_tolerances(of, *synonyms)):
            decorated = option(decorated)
        return decorated

    return decorate


_OPTIONS = [
    click.option(
        "--time",
        is_flag=True,
        help="Print the time of parsing, verifying, compiling and running, and the engine.",
    ),
    click.option(
        "--repeat",
        type=click.IntRange(1),
        metavar="N",
        help="Run N more times, and print the minimum and median time.",
    ),
    click.option(
        "--profile", is_flag=True, help="Print a table of ops: time, calls, operations and bytes per second."
    ),
    click.option(
        "--profile-output",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write a page with roofline and times of ops to FILE.html, or a trace of all op executions "
        "to FILE.json, for chrome://tracing or Perfetto.",
    ),
    click.option(
        "--trace",
        is_flag=True,
        help="Print a line for each op result: its range, mean, and number of NaNs and infinities.",
    ),
    click.option(
        "--probe",
        multiple=True,
        metavar="PATTERN",
        help="Save the values whose name (%3), op (dot_general), location or Python line (model.py:12) "
        "matches PATTERN, with * and ? as wildcards.",
    ),
    click.option(
        "--probe-dir",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Write the values of --probe and of interpreter.probe ops to DIR: a .npz file per value, with "
        "an array per iteration.",
    ),
    click.option(
        "--nan-check",
        is_flag=True,
        help="Stop at the first op that produces a NaN from non-NaN operands, or an infinity from finite "
        "ones.",
    ),
    click.option(
        "--shadow",
        type=click.Choice(["f64", "f32", "random"]),
        help="Run each op in this type as well, and print the ops that contribute most to the rounding "
        "errors of the results; random: in several runs that round up or down at random, and print the "
        "values with the fewest significant digits.",
    ),
    click.option(
        "--html",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write what --shadow finds to FILE, as a page: the error along the program, by scope and by op.",
    ),
    click.option(
        "--ranges",
        is_flag=True,
        help="Print the range of each value over all sets of inputs, and how much of it f16, bf16, f8 and i8 "
        "do not hold; with --format json as calibration data.",
    ),
    click.option(
        "--inputs",
        "sets",
        multiple=True,
        metavar="SET",
        help="A set of inputs of --ranges: a .npz file, or the value of the only argument; repeat it.",
    ),
    click.option(
        "--check-against",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="FILE",
        help="Compare the results with a .npz or .safetensors file (out0, out1, ..., the results' names, or "
        "in order as for --input) or a .npy file, and exit with status 1 if they are out of tolerance.",
    ),
    *_tolerances("--check-against"),
    FLOOR,
    click.option(
        "--verbose",
        is_flag=True,
        help="Print every comparison of --check-against with a histogram of errors, and every probed value.",
    ),
]


def watching_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options to a command, passed to it as `watching`."""

    @wraps(command)
    def with_options(**given: Any) -> int:
        watching = Watching(**{name: given.pop(name) for name in Watching._fields if name in given})
        watching.check()
        return command(watching=watching, **given)

    decorated: Callable[..., int] = with_options
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
