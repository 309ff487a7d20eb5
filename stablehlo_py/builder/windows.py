"""Windows that move over arrays, and padding by the document's names."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from stablehlo_py.builder.arguments import integers, pairs, word
from stablehlo_py.builder.computation import XlaComputation
from stablehlo_py.builder.computation_builder import Computation
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.reductions import Reductions, scalar_types
from stablehlo_py.ir.types import TensorType

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand

Pairs = Sequence[tuple[int, int]]


class Padding(Enum):
    """Padding::kSame and Padding::kValid; the texts "SAME" and "VALID" do as well."""

    kSame = "SAME"
    kValid = "VALID"


def padding_pairs(
    padding: Padding | str | Pairs,
    sizes: Sequence[int | None],
    window: Sequence[int],
    strides: Sequence[int],
) -> list[tuple[int, int]]:
    """Low and high padding for each dimension of an array of these sizes.

    SAME: as much as gives ceil(size / stride) windows, an odd one at the high end. `window` are the
    windows' sizes, dilation included. Raises BuildError for another name.
    """
    if not isinstance(padding, Padding | str):
        return pairs(padding, "padding")
    name = word(padding.value if isinstance(padding, Padding) else padding, "padding")
    if name == "VALID":
        return [(0, 0)] * len(window)
    if name != "SAME":
        raise BuildError(f"{padding!r} is no padding; SAME, VALID and pairs (low, high) are")
    if not len(sizes) == len(window) == len(strides):
        raise BuildError(f"SAME padding of {len(sizes)} dimensions needs as many window sizes and strides")
    return [_same(*each) for each in zip(sizes, window, strides, strict=True)]


def _same(size: int | None, window: int, stride: int) -> tuple[int, int]:
    if size is None:
        raise BuildError("SAME padding needs dimensions whose sizes are known")
    if stride < 1:
        return 0, 0  # a step that the definition does not allow
    count = -(-size // stride)
    total = max((count - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


def pairs_array(pairs: Pairs) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Pairs as the array that StableHLO's `padding` is."""
    return np.array(pairs, np.int64).reshape(-1, 2)


class Windows(Reductions):
    """ReduceWindow and SelectAndScatter."""

    def ReduceWindow(
        self,
        operands: Operand | Sequence[Operand],
        init_values: Operand | Sequence[Operand],
        computation: Computation,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int],
        padding: Padding | str | Pairs = Padding.kValid,
        base_dilations: Sequence[int] = (),
        window_dilations: Sequence[int] = (),
    ) -> XlaOp:
        """Folds the elements in a window into one, at each position of the window.

        Args:
          operands: N arrays of the same sizes.
          init_values: N scalars, on the left of the elements; padding has these values as well.
          computation: of N accumulators and N elements; gives N scalars.
          window_dimensions: the window's sizes.
          window_strides: its steps.
          padding: SAME (as much as gives ceil(size / stride) positions, the odd one at the high end), VALID
            (none), or a pair of low and high padding for each dimension.
          base_dilations, window_dilations: factors d that put d - 1 elements of padding between elements,
            of the operands or of the window; 1 by default.

        The order of 001's table, with the dilations before the padding, is taken as well, and that of the
        code in 000 and 003, with the computation before the initial value.

        Gives an array of the sizes that there are positions, or a tuple of N.

        Documents: 000, 003 (one operand, no dilations), 001.
        """
        if isinstance(window_dilations, Padding | str):
            padding, base_dilations, window_dilations = window_dilations, padding, base_dilations
        init_values, computation = _in_order(init_values, computation)
        arrays, scalars = self._with_init(operands, init_values)
        dimensions, strides = _window(window_dimensions, window_strides)
        between = integers(base_dilations, "base_dilations")
        holes = integers(window_dilations, "window_dilations")
        sizes = [_dilated(size, d) for size, d in zip_longest(arrays[0].shape, between, fillvalue=1)]
        window = [_dilated(size, d) or 0 for size, d in zip_longest(dimensions, holes, fillvalue=1)]
        attributes = {
            "window_dimensions": dimensions,
            "window_strides": strides,
            "base_dilations": between or None,
            "window_dilations": holes or None,
            "padding": pairs_array(padding_pairs(padding, sizes, window, strides)),
        }
        body = self._region(computation, scalar_types([*scalars, *arrays]))
        return self._collated(self._emit("reduce_window", [*arrays, *scalars], attributes, [body]))

    def SelectAndScatter(
        self,
        operand: Operand,
        select: Computation,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int],
        padding: Padding | str | Pairs,
        source: Operand,
        init_value: Operand,
        scatter: Computation,
    ) -> XlaOp:
        """Picks one element in each window, and combines those of a source into their places.

        Args:
          operand: an array.
          select: of two scalars, gives a pred: whether to pick the first one, which has the lower index.
          window_dimensions, window_strides, padding: the window, as in ReduceWindow.
          source: an array of the sizes that there are positions.
          init_value: a scalar, the value of each element before anything is combined into it.
          scatter: of the value so far and an element of the source; gives a scalar.

        Gives an array of the operand's shape.

        Documents: 000, 001, 003.
        """
        op, values, init = self._operands(operand, source, init_value)
        dimensions, strides = _window(window_dimensions, window_strides)
        attributes = {
            "window_dimensions": dimensions,
            "window_strides": strides,
            "padding": pairs_array(padding_pairs(padding, op.shape, dimensions, strides)),
        }
        scalars = [TensorType((), op.element_type)] * 2
        bodies = [self._region(part, scalars) for part in (select, scatter)]
        return self._one("select_and_scatter", [op, values, init], attributes, bodies)


def _in_order(init_values: Any, computation: Any) -> tuple[Any, Any]:
    """Initial values and computation, which may be given the other way round."""
    is_swapped = isinstance(init_values, XlaComputation | str) or callable(init_values)
    return (computation, init_values) if is_swapped else (init_values, computation)


def _window(dimensions: Sequence[int], strides: Sequence[int]) -> tuple[list[int], list[int]]:
    return integers(dimensions, "window_dimensions"), integers(strides, "window_strides")


def _dilated(size: int | None, factor: int | None) -> int | None:
    """The size of a dimension with `factor` - 1 holes after each element but the last."""
    return None if size is None or factor is None else max((size - 1) * factor + 1, 0)
