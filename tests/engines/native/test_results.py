"""Memory of results: used again only when no view of the earlier result is left, and bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.results import ResultMemory

F32 = np.dtype(np.float32)
SIZE = 1 << 18  # elements of F32: a megabyte


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.ctypes.data)


def test_memory_is_used_again_when_no_view_is_left() -> None:
    memory = ResultMemory(4 * SIZE * 4)
    first = memory.new_array((SIZE // 4, 4), F32)
    view, place = first[3:, ::2].T, address(first)
    del first
    second = memory.new_array((SIZE,), F32)
    assert address(second) != place
    view[0, 0] = 7
    held = memoryview(view)
    del view
    assert address(memory.new_array((SIZE,), F32)) not in (place, address(second))
    held.release()
    del held
    assert address(memory.new_array((2, SIZE), np.dtype(np.int16))) == place


def test_no_more_memory_is_kept_than_allowed() -> None:
    memory = ResultMemory(3 * SIZE * 4)
    arrays = [memory.new_array((SIZE,), F32) for _ in range(5)]
    assert len({address(array) for array in arrays}) == 5
    assert sum(each.size for each in memory._kept) == 3 * SIZE * 4
    arrays.clear()
    memory.new_array((2, SIZE), F32)
    assert sum(each.size for each in memory._kept) <= 3 * SIZE * 4


def test_memory_in_use_is_kept_beside_memory_that_is_given_up() -> None:
    memory = ResultMemory(3 * SIZE * 4)
    arrays = [memory.new_array((SIZE,), F32) for _ in range(3)]
    (middle,) = arrays[1:2]
    arrays.clear()
    large = memory.new_array((2, SIZE), F32)
    assert {each.ctypes.data for each in memory._kept} == {address(middle), address(large)}


def test_results_that_are_kept_do_not_change() -> None:
    text = """func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
      %0 = stablehlo.add %x, %x : tensor<512x512xf32>
      %1 = stablehlo.multiply %0, %x : tensor<512x512xf32>
      %2 = stablehlo.negate %1 : tensor<512x512xf32>
      return %2 : tensor<512x512xf32>
    }"""
    program = shlo.compile(shlo.parse(text), engine="native")
    rows = [program(np.full((512, 512), n, np.float32))[0][5] for n in range(9)]
    assert [row[0] for row in rows] == [-2 * n * n for n in range(9)]
    assert [row[511] for row in rows] == [-2 * n * n for n in range(9)]
