"""Observers: the calls they receive, without effect on results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.interpreter.observer import Observers

LOOP = """func.func @main(%x: tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = func.call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
X = np.array([1, 2], np.float32)


class Recorder(shlo.Observer):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.starts = self.ends = 0
        self.before_names: list[str] = []
        self.rows: list[tuple[str, tuple[int, ...], list[Any]]] = []

    def start(self) -> None:
        self.starts += 1

    def end(self) -> None:
        self.ends += 1

    def before(self, moment: shlo.Moment, operands: tuple[Any, ...]) -> None:
        self.before_names.append(moment.name)

    def after(self, moment: shlo.Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        self.rows.append((moment.name, moment.iterations, [np.asarray(r).tolist() for r in results]))


def test_every_op_in_order_with_its_iteration() -> None:
    recorder = Recorder()
    found = shlo.run(shlo.parse(LOOP), [X], observer=recorder)
    assert [np.asarray(f).tolist() for f in found] == [3, [8, 16]]
    expected: list[tuple[str, tuple[int, ...], list[Any]]] = []
    for k in range(3):
        doubled = [2.0 ** (k + 1), 2.0 ** (k + 2)]
        expected += [
            ("stablehlo.compare", (k,), [True]),
            ("stablehlo.add", (k,), [k + 1]),
            ("stablehlo.add", (k,), [doubled]),
            ("call @twice", (k,), [doubled]),
        ]
    expected += [("stablehlo.compare", (3,), [False]), ("stablehlo.while", (), [3, [8.0, 16.0]])]
    assert recorder.rows == expected


def test_a_program_runs_again_with_its_observer() -> None:
    recorder = Recorder()
    program = shlo.compile(shlo.parse(LOOP), observer=recorder)
    program(X)
    first = list(recorder.rows)
    program(X)
    assert recorder.starts == 2
    assert recorder.rows == first * 2


def test_an_error_leaves_the_next_run_as_it_was() -> None:
    class Stops(Recorder):
        def after(self, moment: shlo.Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
            super().after(moment, operands, results)
            if self.starts == 1 and moment.iterations == (1,):
                raise shlo.RunError("enough")

    recorder = Stops()
    program = shlo.compile(shlo.parse(LOOP), observer=recorder)
    with pytest.raises(shlo.RunError, match="enough"):
        program(X)
    assert recorder.starts == recorder.ends == 1
    recorder.rows.clear()
    program(X)
    assert recorder.starts == recorder.ends == 2
    assert recorder.rows[0][:2] == ("stablehlo.compare", (0,))


def test_nested_loops_have_the_outer_iteration_first() -> None:
    inner = """%c:2 = stablehlo.while(%j = %zero, %d = %a) : tensor<i32>, tensor<2xf32>
     cond {
      %q = stablehlo.compare LT, %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
     } do {
      %k = stablehlo.add %j, %one : tensor<i32>
      %e = stablehlo.negate %d : tensor<2xf32>
      stablehlo.return %k, %e : tensor<i32>, tensor<2xf32>
     }
     stablehlo.return %next, %c#1"""
    text = LOOP.replace("stablehlo.return %next, %b", inner)
    recorder = Recorder()
    shlo.run(shlo.parse(text), [X], observer=recorder)
    negated = [iterations for name, iterations, _ in recorder.rows if name == "stablehlo.negate"]
    assert negated == [(0, 0), (1, 0), (2, 0)]


def test_functions_on_elements_are_part_of_their_op() -> None:
    text = """func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %c) across dimensions = [1]
       : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {
        %s = stablehlo.add %a, %b : tensor<f32>
        %t = stablehlo.abs %s : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }
      return %0 : tensor<2xf32>
    }"""
    recorder = Recorder()
    shlo.run(shlo.parse(text), [np.ones((2, 3), np.float32)], observer=recorder)
    assert recorder.rows == [("stablehlo.reduce", (), [[3.0, 3.0]])]


CHAIN = """func.func @main(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %0 = stablehlo.add %x, %x : tensor<65536xf32>
  %1 = stablehlo.exponential %0 : tensor<65536xf32>
  return %1 : tensor<65536xf32>
}"""


def test_chains_are_taken_apart_only_for_those_who_want_every_op() -> None:
    class Whole(Recorder):
        every_op = False

        def after(self, moment: shlo.Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
            self.rows.append((moment.name, (), [op.name for op in moment.ops]))

    x = np.zeros(65536, np.float32)
    every, whole = Recorder(), Whole()
    shlo.run(shlo.parse(CHAIN), [x], observer=every)
    shlo.run(shlo.parse(CHAIN), [x], observer=whole)
    assert [name for name, _, _ in every.rows] == ["stablehlo.add", "stablehlo.exponential"]
    assert whole.rows == [("chain", (), ["stablehlo.add", "stablehlo.exponential"])]


def test_operands_are_what_they_were() -> None:
    text = """func.func @main(%x: tensor<65536xf32>) -> tensor<65536xf32> {
      %0 = stablehlo.reverse %x, dims = [0] : tensor<65536xf32>
      %1 = stablehlo.negate %0 : tensor<65536xf32>
      return %1 : tensor<65536xf32>
    }"""

    class Check(shlo.Observer):
        def after(self, moment: shlo.Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
            if moment.name == "stablehlo.negate":
                assert np.array_equal(operands[0], -results[0])
                assert operands[0][0] == 65535

    shlo.run(shlo.parse(text), [np.arange(65536, dtype=np.float32)], observer=Check())


class Failing(shlo.Observer):
    """Raises an exception, or returns other results, at one op."""

    def __init__(
        self, at: str, error: Exception | None = None, results: tuple[Any, ...] | None = None
    ) -> None:
        self.at, self.error, self.results = at, error, results

    def after(self, moment: shlo.Moment, operands: Any, results: Any) -> tuple[Any, ...] | None:
        if moment.name != self.at:
            return None
        if self.error is not None:
            raise self.error
        return self.results


@pytest.mark.parametrize("at", ["stablehlo.add", "stablehlo.while"])
@pytest.mark.parametrize(
    "error", [KeyError("mine"), MemoryError("mine"), RecursionError("mine"), OSError(9, "x")]
)
def test_an_exception_of_an_observer_is_raised_as_it_is(at: str, error: Exception) -> None:
    """It is no failure of the op."""
    for replicas in (1, 2):
        program = shlo.compile(shlo.parse(LOOP), observer=Failing(at, error), replicas=replicas)
        with pytest.raises(type(error)) as caught:
            program(X)
        assert caught.value is error


def test_a_run_error_of_an_observer_has_the_place_of_the_op() -> None:
    with pytest.raises(shlo.RunError, match=r":10:13: stablehlo.add: enough"):
        shlo.run(shlo.parse(LOOP), [X], observer=Failing("stablehlo.add", shlo.RunError("enough")))


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ((X, X), "returned 2 results for stablehlo.add, not 1"),
        ((X[:1],), r"returned float32 of shape \(1,\) for stablehlo.add, not tensor<2xf32>"),
        ((X.astype(np.float64),), "returned float64 of shape"),
    ],
)
def test_results_of_an_observer_have_the_declared_types(results: tuple[Any, ...], words: str) -> None:
    text = (
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n %0 = stablehlo.add %x, %x : tensor<2xf32>\n"
    )
    module = shlo.parse(text + " return %0 : tensor<2xf32>\n}")
    with pytest.raises(ValueError, match=words):
        shlo.run(module, [X], observer=Failing("stablehlo.add", results=results))


@pytest.mark.parametrize(
    ("values", "words"),
    [((None, X), ""), ((None, X[:1]), r"float32 of shape \(1,\)"), ((X, None), "object of shape")],
)
def test_a_token_among_results_is_anything(values: tuple[Any, ...], words: str) -> None:
    types = "!stablehlo.token, tensor<2xf32>"
    module = shlo.parse(f"""func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>) -> tensor<2xf32> {{
      %0:2 = stablehlo.while(%a = %t, %b = %x) : {types}
        cond {{
          %p = stablehlo.constant dense<false> : tensor<i1>
          stablehlo.return %p : tensor<i1>
        }} do {{
          stablehlo.return %a, %b : {types}
        }}
      return %0#1 : tensor<2xf32>
    }}""")
    observer = Failing("stablehlo.while", results=values)
    if words:
        with pytest.raises(ValueError, match=words):
            shlo.run(module, [None, X], observer=observer)
    else:
        assert shlo.run(module, [None, X + 1], observer=observer)[0].tolist() == X.tolist()


@pytest.mark.parametrize("every_op", [True, False])
@pytest.mark.parametrize("method", ["before", "after"])
def test_arrays_that_an_observer_returns_are_not_overwritten(method: str, every_op: bool) -> None:
    kept = np.arange(128 * 256, dtype=np.float32).reshape(128, 256)
    observer = shlo.Observer()
    observer.every_op = every_op
    is_reverse = "stablehlo.reverse".__eq__
    setattr(observer, method, lambda moment, *arrays: (kept,) if is_reverse(moment.name) else None)
    text = """func.func @main(%x: T) -> T {
      %0 = stablehlo.abs %x : T
      %1 = stablehlo.reverse %0, dims = [0] : T
      %2 = stablehlo.negate %1 : T
      return %2 : T
    }""".replace(" T", " tensor<128x256xf32>")
    program, expected = shlo.compile(shlo.parse(text), engine="numpy", observer=observer), -kept
    for _ in range(2):
        assert np.array_equal(program(kept + 1)[0], expected)
        assert np.array_equal(kept, -expected)


def test_several_observers() -> None:
    first, second = Recorder(), Recorder()
    shlo.run(shlo.parse(LOOP), [X], observer=Observers(first, second))
    assert first.rows == second.rows
    assert first.before_names.count("stablehlo.while") == 1


def test_a_program_without_an_observer_has_no_instruments() -> None:
    from stablehlo_py.engines.numpy.function import CompiledFunction

    program = shlo.compile(shlo.parse(LOOP), engine="numpy")
    assert all(type(executable) is CompiledFunction for executable in program._executables)


@pytest.mark.parametrize("name", ["attention", "convolution", "indexing", "lstm"])
def test_the_results_are_those_of_a_run_without(programs: Path, name: str) -> None:
    module = shlo.load(programs / f"{name}.mlir")
    with np.load(programs / f"{name}.npz") as arrays:
        inputs = [arrays[f"in{i}"] for i in range(sum(key.startswith("in") for key in arrays))]
    watched = shlo.run(module, inputs, observer=Recorder())
    for a, b in zip(watched, shlo.run(module, inputs), strict=True):
        np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), rtol=1e-5, atol=1e-6)
