"""Engines by name."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from stablehlo_py.engines.engine import Engine

AUTO = "auto"


class Row(NamedTuple):
    """An engine: the module that has it as `ENGINE`, and the extra that installs what it needs."""

    name: str
    module: str
    extra: str = ""


ENGINES = (Row("numpy", "stablehlo_py.engines.numpy.engine"),)


def find_engine(engine: str | Engine = AUTO) -> Engine:
    """The engine of a name.

    Args:
        engine: a name, `auto` for the best of those that are installed, or an engine itself.

    Raises:
        ValueError: there is no engine of that name, or what it needs is not installed.
    """
    if not isinstance(engine, str):
        return engine
    row = ENGINES[0] if engine == AUTO else next((row for row in ENGINES if row.name == engine), None)
    if row is None:
        names = ", ".join(engine_names())
        raise ValueError(f"there is no engine {engine}; the engines are {names}")
    found: Engine = import_module(row.module).ENGINE
    if not found.is_available():
        raise ValueError(
            f"the engine {row.name} is not installed: run pip install 'stablehlo-py[{row.extra}]'"
        )
    return found


def engine_names() -> list[str]:
    """The names that `find_engine` takes."""
    return [AUTO, *(row.name for row in ENGINES)]
