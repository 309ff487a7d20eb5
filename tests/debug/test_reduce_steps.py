"""Steps of a reduction: which programs are tried, in which order, and what a candidate holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare_arrays import Tolerance
from stablehlo_py.debug.fuzz import fuzz as fuzzing
from stablehlo_py.debug.fuzz.fuzz import StillWrong
from stablehlo_py.debug.fuzz.report import Report
from stablehlo_py.debug.fuzz.verdict import Verdict
from stablehlo_py.debug.generate.programs import Request
from stablehlo_py.debug.reduce import checks
from stablehlo_py.debug.reduce.candidate import Candidate, candidate_of
from stablehlo_py.debug.reduce.checks import Differs
from stablehlo_py.debug.reduce.descent import Descent, Edit, runs
from stablehlo_py.debug.reduce.edits import unwrapped
from stablehlo_py.debug.reduce.reducer import Journal, Reducer
from stablehlo_py.debug.reduce.shrink import shrunk
from stablehlo_py.diagnostics.diagnostic import InternalError
from tests.helpers import programs

X = np.float32(0.5)
chain = partial(programs.chain, type="f32")


def names(candidate: Candidate) -> list[str]:
    return [op.name.removeprefix("stablehlo.") for op in candidate.ops]


class Has:
    """Whether a program has all of some ops; `seen` are the ops of the programs that were checked."""

    def __init__(self, *wanted: str, suspect: Callable[[Candidate], Candidate | None] | None = None) -> None:
        self.name = "has " + " ".join(wanted)
        self.wanted, self.seen = set(wanted), list[list[str]]()
        self._suspect = suspect or (lambda candidate: None)

    def __call__(self, candidate: Candidate) -> bool:
        self.seen.append(names(candidate))
        return self.wanted <= set(names(candidate))

    def suspect(self, candidate: Candidate) -> Candidate | None:
        return self._suspect(candidate)


# The order of steps -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, []),
        (1, [(0, 1)]),
        (2, [(0, 1), (1, 2)]),
        (3, [(0, 1), (1, 2), (2, 3)]),
        (4, [(0, 2), (2, 4), (0, 1), (1, 2), (2, 3), (3, 4)]),
        (7, [(0, 3), (3, 6), (6, 9), *[(i, i + 1) for i in range(7)]]),
        (8, [(0, 4), (4, 8), (0, 2), (2, 4), (4, 6), (6, 8), *[(i, i + 1) for i in range(8)]]),
    ],
)
def test_runs_of_items(count: int, expected: list[tuple[int, int]]) -> None:
    assert [(run.start, run.stop) for run in runs(count)] == expected


@pytest.mark.parametrize(
    ("jobs", "made"), [(1, [1, 2, None, 4]), (2, [1, 2, None, 4]), (3, [1, 2, None, 4, 6, 7]), (9, None)]
)
def test_the_first_that_holds_is_taken_of_those_tried_at_once(jobs: int, made: list[Any] | None) -> None:
    """4, 6 and 7 hold, and so would what cannot be made."""
    numbers, tried = [1, 2, None, 4, 6, 7, 3], list[Any]()
    accepted: list[tuple[str, int]] = []

    def make(number: int | None) -> int | None:
        tried.append(number)
        return number

    descent = Descent[int](
        lambda each: each is None or each > 3, lambda edit, each: accepted.append((edit.what, each)), jobs
    )
    assert descent.first([Edit(f"to {n}", lambda n=n: make(n)) for n in numbers]) == 4  # type: ignore[misc]
    assert accepted == [("to 4", 4)] and tried == (numbers if made is None else made)
    assert descent.first([Edit("to 1", lambda: 1)]) is None and len(accepted) == 1


def test_a_phase_is_repeated_from_what_it_made() -> None:
    steps: list[int] = []
    descent = Descent[int](lambda each: bool(each and each >= 3), lambda edit, each: steps.append(each), 1)
    halves = lambda n: [Edit("half", lambda: n // 2), Edit("less", lambda: n - 1)]  # noqa: E731
    assert descent.repeat(14, halves) == 3 and steps == [7, 3]


def test_a_function_without_ops_is_a_candidate() -> None:
    """An invalid program, of which a crash is reduced, may have no return."""
    module = shlo.parse("func.func @main(%x: tensor<f32>) {\n}\n")
    candidate = candidate_of(module, [X], "main")
    assert [op.name for op in candidate.module.functions["main"].entry_block.ops] == ["func.return"]


@pytest.mark.parametrize(
    ("first", "second", "sizes", "steps"),
    [
        # The shortest prefix by bisection, then a suffix of it that is twice as long each time.
        (5, 9, [20, 10, 5, 7, 8, 9, 1, 2, 4, 8],
         ["10 ops: keep the first 10 ops", "8 ops: keep the last 8 ops"]),
        (9, 9, [20, 10, 5, 7, 8, 9, 1], ["10 ops: keep the first 10 ops", "1 ops: keep the last op"]),
        (0, 0, [20, 10, 5, 2, 1],
         ["10 ops: keep the first 10 ops", "5 ops: keep the first 5 ops", "2 ops: keep the first 2 ops",
          "1 ops: keep the first 1 ops"]),
        (5, 19, [20, 10, 15, 17, 18, 19, 1, 2, 4, 8, 16], ["16 ops: keep the last 16 ops"]),
        (0, 19, [20, 10, 15, 17, 18, 19, 1, 2, 4, 8, 16], []),
        (18, 19, [20, 10, 15, 17, 18, 19, 1, 2], ["2 ops: keep the last 2 ops"]),
    ],
)  # fmt: skip
def test_a_window_of_ops(first: int, second: int, sizes: list[int], steps: list[str]) -> None:
    """Of twenty ops, a sine and a cosine matter, or one of both."""
    ops = ["negate"] * 20
    ops[first], ops[second] = "sine", "cosine" if second > first else "sine"
    check = Has("sine", *(["cosine"] if second > first else []))
    said: list[str] = []
    found = Reducer(check, say=said.append).run(candidate_of(chain(*ops), [X], "main"))
    assert [len(each) for each in check.seen][: len(sizes)] == sizes
    assert found.steps[: len(steps)] == steps and said[:1] == ["20 ops: interesting"]
    assert said[1 : 1 + len(steps)] == steps
    assert set(names(found.candidate)) == check.wanted and found.candidate.size == len(check.wanted)
    assert (found.before, found.tests) == (20, len(check.seen))


def test_candidates_are_checked_one_by_one() -> None:
    """By default: what is tried after a step are the candidates of the smaller program."""
    check = Has("sine")
    found = Reducer(check).run(candidate_of(chain("abs", "sine", "tanh"), [X], "main"))
    assert check.seen[:5] == [["abs", "sine", "tanh"], ["sine", "tanh"], ["tanh"], ["sine"], []]
    assert found.steps[:2] == ["2 ops: drop stablehlo.abs", "1 ops: drop stablehlo.tanh"]


def test_phases_are_repeated_while_one_of_them_helps() -> None:
    """The sine matters until the constant is simpler, which is the last phase."""

    class Late(Has):
        def __call__(self, candidate: Candidate) -> bool:
            return super().__call__(candidate) and (
                "sine" in names(candidate) or "dense<2.0" not in candidate.text
            )

    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %c = stablehlo.constant dense<2.0> : tensor<f32>
      %0 = stablehlo.sine %x : tensor<f32>
      %1 = stablehlo.add %0, %c : tensor<f32>
      return %1 : tensor<f32>
    }"""
    found = Reducer(Late("constant", "add")).run(candidate_of(shlo.parse(text), [X], "main"))
    assert sorted(names(found.candidate)) == ["add", "constant"]


