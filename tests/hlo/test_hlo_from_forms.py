"""StableHLO written as HLO, where an op has several forms: the text, and its results when read."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.from_stablehlo import from_stablehlo


def text_of(program: str) -> str:
    return from_stablehlo(shlo.parse(program)).to_string("short_parsable")


X = [[1, -2, 3], [-4, 5, -6]]


@pytest.mark.parametrize(
    ("signature", "op", "inputs", "opcode", "expected"),
    [
        ("(%p: tensor<i1>, %x: tensor<2x3xi32>) -> tensor<2x3xi32>",
         "stablehlo.select %p, %x, %x : tensor<i1>, tensor<2x3xi32>", [True, X], "broadcast", X),
        ("(%p: tensor<3xi1>, %x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32>",
         "stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xi32>",
         [[True, False, True], [1, 2, 3], [4, 5, 6]], "select", [1, 5, 3]),
        ("(%a: tensor<i32>, %x: tensor<2x3xi32>, %b: tensor<i32>) -> tensor<2x3xi32>",
         "stablehlo.clamp %a, %x, %b : (tensor<i32>, tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>",
         [-2, X, 3], "broadcast", [[1, -2, 3], [-2, 3, -2]]),
        ("(%x: tensor<2xf32>) -> tensor<2xf32>", "stablehlo.real %x : tensor<2xf32>", [[1.0, 2.0]], "copy",
         [1, 2]),
        ("(%x: tensor<2xcomplex<f32>>) -> tensor<2xf32>", "stablehlo.real %x : (tensor<2xcomplex<f32>>) -> "
         "tensor<2xf32>", [np.complex64([1 + 2j, 3])], "real", [1, 3]),
        ("(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2xi32>",
         "stablehlo.dot %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2xi32>", [X, [1, 10, 100]], "dot",
         [281, -554]),
        ("(%x: tensor<2x3xi32>) -> tensor<2x3xi32>",
         "stablehlo.optimization_barrier %x : tensor<2x3xi32>", [X],
         "opt-barrier", X),
    ],
)  # fmt: skip
def test_ops_with_a_form(signature: str, op: str, inputs: list[Any], opcode: str, expected: Any) -> None:
    result = signature.rpartition("-> ")[2]
    text = text_of(f"func.func @main{signature} {{\n  %0 = {op}\n  return %0 : {result}\n}}")
    assert f" {opcode}(" in text
    dtypes = {"b": np.bool_, "i": np.int32, "f": np.float32, "c": np.complex64}
    arrays = [np.asarray(each, dtypes[np.asarray(each).dtype.kind]) for each in inputs]
    (found,) = shlo.run(shlo.parse(text), arrays)
    assert np.asarray(found).tolist() == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('{backend_config = "text", has_side_effect = true}',
         'custom_call_target="t", custom_call_has_side_effect=true, backend_config="text"'),
        ("{api_version = 2 : i32}", 'custom_call_target="t", api_version=API_VERSION_STATUS_RETURNING'),
        ("{api_version = 4 : i32, backend_config = {n = 1 : i32}}",
         'custom_call_target="t", api_version=API_VERSION_TYPED_FFI, backend_config={n = 1 : i32}'),
        ("{called_computations = [@f]}", 'custom_call_target="t", called_computations={%f}'),
        ("", 'custom_call_target="t"'),
        ("{output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
         "operand_index = 0, operand_tuple_indices = []>]}",
         'custom_call_target="t", output_to_operand_aliasing={{}: (0, {})}'),
    ],
)  # fmt: skip
def test_custom_calls(attributes: str, expected: str) -> None:
    module = shlo.parse(
        "func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }\n"
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        f"  %0 = stablehlo.custom_call @t(%x) {attributes} : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}"
    )
    line = next(line for line in from_stablehlo(module).to_string().splitlines() if "custom-call" in line)
    assert line.partition("), ")[2] == expected


def test_a_result_of_several_that_is_an_element_of_an_operand() -> None:
    module = shlo.parse("""func.func @main(%x: tensor<2xf32>, %t: tuple<tensor<f32>, tensor<2xf32>>) {
      %0:2 = stablehlo.custom_call @t(%x, %t) {output_operand_aliases = [#stablehlo.output_operand_alias<
        output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = [1]>]}
        : (tensor<2xf32>, tuple<tensor<f32>, tensor<2xf32>>) -> (tensor<2xf32>, tensor<3xf32>)
      return
    }""")
    assert "output_to_operand_aliasing={{0}: (1, {1})}" in from_stablehlo(module).to_string()


@pytest.mark.parametrize(("split", "concat"), [(0, 1), (1, 1)])
def test_parts_are_exchanged_along_one_dimension(split: int, concat: int) -> None:
    shape = "tensor<2x4xf32>" if split == concat else "tensor<1x8xf32>"
    program = (
        f"func.func @main(%x: tensor<2x4xf32>) -> {shape} {{\n"
        f'  %0 = "stablehlo.all_to_all"(%x) <{{split_dimension = {split} : i64, '
        f"concat_dimension = {concat} : i64, "
        "split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : "
        f"(tensor<2x4xf32>) -> {shape}\n  return %0 : {shape}\n}}"
    )
    if split == concat:
        assert "all-to-all(" in text_of(program) and "dimensions={1}" in text_of(program)
        return
    with pytest.raises(shlo.ParseError, match="split_dimension and concat_dimension must be equal"):
        text_of(program)


M, V = "tensor<4x4xf32>", "tensor<4xf32>"
SUM = """({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  })"""
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = {}, type = 1>"
GROUPS = "replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>"
LINES = {  # of an op on %x, or on %m and %n: its instruction, on x, or on m and n
    f'"stablehlo.triangular_solve"(%m, %n) <{{left_side = true, lower = false, unit_diagonal = true, '
    f"transpose_a = #stablehlo<transpose ADJOINT>}}> : ({M}, {M}) -> {M}":
        "f32[4,4]{1,0} triangular-solve(m, n), left_side=true, unit_diagonal=true, transpose_a=ADJOINT",
    f'"stablehlo.cholesky"(%m) <{{lower = true}}> : ({M}) -> {M}':
        "f32[4,4]{1,0} cholesky(m), lower=true",
    f'"stablehlo.cholesky"(%m) : ({M}) -> {M}': "f32[4,4]{1,0} cholesky(m)",
    f'"stablehlo.all_reduce"(%x) <{{{GROUPS}, {CHANNEL.format(3)}, use_global_device_ids}}> '
    f"{SUM} : ({V}) -> {V}":
        "f32[4]{0} all-reduce(x), channel_id=3, replica_groups={{0,2},{1}}, use_global_device_ids=true, "
        "to_apply=region",
    f'"stablehlo.all_reduce"(%x) <{{{GROUPS}, {CHANNEL.format(3)}}}> {SUM} : ({V}) -> {V}':
        "f32[4]{0} all-reduce(x), channel_id=3, replica_groups={{0,2},{1}}, to_apply=region",
    f'"stablehlo.all_reduce"(%x) <{{{GROUPS}, {CHANNEL.format(0)}}}> {SUM} : ({V}) -> {V}':
        "f32[4]{0} all-reduce(x), replica_groups={{0,2},{1}}, to_apply=region",
    '"stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [2, 0]]> : tensor<2x2xi64>, '
    f"{CHANNEL.format(2)}}}> : ({V}) -> {V}":
        "f32[4]{0} collective-permute(x), channel_id=2, source_target_pairs={{0,1},{2,0}}",
    '"stablehlo.slice"(%m) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 4, 3>, strides = '
    f"array<i64: 2, 1>}}> : ({M}) -> tensor<2x2xf32>":
        "f32[2,2]{1,0} slice(m), slice={[0:4:2], [1:3:1]}",
    '"stablehlo.dot_general"(%m, %n) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = '
    "[1], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [0], "
    "rhs_contracting_dimensions = [1]>, "
    f"precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}}> : ({M}, {M}) -> {V}":
        "f32[4]{0} dot(m, n), lhs_batch_dims={1}, lhs_contracting_dims={0}, rhs_batch_dims={0}, "
        "rhs_contracting_dims={1}, operand_precision={high,default}",
    '"stablehlo.reduce_window"(%m, %z) <{window_dimensions = array<i64: 2, 1>, window_strides = '
    "array<i64: 1, 3>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = "
    f"dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}}> {SUM} : ({M}, tensor<f32>) -> tensor<7x2xf32>":
        "f32[7,2]{1,0} reduce-window(m, z), window={size=2x1 stride=1x3 pad=1_0x0_2 lhs_dilate=2x1 "
        "rhs_dilate=1x2}, to_apply=region",
    f"func.call @f(%x) : ({V}) -> {V}": "f32[4]{0} call(x), to_apply=f",
    "stablehlo.create_token : !stablehlo.token": "token[] after-all()",
    **{
        f'"stablehlo.compare"(%x, %x) <{{comparison_direction = #stablehlo<comparison_direction LT>'
        f"{kind and f', compare_type = #stablehlo<comparison_type {kind}>'}}}> : ({V}, {V}) -> tensor<4xi1>":
            f"pred[4]{{0}} compare(x, x), direction=LT{stated}"
        for kind, stated in (
            ("", ""), ("FLOAT", ""), ("NOTYPE", ""), ("TOTALORDER", ", type=TOTALORDER"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("op", LINES)
def test_instructions(op: str) -> None:
    program = f"""module attributes {{mhlo.num_replicas = 3 : i32, mhlo.num_partitions = 1 : i32}} {{
  func.func private @f(%x: {V}) -> {V} {{ return %x : {V} }}
  func.func @main(%x: {V}, %m: {M}, %n: {M}, %z: tensor<f32>) -> {V} {{
  %0 = {op}
  return %x : {V}
}} }}"""
    text = text_of(program)
    lines = [line.removeprefix("  ROOT ").strip() for line in text.partition("ENTRY")[2].splitlines()[1:]]
    numbers = dict(re.findall(r"(\S+) = \S+ parameter\((\d)\)", "\n".join(lines)))
    (line,) = [line for line in lines if " = " in line and " parameter(" not in line]
    made = re.sub(
        r"\bparameter[.\d]*", lambda found: "xmnz"[int(numbers[found[0]])], line.partition(" = ")[2]
    )
    assert made == LINES[op]
    assert text.splitlines()[0].endswith(", replica_count=3")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("func.func @other() { return }", "there is no function @main"),
        ("func.func private @f()\nfunc.func @main() { func.call @f() : () -> ()\nreturn }",
         "func.func: it is a declaration, which has no body to convert"),
        ("func.func @main() { cf.br ^bb1\n^bb1: return }", "it continues with another block"),
        ("func.func @main() -> tensor<2xf32> { %0 = stablehlo.constant dense_resource<r> : tensor<2xf32>\n"
         "return %0 : tensor<2xf32> }", "its elements are not in the file"),
        (f"func.func @main(%x: {V}, %c: tensor<f32>) -> tensor<f32> {{\n"
         f'%0 = "stablehlo.reduce"(%x, %c) <{{dimensions = array<i64: 0>}}> '
         f"{SUM.replace('add %a, %b', 'add %a, %c')} : ({V}, tensor<f32>) -> tensor<f32>\n"
         "return %0 : tensor<f32> }", "a region that is applied to elements uses a value from outside"),
    ],
)  # fmt: skip
def test_programs_without_a_form(program: str, message: str) -> None:
    with pytest.raises(shlo.ParseError, match=message):
        text_of(program)
