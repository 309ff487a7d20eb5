"""The text of `mhlo.sharding` against XLA's: the device of each tile, and results of annotated programs."""

from __future__ import annotations

from itertools import permutations
from math import prod

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.tile_shardings import read_tile_shardings
from tests.sharding.test_tiles import FORMS, NUMBERS, program

xla = pytest.importorskip("jaxlib.xla_client")

TILES = ((8, 1), (2, 4), (4, 2), (2, 2, 2), (1, 2, 4), (2, 1, 2, 2))
ORDERS = [
    (sizes, order) for sizes in ((8,), (2, 4), (4, 2), (2, 2, 2)) for order in permutations(range(len(sizes)))
]


@pytest.mark.parametrize("tiles", TILES)
def test_devices_of_tiles(tiles: tuple[int, ...]) -> None:
    """XLA writes the text, also of trailing dimensions of copies, and knows the device of each tile."""
    for sizes, order in ORDERS:
        kinds = [xla.OpSharding.Type.REPLICATED] * (len(tiles) - 2)
        theirs = xla.HloSharding.iota_tile(list(tiles), list(sizes), list(order), kinds)
        found = read_tile_shardings(str(theirs))
        assert found is not None, str(theirs)
        (ours,) = found
        devices = ours.devices.reshape(*ours.devices.shape[:2], -1)
        expected = np.array(theirs.tile_assignment_devices()).reshape(*tiles[:2], prod(tiles[2:]))
        np.testing.assert_array_equal(np.sort(devices), np.sort(expected), str(theirs))


@pytest.mark.parametrize(("sharding", "devices"), FORMS[:24:3], ids=[text for text, _ in FORMS[:24:3]])
def test_results(sharding: str, devices: np.ndarray) -> None:
    """XLA's partitioner accepts what is divided here, and has the same results."""
    from stablehlo_py.engines.pjrt.engine import PjrtEngine

    module = program(sharding)
    theirs = shlo.compile(module, engine=PjrtEngine(platform="cpu"))
    expected = next(iter(theirs.call_grid([NUMBERS, NUMBERS]).values()))
    found = shlo.compile(module, partition=True)(NUMBERS, NUMBERS)
    np.testing.assert_array_equal(found[0], expected[0])
