"""Steps without loops in native loops: they are called, and the loop stays native."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.lower import control
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.passes.pipeline import rewritten
from stablehlo_py.engines.native.region import make_region
from stablehlo_py.engines.registry import find_engine
from tests.engines.native.loops.loop_regions import check_stages, plan_of
from tests.helpers.native import counted

NATIVE = find_engine("native", verify_loops=True)
# Eigenvalues of the symmetric part of a matrix that the eigenvectors change, summed up.
EIGENVECTORS = """%t = stablehlo.transpose %p, dims = [1, 0] : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %s = stablehlo.add %p, %t : tensor<4x4xf64>
  %f:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%s)
    {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}}
    : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<i32>)"""
STEP = f"""{EIGENVECTORS}
  %c = stablehlo.multiply %f#0, %h : tensor<4x4xf64>
  %square = stablehlo.multiply %c, %c : tensor<4x4xf64>
  %q = stablehlo.add %square, %a : tensor<4x4xf64>
  %v = stablehlo.add %w, %f#1 : tensor<4xf64>"""
SUM = {"p": ("tensor<4x4xf64>", "%a", "%q"), "w": ("tensor<4xf64>", "%z", "%v")}
EIGEN = f"""func.func @main(%n: tensor<i32>, %a: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>) {{
  %z = stablehlo.constant dense<0.0> : tensor<4xf64>
  %h = stablehlo.constant dense<0.5> : tensor<4x4xf64>
  {counted("%n", SUM, STEP)}
  return %r#1, %r#2 : tensor<4x4xf64>, tensor<4xf64>
}}"""


def steps(program: shlo.Program) -> list[str]:
    return [step.name for step in program.plan.steps]


def native(text: str, function: Any, **limits: Any) -> shlo.Program:
    """A program whose calls run a function of Python."""
    shlo.custom_call("calls_test")(function)
    module = shlo.parse(text)
    assert not shlo.verify(module)
    return shlo.compile(module, engine=NATIVE, **limits)


