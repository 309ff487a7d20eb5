"""Annotations: the sharding of each value of a module, read from and written to its attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, StructAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation, OpResult, Value
from stablehlo_py.ir.signature import function_type
from stablehlo_py.opset.definition import lookup
from stablehlo_py.sharding.axes import Axis
from stablehlo_py.sharding.data_flow import (
    EDGE,
    edge_of,
    flow_of,
    is_body_of_operands,
    owner_of,
    owning_op,
)
from stablehlo_py.sharding.shardings import (
    SHARDING,
    DimSharding,
    Sharding,
    from_attribute,
    from_per_value,
    per_value,
    rank_of,
    replicated,
    to_attribute,
)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionResult:
    """A result of a function, whose sharding is an attribute of the function."""

    function: Operation
    index: int


Place = Value | FunctionResult


def shardable(value: Value) -> Value | None:
    """Return the value that holds the sharding of a value; None if it can have none.

    It is the value itself, the result of an edge, or the operand that an argument of an asynchronous body is.
    """
    edge = edge_of(value)
    if edge is not None:
        return edge.result
    if isinstance(value, OpResult):
        return value
    around = owning_op(value)
    if around is not None and around.is_function:
        return value
    if isinstance(value, BlockArgument) and is_body_of_operands(around):
        return shardable(around.operands[value.index])  # type: ignore[union-attr]
    return owner_of(value)


def sharding_of(value: Value) -> Sharding | None:
    """Return the sharding of a value, or None."""
    holder = shardable(value)
    op = owning_op(holder) if holder is not None else None
    if holder is None or op is None:
        return None
    if op.is_function:
        assert isinstance(holder, BlockArgument)
        return _entry(op, "arg_attrs", holder.index)
    own = own_sharding_name(op)
    if own:
        attribute = op.attribute(own)
        return from_attribute(attribute) if isinstance(attribute, StructAttr) else None
    found = value_shardings(op, isinstance(holder, BlockArgument))
    index = holder.index  # type: ignore[attr-defined]
    return found[index] if index < len(found) else None


def set_sharding(value: Value, sharding: Sharding) -> None:
    """Set the sharding of a value; nothing happens if it can have none."""
    holder = shardable(value)
    op = owning_op(holder) if holder is not None else None
    if holder is None or op is None:
        return
    index: int = holder.index  # type: ignore[attr-defined]
    own = own_sharding_name(op)
    if op.is_function:
        set_entry(op, "arg_attrs", index, sharding)
    elif own:
        op.properties[own] = to_attribute(sharding)
    else:
        is_argument = isinstance(holder, BlockArgument)
        found = value_shardings(op, is_argument)
        values: Sequence[Value] = op.regions[0].block.arguments if is_argument else op.results
        found = found or [replicated(rank_of(v.type), sharding.mesh) for v in values]
        found[index] = sharding
        set_value_shardings(op, found, is_argument)


def own_sharding_name(op: Operation) -> str:
    """Return the input of an op that states the sharding of its one result, or ""."""
    definition = lookup(op.name)
    if definition is None:
        return ""
    kinds = (a.name for a in definition.attrs if a.kind_name == f"struct {SHARDING}")
    return next(kinds, "")


# Shardings of several values


def stated_shardings(op: Operation, name: str) -> list[Sharding]:
    """Return the shardings that an attribute of an op states; empty without it."""
    attribute = op.attribute(name)
    return from_per_value(attribute) if isinstance(attribute, StructAttr) else []


def value_shardings(op: Operation, of_arguments: bool = False) -> list[Sharding]:
    """Return the shardings of the results of an op, or of its region's arguments; empty if it has none."""
    name = _per_value_name(op, of_arguments)
    found = stated_shardings(op, name) if name else []
    if of_arguments and flow_of(op) == "manual_body":
        return [without_manual_axes(sharding, manual_names(op)) for sharding in found]
    return found


def set_value_shardings(op: Operation, shardings: Sequence[Sharding], of_arguments: bool = False) -> None:
    """Set the shardings of the results of an op, or of its region's arguments."""
    name = _per_value_name(op, of_arguments)
    if of_arguments and flow_of(op) == "manual_body":
        old = stated_shardings(op, name)
        names = manual_names(op)
        shardings = [with_free_axes(o, new, names) for o, new in zip(old, shardings, strict=True)]
    store = op.attributes if name == SHARDING else op.properties
    store[name] = per_value(shardings)


def _per_value_name(op: Operation, of_arguments: bool) -> str:
    if flow_of(op) in ("body", "manual_body"):
        return "in_shardings" if of_arguments else "out_shardings"
    return "" if of_arguments else SHARDING


# Manual computations


def manual_names(op: Operation) -> tuple[str, ...]:
    """Return the names of the manual axes of a manual computation."""
    axes = op.attribute("manual_axes")
    return tuple(axes["value"]) if isinstance(axes, StructAttr) else ()


def without_manual_axes(sharding: Sharding, names: Sequence[str]) -> Sharding:
    """Return the sharding of what a device sees: without the manual axes, which come first."""

    def is_free(axis: Axis) -> bool:
        return axis.name not in names

    found = _kept(sharding, is_free)
    lists = [tuple(filter(is_free, axes)) for axes in (found.replicated, found.unreduced)]
    return replace(found, replicated=lists[0], unreduced=lists[1])


