"""The forms of ops on one line, and the rules of their directives."""

from __future__ import annotations

import pytest

from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.syntax.forms.synopsis import directive_rules, generic_synopsis, synopsis


def definition(name: str) -> OpDef:
    found = lookup(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "pretty", "generic"),
    [
        (
            "stablehlo.add",
            "%result = stablehlo.add %lhs, %rhs [{..}] : type",
            '%result = "stablehlo.add"(%lhs, %rhs) : (types) -> types',
        ),
        (
            "stablehlo.slice",
            "%result = stablehlo.slice %operand <slice_ranges> [{..}] "
            ": (types of operands) -> types of results",
            '%result = "stablehlo.slice"(%operand) '
            "<{limit_indices = .., start_indices = .., strides = ..}> : (types) -> types",
        ),
        (
            "stablehlo.if",
            "",
            '%results... = "stablehlo.if"(%pred) ({true_branch}, {false_branch}) : (types) -> types',
        ),
        (
            "stablehlo.case",
            "",
            '%results... = "stablehlo.case"(%index) ({branches}...) : (types) -> types',
        ),
        (
            "func.call",
            "%results... = func.call @callee (%operands...) [{..}] : (types of operands) -> types of results",
            '%results... = "func.call"(%operands...) '
            "<{[arg_attrs = ..], callee = .., [no_inline = ..], [res_attrs = ..]}> : (types) -> types",
        ),
        (
            "stablehlo.compare",
            "%result = stablehlo.compare <comparison_direction>, %lhs, %rhs [, <compare_type>] [{..}] "
            ": (types of operands) -> types of results",
            '%result = "stablehlo.compare"(%lhs, %rhs) '
            "<{[compare_type = ..], comparison_direction = ..}> : (types) -> types",
        ),
        (
            "stablehlo.iota",
            "%output = stablehlo.iota dim = <iota_dimension> [{..}] : type(output)",
            '%output = "stablehlo.iota"() <{iota_dimension = ..}> : (types) -> types',
        ),
        (
            "stablehlo.reduce",
            "%results... = stablehlo.reduce <reduce>",
            '%results... = "stablehlo.reduce"(%inputs..., %init_values...) '
            "<{dimensions = ..}> ({body}) : (types) -> types",
        ),
        (
            "stablehlo.dot_general",
            "%result = stablehlo.dot_general %lhs, %rhs, <dot_dimension_numbers>"
            "<precision_config_and_algorithm> [{..}] : (types of operands) -> types of results",
            '%result = "stablehlo.dot_general"(%lhs, %rhs) '
            "<{[algorithm = ..], dot_dimension_numbers = .., [precision_config = ..]}> : (types) -> types",
        ),
        (
            "cf.cond_br",
            "cf.cond_br %condition [weights (<branch_weights>)], "
            "<trueDest> [(%trueDestOperands... : type(trueDestOperands))], "
            "<falseDest> [(%falseDestOperands... : type(falseDestOperands))] [{..}]",
            '"cf.cond_br"(%condition, %trueDestOperands..., %falseDestOperands...) '
            "<{[branch_weights = ..], [operandSegmentSizes = ..]}> : (types) -> types",
        ),
    ],
)
def test_forms(name: str, pretty: str, generic: str) -> None:
    assert synopsis(definition(name)) == pretty
    assert generic_synopsis(definition(name)) == generic


@pytest.mark.parametrize(
    "line",
    [  # forms that state one type, from which those of operands and results follow
        "%result = stablehlo.abs %operand [{..}] : type",
        "%result = stablehlo.after_all %inputs... [{..}] : type",
        "%result = stablehlo.complex %lhs, %rhs [{..}] : type",
        "%result = stablehlo.select %pred, %on_true, %on_false [{..}] : type",
        "%result = stablehlo.tuple %val... [{..}] : type",
    ],
)
def test_forms_that_state_one_type(line: str) -> None:
    assert synopsis(definition(line.split()[2])) == line


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("stablehlo.add", []),
        ("stablehlo.case", []),
        (
            "stablehlo.slice",
            [
                "slice_ranges: [ slice_range (, slice_range)* ] | integer_list",
                "slice_range: INTEGER_LITERAL : INTEGER_LITERAL [: INTEGER_LITERAL]",
            ],
        ),
        (
            "tensor.extract",
            [
                "indices: [ value_list ] | integer_list",
                "tensor_and_elements: type",
                "value_list: VALUE_ID (, VALUE_ID)*",
            ],
        ),
    ],
)
def test_rules_of_directives(name: str, rules: list[str]) -> None:
    assert directive_rules(definition(name)) == rules
