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

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Literal, TypeVar

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.ir.records import dataclass

Values = tuple[Any, ...]
F = TypeVar("F", bound=Callable[..., Any])
Layout = Literal["any", "rows", "columns"]
Kind = type | tuple[Any, ...]  # the type of an attribute, or its values

TYPED_CONFIG = "mhlo.backend_config"  # where JAX stores the dictionary, for compatibility with old readers
_CONFIG = "backend_config"
_WRAPPED = "mhlo.attributes"  # where JAX stores attributes of ops that it wraps in custom calls
ANY: Mapping[str, Kind] = {"...": ()}  # attributes of a target that no attribute changes
LINALG = ("f32", "f64", "complex<f32>", "complex<f64>")
_PACKAGE = __name__.partition(".")[0]
_BUILT_IN = (
    "check",
    "targets.jax",
    "targets.spmd",
    "targets.lapack_targets",
    "targets.solvers",
    "targets.sparse",
    "targets.callbacks",
)


@dataclass(frozen=True, slots=True)
class Target:
    """What is registered for a target.

    Attributes:
        function: The function that a call runs.
        attributes: The attributes that a configuration may have, with their types or values; `ANY` if it may
            have any, None if they are the parameters of the function.
        text: The names of the attributes that a textual configuration lists, separated by commas.
        on_host: Whether only this process can run it, and no device.
        signature: The operands and results that it accepts (see `signatures`), or a function of the
            configuration that returns them; None if it accepts any.
        elements: The element types of the signature's `T`; any, if there are none.
        layout: The layouts of its arrays: any that the call states, row-major, or column-major matrices.
        typed: Whether XLA passes it the attributes of `mhlo.backend_config`, as to a typed FFI handler.
    """

    function: Callable[..., Any]
    attributes: Mapping[str, Kind] | None
    text: tuple[str, ...]
    on_host: bool
    signature: str | Callable[[Mapping[str, Any]], str] | None = None
    elements: tuple[str, ...] = ()
    layout: Layout = "any"
    typed: bool = False


_targets: dict[str, Target] = {}


def custom_call(
    *names: str,
    attributes: Mapping[str, Kind] | None = None,
    text: tuple[str, ...] = (),
    on_host: bool = False,
    signature: str | Callable[[Mapping[str, Any]], str] | None = None,
    elements: tuple[str, ...] = (),
    layout: Layout = "any",
    typed: bool = False,
) -> Callable[[F], F]:
    """Register a Python function as the implementation of `stablehlo.custom_call` targets.

    The function receives the inputs of the call as NumPy arrays, which it must not modify, and returns an
    array, or a sequence of arrays if the call has several results. Each of its keyword-only parameters is an
    entry of the call's `backend_config` dictionary, one of its attributes, or one of `backend_config` (a
    dictionary or text), `attributes` (a dictionary of all attributes), `result_types` and
    `called_computations` (functions on arrays). An entry of the dictionary that no parameter takes is an
    error, unless the function takes `backend_config`, `attributes` or `**others`.

    Arrays have the shapes of their types, regardless of `operand_layouts` and `result_layouts`; a function
    that depends on memory layouts (see `stablehlo_py.layout`) finds them in `attributes`.

    Args:
        *names: The names of the targets. An earlier registration of a name, also a built-in one, is replaced.
        attributes: The entries that a `backend_config` dictionary may have: for each name a type, or a tuple
            of values. Without it, they are the parameters.
        text: The names of the attributes that a `backend_config` text lists, separated by commas.
        on_host: Whether the engine `pjrt` leaves the call to the function, after the device has run.
        signature: The operands and results that the target accepts, such as
            "T[..., m, n], T[..., n] -> T[..., m] where m <= n", or a function of the `backend_config`
            dictionary that returns them (see `stablehlo_py.kernels.targets.signatures`). A call that does not
            fit is an error before the program runs.
        elements: The element types that `T` may be in the signature; any, if there are none.
        layout: The layouts that a call may state: "any", "rows" (row-major), or "columns" (column-major
            matrices, as LAPACK has them).
        typed: Whether the target is a typed FFI handler of XLA, with attributes in `mhlo.backend_config`.

    Returns:
        The decorator.

    Example:
        @shlo.custom_call("scaled_softmax")
        def scaled_softmax(x, *, scale):
            e = np.exp(scale * x - np.max(scale * x, axis=-1, keepdims=True))
            return e / e.sum(axis=-1, keepdims=True)
    """

    def register(function: F) -> F:
        target = Target(function, attributes, text, on_host, signature, elements, layout, typed)
        _targets.update(dict.fromkeys(names, target))
        return function

    return register


