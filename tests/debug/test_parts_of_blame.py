"""What blame finds as data and as files, its order of runs, and the processes that it starts."""

from __future__ import annotations

import os
import pickle
import re
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.blame import make_dumps as making
from stablehlo_py.debug.blame.changes import changes
from stablehlo_py.debug.blame.dumps import distinct, dumps_in
from stablehlo_py.debug.blame.judge import Judge
from stablehlo_py.debug.blame.make_dumps import make_dumps
from stablehlo_py.debug.blame.reproducer import reproducer
from stablehlo_py.debug.blame.search import Search
from stablehlo_py.debug.blame.stats import pass_stats
from stablehlo_py.debug.blame.trial import Trial, TrialProgram, load_dump
from stablehlo_py.debug.selection import SelectionError
from stablehlo_py.hlo.parser import parse_hlo

X = np.array([3.0, 0.5], np.float32)


def program(*lines: str, results: str = "f32[2]") -> str:
    body = "\n  ".join(["%x = f32[2]{0} parameter(0)", *lines])
    return f"HloModule m\n\nENTRY %main (x: f32[2]) -> {results} {{\n  {body}\n}}\n"


def at(op: str, line: int = 3) -> str:
    return f', metadata={{op_name="jit(f)/{op}" source_file="model.py" source_line={line}}}'


TWICE = program(
    "%double = f32[2]{0} add(%x, %x)" + at("add"), "ROOT %r = f32[2]{0} sine(%double)" + at("sin", 4)
)
SQUARE = TWICE.replace("add(%x, %x)", "multiply(%x, %x)")


def dumped(folder: Path, *texts: str) -> Path:
    """Write dumps, the first before the passes; their names end with numbers."""
    for i, text in enumerate(texts):
        step = f"{i:04}.simplify.after_pass{i}.before_other" if i else "before_optimizations"
        (folder / f"module_0001.m.{step}.txt").write_text(text)
    return folder


def name_of(number: int) -> str:
    return f"module_0001.m.{number:04}.simplify.after_pass{number}.before_other.txt"


def test_what_is_found_as_data_and_as_files(tmp_path: Path) -> None:
    found = shlo.blame(dumped(tmp_path, TWICE, SQUARE), [X])
    data = found.to_dict()
    assert {name: data[name] for name in ("module", "file", "pass_name", "pipeline", "before")} == {
        "module": "module_0001.m", "file": name_of(1), "pass_name": "pass1", "pipeline": "simplify",
        "before": "module_0001.m.before_optimizations.txt",
    }  # fmt: skip
    assert data["instruction"] == "%double = f32[2]{0} multiply(%x, %x)"
    assert (data["source"], data["origin"]) == ("model.py:3", ["from model.py:3 (jit(f)/add)"])
    assert (data["dumps"], data["runs"], data["skipped"], data["notes"]) == (2, 1, {}, [])
    assert [each["ok"] for each in data["results"]] == [False] and data["backend"] == []
    assert data["first"]["line"] == data["first"]["other_line"] == 5
    assert data["changes"] == [
        {"sign": "-", "line": 5, "text": "%double = f32[2]{0} add(%x, %x)"},
        {"sign": "+", "line": 5, "text": "%double = f32[2]{0} multiply(%x, %x)"},
    ]
    assert data["other_changes"] == 0
    assert found.reproducer is not None
    files = found.reproducer.write(tmp_path / "a" / "b")
    assert [path.name for path in files] == [
        f"{side}.{suffix}" for side in ("wrong", "right") for suffix in ("mlir", "hlo", "npz")
    ]
    for path, op in ((files[0], "multiply"), (files[3], "add")):
        module = shlo.load(path)
        assert [each.name for each in module.functions["main"].regions[0].block.ops[:1]] == [
            f"stablehlo.{op}"
        ]
        (result,) = shlo.run(module, [X])
        assert result.tolist() == (X * X if op == "multiply" else X + X).tolist()
        assert f"{op}(" in path.with_suffix(".hlo").read_text()
        with np.load(path.with_suffix(".npz")) as arrays:
            assert [arrays[name].tolist() for name in arrays.files] == [X.tolist()]


def test_a_wrong_instruction_without_a_counterpart_has_a_program_alone(tmp_path: Path) -> None:
    found = shlo.blame(dumped(tmp_path, TWICE, SQUARE), [X])
    assert found.reproducer is not None
    alone = type(found.reproducer)(found.reproducer.wrong, None)
    assert [path.name for path in alone.write(tmp_path)] == ["wrong.mlir", "wrong.hlo", "wrong.npz"]


