"""Mutation testing draws the bugs that it states, and no others."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("cosmic_ray", reason="needs cosmic-ray (the extra mutants)")
sys.path.append(str(Path(__file__).parent / "gates"))

import mutants
import nearest_tests
from mutant_runs import CAUGHT, PASSED, Outcome
from mutant_sites import Source
from mutants import EQUIVALENT

BUGS = (
    # before, a bug, the operator
    ("x = f(a, b)", "x = f(b, a)", "SwapArguments"),
    ("x = y.add(a, b)", "x = y.add(b, a)", "SwapArguments"),
    ("x = f('add', a, b)", "x = f(a, 'add', b)", "SwapArguments"),
    ("x = a - b", "x = b - a", "SwapOperands"),
    ("if a and b:\n    c = 1", "if b:\n    c = 1", "DropCondition"),
    ("if a:\n    f(b)\nelif c or d:\n    pass", "if a:\n    f(b)\nelif c:\n    pass", "DropCondition"),
    ("def f():\n    if a:\n        return 1\n    return 2", "def f():\n    pass\n    return 2", "DropGuard"),
    ("x = [y for y in z if y]", "x = [y for y in z]", "DropFilter"),
    ("X = (1, 2, 3)", "X = (1, 3,)", "DropRow"),
    ("def f():\n    return {a: 1, b: 2}", "def f():\n    return {a: 1,}", "DropRow"),
    ("def f():\n    return x[i]", "def f():\n    return x[i + 1]", "IndexOffByOne"),
    ("x = range(n)", "x = range(n - 1)", "RangeOffByOne"),
    ("x = range(n)", "x = range(1, n)", "RangeOffByOne"),
    ("x = range(1, n)", "x = range(1 + 1, n)", "RangeOffByOne"),
    ("x = f(a, stable=True)", "x = f(a)", "DropKeyword"),
    ("x = min(a, b)", "x = max(a, b)", "OtherName"),
    ("x = a in b", "x = a not in b", "NotInBecomesIn"),
    ("x = a not in b", "x = a in b", "NotInBecomesIn"),
    ("def f(a='b'):\n    return a", "def f(a=''):\n    return a", "WrongDefault"),
    ("def f(a):\n    a.append(1)\n    return a", "def f(a):\n    pass\n    return a", "DropStatement"),
    ("x = a < b", "x = a <= b", "ReplaceComparisonOperator_Lt_LtE"),
    ("x = a[1]", "x = a[2]", "NumberReplacer"),
    ("x = f(a=True)", "x = f(a=False)", "ReplaceTrueWithFalse"),
)


def bugs(folder: Path, text: str) -> set[tuple[str, str]]:
    """The operators and texts of all mutants of a file."""
    (folder / "file.py").write_text(text)
    source = Source(folder, "file.py")
    made = [source.mutant(site) for line in source.code_lines for site in source.sites(line)]
    return {(each.operator, ast.unparse(ast.parse(each.text))) for each in made if each}


@pytest.mark.parametrize(("before", "after", "operator"), BUGS)
def test_bugs(before: str, after: str, operator: str, tmp_path: Path) -> None:
    names = {name for name, text in bugs(tmp_path, before) if text == ast.unparse(ast.parse(after))}
    assert any(name.endswith(operator) for name in names)


@pytest.mark.parametrize(
    "text",
    [
        "from a import b",
        "def f(a: dict[str, int | None]) -> int | None: ...",
        "x: Literal[1, 2]",
        "if TYPE_CHECKING:\n    from a import b\n",
        "__all__ = ['a', 'b']",
        "@overload\ndef f(a: int, b: int = 1) -> int: ...",
        '"""1 < 2"""',
        "x = np.array_equal(a, b)",
        "x = add(a, b)",
        "define(a, b)",
        "x = zip(a, strict=True)",
        "@dataclass(slots=True)\nclass A:\n    pass",
        "@lru_cache(maxsize=64)\ndef f(a): ...",
    ],
)
def test_what_does_not_run_has_no_bugs(text: str, tmp_path: Path) -> None:
    assert not bugs(tmp_path, text)


def test_operands_of_a_commutative_op_are_not_exchanged(tmp_path: Path) -> None:
    found = {text for name, text in bugs(tmp_path, 'x = f("add", a, b)') if name.endswith("SwapArguments")}
    assert found == {"x = f(a, 'add', b)"}


def test_a_draw_depends_on_the_seed_alone(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text("\n".join(f"x = f({i}, {i + 1}) - {i}" for i in range(20)))

    def drawn(seed: int) -> list[str]:
        source = Source(tmp_path, "file.py")
        found = mutants._drawn({source: source.code_lines}, seed)
        return [next(found).text for _ in range(10)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert len(set(drawn(1))) == 10


def test_lines_of_a_change_come_first_then_those_of_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [Source(mutants.ROOT, f"stablehlo_py/layout/{name}.py") for name in ("text", "shape", "index")]
    monkeypatch.setattr(mutants, "_exists", lambda revision: revision == "HEAD~1")
    monkeypatch.setattr(
        mutants,
        "_changed",
        lambda revision: defaultdict(set, {sources[0].file: {*sources[0].code_lines[3:5]}}),
    )
    first, then = mutants._lines(sources, "HEAD~1", 7)
    assert first == {sources[0]: sources[0].code_lines[3:5]}
    assert then == {sources[0]: sources[0].code_lines}
    monkeypatch.setattr(mutants, "_changed", lambda revision: defaultdict(set))
    others = [Source(mutants.ROOT, f"stablehlo_py/{name}.py") for name in ("ir/core", "protobuf/messages")]
    for revision in ("HEAD~1", "unknown"):  # without a change of these: those of a package
        found = [mutants._lines([*sources, *others], revision, seed) for seed in range(40)]
        packages = [{mutants.package(source.file) for source in lines} for (lines,) in found]
        assert all(len(each) == 1 for each in packages) and len(set.union(*packages)) == 3


class Pool:
    """One process: a test that fails does so with any bug."""

    def __init__(self, failing: Sequence[str]) -> None:
        self.failing, self.asked, self.judged = failing, [], 0

    def imap(self, judge: Any, given: Sequence[Any]) -> list[mutants.Result]:
        (unfit,) = judge.args
        self.judged += len(given)
        failing = [test for test in self.failing if test not in unfit]
        outcome = Outcome(CAUGHT, failing[0], 0.0) if failing else Outcome("survived", "", 0.0)
        return [mutants.Result(mutant, outcome, 1, True) for mutant in given]

    def apply(self, unfit: Any, arguments: Any) -> set[str]:
        self.asked.append(*arguments)
        return {test for test in self.failing if "unfit" in test}


def test_tests_that_fail_without_a_bug_are_left_out_at_once(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text("x = f(1, 2) - 3")
    source = Source(tmp_path, "file.py")
    drawn = list(mutants._drawn({source: [1]}, 1))[:3]
    pool, unfit = Pool(["a.py::unfit[1]", "a.py::unfit[2]", "a.py::fit"]), {"b.py::other"}
    found = mutants._judged(cast("Any", pool), drawn, unfit)
    assert [result.outcome.test for result in found] == ["a.py::fit"] * 3
    assert unfit == {"b.py::other", "a.py::unfit[1]", "a.py::unfit[2]"}
    assert pool.asked == [["a.py::unfit[1]"], ["a.py::fit"]] and pool.judged == 6


@pytest.mark.parametrize(
    ("text", "names", "verdict", "expected"),
    [
        ("A = f(1)\nB = 2", {"A"}, PASSED, {"A": EQUIVALENT, "B": PASSED}),
        ("A = f(1)\nB = 2", set(), PASSED, {"A": EQUIVALENT, "B": EQUIVALENT}),
        ("A = f(1)\nB = 2", {"A"}, CAUGHT, {"A": CAUGHT, "B": CAUGHT}),
        ("def g(a=1):\n    return a + 2", set(), PASSED, {"": PASSED}),
        ("def g(a):\n    return a <= A", {"A"}, PASSED, {"": EQUIVALENT}),
        ("def g(a):\n    return a < A", {"A"}, CAUGHT, {"": CAUGHT}),
        ("def g(a):\n    return a < B", {"A"}, PASSED, {"": PASSED}),
    ],
)
def test_a_number_that_decides_only_speed_may_be_another(
    text: str,
    names: set[str],
    verdict: Any,
    expected: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "file.py").write_text(text)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.setattr(mutants, "_costs", lambda: {"file.py": names})
    source = Source(tmp_path, "file.py")
    made = [source.mutant(site) for line in source.code_lines for site in source.sites(line)]
    if "return a <" in text:  # of a comparison, its border
        made = [each for each in made if each and each.operator.endswith(("_Lt_LtE", "_LtE_Lt"))]
    found = [mutants._with_costs(mutants.Result(m, Outcome(verdict, "", 0.0), 1, True)) for m in made if m]
    assert {("".join(source.defined(r.mutant.site.line)), r.outcome.verdict) for r in found} == {
        *expected.items()
    }


def test_numbers_that_decide_only_speed_are_there() -> None:
    for file, names in mutants._costs().items():
        source = Source(mutants.ROOT, file)
        defined = {name for each in source.tree.body for name in source.defined(each.lineno)}
        assert names <= defined, file


def test_tests_of_the_folder_and_the_name_are_nearest() -> None:
    files = ["tests/cli/test_run.py", "tests/transforms/test_pipeline.py", "tests/transforms/test_tidy.py"]
    near = sorted(files, key=lambda file: nearest_tests.distance("stablehlo_py/transforms/tidy.py", file))
    assert near == files[::-1]


@pytest.mark.parametrize(
    ("source", "test_file", "is_near"),
    [
        ("stablehlo_py/transforms/tidy.py", "tests/transforms/test_inline.py", True),
        ("stablehlo_py/opset/ops/core.py", "tests/kernels/test_dot.py", True),
        ("grammar/__init__.py", "tests/syntax/test_grammar.py", True),
        ("stablehlo_py/engines/native/jit.py", "tests/engines/native/test_threads.py", True),
        ("stablehlo_py/engines/native/jit.py", "tests/engines/test_numpy.py", False),
        ("stablehlo_py/engines/numpy/prepare.py", "tests/engines/native/test_threads.py", False),
        ("stablehlo_py/transforms/tidy.py", "tests/cli/test_run.py", False),
        ("stablehlo_py/interpreter/grid.py", "tests/kernels/test_process.py", True),
        ("stablehlo_py/interpreter/grid.py", "tests/engines/native/test_threads.py", False),
    ],
)
def test_folders_near_a_source(source: str, test_file: str, is_near: bool) -> None:
    assert (nearest_tests.distance(source, test_file)[0] < 2) == is_near


def test_of_a_large_folder_a_few_files_are_near_a_source() -> None:
    in_cli = [file for file in nearest_tests.near(["cli/opt.py"]) if file.startswith("tests/cli/")]
    assert len(in_cli) == nearest_tests.MOST_OF_LARGE
    assert {"tests/cli/test_opt.py", "tests/cli/test_opt_weights.py"} < set(in_cli)
    many = nearest_tests.near([f"cli/{number}.py" for number in range(nearest_tests.MANY)])
    assert [f for f in many if f.startswith("tests/cli/")] == [
        f for f in nearest_tests.test_files() if f.startswith("tests/cli/")
    ]
    near = nearest_tests.near(["stablehlo_py/artifacts/load.py"])
    assert {"tests/artifacts/test_reading.py", "tests/cli/test_artifacts.py"} < set(near)


@pytest.mark.slow
def test_the_functions_that_run_a_line_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_tests, "FOLDER", tmp_path)
    monkeypatch.setattr(nearest_tests, "INDEX", tmp_path / "index.json")
    tests, source = "tests/diagnostics/test_alignment.py", "stablehlo_py/diagnostics/alignment.py"
    assert nearest_tests.stale([tests]) == [tests]
    nearest_tests.record([tests])
    assert nearest_tests.stale([tests]) == []
    lines = Path(nearest_tests.ROOT, source).read_text().splitlines()
    line = 1 + next(i for i, text in enumerate(lines) if text.startswith("def align")) + 1
    last = next(i for i in range(line, len(lines)) if lines[i].startswith("def "))
    inside = [i for i in range(line, last) if lines[i].strip().startswith("yield")]
    found, runs_line = nearest_tests.running(source, [(source, [inside[0] + 1])])
    assert runs_line and f"{tests}::test_hand_made" in dict(found)


@pytest.mark.slow
def test_tests_of_a_file_that_runs_a_line_when_it_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of tests draws bars when it is imported, and its tests read them."""
    monkeypatch.setattr(nearest_tests, "FOLDER", tmp_path)
    monkeypatch.setattr(nearest_tests, "INDEX", tmp_path / "index.json")
    tests, source = "tests/reports/test_drawing.py", "stablehlo_py/reports/plots/bars.py"
    nearest_tests.record([tests])
    lines = Path(nearest_tests.ROOT, source).read_text().splitlines()
    found, runs_line = nearest_tests.running(
        source, [(source, [1 + lines.index("    room = width - start - 150")])]
    )
    assert runs_line and f"{tests}::test_plot" in {test.partition("[")[0] for test, _ in found}


