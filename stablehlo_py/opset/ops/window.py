"""Windowed ops: reduce_window and select_and_scatter."""

from __future__ import annotations

from stablehlo_py.opset.classes import PER_TENSOR_QUANTIZED_TENSOR, TENSOR
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
    upstream,
)
from stablehlo_py.opset.sharding_rule import factors, rule
from stablehlo_py.opset.shared.reducers import LOOSER, accumulators, initial, reducer
from stablehlo_py.opset.shared.revisions import promotion
from stablehlo_py.opset.traits import CostRule

WINDOWED = TENSOR | PER_TENSOR_QUANTIZED_TENSOR
SI64 = "1-dimensional tensor constant of type `si64`"
PAIRS = "2-dimensional tensor constant of type `si64`"
BODY_TYPE = (
    "`body` has type `(tensor<E0>, ..., tensor<EN-1>, tensor<E0>, ...,`\n"
    " `tensor<EN-1>) -> (tensor<E0>, ..., tensor<EN-1>)` where\n"
    " `is_promotable(element_type(inputs[i]), Ei)`."
)
RESULT_SHAPE = (
    "`shape(results[0]) = num_windows` where:\n"
    " * `dilated_input_shape = shape(inputs[0]) = 0 ? 0 : (shape(inputs[0]) - 1) * base_dilations + 1`.\n"
    " * `padded_input_shape = padding[:, 0] + dilated_input_shape + padding[:, 1]`.\n"
    " * `dilated_window_shape = (window_dimensions - 1) * window_dilations + 1`.\n"
    " * `is_empty_window = padded_input_shape = 0 || dilated_window_shape > padded_input_shape`.\n"
    " * `num_windows = is_empty_window ? 0 : "
    "floor((padded_input_shape - dilated_window_shape) / window_strides) + 1`."
)
WINDOWS = "num_windows({}, window_dimensions, window_strides, padding, base_dilations, window_dilations)"
SOURCE_SHAPE = (
    "`shape(source) = num_windows` where:\n"
    " * `padded_operand_shape = padding[:, 0] + shape(operand) + padding[:, 1]`.\n"
    " * `is_empty_window = padded_operand_shape = 0 || window_dimensions > padded_operand_shape`.\n"
    " * `num_windows = is_empty_window ? 0 : "
    "floor((padded_operand_shape - window_dimensions) / window_strides) + 1`."
)
SELECT_TYPE = "`select` has type `(tensor<E>, tensor<E>) -> tensor<i1>` where\n `E = element_type(operand)`."
SCATTER_TYPE = (
    "`scatter` has type `(tensor<E>, tensor<E>) -> tensor<E>` where\n"
    " `is_promotable(element_type(operand), E)`."
)


def _along_axes(name: str, tensor: str) -> Attr:
    """Return an input of strides or dilations of a tensor's windows: 1 by default."""
    ones = f"[1 for d in axes({tensor})]"
    return Attr(name, "array<i64>", type=SI64, optional=True, default=ones, empty_is_absent=True)


def _padding(tensor: str) -> Attr:
    """Return the padding of a tensor: 0 by default."""
    zeros = f"[[0, 0] for d in axes({tensor})]"
    return Attr("padding", "elements i64", type=PAIRS, optional=True, default=zeros, empty_is_absent=True)


def _whole(tensor: str) -> tuple[str, str]:
    """Return the dimensions where each window is one element, and each element one window."""
    unpadded = "padding[d, 0] = 0 and padding[d, 1] = 0"
    return "WHOLE", (
        f"[d for d in axes({tensor}) if window_dimensions[d] = 1 and window_strides[d] = 1 and {unpadded}]"
    )


