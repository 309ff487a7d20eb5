"""Messages of syntax errors."""

from __future__ import annotations

from stablehlo_py.diagnostics.suggestions import nearest
from stablehlo_py.opset.search import belongs_here
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.foreign_dialects import NEWER_FORM, UNREGISTERED, advice
from stablehlo_py.syntax.lalr.lexer import OPENING, UNKNOWN, WORD, Tokens
from stablehlo_py.syntax.lalr.parse_loop import Unexpected
from stablehlo_py.syntax.lalr.tables import load_tables

_WORDS = {
    "VALUE_ID": "a value such as %0",
    "FUNC_ID": "a symbol such as @main",
    "BLOCK_ID": "a block such as ^bb0",
    "WORD": "a name",
    "STRING_LITERAL": "a string",
    "INTEGER_LITERAL": "an integer",
    "FLOAT_LITERAL": "a number",
    "INTEGER_LIST": "a list of integers such as [0, 1]",
    "TYPE": "a type",
    "FUNCTION_TYPE": "a signature such as (tensor<f32>) -> tensor<f32>",
    "ATTRIBUTE": "an attribute",
    "TENSOR_LITERAL": "a constant such as dense<0>",
    "LOCATION": "a location such as loc(unknown)",
    "TENSOR_SHAPE": "a type",
    "BUFFER_SHAPE": "a type",
    "STRUCT_NAME": "an attribute",
    "DIALECT_NAME": "an attribute",
    "RESOURCES": "",
    "$END": "the end",
}
_OPERATION = ["a string", "an operation"]  # expected after `%0 =`
_NO_PROGRAM = (
    "the file may hold no program: MLIR text starts with `module`, `func.func`, another op, or an alias such "
    "as `#loc = loc(unknown)`"
)
# Element types as NumPy, C and others call them, where the most similar name would be another type.
_OTHER_NAMES = {
    "bool": "i1", "pred": "i1", "half": "f16", "float": "f32", "double": "f64", "int": "i32", "long": "i64",
    "f4": "f4E2M1FN", "f8": "f8E4M3FN or f8E5M2", "complex64": "complex<f32>", "complex128": "complex<f64>",
}  # fmt: skip
_MOST = 6  # maximum number of listed terminals
_LONGEST = 60  # maximum number of characters of a shown line


def describe(tokens: Tokens, unexpected: Unexpected) -> SourceError:
    """Return the error for an unexpected token: what was found and expected, with suggestions.

    Args:
        tokens: The tokens of the text.
        unexpected: The token.
    """
    token = unexpected.token
    text = tokens.texts[token]
    expected = _expected(unexpected.expected)
    offset = tokens.start(token)
    if token and (not text or (tokens.begins_line(token) and not unexpected.begins)):
        offset = tokens.end(token - 1)
    found = f"found {_shortened(text)}" if text else "found the end of the text"
    if text and len(expected) > _MOST and _wants_type(unexpected.expected):
        expected = ["a type"]
    message = (
        f"expected {' or '.join(expected)}, {found}"
        if len(expected) <= _MOST
        else f"unexpected {_shortened(text) if text else 'end of the text'}"
    )
    if tokens.kinds[token] == OPENING:
        message = f"the bracket of {text} is not closed"
    elif tokens.kinds[token] == UNKNOWN and text == '"':
        message = "the string is not closed"
    elif _wants_type(unexpected.expected) and WORD.fullmatch(text):
        message = f"unknown type {_shortened(text)}"
    notes = _hints(text, unexpected.expected) if text else _unclosed(tokens)
    if (unexpected.begins or expected == _OPERATION) and WORD.fullmatch(text) and "." in text:
        message = f"there is no op {text} in a pretty form"
        notes = advice(text) or notes or _generic_form(text)
    elif token <= 1 and not tokens.base:
        notes = notes or [_NO_PROGRAM]
    return SourceError(offset, message, *notes)


def _generic_form(name: str) -> list[str]:
    """Return the generic form as a hint for ops without a pretty form here."""
    if belongs_here(name):
        return [NEWER_FORM]
    return [f'other dialects have the generic form "{name}"(...)', UNREGISTERED]


def _expected(terminals: tuple[str, ...]) -> list[str]:
    """Describe terminals in words, without duplicates."""
    texts = {number: text for text, number in load_tables().literals.items()}
    numbers = load_tables().terminals
    words = (
        f"'{texts[numbers[t]]}'" if numbers[t] in texts else _WORDS.get(t, "an operation") for t in terminals
    )
    return sorted(set(filter(None, words)))  # the order of the table is not deterministic


def _shortened(text: str) -> str:
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    return f"'{shown}'" if shown.isprintable() else ascii(shown)


def _unclosed(tokens: Tokens) -> list[str]:
    """Describe the brace that is not closed in a text that ends too early.

    It is the innermost brace whose closing brace, by its indentation, belongs to an outer one; else the last
    open one.
    """
    open_braces: list[int] = []
    for token, text in enumerate(tokens.texts):
        if text == "{":
            open_braces.append(token)
        elif text == "}" and open_braces:
            opening = open_braces.pop()
            if tokens.begins_line(token) and _indent(tokens, token) < _indent(tokens, opening):
                return [_not_closed(tokens, opening)]
    return [_not_closed(tokens, open_braces[-1])] if open_braces else []


def _indent(tokens: Tokens, token: int) -> int:
    """Return the indentation of the line of a token."""
    line = _line(tokens, token)
    return len(line) - len(line.lstrip())


def _line(tokens: Tokens, token: int) -> str:
    """Return the line of a token, up to the token."""
    end = tokens.end(token) - tokens.base
    return tokens.text[tokens.text.rfind("\n", 0, end) + 1 : end]


def _not_closed(tokens: Tokens, token: int) -> str:
    line = _line(tokens, token).strip()
    return f"this is not closed: {line if len(line) <= _LONGEST else f'{line[:_LONGEST]} ... {{'}"


def _hints(text: str, terminals: tuple[str, ...]) -> list[str]:
    if not WORD.fullmatch(text):
        return []
    tables = load_tables()
    numbers = {tables.terminals[t] for t in terminals}
    keywords = [t for t, n in tables.literals.items() if n in numbers and t.isidentifier()]
    names = [name for name, n in tables.ops.items() if n in numbers]
    if _wants_type(terminals) and text in _OTHER_NAMES:
        return [f"did you mean {_OTHER_NAMES[text]}?"]
    types = _element_types() if _wants_type(terminals) else []
    close = nearest(text, types, 0.6) or nearest(text, [*keywords, *names])
    return [f"did you mean {close}?"] if close and close != text else []


def _wants_type(terminals: tuple[str, ...]) -> bool:
    """Return True if a type is expected; as an attribute, it is one of many things."""
    return "TYPE" in terminals and "ATTRIBUTE" not in terminals


def _element_types() -> list[str]:
    from stablehlo_py.ir.element_types import ELEMENT_TYPES  # for errors only

    return [*(row.name for row in ELEMENT_TYPES.values()), "tensor"]
