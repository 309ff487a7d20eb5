"""Constant folding: steps on constants are evaluated during lowering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.numpy.bind import bind
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.interpreter.lower import Fold, ModuleLowering
from stablehlo_py.interpreter.plan import Step, byte_size
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.registry import find_kernel

FOLDED_ELEMENTS = 1 << 18  # maximum size of folded results; views of constants are always folded
FOLDED_OPERANDS = 1 << 22  # maximum elements of the operands of what is folded: views may have any size
FOLDED_BYTES = 1 << 25  # of all results of a module, but for views


def constant_folder(options: Options) -> Fold:
    """Return the function that evaluates steps for `interpreter.lower`.

    Args:
        options: The options of execution; a step that exceeds their limits is left to run time.
    """
    limited = Options(limits=options.limits, semantics=options.semantics)
    left = FOLDED_BYTES

    def fold(step: Step, operands: Sequence[Any], functions: ModuleLowering) -> Sequence[Any] | None:
        """Return the results of a step; None if they are large, or an error occurs, which the run reports."""
        nonlocal left
        kernel = find_kernel(step.name)
        size = _size(step)
        is_small = size is not None and size <= left and sum(map(_elements, operands)) <= FOLDED_OPERANDS
        if kernel is None or not (is_small or (kernel.view and not _is_large_count(step))):
            return None
        try:
            bound = bind(step, functions.module, Preparation(functions.module, functions, limited))
            with np.errstate(all="ignore"):
                found = bound.call(*operands)
        except Exception:
            return None
        if not kernel.view:
            left -= size or 0
        results: Sequence[Any] = found if bound.returns_tuple else (found,)
        return results

    return fold


def _size(step: Step) -> int | None:
    """Return the size of a step's results in bytes; None if unknown, or a result is too large to fold."""
    assert step.op is not None
    types = [result.type for result in step.op.results]
    small = all(isinstance(t, TensorType) and t.size is not None and t.size <= FOLDED_ELEMENTS for t in types)
    return sum(byte_size(type) or 0 for type in types) if small else None


def _is_large_count(step: Step) -> bool:
    """Test whether a step counts far along a dimension: its view is of a row that is new."""
    assert step.op is not None
    type = step.op.results[0].type
    if "iota_dimension" not in step.keywords or step.ins or not isinstance(type, TensorType):
        return False
    return (type.shape[step.keywords["iota_dimension"]] or 0) > FOLDED_OPERANDS


def _elements(value: Any) -> int:
    """Return the number of elements of an operand; tuples of values count whole."""
    return sum(map(_elements, value)) if isinstance(value, tuple) else np.size(value)
