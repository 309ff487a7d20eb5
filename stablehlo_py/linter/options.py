"""Tables of options: dataclasses whose fields are read and checked one by one, as in `pyproject.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields
from typing import Any, Self, cast

from stablehlo_py.diagnostics.diagnostic import Severity
from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.version import Version, version_of

SEVERITIES = ("error", "warning", "note")
PREFIX = "lint."  # of diagnostic codes: `lint.dead-op`


class SettingsError(ValueError):
    """A setting is unknown, or its value is invalid."""


def option(read: Callable[[str, Any], Any], default: Any, doc: str) -> Any:
    """Declare an option of an `OptionTable`.

    Args:
        read: Checks and converts a value; it is also given the name of the option.
        default: The default value.
        doc: What the option means.
    """
    return field(default=default, metadata={"read": read, "doc": doc})


@dataclass(frozen=True)
class OptionTable:
    """A table of options: the fields, made by `option`, are named as in TOML, with `_` for `-`."""

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        """Create options from a table.

        Args:
            table: Values by option name, such as `{"select": ["D"], "max-constant-bytes": 9}`.

        Returns:
            The options; the defaults for those that the table lacks.

        Raises:
            SettingsError: If an option is unknown, or its value is invalid.
        """
        known = {option_name(f.name): f for f in fields(cls)}
        values = {}
        for name, value in table.items():
            if name not in known:
                raise SettingsError(f"unknown setting {name}{did_you_mean(name, known)}")
            values[known[name].name] = known[name].metadata["read"](name, value)
        return cls(**values)

    @classmethod
    def rows(cls) -> list[tuple[str, object, str]]:
        """Return name, default and description of every option."""
        return [(option_name(f.name), f.default, f.metadata["doc"]) for f in fields(cls)]


def option_name(attribute: str) -> str:
    """Return the name of an option in `pyproject.toml`."""
    return attribute.replace("_", "-")


# Readers of values


def names(name: str, value: Any) -> tuple[str, ...]:
    """Read a list of strings."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise SettingsError(f"{name} must be a list of strings, not {value!r}")
    return tuple(value)


def count(name: str, value: Any) -> int:
    """Read a non-negative integer."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise SettingsError(f"{name} must be a non-negative integer, not {value!r}")
    return value


def flag(name: str, value: Any) -> bool:
    """Read a Boolean."""
    if not isinstance(value, bool):
        raise SettingsError(f"{name} must be true or false, not {value!r}")
    return value


def text(name: str, value: Any) -> str:
    """Read a string."""
    if not isinstance(value, str) or not value:
        raise SettingsError(f"{name} must be a string, not {value!r}")
    return value


def severity(name: str, value: Any) -> Severity:
    """Read a severity."""
    if value not in SEVERITIES:
        raise SettingsError(f"{name} must be one of {', '.join(SEVERITIES)}, not {value!r}")
    return cast("Severity", value)


def version(name: str, value: Any) -> Version:
    """Read a version of StableHLO."""
    if not isinstance(value, str):
        raise SettingsError(f'{name} must be a string such as "1.7.0", not {value!r}')
    try:
        return version_of(value)
    except ValueError as error:
        raise SettingsError(f"{name}: {error}") from None


def rows_of(name: str, value: Any) -> tuple[tuple[str, Any], ...]:
    """Read a table, as its rows."""
    if not isinstance(value, Mapping):
        raise SettingsError(f"{name} must be a table, not {value!r}")
    return tuple(value.items())


def severities(name: str, value: Any) -> tuple[tuple[str, Severity], ...]:
    """Read a table of severities."""
    return tuple([(key, severity(f"{name}.{key}", item)) for key, item in rows_of(name, value)])


def lists(name: str, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read a table of lists of strings."""
    return tuple([(key, names(f"{name}.{key}", item)) for key, item in rows_of(name, value)])
