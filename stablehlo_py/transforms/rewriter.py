"""The rewriter: creates, replaces and erases ops, and notifies a driver of changes.

Blocks are edited lazily: created and erased ops reach `Block.ops` in a single pass, when the ops of the block
are read (`ops`) or at the end (`flush`). So the cost of a rewrite does not depend on the length of its block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import Attribute, DictAttr, StructAttr
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Block, Module, Operation, OpResult, Region, Value
from stablehlo_py.ir.origins import derive
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.opset.definition import lookup
from stablehlo_py.opset.op_inputs import make_properties
from stablehlo_py.transforms.folding import elements_of, folded
from stablehlo_py.verifier.constraints import ConstraintChecker
from stablehlo_py.verifier.inference import infer_types

CONSTANT = "stablehlo.constant"
_FRONTEND = "mhlo.frontend_attributes"
_PER_VALUE = "sdy.sharding_per_value"  # has an entry for each result


class Rewriter:
    """Changes a module, at an insertion point.

    Attributes:
        module: The module.
        options: The options of the pass.
        created: The ops that were created since the list was last cleared.
        touched: The ops whose operands, uses or attributes changed since then.
    """

    def __init__(self, module: Module, options: Mapping[str, Any] | None = None) -> None:
        self.module = module
        self.options = options or {}
        self.created: list[Operation] = []
        self.touched: list[Operation] = []
        self._at: Operation | None = None
        self._end: Block | None = None
        self._before: dict[Operation, list[Operation]] = {}
        self._dirty: set[Block] = set()
        self._inferred: dict[Any, tuple[Type, ...]] = {}

    # Insertion

    def at(self, op: Operation) -> Rewriter:
        """Create ops before `op` from now on, with its location; return this rewriter."""
        self._at, self._end = op, None
        return self

    def at_end(self, block: Block) -> Rewriter:
        """Create ops at the end of a block from now on; return this rewriter."""
        self._at, self._end = None, block
        return self

    def insert(self, op: Operation) -> Operation:
        """Insert an op at the insertion point and return it; it gets the location there if it has none."""
        if self._end is not None:
            self._end.append(op)
        else:
            at = self._at
            assert at is not None and at.parent is not None
            op.parent = at.parent
            derive(op, at)
            self._before.setdefault(at, []).append(op)
            self._dirty.add(at.parent)
        self.created.append(op)
        self.touched += [value.op for value in op.operands if isinstance(value, OpResult)]
        return op

    def create(
        self,
        name: str,
        operands: Sequence[Value] = (),
        inputs: Mapping[str, Any] | None = None,
        types: Sequence[Type] | None = None,
        regions: Sequence[Region] = (),
        attributes: Mapping[str, Attribute] | None = None,
    ) -> Operation:
        """Create an op at the insertion point.

        Args:
            name: The full name of the op.
            operands: The operands.
            inputs: The constant inputs by the definition's names, as Python values or attributes.
            types: The types of the results; inferred by default.
            regions: The regions.
            attributes: The discardable attributes.

        Returns:
            The op.

        Raises:
            ValueError: If the definition does not determine the types.
        """
        definition = lookup(name)
        assert definition is not None, name
        properties = make_properties(definition, inputs or {})
        if types is None:
            types = self.infer(name, operands, properties, regions)
        return self.insert(Operation(name, operands, types, properties, attributes, regions))

    def value(self, name: str, operands: Sequence[Value] = (), **inputs: Any) -> Value:
        """Create an op with one result, see `create`, and return the result; `type` is its type."""
        type = inputs.pop("type", None)
        return self.create(name, operands, inputs, None if type is None else [type]).result

    def constant(self, value: Any, type: Type) -> Value:
        """Create a constant at the insertion point.

        Args:
            value: A number, for a splat; an array of the type's shape; or elements as an attribute.
            type: A static tensor type.

        Returns:
            The result of the constant.
        """
        elements = value if isinstance(value, Attribute) else elements_of(value, type)
        return self.insert(Operation(CONSTANT, (), [type], {"value": elements})).result

    def clone(self, op: Operation, values: dict[Value, Value] | None = None) -> Operation:
        """Create a copy of an op at the insertion point; see `ir.cloning.clone_op`."""
        return self.insert(clone_op(op, values))

    def infer(
        self,
        name: str,
        operands: Sequence[Value],
        properties: Mapping[str, Attribute],
        regions: Sequence[Region],
    ) -> tuple[Type, ...]:
        """Infer the result types of an op; raise ValueError if its definition does not determine them."""
        key = None
        if not regions:
            key = (name, tuple([value.type for value in operands]), tuple(properties.items()))
            if key in self._inferred:
                return self._inferred[key]
        inference = infer_types(name, operands, properties, regions)
        types = tuple([result.type for result in inference.results if result.type is not None])
        if inference.diagnostics or len(types) < len(inference.results):
            reasons = [
                *map(str, inference.diagnostics),
                *[str(h) for r in inference.results for h in r.holes],
            ]
            raise ValueError(f"the result types of {name} cannot be inferred: {'; '.join(reasons)}")
        if key is not None:
            self._inferred[key] = types
        return types

    # Changes

    def replace(self, op: Operation, values: Sequence[Value | None], merge: bool = True) -> None:
        """Replace an op by values and erase it.

        Args:
            op: The op.
            values: A value for each result; None for one without uses.
            merge: Whether the op's discardable attributes are added to the op that defines the values.
        """
        for result, value in zip(op.results, values, strict=True):
            if value is None:
                continue
            self.touched += [use.op for use in result.uses]
            if isinstance(value, OpResult):
                _take_place(value, result)
            result.replace_all_uses(value)
        if merge and op.attributes:
            indices = {value: index for index, value in enumerate(values)}
            for target in dict.fromkeys([value.op for value in values if isinstance(value, OpResult)]):
                places = [indices.get(result) for result in target.results]
                _merge_attributes(attributes_for(op, places), target)
        self.erase(op)

    def order_by_use(self, values: Sequence[Value]) -> None:
        """Order the created ops as a depth-first walk from values over operands visits them.

        So a formula can be written in a readable order. Ops that the values do not need are erased.

        Args:
            values: Values of ops that were created since the list of created ops was last cleared.
        """
        at = self._at
        assert at is not None
        left = dict.fromkeys(self.created)
        others = [op for op in self._before.get(at, ()) if op not in left]
        found: list[Operation] = []
        stack = [(value.op, False) for value in reversed(values) if isinstance(value, OpResult)]
        while stack:
            op, is_after_operands = stack.pop()
            if op not in left:
                continue
            if is_after_operands:
                del left[op]
                found.append(op)
                continue
            stack.append((op, True))
            stack += [(value.op, False) for value in reversed(op.operands) if isinstance(value, OpResult)]
        for op in reversed(list(left)):
            self.erase(op)
        self._before[at], self.created = [*others, *found], found

    def are_valid(self, values: Sequence[Value | None]) -> bool:
        """Test whether the ops that define values satisfy their constraints."""
        checker = ConstraintChecker(self.module)
        ops = [value.op for value in values if isinstance(value, OpResult)]
        return not any(d.severity == "error" for op in ops for d in checker.check(op))

    def discard(self) -> None:
        """Erase the ops that were created since the list of them was last cleared; none may be used."""
        for op in reversed(self.created):
            self.erase(op)
        self.created, self.touched = [], []

    def erase(self, op: Operation) -> None:
        """Erase an op whose results are unused, with its regions."""
        block = op.parent
        for inner in list(op.walk()) if op.regions else (op,):
            self.touched += [value.op for value in inner.operands if isinstance(value, OpResult)]
            inner.use_operands(())
            if inner.parent is not None:
                inner.parent = None
        if block is not None:
            self._dirty.add(block)

    def modified(self, op: Operation) -> None:
        """Note that attributes, types or regions of an op changed, so that rules are tried on it again."""
        self.touched.append(op)
        self.touched += [use.op for result in op.results for use in result.uses]

    def set_operands(self, op: Operation, operands: Sequence[Value]) -> None:
        """Replace the operands of an op."""
        self.touched += [value.op for value in op.operands if isinstance(value, OpResult)]
        op.use_operands(operands)
        self.modified(op)

    def fold(self, op: Operation) -> list[Value] | None:
        """Evaluate an op whose operands are constants.

        Args:
            op: The op.

        Returns:
            A new constant for each result; None if an operand is no constant, the size of a result is not
            known, or the op cannot be evaluated.
        """
        found = [constant_attribute(value) for value in op.operands]
        given = [each for each in found if each is not None]
        if len(given) < len(found) or not all(_is_static(result.type) for result in op.results):
            return None
        made = folded(op, given, self.module)
        if made is None:
            return None
        self.at(op)
        return [self.constant(each, each.type) for each in made]

    def inline(self, block: Block) -> Sequence[Value]:
        """Move the ops of a block to the insertion point, but for its terminator, which is erased.

        Args:
            block: The block, without arguments.

        Returns:
            The operands of the terminator.
        """
        at = self._at
        assert at is not None and at.parent is not None
        *ops, last = self.ops(block)
        returned = last.operands
        last.use_operands(())
        last.parent, block.ops = None, []
        for op in ops:
            op.parent = at.parent
        self._before.setdefault(at, []).extend(ops)
        self._dirty.add(at.parent)
        return returned

    # Blocks

    def ops(self, block: Block) -> list[Operation]:
        """Return the ops of a block, in order, with all changes."""
        if block in self._dirty:
            self._flush(block)
        return block.ops

    def flush(self) -> None:
        """Let `Block.ops` of all blocks have all changes."""
        for block in list(self._dirty):
            self._flush(block)

    def _flush(self, block: Block) -> None:
        self._dirty.discard(block)
        found: list[Operation] = []
        stack = block.ops[::-1]
        while stack:
            op = stack[-1]
            before = self._before.pop(op, None)
            if before:
                stack += before[::-1]
                continue
            stack.pop()
            if op.parent is block:
                found.append(op)
        block.ops = found


def constant_elements(value: Value) -> np.ndarray[Any, Any] | None:
    """Return the elements of a constant as an array of its shape; None for another value."""
    found = constant_attribute(value)
    return None if found is None else found.value


def _take_place(value: OpResult, result: OpResult) -> None:
    """Give a new value the name of the result that it replaces, and its op the position of that result."""
    if value.name is None and value.op.offset < 0:
        value.name = result.name
        if len(value.op.results) == 1:
            value.op.offset, value.op.end = result.op.offset, result.op.end


def _is_static(type: Type) -> bool:
    return isinstance(type, TensorType) and type.is_static


def attributes_for(op: Operation, indices: Sequence[int | None]) -> dict[str, Attribute]:
    """Return the discardable attributes of an op for its replacement.

    Args:
        op: The replaced op.
        indices: For each result of the replacement, the index of the result of `op` that it replaces, if any.

    Returns:
        The attributes. An attribute with an entry for each result keeps the entries of `indices`; it is left
        out if an index is missing.
    """
    found = dict(op.attributes)
    for name, value in op.attributes.items():
        if isinstance(value, StructAttr) and value.name == _PER_VALUE:
            entries = [value["shardings"][index] for index in indices if index is not None]
            found[name] = StructAttr(_PER_VALUE, (("shardings", tuple(entries)),))
            if not entries or None in indices:
                del found[name]
    return found


def _merge_attributes(attributes: Mapping[str, Attribute], target: Operation) -> None:
    """Add the attributes of an op to the attributes of the op that replaces it."""
    for name, value in attributes.items():
        old = target.attributes.get(name)
        if name == _FRONTEND and isinstance(old, DictAttr) and isinstance(value, DictAttr):
            value = DictAttr.of({**dict(old), **dict(value)})
        target.attributes[name] = value
