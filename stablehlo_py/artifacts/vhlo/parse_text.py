"""Parser of VHLO's attributes and types, by the templates of `vhlo.text`."""

from __future__ import annotations

import builtins
import re
import struct
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from stablehlo_py.artifacts.dialects.fields import DYNAMIC, References
from stablehlo_py.artifacts.dialects.registry import ATTRIBUTES, TYPES, VHLO, refusal
from stablehlo_py.artifacts.dialects.rows import Row
from stablehlo_py.artifacts.vhlo.text import Part, parts_of
from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.ir.attributes import Attribute, FloatAttr
from stablehlo_py.ir.types import Type
from stablehlo_py.opset.structures import ENUMS
from stablehlo_py.syntax.parser import parse_attribute

MAX_DEPTH = 64  # of attributes and types within one another
_START = re.compile(r"\s*([#!])vhlo(?:\.(\w+)|<(\w+) (\w+)>)")
_SIZE = re.compile(r"\s*(\d{1,20}|\?)x")
_NUMBER = re.compile(r"\s*(0x[0-9A-Fa-f]{1,16}|-?[\d.]+(?:[eE][-+]?\d+)?|\?)")
_INTEGER = re.compile(r"-?\d{1,20}")
_END = re.compile(r"\s*[\])}>]")
_EMPTY = re.compile(r"\s*\(\s*\)")
_BODY = re.compile(r'(?:[^<>"-]|->|-|"(?:[^"\\]|\\.)*")*')


class _Given(References):
    """The fields of an entry, in the order in which its row reads them."""

    __slots__ = ("_items", "at", "missing")

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = iter(items)
        self.at = 0
        self.missing = []

    def byte(self, what: str = "") -> int:
        """Return the next item."""
        found: int = next(self._items)
        return found

    def varint(self) -> int:
        """Return the next item."""
        return self.byte()

    def signed(self) -> int:
        """Return the next item."""
        return self.byte()

    def count(self, what: str, least: int = 1) -> int:
        """Return the number of items in a list."""
        return self.byte()

    def flagged(self) -> tuple[int, bool]:
        """Return an optional item."""
        return (self.byte(), True) if self.byte() else (0, False)

    def attribute(self, index: Any) -> Any:
        """Return the attribute itself."""
        return index

    def type(self, index: Any) -> Any:
        """Return the type itself."""
        return index


