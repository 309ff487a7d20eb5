"""Equal nests are one kernel: stages and the writer see each once, and different nests stay different."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import check_text, plan_of, region_of, run_code

import stablehlo_py as shlo
from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder
from stablehlo_py.engines.native.fingerprint import fingerprint, region_fingerprint
from stablehlo_py.engines.native.llvm.functions import write_nest
from stablehlo_py.engines.native.llvm.module import ModuleWriter
from stablehlo_py.engines.native.loop_ir import expressions
from stablehlo_py.engines.native.loop_ir.expressions import Buffer, Expression
from stablehlo_py.engines.native.loop_ir.index import Index
from stablehlo_py.engines.native.loop_ir.sharing import SharedProgram
from stablehlo_py.engines.native.loop_ir.statements import Loop, Program, Store, size_of
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.module import emit_module
from stablehlo_py.engines.native.region import make_region
from stablehlo_py.engines.native.schedule.fuse import fuse
from stablehlo_py.engines.native.schedule.inline import inline
from stablehlo_py.engines.native.schedule.pipeline import schedule
from stablehlo_py.ir.types import FloatType
from tests.helpers.loop_parser import parse
from tests.helpers.programs import program

NEST = """
parallel i in 0..4 {
  for j in 0..6 {
    store t[i, j] = (load a[i, j] + load b[j, i])
  }
}
"""


def layers(count: int) -> str:
    """Products with an activation, one behind the other."""
    lines, value = [], "%x"
    for n in range(count):
        lines += [f"%d{n} = dot {value}, %w{n}, ma,an", f"%t{n} = tanh %d{n}", f"%r{n} = add %t{n}, {value}"]
        value = f"%r{n}"
    weights = ", ".join([f"w{n}: 16x16xf32" for n in range(count)])
    return program(f"x: 8x16xf32, {weights}", "\n".join([*lines, f"return {value}"]))


def functions(shared: SharedProgram) -> int:
    """The number of functions that are written for a program."""
    writer = ModuleWriter()
    writer.program(shared, "main")
    return sum(text.count("\ndefine ") for text in writer.texts())


def test_regions_with_other_results_are_different() -> None:
    """The steps are the same: in the one region, a later step needs the first value too."""
    plan = plan_of(shlo.parse(program("x: 4xf32", "%0 = abs %x\n%1 = sine %0\n%2 = add %0, %1\nreturn %2")))
    first, second, _ = plan.steps
    region = make_region(plan, [first, second])
    assert region.outputs == (first.outs[0], second.outs[0])
    alone = replace(region, outputs=second.outs)
    assert region_fingerprint(region) != region_fingerprint(alone)
    assert region_fingerprint(region) == region_fingerprint(make_region(plan, [first, second]))


MANY_PARTS = """func.func @main(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %c = stablehlo.constant dense<7.0> : tensor<2x2xf32>
  %d = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.add %0, %c : tensor<2x2xf32>
  %2 = stablehlo.subtract %1, %y : tensor<2x2xf32>
  %3 = stablehlo.multiply %2, %d : tensor<2x2xf32>
  %4 = stablehlo.compare LT, %2, %y, FLOAT
    : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
  %5 = stablehlo.select %4, %3, %y : tensor<2x2xi1>, tensor<2x2xf32>
  return %2, %5 : tensor<2x2xf32>, tensor<2x2xf32>
}"""


@pytest.mark.parametrize(
    ("old", "one", "other", "same"),
    [
        ("7.0", "0.0", "-0.0", False),
        ("7.0", "0x7FC00000", "0x7FC00001", False),  # NaN of another payload
        ("7.0", "0x7FC00000", "0xFFC00000", False),
        ("7.0", "0.1", "0x3DCCCCCE", False),  # its neighbour
        ("[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 2.0], [3.0, 5.0]]", True),
        ("[[1.0, 2.0], [3.0, 4.0]]", "2.0", "3.0", False),
        ("[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 2.0], [3.0, 4.0]]", "1.0", False),
        ("dims = [1, 0]", "dims = [1, 0]", "dims = [0, 1]", False),
        ("%1, %y", "%1, %y", "%y, %1", False),
        ("%1, %y", "%1, %y", "%1, %x", False),
        ("return %2, %5", "return %2, %5", "return %2, %2", False),
        ("LT", "LT", "LE", False),
        ("FLOAT", "FLOAT", "TOTALORDER", False),
        ("f32", "f64", "f32", False),
        ("%2", "%2", "%other", True),
    ],
)
def test_fingerprints_tell_code_apart(old: str, one: str, other: str, same: bool) -> None:
    """Values that fill an array are part of the code, other constants are not."""
    plans = [plan_of(shlo.parse(MANY_PARTS.replace(old, new))) for new in (one, other)]
    first, second = map(fingerprint, plans)
    assert (first == second) is same
    first, second = (region_fingerprint(make_region(plan, plan.steps)) for plan in plans)
    assert (first == second) is same


def test_equal_layers_are_scheduled_and_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from stablehlo_py.engines.native.llvm import module

    found = []
    for count in (5, 50):
        written = Counter[str]()
        monkeypatch.setattr(
            module, "write_nest", lambda *a, f=module.write_nest, w=written: w.update("n") or f(*a)
        )
        shared = schedule(lower(region_of(layers(count))).program)
        assert len(shared.calls) >= count
        found.append((len(shared.kernels), functions(shared), written["n"]))
        monkeypatch.undo()
    assert found[0] == found[1]


def test_equal_nests_are_optimized_for_what_they_execute_together() -> None:
    programs = {count: schedule(lower(region_of(layers(count))).program) for count in (1, 50)}
    single = max(
        write_nest(nest, False).instructions for kernel in programs[1].kernels for nest in kernel.nests
    )
    optimized = dict[int, int]()
    for count, each in programs.items():
        writer = ModuleWriter(least=4 * single)
        writer.program(each, "main")
        optimized[count] = writer.texts()[0].count("define hidden void @nest")
    assert optimized[1] == 0
    assert optimized[50] > 0


def test_a_stage_runs_once_for_equal_nests() -> None:
    shared = SharedProgram(lower(region_of(layers(50))).program)
    seen = list[Program]()
    shared.run(lambda kernel: seen.append(kernel) or kernel)
    assert len(seen) == 6  # a product and two ops; of an input, of scratch memory, and to the output
    assert len(shared.calls) == 150


def test_layers_compute_what_they_did() -> None:
    draw = np.random.default_rng(4)
    x, *weights = [draw.standard_normal(shape).astype(np.float32) / 4 for shape in [(8, 16), *[(16, 16)] * 5]]
    wanted = x.astype(np.float64)
    for each in weights:
        wanted = np.tanh(wanted @ each) + wanted
    check_text(layers(5), [x, *weights], [wanted], rtol=1e-4)


def chain(count: int) -> str:
    """Elementwise ops, each of the one before and of an input."""
    ops = ("add", "multiply", "subtract", "maximum", "minimum")
    lines = [f"%{n + 1} = {ops[n % 5]} %{n}, {'%x' if n % 3 else '%y'}" for n in range(1, count)]
    body = "\n".join(["%1 = add %x, %y", *lines, f"return %{count}"])
    return program("x: 8x16xf32, y: 8x16xf32", body)


def test_inlining_makes_each_expression_of_a_chain_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 600
    lowered = lower(region_of(chain(count))).program
    made = list[object]()
    apply = expressions.apply
    monkeypatch.setattr(expressions, "apply", lambda *given: made.append(given) or apply(*given))
    inline(lowered)
    assert len(made) <= count


def test_nests_of_a_long_chain_are_not_one(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.random.default_rng(5).standard_normal((2, 8, 16)).astype(np.float32)
    wanted = x + y
    functions = np.add, np.multiply, np.subtract, np.maximum, np.minimum
    for n in range(1, 200):
        wanted = functions[n % 5](wanted, x if n % 3 else y)
    monkeypatch.setattr(cost, "FUSED", 128)
    fused = fuse(inline(lower(region_of(chain(200))).program))
    sizes = list(map(size_of, fused.body))
    assert len(sizes) > 1
    assert max(sizes) <= 128
    (found,) = run_code(fused, [x, y])
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def kernels(*nests: str) -> int:
    """How many kernels nests are."""
    spaces = {"a": "input", "b": "input", "c": "input", "t": "output", "u": "output", "p": "input"}
    buffers = [f"{space} {name}: 8x8x{'i32' if name == 'p' else 'f32'}" for name, space in spaces.items()]
    return len(SharedProgram(parse("\n".join([*buffers, *nests]))).kernels)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("b", "c"),
        ("t", "u"),
        ("i", "row"),
        ("j", "h"),  # which is in front of `i` in a sum
    ],
)
def test_names_do_not_matter(old: str, new: str) -> None:
    nest = NEST.replace("load b[j, i]", "load b[j, i + j]")
    other = re.sub(rf"\b{old}\b", new, nest)
    assert other != nest
    assert kernels(nest, other) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0..4", "0..5"),
        ("0..6", "0..7"),
        ("for j", "parallel j"),
        ("load b[", "load a["),  # one buffer, not two
        ("load b[j, i]", "load b[i, j]"),
        ("load b[j, i]", "load b[j, i + 1]"),
        ("load b[j, i]", "load b[j, 2 * i]"),
        ("load b[j, i]", "load b[j, (2 * i) / 3]"),
        ("load b[j, i]", "load b[j, (2 * i) % 3]"),
        ("load b[j, i]", "load b[j, clamp(load p[i, j], 8)]"),
        ("load b[j, i]", "f32(1.0)"),
        ("load b[j, i]", "(load b[j, i] if j >= 2 else f32(0.0))"),
        (" + ", " * "),
        ("(load a[i, j] + load b[j, i])", "tanh(load a[i, j])"),
    ],
)
def test_what_is_computed_matters(old: str, new: str) -> None:
    other = NEST.replace(old, new, 1)
    assert other != NEST
    assert kernels(NEST, other) == 2
    assert kernels(other, other) == 1


def test_each_nest_has_memory_of_its_own_for_what_stages_add() -> None:
    shared = schedule(lower(region_of(layers(3))).program)
    added = Counter(
        each.name for call in shared.calls for each in {*call.buffers.values()} if each.space == "frame"
    )
    assert added
    assert set(added.values()) == {1}


def test_names_of_what_stages_add_are_free() -> None:
    """A buffer `t` is added to the kernel of three nests, where `t1` and `t3` are names of others."""
    nests = "".join(f"for i in 0..4 {{\n  store {name}[i] = load a[i]\n}}\n" for name in ("t1", "t3", "t5"))
    shared = SharedProgram(
        parse("input a: 4xf32\n" + "".join(f"output t{n}: 4xf32\n" for n in (1, 3, 5)) + nests)
    )
    added = Buffer("t", FloatType("f32"), (4,), "frame")
    shared.run(lambda kernel: Program((*kernel.buffers, added), kernel.body))
    assert len(shared.kernels) == 1
    assert [call.buffers[added].name for call in shared.calls] == ["t2", "t4", "t6"]


@pytest.mark.parametrize(("number", "count"), [(0, 2), (1, 3)])
def test_calls_of_a_function_are_one_kernel(number: int, count: int) -> None:
    assert kernels("call 0 (a, b) to (t)", NEST, f"call {number} (b, c) to (u)") == count


@pytest.mark.parametrize("rows", [2, 8])
def test_unrolled_iterations_share_the_sums_of_their_indices(rows: int) -> None:
    parsed = parse(
        "input a: 64x64xf32\noutput t: 64x64xf32\n"
        f"parallel i in 0..8 {{\n  unrolled j in 0..{rows} {{\n"
        "    store t[8 * i + j, 3] = load a[8 * i + j, 3]\n  }\n}"
    )
    (nest,) = parsed.nests
    body = write_nest(nest, False).body
    assert body.count(" = mul ") == 1  # 512 * i: the rest of an offset is a constant
    for row in range(rows):
        assert f", {64 * row + 3}\n" in body


@pytest.mark.slow
def test_loops_are_freed_without_a_garbage_collection() -> None:
    body = "%0 = dot %a, %b, ma,an\n%c = reduce %0, add, [0]\n%d = sine %c\nreturn %d"
    region = region_of(program("a: 64x40xf32, b: 40x512xf32", body))
    emit_module([region], 0, False, False)
    gc.collect()
    gc.disable()
    try:
        emit_module([region], 0, False, False)
        kinds = (Loop, Store, Expression, Index, Builder)
        before = Counter(type(each) for each in gc.get_objects() if isinstance(each, kinds))
        gc.collect()
        assert before == Counter(type(each) for each in gc.get_objects() if isinstance(each, kinds))
    finally:
        gc.enable()


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
print(plan_source(shlo.compile(shlo.parse(sys.argv[1]), engine="numpy").plan, 1, False, False).text)"""


@pytest.mark.slow
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
    assert len(found) == 1
    assert all("define hidden void @nest" in text for text in found)
