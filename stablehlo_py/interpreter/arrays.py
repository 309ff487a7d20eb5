"""NumPy arrays in and out: files, literals, and random values of a type.

NumPy's formats do not know bf16, f8, i4 and their kin. Their elements are written as raw bytes (NumPy
calls the type `V1`, `V2`), and a program takes such bytes for the type that it gives the argument.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.element_types import element_type_of, numpy_dtype, value_range
from stablehlo_py.ir.types import TensorType, TupleType, Type

Array = np.ndarray[Any, np.dtype[Any]]


def random_array(type: Type, generator: np.random.Generator, what: str) -> Any:
    """Values for an argument: normally distributed numbers, and integers from 0 to 3."""
    if isinstance(type, TupleType):
        return tuple(random_array(t, generator, what) for t in type.types)
    if not isinstance(type, TensorType):
        raise RunError(f"{what} has type {type}, which has no random values")
    if not type.is_static:
        raise RunError(f"{what} has type {type}: a random value needs every dimension size")
    shape: Any = type.shape
    dtype = numpy_dtype(type.element_type)
    row = element_type_of(dtype)
    assert row is not None
    if row.literal in ("boolean", "integer"):
        return generator.integers(0, min(4, int(value_range(row.type)[1]) + 1), shape).astype(dtype)
    values = generator.standard_normal(shape)
    if row.literal == "complex":
        return np.asarray(values + 1j * generator.standard_normal(shape)).astype(dtype)
    return np.asarray(values).astype(dtype)


def load_arrays(path: Path) -> Array | dict[str, Array]:
    """A `.npy` file's array, or a `.npz` file's by name. Raises OSError, or ValueError for other files."""
    try:
        found = np.load(path, allow_pickle=False)
        if isinstance(found, np.ndarray):
            return found
        with found:
            return {name: found[name] for name in found.files}
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(_unreadable(str(error))) from None


def _unreadable(why: str) -> str:
    if "Object arrays" in why:
        return "this holds Python objects, which are not read"
    # NumPy takes for a pickle what it does not know.
    return "this is no .npy or .npz file" + ("" if "pickle" in why else f" that NumPy can read: {why}")


def save_arrays(path: Path, arrays: Mapping[str, Array] | Sequence[Array]) -> None:
    """Writes one array to a `.npy` file, or several to a `.npz`; a sequence is named out0, out1, ..."""
    named = arrays if isinstance(arrays, Mapping) else {f"out{i}": a for i, a in enumerate(arrays)}
    stored = {name: storable(array) for name, array in named.items()}
    if path.suffix == ".npz":
        np.savez(path, allow_pickle=False, **stored)
        return
    if len(stored) != 1:
        raise ValueError(f"{path} holds one array, and there are {len(stored)}: write them to a .npz file")
    np.save(path, next(iter(stored.values())), allow_pickle=False)


def storable(array: Array) -> Array:
    """The array with elements that NumPy's formats know: narrow types as raw bytes."""
    array = np.asarray(array)
    native = array.dtype.kind in "biuc" or array.dtype in (np.float16, np.float32, np.float64)
    return array if native else array.view(f"V{array.dtype.itemsize}")


def parse_literal(text: str) -> Array:
    """The array that `dense<1> : tensor<2xi32>` spells.

    Raises ParseError, or ValueError for another attribute.
    """
    from stablehlo_py.syntax.parser import parse_attribute  # most values are files

    attribute = parse_attribute(text)
    if not isinstance(attribute, DenseElementsAttr):
        raise ValueError(f"{text} is not a tensor literal")
    return attribute.value


def is_array_file(text: str) -> bool:
    """Whether a command line's value names a file of arrays."""
    return Path(text).suffix in (".npy", ".npz")