def test_a_loop_with_a_routine_of_lapack_is_native() -> None:
    program = shlo.compile(shlo.parse(EIGEN), engine=NATIVE)
    assert steps(program) == ["native"]
    a = np.random.default_rng(0).standard_normal((4, 4))
    p, total = a, np.zeros(4)
    for _ in range(7):
        values, vectors = np.linalg.eigh(p + p.T)
        p, total = (vectors / 2) ** 2 + a, total + values
    for found, wanted in zip(program(np.int32(7), a), (p, total), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


ONE_BRANCH = f"""func.func @main(%n: tensor<i32>, %p: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>) {{
  %r:2 = "stablehlo.case"(%n) ({{
    {EIGENVECTORS}
    %c = stablehlo.multiply %f#0, %f#0 : tensor<4x4xf64>
    %d = stablehlo.negate %f#1 : tensor<4xf64>
    stablehlo.return %c, %d : tensor<4x4xf64>, tensor<4xf64>
  }}) : (tensor<i32>) -> (tensor<4x4xf64>, tensor<4xf64>)
  return %r#0, %r#1 : tensor<4x4xf64>, tensor<4xf64>
}}"""


def test_a_call_in_the_only_branch_of_a_case_which_leaves_no_control_flow() -> None:
    program = shlo.compile(shlo.parse(ONE_BRANCH), engine=NATIVE)
    assert steps(program) == ["native"]
    a = np.random.default_rng(0).standard_normal((4, 4))
    values, vectors = np.linalg.eigh(a + a.T)
    squares, negated = program(np.int32(0), a)
    np.testing.assert_allclose(squares, vectors * vectors, atol=1e-12)
    np.testing.assert_allclose(negated, -values, atol=1e-12)


def test_loops_with_calls_are_verified_and_interpreted_after_each_stage() -> None:
    module = shlo.parse(EIGEN)
    plan = rewritten(plan_of(module))
    inputs = [np.int32(3), np.random.default_rng(1).standard_normal((4, 4))]
    results = shlo.run(module, inputs, engine="numpy")
    values = dict(enumerate(inputs)) | dict(zip(plan.outputs, results, strict=True))
    compared = check_stages(make_region(plan, plan.steps), values, "eigen")
    assert compared >= 2 * 3  # lowered, after some stages, and as code


def loop(body: str, count: str = "%n", before: str = "", behind: str = "") -> str:
    """A loop that calls a function of the carried array, three times the identity besides."""
    body = f"""%b = stablehlo.add %x, %x : tensor<3xf32>
    %c = stablehlo.multiply %b, %b : tensor<3xf32>
    {body}"""
    return f"""func.func @main(%n: tensor<i32>, %a: tensor<3xf32>) -> tensor<3xf32> {{
  {before} {counted(count, {"x": ("tensor<3xf32>", "%a", "%y")}, body)}
  {behind}
  return %r#1 : tensor<3xf32>
}}"""


CALL = "%y = stablehlo.custom_call @calls_test(%c) : (tensor<3xf32>) -> tensor<3xf32>"
EFFECT = """stablehlo.custom_call @calls_test(%c) {has_side_effect = true} : (tensor<3xf32>) -> ()
    %y = stablehlo.subtract %c, %b : tensor<3xf32>"""


def test_a_function_takes_arrays_that_stay_as_they_are() -> None:
    kept: list[Any] = []

    def function(x: Any) -> Any:
        kept.append(x)
        return (x + 1,)

    program = native(loop(CALL), function)
    assert steps(program) == ["native"]
    x = np.array([0.5, 1, -1], np.float32)
    (found,) = program(np.int32(3), x)
    wanted = []
    for _ in range(3):
        wanted.append((2 * x) ** 2)
        x = wanted[-1] + 1
    np.testing.assert_array_equal(found, x)
    np.testing.assert_array_equal(kept, wanted)


def test_effects_run_once_an_iteration() -> None:
    seen: list[float] = []
    program = native(loop(EFFECT), lambda x: seen.append(float(x[0])) or ())
    assert steps(program) == ["native"]
    (found,) = program(np.int32(3), np.ones(3, np.float32))
    assert seen == [4.0, 16.0, 576.0]  # 4x^2 of 1, 4 - 2 = 2, and 16 - 4 = 12
    assert found.tolist() == [576.0 - 24.0] * 3


def test_an_error_has_the_place_of_the_op_and_ends_the_loop() -> None:
    seen: list[int] = []

    def function(x: Any) -> Any:
        seen.append(len(seen))
        if len(seen) == 2:
            raise ValueError("no more")
        return (x,)

    text = loop(CALL)
    program = native(text, function)
    with pytest.raises(shlo.RunError, match="no more") as error:
        program(np.int32(100), np.ones(3, np.float32))
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "calls_test" in each)
    assert error.value.diagnostic is not None
    assert error.value.diagnostic.line == line
    assert seen == [0, 1]


def test_an_interrupt_in_a_function_ends_the_loop() -> None:
    def function(x: Any) -> Any:
        raise KeyboardInterrupt

    program = native(loop(CALL), function)
    with pytest.raises(KeyboardInterrupt):
        program(np.int32(1 << 30), np.ones(3, np.float32))


LONG = """%last = stablehlo.constant dense<2147483647> : tensor<i32>
    %w:2 = stablehlo.while(%k = %zero, %z = %c) : tensor<i32>, tensor<3xf32>
    cond {
      %on = stablehlo.compare LT, %k, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %on : tensor<i1>
    } do {
      %l = stablehlo.add %k, %one : tensor<i32>
      %s = stablehlo.sine %z : tensor<3xf32>
      stablehlo.return %l, %s : tensor<i32>, tensor<3xf32>
    }
    %y = stablehlo.custom_call @calls_test(%w#1) : (tensor<3xf32>) -> tensor<3xf32>"""


def test_an_interrupt_between_calls_ends_the_loop_and_runs_no_call() -> None:
    seen: list[Any] = []
    program = native(loop(LONG), lambda x: seen.append(x) or (x,))
    assert steps(program) == ["native"]
    interrupt = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        interrupt.start()
        program(np.int32(1 << 30), np.ones(3, np.float32))
    assert seen == []


