"""Symbol checks: definitions, references, and the types of functions, calls and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import function_type
from stablehlo_py.opset.definition import Attr, OpDef, has_trait, lookup
from stablehlo_py.verifier.report import Violation, line_note
from stablehlo_py.verifier.structure import mismatches

VISIBILITIES = ("public", "private", "nested")


class Symbols:
    """The symbol tables of a module, and the checks that use them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._tables: dict[Operation, dict[str, Operation]] = {}

    def concern(self, op: Operation) -> bool:
        """Test whether `check` depends on more than the appearance of an op and the name of its parent."""
        return "sym_name" in op.properties or op.name in _SIGNATURES or bool(_symbol_inputs(op.name))

    def check(self, op: Operation, definition: OpDef | None) -> Iterator[Violation]:
        """Check the symbol that an op defines, and those it refers to."""
        if "sym_name" in op.properties or "sym_name" in op.attributes:
            yield from self._definition(op, definition)
        for attr in _symbol_inputs(op.name):
            yield from self._references(op, attr)
        special = _SIGNATURES.get(op.name) or _PLACES.get(op.name)
        if special:
            yield from special(self, op)

    def table(self, op: Operation) -> dict[str, Operation]:
        """Return the symbols that an op's regions define, the first of each name."""
        found = self._tables.get(op)
        if found is None:
            found = self._tables[op] = {}
            for inner in (inner for block in op.blocks for inner in block.ops):
                name = inner.python_value("sym_name")
                if isinstance(name, str):
                    found.setdefault(name, inner)
        return found

    def resolve(self, op: Operation, reference: SymbolRefAttr) -> Operation | None:
        """Look up a reference at `op`, in the nearest enclosing symbol table; None if it is undefined."""
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
                notes = (f"@{name} was first defined here{line_note(self.module, first)}",)
                yield Violation(op, "symbol", f"@{name} is already defined", notes)
        if definition is None or "symbol" not in definition.traits:
            return
        if parent and lookup(parent.name) and not has_trait(parent.name, "symbol_table"):
            message = f"{op.name} cannot be inside {parent.name}, which is not a symbol table"
            yield Violation(op, "symbol", message)
        visibility = op.python_value("sym_visibility")
        if visibility is not None and visibility not in VISIBILITIES:
            message = f'visibility of @{name} must be public, private or nested, not "{visibility}"'
            yield Violation(op, "symbol", message)

    def _references(self, op: Operation, attr: Attr) -> Iterator[Violation]:
        for reference in _references_in(op.attribute(attr.property)):
            target = self.resolve(op, reference)
            if target is None or not target.is_function:
                message = (
                    f"{op.name}: {attr.name} @{reference.root} does not refer to a function of this module"
                )
                # The functions that an optional input refers to may be provided by an implementation.
                yield Violation(op, "symbol", message, severity="warning" if attr.optional else "error")

    def call(self, op: Operation) -> Iterator[Violation]:
        """Check the operands and results of a call against the callee's type."""
        callee = op.attribute("callee")
        target = self.resolve(op, callee) if isinstance(callee, SymbolRefAttr) else None
        type = function_type(target) if target and target.is_function else None
        if target is None or type is None or not isinstance(callee, SymbolRefAttr):
            return
        given = tuple(operand.type for operand in op.operands)
        taken = tuple(result.type for result in op.results)
        for part, expected, found in (("operand", type.inputs, given), ("result", type.results, taken)):
            for message in mismatches(part, expected, found):
                notes = (f"@{callee.root} : {type}{line_note(self.module, target)}",)
                yield Violation(op, "symbol", f"{op.name} @{callee.root}: {message}", notes)

    def function(self, op: Operation) -> Iterator[Violation]:
        """Check the attributes and the body of a function against its type."""
        type = function_type(op)
        if type is None:
            return
        name = op.python_value("sym_name")
        for key, part, types in (("arg_attrs", "input", type.inputs), ("res_attrs", "output", type.results)):
            yield from _parameter_attributes(op, key, part, len(types))
        blocks = op.regions[0].blocks if op.regions else []
        if not blocks:
            if op.python_value("sym_visibility") in (None, "public"):
                yield Violation(op, "symbol", f"@{name} is a declaration, so it must be private")
            return
        arguments = tuple(argument.type for argument in blocks[0].arguments)
        for message in mismatches("block argument", type.inputs, arguments):
            yield Violation(op, "structure", f"{op.name} @{name}: {message}")

    def function_return(self, op: Operation) -> Iterator[Violation]:
        """Check the operands of a return against the function's type."""
        parent = op.parent_op
        if parent is None or not parent.is_function:
            yield Violation(op, "structure", f"{op.name} must be directly inside func.func")
            return
        type = function_type(parent)
        given = tuple(operand.type for operand in op.operands)
        for message in mismatches("operand", type.results if type else given, given):
            yield Violation(op, "structure", f"{op.name} in @{parent.python_value('sym_name')}: {message}")

    def region_return(self, op: Operation) -> Iterator[Violation]:
        """Check that a `stablehlo.return` does not end a function, which the C++ verifier accepts."""
        parent = op.parent_op
        if parent and parent.is_function:
            message = f"{op.name} ends a function; use func.return (spec-only)"
            yield Violation(op, "structure", message, spec_only=True)

    def module_attributes(self, op: Operation) -> Iterator[Violation]:
        """Check that a module's attributes have a dialect prefix."""
        for name in op.attributes:
            if "." not in name:
                message = f"{op.name}: attribute {name} has no dialect prefix"
                yield Violation(op, "structure", message)


_SIGNATURES: dict[str, Callable[[Symbols, Operation], Iterator[Violation]]] = {
    "func.call": Symbols.call,
    "func.func": Symbols.function,
    "func.return": Symbols.function_return,
    "builtin.module": Symbols.module_attributes,
}
_PLACES = {"stablehlo.return": Symbols.region_return}  # the name of the parent decides


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
            message = f"{op.name}: attribute {name} of {part} {index} has no dialect prefix"
            yield Violation(op, "structure", message)


@cache
def _symbol_inputs(name: str) -> tuple[Attr, ...]:
    """Return the inputs of an op that refer to symbols, except those that a constraint checks."""
    definition = lookup(name)
    if definition is None:
        return ()
    formulas = " ".join(constraint.formula for constraint in definition.constraints)
    attrs = [a for a in definition.attrs if any(kind.name == "symbol" for kind in a.kind.leaves())]
    return tuple(a for a in attrs if a.name not in formulas)


def _references_in(attribute: Attribute | None) -> Iterator[SymbolRefAttr]:
    """Yield the symbol references in an attribute, also in nested arrays."""
    if isinstance(attribute, SymbolRefAttr):
        yield attribute
    elif isinstance(attribute, ArrayAttr):
        for inner in attribute.value:
            yield from _references_in(inner)
