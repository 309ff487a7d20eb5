"""Reductions, map, and the normalisations that are made of them."""

from __future__ import annotations

from stablehlo_py.opset.classes import FLOAT, PER_TENSOR, PER_TENSOR_QUANTIZED_TENSOR, TENSOR, tensor_of
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, define

REDUCED = TENSOR | PER_TENSOR_QUANTIZED_TENSOR
NORMALISED = tensor_of(FLOAT, PER_TENSOR)
PER_FEATURE = tensor_of(FLOAT, PER_TENSOR, rank=1)
EPSILON = Attr("epsilon", "f32", type="constant of type `f32`")
FEATURE_INDEX = Attr("feature_index", "i64 >= 0", type="constant of type `si64`")
DIMENSIONS = Attr("dimensions", "array<i64>", type="1-dimensional tensor constant of type `si64`")

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
        form="custom<reduce>($inputs, $init_values, $dimensions, $body)",
        example="%result = stablehlo.reduce(%input init: %init_value) applies stablehlo.add "
        "across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
    ),
    OpDef(
        name="stablehlo.map",
        doc="Applies a function to the elements of its inputs, position by position.",
        section="map",
        inputs=(Operand("inputs", REDUCED, variadic=True), DIMENSIONS, Body("computation")),
        outputs=(Result("result", REDUCED),),
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
        traits=frozenset({"pure"}),
        example='%0:3 = "stablehlo.batch_norm_grad"(%operand, %scale, %mean, %variance, %grad_output) '
        "<{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, "
        "tensor<2xf64>, tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)",
    ),
    OpDef(
        name="stablehlo.batch_norm_inference",
        doc="Normalises a tensor across all dimensions but one, with a mean and a variance that are given.",
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
        traits=frozenset({"pure"}),
        example='%result = "stablehlo.batch_norm_inference"(%operand, %scale, %offset, %mean, %variance) '
        "<{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, "
        "tensor<2xf64>, tensor<2xf64>) -> tensor<2x2x2xf64>",
    ),
    OpDef(
        name="stablehlo.batch_norm_training",
        doc="Computes a mean and a variance across all dimensions but one, and normalises the tensor with them.",
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
        traits=frozenset({"pure"}),
        example='%0:3 = "stablehlo.batch_norm_training"(%operand, %scale, %offset) '
        "<{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) "
        "-> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)",
    ),
)