@pytest.mark.parametrize(("count", "first"), [(8, "drop the half"), (9, "bisect")])
def test_few_ops_are_not_bisected(count: int, first: str) -> None:
    check = Has("sine")
    Reducer(check).run(candidate_of(chain(*["abs"] * (count - 4), "sine", *["negate"] * 3), [X], "main"))
    half = {"drop the half": ["sine", *["negate"] * 3], "bisect": ["abs"] * 4}
    assert check.seen[1] == half[first]


def test_the_suspect_is_tried_first() -> None:
    def alone(candidate: Candidate) -> Candidate:
        return candidate.keeping([op for op in candidate.ops if op.name == "stablehlo.sine"])

    check = Has("sine", suspect=alone)
    found = Reducer(check).run(candidate_of(chain(*["abs"] * 9, "sine", "abs"), [X], "main"))
    assert found.steps[0] == "1 ops: keep stablehlo.sine only" and check.seen[1] == ["sine"]
    check = Has("abs", suspect=alone)
    found = Reducer(check).run(candidate_of(chain("abs", "sine"), [X], "main"))
    assert names(found.candidate) == ["abs"]
    with_constants = Has("add", suspect=lambda candidate: candidate.keeping(candidate.ops[2:3]))
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.sine %x : tensor<f32>
      %c = stablehlo.constant dense<2.0> : tensor<f32>
      %1 = stablehlo.add %0, %c : tensor<f32>
      return %1 : tensor<f32>
    }"""
    found = Reducer(with_constants).run(candidate_of(shlo.parse(text), [X], "main"))
    assert found.steps[0] == "2 ops: keep stablehlo.add only"


class Unequal:
    """Whether a program has an addition; notes whether a program is valid."""

    name = "an addition"

    def __init__(self) -> None:
        self.valid: list[bool] = []

    def __call__(self, candidate: Candidate) -> bool:
        self.valid.append(not shlo.verify(candidate.module))
        return any(op.name == "stablehlo.add" for op in candidate.ops)

    def suspect(self, candidate: Candidate) -> Candidate | None:
        return None


@pytest.mark.parametrize("valid", [True, False])
def test_a_valid_program_stays_valid(valid: bool) -> None:
    """Another size would make the reshape wrong; an invalid program may become any other."""
    text = """func.func @main(%x: tensor<2x4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.reshape %x : (tensor<2x4xf32>) -> tensor<SIZExf32>
      %1 = stablehlo.add %0, %y : tensor<SIZExf32>
      return %1 : tensor<SIZExf32>
    }""".replace("SIZE", "8" if valid else "7")
    module = shlo.parse(text.replace("%y: tensor<8xf32>", f"%y: tensor<{8 if valid else 7}xf32>"))
    check = Unequal()
    start = Candidate(module, (np.ones((2, 4), np.float32), np.ones(8 if valid else 7, np.float32)))
    found = Reducer(check).run(start)
    assert all(check.valid) is valid and found.candidate.size == 1


NAN = chain("negate", "logistic", "sine", "log", "abs")


class HasNan:
    name = "nan"

    def __call__(self, candidate: Candidate) -> bool:
        return any(np.isnan(value).any() for value in shlo.run(candidate.module, candidate.inputs))

    def suspect(self, candidate: Candidate) -> Candidate | None:
        return None


def test_a_reducer_keeps_inputs_finite_unless_told_otherwise() -> None:
    """The logarithm of -sine(logistic(-x)) is the cause of the NaN, and not what takes it."""
    module = chain("logistic", "negate", "log", "abs")
    found = Reducer(HasNan()).run(candidate_of(module, [X], "main"))
    assert names(found.candidate) == ["log"] and np.isfinite(found.candidate.inputs[0])
    assert not any(name == "log" for name in names(
        Reducer(HasNan(), finite=False).run(candidate_of(module, [X], "main")).candidate
    ))  # fmt: skip


def test_what_the_verifier_cannot_look_at_is_not_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect of the verifier is no answer: of a program that had one, every candidate is tried."""

    def fails(module: shlo.Module) -> Any:
        raise InternalError("defect")

    monkeypatch.setattr("stablehlo_py.debug.reduce.reducer.verify_module", fails)
    found = Reducer(Has("sine")).run(candidate_of(chain("abs", "sine", "abs"), [X], "main"))
    assert names(found.candidate) == ["sine"]


