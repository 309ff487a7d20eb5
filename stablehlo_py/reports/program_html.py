"""Programs as HTML text: highlighted, regions and constants folded, types and locations on hover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import NamedTuple

from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

from stablehlo_py.diagnostics.origin import origin
from stablehlo_py.ir.core import BlockArgument, Module, Operation, Value
from stablehlo_py.opset.definition import lookup
from stablehlo_py.reports.html import text as visible
from stablehlo_py.reports.mlir_lexer import MlirLexer

MAX_LINES = 5_000
"""The default maximum number of lines that are shown."""
_FOLDED_LINES = 40  # a nested region with more lines is closed at first
_LONG = 30  # characters of a constant that is folded
_LONGEST = 2_000  # characters of a constant or another token that are shown
_CLASSES: dict[_TokenType, str] = {
    Comment.Single: "c",
    String: "s",
    Name.Variable: "v",
    Name.Function: "f",
    Name.Attribute: "a",
    Keyword.Type: "t",
    Keyword: "k",
    Name.Builtin: "o",
    Number: "n",
}
PATTERNS = [(row[0], _CLASSES.get(row[1], "")) for row in MlirLexer.tokens["root"]]
"""The regular expressions of tokens, in order, with their classes, for the script of a page."""


class Token(NamedTuple):
    """A token: its class in the style sheet ("" for none) and its text."""

    style: str
    text: str


@dataclass
class _Line:
    """A line: its tokens, the brackets that it closes before it opens others, and those left open."""

    tokens: list[Token] = field(default_factory=list)
    closes: int = 0
    opens: int = 0


def style_sheet() -> str:
    """Return the style sheet of the HTML text."""
    return files("stablehlo_py.reports").joinpath("program.css").read_text(encoding="utf-8")


def program_html(module: Module | None, text: str, *, max_lines: int = MAX_LINES) -> str:
    """Render a program as HTML, without its style sheet.

    Args:
        module: The module that was parsed from the text; None for a text that cannot be parsed.
        text: The text.
        max_lines: The maximum number of lines that are shown.

    Returns:
        A `div` of class `shlo-program`, whose lines have ids `L1`, `L2`, ...
    """
    lines = _lines(text)
    shown = lines[:max_lines]
    hints = _Hints(module)
    ends = _ends(shown)
    rows = ['<div class="shlo-program">']
    closing: list[int] = []  # the number of brackets that each open fold waits for
    for number, line in enumerate(shown, 1):
        _close(closing, line.closes, rows)
        row = f'<span class="number">{number}</span>{_code(line.tokens, hints.of_line(number))}'
        if line.opens and number in ends:
            is_open = len(closing) < 2 or ends[number] - number <= _FOLDED_LINES
            rows.append(f'<details{" open" if is_open else ""}><summary id="L{number}">{row}</summary>')
            closing.append(line.opens)
        else:
            rows.append(f'<div class="line" id="L{number}">{row}</div>')
    rows += ["</details>"] * len(closing)
    if len(lines) > max_lines:
        rows.append(f'<p class="more">{len(lines) - max_lines:,} more lines</p>')
    return "".join([*rows, "</div>"])


def highlighted(text: str) -> str:
    """Render a text as highlighted HTML, without line numbers."""
    return "\n".join(_code(line.tokens, {}) for line in _lines(text))


def shortened(text: str) -> str:
    """Return a text without the ends of its very long constants and other tokens."""
    return "\n".join(_shorter(line) if len(line) > _LONGEST else line for line in text.split("\n"))


def _shorter(line: str) -> str:
    tokens = [token for each in _lines(line) for token in each.tokens]
    parts, position = [], 0
    while position < len(tokens):
        end = max(_constant_end(tokens, position), position + 1)
        part = "".join(token.text for token in tokens[position:end])
        parts.append(part if len(part) <= _LONGEST else _without_end(part))
        position = end
    return "".join(parts)


def _without_end(text: str) -> str:
    """Return the start of a constant, closed as it was, or of another token."""
    closing = ">" if text.endswith(">") else ""
    return f"{text[:_LONGEST]}\u2026 {len(text) - _LONGEST:,} more characters{closing}"


def _close(closing: list[int], brackets: int, rows: list[str]) -> None:
    """Close the folds that end with a number of brackets."""
    while brackets and closing:
        taken = min(brackets, closing[-1])
        brackets -= taken
        closing[-1] -= taken
        if closing[-1]:
            return
        closing.pop()
        rows.append("</details>")


def _lines(text: str) -> list[_Line]:
    """Return the tokens of each line."""
    lines = [_Line()]
    for _, kind, value in MlirLexer(ensurenl=False, stripnl=False).get_tokens_unprocessed(text):
        for index, part in enumerate(value.split("\n")):
            if index:
                lines.append(_Line())
            if part:
                lines[-1].tokens.append(Token(_CLASSES.get(kind, ""), part))
        if value == "{":
            lines[-1].opens += 1
        elif value == "}" and lines[-1].opens:
            lines[-1].opens -= 1
        elif value == "}":
            lines[-1].closes += 1
    if not lines[-1].tokens:
        lines.pop()
    return lines


def _ends(lines: Sequence[_Line]) -> dict[int, int]:
    """Return for each line that leaves brackets open the line that closes them, by numbers from 1."""
    ends: dict[int, int] = {}
    pending: list[int] = []
    for number, line in enumerate(lines, 1):
        for _ in range(min(line.closes, len(pending))):
            ends[pending.pop()] = number
        pending += [number] * line.opens
    return ends


def _code(tokens: Sequence[Token], hints: Mapping[str, str]) -> str:
    """Return a line's tokens as HTML; long constants are folded."""
    code = []
    position = 0
    while position < len(tokens):
        end = _constant_end(tokens, position)
        if end > position:
            literal = "".join(token.text for token in tokens[position:end])
            code.append(
                f'<details class="constant"><summary>{visible(literal[:_LONG])}&hellip;</summary>'
                f"{_cut(literal)}</details>"
            )
            position = end
            continue
        style, text = tokens[position]
        hint = hints.get(text, "")
        title = f' title="{visible(hint)}"' if hint else ""
        named = f' class="{style}"' if style else ""
        code.append(f"<span{named}{title}>{_cut(text)}</span>" if style or hint else _cut(text))
        position += 1
    return "".join(code)


