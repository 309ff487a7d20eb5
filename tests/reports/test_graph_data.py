"""What the view of a graph is given, and graphs in DOT: columns, texts and nodes by hand."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo
from stablehlo_py.reports import shadow_html
from stablehlo_py.reports.graph import Graph, Item, dot, graph
from stablehlo_py.reports.graph.html import graph_data
from stablehlo_py.rounding.rows import Shadow, ShadowRow

ARGUMENT = Item(1, "argument", "%x", results=[("%x", "f32")], value="p/a", line=1, weight=True)
OP = Item(
    2,
    "op",
    "add",
    name="stablehlo.add",
    results=[("%0", "f32")],
    operands=[("%x", "f32")],
    attributes=[("k", "v")],
    line=2,
    location="from m.py:1",
    scope="jit(f)",
    operations=5,
    bytes=6,
    error=0.5,
    seconds=1.5,
    sent=7.0,
    live=8.0,
    calls=["g"],
)
HAND_MADE = Graph(
    "a/m.mlir",
    [Item(0, "function", "@f", items=[ARGUMENT, OP]), Item(3, "function", "@g")],
    [(1, 2, "%x")],
    {},
)


def test_each_field_is_a_column_of_numbers_and_of_texts() -> None:
    assert graph_data(HAND_MADE) == {
        "texts": [
            *("", "function", "argument", "op"),
            *("@f", "%x", "add", "@g", "stablehlo.add", "p/a", "from m.py:1", "jit(f)"),
            *("f32", "%0", "k", "v", "g"),
        ],
        "items": {
            "parent": [-1, 0, 0, -1],
            "kind": [1, 2, 3, 1],
            "title": [4, 5, 6, 7],
            "name": [0, 0, 8, 0],
            "value": [0, 9, 0, 0],
            "location": [0, 0, 10, 0],
            "scope": [0, 0, 11, 0],
            "line": [0, 1, 2, 0],
            "operations": [0, 0, 5, 0],
            "bytes": [0, 0, 6, 0],
            "error": [0, 0, 0.5, 0],
            "seconds": [0, 0, 1.5, 0],
            "sent": [0, 0, 7.0, 0],
            "live": [0, 0, 8.0, 0],
            "results": [0, [5, 12], [13, 12], 0],
            "attributes": [0, 0, [14, 15], 0],
            "calls": [0, 0, [16], 0],
            "weight": [0, 1, 0, 0],
        },
        "edges": [1, 2, 5],
    }


def test_columns_without_values_are_left_out() -> None:
    function = Graph("m", [Item(0, "function", "@f")], [], {})
    assert graph_data(function)["items"] == {"parent": [-1], "kind": [1], "title": [2]}
    assert graph_data(Graph("m", [], [], {})) == {"texts": [""], "items": {"parent": []}, "edges": []}


def test_a_graph_in_dot() -> None:
    """Ops with regions are clusters, and nodes in them; constants are without their types."""
    region = Item(
        4, "region", "body", items=[Item(5, "constant", "constant", value='"1"', results=[("%c", "i1")])]
    )
    items = [ARGUMENT, OP, Item(3, "op", "if", items=[region])]
    made = dot(Graph('a"b', [Item(0, "function", "@f", items=items)], [(1, 2, "%x"), (5, 3, "%c")], {}))
    assert made.splitlines() == [
        r'digraph "a\"b" {',
        '  node [fontname="sans-serif", fontsize=10];',
        "  subgraph cluster_0 {",
        '    label="@f";',
        r'    n1 [shape=ellipse, label="p/a\nf32"];',
        r'    n2 [shape=box, label="add\nf32"];',
        "    subgraph cluster_3 {",
        '      label="if";',
        '      n3 [shape=box, label="if"];',
        "      subgraph cluster_4 {",
        '        label="body";',
        r'        n5 [shape=plaintext, label="\"1\""];',
        "      }",
        "    }",
        "  }",
        '  n1 -> n2 [label="%x"];',
        '  n5 -> n3 [label="%c"];',
        "}",
    ]


PATHS = ["p['a']", "p['b']", "p['c']", "p['d']", "x"]


@pytest.mark.parametrize(("name", "named"), [("main", True), ("other", False)])
def test_paths_and_weights_of_arguments(name: str, named: bool) -> None:
    """With costs, arguments are named by their paths: four in a tree are weights. Otherwise none is."""
    arguments = ", ".join(f'%{at}: tensor<f32> {{jax.arg_info = "{path}"}}' for at, path in enumerate(PATHS))
    module = shlo.parse(f"func.func @{name}({arguments}) -> tensor<f32> {{\n  return %0 : tensor<f32>\n}}")
    items = graph(module, costs=True).functions[0].items[:5]
    assert [item.value for item in items] == ["p/a", "p/b", "p/c", "p/d", "x"]
    assert [item.weight for item in items] == [True] * 4 + [False]
    items = graph(module).functions[0].items[:5]
    assert [(item.value, item.weight) for item in items] == [("", False)] * 5


def test_arguments_without_paths() -> None:
    arguments = ", ".join(f"%a{at}: tensor<f32>" for at in range(8))
    text = f"func.func @main({arguments}) -> tensor<f32> {{\n  return %a0 : tensor<f32>\n}}"
    for costs in (False, True):
        items = graph(shlo.parse(text), costs=costs).functions[0].items
        assert [(item.value, item.weight) for item in items[:8]] == [("", True)] * 7 + [("", False)]
        assert not items[8].weight


def test_of_neighbours_the_largest_error_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five ops in two dots: three, from 0 of 5, and two, from 3: at 0.5 and 3.5 of 1148 from 76."""
    monkeypatch.setattr(shadow_html, "_DOTS", 2)
    op = shlo.parse("func.func @f(%x: tensor<f32>) {\n return\n}").functions["f"].blocks[0].ops[0]
    errors = (1e-3, 1e-1, 0.0, 1e-4, 1e-2)
    rows = [ShadowRow(op, "a", "%0", "f32", at, "", "", error=error) for at, error in enumerate(errors, 1)]
    made = shadow_html.shadow_page(Shadow("f64", rows), "p")
    assert re.findall(r"<title>line (\d): ", made) == ["2", "5"]
    assert re.findall(r'<circle class="dot" cx="(.*?)"', made) == ["190.8", "879.6"]


@pytest.mark.parametrize(
    ("constant", "value"),
    [
        ("dense<0x7F800000> : tensor<f32>", "inf"),
        ("dense<0xFF80> : tensor<bf16>", "-inf"),
        ("dense<0x7FC0> : tensor<2xbf16>", "nan"),
        ("dense<0x7C> : tensor<f8E5M2>", "inf"),
        ("dense<1.5> : tensor<bf16>", "1.500000e+00"),
        ("dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>", ""),  # longer than what is shown
        ("dense<(0x7F800000,0.0)> : tensor<complex<f32>>", ""),
        ("dense<[1, 2, 3, 4]> : tensor<4xi32>", "[1, 2, 3, 4]"),
        ("dense<[1, 2, 3, 4, 5]> : tensor<5xi8>", ""),
        ("dense<true> : tensor<9xi1>", "true"),
        ("dense<> : tensor<0xi8>", ""),
    ],
)
def test_values_of_constants(constant: str, value: str) -> None:
    """Numbers that are not finite by their names, rather than their bits."""
    made = graph(shlo.parse(f"func.func @main() {{\n  %0 = stablehlo.constant {constant}\n  return\n}}"))
    (item,) = [each for function in made.functions for each in function.walk() if each.kind == "constant"]
    assert item.value == value
