"""Equal ops: later ones use the results of the first, where that is known to dominate them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from stablehlo_py.ir.core import Operation, erase_all
from stablehlo_py.opset.definition import has_trait

Known = dict[Hashable, Operation]


def share_equal(
    root: Operation,
    key: Callable[[Operation], Hashable | None],
    is_gone: Callable[[Operation], bool] = lambda op: False,
) -> bool:
    """Erase the ops inside of an op that are equal to an earlier one in the same block or in one around it.

    Args:
        root: The op, whose regions capture no values from around it.
        key: What equal ops have in common; None for an op that stays.
        is_gone: Tests whether an op is erased in any case.

    Returns:
        Whether there were any.
    """
    gone: list[Operation] = []
    scopes = _scopes(root, {})
    while scopes:
        ops, known, own = scopes[-1]
        for op in ops:
            if is_gone(op):
                gone.append(op)
                continue
            found = key(op)
            first = op if found is None else known.setdefault(found, op)
            if first is not op:
                for result, same in zip(op.results, first.results, strict=True):
                    result.replace_all_uses(same)
                gone.append(op)
                continue
            if found is not None:
                own.append(found)
            if op.regions:
                scopes += _scopes(op, {} if has_trait(op.name, "isolated") else known)
                break
        else:
            for each in own:
                del known[each]
            scopes.pop()
    erase_all(gone)
    return bool(gone)


def _scopes(op: Operation, known: Known) -> list[tuple[Iterator[Operation], Known, list[Hashable]]]:
    """Return the blocks of an op, the first one last: their ops, the ops known before, and their own keys.

    One of several blocks need not dominate the others: each forgets its keys at its end.
    """
    return [(iter(block.ops), known, []) for block in reversed(op.blocks)]
