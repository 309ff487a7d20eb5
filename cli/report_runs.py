"""The runs of `shlo report`: their options, profiles and comparisons with recorded runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.checking import Checked
from stablehlo_py.cli.compare import collected
from stablehlo_py.cli.custom_calls import CUSTOM_CALL, execute_once, files_given
from stablehlo_py.cli.inputs import Given, input_options
from stablehlo_py.cli.layouts import Layouts, is_raw_file
from stablehlo_py.cli.reading import Reading
from stablehlo_py.cli.run_one import Request, compile_entry, run_program
from stablehlo_py.cli.run_one import Run as ProgramRun
from stablehlo_py.cli.run_options import Seconds, Tolerances, Watching, tolerance_options
from stablehlo_py.cli.run_watch import Watch

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from stablehlo_py.debug.machine import Limits
    from stablehlo_py.reports.report import Run, Subject


_NAME = "{name}"
_TOP = 50  # ops of a comparison
_REPEATS, _SECONDS = 5, 2.0  # runs after the first, and when no other is begun
_DEFAULTS = Tolerances()


@dataclass(frozen=True)
class Runs:
    """The options of runs, and the speed of the machine."""

    inputs: Given
    check_against: str | None = None
    against: str | None = None
    timeout: float | None = None
    entry: str | None = None
    within: Tolerances = _DEFAULTS
    custom_calls: tuple[Path, ...] = ()
    limits: Limits | None = None

    @property
    def are_asked_for(self) -> bool:
        """Test whether programs are run."""
        return self.inputs.is_any

    def check(self) -> None:
        """Raise UsageError for options without those that they are about."""
        if self.entry is not None and not self.are_asked_for:
            raise click.UsageError("--entry requires --input or --random")
        if self.within != _DEFAULTS and not (self.check_against or self.against):
            raise click.UsageError("--rtol, --atol and --ulp require what results are compared with")

    def measured(self) -> Runs:
        """Return these options with the speed of this machine, if programs are run; raise for wrong ones."""
        from stablehlo_py.debug.machine import measure_limits

        if not self.are_asked_for:
            if self.check_against or self.against:
                raise click.UsageError("--check-against and --against require --input or --random")
            return self
        missing = [file for file in self.missing() if _NAME not in file]
        if missing:
            raise click.ClickException(f"{missing[0]}: no such file or folder")
        return replace(self, limits=measure_limits())

    def missing(self) -> list[str]:
        """List the files of these options that do not exist."""
        from stablehlo_py.interpreter.arrays import is_array_file

        files = [file for file in self.inputs.files if is_array_file(file) or is_raw_file(file)]
        files += filter(None, (self.check_against, self.against))
        return [file for file in files if not Path(file).exists()]

    def of(self, file: str) -> Runs:
        """Return these options for a file."""
        name = Path(file).name.removesuffix(".gz").rpartition(".")[0] or Path(file).name

        def named(text: str | None) -> str | None:
            return None if text is None else text.replace(_NAME, name)

        specs = tuple([text.replace(_NAME, name) for text in self.inputs.specs])
        return replace(
            self,
            inputs=self.inputs._replace(specs=specs),
            check_against=named(self.check_against),
            against=named(self.against),
        )


_OPTIONS = {
    "check_against": click.option(
        "--check-against",
        metavar="FILE",
        help="Compare the results with those in a .npz, .safetensors or .npy file, as for `shlo run`.",
    ),
    "against": click.option(
        "--against",
        metavar="PATH",
        help="Compare ops with intermediates in files, or with another program, as for `shlo compare`.",
    ),
    "timeout": click.option(
        "--timeout", type=Seconds(0), metavar="SECONDS", help="Stop the run of a program after SECONDS."
    ),
}


def run_options(*names: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add options of runs, and those of inputs, to a command, passed to it as `runs`."""

    def add(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def with_runs(given: Given, entry: str | None, within: Tolerances, **parameters: Any) -> int:
            options = {name: parameters.pop(name) for name in names}
            runs = Runs(given, entry=entry, within=within, custom_calls=files_given(), **options)
            runs.check()
            return command(runs=runs, **parameters)

        decorated: Callable[..., int] = with_runs
        for name in reversed(names):
            decorated = _OPTIONS[name](decorated)
        compared = [f"--{name.replace('_', '-')}" for name in names if name.endswith("against")]
        decorated = common.ENTRY(tolerance_options(" and ".join(compared))(CUSTOM_CALL(decorated)))
        about = "The value of an argument, as for `shlo run`; {name} is the name of the program's file."
        return input_options(about)(decorated)

    return add


def run_subject(subject: Subject, module: shlo.Module, runs: Runs) -> None:
    """Run a valid program and compare it with recorded runs; what fails or differs becomes a diagnostic."""
    own = runs.of(module.name)
    if own.missing():
        return
    try:
        execute_once(own.custom_calls)
        subject.run = _run(module, own, subject)
        if own.against is not None:
            subject.comparison = _compare(module, own, subject)
    except shlo.RunError as error:
        subject.add_failure(error)
    except (click.ClickException, ValueError) as error:
        message = error.message if isinstance(error, click.ClickException) else str(error)
        subject.add(shlo.Diagnostic("error", "run", message, 0, 0))


def _run(module: shlo.Module, runs: Runs, subject: Subject) -> Run:
    from stablehlo_py.engines.registry import find_engine
    from stablehlo_py.reports.profile_html import ProfileData
    from stablehlo_py.reports.report import Run

    against = Path(runs.check_against) if runs.check_against is not None else None
    watching = Watching(
        profile=True,
        spans=True,
        repeat=_REPEATS,
        most_seconds=_SECONDS,
        check_against=against,
        **runs.within._asdict(),
    )
    options = {"engine": find_engine("numpy"), "max_steps": None, "timeout": runs.timeout}
    outputs = OutputFiles()
    request = Request(runs.inputs, Layouts("--layout"), (), 0, watching, options, outputs)
    run = ProgramRun(1, Watch(watching, outputs))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = compile_entry(module, runs.entry, request, run.watch)
        run_program(program, request, run)
    profile = run.watch.profile
    assert profile is not None and runs.limits is not None  # they were asked for
    for name, comparison in run.checks:
        if not comparison.ok:
            subject.add(_mismatch(name, comparison.problem or f"{comparison.wrong:,} elements", runs))
    return Run(
        profile=ProfileData.of(profile, runs.limits),
        checks=_plain(run.checks, [str(each.type) for each in program.signature.outputs]),
        against=runs.check_against or "",
        notes=[str(each.message) for each in caught],
    )


def _mismatch(name: str, what: str, runs: Runs) -> shlo.Diagnostic:
    return shlo.Diagnostic("error", "check", f"{name}: {what} out of tolerance of {runs.check_against}", 0, 0)


def _plain(checks: Sequence[Checked], types: Sequence[str]) -> list[dict[str, Any]]:
    """Return comparisons of results in the form of those of values; each process has all results."""
    return [
        {"name": name, "type": type, "ok": each.ok, "error": each.to_dict(), "worst": []}
        for (name, each), type in zip(checks, cycle(types), strict=False)
    ]


def _compare(module: shlo.Module, runs: Runs, subject: Subject) -> dict[str, Any]:
    from stablehlo_py.debug.compare.driver import Comparer
    from stablehlo_py.interpreter.arrays import is_array_file

    arrays: Sequence[Any] = collected(module, runs.entry, runs.inputs)
    assert runs.against is not None
    path, tolerance = Path(runs.against), runs.within.tolerance()
    comparer = Comparer(module, arrays, runs.entry, tolerance=tolerance, top=_TOP)
    is_program = path.is_file() and not is_array_file(runs.against)
    found = comparer.with_program(_other(runs.against)) if is_program else comparer.with_files(path)
    for op in (found.first, *found.others):
        if op is not None and not op.ok:
            message = f"{op.op} differs from {runs.against} on equal operands"
            subject.add(shlo.Diagnostic("error", "compare", message, op.line, op.column, op.details))
    if not found.covers:
        message = f"nothing was compared with {runs.against}"
        subject.add(shlo.Diagnostic("error", "compare", message, 0, 0, tuple(found.notes)))
    return found.to_dict()


def _other(file: str) -> shlo.Module:
    """Read the program that another one is compared with; raise ClickException for one with errors."""
    module = Reading().module(common.read(file))
    if module is None:
        raise click.ClickException(f"{file}: not a valid program")
    return module
