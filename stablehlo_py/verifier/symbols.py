"""Symbols: names of functions and modules, the references to them, and what their signatures promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import function_type
from stablehlo_py.ir.types import Type
from stablehlo_py.opset.definition import Attr, OpDef, has_trait, lookup
from stablehlo_py.verifier.report import Violation, line_note

VISIBILITIES = ("public", "private", "nested")


class Symbols:
    """The symbols of a module, and the checks that need them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._tables: dict[Operation, dict[str, Operation]] = {}

    def check(self, op: Operation, definition: OpDef | None) -> Iterator[Violation]:
        """What is wrong with the symbol that the op defines and with those it refers to."""
        if "sym_name" in op.properties or "sym_name" in op.attributes:
            yield from self._definition(op, definition)
        for attr in _symbol_inputs(op.name):
            yield from self._references(op, attr)
        special = _SIGNATURES.get(op.name)
        if special:
            yield from special(self, op)

    def table(self, op: Operation) -> dict[str, Operation]:
        """The symbols that the op's regions define, the first of each name."""
        found = self._tables.get(op)
        if found is None:
            found = self._tables[op] = {}
            for inner in (inner for block in op.blocks for inner in block.ops):
                name = inner.python_value("sym_name")
                if isinstance(name, str):
                    found.setdefault(name, inner)
        return found

    def resolve(self, op: Operation, reference: SymbolRefAttr) -> Operation | None:
        """The op that a reference names, seen from `op`: in the nearest op that holds symbols."""
        holder = op.parent_op
        while holder and not has_trait(holder.name, "symbol_table"):
            holder = holder.parent_op
        for name in (reference.root, *reference.nested):
            holder = self.table(holder).get(name) if holder else None
        return holder

    def _definition(self, op: Operation, definition: OpDef | None) -> Iterator[Violation]:
        parent, name = op.parent_op, op.python_value("sym_name")
        if parent and has_trait(parent.name, "symbol_table"):
            first = self.table(parent).get(str(name))
            if first and first is not op:
                notes = (f"@{name} is first defined{line_note(self.module, first)}",)
                yield Violation(op, "symbol", f"@{name} is already defined", notes)
        if definition is None or "symbol" not in definition.traits:
            return
        if parent and lookup(parent.name) and not has_trait(parent.name, "symbol_table"):
            message = f"{op.name} cannot be inside {parent.name}, which does not hold symbols"
            yield Violation(op, "symbol", message)
        visibility = op.python_value("sym_visibility")
        if visibility is not None and visibility not in VISIBILITIES:
            message = f'the visibility of @{name} is one of {", ".join(VISIBILITIES)}, not "{visibility}"'
            yield Violation(op, "symbol", message)

    def _references(self, op: Operation, attr: Attr) -> Iterator[Violation]:
        for reference in _references_in(op.attribute(attr.property)):
            target = self.resolve(op, reference)
            if target is None or not target.is_function:
                message = (
                    f"{op.name}: {attr.name} is @{reference.root}, which is not a function of this module"
                )
                # An implementation may bring the functions that an optional input names.
                yield Violation(op, "symbol", message, severity="warning" if attr.optional else "error")

    def call(self, op: Operation) -> Iterator[Violation]:
        """A call's operands and results against the callee's type."""
        callee = op.attribute("callee")
        target = self.resolve(op, callee) if isinstance(callee, SymbolRefAttr) else None
        type = function_type(target) if target and target.is_function else None
        if target is None or type is None or not isinstance(callee, SymbolRefAttr):
            return
        notes = (f"@{callee.root} : {type}{line_note(self.module, target)}",)
        given = tuple(operand.type for operand in op.operands)
        taken = tuple(result.type for result in op.results)
        for part, expected, found in (("operand", type.inputs, given), ("result", type.results, taken)):
            for message in _mismatches(part, expected, found):
                yield Violation(op, "symbol", f"{op.name} @{callee.root}: {message}", notes)

    def function(self, op: Operation) -> Iterator[Violation]:
        """A function's type against its attributes and its body."""
        type = function_type(op)
        if type is None:
            return
        name = op.python_value("sym_name")
        for key, part, types in (("arg_attrs", "input", type.inputs), ("res_attrs", "output", type.results)):
            yield from _parameter_attributes(op, key, part, len(types))
        blocks = op.regions[0].blocks if op.regions else []
        if not blocks:
            if op.python_value("sym_visibility") in (None, "public"):
                yield Violation(op, "symbol", f"@{name} has no body, so it must be private")
            return
        arguments = tuple(argument.type for argument in blocks[0].arguments)
        for message in _mismatches("block argument", type.inputs, arguments):
            yield Violation(op, "structure", f"{op.name} @{name}: {message}")

    def function_return(self, op: Operation) -> Iterator[Violation]:
        """What a return gives against what its function promises."""
        parent = op.parent_op
        if parent is None or not parent.is_function:
            yield Violation(op, "structure", f"{op.name} must be directly inside func.func")
            return
        type = function_type(parent)
        given = tuple(operand.type for operand in op.operands)
        for message in _mismatches("operand", type.results if type else given, given):
            yield Violation(op, "structure", f"{op.name} in @{parent.python_value('sym_name')}: {message}")

    def region_return(self, op: Operation) -> Iterator[Violation]:
        """A `stablehlo.return` ends a region of an op; the C++ verifier lets it end a function too."""
        parent = op.parent_op
        if parent and parent.is_function:
            message = f"{op.name} ends a function: func.return does that (spec-only)"
            yield Violation(op, "structure", message, severity="warning")

    def module_attributes(self, op: Operation) -> Iterator[Violation]:
        """A module's attributes carry the name of a dialect."""
        for name in op.attributes:
            if "." not in name:
                message = f"{op.name} has the attribute {name}, whose name does not begin with a dialect"
                yield Violation(op, "structure", message)


