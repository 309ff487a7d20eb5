"""State shared by all readers: tokens, errors, aliases and caches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.locations import Location, Source
from stablehlo_py.ir.types import Type
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.lalr.expectations import describe
from stablehlo_py.syntax.lalr.lexer import Tokens, inner_lexer, take_comments
from stablehlo_py.syntax.lalr.parse_loop import Node, SyntaxFailure, driver, first_token
from stablehlo_py.syntax.read.nesting import Nesting, nesting_of

MAX_DEPTH = 64
MAX_SIZE = 100_000  # types and attributes that an alias may stand for
MAX_MISSPELLINGS = 100  # after which they are no longer recorded
V = TypeVar("V")

_LONGEST = 100  # characters of an integer and the blanks around it
_SHARED_ENTRIES = 8192
_SHARED_LENGTH = 512

shared_types: dict[str, Type] = {}  # by text, across programs: only texts without aliases
shared_attributes: dict[str, Attribute] = {}


@dataclass(slots=True)
class Alias:
    """`#name = value` or `!name = value`, resolved at its first use.

    Attributes:
        context: The tokens of its definition.
        value: The token or tree of its definition.
        is_resolving: Whether it is being resolved, to detect cycles.
        error: Why it could not be resolved.
        read: The type or attribute of its definition.
    """

    context: ReadContext
    value: Any
    is_resolving: bool = False  # being resolved: to meet it again is a cycle
    error: SourceError | None = None  # why it stands for nothing
    read: Any = None


@dataclass(slots=True)
class ParserState:
    """The state of one parse: errors, aliases, resources, and caches of what has been read."""

    source: Source
    allow_unregistered: bool = False
    errors: list[SourceError] = field(default_factory=list)
    aliases: dict[str, Alias] = field(default_factory=dict)
    used_aliases: set[str] = field(default_factory=set)
    types: dict[str, Type] = field(default_factory=dict)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    constants: dict[tuple[str, Type], Attribute] = field(default_factory=dict)
    locations: dict[str, Location] = field(default_factory=dict)
    distinct: dict[int, str] = field(default_factory=dict)  # values by number
    resources: dict[str, bytes] = field(default_factory=dict)
    resource_text: str | None = None
    old_spellings: list[tuple[int, str]] = field(default_factory=list)
    misspellings: dict[int, str] = field(default_factory=dict)  # messages by offset
    misspelled_count: int = 0
    short_floats: dict[int, str] = field(default_factory=dict)  # messages by offset
    has_signed: bool = False  # `si32` or its kin occurs
    signed_as_signless: bool = False  # `si32` is the specification's spelling of `i32`
    alias_uses: int = 0
    nestings: dict[int, Nesting] = field(default_factory=dict)  # of what aliases stand for
    depth: int = 0

    def misspelled(self, offset: int, found: str, expected: str) -> None:
        """Records a spelling that the specification has and upstream's parser refuses, and upstream's."""
        self.alias_uses += 1  # the text that holds it is read anew at each place
        self.misspelled_count += 1
        if len(self.misspellings) < MAX_MISSPELLINGS:
            self.misspellings.setdefault(offset, f"upstream spells {found} as {expected}")

    def use_alias(self, name: str) -> Alias | None:
        """The alias of a name, which is recorded as used; None if there is none."""
        self.used_aliases.add(name)
        return self.aliases.get(name)

    def unused_aliases(self) -> list[tuple[str, Any]]:
        """The names of aliases that nothing refers to, each with what it stands for."""
        return [(name, alias.read) for name, alias in self.aliases.items() if name not in self.used_aliases]

    def short_float(self, offset: int, found: str, digits: int) -> None:
        """Records a hexadecimal literal with fewer digits than the specification asks for."""
        self.alias_uses += 1
        self.misspelled_count += 1
        if len(self.short_floats) < MAX_MISSPELLINGS:
            message = f"FloatConstant (C2): expected {digits} hexadecimal digits, found {found} [spec-only]"
            self.short_floats.setdefault(offset, message)

    def diagnostics(self) -> list[Diagnostic]:
        """The errors in the order of the text, each once."""
        found: dict[tuple[int, str], Diagnostic] = {}
        for error in sorted(self.errors, key=lambda f: f.offset):
            line, column = self.source.position(error.offset)
            found.setdefault(
                (error.offset, error.message),
                Diagnostic("error", error.code, error.message, line, column, error.notes),
            )
        return list(found.values())


@dataclass(slots=True)
class ReadContext:
    """The tokens being read, of a program or of a part of it, and the parser's state."""

    tokens: Tokens
    parser_state: ParserState

    def text(self, token: int) -> str:
        """The text of a token."""
        return self.tokens.texts[token]

    def start(self, child: Any) -> int:
        """The offset at which a token, or the first token of a tree, starts."""
        return self.tokens.start(first_token(child))

    def error(self, child: Any, message: str, *notes: str, code: str = "parse") -> SourceError:
        """An error at the start of a token or node."""
        return SourceError(self.start(child), message, *notes, code=code)

    def report(self, error: SourceError) -> None:
        """Records an error, to go on reading."""
        self.parser_state.errors.append(error)

    def attempt(self, read: Callable[[], V]) -> V | None:
        """The result of a reader; None, and the error recorded, if it raises SourceError."""
        try:
            return read()
        except SourceError as error:
            self.report(error)
            return None

    def integer(self, token: int, text: str | None = None, most: int = (1 << 63) - 1) -> int:
        """The value of an integer's token.

        Args:
            token: The token.
            text: The part of the token's text that is the integer; by default all of it.
            most: The largest valid value.

        Raises:
            SourceError: The value is larger, or less than the least 64-bit integer.
        """
        text = self.tokens.texts[token] if text is None else text
        if "+" in text:
            plain = text.strip(" \t\r\n")
            self.parser_state.misspelled(self.start(token), plain, plain.removeprefix("+"))
        value = 1 << 64 if len(text) > _LONGEST else int(text, 16) if "x" in text else int(text)
        if not -(1 << 63) <= value <= most:
            raise self.error(token, "integer value too large")
        return value

    def descend(self, child: Any) -> None:
        """Enters a nested type, attribute or location. Raises SourceError beyond `MAX_DEPTH`."""
        self.parser_state.depth += 1
        if self.parser_state.depth > MAX_DEPTH:
            message = f"types, attributes or locations are nested deeper than {MAX_DEPTH}"
            raise self.error(child, message)

    def expand_alias(self, token: int, alias: Alias, read: Callable[[ReadContext, Any], V]) -> V:
        """Resolves an alias.

        Args:
            token: The token that names the alias.
            alias: The alias.
            read: Reads the alias's definition.

        Returns:
            The type or attribute that the alias stands for.

        Raises:
            SourceError: The alias is invalid, refers to itself, or expands to too much.
        """
        if alias.is_resolving:
            raise SourceError(self.start(token), f"alias {self.text(token)} refers to itself")
        if alias.error is not None:
            raise alias.error.with_traceback(None)
        alias.is_resolving = True
        try:
            self.descend(token)
            value = read(alias.context, alias.value)
            self._check_size(token, value)
        except SourceError as error:
            alias.error = error
            raise
        finally:
            self.parser_state.depth -= 1
            alias.is_resolving = False
        return value

    def _check_size(self, token: int, value: object) -> None:
        """Bounds what an alias stands for. Raises SourceError."""
        found = nesting_of(value, self.parser_state.nestings)
        if found.depth > MAX_DEPTH or found.size > MAX_SIZE:
            limits = f"more than {MAX_SIZE} types or attributes, or nests them deeper than {MAX_DEPTH}"
            raise self.error(token, f"alias {self.text(token)} expands to {limits}")
        self.parser_state.nestings[id(value)] = found

    def parse_token(self, token: int, start: str) -> tuple[ReadContext, Node]:
        """Parses the text of one token. Raises SourceError."""
        return parse_text(self.text(token), self.tokens.start(token), start, self.parser_state)


def parse_text(text: str, offset: int, start: str, parser_state: ParserState) -> tuple[ReadContext, Any]:
    """Parses the text of a type, attribute or location.

    Args:
        text: The text.
        offset: Where the text stands in the program.
        start: The grammar's start symbol.
        parser_state: The parser's state.

    Returns:
        The context of the text's tokens, and its tree.

    Raises:
        SourceError: The text does not parse.
    """
    tokens = inner_lexer().tokens(text, offset)
    take_comments(tokens)
    context = ReadContext(tokens, parser_state)
    try:
        return context, driver().parse(context.tokens, start)
    except SyntaxFailure as failure:
        raise describe(context.tokens, failure.unexpected) from None


def share(cache: dict[str, Any], text: str, value: Any) -> None:
    """Caches the value of a text for later programs."""
    if len(text) <= _SHARED_LENGTH:
        if len(cache) >= _SHARED_ENTRIES:
            cache.clear()
        cache[text] = value
