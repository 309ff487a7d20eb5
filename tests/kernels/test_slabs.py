"""Large operands are cut in slabs: the same results, with temporary arrays as large as a slab."""

from __future__ import annotations

import tracemalloc
from itertools import permutations

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.numpy import bind
from stablehlo_py.kernels import chlo, gather_scatter, merge_sort, random, reduction, slabs, sort, window

COMPARATOR = """({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %p = stablehlo.abs %x : tensor<f32>
      %q = stablehlo.abs %y : tensor<f32>
      %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  })"""
BODY = """({
    ^bb0(%x: tensor<ELEMENT>, %y: tensor<ELEMENT>):
      %c = OP %x, %y : tensor<ELEMENT>
      stablehlo.return %c : tensor<ELEMENT>
  })"""


def body(op: str, element: str = "f32") -> str:
    return BODY.replace("OP", f"stablehlo.{op}").replace("ELEMENT", element)


GATHER = "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
BATCHED = "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [{}], "
BATCHED += "start_index_map = [1], index_vector_dim = 2"
SCATTER = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
PROGRAMS = {
    "sort": (f'"stablehlo.sort"(%a) {COMPARATOR} {{dimension = 1 : i64}}', "6x50xf32", "6x50xf32"),
    "long sort": (f'"stablehlo.sort"(%a) {COMPARATOR} {{dimension = 0 : i64}}', "300xf32", "300xf32"),
    "reduce": (
        f'"stablehlo.reduce"(%a, %f) {body("maximum")} {{dimensions = array<i64: 1>}}',
        "6x50xf32",
        "6xf32",
    ),
    "narrow reduce": (
        f'"stablehlo.reduce"(%a, %h) {body("maximum", "bf16")} {{dimensions = array<i64: 0, 1>}}',
        "6x50xbf16",
        "bf16",
    ),
    "windows": (
        f'"stablehlo.reduce_window"(%a, %f) {body("maximum")} {{window_dimensions = array<i64: 3, 2>, '
        "window_strides = array<i64: 2, 1>, padding = dense<[[2, 1], [0, 1]]> : tensor<2x2xi64>}",
        "40x6xf32",
        "21x6xf32",
    ),
    "gather": (
        f'"stablehlo.gather"(%a, %i) {{dimension_numbers = #stablehlo.gather<{GATHER}>, '
        "slice_sizes = array<i64: 1>}",
        "50xf32",
        "100xf32",
    ),
    "gather of windows": (
        '"stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], '
        f"{GATHER}>, slice_sizes = array<i64: 1, 2, 4>}}",
        "50x3x4xf32",
        "100x2x4xf32",
    ),
    "gather by rows": (
        f'"stablehlo.gather"(%a, %j) {{dimension_numbers = #stablehlo.gather<{BATCHED.format(0)}>, '
        "slice_sizes = array<i64: 1, 1>}",
        "4x9xf32",
        "4x4xf32",
    ),
    "gather by columns": (
        f'"stablehlo.gather"(%a, %j) {{dimension_numbers = #stablehlo.gather<{BATCHED.format(1)}>, '
        "slice_sizes = array<i64: 1, 1>}",
        "4x9xf32",
        "4x4xf32",
    ),
    "scatter": (
        f'"stablehlo.scatter"(%a, %i, %u) {body("subtract")} '
        f"{{scatter_dimension_numbers = #stablehlo.scatter<{SCATTER}>}}",
        "50xf32",
        "50xf32",
    ),
    "product": ("stablehlo.dot_general %a, %a, contracting_dims = [1] x [1]", "40x30xi8", "40x40xi32"),
    "bits": ("stablehlo.bitcast_convert %a", "30xf32", "30x4xui8"),
    "fft": ("stablehlo.fft %a, type = RFFT, length = [8]", "9x8xf32", "9x5xcomplex<f32>"),
    "top k": ("chlo.top_k", "200xf32", "3xf32"),
}
CONSTANTS = {
    "%f": "%f = stablehlo.constant dense<-100.0> : tensor<f32>",
    "%h": "%h = stablehlo.constant dense<-100.0> : tensor<bf16>",
    "%i": "%i = stablehlo.iota dim = 0 : tensor<100xi32>",
    "%j": "%j = stablehlo.constant dense<[[0, 8, 2, 3], [5, 1, 7, 2], [3, 3, 6, 4], [2, 0, 1, 8]]>"
    " : tensor<4x4xi32>",
    "%u": "%u = stablehlo.iota dim = 0 : tensor<100xf32>",
}