def with_free_axes(outer: Sharding, sharding: Sharding, names: Sequence[str]) -> Sharding:
    """Return a sharding of a manual computation with other free axes behind the manual ones."""
    manual = _kept(outer, lambda axis: axis.name in names)
    dims = [
        DimSharding((*ours.axes, *new.axes), new.is_closed, new.priority)
        for ours, new in zip(manual.dims, sharding.dims, strict=True)
    ]
    return replace(outer, mesh=sharding.mesh, dims=tuple(dims))


def _kept(sharding: Sharding, keep: Callable[[Axis], bool]) -> Sharding:
    """Return a sharding with some axes of the dimensions."""
    dims = [replace(dim, axes=tuple(filter(keep, dim.axes))) for dim in sharding.dims]
    return replace(sharding, dims=tuple(dims))


# Functions


def result_sharding(place: FunctionResult) -> Sharding | None:
    """Return the sharding of a function's result, or None."""
    return _entry(place.function, "res_attrs", place.index)


def set_result_sharding(place: FunctionResult, sharding: Sharding | None) -> None:
    """Set the sharding of a function's result; None removes it."""
    set_entry(place.function, "res_attrs", place.index, sharding)


def argument_shardings(function: Operation) -> list[Sharding | None]:
    """Return the sharding of each argument of a function, or None."""
    return [_entry(function, "arg_attrs", i) for i in range(len(_types(function)[0]))]


def result_shardings(function: Operation) -> list[Sharding | None]:
    """Return the sharding of each result of a function, or None."""
    return [_entry(function, "res_attrs", i) for i in range(len(_types(function)[1]))]


def _types(function: Operation) -> tuple[Sequence[object], Sequence[object]]:
    type = function_type(function)
    return (type.inputs, type.results) if type is not None else ((), ())


def _entry(function: Operation, key: str, index: int) -> Sharding | None:
    entries = function.attribute(key)
    if not isinstance(entries, ArrayAttr) or index >= len(entries.value):
        return None
    entry = entries.value[index]
    found = entry.get(SHARDING) if isinstance(entry, DictAttr) else None
    return from_attribute(found) if isinstance(found, StructAttr) else None


def set_entry(
    function: Operation, key: str, index: int, sharding: Sharding | None, but: str = SHARDING
) -> None:
    """Set the sharding of an argument or result of a function; None removes it.

    Args:
        function: The function.
        key: "arg_attrs" or "res_attrs".
        index: The number of the argument or result.
        sharding: The sharding.
        but: An attribute of the argument or result that is removed.
    """
    count = len(_types(function)[0 if key == "arg_attrs" else 1])
    stored = function.attribute(key)
    entries = list(stored.value) if isinstance(stored, ArrayAttr) else [DictAttr(())] * count
    entry = entries[index]
    found: dict[str, Attribute] = dict(entry) if isinstance(entry, DictAttr) else {}
    found.pop(but, None)
    found.pop(SHARDING, None)
    if sharding is not None:
        found[SHARDING] = to_attribute(sharding)
    entries[index] = DictAttr.of(found)
    if any(isinstance(each, DictAttr) and each.items for each in entries):
        function.properties[key] = ArrayAttr(tuple(entries))
    else:
        function.properties.pop(key, None)


# All shardings of a module

Transform = Callable[[Sharding, "Place | None"], Sharding]


def transform_shardings(module: Module, transform: Transform) -> None:
    """Replace each sharding of a module, in preorder.

    Args:
        module: The module, which is changed.
        transform: Returns the new sharding, given the old one and the value or result that has it; None for
            the sharding of an op without results.
    """
    for op in module.walk():
        if op.is_function:
            _transform_function(op, transform)
        elif flow_of(op) == "manual_body":
            _transform_manual(op, transform)
        elif own_sharding_name(op):
            name = own_sharding_name(op)
            attribute = op.attribute(name)
            if isinstance(attribute, StructAttr):
                op.properties[name] = to_attribute(transform(from_attribute(attribute), op.results[0]))
        else:
            _transform_values(op, transform)


def _transform_function(op: Operation, transform: Transform) -> None:
    arguments = op.entry_block.arguments if op.regions and op.regions[0].blocks else ()
    for index, sharding in enumerate(argument_shardings(op)):
        if sharding is not None:
            place = arguments[index] if arguments else None
            set_entry(op, "arg_attrs", index, transform(sharding, place))
    for index, sharding in enumerate(result_shardings(op)):
        if sharding is not None:
            found = FunctionResult(op, index)
            set_result_sharding(found, transform(sharding, found))


def _transform_manual(op: Operation, transform: Transform) -> None:
    for name, values in (("in_shardings", op.regions[0].block.arguments), ("out_shardings", op.results)):
        old = stated_shardings(op, name)
        op.properties[name] = per_value([transform(s, v) for s, v in _paired(old, values)])


def _transform_values(op: Operation, transform: Transform) -> None:
    for of_arguments in (True, False):
        old = value_shardings(op, of_arguments)
        if old:
            values: Sequence[Value] = op.regions[0].block.arguments if of_arguments else op.results
            set_value_shardings(op, [transform(s, v) for s, v in _paired(old, values)], of_arguments)


def _paired(
    shardings: Sequence[Sharding], values: Sequence[Value]
) -> Iterator[tuple[Sharding, Value | None]]:
    for index, sharding in enumerate(shardings):
        yield sharding, values[index] if index < len(values) else None


def is_edge(op: Operation) -> bool:
    """Test whether an op holds the sharding of an edge."""
    return op.name == EDGE