def test_a_body_without_ops_has_no_iteration() -> None:
    text = """func.func @main(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
      %0:2 = stablehlo.while(%a = %x, %q = %p) : tensor<f32>, tensor<i1>
      cond {
        %n = stablehlo.not %q : tensor<i1>
        stablehlo.return %n : tensor<i1>
      } do {
        stablehlo.return %a, %p : tensor<f32>, tensor<i1>
      }
      return %0#0 : tensor<f32>
    }"""
    start = Candidate(shlo.parse(text), (X, np.bool_(True)))
    made = {each.what: each.make() for each in unwrapped(start)}
    assert made["take body of stablehlo.while in iteration 0"] is None
    first = made["take cond of stablehlo.while in iteration 0"]
    assert first is not None and names(first) == ["not"] and first.inputs == (True,)
    assert made["take cond of stablehlo.while in iteration 1"] is None  # it ends before


# The journal --------------------------------------------------------------------------------------------


def test_a_journal_has_the_verdicts_of_its_check(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    rows = [["mine", "a", True], ["other", "b", True], ["mine", "c", False], ["other", "a", False]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '["mine", "d", tr')
    journal = Journal(path, "mine")
    assert [journal.find(key) for key in "abcd"] == [True, None, False, None]
    journal.add("e", True)
    journal.add("c", True)
    assert (journal.find("e"), journal.find("c")) == (True, True)
    assert path.read_text().endswith('tr["mine", "e", true]\n["mine", "c", true]\n')
    assert Journal(path, "mine").find("c") is True
    new = tmp_path / "new"
    Journal(new, "mine").add("k", False)
    assert new.read_text() == '["mine", "k", false]\n' and Journal(new, "other").find("k") is None
    memory = Journal(None, "mine")
    memory.add("k", False)
    assert (memory.find("k"), memory.find("l")) == (False, None)


# Candidates ---------------------------------------------------------------------------------------------

SEVERAL = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = stablehlo.constant dense<3.0> : tensor<2xf32>
  %a = stablehlo.add %x, %c : tensor<2xf32>
  %b = stablehlo.multiply %a, %y : tensor<2xf32>
  %d = stablehlo.subtract %b, %a : tensor<2xf32>
  %e = stablehlo.divide %d, %c : tensor<2xf32>
  return %d, %y : tensor<2xf32>, tensor<2xf32>
}"""
P, Q = np.float32([1, 2]), np.float32([4, 5])  # type: ignore[arg-type]
A, B, D = P + 3, (P + 3) * Q, (P + 3) * Q - (P + 3)


@pytest.mark.parametrize(
    ("kept", "results", "constants", "inputs", "returned"),
    [
        ("a", None, True, [P], [A]),
        ("a", None, False, [P, np.float32([3, 3])], [A]),  # type: ignore[arg-type]
        ("b", None, True, [A, Q], [B]),
        ("ab", None, True, [P, Q], [A, B]),  # both are used by another op
        ("bd", None, True, [A, Q], [D]),
        ("ad", None, True, [P, B], [A, D]),
        ("e", None, True, [D], [D / 3]),  # nothing uses it
        ("de", None, True, [B, A], [D, D / 3]),  # returned, and the last one
        ("ab", "b", True, [P, Q], [B]),
        ("b", "ab", True, [A, Q], [A, B]),
    ],
)
def test_ops_that_are_kept(
    kept: str, results: str | None, constants: bool, inputs: list[Any], returned: list[Any]
) -> None:
    start = Candidate(shlo.parse(SEVERAL), (P, Q))
    ops = {str(op.results[0])[1:]: op for op in start.ops}
    values = None if results is None else [ops[name].result for name in results]
    made = start.keeping([ops[name] for name in kept], values, constants=constants)
    assert [each.tolist() for each in made.inputs] == [each.tolist() for each in inputs]
    found = shlo.run(made.module, made.inputs)
    assert [each.tolist() for each in found] == [each.tolist() for each in returned]


def test_values_of_a_program_that_cannot_be_run_are_drawn() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2x3xf32> {
      %0 = stablehlo.custom_call @nowhere(%x) : (tensor<2xf32>) -> tensor<2x3xf32>
      %1 = stablehlo.negate %0 : tensor<2x3xf32>
      return %1 : tensor<2x3xf32>
    }"""
    start = Candidate(shlo.parse(text), (P,))
    first, again = [start.keeping(start.ops[1:]) for _ in range(2)]
    assert first.inputs[0].shape == (2, 3) and first.inputs[0].std() > 0
    assert np.array_equal(first.inputs[0], again.inputs[0])
    assert start.values(start.body.arguments) == (P,)


