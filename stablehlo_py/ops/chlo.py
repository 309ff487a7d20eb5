"""The ops of chlo as functions on NumPy arrays; see `stablehlo_py.ops`."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ops.functions import function_of, names_of

_DIALECT = "chlo"


def __getattr__(name: str) -> Any:
    return function_of(_DIALECT, name)


def __dir__() -> list[str]:
    return sorted(names_of(_DIALECT))