define(
    OpDef(
        name="stablehlo.reduce_window",
        doc="Combines the elements of each window with a function, starting from initial values.",
        section="reduce_window",
        inputs=(
            Operand("inputs", WINDOWED, variadic=True),
            Operand("init_values", WINDOWED, variadic=True),
            Attr("window_dimensions", "array<i64>", type=SI64),
            _along_axes("window_strides", "inputs[0]"),
            _along_axes("base_dilations", "inputs[0]"),
            _along_axes("window_dilations", "inputs[0]"),
            _padding("inputs[0]"),
            Body("body"),
        ),
        outputs=(Result("results", WINDOWED, variadic=True),),
        where=(("N", "size(inputs)"), accumulators("body"), _whole("inputs[0]")),
        constraints=rules(
            ("C1", "0 < size(inputs) = size(init_values) = size(results) = N"),
            ("C2", "same(shape(inputs...))"),
            Constraint(
                "C3",
                "element_type(inputs...) = element_type(init_values...)",
                why=LOOSER,
                verdict="spec-only",
            ),
            ("C4", "size(window_dimensions) = rank(inputs[0])"),
            ("C5", "0 < window_dimensions"),
            ("C6", "size(window_strides) = rank(inputs[0])"),
            ("C7", "0 < window_strides"),
            ("C8", "size(base_dilations) = rank(inputs[0])"),
            ("C9", "0 < base_dilations"),
            ("C10", "size(window_dilations) = rank(inputs[0])"),
            ("C11", "0 < window_dilations"),
            ("C12", "shape(padding) = [rank(inputs[0]), 2]"),
            *reducer("C13", BODY_TYPE, "body", "inputs", within="window_dimensions"),
            ("C14", "same(shape(results...))"),
            Constraint(
                "C15",
                f"shape(results[0]) = {WINDOWS.format('shape(inputs[0])')}",
                spec=RESULT_SHAPE,
                why="prose",
            ),
            Constraint(
                "C16",
                "element_type(results...) = E...",
                spec="`element_type(results[i]) = Ei` for all `i` in `[0,N)`.",
                why="prose",
            ),
            initial("U1", "body", "init_values"),
            at_run("R1", "rank(init_values...) = 0"),
            upstream("U3", f"{WINDOWS.format('shape(inputs[0])')} <= bounds(results[0])"),
            upstream("U4", f"shape(results[0]) <= {WINDOWS.format('bounds(inputs[0])')}"),
        ),
        traits=frozenset({"recursive_effects", "accumulation"}),
        sharding=rule(
            factors(
                "axes(inputs[0])",
                '(i in WHOLE ? "pass_through" : "permutation")',
                "dim(results[0], i)",
                all="i",
            ),
        ),
        cost=CostRule(work="window_reduction"),
        revisions=(promotion("inputs", "results"),),
        example='%result = "stablehlo.reduce_window"(%input, %init_value) '
        "<{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>}> ({\n"
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n  %0 = stablehlo.add %a, %b : tensor<i64>\n"
        "  stablehlo.return %0 : tensor<i64>\n}) : (tensor<6x2xi64>, tensor<i64>) -> tensor<2x2xi64>",
    ),
    OpDef(
        name="stablehlo.select_and_scatter",
        doc="Selects a position in each window of operand and combines the elements of source there.",
        section="select_and_scatter",
        inputs=(
            Operand("operand", WINDOWED),
            Operand("source", WINDOWED),
            Operand("init_value", WINDOWED),
            Attr("window_dimensions", "array<i64>", type=SI64, optional=True, default="[]"),
            _along_axes("window_strides", "operand"),
            _padding("operand"),
            Body("select"),
            Body("scatter"),
        ),
        outputs=(Result("result", WINDOWED),),
        where=(accumulators("scatter"), ("ONES", "[1 for d in axes(operand)]"), _whole("operand")),
        constraints=rules(
            Constraint(
                "C1",
                "is_float(operand) and is_float(source) or element_type(operand) = element_type(source)",
                spec="`element_type(operand) = element_type(source)`.",
                why=LOOSER,
            ),
            Constraint("C1", "element_type(operand) = element_type(source)", why=LOOSER, verdict="spec-only"),
            Constraint(
                "C2",
                "shape(source) = num_windows(shape(operand), window_dimensions, window_strides, padding, "
                "ONES, ONES)",
                spec=SOURCE_SHAPE,
                why="prose",
            ),
            Constraint(
                "C3", "element_type(init_value) = element_type(operand)", why=LOOSER, verdict="spec-only"
            ),
            ("C4", "size(window_dimensions) = rank(operand)"),
            ("C5", "0 < window_dimensions"),
            ("C6", "size(window_strides) = rank(operand)"),
            ("C7", "0 < window_strides"),
            ("C8", "shape(padding) = [rank(operand), 2]"),
            Constraint(
                "C9",
                "shape(input_types(select)...) = [] and size(input_types(select)) = 2 "
                "and output_types(select) = [tensor(i1)] and (for t in input_types(select) : "
                "is_float(t) and is_float(operand) or element_type(t) = element_type(operand))",
                spec=SELECT_TYPE,
                why=LOOSER,
            ),
            Constraint(
                "C9",
                "has_type(select, [tensor(element_type(operand)), tensor(element_type(operand))], "
                "[tensor(i1)])",
                spec=SELECT_TYPE,
                why="prose",
                verdict="spec-only",
            ),
            *reducer("C10", SCATTER_TYPE, "scatter", "[source]", count="1"),
            ("C11", "shape(operand) = shape(result)"),
            Constraint(
                "C12",
                "element_type(result) = E[0]",
                spec="`element_type(result) = E`.",
                why="sort",
            ),
            initial("U1", "scatter", "[init_value]"),
        ),
        traits=frozenset({"unordered", "recursive_effects"}),
        sharding=rule(
            # A dimension with windows is two factors: one of the source, one of the operand and result.
            factors(
                "[j for j in range(2 * rank(operand)) if j % 2 = 1 or not floor(j / 2) in WHOLE]",
                '(i % 2 = 0 ? "need_replication" : floor(i / 2) in WHOLE ? "pass_through" : "permutation")',
                "i % 2 = 0 ? dim(source, floor(i / 2)) : dim(result, floor(i / 2))",
                source="i % 2 = 0 or floor(i / 2) in WHOLE ? floor(i / 2) : -1",
                operand="i % 2 = 1 ? floor(i / 2) : -1",
                result="i % 2 = 1 ? floor(i / 2) : -1",
            ),
        ),
        cost=CostRule(work="select_and_scatter"),
        revisions=(promotion("[operand]", "[result]"),),
        example='%result = "stablehlo.select_and_scatter"(%operand, %source, %init_value) '
        "<{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({\n"
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n"
        "  %0 = stablehlo.compare GE, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
        "  stablehlo.return %0 : tensor<i1>\n}, {\n"
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n  %0 = stablehlo.add %a, %b : tensor<i64>\n"
        "  stablehlo.return %0 : tensor<i64>\n"
        "}) : (tensor<5x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<5x2xi64>",
    ),
)
