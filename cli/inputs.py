"""`shlo run --input`: read files, numbers and MLIR literals, and bind them to arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from stablehlo_py.cli.layouts import Layouts, RawBuffer, is_raw_file, read_buffers

import stablehlo_py as shlo
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.diagnostics.suggestions import did_you_mean

if TYPE_CHECKING:
    from stablehlo_py.ir.signature import Argument
    from stablehlo_py.ir.types import Type


_NAMED = re.compile(r"""([A-Za-z_][\w.\[\]'"]*)=(?!=)(.+)""", re.DOTALL)
_PLACED = re.compile(r"""([A-Za-z_][\w.\[\]'"]*)?@(\d+),(\d+)=(.+)""", re.DOTALL)
_POSITION = re.compile(r"(?:in|arg)(\d+)")
_OUTPUT = re.compile(r"out\d+")
_NUMBERED = re.compile(r"(.*[^0-9])?([0-9]{1,9})", re.DOTALL)
_LISTED = 8  # names listed in an error


ProcessId = tuple[int, int]  # replica and partition


class Given(NamedTuple):
    """The options that give inputs.

    Attributes:
        specs: The values of --input.
        fill: The seed of --random: of random values for arguments without an input; or None.
        by_order: Whether the arrays of a file are taken in their order, whatever their names.
    """

    specs: tuple[str, ...] = ()
    fill: int | None = None
    by_order: bool = False

    @property
    def is_any(self) -> bool:
        """Whether an input is given, or random ones are."""
        return bool(self.specs) or self.fill is not None

    @property
    def files(self) -> list[str]:
        """What may be the files of inputs, without names of arguments and processes."""
        matches = [_PLACED.fullmatch(spec) or _NAMED.fullmatch(spec) for spec in self.specs]
        pairs = zip(self.specs, matches, strict=True)
        return [match.groups()[-1] if match else spec for spec, match in pairs]

    @property
    def has_places(self) -> bool:
        """Whether an input is for a single process."""
        return any(_PLACED.fullmatch(spec) for spec in self.specs)


def input_options(about: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds `--input`, `--random` and `--by-order`, passed to a command as `given`.

    Args:
        about: The help of `--input`.
    """
    options = (
        click.option("-a", "--input", "specs", multiple=True, metavar="VALUE", help=about),
        click.option(
            "--random",
            "fill",
            type=click.IntRange(0),
            metavar="SEED",
            help="Use random values for arguments without --input.",
        ),
        click.option(
            "--by-order",
            is_flag=True,
            help="Take the arrays of a .npz file in their order, whatever their names. By default names "
            "decide: those of arguments, or a common prefix with consecutive numbers (arr_0, arr_1, ...).",
        ),
    )

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def with_given(**parameters: Any) -> int:
            given = Given(**{name: parameters.pop(name) for name in Given._fields})
            return command(given=given, **parameters)

        decorated: Callable[..., int] = with_given
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def in_order(names: Iterable[str], by_order: bool) -> list[str] | None:
    """Return the names of the arrays of a file in the order in which they are taken; None if it is unclear.

    The order is clear for one array, and for names that are a common prefix with consecutive numbers from 0
    or 1, as NumPy writes arrays without names: `arr_0`, `arr_1`, ...

    Args:
        names: The names, in the order of the file.
        by_order: Whether to take that order in any case.
    """
    found = list(names)
    if by_order or len(found) == 1:
        return found
    matches = [match for name in found if (match := _NUMBERED.fullmatch(name)) is not None]
    by_number = {int(match[2]): match[0] for match in matches}
    prefixes = {match[1] for match in matches}
    numbers, first = sorted(by_number), min(by_number, default=0)
    is_clear = len(prefixes) == 1 and first in (0, 1) and numbers == list(range(first, first + len(found)))
    return [by_number[number] for number in numbers] if is_clear else None


def unclear_order(file: str, arrays: Collection[str], what: str, names: Collection[str]) -> str:
    """Return the message for arrays none of which is named after an argument or result, in no clear order."""
    return (
        f"{file}: no array is named after {what}; expected {listed(names)}, found {listed(arrays)} "
        "(rename the arrays, or use --by-order to take them in the order of the file)"
    )


def by_place(
    given: Given,
    arguments: Sequence[Argument],
    places: Sequence[ProcessId],
    layouts: Layouts,
    weights: Mapping[int, Path],
    local: Sequence[ProcessId] | None = None,
) -> dict[ProcessId, list[Any]]:
    """Bind inputs for every process of the grid: shared inputs, and its own such as `x@1,0=shard.npy`.

    Args:
        given: The options.
        arguments: The arguments of the function.
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

    def bound(specs: list[str]) -> list[Any]:
        return _collect(given._replace(specs=tuple(specs)), arguments, layouts, stored)

    for_all = [] if all(own[place] for place in local) else bound(shared)
    return {place: bound([*shared, *own[place]]) if own[place] else for_all for place in local}


def feeds(files: Sequence[Path]) -> list[tuple[Any, ...]]:
    """Read the infeed: one tuple of arrays per file, in order."""
    found = [_read_file(str(file)) for file in files]
    return [tuple(each.values()) if isinstance(each, dict) else (each,) for each in found]


def _collect(
    given: Given, arguments: Sequence[Argument], layouts: Layouts, weights: Mapping[int, Any]
) -> list[Any]:
    """Bind inputs to arguments; raise RunError if they do not match."""
    import numpy as np

    from stablehlo_py.interpreter.arrays import random_array

    bound = dict(weights)
    unplaced: list[Any] = []
    limit = total_size([argument.type for argument in arguments])
    for spec in given.specs:
        match = _NAMED.fullmatch(spec)
        if match is not None:
            _take_named(match[1], match[2], arguments, limit, bound)
        elif isinstance(value := read_value(spec, limit), dict):
            _take_arrays(spec, value, arguments, given.by_order, bound, unplaced)
        else:
            unplaced.append([value])
    remaining = [a for a in arguments if a.index not in bound]
    for values in unplaced:
        _place(values, remaining, bound)
    if given.fill is not None:
        generator = np.random.default_rng(given.fill)
        for argument in remaining:
            bound[argument.index] = random_array(argument.type, generator, str(argument))
    elif remaining:
        raise _missing(remaining, len(arguments))
    return read_buffers([bound[a.index] for a in arguments], arguments, layouts)


def _missing(remaining: Sequence[Argument], total: int) -> shlo.RunError:
    have = total - len(remaining)
    names = listed([f"%{a.name}: {a.type}" for a in remaining])
    return shlo.RunError(
        f"expected {counted(total, 'input')}, got {have}; missing: {names} "
        "(use --input, or --random SEED for random values)"
    )


def total_size(types: Sequence[Type]) -> int | None:
    """Return the size of values in bytes; None if it is unknown."""
    from stablehlo_py.interpreter.plan import byte_size

    sizes = [byte_size(type) for type in types]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _take_named(
    name: str, text: str, arguments: Sequence[Argument], limit: int | None, bound: dict[int, Any]
) -> None:
    """Bind the value of NAME=VALUE to its argument."""
    argument = _called(name, arguments)
    if argument is None:
        raise _no_argument(name, arguments)
    value = read_value(text, limit)
    if isinstance(value, dict):
        if len(value) != 1:
            raise shlo.RunError(f"expected one array for {argument}, but {text} has {len(value)}")
        (value,) = value.values()
    bound[argument.index] = value


def _take_arrays(
    file: str,
    arrays: dict[str, Any],
    arguments: Sequence[Argument],
    by_order: bool,
    bound: dict[int, Any],
    unplaced: list[Any],
) -> None:
    """Bind arrays to arguments by name; if no name matches and the order is clear, append them to `unplaced`.

    Raises RunError if only some names match, or none does and the order is not clear.
    """
    placed = {name: _called(name, arguments) for name in arrays}
    if by_order or not any(placed.values()):
        names = in_order(arrays, by_order)
        if names is None:
            raise shlo.RunError(unclear_order(file, arrays, "an argument", [a.name for a in arguments]))
        unplaced.append([arrays[name] for name in names])
        return
    for name, argument in placed.items():
        if argument is None:
            raise shlo.RunError(f"{file}: {_no_argument(name, arguments)}")
        bound[argument.index] = arrays[name]


def listed(names: Collection[str]) -> str:
    """List names in an error, up to a few."""
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return (", ".join([*names][:_LISTED]) or "none") + more


def _called(name: str, arguments: Sequence[Argument]) -> Argument | None:
    """Find an argument by name, or by position: in0, arg0."""
    named = next((a for a in arguments if name in a.names), None)
    match = _POSITION.fullmatch(name)
    at = int(match[1]) if match else len(arguments)
    return named or (arguments[at] if at < len(arguments) else None)


def _no_argument(name: str, arguments: Sequence[Argument]) -> shlo.RunError:
    known = listed([a.name for a in arguments])
    close = did_you_mean(name, [each for a in arguments for each in sorted(a.names)])
    return shlo.RunError(f"no argument named {name}{close or f'; known arguments: {known}'}")


def _place(values: Sequence[Any], remaining: list[Argument], bound: dict[int, Any]) -> None:
    """Bind a value, or all arrays of a file, to the next unbound arguments."""
    if len(values) > len(remaining):
        total = len(bound) + len(remaining)
        expected = counted(total, "input") if total else "no inputs"
        raise shlo.RunError(f"expected {expected}, got {len(bound) + len(values)}")
    for each in values:
        bound[remaining.pop(0).index] = each


def read_value(text: str, limit: int | None = None) -> Any:
    """Read a value: an array file, a number, or an MLIR literal such as `dense<1> : tensor<2xi32>`.

    A raw buffer is returned unread, since only its argument determines its type.
    """
    from stablehlo_py.interpreter.arrays import is_array_file

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
    from stablehlo_py.interpreter.arrays import parse_literal

    try:
        return parse_literal(text)
    except shlo.ParseError as error:
        (first, *_) = error.diagnostics
        why = f"{text}: {first.message} (column {first.column})"
    except ValueError as error:
        why = str(error)
    raise click.BadParameter(why, param_hint="--input")


def _read_file(text: str, limit: int | None = None) -> Any:
    from stablehlo_py.interpreter.array_files import load_arrays

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