@pytest.mark.parametrize("limit", [{"max_steps": 100}, {"timeout": 0.05}])
def test_limits_end_loops_that_call(limit: dict[str, float]) -> None:
    program = native(loop(CALL), lambda x: (x,), **limit)
    assert steps(program) == ["native"]
    with pytest.raises(shlo.RunError, match=r"exceeded|limit|steps|seconds"):
        program(np.int32((1 << 31) - 1), np.ones(3, np.float32))


BRANCH = """%is = stablehlo.compare EQ, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %y = "stablehlo.if"(%is) ({
      %d = stablehlo.custom_call @calls_test(%c) : (tensor<3xf32>) -> tensor<3xf32>
      stablehlo.return %d : tensor<3xf32>
    }, {
      stablehlo.return %b : tensor<3xf32>
    }) : (tensor<i1>) -> tensor<3xf32>"""


def test_a_branch_calls_only_where_it_is_taken() -> None:
    seen: list[Any] = []
    program = native(loop(BRANCH), lambda x: seen.append(x) or (-x,))
    assert steps(program) == ["native"]
    (found,) = program(np.int32(3), np.ones(3, np.float32))
    assert len(seen) == 1
    assert found.tolist() == [-32.0] * 3  # 2, then -(4 * 4), then twice this


def test_a_loop_that_does_little_but_call_stays_in_python() -> None:
    calls = "\n".join(
        f"%d{k} = stablehlo.custom_call @calls_test(%c) : (tensor<3xf32>) -> tensor<3xf32>" for k in range(9)
    )
    program = native(loop(calls + "\n" + CALL), lambda x: (x,))
    assert "native" not in steps(program)


SORT = """"stablehlo.sort"(%v{0}) ({{
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %less = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }}) {{dimension = 0 : i64}} : (tensor<9xf32>) -> tensor<9xf32>"""


