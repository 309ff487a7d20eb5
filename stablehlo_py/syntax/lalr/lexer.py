"""Text to tokens, in a few passes that run in C.

One regular expression cuts the text into tokens, each with the blanks before it; positions are sums of
lengths; the kind of a token depends on its text alone and is found once for each distinct text. What recurs
is cut as one token however long it is: a type, a dense constant, an attribute of a dialect, a location.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, repeat

from stablehlo_py.ir.element_types import FLOATS
from stablehlo_py.opset.structures import ENUMS, STRUCT_ALIASES, STRUCTS
from stablehlo_py.syntax.lalr.tables import Tables, load_tables

BLANKS = " \t\r\n"
_BLANKS = r"[ \t\r\n]*+"
_STRING = r'"(?:[^"\\\n]++|\\[^\n])*+"'
_NAME = r"[A-Za-z_][\w$.]*+"
WORD = re.compile(_NAME, re.ASCII)
_SUFFIX = r"[\w$.\-]++"
_INTEGER = r"-?(?:0x[0-9a-fA-F]++|\d++)"
_ITEM = rf"{_BLANKS}(?:{_INTEGER}|\?){_BLANKS}"


def _within(opening: str, closing: str, depth: int) -> str:
    """A pattern for what brackets hold: strings, comments, and brackets of the same kind, to a depth.

    `%` and `^` never stand in a type or attribute, and so end a bracket that its author did not close.
    """
    arrow = r"|->|-" if closing == ">" else ""
    plain = rf'[^{opening}{closing}"%^/{"-" if arrow else ""}]++|//[^\n]*+|/'
    deeper = rf"|\{opening}{_within(opening, closing, depth - 1)}\{closing}" if depth else ""
    return rf"(?:{plain}{arrow}|{_STRING}{deeper})*+"


_ANGLES = f"<{_within('<', '>', 3)}>"
_SIMPLE = rf"(?:(?:tensor|complex|tuple)<{_within('<', '>', 1)}>|!stablehlo\.token)"
_SIMPLE_LIST = rf"\({_BLANKS}(?:{_SIMPLE}(?:{_BLANKS},{_BLANKS}{_SIMPLE})*+)?{_BLANKS}\)"
_AGGREGATE = r"(?:tensor|complex|tuple|memref|vector)"
_MAPPING = r"(?:array|affine_map|strided|distinct\[\d++\][ \t\r\n]*+)"
_SET = r'affine_set<(?:[^<>"%^]++|>=)*+>'

_PROGRAM = [
    ("VALUE_ID", r"%(?:\d++|[A-Za-z_$.\-][\w$.\-]*+)(?:\#\d++)?+"),
    ("INTEGER_LIST", rf"\[(?:{_ITEM}(?:,{_ITEM})*+|{_BLANKS})\]"),
    ("FUNCTION_TYPE", rf"{_SIMPLE_LIST}{_BLANKS}->{_BLANKS}(?:{_SIMPLE}|{_SIMPLE_LIST})"),
    ("TYPE", rf"{_AGGREGATE}{_BLANKS}{_ANGLES}|!{_SUFFIX}{_ANGLES}"),
    ("TENSOR_LITERAL", rf'dense<(?:[^<>"]++|{_STRING})*+>|dense_resource<[^<>]*+>|sparse{_ANGLES}'),
    ("ATTRIBUTE", rf"{_SET}|{_MAPPING}{_ANGLES}|\#{_SUFFIX}{_ANGLES}"),
    ("LOCATION", rf"loc\({_within('(', ')', 3)}\)"),
    ("RESOURCES", r"\{-\#(?:[^#{]++|\#(?!-\})|\{(?!-\#))*+\#-\}"),
    ("opening", rf"(?:{_AGGREGATE}{_BLANKS}|{_MAPPING}|dense|sparse|!{_SUFFIX}|\#{_SUFFIX})<|loc\("),
]
_NAMES = [("ATTRIBUTE", rf"\#{_SUFFIX}"), ("TYPE", rf"!{_SUFFIX}")]
_BASIC = [
    ("comment", r"//[^\n]*+"),
    ("WORD", _NAME),
    ("FLOAT_LITERAL", r"-?\d++\.\d*+(?:[eE][-+]?\d++)?+"),
    ("INTEGER_LITERAL", _INTEGER),
    ("punctuation", r"->|::|[()\[\]{}<>,=:?*+|/;&!-]"),
    ("STRING_LITERAL", _STRING),
    ("FUNC_ID", rf"@(?:{_NAME}|{_STRING})"),
    ("BLOCK_ID", rf"\^{_SUFFIX}"),
    ("unknown", r"[\s\S]"),
]
_SHAPE = rf"{_BLANKS}<(?:{_BLANKS}(?:\d++|[?*]){_BLANKS}x)*+"
STRUCT_NAMES = frozenset(f"#{name}" for name in (*STRUCTS, *STRUCT_ALIASES, *ENUMS))
DIALECT_NAMES = frozenset(name.partition(".")[0] for name in STRUCT_NAMES)
_KNOWN = "|".join(
    re.escape(n) for n in (*STRUCT_NAMES, *DIALECT_NAMES, "!quant.uniform", "!stablehlo.future")
)
_INSIDE = [
    ("known", rf"(?:{_KNOWN})(?![\w$.\-])"),
    ("TENSOR_AND_SHAPE", rf"tensor{_SHAPE}"),
    ("BUFFER_AND_SHAPE", rf"memref{_SHAPE}"),
    ("INTEGER_LIST", rf"\[(?:{_ITEM}(?:,{_ITEM})*+|{_BLANKS})\]"),
    ("TYPE", rf"vector{_ANGLES}|!{_SUFFIX}{_ANGLES}"),
    ("TENSOR_LITERAL", rf'dense<(?:[^<>"]++|{_STRING})*+>'),
    ("ATTRIBUTE", rf"{_SET}|{_MAPPING}{_ANGLES}|\#{_SUFFIX}{_ANGLES}"),
    ("opening", rf"(?:vector|{_MAPPING}|dense|!{_SUFFIX}|\#{_SUFFIX})<"),
]

TYPE_WORDS = frozenset([*FLOATS, "index", "none"])
_INTEGER_TYPE = re.compile(r"[su]?i[1-9]\d*")
SHORT_DIALECTS = ("func.", "builtin.")  # their ops may be written without the dialect
MAX_NESTING = 256  # brackets in one another


OPENING, COMMENT, UNKNOWN = -1, -2, -3  # kinds that are no terminals


@dataclass(slots=True)
class Tokens:
    """The tokens of a text, its end last, of kind 0. `base` is where the text starts in the program."""

    kinds: list[int]
    texts: list[str]
    ends: list[int]
    text: str
    base: int = 0

    def start(self, index: int) -> int:
        """Where a token starts in the program's text."""
        return self.base + self.ends[index] - len(self.texts[index])

    def end(self, index: int) -> int:
        """Where a token ends in the program's text."""
        return self.base + self.ends[index]

    def begins_line(self, index: int) -> bool:
        """Whether a token is the first of its line."""
        before = self.ends[index - 1] if index else 0
        return not index or "\n" in self.text[before : self.ends[index] - len(self.texts[index])]


