"""Checks of `sdy.sharding`: shardings of a function's inputs and outputs, and of an op's results.

These are attributes that any op may have. Shardings that are inputs of Shardy's ops have constraints there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, StructAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.signature import function_type
from stablehlo_py.ir.types import Type
from stablehlo_py.notation import sharding_functions as of
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import EMPTY_CONTEXT
from stablehlo_py.verifier.report import Place, Violation

SHARDING = "sdy.sharding"


def sharding_violations(op: Operation) -> Iterator[Violation]:
    """Check the shardings in the attributes of an op."""
    shardings = op.attributes.get(SHARDING)
    if shardings is not None:
        yield from _results(op, shardings)
    signature = function_type(op)
    if signature is None:
        return
    blocks = op.regions[0].blocks if op.regions else []
    arguments = blocks[0].arguments if blocks else ()
    yield from _values(op, arguments, "input", _entries(op, "arg_attrs"), signature.inputs)
    yield from _values(op, (), "output", _entries(op, "res_attrs"), signature.results)


def _entries(op: Operation, key: str) -> list[Attribute | None]:
    """Return the sharding of each input or output, or None."""
    found = op.attribute(key)
    entries = found.value if isinstance(found, ArrayAttr) else ()
    return [entry.get(SHARDING) if isinstance(entry, DictAttr) else None for entry in entries]


def _results(op: Operation, shardings: Attribute) -> Iterator[Violation]:
    if not isinstance(shardings, StructAttr) or shardings.name != "sdy.sharding_per_value":
        yield Violation(op, "sharding", f"{SHARDING} must be #sdy.sharding_per_value<...>")
        return
    found, types = of.shardings(shardings), [result.type for result in op.results]
    if len(found) == len(types):
        yield from _values(op, (), "result", found, types)
    elif types or len(found) != 1:
        yield Violation(op, "sharding", f"{SHARDING} has {len(found)} shardings for {len(types)} results")


def _values(
    op: Operation,
    places: Sequence[Place],
    what: str,
    shardings: Sequence[Attribute | None],
    types: Sequence[Type],
) -> Iterator[Violation]:
    for index, (sharding, type) in enumerate(zip(shardings, types, strict=False)):
        fault = "" if sharding is None else _fault(op, sharding, type)
        if fault:
            place = places[index] if index < len(places) else op
            yield Violation(place, "sharding", f"{SHARDING} of {what} {index}: {fault}")


def _fault(op: Operation, sharding: Attribute, type: Type) -> str:
    """Describe what is wrong with the sharding of a value, or return ""."""
    if not isinstance(sharding, StructAttr) or sharding.name != SHARDING:
        return "expected #sdy.sharding<...>"
    env = Environment(op, EMPTY_CONTEXT, {})
    if not of.is_mesh_given(env, sharding):
        return f"undefined mesh {sharding['mesh_or_ref']}"
    rank, given = of.sharded_rank(env, sharding, type), of.num_dimensions(sharding)
    if rank not in (None, given):
        return f"expected {rank} dimension shardings for {type}, got {given}"
    axes, used = of.axes_of_mesh(env, sharding), of.used_axes(sharding)
    unknown = next((axis for axis in used if axis not in axes), None)
    if unknown is not None:
        return f"unknown mesh axis {unknown}"
    repeated = of.axis_used_twice(sharding)
    if repeated is not None:
        return f"axis {repeated} is used twice"
    manual = next((axis for axis in used if axis in of.manual_axes_around(env)), None)
    return "" if manual is None else f"axis {manual} is a manual axis of the enclosing manual computation"
