"""Execution of built programs."""

from __future__ import annotations

from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.builder import XlaBuilder

f32, s32 = np.float32, np.int32
Array = np.ndarray[Any, np.dtype[Any]]


def checked(builder: XlaBuilder) -> shlo.Module:
    """The program, which verifies without a diagnostic, and so does its text."""
    module = builder.build()
    assert shlo.verify(module) == []
    assert shlo.verify(shlo.parse(shlo.format(module))) == []
    return module


def results(builder: XlaBuilder, *inputs: Any) -> list[Array]:
    """All results of the computation."""
    return shlo.run(checked(builder), inputs)


def result(builder: XlaBuilder, *inputs: Any) -> Array:
    """The only result of the computation."""
    (only,) = results(builder, *inputs)
    return only


def on_grid(builder: XlaBuilder, replicas: int, *inputs: Array) -> list[Array]:
    """The result of each replica, where each has an input of its own."""
    program = shlo.compile(checked(builder), replicas=replicas)
    places = {(replica, 0): [given] for replica, given in enumerate(inputs)}
    found = program.call_grid(places) if inputs else program.call_grid()
    return [found[replica, 0][0] for replica in range(replicas)]


# The array of 24 elements of Collapse and Reshape.
V = np.array([[[10 * d + 5 * r + c for c in range(3)] for r in range(2)] for d in range(1, 5)], f32)
# The matrix of the slices.
B = np.arange(12, dtype=f32).reshape(4, 3)
