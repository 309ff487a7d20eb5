"""The safetensors format: tensors by name, mapped into memory when they are read, and written one at a time.

A file is the length of its header in 8 bytes, little-endian; the header, a JSON object that gives the element
type, the shape and the bytes of each tensor; and the bytes of the tensors. Files are not trusted: a header is
read tensor by tensor, and the tensors have to fill the rest of the file without gaps and overlaps.

The package `safetensors` is not used: it copies each tensor that it gives to NumPy, and refuses f8 there.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

import numpy as np

from stablehlo_py.ir.element_types import ELEMENT_TYPES, ElementType, element_type_of, numpy_dtype
from stablehlo_py.storage.files import json_object, open_regular

Array = np.ndarray[Any, np.dtype[Any]]
SUFFIX, INDEX_SUFFIX = ".safetensors", ".safetensors.index.json"
_METADATA = "__metadata__"
_MAX_HEADER = 100_000_000  # bytes, as in the reference implementation
_MAX_INDEX = 1 << 25  # bytes
_MAX_RANK = 64
_SHOWN = 100  # characters of a value in an error
_PIECE = 1 << 20  # bytes of an array that are copied at once
_LENGTH = 8  # bytes
_HALF_BYTE = 4  # bits of an element
_TYPES = {row.safetensors: row for row in ELEMENT_TYPES.values() if row.safetensors}

# Whitespace and strings of JSON. An entry has no nested objects, and its length is limited.
_CHARACTERS = r'[^"\\\x00-\x1f]*+'
_STRING = rf'"{_CHARACTERS}(?:\\.{_CHARACTERS})*+"'
_SPACE = r"[ \t\r\n]*+"
_NAME = re.compile(rf"{_SPACE}({_STRING}){_SPACE}:{_SPACE}")
_PAIR = rf"{_SPACE}{_STRING}{_SPACE}:{_SPACE}{_STRING}{_SPACE}"
_STRINGS = re.compile(rf"\{{{_SPACE}(?:{_PAIR}(?:,{_PAIR})*+)?\}}")
_ENTRY = re.compile(r"\{[^{}]{0,4096}+\}")
_NEXT = re.compile(rf"{_SPACE}([,}}])")
_REST = re.compile(_SPACE)


class TensorInfo(NamedTuple):
    """What a header says of a tensor.

    Attributes:
        type: The element type as the format names it, such as `BF16`.
        dtype: The NumPy type of its elements.
        shape: The shape.
        start: The position of its first byte in the file.
        size: The number of its bytes in the file.
        file: The file.
    """

    type: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    size: int
    file: Path


class Tensors(Mapping[str, Array]):
    """The tensors of a file, or of the files that an index names, by name.

    Arrays are read-only views of the file, which take no memory of their own; elements of 4 bits are unpacked
    into copies. A file must not be shortened while its arrays are used.

    Attributes:
        infos: What the headers say of the tensors, by name, in the order of the file.
    """

    def __init__(self, infos: Mapping[str, TensorInfo], maps: Mapping[Path, mmap]) -> None:
        self.infos = infos
        self._maps = maps

    def __getitem__(self, name: str) -> Array:
        info = self.infos[name]
        if not info.size:
            return np.empty(info.shape, info.dtype)
        data = np.frombuffer(self._maps[info.file], np.uint8, info.size, info.start)
        if _bits(_TYPES[info.type]) == _HALF_BYTE:
            data = np.stack([data & 15, data >> 4], -1).reshape(-1)  # the first element has the low bits
        elif info.dtype.kind == "b" and data.max() > 1:
            data = (data != 0).view(np.uint8)  # other bytes are no booleans to NumPy
        elif info.start % info.dtype.alignment:
            data = data.copy()
        return data.view(info.dtype).reshape(info.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self.infos)

    def __len__(self) -> int:
        return len(self.infos)


def is_safetensors(path: str | os.PathLike[str]) -> bool:
    """Return True if a path names a file in the safetensors format, or an index of such files."""
    return os.fspath(path).endswith((SUFFIX, INDEX_SUFFIX))


def open_safetensors(path: Path) -> Tensors:
    """Open a file, or the files that an index (`NAME.safetensors.index.json`) names.

    Args:
        path: The file or the index. Files of an index are in its folder.

    Returns:
        The tensors, of which nothing but the headers has been read.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file has another format, or its header is not valid.
    """
    if not path.name.endswith(INDEX_SUFFIX):
        infos, mapped = _open(path)
        return Tensors(infos, {path: mapped})
    shards = _read_index(path)
    maps: dict[Path, mmap] = {}
    found: dict[str, TensorInfo] = {}
    for shard in dict.fromkeys(shards.values()):
        file = path.parent / shard
        try:
            infos, maps[file] = _open(file)
        except ValueError as error:
            raise ValueError(f"{shard}: {error}") from None
        names = [name for name, place in shards.items() if place == shard]
        missing = [name for name in names if name not in infos]
        if missing:
            _refuse(f"the index expects tensor {missing[0]!r} in {shard}, which does not have it")
        found |= {name: infos[name] for name in names}
    return Tensors({name: found[name] for name in shards}, maps)


def write_safetensors(
    stream: BinaryIO, tensors: Mapping[str, Array], metadata: Mapping[str, str] | None = None
) -> None:
    """Write tensors to a stream.

    Args:
        stream: A binary stream, such as that of `storage.files.replacing`, which is only written to.
        tensors: Arrays by name. Each is taken from the mapping twice, for its type and shape and for its
            elements, so that a mapping that reads arrays from elsewhere holds one at a time.
        metadata: Text by name that the header also has.

    Raises:
        OSError: The stream cannot be written.
        ValueError: The format has no name for an element type, or a name is not possible.
    """
    if _METADATA in tensors:
        _refuse(f"a tensor cannot be named {_METADATA}")
    forms = {name: _form(tensors[name]) for name in tensors}
    names = sorted(forms, key=lambda name: -forms[name][0].alignment)  # so that every tensor is aligned
    header: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    at = 0
    for name in names:
        header[name], at = _entry_of(name, *forms[name], at)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _LENGTH)
    if len(text) > _MAX_HEADER:
        _refuse(f"the header would have {len(text):,} bytes; the format permits {_MAX_HEADER:,}")
    stream.write(len(text).to_bytes(_LENGTH, "little") + text)
    for name in names:
        _write_elements(stream, np.asarray(tensors[name]))


def _form(array: Array) -> tuple[np.dtype[Any], tuple[int, ...]]:
    return array.dtype, array.shape


def _entry_of(name: str, dtype: np.dtype[Any], shape: tuple[int, ...], at: int) -> tuple[dict[str, Any], int]:
    """Return the entry of a tensor in the header, and the position behind the tensor."""
    row = element_type_of(dtype)
    bits = math.prod(shape) * _bits(row) if row is not None and row.safetensors else -1
    if row is None or bits < 0 or bits % 8:
        _refuse(f"{name} has elements of {dtype.name}, {shape} of which a safetensors file cannot store")
    stop = at + bits // 8
    return {"dtype": row.safetensors, "shape": list(shape), "data_offsets": [at, stop]}, stop


def _write_elements(stream: BinaryIO, array: Array) -> None:
    """Write the bytes of an array; one that is not contiguous is copied piece by piece."""
    while array.ndim and len(array) == 1:
        array = array[0]
    if array.flags.c_contiguous or array.nbytes <= _PIECE:
        row, data = element_type_of(array.dtype), np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        if row is not None and _bits(row) == _HALF_BYTE:
            data = (data[::2] & 15 | data[1::2] << 4).astype(np.uint8)
        stream.write(data.data)
        return
    middle = len(array) // 2
    _write_elements(stream, array[:middle])
    _write_elements(stream, array[middle:])


def _bits(row: ElementType) -> int:
    """Return the width of an element in a file: narrow floats are packed, booleans are not."""
    return row.width if row.literal == "float" else 8 * numpy_dtype(row.type).itemsize


# Reading


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)


def _shown(value: object) -> str:
    """Return the text of a value in an error: a header has names of any length."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _open(path: Path) -> tuple[dict[str, TensorInfo], mmap]:
    """Map a file, and read its header."""
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size < _LENGTH:
            _refuse("not a safetensors file: it has no header")
        length = int.from_bytes(stream.read(_LENGTH), "little")
        if length > min(_MAX_HEADER, size - _LENGTH):
            _refuse(
                f"not a safetensors file, or a truncated one: a header of {length:,} bytes "
                f"in a file of {size:,} (at most {_MAX_HEADER:,} are permitted)"
            )
        try:
            text = stream.read(length).decode()
        except UnicodeDecodeError:
            _refuse("not a safetensors file: its header is not UTF-8")
        infos = _read_header(text, _LENGTH + length, path)
        _check_places(infos, _LENGTH + length, size)
        return infos, mmap(stream.fileno(), 0, access=ACCESS_READ)


