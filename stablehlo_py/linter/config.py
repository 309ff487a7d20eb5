"""Configuration of a project: the table `[tool.shlo]` of a `pyproject.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from stablehlo_py.diagnostics.diagnostic import Severity
from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.ir.records import dataclass
from stablehlo_py.linter import options
from stablehlo_py.linter.options import OptionTable, SettingsError, option
from stablehlo_py.linter.settings import Settings

FILE = "pyproject.toml"
EXCLUDED = ("__pycache__", "bazel-*", "build", "dist", "node_modules", "site-packages", "venv")
"""Patterns of files and folders that are skipped by default; hidden ones always are."""
_LARGEST = 1 << 26  # bytes of a configuration
T = TypeVar("T", bound=OptionTable)

_FAIL_ON = "Exit with status 1 for diagnostics of this severity or higher."
_BASELINE = "The file of known diagnostics, which are not reported; relative to this file."


class Failing(Protocol):
    """A table with `fail-on` and `baseline`."""

    @property
    def fail_on(self) -> Severity | None:
        """The least severity that fails."""

    @property
    def baseline(self) -> str | None:
        """The file of known diagnostics."""


@dataclass(frozen=True)
class VerifyOptions(OptionTable):
    """The options of `[tool.shlo.verify]`."""

    strict: bool = option(
        options.flag, False, "Whether what only the specification's text forbids is an error."
    )
    allow_unregistered: bool = option(options.flag, False, "Whether ops of unregistered dialects are valid.")
    allow_newer: bool = option(options.flag, False, "Whether ops newer than this release are valid.")
    fail_on: Severity | None = option(options.severity, None, f"{_FAIL_ON} By default error.")
    baseline: str | None = option(options.text, None, _BASELINE)


@dataclass(frozen=True)
class LintOptions(Settings):
    """The options of `[tool.shlo.lint]`: the settings of the linter, and those of the command."""

    fail_on: Severity | None = option(options.severity, None, f"{_FAIL_ON} By default warning.")
    baseline: str | None = option(options.text, None, _BASELINE)


@dataclass(frozen=True)
class FmtOptions(OptionTable):
    """The options of `[tool.shlo.fmt]`."""

    canonical: bool = option(options.flag, False, "Whether to print exactly what the C++ printer prints.")
    generic: bool = option(options.flag, False, "Whether to print every op in generic form.")


@dataclass(frozen=True)
class SharedOptions(OptionTable):
    """The options of `[tool.shlo]` itself."""

    exclude: tuple[str, ...] = option(
        options.names, EXCLUDED, "Patterns of files and folders to skip when searching folders."
    )
    extend_exclude: tuple[str, ...] = option(options.names, (), "Patterns to skip in addition to exclude.")
    respect_gitignore: bool = option(
        options.flag, True, "Whether to skip what .gitignore files exclude when searching folders."
    )
    fail_on: Severity | None = option(options.severity, None, f"For verify and lint: {_FAIL_ON}")


TABLES: Mapping[str, type[OptionTable]] = {"verify": VerifyOptions, "lint": LintOptions, "fmt": FmtOptions}


@dataclass(frozen=True)
class Project:
    """The configuration of a project.

    Attributes:
        root: The folder that patterns and paths are relative to.
        shared: The options of all commands.
        tables: The options of single commands, by name.
    """

    root: Path
    shared: SharedOptions = SharedOptions()
    tables: Mapping[str, OptionTable] = field(default_factory=dict)

    @property
    def verify(self) -> VerifyOptions:
        """The options of verify."""
        return self._table("verify", VerifyOptions)

    @property
    def lint(self) -> LintOptions:
        """The options of lint."""
        return self._table("lint", LintOptions)

    @property
    def fmt(self) -> FmtOptions:
        """The options of fmt."""
        return self._table("fmt", FmtOptions)

    def _table(self, name: str, kind: type[T]) -> T:
        found = self.tables.get(name)
        return found if isinstance(found, kind) else kind()

    def fail_on(self, command: str) -> Severity:
        """Return the least severity that makes a command fail."""
        table: Failing = self.verify if command == "verify" else self.lint
        otherwise: Severity = "error" if command == "verify" else "warning"
        return table.fail_on or self.shared.fail_on or otherwise

    def baseline(self, command: str) -> Path | None:
        """Return the file of known diagnostics of a command."""
        table: Failing = self.verify if command == "verify" else self.lint
        return self.root / table.baseline if table.baseline else None


def find_project(start: Path) -> Project:
    """Read the nearest `pyproject.toml` with a table `[tool.shlo]`, in a folder or its parents.

    Raises:
        OSError: If the file cannot be read.
        SettingsError: If it is not TOML, or contains an unknown setting or rule.
    """
    path = find_file(start)
    return load(path) if path else Project(start)


def find_file(start: Path) -> Path | None:
    """Find the nearest `pyproject.toml` with a table `[tool.shlo]`, in a folder or its parents."""
    for folder in (start, *start.parents):
        path = folder / FILE
        if path.is_file() and _table(path) is not None:
            return path
    return None


def load(path: Path) -> Project:
    """Read the configuration of a `pyproject.toml`.

    Args:
        path: The file.

    Returns:
        The configuration; the defaults if the file has no table `[tool.shlo]`.

    Raises:
        OSError: If the file cannot be read.
        SettingsError: If it is not TOML, or contains an unknown setting or rule.
    """
    table = dict(_table(path) or {})
    inner = {name: table.pop(name) for name in TABLES if name in table}
    known = [name for name, _, _ in SharedOptions.rows()]
    for name in table:
        if name not in known:
            raise SettingsError(
                f"{path}: [tool.shlo]: unknown setting {name}{did_you_mean(name, [*known, *TABLES])}"
            )
    shared = _read(path, "tool.shlo", table, SharedOptions)
    tables = {name: _read(path, f"tool.shlo.{name}", inner[name], TABLES[name]) for name in inner}
    project = Project(path.parent, shared, tables)
    try:
        if "lint" in tables:
            check(project.lint)
    except SettingsError as error:
        raise SettingsError(f"{path}: [tool.shlo.lint]: {error}") from None
    return project


def check(settings: Settings) -> None:
    """Raise SettingsError if settings contain an unknown rule."""
    from stablehlo_py.linter.catalogue import selected  # imports all rules
    from stablehlo_py.linter.engine import severities_of

    selected(settings, file="")
    severities_of(settings)


def _read(path: Path, name: str, table: Any, kind: type[T]) -> T:
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: {name} must be a table")
    try:
        return kind.of(table)
    except SettingsError as error:
        raise SettingsError(f"{path}: [{name}]: {error}") from None


def _table(path: Path) -> dict[str, Any] | None:
    import tomllib

    with path.open("rb") as stream:
        data = stream.read(_LARGEST + 1)
    if len(data) > _LARGEST:  # such as of a device without an end
        raise SettingsError(f"{path}: larger than {_LARGEST >> 20} MiB")
    try:
        found: Any = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: invalid TOML: {error}") from None
    except RecursionError:
        raise SettingsError(f"{path}: nested too deeply") from None
    for name in ("tool", "shlo"):
        found = found.get(name) if isinstance(found, dict) else None
    if found is not None and not isinstance(found, dict):
        raise SettingsError(f"{path}: tool.shlo must be a table")
    return cast("dict[str, Any] | None", found)


def reference() -> str:
    """Render the documentation of the configuration as Markdown."""
    lines = ["# Configuration", "", _INTRODUCTION]
    kinds: dict[str, type[OptionTable]] = {"": SharedOptions, **TABLES}
    for name, kind in kinds.items():
        lines += [f"## [tool.shlo{'.' if name else ''}{name}]", "", *option_table(kind.rows()), ""]
    return "\n".join(lines)


def option_table(rows: list[tuple[str, object, str]]) -> list[str]:
    """Render options as the lines of a Markdown table."""
    lines = ["| Name | Default | Description |", "| --- | --- | --- |"]
    for name, default, doc in rows:
        shown = {} if doc.startswith("A table") else list(default) if isinstance(default, tuple) else default
        text = "none" if shown is None else str(shown).lower() if isinstance(shown, bool) else shown
        lines.append(f"| {name} | `{text}` | {doc} |")
    return lines


_INTRODUCTION = """Commands read the nearest `pyproject.toml` with a table `[tool.shlo]`, in the working
directory or its parents, or the file of `--config`. Options of the command line take precedence. An unknown
setting is an error.

```toml
[tool.shlo]
extend-exclude = ["third_party", "testdata/*.mlir"]
fail-on = "warning"

[tool.shlo.verify]
strict = true

[tool.shlo.lint]
select = ["default", "P"]
baseline = "lint-baseline.json"

[tool.shlo.fmt]
canonical = true
```

## Files

A folder is searched for programs (`.mlir`, `.mlir.gz`, and binary formats by their content). Hidden files and
folders are skipped, and so is what `.gitignore` files exclude, unless `respect-gitignore` is false or
`--no-ignore` is given. A pattern in `exclude` without a slash matches the name of any file or folder; one
with a slash matches the path from the folder of `pyproject.toml`, where `**` stands for any number of
folders. Paths on the command line are processed even if they are excluded, unless `--force-exclude` is given,
which hooks that pass file names need.
"""
