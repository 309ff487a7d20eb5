"""Assembly formats compiled for printing.

A form is compiled to steps: fixed text, including MLIR's spaces around punctuation, and functions that write
one element of an op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DenseArrayAttr, DictAttr, StructAttr
from stablehlo_py.ir.core import Operation, Region, Value
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import Type
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, Successor, lookup
from stablehlo_py.opset.kinds import Kind
from stablehlo_py.syntax.forms.assembly_format import (
    AllOperands,
    AttrDict,
    Directive,
    Element,
    FunctionalType,
    Literal,
    Optional,
    Ref,
    TypeOf,
    directives_of,
    parse_form,
)
from stablehlo_py.syntax.forms.directives import DIRECTIVES
from stablehlo_py.syntax.write.attributes import stripped_text

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer

Writer = Callable[["Printer", Operation], None]
Step = str | Writer
Getter = Callable[[Operation], Any]
_NO_ATTRIBUTES = DictAttr(())


@dataclass(frozen=True, slots=True)
class FormWriter:
    """Writer of an op in its pretty form.

    Attributes:
        steps: The steps that print the text after the op's name.
        definition: The op's definition.
        conditions: The conditions of the form's directives on an op.
        shown: The properties that the form names, and their kinds.
        keeps_name_bare: Whether the op's name is unquoted even in generic form.
    """

    steps: tuple[Step, ...]
    definition: OpDef
    conditions: tuple[Callable[[Operation], bool], ...]
    shown: tuple[tuple[str, Kind], ...]
    keeps_name_bare: bool

    def fits(self, op: Operation) -> bool:
        """Return True if the form can print the op; otherwise it is printed in generic form."""
        return (
            _count_fits(len(op.operands), self.definition.operands)
            and _count_fits(len(op.results), self.definition.outputs)
            and _segments_fit(op, self.definition, "operand", len(op.operands), self.definition.operands)
            and _segments_fit(op, self.definition, "result", len(op.results), self.definition.outputs)
            and _regions_fit(len(op.regions), self.definition.bodies)
            and all(self._is_shown(op, name, kind) for name, kind in self.shown)
            and all(fits(op) for fits in self.conditions)
            and _count_fits(len(op.successors), self.definition.successors)
        )

    def _is_shown(self, op: Operation, name: str, kind: Kind) -> bool:
        value = op.attribute(name)
        if value is None:
            return name not in self.definition.required_properties
        return kind.contains(value)


@cache
def form_writer(name: str) -> FormWriter | None:
    """Compile the writer of an op's pretty form.

    Args:
        name: The op's name.

    Returns:
        The writer; None for an op that is always printed in generic form.
    """
    definition = lookup(name)
    if definition is None or definition.form is None:
        return None
    elements = parse_form(definition.form)
    compiler = _Compiler(definition)
    steps = tuple(compiler.steps(elements))
    shown = _shown(elements) | definition.required_properties
    kinds = tuple((name, kind) for name, kind in definition.property_kinds.items() if name in shown)
    directives = list(directives_of(elements))
    conditions = tuple(filter(None, map(compiler.condition, directives)))
    keeps_name_bare = any(DIRECTIVES[directive.name].keeps_name_bare for directive in directives)
    return FormWriter(steps, definition, conditions, kinds, keeps_name_bare)


def _count_fits(count: int, entries: Sequence[Operand | Result | Successor]) -> bool:
    fixed = len([e for e in entries if not e.variadic and not (isinstance(e, Operand) and e.optional)])
    return count == fixed if fixed == len(entries) else count >= fixed


def _segments_fit(
    op: Operation, definition: OpDef, kind: str, count: int, entries: Sequence[Operand | Result]
) -> bool:
    """Return True if the sizes of several variadic operands or results agree with their number."""
    if len([e for e in entries if e.variadic]) < 2:
        return True
    name = f"{kind}SegmentSizes"
    sizes = op.attribute(name)
    if not isinstance(sizes, DenseArrayAttr):
        return name not in definition.property_kinds
    return len(sizes.value) == len(entries) and min(sizes.value) >= 0 and sum(sizes.value) == count


def _regions_fit(count: int, bodies: Sequence[Body]) -> bool:
    least = len([body for body in bodies if not (body.variadic or body.optional)])
    return least <= count and (count <= len(bodies) or any(body.variadic for body in bodies))


class _Compiler:
    """Compiler of the elements of one op's form to steps."""

    def __init__(self, definition: OpDef) -> None:
        self._definition = definition
        self._operands = _slices(definition)
        self._attrs = {attr.property: attr for attr in definition.attrs if not attr.field}
        self._bodies = {body.name: index for index, body in enumerate(definition.bodies)}
        self._successors = [successor.name for successor in definition.successors]
        self._space = True  # whether a literal may have a space before it
        self._punctuation = False  # whether the last literal is punctuation

    def steps(self, elements: Iterable[Element]) -> list[Step]:
        """Return the steps of elements, which follow those compiled before."""
        found: list[Step] = []
        for element in elements:
            found.extend(self._element(element))
        return found

    def condition(self, directive: Directive) -> Callable[[Operation], bool] | None:
        """Return the condition of a directive on an op, if any."""
        fits, getters = DIRECTIVES[directive.name].fits, [self._getter(a) for a in directive.arguments]
        return fits and (lambda op: fits(op, *[get(op) for get in getters]))

    def _element(self, element: Element) -> list[Step]:
        match element:
            case Literal(text):
                return [self._literal(text)]
            case Optional(elements, anchor):
                present, inner = self._present(anchor), self.steps(elements)
                return [lambda p, op: p.run(inner, op) if present(op) else None]
            case AttrDict(is_keyword):
                return [self._attr_dict(is_keyword)]
            case Directive(name, arguments) if DIRECTIVES[name].own_spacing:
                return [self._directive(name, arguments)]
        space = self._space or not self._punctuation
        self._space, self._punctuation = True, False
        return [" ", self._writer(element)] if space else [self._writer(element)]

    def _literal(self, text: str) -> str:
        """Return a literal with the space before it; ` ` and the empty literal only control spacing."""
        if not text.strip():
            self._space, self._punctuation = False, not text
            return text
        closing = ">)}]," if self._punctuation else "<>(){}[],"
        before = " " if self._space and (len(text) != 1 or text not in closing) else ""
        self._space = text not in ("<", "(", "{", "[")
        self._punctuation = not (text[0].isalpha() or text[0] == "_")
        return before + text

    def _writer(self, element: Element) -> Writer:
        match element:
            case Ref(name) if name in self._operands:
                get = self._operands[name]
                return lambda p, op: p.operands(get(op))
            case Ref(name) if name in self._bodies:
                return lambda p, op: p.regions(self._regions(op, name))
            case Ref(name) if name in self._successors:
                index = self._successors.index(name)
                return lambda p, op: p.write(p.label(op.successors[index]))
            case Ref(name):
                kind = self._definition.property_kinds[name]
                return lambda p, op: p.write(_constant_text(_attribute(op, name), kind))
            case AllOperands():
                return lambda p, op: p.operands(op.operands)
            case TypeOf(name):
                types = self._types(name)
                return lambda p, op: p.types(types(op))
            case FunctionalType():
                return lambda p, op: p.signature(op)
            case Directive(name, arguments):
                return self._directive(name, arguments)
        raise TypeError(f"{element} writes nothing")

    def _directive(self, name: str, arguments: Sequence[Element]) -> Writer:
        write, getters = DIRECTIVES[name].write, [self._getter(argument) for argument in arguments]
        return lambda p, op: write(p, op, *[get(op) for get in getters])

    def _getter(self, element: Element) -> Getter:
        match element:
            case Ref(name) if name in self._operands:
                return self._operands[name]
            case Ref(name) if name in self._bodies:
                return lambda op: self._regions(op, name)
            case Ref(name) if name in self._successors:
                index = self._successors.index(name)
                return lambda op: op.successors[index:]
            case Ref(name):
                return lambda op: op.attribute(name)
            case TypeOf(name):
                return self._types(name)
        raise TypeError(f"{element} is not an argument")

    def _types(self, name: str) -> Callable[[Operation], list[Type]]:
        if name in self._operands:
            get = self._operands[name]
            return lambda op: [value.type for value in get(op)]
        if name == "operands":
            return lambda op: [value.type for value in op.operands]
        outputs = [output.name for output in self._definition.outputs]
        if len(outputs) > 1 and name in outputs:
            index = outputs.index(name)
            return lambda op: [op.results[index].type]
        return lambda op: [result.type for result in op.results]

    def _regions(self, op: Operation, name: str) -> Sequence[Region]:
        index = self._bodies[name]
        return (
            op.regions[index:] if self._definition.bodies[index].variadic else op.regions[index : index + 1]
        )

    def _present(self, anchor: Element) -> Callable[[Operation], bool]:
        if isinstance(anchor, Directive):
            (anchor,) = anchor.arguments
        if isinstance(anchor, Ref) and anchor.name in self._attrs:
            attr = self._attrs[anchor.name]
            return lambda op: not _is_left_out(attr, op.attribute(attr.property))
        get = self._getter(anchor)
        return lambda op: bool(get(op))

    def _attr_dict(self, is_keyword: bool) -> Writer:
        shown = _shown(parse_form(self._definition.form or ""))
        defaults = [attr for name, attr in self._attrs.items() if name not in shown]
        structs = [name for name, _ in self._definition.properties if name not in shown]

        def write(p: Printer, op: Operation) -> None:
            if not op.attributes and op.properties.keys() <= shown:
                return
            plain = {attr.property for attr in defaults if _is_left_out(attr, op.attribute(attr.property))}
            plain.update(name for name in structs if is_default_struct(self._definition, op.attribute(name)))
            p.attr_dict(op, shown | plain, is_keyword)

        return write


