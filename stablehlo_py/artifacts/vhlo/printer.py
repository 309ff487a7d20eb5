"""Printer of VHLO's text: every op in generic form except functions, byte for byte as upstream's printer.

The form of a function does not state the argument types of a declaration: it is printed in generic form.
"""

from __future__ import annotations

from stablehlo_py.artifacts.dialects.registry import NoEncoding
from stablehlo_py.artifacts.faults import Unwritable
from stablehlo_py.artifacts.vhlo.forms import forms_of
from stablehlo_py.artifacts.vhlo.lower import lowered_dictionary, to_vhlo
from stablehlo_py.artifacts.vhlo.text import text_of
from stablehlo_py.ir.attributes import Attribute, OpaqueAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import FunctionType, Type
from stablehlo_py.ir.version import Version
from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.printer import Printer
from stablehlo_py.syntax.write.attributes import quoted, symbol
from stablehlo_py.syntax.write.ssa_names import plain_names

_HEADER = ("sym_name", "function_type")  # the attributes of a function that its header states


def vhlo_text(module: Module, target: Version, locations: bool, generic: bool) -> str:
    """Return a module as text in the VHLO dialect.

    Args:
        module: A valid module.
        target: The version of StableHLO whose forms the ops have.
        locations: Whether each op's location is printed.
        generic: Whether functions are in generic form as well.

    Raises:
        Unwritable: Part of the module has no form in VHLO.
    """
    return _VhloPrinter(module, target, locations, generic).module()


class _VhloPrinter(Printer):
    def __init__(self, module: Module, target: Version, locations: bool, generic: bool) -> None:
        super().__init__(module, plain_names(module.op, generic), generic, True, locations, None)
        self._target = target
        self._current = module.op

    def _type_text(self, type: Type) -> str:
        text = self._types.get(type)
        if text is None:
            text = self._types[type] = self._spelled(type)
        return text

    def _spelled(self, value: Attribute | Type) -> str:
        try:
            return text_of(value)
        except NoEncoding as error:
            raise Unwritable(self._current, str(error)) from None

    def write_op(self, op: Operation) -> None:
        """Write an op in the form of the target's version."""
        self._current = op
        definition, forms = lookup(op.name), forms_of(op.name)
        if op.is_module:
            super().write_op(op)
            return
        if definition is None or not forms:
            raise Unwritable(op, f"{op.name} has no form in VHLO")
        form = [form for form in forms if form.since <= self._target][-1]
        stored = to_vhlo(definition, op)
        properties = {name: stored[name] for name in form.attributes if name in stored}
        attributes = lowered_dictionary(op)
        if op.name == "func.func" and not self._generic and (op.blocks or not _inputs(op)):
            self._function(form.name, op, properties | attributes)
            return
        self.write(quoted(form.name))
        self.generic_op(op, self._opaque(properties), self._opaque(attributes))

    def _function(self, name: str, op: Operation, attributes: dict[str, Attribute]) -> None:
        type = op.properties["function_type"].value  # type: ignore[attr-defined]
        self.write(f"{name} {symbol(op.properties['sym_name'].value)}(")  # type: ignore[attr-defined]
        body = op.regions[0]
        for index, argument in enumerate(body.blocks[0].arguments if body.blocks else ()):
            self.write(", " if index else "")
            self.argument(argument)
        self.write(") -> (")
        self.types(type.results)
        self.write(") ")
        self.region(body)
        self.dictionary(
            sorted(self._opaque({k: v for k, v in attributes.items() if k not in _HEADER}).items())
        )

    def _opaque(self, attributes: dict[str, Attribute]) -> dict[str, Attribute]:
        return {name: OpaqueAttr(self._spelled(value)) for name, value in attributes.items()}


def _inputs(function: Operation) -> tuple[Type, ...]:
    type: FunctionType = function.properties["function_type"].value  # type: ignore[attr-defined]
    return type.inputs
