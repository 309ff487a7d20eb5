"""Measurements of earlier processes: how many seconds native code saves in a call of a function."""

from __future__ import annotations

from typing import Any

from stablehlo_py.engines.engine import Semantics
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.storage import cache

_PREFIX = "saving-"
_MOST = 512  # entries of the disk cache


def measured_saving(plan: Plan[Step], semantics: Semantics) -> float | None:
    """Return the seconds saved, None if no process has measured them with the code that there is now."""
    name, key = _entry(plan, semantics)
    found = cache.load(name, key, _is_saving)
    if found is None:
        return None
    from stablehlo_py.engines.native.library import version

    return float(found[1]) if found[0] == version() else None


def store_saving(plan: Plan[Step], semantics: Semantics, seconds: float) -> None:
    """Store the seconds saved."""
    from stablehlo_py.engines.native.library import version

    name, key = _entry(plan, semantics)
    cache.store(name, key, (version(), seconds))
    cache.trim(_PREFIX, _MOST)


def _is_saving(data: Any) -> bool:
    return isinstance(data, tuple) and [type(item) for item in data] == [str, float]


def _entry(plan: Plan[Step], semantics: Semantics) -> tuple[str, str]:
    """The name and key of a function: of what its time depends on."""
    from stablehlo_py.engines.native.fingerprint import outline

    key = f"{semantics}\n{outline(plan)}"
    return cache.entry_name(_PREFIX, key), key
