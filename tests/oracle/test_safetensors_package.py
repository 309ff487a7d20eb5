"""What the package safetensors writes is read, and it reads what is written."""

from __future__ import annotations

import io
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.ir.element_types import ELEMENT_TYPES, numpy_dtype
from stablehlo_py.storage.safetensors import open_safetensors, write_safetensors

package = pytest.importorskip("safetensors")

ROWS = [row for row in ELEMENT_TYPES.values() if row.safetensors]
SHAPES: list[tuple[int, ...]] = [(), (3,), (0, 2), (2, 3, 5)]


def drawn(
    dtype: np.dtype[np.generic], shape: tuple[int, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    data = np.random.default_rng(7).integers(0, 2 if dtype.kind == "b" else 256, (*shape, dtype.itemsize))
    return data.astype(np.uint8).view(dtype).reshape(shape)


def test_every_type_in_both_directions(tmp_path: Path) -> None:
    arrays = {
        f"{row.safetensors} {shape}": drawn(numpy_dtype(row.type), shape)
        for row in ROWS
        for shape in SHAPES
        if row.width >= 8 or row.literal == "boolean"
    }
    names = {f"{row.safetensors} {shape}": row.safetensors for row in ROWS for shape in SHAPES}
    stream = io.BytesIO()
    write_safetensors(stream, arrays, {"format": "pt"})
    read = dict(package.deserialize(stream.getvalue()))
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (read[name]["dtype"], read[name]["shape"]) == (names[name], list(array.shape))
        assert bytes(read[name]["data"]) == array.tobytes()
    path = tmp_path / "x.safetensors"
    path.write_bytes(stream.getvalue())
    assert package.safe_open(path, "np").metadata() == {"format": "pt"}
    found = open_safetensors(path)
    assert {name: (a.dtype, a.shape, a.tobytes()) for name, a in found.items()} == {
        name: (a.dtype, a.shape, a.tobytes()) for name, a in arrays.items()
    }


def test_files_of_the_package_are_read(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    dtypes = [
        np.dtype(t) for t in ("?", "u1", "i1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8")
    ]
    dtypes += [np.dtype(ml_dtypes.bfloat16), np.dtype(ml_dtypes.float8_e4m3fn)]
    arrays = {f"{dtype.name} {shape}": drawn(dtype, shape) for dtype in dtypes for shape in SHAPES}
    save_file(arrays, tmp_path / "x.safetensors", {"n": "{"})
    found = open_safetensors(tmp_path / "x.safetensors")
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()
