"""Control flow, custom calls, and tokens."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.kernels.registry import Array, Function, kernel
from stablehlo_py.kernels.targets.registry import TYPED_CONFIG, accepted, configuration, find_target

Values = tuple[Any, ...]


# Control flow


def lifted_while(operand: Values, *, cond: Function, body: Function) -> Values:
    """Run a loop for all elements at once, until no condition holds; finished elements keep their values."""
    going = np.asarray(cond(*operand)[0])
    while going.any():
        operand = tuple([np.where(going, new, old) for new, old in zip(body(*operand), operand, strict=True)])
        going = going & cond(*operand)[0]
    return operand


def lifted_if(pred: Array, *, true_branch: Function, false_branch: Function) -> Values:
    """Run both branches and select each element from the branch of its predicate."""
    return tuple([np.where(pred, a, b) for a, b in zip(true_branch(), false_branch(), strict=True)])


def lifted_case(index: Array, *, branches: tuple[Function, ...]) -> Values:
    """Run all branches and select each element from the branch of its index."""
    found = branches[-1]()  # of an index out of range, too
    for number, branch in enumerate(branches[:-1]):
        found = tuple([np.where(index == number, a, b) for a, b in zip(branch(), found, strict=True)])
    return found


@kernel("stablehlo.while", lifted=lifted_while)
def while_(operand: Values, *, cond: Function, body: Function) -> Values:
    """Loop while a condition holds (while)."""
    while cond(*operand)[0]:
        operand = body(*operand)
    return operand


@kernel("stablehlo.if", view=True, lifted=lifted_if)
def if_(pred: Array, *, true_branch: Function, false_branch: Function) -> Values:
    """Run one of two branches (if)."""
    return true_branch() if pred else false_branch()


@kernel("stablehlo.case", view=True, lifted=lifted_case)
def case(index: Array, *, branches: tuple[Function, ...]) -> Values:
    """Run the branch at an index; the last branch if the index is out of range (case)."""
    chosen = int(index)
    return branches[chosen if 0 <= chosen < len(branches) else -1]()


# Custom calls


@kernel("stablehlo.custom_call", view=True)
def call_target(
    inputs: Values,
    *,
    call_target_name: str,
    called_computations: tuple[Function, ...],
    attributes: dict[str, Any],
    results: tuple[Type, ...],
) -> Values:
    """Call the function registered for a custom-call target (custom_call)."""
    function = find_target(call_target_name)
    known = {**attributes, **configuration(call_target_name, attributes)}
    known |= {"backend_config": attributes.get(TYPED_CONFIG, attributes.get("backend_config", ""))}
    known |= {"attributes": attributes, "result_types": results, "called_computations": called_computations}
    wanted = accepted(function)
    missing = sorted(wanted.required - known.keys())
    if missing:
        raise RunError(f"@{call_target_name} requires attribute {missing[0]}, which the op does not have")
    names = known if wanted.others else [name for name in wanted.names if name in known]
    try:
        found = function(*map(_read_only, inputs), **{name: known[name] for name in names})
    except SystemExit as error:  # would end the command as if it had succeeded
        raise RunError(f"@{call_target_name} called sys.exit({error})") from error
    return _fitting(found, results, f"@{call_target_name}")


def _read_only(value: Any) -> Any:
    """Return a view of an input that the function cannot write into, since other ops may read its memory."""
    if isinstance(value, tuple):
        return tuple(map(_read_only, value))
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def _fitting(found: Any, types: tuple[Type, ...], where: str) -> Values:
    """Convert a target's return value to one value per result; raise RunError if the types do not match."""
    values = tuple(found) if isinstance(found, tuple | list) else () if found is None else (found,)
    if len(types) == 1 and isinstance(types[0], TupleType) and len(values) == len(types[0].types):
        values = (values,)
    if not values and not any(isinstance(t, TensorType | TupleType) for t in types):
        return (None,) * len(types)
    if len(values) != len(types):
        expected = counted(len(types), "result")
        raise RunError(f"{where} returned {counted(len(values), 'value')}, but the op has {expected}")
    return tuple(
        [
            value if _fits(value, type) else _checked(value, type, f"{where}, result {i}")
            for i, (value, type) in enumerate(zip(values, types, strict=True))
        ]
    )


def _fits(value: Any, type: Type) -> bool:
    """Test whether a value is an array of exactly a type, as most are."""
    return (
        value.__class__ is np.ndarray
        and isinstance(type, TensorType)
        and value.shape == type.shape
        and value.dtype == numpy_dtype(type.element_type)
    )


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
        raise RunError(f"{where} is an array of {array.dtype.name}{list(array.shape)}, expected {type}")
    return array


# Tokens carry no data: the interpreter executes side effects in program order


@kernel("stablehlo.after_all")
def after_all(inputs: Values) -> None:
    """Join tokens (after_all)."""


@kernel("stablehlo.create_token")
def create_token() -> None:
    """Create a token (create_token)."""
