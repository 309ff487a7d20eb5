"""The stages of loop IR: after each, a program is verified, read back, and run with the same results.

Drawn programs go through all stages, and run as machine code in memory that is filled with a pattern. The
documentation prints the stages of a softmax.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from agreement import distance
from conftest import ROOT
from loop_regions import largest_region, plan_of, region_of, run_code

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.engines.native.loop_ir.interpret import Interpreter
from stablehlo_py.engines.native.loop_ir.parse import parse
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.region import Region
from stablehlo_py.engines.native.schedule.pipeline import scheduled

PAGE = (ROOT / "docs" / "loop-ir.md").read_text()
MOVES = "broadcast_in_dim concatenate dynamic_slice pad reshape reverse slice transpose"
COMPUTES = "add compare convert exponential iota maximum multiply negate reduce select subtract tanh"
OPS = frozenset(f"stablehlo.{name}" for name in f"{MOVES} {COMPUTES}".split())
ULPS = 64  # between engines: sums are taken in another order


def block(kind: str, number: int = 0) -> str:
    """A block of code of the page."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[number].strip()


def stages_of(region: Region) -> list[tuple[str, Program]]:
    """A region after each stage."""
    program = lower(region)
    return [("lower", program), *scheduled(program)]


def constants(region: Region, program: Program) -> list[Any]:
    return [region.plan.constants[int(buffer.name[1:])] for buffer in program.in_space("constant")]


def test_the_page_shows_the_stages_of_a_softmax() -> None:
    text = block("mlir")
    region = region_of(text)
    x = np.random.default_rng(1).standard_normal((8, 64)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    for number, (name, program) in enumerate(stages_of(region)):
        assert block("text", number) == text_of(program), name
        assert not verify(program)
        (found,) = Interpreter().run(program, [x])
        np.testing.assert_allclose(found, e / e.sum(axis=1, keepdims=True), rtol=1e-5)
    (found,) = run_code(program, [x])
    np.testing.assert_allclose(found, e / e.sum(axis=1, keepdims=True), rtol=1e-5)


def test_the_page_shows_a_product() -> None:
    program = parse(block("text", 4))
    assert not verify(program)
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-8, 8, buffer.shape).astype(np.float32) for buffer in program.in_space("input"))
    for run in (Interpreter().run, run_code):
        (found,) = run(program, [a, b])
        np.testing.assert_array_equal(found, a @ b)


def assert_same(found: Any, wanted: Any, where: object) -> None:
    """Compare two arrays: bits of integers, and floats within some units in the last place."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    if wanted.dtype.kind in "iub":
        np.testing.assert_array_equal(found, wanted, str(where))
    else:
        assert distance(found, wanted) <= ULPS or _near(found, wanted), where


def _near(found: Any, wanted: Any) -> bool:
    """Sums of terms that cancel: near beside the terms, which are at most some thousands."""
    with np.errstate(all="ignore"):
        pair = [np.asarray(each, np.complex128) for each in (found, wanted)]
    return bool(
        np.allclose(*pair, rtol=2e-2 if wanted.dtype.itemsize < 4 else 1e-4, atol=1e-3, equal_nan=True)
    )


def check_drawn(seed: int, number: int, request: Request, compiled: bool) -> int:
    """Run a drawn program after each stage; gives the number of compared values."""
    drawn = generate(seed, number, request)
    plan = plan_of(drawn.module, drawn.name)
    whole = largest_region(plan)
    if whole is None:
        return 0
    rng = np.random.default_rng([seed, number])
    made = [slot for step in whole.steps for slot in step.outs]
    outputs = tuple([slot for slot in made if rng.random() < 0.5]) or tuple(made[-1:])
    region = Region(plan, whole.steps, whole.inputs, tuple(sorted(outputs)))
    results = shlo.run(drawn.module, drawn.arguments, entry=drawn.name, engine="numpy")
    values = dict(zip(plan.outputs, results, strict=True)) | dict(enumerate(drawn.arguments))
    compared = 0
    for name, program in stages_of(region):
        where = seed, number, name
        assert not [each for each in verify(program) if not each.unknown], where
        assert text_of(parse(text_of(program))) == text_of(program), where
        arrays = [*(values[slot] for slot in region.inputs), *constants(region, program)]
        runs = [Interpreter().run(program, arrays)]
        runs += [run_code(program, arrays)] if compiled and name == "place" else []
        for found in runs:
            for buffer, array in zip(program.in_space("output"), found, strict=True):
                slot = int(buffer.name[1:])
                if slot in values:
                    assert_same(array, values[slot], (*where, buffer.name))
                    compared += 1
    return compared


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("number", range(12))
def test_drawn_programs_of_views_and_reductions(number: int) -> None:
    assert check_drawn(11, number, Request(ops=30, only=OPS), compiled=number < 4) > 0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("number", range(12))
def test_drawn_programs_of_all_ops(number: int) -> None:
    check_drawn(12, number, Request(ops=30), compiled=number < 4)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_many_drawn_programs() -> None:
    compared = [check_drawn(13, number, Request(ops=40, only=OPS), compiled=True) for number in range(400)]
    compared += [check_drawn(14, number, Request(ops=40), compiled=True) for number in range(200)]
    assert sum(compared) > 10_000
