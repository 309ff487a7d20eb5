"""Custom calls of HLO as those of StableHLO."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.hlo.kinds import API_VERSIONS
from stablehlo_py.hlo.module import Instruction
from stablehlo_py.hlo.to_stablehlo.scope import Scope, Unconvertible
from stablehlo_py.hlo.to_stablehlo.values import Tree, types_of
from stablehlo_py.ir.attributes import Attribute, BoolAttr, DictAttr, IntegerAttr
from stablehlo_py.ir.types import I64
from stablehlo_py.layout.shape import Shape
from stablehlo_py.syntax.parser import parse_attribute

TOP_K = "TopK"


def custom_call(scope: Scope, instruction: Instruction) -> Tree:
    """Convert a custom call."""
    attributes = instruction.attributes
    target = attributes["custom_call_target"]
    operands = scope.operands(instruction)
    if target == TOP_K and _is_descending(instruction) and _is_top_k(instruction.shape):
        k = instruction.shape.tuple_shapes[0].dimensions[-1]
        return scope.made(instruction, "chlo.top_k", operands, {"k": k})
    version = attributes.get("api_version", API_VERSIONS[1])
    inputs: dict[str, Any] = {
        "call_target_name": target,
        "has_side_effect": True if attributes.get("custom_call_has_side_effect") else None,
        "backend_config": _config(attributes.get("backend_config", ""), version),
        "api_version": API_VERSIONS.index(version) or 1,
        "output_operand_aliases": _aliases(instruction) or None,
    }
    return scope.made(instruction, "stablehlo.custom_call", operands, inputs)


def _aliases(instruction: Instruction) -> list[dict[str, Any]]:
    """Return the results that are the memory of operands of the same type; tuples are several values."""
    types, shapes = types_of(instruction.shape), [operand.shape for operand in instruction.operands]
    places = [(number, index) for number, shape in enumerate(shapes) for index in _indices(shape)]
    operands = [type for shape in shapes for type in types_of(shape)]
    results = [*_indices(instruction.shape)]
    found = []
    for output, number, index in instruction.attributes.get("output_to_operand_aliasing", ()):
        if output not in results or (number, index) not in places:
            continue
        result, operand = results.index(output), places.index((number, index))
        if types[result] == operands[operand]:
            path = [result] if len(types) > 1 else []
            alias = {"output_tuple_indices": path, "operand_index": operand, "operand_tuple_indices": []}
            found.append(alias)
    return found


def _indices(shape: Shape, index: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield the indices of the values of a shape, in the order of `types_of`."""
    if not shape.is_tuple:
        yield index
    for number, inner in enumerate(shape.tuple_shapes if shape.is_tuple else ()):
        yield from _indices(inner, (*index, number))


def _is_top_k(shape: Shape) -> bool:
    """Test whether a shape is a tuple of values and indices."""
    return len(shape.tuple_shapes) == 2 and all(each.rank for each in shape.tuple_shapes)


def _is_descending(instruction: Instruction) -> bool:
    """Test whether the comparator orders the largest elements first."""
    called = instruction.called
    return not called or called[0][1].root.attributes.get("direction") == "GT"


def _config(text: str, version: str) -> Attribute | str | None:
    """Return a configuration: a dictionary of MLIR for a typed interface, else text."""
    if version == API_VERSIONS[4] and text.startswith("{"):
        try:
            found = parse_attribute(text)
        except ParseError:
            return text
        if isinstance(found, DictAttr):
            return found
    return text or None


def smallest(scope: Scope, instruction: Instruction) -> Tree:
    """Take the smallest elements of the last dimension."""
    operands = [scope.value(operand) for operand in instruction.operands]
    options = DictAttr((("k", IntegerAttr(instruction.attributes["k"], I64)), ("largest", BoolAttr(False))))
    inputs, given = {"call_target_name": "mhlo.topk"}, {"mhlo.attributes": options}
    return scope.made(instruction, "stablehlo.custom_call", operands, inputs, attributes=given)


def composite(scope: Scope, instruction: Instruction) -> Tree:
    """Convert a call of a composite, whose name, attributes and version are frontend attributes."""
    stated = dict(instruction.attributes.get("frontend_attributes", ()))
    given = stated.get("composite.attributes", "{}")
    try:
        options = parse_attribute(given)
    except ParseError as error:
        raise Unconvertible(
            f"composite.attributes={given[:40]} is no dictionary: {error.diagnostics[0].message}"
        ) from None
    version = stated.get("composite.version", "0")
    inputs: dict[str, Any] = {
        "name": stated.get("composite.name", ""),
        "composite_attributes": options if isinstance(options, DictAttr) else None,
        "version": int(version) if version.isdecimal() and len(version) < 10 else None,
        "decomposition": scope.function(instruction.attributes["to_apply"]),
    }
    return scope.made(instruction, "stablehlo.composite", scope.operands(instruction), inputs)
