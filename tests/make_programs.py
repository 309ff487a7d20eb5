"""Create testdata/programs/*: small models exported by JAX, each with its inputs and XLA's results.

And testdata/symbolic.jax_export: a program with symbolic shapes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

PROGRAMS = Path(__file__).parent.parent / "testdata" / "programs"
STEPS, BATCH, FEATURES = 10, 3, 8


def lstm(x: Any, w: Any, b: Any) -> Any:
    """The last state of a recurrent layer, by a loop over its steps."""
    import jax
    import jax.numpy as jnp

    def step(carry: Any, row: Any) -> Any:
        h, c = carry
        i, f, g, o = jnp.split(jnp.concatenate([row, h], 1) @ w + b, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h.mean()

    zero = jnp.zeros(x.shape[1:], jnp.float32)
    (h, _), means = jax.lax.scan(step, (zero, zero), x)
    return h, means


def attention(x: Any, w: Any) -> Any:
    """One head of causal attention, with a residual connection and layer normalisation."""
    import jax
    import jax.numpy as jnp

    q, k, v = jnp.split(x @ w, 3, axis=1)
    scores = jnp.where(jnp.tril(jnp.ones((len(x), len(x)), bool)), q @ k.T, -jnp.inf)
    y = x + jax.nn.softmax(scores * q.shape[1] ** -0.5) @ v
    return (y - y.mean(1, keepdims=True)) * jax.lax.rsqrt(y.var(1, keepdims=True) + 1e-5)


def indexing(table: Any, positions: Any, updates: Any) -> Any:
    """Rows gathered, added to a table and sorted; integers and branches."""
    import jax
    import jax.numpy as jnp

    summed = table.at[positions].add(updates)
    order = jnp.argsort(summed[:, 0])
    chosen = jax.lax.switch(positions[0] % 3, [jnp.sum, jnp.max, jnp.min], summed)
    return summed[order], order, chosen


def convolution(image: Any, kernel: Any) -> Any:
    """The gradient of a convolution, a pooling and a mean."""
    import jax
    import jax.numpy as jnp

    def loss(kernel: Any) -> Any:
        y = jax.lax.conv_general_dilated(
            image, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        y = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return jnp.mean(jax.nn.relu(y) ** 2)

    return jax.value_and_grad(loss)(kernel)


def export_symbolic() -> None:
    """Write a program with symbolic shapes and constraints, as a container; needs flatbuffers."""
    import jax
    import jax.numpy as jnp

    b, c = jax.export.symbolic_shape("b, c", constraints=["b >= 2", "mod(c, 4) == 0"])
    x, w = jax.ShapeDtypeStruct((b, c), jnp.float32), jax.ShapeDtypeStruct((c, 3), jnp.float32)
    exported = jax.export.export(jax.jit(lambda x, w: jax.nn.softmax(x @ w)))(x, w)
    (PROGRAMS.parent / "symbolic.jax_export").write_bytes(exported.serialize())


def main() -> None:
    import jax

    export_symbolic()

    draw = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return draw.normal(0, 1, shape).astype(np.float32)

    inputs: dict[Callable[..., Any], list[np.ndarray]] = {
        lstm: [normal(STEPS, BATCH, FEATURES), normal(2 * FEATURES, 4 * FEATURES) / 4, normal(4 * FEATURES)],
        attention: [normal(6, FEATURES), normal(FEATURES, 3 * FEATURES)],
        indexing: [normal(5, 2), np.array([4, 1, 1, 0], np.int32), normal(4, 2)],
        convolution: [normal(1, 8, 8, 2), normal(3, 3, 2, 4)],
    }
    PROGRAMS.mkdir(exist_ok=True)
    for function, given in inputs.items():
        lowered = jax.jit(function).lower(*given)
        text = lowered.as_text(debug_info=function is attention)
        text = text.replace(str(Path(__file__).parent.parent) + "/", "")
        (PROGRAMS / f"{function.__name__}.mlir").write_text(text)
        results = jax.tree.leaves(jax.jit(function)(*given))
        arrays = {f"in{i}": a for i, a in enumerate(given)} | {
            f"out{i}": np.asarray(r) for i, r in enumerate(results)
        }
        np.savez(PROGRAMS / f"{function.__name__}.npz", **arrays)


if __name__ == "__main__":
    sys.exit(main())
