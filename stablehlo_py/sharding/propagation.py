"""Propagation of shardings through a module, from the values that have one to all others.

An op is visited when the sharding of one of its values changed; what its tensors agree on by its rule becomes
their sharding (`factor_propagation`). Shardings of a higher user priority propagate first, and within
a priority those that cost nothing to move: through elementwise ops, along pass-through factors, along any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from stablehlo_py.ir.attributes import Attribute, IntegerAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation, OpResult, Use, Value
from stablehlo_py.ir.types import TensorType, TupleType, UnrankedTensorType
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.opset.effects import is_dead
from stablehlo_py.sharding.annotations import (
    FunctionResult,
    Place,
    is_edge,
    manual_names,
    result_sharding,
    set_result_sharding,
    stated_shardings,
    transform_shardings,
    with_free_axes,
    without_manual_axes,
)
from stablehlo_py.sharding.axes import in_mesh_order
from stablehlo_py.sharding.custom_calls import OFFLOADS, target_of
from stablehlo_py.sharding.data_flow import (
    edge_of,
    edge_of_use,
    flow_of,
    is_body_of_operands,
    other_targets,
    owning_op,
    sources,
)
from stablehlo_py.sharding.errors import ShardingError
from stablehlo_py.sharding.factor_propagation import (
    BACKWARD,
    BOTH,
    FORWARD,
    NONE,
    DirectionOf,
    Strategy,
)
from stablehlo_py.sharding.groups import Groups
from stablehlo_py.sharding.mesh import Meshes
from stablehlo_py.sharding.op_rules import is_elementwise, rule_of, stated
from stablehlo_py.sharding.projection import project
from stablehlo_py.sharding.rules import Rule, identity_rule
from stablehlo_py.sharding.shardings import DimSharding, Sharding
from stablehlo_py.sharding.state import State
from stablehlo_py.sharding.values import shape_of
from stablehlo_py.sharding.worklist import Worklist

_PRIORITIES = 5


class Propagation:
    """Propagates the shardings of a module.

    Args:
        module: The module, with data-flow edges; it is changed.
        strategy: How the tensors of an op agree on the axes of a factor.
    """

    def __init__(self, module: Module, strategy: Strategy) -> None:
        self.module = module
        self.strategy = strategy
        self.meshes = Meshes(module)
        self.state = State()
        self._rules: dict[Operation, Rule | None] = {}
        self._worklist = Worklist()
        self._groups = Groups(module, self.state)

    # The order of priorities

    def run(self, by_user: bool = True, by_op: bool = True) -> None:
        """Propagate, by the priorities of the program and of ops, and write the shardings to the module."""
        _check_types(self.module)
        later = _Later(self.module, self.meshes) if by_user else None
        self._groups.agree()
        self._run_ops(by_op)
        for priority in later.priorities if later is not None else ():
            assert later is not None
            later.add(priority, self.state)
            self._run_ops(by_op)
        self.state.write()

    def _run_ops(self, by_op: bool) -> None:
        for priority in range(_PRIORITIES) if by_op else (_PRIORITIES - 1,):
            self._run_once(priority)

    def _run_once(self, priority: int) -> None:
        """Propagate until nothing changes, in the directions of a priority."""
        self._function_results()
        self._worklist.fill(self.module)
        while (op := self._worklist.pop()) is not None:
            if is_dead(op):
                self._worklist.erase(op)
                continue
            self._visit(op, priority)
        self._worklist.flush()
        self._function_results()

    # Ops

    def _visit(self, op: Operation, priority: int) -> None:
        if is_edge(op):
            self._visit_edge(op, priority)
            return
        rule = self._rule(op)
        if rule is None:
            return
        barrier = _barrier_direction(op)

        def direction(factor: int) -> int:
            if factor in rule.blocked:
                return NONE
            return _direction(op, rule, factor, priority) if barrier is None else barrier

        operands, results = op.operands, op.results
        given = [self.state.get(value) for value in operands]
        found = [self.state.get(value) for value in results]
        for place, sharding in self._agree(op, rule, direction, given, found):
            self._set((*operands, *results)[place], sharding, op)

    def _rule(self, op: Operation) -> Rule | None:
        if op not in self._rules:
            found = rule_of(op)
            if _barrier_direction(op) is not None:
                found = identity_rule(shape_of(op.result))
            self._rules[op] = found
        return self._rules[op]

    def _visit_edge(self, op: Operation, priority: int) -> None:
        type, owner = op.results[0].type, op.operands[0]
        around = owning_op(owner)
        if not isinstance(type, TensorType) or not type.is_static or around is None:
            return
        uses = sources(around, owner)
        values = [use.op.operands[use.position] for use in uses]
        rule = identity_rule(shape_of(op.results[0]), len(values))
        target = self.state.get(op.results[0])
        if target is not None:
            target = before_edge(around, owner, target)

        def direction(factor: int) -> int:
            return _direction(op, rule, factor, priority)

        given = [self.state.get(value) for value in values]
        for place, sharding in self._agree(op, rule, direction, given, [target]):
            if place < len(values):
                self._set(values[place], sharding, op)
            else:
                self._set(op.results[0], _after_edge(around, owner, sharding), op)

    def _agree(
        self,
        op: Operation,
        rule: Rule,
        direction: DirectionOf,
        operands: Sequence[Sharding | None],
        results: Sequence[Sharding | None],
    ) -> list[tuple[int, Sharding]]:
        """Return the new shardings of an op's values, by their place: operands first."""
        mesh = self._common_mesh((*operands, *results))
        if mesh is None or self.meshes.find(mesh).is_single_device:
            return []
        sizes = self.meshes.find(mesh).sizes
        projection = project(operands, results, rule, sizes)
        updated = self.strategy(projection, direction, rule.sizes, sizes, is_elementwise(op))
        changed = []
        for place, old in enumerate((*operands, *results)):
            if updated[place]:
                tensor = projection.tensors[place]
                new = tensor.sharding(rule.tensors[place], rule, mesh, sizes)
                if new != old and (old is not None or not new.is_empty):
                    changed.append((place, new))
        return changed

    def _common_mesh(self, shardings: Iterable[Sharding | None]) -> Attribute | None:
        """Return the mesh of shardings; None if they have none, or different ones."""
        found: Attribute | None = None
        for sharding in shardings:
            if sharding is None:
                continue
            if found is None or not self._has_devices(found):
                found = sharding.mesh
            elif self._has_devices(sharding.mesh) and self.meshes.find(found) != self.meshes.find(
                sharding.mesh
            ):
                return None
        return found

    def _has_devices(self, mesh: Attribute) -> bool:
        found = self.meshes.find(mesh)
        return bool(found.axes or found.device_ids)

    # Changes

    def _set(self, value: Value, sharding: Sharding, op: Operation | None) -> None:
        """Set the sharding of a value and of its group; visit the ops around them, but for `op`."""
        holder = self.state.holder(value)
        if holder is None:
            return
        self.state.set(holder, sharding)
        self._notify(holder, op)
        for other in self._groups.members(holder):
            if other is not holder:
                self.state.set(other, sharding)
                self._notify(other, op)

    def _notify(self, value: Value, visited: Operation | None) -> None:
        """Visit the ops around a value whose sharding changed."""

        def push(op: Operation | None) -> None:
            if op is not None and op is not visited:
                self._worklist.push(op)

        if isinstance(value, OpResult) and is_edge(value.op):
            owner = value.op.operands[0]
            around = owning_op(owner)
            for target in other_targets(around, owner) if around is not None else ():
                self._notify_users(target, push)
        push(owning_op(value))
        self._notify_users(value, push)

    def _notify_users(self, value: Value, push: Callable[[Operation | None], None]) -> None:
        for use in reversed(list(value.uses)):
            edge = edge_of_use(use)
            if edge is not None:
                push(edge)
            elif has_trait(use.op.name, "terminator"):
                push(use.op.parent_op)
            elif is_body_of_operands(use.op):
                self._notify_users(use.op.regions[0].block.arguments[use.position], push)
            else:
                push(use.op)

    def _function_results(self) -> None:
        """Propagate between the results of the main function and what it returns."""
        function = main_function(self.module)
        blocks = function.regions[0].blocks if function is not None and function.regions else []
        last = blocks[0].terminator if blocks else None
        if function is None or last is None:
            return
        for use in [Use(last, index) for index in range(len(last.operands))]:
            value = last.operands[use.position]
            if isinstance(value.type, TensorType) and value.type.is_static:
                self._function_result(FunctionResult(function, use.position), value)

    def _function_result(self, place: FunctionResult, value: Value) -> None:
        rule = identity_rule(shape_of(value))
        given, stated = self.state.get(value), result_sharding(place)
        for index, sharding in self._agree(place.function, rule, lambda _: BOTH, [given], [stated]):
            if index == 0:
                self._set(value, sharding, None)
            else:
                set_result_sharding(place, sharding)


