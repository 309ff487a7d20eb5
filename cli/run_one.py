"""A single run of `shlo run`: compile and run a function, compare its results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple

from stablehlo_py.cli import common
from stablehlo_py.cli.checking import Checked, check_results, checks_json
from stablehlo_py.cli.inputs import Given, ProcessId, feeds
from stablehlo_py.cli.layouts import Layouts
from stablehlo_py.cli.progress import progress_line, shows_progress
from stablehlo_py.cli.run_divided import Dividing, check, inner, is_divided, mapping, results_of
from stablehlo_py.cli.run_options import Watching
from stablehlo_py.cli.run_results import Results, results_json
from stablehlo_py.cli.run_watch import Watch
from stablehlo_py.cli.sharding_options import Sharding
from stablehlo_py.cli.sources import Text
from stablehlo_py.cli.watchdog import ends_in

import stablehlo_py as shlo
from stablehlo_py.ir.records import dataclass
from stablehlo_py.storage.files import OutputFiles


class Request(NamedTuple):
    """The inputs and options of a run; `options` are keyword arguments of `shlo.compile`."""

    inputs: Given
    layouts: Layouts
    infeed: tuple[Path, ...]
    seed: int
    watching: Watching
    options: dict[str, Any]
    outputs: OutputFiles
    allow_newer: bool = False
    dividing: Dividing = Dividing()


@dataclass
class Run:
    """The outcome of running a function.

    Attributes:
        number: The number of its module in the file, from 1.
        watch: The observers and timings of the run.
        name: The name of the function.
        results: The results of every process.
        outgoing: The data of outfeed ops.
        checks: The comparisons with expected results.
        error: Why the run failed, or None.
        is_labelled: Whether results are shown with the process of the grid that they are of.
        device: The place in the mesh of the device whose slices the results are, "" if they are whole.
    """

    number: int
    watch: Watch
    name: str = ""
    results: Results = field(default_factory=dict)
    outgoing: list[tuple[Any, ...]] = field(default_factory=list)
    checks: list[Checked] = field(default_factory=list)
    error: shlo.RunError | None = None
    is_labelled: bool = False
    device: str = ""

    @property
    def ok(self) -> bool:
        """Test whether the run succeeded and its results match the expected ones."""
        return self.error is None and all(found.ok for _, found in self.checks)

    def to_json(self) -> dict[str, Any]:
        """Convert the run to its JSON form, without the file."""
        found: dict[str, Any] = {"entry": self.name}
        if self.error is None:
            found["results"] = results_json(self.results, self.is_labelled)
        else:
            diagnostic = self.error.diagnostic or shlo.Diagnostic("error", "run", str(self.error), 0, 0)
            found["diagnostics"] = [common.diagnostic_json(diagnostic)]
        if self.checks:
            found["check"] = checks_json(self.checks)
        return found | self.watch.to_json()


def load(
    source: Text,
    watch: Watch,
    dims: Mapping[str, int],
    allow_newer: bool = False,
    sharding: Sharding = Sharding(),  # noqa: B008 (a tuple)
) -> tuple[shlo.Module | None, list[shlo.Diagnostic]]:
    """Parse, verify, specialize and shard a module, measuring all of it."""
    try:
        with watch.phase("parse"):
            module = source.parse(common.Allowed(newer=allow_newer))
    except shlo.ParseError as error:
        return None, error.diagnostics
    with watch.phase("verify"):
        diagnostics = shlo.verify(module)
    if any(map(common.is_error, diagnostics)):
        return module, diagnostics
    made: shlo.Module | None = module
    if dims:
        with watch.phase("specialize"):
            made, errors = common.specialized(module, dims)
        diagnostics = [*diagnostics, *errors]
    try:
        return made and sharding.apply(made), diagnostics
    except shlo.TransformError as error:
        return None, [*diagnostics, *error.diagnostics]


def compile_entry(module: shlo.Module, entry: str | None, request: Request, watch: Watch) -> Any:
    """Compile a function with the observers of a run; steps are counted where progress is shown."""
    options = dict(request.options)
    counts = options["engine"].takes == "plan"  # other engines have no steps
    if options["max_steps"] is None and counts and _shows_progress(request.watching):
        options["max_steps"] = sys.maxsize
    if request.dividing.applies(module, options["engine"]):
        if options.pop("replicas") or options.pop("partitions"):
            raise shlo.RunError("a divided program runs on the devices of its mesh, not on --partitions")
        options["partition"] = True
    with (
        ends_in(options["timeout"], module.name, "the program compiles"),
        _progress(lambda: "compiling", request.watching),
        watch.phase("compile"),
    ):
        program = shlo.compile(module, entry, observer=watch.observer, **options)
    watch.seconds |= inner(program).seconds
    return program


def run_program(program: Any, request: Request, run: Run) -> None:
    """Run a program, repeat it if requested, and compare its results.

    Raises:
        RunError: If the inputs do not match, or the run fails.
    """
    from stablehlo_py.cli.binding import by_place  # imports NumPy

    run.name = program.name
    parts = inner(program)
    places, local = parts.process_ids(), parts.local_process_ids()
    if is_divided(program):
        check(request.inputs)
    with mapping(program):
        given = by_place(request.inputs, program.signature, places, request.layouts, parts.weights, local)
    if is_divided(program) or (parts.returns_global_arrays and not request.inputs.has_places):
        given = {local[0]: given[local[0]]}
    run.is_labelled = len(given) > 1 or len(local) < len(places)
    fed = feeds(request.infeed)

    def call(outgoing: Any) -> dict[ProcessId, list[Any]]:
        with ends_in(request.options["timeout"], parts.module.name, "the program runs"):
            return _call(program, given, infeed=fed, outfeed=outgoing, seed=request.seed)

    with (
        _progress(lambda: f"running: {parts.steps_taken:,} steps", request.watching),
        run.watch.phase("run"),
    ):
        found = call(run.outgoing)
    if is_divided(program):
        gathers = request.dividing.gathers or request.watching.check_against is not None
        run.results = results_of(program, found, gathers)
        run.is_labelled = False  # the slices say which they are
        is_whole = gathers or len(local) == len(places)
        run.device = "" if is_whole else program.device_name(local[0])
    else:
        outputs = program.signature.outputs
        run.results = {place: list(zip(outputs, values, strict=True)) for place, values in found.items()}
    run.watch.engines["run"] = parts.engine
    run.watch.shadow = getattr(request.options["engine"], "shadow", None)
    run.watch.repeat(lambda: call([]))
    if run.watch.warm:
        run.watch.engines["warm"] = parts.engine
    run.watch.seconds |= parts.seconds
    if request.watching.check_against is not None and run.results:
        run.checks = check_results(run.results, request.watching, request.inputs.by_order)


def _call(program: Any, given: dict[ProcessId, list[Any]], **io: Any) -> dict[ProcessId, list[Any]]:
    """Run every process of the grid."""
    if is_divided(program):
        return program.call_grid(next(iter(given.values())), **io)  # type: ignore[no-any-return]
    if len(given) == 1:
        return {place: program.call(inputs, **io) for place, inputs in given.items()}
    found: dict[ProcessId, list[Any]] = program.call_grid(given, **io)
    return found


def _shows_progress(watching: Watching) -> bool:
    """Test whether to show a status line: not where it would disturb measurements or other output."""
    return shows_progress() and not (watching.times or watching.profiles or watching.trace)


def _progress(what: Callable[[], str], watching: Watching) -> AbstractContextManager[None]:
    return progress_line(what) if _shows_progress(watching) else nullcontext()
