"""Parts of loops: their sizes, vectors of them, where conditions change, and indices of padded copies."""

from __future__ import annotations

from itertools import count

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder
from stablehlo_py.engines.native.engine import ENGINE
from stablehlo_py.engines.native.loop_ir.index import (
    Index,
    Quotient,
    Remainder,
    Variable,
    of_atom,
    of_variable,
)
from stablehlo_py.engines.native.schedule.nests import divisor, parts_of, vectors_of
from stablehlo_py.engines.native.schedule.padding import _core, _moved
from stablehlo_py.engines.native.schedule.split import _changes, _decision

I, J, K = Variable("i", 10), Variable("j", 4), Variable("k", 3)  # noqa: E741
i, j, k = map(of_variable, (I, J, K))


@pytest.mark.parametrize(
    ("extent", "most", "multiple", "size"),
    [
        (5, 8, 1, 5), (8, 8, 1, 8), (16, 8, 1, 8), (21, 8, 1, 7), (12, 8, 1, 6), (15, 8, 1, 5),
        (44, 8, 1, 8), (11, 8, 1, 8), (24, 9, 3, 6), (16, 9, 3, 9), (27, 9, 3, 9),
    ],
)  # fmt: skip
def test_sizes_of_parts(extent: int, most: int, multiple: int, size: int) -> None:
    """The largest divisor above half of the most, in steps of the multiple; else the most itself."""
    assert divisor(extent, most, multiple) == size


@pytest.mark.parametrize("extent", range(1, 20))
@pytest.mark.parametrize("size", [1, 4, 8])
def test_parts_are_all_iterations(extent: int, size: int) -> None:
    numbers = count()
    for divide, is_vector in ((parts_of, False), (vectors_of, True)):
        parts = divide(Variable("v", extent), size, lambda n: Variable(f"p{next(numbers)}", n))
        found = [
            [at.coefficient(part.place) * n + at.constant + lane for lane in range(part.size)]
            for part in parts
            for at in [part.first]
            for n in range(part.place.extent)
        ]
        new = [each for row, part in zip(found[-1:], parts[-1:], strict=True) for each in row[part.known :]]
        assert [*(each for row in found[:-1] for each in row), *new] == [*range(extent)]
        assert all(part.size & (part.size - 1) == 0 for part in parts) or not is_vector
        assert all(part.size <= size for part in parts) and len(parts) <= 2


@pytest.mark.parametrize("factor", [1, 2, 3, -1, -2, -3])
@pytest.mark.parametrize("bound", [-25, -9, -4, 0, 1, 5, 7, 12, 30])
@pytest.mark.parametrize("rest", [Index((), 2), j, j * -2 + 3])
def test_where_a_condition_begins_or_ceases_to_hold_for_all_others(
    factor: int, bound: int, rest: Index
) -> None:
    low, _ = rest.bounds
    holds = [factor * number + low >= bound for number in range(I.extent)]
    changes = [place for place in range(1, I.extent) if holds[place] != holds[place - 1]]
    assert [*_changes((i * factor + rest, bound), I)] == changes
    assert [*_changes((rest, bound), I)] == []
    assert [*_changes((i * factor + of_atom(Quotient(i, 2)), bound), I)] == []


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("bound", [-2, 0, 3])
@pytest.mark.parametrize("known", [-4, -3, -2, -1, 0, 1, 2, 3, 4])
def test_what_one_condition_says_of_another(sign: int, bound: int, known: int) -> None:
    """Of the numbers with `sign * i >= known`, all, none or some are at least `bound`."""
    found = {number >= bound for number in range(-9, 10) if sign * number >= known}
    expected = found.pop() if len(found) == 1 else None
    assert _decision((i, bound), [(i * sign, known)]) is expected
    assert _decision((i, bound), [(j, known)]) is None


HALF, REST = of_atom(Quotient(i + j, 2)), of_atom(Remainder(i + j, 3))


@pytest.mark.parametrize(
    ("index", "core"),
    [
        (i, i),
        (i * 2 + j * 4 + 3, i + j * 2),
        (i * 6 - j * 4, i * 3 - j * 2),
        (Index((), 5), Index()),
        (HALF, i + j),
        (REST * 5 + 1, i + j),
        (of_atom(Quotient(i * 2 + j * 2 + 1, 3)), i + j),
        (HALF + k, None),
        (HALF + REST, None),
    ],
)
def test_cores_of_indices(index: Index, core: Index | None) -> None:
    assert _core(index) == core


@pytest.mark.parametrize(
    ("index", "core", "moved"),
    [
        (i * 2 + 3, i, k * 2 + 3),
        (i * 2 + j * 4 + 3, i + j * 2, k * 2 + 3),
        (i * 2 + j * 2 + 3, i + j * 2, None),
        (i + j + k, i + j, None),
        (i * 3, i * 2, None),
        (Index((), 4), i, Index((), 4)),
        (HALF, i + j, of_atom(Quotient(k, 2))),
        (REST * 5 + 1, i + j, of_atom(Remainder(k, 3)) * 5 + 1),
        (HALF + i + j, i + j, of_atom(Quotient(k, 2)) + k),
        (HALF, i, None),
    ],
)
def test_functions_of_a_core(index: Index, core: Index, moved: Index | None) -> None:
    k3 = Variable("k", 13)  # as large as i + j
    value = of_variable(k3)
    wanted = None
    if moved is not None:
        atoms = {
            K: value,
            Quotient(k, 2): of_atom(Quotient(value, 2)),
            Remainder(k, 3): of_atom(Remainder(value, 3)),
        }
        wanted = sum((atoms[atom] * factor for atom, factor in moved.terms), Index((), moved.constant))
    assert _moved(index, core, value) == wanted


def test_stages_have_names() -> None:
    assert " ".join(ENGINE.stages) == "lower inline coalesce fuse place tile columns split join name"


def test_choices_of_values_and_numbers() -> None:
    """At least one of both is a value, which has the type; complex numbers are chosen by parts."""
    b = Builder({})
    condition, x = b.value("%c", "i1"), b.value("%x", "float")
    for on_true, on_false, text in ((x, 1.5, "float %x, float {}"), (1.5, x, "float {}, float %x")):
        found = condition.select(on_true, on_false)
        assert found.type == "float"
        assert b.lines[-1].endswith(f"select i1 %c, {text.format(b.constant(1.5, 'float').text)}")
    z, w = (b.constant(each, "{ float, float }") for each in (1 + 2j, 3 + 4j))
    before = len(b.lines)
    condition.select(z, w)
    parts = [f"select i1 %c, {z.real}, {w.real}", f"select i1 %c, {z.imag}, {w.imag}"]
    assert [line.split(" = ")[1] for line in b.lines[before:] if "select" in line] == parts
