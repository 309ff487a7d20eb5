"""Observers, given executions that are made by hand: what they tell of loops, processes, runs and memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.machine import Limits
from stablehlo_py.debug.observers import NanCheck, Probe, Profile, Trace, TraceRow
from stablehlo_py.debug.observers import profile as profiles
from stablehlo_py.interpreter.observer import LoopTime, Moment
from stablehlo_py.ir.core import Module, Operation

INF, NAN = np.inf, np.nan


def binary(op: str, type: str = "tensor<3xf32>") -> str:
    return f"""func.func @main(%x: {type}, %y: {type}) -> {type} {{
      %r = stablehlo.{op} %x, %y : {type}
      return %r : {type}
    }}"""


def unary(op: str, given: str, result: str = "") -> str:
    types = f"({given}) -> {result}" if result else given
    return f"""func.func @main(%x: {given}) -> {result or given} {{
      %r = stablehlo.{op} %x : {types}
      return %r : {result or given}
    }}"""


TOTAL = """func.func @main(%x: tensor<2x2xf32>, %i: tensor<f32>) -> tensor<2xf32> {
  %r = stablehlo.reduce(%x init: %i) applies stablehlo.multiply across dimensions = [1]
    : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}"""


@pytest.mark.parametrize(
    ("text", "inputs", "said", "notes"),
    [
        (unary("log", "tensor<f32>"), [np.float32(-1)],
         "stablehlo.log produces a NaN: %r is nan", ["%x is -1.0"]),
        (unary("log", "tensor<f32>"), [np.float32(0)],
         "stablehlo.log produces an infinity: %r is -inf", ["%x is 0.0"]),
        (unary("exponential", "tensor<2xf32>"), [np.float32([1, 1000])],
         "stablehlo.exponential produces an infinity: %r is inf at [1]", ["%x is 1000.0"]),
        (binary("divide"), [np.float32([1, -2, 1]), np.float32([0, 0, 2])],
         "stablehlo.divide produces an infinity: %r is inf at [0] (and 1 more of 3 elements)",
         ["%x is 1.0", "%y is 0.0"]),
        (binary("divide"), [np.float32([1, 0, 1]), np.float32([1, 0, 0])],
         "stablehlo.divide produces a NaN: %r is nan at [1] (and 1 more of 3 elements)",
         ["%x is 0.0", "%y is 0.0"]),
        (binary("power", "tensor<2x2xf32>"), [np.float32([[1, 2], [3, 4]]), np.float32([[1, 2], [200, 4]])],
         "stablehlo.power produces an infinity: %r is inf at [1, 0]", ["%x is 3.0", "%y is 200.0"]),
        (unary("convert", "tensor<2xf64>", "tensor<2xf16>"), [np.array([1e5, 1.0])],
         "stablehlo.convert produces an infinity: %r is inf at [0]", ["%x is 100000.0"]),
        (unary("log", "tensor<2xcomplex<f32>>"), [np.complex64([1, 0])],
         "stablehlo.log produces an infinity: %r is (-inf+0j) at [1]", ["%x is 0j"]),
        # Operands that do not correspond: their range, or their only element.
        (TOTAL, [np.float32([[1, 2], [2.0**127, -4]]), np.float32(2)],
         "stablehlo.reduce produces an infinity: %r is -inf at [1]",
         [f"%x is from -4.0 to {2.0**127}", "%i is 2.0"]),
    ],
)  # fmt: skip
def test_what_is_said_of_a_nan(text: str, inputs: list[Any], said: str, notes: list[str]) -> None:
    check = NanCheck()
    with pytest.raises(shlo.RunError) as error:
        shlo.run(shlo.parse(text), inputs, observer=check)
    assert str(error.value).partition("\n")[0] == said
    assert error.value.diagnostic is not None
    assert list(error.value.diagnostic.notes) == notes
    assert error.value.diagnostic.message == said and error.value.diagnostic.severity == "error"
    assert check.checked == 0
    shlo.run(shlo.parse(text), [np.ones_like(each) for each in inputs], observer=check)
    assert (check.found, check.checked) == (None, 1)


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        # One scalar bound explains what all elements are.
        ("%r = stablehlo.clamp %x, %y, %x : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
         [np.float32(NAN), np.float32([1, 2])]),
        ("%r = stablehlo.clamp %x, %y, %x : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
         [np.float32(INF), np.float32([1, 2])]),
        # Bits are not computed.
        ("%r = stablehlo.bitcast_convert %y : (tensor<2xi32>) -> tensor<2xf32>",
         [np.float32(1), np.array([0x7FC00000, 1], np.int32)]),
    ],
)  # fmt: skip
def test_what_no_op_makes(text: str, inputs: list[Any]) -> None:
    kind = "i32" if inputs[1].dtype == np.int32 else "f32"
    program = f"""func.func @main(%x: tensor<f32>, %y: tensor<2x{kind}>) -> tensor<2xf32> {{
      {text}
      return %r : tensor<2xf32>
    }}"""
    check = NanCheck()
    shlo.run(shlo.parse(program), inputs, observer=check)
    assert check.found is None


# Executions by hand -------------------------------------------------------------------------------------

PROGRAM = """module {
  func.func private @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.divide %x, %y : tensor<2xf32> loc("model.py":7:3)
    return %0 : tensor<2xf32>
  }
  func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %y : tensor<2xf32>
    %1 = stablehlo.exponential %0 : tensor<2xf32>
    %2 = stablehlo.transpose %1, dims = [0] : (tensor<2xf32>) -> tensor<2xf32>
    %3:2 = stablehlo.optimization_barrier %2, %0 : tensor<2xf32>, tensor<2xf32>
    return %3#0 : tensor<2xf32>
  }
}"""
X, Y = np.float32([1, 1]), np.float32([0, 2])


@pytest.fixture(scope="module")
def module() -> Module:
    return shlo.parse(PROGRAM)


def named(module: Module, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == f"stablehlo.{name}")


def moment(
    module: Module,
    name: str,
    iterations: tuple[int, ...] = (),
    process: tuple[int, int] = (0, 0),
    step: str = "",
    others: tuple[str, ...] = (),
) -> Moment:
    op = named(module, name)
    ops = (op, *[named(module, other) for other in others])
    return Moment(module, step or op.name, op, ops, iterations, process)


@pytest.mark.parametrize(
    ("iterations", "process", "notes"),
    [
        ((), (0, 0), []),
        ((3,), (0, 0), ["in iteration 3 of the loop, counted from 0"]),
        ((1, 0), (2, 1),
         ["in iteration 1, 0 of the loop, counted from 0 (of nested loops, the outermost first)",
          "on replica 2, partition 1"]),
        ((), (0, 1), ["on replica 0, partition 1"]),
    ],
)  # fmt: skip
def test_where_a_nan_is_made(
    module: Module, iterations: tuple[int, ...], process: tuple[int, int], notes: list[str]
) -> None:
    check = NanCheck()
    with pytest.raises(shlo.RunError) as error:
        check.after(moment(module, "divide", iterations, process), (X, Y), (np.float32([INF, 0.5]),))
    assert error.value.diagnostic is not None and check.found is not None
    assert list(error.value.diagnostic.notes) == ["%x is 1.0", "%y is 0.0", *notes, "from model.py:7:3"]
    assert check.found.to_dict() == {
        "op": "stablehlo.divide", "value": "%0", "index": (0,), "element": "inf", "count": 1, "size": 2,
        "operands": {"%x": "1.0", "%y": "0.0"}, "iterations": iterations, "process": process, "line": 3,
        "origin": "model.py:7:3",
    }  # fmt: skip
    check.start()
    assert (check.found, check.checked) == (None, 0)


def test_rows_of_a_trace(module: Module) -> None:
    rows: list[TraceRow] = []
    trace = Trace(rows.append)
    trace.after(moment(module, "divide", (2, 1), (1, 3)), (X, Y), (np.float32([INF, NAN, -INF, 2, 4]),))
    trace.after(moment(module, "optimization_barrier"), (X, Y), (np.array([[1, 4], [-5, 2]]), None))
    found = [
        (row.value, row.iterations, row.process, row.min, row.mean, row.max, row.nans, row.infinities)
        for row in rows
    ]
    assert found == [
        ("%0", (2, 1), (1, 3), 2.0, 3.0, 4.0, 1, 2),
        ("%3", (), (0, 0), -5, 0.5, 4, 0, 0),
        ("%3#1", (), (0, 0), None, None, None, 0, 0),  # what is no array
    ]
    assert [(row.op, row.line, row.origin) for row in rows[:2]] == [
        ("stablehlo.divide", 3, "model.py:7:3"),
        ("stablehlo.optimization_barrier", 10, ""),
    ]
    assert rows[0].to_dict()["iterations"] == (2, 1) and rows[0].to_dict()["infinities"] == 2


def test_arrays_of_a_probe_by_iteration_and_process(module: Module, tmp_path: Path) -> None:
    probe = Probe(tmp_path, ["divide", "*barrier"])
    probe.start()
    for number, (iterations, process) in enumerate(
        [((), (0, 0)), ((2, 0), (0, 0)), ((2, 0), (0, 0)), ((2, 0), (0, 0)), ((2, 0), (1, 0)), ((), (0, 2))]
    ):
        array = np.float32([number, 0])
        probe.after(moment(module, "divide", iterations, process), (X, Y), (array,))
    probe.after(moment(module, "add"), (X, Y), (X,))
    probe.after(moment(module, "optimization_barrier"), (X, Y), (X, None))
    probe.end()
    found = {}
    for each in probe.found:
        with np.load(each.file) as arrays:
            found[Path(each.file).name] = {name: arrays[name][0] for name in arrays.files}
    assert found == {
        "f.0.npz": {"value": 0, "iteration_2_0": 1, "iteration_2_0.1": 2, "iteration_2_0.2": 3},
        "f.0@1_0.npz": {"iteration_2_0": 4},
        "f.0@0_2.npz": {"value": 5},
        "main.3.npz": {"value": 1},
    }
    assert probe.found[0].to_dict() == {
        "file": str(tmp_path / "f.0.npz"), "value": "%0", "op": "stablehlo.divide", "line": 3, "arrays": 4,
    }  # fmt: skip
    probe.end()  # of a run that has not started
    probe.start()
    assert probe.found == []
    probe.after(moment(module, "divide"), (X, Y), (Y,))
    probe.end()
    with np.load(tmp_path / "f.0.npz") as arrays:
        assert arrays.files == ["value"] and arrays["value"].tolist() == [0, 2]


def test_arrays_wait_in_the_folder_that_they_are_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is room for them; nothing of it is left."""
    folders: list[object] = []
    make = tempfile.TemporaryFile

    def made(**given: Any) -> Any:
        folders.append(given.get("dir"))
        return make(**given)

    monkeypatch.setattr(tempfile, "TemporaryFile", made)
    probe = Probe(tmp_path / "a" / "b", ["%none"])
    probe.start()
    probe.end()
    assert folders == [tmp_path / "a" / "b"] and list((tmp_path / "a" / "b").iterdir()) == []


