"""`shlo inspect --devices`, and a mesh and shardings from the command line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from stablehlo_py.cli import common, inspect_devices
from stablehlo_py.cli.sharding_options import Sharding

import stablehlo_py as shlo_py
from stablehlo_py.analysis.devices import Total

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PRODUCT = """func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x6xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x64xf32>, tensor<64x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
"""
MESH = ("--mesh", "data=2,model=4")
SHARDED = ("--shard", "x=[{data},{model}]", "--shard", "w=[{model},{}]")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "product.mlir"
    path.write_text(PRODUCT)
    return path


def test_text(shlo: Shlo, program: Path) -> None:
    done = shlo("inspect", program, "--devices", *MESH, *SHARDED, "--bandwidth", "model=0.001")
    assert done.returncode == 0
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[0].endswith("product.mlir: @main on 8 devices (data=2, model=4)")
    assert "arguments 640 B of 3.50 KiB" in lines
    assert "results 96 B of 192 B" in lines
    assert "replicated 192 B of arguments beyond an even share" in lines
    assert "messages 144 B sent, 144 B received in 1 collective, 144.0 us" in lines
    x = "%x tensor<8x64xf32> tensor<4x16xf32> 256 B 1 [{data}, {model}] "
    assert x + "0 [0:4, 0:16]; 1 [0:4, 16:32]; 2 [0:4, 32:48]; 3 [0:4, 48:64]; ..." in lines
    assert "all_reduce 2 1 144 B 144 B 768 144.0 us model 0-1-2-3, 4-5-6-7" in lines
    assert "model 1 144 B 144 B 144.0 us" in lines


def test_json(shlo: Shlo, program: Path) -> None:
    done = shlo("inspect", program, "--devices", *MESH, *SHARDED, "--format", "json")
    (module,) = json.loads(done.stdout)["modules"]
    assert module["devices"]["argument_bytes"] == 640
    assert module["devices"]["by_axis"]["model"] == {
        "count": 1, "sent": 144, "received": 144, "seconds": None,
    }  # fmt: skip
    assert module["functions"][0]["parameter_bytes"] == 3584  # of the program as it is


def test_every_device_with_all(shlo: Shlo, program: Path) -> None:
    done = shlo("inspect", program, "--devices", *MESH, *SHARDED, "--all")
    assert "7 [4:8, 48:64]" in done.stdout
    assert "..." not in done.stdout


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ((*MESH,), 2, "--mesh requires --devices"),
        (("--bandwidth", "x=1"), 2, "--bandwidth requires --devices"),
        (("--devices",), 2, "the program is for one device"),
        (("--devices", *MESH, "--bandwidth", "x"), 2, "x: expected AXIS=GB/S"),
        (("--devices", *MESH, "--bandwidth", "x=0"), 2, "x=0: a bandwidth is a positive number"),
        (("--devices", *MESH, "--bandwidth", "x=1"), 2, "the mesh has no axis x; its axes are: data, model"),
        (("--devices", "--mesh", "data"), 2, "'data' is not an axis of a mesh"),
        (("--devices", *MESH, "--shard", "y=[{}]"), 1, "no value is named y; arguments: x, w"),
        (("--devices", *MESH, "--shard", "x=[{data},{data}]"), 1, "axis data is used twice"),
    ],
)
def test_misuse(shlo: Shlo, program: Path, options: tuple[str, ...], status: int, message: str) -> None:
    done = shlo("inspect", program, *options)
    assert done.returncode == status
    assert message in done.stderr


def test_a_mesh_and_shardings_for_opt(shlo: Shlo, program: Path) -> None:
    done = shlo("opt", program, *MESH, *SHARDED, "-p", "partition")
    assert done.returncode == 0
    assert "func.func @main(%x: tensor<4x16xf32>, %w: tensor<16x6xf32>) -> tensor<4x6xf32>" in done.stdout


def test_shardings_by_the_mesh_of_the_program(shlo: Shlo, program: Path) -> None:
    program.write_text(shlo("opt", program, *MESH).stdout)
    done = shlo("opt", program, *SHARDED, "-p", "partition")
    assert "func.func @main(%x: tensor<4x16xf32>, %w: tensor<16x6xf32>) -> tensor<4x6xf32>" in done.stdout


def test_a_mesh_alone(shlo: Shlo, program: Path) -> None:
    assert 'sdy.mesh @mesh = <["data"=2, "model"=4]>' in shlo("opt", program, *MESH).stdout


def test_a_text_that_is_no_sharding(shlo: Shlo, program: Path) -> None:
    done = shlo("opt", program, *MESH, "--shard", "x")
    assert done.returncode == 2
    assert "'x' is not the sharding of a value" in done.stderr


CALL = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def test_remarks_on_what_is_not_divided(shlo: Shlo, program: Path) -> None:
    program.write_text(CALL)
    options = ("--mesh", "x=2", "--shard", "x=[{x}]")
    done = shlo("opt", program, *options, "-p", "partition")
    assert done.returncode == 0
    assert "all_gather" in done.stdout
    remark = "note: stablehlo.custom_call is computed as a whole on every device"
    assert f"product.mlir:2:8: {remark}" in done.stderr
    assert "line 2: stablehlo.custom_call is computed as a whole" in shlo(
        "inspect", program, "--devices", *options
    ).stdout  # fmt: skip


def test_long_lists_say_how_much_is_left(shlo: Shlo, program: Path) -> None:
    count, type = 60, "tensor<8xf32>"
    arguments = ", ".join([f"%a{n}: {type}" for n in range(count)])
    calls = [f"%{n} = stablehlo.custom_call @f(%a{n}) : ({type}) -> {type}" for n in range(count)]
    results = f"return {', '.join([f'%{n}' for n in range(count)])} : {', '.join([type] * count)}"
    body = "\n".join([*calls, results])
    program.write_text(f"func.func @main({arguments}) -> ({', '.join([type] * count)}) {{\n{body}\n}}")
    options = ("--devices", "--mesh", "x=2", "--shard", "a*=[{x}]")
    text = shlo("inspect", program, *options).stdout
    listed = text.count("is computed as a whole")
    assert 0 < listed < count and f"  and {count - listed} more (--all)\n" in text
    sections = {part.partition("\n")[0]: part.rpartition("\n")[2] for part in text.strip().split("\n\n")[1:]}
    assert {name: rest for name, rest in sections.items() if "more (--all)" in rest} == {
        **dict.fromkeys(("arguments", "results", "collectives"), "  and 50 more (--all)"),
        "live at the peak": "  and 51 more (--all)",  # an argument as well
        "on every device as a whole": "  and 50 more (--all)",
    }
    text = shlo("inspect", program, *options, "--all").stdout
    assert text.count("is computed as a whole") == count and "more (--all)" not in text


def test_dimensions_that_devices_do_not_divide(shlo: Shlo, program: Path) -> None:
    done = shlo("inspect", program, "--devices", "--mesh", "data=3", "--shard", "x=[{data},{}]")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    first = lines.index("uneven") + 1
    x = "dimension 0 of %x has size 8, which the 3 devices along data do not divide: 1 more would"
    assert (done.returncode, lines[first]) == (0, x)
    done = shlo("inspect", program, "--devices", "--mesh", "data=2", "--shard", "x=[{data},{}]")
    assert (done.returncode, "uneven" in done.stdout) == (0, False)


@pytest.mark.parametrize(
    ("op", "attributes", "group"),
    [
        ("all_reduce", "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", "[(0, 0), (1, 0)]"),
        ("collective_permute", "source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>", "[(1, 0), (0, 0)]"),
    ],
)
def test_groups_of_processes_that_there_are_not(
    op: str, attributes: str, group: str, shlo: Shlo, tmp_path: Path
) -> None:
    """The two devices are partitions of one replica, and without a channel, groups are of replicas."""
    body = """({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  })"""
    text = f"""sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}) -> tensor<4xf32> {{
  %0 = "stablehlo.{op}"(%a) {body if op == "all_reduce" else ""}
    {{{attributes}}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""
    (tmp_path / "p.mlir").write_text(text)
    done = shlo("inspect", "--devices", "p.mlir", cwd=tmp_path)
    assert done.returncode == 1
    grid = "the grid of 1 replicas by 2 partitions"
    assert f"p.mlir:3:8: error: stablehlo.{op}: process group {group} does not fit {grid}" in done.stderr


def test_the_largest_are_shown_in_the_order_of_the_amount_received(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there are more than fit; all of them in the order of the program, if they do."""
    monkeypatch.setattr(common, "width", lambda *_: 80)
    made = SimpleNamespace(times=1, axes=("x",), groups=[[0, 1]], is_directed=False)
    collectives = [
        SimpleNamespace(
            name=name,
            line=1,
            sent=sent,
            received=received,
            flops=0,
            seconds=None,
            scope="",
            communication=made,
        )
        for name, sent, received in (("a", 90, 1), ("b", 1, 20), ("c", 2, 30))
    ]
    totals = dict.fromkeys(("by_op", "by_axis", "by_scope"), dict)
    found = SimpleNamespace(collectives=collectives, **totals)
    for limit, names in (
        (1, ["c", "and"]),
        (2, ["c", "b", "and"]),
        (3, ["a", "b", "c"]),
        (None, ["a", "b", "c"]),
    ):
        inspect_devices._print_collectives(found, limit)  # type: ignore[arg-type]
        rows = capsys.readouterr().out.splitlines()
        rows = rows[rows.index("collectives") + 2 : rows.index("collectives by axis") - 1]
        assert [row.split()[0] for row in rows] == names


@pytest.mark.parametrize(
    ("total", "text"),
    [
        (Total(2, 1024, 2048, None), "1 KiB sent, 2 KiB received in 2 collectives"),
        (Total(1, 7, 9, 144e-6), "7 B sent, 9 B received in 1 collective, 144.0 us"),
        (Total(), "none"),
    ],
)
def test_the_sums_of_messages(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, total: Total, text: str
) -> None:
    monkeypatch.setattr(common, "width", lambda *_: 80)
    module = shlo_py.parse(PRODUCT)
    made = Sharding("data=2,model=4", ()).apply(module)
    found = shlo_py.analyze_devices(made)
    vars(found)["total"] = total
    inspect_devices.print_devices("x.mlir", found, False)
    assert f"  messages     {text}" in capsys.readouterr().out.splitlines()
