"""Sharding groups: values that an op of the program requires to have the same sharding."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.attributes import IntegerAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation, OpResult, Value
from stablehlo_py.ir.origins import derive
from stablehlo_py.sharding.shardings import Sharding, replicated, to_attribute
from stablehlo_py.sharding.state import State

GROUP = "sdy.sharding_group"
CONSTRAINT = "sdy.sharding_constraint"


def group_id(op: Operation) -> int:
    """Return the number of the group that an op puts its operand in."""
    found = op.attribute("group_id")
    assert isinstance(found, IntegerAttr)
    return found.value


class Groups:
    """The groups of a module.

    Args:
        module: The module.
        state: The shardings of its values.
    """

    def __init__(self, module: Module, state: State) -> None:
        self._state = state
        self._members: dict[int, list[Value]] = {}
        for op in module.walk():
            if op.name == GROUP:
                self._members.setdefault(group_id(op), []).append(op.operands[0])
        self._group = {value: number for number, values in self._members.items() for value in values}

    def members(self, value: Value) -> Sequence[Value]:
        """Return the values in the group of a value; empty if it is in none."""
        number = self._group.get(value)
        return self._members[number] if number is not None else ()

    def agree(self) -> None:
        """Give all values of a group the sharding that some have; with several, let none decide."""
        for number in sorted(self._members):
            values = self._members[number]
            found = [self._state.get(value) for value in values]
            stated = [each for each in found if each is not None and not _is_open(each)]
            if not stated:
                continue
            if len(values) == 1 or all(each == stated[0] for each in stated):
                for value in values:
                    self._state.set(value, stated[0])
            else:
                self._separate(number, stated[0])

    def _separate(self, number: int, sharding: Sharding) -> None:
        """Insert an open constraint behind each value of a group, and group those."""
        found = []
        for value in self._members[number]:
            made = _constrained(value, replicated(len(sharding.dims), sharding.mesh))
            del self._group[value]
            self._group[made] = number
            found.append(made)
        self._members[number] = found


def _is_open(sharding: Sharding) -> bool:
    return sharding.is_empty and not any(dim.is_closed for dim in sharding.dims)


def _constrained(value: Value, sharding: Sharding) -> Value:
    op = Operation(CONSTRAINT, [], [value.type], {"sharding": to_attribute(sharding)})
    value.replace_all_uses(op.result)
    op.use_operands([value])
    if isinstance(value, OpResult):
        assert value.op.parent is not None
        block = value.op.parent
        derive(op, value.op)
        block.insert(block.ops.index(value.op) + 1, op)
    else:
        assert isinstance(value, BlockArgument)
        derive(op, value)
        value.block.insert(0, op)
    return op.result
