"""Models exported from JAX, timed here and by XLA on the CPU, in turn.

    PYTHONPATH=tests python tests/benchmarks/models.py [-k NAME] [--engine ENGINE] [--chart FILE]

Needs the extras `native` and `oracle`. Each model runs in a process of its own for each side. Columns are
figures of stablehlo_py divided by XLA's: the time of the first call with reading and compilation, the median
time of later calls, and the peak memory. Ratios below 1 are ahead of XLA. Measure on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from make_programs import attention, convolution, indexing, lstm

Array = np.ndarray[Any, np.dtype[Any]]
_LEAST = 0.5  # seconds of later calls, and of these at least
_CALLS = 20
_COLUMNS = ("first", "later", "peak")


def mlp_step(w1: Any, w2: Any, x: Any, y: Any) -> Any:
    """A step of training of two dense layers, by gradient descent."""
    import jax
    import jax.numpy as jnp

    def loss(weights: Any) -> Any:
        hidden = jax.nn.gelu(x @ weights[0])
        return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(hidden @ weights[1]), axis=1))

    value, (g1, g2) = jax.value_and_grad(loss)((w1, w2))
    return value, w1 - 0.1 * g1, w2 - 0.1 * g2


def elementwise(x: Any, y: Any) -> Any:
    """A chain of elementwise ops and two reductions."""
    import jax.numpy as jnp

    z = jnp.tanh(x) * jnp.exp(-y * y) + jnp.log1p(jnp.abs(x)) / (1 + jnp.abs(y))
    return z.sum(1), jnp.sqrt(z * z + 1).max(0)


def models() -> dict[Callable[..., Any], list[Array]]:
    """Return the models with their inputs."""
    draw = np.random.default_rng(0)

    def normal(*shape: int) -> Array:
        return draw.normal(0, 1, shape).astype(np.float32)

    return {
        attention: [normal(512, 256), normal(256, 768) / 16],
        convolution: [normal(8, 64, 64, 32), normal(3, 3, 32, 64) / 16],
        elementwise: [normal(1024, 1024), normal(1024, 1024)],
        indexing: [normal(20000, 64), draw.integers(0, 20000, 5000).astype(np.int32), normal(5000, 64)],
        lstm: [normal(100, 32, 256), normal(512, 1024) / 16, normal(1024)],
        mlp_step: [
            normal(784, 512) / 28,
            normal(512, 10) / 22,
            normal(256, 784),
            np.eye(10, dtype=np.float32)[draw.integers(0, 10, 256)],
        ],
    }


def ours(text: str, engine: str) -> Callable[[Sequence[Array]], Any]:
    """Return what calls a program on an engine of this package."""
    import stablehlo_py as shlo

    module = shlo.parse(text)
    assert not [found for found in shlo.verify(module) if found.severity == "error"]
    return shlo.compile(module, engine=engine).call


def theirs(text: str, _: str) -> Callable[[Sequence[Array]], Any]:
    """Return what calls a program that XLA has compiled."""
    from helpers.xla import compiled

    return compiled(text)


def measured(side: str, folder: Path, engine: str) -> dict[str, float]:
    """Time one program in this process."""
    text = (folder / "program.mlir").read_text()
    inputs = [*np.load(folder / "inputs.npz").values()]
    begin = time.perf_counter()
    call = {"ours": ours, "xla": theirs}[side](text, engine)
    call(inputs)
    first = time.perf_counter() - begin
    _times(call, inputs)  # until the speed is that of all later calls
    times = _times(call, inputs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"first": first, "later": sorted(times)[len(times) // 2], "peak": peak}


def _times(call: Callable[[Sequence[Array]], Any], inputs: Sequence[Array]) -> list[float]:
    times: list[float] = []
    while sum(times) < _LEAST or len(times) < _CALLS:
        begin = time.perf_counter()
        call(inputs)
        times.append(time.perf_counter() - begin)
    return times


def compared(function: Callable[..., Any], inputs: Sequence[Array], engine: str) -> dict[str, float]:
    """Return the ratios of a model."""
    import jax

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.mlir").write_text(jax.jit(function).lower(*inputs).as_text())
        np.savez(folder / "inputs.npz", *inputs)
        sides = {}
        for side in ("ours", "xla"):
            command = [sys.executable, __file__, "--measure", side, str(folder), "--engine", engine]
            environment = {**os.environ, "SHLO_CACHE_DIR": str(folder), "SHLO_BACKGROUND": "0"}
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
            sides[side] = json.loads(done.stdout)
    return {name: sides["ours"][name] / value for name, value in sides["xla"].items()}


def chart(rows: dict[str, dict[str, float]]) -> str:
    """Return a picture of the speed of later calls beside XLA's: longer bars are faster."""
    most = max(1.0, *(1 / row["later"] for row in rows.values()))
    unit, top = 420 / most, 30
    parts = []
    for number, (name, row) in enumerate(rows.items()):
        y, speed = top + 28 * number, 1 / row["later"]
        parts.append(f'<text x="112" y="{y + 14}" text-anchor="end">{name}</text>')
        parts.append(f'<rect x="120" y="{y}" width="{speed * unit:.0f}" height="18" rx="2" fill="#4c78a8"/>')
        parts.append(f'<text x="{126 + speed * unit:.0f}" y="{y + 14}">{speed:.1f}x</text>')
    bottom = top + 28 * len(rows)
    line = 120 + unit
    parts.append(
        f'<line x1="{line:.0f}" y1="22" x2="{line:.0f}" y2="{bottom}" stroke="#e45756" stroke-width="2"/>'
    )
    parts.append(f'<text x="{line:.0f}" y="16" text-anchor="middle">XLA on the CPU</text>')
    style = 'font-family="sans-serif" font-size="13" fill="#57606a"'
    size = f'viewBox="0 0 600 {bottom + 8}" width="600" height="{bottom + 8}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><g {style}>\n' + "\n".join(parts) + "\n</g></svg>\n"
    )


def _row(name: str, ratios: dict[str, float]) -> str:
    return f"{name:<16}" + "".join(f"{ratios[column]:8.2f}" for column in _COLUMNS)


def main() -> None:
    parser = argparse.ArgumentParser(description="Times models here and by XLA.")
    parser.add_argument("-k", default="", help="a part of the names of the models")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--chart", type=Path, help="a file for the chart of later calls")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(given.measure[0], Path(given.measure[1]), given.engine)))
        return
    rows = {}
    print(f"{'model':<16}" + "".join(f"{name:>8}" for name in _COLUMNS))
    for function, inputs in models().items():
        if given.k in function.__name__:
            rows[function.__name__] = compared(function, inputs, given.engine)
            print(_row(function.__name__, rows[function.__name__]), flush=True)
    logs = {name: [math.log(row[name]) for row in rows.values()] for name in _COLUMNS}
    print(_row("geometric mean", {name: math.exp(sum(each) / len(each)) for name, each in logs.items()}))
    if given.chart:
        given.chart.write_text(chart(rows))


if __name__ == "__main__":
    main()
