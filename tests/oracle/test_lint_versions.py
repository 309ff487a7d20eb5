"""Lint's table of versions against jaxlib: the versions that artifacts can be written for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.vhlo.versions import minimum_version
from stablehlo_py.ir.element_types import ELEMENT_TYPES, OLDEST
from stablehlo_py.ir.types import FloatType
from stablehlo_py.ir.version import CURRENT, MINIMUM, Version, version_of
from stablehlo_py.opset.definition import all_definitions

pytest.importorskip("jaxlib")

FLOATS = {
    row.name: version_of(row.since)
    for row in ELEMENT_TYPES.values()
    if isinstance(row.type, FloatType) and row.supported and row.since != OLDEST
}
REVISED = {
    d.name.partition(".")[2]: d for d in all_definitions() if any(revision.uses for revision in d.revisions)
}
YOUNG = {d.name.partition(".")[2] for d in all_definitions() if d.since not in ("", "0.9.0")}

# Reads [text, version] pairs; says whether an artifact can be written. A process of its own, as it may abort.
WRITE = """
import json, sys
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
print(json.dumps(stablehlo.get_current_version()), flush=True)
context = mlir.make_ir_context()
for line in sys.stdin:
    text, version = json.loads(line)
    with context:
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:
            print(json.dumps(str(error)), flush=True)
            continue
        try:
            stablehlo.serialize_portable_artifact(module, version)
            print("true", flush=True)
        except Exception:
            print("false", flush=True)
"""


def _unary(op: str, type: str = "tensor<2xf32>") -> str:
    return f"""func.func @main(%x: {type}) -> {type} {{
  %0 = {op} : {type}
  return %0 : {type}
}}"""


def _identity(type: str) -> str:
    return f"func.func @main(%x: {type}) -> {type} {{ return %x : {type} }}"


def _collective(op: str, properties: str, count: int = 2, body: str = "") -> str:
    types = ", ".join(["tensor<2x2xf32>"] * count)
    names = ", ".join([f"%x{n}" for n in range(count)])
    arguments = ", ".join([f"%x{n}: tensor<2x2xf32>" for n in range(count)])
    results = ", ".join([f"%r#{n}" for n in range(count)]) if count > 1 else "%r"
    return f"""func.func @main({arguments}) -> ({types}) {{
  %r{f":{count}" if count > 1 else ""} = "stablehlo.{op}"({names}) <{{{properties}}}> {body}
    : ({types}) -> ({types})
  return {results} : {types}
}}"""


GROUPS = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
SUM = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
})"""
WIDE_SUM = SUM.replace("f32", "f64")
ACCURACY = "{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}"
COMPOSITE = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "my.op" %x {decomposition = @f} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"""
GATHER = """func.func @main(%x: tensor<3x4xf32>, %i: tensor<3x1xi64>) -> tensor<3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<
    collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0],
    start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}>
    : (tensor<3x4xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
DYNAMIC_GATHER = """func.func @main(%x: tensor<3x4xf32>, %i: tensor<3x1xi64>, %s: tensor<2xi64>)
    -> tensor<3xf32> {
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<
    collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0],
    start_index_map = [1], index_vector_dim = 1>}>
    : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<2xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
SCATTER = f"""func.func @main(%x: tensor<3x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>)
    -> tensor<3x4xf32> {{
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
    scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}}> {SUM}
    : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}}"""
REDUCE = f"""func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f64> {{
  %0 = "stablehlo.reduce"(%x, %z) <{{dimensions = array<i64: 0>}}> {WIDE_SUM}
    : (tensor<4xf32>, tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
}}"""
REDUCE_WINDOW = f"""func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<4xf64> {{
  %0 = "stablehlo.reduce_window"(%x, %z) <{{window_dimensions = array<i64: 1>}}> {WIDE_SUM}
    : (tensor<4xf32>, tensor<f32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}}"""
REDUCE_SCATTER = f"""func.func @main(%x: tensor<2x2xf32>) -> tensor<2x1xf64> {{
  %0 = "stablehlo.reduce_scatter"(%x) <{{scatter_dimension = 1 : i64, {GROUPS}}}> {WIDE_SUM}
    : (tensor<2x2xf32>) -> tensor<2x1xf64>
  return %0 : tensor<2x1xf64>
}}"""
PROMOTING_SCATTER = f"""func.func @main(%x: tensor<4xf32>, %i: tensor<1xi64>, %u: tensor<f32>)
    -> tensor<4xf64> {{
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}}> {WIDE_SUM}
    : (tensor<4xf32>, tensor<1xi64>, tensor<f32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}}"""
SELECT_AND_SCATTER = f"""func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>, %z: tensor<f32>)
    -> tensor<4xf64> {{
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) <{{
    window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}, {WIDE_SUM[1:-1]}) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}}"""
DOT = """func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0], algorithm = <
    lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1,
    rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}"""
TYPED = _unary(
    '"stablehlo.custom_call"(%x) <{call_target_name = "f", api_version = 4 : i32, '
    "backend_config = {a = 1 : i32}}> : (tensor<2xf32>) -> tensor<2xf32>"
).replace("tensor<2xf32> : tensor<2xf32>", "tensor<2xf32>")
UNTYPED = TYPED.replace("api_version = 4 : i32, backend_config = {a = 1 : i32}", 'backend_config = "a"')
SEND = """func.func @main(%x: tensor<2xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>,
    is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}>
    : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}"""
RECV = """func.func @main(%t: !stablehlo.token) -> !stablehlo.token {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>,
    is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}>
    : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#1 : !stablehlo.token
}"""
BUFFER = """func.func @main(%x: memref<2xf32>) -> memref<2xf32> {
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<
    output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}
    : (memref<2xf32>) -> memref<2xf32>
  return %0 : memref<2xf32>
}"""
ASYNC = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %0 = "stablehlo.async_start"(%x) ({{
  ^bb0(%in: tensor<2xf32>):
    %1 = "stablehlo.all_reduce"(%in) <{{{GROUPS}}}> {SUM} : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }}) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}}"""
