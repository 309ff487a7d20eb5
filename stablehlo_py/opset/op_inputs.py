"""Access to the parts of an op by its definition: stored attributes, operand groups, properties.

`notation.scope.attribute_value` also evaluates defaults, which are formulas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, TypeVar

from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DenseElementsAttr, StructAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import I32
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result
from stablehlo_py.opset.kinds import make_struct

T = TypeVar("T")
SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")


def stored_value(op: Operation, attr: Attr) -> Any:
    """Return the attribute, or the field of a structure, that contains an input; None if absent."""
    attribute = op.attribute(attr.property)
    if attribute is None or (attr.empty_is_absent and _is_empty_list(attribute)):
        return None
    wanted = attr.field
    if not wanted:
        return attribute
    if not isinstance(attribute, StructAttr):
        return None
    for name, value in attribute.fields:
        if name == wanted:
            return value
    return None


def _is_empty_list(attribute: Attribute) -> bool:
    """Test whether a list, or a list of pairs, is empty."""
    if isinstance(attribute, DenseElementsAttr):
        return attribute.type.shape == (0, 2)
    return isinstance(attribute, DenseArrayAttr) and not attribute.value


def groups(
    op: Operation, role: str, values: Sequence[T], parts: Sequence[Operand | Result | Body]
) -> list[Sequence[T]]:
    """Group an op's operands, results or regions by the parts of its definition.

    Args:
        op: The op.
        role: "operand", "result" or "region". The op may have group sizes in `operandSegmentSizes`; without
            them, all variadic parts have the same size.
        values: The operands, results or regions.
        parts: The parts of the definition.

    Returns:
        The values of each part; fewer groups if the numbers do not match.
    """
    if len(values) == len(parts):
        for part in parts:
            if part.variadic:
                break
        else:
            return [(value,) for value in values]
    sizes = op.attribute(f"{role}SegmentSizes")
    counts: Sequence[int] = sizes.value if isinstance(sizes, DenseArrayAttr) else _counts(len(values), parts)
    found, at = [], 0
    for count in counts:
        found.append(values[at : at + count])
        at += count
    return found


def successor_operands(op: Operation, definition: OpDef) -> list[Sequence[Value]]:
    """Return the values that a terminator gives to the arguments of each of its successors.

    Args:
        op: The terminator.
        definition: Its definition, whose numbers of operands and successors it has.
    """
    parts = groups(op, "operand", op.operands, definition.operands)
    values = {part.name: group for part, group in zip(definition.operands, parts, strict=False)}
    found: list[Sequence[Value]] = []
    for successor in definition.successors:
        given = values.get(successor.operands, ())
        sizes = op.attribute(successor.segments) if successor.segments else None
        if not isinstance(sizes, DenseArrayAttr):
            found.append(given)
            continue
        ends = [0, *accumulate(sizes.value)]
        found += [given[start:end] for start, end in pairwise(ends)]
    return found


def _counts(given: int, parts: Sequence[Operand | Result | Body]) -> list[int]:
    variadic = sum(part.variadic for part in parts)
    optional = [part for part in parts if getattr(part, "optional", False) and not part.variadic]
    spare = given - (len(parts) - variadic - len(optional))
    there = optional[: max(spare, 0)] if not variadic else []
    share = (spare - len(there)) // variadic if variadic else 0
    return [max(share, 0) if p.variadic else 0 if p in optional and p not in there else 1 for p in parts]


def make_properties(definition: OpDef, inputs: Mapping[str, Any]) -> dict[str, Attribute]:
    """Create the properties of an op from the values of its inputs.

    Args:
        definition: The definition of the op.
        inputs: The values by the definition's names, as Python values or attributes. The name of a property
            (`dot_dimension_numbers`) takes the whole attribute. None stands for an absent input.

    Returns:
        The properties.

    Raises:
        ValueError: If a name is not in the definition, or a value is not of its kind.
    """
    made: dict[str, Attribute] = {}
    fields: dict[str, dict[str, Any]] = {}
    attrs = {attr.name: attr for attr in definition.attrs}
    kinds = definition.property_kinds
    for name, value in inputs.items():
        attr = attrs.get(name)
        if value is None:
            continue
        if attr is not None and attr.field and not isinstance(value, StructAttr):
            fields.setdefault(attr.property, {})[attr.field] = value
        elif name in kinds:
            made[name] = kinds[name].make(value, name)
        elif attr is not None:
            made[attr.property] = attr.kind.make(value, name)
        elif name in SEGMENTS:
            made[name] = value if isinstance(value, Attribute) else DenseArrayAttr(I32, tuple(value))
        else:
            raise ValueError(_unknown(definition, name))
    for name, given in fields.items():
        struct = kinds[name].struct
        assert struct is not None
        made[name] = make_struct(struct, given)
    return made


def _unknown(definition: OpDef, name: str) -> str:
    from difflib import get_close_matches  # for errors only

    names = [*(attr.name for attr in definition.attrs), *definition.property_kinds]
    close = get_close_matches(name, names, 1)
    return f"{definition.name} has no input {name}" + (f"; did you mean {close[0]}?" if close else "")
