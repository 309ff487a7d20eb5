"""Definitions of passes: a row with a pass's name, options and function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stablehlo_py.diagnostics.diagnostic import Diagnostic, TransformError
from stablehlo_py.diagnostics.origin import origin, positions
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.transforms.rules.rule import Rule

Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a pass.

    Attributes:
        name: The name, as upstream spells it.
        default: The default, which has the type of the option: bool, int or str; a tuple for a list of texts.
        summary: A description in one sentence.
    """

    name: str
    default: bool | int | str | tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass.

    Attributes:
        name: The name, as upstream spells it.
        summary: A description in one sentence.
        run: Changes a module in place, given the values of all options by name. Raises TransformError (see
            `failure`) if the pass cannot be applied. May return remarks on its changes.
        options: The options.
        description: Further description, in Markdown.
        rules: The rewrite rules that it applies, if it consists of rules.
        positional: The option whose value may be given without its name, or "".
    """

    name: str
    summary: str
    run: Callable[[Module, Options], Sequence[Diagnostic] | None]
    options: tuple[Option, ...] = ()
    description: str = ""
    rules: tuple[Rule, ...] = ()
    positional: str = ""

    def defaults(self) -> dict[str, Any]:
        """The defaults of the options by name."""
        return {option.name: option.default for option in self.options}


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A sequence of passes with a name.

    Attributes:
        name: The name, as upstream spells it.
        summary: A description in one sentence.
        passes: Returns the passes in order, as text for `pipeline.parse_passes`, given the values of the
            options by name.
        options: The options.
    """

    name: str
    summary: str
    passes: Callable[[Options], tuple[str, ...]]
    options: tuple[Option, ...] = ()

    def defaults(self) -> dict[str, Any]:
        """The defaults of the options by name."""
        return {option.name: option.default for option in self.options}


def diagnostic(module: Module, where: Operation | BlockArgument, message: str, *notes: str) -> Diagnostic:
    """Return an error of a pass about an op or argument, with its position and Python source location."""
    line, column = module.position(where)
    if line == 0 and where is module.op:  # a module without `module` around it begins with the text
        line, column = 1, 1
    notes = (*notes, *origin(where.location))
    return Diagnostic("error", "transform", message, line, column, notes, 0, positions(where.location))


def failure(module: Module, where: Operation | BlockArgument, message: str, *notes: str) -> TransformError:
    """Return the error of a pass that cannot be applied; it names the op or argument at fault."""
    if isinstance(where, Operation) and not (where.is_module or where.is_function or where.name in message):
        message = f"{where.name}: {message}"
    return TransformError(module.name, [diagnostic(module, where, message, *notes)])
