"""Libraries that tests build, and their examples, which run in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.library.build import Request, build_library

# A library needs a C compiler when it is built, and Linux.
needs_compiler = pytest.mark.skipif(
    which("cc") is None or sys.platform != "linux", reason="needs cc, a C compiler, on Linux"
)

# A command before a program made with AddressSanitizer, which reserves terabytes of addresses.
ALL_ADDRESSES = ("sh", "-c", 'ulimit -S -v "$(ulimit -H -v)"; exec "$@"', "sh")

MLP = """
func.func @main(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %b = stablehlo.constant dense<[0.5, -1.0, 2.0, 0.0, 1.0, 3.0, -2.0, 0.25]> : tensor<8xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.tanh %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}"""

CONTROL = """
func.func @main(%n: tensor<i32>, %x: tensor<3xf64>) -> (tensor<i32>, tensor<3xf64>, tensor<3xf64>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<3xf64>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = func.call @half(%y) : (tensor<3xf64>) -> tensor<3xf64>
    stablehlo.return %j, %z : tensor<i32>, tensor<3xf64>
  }
  %s = "stablehlo.case"(%n) ({
    stablehlo.return %x : tensor<3xf64>
  }, {
    %t = stablehlo.negate %x : tensor<3xf64>
    stablehlo.return %t : tensor<3xf64>
  }, {
    %t = func.call @half(%x) : (tensor<3xf64>) -> tensor<3xf64>
    stablehlo.return %t : tensor<3xf64>
  }) : (tensor<i32>) -> tensor<3xf64>
  return %r#0, %r#1, %s : tensor<i32>, tensor<3xf64>, tensor<3xf64>
}
func.func private @half(%x: tensor<3xf64>) -> tensor<3xf64> {
  %c = stablehlo.constant dense<0.5> : tensor<3xf64>
  %0 = stablehlo.multiply %x, %c : tensor<3xf64>
  return %0 : tensor<3xf64>
}"""

# Results that no step makes: inputs, constants, and one result twice.
COPIES = """
func.func @main(%x: tensor<2xi8>, %e: tensor<0x3xf32>)
    -> (tensor<2xi8>, tensor<3xi16>, tensor<2xi8>, tensor<2xi8>, tensor<0x3xf32>) {
  %c = stablehlo.constant dense<[7, -8, 9]> : tensor<3xi16>
  %0 = stablehlo.add %x, %x : tensor<2xi8>
  return %x, %c, %0, %0, %e : tensor<2xi8>, tensor<3xi16>, tensor<2xi8>, tensor<2xi8>, tensor<0x3xf32>
}"""

SORT = """
func.func @main(%x: tensor<4x33xf32>) -> (tensor<4x33xf32>, tensor<4xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x33xf32>) -> tensor<4x33xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<4x33xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %2 : tensor<4x33xf32>, tensor<4xf32>
}"""

RNG = np.random.default_rng(1)
CASES: dict[str, tuple[str, list[Any]]] = {
    "product": (MLP, [RNG.standard_normal(s).astype(np.float32) for s in ((4, 16), (16, 8))]),
    "loop": (CONTROL, [np.int32(5), np.array([1.0, -2.0, 1e9])]),
    "second branch": (CONTROL, [np.int32(1), np.array([1.0, -2.0, 1e9])]),
    "copies": (COPIES, [np.array([100, -3], np.int8), np.empty((0, 3), np.float32)]),
    "sort": (SORT, [RNG.standard_normal((4, 33)).astype(np.float32)]),
}


def build(text: str, folder: Path, **options: Any) -> list[Path]:
    """Build a library called `model`."""
    module = shlo.parse(text)
    assert not [each for each in shlo.verify(module) if each.severity == "error"]
    return build_library(module, Request("model", **options), folder)


def compile_c(
    source: str,
    folder: Path,
    *flags: str,
    libraries: Sequence[Path],
    compiler: str = "cc",
    linked: Sequence[str] = (),
) -> Path:
    """Compile a program beside libraries that it is linked with."""
    suffix = "cpp" if compiler == "c++" else "c"
    (folder / f"program.{suffix}").write_text(source)
    files = [str(each) for each in libraries if each.suffix in (".so", ".a")]
    headers = [f"-I{each.parent}" for each in libraries]
    paths = [f"-Wl,-rpath,{Path(each).parent}" for each in files]
    after = [*[f"-l{name}" for name in linked], "-lm", "-lpthread"]
    warnings = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
    command = [compiler, *warnings, *flags, f"program.{suffix}", *headers, *files, *paths, *after]
    subprocess.run([*command, "-o", "program"], cwd=folder, check=True, timeout=300)
    return folder / "program"


def run_example(
    folder: Path,
    inputs: Sequence[Any],
    like: Sequence[Any],
    *before: str,
    compiler: str = "cc",
    flags: Sequence[str] = (),
    linked: Sequence[str] = (),
) -> list[Any]:
    """Compile and run the example in C of a library; return its results.

    Args:
        folder: The folder of the library.
        inputs: The inputs.
        like: Arrays of the shapes and element types of the results.
        before: What the command line begins with, such as a tool that runs the program.
        compiler: The compiler of the program.
        flags: Further flags of the compiler.
        linked: The names of other libraries that it is linked with.
    """
    example = folder / "example"
    text, libraries = (example / "example.c").read_text(), [*folder.glob("libmodel.*"), folder / "model.h"]
    program = compile_c(text, example, "-O1", *flags, libraries=libraries, compiler=compiler, linked=linked)
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
