"""Input and output of NumPy arrays: files, literals, and random values.

NumPy's file formats do not support bf16, f8, i4 and other narrow types. Their elements are stored as raw
bytes (NumPy's types `V1`, `V2`), which a program reinterprets as the element type of the argument.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, BinaryIO, cast

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.inputs import array_dtype
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.element_types import element_type_of, value_range
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.storage.files import OutputFiles, is_special
from stablehlo_py.storage.orbax import is_orbax
from stablehlo_py.storage.safetensors import is_safetensors, write_safetensors

Array = np.ndarray[Any, np.dtype[Any]]


def random_array(type: Type, generator: np.random.Generator, what: str) -> Any:
    """Return random values for an argument: normally distributed floats, and integers from 0 to 3.

    Args:
        type: The type of the argument: a static tensor type, or a tuple of them.
        generator: The random number generator.
        what: The name of the argument, for messages.

    Raises:
        RunError: The type has no random values, or is dynamic.
    """
    if isinstance(type, TupleType):
        return tuple(random_array(t, generator, what) for t in type.types)
    if not isinstance(type, TensorType):
        raise RunError(f"{what} has type {type}, for which random values are not supported")
    if not type.is_static:
        raise RunError(
            f"{what} has type {type}: random values require static dimensions; --dim NAME=SIZE gives them"
        )
    shape: Any = type.shape
    dtype = array_dtype(type, what)
    row = element_type_of(dtype)
    assert row is not None
    if row.literal in ("boolean", "integer"):
        return generator.integers(0, min(4, int(value_range(row.type)[1]) + 1), shape).astype(dtype)
    values = generator.standard_normal(shape)
    if row.literal == "complex":
        return np.asarray(values + 1j * generator.standard_normal(shape)).astype(dtype)
    return np.asarray(values).astype(dtype)


def save_arrays(
    path: Path, arrays: Mapping[str, Array] | Sequence[Array], outputs: OutputFiles | None = None
) -> None:
    """Save one array to a `.npy` file, or several to a `.npz` or safetensors file.

    Args:
        path: The file; `.npy` and `.safetensors` as its suffix select these formats.
        arrays: Arrays by name, or a sequence of arrays, which are named out0, out1, ...
        outputs: Opens the file.

    Raises:
        OSError: The file cannot be written.
        ValueError: There are several arrays for a `.npy` file, or elements that the format cannot store.
    """
    named = arrays if isinstance(arrays, Mapping) else {f"out{i}": a for i, a in enumerate(arrays)}
    if is_safetensors(path):
        with (outputs or OutputFiles()).open(path) as stream:
            write_safetensors(stream, named)
        return
    stored = {name: storable(array) for name, array in named.items()}
    is_archive = path.suffix != ".npy"
    if not is_archive and len(stored) != 1:
        raise ValueError(f"{path} can hold only one of {len(stored)} arrays: use a .npz file")
    with (outputs or OutputFiles()).open(path) as stream:
        if is_archive:
            write_archive(_unseekable(stream) if is_special(path) else stream, stored.items())
        else:
            write_array(stream, next(iter(stored.values())))


def _unseekable(stream: BinaryIO) -> BinaryIO:
    """Return a stream without a position, which devices claim to have."""
    return cast("BinaryIO", SimpleNamespace(write=stream.write, flush=stream.flush))


def write_archive(stream: BinaryIO, arrays: Iterable[tuple[str, Array]]) -> None:
    """Write arrays in `.npz` format, uncompressed."""
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                write_array(member, array)


def write_array(stream: IO[bytes], array: Array) -> None:
    """Write an array in `.npy` format."""
    # Only `write`: given a file, NumPy writes past the stream, which pipes and error messages do not survive.
    np.lib.format.write_array(SimpleNamespace(write=stream.write), array, allow_pickle=False)


def storable(array: Array) -> Array:
    """Return the array in a type that NumPy's file formats support: narrow types as raw bytes."""
    array = np.asarray(array)
    native = array.dtype.kind in "biuc" or array.dtype in (np.float16, np.float32, np.float64)
    return array if native else array.view(f"V{array.dtype.itemsize}")


def parse_literal(text: str) -> Array:
    """Return the array of an attribute such as `dense<1> : tensor<2xi32>`.

    Raises:
        ParseError: The text is not an attribute.
        ValueError: The attribute is not a tensor literal.
    """
    from stablehlo_py.syntax.parser import parse_attribute  # imported late: most values are files

    attribute = parse_attribute(text)
    if not isinstance(attribute, DenseElementsAttr):
        raise ValueError(f"{text} is not a tensor literal")
    return attribute.value


def is_array_file(text: str) -> bool:
    """Return True if a command-line value names a file of arrays, or a checkpoint of orbax."""
    return Path(text).suffix in (".npy", ".npz") or is_safetensors(text) or is_orbax(Path(text))
