"""What an op holds, by the parts of its definition: plain values of attributes, groups of operands.

`notation.scope.attribute_value` also knows the defaults, which are formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DictAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
)
from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.definition import Attr, Body, Operand, Result
from stablehlo_py.opset.kinds import ENUMS

T = TypeVar("T")


def stored_value(op: Operation, attr: Attr) -> Any:
    """The attribute, or the field of a structure, that holds an input; None if there is none."""
    attribute = op.attribute(attr.property)
    if attribute is None or (attr.empty_is_absent and _is_empty_list(attribute)):
        return None
    if not attr.field:
        return attribute
    if not isinstance(attribute, StructAttr):
        return None
    return next((value for name, value in attribute.fields if name == attr.field), None)


def _is_empty_list(attribute: Attribute) -> bool:
    """Whether there is nothing in a list, or in a list of pairs."""
    if isinstance(attribute, DenseElementsAttr):
        return attribute.type.shape == (0, 2)
    return isinstance(attribute, DenseArrayAttr) and not attribute.value


def plain_value(stored: Any, kind: str) -> Any:
    """The plain value of an attribute of a kind; what is not an attribute is plain already.

    int, float, bool; str for a string, a symbol and an enumeration; a tuple for arrays; a read-only
    NumPy array for elements; a Type; a dict for a dictionary; the attribute itself for a structure and
    what we do not interpret.
    """
    if not isinstance(stored, Attribute):
        return stored
    found = _PLAIN.get(type(stored))
    if found is None:
        return stored
    value = found(stored)
    if isinstance(stored, ArrayAttr):
        return tuple(plain_value(item, kind.removeprefix("array of ")) for item in value)
    if isinstance(stored, IntegerAttr) and kind.startswith("enum "):
        names = ENUMS[kind.removeprefix("enum ")].values
        return names[value] if 0 <= value < len(names) else value
    if isinstance(stored, DenseElementsAttr) and kind.startswith("array<"):
        return tuple(value.reshape(-1).tolist())
    return value


_PLAIN: dict[type, Callable[[Any], Any]] = {
    UnitAttr: lambda a: True,
    BoolAttr: lambda a: a.value,
    IntegerAttr: lambda a: a.value,
    FloatAttr: lambda a: a.value,
    StringAttr: lambda a: a.value,
    SymbolRefAttr: lambda a: "::".join((a.root, *a.nested)),
    TypeAttr: lambda a: a.value,
    EnumAttr: lambda a: a.value,
    ArrayAttr: lambda a: a.value,
    DenseArrayAttr: lambda a: tuple(a.value),
    DenseElementsAttr: lambda a: a.value,
    DictAttr: lambda a: {name: plain_value(value, "") for name, value in a},
}


def groups(
    op: Operation, kind: str, values: Sequence[T], parts: Sequence[Operand | Result | Body]
) -> list[Sequence[T]]:
    """An op's operands, results or regions, for each part of its definition; fewer if they do not fit.

    `kind` is "operand", "result" or "region": the op may have sizes in `operandSegmentSizes`. Without
    them, variadic parts have the same number each.
    """
    if len(values) == len(parts) and not any(part.variadic for part in parts):
        return [(value,) for value in values]
    sizes = op.attribute(f"{kind}SegmentSizes")
    counts: Sequence[int] = sizes.value if isinstance(sizes, DenseArrayAttr) else _counts(len(values), parts)
    found, at = [], 0
    for count in counts:
        found.append(values[at : at + count])
        at += count
    return found


def _counts(given: int, parts: Sequence[Operand | Result | Body]) -> list[int]:
    variadic = sum(part.variadic for part in parts)
    optional = [part for part in parts if getattr(part, "optional", False) and not part.variadic]
    spare = given - (len(parts) - variadic - len(optional))
    there = optional[: max(spare, 0)] if not variadic else []
    share = (spare - len(there)) // variadic if variadic else 0
    return [max(share, 0) if p.variadic else 0 if p in optional and p not in there else 1 for p in parts]


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array, which nobody may write to any more."""
    array.flags.writeable = False
    return array
