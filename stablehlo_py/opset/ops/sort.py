"""Sorting."""

from __future__ import annotations

from stablehlo_py.opset.classes import PER_TENSOR_QUANTIZED_TENSOR, TENSOR
from stablehlo_py.opset.definition import Attr, Body, Constraint, OpDef, Operand, Result, define, rules
from stablehlo_py.opset.sharding_rule import factors, rule
from stablehlo_py.opset.traits import CostRule

SORTED = TENSOR | PER_TENSOR_QUANTIZED_TENSOR

define(
    OpDef(
        name="stablehlo.sort",
        doc="Sorts slices of its inputs along a dimension, together, in the order that comparator defines.",
        section="sort",
        inputs=(
            Operand("inputs", SORTED, variadic=True),
            Attr("dimension", "i64", type="constant of type `si64`", optional=True, default="-1"),
            Attr("is_stable", "bool", type="constant of type `i1`", optional=True, default="false"),
            Body("comparator"),
        ),
        outputs=(Result("results", SORTED, variadic=True),),
        where=(("N", "size(inputs)"), ("R", "rank(inputs[0])")),
        constraints=rules(
            ("C1", "0 < size(inputs)"),
            ("C2", "type(inputs...) = type(results...)"),
            Constraint(
                "C3",
                "same([shape(inputs...), shape(results...)])",
                spec="`same(shape(inputs...) + shape(results...))`.",
                why="sort",
            ),
            Constraint(
                "C4",
                "-R <= dimension < R",
                spec="`-R <= dimension < R`, where `R = rank(inputs[0])`.",
                why="prose",
            ),
            Constraint(
                "C5",
                "has_type(comparator, [tensor(element_type(inputs[floor(i / 2)])) for i in range(2 * "
                "N)], [tensor(i1)])",
                spec="`comparator` has type\n"
                "  `(tensor<E1>, tensor<E1>, ..., tensor<EN-1>, tensor<EN-1>) -> tensor<i1>`,\n"
                "  where `Ei = element_type(inputs[i])`.",
                why="typo",
            ),
        ),
        traits=frozenset({"recursive_effects", "exact"}),
        sharding=rule(
            factors(
                "axes(inputs[0])",
                '(i = dimension ? "need_replication" : "pass_through")',
                "dim(inputs[0], i)",
                "i = dimension and (for d in axes(inputs[0]) : d = dimension or dim(inputs[0], d) = 1)",
                all="i",
            ),
        ),
        cost=CostRule(work="sort"),
        example='%result = "stablehlo.sort"(%input) <{dimension = 0 : i64, is_stable = true}> ({\n'
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n"
        "  %0 = stablehlo.compare LT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
        "  stablehlo.return %0 : tensor<i1>\n}) : (tensor<3xi64>) -> tensor<3xi64>",
    ),
)