def test_results_of_the_backend(tmp_path: Path) -> None:
    """The dumps are right, so that the passes are; what the backend computed is not."""
    folder, right, wrong = dumped(tmp_path, TWICE, TWICE + "\n"), [np.sin(X + X)], [np.cos(X + X)]
    assert shlo.blame(folder, [X], against=right).backend == []
    found = shlo.blame(folder, [X], against=wrong)
    assert found.file is None and [each.name[:3] for each in found.backend] == ["0 ("]
    assert not found.backend[0].ok and found.notes == []
    found = shlo.blame(folder, [X], against=wrong, every=False)
    assert found.backend and found.notes == [
        "only the last dump was run: passes before it may be wrong and mended"
    ]
    assert found.runs == 1
    assert shlo.blame(folder, [X]).backend == []


def variants(text: str, count: int, broken: tuple[int, ...] = ()) -> list[str]:
    """Copies of a program, each with another name; some cannot be run."""
    texts = [text.replace("%double", f"%double.{i}") for i in range(count)]
    return [
        each.replace("add(%x, %x)", "mystery(%x)") if i in broken else each for i, each in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "broken", "every", "runs", "skipped"),
    [
        # In order, up to the first wrong one.
        (3, 3, (), True, [1, 2, 3], []),
        (3, 3, (2,), True, [1, 3], [2]),
        (1, 2, (), True, [1], []),
        # The last one, then halves: of the dumps between the last right one and the first wrong one.
        (8, 1, (), False, [8, 4, 6, 7], []),
        (1, 8, (), False, [8, 4, 2, 1], []),
        (5, 4, (), False, [8, 4, 6, 5], []),
        (8, 1, (8,), False, [7], [8]),  # the last one that can be run is right
        (5, 4, (4,), False, [8, 5, 2, 3], [4]),
        (4, 4, (7,), False, [6, 3, 5, 4], [7]),
    ],
)  # fmt: skip
def test_which_dumps_are_run(
    tmp_path: Path, right: int, wrong: int, broken: tuple[int, ...], every: bool, runs: list[int],
    skipped: list[int],
) -> None:  # fmt: skip
    texts = variants(TWICE, right + wrong, broken)
    texts = [text if i < right else text.replace("add(%x, %x)", "multiply(%x, %x)")
             for i, text in enumerate(texts)]  # fmt: skip
    tried: list[int] = []

    def each(trial: Trial, paths: Any) -> Any:
        for path in paths:
            tried.append(int(Path(path).name.split(".")[2]))
            yield trial(path)

    found = Search(dumped(tmp_path, *texts), lambda module: [X], every=every, each=each).run()
    assert [number for number in tried if number not in skipped] == runs
    assert list(found.skipped) == [name_of(number) for number in skipped] and found.runs == len(runs)
    assert found.dumps == right + wrong
    if right in broken and wrong == 1:
        assert found.file is None
        return
    assert found.file == name_of(right) and found.first is not None
    last = max([number for number in runs if number < right], default=0)
    assert found.before == (name_of(last) if last else "module_0001.m.before_optimizations.txt")


def test_dumps_that_cannot_be_run_in_step(tmp_path: Path) -> None:
    """The results of the pass are one more, of which the judge knows nothing; then it takes other inputs."""
    pair = program("%double = f32[2]{0} add(%x, %x)", "ROOT %r = (f32[2], f32[2]) tuple(%double, %x)",
                   results="(f32[2], f32[2])")  # fmt: skip
    found = shlo.blame(dumped(tmp_path, TWICE, pair), [X])
    assert found.skipped == {name_of(1): "2 results, expected 1"} and found.file is None


def test_a_comparison_that_fails_leaves_the_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: Any, **options: Any) -> Any:
        raise shlo.RunError("no")

    monkeypatch.setattr("stablehlo_py.debug.blame.search.Comparer.with_program", fails)
    found = shlo.blame(dumped(tmp_path, TWICE, SQUARE), [X])
    assert (found.file, found.first, found.reproducer) == (name_of(1), None, None)
    assert found.notes == ["the dumps cannot be run in step: no"] and found.changes.rows == []


