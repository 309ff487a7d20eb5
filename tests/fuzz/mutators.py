"""Mutators: changes of a program's text, by the kind of what they change."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from stablehlo_py.opset.definition import all_definitions

PIECE = re.compile(r"[\w.]+|\s+|.")
TYPE = re.compile(r"tensor<[^<>]*(?:<[^<>]*>)?[^<>]*>")
ELEMENT = re.compile(r"(?<=[x<])(?:[fisu]+\d+\w*|bf16|complex<f\d+>|!quant\.uniform<[^<>]*>)(?=[,>])")
SIZE = re.compile(r"(?:\d+|\?)x")
NUMBER = re.compile(r"(?<![\w%#@^.])-?\d+(?:\.\d+(?:e[+-]?\d+)?)?(?![\w.])")
OP_NAME = re.compile(r"\b(?:stablehlo|chlo|check|func|sdy|arith|tensor|shape)\.\w+")
CLAUSE = re.compile(r"\w+ = (?:\[[^\]\n]*\]|array<[^>\n]*>|dense<[^>\n]*> : tensor<[^>\n]*>|[\w.]+)")
VALUE = re.compile(r"%\w+(?:#\d+)?")

# What programs are made of, to be put where it does not belong.
WORDS = (
    *'(){}[]<>:,=->%#@!^?*"',
    *("-1", "0", "2", "9223372036854775808", "1.0e+400", "0x7FC00000", "true", "dense<", "array<i64:"),
    *("loc(", "//", "^bb0", "%arg0", "%0", "%0:2", "%0#1", "@main", "stablehlo.return", "func.func"),
    *("tensor<?xf32>", "tensor<0xi1>", "tensor<2x3xi4>", "complex<f32>", "index", "tuple<>"),
    *("!quant.uniform<i8:f32:0, {1.0, 2.0}>", "!stablehlo.token", "#stablehlo.bounds<?>"),
    *("\0", "\ufffd", "\udcff", "\n"),
)
ELEMENTS = (
    *("f32", "f64", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "i1", "i4", "i8", "i32", "i64"),
    *("ui2", "ui8", "ui32", "ui64", "complex<f32>", "complex<f64>", "index"),
    *("!quant.uniform<i8:f32, 5.0e-01:3>", "!quant.uniform<i8:f32:0, {1.0:1, 2.0}>"),
)
NUMBERS = ("-1", "0", "1", "2", "3", "7", "64", "-3", "100000", "9223372036854775807", "-9223372036854775808")
FRACTIONS = ("0.0", "-0.0", "1.0", "0.5", "1.0e+38", "1.0e-45", "-2.5", "0x7FC00000", "0xFF800000")

Mutator = Callable[[str, Sequence[str], random.Random], str]


def mutate_bytes(text: str, others: Sequence[str], choose: random.Random) -> str:
    """Change, insert or remove bytes, anywhere."""
    data = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(choose.choice((1, 1, 2, 5))):
        at = choose.randrange(len(data) + 1)
        match choose.randrange(4):
            case 0:
                del data[at : at + choose.choice((1, 1, 3))]
            case 1:
                data[at:at] = bytes([choose.randrange(256)])
            case 2:
                data[at : at + 1] = bytes([choose.randrange(32, 127)])
            case _:
                data[at : at + 1] = bytes([data[at] ^ (1 << choose.randrange(8))]) if at < len(data) else b""
    return data.decode("utf-8", "surrogateescape")


def mutate_tokens(text: str, others: Sequence[str], choose: random.Random) -> str:
    """Remove, repeat or exchange tokens, or bring some in from another program."""
    pieces = PIECE.findall(text)
    for _ in range(choose.choice((1, 1, 1, 2, 3, 6))):
        at = choose.randrange(len(pieces) + 1)
        until = min(len(pieces), at + choose.choice((0, 1, 1, 1, 2, 5, 20)))
        match choose.randrange(5):
            case 0:
                del pieces[at:until]
            case 1:
                pieces[at:at] = pieces[at:until]
            case 2:
                lender = PIECE.findall(choose.choice(others))
                start = choose.randrange(len(lender) + 1)
                pieces[at:until] = lender[start : start + choose.choice((1, 2, 5, 20))]
            case _:
                pieces[at:until] = [choose.choice(WORDS)]
    return "".join(pieces)


def mutate_lines(text: str, others: Sequence[str], choose: random.Random) -> str:
    """Remove, repeat, move or join lines, or bring some in from another program."""
    lines = text.split("\n")
    for _ in range(choose.choice((1, 1, 2))):
        at = choose.randrange(len(lines))
        match choose.randrange(5):
            case 0:
                del lines[at : at + choose.choice((1, 1, 2, 5))]
            case 1:
                lines[at:at] = lines[at : at + choose.choice((1, 1, 3))]
            case 2:
                lines.insert(choose.randrange(len(lines)), lines.pop(at))
            case 3:
                lines[at : at + 2] = ["".join(lines[at : at + 2])]
            case _:
                lines.insert(at, choose.choice(choose.choice(others).split("\n")))
        lines = lines or [""]
    return "\n".join(lines)


def mutate_types(text: str, others: Sequence[str], choose: random.Random) -> str:
    """Change the sizes, the rank or the element type of a type, in one place or wherever it stands."""
    found = TYPE.findall(text)
    if not found:
        return text
    old = choose.choice(found)
    match choose.randrange(6):
        case 0:
            new = choose.choice(found)
        case 1:
            return _element_everywhere(text, choose)
        case 2:
            new = ELEMENT.sub(choose.choice(ELEMENTS).replace("\\", ""), old, count=1)
        case 3:
            sizes = SIZE.findall(old) or ["2x"]
            new = old.replace(
                choose.choice(sizes), choose.choice(("0x", "1x", "2x", "3x", "?x", "9x", "")), 1
            )
        case 4:
            new = old.replace("<", choose.choice(("<1x", "<?x", "<2x")), 1)
        case _:
            new = choose.choice(TYPE.findall(choose.choice(others)) or found)
    return _replaced(text, old, new, choose)


def mutate_numbers(text: str, others: Sequence[str], choose: random.Random) -> str:
    """Exchange a number, in one place or everywhere."""
    for _ in range(choose.choice((1, 1, 2))):
        places = list(NUMBER.finditer(text))
        if not places:
            return text
        place = choose.choice(places)
        new = choose.choice((*NUMBERS, choose.choice(places)[0]))
        if "." in place[0]:
            new = choose.choice(FRACTIONS)
        elif choose.random() < 0.4:
            new = str(int(place[0]) + choose.choice((-1, 1)))
        text = text[: place.start()] + new + text[place.end() :]
    return text


def mutate_ops(text: str, others: Sequence[str], choose: random.Random) -> str:
    """Exchange the name, the operands or the attributes of an op, or remove or repeat an op."""
    names = OP_NAME.findall(text)
    values = sorted(set(VALUE.findall(text)))
    match choose.randrange(5):
        case 0 if names:
            new = choose.choice(_op_names()) if choose.random() < 0.7 else choose.choice(names)
            return _replaced(text, choose.choice(names), new, choose)
        case 1 if values:
            places = list(VALUE.finditer(text))
            place = choose.choice(places)
            return text[: place.start()] + choose.choice(values) + text[place.end() :]
        case 2:
            return _without_clause(text, choose)
        case 3:
            return _lent_statement(text, others, choose)
    statements = [line for line in text.split("\n") if line.lstrip().startswith(("%", '"'))]
    if not statements:
        return text
    line = choose.choice(statements)
    return text.replace(line, choose.choice(("", f"{line}\n{_renamed(line, choose)}")), 1)


def mutate_regions(text: str, others: Sequence[str], choose: random.Random) -> str:
    """Empty, repeat, exchange or remove a region, or change its arguments or its terminator."""
    regions = _blocks(text)
    if not regions:
        return text
    start, end = choose.choice(regions)
    region = text[start:end]
    match choose.randrange(7):
        case 0:
            new = "{\n}"
        case 1:
            new = f"{region}, {region}"
        case 2:
            new = _other_region(text, others, choose)
        case 3:
            new = ""
        case 4:
            new = re.sub(
                r"\^bb0\([^\n]*\):", choose.choice(("", "^bb0:", "^bb0(%a: tensor<f32>):")), region, count=1
            )
        case 5:
            terminator = choose.choice(("", "\nstablehlo.return", "\nreturn"))
            new = re.sub(r"\n[^\n]*return[^\n]*", terminator, region, count=1)
        case _:
            new = region[:-1] + _other_region(text, others, choose)[1:-1] + "}"
    return text[:start] + new + text[end:]


KINDS: dict[str, Mutator] = {
    "bytes": mutate_bytes,
    "tokens": mutate_tokens,
    "lines": mutate_lines,
    "types": mutate_types,
    "numbers": mutate_numbers,
    "ops": mutate_ops,
    "regions": mutate_regions,
}


def _replaced(text: str, old: str, new: str, choose: random.Random) -> str:
    """Replace a word everywhere, or in one place."""
    if choose.random() < 0.5:
        return text.replace(old, new)
    places = [match.start() for match in re.finditer(re.escape(old), text)]
    if not places:
        return text
    at = choose.choice(places)
    return text[:at] + new + text[at + len(old) :]


def _element_everywhere(text: str, choose: random.Random) -> str:
    """Exchange an element type in all types, so that more of the programs stay valid."""
    found = ELEMENT.findall(text)
    if not found:
        return text
    old, new = choose.choice(found), choose.choice(ELEMENTS)
    return TYPE.sub(lambda match: match[0].replace(f"{old}>", f"{new}>"), text)


def _op_names() -> list[str]:
    return sorted(definition.name for definition in all_definitions())


def _without_clause(text: str, choose: random.Random) -> str:
    """Remove an attribute, or exchange it with another one."""
    clauses = re.findall(
        r"\w+ = (?:\[[^\]\n]*\]|array<[^>\n]*>|dense<[^>\n]*> : tensor<[^>\n]*>|[\w.]+)", text
    )
    if not clauses:
        return text
    old, new = choose.choice(clauses), choose.choice((*clauses, ""))
    if choose.random() < 0.6 and new:  # the value of another attribute
        new = f"{old.split(' = ')[0]} = {new.split(' = ', 1)[1]}"
    return text.replace(old, new, 1)


def _lent_statement(text: str, others: Sequence[str], choose: random.Random) -> str:
    """Insert a line of another program, with values of this one."""
    lines, values = text.split("\n"), sorted(set(VALUE.findall(text))) or ["%arg0"]
    lent = choose.choice(choose.choice(others).split("\n"))
    _, equals, tail = lent.partition(" = ")
    tail = VALUE.sub(lambda match: choose.choice(values), tail if equals else lent)
    lines.insert(choose.randrange(len(lines) + 1), f"%fuzz = {tail}" if equals else tail)
    return "\n".join(lines)


def _renamed(line: str, choose: random.Random) -> str:
    return re.sub(r"^(\s*%)\w+", rf"\g<1>fuzz{choose.randrange(100)}", line)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Return the spans of `{...}`, from brace to matching brace."""
    opened: list[int] = []
    found = []
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            found.append((opened.pop(), match.end()))
    return found


def _other_region(text: str, others: Sequence[str], choose: random.Random) -> str:
    lender = text if choose.random() < 0.5 else choose.choice(others)
    spans = _blocks(lender) or [(0, 0)]
    start, end = choose.choice(spans)
    return lender[start:end] or "{}"
