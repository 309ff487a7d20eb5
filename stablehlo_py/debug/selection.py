"""Selection of ops: by the name of a result, by line, and by the source line in the location."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from stablehlo_py.diagnostics.origin import frames
from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.ir.core import Module, Operation

Test = Callable[[Operation], bool]


class SelectionError(ValueError):
    """There is no such op."""


def named_by(module: Module, text: str) -> Test:
    """Return a test for the op that a text names.

    Args:
        module: The program.
        text: The name of a result (`%3`, `3`, `%3#1`), or a line number.

    Raises:
        SelectionError: There is no such op.
    """
    if text.isdigit() and (at := at_line(module, int(text))) is not None:
        return at
    name = f"%{text.removeprefix('%')}"
    names = {str(result) for op in module.walk() for result in op.results}
    plain = {each.partition("#")[0] for each in names}
    if name not in names and name not in plain:
        close = did_you_mean(name, names) or ""
        raise SelectionError(f"there is no op with a result {name}, and no op at such a line{close}")
    return lambda op: any(
        str(result) == name or str(result).partition("#")[0] == name for result in op.results
    )


def at_line(module: Module, line: int) -> Test | None:
    """Return a test of whether an op starts at a line; None if there is none."""
    if not any(module.line(op) == line for op in module.walk()):
        return None
    return lambda op: module.line(op) == line


def from_location(module: Module, place: str) -> Test:
    """Return a test of whether an op was created at a source line such as `model.py:31`.

    Args:
        module: The program.
        place: A file, of which the last parts suffice, and a line.

    Raises:
        SelectionError: There is no such op.
    """
    file, _, line = place.rpartition(":")
    parts = PurePath(file).parts

    def test(op: Operation) -> bool:
        return any(
            str(frame.line) == line and PurePath(frame.file).parts[-len(parts) :] == parts
            for frame in frames(op.location)
        )

    if not parts or not any(test(op) for op in module.walk()):
        known = dict.fromkeys(
            f"{PurePath(frame.file).name}:{frame.line}"
            for op in module.walk()
            for frame in frames(op.location)
        )
        listed = ", ".join(list(known)[:5])
        raise SelectionError(
            f"no op has the location {place}; there are {listed}" if known else "the program has no locations"
        )
    return test
