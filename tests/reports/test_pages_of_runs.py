"""What pages say of memory, devices, profiles, precision and objects: each cell by hand."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from page_reader import Read

import stablehlo_py as shlo
from stablehlo_py.analysis.memory import Memory
from stablehlo_py.debug.machine import Limits
from stablehlo_py.debug.observers.profile import Profile, ProfileRow
from stablehlo_py.reports.devices_html import devices_html
from stablehlo_py.reports.memory_html import memory_html, memory_page, schedule_html
from stablehlo_py.reports.notebook import diagnostic_html, html
from stablehlo_py.reports.plots.lanes import Span
from stablehlo_py.reports.profile_html import ProfileData, profile_html
from stablehlo_py.reports.shadow_html import shadow_page
from stablehlo_py.rounding.rows import Shadow, ShadowRow

PROGRAM = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.add %x, %x : tensor<4xf32>
  %b = stablehlo.concatenate %a, %a, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %c = stablehlo.slice %b [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
"""


def test_memory() -> None:
    """At the concatenation x and a have 16 B, b has 32."""
    found = Memory(shlo.parse(PROGRAM)).timeline("main")
    assert "<h1>Memory of @main</h1>" in memory_page(found, "main", "p.mlir")
    read = Read(memory_html(found, "main"))
    assert read.rows[:2] == [
        ["value", "type", "defined at line", "bytes", "of the peak"],
        ["%b", "tensor<8xf32>", "3", "32 B", "50.0 %"],
    ]
    assert sorted(read.rows[2:]) == [
        ["%a", "tensor<4xf32>", "2", "16 B", "25.0 %"],
        ["%x", "tensor<4xf32>", "argument", "16 B", "25.0 %"],
    ]
    assert read.keys[1][2:] == ["3", "32", "32"] and read.tables == ["sortable"]
    assert read.texts == [
        "figcaption: Bytes that are live at each op of a call of @main. The peak is 64 B at line 3 "
        "(stablehlo.concatenate). Loop bodies and branches are drawn once.",
        "h3: Live at the peak",
        "caption: Values that are live at the peak",
    ]
    many = found._replace(live=found.live * 10)
    assert memory_html(many, "main").endswith(f'<p class="faint">{len(many.live) - 25} smaller values</p>')
    assert ">1 smaller values</p>" in memory_html(found._replace(live=found.live[:1] * 26), "main")
    assert "smaller values" not in memory_html(found._replace(live=found.live[:1] * 25), "main")
    assert memory_html(found._replace(steps=()), "main") == ""


def test_memory_of_a_schedule() -> None:
    live = {
        "instruction": "a.1",
        "shape": "f32[4]{0}",
        "kind": "temporary",
        "line": 3,
        "source": "",
        "op_name": "jit(f)/add",
        "bytes": 512,
    }
    found = {
        "peak_bytes": 2048,
        "peak_line": 4,
        "peak_instruction": "b",
        "parameter_bytes": 16,
        "result_bytes": 0,
        "constant_bytes": None,
        "assigned_bytes": 4096,
        "steps": [512, 2048],
        "live": [live, live | {"source": "m.py:2", "bytes": 1536}],
    }
    read = Read(schedule_html(found))
    assert read.facts == [
        ("peak", "2 KiB"),
        ("parameters", "16 B"),
        ("results", "0 B"),
        ("assigned by XLA", "4 KiB"),
    ]
    assert read.rows == [
        ["buffer", "shape", "kind", "line", "source", "bytes", "of the peak"],
        ["%a.1", "f32[4]{0}", "temporary", "3", "jit(f)/add", "512 B", "25.0 %"],
        ["%a.1", "f32[4]{0}", "temporary", "3", "m.py:2", "1.50 KiB", "75.0 %"],
    ]
    assert "The peak is 2 KiB at line 4 (%b)." in " ".join(read.texts)
    assert len(Read(schedule_html(found | {"live": [live] * 30})).rows) == 26
    assert Read(schedule_html(found | {"live": [live]})).tables == [None]


