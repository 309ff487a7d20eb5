"""Shapes and layouts against XLA's text of shapes and bytes of buffers."""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.layout import Shape, to_bytes

pytest.importorskip("jaxlib")


def text_of_xla(shape: str) -> str:
    """A shape as XLA prints it after parsing; "" where it refuses it."""
    hlo = pytest.importorskip("jaxlib._hlo")
    try:
        module = hlo.hlo_module_from_text(f"HloModule m\nENTRY e {{\n ROOT p = {shape} parameter(0)\n}}\n")
    except Exception:
        return ""
    line = next(line for line in module.to_string().splitlines() if "ROOT" in line)
    return str(line.partition(" = ")[2].partition(" parameter")[0])


@pytest.mark.parametrize(
    "text",
    [
        "f32[2,3]{0,1}",
        "f32[2,3]",
        "pred[]",
        "token[]",
        "()",
        "(f32[2], s32[])",
        "(f32[2]{0}, (), (s32[], pred[1]))",
        "f32[<=2,3]",
        "f32[?,<=4]{0,1}",
        "f32[ 2 , 3 ] {1, 0}",
        "f32[2,3]{1,0:T(8,128)(2,1)E(16)S(5)}",
        "f32[2,3]{1,0:S(0)}",
        "s4[4]{0:E(4)}",
        "f8e8m0fnu[2]",
        "f4e2m1fn[2]",
        "c128[0,2]",
        "f32[2,3]{1}",
        "f32[2,-1]",
        "f32[<=?]",
        "F32[2]",
        "f32",
        "f99[2]",
        "f32[2,3]{:T(8)}",
    ],
)
def test_text(text: str) -> None:
    try:
        found = str(Shape.parse(text))
    except ValueError:
        found = ""
    assert found == text_of_xla(text)


@pytest.mark.parametrize(
    ("shape", "order"),
    [("f32[2,3,4]{0,2,1}", (0, 2, 1)), ("s4[2,5]{0,1:E(4)}", (0, 1)), ("bf16[3,2]{1,0}", (1, 0))],
)
def test_bytes(shape: str, order: tuple[int, ...]) -> None:
    jax = pytest.importorskip("jax")
    layout = pytest.importorskip("jax.experimental.layout")
    parsed = Shape.parse(shape)
    array = (np.arange(parsed.size) % 7).reshape(parsed.sizes).astype(parsed.dtype)
    wanted = layout.Format(
        layout.Layout(order[::-1]), jax.sharding.SingleDeviceSharding(jax.devices("cpu")[0])
    )
    held: Any = jax.device_put(array, wanted)
    expected = to_bytes(array, parsed)
    memory = (ctypes.c_uint8 * len(expected)).from_address(held.unsafe_buffer_pointer())
    assert bytes(memory) == expected


def test_narrow_types_are_packed_by_xla() -> None:
    jax = pytest.importorskip("jax")
    array = np.array([1, 2, -3, 4], ml_dtypes.int4)
    held: Any = jax.device_put(array, jax.devices("cpu")[0])
    memory = (ctypes.c_uint8 * 2).from_address(held.unsafe_buffer_pointer())
    assert bytes(memory) == to_bytes(array, Shape.parse("s4[4]{0:E(4)}"))
