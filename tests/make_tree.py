"""Create testdata/tree.*: a function of trees, exported by JAX, with its arguments and XLA's results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

TESTDATA = Path(__file__).parent.parent / "testdata"


class Norm(NamedTuple):
    """A node of the tree of arguments that is no tuple to JAX."""

    mean: Any
    scale: Any


def arguments() -> tuple[dict[str, Any], np.ndarray[Any, Any]]:
    """The parameters and the input: f32 numbers that are exact in few bits."""

    def numbers(*shape: int) -> np.ndarray[Any, Any]:
        count = int(np.prod(shape))
        return (np.arange(count, dtype=np.float32).reshape(shape) - count // 2) / 8

    parameters = {
        "dense": {"kernel": numbers(3, 4), "bias": numbers(4), "mask": numbers(7)},
        "norm": Norm(numbers(3), np.float32(2)),
        "out": [numbers(4, 2)],
    }
    return parameters, numbers(5, 3)


def main() -> None:
    import jax
    import jax.numpy as jnp
    from jax import export

    def model(parameters, x, key, *, scale):  # type: ignore[no-untyped-def]
        norm, dense = parameters["norm"], parameters["dense"]
        hidden = jnp.maximum((x - norm.mean) * norm.scale @ dense["kernel"] + dense["bias"], 0)
        logits = hidden @ parameters["out"][0] * scale
        return {"logits": logits, "aux": (hidden.sum(), None), "norm": Norm(x.mean(0), norm.scale + 1)}

    export.register_namedtuple_serialization(Norm, serialized_name="Norm")
    parameters, x = arguments()
    given = (parameters, x, jax.random.key_data(jax.random.key(0)))
    exported = export.export(jax.jit(model))(*given, scale=jnp.float32(0.5))
    (TESTDATA / "tree.jax_export").write_bytes(exported.serialize())
    found = jax.jit(model)(*given, scale=jnp.float32(0.5))
    results = {f"out{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(found))}
    np.savez(TESTDATA / "tree_expected.npz", **results)

    from safetensors.numpy import save_file

    leaves = jax.tree_util.tree_leaves_with_path(parameters)
    named = {
        jax.tree_util.keystr(path, simple=True, separator="/"): np.asarray(leaf) for path, leaf in leaves
    }
    save_file(named, TESTDATA / "tree.safetensors")
    np.save(TESTDATA / "tree_x.npy", x)


if __name__ == "__main__":
    sys.exit(main())
