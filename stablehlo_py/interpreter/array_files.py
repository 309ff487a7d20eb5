"""Reading of `.npy`, `.npz` and safetensors files and of checkpoints, whose claims are not trusted."""

from __future__ import annotations

import errno
import math
import mmap
import os
import struct
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

import numpy as np

from stablehlo_py.storage.files import open_regular
from stablehlo_py.storage.orbax import is_orbax, open_orbax
from stablehlo_py.storage.safetensors import is_safetensors, open_safetensors

Array = np.ndarray[Any, np.dtype[Any]]
_T = TypeVar("_T")
SLACK = 64 << 20  # bytes that a file's arrays may always have, so that wrong shapes are reported as such
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_ZIP = b"PK"
_TRUNCATED = "truncated: the array has fewer elements than its header claims"
_LOCAL_HEADER = 30  # bytes of the header of an archive's member, without its name and extra field
_MAPPED = 1 << 20  # bytes of an array that is mapped
_PIECE = 1 << 22  # bytes that are copied from a mapped array at once
_DROP = getattr(mmap, "MADV_DONTNEED", 0)
_MAPS: ContextVar[bool] = ContextVar("maps", default=False)


@contextmanager
def mapped_files() -> Iterator[None]:
    """Map large arrays of `.npz` files into memory, too, instead of reading them; compressed ones are read.

    A file must not be shortened while its arrays are used.
    """
    token = _MAPS.set(True)
    try:
        yield
    finally:
        _MAPS.reset(token)


