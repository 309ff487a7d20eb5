"""The process grid of a module, the inputs of its processes, and what is fed to them."""

from __future__ import annotations

import queue
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.interpreter import grid
from stablehlo_py.syntax.parser import parse_type

PLAIN = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{ {} return %x : tensor<4xf32> }}"
MANUAL = """%0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>]
  manual_axes={"x"} (%y: tensor<2xf32>) { BODY sdy.return %y : tensor<2xf32> }
  : (tensor<4xf32>) -> tensor<4xf32>"""
MESH = 'sdy.mesh @m = <["x"=2, "y"=3]>\nsdy.mesh @n = <["z"=4]>\n'
IDENTITY = "%i = stablehlo.partition_id : tensor<ui32>"
SHARD = "%s = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<4xf32>) -> tensor<4xf32>"


def module(body: str = "", mesh: str = "", attributes: str = "") -> shlo.Module:
    text = f"{mesh}{PLAIN.format(body)}"
    return shlo.parse(f"module attributes {{{attributes}}} {{\n{text}\n}}" if attributes else text)


@pytest.mark.parametrize(
    ("made", "given", "expected"),
    [
        (module(), (None, None), (1, 1)),
        (module(), (3, 2), (3, 2)),
        (
            module(attributes="mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 5 : i32"),
            (None, None),
            (2, 5),
        ),
        (module(attributes="mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 5 : i32"), (1, None), (1, 5)),
        (module(attributes="mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 5 : i32"), (None, 1), (2, 1)),
        (module(attributes='mhlo.num_partitions = "5"'), (None, None), (1, 1)),
        (module(mesh=MESH), (None, None), (1, 1)),
        (module(MANUAL.replace("BODY", ""), MESH), (None, None), (1, 6)),  # the larger of the two meshes
        (module(MANUAL.replace("BODY", ""), MESH), (None, 2), (1, 2)),
    ],
)
def test_sizes(made: shlo.Module, given: Any, expected: tuple[int, int]) -> None:
    assert grid.grid_size(made, *given) == expected


def test_a_grid_has_processes_and_not_too_many() -> None:
    for replicas, partitions in ((0, 2), (2, 0), (-1, 1)):
        with pytest.raises(
            shlo.RunError,
            match=f"^a grid of {replicas} replicas by {partitions} partitions has no processes$",
        ):
            grid.grid_size(module(), replicas, partitions)
    grid.check_grid(grid.MOST_PROCESSES, 1)
    with pytest.raises(shlo.RunError, match=f"at most {grid.MOST_PROCESSES:,} processes run side by side"):
        grid.check_grid(grid.MOST_PROCESSES // 2 + 1, 2)
    stated = module(attributes="mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32")
    assert grid.stated_processes(stated) == [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize(
    ("body", "mesh", "depends", "is_global"),
    [
        ("", "", False, False),
        ("", MESH, False, True),
        (IDENTITY, "", True, False),
        (IDENTITY, MESH, True, False),
        (SHARD, MESH, True, False),
        (SHARD.replace("SPMDFullToShardShape", "Sharding"), MESH, False, True),
        (MANUAL.replace("BODY", ""), MESH, True, True),
        (MANUAL.replace("BODY", IDENTITY), MESH, True, True),
        (f"{MANUAL.replace('BODY', '')} {IDENTITY}", MESH, True, False),
    ],
)
def test_what_depends_on_processes(body: str, mesh: str, depends: bool, is_global: bool) -> None:
    made = module(body, mesh)
    assert grid.depends_on_process(made) is depends
    assert grid.returns_global_arrays(made) is is_global


def test_functions_that_are_called_alone_do_not_count() -> None:
    called = f"func.func private @f() {{ {IDENTITY} return }}"
    made = shlo.parse(f"{MESH}{PLAIN.format('')}\n{called}")
    assert grid.returns_global_arrays(made)
    assert not grid.returns_global_arrays(
        shlo.parse(f"{MESH}{PLAIN.format('')}\n{called.replace('private', '')}")
    )


def test_inputs_by_process() -> None:
    ids = [(0, 0), (0, 1)]
    assert grid.inputs_by_process([1], ids, ids) == {(0, 0): [1], (0, 1): [1]}
    assert grid.inputs_by_process({"x": 1}, ids, ids) == {(0, 0): {"x": 1}, (0, 1): {"x": 1}}
    each = {(0, 0): [1], (0, 1): [2]}
    assert grid.inputs_by_process(each, ids, ids) == each
    assert grid.inputs_by_process(each, ids[1:], ids) == {(0, 1): [2]}
    for given, wrong in (({(0, 0): 1}, r"\(0, 1\)"), ({**each, (1, 0): 3}, r"\(1, 0\)")):
        with pytest.raises(
            shlo.RunError, match=rf"processes \(0, 0\), \(0, 1\); missing or unexpected: {wrong}$"
        ):
            grid.inputs_by_process(given, ids, ids)


def test_what_is_fed() -> None:
    types = parse_type("tensor<2xi32>"), parse_type("tensor<i1>")
    waiting: queue.Queue[Any] = queue.Queue()
    waiting.put(([1, 2], True))
    for infeed in ([([1, 2], True)], waiting):
        first, second = next(grid.supplies(infeed))(types)
        assert (first.tolist(), first.dtype, bool(second)) == ([1, 2], np.int32, True)
    (alone,) = next(grid.supplies([np.array(True)]))(types[1:])
    assert bool(alone)
    with pytest.raises(shlo.RunError, match=r"^the infeed provides 1 value, expected 2$"):
        next(grid.supplies([5]))(types)
    with pytest.raises(shlo.RunError, match=r"^value 1 of the infeed is "):
        next(grid.supplies([([1, 2], 3.5)]))(types)


def test_what_is_received() -> None:
    seen: list[Any] = []
    waiting: queue.Queue[Any] = queue.Queue()
    assert grid.receiver(None) is None
    for outfeed in (seen, seen.append, waiting):
        take = grid.receiver(outfeed)
        assert take is not None
        take((1, 2))
    assert seen == [(1, 2), (1, 2)] and waiting.get() == (1, 2)