def test_values_of_one_name_have_files_by_line(tmp_path: Path) -> None:
    text = """func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = stablehlo.negate %x : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }, {
        %1 = stablehlo.abs %x : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      %2 = interpreter.probe %0, probe_id = "main.1" : tensor<f32>
      return %2 : tensor<f32>
    }"""
    program, probe = shlo.parse(text), Probe(tmp_path, ["%1"])
    negate, absolute = named(program, "negate"), named(program, "abs")
    (seen,) = [op for op in program.walk() if op.name == "interpreter.probe"]
    probe.start()
    for op, number in ((negate, 1), (absolute, 2), (negate, 3), (seen, 4)):
        array = np.float32(number)
        probe.after(Moment(program, op.name, op, (op,), (), (0, 0)), (array,), (array,))
    probe.end()
    assert {Path(each.file).name: (each.op, each.arrays) for each in probe.found} == {
        "main.1.npz": ("stablehlo.negate", 2),
        "main.1.line_6.npz": ("stablehlo.abs", 1),
        "main.1.line_9.npz": ("interpreter.probe", 1),
    }
    with np.load(tmp_path / "main.1.line_9.npz") as arrays:
        assert arrays["value"] == 4


class Clock:
    """Seconds that a test sets; the profile reads it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, profile: Profile, module: Module) -> None:
        self.now, self.profile, self.module = 0.0, profile, module
        monkeypatch.setattr(profiles, "perf_counter", lambda: self.now)

    def begin(self, at: float, name: str, **given: Any) -> None:
        self.now = at
        self.profile.before(moment(self.module, name, **given), (X, Y))

    def end(self, at: float, name: str, operands: Any = (X, Y), results: Any = (Y,), **given: Any) -> None:
        self.now = at
        self.profile.after(moment(self.module, name, **given), operands, results)


def test_times_of_ops_in_ops_over_runs(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = Profile(events=True, spans=True)
    clock = Clock(monkeypatch, profile, module)
    assert (profile.rows(), profile.kinds(), profile.spans()) == ([], [], [])
    assert profile.chrome_trace()["traceEvents"] == []
    for start, inner in ((10.0, 2.0), (100.0, 3.0), (200.0, 5.0)):
        profile.start()
        clock.begin(start, "optimization_barrier")
        clock.begin(start + 1, "add", iterations=(4,), process=(1, 2))
        clock.end(start + 1 + inner, "add", iterations=(4,), process=(1, 2))
        clock.begin(start + 8, "exponential")
        clock.end(start + 9, "exponential")
        clock.end(start + 10, "optimization_barrier")
    rows = [(row.name, row.value, row.line, row.calls, row.seconds) for row in profile.rows()]
    assert rows == [
        ("optimization_barrier", "%3", 10, 3, 30 - 10 - 3),
        ("add", "%0", 7, 3, 10),
        ("exponential", "%1", 8, 3, 3),
    ]
    assert [(row.first, row.warm) for row in profile.rows()] == [(7, (6 + 4) / 2), (2, 4), (1, 1)]
    assert [row.name for row in profile.kinds()] == ["optimization_barrier", "add", "exponential"]
    assert [(kind, row.line, begin, took) for kind, row, begin, took in profile.spans()] == [
        ("add", 7, 0, 5),
        ("exponential", 8, 7, 1),
    ]
    events = profile.chrome_trace()
    assert events["displayTimeUnit"] == "ms"
    assert [(each["name"], each["ts"], each["dur"]) for each in events["traceEvents"][:3]] == [
        ("optimization_barrier", 0, 10e6),
        ("add", 1e6, 2e6),
        ("exponential", 8e6, 1e6),
    ]
    assert events["traceEvents"][4] == {
        "name": "add", "cat": "add", "ph": "X", "ts": 91e6, "dur": 3e6, "pid": 1, "tid": 2,
        "args": {
            "value": "%0", "line": 7, "origin": "", "iterations": [4], "flops": 2, "bytes": 3 * 8,
        },
    }  # fmt: skip


def test_bytes_of_views(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result in the memory of the operand is not written; a copy is read and written."""
    for result, count in ((X[::-1], 0), (X.copy(), 16)):
        profile = Profile()
        clock = Clock(monkeypatch, profile, module)
        clock.begin(9, "transpose")
        clock.end(9.25, "transpose", (X,), (result,))
        (row,) = profile.rows()
        assert (row.flops, row.bytes, row.seconds, row.first) == (0, count, 0.25, 0.25)


