"""Axes of meshes and parts of axes: the algebra that shardings are made of."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from stablehlo_py.sharding.axes import (
    Axis,
    appended,
    difference,
    in_mesh_order,
    is_prefix,
    is_strict_prefix,
    sorted_and_merged,
)
from stablehlo_py.sharding.division.devices import Devices
from stablehlo_py.sharding.mesh import Mesh

SIZES = {"x": 8, "y": 2}
X, Y = Axis("x"), Axis("y")


def part(pre_size: int, size: int) -> Axis:
    return Axis("x", pre_size, size)


def test_sizes() -> None:
    assert (X.size(SIZES), part(2, 4).size(SIZES)) == (8, 4)


@pytest.mark.parametrize(
    ("a", "b", "contains", "starts", "overlaps"),
    [
        (X, part(1, 2), True, False, True),
        (part(1, 2), X, False, True, True),
        (part(1, 2), part(1, 4), False, True, True),
        (part(2, 2), part(1, 4), False, False, True),
        (part(1, 4), part(2, 2), True, False, True),
        (part(1, 2), part(2, 4), False, False, False),
        (X, Y, False, False, False),
    ],
)
def test_relations(a: Axis, b: Axis, contains: bool, starts: bool, overlaps: bool) -> None:
    assert (a.contains(b), a.starts(b), a.overlaps(b)) == (contains, starts, overlaps)


def test_parts_that_no_common_split_has() -> None:
    sixth = {"z": 12}
    assert not Axis("z", 1, 2).can_coexist(Axis("z", 1, 3))
    assert Axis("z", 1, 2).can_coexist(Axis("z", 1, 6))
    assert Axis("z", 1, 2).prefix_without(Axis("z", 1, 3)) is None
    assert Axis("z").suffix_without(Axis("z", 1, 4), sixth) == Axis("z", 4, 3)


def chain(*parts: Axis) -> bool:
    """Whether the bounds of parts divide each other in order."""
    bounds = sorted({bound for each in parts for bound in (each.pre_size, int(each.end))})
    return all(after % before == 0 for before, after in pairwise(bounds))


def test_prefixes_and_suffixes_of_all_parts_of_an_axis() -> None:
    """The longest of the parts that start, or end, where the first does, and share no digit with it."""
    size, sizes = 24, {"z": 24}
    divisors = [n for n in range(1, size + 1) if size % n == 0]
    parts = [Axis("z", a, b // a) for a in divisors for b in divisors if b > a and b % a == 0]
    for one, other in product(parts, parts):
        can = chain(one, other)
        assert one.can_coexist(other) == can, (one, other)
        inside = [p for p in parts if one.contains(p) and chain(p, one, other) and not p.overlaps(other)]
        prefixes = [p for p in inside if p.pre_size == one.pre_size] if can else []
        suffixes = [p for p in inside if p.end == one.end] if can else []
        assert one.prefix_without(other) == max(prefixes, key=lambda p: p.part, default=None), (one, other)
        assert one.suffix_without(other, sizes) == max(suffixes, key=lambda p: p.part, default=None)


def test_what_is_left_beside_another() -> None:
    assert X.prefix_without(part(4, 2)) == part(1, 4)
    assert X.prefix_without(part(1, 2)) is None
    assert X.suffix_without(part(1, 2), SIZES) == part(2, 4)
    assert difference([X, Y], [part(2, 2)], SIZES) == (part(1, 2), part(4, 2), Y)


def test_merging_of_parts() -> None:
    assert appended((part(1, 2),), part(2, 2), SIZES) == (part(1, 4),)
    assert appended((part(1, 2),), part(2, 4), SIZES) == (X,)
    assert appended((part(1, 2),), part(4, 2), SIZES) == (part(1, 2), part(4, 2))
    assert sorted_and_merged([Y, part(2, 4), part(1, 2)], SIZES) == (X, Y)
    assert in_mesh_order([Y, part(4, 2), part(1, 2)], SIZES) == [part(1, 2), part(4, 2), Y]


def test_prefixes_of_lists() -> None:
    assert is_prefix([], [X])
    assert is_prefix([X, Y], [X, Y])
    assert not is_strict_prefix([X, Y], [X, Y])
    assert is_strict_prefix([Y, part(1, 2)], [Y, part(1, 4)])
    assert not is_prefix([X, Y], [X])


def test_places_of_devices_with_numbers_of_their_own() -> None:
    """Rows of the mesh are the devices 1, 2, 3 and 4, 5, 0."""
    devices = Devices(Mesh((("x", 2), ("y", 3)), (1, 2, 3, 4, 5, 0)))
    assert devices.position([Axis("x")]).tolist() == [1, 0, 0, 0, 1, 1]
    assert devices.position([Axis("y")]).tolist() == [2, 0, 1, 2, 0, 1]
    assert devices.groups([Axis("y")]).tolist() == [[1, 2, 3], [4, 5, 0]]
    assert devices.groups([Axis("x")]).tolist() == [[1, 4], [2, 5], [3, 0]]
    assert devices.groups([Axis("y"), Axis("x")]).tolist() == [[1, 4, 2, 5, 3, 0]]
    assert devices.offsets((Axis("y"),), 7).tolist() == [6, 0, 3, 6, 0, 3]
