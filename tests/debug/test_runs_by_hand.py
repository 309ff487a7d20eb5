"""Runs on two engines and in parts; the worker of fuzzed engines; rates of the machine; public functions."""

from __future__ import annotations

import gc
import io
import os
import weakref
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug import machine
from stablehlo_py.debug.compare import stepwise
from stablehlo_py.debug.compare.conditioning import Conditioning
from stablehlo_py.debug.compare.driver import Comparer
from stablehlo_py.debug.compare.matching import Matching
from stablehlo_py.debug.compare.run import Counterparts, InStep, Settings
from stablehlo_py.debug.compare.sources import Event
from stablehlo_py.debug.compare.stepwise import Stepwise
from stablehlo_py.debug.compare_arrays import Tolerance
from stablehlo_py.debug.fuzz import worker
from stablehlo_py.engines.messages import read_message, write_message
from stablehlo_py.interpreter.observer import Moment
from stablehlo_py.ir.attributes import DenseElementsAttr
from tests.helpers.programs import chain

X = np.array([0.5, -2.0], np.float32)


class Engine:
    """An engine that has another op in the place of one; `parts` are the ops of the programs that it runs."""

    takes = "module"

    def __init__(self, name: str, old: str, new: str) -> None:
        self.name, self.edit, self.parts = name, (old, new), list[list[str]]()

    def is_available(self) -> bool:
        return True

    def prepare(self, module: shlo.Module, entry: str, options: Any) -> Any:
        block = module.functions[entry].regions[0].block
        self.parts.append([op.name.removeprefix("stablehlo.") for op in block.ops[:-1]])
        program = shlo.compile(shlo.parse(shlo.format(module).replace(*self.edit)), entry)
        return _Executable(program.plan, program)


class _Executable:
    def __init__(self, plan: Any, run: Any) -> None:
        self.plan, self._run = plan, run

    def __call__(self, *inputs: Any) -> Any:
        return self._run(*inputs)


def right(name: str = "right") -> Any:
    return Engine(name, "", "")


def wrong(name: str = "wrong", old: str = "abs", new: str = "negate") -> Any:
    return Engine(name, f"stablehlo.{old}", f"stablehlo.{new}")


# Two engines --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "line", "notes"),
    [
        (wrong(), "numpy", 3, []),
        ("numpy", wrong(), 3, []),
        (right(), wrong(), 3, ["each engine was compared with numpy; right is within tolerance"]),
        (wrong(), right(), None, ["each engine was compared with numpy; wrong is out of tolerance too: "
                                  "compare it alone"]),
        (wrong("one", "sine", "cosine"), wrong("two"), 3,
         ["each engine was compared with numpy; one is out of tolerance too: compare it alone"]),
    ],
)  # fmt: skip
def test_two_engines_are_compared_with_numpy(
    first: Any, second: Any, line: int | None, notes: list[str]
) -> None:
    found = Comparer(chain("sine", "abs"), [X]).with_engines(first, second)
    assert (found.first and found.first.line) == line and found.notes == notes
    assert found.ok is (line is None)


def test_what_cannot_be_compared() -> None:
    module = chain("abs")
    with pytest.raises(ValueError, match="both engines are numpy"):
        Comparer(module, [X]).with_engines("numpy", "numpy")
    for given in ({}, {"other": module, "engine": "native"}, {"engine": "native", "against": "a"}):
        with pytest.raises(ValueError, match="give one of other, engine and against"):
            shlo.compare(module, inputs=[X], **given)  # type: ignore[arg-type]


