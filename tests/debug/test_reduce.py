"""Reduction: what stays is small, valid, and still interesting."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.reduce import checks
from stablehlo_py.debug.reduce.candidate import Candidate, candidate_of
from stablehlo_py.debug.reduce.checks import Command, Differs, matches
from stablehlo_py.debug.reduce.edits import simpler_constants

TEXT = """func.func private @normalized(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %cst = stablehlo.constant dense<9.99999974E-6> : tensor<8x16xf32>
  %0 = stablehlo.multiply %x, %x : tensor<8x16xf32>
  %1 = stablehlo.add %0, %cst : tensor<8x16xf32>
  %2 = stablehlo.rsqrt %1 {kept = 1 : i32} : tensor<8x16xf32>
  %3 = stablehlo.multiply %x, %2 : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<8x16xf32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %e = stablehlo.exponential %c : tensor<8x16xf32>
    %d = func.call @normalized(%e) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    stablehlo.return %n, %d : tensor<i32>, tensor<8x16xf32>
  }
  %1 = stablehlo.dot_general %0#1, %w, contracting_dims = [1] x [0]
    : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.sine %1 : tensor<8x4xf32>
  return %2, %0#1 : tensor<8x4xf32>, tensor<8x16xf32>
}"""


class Faulty:
    """An engine whose `rsqrt` is a `sqrt`."""

    name = "faulty"
    takes = "module"

    def is_available(self) -> bool:
        return True

    def prepare(self, module: shlo.Module, entry: str, options: Any) -> Any:
        text = shlo.format(module).replace("stablehlo.rsqrt", "stablehlo.sqrt")
        timeout = options.limits.timeout if options.limits else None
        return _Executable(shlo.compile(shlo.parse(text), entry, engine="numpy", timeout=timeout))


class _Executable:
    def __init__(self, program: Any) -> None:
        self.plan = program.plan
        self._program = program

    def __call__(self, *inputs: Any) -> Any:
        return self._program(*inputs)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run of a program is short enough to limit those that follow."""
    monkeypatch.setattr(checks, "monotonic", count(0.0, 1000.0).__next__)


@pytest.mark.parametrize("guided", [True, False])
def test_two_engines_differ(guided: bool) -> None:
    check = Differs("numpy", Faulty())  # type: ignore[arg-type]
    if not guided:
        check.suspect = lambda candidate: None  # type: ignore[method-assign]
    found = shlo.reduce(shlo.parse(TEXT), check)
    (op,) = [op for op in found.candidate.module.walk() if op.name.startswith("stablehlo.")]
    assert op.name == "stablehlo.rsqrt" and str(op.result.type) == "tensor<1x1xf32>" and not op.attributes
    assert not shlo.verify(found.candidate.module)
    assert check(found.candidate)
    assert found.before == 15 and found.steps[-1].startswith("1 ops: ")


def test_a_command(tmp_path: Path) -> None:
    """Interesting: a dot_general whose result is finite, for the inputs in the file."""
    script = tmp_path / "isbad.py"
    script.write_text(
        "import array, sys, zipfile\n"  # NumPy takes a tenth of a second
        "text = open(sys.argv[1]).read()\n"
        "archive = zipfile.ZipFile(sys.argv[2])\n"
        "bodies = [archive.read(name)[128:] for name in archive.namelist()]\n"
        "finite = all(abs(x) < float('inf') for body in bodies for x in array.array('f', body))\n"
        "sys.exit(0 if 'dot_general' in text and finite else 1)\n"
    )
    kept: list[int] = []
    journal = tmp_path / "journal"
    given = {"inputs": [np.ones((8, 16), np.float32), np.ones((16, 4), np.float32)], "journal": journal}
    check = Command(f"{sys.executable} -IS {script} {{}} {{inputs}}")
    program, sizes = shlo.parse(TEXT), kept.append
    given |= {"jobs": 2, "keep": lambda each: sizes(each.size)}
    found = shlo.reduce(program, check, **given)  # type: ignore[arg-type]
    assert found.candidate.size == 1 and "dot_general" in found.candidate.text
    assert kept and kept[-1] == 1 and found.tests == len(journal.read_text().splitlines())
    again = shlo.reduce(shlo.parse(TEXT), check, **given)  # type: ignore[arg-type]
    assert again.tests == 0 and again.candidate.text == found.candidate.text


def test_the_command_of_an_engine_has_the_options_of_the_run() -> None:
    command = [sys.executable, *shlex.split("-m stablehlo_py run {} --input {inputs} --engine native -n 2")]
    for check in (checks.crashes, partial(matches, "unknown")):
        assert shlex.split(check("native", timeout=60, options=["-n", "2"]).name) == command


@pytest.mark.slow
def test_branches_and_messages() -> None:
    text = """func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.sine %x : tensor<4xf32>
    %2 = stablehlo.custom_call @nowhere(%1) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %3 = stablehlo.negate %0 : tensor<4xf32>
  return %3 : tensor<4xf32>
}"""
    found = shlo.reduce(shlo.parse(text), matches("custom_call target @nowhere", "numpy"))
    assert found.candidate.size == 1 and "@nowhere" in found.candidate.text


