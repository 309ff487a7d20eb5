"""Process groups of collectives on a grid of 2 replicas and 3 partitions, by the specification."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stablehlo_py.kernels.grid.groups import GridSize, process_groups, process_pairs

SIZE = GridSize(2, 3)
ACROSS = {"channel_id": 1}
ONE_AXIS: dict[str, Any] = {}
BOTH_AXES = {"use_global_device_ids": False}
FLAT = {"use_global_device_ids": True, **ACROSS}


@pytest.mark.parametrize(
    ("keywords", "rows", "groups"),
    [
        (ONE_AXIS, [[0, 1]], [["00", "10"], ["01", "11"], ["02", "12"]]),
        (ONE_AXIS, [[1], [0]], [["10"], ["11"], ["12"], ["00"], ["01"], ["02"]]),
        (ONE_AXIS, [], [["00", "10"], ["01", "11"], ["02", "12"]]),
        (ACROSS, [[0, 2], [1, -1]], [["00", "02"], ["10", "12"], ["01"], ["11"]]),
        (ACROSS, [], [["00", "01", "02"], ["10", "11", "12"]]),
        (BOTH_AXES, [[1, 0]], [["10", "00"], ["11", "01"], ["12", "02"]]),
        (BOTH_AXES | ACROSS, [[0, 1]], [["00", "10", "01", "11", "02", "12"]]),
        (BOTH_AXES | ACROSS, [[0], [1]], [["00", "01", "02"], ["10", "11", "12"]]),
        (FLAT, [[0, 5], [1, 3], [4, 2]], [["00", "12"], ["01", "10"], ["11", "02"]]),
        (FLAT, [], [["00", "01", "02", "10", "11", "12"]]),
    ],
)
def test_groups(keywords: dict[str, Any], rows: list[list[int]], groups: list[list[str]]) -> None:
    found = process_groups({"replica_groups": np.array(rows), **keywords}, SIZE)
    assert [[f"{replica}{partition}" for replica, partition in group] for group in found] == groups


@pytest.mark.parametrize(
    ("channel", "pairs"),
    [(0, ["00-10", "01-11", "02-12"]), (1, ["00-01", "10-11"])],
)
def test_pairs_of_collective_permute(channel: int, pairs: list[str]) -> None:
    found = process_pairs({"source_target_pairs": np.array([[0, 1]]), "channel_id": channel}, SIZE)
    assert [f"{a}{b}-{c}{d}" for (a, b), (c, d) in found] == pairs


def test_numbers_of_processes() -> None:
    assert [SIZE.number((r, p)) for r in range(2) for p in range(3)] == [0, 1, 2, 3, 4, 5]
