"""SSA value names and block labels, as MLIR's printer assigns them or as the author wrote them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from stablehlo_py.ir.attributes import BoolAttr, DenseArrayAttr, IntegerAttr
from stablehlo_py.ir.core import Block, BlockArgument, Operation, Region, Value
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import IntegerType, TensorType
from stablehlo_py.opset.definition import OpDef, lookup


@dataclass(slots=True)
class SSANames:
    """The names of values and blocks.

    Attributes:
        values: Each value's name as an operand (`%0#1`).
        results: What precedes each op's `=` (`%0:2`).
        blocks: Each block's label.
    """

    values: dict[Value, str] = field(default_factory=dict)
    results: dict[Operation, str] = field(default_factory=dict)
    blocks: dict[Block, str] = field(default_factory=dict)

    def set_group(self, op: Operation, start: int, end: int, name: str) -> None:
        """Name a group of an op's results: one value, or several distinguished by `#`.

        Args:
            op: The op.
            start: The first result of the group.
            end: The end of the group, exclusive.
            name: The name.
        """
        group = op.results[start:end]
        for index, result in enumerate(group):
            self.values[result] = f"%{name}#{index}" if len(group) > 1 else f"%{name}"
        text = f"%{name}:{len(group)}" if len(group) > 1 else f"%{name}"
        self.results[op] = f"{self.results[op]}, {text}" if op in self.results else text


class _Scope:
    """Names in use in a region and the regions around it."""

    __slots__ = ("numbered", "outer", "used")

    def __init__(self, outer: _Scope | None = None) -> None:
        self.outer = outer
        self.used: set[str] = set()
        self.numbered: dict[str, int] = {}  # the first number that may be free, by prefix

    def __contains__(self, name: str) -> bool:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.used:
                return True
            scope = scope.outer
        return False


def _result_name(op: Operation) -> str | None:
    """Return the name that an op suggests for its result; constants suggest their value."""
    definition = lookup(op.name)
    if definition is None or not definition.result_name:
        return None
    return _constant_name(op, definition) if "constant" in definition.traits else definition.result_name


def _constant_name(op: Operation, definition: OpDef) -> str:
    value, type = op.attribute("value"), op.results[0].type
    match value:
        case BoolAttr(truth):
            return "true" if truth else "false"
        case IntegerAttr(number):
            return f"c{number}_{type}" if isinstance(type, IntegerType) else f"c{number}"
    of_integers = isinstance(type, TensorType) and isinstance(type.element_type, IntegerType)
    return definition.result_name if of_integers else "cst"


def _argument_names(op: Operation | None) -> tuple[str, ...]:
    """Return the names that an op suggests for the arguments of its regions; empty except for loops."""
    definition = lookup(op.name) if op is not None else None
    return definition.loop.arguments if definition is not None and definition.loop is not None else ()


def _suggested(argument: BlockArgument, names: tuple[str, ...]) -> str:
    """Return the name of an argument of a loop's body: that of the variadic operand it belongs to."""
    op = argument.block.parent_op
    sizes = op.attribute("operandSegmentSizes") if op else None
    first = sizes.value[0] if isinstance(sizes, DenseArrayAttr) and sizes.value else 0
    return names[0 if argument.index < first else -1]


def canonical_names(root: Operation, generic: bool) -> SSANames:
    """Return the names that MLIR's printer assigns.

    A region is named as a whole before its nested regions, whose numbers continue from its last. In generic
    form no number is used twice, and regions are visited from the last to the first.

    Args:
        root: The op whose contents are named.
        generic: Whether the op is printed in generic form.
    """
    return _CanonicalNamer(generic).run(root)


def plain_names(root: Operation, generic: bool) -> SSANames:
    """Return the names that MLIR's printer assigns where ops suggest none, except for several results.

    Args:
        root: The op whose contents are named.
        generic: Whether for the generic form, in which names are unique in all of `root`.
    """
    return _CanonicalNamer(generic, suggests=False).run(root)


