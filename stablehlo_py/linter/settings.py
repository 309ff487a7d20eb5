"""User settings: selection of rules, their severity and their options.

The names are those of `[tool.shlo.lint]` in `pyproject.toml`. Rules are selected by name (`dead-op`), by code
(`D101`), by a prefix of a code (`D`), or as `default` or `all`.
"""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import Severity
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.version import Version
from stablehlo_py.linter import options
from stablehlo_py.linter.options import OptionTable, option
from stablehlo_py.linter.options import SettingsError as SettingsError

# Besides those for tests and annotations, the dialects that torch-mlir converts to along with StableHLO.
_DIALECTS = ("check", "interpreter", "sdy", "arith", "cf", "math", "ml_program", "shape", "tensor")


@dataclass(frozen=True)
class Settings(OptionTable):
    """The settings of the linter, named as in `pyproject.toml`; the table of options has their meaning."""

    select: tuple[str, ...] = option(options.names, ("default",), "Rules to apply.")
    ignore: tuple[str, ...] = option(options.names, (), "Rules to remove from the selected ones.")
    severity: tuple[tuple[str, Severity], ...] = option(
        options.severities, (), "A table of rules with error, warning or note."
    )
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = option(
        options.lists, (), "A table of path patterns with the rules to ignore in matching files."
    )
    target: Version | None = option(
        options.version,
        None,
        "The oldest version that must be able to read the program: 1.7.0, WEEK_4, WEEK_12, ...",
    )
    strict: bool = option(
        options.flag, False, "Whether what only the specification's text forbids makes a program invalid."
    )
    allow_newer: bool = option(options.flag, False, "Whether ops newer than this release are valid.")
    max_constant_bytes: int = option(
        options.count, 1 << 20, "Maximum size of a constant in the text, in bytes."
    )
    max_replicated_bytes: int = option(
        options.count, 1 << 26, "Maximum size of an argument that every device holds as a whole, in bytes."
    )
    min_duplicate_bytes: int = option(
        options.count, 1 << 10, "Minimum size of a duplicate constant to report, in bytes."
    )
    min_reduction_elements: int = option(
        options.count, 64, "Minimum number of elements of a sum or product in a narrow type to report."
    )
    allowed_custom_calls: tuple[str, ...] = option(
        options.names,
        (),
        "Patterns of allowed custom_call targets, in addition to those that JAX keeps stable.",
    )
    allowed_dialects: tuple[str, ...] = option(
        options.names, _DIALECTS, "Allowed dialects, in addition to stablehlo, func, builtin and chlo."
    )
