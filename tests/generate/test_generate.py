"""Drawn programs: valid, of the ops that are asked for, the same for the same seed; and their fuzzing."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from stablehlo_py.cli.fuzz import command

import stablehlo_py as shlo
from stablehlo_py.debug.fuzz import engines
from stablehlo_py.debug.fuzz.fuzz import fuzz
from stablehlo_py.debug.fuzz.report import Report
from stablehlo_py.debug.generate.chain import Chain
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.ir.core import Block
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.ir.types import TensorType
from stablehlo_py.syntax.parser import parse_type

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]


def names(program: Any) -> set[str]:
    return {op.name for op in program.module.walk()}


def test_programs_are_valid_and_of_the_size() -> None:
    for number in range(20):
        drawn = generate(3, number, Request(ops=20))
        assert shlo.verify(drawn.module) == []
        assert 20 <= sum(1 for _ in drawn.module.walk()) < 200


def test_the_same_numbers_give_the_same_program() -> None:
    first, again, other = (generate(3, number) for number in (5, 5, 6))
    assert shlo.format(first.module) == shlo.format(again.module) != shlo.format(other.module)
    assert all(map(np.array_equal, first.arguments, again.arguments))


def test_a_constant_of_a_quantized_type_is_quantized() -> None:
    block, element = Block(), parse_type("!quant.uniform<i8:f32, 0.5>")
    chain = Chain(np.random.default_rng(0), OpBuilder(block), [], [element])
    made = chain.constant(TensorType((2,), element))
    assert (block.ops[0].name, block.ops[-1].name) == ("stablehlo.constant", "stablehlo.uniform_quantize")
    assert made.type == TensorType((2,), element)


def test_only_some_ops() -> None:
    only = frozenset({"stablehlo.add", "stablehlo.transpose", "stablehlo.reduce_window"})
    allowed = only | {"builtin.module", "func.func", "func.return", "stablehlo.constant"}
    assert all(names(generate(1, number, Request(only=only))) <= allowed for number in range(5))


@pytest.mark.parametrize("missing", ["compare", "and", "or", "select"])
def test_an_order_is_made_of_ops_that_are_asked_for(missing: str) -> None:
    """Of a sort and reductions with all of the four ops; of none without one of them."""
    order = {f"stablehlo.{name}" for name in ("compare", "and", "or", "select")}
    families = {f"stablehlo.{name}" for name in ("sort", "reduce", "reduce_window")}
    only = frozenset({"stablehlo.negate", *order, *families})
    drawn = [names(generate(1, number, Request(only=only))) for number in range(5)]
    assert families <= set().union(*drawn)
    fewer = Request(only=only - {f"stablehlo.{missing}"})
    assert not any(families & names(generate(1, number, fewer)) for number in range(5))


def test_regions_are_nested_as_deep_as_asked_for() -> None:
    flows = {"stablehlo.while", "stablehlo.if", "stablehlo.case", "func.call"}
    assert not any(names(generate(2, n, Request(ops=30, depth=0))) & flows for n in range(10))
    assert any(names(generate(2, n, Request(ops=30))) & flows for n in range(10))


def test_dynamic_shapes() -> None:
    """They are those of the arguments, and of vectors of sizes; the results are of the stated types."""
    drawn = [generate(4, number, Request(dynamic=True)) for number in range(30)]
    used = set().union(*map(names, drawn))
    assert {f"stablehlo.{name}" for name in ("dynamic_reshape", "get_dimension_size", "dynamic_pad")} <= used
    for program in drawn:
        assert "?" in "".join(map(str, program.inputs))
        assert shlo.verify(program.module) == []
        results = shlo.run(program.module, program.arguments)
        for type, array in zip(program.results, results, strict=True):
            assert all(n in (None, size) for n, size in zip(type.shape, array.shape, strict=True))


def test_files_of_programs_run(shlo: Shlo, tmp_path: Path) -> None:
    done = shlo("generate", "--count", "2", "--seed", "4", "-o", str(tmp_path))
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.mlir", "0.npz", "1.mlir", "1.npz"]
    done = shlo("run", str(tmp_path / "0.mlir"), "-a", str(tmp_path / "0.npz"), "--print", "summary")
    assert done.returncode == 0, done.stderr
    printed = shlo("generate", "--seed", "4")
    assert printed.stdout == (tmp_path / "0.mlir").read_text()
    liked = shlo("generate", "--like", str(tmp_path / "0.mlir"), "--seed", "9")
    assert liked.returncode == 0 and shlo("generate", "--count", "2").returncode == 2


def test_views(shlo: Shlo) -> None:
    """They can be asked for, and are as reproducible as other programs."""
    options = ("generate", "--views", "--seed", "5", "--ops", "30")
    first, again, other = shlo(*options), shlo(*options), shlo("generate", "--seed", "5", "--ops", "30")
    assert first.returncode == 0 and first.stdout == again.stdout != other.stdout
    assert first.stdout.count("stablehlo.reshape") > 3


def test_a_program_of_views_has_a_result() -> None:
    """The last value, where none is drawn, as in half of the programs of one step."""
    drawn = [generate(5, number, Request(ops=1, views=True)) for number in range(40)]
    assert all(program.results for program in drawn)
    single = [program for program in drawn if len(program.module.functions["main"].regions[0].block.ops) == 2]
    assert len(single) > 10


def test_ops_that_are_asked_for(shlo: Shlo, tmp_path: Path) -> None:
    done = shlo("generate", "--only", "dot_general,transpose", "--seed", "1", "--ops", "40")
    assert done.returncode == 0 and "stablehlo.dot_general" in done.stdout
    assert set(re.findall(r"stablehlo\.(\w+)", done.stdout)) <= {"dot_general", "transpose", "constant"}
    done = shlo("generate", "--only", "nosuch")
    assert done.returncode == 2 and "stablehlo.nosuch is not drawn; these are: abs, add, " in done.stderr
    empty = tmp_path / "empty.mlir"
    empty.write_text("func.func @main() { return }")
    done = shlo("generate", "--like", str(empty))
    assert done.returncode == 2 and "none of the ops that are drawn" in done.stderr


@pytest.mark.slow
def test_equal_engines_agree(shlo: Shlo, tmp_path: Path) -> None:
    options = ("--engine", "numpy", "--engine", "auto", "-o", str(tmp_path))
    done = shlo("fuzz", *options, "--count", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 programs" in done.stdout
    again = shlo("fuzz", *options, "--count", "2", "--format", "json")
    assert json.loads(again.stdout)["programs"] == 5
    assert shlo("fuzz", *options, "--seed", "1").returncode == 2


BROKEN = """
import sys
from stablehlo_py.debug.fuzz import worker

