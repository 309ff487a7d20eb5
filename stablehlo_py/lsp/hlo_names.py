"""Names in HLO text: found in the text itself, so that they are known where it does not parse."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from stablehlo_py.hlo.opcodes import opcodes

_BLANK = r"[ \t]*"
_INSTRUCTION = re.compile(rf"^{_BLANK}(?:ROOT[ \t]+)?%?([A-Za-z_][\w.\-]*){_BLANK}=[ \t]", re.MULTILINE)
_COMPUTATION = re.compile(
    rf"^(?:ENTRY[ \t]+)?%?([A-Za-z_][\w.\-]*){_BLANK}(?:\([^\n]*)?\{{{_BLANK}$", re.MULTILINE
)
_WORD = re.compile(r"%?([A-Za-z_][\w.\-]*)")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
Span = tuple[int, int]


class HloNames:
    """The names in a text of HLO.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.computations = [(match.start(1), match[1]) for match in _COMPUTATION.finditer(text)]
        self._starts = [start for start, _ in self.computations]

    @cached_property
    def instructions(self) -> dict[tuple[int, str], Span]:
        """The names of definitions, by the number of the computation and name; the first of several."""
        found: dict[tuple[int, str], Span] = {}
        for match in _INSTRUCTION.finditer(self.text):
            found.setdefault((self.computation_at(match.start(1)), match[1]), match.span(1))
        return found

    @cached_property
    def _strings(self) -> list[Span]:
        return [match.span() for match in _STRING.finditer(self.text)]

    def computation_at(self, offset: int) -> int:
        """Return the number of the computation around an offset; -1 before the first one."""
        return bisect_right(self._starts, offset) - 1

    def word_at(self, offset: int) -> re.Match[str] | None:
        """Return the word at an offset, or that ends there."""
        start = self.text.rfind("\n", 0, offset) + 1
        words = _WORD.finditer(self.text, start, self.text.find("\n", offset) % (len(self.text) + 1))
        return next((word for word in words if word.start() <= offset <= word.end()), None)

    def is_opcode(self, word: re.Match[str]) -> bool:
        """Test whether a word is an opcode: one before a parenthesis."""
        return self.text[word.end() : word.end() + 1] == "(" and word[1] in opcodes()

    def definition(self, word: re.Match[str]) -> Span | None:
        """Return where the instruction or computation with a name is defined."""
        if self.is_opcode(word) or self._is_quoted(word.start()):
            return None
        found = self.instructions.get((self.computation_at(word.start()), word[1]))
        if found is not None:
            return found
        return next(((s, s + len(name)) for s, name in self.computations if name == word[1]), None)

    def uses(self, word: re.Match[str]) -> list[Span]:
        """Return the places of the name that a word is, its definition among them, in order."""
        defined = self.definition(word)
        if defined is None:
            return []
        pattern = re.compile(rf"(?<![\w.\-]){re.escape(word[1])}(?![\w.\-])")
        found = []
        for match in pattern.finditer(self.text):
            each = _WORD.match(self.text, match.start())
            if each is not None and self.definition(each) == defined and not self._is_key(match.end()):
                found.append(match.span())
        return found

    def _is_key(self, end: int) -> bool:
        """Test whether a word is the name of an attribute: one with `=` right after it."""
        return self.text[end : end + 1] == "="

    def _is_quoted(self, offset: int) -> bool:
        index = bisect_right(self._strings, (offset, len(self.text))) - 1
        return index >= 0 and offset < self._strings[index][1]
