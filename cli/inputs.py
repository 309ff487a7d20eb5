"""`shlo run --input`: read files, numbers and MLIR literals."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.layouts import RawBuffer, is_raw_file

import stablehlo_py as shlo
from stablehlo_py.ir.trees import listed

_NAMED = re.compile(r"([\w%][^=\s]*)=(?!=)(.+)", re.DOTALL)
_PLACED = re.compile(r"([\w%][^=@\s]*)?@(\d+),(\d+)=(.+)", re.DOTALL)
_OUTPUT = re.compile(r"out\d+")
_NUMBERED = re.compile(r"(.*[^0-9])?([0-9]{1,9})", re.DOTALL)
ProcessId = tuple[int, int]  # replica and partition


class Given(NamedTuple):
    """The options that give inputs.

    Attributes:
        specs: The values of --input.
        fill: The seed of --random: of random values for arguments without an input; or None.
        by_order: Whether the arrays of a file are taken in their order, whatever their names.
        cast: Whether arrays are converted to the element types of arguments.
    """

    specs: tuple[str, ...] = ()
    fill: int | None = None
    by_order: bool = False
    cast: bool = False

    @property
    def is_any(self) -> bool:
        """Whether an input is given, or random ones are."""
        return bool(self.specs) or self.fill is not None

    @property
    def files(self) -> list[str]:
        """What may be the files of inputs, without names of arguments and processes."""
        return [named_value(placed_value(spec)[1])[1] for spec in self.specs]

    @property
    def has_places(self) -> bool:
        """Whether an input is for a single process."""
        return any(placed_value(spec)[0] is not None for spec in self.specs)


def placed_value(spec: str) -> tuple[ProcessId | None, str]:
    """Return the process that an input is for, if it is for one, and the input without it."""
    match = _PLACED.fullmatch(spec)
    if match is None or _is_file(spec):
        return None, spec
    return (int(match[2]), int(match[3])), f"{match[1]}={match[4]}" if match[1] else match[4]


def named_value(spec: str) -> tuple[str, str]:
    """Return the name of the argument that an input is for, "" if none is, and its value."""
    match = _NAMED.fullmatch(spec)
    return (match[1], match[2]) if match is not None and not _is_file(spec) else ("", spec)


def _is_file(text: str) -> bool:
    """Test whether text is the path of a file; unlike Path's method, of text of any length."""
    return os.path.isfile(text)  # noqa: PTH113


def input_options(about: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds `--input`, `--random`, `--by-order` and `--cast`, passed as `given`.

    Args:
        about: The help of `--input`.
    """
    options = (
        click.option("-a", "--input", "specs", multiple=True, metavar="VALUE", help=about),
        click.option(
            "--random",
            "fill",
            type=click.IntRange(0),
            is_flag=False,
            flag_value=0,
            metavar="[SEED]",
            help="Use random values for arguments without --input (default seed: 0).",
        ),
        click.option(
            "--by-order",
            is_flag=True,
            help="Take the arrays of a file in their order, whatever their names. By default names "
            "decide: those of arguments, or a common prefix with consecutive numbers (arr_0, arr_1, ...).",
        ),
        click.option(
            "--cast",
            is_flag=True,
            help="Convert arrays to the element types of their arguments, as from f64 to f32: floats are "
            "rounded, integers have to fit.",
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


def entry_inputs(command: Callable[..., int]) -> Callable[..., int]:
    """Add `--entry` and the options of its inputs, passed to a command as `entry` and `given`."""
    return input_options("The value of an argument, as for `shlo run`.")(common.ENTRY(command))


def in_order(names: Iterable[str], by_order: bool, places: int = 1) -> list[str] | None:
    """Return the names of the arrays of a file in the order in which they are taken; None if it is unclear.

    The order is clear for one array that has one place, and for names that are a common prefix with
    consecutive numbers from 0 or 1, as NumPy writes arrays without names: `arr_0`, `arr_1`, ...

    Args:
        names: The names, in the order of the file.
        by_order: Whether to take that order in any case.
        places: How many arguments or results there are.
    """
    found = list(names)
    if by_order or len(found) == places == 1:
        return found
    matches = [match for name in found if (match := _NUMBERED.fullmatch(name)) is not None]
    by_number = {int(match[2]): match[0] for match in matches}
    prefixes = {match[1] for match in matches}
    numbers, first = sorted(by_number), min(by_number, default=0)
    is_clear = len(prefixes) == 1 and first in (0, 1) and numbers == list(range(first, first + len(found)))
    return [by_number[number] for number in numbers] if is_clear else None


def unclear_order(
    file: str, arrays: Collection[str], what: str, names: Collection[str], node: str = ""
) -> str:
    """Return the message for arrays none of which is named after an argument or result, in no clear order.

    Args:
        file: The file.
        arrays: The names of the arrays.
        what: What they should be named after.
        names: The names that were expected.
        node: The node of the tree of arguments that has arrays of these names, or "".
    """
    remedy = (
        f"they are the arrays of {node}: give them as {node}={file}"
        if node
        else "rename the arrays, or use --by-order to take them in the order of the file"
    )
    expected = f"expected {listed(names)}, found {listed(arrays)}"
    return f"{file}: no array is named after {what}; {expected} ({remedy})"


def feeds(files: Sequence[Path]) -> list[tuple[Any, ...]]:
    """Read the infeed: one tuple of arrays per file, in order."""
    found = [read_file(str(file)) for file in files]
    return [tuple(each.values()) if isinstance(each, dict) else (each,) for each in found]


def read_value(text: str, limit: int | None) -> Any:
    """Read a value: an array file, a number, or an MLIR literal such as `dense<1> : tensor<2xi32>`.

    A raw buffer is returned unread, since only its argument determines its type.
    """
    from stablehlo_py.interpreter.arrays import is_array_file

    if is_array_file(text):
        return read_file(text, limit)
    if is_raw_file(text):
        return RawBuffer(Path(text))
    for number in _numbers(text):
        return number
    if text.lstrip().startswith("dense"):
        return _read_literal(text)
    raise click.BadParameter(
        f"{text}: expected a .npy, .npz, .safetensors or .bin file, a number, or a literal: "
        "dense<1> : tensor<2xi32>",
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


def read_file(text: str, limit: int | None = None) -> Any:
    """Read a file of arrays; raise ClickException.

    Args:
        text: The path.
        limit: The maximum size of all arrays in bytes, or None.
    """
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
