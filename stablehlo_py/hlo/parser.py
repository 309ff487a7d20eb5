"""Parser: HLO text to a module, with all errors of the text."""

from __future__ import annotations

import re
from functools import cache

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.hlo.checks import check_module
from stablehlo_py.hlo.header import HEADER, read_frames
from stablehlo_py.hlo.instructions import InstructionReader
from stablehlo_py.hlo.lexer import Cursor, near, terminals
from stablehlo_py.hlo.module import Computation, HloModule
from stablehlo_py.hlo.names import make_names_unique
from stablehlo_py.hlo.scope import BrokenUse, Scope
from stablehlo_py.hlo.shapes import compatible, read_shape
from stablehlo_py.hlo.texts import read_string
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.ir.locations import Source
from stablehlo_py.layout.shape import Shape
from stablehlo_py.syntax.errors import SourceError

_MOST_ERRORS = 100


def parse_hlo(text: str, name: str = "<string>", first_line: int = 1) -> HloModule:
    """Parse HLO text.

    Args:
        text: A module; computations alone; or one instruction, whose operands become parameters.
        name: The file's name, for positions.
        first_line: The number of the text's first line.

    Returns:
        The module.

    Raises:
        ParseError: With all errors of the text.
    """
    source = Source(name, text, first_line)
    parser = _Parser(source)
    with gc_paused():
        module = parser.parse()
    if parser.errors:
        raise ParseError(name, [_diagnostic(source, error) for error in parser.errors[:_MOST_ERRORS]])
    return module


def _diagnostic(source: Source, error: SourceError) -> Diagnostic:
    line, column = source.position(min(error.offset, len(source.text)))
    return Diagnostic("error", f"hlo.{error.code}", error.message, line, column, tuple(error.notes))


