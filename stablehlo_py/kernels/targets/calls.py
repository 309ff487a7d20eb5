"""Checks of custom calls against what is registered for their targets, before an engine runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.kernels.targets.registry import TYPED_CONFIG, Target, accepted, configuration, registered
from stablehlo_py.kernels.targets.signatures import Signature, mismatch, parse_signature
from stablehlo_py.opset.attribute_conversion import python_value

_LAYOUTS = ("operand_layouts", "result_layouts")
_COMPUTATIONS = "called_computations"
_VERSIONS = (None, 1, 4)  # of a typed call: unstated, the default that older writers state, typed
_TYPED = 4
_OF_THE_OP = frozenset(
    (
        "call_target_name",
        "has_side_effect",
        "backend_config",
        "api_version",
        _COMPUTATIONS,
        *_LAYOUTS,
        "output_operand_aliases",
        "result_tilings",
        "indices_of_shape_operands",  # operands that state the shapes of results, for refinement of shapes
    )
)


def check_call(op: Operation, on_device: bool = False) -> None:
    """Check a call against its target; one that is not registered has nothing to check.

    Args:
        op: The call.
        on_device: Whether XLA runs the call, with the memory layouts that it states.

    Raises:
        Unsupported: The target does not accept these operands, results or attributes.
    """
    attributes = {name: python_value(value) for name, value in (op.properties | op.attributes).items()}
    operands, results = ([value.type for value in values] for values in (op.operands, op.results))
    name = str(attributes["call_target_name"])
    target = registered(name)
    if target is None:
        return
    given = configuration(name, attributes)
    if target.signature is None:
        return
    text = target.signature if isinstance(target.signature, str) else target.signature(given)
    signature = parse_signature(text)
    parts: Sequence[Type] = results
    if len(results) == 1 and isinstance(results[0], TupleType):
        parts = results[0].types
    fault = (
        mismatch(signature, operands, parts, target.elements, _numbers(given))
        or _unknown_attribute(target, attributes)
        or _untyped(target, attributes, on_device)
        or _alias_fault(signature, attributes)
    )
    if fault is None and target.layout != "any":
        columns = target.layout == "columns" and not given.get("transposed")
        fault = _layout_fault(attributes, (operands, parts), columns, on_device)
        fault = fault or (_empty(operands) if on_device and columns else None)
    if fault is not None:
        raise Unsupported(f"@{name} is called with {fault}; the target is {text}")


def _numbers(given: Mapping[str, Any]) -> dict[str, int]:
    return {name: value for name, value in given.items() if type(value) is int}


def _unknown_attribute(target: Target, attributes: Mapping[str, Any]) -> str | None:
    """Return an attribute that the target does not have; a name with a dot is another dialect's remark."""
    taken = accepted(target.function).names
    known = _OF_THE_OP | taken | (target.attributes or {}).keys()
    name = next((name for name in sorted(attributes) if name not in known and "." not in name), None)
    if name is not None:
        return f"attribute {name}, which it does not have"
    if bool(attributes.get(_COMPUTATIONS)) != (_COMPUTATIONS in taken):
        return (
            f"{_COMPUTATIONS}, of which it has none"
            if attributes.get(_COMPUTATIONS)
            else f"no {_COMPUTATIONS}"
        )
    return "result_tilings, of which it has none" if attributes.get("result_tilings") else None


def _untyped(target: Target, attributes: Mapping[str, Any], on_device: bool) -> str | None:
    version = attributes.get("api_version")
    if not target.typed or version == _TYPED:
        return None
    if version not in _VERSIONS or (on_device and TYPED_CONFIG not in attributes):
        return f"api_version {1 if version is None else version}, where {_TYPED} (a typed call) is expected"
    return None


def _alias_fault(signature: Signature, attributes: Mapping[str, Any]) -> str | None:
    """Return an alias of a result that is not the operand which the target overwrites with it."""
    for alias in attributes.get("output_operand_aliases", ()):
        fields = dict(alias.fields)
        places, operand = tuple(fields["output_tuple_indices"]), fields["operand_index"]
        result = places[0] if places else 0
        inside = len(places) > 1 or len(tuple(fields["operand_tuple_indices"])) > 0
        known = {at: term.alias for at, term in enumerate(signature.results) if term.alias is not None}
        if inside or known.get(result) != operand:
            return f"output_operand_aliases of result {result} and operand {operand}"
    return None


def _empty(operands: Sequence[Type]) -> str | None:
    """Return the type of a matrix without elements, on which LAPACK divides by zero."""
    shapes = [type.shape for type in operands if isinstance(type, TensorType)]
    most = max(map(len, shapes), default=0)
    empty = next((shape for shape in shapes if len(shape) == most and 0 in shape[-2:]), None)
    return None if empty is None else f"an empty matrix ({list(empty)}), which LAPACK does not accept"


def _layout_fault(
    attributes: Mapping[str, Any],
    types: tuple[Sequence[Type], Sequence[Type]],
    columns: bool,
    on_device: bool,
) -> str | None:
    """Return a layout of an operand or a result that is not the target's."""
    rank = max((type.rank for type in types[0] if isinstance(type, TensorType)), default=0)
    for name, of in zip(_LAYOUTS, types, strict=True):
        stated = attributes.get(name)
        if stated is None and columns and on_device:
            return f"no {name}, where matrices are column-major: XLA would pass them transposed"
        for at, (layout, type) in enumerate(zip(stated or (), of, strict=False)):
            order = [int(each) for each in layout]
            expected = list(range(len(order)))[::-1]
            if columns and isinstance(type, TensorType) and type.rank == rank > 1:
                expected[:2] = expected[1::-1]
            if order != expected:
                return f"{name}[{at}] = {order}, where {expected} is expected"
    return None
