"""Locations of a file that decode without a fault, found by passes over all of them at once.

An operation decodes its location on first access, where a fault could not be reported. So everything that can
be wrong with a location is looked for before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.artifacts.bytecode.cursor import Data
from stablehlo_py.artifacts.bytecode.sections import Layout
from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects.builtin import ATTRIBUTES, MAX_NUMBERS, NUMBERS
from stablehlo_py.artifacts.dialects.rows import Row
from stablehlo_py.ir.attributes import StringAttr
from stablehlo_py.ir.locations import Location

Array = np.ndarray[Any, np.dtype[Any]]

LEAST_COUNT = 200  # attributes, below which looking takes longer than decoding all of them
MAX_ROUNDS = 100  # depth of nested locations, beyond which they are decoded at once
MAX_SIZE = 10_000  # of nested locations, counting repeated uses, beyond which they are decoded at once
_PARTS = 2  # the most locations that one contains
_LONG = 9  # bytes of the longest varint, which no valid location has
_SIZES = np.array([_LONG, *[(first & -first).bit_length() for first in range(1, 256)]])  # by the first byte
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)] + [0], np.uint64)  # by the size
_WORD = np.arange(8)
_CHECKED = {F.NAME, F.LOCATION, F.VARINT, NUMBERS}


def _is_checked(row: Row) -> bool:
    is_location = isinstance(row.key, type) and issubclass(row.key, Location)
    return is_location and _CHECKED.issuperset(row.fields.values())


_LOCATIONS = [row for row in ATTRIBUTES if _is_checked(row)]
_NAMES = [row for row in ATTRIBUTES if row.key is StringAttr]  # one with a type is not read to its end


def sound_locations(layout: Layout, data: Data) -> list[bool]:
    """Return for each attribute whether it is a location that decodes without a fault.

    Fused locations, which are rare, very large ones and those of small files are left out.

    Args:
        layout: The tables of the file.
        data: The file.
    """
    count = len(layout.attributes)
    if count < LEAST_COUNT:
        return [False] * count
    dialects, starts, ends, encoded = zip(*layout.attributes, strict=True)
    cursors = _Cursors(np.frombuffer(data, np.uint8), np.array(starts), np.array(ends))
    codes = cursors.varint()
    cursors.sound &= np.array(encoded) & np.array([dialect == "builtin" for dialect in dialects])
    named = np.zeros(count, bool)
    for row in _NAMES:
        chosen = np.flatnonzero(cursors.sound & (codes == row.code))
        name = cursors.part(chosen)
        name.sound &= name.varint() < len(layout.strings)
        named[chosen] = name.finished()
    found = [
        _parts(np.flatnonzero(cursors.sound & (codes == row.code)), cursors, row, named) for row in _LOCATIONS
    ]
    return _sound(np.concatenate([index for index, _ in found]), np.concatenate([p for _, p in found]), count)


class _Cursors:
    """Positions in many entries, which read the same fields at once.

    Args:
        data: The bytes of the file.
        at: The positions.
        end: The ends of the entries.

    Attributes:
        sound: Whether all fields so far are sound.
    """

    def __init__(self, data: Array, at: Array, end: Array) -> None:
        self._data = data
        self._at = at
        self._end = end
        self.sound = np.ones(len(at), bool)

    def part(self, chosen: Array) -> _Cursors:
        """Return some of the positions, by index."""
        return _Cursors(self._data, self._at[chosen], self._end[chosen])

    def varint(self, present: Array | bool = True) -> Array:
        """Read a varint from the entries in which it is present."""
        last = len(self._data) - 1
        size = _SIZES[self._data[np.minimum(self._at, last)]]
        words = self._data[np.minimum(self._at[:, None] + _WORD, last)].view("<u8")[:, 0]
        self._at = self._at + size * present
        self.sound &= (size < _LONG) & (self._at <= self._end)
        numbers: Array = (words & _MASKS[size]) >> size.astype(np.uint64)
        return numbers

    def finished(self) -> Array:
        """Return whether the entries are sound and read to their ends."""
        finished: Array = self.sound & (self._at == self._end)
        return finished


def _parts(chosen: Array, cursors: _Cursors, row: Row, named: Array) -> tuple[Array, Array]:
    """Return the sound ones of some locations, by index, and the locations that each contains."""
    count = len(named)
    fields = cursors.part(chosen)
    parts = np.full((len(chosen), _PARTS), count)
    place = 0
    for kind in row.fields.values():
        numbers = fields.varint()
        if kind is NUMBERS:
            fields.sound &= numbers <= MAX_NUMBERS
            for number in range(MAX_NUMBERS):
                fields.varint(present=number < numbers)
        elif kind is not F.VARINT:
            fields.sound &= numbers < count
            index = np.minimum(numbers, count - 1).astype(np.int64)
            if kind is F.NAME:
                fields.sound &= named[index]
            else:
                parts[:, place] = index
                place += 1
    sound = fields.finished()
    return chosen[sound], parts[sound]


def _sound(index: Array, parts: Array, count: int) -> list[bool]:
    """Return for each of `count` attributes whether all locations within it are sound, and few."""
    sound, size = np.zeros(count + 1, bool), np.zeros(count + 1)
    sound[count] = True  # instead of a part
    for _ in range(MAX_ROUNDS):
        ready = sound[parts].all(axis=1)
        if not ready.any():
            break
        now = index[ready]
        size[now] = 2 + size[parts[ready]].sum(axis=1)
        sound[now] = size[now] <= MAX_SIZE
        index, parts = index[~ready], parts[~ready]
    return sound[:count].tolist()  # type: ignore[no-any-return]
