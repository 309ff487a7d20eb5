"""`shlo run --input`: bind values to arguments by name, by node of the tree of arguments, or in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stablehlo_py.cli.inputs import (
    Given,
    ProcessId,
    in_order,
    named_value,
    placed_value,
    read_file,
    read_value,
    unclear_order,
)
from stablehlo_py.cli.layouts import Layouts, read_buffers

import stablehlo_py as shlo
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.interpreter.argument_names import ArgumentNames
from stablehlo_py.ir.signature import Argument, Dropped, Signature
from stablehlo_py.ir.trees import node_above
from stablehlo_py.ir.types import Type


def by_place(
    given: Given,
    signature: Signature,
    places: Sequence[ProcessId],
    layouts: Layouts,
    weights: Mapping[int, Path],
    local: Sequence[ProcessId] | None = None,
) -> dict[ProcessId, list[Any]]:
    """Read inputs and bind them to arguments, for every process of the grid.

    Args:
        given: The options.
        signature: The signature of the function.
        places: The (replica, partition) ids of the grid.
        layouts: The layouts of raw buffers.
        weights: The files of arguments that are stored with the program, by index; an input by name
            replaces one.
        local: The processes that take inputs here, by default all.

    Returns:
        The argument values of each of the local processes.

    Raises:
        RunError: If the values do not match the arguments, or a process is not in the grid.
    """
    shared: list[str] = []
    own: dict[ProcessId, list[str]] = {place: [] for place in places}
    for spec in given.specs:
        place, value = placed_value(spec)
        if place is None:
            shared.append(value)
            continue
        if place not in own:
            raise shlo.RunError(f"process {place} is not in the grid; the last process is {max(places)}")
        own[place].append(value)
    names = ArgumentNames(signature)
    stored = {index: read_file(str(path)) for index, path in weights.items()}
    local = places if local is None else local

    def bound(specs: list[str]) -> list[Any]:
        return _Binding(names, given, stored).values(specs, layouts)

    for_all = [] if all(own[place] for place in local) else bound(shared)
    return {place: bound([*shared, *own[place]]) if own[place] else for_all for place in local}


class _Binding:
    """The values of arguments.

    Args:
        names: The arguments by name.
        given: The options.
        weights: The values of arguments that are stored with the program, by index.
    """

    def __init__(self, names: ArgumentNames, given: Given, weights: Mapping[int, Any]) -> None:
        self._names, self._given = names, given
        self._signature = names.signature
        self._bound = dict(weights)
        self._unplaced: list[Any] = []
        self._unknown: dict[str, str] = {}  # names, and the files that they are in
        types = [argument.type for argument in names.signature.inputs]
        # Arguments that are dropped have sizes, too.
        self._limit = total_size(types) if not names.signature.is_partial else None

    def values(self, specs: Sequence[str], layouts: Layouts) -> list[Any]:
        """Return the values of all arguments in order; raise RunError if inputs do not match them."""
        from stablehlo_py.interpreter.inputs import cast_input

        for spec in specs:
            name, text = named_value(spec)
            if name:
                self._take_named(name, text)
            elif isinstance(value := read_value(spec, self._limit), Mapping):
                self._take_arrays(spec, value)
            else:
                self._unplaced.append(value)
        self._place()
        self._fill()
        inputs = self._signature.inputs
        found = read_buffers([self._bound[each.index] for each in inputs], inputs, layouts)
        if not self._given.cast:
            return found
        return [cast_input(value, each.type, str(each)) for value, each in zip(found, inputs, strict=True)]

    def _take_named(self, name: str, text: str) -> None:
        """Bind the value of NAME=VALUE to its argument, or the arrays of a file to those below a node."""
        argument = self._names.find(name)
        if argument is None and not self._names.is_node(name):
            self._unknown[name] = ""
        if not isinstance(argument, Argument) and not self._names.is_node(name):
            return
        value = read_value(text, self._limit)
        if not isinstance(argument, Argument):
            if not isinstance(value, Mapping):
                raise shlo.RunError(f"{name} has several arguments: expected a file of arrays by name")
            self._take_arrays(text, value, name)
            return
        if isinstance(value, Mapping):
            if len(value) != 1:
                raise shlo.RunError(f"expected one array for {argument}, but {text} has {len(value)}")
            (value,) = value.values()
        self._bound[argument.index] = value

    def _take_arrays(self, file: str, arrays: Mapping[str, Any], node: str = "") -> None:
        """Bind arrays to arguments by name; if no name matches and the order is clear, bind them in order.

        Raises RunError if no name matches and the order is not clear.
        """
        full = self._names.position_in_full_list(arrays) if not node else {}
        placed: Mapping[str, Argument | Dropped | None]
        placed = full or {name: self._names.find(name, node) for name in arrays}
        if not node and (self._given.by_order or not any(placed.values())):
            names = in_order(arrays, self._given.by_order, len(self._signature.inputs))
            if names is None:
                known = [each.path for each in self._signature.inputs]
                raise shlo.RunError(
                    unclear_order(file, arrays, "an argument", known, node_above(arrays, known))
                )
            self._unplaced += [arrays[name] for name in names]
            return
        taken: dict[int, str] = {}
        for name, argument in placed.items():
            if argument is None:
                self._unknown[f"{node}/{name}" if node else name] = file
            if not isinstance(argument, Argument):
                continue
            if argument.index in taken:
                raise shlo.RunError(f"{file}: {taken[argument.index]} and {name} are both {argument}")
            taken[argument.index] = name
            self._bound[argument.index] = arrays[name]

    def _place(self) -> None:
        """Bind values without a name to the arguments that have none, in order, or all to all arguments."""
        if self._signature.is_partial and len(self._unplaced) == self._signature.full_count:
            self._unplaced = self._signature.without_dropped(self._unplaced)
        remaining = [each.index for each in self._signature.inputs if each.index not in self._bound]
        if len(self._unplaced) > len(remaining):
            total = len(self._signature.inputs)
            expected = counted(total, "input") if total else "no inputs"
            have = total - len(remaining) + len(self._unplaced)
            raise shlo.RunError(f"expected {expected}, got {have}{self._or_all()}")
        self._bound.update(zip(remaining, self._unplaced, strict=False))

    def _or_all(self) -> str:
        count = self._signature.full_count
        return f" ({count} with those that the program does not use)" if self._signature.is_partial else ""

    def _fill(self) -> None:
        """Draw random values for arguments without one; raise RunError if some remain, or for a name."""
        remaining = [each for each in self._signature.inputs if each.index not in self._bound]
        if self._unknown or (remaining and self._given.fill is None):
            raise shlo.RunError(self._problem(remaining if self._given.fill is None else []))
        if remaining:
            import numpy as np

            from stablehlo_py.interpreter.arrays import random_array

            generator = np.random.default_rng(self._given.fill)
            for argument in remaining:
                self._bound[argument.index] = random_array(argument.type, generator, str(argument))

    def _problem(self, remaining: Sequence[Argument]) -> str:
        text = self._names.problem(self._unknown, remaining)
        if self._unknown:
            files = ", ".join(dict.fromkeys(filter(None, self._unknown.values())))
            return f"{files}: {text}" if files else text
        total = len(self._signature.inputs)
        have = total - len(remaining)
        return (
            f"expected {counted(total, 'input')}, got {have}; {text} "
            "(use --input, or --random SEED for random values)"
        )


def total_size(types: Sequence[Type]) -> int | None:
    """Return the size of values in bytes; None if it is unknown."""
    from stablehlo_py.interpreter.plan import byte_size

    sizes = [byte_size(type) for type in types]
    return None if None in sizes else sum(size or 0 for size in sizes)
