"""Sorts of terms, and the conversions between them.

Run-time representation: a Bool or Int is a Python value, or None if unknown; a List or Each is a tuple or
list; a Value or Type is the IR's; a Function is a region; an Array is a `DenseElementsAttr`, a NumPy array,
or just a `TensorType` if its elements are unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple


class Undefined(Exception):
    """A term has no value: an index is out of range, or an attribute is absent."""


class Sort(NamedTuple):
    """A sort; a tuple, since compiling a formula compares many.

    Attributes:
        name: Its name, such as `Int` or `List`.
        element: The sort of the elements of a List or an Each.
    """

    name: str
    element: Sort | None = None

    def __str__(self) -> str:
        return self.name if self.element is None else f"{self.name}[{self.element}]"

    @property
    def is_variable(self) -> bool:
        """Test whether this is the variable of a polymorphic signature."""
        return self.name == "T"


BOOL, INT, FLOAT, STR = Sort("Bool"), Sort("Int"), Sort("Float"), Sort("Str")
TYPE, VALUE, FUNCTION, ARRAY = Sort("Type"), Sort("Value"), Sort("Function"), Sort("Array")
ANY = Sort("Any")  # an attribute that formulas only test for presence
NEVER = Sort("Never")  # the element sort of []


def list_of(element: Sort) -> Sort:
    """Return the sort List[element]."""
    return Sort("List", element)


def each_of(element: Sort) -> Sort:
    """Return the sort Each[element]."""
    return Sort("Each", element)


@cache
def parse_sort(text: str) -> Sort:
    """Parse a sort, such as `List[Int]`."""
    name, _, rest = text.partition("[")
    return Sort(name, parse_sort(rest[:-1])) if rest else Sort(name)


def scalar_of(sort: Sort) -> Sort:
    """Return the sort of the scalars in an Array or in a list of any depth."""
    while sort.element is not None:
        sort = sort.element
    return INT if sort == ARRAY else sort


Convert = Callable[[Any], Any]
Bindings = dict[str, Sort]


def identity(x: Any) -> Any:
    """Return the argument: the conversion between equal sorts."""
    return x


def convert(sort: Sort, wanted: Sort, bindings: Bindings) -> Convert | None:
    """Find the conversion between two sorts.

    Args:
        sort: The sort of a term.
        wanted: The sort of the parameter.
        bindings: The sort bound to the variable of a signature; updated.

    Returns:
        The conversion of values, or None if there is none.
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
        return _array_values if convert(INT, wanted.element, bindings) else None
    if sort.element is None or (sort.name == "Each" and wanted.name != "Each"):
        return None
    inner = convert(sort.element, wanted.element or ANY, bindings)
    if inner is None or inner is identity:
        return inner
    return lambda xs: None if xs is None else [None if x is None else inner(x) for x in xs]


def unify(a: Sort, b: Sort) -> Sort | None:
    """Return the common sort of two sorts, or None."""
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
    """Return the type of a Value: the conversion from Value to Type."""
    return value.type


def _array_values(array: Any) -> Any:
    from stablehlo_py.notation.values import as_list

    return as_list(array)
