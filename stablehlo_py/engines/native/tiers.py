"""Tiers: functions that are worth optimizing are one module, all others one that LLVM translates as it is.

LLVM takes ten times as long for a function that it optimizes, and most functions of a network take no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from stablehlo_py.engines.native.arithmetic.llvm_ir import UNOPTIMIZED
from stablehlo_py.engines.native.runtime import METADATA

_NAME = re.compile(r"@[\w.]+")
_HEAD = re.compile(r"define (?:internal )?(\w+ )(@[\w.]+)\(([^\n]*)\) ")
_PARAMETER = re.compile(r" %\w+")


def split_by_tier(functions: Sequence[str], beside: Mapping[str, str]) -> tuple[str, str]:
    """Split functions into two modules that call each other.

    Args:
        functions: The definitions; those with the attributes `UNOPTIMIZED` are not optimized.
        beside: What they use besides, by name: declarations, and definitions that are copied.

    Returns:
        The text of the module that is optimized, and of the one that is not; empty where it has no functions.
    """
    cold = [text for text in functions if UNOPTIMIZED in text.partition("\n")[0]]
    hot = [text for text in functions if UNOPTIMIZED not in text.partition("\n")[0]]
    return _module(hot, cold, beside), _module(cold, hot, beside)


def _module(functions: Sequence[str], others: Sequence[str], beside: Mapping[str, str]) -> str:
    """The module of some functions, of which the others call some, and which call some of the others."""
    if not functions:
        return ""
    used_by_others = _used(others)
    exported = [_exported(text) if _name(text) in used_by_others else text for text in functions]
    used = _with_uses(functions, beside)
    imported = [_declared(text) for text in others if _name(text) in used]
    needed = [text for name, text in beside.items() if name in used]
    return "\n".join([*needed, *imported, *exported, METADATA])


def _used(texts: Iterable[str]) -> set[str]:
    return set(chain.from_iterable(map(_NAME.findall, texts)))


def _with_uses(functions: Sequence[str], beside: Mapping[str, str]) -> set[str]:
    """The names that functions use, and those that what they use besides uses."""
    found: set[str] = set()
    new = _used(functions)
    while new:
        found |= new
        new = _used([beside[name] for name in new if name in beside]) - found
    return found


def _name(text: str) -> str:
    match = _HEAD.match(text)
    assert match is not None
    return match[2]


def _exported(text: str) -> str:
    return text.replace("define internal", "define hidden", 1)


def _declared(text: str) -> str:
    match = _HEAD.match(text)
    assert match is not None
    type, name, parameters = match.groups()
    return f"declare hidden {type}{name}({_PARAMETER.sub('', parameters)}) nounwind"