def test_parts_end_at_their_size_and_at_loops_and_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepwise, "PART", 2)
    text = """func.func @main(%x: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
      %c = stablehlo.constant dense<2.0> : tensor<2xf32>
      %0 = stablehlo.abs %x : tensor<2xf32>
      %1 = stablehlo.add %0, %c : tensor<2xf32>
      %2 = stablehlo.sine %1 : tensor<2xf32>
      %3 = "stablehlo.if"(%p) ({
        %4 = stablehlo.negate %2 : tensor<2xf32>
        stablehlo.return %4 : tensor<2xf32>
      }, {
        stablehlo.return %c : tensor<2xf32>
      }) : (tensor<i1>) -> tensor<2xf32>
      %5 = stablehlo.tanh %3 : tensor<2xf32>
      return %5 : tensor<2xf32>
    }"""
    for taken, parts in ((True, [["negate"]]), (False, [])):
        engine = right()
        run = Stepwise(shlo.parse(text), "main", engine)
        told: list[tuple[str, Any]] = []
        results = run.run(
            {(0, 0): [X, np.bool_(taken)]},
            lambda event, values, told=told: told.append((event.op.name.partition(".")[2], values[0])),
        )
        sums = np.sin(np.abs(X) + 2)
        chosen = -sums if taken else np.float32([2, 2])  # type: ignore[arg-type]
        np.testing.assert_allclose(results[0, 0][0], np.tanh(chosen), rtol=1e-6)
        assert [name for name, _ in told] == [
            "abs", "add", "sine", *(["negate"] if taken else []), "if", "tanh",
        ]  # fmt: skip
        np.testing.assert_allclose(dict(told)["if"], chosen, rtol=1e-6)
        # A constant is in the part that takes it.
        assert engine.parts == [["constant", "abs", "add"], ["sine"], ["tanh"], *parts]


def test_values_that_nothing_uses_later_are_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a chain, the op before and the one that is emitted; and what a later region uses."""
    monkeypatch.setattr(stepwise, "PART", 1)
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.exponential %x : tensor<2xf32>
      %1 = stablehlo.exponential %0 : tensor<2xf32>
      %2 = stablehlo.logistic %1 : tensor<2xf32>
      %3 = stablehlo.tanh %2 : tensor<2xf32>
      %p = stablehlo.is_finite %3 : (tensor<2xf32>) -> tensor<2xi1>
      %i = stablehlo.constant dense<true> : tensor<i1>
      %r = "stablehlo.if"(%i) ({
        stablehlo.return %0 : tensor<2xf32>
      }, {
        stablehlo.return %x : tensor<2xf32>
      }) : (tensor<i1>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    }"""
    alive: dict[str, weakref.ref[Any]] = {}
    seen: dict[str, set[str]] = {}

    def emit(event: Event, values: tuple[Any, ...]) -> None:
        name = str(event.op.results[0])
        alive[name] = weakref.ref(values[0])
        gc.collect()
        seen[name] = {each for each, array in alive.items() if array() is not None}

    run = Stepwise(shlo.parse(text), "main", right())
    gc.freeze()  # what there was before is not looked at again
    run.run({(0, 0): [X]}, emit)
    gc.unfreeze()
    assert seen["%2"] == {"%0", "%1", "%2"} and seen["%3"] == {"%0", "%2", "%3"}
    assert seen["%r"] >= {"%0", "%r"} and not seen["%r"] & {"%1", "%2"}


# Conditions, and matched blocks -------------------------------------------------------------------------


def test_an_op_whose_region_takes_other_values_is_not_explained() -> None:
    text = """func.func @main(%x: tensor<2xf32>, %i: tensor<f32>, %k: tensor<f32>) -> tensor<f32> {
      %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {
        %s = stablehlo.add %a, %b : tensor<f32>
        %t = stablehlo.multiply %s, CAPTURED : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }
      return %r : tensor<f32>
    }"""
    for captured, explained in (("%k", False), ("%s", True)):
        module = shlo.parse(text.replace("CAPTURED", captured))
        (op,) = [op for op in module.walk() if op.name == "stablehlo.reduce"]
        operands = (X, np.float32(1))
        result = (np.float32(1),)
        assert Conditioning(module).explains(op, operands, result, result) is explained