def program(op: str, operand: str, result: str) -> str:
    used = [name for name in CONSTANTS if f"{name}," in op or f"{name})" in op]
    types = ", ".join([f"tensor<{operand}>", *(CONSTANTS[name].rpartition(": ")[2] for name in used)])
    types = ", ".join([types] * (2 if "dot_general" in op else 1))
    lines = [CONSTANTS[name] for name in used]
    if op == "chlo.top_k":
        lines.append(f"%r:2 = chlo.top_k(%a, k = 3) : tensor<{operand}> -> (tensor<{result}>, tensor<3xi32>)")
    else:
        lines.append(f"%r = {op} : ({types}) -> tensor<{result}>")
    value = "%r#0" if op == "chlo.top_k" else "%r"
    returned = f"return {value} : tensor<{result}>"
    return "\n  ".join(
        [f"func.func @main(%a: tensor<{operand}>) -> tensor<{result}> {{", *lines, returned, "\n}"]
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_slabs_give_the_same_results(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op, operand, result = PROGRAMS[name]
    text = program(op, operand, result)
    *shape, element = operand.split("x")
    dtype = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "i8": np.int8}[element]
    values = (np.random.default_rng(1).permutation(int(np.prod([int(s) for s in shape]))) - 70).astype(dtype)
    values = values.reshape([int(s) for s in shape])
    (expected,) = shlo.compile(shlo.parse(text), engine="numpy")(values)
    for module in (slabs, bind, chlo, reduction, window):
        monkeypatch.setattr(module, "SLAB", 16)
    monkeypatch.setattr(window, "_FEW_SPANS", 1)
    monkeypatch.setattr(merge_sort, "_BLOCK", 8)
    monkeypatch.setattr(gather_scatter, "_ELEMENTS", 8)
    monkeypatch.setattr(sort, "_LONGEST", 8)
    (found,) = shlo.compile(shlo.parse(text), engine="numpy")(values)
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


@pytest.mark.parametrize("axes", list(permutations(range(3))))
def test_the_whole_has_the_order_of_its_parts_in_memory(axes: tuple[int, ...]) -> None:
    """Also where the order is not its own inverse."""
    values = np.arange(70 * 80 * 200, dtype=np.float32).reshape(70, 80, 200)
    cut = slabs.Cut((0,), axes.index(0))
    found = slabs.in_slabs(lambda x: x.transpose(axes), lambda x: cut, values)
    assert np.array_equal(found, values.transpose(axes))
    assert found.strides == values.transpose(axes).strides and found.base is not values


@pytest.mark.parametrize(("k", "largest"), [(1, True), (3, False), (15, True), (15, False), (16, True)])
def test_the_places_of_the_first_elements(k: int, largest: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of slabs of 64 elements, the first 15 each; of equal elements, those in front."""
    monkeypatch.setattr(slabs, "SLAB", 256)
    monkeypatch.setattr(chlo, "SLAB", 256)
    values = np.random.default_rng(2).integers(-20, 20, 200).astype(np.float32)
    found, places = chlo.first_in_order(values, k, largest)
    expected = sorted(range(200), key=lambda i: (-values[i] if largest else values[i], i))[:k]
    assert places.dtype == np.int32 and places.tolist() == expected
    assert found.tolist() == values[expected].tolist()


def test_random_bits_are_the_same_in_slabs(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """func.func @main(%a: tensor<2xui64>) -> tensor<3x50xui8> {{
      %s, %r = stablehlo.rng_bit_generator %a, algorithm = {}
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x50xui8>)
      return %r : tensor<3x50xui8>
    }}"""
    for algorithm in ("THREE_FRY", "PHILOX"):
        programs = [shlo.parse(text.format(algorithm)) for _ in range(2)]
        (expected,) = shlo.run(programs[0], [np.array([1, 2], np.uint64)])
        with monkeypatch.context() as patch:
            patch.setattr(random, "_AT_ONCE", 4)
            (found,) = shlo.run(programs[1], [np.array([1, 2], np.uint64)])
        assert found.tolist() == expected.tolist()


def test_a_comparator_that_is_no_order_gives_a_permutation() -> None:
    values = np.random.default_rng(0).permutation(5000)[None]
    (found,) = merge_sort.merge_sorted((values,), lambda lhs, rhs: (lhs[0] ^ rhs[0]) % 3 == 0)
    assert sorted(found[0].tolist()) == list(range(5000))


@pytest.mark.parametrize("name", ["reduce", "gather", "scatter", "fft"])
def test_temporary_arrays_are_bounded(name: str) -> None:
    """At most half of the operands and results, and a constant."""
    op, operand, result = PROGRAMS[name]
    sizes = {"50xf32": "1500000xf32", "100x": "1500000x", "6x50": "6x250000"}
    sizes |= {"6xf32": "6xf32", "9x8": "150000x8", "9x5": "150000x5"}
    text = program(op, operand, result)
    for small, large in sizes.items():
        text = text.replace(f"tensor<{small}", f"tensor<{large}")
    module = shlo.parse(text)
    compiled = shlo.compile(module, engine="numpy")
    (argument,) = compiled.signature.inputs
    values = np.random.default_rng(0).standard_normal(argument.type.shape, np.float32)  # type: ignore[union-attr,arg-type]
    live = shlo.analyze(module).functions["main"].peak_bytes
    tracemalloc.start()
    compiled(values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak + values.nbytes < 1.5 * live + (32 << 20)
