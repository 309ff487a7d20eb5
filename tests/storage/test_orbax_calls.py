"""Checkpoints of orbax: what tensorstore is asked for, with a module in its place."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stablehlo_py.storage import orbax


class Store:
    """An array in a store, of chunks of a shape."""

    def __init__(self, array: Any, chunk: tuple[int, ...] | None = None, error: str | None = None) -> None:
        self.array, self.error, self.shape = array, error, array.shape
        self.chunk_layout = SimpleNamespace(read_chunk=SimpleNamespace(shape=chunk))
        self.dtype = SimpleNamespace(numpy_dtype=array.dtype)

    def read(self) -> Any:
        return self

    def result(self) -> Any:
        if self.error is not None:
            raise RuntimeError(self.error)
        return self.array


class Tensorstore(SimpleNamespace):
    """Gives stores by the path in the place that it is asked for, and keeps what it is asked for."""

    def __init__(self, stores: dict[str, Store]) -> None:
        super().__init__(stores=stores, asked=[])

    def open(self, spec: dict[str, Any], **options: Any) -> Any:
        self.asked.append((spec, options))
        name = spec["kvstore"]["path"].rstrip("/").rpartition("/")[2]
        if name not in self.stores:
            raise ValueError(self.stores["error"].error)
        return SimpleNamespace(result=lambda: self.stores[name])


def entry(*keys: Any, **value: Any) -> dict[str, Any]:
    return {"key_metadata": [{"key": key} for key in keys], "value_metadata": value}


def opened(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tree: Any, stores: dict[str, Store], **flags: bool
) -> tuple[orbax.Checkpoint, list[Any]]:
    """The checkpoint with a tree, and what tensorstore was asked for."""
    place = Tensorstore(stores)
    monkeypatch.setattr(orbax, "find_spec", lambda name: name == "tensorstore")
    monkeypatch.setitem(sys.modules, "tensorstore", place)
    (folder / "_METADATA").write_text(json.dumps({"tree_metadata": tree, **flags}))
    return orbax.open_orbax(folder), place.asked


@pytest.mark.parametrize("zarr3", [False, True])
@pytest.mark.parametrize("database", [False, True])
@pytest.mark.parametrize("item", ["", "default"])
def test_where_arrays_are(
    item: str, database: bool, zarr3: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder each, or in one database; of the checkpoint itself, or of the item of a step."""
    root = tmp_path / item
    root.mkdir(exist_ok=True)
    tree = {"a": entry("layers", "0", value_type="jax.Array"), "b": entry("step")}
    stores = {"layers.0": Store(np.float32([[1, 2]])), "step": Store(np.int64(7))}
    _, asked = opened(root, monkeypatch, tree, stores, use_ocdbt=database, use_zarr3=zarr3)
    assert orbax.is_orbax(tmp_path)
    found = orbax.open_orbax(tmp_path)
    assert asked == asked[:2] * 2
    for (spec, options), name in zip(asked[:2], ("layers.0/", "step/"), strict=True):
        assert options == {"open": True, "read": True}
        assert spec["driver"] == ("zarr3" if zarr3 else "zarr")
        in_database = {"driver": "ocdbt", "base": {"driver": "file", "path": f"{root}/"}, "path": name}
        assert spec["kvstore"] == (in_database if database else {"driver": "file", "path": f"{root}/{name}"})
    assert (len(found), {name: array.tolist() for name, array in found.items()}) == (
        2,
        {"layers/0": [[1, 2]], "step": 7},
    )


def test_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "_METADATA").mkdir()
    assert not orbax.is_orbax(tmp_path) and not orbax.is_orbax(tmp_path / ("x" * 10_000))


def test_bytes_that_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of arrays, or of their chunks where those are larger: 2 by 5 floats, 3 shorts, and one double."""
    stores = {
        "a": Store(np.zeros((2, 3), np.float32), (1, 5)),
        "b": Store(np.zeros(3, np.int16), (2,)),
        "c": Store(np.float64(0)),
    }
    found, _ = opened(tmp_path, monkeypatch, {name: entry(name) for name in stores}, stores)
    assert found.size == 2 * 5 * 4 + 3 * 2 + 8


def test_values_that_are_no_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = {
        "none": entry("none", value_type="None"),
        "text": entry("text", value_type="string"),
        "skipped": entry("skipped", value_type="scalar", skip_deserialize=True),
        "kept": entry("kept", value_type="scalar", skip_deserialize=False),
        "plain": {"key_metadata": [{"key": "plain"}], "value_metadata": 5},
    }
    stores = {name: Store(np.int32(1)) for name in tree}
    assert [*opened(tmp_path, monkeypatch, tree, stores)[0]] == ["kept", "plain"]


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (None, "_METADATA has no object tree_metadata, the paths of its arrays"),
        ([], "_METADATA has no object tree_metadata, the paths of its arrays"),
        ({"x" * 90: 3}, f"_METADATA: {'x' * 80} is not an object"),
        *(
            ({"x" * 90: found}, f"_METADATA: {'x' * 80} has no path of names in key_metadata")
            for found in (
                *({}, entry(), entry(3), entry("a", None), entry("a/b"), entry("a\\b"), entry("a\0b")),
                *(entry(""), entry("", ""), entry("."), entry(".", "."), {"key_metadata": ["a"]}),
            )
        ),
        ({"x": entry("a", "b")}, "a/b cannot be opened: the first line"),
    ],
)
def test_metadata_that_is_refused(
    tree: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = {"error": Store(np.zeros(1), error="the first line\nand another")}
    with pytest.raises(ValueError) as raised:
        opened(tmp_path, monkeypatch, tree, stores)
    assert str(raised.value) == message


@pytest.mark.parametrize(("text", "shown"), [("bad\nworse", "bad"), ("", ""), ("x" * 300, "x" * 200)])
def test_an_array_that_cannot_be_read(
    text: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = {"a": Store(np.zeros(1), error=text)}
    found, _ = opened(tmp_path, monkeypatch, {"x": entry("a")}, stores)
    with pytest.raises(ValueError) as raised:
        found["a"]
    assert str(raised.value) == f"a cannot be read: {shown}"


def test_metadata_of_a_limited_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orbax, "find_spec", lambda name: name)
    with (tmp_path / "_METADATA").open("wb") as stream:
        stream.truncate((32 << 20) + 1)
    with pytest.raises(ValueError, match=r"^_METADATA has more than 32 MiB$"):
        orbax.open_orbax(tmp_path)
