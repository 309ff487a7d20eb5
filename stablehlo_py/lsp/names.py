"""Names in a text: values, blocks, symbols and aliases, found in its tokens, also where it does not parse."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stablehlo_py.syntax.lalr.lexer import Tokens

_SIGILS = "%^@#!"
_INNER = re.compile(r'"(?:[^"\\]|\\.)*"|([#!@][\w$.\-]+)')
_LONGEST = 20_000  # characters of a composite in which names are searched
_OPENING, _CLOSING = "([{", ")]}"
_BEFORE_ATTRIBUTES = ("attributes", "=")


class Name(NamedTuple):
    """An occurrence of a name.

    Attributes:
        start: The offset of its first character, which tells its kind: one of `%^@#!`.
        end: The offset after it.
        text: The name, without the number of a result.
        is_definition: Whether it defines the value, block or alias. Symbols are defined by ops.
        scope: The start and end of the innermost braces around it; of an argument of a region, of the braces
            of the region.
    """

    start: int
    end: int
    text: str
    is_definition: bool
    scope: tuple[int, int]


@dataclass(slots=True)
class Scan:
    """What the tokens of a program say without being parsed.

    Attributes:
        names: The names, in order.
        results: The names that the op at an offset defines, each with the number of its results.
        starts: The offset at which the statement of the op at an offset starts.
        braces: Start and end of every pair of braces.
        owners: The starts of the results whose op the braces that start at an offset belong to.
    """

    names: list[Name] = field(default_factory=list)
    results: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)
    braces: list[tuple[int, int]] = field(default_factory=list)
    owners: dict[int, list[int]] = field(default_factory=dict)


def scan(tokens: Tokens) -> Scan:
    """Find the names in the tokens of a program."""
    return _Scanner(tokens).run()


def resolve(names: Sequence[Name]) -> dict[int, Name | None]:
    """Find the definitions of names of one text, in one pass in each direction.

    Scopes are nested or disjoint, so that the definitions that are visible at a name form a stack.

    Args:
        names: All names of the text in a module, in order.

    Returns:
        The definition of the name at each offset: the last one before it that is visible, otherwise the first
        one after it; of aliases, also one that is not visible.
    """
    found: dict[int, Name | None] = {}
    visible: list[Name] = []
    for name in names:
        while visible and visible[-1].scope[1] <= name.start:
            visible.pop()
        if name.is_definition:
            visible.append(name)
        found[name.start] = visible[-1] if visible else None
    visible = []
    for name in reversed(names):
        while visible and visible[-1].scope[0] > max(name.start, name.scope[0]):
            visible.pop()
        if found[name.start] is None and visible:
            found[name.start] = visible[-1]
        if name.is_definition:
            visible.append(name)
    defined = [name for name in names if name.is_definition]
    if defined and defined[0].text[0] in "#!":
        starts = [name.start for name in defined]
        for start in [start for start, definition in found.items() if definition is None]:
            found[start] = defined[max(bisect_right(starts, start) - 1, 0)]
    return found


class _Scanner:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens, self.found = tokens, Scan()
        self.opened: list[int] = []  # tokens of brackets
        self.braces: list[int] = []  # starts of the braces around the token
        self.pending: list[list[int]] = [[]]  # indices of the names inside of each of them
        self.defining: list[list[int]] = [[]]  # starts of the results of the statement in each of them
        self.names: list[tuple[int, int, str, bool]] = []
        self.scopes: dict[int, tuple[int, int]] = {}
        self.inner: dict[str, list[tuple[int, int, str]]] = {}
        self.at_token: dict[int, int] = {}  # the index of the name at a token
        self.arguments: list[int] = []  # indices of the names that belong to the region that follows

    def run(self) -> Scan:
        for index, text in enumerate(self.tokens.texts):
            if self.arguments and self._begins_statement(index, text):  # behind a function without a body
                scope = self.names[self.arguments[0]][0], self.tokens.start(index)
                self.scopes |= dict.fromkeys(self.arguments, scope)
                self.arguments.clear()
            if self.defining[-1] and text != "}" and self._begins_statement(index, text):
                self.defining[-1] = []
            if text in _OPENING and text:
                self._open(index, text)
            elif text in _CLOSING and text:
                self._close(index, text)
            elif text == "=":
                self._define(index)
            elif text[:1] in _SIGILS and text:
                self._name(index, text)
            if len(text) > 2 and text[-1] in ">)" and len(text) < _LONGEST:
                self._look_inside(index, text)
        self._place_arguments()
        end = self.tokens.end(len(self.tokens.texts) - 1)
        while self.pending:
            self._leave(end)
        self.found.names = [
            Name(*name, self.scopes[index])
            for index, name in sorted(enumerate(self.names), key=lambda n: n[1][0])
        ]
        self.found.braces.sort()
        return self.found

    def _open(self, index: int, text: str) -> None:
        is_region = (
            text == "{" and self._around() != "(" and self.tokens.texts[index - 1] not in _BEFORE_ATTRIBUTES
        )
        self.opened.append(index)
        if text == "{":
            start = self.tokens.start(index)
            self.found.owners[start] = self.defining[-1]
            self.braces.append(start)
            self.pending.append([])
            self.defining.append([])
            if is_region:
                self._place_arguments()

    def _begins_statement(self, index: int, text: str) -> bool:
        """Test whether a token may begin a statement: a result, label or op that begins a line."""
        return self._around() != "(" and self.tokens.begins_line(index) and (text[:1] in "%^}" or "." in text)

    def _place_arguments(self) -> None:
        """Let the arguments that wait for their region belong to the innermost braces."""
        self.pending[-1] += self.arguments
        self.arguments.clear()

    def _close(self, index: int, text: str) -> None:
        opening = _OPENING[_CLOSING.index(text)]
        if self._around() == opening:
            self.opened.pop()
            if text == "}":
                self._leave(self.tokens.end(index))

    def _leave(self, end: int) -> None:
        """Leave the innermost braces, which end at an offset."""
        start = self.braces.pop() if self.braces else 0
        if len(self.pending) > 1:
            self.found.braces.append((start, end))
        self.scopes |= dict.fromkeys(self.pending.pop(), (start, end))
        self.defining.pop()

    def _around(self) -> str:
        return self.tokens.texts[self.opened[-1]] if self.opened else ""

    def _in_successor(self) -> bool:
        """Return True in the operands of a branch, `cf.br ^bb1(%a : f32)`, which are no arguments."""
        before = self.opened[-1] - 1
        return self.tokens.texts[before][:1] == "^" and not self.tokens.begins_line(before)

    def _in_label(self) -> bool:
        """Return True in the arguments of a block, `^bb0(%a : f32):`, which is in its region."""
        return self.tokens.texts[self.opened[-1] - 1][:1] == "^"

    def _add(self, start: int, end: int, text: str, is_definition: bool) -> None:
        self.pending[-1].append(len(self.names))
        self.names.append((start, end, text, is_definition))

    def _name(self, index: int, text: str) -> None:
        if not re.fullmatch(r"[%^@#!][\w$.\-#]+|@\"[^\"]*\"", text):
            return
        after = self.tokens.texts[index + 1]
        inputs = text[0] == "%" and after == ":" and self._around() == "(" and not self._in_successor()
        label = text[0] == "^" and self.tokens.begins_line(index) and after in (":", "(")
        self.at_token[index] = len(self.names)
        base = text if text[0] != "%" else text.partition("#")[0]
        start = self.tokens.start(index)
        self._add(start, start + len(base), base, inputs or label)
        if inputs and not self._in_label():
            self.arguments.append(self.pending[-1].pop())

    def _look_inside(self, index: int, text: str) -> None:
        """Find the aliases and symbols inside of a type, attribute or location."""
        names = self.inner.get(text)
        if names is None:
            matches = [match for match in _INNER.finditer(text, 1) if match[1]]
            names = self.inner[text] = [(match.start(1), match.end(1), match[1]) for match in matches]
        start = self.tokens.start(index)
        for first, last, name in names:
            self._add(start + first, start + last, name, False)

    def _define(self, index: int) -> None:
        """Mark the names before `=` as definitions, and note the op after it."""
        texts = self.tokens.texts
        before = index - 1
        if self._around() == "(" or (before >= 0 and texts[before][:1] in ("#", "!")):
            self._mark(before)
            return
        results: list[tuple[int, int]] = []
        while before >= 0:
            count = 1
            if before > 1 and texts[before].isdigit() and texts[before - 1] == ":":
                count, before = int(texts[before][:6]), before - 2
            if texts[before][:1] != "%":
                break
            self._mark(before)
            results.append((self.tokens.start(before), count))
            if texts[before - 1] != ",":
                break
            before -= 2
        if results:
            op = self.tokens.start(index + 1)
            self.found.results[op] = results[::-1]
            self.found.starts[op] = results[-1][0]
            self.defining[-1] = [start for start, _ in results]

    def _mark(self, token: int) -> None:
        at = self.at_token.get(token)
        if at is not None:
            start, end, text, _ = self.names[at]
            self.names[at] = (start, end, text, True)
