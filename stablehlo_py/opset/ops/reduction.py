"""Reductions, map and batch normalization."""

from __future__ import annotations

from textwrap import fill

from stablehlo_py.opset.classes import FLOAT, PER_TENSOR, PER_TENSOR_QUANTIZED_TENSOR, TENSOR, tensor_of
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

REDUCED = TENSOR | PER_TENSOR_QUANTIZED_TENSOR
NORMALISED = tensor_of(FLOAT, PER_TENSOR)
PER_FEATURE = tensor_of(FLOAT, PER_TENSOR, rank=1)
EPSILON = Attr("epsilon", "f32", type="constant of type `f32`")
FEATURE_INDEX = Attr("feature_index", "i64 >= 0", type="constant of type `si64`")
DIMENSIONS = Attr("dimensions", "array<i64>", type="1-dimensional tensor constant of type `si64`")
BODY_TYPE = (
    "`body` has type `(tensor<E0>, ..., tensor<EN-1>, tensor<E0>, ...,`\n"
    "  `tensor<EN-1>) -> (tensor<E0>, ..., tensor<EN-1>)` where\n"
    "  `is_promotable(element_type(inputs[i]), Ei)`."
)


def _same_element_type(*names: str) -> Constraint:
    """Return C2 of the batch_norm ops: these values have the same baseline_element_type."""
    listed = ", ".join(f"`{name}`" for name in names[:-1]) + f" and `{names[-1]}`"
    return Constraint(
        "C2",
        " = ".join(f"baseline_element_type({name})" for name in names),
        spec=fill(f"{listed} have the same `baseline_element_type`.", 73, subsequent_indent="       "),
        why="prose",
    )


def _sizes_agree(equation: str) -> Constraint:
    """Return the constraint that sizes along the feature dimension agree, also if one is unknown."""
    return upstream("U1", f"if not is_known(dim(operand, feature_index)) then {equation}")