class _Kinds(dict[str, int]):
    """The kind of each distinct text."""

    def __init__(self, lexer: Lexer) -> None:
        super().__init__(lexer.known)
        self._kind = lexer.kind

    def __missing__(self, text: str) -> int:
        kind = self[text] = self._kind(text)
        return kind


class Lexer:
    """Cuts text into the terminals of the grammar."""

    def __init__(self, parts: list[tuple[str, str]], tables: Tables) -> None:
        self._cut = re.compile(f"{_BLANKS}(?:{'|'.join(p for _, p in parts)})", re.ASCII)
        self._which = re.compile("|".join(f"({p})" for _, p in parts), re.ASCII)
        extra = {"opening": OPENING, "comment": COMMENT}
        self._kinds = [extra.get(n, tables.terminals.get(n, UNKNOWN)) for n, _ in parts]
        self._type = tables.terminals["TYPE"]
        self.known = _known_texts(tables)

    def kind(self, text: str) -> int:
        """The kind of a token, by its text."""
        if _INTEGER_TYPE.fullmatch(text):
            return self._type
        match = self._which.match(text)
        assert match is not None
        assert match.lastindex is not None
        return self._kinds[match.lastindex - 1]

    def tokens(self, text: str, base: int = 0) -> Tokens:
        """The tokens of a text, comments among them."""
        raw = self._cut.findall(text.rstrip(BLANKS))
        texts = list(map(str.lstrip, raw, repeat(BLANKS)))
        ends = list(accumulate(map(len, raw)))
        kinds = list(map(_Kinds(self).__getitem__, texts))
        tokens = Tokens(kinds, texts, ends, text, base)
        if OPENING in kinds:
            _join_brackets(self, tokens, text)
        tokens.kinds.append(0)
        tokens.texts.append("")
        tokens.ends.append(len(text))
        return tokens


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


def take_comments(tokens: Tokens) -> list[tuple[int, str]]:
    """Removes the comments from tokens, and gives them as (offset, text)."""
    if COMMENT not in tokens.kinds:
        return []
    kept = [i for i, kind in enumerate(tokens.kinds) if kind != COMMENT]
    comments = [(tokens.start(i), tokens.texts[i]) for i, kind in enumerate(tokens.kinds) if kind == COMMENT]
    tokens.kinds = [tokens.kinds[i] for i in kept]
    tokens.texts = [tokens.texts[i] for i in kept]
    tokens.ends = [tokens.ends[i] for i in kept]
    return comments


_CLOSERS = {"<": ">", "(": ")", "[": "]", "{": "}"}
_PATIENCE = 1 << 20  # tokens to look through for closing brackets that are not there


def _join_brackets(lexer: Lexer, tokens: Tokens, text: str) -> None:
    """Makes one token of what each opening token begins, up to its closing bracket."""
    kinds: list[int] = []
    texts: list[str] = []
    ends: list[int] = []
    at, patience = 0, _PATIENCE
    while at < len(tokens.kinds):
        is_opening = tokens.kinds[at] == OPENING and patience > 0
        closing, seen = _closing(tokens, at, patience) if is_opening else (at, 0)
        patience -= seen if closing == at else 0
        whole = text[tokens.ends[at] - len(tokens.texts[at]) : tokens.ends[closing]]
        first = tokens.texts[at]
        kinds.append(lexer.kind(first + _CLOSERS[first[-1]]) if closing > at else tokens.kinds[at])
        texts.append(whole)
        ends.append(tokens.ends[closing])
        at = closing + 1
    tokens.kinds, tokens.texts, tokens.ends = kinds, texts, ends


def _closing(tokens: Tokens, at: int, patience: int) -> tuple[int, int]:
    """The token that closes the bracket that ends token `at`, or `at`, and how many tokens were seen."""
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
        elif text in _CLOSERS.values() or text[0] in "%^":
            break
        if len(expected) > MAX_NESTING:
            break
    return at, index - at


@cache
def program_lexer() -> Lexer:
    """The lexer of programs."""
    return Lexer([*_PROGRAM, *_NAMES, *_BASIC], load_tables())


@cache
def inner_lexer() -> Lexer:
    """The lexer of what is inside one type, attribute or location."""
    return Lexer([*_INSIDE, *_NAMES, *_BASIC], load_tables())