def copied_part(array: Array, place: Sequence[slice]) -> Array:
    """Return a part of an array; that of a mapped array is a copy, for which no more of it stays in memory.

    Args:
        array: The array.
        place: The part along each dimension; the array has at least one.
    """
    part: Array = array[tuple(place)]
    memory = _mapping_of(array)
    if memory is None:
        return part
    found = np.empty(part.shape, part.dtype)
    rows = max(1, _PIECE // max(part[:1].nbytes, 1))
    for start in range(0, len(part), rows):
        found[start : start + rows] = part[start : start + rows]
        if hasattr(memory, "madvise"):
            memory.madvise(_DROP)
    return found


def _mapping_of(array: Any) -> mmap.mmap | None:
    while isinstance(array, np.ndarray | memoryview):
        array = array.base if isinstance(array, np.ndarray) else array.obj
    return array if isinstance(array, mmap.mmap) else None


class _Refused(ValueError):
    """A file that is well formed as far as read, but not supported."""


def load_arrays(
    path: Path, limit: int | None = None, skip: Callable[[str], Any] = lambda name: False
) -> Array | dict[str, Array]:
    """Load arrays from a file.

    Args:
        path: The file.
        limit: The maximum size of all arrays in bytes; None for no limit but the file's size times 1000.
        skip: Tests whether an array of a `.npz` file is not needed, by its name.

    Returns:
        The array of a `.npy` file, which is mapped and read-only if it is large, or the arrays of a `.npz`
        file by name, in the machine's byte order. If all arrays are to be skipped, none is. Those of a
        safetensors file, or of the files that an index names, are mapped. Those of a checkpoint of orbax, a
        folder, are read.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file has another format, is damaged, or holds too much.
    """
    if is_safetensors(path):
        return _wanted(open_safetensors(path), skip)
    if is_orbax(path):
        return _checkpoint(path, limit, skip)
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        budget = _Budget(1000 * size + SLACK if limit is None else max(limit, SLACK))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about headers that Python 2 wrote
                start = stream.read(len(_ZIP))
                stream.seek(0)
                return _archive(stream, budget, skip) if start == _ZIP else _array(stream, budget, stream)
        except _Refused:
            raise
        except Exception as error:
            _refuse_damaged(error)


def _checkpoint(path: Path, limit: int | None, skip: Callable[[str], Any]) -> dict[str, Array]:
    found = open_orbax(path)
    files = sum([each.stat().st_size for each in path.rglob("*") if each.is_file()])
    _Budget(1000 * files + SLACK if limit is None else max(limit, SLACK)).take(found.size)
    return _wanted(found, skip)


def _refuse_damaged(error: Exception) -> NoReturn:
    """Raise the error that stands for all that damaged files raise in NumPy and the decompressors."""
    if isinstance(error, OSError) and error.errno == errno.EIO:
        raise error
    if isinstance(error, MemoryError):
        raise ValueError("larger than the available memory") from None
    raise ValueError("not a .npy or .npz file, or a damaged one") from None


class _Budget:
    """The bytes that the arrays of a file may still take."""

    def __init__(self, limit: int) -> None:
        self._limit = self._left = limit

    def take(self, size: int) -> None:
        if size > self._left:
            raise _Refused(
                f"holds more than the program takes: an array of {size:,} bytes, where {self._left:,} of "
                f"{self._limit:,} are left"
            )
        self._left -= size


def _archive(stream: IO[bytes], budget: _Budget, skip: Callable[[str], Any]) -> dict[str, Array]:
    with zipfile.ZipFile(stream) as archive:
        names = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        found = {}
        for name, info in _wanted(names, skip).items():
            with archive.open(info) as member:
                file = stream if info.compress_type == zipfile.ZIP_STORED else None
                found[name] = _array(member, budget, file, info.header_offset)
        return found


def _wanted(named: Mapping[str, _T], skip: Callable[[str], Any]) -> dict[str, _T]:
    """Return what is not to be skipped, or all."""
    wanted = [name for name in named if not skip(name)] or list(named)
    return {name: named[name] for name in wanted}


def _array(
    stream: IO[bytes], budget: _Budget, file: IO[bytes] | None = None, header: int | None = None
) -> Array:
    """Read an array.

    Args:
        stream: The stream, at the array's own header.
        budget: The bytes that it may take.
        file: The file whose bytes the stream has, if they are those of the array.
        header: The position of the header of an archive's member in the file; None without an archive.
    """
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise _Refused(f"version {version[0]}.{version[1]} of the .npy format is not supported")
    shape, is_fortran, dtype = _HEADERS[version](stream)
    if dtype.hasobject:
        raise _Refused("files that hold Python objects are not supported")
    if dtype.kind not in "biufcV" or dtype.names or dtype.subdtype:
        raise _Refused("elements of this type are not supported; expected numbers or booleans")
    if any(size < 0 for size in shape):
        raise ValueError
    count = math.prod(shape)
    budget.take(count * dtype.itemsize)
    is_large = count * dtype.itemsize >= _MAPPED
    if is_large and file is not None and (header is None or _MAPS.get()):
        at = stream.tell() + (0 if header is None else _start(file, header))
        if at + count * dtype.itemsize > os.fstat(file.fileno()).st_size:
            raise _Refused(_TRUNCATED)
        mapped = np.memmap(file, dtype, "r", at, shape, "F" if is_fortran else "C").view(np.ndarray)
        return mapped.astype(dtype.newbyteorder("="), copy=False)
    data = np.empty(count * dtype.itemsize, np.uint8)
    _fill(data.data, stream)
    array = data.view(dtype) if dtype.itemsize else np.empty(count, dtype)
    array = array.reshape(shape, order="F" if is_fortran else "C")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _start(file: IO[bytes], header: int) -> int:
    """Return the position of the bytes of an archive's member, behind its header."""
    before = file.tell()
    file.seek(header)
    sizes = file.read(_LOCAL_HEADER)[-4:]
    file.seek(before)
    name, extra = struct.unpack("<HH", sizes)
    return header + _LOCAL_HEADER + int(name) + int(extra)


def _fill(buffer: memoryview, stream: IO[bytes]) -> None:
    """Read exactly as many bytes as the buffer has."""
    at = 0
    while at < len(buffer):
        piece = stream.read(min(len(buffer) - at, 1 << 20))
        if not piece:
            raise _Refused(_TRUNCATED)
        buffer[at : at + len(piece)] = piece
        at += len(piece)
