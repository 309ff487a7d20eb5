"""Affine indices: normal forms, bounds, quotients, and the indices of reshapes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.loop_ir.expressions import Choose, choose, constant
from stablehlo_py.engines.native.loop_ir.index import (
    ZERO,
    Index,
    Quotient,
    Remainder,
    Variable,
    divide,
    linear,
    of_atom,
    of_variable,
    reshape,
    substituted,
)
from stablehlo_py.ir.types import FloatType

ROW, COLUMN = Variable("i", 4), Variable("j", 6)
i, j = of_variable(ROW), of_variable(COLUMN)


def test_equal_functions_are_equal_values() -> None:
    assert i * 2 + j - i == j + i == Index(((ROW, 1), (COLUMN, 1)))
    assert i - i == ZERO
    assert hash(i + j + 1) == hash(j + 1 + i)


def test_a_variable_of_one_iteration_is_zero() -> None:
    assert of_variable(Variable("k", 1)) == ZERO


def test_bounds() -> None:
    assert (i * 2 - j + 1).bounds == (-4, 7)  # 0 - 5 + 1, 6 - 0 + 1
    assert (i * 2 - j + 1).bounds_in({COLUMN: (2, 3)}) == (-2, 5)
    assert Index((), 5).bounds == (5, 5)


def test_quotients_of_terms_are_exact() -> None:
    assert divide(i * 6 + j, 6) == (i, j)
    assert divide(i * 6 + j + 12, 6) == (i + 2, j)


def test_quotients_of_others_are_computed() -> None:
    quotient, rest = divide(i * 3 + j, 6)
    assert quotient == of_atom(Quotient(i * 3 + j, 6)) and rest == of_atom(Remainder(i * 3 + j, 6))
    assert quotient.bounds == (0, 2)  # at most 14
    assert rest.bounds == (0, 5)


def value(index: Index, places: dict[Variable, int]) -> int:
    """An index where loop variables have values."""
    total = index.constant
    for atom, factor in index.terms:
        if isinstance(atom, Variable):
            total += factor * places[atom]
            continue
        assert isinstance(atom, Quotient | Remainder)
        total += factor * divmod(value(atom.index, places), atom.by)[isinstance(atom, Remainder)]
    return total


PLACES = [{ROW: row, COLUMN: column} for row, column in product(range(4), range(6))]


@pytest.mark.parametrize("by", [1, 2, 3, 5, 6, 7, 12, 40])
@pytest.mark.parametrize(
    "index",
    [i * 6 + j, i * 5 + j, i * 6 - j + 5, i * 6 - j + 6, i * -2 + 6, i * 2 - j * 2 + 13, i * 12 + j * 2 + 7],
    ids=str,
)
def test_quotients_and_remainders_of_all_places(index: Index, by: int) -> None:
    quotient, rest = divide(index, by)
    for places in PLACES:
        assert (value(quotient, places), value(rest, places)) == divmod(value(index, places), by)
        assert quotient.bounds[0] <= value(quotient, places) <= quotient.bounds[1]
        assert rest.bounds[0] <= value(rest, places) <= rest.bounds[1]


@pytest.mark.parametrize("shape", [(5, 5), (9, 5), (5, 9), (5, 1)])
@pytest.mark.parametrize("turned", [False, True])
def test_offsets_of_quotients_and_remainders(shape: tuple[int, int], turned: bool) -> None:
    """They are put together where the offset is the index that was divided."""
    parts = divide(i * 3 + j, 5)
    indices = parts[::-1] if turned else parts
    found = linear(indices, shape)
    for places in PLACES:
        row, column = (value(each, places) for each in indices)
        assert value(found, places) == row * shape[1] + column
    assert (found == i * 3 + j) == (shape[1] == 5 and not turned)


def test_the_offset_of_an_element() -> None:
    assert linear((i, j + 1), (4, 7)) == i * 7 + j + 1


def test_reshapes_there_and_back_are_the_index() -> None:
    flat = reshape((i, j), (4, 6), (24,))
    assert flat == (i * 6 + j,)
    assert reshape(flat, (24,), (4, 6)) == (i, j)
    assert reshape(flat, (24,), (2, 2, 6)) == (
        of_atom(Quotient(i * 6 + j, 12)),
        of_atom(Quotient(of_atom(Remainder(i * 6 + j, 12)), 6)),
        of_atom(Remainder(of_atom(Remainder(i * 6 + j, 12)), 6)),
    )


def test_dimensions_that_stay_need_no_arithmetic() -> None:
    k = of_variable(Variable("k", 5))
    assert reshape((i, j, k), (4, 6, 5), (4, 30)) == (i, j * 5 + k)


def test_substitution_divides_again() -> None:
    quotient, _ = divide(i * 3 + j, 6)
    assert substituted(quotient, {ROW: ZERO}, lambda value: value) == ZERO  # j < 6


@pytest.mark.parametrize(
    ("least", "most", "holds"),
    [
        (0, 3, True),
        (-2, 9, True),
        (1, 2, None),
        (2, 2, None),
        (3, 3, None),
        (0, 2, None),
        (3, 2, False),
        (2, 1, False),
        (4, 9, False),
        (-2, -1, False),
    ],
)
@pytest.mark.parametrize("factor", [1, 3])
def test_a_choice_by_limits_that_are_known(least: int, most: int, holds: bool | None, factor: int) -> None:
    """The variable is 0 .. 3: limits that always hold are left out, as is a range without a number."""
    inside, outside = (constant(np.float32(n), FloatType("f32")) for n in (1, 2))
    conditions = ((i * factor + 1, factor * least - factor + 2), (i * -factor, -factor * most))
    found = choose(conditions, inside, outside)
    if holds is not None:
        assert found is (inside if holds else outside)
        return
    assert isinstance(found, Choose)
    wanted = [(i, least)] * (least > 0) + [(i * -1, -most)] * (most < 3)
    assert list(found.conditions) == wanted


def test_text() -> None:
    assert str(i * 2 - j + 1) == "2 * i - j + 1"
    assert str(divide(i * 3 + j, 6)[0]) == "(3 * i + j) / 6"
    assert str(ZERO) == "0"
