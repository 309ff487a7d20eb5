"""Inner loops are functions that nests share: of addresses, extents and steps, optimized once."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import region_of, run_code
from test_loop_machines import AVX512

from stablehlo_py.engines.native.llvm.functions import write_nest
from stablehlo_py.engines.native.llvm.module import ModuleWriter
from stablehlo_py.engines.native.loop_ir.sharing import SharedProgram
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.machine import made_for
from stablehlo_py.engines.native.schedule.pipeline import schedule, scheduled
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse
from tests.helpers.native import tensor
from tests.helpers.products import dot

SIZES = [(16, 40, 64), (24, 80, 96), (32, 56, 128), (40, 72, 160)]  # rows, terms, columns


def products(sizes: list[tuple[int, int, int]]) -> str:
    """Independent matrix products."""
    found = [dot(f"{rows}x{terms} {terms}x{columns} ma,an") for rows, terms, columns in sizes]
    taken = [f"%{k}{n}: {tensor(each[s], 'f32')}" for n, each in enumerate(found) for s, k in enumerate("ab")]
    lines = [f"%c{n} = {each.op('f32', left=f'%a{n}', right=f'%b{n}')}" for n, each in enumerate(found)]
    names = ", ".join([f"%c{n}" for n in range(len(found))])
    types = ", ".join([tensor(each.result, "f32") for each in found])
    head = f"func.func @main({', '.join(taken)}) -> ({types})"
    return "\n".join([f"{head} {{", *lines, f"return {names} : {types}", "}"])


def texts(source: str, least: float = 0) -> tuple[str, str]:
    """The code of a program that is optimized, and the code that is not, for tiles of 8 rows."""
    with made_for(AVX512):
        writer = ModuleWriter(least)
        writer.program(schedule(lower(region_of(source)).program), "main")
        return writer.texts()


def kernels(text: str) -> list[str]:
    """The definitions of the kernels of a module."""
    return re.findall(r"^define hidden void @kernel_.*?^}", text, re.MULTILINE | re.DOTALL)


def test_products_of_all_sizes_are_one_micro_kernel() -> None:
    sizes = [[each for each in kernels(texts(products(SIZES[:n]))[0]) if "fmuladd" in each] for n in (1, 4)]
    assert sizes[0] == sizes[1]
    assert len(sizes[0]) == 1


def test_a_product_of_another_size_takes_little_code() -> None:
    one, two, four = (sum(map(len, texts(products(SIZES[:n])))) for n in (1, 2, 4))
    assert four - two < one


def test_nests_that_only_call_kernels_are_not_optimized() -> None:
    hot, cold = texts(products([(256, 256, 256)]), least=1e6)
    assert "define hidden void @nest" not in hot
    (kernel,) = [each for each in kernels(hot) if "fmuladd" in each]
    assert re.findall(r"@kernel_\w+", kernel)[0] in cold
    assert cold.count("define hidden void @nest") == 2  # one packs panels, one computes tiles


def test_kernels_are_optimized_for_what_they_execute_in_all_nests() -> None:
    hot, cold = (kernels(text) for text in texts(products([SIZES[0], (256, 256, 256)]), least=1e6))
    assert [("fmuladd" in each) for each in hot] == [True]  # one small product, one large one
    assert cold
    assert not any("fmuladd" in each for each in cold)


def test_products_compute_what_they_did() -> None:
    draw = np.random.default_rng(5)
    inputs = [draw.standard_normal(s).astype(np.float32) for r, t, c in SIZES for s in ((r, t), (t, c))]
    *_, (_, program) = scheduled(lower(region_of(products(SIZES))).program)
    for result, a, b in zip(run_code(program, inputs), inputs[::2], inputs[1::2], strict=True):
        np.testing.assert_allclose(result, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-4)


BUFFERS = "input a: 40x300xf32\ninput b: 300xf32\noutput t: 40x300xf32\n"
NESTS = {
    "a leaf of all loops": """
parallel i in 0..40 {
  parallel j in 0..300 {
    store t[i, j] = STORED
  }
}
""",
    "a leaf inside": """
