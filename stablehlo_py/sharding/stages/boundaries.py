"""Stages on the shardings of inputs and outputs after propagation: they divide evenly and are closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.sharding.annotations import (
    FunctionResult,
    argument_shardings,
    result_shardings,
    set_result_sharding,
    set_sharding,
    set_value_shardings,
    transform_shardings,
    value_shardings,
)
from stablehlo_py.sharding.axes import even_prefix
from stablehlo_py.sharding.data_flow import argument_owners, flow_of
from stablehlo_py.sharding.mesh import Meshes
from stablehlo_py.sharding.propagation import main_function
from stablehlo_py.sharding.rules import RULE, parse_rule
from stablehlo_py.sharding.shardings import Sharding
from stablehlo_py.sharding.stages.symbols import CALL

Change = Callable[[Sharding, object], Sharding]


def update_indivisible_shardings(module: Module) -> None:
    """Let inputs and outputs of functions, calls and manual computations be divided evenly."""
    meshes = Meshes(module)

    def even(sharding: Sharding, type: object) -> Sharding:
        if sharding.is_empty or not isinstance(type, TensorType) or not type.is_static:
            return sharding  # that of one device has no dimensions
        sizes = meshes.find(sharding.mesh).sizes
        dims = [
            dim
            if size is None or size % dim.num_shards(sizes) == 0
            else replace(dim, axes=even_prefix(dim.axes, size, sizes), priority=None)
            for dim, size in zip(sharding.dims, type.shape, strict=True)
        ]
        return replace(sharding, dims=tuple(dims))

    for function in module.functions.values():
        _change_function(function, even)
    for op in module.walk():
        if op.name == CALL:
            _change_values(op, op.results, False, even)
        elif flow_of(op) == "manual_body":
            _change_values(op, argument_owners(op), True, even)
            _change_values(op, op.results, False, even)


def _change_function(function: Operation, change: Change) -> None:
    blocks = function.regions[0].blocks
    arguments = blocks[0].arguments if blocks else ()
    for argument, sharding in zip(arguments, argument_shardings(function), strict=False):
        if sharding is not None:
            set_sharding(argument, change(sharding, argument.type))
    last = blocks[0].terminator if blocks else None
    values = last.operands if last is not None else ()
    for index, (value, sharding) in enumerate(zip(values, result_shardings(function), strict=False)):
        if sharding is not None:
            set_result_sharding(FunctionResult(function, index), change(sharding, value.type))


def _change_values(op: Operation, values: Sequence[Value], of_arguments: bool, change: Change) -> None:
    found = value_shardings(op, of_arguments)
    if found:
        pairs = zip(found, values, strict=True)
        set_value_shardings(op, [change(sharding, value.type) for sharding, value in pairs], of_arguments)


def remove_sub_axes(module: Module) -> None:
    """Cut off the axes of open dimensions of the main function's inputs and outputs before the first part."""

    def whole(sharding: Sharding, _: object) -> Sharding:
        axes = []
        for dim in sharding.dims:
            first = next((i for i, axis in enumerate(dim.axes) if axis.part), len(dim.axes))
            axes.append(dim.axes if dim.is_closed else dim.axes[:first])
        return sharding.with_axes(axes)

    function = main_function(module)
    if function is not None:
        _change_function(function, whole)


def close_shardings(module: Module) -> None:
    """Close all dimensions, and drop replicated axes."""
    transform_shardings(module, lambda sharding, _: sharding.closed())


def drop_sharding_rules(module: Module) -> None:
    """Remove the rules from all ops but those that the program states."""
    for op in module.walk():
        rule = parse_rule(op.attributes.get(RULE))
        if rule is not None and not rule.is_custom:
            del op.attributes[RULE]
