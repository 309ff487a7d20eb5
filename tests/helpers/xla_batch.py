"""XLA's CPU backend in a separate process, which compiles many functions as one module."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import ml_dtypes  # noqa: F401  (gives NumPy the names of narrow types)
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


class Function(NamedTuple):
    """The text of a private `func.func @name`, its types as they are written, and its arguments."""

    name: str
    text: str
    inputs: tuple[str, ...]
    results: tuple[str, ...]
    arguments: tuple[Array, ...]


class Rejected(str):
    """Why XLA did not run a function."""


class Xla:
    """Runs functions on XLA: `run` gives the results of each, or why there are none."""

    def __init__(self) -> None:
        self.folder = TemporaryDirectory()
        self.process: subprocess.Popen[str] | None = None

    def run(self, functions: Sequence[Function]) -> list[list[Array] | Rejected]:
        if not functions:
            return []
        results = self._attempt(functions)
        if isinstance(results, Rejected):
            if len(functions) == 1:
                return [results]
            half = len(functions) // 2
            return self.run(functions[:half]) + self.run(functions[half:])
        left = iter(results)
        return [[next(left) for _ in function.results] for function in functions]

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None
        self.folder.cleanup()

    def _attempt(self, functions: Sequence[Function]) -> list[Array] | Rejected:
        folder = Path(self.folder.name)
        (folder / "module.mlir").write_text(module_text(functions))
        save(folder / "inputs", [array for function in functions for array in function.arguments])
        if self.process is None:
            command = [sys.executable, __file__, str(folder)]
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
            )
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            self.process.communicate()
            self.process = None
            return Rejected("the process ends")
        said = json.loads(answer)
        return load(folder / "outputs") if said == "done" else Rejected(said)


def module_text(functions: Sequence[Function]) -> str:
    """A module whose @main takes the arguments of all functions and gives the results of all."""
    arguments, lines, values, types = [], [], [], []
    for function in functions:
        first = len(arguments)
        arguments += [f"%arg{first + i}: {type}" for i, type in enumerate(function.inputs)]
        given = ", ".join(f"%arg{first + i}" for i in range(len(function.inputs)))
        count = len(function.results)
        signature = f"({', '.join(function.inputs)}) -> ({', '.join(function.results)})"
        lines.append(f"    %{function.name}:{count} = func.call @{function.name}({given}) : {signature}")
        values += [f"%{function.name}#{i}" for i in range(count)]
        types += function.results
    head = f"  func.func public @main({', '.join(arguments)}) -> ({', '.join(types)}) {{"
    last = f"    return {', '.join(values)} : {', '.join(types)}\n  }}"
    return "\n".join(["module {", *[f.text for f in functions], head, *lines, last, "}"])


def save(stem: Path, arrays: Sequence[Array]) -> None:
    """Writes arrays of any type as bytes, with their types and shapes beside them."""
    stem.with_suffix(".json").write_text(json.dumps([(a.dtype.name, a.shape) for a in arrays]))
    raw = [np.frombuffer(np.ascontiguousarray(a).tobytes(), np.uint8) for a in arrays]
    np.savez(stem.with_suffix(".npz"), *raw)


def load(stem: Path) -> list[Array]:
    """Reads what `save` wrote."""
    described = json.loads(stem.with_suffix(".json").read_text())
    with np.load(stem.with_suffix(".npz")) as raw:
        return [
            np.frombuffer(raw[f"arr_{i}"].tobytes(), np.dtype(name)).reshape(shape)
            for i, (name, shape) in enumerate(described)
        ]


def serve(folder: Path) -> None:
    """Runs the module in `folder` for every line of standard input, and says "done" or what is wrong."""
    from tests.helpers.xla import run_xla

    for _ in sys.stdin:
        try:
            found = run_xla((folder / "module.mlir").read_text(), *load(folder / "inputs"))
            save(folder / "outputs", found)
            answer = "done"
        except Exception as error:  # every failure of XLA's is an answer
            answer = str(error) or type(error).__name__
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