def test_what_a_candidate_is_known_by() -> None:
    start = candidate_of(shlo.parse(SEVERAL), {"y": [4, 5], "x": [1, 2]}, "main")
    assert {name: each.tolist() for name, each in start.named_inputs.items()} == {"x": [1, 2], "y": [4, 5]}
    assert [each.dtype for each in start.inputs] == [np.float32] * 2
    assert (start.size, len(start.ops), [str(each) for each in start.results]) == (5, 5, ["%d", "%y"])
    drawn, again = (candidate_of(shlo.parse(SEVERAL), None, "main") for _ in range(2))
    assert drawn.key == again.key != start.key
    assert [np.array_equal(*two) for two in zip(drawn.inputs, drawn.inputs[::-1], strict=True)] == [False] * 2
    parsed = start.parsed()
    assert parsed.text == start.text and parsed.inputs is start.inputs
    assert [parsed.module.line(op) for op in parsed.ops] == [2, 3, 4, 5, 6]
    assert parsed.module.name == "reduced"
    token = Candidate(start.module, (None, Q))
    assert token.non_finite == frozenset()
    assert Candidate(start.module, (None, np.float32(np.inf))).non_finite == {"inf"}
    assert len({token.key, Candidate(start.module, (P, Q)).key, Candidate(start.module, (None, P)).key}) == 3


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        (np.float32([1, -2]), ""),
        (np.float32([1, np.nan]), "nan"),
        (np.float64([-np.inf, np.nan]), "-inf nan"),
        (np.complex64(complex(1, np.nan)), "nan"),
        (np.complex64(complex(-np.inf, np.inf)), "-inf inf"),
        (np.complex128(complex(2, -np.inf)), "-inf"),
        ((np.float32(1), (np.float32(np.inf), np.int32(1))), "inf"),
        (np.int32([1]), ""),
        (None, ""),
    ],
    ids=str,
)
def test_kinds_of_numbers_that_are_not_finite(value: Any, kinds: str) -> None:
    module = shlo.parse("func.func @main() {\n  return\n}")
    assert Candidate(module, (value,)).non_finite == set(kinds.split())


