"""The versions of StableHLO in the definitions: VHLO's forms of each op, and the conditions of revisions."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.notation.scope import holds
from stablehlo_py.opset.definition import OpDef, all_definitions, lookup
from stablehlo_py.opset.traits import Revision

# The forms of VHLO's ops that are younger than 0.9.0, from upstream's VhloOps.td: the version of each.
FORMS = {
    "all_gather": {2: "1.5.0"},
    "all_reduce": {2: "1.5.0"},
    "all_to_all": {2: "1.5.0"},
    "async_done": {1: "1.15.0"},
    "async_start": {1: "1.15.0"},
    "cbrt": {2: "1.10.0"},
    "collective_broadcast": {1: "0.16.0", 2: "1.20.0"},
    "collective_reduce": {1: "1.19.0"},
    "composite": {1: "0.19.0", 2: "1.14.0"},
    "cosine": {2: "1.10.0"},
    "custom_call": {2: "1.18.0"},
    "dot_general": {2: "1.6.0"},
    "dynamic_conv": {2: "0.20.0"},
    "dynamic_gather": {2: "1.1.0"},
    "exponential": {2: "1.9.0"},
    "exponential_minus_one": {2: "1.10.0"},
    "gather": {2: "1.1.0"},
    "log": {2: "1.10.0"},
    "log_plus_one": {2: "1.10.0"},
    "logistic": {2: "1.10.0"},
    "recv": {2: "1.12.0"},
    "rsqrt": {2: "1.10.0"},
    "scatter": {2: "1.1.0"},
    "send": {2: "1.12.0"},
    "sine": {2: "1.10.0"},
    "sqrt": {2: "1.10.0"},
    "tan": {1: "1.4.0", 2: "1.10.0"},
    "tanh": {2: "1.10.0"},
}
STABLEHLO = [d for d in all_definitions() if d.name.startswith("stablehlo.")]


@pytest.mark.parametrize("definition", STABLEHLO, ids=lambda definition: definition.name)
def test_vhlo_forms(definition: OpDef) -> None:
    forms = {1: definition.since, **{r.form: r.since for r in definition.revisions if r.form}}
    young = {form: since for form, since in forms.items() if since not in ("", "0.9.0")}
    assert young == FORMS.get(definition.name.partition(".")[2], {})


def test_what_revisions_state() -> None:
    """A feature with a name where a formula tells who uses it; a form of its own for what has one."""
    for definition in all_definitions():
        for revision in definition.revisions:
            assert revision.what or not revision.uses, definition.name
            assert revision.form in (0, 2)
    assert Revision("1.0.0") == Revision("1.0.0", 0, "", "", (), ())


@pytest.mark.parametrize(
    ("op", "what", "uses"),
    [
        ("%0 = stablehlo.tanh %x : tensor<2xf32>", "result_accuracy", False),
        (
            "%0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<mode = "
            "#stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>",
            "result_accuracy",
            True,
        ),
        (
            '%0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : '
            "tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>",
            "several operands",
            False,
        ),
        (
            "%0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>",
            "a typed call or a backend_config dictionary",
            True,
        ),
        (
            '%0 = stablehlo.custom_call @f(%x) {backend_config = "a"} : (tensor<2xf32>) -> tensor<2xf32>',
            "a typed call or a backend_config dictionary",
            False,
        ),
    ],
)
def test_conditions(op: str, what: str, uses: bool) -> None:
    module = shlo.parse(f"func.func @main(%x: tensor<2xf32>) {{\n  {op}\n  return\n}}")
    function = module.functions["main"]
    first = function.regions[0].block.ops[0]
    definition = lookup(first.name)
    assert definition is not None
    (revision,) = [r for r in definition.revisions if r.what == what]
    assert holds(first, definition, revision.uses) is uses
