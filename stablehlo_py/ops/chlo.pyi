"""The ops of chlo: types of the generated functions. Written by tests/ops/make_stubs.py."""

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stablehlo_py.ir.types import Type

_Array = np.ndarray[Any, np.dtype[Any]]
_Arrays = builtins.tuple[_Array, ...]
_Operand = npt.ArrayLike
_Operands = Sequence[npt.ArrayLike] | npt.ArrayLike
_Types = str | Type | Sequence[str | Type] | None

def _asin_acos_kernel(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def acos(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def acosh(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def asin(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def asinh(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def atan(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def atanh(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def bessel_i1e(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_add(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_and(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_atan2(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_compare(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    comparison_direction: str,
    compare_type: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_complex(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_divide(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_maximum(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_minimum(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_multiply(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_next_after(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_or(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_polygamma(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_power(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_remainder(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_select(
    pred: _Operand,
    on_true: _Operand,
    on_false: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_shift_left(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_shift_right_arithmetic(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_shift_right_logical(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_subtract(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_xor(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def broadcast_zeta(
    lhs: _Operand,
    rhs: _Operand,
    *,
    broadcast_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def conj(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def constant(
    *,
    value: npt.ArrayLike,
    result_types: _Types = None,
) -> _Array: ...
def constant_like(
    operand: _Operand,
    *,
    value: Any,
    result_types: _Types = None,
) -> _Array: ...
def cosh(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def digamma(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def erf(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def erf_inv(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def erfc(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def is_inf(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def is_neg_inf(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def is_pos_inf(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def lgamma(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def mulhi(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def next_after(
    x: _Operand,
    y: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def polygamma(
    n: _Operand,
    x: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def ragged_dot(
    lhs: _Operand,
    rhs: _Operand,
    group_sizes: _Operand,
    *,
    lhs_batching_dimensions: Sequence[int] | None = None,
    rhs_batching_dimensions: Sequence[int] | None = None,
    lhs_contracting_dimensions: Sequence[int] | None = None,
    rhs_contracting_dimensions: Sequence[int] | None = None,
    lhs_ragged_dimensions: Sequence[int] | None = None,
    rhs_group_dimensions: Sequence[int] | None = None,
    precision_config: Any = None,
    result_types: _Types = None,
) -> _Array: ...
def scan(
    inputs: _Operands,
    inits: _Operands,
    *,
    dimension: Any,
    scan_dim_size: Any = None,
    is_reverse: bool | None = None,
    is_associative: bool | None = None,
    body: Callable[..., Any],
    result_types: _Types = None,
) -> _Arrays: ...
def sinh(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def square(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def tan(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def top_k(
    operand: _Operand,
    *,
    k: int,
    is_stable: bool | None = None,
    result_types: _Types = None,
) -> _Arrays: ...
def zeta(
    x: _Operand,
    q: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