def test_an_instruction_that_cannot_be_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: Any, **options: Any) -> Any:
        raise SelectionError("no")

    monkeypatch.setattr("stablehlo_py.debug.blame.reproducer.extract_part", fails)
    found = shlo.blame(dumped(tmp_path, TWICE, SQUARE), [X])
    assert found.notes == ["the instruction cannot be a program of its own: no"]
    assert found.reproducer is None and found.first is not None
    with pytest.raises(SelectionError, match=r"^stablehlo.multiply is in no line of the text$"):
        reproducer(shlo.parse(""), shlo.parse(""), replace(found.first, line=0), [X])


def test_an_instruction_without_a_counterpart_is_alone(tmp_path: Path) -> None:
    found = shlo.blame(dumped(tmp_path, TWICE, SQUARE), [X])
    assert found.first is not None and found.reproducer is not None and found.reproducer.right is not None
    wrong, right = (shlo.load(tmp_path / str(name)) for name in (found.file, found.before))
    alone = reproducer(wrong, right, replace(found.first, other_line=0), [X])
    assert alone.right is None and alone.wrong is not None


def test_an_instruction_in_a_loop_takes_the_values_of_the_iteration_that_is_wrong() -> None:
    """2.25 and 2.5 are 2 either way; 2.75, in the third iteration, is 2 or 3."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %end = stablehlo.constant dense<3.0> : tensor<f32>
      %step = stablehlo.constant dense<0.25> : tensor<f32>
      %r:2 = stablehlo.while(%v = %x, %k = %zero) : tensor<f32>, tensor<f32>
      cond {
        %p = stablehlo.compare LT, %v, %end : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %n = stablehlo.add %v, %step : tensor<f32>
        %w = stablehlo.floor %v : tensor<f32>
        stablehlo.return %n, %w : tensor<f32>, tensor<f32>
      }
      return %r#1 : tensor<f32>
    }"""
    wrong, right = shlo.parse(text), shlo.parse(text.replace("floor", "round_nearest_even"))
    given = [np.float32(2.25)]
    first = shlo.compare(wrong, right, given).first
    assert first is not None and (first.line, first.iterations) == (11, (2,))
    found = reproducer(wrong, right, first, given)
    assert found.right is not None and found.wrong.inputs == found.right.inputs == {"v": 2.75}
    results = [shlo.run(each.module, each.inputs or {}) for each in (found.wrong, found.right)]
    assert results == [[2.0], [3.0]]


def test_a_program_without_a_form_in_hlo_has_no_such_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = shlo.blame(dumped(tmp_path, TWICE, SQUARE), [X])
    assert found.reproducer is not None

    def fails(module: Any) -> Any:
        raise shlo.ParseError("a", [])

    monkeypatch.setattr("stablehlo_py.debug.blame.reproducer.from_stablehlo", fails)
    files = found.reproducer.write(tmp_path)
    assert [path.name for path in files] == ["wrong.mlir", "wrong.npz", "right.mlir", "right.npz"]


def test_a_large_series_is_bisected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = variants(TWICE, 5)
    size = sum(len(text) for text in texts)
    for limit, runs in ((size + 1, 4), (size, 1)):
        monkeypatch.setattr("stablehlo_py.debug.blame.search._LARGE", limit)
        assert shlo.blame(dumped(tmp_path, *texts), [X]).runs == runs
    assert shlo.blame(tmp_path, [X], every=True).runs == 4


def test_texts_that_repeat_count_once(tmp_path: Path) -> None:
    (dumps,) = dumps_in(dumped(tmp_path, "aaa", "aaa", "bb", "aaa", "aaa"))
    found, size = distinct(dumps)
    assert [dump.order[1] for dump in found] == [0, 2, 3] and size == 8


def test_statistics_of_passes(tmp_path: Path) -> None:
    cosine = TWICE.replace("sine(%double)", "cosine(%double)")
    more = cosine.replace("ROOT %r =", "%e = f32[2]{0} exponential(%x)\n  ROOT %r =")
    folder = dumped(tmp_path, TWICE, cosine, cosine, more)
    for i, path in enumerate(
        sorted(folder.iterdir(), key=lambda path: ("before_opt" not in path.name, path.name))
    ):
        os.utime(path, (1000 + 2 * i * i, 1000 + 2 * i * i))
    told: list[int] = []
    rows = pass_stats(dumps_in(folder)[0], told.append)
    assert told == [1, 2, 3]
    assert [row.to_dict() for row in rows] == [
        {"file": "module_0001.m.before_optimizations.txt", "pass_name": "", "pipeline": "", "added": 0,
         "removed": 0, "changed": 0, "moved": 0, "instructions": 3, "seconds": 0.0},
        {"file": name_of(1), "pass_name": "pass1", "pipeline": "simplify", "added": 1, "removed": 1,
         "changed": 0, "moved": 0, "instructions": 3, "seconds": 2.0},
        {"file": name_of(3), "pass_name": "pass3", "pipeline": "simplify", "added": 1, "removed": 0,
         "changed": 0, "moved": 0, "instructions": 4, "seconds": 16.0},
    ]  # fmt: skip


