"""`shlo inspect`: show a program's signature, constants, memory and cost, without running it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.file_options import FileOptions, file_options
from stablehlo_py.cli.inspect_devices import Devices, devices_options, print_devices
from stablehlo_py.cli.inspect_memory import check_target, write_memory
from stablehlo_py.cli.inspect_report import print_analysis
from stablehlo_py.cli.inspect_schedule import print_schedule, schedule_of
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from stablehlo_py.analysis.devices import DeviceAnalysis
    from stablehlo_py.analysis.report import Analysis


_EXAMPLES = common.examples(
    ("Show signature, constants, memory and cost", "shlo inspect model.mlir"),
    (
        "Show which lines of a JAX program hold the memory, from XLA's dump",
        "shlo inspect module_0001.jit_f.cpu_after_optimizations.txt",
    ),
    ("Draw the live memory over time", "shlo inspect model.mlir --memory memory.html"),
    (
        "Show what each of 8 devices holds, sends and receives",
        "shlo inspect model.mlir --devices --mesh data=4,model=2 --shard 'params/*/kernel=[{},{model}]'",
    ),
    (
        "Print the operations of one call, for a script",
        "shlo inspect model.mlir --format json | jq .modules[0].functions[0].flops",
    ),
)


@click.command("inspect", epilog=_EXAMPLES)
@file_options
@common.ENTRY
@click.option("--all", "everything", is_flag=True, help="Print complete lists of inputs, results and ops.")
@click.option(
    "--memory",
    metavar="OUT",
    callback=check_target,
    help="Also draw the live memory of one program over time, as OUT.svg, or as OUT.html with the values "
    "that are live at the peak.",
)
@devices_options
@common.VJP
@common.DIMS
@common.allowing
@common.FORMAT
def command(
    paths: tuple[str, ...],
    files: FileOptions,
    entry: str | None,
    everything: bool,
    memory: str | None,
    devices: Devices,
    vjp: int,
    dims: dict[str, int],
    allowed: common.Allowed,
    output: str,
) -> int:
    """Show the signature, constants, memory and cost of programs, without running them.

    Operations are counted as XLA counts them: a multiply-add is two, and transcendental functions are counted
    separately. Calls are included, and loops with a known trip count are multiplied by it; estimates are
    listed. Bytes are what each op reads and writes on its own, without fusion. Peak memory is the maximum
    that is live at once, including arguments and results. Of scheduled HLO, which XLA dumps after all
    passes, the live memory over the schedule is shown, too: the peak, and the buffers that hold it, with the
    lines of the program that made them.

    With --devices, the program is divided over its mesh, and what a device holds is shown: arguments, results
    and live memory at the peak; and for every collective who talks to whom, and the most bytes that a device
    sends and receives. See "Sharded programs" in the documentation.

    With --format json, print an object with modules, each with file, line, entry, functions, calls,
    statistics and notes; schedule, for scheduled HLO; and devices, with --devices.
    """
    task = partial(_inspect, entry, vjp, dims, allowed, devices)
    expanded = files.expand(paths)
    outputs = OutputFiles(expanded)
    outputs.check(memory)
    files.protect(memory)
    results = list(files.each(task, expanded, common.lost))
    for result in results:
        if isinstance(result, str):
            raise click.ClickException(result)
        for source, errors in result.errors:
            common.print_diagnostics(source, errors, err=True)
    found = [pair for result in results if not isinstance(result, str) for pair in result.found]
    if memory is not None:
        write_memory([(each.source, each.analysis) for each in found], dims, memory, outputs)
    if output == "json":
        modules = [
            {**each.analysis.to_dict(), "line": each.source.first_line}
            | ({"schedule": each.schedule} if each.schedule is not None else {})
            | ({"devices": each.devices.to_dict()} if each.devices is not None else {})
            for each in found
        ]
        common.print_json({"modules": modules})
    else:
        for index, each in enumerate(found):
            common.echo("\n" if index else "", nl=False)
            if each.devices is not None:
                print_devices(each.source.name, each.devices, everything)
                continue
            print_analysis(each.source, each.analysis, everything)
            if each.schedule is not None:
                print_schedule(each.schedule, everything)
    return 1 if any(isinstance(result, str) or result.errors for result in results) else 0


class Found(NamedTuple):
    """A valid module: its text and analysis, the memory of scheduled HLO, and the analysis of its devices."""

    source: Text
    analysis: Analysis
    schedule: dict[str, Any] | None
    devices: DeviceAnalysis | None


class _Inspected(NamedTuple):
    """The analyses of the valid modules of a file, and the errors of the others."""

    found: list[Found]
    errors: list[tuple[Text, list[shlo.Diagnostic]]]


def _inspect(
    entry: str | None, vjp: int, dims: dict[str, int], allowed: common.Allowed, devices: Devices, file: str
) -> _Inspected | str:
    """Analyze the modules of a file; return the reason if that is impossible."""
    result = _Inspected([], [])
    try:
        for source in sources.modules(common.read(file, vjp)):
            module, errors = common.find_errors(source, allowed)
            if module is not None and not errors:
                module, errors = common.specialized(module, dims)
            if module is None or errors:
                result.errors.append((source, errors))
            else:
                found = devices.analyze(module, entry) if devices.wanted else None
                result.found.append(Found(source, shlo.analyze(module, entry), schedule_of(source), found))
    except shlo.TransformError as error:
        result.errors.append((source, error.diagnostics))
    except ValueError as error:
        return f"{file}: {error}"
    except click.ClickException as error:
        return error.message
    return result