NAN = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.logistic %0 : tensor<4xf32>
  %c = stablehlo.constant dense<2.0> : tensor<4xf32>
  %2 = stablehlo.subtract %1, %c : tensor<4xf32>
  %3 = stablehlo.log %2 : tensor<4xf32>
  %4 = stablehlo.multiply %3, %3 : tensor<4xf32>
  %5 = stablehlo.tanh %4 : tensor<4xf32>
  return %5 : tensor<4xf32>
}"""


class HasNan:
    """Whether a result has a NaN."""

    name = "nan"

    def __call__(self, candidate: Candidate) -> bool:
        results = shlo.run(candidate.module, candidate.inputs, engine="numpy")
        return any(np.isnan(value).any() for value in results)

    def suspect(self, candidate: Candidate) -> Candidate | None:
        return None


def test_the_cause_of_a_nan_stays() -> None:
    """The logarithm of a negative number: what follows has a NaN as its input."""
    x = np.array([0.5, -1.0, 2.0, 0.25], np.float32)
    said: list[str] = []
    found = shlo.reduce(shlo.parse(NAN), HasNan(), [x], say=said.append)
    assert [op.name for op in found.candidate.ops] == ["stablehlo.log"]
    assert all(np.isfinite(value).all() for value in found.candidate.inputs)
    assert said[-1].endswith("whose inputs would not be finite")
    found = shlo.reduce(shlo.parse(NAN), HasNan(), [x], finite=False)
    assert found.candidate.size == 0 or found.candidate.non_finite
    found = shlo.reduce(shlo.parse(NAN), HasNan(), [np.full(4, np.nan, np.float32)])  # as given
    assert np.isnan(found.candidate.inputs[0]).any()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e4m3fn", "float16", "complex64"])
def test_inputs_that_are_not_finite(dtype: str) -> None:
    numbers = np.array([1, np.nan]).astype(getattr(ml_dtypes, dtype, dtype))
    module = shlo.parse(NAN)
    assert not Candidate(module, (numbers[:1], np.arange(3))).non_finite
    assert Candidate(module, ((numbers[:1], numbers),)).non_finite == {"nan"}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e5m2", "complex64"])
def test_kinds_of_elements_that_are_not_finite(dtype: str) -> None:
    module, row = shlo.parse(NAN), getattr(ml_dtypes, dtype, dtype)
    assert Candidate(module, (np.array([1, np.inf]).astype(row),)).non_finite == {"inf"}
    assert Candidate(module, (np.array([1, -np.inf]).astype(row), np.array(np.nan))).non_finite == {
        "-inf",
        "nan",
    }


def test_an_infinity_that_is_given_allows_no_nan() -> None:
    """As a mask has it: the logarithm of a negative number is still the cause."""
    x = np.array([0.5, -np.inf, 2.0, 0.25], np.float32)
    found = shlo.reduce(shlo.parse(NAN), HasNan(), [x])
    assert [op.name for op in found.candidate.ops] == ["stablehlo.log"]
    assert not np.isnan(found.candidate.inputs[0]).any()


@pytest.mark.parametrize("value", ["0xFF800000", "0x7FC00000", "2.0", "[0.0, 0x7F800000]"])
def test_constants_become_0_or_1_whatever_they_were(value: str) -> None:
    """-infinity, NaN and a number; a step that changes nothing would be taken again without an end."""
    module = shlo.parse(
        f"""func.func @main() -> tensor<2xf32> {{
  %0 = stablehlo.constant dense<{value}> : tensor<2xf32>
  return %0 : tensor<2xf32>
}}"""
    )
    found = [edit.make() for edit in simpler_constants(Candidate(module, []))]
    results = [shlo.run(each.module, [])[0].tolist() for each in found if each is not None]
    assert results == ([[0, 0], [1, 1]] if "[" not in value else [[0, 0]])


def test_a_check_that_holds_for_any_program() -> None:
    said: list[str] = []
    found = shlo.reduce(shlo.parse(NAN), Command("test -e {}"), say=said.append)
    assert found.candidate.size == 0 and any("does not depend on what" in line for line in said)


def test_not_interesting() -> None:
    with pytest.raises(shlo.StablehloError, match=r"not interesting to begin with: differs: numpy, numpy"):
        shlo.reduce(shlo.parse(TEXT), Differs("numpy", "numpy"))
    with pytest.raises(ValueError, match=r"has no \{\}"):
        Command("true")


def test_inputs_of_another_number_are_an_error() -> None:
    module = shlo.parse("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    with pytest.raises(shlo.RunError, match="@main has 1 input, got 2"):
        candidate_of(module, [1.0, 2.0], "main")
    assert candidate_of(module, [1.0], "main").inputs[0].dtype == np.float32
