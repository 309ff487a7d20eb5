"""Kernels of the `shape` dialect: a shape is a one-dimensional array of sizes, and a witness is None, because
what it witnesses has been checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.kernels.registry import Array, Function, kernel

Binary = Callable[[Array, Array], Array]


@kernel("shape.shape_of")
def shape_of(arg: Array) -> Array:
    return np.array(arg.shape, np.int64)


@kernel("shape.num_elements")
def num_elements(shape: Array) -> Array:
    return np.asarray(np.prod(shape, dtype=np.int64))


@kernel("shape.const_shape", view=True)
def const_shape(*, shape: Array) -> Array:
    return shape


@kernel("shape.broadcast")
def broadcast(shapes: tuple[Array, ...]) -> Array:
    return np.array(_broadcast(shapes), np.int64)


@kernel("shape.cstr_broadcastable")
def cstr_broadcastable(shapes: tuple[Array, ...]) -> None:
    _broadcast(shapes)


def _broadcast(shapes: tuple[Array, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*[tuple(shape.tolist()) for shape in shapes])
    except ValueError:
        listed = ", ".join(str(shape.tolist()) for shape in shapes)
        raise RunError(f"the shapes {listed} cannot be broadcast together") from None


@kernel("shape.assuming", view=True)
def assuming(witness: None, *, doRegion: Function) -> tuple[Any, ...]:
    return doRegion()
