"""Gather and scatter: slices at computed positions, read and updated."""

from __future__ import annotations

from stablehlo_py.opset.classes import INTEGER, PER_TENSOR_QUANTIZED_TENSOR, TENSOR, tensor_of
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, define

SLICED = TENSOR | PER_TENSOR_QUANTIZED_TENSOR
INDICES = tensor_of(INTEGER)
SORTED = Attr("indices_are_sorted", "bool", type="constant of type `i1`", optional=True, default="false")


def _dims(structure: str, *names: str) -> tuple[Attr, ...]:
    """Inputs that are lists of dimensions inside a structured property."""
    words = "1-dimensional tensor constant of type `si64`"
    return tuple(Attr(name, "array<i64>", type=words, at=f"{structure}.{name}") for name in names)


def _index_vector_dim(structure: str) -> Attr:
    return Attr("index_vector_dim", "i64", type="constant of type `si64`", at=f"{structure}.index_vector_dim")


GATHER_DIMS = (
    *_dims(
        "dimension_numbers",
        "offset_dims",
        "collapsed_slice_dims",
        "operand_batching_dims",
        "start_indices_batching_dims",
        "start_index_map",
    ),
    _index_vector_dim("dimension_numbers"),
)
GATHER_PROPERTY = (("dimension_numbers", "struct stablehlo.gather"),)

define(
    OpDef(
        name="stablehlo.gather",
        doc="Takes slices of operand at the positions that start_indices gives, and joins them.",
        section="gather",
        inputs=(
            Operand("operand", SLICED),
            Operand("start_indices", INDICES),
            *GATHER_DIMS,
            Attr("slice_sizes", "array<i64>", type="1-dimensional tensor constant of type `si64`"),
            SORTED,
        ),
        outputs=(Result("result", SLICED),),
        properties=GATHER_PROPERTY,
        traits=frozenset({"pure"}),
        example='%result = "stablehlo.gather"(%operand, %start_indices) <{dimension_numbers = '
        "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
        "index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> "
        ": (tensor<3x4xi64>, tensor<2x1xi64>) -> tensor<2x4xi64>",
    ),
    OpDef(
        name="stablehlo.dynamic_gather",
        doc="Does what gather does, with the sizes of the slices given as a value.",
        section="dynamic_gather",
        inputs=(
            Operand("operand", SLICED),
            Operand("start_indices", INDICES),
            Operand("slice_sizes", tensor_of(INTEGER, rank=1)),
            *GATHER_DIMS,
            SORTED,
        ),
        outputs=(Result("result", SLICED),),
        properties=GATHER_PROPERTY,
        traits=frozenset({"pure"}),
        example='%result = "stablehlo.dynamic_gather"(%operand, %start_indices, %slice_sizes) <{dimension_numbers = '
        "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
        "index_vector_dim = 1>}> : (tensor<3x4xi64>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x4xi64>",
    ),
    OpDef(
        name="stablehlo.scatter",
        doc="Gives inputs with the slices at the positions in scatter_indices combined with updates.",
        section="scatter",
        inputs=(
            Operand("inputs", SLICED, variadic=True),
            Operand("scatter_indices", tensor_of(INTEGER)),
            Operand("updates", SLICED, variadic=True),
            *_dims(
                "scatter_dimension_numbers",
                "update_window_dims",
                "inserted_window_dims",
                "input_batching_dims",
                "scatter_indices_batching_dims",
                "scatter_dims_to_operand_dims",
            ),
            _index_vector_dim("scatter_dimension_numbers"),
            SORTED,
            Attr("unique_indices", "bool", type="constant of type `i1`", optional=True, default="false"),
            Body("update_computation"),
        ),
        outputs=(Result("results", SLICED, variadic=True),),
        properties=(("scatter_dimension_numbers", "struct stablehlo.scatter"),),
        example='%result = "stablehlo.scatter"(%input, %scatter_indices, %update) <{scatter_dimension_numbers = '
        "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n  %0 = stablehlo.add %a, %b : tensor<i64>\n"
        "  stablehlo.return %0 : tensor<i64>\n"
        "}) : (tensor<3x4xi64>, tensor<2x1xi64>, tensor<2x4xi64>) -> tensor<3x4xi64>",
    ),
)