@cache
def _starts() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what instructions and computations start with, where the parser goes on after an error."""
    name = terminals()["NAME"]
    return (
        re.compile(rf"^[ \t]*+(?:(?=\}})|(?:ROOT[ \t]++)?{name}[ \t]*+=[ \t])", re.MULTILINE),
        re.compile(rf"^(?:ENTRY[ \t]++)?{name}[ \t]*+(?:\([^\n]*)?\{{[ \t]*+$", re.MULTILINE),
    )


class _Parser:
    """The state of parsing one text.

    Args:
        source: The text.
    """

    def __init__(self, source: Source) -> None:
        self.cursor = Cursor(source.text)
        self.module = HloModule("_", source)
        self.errors: list[SourceError] = []
        self.computations: dict[str, Computation | None] = {}  # None for those with errors
        self.reader = InstructionReader(self.cursor, self._body, self.computations, self.module.computations)
        self.entry: Computation | None = None

    def parse(self) -> HloModule:
        """Parse the text."""
        try:
            self._text()
        except SourceError as error:
            self.errors.append(error)
        if self.errors:
            return self.module
        self.module.entry = self.entry or self.module.computations[-1]
        make_names_unique(self.module)
        try:
            check_module(self.module)
        except SourceError as error:
            self.errors.append(error)
        return self.module

    def _text(self) -> None:
        cursor = self.cursor
        if has_name := cursor.take_word("HloModule"):
            self.module.name = cursor.new_name("the name of the module")
            cursor.take(":")
            self._header()
            self.module.frames = read_frames(cursor)
        elif not self._is_headerless():
            self._single()
            return
        if cursor.at == len(cursor.text):
            cursor.fail("a computation")
        while cursor.at < len(cursor.text):
            self._recovering_computation()
        if not has_name and self.module.computations:
            self.module.name = f"module_{(self.entry or self.module.computations[-1]).name}"

    def _is_headerless(self) -> bool:
        found = re.match(r"(?:ENTRY\b|%?[A-Za-z_][\w.\-]*\s*\{)", self.cursor.text[self.cursor.at :][:2000])
        return found is not None

    def _header(self) -> None:
        cursor, found = self.cursor, self.module.attributes
        while cursor.take(","):
            start = cursor.at
            name = cursor.want("KEY", "an attribute of the module")[:-1]
            if name not in HEADER:
                known = ", ".join(HEADER)
                cursor.fail_with(
                    start, f"unknown attribute {name} of a module", *near(name, HEADER), f"known: {known}"
                )
            if name in found:
                cursor.fail_with(start, f"attribute {name} is stated twice")
            found[name] = HEADER[name].read(cursor)

    def _single(self) -> None:
        """Parse one instruction, whose undefined operands are parameters."""
        computation = Computation("_")
        scope = Scope(computation, parameters_from_operands=True)
        start = self.cursor.at
        try:
            self.reader.read(scope, is_alone=True)
        except SourceError as error:
            self._report(error)
            return
        if self.cursor.at < len(self.cursor.text):
            near_start = self.cursor.text[start : start + 40].partition("\n")[0]
            self.cursor.fail_with(
                self.cursor.at,
                f"expected the end after a single instruction, found {self.cursor.shown()}",
                f"a module starts with HloModule, and this text with {near_start!r}",
            )
        computation.instructions = [*scope.parameters, *computation.instructions]
        computation.root = computation.instructions[-1]
        self.module.attributes["is_scheduled"] = True
        self.module.computations.insert(0, computation)
        self.entry = computation

    # ------------------------------------------------------------------------------- computations

    def _recovering_computation(self) -> None:
        start = self.cursor.at
        try:
            self._computation()
        except SourceError as error:
            self._report(error)
            self.cursor.depth = 0
            found = _starts()[1].search(self.cursor.text, max(self.cursor.at, start + 1))
            self.cursor.skip(found.start() if found else len(self.cursor.text))
            if len(self.errors) > _MOST_ERRORS:
                self.cursor.at = len(self.cursor.text)

    def _computation(self) -> None:
        cursor, start = self.cursor, self.cursor.at
        is_entry = cursor.take_word("ENTRY")
        offset = cursor.at
        computation = Computation(cursor.new_name("the name of a computation"), offset)
        if cursor.text[offset] != "%":
            cursor.take(":")
        if is_entry and self.entry is not None:
            self.errors.append(
                SourceError(start, f"only one ENTRY is possible, and {self.entry.name} is one already")
            )
        if is_entry:
            self.entry = computation
        stated: tuple[int, Shape] | None = None
        if not cursor.is_next("{"):
            cursor.items(self._parameter, "(", ")")
            cursor.expect("->", "'->' and the shape of the result")
            stated = cursor.at, read_shape(cursor)
        errors = len(self.errors)
        is_whole = self._body(computation)
        known = self.computations.setdefault(computation.name, computation)
        if known is not computation:
            cursor.fail_with(offset, f"computation {computation.name} is defined twice")
        if len(self.errors) > errors or not is_whole:
            self.computations[computation.name] = None
            return
        if stated is not None and not compatible(stated[1], computation.root.shape):
            root = computation.root
            cursor.fail_with(
                stated[0],
                f"computation {computation.name} states the result "
                f"{stated[1].text(layout=False)}, and its root {root.name} "
                f"has shape {root.shape.text(layout=False)}",
            )
        if cursor.is_next(",") and cursor.text.startswith("execution_thread=", self._after_comma()):
            cursor.skip(self._after_comma() + len("execution_thread="))
            computation.thread = read_string(cursor)

    def _after_comma(self) -> int:
        return Cursor(self.cursor.text, self.cursor.at + 1).at

    def _parameter(self) -> None:
        found = self.cursor.match("NAME")
        if found is None:
            self.cursor.fail("a parameter such as x: f32[2]")
        if found[0] != "%":
            self.cursor.take(":")
        read_shape(self.cursor)

    def _body(self, computation: Computation) -> bool:
        """Parse the instructions of a computation, in braces; return whether none of them has an error."""
        cursor = self.cursor
        cursor.expect("{", "'{' before the instructions of a computation")
        scope = Scope(computation)
        is_first, depth = True, cursor.depth
        while is_first or not cursor.take("}"):
            start = cursor.at
            is_first = False
            try:
                self.reader.read(scope)
            except SourceError as error:
                if start == len(cursor.text) or len(self.errors) > _MOST_ERRORS:
                    raise
                self._report(error)
                self._skip_instruction(scope, start, error)
                cursor.depth = depth
        self._finish(scope)
        return not scope.broken

    def _report(self, error: SourceError) -> None:
        """Record an error, unless an earlier one causes it."""
        if not isinstance(error, BrokenUse):
            self.errors.append(error)

    def _skip_instruction(self, scope: Scope, start: int, error: SourceError) -> None:
        """Go on with the next instruction after an error, whose name is known then."""
        cursor = self.cursor
        head = _starts()[0].match(cursor.text, cursor.text.rfind("\n", 0, start) + 1)
        if head is not None:
            scope.add_broken(head[0].replace("ROOT", "").strip(" \t=%"))
        found = _starts()[0].search(cursor.text, max(cursor.at, start + 1, error.offset))
        cursor.skip(found.start() if found else len(cursor.text))

    def _finish(self, scope: Scope) -> None:
        """Complete a computation whose instructions are read."""
        computation = scope.computation
        numbers = [i.value for i in computation.instructions if i.opcode == "parameter"]
        missing = set(range(len(numbers))).difference(numbers)
        if not computation.instructions:
            if not scope.broken:
                self.cursor.fail("an instruction")
            return
        computation.root = scope.root or computation.instructions[-1]
        if missing and not scope.broken:
            self.cursor.fail_with(
                computation.offset,
                f"computation {computation.name} has {len(numbers)} parameters, and none with "
                f"number {min(missing)}",
            )
        self.module.computations.append(computation)
