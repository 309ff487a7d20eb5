"""The text of `mhlo.sharding`, XLA's annotation: which device has which tile of an array."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

MHLO_SHARDING = "mhlo.sharding"
_ONE = (  # compiled when it is needed, as few programs do
    r"\{(?:(?P<word>replicated|manual|maximal device=\d+)"
    r"|devices=\[(?P<tiles>\d+(?:,\d+)*)\]"
    r"(?:<=\[(?P<iota>\d+(?:,\d+)*)\](?:T\((?P<order>\d+(?:,\d+)*)\))?|(?P<ids>\d+(?:,\d+)*)))"
    r"(?P<last> last_tile_dim_replicate| last_tile_dims=\{(?P<kinds>[a-z, ]*)\})?(?: metadata=\{.*\})?\}"
)
_MOST_DEVICES = 1 << 20
_MOST_DIMENSIONS = 64  # of a NumPy array


class TileSharding(NamedTuple):
    """The sharding of an array.

    Attributes:
        word: "replicated", "manual", "maximal", or "" for tiles.
        devices: The device of each tile: a dimension for each of the array's, then one for each of `kinds`.
        kinds: What devices along the last dimensions are: "replicated" (they have copies) or "manual".
    """

    word: str
    devices: npt.NDArray[np.int64]
    kinds: tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        """The rank of the array."""
        return self.devices.ndim - len(self.kinds)


def read_tile_shardings(text: str) -> list[TileSharding] | None:
    """Read a sharding, or those of a tuple: `{{replicated}, {devices=[2,1]<=[2]}}`; None for another text."""
    if not re.match(r"\{\s*\{", text):
        found = _read(text)
        return [found] if found is not None else None
    parts = re.split(r"(?<=\}),\s*(?=\{)", text.strip()[1:-1].strip())
    several = [_read(part) for part in parts]
    return [each for each in several if each is not None] if None not in several else None


def _read(text: str) -> TileSharding | None:
    found = re.fullmatch(_ONE, text.strip())
    if found is None:
        return None
    if found["word"]:
        return TileSharding(found["word"].split()[0], np.empty(0, np.int64))
    tiles, kinds = _numbers(found["tiles"]), _kinds(found)
    ids = _ids(found)
    is_permutation = ids is not None and np.array_equal(np.sort(ids), np.arange(ids.size))
    if ids is None or not is_permutation or ids.size != prod(tiles) or len(tiles) > _MOST_DIMENSIONS:
        return None
    if not ids.size or len(kinds) > len(tiles):
        return None
    if not set(kinds) <= {"replicated", "manual"}:
        return None
    return TileSharding("", ids.reshape(tiles), kinds)


def _kinds(found: re.Match[str]) -> tuple[str, ...]:
    if found["kinds"] is not None:
        return tuple([kind.strip() for kind in found["kinds"].split(",") if kind.strip()])
    return ("replicated",) if found["last"] else ()


def _numbers(text: str) -> tuple[int, ...]:
    """Return numbers; of those that are larger than any limit, the first digits."""
    return tuple([int(number.lstrip("0")[:10] or "0") for number in text.split(",")])


def _ids(found: re.Match[str]) -> npt.NDArray[np.int64] | None:
    """Return the devices in the order of the tiles; None if there are too many, or the order is none."""
    if found["ids"]:
        return np.array(_numbers(found["ids"]), np.int64)
    sizes = _numbers(found["iota"])
    order = _numbers(found["order"]) if found["order"] else tuple(range(len(sizes)))
    if len(sizes) > _MOST_DIMENSIONS or sorted(order) != list(range(len(sizes))):
        return None
    count = prod(sizes)
    if count > _MOST_DEVICES:
        return None
    return np.arange(count).reshape(sizes).transpose(order).reshape(-1)
