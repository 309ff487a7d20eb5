"""Limits on steps, time and depth; selection of entry points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.limits import Limits
from stablehlo_py.engines.program import Program
from stablehlo_py.kernels import slabs
from stablehlo_py.kernels.slabs import limited

COUNT = """func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %c0 = stablehlo.constant dense<0> : tensor<i64>
  %c1 = stablehlo.constant dense<1> : tensor<i64>
  %0 = stablehlo.while(%i = %c0) : tensor<i64>
   cond {
    %p = stablehlo.compare NE, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %c1 : tensor<i64>
    stablehlo.return %j : tensor<i64>
  }
  return %0 : tensor<i64>
}"""
FOREVER = """func.func @main() -> tensor<i1> {
  %0 = stablehlo.constant dense<true> : tensor<i1>
  %1 = stablehlo.while(%i = %0) : tensor<i1>
   cond {
    stablehlo.return %i : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i1>
  }
  return %1 : tensor<i1>
}"""
RECURSION = """
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %0 = func.call @down(%n) : (tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
func.func private @down(%n: tensor<i64>) -> tensor<i64> {
  %c0 = stablehlo.constant dense<0> : tensor<i64>
  %c1 = stablehlo.constant dense<1> : tensor<i64>
  %p = stablehlo.compare EQ, %n, %c0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %n : tensor<i64>
  }, {
    %m = stablehlo.subtract %n, %c1 : tensor<i64>
    %1 = func.call @down(%m) : (tensor<i64>) -> tensor<i64>
    stablehlo.return %1 : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  return %0 : tensor<i64>
}"""


def program(text: str, **options: Any) -> Program:
    return shlo.compile(shlo.parse(text, "limits.mlir"), **options)


def test_a_deadline_ends_a_kernel_between_pieces() -> None:
    text = """func.func @main(%x: tensor<2100x2100xf32>) -> tensor<2100x2100xf32> {
      %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
        : (tensor<2100x2100xf32>, tensor<2100x2100xf32>) -> tensor<2100x2100xf32>
      return %0 : tensor<2100x2100xf32>
    }"""
    x = np.ones((2100, 2100), np.float32)
    (found,) = program(text, engine="numpy", timeout=600)(x)
    assert (found == 2100).all()
    seen: list[str] = []

    def check() -> None:
        seen.append("piece")
        raise shlo.RunError("late")

    with limited(check), pytest.raises(shlo.RunError, match="late"):
        program(text, engine="numpy")(x)
    assert seen == ["piece"]


def test_steps_are_counted_for_each_run() -> None:
    limited = program(COUNT, max_steps=100)
    assert [limited(n) for n in (3, 20, 20)] == [[3], [20], [20]]
    with pytest.raises(shlo.RunError, match="takes more than 100 steps") as caught:
        limited(1000)
    assert caught.value.diagnostic is not None
    assert caught.value.diagnostic.line == 4
    assert program(COUNT)(1000) == [1000]


@pytest.mark.parametrize("limit", [{"max_steps": 10000}, {"timeout": 0.2}])
def test_a_loop_without_steps_ends_too(limit: dict[str, Any]) -> None:
    with pytest.raises(shlo.RunError, match=r"more than (10000 steps|0\.2 seconds)"):
        program(FOREVER, **limit)()
    with pytest.raises(shlo.RunError, match="more than"):
        shlo.run(shlo.parse(FOREVER), **limit)


def test_recursion_has_an_end() -> None:
    run = program(RECURSION)
    assert run(50) == [0]
    with pytest.raises(shlo.RunError, match="calls are nested too deeply") as caught:
        run(-1)
    assert caught.value.diagnostic is not None
    assert caught.value.diagnostic.line in (3, 10, 14)
    assert run(50) == [0]


CHECK = """func.func @{name}() {{
  %0 = stablehlo.constant dense<{value}> : tensor<i32>
  {check}
  return
}}
"""
EQUAL = "check.expect_eq_const %0, dense<1> : tensor<i32>"


def test_functions_that_check_themselves_all_run() -> None:
    good, bad = (CHECK.format(name=name, value=value, check=EQUAL) for name, value in (("a", 1), ("b", 2)))
    assert shlo.run(shlo.parse(good + good.replace("@a", "@c"))) == []
    with pytest.raises(shlo.RunError, match="1 of 1 elements are not equal"):
        shlo.run(shlo.parse(good + bad))


def test_modules_in_a_module_all_run() -> None:
    good, bad = (CHECK.format(name=name, value=value, check=EQUAL) for name, value in (("a", 1), ("b", 2)))
    gives = (
        "func.func @main() -> tensor<i32> {\n  %0 = stablehlo.constant dense<7> : tensor<i32>\n"
        "  return %0 : tensor<i32>\n}\n"
    )
    assert shlo.run(shlo.parse(f"module {{\n{good}}}\nmodule {{\n{gives}}}\n")) == [7]
    with pytest.raises(shlo.RunError, match="1 of 1 elements are not equal"):
        shlo.run(shlo.parse(f"module {{\n{good}}}\nmodule {{\n{bad}}}\n"))
    assert shlo.run(shlo.parse(f"module {{\n{good}}}\nmodule {{\n{gives}}}\n"), entry="a") == []


def test_functions_that_need_something_are_listed() -> None:
    text = "func.func @a(%x: tensor<i32>) {\n  return\n}\nfunc.func @b() {\n  return\n}\n"
    with pytest.raises(shlo.RunError, match="the module has @a, @b; select one"):
        shlo.run(shlo.parse(text))
    with pytest.raises(shlo.RunError, match="no function @main: the module has no functions"):
        shlo.run(shlo.parse(""))


def test_a_grid_that_is_too_large() -> None:
    """It is refused before anything of it is built; a program that is the same everywhere runs."""
    text = """module attributes {mhlo.num_replicas = 2147483647 : i32} {
      func.func @main() -> tensor<ui32> {
        %0 = OP
        return %0 : tensor<ui32>
      }
    }"""
    program = shlo.compile(shlo.parse(text.replace("OP", "stablehlo.replica_id : tensor<ui32>")))
    with pytest.raises(shlo.RunError, match="2,147,483,647 replicas by 1 partitions is too large to run"):
        program()
    with pytest.raises(shlo.RunError, match="too large"):
        program.call_grid()
    program = shlo.compile(shlo.parse(text.replace("OP", "stablehlo.constant dense<7> : tensor<ui32>")))
    assert program() == [7]


def test_many_processes_meet() -> None:
    text = """func.func @main() -> tensor<ui32> {
      %0 = stablehlo.replica_id : tensor<ui32>
      %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
      ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
        %s = stablehlo.add %a, %b : tensor<ui32>
        stablehlo.return %s : tensor<ui32>
      }) : (tensor<ui32>) -> tensor<ui32>
      return %1 : tensor<ui32>
    }"""
    found = shlo.compile(shlo.parse(text), replicas=200).call_grid()
    assert {int(values[0]) for values in found.values()} == {199 * 200 // 2}


@pytest.mark.parametrize("timeout", [float("nan"), -1.0])
def test_a_timeout_that_is_no_number_of_seconds(timeout: float) -> None:
    with pytest.raises(ValueError, match="a number of seconds is needed"):
        shlo.compile(shlo.parse(COUNT), timeout=timeout)


def test_a_seed_that_is_negative() -> None:
    with pytest.raises(ValueError, match="seed is -1"):
        shlo.run(shlo.parse(COUNT), [3], seed=-1)


@pytest.mark.parametrize(("limits", "is_looked_at"), [({"max_steps": 9}, False), ({"timeout": 60.0}, True)])
def test_kernels_look_at_the_clock_where_time_is_limited(limits: dict[str, Any], is_looked_at: bool) -> None:
    """Between their pieces, which are no steps."""
    made = Limits(**limits)
    made.start()
    seen: list[int] = []

    def call(x: int) -> int:
        monitored = getattr(slabs._RUN, "check", None)
        seen.append(monitored is not None)
        slabs.check_limits()
        return x + 1

    for wrapped in (made.wrap_step(None, None, call), made.wrap_function(None, call)):  # type: ignore[arg-type]
        assert wrapped(3) == 4
    assert (seen, made.taken) == ([is_looked_at] * 2, 2)
    assert getattr(slabs._RUN, "check", None) is None


def test_no_time_is_left_behind_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("stablehlo_py.engines.limits.monotonic", lambda: now)
    limits = Limits(timeout=2.0)
    limits.start()
    assert limits.seconds_left() == 2.0
    now = 103.0
    assert limits.seconds_left() == 0.0
