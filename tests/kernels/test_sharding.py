"""Manual computations of Shardy: each process runs the body on its shards, and returns global arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

MESH = '<["x"=2, "y"=2]>'
X = np.arange(16).reshape(4, 4)
T = "tensor<4x4xi64>"
ROWS = X[:2], X[2:]


def program(
    ins: str, outs: str, axes: str, shard: str, body: str, mesh: str = MESH, out: str = "", whole: str = T
) -> str:
    """A program that runs `body`, which makes %r of %b, on shards of its argument."""
    return f"""sdy.mesh @mesh = {mesh}
    func.func @main(%a: {T}) -> {whole} {{
      %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, {ins}>] out_shardings=[<@mesh, {outs}>]
          manual_axes={axes} (%b: tensor<{shard}xi64>) {{
        {body}
        sdy.return %r : tensor<{out or shard}xi64>
      }} : ({T}) -> {whole}
      return %0 : {whole}
    }}"""


def run(text: str, **options: Any) -> Any:
    module = shlo.parse(text)
    assert shlo.verify(module) == []
    (found,) = shlo.compile(module, **options)(X)
    return found


def place(shard: str) -> str:
    """A body that adds to a shard 100 times the partition that has it."""
    scalar, type = "tensor<i64>", f"tensor<{shard}xi64>"
    return f"""%p = stablehlo.partition_id : tensor<ui32>
        %q = stablehlo.convert %p : (tensor<ui32>) -> {scalar}
        %h = stablehlo.constant dense<100> : {scalar}
        %m = stablehlo.multiply %q, %h : {scalar}
        %w = stablehlo.broadcast_in_dim %m, dims = [] : ({scalar}) -> {type}
        %r = stablehlo.add %b, %w : {type}"""


@pytest.mark.parametrize(
    ("sharding", "axes", "shard", "mesh", "places"),
    [
        ('[{"x"}, {"y"}]', '{"x", "y"}', "2x2", MESH, [[0, 0, 1, 1]] * 2 + [[2, 2, 3, 3]] * 2),
        ('[{"y"}, {"x"}]', '{"x", "y"}', "2x2", MESH, [[0, 0, 2, 2]] * 2 + [[1, 1, 3, 3]] * 2),
        ('[{"x", "y"}, {}]', '{"x", "y"}', "1x4", MESH, [[0] * 4, [1] * 4, [2] * 4, [3] * 4]),
        ('[{}, {"y", "x"}]', '{"x", "y"}', "4x1", MESH, [[0, 2, 1, 3]] * 4),
        # Along the free axis all devices compute the same; what the first of them has is what counts.
        ('[{"x"}, {}]', '{"x"}', "2x4", MESH, [[0] * 4] * 2 + [[2] * 4] * 2),
        ('[{"x", "y"}, {}]', '{"x"}', "2x4", MESH, [[0] * 4] * 2 + [[2] * 4] * 2),
        ('[{"x"}, {}], replicated={"y"}', '{"x", "y"}', "2x4", MESH, [[0] * 4] * 2 + [[2] * 4] * 2),
        # The devices of a mesh may be in any order.
        ('[{"x"}, {}]', '{"x"}', "2x4", '<["x"=2], device_ids=[1, 0]>', [[1] * 4] * 2 + [[0] * 4] * 2),
    ],
)
def test_the_process_that_has_each_part(
    sharding: str, axes: str, shard: str, mesh: str, places: list[list[int]]
) -> None:
    text = program(sharding, sharding, axes, shard, place(shard), mesh)
    np.testing.assert_array_equal(run(text), X + 100 * np.array(places))


SUM = """%r = "stablehlo.all_reduce"(%b) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<{}> : tensor<2x2xi64>, use_global_device_ids}}> ({{
        ^bb0(%c: tensor<i64>, %d: tensor<i64>):
          %s = stablehlo.add %c, %d : tensor<i64>
          stablehlo.return %s : tensor<i64>
        }}) : (tensor<2x4xi64>) -> tensor<2x4xi64>"""


def test_a_sum_along_an_axis() -> None:
    body = SUM.format("[[0, 2], [1, 3]]")
    text = program('[{"x"}, {}]', "[{}, {}]", '{"x"}', "2x4", body, whole="tensor<2x4xi64>")
    np.testing.assert_array_equal(run(text), ROWS[0] + ROWS[1])


def test_axes_of_one_device_divide_nothing() -> None:
    """A single process runs the body, whatever the mesh is."""
    body = "%r = stablehlo.negate %b : tensor<4x4xi64>"
    text = program('[{"x"}, {}]', '[{"x"}, {}]', '{"x"}', "4x4", body, mesh='<["x"=1, "y"=2]>')
    np.testing.assert_array_equal(run(text, partitions=1), -X)


def test_every_process_has_the_whole_result() -> None:
    text = program('[{"x"}, {}]', '[{"x"}, {}]', '{"x"}', "2x4", "%r = stablehlo.negate %b : tensor<2x4xi64>")
    found = shlo.compile(shlo.parse(text)).call_grid([X])
    assert list(found) == [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert all(np.array_equal(result, -X) for (result,) in found.values())


def test_one_within_another() -> None:
    inner = """%r = sdy.manual_computation(%b) in_shardings=[<@mesh, [{}, {"y"}]>]
          out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%c: tensor<2x2xi64>) {
        %n = stablehlo.reverse %c, dims = [0, 1] : tensor<2x2xi64>
        sdy.return %n : tensor<2x2xi64>
      } : (tensor<2x4xi64>) -> tensor<2x4xi64>"""
    text = program('[{"x"}, {}]', '[{"x"}, {}]', '{"x"}', "2x4", inner)
    expected = [[5, 4, 7, 6], [1, 0, 3, 2], [13, 12, 15, 14], [9, 8, 11, 10]]
    np.testing.assert_array_equal(run(text), expected)


def test_a_mesh_of_one_device_needs_no_grid() -> None:
    body = "%r = stablehlo.negate %b : tensor<4x4xi64>"
    text = program('[{"x"}, {}]', '[{"x"}, {}]', '{"x"}', "4x4", body, '<["x"=1]>')
    np.testing.assert_array_equal(run(text), -X)


def test_scalars_tokens_and_no_values() -> None:
    text = """sdy.mesh @mesh = <["x"=2]>
    func.func @main(%a: tensor<i64>, %t: !stablehlo.token) -> (tensor<i64>, !stablehlo.token) {
      sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
        sdy.return
      } : () -> ()
      %0:2 = sdy.manual_computation(%a, %t) in_shardings=[<@mesh, []>, <@mesh, []>]
          out_shardings=[<@mesh, []>, <@mesh, []>] manual_axes={"x"}
          (%b: tensor<i64>, %u: !stablehlo.token) {
        %n = stablehlo.negate %b : tensor<i64>
        sdy.return %n, %u : tensor<i64>, !stablehlo.token
      } : (tensor<i64>, !stablehlo.token) -> (tensor<i64>, !stablehlo.token)
      return %0#0, %0#1 : tensor<i64>, !stablehlo.token
    }"""
    module = shlo.parse(text)
    assert shlo.verify(module) == []
    number, token = shlo.run(module, [np.int64(3), None])
    assert number.shape == () and number == -3 and token is None


def test_grids_that_do_not_fit() -> None:
    body = "%r = stablehlo.negate %b : tensor<2x4xi64>"
    text = program('[{"x"}, {}]', '[{"x"}, {}]', '{"x"}', "2x4", body)
    with pytest.raises(shlo.Unsupported, match=r"@mesh has 4 devices, but the grid has 1 partition \(see"):
        run(text, partitions=1)
    stated = f"module attributes {{mhlo.num_partitions = 2 : i32}} {{\n{text}\n}}"
    with pytest.raises(shlo.Unsupported, match=r"@mesh has 4 devices, but the grid has 2 partitions \(see"):
        run(stated)
    np.testing.assert_array_equal(run(stated, partitions=4), -X)


def test_a_part_of_an_axis_is_not_run() -> None:
    body = "%r = stablehlo.negate %b : tensor<2x4xi64>"
    text = program('[{"x":(1)2}, {}]', '[{"x":(1)2}, {}]', '{"x"}', "2x4", body, '<["x"=4]>')
    with pytest.raises(shlo.Unsupported, match="sharding along a sub-axis is not supported"):
        run(text)


def test_what_only_says_where_tensors_are_is_the_identity() -> None:
    text = f"""sdy.mesh @mesh = {MESH}
    func.func @main(%a: {T}) -> {T} {{
      %0 = sdy.sharding_constraint %a <@mesh, [{{"x"}}, {{?}}]> : {T}
      %1 = sdy.reshard %0 <@mesh, [{{}}, {{"y"}}]> : {T}
      %2 = sdy.propagation_barrier %1 allowed_direction=NONE : {T}
      %3 = sdy.all_gather [{{}}, {{"y"}}] %2 out_sharding=<@mesh, [{{}}, {{}}]> : {T}
      sdy.sharding_group %3 group_id=1 : {T}
      %4 = sdy.named_computation<"f">(%3) (%b: {T}) {{
        %c = sdy.constant dense<1> : {T}
        %5 = stablehlo.add %b, %c : {T}
        sdy.return %5 : {T}
      }} : ({T}) -> {T}
      return %4 : {T}
    }}"""
    module = shlo.parse(text)
    assert shlo.verify(module) == []
    (found,) = shlo.run(module, [X])
    np.testing.assert_array_equal(found, X + 1)


NEGATED = "%r = stablehlo.negate %b : tensor<2x4xi64>"
ASKS = "%p = stablehlo.partition_id : tensor<ui32>"


@pytest.mark.parametrize(
    ("before", "returns_global_arrays"),
    [("", True), ("%p = stablehlo.tanh %x : tensor<f32>", True), (ASKS, False)],
)
def test_programs_that_return_global_arrays(before: str, returns_global_arrays: bool) -> None:
    text = program('[{"x"}, {}]', '[{"x"}, {}]', '{"x"}', "2x4", NEGATED)
    text = text.replace("(%a:", "(%x: tensor<f32>, %a:").replace("%0 =", f"{before}\n%0 =")
    assert shlo.compile(shlo.parse(text)).returns_global_arrays == returns_global_arrays


def test_functions_that_manual_computations_call_are_part_of_them() -> None:
    text = program('[{"x"}, {}]', '[{"x"}, {}]', '{"x"}', "2x4", f"func.call @f() : () -> ()\n{NEGATED}")
    called = shlo.parse(f"{text}\nfunc.func private @f() {{\n{ASKS}\nreturn\n}}")
    assert shlo.compile(called).returns_global_arrays


def test_a_program_without_a_mesh_is_not_about_whole_arrays() -> None:
    assert not shlo.compile(shlo.parse("func.func @main() {\nreturn\n}")).returns_global_arrays