def test_costs_of_steps(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = Profile()
    clock = Clock(monkeypatch, profile, module)
    for at, given in ((0, {}), (2, {}), (4, {"step": "chain", "others": ("exponential",)}),
                      (8, {"step": "copy"}), (9, {"step": "free"})):  # fmt: skip
        clock.begin(at, "add", **given)
        clock.end(at + 2, "add", (X, None), (X.copy(), Y), **given)
    rows = {row.name: (row.calls, row.seconds, row.flops, row.bytes) for row in profile.rows()}
    assert rows == {
        "add": (2, 4, 4, 48),
        "add exponential": (1, 2, 4, 8 + 16),
        "copy": (1, 2, 0, 8 + 16),
        "free": (1, 2, 0, 0),
    }
    row = next(row for row in profile.rows() if row.name == "add")
    assert (row.gflops, row.gbytes) == (1e-9, 12e-9)
    assert row.to_dict()["gflops_per_second"] == 1e-9 and row.to_dict()["first"] == 4
    kinds = {row.name: (row.value, row.line, row.origin, row.calls) for row in profile.kinds()}
    assert kinds["elementwise chain"] == ("", 0, "", 1) and kinds["add"] == ("", 0, "", 2)
    idle = profiles.ProfileRow("a", "", 0, "", flops=1, bytes=1)
    assert (idle.gflops, idle.gbytes) == (0, 0)


def test_spans_are_of_the_first_executions(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "_SPANS", 2)
    profile = Profile(spans=True)
    clock = Clock(monkeypatch, profile, module)
    for run in range(2):
        profile.start()
        for at in range(4):
            clock.begin(run * 10 + at, "add")
            clock.end(run * 10 + at + 0.5, "add")
    assert [(begin, took) for _, _, begin, took in profile.spans()] == [(0, 0.5), (1, 0.5)]
    assert profile.rows()[0].calls == 8


def test_a_run_that_failed_leaves_nothing(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = Profile()
    clock = Clock(monkeypatch, profile, module)
    profile.start()
    clock.begin(0, "optimization_barrier")  # and no end
    profile.start()
    clock.begin(5, "add")
    clock.end(6, "add")
    assert [(row.name, row.first, row.warm) for row in profile.rows()] == [("add", 0, 1)]


class Code:
    """Compiled code with two loop nests."""

    def __init__(self, module: Module) -> None:
        self.is_timed = False
        add, exponential = named(module, "add"), named(module, "exponential")
        self.times = [
            LoopTime(module, (), 1, 0.5, 0.5, 0.0, 100),
            LoopTime(module, (add, exponential, add), 3, 2.0, 4.0, 1.0, 600),
        ]

    def time_loops(self) -> None:
        self.is_timed = True

    def loop_times(self) -> list[LoopTime]:
        return self.times


def test_rows_of_loops(module: Module) -> None:
    """An addition of two elements, an exponential and another addition, three times."""
    code, profile = Code(module), Profile()
    profile.compiled(code)
    assert code.is_timed
    slow, fast = profile.loops()
    assert (slow.name, slow.lines, slow.calls, slow.flops) == ("add exponential", (7, 8), 3, 3 * 6)
    assert (slow.seconds, slow.busy, slow.waiting, slow.bytes) == (2.0, 4.0, 1.0, 600)
    assert (fast.name, fast.lines, fast.flops, fast.bytes) == ("copy", (), 0, 100)
    assert slow.to_dict(Limits(18.0, 1000.0)) == {
        "name": "add exponential", "lines": (7, 8), "calls": 3, "seconds": 2.0, "busy": 4.0, "waiting": 1.0,
        "flops": 18, "bytes": 600, "gflops_per_second": 9e-9, "gbytes_per_second": 300e-9, "of_numpy": 0.5,
    }  # fmt: skip
    assert slow.of_numpy(Limits(18.0, 100.0)) == 3.0
