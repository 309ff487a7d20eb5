"""Shardings: which device holds which part of an array, and the arrays of devices in replica groups."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from stablehlo_py.hlo import texts
from stablehlo_py.hlo.lexer import Cursor
from stablehlo_py.ir.records import dataclass

_METADATA = re.compile(r",? metadata=\{")
AXES = ("replicated", "unreduced", "manual")  # what axes of a mesh are for, in the order of the text
_DIMENSIONS = "dimensions"
_WORDS = ("replicated", "maximal", "manual", "unknown", "unreduced")


@dataclass(frozen=True, slots=True)
class Iota:
    """The numbers from 0 on, reshaped to `sizes` and transposed by `permutation`: `[2,4]T(1,0)`."""

    sizes: tuple[int, ...]
    permutation: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        found = 1
        for size in self.sizes:
            found *= size
        return found

    def devices(self) -> list[int]:
        """Return the numbers in row-major order."""
        import numpy as np

        order: list[int] = (
            np.arange(self.size).reshape(self.sizes).transpose(self.permutation).ravel().tolist()
        )
        return order

    def simplified(self) -> Iota:
        """Return the same numbers with as few dimensions as possible."""
        kept = [number for number in self.permutation if self.sizes[number] != 1]
        runs: list[list[int]] = []
        for number in kept:
            before = runs[-1][-1] if runs else None
            if (
                before is not None
                and number > before
                and all(self.sizes[n] == 1 for n in range(before + 1, number))
            ):
                runs[-1].append(number)
            else:
                runs.append([number])
        order = sorted(runs)
        sizes = [Iota(tuple(self.sizes[n] for n in run), ()).size for run in order]
        return Iota(tuple(sizes) or (1,), tuple(order.index(run) for run in runs) or (0,))

    def __str__(self) -> str:
        text = f"[{','.join(map(str, self.sizes))}]"
        plain = self.permutation == tuple(range(len(self.sizes)))
        return text if plain else f"{text}T({','.join(map(str, self.permutation))})"


def read_iota(cursor: Cursor) -> Iota:
    """Read an array of numbers, such as `[4,2]T(1,0)`, with as few dimensions as possible."""
    start = cursor.at
    sizes = cursor.items(cursor.integer, "[", "]")
    permutation = tuple(range(len(sizes)))
    if cursor.take("T"):
        permutation = cursor.items(cursor.integer, "(", ")")
    elif len(sizes) > 1:
        cursor.fail("T(...): the order of the dimensions")
    if sorted(permutation) != list(range(len(sizes))) or not sizes or min(sizes) < 1:
        cursor.fail("positive sizes, and a permutation of the dimensions", at=start)
    _bounded(cursor, sizes, start)
    return Iota(sizes, permutation).simplified()


def _bounded(cursor: Cursor, sizes: tuple[int, ...], at: int) -> None:
    """Check the number of devices, of which a list may be made."""
    if math.prod(sizes) > 1 << 24:
        cursor.fail("at most 2^24 devices", at=at)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a mesh, or a part of it: `'a'`, `'a':(2)4`."""

    name: str
    part: str = ""

    def __str__(self) -> str:
        return f"'{self.name}'{self.part}"


@dataclass(frozen=True, slots=True)
class Mesh:
    """A mesh of devices with named axes."""

    axes: tuple[tuple[str, int], ...]
    devices: str = ""

    def groups(self, axes: tuple[Axis, ...]) -> tuple[tuple[int, ...], ...]:
        """Return the groups of devices along axes; none for parts of axes or an order of devices."""
        if self.devices or any(axis.part for axis in axes):
            return ()
        names = [name for name, _ in self.axes]
        along = [names.index(axis.name) for axis in axes]
        order = [*(n for n in range(len(names)) if n not in along), *along]
        ids = Iota(tuple(size for _, size in self.axes), tuple(order)).devices()
        count = math.prod(self.axes[n][1] for n in along)
        return tuple([tuple(ids[start : start + count]) for start in range(0, len(ids), count)])

    def __str__(self) -> str:
        axes = ",".join(f"'{name}'={size}" for name, size in self.axes)
        return f"mesh[{axes}]{self.devices}"


