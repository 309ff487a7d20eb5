"""A reproducer: the first wrong instruction and its counterpart, as small programs with their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from stablehlo_py.debug.compare.findings import OpDifference
from stablehlo_py.debug.extract import Choice, Extract, extract_part
from stablehlo_py.debug.selection import SelectionError
from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.hlo.from_stablehlo import from_stablehlo
from stablehlo_py.interpreter.arrays import save_arrays
from stablehlo_py.ir.core import Module
from stablehlo_py.storage.files import replacing
from stablehlo_py.syntax.printer import format_module


@dataclass(frozen=True, slots=True)
class Reproducer:
    """The first wrong instruction and its counterpart; their results differ on the inputs that they take.

    Attributes:
        wrong: The program of the instruction, and the values that it takes in the wrong dump.
        right: That of its counterpart in the right dump; None if there is none.
    """

    wrong: Extract
    right: Extract | None

    def write(self, folder: str | PathLike[str]) -> list[Path]:
        """Write the programs as StableHLO, as HLO where it has a form for their ops, and their inputs.

        Args:
            folder: The folder, which is made.

        Returns:
            The files: `wrong.mlir`, `wrong.hlo`, `wrong.npz`, and the same of `right`.

        Raises:
            OSError: If a file cannot be written.
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        files: list[Path] = []
        for name, part in (("wrong", self.wrong), ("right", self.right)):
            if part is None:
                continue
            texts = {".mlir": format_module(part.module, canonical=False), ".hlo": _hlo_text(part.module)}
            for suffix, text in texts.items():
                if text is not None:
                    files.append(target / f"{name}{suffix}")
                    with replacing(files[-1]) as stream:
                        stream.write(text.encode())
            files.append(target / f"{name}.npz")
            save_arrays(files[-1], part.inputs or {})
        return files


def reproducer(wrong: Module, right: Module, first: OpDifference, inputs: Sequence[Any]) -> Reproducer:
    """Make the reproducer of a difference.

    Args:
        wrong: The program of the instruction.
        right: The program of its counterpart.
        first: The difference.
        inputs: The inputs of both programs.

    Returns:
        The reproducer.

    Raises:
        SelectionError: If the instruction is in a computation that is applied to elements, or in no line.
        RunError: If a program cannot be run in step.
    """
    if not first.line:
        raise SelectionError(f"{first.op} is in no line of the text")
    steps = first.iterations or None
    parts = [
        extract_part(module, Choice(line=line).part(module, None, None), inputs, None, steps)
        for module, line in ((wrong, first.line), (right, first.other_line))
        if line
    ]
    return Reproducer(parts[0], parts[1] if len(parts) == 2 else None)


def _hlo_text(module: Module) -> str | None:
    try:
        return from_stablehlo(module).to_string("short_parsable")
    except ParseError:
        return None