right = worker.run

def run(engine, text, inputs):
    if engine != "auto":
        return right(engine, text, inputs)
    {fault}
    return right(engine, text, inputs)

worker.run = run
worker.main(*sys.argv[1:])
"""


def break_worker(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the worker of the engine `auto` by one with a fault."""
    broken = tmp_path / "broken.py"
    broken.write_text(BROKEN.format(fault=fault))
    start = engines.Worker.__init__

    def with_fault(self: Any, engine: str) -> None:
        start(self, engine)
        self._command[1:3] = [str(broken)]

    monkeypatch.setattr(engines.Worker, "__init__", with_fault)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "op", "cause", "ops", "count"),
    [
        (
            "text = text.replace('stablehlo.maximum', 'stablehlo.minimum')",
            "stablehlo.maximum",
            "results differ: ",
            ("stablehlo.maximum",),
            6,
        ),
        (
            "if 'stablehlo.maximum' in text: return '7 things are wrong: stablehlo.maximum', []",
            "stablehlo.maximum",
            "auto:  things are wrong: stablehlo.maximum",
            ("stablehlo.maximum",),
            6,
        ),
        (
            "if 'stablehlo.maximum' in text: __import__('os')._exit(3)",
            "",
            "auto: the process ended with status ",
            ("stablehlo.maximum",),
            2,  # each step of a reduction starts a process
        ),
    ],
    ids=["wrong results", "an error", "the process ends"],
)
def test_a_faulty_engine_is_found_and_its_programs_are_reduced(
    fault: str,
    op: str,
    cause: str,
    ops: tuple[str, ...],
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    break_worker(fault, tmp_path, monkeypatch)
    only = frozenset({"stablehlo.maximum", "stablehlo.transpose", "stablehlo.while", "stablehlo.if"})
    report = Report(("numpy", "auto"), 2, Request(ops=8, only=only))
    finds = [find for find in fuzz(report, count, tmp_path / "journal") if find is not None]
    assert finds and report.programs == count
    first = finds[0]
    assert first.is_new and first.reduced is not None
    assert (first.group.op, first.group.ops) == (op, ops)
    assert first.group.cause.startswith(cause)
    assert report.groups[0].cause in report.to_markdown() and ops[0] in report.to_markdown()
    assert Report.from_json(json.loads(json.dumps(report.to_json()))) == report


@pytest.mark.slow
def test_what_goes_wrong_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One group, with files, a page that a person reads, and a run that continues."""
    break_worker("return 'out of order', []", tmp_path, monkeypatch)
    folder = tmp_path / "found"
    options = ["--engine", "numpy", "--engine", "auto", "--ops", "5", "-o", str(folder)]
    done = CliRunner().invoke(command, [*options, "--count", "2"], standalone_mode=False)
    assert done.return_value == 1, done.output
    assert "2 programs" in done.output and "-: auto: out of order" in done.output
    assert f"the report is {folder / 'fuzz.md'}" in done.output
    names = {path.name for path in folder.iterdir()}
    program = {f"0_program{middle}.{suffix}" for middle in ("", ".drawn") for suffix in ("mlir", "npz")}
    assert {"fuzz.md", "fuzz.json", *program} <= names
    assert "`shlo compare 0_program.mlir" in (folder / "fuzz.md").read_text()
    again = CliRunner().invoke(command, [*options, "--count", "3", "--format", "json"], standalone_mode=False)
    assert [group["count"] for group in json.loads(again.output)["groups"]] == [5]