def _read_header(text: str, base: int, path: Path) -> dict[str, TensorInfo]:
    """Return the tensors of a header in its order.

    Args:
        text: The header.
        base: The position of the first byte of tensors.
        path: The file.
    """
    infos: dict[str, TensorInfo] = {}
    if not text.startswith("{"):
        _refuse("not a safetensors file: its header is not a JSON object")
    at = 1
    is_empty = (end := _NEXT.match(text, at)) is not None and end[1] == "}"
    has_metadata = False
    while not is_empty:
        key = _NAME.match(text, at)
        name = _json(key[1]) if key is not None else None
        if key is None or not isinstance(name, str):
            _refuse(f"the header is not valid: expected a name at byte {at}")
        is_metadata = name == _METADATA
        value = (_STRINGS if is_metadata else _ENTRY).match(text, key.end())
        if value is None:
            what = "an object of strings" if is_metadata else "dtype, shape and data_offsets"
            _refuse(f"the header is not valid: expected {what} for {_shown(name)}")
        if name in infos or (is_metadata and has_metadata):
            _refuse(f"the header is not valid: {_shown(name)} appears twice")
        has_metadata |= is_metadata
        if not is_metadata:
            infos[name] = _info(name, _json(value[0]), base, path)
        end = _NEXT.match(text, value.end())
        if end is None:
            _refuse(f"the header is not valid: expected a comma or the end after {_shown(name)}")
        at, is_empty = end.end(), end[1] == "}"
    if end is None or _REST.fullmatch(text, end.end()) is None:
        _refuse("the header is not valid: text after its end")
    return infos


