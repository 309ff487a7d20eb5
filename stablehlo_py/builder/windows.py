"""Reductions along dimensions and in windows, and padding by name."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import zip_longest
from typing import Any

import numpy as np

from stablehlo_py.builder.arguments import integers, pairs, word
from stablehlo_py.builder.base import scalar_types
from stablehlo_py.builder.computation import XlaComputation
from stablehlo_py.builder.computation_builder import Computation, ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.ir.types import TensorType

Pairs = Sequence[tuple[int, int]]


class Padding(Enum):
    """Padding::kSame and Padding::kValid; the strings "SAME" and "VALID" are accepted as well."""

    kSame = "SAME"
    kValid = "VALID"


def padding_pairs(
    padding: Padding | str | Pairs,
    sizes: Sequence[int | None],
    window: Sequence[int | None],
    strides: Sequence[int],
) -> list[tuple[int, int]]:
    """Compute the low and high padding of each dimension.

    Args:
        padding: VALID, SAME (ceil(size / stride) windows, with odd padding at the high end), or the pairs.
        sizes: The dimension sizes of the array.
        window: The sizes of the window, including dilation.
        strides: The strides of the window.

    Returns:
        The pairs of low and high padding.

    Raises:
        BuildError: If the padding is invalid.
    """
    if not isinstance(padding, Padding | str):
        return pairs(padding, "padding")
    name = word(padding.value if isinstance(padding, Padding) else padding, "padding")
    if name == "VALID":
        return [(0, 0)] * len(window)
    if name != "SAME":
        raise BuildError(f"invalid padding {padding!r}: expected SAME, VALID or pairs (low, high)")
    if not len(sizes) == len(window) == len(strides):
        raise BuildError(f"SAME padding of {len(sizes)} dimensions requires as many window sizes and strides")
    return [_same(*each) for each in zip(sizes, window, strides, strict=True)]


def _same(size: int | None, window: int | None, stride: int) -> tuple[int, int]:
    if size is None or window is None:
        raise BuildError("SAME padding requires static dimensions")
    if stride < 1:
        return 0, 0  # an invalid stride, which the definition rejects
    count = -(-size // stride)
    total = max((count - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


def pairs_array(pairs: Pairs) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Convert pairs to StableHLO's `padding` array."""
    return np.array(pairs, np.int64).reshape(-1, 2)


class Windows(ComputationBuilder):
    """Reduce, ReduceWindow and SelectAndScatter."""

    def Reduce(
        self,
        operands: Operand | Sequence[Operand],
        init_values: Operand | Sequence[Operand],
        computation: Computation,
        dimensions: Sequence[int] | None = None,
    ) -> XlaOp:
        """Reduces arrays along dimensions with a computation.

        Args:
            operands: N arrays of the same shape.
            init_values: N scalars, the identity of the computation, which may be applied any number of times.
            computation: A computation from N accumulators and N elements to N scalars. It should be
                associative, since it is applied in an undefined order.
            dimensions: The dimensions to reduce; all by default.

        Returns:
            An array of the remaining dimensions, or a tuple of N arrays if N > 1.

        Documents: 000 (one array), 001, 003. 003's example of argmax compares with the wrong value.
        """
        arrays, scalars = self._with_init(operands, init_values)
        axes = list(range(arrays[0].rank)) if dimensions is None else integers(dimensions, "dimensions")
        body = self._region(computation, scalar_types([*scalars, *arrays]))
        return self._collated(self._emit("reduce", [*arrays, *scalars], {"dimensions": axes}, [body]))

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
        """Reduces the elements in each window with a computation.

        Args:
            operands: N arrays of the same shape.
            init_values: N scalars, the left operands of the reductions; also the padding value.
            computation: A computation from N accumulators and N elements to N scalars.
            window_dimensions: The sizes of the window.
            window_strides: The strides of the window.
            padding: SAME (ceil(size / stride) positions, with odd padding at the high end), VALID (no
                padding), or a pair of low and high padding for each dimension.
            base_dilations: Factors d that insert d - 1 padding elements between elements of the operands; 1
                by default.
            window_dilations: The same between elements of the window.

        The order of 001's table, with the dilations before the padding, is accepted as well, as is that of
        the code in 000 and 003, with the computation before the initial value.

        Returns:
            An array with one element per window position, or a tuple of N arrays.

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
        """Selects one element in each window, and scatters the elements of source to these positions.

        Args:
            operand: An array.
            select: A computation of two scalars, which returns whether to select the first, the one of lower
                index.
            window_dimensions: As in ReduceWindow.
            window_strides: As in ReduceWindow.
            padding: As in ReduceWindow.
            source: An array with one element per window position.
            init_value: A scalar, the initial value of each element.
            scatter: A computation from the current value and an element of the source to a scalar.

        Returns:
            An array of the operand's shape.

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

    def _with_init(
        self, operands: Operand | Sequence[Operand], init_values: Operand | Sequence[Operand]
    ) -> tuple[list[XlaOp], list[XlaOp]]:
        """Convert operands and initial values; numbers take the operands' element types."""
        arrays = self._arrays(operands)
        given = init_values if isinstance(init_values, list | tuple) else [init_values]
        if len(given) != len(arrays):
            return arrays, self._listed(init_values)
        types = [array.element_type for array in arrays]
        return arrays, [self._operand(value, type) for value, type in zip(given, types, strict=True)]


def _in_order(init_values: Any, computation: Any) -> tuple[Any, Any]:
    """Return initial values and computation, which are accepted in either order."""
    is_swapped = isinstance(init_values, XlaComputation | str) or callable(init_values)
    return (computation, init_values) if is_swapped else (init_values, computation)


def _window(dimensions: Sequence[int], strides: Sequence[int]) -> tuple[list[int], list[int]]:
    return integers(dimensions, "window_dimensions"), integers(strides, "window_strides")


def _dilated(size: int | None, factor: int | None) -> int | None:
    """Return the size of a dimension dilated by a factor."""
    return None if size is None or factor is None else max((size - 1) * factor + 1, 0)