def _attribute(op: Operation, name: str) -> Attribute:
    found = op.attribute(name)
    if found is None:
        raise ValueError(f"{op.name} has no {name}")
    return found


def _constant_text(value: Attribute, kind: Kind) -> str:
    """Return an attribute of a known kind; an enumeration by the name of its value."""
    is_case = kind.enum is not None and kind.contains(value)
    return str(kind.to_python(value)) if is_case else stripped_text(value)


def _shown(elements: Iterable[Element]) -> set[str]:
    """Return the attributes that a form names, and segment sizes, which `attr-dict` omits."""
    names = {"operandSegmentSizes", "resultSegmentSizes"}
    for element in elements:
        match element:
            case Ref(name):
                names.add(name)
            case Optional(inner, _) | Directive(_, inner):
                names |= _shown(inner)
    return names


def _slices(definition: OpDef) -> dict[str, Getter]:
    """Return for each operand of the definition a function from an op to its values.

    Where one operand alone is variadic or optional, it is the last.
    """
    operands = definition.operands
    several = [o for o in operands if o.variadic or o.optional]
    if len(several) > 1:
        return {o.name: _segment(index, len(operands)) for index, o in enumerate(operands)}
    return {o.name: _slice(index, None if o in several else index + 1) for index, o in enumerate(operands)}