# Changes ------------------------------------------------------------------------------------------------


def listing(*names: str) -> str:
    """A program of as many lines as names: from line 5 on, each an op on the argument."""
    lines = [f"%{each.replace(' ', '')} = f32[2]{{0}} {each.split('.')[0]}(%x)" for each in names]
    return program(*lines, "ROOT %end = f32[2]{0} negate(%x)")


@pytest.mark.parametrize(
    ("before", "after", "lines", "lines_before", "rows", "others"),
    [
        # Numbers of names are no change, and neither is another place.
        (["sine.1", "abs.2"], ["sine.3", "abs.4"], [5], [5], [], 0),
        (["sine.1", "abs.2"], ["abs.1", "sine.2"], [9], [9], [], 2),
        (["sine.1"], ["cosine.1"], [5], [5], ["-5", "+5"], 0),
        # Three lines around one that matters, and what is farther away is counted.
        (["sine", "abs.1", "abs.2", "log"], ["tan", "abs.1", "abs.2", "log"], [8], [8], ["-5", "+5"], 0),
        (["sine", "abs.1", "abs.2", "log"], ["tan", "abs.1", "abs.2", "log"], [9], [9], [], 1),
        (["sine", "abs", "tan"], ["cosine", "abs", "tan", "cbrt"], [5], [5], ["-5", "+5", "+8"], 0),
        (["sine", "abs", "tan", "log"], ["cosine", "abs", "tan", "log", "cbrt"], [5], [5], ["-5", "+5"], 1),
        (["sine"], ["sine", "cbrt"], [], [5], [], 1),
    ],
)  # fmt: skip
def test_lines_that_a_pass_changed(
    before: list[str], after: list[str], lines: list[int], lines_before: list[int], rows: list[str],
    others: int,
) -> None:  # fmt: skip
    modules = [parse_hlo(listing(*names)) for names in (before, after)]
    found = changes(*modules, lines, lines_before)
    assert [f"{sign}{line}" for sign, line, _ in found.rows] == rows and found.others == others


@pytest.mark.parametrize(
    ("before", "after", "is_changed"),
    [
        ("subtract(%s.1, %s.2)", "subtract(%s.3, %s.4)", False),  # names with other numbers, in their order
        ("subtract(%s.1, %s.2)", "subtract(%s.4, %s.3)", True),
        ("subtract(%s.9, %s.10)", "subtract(%s.2, %s.3)", False),  # the ninth before the tenth
        ("subtract(%s.1, %s.1)", "subtract(%s.2, %s.2)", False),
        ("subtract(%s.1, %s.2)", "subtract(%s.2, %s.2)", True),
    ],
)
def test_operands_whose_names_have_other_numbers(before: str, after: str, is_changed: bool) -> None:
    def module(line: str) -> Any:
        names = sorted(set(re.findall(r"%s[.]\d+", line)), key=lambda name: int(name[3:]))
        return parse_hlo(
            program(*[f"{name} = f32[2]{{0}} sine(%x)" for name in names], f"ROOT %r = f32[2]{{0}} {line}")
        )

    modules = [module(line) for line in (before, after)]
    lines = range(1, 10)
    assert any("subtract" in row[2] for row in changes(*modules, lines, lines).rows) is is_changed


# Trials in other processes ------------------------------------------------------------------------------


def test_a_copy_of_a_trial_judges_as_the_trial(tmp_path: Path) -> None:
    folder = dumped(tmp_path, TWICE, SQUARE, TWICE.replace("add(%x, %x)", "mystery(%x)"))
    paths = [str(folder / name_of(number)) for number in (1, 2)]
    first = load_dump(folder / "module_0001.m.before_optimizations.txt")
    stated = TrialProgram(Path("model.mlir"), shlo.parse(shlo.format(first.module)))
    for right in (first, stated):
        for tolerance, wrong in ((None, 1), (100.0, 0)):
            trial = Trial(right, [X], "numpy", tolerance, 5)
            copy = pickle.loads(pickle.dumps(trial))
            for each in (trial, copy):
                outcome, broken = each(paths[0]), each(paths[1])
                assert (len(outcome.results), outcome.error) == (wrong, "")
                assert broken.results == [] and "mystery" in broken.error
            assert copy._right.path == right.path and (copy._right.hlo is None) is (right is stated)


