"""Arguments and results of a call as trees: between trees and the inputs and results of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stablehlo_py.ir.signature import Signature
from stablehlo_py.ir.trees import LEAF, Tree, listed, numbered, path_of, tree_of
from stablehlo_py.ir.types import TokenType

_RESULT = "result"  # the root of the names that JAX records for results


def flatten(signature: Signature, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> list[Any]:
    """Return the inputs of a program in order; see `Signature.flatten`."""
    positional, by_keyword = _parameters(signature)
    names = [*positional]
    if len(arguments) > len(names):
        raise ValueError(f"@{signature.name} takes {len(names)} positional arguments, {len(arguments)} given")
    given = dict(zip(names, arguments, strict=False))
    parameters = positional | by_keyword
    needed = [name for name, tree in parameters.items() if not tree.is_dropped]
    missing = [name for name in needed if name not in given and name not in keywords]
    wrong = [name for name in keywords if name in given or name not in parameters]
    if missing or wrong:
        raise ValueError(
            f"@{signature.name} takes {listed(parameters)}; missing: {listed(missing)}; "
            f"unexpected: {listed(wrong)}"
        )
    given |= keywords
    leaves = [leaf for name, tree in parameters.items() for leaf in tree.flatten(given.get(name), (name,))]
    before = _before(signature)
    return signature.without_dropped([*before, *leaves])


def unflatten(signature: Signature, results: Sequence[Any]) -> Any:
    """Return the tree of results; see `Signature.unflatten`."""
    tree = _results(signature)
    return tree.unflatten(iter(results[len(results) - len([*tree.paths()]) :]))


def _parameters(signature: Signature) -> tuple[dict[str, Tree], dict[str, Tree]]:
    """Return the trees of the positional arguments and of those by keyword, by name and in order."""
    convention = signature.convention
    if convention is not None:
        positional, by_keyword = convention.arguments.children
        return (
            dict(zip(signature.roots, positional.children, strict=True)),
            dict(zip(by_keyword.keys, by_keyword.children, strict=True)),
        )
    inputs = [each for each in signature.inputs if each.index not in signature.stored]
    tree = tree_of([each.recorded or each.path for each in inputs]) if inputs else None
    if tree is None or tree.kind == "leaf":
        return {each.path: LEAF for each in inputs}, {}
    return dict(zip(tree.keys, tree.children, strict=True)), {}


def _before(signature: Signature) -> list[Any]:
    """Return the inputs before those of the exported function: the number of a platform, and tokens."""
    convention = signature.convention
    if convention is None:
        return []
    count = len(signature.inputs) - len(convention.kept)
    return [
        None if isinstance(each.type, TokenType) else convention.platform for each in signature.inputs[:count]
    ]


def _results(signature: Signature) -> Tree:
    """Return the tree of results: as a container or their names say, else a tuple, or a single result."""
    if signature.convention is not None:
        return signature.convention.results
    names = [each.name for each in signature.outputs]
    if len(names) == 1 and path_of(names[0]) in ((_RESULT,), ("",)):
        return LEAF
    if not names or not all(names):
        return numbered("tuple", [LEAF] * len(names))
    rooted = all(path_of(name)[0] == _RESULT for name in names)
    found = tree_of([name.removeprefix(_RESULT) for name in names] if rooted else names)
    return found or numbered("tuple", [LEAF] * len(names))