FUTURE_CALL = ASYNC.replace(
    '"stablehlo.async_done"(%0)', '"stablehlo.custom_call"(%0) <{call_target_name = "f"}>'
)
MESH = """replica_groups = #stablehlo.replica_group_mesh_axes<
  mesh = #stablehlo.mesh<axes=[#stablehlo.mesh_axis<name = "x", size = 2>]>,
  axes = [#stablehlo.axis_ref<name = "x">]>"""
DYNAMIC_CONV = """func.func @main(%x: tensor<1x4x4x1xf32>, %k: tensor<3x3x1x1xf32>, %p: tensor<2x2xi32>)
    -> tensor<1x4x4x1xf32> {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<
    [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
    : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>, tensor<2x2xi32>) -> tensor<1x4x4x1xf32>
  return %0 : tensor<1x4x4x1xf32>
}"""
BROADCAST = _collective("collective_broadcast", GROUPS, 1)

PROGRAMS: dict[str, tuple[str, Version]] = {
    "plain": (_unary("stablehlo.tanh %x"), MINIMUM),
    "f8E4M3FN": (_identity("tensor<2xf8E4M3FN>"), MINIMUM),
    "memref": (BUFFER, Version(1, 13)),
    "future": (ASYNC, Version(1, 15)),
    "i2": (_identity("tensor<2xi2>"), Version(1, 2)),
    "ui2": (_identity("tensor<2xui2>"), Version(1, 2)),
    "tan": (_unary("stablehlo.tan %x"), Version(1, 4)),
    "composite": (COMPOSITE, Version(0, 19)),
    "collective_broadcast": (BROADCAST, Version(0, 16)),
    "async_done": (ASYNC, Version(1, 15)),
    "gather": (GATHER, Version(1, 1)),
    "dynamic_gather": (DYNAMIC_GATHER, Version(1, 1)),
    "scatter": (SCATTER, Version(1, 1)),
    "scatter that promotes": (PROMOTING_SCATTER, Version(0, 17)),
    "reduce": (REDUCE, Version(0, 17)),
    "reduce_window": (REDUCE_WINDOW, Version(0, 17)),
    "reduce_scatter": (REDUCE_SCATTER, Version(0, 17)),
    "select_and_scatter": (SELECT_AND_SCATTER, Version(0, 17)),
    "all_reduce": (_collective("all_reduce", GROUPS, 2, SUM), Version(1, 5)),
    "all_reduce of one": (_collective("all_reduce", GROUPS, 1, SUM), MINIMUM),
    "all_gather": (
        _collective("all_gather", f"all_gather_dim = 0 : i64, {GROUPS}")
        .replace("-> (tensor<2x2xf32>, tensor<2x2xf32>)", "-> (tensor<4x2xf32>, tensor<4x2xf32>)")
        .replace(
            "return %r#0, %r#1 : tensor<2x2xf32>, tensor<2x2xf32>",
            "return %r#0, %r#1 : tensor<4x2xf32>, tensor<4x2xf32>",
        ),
        Version(1, 5),
    ),
    "all_to_all": (
        _collective(
            "all_to_all",
            f"split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, {GROUPS}",
        ),
        Version(1, 5),
    ),
    "mesh": (_collective("all_reduce", MESH, 1, SUM), Version(1, 16)),
    "dot_general": (DOT, Version(1, 6)),
    "custom_call": (TYPED, Version(1, 3)),
    "custom_call without types": (UNTYPED, MINIMUM),
    "custom_call of a future": (FUTURE_CALL, Version(1, 17)),
    "send": (SEND, Version(1, 12)),
    "recv": (RECV, Version(1, 12)),
    "dynamic_conv": (DYNAMIC_CONV, MINIMUM),
    **{name: (_identity(f"tensor<2x{name}>"), since) for name, since in FLOATS.items()},
    **{
        name: (_unary(f"stablehlo.{name} %x {ACCURACY}"), Version(1, 9 if name == "exponential" else 10))
        for name, definition in REVISED.items()
        if definition.revisions[0].what == "result_accuracy"
    },
}


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dict[Version, object]]:
    """Of each program, whether it can be written for the version before the table's, and for that one."""
    asked = [
        (name, version)
        for name, (_, since) in PROGRAMS.items()
        for version in (Version(since.major, since.minor - 1) if since.minor else Version(0, 20), since)
        if version >= MINIMUM
    ]
    lines = [json.dumps([PROGRAMS[name][0], str(version)]) for name, version in asked]
    done = subprocess.run(
        [sys.executable, "-Pc", WRITE], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    current, *answers = map(json.loads, done.stdout.splitlines())
    newest = Version(*map(int, current.split(".")))
    found: dict[str, dict[Version, object]] = {}
    for (name, version), answer in zip(asked, answers, strict=True):
        if version <= newest:
            found.setdefault(name, {})[version] = answer
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_minimum_version(name: str, verdicts: dict[str, dict[Version, object]]) -> None:
    text, since = PROGRAMS[name]
    module = shlo.parse(text)
    assert [d for d in shlo.verify(module) if d.severity == "error"] == []
    assert minimum_version(module) == since
    if name not in verdicts:
        pytest.skip(f"jaxlib does not know version {since} yet")
    for version, can_be_written in verdicts[name].items():
        assert can_be_written is (version >= since), version


def test_every_row_has_a_program() -> None:
    rows = {*YOUNG, *FLOATS, *REVISED} - {"collective_reduce", "async_start"}
    assert rows <= PROGRAMS.keys()
    assert max(since for _, since in PROGRAMS.values()) <= CURRENT
