"""Programs near the example of a rule: with other types, sizes, constants, attributes and operands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

import stablehlo_py as shlo
from stablehlo_py.transforms.rules.example import example_text

ELEMENTS = ("f32", "f64", "f16", "bf16", "f8E4M3FN", "i32", "i8", "ui8", "i64", "ui64", "i1", "complex<f32>")
SIZES = ((2, 0), (3, 0), (2, 1), (2, 5), (3, 1), (3, 4))
DIRECTIONS = ("EQ", "NE", "GE", "GT", "LE", "LT")
TYPES_OF_COMPARISONS = ("SIGNED", "UNSIGNED", "FLOAT", "TOTALORDER")
OTHERS = (
    ("true", "false"),
    ("false", "true"),
    ("-1", "2"),
    ("0.0", "-0.0"),
    ("0.0", "1.0"),
    ("0.0", "0x7FC00000"),
    ("1.0", "2.0"),
    ("2.0", "3.0"),
    *permutations(DIRECTIONS, 2),
    *permutations(TYPES_OF_COMPARISONS, 2),
)


def types_and_sizes(body: str, elements: Sequence[str] = ELEMENTS) -> Iterator[str]:
    """The example, then with another element type in place of its first one, then with other sizes."""
    yield body
    for old in ("f32", "i32"):
        if f"x{old}>" in body or f"<{old}>" in body:
            for new in elements:
                yield re.sub(rf"(?<=[x<]){old}(?=>)", new, body if "f" in new else _whole(body))
    for old_size, new_size in SIZES:
        yield re.sub(rf"(?<=[<x]){old_size}(?=x)", str(new_size), body)


def retyped(body: str, old: str, new: str) -> str:
    """The example with another element type, in which constants are written as that type has them."""

    def constant(match: re.Match[str]) -> str:
        return match[1] + re.sub(r"true|false|-?\d+(?:\.\d+)?", element, match[2]) + match[3]

    def element(match: re.Match[str]) -> str:
        value = {"true": "1", "false": "0"}.get(match[0], match[0])
        if new == "i1":
            return "true" if float(value) else "false"
        if "f" not in new:
            return str(int(float(value)))
        return f"({float(value)}, 0.0)" if new.startswith("complex") else str(float(value))

    body = re.sub(rf"(dense<)([^>]*)(> : tensor<(?:[\d?]+x)*{old}>)", constant, body)
    return re.sub(rf"(?<=[x<]){re.escape(old)}(?=>)", new, body)


def _whole(body: str) -> str:
    """The example with whole numbers instead of fractions."""
    return re.sub(r"\b(\d+)\.\d+", r"\1", body)


def _at_each(pattern: str, new: str, text: str) -> Iterator[str]:
    """A text with what a pattern matches replaced in one place."""
    for match in re.finditer(pattern, text):
        yield text[: match.start()] + match.expand(new) + text[match.end() :]


def near(body: str) -> Iterator[str]:
    """Programs that differ from the example in one thing; not all of them are valid."""
    yield from types_and_sizes(body)
    for old in ("f32", "i32", "i1"):
        for new in ("i32", "i1", "f32", "f64", "complex<f32>", "ui8"):
            yield retyped(body, old, new)
    for old, new in OTHERS:
        yield from _at_each(rf"(?<![\w.]){re.escape(old)}(?![\w.])", new, body)
    # Numbers of attributes and constants, sizes that are unknown, and shapes that are not the same.
    for number in range(4):
        for other in {number + 1, number - 1, 0, 5} - {number}:
            yield from _at_each(rf"(?<![\w.%#<x-]){number}(?![\w.x])", str(other), body)
            yield from _at_each(rf"(?<=<){number}(?=>)", str(other), body)
    for size in range(1, 9):
        yield re.sub(rf"(?<=[<x]){size}(?=x)", "?", body)
        yield from _at_each(rf"(?<=[<x]){size}(?=x)", "?", body)
        yield re.sub(rf"(?<=[<x]){size}(?=x)", str(size + 1), body)
    # A constant that is an argument, an argument that is a constant, and other values as operands.
    constant = re.compile(r"^[ ]*%(\w+) = stablehlo\.constant .*\n", re.MULTILINE)
    for match in constant.finditer(body):
        yield body.replace(match[0], "")
    for name, type in re.findall(r"%(\w+), .*\((tensor<[^()]*?>),", body):
        yield f"%{name} = stablehlo.constant dense<1> : {type}\n{body}"
    for name, type in re.findall(r"stablehlo\.\w+ %(\w+).* : (tensor<[^()]*>)$", body, re.MULTILINE):
        for value in ("1", "1.0", "true"):
            yield f"%{name} = stablehlo.constant dense<{value}> : {type}\n{body}"
    names = list(dict.fromkeys(re.findall(r"%(\w+)", body)))
    for a in names:
        for b in names:
            if a != b:
                yield from _at_each(rf"(?<!^)%{a}\b(?!:?\d* =)", f"%{b}", body)
        yield from _at_each(rf"%{a}\b(?!:?\d* =)", f"%other_{a}", body)


def module_of(body: str) -> shlo.Module | None:
    """The program of a body; None if it is not valid."""
    try:
        module = shlo.parse(example_text(body))
    except (shlo.ParseError, KeyError, IndexError):
        return None
    return None if any(d.severity == "error" for d in shlo.verify(module)) else module
