"""Gather and scatter: slices at dynamic positions, read and updated."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    ANY_INTEGER,
    INDEX_ELEMENT,
    INTEGER,
    PER_TENSOR_QUANTIZED_TENSOR,
    PER_TENSOR_TENSOR,
    TENSOR,
    tensor_of,
)
from stablehlo_py.opset.definition import (
    Attr,
    Body,
    Constraint,
    OpDef,
    Operand,
    Result,
    at_run,
    define,
    rules,
)
from stablehlo_py.opset.sharding_rule import ShardingRule
from stablehlo_py.opset.shared.common import PURE
from stablehlo_py.opset.shared.reducers import LOOSER, accumulators, reducer
from stablehlo_py.opset.shared.revisions import batching, promotion
from stablehlo_py.opset.traits import CostRule

SLICED = TENSOR | PER_TENSOR_QUANTIZED_TENSOR
INDICES = tensor_of(INTEGER)
SORTED = Attr("indices_are_sorted", "bool", type="constant of type `i1`", optional=True, default="false")


def _dims(structure: str, *names: str) -> tuple[Attr, ...]:
    """Return inputs that are lists of dimensions in a structured property."""
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
BATCH_DIM_SIZES = (
    "batch_dim_sizes",
    "index_vector_dim < rank(start_indices) ? "
    "drop(shape(start_indices), index_vector_dim) : shape(start_indices)",
)
START_INDEX_MAP_SIZE = (
    "size(start_index_map) = "
    "(index_vector_dim < rank(start_indices) ? dim(start_indices, index_vector_dim) : 1)"
)
START_INDEX_MAP_SPEC = (
    "`size(start_index_map) =\n       index_vector_dim < rank(start_indices) ?\n"
    "       dim(start_indices, index_vector_dim) : 1`."
)
GATHER_SHAPE = """`shape(result) = combine(batch_dim_sizes, offset_dim_sizes)` where:
  * `batch_dim_sizes = shape(start_indices)` except that the dimension size
    of `start_indices` corresponding to `index_vector_dim` is not included.
  * `offset_dim_sizes = slice_sizes` except that the dimension sizes in
    `slice_sizes` corresponding to `collapsed_slice_dims` and
    `operand_batching_dims` are not included.
  * `combine` puts `batch_dim_sizes` at axes corresponding to `batch_dims` and
   `offset_dim_sizes` at axes corresponding to `offset_dims`."""
DYNAMIC_GATHER_SHAPE = """`shape(result) = combine(batch_dim_sizes, offset_dim_sizes)` where:
  * `batch_dim_sizes = shape(start_indices)` except that the dimension size
    of `start_indices` corresponding to `index_vector_dim` is not included.
  * `offset_dim_sizes = shape(slice_sizes)` except that the dimension sizes
    in `slice_sizes` corresponding to `collapsed_slice_dims` are not included.
  * `combine` puts `batch_dim_sizes` at axes corresponding to `batch_dims` and
   `offset_dim_sizes` at axes corresponding to `offset_dims`."""
UPDATES_SHAPE = """`shape(updates[0]) = combine(update_scatter_dim_sizes,
       update_window_dim_sizes)` where:
  * `update_scatter_dim_sizes = shape(scatter_indices)` except that
    the dimension size of `scatter_indices` corresponding to
    `index_vector_dim` is not included.
  * `update_window_dim_sizes <= shape(inputs[0])` except that
    the dimension sizes in `inputs[0]` corresponding to `inserted_window_dims`
    and `input_batching_dims` are not included.
  * `combine` puts `update_scatter_dim_sizes` at axes corresponding to
   `update_scatter_dims` and `update_window_dim_sizes` at axes corresponding
   to `update_window_dims`."""
UPDATE_TYPE = """`update_computation` has type `(tensor<E0>, ..., tensor<EN-1>,
  tensor<E0>, ..., tensor<EN-1>) -> (tensor<E0>, ..., tensor<EN-1>)`,
  where `is_promotable(element_type(inputs[i]), Ei)`."""
BATCHING = "dynamic_gather has the batching dimensions of gather, which its section omits"


def _no_empty_slices(sizes: str) -> Constraint:
    """Return the constraint that a slice without elements gives no elements of the result."""
    return at_run("R1", f"if size(result) != 0 then 0 < {sizes}")


def _batching(label: str, formula: str) -> Constraint:
    return Constraint(label, formula, why=BATCHING, verdict="upstream")


define(
    OpDef(
        name="stablehlo.gather",
        doc="Gathers slices of operand at the positions in start_indices.",
        section="gather",
        source_labels="C7=C6 C8=C7 C9=C8 C10= C11= C12= C13= C14= "
        "C15= C16= C17= C18=C9 C19=C10 C20=C11 C21=C12 C22=C13 C23=C14",
        inputs=(
            Operand("operand", SLICED),
            Operand("start_indices", INDICES),
            *GATHER_DIMS,
            Attr("slice_sizes", "array<i64>", type="1-dimensional tensor constant of type `si64`"),
            SORTED,
        ),
        outputs=(Result("result", SLICED),),
        properties=GATHER_PROPERTY,
        where=(BATCH_DIM_SIZES,),
        constraints=rules(
            (
                "C1",
                "rank(operand) = size(offset_dims) + size(collapsed_slice_dims) +\n       "
                "size(operand_batching_dims)",
            ),
            ("C2", "0 <= index_vector_dim <= rank(start_indices)"),
            Constraint("C3", START_INDEX_MAP_SIZE, spec=START_INDEX_MAP_SPEC, why="precedence"),
            ("C4", "is_unique(offset_dims) and is_sorted(offset_dims)"),
            ("C5", "0 <= offset_dims < rank(result)"),
            ("C6", "is_unique(concatenate(collapsed_slice_dims, operand_batching_dims))"),
            ("C7", "is_sorted(collapsed_slice_dims)"),
            ("C8", "0 <= collapsed_slice_dims < rank(operand)"),
            ("C9", "slice_sizes[collapsed_slice_dims...] <= 1"),
            ("C10", "is_sorted(operand_batching_dims)"),
            ("C11", "0 <= operand_batching_dims < rank(operand)"),
            ("C12", "slice_sizes[operand_batching_dims...] <= 1"),
            ("C13", "is_unique(start_indices_batching_dims)"),
            ("C14", "0 <= start_indices_batching_dims < rank(start_indices)"),
            ("C15", "index_vector_dim not in start_indices_batching_dims"),
            ("C16", "size(operand_batching_dims) == size(start_indices_batching_dims)"),
            (
                "C17",
                "dim(operand, operand_batching_dims...) =\n"
                "        dim(start_indices, start_indices_batching_dims...)",
            ),
            ("C18", "is_unique(concatenate(start_index_map, operand_batching_dims))"),
            ("C19", "0 <= start_index_map < rank(operand)"),
            ("C20", "size(slice_sizes) = rank(operand)"),
            ("C21", "0 <= slice_sizes <= shape(operand)"),
            Constraint(
                "C22",
                "shape(result) = combine(batch_dim_sizes, "
                "drop(slice_sizes, collapsed_slice_dims ++ operand_batching_dims), offset_dims)",
                spec=GATHER_SHAPE,
                why="prose",
            ),
            ("C23", "element_type(operand) = element_type(result)"),
            _no_empty_slices("slice_sizes"),
            Constraint(
                "U1",
                "if is_quantized(operand) and is_quantized(result) "
                "then identical(element_type(operand), element_type(result))",
                verdict="upstream",
            ),
        ),
        traits=frozenset({"pure", "moves_data"}),
        sharding=ShardingRule(algorithm="gather"),
        cost=CostRule(traffic="slice"),
        revisions=(batching("operand_batching_dims", "start_indices_batching_dims"),),
        example='%result = "stablehlo.gather"(%operand, %start_indices) <{dimension_numbers = '
        "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
        "index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> "
        ": (tensor<3x4xi64>, tensor<2x1xi64>) -> tensor<2x4xi64>",
    ),
    OpDef(
        name="stablehlo.dynamic_gather",
        doc="Gathers slices as gather does, with the slice sizes as an operand.",
        section="dynamic_gather",
        source_labels=None,
        inputs=(
            Operand("operand", SLICED),
            Operand("start_indices", INDICES),
            Operand("slice_sizes", tensor_of(INTEGER, rank=1)),
            *GATHER_DIMS,
            SORTED,
        ),
        outputs=(Result("result", SLICED),),
        properties=GATHER_PROPERTY,
        where=(BATCH_DIM_SIZES, ("sizes", "values(constant_value(slice_sizes))")),
        constraints=rules(
            Constraint(
                "C1",
                "rank(operand) = size(offset_dims) + size(collapsed_slice_dims) + "
                "size(operand_batching_dims)",
                spec="`rank(operand) = size(offset_dims) + size(collapsed_slice_dims)`.",
                why=BATCHING,
            ),
            ("C2", "0 <= index_vector_dim <= rank(start_indices)"),
            Constraint("C3", START_INDEX_MAP_SIZE, spec=START_INDEX_MAP_SPEC, why="precedence"),
            ("C4", "is_unique(offset_dims) and is_sorted(offset_dims)"),
            ("C5", "0 <= offset_dims < rank(result)"),
            ("C6", "is_unique(collapsed_slice_dims) and is_sorted(collapsed_slice_dims)"),
            ("C7", "0 <= collapsed_slice_dims < rank(operand)"),
            Constraint(
                "C8",
                "sizes[collapsed_slice_dims...] <= 1",
                spec="`slice_sizes[collapsed_slice_dims...] <= 1`.",
                why="sort",
            ),
            ("C9", "is_unique(start_index_map)"),
            ("C10", "0 <= start_index_map < rank(operand)"),
            ("C11", "size(slice_sizes) = rank(operand)"),
            Constraint(
                "C12",
                "0 <= sizes <= shape(operand)",
                spec="`0 <= slice_sizes <= shape(operand)`.",
                why="sort",
            ),
            Constraint(
                "C13",
                "shape(result) = combine(batch_dim_sizes, "
                "drop(sizes, collapsed_slice_dims ++ operand_batching_dims), offset_dims)",
                spec=DYNAMIC_GATHER_SHAPE,
                why="prose",
            ),
            ("C14", "element_type(operand) = element_type(result)"),
            _no_empty_slices("sizes"),
            _batching("U1", "is_static(slice_sizes)"),
            _batching("U2", "is_unique(collapsed_slice_dims ++ operand_batching_dims)"),
            _batching("U3", "is_sorted(operand_batching_dims)"),
            _batching("U4", "0 <= operand_batching_dims < rank(operand)"),
            _batching("U5", "sizes[operand_batching_dims...] <= 1"),
            _batching("U6", "is_unique(start_indices_batching_dims)"),
            _batching("U7", "0 <= start_indices_batching_dims < rank(start_indices)"),
            _batching("U8", "index_vector_dim not in start_indices_batching_dims"),
            _batching("U9", "size(operand_batching_dims) = size(start_indices_batching_dims)"),
            _batching(
                "U10",
                "dim(operand, operand_batching_dims...) = dim(start_indices, start_indices_batching_dims...)",
            ),
            _batching("U11", "is_unique(start_index_map ++ operand_batching_dims)"),
        ),
        traits=frozenset({"pure", "moves_data", "shape_at_run"}),
        cost=CostRule(traffic="slice"),
        revisions=(batching("operand_batching_dims", "start_indices_batching_dims"),),
        example='%result = "stablehlo.dynamic_gather"(%operand, %start_indices, %slice_sizes) '
        "<{dimension_numbers = "
        "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
        "index_vector_dim = 1>}> : (tensor<3x4xi64>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x4xi64>",
    ),
    OpDef(
        name="stablehlo.scatter",
        doc="Combines updates with the slices of inputs at the positions in scatter_indices.",
        section="scatter",
        source_labels="C10=C9 C11=C10 C12= C13= C14= C15= C16= C17= "
        "C18= C19=C11 C20=C12 C21=C13 C22=C14 C23=C15 C24=C16 C25=C17",
        inputs=(
            Operand("inputs", SLICED, variadic=True),
            Operand("scatter_indices", tensor_of(ANY_INTEGER, INDEX_ELEMENT)),
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
        where=(
            ("N", "size(inputs)"),
            accumulators("update_computation"),
            (
                "update_scatter_dim_sizes",
                "index_vector_dim < rank(scatter_indices) ? "
                "drop(shape(scatter_indices), index_vector_dim) : shape(scatter_indices)",
            ),
            ("update_window_dim_sizes", "dims(updates[0], update_window_dims)"),
        ),
        constraints=rules(
            ("C1", "same(shape(inputs...))"),
            (
                "C2",
                "rank(inputs[0]) = size(update_window_dims) + size(inserted_window_dims) + "
                "size(input_batching_dims)",
            ),
            ("C3", "same(shape(updates...))"),
            Constraint(
                "C4",
                "shape(updates[0]) = combine(update_scatter_dim_sizes, update_window_dim_sizes, "
                "update_window_dims) "
                "and update_window_dim_sizes <= "
                "drop(shape(inputs[0]), inserted_window_dims ++ input_batching_dims)",
                spec=UPDATES_SHAPE,
                why="prose",
            ),
            ("C5", "0 < size(inputs) = size(updates) = N"),
            Constraint(
                "C6", "element_type(updates...) = element_type(inputs...)", why=LOOSER, verdict="spec-only"
            ),
            ("C7", "is_unique(update_window_dims) and is_sorted(update_window_dims)"),
            ("C8", "0 <= update_window_dims < rank(updates[0])"),
            ("C9", "is_unique(concatenate(inserted_window_dims, input_batching_dims))"),
            ("C10", "is_sorted(inserted_window_dims)"),
            ("C11", "0 <= inserted_window_dims < rank(inputs[0])"),
            ("C12", "is_sorted(input_batching_dims)"),
            Constraint(
                "C13",
                "0 <= input_batching_dims < rank(inputs[0])",
                spec="`0 <= input_batching_dims < rank(inputs[0]))`.",
                why="typo",
            ),
            ("C14", "is_unique(scatter_indices_batching_dims)"),
            ("C15", "0 <= scatter_indices_batching_dims < rank(scatter_indices)"),
            ("C16", "index_vector_dim not in scatter_indices_batching_dims"),
            ("C17", "size(input_batching_dims) == size(scatter_indices_batching_dims)"),
            (
                "C18",
                "dim(inputs[0], input_batching_dims...) =\n"
                "        dim(scatter_indices, scatter_indices_batching_dims...)",
            ),
            Constraint(
                "C19",
                "size(scatter_dims_to_operand_dims) = (index_vector_dim < rank(scatter_indices) ? "
                "dim(scatter_indices, index_vector_dim) : 1)",
                spec="`size(scatter_dims_to_operand_dims) =\n"
                "        index_vector_dim < rank(scatter_indices) ?\n"
                "        dim(scatter_indices, index_vector_dim) : 1`.",
                why="precedence",
            ),
            ("C20", "is_unique(concatenate(scatter_dims_to_operand_dims,\n        input_batching_dims))"),
            ("C21", "0 <= scatter_dims_to_operand_dims < rank(inputs[0])"),
            ("C22", "0 <= index_vector_dim <= rank(scatter_indices)"),
            *reducer("C23", UPDATE_TYPE, "update_computation", "inputs"),
            ("C24", "shape(inputs...) = shape(results...)"),
            Constraint(
                "C25",
                "element_type(results...) = E...",
                spec="`element_type(results[i]) = Ei` for all `i` in `[0,N)`.",
                why="prose",
            ),
            Constraint(
                "U1",
                "for i in range(N) : is_float(updates[i]) and is_float(E[i]) "
                "or is_promotable(element_type(updates[i]), E[i])",
                verdict="upstream",
            ),
        ),
        properties=(("scatter_dimension_numbers", "struct stablehlo.scatter"),),
        traits=frozenset({"unordered", "recursive_effects"}),
        sharding=ShardingRule(algorithm="scatter"),
        cost=CostRule(work="scatter", traffic="scatter"),
        revisions=(
            promotion("inputs", "results"),
            batching("input_batching_dims", "scatter_indices_batching_dims"),
        ),
        example='%result = "stablehlo.scatter"(%input, %scatter_indices, %update) '
        "<{scatter_dimension_numbers = "
        "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n  %0 = stablehlo.add %a, %b : tensor<i64>\n"
        "  stablehlo.return %0 : tensor<i64>\n"
        "}) : (tensor<3x4xi64>, tensor<2x1xi64>, tensor<2x4xi64>) -> tensor<3x4xi64>",
    ),
    OpDef(
        name="stablehlo.torch_index_select",
        doc="Selects slices of a tensor along one dimension, by indices.",
        inputs=(
            Operand("operand", PER_TENSOR_TENSOR),
            Operand("index", PER_TENSOR_TENSOR),
            Attr("dim", "i64"),
            Attr("batch_dims", "i64"),
        ),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        constraints=rules(
            at_run("R1", "is_integer(index)"),
            at_run("R2", "-rank(operand) <= dim < rank(operand)"),
            at_run("R3", "0 <= batch_dims <= min(rank(index), (dim < 0 ? dim + rank(operand) : dim))"),
            at_run("R4", "shape(operand)[:batch_dims] = shape(index)[:batch_dims]"),
            at_run("R5", "size(index) = 0 or 0 < dim(operand, dim)"),
        ),
        traits=PURE | {"exact", "shape_at_run"},
        deprecated="stablehlo.gather",
        example='%result = "stablehlo.torch_index_select"(%operand, %index) '
        "<{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>",
    ),
)