define(
    OpDef(
        name="stablehlo.reduce",
        doc="Combines the elements along dimensions with a function, starting from initial values.",
        section="reduce",
        inputs=(
            Operand("inputs", REDUCED, variadic=True),
            Operand("init_values", REDUCED, variadic=True),
            DIMENSIONS,
            Body("body"),
        ),
        outputs=(Result("results", REDUCED, variadic=True),),
        where=(("N", "size(inputs)"), accumulators("body")),
        constraints=rules(
            ("C1", "same(shape(inputs...))"),
            Constraint(
                "C2",
                "element_type(inputs...) = element_type(init_values...)",
                why=LOOSER,
                verdict="spec-only",
            ),
            ("C3", "0 < size(inputs) = size(init_values) = size(results) = N"),
            ("C4", "0 <= dimensions < rank(inputs[0])"),
            ("C5", "is_unique(dimensions)"),
            *reducer("C6", BODY_TYPE, "body", "inputs", within="drop(shape(inputs[0]), dimensions)"),
            Constraint(
                "C7",
                "shape(results...) = drop(shape(inputs...), dimensions)",
                spec="`shape(results...) = shape(inputs...)` except that the dimension\n"
                "  sizes of `inputs...` corresponding to `dimensions` are not included.",
                why="prose",
            ),
            upstream(
                "U3",
                "shape(results...) <= drop(bounds(inputs...), dimensions) and "
                "drop(shape(inputs...), dimensions) <= bounds(results...)",
            ),
            Constraint(
                "C8",
                "element_type(results...) = E...",
                spec="`element_type(results[i]) = Ei` for all `i` in `[0,N)`.",
                why="prose",
            ),
            initial("U1", "body", "init_values"),
            at_run("R1", "rank(init_values...) = 0"),
        ),
        form="custom<reduce>($inputs, $init_values, $dimensions, $body)",
        traits=frozenset({"late_location", "recursive_effects", "accumulation"}),
        sharding=rule(
            factors(
                "axes(inputs[0])",
                '(i in dimensions ? "reduction" : "pass_through")',
                "dim(inputs[0], i)",
                inputs="i",
                results="i in dimensions ? -1 : i - size([d for d in dimensions if d < i])",
            ),
        ),
        cost=CostRule(work="reduction"),
        sign="reduction",
        revisions=(promotion("inputs", "results"),),
        example="%result = stablehlo.reduce(%input init: %init_value) applies stablehlo.add "
        "across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
    ),
    OpDef(
        name="stablehlo.map",
        doc="Applies a function to the elements of its inputs at each index.",
        section="map",
        inputs=(Operand("inputs", REDUCED, variadic=True), DIMENSIONS, Body("computation")),
        outputs=(Result("result", REDUCED),),
        where=(("N", "size(inputs)"),),
        constraints=rules(
            Constraint(
                "C1",
                "shape(inputs...) = shape(result) and same(shape(inputs...))",
                spec="`shape(inputs...) = shape(result)`.",
                why="Different input shapes are detected even if the result's shape is unknown.",
            ),
            ("C2", "0 < size(inputs) = N"),
            ("C3", "dimensions = range(rank(inputs[0]))"),
            Constraint(
                "C4",
                "has_type(computation, [tensor(element_type(inputs...))], [tensor(element_type(result))])",
                spec="`computation` has type `(tensor<E0>, ..., tensor<EN-1>) -> tensor<E'>`\n"
                "  where `Ei = element_type(inputs[i])` and `E' = element_type(result)`.",
                why="prose",
            ),
        ),
        traits=frozenset({"recursive_effects"}),
        cost=CostRule(work="map"),
        deprecated="the ops of the computation, applied to whole tensors",
        example='%result = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0>}> ({\n'
        "^bb0(%x: tensor<i64>, %y: tensor<i64>):\n  %0 = stablehlo.multiply %x, %y : tensor<i64>\n"
        "  stablehlo.return %0 : tensor<i64>\n}) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>",
    ),
    OpDef(
        name="stablehlo.batch_norm_grad",
        doc="Computes the gradients of batch_norm_training with respect to its inputs.",
        section="batch_norm_grad",
        inputs=(
            Operand("operand", NORMALISED),
            Operand("scale", PER_FEATURE),
            Operand("mean", PER_FEATURE),
            Operand("variance", PER_FEATURE),
            Operand("grad_output", NORMALISED),
            EPSILON,
            FEATURE_INDEX,
        ),
        outputs=(
            Result("grad_operand", NORMALISED),
            Result("grad_scale", PER_FEATURE),
            Result("grad_offset", PER_FEATURE),
        ),
        constraints=rules(
            ("C1", "0 <= feature_index < rank(operand)"),
            _same_element_type(
                "operand",
                "scale",
                "mean",
                "variance",
                "grad_output",
                "grad_operand",
                "grad_scale",
                "grad_offset",
            ),
            Constraint(
                "C3",
                "shape(operand) = shape(grad_output) = shape(grad_operand)",
                spec="`operand`, `grad_output` and `grad_operand` have the same shape.",
                why="prose",
            ),
            Constraint(
                "C4",
                "shape(scale) = shape(mean) = shape(variance) = shape(grad_scale) = shape(grad_offset)",
                spec="`scale`, `mean`, `variance`, `grad_scale` and `grad_offset` have the\n       same "
                "shape.",
                why="prose",
            ),
            ("C5", "size(scale) = dim(operand, feature_index)"),
        ),
        traits=frozenset({"pure", "expressed"}),
        cost=CostRule(work="normalization", flops=12),
        example='%0:3 = "stablehlo.batch_norm_grad"(%operand, %scale, %mean, %variance, %grad_output) '
        "<{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, "
        "tensor<2xf64>, "
        "tensor<2xf64>, tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)",
    ),
    OpDef(
        name="stablehlo.batch_norm_inference",
        doc="Normalizes a tensor across all dimensions but one, with a given mean and variance.",
        section="batch_norm_inference",
        inputs=(
            Operand("operand", NORMALISED),
            Operand("scale", PER_FEATURE),
            Operand("offset", PER_FEATURE),
            Operand("mean", PER_FEATURE),
            Operand("variance", PER_FEATURE),
            EPSILON,
            FEATURE_INDEX,
        ),
        outputs=(Result("result", NORMALISED),),
        constraints=rules(
            ("C1", "0 <= feature_index < rank(operand)"),
            _same_element_type("operand", "scale", "offset", "mean", "variance", "result"),
            ("C3", "size(scale) = dim(operand, feature_index)"),
            ("C4", "size(offset) = dim(operand, feature_index)"),
            ("C5", "size(mean) = dim(operand, feature_index)"),
            ("C6", "size(variance) = dim(operand, feature_index)"),
            ("C7", "baseline_type(operand) = baseline_type(result)"),
            _sizes_agree("size(scale) = size(offset) = size(mean) = size(variance)"),
        ),
        traits=frozenset({"pure", "expressed"}),
        sharding=rule(
            factors(
                "axes(operand)",
                operand="i",
                result="i",
                **dict.fromkeys(("scale", "offset", "mean", "variance"), "i = feature_index ? 0 : -1"),
            ),
        ),
        cost=CostRule(work="normalization", flops=4),
        example='%result = "stablehlo.batch_norm_inference"(%operand, %scale, %offset, %mean, %variance) '
        "<{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, "
        "tensor<2xf64>, "
        "tensor<2xf64>, tensor<2xf64>) -> tensor<2x2x2xf64>",
    ),
    OpDef(
        name="stablehlo.batch_norm_training",
        doc="Computes mean and variance across all dimensions but one, and normalizes the tensor with them.",
        section="batch_norm_training",
        inputs=(
            Operand("operand", NORMALISED),
            Operand("scale", PER_FEATURE),
            Operand("offset", PER_FEATURE),
            EPSILON,
            FEATURE_INDEX,
        ),
        outputs=(
            Result("output", NORMALISED),
            Result("batch_mean", PER_FEATURE),
            Result("batch_var", PER_FEATURE),
        ),
        constraints=rules(
            ("C1", "0 <= feature_index < rank(operand)"),
            _same_element_type("operand", "scale", "offset", "batch_mean", "batch_var", "output"),
            ("C3", "size(scale) = dim(operand, feature_index)"),
            ("C4", "size(offset) = dim(operand, feature_index)"),
            ("C5", "size(batch_mean) = dim(operand, feature_index)"),
            ("C6", "size(batch_var) = dim(operand, feature_index)"),
            ("C7", "baseline_type(output) = baseline_type(operand)"),
            _sizes_agree("size(scale) = size(offset)"),
        ),
        traits=frozenset({"pure", "expressed"}),
        cost=CostRule(work="normalization", flops=8),
        example='%0:3 = "stablehlo.batch_norm_training"(%operand, %scale, %offset) '
        "<{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, "
        "tensor<2xf64>) "
        "-> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)",
    ),
)
