"""Rules of meshes: which shardings and gathers are found, and which are not."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

GATHER = (
    '"stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, '
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
    "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> "
    ": (tensor<4x8xf32>) -> tensor<8x8xf32>"
)


def found(text: str, rule: str, **settings: int) -> list[str]:
    module = shlo.parse(text)
    assert not [d for d in shlo.verify(module) if d.severity == "error"]
    return [d.message for d in shlo.lint(module, select=[rule], settings=settings)]


def product(dims: str, more: str = "") -> str:
    return (
        "func.func @main(%x: tensor<8x8xf32>, %w: tensor<4x8xf32>) -> tensor<8x8xf32> {\n"
        f"  %0 = {GATHER}\n  %1 = stablehlo.dot_general %x, %0, contracting_dims = {dims} "
        f": (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n{more}  return %1 : tensor<8x8xf32>\n}}"
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (product("[1] x [0]"), 1),
        (product("[1] x [1]"), 0),  # another dimension is contracted
        (product("[1] x [0]", "  %2 = stablehlo.tanh %0 : tensor<8x8xf32>\n"), 0),  # it is needed whole
    ],
)
def test_gathered_weights(text: str, count: int) -> None:
    assert len(found(text, "gathered-weight")) == count


def argument(sharding: str) -> str:
    return (
        'sdy.mesh @mesh = <["x"=4]>\nfunc.func @main(%x: tensor<10x8xf32> '
        f"{{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}) -> tensor<10x8xf32> {{\n"
        "  return %x : tensor<10x8xf32>\n}"
    )


@pytest.mark.parametrize(
    ("sharding", "limit", "count"),
    [
        ("[{}, {}]", 319, 1),
        ("[{}, {}]", 320, 0),  # as large as it may be
        ("[{?}, {}]", 319, 0),  # propagation may divide it
        ('[{}, {"x"}]', 319, 0),
    ],
)
def test_replicated_arguments(sharding: str, limit: int, count: int) -> None:
    assert len(found(argument(sharding), "replicated-argument", **{"max-replicated-bytes": limit})) == count


def test_uneven_dimensions() -> None:
    assert found(argument('[{"x"}, {}]'), "uneven-dimension") == [
        "dimension 0 of %x has size 10, which the 4 devices along x do not divide"
    ]
    assert found(argument('[{}, {"x"}]'), "uneven-dimension") == []


def test_an_invalid_sharding_is_not_uneven() -> None:
    module = shlo.parse(argument('[{"y"}, {}]'))
    assert shlo.lint(module, select=["M"]) == []
