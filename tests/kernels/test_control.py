"""Control flow, its lifted forms, and checks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from lifted import Lifted

import stablehlo_py as shlo
from stablehlo_py.ir.types import F32, I32, TensorType, TupleType
from stablehlo_py.kernels import control


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Floating-point warnings off, as in a run."""
    with np.errstate(all="ignore"):
        yield


class Body:
    """A plain function as a body."""

    ufunc = None
    input_types = output_types = ()

    def __init__(self, function):  # type: ignore[no-untyped-def]
        self.function = function

    def __call__(self, *arrays):  # type: ignore[no-untyped-def]
        return self.function(*arrays)


def test_case_takes_the_last_branch_out_of_bounds() -> None:
    branches = tuple(Body(lambda k=k: (np.array(k),)) for k in range(3))
    assert [int(control.case(np.array(i), branches=branches)[0]) for i in (0, 1, 2, 3, -1)] == [0, 1, 2, 2, 2]
    lifted = control.lifted_case(np.array([0, 1, 2, 3, -1]), branches=branches)
    assert lifted[0].tolist() == [0, 1, 2, 2, 2]


def test_lifted_while_stops_for_each_element() -> None:
    """Collatz steps to 1, of several numbers at once."""
    cond = Body(lambda x, n: (x != 1,))
    body = Body(lambda x, n: (np.where(x % 2 == 0, x // 2, 3 * x + 1), n + 1))
    found = control.lifted_while((np.array([1, 2, 7, 6]), np.zeros(4, int)), cond=cond, body=body)
    assert found[1].tolist() == [0, 1, 16, 8]


def test_branches_for_each_element() -> None:
    pred = np.array([True, False, True])
    branches = {
        "true_branch": Lifted(lambda: (np.array([1, 2, 3]), np.array(7))),
        "false_branch": Lifted(lambda: (np.array([-1, -2, -3]), np.array(8))),
    }
    first, second = control.lifted_if(pred, **branches)
    assert (first.tolist(), second.tolist()) == ([1, -2, 3], [7, 8, 7])
    chosen, _ = control.if_(np.array(False), **branches)
    assert chosen.tolist() == [-1, -2, -3]
    numbers = tuple(Lifted(lambda n=n: np.array(n)) for n in (10, 20, 30))
    (found,) = control.lifted_case(np.array([0, 1, 2, 3, -1]), branches=numbers)
    assert found.tolist() == [10, 20, 30, 30, 30]
    assert [int(control.case(np.array(i), branches=numbers)[0]) for i in (0, 2, 3, -1)] == [10, 30, 30, 30]


def test_loops_for_each_element() -> None:
    """Doubled while less than 10: each element as often as it needs, and all of a scalar's in the other."""
    loop = {"cond": Lifted(lambda x: x < 10), "body": Lifted(lambda x: x * 2)}
    assert control.lifted_while((np.array([1, 3, 20]),), **loop)[0].tolist() == [16, 12, 20]
    assert int(control.while_((np.array(3),), **loop)[0]) == 12


def test_what_a_target_is_given_and_gives() -> None:
    pair = control._read_only((np.zeros(2), (np.zeros(1), None)))
    assert not pair[0].flags.writeable and not pair[1][0].flags.writeable and pair[1][1] is None
    types = (TensorType((2,), F32), TupleType((TensorType((), I32),)))
    given = (np.zeros(2, np.float32), (np.int32(3),))
    assert control._fitting(given, types, "@t")[1] == (3,)
    with pytest.raises(shlo.RunError, match=r"^@t returned 1 value, but the op has 2 results$"):
        control._fitting(given[0], types, "@t")
    with pytest.raises(
        shlo.RunError, match=r"^@t, result 0 is an array of float32\[3\], expected tensor<2xf32>$"
    ):
        control._fitting(np.zeros(3, np.float32), types[:1], "@t")
