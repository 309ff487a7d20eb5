"""Texts with a meaning of their own: versions and XLA's shardings, by hand."""

from __future__ import annotations

import pytest

from stablehlo_py.ir.tile_shardings import read_tile_shardings
from stablehlo_py.ir.version import CURRENT, version_of

TILES = [
    # text, word, devices, kinds, rank
    ("{replicated}", "replicated", [], (), None),
    ("{manual}", "manual", [], (), None),
    ("{maximal device=3}", "maximal", [], (), None),
    ("{devices=[2,1]<=[2]}", "", [[0], [1]], (), 2),
    ("{devices=[2,2]0,2,1,3}", "", [[0, 2], [1, 3]], (), 2),
    ("{devices=[4]<=[2,2]T(1,0)}", "", [0, 2, 1, 3], (), 1),
    ("{devices=[8]<=[2,2,2]T(1,2,0)}", "", [0, 4, 1, 5, 2, 6, 3, 7], (), 1),
    ("{devices=[02]<=[0000000000002]}", "", [0, 1], (), 1),
    ("{devices=[2,3]<=[3,2]T(1,0)}", "", [[0, 2, 4], [1, 3, 5]], (), 2),
    ("{devices=[1,2]<=[2] last_tile_dim_replicate}", "", [[0, 1]], ("replicated",), 1),
    ("{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}", "", [[[0, 1], [2, 3]]],
     ("manual", "replicated"), 1),
    ("{devices=[2]<=[2] last_tile_dims={}}", "", [0, 1], (), 1),
    (" {devices=[2]<=[2] metadata={op_name=\"x\"}} ", "", [0, 1], (), 1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "word", "devices", "kinds", "rank"), TILES, ids=[row[0] for row in TILES])
def test_tiles(text: str, word: str, devices: list[int], kinds: tuple[str, ...], rank: int | None) -> None:
    (found,) = read_tile_shardings(text) or [None]
    assert found is not None
    assert (found.word, found.devices.tolist(), found.kinds) == (word, devices, kinds)
    assert rank is None or found.rank == rank


def test_tuples_of_tiles() -> None:
    found = read_tile_shardings("{{replicated}, {devices=[2,1]<=[2]},{manual}}") or []
    assert [each.word for each in found] == ["replicated", "", "manual"]
    assert [each.word for each in read_tile_shardings("{ {manual} }") or []] == ["manual"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "replicated",
        "{devices=[2]<=[3]}",  # three devices for two tiles
        "{devices=[2]0,0}",  # one device twice
        "{devices=[2]1,2}",  # no device 0
        "{devices=[4]<=[2,2]T(0,2)}",
        "{devices=[4]<=[2,2]T(0)}",
        "{devices=[0]<=[0]}",
        "{devices=[2097152]<=[2097152]}",
        f"{{devices=[{'1,' * 64}1]0}}",
        f"{{devices=[1]<=[{'1,' * 64}1]}}",
        "{devices=[2]<=[2] last_tile_dims={other}}",
        "{devices=[2]<=[2] last_tile_dims={manual, manual}}",
        "{{replicated}, {devices=[2]<=[3]}}",
    ],
)
def test_texts_that_are_no_sharding(text: str) -> None:
    assert read_tile_shardings(text) is None


def test_most_devices_and_dimensions() -> None:
    (found,) = read_tile_shardings("{devices=[1048576]<=[1048576]}") or []
    assert found.devices.shape == (1 << 20,)
    (found,) = read_tile_shardings(f"{{devices=[{'1,' * 63}1]<=[{'1,' * 63}1]}}") or []
    assert found.devices.shape == (1,) * 64


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("0.9.0", "0.9.0"),
        ("1.7.0", "1.7.0"),
        ("1.10.3", "1.10.3"),
        ("1.20.0", "1.20.0"),
        ("minimum", "0.9.0"),
        ("week_12", "1.16.2"),
        ("WEEK_4", "1.18.0"),
        ("current", "1.20.0"),
        ("min", "0.9.0"),
        ("max", "0.9.0"),
        ("none", "1.20.0"),
    ],
)
def test_versions(text: str, version: str) -> None:
    """Names as upstream's CompatibilityRequirement has them: max is the greatest compatibility."""
    assert str(version_of(text)) == version
    assert version_of(text) <= CURRENT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.7", r"^invalid version '1\.7': expected three numbers such as 1\.7\.0, or MINIMUM, WEEK_12, "),
        ("1.7.0.0", "^invalid version"),
        ("x1.7.0", "^invalid version"),
        ("1.7.\u0660", "^invalid version"),
        ("week_5", "^invalid version"),
        ("0.8.9", r"^unsupported version 0\.8\.9: expected 0\.9\.0 to 1\.20\.0$"),
        ("1.20.1", r"^unsupported version 1\.20\.1"),
        ("2.0.0", r"^unsupported version 2\.0\.0"),
    ],
)
def test_texts_that_are_no_version(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        version_of(text)
