"""Parser: text to IR, for programs, types and attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.ir.locations import Source
from stablehlo_py.ir.types import IntegerType, QuantizedType, Type
from stablehlo_py.syntax.errors import SourceError, TypeMismatch
from stablehlo_py.syntax.lalr.comments import blank_comments
from stablehlo_py.syntax.lalr.expectations import describe
from stablehlo_py.syntax.lalr.gaps import apart, joined
from stablehlo_py.syntax.lalr.lexer import Tokens, program_lexer
from stablehlo_py.syntax.lalr.parse_loop import Parsed, SyntaxFailure, driver
from stablehlo_py.syntax.read.attributes import attribute_of
from stablehlo_py.syntax.read.context import ParserState, ReadContext
from stablehlo_py.syntax.read.program import read_program
from stablehlo_py.syntax.read.types import type_of


def parse_module(
    text: str,
    name: str = "<string>",
    allow_unregistered: bool = False,
    first_line: int = 1,
    *,
    allow_newer: bool = False,
) -> Module:
    """Parse a program.

    Args:
        text: The text of the program.
        name: The file's name, for positions.
        allow_unregistered: Whether ops of unknown dialects are accepted in generic form.
        first_line: The number of the text's first line.
        allow_newer: Whether undefined ops of known dialects are, too.

    Returns:
        The module. Functions without an enclosing module get one.

    Raises:
        ParseError: The text has errors; all of them are reported.
    """
    found = parse_recovering(Source(name, text, first_line), allow_unregistered, allow_newer)
    if found.diagnostics:
        raise ParseError(name, found.diagnostics, found.module if found.is_complete else None)
    return found.module


class Recovered(NamedTuple):
    """The result of parsing a text that may have errors.

    Attributes:
        module: The module, without the ops that do not parse.
        tokens: The tokens of the text, without comments.
        diagnostics: The errors.
        is_complete: Whether the only errors are uses of values with other types than they have.
    """

    module: Module
    tokens: Tokens
    diagnostics: list[Diagnostic]
    is_complete: bool


def parse_recovering(source: Source, allow_unregistered: bool, allow_newer: bool) -> Recovered:
    """Parse a program, leaving out the ops that do not parse.

    Args:
        source: The text of the program.
        allow_unregistered: Whether ops of unknown dialects are accepted in generic form.
        allow_newer: Whether undefined ops of known dialects are, too.

    Returns:
        The module and the errors.
    """
    with gc_paused():
        return _parse_module(ParserState(source, allow_unregistered, allow_newer))


def _parse_module(parser_state: ParserState) -> Recovered:
    source = parser_state.source
    text, comments = blank_comments(source.program)
    parser_state.errors += apart(text, source.start)
    tokens = program_lexer().tokens(joined(text), source.start)
    parsed = driver().parse_program(tokens)
    parser_state.errors += [describe(tokens, unexpected) for unexpected in parsed.unexpected]
    op = read_program(ReadContext(tokens, parser_state), parsed.tree, _skipped_names(tokens, parsed))
    if parser_state.has_signed and not parser_state.signed_as_signless and _has_signed_values(op):
        allowed = parser_state.allow_unregistered, parser_state.allow_newer
        return _parse_module(ParserState(source, *allowed, signed_as_signless=True))
    module = Module(op, parser_state.source)
    module.resources, module.resource_text = parser_state.resources, parser_state.resource_text
    module.unused_aliases = parser_state.unused_aliases()
    module.comments = [(source.start + offset, comment) for offset, comment in comments]
    module.old_spellings = parser_state.old_spellings
    misspellings = list(parser_state.misspellings.items())
    is_complete = all(isinstance(error, TypeMismatch) for error in parser_state.errors)
    if parser_state.errors:
        parser_state.errors += [SourceError(*misspelling, code="spelling") for misspelling in misspellings]
    else:
        module.misspellings, module.short_floats = misspellings, list(parser_state.short_floats.items())
    return Recovered(module, tokens, parser_state.diagnostics(), is_complete)


def _has_signed_values(module: Operation) -> bool:
    """Return True if ops of StableHLO have operands or results of signed integers such as `si32`.

    Upstream has none: the program spells `i32` as the specification's EBNF does. Ops of other dialects may.
    """
    return any(
        _is_signed(getattr(value.type, "element_type", None))
        for op in module.walk()
        if op.name.startswith(("stablehlo.", "chlo."))
        for value in (*op.operands, *op.results)
    )


def _is_signed(element: Type | None) -> bool:
    stored = element.storage_type if isinstance(element, QuantizedType) else element
    return isinstance(stored, IntegerType) and stored.signedness == "s"


def _skipped_names(tokens: Tokens, parsed: Parsed) -> set[str]:
    """Return names of values that unparsable text may define, whose uses are not reported."""
    return {tokens.texts[i] for skipped in parsed.skipped for i in skipped if tokens.texts[i][:1] == "%"}


def parse_type(text: str) -> Type:
    """Parse a type.

    Args:
        text: The text, such as `tensor<2xf32>`.

    Raises:
        ParseError: The text is not a type.
    """
    found: Type = _parse_alone(text, "type", type_of)
    return found


def parse_attribute(text: str) -> Attribute:
    """Parse an attribute.

    Args:
        text: The text, such as `dense<1> : tensor<2xi32>`.

    Raises:
        ParseError: The text is not an attribute.
    """
    found: Attribute = _parse_alone(text, "attribute", attribute_of)
    return found


def _parse_alone(text: str, start: str, read: Callable[[ReadContext, Any], Any]) -> Any:
    parser_state = ParserState(Source("<string>", text))
    try:
        tokens = program_lexer().tokens(blank_comments(text)[0])
        return read(ReadContext(tokens, parser_state), driver().parse(tokens, start))
    except SyntaxFailure as failure:
        parser_state.errors.append(describe(tokens, failure.unexpected))
    except SourceError as error:
        parser_state.errors.append(error)
    raise ParseError("<string>", parser_state.diagnostics())
