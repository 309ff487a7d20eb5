"""Properties of any text: it is parsed or rejected, and the result satisfies the invariants."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import stablehlo_py as shlo

PIECE = re.compile(r"[\w.]+|\s+|.")
# What programs are made of, to be put where it does not belong.
WORDS = (
    *'(){}[]<>:,=->%#@!^?*"',
    *("-1", "0", "2", "9223372036854775808", "1.0e+400", "0x7FC00000", "true", "dense<", "array<i64:"),
    *("loc(", "//", "^bb0", "%arg0", "%0", "%0:2", "%0#1", "@main", "stablehlo.return", "func.func"),
    *("tensor<?xf32>", "tensor<0xi1>", "tensor<2x3xi4>", "complex<f32>", "index", "tuple<>"),
    *("!quant.uniform<i8:f32:0, {1.0, 2.0}>", "!stablehlo.token", "#stablehlo.bounds<?>"),
    *("\0", "\ufffd", "\udcff", "\n"),
)


def check(text: str) -> bool:
    """Parses, verifies and prints a text; whether it is valid.

    Raises AssertionError where a diagnostic is a bug of ours, or the text of a valid module is no fixed
    point; whatever else is raised is a bug, too.
    """
    try:
        module = shlo.parse(text)
    except shlo.ParseError as error:
        assert error.diagnostics
        assert all(d.severity == "error" for d in error.diagnostics if d.code == "parse")
        assert not [d.message for d in error.diagnostics if d.code == "internal"]
        return False
    findings = shlo.verify(module)
    assert not [d.message for d in findings if d.code == "internal"]
    forms = [shlo.format(module, generic=generic) for generic in (False, True)]
    shlo.format(module, canonical=False)
    if any(d.severity == "error" for d in findings):
        return False
    for generic, form in zip((False, True), forms, strict=True):
        assert shlo.format(shlo.parse(form), generic=generic) == form
    return True


def mutate(text: str, others: Sequence[str], choose: random.Random) -> str:
    """A text with a few pieces removed, repeated, exchanged or brought in from another text."""
    pieces = PIECE.findall(text)
    for _ in range(choose.choice((1, 1, 1, 2, 3, 6))):
        at = choose.randrange(len(pieces) + 1)
        until = min(len(pieces), at + choose.choice((0, 1, 1, 1, 2, 5, 20)))
        pieces[at:until] = choose.choice((_none, _twice, _word, _word, _borrowed, _number))(
            pieces[at:until], others, choose
        )
    return "".join(pieces)


def _none(pieces: list[str], others: Sequence[str], choose: random.Random) -> list[str]:
    return []


def _twice(pieces: list[str], others: Sequence[str], choose: random.Random) -> list[str]:
    return pieces * 2


def _word(pieces: list[str], others: Sequence[str], choose: random.Random) -> list[str]:
    return [choose.choice(WORDS)]


def _borrowed(pieces: list[str], others: Sequence[str], choose: random.Random) -> list[str]:
    lender = PIECE.findall(choose.choice(others))
    at = choose.randrange(len(lender))
    return lender[at : at + choose.choice((1, 2, 5, 20))]


def _number(pieces: list[str], others: Sequence[str], choose: random.Random) -> list[str]:
    return [str(choose.choice((-1, 0, 1, 2, 3, 64, 2**63))) if piece.isdigit() else piece for piece in pieces]
