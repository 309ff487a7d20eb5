"""Kernels of the `shape` dialect: a shape is a 1-dimensional array of sizes; a witness is None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.kernels.registry import Array, Function, kernel

Binary = Callable[[Array, Array], Array]


@kernel("shape.shape_of")
def shape_of(arg: Array) -> Array:
    """Shape of a tensor (shape.shape_of)."""
    return np.array(arg.shape, np.int64)


@kernel("shape.num_elements")
def num_elements(shape: Array) -> Array:
    """Number of elements of a shape (shape.num_elements)."""
    return np.asarray(np.prod(shape, dtype=np.int64))


@kernel("shape.const_shape", view=True)
def const_shape(*, shape: Array) -> Array:
    """Constant shape (shape.const_shape)."""
    return shape


@kernel("shape.broadcast")
def broadcast(shapes: tuple[Array, ...]) -> Array:
    """Shape that shapes broadcast to (shape.broadcast)."""
    return np.array(_broadcast(shapes), np.int64)


@kernel("shape.cstr_broadcastable")
def cstr_broadcastable(shapes: tuple[Array, ...]) -> None:
    """Run-time check that shapes broadcast together (shape.cstr_broadcastable)."""
    _broadcast(shapes)


def _broadcast(shapes: tuple[Array, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*[tuple(shape.tolist()) for shape in shapes])
    except ValueError:
        listed = ", ".join(str(shape.tolist()) for shape in shapes)
        raise RunError(f"the shapes {listed} cannot be broadcast together") from None


@kernel("shape.assuming", view=True)
def assuming(witness: None, *, doRegion: Function) -> tuple[Any, ...]:
    """Region that runs under a witness, which has been checked (shape.assuming)."""
    return doRegion()