class _CanonicalNamer:
    def __init__(self, generic: bool, suggests: bool = True) -> None:
        self._generic = generic
        self._suggests = suggests and not generic
        self._names = SSANames()
        self._scope = _Scope()
        self._value = self._argument = self._conflict = 0

    def run(self, root: Operation) -> SSANames:
        """Name the contents of an op, and the results that an invalid module has."""
        self._ops([root])
        counters = (0, 0, 0)
        pending = [(region, counters, self._scope) for region in root.regions]
        while pending:
            region, counters, outer = pending.pop()
            if not self._generic:
                self._value, self._argument, self._conflict = counters
            self._scope = _Scope(outer)
            self._region(region)
            counters = (self._value, self._argument, self._conflict)
            for block in region.blocks:
                for op in block.ops:
                    for inner in op.regions:
                        pending.append((inner, counters, self._scope))
        return self._names

    def _region(self, region: Region) -> None:
        values = self._names.values
        suggested = _argument_names(region.parent) if self._suggests else ()
        if suggested and region.blocks:
            for argument in region.blocks[0].arguments:
                values[argument] = f"%{self._unique(_suggested(argument, suggested))}"
        for index, block in enumerate(region.blocks):
            self._names.blocks[block] = f"^bb{index}"
            for argument in block.arguments:
                if argument not in values:
                    values[argument] = f"%{self._entry_argument() if index == 0 else self._number()}"
            self._ops(block.ops)

    def _ops(self, ops: Iterable[Operation]) -> None:
        names = self._names
        for op in ops:
            results = len(op.results)
            if results == 1:
                suggested = _result_name(op) if self._suggests else None
                name = self._number() if suggested is None else self._unique(suggested)
                names.values[op.results[0]] = names.results[op] = f"%{name}"
            elif results:
                self._several(op)

    def _several(self, op: Operation) -> None:
        """Name the results of an op: those of a definition with several outputs by their names."""
        definition = lookup(op.name) if not self._generic and not _argument_names(op) else None
        outputs = definition.outputs if definition is not None else ()
        if len(outputs) != len(op.results):
            self._names.set_group(op, 0, len(op.results), self._number())
            return
        for index, output in enumerate(outputs):
            self._names.set_group(op, index, index + 1, self._unique(output.name))

    def _number(self) -> str:
        self._value += 1
        return str(self._value - 1)

    def _entry_argument(self) -> str:
        self._argument += 1
        return self._unique(f"arg{self._argument - 1}")

    def _unique(self, name: str) -> str:
        unique = name
        while unique in self._scope:
            unique = f"{name}_{self._conflict}"
            self._conflict += 1
        self._scope.used.add(unique)
        return unique


def author_names(root: Operation) -> SSANames:
    """Return the names in the source text.

    A name that is taken gets a suffix; a value without a name gets a number.

    Args:
        root: The op whose contents are named.
    """
    authored = _AuthorNamer()
    authored.op(root, _Scope())
    return authored.names


class _AuthorNamer:
    def __init__(self) -> None:
        self.names = SSANames()

    def op(self, op: Operation, scope: _Scope) -> None:
        """Name the contents of an op, then its results, which are invisible inside it."""
        definition = lookup(op.name)
        isolated = definition is not None and "isolated" in definition.traits
        for region in op.regions:
            self._region(region, _Scope(None if isolated else scope))
        start = 0
        for end in range(1, len(op.results) + 1):
            name = op.results[start].name
            if end == len(op.results) or op.results[end].name not in (None, f"{name}#{end - start}"):
                self.names.set_group(op, start, end, _free(name, scope, ""))
                start = end

    def _region(self, region: Region, scope: _Scope) -> None:
        labels = _Scope()
        for block in region.blocks:
            self.names.blocks[block] = f"^{_free(block.label, labels, 'bb')}"
            for argument in block.arguments:
                self.names.values[argument] = f"%{_free(_argument_name(argument), scope, 'arg')}"
        for block in region.blocks:
            for op in block.ops:
                self.op(op, scope)


def _argument_name(argument: BlockArgument) -> str | None:
    """Return the author's name; the regions of a loop share one name, that of the last region."""
    op = argument.block.parent_op
    if op is None or not _argument_names(op) or not op.regions[-1].blocks:
        return argument.name
    shown = op.regions[-1].blocks[0].arguments
    return shown[argument.index].name if argument.index < len(shown) else argument.name


def _free(name: str | None, scope: _Scope, prefix: str) -> str:
    """Return the name if it is free, else with a suffix; for no name or a number, the next free number."""
    if name is None or (name[0].isdigit() and name in scope):
        name = _numbered(prefix, scope)
    elif name in scope:
        name = _numbered(f"{name}_", scope)
    scope.used.add(name)
    return name


def _numbered(prefix: str, scope: _Scope) -> str:
    """Return the prefix with the next number that makes a free name."""
    return f"{prefix}{_next_number(prefix, scope)}"


def _next_number(prefix: str, scope: _Scope) -> int:
    """Return the first free number; each scope keeps its own, so that regions do not count from 0 again."""
    outer = _next_number(prefix, scope.outer) if scope.outer is not None else 0
    number = max(outer, scope.numbered.get(prefix, 0))
    while f"{prefix}{number}" in scope:
        number += 1
    scope.numbered[prefix] = number
    return number