_SIGNATURES: dict[str, Callable[[Symbols, Operation], Iterator[Violation]]] = {
    "func.call": Symbols.call,
    "func.func": Symbols.function,
    "func.return": Symbols.function_return,
    "stablehlo.return": Symbols.region_return,
    "builtin.module": Symbols.module_attributes,
}


def _mismatches(part: str, expected: tuple[Type, ...], given: tuple[Type, ...]) -> Iterator[str]:
    if len(expected) != len(given):
        yield f"{counted(len(expected), part)} expected, {len(given)} given"
        return
    for index, (want, have) in enumerate(zip(expected, given, strict=True)):
        if want is not have:
            yield f"{part} {index} has type {have}, expected {want}"


def _parameter_attributes(op: Operation, key: str, part: str, count: int) -> Iterator[Violation]:
    attribute = op.attribute(key)
    if not isinstance(attribute, ArrayAttr):
        return
    if len(attribute.value) != count:
        message = f"{op.name}: {key} has {len(attribute.value)} entries for {counted(count, part)}"
        yield Violation(op, "structure", message)
    for index, entry in enumerate(attribute.value):
        names = [name for name, _ in entry if "." not in name] if isinstance(entry, DictAttr) else []
        for name in names:
            message = f"{op.name}: attribute {name} of {part} {index} does not begin with a dialect"
            yield Violation(op, "structure", message)


@cache
def _symbol_inputs(name: str) -> tuple[Attr, ...]:
    """The inputs of an op that name symbols, without those that a constraint of the op looks after."""
    definition = lookup(name)
    if definition is None:
        return ()
    formulas = " ".join(constraint.formula for constraint in definition.constraints)
    attrs = [a for a in definition.attrs if any(kind.name == "symbol" for kind in a.kind.leaves())]
    return tuple(a for a in attrs if a.name not in formulas)


def _references_in(attribute: Attribute | None) -> Iterator[SymbolRefAttr]:
    """The symbols in an attribute, also inside arrays of arrays."""
    if isinstance(attribute, SymbolRefAttr):
        yield attribute
    elif isinstance(attribute, ArrayAttr):
        for inner in attribute.value:
            yield from _references_in(inner)
