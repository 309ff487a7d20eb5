"""Control flow, its lifted forms, and checks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

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
