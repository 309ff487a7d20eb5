"""The native engine beside the NumPy engine: what it compiles, and that both give the same."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from conftest import ROOT

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import draw_program
from stablehlo_py.engines import program
from stablehlo_py.engines.native import library, regions
from stablehlo_py.interpreter.plan import Plan
from stablehlo_py.storage import cache
from tests.engines.native.test_elements import edges
from tests.helpers.agreement import distance
from tests.helpers.native import assert_same, compiled, counted, dtype_of

SIGN_OF_ZERO = 0.5  # in ULPs
DRAWN = 24


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regions of one step are compiled, and constants are not folded, so that all ops run."""
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    monkeypatch.setattr(program, "constant_folder", lambda options: lambda step, operands, functions: None)


def native_steps(compiled: shlo.Program) -> list[str]:
    """What the regions of a program consist of."""
    return [step.note for step in compiled.plan.steps if step.name == "native"]


def both(text: str, *inputs: Any) -> tuple[list[Any], list[Any]]:
    """The results of both engines; natively, all of the program is one region."""
    return compiled(text)(*inputs), shlo.run(shlo.parse(text), inputs, engine="numpy")


# Programs


@pytest.mark.parametrize("number", range(DRAWN))
def test_drawn_programs(number: int, everything: None) -> None:
    drawn = draw_program(np.random.default_rng([11, number]), f"program{number}", 40)
    expected = shlo.compile(drawn.module, entry=drawn.name, engine="numpy")(*drawn.arguments)
    run = shlo.compile(drawn.module, entry=drawn.name, engine="native")
    assert native_steps(run)
    given = [argument.copy() for argument in drawn.arguments]
    for _ in range(2):  # the second run finds what the first has left
        found = run(*given)
        assert max(map(distance, found, expected)) <= SIGN_OF_ZERO, shlo.format(drawn.module)
    assert all(map(np.array_equal, given, drawn.arguments))
    assert not any(np.shares_memory(a, b) for a in found for b in (*given, *found) if a is not b)


