"""The number of lines of Python that are executed grows in proportion to the program."""

from __future__ import annotations

import math
import random
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from stablehlo_py.cli.rewriting import _unified

import stablehlo_py as shlo
from stablehlo_py.debug.compare_programs import compare_programs
from stablehlo_py.debug.generate.programs import generate
from stablehlo_py.debug.generate.writer import Request
from stablehlo_py.diagnostics.alignment import align
from stablehlo_py.ir.attributes import UnitAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import F32
from stablehlo_py.linter.suppressions import suppressions
from stablehlo_py.reports.graph import graph, page

sys.path.append(str(Path(__file__).parent / "benchmarks"))
from growth import Requests
from shapes import SHAPES

pytestmark = pytest.mark.slow

SIZES = (60, 240, 960)
STEPS: dict[str, Callable[[shlo.Module], Any]] = {
    "verify": shlo.verify,
    "print": str,
    "format": lambda module: shlo.format(module, canonical=False),
    "lint": shlo.lint,
    "bytecode": lambda module: shlo.serialize(module, "bytecode"),
    "graph": lambda module: page(graph(module, costs=True)),
    "diff": lambda module: compare_programs(module, changed(module)),
}


def changed(module: shlo.Module) -> shlo.Module:
    """A copy in which every seventh op has another attribute."""
    copy = shlo.parse(str(module), allow_unregistered=True)
    for index, op in enumerate(copy.walk()):
        if index % 7 == 3:
            op.attributes["mark"] = UnitAttr()
    return copy


