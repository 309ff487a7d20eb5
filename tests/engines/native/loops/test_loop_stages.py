"""The stages of loop IR: after each, a program is verified, read back, and run with the same results.

Drawn programs go through all stages, and run as machine code in memory that is filled with a pattern. The
documentation prints the stages of a softmax.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import cast

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from conftest import ROOT
from loop_regions import check_stages, check_text, largest_region, plan_of, region_of, stages_of

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.engines.engine import Semantics
from stablehlo_py.engines.native import cost, explain
from stablehlo_py.engines.native.loop_ir.statements import Let, Loop, While, loads_of, stores_of, walk
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.lower.region import Memory, lower
from stablehlo_py.engines.native.region import Region
from stablehlo_py.engines.native.schedule.products import row_bytes
from stablehlo_py.ir.types import F32, TensorType
from tests.helpers.convolutions import convolution
from tests.helpers.native import counted, dtype_of, tensor
from tests.helpers.products import dot
from tests.helpers.soak import DRAWS

PAGE = (ROOT / "docs" / "native" / "schedule.md").read_text()
SOFTMAX = re.findall(r"^```mlir\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
MOVES = "broadcast_in_dim concatenate dynamic_slice pad reshape reverse slice transpose"
COMPUTES = "add compare convert exponential iota maximum multiply negate reduce select subtract tanh"
SUMS = "add convert convolution dot_general dynamic_update_slice gather iota multiply reduce_window scatter"
OPS = frozenset(f"stablehlo.{name}" for name in f"{MOVES} {COMPUTES}".split())
FLOW = "add case compare concatenate dynamic_update_slice if multiply reduce slice while"
LOOPS = frozenset(f"stablehlo.{name}" for name in SUMS.split())
CONTROL = frozenset(f"stablehlo.{name}" for name in FLOW.split())


def test_a_softmax_after_each_stage() -> None:
    x = np.random.default_rng(1).standard_normal((8, 64)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    check_text(SOFTMAX, [x], [e / e.sum(axis=1, keepdims=True)], rtol=1e-5)


PRODUCTS = [
    "16x12 12x64 ma,an",
    "19x12 12x70 ma,an",  # remainders of rows and columns
    "12x19 70x12 am,na",
    "7x13 13x100 ma,an",  # less than a tile of rows
    "3x12 12x128 ma,an",  # few rows of more columns
    "40x12 12x14 ma,an",  # less than a panel
    "2x16x12 2x12x40 Xma,Xan",
    "12x5x9 5x9x80 mab,abn",
    "4x10x12 12x4x9 mna,aop",
    "40x13 13x37 ma,an",  # panels are packed, the last with zeros
]


def blocks_of_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let blocks of terms be small, and panels large."""
    monkeypatch.setattr(cost, "panels", lambda: 64)
    monkeypatch.setattr(cost, "BLOCK", 4)


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize(("row", "type"), [*((row, "f32") for row in PRODUCTS), (PRODUCTS[1], "f64")])
def test_products_are_computed_in_tiles(
    row: str, type: str, blocks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if blocks:
        blocks_of_terms(monkeypatch)
    found, rng = dot(row), np.random.default_rng(3)
    x, y = (rng.integers(-8, 9, shape).astype(dtype_of(type)) for shape in found[:2])
    a, b, r = (tensor(shape, type) for shape in (*found[:2], found.result))
    text = f"""
func.func @main(%a: {a}, %b: {b}) -> {r} {{
  %zero = stablehlo.constant dense<0.0> : {r}
  %0 = {found.op(type)}
  %1 = stablehlo.maximum %0, %zero : {r}
  return %1 : {r}
}}"""
    wanted = np.maximum(np.einsum(found.equation, x, y), 0)
    assert "vectorized" in text_of(check_text(text, [x, y], [wanted])["name"])


@pytest.mark.parametrize(
    "row",
    [
        "1x4x6x3 3x3x3x40 b01f 01io b01f p=1",
        "1x6x12x3 3x2x3x24 b01f 01io b01f p=0:1,1:0 s=2,1",
        "1x2x40x3 1x5x3x32 b01f 01io b01f p=0:0,2:2 s=1,2",
        "1x4x5x4 3x3x2x32 b01f 01io b01f p=1:1,0:2 g=2",
    ],
)
def test_convolutions_are_computed_in_tiles(row: str) -> None:
    found, rng = convolution(row), np.random.default_rng(4)
    x, w = (rng.integers(-4, 5, shape).astype(np.float32) for shape in found[:2])
    wanted = shlo.run(shlo.parse(found.text("f32")), [x, w], engine="numpy")
    assert "vectorized" in text_of(check_text(found.text("f32"), [x, w], wanted)["name"])


def test_each_panel_is_packed_in_front_of_its_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "panels", lambda: 5 * row_bytes() * 40 // 2)  # less than all panels
    columns = 5 * row_bytes() // 4
    text = dot(f"40x40 40x{columns} ma,an").text("f32")
    rng = np.random.default_rng(4)
    x, y = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((40, 40), (40, columns)))
    stage = check_text(text, [x, y], [x @ y])["name"]
    packed = [each.shape for each in stage.buffers if each.name.startswith("panels")]
    assert packed == [(40, row_bytes() // 4)]


REPEATED = """
func.func @main(%x: tensor<2x8x16xf32>, %a: tensor<8xf32>, %y: tensor<2x5x20x16xf32>) -> tensor<5x8x20xf32> {
  %b = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8xf32>) -> tensor<2x8x16xf32>
  %c = stablehlo.multiply %x, %b : tensor<2x8x16xf32>
  %0 = stablehlo.dot_general %c, %y, contracting_dims = [0, 2] x [0, 3]
    : (tensor<2x8x16xf32>, tensor<2x5x20x16xf32>) -> tensor<8x5x20xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<8x5x20xf32>) -> tensor<5x8x20xf32>
  return %1 : tensor<5x8x20xf32>
}"""


def test_a_factor_of_several_products_is_computed_once() -> None:
    *_, (_, stage) = stages_of(region_of(REPEATED))
    (nest,) = [nest for nest in stage.body if "x0" in {each.buffer.name for each in loads_of(nest)}]
    assert [store.buffer.name.strip("0123456789") for store in stores_of(nest)] == ["left"]


def test_threads_share_the_panels_of_few_computed_rows() -> None:
    """A group of rows that each thread would pack leaves nothing to share."""
    text = """
func.func @main(%x: tensor<2x30xf32>, %h: tensor<2x34xf32>, %w: tensor<64x512xf32>) -> tensor<2x512xf32> {
  %0 = stablehlo.concatenate %x, %h, dim = 1 : (tensor<2x30xf32>, tensor<2x34xf32>) -> tensor<2x64xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
    : (tensor<2x64xf32>, tensor<64x512xf32>) -> tensor<2x512xf32>
  return %1 : tensor<2x512xf32>
}"""
    *_, (_, stage) = stages_of(region_of(text))
    (product,) = [nest for nest in stage.body if "x2" in {each.buffer.name for each in loads_of(nest)}]
    assert isinstance(product, Loop)
    assert product.kind == "parallel"
    assert product.variable.extent > 1


LOOP = """
func.func @main(%x: tensor<ROWSx16xf32>, %w: tensor<16x40xf32>) -> tensor<ROWSx16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %w)
      : tensor<i32>, tensor<ROWSx16xf32>, tensor<16x40xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<ROWSx16xf32>, tensor<16x40xf32>) -> tensor<ROWSx40xf32>
      %2 = stablehlo.slice %1 [0:ROWS, 24:40] : (tensor<ROWSx40xf32>) -> tensor<ROWSx16xf32>
      %3 = stablehlo.add %i, %one : tensor<i32>
      %4 = stablehlo.negate %b : tensor<16x40xf32>
      stablehlo.return %3, %2, NEXT : tensor<i32>, tensor<ROWSx16xf32>, tensor<16x40xf32>
    }
  return %0#1 : tensor<ROWSx16xf32>
}"""


@pytest.mark.parametrize("rows", [3, 14])
@pytest.mark.parametrize("changes", [False, True])
def test_a_factor_that_a_loop_leaves_as_it_is_is_packed_in_front_of_it(
    rows: int, changes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 40 columns the last panel has zeros; each of the 3 iterations moves the columns of a permutation."""
    monkeypatch.setattr(cost, "REPEATED", 3)
    x = np.random.default_rng(5).integers(-9, 10, (rows, 16)).astype(np.float32)
    w = np.zeros((16, 40), np.float32)
    w[range(16), [24 + (7 * k + 3) % 16 for k in range(16)]] = 1
    wanted = x
    for number in range(3):
        wanted = wanted @ w[:, 24:] * ((-1) ** number if changes else 1)
    text = LOOP.replace("ROWS", str(rows)).replace("NEXT", "%4" if changes else "%b")
    stage = check_text(text, [x, w], [wanted])["tile"]
    (loop,) = [each for each in stage.body if isinstance(each, While)]
    inside = {store.buffer.name.rstrip("0123456789") for store in stores_of(loop)}
    written = {store.buffer.name.rstrip("0123456789") for each in stage.body for store in stores_of(each)}
    assert ("panels" in written - inside) is not changes


NAMED = """
func.func @main(%x: tensor<9x16xf32>, %y: tensor<16x40xf32>) -> (tensor<9x40xf32>, tensor<9x40xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<9x16xf32>, tensor<16x40xf32>) -> tensor<9x40xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<9x40xf32>
  %2 = stablehlo.negate %1 : tensor<9x40xf32>
  return %1, %2 : tensor<9x40xf32>, tensor<9x40xf32>
}"""


def test_products_are_tiled_whose_results_several_values_are_computed_from() -> None:
    rng = np.random.default_rng(4)
    x, y = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((9, 16), (16, 40)))
    stages = check_text(NAMED, [x, y], [(x @ y) ** 2, -((x @ y) ** 2)])
    assert any(isinstance(each, Let) for each in walk(stages["place"].body))
    assert "vectorized" in text_of(stages["tile"])


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
    return check_stages(region, values, (seed, number), compiled)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lets stages change small programs too, every other one of those that are drawn."""

    def choose(number: int) -> None:
        for name in ("TILED", "FOLDED"):
            monkeypatch.setattr(cost, name, 1 if number % 2 else 1 << 12)
        if number % 2:
            blocks_of_terms(monkeypatch)

    return choose


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("number", range(12))
def test_drawn_programs_of_views_and_reductions(number: int, small: Callable[[int], None]) -> None:
    small(number)
    assert check_drawn(11, number, Request(ops=30, only=OPS), compiled=number < 4) > 0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("number", range(12))
def test_drawn_programs_of_windows_products_and_scatters(number: int, small: Callable[[int], None]) -> None:
    small(number)
    assert check_drawn(25, number, Request(ops=30, only=LOOPS), compiled=number < 4) > 0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("number", range(12))
def test_drawn_programs_of_loops_and_branches(number: int, small: Callable[[int], None]) -> None:
    small(number)
    check_drawn(17, number, Request(ops=30, only=CONTROL), compiled=number < 4)


def test_a_constant_that_a_branch_returns() -> None:
    text = """
func.func @main(%p: tensor<i1>) -> tensor<3xi32> {
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
    stablehlo.return %a : tensor<3xi32>
  }, {
    %b = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
    stablehlo.return %b : tensor<3xi32>
  }) : (tensor<i1>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}"""
    for flag, wanted in ((True, [1, 2, 3]), (False, [4, 5, 6])):
        check_text(text, [np.bool_(flag)], [wanted])


PAIR = {"p": ("tensor<3xf32>", "%x", "%q"), "q": ("tensor<3xf32>", "%ones", "%sum")}
WHILE = f"""
func.func @main(%x: tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>, tensor<3xf32>) {{
  %ones = stablehlo.constant dense<1.0> : tensor<3xf32>
  {counted("5", PAIR, "%sum = stablehlo.add %p, %q : tensor<3xf32>")}
  return %r#0, %r#1, %r#2 : tensor<i32>, tensor<3xf32>, tensor<3xf32>
}}"""


def test_values_that_change_places_in_a_loop() -> None:
    """Fibonacci's numbers: each iteration reads both values before it writes them."""
    check_text(WHILE, [np.float32([0, 1, 10])], [5, [5, 8, 35], [8, 13, 58]])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("number", range(12))
def test_drawn_programs_of_all_ops(number: int, small: Callable[[int], None]) -> None:
    small(number)
    check_drawn(12, number, Request(ops=30), compiled=number < 4)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("seed", "only"),
    [(13, OPS), (14, None), (15, LOOPS), (16, CONTROL)],
    ids=["views and reductions", "all ops", "windows, products and scatters", "loops and branches"],
)
def test_many_drawn_programs(seed: int, only: frozenset[str] | None, small: Callable[[int], None]) -> None:
    """A hundred times as many: `ORACLE_DRAWS=100 pytest -m slow FILE`."""
    compared = 0
    for number in range(40 * DRAWS):
        small(number)
        compared += check_drawn(seed, number, Request(ops=40, only=only), compiled=True)
    assert compared > 100


def test_names_of_buffers_are_unique() -> None:
    """A name may be what another one becomes; each is tried once, whatever the number of equal names."""
    memory, type = Memory(), TensorType((2,), F32)
    given = ["x", "x_1", "x", "x_1", "x", "y"]
    found = [memory.new(type, "input", name).name for name in given]
    assert found == ["x", "x_1", "x_2", "x_1_1", "x_3", "y"]


def test_a_stage_that_leaves_loops_as_they_are_says_so() -> None:
    region = region_of(SOFTMAX)
    programs = [program for _, program in stages_of(region)]
    texts = [*explain.loops_of("main", region, explain.stage_names(), "specification")]
    same = [False, *(one == next for one, next in pairwise(programs))]
    assert any(same)
    assert [text.endswith(": no change") for text in texts] == same


def test_loops_are_those_of_the_semantics() -> None:
    """Windows of a scatter that are partly outside are written in part, or (XLA) not at all."""
    region = region_of("""func.func @main(%x: tensor<8xf32>, %at: tensor<1xi32>, %u: tensor<3xf32>)
        -> tensor<8xf32> {
      %r = "stablehlo.scatter"(%x, %at, %u) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          stablehlo.return %b : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}
        : (tensor<8xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>
    }""")
    wanted = {name: text_of(lower(region, name == "xla").program) for name in ("specification", "xla")}
    assert wanted["specification"] != wanted["xla"]
    without_notes = partial(re.sub, r" *//.*", "")
    for name, text in wanted.items():
        (found,) = explain.loops_of("main", region, [explain.LOWER], cast("Semantics", name))
        assert without_notes(found).split() == without_notes(text).split()
