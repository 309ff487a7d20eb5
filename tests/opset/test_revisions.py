"""The versions of StableHLO in the definitions: VHLO's forms of each op, and the conditions of revisions."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.notation.scope import holds
from stablehlo_py.opset.definition import OpDef, all_definitions, lookup
from stablehlo_py.opset.traits import Revision
from tests.helpers.each import for_each

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
# The log of versions in upstream's VhloDialect.td, and of other dialects the first releases with a change:
# the version, what is new, the attributes that were added and removed, the ops.
ALGORITHM = "lhs_precision_type rhs_precision_type accumulation_type lhs_component_count rhs_component_count "
ALGORITHM += "num_primitive_operations allow_imprecise_accumulation"
PROMOTION = "a result element type that differs from the operands'"
MESHES = "replica groups by the axes of a mesh"
LOG = [
    (
        "0.17.0",
        PROMOTION,
        "",
        "",
        "all_reduce reduce reduce_scatter reduce_window scatter select_and_scatter",
    ),
    ("0.20.0", "", "", "padding", "dynamic_conv"),
    (
        *("1.1.0", "batching dimensions", "operand_batching_dims start_indices_batching_dims", ""),
        "dynamic_gather gather",
    ),
    ("1.1.0", "batching dimensions", "input_batching_dims scatter_indices_batching_dims", "", "scatter"),
    ("1.3.0", "a typed call or a backend_config dictionary", "", "", "custom_call"),
    ("1.5.0", "several operands", "", "", "all_gather all_reduce all_to_all"),
    ("1.6.0", "algorithm", ALGORITHM, "", "dot_general"),
    ("1.9.0", "result_accuracy", "result_accuracy", "", "exponential"),
    (
        *("1.10.0", "result_accuracy", "result_accuracy", ""),
        "cbrt cosine exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh",
    ),
    ("1.12.0", "source_target_pairs", "source_target_pairs", "", "recv send"),
    ("1.14.0", "regions", "", "", "composite"),
    (
        *("1.16.0", MESHES, "", ""),
        "all_gather all_reduce all_to_all collective_broadcast collective_reduce reduce_scatter",
    ),
    ("1.17.0", "an operand of type future", "", "", "custom_call"),
    ("1.17.0", "exact", "isExact", "", "arith.divsi arith.divui arith.shrsi arith.shrui"),
    ("1.17.0", "nneg", "nonNeg", "", "arith.extui arith.index_castui arith.uitofp"),
    ("1.18.0", "result_tilings", "result_tilings", "", "custom_call"),
    ("1.18.0", "", "is_stable", "", "chlo.top_k"),
    ("1.18.0", "reductions other than sums", "reduction_op", "", "sdy.all_reduce sdy.reduce_scatter"),
    ("1.20.0", "several operands", "", "", "collective_broadcast"),
    ("1.20.0", "has_dynamic_root", "has_dynamic_root", "", "collective_broadcast"),
]


@for_each(all_definitions)
def test_vhlo_forms(definition: OpDef) -> None:
    if not definition.name.startswith("stablehlo."):
        return
    forms = {1: definition.since, **{r.form: r.since for r in definition.revisions if r.form}}
    young = {form: since for form, since in forms.items() if since not in ("", "0.9.0")}
    assert young == FORMS.get(definition.name.partition(".")[2], {})


def test_log_of_versions() -> None:
    found = {
        (r.since, r.what, " ".join(r.adds), " ".join(r.drops), definition.name.removeprefix("stablehlo."))
        for definition in all_definitions()
        for r in definition.revisions
    }
    assert found == {(*row, op) for *row, ops in LOG for op in ops.split()}


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
