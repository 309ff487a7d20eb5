"""The builtin dialect: modules and unresolved casts."""

from __future__ import annotations

from stablehlo_py.opset.classes import ANY
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, define, upstream
from stablehlo_py.opset.traits import NO_TRAFFIC

define(
    OpDef(
        name="builtin.module",
        doc="Contains the functions and other symbols of a program.",
        section="programs",
        inputs=(
            Attr("sym_name", "string", optional=True),
            Attr("sym_visibility", "string", optional=True),
            Body("bodyRegion"),
        ),
        constraints=(upstream("U1", "is_empty(input_types(bodyRegion))"),),
        form="custom<module>($sym_name, $bodyRegion)",
        traits=frozenset({"isolated", "symbol", "symbol_table", "no_terminator"}),
        example="module @model {\n}",
    ),
    OpDef(
        name="builtin.unrealized_conversion_cast",
        doc="Represents a conversion between types that a later pass must resolve.",
        inputs=(Operand("inputs", ANY, variadic=True),),
        outputs=(Result("outputs", ANY, variadic=True),),
        form="($inputs^ `:` type($inputs))? `to` type($outputs) attr-dict",
        traits=frozenset({"pure"}),
        cost=NO_TRAFFIC,
        example="%0 = builtin.unrealized_conversion_cast %a : tensor<2xf32> to tensor<?xf32>",
    ),
)
