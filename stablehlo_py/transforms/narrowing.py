"""Narrowing: floats of a program get a narrower type, except for ops that keep their types.

A value has the type of the op that computes it. If ops of the other type use it, it is converted once, where
it is defined. Exact ops and values of control flow keep their types only on a path from an op that keeps its
types to another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr, StructAttr, TypeAttr
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Block, Module, Operation, OpResult, Value, erase_all
from stablehlo_py.ir.element_types import ELEMENT_TYPES, FLOATS, numpy_dtype, value_range
from stablehlo_py.ir.origins import derive
from stablehlo_py.ir.types import FloatType, FunctionType, IndexType, IntegerType, TensorType, Type
from stablehlo_py.opset.calls import callee, symbol_references
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.opset.definition import has_trait, lookup

CONVERT = "stablehlo.convert"
_EXACT = ("exact", "moves_data", "identity", "choice", "constant")
_AS_IT_IS = ("random", "received", "external_call", "composite", "single_op_body")
_NARROW, _KEPT, _CONSTANT, _FREE = range(4)  # nodes; others follow

Keep = Callable[[Operation], bool]


class Narrowing:
    """The types of a narrowed program.

    The types form a graph. A node is a set of values or operands with the same type. Edges lead from values
    to operands; a value is converted for an operand in another node.

    Args:
        module: The module.
        type: The narrow type.
        keep: Tests whether an op keeps the types of its operands and results. An op also keeps them if its
            function on elements contains such an op.
        signature: Whether arguments and results of public functions keep their types.
        accumulations: Whether reductions keep their types, and products the type of their result.
        constants: Whether constants are rounded in the program; otherwise they are converted at run time.

    Attributes:
        candidates: The ops for which `keep` is a choice; set by the run.
    """

    def __init__(
        self,
        module: Module,
        type: FloatType,
        keep: Keep,
        *,
        signature: bool,
        accumulations: bool = False,
        constants: bool = True,
    ) -> None:
        self._constants = constants
        self._module = module
        self._narrow = type
        self._keep = keep
        self._accumulations = accumulations
        self._public = _KEPT if signature else _NARROW
        self._functions = module.functions
        self._references: dict[str, list[Operation]] = {}  # the ops that name a symbol
        for op in module.walk():
            for name in set(symbol_references(op)):
                self._references.setdefault(name, []).append(op)
        self._count = _FREE
        self._nodes: dict[Value, int] = {}
        self._operands: dict[Operation, Sequence[int]] = {}
        self._readers: set[int] = set()  # nodes of exact ops without floats as results
        self.candidates: list[Operation] = []

    def run(self) -> None:
        """Narrow the module."""
        returns = {name: self._signature(name, op) for name, op in self._functions.items()}
        self._returns = returns
        for op in self._module.body.ops:
            name = str(op.python_value("sym_name"))
            if self._functions.get(name) is op:
                for block in op.blocks:
                    self._block(block, returns[name])
            else:
                self._op(op)
        kept = self._kept()
        _Rewrite(self._module, self._types(kept), self._operands, kept, self.type, self._constants).run()

    def type(self, type: Type) -> Type:
        """Return the narrow form of a type."""
        if isinstance(type, TensorType) and is_wider(type.element_type, self._narrow):
            return replace(type, element_type=self._narrow)
        return type

    # Nodes

    def _node(self) -> int:
        self._count += 1
        return self._count

    def _signature(self, name: str, function: Operation) -> Sequence[int]:
        """Set the nodes of the arguments of a function; return the nodes of its results."""
        blocks = function.regions[0].blocks
        count = len(blocks[0].terminator.operands) if len(blocks) == 1 and blocks[0].terminator else 0
        choose = self._chosen(name, function)
        for argument in [argument for block in blocks for argument in block.arguments]:
            self._nodes[argument] = choose()
        return [choose() for _ in range(count)]

    def _chosen(self, name: str, function: Operation) -> Callable[[], int]:
        """Return what gives the nodes of a signature; private functions follow their calls."""
        references = self._references.get(name, [])
        if len(function.regions[0].blocks) != 1 or not all(map(_is_plain_call, references)):
            return lambda: _KEPT
        if any(map(_is_on_elements, references)):
            return lambda: _KEPT
        if function.python_value("sym_visibility") == "private":
            return self._node
        return lambda: self._public

    def _block(self, block: Block, returns: Sequence[int]) -> None:
        for op in block.ops:
            if has_trait(op.name, "terminator"):
                self._set(op, () if op.successors else returns, ())
            else:
                self._op(op)

    def _op(self, op: Operation) -> None:
        """Set the nodes of an op and of what is in it."""
        definition = lookup(op.name)
        called = self._functions.get(callee(op) or "") if _is_plain_call(op) else None
        if called is not None:
            arguments = called.entry_block.arguments if called.regions[0].blocks else ()
            self._set(op, [self._nodes[a] for a in arguments], self._returns[str(callee(op))])
        elif has_trait(op.name, "runs_bodies") and not has_trait(op.name, "single_op_body"):
            assert definition is not None
            loops = definition.loop is not None and not definition.loop.dimension
            follows = (loops or has_trait(op.name, "branches")) and not self._keep(op)
            nodes = [self._node() if follows else _KEPT for _ in op.results]
            self._set(op, nodes if loops else [_KEPT] * len(op.operands), nodes)
            for block in op.blocks:
                self._nodes |= {a: nodes[a.index] if loops else _KEPT for a in block.arguments}
                self._block(block, nodes if not loops or _carries(block, op) else [_KEPT])
        else:
            self._computation(op)

    def _set(self, op: Operation, operands: Sequence[int], results: Sequence[int]) -> None:
        """Set the nodes of operands and results; operands beyond them keep their types."""
        self._operands[op] = [*operands, *[_KEPT] * (len(op.operands) - len(operands))]
        self._nodes |= zip(op.results, results, strict=False)

    def _computation(self, op: Operation) -> None:
        """Set the nodes of an op that computes its results, with its regions on elements."""
        node = self._choice(op)
        operands = node
        if node == _NARROW and self._accumulations and _work(op) in _PRODUCTS:
            node = _KEPT
        for inner in op.walk():
            for block in inner.blocks:
                self._nodes |= dict.fromkeys(block.arguments, node)
            constant = constant_attribute(inner.results[0]) if inner.results else None
            self._set(inner, [operands] * len(inner.operands), [node] * len(inner.results))
            if constant is not None and isinstance(inner.results[0].type, TensorType):
                self._nodes[inner.results[0]] = _CONSTANT
        if has_trait(op.name, "identity") and node > _FREE:
            nodes = [self._node() for _ in op.results]
            self._set(op, nodes, nodes)

    def _choice(self, op: Operation) -> int:
        """Return the node of an op; the first ones are decided."""
        values = [*op.operands, *op.results]
        floats = [value for value in values if self.type(value.type) is not value.type]
        if not floats or has_trait(op.name, "constant") or not _has_narrow_form(op):
            return _KEPT
        if op.blocks and any(map(_is_plain_call, op.walk())):
            return _KEPT  # as the function does
        if has_trait(op.name, "conversion"):
            if not isinstance(op.results[0].type, TensorType) or op.results[0] not in floats:
                return self._reader()
            if op.operands[0] not in floats and isinstance(_element(op.operands[0]), FloatType):
                return _NARROW  # exact, and nothing once it is narrow
        elif is_exact(op):
            return self._node() if any(result in floats for result in op.results) else self._reader()
        self.candidates.append(op)
        if any(map(self._keep, op.walk())) or (self._accumulations and _accumulates(op)):
            return _KEPT
        return _NARROW

    def _reader(self) -> int:
        self._readers.add(self._node())
        return self._count

    # Types

    def _kept(self) -> set[int]:
        """Return the nodes whose types are kept."""
        forward: dict[int, set[int]] = {}
        backward: dict[int, set[int]] = {}
        for op, nodes in self._operands.items():
            for operand, use in zip(op.operands, nodes, strict=False):
                forward.setdefault(self._nodes.get(operand, _KEPT), set()).add(use)
                backward.setdefault(use, set()).add(self._nodes.get(operand, _KEPT))
        computed = _reached(forward, [_KEPT])
        readers = self._readers & computed
        constant = _reached(forward, [_CONSTANT], forward.get(_NARROW, ()))
        between = (computed | constant) & _reached(backward, [_KEPT, *readers])
        return {_KEPT, _CONSTANT} | readers | between

    def _types(self, kept: set[int]) -> dict[Value, Type]:
        return {v: v.type if node in kept else self.type(v.type) for v, node in self._nodes.items()}


class _Rewrite:
    """The changes of a module, given the types of its values and the nodes of operands."""

    def __init__(
        self,
        module: Module,
        types: dict[Value, Type],
        operands: dict[Operation, Sequence[int]],
        kept: set[int],
        narrow: Callable[[Type], Type],
        constants: bool,
    ) -> None:
        self._constants = constants
        self._module = module
        self._types = types
        self._operands = operands
        self._kept = kept
        self._narrow = narrow
        self._made: dict[tuple[Value, Type], Value] = {}
        self._after: dict[Operation | Block, list[Operation]] = {}

    def run(self) -> None:
        """Change the module."""
        ops = list(self._module.walk())
        wanted = {op: [self._operand(op, i) for i in range(len(op.operands))] for op in self._operands}
        for op, values in wanted.items():
            if any(a is not b for a, b in zip(op.operands, values, strict=True)):
                op.use_operands(values)
        for value, type in self._types.items():
            if value.type is not type:
                value.type = type
                if isinstance(value, OpResult):
                    _drop_types(value.op)
        _insert(self._after)
        for op in ops:
            if op.is_function:
                _retype(op)
        _clean(ops)

    def _operand(self, op: Operation, index: int) -> Value:
        """Return the value to use as an operand: of the type that the op takes."""
        value, node = op.operands[index], self._operands[op][index]
        type = value.type if node in self._kept else self._narrow(value.type)
        return value if self._types.get(value, value.type) == type else self._converted(value, type)

    def _converted(self, value: Value, type: Type) -> Value:
        if (value, type) not in self._made:
            source = value.op if isinstance(value, OpResult) else value
            elements = constant_attribute(value) if self._constants else None
            if isinstance(value, OpResult) and elements is not None:
                made = clone_op(value.op)
                made.properties = {**made.properties, "value": _rounded(elements, type)}
                made.results[0].type = type
            else:
                made = derive(Operation(CONVERT, [value], [type]), source)  # type: ignore[arg-type]
            place = value.op if isinstance(value, OpResult) else value.block  # type: ignore[attr-defined]
            self._after.setdefault(place, []).append(made)
            self._made[value, type] = made.result
        return self._made[value, type]


_PRODUCTS = ("contraction", "matrix_product", "convolution", "einsum", "ragged_contraction")
_SUMS = ("reduction", "window_reduction", "select_and_scatter", "scatter", "combination", "normalization")


def _work(op: Operation) -> str:
    definition = lookup(op.name)
    return definition.cost.work if definition is not None else ""


def _accumulates(op: Operation) -> bool:
    """Test whether an op adds up many elements with a region."""
    return _work(op) in _SUMS


def narrow_type(name: str) -> FloatType:
    """Return the type of a name; raise ValueError if a program cannot be narrowed to it."""
    rows = [row for row in ELEMENT_TYPES.values() if row.format is not None and row.numpy]
    known = [row.name for row in rows if row.format is not None and row.format.signed]
    if name not in known:
        raise ValueError(f"type is {name!r}; it is one of: {', '.join(known)}")
    return FloatType(name)


def is_wider(type: Type, narrow: FloatType) -> bool:
    """Test whether a type is of floats with more significant digits than a narrow type."""
    if not isinstance(type, FloatType) or type.name not in FLOATS:
        return False
    return FLOATS[type.name].significand > FLOATS[narrow.name].significand


def _element(value: Value) -> Type | None:
    return value.type.element_type if isinstance(value.type, TensorType) else None


def _is_plain_call(op: Operation) -> bool:
    definition = lookup(op.name)
    return definition is not None and bool(definition.callee) and not has_trait(op.name, "composite")


def _is_on_elements(op: Operation) -> bool:
    """Test whether an op is in a region that is applied to elements."""
    outer = op.parent_op
    while outer is not None and not outer.is_function:
        if not has_trait(outer.name, "runs_bodies") or has_trait(outer.name, "single_op_body"):
            return True
        outer = outer.parent_op
    return False


def _carries(block: Block, loop: Operation) -> bool:
    """Test whether a block of a loop returns what the loop carries."""
    return block.terminator is not None and len(block.terminator.operands) == len(loop.results)


def _has_narrow_form(op: Operation) -> bool:
    """Test whether an op is defined by its operands, and these are tensors of floats and integers."""
    if lookup(op.name) is None or any(has_trait(op.name, trait) for trait in _AS_IT_IS):  # type: ignore[arg-type]
        return False
    elements = [_element(value) for value in (*op.operands, *op.results)]
    if not all(isinstance(each, FloatType | IntegerType | IndexType) for each in elements):
        return False
    return any(has_trait(op.name, t) for t in ("pure", "recursive_effects", "accumulation", "communicates"))


def is_exact(op: Operation) -> bool:
    """Test whether an op rounds nothing: it or, if it combines elements, all ops of its region."""
    if any(has_trait(op.name, trait) for trait in _EXACT):  # type: ignore[arg-type]
        return True
    inner = [each for block in op.blocks for each in block.ops]
    return bool(inner) and all(has_trait(each.name, "terminator") or is_exact(each) for each in inner)


def _reached(edges: dict[int, set[int]], start: Iterable[int], apart: Collection[int] = ()) -> set[int]:
    """Return the nodes reachable from some nodes, without passing through `apart`."""
    pending, found = list(start), set[int]()
    while pending:
        for node in edges.get(pending.pop(), ()):
            if node > _FREE and node not in found and node not in apart:
                found.add(node)
                pending.append(node)
    return found


def _rounded(elements: DenseElementsAttr, type: Type) -> DenseElementsAttr:
    """Return elements in a narrower type; what is beyond its range is its largest number."""
    assert isinstance(type, TensorType)
    least, most = value_range(type.element_type)
    data = elements.data.astype(np.float64)
    inside = np.clip(data, least, most)
    if FLOATS[str(type.element_type)].nan == "exponent":
        inside = np.where(np.isfinite(data), inside, data)
    made = inside.astype(numpy_dtype(type.element_type))
    made.flags.writeable = False
    return DenseElementsAttr(type, made)


def _drop_types(op: Operation) -> None:
    """Drop the attributes of an op that state the types of its numbers, as algorithms of products do."""
    op.properties = {
        name: a
        for name, a in op.properties.items()
        if not (isinstance(a, StructAttr) and any(isinstance(value, Type) for _, value in a.fields))
    }


def _insert(after: Mapping[Operation | Block, Sequence[Operation]]) -> None:
    """Insert ops after others, or at the begin of blocks."""
    for block in {place if isinstance(place, Block) else place.parent for place in after}:
        assert block is not None
        ops = [*after.get(block, ()), *[each for op in block.ops for each in (op, *after.get(op, ()))]]
        block.ops = ops
        for op in ops:
            op.parent = block


def _retype(function: Operation) -> None:
    """Set the type of a function to the types of its arguments and returned values."""
    blocks = function.regions[0].blocks
    if len(blocks) == 1 and blocks[0].terminator is not None:
        inputs, results = blocks[0].arguments, blocks[0].terminator.operands
        made = FunctionType(tuple([v.type for v in inputs]), tuple([v.type for v in results]))
        function.properties["function_type"] = TypeAttr(made)


def _clean(ops: Sequence[Operation]) -> None:
    """Erase conversions to the type that a value has, and constants without uses."""
    gone = []
    for op in ops:
        if has_trait(op.name, "conversion") and op.operands and op.operands[0].type == op.results[0].type:
            op.result.replace_all_uses(op.operands[0])
            gone.append(op)
    erase_all(gone)
    erase_all([op for op in ops if has_trait(op.name, "constant") and not op.result.uses and op.parent])
