"""The example of each op is a valid text of this op, with the types that its definition takes."""

from __future__ import annotations

import re

import stablehlo_py as shlo
from stablehlo_py.opset.definition import OpDef, all_definitions
from stablehlo_py.opset.op_inputs import SEGMENTS
from tests.helpers.each import for_each

PROBE = "i17"  # a type that no example has
EXPECTED = re.compile(rf"use of value '%(\w+)' expects different type than prior uses: '(.*)' vs '{PROBE}'")


def program(definition: OpDef, types: dict[str, str]) -> str:
    """The example in a function, whose arguments are the values that it does not define."""
    arguments = ", ".join(f"%{name}: {type}" for name, type in types.items())
    return f"func.func @example({arguments}) {{\n{definition.example}\nreturn\n}}"


def free_names(text: str) -> list[str]:
    made = set(re.findall(r"%(\w+)(?::\d+)?(?:, %\w+(?::\d+)?)* = ", text)) | set(
        re.findall(r"%(\w+): ", text)
    )
    made |= set(re.findall(r"^ *%\w+(?::\d+)?, %(\w+) = ", text, re.MULTILINE))
    return [name for name in dict.fromkeys(re.findall(r"%(\w+)", text)) if name not in made]


def types_of(definition: OpDef) -> dict[str, str]:
    """The types that the example states for its operands."""
    types = dict.fromkeys(free_names(definition.example), PROBE)
    try:
        shlo.parse(program(definition, types))
    except shlo.ParseError as error:
        found = [EXPECTED.search(diagnostic.message) for diagnostic in error.diagnostics]
        types |= {match[1]: match[2] for match in found if match}
    return types


# Ops whose examples are not in a function, and what those in one refer to.
OUTSIDE = {"func.func", "builtin.module", "sdy.mesh"}
FUNCTIONS = "".join(
    f"func.func private @{name}(tensor<{type}>, tensor<{type}>) -> tensor<{type}>\n"
    for name, type in (("add", "f32"), ("my_op", "f32"))
)
FUNCTIONS += "func.func private @foo(tensor<i32>) -> tensor<i32>\n"
ALONE = [d for d in all_definitions() if "terminator" not in d.traits]  # those end a region of another op


@for_each(ALONE)
def test_examples(definition: OpDef) -> None:
    if definition.name in OUTSIDE:
        text = definition.example
    else:
        text = FUNCTIONS + program(definition, types_of(definition))
    module = shlo.parse(text)
    assert not [d for d in shlo.verify(module) if d.severity == "error"]
    found = [op for op in module.walk() if op.name == definition.name]
    assert found
    for op in found:
        assert set(op.properties) <= {*definition.property_kinds, *SEGMENTS}
