"""Printer: IR to text, byte for byte as the C++ printer, or with the author's names and comments."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate

from stablehlo_py.ir.attributes import Attribute, DictAttr, LocationAttr, StringAttr
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, Region, Value
from stablehlo_py.ir.locations import Location, Source
from stablehlo_py.ir.types import Type
from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.forms.write import Step, form_writer
from stablehlo_py.syntax.write.aliases import Aliases, aliases_of
from stablehlo_py.syntax.write.attributes import dictionary_fragments, quoted
from stablehlo_py.syntax.write.comments import Comments
from stablehlo_py.syntax.write.fragments import join
from stablehlo_py.syntax.write.locations import LocationAliases, location_of, location_text
from stablehlo_py.syntax.write.resources import resources_text
from stablehlo_py.syntax.write.ssa_names import SSANames, author_names, canonical_names
from stablehlo_py.syntax.write.types import function_fragments

_INDENT = "  "

_ALIAS_DEFINITION = re.compile(r"^#\w+ *= *loc\(", re.MULTILINE)


@cache
def _stored_defaults(name: str) -> dict[str, Attribute]:
    """Return the properties that MLIR stores with empty strings if the author omits them."""
    definition = lookup(name)
    attrs = definition.attrs if definition is not None else ()
    return {attr.property: StringAttr("") for attr in attrs if attr.stores_default}


def format_module(
    module: Module, generic: bool = False, canonical: bool = True, locations: bool | None = None
) -> str:
    """Print a module.

    Args:
        module: The module.
        generic: Whether every op is printed in generic form.
        canonical: Whether the text is byte for byte what the C++ printer prints. Otherwise the author's value
            names, block labels, comments and blank lines are kept, and functions without an enclosing module
            stay so.
        locations: Whether each op's location is printed, as MLIR's debug information. By default, the
            locations in the source text, and none when canonical.

    Returns:
        The module's text.
    """
    names = canonical_names(module.op, generic) if canonical else author_names(module.op)
    comments = Comments(module) if not canonical else None
    printer = Printer(
        module, names, generic, canonical, not canonical if locations is None else locations, comments
    )
    return printer.module()


def source_of(module: Module, name: str) -> Source:
    """Print a module without source text, and set the offsets of its ops and values to their positions."""
    names = canonical_names(module.op, generic=False)
    printer = Printer(module, names, False, True, False, None)
    printer.places = []
    text = printer.module()
    printer.place_all()
    for op in module.walk():
        if op.offset < 0 and op.parent_op is not None:  # its text goes without saying
            op.offset = op.end = op.parent_op.offset
    for value, spelling in names.values.items():
        value.name = value.name or spelling[1:]
    return Source(name, text)


class OpTexts:
    """Printer of single ops of a module, with the author's names for values."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._names = author_names(module.op)

    def name(self, value: Value) -> str:
        """Return the name of a value as an operand, such as `%0#1`."""
        return self._names.values[value]

    def text(self, op: Operation) -> str:
        """Return the text of an op and its regions in pretty form, without locations."""
        printer = Printer(self._module, self._names, False, False, False, None)
        return printer.op(op)

    def first_line(self, op: Operation) -> str:
        """Return the first line of an op."""
        return self.text(op).partition("\n")[0]


