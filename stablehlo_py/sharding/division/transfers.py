"""Transfers: which elements devices send each other so that each has its shard of a joined dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from stablehlo_py.sharding.division.devices import shard_size


class Part(NamedTuple):
    """Neighbouring elements of a source that are neighbours in the result.

    Attributes:
        source: The number of the source.
        start: The first of them in the dimension of the source.
        size: How many there are.
        shard: The size of a shard of the source; None for one that every device has as a whole.
    """

    source: int
    start: int
    size: int
    shard: int | None


class Segment(NamedTuple):
    """Elements that one device has of a part and another one needs.

    Attributes:
        sender: The shard of the source.
        receiver: The shard of the result.
        start: Where they begin in the shard of the source.
        place: Where they begin in the shard of the result.
        size: How many there are.
    """

    sender: int
    receiver: int
    start: int
    place: int
    size: int


class Transfer(NamedTuple):
    """Segments of a source that devices exchange at once: each sends one at most, and receives one at most.

    Attributes:
        source: The number of the source.
        segments: The segments, of which no two have one sender or one receiver.
    """

    source: int
    segments: tuple[Segment, ...]

    @property
    def width(self) -> int:
        """The elements that each device sends; a segment that is shorter has others behind it."""
        return max([segment.size for segment in self.segments])

    @property
    def is_local(self) -> bool:
        """Test whether each device has what it needs."""
        return all(segment.sender == segment.receiver for segment in self.segments)

    @property
    def traffic(self) -> int:
        """The elements that a device receives."""
        return 0 if self.is_local else self.width

    def joins(self, other: Transfer) -> bool:
        """Test whether devices can exchange the segments of another transfer at once with these."""
        if self.source != other.source or self.is_local != other.is_local:
            return False
        senders = {s.sender for s in self.segments} & {s.sender for s in other.segments}
        receivers = {s.receiver for s in self.segments} & {s.receiver for s in other.segments}
        return not senders and not receivers


def transfers(parts: Sequence[Part], shards: int) -> list[Transfer]:
    """Return the transfers after which each device has its shard of what parts are joined to.

    A device writes what it receives in order; what comes with a short segment is overwritten by the next one.

    Args:
        parts: The parts, in their order in the result; a source may have several.
        shards: The number of shards of the result.
    """
    shard = shard_size(sum([part.size for part in parts]), shards)
    ways = [_grouped(parts, shard, key) for key in (_by_distance, _by_turn)]
    return min(map(_merged, ways), key=lambda way: (sum([t.traffic for t in way]), len(way)))


def places(way: Sequence[Transfer], shard: int, total: int) -> list[int] | None:
    """Return where the segments of each transfer are in all shards, if one follows the other; None if not.

    Args:
        way: The transfers.
        shard: The size of a shard.
        total: The size of the whole dimension; behind it, there may be anything.
    """
    found, place = list[int](), 0
    for transfer in way:
        receivers = {segment.receiver for segment in transfer.segments}
        missing = set(range(-(-total // shard))) - receivers
        if any(segment.place != place for segment in transfer.segments):
            return None
        if any(device * shard + place < total for device in missing):
            return None
        found.append(place)
        place += transfer.width
    return found if place == shard else None


def _segments(part: Part, offset: int, shard: int) -> list[Segment]:
    """Return the segments of a part that begins somewhere in the result, in order."""
    found, done = list[Segment](), 0
    while done < part.size:
        receiver, place = divmod(offset + done, shard)
        sender, start = divmod(part.start + done, part.shard) if part.shard else (receiver, part.start + done)
        size = min(part.size - done, shard - place)
        size = min(size, part.shard - start) if part.shard else size
        found.append(Segment(sender, receiver, start, place, size))
        done += size
    return found


_Key = Callable[[Sequence[Segment]], Iterable[tuple[int, int]]]


def _by_distance(segments: Sequence[Segment]) -> Iterable[tuple[int, int]]:
    """Those between devices at one distance are exchanged at once."""
    return [(0, segment.sender - segment.receiver) for segment in segments]


def _by_turn(segments: Sequence[Segment]) -> Iterable[tuple[int, int]]:
    """The rests of shards first, each the first segment of a receiver; then what begins a shard, by turn."""
    turns = [(0 if segments[0].start else 1, 0)]
    for before, segment in pairwise(segments):
        kind, turn = turns[-1]
        if segment.sender == before.sender:
            turns.append((0, turn + 1 if kind == 0 else 1))
        elif segment.receiver == before.receiver:
            turns.append((1, turn + 1 if kind == 1 else 0))
        else:
            turns.append((1, 0))
    return turns


def _grouped(parts: Sequence[Part], shard: int, key: _Key) -> list[Transfer]:
    found, offset = list[Transfer](), 0
    for part in [part for part in parts if part.size]:
        groups: dict[tuple[int, int], list[Segment]] = {}
        segments = _segments(part, offset, shard)
        for number, segment in zip(key(segments), segments, strict=True):
            groups.setdefault(number, []).append(segment)
        found += [Transfer(part.source, tuple(groups[number])) for number in sorted(groups)]
        offset += part.size
    return found


def _merged(way: Sequence[Transfer]) -> list[Transfer]:
    """Join transfers, as far as each device still receives its segments in order."""
    found = list[Transfer]()
    for transfer in way:
        for index, other in enumerate(found):
            made = Transfer(other.source, (*other.segments, *transfer.segments))
            if other.joins(transfer) and _is_ordered([*found[:index], made, *found[index + 1 :]]):
                found[index] = made
                break
        else:
            found.append(transfer)
    return found


def _is_ordered(way: Sequence[Transfer]) -> bool:
    """Test whether what is written behind a segment is overwritten by the next one."""
    last: dict[int, int] = {}
    for transfer in way:
        width = transfer.width
        for segment in transfer.segments:
            before = last.get(segment.receiver, 0)
            if segment.size < width and segment.place < before:
                return False
            last[segment.receiver] = max(before, segment.place)
    return True
