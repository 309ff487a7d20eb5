"""Sort keys as integers."""

from __future__ import annotations

from math import nan

from stablehlo_py.engines.native.arithmetic.elements import Element
from stablehlo_py.engines.native.arithmetic.llvm_ir import WIDTHS, Value
from stablehlo_py.engines.native.arithmetic.scalar_ops import total_order


def ordered_bits(x: Value, element: Element, total: bool = True) -> Value:
    """An unsigned integer in the order of elements, for floats their total order, or that of a `Key`."""
    sign = -(1 << WIDTHS[x.type] - 1)
    if element.is_float:
        return total_order(x if total else x.is_nan().select(nan, x + 0.0), element) ^ sign
    return x ^ sign if element.signed else x
