"""State shared by all readers: tokens, errors, aliases and caches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, TypeVar

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.locations import Location, Source
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import Type
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.lalr.expectations import describe
from stablehlo_py.syntax.lalr.lexer import Tokens, inner_lexer, program_lexer
from stablehlo_py.syntax.lalr.parse_loop import Node, SyntaxFailure, driver, first_token
from stablehlo_py.syntax.read.nesting import Nesting, nesting_of

MAX_DEPTH = 64
MAX_SIZE = 100_000  # types and attributes in the expansion of an alias
MAX_MISSPELLINGS = 100  # recorded in a program
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
    is_resolving: bool = False  # to detect cycles
    error: SourceError | None = None  # why it could not be resolved
    read: Any = None


@dataclass(slots=True)
class ParserState:
    """The state of one parse: errors, aliases, resources, and caches."""

    source: Source
    allow_unregistered: bool = False
    allow_newer: bool = False
    errors: list[SourceError] = field(default_factory=list)
    aliases: dict[str, Alias] = field(default_factory=dict)
    used_aliases: set[str] = field(default_factory=set)
    types: dict[str, Type] = field(default_factory=dict)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    own_types: dict[str, Type] = field(default_factory=dict)  # those that depend on the program, by text
    own_attributes: dict[str, Attribute] = field(default_factory=dict)
    constants: dict[tuple[str, Type], Attribute] = field(default_factory=dict)
    locations: dict[str, Location] = field(default_factory=dict)
    distinct: dict[int, str] = field(default_factory=dict)  # values by number
    resources: dict[str, bytes] = field(default_factory=dict)
    resource_text: str | None = None
    old_spellings: list[tuple[int, str]] = field(default_factory=list)
    misspellings: dict[int, str] = field(default_factory=dict)  # messages by offset
    misspelled_count: int = 0
    short_floats: dict[int, str] = field(default_factory=dict)  # messages by offset
    has_signed: bool = False  # `si32` or another signed type occurs
    signed_as_signless: bool = False  # `si32` is the specification's spelling of `i32`
    alias_uses: int = 0  # also of other spellings that depend on the program; texts with any are not shared
    nestings: dict[int, Nesting] = field(default_factory=dict)  # of expanded aliases
    depth: int = 0

    @property
    def note_count(self) -> int:
        """The number of errors and notes so far, each of which belongs to one place of the text."""
        return len(self.errors) + self.misspelled_count + len(self.old_spellings)

    def misspelled(self, offset: int, found: str, expected: str) -> None:
        """Record a spelling of the specification that upstream's parser rejects.

        Args:
            offset: The position of the spelling.
            found: The spelling.
            expected: Upstream's spelling.
        """
        self.alias_uses += 1  # disables caching of the enclosing text
        self.misspelled_count += 1
        if len(self.misspellings) < MAX_MISSPELLINGS:
            self.misspellings.setdefault(offset, f"upstream spells {found} as {expected}")

    def use_alias(self, name: str) -> Alias | None:
        """Return the alias of a name, and record its use; None if there is none."""
        self.used_aliases.add(name)
        return self.aliases.get(name)

    def unused_aliases(self) -> list[tuple[str, Any]]:
        """Return the names of unused aliases, each with its definition."""
        return [(name, alias.read) for name, alias in self.aliases.items() if name not in self.used_aliases]

    def short_float(self, offset: int, found: str, digits: int) -> None:
        """Records a hexadecimal literal with fewer digits than the specification asks for."""
        self.alias_uses += 1
        self.misspelled_count += 1
        if len(self.short_floats) < MAX_MISSPELLINGS:
            message = f"FloatConstant (C2): expected {digits} hexadecimal digits, found {found} [spec-only]"
            self.short_floats.setdefault(offset, message)

    def diagnostics(self) -> list[Diagnostic]:
        """Return the errors in the order of the text, without duplicates."""
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
        """Return the text of a token."""
        return self.tokens.texts[token]

    def read_once(
        self, token: int, shared: dict[str, V], own: dict[str, V], read: Callable[[ReadContext, int, str], V]
    ) -> V:
        """Read a token, or return what an equal text was read as.

        Args:
            token: The token.
            shared: A cache by text of what does not depend on the program.
            own: A cache by text of what depends on the program, as aliases do.
            read: The reader of a token, which is given the token's text as well.

        Returns:
            What the token stands for. It is not cached if its spelling is to be reported at each place.
        """
        text, state = self.tokens.texts[token], self.parser_state
        found = shared.get(text)
        if found is not None:
            return found
        found = own.get(text)
        if found is not None:
            state.alias_uses += 1
            return found
        uses, misspelled = state.alias_uses, state.misspelled_count
        found = read(self, token, text)
        if state.misspelled_count == misspelled:
            (shared if state.alias_uses == uses else own)[text] = found
        return found

    def start(self, child: Any) -> int:
        """Return the offset at which a token, or the first token of a tree, starts."""
        return self.tokens.start(first_token(child))

    def error(self, child: Any, message: str, *notes: str, code: str = "parse") -> SourceError:
        """Return an error at the start of a token or tree.

        Args:
            child: A token or a tree.
            message: The problem, and what was expected.
            *notes: Hints.
            code: The code of the diagnostic.
        """
        return SourceError(self.start(child), message, *notes, code=code)

    def report(self, error: SourceError) -> None:
        """Record an error and continue reading."""
        self.parser_state.errors.append(error)

    def attempt(self, read: Callable[[], V]) -> V | None:
        """Return the result of a reader; None, with the error recorded, if it raises SourceError."""
        try:
            return read()
        except SourceError as error:
            self.report(error)
            return None

    def integer(self, token: int, text: str | None = None, most: int = (1 << 63) - 1) -> int:
        """Return the value of an integer's token.

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
        """Enter a nested type, attribute or location; raise SourceError beyond `MAX_DEPTH`."""
        self.parser_state.depth += 1
        if self.parser_state.depth > MAX_DEPTH:
            message = f"types, attributes or locations are nested deeper than {MAX_DEPTH}"
            raise self.error(child, message)

    def expand_alias(self, token: int, alias: Alias, read: Callable[[ReadContext, Any], V]) -> V:
        """Resolve an alias.

        Args:
            token: The token that names the alias.
            alias: The alias.
            read: Reads the alias's definition.

        Returns:
            The type or attribute of the alias.

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
        """Check the size and depth of the expansion of an alias; raise SourceError."""
        found = nesting_of(value, self.parser_state.nestings)
        if found.depth > MAX_DEPTH or found.size > MAX_SIZE:
            limits = f"more than {MAX_SIZE} types or attributes, or nests them deeper than {MAX_DEPTH}"
            raise self.error(token, f"alias {self.text(token)} expands to {limits}")
        self.parser_state.nestings[id(value)] = found

    def parse_token(self, token: int, start: str) -> tuple[ReadContext, Node]:
        """Parse the text of one token.

        Args:
            token: The token.
            start: The grammar's start symbol.

        Returns:
            The context of the text's tokens, and its tree.

        Raises:
            SourceError: The text does not parse.
        """
        return parse_text(self.text(token), self.tokens.start(token), start, self.parser_state)


def parse_text(text: str, offset: int, start: str, parser_state: ParserState) -> tuple[ReadContext, Any]:
    """Parse the text of a type, attribute or location.

    Args:
        text: The text.
        offset: The offset of the text in the program.
        start: The grammar's start symbol.
        parser_state: The parser's state.

    Returns:
        The context of the text's tokens, and its tree.

    Raises:
        SourceError: The text does not parse.
    """
    tokens = _signature_tokens(text, offset) if text.startswith("(") else inner_lexer().tokens(text, offset)
    context = ReadContext(tokens, parser_state)
    try:
        return context, driver().parse(context.tokens, start)
    except SyntaxFailure as failure:
        raise describe(context.tokens, failure.unexpected) from None


def _signature_tokens(text: str, offset: int) -> Tokens:
    """Return the tokens of a function type, whose types are one token each: a few distinct ones recur."""
    types = program_lexer().tokens(text[1:], offset + 1)
    types.kinds.insert(0, program_lexer().known["("])
    types.texts.insert(0, "(")
    types.ends.insert(0, types.base)
    return types


def share(cache: dict[str, Any], text: str, value: Any) -> None:
    """Cache the value of a text across programs.

    Args:
        cache: The cache, such as `shared_types`.
        text: The text, which must not refer to aliases.
        value: Its value.
    """
    if len(text) <= _SHARED_LENGTH:
        if len(cache) >= _SHARED_ENTRIES:
            cache.clear()
        cache[text] = value
