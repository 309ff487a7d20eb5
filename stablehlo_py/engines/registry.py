"""Registry of engines by name."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from stablehlo_py.engines.engine import Engine

AUTO = "auto"


class Row(NamedTuple):
    """An engine: the module that defines it as `ENGINE`, and the extra that installs its dependencies."""

    name: str
    module: str
    extra: str = ""


ENGINES = (
    Row(AUTO, "stablehlo_py.engines.auto"),
    Row("numpy", "stablehlo_py.engines.numpy.engine"),
    Row("native", "stablehlo_py.engines.native.engine", "native"),
)


def find_engine(engine: str | Engine = AUTO) -> Engine:
    """Return the engine of a name.

    Args:
        engine: A name, `auto` for the fastest engine that is installed, or an engine.

    Raises:
        ValueError: There is no engine of that name, or its dependencies are not installed.
    """
    if not isinstance(engine, str):
        return engine
    row = next((row for row in ENGINES if row.name == engine), None)
    if row is None:
        names = ", ".join(engine_names())
        raise ValueError(f"unknown engine {engine}; the engines are {names}")
    found: Engine = import_module(row.module).ENGINE
    if not found.is_available():
        raise ValueError(f"engine {row.name} is not installed: run pip install 'stablehlo-py[{row.extra}]'")
    return found


def engine_names() -> list[str]:
    """Return the names that `find_engine` accepts."""
    return [row.name for row in ENGINES]
