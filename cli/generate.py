"""`shlo generate`: random programs, valid by construction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click
from stablehlo_py.cli import common, sources

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles

_EXAMPLES = common.examples(
    ("Print a program", "shlo generate --seed 7"),
    (
        "Write 100 programs of about 50 ops, with their inputs",
        "shlo generate --count 100 --ops 50 -o programs",
    ),
    ("Keep to the ops of a program", "shlo generate --like model.mlir"),
)


def request_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options that say what is drawn to a command, passed to it as `request`."""

    @wraps(command)
    def with_request(
        ops: int,
        like: str | None,
        only: tuple[str, ...],
        depth: int,
        dynamic: bool,
        views: bool,
        sharded: bool,
        **given: Any,
    ) -> int:
        from stablehlo_py.debug.generate.programs import Request  # imports NumPy

        names = None if like is None and not only else _names(like, only)
        return command(request=Request(ops, names, depth, dynamic, views=views, sharded=sharded), **given)

    decorated: Callable[..., int] = with_request
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _names(like: str | None, only: Sequence[str]) -> frozenset[str]:
    """Return the names of the ops that may be drawn; raise UsageError if one never is."""
    from stablehlo_py.debug.generate.programs import DRAWN, FRAME

    stated = [name for each in only for name in each.split(",")]
    names = {name if "." in name else f"stablehlo.{name}" for name in stated}
    if unknown := sorted(names - DRAWN):
        drawn = ", ".join(sorted(name.removeprefix("stablehlo.") for name in DRAWN))
        raise click.UsageError(f"{unknown[0]} is not drawn; these are: {drawn}")
    if like is not None:
        names |= DRAWN & {op.name for op in common.read(like).parse().walk()}
    if not names - FRAME:
        raise click.UsageError(f"{like or '--only'} has none of the ops that are drawn")
    return frozenset(names)


_OPTIONS = [
    click.option(
        "--ops", type=click.IntRange(1), default=20, metavar="N", help="About how many ops (default: 20)."
    ),
    click.option("--like", metavar="FILE", help="Use only the ops of the program in FILE."),
    click.option(
        "--only",
        multiple=True,
        metavar="OP",
        help="Use only these ops, and constants; may be repeated, or a list with commas.",
    ),
    click.option(
        "--depth", type=click.IntRange(0), default=3, metavar="N", help="How deep regions nest (default: 3)."
    ),
    click.option(
        "--dynamic", is_flag=True, help="Draw dynamic shapes as well: dimensions known only at run time."
    ),
    click.option(
        "--views",
        is_flag=True,
        help="Draw mostly views of arrays, such as reshapes and back; half of the values are results.",
    ),
    click.option(
        "--sharded",
        is_flag=True,
        help="Draw a mesh of up to 8 devices as well, and shardings of arguments, results and other values.",
    ),
    click.option("--seed", type=click.IntRange(0), default=0, metavar="SEED", help="The seed (default: 0)."),
]


@click.command("generate", epilog=_EXAMPLES)
@click.option(
    "--count", type=click.IntRange(1), default=1, metavar="N", help="The number of programs (default: 1)."
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write each program to DIR/N.mlir, and its inputs to DIR/N.npz.",
)
@request_options
def command(count: int, folder: Path | None, seed: int, request: Any) -> int:
    """Draw random programs that are valid, from the definitions of the ops.

    A program has chains of elementwise ops, changes of shape, reductions, sorts, scatters, branches, loops
    and calls. The values of all steps are its results. They are exact: two backends must agree on them, in
    whatever order they sum. The same seed, number and options give the same program.
    """
    from stablehlo_py.debug.generate.programs import generate

    if folder is None and count > 1:
        raise click.UsageError("several programs require --output")
    for number in range(count):
        drawn = generate(seed, number, request)
        if folder is None:
            common.echo(shlo.format(drawn.module), nl=False)
        else:
            save(folder, str(number), shlo.format(drawn.module), drawn.named_arguments)
    return 0


def save(folder: Path, name: str, text: str, inputs: Mapping[str, Any]) -> None:
    """Write a program and its inputs to a folder."""
    from stablehlo_py.interpreter.arrays import save_arrays

    folder.mkdir(parents=True, exist_ok=True)
    outputs = OutputFiles([])
    with outputs.open(folder / f"{name}.mlir") as stream:
        stream.write(sources.encode(text))
    save_arrays(folder / f"{name}.npz", {k: v for k, v in inputs.items() if hasattr(v, "dtype")}, outputs)