class Printer:
    """Printer of one module. The writers of pretty forms use its public methods.

    Args:
        module: The module.
        names: The names of values and blocks.
        generic: Whether every op is printed in generic form.
        canonical: Whether to print as the C++ printer does.
        locations: Whether locations are printed.
        comments: The author's comments, or None.
    """

    def __init__(
        self,
        module: Module,
        names: SSANames,
        generic: bool,
        canonical: bool,
        locations: bool,
        comments: Comments | None,
    ) -> None:
        self._module = module
        self._names = names
        self._generic = generic
        self._canonical = canonical
        self._comments = comments
        self._text: list[str] = []
        self.places: list[tuple[Operation | Block | BlockArgument, int]] | None = None  # in _text
        self.write = self._text.append
        self._indent = ""
        self._dialects = ["builtin"]  # the dialect that ops of each enclosing region need not name
        self._aliases = aliases_of(module) if canonical else Aliases()
        self._types: dict[Type, str] = {}
        self._locations = locations
        has_aliases = locations and (canonical or _ALIAS_DEFINITION.search(module.source.program))
        self._location_aliases = LocationAliases() if has_aliases else None
        self._before: dict[Block, list[str]] = {}  # the predecessors of blocks
        self._references: list[tuple[int, Location, bool]] = []

    def module(self) -> str:
        """Return the text of the whole module."""
        for op in self._module.body.ops if self._has_no_wrapper() else [self._module.op]:
            self._op(op)
            self.write("\n")
        if self._comments is not None:
            self._comments.rest(self.write)
        unused = self._unused_aliases()
        early, late = self._resolve_locations()
        return (
            self._aliases.definitions
            + unused
            + early
            + "".join(self._text)
            + late
            + resources_text(self._module, self._canonical)
        )

    def op(self, op: Operation) -> str:
        """Return the text of one op."""
        self._op(op)
        return "".join(self._text)

    def _note_place(self, place: Operation | Block | BlockArgument) -> None:
        """Record the start of a place, or the end of an operation, at the current position."""
        if self.places is not None:
            self.places.append((place, len(self._text)))

    def place_all(self) -> None:
        """Set the offset of each recorded place."""
        ends = list(accumulate(map(len, self._text), initial=len(self._aliases.definitions)))
        for place, index in self.places or ():
            if isinstance(place, Operation) and place.offset >= 0:
                place.end = ends[index]
            else:
                place.offset = ends[index]

    def _has_no_wrapper(self) -> bool:
        """Return True if the source has functions without an enclosing module, which is to be preserved."""
        if self._canonical:
            return False
        op, text = self._module.op, self._module.source.program
        written = text != "" and not text.isspace() and op.offset < 0
        return written and not (op.properties or op.attributes or op.location)

    def new_line(self) -> None:
        """Start a new line inside an op."""
        self.write("\n" + self._indent)

    def name(self, value: Value) -> str:
        """Return the name of a value as an operand."""
        return self._names.values[value]

    def label(self, block: Block) -> str:
        """Return the label of a block."""
        return self._names.blocks[block]

    def operands(self, values: Sequence[Value]) -> None:
        """Write values, separated by commas."""
        names = self._names.values
        self.write(", ".join([names[value] for value in values]))

    def type(self, type: Type) -> None:
        """Write a type."""
        self.write(self._type_text(type))

    def types(self, types: Iterable[Type]) -> None:
        """Write types, separated by commas."""
        self.write(", ".join([self._type_text(type) for type in types]))

    def signature(self, op: Operation) -> None:
        """Write the types of an op's operands and results, such as `(tensor<f32>) -> tensor<f32>`."""
        operands, results = [value.type for value in op.operands], [result.type for result in op.results]
        parts = function_fragments(operands, results)
        self.write("".join([part if isinstance(part, str) else self._type_text(part) for part in parts]))

    def attr_dict(self, op: Operation, elided: Collection[str], is_keyword: bool = False) -> None:
        """Write an op's properties and attributes as ` {...}`, sorted by name; nothing if all are elided.

        Args:
            op: The op.
            elided: Names that are omitted.
            is_keyword: Whether the dictionary follows the keyword `attributes`.
        """
        merged = {**op.properties, **op.attributes}
        items = [(name, merged[name]) for name in sorted(merged) if name not in elided]
        if items and is_keyword:
            self.write(" attributes")
        self.dictionary(items)

    def dictionary(self, items: Collection[tuple[str, Attribute]]) -> None:
        """Write ` {a = 1 : i64}`; nothing if there are no items."""
        if items:
            self.write(" " + join(*dictionary_fragments(items), aliases=self._aliases.names))

    def argument(self, argument: BlockArgument, dictionary: DictAttr | None = None) -> None:
        """Write an argument with its type, attributes and location, such as `%arg0: tensor<f32>`."""
        self._note_place(argument)
        self.write(f"{self._names.values[argument]}: {self._type_text(argument.type)}")
        if dictionary is not None:
            self.dictionary(dictionary.items)
        self._write_location(self._location_of(argument), late=False)

    def regions(self, regions: Sequence[Region]) -> None:
        """Write regions, separated by commas."""
        for index, region in enumerate(regions):
            if index:
                self.write(", ")
            self.region(region, entry_arguments=True, empty_block=True)

    def region(
        self,
        region: Region,
        entry_arguments: bool = False,
        empty_block: bool = False,
        bare_terminator: bool = True,
    ) -> None:
        """Write a region in braces.

        Args:
            region: The region.
            entry_arguments: Whether the entry block's label is written if the block has arguments.
            empty_block: Whether the entry block's label is written if the block is empty.
            bare_terminator: Whether a last op without operands, results, attributes or regions is written.
        """
        self.write("{")
        if self._comments is not None:
            self._comments.after_opening(region, self.write)
        self.write("\n")
        self._dialects.append(_default_dialect(region))
        self._note_predecessors(region)
        for index, block in enumerate(region.blocks):
            header = index > 0 or (entry_arguments and block.arguments) or (empty_block and not block.ops)
            is_last_shown = bare_terminator or not _ends_in_bare_op(block)
            self._block(block, bool(header), block.ops if is_last_shown else block.ops[:-1])
        self._dialects.pop()
        if self._comments is not None:
            self._comments.before_closing(region, self._indent + _INDENT, self.write)
        self.write(self._indent + "}")

    def run(self, steps: Iterable[Step], op: Operation) -> None:
        """Write an op by the steps of its pretty form."""
        for step in steps:
            if isinstance(step, str):
                self.write(step)
            else:
                step(self, op)

    def _type_text(self, type: Type) -> str:
        text = self._types.get(type)
        if text is None:
            text = self._types[type] = join(type, aliases=self._aliases.names)
        return text

    def _op(self, op: Operation) -> None:
        if self._comments is not None:
            self._comments.before(op.offset, self._indent, self.write)
        self.write(self._indent)
        if op.results:
            self.write(self._names.results[op] + " = ")
        self._note_place(op)
        location = self._location_of(op)
        if location is not None and self._location_aliases is not None:
            self._location_aliases.note(location)
        self.write_op(op)
        self._note_place(op)
        self._write_location(location, late=True)
        if self._comments is not None:
            self._comments.after(op, self._indent, self.write)

    def write_op(self, op: Operation) -> None:
        """Write an op in its pretty form if it has one, otherwise in generic form."""
        form = None if self._generic else form_writer(op.name)
        if form is not None and form.fits(op):
            self.write(self._op_name(op.name))
            self.run(form.steps, op)
            return
        self.write(op.name if form is not None and form.keeps_name_bare else quoted(op.name))
        self.generic_op(op, {**_stored_defaults(op.name), **op.properties}, op.attributes)

    def _op_name(self, name: str) -> str:
        dialect = self._dialects[-1]
        if dialect and name.startswith(dialect + ".") and name.count(".") == 1:
            return name[len(dialect) + 1 :]
        return name

    def generic_op(
        self, op: Operation, properties: Mapping[str, Attribute], attributes: Mapping[str, Attribute]
    ) -> None:
        """Write the generic form of an op, after its name.

        Args:
            op: The op.
            properties: The properties to write.
            attributes: The attributes to write.
        """
        self.write("(")
        self.operands(op.operands)
        self.write(")")
        if op.successors:
            self.write(f"[{', '.join(map(self.label, op.successors))}]")
        if properties:
            self.write(
                f" <{join(*dictionary_fragments(sorted(properties.items())), aliases=self._aliases.names)}>"
            )
        if op.regions:
            self.write(" (")
            self.regions(op.regions)
            self.write(")")
        self.dictionary(sorted(attributes.items()))
        self.write(" : ")
        self.signature(op)

    def _block(self, block: Block, header: bool, ops: Sequence[Operation]) -> None:
        if header:
            self._label(block)
        self._indent += _INDENT
        for op in ops:
            self._op(op)
            self.write("\n")
        self._indent = self._indent[: -len(_INDENT)]

    def _label(self, block: Block) -> None:
        if self._comments is not None:
            self._comments.before(block.offset, self._indent, self.write)
        self.write(self._indent)
        self._note_place(block)
        self.write(self._names.blocks[block])
        for index, argument in enumerate(block.arguments):
            self.write(", " if index else "(")
            self.argument(argument)
        self.write("):" if block.arguments else ":")
        if self._comments is not None:
            self._comments.on_line_of(block.offset, self.write)
        elif block.parent is not None:
            self.write(self._predecessors(block, block.parent))
        self.write("\n")

    def _predecessors(self, block: Block, region: Region) -> str:
        """Return MLIR's comment after the label of a block, with the predecessors of the block."""
        found = self._before.get(block)
        if found is None:
            return "" if block is region.blocks[0] else "  // no predecessors"
        return f"  // pred: {found[0]}" if len(found) == 1 else f"  // {len(found)} preds: {', '.join(found)}"

    def _note_predecessors(self, region: Region) -> None:
        for block in region.blocks:
            if block.terminator is not None:
                for successor in block.terminator.successors:
                    self._before.setdefault(successor, []).append(self._names.blocks[block])

    def _location_of(self, place: Operation | BlockArgument) -> Location | None:
        """The location to write: by default, where canonical, the position in the text."""
        if not self._locations:
            return None
        return location_of(self._module, place) if self._canonical else place.location

    def _write_location(self, location: Location | None, late: bool) -> None:
        """Write a location, or leave it to `_resolve_locations`, when all aliases are known."""
        if location is None:
            return
        if self._location_aliases is None:
            self.write(f" {location_text(location)}")
            return
        if not late:
            self._location_aliases.note(location, late)
        self._references.append((len(self._text), location, late))
        self.write("")

    def _unused_aliases(self) -> str:
        """Return the author's definitions of unused aliases; those of locations are recorded."""
        if self._canonical:
            return ""
        lines = []
        for name, value in self._module.unused_aliases:
            if not isinstance(value, LocationAttr):
                lines.append(f"{name} = {join(value)}\n")
            elif self._location_aliases is not None:
                self._location_aliases.note(value.value)
        return "".join(lines)

    def _resolve_locations(self) -> tuple[str, str]:
        """Fills in the references to locations; gives the definitions before the module and after it."""
        if self._location_aliases is None:
            return "", ""
        self._location_aliases.name_all()
        for index, location, alias in self._references:
            self._text[index] = " " + self._location_aliases.text(location, alias)
        return "".join(self._location_aliases.definitions(late=False)), "".join(
            self._location_aliases.definitions(late=True)
        )


def _ends_in_bare_op(block: Block) -> bool:
    """Return True if the last op of a block has no operands, results, attributes or regions."""
    last = block.ops[-1] if block.ops else None
    return last is not None and not (last.operands or last.results or last.attributes or last.regions)


def _default_dialect(region: Region) -> str:
    """Return the dialect whose ops are printed without a prefix in a region."""
    op = region.parent
    if op is None:
        return ""
    if op.is_module:
        return "builtin"
    definition = lookup(op.name)
    return "func" if definition is not None and "func_default" in definition.traits else ""