def _json(text: str) -> Any:
    """Return a short value as Python data; an object as a list of pairs, so that names appear as they are."""
    try:
        return json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        _refuse(f"the header is not valid JSON: {_shown(text)}")


def _info(name: str, pairs: list[tuple[str, Any]], base: int, path: Path) -> TensorInfo:
    """Return what the entry of a tensor says, if type, shape and offsets agree."""
    fields = dict(pairs)
    if sorted(key for key, _ in pairs) != ["data_offsets", "dtype", "shape"]:
        _refuse(f"tensor {_shown(name)}: expected dtype, shape and data_offsets once each")
    type, shape, offsets = fields["dtype"], fields["shape"], fields["data_offsets"]
    row = _TYPES.get(type) if isinstance(type, str) else None
    if row is None:
        known = ", ".join(_TYPES)
        _refuse(f"tensor {_shown(name)}: element type {_shown(type)} is not supported; supported are {known}")
    if not _are_sizes(shape) or len(shape) > _MAX_RANK:
        _refuse(
            f"tensor {_shown(name)}: expected a shape of at most {_MAX_RANK} sizes, found {_shown(shape)}"
        )
    if not _are_sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        _refuse(
            f"tensor {_shown(name)}: expected two data_offsets, first the smaller, found {_shown(offsets)}"
        )
    bits = math.prod(shape) * _bits(row)
    size = offsets[1] - offsets[0]
    if bits != 8 * size:
        takes = f"{type} of shape {shape} takes {-(-bits // 8):,} bytes"
        _refuse(f"tensor {_shown(name)}: {takes}, but data_offsets give {size:,}")
    return TensorInfo(type, numpy_dtype(row.type), tuple(shape), base + offsets[0], size, path)


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(type(each) is int and 0 <= each < 1 << 63 for each in value)


def _check_places(infos: Mapping[str, TensorInfo], base: int, size: int) -> None:
    """Raise ValueError unless the tensors fill the file from `base` to its end without overlaps."""
    at, before = base, "the header"
    for name, info in sorted(infos.items(), key=lambda item: (item[1].start, item[1].size)):
        if info.start + info.size > size:
            _refuse(
                f"truncated, or a wrong header: tensor {_shown(name)} ends "
                f"at byte {info.start + info.size:,} of a file of {size:,}"
            )
        if info.start != at:
            how = "overlaps" if info.start < at else f"begins {info.start - at:,} bytes after"
            _refuse(f"the header is not valid: tensor {_shown(name)} {how} {before}")
        at, before = info.start + info.size, f"tensor {_shown(name)}"
    if at != size:
        _refuse(f"{size - at:,} bytes after {before}, which belong to no tensor")


def _read_index(path: Path) -> dict[str, str]:
    """Return the file of each tensor of an index, by the tensor's name."""
    files = json_object(path, _MAX_INDEX, "the index").get("weight_map")
    if not isinstance(files, dict):
        _refuse('expected an object "weight_map" of files by names of tensors in the index')
    for name, file in files.items():
        # A path with a separator could lead out of the folder.
        is_name = isinstance(file, str) and Path(file).name == file and not {"\0", "\\"} & {*file}
        if not is_name or not file.endswith(SUFFIX):
            _refuse(f"the index does not give a {SUFFIX} file in its own folder for tensor {_shown(name)}")
    return files
