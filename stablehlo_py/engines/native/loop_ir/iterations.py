"""Iterations of parallel loops: whether two of them have different indices."""

from __future__ import annotations

from math import gcd

from stablehlo_py.engines.native.loop_ir.coverage import are_digits
from stablehlo_py.engines.native.loop_ir.expressions import Expression, Load, Position, Reference
from stablehlo_py.engines.native.loop_ir.index import (
    Atom,
    Index,
    Indices,
    Number,
    Quotient,
    Remainder,
    Variable,
    variables_of,
)
from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, stores_of, walk


class Iterations:
    """The iterations of a parallel loop."""

    def __init__(self, loop: Loop) -> None:
        self._variable = loop.variable
        self._inner = {each.variable for each in walk(loop.body) if isinstance(each, Loop)}
        self._inner |= {v for each in walk(loop.body) if isinstance(each, Fold) for v in each.loops}
        self._stored = {store.buffer for store in stores_of(loop)}

    def tell_apart(self, first: Indices, second: Indices) -> bool:
        """Test whether two iterations have different indices, whatever the loops inside do."""
        variable = self._variable
        for index, other in zip(first, second, strict=True):
            factor = abs(index.coefficient(variable))
            reach = factor * (variable.extent - 1)
            (low, high), (others_low, others_high) = (self._moving(each).bounds for each in (index, other))
            fixed = self._fixed(index) - self._fixed(other)
            least, most = fixed.bounds[0] + low - others_high, fixed.bounds[1] + high - others_low
            if index.coefficient(variable) == other.coefficient(variable) and (
                factor > max(most, -least)
                or reach < max(least, -most)
                or 0 < reach < self._grid(index, other)
            ):
                return True
            if index.bounds[1] < other.bounds[0] or other.bounds[1] < index.bounds[0]:
                return True
        same = [index for index, other in zip(first, second, strict=True) if index == other]
        return are_digits([index for index in same if variable in variables_of(index)], variable)

    def _grid(self, index: Index, other: Index) -> int:
        """A number that the rest of the difference of two indices is a multiple of; 0 if none is known."""
        fixed = self._fixed(index) - self._fixed(other)
        terms = [*self._moving(index).terms, *self._moving(other).terms]
        found = gcd(*[coefficient for _, coefficient in terms])
        return found if fixed.is_constant and found and fixed.constant % found == 0 else 0

    def _moving(self, index: Index) -> Index:
        """What changes in an iteration, or between iterations in another way than the variable."""
        terms = [(atom, c) for atom, c in index.terms if atom != self._variable and not self._is_fixed(atom)]
        return Index(tuple(terms))

    def _fixed(self, index: Index) -> Index:
        """The rest of an index, which is the same in all iterations."""
        return (index - self._moving(index)).without(self._variable)

    def _is_fixed(self, atom: Atom) -> bool:
        match atom:
            case Variable():
                return atom != self._variable and atom not in self._inner
            case Quotient(inner, _) | Remainder(inner, _):
                return all(self._is_fixed(each) for each, _ in inner.terms)
            case Number(value):
                return self._is_fixed_value(value)

    def _is_fixed_value(self, value: Expression) -> bool:
        match value:
            case Reference():
                return False
            case Load():
                unchanged = value.buffer not in self._stored
                return unchanged and all(self._is_fixed(atom) for i in value.indices for atom, _ in i.terms)
            case Position():
                return all(self._is_fixed(atom) for atom, _ in value.index.terms)
        return all(map(self._is_fixed_value, value.operands))
