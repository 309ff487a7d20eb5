"""Registry of engines by name."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple

from stablehlo_py.engines.engine import Engine

AUTO = "auto"


class Row(NamedTuple):
    """An engine.

    Attributes:
        name: The name.
        module: The module that defines it as `ENGINE`.
        extra: The extra that installs its dependencies.
        systems: The systems on which it runs, if these are not all.
    """

    name: str
    module: str
    extra: str = ""
    systems: str = ""


ENGINES = (
    Row(AUTO, "stablehlo_py.engines.auto"),
    Row("numpy", "stablehlo_py.engines.numpy.engine"),
    Row("native", "stablehlo_py.engines.native.engine", "native", "Linux and macOS"),
    Row("pjrt", "stablehlo_py.engines.pjrt.engine", "pjrt"),
    Row("mpi", "stablehlo_py.engines.mpi.engine", "mpi"),
)


def find_engine(engine: str | Engine = AUTO, **settings: Any) -> Engine:
    """Return the engine of a name.

    Args:
        engine: A name, `auto` for the fastest engine that is installed, or an engine.
        settings: The values of the engine's own fields, such as `platform`.

    Raises:
        ValueError: There is no engine of that name, its dependencies are not installed, or it has no such
            setting.
    """
    if not isinstance(engine, str):
        return engine
    row = next((row for row in ENGINES if row.name == engine), None)
    if row is None:
        names = ", ".join(engine_names())
        raise ValueError(f"unknown engine {engine}; the engines are {names}")
    found: Engine = import_module(row.module).ENGINE
    if not found.is_available():
        systems = f" on {row.systems}" if row.systems else ""
        install = f"run pip install 'stablehlo-py[{row.extra}]'"
        raise ValueError(f"engine {row.name} is not installed: {install}{systems}")
    known: set[str] = {field.name for field in fields(found)} if is_dataclass(found) else set()
    unknown = sorted(set(settings) - known)
    if unknown:
        raise ValueError(f"engine {row.name} has no setting {unknown[0]}")
    return replace(found, **settings) if settings else found  # type: ignore[type-var]


def engine_names() -> list[str]:
    """Return the names that `find_engine` accepts."""
    return [row.name for row in ENGINES]
