"""Checkpoints of orbax: arrays by their paths in a tree, read by tensorstore (the extra `orbax`).

A checkpoint is a folder with `_METADATA`, JSON that lists the paths, and the arrays in the format zarr
(version 2 or 3): a folder each, or all of them in a database (ocdbt). Files are not trusted, and nothing in
them is executed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from stablehlo_py.storage.files import json_object

Array = np.ndarray[Any, np.dtype[Any]]
_METADATA, _ITEM = "_METADATA", "default"
_MAX_METADATA = 1 << 25  # bytes
_NO_ARRAYS = ("None", "string")  # types of values that are not stored as arrays
_SEPARATORS = {"/", "\\", "\0"}


def is_orbax(path: Path) -> bool:
    """Return whether a path names the folder of a checkpoint, or that of a step with an item `default`."""
    return _root(path) is not None


def _root(path: Path) -> Path | None:
    folders = (path, path / _ITEM)
    # Unlike Path's method, it takes text of any length, such as that of a literal.
    return next((each for each in folders if os.path.isfile(each / _METADATA)), None)  # noqa: PTH113


class Checkpoint(Mapping[str, Array]):
    """The arrays of a checkpoint by paths such as `params/dense/kernel`; each is read when it is taken.

    Attributes:
        size: The bytes that it takes to read all of them.
    """

    def __init__(self, stores: Mapping[str, Any]) -> None:
        self._stores = stores
        self.size = sum(map(_size, stores.values()))

    def __getitem__(self, name: str) -> Array:
        store = self._stores[name]
        try:
            return np.asarray(store.read().result())
        except Exception as error:  # tensorstore has errors of many types
            _refuse(f"{name} cannot be read: {_first_line(error)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._stores)

    def __len__(self) -> int:
        return len(self._stores)


def open_orbax(path: Path) -> Checkpoint:
    """Open a checkpoint.

    Args:
        path: The folder, for which `is_orbax` holds.

    Returns:
        The arrays, of which nothing but types and shapes has been read.

    Raises:
        OSError: The metadata cannot be read.
        ValueError: The metadata is not valid, an array cannot be opened, or tensorstore is not installed.
    """
    if find_spec("tensorstore") is None:
        _refuse("a checkpoint of orbax, which needs tensorstore: pip install 'stablehlo-py[orbax]'")
    root = _root(path) or path
    metadata = json_object(root / _METADATA, _MAX_METADATA, _METADATA)
    driver = "zarr3" if metadata.get("use_zarr3") else "zarr"
    return Checkpoint({"/".join(keys): _open(root, driver, metadata, keys) for keys in _paths(metadata)})


def _paths(metadata: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the paths of the arrays in the tree; raise ValueError for names that are none."""
    tree = metadata.get("tree_metadata")
    if not isinstance(tree, dict):
        _refuse(f"{_METADATA} has no object tree_metadata, the paths of its arrays")
    for place, entry in tree.items():
        if not isinstance(entry, dict):
            _refuse(f"{_METADATA}: {place[:80]} is not an object")
        value, keys = entry.get("value_metadata"), entry.get("key_metadata")
        kind = value if isinstance(value, dict) else {}
        if kind.get("value_type") in _NO_ARRAYS or kind.get("skip_deserialize"):
            continue
        names = [each.get("key") if isinstance(each, dict) else None for each in keys or ()]
        # A separator could lead out of the folder, as could a name of dots alone.
        plain = [each for each in names if isinstance(each, str) and not _SEPARATORS & {*each}]
        if not names or len(plain) < len(names) or not ".".join(plain).strip("."):
            _refuse(f"{_METADATA}: {place[:80]} has no path of names in key_metadata")
        yield plain


def _open(root: Path, driver: str, metadata: Mapping[str, Any], keys: list[str]) -> Any:
    """Open an array, whose name is its path with dots."""
    import tensorstore

    name, base = ".".join(keys) + "/", f"{root.absolute()}/"
    in_folder = {"driver": "file", "path": base + name}
    in_database = {"driver": "ocdbt", "base": {"driver": "file", "path": base}, "path": name}
    store = in_database if metadata.get("use_ocdbt") else in_folder
    try:
        return tensorstore.open({"driver": driver, "kvstore": store}, open=True, read=True).result()
    except Exception as error:  # tensorstore has errors of many types
        _refuse(f"{'/'.join(keys)} cannot be opened: {_first_line(error)}")


def _size(store: Any) -> int:
    """The bytes of an array, or of its chunk where that is larger."""
    shape: tuple[int, ...] = store.shape
    chunk = store.chunk_layout.read_chunk.shape or shape
    count: int = math.prod(map(max, zip(shape, chunk, strict=True)))
    return count * int(store.dtype.numpy_dtype.itemsize)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200]


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)
