"""Times programs as C libraries beside the engines: ratios of calls that take turns in one process.

usage: python tests/benchmarks/libraries.py FOLDER PROGRAM... --build
       python tests/benchmarks/libraries.py FOLDER PROGRAM... [--threads 2] [--seconds 5]

A program is a file, or a folder with a file `program.mlir`. The first command builds a wheel of each in
FOLDER. The second command prints, for each, the milliseconds of a call and the ratios of the library's time
to those of

- the native engine, all of whose steps are native, without BLAS: the results have to be the same bits;
- the default engine, after it has compiled the program; the last column says which engine it has chosen.

The library is called as a program in C calls it: with addresses of inputs and of memory for results.

A ratio is the median of those of calls behind each other. Inputs are random numbers: of floats, normally
distributed; of integers, 0 and 1.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    parser = argparse.ArgumentParser(description="Times programs as C libraries beside the engines.")
    parser.add_argument("folder", type=Path, help="where libraries are")
    parser.add_argument("programs", type=Path, nargs="+", help="files, or folders with program.mlir")
    parser.add_argument("--build", action="store_true", help="build them, and do not measure")
    parser.add_argument("--threads", type=int, default=1, help="of the library and of the engines")
    parser.add_argument("--seconds", type=float, default=5, help="of measuring each program, about")
    options = parser.parse_args()
    if options.build:
        for path in options.programs:
            build(path, options.folder)
        return
    # Before NumPy is imported, and before the engine counts the processors.
    os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
    print(f"{options.threads} threads; {'library':>27} {'/ native':>9} {'/ default':>10}")
    for path in options.programs:
        engine, (time_of, *ratios) = measured(path, options.folder, options.threads, options.seconds)
        print(
            f"{name_of(path):28} {time_of:10.3f} ms {ratios[0]:9.3f} {ratios[1]:10.3f} {engine}", flush=True
        )


def name_of(path: Path) -> str:
    """The name of a program's library."""
    return path.name if path.is_dir() else path.stem


def text_of(path: Path) -> Path:
    """The file of a program."""
    return path / "program.mlir" if path.is_dir() else path


def build(path: Path, folder: Path) -> None:
    """Build a library, and unpack its wheel."""
    import stablehlo_py as shlo

    name = name_of(path)
    shlo.build(shlo.load(text_of(path)), folder / name, name=name, wheel=True)
    (wheel,) = (folder / name).glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    print(f"{name}: {(folder / name / f'lib{name}.so').stat().st_size} bytes", flush=True)


def measured(path: Path, folder: Path, threads: int, seconds: float) -> tuple[str, list[float]]:
    """The default engine; milliseconds of the library's calls, and their ratios to those of both engines."""
    import numpy as np

    import stablehlo_py as shlo
    from stablehlo_py.engines.native import regions

    sys.path.insert(0, str(folder / "site"))
    described = import_module(name_of(path)).run
    inputs = [drawn(each, number) for number, each in enumerate(described.inputs)]
    found = [np.empty(each.shape, each.dtype) for each in described.outputs]
    library = call_in_c(folder / name_of(path) / f"lib{name_of(path)}.so", inputs, found, threads)
    module = shlo.load(text_of(path))
    default = shlo.compile(module)
    least, regions.LEAST_STEPS = regions.LEAST_STEPS, 1
    native = shlo.compile(module, engine="native")
    expected = native(*inputs)
    regions.LEAST_STEPS = least
    library()
    for one, other in zip(found, expected, strict=True):
        if one.tobytes() != np.asarray(other).tobytes():
            raise SystemExit(f"{name_of(path)}: the bits of results differ from those of the native engine")
    for _ in range(4):  # it compiles a program that is called again
        default(*inputs)
        default.wait()
    calls: list[Callable[[], Any]] = [
        library,
        lambda: native(*inputs),
        lambda: default(*inputs),
    ]
    times = taking_turns(calls, seconds)
    mine, *others = np.array(times).T
    ratios = [float(np.median(mine / other)) for other in others]
    return default.engine, [float(np.median(mine)) * 1e3, *ratios]


class Options(ctypes.Structure):
    """The options of a call, as the header of a library has them."""

    _fields_ = (
        ("abi_version", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("arena", ctypes.c_void_p),
        ("arena_bytes", ctypes.c_size_t),
        ("weights", ctypes.c_void_p),
    )


def call_in_c(file: Path, inputs: Sequence[Any], results: Sequence[Any], threads: int) -> Callable[[], Any]:
    """The call of the function in C, with addresses as a program in C has them."""
    function = getattr(ctypes.CDLL(str(file)), f"{file.stem.removeprefix('lib')}_run")
    given, taken = (
        (ctypes.c_void_p * len(side))(*[each.ctypes.data for each in side]) for side in (inputs, results)
    )
    options = ctypes.byref(Options(1, threads, None, 0, None))

    def call() -> None:
        if status := function(given, taken, options):
            raise SystemExit(f"{file}: status {status}")

    return call


def drawn(array: Any, seed: int) -> Any:
    """A random array for an input of a library."""
    import numpy as np

    rng = np.random.default_rng(seed)
    if "i" in array.element_type:
        return rng.integers(0, 2, array.shape).astype(array.dtype)
    return (0.1 * rng.standard_normal(array.shape)).astype(array.dtype)


def taking_turns(calls: Sequence[Callable[[], Any]], seconds: float) -> list[list[float]]:
    """The times of calls, a list for each round; the first rounds, in which caches fill, are left out."""
    rounds = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(rounds) < 7:
        row = []
        for call in calls:
            start = time.perf_counter()
            call()
            row.append(time.perf_counter() - start)
        rounds.append(row)
    return rounds[2:]


if __name__ == "__main__":
    main()