def test_devices() -> None:
    held = {
        "kind": "argument",
        "name": "%x",
        "type": "tensor<8x4xf32>",
        "local_type": "tensor<4x4xf32>",
        "bytes": 64,
        "copies": 1,
        "sharding": "[{data}, {}]",
        "slices": [[(0, 4), (0, 4)], [(4, 8), (0, 4)]],
    }
    whole = held | {
        "name": "%y",
        "bytes": 2048,
        "copies": None,
        "sharding": None,
        "slices": None,
        "type": None,
    }
    sent = {
        "op": "all_reduce",
        "line": 3,
        "scope": "layer",
        "axes": ["a", "b"],
        "times": 1200,
        "sent": 1024,
        "received": 2048,
        "seconds": None,
    }
    found = {
        "mesh": {"data": 2, "model": 1},
        "devices": 2,
        "communication": {"sent": 3072},
        "peak_bytes": 1,
        "flops": 2500,
        "whole_peak_bytes": 2,
        "argument_bytes": 3,
        "replicated_bytes": 4,
        "collectives": [sent, sent | {"seconds": 0.5}],
        "values": [held, whole, held | {"kind": "result", "slices": [[(0, 4)], [(0, 4)]]}],
        "undivided": [{"line": 7, "op": "sort", "why": "is <whole>"}],
    }
    read = Read(devices_html(found))
    assert read.facts == [
        ("devices", "2 (data=2, model=1)"),
        ("peak memory of a device", "1 B"),
        ("on one device", "2 B"),
        ("arguments", "3 B"),
        ("replicated", "4 B"),
        ("operations of a device", "2.50 k"),
        ("sent by a device", "3 KiB"),
    ]
    heads = ["value", "type", "on a device", "bytes", "copies", "sharding", "devices"]
    assert read.rows == [
        ["collective", "line", "scope", "axes", "times", "sent", "received", "time"],
        ["all_reduce", "3", "layer", "a, b", "1,200", "1 KiB", "2 KiB", ""],
        ["all_reduce", "3", "layer", "a, b", "1,200", "1 KiB", "2 KiB", "500.00 ms"],
        heads,
        ["%y", "", "tensor<4x4xf32>", "2 KiB", "", "", ""],
        ["%x", "tensor<8x4xf32>", "tensor<4x4xf32>", "64 B", "1", "[{data}, {}]", ""],
        heads,
        ["%x", "tensor<8x4xf32>", "tensor<4x4xf32>", "64 B", "1", "[{data}, {}]", ""],
    ]
    headings = [each for each in read.texts if each.startswith(("h2", "li"))]
    assert headings == [
        "h2: Collectives",
        "h2: Arguments",
        "h2: Results",
        "h2: On every device as a whole",
        "li: line 7: sort is <whole>",
    ]
    many = Read(devices_html(found | {"values": [held] * 1060}))
    assert len(many.rows) == 3 + 1 + 50 and "p: 1,010 smaller values" in many.texts
    assert "smaller values" not in devices_html(found | {"values": [held] * 50})