@pytest.mark.parametrize(("count", "longest", "calls"), [(2, 9, 0), (2, 8, 2), (4, 9, 0), (4, 8, None)])
def test_long_sorts_are_calls(
    count: int, longest: int, calls: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop with as many other steps, of which there are two, is native."""
    monkeypatch.setattr(control, "_LONGEST_SORT", longest)
    sorts = "\n".join([f"%v{k + 1} = {SORT.format(k)}" for k in range(count)])
    head = "func.func @main(%a: tensor<9xf32>) -> tensor<9xf32> {"
    loop = counted("5", {"v0": ("tensor<9xf32>", "%a", f"%v{count}")}, sorts)
    plan = plan_of(shlo.parse(f"{head}\n{loop}\nreturn %r#1 : tensor<9xf32>\n}}"))
    assert all(is_lowered(plan, step) for step in plan.steps) == (calls is not None)
    if calls is not None:
        assert len(lower(make_region(plan, plan.steps)).called) == calls


REDUCED = """%s = "stablehlo.all_reduce"(%c) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<3xf32>) -> tensor<3xf32>"""
OF_PROCESS = "%k = stablehlo.{} : tensor<ui32>\n%f = stablehlo.convert %k : (tensor<ui32>) -> tensor<f32>"
WIDE = "%s = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<3xf32>"
IN_BRANCH = """%y = "stablehlo.case"(%i) ({{
      {}
      stablehlo.return %s : tensor<3xf32>
    }}, {{
      stablehlo.return %c : tensor<3xf32>
    }}) : (tensor<i32>) -> tensor<3xf32>"""
OTHER_LIBRARY = "%s = stablehlo.custom_call @calls_test(%c) : (tensor<3xf32>) -> tensor<3xf32>"


@pytest.mark.parametrize("where", ["%y = stablehlo.abs %s : tensor<3xf32>", IN_BRANCH])
@pytest.mark.parametrize(
    ("step", "native"),
    [
        (OTHER_LIBRARY, True),
        (REDUCED, False),
        (OF_PROCESS.format("replica_id") + "\n" + WIDE, False),
        (OF_PROCESS.format("partition_id") + "\n" + WIDE, False),
    ],
)
def test_loops_call_no_steps_of_several_processes(step: str, native: bool, where: str) -> None:
    """Neither in bodies nor in branches: what waits for other processes, or reads the number of its own."""
    body = where.format(step) if "case" in where else f"{step}\n{where}"
    plan = plan_of(shlo.parse(loop(body)))
    assert [is_lowered(plan, each) for each in plan.steps if each.name == "stablehlo.while"] == [native]


def test_loops_with_effects_keep_their_order() -> None:
    seen: list[float] = []
    effect = "stablehlo.custom_call @calls_test(%s) {has_side_effect = true} : (tensor<3xf32>) -> ()"
    before, behind = (effect.replace("%s", name) for name in ("%a", "%r#1"))
    program = native(loop(EFFECT, before=before, behind=behind), lambda x: seen.append(float(x[0])) or ())
    assert "native" in steps(program)
    program(np.int32(2), np.ones(3, np.float32))
    assert seen == [1.0, 4.0, 16.0, 12.0]


def test_loops_with_effects_run_where_nothing_needs_their_results() -> None:
    """Beside steps that the NumPy engine fuses, and drops where their results are not needed."""
    seen: list[float] = []
    behind = "\n".join(
        [f"%p{k + 1} = stablehlo.power %p{k}, %p{k} : tensor<32768xcomplex<f32>>" for k in range(2)]
    )
    text = loop(EFFECT, behind=behind).replace("%a:", "%p0: tensor<32768xcomplex<f32>>, %a:")
    text = text.replace("-> tensor<3xf32> {", "-> tensor<32768xcomplex<f32>> {")
    text = text.replace("return %r#1 : tensor<3xf32>", "return %p2 : tensor<32768xcomplex<f32>>")
    program = native(text, lambda x: seen.append(float(x[0])) or ())
    assert len(steps(program)) == 2
    (found,) = program(np.int32(2), np.ones(32768, np.complex64), np.ones(3, np.float32))
    assert (found == 1).all()
    assert seen == [4.0, 16.0]


def test_a_number_that_a_call_replaces_is_read_again() -> None:
    """The carried number is read in front of the call, and the next one behind it."""
    body = """%b = stablehlo.negate %x : tensor<f32>
    %y = stablehlo.custom_call @calls_test(%b) : (tensor<f32>) -> tensor<f32>
    %q = stablehlo.add %s, %y : tensor<f32>"""
    carried = {"x": ("tensor<f32>", "%a", "%y"), "s": ("tensor<f32>", "%a", "%q")}
    text = f"""func.func @main(%n: tensor<i32>, %a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {{
      {counted("%n", carried, body)}
      return %r#1, %r#2 : tensor<f32>, tensor<f32>
    }}"""
    program = native(text, lambda x: (x * 2 + 1,))
    assert steps(program) == ["native"]
    assert program(np.int32(3), np.float32(1)) == [-5, 1 - 1 + 3 - 5]  # -1, 3 and -5 are the numbers


def test_random_numbers_of_a_long_loop_are_those_of_the_seed() -> None:
    body = """%low = stablehlo.constant dense<0.0> : tensor<f32>
    %high = stablehlo.constant dense<1.0> : tensor<f32>
    %shape = stablehlo.constant dense<[3]> : tensor<1xi64>
    %d = stablehlo.rng %low, %high, %shape, distribution = UNIFORM
      : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
    %e = stablehlo.subtract %d, %x : tensor<3xf32>
    %y = stablehlo.abs %e : tensor<3xf32>"""
    text = loop(body, "500")
    module = shlo.parse(text)
    assert not shlo.verify(module)
    program = shlo.compile(module, engine=NATIVE)
    assert steps(program) == ["native"]
    inputs = [np.int32(0), np.ones(3, np.float32)]
    for seed in (0, 5):
        (found,) = program.call(inputs, seed=seed)
        (wanted,) = shlo.compile(module, engine="numpy").call(inputs, seed=seed)
        np.testing.assert_array_equal(found, wanted)
