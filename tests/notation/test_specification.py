"""The specification's own formulas are in the language, with a list of exceptions and their reasons."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import stablehlo_py.opset  # noqa: F401 - the definitions
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.scope import scope_of
from stablehlo_py.notation.sorts import ARRAY, INT, TYPE, Sort, list_of
from stablehlo_py.notation.terms import NotationError, parse
from stablehlo_py.opset.definition import all_definitions, lookup

# Names that formulas take from prose or from each other.
SHARED_NAMES: dict[str, Sort] = {
    "N": INT,
    "R": INT,
    "E": TYPE,
    "process_groups": ARRAY,
    "lhs_result_dimensions": list_of(INT),
    "rhs_result_dimensions": list_of(INT),
}
CONSTANT = "an operand, whose elements are known if it is a constant: `constant_value`"
PRECEDENCE = "precedence: the whole comparison is the condition"
NOT_OURS = {
    "collective_broadcast C6": CONSTANT,
    "composite C3": "typo: `types` for `type`",
    "composite C4": "typo: `types` for `type`",
    "dynamic_gather C3": PRECEDENCE,
    "dynamic_gather C8": CONSTANT,
    "dynamic_gather C12": CONSTANT,
    "dynamic_pad C3": CONSTANT,
    "dynamic_pad C4": CONSTANT,
    "gather C3": PRECEDENCE,
    "rng C3": CONSTANT,
    "scatter C13": "typo: a parenthesis too many",
    "scatter C19": PRECEDENCE,
    "uniform_quantize C2": PRECEDENCE,
}


def bare_formulas(testdata: Path) -> dict[str, tuple[str, str]]:
    """Constraints that are one formula and nothing else: label to op and formula."""
    with (testdata / "spec_tables" / "constraints.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "op"]
    found = {}
    for row in rows:
        match = re.fullmatch(r"`([^`]*)`\.?", row["formula"].strip())
        if match:
            found[f"{row['element']} {row['label']}"] = (row["element"], match[1])
    return found


def refusal(element: str, formula: str) -> str:
    """Why the formula is not in the language, with the op's own names bound; "" if it is."""
    definition = lookup(f"stablehlo.{element}")
    assert definition is not None, element
    try:
        Compiler(SHARED_NAMES | scope_of(definition).names).condition(parse(formula))
    except NotationError as error:
        return str(error)
    return ""


def test_bare_formulas(testdata: Path) -> None:
    formulas = bare_formulas(testdata)
    refused = {label for label, (element, formula) in formulas.items() if refusal(element, formula)}
    assert len(formulas) > 300
    assert refused == set(NOT_OURS)


@pytest.mark.parametrize("name", [definition.name for definition in all_definitions()])
def test_every_formula_of_a_definition_compiles(name: str) -> None:
    definition = lookup(name)
    assert definition is not None
    scope = scope_of(definition)
    for constraint in definition.constraints:
        Compiler(scope.names).condition(parse(constraint.formula))
    for attr in definition.attrs:
        if attr.default is not None:
            scope.default(attr)
