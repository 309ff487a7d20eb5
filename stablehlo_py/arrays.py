"""NumPy arrays in and out: values fitted to a tensor type, random values, files.

NumPy's formats do not know bf16, f8, i4 and their kin. Their elements are written as raw bytes (NumPy
calls the type `V1`, `V2`), and read back by the type that the program gives the argument.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stablehlo_py.diagnostics import RunError
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.dtypes import numpy_dtype
from stablehlo_py.ir.types import QuantizedType, TensorType, TupleType, Type

Array = np.ndarray[Any, np.dtype[Any]]


def fit(value: Any, type: Type, what: str) -> Any:
    """`value` as an array of `type`; `what` names the argument in errors ("argument 0 (%image)").

    Arrays must have the type's shape and element type; raw bytes of a narrow type are taken for it, and
    Python numbers for any type that holds them. Raises RunError.
    """
    if isinstance(type, TupleType):
        return _fit_tuple(value, type, what)
    if not isinstance(type, TensorType):
        raise RunError(f"{what} has type {type}, which no array can hold")
    wanted = numpy_dtype(type.element_type)
    array = _elements(value, wanted, f"{what} should be {type}")
    if len(array.shape) != type.rank or any(
        want not in (None, have) for want, have in zip(type.shape, array.shape, strict=True)
    ):
        raise RunError(f"{what} should be {type}, but has shape {_shape_text(array.shape)}")
    return array


def _fit_tuple(value: Any, type: TupleType, what: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple) or len(value) != len(type.types):
        raise RunError(f"{what} should be {type}, so a tuple of {len(type.types)}")
    return tuple(
        fit(v, t, f"{what}, element {i}") for i, (v, t) in enumerate(zip(value, type.types, strict=True))
    )


def _elements(value: Any, wanted: np.dtype[Any], expected: str) -> Array:
    """`value` as an array of `wanted` elements; `expected` begins the error."""
    array = np.asarray(value)
    if array.dtype == wanted:
        return array
    if array.dtype.kind == "V" and array.dtype.itemsize == wanted.itemsize:
        return array.view(wanted)
    if isinstance(value, bool | int | float | complex):
        return _number(value, wanted, expected)
    raise RunError(f"{expected}, but has elements of type {array.dtype}")


def _number(value: complex, wanted: np.dtype[Any], expected: str) -> Array:
    """A Python number as an element, where the type has it."""
    try:
        with np.errstate(all="ignore"):
            element = np.asarray(value).astype(wanted) if wanted.kind in "V" else np.array(value, wanted)
        exact = wanted.kind not in "iub" or element == value
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact:
        raise RunError(f"{expected}, and cannot hold {value}")
    return element


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
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu" or "int" in dtype.name or isinstance(type.element_type, QuantizedType):
        return generator.integers(0, 2 if "int2" in dtype.name else 4, shape).astype(dtype)
    values = generator.standard_normal(shape)
    if dtype.kind == "c":
        return np.asarray(values + 1j * generator.standard_normal(shape)).astype(dtype)
    return np.asarray(values).astype(dtype)


def load_arrays(path: Path) -> Array | dict[str, Array]:
    """A `.npy` file's array, or a `.npz` file's by name. Raises OSError, or ValueError for other files."""
    try:
        found = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is not a .npy or .npz file that NumPy can read ({error})") from None
    if isinstance(found, np.ndarray):
        return found
    with found:
        return {name: found[name] for name in found.files}


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


def _shape_text(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) if shape else "() (a scalar)"


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