def read_mesh(cursor: Cursor) -> Mesh:
    """Read a mesh: `mesh['a'=2,'b'=4]`."""
    start = cursor.at
    cursor.expect("mesh")

    def axis() -> tuple[str, int]:
        name = texts.read_string(cursor)
        cursor.expect("=", "'=' and the size of the axis")
        return name, cursor.integer()

    axes = cursor.items(axis, "[", "]")
    if any(size < 1 for _, size in axes) or len({name for name, _ in axes}) < len(axes):
        cursor.fail("positive sizes of axes with different names", at=start)
    _bounded(cursor, tuple([size for _, size in axes]), start)
    if not (cursor.is_next(",") and "device_ids" in cursor.text[cursor.at : cursor.at + 20]):
        return Mesh(axes)
    cursor.take(",")
    cursor.take_word("device_ids")
    cursor.expect("=")
    cursor.expect("(")
    if cursor.is_next("["):
        iota = read_iota(cursor)
        ids = str(iota) if len(iota.sizes) > 1 else ""
    else:
        numbers = [cursor.integer()]
        while cursor.take(","):
            numbers.append(cursor.integer())
        ids = ",".join(map(str, numbers))
    cursor.expect(")")
    return Mesh(axes, f", device_ids=({ids})" if ids else "")


def read_axis(cursor: Cursor) -> Axis:
    """Read an axis of a mesh, or a part of it."""
    name = texts.read_string(cursor)
    if not cursor.take(":"):
        return Axis(name)
    cursor.expect("(")
    before = cursor.integer()
    cursor.expect(")")
    return Axis(name, f":({before}){cursor.integer()}")


# ------------------------------------------------------------------------------- shardings


def read_sharding(cursor: Cursor) -> str:
    """Read a sharding, as XLA's text of it."""
    cursor.expect("{", "'{' before a sharding")
    if not cursor.is_next("{") and not cursor.is_next("}"):
        return f"{{{_one(cursor)}}}"
    parts = []
    while not cursor.take("}"):
        cursor.expect("{", "'{' before the sharding of an element of a tuple")
        parts.append(f"{{{_one(cursor)}}}")
        if not cursor.take(",") and not cursor.is_next("}"):
            cursor.fail("',' or '}' after the sharding of an element")
    return f"{{{', '.join(parts)}}}"


def _one(cursor: Cursor) -> str:
    """Read a sharding after its brace, with the closing one."""
    if cursor.is_next("mesh") or cursor.is_next("maximal_mesh"):
        return _named(cursor)
    kind, tiles, tail, metadata = "", "", list[str](), ""
    device: int | None = None
    while not cursor.take("}"):
        start = cursor.at
        if cursor.take(","):
            continue
        word = cursor.choice(
            (*_WORDS, "device", "devices", "last_tile_dim_replicate", "last_tile_dims", "shard_as",
            "shard_like",
             "metadata"), "a field of a sharding"
        )  # fmt: skip
        if word in _WORDS:
            kind = word
        elif word == "device":
            cursor.expect("=")
            device = cursor.integer()
        elif word == "devices":
            tiles = _tiles(cursor)
        elif word == "last_tile_dim_replicate":
            tail.append(word)
        elif word == "last_tile_dims":
            cursor.expect("=")
            kinds = cursor.items(lambda: cursor.choice(_WORDS, "a kind of sharding"))
            tail.append(
                "last_tile_dim_replicate"
                if kinds == ("replicated",)
                else f"last_tile_dims={{{', '.join(kinds)}}}"
            )
        elif word in ("shard_as", "shard_like"):
            tail.append(f"{word} {cursor.integer()}")
        else:
            cursor.expect("=")
            metadata = _metadata(cursor)
        if tiles and kind:
            cursor.fail(f"either devices= or {kind}", at=start)
    if kind == "maximal":
        if device is None:
            cursor.fail("device= of a maximal sharding")
        kind, tail = f"maximal device={device}", []
    if not kind and not tiles:
        cursor.fail(f"a sharding: devices=, {', '.join(_WORDS)}")
    return " ".join([kind or tiles, *tail, *filter(None, [metadata])])


def _metadata(cursor: Cursor, is_list: bool = False) -> str:
    """Read the metadata of a sharding, one or a list of some, as text."""
    if cursor.text[cursor.at + 1 : cursor.at + 20].lstrip()[:1] == "{":
        found = cursor.items(lambda: texts.read_metadata(cursor))
    else:
        found = (texts.read_metadata(cursor),)
    text = ", ".join(map(texts.metadata_text, found))
    return f"metadata={{{text}}}" if is_list or len(found) > 1 else f"metadata={text}"


def without_metadata(sharding: str) -> str:
    """Return the text of a sharding without metadata."""
    found = _METADATA.search(sharding)
    while found is not None:
        end = texts.json_end(sharding, found.end() - 1)
        sharding = sharding[: found.start()] + sharding[end:]
        found = _METADATA.search(sharding)
    return sharding


