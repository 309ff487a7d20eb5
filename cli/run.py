"""`shlo run`: run a program on NumPy arrays."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.checking import print_checks
from stablehlo_py.cli.custom_calls import CUSTOM_CALL
from stablehlo_py.cli.engine_options import engine_options
from stablehlo_py.cli.explanation import Explanation, explain_options
from stablehlo_py.cli.inputs import Given, input_options
from stablehlo_py.cli.layouts import Layouts, check_target, layout_options
from stablehlo_py.cli.reading import Reading
from stablehlo_py.cli.run_divided import Dividing, dividing_options, inner, target_of
from stablehlo_py.cli.run_one import Request, Run, compile_entry, load, run_program
from stablehlo_py.cli.run_options import Seconds, Watching, watching_options
from stablehlo_py.cli.run_ranges import run_ranges
from stablehlo_py.cli.run_reports import print_probes, print_reports, print_row
from stablehlo_py.cli.run_results import print_results, save
from stablehlo_py.cli.run_watch import Watch
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import RunWarning
from stablehlo_py.storage.files import OutputFiles

_EXAMPLES = common.examples(
    ("Read inputs from a file, by name or in order", "shlo run model.mlir -a inputs.npz"),
    (
        "Give the parameters of a model by their names, and x",
        "shlo run model.jax_export -a params=params.safetensors -a x=x.npy",
    ),
    ("Use random inputs and save the results", "shlo run model.mlir --random 0 -o results.npz"),
    ("Run a dynamic export of JAX for a batch of 4", "shlo run model.jax_export --dim b=4 --random 0"),
    ("Profile the ops", "shlo run model.mlir -a inputs.npz --profile --repeat 10"),
    (
        "Compare the results with expected ones",
        "shlo run model.mlir -a inputs.npz --check-against expected.npz --rtol 1e-4",
    ),
    ("Find the op that produces a NaN", "shlo run model.mlir -a inputs.npz --nan-check"),
    ("Ranges of all values, for calibration", "shlo run model.mlir --ranges --inputs a.npz --inputs b.npz"),
    ("Find the ops whose rounding the results suffer from", "shlo run model.mlir -a inputs.npz --shadow f64"),
    (
        "Save the results of every dot_general",
        "shlo run model.mlir -a inputs.npz --probe dot_general --probe-dir probes",
    ),
)


@click.command("run", epilog=_EXAMPLES)
@click.argument("file", metavar="FILE")
@input_options(
    "The value of an argument, in order or as NAME=VALUE: a .npy file, a .npz or .safetensors file (arrays "
    "by name, or by number: arr_0, arr_1, ...), the index of several .safetensors files, a .bin file of raw "
    "little-endian elements (see --layout), a number, or a literal such as 'dense<1> : tensor<2xi32>'. "
    "Names are those that `shlo inspect` shows; NODE=FILE takes the names in a file as those below a node "
    "of the tree of arguments: params=params.safetensors. NAME@R,P=VALUE applies to the process of replica R "
    "and partition P only; {rank} in the name of a file is the number of this process of the system."
)
@click.option(
    "-o",
    "--output",
    "target",
    type=Path,
    help="Write the results to a .npz or .safetensors file, a single one to a .npy or .bin file, or each to "
    "a .bin file in a folder; the .npz format to a device or a pipe.",
)
@layout_options
@click.option(
    "--entry",
    "entries",
    multiple=True,
    metavar="NAME",
    help="The function to run (default: @main, or the only function). Repeat it to run several functions on "
    "the same inputs.",
)
@click.option(
    "--module",
    "number",
    type=click.IntRange(1),
    metavar="N",
    help="Run only the N-th of the modules separated by // ----- in FILE (default: all).",
)
@engine_options
@click.option(
    "--semantics",
    type=click.Choice(["specification", "xla"]),
    default="specification",
    help="Whose results an op gives where the specification and XLA differ (default: specification).",
)
@explain_options
@click.option(
    "--print",
    "style",
    type=click.Choice(["excerpt", "full", "summary", "dense"]),
    help="How to print results: abbreviated, all elements, min/mean/max, or as an MLIR literal (default: "
    "excerpt, or nothing with --output and with options that print a report).",
)
@click.option("--max-steps", type=click.IntRange(0), metavar="N", help="Stop with an error after N steps.")
@click.option("--timeout", type=Seconds(0), metavar="SECONDS", help="Stop with an error after SECONDS.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="SEED", help="The seed of the rng op (default: 0)."
)
@click.option(
    "--infeed",
    type=Path,
    multiple=True,
    metavar="FILE",
    help="The data of the next infeed op: a .npy file, or the arrays of a .npz or .safetensors file in "
    "order.",
)
@click.option(
    "--outfeed",
    type=Path,
    metavar="FILE",
    help="Write the data of outfeed ops to a .npz or .safetensors file: out0_0, out0_1, ...",
)
@click.option(
    "--replicas", type=click.IntRange(1), metavar="N", help="Number of replicas of the process grid."
)
@click.option(
    "--partitions", type=click.IntRange(1), metavar="N", help="Number of partitions of the process grid."
)
@dividing_options
@CUSTOM_CALL
@common.VJP
@common.DIMS
@watching_options
@common.NEWER
@common.FORMAT
def command(
    file: str,
    given: Given,
    target: Path | None,
    layouts: Layouts,
    output_layouts: Layouts,
    entries: tuple[str, ...],
    number: int | None,
    engine: Any,
    semantics: str,
    explain: Explanation | None,
    style: str | None,
    max_steps: int | None,
    timeout: float | None,
    seed: int,
    infeed: tuple[Path, ...],
    outfeed: Path | None,
    replicas: int | None,
    partitions: int | None,
    dividing: Dividing,
    vjp: int,
    dims: dict[str, int],
    watching: Watching,
    allow_newer: bool,
    output: str,
) -> int:
    """Run a function of a program and print its results.

    Exit status: 0 on success, 1 if the program is invalid, the run fails, or --check-against finds a
    mismatch, 2 on a usage error.

    With --format json, print an object: file, entry, and results, each with name, type and data. Complex
    numbers are [real, imaginary]; NaNs and infinities are strings. On a grid of several processes, each
    result also has process, [replica, partition]. The options --time, --profile, --trace, --probe,
    --nan-check, --shadow and --check-against add time, profile, trace, probes, nan_check, shadow and check.
    With several modules or entries, the object has runs, each with its module; failed runs have diagnostics.
    """
    engine, sets = watching.engine(engine), (given, watching.sets)
    if watching.ranges:
        return run_ranges(file, entries, sets, seed, Reading(vjp, dims, allow_newer), output == "json")
    check_target(target, output_layouts)
    limits = {"max_steps": max_steps, "timeout": timeout, "replicas": replicas, "partitions": partitions}
    options = {"engine": engine, "semantics": semantics, **limits}
    outputs = OutputFiles([file, *infeed, *given.files, *filter(None, [watching.check_against])])
    outputs.check(target, outfeed, watching.profile_output, watching.html)
    watching.check_outputs(explain is not None, target, outfeed)
    request = Request(given, layouts, infeed, seed, watching, options, outputs, allow_newer, dividing)
    texts = _modules(common.read(file, vjp), number)
    batch = RunBatch(request, entries, len(texts) > 1 or len(entries) > 1, output == "json", explain, dims)
    for index, text in texts:
        batch.run_module(index, text, style if style or watching.reports or target else "excerpt")
    runs = [run for run in batch.runs if run.error is None and run.results]
    if target is not None and runs:
        target = target_of(target, runs[0].device)
        save(target, [(_prefix(run, batch.several), run.results) for run in runs], output_layouts, outputs)
    if outfeed is not None:
        _save_outfeed(outfeed, runs, outputs)
    if output == "json" and explain is None:
        batch.print_json(file if file != sources.STDIN else "<stdin>")
    return 0 if batch.ok else 1


def _save_outfeed(target: Path, runs: Sequence[Run], outputs: OutputFiles) -> None:
    from stablehlo_py.interpreter.arrays import save_arrays

    outgoing = [values for run in runs for values in run.outgoing]
    named = {f"out{i}_{j}": x for i, row in enumerate(outgoing) for j, x in enumerate(row)}
    save_arrays(target, named, outputs)


def _modules(text: Text, number: int | None) -> list[tuple[int, Text]]:
    """Return the modules to run with their numbers, from 1, without those that have only comments."""
    found = sources.modules(text)
    if number is not None:
        return [(number, common.nth(found, number))]
    is_single = len(found) == 1  # it is read in any case
    programs = [(at, each) for at, each in enumerate(found, 1) if is_single or sources.has_program(each.text)]
    if not programs:
        raise click.ClickException(f"{text.name}: only comments; expected a program")
    return programs


def _prefix(run: Run, several: bool) -> str:
    return f"{run.number}_{run.name}_" if several else ""


class RunBatch:
    """The runs of one command.

    Attributes:
        several: Whether there may be several runs.
        ok: Whether no error has occurred so far.
        runs: The runs so far.
    """

    def __init__(
        self,
        request: Request,
        entries: tuple[str, ...],
        several: bool,
        as_json: bool,
        explain: Explanation | None,
        dims: dict[str, int],
    ) -> None:
        self.several = several
        self.ok = True
        self.runs: list[Run] = []
        self._request = request
        self._entries: tuple[str | None, ...] = entries or (None,)
        self._as_json = as_json
        self._explain = explain
        self._dims = dims
        self._broken: list[dict[str, object]] = []

    def run_module(self, number: int, source: Text, style: str | None) -> None:
        """Run the functions of a module, and print their results in a style (None: not at all)."""
        watch = self._watch()
        request = self._request
        module, diagnostics = load(source, watch, self._dims, request.allow_newer, request.dividing.sharding)
        common.print_diagnostics(source, diagnostics, err=True)
        if module is None or any(map(common.is_error, diagnostics)):
            self._broken += common.diagnostics_json(source, diagnostics)
            self.ok = False
            return
        for entry in self._entries:
            run = Run(number, self._watch(), entry or "")
            run.watch.seconds |= watch.seconds
            self._run(run, source, module, entry, style)

    def _watch(self) -> Watch:
        return Watch(self._request.watching, self._request.outputs, None if self._as_json else print_row)

    def _run(self, run: Run, source: Text, module: shlo.Module, entry: str | None, style: str | None) -> None:
        try:
            program = compile_entry(module, entry, self._request, run.watch)
            if self._explain is not None:
                common.echo(self._explain.text(inner(program)))
                return
            if self.several and not self._as_json:
                common.echo(f"module {run.number}, @{program.name}")
            with _warned(source):
                run_program(program, self._request, run)
        except shlo.TransformError as error:
            common.print_diagnostics(source, error.diagnostics, err=True)
            self._broken += common.diagnostics_json(source, error.diagnostics)
            self.ok = False
            return
        except shlo.RunError as error:
            run.error = error
            _report(source, error)
            if not self._as_json:
                print_probes(run.watch)
        self.runs.append(run)
        self.ok &= run.ok
        run.watch.write(source.name)
        if not self._as_json and run.error is None:
            if style is not None:
                print_results(run.results, style, run.is_labelled)
            if run.checks:
                print_checks(run.checks, self._request.watching)
            print_reports(run.watch)

    def print_json(self, name: str) -> None:
        """Print the JSON object of all runs."""
        data: dict[str, object] = {"file": name}
        if self.several:
            data["runs"] = [{"module": run.number, **run.to_json()} for run in self.runs]
        elif self.runs:
            data |= self.runs[0].to_json()
        if self._broken:
            data["diagnostics"] = self._broken
        common.print_json(data)


@contextmanager
def _warned(source: Text) -> Iterator[None]:
    """Print the warnings of a run, each once."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", RunWarning)
        try:
            yield
        finally:
            messages = [str(each.message) for each in found if each.category is RunWarning]
            for message in dict.fromkeys(messages):
                common.echo(f"{source.name}: warning: {message}", err=True)


def _report(source: Text, error: shlo.RunError) -> None:
    if error.diagnostic is not None:
        common.print_diagnostics(source, [error.diagnostic], err=True)
    else:
        common.echo(f"{source.name}: error: {error}", err=True)