def _slice(start: int, end: int | None) -> Getter:
    part = slice(start, end)
    return lambda op: op.operands[part]


def _segment(index: int, count: int) -> Getter:
    """Return a getter of the `index`-th variadic operand: by the op's segment sizes, else equal shares."""

    def get(op: Operation) -> tuple[Value, ...]:
        sizes = op.attribute("operandSegmentSizes")
        if not isinstance(sizes, DenseArrayAttr):
            size = len(op.operands) // count
            return op.operands[index * size : (index + 1) * size]
        start = sum(sizes.value[:index])
        return op.operands[start : start + sizes.value[index]]

    return get


def _is_left_out(attr: Attr, value: Attribute | None) -> bool:
    """Return True if the printer omits an attribute."""
    return value is None or (not attr.prints_default and is_default(attr, value))


def is_default(attr: Attr, value: Attribute | None) -> bool:
    """Return True if an attribute is absent, or has its default value."""
    if value is None:
        return True
    if attr.kind.name == "dict":
        return value == _NO_ATTRIBUTES
    if attr.default is None or not isinstance(value, Attribute):
        return False
    return _constant_text(value, attr.kind) == attr.default


def is_default_struct(definition: OpDef, value: Attribute | None) -> bool:
    """Return True if every field of a structured attribute has its default value."""
    if not isinstance(value, StructAttr):
        return False
    defaults = {attr.field: attr.default for attr in definition.attrs if attr.field}
    return all(str(field) == defaults.get(name) for name, field in value.fields)


def stated_attributes(op: Operation) -> dict[str, Attribute]:
    """Return the attributes of an op, except those equal to their default."""
    stated, definition = op.properties | op.attributes, lookup(op.name)
    if definition is None:
        return stated
    plain = {a.property for a in definition.attrs if not a.field and _is_plain(a, stated.get(a.property))}
    plain |= {name for name, value in stated.items() if is_default_struct(definition, value)}
    return {name: value for name, value in stated.items() if name not in plain}


def _is_plain(attr: Attr, value: Attribute | None) -> bool:
    """Test whether an attribute equals its default, also if the printer prints it."""
    if isinstance(value, ArrayAttr):
        if attr.kind_name == "array of dict":
            return all(item == _NO_ATTRIBUTES for item in value.value)
        items = [stripped_text(item) for item in value.value]
        return attr.default == f"[{', '.join(items)}]"
    return is_default(attr, value)