def test_a_row_stands_for_the_functions_that_read_its_table() -> None:
    source = Source(nearest_tests.ROOT, "stablehlo_py/transforms/chlo/coefficients.py")
    line = 1 + next(i for i, row in enumerate(source.text.splitlines()) if row.startswith("ERFC_R_F32"))
    readers = mutants._readers(source, line + 2)
    assert [file for file, _ in readers] == ["stablehlo_py/transforms/chlo/error_functions.py"]
    texts = Path(nearest_tests.ROOT, readers[0][0]).read_text().splitlines()
    assert "ERFC_R_F32" in texts[readers[0][1][0] - 1]


def test_the_cases_of_a_function_are_in_parts_of_sixteen(monkeypatch: pytest.MonkeyPatch) -> None:
    import function_contexts

    cases = {f"a.py::g[{i}]": 9.0 for i in range(16)}
    spent = {"a.py::f#0": {"a.py::f[1]": 0.2}, "a.py::g#0": cases}
    monkeypatch.setattr(function_contexts, "_seconds", defaultdict(dict, spent))
    assert function_contexts._context("a.py::f[2]") == "a.py::f#0"
    assert function_contexts._context("a.py::g[16]") == "a.py::g#1"


def test_seconds_of_a_record_are_coarse() -> None:
    """Up to the next of 1/512, 1/128, 1/32, 1/8, ...: those of a busy machine are mostly the same."""
    given = (0.0, 0.03, 0.04, 0.125, 0.13, 0.5, 0.6, 2.1, 8.0, 9.0)
    expected = [1 / 512, 1 / 32, 0.125, 0.125, 0.5, 0.5, 2, 8, 8, 32]
    assert [nearest_tests._coarse(seconds) for seconds in given] == expected