LOOP = """func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %0:2 = stablehlo.while(%c = %x, %i = %n) : tensor<2xf32>, tensor<i32>
  cond {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %s = stablehlo.sine %c : tensor<2xf32>
    stablehlo.return %s, %j : tensor<2xf32>, tensor<i32>
  }
  return %0#0 : tensor<2xf32>
}"""


def test_arguments_of_loops_in_another_order_are_matched_by_name() -> None:
    """The counter is carried first in one program, and second in the other."""
    other = (
        LOOP.replace("while(%c = %x, %i = %n) : tensor<2xf32>, tensor<i32>",
                     "while(%i = %n, %c = %x) : tensor<i32>, tensor<2xf32>")
        .replace("return %s, %j : tensor<2xf32>, tensor<i32>", "return %j, %s : tensor<i32>, tensor<2xf32>")
        .replace("return %0#0", "return %0#1")
    )  # fmt: skip
    functions = [shlo.parse(text).functions["main"] for text in (LOOP, other)]
    found = Matching(*functions)
    loops = [next(op for op in function.walk() if op.name == "stablehlo.while") for function in functions]
    found._regions(*loops)
    pairs = {str(op.results[0]): str(theirs.results[0]) for op, theirs in found.ops.items() if op.results}
    assert pairs == {"%z": "%z", "%p": "%p", "%one": "%one", "%j": "%j", "%s": "%s"}


# The worker of fuzzed engines ---------------------------------------------------------------------------


def test_a_worker_answers_until_its_input_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results, an error as text, and what the engine prints is no answer."""
    requests, (reading, writing) = io.BytesIO(), os.pipe()
    texts = [
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }",
        "func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> { return %x : tensor<2xf32> }",
        "func.func @other(%x: tensor<2xf32>) { return }",
    ]
    for text in texts:
        write_message(requests, text, [X])
    requests.seek(0)
    errors = os.dup(2)
    stdout = SimpleNamespace(fileno=lambda: writing)
    monkeypatch.setattr(worker.sys, "stdin", SimpleNamespace(buffer=requests))
    monkeypatch.setattr(worker.sys, "stdout", stdout)
    monkeypatch.setattr(worker.sys, "stderr", SimpleNamespace(fileno=lambda: errors))
    worker.main("numpy")
    os.close(writing)
    os.close(errors)
    with os.fdopen(reading, "rb") as answers:
        error, results = read_message(answers)
        assert error == "" and [each.tolist() for each in results] == [X.tolist()]
        for text in ("tensor<3xf32>", "main"):
            error, results = read_message(answers)
            assert text in error and results == []
        with pytest.raises(EOFError):
            read_message(answers)


def test_a_worker_names_an_error_without_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: Any, **options: Any) -> Any:
        raise shlo.RunError("")

    monkeypatch.setattr(worker, "compile_program", fails)
    text = "func.func @main() { return }"
    assert worker.run("numpy", text, []) == ("RunError", [])


# The machine --------------------------------------------------------------------------------------------


def test_rates_are_of_the_shortest_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of 4 by 4 matrices: 128 operations; of 8 bytes, 16 are read and written."""
    monkeypatch.setattr(machine, "_SIZE", 4)
    monkeypatch.setattr(machine, "_BYTES", 8)
    times = iter([0, 4, 10, 12, 20, 23, 30, 35, 40, 44, 50, 58])
    monkeypatch.setattr(machine, "perf_counter", times.__next__)
    assert machine.measure_limits() == machine.Limits(128 / 2, 16 / 4)
    still = count()
    monkeypatch.setattr(machine, "perf_counter", lambda: 5.0)
    assert machine._shortest(lambda: next(still)) == 1e-9 and next(still) == 3


# Public functions ---------------------------------------------------------------------------------------


