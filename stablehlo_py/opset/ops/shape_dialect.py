"""The `shape` dialect, as far as exported programs use it."""

from __future__ import annotations

from stablehlo_py.ir.types import OpaqueType
from stablehlo_py.opset.classes import (
    ANY,
    INDEX_ELEMENT,
    TypeClass,
    tensor_of,
)
from stablehlo_py.opset.definition import (
    Attr,
    Body,
    OpDef,
    Operand,
    Result,
    define,
    upstream,
)
from stablehlo_py.opset.shared.common import PURE, SHAPED

INDEX = INDEX_ELEMENT
EXTENTS = tensor_of(INDEX, rank=1) | TypeClass("shape", lambda t: str(t) == "!shape.shape")
SIZE = INDEX | TypeClass("size", lambda t: str(t) == "!shape.size")
WITNESS = TypeClass("witness", lambda t: str(t) == "!shape.witness", only=OpaqueType("!shape.witness"))

define(
    OpDef(
        name="shape.shape_of",
        doc="Returns the shape of a tensor.",
        inputs=(Operand("arg", SHAPED),),
        outputs=(Result("result", EXTENTS),),
        form="$arg attr-dict `:` type($arg) `->` type($result)",
        traits=PURE,
        example="%0 = shape.shape_of %arg : tensor<?x3xf32> -> tensor<2xindex>",
    ),
    OpDef(
        name="shape.num_elements",
        doc="Returns the number of elements of a shape.",
        inputs=(Operand("shape", EXTENTS),),
        outputs=(Result("result", SIZE),),
        form="$shape attr-dict `:` type($shape) `->` type($result)",
        traits=PURE,
        example="%0 = shape.num_elements %shape : tensor<2xindex> -> index",
    ),
    OpDef(
        name="shape.const_shape",
        doc="Returns a constant shape.",
        inputs=(Attr("shape", "elements"),),
        outputs=(Result("result", EXTENTS),),
        constraints=(upstream("U1", "if is_tensor(result) then identical(type(shape), result)"),),
        form="custom<const_shape>($shape) `:` type($result)",
        traits=PURE,
        example="%0 = shape.const_shape [2, 8] : tensor<2xindex>",
    ),
    OpDef(
        name="shape.broadcast",
        doc="Returns the broadcast shape of several shapes.",
        inputs=(Operand("shapes", EXTENTS, variadic=True), Attr("error", "string", optional=True)),
        outputs=(Result("result", EXTENTS),),
        form="$shapes attr-dict `:` type($shapes) `->` type($result)",
        traits=PURE,
        example="%0 = shape.broadcast %a, %b : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>",
    ),
    OpDef(
        name="shape.cstr_broadcastable",
        doc="Returns a witness that shapes can be broadcast together.",
        inputs=(Operand("shapes", EXTENTS, variadic=True),),
        outputs=(Result("result", WITNESS),),
        form="$shapes attr-dict `:` type($shapes)",
        example="%0 = shape.cstr_broadcastable %a, %b : tensor<2xindex>, tensor<2xindex>",
    ),
    OpDef(
        name="shape.assuming",
        doc="Executes its region under the assumption of a witness.",
        inputs=(Operand("witness", WITNESS), Body("doRegion", terminator="shape.assuming_yield")),
        outputs=(Result("results", ANY, variadic=True),),
        constraints=(upstream("U1", "type(results...) = output_types(doRegion)..."),),
        form="custom<assuming>($witness, $doRegion)",
        traits=frozenset({"runs_bodies", "recursive_effects"}),
        example="%0 = shape.assuming %witness -> (tensor<2xindex>) {\n"
        "  shape.assuming_yield %a : tensor<2xindex>\n}",
    ),
    OpDef(
        name="shape.assuming_yield",
        doc="Terminates the region of shape.assuming and returns its outputs.",
        inputs=(Operand("operands", ANY, variadic=True),),
        form="attr-dict ($operands^ `:` type($operands))?",
        traits=frozenset({"terminator", "pure"}),
        example="shape.assuming_yield %a : tensor<2xindex>",
    ),
)
