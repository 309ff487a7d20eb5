"""The operands, attributes and regions of ops are those of jaxlib's definitions."""

from __future__ import annotations

import json
from pathlib import Path

from stablehlo_py.opset.definition import Attr, OpDef, Operand, lookup
from tests.helpers.each import for_each

RECORDED: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("recorded_interfaces.json").read_text(encoding="utf-8")
)
DEFAULT_VALUED = ("unit", "fastmath flags", "overflow flags")  # may be absent, without a mark
OTHER_NAMES = (["in"], ["source"])  # of the operand of casts
NEWER = {  # than the recorded version of StableHLO
    "stablehlo.collective_broadcast": {"has_dynamic_root"},
    "stablehlo.custom_call": {"result_tilings"},
    "chlo.top_k": {"is_stable"},
    "sdy.all_reduce": {"reduction_op"},
    "sdy.reduce_scatter": {"reduction_op"},
}


def definition_of(name: str) -> OpDef:
    found = lookup(name)
    assert found is not None
    return found


def marked(operand: Operand) -> str:
    return operand.name + ("*" if operand.variadic else "?" if operand.optional else "")


@for_each(sorted(RECORDED.keys() - {"stablehlo.collective_broadcast"}))
def test_operands_and_regions(name: str) -> None:
    definition, recorded = definition_of(name), RECORDED[name]
    stated = recorded.get("operands", [])
    if stated in OTHER_NAMES:
        stated = ["operand"]
    assert [marked(each) for each in definition.operands] == stated
    assert len(definition.bodies) == len(recorded.get("regions", []))


@for_each(sorted(RECORDED))
def test_attributes(name: str) -> None:
    definition = definition_of(name)
    recorded = {each.rstrip("?"): each.endswith("?") for each in RECORDED[name].get("attributes", [])}
    own = {each for each in definition.property_kinds if not each.endswith("SegmentSizes")}
    assert own - NEWER.get(name, set()) == recorded.keys()
    for attribute, is_optional in recorded.items():
        inputs = [each for each in definition.inputs if isinstance(each, Attr) and each.property == attribute]
        has_default = inputs[0].kind_name in DEFAULT_VALUED or inputs[0].default == '""'
        assert all(each.optional for each in inputs) == (is_optional or has_default), attribute