def find_target(name: str) -> Callable[..., Any]:
    """Return the function registered for a target.

    Raises:
        Unsupported: No implementation is registered.
    """
    target = registered(name)
    if target is None:
        raise Unsupported(
            f"no implementation registered for custom_call target @{name}; "
            f'register a Python function with @stablehlo_py.custom_call("{name}")'
        )
    return target.function


def is_built_in(name: str) -> bool:
    """Test whether the function of a target is one of this package, whose results are new arrays or views.

    Args:
        name: The target, for which there is a function.
    """
    return str(getattr(find_target(name), "__module__", "")).startswith(f"{_PACKAGE}.")


def registered(name: str) -> Target | None:
    """Return what is registered for a target, or None."""
    if name not in _targets:
        _read_built_in()
    return _targets.get(name)


def configuration(name: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes that the configuration of a call states.

    Args:
        name: The target, for which there is a function.
        attributes: The attributes of the op.

    Raises:
        Unsupported: The target has no attribute of a name or value that the configuration states.
    """
    target = _targets[name]
    config = attributes.get(TYPED_CONFIG, attributes.get(_CONFIG, ""))
    wrapped = attributes.get(_WRAPPED, {})
    given = config if isinstance(config, dict) else _listed(name, target, config)
    kinds = target.attributes
    if kinds is None:
        parameters = accepted(target.function)
        if parameters.others or not parameters.names.isdisjoint((_CONFIG, "attributes")):
            return given
        _check_names(name, given, parameters.names)
    elif kinds is not ANY:
        given = given | wrapped
        _check_names(name, given, kinds)
        for key, value in given.items():
            _check_value(f"@{name}, attribute {key}", value, kinds[key])
    return given


def _check_names(name: str, given: Collection[str], known: Collection[str]) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        has = f"it has {', '.join(sorted(known))}" if known else "it has none"
        raise Unsupported(f"@{name} has no attribute {unknown[0]} here: {has}")


def _check_value(where: str, value: Any, kind: Kind) -> None:
    if isinstance(kind, tuple):
        if value not in kind:
            raise Unsupported(f"{where} is {value}, expected {' or '.join(map(str, kind))}")
    elif not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise Unsupported(f"{where} is {value!r}, expected {kind.__name__}")


def _listed(name: str, target: Target, text: str) -> dict[str, Any]:
    """Return the attributes that a text lists, as numbers."""
    if target.attributes is None or target.attributes is ANY or not text.strip():
        return {}
    items = text.split(",")
    if len(items) > len(target.text):
        takes = f"{len(target.text)} numbers ({', '.join(target.text)})" if target.text else "no text"
        raise Unsupported(f'@{name} has backend_config "{text}", but takes {takes}')
    try:
        return {key: _number(item) for key, item in zip(target.text, items, strict=False)}
    except ValueError:
        raise Unsupported(f'@{name} has backend_config "{text}", expected numbers') from None


def _number(text: str) -> int | float:
    return int(text) if text.strip().lstrip("+-").isdecimal() else float(text)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The keyword-only parameters of a function, and whether it accepts other keywords."""

    names: frozenset[str]
    required: frozenset[str]
    others: bool


@cache
def accepted(function: Callable[..., Any]) -> Parameters:
    """Return the parameters of a function that take attributes."""
    parameters = inspect.signature(function).parameters.values()
    keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    return Parameters(
        frozenset(p.name for p in keywords),
        frozenset(p.name for p in keywords if p.default is p.empty),
        any(p.kind is p.VAR_KEYWORD for p in parameters),
    )


@cache
def _read_built_in() -> None:
    """Register the built-in targets that users have not registered before."""
    taken = dict(_targets)
    for module in _BUILT_IN:
        import_module(f"stablehlo_py.kernels.{module}")
    _targets.update(taken)
