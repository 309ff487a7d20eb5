"""Random numbers."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    STATIC_DIMENSIONS,
    static,
    tensor_of,
)
from stablehlo_py.opset.definition import Attr, Constraint, OpDef, Operand, Result, at_run, define, rules
from stablehlo_py.opset.sharding_rule import factors, rule
from stablehlo_py.opset.traits import CostRule

NUMBERS = tensor_of(INTEGER, FLOAT)
PARAMETER = tensor_of(INTEGER, BOOLEAN, FLOAT, rank=0)

define(
    OpDef(
        name="stablehlo.rng",
        doc="Generates random numbers with a uniform or normal distribution.",
        section="rng",
        inputs=(
            Operand("a", PARAMETER),
            Operand("b", PARAMETER),
            Operand("shape", STATIC_DIMENSIONS),
            Attr(
                "rng_distribution", "enum stablehlo.rng_distribution", type="enum of `UNIFORM` and `NORMAL`"
            ),
        ),
        outputs=(Result("result", tensor_of(INTEGER, BOOLEAN, FLOAT)),),
        constraints=rules(
            ("C1", "element_type(a) = element_type(b) = element_type(result)"),
            Constraint(
                "C2",
                "if rng_distribution = NORMAL then is_float(a)",
                spec="If `rng_distribution = NORMAL`, then `is_float(a)`.",
                why="prose",
            ),
            Constraint(
                "C3",
                "shape(result) = constant_value(shape)",
                spec="`shape(result) = shape`.",
                why="sort",
            ),
            at_run(
                "R1",
                "if rng_distribution = UNIFORM and is_integer(a) then "
                "flatten(constant_value(a)) < flatten(constant_value(b))",
            ),
            at_run("R2", "0 <= values(constant_value(shape))"),
            Constraint(
                "U1",
                "rank(result) = size(shape)",
                why="The rank is known even if the shape is not a constant.",
                verdict="upstream",
            ),
        ),
        form="$a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict `:` "
        "functional-type(operands, results)",
        traits=frozenset({"random"}),
        cost=CostRule(work="random"),
        example="%result = stablehlo.rng %a, %b, %shape, distribution = NORMAL : "
        "(tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x3xf32>",
    ),
    OpDef(
        name="stablehlo.rng_bit_generator",
        doc="Generates uniform random bits, and returns them with the generator's next state.",
        section="rng_bit_generator",
        inputs=(
            Attr(
                "rng_algorithm",
                "enum stablehlo.rng_algorithm",
                type="enum of `DEFAULT`, `THREE_FRY`, and `PHILOX`",
            ),
            Operand("initial_state", NUMBERS),
        ),
        outputs=(Result("output_state", NUMBERS), Result("output", static(NUMBERS))),
        constraints=rules(
            Constraint(
                "C1",
                "shape(initial_state) = shape(output_state)",
                spec="`type(initial_state) = type(output_state)`.",
                why="Upstream compares the shapes.",
            ),
            Constraint(
                "C1",
                "element_type(initial_state) = element_type(output_state)",
                spec="`type(initial_state) = type(output_state)`.",
                why="Upstream compares the shapes.",
                verdict="spec-only",
            ),
            at_run("R1", "rank(initial_state) = 1 and num_bits(initial_state) = 64"),
            at_run("R2", "if rng_algorithm = DEFAULT then 1 < size(initial_state)"),
            Constraint(
                "I2",
                "rank(initial_state) = 1 and element_type(initial_state) = ui64",
                spec="1-dimensional tensor of type `ui64`",
                why="Upstream takes a state of any type.",
                verdict="spec-only",
            ),
            Constraint(
                "C2",
                "if rng_algorithm != DEFAULT then "
                "size(initial_state) in (rng_algorithm = THREE_FRY ? [2] : [2, 3])",
                spec="`size(initial_state)` is defined as:\n"
                "  * implementation-defined if `rng_algorithm = DEFAULT`.\n"
                "  * `2` if `rng_algorithm = THREE_FRY`.\n"
                "  * `2` or `3` if `rng_algorithm = PHILOX`.",
                why="Upstream accepts a state of any size.",
                verdict="spec-only",
            ),
        ),
        form="$initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:` "
        "functional-type(operands, results)",
        traits=frozenset({"pure"}),
        sharding=rule(
            factors(
                "axes(initial_state)", "need_replication", blocked="true", initial_state="i", output_state="i"
            ),
            factors("axes(output)", output="i"),
        ),
        cost=CostRule(work="random"),
        example="%output_state, %output = stablehlo.rng_bit_generator %initial_state, "
        "algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)",
    ),
)
