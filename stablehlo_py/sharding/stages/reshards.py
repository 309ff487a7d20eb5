"""Stages that make communication explicit: reshards of operands and results, and reductions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from stablehlo_py.ir.attributes import Attribute, IntegerAttr
from stablehlo_py.ir.core import Module, Operation, OpResult, Value
from stablehlo_py.ir.types import I32
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.opset.structures import ENUMS
from stablehlo_py.sharding.annotations import (
    FunctionResult,
    argument_shardings,
    result_sharding,
    set_sharding,
    sharding_of,
)
from stablehlo_py.sharding.axes import Axes, Axis, difference, sorted_and_merged
from stablehlo_py.sharding.common_axes import common_axes
from stablehlo_py.sharding.data_flow import argument_owners, flow_of, sources
from stablehlo_py.sharding.edits import Edits, redirect
from stablehlo_py.sharding.factor_rules import concatenates
from stablehlo_py.sharding.mesh import Meshes
from stablehlo_py.sharding.op_rules import rule_of
from stablehlo_py.sharding.projection import Projection, project
from stablehlo_py.sharding.propagation import before_edge
from stablehlo_py.sharding.rules import Rule
from stablehlo_py.sharding.shardings import (
    Sharding,
    axis_ref_list,
    rank_of,
    replicated,
    to_attribute,
)
from stablehlo_py.sharding.stages.calls import RESHARD
from stablehlo_py.sharding.stages.symbols import CALL, SymbolTable, postorder
from stablehlo_py.sharding.values import shape_of

_REDUCE = "sdy.all_reduce"


def insert_explicit_reshards(module: Module, everywhere: bool = False) -> None:
    """Insert reshards where the operands and results of an op differ in a way that must be explicit.

    Args:
        module: The module, after propagation; it is changed.
        everywhere: Whether that is so for all ops; by default for concatenations and calls.
    """
    resharding = _Resharding(module, everywhere)
    for function in module.functions.values():
        if function.regions and function.regions[0].blocks:
            resharding.run(function)


class _Resharding:
    def __init__(self, module: Module, everywhere: bool) -> None:
        self.meshes = Meshes(module)
        self.table = SymbolTable(module)
        self.everywhere = everywhere
        self.edits = Edits()

    def run(self, function: Operation) -> None:
        for op in postorder(function)[:-1]:
            if not has_trait(op.name, "terminator"):
                self._visit(op)
        last = function.entry_block.ops[-1]
        for index in range(len(last.operands)):
            target = result_sharding(FunctionResult(function, index))
            self._require(last, index, target, self.everywhere, last)
        self.edits.apply()

    def _visit(self, op: Operation) -> None:
        is_full = self._is_full(op)
        if flow_of(op):
            self._visit_flow(op, is_full)
            return
        if op.name == CALL:
            self._visit_call(op)
            return
        self._reduce_operands(op)
        operands = [sharding_of(value) for value in op.operands]
        results = [sharding_of(value) for value in op.results]
        rule = rule_of(op)
        mesh = self._mesh((*operands, *results))
        if rule is None or rule.is_custom or mesh is None:
            return
        projection = project(operands, results, rule, self.meshes.find(mesh).sizes, closed_if_missing=True)
        axes: list[Axes] | None = None
        if is_full:
            axes = self._align(op, rule, projection, mesh)
        elif _is_dot(op):
            self._reshard_result(op, rule, projection, results[0], mesh)
        self._reduce_results(op, rule, projection, axes, mesh)

    def _is_full(self, op: Operation) -> bool:
        if self.everywhere or op.name == CALL:
            return True
        return concatenates(op) and any(sharding_of(v) != sharding_of(op.results[0]) for v in op.operands)

    def _mesh(self, shardings: Sequence[Sharding | None]) -> Attribute | None:
        """Return the mesh that most shardings have; None if they have none, or meshes of other devices."""
        given = [sharding for sharding in shardings if sharding is not None]
        if not given:
            return None
        found = {self.meshes.find(each.mesh).axes for each in given if self.meshes.find(each.mesh).axes}
        if len(found) > 1 or any(self.meshes.find(each.mesh).is_single_device for each in given):
            return None
        divided = [each.mesh for each in given if not each.is_replicated] or [each.mesh for each in given]
        return max(divided, key=divided.count)

    # Reshards

    def _require(
        self,
        op: Operation,
        index: int,
        target: Sharding | None,
        is_full: bool,
        before: Operation | None = None,
    ) -> None:
        """Let an operand of an op have a sharding: reduce what is unreduced, and reshard."""
        value = op.operands[index]
        found = sharding_of(value)
        if found is not None and found.unreduced:
            found = self._reduce_use(op, index, found, target, before)
        if is_full and not _are_alike(found, target):
            assert target is not None or found is not None
            wanted = target or replicated(len(found.dims), found.mesh, True)  # type: ignore[union-attr]
            self._reshard_use(op, index, wanted, before)

    def _reshard_use(self, op: Operation, index: int, sharding: Sharding, before: Operation | None) -> None:
        value = op.operands[index]
        made = Operation(RESHARD, (value,), [value.type], {"sharding": to_attribute(sharding)})
        if before is not None:
            self.edits.insert_before(before, made)
        else:
            self.edits.insert_after_value(value, made, first=True)
        op.set_operand(index, made.result)

    def _visit_flow(self, op: Operation, is_full: bool) -> None:
        for owner in (*op.results, *argument_owners(op)):
            target = sharding_of(owner)
            target = before_edge(op, owner, target) if target is not None else None
            for use in sources(op, owner):
                self._require(use.op, use.position, target, is_full)

    def _visit_call(self, call: Operation) -> None:
        shardings = argument_shardings(self.table.callee(call))
        given = [each for each in shardings if each is not None]
        mesh = next((each.mesh for each in given), None)
        closed = mesh is None
        if mesh is None:
            found = [each for each in map(sharding_of, call.operands) if each is not None]
            mesh = next((each.mesh for each in found), None)
        if mesh is None:
            return
        for index, sharding in enumerate(shardings):
            target = sharding or replicated(rank_of(call.operands[index].type), mesh, closed)
            self._require(call, index, target, True)

    def _align(self, op: Operation, rule: Rule, projection: Projection, mesh: Attribute) -> list[Axes]:
        """Reshard operands and results so that each factor has the same axes everywhere."""
        sizes = self.meshes.find(mesh).sizes
        values = (*op.operands, *op.results)
        axes = common_axes(projection, rule, [prod(shape_of(value)) for value in values], sizes)
        changed = [False] * len(values)
        for factor, found in enumerate(axes):
            for index, tensor in enumerate(projection.tensors):
                changed[index] |= tensor.update(factor, found)
        for index, value in enumerate(values):
            if not changed[index]:
                continue
            sharding = projection.tensors[index].sharding(rule.tensors[index], rule, mesh, sizes)
            if index < len(op.operands):
                self._reshard_use(op, index, sharding, op)
            else:
                assert isinstance(value, OpResult)
                old = sharding_of(value) or replicated(len(sharding.dims), mesh, True)
                self._reshard_behind(value, old)
                set_sharding(value, sharding)
        return axes

    def _reshard_behind(self, value: OpResult, sharding: Sharding) -> None:
        made = Operation(RESHARD, (), [value.type], {"sharding": to_attribute(sharding)})
        redirect(value, made.result)
        made.use_operands([value])
        self.edits.insert_after(value.op, made)

    def _reshard_result(
        self, op: Operation, rule: Rule, projection: Projection, result: Sharding | None, mesh: Attribute
    ) -> None:
        """Let a dot keep the axes of a large operand, where its result takes those of the reduction."""
        if result is None:
            return
        factor = _conflict(op, rule, projection)
        if factor is None:
            return
        left, right, out = projection.tensors
        reduced = [
            axis for f in rule.of_kind("reduction") if f in left.factors for axis in left.factors[f].axes
        ]
        if not out.factors[factor].axes or list(out.factors[factor].axes) != reduced:
            return
        operand = left if factor in left.factors else right
        out.factors[factor].axes = operand.factors[factor].axes
        sizes = self.meshes.find(mesh).sizes
        set_sharding(op.results[0], out.sharding(rule.results[0], rule, mesh, sizes))
        self._reshard_behind(op.results[0], result)

    # Reductions

    def _reduce_operands(self, op: Operation) -> None:
        first = sharding_of(op.results[0]) if op.results else None
        for index, value in enumerate(op.operands):
            found = sharding_of(value)
            if op.results and found is not None and found.unreduced:
                self._reduce_use(op, index, found, first, op)

    def _reduce_use(
        self, op: Operation, index: int, found: Sharding, target: Sharding | None, before: Operation | None
    ) -> Sharding:
        """Reduce an operand along the axes along which its user does not want it unreduced."""
        sizes = self.meshes.find(found.mesh).sizes
        axes = difference(found.unreduced, target.unreduced if target is not None else (), sizes)
        if not axes:
            return found
        kept = difference(found.unreduced, axes, sizes)
        sharding = replace(found, unreduced=kept)
        value = op.operands[index]
        made = self._reduction(value, axes, found.reduction, sharding)
        if before is not None:
            self.edits.insert_before(before, made)
        else:
            self.edits.insert_after_value(value, made, first=True)
        op.set_operand(index, made.result)
        return sharding

    def _reduction(self, value: Value, axes: Axes, kind: str, sharding: Sharding) -> Operation:
        properties: dict[str, Attribute] = {
            "reduction_axes": axis_ref_list(axes),
            "out_sharding": to_attribute(sharding),
        }
        if kind != "sum":
            properties["reduction_op"] = IntegerAttr(ENUMS["sdy.reduction_op"].values.index(kind), I32)
        return Operation(_REDUCE, (value,), [value.type], properties)

    def _reduce_results(
        self, op: Operation, rule: Rule, projection: Projection, axes: list[Axes] | None, mesh: Attribute
    ) -> None:
        """Reduce the results along the axes of reduction factors, unless they are to stay unreduced."""
        if not op.results:
            return
        first = sharding_of(op.results[0])
        unreduced = first.unreduced if first is not None else ()
        reduced: list[Axis] = []
        for factor in rule.of_kind("reduction"):
            if axes is not None:
                reduced += axes[factor]
            elif unreduced:
                found = [t.factors[factor].axes for t in projection.tensors if factor in t.factors]
                reduced += found[0]
        sizes = self.meshes.find(mesh).sizes
        left = sorted_and_merged(difference(reduced, unreduced, sizes), sizes)
        for result in reversed(op.results) if left else ():
            sharding = sharding_of(result) or replicated(rank_of(result.type), mesh, True)
            made = self._reduction(result, left, sharding.reduction, sharding)
            redirect(result, made.result, [made])
            self.edits.insert_after(op, made, first=True)


def _are_alike(found: Sharding | None, target: Sharding | None) -> bool:
    if found is None:
        return target is None or target.is_replicated
    return found.is_like(target)


def _is_dot(op: Operation) -> bool:
    definition = lookup(op.name)
    return definition is not None and definition.cost.work in ("contraction", "matrix_product")


def _conflict(op: Operation, rule: Rule, projection: Projection) -> int | None:
    """Return the one factor whose axes differ between the result of a dot and an operand, or None."""
    left, right, out = projection.tensors
    sizes = [prod(shape_of(value)) for value in (*op.operands, op.results[0])]
    seen: list[Axis] = []
    found: int | None = None
    for factor, kind in enumerate(rule.kinds):
        ours, theirs = left.factors.get(factor), right.factors.get(factor)
        if ours is not None and theirs is not None:
            if ours.axes != theirs.axes:
                return None
            if kind == "reduction":
                continue
            axes, size = ours.axes, max(sizes[0], sizes[1])
        else:
            here = ours or theirs
            if here is None:
                continue
            axes, size = here.axes, sizes[0] if ours is not None else sizes[1]
            if any(axis.overlaps(other) for axis in axes for other in seen):
                return None
            seen += axes
        if out.factors[factor].axes != axes:
            if not axes or found is not None or sizes[2] > size:
                return None
            found = factor
    return found
