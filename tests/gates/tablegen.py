"""Read TableGen files: the records that they state, with the classes that they derive from.

It reads what files of MLIR dialects consist of: classes and definitions with parents and `let`. It evaluates
nothing: an argument or a value is the list of its tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|#\w+[^\n]*|(\[\{.*?\}\]|"(?:[^"\\]|\\.)*"|[$!]?[\w:]*\w|[-\w.]+|\S)', re.DOTALL
)
_CLOSING = {"<": ">", "(": ")", "[": "]", "{": "}"}
Tokens = list[str]


@dataclass(frozen=True)
class Record:
    """A class or definition: its parents with their arguments, and the values that its body sets."""

    name: str
    parameters: tuple[str, ...]
    parents: tuple[tuple[str, tuple[Tokens, ...]], ...] = ()
    lets: Mapping[str, Tokens] = field(default_factory=dict)


def read(text: str) -> Iterator[tuple[str, Record]]:
    """Yield the classes and definitions of a text, as `class` or `def` and the record."""
    tokens = _Tokens([match[1] for match in _TOKEN.finditer(text) if match[1]])
    while (token := tokens.take()) is not None:
        if token in ("class", "def"):
            yield token, _record(tokens)


class Table:
    """The records of several files, by name."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.records: dict[str, Record] = {}
        self.definitions: list[Record] = []
        for text in texts:
            for keyword, record in read(text):
                self.records[record.name] = record
                if keyword == "def":
                    self.definitions.append(record)

    def ancestors(self, record: Record) -> Iterator[tuple[str, tuple[Tokens, ...]]]:
        """Yield the classes that a record derives from, the nearest first, with what it passes to them."""
        for name, arguments in record.parents:
            yield name, arguments
            parent = self.records.get(name)
            if parent is None:
                continue
            given = dict(zip(parent.parameters, arguments, strict=False))
            filled = [
                (grand, tuple([_filled(each, given) for each in passed])) for grand, passed in parent.parents
            ]
            yield from self.ancestors(Record(name, (), tuple(filled)))

    def arguments(self, record: Record, base: str) -> tuple[Tokens, ...] | None:
        """Return what a record passes to a class that it derives from; None if it does not."""
        return next((passed for name, passed in self.ancestors(record) if name == base), None)

    def value(self, record: Record, name: str) -> Tokens:
        """Return the value of a name in a record, or in the nearest class that sets it; [] if none does."""
        chain = [record, *(self.records[n] for n, _ in self.ancestors(record) if n in self.records)]
        return next((each.lets[name] for each in chain if name in each.lets), [])


def entries(value: Tokens) -> list[tuple[Tokens, str]]:
    """Return the types and names in a list such as `(ins Type:$name, ...)`."""
    found = []
    for part in split(value[2:-1]):
        if "$" in (name := part[-1]):
            found.append((part[:-1], name.rpartition("$")[2]))
    return found


def split(tokens: Tokens) -> list[Tokens]:
    """Split tokens at the commas outside of brackets."""
    parts: list[Tokens] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in _CLOSING) - (token in _CLOSING.values())
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def text_of(tokens: Tokens) -> str:
    """Return the string of a token."""
    return tokens[0].strip('"')


def _filled(tokens: Tokens, given: Mapping[str, Tokens]) -> Tokens:
    return [filled for token in tokens for filled in given.get(token, [token])]


class _Tokens:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._at = 0

    def take(self) -> str | None:
        """Return the next token, which it passes; None at the end."""
        token = self.peek()
        self._at += 1
        return token

    def peek(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def until(self, *ends: str) -> Tokens:
        """Return the tokens up to one of these outside of brackets, which stays."""
        start, depth = self._at, 0
        while (token := self.peek()) is not None and (depth or token not in ends):
            depth += (token in _CLOSING) - (token in _CLOSING.values())
            self._at += 1
        return self._tokens[start : self._at]

    def bracketed(self, opening: str) -> Tokens:
        """Return the tokens in brackets; [] if there are none."""
        if self.peek() != opening:
            return []
        self.take()
        inside = self.until(_CLOSING[opening])
        self.take()
        return inside


def _record(tokens: _Tokens) -> Record:
    name = tokens.take() or ""
    parameters = [_parameter(part) for part in split(tokens.bracketed("<"))]
    parents = []
    if tokens.peek() == ":":
        tokens.take()
        while tokens.peek() not in ("{", ";", None):
            parent = tokens.take() or ""
            parents.append((parent, tuple(split(tokens.bracketed("<")))))
            if tokens.peek() == ",":
                tokens.take()
    return Record(name, tuple(parameters), tuple(parents), _lets(tokens.bracketed("{")))


def _parameter(part: Tokens) -> str:
    """Return the name of a parameter such as `list<Trait> traits = []`."""
    return part[: part.index("=")][-1] if "=" in part else part[-1]


def _lets(body: Tokens) -> Mapping[str, Tokens]:
    tokens, found = _Tokens(body), {}
    while (token := tokens.take()) is not None:
        if token == "let":
            name = tokens.take() or ""
            tokens.take()  # =
            found[name] = tokens.until(";")
    return found
