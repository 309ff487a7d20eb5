"""The `scf` dialect: loops and branches on scalars. Its ops have no kernels."""

from __future__ import annotations

from stablehlo_py.opset.classes import ANY, BIT, INDEX_ELEMENT, SIGNLESS
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, define, upstream
from stablehlo_py.opset.traits import NO_TRAFFIC, Trait

COUNT = SIGNLESS | INDEX_ELEMENT
YIELD = "scf.yield"
REGION_TRAITS: frozenset[Trait] = frozenset({"runs_bodies", "recursive_effects"})

define(
    OpDef(
        name="scf.for",
        doc="Executes its region for each index in a range, on its previous outputs.",
        inputs=(
            Operand("lowerBound", COUNT),
            Operand("upperBound", COUNT),
            Operand("step", COUNT),
            Operand("initArgs", ANY, variadic=True),
            Attr("unsignedCmp", "unit", optional=True),
            Body("region", terminator=YIELD),
        ),
        outputs=(Result("results", ANY, variadic=True),),
        constraints=(
            upstream("U1", "identical(lowerBound, upperBound) and identical(lowerBound, step)"),
            upstream("U2", "identical(input_types(region)..., [type(lowerBound), type(initArgs...)]...)"),
            upstream("U3", "identical(output_types(region)..., type(initArgs...))"),
            upstream("U4", "identical(type(results...), type(initArgs...))"),
        ),
        form="custom<counted_loop>($lowerBound, $upperBound, $step, $initArgs, $unsignedCmp, $region)",
        traits=REGION_TRAITS,
        example="%0 = scf.for %i = %lower to %upper step %step iter_args(%sum = %a) -> (f32) {\n"
        "  %1 = arith.addf %sum, %b : f32\n  scf.yield %1 : f32\n}",
    ),
    OpDef(
        name="scf.if",
        doc="Executes one of two regions, depending on a condition.",
        inputs=(
            Operand("condition", BIT),
            Body("thenRegion", terminator=YIELD),
            Body("elseRegion", terminator=YIELD, may_be_empty=True),
        ),
        outputs=(Result("results", ANY, variadic=True),),
        constraints=(
            upstream("U1", "is_empty(input_types(thenRegion))"),
            upstream("U2", "identical(output_types(thenRegion)..., type(results...))"),
            upstream(
                "U3",
                "if is_empty(operations(elseRegion)) then is_empty(results) else "
                "is_empty(input_types(elseRegion)) and "
                "identical(output_types(elseRegion)..., type(results...))",
            ),
        ),
        form="custom<conditional>($condition, $thenRegion, $elseRegion)",
        traits=REGION_TRAITS | {"branches"},
        example="%0 = scf.if %condition -> (f32) {\n  scf.yield %a : f32\n} else {\n  scf.yield %b : f32\n}",
    ),
    OpDef(
        name="scf.while",
        doc="Executes two regions in turn, until the first one yields a false condition.",
        inputs=(
            Operand("inits", ANY, variadic=True),
            Body("before", ends_with="scf.condition"),
            Body("after", ends_with=YIELD),
        ),
        outputs=(Result("results", ANY, variadic=True),),
        constraints=(
            upstream("U1", "identical(input_types(before)..., type(inits...))"),
            upstream("U2", "identical(output_types(before)..., [i1, input_types(after)...]...)"),
            upstream("U3", "identical(type(results...), input_types(after)...)"),
            upstream("U4", "identical(output_types(after)..., type(inits...))"),
        ),
        form="custom<conditional_loop>($inits, $before, $after)",
        traits=REGION_TRAITS,
        example="%0 = scf.while (%x = %a) : (f32) -> f32 {\n  %more = arith.cmpf olt, %x, %b : f32\n"
        "  scf.condition(%more) %x : f32\n} do {\n^bb0(%y: f32):\n  scf.yield %y : f32\n}",
    ),
    OpDef(
        name="scf.condition",
        doc="Terminates the first region of scf.while: whether to continue, and the outputs.",
        inputs=(Operand("condition", BIT), Operand("args", ANY, variadic=True)),
        parents=("scf.while",),
        form="`(` $condition `)` attr-dict ($args^ `:` type($args))?",
        traits=frozenset({"terminator", "pure"}),
        cost=NO_TRAFFIC,
        example="scf.condition(%more) %x : f32",
    ),
    OpDef(
        name=YIELD,
        doc="Terminates a region of an op of this dialect and returns its outputs.",
        inputs=(Operand("results", ANY, variadic=True),),
        parents=("scf.execute_region", "scf.for", "scf.if", "scf.index_switch", "scf.while"),
        form="attr-dict ($results^ `:` type($results))?",
        traits=frozenset({"terminator", "pure"}),
        cost=NO_TRAFFIC,
        example="scf.yield %a : f32",
    ),
)
