"""What devices hold, send and receive: bytes, slices and groups by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.analysis import devices
from stablehlo_py.analysis.devices import DeviceAnalysis, Total
from stablehlo_py.api.devices import analyze_mesh
from stablehlo_py.sharding.division.devices import Devices
from stablehlo_py.sharding.mesh import Mesh

LAYER = """sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(
  %x: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
  %w: tensor<64x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}
) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x64xf32>, tensor<64x6xf32>) -> tensor<8x6xf32> loc("jit(f)/layer/dot_general")
  return %0 : tensor<8x6xf32>
}
"""


@pytest.fixture(scope="module")
def layer() -> DeviceAnalysis:
    return shlo.analyze_devices(shlo.parse(LAYER), bandwidth={"model": 2e9})


def test_what_a_device_holds(layer: DeviceAnalysis) -> None:
    x, w = layer.of_kind("argument")
    assert (x.name, str(x.local), x.size, x.copies, x.sharding) == (
        "%x", "tensor<4x16xf32>", 256, 1, "[{data}, {model}]",
    )  # fmt: skip
    assert (str(w.local), w.size, w.copies, w.replicated) == ("tensor<16x6xf32>", 384, 2, 192)
    (result,) = layer.of_kind("result")
    assert (str(result.local), result.size, result.copies) == ("tensor<4x6xf32>", 96, 4)
    assert layer.replicated_bytes == 192
    assert layer.peak_bytes == 256 + 384 + 96 + 96  # the product, and the sum over the devices
    assert layer.whole_peak_bytes == 8 * 64 * 4 + 64 * 6 * 4 + 8 * 6 * 4


def test_slices(layer: DeviceAnalysis) -> None:
    x, w = layer.of_kind("argument")
    assert x.slices(layer.devices)[5] == [(4, 8), (16, 32)]  # data 1, model 1
    assert w.slices(layer.devices)[7] == [(48, 64), (0, 6)]
    assert w.slices(layer.devices)[3] == w.slices(layer.devices)[7]


def test_a_sum_over_an_axis(layer: DeviceAnalysis) -> None:
    (sum_,) = layer.collectives
    assert (sum_.name, sum_.line, sum_.scope) == ("all_reduce", 6, "jit(f)/layer")
    assert sum_.communication.axes == ("model",)
    assert sum_.communication.groups == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert sum_.sent == sum_.received == 2 * 96 * 3 // 4
    assert sum_.flops == 2 * 4 * 6 * 16
    assert sum_.seconds == pytest.approx(144 / 2e9)
    assert layer.by_axis().keys() == {"model"}
    assert layer.by_scope()["jit(f)/layer"].sent == layer.by_op()["all_reduce"].sent == 144


@pytest.mark.parametrize("times", [(1.0, None), (None, 1.0), (None, None), (0.5, 1.0)])
def test_a_sum_with_an_unknown_time_is_unknown(
    layer: DeviceAnalysis, times: tuple[float | None, float | None]
) -> None:
    total = Total()
    for seconds in times:
        total.add(replace(layer.collectives[0], seconds=seconds))
    expected = None if None in times else 1.5
    assert (total.count, total.sent, total.received, total.seconds) == (2, 288, 288, expected)


@pytest.mark.parametrize(
    ("axes", "sent", "received", "seconds"),
    [
        (("data",), [10, 30], [20, 0], 2 * 30 / 4.0),
        (("data",), [10, 30], [20, 50], 2 * 50 / 4.0),  # what a device receives may be more
        (("data", "model"), [30], [30], 2 * 30 / 2.0),  # the slowest axis
        (("model", "data"), [30], [30], 2 * 30 / 2.0),
        (("data", "other"), [30], [30], None),
        ((), [30], [30], 0.0),
    ],
)
def test_time_of_a_collective(
    layer: DeviceAnalysis,
    axes: tuple[str, ...],
    sent: list[int],
    received: list[int],
    seconds: float | None,
) -> None:
    """Of two executions."""
    exchanged: dict[str, Any] = {
        "times": 2,
        "axes": axes,
        "sent": np.array(sent),
        "received": np.array(received),
    }
    each = replace(layer.collectives[0].communication, **exchanged)
    assert devices._seconds(each, {"data": 4.0, "model": 2.0}) == seconds


@pytest.mark.parametrize(("most", "are_listed"), [(8, True), (7, False)])
def test_slices_of_many_devices_are_not_listed(
    layer: DeviceAnalysis, most: int, are_listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "MOST_SLICED", most)
    values = layer.to_dict()["values"]
    assert [value["slices"] is not None for value in values[:2]] == [are_listed] * 2


def test_plain_data(layer: DeviceAnalysis) -> None:
    found = json.loads(json.dumps(layer.to_dict()))
    assert found["mesh"] == {"data": 2, "model": 4}
    assert found["values"][0]["slices"][5] == [[4, 8], [16, 32]]
    assert found["collectives"][0]["groups"] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert found["communication"] == {"count": 1, "sent": 144, "received": 144, "seconds": 144 / 2e9}


def test_an_axis_that_the_mesh_has_not() -> None:
    with pytest.raises(ValueError, match="the mesh has no axis x; its axes are: data, model"):
        shlo.analyze_devices(shlo.parse(LAYER), bandwidth={"x": 1.0})


def test_a_program_for_one_device_is_not_verified() -> None:
    """Reports ask for the devices of each program, and have verified it."""
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> { return %x : tensor<2xf32> }"
    with mock.patch("stablehlo_py.verifier.verifier.verify_module") as verified:
        assert analyze_mesh(shlo.parse(text)) is None
    verified.assert_not_called()


SUM = (
    "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n  %s = stablehlo.add %a, %b : tensor<f32>\n"
    "  stablehlo.return %s : tensor<f32>\n})"
)
ALL = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
OF_8 = "(tensor<8xf32>) -> tensor<8xf32>"


def grid(op: str, result: str = "tensor<8xf32>", replicas: int = 1, partitions: int = 4) -> DeviceAnalysis:
    return shlo.analyze_devices(
        shlo.parse(
            f"module attributes {{mhlo.num_replicas = {replicas} : i32, "
            f"mhlo.num_partitions = {partitions} : i32}} {{\n"
            f"func.func @main(%x: tensor<8xf32>) -> {result} {{\n  %0 = {op}\n  return %0 : {result}\n}}\n}}"
        )
    )


@pytest.mark.parametrize(
    ("op", "result", "sent", "received"),
    [
        (f'"stablehlo.all_gather"(%x) <{{all_gather_dim = 0 : i64, {ALL}, {CHANNEL}, use_global_device_ids'
         "}> : (tensor<8xf32>) -> tensor<32xf32>", "tensor<32xf32>", [96] * 4, [96] * 4),
        (f'"stablehlo.all_reduce"(%x) <{{{ALL}, {CHANNEL}, use_global_device_ids}}> {SUM} : {OF_8}',
         "tensor<8xf32>", [48] * 4, [48] * 4),
        # Of three devices, each sends four thirds of its 32 bytes: 42 and two thirds.
        (f'"stablehlo.all_reduce"(%x) <{{replica_groups = dense<[[0, 1, 3], [2, -1, -1]]> : tensor<2x3xi64>, '
         f"{CHANNEL}, use_global_device_ids}}> {SUM} : {OF_8}", "tensor<8xf32>", [43, 43, 0, 43],
         [43, 43, 0, 43]),
        (f'"stablehlo.reduce_scatter"(%x) <{{scatter_dimension = 0 : i64, {ALL}, {CHANNEL}, '
         f"use_global_device_ids}}> {SUM} : (tensor<8xf32>) -> tensor<2xf32>",
         "tensor<2xf32>", [24] * 4, [24] * 4),
        (f'"stablehlo.all_to_all"(%x) <{{split_dimension = 0 : i64, concat_dimension = 0 : i64, '
         f"split_count = 4 : i64, {ALL}, {CHANNEL}}}> : {OF_8}", "tensor<8xf32>", [24] * 4, [24] * 4),
        (f'"stablehlo.collective_permute"(%x) <{{source_target_pairs = dense<[[0, 1], [1, 2], [3, 3]]> : '
         f"tensor<3x2xi64>, {CHANNEL}}}> : {OF_8}", "tensor<8xf32>", [32, 32, 0, 0], [0, 32, 32, 0]),
        (f'"stablehlo.collective_broadcast"(%x) <{{{ALL}, {CHANNEL}}}> : {OF_8}', "tensor<8xf32>",
         [32, 32, 32, 0], [0, 32, 32, 32]),
        (f'"stablehlo.collective_reduce"(%x) <{{{ALL}, {CHANNEL}, use_global_device_ids}}> {SUM} : {OF_8}',
         "tensor<8xf32>", [0, 32, 32, 32], [32, 32, 32, 0]),
    ],
)  # fmt: skip
def test_bytes_of_collectives(op: str, result: str, sent: list[int], received: list[int]) -> None:
    (found,) = grid(op, result).collectives
    assert found.communication.sent.tolist() == sent
    assert found.communication.received.tolist() == received
    assert found.communication.axes == ("partition",)


def test_devices_in_no_group_send_nothing() -> None:
    groups = "replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>"
    split = "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64"
    (found,) = grid(f'"stablehlo.all_to_all"(%x) <{{{split}, {groups}, {CHANNEL}}}> : {OF_8}').collectives
    assert found.communication.groups == [[1, 0]]
    assert found.communication.sent.tolist() == [16, 16, 0, 0]


def test_groups_of_replicas_are_within_each_partition() -> None:
    groups = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
    (found,) = grid(
        f'"stablehlo.all_reduce"(%x) <{{{groups}}}> {SUM} : {OF_8}', replicas=2, partitions=2
    ).collectives
    assert found.communication.groups == [[0, 2], [1, 3]]
    assert found.communication.axes == ("replica",)


def test_a_program_for_one_device() -> None:
    with pytest.raises(ValueError, match="for one device"):
        grid("stablehlo.negate %x : tensor<8xf32>", partitions=1)


LOOP = """HEAD(%a: tensor<8x8xf32>SHARDING) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<8x8xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = func.call @f(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = func.call @f(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}
func.func private @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = OP : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
"""


def test_calls_and_loops_repeat_collectives() -> None:
    head = "module attributes {mhlo.num_partitions = 4 : i32} {\nfunc.func @main"
    pairs = "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>"
    text = LOOP.replace("HEAD", head).replace("SHARDING", "") + "}"
    found = shlo.analyze_devices(
        shlo.parse(text.replace("OP", f'"stablehlo.collective_permute"(%x) <{{{pairs}, {CHANNEL}}}>'))
    )
    (each,) = found.collectives
    assert each.communication.times == found.total.count == 10
    assert each.sent == each.received == 10 * 8 * 8 * 4


@pytest.mark.parametrize(
    ("body", "times"),
    [
        (
            """%p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1 = OP(%x) <{PAIRS}> : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %1 : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>""",
            1,
        ),
        (
            """%0:2 = "chlo.scan"(%x) <{dimension = 0 : i64, scan_dim_size = 4 : i64,
      operandSegmentSizes = array<i32: 0, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%b: tensor<3xf32>):
    %1 = OP(%b) <{PAIRS}> : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %b, %1 : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)""",
            4,
        ),
    ],
)
def test_branches_and_scans_with_collectives(body: str, times: int) -> None:
    pairs = "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>"
    body = body.replace("OP", '"stablehlo.collective_permute"').replace("PAIRS", f"{pairs}, {CHANNEL}")
    found = shlo.analyze_devices(
        shlo.parse(
            "module attributes {mhlo.num_partitions = 4 : i32} {\n"
            f"func.func @main(%x: tensor<3xf32>) {{\n  {body}\n  return\n}}\n}}"
        )
    )
    (each,) = found.collectives
    assert (each.communication.times, each.sent) == (times, times * 3 * 4)


def test_groups_along_an_axis_of_a_mesh() -> None:
    mesh = '#stablehlo.mesh<axes = [<name = "a", size = 2>, <name = "b", size = 2>]>'
    for axis, groups in (("a", [[0, 2], [1, 3]]), ("b", [[0, 1], [2, 3]])):
        axes = f'[#stablehlo.axis_ref<name = "{axis}">]'
        axes = f"#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = {axes}>"
        op = f'"stablehlo.all_reduce"(%x) <{{replica_groups = {axes}, {CHANNEL}, use_global_device_ids}}>'
        (found,) = grid(f"{op} {SUM} : {OF_8}").collectives
        assert found.communication.groups == groups


def test_what_every_device_computes_as_a_whole() -> None:
    text = LOOP.replace("HEAD", 'sdy.mesh @mesh = <["x"=4]>\nfunc.func @main')
    text = text.replace("SHARDING", ' {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}')
    found = shlo.analyze_devices(shlo.parse(text.replace("OP", "stablehlo.custom_call @f(%x)")))
    assert [each.name for each in found.collectives] == [
        "all_gather"
    ]  # of the first call; the second has all
    assert found.total.received == 5 * 3 * 8 * 2 * 4  # 8 rows of 2 numbers from each of the others
    assert [(line, op) for line, op, _ in found.undivided] == [(19, "stablehlo.custom_call")]


def test_dimensions_that_do_not_divide() -> None:
    text = LAYER.replace("8x", "6x").replace('"data"=2', '"data"=4').replace('"model"=4', '"model"=2')
    found = shlo.analyze_devices(shlo.parse(text))
    assert "dimension 0 of %x has size 6, which the 4 devices along data do not divide" in map(
        str, found.uneven
    )
    assert found.uneven[0].padding == 2
    uneven = {"value": "%x", "dimension": 0, "size": 6, "shards": 4, "padding": 2}
    assert uneven in found.to_dict()["uneven"]


def test_axes_of_devices_in_another_order() -> None:
    devices = Devices(Mesh((("x", 2), ("y", 2)), (0, 2, 1, 3)))
    assert devices.axes_between(np.array([0]), np.array([1])) == ("x",)
    assert devices.axes_between(np.array([0, 0]), np.array([2, 1])) == ("x", "y")