def _cut(text: str) -> str:
    """Return a text as HTML, without the end of a very long one."""
    rest = len(text) - _LONGEST
    return visible(text) if rest <= 0 else f"{visible(text[:_LONGEST])}&hellip; {rest:,} more characters"


def _constant_end(tokens: Sequence[Token], start: int) -> int:
    """Return the index after the long `dense<...>` that starts at a token, or `start` if none does."""
    if tokens[start].text != "dense" or start + 1 == len(tokens) or tokens[start + 1].text != "<":
        return start
    depth = size = 0
    for index in range(start + 1, len(tokens)):
        text = tokens[index].text
        size += len(text)
        depth += (text == "<") - (text == ">")
        if not depth:
            return index + 1 if size > _LONG else start
    return start


class _Hints:
    """What the tokens of a line mean: types of values, summaries and locations of ops.

    Values are looked up in the order of the text: a name stands for its last definition.
    """

    def __init__(self, module: Module | None) -> None:
        self._events = _events(module) if module is not None else iter(())
        self._next = next(self._events, None)
        self._values: dict[str, str] = {}

    def of_line(self, number: int) -> Mapping[str, str]:
        """Return the hints of a line by the texts of tokens; lines must be passed in order."""
        ops: dict[str, str] = {}
        while self._next is not None and self._next[0] <= number:
            _, where = self._next
            if isinstance(where, Operation):
                ops |= _op_hint(where)
                self._define(where.results)
            else:
                self._define([where])
            self._next = next(self._events, None)
        return {**self._values, **ops} if ops else self._values

    def _define(self, values: Sequence[Value]) -> None:
        for value in values:
            if value.name is not None:
                self._values[f"%{value.name}"] = f"%{value.name}: {value.type}"


def _events(module: Module) -> Iterator[tuple[int, Operation | BlockArgument]]:
    """Yield the ops and block arguments with their lines, in the order of the text."""
    for op in module.walk():
        line = module.line(op)
        yield line, op
        for region in op.regions:
            for block in region.blocks[:1]:
                yield from ((line, argument) for argument in block.arguments)


def _op_hint(op: Operation) -> dict[str, str]:
    """Return the summary and location of an op, by the names that its text may use."""
    definition = lookup(op.name)
    doc = definition.doc if definition is not None else ""
    types = ", ".join(f"{result}: {result.type}" for result in op.results)
    hint = "\n".join(part for part in (op.name, doc, types, *origin(op.location)) if part)
    return {op.name: hint, op.name.partition(".")[2]: hint}
