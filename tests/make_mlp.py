"""Create testdata/mlp.*: a small classifier of 8x8 images, trained and exported by JAX, and its data."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

TESTDATA = Path(__file__).parent.parent / "testdata"
CLASSES, SIDE, HIDDEN = 4, 8, 32


def pictures(generator: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy images with one bright edge, and which edge it is: top, bottom, left, right."""
    images = generator.normal(0, 0.3, (count, SIDE, SIDE)).astype(np.float32)
    labels = generator.integers(0, CLASSES, count)
    for image, label in zip(images, labels, strict=True):
        edge = [image[0], image[-1], image[:, 0], image[:, -1]][label]
        edge += 1
    return images, labels


def main() -> None:
    import jax
    import jax.numpy as jnp

    def classifier(image, w1, b1, w2, b2):  # type: ignore[no-untyped-def]
        hidden = jax.nn.gelu(image.reshape(image.shape[0], -1) @ w1 + b1)
        logits = hidden @ w2 + b2
        return {"class": jnp.argmax(logits, axis=-1), "probabilities": jax.nn.softmax(logits)}

    def loss(weights, images, labels):  # type: ignore[no-untyped-def]
        w1, b1, w2, b2 = weights
        logits = jax.nn.gelu(images.reshape(len(images), -1) @ w1 + b1) @ w2 + b2
        return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels])

    generator = np.random.default_rng(0)
    shapes = [(SIDE * SIDE, HIDDEN), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,)]
    weights = [generator.normal(0, 0.1, shape).astype(np.float32) for shape in shapes]
    images, labels = pictures(generator, 512)
    gradient = jax.jit(jax.grad(loss))
    for _ in range(200):
        weights = [w - 0.3 * g for w, g in zip(weights, gradient(weights, images, labels), strict=True)]
    weights = [np.asarray(w) for w in weights]
    image = pictures(generator, 1)[0]
    compiled = jax.jit(classifier)
    TESTDATA.joinpath("mlp.mlir").write_text(compiled.lower(image, *weights).as_text())
    np.save(TESTDATA / "image.npy", image)
    np.savez(TESTDATA / "weights.npz", **{f"arg{i}": each for i, each in enumerate(weights, 1)})
    results = jax.tree.leaves(compiled(image, *weights))
    np.savez(TESTDATA / "mlp_expected.npz", **{f"out{i}": np.asarray(r) for i, r in enumerate(results)})


if __name__ == "__main__":
    sys.exit(main())
