"""Limits and interrupts of native loops: counts, deadlines, and real processes with signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.estimate import seconds

# Counts to %n in the outer loop, and from %i to %i + 3 in the inner one.
NESTED = """func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %0 = stablehlo.while(%i = %zero) : tensor<i64>
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %end = stablehlo.add %i, %three : tensor<i64>
      %1 = stablehlo.while(%j = %i) : tensor<i64>
        cond {
          %2 = stablehlo.compare LT, %j, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
          stablehlo.return %2 : tensor<i1>
        } do {
          %2 = stablehlo.add %j, %one : tensor<i64>
          stablehlo.return %2 : tensor<i64>
        }
      %3 = stablehlo.subtract %1, %two : tensor<i64>
      stablehlo.return %3 : tensor<i64>
    }
  return %0 : tensor<i64>
}"""
# An iteration calls two functions, of one op each in the inner loop, of one and three ops in the outer one.
INNER, OUTER = 4, 6
HUGE = np.int64(1 << 62)
RUN = """import sys
import numpy as np
import stablehlo_py as shlo
program = shlo.compile(shlo.parse(sys.stdin.read()), engine="native")
print("ready", flush=True)
program(np.int64(1 << 62))"""
# The command; nothing else ends its process if a step ends long after the limit, as on a machine under load.
COMMAND = """from stablehlo_py.cli import main, watchdog
watchdog._GRACE = 1e6
main.main()"""
TIMED = """import sys
import numpy as np
import stablehlo_py as shlo
program = shlo.compile(shlo.parse(sys.stdin.read()), engine="native", timeout=0.1)
try:
    program(np.int64(1 << 62))
except shlo.RunError as error:
    print(error.diagnostic.line, error.diagnostic.message)"""


def long_nest(shape: str, last: str) -> str:
    """A program that calls a library function some billion times, in one loop nest of elements %x."""
    steps = "\n".join(
        f"%{i + 1} = stablehlo.atan2 %{i}, %{'x' if i == 2 else i - 1} : tensor<{shape}xf32>"
        for i in range(2, 14)
    )
    return f"""func.func @main(%n: tensor<i64>) -> tensor<f32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.convert %n : (tensor<i64>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<{shape}xf32>
  %x = stablehlo.iota dim = {shape.count("x")} : tensor<{shape}xf32>
  {steps}
  {last}
  return %sum : tensor<f32>
}}"""


ROWS = long_nest(
    "40000x2000",
    """%rows = stablehlo.reduce(%14 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<40000x2000xf32>, tensor<f32>) -> tensor<40000xf32>
  %sum = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<40000xf32>, tensor<f32>) -> tensor<f32>""",
)
ONE_ROW = long_nest(
    "80000000",
    """%sum = stablehlo.reduce(%14 init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<80000000xf32>, tensor<f32>) -> tensor<f32>""",
)
UPDATES = long_nest(
    "1000000000",
    """%numbers = stablehlo.iota dim = 0 : tensor<1000000000x1xi32>
  %seven = stablehlo.constant dense<7> : tensor<1000000000x1xi32>
  %indices = stablehlo.remainder %numbers, %seven : tensor<1000000000x1xi32>
  %places = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<7xf32>
  %all = "stablehlo.scatter"(%places, %indices, %14) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<7xf32>, tensor<1000000000x1xi32>, tensor<1000000000xf32>) -> tensor<7xf32>
  %sum = stablehlo.reduce(%all init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<7xf32>, tensor<f32>) -> tensor<f32>""",
)


@pytest.mark.parametrize("trips", [0, 1, 7])
def test_steps_of_native_loops_are_counted(trips: int) -> None:
    taken = trips * (3 * INNER + OUTER)
    program = shlo.compile(shlo.parse(NESTED), engine="native", max_steps=taken + 2)  # @main, and the region
    assert program(np.int64(trips)) == [trips]
    assert program.steps_taken == taken + 2
    if trips:
        tight = shlo.compile(shlo.parse(NESTED), engine="native", max_steps=taken + 1)
        with pytest.raises(shlo.RunError, match=f"more than {taken + 1} steps") as caught:
            tight(np.int64(trips))
        assert caught.value.diagnostic is not None
        assert caught.value.diagnostic.line == 6
        assert tight(np.int64(trips - 1)) == [trips - 1]


def test_an_exceeded_limit_is_at_the_loop_whatever_is_before_it() -> None:
    """In a region of native code, which is one step."""
    before = "%m = stablehlo.negate %n : tensor<i64>\n  %k = stablehlo.negate %m : tensor<i64>\n  %0 ="
    text = NESTED.replace("%0 =", before, 1).replace("%i, %n :", "%i, %k :")
    program = shlo.compile(shlo.parse(text), engine="native", max_steps=100)
    assert [step.name for step in program.plan.steps] == ["native"]
    with pytest.raises(shlo.RunError, match="more than 100 steps") as caught:
        program(HUGE)
    assert caught.value.diagnostic is not None
    assert caught.value.diagnostic.line == 8


BRANCHES = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %p = stablehlo.compare EQ, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %1 = OP ({
        %2 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %2 : tensor<i32>
      }, {
        %2 = stablehlo.add %i, %one : tensor<i32>
        %3 = stablehlo.multiply %2, %one : tensor<i32>
        %4 = stablehlo.add %3, %zero : tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }) : (TYPE) -> tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
  return %0 : tensor<i32>
}"""


