"""The C source of a library: its header, and the tables and templates that its driver is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from stablehlo_py.engines.native.runtime import ALIGNMENT, CALLED, CREDIT, MOST_CREDIT, SIZE
from stablehlo_py.engines.native.tasks import ARRAYS, SCRATCH
from stablehlo_py.ir.signature import Argument, Output
from stablehlo_py.library.calls import prototypes
from stablehlo_py.library.lapack import Routine
from stablehlo_py.library.tables import Compiled, name_of, quoted, tensor
from stablehlo_py.library.target import Target
from stablehlo_py.library.weights import Weights

_TEMPLATES = Path(__file__).parent / "templates"
_PREFIX = re.compile(r"\b(?:(PREFIX_NAME)(?![A-Za-z])|(prefix|PREFIX)(?=_))")
NO_WORDS: Mapping[str, str] = {}
_PLAIN = re.compile(r"[^\w/.,\[\]' :%@-]", re.ASCII)  # what a comment does not show
_DEFINES = {
    "ALIGNMENT": ALIGNMENT,
    "ARRAYS": ARRAYS,
    "SCRATCH": SCRATCH,
    "SYNC_SIZE": SIZE,
    "SYNC_CALLED": CALLED,
    "SYNC_CREDIT": CREDIT,
    "MOST_CREDIT": MOST_CREDIT,
}
_INCLUDES = ("pthread.h", "stdlib.h", "string.h", "sys/mman.h")


def from_template(name: str, prefix: str, words: Mapping[str, str] = NO_WORDS) -> str:
    """Return a template with the names of a library.

    Args:
        name: The name of the template.
        prefix: What the names of the library begin with.
        words: What other words stand for.
    """
    text = named((_TEMPLATES / name).read_text(encoding="utf-8"), prefix)
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


def named(text: str, prefix: str) -> str:
    """Return text with the names of a library: for `prefix_` and `PREFIX_`, and for `PREFIX_NAME`."""
    return _PREFIX.sub(lambda match: prefix.upper() if match[2] == "PREFIX" else prefix, text)


def header(prefix: str, functions: Sequence[Compiled], has_file: bool) -> str:
    """Write the header.

    Args:
        prefix: What the names of the library begin with.
        functions: Its functions.
        has_file: Whether its constants are in a file of their own.
    """
    parts = [_declaration(prefix, each) for each in functions]
    if has_file:
        parts.append(from_template("file.h", prefix))
    return from_template("header.h", prefix, {"@DECLARATIONS@": "\n".join(parts)})


def _declaration(prefix: str, compiled: Compiled) -> str:
    signature = compiled.function.signature
    lines = [
        f"@{signature.name}",
        *_listed("inputs", signature.inputs),
        *_listed("outputs", signature.outputs),
    ]
    comment = "\n   ".join([_PLAIN.sub("?", line) for line in lines])
    parameters = f"const void *const *inputs, void *const *outputs, const {prefix}_options *options"
    return (
        f"/* {comment} */\n"
        f"int {compiled.call}({parameters});\n"
        f"const {prefix}_function *{compiled.call}_info(void);\n"
    )


def _listed(title: str, arrays: Sequence[Argument | Output]) -> list[str]:
    """The arrays in the words of a comment."""
    rows = []
    for index, each in enumerate(arrays):
        type = tensor(each)
        shape = "x".join(map(str, type.shape)) or "scalar"
        rows.append(f"  {index}: {name_of(each)} {shape} {type.element_type}".replace("  ", " "))
    return [f"{title}:{'' if rows else ' none'}", *[f" {row}" for row in rows]]


def driver(
    prefix: str,
    bodies: Sequence[str],
    routines: Sequence[Routine],
    weights: Weights,
    target: Target,
    has_file: bool,
) -> str:
    """Write the C source of the functions that the header declares.

    Args:
        prefix: What the names of the library begin with.
        bodies: The functions, by `tables.body`.
        routines: The routines of LAPACK that they call.
        weights: The constants, which have been written.
        target: The processor, whose features are checked.
        has_file: Whether the constants are in a file of their own.
    """
    defines = {**_DEFINES, "WEIGHTS_BYTES": weights.size, "WEIGHTS_CHECKSUM": f"{weights.checksum}u"}
    defines |= {"CONSTANTS_SYMBOL": quoted(constants_symbol(prefix))}
    return "\n".join(
        [
            "#pragma GCC visibility push(default)",
            f'#include "{prefix}.h"',
            "#pragma GCC visibility pop",
            *[f"#include <{name}>" for name in _INCLUDES],
            *[f"#define {name} {value}" for name, value in defines.items()],
            _processor_check(target),
            from_template("file.c" if has_file else "embedded.c", prefix),
            from_template("driver.c", prefix),
            *([from_template("lapack.c", prefix), prototypes(routines)] if routines else []),
            *bodies,
        ]
    )


def cmake(prefix: str, files: Sequence[Path], static: bool, libraries: Sequence[str]) -> str:
    """Write the CMake project that makes a library of files, linked with others."""
    words = {
        "@KIND@": "STATIC" if static else "SHARED",
        "@FILES@": "\n  ".join([each.name for each in files]),
        "@LAPACK@": " ".join(["", *map(quoted, libraries)]),
    }
    return from_template("library.cmake", prefix, words)


def constants_symbol(prefix: str) -> str:
    """The name of the embedded constants."""
    return f"{prefix}.constants"


def embedded_constants(prefix: str, file: str) -> str:
    """Write the assembly source that includes a file of constants."""
    symbol = constants_symbol(prefix)
    return (
        f'  .section .rodata\n  .balign {ALIGNMENT}\n  .globl "{symbol}"\n  .hidden "{symbol}"\n'
        f'"{symbol}":\n  .incbin {quoted(file)}\n  .section .note.GNU-stack,"",%progbits\n'
    )


def _processor_check(target: Target) -> str:
    """A function that says in words which feature the processor lacks; NULL if it has all."""
    lines = [
        f"  if (!__builtin_cpu_supports({quoted(name)}))\n    return {quoted(_lacking(name, target))};"
        for name in target.required
    ]
    return "\n".join(["static const char *missing_feature(void) {", *lines, "  return NULL;", "}"])


def _lacking(feature: str, target: Target) -> str:
    wanted = ", ".join(target.required)
    return f"this processor has no {feature}; the library was built for {target.name} processors: {wanted}"
