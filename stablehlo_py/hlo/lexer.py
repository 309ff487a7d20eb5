"""Lexer: terminals of the grammar, cut from a text where the parser wants them.

What a text such as `0_1` or `{0,1}` is depends on the place. The parser asks for the terminal that the place
allows, so that no list of tokens is kept: the memory is that of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import NoReturn, TypeVar

from stablehlo_py.diagnostics.suggestions import nearest
from stablehlo_py.grammar import grammar_folder
from stablehlo_py.layout.elements import XLA_TYPES
from stablehlo_py.syntax.errors import SourceError

T = TypeVar("T")

_TERMINAL = re.compile(r"^([A-Z_]+)(?:\.\d)?: /(.*)/$", re.MULTILINE)
_MOST_NESTED = 100


@cache
def terminals() -> dict[str, str]:
    """Return the patterns of the grammar's terminals."""
    text = (grammar_folder() / "hlo.lark").read_text("utf-8")
    return {name: pattern.replace(r"\/", "/") for name, pattern in _TERMINAL.findall(text)}


@cache
def terminal(name: str) -> re.Pattern[str]:
    """Return the pattern of a terminal, as a group, with the blanks after it."""
    return re.compile(rf"({terminals()[name]})(?:{terminals()['BLANKS']})?+")


def near(word: str, known: Iterable[str]) -> list[str]:
    """Return a note with the most similar known word, if there is one."""
    found = nearest(word, known)
    return [f"did you mean {found}?"] if found else []


@cache
def reserved() -> frozenset[str]:
    """Return the words that are names only after a `%`: keywords and element types."""
    types = [row.xla for row in XLA_TYPES.values()]
    return frozenset([*_KEYWORDS.split(), *types, "token", "opaque"])


_KEYWORDS = (
    "true false inf nan HloModule ENTRY ROOT FileNames FunctionNames FileLocations StackFrames maximal "
    "replicated manual last_tile_dim_replicate shard_as shard_like unknown unreduced"
)
WORD = re.compile(r"[\w.\-]+", re.ASCII)


class Cursor:
    """A text, and the start of the next token in it.

    Args:
        text: The text.
        at: Where to start.
    """

    __slots__ = ("at", "depth", "text")

    def __init__(self, text: str, at: int = 0) -> None:
        self.text = text
        self.at = at
        self.depth = 0
        self.skip()

    def skip(self, to: int | None = None) -> None:
        """Advance to a place, and over the blanks there."""
        to = self.at if to is None else to
        found = _blanks().match(self.text, to)
        self.at = found.end() if found else to

    def fail(self, expected: str, *notes: str, at: int | None = None) -> NoReturn:
        """Raise the error for what is next."""
        raise SourceError(
            self.at if at is None else at, f"expected {expected}, found {self.shown(at)}", *notes
        )

    def fail_with(self, at: int, message: str, *notes: str) -> NoReturn:
        """Raise an error with a message of its own."""
        raise SourceError(at, message, *notes)

    def shown(self, at: int | None = None) -> str:
        """Return the next token as a message shows it."""
        at = self.at if at is None else at
        found = WORD.match(self.text, at)
        word = found[0] if found else self.text[at : at + 1]
        if not word:
            return "the end of the text"
        return f"'{word[:40]}{'...' * (len(word) > 40)}'" if word.isprintable() else ascii(word)

    def is_next(self, word: str) -> bool:
        """Return True if a text is next."""
        return self.text.startswith(word, self.at)

    def take(self, word: str) -> bool:
        """Read punctuation if it is next."""
        if not self.text.startswith(word, self.at):
            return False
        self.skip(self.at + len(word))
        return True

    def take_word(self, word: str) -> bool:
        """Read a keyword if it is next."""
        found = WORD.match(self.text, self.at)
        if found is None or found[0] != word:
            return False
        self.skip(found.end())
        return True

    def expect(self, word: str, what: str = "") -> None:
        """Read punctuation, or raise an error."""
        if not self.take(word):
            self.fail(what or f"'{word}'")

    def match(self, name: str) -> str | None:
        """Read a terminal if it is next."""
        found = terminal(name).match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[1]

    def want(self, name: str, what: str) -> str:
        """Read a terminal, or raise an error."""
        found = self.match(name)
        if found is None:
            self.fail(what)
        return found

    def integer(self, what: str = "an integer") -> int:
        """Read an integer of at most 64 bits; those above 2^63-1 are their bits."""
        start = self.at
        return self.value(self.want("INTEGER", what), start)

    def int32(self) -> int:
        """Read an integer of 32 bits."""
        start = self.at
        value = self.integer()
        if not -(1 << 31) <= value < 1 << 31:
            self.fail("an integer of 32 bits", at=start)
        return value

    def value(self, digits: str, at: int) -> int:
        """Return the value of digits, which must fit 64 bits."""
        value = int(digits) if len(digits) <= 21 else 1 << 64
        if not -(1 << 63) <= value < 1 << 64:
            self.fail("an integer of at most 64 bits", at=at)
        return value

    def name(self, what: str = "a name") -> str:
        """Read a name, without its `%`."""
        text = self.want("NAME", what)
        return text[1:] if text[0] == "%" else text

    def new_name(self, what: str) -> str:
        """Read a name that is defined, without its `%`."""
        start = self.at
        name = self.name(what)
        if name in reserved() and self.text[start] != "%":
            self.fail(f"{what}, which is no keyword or type", at=start)
        return name

    def choice(self, known: tuple[str, ...], what: str) -> str:
        """Read one of several words."""
        found = WORD.match(self.text, self.at)
        if found is None or found[0] not in known:
            listed = f" ({', '.join(known)})" if len(known) < 9 else ""
            self.fail(what + listed, *(near(found[0], known) if found else []))
        self.skip(found.end())
        return found[0]

    def boolean(self) -> bool:
        """Read `true` or `false`."""
        return self.choice(("true", "false"), "true or false") == "true"

    def enter(self) -> None:
        """Count a bracket around what is next; raise an error if there are too many."""
        self.depth += 1
        if self.depth > _MOST_NESTED:
            self.fail(f"at most {_MOST_NESTED} nested brackets")

    def items(self, item: Callable[[], T], opening: str = "{", closing: str = "}") -> tuple[T, ...]:
        """Read comma-separated items in brackets."""
        self.expect(opening)
        if self.take(closing):
            return ()
        self.enter()
        found = [item()]
        while self.take(","):
            found.append(item())
        self.expect(closing, f"',' or '{closing}'")
        self.depth -= 1
        return tuple(found)

    def fields(
        self,
        known: tuple[str, ...],
        what: str,
        read: Callable[[str], T],
        has_commas: bool = True,
        found: dict[str, T] | None = None,
    ) -> dict[str, T]:
        """Read fields in braces, such as `{a=1 b=2}`, each once.

        Args:
            known: The names of fields.
            what: What is expected where no name of them is.
            read: Reads the value of a field.
            has_commas: Whether commas may be between fields.
            found: The fields that are read already, with the brace before them.
        """
        if found is None:
            found = {}
            self.expect("{")
        while not self.take("}"):
            if has_commas and self.take(","):
                continue
            at, name = self.at, self.choice(known, what)
            self.expect("=")
            if name in found:
                self.fail(f"{name}= once", at=at)
            found[name] = read(name)
        return found

    def integers(self) -> tuple[int, ...]:
        """Read integers in braces."""
        return self.items(self.integer)


@cache
def _blanks() -> re.Pattern[str]:
    return re.compile(terminals()["BLANKS"])
