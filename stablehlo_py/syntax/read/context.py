"""What the readers of a program's pieces share: its tokens, aliases, caches and findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.locations import Location, Source
from stablehlo_py.ir.types import Type
from stablehlo_py.syntax.lalr.expectations import describe
from stablehlo_py.syntax.lalr.lexer import Tokens, inner_lexer, take_comments
from stablehlo_py.syntax.lalr.parse_loop import Node, SyntaxFailure, driver, first_token
from stablehlo_py.syntax.read.errors import Fault
from stablehlo_py.syntax.read.nesting import Extent, extent

MAX_DEPTH = 64
MAX_SIZE = 100_000  # types and attributes that an alias may stand for
V = TypeVar("V")

_LONGEST = 100  # characters of an integer and the blanks around it
_SHARED_ENTRIES = 8192
_SHARED_LENGTH = 512

shared_types: dict[str, Type] = {}  # by text, across programs: only texts without aliases
shared_attributes: dict[str, Attribute] = {}


@dataclass(slots=True)
class Alias:
    """`#name = value` or `!name = value`: resolved when it is first used."""

    context: Context
    value: Any
    is_open: bool = False  # being resolved: to meet it again is a cycle
    fault: Fault | None = None  # why it stands for nothing


@dataclass(slots=True)
class Session:
    """The state of one parse."""

    source: Source
    allow_unregistered: bool = False
    faults: list[Fault] = field(default_factory=list)
    aliases: dict[str, Alias] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    constants: dict[tuple[str, Type], Attribute] = field(default_factory=dict)
    locations: dict[str, Location] = field(default_factory=dict)
    distinct: dict[int, str] = field(default_factory=dict)  # values by number
    resources: dict[str, bytes] = field(default_factory=dict)
    resource_text: str | None = None
    old_spellings: list[tuple[int, str]] = field(default_factory=list)
    alias_uses: int = 0
    extents: dict[int, Extent] = field(default_factory=dict)  # of what aliases stand for
    depth: int = 0

    def diagnostics(self) -> list[Diagnostic]:
        """What was found, in the order of the text; each finding once."""
        found: dict[tuple[int, str], Diagnostic] = {}
        for fault in sorted(self.faults, key=lambda f: f.offset):
            line, column = self.source.position(fault.offset)
            found.setdefault(
                (fault.offset, fault.message),
                Diagnostic("error", fault.code, fault.message, line, column, fault.notes),
            )
        return list(found.values())


@dataclass(slots=True)
class Context:
    """Tokens being read, of the program or of one piece of it."""

    tokens: Tokens
    session: Session

    def text(self, token: int) -> str:
        return self.tokens.texts[token]

    def start(self, child: Any) -> int:
        """Where a token, a node or the first of its children starts."""
        return self.tokens.start(first_token(child))

    def integer(self, token: int, text: str | None = None) -> int:
        """The value of an integer's token, or of a part of its text. Raises Fault beyond 64 bits."""
        text = self.tokens.texts[token] if text is None else text
        value = 1 << 64 if len(text) > _LONGEST else int(text, 16) if "x" in text else int(text)
        if not -(1 << 63) <= value < 1 << 63:
            raise Fault(self.start(token), "integer value too large")
        return value

    def descend(self, child: Any) -> None:
        """Goes into a type, attribute or location inside another. Raises Fault where that is too deep."""
        self.session.depth += 1
        if self.session.depth > MAX_DEPTH:
            message = f"more than {MAX_DEPTH} types, attributes or locations within one another"
            raise Fault(self.start(child), message)

    def expand(self, token: int, alias: Alias, read: Callable[[Context, Any], V]) -> V:
        """What an alias stands for. Raises Fault where that has no end, or is too deep or too large."""
        if alias.is_open:
            raise Fault(self.start(token), f"the alias {self.text(token)} is defined in terms of itself")
        if alias.fault is not None:
            raise alias.fault.with_traceback(None)
        alias.is_open = True
        try:
            self.descend(token)
            value = read(alias.context, alias.value)
            self._bound(token, value)
        except Fault as fault:
            alias.fault = fault
            raise
        finally:
            self.session.depth -= 1
            alias.is_open = False
        return value

    def _bound(self, token: int, value: object) -> None:
        """Notes the extent of what an alias stands for."""
        found = extent(value, self.session.extents)
        if found.depth > MAX_DEPTH or found.size > MAX_SIZE:
            message = f"the alias {self.text(token)} stands for more than {MAX_DEPTH} types or attributes "
            raise Fault(self.start(token), message + f"within one another, or more than {MAX_SIZE} in all")
        self.session.extents[id(value)] = found

    def inside(self, token: int, start: str) -> tuple[Context, Node]:
        """The tree of the text of one token, parsed on its own. Raises Fault."""
        return parse_piece(self.text(token), self.tokens.start(token), start, self.session)


def parse_piece(text: str, offset: int, start: str, session: Session) -> tuple[Context, Any]:
    """The tree of a type, attribute or location that stands at `offset` in the program. Raises Fault."""
    tokens = inner_lexer().tokens(text, offset)
    take_comments(tokens)
    context = Context(tokens, session)
    try:
        return context, driver().parse(context.tokens, start)
    except SyntaxFailure as failure:
        raise describe(context.tokens, failure.unexpected) from None


def share(cache: dict[str, Any], text: str, value: Any) -> None:
    """Keeps the value of a text for later programs."""
    if len(text) <= _SHARED_LENGTH:
        if len(cache) >= _SHARED_ENTRIES:
            cache.clear()
        cache[text] = value
