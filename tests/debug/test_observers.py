"""Built-in observers, on programs with known values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.machine import Limits
from stablehlo_py.debug.observers import NanCheck, Probe, Profile, Trace, TraceRow
from stablehlo_py.debug.observers import profile as profiles

# 10 -> 9 -> 3 -> ...: each iteration takes 1 away and then squares the square root
ROOTS = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %step = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.subtract %a, %step : tensor<3xf32>
    %c = stablehlo.sqrt %b : tensor<3xf32> loc("jit(f)/roots/sqrt"("/home/me/model.py":40:7))
    %d = stablehlo.multiply %c, %c : tensor<3xf32>
    stablehlo.return %next, %d : tensor<i32>, tensor<3xf32>
  }
  return %0#1 : tensor<3xf32>
}"""


def found_nan(text: str, *inputs: Any) -> tuple[NanCheck, shlo.RunError]:
    check = NanCheck()
    with pytest.raises(shlo.RunError) as error:
        shlo.run(shlo.parse(text, "roots.mlir"), inputs, observer=check)
    return check, error.value


def test_a_nan_in_the_fourth_iteration() -> None:
    check, error = found_nan(ROOTS, np.array([10, 3.5, 20], np.float32))
    made = check.found
    assert made is not None
    assert (made.op, made.value, made.index, made.count) == ("stablehlo.sqrt", "%c", (1,), 1)
    assert made.iterations == (3,)
    assert (made.line, made.origin) == (13, "/home/me/model.py:40:7")
    assert list(made.operands) == ["%b"] and made.operands["%b"] == pytest.approx(-0.5, abs=1e-5)
    assert error.diagnostic is not None
    assert (error.diagnostic.code, error.diagnostic.line, error.diagnostic.column) == ("nan", 13, 10)
    notes = "\n".join(error.diagnostic.notes)
    assert "iteration 3" in notes and "model.py:40:7" in notes


def test_no_nan() -> None:
    check = NanCheck()
    shlo.run(shlo.parse(ROOTS), [np.array([10, 13.5, 20], np.float32)], observer=check)
    assert check.found is None
    assert check.checked == 6 + 5 * 4  # conditions, and bodies of four ops


def op(text: str, result: str = "tensor<2xf32>", types: str = "%x: tensor<2xf32>, %y: tensor<2xf32>") -> str:
    return f"func.func @main({types}) -> {result} {{\n  %r = {text}\n  return %r : {result}\n}}"


INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("x", "y", "index"),
    [
        ([1, 1], [1, 0], 1),  # an infinity from finite operands
        ([INF, 0], [1, 0], 1),  # the first is passed on, the second a new NaN
        ([INF, 1], [INF, 1], 0),  # a NaN from infinities
    ],
)
def test_elements_of_elementwise_ops_are_looked_at_one_by_one(x: Any, y: Any, index: int) -> None:
    check, _ = found_nan(op("stablehlo.divide %x, %y : tensor<2xf32>"), np.float32(x), np.float32(y))
    assert check.found is not None and check.found.index == (index,)
    assert list(check.found.operands.items()) == [("%x", x[index]), ("%y", y[index])]


@pytest.mark.parametrize(("x", "y"), [([NAN, 1], [1, 1]), ([INF, 1], [1, 1])])
def test_what_is_passed_on_is_not_made(x: Any, y: Any) -> None:
    text = op("stablehlo.divide %x, %y : tensor<2xf32>")
    shlo.run(shlo.parse(text), [np.float32(x), np.float32(y)], observer=NanCheck())


def total(type: str) -> str:
    """A program that adds two numbers up by a reduction."""
    return f"""func.func @main(%x: tensor<2x{type}>) -> tensor<{type}> {{
      %z = stablehlo.constant dense<0.0> : tensor<{type}>
      %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
        : (tensor<2x{type}>, tensor<{type}>) -> tensor<{type}>
      return %r : tensor<{type}>
    }}"""


def test_a_reduction_that_overflows_tells_its_operand() -> None:
    check, error = found_nan(total("bf16"), np.array([3e38, 3e38], ml_dtypes.bfloat16))
    assert check.found is not None and check.found.element == np.inf
    assert check.found.operands["%x"].startswith("from 3") and "infinity" in str(error)


@pytest.mark.parametrize("x", [[INF, 1], [INF, INF], [NAN, 1], [NAN, INF]])
def test_one_element_explains_what_a_reduction_passes_on(x: list[float]) -> None:
    check = NanCheck()
    shlo.run(shlo.parse(total("f32")), [np.float32(x)], observer=check)
    assert check.found is None


def test_a_nan_explains_an_infinity_beside_it() -> None:
    """The first row is NaN, and the second one overflows: an infinity is made of finite operands alone."""
    text = """func.func @main(%x: tensor<2x2xf32>) -> tensor<2xf32> {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1]
        : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    }"""
    check = NanCheck()
    shlo.run(shlo.parse(text), [np.float32([[NAN, 1], [3e38, 3e38]])], observer=check)
    assert (check.found, check.checked) == (None, 1)