def _tiles(cursor: Cursor) -> str:
    """Read the tiles of an array and their devices, after `devices`."""
    cursor.expect("=")
    start = cursor.at
    sizes = cursor.items(cursor.integer, "[", "]")
    count = Iota(sizes, ()).size
    text = f"devices=[{','.join(map(str, sizes))}]"
    if cursor.take("<="):
        iota = read_iota(cursor)
        if iota.size != count:
            cursor.fail(f"{count} devices instead of {iota.size}", at=start)
        return f"{text}<={iota}"
    devices = [cursor.integer()]
    while cursor.is_next(",") and cursor.text[cursor.at + 1 : cursor.at + 20].lstrip()[:1].isdigit():
        cursor.take(",")
        devices.append(cursor.integer())
    if len(devices) != count:
        cursor.fail(f"{count} devices instead of {len(devices)}", at=start)
    return text + ",".join(map(str, devices))


def _named(cursor: Cursor) -> str:
    """Read a sharding by axes of a mesh, with its closing brace."""
    if cursor.take("maximal_mesh"):
        cursor.expect("[")
        if not cursor.take_word("device_id"):
            cursor.fail("device_id=")
        cursor.expect("=")
        device = cursor.integer()
        cursor.expect("]")
        parts = [f"maximal_mesh[device_id={device}]"]
        if cursor.take(",") and cursor.choice(("metadata",), "metadata="):
            cursor.expect("=")
            parts.append(_metadata(cursor, is_list=True))
        cursor.expect("}")
        return ", ".join(parts)
    start, mesh = cursor.at, read_mesh(cursor)
    names = [f"'{name}'" for name, _ in mesh.axes]
    cursor.take(",")
    dimensions, axes = list[str](), dict[str, list[str]]()
    if cursor.is_next("["):
        dimensions += cursor.items(lambda: _named_dimension(cursor, axes), "[", "]")
    elif (word := cursor.choice(AXES, "'[' before the axes of dimensions, or a word")) != AXES[0]:
        axes[word] = names
    metadata, reduction = "", ""
    while not cursor.take("}"):
        cursor.expect(",", "',' before a field of a sharding")
        word = cursor.choice((*AXES, "metadata"), "a field of a sharding")
        cursor.expect("=")
        if word == "metadata":
            metadata = _metadata(cursor, is_list=True)
            continue
        if word == "unreduced" and not cursor.is_next("{"):
            reduction = cursor.choice(("sum", "max", "min"), "a reduction")
        axes[word] = [str(axis) for axis in cursor.items(lambda: read_axis(cursor))]
    used = [axis for listed in axes.values() for axis in listed]
    if unknown := {axis.partition(":")[0] for axis in used}.difference(names):
        cursor.fail(f"an axis of {mesh} instead of {min(unknown)}", at=start)
    if len(set(used)) < len(used):
        cursor.fail("each axis of the mesh once", at=start)
    axes.pop(_DIMENSIONS, None)
    return named_text(str(mesh), names, dimensions, axes, [metadata] if metadata else [], reduction)


def named_text(
    mesh: str,
    names: Sequence[str],
    dimensions: Sequence[str],
    axes: Mapping[str, Sequence[str]],
    metadata: Sequence[str],
    reduction: str = "",
) -> str:
    """Return the text of a sharding by axes of a mesh.

    Args:
        mesh: The text of the mesh.
        names: The names of all its axes, in quotes.
        dimensions: The text of each dimension. Without dimensions, the text is a word where one says it.
        axes: Other axes by what they are for, one of AXES.
        metadata: The text of metadata, if there is any.
        reduction: How unreduced values are reduced.
    """
    parts = [
        f"{word}={reduction if word == 'unreduced' else ''}{{{', '.join(axes[word])}}}"
        for word in AXES
        if axes.get(word)
    ]
    whole = [word for word in AXES[1:] if names and axes.get(word) == names]
    if not dimensions and (not parts or (whole and len(parts) == 1)):
        parts = whole or ["replicated"]
    else:
        parts.insert(0, f"[{', '.join(dimensions)}]")
    return ", ".join([mesh, *parts, *metadata])


def _named_dimension(cursor: Cursor, axes: dict[str, list[str]]) -> str:
    """Read the axes of a dimension, and note them among those that are used."""
    found: list[str] = []

    def axis() -> str:
        if found[-1:] == ["?"]:
            cursor.fail("'}' after '?'")
        found.append("?" if cursor.take("?") else str(read_axis(cursor)))
        return found[-1]

    cursor.items(axis)
    axes.setdefault(_DIMENSIONS, []).extend(each for each in found if each != "?")
    return f"{{{', '.join(found)}}}"
