"""The shardings of a module during propagation: read once, written back at the end."""

from __future__ import annotations

from stablehlo_py.ir.core import BlockArgument, Operation, OpResult, Value
from stablehlo_py.sharding.annotations import (
    own_sharding_name,
    set_sharding,
    set_value_shardings,
    shardable,
    sharding_of,
)
from stablehlo_py.sharding.data_flow import flow_of, owning_op
from stablehlo_py.sharding.shardings import Sharding, rank_of, replicated


class State:
    """The sharding of each value; edges of data-flow ops must not change meanwhile."""

    def __init__(self) -> None:
        self._holders: dict[Value, Value | None] = {}
        self._known: dict[Value, Sharding | None] = {}
        self._changed: dict[Value, None] = {}

    def holder(self, value: Value) -> Value | None:
        """Return the value that holds the sharding of a value, or None."""
        if value not in self._holders:
            self._holders[value] = shardable(value)
        return self._holders[value]

    def get(self, value: Value) -> Sharding | None:
        """Return the sharding of a value, or None."""
        holder = self.holder(value)
        if holder is None:
            return None
        if holder not in self._known:
            self._known[holder] = sharding_of(holder)
        return self._known[holder]

    def set(self, value: Value, sharding: Sharding) -> None:
        """Set the sharding of a value. The other results of its op get open ones if they have none."""
        holder = self.holder(value)
        if holder is None:
            return
        if isinstance(holder, OpResult) and len(holder.op.results) > 1 and self.get(holder) is None:
            for other in holder.op.results:
                if self.holder(other) is other and self.get(other) is None:
                    self._known[other] = replicated(rank_of(other.type), sharding.mesh)
                    self._changed[other] = None
        self._known[holder] = sharding
        self._changed[holder] = None

    def write(self) -> None:
        """Write the changed shardings to the attributes of the ops."""
        done: set[Operation] = set()
        for value in self._changed:
            op = owning_op(value)
            if op is None or op in done:
                continue
            is_plain = isinstance(value, OpResult) and not own_sharding_name(op) and not flow_of(op)
            if isinstance(value, BlockArgument) or not is_plain:
                sharding = self._known[value]
                assert sharding is not None
                set_sharding(value, sharding)
                continue
            done.add(op)
            found = [self.get(result) for result in op.results]
            set_value_shardings(op, [each for each in found if each is not None])
