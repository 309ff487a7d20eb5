"""Sorts: what a term may stand for, and which sort stands where another is wanted.

At run time a Bool or Int is a Python value or None (unknown); a List or Each is a tuple or list; a Value
or Type is the IR's, and a Function is a region; an Array is a `DenseElementsAttr`, a NumPy array, or a
`TensorType` alone where the elements are unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Undefined(Exception):
    """A term without a value: an index out of range, an attribute that is not there."""


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort by name; `element` is the sort of a List's or an Each's elements."""

    name: str
    element: Sort | None = None

    def __str__(self) -> str:
        return self.name if self.element is None else f"{self.name}[{self.element}]"

    @property
    def is_variable(self) -> bool:
        """Whether this stands for any sort in a function's signature."""
        return self.name == "T"


BOOL, INT, FLOAT, STR = Sort("Bool"), Sort("Int"), Sort("Float"), Sort("Str")
TYPE, VALUE, FUNCTION, ARRAY = Sort("Type"), Sort("Value"), Sort("Function"), Sort("Array")
ANY = Sort("Any")  # an attribute that formulas only ask the presence of
NEVER = Sort("Never")  # the elements of []


def list_of(element: Sort) -> Sort:
    return Sort("List", element)


def each_of(element: Sort) -> Sort:
    return Sort("Each", element)


def parse_sort(text: str) -> Sort:
    """The sort that a signature states: `List[Int]`."""
    name, _, rest = text.partition("[")
    return Sort(name, parse_sort(rest[:-1])) if rest else Sort(name)


def scalar_of(sort: Sort) -> Sort:
    """The sort of the scalars in a list, of whatever depth, or in an Array."""
    while sort.element is not None:
        sort = sort.element
    return INT if sort == ARRAY else sort


Convert = Callable[[Any], Any]
Bindings = dict[str, Sort]


def identity(x: Any) -> Any:
    """The conversion that changes nothing."""
    return x


def convert(sort: Sort, wanted: Sort, bindings: Bindings) -> Convert | None:
    """How a term of `sort` becomes one of the `wanted` sort, None if it cannot.

    `bindings` says what sort the variable of a signature stands for, and is filled in.
    """
    if sort in (wanted, NEVER) or wanted == ANY:
        return identity
    if wanted.is_variable:
        bound = unify(bindings.get("T", sort), sort)
        if bound is None or sort.name == "Each":
            return None
        bindings["T"] = bound
        return convert(sort, bound, {})
    if wanted.element is not None:
        return _convert_list(sort, wanted, bindings)
    if wanted == TYPE and sort == VALUE:
        return type_of
    return identity if wanted == FLOAT and sort == INT else None


def _convert_list(sort: Sort, wanted: Sort, bindings: Bindings) -> Convert | None:
    if sort == ARRAY and wanted.element in (INT, Sort("T")):
        return _array_values if convert(INT, wanted.element or INT, bindings) else None
    if sort.element is None or (sort.name == "Each" and wanted.name != "Each"):
        return None
    inner = convert(sort.element, wanted.element or ANY, bindings)
    if inner is None or inner is identity:
        return inner
    return lambda xs: None if xs is None else [None if x is None else inner(x) for x in xs]


def unify(a: Sort, b: Sort) -> Sort | None:
    """The sort that both stand for, None if there is none."""
    if a == b or b == NEVER:
        return a
    if a == NEVER:
        return b
    if {a, b} == {INT, FLOAT}:
        return FLOAT
    if {a, b} == {TYPE, VALUE}:
        return TYPE
    if a.element is not None and b.element is not None and a.name == b.name:
        element = unify(a.element, b.element)
        return None if element is None else Sort(a.name, element)
    return None


def type_of(value: Any) -> Any:
    """The conversion of a Value to its Type."""
    return value.type


def _array_values(array: Any) -> Any:
    from stablehlo_py.notation.values import as_list

    return as_list(array)
