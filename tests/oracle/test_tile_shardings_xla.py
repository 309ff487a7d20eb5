"""The text of `mhlo.sharding` against XLA's: the device of each tile, and results of annotated programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import permutations
from math import prod
from typing import Any

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


# Runs programs by XLA on 8 devices; the process must not have started JAX with another number.
RUN = """
import json, sys
import numpy as np
import stablehlo_py as shlo
from stablehlo_py.engines.pjrt.engine import PjrtEngine
numbers, texts = json.load(sys.stdin)
array = np.array(numbers, np.int32)
for text in texts:
    found = shlo.compile(shlo.parse(text), engine=PjrtEngine(platform="cpu")).call_grid([array, array])
    print(json.dumps(np.asarray(next(iter(found.values()))[0]).tolist()))
"""
ANNOTATED = [text for text, _ in FORMS[:24:3]]


@pytest.fixture(scope="module")
def theirs() -> dict[str, Any]:
    """XLA's results of the annotated programs."""
    texts = [shlo.format(program(sharding)) for sharding in ANNOTATED]
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps((NUMBERS.tolist(), texts)),
        env=os.environ | flags,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(ANNOTATED, map(json.loads, done.stdout.splitlines()), strict=True))


# Compiles programs by XLA for 8 devices, and prints the local shapes of arguments and results.
COMPILE = """
import json, re, sys
import jax, numpy as np
from jax._src.interpreters import mlir
from jaxlib import xla_client as xc
from jaxlib.mlir import ir
devices = jax.devices()
options = xc.CompileOptions()
build = options.executable_build_options
options.num_replicas, build.num_partitions, build.use_spmd_partitioning = 1, 8, True
build.device_assignment = xc.DeviceAssignment.create(np.arange(8)[None])
for text in json.load(sys.stdin):
    with mlir.make_ir_context():
        code = mlir.module_to_bytecode(ir.Module.parse(text))
    made = devices[0].client.compile_and_load(code, xc.DeviceList(tuple(devices)), options)
    head = made.hlo_modules()[0].to_string().splitlines()[0]
    found = re.findall(r"s32\\[([0-9,]*)\\]", head)
    print(json.dumps([[int(n) for n in shape.split(",")] for shape in found]))
"""
TYPES = ("tensor<8x8xi32>", "tensor<5x7xi32>", "tensor<1x9xi32>")
TILED = [(text, type) for text, _ in FORMS[:25] for type in TYPES]


def test_local_shapes() -> None:
    """Arguments and results that do not divide are padded as XLA pads them."""
    programs = [program(sharding, sharding, type=type) for sharding, type in TILED]
    done = subprocess.run(
        [sys.executable, "-c", COMPILE],
        input=json.dumps([shlo.format(each) for each in programs]),
        env=os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for whole, line in zip(programs, done.stdout.splitlines(), strict=True):
        main = shlo.compile(whole, partition=True).divided.functions["main"].regions[0].block
        values = (*main.arguments, *main.ops[-1].operands)
        assert [list(each.type.shape) for each in values] == json.loads(line), shlo.format(whole)


@pytest.mark.parametrize("sharding", ANNOTATED)
def test_results(sharding: str, theirs: dict[str, Any]) -> None:
    """XLA's partitioner accepts what is divided here, and has the same results."""
    found = shlo.compile(program(sharding), partition=True)(NUMBERS, NUMBERS)
    assert found[0].tolist() == theirs[sharding]