@lru_cache(maxsize=1024)
def parse_text(text: str) -> Any:
    """Return the attribute or type of VHLO's text; raise ValueError or Fault for invalid text."""
    parser = _Parser(text)
    found = parser.value()
    if text[parser.at :].strip():
        raise ValueError(f"unexpected text after {text[: parser.at]}")
    return found


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        self._known: dict[int, tuple[Any, int]] = {}  # values or errors, and their ends, by offset
        self.at = 0

    def value(self) -> Any:
        """Read an attribute or type."""
        start = self.at
        if start not in self._known:
            if self._depth >= MAX_DEPTH:
                raise ValueError(f"more than {MAX_DEPTH} attributes or types within one another")
            self._depth += 1
            try:
                self._known[start] = self._value(), self.at
            except ValueError as error:
                self._known[start] = error, start
            self._depth -= 1
        found, self.at = self._known[start]
        if isinstance(found, ValueError):
            raise found
        return found

    def _value(self) -> Any:
        match = self._match(_START, "an attribute or type of VHLO")
        sigil, name, enum, word = match.groups()
        rows = _rows(sigil).get(name or enum, ())
        if enum and rows:
            return _enum(rows[0], word)
        start, error = self.at, None
        for row in rows:
            self.at = start
            try:
                found = self._entry(row)
                if isinstance(found, Type) and (fault := refusal(found)):
                    raise ValueError(fault)
                return found
            except ValueError as failure:
                error = error or failure
        raise error or ValueError(f"unknown VHLO {'type' if sigil == '!' else 'attribute'} {name or enum}")

    def _entry(self, row: Row) -> Any:
        if not row.fields:
            return row.make()
        self._literal("<")
        if not row.text and isinstance(row.key, str):
            raise ValueError(f"expected #vhlo<{row.mnemonic} ...>")
        if not row.text:
            found = self._builtin(row)
        else:
            given: dict[str, list[Any]] = {}
            for part in parts_of(row.text):
                if part.field:
                    given[part.field] = self._field(part)
                else:
                    self._literal(part.text)
            found = row.read(_Given([item for name in row.fields for item in given[name]]), row.fields)
        self._literal(">")
        return found

    def _builtin(self, row: Row) -> Attribute:
        """Read an attribute in the builtin dialect's text."""
        start, depth = self.at, 0
        while True:
            self.at = self._match(_BODY, "an attribute").end()
            if self.at >= len(self._text):
                raise ValueError("expected >")
            closes = self._text[self.at] == ">"
            if closes and not depth:
                break
            depth += -1 if closes else 1
            self.at += 1
        body = self._text[start : self.at]
        number, _, type = body.rpartition(" : ")
        try:
            found = parse_attribute(f"{number} : {parse_text(type)}" if row.key is FloatAttr else body)
        except ParseError as error:
            raise ValueError(error.diagnostics[0].message) from None
        if not isinstance(row.key, builtins.type) or not isinstance(found, row.key):
            raise ValueError(f"expected the value of {row.mnemonic}, found {found}")
        return found

    def _field(self, part: Part) -> list[Any]:
        if part.suffix == "?":
            if not self._takes(part.text):
                return [0]
            return [1, self.value()]
        if part.suffix:
            return self._list(part.kind)
        if part.kind == "x":
            return self._shape()
        return self._item(part.kind)

    def _list(self, kind: str) -> list[Any]:
        items: list[Any] = []
        count = 0
        is_empty = _EMPTY if kind == "r" else _END
        match = is_empty.match(self._text, self.at)
        if match is not None:
            self.at = match.end() if kind == "r" else self.at
            return [0]
        while not count or self._takes(","):
            items += self._item(kind)
            count += 1
        return [count, *items]

    def _item(self, kind: str) -> list[Any]:
        if kind in "atr":
            return [self.value()]
        if kind == "p":
            name = self.value()
            self._literal("=")
            return [name, self.value()]
        word = self._match(_NUMBER, "a number")[1]
        if kind == "d" and word.startswith("0x"):
            return list(struct.unpack("<q", int(word, 16).to_bytes(8, "little")))
        if kind == "d":
            return list(struct.unpack("<q", struct.pack("<d", float(word))))
        return [DYNAMIC if word == "?" else _integer(word)]

    def _shape(self) -> list[Any]:
        sizes: list[int] = []
        while (match := _SIZE.match(self._text, self.at)) is not None:
            self.at = match.end()
            sizes.append(DYNAMIC if match[1] == "?" else _integer(match[1]))
        return [len(sizes), *sizes]

    def _takes(self, text: str) -> bool:
        """Skip text, whose blanks do not matter, if it is next."""
        match = _literal(text).match(self._text, self.at)
        if match is not None:
            self.at = match.end()
        return match is not None

    def _literal(self, text: str) -> None:
        if not self._takes(text):
            found = self._text[self.at : self.at + 20]
            raise ValueError(f"expected {text.strip()}, found {found!r}")

    def _match(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        match = pattern.match(self._text, self.at)
        if match is None:
            raise ValueError(f"expected {what}, found {self._text[self.at : self.at + 20]!r}")
        self.at = match.end()
        return match


def _integer(word: str) -> int:
    """Return a signed integer of 64 bits."""
    if not _INTEGER.fullmatch(word) or not -(1 << 63) <= int(word) < 1 << 63:
        raise ValueError(f"expected an integer of 64 bits, found {word}")
    return int(word)


@cache
def _literal(text: str) -> re.Pattern[str]:
    return re.compile("".join([rf"\s*{re.escape(word)}" for word in re.findall(r"\w+|\S", text)]))


def _enum(row: Row, word: str) -> Any:
    name = str(row.key)
    if name not in ENUMS or word not in ENUMS[name].values:
        raise ValueError(f"unknown value {word} of {row.mnemonic}")
    return row.make(word)


@cache
def _rows(sigil: str) -> dict[str, tuple[Row, ...]]:
    """Return the rows of attributes or types by mnemonic."""
    found: dict[str, tuple[Row, ...]] = {}
    for row in (TYPES if sigil == "!" else ATTRIBUTES)[VHLO].values():
        found[row.mnemonic] = (*found.get(row.mnemonic, ()), row)
    return found
