"""Programs whose texts and verdicts, as the C++ parser, verifier and printer have them, are recorded."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import stablehlo_py as shlo
from stablehlo_py.syntax.printer import format_module
from tests.helpers.changed_words import digest
from tests.helpers.recorded_runs import read

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "syntax" / "recorded_texts.json"
DRAWN = 3  # of so many drawn programs, one
FOLDER = ROOT / "tests" / "oracle" / "language"


@cache
def programs() -> dict[str, str]:
    """The programs by name: those that cover the language or are about constraints, and drawn ones."""
    paths = [*FOLDER.glob("*.mlir"), *(ROOT / "testdata" / "constraints").glob("*.mlir")]
    drawn = read(ROOT / "tests" / "kernels" / "recorded_ops.zip")[::DRAWN]
    return {f"drawn-{run.op}-{number}": run.text for number, run in enumerate(drawn)} | {
        f"{path.stem}-{number}": text
        for path in sorted(paths, key=lambda path: path.name)
        for number, text in enumerate(re.split(r"^// -----\n", path.read_text(encoding="utf-8"), flags=re.M))
    }


LANGUAGE = [name for name in programs() if (FOLDER / f"{name.rpartition('-')[0]}.mlir").exists()]


def texts(program: str) -> list[str] | None:
    """The digests of our three texts of a program; None if it is refused."""
    try:
        module = shlo.parse(program, "-")
    except shlo.ParseError:
        return None
    if any(diagnostic.severity == "error" for diagnostic in shlo.verify(module)):
        return None
    made = shlo.format(module), shlo.format(module, generic=True), format_module(module, locations=True)
    return [digest(text) for text in made]


def line_of_error(program: str) -> int:
    """The line of the first error, 0 if there is none."""
    try:
        module = shlo.parse(program, "-")
    except shlo.ParseError as error:
        return error.diagnostics[0].line
    errors = [diagnostic.line for diagnostic in shlo.verify(module) if diagnostic.severity == "error"]
    return errors[0] if errors else 0
