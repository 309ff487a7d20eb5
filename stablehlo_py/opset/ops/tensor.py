"""The `tensor` dialect, as far as exported programs use it."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    ANY,
    INDEX_ELEMENT,
)
from stablehlo_py.opset.definition import (
    OpDef,
    Operand,
    Result,
    define,
    upstream,
)
from stablehlo_py.opset.shared.common import PURE, SHAPED, conversion

INDEX = INDEX_ELEMENT

define(
    conversion(
        "tensor.cast",
        SHAPED,
        SHAPED,
        "Casts a tensor to a type with more or fewer static dimensions.",
        "cast",
        types="tensor<?xf32> to tensor<2xf32>",
    ),
    OpDef(
        name="tensor.dim",
        doc="Returns the size of one dimension of a tensor.",
        inputs=(Operand("source", SHAPED), Operand("index", INDEX)),
        outputs=(Result("result", INDEX),),
        form="attr-dict $source `,` $index `:` type($source)",
        traits=PURE,
        result_name="dim",
        example="%0 = tensor.dim %source, %c0 : tensor<?xf32>",
    ),
    OpDef(
        name="tensor.from_elements",
        doc="Creates a tensor from its elements, in row-major order.",
        inputs=(Operand("elements", ANY, variadic=True),),
        outputs=(Result("result", SHAPED),),
        constraints=(
            upstream("U1", "identical(elements..., element_type(result))"),
            upstream("U2", "is_static(result) and size(elements) = size(result)"),
        ),
        form="$elements attr-dict `:` custom<tensor_and_elements>(type($result), type($elements))",
        traits=PURE,
        result_name="from_elements",
        example="%0 = tensor.from_elements %a, %b : tensor<2xindex>",
    ),
    OpDef(
        name="tensor.extract",
        doc="Extracts one element of a tensor.",
        inputs=(Operand("tensor", SHAPED), Operand("indices", INDEX, variadic=True)),
        outputs=(Result("result", ANY),),
        constraints=(
            upstream("U1", "size(indices) = rank(tensor)"),
            upstream("U2", "identical(result, element_type(tensor))"),
        ),
        form="$tensor custom<indices>($indices) attr-dict `:` "
        "custom<tensor_and_elements>(type($tensor), type($result))",
        traits=PURE,
        result_name="extracted",
        example="%0 = tensor.extract %tensor[%i] : tensor<2xindex>",
    ),
)
