"""The ops of stablehlo: types of the generated functions. Written by tests/ops/make_stubs.py."""

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stablehlo_py.ir.types import Type
from stablehlo_py.ops import chlo as chlo
from stablehlo_py.ops.functions import OpError as OpError

_Array = np.ndarray[Any, np.dtype[Any]]
_Arrays = builtins.tuple[_Array, ...]
_Operand = npt.ArrayLike
_Operands = Sequence[npt.ArrayLike] | npt.ArrayLike
_Types = str | Type | Sequence[str | Type] | None

def abs(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def add(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def after_all(
    inputs: _Operands,
    *,
    result_types: _Types = None,
) -> _Array: ...
def all_gather(
    operands: _Operands,
    *,
    all_gather_dim: Any,
    replica_groups: npt.ArrayLike,
    channel_id: int | None = None,
    use_global_device_ids: bool | None = None,
    result_types: _Types = None,
) -> _Arrays: ...
def all_reduce(
    operands: _Operands,
    *,
    replica_groups: npt.ArrayLike,
    channel_id: int | None = None,
    use_global_device_ids: bool | None = None,
    computation: Callable[..., Any],
    result_types: _Types = None,
) -> _Arrays: ...
def all_to_all(
    operands: _Operands,
    *,
    split_dimension: Any,
    concat_dimension: Any,
    split_count: Any,
    replica_groups: npt.ArrayLike,
    channel_id: int | None = None,
    result_types: _Types = None,
) -> _Arrays: ...
def and_(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def async_done(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def async_start(
    operands: _Operands,
    *,
    body: Callable[..., Any],
    result_types: _Types = None,
) -> _Array: ...
def atan2(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def batch_norm_grad(
    operand: _Operand,
    scale: _Operand,
    mean: _Operand,
    variance: _Operand,
    grad_output: _Operand,
    *,
    epsilon: float,
    feature_index: Any,
    result_types: _Types = None,
) -> _Arrays: ...
def batch_norm_inference(
    operand: _Operand,
    scale: _Operand,
    offset: _Operand,
    mean: _Operand,
    variance: _Operand,
    *,
    epsilon: float,
    feature_index: Any,
    result_types: _Types = None,
) -> _Array: ...
def batch_norm_training(
    operand: _Operand,
    scale: _Operand,
    offset: _Operand,
    *,
    epsilon: float,
    feature_index: Any,
    result_types: _Types = None,
) -> _Arrays: ...
def bitcast_convert(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def broadcast(
    operand: _Operand,
    *,
    broadcast_sizes: Sequence[int],
    result_types: _Types = None,
) -> _Array: ...
def broadcast_in_dim(
    operand: _Operand,
    *,
    broadcast_dimensions: Sequence[int],
    result_types: _Types = None,
) -> _Array: ...
def case(
    index: _Operand,
    *,
    branches: Sequence[Callable[..., Any]],
    result_types: _Types = None,
) -> _Arrays: ...
def cbrt(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def ceil(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def cholesky(
    a: _Operand,
    *,
    lower: bool | None = None,
    result_types: _Types = None,
) -> _Array: ...
def clamp(
    min: _Operand,
    operand: _Operand,
    max: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def collective_broadcast(
    operands: _Operands,
    *,
    replica_groups: npt.ArrayLike,
    channel_id: int | None = None,
    has_dynamic_root: bool | None = None,
    result_types: _Types = None,
) -> _Arrays: ...
def collective_permute(
    operand: _Operand,
    *,
    source_target_pairs: npt.ArrayLike,
    channel_id: int | None = None,
    result_types: _Types = None,
) -> _Array: ...
def collective_reduce(
    operands: _Operands,
    *,
    replica_groups: npt.ArrayLike,
    channel_id: int | None = None,
    use_global_device_ids: bool | None = None,
    has_dynamic_root: bool | None = None,
    computation: Callable[..., Any],
    result_types: _Types = None,
) -> _Arrays: ...
def compare(
    lhs: _Operand,
    rhs: _Operand,
    *,
    comparison_direction: str,
    compare_type: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def complex(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def composite(
    inputs: _Operands,
    *,
    name: str,
    composite_attributes: Any = None,
    decomposition: Any,
    version: int | None = None,
    composite_regions: Sequence[Callable[..., Any]],
    result_types: _Types = None,
) -> _Arrays: ...
def concatenate(
    inputs: _Operands,
    *,
    dimension: int,
    result_types: _Types = None,
) -> _Array: ...
def constant(
    *,
    value: npt.ArrayLike,
    result_types: _Types = None,
) -> _Array: ...
def convert(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def convolution(
    lhs: _Operand,
    rhs: _Operand,
    *,
    window_strides: Sequence[int] | None = None,
    padding: npt.ArrayLike | None = None,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    window_reversal: Any = None,
    input_batch_dimension: int,
    input_feature_dimension: int,
    input_spatial_dimensions: Sequence[int] | None = None,
    kernel_input_feature_dimension: int,
    kernel_output_feature_dimension: int,
    kernel_spatial_dimensions: Sequence[int] | None = None,
    output_batch_dimension: int,
    output_feature_dimension: int,
    output_spatial_dimensions: Sequence[int] | None = None,
    feature_group_count: int,
    batch_group_count: int,
    precision_config: Any = None,
    result_types: _Types = None,
) -> _Array: ...
def cosine(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def count_leading_zeros(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def create_token(
    *,
    result_types: _Types = None,
) -> _Array: ...
def cross_replica_sum(
    operand: _Operand,
    *,
    replica_groups: npt.ArrayLike,
    result_types: _Types = None,
) -> _Array: ...
def custom_call(
    inputs: _Operands,
    *,
    call_target_name: str,
    has_side_effect: bool | None = None,
    backend_config: Any = None,
    api_version: str | None = None,
    called_computations: Any = None,
    output_operand_aliases: Any = None,
    operand_layouts: Any = None,
    result_layouts: Any = None,
    result_tilings: Any = None,
    result_types: _Types = None,
) -> _Arrays: ...
def divide(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def dot(
    lhs: _Operand,
    rhs: _Operand,
    *,
    precision_config: Any = None,
    result_types: _Types = None,
) -> _Array: ...
def dot_general(
    lhs: _Operand,
    rhs: _Operand,
    *,
    lhs_batching_dimensions: Sequence[int] | None = None,
    rhs_batching_dimensions: Sequence[int] | None = None,
    lhs_contracting_dimensions: Sequence[int] | None = None,
    rhs_contracting_dimensions: Sequence[int] | None = None,
    precision_config: Any = None,
    lhs_precision_type: Any = None,
    rhs_precision_type: Any = None,
    accumulation_type: Any = None,
    lhs_component_count: int | None = None,
    rhs_component_count: int | None = None,
    num_primitive_operations: int | None = None,
    allow_imprecise_accumulation: bool | None = None,
    result_types: _Types = None,
) -> _Array: ...
def dynamic_broadcast_in_dim(
    operand: _Operand,
    output_dimensions: _Operand,
    *,
    broadcast_dimensions: Sequence[int],
    known_expanding_dimensions: Sequence[int] | None = None,
    known_nonexpanding_dimensions: Sequence[int] | None = None,
    result_types: _Types = None,
) -> _Array: ...
def dynamic_conv(
    lhs: _Operand,
    rhs: _Operand,
    padding: _Operand,
    *,
    window_strides: Sequence[int] | None = None,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    window_reversal: Any = None,
    input_batch_dimension: int,
    input_feature_dimension: int,
    input_spatial_dimensions: Sequence[int] | None = None,
    kernel_input_feature_dimension: int,
    kernel_output_feature_dimension: int,
    kernel_spatial_dimensions: Sequence[int] | None = None,
    output_batch_dimension: int,
    output_feature_dimension: int,
    output_spatial_dimensions: Sequence[int] | None = None,
    feature_group_count: int,
    batch_group_count: int,
    precision_config: Any = None,
    result_types: _Types = None,
) -> _Array: ...
def dynamic_gather(
    operand: _Operand,
    start_indices: _Operand,
    slice_sizes: _Operand,
    *,
    offset_dims: Sequence[int] | None = None,
    collapsed_slice_dims: Sequence[int] | None = None,
    operand_batching_dims: Sequence[int] | None = None,
    start_indices_batching_dims: Sequence[int] | None = None,
    start_index_map: Sequence[int] | None = None,
    index_vector_dim: int,
    indices_are_sorted: bool | None = None,
    result_types: _Types = None,
) -> _Array: ...
def dynamic_iota(
    output_shape: _Operand,
    *,
    iota_dimension: int,
    result_types: _Types = None,
) -> _Array: ...
def dynamic_pad(
    operand: _Operand,
    padding_value: _Operand,
    edge_padding_low: _Operand,
    edge_padding_high: _Operand,
    interior_padding: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def dynamic_reshape(
    operand: _Operand,
    output_shape: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def dynamic_slice(
    operand: _Operand,
    start_indices: _Operands,
    *,
    slice_sizes: Sequence[int],
    result_types: _Types = None,
) -> _Array: ...
def dynamic_update_slice(
    operand: _Operand,
    update: _Operand,
    start_indices: _Operands,
    *,
    result_types: _Types = None,
) -> _Array: ...
def einsum(
    lhs: _Operand,
    rhs: _Operand,
    *,
    einsum_config: str,
    result_types: _Types = None,
) -> _Array: ...
def exponential(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def exponential_minus_one(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def fft(
    operand: _Operand,
    *,
    fft_type: str,
    fft_length: Sequence[int],
    result_types: _Types = None,
) -> _Array: ...
def floor(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def gather(
    operand: _Operand,
    start_indices: _Operand,
    *,
    offset_dims: Sequence[int] | None = None,
    collapsed_slice_dims: Sequence[int] | None = None,
    operand_batching_dims: Sequence[int] | None = None,
    start_indices_batching_dims: Sequence[int] | None = None,
    start_index_map: Sequence[int] | None = None,
    index_vector_dim: int,
    slice_sizes: Sequence[int],
    indices_are_sorted: bool | None = None,
    result_types: _Types = None,
) -> _Array: ...
def get_dimension_size(
    operand: _Operand,
    *,
    dimension: int,
    result_types: _Types = None,
) -> _Array: ...
def get_tuple_element(
    operand: _Operand,
    *,
    index: int,
    result_types: _Types = None,
) -> _Array: ...
def if_(
    pred: _Operand,
    *,
    true_branch: Callable[..., Any],
    false_branch: Callable[..., Any],
    result_types: _Types = None,
) -> _Arrays: ...
def imag(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def infeed(
    token: _Operand,
    *,
    infeed_config: str | None = None,
    layout: Any = None,
    result_types: _Types = None,
) -> _Arrays: ...
def iota(
    *,
    iota_dimension: int,
    result_types: _Types = None,
) -> _Array: ...
def is_finite(
    x: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def log(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def log_plus_one(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def logistic(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def map(
    inputs: _Operands,
    *,
    dimensions: Sequence[int],
    computation: Callable[..., Any],
    result_types: _Types = None,
) -> _Array: ...
def maximum(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def minimum(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def multiply(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def negate(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def not_(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def optimization_barrier(
    operand: _Operands,
    *,
    result_types: _Types = None,
) -> _Arrays: ...
def or_(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def outfeed(
    inputs: _Operands,
    token: _Operand,
    *,
    outfeed_config: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def pad(
    operand: _Operand,
    padding_value: _Operand,
    *,
    edge_padding_low: Sequence[int],
    edge_padding_high: Sequence[int],
    interior_padding: Sequence[int],
    result_types: _Types = None,
) -> _Array: ...
def partition_id(
    *,
    result_types: _Types = None,
) -> _Array: ...
def popcnt(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def power(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def real(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def real_dynamic_slice(
    operand: _Operand,
    start_indices: _Operand,
    limit_indices: _Operand,
    strides: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def recv(
    token: _Operand,
    *,
    channel_id: int,
    channel_type: int,
    is_host_transfer: bool | None = None,
    source_target_pairs: npt.ArrayLike | None = None,
    result_types: _Types = None,
) -> _Arrays: ...
def reduce(
    inputs: _Operands,
    init_values: _Operands,
    *,
    dimensions: Sequence[int],
    body: Callable[..., Any],
    result_types: _Types = None,
) -> _Arrays: ...
def reduce_precision(
    operand: _Operand,
    *,
    exponent_bits: int,
    mantissa_bits: int,
    result_types: _Types = None,
) -> _Array: ...
def reduce_scatter(
    operand: _Operand,
    *,
    scatter_dimension: Any,
    replica_groups: npt.ArrayLike,
    channel_id: int | None = None,
    use_global_device_ids: bool | None = None,
    computation: Callable[..., Any],
    result_types: _Types = None,
) -> _Array: ...
def reduce_window(
    inputs: _Operands,
    init_values: _Operands,
    *,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    base_dilations: Sequence[int] | None = None,
    window_dilations: Sequence[int] | None = None,
    padding: npt.ArrayLike | None = None,
    body: Callable[..., Any],
    result_types: _Types = None,
) -> _Arrays: ...
def remainder(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def replica_id(
    *,
    result_types: _Types = None,
) -> _Array: ...
def reshape(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def reverse(
    operand: _Operand,
    *,
    dimensions: Sequence[int],
    result_types: _Types = None,
) -> _Array: ...
def rng(
    a: _Operand,
    b: _Operand,
    shape: _Operand,
    *,
    rng_distribution: str,
    result_types: _Types = None,
) -> _Array: ...
def rng_bit_generator(
    initial_state: _Operand,
    *,
    rng_algorithm: str,
    result_types: _Types = None,
) -> _Arrays: ...
def round_nearest_afz(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def round_nearest_even(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def rsqrt(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def scatter(
    inputs: _Operands,
    scatter_indices: _Operand,
    updates: _Operands,
    *,
    update_window_dims: Sequence[int] | None = None,
    inserted_window_dims: Sequence[int] | None = None,
    input_batching_dims: Sequence[int] | None = None,
    scatter_indices_batching_dims: Sequence[int] | None = None,
    scatter_dims_to_operand_dims: Sequence[int] | None = None,
    index_vector_dim: int,
    indices_are_sorted: bool | None = None,
    unique_indices: bool | None = None,
    update_computation: Callable[..., Any],
    result_types: _Types = None,
) -> _Arrays: ...
def select(
    pred: _Operand,
    on_true: _Operand,
    on_false: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def select_and_scatter(
    operand: _Operand,
    source: _Operand,
    init_value: _Operand,
    *,
    window_dimensions: Sequence[int] | None = None,
    window_strides: Sequence[int] | None = None,
    padding: npt.ArrayLike | None = None,
    select: Callable[..., Any],
    scatter: Callable[..., Any],
    result_types: _Types = None,
) -> _Array: ...
def send(
    inputs: _Operands,
    token: _Operand,
    *,
    channel_id: int,
    channel_type: int,
    is_host_transfer: bool | None = None,
    source_target_pairs: npt.ArrayLike | None = None,
    result_types: _Types = None,
) -> _Array: ...
def set_dimension_size(
    operand: _Operand,
    size: _Operand,
    *,
    dimension: int,
    result_types: _Types = None,
) -> _Array: ...
def shift_left(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def shift_right_arithmetic(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def shift_right_logical(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def sign(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def sine(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def slice(
    operand: _Operand,
    *,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int],
    result_types: _Types = None,
) -> _Array: ...
def sort(
    inputs: _Operands,
    *,
    dimension: int | None = None,
    is_stable: bool | None = None,
    comparator: Callable[..., Any],
    result_types: _Types = None,
) -> _Arrays: ...
def sqrt(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def subtract(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def tan(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def tanh(
    operand: _Operand,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    ulps: int | None = None,
    mode: str | None = None,
    result_types: _Types = None,
) -> _Array: ...
def torch_index_select(
    operand: _Operand,
    index: _Operand,
    *,
    dim: int,
    batch_dims: int,
    result_types: _Types = None,
) -> _Array: ...
def transpose(
    operand: _Operand,
    *,
    permutation: Sequence[int],
    result_types: _Types = None,
) -> _Array: ...
def triangular_solve(
    a: _Operand,
    b: _Operand,
    *,
    left_side: bool,
    lower: bool,
    unit_diagonal: bool,
    transpose_a: str,
    result_types: _Types = None,
) -> _Array: ...
def tuple(
    val: _Operands,
    *,
    result_types: _Types = None,
) -> _Array: ...
def unary_einsum(
    operand: _Operand,
    *,
    einsum_config: str,
    result_types: _Types = None,
) -> _Array: ...
def uniform_dequantize(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def uniform_quantize(
    operand: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
def while_(
    operand: _Operands,
    *,
    cond: Callable[..., Any],
    body: Callable[..., Any],
    result_types: _Types = None,
) -> _Arrays: ...
def xor(
    lhs: _Operand,
    rhs: _Operand,
    *,
    result_types: _Types = None,
) -> _Array: ...
