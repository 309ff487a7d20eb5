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

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError, Unsupported
from stablehlo_py.ir.dtypes import numpy_dtype
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.kernels.registry import Function, kernel

Values = tuple[Any, ...]
F = TypeVar("F", bound=Callable[..., Any])

TYPED_CONFIG = "mhlo.backend_config"  # where JAX puts the dictionary, for the sake of old readers
_BUILT_IN = ("check", "targets.jax", "grid.sharding", "targets.lapack", "targets.solvers")
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


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The keyword-only parameters of a function, and whether it takes any others."""

    names: tuple[str, ...]
    required: frozenset[str]
    others: bool


@cache
def _wanted(function: Callable[..., Any]) -> _Wanted:
    parameters = inspect.signature(function).parameters.values()
    keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    return _Wanted(
        tuple(p.name for p in keywords),
        frozenset(p.name for p in keywords if p.default is p.empty),
        any(p.kind is p.VAR_KEYWORD for p in parameters),
    )


@kernel("stablehlo.custom_call", view=True)
def call_target(
    inputs: Values,
    *,
    call_target_name: str,
    called_computations: tuple[Function, ...],
    attributes: dict[str, Any],
    results: tuple[Type, ...],
) -> Values:
    function = find_target(call_target_name)
    config = attributes.get(TYPED_CONFIG, attributes.get("backend_config", ""))
    known = {**attributes, **(config if isinstance(config, dict) else {})}
    known |= {"backend_config": config, "attributes": attributes, "result_types": results}
    known["called_computations"] = called_computations
    wanted = _wanted(function)
    missing = sorted(wanted.required - known.keys())
    if missing:
        raise RunError(f"@{call_target_name} needs the attribute {missing[0]}, which the op does not have")
    names = known if wanted.others else [name for name in wanted.names if name in known]
    return _fitting(
        function(*inputs, **{name: known[name] for name in names}), results, f"@{call_target_name}"
    )


def _fitting(found: Any, types: tuple[Type, ...], where: str) -> Values:
    """What a target gives, as one value for each result. Raises RunError if the types are not those."""
    values = tuple(found) if isinstance(found, tuple | list) else () if found is None else (found,)
    if len(types) == 1 and isinstance(types[0], TupleType) and len(values) == len(types[0].types):
        values = (values,)
    if not values and not any(isinstance(t, TensorType | TupleType) for t in types):
        return (None,) * len(types)
    if len(values) != len(types):
        raise RunError(f"{where} gives {len(values)} values, and the op has {len(types)} results")
    named = enumerate(zip(values, types, strict=True))
    return tuple([_checked(value, type, f"{where}, result {i}") for i, (value, type) in named])


def _checked(value: Any, type: Type, where: str) -> Any:
    if isinstance(type, TupleType):
        return _fitting(tuple(value), type.types, where)
    if not isinstance(type, TensorType):
        return value
    array, dtype = np.asarray(value), numpy_dtype(type.element_type)
    fits = array.ndim == type.rank and all(
        s in (None, have) for s, have in zip(type.shape, array.shape, strict=True)
    )
    if array.dtype != dtype or not fits:
        raise RunError(f"{where} is an array of {array.dtype.name}{list(array.shape)}; {type} is needed")
    return array
