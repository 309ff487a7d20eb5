"""The passes of Shardy: stages of the propagation of shardings, by upstream's names."""

from __future__ import annotations

from collections.abc import Callable

from stablehlo_py.ir.core import Module
from stablehlo_py.sharding.errors import ShardingError
from stablehlo_py.sharding.factor_propagation import propagate_aggressive, propagate_basic
from stablehlo_py.sharding.op_rules import derived_rule
from stablehlo_py.sharding.propagation import Propagation
from stablehlo_py.sharding.rules import RULE
from stablehlo_py.sharding.stages import boundaries, calls, constants, constraints, edges, meshes, reshards
from stablehlo_py.transforms.pass_definition import Option, Options, Pass, failure


def _pass(name: str, summary: str, run: Callable[..., None], options: tuple[Option, ...] = ()) -> Pass:
    """A pass whose function has the values of the options as arguments behind the module."""

    def checked(module: Module, given: Options) -> None:
        branch = next((op for op in module.walk() if op.successors), None)
        if branch is not None:
            raise failure(module, branch, "shardings are propagated in functions of one block only")
        try:
            run(module, *[given[option.name] for option in options])
        except ShardingError as error:
            raise failure(module, error.op, error.message) from None

    return Pass(f"sdy-{name}", summary, checked, options)


def _populate_rules(module: Module) -> None:
    for op in module.walk():
        rule = derived_rule(op) if RULE not in op.attributes else None
        if rule is not None:
            op.attributes[RULE] = rule.to_attribute()


PASSES = (
    _pass(
        "lift-inlined-meshes",
        "Gives inlined meshes names, and merges equal meshes.",
        meshes.lift_inlined_meshes,
    ),
    _pass("remove-size-one-axes", "Removes axes of size 1 from shardings.", meshes.remove_size_one_axes),
    _pass(
        "propagate-sharding-from-func-to-call",
        "Gives calls without shardings those of the results of their callees.",
        calls.propagate_from_functions_to_calls,
    ),
    _pass(
        "constant-or-scalar-splitter",
        "Copies constant expressions and broadcasts of scalars for each of their users.",
        constants.split_constants,
    ),
    _pass(
        "manual-axes-cleanup",
        "Orders the axes of manual computations, and replicates along those that are not used.",
        constraints.clean_up_manual_axes,
    ),
    _pass(
        "add-data-flow-edges",
        "Adds ops that hold the shardings of values that loops and other ops pass on.",
        edges.add_data_flow_edges,
    ),
    _pass(
        "flatten-call-graph",
        "Copies functions that are called more than once, for each call.",
        calls.flatten_call_graph,
    ),
    _pass("import-func-calls", "Replaces calls by named computations of their callees.", calls.import_calls),
    _pass(
        "apply-sharding-constraints",
        "Sets the shardings of values to those that constraints require of them.",
        constraints.apply_sharding_constraints,
    ),
    _pass(
        "sharding-group-import",
        "Numbers sharding groups from 0, and merges those with values in common.",
        constraints.import_sharding_groups,
    ),
    _pass(
        "pre-order-funcs",
        "Orders functions so that each is before those it calls.",
        calls.pre_order_functions,
    ),
    _pass(
        "basic-propagate",
        "Propagates shardings where nothing conflicts.",
        lambda module: Propagation(module, propagate_basic).run(by_user=False, by_op=False),
    ),
    _pass(
        "aggressive-propagate",
        "Propagates shardings; conflicts between factors are resolved by the sizes of tensors.",
        lambda module: Propagation(module, propagate_aggressive).run(by_user=False, by_op=False),
    ),
    _pass(
        "op-priority-propagate",
        "Propagates shardings, through elementwise ops first.",
        lambda module: Propagation(module, propagate_aggressive).run(by_user=False),
    ),
    _pass(
        "user-priority-propagate",
        "Propagates shardings by the priorities that the program states.",
        lambda module: Propagation(module, propagate_aggressive).run(),
    ),
    _pass(
        "export-named-computations",
        "Replaces named computations by calls of new functions.",
        calls.export_named_computations,
    ),
    _pass(
        "propagate-to-func-results",
        "Gives the results of functions the shardings of what they return.",
        calls.propagate_to_function_results,
    ),
    _pass(
        "unflatten-call-graph",
        "Merges copies of a function with the same shardings.",
        calls.unflatten_call_graph,
    ),
    _pass(
        "insert-func-call-reshards",
        "Reshards results of calls that differ from those of their callees.",
        calls.insert_call_reshards,
    ),
    _pass(
        "constant-or-scalar-merger",
        "Merges equal constants and broadcasts of scalars with the same sharding.",
        constants.merge_constants,
    ),
    _pass(
        "sink-data-flow-edges",
        "Moves shardings of data-flow edges to the ops, and removes the edges.",
        edges.sink_data_flow_edges,
    ),
    _pass("remove-sharding-groups", "Removes sharding groups.", constraints.remove_sharding_groups),
    _pass(
        "sharding-constraint-to-reshard",
        "Replaces sharding constraints by reshards.",
        constraints.constraints_to_reshards,
    ),
    _pass(
        "update-non-divisible-input-output-shardings",
        "Shortens the shardings of inputs and outputs that do not divide evenly.",
        boundaries.update_indivisible_shardings,
    ),
    _pass(
        "remove-sub-axes-in-input-output-shardings",
        "Removes parts of axes from open dimensions of the main function's inputs and outputs.",
        boundaries.remove_sub_axes,
    ),
    _pass("close-shardings", "Closes the dimensions of all shardings.", boundaries.close_shardings),
    _pass(
        "insert-explicit-reshards",
        "Reshards operands of concatenations and calls, and reduces what is unreduced.",
        reshards.insert_explicit_reshards,
        (Option("enable-full-version", False, "Whether operands and results of all ops are resharded."),),
    ),
    _pass("populate-op-sharding-rules", "Gives each op its sharding rule.", _populate_rules),
    _pass(
        "drop-sharding-rules",
        "Removes sharding rules that ops have by definition.",
        boundaries.drop_sharding_rules,
    ),
)