def test_a_copy_of_a_trial_has_ops_of_other_dialects() -> None:
    other = 'func.func private @unused() {\n    "other.op"() : () -> ()\n    return\n  }'
    text = f"module {{\n  func.func @main() {{\n    return\n  }}\n  {other}\n}}\n"
    trial = Trial(TrialProgram(Path("m"), shlo.parse(text, allow_unregistered=True)), [], "numpy", None, 0)
    assert shlo.format(pickle.loads(pickle.dumps(trial))._right.module) == text


DRAWN = """func.func @main() -> tensor<3xf64> {
  %a = stablehlo.constant dense<0.0> : tensor<f64>
  %b = stablehlo.constant dense<1.0> : tensor<f64>
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM
    : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}"""


def test_a_copy_of_a_trial_draws_the_same_numbers() -> None:
    module = shlo.parse(DRAWN)
    trial = Trial(TrialProgram(Path("m"), module), [], "numpy", None, 5)
    for each in (trial, pickle.loads(pickle.dumps(trial))):
        assert each.judge.differences(module, shlo.run(module, [], seed=5)) == []
        assert len(each.judge.differences(module, shlo.run(module, [], seed=0))) == 1


FAKE = """#!{python}
import os, sys
from pathlib import Path
words = sys.argv[1:]
folder = Path(words[-1]).parent
(folder / "said.txt").write_text(repr((words, os.environ["XLA_FLAGS"], os.environ["NO_COLOR"])))
{code}
"""


@pytest.mark.parametrize(
    ("code", "limit", "message"),
    [
        ("(folder / 'module_0000.f.before_optimizations.txt').write_text('')", None, ""),
        ("(folder / 'module_0000.f.before_optimizations.txt').write_text(''); raise SystemExit(4)", None, ""),
        ("sys.stderr.write('a\\nb\\nc\\nd\\n'); raise SystemExit(3)", None,
         "XLA wrote no dumps (exit status 3): b / c / d"),
        ("print('a')", None, "XLA wrote no dumps (exit status 0): "),
        ("import time; time.sleep(100)", 0.3, "XLA has not ended in 0.3 s"),
    ],
)  # fmt: skip
def test_dumps_are_made_by_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, limit: float | None, message: str
) -> None:
    fake, folder = tmp_path / "python", tmp_path / "dumps"
    fake.write_text(FAKE.format(python=sys.executable, code=code))
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    folder.mkdir()
    monkeypatch.setattr(making.sys, "executable", str(fake))
    monkeypatch.setenv("XLA_FLAGS", "--mine")
    if message:
        with pytest.raises(shlo.RunError) as error:
            make_dumps(Path("f.mlir"), folder, ["-a", "1"], limit)
        assert str(error.value) == message
        return
    assert make_dumps(Path("f.mlir"), folder, ["-a", "1"], limit) == folder / "results.npz"
    words = ["-m", "stablehlo_py", "run", "f.mlir", "--engine", "pjrt", "-a", "1", "-o"]
    flags = f"--mine --xla_dump_to={folder} {making.FLAGS}"
    assert (folder / "said.txt").read_text() == repr(([*words, str(folder / "results.npz")], flags, "1"))


# The judge ----------------------------------------------------------------------------------------------


