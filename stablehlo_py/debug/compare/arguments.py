"""Arguments of two programs: which one of the first program each one of the second program is.

The second program may take fewer, since some are constants in it. The names `arg0`, `arg1`, ... say little: a
program that is written without names has them, whatever it took before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from stablehlo_py.ir.signature import Argument
from stablehlo_py.ir.types import Type

Arguments = Sequence[Argument]
Kind = Callable[[Type], Hashable]  # equal for types that are compared
_LISTED = 8  # arguments in a message


def counterparts(mine: Arguments, theirs: Arguments, kind: Kind) -> list[int] | None:
    """Match arguments: by position if their types are the same; else by names, or by types in order.

    Args:
        mine: The arguments of the first program.
        theirs: The arguments of the second program.
        kind: Gives what types have in common.

    Returns:
        The index of the argument of the first program, for each argument of the second one; None if an
        argument has no counterpart.
    """
    kinds, wanted = ([kind(each.type) for each in side] for side in (mine, theirs))
    if kinds == wanted:
        return list(range(len(mine)))
    keys = [(each.path, kind) for each, kind in zip(mine, kinds, strict=True)]
    sought = [(each.path, kind) for each, kind in zip(theirs, wanted, strict=True)]
    if all(keys.count(key) == 1 for key in sought):
        return [keys.index(key) for key in sought]
    first = list(_in_order(kinds, wanted))
    last = [len(kinds) - 1 - place for place in _in_order(kinds[::-1], wanted[::-1])][::-1]
    return first if len(first) == len(wanted) and first == last else None


def _in_order(kinds: Sequence[Hashable], wanted: Sequence[Hashable]) -> Iterator[int]:
    """Yield the first place of each wanted kind behind the place of the one before."""
    place = 0
    for each in wanted:
        while place < len(kinds) and kinds[place] != each:
            place += 1
        if place == len(kinds):
            return
        yield place
        place += 1


def mismatch(mine: Arguments, theirs: Arguments) -> str:
    """The message for arguments that cannot be matched."""
    first, second = (
        ", ".join([f"{each.label}: {each.type}" for each in side[:_LISTED]])
        + (", ..." if len(side) > _LISTED else "")
        for side in (mine, theirs)
    )
    return (
        "the arguments of the second program match those of the first one neither by name nor by type; "
        f"the first program takes {first or 'none'}; the second one takes {second or 'none'}"
    )
