"""Program graphs: the data model, and Graphviz output."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import Type
from stablehlo_py.reports.graph import Item, dot, graph, page
from stablehlo_py.reports.graph.weights import find_weights
from stablehlo_py.syntax.parser import parse_type

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """\
func.func @main(%x: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<2xf32>
  %y = stablehlo.multiply %x, %half : tensor<2xf32> loc("scale"("net.py":7:3))
  %z = "stablehlo.if"(%p) ({
    stablehlo.return %y : tensor<2xf32>
  }, {
    %w = func.call @root(%x) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %w : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
func.func private @root(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sqrt %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def titles(item: Item) -> object:
    return [item.title, *map(titles, item.items)] if item.items else item.title


def test_items_hold_items() -> None:
    main, root = graph(shlo.parse(PROGRAM)).functions
    branch = ["if", ["true_branch", "return"], ["false_branch", "call", "return"]]
    assert titles(main) == ["@main", "%x", "%p", "constant", "multiply", branch, "return"]
    assert titles(root) == ["@root", "%x", "sqrt", "return"]
    assert [item.id for function in (main, root) for item in function.walk()] == list(range(16))


def test_what_an_item_says() -> None:
    main = graph(shlo.parse(PROGRAM)).functions[0]
    constant, multiply, branch = main.items[2:5]
    assert (constant.kind, constant.value, constant.line) == ("constant", "5.000000e-01", 2)
    assert (multiply.name, multiply.line) == ("stablehlo.multiply", 3)
    assert multiply.location == "from net.py:7:3 (scale)"
    assert multiply.operands == [("%x", "tensor<2xf32>"), ("%half", "tensor<2xf32>")]
    assert multiply.results == [("%y", "tensor<2xf32>")]
    assert branch.items[1].items[0].calls == ["root"]


def test_edges_go_from_definition_to_use() -> None:
    found = graph(shlo.parse(PROGRAM))
    items = {item.id: item for function in found.functions for item in function.walk()}
    named = [(items[start].title, items[end].title, name) for start, end, name in found.edges]
    assert named == [
        ("%x", "multiply", "%x"),
        ("constant", "multiply", "%half"),
        ("%p", "if", "%p"),
        ("multiply", "return", "%y"),
        ("%x", "call", "%x"),
        ("call", "return", "%w"),
        ("if", "return", "%z"),
        ("%x", "sqrt", "%x"),
        ("sqrt", "return", "%0"),
    ]


def test_definitions_are_those_of_the_ops() -> None:
    definitions = graph(shlo.parse(PROGRAM)).definitions
    assert "stablehlo.if" in definitions and "stablehlo.add" not in definitions
    assert [label for label, _ in definitions["stablehlo.sqrt"]["constraints"]][:1] == ["C1"]
    assert definitions["stablehlo.if"]["family"] == "control"


def test_dot_has_clusters_nodes_and_edges() -> None:
    text = dot(graph(shlo.parse(PROGRAM, 'a "b".mlir')))
    assert text.startswith('digraph "a \\"b\\".mlir" {\n')
    assert '  subgraph cluster_0 {\n    label="@main";\n' in text
    assert '    n4 [shape=box, label="multiply\\ntensor<2xf32>"];\n' in text
    assert '  n3 -> n4 [label="%half"];\n' in text


def test_nothing_in_a_program_ends_the_script_of_its_page() -> None:
    text = PROGRAM.replace('"scale"', '"</script><b>{{DATA}}"')
    made = page(graph(shlo.parse(text, "<i>.mlir")))
    assert made.count("</script>") == 2
    assert "<title>&lt;i&gt;.mlir</title>" in made
    assert "\\u003c/script>\\u003cb>{{DATA}}" in made


def test_command(shlo: Shlo, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    done = shlo("graph", "-", "-o", out, stdin=PROGRAM)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert out.read_text().startswith("<!DOCTYPE html>")
    assert json.loads(shlo("graph", "-", "--format", "json", stdin=PROGRAM).stdout)["name"] == "<stdin>"
    assert shlo("graph", "-", "-o", tmp_path / "out.dot", stdin=PROGRAM).returncode == 0
    assert (tmp_path / "out.dot").read_text().startswith("digraph")
    done = shlo("graph", "-", "--module", 2, stdin=PROGRAM)
    assert (done.returncode, "--module 2 is out of range" in done.stderr) == (2, True)
    assert shlo("graph", "-", stdin="func.func").returncode == 1


def test_a_value_that_is_used_before_it_is_made() -> None:
    text = "func.func @f(%a: tensor<f32>) {\n  %0 = stablehlo.abs %1 : tensor<f32>\n"
    found = graph(shlo.parse(text + "  %1 = stablehlo.abs %a : tensor<f32>\n  return\n}"))
    first, second = (item.id for item in found.functions[0].walk() if item.name == "stablehlo.abs")
    assert (second, first, "%1") in found.edges


def test_modules_that_do_not_verify() -> None:
    assert graph(shlo.parse('"builtin.module"() : () -> ()')).functions == []
    several = (
        '"builtin.module"() ({\n^a(%x: tensor<f32>):\n  "t.use"(%x) : (tensor<f32>) -> ()\n^b:\n}) : () -> ()'
    )
    drawn = graph(shlo.parse(several, allow_unregistered=True))
    assert [item.title for item in drawn.functions] == ["%x", "t.use"]
    assert drawn.edges == [(0, 1, "%x")]
    (bare,) = graph(shlo.parse('"builtin.module"() ({\n"func.func"() : () -> ()\n}) : () -> ()')).functions
    assert bare.items == []


SCOPED = """!t = tensor<4x4xf32>
func.func @main(%x: !t) -> !t {
  %0 = stablehlo.dot %x, %x : (!t, !t) -> !t loc("jit(main)/Block_0/Mlp/dot")
  %1 = stablehlo.add %0, %x : tensor<4x4xf32> loc("jit(main)/Block_0/Mlp/add"("m.py":2:1))
  %2 = stablehlo.tanh %1 : tensor<4x4xf32> loc("jit(main)/Block_0/tanh"("m.py":3:1))
  %3 = stablehlo.negate %2 : tensor<4x4xf32> loc("jit(main)/neg"("m.py":4:1))
  return %3 : tensor<4x4xf32>
}
"""


def test_scopes_costs_and_errors() -> None:
    module = shlo.parse(SCOPED)
    (main,) = graph(module, costs=True, errors={4: 0.5, 5: float("inf")}).functions
    ops = [item for item in main.items if item.kind == "op"]
    assert [op.scope for op in ops] == [
        "jit(main)/Block_0/Mlp",
        "jit(main)/Block_0/Mlp",
        "jit(main)/Block_0",
        "jit(main)",
        "",
    ]
    # A product of 4 x 4 matrices has 2 * 4 * 4 * 4 operations; it reads 128 bytes and writes 64.
    assert [op.operations for op in ops] == [128, 16, 16, 16, 0]
    assert [op.bytes for op in ops][:3] == [192, 192, 128]
    assert [op.error for op in ops] == [None, 0.5, 1e300, None, None]
    assert graph(module).functions[0].items[1].operations is None


def test_errors_of_a_comparison(shlo: Shlo, tmp_path: Path) -> None:
    first, second, found = tmp_path / "a.mlir", tmp_path / "b.mlir", tmp_path / "c.json"
    first.write_text(SCOPED)
    second.write_text(SCOPED.replace("tanh %1", "sine %1"))
    found.write_text(shlo("compare", first, second, "--random", 0, "--format", "json").stdout)
    done = shlo("graph", first, "--errors", found, "--format", "json")
    (main,) = json.loads(done.stdout)["functions"]
    assert [bool(item["error"]) for item in main["items"]] == [False, False, False, True, False, False]
    for text in ("[", "[]", '{"others": [1]}', '{"others": [{"line": 1, "results": [{}]}]}'):
        found.write_text(text)
        done = shlo("graph", first, "--errors", found)
        assert done.returncode == 2 and "expected what `shlo compare --format json` prints" in done.stderr


FLOAT, INTEGER = (parse_type(text) for text in ("tensor<4x4xf32>", "tensor<2xi32>"))


@pytest.mark.parametrize(
    ("paths", "types", "expected"),
    [
        (["p/a", "p/b", "p/c", "p/d", "x"], [FLOAT] * 5, [True] * 4 + [False]),
        (["p/a", "p/b", "p/c", "x"], [FLOAT] * 4, [False] * 4),  # a tree of three
        (["p/a", "p/b", "p/c", "p/d"], [FLOAT] * 3 + [INTEGER], [False] * 4),  # of three with floats
        (["p/a", "p/b", "p/c", "p/d", "p/n"], [FLOAT] * 4 + [INTEGER], [True] * 4 + [False]),
        ([""] * 9, [FLOAT] * 8 + [INTEGER], [True] * 7 + [False, False]),  # the last with floats is an input
        ([""] * 8, [FLOAT] * 7 + [INTEGER], [False] * 8),
    ],
)
def test_weights_are_many_floats_in_a_tree(paths: list[str], types: list[Type], expected: list[bool]) -> None:
    assert find_weights(paths, types) == expected


def test_a_run_colours_ops(shlo: Shlo, tmp_path: Path) -> None:
    first, second = tmp_path / "a.mlir", tmp_path / "b.mlir"
    first.write_text(SCOPED)
    second.write_text(SCOPED.replace("tanh %1", "sine %1"))
    done = shlo("graph", first, "--random", 0, "--profile", "--against", second, "--format", "json")
    assert "stablehlo.tanh differs from" in done.stderr
    ops = [item for item in json.loads(done.stdout)["functions"][0]["items"] if item["kind"] == "op"]
    assert [bool(op["error"]) for op in ops] == [False, False, True, False, False]
    assert sum(bool(op["seconds"]) for op in ops) >= 2  # dot, and a chain of the others
    for arguments, why in (
        (["--profile"], "require --input or --random"),
        (["--random", "0"], "require --profile or --against"),
    ):
        done = shlo("graph", first, *arguments)
        assert (done.returncode, why in done.stderr) == (2, True)


def test_values_of_constants() -> None:
    """Short ones are shown; infinities and NaN rather than their bits."""
    texts = ("0xFF800000", "0x7F800000", "0x7FC00000", "1.5", "[1.0, 2.0]")
    types = ("f32",) * 4 + ("2xf32",)
    ops = [
        f"%{at} = stablehlo.constant dense<{text}> : tensor<{type}>"
        for at, (text, type) in enumerate(zip(texts, types, strict=True))
    ]
    module = shlo.parse("func.func @main() {\n" + "\n".join(ops) + "\nreturn\n}")
    values = [item.value for item in graph(module).functions[0].items if item.kind == "constant"]
    assert values == ["-inf", "inf", "nan", "1.500000e+00", ""]


FUSED = """HloModule m, is_scheduled=true

inner {
  a = f32[100]{0} parameter(0)
  ROOT n = f32[100]{0} negate(a)
}

outer {
  b = f32[100]{0} parameter(0)
  i = f32[100]{0} fusion(b), kind=kLoop, calls=inner
  ROOT t = f32[100]{0} tanh(i), metadata={op_name="jit(f)/layer/tanh"}
}

ENTRY main {
  p = f32[100]{0} parameter(0)
  f = f32[100]{0} fusion(p), kind=kLoop, calls=outer
  ROOT s = f32[50]{0} slice(f), slice={[0:50]}
}
"""


def test_fusions_are_scopes_with_the_live_memory_of_their_step(shlo: Shlo, tmp_path: Path) -> None:
    """The argument and the result of the fusion have 400 bytes each, the slice has 200."""
    path = tmp_path / "m.hlo"
    path.write_text(FUSED)
    found = json.loads(shlo("graph", path, "--format", "json").stdout)
    items = {item["title"]: item for item in found["functions"][0]["items"]}
    places = {title: (item["line"], item["scope"], item["live"]) for title, item in items.items()}
    assert places["negate"] == (5, "jit(f)/layer/%f", 800)
    assert places["tanh"] == (11, "jit(f)/layer/%f", 800)
    assert places["slice"] == (17, "", 1000)
    path.write_text(FUSED.replace(", is_scheduled=true", ""))
    found = json.loads(shlo("graph", path, "--format", "json").stdout)
    live = [
        (item["scope"], item["live"]) for item in found["functions"][0]["items"] if item["title"] == "tanh"
    ]
    assert live == [("jit(f)/layer/%f", None)]
