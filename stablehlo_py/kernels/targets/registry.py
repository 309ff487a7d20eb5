"""Registry of custom-call targets, implemented by this package or by its users.

    @shlo.custom_call("scaled_softmax")
    def scaled_softmax(x, *, scale, result_types):
        ...

The function takes the inputs as arrays (tuples for tuple types, None for tokens), which it must not modify,
and returns one value, or a sequence if the call has several results or none. Keyword-only parameters request
more: `backend_config` (a dictionary, or text), `result_types`, `attributes` (all attributes of the op as a
dictionary), `called_computations` (functions on arrays) and `operand_shardings` (for each input, the
`mhlo.sharding` of the op that defines it, or None). A parameter of any other name is the entry of that name
in the `backend_config` dictionary or among the attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from stablehlo_py.diagnostics.diagnostic import Unsupported

Values = tuple[Any, ...]
F = TypeVar("F", bound=Callable[..., Any])

TYPED_CONFIG = "mhlo.backend_config"  # where JAX stores the dictionary, for compatibility with old readers
_BUILT_IN = ("check", "targets.jax", "targets.spmd", "targets.lapack", "targets.solvers", "targets.callbacks")
_targets: dict[str, Callable[..., Any]] = {}


def custom_call(*names: str) -> Callable[[F], F]:
    """Register a Python function as the implementation of `stablehlo.custom_call` targets.

    The function receives the inputs of the call as NumPy arrays, which it must not modify, and returns an
    array, or a sequence of arrays if the call has several results. Each of its keyword-only parameters is an
    entry of the call's `backend_config` dictionary, one of its attributes, or one of `backend_config` (a
    dictionary or text), `attributes` (a dictionary of all attributes), `result_types` and
    `called_computations` (functions on arrays).

    Arrays have the shapes of their types, regardless of `operand_layouts` and `result_layouts`; a function
    that depends on memory layouts (see `stablehlo_py.layout`) finds them in `attributes`.

    Args:
        *names: The names of the targets. An earlier registration of a name, also a built-in one, is replaced.

    Returns:
        The decorator.

    Example:
        @shlo.custom_call("scaled_softmax")
        def scaled_softmax(x, *, scale):
            e = np.exp(scale * x - np.max(scale * x, axis=-1, keepdims=True))
            return e / e.sum(axis=-1, keepdims=True)
    """

    def register(function: F) -> F:
        _targets.update(dict.fromkeys(names, function))
        return function

    return register


def find_target(name: str) -> Callable[..., Any]:
    """Return the function registered for a target.

    Raises:
        Unsupported: No implementation is registered.
    """
    if name not in _targets:
        _read_built_in()
    if name not in _targets:
        raise Unsupported(
            f"no implementation registered for custom_call target @{name}; "
            f'register a Python function with @stablehlo_py.custom_call("{name}")'
        )
    return _targets[name]


@cache
def _read_built_in() -> None:
    """Register the built-in targets that users have not registered before."""
    taken = dict(_targets)
    for module in _BUILT_IN:
        import_module(f"stablehlo_py.kernels.{module}")
    _targets.update(taken)