def test_operands_of_another_shape_are_told_as_a_whole() -> None:
    text = """func.func @main(%x: tensor<3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = chlo.broadcast_divide %x, %y : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }"""
    check, _ = found_nan(text, np.float32([1, 2, 3]), np.float32([[1, 2, 3], [1, 0, 3]]))
    assert check.found is not None and check.found.index == (1, 1)
    assert check.found.operands == {"%x": "from 1.0 to 3.0", "%y": "from 0.0 to 3.0"}


def test_a_reduction_makes_a_nan_of_infinities() -> None:
    check, _ = found_nan(total("f32"), np.float32([INF, -INF]))
    assert check.found is not None and np.isnan(check.found.element)


def test_constants_that_are_infinite_are_not_made() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<f32> {
      %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %r = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0]
        : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      return %r : tensor<f32>
    }"""
    (found,) = shlo.run(shlo.parse(text), [np.float32([1, 2])], observer=NanCheck())
    assert found == 2


def test_trace() -> None:
    rows: list[TraceRow] = []
    text = op("stablehlo.divide %x, %y : tensor<2xf32>")
    shlo.run(shlo.parse(text), [np.float32([6, 0]), np.float32([2, 0])], observer=Trace(rows.append))
    (row,) = rows
    assert (row.value, row.op, row.type, row.line) == ("%r", "stablehlo.divide", "tensor<2xf32>", 2)
    assert (row.min, row.mean, row.max, row.nans, row.infinities) == (3.0, 3.0, 3.0, 1, 0)


def test_trace_in_loops() -> None:
    rows: list[TraceRow] = []
    shlo.run(shlo.parse(ROOTS), [np.float32([10, 11, 12])], observer=Trace(rows.append))
    lows = {row.iterations: row.min for row in rows if row.value == "%b"}
    assert lows == {(k,): pytest.approx(9 - k, rel=1e-5) for k in range(5)}


@pytest.mark.parametrize(
    ("pattern", "file"),
    [
        ("%b", "main.b"),
        ("b", "main.b"),
        ("sqrt", "main.c"),
        ("stablehlo.sq*", "main.c"),
        ("*/roots/*", "main.c"),
        ("model.py:40", "main.c"),
        ("/home/me/model.py:*", "main.c"),
    ],
)
def test_probes(tmp_path: Path, pattern: str, file: str) -> None:
    probe = Probe(tmp_path / "probes", [pattern])
    shlo.run(shlo.parse(ROOTS), [np.float32([10, 11, 12])], observer=probe)
    (probed,) = probe.found
    assert probed.file == str(tmp_path / "probes" / f"{file}.npz") and probed.arrays == 5
    with np.load(probed.file) as arrays:
        assert arrays.files == [f"iteration_{k}" for k in range(5)]
        expected = np.array([8, 9, 10]) if file == "main.b" else np.sqrt([8, 9, 10])
        np.testing.assert_allclose(arrays["iteration_1"], expected, rtol=1e-5)


def test_values_of_one_name_and_of_narrow_types_have_files_of_their_own(tmp_path: Path) -> None:
    text = """func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
      %0 = func.call @f(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
      %1 = func.call @f(%0) : (tensor<2xbf16>) -> tensor<2xbf16>
      return %1 : tensor<2xbf16>
    }
    func.func private @f(%x: tensor<2xbf16>) -> tensor<2xbf16> {
      %0 = stablehlo.add %x, %x : tensor<2xbf16>
      return %0 : tensor<2xbf16>
    }"""
    probe = Probe(tmp_path, ["%0"])
    shlo.run(shlo.parse(text), [np.array([1, 2], ml_dtypes.bfloat16)], observer=probe)
    assert {Path(p.file).name: p.arrays for p in probe.found} == {"f.0.npz": 2, "main.0.npz": 1}
    with np.load(tmp_path / "f.0.npz") as arrays:
        assert arrays.files == ["value", "value.1"]
        assert arrays["value.1"].view(ml_dtypes.bfloat16).astype(float).tolist() == [4, 8]


def test_a_second_run_replaces_the_files_of_the_first(tmp_path: Path) -> None:
    probe, module = Probe(tmp_path, ["%r"]), shlo.parse(op("stablehlo.add %x, %y : tensor<2xf32>"))
    for y in (1, 2):
        shlo.run(module, [np.float32([1, 2]), np.float32([y, y])], observer=probe)
        (probed,) = probe.found
        with np.load(probed.file) as arrays:
            assert arrays.files == ["value"] and arrays["value"].tolist() == [1 + y, 2 + y]
        assert probed.arrays == 1


def test_probe_ops_write_under_their_own_names(tmp_path: Path) -> None:
    text = op('interpreter.probe %x, probe_id = "my/value" : tensor<2xf32>')
    probe = Probe(tmp_path)
    shlo.run(shlo.parse(text), [np.float32([1, 2]), np.float32([1, 2])], observer=probe)
    (probed,) = probe.found
    with np.load(tmp_path / "my_value.npz") as arrays:
        assert arrays["value"].tolist() == [1, 2]
    assert probed.file == str(tmp_path / "my_value.npz")


def test_profile() -> None:
    profile = Profile(events=True)
    program = shlo.compile(shlo.parse(ROOTS), observer=profile)
    for _ in range(2):
        program(np.float32([10, 11, 12]))
    rows = {row.name: row for row in profile.rows()}
    assert profile.runs == 2
    assert {name: row.calls for name, row in rows.items() if name != "copy"} == {
        "compare": 12,
        "add": 10,
        "subtract": 10,
        "sqrt": 10,
        "multiply": 10,
        "while": 2,
    }
    assert (rows["subtract"].flops, rows["sqrt"].flops, rows["while"].flops) == (30, 30, 0)
    assert rows["subtract"].bytes == 10 * 3 * 12
    assert (rows["sqrt"].line, rows["sqrt"].origin) == (13, "/home/me/model.py:40:7")
    assert all(row.seconds > 0 for row in rows.values())
    events = profile.chrome_trace()["traceEvents"]
    assert json.loads(json.dumps(events)) == events
    loop = next(event for event in events if event["name"] == "while")
    inner = [event for event in events if event["name"] == "sqrt"][:5]
    assert [event["args"]["iterations"] for event in inner] == [[k] for k in range(5)]
    for event in inner:
        assert loop["ts"] <= event["ts"] and event["ts"] + event["dur"] <= loop["ts"] + loop["dur"]


def test_rates_of_loops() -> None:
    """6e9 operations on 2e9 bytes in 2 seconds; a product has 4 and a copy 0.5 billions in each second."""
    row, limits = profiles.LoopRow("a", (1,), 1, 2.0, 2.0, 0.0, 6 * 10**9, 2 * 10**9), Limits(4e9, 0.5e9)
    assert (row.gflops, row.gbytes, row.of_numpy(limits)) == (3.0, 1.0, 2.0)
    idle = profiles.LoopRow("a", (1,), 1, 0.0, 0.0, 0.0, 6, 2)
    assert (idle.gflops, idle.gbytes) == (0.0, 0.0)


def test_the_time_of_a_loop_is_without_that_of_its_ops(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on in the op of the body only."""
    text = """func.func @main(%i: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.while(%a = %i) : tensor<i32>
      cond {
        %p = stablehlo.compare GT, %a, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %b = stablehlo.custom_call @test.sleeps(%a) : (tensor<i32>) -> tensor<i32>
        stablehlo.return %b : tensor<i32>
      }
      return %0 : tensor<i32>
    }"""

    now = [0.0]
    monkeypatch.setattr(profiles, "perf_counter", lambda: now[0])

    @shlo.custom_call("test.sleeps")
    def sleeps(x: Any) -> Any:
        now[0] += 2.0
        return x - 1

    profile = Profile()
    shlo.run(shlo.parse(text), [np.int32(3)], observer=profile)
    rows = {row.name: row for row in profile.rows()}
    assert (rows["custom_call"].seconds, rows["while"].seconds) == (6.0, 0.0)


