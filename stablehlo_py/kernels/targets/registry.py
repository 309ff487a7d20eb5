"""Custom calls: what targets do is registered by name, by this package or by its users.

    @shlo.custom_call("scaled_softmax")
    def scaled_softmax(x, *, scale, result_types):
        ...

The function gets the inputs as arrays (tuples for tuple types, None for tokens), which it must not change,
and gives one value, or a sequence where the call has several or no results. Keyword-only parameters say
what else it wants: `backend_config` (a dictionary, or text), `result_types`, `attributes` (all of the op's
as a dictionary), `called_computations` (functions on arrays) and `operand_shardings` (for each input, the
`mhlo.sharding` of the op that gave it, or None); a parameter of any other name is the entry of that name in
the `backend_config` dictionary or among the attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from stablehlo_py.diagnostics.diagnostic import Unsupported

Values = tuple[Any, ...]
F = TypeVar("F", bound=Callable[..., Any])

TYPED_CONFIG = "mhlo.backend_config"  # where JAX puts the dictionary, for the sake of old readers
_BUILT_IN = ("check", "targets.jax", "targets.spmd", "targets.lapack", "targets.solvers")
_targets: dict[str, Callable[..., Any]] = {}


def custom_call(*names: str) -> Callable[[F], F]:
    """Registers the function that follows for the targets `names`; a later one takes the place of an earlier.

    It gets arrays, and by keyword what it names: see the documentation of this module.
    """

    def register(function: F) -> F:
        _targets.update(dict.fromkeys(names, function))
        return function

    return register


def find_target(name: str) -> Callable[..., Any]:
    """The function of a target. Raises Unsupported, which tells how to register one, if there is none."""
    if name not in _targets:
        _read_built_in()
    if name not in _targets:
        raise Unsupported(
            f"nobody has said what the target @{name} does; "
            f'a Python function with @stablehlo_py.custom_call("{name}") would'
        )
    return _targets[name]


@cache
def _read_built_in() -> None:
    """Registers the targets that have modules of their own, without those that users took before."""
    taken = dict(_targets)
    for module in _BUILT_IN:
        import_module(f"stablehlo_py.kernels.{module}")
    _targets.update(taken)
