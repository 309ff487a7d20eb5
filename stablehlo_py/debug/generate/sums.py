"""Steps of random programs with sums of products, in types in which they are exact; and single ops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stablehlo_py.debug.generate.chain import element_of
from stablehlo_py.debug.generate.shapes import MOST, Row, direction, ints, row
from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr, EnumAttr, IntegerAttr, StructAttr
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.ir.types import F32, F64, I1, I32, I64, ComplexType, FloatType, IntegerType, TensorType

if TYPE_CHECKING:
    from stablehlo_py.debug.generate.writer import Writer


def has_exact_sums(writer: Writer, value: Value) -> bool:
    """Test whether sums of products of thousands of known numbers are exact in the type of a value.

    Floats are clamped after each sum, so that later sums are exact too.
    """
    element = element_of(value)
    if element in (F32, F64):
        return writer.allows("stablehlo.clamp")
    return isinstance(element, IntegerType) and element != I1


def keep(writer: Writer, value: Value) -> None:
    """Make a value known, a float in the range in which other ops are exact."""
    writer.known.append(writer.clamped(value) if isinstance(element_of(value), FloatType) else value)


def dot_general(writer: Writer) -> None:
    """Append a dot_general of one contracted dimension, with up to one batch dimension."""
    x = writer.any(1)
    shape = list(writer.shape_of(x))
    contracted = int(writer.rng.integers(0, len(shape)))
    free = [d for d in range(len(shape)) if d != contracted]
    batch = free[: int(writer.rng.integers(0, 2))]
    columns = int(writer.rng.integers(1, 4))
    result = [shape[d] for d in (*batch, *free[len(batch) :])] + [columns]
    if not has_exact_sums(writer, x) or np.prod(result) >= MOST:
        return
    y = writer.fetch(writer.like(x, [*(shape[d] for d in batch), shape[contracted], columns]))
    numbers = StructAttr("stablehlo.dot", (
        ("lhs_batching_dimensions", tuple(batch)), ("rhs_batching_dimensions", tuple(range(len(batch)))),
        ("lhs_contracting_dimensions", (contracted,)), ("rhs_contracting_dimensions", (len(batch),)),
    ))  # fmt: skip
    attributes: dict[str, Attribute] = {"dot_dimension_numbers": numbers}
    types = [writer.like(x, result)]
    keep(writer, writer.builder.create("stablehlo.dot_general", [x, y], types, attributes).result)


def convolution(writer: Writer) -> None:
    """Append a convolution with strides, padding and dilation."""
    x = writer.any(2)
    batch, features, *space = writer.shape_of(x)
    if not has_exact_sums(writer, x):
        return
    window, strides, dilation = writer.rng.integers(1, 3, (3, len(space)))
    padding = writer.rng.integers(0, 2, (len(space), 2))
    sizes = ((np.array(space) - 1) * dilation + 1 + padding.sum(1) - window) // strides + 1
    outputs = int(writer.rng.integers(1, 4))
    if (sizes < 1).any():
        return
    kernel = writer.fetch(writer.like(x, [outputs, features, *window]))
    spatial = tuple(range(2, 2 + len(space)))
    numbers = StructAttr("stablehlo.conv", (
        ("input_batch_dimension", 0), ("input_feature_dimension", 1), ("input_spatial_dimensions", spatial),
        ("kernel_input_feature_dimension", 1), ("kernel_output_feature_dimension", 0),
        ("kernel_spatial_dimensions", spatial),
        ("output_batch_dimension", 0), ("output_feature_dimension", 1),
        ("output_spatial_dimensions", spatial),
    ))  # fmt: skip
    attributes: dict[str, Attribute] = {
        "dimension_numbers": numbers, "window_strides": ints(strides), "lhs_dilation": ints(dilation),
        "padding": DenseElementsAttr(TensorType((len(space), 2), I64), padding.reshape(-1)),
        "batch_group_count": IntegerAttr(1, I64), "feature_group_count": IntegerAttr(1, I64),
    }  # fmt: skip
    types = [writer.like(x, [batch, outputs, *sizes])]
    keep(writer, writer.builder.create("stablehlo.convolution", [x, kernel], types, attributes).result)


def select_and_scatter(writer: Writer) -> None:
    """Append a select_and_scatter that adds to the first largest or smallest element of each window."""
    x = writer.any(1)
    shape = np.array(writer.shape_of(x))
    window, strides = writer.rng.integers(1, 3, (2, len(shape)))
    if not has_exact_sums(writer, x) or (shape < window).any():
        return
    source = writer.fetch(writer.like(x, (shape - window) // strides + 1))
    scalar = TensorType((), element_of(x))
    chosen = "GE" if writer.rng.random() < 0.5 else "LE"
    regions = [
        function_of(scalar, "stablehlo.compare", TensorType((), I1), direction(chosen)),
        function_of(scalar, "stablehlo.add", scalar),
    ]
    attributes: dict[str, Attribute] = {"window_dimensions": ints(window), "window_strides": ints(strides)}
    operands = [x, source, writer.scalar(element_of(x))]
    name, types = "stablehlo.select_and_scatter", [writer.actual(x)]
    keep(writer, writer.builder.create(name, operands, types, attributes, regions).result)


def function_of(
    scalar: TensorType, name: str, result: TensorType, properties: dict[str, Attribute] | None = None
) -> Region:
    """Return a region that applies an op to two scalars."""
    block = Block([scalar, scalar])
    made = OpBuilder(block).create(name, block.arguments, [result], properties).result
    block.append(Operation("stablehlo.return", [made]))
    return Region([block])


def complex_numbers(writer: Writer) -> None:
    """Append an op on complex numbers, and one of its parts."""
    x = writer.any()
    element = element_of(x)
    if element not in (F32, F64):
        return
    shape = writer.shape_of(x)
    y, create = writer.fetch(writer.actual(x)), writer.builder.create
    kind = TensorType(shape, ComplexType(element))
    z = create("stablehlo.complex", [x, y], [kind]).result
    w = create("stablehlo.complex", [y, writer.fetch(writer.actual(x))], [kind]).result
    name = str(writer.rng.choice(["add", "multiply", "subtract"]))
    made = create(f"stablehlo.{name}", [z, w], [kind]).result
    part = "real" if writer.rng.random() < 0.5 else "imag"
    keep(writer, create(f"stablehlo.{part}", [made], [writer.actual(x)]).result)


def reduce_precision(writer: Writer) -> None:
    """Append a reduce_precision of a float."""
    x = writer.any()
    if not isinstance(element_of(x), FloatType):
        return
    attributes: dict[str, Attribute] = {
        "exponent_bits": IntegerAttr(int(writer.rng.integers(4, 9)), I32),
        "mantissa_bits": IntegerAttr(int(writer.rng.integers(1, 11)), I32),
    }
    made = writer.builder.create("stablehlo.reduce_precision", [x], [writer.actual(x)], attributes).result
    keep(writer, made)


def rng_bit_generator(writer: Writer) -> None:
    """Append an rng_bit_generator of either algorithm."""
    state = TensorType((2,), IntegerType(64, "u"))
    output = TensorType((int(writer.rng.integers(1, 8)),), IntegerType(32, "u"))
    algorithm = "THREE_FRY" if writer.rng.random() < 0.5 else "PHILOX"
    numbers = writer.rng.integers(0, 2**63, 2).astype(np.uint64)
    attributes: dict[str, Attribute] = {"rng_algorithm": EnumAttr("stablehlo.rng_algorithm", algorithm)}
    seed = writer.builder.constant(numbers, state)
    writer.put("stablehlo.rng_bit_generator", [seed], [state, output], attributes)


def optimization_barrier(writer: Writer) -> None:
    """Append an optimization_barrier of up to three values."""
    values = [writer.any() for _ in range(int(writer.rng.integers(1, 4)))]
    made = writer.builder.create("stablehlo.optimization_barrier", values, [value.type for value in values])
    for value, result in zip(values, made.results, strict=True):
        writer.known.append(writer.sized(result, writer.shape_of(value)))


SUMS: tuple[Row, ...] = (
    row(dot_general, "dot_general"),
    row(convolution, "convolution"),
    row(select_and_scatter, "select_and_scatter", "add", "compare"),
    row(complex_numbers, "complex", "real", "imag", "add", "multiply", "subtract", "clamp"),
    row(reduce_precision, "reduce_precision", "clamp"),
    row(rng_bit_generator, "rng_bit_generator"),
    row(optimization_barrier, "optimization_barrier"),
)
