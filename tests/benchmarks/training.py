"""Time and memory of a training step on MPI ranks, beside JAX and beside the undivided step.

    python tests/benchmarks/training.py [--ranks 2 4] [--tokens 512]

The step is of a GPT with 13.7 million parameters. Parameters and batch are divided over the ranks: each
gathers the weights of a layer where it needs them; gradients are reduced and scattered. A row is a number
of processes: the shortest of five steps on MPI ranks, in JAX on as many devices of one process, and in
JAX in as many processes (gloo). Above the table are the times of the undivided step. The memory is the peak
of a rank during the first step above that of a rank without a program, and `plan` the peak that `shlo
inspect --devices` shows. Needs the extras `mpi` and `native`, an MPI, and jax.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from ranks import shortest  # beside this file

WIDTH, HEAD, LAYERS, WORDS, LENGTH = 384, 64, 6, 8192, 64
EMPTY = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"


def inputs(tokens: int) -> tuple[Any, Any]:
    """Return the parameters and the batch."""
    generator = np.random.default_rng(0)

    def drawn(*shape: int) -> Any:
        return (generator.standard_normal(shape) * 0.02).astype(np.float32)

    shapes = {"qkv": 3 * WIDTH, "out": WIDTH, "up": 4 * WIDTH}
    layers = [
        {name: drawn(WIDTH, size) for name, size in shapes.items()} | {"down": drawn(4 * WIDTH, WIDTH)}
        for _ in range(LAYERS)
    ]
    batch = generator.integers(0, WORDS, (tokens // LENGTH, LENGTH)).astype(np.int32)
    return {"words": drawn(WORDS, WIDTH), "places": drawn(LENGTH, WIDTH), "layers": layers}, batch


def jitted(count: int, devices: Any = None) -> tuple[Any, Any]:
    """Return the step as a function of JAX, and the sharding of its inputs."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    mesh = jax.make_mesh((count,), ("data",), axis_types=(AxisType.Auto,), devices=devices)
    rows, whole = NamedSharding(mesh, PartitionSpec("data")), NamedSharding(mesh, PartitionSpec())

    def normal(x: Any) -> Any:
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    def attention(x: Any, layer: Any) -> Any:
        parts = jnp.split(normal(x) @ layer["qkv"], 3, -1)
        q, k, v = [p.reshape(*p.shape[:2], WIDTH // HEAD, HEAD).swapaxes(1, 2) for p in parts]
        mask = jnp.tril(jnp.ones((LENGTH, LENGTH), bool))
        weights = jax.nn.softmax(jnp.where(mask, q @ k.swapaxes(-1, -2) / HEAD**0.5, -1e9))
        return (weights @ v).swapaxes(1, 2).reshape(x.shape) @ layer["out"]

    def loss(params: Any, batch: Any) -> Any:
        x = params["words"][batch] + params["places"]
        for layer in params["layers"]:
            x = jax.lax.with_sharding_constraint(x + attention(x, layer), rows)
            hidden = jax.nn.gelu(normal(x) @ layer["up"])
            x = jax.lax.with_sharding_constraint(x + hidden @ layer["down"], rows)
        found = jax.nn.log_softmax(normal(x[:, :-1]) @ params["words"].T)
        return -jnp.take_along_axis(found, batch[:, 1:, None], -1).mean()

    def step(params: Any, batch: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(params, batch)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, params, gradients)

    return jax.jit(step, in_shardings=rows, out_shardings=(whole, rows)), rows


def peak() -> float:
    """Return the peak of this process's memory in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


# What processes run


def make(folder: Path, count: int, tokens: int) -> dict[str, Any]:
    """Write the program and its inputs."""
    import jax

    made = inputs(tokens)
    (folder / f"step{count}.mlir").write_text(jitted(count)[0].lower(*made).as_text())
    for number, value in enumerate(jax.tree.leaves(made)):
        np.save(folder / f"{number}.npy", value)
    return {}


def arrays(folder: Path) -> list[Any]:
    """Return the inputs, of which a rank reads what it needs."""
    return [np.load(folder / f"{n}.npy", mmap_mode="r") for n in range(len(list(folder.glob("*.npy"))))]


def on_ranks(folder: Path, count: int) -> dict[str, Any]:
    """Run the step on this rank: the time, and the peak of memory after the first one."""
    import stablehlo_py as shlo

    program = shlo.compile(shlo.load(folder / f"step{count}.mlir"), engine="mpi", partition=True)
    values = arrays(folder)
    program.call_grid(values)
    first = peak()
    return {"time": shortest(lambda: program.call_grid(values)), "peak": first}


def on_empty_ranks(folder: Path, count: int) -> dict[str, Any]:
    """Run a program that does nothing: the peak of memory."""
    import stablehlo_py as shlo

    program = shlo.compile(shlo.parse(EMPTY), engine="mpi", replicas=count)
    program.call_grid({place: [np.float32(0)] for place in program.local_process_ids()})
    return {"peak": peak()}


def undivided(folder: Path, engine: str) -> dict[str, Any]:
    """Run the step in one process."""
    import stablehlo_py as shlo

    program = shlo.compile(shlo.load(folder / "step1.mlir"), engine=engine)
    values = [np.array(value) for value in arrays(folder)]
    return {"time": shortest(lambda: program(*values))}


def planned(folder: Path, count: int) -> dict[str, Any]:
    """Return the peak of a device's memory in the plan, in MiB."""
    import stablehlo_py as shlo

    return {"peak": shlo.analyze_devices(shlo.load(folder / f"step{count}.mlir")).peak_bytes / (1 << 20)}


def in_jax(count: int, tokens: int, address: str = "", process: int = 0) -> dict[str, Any]:
    """Run the step in JAX, on devices of one process or on one of each process."""
    import jax

    if address:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(address, count, process)
    function, sharding = jitted(count, jax.devices()[:count])
    made = inputs(tokens)
    placed = jax.tree.map(lambda x: jax.make_array_from_callback(x.shape, sharding, x.__getitem__), made)
    return {"time": shortest(lambda: jax.block_until_ready(function(*placed)))}


# The table


def answers(commands: list[list[str]], **environment: str) -> list[dict[str, Any]]:
    """Run commands at the same time; return what they print."""
    settings = os.environ | {"JAX_PLATFORMS": "cpu"} | environment
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=settings)
        for command in commands
    ]
    found = []
    for process in running:
        output, errors = process.communicate(timeout=900)
        if process.returncode:
            sys.exit(errors)
        found += [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return found


def main() -> None:
    """Print a row for each number of processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--run", nargs="+")
    options = parser.parse_args()
    if options.run:
        kind, folder, *numbers = options.run
        call = {
            "make": lambda count: make(Path(folder), int(count), options.tokens),
            "ranks": lambda count: on_ranks(Path(folder), int(count)),
            "empty": lambda count: on_empty_ranks(Path(folder), int(count)),
            "whole": lambda engine: undivided(Path(folder), engine),
            "plan": lambda count: planned(Path(folder), int(count)),
            "jax": lambda count, *where: in_jax(int(count), options.tokens, *where[:1], *map(int, where[1:])),
        }[kind]
        print("\n" + json.dumps(call(*numbers)), flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        table(folder, options.ranks, options.tokens)


def table(folder: str, counts: list[int], tokens: int) -> None:
    """Print the table."""
    beside = str(Path(sys.executable).parent)
    mpiexec = shutil.which("mpiexec", path=os.pathsep.join([beside, os.environ.get("PATH", "")])) or "mpiexec"

    def run(*words: str) -> list[str]:
        return [sys.executable, __file__, "--tokens", str(tokens), "--run", words[0], folder, *words[1:]]

    def one(*words: str, devices: int = 1) -> float:
        flags = f"--xla_force_host_platform_device_count={devices}"
        return float(next(iter(answers([run(*words)], XLA_FLAGS=flags)[0].values()), 0))

    one("make", "1")
    whole = [one("whole", "numpy"), one("whole", "native"), one("jax", "1")]
    print("undivided: numpy {:.2f} s, native {:.2f} s, jax {:.2f} s".format(*whole), flush=True)
    print(f"{'processes':>9}{'mpi':>9}{'jax':>9}{'distributed':>13}{'memory':>10}{'plan':>10}")
    for count in counts:
        one("make", str(count), devices=count)
        ranks, empty = [
            answers([[mpiexec, "-n", str(count), *run(kind, str(count))]]) for kind in ("ranks", "empty")
        ]
        with socket.socket() as free:
            free.bind(("localhost", 0))
            address = f"localhost:{free.getsockname()[1]}"
        several = answers([run("jax", str(count), address, str(k)) for k in range(count)])
        above = max(each["peak"] for each in ranks) - min(each["peak"] for each in empty)
        times = [max(each["time"] for each in found) for found in (ranks, several)]
        print(
            f"{count:9}{times[0]:7.2f} s{one('jax', str(count), devices=count):7.2f} s{times[1]:11.2f} s"
            f"{above:6.0f} MiB{one('plan', str(count)):6.0f} MiB",
            flush=True,
        )


if __name__ == "__main__":
    main()
