"""The verifier: structure, types and symbols of every op, then the specification's constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.attributes import DenseResourceAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.ir.signature import function_type
from stablehlo_py.ir.types import Type
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.opset.type_rules import is_value_type, type_violations
from stablehlo_py.verifier.constraints import ConstraintChecker, appearance, rules_of
from stablehlo_py.verifier.dominance import scope_violations
from stablehlo_py.verifier.layouts import layout_violations
from stablehlo_py.verifier.report import Place, Violation, diagnose
from stablehlo_py.verifier.shardings import sharding_violations
from stablehlo_py.verifier.structure import block_structure, op_structure
from stablehlo_py.verifier.symbols import Symbols

_type_of = attrgetter("type")
_LEFT_OUT = (
    "the elements of this constant are elided, so the program cannot run; print it without eliding constants"
)


def verify_module(module: Module, strict: bool = False) -> list[Diagnostic]:
    """Verify a module.

    Args:
        module: The module.
        strict: Whether violations of what only the specification's text demands are errors, not warnings.

    Returns:
        All diagnostics, in the order of the text; [] if the module is valid.
    """
    with gc_paused():
        found = _Verifier(module).verify()
    return [replace(d, severity="error") if d.spec_only else d for d in found] if strict else found


class _Verifier:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.symbols = Symbols(module)
        self.constraints = ConstraintChecker(module)
        self.valid: dict[object, bool] = {}  # the appearances of valid ops, and whether symbols concern them
        self.sound: set[Type] = set()  # the types without faults

    def verify(self) -> list[Diagnostic]:
        found = [diagnose(self.module, violation) for violation in scope_violations(self.module)]
        for offset, message in self.module.misspellings:
            line, column = self.module.source.position(offset)
            found.append(Diagnostic("error", "spelling", message, line, column))
        for offset, message in self.module.short_floats:
            line, column = self.module.source.position(offset)
            found.append(Diagnostic("warning", "spelling", message, line, column, spec_only=True))
        for op in self.module.walk():
            found += self.op(op)
        return sorted(found, key=lambda d: (d.line, d.column))

    def op(self, op: Operation) -> list[Diagnostic]:
        """Check one op; only its symbols if one was valid that is equal in all else that checks depend on."""
        definition = lookup(op.name)
        look: object = None
        if definition is not None and not (op.successors or op.attributes):
            look = _look(op)
            if op.regions:
                look = look, appearance(op), _inner_ops(op)
            elif "terminator" in definition.traits:
                look = look, op.parent_op and op.parent_op.name
        is_concerned = self.valid.get(look)
        if is_concerned is not None:
            symbols = self.symbols.check(op, definition) if is_concerned else ()
            return [diagnose(self.module, violation) for violation in symbols]
        found = [*self.check(op, definition, not look or bool(op.properties))]
        if definition and look and not (found or rules_of(definition).contextual):
            self.valid[look] = self.symbols.concern(op)
        return found

    def check(self, op: Operation, definition: OpDef | None, repeats: bool) -> Iterator[Diagnostic]:
        """Check one op; its constraints only if its structure matches its definition.

        Args:
            op: The op.
            definition: Its definition.
            repeats: Whether an op that is equal, though not the same, may have been checked.
        """
        structure = [*op_structure(op, definition)] if definition else []
        if op.regions:
            structure += block_structure(op)
        for violation in (*structure, *self.around(op, definition)):
            yield diagnose(self.module, violation)
        if definition and not structure:
            yield from self.constraints.check(op) if repeats else self.constraints.check_anew(op, definition)

    def around(self, op: Operation, definition: OpDef | None) -> Iterator[Violation]:
        """Check the types, symbols and attributes of an op, independently of its semantics."""
        types = [value.type for value in (*op.operands, *op.results)]
        if not self.sound.issuperset(types):
            yield from self.types(op, types, lenient=definition is None or op.name.startswith("func."))
        for value in (*op.properties.values(), *op.attributes.values()):
            if isinstance(value, DenseResourceAttr) and value.is_elided:
                yield Violation(op, "elided", _LEFT_OUT)
        yield from self.symbols.check(op, definition)
        signature = function_type(op)
        if signature or op.attributes:
            yield from sharding_violations(op)
        if op.regions:
            for argument in (argument for block in op.blocks for argument in block.arguments):
                yield from self.types(argument, [argument.type], lenient=True)
        if signature:
            yield from layout_violations(op, signature)
            inputs = () if any(region.blocks for region in op.regions) else signature.inputs
            yield from self.types(op, (*inputs, *signature.results), lenient=True)
            for type in dict.fromkeys((*signature.inputs, *signature.results)):
                if not is_value_type(type) and not any(type_violations(type)):
                    message = f"{type} is not a type of values in the specification [spec-only]"
                    yield Violation(op, "type", message, spec_only=True)

    def types(self, where: Place, types: Iterable[Type], lenient: bool) -> Iterator[Violation]:
        """Check types; what the C++ verifier rejects only in operands is a warning elsewhere."""
        for type in dict.fromkeys(types):
            faults = () if type in self.sound else tuple(type_violations(type))
            if not faults:
                self.sound.add(type)
            for fault in faults:
                spec_only = fault.spec_only or (fault.lenient and lenient)
                yield Violation(where, "type", fault.about(type), spec_only=spec_only)


def _look(op: Operation) -> object:
    """All in an op itself that its checks depend on: its name, types, and the identities of its properties.

    The module keeps the properties while it is verified, so that no other object has the same identity.
    """
    operands, results, properties = op.operands, op.results, op.properties
    types = (*map(_type_of, operands), None, *map(_type_of, results))
    return (op.name, types, *properties, *map(id, properties.values())) if properties else (op.name, types)


def _inner_ops(op: Operation) -> object:
    """All in the regions of an op that its checks depend on, beside its appearance."""
    blocks = [block.ops for region in op.regions for block in region.blocks]
    return tuple([tuple([inner if inner.successors else inner.name for inner in ops]) for ops in blocks])
