"""`shlo build`: a program as a C library."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.progress import progress_line
from stablehlo_py.cli.reading import Reading

import stablehlo_py as shlo
from stablehlo_py.library.target import NAMES, NATIVE

_EXAMPLES = common.examples(
    ("A shared library, its header and an example", "shlo build model.mlir -o model"),
    ("An archive for other machines", "shlo build model.mlir -o model --static --target x86_64-v3"),
    ("A dynamic program for batches of 4", "shlo build model.jax_export -o model --dim b=4"),
    ("Weights in a file of their own", "shlo build model.mlir -o model --weights file"),
)
_DEFAULT_NAME = "model"


@click.command("build", epilog=_EXAMPLES)
@click.argument("file", metavar="FILE")
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder to write to.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="The name of the library, with which its files and symbols begin (default: FILE's).",
)
@click.option(
    "--entry",
    "entries",
    multiple=True,
    metavar="F",
    help="A function to build, @main or the only one by default; repeat it for several.",
)
@click.option(
    "--target",
    type=click.Choice(NAMES),
    default=NATIVE,
    help="The processor that the library is for (default: native, this one).",
)
@click.option("--static", is_flag=True, help="Make an archive, libNAME.a, instead of libNAME.so.")
@click.option(
    "--weights",
    type=click.Choice(["embedded", "file"]),
    default="embedded",
    help="Where constants are: in the library, or in NAME.weights beside it (default: embedded).",
)
@click.option("--wheel", is_flag=True, help="Make a wheel besides: a package that needs NumPy alone.")
@click.option(
    "--lapack",
    multiple=True,
    metavar="LIB",
    help="A library that has LAPACK, by its path or as the linker knows it; repeat it for several.",
)
@click.option(
    "--no-link",
    "link",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Write object code and C source, of which CMake makes the library where there is a C compiler.",
)
@common.DIMS
@common.VJP
def command(file: str, folder: Path, name: str | None, dims: dict[str, int], vjp: int, **options: Any) -> int:
    """Compile FILE to a C library, which needs neither Python nor this package when it runs.

    DIR gets libNAME.so (or libNAME.a) and NAME.h, which declares NAME_run, what it takes and returns. All
    ops have to be native: if any is not, an error names each of them with its line and the reason, and
    nothing is written. Results are bit for bit those of `shlo run --engine native` on the same processor.

    The extra `native` is needed, and a C compiler: cc, or what the environment variable CC names. With
    --no-link, no C compiler is.

    Exit status: 0 on success, 1 if FILE is at fault, 2 on a usage error or if the compiler fails.
    """
    from stablehlo_py.library.build import Request, build_library, identifier
    from stablehlo_py.library.toolchain import ToolchainError

    reading = Reading(vjp, dims)
    source = reading.text(file)
    made = reading.module(source)
    if made is None:
        return 1
    name = name or identifier(_DEFAULT_NAME if file == sources.STDIN else Path(file).name.partition(".")[0])
    stage = [""]
    try:
        with progress_line(lambda: stage[0]):
            files = build_library(made, Request(name, **options), folder, partial(stage.__setitem__, 0))
    except shlo.TransformError as error:
        common.print_diagnostics(source, error.diagnostics, err=True)
        return 1
    except (ToolchainError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    for path in files:
        common.echo(f"{path}  {path.stat().st_size:,} bytes")
    return 0
