"""Definitions by the names that people use."""

from __future__ import annotations

from difflib import get_close_matches

from stablehlo_py.opset.definition import OpDef, all_definitions, lookup

_WHOLE_DIALECTS = ("stablehlo.", "chlo.", "func.", "builtin.")
_WITHOUT_DEFINITION = frozenset({"func.call_indirect", "func.constant"})


def belongs_here(name: str) -> bool:
    """Whether an op is of a dialect whose ops all have definitions, so that an undefined one is wrong."""
    return name.startswith(_WHOLE_DIALECTS) and name not in _WITHOUT_DEFINITION


def find_definition(name: str) -> OpDef | None:
    """The definition of an op by its full name, or by its mnemonic; None if there is none.

    A mnemonic is StableHLO's before it is another dialect's.
    """
    if found := lookup(name) or lookup(f"stablehlo.{name}"):
        return found
    return next((d for d in all_definitions() if d.name.partition(".")[2] == name), None)


def nearest(name: str, count: int = 3) -> list[str]:
    """The names of ops that look most like a name, in full unless they are StableHLO's."""
    full = [definition.name for definition in all_definitions()]
    short = {full_name.partition(".")[2]: full_name for full_name in reversed(full)}
    close = get_close_matches(name, [*full, *short], count, 0.6)
    return list(dict.fromkeys([short.get(c, c).removeprefix("stablehlo.") for c in close]))
