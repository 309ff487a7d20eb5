"""Settings from the table `[tool.shlo.lint]` of a `pyproject.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stablehlo_py.linter.catalogue import named_all, selected
from stablehlo_py.linter.engine import severities_of
from stablehlo_py.linter.settings import Settings, SettingsError

FILE = "pyproject.toml"


def find_file(start: Path) -> Path | None:
    """Find the nearest `pyproject.toml` with a table `[tool.shlo.lint]`, in a directory or its parents."""
    for folder in (start, *start.parents):
        path = folder / FILE
        if path.is_file() and _table(path) is not None:
            return path
    return None


def load(path: Path) -> Settings:
    """Read the settings of a `pyproject.toml`.

    Args:
        path: The file.

    Returns:
        The settings; the defaults if the file has no table `[tool.shlo.lint]`.

    Raises:
        OSError: If the file cannot be read.
        SettingsError: If it is not TOML, or contains an unknown setting or rule.
    """
    try:
        settings = Settings.of(_table(path) or {})
        check(settings)
    except SettingsError as error:
        raise SettingsError(f"{path}: [tool.shlo.lint]: {error}") from None
    return settings


def check(settings: Settings) -> None:
    """Raise SettingsError if settings contain an unknown rule."""
    selected(settings)
    severities_of(settings)
    for _, words in settings.per_file_ignores:
        named_all(words)


def _table(path: Path) -> dict[str, Any] | None:
    import tomllib

    try:
        found: Any = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: invalid TOML: {error}") from None
    for name in ("tool", "shlo", "lint"):
        found = found.get(name) if isinstance(found, dict) else None
    if found is not None and not isinstance(found, dict):
        raise SettingsError(f"{path}: tool.shlo.lint must be a table")
    return found
