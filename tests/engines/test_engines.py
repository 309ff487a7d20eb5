"""Engines: selection, options, and engines registered by tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines import registry
from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.numpy.engine import ENGINE
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.kernels.grid.process import Grid

TWICE = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
X = np.array([1, 2], np.float32)


class Constant:
    """An executable that gives zeros."""

    plan = "zeros"

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        return [np.zeros_like(x) for x in inputs]


class Summing:
    """An executable that runs all processes of a grid, and gives each the sum of what all have."""

    plan = "sum"

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        return inputs

    def local_process_ids(self) -> Sequence[tuple[int, int]]:
        return [(0, 0), (1, 0), (2, 0)]

    def run_grid(self, grid: Grid, inputs: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        assert grid.process_ids() == [(0, 0), (1, 0), (2, 0)]
        return [[np.add.reduce([x for (x,) in inputs])]] * len(inputs)


class WholeModule:
    """An engine that takes modules."""

    name = "whole"
    takes: Literal["module"] = "module"

    def __init__(self, available: bool = True) -> None:
        self.available = available
        self.given: list[tuple[shlo.Module, str, tuple[int, int]]] = []

    def is_available(self) -> bool:
        return self.available

    def prepare(self, module: shlo.Module, entry: str, options: Options) -> Executable:
        self.given.append((module, entry, options.grid))
        return Constant()


class Counting:
    """An engine that counts steps and leaves the work to NumPy's."""

    name = "counting"
    takes: Literal["plan"] = "plan"

    def __init__(self) -> None:
        self.steps: list[str] = []

    def is_available(self) -> bool:
        return True

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        self.steps += [step.name for step in plan.steps]
        return ENGINE.prepare(plan, options)


@pytest.mark.parametrize("engine", ["auto", "numpy", ENGINE])
def test_a_program_names_its_engine(engine: Any) -> None:
    program = shlo.compile(shlo.parse(TWICE), engine=engine)
    assert program.engine == "numpy"
    assert program(X)[0].tolist() == [2, 4]
    assert shlo.run(shlo.parse(TWICE), [X], engine=engine)[0].tolist() == [2, 4]


def test_an_unknown_engine_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="unknown engine fast; the engines are auto, numpy"):
        shlo.compile(shlo.parse(TWICE), engine="fast")


def test_an_engine_that_is_not_installed_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ENGINE", WholeModule(available=False))
    rows = (*registry.ENGINES, registry.Row("whole", __name__, "extra"))
    monkeypatch.setattr(registry, "ENGINES", rows)
    with pytest.raises(ValueError, match=r"whole is not installed: run pip install 'stablehlo-py\[extra\]'"):
        shlo.compile(shlo.parse(TWICE), engine="whole")


def test_the_native_engine_needs_a_posix_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stablehlo_py.engines.native.engine._RUNS_HERE", False)
    with pytest.raises(ValueError, match=r"'stablehlo-py\[native\]' on Linux and macOS$"):
        shlo.compile(shlo.parse(TWICE), engine="native")
    assert shlo.compile(shlo.parse(TWICE)).engine == "numpy"


def test_an_engine_takes_a_module_that_nobody_lowers() -> None:
    """The module has an op without a kernel, which lowering for NumPy would refuse."""
    text = TWICE.replace("stablehlo.add %x, %x :", "stablehlo.custom_call @mystery(%x) :").replace(
        ": tensor<2xf32>\n  return", ": (tensor<2xf32>) -> tensor<2xf32>\n  return"
    )
    engine = WholeModule()
    module = shlo.parse(text)
    program = shlo.compile(module, engine=engine, replicas=2)
    assert engine.given == [(module, "main", (2, 1))]
    assert program(X)[0].tolist() == [0, 0]
    assert (program.engine, str(program.plan)) == ("whole", "zeros")


def test_an_executable_runs_all_processes_of_a_grid_by_itself() -> None:
    class OnDevices(WholeModule):
        def prepare(self, module: shlo.Module, entry: str, options: Options) -> Executable:
            return Summing()

    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    inputs = {(r, 0): [X * (r + 1)] for r in range(3)}
    expected = {(r, 0): [6, 12] for r in range(3)}
    for engine in (OnDevices(), "numpy"):
        program = shlo.compile(shlo.parse(text), engine=engine, replicas=3)
        found = program.call_grid(inputs)
        assert {place: results[0].tolist() for place, results in found.items()} == expected


def test_an_engine_takes_a_plan_and_hands_it_on() -> None:
    engine = Counting()
    program = shlo.compile(shlo.parse(TWICE), engine=engine)
    assert engine.steps == ["stablehlo.add"]
    assert (program.engine, program(X)[0].tolist()) == ("counting", [2, 4])


def test_a_plan_is_prepared_as_often_as_wanted() -> None:
    """An engine does not change the plan that it is given: chains and in-place steps are its own."""
    text = """func.func @main(%x: tensor<65536xf32>) -> tensor<65536xf32> {
      %0 = stablehlo.exponential %x : tensor<65536xf32>
      %1 = stablehlo.negate %0 : tensor<65536xf32>
      %2 = stablehlo.reverse %1, dims = [0] : tensor<65536xf32>
      return %2 : tensor<65536xf32>
    }"""
    plans: list[Plan[Step]] = []

    class Keeping(Counting):
        def prepare(self, plan: Plan[Step], options: Options) -> Executable:
            plans.append(plan)
            return super().prepare(plan, options)

    shlo.compile(shlo.parse(text), engine=Keeping())
    (plan,) = plans
    before = str(plan)
    x = np.linspace(-1, 1, 65536, dtype=np.float32)
    for _ in range(2):
        (found,) = ENGINE.prepare(plan, Options())(x)
        np.testing.assert_allclose(found, -np.exp(x.astype(np.float64))[::-1], rtol=1e-6)
    assert str(plan) == before
    assert [step.name for step in plan.steps] == [
        "stablehlo.exponential",
        "stablehlo.negate",
        "stablehlo.reverse",
    ]


@pytest.mark.parametrize("name", ["auto", "numpy"])
def test_an_engine_without_settings_refuses_each(name: str) -> None:
    with pytest.raises(ValueError, match=f"^engine {name} has no setting platform$"):
        registry.find_engine(name, platform="cpu")