def _check_types(module: Module) -> None:
    """Raises ShardingError for tuples, and for tensors whose shapes are not known."""
    for op in module.walk():
        for result in op.results:
            type = result.type
            if isinstance(type, TupleType):
                raise ShardingError(op, "shardings do not propagate through tuples")
            if isinstance(type, UnrankedTensorType) or (isinstance(type, TensorType) and not type.is_static):
                raise ShardingError(op, f"shardings propagate through static shapes only, not {type}")


def main_function(module: Module) -> Operation | None:
    """Return the function `main`, or the only one; None if there is none."""
    functions = module.functions
    return functions.get("main") or (next(iter(functions.values())) if len(functions) == 1 else None)


# Directions


def _barrier_direction(op: Operation) -> int | None:
    """Return the direction in which an op lets shardings pass, if it is a barrier."""
    allowed = op.attribute("allowed_direction")  # the numbers of Shardy's enumeration are those here
    return allowed.value if isinstance(allowed, IntegerAttr) and has_trait(op.name, "identity") else None


def _direction(op: Operation, rule: Rule, factor: int, priority: int) -> int:
    """Return the directions in which shardings propagate along a factor of an op, at a priority or before."""
    found = _early_direction(op, allow_uses=priority > 0)
    broadcasts = BACKWARD if has_trait(op.name, "broadcast") else BOTH
    if priority > 1 and rule.kinds[factor] == "pass_through":
        found |= broadcasts
    if priority > 2:
        found |= broadcasts
    return BOTH if priority > 3 else found


