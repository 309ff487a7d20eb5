"""Lexer: text to tokens, in a few passes that run in C.

One regular expression, made from the patterns of the grammar's terminals, cuts the text into tokens, each
with the blanks before it. Positions are sums of lengths. The kind of a token depends on its text alone and is
determined once for each distinct text. Lark's lexer creates an object for each token, with its line and
column, and cuts only terminals. This one also cuts composites, which the grammar spells out and which recur:
types, dense constants, dialect attributes, locations. The inside of a composite is parsed separately, once
for each distinct text, with the same tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, repeat
from typing import NamedTuple

from stablehlo_py.ir.element_types import FLOATS
from stablehlo_py.ir.records import dataclass
from stablehlo_py.opset.definition import cached_per_registry
from stablehlo_py.storage.expressions import compile_cached
from stablehlo_py.syntax.lalr.full_grammar import DIALECT_NAMES, SHORT_DIALECTS, STRUCT_NAMES
from stablehlo_py.syntax.lalr.tables import Tables, load_tables

BLANKS = " \t\r\n"
TYPE_WORDS = frozenset([*FLOATS, "index", "none", "token"])
_HEX_START, _HEX_END = 'dense<"0x', '">'
_LONG = 1 << 16  # characters of a hexadecimal constant
_BEFORE_CONSTANT = frozenset(["", *" \t=,([{<:"])
_TAIL = 256  # characters
MAX_NESTING = 256  # maximum depth of nested brackets
_BLANKS = r"[ \t\r\n]*+"
_SUFFIX = r"[\w$.\-]++"
WORD = re.compile(r"[A-Za-z_][\w$.]*+", re.ASCII)
_INTEGER_TYPE = re.compile(r"[su]?i[1-9]\d*")
_AGGREGATE = r"(?:tensor|complex|tuple|memref|vector)"
_DISTINCT = rf"distinct{_BLANKS}\[{_BLANKS}\d++{_BLANKS}\]"
_MAPPING = rf"(?:array|affine_map|strided|{_DISTINCT}){_BLANKS}"
_SHAPE = rf"{_BLANKS}<(?:{_BLANKS}(?:\d++|[?*]){_BLANKS}x)*+"
_PUNCTUATION = r"->|::|[()\[\]{}<>,=:?*+|/;&!-]"
_CLOSING = r"[,=)\]}]|:(?!:)"  # punctuation that starts nothing else, tried first since it is frequent
_KNOWN_NAMES = sorted([*STRUCT_NAMES, *DIALECT_NAMES, "!quant.uniform", "!stablehlo.future"])
_KNOWN = "|".join(map(re.escape, _KNOWN_NAMES))


class Part(NamedTuple):
    """A kind of token.

    Attributes:
        kind: Its name.
        pattern: What cuts it from a text; empty if the pattern of another kind does.
        whole: What recognizes it among tokens that are cut already. The contents of a composite have been
            matched then, so that this pattern skips them, and compiles faster.
    """

    kind: str
    pattern: str
    whole: str


def _parts(patterns: dict[str, str], inside: bool) -> list[Part]:
    """Return the patterns of tokens: composites, then the terminals of the grammar.

    A pattern that is a whole token stands without `(?>...)`: it is skipped faster where its first character
    is another one.
    """
    own = {name: f"(?>{pattern})" for name, pattern in patterns.items()}
    terminals = ("WORD", "FLOAT_LITERAL", "INTEGER_LITERAL")
    return [
        _part("punctuation", _CLOSING),
        *(_inner_composites(own) if inside else [_part("VALUE_ID", patterns["VALUE_ID"]), *_composites(own)]),
        _part("ATTRIBUTE", rf"\#{_SUFFIX}"),
        _part("TYPE", rf"!{_SUFFIX}"),
        *(_part(name, patterns[name]) for name in terminals),
        _part("punctuation", _PUNCTUATION),
        *(_part(name, patterns[name]) for name in ("STRING_LITERAL", "FUNC_ID", "BLOCK_ID")),
        _part("unknown", r"[\s\S]"),
    ]


def _composites(own: dict[str, str]) -> list[Part]:
    """Return the composites of a program."""
    string = own["STRING_LITERAL"]
    simple = rf"(?:(?:tensor|complex|tuple)<{_within('<', '>', 1, string)}>|!stablehlo\.token)"
    several = rf"{_BLANKS}(?:{simple}(?:{_BLANKS},{_BLANKS}{simple})*+)?{_BLANKS}\)"
    function = rf"{several}{_BLANKS}->{_BLANKS}(?:{simple}|\({several})"
    return [
        _integers(own),
        Part("FUNCTION_TYPE", rf"\({function}", r"\([\s\S]"),
        _composite("TENSOR_LITERAL", f"dense{_BLANKS}<", _elements(string), ">"),
        _part("ATTRIBUTE", own["AFFINE_SET"]),
        *_in_angles(
            string,
            TYPE=rf"{_AGGREGATE}{_BLANKS}|!{_SUFFIX}",
            TENSOR_LITERAL=f"(?:dense_resource|sparse){_BLANKS}",
            ATTRIBUTE=rf"{_MAPPING}|\#{_SUFFIX}",
        ),
        _composite("LOCATION", r"loc\(", _within("(", ")", 3, string), r"\)"),
        _composite("RESOURCES", r"\{-\#", r"(?:[^#{]++|\#(?!-\})|\{(?!-\#))*+", r"\#-\}"),
        _part(
            "opening", rf"(?:(?:{_AGGREGATE}|dense|sparse){_BLANKS}|{_MAPPING}|!{_SUFFIX}|\#{_SUFFIX})<|loc\("
        ),
    ]


def _inner_composites(own: dict[str, str]) -> list[Part]:
    """Return the composites inside of a type, attribute or location."""
    string = own["STRING_LITERAL"]
    return [
        _part("known", rf"(?:{_KNOWN})(?![\w$.\-])"),
        _part("TENSOR_SHAPE", rf"tensor{_SHAPE}"),
        _part("BUFFER_SHAPE", rf"memref{_SHAPE}"),
        _integers(own),
        _composite("TENSOR_LITERAL", f"dense{_BLANKS}<", _elements(string), ">"),
        _part("ATTRIBUTE", own["AFFINE_SET"]),
        *_in_angles(string, TYPE=rf"vector{_BLANKS}|!{_SUFFIX}", ATTRIBUTE=rf"{_MAPPING}|\#{_SUFFIX}"),
        _part("opening", rf"(?:(?:vector|dense){_BLANKS}|{_MAPPING}|!{_SUFFIX}|\#{_SUFFIX})<"),
    ]


def _part(kind: str, pattern: str) -> Part:
    return Part(kind, pattern, pattern)


def _composite(kind: str, heads: str, contents: str, tail: str) -> Part:
    """Return a kind of token in brackets."""
    return Part(kind, f"(?:{heads}){contents}{tail}", rf"(?:{heads})[\s\S]*{tail}")


def _in_angles(string: str, **heads: str) -> list[Part]:
    """Return kinds of tokens that differ by what precedes the same brackets; the first cuts all of them."""
    contents = _within("<", ">", 3, string)
    together = f"(?:{'|'.join(heads.values())})<{contents}>"
    parts = [Part(kind, "", rf"(?:{head})<[\s\S]*>") for kind, head in heads.items()]
    return [parts[0]._replace(pattern=together), *parts[1:]]


def _integers(own: dict[str, str]) -> Part:
    item = rf"{_BLANKS}(?:{own['INTEGER_LITERAL']}|\?){_BLANKS}"
    return _part("INTEGER_LIST", rf"\[(?:{item}(?:,{item})*+|{_BLANKS})\]")


def _elements(string: str) -> str:
    return rf'(?:[^<>"]++|{string})*+'


def _within(opening: str, closing: str, depth: int, string: str) -> str:
    """Return a pattern for the contents of brackets: strings and nested brackets, to a depth.

    `%` and `^` never occur in a type or attribute, and so end an unclosed bracket.
    """
    arrow = r"|->|-" if closing == ">" else ""
    plain = rf'[^{opening}{closing}"%^{"-" if arrow else ""}]++'
    deeper = rf"|\{opening}{_within(opening, closing, depth - 1, string)}\{closing}" if depth else ""
    return rf"(?:{plain}{arrow}|{string}{deeper})*+"


OPENING, UNKNOWN = -1, -2  # kinds that are no terminals


@dataclass(slots=True)
class Tokens:
    """The tokens of a text; the last one, of kind 0, is its end.

    Offsets are those of the program; `base` is the offset of the text in it.
    """

    kinds: list[int]
    texts: list[str]
    ends: list[int]
    text: str
    base: int

    def start(self, index: int) -> int:
        """Return the offset in the program at which a token starts."""
        return self.ends[index] - len(self.texts[index])

    def end(self, index: int) -> int:
        """Return the offset in the program at which a token ends."""
        return self.ends[index]

    def begins_line(self, index: int) -> bool:
        """Return True if a token is the first of its line."""
        if not index:
            return True
        return "\n" in self.text[self.ends[index - 1] - self.base : self.start(index) - self.base]


class LongConstant(str):
    """The text of a long hexadecimal constant, without its digits, which stay in the text of the program.

    Its length is that of the constant, and it equals nothing else.
    """

    text: str
    start: int
    stop: int

    def __new__(cls, text: str, start: int, stop: int) -> LongConstant:
        """Make the text of the constant between two offsets of a text."""
        made = super().__new__(cls, _HEX_START + _HEX_END)
        made.text, made.start, made.stop = text, start, stop
        return made

    def __len__(self) -> int:
        return self.stop - self.start

    def whole(self) -> str:
        """Return the text with the digits."""
        return self.text[self.start : self.stop]

    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


class _Kinds(dict[str, int]):
    """The kind of each distinct text."""

    def __init__(self, lexer: Lexer, texts: Iterable[str]) -> None:
        values = [text for text in {*texts} if text[0] == "%" and len(text) > 1]  # most distinct texts
        super().__init__(dict.fromkeys(values, lexer.value))
        self._lexer = lexer

    def __missing__(self, text: str) -> int:
        kind = self._lexer.known.get(text)
        kind = self[text] = self._lexer.kind(text) if kind is None else kind
        return kind


class Lexer:
    """A lexer for the terminals of the grammar.

    Args:
        cut: The expression that cuts a text into tokens.
        which: The expression with a group for each kind of token.
        parts: The kinds of tokens.
        tables: The parser's tables, which number the kinds.
    """

    def __init__(
        self, cut: re.Pattern[str], which: re.Pattern[str], parts: list[Part], tables: Tables
    ) -> None:
        self._cut = cut
        self._which = which
        extra = {"opening": OPENING}
        self._kinds = [extra.get(part.kind, tables.terminals.get(part.kind, UNKNOWN)) for part in parts]
        self._type = tables.terminals["TYPE"]
        self.value = tables.terminals["VALUE_ID"]
        self.known = _known_texts(tables)

    def kind(self, text: str) -> int:
        """Return the kind of a token, by its text."""
        if len(text) >= _LONG and text.startswith(_HEX_START) and text.endswith(_HEX_END):
            text = _HEX_START + _HEX_END
        if _INTEGER_TYPE.fullmatch(text):
            return self._type
        match = self._which.match(text)
        assert match is not None
        assert match.lastindex is not None
        return self._kinds[match.lastindex - 1]

    def tokens(self, text: str, base: int = 0) -> Tokens:
        """Return the tokens of a text.

        Args:
            text: The text, without comments.
            base: The offset of the text in the program.
        """
        lengths: list[int] = []
        texts: list[str] = []
        at, end = 0, len(text)
        for first, stop in (*_long_constants(text), (_end(text, 0, end), None)):
            begin = first if stop is None else _end(text, at, first)
            raw = self._cut.findall(text, at, begin)
            lengths += map(len, raw)
            texts += map(str.lstrip, raw, repeat(BLANKS))
            if stop is not None:
                lengths.append(stop - begin)
                texts.append(LongConstant(text, first, stop))
                at = stop
        ends = list(accumulate(lengths, initial=base))[1:]
        kinds = list(map(_Kinds(self, texts).__getitem__, texts))
        tokens = Tokens(kinds, texts, ends, text, base)
        if OPENING in kinds:
            _join_brackets(self, tokens)
        tokens.kinds.append(0)
        tokens.texts.append("")
        tokens.ends.append(base + end)
        return tokens


def _end(text: str, start: int, stop: int) -> int:
    """Return the end of a part of a text without the blanks there."""
    tail = text[max(start, stop - _TAIL) : stop]
    rest = tail.rstrip(BLANKS)
    return stop - len(tail) + len(rest) if rest else start + len(text[start:stop].rstrip(BLANKS))


def _long_constants(text: str) -> list[tuple[int, int]]:
    """Return where long hexadecimal constants start and end, which searching finds faster than a pattern.

    Lines with a comment or a string before the constant are left to the pattern.
    """
    found: list[tuple[int, int]] = []
    start = text.find(_HEX_START) if len(text) >= _LONG else -1
    while start >= 0:
        quote = text.find('"', start + len(_HEX_START))
        stop = quote + len(_HEX_END)
        line = text[text.rfind("\n", 0, start) + 1 : start]
        alone = '"' not in line and "//" not in line and line[-1:] in _BEFORE_CONSTANT
        closed = text[quote:stop] == _HEX_END
        if (
            stop - start >= _LONG
            and alone
            and closed
            and all(text.find(c, start, stop) < 0 for c in "\\\n\r")
        ):
            found.append((start, stop))
        start = text.find(_HEX_START, stop) if quote >= 0 else -1
    return found


def _known_texts(tables: Tables) -> dict[str, int]:
    terminals = tables.terminals
    known = dict.fromkeys(STRUCT_NAMES, terminals["STRUCT_NAME"])
    known |= dict.fromkeys(DIALECT_NAMES, terminals["DIALECT_NAME"])
    known |= dict.fromkeys(TYPE_WORDS, terminals["TYPE"])
    for name, terminal in tables.ops.items():
        known[name] = terminal
        if name.startswith(SHORT_DIALECTS):
            known.setdefault(name.partition(".")[2], terminal)
    return known | tables.literals


_CLOSERS = {"<": ">", "(": ")", "[": "]", "{": "}"}
_PATIENCE = 1 << 20  # tokens to search for missing closing brackets


def _join_brackets(lexer: Lexer, tokens: Tokens) -> None:
    """Join each opening token and the tokens up to its closing bracket into one token."""
    kinds: list[int] = []
    texts: list[str] = []
    ends: list[int] = []
    at, patience = 0, _PATIENCE
    while at < len(tokens.kinds):
        is_opening = tokens.kinds[at] == OPENING and patience > 0
        closing, seen = _closing(tokens, at, patience) if is_opening else (at, 0)
        patience -= seen if closing == at else 0
        first = tokens.texts[at]
        place = slice(tokens.start(at) - tokens.base, tokens.end(closing) - tokens.base)
        whole = first if closing == at else tokens.text[place]
        kinds.append(lexer.kind(first + _CLOSERS[first[-1]]) if closing > at else tokens.kinds[at])
        texts.append(whole)
        ends.append(tokens.ends[closing])
        at = closing + 1
    tokens.kinds, tokens.texts, tokens.ends = kinds, texts, ends


def _closing(tokens: Tokens, at: int, patience: int) -> tuple[int, int]:
    """Return the token that closes the bracket of token `at`, or `at`, and the number of tokens searched."""
    expected = [_CLOSERS[tokens.texts[at][-1]]]
    index = at
    while index + 1 < len(tokens.texts) and index - at < patience:
        index += 1
        text = tokens.texts[index]
        if text == expected[-1]:
            expected.pop()
            if not expected:
                return index, index - at
        elif text in _CLOSERS or tokens.kinds[index] == OPENING:
            expected.append(_CLOSERS[text[-1]])
        elif text in _CLOSERS.values() or text[0] in "%^" or text == '"':  # '"': a string without an end
            break
        if len(expected) > MAX_NESTING:
            break
    return at, index - at


def program_lexer() -> Lexer:
    """Return the lexer of programs."""
    return _lexers()[0]


def inner_lexer() -> Lexer:
    """Return the lexer of the inside of a type, attribute or location."""
    return _lexers()[1]


@cached_per_registry
def _lexers() -> tuple[Lexer, Lexer]:
    tables = load_tables()
    outside, inside = (_parts(tables.patterns, inside) for inside in (False, True))
    patterns = [*_patterns(outside), *_patterns(inside)]
    cut, which, inner_cut, inner_which = compile_cached("lexer", patterns, re.ASCII)
    return Lexer(cut, which, outside, tables), Lexer(inner_cut, inner_which, inside, tables)


def _patterns(parts: list[Part]) -> tuple[str, str]:
    """Return the patterns that cut a text into tokens, and that recognize the kind of a token."""
    cut = "|".join([part.pattern for part in parts if part.pattern])
    return f"{_BLANKS}(?:{cut})", "|".join([f"({part.whole})" for part in parts])
