"""Host callbacks: calls of the Python process that exported a program, such as those of `jax.debug.print`."""

from __future__ import annotations

import warnings
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunWarning, Unsupported
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.kernels.targets.registry import ANY, custom_call

_FORMS = ("xla_python", "xla_ffi_python", "xla_ffi_partitioned_python", "xla_buffer_python")


_NAMES = [f"{form}_{platform}_callback" for form in _FORMS for platform in ("cpu", "gpu")]


@custom_call(*_NAMES, attributes=ANY, on_host=True, signature="_* -> _*")
def skip_callback(*inputs: Any, result_types: tuple[Type, ...]) -> tuple[Any, ...]:
    """Skip a host callback without results, with a warning."""
    if any(map(_has_elements, result_types)):
        raise Unsupported(
            "a host callback with results: its function exists only in the Python process that exported the "
            "program; export without jax.pure_callback and jax.io_callback, or register the target"
        )
    message = "skipped a host callback: its function exists only in the process that exported the program"
    warnings.warn(message, RunWarning, stacklevel=2)
    return tuple([() if isinstance(type, TupleType) else None for type in result_types])


def _has_elements(type: Type) -> bool:
    if isinstance(type, TupleType):
        return any(map(_has_elements, type.types))
    return isinstance(type, TensorType)
