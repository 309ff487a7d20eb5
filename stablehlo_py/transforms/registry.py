"""Registry of passes and pipelines by name. The module of a row defines a pass, as `PASS` or in `PASSES`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module

from stablehlo_py.transforms.pass_definition import Option, Pass, Pipeline
from stablehlo_py.transforms.rules.rule import Rule

_PACKAGE = "stablehlo_py.transforms.passes"

# Shardy's passes.
SHARDY = (
    "sdy-add-data-flow-edges",
    "sdy-aggressive-propagate",
    "sdy-apply-sharding-constraints",
    "sdy-basic-propagate",
    "sdy-close-shardings",
    "sdy-constant-or-scalar-merger",
    "sdy-constant-or-scalar-splitter",
    "sdy-drop-sharding-rules",
    "sdy-export-named-computations",
    "sdy-flatten-call-graph",
    "sdy-import-func-calls",
    "sdy-insert-explicit-reshards",
    "sdy-insert-func-call-reshards",
    "sdy-lift-inlined-meshes",
    "sdy-manual-axes-cleanup",
    "sdy-op-priority-propagate",
    "sdy-populate-op-sharding-rules",
    "sdy-pre-order-funcs",
    "sdy-propagate-sharding-from-func-to-call",
    "sdy-propagate-to-func-results",
    "sdy-remove-sharding-groups",
    "sdy-remove-size-one-axes",
    "sdy-remove-sub-axes-in-input-output-shardings",
    "sdy-sharding-constraint-to-reshard",
    "sdy-sharding-group-import",
    "sdy-sink-data-flow-edges",
    "sdy-unflatten-call-graph",
    "sdy-update-non-divisible-input-output-shardings",
    "sdy-user-priority-propagate",
)

# The passes, each with the module in `passes/` that defines it.
PASSES = {
    "async-collectives": "async_collectives",
    "bind": "bind",
    "canonicalize": "canonicalize",
    "chlo-legalize-to-stablehlo": "chlo_legalize_to_stablehlo",
    "cse": "common_subexpressions",
    "externalize": "externalize",
    "inline": "inline",
    "interpreter-instrument-with-probe": "instrument_with_probe",
    "narrow": "narrow",
    "partition": "partition",
    "reconcile-unrealized-casts": "reconcile_unrealized_casts",
    **dict.fromkeys(SHARDY, "shardy"),
    "shard": "shard",
    "shape-legalize-to-stablehlo": "shape_legalize_to_stablehlo",
    "simplify-inference": "simplify_inference",
    "stablehlo-aggressive-folder": "aggressive_folder",
    "stablehlo-aggressive-simplification": "aggressive_simplification",
    "stablehlo-canonicalize-dynamism": "canonicalize_dynamism",
    "stablehlo-check-shape-assertions": "check_shape_assertions",
    "stablehlo-compatibility-expander": "compatibility_expander",
    "stablehlo-complex-math-expander": "complex_math_expander",
    "stablehlo-convert-to-signless": "convert_to_signless",
    "stablehlo-legalize-composite-to-call": "composite_to_call",
    "stablehlo-legalize-deprecated-ops": "legalize_deprecated_ops",
    "stablehlo-legalize-qdq-to-quantized-op": "legalize_qdq_to_quantized_op",
    "stablehlo-legalize-quant-to-math": "legalize_quant_to_math",
    "stablehlo-legalize-quantized-op-to-qdq": "legalize_quantized_op_to_qdq",
    "stablehlo-legalize-to-vhlo": "vhlo",
    "stablehlo-refine-arguments": "refine_arguments",
    "stablehlo-refine-shapes": "refine_shapes",
    "stablehlo-target-independent-optimization": "target_independent_optimization",
    "stablehlo-wrap-in-composite": "wrap_in_composite",
    "strip-debuginfo": "strip_debuginfo",
    "symbol-dce": "symbol_dce",
    "vhlo-legalize-to-stablehlo": "vhlo",
    "vhlo-to-version": "vhlo",
}
_IMPORT = (
    "symbol-dce",
    "sdy-lift-inlined-meshes",
    "sdy-remove-size-one-axes",
    "sdy-propagate-sharding-from-func-to-call",
    "sdy-constant-or-scalar-splitter",
    "symbol-dce",
    "sdy-manual-axes-cleanup",
    "sdy-add-data-flow-edges",
)
_PROPAGATE = (
    "sdy-flatten-call-graph",
    "symbol-dce",
    "sdy-import-func-calls",
    "symbol-dce",
    "sdy-apply-sharding-constraints",
    "sdy-sharding-group-import",
    "sdy-pre-order-funcs",
    "sdy-user-priority-propagate",
    "sdy-export-named-computations",
    "sdy-propagate-to-func-results",
    "sdy-unflatten-call-graph",
    "symbol-dce",
    "sdy-insert-func-call-reshards",
)
_EXPORT = (
    "sdy-constant-or-scalar-merger",
    "sdy-sink-data-flow-edges",
    "sdy-remove-sharding-groups",
    "sdy-sharding-constraint-to-reshard",
    "sdy-update-non-divisible-input-output-shardings",
    "sdy-remove-sub-axes-in-input-output-shardings",
    "sdy-close-shardings",
    "sdy-insert-explicit-reshards",
    "canonicalize{enable-patterns=sdy-collective}",
    "sdy-drop-sharding-rules",
)
PIPELINES = {
    "chlo-pre-serialization-pipeline": Pipeline(
        "chlo-pre-serialization-pipeline",
        "Replaces ops of the `chlo` and `shape` dialects by StableHLO ops, as portable artifacts need it.",
        lambda options: (
            "chlo-legalize-to-stablehlo",
            "shape-legalize-to-stablehlo",
            "reconcile-unrealized-casts",
        ),
    ),
    "sdy-import-pipeline": Pipeline(
        "sdy-import-pipeline",
        "Prepares a program with shardings for propagation.",
        lambda options: _IMPORT,
    ),
    "sdy-propagation-pipeline": Pipeline(
        "sdy-propagation-pipeline",
        "Propagates shardings from the values that have one to all others.",
        lambda options: (*_IMPORT, *_PROPAGATE, *_EXPORT),
    ),
    "sdy-export-pipeline": Pipeline(
        "sdy-export-pipeline",
        "Removes from a program what propagation needed.",
        lambda options: _EXPORT,
    ),
    "stablehlo-deserialize": Pipeline(
        "stablehlo-deserialize",
        "Makes a portable program of any version one of StableHLO.",
        lambda options: ("vhlo-to-version{target=current}", "vhlo-legalize-to-stablehlo"),
    ),
    "stablehlo-lower-quant-pipeline": Pipeline(
        "stablehlo-lower-quant-pipeline",
        "Makes ops on quantized values arithmetic on integers, in ops of StableHLO alone.",
        lambda options: (
            "stablehlo-legalize-quant-to-math",
            "chlo-legalize-to-stablehlo",
            "canonicalize",
            "shape-legalize-to-stablehlo",
            "stablehlo-canonicalize-dynamism",
            "canonicalize",
        ),
    ),
    "stablehlo-remove-dynamism": Pipeline(
        "stablehlo-remove-dynamism",
        "Specializes a dynamic program: refines its arguments and shapes, and makes dynamic ops static.",
        lambda options: (
            f"stablehlo-refine-arguments{{types={{{','.join(options['types'])}}}}}",
            "stablehlo-refine-shapes",
            "stablehlo-canonicalize-dynamism",
        ),
        (Option("types", (), "The types of all arguments, such as `tensor<8x4xf32>,tensor<4xf32>`."),),
    ),
}


def names() -> list[str]:
    """Return the names of all passes and pipelines."""
    return sorted([*PASSES, *PIPELINES])


@cache
def find(name: str) -> Pass | Pipeline | None:
    """Return the pass or pipeline of a name, or None."""
    if name in PIPELINES:
        return PIPELINES[name]
    if name not in PASSES:
        return None
    module = import_module(f"{_PACKAGE}.{PASSES[name]}")
    defined: tuple[Pass, ...] = module.PASSES if hasattr(module, "PASSES") else (module.PASS,)
    return next(each for each in defined if each.name == name)


def all_rules() -> Iterator[Rule]:
    """Yield the rewrite rules of all passes, each once, by pass."""
    seen: set[str] = set()
    for definition in all_passes():
        for rule in definition.rules if isinstance(definition, Pass) else ():
            if rule.name not in seen:
                seen.add(rule.name)
                yield rule


def all_passes() -> Iterator[Pass | Pipeline]:
    """Yield all passes and pipelines, by name."""
    for name in names():
        found = find(name)
        assert found is not None
        yield found
