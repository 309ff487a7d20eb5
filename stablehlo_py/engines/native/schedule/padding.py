"""Padding: a copy of an array with its padding, which is read without bounds tests.

Overlapping windows read an element of an array many times, or a constant outside of the array. In a padded
copy, both are at affine indices. The copy of a dilated array has the constant between the elements, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from math import gcd, prod
from typing import NamedTuple

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Choose,
    Constant,
    Expression,
    Load,
    Space,
    Substitution,
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
    linear,
    of_variable,
    variables_of,
)
from stablehlo_py.engines.native.loop_ir.statements import Fold, Loop, Statement, Store, rewritten
from stablehlo_py.engines.native.loop_ir.uses import stored_by
from stablehlo_py.engines.native.schedule.nests import (
    loops_over,
    perfect_nest,
    variables_behind,
    variables_in,
)
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass

_MOST_MEMORY = 1 << 27  # bytes of the padded copy of an array


@dataclass(frozen=True, slots=True)
class Padded:
    """A padded array.

    Attributes:
        value: The value that is read from it.
        cores: For each dimension, the affine index that its index is a function of, without a constant; none
            where all elements have the same index.
        order: The other dimensions of the array, in the order that they have in the copy.
    """

    value: Choose | Load
    cores: tuple[Index | None, ...]
    order: tuple[int, ...]

    @property
    def _moving(self) -> list[Index]:
        return [core for core in [self.cores[d] for d in self.order] if core is not None]

    @property
    def shape(self) -> list[int]:
        """The extents of the copy: the number of values of each core."""
        return [high - low + 1 for low, high in (core.bounds for core in self._moving)]

    def read(self, buffer: Buffer) -> Expression:
        """The value, as an element of the copy."""
        return load(buffer, tuple([core - core.bounds[0] for core in self._moving]))

    def copy(self, buffer: Buffer, new: Callable[[int], Variable]) -> list[Statement]:
        """Loops that fill the copy."""
        places = [new(extent) for extent in self.shape]
        moves = [(c, of_variable(v) + c.bounds[0]) for c, v in zip(self._moving, places, strict=True)]
        inside, conditions = _parts(self.value)
        at = list(inside.indices)
        for d, move in zip(self.order, moves, strict=True):
            at[d] = _moved(at[d], *move) or at[d]
        tests = []
        for index, bound in conditions:
            moved = (_moved(index, *move) for move in moves)
            tests.append((next((each for each in moved if each is not None), index), bound))
        value: Expression = load(inside.buffer, tuple(at))
        if isinstance(self.value, Choose):
            value = choose(tuple(tests), value, self.value.outside)
        return loops_over(places, [Store(buffer, tuple(map(of_variable, places)), value)], "parallel")


def padded(
    value: Expression, reads: int, last: Variable | None = None, around: Collection[Variable] = ()
) -> Padded | None:
    """The padded array that a value is an element of.

    Args:
        value: The value.
        reads: The number of reads; a copy with few reads per element does not pay.
        last: A loop along which the elements of the copy have a small stride.
        around: The loops that make a copy in each iteration.
    """
    found = _padded(value, around)
    if found is None or (isinstance(value, Load) and (last is None or around)):
        return None
    if last is not None:
        steps = {d: core.coefficient(last) for d, core in enumerate(found.cores) if core is not None}
        moving = [d for d, step in steps.items() if step]
        if len(moving) != 1 or not 1 <= steps[moving[0]] <= cost.STRIDE:
            return None
        others = [d for d in found.order if d not in moving]
        found = Padded(found.value, found.cores, (*others, *moving))
    size, most = prod(found.shape), cost.ARRAY if around else _MOST_MEMORY
    enough = reads >= (size if isinstance(value, Choose) else 2 * size)  # a choice takes a test for each
    return found if enough and size * numpy_dtype(value.type).itemsize <= most else None


def _padded(value: Expression, around: Collection[Variable] = ()) -> Padded | None:
    if not isinstance(value, Load) and not (
        isinstance(value, Choose) and isinstance(value.outside, Constant) and isinstance(value.inside, Load)
    ):
        return None
    inside, conditions = _parts(value)
    fixed = [bool(index.terms) and variables_behind(index) <= {*around} for index in inside.indices]
    cores = [None if same else _core(index) for index, same in zip(inside.indices, fixed, strict=True)]
    order = tuple([d for d, same in enumerate(fixed) if not same])
    moving = [core for core in cores if core is not None]
    if len(moving) < len(order) or any(not variables_of(core).isdisjoint(around) for core in moving):
        return None
    tests = [index for index, _ in conditions if not variables_of(index) <= {*around}]
    return Padded(value, tuple(cores), order) if all(_is_of_one(i, moving) for i in tests) else None


def _parts(value: Choose | Load) -> tuple[Load, tuple[tuple[Index, int], ...]]:
    """The element of an array, and the conditions to be inside of it."""
    if isinstance(value, Load):
        return value, ()
    assert isinstance(value.inside, Load)
    return value.inside, value.conditions


class Copies(NamedTuple):
    """A nest that reads copies.

    Attributes:
        nest: The nest.
        statements: What fills the copies.
        buffers: The copies.
    """

    nest: Loop
    statements: list[Statement]
    buffers: list[Buffer]


def copied(nest: Loop, number: int, around: Collection[Variable], column: Variable | None) -> Copies:
    """Let the folds of a nest read copies whose elements are neighbours along a loop, without tests.

    Args:
        nest: The nest.
        number: The number of the first copy.
        around: The loops around the nest.
        column: The loop; None for the innermost one.
    """
    loops, body = perfect_nest(nest, "for", "parallel", "vectorized", "unrolled")
    column = column or next((v for v in reversed(loops) if v.extent >= cost.NARROWEST), None)
    found = Copies(nest, [], [])
    if column is None:
        return found
    stored = stored_by(body)
    space: Space = "frame" if around else "scratch"
    values = [value for each in body if isinstance(each, Fold) for value in each.combined]
    reads, numbers = dict[Expression, Expression](), count()
    for each in dict.fromkeys(inner for value in values for inner in _elements(value, column)):
        copy = padded(each, prod([v.extent for v in variables_in(each) - {*around}]), column, around)
        if copy is None:
            continue
        source = _parts(copy.value)[0].buffer
        if source in stored or (source.space == "frame" and not around):
            continue
        name = f"padded{number + len(found.buffers)}"
        buffer = Buffer(name, each.type, tuple(copy.shape), space)
        found.buffers.append(buffer)
        found.statements.extend(
            copy.copy(buffer, lambda extent: Variable(f"{column}_c{next(numbers)}", extent))
        )
        reads[each] = copy.read(buffer)
    changed = rewritten(nest, Substitution({}, reads.get)) if reads else nest
    assert isinstance(changed, Loop)
    return found._replace(nest=changed)


def _elements(value: Expression, column: Variable) -> Iterator[Expression]:
    """Yield the padded elements in a value that are not read as vectors along a loop."""
    if isinstance(value, Load | Choose):
        if _padded(value) is not None and not _is_in_vectors(value, column):
            yield value
        return
    for operand in value.operands:
        yield from _elements(operand, column)


def _is_in_vectors(value: Load | Choose, column: Variable) -> bool:
    """Test whether iterations read with a small stride, under conditions that do not depend on the loop."""
    element, conditions = _parts(value)
    offset = linear(element.indices, element.buffer.shape)
    step = offset.coefficient(column)
    others = [offset.without(column), *(index for index, _ in conditions)]
    return 0 <= step <= cost.STRIDE and not any(column in variables_of(index) for index in others)


def _is_of_one(index: Index, cores: Sequence[Index]) -> bool:
    """Test whether an index is a function of the core of one dimension."""
    return any(_moved(index, core, core) is not None for core in cores if core.terms)


def _core(index: Index) -> Index | None:
    """Return the affine index that an index is a function of, without a constant and a common factor."""
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
