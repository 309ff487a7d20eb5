"""Padding: a copy of an array with what surrounds it, so that reading it takes no tests.

Windows that overlap read an element of an array many times, or a constant outside of the array. They read a
copy with the constant around the elements at an affine place. The copy of a dilated array has the constant
between the elements, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, prod

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Choose,
    Constant,
    Expression,
    Load,
    choose,
    load,
)
from stablehlo_py.engines.native.loop_ir.index import (
    Atom,
    Index,
    Quotient,
    Remainder,
    Variable,
    divide,
    of_variable,
)
from stablehlo_py.engines.native.loop_ir.statements import Statement, Store
from stablehlo_py.engines.native.schedule.nests import loops_over
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass


@dataclass(frozen=True, slots=True)
class Padded:
    """A padded array.

    Attributes:
        choice: The value that is read from it.
        cores: For each dimension, the affine index that tells its elements apart, without a constant.
    """

    choice: Choose
    cores: tuple[Index, ...]

    @property
    def shape(self) -> list[int]:
        """The extents: one for each value that the index of a dimension takes."""
        return [high - low + 1 for low, high in (core.bounds for core in self.cores)]

    def read(self, buffer: Buffer) -> Expression:
        """The value, as an element of the copy."""
        return load(buffer, tuple([core - core.bounds[0] for core in self.cores]))

    def copy(self, buffer: Buffer, new: Callable[[int], Variable]) -> list[Statement]:
        """Loops that fill the copy."""
        places = [new(extent) for extent in self.shape]
        values = [of_variable(v) + core.bounds[0] for v, core in zip(places, self.cores, strict=True)]
        inside = self.choice.inside
        assert isinstance(inside, Load)
        at = [_moved(i, core, v) for i, core, v in zip(inside.indices, self.cores, values, strict=True)]
        conditions = []
        for index, bound in self.choice.conditions:
            moved = (_moved(index, core, v) for core, v in zip(self.cores, values, strict=True))
            conditions.append((next(each for each in moved if each is not None), bound))
        element = load(inside.buffer, tuple([index for index in at if index is not None]))
        value = choose(tuple(conditions), element, self.choice.outside)
        return loops_over(places, [Store(buffer, tuple(map(of_variable, places)), value)], "parallel")


def padded(value: Expression, reads: int) -> Padded | None:
    """The padded array that a value is an element of.

    Args:
        value: The value.
        reads: How often it is read: less than twice for each element of the copy does not pay.
    """
    if not isinstance(value, Choose) or not isinstance(value.outside, Constant):
        return None
    if not isinstance(value.inside, Load):
        return None
    cores = [_core(index) for index in value.inside.indices]
    found = Padded(value, tuple([core for core in cores if core is not None]))
    if len(found.cores) < len(cores) or not all(_is_of_one(i, found.cores) for i, _ in value.conditions):
        return None
    size = prod(found.shape)
    return found if size * numpy_dtype(value.type).itemsize <= cost.PADDED and 2 * size <= reads else None


def _is_of_one(index: Index, cores: Sequence[Index]) -> bool:
    """Test whether an index depends on that of one dimension alone."""
    return any(_moved(index, core, core) is not None for core in cores if core.terms)


def _core(index: Index) -> Index | None:
    """What an index is a function of: the affine index in it, without a constant and a common factor."""
    match index.terms:
        case ((Quotient(inner), _),) | ((Remainder(inner), _),):
            return _core(inner)
    if not all(isinstance(atom, Variable) for atom, _ in index.terms):
        return None
    factor = gcd(*[coefficient for _, coefficient in index.terms]) or 1
    return Index(tuple([(atom, coefficient // factor) for atom, coefficient in index.terms]))


def _moved(index: Index, core: Index, value: Index) -> Index | None:
    """An index that is a function of a core, with a value in place of the core."""
    variables: list[tuple[Atom, int]] = []
    result = Index((), index.constant)
    for atom, coefficient in index.terms:
        if isinstance(atom, Variable):
            variables.append((atom, coefficient))
            continue
        inner = _moved(atom.index, core, value) if isinstance(atom, Quotient | Remainder) else None
        if inner is None:
            return None
        assert isinstance(atom, Quotient | Remainder)
        result += divide(inner, atom.by)[isinstance(atom, Remainder)] * coefficient
    if not variables:
        return result
    factor = variables[0][1] // core.terms[0][1] if core.terms else 0
    return result + value * factor if core * factor == Index(tuple(variables)) else None
