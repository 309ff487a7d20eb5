"""The public function `build`, which imports what it needs on its first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from stablehlo_py.ir.core import Module


def build(
    module: Module | Any,
    output: str | PathLike[str],
    *,
    name: str = "model",
    entries: Sequence[str] = (),
    dims: Mapping[str, int] | None = None,
    target: str = "native",
    static: bool = False,
    weights: Literal["embedded", "file"] = "embedded",
    link: bool = True,
    wheel: bool = False,
    lapack: Sequence[str] = (),
) -> list[Path]:
    """Compile a program to a C library, as `shlo build` does.

    Args:
        module: A module, or another source that `parse` takes.
        output: The folder that files are written to; nothing is if there is an error.
        name: The name of the library, with which the names of its files and symbols begin.
        entries: The names of the functions to build; `@main` or the only one by default.
        dims: The sizes of a dynamic program, as for `specialize`.
        target: The processor: "native", "x86_64-v3", "x86_64-v4" or "aarch64".
        static: Make an archive instead of a shared library.
        weights: Whether constants are in the library or in a file beside it.
        link: Make the library; otherwise object code and C source, of which CMake makes it.
        wheel: Make a Python package of the library, too.
        lapack: The libraries that have LAPACK, by paths or names.

    Returns:
        The files, the library first.

    Raises:
        ParseError: If a source is not a program.
        TransformError: If the program is not valid, or ops have no native form; `diagnostics` names them all.
        RunError: If there is no such function.
        StablehloError: If there is no C compiler, or it fails.
        ValueError: For an option that is none, or a dimension that the program does not have.
        OSError: If a file cannot be written.

    Example:
        library, header, *_ = shlo.build(shlo.load("model.mlir"), "lib", target="x86_64-v3")
    """
    from stablehlo_py.api import parse
    from stablehlo_py.api.compiling import check_valid
    from stablehlo_py.library.build import Request, build_library
    from stablehlo_py.transforms.specialization import specialized

    program = parse(module)
    check_valid(program)
    if dims:
        program = specialized(program, dims)
    request = Request(name, tuple(entries), target, static, weights, link, wheel, tuple(lapack))
    return build_library(program, request, Path(output))
