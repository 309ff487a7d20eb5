"""Expressions of loop IR: pure functions of loop variables and of the elements of buffers.

Equal expressions are the same object (hash consing). So an expression is a graph without common
subexpressions, and a comparison is a comparison of identities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import gcd
from typing import Any, Literal, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from stablehlo_py.engines.native.loop_ir.index import (
    Index,
    Indices,
    Number,
    Quotient,
    Remainder,
    Variable,
    substituted,
)
from stablehlo_py.ir.records import KeepsHash, dataclass
from stablehlo_py.ir.types import IndexType, Type

Space = Literal["input", "output", "constant", "scratch", "frame"]
INDEX = IndexType()  # the type of an index as a number
MULTIPLY_ADD = "native.multiply_add"  # a product of two values and a third one, with one rounding or two


@dataclass(frozen=True, slots=True)
class Buffer(KeepsHash):
    """A dense array of elements in row-major order.

    Attributes:
        name: Its name in the program.
        element: The type of elements.
        shape: Its extents.
        space: Where it is: an input (only read), an output, a constant, memory of the call, or the frame of
            the loop nest that declares it.
    """

    name: str
    element: Type
    shape: tuple[int, ...]
    space: Space

    def __str__(self) -> str:
        extents = "".join([f"{size}x" for size in self.shape])
        return f"{self.space} {self.name}: {extents}{self.element}"


class Expression:
    """A value of one element type, made by the functions below, which return one object for equal values.

    Attributes:
        type: The element type.
        operands: The expressions that it is computed from.
        has_names: Whether it depends on names.
    """

    __slots__ = ("__weakref__", "has_names", "operands", "type")
    type: Type
    operands: tuple[Expression, ...]
    has_names: bool

    def _operands(self) -> tuple[Expression, ...]:
        return ()

    def __str__(self) -> str:
        from stablehlo_py.engines.native.loop_ir.text import expression_text

        return expression_text(self)


class Constant(Expression):
    """A number.

    Attributes:
        value: A NumPy scalar of the type.
    """

    __slots__ = ("value",)
    value: Any


class Reference(Expression):
    """The value that a `Let` or `Fold` has named.

    Attributes:
        name: The name.
    """

    __slots__ = ("name",)
    name: str


class Position(Expression):
    """An index as a number of type `index`.

    Attributes:
        index: The index.
    """

    __slots__ = ("index",)
    index: Index

    def _operands(self) -> tuple[Expression, ...]:
        return tuple(numbers_of(self.index))


class Load(Expression):
    """An element of a buffer.

    Attributes:
        buffer: The buffer.
        indices: One for each of its dimensions.
    """

    __slots__ = ("buffer", "indices")
    buffer: Buffer
    indices: Indices

    def _operands(self) -> tuple[Expression, ...]:
        return tuple([number for index in self.indices for number in numbers_of(index)])


class Apply(Expression):
    """An elementwise op of scalars.

    Attributes:
        op: The op's name, with its dialect.
        arguments: Its operands.
        attributes: The values of its attributes, by name.
    """

    __slots__ = ("arguments", "attributes", "op")
    op: str
    arguments: tuple[Expression, ...]
    attributes: tuple[tuple[str, Any], ...]

    def _operands(self) -> tuple[Expression, ...]:
        return self.arguments


class Choose(Expression):
    """The value of the first expression where a condition holds, of the second one elsewhere.

    Only the chosen one is evaluated.

    Attributes:
        conditions: Pairs of an index and a bound: each index is at least its bound.
        inside: The value where all conditions hold.
        outside: The value elsewhere.
    """

    __slots__ = ("conditions", "inside", "outside")
    conditions: tuple[tuple[Index, int], ...]
    inside: Expression
    outside: Expression

    def _operands(self) -> tuple[Expression, ...]:
        numbers = [number for index, _ in self.conditions for number in numbers_of(index)]
        return (self.inside, self.outside, *numbers)


Made = TypeVar("Made", bound=Expression)
_TABLE: WeakValueDictionary[tuple[Any, ...], Expression] = WeakValueDictionary()


def _one(kind: type[Made], type: Type, *fields: tuple[str, Any], key: tuple[Any, ...] | None = None) -> Made:
    """Return the expression with the given fields: the existing object, or a new one."""
    whole = (kind, type, *(key if key is not None else [value for _, value in fields]))
    found: Any = _TABLE.get(whole)
    if found is None:
        found = kind()
        found.type = type
        for name, value in fields:
            setattr(found, name, value)
        found.operands = found._operands()
        found.has_names = kind is Reference or any(each.has_names for each in found.operands)
        _TABLE[whole] = found
    made: Made = found
    return made


def constant(value: Any, type: Type) -> Constant:
    """A NumPy scalar as an expression of an element type."""
    return _one(Constant, type, ("value", value), key=(np.asarray(value).tobytes(),))


def reference(name: str, type: Type) -> Reference:
    """The value that has a name."""
    return _one(Reference, type, ("name", name))


def position(index: Index) -> Position:
    """An index as a number."""
    return _one(Position, INDEX, ("index", index))


def load(buffer: Buffer, indices: Indices) -> Load:
    """An element of a buffer."""
    assert len(indices) == len(buffer.shape)
    return _one(Load, buffer.element, ("buffer", buffer), ("indices", indices))


def apply(
    op: str, type: Type, arguments: tuple[Expression, ...], attributes: tuple[tuple[str, Any], ...] = ()
) -> Apply:
    """An op of scalars, whose result has an element type."""
    return _one(Apply, type, ("op", op), ("arguments", arguments), ("attributes", attributes))


def choose(conditions: tuple[tuple[Index, int], ...], inside: Expression, outside: Expression) -> Expression:
    """A choice between two values; conditions that the bounds of their indices decide are left out."""
    if any(index.bounds[1] < bound for index, bound in conditions):
        return outside
    open = tuple([_reduced(index, bound) for index, bound in conditions if index.bounds[0] < bound])
    if any(index * -1 == other and bound > -limit for index, bound in open for other, limit in open):
        return outside
    if not open:
        return inside
    return _one(Choose, inside.type, ("conditions", open), ("inside", inside), ("outside", outside))


def _reduced(index: Index, bound: int) -> tuple[Index, int]:
    """A condition without a constant and a common factor: `2 * i - 1 >= 2` is `i >= 2`."""
    factor = gcd(*[coefficient for _, coefficient in index.terms])
    terms = tuple([(atom, coefficient // factor) for atom, coefficient in index.terms])
    return Index(terms), -((index.constant - bound) // factor)


def numbers_of(index: Index) -> Iterator[Expression]:
    """The expressions that an index is computed from."""
    for atom, _ in index.terms:
        match atom:
            case Number(value):
                yield value
            case Quotient(inner, _) | Remainder(inner, _):
                yield from numbers_of(inner)


def indices_in(expression: Expression) -> Indices:
    """The indices of an expression itself."""
    match expression:
        case Load():
            return expression.indices
        case Position():
            return (expression.index,)
        case Choose():
            return tuple([index for index, _ in expression.conditions])
    return ()


Replace = Callable[[Expression], Expression | None]
Move = Callable[[Buffer, Indices], tuple[Buffer, Indices]]


class Substitution:
    """Replaces loop variables, expressions, and the places of accesses.

    Args:
        values: The indices that replace loop variables.
        replace: Returns the replacement of an expression whose operands are replaced; None keeps it.
        move: Returns the buffer and the indices of a load or store, given those with the replacements made.
    """

    def __init__(
        self,
        values: Mapping[Any, Index],
        replace: Replace = lambda expression: None,
        move: Move = lambda buffer, indices: (buffer, indices),
    ) -> None:
        self._values = values
        self._replace = replace
        self._move = move
        self._known: dict[Expression, Expression] = {}
        self._indices: dict[Index, Index] = {}

    def index(self, index: Index) -> Index:
        """An index with the replacements made."""
        if not index.terms:
            return index
        found = self._indices.get(index)
        if found is None:
            fixed = not self._values and all(isinstance(atom, Variable) for atom, _ in index.terms)
            found = index if fixed else substituted(index, self._values, self.expression)
            self._indices[index] = found
        return found

    def place(self, buffer: Buffer, indices: Indices) -> tuple[Buffer, Indices]:
        """The place of a load or store with the replacements made."""
        return self._move(buffer, tuple(map(self.index, indices)))

    def expression(self, expression: Expression) -> Expression:
        """An expression with the replacements made."""
        found = self._known.get(expression)
        if found is None:
            made = self._rebuilt(expression)
            found = self._known[expression] = self._replace(made) or made
        return found

    def _rebuilt(self, expression: Expression) -> Expression:
        match expression:
            case Apply():
                arguments = tuple([self.expression(each) for each in expression.arguments])
                if arguments == expression.arguments:
                    return expression
                return apply(expression.op, expression.type, arguments, expression.attributes)
            case Load():
                return load(*self.place(expression.buffer, expression.indices))
            case Position():
                return position(self.index(expression.index))
            case Choose():
                conditions = tuple([(self.index(index), bound) for index, bound in expression.conditions])
                return choose(
                    conditions, self.expression(expression.inside), self.expression(expression.outside)
                )
        return expression


def visit(expression: Expression, seen: set[Expression]) -> list[Expression]:
    """Yield an expression and its transitive operands, operands first, without expressions seen before."""
    found: list[Expression] = []
    _visit(expression, seen, found)
    return found


def _visit(expression: Expression, seen: set[Expression], found: list[Expression]) -> None:
    if expression not in seen:
        seen.add(expression)
        for operand in expression.operands:
            _visit(operand, seen, found)
        found.append(expression)
