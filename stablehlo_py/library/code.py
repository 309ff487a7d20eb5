"""Object code of functions, and of the run-time part that they share, with names of the library alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from stablehlo_py.engines.native.llvm.module import ModuleWriter
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.module import least_optimized
from stablehlo_py.engines.native.regions import SHARED_WORK
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
        is_short: Whether it computes less than starting threads takes.
        constants: The arrays that follow those of inputs and outputs.
        routines: The routines of LAPACK that it calls, by number.
    """

    symbol: str = ""
    optimized: tuple[str, ...] = ()
    translated: tuple[str, ...] = ()
    scratch: int = 0
    tasks: int = 0
    is_short: bool = False
    constants: tuple[Any, ...] = ()
    routines: tuple[Routine, ...] = ()


def function_code(function: NativeFunction, library: str, name: str) -> Code:
    """Write the code of a function, which calls the run-time part of its library.

    Args:
        function: The function.
        library: The name of the library.
        name: What the names of its symbols begin with, after that of the library.
    """
    if function.region is None:
        return Code()
    lowered = lower(function.region)
    routines = tuple([step.keywords["routine"] for _, step in lowered.called])
    writer = ModuleWriter(least_optimized(function.plan), plain=True)
    made = writer.program(schedule(lowered.program), "main")
    texts = writer.texts()
    names = {**_runtime_names(library), **_names(f"{library}.{name}", *texts)}
    hot, cold = [_renamed(text, names) for text in texts]
    optimized = (hot,) if hot else ()
    is_short = made.work + made.offered < SHARED_WORK
    return Code(
        names["main"], optimized, (cold,), made.scratch, made.tasks, is_short, lowered.constants, routines
    )


def _runtime_names(library: str) -> dict[str, str]:
    """The names of the run-time part: no function has an empty one, which is between the dots here."""
    return _names(f"{library}.", runtime_module())


def _names(prefix: str, *modules: str) -> dict[str, str]:
    """The functions that modules define, and names with a prefix for them, which no other library sees."""
    return {name: f"{prefix}.{name}" for text in modules for name in _DEFINED.findall(text)}


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """Give functions of a module other names, and hide them."""
    return _EXPORTED.sub(
        "define hidden ", _SYMBOL.sub(lambda match: f"@{names.get(match[1], match[1])}", text)
    )


def objects(code: Code) -> list[bytes]:
    """Compile a function for the target (`machine.made_for`): object files."""
    from stablehlo_py.engines.native import jit

    return [*map(jit.object_code, code.optimized), *map(jit.translated, code.translated)]


def runtime_object(library: str) -> bytes:
    """Compile the run-time part for the target, which all functions of a library call."""
    from stablehlo_py.engines.native import jit

    return jit.object_code(_renamed(runtime_module(), _runtime_names(library)))