EXAMPLES = sorted((ROOT / "testdata" / "spec").glob("*.mlir"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_of_the_specification(path: Path, everything: None) -> None:
    assert shlo.run(shlo.load(path), engine="native") == []


MODELS = sorted((ROOT / "testdata" / "programs").glob("*.mlir"))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_models(path: Path) -> None:
    with np.load(path.with_suffix(".npz")) as data:
        inputs = [data[f"in{i}"] for i in range(sum(key.startswith("in") for key in data.files))]
        outputs = [data[f"out{i}"] for i in range(sum(key.startswith("out") for key in data.files))]
    found = shlo.run(shlo.load(path), inputs, engine="native")
    for have, want in zip(found, outputs, strict=True):
        assert (have.shape, have.dtype.name) == (want.shape, want.dtype.name)
        if want.dtype.kind in "iub":
            np.testing.assert_array_equal(have, want)
        elif want.size:
            largest = float(np.abs(want[np.isfinite(want)]).max(initial=0))
            np.testing.assert_allclose(have, want, rtol=0, atol=max(1e-4 * largest, 1e-30))


# Elements


NUMBERS = [
    0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 127.4, 128, -129, 255.9, 256, 3e4, 7e4, -7e4, 3e9, -3e9, 1e19,
]  # fmt: skip
ELEMENTS = ("i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "bf16", "f32", "f64")


@pytest.mark.parametrize("source", ["f16", "bf16", "f32", "f64"])
def test_conversions_of_floats(source: str) -> None:
    dtype = dtype_of(source)
    with np.errstate(over="ignore"):
        limits = np.ldexp(1.0, [7, 8, 15, 16, 31, 32, 63, 64]).astype(dtype)
        beside = np.concatenate([limits, limits * (1 - np.finfo(np.float16).eps), limits - 1]).astype(dtype)
        x = np.array([*NUMBERS, np.inf, -np.inf, np.nan, 1 + 2**-9, 1 + 2**-11 + 2**-30], dtype)
        x = np.concatenate([x, beside, -beside])
    targets = [e for e in ELEMENTS if (source, e) != ("f64", "f16")]
    check_conversions(source, targets, x)


@pytest.mark.parametrize("source", [e for e in ELEMENTS if "f" not in e])
def test_conversions_of_integers(source: str) -> None:
    if source == "i1":
        x = np.array([False, True, True])
    else:
        x = edges(source)
    check_conversions(source, list(ELEMENTS), x)


def check_conversions(source: str, targets: list[str], x: np.ndarray) -> None:
    operand = f"tensor<{x.size}x{source}>"
    types = [f"tensor<{x.size}x{target}>" for target in targets]
    lines = [f"%{i} = stablehlo.convert %x : ({operand}) -> {type}" for i, type in enumerate(types)]
    results = ", ".join(f"%{i}" for i in range(len(types)))
    body = "\n".join([*lines, f"return {results} : {', '.join(types)}"])
    assert_same(f"func.func @main(%x: {operand}) -> ({', '.join(types)}) {{\n{body}\n}}", x, ulps=0)


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.5], np.float32)


def test_special_values_of_floats() -> None:
    x, y = (np.ascontiguousarray(a.reshape(-1)) for a in np.meshgrid(SPECIAL, SPECIAL))
    t, b = f"tensor<{x.size}xf32>", f"tensor<{x.size}xi1>"
    compares = [f"%{d} = stablehlo.compare {d}, %x, %y : ({t}, {t}) -> {b}" for d in ("EQ", "NE", "LT", "GE")]
    text = f"""func.func @main(%x: {t}, %y: {t}) -> ({t}, {t}, {t}, {t}, {b}, {b}, {b}, {b}, {b}) {{
      %0 = stablehlo.maximum %x, %y : {t}
      %1 = stablehlo.minimum %x, %y : {t}
      %2 = stablehlo.sign %x : {t}
      %3 = stablehlo.clamp %x, %y, %x : {t}
      %f = stablehlo.is_finite %x : ({t}) -> {b}
      {chr(10).join(compares)}
      return %0, %1, %2, %3, %EQ, %NE, %LT, %GE, %f : {t}, {t}, {t}, {t}, {b}, {b}, {b}, {b}, {b}
    }}"""
    found, expected = both(text, x, y)
    apart = [distance(a, b) for a, b in zip(found, expected, strict=True)]
    assert max(apart[0], apart[1], apart[3]) <= SIGN_OF_ZERO
    assert max(apart[2], *apart[4:]) == 0
    greatest = found[0].reshape(len(SPECIAL), -1)
    assert np.isnan(greatest[np.isnan(SPECIAL)]).all()
    assert not np.signbit(greatest[:2, :2][[0, 0, 1], [0, 1, 0]]).any()


@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_inputs_of_any_layout(order: str) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y = {
        "C": x,
        "F": np.asfortranarray(x),
        "strided": np.repeat(x, 2, axis=1)[:, ::2],
    }[order]
    text = """func.func @main(%x: tensor<3x4xf32>) -> tensor<4x3xf32> {
      %0 = stablehlo.add %x, %x : tensor<3x4xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
      %2 = stablehlo.negate %1 : tensor<4x3xf32>
      return %2 : tensor<4x3xf32>
    }"""
    (found,) = shlo.run(shlo.parse(text), [y], engine="native")
    np.testing.assert_array_equal(found, -2 * x.T)


# Control flow

COUNT = """func.func @main(%n: tensor<i64>, %x: tensor<4xf32>)
    -> (tensor<i64>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %x) : tensor<i64>, tensor<4xf32>, tensor<4xf32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %s = stablehlo.add %a, %x : tensor<4xf32>
    stablehlo.return %j, %b, %s : tensor<i64>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<i64>, tensor<4xf32>, tensor<4xf32>
}"""


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_a_loop_that_swaps_what_it_carries(count: int) -> None:
    x = np.array([1, 2, 3, 4], np.float32)
    found = assert_same(COUNT, np.int64(count), x, ulps=0)
    assert found[0] == count
    np.testing.assert_array_equal(found[1], x * (1 + count // 2))
    np.testing.assert_array_equal(found[2], x * (1 + (count + 1) // 2))


def test_a_loop_that_returns_one_value_twice_and_an_input() -> None:
    text = COUNT.replace("return %j, %b, %s", "return %j, %s, %s")
    assert_same(text, np.int64(3), np.ones(4, np.float32))
    assert_same(COUNT.replace("return %j, %b, %s", "return %j, %x, %a"), np.int64(3), np.ones(4, np.float32))


def test_a_loop_that_updates_an_array_in_place() -> None:
    body = """%v = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<6xi32>, tensor<i32>) -> tensor<1xi32>
        %w = stablehlo.add %v, %v : tensor<1xi32>
        %u = stablehlo.dynamic_update_slice %a, %w, %next
          : (tensor<6xi32>, tensor<1xi32>, tensor<i32>) -> tensor<6xi32>"""
    text = f"""func.func @main(%x: tensor<6xi32>) -> (tensor<i32>, tensor<6xi32>) {{
      {counted("5", {"a": ("tensor<6xi32>", "%x", "%u")}, body)}
      return %r#0, %r#1 : tensor<i32>, tensor<6xi32>
    }}"""
    x = np.array([3, 0, 0, 0, 0, 0], np.int32)
    assert assert_same(text, x)[1].tolist() == [3, 6, 12, 24, 48, 96]
    assert x.tolist() == [3, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("inner", ["chlo.zeta %a, %a", "func.call @f(%a)"])
def test_a_loop_calls_a_step_that_has_no_emitter(inner: str) -> None:
    operands = "tensor<4xf32>, tensor<4xf32>" if "chlo" in inner else "(tensor<4xf32>)"
    type = f" : {operands} -> tensor<4xf32>"
    callee = """
    func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = chlo.zeta %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    text = COUNT.replace("stablehlo.add %a, %x : tensor<4xf32>", inner + type) + callee
    assert_same(text, np.int64(3), np.full(4, 8, np.float32))


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 3])
def test_branches(index: int) -> None:
    text = """func.func @main(%i: tensor<i32>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
      %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      %r:2 = "stablehlo.case"(%i) ({
        stablehlo.return %x, %x : tensor<3xf32>, tensor<3xf32>
      }, {
        %0 = stablehlo.add %x, %c : tensor<3xf32>
        stablehlo.return %0, %c : tensor<3xf32>, tensor<3xf32>
      }, {
        %0 = stablehlo.multiply %x, %c : tensor<3xf32>
        stablehlo.return %0, %0 : tensor<3xf32>, tensor<3xf32>
      }) : (tensor<i32>) -> (tensor<3xf32>, tensor<3xf32>)
      return %r#0, %r#1 : tensor<3xf32>, tensor<3xf32>
    }"""
    found = assert_same(text, np.int32(index), np.array([5, 6, 7], np.float32))
    assert not np.shares_memory(found[0], found[1])


# Reductions


def reduction(body: str, element: str = "f32", captured: str = "") -> str:
    return f"""func.func @main(%x: tensor<5x7x{element}>, %k: tensor<{element}>) -> tensor<5x{element}> {{
      %zero = stablehlo.constant dense<0> : tensor<{element}>
      %y = stablehlo.negate %x : tensor<5x7x{element}>
      %r = stablehlo.reduce(%y init: %k) across dimensions = [1]
        : (tensor<5x7x{element}>, tensor<{element}>) -> tensor<5x{element}>
       reducer(%a: tensor<{element}>, %b: tensor<{element}>) {{
        {body}
        stablehlo.return %c : tensor<{element}>
      }}
      %s = stablehlo.add %r, %r : tensor<5x{element}>
      return %s : tensor<5x{element}>
    }}""".replace("dense<0>", "dense<0.0>" if "f" in element else "dense<0>")


@pytest.mark.parametrize("element", ["f32", "f64", "i32", "ui8", "i64"])
@pytest.mark.parametrize("op", ["add", "multiply", "maximum", "minimum"])
def test_reductions(op: str, element: str) -> None:
    dtype = dtype_of(element)
    x = np.random.default_rng(3).integers(1, 4, (5, 7)).astype(dtype)
    text = reduction(f"%c = stablehlo.{op} %b, %a : tensor<{element}>", element)
    assert_same(text, x, np.ones((), dtype))


def test_a_reduction_in_bf16_rounds_once() -> None:
    x = np.full((5, 7), -1 / 3, dtype_of("bf16"))
    text = reduction("%c = stablehlo.add %a, %b : tensor<bf16>", "bf16")
    assert_same(text, x, np.array(200, x.dtype), ulps=0)


def test_two_reductions_at_once() -> None:
    """The largest element and its position, with a body of several steps."""
    text = """func.func @main(%x: tensor<4x9xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %i = stablehlo.iota dim = 1 : tensor<4x9xi32>
      %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1]
        : (tensor<4x9xf32>, tensor<4x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
       reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
        %more = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %v = stablehlo.select %more, %a, %b : tensor<i1>, tensor<f32>
        %k = stablehlo.select %more, %p, %q : tensor<i1>, tensor<i32>
        stablehlo.return %v, %k : tensor<f32>, tensor<i32>
      }
      return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
    }"""
    x = np.random.default_rng(1).integers(0, 5, (4, 9)).astype(np.float32)
    module = shlo.parse(text)
    found = shlo.run(module, [x], engine="native")
    assert found[1].tolist() == x.argmax(axis=1).tolist()
    assert found[0].tolist() == x.max(axis=1).tolist()


# Gather


GATHERS = [  # shapes of operand, indices and result, attributes: rows, batches, windows, a transposed result
    ((5, 3), (4, 1), (4, 3), "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
     "index_vector_dim = 1", "1, 3"),
    ((5, 3), (4,), (3, 4), "offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], "
     "index_vector_dim = 1", "1, 3"),
    ((5, 6), (2, 4), (2, 3, 4), "offset_dims = [0, 1], start_index_map = [1, 0], "
     "index_vector_dim = 0", "2, 3"),
    ((2, 5, 3), (2, 4, 1), (2, 4, 3), "offset_dims = [2], collapsed_slice_dims = [1], "
     "operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], "
     "index_vector_dim = 2", "1, 1, 3"),
    ((3, 5), (1, 3), (3,), "collapsed_slice_dims = [1], operand_batching_dims = [0], "
     "start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 0", "1, 1"),
]  # fmt: skip


@pytest.mark.parametrize("element", ["i8", "i32", "i64", "ui32"])
@pytest.mark.parametrize("number", range(len(GATHERS)))
def test_gather(number: int, element: str) -> None:
    source, positions, target, attributes, sizes = GATHERS[number]
    operand, indices, result = ("x".join(map(str, shape)) for shape in (source, positions, target))
    text = f"""func.func @main(%x: tensor<{operand}xf32>, %i: tensor<{indices}x{element}>)
        -> tensor<{result}xf32> {{
      %y = stablehlo.negate %x : tensor<{operand}xf32>
      %0 = "stablehlo.gather"(%y, %i) {{
        dimension_numbers = #stablehlo.gather<{attributes}>,
        slice_sizes = array<i64: {sizes}>}}
        : (tensor<{operand}xf32>, tensor<{indices}x{element}>) -> tensor<{result}xf32>
      %1 = stablehlo.add %0, %0 : tensor<{result}xf32>
      return %1 : tensor<{result}xf32>
    }}"""
    x = np.arange(np.prod(source), dtype=np.float32).reshape(source)
    dtype = dtype_of(element)
    low = 0 if dtype.kind == "u" else -3  # beyond both ends: positions are clamped
    assert_same(text, x, np.random.default_rng(2).integers(low, 9, positions).astype(dtype))


def test_functions_of_the_library() -> None:
    x = np.array(
        [0.0, -0.0, 1, -1, 2.5, -7.25, 0.1, 536870912, 1e30, np.inf, -np.inf, np.nan, 1e-40], np.float32
    )
    a, b = (np.ascontiguousarray(v.reshape(-1)) for v in np.meshgrid(x, x))
    t = f"tensor<{a.size}xf32>"
    text = f"""func.func @main(%a: {t}, %b: {t}) -> ({t}, {t}, {t}) {{
      %0 = stablehlo.remainder %a, %b : {t}
      %1 = stablehlo.atan2 %a, %b : {t}
      %2 = stablehlo.cbrt %a : {t}
      return %0, %1, %2 : {t}, {t}, {t}
    }}"""
    apart = [distance(*pair) for pair in zip(*both(text, a, b), strict=True)]
    assert apart[0] == 0 and max(apart[1:]) <= 1


# Manners


def test_the_plan_names_the_ops_of_a_region() -> None:
    program = shlo.compile(shlo.parse(COUNT), engine="native")
    assert "native" in str(program.plan)
    assert "[1 steps: while]" in str(program.plan)


def test_an_interrupt_ends_a_loop() -> None:
    endless = shlo.compile(shlo.parse(COUNT), engine="native")
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        endless(np.int64(1 << 62), np.zeros(4, np.float32))
    assert endless(np.int64(2), np.zeros(4, np.float32))[0] == 2


def test_an_error_between_regions_keeps_its_place() -> None:
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %0 = stablehlo.add %x, %x : tensor<3xf32>
      %1 = stablehlo.multiply %0, %0 : tensor<3xf32>
      %2 = stablehlo.negate %1 : tensor<3xf32>
      check.expect_eq %2, %x : tensor<3xf32>
      %3 = stablehlo.sqrt %2 : tensor<3xf32>
      return %3 : tensor<3xf32>
    }"""
    for name in ("numpy", "native"):
        with pytest.raises(shlo.RunError, match=r"^<string>:5:7: "):
            shlo.run(shlo.parse(text), [np.ones(3, np.float32)], engine=name)


def test_many_programs_at_once() -> None:
    """Machine code is freed with its program, and calls of one program do not disturb each other."""
    program = shlo.compile(shlo.parse(COUNT), engine="native")
    found: list[Any] = [None] * 8

    def run(k: int) -> None:
        found[k] = program(np.int64(2000 + k), np.full(4, k, np.float32))[0]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2000 + k for k in range(8)]
    for _ in range(5):
        shlo.compile(shlo.parse(COUNT), engine="native")


def test_object_code_is_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled_texts: list[str]
) -> None:
    """The second compilation, in a process that has forgotten the first, makes no code."""
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))
    made = []
    for is_damaged in (False, False, True):
        if is_damaged:
            for path in tmp_path.glob("native-*"):
                path.write_bytes(b"not an entry")
        compiled_texts.clear()
        monkeypatch.setattr(library, "_LIBRARIES", {})
        program = shlo.compile(shlo.parse(COUNT), engine="native")
        assert program(np.int64(3), np.zeros(4, np.float32))[0] == 3
        made.append(list(compiled_texts))
    assert made[0]
    assert made == [made[0], [], made[0]]


@pytest.mark.parametrize(
    "damaged",
    [
        lambda code, rows: (code,),
        lambda code, rows: ([1], rows),
        lambda code, rows: (code, [[], ["main0"]]),
        lambda code, rows: (code, [[(0, None)], rows[1]]),
    ],
)
def test_entries_of_another_structure_are_made_again(
    damaged: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))
    store = cache.store

    def store_damaged(name: str, key: str, data: Any) -> None:
        store(name, key, damaged(*data) if isinstance(data, tuple) and name.startswith("native-") else data)

    for each in (store_damaged, store):
        monkeypatch.setattr(library, "_LIBRARIES", {})
        monkeypatch.setattr(cache, "store", each)
        program = shlo.compile(shlo.parse(COUNT), engine="native")
        assert program(np.int64(3), np.zeros(4, np.float32))[0] == 3


def test_plans_of_the_other_engine_are_as_they_were() -> None:
    plan: Plan[Any] = shlo.compile(shlo.parse(COUNT)).plan
    assert "native" not in str(plan)
