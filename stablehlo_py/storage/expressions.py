"""Regular expressions that are slow to compile, kept in the disk cache in compiled form.

Where this version of Python does not have the parts that this takes, they are compiled each time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from stablehlo_py.storage import cache


def compile_cached(name: str, patterns: Sequence[str], flags: re.RegexFlag) -> list[re.Pattern[str]]:
    """Compile regular expressions, or load them from the disk cache.

    Args:
        name: The name of their entry in the cache.
        patterns: The expressions, without named groups.
        flags: The flags of all of them.
    """
    key = "\0".join([str(int(flags)), *patterns])
    try:
        programs = cache.load(name, key, _is_list_of_programs)
        if programs is None:
            programs = [_program(pattern, flags) for pattern in patterns]
            cache.store(name, key, programs)
        return [_pattern(*row) for row in zip(patterns, programs, strict=True)]
    except (ImportError, AttributeError, TypeError, ValueError, OverflowError, RuntimeError):
        return [re.compile(pattern, flags) for pattern in patterns]


def _program(pattern: str, flags: re.RegexFlag) -> tuple[int, int, list[int]]:
    """Return the flags, the number of groups and the code of an expression, as `re` makes them."""
    parsed = import_module("re._parser").parse(pattern, flags)
    code = import_module("re._compiler")._code(parsed, flags)
    return int(flags | parsed.state.flags), parsed.state.groups - 1, [int(word) for word in code]


def _pattern(pattern: str, program: tuple[int, int, list[int]]) -> re.Pattern[str]:
    """Make an expression of its code, which `_sre` validates."""
    flags, groups, code = program
    made: re.Pattern[str] = import_module("_sre").compile(
        pattern, flags, code, groups, {}, (None,) * (groups + 1)
    )
    return made


def _is_list_of_programs(data: Any) -> bool:
    """Test whether data has the structure of programs; `_sre` checks their code."""
    return type(data) is list and all(
        type(row) is tuple and [*map(type, row)] == [int, int, list] for row in data
    )