def test_the_first_run_is_apart_from_the_median_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %0 = stablehlo.custom_call @test.waits(%x) : (tensor<i32>) -> tensor<i32>
      return %0 : tensor<i32>
    }"""
    now = [0.0]
    monkeypatch.setattr(profiles, "perf_counter", lambda: now[0])

    @shlo.custom_call("test.waits")
    def waits(x: Any) -> Any:
        now[0] += float(x)
        return x

    profile = Profile(spans=True)
    program = shlo.compile(shlo.parse(text), observer=profile)
    for seconds in (10, 1, 7, 3):
        program(np.int32(seconds))
    row, kind = (
        {each.name: each for each in found}["custom_call"] for found in (profile.rows(), profile.kinds())
    )
    assert (row.seconds, row.first, row.warm, row.calls) == (21.0, 10.0, 3.0, 4)
    assert (kind.first, kind.warm) == (10.0, 3.0)
    assert ("custom_call", 0.0, 3.0) in [(kind, begin, took) for kind, _, begin, took in profile.spans()]


def test_chains_are_profiled_as_they_run() -> None:
    lines = ["%0 = stablehlo.add %x, %x : tensor<65536xf32>", "%1 = stablehlo.tanh %0 : tensor<65536xf32>"]
    text = "func.func @main(%x: tensor<65536xf32>) -> tensor<65536xf32> {\n" + "\n".join(lines)
    profile = Profile()
    shlo.run(
        shlo.parse(text + "\nreturn %1 : tensor<65536xf32> }"), [np.ones(65536, np.float32)], observer=profile
    )
    (row,) = profile.rows()
    assert (row.name, row.flops, row.bytes) == ("add tanh", 2 * 65536, 2 * 65536 * 4)
    assert [kind.name for kind in profile.kinds()] == ["elementwise chain"]
