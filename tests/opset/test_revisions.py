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


V = "tensor<2xf32>"
ARGUMENTS = {"x": V, "y": f"!stablehlo.future<{V}>", "t": "!stablehlo.token"}


def op(name: str, properties: str, inputs: str = "x", results: tuple[str, ...] = (V,), end: str = "") -> str:
    """An op in generic form, of arguments with these names; its text ends with regions and attributes."""
    operands, types = (
        ", ".join(found) for found in zip(*[(f"%{n}", ARGUMENTS[n]) for n in inputs], strict=True)
    )
    head = f'%0:{len(results)} = "stablehlo.{name}"({operands}) <{{{properties}}}> {end}'
    return f"{head} : ({types}) -> ({', '.join(results)})"


def accuracy(mode: str) -> str:
    return (
        "result_accuracy = #stablehlo.result_accuracy<atol = 1.0, "
        f"mode = #stablehlo.result_accuracy_mode<{mode}>>"
    )


DOT = """dot_dimension_numbers = #stablehlo.dot<
  lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>"""
CHOSEN = """algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32,
  accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
  allow_imprecise_accumulation = false>"""
GATHER, SCATTER = "dimension_numbers = #stablehlo.gather", "scatter_dimension_numbers = #stablehlo.scatter"
DENSE = "replica_groups = dense<0> : tensor<1x1xi64>"
AXES = """replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh,
  axes = [#stablehlo.axis_ref<name = "x">]>"""
CALL, COMPOSITE = 'call_target_name = "f"', 'name = "a.b", decomposition = @main'
TYPED = "a typed call or a backend_config dictionary"
NO_PAIRS, PAIRS = (
    f"source_target_pairs = dense<{value}> : tensor<{len(value)}x2xi64>" for value in ("", "0")
)
FUTURE, TILINGS, PAIRED = "an operand of type future", "result_tilings", "source_target_pairs"
OTHER = (V, "tensor<2xf64>")  # types of results, of which the second is not that of an input


@pytest.mark.parametrize(
    ("op", "what", "uses"),
    [
        (op("tanh", ""), "result_accuracy", False),
        (op("tanh", accuracy("DEFAULT")), "result_accuracy", False),
        (op("tanh", accuracy("TOLERANCE")), "result_accuracy", True),
        (op("tanh", accuracy("HIGHEST")), "result_accuracy", True),
        (op("dot_general", DOT, "xx"), "algorithm", False),
        (op("dot_general", f"{DOT}, {CHOSEN}", "xx"), "algorithm", True),
        (op("all_reduce", DENSE, "xx", (V, V), "({})"), PROMOTION, False),
        (op("all_reduce", DENSE, "xx", OTHER, "({})"), PROMOTION, True),
        (op("reduce", "", "xxxx", (V, V), "({})"), PROMOTION, False),
        (op("reduce", "", "xxxx", OTHER, "({})"), PROMOTION, True),
        (op("reduce_scatter", DENSE, "x", OTHER[:1], "({})"), PROMOTION, False),
        (op("reduce_scatter", DENSE, "x", OTHER[1:], "({})"), PROMOTION, True),
        (op("gather", f"{GATHER}<offset_dims = [0]>", "xx"), "batching dimensions", False),
        (op("gather", f"{GATHER}<operand_batching_dims = [0]>", "xx"), "batching dimensions", True),
        (op("scatter", f"{SCATTER}<update_window_dims = [0]>", "xxx"), "batching dimensions", False),
        (op("scatter", f"{SCATTER}<input_batching_dims = [0]>", "xxx"), "batching dimensions", True),
        (op("all_gather", DENSE), "several operands", False),
        (op("all_gather", DENSE, "xx", (V, V)), "several operands", True),
        (op("all_gather", DENSE), MESHES, False),
        (op("all_gather", AXES), MESHES, True),
        (op("custom_call", CALL), TYPED, False),
        (op("custom_call", f'{CALL}, backend_config = "a"'), TYPED, False),
        (op("custom_call", f"{CALL}, backend_config = {{a = 1 : i64}}"), TYPED, True),
        (op("custom_call", f"{CALL}, api_version = 4 : i32"), TYPED, True),
        (op("custom_call", CALL, "xt"), FUTURE, False),
        (op("custom_call", CALL, "xy"), FUTURE, True),
        (op("custom_call", CALL), TILINGS, False),
        (op("custom_call", f"{CALL}, result_tilings = []"), TILINGS, False),
        (op("custom_call", f"{CALL}, result_tilings = [dense<0> : tensor<1xindex>]"), TILINGS, True),
        (op("composite", COMPOSITE), "regions", False),
        (op("composite", COMPOSITE, end="({})"), "regions", True),
        (op("send", "", "xt"), PAIRED, False),
        (op("send", NO_PAIRS, "xt"), PAIRED, False),
        (op("send", PAIRS, "xt"), PAIRED, True),
        (op("recv", PAIRS, "t"), PAIRED, True),
        (op("collective_broadcast", DENSE), "has_dynamic_root", False),
        (op("collective_broadcast", f"{DENSE}, has_dynamic_root"), "has_dynamic_root", True),
    ],
)
def test_conditions(op: str, what: str, uses: bool) -> None:
    arguments = ", ".join(f"%{name}: {type}" for name, type in ARGUMENTS.items())
    module = shlo.parse(f"func.func @main({arguments}) {{\n  {op}\n  return\n}}")
    function = module.functions["main"]
    first = function.regions[0].block.ops[0]
    definition = lookup(first.name)
    assert definition is not None
    (revision,) = [r for r in definition.revisions if r.what == what]
    assert holds(first, definition, revision.uses) is uses
