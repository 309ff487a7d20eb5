"""Times of collectives on MPI ranks, beside JAX on as many devices of the host.

    python tests/benchmarks/ranks.py [--ranks 1 2 4 8]

For each number of ranks: an all_reduce of 64 MB, and two layers of an MLP whose weights are sharded, with an
all_reduce after them. Each is called `REPEATS` times after a first call; the shortest time counts. Needs the
extra `mpi`, an MPI, and jax.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

REPEATS = 5
LENGTH = 1 << 24  # of a vector of f32: 64 MB
ROWS, WIDTH, HIDDEN = 256, 1024, 4096
SUM = """({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })"""


def programs(count: int) -> dict[str, tuple[str, list[tuple[int, ...]]]]:
    """Return the text and the shapes of the inputs of each program, for a number of replicas."""
    groups = f"replica_groups = dense<[{list(range(count))}]> : tensor<1x{count}xi64>"
    own = HIDDEN // count
    vector, x, y = f"tensor<{LENGTH}xf32>", f"tensor<{ROWS}x{WIDTH}xf32>", f"tensor<{ROWS}x{own}xf32>"
    first, second = f"tensor<{WIDTH}x{own}xf32>", f"tensor<{own}x{WIDTH}xf32>"
    reduced = f"""func.func @main(%x: {vector}) -> {vector} {{
      %0 = "stablehlo.all_reduce"(%x) {SUM} {{{groups}}} : ({vector}) -> {vector}
      return %0 : {vector}
    }}"""
    mlp = f"""func.func @main(%x: {x}, %v: {first}, %w: {second}) -> {x} {{
      %z = stablehlo.constant dense<0.0> : {y}
      %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : ({x}, {first}) -> {y}
      %1 = stablehlo.maximum %0, %z : {y}
      %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : ({y}, {second}) -> {x}
      %3 = "stablehlo.all_reduce"(%2) {SUM} {{{groups}}} : ({x}) -> {x}
      return %3 : {x}
    }}"""
    return {
        "all_reduce": (reduced, [(LENGTH,)]),
        "mlp": (mlp, [(ROWS, WIDTH), (WIDTH, own), (own, WIDTH)]),
    }


def shortest(call: Callable[[], Any]) -> float:
    """Return the shortest time of a call in seconds, after a first one."""
    times = []
    for _ in range(REPEATS + 1):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return min(times[1:])


def on_ranks(count: int) -> None:
    """Run by `mpiexec`: print the times of rank 0."""
    import stablehlo_py as shlo

    found = {}
    for name, (text, shapes) in programs(count).items():
        program = shlo.compile(shlo.parse(text), engine="mpi", replicas=count)
        (place,) = program.local_process_ids()
        inputs = {place: [np.full(shape, 0.5, np.float32) for shape in shapes]}
        found[name] = shortest(lambda program=program, inputs=inputs: program.call_grid(inputs))
    if place == (0, 0):
        print(json.dumps(found))


def with_jax(count: int) -> None:
    """Run with `count` devices of the host: print the times."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding, PartitionSpec

    mesh = jax.make_mesh((count,), ("i",))
    own, rows, columns = PartitionSpec("i"), PartitionSpec("i", None), PartitionSpec(None, "i")

    def put(array: Any, spec: Any) -> Any:
        return jax.device_put(array, NamedSharding(mesh, spec))

    def call(function: Any, specs: Any, out: Any, *arrays: Any) -> float:
        compiled = jax.jit(jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=out, check_vma=False))
        placed = [put(array, spec) for array, spec in zip(arrays, specs, strict=True)]
        return shortest(lambda: jax.block_until_ready(compiled(*placed)))

    def mlp(x: Any, v: Any, w: Any) -> Any:
        return jax.lax.psum(jnp.maximum(x @ v, 0) @ w, "i")

    half = [np.full(shape, 0.5, np.float32) for shape in ((ROWS, WIDTH), (WIDTH, HIDDEN), (HIDDEN, WIDTH))]
    vectors = np.full(LENGTH * count, 0.5, np.float32)
    found = {
        "all_reduce": call(lambda x: jax.lax.psum(x, "i"), (own,), own, vectors),
        "mlp": call(mlp, (PartitionSpec(), columns, rows), PartitionSpec(), *half),
    }
    print(json.dumps(found))


def times(command: list[str], **environment: str) -> dict[str, float]:
    """Run a command; return the times that it prints."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | environment, timeout=600
    )
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Print a row for each program and number of ranks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--on-ranks", type=int)
    parser.add_argument("--with-jax", type=int)
    options = parser.parse_args()
    if options.on_ranks or options.with_jax:
        on_ranks(options.on_ranks) if options.on_ranks else with_jax(options.with_jax)
        return
    beside = str(Path(sys.executable).parent)
    mpiexec = shutil.which("mpiexec", path=os.pathsep.join([beside, os.environ.get("PATH", "")])) or "mpiexec"
    script = [sys.executable, __file__]
    print(f"{'ranks':>5}  {'program':12}{'mpi':>10}{'jax':>10}{'mpi/jax':>10}")
    for count in options.ranks:
        mine = times([mpiexec, "-n", str(count), *script, "--on-ranks", str(count)])
        flags = f"--xla_force_host_platform_device_count={count}"
        theirs = times([*script, "--with-jax", str(count)], XLA_FLAGS=flags, JAX_PLATFORMS="cpu")
        for name, seconds in mine.items():
            ratio = seconds / theirs[name]
            print(
                f"{count:5}  {name:12}{seconds * 1e3:8.1f}ms{theirs[name] * 1e3:8.1f}ms{ratio:10.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
