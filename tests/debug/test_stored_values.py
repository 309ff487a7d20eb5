"""Values of another run: arrays of files by iteration, and how far a run in another thread may be ahead."""

from __future__ import annotations

from pathlib import Path
from threading import Semaphore, Thread
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare import sources
from stablehlo_py.debug.compare.sources import ByProcess, Emit, Event, Lockstep
from stablehlo_py.debug.compare.stored import Stored, stored

ALONE = (0, 0)  # the process of a program without a grid
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
    taken = found.take(Event(second, iterations, ALONE))
    assert (taken and float(taken[0])) == expected
    assert found.take(Event(first, iterations, ALONE)) is None  # no file of %a


def test_a_scope_of_several_ops_names_the_first_of_them(tmp_path: Path) -> None:
    """And a name of a value is that value, whatever scopes there are."""
    text = TEXT.replace("tensor<f64>\n", 'tensor<f64> loc("s/t")\n', 2).replace("%b", "%t")
    module = shlo.parse(text)
    entry = module.functions["main"]
    first, second, _ = entry.regions[0].blocks[0].ops
    np.savez(tmp_path / "all.npz", **{"s/t": np.float64(1), "t": np.float64(2)})
    found = stored(tmp_path / "all.npz", module, entry)
    assert [float(found.take(Event(op, (), ALONE))[0]) for op in (first, second)] == [1, 2]  # type: ignore[index]


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
            emit(Event(op, (i,), ALONE), (np.float64(i),))
            done.append(i)
        begun.release()
        return {(0, 0): (np.float64(7),)}

    run = Lockstep(execute, {op: wanted})
    run.start()
    for _ in range(min(3, limit // 8 + 1) if wanted else 0):
        assert begun.acquire(timeout=60)
    for _ in range(takes):
        assert run.take(Event(op, (0,), ALONE)) == (0.0,)
    for _ in range(passed + 1 - (min(3, limit // 8 + 1) if wanted else 0)):
        assert begun.acquire(timeout=60)
    assert not begun.acquire(timeout=0.05)
    run.close()
    assert done == list(range(passed))
    assert (run.results is None) == (passed < 6)  # `close` ends a run that waits


def test_a_run_that_fails() -> None:
    """A defect is raised where a value is asked for; an error of the program is kept."""
    op = shlo.parse(TEXT).functions["main"].regions[0].blocks[0].ops[0]

    def failing(error: Exception) -> Lockstep:
        def execute(emit: Emit) -> ByProcess:
            emit(Event(op, (), ALONE), (np.float64(1),))
            raise error

        run = Lockstep(execute, {op: 1})
        run.start()
        return run

    run = failing(ZeroDivisionError("defect"))
    with pytest.raises(ZeroDivisionError):
        run.take(Event(op, (7,), ALONE))
    assert run.finished() is None
    run.close()
    run = failing(shlo.RunError("no"))
    assert run.take(Event(op, (7,), ALONE)) is None and run.take(Event(op, (), ALONE)) == (1.0,)
    assert run.take(Event(op, (), ALONE)) is None and str(run.error) == "no" and run.finished() is None
    run.close()


def test_results_of_one_execution_are_taken_in_the_order_of_the_run() -> None:
    """As those of an op of a function that is called twice; each is taken by two counterparts."""
    op = shlo.parse(TEXT).functions["main"].entry_block.ops[0]

    def execute(emit: Emit) -> ByProcess:
        for i in range(3):
            emit(Event(op, (), ALONE), (np.float64(i),))
        return {}

    run = Lockstep(execute, {op: 2})
    run.start()
    assert run.finished() == {}
    assert [run.take(Event(op, (), ALONE)) for _ in range(7)] == [*[(i,) for i in (0, 0, 1, 1, 2, 2)], None]
    run.close()


def test_a_run_whose_values_nobody_takes_comes_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for its values to be taken, but not once its end is waited for."""
    monkeypatch.setattr(sources, "BUFFERED", 0)
    op = shlo.parse(TEXT).functions["main"].entry_block.ops[0]

    def execute(emit: Emit) -> ByProcess:
        for i in range(3):
            emit(Event(op, (i,), ALONE), (np.float64(i),))
        return {(0, 0): (np.float64(7),)}

    run, results = Lockstep(execute, {op: 1}), list[ByProcess | None]()
    run.start()
    waiting = Thread(target=lambda: results.append(run.finished()), daemon=True)
    waiting.start()
    waiting.join(timeout=60)
    assert results == [{(0, 0): (7.0,)}]
    run.close()


# Names of files -----------------------------------------------------------------------------------------

NAMED = """func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sine %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.abs %x : tensor<2xf32> loc("layer/abs")
  %p:2 = stablehlo.optimization_barrier %0, %c : tensor<2xf32>, tensor<2xf32>
  %t = stablehlo.create_token : !stablehlo.token
  %n = stablehlo.convert %0 : (tensor<2xf32>) -> tensor<2xbf16>
  return %0 : tensor<2xf32>
}"""
ONE, TWO = np.float32([1, 1]), np.float32([2, 2])  # type: ignore[arg-type]


def taken(found: Stored, module: shlo.Module, iterations: tuple[int, ...] = ()) -> dict[str, list[float]]:
    """What is stored of each op of @main, by the name of its first result."""
    ops = [op for op in module.functions["main"].walk() if op.results]
    values = {str(op.results[0])[1:]: found.take(Event(op, iterations, ALONE)) for op in ops}
    return {name: [float(each[0]) for each in arrays] for name, arrays in values.items() if arrays}


@pytest.mark.parametrize(
    ("files", "expected", "unknown"),
    [
        # By the name of a value, with or without its function, and by location.
        ({"0.npy": ONE}, {"0": [1]}, []),
        ({"%0.npy": ONE, "n.npy": TWO}, {"0": [1], "n": [2]}, []),
        ({"main.0.npy": ONE, "f.0.npy": TWO}, {"0": [1]}, ["f.0"]),
        ({"p.npy": ONE, "p_1.npy": TWO}, {"p": [1, 2]}, []),
        ({"p.npy": ONE, "main.p#1.npy": TWO}, {"p": [1, 2]}, []),
        ({"0.npy": TWO, "p.npy": ONE}, {"0": [2]}, []),  # all results of an op, or none
        ({"0.npz": {"value": ONE}, "n.npz": {"other": TWO}}, {"0": [1], "n": [2]}, []),
        # Names that are none, in the order of names; other files are not looked at.
        ({"0.npy": ONE, "z.npy": ONE, "a.npz": {"value": ONE}, "n.txt": None}, {"0": [1]}, ["a", "z"]),
        # Probes are numbered over all results but those of constants and tokens.
        ({"probe2.npy": ONE}, {"0": [1]}, []),
        ({"probe3.npy": ONE, "probe4.npy": TWO, "probe6.npy": TWO}, {"p": [1, 2]}, ["probe6"]),
        ({"probe5.npy": TWO, "probe0.npy": ONE}, {"n": [2]}, ["probe0"]),
        ({"g.5.npy": TWO}, {"n": [2]}, []),
    ],
)
def test_names_of_stored_arrays(
    tmp_path: Path, files: dict[str, Any], expected: dict[str, list[float]], unknown: list[str]
) -> None:
    for name, content in files.items():
        if content is None:
            (tmp_path / name).write_text("notes")
        elif isinstance(content, dict):
            np.savez(tmp_path / name, **content)
        else:
            np.save(tmp_path / name, content)
    module = shlo.parse(NAMED)
    found = stored(tmp_path, module, module.functions["main"])
    assert (taken(found, module), found.unknown) == (expected, unknown)


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"0": ONE, "main.n": TWO}, {"0": [1], "n": [2]}),
        ({"layer/abs": ONE}, {"0": [1]}),
        ({"p": ONE, "p_1": TWO}, {"p": [1, 2]}),
    ],
)
def test_an_archive_has_arrays_by_name(
    tmp_path: Path, arrays: dict[str, Any], expected: dict[str, list[float]]
) -> None:
    np.savez(tmp_path / "values.npz", **arrays)
    module = shlo.parse(NAMED)
    assert taken(stored(tmp_path / "values.npz", module, module.functions["main"]), module) == expected
    np.save(tmp_path / "0.npy", TWO)
    found = stored(tmp_path / "0.npy", module, module.functions["main"])
    assert taken(found, module) == {"0": [2]} and taken(found, module, (1,)) == {}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("0,tensor<2xf32>,a.npy", {"0": [1]}),
        ("0,tensor<2xbf16>,a.npy", None),  # a value of another type
        ("probe2,tensor<2xf32>,b/a.npy", {"0": [1]}),  # the file is in the folder, whatever is stated
        ("probe5,tensor<2xf32>,a.npy", None),
        ("%0,tensor<2xf32>,a.npy", {"0": [1]}),
        ("main.5,tensor<2xbf16>,a.npy", {"n": [1]}),
    ],
)
def test_rows_of_an_index(tmp_path: Path, row: str, expected: dict[str, list[float]] | None) -> None:
    np.save(tmp_path / "a.npy", ONE)
    np.save(tmp_path / "n.npy", TWO)  # is in no row
    (tmp_path / "index.csv").write_text(f"\n{row}\n")
    module = shlo.parse(NAMED)
    if expected is None:
        with pytest.raises(shlo.RunError) as error:
            stored(tmp_path, module, module.functions["main"])
        name = row.partition(",")[0]
        message = f"{tmp_path} has no array that is named after a value of the program; it has {name}"
        assert str(error.value) == message
        return
    assert taken(stored(tmp_path, module, module.functions["main"]), module) == expected


@pytest.mark.parametrize(("type", "expected"), [("f32", "5"), ("bf16", "n")])
def test_a_row_that_is_a_name_and_a_number(tmp_path: Path, type: str, expected: str) -> None:
    """The type of the row decides: %5, or the fifth value that is probed."""
    np.save(tmp_path / "a.npy", ONE)
    (tmp_path / "index.csv").write_text(f"main.5,tensor<2x{type}>,a.npy\n")
    first, main = NAMED.split("func.func @main")
    module = shlo.parse(f"{first}func.func @main{main.replace('%0', '%5')}")
    assert taken(stored(tmp_path, module, module.functions["main"]), module) == {expected: [1]}


def test_files_of_an_index_are_taken_in_order(tmp_path: Path) -> None:
    for name, array in (("a", ONE), ("b", TWO)):
        np.save(tmp_path / f"{name}.npy", array)
    (tmp_path / "index.csv").write_text("0,tensor<2xf32>,b.npy\n0,tensor<2xf32>,a.npy\n")
    module = shlo.parse(NAMED)
    found = stored(tmp_path, module, module.functions["main"])
    assert [taken(found, module, (i,)) for i in range(3)] == [{"0": [2]}, {"0": [1]}, {}]


@pytest.mark.parametrize(("dtype", "view"), [(ml_dtypes.bfloat16, "V2"), (np.float32, "V4")])
def test_raw_bytes_have_the_type_of_the_value(tmp_path: Path, dtype: Any, view: str) -> None:
    np.save(tmp_path / "n.npy", np.array([1.5, 2], dtype).view(view))
    module = shlo.parse(NAMED)
    found = stored(tmp_path, module, module.functions["main"])
    (op,) = [op for op in module.walk() if op.name == "stablehlo.convert"]
    arrays = found.take(Event(op, (), ALONE))
    assert arrays is not None
    if view == "V2":
        assert arrays[0].dtype == dtype and arrays[0].astype(float).tolist() == [1.5, 2]
    else:
        assert arrays[0].dtype == view  # of another width


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, " has no array that is named after a value of the program; it has no arrays"),
        ({f"q{i}.npy": ONE for i in range(7)}, "; it has q0, q1, q2, q3, q4"),
        ({"index.csv": "0,a.npy\n"},
         "/index.csv: expected rows of a probe's id, type and file, found: 0,a.npy"),
        ({"index.csv": "0,tensor<2xf32>,\n"}, "found: 0,tensor<2xf32>,"),
        ({"index.csv": "x" * 99}, f"found: {'x' * 80}"),
        ({"index.csv": "0,tensor<2xf32>,a.npz\n", "a.npz": {"b": ONE, "c": ONE}},
         "/a.npz holds several arrays; expected one"),
        ({"index.csv": "0,tensor<2xf32>,a.npy\n"}, "/a.npy: No such file or directory"),
        ({"index.csv": "0,tensor<2xf32>,a.npy\n", "a.npy": "no array"}, "/a.npy: "),
    ],
)  # fmt: skip
def test_files_that_cannot_be_used(tmp_path: Path, files: dict[str, Any], message: str) -> None:
    for name, content in files.items():
        if isinstance(content, str):
            (tmp_path / name).write_text(content)
        elif isinstance(content, dict):
            np.savez(tmp_path / name, **content)
        else:
            np.save(tmp_path / name, content)
    module = shlo.parse(NAMED)
    with pytest.raises(shlo.RunError) as error:
        taken(stored(tmp_path, module, module.functions["main"]), module)
    assert message in str(error.value) and str(tmp_path) in str(error.value)
    assert str(error.value).endswith(message) or message == "/a.npy: "
