"""Lookup of definitions by user-supplied names."""

from __future__ import annotations

from stablehlo_py.opset.definition import OpDef, all_definitions, lookup

_WHOLE_DIALECTS = ("stablehlo.", "chlo.", "func.", "builtin.")


def belongs_here(name: str) -> bool:
    """Test whether all ops of an op's dialect have definitions, so that an undefined one is an error."""
    return name.startswith(_WHOLE_DIALECTS)


def find_definition(name: str) -> OpDef | None:
    """Find the definition of an op by full name or mnemonic; None if it is unknown.

    A mnemonic refers to StableHLO first, then to other dialects.
    """
    if found := lookup(name) or lookup(f"stablehlo.{name}"):
        return found
    return next((d for d in all_definitions() if d.name.partition(".")[2] == name), None)


def nearest(name: str, count: int = 3) -> list[str]:
    """Return the op names closest to a name; without prefix for StableHLO's."""
    from difflib import get_close_matches  # for errors only

    full = [definition.name for definition in all_definitions()]
    short = {full_name.partition(".")[2]: full_name for full_name in reversed(full)}
    close = get_close_matches(name, [*full, *short], count, 0.6)
    return list(dict.fromkeys([short.get(c, c).removeprefix("stablehlo.") for c in close]))
