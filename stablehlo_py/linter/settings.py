"""User settings: selection of rules, their severity and their options.

The names are those of `[tool.shlo.lint]` in `pyproject.toml`. Rules are selected by name (`dead-op`), by code
(`D101`), by a prefix of a code (`D`), or as `default` or `all`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from stablehlo_py.diagnostics.diagnostic import Severity
from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.ir.version import Version, version_of

_DIALECTS = ("check", "interpreter", "sdy")
SEVERITIES = ("error", "warning", "note")


class SettingsError(ValueError):
    """A setting is unknown, or its value is invalid."""


def _option(read: Callable[[str, Any], Any], default: Any, doc: str) -> Any:
    return field(default=default, metadata={"read": read, "doc": doc})


def _names(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise SettingsError(f"{name} must be a list of strings, not {value!r}")
    return tuple(value)


def _count(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise SettingsError(f"{name} must be a non-negative integer, not {value!r}")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise SettingsError(f"{name} must be true or false, not {value!r}")
    return value


def _target(name: str, value: Any) -> Version:
    if not isinstance(value, str):
        raise SettingsError(f'{name} must be a string such as "1.7.0", not {value!r}')
    try:
        return version_of(value)
    except ValueError as error:
        raise SettingsError(f"{name}: {error}") from None


def _severities(name: str, value: Any) -> tuple[tuple[str, Severity], ...]:
    rows = _table(name, value)
    for rule, severity in rows:
        if severity not in SEVERITIES:
            raise SettingsError(f"{name}.{rule} must be one of {', '.join(SEVERITIES)}, not {severity!r}")
    return cast("tuple[tuple[str, Severity], ...]", rows)


def _ignores(name: str, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple([(pattern, _names(f"{name}.{pattern}", rules)) for pattern, rules in _table(name, value)])


def _table(name: str, value: Any) -> tuple[tuple[str, Any], ...]:
    if not isinstance(value, Mapping):
        raise SettingsError(f"{name} must be a table, not {value!r}")
    return tuple(value.items())


@dataclass(frozen=True)
class Settings:
    """The settings of the linter, named as in `pyproject.toml`; the table of options has their meaning."""

    select: tuple[str, ...] = _option(_names, ("default",), "Rules to apply.")
    ignore: tuple[str, ...] = _option(_names, (), "Rules to remove from the selected ones.")
    severity: tuple[tuple[str, Severity], ...] = _option(
        _severities, (), "A table of rules with error, warning or note."
    )
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = _option(
        _ignores, (), "A table of path patterns with the rules to ignore in matching files."
    )
    target: Version | None = _option(  # noqa: RUF009
        _target, None, "The oldest version that must be able to read the program: 1.7.0, WEEK_4, WEEK_12, ..."
    )
    strict: bool = _option(
        _flag, False, "Whether what only the specification's text forbids makes a program invalid."
    )
    max_constant_bytes: int = _option(_count, 1 << 20, "Maximum size of a constant in the text, in bytes.")
    min_duplicate_bytes: int = _option(
        _count, 1 << 10, "Minimum size of a duplicate constant to report, in bytes."
    )
    min_reduction_elements: int = _option(
        _count, 64, "Minimum number of elements of a sum or product in a narrow type to report."
    )
    allowed_custom_calls: tuple[str, ...] = _option(
        _names, (), "Patterns of allowed custom_call targets, in addition to those that JAX keeps stable."
    )
    allowed_dialects: tuple[str, ...] = _option(
        _names, _DIALECTS, "Allowed dialects, in addition to stablehlo, func, builtin and chlo."
    )

    @staticmethod
    def of(table: Mapping[str, Any]) -> Settings:
        """Create settings from a table.

        Args:
            table: Values by setting name, such as `{"select": ["D"], "max-constant-bytes": 9}`.

        Returns:
            The settings.

        Raises:
            SettingsError: If a setting is unknown, or its value is invalid.
        """
        known = {option_name(f.name): f for f in fields(Settings)}
        values = {}
        for name, value in table.items():
            if name not in known:
                raise SettingsError(f"unknown setting {name}{did_you_mean(name, known)}")
            values[known[name].name] = known[name].metadata["read"](name, value)
        return Settings(**values)


def option_name(attribute: str) -> str:
    """Return the name of a setting in `pyproject.toml`."""
    return attribute.replace("_", "-")


def option_rows() -> list[tuple[str, object, str]]:
    """Return name, default and description of every setting."""
    return [(option_name(f.name), f.default, f.metadata["doc"]) for f in fields(Settings)]