def test_regions_and_functions_count() -> None:
    text = """func.func private @f(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.negate %x : tensor<f32>
      return %0 : tensor<f32>
    }
    func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = stablehlo.abs %x : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }, {
        stablehlo.return %x : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      %2 = func.call @f(%0) : (tensor<f32>) -> tensor<f32>
      return %2 : tensor<f32>
    }"""
    start = Candidate(shlo.parse(text), (np.bool_(True), X))
    assert (start.size, len(start.ops)) == (4, 2)


# Shrinking ----------------------------------------------------------------------------------------------

LARGE = """func.func private @f(%a: tensor<4x3xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4x3xf32>, %t: tuple<tensor<4xf32>, tensor<3xi1>>, %d: tensor<?x4xf32>) -> tensor<4xi32> {
  %0 = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi32>
  %1 = stablehlo.constant dense<7> : tensor<4xi32>
  %2 = stablehlo.constant dense<[4, 8]> : tensor<2xi64>
  %k = stablehlo.create_token : !stablehlo.token
  %3 = "test.op"(%x) {list = array<i64: 4, 8, 1>, nested = [array<i64: 4>, 4 : i64], kind = tensor<4xi8>} : (tensor<4x3xf32>) -> tensor<4xi32>
  return %3 : tensor<4xi32>
}"""  # noqa: E501
SMALL = """func.func private @f(%a: tensor<2x3xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2x3xf32>, %t: tuple<tensor<2xf32>, tensor<3xi1>>, %d: tensor<?x2xf32>) -> tensor<2xi32> {
  %0 = stablehlo.constant dense<[[1, 2], [5, 6], [9, 10]]> : tensor<3x2xi32>
  %1 = stablehlo.constant dense<7> : tensor<2xi32>
  %2 = stablehlo.constant dense<[4, 8]> : tensor<2xi64>
  %k = stablehlo.create_token : !stablehlo.token
  %3 = "test.op"(%x) {list = array<i64: 2, 8, 1>, nested = [array<i64: 2>, 4 : i64], kind = tensor<2xi8>} : (tensor<2x3xf32>) -> tensor<2xi32>
  return %3 : tensor<2xi32>
}"""  # noqa: E501


