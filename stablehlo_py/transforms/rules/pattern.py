"""Parsing of the patterns and replacements of rules.

A line is an op in a form close to its pretty form, without types that can be inferred:

    %r = stablehlo.transpose %y, permutation = q       attributes by the names of the definition
    %r, %s = stablehlo.sort %xs..., dimension = d      several results; all values of a variadic operand
    %r... = stablehlo.reduce %xs..., %inits...         all results
    stablehlo.add %x, 0                                the last line of a pattern needs no name: it is %r
    stablehlo.add|maximum %x, %y                       one of several ops
    any %x, %y                                         any op
    %c = stablehlo.constant 0 : x                      in a replacement: a splat, and a type as a formula
    %n = stablehlo.add %y, %x like %r                  other attributes as those of the op that defines %r

In a pattern, the first occurrence of a name binds it; later occurrences match the same value. An operand that
is a number, `true` or `false` matches a constant with this value. The value of an attribute is a new name,
which is bound to it, or a formula that must be equal to it. In a replacement, the last line is an op, or a
formula for the values of the results, such as `%x`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from stablehlo_py.notation.terms import NotationError

ROOT = "r"
ANY = "any"
_LINE = re.compile(
    r"(?:(?P<results>%\w+(?:\.\.\.)?(?:\s*,\s*%\w+)*)\s*=\s*)?"
    r"(?P<op>any|_|[a-z_]+\.[\w|.-]+)(?![\w.(\[])\s*(?P<rest>.*)",
    re.DOTALL,
)
_OPERAND = re.compile(r"%(\w+)(\.\.\.)?|(true|false|-?\d+(?:\.\d+)?)")
_ATTRIBUTE = re.compile(r"(\w+)\s*=(?!=)\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand: a name (`many`: all values of a variadic operand), or a number."""

    name: str = ""
    many: bool = False
    number: float | None = None


@dataclass(frozen=True, slots=True)
class OpLine:
    """A line with an op.

    Attributes:
        results: The names of its results.
        many: Whether a single name stands for all results.
        ops: The accepted names of the op; () for any op.
        operands: The operands.
        attributes: The attributes, as formulas by name.
        type: The formula of its result type, or "".
        like: The name of a result of the op whose other attributes it copies, or "".
    """

    results: tuple[str, ...]
    many: bool
    ops: tuple[str, ...]
    operands: tuple[Operand, ...]
    attributes: dict[str, str] = field(default_factory=dict)
    type: str = ""
    like: str = ""


def parse_pattern(text: str) -> list[OpLine]:
    """Parse the lines of a pattern; raise NotationError for a malformed one."""
    lines = [_op_line(line) for line in _lines(text)]
    if not lines or None in lines:
        raise NotationError(f"a pattern consists of ops: {text}")
    found = [line for line in lines if line is not None]
    last = found[-1]
    if not last.results:
        found[-1] = OpLine((ROOT,), False, last.ops, last.operands, last.attributes, last.type, last.like)
    return found


def parse_replacement(text: str) -> tuple[list[OpLine], str]:
    """Parse the lines of a replacement.

    Returns:
        The ops, and the formula of the values; raises NotationError if it is malformed.
    """
    *lines, last = _lines(text)
    ops = [_op_line(line) for line in lines]
    if None in ops:
        raise NotationError(f"all lines of a replacement but the last are ops: {text}")
    found = [line for line in ops if line is not None]
    final = _op_line(last)
    if final is None:
        return found, last.replace("%", "")
    if not final.results:
        final = OpLine((".last",), True, final.ops, final.operands, final.attributes, final.type, final.like)
    return [*found, final], ""


def _lines(text: str) -> list[str]:
    """Split a text into lines; a line that ends with a comma continues."""
    joined = re.sub(r",\s*\n\s*", ", ", text.strip())
    return [line.strip() for line in joined.split("\n") if line.strip()]


def _op_line(text: str) -> OpLine | None:
    """Parse a line that is an op; return None for another one."""
    match = _LINE.fullmatch(text)
    if match is None:
        return None
    results = tuple(re.findall(r"%(\w+)", match["results"] or ""))
    rest, _, like = match["rest"].partition(" like %")
    rest, type = _type(rest)
    operands: list[Operand] = []
    attributes: dict[str, str] = {}
    for part in _split(rest):
        operand = _OPERAND.fullmatch(part)
        if operand is not None:
            operands.append(_operand(operand))
            continue
        attribute = _ATTRIBUTE.fullmatch(part)
        if attribute is None:
            raise NotationError(f"{part!r} is neither an operand nor an attribute: {text}")
        attributes[attribute[1]] = attribute[2].replace("%", "")
    many = "..." in (match["results"] or "")
    return OpLine(results, many, _ops(match["op"]), tuple(operands), attributes, type, like.strip())


def _ops(text: str) -> tuple[str, ...]:
    if text == ANY:
        return ()
    dialect, _, names = text.partition(".")
    return tuple([f"{dialect}.{name}" for name in names.split("|")])


def _operand(match: re.Match[str]) -> Operand:
    name, many, number = match.groups()
    if name is not None:
        return Operand(name, bool(many))
    return Operand(number=float({"true": "1", "false": "0"}.get(number, number)))


def _type(text: str) -> tuple[str, str]:
    """Split off the type of a line."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == ":" and depth == 0:
            return text[:at], text[at + 1 :].strip().replace("%", "")
    return text, ""


def _split(text: str) -> list[str]:
    """Split a text at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]
