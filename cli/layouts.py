"""Raw buffers of `shlo run`: arrays as bytes in memory, in the layouts that `--layout` names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import stablehlo_py as shlo
from stablehlo_py.ir.signature import Argument, Output

if TYPE_CHECKING:
    from stablehlo_py.layout import Layout

Array = np.ndarray[Any, np.dtype[Any]]
Saved = tuple[str, Output, Array]  # the name of its file, the result, its value


@dataclass(frozen=True, slots=True)
class RawBuffer:
    """A file with the bytes of an array, whose type only the program knows."""

    path: Path


@dataclass(frozen=True, slots=True)
class Layouts:
    """Layouts of buffers: one for all of them, and those of some by name."""

    option: str
    shared: Layout | None = None
    named: Mapping[str, Layout] = field(default_factory=dict)

    @property
    def is_given(self) -> bool:
        return self.shared is not None or bool(self.named)

    def of(self, names: Iterable[str]) -> Layout | None:
        """The layout of what has these names, None for the default."""
        return next((self.named[name] for name in names if name in self.named), self.shared)

    def check(self, known: Iterable[Iterable[str]], what: str) -> None:
        """Raises ValueError if a layout is for a name that nothing has."""
        unknown = set(self.named).difference(*known)
        if unknown:
            raise ValueError(f"{self.option}: there is no {what} called {', '.join(sorted(unknown))}")


def _read(context: click.Context, option: click.Parameter, values: Sequence[str]) -> Layouts:
    """What the values of an option spell."""
    if not values:
        return Layouts(option.opts[-1])
    from stablehlo_py.layout import Layout  # most runs have no raw buffers

    shared: list[Layout] = []
    named: dict[str, Layout] = {}
    for value in values:
        name, _, text = value.rpartition("=")
        try:
            layout = Layout.parse(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        if name:
            named[name] = layout
        else:
            shared.append(layout)
    if len(shared) > 1:
        raise click.BadParameter("one layout is for all buffers; write NAME=LAYOUT for that of one of them")
    return Layouts(option.opts[-1], shared[0] if shared else None, named)


def layout_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options `--layout` and `--output-layout` of a command."""
    taken = click.option(
        "--layout",
        "layouts",
        multiple=True,
        callback=_read,
        metavar="LAYOUT",
        help="How the elements lie in .bin inputs, as XLA writes it: '{0,1}' is column-major, and with "
        "padding '{0,1:pad(3,5)}'. For all of them, or NAME=LAYOUT for one; row-major by default.",
    )
    given = click.option(
        "--output-layout",
        "output_layouts",
        multiple=True,
        callback=_read,
        metavar="LAYOUT",
        help="The same for results that --output writes as raw buffers: LAYOUT, or NAME=LAYOUT for out0, "
        "out1, ...",
    )
    return taken(given(command))


def read_buffers(values: Sequence[Any], arguments: Sequence[Argument], layouts: Layouts) -> list[Any]:
    """Inputs in which every raw buffer has become the array of its argument.

    Raises RunError for a buffer that is not of the argument's size or layout, and for a layout of
    what is no buffer.
    """
    try:
        _check_layouts(values, arguments, layouts)
        return [
            _array(value, argument, layouts) if isinstance(value, RawBuffer) else value
            for value, argument in zip(values, arguments, strict=True)
        ]
    except ValueError as error:
        raise shlo.RunError(str(error)) from None


def _check_layouts(values: Sequence[Any], arguments: Sequence[Argument], layouts: Layouts) -> None:
    """Raises ValueError for a layout of what is no raw buffer."""
    layouts.check([argument.names for argument in arguments], "argument")
    raw = [isinstance(value, RawBuffer) for value in values]
    if layouts.is_given and not any(raw):
        raise ValueError(f"{layouts.option} is for raw buffers, and no input is a .bin file")
    for argument, is_raw in zip(arguments, raw, strict=True):
        if not is_raw and not argument.names.isdisjoint(layouts.named):
            raise ValueError(f"{layouts.option} is for raw buffers, and {argument} is not a .bin file")


def _array(buffer: RawBuffer, argument: Argument, layouts: Layouts) -> Array:
    from stablehlo_py.layout import Shape, from_buffer

    try:
        shape = Shape.of_type(argument.type)
        if not shape.is_array or None in shape.dimensions:
            raise ValueError(f"{argument.type} does not say how large its buffer is: give a .npy file")
        layout = layouts.of(argument.names) or shape.layout
        return from_buffer(buffer.path.read_bytes(), shape.with_layout(layout))
    except OSError as error:
        raise click.ClickException(f"{buffer.path}: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"{argument} from {buffer.path}: {error}") from None


def is_raw_file(path: str | Path) -> bool:
    """Whether a name is that of a file of raw bytes."""
    return Path(path).suffix == ".bin"


def is_raw_target(path: Path) -> bool:
    """Whether results go to raw buffers: to one file, or to a folder."""
    return is_raw_file(path) or not path.suffix or path.is_dir()


def check_target(path: Path | None, layouts: Layouts) -> None:
    """Raises UsageError if results cannot go to a file, or not in a layout."""
    is_raw = path is not None and is_raw_target(path)
    if path is not None and not is_raw and path.suffix not in (".npy", ".npz"):
        raise click.UsageError(f"{path}: results are written to a .npy, .npz or .bin file, or to a folder")
    if not is_raw and layouts.is_given:
        raise click.UsageError(f"{layouts.option} is for raw buffers: give --output a .bin file or a folder")


def save_buffers(target: Path, results: Sequence[Saved], layouts: Layouts) -> None:
    """Writes each result to a file of its own in a folder, or the only one to a `.bin` file.

    Raises ValueError for a layout that does not fit, or several results for one file.
    """
    layouts.check([_names(name, output) for name, output, _ in results], "result")
    if is_raw_file(target) and len(results) != 1:
        raise ValueError(f"{target} holds one result, and there are {len(results)}: write them to a folder")
    written = {name: _bytes(name, output, value, layouts) for name, output, value in results}
    if is_raw_file(target):
        target.write_bytes(*written.values())
        return
    target.mkdir(parents=True, exist_ok=True)
    for name, data in written.items():
        (target / f"{name}.bin").write_bytes(data)


def _bytes(name: str, output: Output, value: Array, layouts: Layouts) -> bytes:
    from stablehlo_py.layout import Shape, to_bytes

    try:
        shape = Shape.make(value.dtype, value.shape)
        return to_bytes(value, shape.with_layout(layouts.of(_names(name, output)) or shape.layout))
    except ValueError as error:
        raise ValueError(f"{layouts.option}: {output}: {error}") from None


def _names(name: str, output: Output) -> list[str]:
    """What a result answers to: its file's name, its number on a grid too, and the name that JAX recorded."""
    return [name, f"out{output.index}", output.name]