def test_a_size_shrinks_wherever_it_is() -> None:
    module, expected = (shlo.parse(text, allow_unregistered=True) for text in (LARGE, SMALL))
    before = shlo.format(module)
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    inputs = (x, (x[:, 0], np.ones(3, bool)), None, np.arange(4)[:, None] + np.zeros((1, 4)))
    found = shrunk(module, inputs, 4, 2)
    assert found is not None and shlo.format(found[0]) == shlo.format(expected)
    assert shlo.format(module) == before
    constants = [op.properties["value"] for op in found[0].walk() if op.name == "stablehlo.constant"]
    assert not any(each.data.flags.writeable for each in constants)  # type: ignore[attr-defined]
    a, (b, c), token, d = found[1]
    assert np.array_equal(a, x[:2]) and np.array_equal(b, x[:2, 0]) and c.shape == (3,)
    assert token is None and d.tolist() == [[0, 0], [1, 1]]


# Two engines --------------------------------------------------------------------------------------------


class Engine:
    """An engine whose `sine` is a cosine; `limits` are the time limits of its programs."""

    takes = "module"

    def __init__(self, name: str = "other", error: Exception | None = None) -> None:
        self.name, self.error, self.limits = name, error, list[float | None]()

    def is_available(self) -> bool:
        return True

    def prepare(self, module: shlo.Module, entry: str, options: Any) -> Any:
        if self.error is not None:
            raise self.error
        self.limits.append(options.limits and options.limits.timeout)
        program = shlo.compile(shlo.parse(shlo.format(module).replace("sine", "cosine")), entry)
        run = lambda *inputs: program(*inputs)  # noqa: E731
        return _Executable(program.plan, run)


class _Executable:
    def __init__(self, plan: Any, run: Any) -> None:
        self.plan, self._run = plan, run

    def __call__(self, *inputs: Any) -> Any:
        return self._run(*inputs)


@pytest.mark.parametrize(
    ("tolerance", "name"),
    [
        (None, "differs: numpy, other"),
        (Tolerance(rtol=1e-3), "differs: numpy, other, rtol 0.001"),
        (Tolerance(atol=2.0, ulp=4, floor=0.5), "differs: numpy, other, atol 2, ulp 4, floor 0.5"),
    ],
)
def test_the_name_of_a_comparison_states_its_tolerance(tolerance: Tolerance | None, name: str) -> None:
    assert Differs("numpy", Engine(), tolerance).name == name  # type: ignore[arg-type]


