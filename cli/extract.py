"""`shlo extract`: a part of a program as a program of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.compare import collected
from stablehlo_py.cli.inputs import Given, entry_inputs
from stablehlo_py.cli.reading import Reading, reading_options

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles, beside

if TYPE_CHECKING:
    from stablehlo_py.debug.extract import Extract


_EXAMPLES = common.examples(
    ("An op with its inputs", "shlo extract model.mlir --op %12 -a inputs.npz -o part.mlir"),
    ("What a line of the model became", "shlo extract model.mlir --location model.py:31"),
    ("An iteration of a loop", "shlo extract model.mlir --op %7 --iteration 3 --random 0 -o part.mlir"),
    ("Everything that a result depends on", "shlo extract model.mlir --depends-on 0"),
)


@click.command("extract", epilog=_EXAMPLES)
@click.argument("file", metavar="FILE")
@click.option("--op", metavar="NAME", help="The op with a result of that name, such as %12.")
@click.option("--line", type=click.IntRange(1), metavar="N", help="The op at a line of FILE.")
@click.option(
    "--location", metavar="FILE:LINE", help="The ops that a source line created, such as model.py:31."
)
@click.option("--function", metavar="NAME", help="The body of a function.")
@click.option("--between", nargs=2, metavar="A B", help="The ops on the paths from value A to value B.")
@click.option(
    "--depends-on",
    "value",
    metavar="NAME",
    help="Everything that a value depends on: its name, or the number of a result of the entry function.",
)
@click.option(
    "--iteration",
    metavar="K[,K..]",
    help="With a loop: its body, as of an iteration, counted from 0. With an op in loops: the iteration of "
    "each loop, the outermost first, whose values are captured (default: the first).",
)
@entry_inputs
@common.output_file("Write to OUT, and the captured inputs beside it, with the suffix .npz.")
@reading_options
@common.FORMAT
def command(
    file: str,
    op: str | None,
    line: int | None,
    location: str | None,
    function: str | None,
    between: tuple[str, str] | None,
    value: str | None,
    iteration: str | None,
    given: Given,
    entry: str | None,
    target: Path | None,
    reading: Reading,
    output: str,
) -> int:
    """Make a program of a part of FILE: an op, a line, a function, or what a value depends on.

    The values that the part takes from elsewhere become its inputs. With --input or --random, FILE is run
    and their values are written to a .npz file, for `shlo run OUT -a OUT.npz`.

    Exit status: 0 on success, 1 if FILE is invalid or its run fails, 2 on a usage error.

    With --format json, print an object: program (the text), lines, inputs (name and type of each), captured
    (the file of the inputs, or null) and notes.
    """
    from stablehlo_py.debug.extract import Choice, extract_part
    from stablehlo_py.debug.selection import SelectionError

    wants_inputs = given.is_any
    if wants_inputs and target is None:
        raise click.UsageError("--input and --random require --output, beside which the inputs are written")
    outputs = OutputFiles([file, *given.files])
    outputs.check(target, beside(target, ".npz") if target is not None and wants_inputs else None)
    module = reading.module(reading.text(file))
    if module is None:
        return 1
    try:
        steps = _iterations(iteration)
        choice = Choice(op, line, location, function, between or None, value)
        part = choice.part(module, entry, steps)
        arrays = collected(module, entry, given) if wants_inputs else None
        found = extract_part(module, part, arrays, entry, steps)
    except SelectionError as error:
        raise click.UsageError(f"{file}: {error}") from None
    _write(found, target, outputs, output)
    return 0


def _iterations(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    if not all(part.strip().isdigit() for part in text.split(",")):
        raise click.UsageError(f"--iteration {text}: expected numbers from 0, separated by commas")
    return tuple(int(part) for part in text.split(","))


def _write(found: Extract, target: Path | None, outputs: OutputFiles, output: str) -> None:
    from stablehlo_py.interpreter.arrays import save_arrays

    text = shlo.format(found.module, canonical=False)
    captured = None
    if target is not None:
        with outputs.open(target) as stream:
            stream.write(sources.encode(text))
        captured = beside(target, ".npz") if found.inputs is not None else None
        if captured is not None and found.inputs is not None:
            save_arrays(captured, found.inputs, outputs)
    if output == "json":
        arguments = shlo.compile(found.module, engine="numpy").signature.inputs
        rows = [{"name": each.name, "type": str(each.type)} for each in arguments]
        data = {"program": text, "lines": list(found.lines), "inputs": rows}
        common.print_json(data | {"captured": captured and str(captured), "notes": list(found.notes)})
        return
    for note in found.notes:
        common.echo(f"note: {note}", err=True)
    if target is None:
        common.write(text)
    else:
        count = common.counted(len(found.inputs or ()), "input")
        common.echo(f"{target}" + (f", {count} in {captured}" if captured is not None else ""))