def _early_direction(op: Operation, allow_uses: bool) -> int:
    """Return the directions of an op through which it costs nothing to move a sharding."""
    found = stated(op)
    if not (is_elementwise(op) or found.early or target_of(op) in OFFLOADS):
        return NONE
    if not allow_uses and any(len(value.uses) != 1 and not _is_scalar(value) for value in op.operands):
        return NONE
    return FORWARD if found.forward else BOTH


def _is_scalar(value: Value) -> bool:
    return isinstance(value.type, TensorType) and not value.type.shape


# Edges of manual computations: inside, the manual axes are gone


def before_edge(op: Operation, owner: Value, sharding: Sharding) -> Sharding:
    """Return the sharding of what an op passes to the owner of an edge, given that of the owner."""
    if flow_of(op) != "manual_body":
        return sharding
    names = manual_names(op)
    if isinstance(owner, BlockArgument):
        return with_free_axes(_outer(op, owner), sharding, names)
    return without_manual_axes(sharding, names)


def _after_edge(op: Operation, owner: Value, sharding: Sharding) -> Sharding:
    if flow_of(op) != "manual_body":
        return sharding
    names = manual_names(op)
    if isinstance(owner, BlockArgument):
        return without_manual_axes(sharding, names)
    return with_free_axes(_outer(op, owner), sharding, names)


def _outer(op: Operation, owner: Value) -> Sharding:
    name = "in_shardings" if isinstance(owner, BlockArgument) else "out_shardings"
    found = stated_shardings(op, name)
    return found[owner.index]  # type: ignore[attr-defined]


class _Later:
    """The dimensions of shardings with a priority above 0, which are empty until their turn."""

    def __init__(self, module: Module, meshes: Meshes) -> None:
        self._places: dict[int, list[tuple[Place, Sharding]]] = {}
        self._meshes = meshes
        transform_shardings(module, self._first)

    @property
    def priorities(self) -> list[int]:
        """The priorities above 0, in order."""
        return sorted(self._places)

    def _first(self, sharding: Sharding, place: Place | None) -> Sharding:
        """Return a sharding with the dimensions of priority 0 alone; the axes of others are replicated."""
        if isinstance(place, Value) and edge_of(place) is not None:
            return sharding
        later = [dim for dim in sharding.dims if dim.priority]
        for priority in sorted({dim.priority or 0 for dim in later}):
            if place is not None:
                self._places.setdefault(priority, []).append((place, sharding))
        sizes = self._meshes.find(sharding.mesh).sizes
        held = (*sharding.replicated, *[axis for dim in later for axis in dim.axes])
        dims = [
            DimSharding((), True) if dim.priority else replace(dim, priority=None) for dim in sharding.dims
        ]
        return replace(sharding, dims=tuple(dims), replicated=tuple(in_mesh_order(held, sizes)))

    def add(self, priority: int, state: State) -> None:
        """Restore the dimensions of a priority."""
        for place, original in self._places[priority]:
            current = result_sharding(place) if isinstance(place, FunctionResult) else state.get(place)
            assert current is not None
            found = _restored(current, original, priority)
            if isinstance(place, FunctionResult):
                set_result_sharding(place, found)
            else:
                state.set(place, found)


def _restored(current: Sharding, original: Sharding, priority: int) -> Sharding:
    pairs = list(zip(current.dims, original.dims, strict=True))
    dims = [replace(old, priority=None) if (old.priority or 0) == priority else dim for dim, old in pairs]
    seen = {axis for old in original.dims if (old.priority or 0) == priority for axis in old.axes}
    kept = tuple([axis for axis in current.replicated if axis not in seen])
    return replace(current, dims=tuple(dims), replicated=kept)
