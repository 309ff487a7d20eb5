"""`shlo run --layout`: read and write raw buffers, the bytes of an array in an XLA layout."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

import stablehlo_py as shlo
from stablehlo_py.ir.records import dataclass
from stablehlo_py.storage.files import OutputFiles, is_device

if TYPE_CHECKING:
    import numpy as np

    from stablehlo_py.ir.signature import Argument, Output
    from stablehlo_py.layout import Layout

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Saved = tuple[str, "Output", "Array"]  # the name of the file, the result, its value


@dataclass(frozen=True, slots=True)
class RawBuffer:
    """A file with the bytes of an array, whose type is that of the argument."""

    path: Path


@dataclass(frozen=True, slots=True)
class Layouts:
    """Layouts of raw buffers: a shared one, and layouts by name."""

    option: str
    shared: Layout | None = None
    named: Mapping[str, Layout] = field(default_factory=dict)

    @property
    def is_given(self) -> bool:
        """Test whether the option was given."""
        return self.shared is not None or bool(self.named)

    def of(self, names: Iterable[str]) -> Layout | None:
        """Return the layout for a buffer with any of these names, or None for the default."""
        return next((self.named[name] for name in names if name in self.named), self.shared)

    def check(self, known: Iterable[Iterable[str]], what: str) -> None:
        """Raise ValueError if a layout names an unknown `what` ("argument" or "result")."""
        unknown = set(self.named).difference(*known)
        if unknown:
            raise ValueError(f"{self.option}: no {what} named {', '.join(sorted(unknown))}")


def _read(context: click.Context, option: click.Parameter, values: Sequence[str]) -> Layouts:
    """Parse the values of --layout or --output-layout."""
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
        raise click.BadParameter("only one layout can apply to all buffers; use NAME=LAYOUT for a single one")
    return Layouts(option.opts[-1], shared[0] if shared else None, named)


def layout_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options `--layout` and `--output-layout` to a command."""
    taken = click.option(
        "--layout",
        "layouts",
        multiple=True,
        callback=_read,
        metavar="LAYOUT",
        help="XLA layout of .bin inputs: '{0,1}' is column-major, '{0,1:pad(3,5)}' has padding. "
        "NAME=LAYOUT applies to one input only (default: row-major).",
    )
    given = click.option(
        "--output-layout",
        "output_layouts",
        multiple=True,
        callback=_read,
        metavar="LAYOUT",
        help="XLA layout of results that --output writes to .bin files: LAYOUT, or NAME=LAYOUT for out0, "
        "out1, ... (default: row-major).",
    )
    return taken(given(command))


def read_buffers(values: Sequence[Any], arguments: Sequence[Argument], layouts: Layouts) -> list[Any]:
    """Read raw buffers into arrays of their arguments' types; other values are unchanged.

    Raises:
        RunError: If a buffer does not match its argument's size or layout, or a layout is given for an
            input that is not a raw buffer.
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
    """Raise ValueError if a layout is given for an input that is not a raw buffer."""
    layouts.check([argument.names for argument in arguments], "argument")
    raw = [isinstance(value, RawBuffer) for value in values]
    if layouts.is_given and not any(raw):
        raise ValueError(f"{layouts.option} applies to .bin files, but no input is one")
    for argument, is_raw in zip(arguments, raw, strict=True):
        if not is_raw and not argument.names.isdisjoint(layouts.named):
            raise ValueError(f"{layouts.option} applies to .bin files, but {argument} is not one")


def _array(buffer: RawBuffer, argument: Argument, layouts: Layouts) -> Array:
    from stablehlo_py.layout import Shape, from_buffer
    from stablehlo_py.layout.index import buffer_sizes
    from stablehlo_py.storage.files import open_regular

    try:
        shape = Shape.of_type(argument.type)
        if not shape.is_array or None in shape.dimensions:
            raise ValueError(f"the buffer size of {argument.type} is unknown: use a .npy file")
        layout = layouts.of(argument.names) or shape.layout
        laid = shape.with_layout(layout)
        size = math.prod(buffer_sizes(laid)) * laid.dtype.itemsize
        with open_regular(buffer.path) as stream:
            return from_buffer(stream.read(size + 1), laid)
    except OSError as error:
        raise click.ClickException(f"{buffer.path}: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"{argument} from {buffer.path}: {error}") from None


def is_raw_file(path: str | Path) -> bool:
    """Test whether a path names a raw buffer (.bin)."""
    return Path(path).suffix == ".bin"


def is_raw_target(path: Path) -> bool:
    """Test whether results are written as raw buffers: to a .bin file, or to a folder."""
    return is_raw_file(path) or (not path.suffix and not is_device(path)) or path.is_dir()


def check_target(path: Path | None, layouts: Layouts) -> None:
    """Raise UsageError if --output has an unsupported suffix, or does not support layouts."""
    is_raw = path is not None and is_raw_target(path)
    is_array = path is None or path.suffix in (".npy", ".npz", ".safetensors") or is_device(path)
    if path is not None and not is_raw and not is_array:
        raise click.UsageError(
            f"{path}: unsupported output; expected a .npy, .npz, .safetensors or .bin file, or a folder"
        )
    if not is_raw and layouts.is_given:
        raise click.UsageError(f"{layouts.option} requires --output with a .bin file or a folder")


def save_buffers(target: Path, results: Sequence[Saved], layouts: Layouts, outputs: OutputFiles) -> None:
    """Write results as raw buffers: a file each in a folder, or the only one to a `.bin` file.

    Raises:
        ValueError: If a layout does not match its result, or there are several results for one file.
    """
    layouts.check([_names(name, output) for name, output, _ in results], "result")
    if is_raw_file(target) and len(results) != 1:
        raise ValueError(f"cannot write {len(results)} results to {target}: use a folder")
    written = {name: _bytes(name, output, value, layouts) for name, output, value in results}
    if is_raw_file(target):
        with outputs.open(target) as stream:
            stream.write(*written.values())
        return
    target.mkdir(parents=True, exist_ok=True)
    for name, data in written.items():
        with outputs.open(target / f"{name}.bin") as stream:
            stream.write(data)


def _bytes(name: str, output: Output, value: Array, layouts: Layouts) -> bytes:
    from stablehlo_py.layout import Shape, to_bytes

    try:
        shape = Shape.make(value.dtype, value.shape)
        return to_bytes(value, shape.with_layout(layouts.of(_names(name, output)) or shape.layout))
    except ValueError as error:
        raise ValueError(f"{layouts.option}: {output}: {error}") from None


def _names(name: str, output: Output) -> list[str]:
    """Return the names of a result: its file's name, out0, out1, ..., and the name that JAX recorded."""
    return [name, f"out{output.index}", output.name]
