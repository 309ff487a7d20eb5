"""Libraries that tests build, and their examples, which run in a process of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.library.build import Request, build_library

# A library needs a C compiler when it is built; a system without one does not build any.
needs_compiler = pytest.mark.skipif(which("cc") is None, reason="needs cc, a C compiler")


def build(text: str, folder: Path, **options: Any) -> list[Path]:
    """Build a library called `model`."""
    module = shlo.parse(text)
    assert not [each for each in shlo.verify(module) if each.severity == "error"]
    return build_library(module, Request("model", **options), folder)


def compile_c(
    source: str, folder: Path, *flags: str, libraries: Sequence[Path], compiler: str = "cc"
) -> Path:
    """Compile a program beside libraries that it is linked with."""
    suffix = "cpp" if compiler == "c++" else "c"
    (folder / f"program.{suffix}").write_text(source)
    files = [str(each) for each in libraries if each.suffix in (".so", ".a")]
    headers = [f"-I{each.parent}" for each in libraries]
    paths = [f"-Wl,-rpath,{Path(each).parent}" for each in files]
    warnings = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
    command = [compiler, *warnings, *flags, f"program.{suffix}", *headers, *files, *paths, "-lm", "-lpthread"]
    subprocess.run([*command, "-o", "program"], cwd=folder, check=True, timeout=300)
    return folder / "program"


def run_example(folder: Path, inputs: Sequence[Any], like: Sequence[Any], *before: str) -> list[Any]:
    """Compile and run the example in C of a library; return its results.

    Args:
        folder: The folder of the library.
        inputs: The inputs.
        like: Arrays of the shapes and element types of the results.
        before: What the command line begins with, such as a tool that runs the program.
    """
    example = folder / "example"
    libraries = [*folder.glob("libmodel.*"), folder / "model.h"]
    program = compile_c((example / "example.c").read_text(), example, "-O1", libraries=libraries)
    for number, array in enumerate(inputs):
        (example / f"input{number}.bin").write_bytes(np.asarray(array).tobytes())
    weights = [str(path) for path in folder.glob("*.weights")]
    files = [f"input{number}.bin" for number in range(len(inputs))]
    command = [*before, str(program), *weights, *files]
    subprocess.run(command, cwd=example, check=True, timeout=300)
    read = [(example / f"result{number}.bin").read_bytes() for number in range(len(like))]
    return [
        np.frombuffer(data, array.dtype).reshape(array.shape) for data, array in zip(read, like, strict=True)
    ]
