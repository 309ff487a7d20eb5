"""Programs on eight devices, exported and run by JAX: `python sharded.py FOLDER` writes them with results."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax, shard_map
from jax._src.interpreters import mlir
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec, auto_axes, reshard
from jaxlib.mlir import ir

P = PartitionSpec
Made = tuple[Any, tuple[Any, ...]]  # a function for `jit`, and its arguments
PROGRAMS: dict[str, Callable[[], Made]] = {}
RING = [(k, (k + 1) % 4) for k in range(4)]


def program(make: Callable[[], Made]) -> Callable[[], Made]:
    PROGRAMS[make.__name__] = make
    return make


def array(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


def mesh(kind: AxisType = AxisType.Auto) -> Mesh:
    return jax.make_mesh((2, 4), ("x", "y"), axis_types=(kind,) * 2)


def line() -> Mesh:
    return jax.make_mesh((8,), ("i",), axis_types=(AxisType.Auto,))


def sharded(body: Any, ins: Any, outs: Any, **options: Any) -> Any:
    return shard_map(body, mesh=options.pop("mesh", None) or mesh(), in_specs=ins, out_specs=outs, **options)


# Shardings of values


@program
def inputs_and_outputs() -> Made:
    at = [NamedSharding(mesh(), spec) for spec in (P("x", None), P(None, "y"), P("y"), P(("x", "y")))]

    def call(x: Any, w: Any) -> Any:
        return jnp.tanh(x @ w).sum(0), x.sum(1)

    return jax.jit(call, in_shardings=tuple(at[:2]), out_shardings=tuple(at[2:])), (array(8, 4), array(4, 8))


@program
def constraints() -> Made:
    def call(x: Any) -> Any:
        y = lax.with_sharding_constraint(x * 2, NamedSharding(mesh(), P("x", "y")))
        return lax.with_sharding_constraint(y + 1, NamedSharding(mesh(), P(P.UNCONSTRAINED, ("x", "y"))))

    return jax.jit(call), (array(8, 8),)


@program
def explicit() -> Made:
    grid = mesh(AxisType.Explicit)
    rows, columns, both = [NamedSharding(grid, s) for s in (P("y", None), P(None, "y"), P("x", "y"))]

    def call(x: Any, w: Any) -> Any:
        y = reshard(jnp.dot(x, w, out_sharding=both), rows)
        return jnp.tanh(y).sum(1), auto_axes(lambda a: a + 1, out_sharding=rows)(y)

    return jax.jit(call), (jax.device_put(array(8, 4), rows), jax.device_put(array(4, 8), columns))


# Collectives along one axis, and along both


@program
def psum() -> Made:
    return sharded(lambda a: lax.psum(a, "x"), P("x", "y"), P(None, "y")), (array(8, 4),)


@program
def psum_along_both() -> Made:
    return sharded(lambda a: lax.psum(a, ("x", "y")), P("x", "y"), P()), (array(8, 4),)


@program
def pmax() -> Made:
    return sharded(lambda a: lax.pmax(a, "i"), P("i"), P(), mesh=line()), (array(16),)


@program
def all_gather() -> Made:
    def body(a: Any) -> Any:
        return lax.all_gather(a, "y", axis=1, tiled=True)

    return sharded(body, P("x", "y"), P("x", None), check_vma=False), (array(8, 8),)


@program
def psum_scatter() -> Made:
    def body(a: Any) -> Any:
        return lax.psum_scatter(a, "y", scatter_dimension=1, tiled=True)

    return sharded(body, P("x", None), P("x", "y"), check_vma=False), (array(8, 8),)


@program
def all_to_all() -> Made:
    return sharded(lambda a: lax.all_to_all(a, "y", 1, 0, tiled=True), P("y", None), P(None, "y")), (
        array(8, 8),
    )


@program
def ppermute() -> Made:
    return sharded(lambda a: lax.ppermute(a, "y", RING), P("x", "y"), P("x", "y")), (array(8, 8),)


@program
def axis_index() -> Made:
    def body(a: Any) -> Any:
        return a + lax.axis_index("x") * 10 + lax.axis_index("y")

    return sharded(body, P("x", "y"), P("x", "y")), (array(8, 8),)


# Meshes and specifications


@program
def two_axes_in_one_dimension() -> Made:
    return sharded(lambda a: a * a.sum(), P(("y", "x"), None), P(("y", "x"), None)), (array(8, 4),)


@program
def devices_in_another_order() -> Made:
    devices = np.array(jax.devices())[[3, 1, 0, 2, 7, 6, 5, 4]].reshape(2, 4)

    def body(a: Any) -> Any:
        return lax.psum(a, "y") + lax.axis_index("x")

    return sharded(body, P("x", "y"), P("x", None), mesh=Mesh(devices, ("x", "y"))), (array(8, 4),)


@program
def one_axis_is_not_manual() -> Made:
    def body(a: Any) -> Any:
        return lax.psum(jnp.sin(a), "x")

    return sharded(body, P("x"), P(), axis_names={"x"}), (array(8, 4),)


@program
def nested() -> Made:
    cube = jax.make_mesh((2, 2, 2), ("a", "b", "c"), axis_types=(AxisType.Auto,) * 3)

    def body(a: Any) -> Any:
        inner = shard_map(lambda b: lax.psum(b, "b"), in_specs=P(None, "b"), out_specs=P(), axis_names={"b"})
        return lax.psum(inner(a), "a")

    return sharded(body, P("a", None), P(), mesh=cube, axis_names={"a"}), (array(4, 4),)


@program
def scalars() -> Made:
    return sharded(lambda a, s: a * s, (P("x"), P()), P("x")), (array(8), np.float32(3))


# Whole programs


@program
def scan() -> Made:
    def body(a: Any) -> Any:
        return lax.scan(lambda c, x: (lax.ppermute(c, "y", RING) + x, c.sum()), a[0], a)

    return sharded(body, P(None, "y"), (P("y"), P(None)), check_vma=False), (array(3, 8),)


@program
def gradient() -> Made:
    def loss(params: Any, x: Any, y: Any) -> Any:
        first, second = params
        return lax.pmean(((jax.nn.relu(x @ first) @ second - y) ** 2).mean(), "i")

    body = jax.value_and_grad(loss)
    found = sharded(body, (P(), P("i"), P("i")), (P(), P()), mesh=line())
    return found, ((array(4, 8), array(8, 2)), array(16, 4), array(16, 2))


def texts(module: Any) -> list[str]:
    """A module's pretty form, and what the printer makes of that: generic, and with locations."""
    with mlir.make_ir_context(), ir.Location.unknown():
        again = ir.Module.parse(str(module)).operation
        return [str(module), again.get_asm(print_generic_op_form=True), again.get_asm(enable_debug_info=True)]


def exported(function: Any, args: tuple[Any, ...]) -> list[str]:
    with mlir.make_ir_context(), ir.Location.unknown():
        return texts(ir.Module.parse(export.export(function)(*args).mlir_module()))


def write(name: str, folder: Path) -> None:
    """Writes what a program is and gives."""
    function, args = PROGRAMS[name]()
    function = function if hasattr(function, "lower") else jax.jit(function)
    both = {"lowered": texts(function.lower(*args).compiler_ir()), "exported": exported(function, args)}
    (folder / f"{name}.json").write_text(json.dumps(both))
    arrays = {f"in{i}": np.asarray(a) for i, a in enumerate(jax.tree.leaves(args))}
    arrays |= {f"out{i}": np.asarray(a) for i, a in enumerate(jax.tree.leaves(function(*args)))}
    np.savez(folder / f"{name}.npz", **arrays)


if __name__ == "__main__":
    for name in PROGRAMS:
        write(name, Path(sys.argv[1]))