def test_a_result_of_integers_and_one_that_is_not_finite() -> None:
    text = """func.func @main(%a: tensor<2xf32>, %n: tensor<2xi32>, %p: tensor<2xi1>)
        -> (tensor<2xi32>, tensor<2xi1>, tensor<2xf32>) {
      return %n, %p, %a : tensor<2xi32>, tensor<2xi1>, tensor<2xf32>
    }"""
    module, runs = shlo.parse(text), list[Any]()
    inputs = [X, np.int32([1000000, 5]), np.array([True, False])]  # type: ignore[arg-type]

    def run(given: Any) -> list[Any]:
        runs.append(given)
        return [given[1], given[2], given[0]]

    judge = Judge(module, inputs, run, 0.5)
    number, flag, real = inputs[1], inputs[2], X

    def wrong(*results: Any) -> list[str]:
        return [each.name for each in judge.differences(module, results)]

    assert wrong(number, flag, real) == [] and len(runs) == 1
    assert wrong(number + np.int32(1), flag, real) == ["0 (%n)"]
    assert wrong(number, ~flag, real + 1) == ["1 (%p)"]  # 1 of 3 is within a half
    assert wrong(number, flag, real + 2) == ["2 (%a)"] and len(runs) == 4  # and is not explained by trials
    assert wrong(number, flag, real + 2) == ["2 (%a)"] and len(runs) == 4  # which are run once
    assert wrong(number, flag, np.float32([np.nan, 0.5])) == ["2 (%a)"]  # type: ignore[arg-type]
    infinite = Judge(module, inputs, lambda given: [number, flag, np.float32([np.inf, 4])], None)  # type: ignore[arg-type]
    assert not infinite.differences(module, [number, flag, np.float32([np.inf, 4.0039])])  # type: ignore[arg-type]
    assert infinite.differences(module, [number, flag, np.float32([np.inf, 4.0041])])  # type: ignore[arg-type]


# Programs that draw numbers, and loops ------------------------------------------------------------------


def test_programs_draw_the_numbers_of_the_seed(tmp_path: Path) -> None:
    text = program(
        "%zero = f32[] constant(0)", "%one = f32[] constant(1)",
        "%u = f32[2]{0} rng(%zero, %one), distribution=rng_uniform", "ROOT %r = f32[2]{0} add(%u, %x)",
    )  # fmt: skip
    folder = dumped(tmp_path, text, text + "\n")
    own = shlo.run(load_dump(folder / "module_0001.m.before_optimizations.txt").module, [X], seed=5)
    assert shlo.blame(folder, [X], against=own, seed=5).backend == []
    assert len(shlo.blame(folder, [X], against=own, seed=6).backend) == 1


def test_what_has_moved_has_not_changed(tmp_path: Path) -> None:
    """Statistics of a pass that takes an instruction into a fusion."""
    fused = SQUARE.replace("ENTRY", "%f (y: f32[2]) -> f32[2] {\n  %y = f32[2]{0} parameter(0)\n"
        "  ROOT %m = f32[2]{0} multiply(%y, %y)\n}\n\nENTRY").replace("multiply(%x, %x)",
        "fusion(%x), kind=kLoop, calls=%f")  # fmt: skip
    row = pass_stats(dumps_in(dumped(tmp_path, SQUARE, fused))[0])[1]
    assert (row.added, row.removed, row.changed, row.moved) == (2, 0, 1, 1)  # the root takes the fusion


LOOP = """HloModule m

%cond (s: (s32[], f32[])) -> pred[] {
  %s = (s32[], f32[]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %three = s32[] constant(3)
  ROOT %p = pred[] compare(%i, %three), direction=LT
}

%body (t: (s32[], f32[])) -> (s32[], f32[]) {
  %t = (s32[], f32[]) parameter(0)
  %j = s32[] get-tuple-element(%t), index=0
  %v = f32[] get-tuple-element(%t), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%j, %one)
  %f = f32[] floor(%v)
  %c = f32[] constant(0.75)
  %w = f32[] add(%f, %c)
  ROOT %u = (s32[], f32[]) tuple(%next, %w)
}

ENTRY %main (x: f32[]) -> f32[] {
  %zero = s32[] constant(0)
  %x = f32[] parameter(0)
  %init = (s32[], f32[]) tuple(%zero, %x)
  %loop = (s32[], f32[]) while(%init), condition=%cond, body=%body
  ROOT %r = f32[] get-tuple-element(%loop), index=1
}
"""


def test_a_reproducer_has_the_values_of_the_iteration(tmp_path: Path) -> None:
    """The floor and the nearest number of 0.25 are equal, those of 0.75 are not."""
    found = shlo.blame(
        dumped(tmp_path, LOOP, LOOP.replace("floor(%v)", "round-nearest-even(%v)")), [np.float32(0.25)]
    )
    assert found.comparison is not None and found.comparison.first is not None
    assert found.comparison.first.iterations == (1,) and found.reproducer is not None
    for part in (found.reproducer.wrong, found.reproducer.right):
        assert part is not None and part.inputs is not None
        assert [float(value) for value in part.inputs.values()] == [0.75]
