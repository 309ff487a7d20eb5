"""Settings from a file: `[tool.shlo.lint]` of a `pyproject.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stablehlo_py.linter.catalogue import named_all, selected
from stablehlo_py.linter.engine import severities_of
from stablehlo_py.linter.settings import Settings, SettingsError

FILE = "pyproject.toml"


def find_file(start: Path) -> Path | None:
    """The nearest `pyproject.toml` with a table `[tool.shlo.lint]`, in a folder or above it."""
    for folder in (start, *start.parents):
        path = folder / FILE
        if path.is_file() and _table(path) is not None:
            return path
    return None


def load(path: Path) -> Settings:
    """The settings of a file; the defaults where it has no table of ours.

    Raises OSError if it cannot be read, SettingsError for a setting or rule that does not exist.
    """
    try:
        settings = Settings.of(_table(path) or {})
        check(settings)
    except SettingsError as error:
        raise SettingsError(f"{path}: [tool.shlo.lint]: {error}") from None
    return settings


def check(settings: Settings) -> None:
    """Raises SettingsError if settings name a rule that does not exist."""
    selected(settings)
    severities_of(settings)
    for _, words in settings.per_file_ignores:
        named_all(words)


def _table(path: Path) -> dict[str, Any] | None:
    import tomllib

    try:
        found: Any = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: this is not TOML: {error}") from None
    for name in ("tool", "shlo", "lint"):
        found = found.get(name) if isinstance(found, dict) else None
    if found is not None and not isinstance(found, dict):
        raise SettingsError(f"{path}: tool.shlo.lint must be a table")
    return found
