"""`shlo run --input`: read files, numbers and MLIR literals, and bind them to arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from stablehlo_py.cli.layouts import Layouts, RawBuffer, is_raw_file, read_buffers

import stablehlo_py as shlo
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.interpreter.array_files import load_arrays
from stablehlo_py.interpreter.arrays import is_array_file, parse_literal, random_array
from stablehlo_py.interpreter.plan import byte_size
from stablehlo_py.ir.signature import Argument
from stablehlo_py.ir.types import Type

_NAMED = re.compile(r"""([A-Za-z_][\w.\[\]'"]*)=(?!=)(.+)""", re.DOTALL)
_PLACED = re.compile(r"""([A-Za-z_][\w.\[\]'"]*)?@(\d+),(\d+)=(.+)""", re.DOTALL)
_POSITION = re.compile(r"(?:in|arg)(\d+)")
_OUTPUT = re.compile(r"out\d+")
_LISTED = 8  # names listed in an error


ProcessId = tuple[int, int]  # replica and partition


def by_place(
    specs: Sequence[str],
    arguments: Sequence[Argument],
    seed: int | None,
    places: Sequence[ProcessId],
    layouts: Layouts,
    weights: Mapping[int, Path],
    local: Sequence[ProcessId] | None = None,
) -> dict[ProcessId, list[Any]]:
    """Bind inputs for every process of the grid: shared inputs, and its own such as `x@1,0=shard.npy`.

    Args:
        specs: The values of --input.
        arguments: The arguments of the function.
        seed: The seed of random values for unbound arguments, or None.
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
    for spec in specs:
        match = _PLACED.fullmatch(spec)
        if match is None:
            shared.append(spec)
            continue
        place = (int(match[2]), int(match[3]))
        if place not in own:
            raise shlo.RunError(f"process {place} is not in the grid; the last process is {max(places)}")
        own[place].append(f"{match[1]}={match[4]}" if match[1] else match[4])
    stored = {index: _read_file(str(path)) for index, path in weights.items()}
    local = places if local is None else local
    for_all = [] if all(own[place] for place in local) else collect(shared, arguments, seed, layouts, stored)
    return {
        place: collect([*shared, *own[place]], arguments, seed, layouts, stored) if own[place] else for_all
        for place in local
    }


def has_places(specs: Sequence[str]) -> bool:
    """Test whether an input is for a single process."""
    return any(_PLACED.fullmatch(spec) for spec in specs)


def input_files(specs: Sequence[str]) -> list[str]:
    """Return what may be the files of inputs, without names of arguments and processes."""
    matches = [_PLACED.fullmatch(spec) or _NAMED.fullmatch(spec) for spec in specs]
    return [match.groups()[-1] if match else spec for spec, match in zip(specs, matches, strict=True)]


def feeds(files: Sequence[Path]) -> list[tuple[Any, ...]]:
    """Read the infeed: one tuple of arrays per file, in order."""
    found = [_read_file(str(file)) for file in files]
    return [tuple(each.values()) if isinstance(each, dict) else (each,) for each in found]


def collect(
    specs: Sequence[str],
    arguments: Sequence[Argument],
    seed: int | None,
    layouts: Layouts,
    weights: Mapping[int, Any],
) -> list[Any]:
    """Bind inputs to arguments; raise RunError if they do not match."""
    given = dict(weights)
    unplaced: list[Any] = []
    limit = total_size([argument.type for argument in arguments])
    for spec in specs:
        _take(spec, arguments, limit, given, unplaced)
    remaining = [a for a in arguments if a.index not in given]
    for value in unplaced:
        _place(value, remaining, given)
    if seed is not None:
        generator = np.random.default_rng(seed)
        for argument in remaining:
            given[argument.index] = random_array(argument.type, generator, str(argument))
    elif remaining:
        raise _missing(remaining, len(arguments))
    return read_buffers([given[a.index] for a in arguments], arguments, layouts)


def _missing(remaining: Sequence[Argument], total: int) -> shlo.RunError:
    have = total - len(remaining)
    names = ", ".join(f"%{a.name}: {a.type}" for a in remaining[:_LISTED])
    more = f" and {len(remaining) - _LISTED} more" if len(remaining) > _LISTED else ""
    return shlo.RunError(
        f"expected {counted(total, 'input')}, got {have}; missing: {names}{more} "
        "(use --input, or --random SEED for random values)"
    )


def total_size(types: Sequence[Type]) -> int | None:
    """Return the size of values in bytes; None if it is unknown."""
    sizes = [byte_size(type) for type in types]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _take(
    spec: str, arguments: Sequence[Argument], limit: int | None, given: dict[int, Any], unplaced: list[Any]
) -> None:
    """Read one --input: a named value is bound to its argument, others are appended to `unplaced`."""
    match = _NAMED.fullmatch(spec)
    if match is None:
        value = read_value(spec, limit)
        if isinstance(value, dict):
            _take_arrays(spec, value, arguments, given, unplaced)
        else:
            unplaced.append(value)
        return
    argument = _called(match[1], arguments)
    if argument is None:
        raise _no_argument(match[1], arguments)
    value = read_value(match[2], limit)
    if isinstance(value, dict):
        if len(value) != 1:
            raise shlo.RunError(f"expected one array for {argument}, but {match[2]} has {len(value)}")
        (value,) = value.values()
    given[argument.index] = value


def _take_arrays(
    file: str,
    arrays: dict[str, Any],
    arguments: Sequence[Argument],
    given: dict[int, Any],
    unplaced: list[Any],
) -> None:
    """Bind arrays to arguments by name; if no name matches, append them to `unplaced`.

    Raises RunError if only some names match.
    """
    placed = {name: _called(name, arguments) for name in arrays}
    if not any(placed.values()):
        unplaced.append(arrays)
        return
    for name, argument in placed.items():
        if argument is None:
            raise shlo.RunError(f"{file}: {_no_argument(name, arguments)}")
        given[argument.index] = arrays[name]


def _called(name: str, arguments: Sequence[Argument]) -> Argument | None:
    """Find an argument by name, or by position: in0, arg0."""
    named = next((a for a in arguments if name in a.names), None)
    match = _POSITION.fullmatch(name)
    at = int(match[1]) if match else len(arguments)
    return named or (arguments[at] if at < len(arguments) else None)


def _no_argument(name: str, arguments: Sequence[Argument]) -> shlo.RunError:
    known = ", ".join(a.name for a in arguments[:_LISTED]) or "none"
    more = f" and {len(arguments) - _LISTED} more" if len(arguments) > _LISTED else ""
    close = did_you_mean(name, [each for a in arguments for each in sorted(a.names)])
    return shlo.RunError(f"no argument named {name}{close or f'; known arguments: {known}{more}'}")


def _place(value: Any, remaining: list[Argument], given: dict[int, Any]) -> None:
    """Bind a value, or all arrays of a file, to the next unbound arguments."""
    values = list(value.values()) if isinstance(value, dict) else [value]
    if len(values) > len(remaining):
        total = len(given) + len(remaining)
        expected = counted(total, "input") if total else "no inputs"
        raise shlo.RunError(f"expected {expected}, got {len(given) + len(values)}")
    for each in values:
        given[remaining.pop(0).index] = each


def read_value(text: str, limit: int | None = None) -> Any:
    """Read a value: an array file, a number, or an MLIR literal such as `dense<1> : tensor<2xi32>`.

    A raw buffer is returned unread, since only its argument determines its type.
    """
    if is_array_file(text):
        return _read_file(text, limit)
    if is_raw_file(text):
        return RawBuffer(Path(text))
    for number in _numbers(text):
        return number
    if text.lstrip().startswith("dense"):
        return _read_literal(text)
    raise click.BadParameter(
        f"{text}: expected a .npy, .npz or .bin file, a number, or a literal: dense<1> : tensor<2xi32>",
        param_hint="--input",
    )


def _read_literal(text: str) -> Any:
    try:
        return parse_literal(text)
    except shlo.ParseError as error:
        (first, *_) = error.diagnostics
        why = f"{text}: {first.message} (column {first.column})"
    except ValueError as error:
        why = str(error)
    raise click.BadParameter(why, param_hint="--input")


def _read_file(text: str, limit: int | None = None) -> Any:
    try:
        return load_arrays(Path(text), limit, _OUTPUT.fullmatch)
    except OSError as error:
        raise click.ClickException(f"{text}: {error.strerror or error}") from None
    except ValueError as error:
        raise click.ClickException(f"{text}: {error}") from None


def _numbers(text: str) -> Iterator[bool | int | float | complex]:
    """Parse a number, if the text is one."""
    if text in ("true", "false"):
        yield text == "true"
        return
    for read in (int, float, complex):
        try:
            yield read(text)
        except ValueError:
            continue
        return
