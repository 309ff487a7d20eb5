"""Values of another run: arrays of files by iteration, and how far a run in another thread may be ahead."""

from __future__ import annotations

from pathlib import Path
from threading import Semaphore

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare import sources
from stablehlo_py.debug.compare.sources import ByProcess, Emit, Event, Lockstep
from stablehlo_py.debug.compare.stored import stored

TEXT = """func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %a = stablehlo.sine %x : tensor<f64>
  %b = stablehlo.cosine %a : tensor<f64>
  return %b : tensor<f64>
}"""


@pytest.mark.parametrize(
    ("arrays", "iterations", "expected"),
    [
        ({"iteration_0": 1, "iteration_1": 2}, (1,), 2),
        ({"iteration_0_1": 1, "iteration_1_0": 2}, (0, 1), 1),
        ({"iteration_0_1": 1, "iteration_1_0": 2}, (1, 0), 2),
        ({"iteration_0": 1}, (1,), None),
        ({"iteration_0": 1}, (0, 0), None),
        ({"value": 1}, (0,), None),
        ({"value": 1}, (), 1),
        ({"iteration_0": 1, "value": 2}, (), 2),
        ({"other": 1}, (), 1),  # a single array, whatever its name
        ({"iteration_0": 1, "iteration_1": 2}, (), None),
    ],
)
def test_arrays_by_iteration(
    tmp_path: Path, arrays: dict[str, float], iterations: tuple[int, ...], expected: float | None
) -> None:
    np.savez(tmp_path / "b.npz", **{name: np.float64(value) for name, value in arrays.items()})
    module = shlo.parse(TEXT)
    entry = module.functions["main"]
    first, second, _ = entry.regions[0].blocks[0].ops
    found = stored(tmp_path, module, entry)
    taken = found.take(Event(second, iterations))
    assert (taken and float(taken[0])) == expected
    assert found.take(Event(first, iterations)) is None  # no file of %a


@pytest.mark.parametrize(
    ("limit", "wanted", "takes", "passed"),
    [
        (23, 1, 0, 2),
        (24, 1, 0, 3),  # the limit itself is allowed
        (24, 1, 1, 4),  # what is taken does not count
        (24, 2, 1, 3),  # but for what is still to be taken
        (24, 2, 2, 4),
        (0, 0, 0, 6),  # what nobody takes never counts
    ],
)
def test_a_run_waits_for_its_values_to_be_taken(
    monkeypatch: pytest.MonkeyPatch, limit: int, wanted: int, takes: int, passed: int
) -> None:
    """Six executions with results of 8 bytes each."""
    monkeypatch.setattr(sources, "BUFFERED", limit)
    op = shlo.parse(TEXT).functions["main"].regions[0].blocks[0].ops[0]
    begun, done = Semaphore(0), []

    def execute(emit: Emit) -> ByProcess:
        for i in range(6):
            begun.release()
            emit(Event(op, (i,)), (np.float64(i),))
            done.append(i)
        begun.release()
        return {(0, 0): (np.float64(7),)}

    run = Lockstep(execute, {op: wanted})
    run.start()
    for _ in range(min(3, limit // 8 + 1) if wanted else 0):
        assert begun.acquire(timeout=60)
    for _ in range(takes):
        assert run.take(Event(op, (0,))) == (0.0,)
    for _ in range(passed + 1 - (min(3, limit // 8 + 1) if wanted else 0)):
        assert begun.acquire(timeout=60)
    assert not begun.acquire(timeout=0.05)
    run.close()
    assert done == list(range(passed))
    assert (run.results is None) == (passed < 6)  # `close` ends a run that waits
