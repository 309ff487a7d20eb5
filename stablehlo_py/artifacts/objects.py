"""Programs held by objects of other libraries, recognized by their methods; no library is imported."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

from stablehlo_py.ir.core import Module

Held = Module | str | bytes
_TAKEN = (
    "text, bytes, a path, a Module, a jax.export.Exported, what jax.jit(f).lower(...) gives, or a module of "
    "MLIR's Python bindings"
)
_MOST_STEPS = 4  # maximum number of nested holders


def _of_exported(exported: Any, vjp: int) -> Any:
    for _ in range(vjp):
        exported = exported.vjp()
    return exported.mlir_module_serialized


def _of_lowered(lowered: Any, vjp: int) -> Any:
    return lowered.compiler_ir(dialect="stablehlo")


def _of_operation(module: Any, vjp: int) -> bytes:
    buffer = BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


# Attributes of objects, and how to obtain the program by each; the first attribute found is used.
_WAYS: tuple[tuple[str, Callable[[Any, int], Any]], ...] = (
    ("mlir_module_serialized", _of_exported),
    ("compiler_ir", _of_lowered),
    ("operation.write_bytecode", _of_operation),
    ("as_text", lambda lowered, vjp: lowered.as_text()),
)
_COMPILED = "runtime_executable"  # of what jax compiled, whose text is XLA's HLO
_ADVICE = (
    (_COMPILED, "it is compiled for XLA already; give what was lowered: jax.jit(f).lower(*arguments)"),
    ("lower", "call .lower(*arguments) on it first: shlo.parse(f.lower(x))"),
    ("read", "read it first, or give its path"),
    ("__call__", "lower it first: shlo.parse(jax.jit(f).lower(*arguments))"),
)


def program_of(holder: Any, vjp: int) -> Held:
    """Return the program that an object holds.

    Args:
        holder: A jax.export.Exported, a jax Lowered, a module of MLIR's Python bindings, or the like.
        vjp: The order of the gradient to load from a jax.export.Exported.

    Raises:
        TypeError: The object holds no program; the message lists the accepted types.
    """
    for _ in range(_MOST_STEPS):
        if isinstance(holder, Held):
            return holder
        ways = () if _has(holder, _COMPILED) else _WAYS
        way = next((get for path, get in ways if _has(holder, path)), None)
        if way is None:
            break
        holder = way(holder, vjp)
    advice = next((text for path, text in _ADVICE if _has(holder, path)), "")
    message = f"expected {_TAKEN}, not {type(holder).__name__}"
    raise TypeError(f"{message}; {advice}" if advice else message)


def _has(holder: Any, path: str) -> bool:
    for name in path.split("."):
        if not hasattr(holder, name):
            return False
        holder = getattr(holder, name)
    return True