@pytest.mark.parametrize(
    ("slices", "shards"),
    [
        ([[(0, 4)], [(4, 8)]], ["0 at 0,0", "1 at 0,1"]),  # one dimension: in a row
        ([[(0, 4)], [(0, 4)]], ["0, 1 at 0,0"]),
        (
            [[(0, 1), (0, 2)], [(0, 1), (2, 4)], [(1, 2), (0, 2)], [(1, 2), (2, 4)]],
            ["0 at 0,0", "1 at 0,1", "2 at 1,0", "3 at 1,1"],
        ),
        ([[(0, 1), (0, 2)], [(1, 2), (0, 2)]], ["0 at 0,0", "1 at 0,1"]),
        (  # of three dimensions, the last two
            [[(i, i + 1), (j, j + 1), (k, k + 1)] for i in (0, 1) for j in (0, 1) for k in (0, 1)],
            ["0, 4 at 0,0", "1, 5 at 0,1", "2, 6 at 1,0", "3, 7 at 1,1"],
        ),
        ([[(0, 9)]] * 9, ["0 +8 at 0,0"]),
        ([[(i, i + 1)] for i in range(12)], [f"{i} at 0,{i}" for i in range(8)]),
        # What has six characters is not shortened.
        ([[(i // 2, i // 2 + 1)] for i in range(12)], [f"{2 * i}, {2 * i + 1} at 0,{i}" for i in range(6)]),
        ([[(i // 100, i // 100 + 1)] for i in range(102)], ["0 +99 at 0,0", "100 +1 at 0,1"]),
    ],
)
def test_grids_of_shards(slices: Any, shards: list[str]) -> None:
    held = {
        "kind": "argument",
        "name": "%x",
        "type": "t",
        "local_type": "t",
        "bytes": 1,
        "copies": 1,
        "sharding": "",
        "slices": slices,
    }
    found = devices_html(
        {
            "mesh": {},
            "devices": 1,
            "communication": {"sent": 0},
            "collectives": [],
            "values": [held],
            "undivided": [],
        }
        | dict.fromkeys(("peak_bytes", "whole_peak_bytes", "argument_bytes", "replicated_bytes", "flops"), 0)
    )
    places = re.findall(r'<text x="(\d+)" y="(\d+)" class="strong middle">([^<]*)</text>', found)
    assert [f"{words} at {(int(y) - 14) // 20},{(int(x) - 23) // 46}" for x, y, words in places] == shards


def test_a_profile_begins_with_the_slowest_ops() -> None:
    rows = [ProfileRow(str(n), f"%{n}", n, "", 1, 0.5, 0, 0, 0.5, warm) for n, warm in enumerate((1, 3, 2))]
    profile = SimpleNamespace(rows=lambda: rows, kinds=lambda: rows[::-1], runs=2, spans=list)
    found = ProfileData.of(cast(Profile, profile), Limits(1e9, 1e9))
    assert [row.name for row in found.rows] == [row.name for row in found.kinds] == ["1", "2", "0"]


def test_a_profile() -> None:
    rows = [
        ProfileRow("add", "%0", 3, "m.py:1", 2, 0.5, 1_000_000, 2_000_000, 0.375, 0.125),
        ProfileRow("iota", "%1", 0, "", 1, 0.25, 0, 0, 0.25, 0.375),
    ]
    spans = [Span("add", 0.0, 0.1, "x")]
    read = Read(profile_html(ProfileData(rows, rows[:1], 3, Limits(1e9, 1 << 30), spans)))
    assert read.facts == [
        ("time in ops, median of 2 runs after the first", "500.00 ms"),
        ("first run", "625.00 ms"),
        ("ops", "2"),
        ("rate", "1.33 MFLOP/s"),
        ("traffic", "2.54 MiB/s"),
    ]
    assert read.rows == [
        ["op", "value", "line", "source", "time", "share", "first run", "calls", "GFLOP/s", "GB/s"],
        ["add", "%0", "3", "m.py:1", "125.00 ms", "25.0 %", "375.00 ms", "2", "0.002", "0.004"],
        ["iota", "%1", "0", "", "375.00 ms", "75.0 %", "250.00 ms", "1", "", ""],
    ]
    assert [each for each in read.texts if each.startswith("h2")] == [
        "h2: Timeline",
        "h2: Roofline",
        "h2: Time by op name",
        "h2: Slowest ops",
        "h2: All ops",
    ]
    shown = profile_html(ProfileData(rows, rows, 1, Limits(1e9, 1 << 30)))
    assert "iota  %1: 375.00 ms  75.0 %" in shown and "add  %0  line 3: 125.00 ms  25.0 %" in shown
    assert "a product of f32 matrices has 1 GFLOP/s, a copy 1 GiB/s" in shown and "Timeline" not in shown
    assert "add  %0  line 3: 500.00 ms, 0.002 GFLOP/s, 0.004 GB/s" in shown
    assert 'r="21"' in shown  # 3 + 22 * sqrt(0.5 / 0.75), of the time of all runs
    assert Read(shown).facts[0] == ("time in ops", "500.00 ms") and "first run" not in dict(Read(shown).facts)
    none = Read(profile_html(ProfileData(rows[1:], [], 1, Limits(1, 1))))
    assert "h2: Roofline" not in none.texts and dict(none.facts)["rate"] == "0FLOP/s"
    at_once = [ProfileRow("add", "%0", 3, "", 1, 0.0, 4, 48, 0.0, 0.0)]  # below the resolution of the clock
    none = Read(profile_html(ProfileData(at_once, at_once, 1, Limits(1, 1))))
    assert "h2: Roofline" not in none.texts and dict(none.facts)["rate"] == "none"
    assert none.rows[1][4:6] == ["0.0 us", "0.0 %"]
    many = profile_html(ProfileData(rows[1:] * 201, [], 1, Limits(1, 1)))
    assert many.endswith('<p class="faint">1 faster op not shown.</p>')
    assert "not shown" not in profile_html(ProfileData(rows[1:] * 200, [], 1, Limits(1, 1)))


def test_precision() -> None:
    op = shlo.parse(PROGRAM).functions["main"].blocks[0].ops[0]
    row = ShadowRow(
        op,
        "stablehlo.add",
        "%a",
        "f32",
        2,
        "m.py:3",
        "f/add",
        error=1e-5,
        introduced=2e-6,
        contribution=0.5,
        amplification=3.0,
        cancelled=2.25,
        overflow=4,
        flushed=5,
    )
    zero = ShadowRow(op, "chlo.b", "%b", "f16", 3, "", "")
    found = Shadow("f64", [row, zero], {"f": 0.25, "": 0.5, "g": 0.0}, [1e-5, None])
    read = Read(shadow_page(found, "p.mlir"))
    assert read.facts == [("beside", "f64"), ("relative error of the results", "1e-05"), ("ops", "2")]
    assert read.rows == [
        [
            "op",
            "value",
            "type",
            "line",
            "source",
            "scope",
            "contribution",
            "introduced",
            "error",
            "amplified",
            "cancelled bits",
            "digits",
            "out of range",
            "flushed",
            "map",
        ],
        [
            "add",
            "%a",
            "f32",
            "2",
            "m.py:3",
            "f/add",
            "0.5",
            "2e-06",
            "1e-05",
            "3",
            "2.2",
            "5.0",
            "4",
            "5",
            "",
        ],
        ["chlo.b", "%b", "f16", "3", "", "", "", "", "", "", "", "3.3", "0", "0", ""],
    ]
    shown = shadow_page(found, "p.mlir")
    assert "no scope: 0.5" in shown and "f: 0.25" in shown and ">g: " not in shown
    assert "line 2: stablehlo.add %a: error 1e-05, contribution 0.5" in shown
    assert shown.count("<circle") == 1
    lost = replace(row, error=math.inf)
    assert shadow_page(Shadow("f64", [lost, row, zero]), "p.mlir").count("<circle") == 1
    assert "<circle" not in shadow_page(Shadow("f64", [lost, zero]), "p.mlir")
    random = Read(shadow_page(Shadow("random", [zero]), "p.mlir"))
    assert random.facts[:2] == [
        ("beside", "runs with random rounding"),
        ("relative deviation of the results", "no floats"),
    ]
    assert "h2: Error along the program" not in random.texts and "h2: By scope" not in random.texts
    many = Read(shadow_page(Shadow("f64", [zero] * 202), "p.mlir"))
    assert "p: 2 ops with less are not shown." in many.texts and len(many.rows) == 201


# Notebooks


def test_objects_in_notebooks() -> None:
    module = shlo.parse(PROGRAM)
    rows = [["", "name", "type"], ["input", "%x", "tensor<4xf32>"], ["result", "0", "tensor<4xf32>"]]
    shown = html(shlo.compile(module, engine="numpy"))
    assert shown.startswith("<p><b>@main</b> on engine numpy</p>")
    found = Read(shown).rows
    assert [found[0], *([kind, name.split()[0], type] for kind, name, type in found[1:])] == rows
    place = (
        "func.func @f() -> tensor<ui32> { %0 = stablehlo.replica_id : tensor<ui32> return %0 : tensor<ui32> }"
    )
    shown = html(shlo.compile(place, engine="numpy", replicas=2, partitions=3))
    assert shown.startswith("<p><b>@f</b> on engine numpy, 2 x 3 processes</p>")
    found = Read(html(shlo.analyze(module))).rows
    assert found == [
        ["function", "ops", "FLOPs", "argument bytes", "result bytes", "peak bytes"],
        ["@main", "4", "4", "16", "16", "64"],
    ]
    diagnostic = shlo.Diagnostic("error", "abs.C1", "a <b>", 3, 4, ("why\x1b",))
    assert diagnostic_html(diagnostic) == (
        '<div class="diagnostic"><b class="error">3:4: error:</b> a &lt;b&gt; [abs.C1]'
        '\n<span class="note">why\\x1b</span></div>'
    )
    assert diagnostic_html(shlo.Diagnostic("note", "c", "m", 0, 0)) == (
        '<div class="diagnostic"><b class="note">note:</b> m [c]</div>'
    )
    with pytest.raises(TypeError, match="no HTML for int"):
        html(3)