def test_fuzz_reports_what_was_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first engine of a report is the one that is compared with."""
    given: list[Any] = []

    def draw(report: Any, number: int) -> Any:
        given.append((report.engines, report.seed, report.request.ops, number))
        for _ in range(number):
            report.programs += 1
            yield None

    monkeypatch.setattr("stablehlo_py.debug.fuzz.fuzz.fuzz", draw)
    assert shlo.fuzz("native", count=3, seed=5).programs == 3
    assert shlo.fuzz("native", "auto").programs == 100
    assert given == [(("numpy", "native"), 5, 20, 3), (("auto", "native"), 0, 20, 100)]


def test_the_worst_execution_of_each_op_is_reported() -> None:
    """Of several, a wrong one before others, and of these the largest; the worst ops first."""
    module = chain("abs", "sine", "tanh", "floor")
    ops = module.functions["main"].regions[0].block.ops
    counterparts = Counterparts(None, {}, lambda op: iter(()))
    instep = InStep(
        module,
        counterparts,
        SimpleNamespace(error=None),
        Settings(Tolerance(), lambda op: False, 5),  # type: ignore[arg-type]
    )
    errors = {0: [(False, 9.0)], 1: [(True, 7.0), (True, 8.0), (True, 6.0)]}
    errors |= {2: [(True, 5.0), (False, 1.0), (True, 9.0), (False, 2.0), (False, 1.5)], 3: [(False, 3.0)]}
    for number, executions in errors.items():
        for ok, size in executions:
            found = SimpleNamespace(op=number, ok=ok, size=size)
            instep._add(Moment(module, "", ops[number], (ops[number],), (), (0, 0)), (), found)  # type: ignore[arg-type]
    comparison = instep.finish()
    assert comparison.first is not None and comparison.first.size == 9.0
    assert [(each.op, each.ok, each.size) for each in comparison.others] == [
        (3, False, 3.0), (2, False, 2.0), (1, True, 8.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tolerance", "is_default"),
    [
        (Tolerance(), True),
        (Tolerance(floor=1e-3), True),
        (Tolerance(ulp=1), False),
        (Tolerance(rtol=1e-5), False),
        (Tolerance(atol=1e-5, floor=1e-3), False),
    ],
    ids=str,
)
def test_tolerances_by_type(tolerance: Tolerance, is_default: bool) -> None:
    assert Settings(tolerance, lambda op: False, 5).has_default_tolerance is is_default


def test_a_constant_of_the_other_program_is_taken_in_the_type_of_this_one() -> None:
    """As its roundings are, where the other program is the narrower one; attributes share their memory."""
    text = """func.func @main(%x: tensor<2xTYPE>) -> tensor<2xTYPE> {
      %c = stablehlo.constant dense<[VALUE, 2.0]> : tensor<2xTYPE>
      %r = stablehlo.multiply %x, %c : tensor<2xTYPE>
      return %r : tensor<2xTYPE>
    }"""
    wide, narrow, other = (
        shlo.parse(text.replace("TYPE", type).replace("VALUE", value))
        for type, value in (("f32", "1.001"), ("bf16", "1.0"), ("bf16", "3.0"))
    )
    matching = Matching(wide.functions["main"], narrow.functions["main"])
    counterparts = Counterparts(narrow, matching.ops, lambda op: iter(()), precision=matching.precision)
    instep = InStep(wide, counterparts, SimpleNamespace(), Settings(Tolerance(), lambda op: False, 5))  # type: ignore[arg-type]
    instep.constants()
    (value,) = [op.properties["value"] for op in wide.walk() if op.name == "stablehlo.constant"]
    assert isinstance(value, DenseElementsAttr) and str(value.type) == "tensor<2xf32>"
    assert value.data.dtype == np.float32 and value.data.tolist() == [1.0, 2.0]
    assert not value.data.flags.writeable
    assert instep.comparison.first is not None and instep.comparison.first.ok
    found = shlo.compare(wide, other, [X])
    assert found.first is not None and not found.first.ok and found.first.line == 2
