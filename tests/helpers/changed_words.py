"""Texts with one word changed, for what another reader says of them; digests of what it prints."""

from __future__ import annotations

import hashlib
import random
import re

CHANGES = 3  # of a text
_WORD = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|[%#!@^]?[\w.$]+|->|\S')


def digest(text: str) -> str:
    """Return the digest of a text, without regard to what blanks it ends with."""
    return hashlib.sha1(text.rstrip().encode("utf-8", "surrogateescape")).hexdigest()[:10]


def changed(name: str, program: str) -> list[str]:
    """Return a text with one word left out, written twice, or in the place of the next one."""
    rng = random.Random(name)
    words = [match.span() for match in _WORD.finditer(program) if not match[0].startswith("//")]
    found = []
    for _ in range(CHANGES):
        at = rng.randrange(len(words) - 1)
        (a, b), (c, d) = words[at], words[at + 1]
        word, between, following = program[a:b], program[b:c], program[c:d]
        new = rng.choice(
            (between + following, word + " " + word + between + following, following + between + word)
        )
        found.append(program[:a] + new + program[d:])
    return found
