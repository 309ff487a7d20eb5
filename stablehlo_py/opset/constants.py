"""Constants: the elements of values that a constant op defines."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.opset.definition import all_definitions, cached_per_registry, has_trait

_SHAPES = {"shape.const_shape": "shape"}  # ops besides those with the trait, and the attribute they return


@cached_per_registry
def constant_ops() -> frozenset[str]:
    """Return the names of the ops that define constants."""
    return frozenset([d.name for d in all_definitions() if "constant" in d.traits]) | _SHAPES.keys()


def elements_name(op: Operation) -> str | None:
    """Return the name of the attribute that holds the elements of a constant op; None for other ops."""
    return "value" if has_trait(op.name, "constant") else _SHAPES.get(op.name)


def constant_attribute(value: Value) -> DenseElementsAttr | None:
    """Return the elements of a constant; None for another value, or if they are not in the program."""
    if not isinstance(value, OpResult):
        return None
    name = elements_name(value.op)
    found = value.op.attribute(name) if name else None
    return found if isinstance(found, DenseElementsAttr) else None


def is_number(value: Value, number: float) -> bool:
    """Test whether a value is a constant whose elements all equal a number; -1 has all bits set."""
    elements = constant_attribute(value)
    if elements is None or elements.data.size == 0 or elements.data.dtype.kind == "c":
        return False
    data = elements.data
    wanted: Any = number
    if data.dtype.kind == "b":
        if number not in (0.0, 1.0, -1.0):
            return False
        wanted = bool(number)
    elif number == -1.0 and elements.data.dtype.kind == "u":
        wanted = ~data.dtype.type(0)
    return bool(data[0] == wanted) and bool((data == data.dtype.type(wanted)).all())
