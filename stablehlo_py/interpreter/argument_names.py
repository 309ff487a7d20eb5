"""Arguments by name: `params/dense/kernel`, as JAX writes it `params['dense']['kernel']`, or `arg0`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.ir.signature import Argument, Dropped, Signature
from stablehlo_py.ir.trees import joined, listed, segments

_MOST_SUGGESTIONS = 3


class ArgumentNames:
    """The arguments of a program by name.

    A name is found as it is, or if no other argument differs from it in the separators of keys alone: as
    `params.dense.kernel` or `params['dense']['kernel']`.

    Args:
        signature: The signature of the program.
    """

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self._named: dict[str, Argument | Dropped] = {}
        for argument in signature.inputs:
            self._named.setdefault(argument.path, argument)
        for dropped in (signature.dropped or {}).values():
            self._named.setdefault(dropped.path, dropped)
        for argument in signature.inputs:
            for name in argument.names:
                self._named.setdefault(name, argument)
        self._parts: dict[tuple[str, ...], Argument | Dropped | None] = {}
        for name, found in self._named.items():
            parts = segments(name)
            self._parts[parts] = found if self._parts.get(parts, found) is found else None

    def find(self, name: str, node: str = "") -> Argument | Dropped | None:
        """Return the argument of a name, also if it is dropped; None if there is none.

        Args:
            name: The name.
            node: The name of a node of the tree that the name is below, such as `params`.
        """
        if node:
            return self._parts.get((*segments(node), *segments(name)))
        name = name.removeprefix("%")
        return self._named.get(name) or self._parts.get(segments(name))

    def is_node(self, name: str) -> bool:
        """Test whether a name is that of a node of the tree, which has arguments below it."""
        parts = segments(name)
        return any(len(each) > len(parts) and each[: len(parts)] == parts for each in self._parts)

    def position_in_full_list(self, names: Collection[str]) -> dict[str, Argument | Dropped]:
        """Return the arguments of `in0`, `in1`, ... if these are all with the dropped ones; else {}."""
        count, dropped = self.signature.full_count, self.signature.dropped or {}
        if not dropped or len(names) != count:
            return {}
        for prefix in ("in", "arg"):
            numbered = [f"{prefix}{number}" for number in range(count)]
            if set(numbered) == set(names):
                inputs = iter(self.signature.inputs)
                return {name: dropped.get(i) or next(inputs) for i, name in enumerate(numbered)}
        return {}

    def problem(self, unknown: Collection[str], missing: Iterable[Argument]) -> str:
        """Return the message for names that no argument has, and arguments that have no value.

        Args:
            unknown: The names.
            missing: The arguments.
        """
        parts = []
        if unknown:
            known = [each.path for each in self.signature.inputs]
            nodes = {joined(path[:depth]): None for path in self._parts for depth in range(1, len(path))}
            close = [did_you_mean(name, [*self._named, *nodes]) for name in [*unknown][:_MOST_SUGGESTIONS]]
            advice = "".join(dict.fromkeys(close)) or f"; known arguments: {listed(known)}"
            parts.append(f"no argument named {listed(unknown)}{advice}")
        lines = [f"{each.label}: {each.type}" for each in missing]
        if lines:
            parts.append(f"missing: {listed(lines)}")
        return "; ".join(parts)


def inputs_by_name(signature: Signature, given: Mapping[str, Any]) -> dict[int, Any]:
    """Return values by the index of their argument; those that are stored with the program may be missing.

    Args:
        signature: The signature of the program.
        given: The values by name.

    Raises:
        RunError: Arguments have no value or several, or names are of no argument.
    """
    names = ArgumentNames(signature)
    arguments = {name: names.find(name) for name in given}
    named: dict[int, str] = {}
    for name, each in arguments.items():
        if isinstance(each, Argument) and named.setdefault(each.index, name) != name:
            both = f"{named[each.index]} and {name}"
            raise RunError(f"@{signature.name}: {both} are names of one argument, {each.label}")
    found = {index: given[name] for index, name in named.items()}
    unknown = [name for name, argument in arguments.items() if argument is None]
    missing = [
        each for each in signature.inputs if each.index not in found and each.index not in signature.stored
    ]
    if unknown or missing:
        raise RunError(f"@{signature.name}: {names.problem(unknown, missing)}")
    return found