def lines(work: Callable[[], Any]) -> int:
    """Count the lines that are executed, those of each iteration as well."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def exponent(counts: list[int]) -> float:
    """The exponent between the sizes, without what does not depend on the size."""
    small, large = counts[1] - counts[0], counts[2] - counts[1]
    return math.log(max(large, 1) / max(small, 1)) / math.log(SIZES[2] / SIZES[1])


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("shape", ["chain", "blocks", "functions", "constants", "regions"])
def test_growth(shape: str, step: str) -> None:
    counts = []
    for size in (10, *SIZES):
        module = shlo.parse(SHAPES[shape](size), allow_unregistered=True)
        counts.append(lines(lambda module=module: STEPS[step](module)))  # type: ignore[misc]
    assert exponent(counts[1:]) <= 1.15


PASSES = ("inline", "symbol-dce", "stablehlo-refine-shapes", "stablehlo-legalize-to-vhlo")


PASSES_ON_SHAPES = [
    *[(name, shape) for name in PASSES for shape in ("functions", "regions")],
    ("cse", "blocks"),
    ("canonicalize", "blocks"),
    ("partition", "wide"),
    ("stablehlo-refine-shapes", "calls"),
    ("narrow=type=bf16", "calls"),
]


@pytest.mark.parametrize(("name", "shape"), PASSES_ON_SHAPES)
def test_growth_of_passes(name: str, shape: str) -> None:
    counts = []
    for size in (10, *SIZES):
        module = shlo.parse(SHAPES[shape](size), allow_unregistered=True)
        counts.append(lines(lambda module=module: shlo.opt(module, name, verify_each=False)))  # type: ignore[misc]
    assert exponent(counts[1:]) <= 1.15


def test_growth_of_a_comparison_of_runs() -> None:
    counts, inputs = [], [np.ones(4, np.float32)] * 2
    for size in (10, *SIZES):
        a, b = (shlo.parse(SHAPES["chain"](size)) for _ in range(2))
        counts.append(lines(lambda a=a, b=b: shlo.compare(a, b, inputs)))  # type: ignore[misc]
    assert exponent(counts[1:]) <= 1.15


def test_a_drawn_program_is_not_walked_again_for_each_op(monkeypatch: pytest.MonkeyPatch) -> None:
    walk, seen = Operation.walk, []

    def watched(op: Operation) -> Iterator[Operation]:
        for each in walk(op):
            seen.append(each)
            yield each

    monkeypatch.setattr(Operation, "walk", watched)
    drawn = generate(1, 0, Request(ops=400))
    assert 400 <= sum(1 for _ in walk(drawn.module.op)) < 600
    assert len(seen) < 1200


@pytest.mark.parametrize("order", ["equal", "reversed", "shuffled", "periodic", "random", "one item"])
def test_growth_of_alignment(order: str) -> None:
    for size in (1000, 8000):
        drawn, numbers = random.Random(size), list(range(size))
        pairs: dict[str, tuple[list[int], list[int]]] = {
            "equal": (numbers, numbers),
            "reversed": (numbers, numbers[::-1]),
            "shuffled": (numbers, drawn.sample(numbers, size)),
            "periodic": ([n % 7 for n in numbers], [n % 7 + (n % 100 == 3) for n in numbers]),
            "random": ([drawn.randrange(9) for _ in numbers], [drawn.randrange(9) for _ in numbers]),
            "one item": ([0] * size, [1, *[0] * (2 * size), 1]),
        }
        a, b = pairs[order]
        assert lines(lambda a=a, b=b: list(align(a, b))) <= 80 * size  # type: ignore[misc]


def test_growth_of_a_diff_of_texts() -> None:
    counts = []
    for size in SIZES:
        before = [line for number in range(size) for line in (f"%{number} = add\n", "// the same\n")]
        after = [line.replace("add", "sub") if number % 4 else line for number, line in enumerate(before)]
        counts.append(lines(lambda a=before, b=after: list(_unified(a, b, "", ""))))  # type: ignore[misc]
    assert exponent(counts) <= 1.15


@pytest.mark.parametrize("request_name", ["formatting", "rangeFormatting", "hover", "inlayHint"])
@pytest.mark.parametrize("shape", ["parts", "arguments"])
def test_growth_of_requests(shape: str, request_name: str) -> None:
    counts = []
    for size in SIZES:
        asked = Requests(SHAPES[shape](size))
        counts.append(lines(lambda asked=asked: asked.ask(request_name)))  # type: ignore[misc]
    assert exponent(counts) <= 1.15


def test_tokens_of_a_part_keep_the_text_of_the_part() -> None:
    """Otherwise the memory grows with parts times the text."""
    text = SHAPES["parts"](200)
    parts = Requests(text).document.parts
    assert len(parts) == 40
    for part in parts:
        assert part.recovered.tokens.text == text[part.start : part.end].removesuffix("// -----\n")


def test_growth_of_runs_of_suppression_comments() -> None:
    counts = []
    for size in SIZES:
        text = "// shlo: ignore[dead-op]\n" * size + SHAPES["chain"](5)
        module = shlo.parse(text)
        found = suppressions(module)
        assert [each.line for each in found] == [size + 1] * size
        counts.append(lines(lambda module=module: suppressions(module)))  # type: ignore[misc]
    assert exponent(counts) <= 1.15


def test_what_is_known_in_regions_is_not_copied_for_each() -> None:
    """Otherwise the memory grows with ops times regions."""
    peaks = []
    for size in (200, 800):
        body = "\n".join(
            f"""  %{i + 1} = stablehlo.add %{i}, %s{i} : tensor<f32>
  %s{i + 1} = stablehlo.reduce(%x init: %{i + 1}) applies stablehlo.add across dimensions = [0] : (
      tensor<4xf32>, tensor<f32>) -> tensor<f32>"""
            for i in range(size)
        )
        arguments = "%x: tensor<4xf32>, %0: tensor<f32>, %s0: tensor<f32>"
        end = f"return %s{size} : tensor<f32>"
        text = f"func.func @main({arguments}) -> tensor<f32> {{\n{body}\n  {end}\n}}"
        module = shlo.parse(text)
        tracemalloc.start()
        shlo.opt(module, "cse", verify_each=False)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 5 * peaks[0]


class Watched(Operation):
    """An op that counts how often its operands are made."""

    made = 0

    def __setattr__(self, name: str, value: object) -> None:
        Watched.made += name == "operands"
        super().__setattr__(name, value)


def test_uses_in_one_op_are_replaced_at_once() -> None:
    old, kept, new = Value(F32), Value(F32), Value(F32)
    op = Watched("test.op", [old, kept] * 500)
    Watched.made = 0
    old.replace_all_uses(new)
    assert Watched.made == 1
    assert op.operands == (new, kept) * 500
    assert not old.uses
    assert [use.position for use in new.uses] == list(range(0, 1000, 2))
