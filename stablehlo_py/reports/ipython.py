"""The IPython extension: `%load_ext stablehlo_py`, then cells that begin with `%%stablehlo`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stablehlo_py.diagnostics.diagnostic import Diagnostic, Diagnostics, ParseError
from stablehlo_py.ir.core import Module

USAGE = "usage: %%stablehlo [--name NAME] [--run INPUT ...]"


@dataclass(frozen=True)
class CellMagic:
    """The cell magic: parses and verifies the program in a cell, and runs it where that is asked for.

    Attributes:
        parse, verify, run: The functions of the package.
    """

    parse: Callable[[str, str], Module]
    verify: Callable[[Module], list[Diagnostic]]
    run: Callable[[Module, list[Any]], list[Any]]

    def register(self, shell: Any) -> None:
        """Register `%%stablehlo` in an IPython shell.

        Args:
            shell: The `InteractiveShell`.
        """

        def stablehlo(line: str, cell: str) -> Any:
            """Parse and verify a program; `--name m` binds the module, `--run x y` runs it on variables."""
            return self.execute(shell.user_ns, line, cell)

        shell.register_magic_function(stablehlo, "cell", "stablehlo")

    def execute(self, names: dict[str, Any], line: str, cell: str) -> Any:
        """Return the module, the results of a run, or the diagnostics of an invalid program.

        Args:
            names: The variables of the notebook.
            line: What follows `%%stablehlo`.
            cell: The program.

        Raises:
            UsageError: The options are wrong, or name variables that do not exist.
        """
        name, inputs = _options(line)
        missing = [each for each in inputs or () if each not in names]
        if missing:
            raise UsageError(f"no variable named {', '.join(missing)}; {USAGE}")
        try:
            module = self.parse(cell, name or "<cell>")
        except ParseError as error:
            return Diagnostics(error.diagnostics)
        if name:
            names[name] = module
        found = self.verify(module)
        if any(each.severity == "error" for each in found):
            return Diagnostics(found)
        return module if inputs is None else self.run(module, [names[each] for each in inputs])


class UsageError(ValueError):
    """Wrong options of the magic."""


def _options(line: str) -> tuple[str, list[str] | None]:
    """Return the name to bind and the names of the inputs; None for the latter without `--run`."""
    words = shlex.split(line)
    name = ""
    if words[:1] == ["--name"] and len(words) > 1:
        name, words = words[1], words[2:]
    if words and words[0] != "--run":
        raise UsageError(f"unexpected {words[0]!r}; {USAGE}")
    return name, words[1:] if words else None
