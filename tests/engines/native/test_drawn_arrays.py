"""Drawn programs on both engines: arrays of any shape and layout, shared by arguments, on several threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.debug.generate.elements import ELEMENTS
from stablehlo_py.debug.generate.programs import Request, draw_program
from stablehlo_py.engines import program
from stablehlo_py.engines.native import regions
from stablehlo_py.engines.threads import Pool
from stablehlo_py.ir.types import F32, I1, ComplexType, FloatType, IntegerType, QuantizedType, Type
from tests.helpers.agreement import distance
from tests.helpers.soak import DRAWS

Array = np.ndarray[Any, Any]
Rng = np.random.Generator
SEED = 12
SIGN_OF_ZERO = 0.5  # in ULPs
THREADS = Pool(3)
NUMBERS = [type for type in ELEMENTS[:-1] if str(type) != "f8E8M0FNU"]  # it has no 0, and no negative ones
SHAPES = (  # in each program: a scalar, and two of these, one of them for two arguments of each type
    (1,), (2,), (17,), (127,), (1000,), (1, 1, 1), (0,), (3, 0, 5), (1, 129), (65, 2), (7, 11, 13),
    (2, 1, 3, 1), (31, 33), (3, 5, 2, 1, 4), (1, 2, 0), (40961,), (211, 199), (19, 2203), (2203, 19),
    (37, 3, 401),
)  # fmt: skip


def padded(array: Array, rng: Rng) -> Array:
    """A part of a larger array, whose elements are apart in each dimension."""
    held = np.zeros([2 * size + 1 for size in array.shape], array.dtype)
    part: Array = held[(..., *[slice(1, 2 * size, 2) for size in array.shape])]
    part[...] = array
    return part


def reversed_in_memory(array: Array, rng: Rng) -> Array:
    return np.flip(np.flip(array).copy())


def transposed_in_memory(array: Array, rng: Rng) -> Array:
    order = rng.permutation(array.ndim)
    return np.transpose(np.transpose(array, order).copy(), np.argsort(order))


def misaligned(array: Array, rng: Rng) -> Array:
    """An array whose address is no multiple of the size of its elements."""
    held = np.empty(array.nbytes + 1, np.uint8)
    found: Array = held[1:].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


def repeated(array: Array, rng: Rng) -> Array:
    """One element, for all indices."""
    return np.broadcast_to(array.reshape(-1)[:1].reshape(()), array.shape) if array.size else array


def read_only(array: Array, rng: Rng) -> Array:
    found = array.copy()
    found.flags.writeable = False
    return found


LAYOUTS = (
    lambda array, rng: array,
    padded,
    reversed_in_memory,
    transposed_in_memory,
    misaligned,
    repeated,
    read_only,
)


def drawn_arguments(arguments: tuple[Array, ...], rng: Rng) -> list[Array]:
    """The arguments in drawn layouts; some are the same array, or overlap, as others of their type."""
    found: list[Array] = []
    for array in arguments:
        same = [x for x in found if x.dtype == array.dtype and x.shape == array.shape]
        if same and rng.random() < 0.3:
            found.append(same[0])
        elif same and array.ndim and array.size and rng.random() < 0.4:
            held = np.concatenate([array, array[:1]])
            found[next(k for k, x in enumerate(found) if x is same[0])] = held[:-1]
            found.append(held[1:])
        else:
            found.append(LAYOUTS[int(rng.integers(0, len(LAYOUTS)))](array, rng))
    return found


def drawn_shapes(rng: Rng) -> tuple[tuple[int, ...], ...]:
    one, two = (SHAPES[int(rng.integers(0, len(SHAPES)))] for _ in range(2))
    return (), one, two, one


def drawn_elements(rng: Rng) -> tuple[Type, ...]:
    """Booleans, a float, a complex number, two integers, of any width, and quantized integers."""
    found: list[Type] = [I1]
    for kind in (FloatType, ComplexType, IntegerType, IntegerType):
        fitting = [type for type in NUMBERS if isinstance(type, kind) and type not in found]
        found.append(fitting[int(rng.integers(0, len(fitting)))])
    storage = IntegerType(8, str(rng.choice(["", "u"])))
    scale, zero_point = float(rng.choice([1.0, 2.0, 4.0])), int(rng.integers(0, 9))
    low, high = (0, 255) if storage.signedness else (-128, 127)
    return (*found, QuantizedType(storage, F32, (scale,), (zero_point,), low, high))


@pytest.mark.parametrize("number", range(12 * DRAWS))
def test_drawn_programs(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    monkeypatch.setattr(program, "constant_folder", lambda options: lambda step, operands, functions: None)
    for name, value in (("SHARED_WORK", 1), ("processors", lambda: 3), ("pool", lambda: THREADS)):
        monkeypatch.setattr(regions, name, value)
    rng = np.random.default_rng([SEED, number])
    request = Request(shapes=drawn_shapes(rng), elements=drawn_elements(rng))
    drawn = draw_program(rng, f"program{number}", int(rng.integers(5, 30)), request)
    given = drawn_arguments(drawn.arguments, rng)
    before = [array.copy() for array in given]
    expected = shlo.compile(drawn.module, entry=drawn.name, engine="numpy")(*before)
    run = shlo.compile(drawn.module, entry=drawn.name, engine="native")
    for _ in range(2):  # the second run finds what the first has left
        found = run(*given)
        assert max(map(distance, found, expected), default=0) <= SIGN_OF_ZERO, shlo.format(drawn.module)
        assert all(map(np.array_equal, given, before))
        assert not any(np.may_share_memory(a, b) for a in found for b in given)
