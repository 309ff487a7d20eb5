"""Stages on constants: each use gets a copy before propagation, and equal copies are merged after."""

from __future__ import annotations

from collections.abc import Iterable

from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Module, Operation, OpResult, Region, Value
from stablehlo_py.ir.types import QuantizedType, TensorType, Type
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.opset.effects import is_pure
from stablehlo_py.sharding.data_flow import flow_of
from stablehlo_py.sharding.edits import Edits, redirect
from stablehlo_py.sharding.groups import GROUP
from stablehlo_py.sharding.op_rules import is_elementwise
from stablehlo_py.sharding.stages.symbols import (
    CALL,
    SymbolTable,
    functions_by_calls,
    original_name,
    set_callee,
)

_PLAIN, _SPLIT = "stablehlo.constant", "sdy.constant"
_SOURCES = (_SPLIT, "stablehlo.iota")
_MOVES = ("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.slice")


def split_constants(module: Module) -> None:
    """Copy constant expressions, and broadcasts of scalars, for each user that is no such expression."""
    for op in module.walk():
        if op.name == _PLAIN and not _is_quantized(op.results[0].type):
            op.name = _SPLIT
    splitter = _Splitter(module)
    for function in functions_by_calls(module):
        bodies = [op for op in function.walk() if flow_of(op) == "body"]
        for op in reversed(bodies):
            splitter.split(op.regions[0], function)
        splitter.split(function.regions[0], function)


def _is_quantized(type: Type) -> bool:
    """Test whether a type has quantized elements, whose constants have the type of the storage."""
    return isinstance(type, TensorType) and isinstance(type.element_type, QuantizedType)


class _Splitter:
    """Splits the constants of a module; knows which functions and bodies compute more than constants."""

    def __init__(self, module: Module) -> None:
        self._table = SymbolTable(module)
        self._functions: set[str] = set()
        self._bodies: set[str] = set()
        self._constants: dict[Operation, None] = {}
        self._expansions: dict[Operation, None] = {}
        self._edits = Edits()

    def split(self, region: Region, function: Operation) -> None:
        self._constants, self._expansions = {}, {}
        for op in _walk(region):
            self._visit(op, function)
        self._erase([*self._expansions, *reversed(list(self._constants))])
        self._edits.apply()

    def _visit(self, op: Operation, function: Operation) -> None:
        if op.name == GROUP:
            return
        preserves = self._preserves(op)
        if op.name in _SOURCES or (preserves and all(map(self._is_constant, op.operands))):
            self._constants[op] = None
            return
        if not preserves and not has_trait(op.name, "terminator"):
            around = op.parent_op
            while around is not None and flow_of(around) != "body":
                around = around.parent_op
            if around is not None:
                self._bodies.add(str(around.python_value("name")))
            self._functions.add(original_name(function))
        if has_trait(op.name, "broadcast") and _is_scalar(op.operands[0]):
            self._expansions[op] = None
            return
        for index, value in enumerate(op.operands):
            made = isinstance(value, OpResult) and (
                value.op in self._constants or value.op in self._expansions
            )
            if made and isinstance(value, OpResult):
                op.set_operand(index, self._copy(value))

    def _preserves(self, op: Operation) -> bool:
        """Test whether an op on constants is a constant."""
        if op.name == CALL:
            return original_name(self._table.callee(op)) not in self._functions
        if flow_of(op) == "body":
            return str(op.python_value("name")) not in self._bodies
        return is_pure(op) and (op.name in _MOVES or is_elementwise(op))

    def _is_constant(self, value: Value) -> bool:
        return isinstance(value, OpResult) and value.op in self._constants

    def _copy(self, value: OpResult) -> Value:
        """Return a copy of an expression; scalars are not sharded and stay shared."""
        if _is_scalar(value):
            return value
        values: dict[Value, Value] = {}
        stack = [(value, False)]
        while stack:
            each, is_after_operands = stack.pop()
            if _is_scalar(each) or each in values:
                continue
            if not is_after_operands:
                stack.append((each, True))
                stack += [(v, False) for v in reversed(each.op.operands) if isinstance(v, OpResult)]
                continue
            made = clone_op(each.op, values)
            self._edits.insert_before(each.op, made)
            if made.name == CALL:
                set_callee(made, self._table.clone(self._table.callee(made)))
            for use in list(each.uses):
                if use.op.name == GROUP:
                    self._edits.insert_before(each.op, clone_op(use.op, values))
        return values[value]

    def _erase(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            users = {use.op for result in op.results for use in result.uses}
            if all(user.name == GROUP for user in users):
                for user in users:
                    self._edits.remove(user)
                self._edits.remove(op)


def _walk(region: Region) -> list[Operation]:
    """Return the ops of a region in preorder, without those in bodies that are split by themselves."""
    found: list[Operation] = []
    pending = [op for block in reversed(region.blocks) for op in reversed(block.ops)]
    while pending:
        op = pending.pop()
        found.append(op)
        if flow_of(op) != "body":
            pending += [inner for block in reversed(op.blocks) for inner in reversed(block.ops)]
    return found


def _is_scalar(value: Value) -> bool:
    return isinstance(value.type, TensorType) and not value.type.shape


def merge_constants(module: Module) -> None:
    """Merge equal constants, and equal broadcasts of a scalar, of a region: those with the same sharding."""
    edits = Edits()
    for function in module.functions.values():
        seen: dict[object, Operation] = {}
        for op in list(function.walk()):
            key = _key(op)
            if key is None:
                continue
            first = seen.setdefault(key, op)
            if first is not op:
                redirect(op.results[0], first.results[0])
                edits.remove(op)
    edits.apply()


def _key(op: Operation) -> object:
    """Return what constants or broadcasts have in common that can be merged; None for other ops."""
    definition = lookup(op.name)
    if definition is None or op.parent is None:
        return None
    region = op.parent.parent
    attributes = (frozenset(op.properties.items()), frozenset(op.attributes.items()))
    if "constant" in definition.traits:
        return (op.name, region, attributes)
    if "broadcast" in definition.traits and _is_scalar(op.operands[0]):
        return (op.name, region, attributes, op.results[0].type, op.operands[0])
    return None
