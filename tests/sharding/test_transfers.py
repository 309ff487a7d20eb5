"""Concatenations along a divided dimension: rotations, shifts, parts of several values."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.sharding.division.transfers import Part, Segment, Transfer, _by_turn, places, transfers
from tests.sharding.test_division import argument, collectives

PERMUTE = "collective_permute"
MESH = 'sdy.mesh @mesh = <["x"=2, "y"=4]>'


def check(body: str, sharding: str, result: str, rows: int, expected: list[str] | None = None) -> shlo.Module:
    """Compare a program of two arguments, 16x2 and 8x2, with the undivided one."""
    arguments = f"{argument('a', 'tensor<16x2xi32>', sharding)}, {argument('b', 'tensor<8x2xi32>', sharding)}"
    type = f"tensor<{rows}x2xi32>"
    out = argument("r", type, result).removeprefix("%r: ")
    text = f"{MESH}\nfunc.func @main({arguments}) -> ({out}) {{\n{body}\n  return %0 : {type}\n}}"
    module = shlo.parse(text)
    inputs = [np.arange(32, dtype=np.int32).reshape(16, 2), -np.arange(1, 17, dtype=np.int32).reshape(8, 2)]
    program = shlo.compile(module, partition=True)
    assert shlo.verify(program.divided) == []
    np.testing.assert_array_equal(program(*inputs)[0], shlo.run(module, inputs)[0])
    assert expected is None or collectives(program.divided) == expected
    return program.divided


def part(name: str, value: str, start: int, limit: int) -> str:
    whole = "16x2" if value == "a" else "8x2"
    types = f"(tensor<{whole}xi32>) -> tensor<{limit - start}x2xi32>"
    return f"  %{name} = stablehlo.slice %{value} [{start}:{limit}, 0:2] : {types}"


def join(*parts: tuple[str, int]) -> str:
    types = ", ".join(f"tensor<{size}x2xi32>" for _, size in parts)
    names = ", ".join(f"%{name}" for name, _ in parts)
    total = sum(size for _, size in parts)
    return f"  %0 = stablehlo.concatenate {names}, dim = 0 : ({types}) -> tensor<{total}x2xi32>"


@pytest.mark.parametrize(
    ("axes", "count", "moved"),
    [
        ('"y"', 1, [1]),  # the neighbour's last row
        ('"y"', 15, [1]),
        ('"y"', 4, [4]),  # whole shards
        ('"y"', 6, [2, 2]),  # from two devices
        ('"x", "y"', 3, [1, 1]),
        ('"x"', 3, [3]),
    ],
)
def test_rotations_move_the_rows_that_change_their_device(axes: str, count: int, moved: list[int]) -> None:
    body = [part("s", "a", 16 - count, 16), part("t", "a", 0, 16 - count)]
    body.append(join(("s", count), ("t", 16 - count)))
    divided = check("\n".join(body), f"[{{{axes}}}, {{}}]", f"[{{{axes}}}, {{}}]", 16, [PERMUTE] * len(moved))
    rows = [op.results[0].type.shape[0] for op in divided.walk() if op.name.endswith(PERMUTE)]
    assert rows == moved


def test_a_shift_takes_a_row_from_the_neighbour() -> None:
    zeros = "  %z = stablehlo.constant dense<7> : tensor<1x2xi32>"
    body = "\n".join([zeros, part("s", "a", 1, 16), join(("s", 15), ("z", 1))])
    check(body, '[{"y"}, {}]', '[{"y"}, {}]', 16, [PERMUTE])


@pytest.mark.parametrize(
    ("parts", "rows", "count"),
    [
        ([("a", 16), ("b", 8)], 24, 3),  # the last device needs b's second and third shard
        ([("b", 8), ("b", 8)], 16, 2),  # the second device does
        ([("b", 8), ("a", 16), ("b", 8)], 32, 4),  # the first one needs three of b's, the second one of a's
    ],
)
def test_several_values(parts: list[tuple[str, int]], rows: int, count: int) -> None:
    sharding = '[{"y"}, {}]'
    check(join(*parts), sharding, sharding, rows, [PERMUTE] * count)


def test_a_slice_with_other_uses_is_divided_as_well() -> None:
    body = [part("s", "a", 12, 16), part("t", "a", 0, 12)]
    body.append(join(("s", 4), ("t", 12)).replace("%0", "%1"))
    body.append("  %2 = stablehlo.add %s, %s : tensor<4x2xi32>")
    body.append(join(("1", 16), ("s", 4), ("2", 4)))
    check("\n".join(body), '[{"x"}, {}]', "[{}, {}]", 24)


def test_a_slice_that_has_the_shards_of_its_operand_is_moved_by_itself() -> None:
    rows, columns = [f"#sdy.sharding<@mesh, {axes}>" for axes in ('[{"x"}, {}]', '[{}, {"x"}]')]
    whole, part = "tensor<8x12xi32>", "tensor<8x11xi32>"
    module = shlo.parse(
        f"{MESH}\nfunc.func @main(%a: {whole} {{sdy.sharding = {columns}}}) -> "
        f"({whole} {{sdy.sharding = {rows}}}, {part} {{sdy.sharding = {rows}}}) {{\n"
        f"  %0 = stablehlo.slice %a [0:8, 0:11] : ({whole}) -> {part}\n"
        f'  %s = sdy.sharding_constraint %0 <@mesh, [{{}}, {{"x"}}]> : {part}\n'
        f"  return %a, %s : {whole}, {part}\n}}"
    )
    divided = shlo.compile(module, partition=True)
    assert shlo.verify(divided.divided) == []
    value = np.arange(96, dtype=np.int32).reshape(8, 12)
    found = divided(value)
    assert np.array_equal(found[0], value) and np.array_equal(found[1], value[:, :11])


def moved(parts: list[Part], shards: int) -> list[np.ndarray]:
    """Return the shards after the transfers of parts; element k of source n is 100 n + k."""
    total = sum(part.size for part in parts)
    shard = -(-total // shards)
    way = transfers(parts, shards)
    stated = places(way, shard, total)
    found = np.full((shards, shard + max(transfer.width for transfer in way)), -1)
    sizes = {part.source: part.shard for part in parts}
    for index, transfer in enumerate(way):
        assert len({s.sender for s in transfer.segments}) == len(transfer.segments)
        received = {segment.receiver: segment for segment in transfer.segments}
        assert len(received) == len(transfer.segments)
        for device in range(shards):
            segment, data = received.get(device), np.full(transfer.width, -2)
            if segment is not None:
                first = 100 * transfer.source + segment.sender * (sizes[transfer.source] or 0) + segment.start
                data = first + np.arange(transfer.width)  # what is behind a segment may be wrong
            place = stated[index] if stated else segment.place if segment is not None else shard
            found[device, place : place + transfer.width] = data
    return [row[:shard] for row in found]


@pytest.mark.parametrize("seed", [*range(30), 124, 154, 231, 704, 749])  # the last have segments out of order
def test_drawn_parts_arrive_in_order(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shards = int(draw.choice([2, 3, 4, 8]))
    sizes = draw.integers(1, 20, 3).tolist()
    kept = [-(-size // shards) if draw.random() < 0.8 else None for size in sizes]
    parts = []
    for source in draw.integers(0, 3, int(draw.integers(1, 5))).tolist():
        start = int(draw.integers(0, sizes[source]))
        parts.append(Part(source, start, int(draw.integers(1, sizes[source] - start + 1)), kept[source]))
    expected = np.concatenate([100 * p.source + np.arange(p.start, p.start + p.size) for p in parts])
    np.testing.assert_array_equal(np.concatenate(moved(parts, shards))[: len(expected)], expected)


def way(*transfers: dict[int, tuple[int, int]]) -> list[Transfer]:
    """Transfers, each as the place and the size of what receivers get."""
    return [
        Transfer(0, tuple([Segment(receiver, receiver, 0, *each) for receiver, each in rows.items()]))
        for rows in transfers
    ]


@pytest.mark.parametrize(
    ("rows", "total", "expected"),
    [
        ([{0: (0, 4), 1: (0, 4)}], 8, [0]),
        ([{0: (0, 1), 1: (0, 1)}, {0: (1, 3), 1: (1, 3)}], 8, [0, 1]),
        ([{0: (0, 4)}], 8, None),  # device 1 gets nothing
        ([{1: (0, 4)}], 8, None),  # device 0 does not
        ([{0: (0, 4)}], 4, [0]),  # what is behind the end may be anything
        ([{0: (0, 4), 1: (0, 1)}], 5, [0]),
        ([{0: (0, 1), 1: (0, 1)}, {0: (1, 3)}], 5, [0, 1]),  # device 1 has one element before the end
        ([{0: (0, 1), 1: (0, 1)}, {0: (1, 3)}], 6, None),
        ([{0: (0, 1), 1: (1, 1)}, {0: (1, 3), 1: (1, 3)}], 8, None),  # at different places
        ([{0: (0, 3), 1: (0, 3)}], 8, None),  # a shard has 4
        ([{0: (0, 4), 1: (0, 4), 2: (0, 4)}], 9, [0]),
        ([{0: (0, 4), 1: (0, 4)}], 9, None),  # a third device has the last element
    ],
)
def test_places_that_are_those_of_all_shards(
    rows: list[dict[int, tuple[int, int]]], total: int, expected: list[int] | None
) -> None:
    assert places(way(*rows), 4, total) == expected


def test_turns_of_segments() -> None:
    """What one device sends after its first segment has turns of its own, as what one device receives."""

    def turns(*pairs: tuple[int, int], start: int = 0) -> list[tuple[int, int]]:
        first, *others = (Segment(sender, receiver, 0, 0, 1) for sender, receiver in pairs)
        return list(_by_turn([first._replace(start=start), *others]))

    assert turns((0, 0), (0, 1), (0, 2), (0, 3)) == [(1, 0), (0, 1), (0, 2), (0, 3)]
    assert turns((0, 0), (0, 1), (0, 2), start=1) == [(0, 0), (0, 1), (0, 2)]
    assert turns((0, 0), (1, 0), (2, 0), (3, 0)) == [(1, 0), (1, 1), (1, 2), (1, 3)]
    assert turns((0, 0), (1, 0), (2, 0), start=1) == [(0, 0), (1, 0), (1, 1)]
    assert turns((0, 0), (1, 1), (1, 2), (2, 2), (3, 3)) == [(1, 0), (1, 0), (0, 1), (1, 0), (1, 0)]