for i in 0..40 {
  parallel j in 0..300 {
    store t[i, j] = STORED
  }
  parallel k in 0..300 {
    store t[i, k] = (load t[i, k] + load b[k])
  }
}
""",
}


@pytest.mark.parametrize("text", NESTS.values(), ids=NESTS)
@pytest.mark.parametrize("value", ["load a[i, -j + 299]", "(load a[i, j] * load b[j])", "load a[-i + 39, j]"])
def test_leaves_compute_what_loops_say(text: str, value: str) -> None:
    program = parse(BUFFERS + text.replace("STORED", value))
    (nest,) = program.nests
    assert write_nest(nest).kernels
    draw = np.random.default_rng(6)
    inputs = [draw.standard_normal(shape).astype(np.float32) for shape in ((40, 300), (300,))]
    (wanted,), (found,) = Interpreter().run(program, inputs), run_code(program, inputs)
    np.testing.assert_array_equal(found, wanted)


def test_a_part_of_a_leaf_starts_at_its_own_row() -> None:
    (nest,) = parse(BUFFERS + NESTS["a leaf of all loops"].replace("STORED", "load a[i, j]")).nests
    written = write_nest(nest)
    assert " = mul i64 %lo, 300\n" in written.body
    assert " = sub i64 %hi, %lo\n" in written.body


@pytest.mark.parametrize(
    "body",
    [
        "store t[j + 1] = load t[j]",  # what an iteration stores, the next one loads
        "store t[j] = convert(index(j): f32)",  # the number of the iteration
        "store t[(j) / 2] = load a[j]",  # two iterations store an element
    ],
)
def test_other_loops_stay_in_their_nest(body: str) -> None:
    text = "input a: 256xf32\noutput t: 256xf32\n"
    text += f"for i in 0..4 {{\n  store t[0] = load a[3]\n  for j in 0..255 {{\n    {body}\n  }}\n}}"
    program = parse(text)
    (nest,) = program.nests
    assert not write_nest(nest).kernels


def test_short_loops_stay_in_their_nest() -> None:
    text = "input a: 8x9xf32\noutput t: 8x9xf32\n"
    text += "parallel i in 0..8 {\n  parallel j in 0..9 {\n    store t[i, j] = load a[i, j]\n  }\n}"
    (nest,) = parse(text).nests
    assert not write_nest(nest).kernels


def test_equal_loops_of_other_extents_are_one_kernel() -> None:
    names = set[str]()
    for rows in (64, 200):
        text = f"input a: {rows}x1024xf32\noutput t: {rows}x1024xf32\n"
        text += f"parallel i in 0..{rows} {{\n  parallel j in 0..1024 {{\n"
        (nest,) = parse(text + "    store t[i, j] = sqrt(load a[i, j])\n  }\n}").nests
        names |= set(write_nest(nest).kernels)
    assert len(names) == 1


def test_a_module_of_equal_kernels_is_written_once() -> None:
    text = BUFFERS + NESTS["a leaf inside"].replace("STORED", "load a[i, j]")
    writer = ModuleWriter()
    writer.program(SharedProgram(parse(text)), "main")
    hot, _ = writer.texts()
    assert len(kernels(hot)) == len(set(kernels(hot))) == 2


TWO_SUMS = """
func.func @main(%x: tensor<40x150xf32>) -> (tensor<150xf32>, tensor<150xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.multiply %x, %x : tensor<40x150xf32>
  %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<40x150xf32>, tensor<f32>) -> tensor<150xf32>
  %b = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<40x150xf32>, tensor<f32>) -> tensor<150xf32>
  return %a, %b : tensor<150xf32>, tensor<150xf32>
}"""
PRINT = """
import sys
import stablehlo_py as shlo
from stablehlo_py.engines.native.module import plan_source
print(plan_source(shlo.compile(shlo.parse(sys.argv[1]), engine="numpy").plan, 1).text)"""


def test_code_does_not_depend_on_hashes() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINT, TWO_SUMS],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(1, 5)
    }
    (text,) = found
    assert kernels(text)