def test_results_that_differ_shorten_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One second more than five times what a program that differs has taken, and never longer than before."""
    engine, now = Engine(), iter([0.0, 2.0, 10.0, 20.0, 29.0, 30.0, 30.0, 50.0])
    monkeypatch.setattr(checks, "monotonic", now.__next__)
    check = Differs("numpy", engine, timeout=40.0)  # type: ignore[arg-type]
    wrong, right = (Candidate(chain(name), (X,)) for name in ("sine", "abs"))
    verdicts = [check(each) for each in (wrong, right, wrong, wrong)]
    assert verdicts == [True, False, True, True] and engine.limits == [40.0, 11.0, 11.0, 11.0]
    assert check(right) is False and engine.limits[-1] == 1.0


@pytest.mark.parametrize(
    ("x", "tolerance", "differs"),
    [
        (0.5, None, True),  # 0.479 and 0.878
        (0.5, Tolerance(atol=0.3), True),
        (0.5, Tolerance(atol=0.5), False),
        (np.pi / 4, None, False),
    ],
)
def test_a_tolerance_of_two_engines(x: float, tolerance: Tolerance | None, differs: bool) -> None:
    check = Differs("numpy", Engine(), tolerance)  # type: ignore[arg-type]
    assert check(Candidate(chain("sine"), (np.float32(x),))) is differs


def test_programs_that_fail_are_not_interesting_but_defects_are_raised() -> None:
    start = Candidate(chain("sine"), (X,))
    fails = Differs("numpy", Engine(error=shlo.RunError("no")))  # type: ignore[arg-type]
    assert fails(start) is False and fails.suspect(start) is None
    with pytest.raises(InternalError):
        Differs("numpy", Engine(error=InternalError("defect")))(start)  # type: ignore[arg-type]


def test_the_suspect_of_two_engines() -> None:
    """The op with an error of its own, with its operand in the iteration in which it is wrong."""
    start = Candidate(chain("abs", "negate", "sine", "abs"), (X,))
    for first, second in (("numpy", Engine()), (Engine(), "numpy")):
        found = Differs(first, second).suspect(start)  # type: ignore[arg-type]
        assert found is not None and names(found) == ["sine"] and found.inputs == (-0.5,)
    assert Differs("numpy", "numpy").suspect(start) is None
    right = Candidate(chain("abs", "negate"), (X,))
    assert Differs("numpy", Engine()).suspect(right) is None  # type: ignore[arg-type]
    close = Differs("numpy", Engine(), Tolerance(atol=9.0))  # type: ignore[arg-type]
    found = close.suspect(start)
    assert found is None or names(found) == ["sine"]


# Drawn programs -----------------------------------------------------------------------------------------

REDUCER = """func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    %2 = stablehlo.maximum %1, %a : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  %3 = "stablehlo.if"(%p) ({
    %4 = stablehlo.negate %0 : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }, {
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %3, %z : tensor<f32>, tensor<f32>
}"""


class Judging:
    """Engines that give stated verdicts, one after the other."""

    names = ("numpy", "other")

    def __init__(self, *verdicts: Verdict | None) -> None:
        self.verdicts, self.asked, self.results = [*verdicts], 0, 0

    def __enter__(self) -> Judging:
        return self

    def __exit__(self, *rest: object) -> None:
        pass

    def judge(self, module: shlo.Module, inputs: Any) -> Verdict | None:
        self.asked += 1
        self.results += 10
        return self.verdicts.pop(0)


WRONG = Verdict("stablehlo.if", "results differ: f32, other values", "result 0", 0)
ERROR = Verdict("", "other: no memory", "no memory")


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ("", "", 1),
        ("negate", "abs", 1),  # in a region of control flow
        ("%2 = stablehlo.maximum %1, %a", "%2 = stablehlo.maximum %1, %b", 0),  # a function that combines
        ("%2 = stablehlo.maximum %1, %a", "%2 = stablehlo.minimum %1, %a", 0),
        ("    %2 = stablehlo.maximum %1, %a : tensor<f32>\n    stablehlo.return %2",
         "    stablehlo.return %1", 0),
        ("dense<0.0>", "dense<1.0>", 1),
    ],
)  # fmt: skip
def test_functions_that_combine_elements_are_not_edited(old: str, new: str, asked: int) -> None:
    module, engines = shlo.parse(REDUCER), Judging(WRONG)
    check = StillWrong(engines, WRONG, module)  # type: ignore[arg-type]
    assert check.name == "numpy other: stablehlo.if results differ: f32, other values"
    edited = shlo.parse(REDUCER.replace(old, new))
    assert check(Candidate(edited, ())) is bool(asked) and engines.asked == asked


def test_a_program_is_still_wrong_if_it_is_wrong_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    module = shlo.parse(REDUCER)
    start, now = Candidate(module, (np.ones(4, np.float32), np.bool_(True))), [0.0]
    monkeypatch.setattr(fuzzing, "monotonic", lambda: now[0])
    later = WRONG._replace(at=1)
    engines = Judging(later, None, ERROR, ERROR, later)
    check = StillWrong(engines, WRONG, module)  # type: ignore[arg-type]
    found = check.suspect(start)
    assert found is not None and names(found) == ["if"] and len(found.inputs) == 2
    assert check(start) and check.last == later
    assert names(check.suspect(start) or start) == ["constant"]
    assert [check(start), check(start)] == [False, False] and check.last == later
    error = StillWrong(engines, ERROR, module)  # type: ignore[arg-type]
    assert error.suspect(start) is None and error(start)
    now[0] = fuzzing.LONGEST_REDUCTION
    assert check(start)
    now[0] += 0.001
    assert not check(start) and engines.asked == 5
    argument = shlo.parse("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    assert StillWrong(engines, WRONG, argument).suspect(Candidate(argument, (X,))) is None  # type: ignore[arg-type]


def test_a_failure_that_does_not_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    engines = Judging(None, WRONG, None, None)
    monkeypatch.setattr(fuzzing, "Engines", lambda names: engines)
    report = Report(("numpy", "other"), 3, Request(ops=2, only=frozenset({"stablehlo.add"})), results=7)
    first, second, third = list(fuzzing.fuzz(report, 3))
    assert first is None and third is None and second is not None
    assert (report.programs, report.results) == (3, 7 + 30)  # what a reduction compares does not count
    assert second.group.cause == f"{WRONG.cause}, not in every run" and second.is_new
    assert second.group.first == 1 and second.reduced is not None
    assert second.reduced.size == Candidate(second.drawn.module, second.drawn.arguments).size


# What is lost where a program is unusual ----------------------------------------------------------------


def test_a_body_that_nothing_ends_returns_nothing() -> None:
    """The last op's operands are no results."""
    text = "func.func @main(%x: tensor<f32>) {\n  %0 = stablehlo.abs %x : tensor<f32>\n}"
    module = shlo.parse(text, allow_unregistered=True)
    start = candidate_of(module, [X], "main")
    assert names(start) == ["abs"] and start.results == ()


def test_values_of_ops_whose_regions_take_values_of_other_ops() -> None:
    text = """func.func @main(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
      %a = stablehlo.negate %x : tensor<f32>
      %b = stablehlo.sine %x : tensor<f32>
      %r = "stablehlo.if"(%p) ({
        %s = stablehlo.add %a, %x : tensor<f32>
        %t = stablehlo.multiply %s, %a : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }, {
        stablehlo.return %b : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      return %r : tensor<f32>
    }"""
    for x, p, expected in ((3.0, True, 0.0), (0.0, False, 0.0), (np.pi / 2, False, 1.0)):
        start = Candidate(shlo.parse(text), (np.float32(x), np.bool_(p)))
        assert start.values(start.results)[0] == pytest.approx(expected, abs=1e-6)


def test_a_program_with_a_newer_op_is_a_candidate() -> None:
    text = (
        'func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = "stablehlo.new"(%x) : '
        "(tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}"
    )
    found = Reducer(Has("new")).run(candidate_of(shlo.parse(text, allow_newer=True), [X], "main"))
    assert names(found.candidate) == ["new"] and found.candidate.inputs == (X,)


def test_values_that_take_too_long_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop of a billion steps."""
    text = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<1000000000> : tensor<i32>
      %0 = stablehlo.while(%i = %x) : tensor<i32>
      cond {
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j : tensor<i32>
      }
      return %0 : tensor<i32>
    }"""
    asked: list[Any] = []

    def limited(*given: Any, timeout: float, **options: Any) -> Any:
        asked.append(timeout)
        return shlo.compile(*given, timeout=0.05, **options)

    monkeypatch.setattr("stablehlo_py.debug.reduce.candidate.compile_program", limited)
    start = Candidate(shlo.parse(text), (np.int32(0),))
    (found,) = start.values(start.results)
    assert found.shape == () and found.dtype == np.int32 and asked == [60.0]


def test_phases_start_again_after_a_smaller_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first phase can do nothing until the second one has left two ops."""

    def phase(fits: Callable[[int], bool]) -> Callable[[Candidate], list[Edit[Candidate]]]:
        def edits(best: Candidate) -> list[Edit[Candidate]]:
            count = len(best.ops)
            return [Edit("drop", lambda: best.keeping(best.ops[:-1]))] if fits(count) else []

        return edits

    phases = (phase(lambda count: count == 2), phase(lambda count: count > 2))
    monkeypatch.setattr("stablehlo_py.debug.reduce.reducer._PHASES", phases)
    found = Reducer(Has("abs")).run(candidate_of(chain("abs", "sine", "tanh", "floor"), [X], "main"))
    assert names(found.candidate) == ["abs"]


def test_what_is_said_of_a_program_that_has_no_ops_and_of_each_run() -> None:
    said: list[str] = []
    empty = shlo.parse("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    Reducer(Has(), say=said.append).run(candidate_of(empty, [X], "main"))
    assert not [line for line in said if "no op is left" in line]
    reducer = Reducer(HasNan(), say=said.append)
    for _ in range(2):
        reducer.run(candidate_of(chain("negate", "log", "abs"), [X], "main"))
    left_out = [line for line in said if "left out" in line]
    assert len(left_out) == 2 and left_out[0] == left_out[1]