@pytest.mark.parametrize(
    ("op", "type", "own"),
    [
        ('"stablehlo.if"(%p)', "tensor<i1>", 2),
        ('"stablehlo.case"(%i)', "tensor<i32>", 1),  # does not use the comparison
    ],
)
def test_steps_of_all_branches_are_counted(op: str, type: str, own: int) -> None:
    """An iteration calls a condition of one op, a body, and branches of one and of three ops."""
    text = BRANCHES.replace("OP", op).replace("TYPE", type)
    program = shlo.compile(shlo.parse(text), engine="native", max_steps=10**6)
    for trips in (0, 1, 7):
        assert program(np.int32(trips)) == [trips]
        assert program.steps_taken == trips * (2 + 1 + own + 2 + 4) + 2  # @main, and the region


@pytest.mark.parametrize("first", [{}, {"max_steps": 10**6}])
def test_code_that_counts_steps_is_apart_from_code_that_does_not(
    first: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever is compiled first, and is still in memory."""
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))
    text = NESTED.replace("dense<3>", f"dense<{4 + len(first)}>")
    before = shlo.compile(shlo.parse(text), engine="native", **first)  # type: ignore[arg-type]
    limits = {} if first else {"max_steps": 10**6}
    after = shlo.compile(shlo.parse(text), engine="native", **limits)  # type: ignore[arg-type]
    step = 2 + len(first)
    for program, is_counted in ((before, bool(first)), (after, bool(limits))):
        assert program(np.int64(7 * step)) == [7 * step]
        assert (program.steps_taken > 7 * INNER) is is_counted


@pytest.mark.parametrize("limit", [{"max_steps": 10**6}, {"timeout": 0.1}, {"timeout": 0}])
def test_a_limit_ends_nested_loops(limit: dict[str, float]) -> None:
    program = shlo.compile(shlo.parse(NESTED), engine="native", **limit)  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(shlo.RunError, match="more than"):
            program(HUGE)
    assert shlo.run(shlo.parse(NESTED), [5], engine="native", timeout=60) == [5]
    timers = [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
    for timer in timers:
        timer.join(30)  # one that is not cancelled runs for a minute
    assert not any(timer.is_alive() for timer in timers)


@pytest.mark.parametrize(
    ("taken", "type", "index"),
    [('"stablehlo.if"(%p)', "tensor<i1>", np.True_), ('"stablehlo.case"(%p)', "tensor<i32>", np.int32(0))],
)
@pytest.mark.parametrize("limit", [{"max_steps": 10**6}, {"timeout": 0.1}])
def test_a_limit_ends_a_loop_in_a_branch(
    taken: str, type: str, index: np.generic, limit: dict[str, float]
) -> None:
    body = NESTED.partition("{\n")[2].rpartition("return")[0]
    text = f"""func.func @main(%p: {type}, %n: tensor<i64>) -> tensor<i64> {{
      %r = {taken} ({{
        {body} stablehlo.return %0 : tensor<i64>
      }}, {{
        stablehlo.return %n : tensor<i64>
      }}) : ({type}) -> tensor<i64>
      return %r : tensor<i64>
    }}"""
    program = shlo.compile(shlo.parse(text), engine="native", **limit)  # type: ignore[arg-type]
    assert program(index, np.int64(5)) == [5]
    with pytest.raises(shlo.RunError, match="more than"):
        program(index, HUGE)


@pytest.mark.parametrize("option", [("--timeout", "0.2"), ("--max-steps", "1000000")])
def test_the_command_ends_a_native_loop(tmp_path: Path, option: tuple[str, str]) -> None:
    path = tmp_path / "loop.mlir"
    path.write_text(NESTED)
    command = [sys.executable, "-c", COMMAND, "run", path, "--engine", "native", *option]
    done = subprocess.run(
        [*command, "--input", str(HUGE)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 1
    assert "loop.mlir:6:" in done.stdout + done.stderr and "more than" in done.stdout + done.stderr


@pytest.mark.parametrize("program", [ROWS, ONE_ROW, UPDATES], ids=["rows", "one row", "updates"])
def test_a_deadline_ends_a_loop_nest(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TIMED], input=program, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.endswith(" the program runs for more than 0.1 seconds\n"), done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", [NESTED, ONE_ROW], ids=["loops", "one row"])
def test_a_signal_ends_a_native_loop(sent: signal.Signals, program: str) -> None:
    command = [sys.executable, "-c", RUN]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(program)
        process.stdin.close()
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)  # until it is in the loop; what follows holds anyway
        os.kill(process.pid, sent)
        process.wait(timeout=300)
    assert process.returncode == -sent


def test_estimates_of_functions_that_call_each_other_twice() -> None:
    """Each function is estimated once, although there are 2**40 calls."""
    t = "tensor<f32>"
    functions = [
        f"func.func private @f{i}(%a: {t}) -> {t} {{ %0 = call @f{i + 1}(%a) : ({t}) -> {t} "
        f"%1 = call @f{i + 1}(%0) : ({t}) -> {t} return %1 : {t} }}"
        for i in range(40)
    ]
    last = f"func.func private @f40(%a: {t}) -> {t} {{ %0 = stablehlo.sine %a : {t} return %0 : {t} }}"
    plan = shlo.compile(shlo.parse("\n".join([*functions, last])), "f0", engine="numpy").plan
    assert seconds(plan) > 2**40 * 1e-6
