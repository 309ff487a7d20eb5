"""Opcodes without an op of their own: results calculated by hand, and the ops that stand for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.opcodes import Opcode, opcodes
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.opset.definition import lookup

Array = np.ndarray[Any, Any]
SUM = "sum {\n  x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  ROOT s = s32[] add(x, y)\n}\n"
SCAN = (
    "b {\n  x = s32[2] parameter(0)\n  c = s32[2] parameter(1)\n  ROOT s = s32[2] add(x, c)\n}\n"
    "both {\n  x = s32[2] parameter(0)\n  c = s32[2] parameter(1)\n  s = s32[2] add(x, c)\n"
    "  ROOT t = (s32[2], s32[2]) tuple(s, s)\n}\n"
)


def lists(results: list[Any]) -> list[Any]:
    return [np.asarray(each).tolist() for each in results]


def run(body: str, *inputs: Any) -> list[Any]:
    """The results of the instructions of an entry computation, as lists."""
    module = shlo.parse(f"HloModule m\n{SUM}{SCAN}ENTRY e {{\n{body}\n}}\n")
    assert [d for d in shlo.verify(module) if d.severity == "error"] == []
    return lists(shlo.run(module, [np.asarray(each) for each in inputs]))


def on_two(body: str, first: list[Any], second: list[Any]) -> tuple[list[Any], list[Any]]:
    """The results of two replicas."""
    module = shlo.parse(f"HloModule m, replica_count=2\n{SUM}ENTRY e {{\n{body}\n}}\n")
    program = shlo.compile(module, replicas=2, partitions=1)
    here, there = program.process_ids()
    arrays = {here: [np.int32(each) for each in first], there: [np.int32(each) for each in second]}
    results = program.call_grid(arrays)
    return lists(results[here]), lists(results[there])


@pytest.mark.parametrize(
    ("before", "after", "values", "expected"),
    [
        # The low half of an element comes first; {0,1} has columns in memory.
        ("s32[4]{0}", "s16[8]{0}", [0, 1, 2, 65536], [0, 0, 1, 0, 2, 0, 0, 1]),
        ("s16[2,4]{1,0}", "s32[4]{0}", [[0, 1, 2, 3], [4, 5, 6, 7]],
         [65536, 3 * 65536 + 2, 5 * 65536 + 4, 7 * 65536 + 6]),
        ("s16[2,4]{0,1}", "s32[4]{0}", [[0, 1, 2, 3], [4, 5, 6, 7]],
         [4 * 65536, 5 * 65536 + 1, 6 * 65536 + 2, 7 * 65536 + 3]),
        ("s32[2,3]{1,0}", "s32[3,2]{1,0}", [[0, 1, 2], [3, 4, 5]], [[0, 1], [2, 3], [4, 5]]),
        ("s32[2,3]{0,1}", "s32[2,3]{1,0}", [[0, 1, 2], [3, 4, 5]], [[0, 3, 1], [4, 2, 5]]),
        ("s32[2,3,2]{0,2,1}", "s32[12]{0}", np.arange(12).reshape(2, 3, 2).tolist(),
         [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]),
        ("s32[12]{0}", "s32[2,3,2]{0,2,1}", list(range(12)),
         [[[0, 2], [4, 6], [8, 10]], [[1, 3], [5, 7], [9, 11]]]),
    ],
)  # fmt: skip
def test_bitcasts_read_memory_as_it_is(before: str, after: str, values: Any, expected: Any) -> None:
    types = {"s32": np.int32, "s16": np.int16}
    (found,) = run(
        f"  a = {before} parameter(0)\n  ROOT b = {after} bitcast(a)", np.array(values, types[before[:3]])
    )
    assert found == expected


@pytest.mark.parametrize(
    ("element", "values", "expected"),
    [
        ("f32", np.float32([1, 2]), [[1, 2], [0, 0]]),
        ("c64", np.complex64([1 + 3j, 2 - 4j]), [[1, 2], [3, -4]]),
    ],
)
def test_parts_of_real_and_complex_numbers(element: str, values: Array, expected: Any) -> None:
    body = f"  a = {element}[2] parameter(0)\n  r = f32[2] real(a)\n  i = f32[2] imag(a)\n"
    assert run(f"{body}  ROOT t = (f32[2], f32[2]) tuple(r, i)", values) == expected


X = np.arange(12, dtype=np.int32).reshape(3, 4)


@pytest.mark.parametrize(
    ("body", "inputs", "expected"),
    [
        ("  a = s32[3,4] parameter(0)\n  i = s32[2] parameter(1)\n"
         "  ROOT r = s32[2,1] dynamic-slice(a, i), dynamic_slice_sizes={2,1}", [X, [1, 2]], [[6], [10]]),
        ("  a = s32[3,4] parameter(0)\n  i = s32[2] parameter(1)\n  u = s32[1,2] constant({{-1, -2}})\n"
         "  ROOT r = s32[3,4] dynamic-update-slice(a, u, i)", [X, [2, 1]],
         [[0, 1, 2, 3], [4, 5, 6, 7], [8, -1, -2, 11]]),
        ("  a = s32[3,4] parameter(0)\n  n = s32[] constant(2)\n  m = s32[] constant(6)\n"
         "  ROOT r = s32[2,6] dynamic-reshape(a, n, m)", [X], [list(range(6)), list(range(6, 12))]),
        ("  a = s32[1] parameter(0)\n  ROOT r = s32[] dynamic-reshape(a)", [[5]], 5),
        ("  t = (s32[], (s32[2], s32[])) constant((3, ({1, 2}, 4)))\n"
         "  u = (s32[2], s32[]) get-tuple-element(t), index=1\n"
         "  ROOT r = s32[2] get-tuple-element(u), index=0", [], [1, 2]),
        ("  a = s8[2,2] parameter(0)\n  b = s32[2,2] parameter(1)\n  ROOT r = s32[2,2] dot(a, b), "
         "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
         [np.int8([[1, 2], [3, -128]]), [[1000, 1], [2, 3]]], [[1004, 7], [2744, -381]]),
        ("  a = s32[2] parameter(0)\n  s = (s32[2], s32[2], u32[]) copy-start(a)\n  c = s32[2] copy-done(s)\n"
         "  ROOT r = s32[2] negate(c)", [[1, 2]], [-1, -2]),
        ("  a = s32[2] parameter(0)\n  k = token[] after-all()\n  l = token[] after-all(k)\n"
         "  m = token[] after-all(k, l)\n  ROOT r = s32[2] add-dependency(a, m)", [[1, 2]], [1, 2]),
        ("  a = s32[2] parameter(0)\n  d = s32[2] domain(a), domain={kind=\"sharding\", entry={replicated}, "
         "exit={maximal device=0}}\n  ROOT r = s32[2] copy(d)", [[1, 2]], [1, 2]),
        ("  a = s32[3,2] parameter(0)\n  z = s32[2] parameter(1)\n"
         "  q = (s32[3,2], s32[2]) scan(a, z), dimensions={0}, num_carries=1, to_apply=both\n"
         "  ROOT r = s32[3,2] get-tuple-element(q), index=0",
         [[[1, 2], [3, 4], [5, 6]], [10, 20]], [[11, 22], [14, 26], [19, 32]]),
        ("  a = s32[2,3] parameter(0)\n  z = s32[2] parameter(1)\n"
         "  q = (s32[2,3], s32[2]) scan(a, z), dimensions={1}, num_carries=1, is_reverse=true, "
         "to_apply=both\n"
         "  ROOT r = s32[2,3] get-tuple-element(q), index=0",
         [[[1, 3, 5], [2, 4, 6]], [10, 20]], [[19, 18, 15], [32, 30, 26]]),
        ("  a = s32[2] parameter(0)\n  b = s32[] parameter(1)\n  p = pred[] constant(false)\n"
         "  t = (s32[2], (s32[])) parameter(2)\n  v = (s32[]) tuple(b)\n  u = (s32[2], (s32[])) tuple(a, v)\n"
         "  s = (s32[2], (s32[])) select(p, t, u)\n  ROOT r = s32[2] get-tuple-element(s), index=0",
         [[1, 2], 3, [4, 5], 6], [1, 2]),
    ],
)  # fmt: skip
def test_arrays(body: str, inputs: list[Any], expected: Any) -> None:
    arrays = [each if isinstance(each, np.ndarray) else np.int32(each) for each in inputs]
    assert run(body, *arrays) == [expected]


GROUP = "replica_groups={{0,1}}"


@pytest.mark.parametrize(
    ("body", "first", "second"),
    [  # the replicas have [1, 2] and [3, 4]
        (f"  ROOT r = s32[2] all-to-all(a), {GROUP}, dimensions={{0}}", [[1, 3]], [[2, 4]]),
        (f"  s = s32[2] all-reduce-start(a), {GROUP}, to_apply=sum\n  ROOT r = s32[2] all-reduce-done(s)",
         [[4, 6]], [[4, 6]]),
        (f"  s = (s32[2], s32[4]) all-gather-start(a), {GROUP}, dimensions={{0}}\n"
         "  ROOT r = s32[4] all-gather-done(s)", [[1, 2, 3, 4]], [[1, 2, 3, 4]]),
        ("  s = (s32[2], s32[2]) collective-permute-start(a), source_target_pairs={{0,1}}\n"
         "  ROOT r = s32[2] collective-permute-done(s)", [[0, 0]], [[1, 2]]),
        (f"  n = s32[2] negate(a)\n  s = ((s32[2], s32[2]), (s32[4], s32[4])) all-gather-start(a, n), "
         f"{GROUP}, "
         "dimensions={0}\n  d = (s32[4], s32[4]) all-gather-done(s)\n"
         "  ROOT r = s32[4] get-tuple-element(d), index=1", [[-1, -2, -3, -4]], [[-1, -2, -3, -4]]),
    ],
)  # fmt: skip
def test_collectives_that_start_and_end(body: str, first: Any, second: Any) -> None:
    assert on_two(f"  a = s32[2] parameter(0)\n{body}", [[1, 2]], [[3, 4]]) == (first, second)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("  a = f32[2] parameter(0)\n  k = token[] parameter(1)\n  s = (f32[2], u32[], token[]) send(a, k), "
         "channel_id=3, is_host_transfer=true\n  ROOT d = token[] send-done(s), channel_id=3",
         '"stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>, '
         "is_host_transfer = true}>"),
        ("  a = f32[2] parameter(0)\n  k = token[] parameter(1)\n  s = (f32[2], u32[], token[]) send(a, k), "
         "channel_id=3\n  ROOT d = token[] send-done(s), channel_id=3",
         '"stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>'),
        ("  k = token[] parameter(0)\n  s = (f32[2], u32[], token[]) recv(k), channel_id=4, "
         "is_host_transfer=true\n  ROOT d = (f32[2], token[]) recv-done(s), channel_id=4",
         '%0:2 = "stablehlo.recv"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 3>, '
         "is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)"),
        ("  l = f32[] constant(0)\n  h = f32[] constant(1)\n  ROOT d = f32[2,3] rng(l, h), "
         "distribution=rng_uniform", "stablehlo.rng %cst, %cst_0, %c, distribution = UNIFORM"),
        ("  k = token[] parameter(0)\n  a = f32[2] parameter(1)\n  ROOT d = token[] after-all(a, k, k)",
         "stablehlo.after_all %arg0, %arg0 : !stablehlo.token"),
        ("  a = f32[8] parameter(0)\n  ROOT d = (f32[3], s32[3]) topk(a), k=3, largest=true",
         "chlo.top_k(%arg0, k = 3)"),
        ('  a = f32[2] parameter(0)\n  ROOT d = f32[2] custom-call(a), custom_call_target="t", '
         'custom_call_has_side_effect=true, backend_config="text"',
         "stablehlo.custom_call @t(%arg0) {backend_config = \"text\", has_side_effect = true}"),
        ('  a = f32[2] parameter(0)\n  ROOT d = f32[2] custom-call(a), custom_call_target="t", '
         'api_version=API_VERSION_TYPED_FFI, backend_config={"n": {}}',
         '@t(%arg0) {api_version = 4 : i32, backend_config = "{\\22n\\22: {}}"}'),
        ('  a = f32[2] parameter(0)\n  ROOT d = f32[2] custom-call(a), custom_call_target="t", '
         "api_version=API_VERSION_UNSPECIFIED",
         "stablehlo.custom_call @t(%arg0) : (tensor<2xf32>) -> tensor<2xf32>"),
        ('  a = f32[2] parameter(0)\n  ROOT d = f32[2] custom-call(a), custom_call_target="t", '
         "api_version=API_VERSION_STATUS_RETURNING_UNIFIED", "@t(%arg0) {api_version = 3 : i32}"),
        ("  a = f32[4] parameter(0)\n  b = f32[4] bitcast(a)\n  ROOT d = f32[4] negate(b)",
         "{\n    %0 = stablehlo.negate %arg0 :"),
        ("  a = f32[] parameter(0)\n  ROOT d = f32[<=4] broadcast(a), dimensions={}",
         "@hlo.broadcast(%arg0) : (tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<4>>"),
        ("  a = f32[4] parameter(0)\n  i = (s32[]) parameter(1)\n  ROOT d = f32[4] "
         "collective-permute(a, a, i, i), source_target_pairs={{0,1}}, slice_sizes={{2}}",
         'stablehlo.custom_call @"hlo.collective-permute"(%arg0, %arg0, %arg1, %arg1) :'),
        ('  a = f32[2] parameter(0)\n  ROOT d = f32[2] custom-call(a), custom_call_target="t", '
         "api_version=API_VERSION_TYPED_FFI, backend_config={n = 1 : i64}",
         "stablehlo.custom_call @t(%arg0) {api_version = 4 : i32, backend_config = {n = 1 : i64}}"),
        ('  a = (s32[], f32[2]) parameter(0)\n  b = f32[2] parameter(1)\n'
         '  ROOT d = (f32[2], (f32[2], f32[3])) custom-call(b, a), custom_call_target="t", '
         "output_to_operand_aliasing={{1,0}: (1, {1}), {1,1}: (0, {}), {0}: (0, {})}",
         "stablehlo.custom_call @t(%arg2, %arg0, %arg1) {output_operand_aliases = ["
         "#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 2, "
         "operand_tuple_indices = []>, "
         "#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, "
         "operand_tuple_indices = []>]}"),
        ('  a = f32[2] parameter(0)\n  ROOT d = f32[2] custom-call(a), custom_call_target="t", '
         "output_to_operand_aliasing={{}: (0, {})}",
         "#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, "
         "operand_tuple_indices = []>"),
        ("  a = f32[2] parameter(0)\n  ROOT d = f32[] dot(a, a), lhs_contracting_dims={0}, "
         "rhs_contracting_dims={0}, operand_precision={packed_nibble,highest}",
         "precision = [DEFAULT, HIGHEST]"),
        ('  a = f32[2] parameter(0)\n  b = b(f32[2]) custom-call(a), custom_call_target="Pin"\n'
         '  ROOT d = f32[2] custom-call(b), custom_call_target="Unpin"',
         "stablehlo.custom_call @Pin(%arg0) : (tensor<2xf32>) -> memref<2xf32>"),
    ],
)  # fmt: skip
def test_ops(body: str, expected: str) -> None:
    module = shlo.parse(f"HloModule m\nENTRY e {{\n{body}\n}}\n")
    assert expected in shlo.format(module)


@pytest.mark.parametrize(
    ("algorithm", "expected"),
    [
        ("dot_f32_f32_f32", "f32, f32, f32, 1, false"),
        ("dot_bf16_bf16_f32_x3", "bf16, bf16, f32, 3, false"),
        ("dot_bf16_bf16_f32_x9", "bf16, bf16, f32, 9, false"),
        ("dot_tf32_tf32_f32_x3", "tf32, tf32, f32, 3, false"),
        ("dot_any_f8_any_f8_f32", "f8E5M2, f8E5M2, f32, 1, false"),
        ("dot_any_f8_any_f8_f32_fast_accum", "f8E5M2, f8E5M2, f32, 1, true"),
        ("dot_any_f8_any_f8_any", None),  # StableHLO has no words for it
        ("unset", None),
    ],
)
def test_algorithms_of_products(algorithm: str, expected: str | None) -> None:
    body = "  a = f32[4] parameter(0)\n  ROOT d = f32[] dot(a, a), lhs_contracting_dims={0}, "
    body += f"rhs_contracting_dims={{0}}, algorithm={algorithm}"
    module = shlo.parse(f"HloModule m\nENTRY e {{\n{body}\n}}\n")
    (dot,) = [op for op in module.walk() if op.name == "stablehlo.dot_general"]
    found = dot.attribute("algorithm")
    fields = dict(found.fields) if isinstance(found, StructAttr) else {}
    names = ("lhs_precision_type", "rhs_precision_type", "accumulation_type", "num_primitive_operations")
    shown = [str(fields.get(name)).lower() for name in (*names, "allow_imprecise_accumulation")]
    assert (", ".join(shown) if fields else None) == (expected and expected.lower())


@pytest.mark.parametrize(
    ("shape", "direction", "is_top_k"),
    [
        ("(f32[3], s32[3])", "GT", True),
        ("(f32[3], s32[3])", "LT", False),  # the smallest elements
        ("(f32[3], s32[])", "GT", False),
        ("(f32[], s32[])", "GT", False),
        ("(f32[3], s32[3], s32[3])", "GT", False),
        ("f32[3]", "GT", False),
    ],
)
def test_custom_calls_of_the_largest_elements(shape: str, direction: str, is_top_k: bool) -> None:
    compare = "  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  i = s32[] parameter(2)\n"
    compare += f"  j = s32[] parameter(3)\n  ROOT c = pred[] compare(p, q), direction={direction}\n"
    body = f'  a = f32[8] parameter(0)\n  ROOT d = {shape} custom-call(a), custom_call_target="TopK", '
    text = f"HloModule m\ncompare {{\n{compare}}}\nENTRY e {{\n{body}called_computations={{compare}}\n}}\n"
    found = shlo.format(shlo.parse(text))
    assert ("chlo.top_k(%arg0, k = 3)" in found, "custom_call @TopK" in found) == (is_top_k, not is_top_k)


@pytest.mark.parametrize(("replicas", "partitions"), [(1, 1), (2, 1), (1, 2), (3, 4)])
def test_numbers_of_replicas_and_partitions(replicas: int, partitions: int) -> None:
    """Those of more than one are stated."""
    head = f"HloModule m, replica_count={replicas}, num_partitions={partitions}"
    module = shlo.parse(f"{head}\nENTRY e {{\n  ROOT a = f32[2] parameter(0)\n}}\n")
    expected = {"mhlo.num_replicas": replicas, "mhlo.num_partitions": partitions}
    found = {name: str(value) for name, value in module.op.attributes.items()}
    assert found == {name: f"{count} : i32" for name, count in expected.items() if count > 1}


INPUTS = [(row, word) for row in opcodes().values() for word in row.inputs.split() if word[0] != "*"]


@pytest.mark.parametrize(("row", "word"), INPUTS, ids=lambda each: getattr(each, "name", each))
def test_an_input_of_a_row_is_one_of_its_op_and_an_attribute(row: Opcode, word: str) -> None:
    name, _, attribute = word.rstrip("?").partition("=")
    assert (attribute or name).removesuffix("[0]") in row.attributes
    definition = lookup(row.op)
    assert definition is None or name in {each.name for each in definition.inputs}
