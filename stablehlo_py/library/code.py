"""Object code of functions: their loops, and the run-time part, with names that a library has to itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from stablehlo_py.engines.native.llvm.module import ModuleWriter
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.module import least_optimized
from stablehlo_py.engines.native.runtime_code import runtime_module
from stablehlo_py.engines.native.schedule.pipeline import schedule
from stablehlo_py.library.function import NativeFunction
from stablehlo_py.library.lapack import Routine

_DEFINED = re.compile(r"^define [^@\n]*@([\w.]+)\(", re.MULTILINE)
_SYMBOL = re.compile(r"@([\w.]+)")
_EXPORTED = re.compile(r"^define (?!hidden|internal)", re.MULTILINE)


class Code(NamedTuple):
    """The code of a function.

    Attributes:
        symbol: The name of the function that computes; "" if nothing is computed.
        optimized: LLVM IR that is optimized.
        translated: LLVM IR that is translated as it is.
        scratch: Bytes of memory that it needs.
        tasks: The number of tasks that threads share.
        constants: The arrays that follow those of inputs and outputs.
        routines: The routines of LAPACK that it calls, by number.
    """

    symbol: str = ""
    optimized: tuple[str, ...] = ()
    translated: tuple[str, ...] = ()
    scratch: int = 0
    tasks: int = 0
    constants: tuple[Any, ...] = ()
    routines: tuple[Routine, ...] = ()


def function_code(function: NativeFunction, prefix: str) -> Code:
    """Write the code of a function.

    Args:
        function: The function.
        prefix: What the names of its symbols begin with; a dot follows, which no name in C has.
    """
    if function.region is None:
        return Code()
    lowered = lower(function.region)
    routines = tuple([step.keywords["routine"] for _, step in lowered.called])
    writer = ModuleWriter(least_optimized(function.plan), plain=True)
    made = writer.program(schedule(lowered.program), "main")
    hot, cold, runtime = _with_prefix([*writer.texts(), runtime_module()], prefix)
    optimized = tuple(filter(None, (hot, runtime)))
    return Code(f"{prefix}.main", optimized, (cold,), made.scratch, made.tasks, lowered.constants, routines)


def _with_prefix(modules: Sequence[str], prefix: str) -> list[str]:
    """Give the functions of modules that call each other names with a prefix, which no other library sees."""
    own = {name for text in modules for name in _DEFINED.findall(text)}

    def renamed(match: re.Match[str]) -> str:
        return f"@{prefix}.{match[1]}" if match[1] in own else match[0]

    return [_EXPORTED.sub("define hidden ", _SYMBOL.sub(renamed, text)) for text in modules]


def objects(code: Code) -> list[bytes]:
    """Compile a function for the target (`machine.made_for`): object files."""
    from stablehlo_py.engines.native import jit

    return [*map(jit.object_code, code.optimized), *map(jit.translated, code.translated)]
